/* A processor's threads by hand: priorities, slices, semaphores and interrupts; times in microseconds. */
#include "test/processor.h"

/* B has priority: it waits first and is switched away from (3). A works (100) and signals; B wakes (2) and
 * ends; A wakes (2). */
static void a_thread_of_higher_priority_goes_on_as_soon_as_it_can(void **state) {
  (void)state;
  round_numbers();
  static const uint64_t program[] = {DO(SPEND, 100 * US, 0, 0), DO(SIGNAL, 0, 0, 4), DO(SPEND, 50 * US, 0, 0),
      END_ROW, DO(THREAD, 0, 1, 0), DO(LAP, 0, 0, 0), DO(WAIT, 0, 0, 4), DO(LAP_END, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), (3 + 100 + 2 + 2 + 50) * US);
  assert_int_equal(COUNT(lap_time), (3 + 100 + 2) * US);
  assert_int_equal(COUNT(switches), 1);
  assert_int_equal(COUNT(in_switch), 3 * US);
  assert_int_equal(COUNT(in_wake), 4 * US);
  assert_int_equal(COUNT(in_work), 150 * US);
}

/* B's slice is used up long before it has done its 100; A, which is ready, has to wait until then all the
 * same; from what has ended nothing is switched away. */
static void a_slice_is_over_for_equals_only(void **state) {
  (void)state;
  round_numbers();
  PARAMS("cpu", processor)->quantum = 30 * US;
  static const uint64_t program[] = {DO(SPEND, 100 * US, 0, 0), END_ROW, DO(THREAD, 0, 1, 0),
      DO(LAP, 0, 0, 0), DO(SPEND, 50 * US, 0, 0), DO(SPEND, 50 * US, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), (100 + 100) * US);
  assert_int_equal(COUNT(lap_time), 100 * US);
  assert_int_equal(COUNT(switches), 0);
  uint32_t rows;
  checked_view(test_engine(), CPU, PROCESSOR_VIEW_THREADS, &rows);
  assert_int_equal(rows, 3); /* the handler of interrupts is one as well */
}

static void a_thread_of_equal_priority_waits_for_its_turn(void **state) {
  (void)state;
  round_numbers();
  static const uint64_t program[] = {DO(WAIT, 0, 0, 4), DO(LAP, 0, 0, 0), DO(SPEND, 1 * US, 0, 0),
      DO(LAP_END, 0, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 100 * US, 0, 0), DO(SIGNAL, 0, 0, 4),
      DO(SPEND, 50 * US, 0, 0), END_ROW};
  assert_int_equal(TIME(program), (3 + 100 + 50 + 2 + 1) * US);
}

/* A semaphore that is positive is taken without waiting, as often as it was signalled. */
static void signals_are_kept_until_somebody_waits(void **state) {
  (void)state;
  round_numbers();
  static const uint64_t program[] = {DO(SIGNAL, 0, 0, 3), DO(SIGNAL, 0, 0, 3), DO(SIGNAL, 0, 0, 15),
      DO(WAIT, 0, 0, 3), DO(WAIT, 0, 0, 15), DO(WAIT, 0, 0, 3), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0),
      DO(WAIT, 0, 0, 3), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), 3 * US); /* the third wait for 3 never ends */
  assert_int_equal(COUNT(laps), 1);
}

/* Both threads wait for 2; each signal lets one go on, the first in their order. */
static void a_signal_wakes_one_thread_of_those_that_wait_for_it(void **state) {
  (void)state;
  round_numbers();
  static const uint64_t program[] = {DO(WAIT, 0, 0, 2), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW,
      DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 1), DO(LAP, 0, 0, 1), DO(LAP_END, 0, 0, 1), END_ROW,
      DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 2), DO(LAP, 0, 0, 1), DO(LAP_END, 0, 0, 1), END_ROW,
      DO(THREAD, 0, 0, 0), DO(SIGNAL, 0, 0, 2), END_ROW};
  assert_int_equal(TIME(program), (3 * 3 + 2) * US);
  assert_int_equal(COUNT(laps), 1);
  assert_int_equal(COUNT(laps_1), 0);
}

/*
 * Two threads with five pieces of 10 us each, slices of 30 us. A: 0 to 30; B: 30 to 60. A wakes (2) and has
 * two left: to 82. B wakes: to 104. With slices a little longer A does a fourth piece: to 40; B 40 to 80; A
 * wakes, one left: to 92; B: to 104.
 */
static void equal_threads_take_turns_when_a_slice_is_used_up(void **state) {
  (void)state;
  static const uint64_t program[] = {DO(REPEAT, 0, 5, 0), DO(SPEND, 10 * US, 0, 0), DO(AGAIN, 0, 0, 0),
      DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(REPEAT, 0, 5, 0),
      DO(SPEND, 10 * US, 0, 0), DO(AGAIN, 0, 0, 0), END_ROW};
  static const struct {
    uint64_t quantum, first;
  } cases[] = {{30 * US, 82 * US}, {30 * US + 1, 92 * US}};
  for (uint32_t i = 0; i < 2; i++) {
    round_numbers();
    PARAMS("cpu", processor)->quantum = cases[i].quantum;
    assert_int_equal(opened(ROWS(program)), SIM_OK);
    sim_run(test_engine(), cases[i].first - 1, SIM_NEVER);
    assert_int_equal(COUNT(laps), 0);
    sim_run(test_engine(), cases[i].first, SIM_NEVER);
    assert_int_equal(COUNT(laps), 1);
    sim_run(test_engine(), SIM_NEVER, SIM_NEVER);
    assert_int_equal(test_engine()->time, 104 * US);
    assert_int_equal(COUNT(switches), 0); /* nobody blocked */
  }
}

/* The other master's interrupt comes 20 us and 180 ns after the start: 64 B in 18 clocks of 10 ns. */
static void interrupted(uint64_t at) {
  round_numbers();
  PARAMS("bus", pci)->clock = 100000000, PARAMS("bus", pci)->width = 4, PARAMS("bus", pci)->decode = 1;
  PARAMS("peer", peer)->delay = at - 180 * NS, PARAMS("peer", peer)->blocks = 1,
                 PARAMS("peer", peer)->bytes = 64, PARAMS("peer", peer)->address = 0x8000;
}

/* Work is put off while the handler runs (5) and while the thread that waited, of higher priority, wakes (2)
 * and works (8). */
static void an_interrupt_puts_off_what_runs(void **state) {
  (void)state;
  interrupted(20 * US);
  static const uint64_t program[] = {DO(SPEND, 100 * US, 0, 0), DO(SPEND, 1 * US, 0, 0), END_ROW,
      DO(THREAD, 0, 1, 0), DO(LAP, 0, 0, 0), DO(WAIT, 0, 0, 1), DO(SPEND, 8 * US, 0, 0), DO(LAP_END, 0, 0, 0),
      END_ROW};
  assert_int_equal(TIME(program), (3 + 100 + 1 + 5 + 2 + 8) * US);
  assert_int_equal(COUNT(lap_time), (20 + 5 + 2 + 8) * US);
  assert_int_equal(COUNT(interrupts), 1);
  assert_int_equal(COUNT(in_interrupt), 5 * US);
  assert_int_equal(COUNT(in_work), 109 * US);
}

/* The thread that waited has the same priority: what was interrupted goes on. */
static void what_was_interrupted_goes_on_before_its_equals(void **state) {
  (void)state;
  interrupted(20 * US);
  static const uint64_t program[] = {DO(WAIT, 0, 0, 1), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0),
      DO(SPEND, 8 * US, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 100 * US, 0, 0), END_ROW};
  assert_int_equal(TIME(program), (3 + 100 + 5 + 2 + 8) * US);
}

/* During the switch away (3) interrupts are held off: the handler begins at 3, though the interrupt came
 * at 1. */
static void a_switch_holds_interrupts_off(void **state) {
  (void)state;
  interrupted(1 * US);
  static const uint64_t program[] = {DO(LAP, 0, 0, 0), DO(WAIT, 0, 0, 1), DO(LAP_END, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), (3 + 5 + 2) * US);
  assert_int_equal(COUNT(lap_time), 10 * US);
  assert_int_equal(COUNT(lap_busy), 10 * US);
}

/* Idle from 3 to 50: a lap's busy time leaves that out. */
static void a_lap_knows_how_long_the_processor_was_busy(void **state) {
  (void)state;
  interrupted(50 * US);
  static const uint64_t program[] = {DO(SPEND, 1 * US, 0, 0), DO(LAP, 0, 0, 0), DO(WAIT, 0, 0, 1),
      DO(LAP_END, 0, 0, 0), DO(LAP, 0, 0, 0), DO(SPEND, 4 * US, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), (50 + 5 + 2 + 4) * US);
  assert_int_equal(COUNT(laps), 2);
  assert_int_equal(COUNT(lap_time), (49 + 5 + 2 + 4) * US);
  assert_int_equal(COUNT(lap_busy), (3 + 5 + 2 + 4) * US);
  assert_int_equal(COUNT(lap_last), 4 * US);
}

static void stop_ends_every_thread(void **state) {
  (void)state;
  round_numbers();
  PARAMS("cpu", processor)->quantum = 25 * US;
  static const uint64_t program[] = {DO(REPEAT, 0, 0, 0), DO(SPEND, 10 * US, 0, 0), DO(AGAIN, 0, 0, 0),
      END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 5 * US, 0, 0), DO(STOP, 0, 0, 0), DO(LAP, 0, 0, 0),
      DO(LAP_END, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), 35 * US); /* a slice of the first (30), then 5 */
  assert_int_equal(COUNT(laps), 0);
}

/*
 * A thread of higher priority waits (switch 3), and is woken at 20 us: then 17 us of the other's work are
 * done. Handler (5), wake (2), its own work (8); what is left of the other's is done then, were it a
 * picosecond, and only once: when that thread has waited later on, it wakes and works on.
 */
static void what_is_left_of_interrupted_work_is_done_once(void **state) {
  (void)state;
  interrupted(20 * US);
  for (uint64_t left = 1; left <= 2; left++) {
    const uint64_t program[] = {DO(SPEND, 17 * US + left, 0, 0), END_ROW, DO(THREAD, 0, 1, 0),
        DO(WAIT, 0, 0, 1), DO(SPEND, 8 * US, 0, 0), END_ROW};
    assert_int_equal(TIME(program), (20 + 5 + 2 + 8) * US + left);
    assert_int_equal(COUNT(in_work), (17 + 8) * US + left);
  }
  static const uint64_t waits[] = {DO(SPEND, 100 * US, 0, 0), DO(WAIT, 0, 0, 2), DO(SPEND, 1 * US, 0, 0),
      END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 50 * US, 0, 0), DO(SIGNAL, 0, 0, 2), END_ROW,
      DO(THREAD, 0, 1, 0), DO(WAIT, 0, 0, 1), DO(SPEND, 8 * US, 0, 0), END_ROW};
  /* C waits at once (switch 3); A works 17; handler 5; C wakes 2, works 8; A's other 83, and it waits (3); B
   * works 50; A wakes 2, works 1. */
  assert_int_equal(TIME(waits), (3 + 17 + 5 + 2 + 8 + 83 + 3 + 50 + 2 + 1) * US);
  assert_int_equal(COUNT(in_work), (100 + 1 + 50 + 8) * US);
  assert_int_equal(COUNT(in_switch), 2 * 3 * US);
}

/* Two stores to registers and a load, and one interrupt: counted as what they are; when all is done the
 * handler's thread is over, as the program's is. */
static void a_register_access_is_counted_and_a_handler_is_over(void **state) {
  (void)state;
  interrupted(20 * US);
  static const uint64_t program[] = {ROW(IO_STORE, 0, CARD_BASE, 4, 0, 5, 0),
      ROW(IO_STORE, 0, CARD_BASE + 4, 4, 0, 6, 0), ROW(IO_LOAD, CARD_BASE, 0, 4, 0, 0, 0), DO(WAIT, 0, 0, 1),
      END_ROW};
  TIME(program);
  assert_int_equal(COUNT(stores), 2);
  assert_int_equal(COUNT(loads), 1);
  assert_int_equal(COUNT(interrupts), 1);
  uint32_t rows;
  const struct processor_threads *threads = checked_view(test_engine(), CPU, PROCESSOR_VIEW_THREADS, &rows);
  assert_int_equal(rows, 2);
  for (uint32_t i = 0; i < rows; i++) assert_int_equal(threads[i].status, PROCESSOR_THREAD_OVER);
}

/* One thread waits for 3 and one for 5; a signal to 5 is nothing to the first, and none is left over. */
static void a_signal_wakes_nobody_who_waits_for_another(void **state) {
  (void)state;
  round_numbers();
  static const uint64_t program[] = {DO(WAIT, 0, 0, 3), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW,
      DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 5), DO(LAP, 0, 0, 1), DO(LAP_END, 0, 0, 1), END_ROW,
      DO(THREAD, 0, 0, 0), DO(SPEND, 10 * US, 0, 0), DO(SIGNAL, 0, 0, 5), END_ROW};
  assert_int_equal(TIME(program), (3 + 3 + 10 + 2) * US);
  assert_int_equal(COUNT(laps), 0);
  assert_int_equal(COUNT(laps_1), 1);
  const struct processor_semaphores *semaphores =
      sim_at(test_engine(), STATE_OF("cpu", processor)->semaphores_at);
  for (uint32_t tag = 0; tag < SEMAPHORES; tag++) assert_int_equal(semaphores[tag].value, 0);
}

/* The end of a program is told as that, and is no transfer that begins. */
static void an_end_begins_nothing(void **state) {
  (void)state;
  round_numbers();
  static const uint64_t program[] = {
      DO(SPEND, 10 * US, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 5 * US, 0, 0), END_ROW};
  assert_int_equal(TIME(program), 15 * US);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t ended = 0;
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++) {
    if (ring[i].part != CPU) continue;
    assert_int_not_equal(ring[i].kind, PROCESSOR_EV_BEGIN);
    if (ring[i].kind != PROCESSOR_EV_ENDED) continue;
    assert_int_equal(ring[i].time, (ended ? 15 : 10) * US);
    assert_int_equal(ring[i].b, ended++);
  }
  assert_int_equal(ended, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thread_of_higher_priority_goes_on_as_soon_as_it_can),
      cmocka_unit_test(a_slice_is_over_for_equals_only),
      cmocka_unit_test(a_thread_of_equal_priority_waits_for_its_turn),
      cmocka_unit_test(signals_are_kept_until_somebody_waits),
      cmocka_unit_test(a_signal_wakes_one_thread_of_those_that_wait_for_it),
      cmocka_unit_test(equal_threads_take_turns_when_a_slice_is_used_up),
      cmocka_unit_test(an_interrupt_puts_off_what_runs),
      cmocka_unit_test(what_was_interrupted_goes_on_before_its_equals),
      cmocka_unit_test(a_switch_holds_interrupts_off),
      cmocka_unit_test(a_lap_knows_how_long_the_processor_was_busy),
      cmocka_unit_test(stop_ends_every_thread),
      cmocka_unit_test(what_is_left_of_interrupted_work_is_done_once),
      cmocka_unit_test(a_register_access_is_counted_and_a_handler_is_over),
      cmocka_unit_test(a_signal_wakes_nobody_who_waits_for_another),
      cmocka_unit_test(an_end_begins_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
