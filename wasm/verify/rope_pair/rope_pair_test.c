/* Processors and card, driven from either side: their possible actions, a command from its data to its
 * result, and the violations found on a rope that breaks its rules. */
#include "test/order_machine.h"

#define ENGINE test_engine()
#define NOW rope_pair_view(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair))
#define WAITS (*rope_pair_waits(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), 0))
#define ACTION(name) (1u << ROPE_PAIR_ACTION_##name)
#define DATA (ORDER_FLAG + 4)
#define RESULT 0x2000ull
#define BROKEN (sim_host_state(ENGINE)->broken)

static uint32_t may(uint32_t who) {
  uint32_t list[4], n = rope_pair_list(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), who, list), set = 0;
  for (uint32_t i = 0; i < n; i++) set |= 1u << list[i];
  assert_int_equal(__builtin_popcount(set), n);
  assert_int_equal(rope_pair_enabled(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair),
                       &(sim_msg){.port = SIM_PORT_SELF, .addr = who}),
      n ? SIM_ENABLED : SIM_DISABLED);
  assert_int_equal(rope_pair_enabled(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair),
                       &(sim_msg){.port = ROPE_PAIR_PORT_FRONT, .addr = who}),
      SIM_ENABLED);
  return set;
}

static void acts(uint32_t who, uint32_t action) {
  uint32_t list[4], n = rope_pair_list(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), who, list), nth = 0,
                    pending = ENGINE->pending;
  struct sim_host_state *choices = sim_host_state(ENGINE);
  while (nth < n && list[nth] != action) nth++;
  assert_true(nth < n);
  choices->forced_choices = 1, choices->choices_made = 0, choices->choice[0] = nth;
  rope_pair_self(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair),
      &(sim_msg){.port = SIM_PORT_SELF, .kind = 1, .addr = who});
  assert_true(ENGINE->pending > pending); /* schedules its next choice */
}

static int asks(void) {
  struct pci_now *bus = pci_view(ENGINE, SIM_CONTEXT(ENGINE, R_BUS, pci));
  uint32_t asked = bus->requests >> 1 & 1;
  bus->requests = 0;
  return (int)asked;
}

static uint32_t word_at(uint64_t address, uint32_t set) {
  uint32_t word = set;
  call_front_observe(ENGINE, R_PAIR, ROPE_PAIR_PORT_FRONT,
      &(struct front_observe){.address = address, .bytes = 4, .set = set != 0, .writes = &word});
  return word;
}

static int granted(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_grant q = {0};
  if (!rope_pair_bus_grant(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), &q)) return 0;
  EXPECT_VALUES({q.address, address}, {q.bytes, bytes}, {q.command, command});
  return 1;
}
static void moved(uint32_t bytes) {
  assert_int_equal(rope_pair_bus_moved(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair),
                       &(struct pci_moved){.bytes = bytes, .last = 1}),
      0);
}
static void takes(uint64_t address, uint32_t nth, uint32_t write) {
  uint32_t words[2] = {0, 0};
  words[nth] = write;
  rope_pair_bus_master_take(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair),
      &(struct pci_master_take){.address = address, .bytes = 8, .writes = words});
}
static void stored(uint64_t reg, uint64_t value) {
  rope_pair_bus_target_take(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair),
      &(struct pci_target_take){.address = ROPE_PAIR_REGISTERS + reg, .bytes = 4, .value = value});
}
static uint32_t status(void) {
  struct pci_target_give q = {.value = 99};
  rope_pair_bus_target_give(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), &q);
  return (uint32_t)q.value;
}
static uint32_t stores(void) { return lba_view(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba))->stores; }

/* A line is fetched into the cache, the data is stored, and the command goes down the rope. The card reads,
 * writes and reads back. The processor polls until the card is done, and finds the result. */
TEST(a_command_runs_from_its_data_to_its_result) {
  order_open(&(struct order){0});
  for (uint32_t bit = 1; bit < 2; bit--) {
    assert_int_equal(may(0), ACTION(COMMAND) | ACTION(FLAG));
    assert_int_equal(may(ROPE_PAIR_CARD), 0);
    assert_false(granted(0, 0, 0) && NOW->does);
    acts(0, ROPE_PAIR_ACTION_COMMAND);
    assert_int_equal(NOW->job, 1);
    if (bit) { /* the cache fetches the line first, and keeps it */
      assert_int_equal(WAITS, ROPE_PAIR_WAITS_DATA);
      assert_int_equal(may(0), 0);
      assert_int_equal(stores(), 0);
      assert_int_equal(word_at(DATA, 0), 0);
      uint64_t when;
      const sim_msg *fill = test_message_for(R_SBA, &when);
      assert_int_equal(fill->addr, ORDER_FLAG);
      rope_pair_front_filled(
          ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), 0, &(struct front_filled){.address = ORDER_FLAG});
    }
    assert_int_equal(WAITS, ROPE_PAIR_WAITS_NOTHING);
    assert_int_equal(word_at(DATA, 0), 1 + bit);
    assert_int_equal(stores(), bit ? 1 : 2);
    assert_int_equal(may(0), ACTION(POLL) | ACTION(FLAG));
    assert_int_equal(status(), 1);
    stored(ROPE_PAIR_COMMAND, bit);
    assert_int_equal(status(), 0);
    assert_true(asks());
    assert_true(granted(DATA, 4, PCI_COMMAND_READ));
    moved(0); /* a retry */
    assert_true(asks());
    takes(DATA, 0, 1 + bit);
    moved(4);
    assert_true(asks());
    assert_true(granted(RESULT, 4, PCI_COMMAND_WRITE));
    uint32_t write = 0;
    rope_pair_bus_master_give(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair),
        &(struct pci_master_give){.address = RESULT, .bytes = 4, .writes = &write});
    assert_int_equal(write, 1 + bit);
    assert_int_equal(status(), 0);
    moved(4);
    assert_int_equal(status(), 1);
    assert_true(asks());
    assert_true(granted(RESULT, 4, PCI_COMMAND_READ));
    assert_int_equal(may(ROPE_PAIR_CARD), 0);
    takes(RESULT, 0, 1 + bit);
    moved(4);
    assert_false(asks());
    acts(0, ROPE_PAIR_ACTION_POLL);
    EXPECT_VALUES({WAITS, ROPE_PAIR_WAITS_POLL}, {NOW->polls, 1});
    assert_int_equal(may(0), 0);
    rope_pair_front_data(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), 0,
        &(struct front_data){.value = 0}); /* not done yet */
    assert_int_equal(NOW->job, 1);
    assert_int_equal(may(0), ACTION(POLL) | ACTION(FLAG));
    word_at(RESULT, 1 + bit);
    rope_pair_front_data(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), 0, &(struct front_data){.value = 1});
    assert_int_equal(BROKEN, SIM_HOLDS);
  }
#define ACTS(who, action) {ANY_TIME, ROPE_PAIR_EV_ACTS, who, ROPE_PAIR_ACTION_##action, 0, ANY_CAUSE}
#define GETS(address, bit) {ANY_TIME, ROPE_PAIR_EV_CARD, address, bit, 0, ANY_CAUSE}
#define DONE(bit) {ANY_TIME, ROPE_PAIR_EV_DONE, 0, bit, 0, ANY_CAUSE}
  EXPECT_EVENTS(R_PAIR, ACTS(0, COMMAND), GETS(DATA, 1), GETS(RESULT, 1), ACTS(0, POLL), DONE(1),
      ACTS(0, COMMAND), GETS(DATA, 0), GETS(RESULT, 0), ACTS(0, POLL), DONE(0));
}

/* A word goes down the rope, and a flag to memory. The card polls until it has the flag, and then has the
 * word. */
TEST(a_flag_arrives_after_its_word) {
  order_open(&(struct order){0});
  acts(0, ROPE_PAIR_ACTION_FLAG);
  assert_int_equal(stores(), 1); /* the word is on its way, the line is not cached yet */
  assert_int_equal(WAITS, ROPE_PAIR_WAITS_FLAG);
  assert_int_equal(may(ROPE_PAIR_CARD), ACTION(LOOK));
  rope_pair_front_filled(
      ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), 0, &(struct front_filled){.address = ORDER_FLAG});
  assert_int_equal(word_at(ORDER_FLAG, 0), 2);
  assert_int_equal(stores(), 1);
  assert_int_equal(may(0), ACTION(COMMAND));
  acts(ROPE_PAIR_CARD, ROPE_PAIR_ACTION_LOOK);
  assert_true(asks());
  assert_int_equal(may(ROPE_PAIR_CARD), 0);
  assert_true(granted(ORDER_FLAG, 4, PCI_COMMAND_READ));
  takes(ORDER_FLAG, 0, 1);
  moved(4);
  assert_int_equal(NOW->unseen, 1);
  acts(ROPE_PAIR_CARD, ROPE_PAIR_ACTION_LOOK);
  stored(ROPE_PAIR_WORD, 1);
  asks();
  stored(ROPE_PAIR_COMMAND, 1); /* polls first */
  assert_false(asks());
  takes(ORDER_FLAG, 0, 2);
  moved(4);
  assert_int_equal(NOW->unseen, 0);
  assert_true(asks());
  assert_true(granted(DATA, 4, PCI_COMMAND_READ));
  assert_int_equal(BROKEN, SIM_HOLDS);
  EXPECT_EVENTS(R_PAIR, ACTS(0, FLAG), ACTS(ROPE_PAIR_CARD, LOOK), GETS(ORDER_FLAG, 0),
      ACTS(ROPE_PAIR_CARD, LOOK), GETS(ORDER_FLAG, 1));
}

/* Each rule once kept and once broken. */
TEST(rules_of_a_rope_are_checked) {
  static const struct {
    uint32_t does, broken;
    uint64_t at;
  } cases[] = {{ROPE_PAIR_READS, SIM_CURRENT_DEVICE, DATA}, {ROPE_PAIR_CHECKS, SIM_CURRENT_DEVICE, RESULT},
      {ROPE_PAIR_POLLS, SIM_IN_ORDER, ORDER_FLAG}};
  for (uint32_t bit = 0; bit < 2; bit++)
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
      for (uint32_t i = 0; i < 3; i++) {
        order_open(&(struct order){0});
        NOW->does = cases[i].does, NOW->got = cases[i].does == ROPE_PAIR_POLLS ? bit : bit ^ wrong;
        NOW->received = NOW->status = NOW->flag = bit, NOW->word = bit ^ wrong, NOW->unseen = 1;
        moved(4);
        assert_int_equal(BROKEN, wrong ? cases[i].broken : SIM_HOLDS);
        if (wrong) assert_int_equal(sim_host_state(ENGINE)->broken_at, cases[i].at);
        assert_int_equal(NOW->unseen, cases[i].does != ROPE_PAIR_POLLS);
        assert_int_equal(NOW->does, cases[i].does == ROPE_PAIR_READS ? ROPE_PAIR_WRITES : ROPE_PAIR_IDLE);
      }
      order_open(&(struct order){.interrupts = 1});
      NOW->job = 1, NOW->command = bit;
      word_at(RESULT, 1 + (bit ^ wrong));
      rope_pair_irq_raise(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), &(struct irq_raise){0});
      EXPECT_VALUES({NOW->job, 0}, {BROKEN, wrong ? SIM_DONE_IS_DONE : SIM_HOLDS});
      if (wrong) assert_int_equal(sim_host_state(ENGINE)->broken_at, RESULT);
    }
}

/* With interrupts there is no polling; without flags the processor loads the data; a read of 8 B selects its
 * word. */
TEST(actions_depend_on_the_parameters) {
  order_open(&(struct order){.interrupts = 1, .no_flags = 1});
  assert_int_equal(may(0), ACTION(COMMAND) | ACTION(LOAD));
  NOW->job = 1;
  assert_int_equal(may(0), ACTION(LOAD));
  acts(0, ROPE_PAIR_ACTION_LOAD);
  assert_int_equal(WAITS, ROPE_PAIR_WAITS_LOAD);
  rope_pair_front_filled(
      ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), 0, &(struct front_filled){.address = ORDER_FLAG});
  assert_int_equal(WAITS, ROPE_PAIR_WAITS_NOTHING);
  assert_int_equal(word_at(DATA, 0), 0); /* it only loaded */
  assert_int_equal(stores(), 0);
  NOW->does = ROPE_PAIR_WRITES;
  uint32_t pending = ENGINE->pending;
  moved(4);
  assert_int_equal(ENGINE->pending, pending + 2); /* an interrupt, and a bus request to read back */
  order_open(&(struct order){.split = 1});
  NOW->does = ROPE_PAIR_READS;
  assert_true(granted(ORDER_FLAG, 8, PCI_COMMAND_READ));
  takes(ORDER_FLAG, 1, 2);
  assert_int_equal(NOW->got, 1);
  takes(ORDER_FLAG, 0, 2);
  assert_int_equal(NOW->got, 0);
  NOW->does = ROPE_PAIR_WRITES;
  assert_true(granted(RESULT, 4, PCI_COMMAND_WRITE));
  NOW->does = ROPE_PAIR_IDLE;
  assert_false(granted(RESULT, 8, PCI_COMMAND_READ));
}

/* 256 B from the flag are mapped for a command only, every second command to memory 1 KiB further on. Other
 * addresses are not translated. */
TEST(a_command_s_mapping_is_not_used_after_it) {
  static const struct {
    uint64_t address;
    uint32_t mapped;
  } cases[] = {{ORDER_FLAG, 1}, {DATA, 1}, {ORDER_FLAG + 252, 1}, {ORDER_FLAG + 256, 0}, {ORDER_FLAG - 4, 0},
      {RESULT, 0}};
  order_open(&(struct order){.no_flags = 1, .mapped = 1});
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t command = 0; command < 2; command++)
      for (uint32_t job = 0; job < 2; job++) {
        struct iommu_translate q = {.address = cases[i].address, .time = 99, .stale = 99};
        NOW->job = job, NOW->command = command, BROKEN = SIM_HOLDS;
        assert_int_equal(rope_pair_iommu_translate(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), &q), 1);
        EXPECT_VALUES({q.physical, cases[i].address + (cases[i].mapped && command ? 1024 : 0)},
            {q.time + q.stale, 0}, {BROKEN, cases[i].mapped && !job ? SIM_LIVE_TRANSLATION : SIM_HOLDS});
      }
  struct pci_claim window = {.which = 0};
  assert_int_equal(rope_pair_bus_claim(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), &window), 1);
  EXPECT_VALUES({window.base, 0xf0000000}, {window.length, 4096});
  window.which = 1;
  assert_int_equal(rope_pair_bus_claim(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), &window), 0);
}

/* The initial events: a choice for each wired processor, and one for the card. */
TEST(each_processor_and_the_card_start_with_a_choice) {
  for (uint32_t second = 0; second < 2; second++) {
    order_open(&(struct order){.second = second});
    uint32_t wishes = 0, count = 0;
    uint64_t when;
    for (uint32_t n = 0; n < ENGINE->pending; n++) {
      const sim_msg *q = test_pending(n, &when);
      if (q->to != R_PAIR) continue;
      assert_int_equal(q->port, SIM_PORT_SELF);
      wishes |= 1u << q->addr, count++;
    }
    EXPECT_VALUES({count, 2 + second}, {wishes, 1 | second << 1 | 1 << ROPE_PAIR_CARD});
  }
}

/* Either processor may give the command. Each waits separately and has its own cache and memory port. Only
 * the one that is interrupted, or has polled, learns that the card is done. */
TEST(each_processor_waits_for_its_own_line) {
  for (uint32_t who = 0; who < 2; who++) {
    const uint32_t other = 1 - who, caches[] = {R_CACHE, R_SECOND_CACHE};
    uint32_t rows;
    uint64_t when;
    order_open(&(struct order){.second = 1});
    assert_int_equal(may(0), ACTION(COMMAND) | ACTION(FLAG));
    assert_int_equal(may(1), ACTION(COMMAND) | ACTION(FLAG));
    acts(who, ROPE_PAIR_ACTION_COMMAND);
    assert_int_equal(
        *rope_pair_waits(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), who), ROPE_PAIR_WAITS_DATA);
    assert_int_equal(
        *rope_pair_waits(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), other), ROPE_PAIR_WAITS_NOTHING);
    assert_int_equal(may(who), 0);
    assert_int_equal(may(other), ACTION(POLL) | ACTION(FLAG));
    const sim_msg *fill = test_message_for(R_SBA, &when);
    assert_int_equal(fill->port, SBA_PORT_CPU + who);
    assert_int_equal(fill->addr, ORDER_FLAG); /* the whole line of the data */
    assert_int_equal(fill->x, 128);
    assert_int_equal(fill->y, 0); /* nothing has to be evicted */
    rope_pair_front_filled(
        ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), who, &(struct front_filled){.address = ORDER_FLAG});
    const struct cache_lines *mine = checked_view(ENGINE, caches[who], CACHE_VIEW_LINES, &rows),
                             *its = checked_view(ENGINE, caches[other], CACHE_VIEW_LINES, &rows);
    uint32_t held = 0, held_there = 0;
    for (uint32_t i = 0; i < rows; i++)
      held += mine[i].tag == ORDER_FLAG / 128 + 1, held_there += its[i].tag != 0;
    EXPECT_VALUES({held, 1}, {held_there, 0});
    assert_int_equal(
        *rope_pair_waits(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), who), ROPE_PAIR_WAITS_NOTHING);
    acts(other, ROPE_PAIR_ACTION_POLL);
    assert_int_equal(
        *rope_pair_waits(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), other), ROPE_PAIR_WAITS_POLL);
    assert_int_equal(may(who), ACTION(FLAG)); /* only one of them polls */
    rope_pair_front_data(
        ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), other, &(struct front_data){.value = 0});
    assert_int_equal(
        *rope_pair_waits(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), other), ROPE_PAIR_WAITS_NOTHING);
    assert_int_equal(may(who), ACTION(POLL) | ACTION(FLAG));
  }
}

/* A register store carries the register's address, four bytes and its bit, for either processor. */
TEST(a_store_goes_down_the_rope_unchanged) {
  static const struct {
    uint32_t reg, bit;
  } stores_made[] = {
      {ROPE_PAIR_WORD, 1}, {ROPE_PAIR_COMMAND, 0}, {ROPE_PAIR_COMMAND, 1}, {ROPE_PAIR_WORD, 0}};
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t cpu = 0; cpu < 2; cpu++) {
      uint32_t rows;
      order_open(&(struct order){.second = 1});
      rope_pair_post(
          ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), cpu, stores_made[i].reg, stores_made[i].bit);
      assert_int_equal(stores(), 1);
      const struct lba_queue *item = checked_view(ENGINE, R_LBA, LBA_VIEW_QUEUE, &rows);
      EXPECT_VALUES({item->addr, ROPE_PAIR_REGISTERS + stores_made[i].reg}, {item->value, stores_made[i].bit},
          {item->bytes, 4});
    }
}

/* A device's snoop is forwarded to the selected processor's cache. It returns how many lines leave, and how
 * many of their bytes were modified. A shared access leaves the line in place. */
TEST(a_snoop_is_answered_by_its_cache) {
  for (uint32_t who = 0; who < 2; who++)
    for (uint32_t share = 0; share < 2; share++)
      for (uint32_t stored = 0; stored < 2; stored++) {
        order_open(&(struct order){.second = 1, .no_flags = 1});
        acts(who, stored ? ROPE_PAIR_ACTION_COMMAND : ROPE_PAIR_ACTION_LOAD);
        rope_pair_front_filled(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), who,
            &(struct front_filled){.address = ORDER_FLAG});
        for (uint32_t twice = 0; twice < 2; twice++)
          for (uint32_t cpu = 0; cpu < 2; cpu++) {
            struct front_snoop q = {.address = ORDER_FLAG + 64,
                .bytes = 4,
                .how = share ? CACHE_SNOOP_SHARE : CACHE_SNOOP_TAKE,
                .changed = 99};
            const int here = cpu == who && (share || !twice);
            assert_int_equal(
                rope_pair_front_snoop(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), cpu, &q), here);
            assert_int_equal(q.changed, here && stored && !share ? 128 : 0);
          }
        struct front_snoop beyond = {.address = ORDER_FLAG + 128, .bytes = 128};
        assert_int_equal(
            rope_pair_front_snoop(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), who, &beyond), 0);
      }
}

/* The card's registers answer at once, with as many bytes as requested. */
TEST(a_register_answers_at_once) {
  order_open(&(struct order){0});
  ENGINE->time = 777;
  for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
    struct pci_begin q = {.address = ROPE_PAIR_REGISTERS, .bytes = bytes, .command = PCI_COMMAND_READ};
    assert_int_equal(rope_pair_bus_begin(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), &q), bytes);
    assert_int_equal(q.ready, 777);
  }
}

/* A command that arrives while the card is busy is started when the current action is done, and nothing else
 * in between. */
TEST(a_command_waits_until_the_card_is_idle) {
  static const struct {
    uint32_t does, then, reads_back;
  } cases[] = {{ROPE_PAIR_POLLS, ROPE_PAIR_READS, 1}, {ROPE_PAIR_CHECKS, ROPE_PAIR_READS, 1},
      {ROPE_PAIR_READS, ROPE_PAIR_WRITES, 1}, {ROPE_PAIR_WRITES, ROPE_PAIR_CHECKS, 1},
      {ROPE_PAIR_WRITES, ROPE_PAIR_IDLE, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    order_open(&(struct order){.mapped = !cases[i].reads_back, .no_flags = !cases[i].reads_back});
    NOW->does = cases[i].does, NOW->received = 0, NOW->status = 0, NOW->got = 0, NOW->unseen = 1,
    NOW->flag = 1;
    stored(ROPE_PAIR_COMMAND, 1);
    assert_false(asks());
    assert_int_equal(NOW->does, cases[i].does);
    NOW->got = cases[i].does == ROPE_PAIR_READS; /* the newest data is read */
    moved(4);
    assert_int_equal(NOW->does, cases[i].then);
    assert_int_equal(asks(), cases[i].then != ROPE_PAIR_IDLE);
    EXPECT_VALUES({NOW->status, cases[i].does == ROPE_PAIR_WRITES}, {BROKEN, SIM_HOLDS});
    stored(ROPE_PAIR_WORD, 1); /* a word is no command */
    assert_false(asks());
    EXPECT_VALUES({NOW->word, 1}, {NOW->does, cases[i].then});
  }
}

/* Everything except data that was read for an action that is over. */
TEST(all_state_under_way_is_serialized) {
  order_open(&(struct order){0});
  struct rope_pair_now *now = NOW;
  for (uint32_t does = ROPE_PAIR_IDLE; does <= ROPE_PAIR_POLLS; does++) {
    for (uint32_t *field = &now->command; field <= &now->got; field++) *field = 1;
    now->does = does;
    KEEPS(R_PAIR, &now->command, &now->job, &now->polls, &now->flag, &now->unseen, &now->word, &now->status,
        &now->received, &WAITS, rope_pair_waits(ENGINE, SIM_CONTEXT(ENGINE, R_PAIR, rope_pair), 1));
    assert_int_equal(now->got, does != ROPE_PAIR_IDLE && does != ROPE_PAIR_WRITES);
  }
  KEEPS(R_PAIR, &now->does, &now->got);
}
