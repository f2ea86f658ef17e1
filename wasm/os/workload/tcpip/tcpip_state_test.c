/* What the service refuses, what is kept of packets under way, and what is seen of one that is given out of turn. */
#include "test/packets.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "verify/packet_invariants.c"
#pragma GCC diagnostic pop

/* A message that no I/O thread has put there. */
static void a_message_that_is_no_packet_is_refused(void **state) {
  (void)state;
  PROGRAM(program, PROCESSOR_OP_PUT, 70000, 0, 4, 4, 0, 0, 0, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), END);
  one(ROWS(program));
  machine_run();
  assert_int_equal(CPU_COUNT("main", refused), 2);
}

/* Of any thread of either processor. */
static void work_on_no_packet_is_refused(void **state) {
  (void)state;
  PROGRAM(program, ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), END, ROW(THREAD, 0, 1, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), END);
  two(ROWS(program), ROWS(program));
  machine_run();
  assert_int_equal(CPU_COUNT("main", refused), 4);
  assert_int_equal(CPU_COUNT("io", refused), 4);
  assert_int_equal(COUNT(processed), 0);
}

static void rows_that_mean_nothing_are_refused(void **state) {
  (void)state;
  const uint64_t rows[][8] = {{ROW(DECODE, 0, 5, 0)}, {ROW(DECODE, 0, 0, 0)}, {ROW(ACCEPT, 0, 0, 16)}, {ROW(DELIVER, 0, 0, 16)}, {ROW(ACCEPT, 0, 3, 0)}, {ROW(DELIVER, 0, 3, 0)}, {ROW(MAP, 0, 0, 0)}, {ROW(LOCK, 0, 0, 16)},
                              {ROW(DECODE, 0, 4, 16)}, {ROW(DECODE, 0, 1, 0)}, {ROW(ACCEPT, 0, 2, 15)}, {ROW(DELIVER, 0, 2, 15)}, {ROW(FINISH, 0, 99, 99)}, {ROW(LOCK, 0, 0, 15)}};
  for (int i = 0; i < 14; i++) {
    uint64_t program[16] = {[8] = PROCESSOR_OP_END};
    memcpy(program, rows[i], sizeof rows[i]);
    one(ROWS(program));
        int nobody = rows[i][0] == PROCESSOR_OP_MAP; /* the kernel would pass it on, and nothing is wired behind it */
    assert_int_equal(session_open(machine_session()), nobody ? SIM_UNWIRED : i < 8 ? SIM_BAD_ROW : SIM_OK);
  }
}

/*
 * With the order of events left open: three frames of a line each, two buffers, on one processor and on two, copied on the way or not.
 * What is kept of packets, kernel, adapter, processors, caches, bus and memory is all that what comes next follows from.
 */
static void what_is_kept_of_packets_on_their_way_goes_on(void **state) {
  (void)state;
#define TURNS(priority, ...) ROW(THREAD, 0, priority, 0), ROW(REPEAT, 0, 3, 0), __VA_ARGS__, AGAIN, END
#define READS(copies) TURNS(1, ROW(ACCEPT, 0, copies, 0), ROW(DECODE, 0, 2, 0), ROW(FINISH, 0, 0, 0))
#define SENDS(copies) TURNS(9, ROW(DELIVER, 0, copies, 0))
  PROGRAM(uni_turns, SENDS(1), READS(0));
  PROGRAM(reads, READS(0));
  PROGRAM(copies_reads, READS(1));
  PROGRAM(sends, SENDS(0));
  PROGRAM(copies_sends, SENDS(1));
  uint64_t random = 5;
  for (uint32_t i = 0; i < 4; i++) {
    if (i == 0) one(ROWS(uni_turns));
    else two(i == 1 ? reads : copies_reads, sizeof reads / 8, i == 3 ? copies_sends : sends, sizeof sends / 8);
    SET_CPUS(switch_time, 1000 * US), SET_CPUS(wake_time, 1000 * US), SET_CPUS(interrupt_time, 1000 * US);
    PARAMS("kernel", kernel)->queue_places = 2, PARAMS("ethernet", ethernet)->frames = 3, PARAMS("ethernet", ethernet)->frame = 64, PARAMS("ethernet", ethernet)->ring = 2;
    PARAMS("memory", memory)->grain = 2048, SET_CACHES(size, 1024);
        machine_open();
    test_engine()->explore_step_time = 1; /* all steps together take less than anything that takes time */
    assert_kept_goes_on(1500, &random);
  }
}

/* Nothing under way: a byte for each number, buffer and copy, three for each of the processor's 17 calls; a copy that is taken has four more. */
static void what_is_kept_is_the_places_and_no_more(void **state) {
  (void)state;
  one(ROWS(uni));
    machine_open();
  for (uint32_t taken = 0; taken <= TCPIP_COPIES; taken++) {
    uint8_t bytes[CODEC_PART];
    struct sim_codec k = {.at = bytes};
    if (taken) *tcpip_place_of(test_engine(), TCPIP, TCPIP_COPY + taken - 1) = (tcpip_place){.packet = taken, .from = 2, .held = 1, .bytes = 300};
    tcpip_serialize(test_engine(), TCPIP, &k);
    assert_int_equal(k.at - bytes, 5 + 17 * 3 + 32 + 16 + 4 * taken);
  }
  tcpip_place *last = tcpip_place_of(test_engine(), TCPIP, TCPIP_COPY + TCPIP_COPIES - 1);
  struct tcpip_now *now = tcpip_now_of(test_engine(), TCPIP);
  KEEPS(TCPIP, &last->packet, &last->from, &last->held, &last->bytes, &now->untold, &now->next, &now->expected, &now->ring);
}

/* Of a checksum begun all is kept: the words that it has come to, what was left of the line before, and how far it is; of one that is done nothing. */
static void a_sum_half_way_is_kept(void **state) {
  (void)state;
  one(ROWS(uni));
    machine_open();
  tcpip_call *call = tcpip_call_of(test_engine(), TCPIP, 0);
  struct code_sum *sum = tcpip_sum_of(call);
  *call = (tcpip_call){.step = TCPIP_STEP_ENTER, .op = PROCESSOR_OP_DECODE};
  *sum = (struct code_sum){.w = {1, 2, 3, 4}, .carry = 5, .bytes = 6};
  KEEPS(TCPIP, &call->step, &call->op, &call->place, &call->count, &call->tag, &call->packet, &call->to, &call->given, &call->size, &call->stage, &call->line, &call->held, &call->seen, &call->mixed);
  KEEPS(TCPIP, &sum->w[0], &sum->w[1], &sum->w[2], &sum->w[3], &sum->carry, &sum->bytes);
  call->step = TCPIP_STEP_DONE;
  KEEPS_NOT(TCPIP, &call->stage, &call->line, &call->held, &call->seen, &call->mixed, &sum->w[0], &sum->w[1], &sum->w[2], &sum->w[3], &sum->carry, &sum->bytes);
}

static void memory_that_runs_out_is_an_error(void **state) {
  (void)state;
  one(ROWS(uni));
    session_without_memory(machine_session());
}

/* For two frames in two buffers: those that are told of a buffer, of a call, and of what was finished, and whether that is as it should be. */
static void a_packet_that_is_given_early_or_out_of_turn_is_seen(void **state) {
  (void)state;
  one(ROWS(uni));
  PARAMS("ethernet", ethernet)->frames = 2, PARAMS("ethernet", ethernet)->ring = 2;
  machine_run();
  sim *m = test_engine();
  uint32_t rows, calls;
  struct tcpip_slots *slot = checked_view(m, TCPIP, TCPIP_VIEW_SLOTS, &rows);
  struct ethernet_ring *ring = checked_view(m, ADAPTER, ETHERNET_VIEW_RING, &rows);
  struct tcpip_calls *call = checked_view(m, TCPIP, TCPIP_VIEW_CALLS, &calls);
  assert_int_equal(rows, 2);
  assert_int_equal(COUNT(processed), 2);
  assert_int_equal(broken_packet(m, TCPIP, ADAPTER), SIM_HOLDS);
  for (uint32_t i = 0; i < 2; i++)
    for (uint32_t how = 0; how < 4; how++) {
      slot[i].packet = how & 1 ? 3 : 0, ring[i].state = how >> 1 ? ETHERNET_OWNER_DRIVER : ETHERNET_OWNER_ADAPTER;
      assert_int_equal(broken_packet(m, TCPIP, ADAPTER), how == 1 ? SIM_STILL_HELD : SIM_HOLDS);
      assert_int_equal(broken_packet(m, TCPIP, SIM_NONE), SIM_HOLDS);
      assert_int_equal(broken_packet(m, SIM_NONE, ADAPTER), SIM_HOLDS);
      slot[i].packet = 0;
    }
  static const uint32_t ops[] = {PROCESSOR_OP_ACCEPT, PROCESSOR_OP_DECODE, PROCESSOR_OP_FINISH, PROCESSOR_OP_DELIVER};
  for (uint32_t at = 0; at < calls; at += calls - 1)
    for (uint32_t op = 0; op < 4; op++)
      for (uint32_t packet = 2; packet < 5; packet++)
        for (uint32_t place = 0; place < 2; place++) { /* two are finished: the third is in turn */
          const struct tcpip_calls before = call[at];
          call[at].op = ops[op], call[at].packet = packet, call[at].place = place ? 0 : TCPIP_NO_PLACE;
          assert_int_equal(broken_packet(m, TCPIP, ADAPTER), op < 3 && place && packet != 3 ? SIM_IN_TURN : SIM_HOLDS);
          call[at] = before;
        }
}

/* With a packet in each of the 32 buffers and 16 copies a message may name any of these; there is nothing between and behind them. */
static void a_message_names_a_buffer_or_a_copy(void **state) {
  (void)state;
  one(ROWS(uni));
    machine_open();
  static const uint32_t places[] = {0, 1, 31, 64, 65, 79}, none[] = {32, 33, 63, 80, 81, TCPIP_NO_PLACE};
  for (uint32_t i = 0; i < TCPIP_SLOTS; i++) *tcpip_place_of(test_engine(), TCPIP, i) = (tcpip_place){.packet = 1 + i, .bytes = 64};
  for (uint32_t i = 0; i < TCPIP_COPIES; i++) *tcpip_place_of(test_engine(), TCPIP, TCPIP_COPY + i) = (tcpip_place){.packet = 1 + i, .bytes = 64};
  for (uint32_t i = 0; i < 6; i++) {
    tcpip_call call = {.place = places[i]};
    assert_int_equal(tcpip_is_packet(test_engine(), TCPIP, &call), 1);
    assert_int_equal(call.place, places[i]);
    call.place = none[i];
    assert_int_equal(tcpip_is_packet(test_engine(), TCPIP, &call), 0);
    assert_int_equal(call.place, TCPIP_NO_PLACE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_message_that_is_no_packet_is_refused),
      cmocka_unit_test(work_on_no_packet_is_refused),
      cmocka_unit_test(rows_that_mean_nothing_are_refused),
      cmocka_unit_test(what_is_kept_of_packets_on_their_way_goes_on),
      cmocka_unit_test(what_is_kept_is_the_places_and_no_more),
      cmocka_unit_test(a_sum_half_way_is_kept),
      cmocka_unit_test(memory_that_runs_out_is_an_error),
      cmocka_unit_test(a_packet_that_is_given_early_or_out_of_turn_is_seen),
      cmocka_unit_test(a_message_names_a_buffer_or_a_copy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
