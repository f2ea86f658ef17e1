/* The machine "walk-hsc": a unit that walks its table at the end of an HSC bus with two devices. For unit
 * tests in C. */
#ifndef SIM_TEST_WALK_HSC_H
#define SIM_TEST_WALK_HSC_H

#include "test/hp.h"

#define IO 0x40000000ull
#define TABLE (BASE + 0x10000)
#define ENGINE test_engine()
#define READ(at, bytes) DEVICE_ROW(READ, at, bytes, 0, 1)
#define WRITE(at, bytes) DEVICE_ROW(WRITE, at, bytes, 0, 1)
#define PAUSE(time) DEVICE_ROW(PAUSE, 0, 4, time, 1)
#define US 1000000ull

#define H_MEMORY part_named("memory")
#define H_BUS part_named("runway")
#define H_CACHE part_named("cache")
#define H_CPU part_named("cpu")
#define H_MAP part_named("map")
#define H_UNIT part_named("unit")
#define H_HSC part_named("hsc")
#define H_DEVICE part_named("device0")
#define H_SECOND part_named("device1")
#define H_CHECK part_named("check")
#define UNIT_COUNT(name) (COUNTERS("unit", iommu)->name)
#define STATE STATE_OF("unit", iommu)
#define NOW iommu_hsc_of(ENGINE, CONTEXT_OF("unit", iommu))
#define REQUESTS iommu_head(ENGINE, CONTEXT_OF("unit", iommu))
#define RETURNS ((iommu_return *)sim_at(ENGINE, STATE->returns_at))
#define ACCESS iommu_access_of(ENGINE, CONTEXT_OF("unit", iommu), IOMMU_OF_HSC)

static inline void walking(void) {
  static const uint64_t idle[] = {DEVICE_ROW(END, 0, 4, 0, 1)};
  machine("walk-hsc");
  machine_without("check");
  for (uint32_t i = 0; i < 2; i++) machine_rows(HP_DEVICE[i], 0, ROWS(idle));
}

/* Both devices have the parameters of the first. */
static inline void opened(void) {
  *PARAMS("device1", dma_device) = *PARAMS("device0", dma_device);
  machine_open();
}

/* The entry of a page, as if it had been stored and flushed long ago. */
static inline void entry(uint64_t page, uint64_t physical) {
  iommu_map_set(ENGINE, SIM_CONTEXT(ENGINE, H_UNIT, iommu),
      &(struct iommu_set){.entry = page, .page = physical, .entries = 1, .stride = 1});
}

static inline struct sim_record read_by(uint32_t device, uint32_t nth) {
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
  for (uint32_t i = 0; i < sim_refresh_header(ENGINE)->seq_lo; i++)
    if (ring[i].part == device && ring[i].kind == DMA_DEVICE_EV_READ && nth-- == 0) return ring[i];
  fail_msg("the device has not read so much");
  return (struct sim_record){0};
}

static inline uint32_t first_write(uint64_t at) { return (uint32_t)((at - BASE) / HALF_BYTES) + 1; }

#endif
