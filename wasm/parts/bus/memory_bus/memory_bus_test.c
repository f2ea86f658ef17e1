/*
 * A memory bus with processors behind caches; times computed by hand, in nanoseconds. A cycle takes 10 ns. A
 * transaction has an address cycle, a memory cycle if it reads, and a cycle per word. So a word takes 30 to
 * read and 20 to write, and a line of eight words 100 and 90. The processor adds one picosecond per access.
 */
#include "test/memory_bus.h"

PROGRAM(loads_line, ROW(LOAD, 0, 32, 32, 0));
PROGRAM(stores_line, ROW(STORE, 0, 32, 32, 0));

/* A cached line takes one address cycle, one memory cycle and eight beats; uncached it takes eight single
 * words. A store miss fetches the line and writes nothing to memory. */
TEST(a_line_is_one_access_and_eight_without_a_cache) {
  PROGRAMS(loads_line, nothing, nothing);
  run();
  assert_int_equal(BUS_COUNT(busy), 100 * NS), assert_int_equal(BUS_COUNT(reads), 1);
  PARAMS("cache0", data_cache)->uncached = 64;
  run();
  assert_int_equal(BUS_COUNT(busy), 240 * NS), assert_int_equal(BUS_COUNT(reads), 8),
      assert_int_equal(CACHE_COUNT("cache0", uncached), 1);
  PROGRAMS(stores_line, nothing, nothing);
  run();
  assert_int_equal(BUS_COUNT(busy), 100 * NS), assert_int_equal(BUS_COUNT(writes), 0),
      assert_int_equal(holds(0), 0);
  PARAMS("cache0", data_cache)->uncached = 64;
  run();
  assert_int_equal(BUS_COUNT(busy), 160 * NS), assert_int_equal(BUS_COUNT(writes), 8),
      assert_true(holds(0) > 0), assert_int_equal(holds(28), holds(0));
}

/*
 * Both processors request eight words at time 0. With round-robin arbitration they alternate word by word:
 * the first waits seven times, the second eight. With fixed priority the first moves all its words before the
 * second moves any.
 */
TEST(round_robin_alternates_words_and_priority_does_not) {
  PROGRAMS(loads_line, loads_line, nothing);
  PARAMS("cache0", data_cache)->uncached = PARAMS("cache1", data_cache)->uncached = 64;
  run();
  assert_int_equal(waited(0, 1), 210 * NS), assert_int_equal(waited(1, 0), 240 * NS);
  assert_int_equal(BUS_COUNT(busy), 480 * NS), assert_int_equal(BUS_COUNT(waits), 2),
      assert_int_equal(end_ns(), 480);
  assert_int_equal(CACHE_COUNT("cache0", waited), 210 * NS),
      assert_int_equal(CACHE_COUNT("cache1", waited), 240 * NS);
  PARAMS("bus", memory_bus)->arbiter = MEMORY_BUS_ARBITER_PRIORITY;
  run();
  assert_int_equal(waited(0, 1), 0), assert_int_equal(waited(1, 0), 240 * NS),
      assert_int_equal(end_ns(), 480);
}

/*
 * The first master has the bus to itself and moves its words back to back, until the second requests it at
 * 100. The fourth word, then under way, ends at 120. The second moves its line from 120 to 220; the first
 * moves its remaining four words until 340.
 */
TEST(a_late_request_waits_for_the_access_under_way) {
  PROGRAM(late, ROW(SPEND, 0, 0, 4, 100 * NS), ROW(LOAD, 64, 32, 32, 0));
  PROGRAMS(loads_line, late, nothing);
  PARAMS("cache0", data_cache)->uncached = 64;
  run();
  assert_int_equal(waited(1, 0), 20 * NS), assert_int_equal(waited(0, 1), 100 * NS);
  assert_int_equal(end_ns(), 340);
  EXPECT_EVENTS(BUS, {0, MEMORY_BUS_EV_START, 0, MEMORY_BUS_STATE_READ, MEMORY_BUS_PORT_MASTER, 0},
      {100 * NS, MEMORY_BUS_EV_WAITS, 64, MEMORY_BUS_PORT_MASTER, MEMORY_BUS_PORT_MASTER + 1,
          BECAUSE(part_named("cache0") + 1, DATA_CACHE_EV_MISS)},
      {120 * NS, MEMORY_BUS_EV_START, 64, MEMORY_BUS_STATE_READ, MEMORY_BUS_PORT_MASTER + 1,
          BECAUSE(BUS, MEMORY_BUS_EV_WAITS)},
      {220 * NS, MEMORY_BUS_EV_START, 16, MEMORY_BUS_STATE_READ, MEMORY_BUS_PORT_MASTER,
          BECAUSE(BUS, MEMORY_BUS_EV_START)},
      {340 * NS, MEMORY_BUS_EV_IDLE, 0, 0, 0, BECAUSE(BUS, MEMORY_BUS_EV_START)});
}

/* The second processor reads a line that is modified in the first cache. With snooping the line is first
 * written to memory, which takes 90 more, and invalidated in the first cache. */
TEST(a_modified_line_goes_to_memory_before_another_reads_it) {
  PROGRAM(late, ROW(SPEND, 0, 0, 4, 1000 * NS), ROW(LOAD, 0, 32, 32, 0));
  PROGRAMS(stores_line, late, nothing);
  run();
  assert_int_equal(BUS_COUNT(pushes), 1), assert_int_equal(CACHE_COUNT("cache0", invalidated), 1),
      assert_true(holds(0) > 0);
  assert_int_equal(BUS_COUNT(busy), (100 + 90 + 100) * NS), assert_int_equal(end_ns(), 1190);
  PARAMS("cache0", data_cache)->snoops = 0;
  run();
  assert_int_equal(BUS_COUNT(pushes), 0), assert_int_equal(CACHE_COUNT("cache0", invalidated), 0),
      assert_int_equal(holds(0), 0);
  assert_int_equal(BUS_COUNT(busy), 200 * NS);
}

/*
 * The first cache has lines of 16 B: three stored to, and one between them only loaded (60 to fetch each).
 * The line of the second cache covers all four. The three modified lines are written first, 50 each, and then
 * its own 64 B take 180.
 */
TEST(each_short_line_in_a_long_one_goes_to_memory_first) {
  PROGRAM(four, ROW(STORE, 0, 32, 16, 0), ROW(LOAD, 32, 16, 16, 0), ROW(STORE, 48, 16, 16, 0));
  PROGRAM(late, ROW(SPEND, 0, 0, 4, 1000 * NS), ROW(LOAD, 0, 32, 32, 0));
  PROGRAMS(four, late, nothing);
  PARAMS("cache0", data_cache)->line = 16, PARAMS("cache1", data_cache)->line = 64;
  run();
  assert_int_equal(BUS_COUNT(pushes), 3), assert_int_equal(CACHE_COUNT("cache0", invalidated), 4),
      assert_int_equal(CACHE_COUNT("cache1", invalidated), 0);
  assert_int_equal(BUS_COUNT(busy), (4 * 60 + 3 * 50 + 180) * NS), assert_int_equal(end_ns(), 1330);
  for (uint32_t at = 0; at < 80; at += 4) assert_int_equal(holds(at) > 0, at < 32 || (at >= 48 && at < 64));
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t pushed = 0;
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++)
    if (ring[i].part == BUS && ring[i].kind == MEMORY_BUS_EV_PUSHED)
      assert_int_equal(ring[i].a, pushed == 2 ? 48 : 16 * pushed), assert_int_equal(ring[i].b, 16),
          assert_int_equal(ring[i].c, MEMORY_BUS_PORT_MASTER), pushed++;
  assert_int_equal(pushed, 3);
}

/* An uncached access to one word of a 64 B line that is modified in another cache. The whole line is written
 * first, 170; then the word takes 30 to read or 20 to write. */
TEST(an_uncached_word_in_a_modified_line_pushes_the_whole_line) {
  PROGRAM(reads, ROW(SPEND, 0, 0, 4, 1000 * NS), ROW(LOAD, 20, 4, 4, 0));
  PROGRAM(writes, ROW(SPEND, 0, 0, 4, 1000 * NS), ROW(STORE, 20, 4, 4, 0));
  for (uint32_t store = 0; store < 2; store++) {
    PROGRAMS(stores_line, nothing, nothing);
    if (store) machine_rows("cpu1", 0, ROWS(writes));
    else machine_rows("cpu1", 0, ROWS(reads));
    PARAMS("cache0", data_cache)->line = 64, PARAMS("cache1", data_cache)->uncached = 64;
    run();
    assert_int_equal(BUS_COUNT(pushes), 1), assert_int_equal(CACHE_COUNT("cache0", invalidated), 1);
    assert_int_equal(end_ns(), 1000 + 170 + (store ? 20 : 30));
    assert_true(holds(0) > 0);
    for (uint32_t at = 0; at < 64; at += 4) assert_int_equal(holds(at) != holds(0), store && at == 20);
    assert_int_equal(holds(64), 0);
  }
}

/* The third processor's modified line is pushed from 1000 to 1090. The second requests the bus meanwhile and
 * gets it for 100 at 1120, after the first word of the first. The remaining seven words take 210. */
TEST(a_request_during_a_push_waits_for_the_access_after_it) {
  PROGRAM(reads, ROW(SPEND, 0, 0, 4, 1000 * NS), ROW(LOAD, 0, 32, 32, 0));
  PROGRAM(late, ROW(SPEND, 0, 0, 4, 1050 * NS), ROW(LOAD, 64, 32, 32, 0));
  PROGRAMS(reads, late, stores_line);
  PARAMS("cache0", data_cache)->uncached = 64;
  run();
  assert_int_equal(waited(1, 0), 70 * NS), assert_int_equal(waited(0, 1), 100 * NS),
      assert_int_equal(BUS_COUNT(waited), 170 * NS);
  assert_int_equal(end_ns(), 1430), assert_int_equal(BUS_COUNT(pushes), 1);
}

/* An uncached store writes to a line that is clean in another cache. With snooping the line is invalidated;
 * without, the second load hits the stale line, which is counted. */
TEST(a_cache_that_does_not_snoop_reads_stale_data) {
  PROGRAM(twice, ROW(LOAD, 0, 32, 32, 0), ROW(SPEND, 0, 0, 4, 2000 * NS), ROW(LOAD, 0, 32, 32, 0));
  PROGRAM(between, ROW(SPEND, 0, 0, 4, 1000 * NS), ROW(STORE, 0, 32, 32, 0));
  PROGRAMS(twice, between, nothing);
  PARAMS("cache1", data_cache)->uncached = 64;
  run();
  assert_int_equal(CACHE_COUNT("cache0", misses), 2), assert_int_equal(CACHE_COUNT("cache0", old), 0);
  PARAMS("cache0", data_cache)->snoops = 0;
  run();
  assert_int_equal(CACHE_COUNT("cache0", misses), 1), assert_int_equal(CACHE_COUNT("cache0", hits), 1),
      assert_int_equal(CACHE_COUNT("cache0", old), 1);
}

/* A processor reads its own store from the cache, although memory gets it only with the write-back. */
TEST(a_processor_reads_its_own_store) {
  PROGRAM(both, ROW(STORE, 0, 32, 32, 0), ROW(LOAD, 0, 32, 32, 0));
  PROGRAMS(both, nothing, nothing);
  run();
  assert_int_equal(CACHE_COUNT("cache0", hits), 1), assert_int_equal(CACHE_COUNT("cache0", misses), 1),
      assert_int_equal(CACHE_COUNT("cache0", old), 0);
}

/* A direct-mapped cache with 16 lines of 64 B: addresses 1 KiB apart share a set. The modified victim is
 * written back before the other line is fetched. */
TEST(a_modified_victim_is_written_back) {
  PROGRAM(evicts, ROW(STORE, 0, 32, 32, 0), ROW(LOAD, 1024, 32, 32, 0));
  PROGRAMS(evicts, nothing, nothing);
  PARAMS("cache0", data_cache)->size = 1024, PARAMS("cache0", data_cache)->ways = 1,
                   PARAMS("cache0", data_cache)->line = 64;
  run();
  assert_int_equal(CACHE_COUNT("cache0", write_backs), 1), assert_int_equal(CACHE_COUNT("cache0", misses), 2),
      assert_true(holds(0) > 0), assert_int_equal(holds(60), holds(0));
  assert_int_equal(BUS_COUNT(busy), (180 + 170 + 180) * NS); /* 1 + 1 + 16 cycles, and 1 + 16 */
}

/* A flush writes the line to memory and a purge discards it; the next load misses after either. */
TEST(a_flush_writes_back_and_a_purge_does_not) {
  PROGRAM(flushes, ROW(STORE, 0, 32, 32, 0), ROW(FLUSH, 0, 32, 4, 0), ROW(LOAD, 0, 32, 32, 0));
  PROGRAM(purges, ROW(STORE, 0, 32, 32, 0), ROW(PURGE, 0, 32, 4, 0), ROW(LOAD, 0, 32, 32, 0));
  PROGRAMS(flushes, nothing, nothing);
  run();
  assert_int_equal(CACHE_COUNT("cache0", write_backs), 1), assert_int_equal(CACHE_COUNT("cache0", misses), 2),
      assert_true(holds(0) > 0);
  PROGRAMS(purges, nothing, nothing);
  run();
  assert_int_equal(CACHE_COUNT("cache0", write_backs), 0), assert_int_equal(CACHE_COUNT("cache0", misses), 2),
      assert_int_equal(holds(0), 0);
}

/* While the write-back of the victim waits for the bus, a third master writes to the same line. The line is
 * pushed to memory first and then overwritten; the late write-back must change nothing. */
TEST(a_victim_that_was_pushed_is_not_written_again) {
  PROGRAM(evicts, ROW(STORE, 0, 32, 32, 0), ROW(SPEND, 0, 0, 4, 1010 * NS), ROW(LOAD, 1024, 32, 32, 0));
  PROGRAM(holds_bus, ROW(SPEND, 0, 0, 4, 1100 * NS), ROW(LOAD, 2048, 32, 32, 0));
  PROGRAM(writes, ROW(SPEND, 0, 0, 4, 1105 * NS), ROW(STORE, 0, 32, 32, 0));
  PROGRAMS(writes, evicts, holds_bus);
  PARAMS("cache1", data_cache)->size = 1024, PARAMS("cache1", data_cache)->ways = 1;
  PARAMS("cache0", data_cache)->uncached = 64;
  run();
  assert_int_equal(BUS_COUNT(pushes), 1);
  assert_int_equal(holds(0), 2); /* the second write of the run */
}

TEST(memory_that_runs_out_is_an_error) {
  struct session s = session_new(2, 1, 12);
  const struct memory_bus_params bus = MEMORY_BUS_DEFAULTS;
  const struct memory_params memory = MEMORY_DEFAULTS;
  session_part(&s, SIM_TYPE_MEMORY_BUS, (const uint64_t *)&bus, sizeof bus / 8);
  session_part(&s, SIM_TYPE_MEMORY, (const uint64_t *)&memory, sizeof memory / 8);
  session_wire(&s, BUS, MEMORY_BUS_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  session_without_memory(&s);
}

/* In the middle of a line fetch, while another master waits: the state codec covers owner, last owner and
 * requests. */
TEST(owner_and_requests_are_serialized) {
  PROGRAMS(loads_line, stores_line, nothing);
  machine_open();
  sim_run(test_engine(), 50 * NS, SIM_NEVER);
  struct memory_bus_now *now = memory_bus_now_of(OF(BUS, memory_bus));
  assert_int_not_equal(now->state, MEMORY_BUS_STATE_IDLE);
  KEEPS(BUS, &now->state, &now->master, &now->last, &now->accesses);
  for (uint32_t i = 0; i < 2; i++) {
    memory_bus_row *row = memory_bus_row_of(OF(BUS, memory_bus), i);
    assert_true(row->wants);
    KEEPS(BUS, &row->wants, &row->left, &row->access, &row->gone, &row->write, &row->address, &row->first);
  }
  KEEPS(BUS, &memory_bus_row_of(OF(BUS, memory_bus), 2)->wants); /* no request */
  KEEPS_NOT(BUS, &memory_bus_row_of(OF(BUS, memory_bus), 2)->left,
      &memory_bus_row_of(OF(BUS, memory_bus), 2)->write, &memory_bus_row_of(OF(BUS, memory_bus), 2)->first);
}

/* The state codec covers the operation of a cache and its lines. An idle cache and invalid lines have no
 * further state. */
TEST(cache_lines_are_serialized) {
  PROGRAMS(nothing, nothing, nothing);
  PARAMS("cache0", data_cache)->size = 1024;
  run();
  sim *m = test_engine();
  struct data_cache_now *now = data_cache_now_of(m, SIM_CONTEXT(m, part_named("cache0"), data_cache));
  struct data_cache_lines *first = data_cache_line_at(m, SIM_CONTEXT(m, part_named("cache0"), data_cache), 0),
                          *last = data_cache_line_at(m, SIM_CONTEXT(m, part_named("cache0"), data_cache),
                              (uint32_t)(PARAMS("cache0", data_cache)->size
                                         / PARAMS("cache0", data_cache)->line)
                                  - 1);
  KEEPS(part_named("cache0"), &now->stage, &STATE_OF("cache0", data_cache)->age, &first->state, &last->state);
  KEEPS_NOT(part_named("cache0"), &now->op, &now->line, &now->write, &now->address, &now->end, &now->at,
      &first->tag, &first->write, &first->age, &last->tag, &last->write, &last->age);
  now->stage = first->state = last->state = 1;
  KEEPS(part_named("cache0"), &now->stage, &now->op, &now->line, &now->write, &now->address, &now->end,
      &now->at);
  KEEPS(part_named("cache0"), &first->tag, &first->write, &first->age, &last->tag, &last->write, &last->age);
}
