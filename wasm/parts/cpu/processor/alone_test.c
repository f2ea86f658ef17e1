/* Single steps of a processor's threads, each taken alone: who waits for a semaphore, whose priority is set, and when a row that goes line by line is over. */
#include "test/processor_machine.h"

/* A semaphore of 0 makes the thread wait, and its switch begins; one of 1 is taken, and the next row is due. */
static void a_semaphore_that_is_low_makes_its_thread_wait(void **state) {
  (void)state;
  for (uint32_t value = 0; value < 2; value++) {
    struct gt_machine g = round_numbers();
    static const uint64_t program[] = {DO(WAIT, 0, 0, 4), END_ROW};
    assert_int_equal(opened(&g, program, sizeof program / 8), SIM_OK);
    sim *m = test_engine();
    struct processor_state *s = SIM_STATE(m, CPU, processor);
    struct processor_semaphores *semaphore = (struct processor_semaphores *)sim_at(m, s->semaphores_at) + 4;
    thread *t = cpu_threads(m, s);
    s->current = 0, t->status = PROCESSOR_THREAD_RUNNING, semaphore->value = value;
    step_row(m, CPU, t);
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
  assert_int_equal(opened(&g, program, sizeof program / 8), SIM_OK);
  sim *m = test_engine();
  struct processor_state *s = SIM_STATE(m, CPU, processor);
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

/* Of a row of 32 bytes that are worked on there is one step, of 10 us a line; when they are done it is over, and the next row is due. */
static void a_row_is_over_when_all_its_bytes_are_done(void **state) {
  (void)state;
  for (uint32_t done = 0; done < 2; done++) {
    struct gt_machine g = round_numbers();
    static const uint64_t program[] = {ROW(PROCESS, 0x1000, 0, 32, 10 * US, 0, 0), END_ROW};
    assert_int_equal(opened(&g, program, sizeof program / 8), SIM_OK);
    sim *m = test_engine();
    struct processor_state *s = SIM_STATE(m, CPU, processor);
    thread *t = cpu_threads(m, s);
    s->current = 0, t->stage = STAGE_GO, t->done = 32 * done;
    step_row(m, CPU, t);
    assert_int_equal(t->row, done);
    assert_int_equal(t->done, done ? 0 : 32);
    assert_int_equal(s->timing, !done);
    if (!done) assert_int_equal(s->timer_end, 10 * US);
  }
}

/* Who loads is shown to wait for the bus, in the state that it loads in. */
static void who_loads_waits_for_the_bus(void **state) {
  (void)state;
  struct gt_machine g = round_numbers();
  static const uint64_t program[] = {ROW(PIO_READ, CARD_BASE, 0x1000, 4, 0, 0, 0), END_ROW};
  assert_int_equal(opened(&g, program, sizeof program / 8), SIM_OK);
  sim *m = test_engine();
  struct processor_state *s = SIM_STATE(m, CPU, processor);
  thread *t = cpu_threads(m, s);
  s->current = 0;
  load(m, CPU, t, CARD_BASE, 4, PROCESSOR_STATE_LOAD, STAGE_LOAD);
  assert_int_equal(((struct processor_now *)sim_at(m, s->now_at))->state, PROCESSOR_STATE_LOAD);
  assert_int_equal(s->bus_wait, BUS_WAIT);
  assert_int_equal(t->stage, STAGE_LOAD);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_semaphore_that_is_low_makes_its_thread_wait),
      cmocka_unit_test(a_priority_that_is_set_may_outrank),
      cmocka_unit_test(a_row_is_over_when_all_its_bytes_are_done),
      cmocka_unit_test(who_loads_waits_for_the_bus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
