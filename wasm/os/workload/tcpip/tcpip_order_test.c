/* What becomes of packets when buffers or caches are scarce, when the wire swaps or loses some, and when
 * something is given back too early. */
#include "test/packets.h"

/*
 * The I/O processor copies packets for the other, in caches of 32 lines a buffer that do not snoop; both
 * copies go into the same place in turn. What is not purged is old; what is not flushed has never come to
 * memory.
 */
static void caches_that_do_not_snoop_are_kept_by_purges_and_flushes(void **state) {
  (void)state;
  for (uint32_t purges = 0; purges < 2; purges++)
    for (uint32_t flushes = 0; flushes < 2; flushes++) {
      two(ROWS(application), ROWS(copies));
      SET_CACHES(uncached, 0), SET_CACHES(snoops, 0);
      PARAMS("ethernet", ethernet)->frames = 3, PARAMS("ethernet", ethernet)->ring = 1;
      PARAMS("tcpip", tcpip)->purges = purges, PARAMS("tcpip", tcpip)->flushes = flushes;
      PARAMS("tcpip", tcpip)->order_time = 11000, PARAMS("tcpip", tcpip)->io_order_time = 13000;
      machine_run();
      assert_int_equal(COUNT(processed), 3);
      assert_int_equal(COUNT(wrong), purges && flushes ? 0 : flushes ? 2 : 3);
      assert_int_equal(CPU_COUNT("main", in_order), purges ? 3 * 24 * 11000 : 0);
      uint64_t in_orders = 3 * 24 * 13000 * (purges + flushes);
      assert_int_equal(
          CPU_COUNT("io", in_order) > in_orders, flushes); /* what is flushed takes the bus too */
      assert_int_equal(CPU_COUNT("io", in_order) >= in_orders, 1);
      if (flushes) assert_int_equal(COUNTERS("io_cache", data_cache)->write_backs, 3 * 48);
    }
}

/* A queue longer than there are copies, and an application that does not begin: senders wait for a place, and
 * go on when one is free. */
static void copies_that_run_out_are_waited_for(void **state) {
  (void)state;
  PROGRAM(late, ROW(SPEND, 100000, 0, 0), FOREVER, ROW(ACCEPT, 0, 1, 0), ROW(DECODE, 0, 1, 0),
      ROW(FINISH, 0, 0, 0), AGAIN, END);
  two(ROWS(late), ROWS(copies));
  PARAMS("ethernet", ethernet)->frames = 30, PARAMS("kernel", kernel)->queue_places = 64;
  machine_run();
  assert_int_equal(COUNT(processed), 30);
  assert_int_equal(COUNT(wrong), 0);
  assert_int_equal(SIM_COUNTERS(test_engine(), KERNEL, kernel)->queued_most, TCPIP_SENT);
}

/* More frames than the ring holds: the sender is held until buffers come back, in order, and nothing is lost.
 */
static void a_sender_that_waits_loses_nothing(void **state) {
  (void)state;
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 40, PARAMS("ethernet", ethernet)->ring = 3;
  machine_run();
  assert_int_equal(COUNT(processed), 40);
  assert_int_equal(COUNT(wrong), 0);
  assert_int_equal(SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->lost, 0);
  assert_true(SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->held > 0);
}

/* A frame every 50 where each takes over 100: half of them and more find no descriptor. */
static void a_sender_that_does_not_wait_loses_frames(void **state) {
  (void)state;
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 40, PARAMS("ethernet", ethernet)->period = 50 * US,
                     PARAMS("ethernet", ethernet)->ring = 2;
  machine_run();
  uint64_t lost = SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->lost;
  assert_int_equal(COUNT(processed) + lost, 40);
  assert_true(lost >= 18);
}

/* The buffer goes back when its address is sent: the adapter fills it while the application reads, and the
 * sum shows it. */
static void a_buffer_that_goes_back_too_early_spoils_the_sum(void **state) {
  (void)state;
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 20, PARAMS("ethernet", ethernet)->ring = 1,
                     PARAMS("tcpip", tcpip)->fault = TCPIP_FAULT_EARLY_RELEASE;
  machine_run();
  assert_true(COUNT(wrong) > 0);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t told = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++) {
    if (ring[i].part != TCPIP || ring[i].kind != TCPIP_EV_WRONG) continue;
    assert_in_range(ring[i].a, 1, 20);
    assert_int_not_equal(ring[i].b, ring[i].c);
    told++;
  }
  assert_int_equal(told, COUNT(wrong));
}

/* Each buffer but the last goes back again when the next packet is done: the adapter has filled it, and fills
 * it once more. */
static void a_buffer_that_goes_back_twice_is_told_and_spoils_sums(void **state) {
  (void)state;
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 20, PARAMS("ethernet", ethernet)->ring = 2,
                     PARAMS("tcpip", tcpip)->fault = TCPIP_FAULT_RELEASED_TWICE;
  PARAMS("tcpip", tcpip)->crc_time = 200000;
  machine_run();
  assert_int_equal(COUNT(released_twice), COUNT(processed) - 1);
  assert_true(COUNT(wrong) > 0);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t told = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++)
    if (ring[i].kind == TCPIP_EV_TWICE)
      assert_int_equal(ring[i].b, told++ % 2); /* that of the packet before */
  assert_int_equal(told, COUNT(released_twice));
}

/* The descriptor is the driver's as soon as the frame begins: whoever is quick reads what lay there before.
 */
static void a_descriptor_that_is_handed_over_early_spoils_sums_of_the_quick(void **state) {
  (void)state;
  one(ROWS(uni));
  PARAMS("ethernet", ethernet)->frames = 10, PARAMS("ethernet", ethernet)->fault = ETHERNET_FAULT_EARLY_OWNER,
                     PARAMS("ethernet", ethernet)->wire = 10000000;
  machine_run();
  assert_int_equal(COUNT(processed), 10);
  assert_true(COUNT(wrong) > 0);
  PARAMS("ethernet", ethernet)->wire = 1000000000;
  machine_run();
  assert_int_equal(COUNT(processed), 10);
  assert_int_equal(COUNT(wrong), 0);
}

/* Numbers of the packets that an application has finished, in its order, as the digits of one number. */
static uint32_t order_of_packets(void) {
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  uint32_t order = 0;
  for (uint32_t i = 0; i < d->seq_lo; i++)
    if (ring[i].part == TCPIP && ring[i].kind == TCPIP_EV_FINISHED) order = order * 10 + (uint32_t)ring[i].a;
  return order;
}

/* Sent 1 to 6, with every second swapped with the next: 1 3 2 5 4 6. Held for each other they reach the
 * application as sent. */
static void packets_out_of_order_are_put_back_in_order(void **state) {
  (void)state;
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
    assert_int_equal(ring[i].b, 1 + 2 * held);
    assert_int_equal(ring[i].c, 2 + 2 * held);
    held++;
  }
  assert_int_equal(held, 2);
}

/* With one buffer the packet that is missing could never come: it is waited for no longer. */
static void a_ring_that_would_be_full_of_held_packets_goes_on(void **state) {
  (void)state;
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 6, PARAMS("ethernet", ethernet)->swap = 2,
                     PARAMS("ethernet", ethernet)->ring = 1, PARAMS("tcpip", tcpip)->reassembly = 4;
  machine_run();
  assert_int_equal(COUNT(processed), 6), assert_int_equal(COUNT(gaps), 2);
}

/* Lost frames leave gaps; when more than two are held, the rest goes on, in order. */
static void a_packet_that_was_lost_is_not_waited_for_for_ever(void **state) {
  (void)state;
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 9, PARAMS("ethernet", ethernet)->period = 40 * US,
                     PARAMS("ethernet", ethernet)->ring = 3, PARAMS("tcpip", tcpip)->reassembly = 2;
  machine_run();
  uint64_t lost = SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->lost;
  assert_true(lost > 0);
  assert_true(
      COUNT(processed) + lost <= 9 && COUNT(processed) + lost >= 7); /* what is held at the end is held */
}

/* Only a buffer can go back twice: who finishes copies has none, and neither adapter nor sums see the defect.
 */
static void a_copy_does_not_go_back_twice(void **state) {
  (void)state;
  two(ROWS(application), ROWS(copies));
  PARAMS("ethernet", ethernet)->frames = 20, PARAMS("ethernet", ethernet)->ring = 2,
                     PARAMS("tcpip", tcpip)->fault = TCPIP_FAULT_RELEASED_TWICE;
  machine_run();
  assert_int_equal(COUNT(processed), 20);
  assert_int_equal(COUNT(copied), 20 * PAYLOAD);
  assert_int_equal(COUNT(released_twice), 0);
  assert_int_equal(COUNT(wrong), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(caches_that_do_not_snoop_are_kept_by_purges_and_flushes),
      cmocka_unit_test(copies_that_run_out_are_waited_for),
      cmocka_unit_test(a_sender_that_waits_loses_nothing),
      cmocka_unit_test(a_sender_that_does_not_wait_loses_frames),
      cmocka_unit_test(a_buffer_that_goes_back_too_early_spoils_the_sum),
      cmocka_unit_test(a_buffer_that_goes_back_twice_is_told_and_spoils_sums),
      cmocka_unit_test(a_descriptor_that_is_handed_over_early_spoils_sums_of_the_quick),
      cmocka_unit_test(packets_out_of_order_are_put_back_in_order),
      cmocka_unit_test(a_ring_that_would_be_full_of_held_packets_goes_on),
      cmocka_unit_test(a_packet_that_was_lost_is_not_waited_for_for_ever),
      cmocka_unit_test(a_copy_does_not_go_back_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
