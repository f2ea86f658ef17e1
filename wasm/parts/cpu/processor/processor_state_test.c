/* What is kept of a processor and its threads for exploring, what is not, and what of its own may happen
 * when. */
#include "test/processor.h"

enum { THREADS = 2, HANDLER = THREADS };

/* Two threads: one works for 100 us, one waits for semaphore 2. */
static struct processor_state *at_work(void) {
  static const uint64_t program[] = {
      DO(SPEND, 100 * US, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 2), END_ROW};
  round_numbers();
  assert_int_equal(opened(ROWS(program)), SIM_OK);
  sim_run(test_engine(), 1 * US, SIM_NEVER);
  return STATE_OF("cpu", processor);
}

static uint32_t *upper(uint64_t *half) { return (uint32_t *)half + 1; }

/* The same processor written out; answers how many bytes that is. */
static uint32_t written(uint8_t *bytes) {
  struct sim_codec k = {.at = bytes};
  processor_serialize(test_engine(), SIM_CONTEXT(test_engine(), CPU, processor), &k);
  return (uint32_t)(k.at - bytes);
}

/* Of the handler as of any thread: where it is in its program and in its access; with four loops within each
 * other all rows and counts. */
static void all_that_a_thread_goes_on_from_is_kept(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  for (uint32_t i = 0; i <= HANDLER; i++) {
    thread *t = &cpu_threads(test_engine(), s)[i];
    t->depth = PROCESSOR_PROGRAM_LOOPS;
    KEEPS(CPU, &t->status, &t->row, &t->priority, &t->depth, &t->dirty, &t->stage, &t->service, &t->fills,
        &t->delegated, &t->spare, &t->done, upper(&t->done), &t->value, upper(&t->value));
    for (uint32_t depth = 0; depth < PROCESSOR_PROGRAM_LOOPS; depth++)
      KEEPS(CPU, &t->loop_row_0 + depth, &t->loop_left_0 + depth, upper(&t->loop_left_0 + depth));
  }
}

/* A loop that is over is not looked at again: two within each other are kept as far as the second. What a
 * state is called, where a thread begins and since when it has been ready decide nothing. */
static void what_a_thread_does_not_go_on_from_is_not_kept(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  for (uint32_t i = 0; i <= HANDLER; i++) {
    thread *t = &cpu_threads(test_engine(), s)[i];
    t->depth = 2;
    KEEPS(CPU, &t->loop_row_1, &t->loop_left_1);
    KEEPS_NOT(CPU, &t->loop_row_2, &t->loop_left_2, &t->loop_row_3, &t->loop_left_3, &t->first, &t->state,
        &t->ready_since);
  }
}

/* Two numbers of a byte and six more, a word of interrupts, 16 semaphores; of each thread 31 bytes, and 10
 * for each loop that it is in. */
static void what_is_kept_has_room_for_loops_that_are_open_only(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  uint8_t bytes[CODEC_PART];
  for (uint32_t depth = 0; depth <= PROCESSOR_PROGRAM_LOOPS; depth++) {
    cpu_threads(test_engine(), s)[0].depth = depth;
    assert_int_equal(written(bytes), 2 + 6 + 4 + 16 + 3 * 31 + 10 * depth);
  }
}

/* What the cache has fetched is seen at once, and so is that it begins or that a thread was woken; timers,
 * interrupts and data of the bus come whenever they like. */
static void what_takes_no_time_is_at_once(void **state) {
  (void)state;
  at_work();
  static const struct {
    uint32_t port, kind, when;
  } cases[] = {{PROCESSOR_PORT_CACHE, 0, SIM_INVISIBLE},
      {PROCESSOR_PORT_CACHE, PROCESSOR_TIMER, SIM_INVISIBLE}, {SIM_PORT_SELF, PROCESSOR_START, SIM_INVISIBLE},
      {SIM_PORT_SELF, PROCESSOR_WOKEN, SIM_INVISIBLE}, {SIM_PORT_SELF, PROCESSOR_TIMER, SIM_ENABLED},
      {PROCESSOR_PORT_FRONT, 0, SIM_ENABLED}, {PROCESSOR_PORT_FRONT, PROCESSOR_TIMER, SIM_ENABLED},
      {PROCESSOR_PORT_FRONT, PROCESSOR_WOKEN, SIM_ENABLED}, {PROCESSOR_PORT_IRQ, 0, SIM_ENABLED}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sim_msg msg = {.port = (uint16_t)cases[i].port, .kind = (uint16_t)cases[i].kind};
    assert_int_equal(
        processor_enabled(test_engine(), SIM_CONTEXT(test_engine(), CPU, processor), &msg), cases[i].when);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_a_thread_goes_on_from_is_kept),
      cmocka_unit_test(what_a_thread_does_not_go_on_from_is_not_kept),
      cmocka_unit_test(what_is_kept_has_room_for_loops_that_are_open_only),
      cmocka_unit_test(what_takes_no_time_is_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
