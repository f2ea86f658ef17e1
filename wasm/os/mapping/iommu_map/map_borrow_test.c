/* The IOMMU's mapping service with an external allocator. */
#include "test/mapping.h"

#define RANGE 8u /* pages */
#define FOUR_K 4096ull
#define MAP_PARAMS PARAMS("maps", iommu_map)

/* 1024 pages; each of 16 chains has 8 ranges of 8 pages. */
static void borrows(uint64_t allocator) {
  machine("borrowed-ranges");
  PARAMS("ranges", io_services)->allocator = allocator;
}

static const struct iommu_map_counters *run(const uint64_t *program, uint32_t values) {
  machine_rows("cpu", 0, program, values);
  machine_run();
  return COUNTERS("maps", iommu_map);
}
#define RUN(program) run(ROWS(program))

static uint32_t unit_page(uint64_t entry) { return ((uint32_t *)map_view_of(UNIT, IOMMU_VIEW_TABLE))[entry]; }
static const struct iommu_map_handles *mapped(uint32_t tag) {
  return (struct iommu_map_handles *)map_view_of(MAPPER, IOMMU_MAP_VIEW_HANDLES) + tag;
}
static uint64_t first_page(uint32_t tag) { return (mapped(tag)->address - 0x80000000ull) / FOUR_K; }

/* Entries are written for the pages of the ranges. A request for more than a range gets one range. */
TEST(entries_are_those_of_the_ranges) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 2 * 4096, 0, 0, 0),
      ROW(MAP, 0x80000, 0, 20 * 4096, 0, 0, 1), ROW(MAP, 0x90008, 0, 4096, 0, 0, 2),
      ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(MAP, 0xa0000, 0, 4096, 0, 0, 3), END_ROW};
  borrows(IO_SERVICES_ALLOCATOR_CCIO); /* its search begins at range 16 */
  const struct iommu_map_counters *c = RUN(program);
  EXPECT_VALUES({c->maps, 4}, {c->unmaps, 1});
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
TEST(a_call_takes_the_hypervisors_time_and_no_lock) {
  static const uint64_t program[] = {
      ROW(MAP, 0x40000, 0, 3 * 4096, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0), END_ROW};
  for (uint64_t scope = IOMMU_MAP_SCOPE_OUTSIDE; scope <= IOMMU_MAP_SCOPE_INSIDE; scope++) {
    borrows(IO_SERVICES_ALLOCATOR_HPUX);
    MAP_PARAMS->scope = scope;
    const struct iommu_map_counters *c = RUN(program);
    EXPECT_VALUES({c->map_time, MAP_PARAMS->map_call + 2 * MAP_PARAMS->entry_time},
        {c->unmap_time, MAP_PARAMS->demap_call + 2 * MAP_PARAMS->entry_time}, {c->acquisitions, 0},
        {c->searches, 0});
  }
}

/* The device's address limit and the alignment are respected, or the call fails. */
TEST(limit_and_alignment_are_respected) {
  const uint64_t base = 0x80000000;
  const uint64_t program[] = {ROW(MAP, 0x40000, base + 16 * 4096 - 1, 4096, 0, 0, 0),
      ROW(MAP, 0x50000, base + 16 * 4096 - 1, 4096, 0, 0, 1),
      ROW(MAP, 0x60000, base + 16 * 4096 - 1, 4096, 0, 0, 2), ROW(MAP, 0x70000, 0x1000, 4096, 0, 0, 3),
      ROW(MAP, 0x80000, 0, 4096, 0, 5, 4), END_ROW};
  borrows(IO_SERVICES_ALLOCATOR_CCIO);
  const struct iommu_map_counters *c = RUN(program);
  assert_int_equal(first_page(0), 0);
  assert_int_equal(first_page(1), RANGE);
  assert_int_equal(mapped(2)->live, 0); /* only two ranges are below page 16 */
  assert_int_equal(mapped(3)->live, 0); /* no range is below 0x1000 */
  assert_int_equal(first_page(4) % 32, 0);
  assert_int_equal(c->failures, 2);
}

/* The allocator may take a single page from an owned range and return it there. */
TEST(single_pages_come_from_owned_ranges) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 4096, 0, 0, 0), ROW(MAP, 0x50000, 0, 4096, 0, 0, 1),
      ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(MAP, 0x60000, 0, 4096, 0, 0, 2), ROW(MAP, 0x70000, 0, 4096, 0, 0, 3),
      END_ROW};
  borrows(IO_SERVICES_ALLOCATOR_SEQUENTIAL);
  RUN(program);
  assert_int_equal(first_page(1), 1);
  assert_int_equal(first_page(2), 0);
  assert_int_equal(first_page(3), 2);
}

/* Two processors, and a second mapping service as external allocator: the lock, waiting times and flushes of
 * its pools affect the callers. */
TEST(external_pools_have_their_lock_and_flush) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0),
      ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), ROW(SPEND, 0, 0, 0, 9000000, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0),
      ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), END_ROW};
  static const uint64_t other[] = {ROW(MAP, 0x80000, 0, 8192, 0, 0, 1), END_ROW};
  machine("borrowed-pools");
  const struct iommu_map_params *pools = PARAMS("pools", iommu_map);
  machine_rows("cpu0", 0, ROWS(program));
  machine_rows("cpu1", 0, ROWS(other));
  machine_run();
  const struct iommu_map_counters *c = COUNTERS("maps", iommu_map), *lender = COUNTERS("pools", iommu_map);
  EXPECT_VALUES({c->maps, 4}, {c->unmaps, 2});
  assert_int_equal(
      lender->wait_time, pools->hold_alloc + 2 * pools->word_time + pools->handoff + pools->handoff_waiter);
  EXPECT_VALUES({COUNTERS("cpu1", processor)->in_spin, lender->wait_time}, {lender->flushes, 1},
      {c->flushes, 1}, {COUNTERS("unit", iommu)->flushes, 1});
  assert_int_equal(
      lender->hold_most, pools->hold_alloc + MAP_PARAMS->flush_time
                             + 2 * pools->word_time); /* the search from the end on reads no word */
  assert_int_equal(lender->used, 2);
}

TEST(impossible_parameters_are_refused) {
  borrows(IO_SERVICES_ALLOCATOR_HPUX);
  MAP_PARAMS->entries = 1023; /* the ranges need 1024 */
  assert_int_equal(session_open(machine_session()), SIM_BAD_PARAM);
  assert_int_equal(sim_refresh_header(test_engine())->error_part, part_named("ranges"));
  MAP_PARAMS->entries = 1024;
  assert_true(session_without_memory(machine_session()) > 20);
}
