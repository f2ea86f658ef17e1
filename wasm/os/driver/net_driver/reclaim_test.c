/*
 * Reclaiming sent packets: when blocked senders continue, how long a batch takes, and its state meanwhile.
 * The window is two packets and a batch is two. A packet of 1 KiB takes 800 ns; for each of its two buffers a
 * search reads two words under the lock and a hypervisor call fills the entry.
 */
#include "test/mapping.h"

#define NS 1000ull
#define US 1000000ull
#define SENDS ROW(SEND, 0, 0, 1024, 0, 0, 0)
#define WIRE ((1024 + 90) * 800ull) /* 10 Gb/s are 800 ps per byte */
#define THREAD(cpu) ((cpu) * CALLS_PER_CPU)
#define EVENT(time, name, a, b, c) {time, NET_DRIVER_EV_##name, a, b, c, ANY_CAUSE}

static void small_window(void) {
  network();
  PARAMS("cpu0", processor)->switch_time = 3 * US, PARAMS("cpu0", processor)->wake_time = 2 * US,
                 PARAMS("cpu0", processor)->interrupt_time = 5 * US;
  PARAMS("stack", net_driver)->senders = TEST_CPUS, PARAMS("stack", net_driver)->window =
                                                        PARAMS("stack", net_driver)->batch =
                                                            PARAMS("stack", net_driver)->buffers = 2;
  PARAMS("stack", net_driver)->stack_time = 500 * NS, PARAMS("stack", net_driver)->copy_time = 300 * NS,
                  PARAMS("stack", net_driver)->batch_time = 10 * US,
                  PARAMS("stack", net_driver)->gap = 1 * US;
  PARAMS("adapter", net_adapter)->latency = 50 * US;
}

static uint64_t sending(void) {
  return PARAMS("stack", net_driver)->stack_time + PARAMS("stack", net_driver)->copy_time
         + 2
               * (PARAMS("maps", iommu_map)->hold_alloc + 2 * PARAMS("maps", iommu_map)->word_time
                   + PARAMS("maps", iommu_map)->map_call);
}
static uint64_t unmapping(void) {
  return PARAMS("maps", iommu_map)->demap_call + PARAMS("maps", iommu_map)->hold_free;
}

/* Opens a session in which each processor has its program. */
static void opened(const uint64_t *const *programs, const uint32_t *values) {
  uint32_t rows[TEST_CPUS];
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) rows[cpu] = values[cpu] / ROW_FIELDS;
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(test_engine(), 1);
}
#define VALUES(program) (sizeof(program) / 8)
#define ON(cpu, program)                                                  \
  do {                                                                    \
    const uint64_t *programs[] = {nothing, nothing, nothing, nothing};    \
    uint32_t values[] = {ROW_FIELDS, ROW_FIELDS, ROW_FIELDS, ROW_FIELDS}; \
    programs[cpu] = program, values[cpu] = VALUES(program);               \
    opened(programs, values);                                             \
  } while (0)

static const net_queue *queues(void) { return map_view_of(STACK, NET_DRIVER_VIEW_QUEUES); }
static const net_reclaim *reclaims(void) { return map_view_of(STACK, NET_DRIVER_VIEW_RECLAIMS); }
static const net_call *net_calls(void) { return map_view_of(STACK, NET_DRIVER_VIEW_CALLS); }

/*
 * The third packet finds the window full. Its processor sleeps until the second has left and the batch is
 * complete. It wakes (2 us) and reclaims: 10 us, plus 1 us and an unmap for each of four buffers. Then it
 * sends the packet.
 */
TEST(a_full_window_is_reclaimed_by_the_batch) {
  static const uint64_t three[] = {SENDS, SENDS, SENDS, END_ROW};
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    small_window();
    ON(cpu, three);
    const uint64_t send = sending(), found = 2 * send + WIRE + 50 * US + 2 * US,
                   done = found + 10 * US + 4 * (1 * US + unmapping());
    sim_run(test_engine(), found + 5 * US, SIM_NEVER); /* in the fixed part of the batch */
    const net_reclaim batch = {.step = NET_DRIVER_RECLAIMING_BATCH, .queue = cpu, .left = 2, .buffer = 0};
    assert_memory_equal(&reclaims()[THREAD(cpu)], &batch, sizeof batch);
    assert_int_equal(queues()[cpu].reclaimer, THREAD(cpu) + 1);
    assert_int_equal(queues()[cpu].sender, 0);
    assert_int_equal(net_calls()[THREAD(cpu)].step, NET_DRIVER_STEP_MAKE_ROOM);
    sim_run(test_engine(), found + 10 * US + 3 * (1 * US + unmapping()) + US / 2,
        SIM_NEVER); /* the second packet's second buffer */
    const net_reclaim later = {.step = NET_DRIVER_RECLAIMING_GAP, .queue = cpu, .left = 1, .buffer = 1};
    assert_memory_equal(&reclaims()[THREAD(cpu)], &later, sizeof later);
    assert_int_equal(queues()[cpu].reclaimed, 1);
    session_run();
    EXPECT_EVENTS(STACK, EVENT(send, POST, 1024, cpu, 2), EVENT(2 * send, POST, 1024, cpu, 2),
        EVENT(2 * send, FULL, 0, cpu, cpu), EVENT(found, RECLAIM, 2, cpu, cpu),
        EVENT(done + send, POST, 1024, cpu, 2));
    const struct net_driver_counters *c = COUNTERS("stack", net_driver);
    EXPECT_VALUES({c->batches, 1}, {c->reclaimed, 2}, {c->unmaps, 4}, {c->full, 1});
    assert_int_equal(queues()[cpu].reclaimer, 0);
    assert_int_equal(reclaims()[THREAD(cpu)].step, NET_DRIVER_RECLAIMING_BEGIN);
    assert_int_equal(net_calls()[THREAD(cpu)].step, NET_DRIVER_STEP_DONE);
  }
}

/* The first packet has left long before the second is posted. With batches of one it is reclaimed then,
 * although there is room; with batches of two it is not. */
TEST(a_batch_that_has_left_is_reclaimed_after_a_packet) {
  static const uint64_t apart[] = {SENDS, ROW(SPEND, 0, 0, 0, 100 * US, 0, 0), SENDS, END_ROW};
  for (uint64_t batch = 1; batch <= 2; batch++) {
    small_window();
    PARAMS("stack", net_driver)->window = 4, PARAMS("stack", net_driver)->batch = batch;
    ON(1, apart);
    session_run();
    const uint64_t send = sending(), second = 2 * send + 100 * US;
    if (batch == 1)
      EXPECT_EVENTS(STACK, EVENT(send, POST, 1024, 1, 2), EVENT(second, POST, 1024, 1, 2),
          EVENT(second, RECLAIM, 1, 1, 1));
    else EXPECT_EVENTS(STACK, EVENT(send, POST, 1024, 1, 2), EVENT(second, POST, 1024, 1, 2));
    assert_int_equal(COUNTERS("stack", net_driver)->reclaimed, batch == 1);
  }
}

/* A reaper on the fourth processor sleeps until a packet of the second queue has left, wakes (2 us) and
 * reclaims it. Its tag, 5, is taken modulo the number of queues. */
TEST(a_reaper_is_woken_by_each_sent_packet) {
  static const uint64_t one[] = {SENDS, END_ROW};
  static const uint64_t reaps[] = {ROW(REAP, 0, 0, 0, 0, 0, 5), END_ROW};
  small_window();
  PARAMS("stack", net_driver)->reclaim = NET_DRIVER_RECLAIM_REAPER;
  const uint64_t *programs[] = {nothing, one, nothing, reaps};
  const uint32_t values[] = {ROW_FIELDS, VALUES(one), ROW_FIELDS, VALUES(reaps)};
  opened(programs, values);
  sim_run(test_engine(), 1 * US, SIM_NEVER);
  assert_int_equal(queues()[1].reaper, THREAD(3) + 1);
  assert_int_equal(net_calls()[THREAD(3)].step, NET_DRIVER_STEP_SLEEP);
  assert_int_equal(net_calls()[THREAD(3)].queue, 1);
  session_run();
  const uint64_t left = sending() + WIRE + 50 * US;
  EXPECT_EVENTS(STACK, EVENT(sending(), POST, 1024, 1, 2), EVENT(left + 2 * US, RECLAIM, 1, 1, 3));
  assert_int_equal(test_engine()->time, left + 2 * US + 10 * US + 2 * (1 * US + unmapping()));
  assert_int_equal(queues()[1].reclaimed, 1);
  assert_int_equal(queues()[1].reaper, 0);
}

/* A reaper may be a thread of the sending processor. It makes room for the third packet, and the blocked
 * sender continues. */
TEST(a_reaper_of_the_same_processor_wakes_its_sender) {
  static const uint64_t both[] = {SENDS, SENDS, SENDS, END_ROW, ROW(THREAD, 0, 0, 0, 0, 0, 0),
      ROW(REPEAT, 0, 0, 0, 0, 0, 0), ROW(REAP, 0, 0, 0, 0, 0, 1), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  small_window();
  PARAMS("stack", net_driver)->reclaim = NET_DRIVER_RECLAIM_REAPER;
  ON(1, both);
  session_run();
  assert_int_equal(queues()[1].posted, 3);
  assert_int_equal(queues()[1].reclaimed, 3);
  assert_int_equal(queues()[1].sender, 0);
  assert_int_equal(queues()[1].reaper, THREAD(1) + 1 + 1); /* its second thread waits for more */
  assert_int_equal(COUNTERS("stack", net_driver)->full, 1);
}

/* Each processor reclaims the packets of its predecessor, the first those of the last sender. Nothing
 * reclaims the packets of a processor that does not send. */
TEST(a_neighbour_reclaims_the_packets_of_its_predecessor) {
  static const uint64_t one[] = {SENDS, END_ROW};
  static const uint64_t later[] = {ROW(SPEND, 0, 0, 0, 200 * US, 0, 0), SENDS, END_ROW};
  for (uint64_t senders = 2; senders <= 4; senders++)
    for (uint32_t cpu = 0; cpu < senders; cpu++) {
      small_window();
      const uint32_t next = (cpu + 1) % senders;
      PARAMS("stack", net_driver)->reclaim = NET_DRIVER_RECLAIM_NEIGHBOUR,
                      PARAMS("stack", net_driver)->senders = senders, PARAMS("stack", net_driver)->batch = 1;
      const uint64_t *programs[] = {nothing, nothing, nothing, nothing};
      uint32_t values[] = {ROW_FIELDS, ROW_FIELDS, ROW_FIELDS, ROW_FIELDS};
      programs[cpu] = one, values[cpu] = VALUES(one), programs[next] = later, values[next] = VALUES(later);
      opened(programs, values);
      session_run();
      const uint64_t send = sending();
      EXPECT_EVENTS(STACK, EVENT(send, POST, 1024, cpu, 2), EVENT(200 * US + send, POST, 1024, next, 2),
          EVENT(200 * US + send, RECLAIM, 1, cpu, next));
      for (uint32_t i = 0; i < TEST_CPUS; i++) assert_int_equal(queues()[i].reclaimed, i == cpu);
    }
}

/* A processor that is not among the senders blocks on its packet until `senders` includes it. This is no FULL
 * event, since its window is not full. */
TEST(a_packet_of_a_disabled_sender_waits_until_enabled) {
  static const uint64_t one[] = {SENDS, END_ROW};
  small_window();
  PARAMS("stack", net_driver)->senders = 2;
  ON(2, one);
  session_run();
  assert_int_equal(queues()[2].sender, THREAD(2) + 1);
  assert_int_equal(COUNTERS("stack", net_driver)->full, 0);
  const uint64_t asleep = test_engine()->time;
  assert_int_equal(sim_command(test_engine(), STACK, NET_DRIVER_PARAM_SENDERS, 3), SIM_OK);
  session_run();
  EXPECT_EVENTS(STACK, EVENT(asleep + 2 * US + sending(), POST, 1024, 2, 2));
}

/* An interrupt during the stack's work is taken at once (5 us) and delays the packet by that time. */
TEST(the_stack_is_interrupted) {
  static const uint64_t one[] = {SENDS, END_ROW};
  small_window();
  PARAMS("stack", net_driver)->stack_time = 20 * US;
  ON(1, one);
  sim_run(test_engine(), 10 * US, SIM_NEVER);
  processor_os_preempt(test_engine(), SIM_CONTEXT(test_engine(), 1, processor));
  assert_int_equal(COUNTERS("cpu1", processor)->interrupts, 1);
  session_run();
  EXPECT_EVENTS(STACK, EVENT(5 * US + sending(), POST, 1024, 1, 2));
}

/* With segmentation offload the parameters, not the program, determine a packet's size and
 * number of buffers. */
TEST(parameters_determine_the_size_of_an_offloaded_packet) {
  static const uint64_t one[] = {SENDS, END_ROW};
  small_window();
  PARAMS("stack", net_driver)->tso = 1, PARAMS("stack", net_driver)->tso_bytes = 8 * 1024,
                  PARAMS("stack", net_driver)->tso_buffers = 5;
  ON(0, one);
  session_run();
  const uint64_t posted =
      500 * NS + 8 * 300 * NS
      + 5
            * (PARAMS("maps", iommu_map)->hold_alloc + 2 * PARAMS("maps", iommu_map)->word_time
                + PARAMS("maps", iommu_map)->map_call);
  EXPECT_EVENTS(STACK, EVENT(posted, POST, 8 * 1024, 0, 5));
  const struct net_driver_slots *slot = map_view_of(STACK, NET_DRIVER_VIEW_SLOTS);
  EXPECT_VALUES(
      {slot[0].buffers, 5}, {slot[0].bytes, 8 * 1024}, {COUNTERS("adapter", net_adapter)->buffers, 5});
}

/* Calls that the stack does not handle go to the mapping service of the calling processor. */
TEST(a_program_may_map_as_well) {
  static const uint64_t maps[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 3), SENDS, END_ROW};
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    small_window();
    ON(cpu, maps);
    session_run();
    EXPECT_VALUES({COUNTERS("maps", iommu_map)->used, 1 + 2}, {COUNTERS("stack", net_driver)->maps, 2});
  }
}

/* Without a mapping service buffers have physical addresses, a page each; a queue has 64 slots of 16 buffers.
 * Nothing is unmapped, and MAP is refused. */
TEST(without_a_mapping_service_addresses_are_physical) {
  static const uint64_t sends[] = {SENDS, SENDS, SENDS, END_ROW},
                        maps[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 3), END_ROW};
  for (uint32_t bad = 0; bad < 2; bad++) {
    small_window();
    machine_without("maps");
    machine_without("unit");
    const uint64_t *programs[] = {nothing, bad ? maps : sends, nothing, nothing};
    const uint32_t rows[] = {1, bad ? 2 : 4, 1, 1};
    const struct session s = map_session(programs, rows);
    assert_int_equal(session_open(&s), bad ? SIM_BAD_ROW : SIM_OK);
    if (bad) continue;
    sim_record_trace(test_engine(), 1);
    session_run();
    const uint64_t found = 800 * NS + 2 * WIRE + 50 * US + 2 * US,
                   third = found + 10 * US + 4 * US + 800 * NS; /* the second waits for the wire */
    EXPECT_EVENTS(STACK, EVENT(800 * NS, POST, 1024, 1, 2), EVENT(1600 * NS, POST, 1024, 1, 2),
        EVENT(1600 * NS, FULL, 0, 1, 1), EVENT(found, RECLAIM, 2, 1, 1), EVENT(third, POST, 1024, 1, 2));
    const uint64_t *buffer = map_view_of(STACK, NET_DRIVER_VIEW_BUFFERS);
    for (uint64_t packet = 1; packet < 3; packet++) /* the third reuses the slot of the first */
      for (uint64_t b = 0; b < 2; b++)
        assert_int_equal(buffer[(64 + packet % 2) * 16 + b], 0x10000000ull + ((64 + packet) * 16 + b) * 8192);
    EXPECT_VALUES({COUNTERS("stack", net_driver)->maps, 0}, {COUNTERS("stack", net_driver)->unmaps, 0},
        {COUNTERS("stack", net_driver)->reclaimed, 2});
  }
}

/* Either every connected processor has a mapping service or none has. Connected processors need not be
 * contiguous, but there must be at least one. */
TEST(all_processors_map_or_none) {
  enum { PLAIN_STACK = 3, PLAIN_ADAPTER, MAPS };
  static const struct {
    uint32_t cpus, maps;
    int error;
    uint32_t port;
  } cases[] = {{7, 7, SIM_OK, 0}, {7, 0, SIM_OK, 0}, {6, 6, SIM_OK, 0}, {4, 4, SIM_OK, 0},
      {7, 3, SIM_UNWIRED, NET_DRIVER_PORT_MAP + 2}, {7, 5, SIM_UNWIRED, NET_DRIVER_PORT_MAP + 1},
      {7, 6, SIM_UNWIRED, NET_DRIVER_PORT_MAP}, {6, 4, SIM_UNWIRED, NET_DRIVER_PORT_MAP + 1},
      {0, 0, SIM_UNWIRED, NET_DRIVER_PORT_CPU}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_window();
    struct session s = session_new(
        6, 1 + (uint32_t)__builtin_popcount(cases[i].cpus) + (uint32_t)__builtin_popcount(cases[i].maps), 14);
    for (uint32_t cpu = 0; cpu < 3; cpu++) {
      session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)PARAMS("cpu0", processor),
          sizeof(struct processor_params) / 8);
      session_table(&s, nothing, 1, ROW_FIELDS);
    }
    session_part(&s, SIM_TYPE_NET_DRIVER, (const uint64_t *)PARAMS("stack", net_driver),
        sizeof(struct net_driver_params) / 8);
    session_part(&s, SIM_TYPE_NET_ADAPTER, (const uint64_t *)PARAMS("adapter", net_adapter),
        sizeof(struct net_adapter_params) / 8);
    session_part(&s, SIM_TYPE_IOMMU_MAP, (const uint64_t *)PARAMS("maps", iommu_map),
        sizeof(struct iommu_map_params) / 8);
    session_wire(&s, PLAIN_STACK, NET_DRIVER_PORT_ADAPTER, PLAIN_ADAPTER, NET_ADAPTER_PORT_DRIVER);
    for (uint32_t cpu = 0; cpu < 3; cpu++) {
      if (cases[i].cpus >> cpu & 1)
        session_wire(&s, cpu, PROCESSOR_PORT_OS, PLAIN_STACK, NET_DRIVER_PORT_CPU + cpu);
      if (cases[i].maps >> cpu & 1)
        session_wire(&s, PLAIN_STACK, NET_DRIVER_PORT_MAP + cpu, MAPS, IOMMU_MAP_PORT_CPU + cpu);
    }
    assert_int_equal(session_open(&s), cases[i].error);
    if (cases[i].error) assert_int_equal(sim_refresh_header(test_engine())->error_part, PLAIN_STACK);
    if (cases[i].error) assert_int_equal(sim_refresh_header(test_engine())->error_detail, cases[i].port);
    else assert_int_equal(SIM_STATE(test_engine(), PLAIN_STACK, net_driver)->cpus, 3);
  }
}

/* A parameter change wakes all sleepers. A reaper that finds nothing and a sender with a full window sleep
 * again, with one more switch each. */
TEST(sleepers_check_again_after_a_parameter_change) {
  static const uint64_t three[] = {SENDS, SENDS, SENDS, END_ROW},
                        reaps[] = {ROW(REAP, 0, 0, 0, 0, 0, 0), END_ROW};
  small_window();
  PARAMS("stack", net_driver)->reclaim = NET_DRIVER_RECLAIM_REAPER;
  const uint64_t *programs[] = {nothing, three, nothing, reaps};
  const uint32_t values[] = {ROW_FIELDS, VALUES(three), ROW_FIELDS, VALUES(reaps)};
  opened(programs, values);
  for (uint32_t round = 1; round <= 3; round++) {
    session_run();
    assert_int_equal(queues()[1].sender, THREAD(1) + 1);
    assert_int_equal(queues()[0].reaper, THREAD(3) + 1);
    for (uint32_t cpu = 1; cpu < TEST_CPUS; cpu += 2)
      assert_int_equal(SIM_COUNTERS(test_engine(), cpu, processor)->switches, round);
    assert_int_equal(COUNTERS("stack", net_driver)->full, round);
    assert_int_equal(sim_command(test_engine(), STACK, NET_DRIVER_PARAM_BATCH, 2 + round), SIM_OK);
  }
}
