/* Shared by tests of a local bus adapter, which is driven through its ports. */
#ifndef SIM_TEST_LBA_H
#define SIM_TEST_LBA_H

#include "test/ropes.h"

#define COUNT(name) (COUNTERS("lba0", lba)->name)
#define STATE STATE_OF("lba0", lba)
#define CAUSED_BY_ADAPTER(name) BECAUSE(LBA_PART, LBA_EV_##name)
#define CAUSED_BY_BUS(name) BECAUSE(PCI_PART, PCI_EV_##name)

static inline uint32_t begins(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_begin q = {.address = address, .bytes = bytes, .command = command};
  uint32_t taken = lba_pci_begin(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &q);
  if (!STATE->failed) assert_int_equal(q.ready, ENGINE->time);
  return taken;
}

#endif
