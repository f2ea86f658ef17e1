/* The commanded card and its driver: the commands that a mapping allows, how the card executes one piece by
 * piece, and the violations found when it breaks a rule. */
#include "test/small_machine.h"

enum { CPUS = 3, PROVER_PART = 2 + CPUS, BUS_PART = PROVER_PART + 5 };
#define ENGINE test_engine()
#define NOW (prover_view(OF(PROVER_PART, prover)))
#define BROKEN (sim_host_state(ENGINE)->broken)

static sim *opened(void) {
  sim *m = small_open(&(struct small){.cpus = CPUS, .adapter = COHERENT, .lines = 2, .card = 0x1e});
  ENGINE->cause = 0;
  return m;
}

static uint32_t newest(uint32_t line, uint32_t half) {
  return shadow_word(
      ENGINE, &SIM_STATE(ENGINE, 0, memory_controller)->shadow, LINE + line * RUNWAY_LINE + half * HALF_BYTES)
      ->newest;
}
static int asks(void) {
  struct pci_now *bus = pci_view(OF(BUS_PART, pci));
  uint32_t asked = bus->requests >> 1 & 1;
  bus->requests = 0;
  return (int)asked;
}

/*
 * Reads where the device may read, writes where it may write, in the sizes that the mapping allows, each
 * with or without an interrupt. Only one command at a time; the driver polls only for one without an
 * interrupt.
 */
TEST(a_mapping_allows_its_commands_only) {
#define JOB(name) (1u << PROVER_ACTION_##name)
  static const struct {
    uint32_t contract, jobs;
  } cases[] = {{PROVER_CONTRACT_OUT, JOB(READ) | JOB(READ_LOW)},
      {PROVER_CONTRACT_IN, JOB(WRITE_LINE) | JOB(WRITE_LOW) | JOB(WRITE_HIGH)},
      {PROVER_CONTRACT_EDGE, JOB(WRITE_LOW) | JOB(WRITE_WORD)},
      {PROVER_CONTRACT_BOTH, JOB(READ) | JOB(READ_LOW) | JOB(WRITE_LINE) | JOB(WRITE_WORD)},
      {PROVER_CONTRACT_LOCK, 0}};
  opened();
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct prover_choice list[PROVER_ACTIONS];
    uint32_t sets[2] = {0, 0};
    NOW->contract = cases[i].contract, NOW->line = 1, NOW->job = NOW->quiet = 0;
    uint32_t n = prover_list_card(OF(PROVER_PART, prover), list);
    for (uint32_t k = 0; k < n; k++) {
      EXPECT_VALUES(
          {list[k].action, PROVER_ACTION_RING}, {list[k].line, 1}, {list[k].contract, cases[i].contract});
      sets[list[k].quiet] |= 1u << list[k].job;
    }
    EXPECT_VALUES(
        {n, 2 * __builtin_popcount(cases[i].jobs)}, {sets[0], cases[i].jobs}, {sets[1], cases[i].jobs});
    NOW->job = PROVER_ACTION_READ;
    assert_int_equal(prover_list_card(OF(PROVER_PART, prover), list), 1);
    EXPECT_VALUES(
        {list[0].action, PROVER_ACTION_POLL}, {list[0].line, 1}, {list[0].contract, cases[i].contract});
    NOW->quiet = 1;
    assert_int_equal(prover_list_card(OF(PROVER_PART, prover), list), 0);
  }
}

/* Under a mapping that lets processors store, another processor's store under way may or may not precede the
 * command. */
TEST(a_command_is_a_register_store) {
  for (uint32_t others = 0; others < 4; others++)
    for (uint32_t contract = PROVER_CONTRACT_OUT; contract <= PROVER_CONTRACT_LOCK; contract++) {
      uint32_t rows;
      opened();
      NOW->busy_1 = others & 1, NOW->busy_2 = others >> 1;
      uint32_t pending = ENGINE->pending;
      prover_ring(OF(PROVER_PART, prover), &(struct prover_choice){.action = PROVER_ACTION_RING,
                                               .line = 1,
                                               .contract = contract,
                                               .job = PROVER_ACTION_READ_LOW,
                                               .quiet = 1});
      EXPECT_VALUES({NOW->job, PROVER_ACTION_READ_LOW}, {NOW->quiet, 1},
          {NOW->touched, others && contract == PROVER_CONTRACT_BOTH ? 3 : 0});
      const struct snoop_cache_posts *post = checked_view(ENGINE, 2, SNOOP_CACHE_VIEW_POSTS, &rows);
      assert_int_equal(post->addr, SIM_PARAMS(ENGINE, PROVER_PART, prover)->card_at);
      assert_int_equal(post->value, PROVER_ACTION_READ_LOW | 1 << 8 | 1 << 16);
      assert_true(ENGINE->pending > pending);
    }
}

/* Offset and bytes of each job, in two pieces. After the last the card is done, and interrupts if
 * requested. */
TEST(a_card_executes_a_command_piece_by_piece) {
  static const struct {
    uint32_t job, offset, bytes, command;
  } cases[] = {{PROVER_ACTION_READ, 0, 32, PCI_COMMAND_READ},
      {PROVER_ACTION_READ_LOW, 0, 16, PCI_COMMAND_READ}, {PROVER_ACTION_WRITE_LINE, 0, 32, PCI_COMMAND_WRITE},
      {PROVER_ACTION_WRITE_LOW, 0, 16, PCI_COMMAND_WRITE},
      {PROVER_ACTION_WRITE_HIGH, 16, 16, PCI_COMMAND_WRITE},
      {PROVER_ACTION_WRITE_WORD, 0, 4, PCI_COMMAND_WRITE}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t line = 0; line < 2; line++)
      for (uint32_t quiet = 0; quiet < 2; quiet++) {
        opened();
        struct pci_grant q = {0};
        struct pci_target_give value = {.value = 99};
        uint32_t first = cases[i].bytes == 4 ? 0 : 8,
                 at = (uint32_t)(LINE % 4096) + line * RUNWAY_LINE + cases[i].offset;
        assert_int_equal(prover_pci_grant(OF(PROVER_PART, prover), &q), 0);
        NOW->moved = 7;
        prover_pci_target_take(OF(PROVER_PART, prover),
            &(struct pci_target_take){.value = cases[i].job | line << 8 | quiet << 16});
        assert_true(asks());
        assert_int_equal(prover_pci_grant(OF(PROVER_PART, prover), &q), 1);
        EXPECT_VALUES({q.address, at}, {q.bytes, cases[i].bytes}, {q.command, cases[i].command});
        prover_pci_target_give(OF(PROVER_PART, prover), &value);
        assert_int_equal(value.value, CARD_WORKS);
        assert_int_equal(
            prover_pci_moved(OF(PROVER_PART, prover), &(struct pci_moved){.bytes = 0, .last = 1}),
            cases[i].bytes); /* a retry */
        assert_true(asks());
        if (first) {
          assert_int_equal(prover_pci_moved(OF(PROVER_PART, prover), &(struct pci_moved){.bytes = first}),
              cases[i].bytes - first); /* the burst continues */
          assert_false(asks());
          prover_pci_grant(OF(PROVER_PART, prover), &q);
          EXPECT_VALUES({q.address, at + first}, {q.bytes, cases[i].bytes - first});
          assert_int_equal(
              prover_pci_moved(OF(PROVER_PART, prover), &(struct pci_moved){.bytes = 4, .last = 1}),
              cases[i].bytes - first - 4); /* and is disconnected */
          assert_true(asks());
          first += 4;
        }
        uint32_t pending = ENGINE->pending;
        assert_int_equal(prover_pci_moved(OF(PROVER_PART, prover),
                             &(struct pci_moved){.bytes = cases[i].bytes - first, .last = 1}),
            0);
        assert_false(asks());
        EXPECT_VALUES({ENGINE->pending, pending + quiet}, {NOW->command + NOW->moved, 0});
        assert_int_equal(prover_pci_grant(OF(PROVER_PART, prover), &q), 0);
        prover_pci_target_give(OF(PROVER_PART, prover), &value);
        assert_int_equal(value.value, CARD_DONE);
        EXPECT_EVENTS(PROVER_PART,
            {ANY_TIME, PROVER_EV_ACTS, LINE + line * RUNWAY_LINE, cases[i].job, PROVER_DEVICE, ANY_CAUSE},
            {ANY_TIME, PROVER_EV_DONE, 0, 0, PROVER_DEVICE, ANY_CAUSE});
      }
}

/* Each word read is the newest of its half, unless a processor stored there meanwhile. */
TEST(a_card_reads_the_newest_data) {
  for (uint32_t word = 0; word < 8; word++)
    for (uint32_t touched = 0; touched < 4; touched++) {
      opened();
      uint32_t words[8], half = word / 4;
      for (uint32_t i = 0; i < 8; i++) words[i] = newest(1, i / 4);
      NOW->command = PROVER_ACTION_READ | 1 << 8, NOW->touched = touched;
      struct pci_master_take q = {.address = LINE % 4096 + RUNWAY_LINE, .bytes = 32, .writes = words};
      prover_pci_master_take(OF(PROVER_PART, prover), &q);
      assert_int_equal(BROKEN, SIM_HOLDS);
      words[word] += 100;
      q.bytes = word * 4;
      prover_pci_master_take(OF(PROVER_PART, prover), &q); /* ends before that word */
      assert_int_equal(BROKEN, SIM_HOLDS);
      q.bytes = word * 4 + 4;
      prover_pci_master_take(OF(PROVER_PART, prover), &q);
      assert_int_equal(BROKEN, touched >> half & 1 ? SIM_HOLDS : SIM_CURRENT_DEVICE);
      if (BROKEN) assert_int_equal(sim_host_state(ENGINE)->broken_at, LINE + RUNWAY_LINE + half * 16);
    }
}

/* When the driver learns that a write is done, the data is there: in each half written, the newest write is
 * no longer the one from before. */
TEST(data_is_there_when_the_driver_learns_of_it) {
  static const struct {
    uint32_t job, halves;
  } cases[] = {{PROVER_ACTION_READ, 0}, {PROVER_ACTION_WRITE_LINE, 3}, {PROVER_ACTION_WRITE_LOW, 1},
      {PROVER_ACTION_WRITE_HIGH, 2}, {PROVER_ACTION_WRITE_WORD, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t missing = 0; missing < 4; missing++)
      for (uint32_t touched = 0; touched < 4; touched++) {
        opened();
        uint32_t lost = cases[i].halves & missing & ~touched;
        NOW->job = cases[i].job, NOW->quiet = 1, NOW->line = 1, NOW->touched = touched;
        NOW->before_0 = missing & 1 ? newest(1, 0) : newest(1, 0) + 50,
        NOW->before_1 = missing & 2 ? newest(1, 1) : newest(1, 1) + 50;
        prover_irq_raise(OF(PROVER_PART, prover), &(struct irq_raise){0});
        assert_int_equal(BROKEN, lost ? SIM_DONE_IS_DONE : SIM_HOLDS);
        if (lost)
          assert_int_equal(sim_host_state(ENGINE)->broken_at, LINE + RUNWAY_LINE + (lost & 1 ? 0 : 16));
        assert_int_equal(NOW->job + NOW->quiet + NOW->touched + NOW->before_0 + NOW->before_1, 0);
      }
}

/* The value of a register read: for the services it is a step of theirs, for the driver it is the card's
 * status. */
TEST(a_value_goes_to_its_requester) {
  for (uint32_t value = CARD_IDLE; value <= CARD_DONE; value++)
    for (uint32_t service = 0; service < 2; service++) {
      opened();
      NOW->job = PROVER_ACTION_READ;
      env_driver_poll(OF(PROVER_PART, prover));
      assert_int_equal(NOW->busy_0, PROVER_ACCESS);
      if (service) NOW->busy_0 = PROVER_SERVICE;
      uint32_t pending = ENGINE->pending, steps = 0;
      uint64_t when;
      prover_front_data(OF(PROVER_PART, prover), &(struct front_data){.value = value});
      for (uint32_t i = 0; i < ENGINE->pending; i++)
        steps += test_pending(i, &when)->to == PROVER_PART && test_pending(i, &when)->kind == PROVER_STEP;
      EXPECT_VALUES({ENGINE->pending, pending + 1}, {steps, service},
          {NOW->busy_0, service ? PROVER_SERVICE : PROVER_IDLE},
          {NOW->job != 0, service || value != CARD_DONE});
    }
}

TEST(a_card_has_a_page_of_registers) {
  opened();
  struct pci_claim window = {.which = 0};
  assert_int_equal(prover_pci_claim(OF(PROVER_PART, prover), &window), 1);
  EXPECT_VALUES({window.base, SIM_PARAMS(ENGINE, PROVER_PART, prover)->card_on}, {window.length, 4096});
  window.which = 1;
  assert_int_equal(prover_pci_claim(OF(PROVER_PART, prover), &window), 0);
  ENGINE->time = 77;
  struct pci_begin begin = {.bytes = 4};
  assert_int_equal(prover_pci_begin(OF(PROVER_PART, prover), &begin), 4);
  assert_int_equal(begin.ready, 77);
}
