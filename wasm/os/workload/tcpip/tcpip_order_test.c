/* Packets when buffers or caches are scarce, when the wire reorders or loses frames, and when buffers are
 * released too early. */
#include "test/packets.h"

/*
 * The I/O processor copies packets for the main one. The caches have 32 lines per buffer and do not snoop.
 * Both copies use the same place in turn. Without purges the data is stale; without flushes it never reaches
 * memory.
 */
TEST(non_snooping_caches_need_purges_and_flushes) {
  for (uint32_t purges = 0; purges < 2; purges++)
    for (uint32_t flushes = 0; flushes < 2; flushes++) {
      two(ROWS(application), ROWS(copies));
      SET_CACHES(uncached, 0), SET_CACHES(snoops, 0);
      PARAMS("ethernet", ethernet)->frames = 3, PARAMS("ethernet", ethernet)->ring = 1;
      PARAMS("tcpip", tcpip)->purges = purges, PARAMS("tcpip", tcpip)->flushes = flushes;
      PARAMS("tcpip", tcpip)->order_time = 11000, PARAMS("tcpip", tcpip)->io_order_time = 13000;
      machine_run();
      EXPECT_VALUES({COUNT(processed), 3},
          {COUNT(wrong), purges && flushes ? 0
                         : flushes         ? 2
                                           : 3},
          {CPU_COUNT("main", in_order), purges ? 3 * 24 * 11000 : 0});
      uint64_t in_orders = 3 * 24 * 13000 * (purges + flushes);
      assert_int_equal(CPU_COUNT("io", in_order) > in_orders, flushes); /* flushes use the bus, too */
      assert_int_equal(CPU_COUNT("io", in_order) >= in_orders, 1);
      if (flushes) assert_int_equal(COUNTERS("io_cache", data_cache)->write_backs, 3 * 48);
    }
}

/* The queue is longer than the number of copies, and the application starts late: senders wait for a free
 * place and then continue. */
TEST(senders_wait_for_a_free_copy) {
  PROGRAM(late, ROW(SPEND, 100000, 0, 0), FOREVER, ROW(ACCEPT, 0, 1, 0), ROW(DECODE, 0, 1, 0),
      ROW(FINISH, 0, 0, 0), AGAIN, END);
  two(ROWS(late), ROWS(copies));
  PARAMS("ethernet", ethernet)->frames = 30, PARAMS("kernel", kernel)->queue_places = 64;
  machine_run();
  EXPECT_VALUES({COUNT(processed), 30}, {COUNT(wrong), 0},
      {SIM_COUNTERS(test_engine(), KERNEL, kernel)->queued_most, TCPIP_SENT});
}

/* There are more frames than descriptors in the ring. The sender is held until buffers are released, in
 * order, and nothing is lost. */
TEST(a_sender_that_waits_loses_nothing) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 40, PARAMS("ethernet", ethernet)->ring = 3;
  machine_run();
  EXPECT_VALUES(
      {COUNT(processed), 40}, {COUNT(wrong), 0}, {SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->lost, 0});
  assert_true(SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->held > 0);
}

/* A frame every 50 us, each of which takes over 100 us: at least half of them find no descriptor. */
TEST(a_sender_that_does_not_wait_loses_frames) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 40, PARAMS("ethernet", ethernet)->period = 50 * US,
                     PARAMS("ethernet", ethernet)->ring = 2;
  machine_run();
  uint64_t lost = SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->lost;
  assert_int_equal(COUNT(processed) + lost, 40);
  assert_true(lost >= 18);
}

/* The buffer is released when its address is sent. The adapter fills it while the application reads, so the
 * sum is wrong. */
TEST(a_buffer_released_too_early_spoils_the_sum) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 20, PARAMS("ethernet", ethernet)->ring = 1,
                     PARAMS("tcpip", tcpip)->fault = TCPIP_FAULT_EARLY_RELEASE;
  machine_run();
  assert_true(COUNT(wrong) > 0);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t records = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++) {
    if (ring[i].part != TCPIP || ring[i].kind != TCPIP_EV_WRONG) continue;
    assert_in_range(ring[i].a, 1, 20);
    assert_int_not_equal(ring[i].b, ring[i].c);
    records++;
  }
  assert_int_equal(records, COUNT(wrong));
}

/* Each buffer but the last is released again when the next packet is done. The adapter has filled it and
 * fills it once more. */
TEST(a_buffer_released_twice_is_reported_and_spoils_sums) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 20, PARAMS("ethernet", ethernet)->ring = 2,
                     PARAMS("tcpip", tcpip)->fault = TCPIP_FAULT_RELEASED_TWICE;
  PARAMS("tcpip", tcpip)->crc_time = 200000;
  machine_run();
  assert_int_equal(COUNT(released_twice), COUNT(processed) - 1);
  assert_true(COUNT(wrong) > 0);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t records = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++)
    if (ring[i].kind == TCPIP_EV_TWICE)
      assert_int_equal(ring[i].b, records++ % 2); /* that of the previous packet */
  assert_int_equal(records, COUNT(released_twice));
}

/* The driver owns the descriptor as soon as the frame begins: a fast driver reads the old contents. */
TEST(a_descriptor_handed_over_early_spoils_sums_of_a_fast_driver) {
  one(ROWS(uni));
  PARAMS("ethernet", ethernet)->frames = 10, PARAMS("ethernet", ethernet)->fault = ETHERNET_FAULT_EARLY_OWNER,
                     PARAMS("ethernet", ethernet)->wire = 10000000;
  machine_run();
  assert_int_equal(COUNT(processed), 10);
  assert_true(COUNT(wrong) > 0);
  PARAMS("ethernet", ethernet)->wire = 1000000000;
  machine_run();
  EXPECT_VALUES({COUNT(processed), 10}, {COUNT(wrong), 0});
}

/* Returns the packet numbers in the order in which applications finished them, as digits of one number. */
static uint32_t order_of_packets(void) {
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  uint32_t order = 0;
  for (uint32_t i = 0; i < d->seq_lo; i++)
    if (ring[i].part == TCPIP && ring[i].kind == TCPIP_EV_FINISHED) order = order * 10 + (uint32_t)ring[i].a;
  return order;
}

/* Six packets, every second one swapped with the next: 1 3 2 5 4 6. With reassembly they reach the
 * application in order. */
TEST(packets_out_of_order_are_put_back_in_order) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 6, PARAMS("ethernet", ethernet)->swap = 2;
  machine_run();
  assert_int_equal(order_of_packets(), 132546), assert_int_equal(COUNT(reordered), 0),
      assert_int_equal(COUNT(wrong), 0);
  uint64_t before = CPU_COUNT("io", in_protocol);
  PARAMS("tcpip", tcpip)->reassembly = 4, PARAMS("tcpip", tcpip)->io_reorder_time = 11 * US;
  machine_run();
  assert_int_equal(order_of_packets(), 123456), assert_int_equal(COUNT(reordered), 2),
      assert_int_equal(COUNT(gaps), 0), assert_int_equal(COUNT(wrong), 0);
  assert_true(CPU_COUNT("io", in_protocol) >= before + 22 * US);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t held = 0;
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++) {
    if (ring[i].part != TCPIP || ring[i].kind != TCPIP_EV_HELD) continue;
    assert_int_equal(
        ring[i].a, 3 + 2 * held); /* 3 in the second buffer, for 2; then 5 in the fourth, for 4 */
    EXPECT_VALUES({ring[i].b, 1 + 2 * held}, {ring[i].c, 2 + 2 * held});
    held++;
  }
  assert_int_equal(held, 2);
}

/* With one buffer the missing packet could never arrive, so nothing waits for it. */
TEST(a_ring_never_fills_with_held_packets) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 6, PARAMS("ethernet", ethernet)->swap = 2,
                     PARAMS("ethernet", ethernet)->ring = 1, PARAMS("tcpip", tcpip)->reassembly = 4;
  machine_run();
  assert_int_equal(COUNT(processed), 6), assert_int_equal(COUNT(gaps), 2);
}

/* Lost frames leave gaps. When more than two packets are held, the gap is skipped and the others continue in
 * order. */
TEST(a_lost_packet_is_skipped) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 9, PARAMS("ethernet", ethernet)->period = 40 * US,
                     PARAMS("ethernet", ethernet)->ring = 3, PARAMS("tcpip", tcpip)->reassembly = 2;
  machine_run();
  uint64_t lost = SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->lost;
  assert_true(lost > 0);
  assert_true(
      COUNT(processed) + lost <= 9 && COUNT(processed) + lost >= 7); /* packets held at the end stay held */
}

/* Only buffers can be released twice. An application that finishes copies has none, so neither adapter nor
 * sums show the defect. */
TEST(a_copy_is_not_released_twice) {
  two(ROWS(application), ROWS(copies));
  PARAMS("ethernet", ethernet)->frames = 20, PARAMS("ethernet", ethernet)->ring = 2,
                     PARAMS("tcpip", tcpip)->fault = TCPIP_FAULT_RELEASED_TWICE;
  machine_run();
  EXPECT_VALUES(
      {COUNT(processed), 20}, {COUNT(copied), 20 * PAYLOAD}, {COUNT(released_twice), 0}, {COUNT(wrong), 0});
}
