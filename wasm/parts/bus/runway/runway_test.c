/* The bus by hand: each figure is worked out beside its test, in cycles of 120 MHz. */
#include "test/hp.h"

#define LAP ROW(LAP, 0, 0, 0, 0, 0, 0, 0)
#define LAP_END ROW(LAP_END, 0, 0, 0, 0, 0, 0, 0)
#define LINES(from, n) ROW(LOAD, from, 0, (n) * 32, 32, 0, 0, 0)
#define EDGE 10000000ull /* 10 us are 1200 cycles: an edge of the clock */

/* Cycles that a round of one line for each of n readers takes, each with one load at a time. */
static uint64_t round_of(uint32_t n, uint64_t latency, uint64_t occupancy) {
  static uint64_t programs[HP_CPUS][16];
  uint64_t end[2];
  for (uint32_t twice = 0; twice < 2; twice++) {
    hp(n, 0);
    PARAMS("memory", memory_controller)->latency = latency;
    PARAMS("memory", memory_controller)->occupancy = occupancy;
    PARAMS("memory", memory_controller)->banks = 64;
    for (uint32_t i = 0; i < n; i++) { /* the readers are always in different banks */
      const uint64_t program[16] = {LINES(BASE + i * 0x10000 + i * 6 * 32, 300 * (1 + twice)), END};
      memcpy(programs[i], program, sizeof program);
      machine_rows(HP_CPU[i], 0, ROWS(programs[i]));
    }
    hp_run();
    end[twice] = test_engine()->time;
  }
  assert_int_equal(IN_CYCLES(end[1] - end[0]) % 300, 0);
  return IN_CYCLES(end[1] - end[0]) / 300;
}

/*
 * Arbitration 2, then memory's 275 ns from the address cycle on: 33, arbitration for the data 2, data 4, the
 * processor's share 2, and 1 for the load itself: 44. The address cycle and the six until the agents have
 * answered lie within memory's 33.
 */
static void one_reader_gets_a_line_in_44_cycles(void **state) {
  (void)state;
  assert_int_equal(round_of(1, 275000, 166667), 2 + 33 + 2 + 4 + 2 + 1);
}

/*
 * Data goes before requests. So n readers fall into step: all requests, one cycle each, pass while the first
 * line is being fetched (33), the bus is idle and arbitrates (2), and then the n lines come one after another
 * (4 n). Each reader asks again in 3 cycles, but the next request has to wait until the last line has come.
 * It begins at once then.
 */
static void readers_in_step_wait_for_the_first_line_and_the_data_of_all(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= HP_CPUS; n++) assert_int_equal(round_of(n, 275000, 166667), 33 + 2 + 4 * n);
}

/* Memory of 60 ns, or 7.2 cycles, has the first line before the last of eight has asked: no cycle is left
 * idle. */
static void with_fast_memory_a_line_takes_the_bus_five_cycles(void **state) {
  (void)state;
  assert_int_equal(round_of(8, 60000, 10000), 8 * (1 + 4));
  assert_int_equal(round_of(10, 60000, 10000), 10 * (1 + 4));
}

/*
 * Two processors read at once; processor 1 has the first turn, at cycle 2, and processor 0's address cycle is
 * the next. From another bank its data comes right behind the other's, 4 cycles after what one reader alone
 * waits for. From the same bank its access begins when the bank is free again, after 166.667 ns or 20 cycles,
 * at cycle 22: it is ready at 55, and then as ever.
 */
static void a_bank_that_is_taken_delays_the_next_read(void **state) {
  (void)state;
  static const uint64_t here[] = {LOAD(BASE), END};
  static const uint64_t same_bank[] = {LAP, LOAD(BASE + 16 * 32), LAP_END, END},
                        next_bank[] = {LAP, LOAD(BASE + 17 * 32), LAP_END, END};
  hp(2, 0);
  machine_rows("cpu1", 0, ROWS(here));
  machine_rows("cpu0", 0, ROWS(next_bank));
  hp_run();
  assert_int_equal(COUNTERS("cpu0", processor)->lap_time, CYCLES(44 + 4));
  machine_rows("cpu0", 0, ROWS(same_bank));
  hp_run();
  assert_int_equal(COUNTERS("cpu0", processor)->lap_time, CYCLES(2 + 20 + 33 + 2 + 4 + 2 + 1));
  assert_int_equal(COUNTERS("memory", memory_controller)->bank_waits, 1);
}

/*
 * The owner answers when it has seen the address cycle, 6 cycles after it, arbitrates (2), and puts address
 * and line on the bus (5). With the requester's arbitration (2), its share (2) and the load (1) that is 18,
 * where memory takes 44.
 */
static void another_cache_gives_a_line_in_18_cycles(void **state) {
  (void)state;
  static const uint64_t owner[] = {STORE(BASE), END}, reader[] = {SPEND(EDGE), LAP, LOAD(BASE), LAP_END, END};
  hp(2, 0);
  machine_rows("cpu0", 0, ROWS(owner));
  machine_rows("cpu1", 0, ROWS(reader));
  hp_run();
  assert_int_equal(COUNTERS("cpu1", processor)->lap_time, CYCLES(1200 + 2 + 6 + 2 + 5 + 2 + 1) - EDGE);
  /* Memory has the line as well now. */
  assert_int_equal(hp_cell(BASE).write, hp_cell(BASE).newest);
  assert_int_equal(COUNTERS("runway", runway)->copies, 1);
}

/* When a processor has the line that it loads 125 cycles from the start, which the other holds dirty or not
 * at all; that one may flush another line just before. */
static uint64_t loaded_beside_a_flush(int dirty, int flushes) {
  const uint64_t other[] = {STORE(dirty ? BASE : BASE + 32), SPEND(633333),
      flushes ? PROCESSOR_OP_FLUSH : PROCESSOR_OP_LOAD, BASE + (flushes ? 64 : 32), 0, 4, 4, 0, 0, 0, END},
                 loader[] = {SPEND(1041666), LOAD(BASE), END};
  hp(2, 0);
  machine_rows("cpu0", 0, other, sizeof other / sizeof *other);
  machine_rows("cpu1", 0, ROWS(loader));
  hp_run();
  const struct sim_record *filled = record_after(CACHE(1), SNOOP_CACHE_EV_FILLED, 0);
  return IN_CYCLES(filled->time);
}

/*
 * The flush has its address cycle at 122 and is answered 27 later. A read with its address at 127 would be
 * answered at 133 and is answered behind the flush, at 149. Memory has its line at 160 whatever the caches
 * say, so nobody sees it; the copy of an owner is late by 16.
 */
static void what_follows_a_flush_is_answered_after_it(void **state) {
  (void)state;
  assert_int_equal(loaded_beside_a_flush(0, 0), 127 + 33 + 2 + 4);
  assert_int_equal(loaded_beside_a_flush(0, 1), 127 + 33 + 2 + 4);
  assert_int_equal(loaded_beside_a_flush(1, 0), 127 + 6 + 2 + 5);
  assert_int_equal(loaded_beside_a_flush(1, 1), 122 + 27 + 2 + 5);
}

/*
 * Two processors store to their own halves of one line, without end. Whoever waits has its address cycle
 * right behind the copy that took the line from it. Six cycles later the owner has answered, two for
 * arbitration, five for the copy: the line changes hands every 13 cycles. Alone each would store once a
 * cycle.
 */
static void false_sharing_hands_a_line_over_every_13_cycles(void **state) {
  (void)state;
  static const uint64_t low[] = {
      ROW(REPEAT, 0, 0, 0, 0, 0, 400, 0), STORE(BASE), ROW(AGAIN, 0, 0, 0, 0, 0, 0, 0), END};
  static const uint64_t high[] = {
      ROW(REPEAT, 0, 0, 0, 0, 0, 400, 0), STORE(BASE + 16), ROW(AGAIN, 0, 0, 0, 0, 0, 0, 0), END};
  hp(2, 0);
  machine_rows("cpu0", 0, ROWS(low));
  machine_rows("cpu1", 0, ROWS(high));
  hp_run();
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  uint64_t last = 0, copies = 0;
  assert_true(d->seq_lo < d->trace_capacity);
  for (uint32_t i = 0; i < d->seq_lo; i++) {
    if (ring[i].part != BUS || ring[i].kind != RUNWAY_EV_START || ring[i].b != RUNWAY_TYPE_C2C_DATA) continue;
    if (++copies > 2) assert_int_equal(IN_CYCLES(ring[i].time - last), 6 + 2 + 5);
    last = ring[i].time;
  }
  assert_true(copies > 100);
  assert_int_equal(hp_cell(BASE).newest != hp_cell(BASE + 16).newest, 1);
}

#define STORES 40u

/*
 * A store to a device's register takes HSC 2 cycles of 25 ns and the bus 2 of 8.3: four processors fill the
 * adapter until it says so, at 16. Then nothing more is sent, and all that was on its way finds a place.
 */
static void stores_to_registers_wait_while_the_adapter_is_full(void **state) {
  (void)state;
  static uint64_t programs[4][(STORES + 1) * 8];
  hp(4, 1);
  for (uint64_t cpu = 0; cpu < 4; cpu++) {
    for (uint64_t i = 0; i < STORES; i++) { /* channel `cpu`: how many bytes */
      const uint64_t row[8] = {ROW(IO_STORE, 0, WINDOW(0) + cpu * 16 + 4, 0, 0, 0, 100 * cpu + i, 0)};
      memcpy(programs[cpu] + 8 * i, row, sizeof row);
    }
    const uint64_t end[8] = {END};
    memcpy(programs[cpu] + (STORES * 8), end, sizeof end);
    machine_rows(HP_CPU[cpu], 0, ROWS(programs[cpu]));
  }
  hp_open();
  sim *m = test_engine();
  uint32_t rows, most = 0;
  const struct io_adapter_now *now = checked_view(m, ADAPTER, IO_ADAPTER_VIEW_NOW, &rows);
  const struct io_adapter_returns *next = checked_view(m, ADAPTER, IO_ADAPTER_VIEW_RETURNS, &rows);
  EACH_EVENT {
    most = (uint32_t)sim_max(most, now->returning);
    if (now->returning) assert_int_equal(next->bytes, 4); /* a register is a word */
  }
  const struct dma_device_channels *channel = checked_view(m, DEVICE(0), DMA_DEVICE_VIEW_CHANNELS, &rows);
  assert_int_equal(COUNTERS("hsc", hsc)->registers, 4 * STORES);
  for (uint32_t cpu = 0; cpu < 4; cpu++) assert_int_equal(channel[cpu].bytes, 100 * cpu + STORES - 1);
  assert_true(most >= 15 && most <= 16 + 4); /* held back, and no sooner than it must be */
  assert_true(m->time >= 4 * STORES * 50000);
}

/* Who holds a line says so, and its answer is told; who has nothing to say is not. Memory is busy from the
 * access until its data is taken. */
static void a_holder_answers_a_read_and_memory_is_busy_meanwhile(void **state) {
  (void)state;
  static const uint64_t first[] = {LOAD(BASE), LOAD(BASE + 64), END},
                        second[] = {SPEND(5000000), LOAD(BASE), END},
                        third[] = {SPEND(10000000), LOAD(BASE), END};
  hp(3, 0);
  hp_does(0, PROGRAM(first)), hp_does(1, PROGRAM(second)), machine_rows("cpu2", 0, ROWS(third));
  hp_run();
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t answers[3] = {0}, busy = 0, changes = 0;
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++) {
    if (ring[i].part == BUS && ring[i].kind == RUNWAY_EV_RESPONSE) {
      assert_int_equal(ring[i].b, RUNWAY_RESPONSE_SHARED);
      answers[ring[i].c]++;
    }
    if (ring[i].part != MEMORY) continue;
    assert_int_equal(ring[i].kind, busy ? MEMORY_CONTROLLER_EV_IDLE : MEMORY_CONTROLLER_EV_ACCESS);
    busy = !busy;
    changes++;
  }
  assert_int_equal(answers[0], 2); /* to the second's read and the third's */
  assert_int_equal(answers[1], 1);
  assert_int_equal(answers[2], 0);
  assert_int_equal(changes, 2 * 4);
}

/* What is not followed is loaded, stored, flushed and purged like anything else. Flushes and purges are
 * orders, the others accesses. */
static void orders_and_accesses_are_counted_each_as_what_it_is(void **state) {
  (void)state;
  static const uint64_t followed[] = {STORE(BASE), LOAD(BASE + 32), FLUSH(BASE),
      ROW(PURGE, BASE + 32, 0, 4, 4, 0, 0, 0), ROW(SYNC, 0, 0, 0, 0, 0, 0, 0), STORE(BASE + 64),
      ROW(PURGE, BASE + 64, 0, 4, 4, 0, 0, 0), END};
  static const uint64_t beyond[] = {STORE(0x40), LOAD(0x80), FLUSH(0x40), ROW(PURGE, 0x80, 0, 4, 4, 0, 0, 0),
      ROW(SYNC, 0, 0, 0, 0, 0, 0, 0), STORE(0xc0), ROW(PURGE, 0xc0, 0, 4, 4, 0, 0, 0), END};
  for (uint32_t far = 0; far < 2; far++) {
    hp(1, 0);
    hp_does(0, far ? PROGRAM(beyond) : PROGRAM(followed));
    hp_run();
    assert_int_equal(COUNTERS("cpu0", processor)->accesses, 3);
    assert_int_equal(COUNTERS("cpu0", processor)->orders, 3);
    assert_int_equal(COUNTERS("runway", runway)->flushes, 1);
    assert_int_equal(COUNTERS("runway", runway)->purges, 2);
    assert_int_equal(COUNTERS("memory", memory_controller)->reads, 3); /* a line for each load and store */
    assert_int_equal(COUNTERS("memory", memory_controller)->writes,
        1); /* what was flushed; what is purged is thrown away */
  }
}

/* A load from a register that nobody has is told, and it is answered: the processor goes on. */
static void a_register_that_nobody_has_is_answered_and_told(void **state) {
  (void)state;
  static const uint64_t program[] = {LAP, ROW(IO_LOAD, 0xe0000000, 0, 4, 4, 0, 0, 0), LAP_END, END};
  hp(1, 1);
  machine_rows("cpu0", 0, ROWS(program));
  hp_run();
  assert_int_equal(COUNTERS("cpu0", processor)->laps, 1);
  const struct sim_record *nobody = record_after(BUS, RUNWAY_EV_UNCLAIMED, 0);
  assert_non_null(nobody);
  assert_int_equal(nobody->a, 0xe0000000);
  assert_int_equal(cpu_threads(test_engine(), SIM_STATE(test_engine(), CPU(0), processor))[0].value,
      UINT32_MAX); /* all ones, as where no wire is driven */
}

/*
 * Processor 0 loads from a slot without a device, which reads as all ones, processor 1 stores to a device's
 * register at about the same time, cycle by cycle earlier or later: the store brings nothing back that the
 * load could get.
 */
static void a_load_gets_its_own_registers_value_whoever_stores_meanwhile(void **state) {
  (void)state;
  for (uint64_t early = 0; early < 60; early++) {
    const uint64_t loads[] = {
        SPEND(CYCLES(60)), LAP, ROW(IO_LOAD, WINDOW(3), 0, 4, 4, 0, 0, 0), LAP_END, END};
    const uint64_t stores[] = {SPEND(CYCLES(early)), ROW(IO_STORE, 0, WINDOW(0), 4, 4, 0, 77, 0),
        ROW(IO_STORE, 0, WINDOW(0), 4, 4, 0, 78, 0), END};
    hp(2, 1);
    hp_does(0, PROGRAM(loads)), machine_rows("cpu1", 0, ROWS(stores));
    hp_run();
    assert_int_equal(COUNTERS("cpu0", processor)->laps, 1);
    assert_int_equal(
        cpu_threads(test_engine(), SIM_STATE(test_engine(), CPU(0), processor))[0].value, UINT32_MAX);
    assert_int_equal(COUNTERS("hsc", hsc)->registers, 3);
  }
}

static void memory_that_runs_out_is_an_error_in_every_part(void **state) {
  (void)state;
  hp(1, 1);
  machine_with("services");
  assert_true(session_without_memory(hp_session()) > 40);
}

/* Four flushes may be under way at once, and the processor does not wait for them; but for the end of all at
 * a sync. */
static void a_sync_waits_for_every_order_before_it(void **state) {
  (void)state;
  static const uint64_t program[] = {STORE(BASE), STORE(BASE + 32), STORE(BASE + 64), FLUSH(BASE),
      FLUSH(BASE + 32), FLUSH(BASE + 64), LAP, ROW(SYNC, 0, 0, 0, 0, 0, 0, 0), LAP_END, END};
  hp(1, 0);
  PARAMS("cache0", snoop_cache)->orders = 4;
  machine_rows("cpu0", 0, ROWS(program));
  hp_open();
  RUN_UNTIL(COUNTERS("cpu0", processor)->laps > 0);
  assert_int_equal(COUNTERS("cache0", snoop_cache)->flushed, 3);
  for (uint32_t line = 0; line < 3; line++)
    assert_int_equal(hp_cell(BASE + 32 * line).write, hp_cell(BASE + 32 * line).newest);
  assert_true(COUNTERS("cpu0", processor)->lap_time > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_reader_gets_a_line_in_44_cycles),
      cmocka_unit_test(readers_in_step_wait_for_the_first_line_and_the_data_of_all),
      cmocka_unit_test(with_fast_memory_a_line_takes_the_bus_five_cycles),
      cmocka_unit_test(a_bank_that_is_taken_delays_the_next_read),
      cmocka_unit_test(another_cache_gives_a_line_in_18_cycles),
      cmocka_unit_test(what_follows_a_flush_is_answered_after_it),
      cmocka_unit_test(false_sharing_hands_a_line_over_every_13_cycles),
      cmocka_unit_test(stores_to_registers_wait_while_the_adapter_is_full),
      cmocka_unit_test(a_holder_answers_a_read_and_memory_is_busy_meanwhile),
      cmocka_unit_test(orders_and_accesses_are_counted_each_as_what_it_is),
      cmocka_unit_test(a_register_that_nobody_has_is_answered_and_told),
      cmocka_unit_test(memory_that_runs_out_is_an_error_in_every_part),
      cmocka_unit_test(a_sync_waits_for_every_order_before_it),
      cmocka_unit_test(a_load_gets_its_own_registers_value_whoever_stores_meanwhile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
