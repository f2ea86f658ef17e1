/* Calls that the service refuses, and its state codec. */
#include "test/packets.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "verify/packet_invariants.c"
#pragma GCC diagnostic pop

/* The message does not come from an I/O thread. */
TEST(a_message_without_a_packet_is_refused) {
  PROGRAM(
      program, PROCESSOR_OP_PUT, 70000, 0, 4, 4, 0, 0, 0, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), END);
  one(ROWS(program));
  machine_run();
  assert_int_equal(CPU_COUNT("main", refused), 2);
}

/* For each thread of either processor. */
TEST(work_without_a_packet_is_refused) {
  PROGRAM(program, ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), END, ROW(THREAD, 0, 1, 0),
      ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), END);
  two(ROWS(program), ROWS(program));
  machine_run();
  EXPECT_VALUES({CPU_COUNT("main", refused), 4}, {CPU_COUNT("io", refused), 4}, {COUNT(processed), 0});
}

TEST(meaningless_rows_are_refused) {
  const uint64_t rows[][8] = {{ROW(DECODE, 0, 5, 0)}, {ROW(DECODE, 0, 0, 0)}, {ROW(ACCEPT, 0, 0, 16)},
      {ROW(DELIVER, 0, 0, 16)}, {ROW(ACCEPT, 0, 3, 0)}, {ROW(DELIVER, 0, 3, 0)}, {ROW(MAP, 0, 0, 0)},
      {ROW(LOCK, 0, 0, 16)}, {ROW(DECODE, 0, 4, 16)}, {ROW(DECODE, 0, 1, 0)}, {ROW(ACCEPT, 0, 2, 15)},
      {ROW(DELIVER, 0, 2, 15)}, {ROW(FINISH, 0, 99, 99)}, {ROW(LOCK, 0, 0, 15)}};
  for (int i = 0; i < 14; i++) {
    uint64_t program[16] = {[8] = PROCESSOR_OP_END};
    memcpy(program, rows[i], sizeof rows[i]);
    one(ROWS(program));
    int nobody = rows[i][0] == PROCESSOR_OP_MAP; /* the kernel forwards it, but no service is connected */
    assert_int_equal(session_open(machine_session()), nobody ? SIM_UNWIRED : i < 8 ? SIM_BAD_ROW : SIM_OK);
  }
}

/*
 * Nondeterministic order of events: three frames of one line, two buffers, one or two processors, with and
 * without copies. The serialized state of packets, kernel, adapter, processors, caches, bus and memory
 * determines the next events.
 */
TEST(pending_packets_continue_from_their_serialized_state) {
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
    else
      two(i == 1 ? reads : copies_reads, sizeof reads / 8, i == 3 ? copies_sends : sends, sizeof sends / 8);
    SET_CPUS(switch_time, 1000 * US), SET_CPUS(wake_time, 1000 * US), SET_CPUS(interrupt_time, 1000 * US);
    PARAMS("kernel", kernel)->queue_places = 2, PARAMS("ethernet", ethernet)->frames = 3,
                     PARAMS("ethernet", ethernet)->frame = 64, PARAMS("ethernet", ethernet)->ring = 2;
    PARAMS("memory", memory)->grain = 2048, SET_CACHES(size, 1024);
    machine_open();
    test_engine()->explore_step_time = 1; /* all steps together take less than any timed event */
    assert_kept_goes_on(1500, &random);
  }
}

TEST(memory_that_runs_out_is_an_error) {
  one(ROWS(uni));
  session_without_memory(machine_session());
}

/* When nothing is pending: a byte for each number, buffer and copy, and three for each of the processor's 17
 * calls. A copy in use takes six more. */
TEST(only_places_and_calls_are_serialized) {
  one(ROWS(uni));
  machine_open();
  for (uint32_t taken = 0; taken <= TCPIP_COPIES; taken++) {
    uint8_t bytes[CODEC_PART];
    struct sim_codec k = {.at = bytes};
    if (taken)
      *tcpip_place_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), TCPIP_COPY + taken - 1) =
          (tcpip_place){.packet = taken, .from = 2, .held = 1, .bytes = 300};
    tcpip_serialize(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), &k);
    assert_int_equal(k.at - bytes, 6 + 17 * 3 + 32 + 16 + 6 * taken);
  }
  tcpip_place *last =
      tcpip_place_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip), TCPIP_COPY + TCPIP_COPIES - 1);
  struct tcpip_now *now = tcpip_now_of(test_engine(), SIM_CONTEXT(test_engine(), TCPIP, tcpip));
  KEEPS(TCPIP, &last->packet, &last->from, &last->held, &last->bytes, &last->outgoing, &last->adapter,
      &now->unhandled, &now->next, &now->expected, &now->ring, &now->composed);
}
