/* The contract between driver and hardware in full: the allowed actions of each party, and the requests to
 * caches, services and adapter that they become. */
#include "test/small_machine.h"

enum { CPUS = 2, PROVER_PART = 2 + CPUS, ADAPTER_PART, SERVICES_PART };
#define SET(action) (1u << PROVER_ACTION_##action)
#define NOW (prover_view(OF(PROVER_PART, prover)))

static const struct small BOTH = {.cpus = CPUS, .adapter = COHERENT, .lines = 2},
                          NO_COMMANDS = {.cpus = CPUS, .adapter = ALONE, .lines = 2};

static sim *opened(const struct small *g, uint32_t stage, uint32_t line, uint32_t contract) {
  sim *m = small_open(g);
  NOW->stage = stage;
  NOW->line = line;
  NOW->contract = contract;
  return m;
}

/* The actions listed for this line and contract, as a set. */
static uint32_t set_of(const struct prover_choice *list, uint32_t n, uint32_t line, uint32_t contract) {
  uint32_t set = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (list[i].line != line || list[i].contract != contract) continue;
    assert_int_equal(set & 1u << list[i].action, 0); /* each once */
    set |= 1u << list[i].action;
  }
  return set;
}

/* The actions of a device on a line mapped for it. */
TEST(a_device_keeps_to_its_contract) {
  static const struct {
    int coherent;
    uint32_t stage, contract, service, set;
  } cases[] = {{1, STAGE_UNMAPPED, PROVER_CONTRACT_NONE, 0, 0},
      {1, STAGE_MAPPING, PROVER_CONTRACT_IN, PROVER_ACTION_MAP, 0},
      {1, STAGE_MAPPED, PROVER_CONTRACT_OUT, 0, SET(READ)},
      {1, STAGE_MAPPED, PROVER_CONTRACT_IN, 0, SET(WRITE_LINE) | SET(WRITE_LOW) | SET(WRITE_HIGH)},
      {1, STAGE_MAPPED, PROVER_CONTRACT_EDGE, 0, SET(WRITE_LOW) | SET(WRITE_WORD)},
      {1, STAGE_MAPPED, PROVER_CONTRACT_BOTH, 0,
          SET(READ) | SET(WRITE_LINE) | SET(WRITE_LOW) | SET(WRITE_HIGH) | SET(WRITE_WORD) | SET(SEMAPHORE)},
      {1, STAGE_MAPPED, PROVER_CONTRACT_LOCK, 0, SET(READ) | SET(WRITE_LOW) | SET(WRITE_HIGH) | SET(LOCK)},
      {1, STAGE_UNMAPPING, PROVER_CONTRACT_IN, PROVER_ACTION_UNMAP,
          SET(READ)}, /* reads are allowed while its mapping is being removed */
      {1, STAGE_UNMAPPING, PROVER_CONTRACT_IN, PROVER_ACTION_SYNC_AFTER, 0},
      {0, STAGE_MAPPED, PROVER_CONTRACT_OUT, 0, SET(READ)},
      {0, STAGE_MAPPED, PROVER_CONTRACT_IN, 0, SET(WRITE_LINE)},
      {0, STAGE_UNMAPPING, PROVER_CONTRACT_IN, PROVER_ACTION_UNMAP, 0},
      {0, STAGE_UNMAPPING, PROVER_CONTRACT_IN, PROVER_ACTION_SYNC_AFTER, 0},
      {0, STAGE_SYNCED, PROVER_CONTRACT_OUT, 0, 0}, {0, STAGE_LEFT, PROVER_CONTRACT_IN, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t line = 0; line < 2; line++) {
      struct prover_choice list[PROVER_ACTIONS];
      sim *m = opened(cases[i].coherent ? &BOTH : &NO_COMMANDS, cases[i].stage, line, cases[i].contract);
      NOW->service = cases[i].service;
      uint32_t n = prover_list_device(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
      assert_int_equal(n, __builtin_popcount(cases[i].set));
      assert_int_equal(set_of(list, n, line, 0), cases[i].set);
      NOW->locked = 1; /* only the write of the locked pair is allowed */
      n = prover_list_device(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
      assert_int_equal(n, 1);
      assert_int_equal(set_of(list, n, line, 0), SET(UNLOCK));
    }
}

/* The actions of a processor on the mapped line; on the other one it may do anything. */
TEST(a_processor_does_not_touch_lines_owned_by_a_device) {
  static const uint32_t low = SET(LOAD) | SET(STORE_LOW), high = SET(LOAD) | SET(STORE_HIGH),
                        any = SET(LOAD) | SET(STORE_LOW) | SET(STORE_HIGH);
  static const struct {
    int coherent;
    uint32_t stage, contract, set;
  } cases[] = {{1, STAGE_UNMAPPED, PROVER_CONTRACT_NONE, low | high},
      {1, STAGE_MAPPED, PROVER_CONTRACT_OUT, SET(LOAD)}, {1, STAGE_MAPPED, PROVER_CONTRACT_IN, SET(LOAD)},
      {1, STAGE_MAPPED, PROVER_CONTRACT_EDGE, high}, {1, STAGE_MAPPED, PROVER_CONTRACT_BOTH, any},
      {1, STAGE_MAPPED, PROVER_CONTRACT_LOCK, any}, {1, STAGE_MAPPING, PROVER_CONTRACT_OUT, SET(LOAD)},
      {1, STAGE_UNMAPPING, PROVER_CONTRACT_IN, SET(LOAD)}, {0, STAGE_UNMAPPED, PROVER_CONTRACT_NONE, any},
      {0, STAGE_MAPPED, PROVER_CONTRACT_OUT, SET(LOAD)}, {0, STAGE_MAPPED, PROVER_CONTRACT_IN, 0},
      {0, STAGE_SYNCED, PROVER_CONTRACT_IN, 0}, {0, STAGE_LEFT, PROVER_CONTRACT_IN, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t more = 0; more < 4; more++) { /* with flushes and purges; with first halves only */
      struct small g = cases[i].coherent ? BOTH : NO_COMMANDS;
      g.orders = more & 1, g.first_half = more >> 1;
      struct prover_choice list[PROVER_ACTIONS];
      sim *m = opened(&g, cases[i].stage, 1, cases[i].contract);
      uint32_t always = SET(EVICT) | (g.orders ? SET(FLUSH) | SET(PURGE) : 0),
               halves = g.first_half ? ~SET(STORE_HIGH) : ~0u;
      uint32_t n = prover_list_cpu(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
      assert_int_equal(set_of(list, n, 1, 0), (cases[i].set & halves) | always);
      assert_int_equal(set_of(list, n, 0, 0), (any & halves) | always);
      assert_int_equal(n,
          __builtin_popcount((cases[i].set & halves) | always) + __builtin_popcount((any & halves) | always));
    }
}

/* The mappings that the driver may make, and the order of its calls. */
TEST(the_driver_maps_and_unmaps_in_order) {
  struct prover_choice list[PROVER_ACTIONS];
  sim *m = opened(&BOTH, STAGE_UNMAPPED, 0, 0);
  uint32_t n = prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
  assert_int_equal(n, 2 * 5);
  for (uint32_t line = 0; line < 2; line++)
    for (uint32_t contract = PROVER_CONTRACT_OUT; contract <= PROVER_CONTRACT_LOCK; contract++)
      assert_int_equal(set_of(list, n, line, contract), SET(MAP));
  NOW->busy_1 = PROVER_ACCESS; /* another processor's store may be under way: only mappings that allow it */
  n = prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
  assert_int_equal(n, 2 * 3);
  for (uint32_t contract = PROVER_CONTRACT_EDGE; contract <= PROVER_CONTRACT_LOCK; contract++)
    assert_int_equal(set_of(list, n, 1, contract), SET(MAP));
  NOW->busy_1 = 0, NOW->busy_2 = PROVER_ACCESS;
  assert_int_equal(prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list), 2 * 3);
  NOW->busy_2 = 0;
  struct shadow_word *cells = shadow_word(m, &SIM_STATE(m, 0, memory_controller)->shadow, LINE);
  for (uint32_t half = 0; half < 2;
      half++) { /* a line with newer data in a cache must not be mapped for fast writes */
    cells[half].newest++;
    n = prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
    assert_int_equal(n, 2 * 5 - 1);
    assert_int_equal(set_of(list, n, 0, PROVER_CONTRACT_IN), 0);
    cells[half].newest--;
  }
  struct small some = BOTH;
  some.contracts = 1u << PROVER_CONTRACT_IN | 1u << PROVER_CONTRACT_LOCK;
  m = opened(&some, STAGE_UNMAPPED, 0, 0);
  n = prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
  assert_int_equal(n, 2 * 2);
  assert_int_equal(
      set_of(list, n, 1, PROVER_CONTRACT_IN) | set_of(list, n, 1, PROVER_CONTRACT_LOCK), SET(MAP));
  m = opened(&NO_COMMANDS, STAGE_UNMAPPED, 0, 0);
  n = prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
  assert_int_equal(n, 2); /* the last line only */
  assert_int_equal(set_of(list, n, 1, PROVER_CONTRACT_OUT), SET(SYNC_OUT));
  assert_int_equal(set_of(list, n, 1, PROVER_CONTRACT_IN), SET(SYNC_IN));
  static const struct {
    uint32_t stage, set;
  } next[] = {{STAGE_SYNCED, SET(MAP)}, {STAGE_MAPPED, SET(UNMAP)}, {STAGE_LEFT, SET(SYNC_AFTER)},
      {STAGE_MAPPING, 0}, {STAGE_UNMAPPING, 0}};
  for (uint32_t i = 0; i < sizeof next / sizeof *next; i++) {
    m = opened(&NO_COMMANDS, next[i].stage, 1, PROVER_CONTRACT_IN);
    n = prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list);
    assert_int_equal(n, next[i].set != 0);
    assert_int_equal(set_of(list, n, 1, PROVER_CONTRACT_IN), next[i].set);
  }
  m = opened(&BOTH, STAGE_MAPPED, 1, PROVER_CONTRACT_LOCK);
  assert_int_equal(prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list), 1);
  NOW->device = 1; /* not during a device's access, nor between a locked read and its write */
  assert_int_equal(prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list), 0);
  NOW->device = 0, NOW->locked = 1;
  assert_int_equal(prover_list_driver(m, SIM_CONTEXT(m, PROVER_PART, prover), list), 0);
}

/* The adapter request of each device action: its kind, its bytes, and which half lines are new. */
TEST(a_device_requests_the_bytes_of_its_action) {
  static const struct {
    uint32_t action, kind, bytes, offset, halves, waits;
  } cases[] = {{PROVER_ACTION_READ, HSC_KIND_READ, 32, 0, 0, 2},
      {PROVER_ACTION_WRITE_LINE, HSC_KIND_WRITE, 32, 0, 3, 1},
      {PROVER_ACTION_WRITE_LOW, HSC_KIND_WRITE, 16, 0, 1, 1},
      {PROVER_ACTION_WRITE_HIGH, HSC_KIND_WRITE, 16, 16, 2, 1},
      {PROVER_ACTION_WRITE_WORD, HSC_KIND_WRITE, 4, 0, 1, 1},
      {PROVER_ACTION_SEMAPHORE, HSC_KIND_SEMAPHORE, 4, 0, 0, 2},
      {PROVER_ACTION_LOCK, HSC_KIND_READ_LOCKED, 4, 0, 0, 2},
      {PROVER_ACTION_UNLOCK, HSC_KIND_WRITE_UNLOCK, 4, 0, 1, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t coherent = 0; coherent < 2; coherent++) {
      uint32_t rows;
      sim *m = opened(coherent ? &BOTH : &NO_COMMANDS, STAGE_MAPPED, 1, PROVER_CONTRACT_BOTH);
      NOW->locked = cases[i].action == PROVER_ACTION_UNLOCK;
      NOW->read = shadow_word(m, &SIM_STATE(m, 0, memory_controller)->shadow, LINE + RUNWAY_LINE)->newest;
      uint64_t writes = m->writes;
      prover_device(m, SIM_CONTEXT(m, PROVER_PART, prover),
          &(struct prover_choice){.action = cases[i].action, .line = 1});
      const struct io_adapter_requests *asked =
          checked_view(m, ADAPTER_PART, IO_ADAPTER_VIEW_REQUESTS, &rows);
      EXPECT_VALUES({asked->kind, cases[i].kind}, {asked->bytes, cases[i].bytes},
          {asked->addr, (coherent ? (LINE + RUNWAY_LINE) % 4096 : LINE + RUNWAY_LINE) + cases[i].offset},
          {(asked->half_0 > writes) | (asked->half_1 > writes) << 1, cases[i].halves},
          {m->writes - writes, __builtin_popcount(cases[i].halves)});
      assert_int_equal(NOW->device, cases[i].waits); /* waits for its request, and for data if it reads */
      assert_int_equal(NOW->locked, cases[i].action == PROVER_ACTION_LOCK);
      assert_int_equal(sim_host_state(m)->broken, SIM_HOLDS);
    }
  sim *m = opened(&BOTH, STAGE_MAPPED, 1,
      PROVER_CONTRACT_LOCK); /* another write came between a locked read and its write */
  NOW->locked = 1, NOW->read = 1234;
  prover_device(m, SIM_CONTEXT(m, PROVER_PART, prover),
      &(struct prover_choice){.action = PROVER_ACTION_UNLOCK, .line = 1});
  EXPECT_VALUES({sim_host_state(m)->broken, SIM_ATOMIC}, {sim_host_state(m)->broken_at, LINE + RUNWAY_LINE});
}

/* The driver's calls of the services, and the stages they lead to. */
TEST(the_driver_calls_the_shipped_services) {
  static const struct {
    uint32_t action, contract, op, bytes, hints, stage, then;
    int coherent;
  } cases[] = {
      {PROVER_ACTION_MAP, PROVER_CONTRACT_OUT, PROCESSOR_OP_MAP, 32, 0, STAGE_MAPPING, STAGE_MAPPED, 1},
      {PROVER_ACTION_MAP, PROVER_CONTRACT_IN, PROCESSOR_OP_MAP, 32, IO_NO_SEQ, STAGE_MAPPING, STAGE_MAPPED,
          1},
      {PROVER_ACTION_MAP, PROVER_CONTRACT_EDGE, PROCESSOR_OP_MAP, 16, IO_NO_SEQ, STAGE_MAPPING, STAGE_MAPPED,
          1},
      {PROVER_ACTION_MAP, PROVER_CONTRACT_BOTH, PROCESSOR_OP_MAP, 32, IO_NO_SEQ | IO_SAFE, STAGE_MAPPING,
          STAGE_MAPPED, 1},
      {PROVER_ACTION_MAP, PROVER_CONTRACT_LOCK, PROCESSOR_OP_MAP, 32, IO_NO_SEQ | IO_SAFE | IO_LOCK,
          STAGE_MAPPING, STAGE_MAPPED, 1},
      {PROVER_ACTION_UNMAP, PROVER_CONTRACT_IN, PROCESSOR_OP_UNMAP, 32, IO_NO_SEQ, STAGE_UNMAPPING,
          STAGE_UNMAPPED, 1},
      {PROVER_ACTION_SYNC_OUT, PROVER_CONTRACT_OUT, PROCESSOR_OP_DMA_SYNC, 32, CONTRACT_SYNC_FOR_DEVICE,
          STAGE_MAPPING, STAGE_SYNCED, 0},
      {PROVER_ACTION_SYNC_IN, PROVER_CONTRACT_IN, PROCESSOR_OP_DMA_SYNC, 32, CONTRACT_SYNC_FOR_DEVICE_INBOUND,
          STAGE_MAPPING, STAGE_SYNCED, 0},
      {PROVER_ACTION_UNMAP, PROVER_CONTRACT_OUT, PROCESSOR_OP_UNMAP, 32, 0, STAGE_UNMAPPING, STAGE_UNMAPPED,
          0},
      {PROVER_ACTION_UNMAP, PROVER_CONTRACT_IN, PROCESSOR_OP_UNMAP, 32, IO_NO_SEQ, STAGE_UNMAPPING,
          STAGE_LEFT, 0}, /* caches may hold lines fetched speculatively */
      {PROVER_ACTION_SYNC_AFTER, PROVER_CONTRACT_IN, PROCESSOR_OP_DMA_SYNC, 32, CONTRACT_SYNC_FOR_CPU,
          STAGE_UNMAPPING, STAGE_UNMAPPED, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t rows;
    sim *m = opened(cases[i].coherent ? &BOTH : &NO_COMMANDS, STAGE_UNMAPPED, 0, 0);
    uint32_t pending = m->pending;
    prover_call(m, SIM_CONTEXT(m, PROVER_PART, prover),
        &(struct prover_choice){.action = cases[i].action, .line = 1, .contract = cases[i].contract});
    const struct io_services_calls *call = checked_view(m, SERVICES_PART, IO_SERVICES_VIEW_CALLS, &rows);
    EXPECT_VALUES({call->op, cases[i].op}, {call->host, LINE + RUNWAY_LINE}, {call->bytes, cases[i].bytes},
        {call->hints, cases[i].hints}, {call->handle, 0}, {NOW->stage, cases[i].stage}, {NOW->line, 1},
        {NOW->contract, cases[i].contract}, {NOW->busy_0, PROVER_SERVICE});
    assert_int_equal(m->pending, pending + 1); /* its first step */
    prover_called(m, SIM_CONTEXT(m, PROVER_PART, prover), 0);
    EXPECT_VALUES({NOW->stage, cases[i].then}, {NOW->busy_0, PROVER_IDLE},
        {NOW->contract, cases[i].then == STAGE_UNMAPPED ? PROVER_CONTRACT_NONE : cases[i].contract},
        {NOW->line, cases[i].then != STAGE_UNMAPPED});
    assert_int_equal(m->pending, pending + 2); /* followed by the first processor's next choice */
  }
}

/* A processor's actions as requests to its cache: each is counted, and recorded with its line and its
 * processor. */
TEST(a_processor_uses_its_own_cache) {
  static const struct {
    uint32_t nth, action, op;
    uint64_t addr;
  } cases[] = {/* in the order of the list for a line */
      {0, PROVER_ACTION_LOAD, CACHE_OP_LOAD, LINE}, {1, PROVER_ACTION_STORE_LOW, CACHE_OP_STORE, LINE},
      {2, PROVER_ACTION_STORE_HIGH, CACHE_OP_STORE, LINE + 16}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t who = 0; who < CPUS; who++) {
      uint32_t rows;
      sim *m = opened(&BOTH, STAGE_UNMAPPED, 0, 0);
      struct sim_host_state *side = sim_host_state(m);
      side->exploring = side->forced_choices = 1, side->choices_made = 0, side->choice[0] = cases[i].nth;
      env_driver_act(m, SIM_CONTEXT(m, PROVER_PART, prover), who);
      assert_int_equal(side->choices_of[0],
          2 * 4 + (who == 0 ? 2 * 5 : 0)); /* the first processor may also map either line in any way */
      const struct snoop_cache_now *cache = checked_view(m, 2 + who, SNOOP_CACHE_VIEW_NOW, &rows);
      EXPECT_VALUES({cache->op, cases[i].op}, {cache->addr, cases[i].addr},
          {(&NOW->busy_0)[who], PROVER_ACCESS}, {(&NOW->busy_0)[!who], PROVER_IDLE},
          {SIM_COUNTERS(m, PROVER_PART, prover)->actions, 1});
      const struct sim_record *record =
          (const struct sim_record *)sim_at(m, sim_refresh_header(m)->trace_at) + 0;
      EXPECT_VALUES(
          {record->kind, PROVER_EV_ACTS}, {record->a, LINE}, {record->b, cases[i].action}, {record->c, who});
    }
}

/* Lines that are mapped individually: an unmapped line may be mapped, a mapped one may be unmapped or read,
 * but not unmapped during a read. */
TEST(pages_are_mapped_unmapped_and_read_individually) {
  static const struct {
    uint32_t held, reads, map, unmap, read;
  } cases[] = {{0, 0, 3, 0, 0}, {1, 0, 2, 1, 1}, {2, 0, 1, 2, 2}, {3, 0, 0, 3, 3}, {3, 1, 0, 2, 3},
      {3, 2, 0, 1, 3}}; /* lines as bits */
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct prover_choice list[PROVER_ACTIONS];
    const struct small g = {.cpus = CPUS, .adapter = COHERENT, .lines = 2, .pages = OWN};
    sim *m = opened(&g, STAGE_UNMAPPED, 0, 0);
    NOW->held = cases[i].held, NOW->reads = cases[i].reads;
    uint32_t n = prover_list_pages(m, SIM_CONTEXT(m, PROVER_PART, prover), list),
             reads = prover_list_reads(m, SIM_CONTEXT(m, PROVER_PART, prover), list + n);
    assert_int_equal(n, __builtin_popcount(cases[i].map | cases[i].unmap));
    assert_int_equal(reads, __builtin_popcount(cases[i].read));
    for (uint32_t line = 0; line < 2; line++) {
      assert_int_equal(set_of(list, n, line, PROVER_CONTRACT_BOTH),
          (cases[i].map >> line & 1 ? SET(MAP) : 0) | (cases[i].unmap >> line & 1 ? SET(UNMAP) : 0));
      assert_int_equal(set_of(list + n, reads, line, 0), cases[i].read >> line & 1 ? SET(READ) : 0);
    }
  }
}

/* A line counts as mapped once its call is over, with the page of its address; after unmapping it does
 * not. */
TEST(a_page_is_mapped_once_its_call_is_over) {
  static const struct small g = {.cpus = CPUS, .adapter = COHERENT, .lines = 2, .pages = OWN};
  for (uint32_t line = 0; line < 2; line++) {
    sim *m = opened(&g, STAGE_UNMAPPED, 0, 0);
    prover_call(m, SIM_CONTEXT(m, PROVER_PART, prover),
        &(struct prover_choice){.action = PROVER_ACTION_MAP, .line = line, .contract = PROVER_CONTRACT_BOTH});
    assert_int_equal(NOW->held, 0);
    prover_called(m, SIM_CONTEXT(m, PROVER_PART, prover), 0x7123000 + 32);
    EXPECT_VALUES({NOW->held, 1u << line}, {(&NOW->page_0)[line], 0x7123}, {(&NOW->page_0)[!line], 0},
        {NOW->stage, STAGE_UNMAPPED});
    prover_call(m, SIM_CONTEXT(m, PROVER_PART, prover),
        &(struct prover_choice){
            .action = PROVER_ACTION_UNMAP, .line = line, .contract = PROVER_CONTRACT_BOTH});
    prover_called(m, SIM_CONTEXT(m, PROVER_PART, prover), 0x9000);
    EXPECT_VALUES({NOW->held, 0}, {(&NOW->page_0)[line], 0x7123});
  }
}

/* Behind a unit that walks its table the driver may unmap a page during a device's access. The access may
 * then be stopped, but only if the call came in between. Without a walking unit this is not noted. */
TEST(an_access_during_unmapping_may_be_stopped) {
  static const struct small g = {.cpus = CPUS, .adapter = COHERENT, .lines = 2, .pages = OWN};
  static const uint32_t actions[] = {PROVER_ACTION_MAP, PROVER_ACTION_UNMAP};
  for (uint32_t walks = 0; walks < 2; walks++)
    for (uint32_t i = 0; i < 2; i++)
      for (uint32_t line = 0; line < 2; line++) {
        sim *m = opened(&g, STAGE_UNMAPPED, 0, 0);
        struct sim_wire *wire = (struct sim_wire *)sim_wire(m, PROVER_PART, PROVER_PORT_DMA);
        wire->type = walks ? SIM_TYPE_IOMMU + 1 : 0;
        NOW->held = i ? 3 : 0;
        prover_call(m, SIM_CONTEXT(m, PROVER_PART, prover),
            &(struct prover_choice){.action = actions[i], .line = line, .contract = PROVER_CONTRACT_BOTH});
        EXPECT_VALUES({NOW->held, i ? 3 & ~(1u << line) : 0}, {NOW->touched, walks && i ? 1u << line : 0});
        if (!walks) continue;
        for (uint32_t outcome = 0; outcome < 3; outcome++) {
          sim_host_state(m)->broken = 0;
          NOW->reads = line + 1, NOW->device = 1;
          prover_dma_done(m, SIM_CONTEXT(m, PROVER_PART, prover), &(struct dma_done){.outcome = outcome});
          assert_int_equal(sim_host_state(m)->broken, outcome == 2 && !i ? SIM_CURRENT_DEVICE : SIM_HOLDS);
        }
      }
}

/* All words of a half get one new write number, from the first on, and the newest write before is
 * remembered. */
TEST(a_card_makes_one_write_per_half_line) {
  static const struct {
    uint64_t offset;
    uint32_t bytes;
  } cases[] = {{0, 32}, {0, 16}, {16, 16}, {0, 4}, {12, 8}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = small_open(&(struct small){.cpus = CPUS, .adapter = COHERENT, .card = 0x1e});
    uint32_t words[8] = {0};
    uint64_t before = m->writes, halves = 0;
    prover_pci_master_give(m, SIM_CONTEXT(m, PROVER_PART, prover),
        &(struct pci_master_give){
            .address = LINE + cases[i].offset, .bytes = cases[i].bytes, .writes = words});
    for (uint32_t k = 0; k < 8; k++) {
      assert_int_equal(words[k] > before, k < cases[i].bytes / 4);
      if (k >= cases[i].bytes / 4) continue;
      int same = k > 0 && (cases[i].offset + 4 * k) % 16 != 0;
      halves += !same;
      assert_int_equal(words[k], before + halves);
    }
    assert_int_equal(m->writes - before, halves);
  }
}
