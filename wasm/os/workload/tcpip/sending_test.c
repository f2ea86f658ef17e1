/* From an application to the wire, on one and on two processors, and packets of two adapters. */
#include "test/packets.h"

#define COMPOSE(bytes) PROCESSOR_OP_COMPOSE, 0, 0, bytes, 4, 0, 0, 0
#define CARD_COUNT(name) (SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->name)
/* The adapter reads a line in an address cycle, memory and 16 beats of 1 ns, the last 42 bytes in 13. */
#define FETCHED ((23 * 18 + 13) * 1000ull)
#define ON_THE_WIRE (1538 * 1000ull)

PROGRAM(sender, COMPOSE(1514), ROW(SUBMIT, 0, 0, 3), END);
PROGRAM(transmitter, FOREVER, ROW(TRANSMIT, 0, 0, 3), AGAIN, END);

static void sends(
    const uint64_t *main_program, uint32_t main_count, const uint64_t *io_program, uint32_t io_count) {
  two(main_program, main_count, io_program, io_count);
  PARAMS("ethernet", ethernet)->receives = 0;
}

/* The message interrupts the I/O processor (5), which wakes (2) and synchronises (7); TCP/IP takes 100 and
 * its pass over the bytes. No byte is copied. */
TEST(a_packet_leaves_from_where_it_was_written) {
  sends(ROWS(sender), ROWS(transmitter));
  SET_CPUS(switch_time, 0), PARAMS("kernel", kernel)->call_time = 0;
  machine_run();
  EXPECT_VALUES({COUNT(submitted), 1}, {COUNT(sent), 1}, {COUNT(copied), 0}, {CARD_COUNT(sent), 1},
      {CARD_COUNT(stale), 0}, {CARD_COUNT(sending), ON_THE_WIRE},
      {COUNT(send_time), (5 + 2 + 7 + 100) * US + SUMMED + FETCHED + ON_THE_WIRE},
      {CPU_COUNT("main", in_decode), WRITE + PER_BYTE(5000)}, {CPU_COUNT("main", in_carry), 0});
}

/* By messages each processor copies the packet once. */
TEST(a_packet_to_send_is_copied_as_often_as_rows_say) {
  PROGRAM(copies_out, COMPOSE(1514), ROW(SUBMIT, 0, 1, 3), END);
  PROGRAM(copies_in, FOREVER, ROW(TRANSMIT, 0, 1, 3), AGAIN, END);
  sends(ROWS(copies_out), ROWS(copies_in));
  machine_run();
  EXPECT_VALUES({COUNT(sent), 1}, {COUNT(copied), 2 * PAYLOAD}, {CARD_COUNT(stale), 0},
      {CPU_COUNT("main", in_carry), READ + WRITE + PER_BYTE(5000)},
      {CPU_COUNT("io", in_carry), READ + WRITE + PER_BYTE(5000)});
}

/* A pool has room for twelve messages of senders; each returns when its packet has left. */
TEST(messages_return_to_the_pool_when_they_have_left) {
  PROGRAM(many, ROW(REPEAT, 0, 30, 0), COMPOSE(200), ROW(SUBMIT, 0, 0, 3), AGAIN, END);
  sends(ROWS(many), ROWS(transmitter));
  machine_run();
  EXPECT_VALUES({COUNT(sent), 30}, {CARD_COUNT(sent), 30}, {CARD_COUNT(stale), 0});
  uint32_t rows;
  const struct tcpip_messages *message = checked_view(test_engine(), TCPIP, TCPIP_VIEW_MESSAGES, &rows);
  for (uint32_t i = 0; i < rows; i++) assert_int_equal(message[i].packet, 0);
}

/* In a cache that does not snoop, a packet that is not flushed stays there, and memory's bytes leave. */
TEST(a_packet_that_was_not_flushed_leaves_stale) {
  for (uint32_t flushes = 0; flushes < 2; flushes++) {
    sends(ROWS(sender), ROWS(transmitter));
    SET_CACHES(uncached, 0), SET_CACHES(snoops, 0);
    PARAMS("tcpip", tcpip)->flushes = flushes, PARAMS("tcpip", tcpip)->purges = 1;
    machine_run();
    EXPECT_VALUES({CARD_COUNT(sent), 1}, {CARD_COUNT(stale), !flushes});
    assert_int_equal(sim_host_state(test_engine())->broken, flushes ? SIM_HOLDS : SIM_AS_SENT);
  }
}

/* A thread that has a packet composes no other, and gives none that it has not. */
TEST(sending_without_a_packet_is_refused) {
  PROGRAM(nothing, ROW(SUBMIT, 0, 0, 3), END);
  PROGRAM(again, COMPOSE(64), COMPOSE(64), END);
  sends(ROWS(nothing), ROWS(transmitter));
  machine_run();
  EXPECT_VALUES({CPU_COUNT("main", refused), 1}, {COUNT(submitted), 0});
  sends(ROWS(again), ROWS(transmitter));
  machine_run();
  EXPECT_VALUES({CPU_COUNT("main", refused), 1}, {COUNT(submitted), 0});
}

/* A received packet that is given back leaves by its adapter, and its buffer returns to the ring. */
TEST(a_received_packet_can_be_sent_back) {
  PROGRAM(echo, FOREVER, ROW(ACCEPT, 0, 0, 0), ROW(SUBMIT, 0, 0, 3), AGAIN, END);
  PROGRAM(both, ROW(THREAD, 0, 9, 0), FOREVER, ROW(DELIVER, 0, 0, 0), AGAIN, END, ROW(THREAD, 0, 8, 0),
      FOREVER, ROW(TRANSMIT, 0, 0, 3), AGAIN, END);
  two(ROWS(echo), ROWS(both));
  PARAMS("ethernet", ethernet)->frames = 20, PARAMS("ethernet", ethernet)->ring = 4;
  machine_run();
  EXPECT_VALUES({COUNT(delivered), 20}, {CARD_COUNT(sent), 20}, {CARD_COUNT(stale), 0});
}

/* A ring that begins behind another's: the driver takes the packets out of its own buffers, and returns them.
 */
TEST(a_ring_can_begin_behind_another) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 6, PARAMS("ethernet", ethernet)->ring = 4;
  PARAMS("ethernet", ethernet)->first = 30; /* two buffers are left */
  machine_run();
  EXPECT_VALUES({COUNT(processed), 6}, {COUNT(wrong), 0});
  uint32_t rows;
  const struct tcpip_slots *slot = checked_view(test_engine(), TCPIP, TCPIP_VIEW_SLOTS, &rows);
  for (uint32_t i = 0; i < rows; i++) assert_int_equal(slot[i].bytes, i < 30 ? 0 : 1514);
}
