/* The machines "host-bridge" and "host-bridge-translating", and calls to the bridge. For unit tests in C. */
#ifndef SIM_TEST_HOST_BRIDGE_H
#define SIM_TEST_HOST_BRIDGE_H

#include "test/testing.h"

#define ENGINE test_engine()
#define NS 1000ull
#define AT 0x1000ull
#define PAGE 4096ull
#define LINE 32ull

#define MEMORY_PART part_named("memory")
#define BRIDGE_PART part_named("bridge")
#define BUS_PART part_named("bus")
#define FIRST_CPU part_named("cpu0")
#define SECOND_CPU part_named("cpu1")
#define FIRST_CACHE part_named("cache0")
#define SECOND_CACHE part_named("cache1")
#define UNIT_PART part_named("unit")

#define NOW ((struct bridge_now *)sim_at(ENGINE, STATE_OF("bridge", bridge)->now_at))
#define COUNT(name) (COUNTERS("bridge", bridge)->name)
#define MEMORY_COUNTS COUNTERS("memory", memory)

static inline void at_time(uint64_t time) { ENGINE->time = time, ENGINE->cause = 0; }

/* All events are over: requests to the buses are recorded but not served. */
static inline void quiet(const char *name) {
  machine(name);
  machine_run();
  at_time(1000 * NS);
}

static inline uint32_t posted(uint64_t address, uint64_t value) {
  return bridge_cpu_post(ENGINE, SIM_CONTEXT(ENGINE, BRIDGE_PART, bridge), 0,
      &(struct front_post){.address = address, .bytes = 4, .write = (uint32_t)value + 100, .value = value});
}

static inline void peeked(uint64_t address, uint32_t *words, uint32_t n, uint32_t set) {
  bridge_cpu_observe(ENGINE, SIM_CONTEXT(ENGINE, BRIDGE_PART, bridge), 0,
      &(struct front_observe){.address = address, .bytes = 4 * n, .set = set, .writes = words});
}

static inline struct pci_begin begins(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_begin q = {.address = address, .bytes = bytes, .command = command};
  uint32_t taken = bridge_pci_begin(ENGINE, SIM_CONTEXT(ENGINE, BRIDGE_PART, bridge), &q);
  assert_int_equal(taken, q.bytes);
  return q;
}
static inline void given(uint64_t address, uint32_t *words, uint32_t n) {
  bridge_pci_target_give(ENGINE, SIM_CONTEXT(ENGINE, BRIDGE_PART, bridge),
      &(struct pci_target_give){.address = address, .bytes = 4 * n, .writes = words});
}
static inline void taken(uint64_t address, uint32_t *words, uint32_t n) {
  bridge_pci_target_take(ENGINE, SIM_CONTEXT(ENGINE, BRIDGE_PART, bridge),
      &(struct pci_target_take){.address = address, .bytes = 4 * n, .writes = words});
}

#endif
