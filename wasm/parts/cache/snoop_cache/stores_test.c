/* The store queue: when a processor stalls, and that many outstanding stores are neither lost nor
 * reordered. */
#include "test/hp.h"

#define SYNC ROW(SYNC, 0, 0, 0, 0, 0, 0, 0)
#define OTHER (BASE + 64)

static uint64_t waited(uint64_t queue, struct hp_program program) {
  hp(1, 0);
  PARAMS("cache0", snoop_cache)->store_queue = queue;
  hp_does(0, program);
  hp_run();
  return COUNTERS("cpu0", processor)->in_miss + COUNTERS("cpu0", processor)->in_order;
}

/* Stall times, in tenths of the time for one line. */
TEST(a_processor_stalls_on_a_full_queue_and_on_dependences) {
  static const uint64_t one[] = {STORE(BASE), END}, joined[] = {STORE(BASE), STORE(BASE + 16), END},
                        two[] = {STORE(BASE), STORE(OTHER), END};
  static const uint64_t read[] = {STORE(BASE), LOAD(BASE + 16), END}, flushed[] = {STORE(BASE), SYNC, END},
                        back[] = {STORE(BASE), STORE(OTHER), STORE(BASE), END};
  const struct {
    struct hp_program program;
    uint32_t tenths[3], misses, queued;
  } cases[] = {{PROGRAM(one), {10, 0, 0}, 1, 1}, {PROGRAM(joined), {10, 0, 0}, 1, 2},
      {PROGRAM(two), {20, 10, 0}, 2, 2}, {PROGRAM(read), {10, 10, 10}, 1, 1},
      {PROGRAM(flushed), {10, 10, 10}, 1, 1}, {PROGRAM(back), {20, 10, 10}, 2, 2}};
  const uint64_t line = waited(0, cases[0].program);
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint64_t queue = 0; queue < 3; queue++) {
      uint64_t time = waited(queue, cases[i].program);
      const uint32_t tenths = cases[i].tenths[queue];
      assert_in_range(time * 10 / line + 2, tenths, tenths + 4);
      assert_int_equal(COUNTERS("cache0", snoop_cache)->misses, cases[i].misses);
      assert_int_equal(COUNTERS("cache0", snoop_cache)->queued, queue ? cases[i].queued : 0);
      assert_int_equal(COUNTERS("runway", runway)->read_private, cases[i].misses);
    }
}

#define CPUS 3u
#define ACCESSES 400u

/* Processors load, store and flush eight lines at full speed, in caches with room for four. */
TEST(many_outstanding_stores_are_not_lost_or_reordered) {
  static uint64_t rows[CPUS][(ACCESSES + 2) * 8];
  uint64_t random = 3, queued = 0;
  for (uint32_t run = 0; run < 24; run++) {
    uint32_t flushes[CPUS] = {0};
    hp(CPUS, 0);
    PARAMS("cache0", snoop_cache)->size = 128, PARAMS("cache0", snoop_cache)->store_queue = 1 + run % 4,
                     PARAMS("cache0", snoop_cache)->speculate = run % 3,
                     PARAMS("cache0", snoop_cache)->buffer = 1 + run % 2,
                     PARAMS("cache0", snoop_cache)->orders = run % 2;
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
      for (uint32_t i = 0; i < ACCESSES; i++) {
        uint64_t at = BASE + test_random(&random) % 16 * 16;
        const uint64_t load[] = {LOAD(at)}, store[] = {STORE(at)}, flush[] = {FLUSH(at)};
        uint32_t pick = test_random(&random) % 10;
        flushes[cpu] += pick == 9;
        memcpy(&rows[cpu][i * 8], pick < 5 ? store : pick < 9 ? load : flush, sizeof load);
      }
      static const uint64_t last[] = {SYNC, END};
      memcpy(&rows[cpu][ACCESSES * 8], last, sizeof last);
      machine_rows(HP_CPU[cpu], 0, rows[cpu], (ACCESSES + 2) * 8);
    }
    hp_run();
    assert_int_equal(sim_host_state(test_engine())->broken, 0);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
      assert_int_equal(SIM_COUNTERS(test_engine(), CACHE(cpu), snoop_cache)->stale_reads, 0);
      assert_int_equal(SIM_COUNTERS(test_engine(), CPU(cpu), processor)->accesses, ACCESSES - flushes[cpu]);
      assert_int_equal(SIM_COUNTERS(test_engine(), CPU(cpu), processor)->orders, flushes[cpu]);
      queued += SIM_COUNTERS(test_engine(), CACHE(cpu), snoop_cache)->queued;
    }
  }
  assert_true(queued > 24 * CPUS * ACCESSES / 10);
}

/* Two stores to one line, which may merge in the queue. After the flush memory holds both halves, each with
 * its own write number. */
TEST(a_merged_store_is_performed) {
  static const uint64_t program[] = {STORE(BASE), STORE(BASE + 16), SYNC, FLUSH(BASE), SYNC, END};
  for (uint64_t queue = 0; queue < 3; queue++) {
    hp(1, 0);
    PARAMS("cache0", snoop_cache)->store_queue = queue;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    const struct shadow_word first = hp_cell(BASE), second = hp_cell(BASE + 16);
    EXPECT_VALUES({first.write, first.newest}, {second.write, second.newest});
    assert_true(first.write > 0 && second.write > first.write);
  }
}

/* Six stores to six lines: for any size of the queue each line is requested once, in program order. */
TEST(lines_of_stores_are_requested_in_program_order) {
  static const uint64_t program[] = {STORE(BASE), STORE(BASE + 64), STORE(BASE + 128), STORE(BASE + 192),
      STORE(BASE + 256), STORE(BASE + 320), SYNC, END};
  for (uint64_t queue = 0; queue <= 4; queue++) {
    hp(1, 0);
    PARAMS("cache0", snoop_cache)->store_queue = queue;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
    uint32_t asked = 0;
    for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++)
      if (ring[i].part == BUS && ring[i].kind == RUNWAY_EV_START && ring[i].b == RUNWAY_TYPE_READ_PRIVATE)
        assert_int_equal(ring[i].a, BASE + 64 * asked++);
    EXPECT_VALUES({asked, 6}, {COUNTERS("cache0", snoop_cache)->queued, queue ? 6 : 0});
  }
}

/* A load that hits takes 5 ns of access time and no order time. A purge is an order and not an access. */
TEST(accesses_and_orders_are_timed_separately) {
  static const uint64_t loads[] = {LOAD(BASE), LOAD(BASE), LOAD(BASE + 16), END},
                        purges[] = {ROW(PURGE, BASE, 0, 4, 4, 0, 0, 0), END};
  hp(1, 0);
  PARAMS("cpu0", processor)->access_time = 5000;
  machine_rows("cpu0", 0, ROWS(loads));
  hp_run();
  const struct processor_counters *c = COUNTERS("cpu0", processor);
  EXPECT_VALUES({c->accesses, 3}, {c->in_access, 2 * 5000});
  assert_true(c->in_miss > 5000);
  assert_int_equal(c->in_order, 0);
  machine_rows("cpu0", 0, ROWS(purges));
  hp_run();
  c = COUNTERS("cpu0", processor);
  EXPECT_VALUES({c->orders, 1}, {c->accesses, 0}, {c->in_access + c->in_miss, 0});
  assert_true(c->in_order > 0);
}
