/* Exploration itself: a state that is read back behaves like the original, sound machines satisfy every
 * invariant in every state, and defects are found by a shortest counterexample. */
#include "test/engine_internals.h"

#include "test/small_machine.h"

#include "include/explore.h"
#include "test/explored.h"

static const struct small SOUND[] = {{.cpus = 2}, {.cpus = 3}, {.cpus = 2, .orders = 1},
    {.cpus = 1, .adapter = COHERENT}, {.cpus = 2, .adapter = ALONE}};
#define SOUNDS (sizeof SOUND / sizeof *SOUND)

static const struct sim_explored *explored(const struct small *g) { return explored_from(small_open(g)); }

TEST(a_sound_machine_satisfies_its_invariants_in_every_state) {
  uint32_t before = 0;
  for (uint32_t i = 0; i < SOUNDS; i++) {
    const struct sim_explored *r = explored(&SOUND[i]);
    EXPECT_VALUES({r->end, EXPLORE_COMPLETE}, {r->invariant, 0}, {r->deadlocks, 0}, {r->waiting, 0});
    assert_true(r->transitions_lo >= r->states
                && r->states > 400);             /* a transition leads to each state but the first */
    if (i == 1) assert_true(r->states > before); /* a third processor adds states */
    before = r->states;
  }
}

/*
 * The state space counted independently of the explorer: states are compared byte by byte, and the events of
 * a state are enumerated by replaying it with each alternative to the first choice. No hash table, no ring,
 * no odometer.
 */
struct seen {
  uint32_t length;
  uint32_t sum;
  uint32_t layer;
  uint8_t bytes[CODEC_BYTES];
};

struct count {
  struct seen *seen;
  uint32_t states;
  uint32_t transitions;
  uint32_t current;
};

static void count_arrival(sim *m, struct count *c) {
  struct sim_codec k;
  struct seen *s = &c->seen[c->states];
  s->length = sim_encode(m, &k, s->bytes);
  s->layer = c->states ? c->seen[c->current].layer + 1 : 1;
  s->sum = s->length;
  for (uint32_t i = 0; i < s->length; i++) s->sum = s->sum * 31 + s->bytes[i];
  for (uint32_t i = 0; i < c->states; i++)
    if (c->seen[i].sum == s->sum && c->seen[i].length == s->length
        && !memcmp(c->seen[i].bytes, s->bytes, s->length))
      return;
  c->states++;
}

/* Takes the current state's next event with these n choices first, and with every combination of the choices
 * after them. */
static void count_from(sim *m, struct count *c, const uint32_t *first, uint32_t n) {
  struct sim_host_state *side = sim_host_state(m);
  struct sim_codec k;
  uint32_t made[16], of[16];
  sim_decode(m, &k, c->seen[c->current].bytes);
  for (uint32_t i = 0; i < n; i++) side->choice[i] = first[i];
  side->forced_choices = n, side->choices_made = side->broken = 0;
  if (!sim_explore_step(m)) return;
  sim_run_invisible(m);
  uint32_t tried = side->choices_made;
  memcpy(made, side->choice, sizeof made);
  memcpy(of, side->choices_of, sizeof of);
  c->transitions++;
  count_arrival(m, c);
  for (uint32_t i = n; i < tried; i++) {
    uint32_t other[16];
    memcpy(other, made, i * sizeof *made);
    for (other[i] = 1; other[i] < of[i]; other[i]++) count_from(m, c, other, i + 1);
  }
}

TEST(exploration_covers_the_full_state_space) {
  struct count c = {.seen = malloc(10000 * sizeof *c.seen)};
  for (uint32_t i = 0; i < SOUNDS; i++) {
    const struct sim_explored *r = explored(&SOUND[i]);
    sim *m = small_open(&SOUND[i]);
    sim_host_state(m)->exploring = 1;
    c.states = c.transitions = c.current = 0;
    for (count_arrival(m, &c); c.current < c.states && c.states < 10000; c.current++)
      count_from(m, &c, NULL, 0);
    EXPECT_VALUES(
        {r->states, c.states}, {r->transitions_lo, c.transitions}, {r->depth, c.seen[c.states - 1].layer});
  }
  free(c.seen);
}

/* A counterexample has room for a limited number of choices: later ones are dropped, and memory after them
 * is untouched. */
TEST(a_counterexample_that_is_too_long_is_truncated) {
  struct {
    struct sim_explored found;
    uint32_t behind[16];
  } way = {.found = {.way_length = EXPLORE_STEPS * 4 - 1}};
  uint8_t bytes[CODEC_BYTES];
  struct sim_codec k;
  sim *m = small_open(&SOUND[0]);
  sim_host_state(m)->exploring = 1;
  sim_encode(m, &k, bytes);
  for (uint32_t times = 0; times < 3; times++) {
    explorer_replay_step(m, &way.found, bytes, times);
    assert_true(sim_host_state(m)->choices_made > 0);
    EXPECT_VALUES({way.found.way_length, EXPLORE_STEPS * 4}, {way.found.way[EXPLORE_STEPS * 4 - 1], 0});
    for (uint32_t i = 0; i < 16; i++) assert_int_equal(way.behind[i], 0);
  }
  assert_int_equal(sim_host_state(m)->choice[0] + sim_host_state(m)->choice[1] > 0,
      1); /* the last choice was not the first option */
}

/* A counterexample to the last of a chain of states, each the first successor of the one before, has a step
 * per state after the first. A chain with more steps than fit yields none. */
TEST(a_counterexample_starts_at_the_first_state_or_is_empty) {
  uint64_t *work = calloc(1, ROOM);
  struct explorer *e = (struct explorer *)work;
  sim *m = small_open(&SOUND[0]);
  sim_explore_begin(m, work, ROOM);
  uint8_t bytes[CODEC_BYTES], here[CODEC_BYTES], there[CODEC_BYTES];
  struct sim_codec k;
  memcpy(bytes, e->first, sizeof bytes);
  for (uint32_t n = 1; n <= EXPLORE_STEPS + 1; n++) {
    explorer_parent(e)[n - 1] = n > 1 ? n - 2 : NO_PARENT;
    explorer_nth(e)[n - 1] = 0;
    if (n != 1 && n != 2 && n != 300 && n < EXPLORE_STEPS) continue;
    explorer_counterexample(m, e, n - 1, NO_PARENT);
    uint32_t length = e->result.way_length, steps = e->result.steps, reached = sim_encode(m, &k, here),
             events = 0;
    EXPECT_VALUES({length > 0, n > 1 && n <= EXPLORE_STEPS}, {steps >= n - 1, n <= EXPLORE_STEPS});
    if (length == 0) continue;
    explorer_enter(m, bytes);
    for (uint32_t i = 1; i < n; i++) {
      uint64_t before = m->events;
      sim_host_state(m)->forced_choices = sim_host_state(m)->choices_made = 0;
      sim_explore_step(m);
      sim_run_invisible(m);
      events += (uint32_t)(m->events - before);
      uint8_t now[CODEC_BYTES];
      sim_encode(m, &k, now);
      explorer_enter(m, now);
    }
    assert_int_equal(steps, events);
    assert_int_equal(sim_encode(m, &k, there), reached);
    assert_memory_equal(here, there, reached);
  }
  free(work);
}

/* A scenario's choices are made first, in order, limited to the number of options; then the seed's. */
TEST(choices_of_a_scenario_come_first) {
  static const uint64_t given[] = {3, 0, 7, 2, 5};
  static const uint32_t made[] = {3, 0, 4, 2, 4}; /* of five options */
  const struct small g = {.cpus = 2, .given = given, .choices = 5};
  uint32_t next[2][20], differ = 0;
  for (uint32_t with = 0; with < 2; with++) {
    sim *m = small_open(with ? &g : &SOUND[0]);
    for (uint32_t i = 0; i < 5; i++) {
      uint32_t pick = sim_choose(m, SIM_CHOOSE_ARBITER, 5);
      if (with) assert_int_equal(pick, made[i]);
    }
    for (uint32_t i = 0; i < 20; i++)
      next[with][i] = sim_choose(m, SIM_CHOOSE_ARBITER, 100), differ += next[with][i] != next[with][0];
  }
  assert_memory_equal(next[0], next[1], sizeof *next); /* the seed's sequence is unaffected */
  assert_true(differ > 20);
}

/* Exploring in portions of about the requested size gives the same result. If memory runs out, the result
 * says so. */
TEST(exploring_works_in_portions_and_ends_when_memory_is_full) {
  const struct sim_explored whole = *explored(&SOUND[1]), *r;
  uint64_t *work = calloc(1, ROOM);
  sim *m = small_open(&SOUND[1]);
  sim_explore_begin(m, work, ROOM);
  for (uint32_t before = 0;; before = r->transitions_lo) {
    r = sim_explore(m, work, 500);
    if (r->end != EXPLORE_MORE) break;
    assert_in_range(r->transitions_lo - before, 500, 500 + 64); /* the last state is completed */
    assert_true(r->waiting > 0);
  }
  assert_memory_equal(r, &whole, sizeof whole);
  memset(work, 0, ROOM);
  m = small_open(&SOUND[1]);
  sim_explore_begin(m, work, 300000);
  r = sim_explore(m, work, 1000000);
  EXPECT_VALUES({r->end, EXPLORE_FULL}, {r->invariant, 0});
  assert_in_range(r->states, 1000, whole.states - 1);
  for (uint32_t room = 500; room <= whole.states;
      room += whole.states - 500) { /* as many states as fit, whether that is all of them or not */
    memset(work, 0, ROOM);
    m = small_open(&SOUND[1]);
    sim_explore_begin(m, work, ROOM);
    ((struct explorer *)work)->capacity = room;
    r = sim_explore(m, work, 1000000);
    EXPECT_VALUES({r->states, room}, {r->end, room < whole.states ? EXPLORE_FULL : EXPLORE_COMPLETE});
  }
  free(work);
}

/* Replays the choices of a counterexample, as the page does to show it. Returns the violated invariant. */
static uint32_t played(const struct small *g, const struct sim_explored *r) {
  static uint32_t way[EXPLORE_STEPS * 4];
  const uint32_t length = r->way_length, steps = r->steps, depth = r->depth;
  memcpy(way, r->way, length * sizeof *way);
  sim *m = small_open(g);
  struct sim_host_state *side = sim_host_state(m);
  side->exploring = 1;
  uint32_t taken = 0, events = 0, transitions = 0;
  while (taken < length) {
    assert_int_equal(side->broken, 0);
    side->choices_made = 0;
    for (side->forced_choices = 0; side->forced_choices < length - taken && side->forced_choices < 8;
        side->forced_choices++)
      side->choice[side->forced_choices] = way[taken + side->forced_choices];
    uint64_t from = m->events;
    assert_true(sim_explore_step(m));
    sim_run_invisible(m);
    taken += side->choices_made;
    transitions++;
    events += (uint32_t)(m->events - from);
  }
  EXPECT_VALUES({taken, length}, {events, steps});
  assert_int_equal(transitions, depth); /* the shortest: it ends in the layer where it was found */
  return side->broken;
}

TEST(every_defect_is_found_by_a_counterexample_that_can_be_replayed) {
  static const uint32_t cache[] = {SNOOP_CACHE_FAULT_OK_WHILE_DIRTY, SNOOP_CACHE_FAULT_OK_KEEPS_SHARED,
      SNOOP_CACHE_FAULT_PRIVATE_LEAVES_COPY, SNOOP_CACHE_FAULT_OWNER_STAYS_DIRTY,
      SNOOP_CACHE_FAULT_VICTIM_DROPPED, SNOOP_CACHE_FAULT_BUFFER_NOT_SNOOPED};
  uint32_t records = 0;
  for (uint32_t i = 0; i <= sizeof cache / sizeof *cache; i++) {
    int memory = i == sizeof cache / sizeof *cache;
    const struct small g = {.cpus = 2,
        .fault = memory ? 0 : cache[i],
        .memory_fault = memory ? MEMORY_CONTROLLER_FAULT_COPY_SKIPS_MEMORY : 0};
    const struct sim_explored *r = explored(&g);
    assert_int_equal(r->end, EXPLORE_BROKEN);
    assert_int_not_equal(r->invariant, 0);
    assert_in_range(r->steps, 2, 32);
    const uint32_t part = r->part;
    uint32_t broken = played(&g, r);
    if (broken) assert_int_equal(part, sim_host_state(test_engine())->broken_part);
    records += broken != 0;
    if (broken)
      assert_int_equal(sim_part(test_engine(), part)->type,
          SIM_TYPE_SNOOP_CACHE); /* the cache that reads stale data or loses the newest */
    assert_true(broken == 0 || broken == r->invariant); /* some are found only by checking the whole state */
  }
  assert_true(records > 0);
}

/* A store queue adds states. An access that passes a store in it violates program order, with a
 * counterexample that can be replayed. */
TEST(a_processor_keeps_the_order_of_its_accesses) {
  static const struct {
    uint32_t fault, lines;
  } cases[] = {{SNOOP_CACHE_FAULT_LOAD_PASSES_STORE, 1}, {SNOOP_CACHE_FAULT_HIT_PASSES_STORE, 2},
      {SNOOP_CACHE_FAULT_MISS_PASSES_STORE, 2}};
  const uint32_t waiting = explored(&(struct small){.cpus = 2})->states;
  const struct sim_explored *sound = explored(&(struct small){.cpus = 2, .store_queue = 1});
  assert_int_equal(sound->end, EXPLORE_COMPLETE);
  assert_true(sound->states > waiting);
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct small g = {.cpus = 2, .lines = cases[i].lines, .store_queue = 1, .fault = cases[i].fault};
    const struct sim_explored *r = explored(&g);
    EXPECT_VALUES({r->end, EXPLORE_BROKEN}, {r->invariant, SIM_PROGRAM_ORDER});
    assert_in_range(r->steps, 2, 32);
    assert_int_equal(played(&g, r), SIM_PROGRAM_ORDER);
  }
}

TEST(a_decoded_state_behaves_like_the_original) {
  static const struct small more[] = {{.cpus = 1, .adapter = COHERENT, .card = 0x1e},
      {.cpus = 1, .adapter = COHERENT, .lines = 2, .pages = OWN},
      {.cpus = 1, .adapter = COHERENT, .lines = 2, .pages = POOLED}, {.cpus = 2, .store_queue = 1},
      {.cpus = 2, .lines = 2, .store_queue = 2}};
  uint64_t random = 11;
  for (uint32_t i = 0; i < SOUNDS + sizeof more / sizeof *more; i++) {
    small_open(i < SOUNDS ? &SOUND[i] : &more[i - SOUNDS]);
    assert_kept_goes_on(3000, &random);
  }
}

/* Two chains of 8 pages: page 1 is in the first as block 1, page 8 in the second as block 0. A translation
 * is live as long as the directory has a valid entry for its page with the same physical page. */
TEST(a_translation_without_its_entry_is_found) {
  static const struct {
    uint64_t entry;
    uint32_t chain, block, page, dead;
  } cases[] = {{5 << 12 | IO_PAGE_VALID, 0, 1, 5, 0}, {5 << 12 | IO_PAGE_VALID, 0, 1, 6, 1},
      {5 << 12, 0, 1, 5, 1}, {5 << 12 | IO_PAGE_VALID, 0, 0, 5, 1}, {5 << 12 | IO_PAGE_VALID, 1, 0, 5, 1},
      {5 << 12 | IO_PAGE_VALID, 1, 1, 5, 1}, {5 << 12 | IO_PAGE_VALID, 0, 3, 5, 1}}; /* page 3 */
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = small_open(&(struct small){.cpus = 1, .adapter = COHERENT});
    struct checked c = checked_parts(m);
    uint32_t rows;
    struct io_adapter_tlb *tlb = checked_view(m, c.adapter, IO_ADAPTER_VIEW_TLB, &rows);
    assert_int_equal(rows, 2);
    call_shadow_value(m, c.cache[0], SNOOP_CACHE_PORT_BUS,
        &(struct shadow_value){.address = IO_DIRECTORY + 8, .set = 1, .value = cases[i].entry});
    assert_int_equal(stale_translation(m, &c), 0); /* no entry yet */
    tlb[cases[i].chain] = (struct io_adapter_tlb){.valid = 1, .block = cases[i].block, .page = cases[i].page};
    assert_int_equal(stale_translation(m, &c), cases[i].dead);
  }
}

/* A sound idle machine with one or more of these changes: returns the first invariant that is violated. */
enum change {
  DEAD = 1,
  STEP = 2,
  OTHER = 4,
  BUSY = 8,
  PENDING = 16,
  WAITING = 32,
  COPIES = 64,
  WRITERS = 128,
  ADAPTER_WRITES = 256,
  OLD = 512,
  LOST = 1024
};
static uint32_t broken_by(uint32_t what) {
  sim *m = small_open(&(struct small){.cpus = 2, .adapter = COHERENT});
  const struct checked c = checked_parts(m);
  uint8_t bytes[CODEC_BYTES];
  struct sim_codec k;
  uint32_t rows;
  sim_encode(m, &k, bytes);
  struct snoop_cache_lines *first = checked_view(m, c.cache[0], SNOOP_CACHE_VIEW_LINES, &rows),
                           *second = checked_view(m, c.cache[1], SNOOP_CACHE_VIEW_LINES, &rows);
  struct io_adapter_line *line = checked_view(m, c.adapter, IO_ADAPTER_VIEW_LINE, &rows);
  struct runway_agents *agents = checked_view(m, c.runway, RUNWAY_VIEW_AGENTS, &rows);
  struct io_adapter_tlb *tlb = checked_view(m, c.adapter, IO_ADAPTER_VIEW_TLB, &rows);
  struct prover_now *now = checked_view(m, c.prover, PROVER_VIEW_NOW, &rows);
  if (what & DEAD) tlb->valid = 1;
  if (what & STEP)
    sim_push(m, 0, 0, &(sim_msg){.to = (uint16_t)c.prover, .port = SIM_PORT_SELF, .kind = PROVER_STEP});
  if (what & OTHER) sim_push(m, 0, 0, &(sim_msg){.to = (uint16_t)c.runway, .port = SIM_PORT_SELF});
  if (what & BUSY) now->busy_1 = 1;
  if (what & PENDING) agents[1].pending = 1;
  if (what & WAITING) agents[2].waiting = 1;
  if (what & (COPIES | WRITERS | ADAPTER_WRITES)) first[0].tag = 5, first[0].state = SNOOP_CACHE_LINE_SHARED;
  if (what & (COPIES | WRITERS))
    second[0].tag = 5,
    second[0].state = what & WRITERS ? SNOOP_CACHE_LINE_PRIVATE_CLEAN : SNOOP_CACHE_LINE_SHARED;
  if (what & ADAPTER_WRITES)
    line->state = IO_ADAPTER_LINE_HELD, line->addr = 4 * RUNWAY_LINE; /* tags count from 1 */
  k.copies_old += (what & OLD) != 0;
  if (what & LOST) k.found &= k.found - 1;
  return broken_invariant(m, &c, &k);
}

TEST(each_invariant_is_violated_by_its_own_fault) {
  static const struct {
    uint32_t what, broken;
  } cases[] = {{0, SIM_HOLDS}, {DEAD, SIM_LIVE_TRANSLATION}, {DEAD | STEP, SIM_HOLDS},
      {DEAD | OTHER, SIM_HOLDS}, {DEAD | BUSY, SIM_HOLDS},
      {DEAD | BUSY | STEP, SIM_HOLDS}, /* tolerated while something is under way */
      {PENDING, SIM_ANSWERED_ONCE}, {WAITING, SIM_ANSWERED_ONCE}, {PENDING | BUSY, SIM_HOLDS},
      {WAITING | OTHER, SIM_HOLDS}, {COPIES, SIM_HOLDS}, {WRITERS, SIM_ONE_WRITER},
      {ADAPTER_WRITES, SIM_ONE_WRITER}, {OLD, SIM_NO_STALE_COPY}, {LOST, SIM_NO_LOST_DATA},
      {LOST | OLD | WRITERS, SIM_ONE_WRITER}, {LOST | BUSY, SIM_NO_LOST_DATA}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(broken_by(cases[i].what), cases[i].broken);
}

/* The cause of an event's records is the message handled, not the one before it. */
TEST(a_nondeterministic_event_is_caused_by_its_message) {
  sim *m = small_open(&SOUND[0]);
  const struct sim_record *ring = sim_at(m, sim_refresh_header(m)->trace_at);
  for (uint32_t i = 0; i < 100; i++) {
    uint64_t before = m->seq;
    m->cause = 12345678;
    assert_true(sim_explore_step(m));
    if (m->seq > before) assert_true(ring[before & sim_host_state(m)->trace_mask].cause <= before);
  }
}

/* In nondeterministic mode each event takes a time step, here 100 ns: ten fit into 1 us, and later ones are
 * not run. */
TEST(a_nondeterministic_run_stops_at_its_time) {
  sim *m = small_open(&SOUND[0]);
  assert_int_equal(sim_run(m, 1000000, SIM_NEVER), SIM_UNTIL);
  EXPECT_VALUES({m->time, 1000000}, {m->events, 10});
  assert_int_equal(sim_run(m, SIM_NEVER, 25), SIM_EVENTS);
  assert_int_equal(m->time, 2500000);
}

/* A command is under way until the card is done; without an interrupt, until the driver has polled. Each
 * message on its way to the prover accounts for one waiting party. */
TEST(a_card_keeps_its_driver_waiting_until_it_is_done) {
  static const struct {
    uint32_t job, quiet, card, busy;
  } cases[] = {{0, 0, CARD_IDLE, 0}, {0, 1, CARD_WORKS, 0}, {1, 0, CARD_WORKS, 1}, {1, 0, CARD_IDLE, 1},
      {1, 0, CARD_DONE, 0}, {1, 1, CARD_DONE, 1}, {1, 1, CARD_WORKS, 1}};
  sim *m = small_open(&(struct small){.cpus = 2, .adapter = COHERENT, .card = 0x1e});
  const struct checked c = checked_parts(m);
  uint32_t rows;
  struct prover_now *now = checked_view(m, c.prover, PROVER_VIEW_NOW, &rows);
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t others = 0; others < 8; others++) {
      now->job = cases[i].job, now->quiet = cases[i].quiet, now->card = cases[i].card;
      now->busy_0 = others & 1, now->busy_1 = others >> 1 & 1, now->device = others >> 2;
      for (uint32_t steps = 0; steps < 5; steps++)
        assert_int_equal(is_busy(m, &c, steps), cases[i].busy + (uint32_t)__builtin_popcount(others) > steps);
    }
}

/* A bridge is busy with posts, accesses, interrupts and lines still to come, but not with lines that have
 * arrived or are empty. */
TEST(a_bridge_is_idle_when_nothing_is_on_its_way) {
  sim *m = small_open(&(struct small){.cpus = 1, .adapter = COHERENT, .card = 0x1e, .bridge_lines = 3});
  const struct checked c = checked_parts(m);
  uint32_t rows;
  struct hsc_pci_now *now = checked_view(m, c.bridge, HSC_PCI_VIEW_NOW, &rows);
  struct hsc_pci_lines *line = checked_view(m, c.bridge, HSC_PCI_VIEW_LINES, &rows);
  uint32_t *const left[] = {&now->posted, &now->queued, &now->interrupts};
  assert_int_equal(rows, 3);
  assert_int_equal(bridge_holds_line(m, c.bridge), 0);
  for (uint32_t i = 0; i < 3; i++) {
    *left[i] = 2;
    assert_true(bridge_holds_line(m, c.bridge) && unanswered(m, &c));
    *left[i] = 0;
  }
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t state = HSC_PCI_LINE_EMPTY; state <= HSC_PCI_LINE_DROPPED; state++) {
      line[i].state = state;
      assert_int_equal(
          bridge_holds_line(m, c.bridge), state != HSC_PCI_LINE_EMPTY && state != HSC_PCI_LINE_HERE);
      line[i].state = HSC_PCI_LINE_EMPTY;
    }
}
