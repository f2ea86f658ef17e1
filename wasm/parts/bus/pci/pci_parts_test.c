/* Unit tests of a PCI bus with clocks of 20 ns: arbitration, unclaimed and retried transactions, trace events
 * and counters. */
#include "test/lba.h"

#define BUS_STATE STATE_OF("bus0", pci)
#define BUS_NOW pci_view(ENGINE, CONTEXT_OF("bus0", pci))
#define BUS_COUNT(name) (COUNTERS("bus0", pci)->name)
enum { LBA_SLOT, PEER_SLOT, LAN_SLOT };

static void slow_bus(void) {
  quiet_rope();
  SET_BUSES(clock, 50000000);
}

#define FILLED 100u /* ns in which a card has got two lines to write */

/*
 * A card reads a line. Each attempt takes an address, a decode and a stop cycle, 60 ns, followed by an
 * idle clock. The line arrives after 398 ns: 16 for the request, 110 in memory and 272 on the rope. So the
 * sixth attempt succeeds; it takes 40 ns and 16 clocks of 8 B.
 */
TEST(a_read_is_retried_until_its_data_has_arrived) {
  slow_bus();
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = LINE;
  machine_run();
#define TRIES(time, why) {(time) * NS, PCI_EV_START, AT, PCI_COMMAND_READ_LINE, PEER_SLOT, why}
#define RETRIED(time, why) \
  { (time) * NS, PCI_EV_RETRIED, AT, 0, PEER_SLOT, why }
  const uint32_t again = CAUSED_BY_BUS(RETRIED);
  EXPECT_EVENTS(PCI_PART, TRIES(0, ANY_CAUSE), RETRIED(60, ANY_CAUSE), TRIES(80, again),
      RETRIED(140, CAUSED_BY_BUS(START)), TRIES(160, again), RETRIED(220, CAUSED_BY_BUS(START)),
      TRIES(240, again), RETRIED(300, CAUSED_BY_BUS(START)), TRIES(320, again),
      RETRIED(380, CAUSED_BY_BUS(START)), TRIES(400, again),
      {760 * NS, PCI_EV_END, AT, LINE, PEER_SLOT, ANY_CAUSE});
  EXPECT_VALUES({BUS_COUNT(retries), 5}, {BUS_COUNT(transactions), 1},
      {BUS_COUNT(busy), (5 * 60 + 40 + 320) * NS}, {BUS_COUNT(data), 320 * NS}, {BUS_COUNT(bytes), LINE},
      {BUS_COUNT(no_target) + BUS_COUNT(disconnects) + BUS_COUNT(preempted), 0});
}

/*
 * The arbiter takes GNT# back from a master that its target stops: the card has the bus again two clocks
 * after the idle one, so the fourth attempt finds the line. Another master needs no more than the idle clock.
 */
TEST(a_stopped_master_waits_for_its_grant) {
  slow_bus();
  PARAMS("bus0", pci)->regrant = 2;
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = LINE;
  machine_run();
  EXPECT_EVENTS(PCI_PART, TRIES(0, ANY_CAUSE), RETRIED(60, ANY_CAUSE), TRIES(120, ANY_CAUSE),
      RETRIED(180, ANY_CAUSE), TRIES(240, ANY_CAUSE), RETRIED(300, ANY_CAUSE), TRIES(360, ANY_CAUSE),
      RETRIED(420, ANY_CAUSE), TRIES(480, ANY_CAUSE), {840 * NS, PCI_EV_END, AT, LINE, PEER_SLOT, ANY_CAUSE});
  EXPECT_VALUES({BUS_COUNT(retries), 4}, {BUS_COUNT(transactions), 1});
}

/* The bridge's posted-write buffer has room for one line: it disconnects the burst there, without another
 * requester. Address, decode and 16 clocks of data take 360 ns. */
TEST(a_target_disconnects_when_it_is_full) {
  slow_bus();
  PARAMS("lba0", lba)->posts = 2;
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = 2 * LINE,
                  PARAMS("peer0", peer)->direction = PEER_DIRECTION_WRITE,
                  PARAMS("peer0", peer)->delay = FILLED * NS;
  machine_open();
  until((FILLED + 370) * NS);
  assert_events(PCI_PART,
      (const struct expected_event[]){
          {FILLED * NS, PCI_EV_START, AT, PCI_COMMAND_WRITE, PEER_SLOT, ANY_CAUSE},
          {(FILLED + 360) * NS, PCI_EV_DISCONNECTED, AT, LINE, PEER_SLOT, ANY_CAUSE}},
      2);
  EXPECT_VALUES({BUS_COUNT(disconnects), 1}, {BUS_COUNT(preempted), 0});
  session_run();
  EXPECT_VALUES({BUS_COUNT(bytes), 2 * LINE}, {BUS_COUNT(transactions), 2}, {BUS_COUNT(disconnects), 1});
}

/* The target of a read burst ends it with the data of the current block. Nobody else can, and a write, a
 * retried read and an idle bus go on as they are. */
TEST(only_the_target_of_a_read_stops_its_burst) {
  static const struct {
    uint32_t state, slot, accepted, stopped;
  } cases[] = {{PCI_STATE_READ, LBA_SLOT, LINE, 1}, {PCI_STATE_READ, LAN_SLOT, LINE, 0},
      {PCI_STATE_WRITE, LBA_SLOT, LINE, 0}, {PCI_STATE_READ, LBA_SLOT, 0, 0},
      {PCI_STATE_IDLE, LBA_SLOT, LINE, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    slow_bus();
    machine_run();
    *BUS_NOW = (struct pci_now){
        .state = cases[i].state, .target = LBA_SLOT, .addr = AT + LINE, .moved = LINE, .bytes = 4 * LINE};
    BUS_STATE->accepted = cases[i].accepted;
    struct pci_stop stop = {0};
    assert_int_equal(pci_slot_stop(ENGINE, CONTEXT_OF("bus0", pci), cases[i].slot, &stop), cases[i].stopped);
    assert_int_equal(BUS_NOW->bytes, cases[i].stopped ? 2 * LINE : 4 * LINE);
    assert_int_equal(stop.end, cases[i].stopped ? AT + 2 * LINE : 0);
  }
}

/* The bridge stores to and loads from an address that no card claims: both end in a master abort after five
 * clocks. The bridge answers the load with all ones. */
TEST(an_unclaimed_transaction_ends_after_five_clocks) {
  slow_bus();
  const uint64_t nowhere = 0xc0000000ull;
  machine_run();
  lba_rope_post(
      ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &(struct rope_post){.address = nowhere, .bytes = 4});
  until(30 * NS); /* 24 ns down the rope */
  EXPECT_VALUES({BUS_NOW->bytes, 4}, {BUS_NOW->target, SIM_NONE}, {BUS_NOW->state, PCI_STATE_WRITE});
  session_run();
  assert_int_equal(BUS_COUNT(busy), 100 * NS);
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
  lba_rope_load(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
      &(struct rope_load){.address = nowhere, .bytes = 4, .tag = 0});
  until(1000 * NS + 16 * NS); /* 16 ns down the rope */
  assert_int_equal(BUS_NOW->state, PCI_STATE_READ);
  until(1120 * NS); /* the value is still on its way up */
  EXPECT_EVENTS(PCI_PART, {24 * NS, PCI_EV_START, nowhere, PCI_COMMAND_WRITE, LBA_SLOT, ANY_CAUSE},
      {124 * NS, PCI_EV_UNCLAIMED, nowhere, 0, LBA_SLOT, CAUSED_BY_BUS(START)},
      {1016 * NS, PCI_EV_START, nowhere, PCI_COMMAND_READ, LBA_SLOT, ANY_CAUSE},
      {1116 * NS, PCI_EV_UNCLAIMED, nowhere, 0, LBA_SLOT, CAUSED_BY_BUS(START)});
  assert_int_equal(STATE->value[0].value, UINT32_MAX);
  assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued, 0);
  assert_int_equal(BUS_COUNT(no_target), 2);
  assert_int_equal(BUS_COUNT(transactions) + BUS_COUNT(bytes) + BUS_COUNT(retries), 0);
}

/* A store of four bytes takes address, decode and one data phase. So does a load: decode hides the
 * turnaround. */
TEST(a_word_takes_address_decode_and_a_data_phase) {
  slow_bus();
  machine_run();
  lba_rope_post(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
      &(struct rope_post){.address = PARAMS("lan0", lan_card)->registers + 0xff8, .bytes = 4});
  session_run();
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
  lba_rope_load(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
      &(struct rope_load){.address = PARAMS("lan0", lan_card)->registers + 0xff8, .bytes = 4, .tag = 0});
  until(1100 * NS);
  const uint64_t at = PARAMS("lan0", lan_card)->registers + 0xff8;
  EXPECT_EVENTS(PCI_PART, {24 * NS, PCI_EV_START, at, PCI_COMMAND_WRITE, LBA_SLOT, ANY_CAUSE},
      {84 * NS, PCI_EV_END, at, 4, LBA_SLOT, ANY_CAUSE},
      {1016 * NS, PCI_EV_START, at, PCI_COMMAND_READ, LBA_SLOT, ANY_CAUSE},
      {1076 * NS, PCI_EV_END, at, 4, LBA_SLOT, ANY_CAUSE});
  EXPECT_VALUES({BUS_COUNT(busy), (60 + 60) * NS}, {BUS_COUNT(data), 40 * NS});
}

/* Each slot may have two windows. A master is never its own target, and the end of a window is exclusive. */
TEST(an_address_selects_the_slot_of_its_window) {
  slow_bus();
  machine_open();
  struct pci_windows *windows = BUS_STATE->windows;
  memset(windows, 0, sizeof BUS_STATE->windows);
  windows[0] = (struct pci_windows){0, 0x10000};       /* first slot */
  windows[7] = (struct pci_windows){0x20000, 0x21000}; /* second window of the fourth slot */
  windows[14] = (struct pci_windows){0x21000, 0x21010},
  windows[15] = (struct pci_windows){0x30000, 0x30004}; /* both windows of the last slot */
  static const struct {
    uint64_t address;
    uint32_t master, slot;
  } cases[] = {{0, 3, 0}, {0xffff, 3, 0}, {0x10000, 3, SIM_NONE}, {0x1ffff, 1, SIM_NONE}, {0x20000, 1, 3},
      {0x20fff, 1, 3}, {0x21000, 1, 7}, {0x2100f, 1, 7}, {0x21010, 1, SIM_NONE}, {0x2ffff, 1, SIM_NONE},
      {0x30003, 1, 7}, {0x30004, 1, SIM_NONE}, {0, 0, SIM_NONE}, {0x20000, 3, SIM_NONE},
      {0x21000, 7, SIM_NONE}, {0x30000, 7, SIM_NONE}, {0x20000, 7, 3}, {UINT64_MAX, 1, SIM_NONE}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(pci_target(BUS_STATE, cases[i].address, cases[i].master), cases[i].slot);
}

/* In exploration, transactions that move no data are invisible events; all others are enabled ones. */
TEST(fruitless_transactions_are_invisible) {
  slow_bus();
  machine_open();
  static const struct {
    uint32_t kind, accepted, when;
  } cases[] = {{PCI_BLOCK, 0, SIM_INVISIBLE}, {PCI_BLOCK, 1, SIM_ENABLED}, {PCI_BLOCK, 128, SIM_ENABLED},
      {PCI_START, 0, SIM_ENABLED}, {PCI_START, 4, SIM_ENABLED}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    BUS_STATE->accepted = cases[i].accepted;
    assert_int_equal(
        pci_enabled(ENGINE, SIM_CONTEXT(ENGINE, PCI_PART, pci), &(sim_msg){.kind = cases[i].kind}),
        cases[i].when);
  }
}

/* The master of a burst of two lines ends it after the first, although the target would accept both. This is
 * neither a disconnect nor a retry. */
TEST(a_master_may_end_its_burst_early) {
  slow_bus();
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = 2 * LINE,
                  PARAMS("peer0", peer)->direction = PEER_DIRECTION_WRITE,
                  PARAMS("peer0", peer)->delay = FILLED * NS;
  machine_open();
  until((FILLED + 300) * NS); /* address, decode and 16 clocks end after 360 */
  assert_int_equal(BUS_NOW->bytes, 2 * LINE);
  STATE_OF("peer0", peer)->burst_left = LINE;
  session_run();
  EXPECT_EVENTS(PCI_PART, {FILLED * NS, PCI_EV_START, AT, PCI_COMMAND_WRITE, PEER_SLOT, ANY_CAUSE},
      {(FILLED + 360) * NS, PCI_EV_END, AT, LINE, PEER_SLOT, ANY_CAUSE});
  EXPECT_VALUES({BUS_NOW->state, PCI_STATE_IDLE}, {BUS_COUNT(transactions), 1}, {BUS_COUNT(bytes), LINE},
      {BUS_COUNT(preempted) + BUS_COUNT(disconnects) + BUS_COUNT(retries), 0});
}
