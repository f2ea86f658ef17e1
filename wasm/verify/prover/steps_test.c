/* From a choice to its completion: when messages are enabled, what follows a completion, the serialized
 * state, and how the replay of a counterexample ends. */
#include "test/small_machine.h"

enum { CPUS = 2, PROVER_PART = 2 + CPUS, ADAPTER_PART, SERVICES_PART };
#define ENGINE test_engine()
#define NOW (prover_view(OF(PROVER_PART, prover)))
#define PROVER_PARAMS ((struct prover_params *)sim_at(ENGINE, sim_part(ENGINE, PROVER_PART)->params_at))

static const struct small BOTH = {.cpus = CPUS, .adapter = COHERENT, .lines = 2},
                          CARDS = {.cpus = CPUS, .adapter = COHERENT, .lines = 2, .card = 0x1e},
                          PAGES = {.cpus = CPUS, .adapter = COHERENT, .lines = 2, .pages = OWN};

/* The number of messages of a kind from the prover to itself; for choices, those of this party. */
static uint32_t own(uint32_t kind, uint32_t who) {
  uint32_t count = 0;
  uint64_t when;
  for (uint32_t n = 0; n < ENGINE->pending; n++) {
    const sim_msg *q = test_pending(n, &when);
    count += q->to == PROVER_PART && q->port == SIM_PORT_SELF && q->kind == kind
             && (kind != PROVER_CHOOSE || q->addr == who);
  }
  return count;
}

/* Each wired processor makes a choice, and so does the device if there is one. From then on the order of
 * events is nondeterministic, in time steps of the given length. */
TEST(each_wired_party_starts_with_a_choice) {
  static const uint64_t given[] = {3, 1, 2};
  const struct {
    struct small g;
    uint32_t device;
  } cases[] = {{{.cpus = 1, .step = 1}, 0}, {{.cpus = 3, .given = given, .choices = 3, .steps = 7}, 0},
      {{.cpus = 2, .adapter = COHERENT, .step = 250000, .steps = 1}, 1}, {{.cpus = 1, .adapter = ALONE}, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sim *m = small_open(&cases[i].g);
    const uint32_t prover = 2 + cases[i].g.cpus;
    uint32_t wishes = 0;
    uint64_t when;
    for (uint32_t n = 0; n < m->pending; n++) {
      const sim_msg *q = test_pending(n, &when);
      EXPECT_VALUES({q->to, prover}, {q->kind, PROVER_CHOOSE});
      wishes |= 1u << q->addr;
    }
    assert_int_equal(m->pending, cases[i].g.cpus + cases[i].device);
    assert_int_equal(wishes, ((1u << cases[i].g.cpus) - 1) | cases[i].device << PROVER_DEVICE);
    assert_int_equal(m->explore_step_time, cases[i].g.step ? cases[i].g.step : 100000); /* 100 ns */
    EXPECT_VALUES({m->given, cases[i].g.choices}, {m->notify_part, prover + 1}, {m->steps, cases[i].g.steps});
  }
}

/* A counterexample of three steps: after them the violation is recorded, with its address if it has one, and
 * no further event happens. */
TEST(a_replayed_counterexample_ends_with_its_violation) {
  static const struct {
    uint64_t about;
    uint32_t kind;
  } cases[] = {{0x123456780ull, PROVER_EV_BROKEN}, {0, PROVER_EV_VIOLATION_ELSEWHERE}};
  for (uint32_t i = 0; i < 2; i++) {
    sim *m = small_open(&(struct small){.cpus = 2, .steps = 3});
    const struct sim_record *ring = sim_at(m, sim_refresh_header(m)->trace_at);
    PROVER_PARAMS->about = cases[i].about, PROVER_PARAMS->invariant = SIM_ONE_WRITER;
    for (uint32_t step = 1; step <= 3; step++) {
      assert_true(sim_explore_step(m));
      EXPECT_VALUES({m->events, step}, {m->time, step * 100000});
      for (uint64_t k = 0; k < m->seq; k++)
        assert_int_not_equal(ring[k].kind, cases[i].kind); /* not before the end */
    }
    const uint64_t before = m->seq;
    assert_true(sim_explore_step(m));
    EXPECT_VALUES({m->seq, before + 1}, {m->time, 400000});
    const struct sim_record *event = &ring[before];
    EXPECT_VALUES({event->part, PROVER_PART}, {event->kind, cases[i].kind}, {event->a, cases[i].about},
        {event->b, SIM_ONE_WRITER});
    assert_int_equal(event->cause, before); /* caused by the last record before */
    assert_false(sim_explore_step(m));
    EXPECT_VALUES({m->events, 4}, {m->time, 400000});
  }
}

/* A device's write is on the bus, and a cache has or has not answered its snoop. */
static void a_device_writes(int answered) {
  struct runway_state *bus = SIM_STATE(ENGINE, 1, runway);
  bus->active = 1;
  runway_row(bus, 0)->mask = !answered;
}

/*
 * The value of a register read and an interrupt are delivered only when caches have answered the snoops of
 * earlier device writes. Messages of processors' caches and of the device are delivered at once. A step of
 * the services waits until no register store is on its way.
 */
TEST(a_message_is_enabled_after_earlier_writes_arrived) {
  sim *m = small_open(&CARDS);
  static const struct {
    uint32_t port, waits;
  } heard[] = {{PROVER_PORT_FRONT, 1}, {PROVER_PORT_IRQ, 1}, {PROVER_PORT_CPU, 0}, {PROVER_PORT_CPU + 1, 0},
      {PROVER_PORT_HSC, 0}, {PROVER_PORT_PCI, 0}};
  for (uint32_t writes = 0; writes < 2; writes++) {
    a_device_writes(!writes);
    for (uint32_t i = 0; i < sizeof heard / sizeof *heard; i++)
      assert_int_equal(prover_enabled(m, SIM_CONTEXT(m, PROVER_PART, prover),
                           &(sim_msg){.port = (uint8_t)heard[i].port, .kind = PROVER_STEP}),
          heard[i].waits && writes ? SIM_DISABLED : SIM_INVISIBLE);
  }
  a_device_writes(1);
  const sim_msg step = {.port = SIM_PORT_SELF, .kind = PROVER_STEP};
  uint32_t rows;
  struct snoop_cache_now *cache = checked_view(m, 2, SNOOP_CACHE_VIEW_NOW, &rows);
  assert_int_equal(prover_enabled(m, SIM_CONTEXT(m, PROVER_PART, prover), &step), SIM_ENABLED);
  cache->posts = 1;
  assert_int_equal(prover_enabled(m, SIM_CONTEXT(m, PROVER_PART, prover), &step), SIM_DISABLED);
  cache->posts = 0;
  sim_push(m, 0, 0, &(sim_msg){.to = ADAPTER_PART, .port = IO_ADAPTER_PORT_BUS, .kind = RUNWAY_REGISTER});
  assert_int_equal(prover_enabled(m, SIM_CONTEXT(m, PROVER_PART, prover), &step), SIM_DISABLED);
  m = small_open(&BOTH);
  for (uint32_t who = 0; who <= PROVER_DEVICE; who++) /* nothing is mapped */
    assert_int_equal(prover_enabled(m, SIM_CONTEXT(m, PROVER_PART, prover),
                         &(sim_msg){.port = SIM_PORT_SELF, .kind = PROVER_CHOOSE, .addr = who}),
        who == PROVER_DEVICE ? SIM_DISABLED : SIM_ENABLED);
  NOW->stage = STAGE_MAPPED, NOW->contract = PROVER_CONTRACT_OUT;
  assert_int_equal(prover_enabled(m, SIM_CONTEXT(m, PROVER_PART, prover),
                       &(sim_msg){.port = SIM_PORT_SELF, .kind = PROVER_CHOOSE, .addr = PROVER_DEVICE}),
      SIM_ENABLED);
}

/* When an access is done its processor makes its next choice; if it was an access of the services, they
 * continue. */
TEST(a_completed_access_is_followed_by_a_choice) {
  for (uint32_t cpu = 0; cpu < CPUS; cpu++)
    for (uint32_t busy = PROVER_ACCESS; busy <= PROVER_SERVICE; busy++) {
      sim *m = small_open(&BOTH);
      const uint32_t wishes = own(PROVER_CHOOSE, cpu), service = busy == PROVER_SERVICE;
      (&NOW->busy_0)[cpu] = busy;
      prover_cpu_done(m, SIM_CONTEXT(m, PROVER_PART, prover), cpu, &(struct cache_done){0});
      assert_int_equal((&NOW->busy_0)[cpu], service ? PROVER_SERVICE : PROVER_IDLE);
      assert_int_equal(own(PROVER_STEP, 0), service);
      assert_int_equal(own(PROVER_CHOOSE, cpu), wishes + !service);
      assert_int_equal(own(PROVER_CHOOSE, !cpu), 1);
    }
}

/* A device's read waits for its request and its data; after both it is done. */
TEST(a_device_is_done_after_request_and_data) {
  for (uint32_t waits = 0; waits < 3; waits++) {
    sim *m = small_open(&PAGES);
    NOW->device = waits, NOW->reads = 2;
    for (uint32_t came = 1; came <= 2; came++) {
      prover_device_done(m, SIM_CONTEXT(m, PROVER_PART, prover));
      assert_int_equal(NOW->device, waits > came ? waits - came : 0);
      assert_int_equal(NOW->reads, waits && came >= waits ? 0 : 2);
      assert_int_equal(own(PROVER_CHOOSE, PROVER_DEVICE), 1 + (waits && came >= waits));
    }
  }
}

/* Lines that are not cached: an eviction is done at once; a flush or purge is broadcast by any processor. */
TEST(a_line_can_be_evicted_flushed_or_purged) {
  static const struct {
    uint32_t action, op;
  } cases[] = {{PROVER_ACTION_EVICT, CACHE_OP_EVICT}, {PROVER_ACTION_FLUSH, CACHE_OP_FLUSH},
      {PROVER_ACTION_PURGE, CACHE_OP_PURGE}};
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t who = 0; who < CPUS; who++)
      for (uint32_t line = 0; line < 2; line++) {
        struct small g = BOTH;
        struct prover_choice list[PROVER_ACTIONS];
        uint32_t rows, nth = 0;
        g.orders = 1;
        sim *m = small_open(&g);
        const uint32_t n = prover_list_cpu(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
        while (nth < n && (list[nth].action != cases[i].action || list[nth].line != line)) nth++;
        assert_true(nth < n);
        struct sim_host_state *side = sim_host_state(m);
        side->exploring = side->forced_choices = 1, side->choices_made = 0, side->choice[0] = nth;
        env_driver_act(m, SIM_CONTEXT(m, PROVER_PART, prover), who);
        const int waits = cases[i].op != CACHE_OP_EVICT;
        assert_int_equal((&NOW->busy_0)[who], waits ? PROVER_ACCESS : PROVER_IDLE);
        assert_int_equal(own(PROVER_CHOOSE, who), 1 + !waits);
        const struct snoop_cache_now *cache = checked_view(m, 2 + who, SNOOP_CACHE_VIEW_NOW, &rows);
        if (waits) assert_int_equal(cache->op, cases[i].op);
        if (waits) assert_int_equal(cache->addr, LINE + line * RUNWAY_LINE);
      }
}

/* Actions of the services complete at once if the line is cached or evicted at once. A processor then makes
 * its next choice. */
TEST(completed_actions_continue_at_once) {
  for (uint32_t service = 0; service < 2; service++)
    for (uint32_t who = 0; who < 1 + !service; who++) {
      sim *m = small_open(&BOTH);
      (&NOW->busy_0)[who] = service ? PROVER_SERVICE : PROVER_IDLE;
      prover_access(m, SIM_CONTEXT(m, PROVER_PART, prover), who, LINE, CACHE_OP_EVICT,
          service ? PROVER_SERVICE : PROVER_ACCESS);
      assert_int_equal(own(PROVER_STEP, 0), service);
      assert_int_equal(own(PROVER_CHOOSE, who), 1 + !service);
      assert_int_equal((&NOW->busy_0)[who], service ? PROVER_SERVICE : PROVER_IDLE);
    }
}

/* A device's choice becomes a request to the adapter for a mapped line: at the line's offset in its page,
 * and in the page of its mapping. */
TEST(a_device_reads_through_the_mapping_of_its_line) {
  for (uint32_t line = 0; line < 2; line++) {
    sim *m = small_open(&PAGES);
    uint32_t rows;
    NOW->held = 1u << line, (&NOW->page_0)[line] = 7;
    sim_host_state(m)->exploring = 1, sim_host_state(m)->choices_made = sim_host_state(m)->forced_choices = 0;
    prover_self(m, SIM_CONTEXT(m, PROVER_PART, prover),
        &(sim_msg){.to = PROVER_PART, .port = SIM_PORT_SELF, .kind = PROVER_CHOOSE, .addr = PROVER_DEVICE});
    const struct io_adapter_requests *asked = checked_view(m, ADAPTER_PART, IO_ADAPTER_VIEW_REQUESTS, &rows);
    EXPECT_VALUES({asked->kind, HSC_KIND_READ}, {asked->bytes, 32});
    assert_int_equal(
        asked->addr, 7 * 4096 + (line ? 0 : 4096 - 32)); /* two lines on either side of a page boundary */
    EXPECT_VALUES(
        {NOW->reads, line + 1}, {NOW->device, 2}, {SIM_COUNTERS(m, PROVER_PART, prover)->actions, 1});
  }
}

/* Only a store to the command's own line may or may not reach the card: to its low half or its high half. */
TEST(a_store_beside_a_command_is_noted) {
  static const struct {
    uint32_t action, op, line, job, touched;
  } cases[] = {{PROVER_ACTION_STORE_LOW, CACHE_OP_STORE, 1, 1, 1},
      {PROVER_ACTION_STORE_HIGH, CACHE_OP_STORE, 1, 1, 2}, {PROVER_ACTION_STORE_LOW, CACHE_OP_STORE, 0, 1, 0},
      {PROVER_ACTION_STORE_LOW, CACHE_OP_STORE, 1, 0, 0}, {PROVER_ACTION_LOAD, CACHE_OP_LOAD, 1, 1, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = small_open(&CARDS);
    uint32_t rows;
    NOW->line = 1, NOW->job = cases[i].job ? PROVER_ACTION_READ : 0;
    const struct prover_choice c = {.action = cases[i].action, .line = cases[i].line};
    prover_program(m, SIM_CONTEXT(m, PROVER_PART, prover), 1, &c, cases[i].op);
    assert_int_equal(NOW->touched, cases[i].touched);
    const struct snoop_cache_now *cache = checked_view(m, 3, SNOOP_CACHE_VIEW_NOW, &rows);
    assert_int_equal(cache->addr,
        LINE + cases[i].line * RUNWAY_LINE + (cases[i].action == PROVER_ACTION_STORE_HIGH ? 16 : 0));
  }
}

/* The driver polls the card's status register, the one after the command register. */
TEST(a_driver_reads_the_status_of_its_card) {
  small_open(&CARDS);
  uint64_t when;
  env_driver_poll(OF(PROVER_PART, prover));
  const sim_msg *read = test_message_for(2, &when);
  EXPECT_VALUES({read->addr, 0xf1000004}, {read->port, SNOOP_CACHE_PORT_FRONT}, {NOW->busy_0, PROVER_ACCESS});
}

/* The action of each party; of a locked read, the data read; of pages, those that are mapped; of a command,
 * all of it, and whether the newest writes before it still are the newest. */
TEST(actions_under_way_are_serialized) {
  sim *m = small_open(&BOTH);
  struct prover_now *now = NOW;
  KEEPS(PROVER_PART, &now->busy_0, &now->busy_1, &now->busy_2, &now->device, &now->stage, &now->locked,
      &now->contract, &now->line, &now->service);
  KEEPS_NOT(PROVER_PART, &now->held, &now->reads, &now->page_0, &now->page_1, &now->job, &now->quiet,
      &now->card, &now->moved, &now->touched, &now->command);
  now->locked = 1, now->read = OLD_WRITE;
  KEEPS(PROVER_PART, &now->read);
  now->locked = 0, now->read = OLD_WRITE;
  uint8_t bytes[CODEC_BYTES];
  struct sim_codec k;
  sim_encode(m, &k, bytes);
  assert_int_equal(now->read, 0); /* over, so irrelevant */
  m = small_open(&PAGES);
  now = NOW;
  for (uint32_t held = 0; held < 4; held++) {
    now->held = held, now->page_0 = 5, now->page_1 = 6, now->reads = 1, now->touched = 1;
    sim_encode(m, &k, bytes);
    EXPECT_VALUES({now->page_0, held & 1 ? 5 : 0}, {now->page_1, held & 2 ? 6 : 0}, {now->touched, 1});
    KEEPS(PROVER_PART, &now->held, &now->reads);
    if (held & 1) KEEPS(PROVER_PART, &now->page_0);
    if (held & 2) KEEPS(PROVER_PART, &now->page_1);
    KEEPS(PROVER_PART, &now->touched);
    now->reads = 0;
    sim_encode(m, &k, bytes);
    assert_int_equal(now->touched, 0); /* no read of it is under way */
  }
  m = small_open(&CARDS);
  now = NOW;
  KEEPS(PROVER_PART, &now->job, &now->quiet, &now->card, &now->moved, &now->touched, &now->command);
}

/* Of the two newest writes before a card's write, only whether each still is the newest is serialized, for
 * either line. */
TEST(writes_before_a_command_are_serialized_as_newest_or_not) {
  uint8_t bytes[5][CODEC_PART];
  uint32_t length[5];
  for (uint32_t line = 0; line < 2; line++) {
    for (uint32_t i = 0; i < 5; i++) { /* as bits: still the newest of the low half, of the high half; 4: of
                                          neither, with other numbers */
      sim *m = small_open(&CARDS);
      struct prover_now *now = NOW;
      const struct shadow_word *cells =
          shadow_word(m, &SIM_STATE(m, 0, memory_controller)->shadow, LINE + line * RUNWAY_LINE);
      now->line = line;
      now->before_0 = i < 4 && i & 1 ? cells[0].newest : 700 + i,
      now->before_1 = i < 4 && i & 2 ? cells[1].newest : 800 + i;
      struct sim_codec k = {.at = bytes[i]};
      prover_serialize(m, SIM_CONTEXT(m, PROVER_PART, prover), &k);
      length[i] = (uint32_t)(k.at - bytes[i]);
      now->before_0 = now->before_1 = 99;
      k = (struct sim_codec){.at = bytes[i], .reading = 1};
      prover_serialize(m, SIM_CONTEXT(m, PROVER_PART, prover), &k);
      assert_int_equal(now->before_0, i < 4 && i & 1 ? cells[0].newest : 0);
      assert_int_equal(now->before_1, i < 4 && i & 2 ? cells[1].newest : 0);
    }
    for (uint32_t i = 0; i < 5; i++)
      for (uint32_t k = 0; k < i; k++)
        assert_int_equal(length[i] == length[k] && !memcmp(bytes[i], bytes[k], length[i]), i == 4 && k == 0);
  }
}

/* A dirty line cannot be evicted while the write-back buffer is full: nothing waits, and the processor makes
 * another choice. */
TEST(a_line_without_a_free_buffer_stays) {
  for (uint32_t who = 0; who < CPUS; who++) {
    sim *m = small_open(&BOTH);
    uint32_t rows;
    const uint32_t cache = 2 + who;
    struct snoop_cache_state *s = SIM_STATE(m, cache, snoop_cache);
    struct snoop_cache_lines *line =
        cache_line_at(m, SIM_CONTEXT(m, cache, snoop_cache), cache_set_of(s, LINE, cache_index(s, LINE)));
    *line = (struct snoop_cache_lines){.state = SNOOP_CACHE_LINE_PRIVATE_DIRTY, .tag = cache_tag(s, LINE)};
    ((struct snoop_cache_now *)checked_view(m, cache, SNOOP_CACHE_VIEW_NOW, &rows))->write_backs = 1;
    prover_access(m, SIM_CONTEXT(m, PROVER_PART, prover), who, LINE, CACHE_OP_EVICT, PROVER_ACCESS);
    EXPECT_VALUES({line->state, SNOOP_CACHE_LINE_PRIVATE_DIRTY}, {(&NOW->busy_0)[who], PROVER_IDLE});
    assert_int_equal(own(PROVER_CHOOSE, who), 2);
  }
}
