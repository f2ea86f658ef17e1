/*
 * An Ethernet adapter: when its frames start, are in memory and end, and what happens to them without a
 * buffer. The offload engine behind it spends 20 us on a frame, then takes it over its link in 1981 ns while
 * no other master uses the bus; then the buffer is returned.
 */
#include "test/offload.h"

#define COUNT(name) (SIM_COUNTERS(ENGINE, ADAPTER, ethernet)->name)
#define SLOT(slot) ethernet_slot(OF(ADAPTER, ethernet), slot)
#define EVENT(time, name, a, b) {(time) * NS, ETHERNET_EV_##name, a, b, 0, ANY_CAUSE}
#define IN_STATE(time, packet, state) EVENT(time, STATE, packet, ETHERNET_STATE_##state)
#define TAKEN (20000 + CROSSING)

/* With a single buffer the sender is paused until it is returned. */
TEST(without_a_buffer_the_sender_is_paused) {
  offload(2);
  PARAMS("ethernet", ethernet)->ring = 1;
  machine_run();
  const uint64_t again = 1526 + TAKEN;
  EXPECT_EVENTS(ADAPTER, IN_STATE(0, 1, FRAME), EVENT(1526, RECEIVED, 1, 0), IN_STATE(1526, 1, GAP),
      IN_STATE(1538, 1, HELD), EVENT(again, RELEASED, 0, 0), IN_STATE(again, 2, FRAME),
      EVENT(again + 1526, RECEIVED, 2, 0), IN_STATE(again + 1526, 2, GAP), IN_STATE(again + 1538, 2, IDLE),
      EVENT(again + 1526 + TAKEN, RELEASED, 0, 0));
  EXPECT_VALUES({COUNT(held), (again - 1538) * NS}, {COUNT(busy), 2 * 1526 * NS}, {COUNT(received), 2});
}

/* A sender that sends every 10 us regardless: two of four frames find no buffer and are lost. */
TEST(a_sender_that_does_not_wait_loses_frames) {
  offload(4);
  PARAMS("ethernet", ethernet)->ring = 1, PARAMS("ethernet", ethernet)->period = 10 * US;
  machine_run();
  EXPECT_EVENTS(ADAPTER, IN_STATE(0, 1, FRAME), EVENT(1526, RECEIVED, 1, 0), IN_STATE(1526, 1, GAP),
      EVENT(10000, LOST, 2, 0), IN_STATE(10000, 2, IDLE), EVENT(20000, LOST, 3, 0),
      EVENT(1526 + TAKEN, RELEASED, 0, 0), IN_STATE(30000, 4, FRAME), EVENT(31526, RECEIVED, 4, 0),
      IN_STATE(31526, 4, GAP), IN_STATE(40000, 4, IDLE), EVENT(31526 + TAKEN, RELEASED, 0, 0));
  EXPECT_VALUES({COUNT(lost), 2}, {COUNT(received), 2}, {COUNT(bytes), 2 * 1514}, {COUNT(held), 0});
}

/* On a bus of 10 ns a line takes 170 ns, longer than it takes to arrive. From the first line, here at 64 ns,
 * lines are written back to back, the last 42 bytes in 120 ns. The next frame starts at once. */
TEST(lines_wait_for_a_slow_bus_in_the_adapter) {
  offload(2);
  PARAMS("engine_bus", memory_bus)->clock = 100000000;
  machine_open();
  sim_run(ENGINE, 15 * US, SIM_NEVER);
  const uint64_t whole = 64 + 23 * 170 + 120;
  EXPECT_EVENTS(ADAPTER, IN_STATE(0, 1, FRAME), EVENT(whole, RECEIVED, 1, 0), IN_STATE(whole, 1, GAP),
      IN_STATE(whole, 2, FRAME), EVENT(2 * whole, RECEIVED, 2, 1), IN_STATE(2 * whole, 2, GAP),
      IN_STATE(2 * whole, 2, IDLE));
  EXPECT_VALUES({COUNT(bytes), 2 * 1514}, {COUNT(busy), 2 * whole * NS});
}

/* Each frame interrupts on the adapter's line, if that is wired. The offload engine's packets interrupt as
 * well. */
TEST(a_frame_interrupts_at_the_line_of_the_adapter) {
  for (uint32_t line = 0; line < 2; line++) {
    offload(3);
    PARAMS("ethernet", ethernet)->line = line;
    machine_run();
    assert_int_equal(COUNTERS("main", processor)->interrupts, line ? 6 : 3);
  }
}

/* Serialized while a frame arrives: its buffer, its bytes received and in memory, and the buffers' states. */
TEST(the_frame_under_way_is_serialized) {
  offload(2);
  machine_open();
  sim_run(ENGINE, 300 * NS, SIM_NEVER);
  struct ethernet_state *s = SIM_STATE(ENGINE, ADAPTER, ethernet);
  struct ethernet_now *now = ethernet_now_of(OF(ADAPTER, ethernet));
  assert_int_equal(now->line, 4);
  KEEPS(ADAPTER, &s->packets, &s->head, &now->state, &now->slot, &now->line, &now->packet, &now->delivered,
      &now->written, &now->writing, &now->bytes);
  for (uint32_t slot = 0; slot < PARAMS("ethernet", ethernet)->ring; slot++)
    KEEPS(ADAPTER, &SLOT(slot)->state, &SLOT(slot)->packet);
}

/* A frame is in memory 1526 ns after its start. The wire is free 24 bytes after its last, 1538 ns after its
 * start. */
TEST(frames_follow_each_other_on_the_wire) {
  offload(2);
  machine_open();
  assert_int_equal(SLOT(0)->state, ETHERNET_OWNER_ADAPTER);
  sim_run(ENGINE, 100 * NS, SIM_NEVER);
  EXPECT_VALUES({SLOT(0)->state, ETHERNET_OWNER_FILLING}, {SLOT(0)->packet, 1});
  sim_run(ENGINE, 5 * US, SIM_NEVER);
  EXPECT_VALUES({SLOT(0)->state, ETHERNET_OWNER_DRIVER}, {SLOT(1)->state, ETHERNET_OWNER_DRIVER},
      {SLOT(1)->packet, 2}, {SLOT(2)->state, ETHERNET_OWNER_ADAPTER});
  session_run();
  assert_int_equal(SLOT(0)->state, ETHERNET_OWNER_ADAPTER);
  EXPECT_EVENTS(ADAPTER, IN_STATE(0, 1, FRAME), EVENT(1526, RECEIVED, 1, 0), IN_STATE(1526, 1, GAP),
      IN_STATE(1538, 2, FRAME), EVENT(3064, RECEIVED, 2, 1), IN_STATE(3064, 2, GAP), IN_STATE(3076, 2, IDLE),
      EVENT(1526 + TAKEN, RELEASED, 0, 0), EVENT(1526 + 20000 + TAKEN, RELEASED, 0, 1));
  EXPECT_VALUES({COUNT(received), 2}, {COUNT(bytes), 2 * 1514}, {COUNT(busy), 2 * 1526 * NS},
      {COUNT(held), 0}, {COUNT(lost), 0}, {COUNT(waited), 0});
}
