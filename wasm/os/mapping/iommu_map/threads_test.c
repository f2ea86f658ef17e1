/* Threads that a scheduler moves to other CPUs, the cut-off of the large pool, lists, and contention by call.
 */
#include "test/mapping.h"

#define US 1000000ull

static const struct iommu_map_threads *threads(void) { return map_view_of(MAPPER, IOMMU_MAP_VIEW_THREADS); }

/* After 200 us an idle CPU pulls the only thread that runs. It maps in the pool of its new CPU; what it
 * mapped before goes back to the old one. */
TEST(a_moved_thread_maps_in_the_pool_of_its_new_cpu) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), ROW(SPEND, 0, 0, 0, 250 * US, 0, 0),
      ROW(MAP, 0x50000, 0, 8192, 0, 0, 1), ROW(UNMAP, 0, 0, 0, 0, 0, 0), END_ROW};
  machine("mapping");
  struct iommu_map_params *p = PARAMS("maps", iommu_map);
  p->pools = 16, p->home = IOMMU_MAP_HOME_MODULO, p->cpus = 16, p->balance = 200 * US;
  OPEN_ON(program, 1);
  assert_int_equal(threads()[0].cpu, 0);
  session_run();
  const struct iommu_map_pools *pools = map_view_of(MAPPER, IOMMU_MAP_VIEW_POOLS);
  uint32_t cpu = threads()[0].cpu;
  assert_int_equal(COUNTERS("maps", iommu_map)->moves, 1);
  assert_true(cpu >= TEST_CPUS && cpu < 16); /* the first four belong to the threads */
  EXPECT_VALUES({pools[0].acquisitions, 2}, {pools[cpu].acquisitions, 1});
}

/* Without idle CPUs nothing moves, and more threads than CPUs are refused. */
TEST(threads_move_to_idle_cpus_only) {
  static const uint64_t program[] = {
      ROW(SPEND, 0, 0, 0, 250 * US, 0, 0), ROW(MAP, 0x40000, 0, 8192, 0, 0, NO_TAG), END_ROW};
  machine("mapping");
  PARAMS("maps", iommu_map)->cpus = TEST_CPUS, PARAMS("maps", iommu_map)->balance = 100 * US;
  OPEN_ON(program, TEST_CPUS);
  session_run();
  assert_int_equal(COUNTERS("maps", iommu_map)->moves, 0);
  machine("mapping");
  PARAMS("maps", iommu_map)->cpus = TEST_CPUS - 1;
  struct session s = *machine_session();
  assert_int_equal(session_open(&s), SIM_BAD_PARAM);
}

/* With an interval of 1 ps, a call to map would have 250 million moves to make up for. */
TEST(moves_between_two_calls_are_limited) {
  static const uint64_t program[] = {
      ROW(SPEND, 0, 0, 0, 250 * US, 0, 0), ROW(MAP, 0x40000, 0, 8192, 0, 0, NO_TAG), END_ROW};
  machine("mapping");
  PARAMS("maps", iommu_map)->cpus = 16, PARAMS("maps", iommu_map)->balance = 1;
  OPEN_ON(program, 1);
  session_run();
  assert_int_equal(COUNTERS("maps", iommu_map)->moves, 4096);
}

/* A stride spreads the threads over cores; the ones that wrap around begin on other CPUs. */
TEST(each_thread_begins_on_a_cpu_of_its_own) {
  static const uint32_t first[] = {0, 8, 1, 9};
  machine("mapping");
  PARAMS("maps", iommu_map)->cpus = 16, PARAMS("maps", iommu_map)->cpu_stride = 8;
  OPEN_ON(nothing, TEST_CPUS);
  for (uint32_t i = 0; i < TEST_CPUS; i++) assert_int_equal(threads()[i].cpu, first[i]);
}

TEST(requests_above_the_cutoff_go_to_the_large_pool) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 8 * 8192, 0, 0, NO_TAG), END_ROW};
  for (uint32_t cutoff = 7; cutoff <= 8; cutoff++) {
    machine("mapping");
    PARAMS("maps", iommu_map)->large = IOMMU_MAP_LARGE_LINUX;
    PARAMS("maps", iommu_map)->large_cutoff = cutoff;
    OPEN_ON(program, 1);
    session_run();
    const struct iommu_map_pools *pools = map_view_of(MAPPER, IOMMU_MAP_VIEW_POOLS);
    assert_int_equal(pools[MAP_LARGE].acquisitions, cutoff == 7);
  }
}

/* Four threads map at once under one lock, without unmapping and with it. */
TEST(contention_is_counted_by_call) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, NO_TAG), END_ROW};
  machine("mapping");
  PARAMS("maps", iommu_map)->pools = 1;
  OPEN_ON(program, TEST_CPUS);
  session_run();
  const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
  EXPECT_VALUES({c->contentions, 3}, {c->map_contentions, 3}, {c->unmap_contentions, 0});
  static const uint64_t both[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 3), ROW(SPEND, 0, 0, 0, 50 * US, 0, 0),
      ROW(UNMAP, 0x80000000, 0, 8192, 0, 0, NO_TAG), END_ROW};
  machine("mapping");
  PARAMS("maps", iommu_map)->pools = 1;
  PARAMS("maps", iommu_map)->demap_call = 0;
  OPEN_ON(both, TEST_CPUS);
  session_run();
  c = COUNTERS("maps", iommu_map);
  EXPECT_VALUES({c->map_contentions + c->unmap_contentions, c->contentions}, {c->map_contentions, 3});
}

/* Two packets of three buffers: under the old code a list takes the lock once to map and once to unmap, and
 * as long as its buffers; outside the lock each buffer takes it. */
TEST(a_list_takes_the_lock_once) {
  static const uint64_t program[] = {ROW(SEND, 0, 0, 1024, 0, 0, 0), ROW(SEND, 0, 0, 1024, 0, 0, 0),
      ROW(SPEND, 0, 0, 0, 900 * US, 0, 0), ROW(SEND, 0, 0, 1024, 0, 0, 0), END_ROW};
  uint64_t held[2];
  for (uint32_t lists = 0; lists < 2; lists++)
    for (uint32_t outside = 0; outside < 2; outside++) {
      network();
      PARAMS("maps", iommu_map)->pools = 1;
      PARAMS("maps", iommu_map)->scope = outside ? IOMMU_MAP_SCOPE_OUTSIDE : IOMMU_MAP_SCOPE_INSIDE;
      PARAMS("stack", net_driver)->senders = TEST_CPUS;
      PARAMS("stack", net_driver)->buffers = 3, PARAMS("stack", net_driver)->batch = 2;
      PARAMS("stack", net_driver)->lists = lists;
      OPEN_ON(program, 1);
      session_run();
      const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
      EXPECT_VALUES(
          {c->maps, 9}, {c->unmaps, 6}, {c->acquisitions, lists && !outside ? 5 : 15}, {c->contentions, 0});
      if (!outside) held[lists] = c->hold_time;
    }
  assert_int_equal(held[0], held[1]);
}
