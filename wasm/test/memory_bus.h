/* The machine "memory-bus": three processors behind caches on a memory bus of 10 ns. For unit tests in C. */
#ifndef SIM_TEST_MEMORY_BUS_H
#define SIM_TEST_MEMORY_BUS_H

#include "test/testing.h"

#define NS 1000ull
#define ROW(op, at, bytes, width, time) PROCESSOR_OP_##op, at, at, bytes, width, time, 0, 0
#define END ROW(END, 0, 0, 4, 0)
#define PROGRAM(name, ...) static const uint64_t name[] = {__VA_ARGS__, END}

#define BUS part_named("bus")
#define MEMORY part_named("memory")
#define BUS_COUNT(name) (COUNTERS("bus", memory_bus)->name)
#define CACHE_COUNT(cache, name) (COUNTERS(cache, data_cache)->name)

PROGRAM(nothing, ROW(SPEND, 0, 0, 4, 1));

/* The programs of the three processors. */
#define PROGRAMS(first, second, third)     \
  do {                                     \
    machine("memory-bus");                 \
    machine_rows("cpu0", 0, ROWS(first));  \
    machine_rows("cpu1", 0, ROWS(second)); \
    machine_rows("cpu2", 0, ROWS(third));  \
  } while (0)

/* The masters' bus times add up to the bus's busy time, and their waits for each other to all waiting
 * time. */
static inline void assert_accounts(void) {
  uint32_t rows;
  const struct memory_bus_masters *master = checked_view(test_engine(), BUS, MEMORY_BUS_VIEW_MASTERS, &rows);
  const struct memory_bus_waits *waits = checked_view(test_engine(), BUS, MEMORY_BUS_VIEW_WAITS, &rows);
  const struct memory_bus_counters *c = COUNTERS("bus", memory_bus);
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

static inline void run(void) {
  machine_run();
  assert_accounts();
}

static inline uint64_t waited(uint32_t who, uint32_t for_whom) {
  uint32_t rows;
  const struct memory_bus_waits *waits = checked_view(test_engine(), BUS, MEMORY_BUS_VIEW_WAITS, &rows);
  return waits[who * 12 + for_whom].time;
}

/* The write number in memory at an address: 0 until the first write. */
static inline uint32_t holds(uint32_t address) {
  uint32_t rows;
  const struct memory_cells *cells = checked_view(test_engine(), MEMORY, MEMORY_VIEW_CELLS, &rows);
  return cells[address / 4].write;
}

/* The time of the last event, without the processors' picoseconds. */
static inline uint64_t end_ns(void) { return test_engine()->time / NS; }

#endif
