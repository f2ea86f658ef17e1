/* A thread in a call of a driver: it is not made to give way, and what the driver stores is told as the
 * driver's. */
#include "test/gt_round.h"

#define COUNT(name) (COUNTERS("cpu", processor)->name)
#define LAP(op) ROW(op, 0, 0, 0, 0, 0, 0)

/* Its slice of a microsecond is used up long before the call, of 10 us in, 20 of set-up, polls, 40 of
 * bookkeeping and 3 out, is over; its equal begins then. Between two rows of its program it would have begun
 * after the first. */
static void a_slice_does_not_end_within_a_call(void **state) {
  (void)state;
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
  assert_int_equal(COUNT(in_api), 13 * US);
  assert_int_equal(COUNT(in_finish), 40 * US);
  assert_int_equal(COUNT(switches), 0);
  static const uint64_t works[] = {LAP(LAP), ROW(SPEND, 0, 0, 0, 10 * US, 0, 0),
      ROW(SPEND, 0, 0, 0, 10 * US, 0, 0), END_ROW, ROW(THREAD, 0, 0, 0, 0, 0, 0), LAP(LAP_END), END_ROW};
  OPEN(works);
  session_run();
  assert_int_equal(COUNT(lap_time), 10 * US);
}

/* Three registers are the driver's: four bytes each, which no write of the program's stands behind. A word
 * that the program stores has one. */
static void a_driver_s_stores_are_no_writes_of_the_program(void **state) {
  (void)state;
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
    assert_int_equal(ring[i].a, expected[n].at);
    assert_int_equal(ring[i].b, 4);
    assert_int_equal(ring[i].c != 0, expected[n].writes);
    n++;
  }
  assert_int_equal(n, 4);
}

/* Three words are stored to the card and, when they have been round the ring, read back to another place in
 * memory: each is the newest of its place, so no read is an old one, and memory holds what the card does. */
static void words_that_are_read_back_are_kept_and_not_old(void **state) {
  (void)state;
  round_numbers();
  static const uint64_t program[] = {ROW(PIO_WRITE, HOST, CARD_BASE + 64, 12, 0, 0, 0),
      ROW(SPEND, 0, 0, 0, 100 * US, 0, 0), ROW(PIO_READ, CARD_BASE + 64, HOST + 256, 12, 0, 0, 0), END_ROW};
  OPEN(program);
  session_run();
  assert_int_equal(COUNT(loads), 3);
  assert_int_equal(COUNT(stale_reads), 0);
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

/* A word that is read back is old if another has been written to its place since: that is counted, and told
 * with the place, the one that came and the newest. */
static void a_word_that_is_not_the_newest_is_old(void **state) {
  (void)state;
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
        (const struct told[]){{0, PROCESSOR_EV_LOADED, CARD_BASE + 64, 500, 0, ANY_CAUSE},
            {0, PROCESSOR_EV_STALE, CARD_BASE + 64, 500, 503, ANY_CAUSE}},
        1 + old);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slice_does_not_end_within_a_call),
      cmocka_unit_test(words_that_are_read_back_are_kept_and_not_old),
      cmocka_unit_test(a_driver_s_stores_are_no_writes_of_the_program),
      cmocka_unit_test(a_word_that_is_not_the_newest_is_old),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
