/* Registers and DMA engines of a GT card by hand: every expected time is computed beside the test. */
#include "host/gt_round.h"

/* A store to a register of the card, as the bus brings it; what a read of one gives. */
static void set(uint32_t at, uint64_t value) {
  uint32_t write = 0;
  ask_pci_target_take(test_engine(), BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = REGISTERS + at, .bytes = 4, .value = value, .writes = &write});
}
static uint64_t got(uint32_t at) {
  uint32_t write = 0;
  struct pci_target_give give = {.address = REGISTERS + at, .bytes = 4, .writes = &write};
  ask_pci_target_give(test_engine(), BUS, PCI_PORT_SLOT + 1, &give);
  return give.value;
}
static void begin(uint32_t engine, uint64_t host, uint64_t card, uint64_t go) { set(engine * 0x20, host), set(engine * 0x20 + 8, card), set(engine * 0x20 + 0x10, go); }

/* The registers may lie below the card's memory, or right behind it: what is stored to one and read of one is a register's. */
static void registers_beside_the_memory_are_none_of_it(void **state) {
  (void)state;
  for (uint32_t behind = 0; behind < 2; behind++) {
    struct gt_machine g = round_numbers();
    const uint64_t registers = behind ? CARD_BASE + g.card.size : CARD_BASE - 0x100;
    g.card.registers = registers;
    OPEN(g, nothing);
    run_out();
    uint32_t write = 5;
    for (uint32_t at = 0; at <= 8; at += 8) ask_pci_target_take(test_engine(), BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = registers + at, .bytes = 4, .value = CARD_BASE + 64 + at, .writes = &write});
    struct pci_target_give give = {.address = registers + GT_REG_STATUS, .bytes = 4, .writes = &write};
    ask_pci_target_give(test_engine(), BUS, PCI_PORT_SLOT + 1, &give);
    assert_int_equal(give.value, 1); /* that engine has nothing to do */
    const gt_engine *engine = gt_engine_of(test_engine(), BY_STATE(test_engine(), CARD, gt), GT_ENGINE_WRITE);
    assert_int_equal(engine->host, CARD_BASE + 64);
    assert_int_equal(engine->card, CARD_BASE + 64 + 8);
    run_out();
    assert_int_equal(GT_COUNTERS(RING, ring)->frames, 0);
  }
}

/* Who asks for an engine's registers gets whether it is done, and 0 of everything else. */
static void only_status_and_what_was_raised_can_be_read(void **state) {
  (void)state;
  struct gt_machine g = round_numbers();
  OPEN(g, nothing);
  run_out();
  for (uint32_t at = 0; at < 0x100; at += 4) assert_int_equal(got(at), at == GT_REG_STATUS || at == GT_ENGINE_BYTES + GT_REG_STATUS ? 1 : 0);
  begin(GT_ENGINE_READ, HOST, CARD_BASE, 64);
  assert_int_equal(got(GT_REG_STATUS), 1);
  assert_int_equal(got(GT_ENGINE_BYTES + GT_REG_STATUS), 0);
}

/* Engines begin 1 us after their last register, memory moves 1 B/ns and answers after 100 ns, the bridge after 100 more; what is sent on the ring is round it in 1 ns a byte. */
static struct gt_machine round_engines(void) {
  struct gt_machine g = round_numbers();
  g.card.start = 1000 * NS, g.card.read_line = 64;
  g.bridge.read_ahead = 100 * NS;
  g.memory.latency = 100 * NS, g.memory.bandwidth = 1000000000;
  g.ring.rate = 1000000000, g.ring.node_latency = 0;
  return g;
}

#define BURST(time, name, at, what, why) {(time) * NS, PCI_EV_##name, HOST + (at), what, 1, OF_CARD(why)}
#define REGISTER(at, why) TOLD(0, ACCEPT, REGISTERS + (at), 0, 4, why)

/*
 * 600 B from the card to memory and 24 B from memory to the card, started at once. The first may be first: it writes 256 B in
 * 2 clocks and 64 of data, from 1000 to 1660 ns, and gives way because the other waits. That one reads as far as its line of
 * 64 B goes, 16 B: it begins at 1670, memory is busy with what was written until 1916, and its data is there at 2116; 4 clocks
 * of data, the first of which ends then, last until 2146. They are round the ring at 2162. In the same way: 256 B from 2156 to
 * 2816; 8 B from 2826, memory busy until 3072, data at 3272, to 3282, and round at 3290; 88 B from 3292, 24 clocks, to 3532.
 */
static void both_engines_in_turns_by_hand(void **state) {
  (void)state;
  struct gt_machine g = round_engines();
  OPEN(g, nothing);
  run_out();
  by *m = test_engine();
  uint32_t wrote[] = {11, 12, 13, 14, 15, 16};
  memory_bridge_write(m, MEMORY, &(struct memory_write){.address = HOST + 48, .bytes = 24, .when = BY_NEVER, .writes = wrote});
  m->cause = 0;
  begin(GT_ENGINE_READ, HOST + 0x1000, CARD_BASE + 0x400, 600 | GT_GO_INTERRUPT);
  begin(GT_ENGINE_WRITE, HOST + 48, CARD_BASE + 64, 24 | GT_GO_INTERRUPT);
  by_run(m, 3532 * NS, BY_NEVER);
  TELLS(CARD,
      REGISTER(0x20, 0), REGISTER(0x28, OF_CARD(ACCEPT)), REGISTER(0x30, OF_CARD(ACCEPT)),
      TOLD(0, COMMAND, 600, GT_ENGINE_READ, 0, OF_CARD(ACCEPT)), TOLD(0, READ_STATE, 0, GT_STATE_START, 0, OF_CARD(COMMAND)),
      REGISTER(0x00, OF_CARD(READ_STATE)), REGISTER(0x08, OF_CARD(ACCEPT)), REGISTER(0x10, OF_CARD(ACCEPT)),
      TOLD(0, COMMAND, 24, GT_ENGINE_WRITE, 0, OF_CARD(ACCEPT)), TOLD(0, WRITE_STATE, 0, GT_STATE_START, 0, OF_CARD(COMMAND)),
      TOLD(1000, READ_STATE, 0, GT_STATE_DATA, 0, OF_CARD(COMMAND)), TOLD(1000, WRITE_STATE, 0, GT_STATE_DATA, 0, OF_CARD(COMMAND)),
      TOLD(2162, VISIBLE, CARD_BASE + 64, 11, 0, BUS_STARTS), TOLD(2162, VISIBLE, CARD_BASE + 68, 12, 0, OF_CARD(VISIBLE)),
      TOLD(2162, VISIBLE, CARD_BASE + 72, 13, 0, OF_CARD(VISIBLE)), TOLD(2162, VISIBLE, CARD_BASE + 76, 14, 0, OF_CARD(VISIBLE)),
      TOLD(3282, COMPLETE, 24, GT_ENGINE_WRITE, 0, BUS_STARTS), TOLD(3282, WRITE_STATE, 0, GT_STATE_IDLE, 0, OF_CARD(COMPLETE)), TOLD(3282, RAISE, 0, GT_ENGINE_WRITE, 0, OF_CARD(WRITE_STATE)),
      TOLD(3290, VISIBLE, CARD_BASE + 80, 15, 0, BUS_STARTS), TOLD(3290, VISIBLE, CARD_BASE + 84, 16, 0, OF_CARD(VISIBLE)),
      TOLD(3532, COMPLETE, 600, GT_ENGINE_READ, 0, BUS_STARTS), TOLD(3532, READ_STATE, 0, GT_STATE_IDLE, 0, OF_CARD(COMPLETE)), TOLD(3532, RAISE, 0, GT_ENGINE_READ, 0, OF_CARD(READ_STATE)));
  TELLS(BUS, BURST(1000, START, 0x1000, PCI_COMMAND_WRITE, COMMAND), BURST(1660, PREEMPTED, 0x1000, 256, COMMAND), BURST(1670, START, 48, PCI_COMMAND_READ, COMMAND), BURST(2146, END, 48, 16, COMMAND),
        BURST(2156, START, 0x1100, PCI_COMMAND_WRITE, COMMAND), BURST(2816, PREEMPTED, 0x1100, 256, COMMAND), BURST(2826, START, 64, PCI_COMMAND_READ, COMMAND), BURST(3282, END, 64, 8, RAISE),
        BURST(3292, START, 0x1200, PCI_COMMAND_WRITE, COMMAND), BURST(3532, END, 0x1200, 88, RAISE));
  TELLS(RING, {2146 * NS, RING_EV_INSERT, CARD_BASE + 64, 16, 16, BUS_STARTS}, {3282 * NS, RING_EV_INSERT, CARD_BASE + 80, 8, 8, BUS_STARTS});
  assert_int_equal(GT_COUNTERS(RING, ring)->frames, 2);
  assert_int_equal(GT_COUNTERS(RING, ring)->bytes, 24);
  assert_int_equal(GT_COUNTERS(RING, ring)->busy, 24 * NS);
  const struct pci_counters *bus = GT_COUNTERS(BUS, pci);
  assert_int_equal(bus->transactions, 5);
  assert_int_equal(bus->preempted, 2);
  assert_int_equal(bus->disconnects, 0);
  assert_int_equal(bus->bytes, 624);
  assert_int_equal(bus->busy, (3532 - 1000 - 4 * 10) * NS); /* all the time but for a clock after each burst */
  assert_int_equal(bus->data, (624 / 4) * 10 * NS);
  const struct gt_counters *c = GT_COUNTERS(CARD, gt);
  assert_int_equal(c->pio_writes, 6);
  assert_int_equal(c->dma_writes, 1);
  assert_int_equal(c->dma_reads, 1);
  assert_int_equal(c->dma_write_bytes, 24);
  assert_int_equal(c->dma_read_bytes, 600);
  assert_int_equal(c->write_busy, 3282 * NS);
  assert_int_equal(c->read_busy, 3532 * NS);
  assert_int_equal(c->both_busy, 3282 * NS);
  assert_int_equal(c->interrupts, 2);
  assert_int_equal(c->ring_wait, 0);
  assert_int_equal(got(GT_REG_DONE), 3); /* both have raised one; to have read it is to have cleared it */
  assert_int_equal(got(GT_REG_DONE), 0);
  assert_int_equal(c->pio_reads, 2);
}

/*
 * 8 B from the card are in memory after 1000 ns, 2 clocks of the bus and 2 of data: at 1040 ns. The other engine was told what to do at
 * 200 ns, or at 1040, when the first is done: both are at work for 840 ns, or not at all.
 */
static void both_are_busy_from_when_the_second_begins(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct gt_machine g = round_engines();
    OPEN(g, nothing);
    run_out();
    by *m = test_engine();
    uint64_t second = late ? 1040 * NS : 200 * NS;
    m->cause = 0;
    begin(GT_ENGINE_READ, HOST + 0x1000, CARD_BASE + 0x400, 8);
    by_run(m, second, BY_NEVER);
    m->time = second;
    begin(GT_ENGINE_WRITE, HOST + 48, CARD_BASE + 64, 24);
    run_out();
    assert_int_equal(GT_COUNTERS(CARD, gt)->read_busy, 1040 * NS);
    assert_int_equal(GT_COUNTERS(CARD, gt)->both_busy, late ? 0 : 840 * NS);
  }
  struct gt_machine g = round_engines(); /* the other way: until the first of them is done */
  OPEN(g, nothing);
  run_out();
  by *m = test_engine();
  begin(GT_ENGINE_WRITE, HOST + 48, CARD_BASE + 64, 24);
  by_run(m, 200 * NS, BY_NEVER);
  m->time = 200 * NS;
  begin(GT_ENGINE_READ, HOST + 0x1000, CARD_BASE + 0x400, 8);
  run_out();
  const struct gt_counters *c = GT_COUNTERS(CARD, gt);
  assert_int_equal(c->both_busy, by_min(c->write_busy, 200 * NS + c->read_busy) - 200 * NS);
  assert_true(c->both_busy > 1000 * NS);
}

/* A word is written for what it was read as: as nothing known, as what it holds, or as what it held before. Only the last loses a write. */
static void a_word_that_changed_since_it_was_read_is_lost(void **state) {
  (void)state;
  static const struct { uint32_t expects, lost; } cases[] = {{0, 0}, {41 + 1, 0}, {40 + 1, 1}, {42 + 1, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gt_machine g = round_engines();
    OPEN(g, nothing);
    run_out();
    uint32_t there = 41;
    ask_pci_target_take(test_engine(), BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = CARD_BASE + 64, .bytes = 4, .writes = &there});
    begin(GT_ENGINE_WRITE, HOST, CARD_BASE + 64, (uint64_t)cases[i].expects << 32 | 4);
    run_out();
    assert_int_equal(GT_COUNTERS(CARD, gt)->lost, cases[i].lost);
    assert_int_equal(GT_COUNTERS(CARD, gt)->interrupts, 0); /* nobody asked for one */
    const struct by_record *ring = by_at(test_engine(), by_look(test_engine())->trace_at);
    for (uint32_t k = 0, lost = 0; k < by_look(test_engine())->seq_lo; k++) {
      if (ring[k].part != CARD || ring[k].kind != GT_EV_LOST) continue;
      assert_int_equal(lost++, 0);
      assert_int_equal(ring[k].a, CARD_BASE + 64);
      assert_int_equal(ring[k].b, 41);
      assert_int_equal(ring[k].c, cases[i].expects - 1);
    }
  }
}

/*
 * A ring that takes 1 ms keeps what is sent on it: of the card's 4096 places and those for a queue of 128 B, 2048 are for what
 * is on its way to the card. So 32 + 2048 words are taken at once; the next when the first word has come round.
 */
static void a_card_takes_what_it_can_keep_until_it_has_come_round(void **state) {
  (void)state;
  struct gt_machine g = round_engines();
  g.ring.nodes = 10, g.ring.node_latency = 100 * US, g.ring.queue = 128;
  OPEN(g, nothing);
  run_out();
  by *m = test_engine();
  static const uint32_t sent[] = {4096, 4096 - 4 + 128, 4}, free[] = {2080 - 1024, 1, 0};
  static uint32_t writes[1056];
  struct gt_counters *c = GT_COUNTERS(CARD, gt);
  struct pci_begin q = {.address = CARD_BASE, .bytes = 8192, .command = PCI_COMMAND_WRITE};
  assert_int_equal(ask_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q), 128); /* no more than the queue holds */
  for (uint32_t i = 0; i < 3; i++) {
    m->time = 0;
    ask_pci_target_take(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = CARD_BASE + 8192 * i, .bytes = sent[i], .writes = writes});
    m->time = 20 * US; /* the queue is empty by then */
    q = (struct pci_begin){.address = CARD_BASE, .bytes = 64, .command = PCI_COMMAND_WRITE};
    assert_int_equal(ask_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q), free[i] > 16 ? 64 : 4);
    assert_int_equal(q.ready, free[i] ? 20 * US : 1000 * US + 4096 * NS);
    assert_int_equal(c->ring_wait, free[i] ? 0 : 1000 * US + 4096 * NS - 20 * US);
  }
  m->time = 1000 * US + 4096 * NS; /* it is round, but nobody has taken it yet */
  q = (struct pci_begin){.address = CARD_BASE, .bytes = 64, .command = PCI_COMMAND_WRITE};
  ask_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q);
  assert_int_equal(q.ready, m->time + 1);
  m->time = 20 * US, c->ring_wait = 0;
  begin(GT_ENGINE_WRITE, HOST, CARD_BASE, 8); /* the engine waits for the same */
  by_run(m, 21 * US, BY_NEVER);
  assert_int_equal(gt_engine_of(m, BY_STATE(m, CARD, gt), GT_ENGINE_WRITE)->state, GT_STATE_RING);
  assert_int_equal(c->ring_wait, 1000 * US + 4096 * NS - 21 * US);
  by_run(m, 1000 * US + 4096 * NS, BY_NEVER);
  assert_int_equal(gt_engine_of(m, BY_STATE(m, CARD, gt), GT_ENGINE_WRITE)->state, GT_STATE_DATA);
}

/*
 * 600 B from the card to memory go in blocks of 256 B. After the first a remote node rewrites 8 B: before the engine, behind
 * it, or across the place where it is, of which 4 B have gone without the update; across it, or the end, when all is over; and across the beginning before any is moved.
 */
static void an_update_in_the_middle_of_what_is_moved_tears_it(void **state) {
  (void)state;
  enum { EARLY = 2 };
  static const struct { uint64_t at; uint32_t late, torn; } cases[] = {{248, 0, 0}, {252, 0, 1}, {256, 0, 0}, {596, 0, 0}, {252, 1, 0}, {596, 1, 0}, {(uint64_t)-4, EARLY, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gt_machine g = round_engines();
    g.card.tracked = 4096;
    OPEN(g, nothing);
    run_out();
    by *m = test_engine();
    const gt_engine *e = gt_engine_of(m, BY_STATE(m, CARD, gt), GT_ENGINE_READ);
    begin(GT_ENGINE_READ, HOST, CARD_BASE + 64, 600);
    for (uint64_t time = m->time; cases[i].late != EARLY && (cases[i].late ? !e->done : e->moved < 256); time += 10 * NS) by_run(m, time, BY_NEVER);
    gt_link_update(m, CARD, &(struct link_update){.address = CARD_BASE + 64 + cases[i].at, .bytes = 8, .write = 77});
    assert_int_equal(GT_COUNTERS(CARD, gt)->torn, cases[i].torn);
    run_out();
    const struct ledger_cell *words = ledger_cell(m, &BY_STATE(m, MEMORY, memory)->ledger, HOST);
    if (cases[i].torn) assert_int_equal(words[63].write, 0);
    if (cases[i].torn) assert_int_equal(words[64].write, 77);
  }
}

/* What the engine moves of a word whose newest write is still on the ring is old, and said once for each block. */
static void what_the_engine_moves_before_it_has_come_round_is_told(void **state) {
  (void)state;
  struct gt_machine g = round_engines();
  g.card.tracked = 4096, g.ring.node_latency = 100 * US;
  OPEN(g, nothing);
  run_out();
  by *m = test_engine();
  uint32_t late[2] = {8, 9};
  ask_pci_target_take(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = CARD_BASE + 16, .bytes = 8, .writes = late});
  begin(GT_ENGINE_READ, HOST, CARD_BASE, 64);
  run_out();
  const struct by_directory *d = by_look(m);
  const struct by_record *ring = by_at(m, d->trace_at);
  uint32_t told = 0;
  for (uint32_t i = 0; i < d->seq_lo; i++) {
    if (ring[i].part != CARD || ring[i].kind != GT_EV_OLD) continue;
    told++;
    assert_int_equal(ring[i].a, CARD_BASE + 16);
    assert_int_equal(ring[i].b, 0);
    assert_int_equal(ring[i].c, 8);
  }
  assert_int_equal(told, 1);
  for (uint32_t i = 0; i < d->seq_lo; i++) /* nothing follows from its being told */
    if (ring[i].cause) assert_false(ring[ring[i].cause - 1].part == CARD && ring[ring[i].cause - 1].kind == GT_EV_OLD);
  assert_int_equal(GT_COUNTERS(CARD, gt)->stale, 2);
}

/* Three words of the card's memory: what it shows is what has come round; it knows which newer write is still on its way. Behind the followed window nothing is known. */
static void what_is_read_of_the_card_is_what_has_come_round(void **state) {
  (void)state;
  struct gt_machine g = round_engines();
  g.card.tracked = 16;
  OPEN(g, nothing);
  run_out();
  by *m = test_engine();
  uint32_t first[] = {1, 2, 3}, second[] = {5, 6}, back[6] = {90, 91, 92, 93, 94, 95};
  ask_pci_target_take(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = CARD_BASE + 4, .bytes = 12, .writes = first});
  run_out();
  ask_pci_target_take(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = CARD_BASE + 4, .bytes = 8, .writes = second});
  struct pci_target_give give = {.address = CARD_BASE, .bytes = 24, .writes = back};
  ask_pci_target_give(m, BUS, PCI_PORT_SLOT + 1, &give);
  const struct by_record *answer = (const struct by_record *)by_at(m, by_look(m)->trace_at) + (m->seq - 1);
  assert_int_equal(answer->kind, GT_EV_ANSWER);
  assert_int_equal(answer->a, CARD_BASE);
  assert_int_equal(answer->b, 0); /* of the first word; the second is the first that was written */
  static const uint32_t shown[] = {0, 1, 2, 3, 94, 95};
  assert_memory_equal(back, shown, sizeof shown);
  assert_int_equal(give.newest, 5);
  assert_int_equal(GT_COUNTERS(CARD, gt)->stale, 2);
  run_out();
  give = (struct pci_target_give){.address = CARD_BASE, .bytes = 12, .writes = back};
  ask_pci_target_give(m, BUS, PCI_PORT_SLOT + 1, &give);
  assert_int_equal(give.newest, 0);
  assert_int_equal(back[1], 5);
  assert_int_equal(back[2], 6);
  assert_int_equal(GT_COUNTERS(CARD, gt)->stale, 2);
}

/* A word becomes visible when it has come round, and not with one that was sent before it. */
static void each_word_comes_round_in_its_own_time(void **state) {
  (void)state;
  struct gt_machine g = round_engines();
  g.ring.nodes = 10, g.ring.node_latency = 10 * US, g.card.tracked = 4096;
  OPEN(g, nothing);
  run_out();
  by *m = test_engine();
  m->time = 0;
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t write = 8 + i;
    by_run(m, 50 * US * i, BY_NEVER);
    m->time = 50 * US * i, m->cause = 0;
    ask_pci_target_take(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = CARD_BASE + 16 * i, .bytes = 4, .writes = &write});
  }
  const struct ledger_cell *words = ledger_cell(m, &BY_STATE(m, CARD, gt)->ledger, CARD_BASE);
  by_run(m, 100 * US + 4 * NS - 1, BY_NEVER);
  assert_int_equal(words[0].write, 0);
  assert_int_equal(words[0].newest, 8);
  by_run(m, 150 * US + 4 * NS - 1, BY_NEVER);
  assert_int_equal(words[0].write, 8);
  assert_int_equal(words[4].write, 0);
  run_out();
  assert_int_equal(words[4].write, 9);
  TELLS(CARD, TOLD(0, ACCEPT, CARD_BASE, 8, 4, 0), TOLD(50000, ACCEPT, CARD_BASE + 16, 9, 4, 0), TOLD(100004, VISIBLE, CARD_BASE, 8, 0, ANY_CAUSE), TOLD(150004, VISIBLE, CARD_BASE + 16, 9, 0, ANY_CAUSE));
}

/*
 * A card whose memory is not followed takes what the ring's queue holds, however many words are under way: it keeps no place for each. One that
 * follows a single word keeps as many as one that follows all: 4096, and what the queue holds.
 */
static void a_card_that_follows_nothing_keeps_no_places(void **state) {
  (void)state;
  for (uint32_t words = 0; words < 2; words++) {
    struct gt_machine g = round_engines();
    g.ring.nodes = 10, g.ring.node_latency = 100 * US, g.ring.queue = 128, g.card.tracked = 4 * words;
    OPEN(g, nothing);
    run_out();
    by *m = test_engine();
    uint32_t rows;
    checked_view(m, CARD, GT_VIEW_FLIGHT, &rows);
    assert_int_equal(rows, words * (4096 + 128 / 4));
    struct pci_begin q = {.address = CARD_BASE, .bytes = 64, .command = PCI_COMMAND_WRITE};
    assert_int_equal(ask_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q), 64);
    assert_int_equal(q.ready, m->time);
  }
}

/* Reads pay back their debt from the beginning of time on: the first is answered after its latency, at time 0 as later. */
static void the_first_read_takes_its_latency(void **state) {
  (void)state;
  struct gt_machine g = round_numbers();
  OPEN(g, nothing);
  for (uint64_t i = 0; i < 4; i++) {
    struct pci_begin q = {.address = CARD_BASE, .bytes = 4, .command = PCI_COMMAND_READ};
    assert_int_equal(ask_pci_begin(test_engine(), BUS, PCI_PORT_SLOT + 1, &q), 4);
    assert_int_equal(q.ready, (i < 2 ? 200 : 200 + 500 * (i - 1)) * NS); /* two ahead of their time, and then one in 500 ns */
  }
}

/* A transfer of nothing is over when its engine has begun; one that only asks for a word is not. */
static void a_transfer_of_nothing_needs_no_bus(void **state) {
  (void)state;
  for (uint32_t engine = GT_ENGINE_WRITE; engine <= GT_ENGINE_READ; engine++) {
    struct gt_machine g = round_engines();
    OPEN(g, nothing);
    run_out();
    test_engine()->cause = 0;
    begin(engine, HOST, CARD_BASE, GT_GO_INTERRUPT);
    by_run(test_engine(), 1000 * NS, BY_NEVER);
    const uint32_t state_event = engine ? GT_EV_READ_STATE : GT_EV_WRITE_STATE, at = engine * GT_ENGINE_BYTES;
    TELLS(CARD, REGISTER(at, 0), REGISTER(at + 8, OF_CARD(ACCEPT)), REGISTER(at + 0x10, OF_CARD(ACCEPT)), TOLD(0, COMMAND, 0, engine, 0, OF_CARD(ACCEPT)), {0, state_event, 0, GT_STATE_START, 0, OF_CARD(COMMAND)},
          TOLD(1000, COMPLETE, 0, engine, 0, BECAUSE(CARD, state_event)), {1000 * NS, state_event, 0, GT_STATE_IDLE, 0, OF_CARD(COMPLETE)}, TOLD(1000, RAISE, 0, engine, 0, BECAUSE(CARD, state_event)));
    assert_int_equal(GT_COUNTERS(BUS, pci)->transactions, 0);
    assert_int_equal(GT_COUNTERS(CARD, gt)->interrupts, 1);
  }
}

/* The engine asked as the bus asks it: a retry is no end, and it asks again; the end of a target that nobody is, is. Nothing is granted twice. */
static void an_engine_goes_on_after_a_retry(void **state) {
  (void)state;
  for (uint32_t engine = GT_ENGINE_WRITE; engine <= GT_ENGINE_READ; engine++) {
    struct gt_machine g = round_engines();
    OPEN(g, nothing);
    run_out();
    by *m = test_engine();
    gt_engine *e = gt_engine_of(m, BY_STATE(m, CARD, gt), engine);
    struct pci_grant q = {0};
    assert_int_equal(ask_pci_grant(m, BUS, PCI_PORT_SLOT + 1, &q), 0);
    begin(engine, HOST, CARD_BASE, 64);
    gt_go_on(m, CARD, engine);
    assert_int_equal(e->wants, 1);
    assert_int_equal(ask_pci_grant(m, BUS, PCI_PORT_SLOT + 1, &q), 1);
    assert_int_equal(q.address, HOST);
    assert_int_equal(q.bytes, 64);
    assert_int_equal(q.command, engine ? PCI_COMMAND_WRITE : PCI_COMMAND_READ);
    assert_int_equal(e->wants, 0);
    assert_int_equal(ask_pci_grant(m, BUS, PCI_PORT_SLOT + 1, &q), 0);
    assert_int_equal(ask_pci_moved(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_moved){.bytes = 0, .last = 0}), engine ? 64 : 0);
    assert_int_equal(e->done, 0);
    assert_int_equal(e->wants, 1);
    ask_pci_grant(m, BUS, PCI_PORT_SLOT + 1, &q);
    assert_int_equal(ask_pci_moved(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_moved){.bytes = 16, .last = 0}), engine ? 48 : 0);
    assert_int_equal(e->wants, !engine); /* what is written goes on; for what is read the ring is asked first */
    assert_int_equal(e->moved, 16);
    assert_int_equal(e->left, 48);
    if (engine) assert_int_equal(ask_pci_moved(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_moved){.bytes = 16, .last = 1}), 32);
    assert_int_equal(e->wants, 1);
    ask_pci_grant(m, BUS, PCI_PORT_SLOT + 1, &q);
    assert_int_equal(q.address, HOST + (engine ? 32 : 16));
    assert_int_equal(ask_pci_moved(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_moved){.bytes = 0, .last = 1}), 0);
    assert_int_equal(e->done, 1);
    assert_int_equal(e->state, GT_STATE_IDLE);
  }
}

/* The ring is full with what the processor stored: 128 B at 10 ns a byte. The engine waits until there is room for its next line of 64 B, 640 ns, and no longer. */
static void the_engine_waits_for_room_in_the_queue_of_the_ring(void **state) {
  (void)state;
  struct gt_machine g = round_engines();
  g.ring.queue = 128, g.ring.rate = 100000000, g.card.tracked = 4096, g.ring.nodes = 2;
  OPEN(g, nothing);
  run_out();
  by *m = test_engine();
  uint32_t stored[32] = {0};
  begin(GT_ENGINE_WRITE, HOST, CARD_BASE, 64);
  by_run(m, 1000 * NS - 1, BY_NEVER);
  m->time = 1000 * NS - 1;
  ask_pci_target_take(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = CARD_BASE + 256, .bytes = 128, .writes = stored});
  const gt_engine *e = gt_engine_of(m, BY_STATE(m, CARD, gt), GT_ENGINE_WRITE);
  by_run(m, 1000 * NS, BY_NEVER);
  assert_int_equal(e->state, GT_STATE_RING);
  assert_int_equal(GT_COUNTERS(CARD, gt)->ring_wait, 640 * NS - 1);
  by_run(m, 1640 * NS - 2, BY_NEVER);
  assert_int_equal(e->state, GT_STATE_RING);
  by_run(m, 1640 * NS - 1, BY_NEVER);
  assert_int_equal(e->state, GT_STATE_DATA);
  assert_int_equal(GT_COUNTERS(CARD, gt)->ring_wait, 640 * NS - 1);
}

/* Without a ring what is stored is there at once, engines move words either way, and none waits. */
static void a_card_without_a_ring_is_memory(void **state) {
  (void)state;
  struct gt_machine g = round_engines();
  enum { OTHER = GT_MACHINE_PARTS, WIRES = 40, WIRE_OF_RING = 32 };
  struct session s = gt_machine_session(&g, nothing, 1);
  struct gt_params other = g.card; /* the ring is another card's */
  uint32_t wires[WIRES];
  other.base += 64 << 20, other.registers += 4096;
  s.n -= WIRES;
  memcpy(wires, &s.words[s.n], sizeof wires);
  GT_PART(&s, BY_TYPE_GT, other);
  wires[WIRE_OF_RING] = OTHER;
  memcpy(&s.words[s.n], wires, sizeof wires);
  s.n += WIRES;
  s.words[6]++, s.words[7]++;
  session_wire(&s, OTHER, GT_PORT_PCI, BUS, PCI_PORT_SLOT + 3);
  assert_int_equal(session_open(&s), BY_OK);
  run_out();
  by *m = test_engine();
  uint32_t rows, stored[] = {7, 8, 9, 10};
  checked_view(m, CARD, GT_VIEW_FLIGHT, &rows);
  assert_int_equal(rows, 0);
  struct pci_begin q = {.address = CARD_BASE, .bytes = 4096, .command = PCI_COMMAND_WRITE};
  assert_int_equal(ask_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q), 4096);
  ask_pci_target_take(m, BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = CARD_BASE + 64, .bytes = 16, .writes = stored});
  const struct ledger_cell *words = ledger_cell(m, &BY_STATE(m, CARD, gt)->ledger, CARD_BASE);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(words[16 + i].write, stored[i]);
    assert_int_equal(words[16 + i].newest, stored[i]);
  }
  begin(GT_ENGINE_READ, HOST, CARD_BASE + 64, 16);
  run_out();
  const struct ledger_cell *host = ledger_cell(m, &BY_STATE(m, MEMORY, memory)->ledger, HOST);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(host[i].write, stored[i]);
  begin(GT_ENGINE_WRITE, HOST, CARD_BASE + 128, 16);
  run_out();
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(words[32 + i].write, stored[i]);
  assert_int_equal(GT_COUNTERS(CARD, gt)->ring_wait, 0);
  assert_int_equal(GT_COUNTERS(CARD, gt)->stale, 0);
}

struct limit {
  uint32_t part, param;
  uint64_t good[4], bad[4];
};

/* What a part cannot be built with is refused by name, and what is just possible is built. */
static void parameters_are_taken_up_to_their_limits(void **state) {
  (void)state;
  static const struct limit limits[] = {
      {RING, RING_PARAM_NODES, {2, 256}, {0, 1, 257}},
      {RING, RING_PARAM_RATE, {1000000}, {0, 999999}},
      {RING, RING_PARAM_PAYLOAD, {4}, {0, 3}},
      {RING, RING_PARAM_QUEUE, {128, 1 << 20}, {0, 127, (1 << 20) + 1}},
      {RING, RING_PARAM_UPDATE_BYTES, {4, 8}, {0, 3, 6}},
      {MEMORY, MEMORY_PARAM_BANDWIDTH, {1000000}, {0, 999999}},
      {MEMORY, MEMORY_PARAM_TRACKED, {0, 16 << 20}, {(16 << 20) + 4}},
      {BRIDGE, BRIDGE_PARAM_POSTS, {1, 64}, {0, 65}},
      {BUS, PCI_PARAM_CLOCK, {1000000, 1000000000}, {0, 999999, 1000000001}},
      {BUS, PCI_PARAM_WIDTH, {4, 8}, {0, 2, 16}},
      {BUS, PCI_PARAM_BLOCK, {8, 4096}, {0, 7, 4097}},
      {PEER, PEER_PARAM_BYTES, {4, 1 << 20}, {0, 6, (1 << 20) + 4}},
      {PEER, PEER_PARAM_BLOCKS, {UINT32_MAX}, {1ull << 32}},
      {CARD, GT_PARAM_BASE, {CARD_BASE + 4}, {CARD_BASE + 2}},
      {CARD, GT_PARAM_REGISTERS, {0xf0000100}, {0xf0000080}},
      {CARD, GT_PARAM_READ_LINE, {8, 4096}, {4, 24, 8192}},
      {CARD, GT_PARAM_TRACKED, {0, 16 << 20}, {(16 << 20) + 4}},
      {CARD, GT_PARAM_READ_CREDIT, {1}, {0}},
      {DRIVER, GT_DRIVER_PARAM_PAGE, {512}, {0}},
  };
  for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct limit *l = &limits[i];
    for (uint32_t k = 0; k < 4; k++) {
      struct gt_machine g = gt_machine_defaults();
      uint64_t *of[] = {[RING] = (uint64_t *)&g.ring, [MEMORY] = (uint64_t *)&g.memory, [BRIDGE] = (uint64_t *)&g.bridge, [BUS] = (uint64_t *)&g.bus,
                        [PEER] = (uint64_t *)&g.peer, [CARD] = (uint64_t *)&g.card, [DRIVER] = (uint64_t *)&g.driver};
      struct session s;
      if (k == 0 || l->good[k]) {
        of[l->part][l->param] = l->good[k];
        s = gt_machine_session(&g, nothing, 1);
        assert_int_equal(session_open(&s), BY_OK);
      }
      if (k > 0 && !l->bad[k]) continue;
      of[l->part][l->param] = l->bad[k];
      s = gt_machine_session(&g, nothing, 1);
      assert_int_equal(session_open(&s), BY_BAD_PARAM);
      assert_int_equal(by_look(test_engine())->error_part, l->part);
      assert_int_equal(by_look(test_engine())->error_detail, l->param);
    }
  }
}

/* Its last store keeps a processor busy until a time: before that it is not told that there is room, however early there is. */

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_engines_in_turns_by_hand),
      cmocka_unit_test(both_are_busy_from_when_the_second_begins),
      cmocka_unit_test(a_word_that_changed_since_it_was_read_is_lost),
      cmocka_unit_test(a_card_takes_what_it_can_keep_until_it_has_come_round),
      cmocka_unit_test(registers_beside_the_memory_are_none_of_it),
      cmocka_unit_test(an_update_in_the_middle_of_what_is_moved_tears_it),
      cmocka_unit_test(what_the_engine_moves_before_it_has_come_round_is_told),
      cmocka_unit_test(what_is_read_of_the_card_is_what_has_come_round),
      cmocka_unit_test(only_status_and_what_was_raised_can_be_read),
      cmocka_unit_test(each_word_comes_round_in_its_own_time),
      cmocka_unit_test(a_card_that_follows_nothing_keeps_no_places),
      cmocka_unit_test(the_first_read_takes_its_latency),
      cmocka_unit_test(a_transfer_of_nothing_needs_no_bus),
      cmocka_unit_test(an_engine_goes_on_after_a_retry),
      cmocka_unit_test(the_engine_waits_for_room_in_the_queue_of_the_ring),
      cmocka_unit_test(a_card_without_a_ring_is_memory),
      cmocka_unit_test(parameters_are_taken_up_to_their_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
