/* The IOMMU's mapping service with an external allocator. */
#include "test/map_machine.h"

#define RANGE 8u /* pages */
#define FOUR_K 4096ull

enum lent_part { MACHINE_CPU, MACHINE_MAP, MACHINE_UNIT, MACHINE_RANGES };

struct lent_machine {
  struct iommu_map_params map;
  struct io_services_params ranges;
};

/* 1024 pages; each of 16 chains has 8 ranges of 8 pages. */
static struct lent_machine lent(uint64_t allocator) {
  struct lent_machine g = {IOMMU_MAP_DEFAULTS, IO_SERVICES_DEFAULTS};
  g.map.entries = 1024;
  g.map.page = FOUR_K;
  g.map.spread = 0;
  g.ranges.allocator = allocator;
  g.ranges.page_bits = 10;
  return g;
}

static struct session lent_session(const struct lent_machine *g, const uint64_t *program, uint32_t values) {
  static const struct processor_params cpu = PROCESSOR_DEFAULTS;
  static const struct iommu_params unit = IOMMU_DEFAULTS;
  struct session s = session_new(4, 3, 16);
  MAP_PART(&s, SIM_TYPE_PROCESSOR, cpu);
  session_table(&s, program, values / ROW_FIELDS, ROW_FIELDS);
  MAP_PART(&s, SIM_TYPE_IOMMU_MAP, g->map);
  MAP_PART(&s, SIM_TYPE_IOMMU, unit);
  MAP_PART(&s, SIM_TYPE_IO_SERVICES, g->ranges);
  session_wire(&s, MACHINE_CPU, PROCESSOR_PORT_OS, MACHINE_MAP, IOMMU_MAP_PORT_CPU);
  session_wire(&s, MACHINE_MAP, IOMMU_MAP_PORT_IOMMU, MACHINE_UNIT, IOMMU_PORT_MAP);
  session_wire(&s, MACHINE_MAP, IOMMU_MAP_PORT_ALLOCATOR, MACHINE_RANGES, IO_SERVICES_PORT_LENDS);
  return s;
}

static const struct iommu_map_counters *lent_run(
    const struct lent_machine *g, const uint64_t *program, uint32_t values) {
  struct session s = lent_session(g, program, values);
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(sim_run(test_engine(), SIM_NEVER, 10000000), SIM_IDLE);
  return MAP_COUNTERS(MACHINE_MAP, iommu_map);
}
#define RUN(g, program) lent_run(&(g), program, sizeof(program) / 8)

static uint32_t unit_page(uint64_t entry) {
  return ((uint32_t *)map_view_of(MACHINE_UNIT, IOMMU_VIEW_TABLE))[entry];
}
static const struct iommu_map_handles *mapped(uint32_t tag) {
  return (struct iommu_map_handles *)map_view_of(MACHINE_MAP, IOMMU_MAP_VIEW_HANDLES) + tag;
}
static uint64_t first_page(uint32_t tag) { return (mapped(tag)->address - 0x80000000ull) / FOUR_K; }

/* Entries are written for the pages of the ranges. A request for more than a range gets one range. */
static void entries_are_those_of_the_ranges(void **state) {
  (void)state;
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 2 * 4096, 0, 0, 0),
      ROW(MAP, 0x80000, 0, 20 * 4096, 0, 0, 1), ROW(MAP, 0x90008, 0, 4096, 0, 0, 2),
      ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(MAP, 0xa0000, 0, 4096, 0, 0, 3), END_ROW};
  struct lent_machine g = lent(IO_SERVICES_ALLOCATOR_CCIO); /* its search begins at range 16 */
  const struct iommu_map_counters *c = RUN(g, program);
  assert_int_equal(c->maps, 4);
  assert_int_equal(c->unmaps, 1);
  assert_int_equal(mapped(1)->pages, RANGE);
  assert_int_equal(mapped(2)->pages, 2);
  for (uint32_t tag = 1; tag < 4; tag++) {
    static const uint64_t memory[] = {0x40000, 0x80000, 0x90008, 0xa0000};
    assert_int_equal(first_page(tag), (16 + tag) * RANGE);
    for (uint32_t page = 0; page < mapped(tag)->pages; page++)
      assert_int_equal(unit_page(first_page(tag) + page), memory[tag] / FOUR_K + page + 1);
    if (mapped(tag)->pages < RANGE) assert_int_equal(unit_page(first_page(tag) + mapped(tag)->pages), 0);
  }
  assert_int_equal(unit_page(16 * RANGE), 0); /* unmapped */
  assert_int_equal(unit_page(16 * RANGE + 1), 0);
}

/* The hypervisor's time is counted as usual; this service has no lock and no search of its own. */
static void a_call_takes_the_hypervisors_time_and_no_lock(void **state) {
  (void)state;
  static const uint64_t program[] = {
      ROW(MAP, 0x40000, 0, 3 * 4096, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0), END_ROW};
  for (uint64_t scope = IOMMU_MAP_SCOPE_OUTSIDE; scope <= IOMMU_MAP_SCOPE_INSIDE; scope++) {
    struct lent_machine g = lent(IO_SERVICES_ALLOCATOR_HPUX);
    g.map.scope = scope;
    const struct iommu_map_counters *c = RUN(g, program);
    assert_int_equal(c->map_time, g.map.map_call + 2 * g.map.entry_time);
    assert_int_equal(c->unmap_time, g.map.demap_call + 2 * g.map.entry_time);
    assert_int_equal(c->acquisitions, 0);
    assert_int_equal(c->searches, 0);
  }
}

/* The device's address limit and the alignment are respected, or the call fails. */
static void limit_and_alignment_are_respected(void **state) {
  (void)state;
  const uint64_t base = 0x80000000;
  const uint64_t program[] = {ROW(MAP, 0x40000, base + 16 * 4096 - 1, 4096, 0, 0, 0),
      ROW(MAP, 0x50000, base + 16 * 4096 - 1, 4096, 0, 0, 1),
      ROW(MAP, 0x60000, base + 16 * 4096 - 1, 4096, 0, 0, 2), ROW(MAP, 0x70000, 0x1000, 4096, 0, 0, 3),
      ROW(MAP, 0x80000, 0, 4096, 0, 5, 4), END_ROW};
  struct lent_machine g = lent(IO_SERVICES_ALLOCATOR_CCIO);
  const struct iommu_map_counters *c = RUN(g, program);
  assert_int_equal(first_page(0), 0);
  assert_int_equal(first_page(1), RANGE);
  assert_int_equal(mapped(2)->live, 0); /* only two ranges are below page 16 */
  assert_int_equal(mapped(3)->live, 0); /* no range is below 0x1000 */
  assert_int_equal(first_page(4) % 32, 0);
  assert_int_equal(c->failures, 2);
}

/* The allocator may take a single page from an owned range and return it there. */
static void single_pages_come_from_owned_ranges(void **state) {
  (void)state;
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 4096, 0, 0, 0), ROW(MAP, 0x50000, 0, 4096, 0, 0, 1),
      ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(MAP, 0x60000, 0, 4096, 0, 0, 2), ROW(MAP, 0x70000, 0, 4096, 0, 0, 3),
      END_ROW};
  struct lent_machine g = lent(IO_SERVICES_ALLOCATOR_SEQUENTIAL);
  RUN(g, program);
  assert_int_equal(first_page(1), 1);
  assert_int_equal(first_page(2), 0);
  assert_int_equal(first_page(3), 2);
}

/* Two processors, and a second mapping service as external allocator: the lock, waiting times and flushes of
 * its pools affect the callers. */
static void external_pools_have_their_lock_and_flush(void **state) {
  (void)state;
  enum { CPU_0, CPU_1, MAP, UNIT, POOLS };
  static const struct processor_params cpu = PROCESSOR_DEFAULTS;
  static const struct iommu_params unit = IOMMU_DEFAULTS;
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0),
      ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), ROW(SPEND, 0, 0, 0, 9000000, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0),
      ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), END_ROW};
  static const uint64_t other[] = {ROW(MAP, 0x80000, 0, 8192, 0, 0, 1), END_ROW};
  struct iommu_map_params map = IOMMU_MAP_DEFAULTS, pools = IOMMU_MAP_DEFAULTS;
  map.spread = pools.spread = 0;
  map.entries = pools.entries = 5; /* three can be allocated */
  pools.pools = map.pools = 1;
  pools.flush = IOMMU_MAP_FLUSH_LAZY;
  struct session s = session_new(5, 4, 16);
  MAP_PART(&s, SIM_TYPE_PROCESSOR, cpu);
  session_table(&s, program, sizeof program / 8 / ROW_FIELDS, ROW_FIELDS);
  MAP_PART(&s, SIM_TYPE_PROCESSOR, cpu);
  session_table(&s, other, sizeof other / 8 / ROW_FIELDS, ROW_FIELDS);
  MAP_PART(&s, SIM_TYPE_IOMMU_MAP, map);
  MAP_PART(&s, SIM_TYPE_IOMMU, unit);
  MAP_PART(&s, SIM_TYPE_IOMMU_MAP, pools);
  session_wire(&s, CPU_0, PROCESSOR_PORT_OS, MAP, IOMMU_MAP_PORT_CPU);
  session_wire(&s, CPU_1, PROCESSOR_PORT_OS, MAP, IOMMU_MAP_PORT_CPU + 1);
  session_wire(&s, MAP, IOMMU_MAP_PORT_IOMMU, UNIT, IOMMU_PORT_MAP);
  session_wire(&s, MAP, IOMMU_MAP_PORT_ALLOCATOR, POOLS, IOMMU_MAP_PORT_LENDS);
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(sim_run(test_engine(), SIM_NEVER, 10000000), SIM_IDLE);
  const struct iommu_map_counters *c = MAP_COUNTERS(MAP, iommu_map), *lender = MAP_COUNTERS(POOLS, iommu_map);
  assert_int_equal(c->maps, 4);
  assert_int_equal(c->unmaps, 2);
  assert_int_equal(
      lender->wait_time, pools.hold_alloc + 2 * pools.word_time + pools.handoff + pools.handoff_waiter);
  assert_int_equal(MAP_COUNTERS(CPU_1, processor)->in_spin, lender->wait_time);
  assert_int_equal(lender->flushes, 1);
  assert_int_equal(c->flushes, 1);
  assert_int_equal(MAP_COUNTERS(UNIT, iommu)->flushes, 1);
  assert_int_equal(lender->hold_most,
      pools.hold_alloc + map.flush_time + 2 * pools.word_time); /* the search from the end on reads no word */
  assert_int_equal(lender->used, 2);
}

static void impossible_parameters_are_refused(void **state) {
  (void)state;
  static const uint64_t program[] = {END_ROW};
  struct lent_machine g = lent(IO_SERVICES_ALLOCATOR_HPUX);
  g.map.entries = 1023; /* the ranges need 1024 */
  struct session s = lent_session(&g, program, ROW_FIELDS);
  assert_int_equal(session_open(&s), SIM_BAD_PARAM);
  assert_int_equal(sim_refresh_header(test_engine())->error_part, MACHINE_RANGES);
  g.map.entries = 1024;
  s = lent_session(&g, program, ROW_FIELDS);
  assert_true(session_without_memory(&s) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_are_those_of_the_ranges),
      cmocka_unit_test(a_call_takes_the_hypervisors_time_and_no_lock),
      cmocka_unit_test(limit_and_alignment_are_respected),
      cmocka_unit_test(single_pages_come_from_owned_ranges),
      cmocka_unit_test(external_pools_have_their_lock_and_flush),
      cmocka_unit_test(impossible_parameters_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
