/* Steps of a mapping service with an external allocator: invalidation of freed ranges, by registers of a unit
 * that walks its table in memory or by the hypervisor. */
#include "test/walk.h"

#define ENGINE test_engine()
#define NO_UNIT 2u
#define ENTRIES 1024u

enum { L_MEMORY, L_BUS, L_CACHE, L_CPU, L_MAP, L_LENDER, L_UNIT };

/* A mapping service whose allocator is a driver's services or another mapping service with one pool. The unit
 * walks a table in memory, has its own table, or is absent. */
static void session_of(struct session *s, uint32_t table, uint32_t pools, uint32_t own_cpu) {
  static const uint64_t nothing[] = {END};
  walking(1);
  const uint32_t unit = table != NO_UNIT, walks = table == 1;
  struct io_services_params ranges = IO_SERVICES_DEFAULTS;
  struct iommu_map_params lender = *PARAMS("map", iommu_map);
  ranges.allocator = IO_SERVICES_ALLOCATOR_CCIO, ranges.page_bits = 10;
  lender.entries = ENTRIES, lender.flush = IOMMU_MAP_FLUSH_LAZY;
  *s = session_new(6 + unit, 6 + unit + walks, 10);
  session_part(s, SIM_TYPE_MEMORY_CONTROLLER, (const uint64_t *)PARAMS("memory", memory_controller),
      sizeof(struct memory_controller_params) / 8);
  session_part(
      s, SIM_TYPE_RUNWAY, (const uint64_t *)PARAMS("runway", runway), sizeof(struct runway_params) / 8);
  session_part(s, SIM_TYPE_SNOOP_CACHE, (const uint64_t *)PARAMS("cache", snoop_cache),
      sizeof(struct snoop_cache_params) / 8);
  session_part(
      s, SIM_TYPE_PROCESSOR, (const uint64_t *)PARAMS("cpu", processor), sizeof(struct processor_params) / 8);
  session_table(s, nothing, 1, 8);
  session_part(
      s, SIM_TYPE_IOMMU_MAP, (const uint64_t *)PARAMS("map", iommu_map), sizeof(struct iommu_map_params) / 8);
  if (pools) session_part(s, SIM_TYPE_IOMMU_MAP, (const uint64_t *)&lender, sizeof lender / 8);
  else session_part(s, SIM_TYPE_IO_SERVICES, (const uint64_t *)&ranges, sizeof ranges / 8);
  if (unit)
    session_part(s, SIM_TYPE_IOMMU, (const uint64_t *)PARAMS("unit", iommu), sizeof(struct iommu_params) / 8);
  session_wire(s, L_BUS, RUNWAY_PORT_MEMORY, L_MEMORY, MEMORY_CONTROLLER_PORT_BUS);
  session_wire(s, L_CACHE, SNOOP_CACHE_PORT_BUS, L_BUS, RUNWAY_PORT_AGENT);
  session_wire(s, L_CPU, PROCESSOR_PORT_CACHE, L_CACHE, SNOOP_CACHE_PORT_CPU);
  session_wire(s, L_CPU, PROCESSOR_PORT_FRONT, L_CACHE, SNOOP_CACHE_PORT_FRONT);
  session_wire(s, L_CPU, PROCESSOR_PORT_OS, own_cpu ? L_LENDER : L_MAP, IOMMU_MAP_PORT_CPU);
  session_wire(
      s, L_MAP, IOMMU_MAP_PORT_ALLOCATOR, L_LENDER, pools ? IOMMU_MAP_PORT_LENDS : IO_SERVICES_PORT_LENDS);
  if (unit) session_wire(s, L_MAP, IOMMU_MAP_PORT_IOMMU, L_UNIT, IOMMU_PORT_MAP);
  if (walks) session_wire(s, L_UNIT, IOMMU_PORT_BUS, L_BUS, RUNWAY_PORT_AGENT + UNIT_AGENT);
}

static void begun(uint32_t table, uint32_t pools) {
  static struct session s;
  session_of(&s, table, pools, 0);
  assert_int_equal(session_open(&s), SIM_OK);
}

#define MAP_COUNT(name) (SIM_COUNTERS(ENGINE, L_MAP, iommu_map)->name)

static uint32_t next_of(map_call *call, struct os_next *p) {
  return map_external_alloc_done(ENGINE, SIM_CONTEXT(ENGINE, L_MAP, iommu_map), CALLER(0, 0), call, p);
}

/* Frees a range of which so many pages were mapped from its second page on, and returns the call. */
static map_call given_back(uint32_t pages) {
  call_allocator_free(ENGINE, L_MAP, IOMMU_MAP_PORT_ALLOCATOR,
      &(struct allocator_free){.caller = CALLER(0, 0), .page = 9, .pages = pages});
  return (map_call){.op = PROCESSOR_OP_UNMAP, .address = IO + 9 * PAGE, .pages = pages};
}

/* The purge register invalidates one page; for several pages the flush register invalidates all translations.
 * Then the call is done and keeps its size. */
TEST(freed_pages_are_invalidated_by_registers) {
  for (uint32_t pages = 1; pages <= 3; pages++) {
    begun(1, 0);
    map_call call = given_back(pages);
    struct os_next p = {0};
    assert_int_equal(next_of(&call, &p), OS_STEP_STORE);
    EXPECT_VALUES({p.address, REGISTERS + (pages > 1 ? IOMMU_REG_FLUSH : IOMMU_REG_PURGE)},
        {p.value, pages > 1 ? 1 : 9}, {p.state, PROCESSOR_STATE_TABLE});
    assert_int_equal(MAP_COUNT(flushes), 0); /* only flushes requested by an allocator count */
    assert_int_equal(next_of(&call, &p), OS_STEP_DONE);
    EXPECT_VALUES({call.pages, pages}, {call.address, IO + 9 * PAGE});
  }
}

/* A service that serves as an external allocator has no processors of its own. */
TEST(an_external_allocator_serves_no_processor) {
  static struct session s;
  for (uint32_t own = 0; own < 2; own++) {
    session_of(&s, 1, 1, own);
    assert_int_equal(session_open(&s), own ? SIM_BAD_PARAM : SIM_OK);
  }
}
