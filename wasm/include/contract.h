/* The contract between a driver, its mapping service and its device, as far as several parts speak of it. */
#ifndef SIM_CONTRACT_H
#define SIM_CONTRACT_H

/* Which way a device may use a mapping. What is shared is written by both sides, so it needs no dma_sync;
   a part takes the place of a page of what is mapped there already, and goes with it. */
enum contract_way { CONTRACT_BOTH_WAYS = 0, CONTRACT_OUT = 1, CONTRACT_IN = 2, CONTRACT_SHARED = 4, CONTRACT_PART = 8 };

enum contract_sync { SYNC_FOR_OUT = 1, SYNC_FOR_IN = 2, SYNC_AFTER_IN = 3 };

/* The row of the interrupt handler, which no program has. */
#define CONTRACT_HANDLER 0xffffffffu

/* Says something at an optional port. */
#define TELL_CONTRACT(m, self, port, message, ...) \
  do {                                             \
    if (sim_wired(m, self, port)) ask_contract_##message(m, self, port, &(struct contract_##message){__VA_ARGS__}); \
  } while (0)

#endif
