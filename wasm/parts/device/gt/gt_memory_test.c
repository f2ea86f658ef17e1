/* Registers and memory of a GT card: what it accepts and queues for its ring, what reads return, and the
 * limits of its parameters. */
#include "test/gt_round.h"

/* The registers may lie below the card's memory or right after it. Accesses to them do not touch the
 * memory. */
TEST(registers_beside_the_memory_are_not_part_of_it) {
  for (uint32_t behind = 0; behind < 2; behind++) {
    round_numbers();
    const uint64_t registers = behind ? CARD_BASE + PARAMS("gt", gt)->size : CARD_BASE - 0x100;
    PARAMS("gt", gt)->registers = registers;
    OPEN(nothing);
    session_run();
    uint32_t write = 5;
    for (uint32_t at = 0; at <= 8; at += 8)
      call_pci_target_take(test_engine(), BUS, PCI_PORT_SLOT + 1,
          &(struct pci_target_take){
              .address = registers + at, .bytes = 4, .value = CARD_BASE + 64 + at, .writes = &write});
    struct pci_target_give give = {.address = registers + GT_REG_STATUS, .bytes = 4, .writes = &write};
    call_pci_target_give(test_engine(), BUS, PCI_PORT_SLOT + 1, &give);
    assert_int_equal(give.value, 1); /* the engine stays idle */
    const gt_engine *engine = gt_engine_of(test_engine(), CONTEXT_OF("gt", gt), GT_ENGINE_WRITE);
    EXPECT_VALUES({engine->host, CARD_BASE + 64}, {engine->card, CARD_BASE + 64 + 8});
    session_run();
    assert_int_equal(COUNTERS("ring", ring)->frames, 0);
  }
}

/* A read of an engine's registers returns whether it is done, and 0 for everything else. */
TEST(only_status_and_interrupts_can_be_read) {
  round_numbers();
  OPEN(nothing);
  session_run();
  for (uint32_t at = 0; at < 0x100; at += 4)
    assert_int_equal(got(at), at == GT_REG_STATUS || at == GT_ENGINE_BYTES + GT_REG_STATUS ? 1 : 0);
  begin(GT_ENGINE_READ, HOST, CARD_BASE, 64);
  assert_int_equal(got(GT_REG_STATUS), 1);
  assert_int_equal(got(GT_ENGINE_BYTES + GT_REG_STATUS), 0);
}

/* A write-back of a word that was read as unknown, as its present value, or as its value before that. Only
 * the last loses a write. */
TEST(a_write_back_over_a_changed_word_loses_a_write) {
  static const struct {
    uint32_t expects, lost;
  } cases[] = {{0, 0}, {41 + 1, 0}, {40 + 1, 1}, {42 + 1, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    round_engines();
    OPEN(nothing);
    session_run();
    uint32_t there = 41;
    call_pci_target_take(test_engine(), BUS, PCI_PORT_SLOT + 1,
        &(struct pci_target_take){.address = CARD_BASE + 64, .bytes = 4, .writes = &there});
    begin(GT_ENGINE_WRITE, HOST, CARD_BASE + 64, (uint64_t)cases[i].expects << 32 | 4);
    session_run();
    assert_int_equal(COUNTERS("gt", gt)->lost, cases[i].lost);
    assert_int_equal(COUNTERS("gt", gt)->interrupts, 0); /* no interrupt was requested */
    const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
    for (uint32_t k = 0, lost = 0; k < sim_refresh_header(test_engine())->seq_lo; k++) {
      if (ring[k].part != CARD || ring[k].kind != GT_EV_LOST) continue;
      assert_int_equal(lost++, 0);
      EXPECT_VALUES({ring[k].a, CARD_BASE + 64}, {ring[k].b, 41}, {ring[k].c, cases[i].expects - 1});
    }
  }
}

/* Three words of the card's memory. A read returns the writes that have been round the ring, and knows of a
 * newer write still on its way. Beyond the tracked window nothing is known. */
TEST(reads_return_writes_that_were_round_the_ring) {
  round_engines();
  PARAMS("gt", gt)->tracked = 16;
  OPEN(nothing);
  session_run();
  sim *m = test_engine();
  uint32_t first[] = {1, 2, 3}, second[] = {5, 6}, back[6] = {90, 91, 92, 93, 94, 95};
  call_pci_target_take(m, BUS, PCI_PORT_SLOT + 1,
      &(struct pci_target_take){.address = CARD_BASE + 4, .bytes = 12, .writes = first});
  session_run();
  call_pci_target_take(m, BUS, PCI_PORT_SLOT + 1,
      &(struct pci_target_take){.address = CARD_BASE + 4, .bytes = 8, .writes = second});
  struct pci_target_give give = {.address = CARD_BASE, .bytes = 24, .writes = back};
  call_pci_target_give(m, BUS, PCI_PORT_SLOT + 1, &give);
  const struct sim_record *answer =
      (const struct sim_record *)sim_at(m, sim_refresh_header(m)->trace_at) + (m->seq - 1);
  EXPECT_VALUES({answer->kind, GT_EV_ANSWER}, {answer->a, CARD_BASE});
  assert_int_equal(answer->b, 0); /* for the first word; write 1 is that of the second */
  static const uint32_t shown[] = {0, 1, 2, 3, 94, 95};
  assert_memory_equal(back, shown, sizeof shown);
  EXPECT_VALUES({give.newest, 5}, {COUNTERS("gt", gt)->stale, 2});
  session_run();
  give = (struct pci_target_give){.address = CARD_BASE, .bytes = 12, .writes = back};
  call_pci_target_give(m, BUS, PCI_PORT_SLOT + 1, &give);
  EXPECT_VALUES({give.newest, 0}, {back[1], 5}, {back[2], 6}, {COUNTERS("gt", gt)->stale, 2});
}

/* A word becomes visible when its own write has been round the ring, not with an earlier one. */
TEST(each_word_becomes_visible_after_its_own_round) {
  round_engines();
  PARAMS("ring", ring)->nodes = 10, PARAMS("ring", ring)->node_latency = 10 * US,
                 PARAMS("gt", gt)->tracked = 4096;
  OPEN(nothing);
  session_run();
  sim *m = test_engine();
  m->time = 0;
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t write = 8 + i;
    sim_run(m, 50 * US * i, SIM_NEVER);
    m->time = 50 * US * i, m->cause = 0;
    call_pci_target_take(m, BUS, PCI_PORT_SLOT + 1,
        &(struct pci_target_take){.address = CARD_BASE + 16 * i, .bytes = 4, .writes = &write});
  }
  const struct shadow_word *words = shadow_word(m, &STATE_OF("gt", gt)->shadow, CARD_BASE);
  sim_run(m, 100 * US + 4 * NS - 1, SIM_NEVER);
  EXPECT_VALUES({words[0].write, 0}, {words[0].newest, 8});
  sim_run(m, 150 * US + 4 * NS - 1, SIM_NEVER);
  EXPECT_VALUES({words[0].write, 8}, {words[4].write, 0});
  session_run();
  assert_int_equal(words[4].write, 9);
  EXPECT_EVENTS(CARD, EVENT(0, ACCEPT, CARD_BASE, 8, 4, 0), EVENT(50000, ACCEPT, CARD_BASE + 16, 9, 4, 0),
      EVENT(100004, VISIBLE, CARD_BASE, 8, 0, ANY_CAUSE),
      EVENT(150004, VISIBLE, CARD_BASE + 16, 9, 0, ANY_CAUSE));
}

/*
 * A card with untracked memory accepts what the ring's queue holds, for any number of words under way, since
 * it keeps no entry for them. A card that tracks a single word keeps as many entries as one that tracks all:
 * 4096 plus the queue.
 */
TEST(an_untracked_card_keeps_no_entries) {
  for (uint32_t words = 0; words < 2; words++) {
    round_engines();
    PARAMS("ring", ring)->nodes = 10, PARAMS("ring", ring)->node_latency = 100 * US,
                   PARAMS("ring", ring)->queue = 128, PARAMS("gt", gt)->tracked = 4 * words;
    OPEN(nothing);
    session_run();
    sim *m = test_engine();
    uint32_t rows;
    checked_view(m, CARD, GT_VIEW_FLIGHT, &rows);
    assert_int_equal(rows, words * (4096 + 128 / 4));
    struct pci_begin q = {.address = CARD_BASE, .bytes = 64, .command = PCI_COMMAND_WRITE};
    assert_int_equal(call_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q), 64);
    assert_int_equal(q.ready, m->time);
  }
}

/* The credit of reads starts at time 0: the first read is answered after its latency, at time 0 and later. */
TEST(the_first_read_takes_its_latency) {
  round_numbers();
  OPEN(nothing);
  for (uint64_t i = 0; i < 4; i++) {
    struct pci_begin q = {.address = CARD_BASE, .bytes = 4, .command = PCI_COMMAND_READ};
    assert_int_equal(call_pci_begin(test_engine(), BUS, PCI_PORT_SLOT + 1, &q), 4);
    assert_int_equal(
        q.ready, (i < 2 ? 200 : 200 + 500 * (i - 1)) * NS); /* two ahead of their time, then one per 500 ns */
  }
}

/* Without a ring stores take effect at once, engines move words in both directions, and none of them
 * waits. */
TEST(a_card_without_a_ring_is_memory) {
  round_engines();
  machine_without("ring");
  OPEN(nothing);
  session_run();
  sim *m = test_engine();
  uint32_t rows, stored[] = {7, 8, 9, 10};
  checked_view(m, CARD, GT_VIEW_FLIGHT, &rows);
  assert_int_equal(rows, 0);
  struct pci_begin q = {.address = CARD_BASE, .bytes = 4096, .command = PCI_COMMAND_WRITE};
  assert_int_equal(call_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q), 4096);
  call_pci_target_take(m, BUS, PCI_PORT_SLOT + 1,
      &(struct pci_target_take){.address = CARD_BASE + 64, .bytes = 16, .writes = stored});
  const struct shadow_word *words = shadow_word(m, &STATE_OF("gt", gt)->shadow, CARD_BASE);
  for (uint32_t i = 0; i < 4; i++) {
    EXPECT_VALUES({words[16 + i].write, stored[i]}, {words[16 + i].newest, stored[i]});
  }
  begin(GT_ENGINE_READ, HOST, CARD_BASE + 64, 16);
  session_run();
  const struct shadow_word *host = shadow_word(m, &STATE_OF("memory", memory)->shadow, HOST);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(host[i].write, stored[i]);
  begin(GT_ENGINE_WRITE, HOST, CARD_BASE + 128, 16);
  session_run();
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(words[32 + i].write, stored[i]);
  EXPECT_VALUES({COUNTERS("gt", gt)->ring_wait, 0}, {COUNTERS("gt", gt)->stale, 0});
}

struct limit {
  const char *part;
  const char *type;
  uint32_t param;
  uint64_t good[4];
  uint64_t bad[4];
};

/* A bad parameter is refused with the part's name; the extreme valid ones are accepted. */
TEST(parameters_are_accepted_up_to_their_limits) {
  static const struct limit limits[] = {
      {"ring", "ring", RING_PARAM_NODES, {2, 256}, {0, 1, 257}},
      {"ring", "ring", RING_PARAM_RATE, {1000000}, {0, 999999}},
      {"ring", "ring", RING_PARAM_PAYLOAD, {4}, {0, 3}},
      {"ring", "ring", RING_PARAM_QUEUE, {128, 1 << 20}, {0, 127, (1 << 20) + 1}},
      {"ring", "ring", RING_PARAM_UPDATE_BYTES, {4, 8}, {0, 3, 6}},
      {"memory", "memory", MEMORY_PARAM_BANDWIDTH, {1000000}, {0, 999999}},
      {"memory", "memory", MEMORY_PARAM_TRACKED, {0, 16 << 20}, {(16 << 20) + 4}},
      {"bridge", "bridge", BRIDGE_PARAM_POSTS, {1, 64}, {0, 65}},
      {"bus", "pci", PCI_PARAM_CLOCK, {1000000, 1000000000}, {0, 999999, 1000000001}},
      {"bus", "pci", PCI_PARAM_WIDTH, {4, 8}, {0, 2, 16}},
      {"bus", "pci", PCI_PARAM_BLOCK, {8, 4096}, {0, 7, 4097}},
      {"peer", "peer", PEER_PARAM_BYTES, {4, 1 << 20}, {0, 6, (1 << 20) + 4}},
      {"peer", "peer", PEER_PARAM_BLOCKS, {UINT32_MAX}, {1ull << 32}},
      {"gt", "gt", GT_PARAM_BASE, {CARD_BASE + 4}, {CARD_BASE + 2}},
      {"gt", "gt", GT_PARAM_REGISTERS, {0xf0000100}, {0xf0000080}},
      {"gt", "gt", GT_PARAM_READ_LINE, {8, 4096}, {4, 24, 8192}},
      {"gt", "gt", GT_PARAM_TRACKED, {0, 16 << 20}, {(16 << 20) + 4}},
      {"gt", "gt", GT_PARAM_READ_CREDIT, {1}, {0}},
      {"driver", "gt_driver", GT_DRIVER_PARAM_PAGE, {512}, {0}},
  };
  for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct limit *l = &limits[i];
    for (uint32_t k = 0; k < 4; k++) {
      machine("gt-and-peer");
      uint64_t *params = machine_params(l->part, l->type);
      struct session s;
      if (k == 0 || l->good[k]) {
        params[l->param] = l->good[k];
        s = gt_session(ROWS(nothing));
        assert_int_equal(session_open(&s), SIM_OK);
      }
      if (k > 0 && !l->bad[k]) continue;
      params[l->param] = l->bad[k];
      s = gt_session(ROWS(nothing));
      assert_int_equal(session_open(&s), SIM_BAD_PARAM);
      assert_int_equal(sim_refresh_header(test_engine())->error_part, part_named(l->part));
      assert_int_equal(sim_refresh_header(test_engine())->error_detail, l->param);
    }
  }
}

/*
 * A ring of 1 ms keeps its words under way for long. Of the card's 4096 entries and those for a queue of 128
 * B, 2048 are for words under way to the card. So 32 + 2048 words are accepted at once, and the next when
 * the first word has been round.
 */
TEST(a_card_accepts_as_many_words_under_way_as_it_can_serialize) {
  round_engines();
  PARAMS("ring", ring)->nodes = 10, PARAMS("ring", ring)->node_latency = 100 * US,
                 PARAMS("ring", ring)->queue = 128;
  OPEN(nothing);
  session_run();
  sim *m = test_engine();
  static const uint32_t sent[] = {4096, 4096 - 4 + 128, 4}, free[] = {2080 - 1024, 1, 0};
  static uint32_t writes[1056];
  struct gt_counters *c = COUNTERS("gt", gt);
  struct pci_begin q = {.address = CARD_BASE, .bytes = 8192, .command = PCI_COMMAND_WRITE};
  assert_int_equal(call_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q), 128); /* no more than fit the queue */
  for (uint32_t i = 0; i < 3; i++) {
    m->time = 0;
    call_pci_target_take(m, BUS, PCI_PORT_SLOT + 1,
        &(struct pci_target_take){.address = CARD_BASE + 8192 * i, .bytes = sent[i], .writes = writes});
    m->time = 20 * US; /* the queue is empty by then */
    q = (struct pci_begin){.address = CARD_BASE, .bytes = 64, .command = PCI_COMMAND_WRITE};
    assert_int_equal(call_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q), free[i] > 16 ? 64 : 4);
    assert_int_equal(q.ready, free[i] ? 20 * US : 1000 * US + 4096 * NS);
    assert_int_equal(c->ring_wait, free[i] ? 0 : 1000 * US + 4096 * NS - 20 * US);
  }
  m->time = 1000 * US + 4096 * NS; /* round the ring, but not yet taken off it */
  q = (struct pci_begin){.address = CARD_BASE, .bytes = 64, .command = PCI_COMMAND_WRITE};
  call_pci_begin(m, BUS, PCI_PORT_SLOT + 1, &q);
  assert_int_equal(q.ready, m->time + 1);
  m->time = 20 * US, c->ring_wait = 0;
  begin(GT_ENGINE_WRITE, HOST, CARD_BASE, 8); /* the engine waits for the same */
  sim_run(m, 21 * US, SIM_NEVER);
  assert_int_equal(gt_engine_of(m, SIM_CONTEXT(m, CARD, gt), GT_ENGINE_WRITE)->state, GT_STATE_RING);
  assert_int_equal(c->ring_wait, 1000 * US + 4096 * NS - 21 * US);
  sim_run(m, 1000 * US + 4096 * NS, SIM_NEVER);
  assert_int_equal(gt_engine_of(m, SIM_CONTEXT(m, CARD, gt), GT_ENGINE_WRITE)->state, GT_STATE_DATA);
}
