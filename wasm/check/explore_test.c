/* Exploration itself: a kept state behaves like the one it was kept from, sound machines hold in every state, and broken ones are found out by a shortest way. */
#include "host/testing.h"

#include "include/explore.h"

#define LINE 0x1000ull
#define IO_DIRECTORY 0x100000ull
#define ROOM (48ull << 20)

enum { ALONE = 1, COHERENT };

/* A machine in which everything may happen, wired like those that the page explores. */
struct small {
  uint32_t cpus, adapter, orders, fault, memory_fault;
};

static const struct small SOUND[] = {{.cpus = 2}, {.cpus = 3}, {.cpus = 2, .orders = 1}, {.cpus = 1, .adapter = COHERENT}, {.cpus = 2, .adapter = ALONE}};
#define SOUNDS (sizeof SOUND / sizeof *SOUND)

#define PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

static void small_part_list(struct session *s, const struct small *g) {
  struct memory_controller_params memory = MEMORY_CONTROLLER_DEFAULTS;
  struct runway_params bus = RUNWAY_DEFAULTS;
  struct snoop_cache_params cache = SNOOP_CACHE_DEFAULTS;
  struct io_adapter_params adapter = IO_ADAPTER_DEFAULTS;
  struct io_services_params services = IO_SERVICES_DEFAULTS;
  struct prover_params prover = PROVER_DEFAULTS;
  memory.tracked_from = LINE, memory.tracked = RUNWAY_LINE, memory.written = 1, memory.fault = g->memory_fault;
  memory.directory = g->adapter == COHERENT ? IO_DIRECTORY : 0, memory.directory_bytes = g->adapter == COHERENT ? 16 : 0;
  bus.arbitration = 0, bus.pending = 1;
  cache.size = 64, cache.virtual_offset = 0, cache.buffer = 1, cache.fault = g->fault;
  adapter.page_bits = services.page_bits = 4, adapter.chain_shift = services.chain_shift = 15;
  adapter.directory = services.directory = IO_DIRECTORY, services.virtual_offset = 0;
  adapter.rows = 2, adapter.buffers = 1;
  adapter.mode = g->adapter == COHERENT ? IO_ADAPTER_MODE_COHERENT : IO_ADAPTER_MODE_NONE;
  services.mode = g->adapter == COHERENT ? IO_SERVICES_MODE_COHERENT : IO_SERVICES_MODE_NONE;
  prover.line_0 = LINE, prover.line_1 = LINE + RUNWAY_LINE, prover.coherent = g->adapter != ALONE, prover.orders = g->orders;
  PART(s, BY_TYPE_MEMORY_CONTROLLER, memory);
  PART(s, BY_TYPE_RUNWAY, bus);
  for (uint32_t i = 0; i < g->cpus; i++) PART(s, BY_TYPE_SNOOP_CACHE, cache);
  PART(s, BY_TYPE_PROVER, prover);
  session_table(s, NULL, 0, 1);
  if (!g->adapter) return;
  PART(s, BY_TYPE_IO_ADAPTER, adapter);
  PART(s, BY_TYPE_IO_SERVICES, services);
}

static by *small_open(const struct small *g) {
  static struct session s;
  const uint32_t prover = 2 + g->cpus, adapter = prover + 1, services = prover + 2;
  s = session_new(prover + 1 + (g->adapter ? 2 : 0), 1 + 2 * g->cpus + (g->adapter ? 4 : 0), 0);
  small_part_list(&s, g);
  session_wire(&s, 1, RUNWAY_PORT_MEMORY, 0, MEMORY_CONTROLLER_PORT_BUS);
  for (uint32_t i = 0; i < g->cpus; i++) {
    session_wire(&s, prover, PROVER_PORT_CPU + i, 2 + i, SNOOP_CACHE_PORT_CPU);
    session_wire(&s, 2 + i, SNOOP_CACHE_PORT_BUS, 1, RUNWAY_PORT_AGENT + i);
  }
  if (g->adapter) {
    session_wire(&s, adapter, IO_ADAPTER_PORT_BUS, 1, RUNWAY_PORT_AGENT + 8);
    session_wire(&s, prover, PROVER_PORT_HSC, adapter, IO_ADAPTER_PORT_HSC);
    session_wire(&s, prover, PROVER_PORT_FRONT, 2, SNOOP_CACHE_PORT_FRONT);
    session_wire(&s, prover, PROVER_PORT_SERVICES, services, IO_SERVICES_PORT_CPU);
  }
  assert_int_equal(session_open(&s), BY_OK);
  return test_engine();
}

static const struct by_explored *explored(const struct small *g) {
  static uint64_t *work;
  if (!work) work = malloc(ROOM);
  memset(work, 0, ROOM);
  by *m = small_open(g);
  by_explore_begin(m, work, ROOM);
  const struct by_explored *r;
  do r = by_explore(m, work, 100000);
  while (r->end == EXPLORE_MORE);
  return r;
}

static void a_sound_machine_holds_in_every_state(void **state) {
  (void)state;
  uint32_t before = 0;
  for (uint32_t i = 0; i < SOUNDS; i++) {
    const struct by_explored *r = explored(&SOUND[i]);
    assert_int_equal(r->end, EXPLORE_COMPLETE);
    assert_int_equal(r->invariant, 0);
    assert_int_equal(r->deadlocks, 0);
    assert_int_equal(r->waiting, 0);
    assert_true(r->transitions_lo >= r->states && r->states > 400); /* each but the first is come to by a transition */
    if (i == 1) assert_true(r->states > before); /* a third processor does whatever two do, and more */
    before = r->states;
  }
}

/* Plays the choices of a way, as the page does that shows it; answers which invariant is broken then. */
static uint32_t played(const struct small *g, const struct by_explored *r) {
  static uint32_t way[EXPLORE_STEPS * 4];
  const uint32_t length = r->way_length, steps = r->steps;
  memcpy(way, r->way, length * sizeof *way);
  by *m = small_open(g);
  struct by_side *side = by_side(m);
  side->exploring = 1;
  uint32_t taken = 0, events = 0;
  while (taken < length) {
    assert_int_equal(side->broken, 0);
    side->tried = 0;
    for (side->forced = 0; side->forced < length - taken && side->forced < 8; side->forced++) side->choice[side->forced] = way[taken + side->forced];
    uint64_t from = m->events;
    assert_true(by_step_any(m));
    by_settle(m);
    taken += side->tried;
    events += (uint32_t)(m->events - from);
  }
  assert_int_equal(taken, length);
  assert_int_equal(events, steps);
  return side->broken;
}

static void every_defect_of_the_protocol_is_found_by_a_way_that_can_be_played(void **state) {
  (void)state;
  static const uint32_t cache[] = {SNOOP_CACHE_FAULT_OK_WHILE_DIRTY, SNOOP_CACHE_FAULT_OK_KEEPS_SHARED, SNOOP_CACHE_FAULT_PRIVATE_LEAVES_COPY, SNOOP_CACHE_FAULT_OWNER_STAYS_DIRTY, SNOOP_CACHE_FAULT_VICTIM_DROPPED};
  for (uint32_t i = 0; i <= sizeof cache / sizeof *cache; i++) {
    int memory = i == sizeof cache / sizeof *cache;
    const struct small g = {.cpus = 2, .fault = memory ? 0 : cache[i], .memory_fault = memory ? MEMORY_CONTROLLER_FAULT_COPY_SKIPS_MEMORY : 0};
    const struct by_explored *r = explored(&g);
    assert_int_equal(r->end, EXPLORE_BROKEN);
    assert_int_not_equal(r->invariant, 0);
    assert_in_range(r->steps, 2, 32);
    uint32_t broken = played(&g, r);
    assert_true(broken == 0 || broken == r->invariant); /* some only show when the whole state is looked at */
  }
}

/*
 * A walk through states that were never kept. In each, any of the next steps is taken twice: by the machine that came
 * here, and by one that has read what the state was written as. Both must come to the same. Reading a state and
 * writing it again changes nothing.
 */
static void a_kept_state_goes_on_like_the_one_it_was_kept_from(void **state) {
  (void)state;
  static unsigned char *alive;
  if (!alive) alive = malloc(TEST_ARENA);
  uint64_t random = 11;
  for (uint32_t i = 0; i < SOUNDS; i++) {
    by *m = small_open(&SOUND[i]);
    struct by_side *side = by_side(m);
    const uint64_t bytes = BY_SIDE_BYTES + by_look(m)->total_bytes;
    side->exploring = 1;
    for (uint32_t step = 0; step < 3000; step++) {
      uint8_t here[KEEP_BYTES], again[KEEP_BYTES], kept[KEEP_BYTES], went[KEEP_BYTES];
      struct by_keeper k;
      uint32_t n = by_keep_out(m, &k, here);
      memcpy(alive, test_memory, bytes);
      by_keep_in(m, &k, here);
      assert_int_equal(by_keep_out(m, &k, again), n);
      assert_memory_equal(again, here, n);
      side->forced = side->tried = side->broken = 0;
      for (uint32_t more = test_random(&random) % 6;; more--) { /* one of the combinations of choices */
        by_keep_in(m, &k, here);
        side->tried = 0;
        assert_true(by_step_any(m));
        if (more == 0 || !explorer_next_choice(side)) break;
      }
      by_settle(m);
      uint32_t choices = side->tried;
      uint32_t choice[sizeof side->choice / sizeof *side->choice];
      memcpy(choice, side->choice, sizeof choice);
      uint32_t length = by_keep_out(m, &k, kept);
      memcpy(test_memory, alive, bytes);
      memcpy(side->choice, choice, sizeof choice);
      side->forced = choices;
      side->tried = side->broken = 0;
      assert_true(by_step_any(m));
      by_settle(m);
      assert_int_equal(side->broken, 0);
      assert_int_equal(by_keep_out(m, &k, went), length);
      assert_memory_equal(went, kept, length);
    }
  }
}

/* In any order each event takes a step of time, 100 ns here: 1 us has room for ten, and what would come later does not. */
static void a_run_in_any_order_keeps_to_its_time(void **state) {
  (void)state;
  by *m = small_open(&SOUND[0]);
  assert_int_equal(by_run(m, 1000000, BY_NEVER), BY_UNTIL);
  assert_int_equal(m->time, 1000000);
  assert_int_equal(m->events, 10);
  assert_int_equal(by_run(m, BY_NEVER, 25), BY_EVENTS);
  assert_int_equal(m->time, 2500000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sound_machine_holds_in_every_state),
      cmocka_unit_test(every_defect_of_the_protocol_is_found_by_a_way_that_can_be_played),
      cmocka_unit_test(a_kept_state_goes_on_like_the_one_it_was_kept_from),
      cmocka_unit_test(a_run_in_any_order_keeps_to_its_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
