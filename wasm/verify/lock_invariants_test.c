/* Locks of threads: priority inversion, in states that are set up by hand. */
#include "test/testing.h"

#include "verify/lock_invariants.c"

#define END PROCESSOR_OP_END, 0, 0, 0, 4, 0, 0, 0
#define NEXT(priority) PROCESSOR_OP_THREAD, 0, 0, 0, 4, 0, priority, 0

enum { KERNEL, CPU };

static void opened(const uint64_t *program, uint32_t values) {
  static struct session s;
  const struct processor_params cpu = PROCESSOR_DEFAULTS;
  const struct kernel_params kernel = KERNEL_DEFAULTS;
  s = session_new(2, 1, 12);
  session_part(&s, SIM_TYPE_KERNEL, (const uint64_t *)&kernel, sizeof kernel / 8);
  session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
  session_table(&s, program, values / 8, 8);
  session_wire(&s, KERNEL, KERNEL_PORT_CPU, CPU, PROCESSOR_PORT_OS);
  assert_int_equal(session_open(&s), SIM_OK);
  session_run();
}

/* Low owns the lock, high waits for it, and a third thread computes on low's processor. That is an inversion
 * if the third thread has a lower priority than high and low is ready. All are threads of one processor. */
TEST(priority_inversion_is_found) {
  static const uint64_t four[] = {END, NEXT(2), END, NEXT(3), END, NEXT(1), END};
  static const struct {
    uint32_t waits, owner, runs, ready, priority, timing, held, op, inverted;
  } cases[] = {{1, 1, 1, 1, 5, 1, 0, PROCESSOR_OP_SPEND, 1}, {0, 1, 1, 1, 5, 1, 0, PROCESSOR_OP_SPEND, 0},
      {1, 1, 0, 1, 5, 1, 0, PROCESSOR_OP_SPEND, 0}, {1, 1, 1, 0, 5, 1, 0, PROCESSOR_OP_SPEND, 0},
      {1, 1, 1, 1, 2, 1, 0, PROCESSOR_OP_SPEND, 0}, {1, 1, 1, 1, 3, 1, 0, PROCESSOR_OP_SPEND, 1},
      {1, 1, 1, 1, 5, 0, 0, PROCESSOR_OP_SPEND, 0}, {1, 1, 1, 1, 5, 1, 1, PROCESSOR_OP_SPEND, 0},
      {1, 1, 1, 1, 5, 1, 0, PROCESSOR_OP_LOCK, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t between = 0; between < 2;
        between++) { /* the owner waits for another lock, whose owner is the one checked */
      opened(four, sizeof four / 8);
      sim *m = test_engine();
      assert_false(is_inverted(m, KERNEL));
      assert_false(is_inverted(m, SIM_NONE));
      struct processor_state *s = SIM_STATE(m, CPU, processor);
      thread *t = cpu_threads(m, s);
      const uint32_t high = 2, middle = 1, low = 0;
      if (cases[i].waits)
        kernel_call_of(m, SIM_CONTEXT(m, KERNEL, kernel), high)
            ->wants = KERNEL_WANTS_A_LOCK,
       kernel_call_of(m, SIM_CONTEXT(m, KERNEL, kernel), high)->object = 4;
      *kernel_owner_of(m, SIM_CONTEXT(m, KERNEL, kernel), 4) = low + 1;
      if (between) { /* through a thread of another row */
        *kernel_owner_of(m, SIM_CONTEXT(m, KERNEL, kernel), 4) = 3 + 1;
        kernel_call_of(m, SIM_CONTEXT(m, KERNEL, kernel), 3)->wants = KERNEL_WANTS_A_LOCK,
                                                          kernel_call_of(m, SIM_CONTEXT(m, KERNEL, kernel), 3)
                                                              ->object = 9;
        *kernel_owner_of(m, SIM_CONTEXT(m, KERNEL, kernel), 9) = low + 1;
        t[3].priority = 0;
      }
      s->current = cases[i].runs ? middle : low, s->timing = cases[i].timing, s->held = cases[i].held,
      s->irqs = 0;
      t[low].status = cases[i].ready ? PROCESSOR_THREAD_READY : PROCESSOR_THREAD_OVER;
      if (!cases[i].waits)
        t[high].status = PROCESSOR_THREAD_READY; /* ready as well, and not waiting for a lock */
      t[high].priority = cases[i].priority, t[middle].priority = 2;
      ((struct processor_program_row *)cpu_rows(m, s))[t[s->current].row].do_ = cases[i].op;
      assert_int_equal(is_inverted(m, KERNEL), cases[i].inverted);
      s->current = s->thread_count; /* no thread computes */
      assert_false(is_inverted(m, KERNEL));
    }
}

/* A cycle of waiting owners has no last owner and is no inversion. It is a deadlock, and reported as one. */
TEST(a_cycle_of_owners_is_no_inversion) {
  static const uint64_t two[] = {END, NEXT(2), END};
  opened(two, sizeof two / 8);
  sim *m = test_engine();
  for (uint32_t row = 0; row < 2; row++) {
    kernel_call_of(m, SIM_CONTEXT(m, KERNEL, kernel), row)->wants = KERNEL_WANTS_A_LOCK,
                                                      kernel_call_of(m, SIM_CONTEXT(m, KERNEL, kernel), row)
                                                          ->object = row;
    *kernel_owner_of(m, SIM_CONTEXT(m, KERNEL, kernel), row) = 2 - row; /* the other row */
  }
  assert_false(is_inverted(m, KERNEL));
}
