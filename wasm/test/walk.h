/* The machine "walk": a unit that walks its table in memory, a card behind it, and the service that stores
 * entries there. For unit tests in C. */
#ifndef SIM_TEST_WALK_H
#define SIM_TEST_WALK_H

#include "test/hp.h"

#define NS 1000ull
#define US 1000000ull
#define TABLE (BASE + 0x10000)
#define REGISTERS 0xfed00000ull
#define IO 0x40000000ull
#define UNIT_AGENT 8u
#define START 10 * US /* cycle 1200: an edge of the bus clock */

#define WALK_MEMORY part_named("memory")
#define WALK_BUS part_named("runway")
#define WALK_CACHE part_named("cache")
#define WALK_CPU part_named("cpu")
#define WALK_MAP part_named("map")
#define WALK_UNIT part_named("unit")
#define WALK_CARD part_named("card")
#define UNIT_COUNT(name) (COUNTERS("unit", iommu)->name)
#define CARD_COUNT(name) (COUNTERS("card", bus_master)->name)

static inline void walking(uint64_t levels) {
  machine("walk");
  PARAMS("unit", iommu)->levels = levels;
}

static inline void opened(const uint64_t *program, uint32_t count) {
  machine_rows("cpu", 0, program, count);
  machine_open();
}
#define OPEN(program) opened(ROWS(program))

/* The entry of a page, as if it had been stored and flushed long ago. */
static inline void entry(uint64_t page, uint64_t physical) {
  iommu_map_set(test_engine(), SIM_CONTEXT(test_engine(), WALK_UNIT, iommu),
      &(struct iommu_set){.entry = page, .page = physical, .entries = 1, .stride = 1});
}

#define UNTIL(time) ROW(UNTIL, 0, 0, 0, 4, time, 0, 0)
#define CARD_WRITES(at, bytes) ROW(START_DMA, at, 0, bytes, 4, 0, 2, 0xffffffff)
#define CARD_READS(at, bytes) ROW(START_DMA, at, 0, bytes, 4, 0, 1, 0xffffffff)
#define CARD_DONE ROW(WAIT, 0, 0, 0, 4, 0, 0, 1)
#define MAPS(at, bytes, tag) ROW(MAP, at, 0, bytes, 4, 0, 0, tag)
#define UNMAPS(tag) ROW(UNMAP, 0, 0, 0, 4, 0, 0, tag)

#endif
