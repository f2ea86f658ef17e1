/* Single steps of a processor's threads, each in isolation. */
#include "test/processor.h"

/* os_priority reads or sets the priority of a thread. After a change, the running thread checks whether it is
 * outranked. A thread that does not exist has no priority. */
TEST(a_raised_priority_may_preempt) {
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
    EXPECT_VALUES({cpu_threads(m, s)[1].priority, set ? 9 : 6}, {s->woken, set});
  }
  s->current = 0, s->woken = 1;
  assert_int_equal(outranked(m, CONTEXT_OF("cpu", processor)), 1);
  assert_int_equal(
      processor_os_priority(m, SIM_CONTEXT(m, CPU, processor), &(struct os_priority){.thread = 3}), 0);
}
