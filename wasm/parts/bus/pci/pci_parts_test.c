/* A PCI bus of 20 ns clocks by hand: who has it next, what nobody claims or takes, and what it says and
 * counts of each transaction. */
#include "test/lba.h"

#define BUS_STATE STATE_OF("bus0", pci)
#define BUS_NOW pci_view(ENGINE, CONTEXT_OF("bus0", pci))
#define BUS_COUNT(name) (COUNTERS("bus0", pci)->name)
enum { LBA_SLOT, PEER_SLOT, LAN_SLOT };

static void slow_bus(void) {
  quiet_rope();
  SET_BUSES(clock, 50000000);
}

/*
 * A card reads a line. Each attempt is an address, a decode, and a turn-round, 60 ns, and an idle clock. The
 * line is here after 16 ns for the request, 110 in memory and 272 on the rope: 398, so that the sixth attempt
 * has it, in 16 clocks of 8 B behind its 60 ns.
 */
static void a_read_is_retried_until_its_data_is_here(void **state) {
  (void)state;
  slow_bus();
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = LINE;
  machine_run();
#define TRIES(time, why) {(time) * NS, PCI_EV_START, AT, PCI_COMMAND_READ_LINE, PEER_SLOT, why}
#define RETRIED(time, why) \
  { (time) * NS, PCI_EV_RETRIED, AT, 0, PEER_SLOT, why }
  const uint32_t again = BUS_SAYS(RETRIED);
  EXPECT_EVENTS(PCI_PART, TRIES(0, ANY_CAUSE), RETRIED(60, ANY_CAUSE), TRIES(80, again),
      RETRIED(140, BUS_SAYS(START)), TRIES(160, again), RETRIED(220, BUS_SAYS(START)), TRIES(240, again),
      RETRIED(300, BUS_SAYS(START)), TRIES(320, again), RETRIED(380, BUS_SAYS(START)), TRIES(400, again),
      {780 * NS, PCI_EV_END, AT, LINE, PEER_SLOT, ANY_CAUSE});
  assert_int_equal(BUS_COUNT(retries), 5);
  assert_int_equal(BUS_COUNT(transactions), 1);
  assert_int_equal(BUS_COUNT(busy), (5 * 60 + 60 + 320) * NS);
  assert_int_equal(BUS_COUNT(data), 320 * NS);
  assert_int_equal(BUS_COUNT(bytes), LINE);
  assert_int_equal(BUS_COUNT(no_target) + BUS_COUNT(disconnects) + BUS_COUNT(preempted), 0);
}

/* The posts of its target have room for one line: the burst is cut there, though nobody else asks. Address,
 * decode and 16 clocks. */
static void a_target_takes_what_it_has_room_for(void **state) {
  (void)state;
  slow_bus();
  PARAMS("lba0", lba)->posts = 2;
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = 2 * LINE,
                  PARAMS("peer0", peer)->direction = PEER_DIRECTION_WRITE;
  machine_open();
  until(370 * NS);
  assert_events(PCI_PART,
      (const struct told[]){{0, PCI_EV_START, AT, PCI_COMMAND_WRITE, PEER_SLOT, ANY_CAUSE},
          {360 * NS, PCI_EV_DISCONNECTED, AT, LINE, PEER_SLOT, ANY_CAUSE}},
      2);
  assert_int_equal(BUS_COUNT(disconnects), 1);
  assert_int_equal(BUS_COUNT(preempted), 0);
  session_run();
  assert_int_equal(BUS_COUNT(bytes), 2 * LINE);
  assert_int_equal(BUS_COUNT(transactions), 2);
  assert_int_equal(BUS_COUNT(disconnects), 1);
}

/* A store and a load by the bridge to where no card is: nobody answers within five clocks. The load is
 * answered by the bridge, with all ones. */
static void what_nobody_claims_ends_after_five_clocks(void **state) {
  (void)state;
  slow_bus();
  const uint64_t nowhere = 0xc0000000ull;
  machine_run();
  lba_rope_post(
      ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &(struct rope_post){.address = nowhere, .bytes = 4});
  until(30 * NS); /* 24 ns down the rope */
  assert_int_equal(BUS_NOW->bytes, 4);
  assert_int_equal(BUS_NOW->target, SIM_NONE);
  assert_int_equal(BUS_NOW->state, PCI_STATE_WRITE);
  session_run();
  assert_int_equal(BUS_COUNT(busy), 100 * NS);
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
  lba_rope_load(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
      &(struct rope_load){.address = nowhere, .bytes = 4, .tag = 0});
  until(1000 * NS + 16 * NS); /* 16 ns down the rope */
  assert_int_equal(BUS_NOW->state, PCI_STATE_READ);
  until(1120 * NS); /* the value is still on its way up */
  EXPECT_EVENTS(PCI_PART, {24 * NS, PCI_EV_START, nowhere, PCI_COMMAND_WRITE, LBA_SLOT, ANY_CAUSE},
      {124 * NS, PCI_EV_UNCLAIMED, nowhere, 0, LBA_SLOT, BUS_SAYS(START)},
      {1016 * NS, PCI_EV_START, nowhere, PCI_COMMAND_READ, LBA_SLOT, ANY_CAUSE},
      {1116 * NS, PCI_EV_UNCLAIMED, nowhere, 0, LBA_SLOT, BUS_SAYS(START)});
  assert_int_equal(STATE->value[0].value, UINT32_MAX);
  assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued, 0);
  assert_int_equal(BUS_COUNT(no_target), 2);
  assert_int_equal(BUS_COUNT(transactions) + BUS_COUNT(bytes) + BUS_COUNT(retries), 0);
}

/* A store of four bytes is one data phase, behind address and decode; its load by the same, one more for the
 * wires, and what the card takes. */
static void a_word_takes_address_decode_and_a_data_phase(void **state) {
  (void)state;
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
      {1096 * NS, PCI_EV_END, at, 4, LBA_SLOT, ANY_CAUSE});
  assert_int_equal(BUS_COUNT(busy), (60 + 80) * NS);
  assert_int_equal(BUS_COUNT(data), 40 * NS);
}

/* Each slot may have two windows. Who begins a transaction is not its target, and a window ends where it
 * ends. */
static void an_address_leads_to_the_slot_whose_window_it_is_in(void **state) {
  (void)state;
  slow_bus();
  machine_open();
  struct pci_windows *windows = BUS_STATE->windows;
  memset(windows, 0, sizeof BUS_STATE->windows);
  windows[0] = (struct pci_windows){0, 0x10000};       /* of the first slot */
  windows[7] = (struct pci_windows){0x20000, 0x21000}; /* the fourth's second */
  windows[14] = (struct pci_windows){0x21000, 0x21010},
  windows[15] = (struct pci_windows){0x30000, 0x30004}; /* both of the last */
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

/* What is in vain is over at once where the order of events is open; all else may take its time. */
static void what_is_in_vain_is_one_event(void **state) {
  (void)state;
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

/* A burst of two lines is over behind the first where its master has no more, though the target would take
 * both: it is neither cut nor in vain. */
static void a_burst_ends_where_its_master_has_no_more(void **state) {
  (void)state;
  slow_bus();
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = 2 * LINE,
                  PARAMS("peer0", peer)->direction = PEER_DIRECTION_WRITE;
  machine_open();
  until(300 * NS); /* address, decode and 16 clocks: 360 */
  assert_int_equal(BUS_NOW->bytes, 2 * LINE);
  STATE_OF("peer0", peer)->burst_left = LINE;
  session_run();
  EXPECT_EVENTS(PCI_PART, {0, PCI_EV_START, AT, PCI_COMMAND_WRITE, PEER_SLOT, ANY_CAUSE},
      {360 * NS, PCI_EV_END, AT, LINE, PEER_SLOT, ANY_CAUSE});
  assert_int_equal(BUS_NOW->state, PCI_STATE_IDLE);
  assert_int_equal(BUS_COUNT(transactions), 1);
  assert_int_equal(BUS_COUNT(bytes), LINE);
  assert_int_equal(BUS_COUNT(preempted) + BUS_COUNT(disconnects) + BUS_COUNT(retries), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_address_leads_to_the_slot_whose_window_it_is_in),
      cmocka_unit_test(a_read_is_retried_until_its_data_is_here),
      cmocka_unit_test(a_target_takes_what_it_has_room_for),
      cmocka_unit_test(what_nobody_claims_ends_after_five_clocks),
      cmocka_unit_test(a_word_takes_address_decode_and_a_data_phase),
      cmocka_unit_test(what_is_in_vain_is_one_event),
      cmocka_unit_test(a_burst_ends_where_its_master_has_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
