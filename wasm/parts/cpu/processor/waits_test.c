/* Single steps of a processor's threads, taken by hand: who waits for a semaphore, and whose priority is set. */
#include "host/processor_machine.h"

/* A semaphore of 0 makes the thread wait, and its switch begins; one of 1 is taken, and the next row is due. */
static void a_semaphore_that_is_low_makes_its_thread_wait(void **state) {
  (void)state;
  for (uint32_t value = 0; value < 2; value++) {
    struct gt_machine g = round_numbers();
    static const uint64_t program[] = {DO(WAIT, 0, 0, 4), END_ROW};
    assert_int_equal(opened(&g, program, sizeof program / 8), BY_OK);
    by *m = test_engine();
    struct processor_state *s = BY_STATE(m, CPU, processor);
    struct processor_semaphores *semaphore = (struct processor_semaphores *)by_at(m, s->semaphores_at) + 4;
    thread *t = cpu_threads(m, s);
    s->current = 0, t->status = PROCESSOR_THREAD_RUNNING, semaphore->value = value;
    step_wait(m, CPU, t, cpu_rows(m, s));
    assert_int_equal(semaphore->value, 0);
    assert_int_equal(t->status, value ? PROCESSOR_THREAD_RUNNING : PROCESSOR_THREAD_WAITS);
    assert_int_equal(t->row, value);
    assert_int_equal(s->held, !value);
    assert_int_equal(COUNT(switches), !value);
  }
}

/* A priority is asked for, or set: then the running thread looks whether it is outranked now. A thread that is not there has none. */
static void a_priority_that_is_set_may_outrank(void **state) {
  (void)state;
  struct gt_machine g = round_numbers();
  static const uint64_t program[] = {DO(SPEND, 1 * US, 0, 0), END_ROW, DO(THREAD, 0, 6, 0), DO(SPEND, 1 * US, 0, 0), END_ROW};
  assert_int_equal(opened(&g, program, sizeof program / 8), BY_OK);
  by *m = test_engine();
  struct processor_state *s = BY_STATE(m, CPU, processor);
  for (uint32_t set = 0; set < 2; set++) {
    s->woken = 0;
    assert_int_equal(processor_os_priority(m, CPU, &(struct os_priority){.thread = 1, .set = set, .priority = 9}), 6);
    assert_int_equal(cpu_threads(m, s)[1].priority, set ? 9 : 6);
    assert_int_equal(s->woken, set);
  }
  s->current = 0, s->woken = 1;
  assert_int_equal(outranked(m, s), 1);
  assert_int_equal(processor_os_priority(m, CPU, &(struct os_priority){.thread = 3}), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_semaphore_that_is_low_makes_its_thread_wait),
      cmocka_unit_test(a_priority_that_is_set_may_outrank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
