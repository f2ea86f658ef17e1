/* Single steps of a processor's threads, each taken alone: who waits for a semaphore, whose priority is set,
 * and when a row that goes line by line is over. */
#include "test/processor.h"

/* A priority is asked for, or set: then the running thread looks whether it is outranked now. A thread that
 * is not there has none. */
static void a_priority_that_is_set_may_outrank(void **state) {
  (void)state;
  round_numbers();
  static const uint64_t program[] = {
      DO(SPEND, 1 * US, 0, 0), END_ROW, DO(THREAD, 0, 6, 0), DO(SPEND, 1 * US, 0, 0), END_ROW};
  assert_int_equal(opened(ROWS(program)), SIM_OK);
  sim *m = test_engine();
  struct processor_state *s = STATE_OF("cpu", processor);
  for (uint32_t set = 0; set < 2; set++) {
    s->woken = 0;
    assert_int_equal(processor_os_priority(m, SIM_CONTEXT(m, CPU, processor),
                         &(struct os_priority){.thread = 1, .set = set, .priority = 9}),
        6);
    assert_int_equal(cpu_threads(m, s)[1].priority, set ? 9 : 6);
    assert_int_equal(s->woken, set);
  }
  s->current = 0, s->woken = 1;
  assert_int_equal(outranked(m, CONTEXT_OF("cpu", processor)), 1);
  assert_int_equal(
      processor_os_priority(m, SIM_CONTEXT(m, CPU, processor), &(struct os_priority){.thread = 3}), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_priority_that_is_set_may_outrank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
