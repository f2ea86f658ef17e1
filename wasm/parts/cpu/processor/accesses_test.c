/*
 * How a processor spends time on accesses through a coherent cache: its own, and those of a service that it
 * calls. A hit takes 1 ns, also right after a miss. The bus is idle: a line arrives 41 cycles after its
 * request, 2 of arbitration, 33 of memory, 2 of arbitration and 4 of data.
 */
#include "test/walk_hsc.h"

#define NS 1000ull
#define START 10 * US /* cycle 1200: an edge of the bus clock */
#define UNTIL(time) ROW(UNTIL, 0, 0, 0, 4, time, 0, 0)
#define NEAR(time, expected) assert_in_range(time, (expected) - 1, (expected) + 1)

static const struct processor_counters *ran(const uint64_t *program, uint32_t values, uint64_t clock) {
  hp(1, 0);
  PARAMS("cpu0", processor)->access_time = 1 * NS, PARAMS("cpu0", processor)->clock = clock,
                 PARAMS("cpu0", processor)->nominal_clock = 120000000, PARAMS("cpu0", processor)->line = 32,
                 PARAMS("cache0", snoop_cache)->miss_time = 0;
  hp_does(0, (struct hp_program){program, values});
  hp_run();
  return COUNTERS("cpu0", processor);
}
#define RAN(program, clock) ran(program, sizeof(program) / 8, clock)

/* Four words from the middle of a line to the middle of the next: two misses and two hits. The row adds 3 ns
 * of work after each word. */
TEST(the_processor_waits_for_misses_only) {
  static const uint64_t loads[] = {UNTIL(START), ROW(LOAD, BASE + 24, 0, 16, 4, 3 * NS, 0, 0), END},
                        stores[] = {UNTIL(START), ROW(STORE, 0, BASE + 24, 16, 4, 3 * NS, 0, 0), END},
                        one[] = {UNTIL(START), LOAD(BASE), LOAD(BASE + 28), END};
  for (uint32_t store = 0; store < 2; store++) {
    const struct processor_counters *c = store ? RAN(stores, 0) : RAN(loads, 0);
    EXPECT_VALUES(
        {c->accesses, 4}, {c->orders, 0}, {c->in_order, 0}, {c->in_access, 4 * 3 * NS + 2 * 1 * NS});
    assert_true(c->in_miss > CYCLES(80));
    assert_int_equal(test_engine()->time, START + c->in_access + c->in_miss);
  }
  const struct processor_counters *c = RAN(one, 0);
  NEAR(c->in_miss, CYCLES(41) + 1 * NS);
  EXPECT_VALUES({c->in_access, 1 * NS}, {c->accesses, 2});
}

/* Each row begins with a record of its own, which is the cause of nothing. */
TEST(rows_are_recorded_when_they_begin) {
  static const uint64_t program[] = {UNTIL(START), LOAD(BASE), LOAD(BASE + 4), END};
  RAN(program, 0);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  static const uint32_t ops[] = {PROCESSOR_OP_UNTIL, PROCESSOR_OP_LOAD, PROCESSOR_OP_LOAD};
  uint32_t n = 0, records = sim_refresh_header(test_engine())->seq_lo;
  for (uint32_t i = 0; i < records; i++) {
    if (ring[i].part != CPU(0) || ring[i].kind != PROCESSOR_EV_ROW) continue;
    for (uint32_t k = 0; k < records; k++) assert_true(ring[k].cause != i + 1);
    assert_true(n < 3);
    EXPECT_VALUES({ring[i].b, ops[n]}, {ring[i].c, n});
    n++;
  }
  assert_int_equal(n, 3);
}

/* At half the clock, hits and the row's work take twice as long, after a miss or not. The bus keeps its own
 * clock. */
TEST(hits_scale_with_the_clock_and_misses_do_not) {
  static const uint64_t program[] = {UNTIL(START), ROW(LOAD, BASE, 0, 8, 4, 3 * NS, 0, 0), END};
  const struct processor_counters *c = RAN(program, 60000000);
  assert_int_equal(c->in_access, 2 * (2 * 3 + 1) * NS);
  NEAR(c->in_miss, CYCLES(41) + 2 * NS);
}

/* Copies two words: loads and stores alternate, so each of the two lines is missed once and then hit once. */
TEST(a_copy_alternates_loads_and_stores) {
  static const uint64_t program[] = {UNTIL(START), ROW(COPY, BASE + 8, BASE + 0x1008, 8, 4, 0, 0, 0), END};
  const struct processor_counters *c = RAN(program, 0);
  EXPECT_VALUES({c->accesses, 4}, {c->in_access, 2 * 1 * NS});
  assert_true(c->in_miss > CYCLES(80));
  assert_int_equal(hp_cell(BASE + 0x1000).write, 0); /* only the cache holds it */
  assert_true(hp_cell(BASE + 0x1000).newest > 0);
  const struct sim_record *load = record_after(CACHE(0), SNOOP_CACHE_EV_MISS, 0),
                          *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  assert_non_null(load);
  const struct sim_record *store = record_after(CACHE(0), SNOOP_CACHE_EV_MISS, (uint32_t)(load - ring) + 1);
  assert_non_null(store);
  EXPECT_VALUES({load->a & ~31ull, BASE}, {store->a & ~31ull, BASE + 0x1000});
}

/* From the middle of a line to the middle of the next, two lines are flushed or purged, whatever their state.
 * A range that ends at the line's end covers one. Waiting for a flush or purge is not access time. */
TEST(whole_lines_are_flushed_and_purged) {
  static const struct {
    uint64_t from, bytes, lines;
  } cases[] = {{BASE + 16, 32, 2}, {BASE + 16, 16, 1}, {BASE + 16, 17, 2}, {BASE, 32, 1}, {BASE, 33, 2},
      {BASE, 0, 0}, {BASE + 31, 1, 1}, {BASE + 31, 2, 2}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t purge = 0; purge < 2; purge++) {
      const uint64_t program[] = {ROW(STORE, 0, BASE, 64, 4, 0, 0, 0), UNTIL(START),
          ROW(LAP, 0, 0, 0, 0, 0, 0, 0), purge ? PROCESSOR_OP_PURGE : PROCESSOR_OP_FLUSH, cases[i].from, 0,
          cases[i].bytes, 4, 0, 0, 0, ROW(SYNC, 0, 0, 0, 4, 0, 0, 0), ROW(LAP_END, 0, 0, 0, 0, 0, 0, 0), END};
      const struct processor_counters *c = RAN(program, 0);
      EXPECT_VALUES({c->orders, cases[i].lines}, {c->accesses, 16}, {c->lap_time, c->in_order},
          {c->in_access, 14 * NS});
    }
}

/* The row's work for each of the two flushed or purged lines counts as order time, although the cache needs
 * the bus. */
TEST(work_between_orders_counts_as_order_time) {
  for (uint32_t purge = 0; purge < 2; purge++) {
    uint64_t in_order[2];
    for (uint32_t timed = 0; timed < 2; timed++) {
      const uint64_t program[] = {ROW(STORE, 0, BASE, 64, 4, 0, 0, 0), UNTIL(START),
          purge ? PROCESSOR_OP_PURGE : PROCESSOR_OP_FLUSH, BASE, 0, 64, 4, timed ? 5 * US : 0, 0, 0, END};
      const struct processor_counters *c = RAN(program, 0);
      in_order[timed] = c->in_order;
      assert_int_equal(c->in_access, 14 * NS);
    }
    assert_in_range(in_order[1] - in_order[0], 2 * 5 * US - CYCLES(2),
        2 * 5 * US + CYCLES(2)); /* the bus may start at other edges */
  }
}

/* With a posted store under way, a sync waits until the store has its line, 41 cycles after issue. */
TEST(a_sync_waits_for_stores_under_way) {
  for (uint32_t waits = 0; waits < 2; waits++) {
    hp(1, 0);
    const uint64_t program[] = {UNTIL(START), ROW(LAP, 0, 0, 0, 0, 0, 0, 0), STORE(BASE),
        waits ? PROCESSOR_OP_SYNC : PROCESSOR_OP_SPEND, 0, 0, 0, 4, 0, 0, 0,
        ROW(LAP_END, 0, 0, 0, 0, 0, 0, 0), END};
    PARAMS("cpu0", processor)->access_time = 1 * NS, PARAMS("cache0", snoop_cache)->miss_time = 0,
                   PARAMS("cache0", snoop_cache)->store_queue = 2;
    hp_does(0, PROGRAM(program));
    hp_run();
    const struct processor_counters *c = COUNTERS("cpu0", processor);
    if (waits) assert_in_range(c->lap_time, CYCLES(41), CYCLES(42) + 2 * NS);
    else assert_int_equal(c->lap_time, 1 * NS);
    EXPECT_VALUES({c->in_order, c->lap_time - 1 * NS}, {c->in_miss, 0}, {c->accesses, 1}, {c->orders, 0});
  }
}

/* Rows after a sync that waited take their usual time. */
TEST(rows_after_a_sync_take_their_usual_time) {
  hp(1, 0);
  static const uint64_t program[] = {
      UNTIL(START), STORE(BASE), ROW(SYNC, 0, 0, 0, 4, 0, 0, 0), ROW(SPEND, 0, 0, 0, 4, 3 * US, 0, 0), END};
  PARAMS("cpu0", processor)->access_time = 1 * NS, PARAMS("cache0", snoop_cache)->miss_time = 0,
                 PARAMS("cache0", snoop_cache)->store_queue = 2;
  hp_does(0, PROGRAM(program));
  hp_run();
  EXPECT_VALUES({COUNTERS("cpu0", processor)->in_work, 3 * US}, {COUNTERS("cpu0", processor)->stores, 0});
  assert_in_range(test_engine()->time, START + CYCLES(41) + 3 * US, START + CYCLES(42) + 3 * US + 2 * NS);
}

/* The call of a service takes no time of the row itself. The service's store to the table is waited for like
 * any other: a miss, then the flush. */
TEST(stores_of_a_service_miss_and_are_flushed) {
  uint64_t busy[2], miss[2];
  for (uint32_t timed = 0; timed < 2; timed++) {
    const uint64_t program[] = {UNTIL(START), ROW(MAP, BASE, 0, PAGE, 4, timed ? 7 * US : 0, 0, 0), END};
    walking();
    machine_rows("cpu", 0, ROWS(program));
    opened();
    session_run();
    const struct processor_counters *c = COUNTERS("cpu", processor);
    assert_in_range(c->in_miss, CYCLES(41) + 25 * NS,
        CYCLES(42) + 25 * NS); /* up to the next edge, plus the processor's share */
    assert_true(c->in_order > 0);
    EXPECT_VALUES({c->accesses, 1}, {c->orders, 1});
    busy[timed] = test_engine()->time, miss[timed] = c->in_miss;
  }
  EXPECT_VALUES({busy[0], busy[1]}, {miss[0], miss[1]});
}
