/* From the wire to the application, on one and on two processors. Expected times are derived
 * in microseconds. */
#include "test/packets.h"

/*
 * The frame is in its buffer after 1.526; its last line is written in 12 ns. Interrupt 5, handler 4, give 1,
 * wake 2, TCP/IP 100 and its pass over the bytes, copy 7.3 in addition to the bus, put 1. When the I/O thread
 * blocks in its next take (1 + 3) the application wakes (2) and computes 14.6. Both threads block before the
 * frame arrives: take 1 + 3, get 1 + 3. The interrupt waits until the kernel's call and the switch are over.
 */
TEST(a_packet_on_one_processor) {
  one(ROWS(uni));
  SET_CPUS(switch_time, 0), PARAMS("kernel", kernel)->call_time = 0;
  PARAMS("tcpip", tcpip)->io_protocol_time = PARAMS("tcpip", tcpip)->io_copy_time = 1; /* no such processor */
  machine_run();
  EXPECT_VALUES({COUNT(processed), 1},
      {COUNT(latency), (5 + 4 + 2 + 100 + 2) * US + SUMMED + READ + WRITE + PAYLOAD * 5000 + DECODED},
      {COUNT(copied), PAYLOAD}, {COUNT(wrong), 0}, {CPU_COUNT("main", in_protocol), 100 * US + SUMMED},
      {CPU_COUNT("main", in_decode), DECODED}, {CPU_COUNT("main", in_message), 0});
  assert_int_equal(SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->busy,
      1514 * 1000 + 12 * 1000); /* a frame is received until its last line is in memory */
}

/* The message interrupts the main processor (5), which wakes (2) and synchronises (7). Nothing is copied. */
TEST(a_packet_on_two_processors_is_not_copied) {
  two(ROWS(application), ROWS(io_thread));
  SET_CPUS(switch_time, 0), PARAMS("kernel", kernel)->call_time = 0;
  machine_run();
  EXPECT_VALUES({COUNT(processed), 1},
      {COUNT(latency), (5 + 4 + 2 + 100 + 5 + 2 + 7) * US + SUMMED + DECODED}, {COUNT(copied), 0},
      {CPU_COUNT("io", in_protocol), 100 * US + SUMMED}, {CPU_COUNT("main", in_protocol), 0},
      {CPU_COUNT("main", in_message), 7 * US});
}

/*
 * The second of three packets is damaged. TCP/IP rejects it, the sender repeats it behind the next one, and
 * the packets behind it are held until it is there. Without the check the application gets the wrong bytes.
 */
TEST(a_damaged_packet_is_rejected_and_sent_again) {
  for (uint32_t verifies = 0; verifies < 2; verifies++) {
    two(ROWS(application), ROWS(io_thread));
    PARAMS("ethernet", ethernet)->frames = 3, PARAMS("ethernet", ethernet)->ring = 8;
    PARAMS("ethernet", ethernet)->damage = 2, PARAMS("ethernet", ethernet)->resend = 1;
    PARAMS("tcpip", tcpip)->verifies = verifies, PARAMS("tcpip", tcpip)->reassembly = 4;
    machine_run();
    const struct ethernet_counters *card = SIM_COUNTERS(test_engine(), ADAPTER, ethernet);
    EXPECT_VALUES({card->damaged, 1}, {card->resent, verifies}, {card->received, 3 + verifies},
        {COUNT(bad_checksums), verifies}, {COUNT(reordered), verifies}, {COUNT(wrong), !verifies},
        {COUNT(delivered), 3}, {COUNT(processed), 3});
  }
}

/* At half the clock everything in a processor takes twice the time, including kernel and switches. The bus
 * keeps its times. */
TEST(times_follow_the_clock) {
  two(ROWS(application), ROWS(io_thread));
  SET_CPUS(nominal_clock, 100000000), PARAMS("main", processor)->clock = 50000000,
                                                     PARAMS("io", processor)->clock = 400000000;
  machine_run();
  EXPECT_VALUES({CPU_COUNT("io", in_protocol), 25 * US + READ + PAYLOAD * 250},
      {CPU_COUNT("main", in_message), 14 * US}, {CPU_COUNT("main", in_decode), READ + PAYLOAD * 20000},
      {CPU_COUNT("main", in_kernel), 2 * 2 * US}, {CPU_COUNT("main", in_switch), 2 * 6 * US},
      {CPU_COUNT("main", in_wake), 4 * US}, {CPU_COUNT("main", in_interrupt), 10 * US},
      {CPU_COUNT("io", in_interrupt), 5 * US / 4 + US});
}

/* A frame is 24 lines: TCP/IP reads them, a copy reads and writes them, and the application reads them. Cache
 * hits count as well. */
TEST(memory_accesses_of_a_service_are_counted) {
  for (uint64_t cached = 0; cached < 2; cached++) {
    one(ROWS(uni));
    SET_CACHES(uncached, cached ? 0 : 128 << 10);
    machine_run();
    EXPECT_VALUES({COUNT(wrong), 0}, {CPU_COUNT("main", accesses), 4 * 24},
        {COUNTERS("main_cache", data_cache)->hits > 0, cached});
  }
}

/*
 * The frame has arrived after 1.526: interrupt 5, handler 4, wake 2, TCP/IP 90. The message interrupts the
 * main processor (5), which wakes (2) and synchronises (7). A byte takes 10 ns for CRC, 20 for MD5, 30 for
 * DES, 40 for Huffman. The expected sums of packet 1 were computed by zlib and OpenSSL.
 */
TEST(each_code_takes_its_time_and_returns_its_sum) {
  PROGRAM(codes, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), ROW(DECODE, 0, 2, 0), ROW(DECODE, 0, 3, 0),
      ROW(DECODE, 0, 4, 0), ROW(FINISH, 0, 0, 0), END);
  two_different(ROWS(codes), ROWS(io_thread));
  PARAMS("tcpip", tcpip)->deadline = 1 * US;
  machine_run();
  const uint64_t taken = FRAME_TIME + 11 * US, delivered = taken + 90 * US + SUMMED,
                 accepted = delivered + 14 * US;
  const uint64_t crc = accepted + READ + PER_BYTE(10000), md5 = crc + READ + PER_BYTE(20000),
                 des_end = md5 + READ + PER_BYTE(30000), end = des_end + READ + PER_BYTE(40000);
  const uint32_t sim_io = BECAUSE(part_named("io"), PROCESSOR_EV_STATE),
                 sim_main = BECAUSE(MAIN, PROCESSOR_EV_STATE), sim_call = BECAUSE(MAIN, PROCESSOR_EV_CALL),
                 sim_bus = BECAUSE(part_named("bus"), MEMORY_BUS_EV_START);
  EXPECT_EVENTS(TCPIP, {taken, TCPIP_EV_TAKEN, 1, 0, 1, sim_io},
      {delivered, TCPIP_EV_DELIVERED, 1, 0, 1, sim_bus}, {accepted, TCPIP_EV_ACCEPTED, 1, 0, 0, sim_main},
      {crc, TCPIP_EV_SUM, 1, 0x28de86fd, 1, sim_bus}, {md5, TCPIP_EV_SUM, 1, 0x9d0b03df, 2, sim_bus},
      {des_end, TCPIP_EV_SUM, 1, 0xa6330b2e, 3, sim_bus}, {end, TCPIP_EV_SUM, 1, 6053, 4, sim_bus},
      {end, TCPIP_EV_FINISHED, 1, 0, 0, sim_call},
      {end, TCPIP_EV_LATE, end - FRAME_TIME, 1, 0, BECAUSE(TCPIP, TCPIP_EV_FINISHED)});
  EXPECT_VALUES({CPU_COUNT("main", in_message), 7 * US}, {COUNT(delivered), 1},
      {COUNT(latency_most), end - FRAME_TIME});
  uint32_t rows;
  const struct tcpip_calls *calls = checked_view(test_engine(), TCPIP, TCPIP_VIEW_CALLS, &rows);
  EXPECT_VALUES({calls[0].mixed, 0}, {calls[0].step, TCPIP_STEP_DONE});
}

/*
 * Two packets, 1000 apart, are copied by both processors: 1.46 kB at 3 and at 5 ns per byte, in addition to
 * the bus. The first copy of the second packet reuses the place of the first. A buffer is released as soon as
 * it is copied.
 */
TEST(a_copy_takes_the_first_free_place) {
  PROGRAM(hold, ROW(ACCEPT, 0, 2, 5), ROW(SPEND, 2000, 0, 0), ROW(FINISH, 0, 0, 0), FOREVER,
      ROW(ACCEPT, 0, 1, 5), ROW(FINISH, 0, 0, 0), AGAIN, END);
  PROGRAM(to_the_sixth, FOREVER, ROW(DELIVER, 0, 1, 5), AGAIN, END);
  two_different(ROWS(hold), ROWS(to_the_sixth));
  PARAMS("ethernet", ethernet)->frames = 2, PARAMS("ethernet", ethernet)->period = 1000 * US;
  machine_run();
  const uint64_t io = READ + WRITE + PER_BYTE(3000), main_copy = READ + WRITE + PER_BYTE(5000),
                 taken = FRAME_TIME + 11 * US, delivered = taken + 90 * US + SUMMED + io,
                 copied = delivered + 14 * US + main_copy, finished = copied + main_copy + 2000 * US,
                 again = finished + 7 * US + main_copy;
  const uint32_t sim_io = BECAUSE(part_named("io"), PROCESSOR_EV_STATE),
                 sim_bus = BECAUSE(part_named("bus"), MEMORY_BUS_EV_START),
                 sim_copy = BECAUSE(TCPIP, TCPIP_EV_COPIED),
                 sim_buffer = BECAUSE(ADAPTER, ETHERNET_EV_RELEASED),
                 sim_call = BECAUSE(MAIN, PROCESSOR_EV_CALL);
  EXPECT_EVENTS(TCPIP, {taken, TCPIP_EV_TAKEN, 1, 0, 1, sim_io},
      {delivered, TCPIP_EV_COPIED, 1, 64, 1, sim_buffer}, {delivered, TCPIP_EV_DELIVERED, 1, 64, 1, sim_copy},
      {copied, TCPIP_EV_COPIED, 1, 65, 0, sim_bus}, {copied + main_copy, TCPIP_EV_COPIED, 1, 64, 0, sim_bus},
      {copied + main_copy, TCPIP_EV_ACCEPTED, 1, 64, 0, sim_copy},
      {taken + 1000 * US, TCPIP_EV_TAKEN, 2, 1, 1, sim_io},
      {delivered + 1000 * US, TCPIP_EV_COPIED, 2, 65, 1, sim_buffer},
      {delivered + 1000 * US, TCPIP_EV_DELIVERED, 2, 65, 1, sim_copy},
      {finished, TCPIP_EV_FINISHED, 1, 0, 0, sim_call}, {again, TCPIP_EV_COPIED, 2, 64, 0, sim_bus},
      {again, TCPIP_EV_ACCEPTED, 2, 64, 0, sim_copy}, {again, TCPIP_EV_FINISHED, 2, 0, 0, sim_call});
  assert_int_equal(COUNT(copied), 5 * PAYLOAD);
  assert_int_equal(COUNT(latency), finished + again - 2 * FRAME_TIME - 1000 * US);
  assert_int_equal(COUNT(latency_most), finished - FRAME_TIME);
  uint32_t queues;
  const struct kernel_queues *queue = checked_view(test_engine(), KERNEL, KERNEL_VIEW_QUEUES, &queues);
  for (uint32_t i = 0; i < queues; i++)
    assert_int_equal(queue[i].first, i == 5); /* the second was queued for a while */
  machine_open();
  assert_int_equal(sim_run(test_engine(), 1500 * US, UINT64_MAX), SIM_UNTIL); /* each has one packet */
  uint32_t copies_shown;
  const struct tcpip_messages *message =
      checked_view(test_engine(), TCPIP, TCPIP_VIEW_MESSAGES, &copies_shown);
  for (uint32_t i = 0; i < copies_shown; i++) assert_int_equal(message[i].packet, i < 2 ? i + 1 : 0);
  EXPECT_VALUES({message[1].from, 1}, {message[1].arrived, FRAME_TIME + 1000 * US});
}

/* A packet that meets its deadline exactly is not late; with a deadline 1 ps shorter it is. */
TEST(a_packet_is_late_after_its_deadline) {
  two(ROWS(application), ROWS(io_thread));
  SET_CPUS(switch_time, 0), PARAMS("kernel", kernel)->call_time = 0;
  uint64_t latency = (5 + 4 + 2 + 100 + 5 + 2 + 7) * US + SUMMED + DECODED;
  PARAMS("tcpip", tcpip)->deadline = latency;
  machine_run();
  assert_int_equal(COUNT(late), 0);
  PARAMS("tcpip", tcpip)->deadline = latency - 1;
  machine_run();
  assert_int_equal(COUNT(late), 1);
}

TEST(a_packet_sent_by_messages_is_copied_twice_correctly) {
  two(ROWS(copied), ROWS(copies));
  PARAMS("ethernet", ethernet)->frames = 5;
  machine_run();
  EXPECT_VALUES({COUNT(processed), 5}, {COUNT(copied), 10 * PAYLOAD});
  uint64_t waited = COUNTERS("main_cache", data_cache)->waited, carried = 5 * (READ + WRITE + PAYLOAD * 5000),
           decoded = 10 * DECODED;
  assert_int_equal(CPU_COUNT("main", in_carry) + CPU_COUNT("main", in_decode), carried + decoded + waited);
  assert_int_equal(CPU_COUNT("io", in_carry) + CPU_COUNT("io", in_protocol),
      carried + 5 * (100 * US + SUMMED) + COUNTERS("io_cache", data_cache)->waited);
  assert_int_equal(COUNT(wrong), 0);
}

/* A frame of 64 bytes is one line, 16 words of 3 ns, with ten bytes of payload. */
TEST(a_small_packet_costs_its_bytes_and_the_fixed_times) {
  two(ROWS(application), ROWS(io_thread));
  SET_CPUS(switch_time, 0), PARAMS("kernel", kernel)->call_time = 0, PARAMS("ethernet", ethernet)->frame = 64;
  machine_run();
  assert_int_equal(
      COUNT(latency), (5 + 4 + 2 + 100 + 5 + 2 + 7) * US + 16 * 3000 + 10 * 1000 + 16 * 3000 + 10 * 10000);
  EXPECT_VALUES({COUNT(wrong), 0}, {SIM_COUNTERS(test_engine(), ADAPTER, ethernet)->bytes, 64});
}

/* Connections of three packets: of six packets 1 and 4 open one, 3 and 6 close one, with two
 * segments each. */
TEST(a_connection_costs_its_segments) {
  two(ROWS(application), ROWS(io_thread));
  PARAMS("ethernet", ethernet)->frames = 6;
  machine_run();
  uint64_t before = CPU_COUNT("io", in_protocol), waited = COUNTERS("io_cache", data_cache)->waited;
  PARAMS("tcpip", tcpip)->connection = 3;
  machine_run();
  assert_int_equal(COUNT(connections), 2);
  assert_int_equal(CPU_COUNT("io", in_protocol) - COUNTERS("io_cache", data_cache)->waited,
      before - waited + 8 * 100 * US);
}

/* A packet processed by an engine takes a completion but no TCP/IP. */
TEST(a_packet_of_an_engine_takes_no_protocol) {
  PROGRAM(collects, FOREVER, ROW(COLLECT, 0, 0, 0), AGAIN, END);
  two(ROWS(application), ROWS(collects));
  PARAMS("tcpip", tcpip)->collect_time = 13 * US;
  machine_run();
  assert_int_equal(COUNT(processed), 1), assert_int_equal(CPU_COUNT("io", in_protocol), 13 * US);
}
