/* Host and card, driven from either side: a command from its data to its result, a flag and its word, and
 * the violations found on a bus that breaks PCI's ordering rules. */
#include "test/testing.h"

enum { PAIR_PART, BUS_PART, PARTS = BUS_PART + 2 };
enum { HOST, CARD };
#define ENGINE test_engine()
#define NOW pci_pair_view(OF(PAIR_PART, pci_pair))
#define ACTION(name) (1u << PCI_PAIR_ACTION_##name)

static void opened(void) {
  static struct session s;
  const struct pci_params bus = PCI_DEFAULTS;
  s = session_new(PARTS, 2, 10);
  session_part(&s, SIM_TYPE_PCI_PAIR, NULL, 0);
  for (uint32_t side = 0; side < 2; side++)
    session_part(&s, SIM_TYPE_PCI, (const uint64_t *)&bus, sizeof bus / 8);
  for (uint32_t side = 0; side < 2; side++)
    session_wire(&s, PAIR_PART, PCI_PAIR_PORT_BUS + side, BUS_PART + side, PCI_PORT_SLOT);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_host_state(ENGINE)->exploring = 1;
}

/* Whether a side has requested its bus since the last call, and the other side has not. */
static int asks(uint32_t side) {
  struct pci_now *mine = pci_view(OF(BUS_PART + side, pci)), *other = pci_view(OF(BUS_PART + !side, pci));
  uint32_t asked = mine->requests;
  assert_int_equal(other->requests, 0);
  mine->requests = 0;
  return asked == 1;
}

/* The possible actions of a side, as a set. A side without any is disabled. */
static uint32_t may(uint32_t side) {
  uint32_t list[4], n = pci_pair_list(OF(PAIR_PART, pci_pair), side, list), set = 0;
  for (uint32_t i = 0; i < n; i++) set |= 1u << list[i];
  assert_int_equal(__builtin_popcount(set), n);
  assert_int_equal(pci_pair_enabled(OF(PAIR_PART, pci_pair), &(sim_msg){.port = SIM_PORT_SELF, .addr = side}),
      n ? SIM_ENABLED : SIM_DISABLED);
  return set;
}

static void acts(uint32_t side, uint32_t action) {
  uint32_t list[4], n = pci_pair_list(OF(PAIR_PART, pci_pair), side, list), nth = 0,
                    busy = ENGINE->pending - 2;
  struct sim_host_state *choices = sim_host_state(ENGINE);
  while (nth < n && list[nth] != action) nth++;
  assert_true(nth < n);
  choices->choices_made = choices->forced_choices =
      0; /* which side chooses, and what: a single option takes no choice */
  if ((may(HOST) != 0) + (may(CARD) != 0) + busy > 1)
    choices->choice[choices->forced_choices++] = side == CARD && may(HOST);
  if (n > 1) choices->choice[choices->forced_choices++] = nth;
  assert_true(sim_explore_step(ENGINE));
  assert_in_range(
      ENGINE->pending, 2 + busy, 3 + busy); /* it schedules its next choice; a bus may have been requested */
}

static int granted(uint32_t side, uint64_t address, uint32_t command) {
  struct pci_grant q = {0};
  if (!pci_pair_bus_grant(OF(PAIR_PART, pci_pair), side, &q)) return 0;
  EXPECT_VALUES({q.address, address}, {q.bytes, 4}, {q.command, command});
  return 1;
}

/* What a master supplies: a value, or a write number. */
static void gives(uint32_t side, uint32_t value, uint32_t write) {
  uint32_t words[1] = {99};
  struct pci_master_give q = {.value = 99, .bytes = 4, .writes = words};
  pci_pair_bus_master_give(OF(PAIR_PART, pci_pair), side, &q);
  EXPECT_VALUES({q.value, value}, {words[0], write});
}
static void takes(uint32_t side, uint64_t value, uint32_t write) {
  pci_pair_bus_master_take(
      OF(PAIR_PART, pci_pair), side, &(struct pci_master_take){.value = value, .bytes = 4, .writes = &write});
}
static void moved(uint32_t side, uint32_t bytes) {
  assert_int_equal(
      pci_pair_bus_moved(OF(PAIR_PART, pci_pair), side, &(struct pci_moved){.bytes = bytes, .last = 1}), 0);
}
static void stored(uint32_t side, uint64_t address, uint64_t value, uint32_t write) {
  pci_pair_bus_target_take(OF(PAIR_PART, pci_pair), side,
      &(struct pci_target_take){.address = address, .bytes = 4, .value = value, .writes = &write});
}
static uint32_t status(void) {
  uint32_t word = 99;
  struct pci_target_give q = {.address = PAIR_CARD + PAIR_STATUS, .bytes = 4, .value = 99, .writes = &word};
  pci_pair_bus_target_give(OF(PAIR_PART, pci_pair), CARD, &q);
  assert_int_equal(word, 99);
  return (uint32_t)q.value;
}

/* The host sends a command; the card receives it, reads its data, writes its result, and is polled until it
 * is done. Twice, once for each bit. */
TEST(a_command_runs_from_its_data_to_its_result) {
  opened();
  for (uint32_t bit = 1; bit < 2; bit--) {
    assert_int_equal(may(HOST), ACTION(COMMAND) | ACTION(FLAG));
    assert_int_equal(may(CARD), 0); /* no flag to poll for */
    assert_false(granted(HOST, 0, 0));
    assert_false(granted(CARD, 0, 0));
    acts(HOST, PCI_PAIR_ACTION_COMMAND);
    assert_true(asks(HOST));
    assert_int_equal(may(HOST), 0); /* one action at a time */
    assert_true(granted(HOST, PAIR_CARD + PAIR_COMMAND, PCI_COMMAND_WRITE));
    gives(HOST, bit, 0);
    moved(HOST, 0); /* a retry */
    assert_true(asks(HOST));
    moved(HOST, 4);
    assert_false(asks(HOST));
    assert_false(granted(HOST, 0, 0));
    assert_int_equal(may(HOST), ACTION(POLL) | ACTION(FLAG));
    assert_int_equal(status(), 1);
    stored(CARD, PAIR_CARD + PAIR_COMMAND, bit, 0);
    assert_int_equal(status(), 0);
    assert_true(asks(CARD));
    assert_int_equal(may(CARD), 0);
    assert_true(granted(CARD, PAIR_DATA, PCI_COMMAND_READ));
    moved(CARD, 0);
    assert_true(asks(CARD));
    takes(CARD, 0, 1 + bit);
    moved(CARD, 4);
    assert_true(asks(CARD));
    assert_true(granted(CARD, PAIR_RESULT, PCI_COMMAND_WRITE));
    gives(CARD, 0, 1 + bit);
    acts(HOST, PCI_PAIR_ACTION_POLL);
    assert_true(asks(HOST));
    assert_true(granted(HOST, PAIR_CARD + PAIR_STATUS, PCI_COMMAND_READ));
    gives(HOST, 0, 0);
    takes(HOST, status(), 0); /* not done yet */
    moved(HOST, 4);
    assert_int_equal(may(HOST), ACTION(POLL) | ACTION(FLAG));
    stored(HOST, PAIR_RESULT, 0, 1 + bit);
    moved(CARD, 4);
    assert_false(asks(CARD));
    assert_false(granted(CARD, 0, 0));
    acts(HOST, PCI_PAIR_ACTION_POLL);
    assert_true(asks(HOST));
    takes(HOST, status(), 0);
    moved(HOST, 4);
    assert_int_equal(sim_host_state(ENGINE)->broken, SIM_HOLDS);
  }
#define ACTS(action) {0, PCI_PAIR_EV_ACTS, 0, PCI_PAIR_ACTION_##action, 0, ANY_CAUSE}
#define GETS(address, bit) {0, PCI_PAIR_EV_CARD, address, bit, 0, ANY_CAUSE}
#define DONE(bit) {0, PCI_PAIR_EV_DONE, 0, bit, 0, ANY_CAUSE}
  EXPECT_EVENTS(PAIR_PART, ACTS(COMMAND), GETS(PAIR_DATA, 1), ACTS(POLL), ACTS(POLL), DONE(1), ACTS(COMMAND),
      GETS(PAIR_DATA, 0), ACTS(POLL), ACTS(POLL), DONE(0));
}

/* A word, then a flag in memory: the card polls until it sees the flag, and then has the word. */
TEST(a_flag_arrives_after_its_word) {
  opened();
  for (uint32_t bit = 1; bit < 2; bit--) {
    assert_int_equal(may(CARD), 0);
    acts(HOST, PCI_PAIR_ACTION_FLAG);
    assert_true(asks(HOST));
    assert_true(granted(HOST, PAIR_CARD + PAIR_WORD, PCI_COMMAND_WRITE));
    gives(HOST, bit, 0);
    assert_int_equal(may(CARD), ACTION(LOOK));
    acts(CARD, PCI_PAIR_ACTION_LOOK);
    assert_true(asks(CARD));
    assert_int_equal(may(CARD), 0);
    assert_true(granted(CARD, PAIR_FLAG, PCI_COMMAND_READ));
    takes(CARD, 0, 1 + !bit); /* the previous flag */
    moved(CARD, 4);
    assert_int_equal(may(CARD), ACTION(LOOK));
    moved(HOST, 4);
    assert_int_equal(may(HOST), ACTION(COMMAND)); /* no further flag until the card has seen this one */
    stored(CARD, PAIR_CARD + PAIR_WORD, bit, 0);
    acts(CARD, PCI_PAIR_ACTION_LOOK);
    assert_true(asks(CARD));
    takes(CARD, 0, 1 + bit);
    moved(CARD, 4);
    assert_int_equal(sim_host_state(ENGINE)->broken, SIM_HOLDS);
    assert_int_equal(may(HOST), ACTION(COMMAND) | ACTION(FLAG));
  }
  EXPECT_EVENTS(PAIR_PART, ACTS(FLAG), ACTS(LOOK), GETS(PAIR_FLAG, 0), ACTS(LOOK), GETS(PAIR_FLAG, 1),
      ACTS(FLAG), ACTS(LOOK), GETS(PAIR_FLAG, 1), ACTS(LOOK), GETS(PAIR_FLAG, 0));
}

/* A command that arrives during a poll is started after it. While the card has a command it does not
 * poll. */
TEST(a_command_waits_for_the_card_s_poll) {
  opened();
  acts(HOST, PCI_PAIR_ACTION_FLAG), asks(HOST), moved(HOST, 4);
  acts(CARD, PCI_PAIR_ACTION_LOOK), asks(CARD);
  stored(CARD, PAIR_CARD + PAIR_COMMAND, 1, 0);
  assert_false(asks(CARD));
  assert_true(granted(CARD, PAIR_FLAG, PCI_COMMAND_READ));
  takes(CARD, 0, 1);
  moved(CARD, 4);
  assert_true(asks(CARD));
  assert_true(granted(CARD, PAIR_DATA, PCI_COMMAND_READ));
  assert_int_equal(may(CARD), 0);
  NOW->does = PAIR_IDLE;
  assert_int_equal(may(CARD), 0); /* it has received a command and is not done with it */
}

/* Each rule once kept and once broken. */
TEST(rules_of_a_bus_are_checked) {
  for (uint32_t bit = 0; bit < 2; bit++)
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
      opened(); /* stale data for a new command */
      NOW->received = bit, NOW->does = PAIR_READS, NOW->got = bit ^ wrong;
      moved(CARD, 4);
      assert_int_equal(sim_host_state(ENGINE)->broken, wrong ? SIM_CURRENT_DEVICE : SIM_HOLDS);
      if (wrong) assert_int_equal(sim_host_state(ENGINE)->broken_at, PAIR_DATA);
      opened(); /* done without the result */
      NOW->job = NOW->value = 1, NOW->first = PAIR_STATUS << 1, NOW->command = bit, NOW->result = bit ^ wrong;
      moved(HOST, 4);
      EXPECT_VALUES({NOW->job, 0}, {sim_host_state(ENGINE)->broken, wrong ? SIM_DONE_IS_DONE : SIM_HOLDS});
      if (wrong) assert_int_equal(sim_host_state(ENGINE)->broken_at, PAIR_RESULT);
      opened(); /* a new flag without its word */
      NOW->does = PAIR_POLLS, NOW->unseen = 1, NOW->flag = NOW->got = bit, NOW->word = bit ^ wrong;
      moved(CARD, 4);
      assert_int_equal(sim_host_state(ENGINE)->broken, wrong ? SIM_IN_ORDER : SIM_HOLDS);
      if (wrong) assert_int_equal(sim_host_state(ENGINE)->broken_at, PAIR_FLAG);
    }
}

/* The host has memory from 0, the card its page of registers. In memory, flag and data are adjacent, each
 * with the write number of its bit. */
TEST(each_side_claims_its_own_addresses) {
  opened();
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t which = 0; which < 2; which++) {
      struct pci_claim window = {.base = 99, .which = which};
      assert_int_equal(pci_pair_bus_claim(OF(PAIR_PART, pci_pair), side, &window), which == 0);
      assert_int_equal(window.base, side == HOST ? 0 : PAIR_CARD);
      assert_int_equal(window.length, side == HOST ? 65536 : 4096);
    }
  for (uint32_t bits = 0; bits < 4; bits++) {
    uint32_t words[5] = {9, 9, 9, 9, 9}, expected[5] = {0, 1 + (bits & 1), 1 + (bits >> 1), 0, 9};
    NOW->flag = bits & 1, NOW->data = bits >> 1, NOW->received = 0, NOW->status = 0;
    struct pci_target_give q = {.address = PAIR_FLAG - 4, .bytes = 16, .value = 99, .writes = words};
    pci_pair_bus_target_give(OF(PAIR_PART, pci_pair), HOST, &q);
    assert_memory_equal(words, expected, sizeof words);
    assert_int_equal(q.value, 0);
  }
}

/* Reads of the host's memory do not pass a store that the host still has queued: they are retried. Writes,
 * and reads behind a read, are not. */
TEST(the_host_obeys_the_ordering_rules_too) {
  static const struct {
    uint32_t queued, reg, command, taken;
  } cases[] = {{0, PAIR_COMMAND, PCI_COMMAND_READ, 64}, {1, PAIR_COMMAND, PCI_COMMAND_READ, 0},
      {1, PAIR_WORD, PCI_COMMAND_READ, 0}, {1, PAIR_STATUS, PCI_COMMAND_READ, 64},
      {1, PAIR_COMMAND, PCI_COMMAND_WRITE, 64}};
  opened();
  ENGINE->time = 1234;
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t side = 0; side < 2; side++) {
      struct pci_begin q = {.address = PAIR_DATA, .bytes = 64, .command = cases[i].command};
      NOW->queued = cases[i].queued, NOW->first = cases[i].reg << 1 | 1;
      assert_int_equal(
          pci_pair_bus_begin(OF(PAIR_PART, pci_pair), side, &q), side == HOST ? cases[i].taken : 64);
      assert_int_equal(q.ready, 1234);
    }
}

/* Everything except data read for an action that is over, and a value without a poll that waits for it. */
TEST(all_state_under_way_is_serialized) {
  opened();
  struct pci_pair_now *now = NOW;
  for (uint32_t does = PAIR_IDLE; does <= PAIR_POLLS; does++)
    for (uint32_t polls = 0; polls < 2; polls++) {
      for (uint32_t *field = &now->command; field <= &now->value; field++) *field = 1;
      now->does = does, now->polls = polls;
      KEEPS(PAIR_PART, &now->command, &now->job, &now->data, &now->result, &now->flag, &now->unseen,
          &now->word, &now->status, &now->received, &now->queued, &now->first);
      EXPECT_VALUES({now->got, does == PAIR_READS || does == PAIR_POLLS}, {now->value, polls});
    }
  now->does = PAIR_READS, now->got = now->polls = now->value = 1;
  KEEPS(PAIR_PART, &now->does, &now->got, &now->polls, &now->value);
}

/* The view is one row for host and card, however often it is requested. */
TEST(one_pair_is_shown) {
  opened();
  uint32_t rows;
  assert_ptr_equal(checked_view(ENGINE, PAIR_PART, PCI_PAIR_VIEW_NOW, &rows), NOW);
  assert_int_equal(rows, 1);
}
