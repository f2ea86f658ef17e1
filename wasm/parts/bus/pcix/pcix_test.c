/* Split reads on PCI-X: data, order, tags and times, with a storage adapter that reads and a network card that receives. */
#include "test/pcix_machine.h"

/*
 * One line. Address, attributes and two clocks of response at 8 ns: the read is split after 32. The request of 8 B takes the
 * rope 16, memory 110, the line and its 8 B 272; the completion begins then, or when the bus is free, 16 after the split:
 * 32 before its data, and 16 clocks of data.
 */
static void a_line_is_asked_for_once_and_comes_by_itself(void **state) {
  (void)state;
  struct x_machine g = x_defaults();
  g.peer.bytes = LINE;
  x_run(&g);
  assert_int_equal(HP_COUNTERS(X_PEER, peer)->last_end, (16 + 110 + 272 + 32 + 128) * NS);
  assert_int_equal(BUS_SAID(splits), 1);
  assert_int_equal(BUS_SAID(completions), 1);
  assert_int_equal(BUS_SAID(retries), 0);
  assert_int_equal(BUS_SAID(bytes), LINE);
  assert_int_equal(BUS_SAID(busy), (32 + 32 + 128) * NS);
  assert_int_equal(hp_record(X_BUS, PCIX_EV_SPLIT, 0)->time, 32 * NS);
}

/* Words are read at once, from where they are or after a retry; anything longer is split. */
static void words_are_not_split(void **state) {
  (void)state;
  for (uint64_t bytes = 4; bytes <= 8; bytes += 4) {
    struct x_machine g = x_defaults();
    g.peer.bytes = bytes;
    x_run(&g);
    assert_int_equal(HP_COUNTERS(X_PEER, peer)->bytes, bytes);
    assert_int_equal(BUS_SAID(splits), bytes > 4);
    assert_int_equal(BUS_SAID(completions), bytes > 4);
  }
}

/* Whatever its size, start and number under way, a block arrives whole; what was not named is not fetched. */
static void what_is_named_is_fetched_and_no_more(void **state) {
  (void)state;
  for (uint64_t offset = 0; offset < 256; offset += 60)
    for (uint64_t bytes = 8; bytes < 12000; bytes = bytes * 3 + 4)
      for (uint64_t outstanding = 1; outstanding <= 32; outstanding *= 4) {
        struct x_machine g = x_defaults();
        g.peer.address = AT + offset, g.peer.bytes = bytes, g.peer.burst = 512, g.peer.outstanding = outstanding;
        g.second.blocks = 2, g.second.bytes = 4096;
        g.lba.lines = outstanding == 4 ? 1 : 16, g.lba.splits = outstanding == 16 ? 2 : 8;
        x_run(&g);
        assert_int_equal(HP_COUNTERS(X_PEER, peer)->bytes, bytes);
        assert_int_equal(HP_COUNTERS(X_PEER, peer)->blocks, 1);
        assert_int_equal(HP_COUNTERS(X_SECOND, peer)->bytes, 8192);
        assert_int_equal(BRIDGE_SAID(bytes_out), bytes + 8192);
        assert_int_equal(BRIDGE_SAID(wasted), 0);
        assert_int_equal(BUS_SAID(bytes), bytes + 8192);
        const struct lba_splits *left = sim_at(test_engine(), SIM_STATE(test_engine(), X_LBA, lba)->splits_at);
        for (uint32_t i = 0; i < g.lba.splits; i++) assert_int_equal(left[i].end, 0);
        for (uint32_t tag = 0; tag < g.bus.tags; tag++) assert_int_equal(pcix_tag_at(test_engine(), SIM_STATE(test_engine(), X_BUS, pcix), tag)->left, 0);
      }
}

/* A read without a tag, or for which the bridge has no place, comes again. */
static void tags_and_places_are_limited(void **state) {
  (void)state;
  for (uint64_t limit = 1; limit <= 2; limit++)
    for (uint32_t who = 0; who < 2; who++) {
      struct x_machine g = x_defaults();
      g.peer.bytes = 8192, g.peer.burst = 256, g.peer.outstanding = 32;
      if (who) g.bus.tags = limit;
      else g.lba.splits = limit;
      x_run(&g);
      assert_int_equal(HP_COUNTERS(X_PEER, peer)->bytes, 8192);
      assert_int_equal(BUS_SAID(splits), 32);
      assert_true(BUS_SAID(retries) > 0);
    }
}

/* Bursts end at boundaries of 128 B only, also when another master waits and the latency timer has run out. */
static void bursts_end_at_boundaries(void **state) {
  (void)state;
  struct x_machine g = x_defaults();
  g.bus.latency_timer = 0;
  g.peer.direction = g.second.direction = PEER_DIRECTION_WRITE;
  g.peer.address = AT + 60, g.peer.bytes = 2048, g.second.bytes = 2048, g.second.blocks = 1;
  x_run(&g);
  assert_true(BUS_SAID(preempted) > 4);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at), *end = NULL;
  uint32_t broken = 0;
  while ((end = hp_record(X_BUS, PCIX_EV_PREEMPTED, end ? (uint32_t)(end - ring) + 1 : 0))) {
    broken++;
    assert_int_equal((end->a + end->b) % LINE, 0);
  }
  assert_int_equal(broken, BUS_SAID(preempted));
  const struct shadow_word *words = sim_at(test_engine(), SIM_STATE(test_engine(), X_MEMORY, memory)->ledger.at);
  for (uint32_t word = 15; word < 15 + 512; word++) assert_int_not_equal(words[word].write, 0);
  assert_int_equal(words[14].write, 0);
  assert_int_equal(words[15 + 512].write, 0);
  g.bus.latency_timer = 255; /* longer than any of these bursts: nobody has to let go */
  x_run(&g);
  assert_int_equal(BUS_SAID(preempted), 0);
}

/* Completions wait behind stores that came down the rope before, unless the hint lets them pass; nothing is dropped. */
static void completions_serialize_behind_stores(void **state) {
  (void)state;
  uint32_t blocked = 0, overtook = 0;
  for (uint32_t relaxed = 0; relaxed < 2; relaxed++)
    for (uint64_t when = 0; when < 1500; when += 10) {
      struct x_machine g = x_defaults();
      const uint64_t program[] = {SPEND(when * NS + 1), ROW(IO_STORE, 0, g.lan.registers, 4, 4, 0, 0, 0), ROW(IO_STORE, 0, g.lan.registers, 4, 4, 0, 0, 0), ROW(IO_STORE, 0, g.lan.registers, 4, 4, 0, 0, 0), END};
      g.program = PROGRAM(program);
      g.bus.clock = 33333333; /* three stores are on the bus for longer than a line takes on the rope */
      g.lba.mrm_consistent_relaxed = relaxed;
      g.peer.bytes = 1024;
      x_run(&g);
      assert_int_equal(BRIDGE_SAID(fetched), 8);
      assert_int_equal(BRIDGE_SAID(bytes_out), 1024);
      assert_int_equal(BRIDGE_SAID(stores), 3);
      assert_int_equal(relaxed ? BRIDGE_SAID(blocked) : BRIDGE_SAID(overtook), 0);
      blocked += (uint32_t)BRIDGE_SAID(blocked), overtook += (uint32_t)BRIDGE_SAID(overtook);
    }
  assert_true(blocked > 0 && overtook > 0);
}

/* A receiving card drops what finds no room, and puts the rest into memory; the host's time for each sets the pace. */
static void a_card_receives_as_fast_as_its_host_works(void **state) {
  (void)state;
  for (uint64_t host = 1; host <= 20; host += 19) {
    struct x_machine g = x_defaults();
    g.peer.blocks = 0;
    g.lan.receives = 1, g.lan.bytes = 1024, g.lan.ring = 4, g.lan.host_time = host * 1000 * NS, g.lan.work = 0, g.lan.buffers = AT, g.lan.descriptors = AT + 32768;
    assert_int_equal(session_open(x_session(&g)), SIM_OK);
    sim_run(test_engine(), 1000000 * NS, UINT64_MAX);
    const struct lan_card_counters *c = HP_COUNTERS(X_LAN, lan_card);
    /* A packet is on the wire for 8.72 us: 114 in a millisecond. A slow host takes 50, and lends four buffers at first. */
    if (host == 1) assert_in_range(c->packets, 112, 114);
    else assert_in_range(c->packets, 50, 54);
    if (host == 1) assert_int_equal(c->dropped, 0);
    assert_int_equal(c->bytes, c->packets * 1024);
    const struct shadow_word *words = sim_at(test_engine(), SIM_STATE(test_engine(), X_MEMORY, memory)->ledger.at);
    for (uint32_t place = 0; place < 4; place++) assert_int_not_equal(words[place * 512 + 255].write, 0);
  }
}

static void memory_that_runs_out_is_an_error(void **state) {
  (void)state;
  struct x_machine g = x_defaults();
  assert_true(session_without_memory(x_session(&g)) > 20);
}

static void a_word_is_said_as_a_word_and_more_as_a_block(void **state) {
  (void)state;
  static const struct { uint32_t command, bytes, said; } cases[] = {
      {PCI_COMMAND_READ, 4, PCIX_COMMAND_READ}, {PCI_COMMAND_READ, 5, PCIX_COMMAND_READ_BLOCK}, {PCI_COMMAND_READ_MULTIPLE, 1, PCIX_COMMAND_READ}, {PCI_COMMAND_READ_MULTIPLE, 4096, PCIX_COMMAND_READ_BLOCK},
      {PCI_COMMAND_WRITE, 4, PCIX_COMMAND_WRITE}, {PCI_COMMAND_WRITE, 8, PCIX_COMMAND_WRITE_BLOCK}, {PCI_COMMAND_COMPLETION, 4, PCIX_COMMAND_COMPLETION}, {PCI_COMMAND_COMPLETION, 128, PCIX_COMMAND_COMPLETION}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_int_equal(pcix_command(&(struct pci_grant){.command = cases[i].command, .bytes = cases[i].bytes}), cases[i].said);
}

/* Who asks and who had the bus; of tags those that are in use; what is on the bus while something is. */
static void what_is_on_the_bus_is_kept(void **state) {
  (void)state;
  struct x_machine g = x_defaults();
  g.peer.blocks = 0;
  x_run(&g);
  sim *m = test_engine();
  struct pcix_state *s = SIM_STATE(m, X_BUS, pcix);
  struct pcix_now *now = pcix_view(m, s);
  const uint32_t tags = (uint32_t)SIM_PARAMS(m, X_BUS, pcix)->tags;
  pcix_tag *first = pcix_tag_at(m, s, 0), *last = pcix_tag_at(m, s, tags - 1);
  assert_int_equal(now->state, PCIX_STATE_IDLE);
  KEEPS(X_BUS, &now->state, &now->requests, &now->last, &s->starting, &first->left, &last->left);
  KEEPS_NOT(X_BUS, &now->master, &now->bytes, &now->moved, &now->tag, &s->accepted, &now->target, &now->addr, &first->master, &first->addr, &last->master, &last->addr);
  now->state = PCIX_STATE_IDLE + 1, first->left = 128, last->left = 64;
  KEEPS(X_BUS, &first->left, &first->master, &first->addr, &last->left, &last->master, &last->addr);
  KEEPS(X_BUS, &now->state, &now->requests, &now->last, &s->starting, &now->master, &now->bytes, &now->moved, &now->tag, &s->accepted, &now->target, &now->addr);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_on_the_bus_is_kept),
      cmocka_unit_test(a_line_is_asked_for_once_and_comes_by_itself),
      cmocka_unit_test(words_are_not_split),
      cmocka_unit_test(what_is_named_is_fetched_and_no_more),
      cmocka_unit_test(tags_and_places_are_limited),
      cmocka_unit_test(bursts_end_at_boundaries),
      cmocka_unit_test(completions_serialize_behind_stores),
      cmocka_unit_test(a_card_receives_as_fast_as_its_host_works),
      cmocka_unit_test(memory_that_runs_out_is_an_error),
      cmocka_unit_test(a_word_is_said_as_a_word_and_more_as_a_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
