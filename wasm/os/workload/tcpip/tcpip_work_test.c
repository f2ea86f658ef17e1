/* Times and work of packets on I/O processors and others, of connections, and of packets held for a missing
 * one. */
#include "test/packets.h"

/* In connections of three packets the first adds 5 segments and the third 7; the fourth packet opens another.
 * Each segment takes 100 us in addition to its bytes. */
TEST(the_packets_that_begin_and_end_a_connection_cost_more) {
  static const uint64_t segments[] = {0, 1 + 5, 1 + 5 + 1, 1 + 5 + 1 + 1 + 7, 1 + 5 + 1 + 1 + 7 + 1 + 5};
  uint64_t bytes = 0;
  for (uint64_t frames = 1; frames <= 4; frames++) {
    two(ROWS(application), ROWS(io_thread));
    PARAMS("ethernet", ethernet)->frames = frames, PARAMS("tcpip", tcpip)->connection = 3,
                       PARAMS("tcpip", tcpip)->setup_segments = 5,
                       PARAMS("tcpip", tcpip)->teardown_segments = 7;
    SET_CACHES(uncached, 0); /* each byte costs the same, whatever the bus load */
    PARAMS("tcpip", tcpip)->byte_time = PARAMS("tcpip", tcpip)->io_byte_time = 0;
    machine_run();
    uint64_t rest = CPU_COUNT("io", in_protocol) - segments[frames] * 100 * US;
    if (frames == 1) bytes = rest;
    assert_in_range(rest, frames * bytes, frames * (bytes + 1 * US));
    EXPECT_VALUES({COUNT(connections), frames == 4 ? 2 : 1}, {COUNT(processed), frames});
  }
}

/* Work on packets can be interrupted; only kernel calls and switches disable interrupts. */
TEST(work_on_packets_does_not_disable_interrupts) {
  two(ROWS(copied), ROWS(copies));
  PARAMS("ethernet", ethernet)->frames = 3,
                     PARAMS("tcpip", tcpip)->purges = PARAMS("tcpip", tcpip)->flushes = 1,
                     SET_CACHES(uncached, 0);
  machine_open();
  uint32_t seen = 0;
  EACH_EVENT
  for (uint32_t cpu = MAIN; cpu <= part_named("io"); cpu++) {
    const struct processor_state *s = SIM_STATE(test_engine(), cpu, processor);
    const struct processor_now *now = sim_at(test_engine(), s->now_at);
    if (!s->timing) continue;
    seen |= 1u << now->state;
    if (now->state == PROCESSOR_STATE_KERNEL || now->state == PROCESSOR_STATE_SWITCH)
      assert_int_equal(s->held, 1);
    if (now->state == PROCESSOR_STATE_PROTOCOL || now->state == PROCESSOR_STATE_CARRY
        || now->state == PROCESSOR_STATE_ORDER || now->state == PROCESSOR_STATE_MESSAGE
        || now->state == PROCESSOR_STATE_DECODE)
      assert_int_equal(s->held, 0);
  }
  assert_int_equal(seen >> PROCESSOR_STATE_PROTOCOL & seen >> PROCESSOR_STATE_CARRY
                       & seen >> PROCESSOR_STATE_ORDER & seen >> PROCESSOR_STATE_MESSAGE
                       & seen >> PROCESSOR_STATE_DECODE & seen >> PROCESSOR_STATE_KERNEL & 1,
      1);
  assert_int_equal(COUNT(processed), 3);
}

/* Packet 1 is missing. With a limit of two and a ring of eight the third held packet is one too many, as is
 * the second with a ring of two: the gap is skipped. The expected packet and older ones are never held. */
TEST(limited_packets_are_held_for_a_missing_one) {
  static const struct {
    uint64_t most;
    uint32_t ring, gap;
  } cases[] = {{2, 8, 3}, {1, 8, 2}, {4, 8, 5}, {8, 2, 2}, {8, 3, 3}, {8, 1, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    two(ROWS(application), ROWS(io_thread));
    PARAMS("tcpip", tcpip)->reassembly = cases[i].most;
    machine_open();
    struct tcpip_now *now = tcpip_now_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip));
    const uint32_t row = CALLS_PER_CPU + 3;
    now->ring = cases[i].ring;
    for (uint32_t n = 1; n <= cases[i].gap; n++) {
      tcpip_call call = {.place = n == 2 ? TCPIP_COPY : n, .packet = 10 - n}; /* the newest comes first */
      tcpip_place_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), call.place)->packet =
          call.packet;
      assert_int_equal(
          tcpip_can_continue(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), row, &call), 0);
      assert_int_equal(
          tcpip_place_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), call.place)->held, 1);
      assert_int_equal(
          tcpip_place_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), call.place)->from, 1);
      EXPECT_VALUES({COUNT(reordered), n}, {COUNT(gaps), n == cases[i].gap},
          {now->expected, n == cases[i].gap ? 10 - n : 1});
    }
    for (uint32_t packet = 1; packet <= now->expected; packet++) {
      tcpip_call call = {.place = 20, .packet = packet};
      assert_int_equal(
          tcpip_can_continue(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), row, &call), 1);
      assert_int_equal(tcpip_place_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), 20)->held, 0);
    }
    tcpip_call call = {.place = 20, .packet = 99};
    for (uint32_t left = cases[i].gap; left > 0; left--) { /* oldest first, each once */
      assert_int_equal(tcpip_continue(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), &call), 1);
      EXPECT_VALUES({call.packet, 10 - left}, {call.place, left == 2 ? TCPIP_COPY : left});
      now->expected++;
    }
    assert_int_equal(tcpip_continue(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), &call), 0);
  }
}

/* Finished calls of any kind are shown as done. A call that delivered its packet keeps its place; a call that
 * finished it has none. */
TEST(finished_calls_are_shown_as_done) {
  PROGRAM(takes, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), END);
  PROGRAM(finishes, ROW(ACCEPT, 0, 0, 0), ROW(FINISH, 0, 0, 0), END);
  PROGRAM(delivers, ROW(DELIVER, 0, 0, 0), END);
  for (uint32_t i = 0; i < 2; i++) {
    two(ROWS(takes), ROWS(delivers));
    if (i) two(ROWS(finishes), ROWS(delivers));
    machine_run();
    const tcpip_call *calls = tcpip_call_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), 0);
    EXPECT_VALUES({calls[0].step, TCPIP_STEP_DONE}, {calls[CALLS_PER_CPU].step, TCPIP_STEP_DONE},
        {calls[CALLS_PER_CPU].op, PROCESSOR_OP_DELIVER}, {calls[CALLS_PER_CPU].place, 0},
        {calls[0].place, i ? TCPIP_NO_PLACE : 0});
    assert_int_equal(calls[2 * CALLS_PER_CPU].place, TCPIP_NO_PLACE); /* never used */
    assert_int_equal(calls[CALLS_PER_CPU + 1].step, TCPIP_STEP_DONE); /* its handler */
  }
}

/* A packet with a line of another one is summed once more as it was sent. The sum is wrong if any word
 * differs, for every code. */
TEST(a_sum_is_compared_with_that_of_the_packet_as_sent) {
  for (uint32_t code = CODE_CRC; code <= CODE_HUFFMAN; code++)
    for (uint32_t word = 0; word <= 4; word++)
      for (uint32_t mixed = 0; mixed < 2; mixed++) {
        two(ROWS(application), ROWS(io_thread));
        machine_open();
        sim_record_trace(test_engine(), 1);
        tcpip_call call = {.packet = 7, .count = code, .size = FRAME_HEADER + 333, .mixed = mixed};
        struct code_sum *sum = tcpip_sum_of(&call);
        while (sum->bytes < 333) tcpip_piece(&call, sum, 7, 7);
        assert_int_equal(sum->bytes, 333);
        const uint32_t was = sum->w[0];
        if (word < 4) sum->w[word] ^= 0x10000;
        else sum->carry ^= 1; /* an unfinished code is ignored */
        tcpip_compare(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), &call);
        const uint32_t wrong = mixed && word < 4;
        assert_int_equal(COUNT(wrong), wrong);
        assert_int_equal(sim_host_state(test_engine())->broken, wrong ? SIM_AS_SENT : SIM_HOLDS);
        if (wrong) assert_int_equal(sim_host_state(test_engine())->broken_at, 0); /* no address */
        if (wrong)
          EXPECT_EVENTS(TCPIP, {0, TCPIP_EV_SUM, 7, sum->w[0], code, 0},
              {0, TCPIP_EV_WRONG, 7, sum->w[0], was, BECAUSE(TCPIP, TCPIP_EV_SUM)});
        else EXPECT_EVENTS(TCPIP, {0, TCPIP_EV_SUM, 7, sum->w[0], code, 0});
      }
}
