/* The ring, driven through its card port: when inserted data has made its round, when there is room, and
 * what other nodes write. It carries 100 MB/s, 10 ns per byte, through 4 nodes of 1 us each. */
#include "test/gt.h"

#define ENGINE test_engine()
#define NOW ring_view(OF(RING, ring))

static void slow_ring(void) {
  machine("gt-and-peer");
  PARAMS("ring", ring)->rate = 100000000, PARAMS("ring", ring)->nodes = 4,
                 PARAMS("ring", ring)->node_latency = 1000 * NS, PARAMS("ring", ring)->payload = 128,
                 PARAMS("ring", ring)->queue = 1024;
  PARAMS("gt", gt)->tracked = 4096;
}

static void opened(void) {
  static const uint64_t nothing[] = {ROW(END, 0, 0, 0, 0, 0, 0)};
  static struct session s;
  s = gt_session(ROWS(nothing));
  assert_int_equal(session_open(&s), SIM_OK);
}

static uint64_t back_at(uint64_t when, uint32_t bytes) {
  struct link_send q = {.address = CARD_BASE, .bytes = bytes, .when = when};
  ring_card_send(OF(RING, ring), &q);
  return q.when;
}

/* Inserted data is sent after the data inserted before it, and is back after a round of 4 us. */
TEST(inserted_data_is_back_after_a_round) {
  slow_ring();
  opened();
  assert_int_equal(back_at(100 * NS, 4), (100 + 40 + 4000) * NS);
  assert_int_equal(back_at(120 * NS, 128), (140 + 1280 + 4000) * NS);
  assert_int_equal(back_at(1420 * NS, 132), (1420 + 1320 + 4000) * NS);
  assert_int_equal(back_at(9000 * NS, 6), (9000 + 60 + 4000) * NS); /* partial words */
  assert_int_equal(NOW->free_at, 9060 * NS);
  const struct ring_counters *c = COUNTERS("ring", ring);
  EXPECT_VALUES(
      {c->frames, 1 + 1 + 2 + 1}, {c->bytes, 4 + 128 + 132 + 6}, {c->busy, (40 + 1280 + 1320 + 60) * NS});
  assert_int_equal(back_at(20000 * NS, 256), (20000 + 2560 + 4000) * NS);
  EXPECT_VALUES({c->frames, 5 + 2}, {ENGINE->cause, 0});
  const struct expected_event first = {0, RING_EV_INSERT, CARD_BASE, 4, 4140, 0};
  const struct sim_record *record = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
  while (record->part != RING) record++;
  EXPECT_VALUES({record->a, first.a}, {record->b, first.b});
  assert_int_equal(record->c, first.c); /* nanoseconds from now until it is back */
}

/* A megabyte at 1 MB/s: the queue holds a little more than one second's data, to the picosecond. */
TEST(the_longest_queue_of_the_slowest_ring) {
  slow_ring();
  PARAMS("ring", ring)->rate = 1000000, PARAMS("ring", ring)->queue = 1 << 20;
  opened();
  assert_int_equal(STATE_OF("ring", ring)->queue_time, 1048576ull * 1000 * 1000);
  assert_int_equal(back_at(0, 1 << 20), 1048576ull * 1000 * 1000 + 4000 * NS);
}

/* The queue holds 1024 bytes, or 10.24 us of the ring. There is room for data if it fits behind all that was
 * queued before. */
TEST(there_is_room_for_data_that_fits_the_queue) {
  slow_ring();
  opened();
  back_at(0, 1000); /* until 10 us */
  static const struct {
    uint64_t when;
    uint32_t bytes;
    uint64_t room;
  } cases[] = {{0, 24, 0}, {0, 28, 40}, {0, 124, 1000}, {500, 124, 1000}, {2000, 124, 2000}, {0, 1024, 10000},
      {3, 0, 3}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct link_accept q = {.bytes = cases[i].bytes, .when = cases[i].when * NS};
    assert_int_equal(ring_card_accept(OF(RING, ring), &q), 1024);
    assert_int_equal(q.when, cases[i].room * NS);
  }
  back_at(0, 1000); /* until 20 us: 0 bytes always have room */
  for (uint32_t bytes = 0; bytes < 3; bytes++) {
    struct link_accept q = {.bytes = bytes, .when = 7};
    ring_card_accept(OF(RING, ring), &q);
    assert_int_equal(q.when, bytes ? (20000 + 10 * bytes - 10240) * NS : 7);
  }
}

/* Nodes 1, 2 and 3 take turns, each writing its own segment of 32 bytes with a new write number; node 0 is
 * this host. */
TEST(other_nodes_write_their_segments_in_turn) {
  slow_ring();
  PARAMS("ring", ring)->update_every = 500 * NS, PARAMS("ring", ring)->update_from = CARD_BASE + 256,
                 PARAMS("ring", ring)->update_bytes = 32;
  opened();
  static const uint32_t nodes[] = {1, 2, 3, 1, 2};
  for (uint32_t i = 0; i < 5; i++) {
    uint64_t time;
    const sim_msg *due = test_message_for(RING, &time);
    assert_int_equal(time, (i + 1) * 500 * NS);
    sim_run(ENGINE, time, ENGINE->events + 1);
    for (uint32_t n = 0; n < 100 && COUNTERS("ring", ring)->updates <= i; n++)
      sim_run(ENGINE, time, ENGINE->events + 1);
    due = test_message_for(CARD, &time);
    EXPECT_VALUES({due->kind, LINK_UPDATE}, {due->addr, CARD_BASE + 256 + nodes[i] * 32}, {due->x, 32},
        {due->y, ENGINE->writes}, {due->cause, 0}, {time, (i + 1) * 500 * NS},
        {COUNTERS("ring", ring)->updates, i + 1}, {NOW->node, nodes[i]});
  }
}
