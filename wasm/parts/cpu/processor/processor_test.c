/* A processor's time and copies. Each expected time is added up beside its test, in microseconds. */
#include "test/processor.h"

TEST(nested_loops_repeat_by_their_counts) {
  round_numbers();
  static const uint64_t program[] = {DO(REPEAT, 0, 3, 0), DO(SPEND, 1 * US, 0, 0), DO(REPEAT, 0, 2, 0),
      DO(LAP, 0, 0, 1), DO(REPEAT, 0, 5, 0), DO(SPEND, 10 * US, 0, 0), DO(AGAIN, 0, 0, 0),
      DO(LAP_END, 0, 0, 1), DO(AGAIN, 0, 0, 0), DO(AGAIN, 0, 0, 0), DO(LAP, 0, 0, 0), DO(SPEND, 7 * US, 0, 0),
      DO(LAP_END, 0, 0, 0), END_ROW};
  EXPECT_VALUES({TIME(program), (3 * (1 + 2 * 5 * 10) + 7) * US}, {COUNT(laps_1), 6},
      {COUNT(lap_time_1), 6 * 50 * US}, {COUNT(laps), 1}, {COUNT(lap_time), 7 * US},
      {COUNT(in_work), (3 * (1 + 2 * 5 * 10) + 7) * US});
}

/* At a third of the clock that the parameters are given for, the processor's own work takes three times as
 * long. Bus, card and memory keep their times. */
TEST(the_processor_s_own_work_scales_with_its_clock) {
#define WORK(time)                                                                                    \
  {                                                                                                   \
    DO(SPEND, time, 0, 0), DO(UNTIL, 100 * US, 0, 0), ROW(PIO_WRITE, 0x1000, CARD_BASE, 16, 0, 0, 0), \
        ROW(PIO_READ, CARD_BASE, 0x1000, 16, 0, 0, 0), ROW(COPY_WRITE, 0x1000, 0x9000, 128, 0, 0, 0), \
        ROW(PROCESS, 0x1000, 0, 128, time, 0, 0), END_ROW                                             \
  }
  static const uint64_t program[] = WORK(7 * US), longer[] = WORK(21 * US);
  round_numbers();
  struct processor_params *cpu = PARAMS("cpu", processor);
  cpu->pio_write_call = 6 * US, cpu->store_time *= 3, cpu->load_time *= 3, cpu->copy_word *= 3;
  const uint64_t expected = TIME(longer);
  round_numbers();
  cpu->pio_write_call = 2 * US, cpu->clock = 20000000, cpu->nominal_clock = 60000000;
  assert_int_equal(TIME(program), expected);
  cpu->clock = 0; /* at the nominal clock */
  assert_true(TIME(program) < expected);
}

/* 7 us of work at a nominal clock scale by the ratio of both clocks, however slow or fast, rounded down to a
 * picosecond. */
TEST(work_scales_by_the_ratio_of_the_clocks) {
  round_numbers();
  static const uint64_t program[] = {DO(SPEND, 7 * US, 0, 0), END_ROW}, most = 10000000000ull;
  static const struct {
    uint64_t clock, nominal, time;
  } cases[] = {{1, 3, 21 * US}, {999, 1998, 14 * US}, {1500, 1000, 4666666}, {500, 0, 7 * US},
      {0, 500, 7 * US}, {most, 1, 0}, {most, most / 2, 3500000}, {most - 4, most, 7000000},
      {most / 2, most, 14 * US}, {3, 3, 7 * US}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    PARAMS("cpu", processor)->clock = cases[i].clock,
                  PARAMS("cpu", processor)->nominal_clock = cases[i].nominal;
    assert_int_equal(TIME(program), cases[i].time);
  }
}

/* Idle until 20, work until 27. By then 25 has passed, and 40 has not. */
TEST(until_waits_for_a_future_time_only) {
  round_numbers();
  static const uint64_t program[] = {DO(UNTIL, 20 * US, 0, 0), DO(LAP, 0, 0, 0), DO(SPEND, 7 * US, 0, 0),
      DO(UNTIL, 25 * US, 0, 0), DO(LAP_END, 0, 0, 0), DO(UNTIL, 40 * US, 0, 0), END_ROW};
  EXPECT_VALUES({TIME(program), 40 * US}, {COUNT(lap_time), 7 * US}, {COUNT(in_work), 7 * US});
}

/* An empty loop takes 1 ns on every second iteration: whenever it repeats twice without time passing. */
TEST(an_empty_loop_takes_some_time) {
  round_numbers();
  for (uint64_t rounds = 1; rounds <= 5; rounds++) {
    const uint64_t program[] = {DO(REPEAT, 0, rounds, 0), DO(AGAIN, 0, 0, 0), END_ROW};
    assert_int_equal(TIME(program), (rounds - 1) / 2 * NS);
  }
}

TEST(an_endless_loop_that_takes_no_time_is_given_some) {
  round_numbers();
  static const uint64_t program[] = {
      DO(REPEAT, 0, 0, 0), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0), DO(AGAIN, 0, 0, 0), END_ROW};
  assert_int_equal(opened(ROWS(program)), SIM_OK);
  assert_int_equal(sim_run(test_engine(), 100 * NS, 10000), SIM_UNTIL);
  assert_true(COUNT(laps) >= 100 && COUNT(laps) <= 202);
}

/* Addresses, bytes and time take two words each, the low one first. */
TEST(a_service_is_given_the_fields_of_its_row) {
  const row r = {.from = 0x1100000022,
      .to = 0x3300000044,
      .bytes = 0x5500000066,
      .width = 0x77,
      .time = 0x8800000099,
      .count = 0xaa,
      .tag = 0xbb};
  static const uint32_t words[] = {0x22, 0x11, 0x44, 0x33, 0x66, 0x55, 0xaa, 0xbb, 0x99, 0x88, 0x77};
  const struct arguments given = arguments_of(&r);
  assert_memory_equal(given.words, words, sizeof words);
}

/*
 * Copies n lines that are not cached: 8 words of 10 ns each, and two lines fetched in 100 ns each. The second
 * time all of them hit. From the middle of a line to the middle of another, one more line is touched on
 * either side.
 */
TEST(a_copy_fetches_each_line_once) {
  round_numbers();
  static const uint64_t program[] = {ROW(COPY_WRITE, 0x1000, 0x9000, 128, 0, 0, 0), DO(LAP, 0, 0, 0),
      ROW(COPY_READ, 0x1000, 0x9000, 128, 0, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW};
  EXPECT_VALUES({TIME(program), 4 * (80 + 200) * NS + 4 * 80 * NS}, {COUNT(fills), 8},
      {COUNT(lap_time), 4 * 80 * NS}, {COUNT(in_copy), 8 * 80 * NS}, {COUNT(in_fill), 4 * 200 * NS});
  static const uint64_t crooked[] = {
      ROW(COPY_WRITE, 0x1010, 0x9010, 128, 0, 0, 0), END_ROW}; /* 16 + 3 x 32 + 16 bytes */
  EXPECT_VALUES({TIME(crooked), 5 * 200 * NS + 32 * 10 * NS}, {COUNT(fills), 10});
  static const uint64_t bytes[] = {
      ROW(COPY_WRITE, 0x1000, 0x9000, 5, 0, 0, 0), END_ROW}; /* a partial word counts as a word */
  assert_int_equal(TIME(bytes), 200 * NS + 2 * 10 * NS);
  static const uint64_t word[] = {
      ROW(COPY_WRITE, 0x1000, 0x9000, 4, 0, 0, 0), END_ROW}; /* a single word needs no loop */
  assert_int_equal(TIME(word), 200 * NS);
  PARAMS("cpu", processor)->copy_write_call = 7 * US, PARAMS("cpu", processor)->copy_read_call = 9 * US;
  assert_int_equal(TIME(program), 4 * (80 + 200) * NS + 4 * 80 * NS + 16 * US);
}

/* From the middle of a line to the middle of another: three lines each of source and destination are fetched
 * alternately, the source's first, each at its line address. A cached line is not fetched. */
TEST(a_copy_fetches_the_source_s_line_first) {
  round_numbers();
  static const uint64_t program[] = {ROW(COPY_WRITE, 0x1010, 0x9010, 64, 0, 0, 0), END_ROW},
                        there[] = {ROW(PROCESS, 0x1020, 0, 32, 0, 0, 0),
                            ROW(COPY_WRITE, 0x1010, 0x9010, 64, 0, 0, 0), END_ROW};
  static const uint64_t lines[] = {0x1000, 0x9000, 0x1020, 0x9020, 0x1040, 0x9040},
                        later[] = {0x1020, 0x1000, 0x9000, 0x9020, 0x1040, 0x9040};
  for (uint32_t is_there = 0; is_there < 2; is_there++) {
    assert_int_equal(is_there ? opened(ROWS(there)) : opened(ROWS(program)), SIM_OK);
    sim_record_trace(test_engine(), 1);
    session_run();
    const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
    uint32_t n = 0;
    for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++) {
      if (ring[i].part != BRIDGE || ring[i].kind != BRIDGE_EV_FILL) continue;
      assert_true(n < 6);
      EXPECT_VALUES({ring[i].a, is_there ? later[n] : lines[n]}, {ring[i].b, 32});
      n++;
    }
    assert_int_equal(n, 6);
  }
  static const uint64_t eighth[] = {ROW(COPY_WRITE, 0x1008, 0x9008, 64, 0, 0, 0),
      END_ROW}; /* 24 + 32 + 8 bytes: each line is looked up once */
  EXPECT_VALUES({TIME(eighth), 3 * 200 * NS + 16 * 10 * NS}, {COUNTERS("cache", cache)->misses, 6},
      {COUNTERS("cache", cache)->hits, 0});
}

/* A cache of two lines: each line copied evicts the one before. A dirty victim is written back first, 32 ns
 * more. */
TEST(a_dirty_line_that_leaves_takes_time_as_well) {
  round_numbers();
  PARAMS("cache", cache)->size = 64, PARAMS("cache", cache)->ways = 2;
  static const uint64_t program[] = {ROW(COPY_WRITE, 0x1000, 0x9000, 128, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), 4 * (80 + 200) * NS + 3 * 32 * NS);
  assert_int_equal(COUNTERS("memory", memory)->writes, 3); /* the last line is not evicted */
  assert_int_equal(COUNTERS("memory", memory)->reads, 8);
}

/* Processes 100 bytes from the middle of a line: parts of 4 lines, each fetched in 100 ns and processed in 1
 * us. */
TEST(processing_takes_its_time_for_each_line) {
  round_numbers();
  static const uint64_t program[] = {ROW(PROCESS, 0x1010, 0, 100, 1 * US, 0, 0), END_ROW};
  EXPECT_VALUES({TIME(program), 4 * US + 4 * 100 * NS}, {COUNT(in_work), 4 * US});
}

/* From the threshold up, the library uses DMA; below it, stores and loads. */
TEST(the_library_chooses_by_size) {
  round_numbers();
  PARAMS("driver", gt_driver)->write_threshold = 256, PARAMS("driver", gt_driver)->read_threshold = 128;
  static const struct {
    uint64_t write, read, loads, writes, reads;
  } cases[] = {{252, 124, 31, 0, 0}, {256, 124, 31, 1, 0}, {252, 128, 0, 0, 1}};
  for (uint32_t i = 0; i < 3; i++) {
    const uint64_t program[] = {ROW(WRITE_DATA, 0x1000, CARD_BASE, cases[i].write, 0, 0, 0),
        ROW(READ_DATA, CARD_BASE, 0x1000, cases[i].read, 0, 0, 0), END_ROW};
    TIME(program);
    assert_int_equal(COUNTERS("driver", gt_driver)->writes, cases[i].writes);
    assert_int_equal(COUNTERS("driver", gt_driver)->reads, cases[i].reads);
    /* The driver reads the card as well: its status, when polling and in the handler. */
    assert_int_equal(COUNTERS("gt", gt)->pio_reads - COUNTERS("driver", gt_driver)->polls - COUNT(interrupts),
        cases[i].loads);
  }
}

#define REFUSED(error, detail, ...)                                            \
  do {                                                                         \
    static const uint64_t program[] = {__VA_ARGS__};                           \
    round_numbers();                                                           \
    assert_int_equal(opened(ROWS(program)), error);                            \
    assert_int_equal(sim_refresh_header(test_engine())->error_part, CPU);      \
    assert_int_equal(sim_refresh_header(test_engine())->error_detail, detail); \
  } while (0)
#define TAKEN(...)                                   \
  do {                                               \
    static const uint64_t program[] = {__VA_ARGS__}; \
    round_numbers();                                 \
    assert_int_equal(opened(ROWS(program)), SIM_OK); \
  } while (0)
#define OPEN_LOOP DO(REPEAT, 0, 2, 0)
#define CLOSE_LOOP DO(AGAIN, 0, 0, 0)
#define WIDE(op, from, to, bytes, width) PROCESSOR_OP_##op, from, to, bytes, width, 0, 0, 0

TEST(invalid_programs_are_refused_with_their_row) {
  TAKEN(OPEN_LOOP, OPEN_LOOP, OPEN_LOOP, OPEN_LOOP, CLOSE_LOOP, CLOSE_LOOP, CLOSE_LOOP, CLOSE_LOOP, END_ROW);
  REFUSED(SIM_BAD_ROW, 4, OPEN_LOOP, OPEN_LOOP, OPEN_LOOP, OPEN_LOOP, OPEN_LOOP, CLOSE_LOOP, CLOSE_LOOP,
      CLOSE_LOOP, CLOSE_LOOP, CLOSE_LOOP, END_ROW);
  REFUSED(SIM_BAD_ROW, 0, CLOSE_LOOP, END_ROW);
  REFUSED(SIM_BAD_ROW, 2, OPEN_LOOP, CLOSE_LOOP, CLOSE_LOOP, END_ROW);
  REFUSED(SIM_BAD_ROW, 1, OPEN_LOOP, END_ROW);
  REFUSED(SIM_BAD_ROW, 1, OPEN_LOOP, DO(THREAD, 0, 0, 0), CLOSE_LOOP, END_ROW);
  REFUSED(SIM_BAD_ROW, 1, DO(SPEND, 1, 0, 0));
  round_numbers();
  assert_int_equal(opened(NULL, 0), SIM_BAD_ROW); /* an empty program */
  assert_int_equal(sim_refresh_header(test_engine())->error_detail, 0);
  TAKEN(DO(LAP, 0, 0, 1), DO(LAP_END, 0, 0, 1), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, DO(LAP, 0, 0, 2), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, DO(LAP_END, 0, 0, 2), END_ROW);
  TAKEN(DO(SIGNAL, 0, 0, 15), DO(WAIT, 0, 0, 15), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, DO(SIGNAL, 0, 0, 16), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, DO(WAIT, 0, 0, 16), END_ROW);
  TAKEN(ROW(COPY_WRITE, 0, 0, 1 << 30, 0, 0, 0), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, ROW(COPY_WRITE, 0, 0, (1 << 30) + 4, 0, 0, 0), END_ROW);
  REFUSED(SIM_BAD_ROW, 1, END_ROW, PROCESSOR_OP_ALL, 0, 0, 0, 0, 0, 0, 0, END_ROW);
  TAKEN(WIDE(PIO_WRITE, 0, 0, 3, 1), WIDE(PIO_READ, 0, 0, 6, 2), WIDE(WRITE_DATA, 0, 0, 8, 4),
      WIDE(READ_DATA, 0, 0, 4, 4), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(PIO_WRITE, 0, 0, 6, 3), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(PIO_READ, 0, 0, 8, 8), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(WRITE_DATA, 0, 0, 6, 4), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(READ_DATA, 0, 0, 3, 2), END_ROW);
  TAKEN(WIDE(LOAD, 32, 1, 64, 32), WIDE(STORE, 1, 8, 64, 8), WIDE(COPY, 16, 32, 64, 16),
      WIDE(LOAD, 3, 0, 1, 1), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(LOAD, 0, 0, 64, 64), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(LOAD, 0, 0, 64, 0), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(STORE, 0, 0, 64, 12), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(LOAD, 4, 0, 64, 8), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(STORE, 0, 4, 64, 8), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(COPY, 0, 4, 64, 8), END_ROW);
  REFUSED(SIM_BAD_ROW, 0, WIDE(COPY, 4, 0, 64, 8), END_ROW);
}

TEST(a_processor_has_a_limited_number_of_threads) {
  enum { MOST = PROCESSOR_PROGRAM_THREADS };
  uint64_t program[(2 * (MOST + 1) + 1) * 8];
  const uint64_t row[] = {DO(THREAD, 0, 0, 0), END_ROW};
  round_numbers();
  for (uint32_t i = 0; i <= MOST; i++) memcpy(program + i * 2 * 8, row, sizeof row);
  assert_int_equal(opened(program, 2 * MOST * 8), SIM_OK);
  assert_int_equal(opened(program, 2 * (MOST + 1) * 8), SIM_TOO_MANY);
  assert_int_equal(sim_refresh_header(test_engine())->error_detail, MOST);
}

/* Only the ports that a program needs have to be wired. */
TEST(a_program_needs_only_the_ports_it_uses) {
  static const uint64_t spends[] = {DO(SPEND, 1, 0, 0), END_ROW}, waits[] = {DO(UNTIL, 1, 0, 0), END_ROW},
                        calls[] = {ROW(DMA_WRITE, 0, CARD_BASE, 4, 0, 0, 0), END_ROW},
                        loads[] = {WIDE(LOAD, 0, 0, 4, 4), END_ROW},
                        copies[] = {WIDE(COPY_WRITE, 0, 0, 4, 4), END_ROW};
  static const uint64_t fetches[] = {ROW(DMA_READ, CARD_BASE, 0, 4, 0, 0, 0), END_ROW},
                        sets[] = {ROW(DMA_SET_BYTE, 0, CARD_BASE, 1, 0, 0, 0), END_ROW};
  static const uint64_t reads[] = {WIDE(PIO_READ, CARD_BASE, 0, 4, 4), END_ROW},
                        writes[] = {WIDE(PIO_WRITE, 0, CARD_BASE, 4, 4), END_ROW},
                        registers[] = {ROW(IO_STORE, 0, CARD_BASE, 4, 0, 0, 0), END_ROW};
  static const struct {
    const uint64_t *program;
    int error;
    uint32_t port;
  } cases[] = {{spends, SIM_OK, 0}, {waits, SIM_OK, 0}, {calls, SIM_UNWIRED, PROCESSOR_PORT_OS},
      {loads, SIM_UNWIRED, PROCESSOR_PORT_CACHE}, {copies, SIM_UNWIRED, PROCESSOR_PORT_CACHE},
      {fetches, SIM_UNWIRED, PROCESSOR_PORT_OS}, {sets, SIM_UNWIRED, PROCESSOR_PORT_OS},
      {reads, SIM_UNWIRED, PROCESSOR_PORT_FRONT}, {writes, SIM_UNWIRED, PROCESSOR_PORT_FRONT},
      {registers, SIM_UNWIRED, PROCESSOR_PORT_FRONT}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct processor_params q = PROCESSOR_DEFAULTS;
    struct session s = session_new(1, 0, 0);
    session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&q, sizeof q / 8);
    session_table(&s, cases[i].program, 2, 8);
    assert_int_equal(session_open(&s), cases[i].error);
    if (cases[i].error) assert_int_equal(sim_refresh_header(test_engine())->error_detail, cases[i].port);
  }
}

/* Word-by-word stores look a line up once per line: 64 bytes are two misses, and two hits once cached. */
TEST(stored_words_are_fetched_by_the_line) {
  round_numbers();
  static const uint64_t once[] = {ROW(PIO_WRITE, 0x1000, CARD_BASE, 64, 0, 0, 0), END_ROW};
  static const uint64_t twice[] = {ROW(PIO_WRITE, 0x1000, CARD_BASE, 64, 0, 0, 0),
      ROW(PIO_WRITE, 0x1000, CARD_BASE, 64, 0, 0, 0), END_ROW};
  TIME(once);
  EXPECT_VALUES(
      {COUNTERS("cache", cache)->misses, 2}, {COUNTERS("cache", cache)->hits, 0}, {COUNT(stores), 16});
  TIME(twice);
  EXPECT_VALUES({COUNTERS("cache", cache)->misses, 2}, {COUNTERS("cache", cache)->hits, 2});
}

/* Cached lines are processed in batches of 1 KiB per event: 992 more lines are 31 more events. */
TEST(a_long_range_takes_one_event_per_kilobyte) {
  round_numbers();
  uint64_t events[2];
  for (uint64_t i = 0; i < 2; i++) {
    const uint64_t program[] = {ROW(PROCESS, 0x1000, 0, 2 * 992 * 32, 0, 0, 0),
        ROW(PROCESS, 0x1000, 0, (1 + i) * 992 * 32, 0, 0, 0), END_ROW};
    TIME(program);
    assert_int_equal(COUNT(fills), 2 * 992);
    events[i] = test_engine()->events;
  }
  assert_int_equal(events[1] - events[0], 31);
}
