/* A system bus adapter with three processors at its ports 0, 1 and 3, and two ropes at 1 and 6. For tests in C. */
#ifndef SIM_SBA_MACHINE_H
#define SIM_SBA_MACHINE_H

#include "test/rope_machine.h"

#define FIRST 0x80000000ull  /* 4 KiB down rope 1 */
#define SECOND 0x80001000ull /* 8 KiB down rope 6 */
#define ENGINE test_engine()
#define COUNT(name) (HP_COUNTERS(SBA_PART, sba)->name)

static inline struct rope_machine three_and_two(void) {
  struct rope_machine g = rope_machine_defaults();
  g.cpus = 3, g.port[2] = 3;
  g.ropes = 2, g.slot[0] = 1, g.slot[1] = 6;
  g.lba[0].base = g.lan[0].registers = FIRST, g.lba[0].length = 4096;
  g.lba[1].base = g.lan[1].registers = SECOND, g.lba[1].length = 8192;
  g.lba[0].stores = g.lba[1].stores = 4;
  g.peer[0].blocks = 0;
  g.memory.latency = 100 * NS, g.memory.bandwidth = 2000000000; /* a line of 128 B moves in 64 ns */
  g.sba.crossing = 40 * NS;
  return g;
}

/* It runs at 1000 ns, and the sixth entry of its table leads to the page at AT. */
static inline struct rope_machine translating(void) {
  struct rope_machine g = three_and_two();
  g.translates = 1;
  g.unit.walk_time = 300 * NS, g.unit.checks = 1;
  rope_run(&g);
  struct iommu_set entry = {.entry = 5, .page = AT, .entries = 1, .stride = 1}; /* the sixth page of the table's is the one at AT */
  iommu_map_set(ENGINE, TRANSLATOR(&g), &entry);
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
  return g;
}

#endif
