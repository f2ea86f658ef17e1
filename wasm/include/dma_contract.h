/* The contract between a driver, its mapping service and its device, as far as several parts speak of it. */
#ifndef SIM_CONTRACT_H
#define SIM_CONTRACT_H

/* The row of the interrupt handler, which no program has. */
#define CONTRACT_HANDLER 0xffffffffu

/* Says something at an optional port. */
#define REPORT_CONTRACT(m, self, port, message, ...) \
  do {                                             \
    if (sim_wired(m, self, port)) call_contract_##message(m, self, port, &(struct contract_##message){__VA_ARGS__}); \
  } while (0)

#endif
