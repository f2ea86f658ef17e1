/* A network adapter, driven through its driver port. Its link takes 8 ns per byte; frames carry 1000 bytes
 * plus 100 of overhead. Packets lie in buffers whose addresses the driver supplies. */
#include "test/mapping.h"

#define NS 1000ull
#define PAGE 8192ull
#define ENGINE test_engine()
#define COUNT(name) (COUNTERS("adapter", net_adapter)->name)
#define NOW ((struct net_adapter_now *)sim_at(ENGINE, STATE_OF("adapter", net_adapter)->now_at))
#define CAUSED_BY(name) BECAUSE(ADAPTER, NET_ADAPTER_EV_##name)

static void idle(void) {
  static const uint64_t *const programs[TEST_CPUS] = {nothing, nothing, nothing, nothing};
  static const uint32_t rows[TEST_CPUS] = {1, 1, 1, 1};
  static struct session s;
  machine("network");
  PARAMS("memory", memory)->tracked_from = 40 * PAGE, PARAMS("memory", memory)->tracked = 2 * PAGE,
                   PARAMS("memory", memory)->written = 1;
  PARAMS("adapter", net_adapter)->rate = 125000000, PARAMS("adapter", net_adapter)->payload = 1000,
                    PARAMS("adapter", net_adapter)->overhead = 100,
                    PARAMS("adapter", net_adapter)->latency = 300 * NS;
  s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  session_run();
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}

/* Places the driver's packet of this slot in buffers at these bus addresses. */
static void lies_at(uint32_t queue, uint32_t slot, uint32_t buffers, const uint64_t *addresses) {
  net_slot(ENGINE, CONTEXT_OF("stack", net_driver), queue, slot)->buffers = (uint16_t)buffers;
  for (uint32_t i = 0; i < buffers; i++)
    *net_buffer(ENGINE, CONTEXT_OF("stack", net_driver), queue, slot, i) = addresses[i];
}

static uint32_t sends(uint32_t queue, uint32_t slot, uint64_t bytes) {
  return net_adapter_driver_send(
      OF(ADAPTER, net_adapter), &(struct net_send){.queue = queue, .slot = slot, .bytes = bytes});
}

/* The request on the link leaves at this time. Removes the event for the driver from the queue. */
static void leaves_at(uint64_t at, uint32_t queue, uint32_t slot) {
  uint64_t time;
  const sim_msg *left = test_message_for(ADAPTER, &time), message = *left;
  assert_int_equal(time, at);
  sim_cancel(ENGINE, (uint32_t)(left - slots(ENGINE)));
  ENGINE->time = at, ENGINE->cause = 0;
  net_adapter_self(OF(ADAPTER, net_adapter), &message);
  const sim_msg *known = test_message_for(STACK, &time);
  EXPECT_VALUES({time, at + 300 * NS}, {known->kind, NET_SENT}, {known->x, queue}, {known->y, slot});
  sim_cancel(ENGINE, (uint32_t)(known - slots(ENGINE)));
}

/* 1500 bytes are two frames, 1700 on the wire; 1000 bytes are one, 1100 on the wire. They are sent one after
 * another; the link is idle after the last. */
TEST(requests_are_sent_one_after_another) {
  idle();
  assert_int_equal(sends(2, 7, 1500), 1);
  assert_int_equal(sends(1, 9, 1000), 1);
  assert_int_equal(COUNT(queued_most), 2);
  leaves_at((1000 + 13600) * NS, 2, 7);
  EXPECT_VALUES({COUNT(packets), 1}, {COUNT(bytes), 1500}, {COUNT(frames), 2 + 1});
  leaves_at((1000 + 13600 + 8800) * NS, 1, 9);
  EXPECT_VALUES({COUNT(packets), 2}, {COUNT(bytes), 2500}, {COUNT(busy), (13600 + 8800) * NS},
      {COUNT(queued_most), 2}, {NOW->in, 2}, {NOW->out, 2});
  assert_events(ADAPTER,
      (const struct expected_event[]){{1000 * NS, NET_ADAPTER_EV_SEND, 1500, 2, 13600, 0},
          {14600 * NS, NET_ADAPTER_EV_SENT, 1500, 2, 0, 0},
          {14600 * NS, NET_ADAPTER_EV_SEND, 1000, 1, 8800, CAUSED_BY(SENT)},
          {23400 * NS, NET_ADAPTER_EV_SENT, 1000, 1, 0, 0},
          {23400 * NS, NET_ADAPTER_EV_IDLE, 0, 0, 0, CAUSED_BY(SENT)}},
      5);
  sends(3, 1, 1);
  leaves_at((23400 + 808) * NS, 3, 1); /* idle: starts at once */
}

/* The largest request that a program may send: at 8 ns per byte, 1073742 frames of 1100 bytes, the last of
 * 924. */
TEST(a_request_of_a_gibibyte_takes_9_seconds) {
  idle();
  sends(0, 0, 1ull << 30);
  uint64_t end = (1000 + ((1ull << 30) + 1073742ull * 100) * 8) * NS;
  leaves_at(end, 0, 0);
  assert_int_equal(COUNT(frames), 1073742);
  assert_events(ADAPTER,
      (const struct expected_event[]){{1000 * NS, NET_ADAPTER_EV_SEND, 1ull << 30, 0, UINT32_MAX, 0},
          {end, NET_ADAPTER_EV_SENT, 1ull << 30, 0, 0, 0},
          {end, NET_ADAPTER_EV_IDLE, 0, 0, 0, CAUSED_BY(SENT)}},
      3);
}

/* Each buffer is fetched when its request starts. One has a translation, one has none, and one has a stale
 * translation. */
TEST(buffers_are_fetched_through_their_translations) {
  idle();
  for (uint64_t entry = 3; entry < 6; entry += 2)
    iommu_map_set(
        OF(UNIT, iommu), &(struct iommu_set){.entry = entry, .page = 40 * PAGE, .entries = 1, .stride = 1});
  struct iommu_translate before = {.address = PARAMS("maps", iommu_map)->base + 5 * PAGE};
  iommu_device_translate(OF(UNIT, iommu), 0, &before);
  iommu_map_clear(OF(UNIT, iommu), &(struct iommu_clear){.entry = 5, .entries = 1});
  const uint64_t addresses[] = {PARAMS("maps", iommu_map)->base + 3 * PAGE + 8,
      PARAMS("maps", iommu_map)->base + 4 * PAGE, PARAMS("maps", iommu_map)->base + 5 * PAGE + 16};
  lies_at(2, 6, 3, addresses);
  lies_at(2, 7, 1, addresses);
  ENGINE->cause = 0;
  sends(2, 6, 500);
  EXPECT_VALUES({COUNT(buffers), 3}, {COUNT(stopped), 1}, {COUNT(stale), 1});
  /* The third fetches foreign data: its first word is the fifth of the page. The first gets the data that it
   * requested. */
  EXPECT_VALUES({COUNTERS("memory", memory)->given_away, 1}, {COUNTERS("memory", memory)->old_reads, 0});
  uint64_t seq = ENGINE->seq;
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at),
                          *given = &ring[seq - 1], *wrong = given - 1, *stopped = wrong - 2;
  assert_int_equal(given->kind, MEMORY_EV_GIVEN_AWAY);
  EXPECT_VALUES({given->a, 40 * PAGE + 16}, {given->b, 5}, {given->c, 0}, {wrong->kind, NET_ADAPTER_EV_WRONG},
      {wrong->a, 40 * PAGE + 16}, {wrong->b, 2});
  while (stopped->kind != NET_ADAPTER_EV_STOPPED || stopped->part != ADAPTER) stopped--;
  EXPECT_VALUES({stopped->a, addresses[1]}, {stopped->b, 2});
  sends(2, 7, 500); /* waits: nothing is fetched yet */
  assert_int_equal(COUNT(buffers), 3);
  leaves_at((1000 + 4800) * NS, 2, 6);
  EXPECT_VALUES({COUNT(buffers), 4}, {COUNT(stopped), 1});
}

/* The queue has 4096 entries and refuses one more. Each request that leaves frees its entry; the queue wraps
 * around. */
TEST(a_full_queue_refuses_requests) {
  idle();
  for (uint32_t i = 0; i < 4096; i++) assert_int_equal(sends(i % 4, i, 1000), 1);
  assert_int_equal(sends(0, 0, 1000), 0);
  assert_int_equal(COUNT(queued_most), 4096);
  leaves_at((1000 + 8800) * NS, 0, 0);
  assert_int_equal(sends(3, 77, 1000), 1);
  assert_int_equal(sends(0, 0, 1000), 0);
  leaves_at((1000 + 2 * 8800) * NS, 1, 1); /* the request accepted last has not replaced another */
}
