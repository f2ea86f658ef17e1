/* A host bridge with two processors, memory, a PCI bus that nobody is on, and if wanted a unit that translates; and how they are asked. For tests in C. */
#ifndef SIM_BRIDGE_MACHINE_H
#define SIM_BRIDGE_MACHINE_H

#include "test/testing.h"

#define ENGINE test_engine()
#define NS 1000ull
#define AT 0x1000ull
#define PAGE 4096ull
#define LINE 32ull

/* Two processors, at ports 0 and 2. */
enum { MEMORY_PART, BRIDGE_PART, BUS_PART, FIRST_CPU, FIRST_CACHE, SECOND_CPU, SECOND_CACHE, UNIT_PART, MAP_PART, ALL_PARTS };

#define NOW ((struct bridge_now *)sim_at(ENGINE, SIM_STATE(ENGINE, BRIDGE_PART, bridge)->now_at))
#define COUNT(name) (SIM_COUNTERS(ENGINE, BRIDGE_PART, bridge)->name)
#define MEMORY_COUNTS SIM_COUNTERS(ENGINE, MEMORY_PART, memory)
#define BUILD(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

/* Memory answers after 100 ns and moves 1 B/ns; the bridge has three places, and a crossing of 40 ns. With a unit that translates an entry is read in 300. */
static inline const struct session *bridge_session(uint32_t translates) { /* 2: by a table in memory */
  static struct session s;
  static const uint64_t nothing[] = {PROCESSOR_OP_END, 0, 0, 0, 0, 0, 0, 0};
  struct processor_params cpu = PROCESSOR_DEFAULTS;
  struct cache_params cache = CACHE_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  struct bridge_params bridge = BRIDGE_DEFAULTS;
  struct pci_params bus = PCI_DEFAULTS;
  struct iommu_params unit = IOMMU_DEFAULTS;
  struct iommu_map_params map = IOMMU_MAP_DEFAULTS;
  cpu.line = cache.line = LINE;
  memory.tracked_from = AT, memory.tracked = 0x110000 - AT, memory.latency = 100 * NS, memory.bandwidth = 1000000000;
  bridge.posts = 3, bridge.crossing = 40 * NS, bridge.read_ahead = 20 * NS;
  unit.walk_time = 300 * NS, unit.checks = 1;
  map.entries = 4096, map.page = PAGE, map.spread = 0, map.base = 0x100000;
  s = session_new(translates ? ALL_PARTS : UNIT_PART, translates ? 9 + translates : 6, 10);
  BUILD(&s, SIM_TYPE_MEMORY, memory);
  BUILD(&s, SIM_TYPE_BRIDGE, bridge);
  BUILD(&s, SIM_TYPE_PCI, bus);
  for (uint32_t i = 0; i < 2; i++) {
    BUILD(&s, SIM_TYPE_PROCESSOR, cpu);
    session_table(&s, nothing, 1, 8);
    BUILD(&s, SIM_TYPE_CACHE, cache);
  }
  if (translates) BUILD(&s, SIM_TYPE_IOMMU, unit);
  if (translates) BUILD(&s, SIM_TYPE_IOMMU_MAP, map);
  session_wire(&s, BRIDGE_PART, BRIDGE_PORT_MEMORY, MEMORY_PART, MEMORY_PORT_BRIDGE);
  session_wire(&s, BRIDGE_PART, BRIDGE_PORT_PCI, BUS_PART, PCI_PORT_SLOT);
  for (uint32_t i = 0; i < 2; i++) {
    session_wire(&s, FIRST_CPU + 2 * i, PROCESSOR_PORT_FRONT, BRIDGE_PART, BRIDGE_PORT_CPU + 2 * i);
    session_wire(&s, FIRST_CPU + 2 * i, PROCESSOR_PORT_CACHE, FIRST_CACHE + 2 * i, CACHE_PORT_CPU);
  }
  if (!translates) return &s;
  session_wire(&s, MAP_PART, IOMMU_MAP_PORT_IOMMU, UNIT_PART, IOMMU_PORT_MAP);
  session_wire(&s, BRIDGE_PART, BRIDGE_PORT_IOMMU, UNIT_PART, IOMMU_PORT_DEVICE);
  if (translates == 2) session_wire(&s, UNIT_PART, IOMMU_PORT_MEMORY, MEMORY_PART, MEMORY_PORT_WALKS);
  for (uint32_t i = 0; i < 2; i++) session_wire(&s, FIRST_CPU + 2 * i, PROCESSOR_PORT_OS, MAP_PART, IOMMU_MAP_PORT_CPU + i);
  return &s;
}

static inline void at_time(uint64_t time) { ENGINE->time = time, ENGINE->cause = 0; }

/* Everything is over: from now on buses are asked and only seen to be. */
static inline void quiet(uint32_t translates) {
  assert_int_equal(session_open(bridge_session(translates)), SIM_OK);
  session_run();
  at_time(1000 * NS);
}

static inline uint32_t posted(uint64_t address, uint64_t value) { return bridge_cpu_post(ENGINE, BRIDGE_PART, 0, &(struct front_post){.address = address, .bytes = 4, .write = (uint32_t)value + 100, .value = value}); }

static inline void peeked(uint64_t address, uint32_t *words, uint32_t n, uint32_t set) { bridge_cpu_peek(ENGINE, BRIDGE_PART, 0, &(struct front_peek){.address = address, .bytes = 4 * n, .set = set, .writes = words}); }

static inline struct pci_begin begins(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_begin q = {.address = address, .bytes = bytes, .command = command};
  uint32_t taken = bridge_pci_begin(ENGINE, BRIDGE_PART, &q);
  assert_int_equal(taken, q.bytes);
  return q;
}
static inline void given(uint64_t address, uint32_t *words, uint32_t n) { bridge_pci_target_give(ENGINE, BRIDGE_PART, &(struct pci_target_give){.address = address, .bytes = 4 * n, .writes = words}); }
static inline void taken(uint64_t address, uint32_t *words, uint32_t n) { bridge_pci_target_take(ENGINE, BRIDGE_PART, &(struct pci_target_take){.address = address, .bytes = 4 * n, .writes = words}); }

#endif
