/* A bridge between two PCI-X buses asked from either side: what it takes over and for how long, whose turn it is, what goes behind what, and what is given of which line. */
#include "test/pcix_bridge.h"

/* Bytes 60 to 260 in three lines: ready is what is here from the next byte on without a gap, not behind a post, and no more than was asked for. */
static void what_is_here_without_a_gap_is_ready(void **state) {
  (void)state;
  static const struct { uint32_t here, behind; uint64_t next; uint32_t ready; } cases[] = {
      {7, 4, 256, 0}, {0, 0, 60, 0}, {1, 0, 60, 68}, {2, 0, 60, 0}, {3, 0, 60, 196}, {5, 0, 60, 68}, {7, 0, 60, 200}, {6, 0, 128, 132}, {4, 0, 128, 0}, {4, 0, 256, 4}, {7, 1, 60, 0}, {7, 2, 60, 68}, {7, 4, 60, 196}, {7, 0, 260, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *READ_AT(2) = (pcix_bridge_read){.addr = AT + cases[i].next, .end = AT + 260, .side = CARD_SIDE};
    for (uint32_t k = 0; k < 3; k++) {
      line(7 - k, 2, AT + k * LINE, cases[i].here >> k & 1 ? PCIX_BRIDGE_LINE_HERE : PCIX_BRIDGE_LINE_CROSSING);
      LINE_AT(7 - k)->behind = cases[i].behind >> k & 1;
    }
    line(0, 1, AT, PCIX_BRIDGE_LINE_HERE); /* another's */
    line(1, 2, AT, PCIX_BRIDGE_LINE_DROPPED);
    assert_int_equal(pcix_bridge_ready(ENGINE, STATE, 2), cases[i].ready);
  }
}

/* A card's read is fetched by lines, with two ahead, as far as its page goes if that is wanted; a register's exactly. */
static void a_read_is_fetched_by_lines_and_ahead(void **state) {
  (void)state;
  static const struct { uint32_t side, page_end; uint64_t offset, bytes, limit; } cases[] = {
      {CARD_SIDE, 1, 60, 200, 640},    {CARD_SIDE, 1, 0, 128, 384},       {CARD_SIDE, 1, 0, 129, 512},   {CARD_SIDE, 1, 3840, 128, 4096}, {CARD_SIDE, 1, 3712, 128, 4096}, {CARD_SIDE, 1, 3968, 128, 4096},
      {CARD_SIDE, 1, 3968, 132, 4480}, {CARD_SIDE, 0, 3840, 128, 4224}, {CARD_SIDE, 0, 3968, 128, 4352}, {MEMORY_SIDE, 1, 60, 4, 64},     {MEMORY_SIDE, 0, 60, 200, 260}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    still();
    PARAMS("bridge", pcix_bridge)->page_end = cases[i].page_end;
    opened();
    POSTED(!cases[i].side) = 2;
    assert_int_equal(pcix_bridge_bus_begin_block(ENGINE, part_named("bridge"), cases[i].side, &(struct pci_begin_block){.address = AT + cases[i].offset, .bytes = (uint32_t)cases[i].bytes, .tag = 5}), 1);
    const pcix_bridge_read *r = READ_AT(0);
    assert_int_equal(r->addr, AT + cases[i].offset);
    assert_int_equal(r->fetch, AT + (cases[i].side == CARD_SIDE ? cases[i].offset / 128 * 128 : cases[i].offset));
    assert_int_equal(r->end, AT + cases[i].offset + cases[i].bytes);
    assert_int_equal(r->limit, AT + cases[i].limit);
    assert_int_equal(r->side, cases[i].side);
    assert_int_equal(r->split, 1);
    assert_int_equal(r->tag, 5);
    assert_int_equal(r->behind, 2); /* writes that went the same way before */
    assert_int_equal(r->known, 0);
    assert_int_equal(COUNT(reads), 1);
    uint64_t time;
    const sim_msg *q = test_message_for(part_named("bridge"), &time); /* it crosses */
    assert_int_equal(q->kind, PCIX_BRIDGE_READ);
    assert_int_equal(time, 1060 * NS);
    EXPECT_EVENTS(part_named("bridge"), {1000 * NS, PCIX_BRIDGE_EV_TAKES, AT + cases[i].offset, (uint32_t)cases[i].bytes, 2, 0});
  }
}

/* A word read comes again until it is here, and is one read; two that differ in their side or address are two. Without a place left it is told to come again, too. */
static void a_read_that_comes_again_is_the_same(void **state) {
  (void)state;
  quiet();
  static const struct { uint32_t side; uint64_t address; uint32_t reads, retries; } cases[] = {{CARD_SIDE, AT, 1, 1}, {CARD_SIDE, AT, 1, 2}, {MEMORY_SIDE, AT, 2, 3}, {CARD_SIDE, AT + 4, 3, 4}, {MEMORY_SIDE, AT, 3, 5}, {CARD_SIDE, AT + 256, 4, 6}, {CARD_SIDE, AT + 512, 4, 7}, {CARD_SIDE, AT + 4, 4, 8}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct pci_begin q = {.address = cases[i].address, .bytes = 4, .command = PCI_COMMAND_READ};
    assert_int_equal(pcix_bridge_bus_begin(ENGINE, part_named("bridge"), cases[i].side, &q), 0);
    assert_int_equal(q.ready, 1000 * NS);
    assert_int_equal(COUNT(reads), cases[i].reads);
    assert_int_equal(COUNT(retries), cases[i].retries);
  }
  line(3, 0, AT, PCIX_BRIDGE_LINE_HERE);
  struct pci_begin q = {.address = AT, .bytes = 4, .command = PCI_COMMAND_READ};
  assert_int_equal(pcix_bridge_bus_begin(ENGINE, part_named("bridge"), CARD_SIDE, &q), 4);
  assert_int_equal(COUNT(retries), 8);
}

/* With all rows taken a read that is only kept gives up its row and its lines, which nobody asked for. */
static void a_kept_read_makes_room_for_a_new_one(void **state) {
  (void)state;
  for (uint32_t kept = 0; kept < 2; kept++) {
    quiet();
    for (uint32_t i = 0; i < 4; i++) *READ_AT(i) = (pcix_bridge_read){.addr = AT + 4096 * i, .end = AT + 4096 * i + (i == 2 && kept ? 0 : 128), .fetch = AT + 4096 * i + 256, .limit = AT + 4096 * i + 256, .side = CARD_SIDE};
    line(0, 2, AT + 8192, PCIX_BRIDGE_LINE_HERE), line(1, 2, AT + 8192 + LINE, PCIX_BRIDGE_LINE_ASKED), line(2, 1, AT + 4096 + LINE, PCIX_BRIDGE_LINE_HERE);
    assert_int_equal(pcix_bridge_bus_begin_block(ENGINE, part_named("bridge"), CARD_SIDE, &(struct pci_begin_block){.address = AT + 20480, .bytes = 128, .tag = 1}), kept);
    assert_int_equal(READ_AT(2)->addr, AT + (kept ? 20480 : 8192));
    assert_int_equal(LINE_AT(0)->state, kept ? PCIX_BRIDGE_LINE_EMPTY : PCIX_BRIDGE_LINE_HERE);
    assert_int_equal(LINE_AT(1)->state, kept ? PCIX_BRIDGE_LINE_DROPPED : PCIX_BRIDGE_LINE_ASKED);
    assert_int_equal(LINE_AT(2)->state, PCIX_BRIDGE_LINE_HERE);
    assert_int_equal(COUNT(wasted), kept ? 2 : 0);
    assert_int_equal(COUNT(retries), !kept);
  }
}

/* A read that goes on where a kept one ended takes its lines over, and is told apart. */
static void a_read_that_goes_on_takes_over_what_was_kept(void **state) {
  (void)state;
  quiet();
  *READ_AT(1) = (pcix_bridge_read){.addr = AT + 128, .end = AT + 128, .fetch = AT + 384, .limit = AT + 384, .side = CARD_SIDE, .known = 1};
  line(4, 1, AT + LINE, PCIX_BRIDGE_LINE_HERE), line(5, 1, AT + 2 * LINE, PCIX_BRIDGE_LINE_CROSSING);
  assert_int_equal(pcix_bridge_bus_begin_block(ENGINE, part_named("bridge"), CARD_SIDE, &(struct pci_begin_block){.address = AT + 128, .bytes = 200, .tag = 6}), 1);
  assert_int_equal(READ_AT(1)->end, AT + 328);
  assert_int_equal(READ_AT(1)->limit, AT + 640);
  assert_int_equal(READ_AT(1)->fetch, AT + 384);
  assert_int_equal(READ_AT(1)->tag, 6);
  assert_int_equal(READ_AT(0)->end, 0);
  assert_int_equal(COUNT(continued), 1);
  assert_int_equal(COUNT(reads), 1);
  const struct sim_record *told = record_after(part_named("bridge"), PCIX_BRIDGE_EV_CONTINUES, 0);
  assert_int_equal(told->a, AT + 128);
  assert_int_equal(told->b, 200);
  assert_int_equal(told->c, LINE); /* which may be given at once */
}

/* Writes either way may only be taken as there are places, one of which is kept back: pieces of a line of memory, or 8 B of registers. */
static void no_more_is_taken_than_there_are_places(void **state) {
  (void)state;
  static const struct { uint32_t side, posted, offset, bytes, taken; } cases[] = {
      {CARD_SIDE, 0, 0, 384, 384}, {CARD_SIDE, 0, 0, 512, 384}, {CARD_SIDE, 0, 60, 512, 324}, {CARD_SIDE, 2, 0, 512, 128}, {CARD_SIDE, 2, 124, 8, 4}, {CARD_SIDE, 3, 0, 4, 0},    {CARD_SIDE, 4, 0, 4, 0},
      {MEMORY_SIDE, 0, 0, 64, 24}, {MEMORY_SIDE, 0, 4, 64, 20}, {MEMORY_SIDE, 2, 0, 4, 4},     {MEMORY_SIDE, 2, 4, 8, 4},    {MEMORY_SIDE, 3, 0, 4, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    POSTED(!cases[i].side) = cases[i].posted;
    POSTED(cases[i].side) = 4; /* the other way is none of it */
    struct pci_begin q = {.address = AT + cases[i].offset, .bytes = cases[i].bytes, .command = PCI_COMMAND_WRITE};
    assert_int_equal(pcix_bridge_bus_begin(ENGINE, part_named("bridge"), cases[i].side, &q), cases[i].taken);
    assert_int_equal(COUNT(retries), cases[i].taken == 0);
  }
}

static void takes(uint32_t side, uint64_t address, uint32_t bytes, uint32_t first) {
  uint32_t words[64];
  for (uint32_t i = 0; i < 64; i++) words[i] = first + i;
  pcix_bridge_bus_target_take(ENGINE, part_named("bridge"), side, &(struct pci_target_take){.address = address, .bytes = bytes, .value = first + 500, .writes = words});
}
static void assert_post(uint32_t way, uint32_t i, uint64_t addr, uint32_t bytes, uint32_t word, uint32_t write) {
  assert_int_equal(POST_AT(way, i)->addr, addr);
  assert_int_equal(POST_AT(way, i)->bytes, bytes);
  assert_int_equal(pcix_bridge_post_words(ENGINE, STATE, way, i)[word], write);
}

/* Line by line; what goes on in the same line of memory is joined, stores to registers are not. Each post crosses by itself; of those that are here a run leaves as one. */
static void writes_are_posted_line_by_line_and_leave_in_runs(void **state) {
  (void)state;
  quiet();
  takes(CARD_SIDE, AT + 60, 132, 1); /* 68 and 64 */
  assert_int_equal(POSTED(UP), 2);
  assert_post(UP, 0, AT + 60, 68, 15, 1), assert_post(UP, 1, AT + 128, 64, 0, 18);
  takes(CARD_SIDE, AT + 192, 8, 101); /* goes on */
  assert_int_equal(POSTED(UP), 2);
  assert_post(UP, 1, AT + 128, 72, 16, 101);
  takes(CARD_SIDE, AT + 204, 4, 201); /* does not */
  assert_int_equal(POSTED(UP), 3);
  assert_post(UP, 2, AT + 204, 4, 19, 201);
  takes(MEMORY_SIDE, CARDS_FROM, 4, 301), takes(MEMORY_SIDE, CARDS_FROM + 4, 4, 302);
  assert_int_equal(POSTED(DOWN), 2);
  assert_int_equal(POST_AT(DOWN, 1)->value, 802);
  assert_int_equal(COUNT(bytes_in), 132 + 8 + 4);
  assert_int_equal(COUNT(stores), 2);
  assert_int_equal(HERE(UP) + HERE(DOWN), 0);
  struct pci_grant q = {0};
  static const struct { uint32_t here, run; } runs[] = {{1, 68}, {2, 140}, {3, 140}};
  for (uint32_t i = 0; i < 3; i++) {
    HERE(UP) = runs[i].here, STATE->side[UP].waited = 0;
    assert_int_equal(pcix_bridge_bus_grant(ENGINE, part_named("bridge"), UP, &q), 1);
    assert_int_equal(q.address, AT + 60);
    assert_int_equal(q.bytes, runs[i].run);
    assert_int_equal(q.command, PCI_COMMAND_WRITE);
    assert_int_equal(STATE->side[UP].run, runs[i].run);
    assert_int_equal(STATE->side[UP].sending, PCIX_BRIDGE_POSTS);
  }
  uint32_t words[32] = {0};
  struct pci_master_give give = {.address = AT + 60, .bytes = 128, .writes = words};
  pcix_bridge_bus_master_give(ENGINE, part_named("bridge"), UP, &give);
  assert_int_equal(give.value, 501);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(words[i], 1 + i);
}

/* What has left makes room; who waited behind a post that is gone waits for one less, and those of the other way as before. */
static void who_waits_behind_a_post_waits_for_one_less(void **state) {
  (void)state;
  static const struct { uint32_t bytes, posts, left, behind; } cases[] = {{4, 3, 64, 2}, {68, 2, 64, 1}, {100, 2, 32, 1}, {132, 1, 8, 0}, {140, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t way = UP; way <= DOWN; way++) {
      quiet();
      static const uint32_t sizes[] = {68, 64, 8};
      for (uint32_t k = 0; k < 3; k++) *POST_AT(way, k) = (pcix_bridge_post){.addr = AT + 1024 * k, .bytes = sizes[k]}, pcix_bridge_post_words(ENGINE, STATE, way, k)[5] = 70 + k;
      POSTED(way) = HERE(way) = 3;
      *READ_AT(0) = (pcix_bridge_read){.end = 1, .side = !way, .behind = 2}, *READ_AT(1) = (pcix_bridge_read){.end = 1, .side = way, .behind = 2}, *READ_AT(2) = (pcix_bridge_read){.end = 1, .side = !way};
      line(0, 0, AT, PCIX_BRIDGE_LINE_HERE), line(1, 0, AT + LINE, PCIX_BRIDGE_LINE_HERE);
      LINE_AT(0)->side = way, LINE_AT(0)->behind = 2, LINE_AT(1)->side = !way, LINE_AT(1)->behind = 2;
      pcix_bridge_remaining(ENGINE, part_named("bridge"), way, cases[i].bytes);
      assert_int_equal(POSTED(way), cases[i].posts);
      assert_int_equal(HERE(way), cases[i].posts);
      assert_int_equal(POST_AT(way, 0)->bytes, cases[i].bytes == 4 ? 64 : cases[i].left);
      if (cases[i].posts) assert_int_equal(pcix_bridge_post_words(ENGINE, STATE, way, 0)[5], 70 + 3 - cases[i].posts);
      assert_int_equal(POST_AT(way, cases[i].posts)->addr, cases[i].posts == 3 ? POST_AT(way, 3)->addr : 0);
      assert_int_equal(READ_AT(0)->behind, cases[i].behind);
      assert_int_equal(READ_AT(1)->behind, 2);
      assert_int_equal(READ_AT(2)->behind, 0);
      assert_int_equal(LINE_AT(0)->behind, cases[i].behind);
      assert_int_equal(LINE_AT(1)->behind, 2);
    }
}

/* Reads and data go behind the writes of their way, data towards the cards only unless that is relaxed; each defect lets one of them pass. */
static void reads_and_data_go_behind_writes(void **state) {
  (void)state;
  for (uint32_t fault = PCIX_BRIDGE_FAULT_NONE; fault <= PCIX_BRIDGE_FAULT_LINES_SURVIVE; fault++)
    for (uint32_t relaxed = 0; relaxed < 2; relaxed++) {
      still();
      PARAMS("bridge", pcix_bridge)->fault = fault, PARAMS("bridge", pcix_bridge)->relaxed = relaxed;
      opened();
      POSTED(UP) = 2, POSTED(DOWN) = 3;
      assert_int_equal(pcix_bridge_behind(ENGINE, part_named("bridge"), UP, PCI_ORDER_READ_REQUEST), fault == PCIX_BRIDGE_FAULT_READS_PASS ? 0 : 2);
      assert_int_equal(pcix_bridge_behind(ENGINE, part_named("bridge"), DOWN, PCI_ORDER_READ_REQUEST), fault == PCIX_BRIDGE_FAULT_READS_PASS ? 0 : 3);
      assert_int_equal(pcix_bridge_behind(ENGINE, part_named("bridge"), UP, PCI_ORDER_READ_COMPLETION), fault == PCIX_BRIDGE_FAULT_VALUES_PASS ? 0 : 2);
      assert_int_equal(pcix_bridge_behind(ENGINE, part_named("bridge"), DOWN, PCI_ORDER_READ_COMPLETION), relaxed ? 0 : 3);
    }
}

/* Towards the cards it claims their addresses, and towards memory all others, with the splits that PCI-X has. */
static void either_side_claims_what_lies_on_the_other(void **state) {
  (void)state;
  quiet();
  static const struct { uint32_t side, which, claims; uint64_t base, end; } cases[] = {
      {MEMORY_SIDE, 0, 1, CARDS_FROM, CARDS_FROM + (1 << 20)}, {MEMORY_SIDE, 1, 0, 0, 0}, {CARD_SIDE, 0, 2, 0, CARDS_FROM}, {CARD_SIDE, 1, 2, CARDS_FROM + (1 << 20), UINT64_MAX}};
  for (uint32_t i = 0; i < 4; i++) {
    struct pci_claim q = {.which = cases[i].which};
    assert_int_equal(pcix_bridge_bus_claim(ENGINE, part_named("bridge"), cases[i].side, &q), cases[i].claims);
    if (!cases[i].claims) continue;
    assert_int_equal(q.base, cases[i].base);
    assert_int_equal(q.base + q.length, cases[i].end);
  }
}

/* A burst of 256 B, as far as the limit and free places go, and up to what is under way for another read. */
static void as_much_is_fetched_at_once_as_there_is_room_for(void **state) {
  (void)state;
  static const struct { uint64_t fetch, limit; uint32_t taken; uint64_t under_way, reach; } cases[] = {
      {0, 1024, 0, 0, 256}, {60, 1024, 0, 0, 256}, {0, 200, 0, 0, 200}, {0, 1024, 7, 0, 128}, {60, 1024, 7, 0, 128}, {0, 1024, 8, 0, 0}, {0, 1024, 0, 128, 128}, {128, 1024, 0, 128, 128}, {128, 1024, 0, 384, 384}, {256, 1024, 0, 128, 512}, {0, 0, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *READ_AT(0) = (pcix_bridge_read){.addr = AT, .fetch = AT + cases[i].fetch, .end = AT + cases[i].limit, .limit = AT + cases[i].limit, .side = CARD_SIDE, .known = 1};
    for (uint32_t k = 0; k < cases[i].taken; k++) line(k, 1, AT + 8192 + k * LINE, PCIX_BRIDGE_LINE_HERE);
    if (cases[i].under_way) line(0, 1, AT + cases[i].under_way, PCIX_BRIDGE_LINE_ASKED);
    assert_int_equal(pcix_bridge_prefetch_limit(ENGINE, part_named("bridge"), READ_AT(0)), AT + cases[i].reach);
    assert_int_equal(pcix_bridge_request_pending(ENGINE, part_named("bridge"), UP), cases[i].reach > cases[i].fetch ? 0 : SIM_NONE);
    assert_int_equal(pcix_bridge_request_pending(ENGINE, part_named("bridge"), DOWN), SIM_NONE);
  }
}

/* What is wanted is fetched before what is only ahead, the read behind the last first; one that has not crossed, or is behind writes, is not yet. */
static void what_is_wanted_is_fetched_before_what_is_ahead(void **state) {
  (void)state;
  enum { NONE, WANTS, AHEAD, BLOCKED, CROSSING };
  static const struct { uint32_t reads[4], turn, next; } cases[] = {{{WANTS, WANTS, 0, 0}, 0, 1}, {{WANTS, WANTS, 0, 0}, 1, 0}, {{WANTS, WANTS, 0, 0}, 3, 0}, {{AHEAD, WANTS, 0, AHEAD}, 3, 1}, {{AHEAD, 0, AHEAD, 0}, 0, 2}, {{AHEAD, 0, AHEAD, 0}, 2, 0},
                                                                   {{BLOCKED, CROSSING, 0, AHEAD}, 3, 3}, {{BLOCKED, CROSSING, 0, 0}, 0, SIM_NONE}, {{0, 0, 0, WANTS}, 3, 3}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t what = cases[i].reads[k];
      const uint64_t at = AT + 4096 * k;
      if (what) *READ_AT(k) = (pcix_bridge_read){.addr = at, .fetch = what == AHEAD ? at + 128 : at, .end = at + 128, .limit = at + 384, .side = CARD_SIDE, .known = what != CROSSING, .behind = what == BLOCKED};
    }
    STATE->turn = cases[i].turn;
    assert_int_equal(pcix_bridge_request_pending(ENGINE, part_named("bridge"), UP), cases[i].next);
  }
}

/* It is shown as blocked as long as a line that is here waits behind a write, else as fetching as long as one is under way; each change is told once. */
static void what_the_bridge_is_at_is_shown(void **state) {
  (void)state;
  static const struct { uint32_t lines[2], behind, shown; } cases[] = {{{PCIX_BRIDGE_LINE_EMPTY, PCIX_BRIDGE_LINE_EMPTY}, 0, PCIX_BRIDGE_STATE_IDLE}, {{PCIX_BRIDGE_LINE_ASKED, PCIX_BRIDGE_LINE_EMPTY}, 0, PCIX_BRIDGE_STATE_FETCHING}, {{PCIX_BRIDGE_LINE_HERE, PCIX_BRIDGE_LINE_HERE}, 0, PCIX_BRIDGE_STATE_IDLE},
                                                                      {{PCIX_BRIDGE_LINE_HERE, PCIX_BRIDGE_LINE_EMPTY}, 1, PCIX_BRIDGE_STATE_BLOCKED}, {{PCIX_BRIDGE_LINE_CROSSING, PCIX_BRIDGE_LINE_EMPTY}, 1, PCIX_BRIDGE_STATE_IDLE}, {{PCIX_BRIDGE_LINE_HERE, PCIX_BRIDGE_LINE_ASKED}, 1, PCIX_BRIDGE_STATE_BLOCKED}, {{PCIX_BRIDGE_LINE_DROPPED, PCIX_BRIDGE_LINE_CROSSING}, 0, PCIX_BRIDGE_STATE_IDLE}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t turned = 0; turned < 2; turned++) {
      quiet();
      for (uint32_t k = 0; k < 2; k++) line(turned ? 7 - k : k, 1, AT + k * LINE, cases[i].lines[k]);
      LINE_AT(turned ? 7 : 0)->behind = cases[i].behind;
      ENGINE->cause = 7;
      for (uint32_t again = 0; again < 2; again++) pcix_bridge_show(ENGINE, part_named("bridge"));
      assert_int_equal(pcix_bridge_view(ENGINE, STATE)->state, cases[i].shown);
      assert_int_equal(ENGINE->cause, 7); /* nothing follows from what is only shown */
      assert_events(part_named("bridge"), &(struct told){1000 * NS, PCIX_BRIDGE_EV_STATE, 0, cases[i].shown, 0, ANY_CAUSE}, cases[i].shown != PCIX_BRIDGE_STATE_IDLE);
    }
}

/* A store to a register comes over the bus with its value and its write: 24 ns down the rope, 32 on the bus and a clock of data. */
static void a_store_comes_over_the_bus_with_its_value(void **state) {
  (void)state;
  quiet();
  lba_rope_post(ENGINE, part_named("lba"), &(struct rope_post){.address = CARDS_FROM + 8, .bytes = 4, .value = 0x77, .write = 19});
  sim_run(ENGINE, 1063 * NS, UINT64_MAX);
  assert_int_equal(POSTED(DOWN), 0);
  sim_run(ENGINE, 1064 * NS, UINT64_MAX);
  assert_int_equal(POSTED(DOWN), 1);
  assert_post(DOWN, 0, CARDS_FROM + 8, 4, 2, 19);
  assert_int_equal(POST_AT(DOWN, 0)->value, 0x77);
}

/* Of eight places two are free. A read of so many lines gets those first, and then what is only kept gives up its own, one read after another, until there are enough. */
static void what_is_only_kept_makes_room_as_far_as_it_must(void **state) {
  (void)state;
  for (uint64_t lines = 0; lines <= 6; lines++) {
    quiet();
    for (uint32_t i = 0; i < 3; i++) *READ_AT(i) = (pcix_bridge_read){.addr = AT + 4096 * i, .end = AT + 4096 * i + (i == 2 ? 256 : 0), .fetch = AT + 4096 * i + 256, .limit = AT + 4096 * i + 256, .side = CARD_SIDE};
    for (uint32_t k = 0; k < 6; k++) line(k, k / 2, AT + 4096 * (k / 2) + LINE * (k & 1), PCIX_BRIDGE_LINE_HERE);
    pcix_bridge_make_room(ENGINE, part_named("bridge"), lines);
    assert_int_equal(READ_AT(0)->end != 0, lines <= 2);
    assert_int_equal(READ_AT(1)->end != 0, lines <= 4);
    assert_int_not_equal(READ_AT(2)->end, 0); /* it is still wanted */
    for (uint32_t k = 0; k < 6; k++) assert_int_equal(LINE_AT(k)->state, READ_AT(k / 2)->end ? PCIX_BRIDGE_LINE_HERE : PCIX_BRIDGE_LINE_EMPTY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_store_comes_over_the_bus_with_its_value),
      cmocka_unit_test(what_the_bridge_is_at_is_shown),
      cmocka_unit_test(what_is_here_without_a_gap_is_ready),
      cmocka_unit_test(a_read_is_fetched_by_lines_and_ahead),
      cmocka_unit_test(a_read_that_comes_again_is_the_same),
      cmocka_unit_test(a_kept_read_makes_room_for_a_new_one),
      cmocka_unit_test(a_read_that_goes_on_takes_over_what_was_kept),
      cmocka_unit_test(no_more_is_taken_than_there_are_places),
      cmocka_unit_test(writes_are_posted_line_by_line_and_leave_in_runs),
      cmocka_unit_test(who_waits_behind_a_post_waits_for_one_less),
      cmocka_unit_test(reads_and_data_go_behind_writes),
      cmocka_unit_test(either_side_claims_what_lies_on_the_other),
      cmocka_unit_test(as_much_is_fetched_at_once_as_there_is_room_for),
      cmocka_unit_test(what_is_wanted_is_fetched_before_what_is_ahead),
      cmocka_unit_test(what_is_only_kept_makes_room_as_far_as_it_must),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
