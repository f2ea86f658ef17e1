/* The contract between a driver, its mapping service and its device: definitions shared by several parts. */
#ifndef SIM_CONTRACT_H
#define SIM_CONTRACT_H

/* The row number that stands for the interrupt handler, used by no program. */
#define CONTRACT_HANDLER 0xffffffffu

/* Sends a message at an optional port. */
#define REPORT_CONTRACT(m, self, port, message, ...)                                     \
  do {                                                                                   \
    if (sim_wired(m, self, port))                                                        \
      call_contract_##message(m, self, port, &(struct contract_##message){__VA_ARGS__}); \
  } while (0)

#endif
