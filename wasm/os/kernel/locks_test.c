/* Locks: owners, waiters, and the priority that owners inherit from waiters. Times are in microseconds. */
#include "test/kernel.h"

/*
 * Priority inversion: a low thread owns the lock that a high one wants, while a middle one has much work.
 * High and middle sleep first: a call (1) and the switch away (3) each, so low begins at 8 and owns the lock
 * at 9. High's sleep ends at 1 + 20 = 21, after 12 of low's 30: interrupt (5), wake (2). During that, at 5 +
 * 22 = 27, comes middle's interrupt (5), so high calls LOCK at 33 and waits from 34 on. The switch away from
 * high ends at 37.
 */
#define INVERSION                                                                                         \
  ROW(LOCK, 0, 0), ROW(SPEND, 30, 0), ROW(UNLOCK, 0, 0), END, NEXT(2), ROW(SLEEP, 20, 0), ROW(LAP, 0, 0), \
      ROW(LOCK, 0, 0), ROW(UNLOCK, 0, 0), ROW(LAP_END, 0, 0), END, NEXT(1), ROW(SLEEP, 22, 0),            \
      ROW(SPEND, 500, 0), END

/* Low runs before middle, finishes its remaining 18 and unlocks (1) at 56. */
TEST(a_lock_owner_inherits_the_priority_of_its_waiter) {
  PROGRAM(program, INVERSION);
  one(ROWS(program));
  machine_run();
  EXPECT_VALUES({KERNEL_COUNT(lock_waits), 1}, {KERNEL_COUNT(inherited), 1},
      {KERNEL_COUNT(lock_wait_most), (37 + 18 + 1 - 34) * US});
  uint32_t rows;
  const struct kernel_tasks *tasks = checked_view(test_engine(), KERNEL, KERNEL_VIEW_TASKS, &rows);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(tasks[i].priority, i == 0 ? 0 : 3 - i);        /* each has its own again */
  assert_int_equal(CPU_COUNT(0, lap_last), (56 - 33 + 2 + 1) * US); /* high wakes (2) and unlocks (1) */
}

/* Middle wakes (2) and does its 500 first. */
TEST(without_inheritance_a_middle_thread_delays_both) {
  PROGRAM(program, INVERSION);
  one(ROWS(program));
  PARAMS("kernel", kernel)->inherit = 0;
  machine_run();
  EXPECT_VALUES({KERNEL_COUNT(lock_waits), 1}, {KERNEL_COUNT(inherited), 0},
      {KERNEL_COUNT(lock_wait_most), (37 + 2 + 500 + 18 + 1 - 34) * US});
}

/* A waits for B's lock while B waits for C's. C runs at A's priority, and the threads finish in order of
 * priority. */
TEST(inheritance_follows_a_chain) {
  PROGRAM(program, ROW(LOCK, 0, 1), ROW(SPEND, 200, 0), ROW(UNLOCK, 0, 1), END, NEXT(1), ROW(SLEEP, 30, 0),
      ROW(LOCK, 0, 0), ROW(LOCK, 0, 1), ROW(UNLOCK, 0, 1), ROW(UNLOCK, 0, 0), END, NEXT(3), ROW(SLEEP, 80, 0),
      ROW(LOCK, 0, 0), ROW(UNLOCK, 0, 0), END, NEXT(2), ROW(SLEEP, 120, 0), ROW(SPEND, 1000, 0), END);
  one(ROWS(program));
  machine_run();
  assert_int_equal(KERNEL_COUNT(lock_waits), 2);
  assert_int_equal(KERNEL_COUNT(inherited), 3); /* C from B; then B and C from A */
  assert_true(KERNEL_COUNT(lock_wait_most) < 300 * US);
  const struct kernel_tasks *tasks =
      sim_at(test_engine(), SIM_STATE(test_engine(), KERNEL, kernel)->tasks_at);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(tasks[i].priority, tasks[i].own);
}

/* High sleeps while it owns the lock, and low waits for it. High keeps its priority; nothing is inherited. */
TEST(a_lower_priority_is_not_inherited) {
  PROGRAM(program, ROW(SLEEP, 20, 0), ROW(LOCK, 0, 0), ROW(UNLOCK, 0, 0), END, NEXT(2), ROW(LOCK, 0, 0),
      ROW(SLEEP, 100, 0), ROW(UNLOCK, 0, 0), END);
  one(ROWS(program));
  machine_run();
  EXPECT_VALUES({KERNEL_COUNT(lock_waits), 1}, {KERNEL_COUNT(inherited), 0});
  const struct kernel_tasks *tasks =
      sim_at(test_engine(), SIM_STATE(test_engine(), KERNEL, kernel)->tasks_at);
  EXPECT_VALUES({tasks[0].priority, 0}, {tasks[1].priority, 2});
}

/* Low gives semaphore 1, then high waits for low's lock. Low itself does not wait, so the owner of lock 1
 * inherits nothing. */
TEST(an_owner_that_does_not_wait_ends_the_chain) {
  PROGRAM(program, ROW(LOCK, 0, 0), ROW(GIVE, 0, 1), ROW(SPEND, 100, 0), ROW(UNLOCK, 0, 0), END, NEXT(5),
      ROW(SLEEP, 50, 0), ROW(LOCK, 0, 0), ROW(UNLOCK, 0, 0), END, NEXT(1), ROW(LOCK, 0, 1),
      ROW(SLEEP, 400, 0), ROW(UNLOCK, 0, 1), END);
  one(ROWS(program));
  machine_run();
  EXPECT_VALUES({KERNEL_COUNT(lock_waits), 1}, {KERNEL_COUNT(inherited), 1});
}

TEST(only_its_owner_releases_a_lock) {
  PROGRAM(program, ROW(UNLOCK, 0, 0), ROW(LOCK, 0, 0), END);
  one(ROWS(program));
  machine_run();
  EXPECT_VALUES({KERNEL_COUNT(refused), 1}, {CPU_COUNT(0, refused), 1}, {KERNEL_COUNT(locked), 1});
}

/*
 * Only calls take time, 1 each. On the first processor thread 1 calls after thread 0 and owns the lock from 2
 * on, for 100. On the second, thread 2 waits for it from 11 on. Each event names thread and processor. The
 * lost-wake defect does not affect locks.
 */
TEST(lock_events_name_processors_and_threads) {
  PROGRAM(a, ROW(SLEEP, 1000, 0), ROW(LOCK, 0, 3), END, NEXT(0), ROW(LOCK, 0, 3), ROW(SPEND, 100, 0),
      ROW(UNLOCK, 0, 3), END);
  PROGRAM(b, ROW(SLEEP, 1000, 0), END, NEXT(0), ROW(SLEEP, 1000, 0), END, NEXT(4), ROW(SPEND, 10, 0),
      ROW(LOCK, 0, 3), ROW(UNLOCK, 0, 3), ROW(UNLOCK, 0, 3), END);
  two_quick(ROWS(a), ROWS(b));
  for (uint32_t drowsy = 0; drowsy < 2; drowsy++) {
    PARAMS("kernel", kernel)->fault = drowsy ? KERNEL_FAULT_LOST_WAKE : KERNEL_FAULT_NONE;
    machine_run();
    EXPECT_EVENTS(KERNEL, KERNEL_EVENT(2, LOCK, 3, 0, 1), KERNEL_EVENT(11, WAIT, 3, 1, 2),
        KERNEL_EVENT(11, INHERIT, 4, 0, 1), KERNEL_EVENT(103, UNLOCK, 3, 0, 1),
        KERNEL_EVENT(103, LOCK, 3, 1, 2), KERNEL_EVENT(104, UNLOCK, 3, 1, 2),
        KERNEL_EVENT(105, REFUSED, 3, 1, 2), KERNEL_EVENT(1002, LOCK, 3, 0, 0));
    EXPECT_VALUES({KERNEL_COUNT(lock_wait), 92 * US}, {KERNEL_COUNT(lock_wait_most), 92 * US});
    uint32_t rows;
    const struct kernel_calls *call = checked_view(test_engine(), KERNEL, KERNEL_VIEW_CALLS, &rows);
    for (uint32_t i = 0; i < rows; i++)
      assert_true(call[i].op == 0 || call[i].op == PROCESSOR_OP_UNLOCK
                  || call[i].step == KERNEL_STEP_DONE); /* all calls but the refused one are done */
  }
}

/* Among equal priorities the longest waiter is served first; if several began to wait at once, the first in
 * the order of threads. */
TEST(equal_priorities_are_served_in_order_of_arrival) {
  PROGRAM(late, ROW(SPEND, 10, 0), ROW(TAKE, 0, 2), ROW(LOCK, 0, 5), END, NEXT(0), ROW(SPEND, 50, 0),
      ROW(GIVE, 0, 2), END);
  PROGRAM(at_once, ROW(TAKE, 0, 2), ROW(LOCK, 0, 5), END, NEXT(0), ROW(SPEND, 50, 0), ROW(GIVE, 0, 2), END);
  PROGRAM(other, ROW(TAKE, 0, 2), ROW(LOCK, 0, 6), END);
  two_quick(ROWS(late), ROWS(other));
  machine_run();
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(63, LOCK, 6, 1, 0)); /* 10 + 1 + 50 + 1, then its own call */
  two_quick(ROWS(at_once), ROWS(other));
  machine_run();
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(53, LOCK, 5, 0, 0));
}

/*
 * Low and middle run on the second processor, high on the first. Middle sleeps from 1 on; low runs after the
 * switch (3) and owns the lock (1) at 5. At 21 middle's sleep ends: interrupt (5), wake (2), work from 28 on.
 * High wakes at 41 on an idle processor: interrupt (5), wake (2), lock (1), so it waits from 49 on. Low's
 * processor is then interrupted (5). From 54 on low does the remaining 84 of its 100 and unlocks (1) at 139,
 * long before middle has done its 500.
 */
TEST(an_owner_on_another_processor_continues_at_once) {
  PROGRAM(high, NEXT(2), ROW(SLEEP, 40, 0), ROW(LOCK, 0, 3), ROW(UNLOCK, 0, 3), END);
  PROGRAM(others, ROW(LOCK, 0, 3), ROW(SPEND, 100, 0), ROW(UNLOCK, 0, 3), END, NEXT(1), ROW(SLEEP, 20, 0),
      ROW(SPEND, 500, 0), END);
  two(ROWS(high), ROWS(others));
  machine_run();
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(5, LOCK, 3, 1, 0), KERNEL_EVENT(49, WAIT, 3, 0, 0),
      KERNEL_EVENT(49, INHERIT, 2, 1, 0), KERNEL_EVENT(139, UNLOCK, 3, 1, 0),
      KERNEL_EVENT(139, LOCK, 3, 0, 0), {ANY_TIME, KERNEL_EV_UNLOCK, 3, 0, 0, ANY_CAUSE});
  EXPECT_VALUES({KERNEL_COUNT(lock_wait_most), (139 - 49) * US}, {KERNEL_COUNT(inherited), 1});
}

/* High begins to wait after low, yet is served first. */
TEST(priority_comes_before_time) {
  PROGRAM(program, ROW(LOCK, 0, 0), ROW(SLEEP, 100, 0), ROW(UNLOCK, 0, 0), END, NEXT(5), ROW(SLEEP, 50, 0),
      ROW(LOCK, 0, 0), ROW(UNLOCK, 0, 0), END, NEXT(0), ROW(SLEEP, 10, 0), ROW(LOCK, 0, 0), ROW(UNLOCK, 0, 0),
      END);
  two_quick(ROWS(program), ROWS((const uint64_t[]){END}));
  machine_run();
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t order[3], n = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++)
    if (ring[i].kind == KERNEL_EV_LOCK && n < 3) order[n++] = ring[i].c;
  assert_int_equal(n, 3);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(order[i], i);
}

/*
 * As above, with a third thread of highest priority on the owner's processor that waits for a semaphore. Its
 * call (1) and switch (3) delay that processor by 4: low owns the lock at 9 and middle works from 32 on. Low
 * still does 16 before and 84 from 54 on.
 */
TEST(a_waiter_of_another_object_does_not_affect_the_owner) {
  PROGRAM(high, NEXT(2), ROW(SLEEP, 40, 0), ROW(LOCK, 0, 3), ROW(UNLOCK, 0, 3), END);
  PROGRAM(others, ROW(LOCK, 0, 3), ROW(SPEND, 100, 0), ROW(UNLOCK, 0, 3), END, NEXT(9), ROW(TAKE, 0, 1), END,
      NEXT(1), ROW(SLEEP, 20, 0), ROW(SPEND, 500, 0), END);
  two(ROWS(high), ROWS(others));
  machine_run();
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(9, LOCK, 3, 1, 0), KERNEL_EVENT(49, WAIT, 3, 0, 0),
      KERNEL_EVENT(49, INHERIT, 2, 1, 0), KERNEL_EVENT(139, UNLOCK, 3, 1, 0),
      KERNEL_EVENT(139, LOCK, 3, 0, 0), {ANY_TIME, KERNEL_EV_UNLOCK, 3, 0, 0, ANY_CAUSE});
}

/*
 * The last of sixteen threads owns the lock, on either processor. It inherits a priority, its processor is
 * interrupted, and it continues. The other fifteen end at once. High, on the other processor, calls LOCK at
 * 50.
 */
TEST(the_last_thread_can_own_a_lock) {
  enum { THREADS = 16 };
  static uint64_t owner[(2 * THREADS + 4) * 8];
  static const uint64_t over[] = {NEXT(0), END},
                        last[] = {NEXT(0), ROW(LOCK, 0, 3), ROW(SPEND, 100, 0), ROW(UNLOCK, 0, 3), END};
  uint32_t n = 0;
  for (uint32_t i = 1; i < THREADS; i++, n += sizeof over / 8) memcpy(owner + n, over, sizeof over);
  memcpy(owner + n, last, sizeof last);
  PROGRAM(high, NEXT(4), ROW(SPEND, 50, 0), ROW(LOCK, 0, 3), ROW(UNLOCK, 0, 3), END);
  for (uint32_t cpu = 0; cpu < 2; cpu++) {
    two_quick(ROWS(high), ROWS(high));
    machine_rows(cpu ? "cpu1" : "cpu0", 0, owner, n + sizeof last / 8);
    machine_run();
    EXPECT_EVENTS(KERNEL, KERNEL_EVENT(1, LOCK, 3, cpu, 15), KERNEL_EVENT(51, WAIT, 3, !cpu, 0),
        KERNEL_EVENT(51, INHERIT, 4, cpu, 15), KERNEL_EVENT(102, UNLOCK, 3, cpu, 15),
        KERNEL_EVENT(102, LOCK, 3, !cpu, 0), KERNEL_EVENT(103, UNLOCK, 3, !cpu, 0));
    EXPECT_VALUES({CPU_COUNT(cpu, interrupts), 1}, {CPU_COUNT(!cpu, interrupts), 1});
  }
}

/* The owner sleeps when a thread of the other processor begins to wait for its lock. An interrupt for the
 * inherited priority would be useless; the only one is that of the expired sleep. */
TEST(a_sleeping_owner_is_not_interrupted) {
  PROGRAM(high, NEXT(4), ROW(SPEND, 50, 0), ROW(LOCK, 0, 3), ROW(UNLOCK, 0, 3), END);
  PROGRAM(sleeps, ROW(LOCK, 0, 3), ROW(SLEEP, 200, 0), ROW(UNLOCK, 0, 3), END);
  two_quick(ROWS(high), ROWS(sleeps));
  machine_run();
  EXPECT_VALUES({KERNEL_COUNT(inherited), 1}, {CPU_COUNT(1, interrupts), 1});
}

/* High waits for middle's lock and middle for low's. Low inherits through the chain, although other threads
 * wait for other objects. */
TEST(a_chain_follows_the_object_of_each_wait) {
  PROGRAM(program, ROW(LOCK, 0, 7), ROW(SPEND, 100, 0), ROW(UNLOCK, 0, 7), END, NEXT(9), ROW(TAKE, 0, 3), END,
      NEXT(1), ROW(SLEEP, 20, 0), ROW(LOCK, 0, 4), ROW(LOCK, 0, 7), END, NEXT(9), ROW(TAKE, 0, 3), END,
      NEXT(5), ROW(SLEEP, 50, 0), ROW(LOCK, 0, 4), END);
  two_quick(ROWS(program), ROWS((const uint64_t[]){END}));
  machine_run();
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  static const struct {
    uint64_t priority;
    uint32_t thread;
  } expected[] = {{1, 0}, {5, 2}, {5, 0}};
  uint32_t n = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++) {
    if (ring[i].kind != KERNEL_EV_INHERIT) continue;
    assert_true(n < 3);
    assert_int_equal(ring[i].a, expected[n].priority);
    assert_int_equal(ring[i].c, expected[n++].thread);
  }
  assert_int_equal(n, 3);
}

/* The owner of two locks releases one while a thread of lower priority waits for the other. It keeps its
 * priority, as seen at 60. */
TEST(a_waiter_of_lower_priority_does_not_lower_the_owner) {
  PROGRAM(owner, NEXT(5), ROW(LOCK, 0, 1), ROW(LOCK, 0, 2), ROW(SPEND, 50, 0), ROW(UNLOCK, 0, 1),
      ROW(SPEND, 50, 0), ROW(UNLOCK, 0, 2), END);
  PROGRAM(low, NEXT(1), ROW(SPEND, 10, 0), ROW(LOCK, 0, 2), ROW(UNLOCK, 0, 2), END);
  two_quick(ROWS(owner), ROWS(low));
  assert_int_equal(session_open(machine_session()), SIM_OK);
  sim_run(test_engine(), 60 * US, SIM_NEVER);
  assert_int_equal(*kernel_owner_of(OF(KERNEL, kernel), 1), 0);
  assert_int_equal(KERNEL_COUNT(lock_waits), 1);
  assert_int_equal(kernel_task_of(OF(KERNEL, kernel), 0)->priority, 5);
  assert_int_equal(cpu_threads(test_engine(), SIM_STATE(test_engine(), CPU, processor))[0].priority, 5);
  session_run();
  assert_int_equal(KERNEL_COUNT(inherited), 0);
}
