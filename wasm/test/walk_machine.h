/* A unit that walks its table in memory, with a card or two behind it, a processor, and the service that stores entries there: for tests in C. */
#ifndef SIM_WALK_MACHINE_H
#define SIM_WALK_MACHINE_H

#include "test/hp_machine.h"

#define NS 1000ull
#define US 1000000ull
#define TABLE (BASE + 0x10000)
#define REGISTERS 0xfed00000ull
#define IO 0x40000000ull
#define UNIT_AGENT 8u
#define START 10 * US /* an edge of the bus's clock: cycle 1200 */

enum walk_part { WALK_MEMORY, WALK_BUS, WALK_CACHE, WALK_CPU, WALK_MAP, WALK_UNIT, WALK_CARD, WALK_SECOND, WALK_SECOND_CPU, WALK_SECOND_MAP, WALK_PARTS };
#define UNIT_COUNT(name) (HP_COUNTERS(WALK_UNIT, iommu)->name)
#define CARD_COUNT(name) (HP_COUNTERS(WALK_CARD, bus_master)->name)

struct walk_machine {
  struct memory_controller_params memory;
  struct runway_params bus;
  struct snoop_cache_params cache;
  struct processor_params cpu;
  struct iommu_map_params map;
  struct iommu_params unit;
  struct bus_master_params card;
  uint32_t port, second_port; /* of the unit, at which the card is; a second one, with a driver of its own, if it is at another than 0 */
};

static inline struct walk_machine walking(uint64_t levels) {
  struct walk_machine g = {MEMORY_CONTROLLER_DEFAULTS, RUNWAY_DEFAULTS, SNOOP_CACHE_DEFAULTS, PROCESSOR_DEFAULTS, IOMMU_MAP_DEFAULTS, IOMMU_DEFAULTS, BUS_MASTER_DEFAULTS, 0, 0};
  g.memory.tracked_from = BASE, g.memory.tracked = PAGES * PAGE, g.memory.directory = g.unit.table = TABLE, g.memory.directory_bytes = 4 * PAGE;
  g.memory.two_values = g.memory.written = 1;
  g.cpu.line = 32;
  g.map.entries = 1024, g.map.page = PAGE, g.map.base = IO, g.map.spread = g.map.map_call = g.map.demap_call = 0, g.map.pools = 1;
  g.unit.levels = levels, g.unit.lookup = 0, g.unit.places = 8, g.unit.cached = 2;
  g.card.page = PAGE, g.card.start_time = 0, g.card.ahead = 8, g.card.rate = 100000000000; /* a line each 320 ps */
  return g;
}

static inline void walk_second(struct session *s, const struct walk_machine *g) {
  static const uint64_t nothing[] = {END};
  HP_PART(s, SIM_TYPE_BUS_MASTER, g->card);
  HP_PART(s, SIM_TYPE_PROCESSOR, g->cpu);
  session_table(s, nothing, 1, 8);
  HP_PART(s, SIM_TYPE_IOMMU_MAP, g->map);
}

static inline void walk_second_wires(struct session *s, const struct walk_machine *g) {
  session_wire(s, WALK_SECOND_CPU, PROCESSOR_PORT_OS, WALK_SECOND_MAP, IOMMU_MAP_PORT_CPU);
  session_wire(s, WALK_SECOND_MAP, IOMMU_MAP_PORT_DEVICE, WALK_SECOND, BUS_MASTER_PORT_DRIVER);
  session_wire(s, WALK_SECOND, BUS_MASTER_PORT_DMA, WALK_UNIT, IOMMU_PORT_DMA + g->second_port);
}

static inline void opened(const struct walk_machine *g, const uint64_t *program, uint32_t values) {
  const uint32_t second = g->second_port != 0;
  struct session s = session_new(second ? WALK_PARTS : WALK_SECOND, second ? 14 : 11, 14);
  HP_PART(&s, SIM_TYPE_MEMORY_CONTROLLER, g->memory);
  HP_PART(&s, SIM_TYPE_RUNWAY, g->bus);
  HP_PART(&s, SIM_TYPE_SNOOP_CACHE, g->cache);
  HP_PART(&s, SIM_TYPE_PROCESSOR, g->cpu);
  session_table(&s, program, values / 8, 8);
  HP_PART(&s, SIM_TYPE_IOMMU_MAP, g->map);
  HP_PART(&s, SIM_TYPE_IOMMU, g->unit);
  HP_PART(&s, SIM_TYPE_BUS_MASTER, g->card);
  if (second) walk_second(&s, g);
  session_wire(&s, WALK_BUS, RUNWAY_PORT_MEMORY, WALK_MEMORY, MEMORY_CONTROLLER_PORT_BUS);
  session_wire(&s, WALK_CACHE, SNOOP_CACHE_PORT_BUS, WALK_BUS, RUNWAY_PORT_AGENT);
  session_wire(&s, WALK_UNIT, IOMMU_PORT_BUS, WALK_BUS, RUNWAY_PORT_AGENT + UNIT_AGENT);
  session_wire(&s, WALK_CPU, PROCESSOR_PORT_CACHE, WALK_CACHE, SNOOP_CACHE_PORT_CPU);
  session_wire(&s, WALK_CPU, PROCESSOR_PORT_FRONT, WALK_CACHE, SNOOP_CACHE_PORT_FRONT);
  session_wire(&s, WALK_CPU, PROCESSOR_PORT_IRQ, WALK_CACHE, SNOOP_CACHE_PORT_IRQ);
  session_wire(&s, WALK_CPU, PROCESSOR_PORT_OS, WALK_MAP, IOMMU_MAP_PORT_CPU);
  session_wire(&s, WALK_CPU, PROCESSOR_PORT_IRQ + 1, WALK_CARD, BUS_MASTER_PORT_IRQ);
  session_wire(&s, WALK_MAP, IOMMU_MAP_PORT_IOMMU, WALK_UNIT, IOMMU_PORT_MAP);
  session_wire(&s, WALK_MAP, IOMMU_MAP_PORT_DEVICE, WALK_CARD, BUS_MASTER_PORT_DRIVER);
  session_wire(&s, WALK_CARD, BUS_MASTER_PORT_DMA, WALK_UNIT, IOMMU_PORT_DMA + g->port);
  if (second) walk_second_wires(&s, g);
  assert_int_equal(session_open(&s), SIM_OK);
}
#define OPEN(g, program) opened(&(g), program, sizeof(program) / 8)

/* The entry of a page, as if it had been stored and flushed long ago. */
static inline void entry(uint64_t page, uint64_t physical) {
  iommu_map_set(test_engine(), WALK_UNIT, &(struct iommu_set){.entry = page, .page = physical, .entries = 1, .stride = 1});
}

#define UNTIL(time) ROW(UNTIL, 0, 0, 0, 4, time, 0, 0)
#define CARD_WRITES(at, bytes) ROW(START_DMA, at, 0, bytes, 4, 0, 2, 0xffffffff)
#define CARD_READS(at, bytes) ROW(START_DMA, at, 0, bytes, 4, 0, 1, 0xffffffff)
#define CARD_DONE ROW(WAIT, 0, 0, 0, 4, 0, 0, 1)
#define MAPS(at, bytes, tag) ROW(MAP, at, 0, bytes, 4, 0, 0, tag)
#define UNMAPS(tag) ROW(UNMAP, 0, 0, 0, 4, 0, 0, tag)

#endif
