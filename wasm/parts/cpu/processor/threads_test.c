/* A processor's threads, computed by hand: priorities, slices, semaphores and interrupts. Times in
 * microseconds. */
#include "test/processor.h"

/* B has the higher priority: it waits first and is switched out (3). A works (100) and signals; B wakes (2)
 * and ends; A wakes (2). */
TEST(a_thread_of_higher_priority_preempts_at_once) {
  round_numbers();
  static const uint64_t program[] = {DO(SPEND, 100 * US, 0, 0), DO(SIGNAL, 0, 0, 4), DO(SPEND, 50 * US, 0, 0),
      END_ROW, DO(THREAD, 0, 1, 0), DO(LAP, 0, 0, 0), DO(WAIT, 0, 0, 4), DO(LAP_END, 0, 0, 0), END_ROW};
  EXPECT_VALUES({TIME(program), (3 + 100 + 2 + 2 + 50) * US}, {COUNT(lap_time), (3 + 100 + 2) * US},
      {COUNT(switches), 1}, {COUNT(in_switch), 3 * US}, {COUNT(in_wake), 4 * US}, {COUNT(in_work), 150 * US});
}

/* B's slice is used up long before its 100 are done, but A, which is ready, still has to wait until B ends. A
 * thread that has ended is not switched out. */
TEST(slices_apply_among_equal_priorities_only) {
  round_numbers();
  PARAMS("cpu", processor)->quantum = 30 * US;
  static const uint64_t program[] = {DO(SPEND, 100 * US, 0, 0), END_ROW, DO(THREAD, 0, 1, 0),
      DO(LAP, 0, 0, 0), DO(SPEND, 50 * US, 0, 0), DO(SPEND, 50 * US, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW};
  EXPECT_VALUES({TIME(program), (100 + 100) * US}, {COUNT(lap_time), 100 * US}, {COUNT(switches), 0});
  uint32_t rows;
  checked_view(test_engine(), CPU, PROCESSOR_VIEW_THREADS, &rows);
  assert_int_equal(rows, 3); /* the interrupt handler counts as one, too */
}

TEST(a_thread_of_equal_priority_waits_for_its_turn) {
  round_numbers();
  static const uint64_t program[] = {DO(WAIT, 0, 0, 4), DO(LAP, 0, 0, 0), DO(SPEND, 1 * US, 0, 0),
      DO(LAP_END, 0, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 100 * US, 0, 0), DO(SIGNAL, 0, 0, 4),
      DO(SPEND, 50 * US, 0, 0), END_ROW};
  assert_int_equal(TIME(program), (3 + 100 + 50 + 2 + 1) * US);
}

/* A positive semaphore is taken without waiting, as often as it was signalled. */
TEST(signals_are_counted_until_a_thread_waits) {
  round_numbers();
  static const uint64_t program[] = {DO(SIGNAL, 0, 0, 3), DO(SIGNAL, 0, 0, 3), DO(SIGNAL, 0, 0, 15),
      DO(WAIT, 0, 0, 3), DO(WAIT, 0, 0, 15), DO(WAIT, 0, 0, 3), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0),
      DO(WAIT, 0, 0, 3), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), 3 * US); /* the third wait for 3 never ends */
  assert_int_equal(COUNT(laps), 1);
}

/* Both threads wait for semaphore 2. Each signal releases one of them, the lower-numbered first. */
TEST(a_signal_wakes_one_waiting_thread) {
  round_numbers();
  static const uint64_t program[] = {DO(WAIT, 0, 0, 2), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW,
      DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 1), DO(LAP, 0, 0, 1), DO(LAP_END, 0, 0, 1), END_ROW,
      DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 2), DO(LAP, 0, 0, 1), DO(LAP_END, 0, 0, 1), END_ROW,
      DO(THREAD, 0, 0, 0), DO(SIGNAL, 0, 0, 2), END_ROW};
  EXPECT_VALUES({TIME(program), (3 * 3 + 2) * US}, {COUNT(laps), 1}, {COUNT(laps_1), 0});
}

/*
 * Two threads with five pieces of work of 10 us each and slices of 30 us. A runs from 0 to 30, B from 30 to
 * 60. A wakes (2) and does its last two: to 82. B wakes and does the same: to 104. With a slightly longer
 * slice each does a fourth piece: A to 40, B from 40 to 80. A wakes and does its last: to 92; B: to 104.
 */
TEST(equal_threads_take_turns_when_a_slice_is_used_up) {
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
    assert_int_equal(COUNT(switches), 0); /* no thread blocked */
  }
}

/* The other master's interrupt arrives 20 us and 180 ns after the start: 64 B take 18 clocks of 10 ns. */
static void interrupted(uint64_t at) {
  round_numbers();
  PARAMS("bus", pci)->clock = 100000000, PARAMS("bus", pci)->width = 4, PARAMS("bus", pci)->decode = 1;
  PARAMS("peer", peer)->delay = at - 180 * NS, PARAMS("peer", peer)->blocks = 1,
                 PARAMS("peer", peer)->bytes = 64, PARAMS("peer", peer)->address = 0x8000;
}

/* The work is suspended while the handler runs (5), and while the waiting thread of higher priority wakes (2)
 * and works (8). */
TEST(an_interrupt_suspends_the_running_thread) {
  interrupted(20 * US);
  static const uint64_t program[] = {DO(SPEND, 100 * US, 0, 0), DO(SPEND, 1 * US, 0, 0), END_ROW,
      DO(THREAD, 0, 1, 0), DO(LAP, 0, 0, 0), DO(WAIT, 0, 0, 1), DO(SPEND, 8 * US, 0, 0), DO(LAP_END, 0, 0, 0),
      END_ROW};
  EXPECT_VALUES({TIME(program), (3 + 100 + 1 + 5 + 2 + 8) * US}, {COUNT(lap_time), (20 + 5 + 2 + 8) * US},
      {COUNT(interrupts), 1}, {COUNT(in_interrupt), 5 * US}, {COUNT(in_work), 109 * US});
}

/* The waiting thread has the same priority: the interrupted one resumes first. */
TEST(the_interrupted_thread_resumes_before_its_equals) {
  interrupted(20 * US);
  static const uint64_t program[] = {DO(WAIT, 0, 0, 1), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0),
      DO(SPEND, 8 * US, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 100 * US, 0, 0), END_ROW};
  assert_int_equal(TIME(program), (3 + 100 + 5 + 2 + 8) * US);
}

/*
 * Interrupts are disabled while switching out (3): the handler starts at 3, although the interrupt came at 1.
 */
TEST(interrupts_are_disabled_during_a_switch) {
  interrupted(1 * US);
  static const uint64_t program[] = {DO(LAP, 0, 0, 0), DO(WAIT, 0, 0, 1), DO(LAP_END, 0, 0, 0), END_ROW};
  EXPECT_VALUES({TIME(program), (3 + 5 + 2) * US}, {COUNT(lap_time), 10 * US}, {COUNT(lap_busy), 10 * US});
}

/* Idle from 3 to 50, which the lap's busy time leaves out. */
TEST(a_lap_counts_busy_time) {
  interrupted(50 * US);
  static const uint64_t program[] = {DO(SPEND, 1 * US, 0, 0), DO(LAP, 0, 0, 0), DO(WAIT, 0, 0, 1),
      DO(LAP_END, 0, 0, 0), DO(LAP, 0, 0, 0), DO(SPEND, 4 * US, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW};
  EXPECT_VALUES({TIME(program), (50 + 5 + 2 + 4) * US}, {COUNT(laps), 2},
      {COUNT(lap_time), (49 + 5 + 2 + 4) * US}, {COUNT(lap_busy), (3 + 5 + 2 + 4) * US},
      {COUNT(lap_last), 4 * US});
}

TEST(stop_ends_every_thread) {
  round_numbers();
  PARAMS("cpu", processor)->quantum = 25 * US;
  static const uint64_t program[] = {DO(REPEAT, 0, 0, 0), DO(SPEND, 10 * US, 0, 0), DO(AGAIN, 0, 0, 0),
      END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 5 * US, 0, 0), DO(STOP, 0, 0, 0), DO(LAP, 0, 0, 0),
      DO(LAP_END, 0, 0, 0), END_ROW};
  assert_int_equal(TIME(program), 35 * US); /* a slice of the first thread (30), then 5 */
  assert_int_equal(COUNT(laps), 0);
}

/*
 * A thread of higher priority waits (switch 3) and is woken at 20 us, when 17 us of the other's work are
 * done. Handler (5), wake (2), its own work (8). Then the rest of the interrupted work is done, however
 * short, and only once: after that thread's next wait it wakes and continues with its next row.
 */
TEST(the_rest_of_interrupted_work_is_done_once) {
  interrupted(20 * US);
  for (uint64_t left = 1; left <= 2; left++) {
    const uint64_t program[] = {DO(SPEND, 17 * US + left, 0, 0), END_ROW, DO(THREAD, 0, 1, 0),
        DO(WAIT, 0, 0, 1), DO(SPEND, 8 * US, 0, 0), END_ROW};
    EXPECT_VALUES({TIME(program), (20 + 5 + 2 + 8) * US + left}, {COUNT(in_work), (17 + 8) * US + left});
  }
  static const uint64_t waits[] = {DO(SPEND, 100 * US, 0, 0), DO(WAIT, 0, 0, 2), DO(SPEND, 1 * US, 0, 0),
      END_ROW, DO(THREAD, 0, 0, 0), DO(SPEND, 50 * US, 0, 0), DO(SIGNAL, 0, 0, 2), END_ROW,
      DO(THREAD, 0, 1, 0), DO(WAIT, 0, 0, 1), DO(SPEND, 8 * US, 0, 0), END_ROW};
  /* C waits at once (switch 3); A works 17; handler 5; C wakes 2, works 8; A works its other 83 and waits
   * (3); B works 50; A wakes 2, works 1. */
  EXPECT_VALUES({TIME(waits), (3 + 17 + 5 + 2 + 8 + 83 + 3 + 50 + 2 + 1) * US},
      {COUNT(in_work), (100 + 1 + 50 + 8) * US}, {COUNT(in_switch), 2 * 3 * US});
}

/* Two stores to registers, a load and an interrupt: each has its own counter. In the end both the handler's
 * thread and the program's are over. */
TEST(register_accesses_are_counted_and_the_handler_ends) {
  interrupted(20 * US);
  static const uint64_t program[] = {ROW(IO_STORE, 0, CARD_BASE, 4, 0, 5, 0),
      ROW(IO_STORE, 0, CARD_BASE + 4, 4, 0, 6, 0), ROW(IO_LOAD, CARD_BASE, 0, 4, 0, 0, 0), DO(WAIT, 0, 0, 1),
      END_ROW};
  TIME(program);
  EXPECT_VALUES({COUNT(stores), 2}, {COUNT(loads), 1}, {COUNT(interrupts), 1});
  uint32_t rows;
  const struct processor_threads *threads = checked_view(test_engine(), CPU, PROCESSOR_VIEW_THREADS, &rows);
  assert_int_equal(rows, 2);
  for (uint32_t i = 0; i < rows; i++) assert_int_equal(threads[i].status, PROCESSOR_THREAD_OVER);
}

/* One thread waits for semaphore 3 and one for 5. A signal of 5 does not wake the first, and none is left
 * over. */
TEST(a_signal_wakes_no_thread_that_waits_for_another) {
  round_numbers();
  static const uint64_t program[] = {DO(WAIT, 0, 0, 3), DO(LAP, 0, 0, 0), DO(LAP_END, 0, 0, 0), END_ROW,
      DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 5), DO(LAP, 0, 0, 1), DO(LAP_END, 0, 0, 1), END_ROW,
      DO(THREAD, 0, 0, 0), DO(SPEND, 10 * US, 0, 0), DO(SIGNAL, 0, 0, 5), END_ROW};
  EXPECT_VALUES({TIME(program), (3 + 3 + 10 + 2) * US}, {COUNT(laps), 0}, {COUNT(laps_1), 1});
  const struct processor_semaphores *semaphores =
      sim_at(test_engine(), STATE_OF("cpu", processor)->semaphores_at);
  for (uint32_t tag = 0; tag < SEMAPHORES; tag++) assert_int_equal(semaphores[tag].value, 0);
}

/* The end of a program is recorded as such and starts no transfer. */
TEST(the_end_of_a_program_starts_no_transfer) {
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
