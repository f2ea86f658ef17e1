/* CPUs, a mapping service, an IOMMU, and optionally a network stack with its adapter, and tracked memory.
 * For tests in C. */
#ifndef SIM_MAP_MACHINE_H
#define SIM_MAP_MACHINE_H

#include "test/testing.h"

#define ROW_FIELDS 8u
/* One row of a program: op, from, to, bytes, width, time, count, tag. */
#define ROW(op, from, to, bytes, time, count, tag) PROCESSOR_OP_##op, from, to, bytes, 4, time, count, tag
#define END_ROW ROW(END, 0, 0, 0, 0, 0, 0)

#define TEST_CPUS 4u
enum map_machine_part { MAPPER = TEST_CPUS, UNIT, STACK, ADAPTER, MEMORY };

struct map_machine {
  struct processor_params cpu;
  struct iommu_map_params map;
  struct iommu_params unit;
  struct net_driver_params stack;
  struct net_adapter_params adapter;
  struct memory_params memory;
  /* memory is wired to the adapter */
  int networked;
  int followed;
};

static inline struct map_machine map_machine_defaults(void) {
  struct map_machine g = {PROCESSOR_DEFAULTS, IOMMU_MAP_DEFAULTS, IOMMU_DEFAULTS, NET_DRIVER_DEFAULTS,
      NET_ADAPTER_DEFAULTS, MEMORY_DEFAULTS, 0, 0};
  g.map.entries = 4096;
  g.map.spread = g.stack.spread = 0;
  return g;
}

#define MAP_PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

/* Every CPU runs its own program. */
static inline struct session map_machine_session(
    const struct map_machine *g, const uint64_t *const *programs, const uint32_t *rows) {
  uint32_t networked = g->networked != 0, followed = networked && g->followed;
  struct session s = session_new(
      TEST_CPUS + 2 + 2 * networked + followed, networked ? 2 * TEST_CPUS + 3 + followed : TEST_CPUS + 1, 16);
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    MAP_PART(&s, SIM_TYPE_PROCESSOR, g->cpu);
    session_table(&s, programs[cpu], rows[cpu], ROW_FIELDS);
  }
  MAP_PART(&s, SIM_TYPE_IOMMU_MAP, g->map);
  MAP_PART(&s, SIM_TYPE_IOMMU, g->unit);
  session_wire(&s, MAPPER, IOMMU_MAP_PORT_IOMMU, UNIT, IOMMU_PORT_MAP);
  if (!networked) {
    for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++)
      session_wire(&s, cpu, PROCESSOR_PORT_OS, MAPPER, IOMMU_MAP_PORT_CPU + cpu);
    return s;
  }
  s.n -= 4; /* parts come before wires */
  MAP_PART(&s, SIM_TYPE_NET_DRIVER, g->stack);
  MAP_PART(&s, SIM_TYPE_NET_ADAPTER, g->adapter);
  if (followed) MAP_PART(&s, SIM_TYPE_MEMORY, g->memory);
  session_wire(&s, MAPPER, IOMMU_MAP_PORT_IOMMU, UNIT, IOMMU_PORT_MAP);
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    session_wire(&s, cpu, PROCESSOR_PORT_OS, STACK, NET_DRIVER_PORT_CPU + cpu);
    session_wire(&s, STACK, NET_DRIVER_PORT_MAP + cpu, MAPPER, IOMMU_MAP_PORT_CPU + cpu);
  }
  session_wire(&s, STACK, NET_DRIVER_PORT_ADAPTER, ADAPTER, NET_ADAPTER_PORT_DRIVER);
  session_wire(&s, ADAPTER, NET_ADAPTER_PORT_IOMMU, UNIT, IOMMU_PORT_DEVICE);
  if (followed) session_wire(&s, ADAPTER, NET_ADAPTER_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  return s;
}

#define MAP_COUNTERS(part, name) SIM_COUNTERS(test_engine(), part, name)

static inline void *map_view_of(uint32_t part, uint32_t index) {
  sim *m = test_engine();
  return sim_at(
      m, ((struct sim_view_entry *)sim_at(m, m->views_at) + sim_part(m, part)->first_view + index)->at);
}

#endif
