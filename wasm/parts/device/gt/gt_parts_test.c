/* The parts around the GT card: memory, posting buffer, programmed I/O and other bus masters. Every expected
 * time is computed beside its test, from parameters chosen to give whole numbers. */
#include "test/gt_round.h"

TEST(other_nodes_rewrite_their_segments_in_turn) {
  round_numbers();
  PARAMS("ring", ring)->nodes = 4, PARAMS("ring", ring)->update_every = 10 * US,
                 PARAMS("ring", ring)->update_bytes = 8, PARAMS("ring", ring)->update_from = CARD_BASE + 64;
  OPEN(nothing);
  sim *m = test_engine();
  sim_run(m, 9999 * NS, SIM_NEVER);
  assert_int_equal(COUNTERS("ring", ring)->updates, 0);
  sim_run(m, 55 * US, SIM_NEVER); /* from nodes 1, 2, 3, 1, 2: this host is node 0 */
  EXPECT_VALUES({COUNTERS("ring", ring)->updates, 5}, {COUNTERS("gt", gt)->updates, 5});
  static const uint32_t writes[] = {0, 0, 4, 4, 5, 5, 3, 3, 0}; /* of segments 0 to 3 of two words each */
  for (uint32_t i = 0; i < 9; i++)
    assert_int_equal(shadow_word(m, &STATE_OF("gt", gt)->shadow, CARD_BASE + 64 + i * 4)->write, writes[i]);
}

TEST(memory_is_busy_during_transfers_but_not_during_latency) {
  machine("gt-and-peer");
  PARAMS("memory", memory)->latency = 100 * NS, PARAMS("memory", memory)->bandwidth = 1000000000; /* 1 B/ns */
  OPEN(nothing);
  sim *m = test_engine();
  static const struct {
    uint32_t kind, bytes;
    uint64_t from, answer;
  } steps[] = {{MEMORY_READ, 64, 0, 100 * NS}, /* transfers from 0 to 64 ns */
      {MEMORY_WRITE, 32, 10 * NS, 164 * NS},   /* from 64 to 96 ns */
      {MEMORY_READ, 32, 20 * NS, 196 * NS},    /* from 96 to 128 ns */
      {MEMORY_READ, 200, 500 * NS, 600 * NS}}; /* free by then */
  for (uint32_t i = 0; i < 4; i++) {
    struct memory_read q = {.address = 1ull << 30, .bytes = steps[i].bytes, .when = steps[i].from};
    if (steps[i].kind == MEMORY_READ) call_memory_read(m, BRIDGE, BRIDGE_PORT_MEMORY, &q);
    else call_memory_write(m, BRIDGE, BRIDGE_PORT_MEMORY, (struct memory_write *)&q); /* same layout */
    assert_int_equal(q.when, steps[i].answer);
  }
  struct memory_counters *c = COUNTERS("memory", memory);
  EXPECT_VALUES(
      {c->reads, 3}, {c->writes, 1}, {c->bytes_read, 296}, {c->bytes_written, 32}, {c->busy, 328 * NS});
}

/* 64 B at 1 B/ns, and at half of that once the rate is changed, although the size is the same. */
TEST(a_changed_bandwidth_applies_from_the_next_access) {
  machine("gt-and-peer");
  PARAMS("memory", memory)->bandwidth = 1000000000;
  OPEN(nothing);
  sim *m = test_engine();
  for (uint32_t i = 0; i < 4; i++) {
    if (i == 2)
      assert_int_equal(
          sim_command(m, MEMORY, (uint32_t)(offsetof(struct memory_params, bandwidth) / 8), 500000000),
          SIM_OK);
    call_memory_read(m, BRIDGE, BRIDGE_PORT_MEMORY,
        &(struct memory_read){.address = 1ull << 30, .bytes = 64, .when = i * US});
    assert_int_equal(STATE_OF("memory", memory)->free_at, i * US + (i < 2 ? 64 : 128) * NS);
  }
}

/*
 * Four stores and a posting buffer of two entries. The line with their data arrives from memory after 100
 * ns; then each store takes the processor 5 ns. A write on the bus takes 30 ns, for address, decode and one
 * clock of data, then an idle clock. The card stores a word every 100 ns and takes another
 * meanwhile, so the data phases end at 130, 170, 230 and 330 ns, and free one entry each.
 */
TEST(stores_wait_for_a_free_entry_of_the_posting_buffer) {
  round_numbers();
  PARAMS("memory", memory)->latency = 100 * NS;
  static const uint64_t program[] = {ROW(LAP, 0, 0, 0, 0, 0, 0), ROW(PIO_WRITE, HOST, CARD_BASE, 16, 0, 0, 0),
      ROW(LAP_END, 0, 0, 0, 0, 0, 0), END_ROW};
  OPEN(program);
  sim_run(test_engine(), 330 * NS - 1, SIM_NEVER);
  assert_int_equal(COUNTERS("gt", gt)->pio_writes, 3);
  sim_run(test_engine(), 330 * NS, SIM_NEVER);
  EXPECT_VALUES({COUNTERS("gt", gt)->pio_writes, 4}, {COUNTERS("bridge", bridge)->posted, 4},
      {COUNTERS("bridge", bridge)->fullest, 2});
  /*
   * Stores 1 and 2 at 100 and 105 ns fill the buffer; 3 enters at 130 ns, when the first has left; 4 at 170
   * ns, when the second has. The processor continues when an entry is free again, at 230 ns. The buffer is
   * full from 105 to 230 ns.
   */
  EXPECT_VALUES({COUNTERS("cpu", processor)->laps, 1}, {COUNTERS("cpu", processor)->lap_time, 230 * NS},
      {COUNTERS("bridge", bridge)->full_time, (230 - 105) * NS});
  EXPECT_EVENTS(BRIDGE,
      {0, BRIDGE_EV_FILL, HOST, (uint32_t)PARAMS("cpu", processor)->line, 0,
          BECAUSE(CPU, PROCESSOR_EV_STATE)},
      {100 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_POSTING, 0, STORED},
      {330 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_EMPTY, 0, OF_CARD(ACCEPT)});
  EXPECT_EVENTS(BUS, WRITES(100, 130, 0), WRITES(140, 170, 4), WRITES(180, 230, 8), WRITES(240, 330, 12));
  EXPECT_EVENTS(CARD, EVENT(130, ACCEPT, CARD_BASE, 1, 4, BUS_STARTS),
      EVENT(170, ACCEPT, CARD_BASE + 4, 2, 4, BUS_STARTS),
      EVENT(230, ACCEPT, CARD_BASE + 8, 3, 4, BUS_STARTS),
      EVENT(330, ACCEPT, CARD_BASE + 12, 4, 4, BUS_STARTS));
}

/*
 * A buffer of one entry, which the bus empties 30 ns after a store, and a processor that takes 1000 ns per
 * store: it always finds the entry free. The line with their data arrives after 100 ns, and four stores take
 * until 4100 ns, no less because the entry is free early. With an entry for each store the processor never
 * stalls.
 */
TEST(an_entry_freed_early_shortens_no_store) {
  for (uint32_t places = 1; places <= 8; places += 7) {
    round_numbers();
    PARAMS("memory", memory)->latency = 100 * NS;
    PARAMS("cpu", processor)->store_time = 1000 * NS;
    PARAMS("bridge", bridge)->posts = places;
    static const uint64_t program[] = {ROW(LAP, 0, 0, 0, 0, 0, 0),
        ROW(PIO_WRITE, HOST, CARD_BASE, 16, 0, 0, 0), ROW(LAP_END, 0, 0, 0, 0, 0, 0), END_ROW};
    OPEN(program);
    session_run();
    const struct processor_counters *c = COUNTERS("cpu", processor);
    EXPECT_VALUES({c->lap_time, 4100 * NS}, {c->in_store + c->in_stall, 4000 * NS});
    if (places == 8) assert_int_equal(c->in_stall, 0);
    EXPECT_EVENTS(
        BUS, WRITES(100, 130, 0), WRITES(1100, 1130, 4), WRITES(2100, 2130, 8), WRITES(3100, 3130, 12));
  }
}

/*
 * A read of a word: 7 ns of the processor, 30 ns through the bridge, then the bus. Address and
 * decode, which hides the turn-around, take 20 ns, but the card answers 200 ns after the address. Another 30
 * ns back through the bridge.
 */
TEST(a_read_takes_the_bridge_twice_and_the_card_once) {
  round_numbers();
  static const uint64_t program[] = {ROW(LAP, 0, 0, 0, 0, 0, 0), ROW(PIO_READ, CARD_BASE, HOST, 4, 0, 0, 0),
      ROW(LAP_END, 0, 0, 0, 0, 0, 0), END_ROW};
  OPEN(program);
  session_run();
  assert_int_equal(COUNTERS("cpu", processor)->lap_time, (7 + 30 + 200 + 30) * NS);
  PARAMS("gt", gt)->read_latency = 20 * NS; /* faster than the bus: two clocks, and one of data */
  OPEN(program);
  session_run();
  assert_int_equal(COUNTERS("cpu", processor)->lap_time, (7 + 30 + 30 + 30) * NS);
  assert_int_equal(COUNTERS("bridge", bridge)->reads, 1);
  EXPECT_EVENTS(BRIDGE, {7 * NS, BRIDGE_EV_READ, CARD_BASE, 4, 0, BECAUSE(CPU, PROCESSOR_EV_LOAD)});
  EXPECT_EVENTS(BUS, {37 * NS, PCI_EV_START, CARD_BASE, PCI_COMMAND_READ, 0, BECAUSE(BRIDGE, BRIDGE_EV_READ)},
      {67 * NS, PCI_EV_END, CARD_BASE, 4, 0, OF_CARD(ANSWER)});
  EXPECT_EVENTS(CARD, EVENT(67, ANSWER, CARD_BASE, 0, 0, BUS_STARTS));
}

/* One read takes 267 ns, and the card sustains one per 500 ns. Reads reach the card at 37, 304, 571 ns ...,
 * but the nth not before 37 + 500 (n - 2): one ahead of its time. Its data then waits for the end of a clock
 * of 10 ns from its address: 1 ns for the fourth, 8 and 5 ns for the next two. */
TEST(reads_exceed_the_sustained_rate_by_their_credit) {
  round_numbers();
  for (uint64_t reads = 1; reads <= 6; reads++) {
    const uint64_t program[] = {ROW(LAP, 0, 0, 0, 0, 0, 0),
        ROW(PIO_READ, CARD_BASE, HOST, reads * 4, 0, 0, 0), ROW(LAP_END, 0, 0, 0, 0, 0, 0), END_ROW};
    OPEN(program);
    session_run();
    static const uint64_t last[] = {0, 37, 304, 571, 1037 + 1, 1537 + 8, 2037 + 5};
    assert_int_equal(COUNTERS("cpu", processor)->lap_time, (last[reads] + 200 + 30) * NS);
  }
}

/* Blocks of 64 B, each requested 10 us after the one before: 2 clocks and 16 words, 180 ns on the bus. */
TEST(another_master_moves_blocks_at_its_own_rate) {
  round_numbers();
  PARAMS("peer", peer)->delay = 5 * US, PARAMS("peer", peer)->every = 10 * US,
                 PARAMS("peer", peer)->blocks = 3, PARAMS("peer", peer)->bytes = 64,
                 PARAMS("peer", peer)->address = HOST;
  OPEN(nothing);
  session_run();
  struct peer_counters *c = COUNTERS("peer", peer);
  EXPECT_VALUES({c->blocks, 3}, {c->bytes, 192}, {c->block_time, 3 * 180 * NS},
      {c->last_end, 25 * US + 180 * NS}, {COUNTERS("cpu", processor)->interrupts, 3},
      {COUNTERS("bridge", bridge)->device_writes, 192});
  const struct shadow_word *words = shadow_word(test_engine(), &STATE_OF("memory", memory)->shadow, HOST);
  for (uint32_t i = 0; i < 16; i++) assert_int_equal(words[i].write, 33 + i); /* writes of the third block */
  assert_int_equal(words[16].write, 0);
  PARAMS("peer", peer)->every = 0; /* back to back, with an idle clock of the bus between blocks */
  OPEN(nothing);
  session_run();
  assert_int_equal(c->last_end, 5 * US + (3 * 180 + 2 * 10) * NS);
}

TEST(writes_of_another_master_invalidate_cached_lines) {
  round_numbers();
  PARAMS("peer", peer)->delay = 50 * US, PARAMS("peer", peer)->blocks = 1, PARAMS("peer", peer)->bytes = 256,
                 PARAMS("peer", peer)->address = HOST;
  static const uint64_t program[] = {ROW(COPY_WRITE, HOST, HOST + 0x4000, 1024, 0, 0, 0), END_ROW};
  OPEN(program);
  session_run();
  assert_int_equal(COUNTERS("bridge", bridge)->lines_dropped, 256 / PARAMS("cache", cache)->line);
  assert_int_equal(COUNTERS("cache", cache)->invalidated, 256 / PARAMS("cache", cache)->line);
}

TEST(space_is_notified_after_the_processor_s_own_store) {
  for (uint64_t late = 0; late < 2; late++) {
    round_numbers();
    OPEN(nothing);
    session_run();
    sim *m = test_engine();
    uint64_t now = m->time, notified;
    bridge_cpu_notify_space(m, SIM_CONTEXT(m, BRIDGE, bridge), 0,
        &(struct front_notify_space){.after = late ? now + 70 * NS : now / 2});
    assert_int_equal(test_message_for(CPU, &notified)->port, PROCESSOR_PORT_FRONT);
    EXPECT_VALUES({notified, now + late * 70 * NS}, {STATE_OF("bridge", bridge)->awaiting, 0});
  }
}
