/*
 * A TCP stream from one machine to another: a closed loop of socket buffers, window, acknowledgements and
 * interrupts. Whatever the messages, nothing is sent beyond the window, lost, or sent twice.
 */
#include "test/programs.h"

#define US 1000000ull
#define MS 1000000000ull
#define MSS 8948u
#define PORT0 0xf0000000ull
#define PORT1 0xf0010000ull
#define TCP_SEND(port, bytes, tag) ROW(TCP_SEND, 0, port, bytes, 0, 0, 0, tag)
#define REPEAT(count) ROW(REPEAT, 0, 0, 0, 0, 0, count, 0)
#define AGAIN ROW(AGAIN, 0, 0, 0, 0, 0, 0, 0)
#define SENT (COUNTERS("tcp", tcp_sender))
#define GOT (COUNTERS("far", tcp_receiver))
#define SOCKET (tcp_socket_of(ENGINE, CONTEXT_OF("tcp", tcp_sender), 0))
#define ENGINE test_engine()

/* Writes a number of messages, and runs until all are acknowledged. */
static void messages_of(uint64_t bytes, uint64_t count) {
  const uint64_t program[] = {REPEAT(count), TCP_SEND(PORT0, bytes, 0), AGAIN, END};
  machine("tcp");
  machine_rows("cpu", 0, ROWS(program));
  machine_run();
}

/* What each of the other tests holds for its run as well. */
static void assert_all_arrived(uint64_t bytes) {
  assert_int_equal(GOT->missing, 0);
  assert_int_equal(GOT->beyond, 0);
  assert_int_equal(GOT->bytes, bytes);
  assert_int_equal(SENT->bytes, bytes);
  assert_int_equal(SENT->segments, GOT->frames);
  assert_int_equal(SENT->segments, COUNTERS("lan", lan_card)->packets);
  assert_int_equal(SENT->acknowledgements, GOT->acknowledgements);
  assert_int_equal(SOCKET->held, 0);
  assert_sound();
}

TEST(every_byte_arrives_once_whatever_the_messages) {
  static const uint64_t sizes[] = {1, 100, 1024, 4096, 8192, 8947, 8948, 8949, 16384, 100000};
  for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint64_t count = 300000 / sizes[i] < 200 ? 300000 / sizes[i] + 1 : 200;
    messages_of(sizes[i], count);
    assert_all_arrived(sizes[i] * count);
    assert_int_equal(SENT->messages, count);
  }
}

/* The same with small windows and buffers, rare interrupts and a slow program, event by event: neither buffer
 * ever holds more than its size and one frame, and nothing passes the edge of the window. */
TEST(neither_window_nor_buffers_are_ever_exceeded) {
  static const uint64_t buffers[] = {24576, 40000, 131070}, gaps[] = {0, 125 * US, 900 * US};
  const uint64_t program[] = {REPEAT(60), TCP_SEND(PORT0, 8192, 0), AGAIN, END};
  for (uint32_t i = 0; i < 9; i++) {
    machine("tcp");
    machine_rows("cpu", 0, ROWS(program));
    PARAMS("tcp", tcp_sender)->buffer = buffers[i % 3];
    PARAMS("far", tcp_receiver)->buffer = buffers[i % 3];
    PARAMS("far", tcp_receiver)->interrupt_gap = gaps[i / 3];
    PARAMS("far", tcp_receiver)->copy_time = i & 1 ? 20 * US : US;
    machine_open();
    EACH_EVENT {
      const tcp_socket *s = SOCKET;
      assert_true(s->held < buffers[i % 3] + MSS + 416);
      assert_true(s->sent <= s->edge);
      assert_true(s->acknowledged <= s->sent && s->sent <= s->written);
      assert_true(s->posted - s->first <= s->congestion);
    }
    assert_all_arrived(60 * 8192);
  }
}

/* The window grows with the segments that arrive, by two of them at a time, until half of the buffer is
 * reached. Messages of 8 KiB begin with a segment that is not full, so that the window ends at five segments
 * of full size; with 4 KiB it ends at six. */
TEST(the_first_message_decides_how_far_the_window_grows) {
  messages_of(4096, 250);
  assert_int_equal(SENT->window, 6 * MSS);
  messages_of(8192, 125);
  assert_int_equal(SENT->window, 5 * MSS);
}

/* The true size of a frame is that of its buffer: with buffers as small as the frames the window grows to
 * three quarters of the socket buffer. */
TEST(the_window_counts_the_true_size_of_frames) {
  const uint64_t program[] = {REPEAT(125), TCP_SEND(PORT0, 8192, 0), AGAIN, END};
  machine("tcp");
  machine_rows("cpu", 0, ROWS(program));
  PARAMS("far", tcp_receiver)->frame_buffer = 9300;
  machine_run();
  assert_int_equal(SENT->window, 98303 / MSS * MSS);
  assert_all_arrived(125 * 8192);
}

/* A partial segment waits while another is under way (Nagle's rule), and takes up what is written meanwhile.
 */
TEST(one_partial_segment_is_under_way_at_a_time) {
  const uint64_t program[] = {REPEAT(40), TCP_SEND(PORT0, 100, 0), AGAIN, END};
  machine("tcp");
  machine_rows("cpu", 0, ROWS(program));
  machine_open();
  uint64_t partial = 0, sent = 0;
  EACH_EVENT {
    if (SENT->partial > partial) assert_int_equal(SOCKET->acknowledged, sent);
    partial = SENT->partial, sent = SOCKET->sent;
  }
  assert_in_range(SENT->segments, 2, 10);
  assert_int_equal(SENT->partial, SENT->segments);
  assert_all_arrived(4000);
}

/* More than one full segment is acknowledged at once; a single one waits for the timer. The first ones are
 * acknowledged each. */
TEST(every_second_segment_is_acknowledged) {
  messages_of(MSS, 101);
  assert_in_range(SENT->acknowledgements, 50, 53);
  assert_int_equal(GOT->delayed, 1);
  assert_true(ENGINE->time >= 40 * MS);
  assert_all_arrived(101 * MSS);
  messages_of(MSS, 100);
  assert_int_equal(GOT->delayed, 0);
}

/* A program that finds no room sleeps until a third of the buffer is free, so it runs seldom. */
TEST(the_program_waits_until_a_third_is_free) {
  const uint64_t program[] = {REPEAT(200), TCP_SEND(PORT0, 4096, 0), AGAIN, END};
  machine("tcp");
  machine_rows("cpu", 0, ROWS(program));
  machine_open();
  uint64_t full = 0, buffer = PARAMS("tcp", tcp_sender)->buffer;
  uint32_t asleep = 0;
  EACH_EVENT {
    if (SENT->full > full) assert_true(SOCKET->held >= buffer);
    if (asleep && !SOCKET->sleepers) assert_true(SOCKET->held + SOCKET->held / 2 <= buffer);
    full = SENT->full, asleep = SOCKET->sleepers;
  }
  assert_true(full > 5);
  assert_all_arrived(200 * 4096);
}

/* A window too small for the way there and back closes: the wire idles until the next acknowledgement. */
TEST(rare_interrupts_starve_a_small_window) {
  uint64_t often, seldom, closed;
  messages_of(8192, 250);
  often = GOT->last_end, closed = SENT->closed;
  const uint64_t program[] = {REPEAT(250), TCP_SEND(PORT0, 8192, 0), AGAIN, END};
  machine("tcp");
  machine_rows("cpu", 0, ROWS(program));
  PARAMS("far", tcp_receiver)->interrupt_gap = 500 * US;
  machine_run();
  seldom = GOT->last_end;
  assert_true(closed > 0);
  assert_true(seldom > often + often / 4);
  assert_true(GOT->interrupts <= seldom / (500 * US) + 1);
  assert_all_arrived(250 * 8192);
}

TEST(each_card_has_a_stream_of_its_own) {
  const uint64_t program[] = {ROW(THREAD, 0, 0, 0, 0, 0, 0, 0), REPEAT(50), TCP_SEND(PORT0, 4096, 0), AGAIN,
      END, ROW(THREAD, 0, 0, 0, 0, 0, 0, 0), REPEAT(30), TCP_SEND(PORT1, 8192, 1), AGAIN, END};
  machine("tcp");
  machine_rows("cpu", 0, ROWS(program));
  machine_run();
  assert_int_equal(GOT->bytes, 50 * 4096);
  assert_int_equal(COUNTERS("far2", tcp_receiver)->bytes, 30 * 8192);
  assert_int_equal(GOT->missing + COUNTERS("far2", tcp_receiver)->missing, 0);
}

/* A processor that rings the doorbell itself sends packets of the card's size; TCP does not see them. */
TEST(packets_of_other_protocols_pass_by) {
  const uint64_t program[] = {
      ROW(IO_STORE, 0, PORT0, 4, 4, 0, 3, 0), ROW(AWAIT_INTERRUPT, 0, 0, 0, 0, 0, 0, 0), END};
  machine("tcp");
  machine_rows("cpu", 0, ROWS(program));
  PARAMS("lan", lan_card)->bytes = 1000, PARAMS("lan", lan_card)->coalesce = 3;
  machine_run();
  assert_int_equal(COUNTERS("lan", lan_card)->bytes, 3000);
  assert_int_equal(GOT->frames, 0);
  assert_int_equal(COUNTERS("lan", lan_card)->interrupts, 1);
}

TEST(a_card_that_is_not_there_is_refused) {
  const uint64_t program[] = {TCP_SEND(PORT1, 100, 1), END};
  machine("zx1-bcm5701-tcp");
  machine_rows("cpu", 0, ROWS(program));
  const struct session *s = machine_session();
  assert_int_equal(session_open(s), SIM_BAD_ROW);
}
