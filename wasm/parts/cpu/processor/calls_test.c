/*
 * A thread inside a driver call: it is not preempted, and the driver's stores are recorded as the driver's.
 */
#include "test/gt_round.h"

#define COUNT(name) (COUNTERS("cpu", processor)->name)
#define LAP(op) ROW(op, 0, 0, 0, 0, 0, 0)

/*
 * The slice of 1 us is used up long before the call ends: 10 us to enter, 20 of set-up, polls, 40 of
 * bookkeeping and 3 to return. The thread of equal priority starts only after it. Between two rows of a
 * program, it starts after the first row.
 */
TEST(a_slice_does_not_end_within_a_call) {
  round_numbers();
  PARAMS("cpu", processor)->quantum = 1 * US;
  PARAMS("driver", gt_driver)->api_time = 10 * US, PARAMS("driver", gt_driver)->return_time = 3 * US,
                   PARAMS("driver", gt_driver)->setup_time = 20 * US,
                   PARAMS("driver", gt_driver)->finish_write = 40 * US,
                   PARAMS("driver", gt_driver)->poll_write = 64;
  static const uint64_t program[] = {LAP(LAP), ROW(DMA_WRITE, HOST, CARD_BASE, 64, 0, 0, 0), END_ROW,
      ROW(THREAD, 0, 0, 0, 0, 0, 0), LAP(LAP_END), END_ROW};
  OPEN(program);
  session_run();
  assert_int_equal(COUNT(lap_time),
      COUNT(in_api) + COUNT(in_driver) + COUNT(in_stall) + COUNT(in_poll) + COUNT(in_finish));
  EXPECT_VALUES({COUNT(in_api), 13 * US}, {COUNT(in_finish), 40 * US}, {COUNT(switches), 0});
  static const uint64_t works[] = {LAP(LAP), ROW(SPEND, 0, 0, 0, 10 * US, 0, 0),
      ROW(SPEND, 0, 0, 0, 10 * US, 0, 0), END_ROW, ROW(THREAD, 0, 0, 0, 0, 0, 0), LAP(LAP_END), END_ROW};
  OPEN(works);
  session_run();
  assert_int_equal(COUNT(lap_time), 10 * US);
}

/* The driver stores to three registers of 4 bytes. Those stores have no write number of the program; a word
 * that the program stores has one. */
TEST(driver_stores_have_no_write_number) {
  round_numbers();
  PARAMS("bridge", bridge)->posts = 8;
  static const uint64_t program[] = {ROW(DMA_WRITE, HOST, CARD_BASE, 64, 0, 0, 0),
      ROW(PIO_WRITE, HOST, CARD_BASE + 128, 4, 0, 0, 0), END_ROW};
  OPEN(program);
  session_run();
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  const struct {
    uint64_t at;
    uint32_t writes;
  } expected[] = {{REGISTERS + GT_REG_HOST, 0}, {REGISTERS + GT_REG_CARD, 0}, {REGISTERS + GT_REG_GO, 0},
      {CARD_BASE + 128, 1}};
  uint32_t n = 0;
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++) {
    if (ring[i].part != CPU || ring[i].kind != PROCESSOR_EV_STORE) continue;
    assert_true(n < 4);
    EXPECT_VALUES({ring[i].a, expected[n].at}, {ring[i].b, 4}, {ring[i].c != 0, expected[n].writes});
    n++;
  }
  assert_int_equal(n, 4);
}

/* Three words are stored to the card and, after their round of the ring, read back to another place in
 * memory. Each is the newest of its place, so no read is stale, and memory holds the same as the card. */
TEST(words_read_back_are_stored_and_current) {
  round_numbers();
  static const uint64_t program[] = {ROW(PIO_WRITE, HOST, CARD_BASE + 64, 12, 0, 0, 0),
      ROW(SPEND, 0, 0, 0, 100 * US, 0, 0), ROW(PIO_READ, CARD_BASE + 64, HOST + 256, 12, 0, 0, 0), END_ROW};
  OPEN(program);
  session_run();
  EXPECT_VALUES({COUNT(loads), 3}, {COUNT(stale_reads), 0});
  sim *m = test_engine();
  const struct sim_record *ring = sim_at(m, sim_refresh_header(m)->trace_at);
  uint32_t loaded = 0;
  for (uint32_t i = 0; i < sim_refresh_header(m)->seq_lo; i++) {
    if (ring[i].part != CPU || ring[i].kind != PROCESSOR_EV_LOADED) continue;
    assert_int_equal(ring[i].a, CARD_BASE + 64 + 4 * loaded++);
    assert_int_equal(ring[i].b, loaded);
  }
  assert_int_equal(loaded, 3);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(shadow_word(m, &STATE_OF("memory", memory)->shadow, HOST + 252 + 4 * i)->write,
        i < 1 || i > 3 ? 0 : i);
}

/* A word read back is stale if its place has been written since. The stale read is counted and recorded with
 * the place, the write number read and the newest one. */
TEST(a_word_that_is_not_the_newest_is_stale) {
  static const uint64_t program[] = {ROW(PIO_READ, CARD_BASE + 64, HOST + 256, 4, 0, 0, 0), END_ROW};
  for (uint32_t old = 0; old < 2; old++) {
    round_numbers();
    OPEN(program);
    sim *m = test_engine();
    thread *t = cpu_threads(m, STATE_OF("cpu", processor));
    take_data(
        m, SIM_CONTEXT(m, CPU, processor), t, &(struct front_data){.write = 500, .newest = 500 + 3 * old});
    assert_int_equal(COUNT(stale_reads), old);
    assert_events(CPU,
        (const struct expected_event[]){{0, PROCESSOR_EV_LOADED, CARD_BASE + 64, 500, 0, ANY_CAUSE},
            {0, PROCESSOR_EV_STALE, CARD_BASE + 64, 500, 503, ANY_CAUSE}},
        1 + old);
  }
}
