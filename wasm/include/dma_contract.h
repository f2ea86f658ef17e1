/* The contract between a driver, its mapping service and its device, as far as several parts speak of it. */
#ifndef SIM_CONTRACT_H
#define SIM_CONTRACT_H

/* Which way a device may use a mapping. What is shared is written by both sides, so it needs no dma_sync;
   a part takes the place of a page of what is mapped there already, and goes with it. */
enum dma_direction { DMA_BIDIRECTIONAL = 0, DMA_TO_DEVICE = 1, DMA_FROM_DEVICE = 2, DMA_COHERENT = 4, CONTRACT_PARTIAL = 8 };

enum contract_sync { SYNC_FOR_DEVICE = 1, SYNC_FOR_DEVICE_INBOUND = 2, SYNC_FOR_CPU = 3 };

/* The row of the interrupt handler, which no program has. */
#define CONTRACT_HANDLER 0xffffffffu

/* Says something at an optional port. */
#define REPORT_CONTRACT(m, self, port, message, ...) \
  do {                                             \
    if (sim_wired(m, self, port)) ask_contract_##message(m, self, port, &(struct contract_##message){__VA_ARGS__}); \
  } while (0)

#endif
