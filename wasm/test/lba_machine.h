/*
 * What tests of a local bus adapter share. A rope carries 0.5 GB/s: a request of 8 B takes 16 ns, a line of 128 B with its 8
 * takes 272, a store of 4 B with its 8 takes 24. Memory has a line after 110 ns and is taken for 16.
 */
#ifndef SIM_LBA_MACHINE_H
#define SIM_LBA_MACHINE_H

#include "test/rope_machine.h"

#define ENGINE test_engine()
#define COUNT(name) (HP_COUNTERS(LBA_PART, lba)->name)
#define STATE SIM_STATE(ENGINE, LBA_PART, lba)
#define ADAPTER_SAYS(name) BECAUSE(LBA_PART, LBA_EV_##name)
#define BUS_SAYS(name) BECAUSE(PCI_PART, PCI_EV_##name)

/* Nobody asks for anything by itself. */
static inline struct rope_machine quiet(void) {
  struct rope_machine g = rope_machine_defaults();
  g.peer[0].blocks = 0;
  g.memory.bandwidth = 8000000000ull;
  for (uint64_t *hint = &g.lba[0].mr_consistent_depth; hint <= &g.lba[0].mrm_streaming_depth; hint += 4) *hint = 0;
  return g;
}

/* What happens up to a time, and then it is that time. */
static inline void until(uint64_t time) {
  sim_run(ENGINE, time, UINT64_MAX);
  ENGINE->time = time;
  ENGINE->cause = 0;
}

static inline uint32_t begins(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_begin q = {.address = address, .bytes = bytes, .command = command};
  uint32_t taken = lba_pci_begin(ENGINE, LBA_PART, &q);
  if (!STATE->failed) assert_int_equal(q.ready, ENGINE->time);
  return taken;
}

#endif
