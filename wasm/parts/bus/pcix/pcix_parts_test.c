/* Unit tests of a PCI-X bus with clocks of 8 ns: arbitration, unclaimed and retried transactions, tags of
 * split reads, trace events and counters. */
#include "test/programs.h"

#define NS 1000ull
#define AT 0x100000ull
#define LINE 128ull

#define ENGINE test_engine()
#define BUS_STATE STATE_OF("bus", pcix)
#define BUS_NOW pcix_view(ENGINE, CONTEXT_OF("bus", pcix))
#define CAUSED_BY_BUS(name) BECAUSE(part_named("bus"), PCIX_EV_##name)
#define BRIDGE_STATE STATE_OF("lba", lba)
enum { BRIDGE_SLOT, PEER_SLOT, SECOND_SLOT, LAN_SLOT };

static void until(uint64_t time) {
  sim_run(ENGINE, time, UINT64_MAX);
  ENGINE->time = time, ENGINE->cause = 0;
}

/* Opens the machine without traffic and advances the time to 1000 ns. */
static void quiet(void) {
  machine("pcix-cards");
  PARAMS("first", peer)->blocks = 0, PARAMS("first", peer)->direction = PEER_DIRECTION_WRITE;
  machine_run();
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}

/*
 * A card reads a word. Each attempt takes 32 ns, and the next begins two clocks later. The line arrives after
 * 398 ns: 16 for the request, 110 in memory and 272 on the rope. So the attempt at 384 is the last to be
 * retried. The one at 432 takes one clock of data after its 32 ns.
 */
TEST(a_word_is_retried_until_it_has_arrived) {
  machine("pcix-cards");
  PARAMS("first", peer)->bytes = 4;
  machine_run();
  const struct sim_record *r = NULL;
  for (uint32_t n = 0, seq = 0; n < 10; n++) {
    r = record_after(part_named("bus"), PCIX_EV_START, seq);
    assert_non_null(r);
    EXPECT_VALUES({r->time, 48 * n * NS}, {r->a, AT}, {r->b, PCIX_COMMAND_READ}, {r->c, PEER_SLOT});
    seq = (uint32_t)(r - (const struct sim_record *)sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at)) + 1;
    r = record_after(part_named("bus"), n < 9 ? PCIX_EV_RETRIED : PCIX_EV_END, seq);
    EXPECT_VALUES(
        {r->time, (48 * n + (n < 9 ? 32 : 40)) * NS}, {r->a, AT}, {r->b, n < 9 ? 0 : 4}, {r->c, PEER_SLOT});
  }
  EXPECT_VALUES({COUNTERS("bus", pcix)->retries, 9}, {COUNTERS("bus", pcix)->transactions, 1},
      {COUNTERS("bus", pcix)->busy, (9 * 32 + 40) * NS}, {COUNTERS("bus", pcix)->data, 8 * NS});
  assert_int_equal(
      COUNTERS("bus", pcix)->no_target + COUNTERS("bus", pcix)->splits + COUNTERS("bus", pcix)->completions,
      0);
}

/* A store and a load to an address that no card claims end after 4 clocks without a response. The bridge
 * answers the load with all ones. */
TEST(an_unclaimed_transaction_ends_without_a_response) {
  quiet();
  const uint64_t nowhere = 0xc0000000ull;
  lba_rope_post(OF(part_named("lba"), lba), &(struct rope_post){.address = nowhere, .bytes = 4});
  until(1030 * NS); /* 24 ns down the rope */
  EXPECT_VALUES({BUS_NOW->target, SIM_NONE}, {BUS_NOW->state, PCIX_STATE_WRITE});
  until(1500 * NS);
  assert_int_equal(COUNTERS("bus", pcix)->busy, 32 * NS);
  lba_rope_load(OF(part_named("lba"), lba), &(struct rope_load){.address = nowhere, .bytes = 4, .tag = 0});
  until(1550 * NS); /* 16 ns down the rope */
  EXPECT_EVENTS(part_named("bus"),
      {1024 * NS, PCIX_EV_START, nowhere, PCIX_COMMAND_WRITE, BRIDGE_SLOT, ANY_CAUSE},
      {1056 * NS, PCIX_EV_UNCLAIMED, nowhere, 0, BRIDGE_SLOT, CAUSED_BY_BUS(START)},
      {1516 * NS, PCIX_EV_START, nowhere, PCIX_COMMAND_READ, BRIDGE_SLOT, ANY_CAUSE},
      {1548 * NS, PCIX_EV_UNCLAIMED, nowhere, 0, BRIDGE_SLOT, CAUSED_BY_BUS(START)});
  assert_int_equal(BRIDGE_STATE->value[0].value, UINT32_MAX); /* on its way up the rope */
  assert_int_equal(COUNTERS("bus", pcix)->no_target, 2);
  assert_int_equal(
      COUNTERS("bus", pcix)->retries + COUNTERS("bus", pcix)->transactions + COUNTERS("bus", pcix)->bytes, 0);
}

#define FILLED (100 * NS) /* until a card has got two lines to write */

/* A write takes 32 ns plus one data phase per aligned 8 B that it touches, so its offset within them counts.
 * It crosses a line boundary in the same burst. */
TEST(a_write_takes_a_clock_for_each_eight_bytes_that_it_touches) {
  static const struct {
    uint64_t offset, bytes, clocks;
    uint32_t command;
  } cases[] = {{0, 4, 1, PCIX_COMMAND_WRITE}, {4, 4, 1, PCIX_COMMAND_WRITE},
      {0, 8, 1, PCIX_COMMAND_WRITE_BLOCK}, {4, 8, 2, PCIX_COMMAND_WRITE_BLOCK},
      {0, 128, 16, PCIX_COMMAND_WRITE_BLOCK}, {4, 128, 17, PCIX_COMMAND_WRITE_BLOCK},
      {0, 256, 32, PCIX_COMMAND_WRITE_BLOCK}, {124, 8, 2, PCIX_COMMAND_WRITE_BLOCK}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint64_t width = 4; width <= 8; width += 4) {
      machine("pcix-cards");
      PARAMS("bus", pcix)->width = width;
      PARAMS("first", peer)->address = AT + cases[i].offset, PARAMS("first", peer)->bytes = cases[i].bytes,
                      PARAMS("first", peer)->direction = PEER_DIRECTION_WRITE,
                      PARAMS("first", peer)->delay = FILLED;
      machine_run();
      const uint64_t took = (32 + 8 * (width == 8 ? cases[i].clocks : cases[i].bytes / 4)) * NS;
      EXPECT_EVENTS(part_named("bus"),
          {FILLED, PCIX_EV_START, AT + cases[i].offset, cases[i].command, PEER_SLOT, ANY_CAUSE},
          {FILLED + took, PCIX_EV_END, AT + cases[i].offset, (uint32_t)cases[i].bytes, PEER_SLOT, ANY_CAUSE});
      EXPECT_VALUES({COUNTERS("bus", pcix)->busy, took}, {COUNTERS("bus", pcix)->data, took - 32 * NS},
          {COUNTERS("bus", pcix)->bytes, cases[i].bytes}, {COUNTERS("bus", pcix)->transactions, 1},
          {COUNTERS("bus", pcix)->completions, 0});
    }
}

/* A split read gets the lowest free tag, which holds its address, remaining bytes and master. The data may
 * arrive in pieces; after the last one the tag is free again. */
TEST(a_tag_holds_master_and_remaining_bytes_of_its_read) {
  quiet();
  const uint32_t tags = (uint32_t)PARAMS("bus", pcix)->tags;
  for (uint32_t tag = 0; tag < tags; tag++) {
    assert_int_equal(pcix_free_tag(OF(part_named("bus"), pcix)), tag);
    pcix_tag_at(ENGINE, CONTEXT_OF("bus", pcix), tag)->left = 128;
  }
  assert_int_equal(pcix_free_tag(OF(part_named("bus"), pcix)), SIM_NONE);
  pcix_tag_at(ENGINE, CONTEXT_OF("bus", pcix), 1)->left = 0;
  assert_int_equal(pcix_free_tag(OF(part_named("bus"), pcix)), 1);
  machine("pcix-cards");
  PARAMS("second", peer)->blocks = 1, PARAMS("second", peer)->bytes = 2 * LINE;
  PARAMS("first", peer)->blocks = 0;
  machine_run(); /* two lines with a completion each, since the first arrives long before the second */
  EXPECT_VALUES({COUNTERS("bus", pcix)->splits, 1}, {COUNTERS("bus", pcix)->completions, 2});
  assert_int_equal(session_open(machine_session()), SIM_OK);
  until(40 * NS);
  const pcix_tag *tag = pcix_tag_at(ENGINE, CONTEXT_OF("bus", pcix), 0);
  EXPECT_VALUES(
      {tag->addr, AT + 32768}, {tag->left, 2 * LINE}, {tag->master, SECOND_SLOT}, {tag->since, 32 * NS});
  until(600 * NS); /* the first completion arrived at 398 and ended at 558 */
  EXPECT_VALUES({tag->addr, AT + 32768 + LINE}, {tag->left, LINE}, {COUNTERS("second", peer)->bytes, LINE});
  session_run();
  EXPECT_VALUES({tag->left, 0}, {tag->addr, 0}, {COUNTERS("second", peer)->blocks, 1},
      {COUNTERS("first", peer)->bytes, 0});
}

/* A read requests at most 4096 B; the master requests the rest with further reads. */
TEST(a_read_requests_at_most_4096_bytes) {
  static const struct {
    uint64_t bytes, reads;
  } cases[] = {{4096, 1}, {4100, 2}, {8192, 2}, {8200, 3}};
  for (uint32_t i = 0; i < 4; i++) {
    machine("pcix-cards");
    PARAMS("first", peer)->bytes = cases[i].bytes;
    machine_run();
    assert_int_equal(COUNTERS("bus", pcix)->splits + (cases[i].bytes % 4096 == 4),
        cases[i].reads); /* a single word is not split */
    assert_int_equal(record_after(part_named("bus"), PCIX_EV_SPLIT, 0)->b, 4096);
    assert_int_equal(COUNTERS("first", peer)->bytes, cases[i].bytes);
  }
}

/*
 * The target has room for one line only: it disconnects the write there, and the rest follows in a second
 * burst. With a latency timer of 8 clocks and a second requester the burst also ends after one line, but by
 * preemption.
 */
TEST(a_write_ends_when_the_target_is_full_or_the_timer_expires) {
  for (uint32_t others = 0; others < 2; others++) {
    machine("pcix-cards");
    if (!others) PARAMS("lba", lba)->posts = 2;
    PARAMS("bus", pcix)->latency_timer = 8;
    PARAMS("first", peer)->bytes = 2 * LINE, PARAMS("first", peer)->direction = PEER_DIRECTION_WRITE;
    PARAMS("first", peer)->delay = PARAMS("second", peer)->delay = FILLED;
    PARAMS("second", peer)->blocks = others, PARAMS("second", peer)->bytes = 4,
                     PARAMS("second", peer)->direction = PEER_DIRECTION_WRITE;
    machine_run();
    const struct sim_record *cut =
        record_after(part_named("bus"), others ? PCIX_EV_PREEMPTED : PCIX_EV_DISCONNECTED, 0);
    EXPECT_VALUES({cut->time, FILLED + (32 + 128) * NS}, {cut->a, AT}, {cut->b, LINE}, {cut->c, PEER_SLOT});
    assert_null(record_after(part_named("bus"), others ? PCIX_EV_DISCONNECTED : PCIX_EV_PREEMPTED, 0));
    assert_int_equal(COUNTERS("bus", pcix)->preempted, others);
    assert_int_equal(COUNTERS("bus", pcix)->transactions, 2 + others);
    assert_int_equal(COUNTERS("bus", pcix)->bytes, 2 * LINE + 4 * others);
  }
}

/* In exploration, retried and unclaimed transactions are invisible events; split reads and data are enabled
 * ones. */
TEST(fruitless_transactions_are_invisible) {
  static const struct {
    uint32_t kind, outcome, when;
  } cases[] = {{PCIX_BLOCK, PCIX_RETRIED, SIM_INVISIBLE}, {PCIX_BLOCK, PCIX_UNCLAIMED, SIM_INVISIBLE},
      {PCIX_BLOCK, PCIX_MOVES, SIM_ENABLED}, {PCIX_BLOCK, PCIX_SPLIT, SIM_ENABLED},
      {PCIX_START, PCIX_RETRIED, SIM_ENABLED}, {PCIX_START, PCIX_UNCLAIMED, SIM_ENABLED},
      {PCIX_START, 0, SIM_ENABLED}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(
        pcix_enabled(OF(part_named("bus"), pcix), &(sim_msg){.kind = cases[i].kind, .x = cases[i].outcome}),
        cases[i].when);
}

/* A write of one line and one or two words crosses the line boundary in the same burst and takes one more
 * clock. */
TEST(a_burst_crosses_the_boundary_for_a_single_word) {
  for (uint64_t more = 0; more <= 8; more += 4) {
    machine("pcix-cards");
    PARAMS("first", peer)->direction = PEER_DIRECTION_WRITE, PARAMS("first", peer)->bytes = LINE + more;
    machine_run();
    EXPECT_VALUES({COUNTERS("bus", pcix)->bytes, LINE + more}, {COUNTERS("bus", pcix)->transactions, 1},
        {COUNTERS("bus", pcix)->busy, (32 + 128 + 8 * (more > 0)) * NS});
    assert_null(record_after(part_named("bus"), PCIX_EV_DISCONNECTED, 0));
  }
}

/* Each slot may have two windows. A master is never its own target, and the end of a window is exclusive. */
TEST(an_address_selects_its_window) {
  quiet();
  struct pcix_window *windows = BUS_STATE->windows;
  memset(windows, 0, sizeof BUS_STATE->windows);
  windows[0] = (struct pcix_window){.end = 0x10000};
  windows[7] = (struct pcix_window){.base = 0x20000, .end = 0x21000}; /* second window of the fourth slot */
  windows[14] = (struct pcix_window){.base = 0x21000, .end = 0x21010},
  windows[15] = (struct pcix_window){.base = 0x30000, .end = 0x30004};
  static const struct {
    uint64_t address;
    uint32_t master, window;
  } cases[] = {{0, 3, 0}, {0xffff, 3, 0}, {0x10000, 3, SIM_NONE}, {0x1ffff, 1, SIM_NONE}, {0x20000, 1, 7},
      {0x20fff, 1, 7}, {0x21000, 1, 14}, {0x2100f, 1, 14}, {0x21010, 1, SIM_NONE}, {0x2ffff, 1, SIM_NONE},
      {0x30003, 1, 15}, {0x30004, 1, SIM_NONE}, {0, 0, SIM_NONE}, {0x20000, 3, SIM_NONE},
      {0x21000, 7, SIM_NONE}, {0x30000, 7, SIM_NONE}, {0x20000, 7, 7}, {UINT64_MAX, 1, SIM_NONE}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(pcix_window_of(BUS_STATE, cases[i].address, cases[i].master), cases[i].window);
}
