/* Three processors behind caches on a memory bus of 10 ns. For tests in C. */
#ifndef SIM_MEMORY_BUS_MACHINE_H
#define SIM_MEMORY_BUS_MACHINE_H

#include "test/testing.h"

#define NS 1000ull
#define ROW(op, at, bytes, width, time) PROCESSOR_OP_##op, at, at, bytes, width, time, 0, 0
#define END ROW(END, 0, 0, 4, 0)
#define PROGRAM(name, ...) static const uint64_t name[] = {__VA_ARGS__, END}

enum { BUS, MEMORY, CPU, CACHE = CPU + 3, PARTS = CACHE + 3 };

struct rig {
  struct memory_bus_params bus;
  struct memory_params memory;
  struct processor_params cpu;
  struct data_cache_params cache[3];
  const uint64_t *program[3];
  uint32_t rows[3];
};

static inline struct rig rig_of(const uint64_t *a, size_t as, const uint64_t *b, size_t bs, const uint64_t *c, size_t cs) {
  struct rig r = {MEMORY_BUS_DEFAULTS, MEMORY_DEFAULTS, PROCESSOR_DEFAULTS, {DATA_CACHE_DEFAULTS, DATA_CACHE_DEFAULTS, DATA_CACHE_DEFAULTS}, {a, b, c}, {(uint32_t)as / 64, (uint32_t)bs / 64, (uint32_t)cs / 64}};
  r.bus.clock = 100000000, r.memory.latency = 10 * NS, r.memory.bandwidth = 1000000000000;
  r.cpu.access_time = 1;
  return r;
}
PROGRAM(nothing, ROW(SPEND, 0, 0, 4, 1));
#define RIG(a, b, c) rig_of(a, sizeof(a), b, sizeof(b), c, sizeof(c))

static inline void opened(const struct rig *r) {
  struct session s = session_new(PARTS, 7, 12);
  session_part(&s, SIM_TYPE_MEMORY_BUS, (const uint64_t *)&r->bus, sizeof r->bus / 8);
  session_part(&s, SIM_TYPE_MEMORY, (const uint64_t *)&r->memory, sizeof r->memory / 8);
  for (uint32_t i = 0; i < 3; i++) {
    session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&r->cpu, sizeof r->cpu / 8);
    session_table(&s, r->program[i], r->rows[i], 8);
  }
  for (uint32_t i = 0; i < 3; i++) session_part(&s, SIM_TYPE_DATA_CACHE, (const uint64_t *)&r->cache[i], sizeof r->cache[i] / 8);
  session_wire(&s, BUS, MEMORY_BUS_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  for (uint32_t i = 0; i < 3; i++) {
    session_wire(&s, CPU + i, PROCESSOR_PORT_CACHE, CACHE + i, DATA_CACHE_PORT_CPU);
    session_wire(&s, CACHE + i, DATA_CACHE_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + i);
  }
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(test_engine(), 1);
}

/* What each master has had is together what the bus was busy for, and what each has waited for each other, all that was waited. */
static inline void assert_accounts(void) {
  uint32_t rows;
  const struct memory_bus_masters *master = checked_view(test_engine(), BUS, MEMORY_BUS_VIEW_MASTERS, &rows);
  const struct memory_bus_waits *waits = checked_view(test_engine(), BUS, MEMORY_BUS_VIEW_WAITS, &rows);
  const struct memory_bus_counters *c = SIM_COUNTERS(test_engine(), BUS, memory_bus);
  uint64_t had = 0, waited = 0;
  for (uint32_t i = 0; i < 12; i++) {
    uint64_t own = 0;
    for (uint32_t k = 0; k < 12; k++) own += waits[i * 12 + k].time;
    assert_int_equal(master[i].in_wait, own);
    had += master[i].had, waited += own;
  }
  assert_int_equal(had, c->busy);
  assert_int_equal(waited, c->waited);
}

static inline void run(const struct rig *r) {
  opened(r);
  session_run();
  assert_sound();
  assert_accounts();
}

#define BUS_COUNT(name) (SIM_COUNTERS(test_engine(), BUS, memory_bus)->name)
#define CACHE_COUNT(cache, name) (SIM_COUNTERS(test_engine(), CACHE + (cache), data_cache)->name)

static inline uint64_t waited(uint32_t who, uint32_t for_whom) {
  uint32_t rows;
  const struct memory_bus_waits *waits = checked_view(test_engine(), BUS, MEMORY_BUS_VIEW_WAITS, &rows);
  return waits[who * 12 + for_whom].time;
}

/* What memory holds at an address: 0 until somebody has written. */
static inline uint32_t holds(uint32_t address) {
  uint32_t rows;
  const struct memory_cells *cells = checked_view(test_engine(), MEMORY, MEMORY_VIEW_CELLS, &rows);
  return cells[address / 4].write;
}

/* When the last event was, but for the picoseconds of the processors themselves. */
static inline uint64_t end_ns(void) { return test_engine()->time / NS; }

#endif
