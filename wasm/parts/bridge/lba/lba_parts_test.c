/* Unit tests of the local bus adapter: hints, buffers and data, with times computed by hand. */
#include "test/lba.h"

static void assert_line(uint32_t place, uint64_t address, uint32_t state) {
  const lba_line *l = lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), place);
  assert_int_equal(l->addr, address);
  assert_int_equal(l->state, state);
}

/* Each read command has its own hints for consistent and for streaming memory: prefetch depth, the block that
 * limits it, and ordering. */
static void each_command_uses_its_own_hints(void **state) {
  (void)state;
  static const uint32_t commands[] = {PCI_COMMAND_READ, PCI_COMMAND_READ_LINE, PCI_COMMAND_READ_MULTIPLE};
  for (uint32_t own = 0; own < 6; own++)
    for (uint32_t relaxed = 0; relaxed < 2; relaxed++) {
      quiet_rope();
      uint64_t *hints = &PARAMS("lba0", lba)->mr_consistent_depth,
               base =
                   own % 2 ? PARAMS("lba0", lba)->streaming_from : PARAMS("lba0", lba)->streaming_from - 4096;
      for (uint32_t i = 0; i < 6; i++)
        hints[4 * i] = i == own ? 2 : 1, hints[4 * i + 1] = i == own ? 512 : 1024,
                  hints[4 * i + 2] = (i == own) == relaxed;
      machine_run();
      ENGINE->cause = 0;
      begins(base, 4, commands[own / 2]);
      begins(base + 512 + 256, 4,
          commands[own / 2]); /* two lines before the end of a block, where the other hints would continue */
      static const uint32_t line[] = {0, 1, 2, 6, 7};
      for (uint32_t i = 0; i < 5; i++) {
        assert_line(i, base + line[i] * LINE, LBA_LINE_ASKED);
        assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i)->relaxed, relaxed);
        assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i)->bytes, LINE);
      }
      assert_line(5, 0, LBA_LINE_EMPTY);
      assert_int_equal(COUNT(fetched), 5);
      assert_int_equal(COUNT(delayed), 2);
      assert_events(LBA_PART,
          (const struct expected_event[]){{0, LBA_EV_DELAYED, base, 4, 2, 0},
              {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, CAUSED_BY_ADAPTER(DELAYED)},
              {0, LBA_EV_DELAYED, base + 768, 4, 1, CAUSED_BY_ADAPTER(DELAYED)}},
          3);
    }
}

/* The last line of consistent memory and the first of streaming memory use different hints. */
static void streaming_memory_begins_at_its_parameter(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->mrm_streaming_depth = 3;
  machine_run();
  begins(PARAMS("lba0", lba)->streaming_from - 4, 4, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(COUNT(fetched), 1);
  begins(PARAMS("lba0", lba)->streaming_from, 4, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(COUNT(fetched), 5);
}

/*
 * A card reads three lines with one prefetched, with 100 ns per crossing. With clocks of 20 ns a retry takes
 * 3 and an idle one, so the card tries every 80 ns. The requests reach memory at 16 + 100 and 32 + 100, and
 * their data is on the rope 110 later. The first line arrives at 226 + 272 + 100, the second 272 later. From
 * the try at 640 the first moves from 680 in 16 clocks of 8 B; the second begins at 1020 after an idle clock.
 * The third is requested at 1400, with a prefetched line that is wasted.
 */
static void a_reading_card_stalls_between_bursts(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->mrm_consistent_depth = PARAMS("lba0", lba)->mrl_consistent_depth = 1,
                 PARAMS("lba0", lba)->crossing = 100 * NS;
  SET_BUSES(clock, 50000000);
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = 3 * LINE;
  machine_open();
  uint32_t in[96];
  for (uint32_t i = 0; i < 96; i++) in[i] = i + 1000;
  sba_cpu_observe(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 0,
      &(struct front_observe){.address = AT, .bytes = sizeof in, .set = 1, .writes = in});
  session_run();
  assert_events(LBA_PART,
      (const struct expected_event[]){{0, LBA_EV_DELAYED, AT, 384, 1, CAUSED_BY_BUS(START)},
          {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {598 * NS, LBA_EV_HERE, AT, 1000, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {870 * NS, LBA_EV_HERE, AT + 128, 1032, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {870 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, CAUSED_BY_ADAPTER(HERE)},
          {1000 * NS, LBA_EV_GIVEN, AT, 128, 1000, CAUSED_BY_BUS(START)},
          {1380 * NS, LBA_EV_GIVEN, AT + 128, 128, 1032, CAUSED_BY_BUS(START)},
          {1400 * NS, LBA_EV_DELAYED, AT + 256, 128, 1, CAUSED_BY_BUS(START)},
          {1400 * NS, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {1998 * NS, LBA_EV_HERE, AT + 256, 1064, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {2270 * NS, LBA_EV_HERE, AT + 384, 0, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {2270 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, CAUSED_BY_ADAPTER(HERE)},
          {2400 * NS, LBA_EV_GIVEN, AT + 256, 128, 1064, CAUSED_BY_BUS(START)}},
      13);
  assert_int_equal(COUNT(retries), 640 / 80 + (2040 - 1400) / 80);
  assert_int_equal(COUNT(fetched), 4);
  assert_int_equal(COUNT(wasted), 1);
  assert_int_equal(COUNT(rope_in), 4 * 16 * NS);
  assert_int_equal(COUNT(rope_out), 4 * 272 * NS);
}

/* The first line arrives after 16 + 110 + 272 ns, and the others every 272. A burst offers only the lines
 * that have arrived, from the requested word. */
static void a_burst_offers_the_lines_that_have_arrived(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->mrm_consistent_depth = 2;
  machine_run();
  assert_int_equal(begins(AT + 8, 376, PCI_COMMAND_READ_MULTIPLE), 0);
  until(398 * NS - 1);
  assert_int_equal(begins(AT + 8, 376, PCI_COMMAND_READ_MULTIPLE), 0);
  until(398 * NS);
  assert_int_equal(begins(AT + 8, 376, PCI_COMMAND_READ_MULTIPLE), 120);
  until(670 * NS);
  assert_int_equal(begins(AT + 8, 376, PCI_COMMAND_READ_MULTIPLE), 248);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i)->offered, i < 2);
  assert_int_equal(
      begins(AT + 128, 4, PCI_COMMAND_READ_MULTIPLE), 4); /* a new burst, without the first line */
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i)->offered, i == 1);
  assert_int_equal(COUNT(retries), 2);
  assert_int_equal(COUNT(fetched), 3);
}

/* Prefetched lines contain the newest data of their fetch. Before they are used, a processor stores 8 B of
 * the second line and all of the third. The same in untracked memory must not count as stale. */
static void prefetched_data_becomes_stale_when_overwritten(void **state) {
  (void)state;
  for (uint32_t followed = 0; followed < 2; followed++) {
    quiet_rope();
    PARAMS("lba0", lba)->mrm_consistent_depth = 2;
    if (!followed) PARAMS("memory", memory)->tracked_from = AT + 8192;
    machine_run();
    uint32_t in[96], out[96] = {0};
    for (uint32_t i = 0; i < 96; i++) in[i] = i + 1000;
    sba_cpu_observe(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 0,
        &(struct front_observe){.address = AT, .bytes = sizeof in, .set = 1, .writes = in});
    ENGINE->writes = 5000;
    begins(AT, 384, PCI_COMMAND_READ_MULTIPLE);
    until(1000 * NS);
    struct memory_software_access some = {.address = AT + 128 + 16, .bytes = 8, .store = 1},
                                  all = {.address = AT + 256, .bytes = 128, .store = 1};
    memory_bridge_software_access(ENGINE, SIM_CONTEXT(ENGINE, ROPE_MEMORY, memory), &some);
    memory_bridge_software_access(ENGINE, SIM_CONTEXT(ENGINE, ROPE_MEMORY, memory), &all);
    assert_int_equal(begins(AT, 384, PCI_COMMAND_READ_MULTIPLE), 384);
    lba_pci_target_give(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
        &(struct pci_target_give){.address = AT, .bytes = 384, .writes = out});
    if (followed) assert_memory_equal(in, out, sizeof in);
    assert_int_equal(COUNT(stale), followed ? 2 + 32 : 0);
    assert_int_equal(COUNT(torn), followed);
    uint32_t records = 0;
    static const struct sim_record *r;
    static const struct {
      uint64_t at;
      uint32_t got, wanted;
    } old[] = {{AT + 144, 1036, 5001}, {AT + 256, 1064, 5003}};
    for (; (r = record_after(LBA_PART, LBA_EV_STALE,
                records ? (uint32_t)(r
                                     - (const struct sim_record *)sim_at(
                                         ENGINE, sim_refresh_header(ENGINE)->trace_at))
                              + 1
                        : 0));
        records++) {
      assert_int_equal(r->a, old[records].at);
      assert_int_equal(r->b, old[records].got);
      assert_int_equal(r->c, old[records].wanted);
    }
    assert_int_equal(records, followed ? 2 : 0);
  }
}

static struct pci_target_give given(uint64_t address, uint32_t bytes, uint32_t *words) {
  struct pci_target_give q = {.address = address, .bytes = bytes, .writes = words};
  lba_pci_target_give(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &q);
  return q;
}

/* A prefetched line that is no longer needed is discarded on arrival, which frees its entry. */
static void an_unneeded_line_is_discarded_on_arrival(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->mrm_consistent_depth = 1;
  machine_run();
  uint32_t out[32] = {0};
  begins(AT, 128, PCI_COMMAND_READ_MULTIPLE);
  until(398 * NS);
  begins(AT, 128, PCI_COMMAND_READ_MULTIPLE);
  given(AT, 128, out);
  assert_line(1, AT + 128, LBA_LINE_DROPPED);
  assert_int_equal(COUNT(wasted), 1);
  assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->state, LBA_STATE_IDLE);
  begins(AT + 128, 128, PCI_COMMAND_READ); /* the next read of it fetches it again */
  assert_line(0, AT + 128, LBA_LINE_ASKED);
  until(670 * NS);
  assert_line(1, 0, LBA_LINE_EMPTY);
  assert_line(0, AT + 128, LBA_LINE_ASKED);
}

/* Two entries. While both lines are on their way nothing more can be fetched; afterwards the line that
 * arrived first is replaced. */
static void a_full_buffer_replaces_the_oldest_line(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->lines = 2;
  machine_run();
  begins(AT, 4, PCI_COMMAND_READ);
  until(100 * NS);
  begins(AT + 1024, 4, PCI_COMMAND_READ);
  begins(AT + 2048, 4, PCI_COMMAND_READ);
  assert_int_equal(COUNT(delayed), 3);
  assert_int_equal(COUNT(fetched), 2);
  until(2000 * NS);
  assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), 0)->since, 398 * NS); /* since its arrival */
  begins(AT + 2048, 4, PCI_COMMAND_READ);
  assert_line(0, AT + 2048, LBA_LINE_ASKED);
  assert_line(1, AT + 1024, LBA_LINE_HERE);
  assert_int_equal(COUNT(wasted), 1);
  until(4000 * NS);
  begins(AT + 3072, 4, PCI_COMMAND_READ); /* now the second line is the oldest */
  assert_line(0, AT + 2048, LBA_LINE_HERE);
  assert_line(1, AT + 3072, LBA_LINE_ASKED);
  assert_int_equal(COUNT(fetched), 4);
  assert_int_equal(COUNT(wasted), 2);
  assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), 1)->since, 4000 * NS);
}

/* Four entries, one of them reserved: whole lines fill three. A write that begins inside a line has two
 * pieces per line if the bus splits lines, every 128 or 256 B. */
static void writes_are_limited_by_free_entries(void **state) {
  (void)state;
  static const struct {
    uint32_t posted, offset, bytes, taken, block;
  } cases[] = {{0, 0, 4, 4, 128}, {0, 0, 384, 384, 128}, {0, 0, 388, 384, 128}, {0, 40, 400, 256, 128},
      {0, 40, 400, 344, 256}, {1, 0, 400, 256, 128}, {2, 124, 400, 4, 128}, {2, 0, 400, 128, 128},
      {3, 0, 4, 0, 128}, {3, 64, 4, 0, 128}, {4, 0, 4, 0, 128}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet_rope();
    PARAMS("lba0", lba)->posts = 4, SET_BUSES(block, cases[i].block);
    machine_run();
    lba_view(ENGINE, CONTEXT_OF("lba0", lba))->posted = cases[i].posted;
    assert_int_equal(begins(AT + cases[i].offset, cases[i].bytes, PCI_COMMAND_WRITE), cases[i].taken);
    assert_int_equal(COUNT(retries), cases[i].taken == 0);
    assert_int_equal(COUNT(delayed), 0);
  }
}

/*
 * A bus that moves less than a line at a time takes an entry per piece, and one that splits a line takes two.
 * All accepted data finds entries, even if none is freed meanwhile. With more than one free entry some data
 * is accepted.
 */
static void accepted_data_has_an_entry_for_each_piece(void **state) {
  (void)state;
  static const uint32_t blocks[] = {8, 16, 40, 64, 96, 128, 136, 256, 4096}, offsets[] = {0, 4, 40, 64, 124};
  for (uint32_t line = 16; line <= 128; line *= 2)
    for (uint32_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
      for (uint32_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
        for (uint32_t posts = 2; posts <= 32; posts += 5) {
          quiet_rope();
          PARAMS("lba0", lba)->line = line, PARAMS("lba0", lba)->posts = posts, SET_BUSES(block, blocks[b]);
          machine_run();
          uint32_t words[1024] = {0}, taken = begins(AT + offsets[o], 4096, PCI_COMMAND_WRITE);
          assert_true(taken > 0 || line <= offsets[o] % line);
          for (uint32_t done = 0, n; done < taken; done += n) {
            n = taken - done < blocks[b] ? taken - done : blocks[b];
            lba_pci_target_take(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
                &(struct pci_target_take){.address = AT + offsets[o] + done, .bytes = n, .writes = words});
          }
          assert_true(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->posted <= posts);
        }
}

/* A write and invalidate covers a whole line of the adapter only if the adapter's lines are no longer than
 * those of the card. */
static void only_whole_lines_are_marked_whole(void **state) {
  (void)state;
  static const struct {
    uint32_t command, offset, bytes, whole[2];
  } cases[] = {{PCI_COMMAND_WRITE_INVALIDATE, 0, 256, {1, 1}},
      {PCI_COMMAND_WRITE_INVALIDATE, 64, 192, {0, 1}}, {PCI_COMMAND_WRITE_INVALIDATE, 0, 192, {1, 0}},
      {PCI_COMMAND_WRITE, 0, 256, {0, 0}}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet_rope();
    machine_run();
    uint32_t in[64] = {0};
    begins(AT + cases[i].offset, cases[i].bytes, cases[i].command);
    lba_pci_target_take(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
        &(struct pci_target_take){.address = AT + cases[i].offset, .bytes = cases[i].bytes, .writes = in});
    for (uint32_t line = 0; line < 2; line++)
      assert_int_equal(lba_post_at(ENGINE, CONTEXT_OF("lba0", lba), line)->whole, cases[i].whole[line]);
  }
}

/* 100 bytes from byte 100 of a line are pieces of 28 and 72. Each takes 8 B more on the rope, at 2 ns per
 * byte: the first arrives after 72 ns, the second 160 later. */
static void a_write_arrives_line_by_line(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->crossing = 100 * NS;
  machine_run();
  uint32_t in[25], out[25] = {0};
  for (uint32_t i = 0; i < 25; i++) in[i] = i + 1;
  ENGINE->cause = 0;
  lba_pci_target_take(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
      &(struct pci_target_take){.address = AT + 100, .bytes = 100, .writes = in});
  assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->posted, 2);
  static const struct {
    uint64_t time;
    uint32_t words, posted;
  } steps[] = {{172 * NS - 1, 0, 2}, {172 * NS, 7, 1}, {332 * NS - 1, 7, 1}, {332 * NS, 25, 0}};
  for (uint32_t i = 0; i < 4; i++) {
    until(steps[i].time);
    sba_cpu_observe(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 0,
        &(struct front_observe){.address = AT + 100, .bytes = 100, .writes = out});
    for (uint32_t word = 0; word < 25; word++)
      assert_int_equal(out[word], word < steps[i].words ? word + 1 : 0);
    assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->posted, steps[i].posted);
    assert_int_equal(lba_post_at(ENGINE, CONTEXT_OF("lba0", lba), steps[i].posted)->bytes, 0);
  }
  assert_int_equal(COUNT(bytes_in), 100);
  assert_int_equal(COUNT(rope_in), 232 * NS);
  assert_events(LBA_PART, &(struct expected_event){0, LBA_EV_POSTED, AT + 100, 100, 1, 0}, 1);
}

/* A read without translation fails: the bus accepts nothing from then on. */
static void a_line_without_translation_stops_the_bus(void **state) {
  (void)state;
  quiet_rope();
  machine_with("unit");
  machine_with("map");
  machine_run();
  ENGINE->cause = 0;
  uint64_t nowhere = PARAMS("map", iommu_map)->base + 3 * PAGE;
  begins(nowhere, 128, PCI_COMMAND_READ_LINE);
  until(16 * NS);
  assert_int_equal(COUNT(failures), 1);
  assert_line(0, 0, LBA_LINE_EMPTY);
  assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->state, LBA_STATE_IDLE);
  assert_events(LBA_PART,
      (const struct expected_event[]){{0, LBA_EV_DELAYED, nowhere, 128, 0, 0},
          {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {16 * NS, LBA_EV_FAILED, nowhere, 0, 0, BECAUSE(SBA_PART, SBA_EV_STOPPED)},
          {16 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, CAUSED_BY_ADAPTER(FAILED)}},
      4);
  assert_int_equal(begins(AT, 128, PCI_COMMAND_WRITE), 0);
  assert_int_equal(begins(AT, 128, PCI_COMMAND_READ), 0);
  assert_int_equal(COUNT(retries), 3);
  assert_int_equal(COUNT(fetched), 1);
}

/* A read may invalidate the processors' copies only in streaming memory, and only without Read Current. */
static void reads_of_streaming_memory_may_invalidate_the_line(void **state) {
  (void)state;
  for (uint32_t streaming = 0; streaming < 2; streaming++)
    for (uint32_t current = 0; current < 2; current++) {
      quiet_rope();
      uint64_t line = PARAMS("lba0", lba)->streaming_from - (streaming ? 0 : LINE);
      PARAMS("lba0", lba)->mrl_streaming_current = current;
      machine_run();
      cache_cpu_access_untimed(
          ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(0), cache), &(struct cache_access_untimed){.address = line});
      begins(line, 128, PCI_COMMAND_READ_LINE);
      until(16 * NS);
      assert_int_equal(COUNTERS("sba", sba)->taken, streaming && !current);
    }
}

/* The bus's low addresses are memory. There is no second window, and the views have a row for each entry. */
static void the_adapter_claims_memory_below_its_limit(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->memory = 0x30000000, PARAMS("lba0", lba)->stores = 3, PARAMS("lba0", lba)->lines = 5,
                 PARAMS("lba0", lba)->posts = 7;
  machine_run();
  struct pci_claim window = {.base = 99, .which = 0};
  assert_int_equal(lba_pci_claim(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &window),
      2); /* the adapter can split block reads */
  assert_int_equal(window.base, 0);
  assert_int_equal(window.length, 0x30000000);
  window.which = 1;
  assert_int_equal(lba_pci_claim(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &window), 0);
  const struct sim_view_entry *views = (const struct sim_view_entry *)sim_at(ENGINE, ENGINE->views_at)
                                       + sim_part(ENGINE, LBA_PART)->first_view;
  assert_int_equal(views[LBA_VIEW_LINES].rows, 5);
  assert_int_equal(views[LBA_VIEW_POSTS].rows, 7);
  assert_int_equal(views[LBA_VIEW_QUEUE].rows,
      3 + 5 + 4); /* lines may wait behind stores, and each of four processors for a load */
}

/*
 * A split read of four lines starts inside the first. All lines that have arrived are sent in one completion,
 * which may be cut; sent lines free their entries. After a failed translation further reads are retried
 * forever.
 */
static void a_split_read_is_completed_in_order(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->lines = 6, PARAMS("lba0", lba)->splits = 2;
  machine_run();
  ENGINE->cause = 0;
  STATE->unseen = 1; /* no check for stale data */
  struct pci_begin_block read = {.address = AT + 64, .bytes = 3 * LINE, .tag = 5},
                         other = {.address = AT + 1024, .bytes = LINE, .tag = 6};
  struct pci_grant q = {0};
  assert_int_equal(lba_pci_begin_block(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &read), 1);
  assert_int_equal(lba_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &q), 0);
  for (uint32_t i = 0; i < 4; i++) {
    if (i == 3) continue; /* the last line has not arrived */
    lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i)->state = LBA_LINE_HERE;
    for (uint32_t word = 0; word < LINE / 4; word++)
      lba_words(ENGINE, STATE->line_words_at, i)[word] = 1 + i * 100 + word;
  }
  assert_int_equal(lba_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &q), 1);
  assert_int_equal(q.address, AT + 64);
  assert_int_equal(q.bytes, 64 + 2 * LINE);
  assert_int_equal(q.command, PCI_COMMAND_COMPLETION);
  assert_int_equal(q.tag, 5);
  uint32_t words[80] = {0};
  ENGINE->cause = 0;
  lba_pci_master_give(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
      &(struct pci_master_give){.address = AT + 64, .bytes = 64 + LINE, .writes = words});
  for (uint32_t i = 0; i < 80; i++) assert_int_equal(words[i], i < 16 ? 17 + i : i < 48 ? 101 + i - 16 : 0);
  assert_int_equal(COUNT(bytes_out), 64 + LINE);
  const struct sim_record *record = record_after(LBA_PART, LBA_EV_GIVEN, 0);
  assert_int_equal(record->a, AT + 64);
  assert_int_equal(record->b, 64 + LINE);
  assert_int_equal(record->c, 17);
  assert_int_equal(
      lba_pci_moved(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &(struct pci_moved){.bytes = 64 + LINE}),
      LINE); /* the bus continues the burst */
  assert_int_equal(STATE->completing, 1);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i)->state, i < 2    ? LBA_LINE_EMPTY
                                                                             : i == 2 ? LBA_LINE_HERE
                                                                                      : LBA_LINE_ASKED);
  assert_int_equal(lba_pci_moved(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
                       &(struct pci_moved){.bytes = LINE, .last = 1}),
      0);
  assert_int_equal(STATE->completing, 0);
  assert_int_equal(lba_split_at(ENGINE, CONTEXT_OF("lba0", lba), 0)->addr, AT + 3 * LINE);
  assert_int_equal(lba_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &q), 0);
  lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), 3)->state = LBA_LINE_HERE;
  assert_int_equal(lba_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &q), 1);
  assert_int_equal(q.address, AT + 3 * LINE);
  assert_int_equal(q.bytes, 64);
  assert_int_equal(
      lba_pci_moved(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &(struct pci_moved){.bytes = 64, .last = 1}),
      0);
  assert_int_equal(lba_split_at(ENGINE, CONTEXT_OF("lba0", lba), 0)->end, 0);
  assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), 3)->state, LBA_LINE_EMPTY);
  STATE->failed = 1;
  assert_int_equal(lba_pci_begin_block(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &other), 0);
  assert_int_equal(COUNT(retries), 1);
  assert_int_equal(COUNT(split), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_command_uses_its_own_hints),
      cmocka_unit_test(streaming_memory_begins_at_its_parameter),
      cmocka_unit_test(a_reading_card_stalls_between_bursts),
      cmocka_unit_test(a_burst_offers_the_lines_that_have_arrived),
      cmocka_unit_test(prefetched_data_becomes_stale_when_overwritten),
      cmocka_unit_test(an_unneeded_line_is_discarded_on_arrival),
      cmocka_unit_test(a_full_buffer_replaces_the_oldest_line),
      cmocka_unit_test(writes_are_limited_by_free_entries),
      cmocka_unit_test(accepted_data_has_an_entry_for_each_piece),
      cmocka_unit_test(only_whole_lines_are_marked_whole),
      cmocka_unit_test(a_write_arrives_line_by_line),
      cmocka_unit_test(a_line_without_translation_stops_the_bus),
      cmocka_unit_test(reads_of_streaming_memory_may_invalidate_the_line),
      cmocka_unit_test(the_adapter_claims_memory_below_its_limit),
      cmocka_unit_test(a_split_read_is_completed_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
