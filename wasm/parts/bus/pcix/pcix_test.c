/* Split reads on PCI-X: data, order, tags and times. A storage adapter reads and a network card receives. */
#include "test/programs.h"

#define NS 1000ull
#define AT 0x100000ull
#define LINE 128ull

/*
 * One line. Address, attributes and two clocks of response take 4 clocks of 8 ns, so the read is split after
 * 32 ns. The request of 8 B takes 16 on the rope, memory 110, and the line with its 8 B header 272. The
 * completion begins on arrival; the bus is free 16 ns after the split. It takes 32 before its data and
 * 16 clocks of data. The other side has it 12.8 ns later.
 */
TEST(a_line_is_requested_once_and_completed_by_the_bridge) {
  machine("pcix-cards");
  PARAMS("first", peer)->bytes = LINE;
  machine_run();
  EXPECT_VALUES({COUNTERS("first", peer)->last_end, (16 + 110 + 272 + 32 + 128) * NS + 12800},
      {COUNTERS("bus", pcix)->splits, 1}, {COUNTERS("bus", pcix)->completions, 1},
      {COUNTERS("bus", pcix)->retries, 0}, {COUNTERS("bus", pcix)->bytes, LINE},
      {COUNTERS("bus", pcix)->busy, (32 + 32 + 128) * NS},
      {record_after(part_named("bus"), PCIX_EV_SPLIT, 0)->time, 32 * NS});
}

/* A read of one word is not split but retried; any longer read is split. */
TEST(words_are_not_split) {
  for (uint64_t bytes = 4; bytes <= 8; bytes += 4) {
    machine("pcix-cards");
    PARAMS("first", peer)->bytes = bytes;
    machine_run();
    EXPECT_VALUES({COUNTERS("first", peer)->bytes, bytes}, {COUNTERS("bus", pcix)->splits, bytes > 4},
        {COUNTERS("bus", pcix)->completions, bytes > 4});
  }
}

/* A block arrives complete for any size, offset and number of outstanding reads; nothing beyond the requested
 * bytes is fetched. */
TEST(only_requested_bytes_are_fetched) {
  for (uint64_t offset = 0; offset < 256; offset += 60)
    for (uint64_t bytes = 8; bytes < 12000; bytes = bytes * 3 + 4)
      for (uint64_t outstanding = 1; outstanding <= 32; outstanding *= 4) {
        machine("pcix-cards");
        PARAMS("first", peer)->address = AT + offset, PARAMS("first", peer)->bytes = bytes,
                        PARAMS("first", peer)->burst = 512, PARAMS("first", peer)->outstanding = outstanding;
        PARAMS("second", peer)->blocks = 2, PARAMS("second", peer)->bytes = 4096;
        PARAMS("lba", lba)->lines = outstanding == 4 ? 1 : 16,
                      PARAMS("lba", lba)->splits = outstanding == 16 ? 2 : 8;
        machine_run();
        EXPECT_VALUES({COUNTERS("first", peer)->bytes, bytes}, {COUNTERS("first", peer)->blocks, 1},
            {COUNTERS("second", peer)->bytes, 8192}, {COUNTERS("lba", lba)->bytes_out, bytes + 8192},
            {COUNTERS("lba", lba)->wasted, 0}, {COUNTERS("bus", pcix)->bytes, bytes + 8192});
        const struct lba_splits *left = sim_at(test_engine(), STATE_OF("lba", lba)->splits_at);
        for (uint32_t i = 0; i < PARAMS("lba", lba)->splits; i++) assert_int_equal(left[i].end, 0);
        for (uint32_t tag = 0; tag < PARAMS("bus", pcix)->tags; tag++)
          assert_int_equal(pcix_tag_at(test_engine(), CONTEXT_OF("bus", pcix), tag)->left, 0);
      }
}

/* A read is retried while no tag is free or the bridge has no free entry for split reads. */
TEST(tags_and_bridge_entries_are_limited) {
  for (uint64_t limit = 1; limit <= 2; limit++)
    for (uint32_t who = 0; who < 2; who++) {
      machine("pcix-cards");
      PARAMS("first", peer)->bytes = 8192, PARAMS("first", peer)->burst = 256,
                      PARAMS("first", peer)->outstanding = 32;
      if (who) PARAMS("bus", pcix)->tags = limit;
      else PARAMS("lba", lba)->splits = limit;
      machine_run();
      EXPECT_VALUES({COUNTERS("first", peer)->bytes, 8192}, {COUNTERS("bus", pcix)->splits, 32});
      assert_true(COUNTERS("bus", pcix)->retries > 0);
    }
}

/* Preemption ends a burst only at a boundary of 128 B, even when the latency timer has expired. */
TEST(bursts_end_at_boundaries) {
  machine("pcix-cards");
  PARAMS("bus", pcix)->latency_timer = 0;
  PARAMS("first", peer)->direction = PARAMS("second", peer)->direction = PEER_DIRECTION_WRITE;
  PARAMS("first", peer)->address = AT + 60, PARAMS("first", peer)->bytes = 2048,
                  PARAMS("second", peer)->bytes = 2048, PARAMS("second", peer)->blocks = 1;
  machine_run();
  assert_true(COUNTERS("bus", pcix)->preempted > 4);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at),
                          *end = NULL;
  uint32_t broken = 0;
  while ((end = record_after(part_named("bus"), PCIX_EV_PREEMPTED, end ? (uint32_t)(end - ring) + 1 : 0))) {
    broken++;
    assert_int_equal((end->a + end->b) % LINE, 0);
  }
  assert_int_equal(broken, COUNTERS("bus", pcix)->preempted);
  const struct shadow_word *words = sim_at(test_engine(), STATE_OF("memory", memory)->shadow.at);
  for (uint32_t word = 15; word < 15 + 512; word++) assert_int_not_equal(words[word].write, 0);
  EXPECT_VALUES({words[14].write, 0}, {words[15 + 512].write, 0});
  PARAMS("bus", pcix)->latency_timer = 255; /* longer than any of these bursts: no preemption */
  machine_run();
  assert_int_equal(COUNTERS("bus", pcix)->preempted, 0);
}

/* Completions stay behind stores that came down the rope earlier, unless the relaxed-ordering hint lets them
 * pass. None is lost. */
TEST(completions_serialize_behind_stores) {
  uint32_t blocked = 0, overtook = 0;
  for (uint32_t relaxed = 0; relaxed < 2; relaxed++)
    for (uint64_t when = 0; when < 1500; when += 10) {
      machine("pcix-cards");
      const uint64_t program[] = {SPEND(when * NS + 1),
          ROW(IO_STORE, 0, PARAMS("lan", lan_card)->registers, 4, 4, 0, 0, 0),
          ROW(IO_STORE, 0, PARAMS("lan", lan_card)->registers, 4, 4, 0, 0, 0),
          ROW(IO_STORE, 0, PARAMS("lan", lan_card)->registers, 4, 4, 0, 0, 0), END};
      machine_rows("cpu", 0, ROWS(program));
      PARAMS("bus", pcix)->clock =
          33333333; /* three stores occupy the bus for longer than a line takes on the rope */
      PARAMS("lba", lba)->mrm_consistent_relaxed = relaxed;
      PARAMS("first", peer)->bytes = 1024;
      machine_run();
      EXPECT_VALUES({COUNTERS("lba", lba)->fetched, 8}, {COUNTERS("lba", lba)->bytes_out, 1024},
          {COUNTERS("lba", lba)->stores, 3},
          {relaxed ? COUNTERS("lba", lba)->blocked : COUNTERS("lba", lba)->overtook, 0});
      blocked += (uint32_t)COUNTERS("lba", lba)->blocked,
          overtook += (uint32_t)COUNTERS("lba", lba)->overtook;
    }
  assert_true(blocked > 0 && overtook > 0);
}

/* A receiving card drops packets for which it has no buffer and writes the others to memory. The host's time
 * per packet limits the rate. */
TEST(a_card_receives_as_fast_as_its_host_works) {
  for (uint64_t host = 1; host <= 20; host += 19) {
    machine("pcix-cards");
    PARAMS("first", peer)->blocks = 0;
    PARAMS("lan", lan_card)->receives = 1, PARAMS("lan", lan_card)->bytes = 1024,
                  PARAMS("lan", lan_card)->ring = 4, PARAMS("lan", lan_card)->host_time = host * 1000 * NS,
                  PARAMS("lan", lan_card)->work = 0, PARAMS("lan", lan_card)->buffers = AT,
                  PARAMS("lan", lan_card)->descriptors = AT + 32768;
    assert_int_equal(session_open(machine_session()), SIM_OK);
    sim_run(test_engine(), 1000000 * NS, UINT64_MAX);
    const struct lan_card_counters *c = COUNTERS("lan", lan_card);
    /* A packet takes 8.72 us on the wire: 114 in a millisecond. The slow host handles 50, plus the four
     * buffers that it provides at the start. */
    if (host == 1) assert_in_range(c->packets, 112, 114);
    else assert_in_range(c->packets, 50, 54);
    if (host == 1) assert_int_equal(c->dropped, 0);
    assert_int_equal(c->bytes, c->packets * 1024);
    const struct shadow_word *words = sim_at(test_engine(), STATE_OF("memory", memory)->shadow.at);
    for (uint32_t place = 0; place < 4; place++) assert_int_not_equal(words[place * 512 + 255].write, 0);
  }
}

TEST(memory_that_runs_out_is_an_error) {
  machine("pcix-cards");
  assert_true(session_without_memory(machine_session()) > 20);
}

/* The state codec covers requests, the last owner, the tags in use and, unless the bus is idle, the
 * transaction. */
TEST(bus_state_is_serialized) {
  machine("pcix-cards");
  PARAMS("first", peer)->blocks = 0;
  machine_run();
  sim *m = test_engine();
  struct pcix_state *s = SIM_STATE(m, part_named("bus"), pcix);
  struct pcix_now *now = pcix_view(m, SIM_CONTEXT(m, part_named("bus"), pcix));
  const uint32_t tags = (uint32_t)SIM_PARAMS(m, part_named("bus"), pcix)->tags;
  pcix_tag *first = pcix_tag_at(m, SIM_CONTEXT(m, part_named("bus"), pcix), 0),
           *last = pcix_tag_at(m, SIM_CONTEXT(m, part_named("bus"), pcix), tags - 1);
  assert_int_equal(now->state, PCIX_STATE_IDLE);
  KEEPS(part_named("bus"), &now->state, &now->requests, &now->last, &s->starting, &first->left, &last->left);
  KEEPS_NOT(part_named("bus"), &now->master, &now->bytes, &now->moved, &now->tag, &s->accepted, &now->target,
      &now->addr, &first->master, &first->addr, &last->master, &last->addr);
  now->state = PCIX_STATE_IDLE + 1, first->left = 128, last->left = 64;
  KEEPS(
      part_named("bus"), &first->left, &first->master, &first->addr, &last->left, &last->master, &last->addr);
  KEEPS(part_named("bus"), &now->state, &now->requests, &now->last, &s->starting, &now->master, &now->bytes,
      &now->moved, &now->tag, &s->accepted, &now->target, &now->addr);
}
