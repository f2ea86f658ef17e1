/* The Runway bus; each figure is computed by hand beside its test, in cycles of 120 MHz. */
#include "test/hp.h"

#define LAP ROW(LAP, 0, 0, 0, 0, 0, 0, 0)
#define LAP_END ROW(LAP_END, 0, 0, 0, 0, 0, 0, 0)
#define LINES(from, n) ROW(LOAD, from, 0, (n) * 32, 32, 0, 0, 0)
#define EDGE 10000000ull /* 10 us are 1200 cycles, so this is a clock edge */

/* Cycles per round in which each of n readers loads one line, with one load outstanding each. */
static uint64_t round_of(uint32_t n, uint64_t latency, uint64_t occupancy) {
  static uint64_t programs[HP_CPUS][16];
  uint64_t end[2];
  for (uint32_t twice = 0; twice < 2; twice++) {
    hp(n, 0);
    PARAMS("memory", memory_controller)->latency = latency;
    PARAMS("memory", memory_controller)->occupancy = occupancy;
    PARAMS("memory", memory_controller)->banks = 64;
    for (uint32_t i = 0; i < n; i++) { /* the readers always use different banks */
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
 * Arbitration 2; memory's 275 ns from the address cycle, 33; arbitration for the data 2; data 4; the
 * processor's overhead 2; the load itself 1: 44. The address cycle and the six cycles of snooping lie within
 * the 33.
 */
TEST(one_reader_gets_a_line_in_44_cycles) {
  assert_int_equal(round_of(1, 275000, 166667), 2 + 33 + 2 + 4 + 2 + 1);
}

/*
 * Data has priority over requests, so n readers fall into step. All requests, one cycle each, pass while
 * memory fetches the first line (33). The bus is idle and arbitrates (2), and then transfers n lines back to
 * back (4 n). Each reader's next request is ready within 3 cycles but waits for the last line, right after
 * which it begins.
 */
TEST(readers_in_step_wait_for_memory_and_all_data) {
  for (uint32_t n = 2; n <= HP_CPUS; n++) assert_int_equal(round_of(n, 275000, 166667), 33 + 2 + 4 * n);
}

/* Memory of 60 ns, or 7.2 cycles, delivers the first line before the eighth reader has made its request, so
 * the bus is never idle. */
TEST(with_fast_memory_a_line_takes_five_bus_cycles) {
  assert_int_equal(round_of(8, 60000, 10000), 8 * (1 + 4));
  assert_int_equal(round_of(10, 60000, 10000), 10 * (1 + 4));
}

/*
 * Two processors read at once. Processor 1 is granted first, at cycle 2; the address cycle of processor 0 is
 * the next. From another bank its data follows that of processor 1, 4 cycles later than for a lone reader.
 * From the same bank its access starts when the bank is free after 166.667 ns (20 cycles), at cycle 22. The
 * data is ready at 55 and continues as usual.
 */
TEST(a_busy_bank_delays_the_next_read) {
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

/* The owner answers 6 cycles after the address cycle, arbitrates (2) and transfers address and line (5). With
 * the requester's arbitration (2) and overhead (2) and the load (1) that makes 18, where memory takes 44. */
TEST(another_cache_supplies_a_line_in_18_cycles) {
  static const uint64_t owner[] = {STORE(BASE), END}, reader[] = {SPEND(EDGE), LAP, LOAD(BASE), LAP_END, END};
  hp(2, 0);
  machine_rows("cpu0", 0, ROWS(owner));
  machine_rows("cpu1", 0, ROWS(reader));
  hp_run();
  assert_int_equal(COUNTERS("cpu1", processor)->lap_time, CYCLES(1200 + 2 + 6 + 2 + 5 + 2 + 1) - EDGE);
  /* The transfer updates memory, too. */
  EXPECT_VALUES({hp_cell(BASE).write, hp_cell(BASE).newest}, {COUNTERS("runway", runway)->copies, 1});
}

/* Returns the cycle at which a load issued at cycle 125 is filled. The other processor has modified the line
 * or not touched it, and may flush another line just before. */
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
 * answered at 133, but its answer follows that of the flush, at 149. Memory delivers at 160 in any case, so
 * the delay is hidden; the copy from an owner is 16 late.
 */
TEST(responses_after_a_flush_wait_for_it) {
  assert_int_equal(loaded_beside_a_flush(0, 0), 127 + 33 + 2 + 4);
  assert_int_equal(loaded_beside_a_flush(0, 1), 127 + 33 + 2 + 4);
  assert_int_equal(loaded_beside_a_flush(1, 0), 127 + 6 + 2 + 5);
  assert_int_equal(loaded_beside_a_flush(1, 1), 122 + 27 + 2 + 5);
}

/*
 * Two processors store to different halves of one line repeatedly. The loser's address cycle directly follows
 * the copy that took the line away. The owner answers after 6 cycles, arbitrates for 2 and copies in 5, so
 * the line changes hands every 13 cycles. Alone each would store once per cycle.
 */
TEST(false_sharing_hands_a_line_over_every_13_cycles) {
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
 * A store to a device register takes 2 cycles of 25 ns on HSC but 2 of 8.3 on Runway. Four processors fill
 * the adapter until it asserts flow control at 16. No further stores are sent, and those already on their way
 * are accepted.
 */
TEST(stores_to_registers_wait_while_the_adapter_is_full) {
  static uint64_t programs[4][(STORES + 1) * 8];
  hp(4, 1);
  for (uint64_t cpu = 0; cpu < 4; cpu++) {
    for (uint64_t i = 0; i < STORES; i++) { /* channel `cpu`: its byte count */
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
  assert_true(most >= 15 && most <= 16 + 4); /* held back, but no earlier than necessary */
  assert_true(m->time >= 4 * STORES * 50000);
}

/* An agent that shares a line responds to reads of it, which is recorded; responses of others are not. Memory
 * is busy from the access until its data is transferred. */
TEST(a_sharer_responds_and_memory_is_busy_meanwhile) {
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
  assert_int_equal(answers[0], 2); /* to the reads of the second and the third */
  EXPECT_VALUES({answers[1], 1}, {answers[2], 0}, {changes, 2 * 4});
}

/* Addresses beyond the tracked memory are loaded, stored, flushed and purged like any others. Flushes and
 * purges count as orders, loads and stores as accesses. */
TEST(orders_and_accesses_are_counted_separately) {
  static const uint64_t followed[] = {STORE(BASE), LOAD(BASE + 32), FLUSH(BASE),
      ROW(PURGE, BASE + 32, 0, 4, 4, 0, 0, 0), ROW(SYNC, 0, 0, 0, 0, 0, 0, 0), STORE(BASE + 64),
      ROW(PURGE, BASE + 64, 0, 4, 4, 0, 0, 0), END};
  static const uint64_t beyond[] = {STORE(0x40), LOAD(0x80), FLUSH(0x40), ROW(PURGE, 0x80, 0, 4, 4, 0, 0, 0),
      ROW(SYNC, 0, 0, 0, 0, 0, 0, 0), STORE(0xc0), ROW(PURGE, 0xc0, 0, 4, 4, 0, 0, 0), END};
  for (uint32_t far = 0; far < 2; far++) {
    hp(1, 0);
    hp_does(0, far ? PROGRAM(beyond) : PROGRAM(followed));
    hp_run();
    EXPECT_VALUES({COUNTERS("cpu0", processor)->accesses, 3}, {COUNTERS("cpu0", processor)->orders, 3},
        {COUNTERS("runway", runway)->flushes, 1}, {COUNTERS("runway", runway)->purges, 2});
    assert_int_equal(COUNTERS("memory", memory_controller)->reads, 3); /* one line per load or store */
    assert_int_equal(
        COUNTERS("memory", memory_controller)->writes, 1); /* the flushed line; purged lines are discarded */
  }
}

/* A load from an unclaimed register is recorded and answered, so that the processor continues. */
TEST(an_unclaimed_register_is_answered_and_recorded) {
  static const uint64_t program[] = {LAP, ROW(IO_LOAD, 0xe0000000, 0, 4, 4, 0, 0, 0), LAP_END, END};
  hp(1, 1);
  machine_rows("cpu0", 0, ROWS(program));
  hp_run();
  assert_int_equal(COUNTERS("cpu0", processor)->laps, 1);
  const struct sim_record *nobody = record_after(BUS, RUNWAY_EV_UNCLAIMED, 0);
  assert_non_null(nobody);
  assert_int_equal(nobody->a, 0xe0000000);
  assert_int_equal(cpu_threads(test_engine(), SIM_STATE(test_engine(), CPU(0), processor))[0].value,
      UINT32_MAX); /* all ones, as on undriven wires */
}

/* Processor 0 loads from an empty slot, which reads as all ones. Processor 1 stores to a device register at
 * about the same time, with every offset in cycles. The store must not return data to the load. */
TEST(a_load_gets_its_own_value_despite_concurrent_stores) {
  for (uint64_t early = 0; early < 60; early++) {
    const uint64_t loads[] = {
        SPEND(CYCLES(60)), LAP, ROW(IO_LOAD, WINDOW(3), 0, 4, 4, 0, 0, 0), LAP_END, END};
    const uint64_t stores[] = {SPEND(CYCLES(early)), ROW(IO_STORE, 0, WINDOW(0), 4, 4, 0, 77, 0),
        ROW(IO_STORE, 0, WINDOW(0), 4, 4, 0, 78, 0), END};
    hp(2, 1);
    hp_does(0, PROGRAM(loads)), machine_rows("cpu1", 0, ROWS(stores));
    hp_run();
    EXPECT_VALUES({COUNTERS("cpu0", processor)->laps, 1},
        {cpu_threads(test_engine(), SIM_STATE(test_engine(), CPU(0), processor))[0].value, UINT32_MAX},
        {COUNTERS("hsc", hsc)->registers, 3});
  }
}

TEST(memory_that_runs_out_is_an_error_in_every_part) {
  hp(1, 1);
  machine_with("services");
  assert_true(session_without_memory(hp_session()) > 40);
}

/* Up to four flushes may be outstanding without stalling the processor; a sync waits for all of them. */
TEST(a_sync_waits_for_every_order_before_it) {
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
