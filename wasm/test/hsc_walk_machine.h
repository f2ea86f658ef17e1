/* A unit that walks its table at the end of an HSC bus with two devices, a processor and memory: for tests in C. */
#ifndef SIM_HSC_WALK_MACHINE_H
#define SIM_HSC_WALK_MACHINE_H

#include "test/hp_machine.h"

#define IO 0x40000000ull
#define TABLE (BASE + 0x10000)
#define ENGINE test_engine()
#define READ(at, bytes) DEVICE_ROW(READ, at, bytes, 0, 1)
#define WRITE(at, bytes) DEVICE_ROW(WRITE, at, bytes, 0, 1)
#define PAUSE(time) DEVICE_ROW(PAUSE, 0, 4, time, 1)
#define US 1000000ull

enum { H_MEMORY, H_BUS, H_CACHE, H_CPU, H_MAP, H_UNIT, H_HSC, H_DEVICE, H_SECOND, H_PARTS, H_CHECK = H_PARTS };
#define UNIT_COUNT(name) (HP_COUNTERS(H_UNIT, iommu)->name)
#define STATE SIM_STATE(ENGINE, H_UNIT, iommu)
#define NOW iommu_hsc_of(ENGINE, STATE)
#define REQUESTS iommu_head(ENGINE, STATE)
#define RETURNS ((iommu_return *)sim_at(ENGINE, STATE->returns_at))
#define ACCESS iommu_access_of(ENGINE, STATE, IOMMU_OF_HSC)

struct end_of_hsc {
  struct memory_controller_params memory;
  struct iommu_map_params map;
  struct iommu_params unit;
  struct dma_device_params device;
  struct hp_program program, work[2];
  uint32_t checked; /* with a checker of drivers, which hears of the unit */
};

static inline struct end_of_hsc walking(void) {
  struct end_of_hsc g = {MEMORY_CONTROLLER_DEFAULTS, IOMMU_MAP_DEFAULTS, IOMMU_DEFAULTS, DMA_DEVICE_DEFAULTS, {0}, {{0}}, 0};
  g.memory.tracked_from = BASE, g.memory.tracked = PAGES * PAGE, g.memory.directory = g.unit.table = TABLE, g.memory.directory_bytes = 4 * PAGE;
  g.memory.two_values = g.memory.written = 1;
  g.map.entries = 1024, g.map.page = PAGE, g.map.base = IO, g.map.spread = 0, g.map.pools = 1;
  return g;
}

static inline void opened(const struct end_of_hsc *g) {
  static const uint64_t nothing[] = {END}, idle[] = {DEVICE_ROW(END, 0, 4, 0, 1)};
  const struct runway_params bus = RUNWAY_DEFAULTS;
  const struct snoop_cache_params cache = SNOOP_CACHE_DEFAULTS;
  const struct processor_params cpu = PROCESSOR_DEFAULTS;
  const struct hsc_params hsc = HSC_DEFAULTS;
  const struct hp_program p = g->program.count ? g->program : PROGRAM(nothing);
  struct session s = session_new(H_PARTS + (g->checked != 0), 10 + (g->checked != 0), 14);
  HP_PART(&s, SIM_TYPE_MEMORY_CONTROLLER, g->memory);
  HP_PART(&s, SIM_TYPE_RUNWAY, bus);
  HP_PART(&s, SIM_TYPE_SNOOP_CACHE, cache);
  HP_PART(&s, SIM_TYPE_PROCESSOR, cpu);
  session_table(&s, p.values, p.count / 8, 8);
  HP_PART(&s, SIM_TYPE_IOMMU_MAP, g->map);
  HP_PART(&s, SIM_TYPE_IOMMU, g->unit);
  HP_PART(&s, SIM_TYPE_HSC, hsc);
  for (uint32_t i = 0; i < 2; i++) {
    const struct hp_program work = g->work[i].count ? g->work[i] : PROGRAM(idle);
    HP_PART(&s, SIM_TYPE_DMA_DEVICE, g->device);
    session_table(&s, work.values, work.count / 5, 5);
  }
  const struct dma_check_params check = DMA_CHECK_DEFAULTS;
  if (g->checked) HP_PART(&s, SIM_TYPE_DMA_CHECK, check);
  session_wire(&s, H_BUS, RUNWAY_PORT_MEMORY, H_MEMORY, MEMORY_CONTROLLER_PORT_BUS);
  session_wire(&s, H_CACHE, SNOOP_CACHE_PORT_BUS, H_BUS, RUNWAY_PORT_AGENT);
  session_wire(&s, H_UNIT, IOMMU_PORT_BUS, H_BUS, RUNWAY_PORT_AGENT + ADAPTER_AGENT);
  session_wire(&s, H_CPU, PROCESSOR_PORT_CACHE, H_CACHE, SNOOP_CACHE_PORT_CPU);
  session_wire(&s, H_CPU, PROCESSOR_PORT_FRONT, H_CACHE, SNOOP_CACHE_PORT_FRONT);
  session_wire(&s, H_CPU, PROCESSOR_PORT_OS, H_MAP, IOMMU_MAP_PORT_CPU);
  session_wire(&s, H_MAP, IOMMU_MAP_PORT_IOMMU, H_UNIT, IOMMU_PORT_MAP);
  session_wire(&s, H_HSC, HSC_PORT_ADAPTER, H_UNIT, IOMMU_PORT_HSC);
  for (uint32_t i = 0; i < 2; i++) session_wire(&s, H_DEVICE + i, DMA_DEVICE_PORT_HSC, H_HSC, HSC_PORT_SLOT + i);
  if (g->checked) session_wire(&s, H_CHECK, DMA_CHECK_PORT_HEARS, H_UNIT, IOMMU_PORT_CONTRACT);
  assert_int_equal(session_open(&s), SIM_OK);
}

/* The entry of a page, as if it had been stored and flushed long ago. */
static inline void entry(uint64_t page, uint64_t physical) { iommu_map_set(ENGINE, H_UNIT, &(struct iommu_set){.entry = page, .page = physical, .entries = 1, .stride = 1}); }

static inline struct sim_record read_by(uint32_t device, uint32_t nth) {
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
  for (uint32_t i = 0; i < sim_refresh_header(ENGINE)->seq_lo; i++)
    if (ring[i].part == device && ring[i].kind == DMA_DEVICE_EV_READ && nth-- == 0) return ring[i];
  fail_msg("the device has not read so much");
  return (struct sim_record){0};
}

static inline uint32_t first_write(uint64_t at) { return (uint32_t)((at - BASE) / HALF_BYTES) + 1; }

#endif
