/* DMA engines of a GT card. Every expected time is computed beside its test. */
#include "test/gt_round.h"

/*
 * 600 B from the card to memory and 24 B from memory to the card, started at once. The first engine may go
 * first. It writes 256 B in 2 clocks and 64 of data, from 1000 to 1660 ns, and yields because the other
 * waits. That one reads to the end of its 64 B line, 16 B: it starts at 1670, memory is busy with the writes
 * until 1916, and the data is there at 2116, during a clock. 4 clocks of data, the first until 2120, end at
 * 2150; it is round the ring at 2166. In the same way: 256 B from 2160 to 2820; 8 B from 2830, memory busy
 * until 3076, data at 3276, to 3290, round the ring at 3298; 88 B from 3300, 24 clocks, to 3540.
 */
TEST(both_engines_take_turns) {
  round_engines();
  OPEN(nothing);
  session_run();
  sim *m = test_engine();
  uint32_t wrote[] = {11, 12, 13, 14, 15, 16};
  memory_bridge_write(m, SIM_CONTEXT(m, MEMORY, memory),
      &(struct memory_write){.address = HOST + 48, .bytes = 24, .when = SIM_NEVER, .writes = wrote});
  m->cause = 0;
  begin(GT_ENGINE_READ, HOST + 0x1000, CARD_BASE + 0x400, 600 | GT_GO_INTERRUPT);
  begin(GT_ENGINE_WRITE, HOST + 48, CARD_BASE + 64, 24 | GT_GO_INTERRUPT);
  sim_run(m, 3540 * NS, SIM_NEVER);
  EXPECT_EVENTS(CARD, REGISTER(0x20, 0), REGISTER(0x28, OF_CARD(ACCEPT)), REGISTER(0x30, OF_CARD(ACCEPT)),
      EVENT(0, COMMAND, 600, GT_ENGINE_READ, 0, OF_CARD(ACCEPT)),
      EVENT(0, READ_STATE, 0, GT_STATE_START, 0, OF_CARD(COMMAND)), REGISTER(0x00, OF_CARD(READ_STATE)),
      REGISTER(0x08, OF_CARD(ACCEPT)), REGISTER(0x10, OF_CARD(ACCEPT)),
      EVENT(0, COMMAND, 24, GT_ENGINE_WRITE, 0, OF_CARD(ACCEPT)),
      EVENT(0, WRITE_STATE, 0, GT_STATE_START, 0, OF_CARD(COMMAND)),
      EVENT(1000, READ_STATE, 0, GT_STATE_DATA, 0, OF_CARD(COMMAND)),
      EVENT(1000, WRITE_STATE, 0, GT_STATE_DATA, 0, OF_CARD(COMMAND)),
      EVENT(2166, VISIBLE, CARD_BASE + 64, 11, 0, BUS_STARTS),
      EVENT(2166, VISIBLE, CARD_BASE + 68, 12, 0, OF_CARD(VISIBLE)),
      EVENT(2166, VISIBLE, CARD_BASE + 72, 13, 0, OF_CARD(VISIBLE)),
      EVENT(2166, VISIBLE, CARD_BASE + 76, 14, 0, OF_CARD(VISIBLE)),
      EVENT(3290, COMPLETE, 24, GT_ENGINE_WRITE, 0, BUS_STARTS),
      EVENT(3290, WRITE_STATE, 0, GT_STATE_IDLE, 0, OF_CARD(COMPLETE)),
      EVENT(3290, RAISE, 0, GT_ENGINE_WRITE, 0, OF_CARD(WRITE_STATE)),
      EVENT(3298, VISIBLE, CARD_BASE + 80, 15, 0, BUS_STARTS),
      EVENT(3298, VISIBLE, CARD_BASE + 84, 16, 0, OF_CARD(VISIBLE)),
      EVENT(3540, COMPLETE, 600, GT_ENGINE_READ, 0, BUS_STARTS),
      EVENT(3540, READ_STATE, 0, GT_STATE_IDLE, 0, OF_CARD(COMPLETE)),
      EVENT(3540, RAISE, 0, GT_ENGINE_READ, 0, OF_CARD(READ_STATE)));
  EXPECT_EVENTS(BUS, BURST(1000, START, 0x1000, PCI_COMMAND_WRITE, COMMAND),
      BURST(1660, PREEMPTED, 0x1000, 256, COMMAND), BURST(1670, START, 48, PCI_COMMAND_READ, COMMAND),
      BURST(2150, END, 48, 16, COMMAND), BURST(2160, START, 0x1100, PCI_COMMAND_WRITE, COMMAND),
      BURST(2820, PREEMPTED, 0x1100, 256, COMMAND), BURST(2830, START, 64, PCI_COMMAND_READ, COMMAND),
      BURST(3290, END, 64, 8, RAISE), BURST(3300, START, 0x1200, PCI_COMMAND_WRITE, COMMAND),
      BURST(3540, END, 0x1200, 88, RAISE));
  EXPECT_EVENTS(RING, {2150 * NS, RING_EV_INSERT, CARD_BASE + 64, 16, 16, BUS_STARTS},
      {3290 * NS, RING_EV_INSERT, CARD_BASE + 80, 8, 8, BUS_STARTS});
  EXPECT_VALUES({COUNTERS("ring", ring)->frames, 2}, {COUNTERS("ring", ring)->bytes, 24},
      {COUNTERS("ring", ring)->busy, 24 * NS});
  const struct pci_counters *bus = COUNTERS("bus", pci);
  EXPECT_VALUES({bus->transactions, 5}, {bus->preempted, 2}, {bus->disconnects, 0}, {bus->bytes, 624});
  assert_int_equal(
      bus->busy, (3540 - 1000 - 4 * 10) * NS); /* all the time except one clock after each burst */
  assert_int_equal(bus->data, (624 / 4) * 10 * NS);
  const struct gt_counters *c = COUNTERS("gt", gt);
  EXPECT_VALUES({c->pio_writes, 6}, {c->dma_writes, 1}, {c->dma_reads, 1}, {c->dma_write_bytes, 24},
      {c->dma_read_bytes, 600}, {c->write_busy, 3290 * NS}, {c->read_busy, 3540 * NS},
      {c->both_busy, 3290 * NS}, {c->interrupts, 2}, {c->ring_wait, 0});
  assert_int_equal(got(GT_REG_DONE), 3); /* both have interrupted; reading the register has cleared it */
  assert_int_equal(got(GT_REG_DONE), 0);
  assert_int_equal(c->pio_reads, 2);
}

/*
 * 8 B from the card are in memory after 1000 ns, 2 clocks of the bus and 2 of data: at 1040 ns. The other
 * engine is started at 200 ns, so that both are busy for 840 ns; or at 1040, when the first is done, so that
 * they never are.
 */
TEST(both_are_busy_once_the_second_starts) {
  for (uint32_t late = 0; late < 2; late++) {
    round_engines();
    OPEN(nothing);
    session_run();
    sim *m = test_engine();
    uint64_t second = late ? 1040 * NS : 200 * NS;
    m->cause = 0;
    begin(GT_ENGINE_READ, HOST + 0x1000, CARD_BASE + 0x400, 8);
    sim_run(m, second, SIM_NEVER);
    m->time = second;
    begin(GT_ENGINE_WRITE, HOST + 48, CARD_BASE + 64, 24);
    session_run();
    assert_int_equal(COUNTERS("gt", gt)->read_busy, 1040 * NS);
    assert_int_equal(COUNTERS("gt", gt)->both_busy, late ? 0 : 840 * NS);
  }
  round_engines(); /* the other way round: until the first of them is done */
  OPEN(nothing);
  session_run();
  sim *m = test_engine();
  begin(GT_ENGINE_WRITE, HOST + 48, CARD_BASE + 64, 24);
  sim_run(m, 200 * NS, SIM_NEVER);
  m->time = 200 * NS;
  begin(GT_ENGINE_READ, HOST + 0x1000, CARD_BASE + 0x400, 8);
  session_run();
  const struct gt_counters *c = COUNTERS("gt", gt);
  assert_int_equal(c->both_busy, sim_min(c->write_busy, 200 * NS + c->read_busy) - 200 * NS);
  assert_true(c->both_busy > 1000 * NS);
}

/*
 * 600 B from the card to memory move in blocks of 256 B. After the first block a remote node rewrites 8 B:
 * ahead of the engine, behind it, or across its position, of which 4 B have moved without the update. Or,
 * when all has moved, across that position or the end. Or across the beginning, before any has moved.
 */
TEST(an_update_at_the_engine_s_position_tears_the_transfer) {
  enum { EARLY = 2 };
  static const struct {
    uint64_t at;
    uint32_t late, torn;
  } cases[] = {
      {248, 0, 0}, {252, 0, 1}, {256, 0, 0}, {596, 0, 0}, {252, 1, 0}, {596, 1, 0}, {(uint64_t)-4, EARLY, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    round_engines();
    PARAMS("gt", gt)->tracked = 4096;
    OPEN(nothing);
    session_run();
    sim *m = test_engine();
    const gt_engine *e = gt_engine_of(m, CONTEXT_OF("gt", gt), GT_ENGINE_READ);
    begin(GT_ENGINE_READ, HOST, CARD_BASE + 64, 600);
    for (uint64_t time = m->time, begun = time;
        time < begun + 1000 * US && cases[i].late != EARLY && (cases[i].late ? !e->done : e->moved < 256);
        time += 10 * NS)
      sim_run(m, time, SIM_NEVER);
    gt_link_update(m, SIM_CONTEXT(m, CARD, gt),
        &(struct link_update){.address = CARD_BASE + 64 + cases[i].at, .bytes = 8, .write = 77});
    assert_int_equal(COUNTERS("gt", gt)->torn, cases[i].torn);
    session_run();
    const struct shadow_word *words = shadow_word(m, &STATE_OF("memory", memory)->shadow, HOST);
    if (cases[i].torn) assert_int_equal(words[63].write, 0);
    if (cases[i].torn) assert_int_equal(words[64].write, 77);
  }
}

/* The engine moves words whose newest write is still on the ring: that data is stale, which is recorded once
 * per block. */
TEST(data_moved_before_its_round_of_the_ring_is_stale) {
  round_engines();
  PARAMS("gt", gt)->tracked = 4096, PARAMS("ring", ring)->node_latency = 100 * US;
  OPEN(nothing);
  session_run();
  sim *m = test_engine();
  uint32_t late[2] = {8, 9};
  call_pci_target_take(m, BUS, PCI_PORT_SLOT + 1,
      &(struct pci_target_take){.address = CARD_BASE + 16, .bytes = 8, .writes = late});
  begin(GT_ENGINE_READ, HOST, CARD_BASE, 64);
  session_run();
  const struct sim_directory *d = sim_refresh_header(m);
  const struct sim_record *ring = sim_at(m, d->trace_at);
  uint32_t records = 0;
  for (uint32_t i = 0; i < d->seq_lo; i++) {
    if (ring[i].part != CARD || ring[i].kind != GT_EV_OLD) continue;
    records++;
    EXPECT_VALUES({ring[i].a, CARD_BASE + 16}, {ring[i].b, 0}, {ring[i].c, 8});
  }
  assert_int_equal(records, 1);
  for (uint32_t i = 0; i < d->seq_lo; i++) /* the record causes nothing */
    if (ring[i].cause)
      assert_false(ring[ring[i].cause - 1].part == CARD && ring[ring[i].cause - 1].kind == GT_EV_OLD);
  assert_int_equal(COUNTERS("gt", gt)->stale, 2);
}

/* A transfer of 0 bytes is over as soon as its engine has started; one that only reads a word is not. */
TEST(a_transfer_of_0_bytes_needs_no_bus) {
  for (uint32_t engine = GT_ENGINE_WRITE; engine <= GT_ENGINE_READ; engine++) {
    round_engines();
    OPEN(nothing);
    session_run();
    test_engine()->cause = 0;
    begin(engine, HOST, CARD_BASE, GT_GO_INTERRUPT);
    sim_run(test_engine(), 1000 * NS, SIM_NEVER);
    const uint32_t state_event = engine ? GT_EV_READ_STATE : GT_EV_WRITE_STATE, at = engine * GT_ENGINE_BYTES;
    EXPECT_EVENTS(CARD, REGISTER(at, 0), REGISTER(at + 8, OF_CARD(ACCEPT)),
        REGISTER(at + 0x10, OF_CARD(ACCEPT)), EVENT(0, COMMAND, 0, engine, 0, OF_CARD(ACCEPT)),
        {0, state_event, 0, GT_STATE_START, 0, OF_CARD(COMMAND)},
        EVENT(1000, COMPLETE, 0, engine, 0, BECAUSE(CARD, state_event)),
        {1000 * NS, state_event, 0, GT_STATE_IDLE, 0, OF_CARD(COMPLETE)},
        EVENT(1000, RAISE, 0, engine, 0, BECAUSE(CARD, state_event)));
    EXPECT_VALUES({COUNTERS("bus", pci)->transactions, 0}, {COUNTERS("gt", gt)->interrupts, 1});
  }
}

/* The ring's queue is full with the processor's stores: 128 B at 10 ns per byte. The engine waits until
 * there is room for its next line of 64 B, 640 ns, and no longer. */
TEST(the_engine_waits_for_room_in_the_queue_of_the_ring) {
  round_engines();
  PARAMS("ring", ring)->queue = 128, PARAMS("ring", ring)->rate = 100000000, PARAMS("gt", gt)->tracked = 4096,
                 PARAMS("ring", ring)->nodes = 2;
  OPEN(nothing);
  session_run();
  sim *m = test_engine();
  uint32_t stored[32] = {0};
  begin(GT_ENGINE_WRITE, HOST, CARD_BASE, 64);
  sim_run(m, 1000 * NS - 1, SIM_NEVER);
  m->time = 1000 * NS - 1;
  call_pci_target_take(m, BUS, PCI_PORT_SLOT + 1,
      &(struct pci_target_take){.address = CARD_BASE + 256, .bytes = 128, .writes = stored});
  const gt_engine *e = gt_engine_of(m, CONTEXT_OF("gt", gt), GT_ENGINE_WRITE);
  sim_run(m, 1000 * NS, SIM_NEVER);
  EXPECT_VALUES({e->state, GT_STATE_RING}, {COUNTERS("gt", gt)->ring_wait, 640 * NS - 1});
  sim_run(m, 1640 * NS - 2, SIM_NEVER);
  assert_int_equal(e->state, GT_STATE_RING);
  sim_run(m, 1640 * NS - 1, SIM_NEVER);
  EXPECT_VALUES({e->state, GT_STATE_DATA}, {COUNTERS("gt", gt)->ring_wait, 640 * NS - 1});
}
