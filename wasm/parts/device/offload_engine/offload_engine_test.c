/* An offload engine: when a frame is through, what delays it, and when the sender is paused. */
#include "test/offload.h"

#define COUNT(name) (SIM_COUNTERS(ENGINE, ENGINE_PART, offload_engine)->name)
#define NOW \
  ((struct offload_engine_now *)sim_at(ENGINE, SIM_STATE(ENGINE, ENGINE_PART, offload_engine)->now_at))
#define CAUSED_BY(name) BECAUSE(ENGINE_PART, OFFLOAD_ENGINE_EV_##name)
#define RECEIVED BECAUSE(ADAPTER, ETHERNET_EV_RECEIVED)

TEST(a_frame_passes_the_hardware_and_the_link) {
  offload(1);
  host_takes_packets();
  machine_run();
  uint64_t came = FRAME_COMES * NS, done = came + 20 * US, sent = done + CROSSING * NS;
  EXPECT_EVENTS(ENGINE_PART, {came, OFFLOAD_ENGINE_EV_STATE, 1, OFFLOAD_ENGINE_STATE_PROTOCOL, 0, RECEIVED},
      {done, OFFLOAD_ENGINE_EV_STATE, 0, OFFLOAD_ENGINE_STATE_IDLE, 0, CAUSED_BY(STATE)},
      {done, OFFLOAD_ENGINE_EV_LINK, 1, OFFLOAD_ENGINE_LINK_FRAME, 0, CAUSED_BY(STATE)},
      {sent, OFFLOAD_ENGINE_EV_SENT, 1, 0, 0, ANY_CAUSE},
      {sent, OFFLOAD_ENGINE_EV_LINK, 0, OFFLOAD_ENGINE_LINK_IDLE, 0, ANY_CAUSE});
  EXPECT_VALUES({COUNT(packets), 1}, {COUNT(sent), 1}, {COUNT(busy), 20 * US}, {COUNT(linked), CROSSING * NS},
      {COUNT(full), 0}, {COUNT(waited), 0});
  assert_int_equal(NOW->head, 1); /* the next of eight buffers */
  assert_int_equal(COUNTERS("tcpip", tcpip)->processed, 1);
  assert_int_equal(COUNTERS("main", processor)->in_protocol, 40 * US); /* the host only collects it */
}

/* Eight frames, one per 1.538 us, TCP/IP in 1 us, and a link that needs twice as long as the wire. With a
 * ring of two the sender is paused. */
TEST(the_slowest_stage_sets_the_pace) {
  offload(8);
  PARAMS("ethernet", ethernet)->ring = 2;
  PARAMS("engine", offload_engine)->protocol_time = US;
  PARAMS("engine", offload_engine)->link = 500000000;
  host_takes_packets();
  machine_run();
  uint64_t crossing = 2 * (64 + 1514) + 23 * 17 + 12;
  assert_int_equal(COUNT(sent), 8);
  assert_int_equal(COUNT(busy), 8 * US); /* the next frame is processed while one crosses */
  EXPECT_VALUES({COUNT(linked), 8 * crossing * NS + COUNT(waited)}, {COUNT(full), 0});
  assert_true(SIM_COUNTERS(ENGINE, ADAPTER, ethernet)->held > 0);
  PARAMS("ethernet", ethernet)->wire = 250000000; /* half as fast as the link: the sender is never paused */
  host_takes_packets();
  machine_run();
  EXPECT_VALUES({COUNT(sent), 8}, {SIM_COUNTERS(ENGINE, ADAPTER, ethernet)->held, 0});
}

/* A host that takes no packets, with two buffers: two packets have crossed, six fill the adapter's ring, and
 * the sender is paused. Each buffer that is returned lets one more through. */
TEST(a_host_without_buffers_pauses_the_sender) {
  offload(20);
  PARAMS("engine", offload_engine)->ring = 2, PARAMS("ethernet", ethernet)->ring = 6;
  PARAMS("engine", offload_engine)->protocol_time = US;
  machine_run();
  EXPECT_VALUES({COUNT(sent), 2}, {COUNT(packets), 2 + 6}, {NOW->link, OFFLOAD_ENGINE_LINK_FULL});
  const struct offload_engine_ring *buffers =
      sim_at(ENGINE, SIM_STATE(ENGINE, ENGINE_PART, offload_engine)->ring_at);
  EXPECT_VALUES({buffers[0].packet, 1}, {buffers[1].packet, 2},
      {SIM_COUNTERS(ENGINE, ADAPTER, ethernet)->received, 2 + 6});
  uint64_t since = NOW->linked;
  ENGINE->time += 5 * US;
  uint64_t waited = ENGINE->time - since;
  offload_engine_driver_release(OF(ENGINE_PART, offload_engine), &(struct frames_release){.slot = 0});
  session_run();
  EXPECT_VALUES({COUNT(sent), 3}, {COUNT(full), waited});
  assert_int_equal(NOW->head, 1); /* the third packet lies in the first buffer again */
  assert_int_equal(SIM_COUNTERS(ENGINE, ADAPTER, ethernet)->received, 3 + 6);
}

/*
 * Three frames of 150 B into two buffers that the host returns: lines of 64, 64 and 22 B, which take 17, 17
 * and 7 cycles of the bus. Each buffer starts 2 KiB after the one before. Each line is written when the link
 * has carried it, after a message of 64 B.
 */
TEST(lines_are_written_to_the_host_s_buffers) {
  offload(3);
  PARAMS("ethernet", ethernet)->frame = 150, PARAMS("engine", offload_engine)->ring = 2,
                     PARAMS("engine", offload_engine)->protocol_time = US;
  host_takes_packets();
  machine_run();
  static const uint64_t after[] = {64 + 64, 17 + 64, 17 + 22};
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
  uint64_t link = 0, line = 0;
  for (uint32_t i = 0; i < sim_refresh_header(ENGINE)->seq_lo; i++) {
    if (ring[i].part == ENGINE_PART && ring[i].kind == OFFLOAD_ENGINE_EV_LINK && ring[i].c == 0
        && ring[i].b == OFFLOAD_ENGINE_LINK_FRAME)
      link = ring[i].time;
    if (ring[i].part != part_named("bus") || ring[i].kind != MEMORY_BUS_EV_START
        || ring[i].c != MEMORY_BUS_PORT_MASTER + 1)
      continue;
    link += after[line % 3] * NS;
    EXPECT_VALUES({ring[i].a, line / 3 % 2 * 2048 + line % 3 * 64}, {ring[i].b, MEMORY_BUS_STATE_WRITE},
        {ring[i].time, link});
    line++;
  }
  EXPECT_VALUES({line, 9}, {COUNT(sent), 3});
  assert_int_equal(COUNT(waited), 0); /* the adapter uses the bus at other times */
  uint32_t rows;
  const struct memory_bus_masters *master =
      checked_view(ENGINE, part_named("bus"), MEMORY_BUS_VIEW_MASTERS, &rows);
  EXPECT_VALUES({master[1].requests, 9}, {master[1].had, 3 * (17 + 17 + 7) * NS});
  const struct memory_cells *cells = checked_view(ENGINE, part_named("memory"), MEMORY_VIEW_CELLS, &rows);
  for (uint32_t at = 0; at < 152; at += 4)
    assert_int_equal(
        cells[(2048 + at) / 4].write, 2); /* the second packet, in the second buffer, and nothing after it */
  assert_int_equal(cells[(2048 + 152) / 4].write, 0);
}

/* Forty frames, more than the adapter's ring and the engine's own can hold. Each packet crosses once, in
 * order, and uses the host's buffers in turn. */
TEST(any_number_of_packets_cross_in_order) {
  offload(40);
  PARAMS("engine", offload_engine)->ring = 3, PARAMS("engine", offload_engine)->protocol_time = US;
  host_takes_packets();
  machine_run();
  const struct sim_directory *d = sim_refresh_header(ENGINE);
  const struct sim_record *ring = sim_at(ENGINE, d->trace_at);
  uint32_t first = 0, next = 0;
  for (uint32_t i = d->seq_lo > d->trace_capacity ? d->seq_lo - d->trace_capacity : 0; i < d->seq_lo;
      i++) { /* all that is still in the trace */
    const struct sim_record *r = &ring[i % d->trace_capacity];
    if (r->part != ENGINE_PART || r->kind != OFFLOAD_ENGINE_EV_SENT) continue;
    if (next == 0) first = next = (uint32_t)r->a;
    assert_int_equal(r->a, next);
    assert_int_equal(r->b, (next++ - 1) % 3);
  }
  assert_in_range(first, 1, 32);
  EXPECT_VALUES({next, 41}, {COUNT(sent), 40}, {NOW->came, 40}, {NOW->done, 40}, {NOW->crossed, 40},
      {COUNTERS("tcpip", tcpip)->processed, 40});
  uint32_t rows;
  const struct offload_engine_frames *frames =
      checked_view(ENGINE, ENGINE_PART, OFFLOAD_ENGINE_VIEW_FRAMES, &rows);
  assert_int_equal(rows, 32);
  for (uint32_t i = 0; i < rows; i++) { /* the last 32 that arrived */
    const uint32_t packet = i < 8 ? 33 + i : 1 + i;
    EXPECT_VALUES({frames[i].packet, packet}, {frames[i].bytes, 1514},
        {frames[i].slot, (packet - 1) % PARAMS("ethernet", ethernet)->ring});
  }
  checked_view(ENGINE, ENGINE_PART, OFFLOAD_ENGINE_VIEW_RING, &rows);
  assert_int_equal(rows, 3);
}

/* Meanwhile the host's processor issues uncached loads, word after word. The engine sometimes waits for one
 * of them to end, and counts the bus's time as the bus does. */
TEST(the_engine_waits_while_the_host_has_the_bus) {
  static const uint64_t loads[] = {PROCESSOR_OP_LOAD, 0, 0, 32768, 4, 0, 0, 0, ROW(END, 0)};
  offload(2);
  machine_rows("main", 0, ROWS(loads));
  machine_run();
  uint32_t rows;
  const struct memory_bus_masters *master =
      checked_view(ENGINE, part_named("bus"), MEMORY_BUS_VIEW_MASTERS, &rows);
  assert_int_equal(master[1].requests, 2 * 24);
  assert_true(master[1].in_wait > 0);
  assert_int_equal(COUNT(waited), master[1].in_wait);
}
