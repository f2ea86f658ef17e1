/* A data cache on a memory bus: replacement, stale loads, snoops and the uncached window. A bus cycle takes
 * 10 ns, reading a line of eight words 100 ns and a word 30 ns. */
#include "test/testing.h"

#define NS 1000ull
#define ENGINE test_engine()
#define ROW(op, at, bytes, time) PROCESSOR_OP_##op, at, at, bytes, bytes, time, 0, 0
#define LOAD(at, bytes) ROW(LOAD, at, bytes, 0)
#define STORE(at, bytes) ROW(STORE, at, bytes, 0)
#define FLUSH(at, bytes) ROW(FLUSH, at, bytes, 0)
#define PURGE(at, bytes) ROW(PURGE, at, bytes, 0)
#define END ROW(END, 0, 4, 0)
#define RUN(params, ...)                                  \
  do {                                                    \
    static const uint64_t program[] = {__VA_ARGS__, END}; \
    run(params, program, sizeof program / 64);            \
  } while (0)

enum { BUS, MEMORY, CPU, CACHE };
#define COUNT(name) (SIM_COUNTERS(ENGINE, CACHE, data_cache)->name)
#define LINE_AT(row) data_cache_line_at(OF(CACHE, data_cache), row)

/* 16 sets of two lines of 32 B: addresses 512 B apart share a set. */
static struct data_cache_params two_ways(void) {
  struct data_cache_params q = DATA_CACHE_DEFAULTS;
  q.size = 1024, q.ways = 2;
  return q;
}

static void run(const struct data_cache_params *q, const uint64_t *program, uint32_t rows) {
  struct memory_bus_params bus = MEMORY_BUS_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  struct processor_params cpu = PROCESSOR_DEFAULTS;
  bus.clock = 100000000, memory.latency = 10 * NS, memory.bandwidth = 1000000000000, memory.written = 1;
  cpu.access_time = NS;
  struct session s = session_new(4, 3, 12);
  session_part(&s, SIM_TYPE_MEMORY_BUS, (const uint64_t *)&bus, sizeof bus / 8);
  session_part(&s, SIM_TYPE_MEMORY, (const uint64_t *)&memory, sizeof memory / 8);
  session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
  session_table(&s, program, rows, 8);
  session_part(&s, SIM_TYPE_DATA_CACHE, (const uint64_t *)q, sizeof *q / 8);
  session_wire(&s, BUS, MEMORY_BUS_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(&s, CPU, PROCESSOR_PORT_CACHE, CACHE, DATA_CACHE_PORT_CPU);
  session_wire(&s, CACHE, DATA_CACHE_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(ENGINE, 1);
  session_run();
}

static uint32_t state_of(uint64_t address) {
  int there;
  uint32_t row = data_cache_find(
      OF(CACHE, data_cache), data_cache_tag(SIM_CONTEXT(ENGINE, CACHE, data_cache), address), &there);
  return there ? LINE_AT(row)->state : DATA_CACHE_LINE_INVALID;
}

/* Memory starts with a write number per word, from 1. */
static uint32_t first_write(uint64_t address) { return (uint32_t)(address / 4) + 1; }

/* The least recently used line is evicted, but an invalid one is used first. */
TEST(the_least_recently_used_line_is_evicted) {
  const struct data_cache_params q = two_ways();
  RUN(&q, LOAD(0, 4), LOAD(512, 4), LOAD(4, 4), LOAD(1024, 4), LOAD(8, 4), LOAD(512, 4));
  assert_int_equal(COUNT(hits), 2); /* line 0 twice; 512 was evicted for 1024 */
  assert_int_equal(COUNT(misses), 4);
  assert_int_equal(state_of(1024), DATA_CACHE_LINE_INVALID);
  assert_int_equal(COUNT(write_backs), 0);
  RUN(&q, LOAD(0, 4), LOAD(512, 4), LOAD(1024, 4), LOAD(512, 4));
  assert_int_equal(COUNT(hits), 1); /* 512; line 0 was evicted */
  assert_int_equal(state_of(0), DATA_CACHE_LINE_INVALID);
  RUN(&q, LOAD(0, 4), LOAD(512, 4), PURGE(512, 4), LOAD(1024, 4), LOAD(0, 4));
  assert_int_equal(COUNT(hits), 1); /* line 0 is older, but the other way was free */
  assert_int_equal(COUNT(misses), 3);
  RUN(&q, LOAD(0, 4), LOAD(512, 4), PURGE(0, 4), LOAD(1024, 4), LOAD(512, 4));
  assert_int_equal(COUNT(hits), 1);
  RUN(&q, LOAD(0, 4), LOAD(512 + 32, 4), LOAD(1024 + 32, 4), LOAD(1536 + 32, 4), LOAD(4, 4));
  assert_int_equal(COUNT(hits), 1);                                             /* another set */
  RUN(&q, STORE(0, 4), STORE(512, 4), STORE(4, 4), STORE(1024, 4), LOAD(0, 4)); /* stores are uses, too */
  EXPECT_VALUES({COUNT(hits), 2}, {COUNT(write_backs), 1});
  assert_int_equal(state_of(0), DATA_CACHE_LINE_MODIFIED);
}

/* Addresses 64 to 127 are uncached, their neighbours are not. An uncached load returns what memory holds, and
 * a store goes to memory at once. A flush does nothing there. */
TEST(a_window_is_not_cached) {
  struct data_cache_params q = two_ways();
  q.uncached_from = 64, q.uncached = 64;
  RUN(&q, LOAD(60, 4), LOAD(64, 4), LOAD(124, 4), LOAD(128, 4));
  EXPECT_VALUES({COUNT(uncached), 2}, {COUNT(misses), 2}, {ENGINE->time, (100 + 30 + 30 + 100 + 4) * NS});
  RUN(&q, LOAD(68, 4));
  assert_int_equal(data_cache_now_of(OF(CACHE, data_cache))->write, first_write(68));
  RUN(&q, STORE(124, 4), FLUSH(64, 32));
  assert_int_equal(COUNT(uncached), 1);
  uint32_t rows;
  const struct memory_cells *cells = checked_view(ENGINE, MEMORY, MEMORY_VIEW_CELLS, &rows);
  for (uint32_t at = 56; at < 136; at += 4)
    assert_int_equal(cells[at / 4].write == first_write(at), at != 124);
  assert_int_equal(cells[31].write, ENGINE->writes);
}

static uint32_t snooped(uint64_t address, uint32_t bytes, uint64_t *at, uint32_t *write) {
  struct shared_bus_snoop q = {.address = address, .bytes = bytes};
  uint32_t answer = data_cache_bus_snoop(OF(CACHE, data_cache), &q);
  *at = q.address, *write = q.write;
  return answer;
}

/*
 * Of four lines the first and the fourth are modified, the second is clean. Another master accesses the last
 * word of the first up to the first word of the fourth. The first line is pushed, then the second invalidated
 * and the fourth pushed. The lines around them stay.
 */
TEST(a_snoop_gives_up_the_lines_that_it_touches) {
  struct data_cache_params q = two_ways();
  RUN(&q, STORE(64, 4), LOAD(96, 4), STORE(160, 4), STORE(32, 4), LOAD(192, 4));
  uint64_t at;
  uint32_t write, end = 164, writes = (uint32_t)ENGINE->writes;
  ENGINE->cause = 0;
  assert_int_equal(snooped(92, end - 92, &at, &write), 32);
  assert_int_equal(at, 64);
  assert_int_equal(write, writes - 2); /* the first of three stores */
  assert_int_equal(COUNT(invalidated), 1);
  assert_int_equal(snooped(96, end - 96, &at, &write), 32);
  EXPECT_VALUES({at, 160}, {write, writes - 1}, {COUNT(invalidated), 3});
  assert_int_equal(snooped(192 - 32, 32, &at, &write), 0);
  assert_int_equal(state_of(32), DATA_CACHE_LINE_MODIFIED);
  assert_int_equal(state_of(192), DATA_CACHE_LINE_EXCLUSIVE);
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
  static const struct {
    uint64_t at;
    uint32_t state;
  } expected[] = {
      {64, DATA_CACHE_LINE_MODIFIED}, {96, DATA_CACHE_LINE_EXCLUSIVE}, {160, DATA_CACHE_LINE_MODIFIED}};
  uint32_t n = 0;
  for (uint32_t i = 0; i < sim_refresh_header(ENGINE)->seq_lo; i++)
    if (ring[i].part == CACHE && ring[i].kind == DATA_CACHE_EV_GIVES_UP)
      assert_int_equal(ring[i].a, expected[n].at), assert_int_equal(ring[i].b, expected[n].state), n++;
  assert_int_equal(n, 3);
  assert_int_equal(sim_command(ENGINE, CACHE, DATA_CACHE_PARAM_SNOOPS, 0), SIM_OK);
  assert_int_equal(snooped(32, 32, &at, &write), 0); /* snooping is off */
  assert_int_equal(state_of(32), DATA_CACHE_LINE_MODIFIED);
}

static uint32_t asked(uint32_t op, uint64_t address, uint32_t *write) {
  struct cache_access q = {.op = op, .address = address, .bytes = 4};
  uint32_t answer = data_cache_cpu_access(OF(CACHE, data_cache), &q);
  *write = q.write;
  return answer;
}

/* Line 0 is clean and memory has since been written. A load of the line counts as stale; accesses to a
 * modified line do not. */
TEST(a_load_of_a_stale_line_is_recorded) {
  const struct data_cache_params q = two_ways();
  RUN(&q, LOAD(0, 4), LOAD(32, 4));
  uint32_t got;
  ENGINE->cause = 0;
  assert_int_equal(asked(CACHE_OP_LOAD, 8, &got), 1);
  EXPECT_VALUES({got, first_write(0)}, {COUNT(old), 0});
  for (uint64_t line = 0; line < 64; line += 32)
    memory_bridge_write(OF(MEMORY, memory),
        &(struct memory_write){
            .address = line, .bytes = 4, .when = SIM_NEVER, .writes = (uint32_t[]){900001}});
  assert_int_equal(asked(CACHE_OP_LOAD, 8, &got), 1);
  assert_int_equal(got, first_write(0)); /* still the cached value */
  assert_int_equal(COUNT(old), 1);
  const struct sim_record *old =
      (const struct sim_record *)sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at) + ENGINE->seq - 1;
  EXPECT_VALUES({old->kind, DATA_CACHE_EV_OLD}, {old->a, 0}, {old->b, first_write(0)}, {old->c, 900001});
  assert_int_equal(asked(CACHE_OP_STORE, 32, &got), 1);
  assert_int_equal(asked(CACHE_OP_LOAD, 32, &got), 1);
  EXPECT_VALUES({got, ENGINE->writes}, {COUNT(old), 1});
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(asked(i ? CACHE_OP_EVICT : CACHE_OP_SYNC, 4096, &got), 1); /* no operation is pending */
  EXPECT_VALUES({COUNT(hits), 4}, {COUNT(misses), 2});
}

/* The state codec covers state, tag, write and age of each valid line, and only the state of an
 * invalid one. */
TEST(each_line_is_serialized) {
  const struct data_cache_params q = two_ways();
  RUN(&q, LOAD(64, 4));
  for (uint32_t row = 0; row < 32; row++) {
    *LINE_AT(row) = (struct data_cache_lines){
        .state = DATA_CACHE_LINE_EXCLUSIVE, .tag = 70 + row, .write = 80 + row, .age = 90 + row};
    KEEPS(CACHE, &LINE_AT(row)->state, &LINE_AT(row)->tag, &LINE_AT(row)->write, &LINE_AT(row)->age);
    LINE_AT(row)->state = DATA_CACHE_LINE_INVALID;
    KEEPS_NOT(CACHE, &LINE_AT(row)->tag, &LINE_AT(row)->write, &LINE_AT(row)->age);
  }
}
