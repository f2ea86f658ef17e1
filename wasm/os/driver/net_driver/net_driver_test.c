/* Guarantees of the network stack: every packet is sent once; its buffers are mapped before and unmapped
 * after. */
#include "test/mapping.h"

static const uint64_t send[] = {
    ROW(REPEAT, 0, 0, 0, 0, 300, 0), ROW(SEND, 0, 0, 1448, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
static const uint64_t reap[] = {
    ROW(REPEAT, 0, 0, 0, 0, 0, 0), ROW(REAP, 0, 0, 0, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};

static const uint64_t for_ever[] = {
    ROW(REPEAT, 0, 0, 0, 0, 0, 0), ROW(SEND, 0, 0, 1448, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};

static void networked(void) {
  network();
  PARAMS("stack", net_driver)->senders = TEST_CPUS;
}

static void run(const uint64_t *const *programs, const uint32_t *rows) {
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  session_run();
}

static void run_senders(void) {
  const uint64_t *programs[] = {send, send, send, send};
  const uint32_t rows[] = {4, 4, 4, 4};
  run(programs, rows);
}

/* Runs processors that send endlessly for a number of milliseconds; the others are idle. */
static void send_for_ever(uint32_t senders, uint64_t milliseconds) {
  const uint64_t *programs[TEST_CPUS];
  uint32_t rows[TEST_CPUS];
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++)
    programs[cpu] = senders >> cpu & 1 ? for_ever : nothing, rows[cpu] = senders >> cpu & 1 ? 4 : 1;
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(sim_run(test_engine(), milliseconds * 1000000000, UINT64_MAX), SIM_UNTIL);
}

TEST(every_packet_is_sent_and_its_buffers_are_unmapped) {
  for (int varied = 0; varied < 2; varied++) {
    networked();
    PARAMS("maps", iommu_map)->spread = PARAMS("stack", net_driver)->spread = (uint64_t)varied;
    run_senders();
    struct net_driver_counters *c = COUNTERS("stack", net_driver);
    EXPECT_VALUES({c->posted, 1200}, {COUNTERS("adapter", net_adapter)->bytes, 1200 * 1448}, {c->maps, 2400},
        {c->unmaps, 2 * c->reclaimed}, {COUNTERS("maps", iommu_map)->used, c->maps - c->unmaps});
    assert_true(c->posted - c->reclaimed < 4 * 64);
    assert_int_equal(COUNTERS("adapter", net_adapter)->stopped, 0);
    assert_int_equal(COUNTERS("adapter", net_adapter)->stale, 0);
  }
}

TEST(a_neighbour_reclaims_under_another_pools_lock) {
  networked();
  run_senders();
  assert_int_equal(COUNTERS("maps", iommu_map)->contentions, 0);
  PARAMS("stack", net_driver)->reclaim = NET_DRIVER_RECLAIM_NEIGHBOUR;
  PARAMS("maps", iommu_map)->spread = PARAMS("stack", net_driver)->spread = 1;
  send_for_ever(15, 3);
  assert_true(COUNTERS("stack", net_driver)->reclaimed > 500);
  assert_true(COUNTERS("maps", iommu_map)->contentions > 0);
}

TEST(a_full_window_blocks_until_a_reaper_makes_room) {
  networked();
  PARAMS("stack", net_driver)->senders = 1;
  PARAMS("stack", net_driver)->window = 4;
  PARAMS("stack", net_driver)->batch = 2;
  PARAMS("stack", net_driver)->reclaim = NET_DRIVER_RECLAIM_REAPER;
  PARAMS("adapter", net_adapter)->latency = 50000000;
  const uint64_t *programs[] = {send, reap, nothing, nothing};
  const uint32_t rows[] = {4, 4, 1, 1};
  run(programs, rows);
  struct net_driver_counters *c = COUNTERS("stack", net_driver);
  EXPECT_VALUES({c->posted, 300}, {c->reclaimed, 300});
  assert_true(c->full > 0);
  assert_int_equal(COUNTERS("maps", iommu_map)->used, 0);
}

/* The window is smaller than a batch, so a batch never fills. The sleeping sender is woken once all its
 * packets have left. */
TEST(a_sender_is_woken_when_its_window_has_drained) {
  networked();
  PARAMS("stack", net_driver)->senders = 1;
  PARAMS("stack", net_driver)->window = 4;
  PARAMS("stack", net_driver)->batch = 8;
  PARAMS("adapter", net_adapter)->latency = 50000000;
  const uint64_t *programs[] = {send, nothing, nothing, nothing};
  const uint32_t rows[] = {4, 1, 1, 1};
  run(programs, rows);
  struct net_driver_counters *c = COUNTERS("stack", net_driver);
  assert_int_equal(c->posted, 300);
  assert_int_equal(c->full, 300 / 4 - 1); /* it slept whenever four packets were pending */
  assert_int_equal(c->batches, 300 / 4 - 1);
  assert_int_equal(c->reclaimed, 300 - 4); /* nothing reclaims the last four */
}

/* The batch is smaller than the window: a sender at a full window is woken once per batch, not once per
 * packet. */
TEST(a_sender_at_a_full_window_is_woken_once_per_batch) {
  networked();
  PARAMS("stack", net_driver)->senders = 1;
  PARAMS("stack", net_driver)->window = 8;
  PARAMS("stack", net_driver)->batch = 4;
  PARAMS("adapter", net_adapter)->latency = 50000000;
  const uint64_t *programs[] = {send, nothing, nothing, nothing};
  const uint32_t rows[] = {4, 1, 1, 1};
  run(programs, rows);
  struct net_driver_counters *c = COUNTERS("stack", net_driver);
  EXPECT_VALUES({c->posted, 300}, {c->reclaimed, 4 * c->batches});
}

/*
 * The second and the third processor send one packet each. A packet takes the stack's time, a time for each
 * byte copied, and two mappings, each with a search of two words and its entry. The page of a buffer follows
 * from queue, slot and buffer number.
 */
TEST(a_packet_is_posted_after_its_buffers_are_mapped) {
  static const uint64_t one[] = {ROW(SEND, 0, 0, 1024, 0, 0, 0), END_ROW};
  networked();
  const uint64_t *programs[] = {nothing, one, one, nothing};
  const uint32_t rows[] = {1, 2, 2, 1};
  PARAMS("stack", net_driver)->buffers = 2;
  PARAMS("stack", net_driver)->window = 4;
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(test_engine(), 1);
  session_run();
  const uint64_t posted =
      PARAMS("stack", net_driver)->stack_time + PARAMS("stack", net_driver)->copy_time
      + 2
            * (PARAMS("maps", iommu_map)->hold_alloc + 2 * PARAMS("maps", iommu_map)->word_time
                + PARAMS("maps", iommu_map)->map_call);
  EXPECT_EVENTS(STACK, {posted, NET_DRIVER_EV_POST, 1024, 1, 2, ANY_CAUSE},
      {posted, NET_DRIVER_EV_POST, 1024, 2, 2, ANY_CAUSE});
  const uint64_t *buffer = map_view_of(STACK, NET_DRIVER_VIEW_BUFFERS);
  const uint32_t *page = map_view_of(UNIT, IOMMU_VIEW_TABLE);
  for (uint64_t queue = 1; queue < 3; queue++)
    for (uint64_t b = 0; b < 2; b++)
      assert_int_equal(page[(buffer[queue * 64 * 16 + b] - PARAMS("maps", iommu_map)->base) / 8192],
          0x10000000 / 8192 + queue * 64 * 16 + b + 1);
  uint32_t n;
  const net_queue *queue = checked_view(test_engine(), STACK, NET_DRIVER_VIEW_QUEUES, &n);
  assert_int_equal(n, TEST_CPUS);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(queue[i].sent, i == 1 || i == 2);
}

/* A reaper reclaims the queue in its tag, batch by batch: here the second, until it is empty. */
TEST(a_reaper_reclaims_the_queue_in_its_tag) {
  static const uint64_t few[] = {
      ROW(REPEAT, 0, 0, 0, 0, 6, 0), ROW(SEND, 0, 0, 1024, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  static const uint64_t second[] = {ROW(SPEND, 0, 0, 0, 1000000000, 0, 0), ROW(REAP, 0, 0, 0, 0, 0, 1),
      ROW(REAP, 0, 0, 0, 0, 0, 1), END_ROW};
  networked();
  PARAMS("stack", net_driver)->reclaim = NET_DRIVER_RECLAIM_REAPER;
  PARAMS("stack", net_driver)->batch = 4;
  const uint64_t *programs[] = {few, few, nothing, second};
  const uint32_t rows[] = {4, 4, 1, 4};
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(test_engine(), 1);
  session_run();
  uint32_t n;
  const net_queue *queue = checked_view(test_engine(), STACK, NET_DRIVER_VIEW_QUEUES, &n);
  for (uint32_t i = 0; i < 2; i++) {
    EXPECT_VALUES({queue[i].sent, 6}, {queue[i].reclaimed, i ? 6 : 0});
  }
  assert_int_equal(COUNTERS("stack", net_driver)->batches, 2);
  assert_int_equal(COUNTERS("stack", net_driver)->unmaps, 6 * PARAMS("stack", net_driver)->buffers);
}

TEST(the_link_is_never_faster_than_its_rate) {
  networked();
  PARAMS("stack", net_driver)->tso = 1;
  run_senders();
  struct net_adapter_counters *c = COUNTERS("adapter", net_adapter);
  EXPECT_VALUES({c->frames, 1200 * 45}, {c->busy, 1200ull * (65160 + 45 * 90) * 800}, {c->buffers, 1200 * 9});
}

TEST(packets_that_cannot_be_mapped_are_dropped_without_a_leak) {
  networked();
  PARAMS("maps", iommu_map)->entries = 16;
  PARAMS("maps", iommu_map)->pools = 1;
  PARAMS("stack", net_driver)->senders = 1;
  PARAMS("stack", net_driver)->buffers = 3;
  const uint64_t *programs[] = {send, nothing, nothing, nothing};
  const uint32_t rows[] = {4, 1, 1, 1};
  run(programs, rows);
  struct net_driver_counters *c = COUNTERS("stack", net_driver);
  assert_true(c->drops > 0);
  assert_int_equal(c->posted + c->drops, 300);
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  uint64_t records = 0;
  for (uint32_t i = 0; i < d->seq_lo; i++)
    records += ring[i].part == STACK && ring[i].kind == NET_DRIVER_EV_DROP;
  EXPECT_VALUES({records, c->drops}, {COUNTERS("maps", iommu_map)->used, 3 * (c->posted - c->reclaimed)});
}

TEST(senders_can_be_added_while_it_runs) {
  networked();
  PARAMS("stack", net_driver)->senders = 1;
  run_senders();
  assert_int_equal(COUNTERS("stack", net_driver)->posted, 300);
  assert_int_equal(sim_command(test_engine(), STACK, NET_DRIVER_PARAM_SENDERS, 3), SIM_OK);
  session_run();
  assert_int_equal(COUNTERS("stack", net_driver)->posted, 900);
}

/* Runs 10 ms with windows of four that neighbours reclaim in batches of two; a packet leaves after 50 us.
 * Returns the queues. */
static const net_queue *neighbours_for_ever(uint32_t senders) {
  networked();
  PARAMS("stack", net_driver)->reclaim = NET_DRIVER_RECLAIM_NEIGHBOUR;
  PARAMS("stack", net_driver)->window = 4;
  PARAMS("stack", net_driver)->batch = 2;
  PARAMS("adapter", net_adapter)->latency = 50000000;
  send_for_ever(senders, 10);
  uint32_t queues;
  return checked_view(test_engine(), STACK, NET_DRIVER_VIEW_QUEUES, &queues);
}

/* All windows are full, and only a neighbour can make room in each. Every neighbour that can reclaim is
 * woken, so all processors continue at the same rate. */
TEST(a_sleeping_neighbour_is_woken_to_make_room) {
  const net_queue *queue = neighbours_for_ever(15);
  assert_true(COUNTERS("stack", net_driver)->full > 100);
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    assert_true(queue[cpu].sent > 300);
    assert_in_range(queue[cpu].sent, queue[0].sent * 9 / 10, queue[0].sent * 11 / 10);
  }
}

/*
 * Of four processors only 1 and 2 send. Processor 2 reclaims the packets of 1. Nothing reclaims those of 2,
 * so its window stays full. It sleeps there and is woken for each batch of processor 1, which therefore
 * continues.
 */
TEST(a_neighbour_reclaims_though_its_own_window_stays_full) {
  const net_queue *queue = neighbours_for_ever(1 << 1 | 1 << 2);
  EXPECT_VALUES({queue[2].sent, 4}, {queue[2].reclaimed, 0});
  assert_true(queue[1].sent > 100); /* 10 ms, at most 4 in each 50 us */
  assert_in_range(queue[1].sent - queue[1].reclaimed, 0, 4);
}

TEST(memory_that_runs_out_is_an_error_in_every_part) {
  networked();
  const uint64_t *programs[] = {send, send, send, send};
  const uint32_t rows[] = {4, 4, 4, 4};
  struct session s = map_session(programs, rows);
  assert_true(session_without_memory(&s) > 40);
}

static void sends(const void *thread) {
  uint32_t words[11] = {[4] = 1448};
  net_driver_cpu_call(test_engine(), SIM_CONTEXT(test_engine(), STACK, net_driver), 0,
      &(struct os_call){
          .thread = *(const uint32_t *)thread, .operation = PROCESSOR_OP_SEND, .arguments = words});
}
static void goes_on(const void *thread) {
  struct os_next next = {.thread = *(const uint32_t *)thread};
  net_driver_cpu_next(test_engine(), SIM_CONTEXT(test_engine(), STACK, net_driver), 0, &next);
}

/* Four idle threads; the test makes their calls itself. */
static void idle(void) {
  const uint64_t *programs[] = {nothing, nothing, nothing, nothing};
  const uint32_t rows[] = {1, 1, 1, 1};
  networked();
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
}

/* A thread number out of range stops the engine before the stack accesses another processor's row. */
TEST(a_thread_out_of_range_stops_the_engine) {
  idle();
  for (uint32_t over = 0; over < 2; over++) {
    const uint32_t thread = CALLS_PER_CPU - 1 + over;
    assert_int_equal(test_stops(sends, &thread), over);
    assert_int_equal(
        net_call_of(test_engine(), CONTEXT_OF("stack", net_driver), thread)->bytes, over ? 0 : 1448);
    assert_int_equal(test_stops(goes_on, &thread), over);
  }
}
