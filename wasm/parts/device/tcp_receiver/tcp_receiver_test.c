/*
 * The receiving end of a stream, frame by frame: when it acknowledges, and what window it advertises. A frame
 * of 8948 B is in memory 8386 ns after its last bit, TCP takes 9.5 us, the program 8738 ns to copy it.
 */
#include "test/programs.h"

#define NS 1000ull
#define US 1000000ull
#define MS 1000000000ull
#define MSS 8948u
#define FAR part_named("far")
#define GOT (COUNTERS("far", tcp_receiver))
#define NOW (receiver_view(test_engine(), CONTEXT_OF("far", tcp_receiver)))

static const uint64_t nothing[] = {END};

static void receiver(void) {
  machine("tcp");
  machine_rows("cpu", 0, ROWS(nothing));
  machine_open();
  sim_record_trace(test_engine(), 1);
}

/* A frame arrives, and time passes. */
static void frame(uint64_t first, uint32_t bytes, uint64_t then) {
  test_engine()->cause = 0;
  tcp_receiver_card_frame(
      test_engine(), CONTEXT_OF("far", tcp_receiver), &(struct wire_frame){.first = first, .bytes = bytes});
  sim_run(test_engine(), test_engine()->time + then, UINT64_MAX);
}

TEST(a_frame_is_acknowledged_after_memory_interrupt_and_tcp) {
  receiver();
  frame(0, MSS, 100 * US);
  const struct sim_record *sent = record_following(FAR, TCP_RECEIVER_EV_ACKNOWLEDGE, NULL);
  assert_non_null(sent);
  assert_in_range(sent->time, (8386 + 9500) * NS, (8387 + 9500) * NS);
  assert_int_equal(GOT->acknowledgements, 1);
  assert_int_equal(GOT->bytes, MSS);
  assert_int_equal(NOW->held, 0);
}

/* Interrupts are at least 125 us apart; the frames that came meanwhile are taken together. */
TEST(interrupts_are_apart) {
  receiver();
  for (uint32_t n = 0; n < 4; n++) frame(n * MSS, MSS, 0);
  sim_run(test_engine(), MS, UINT64_MAX);
  assert_int_equal(GOT->interrupts, 1 + (GOT->interrupts > 1));
  assert_int_equal(GOT->frames, 4);
  assert_int_equal(GOT->missing, 0);
}

/* A single full segment that the program has read waits for the timer; a partial one does not. */
TEST(a_partial_segment_is_acknowledged_when_it_is_read) {
  receiver();
  uint64_t at = 0;
  for (uint32_t n = 0; n < 6; n++, at += MSS) frame(at, MSS, MS);
  uint64_t before = GOT->acknowledgements;
  frame(at, 100, MS);
  assert_int_equal(GOT->acknowledgements, before + 1);
  assert_int_equal(GOT->delayed, 0);
  frame(at + 100, MSS, 10 * MS);
  assert_int_equal(GOT->acknowledgements, before + 1);
  sim_run(test_engine(), SIM_NEVER, UINT64_MAX);
  assert_int_equal(GOT->acknowledgements, before + 2);
  assert_int_equal(GOT->delayed, 1);
}

/* A program that does not read: the window closes, and opens when it reads again. */
TEST(the_window_closes_and_opens) {
  machine("tcp");
  machine_rows("cpu", 0, ROWS(nothing));
  PARAMS("far", tcp_receiver)->copy_time = 100 * US; /* for each KiB */
  machine_open();
  uint64_t at = 0;
  uint32_t least = UINT32_MAX;
  for (uint32_t n = 0; n < 60; n++) {
    uint64_t open = NOW->acknowledged + NOW->window - at;
    if (open >= MSS) frame(at, MSS, 80 * US), at += MSS;
    else sim_run(test_engine(), test_engine()->time + 80 * US, UINT64_MAX);
    least = (uint32_t)sim_min(least, open);
  }
  assert_true(least < MSS);
  sim_run(test_engine(), SIM_NEVER, UINT64_MAX);
  assert_int_equal(GOT->bytes, at);
  assert_int_equal(GOT->beyond, 0);
  assert_true(NOW->window >= 4 * MSS);
}

/* A frame out of order, or beyond the window, is counted. */
TEST(frames_out_of_place_are_counted) {
  receiver();
  frame(100, 100, MS);
  assert_int_equal(GOT->missing, 1);
  frame(100, 60000, MS);
  assert_int_equal(GOT->beyond, 1);
}
