/* A machine that is watched: what is broken is told once, with its invariant and place, and nothing is told of a machine that is sound. */
#include "host/hp_machine.h"

static uint32_t watcher_part;

static void watched(const struct hp_machine *g) {
  static struct session s;
  watcher_part = FIRST_CACHE + 2 * g->cpus;
  s = session_new(watcher_part + 1, 1 + 3 * g->cpus, 16);
  hp_machine_parts(&s, g);
  session_part(&s, BY_TYPE_WATCHER, NULL, 0);
  hp_machine_wires(&s, g);
  assert_int_equal(session_open(&s), BY_OK);
  assert_int_equal(by_run(test_engine(), BY_NEVER, 100000), BY_IDLE);
}

static void a_defect_is_told_with_its_invariant_and_its_line(void **state) {
  (void)state;
  static const uint64_t first[] = {LOAD(BASE + 64), SPEND(10000000), LOAD(BASE + 64), END}, second[] = {SPEND(5000000), STORE(BASE + 64), END};
  static const struct { uint32_t fault, broken; } cases[] = {
      {SNOOP_CACHE_FAULT_NONE, 0}, {SNOOP_CACHE_FAULT_PRIVATE_LEAVES_COPY, BY_ONE_WRITER}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hp_machine g = hp_machine_defaults(2, 0);
    g.cache.fault = cases[i].fault;
    g.program[0] = PROGRAM(first), g.program[1] = PROGRAM(second);
    watched(&g);
    const struct watcher_counters *c = HP_COUNTERS(watcher_part, watcher);
    assert_int_equal(c->looks, test_engine()->events);
    const struct by_record *told = hp_record(watcher_part, WATCHER_EV_BROKEN, 0);
    uint32_t rows;
    const struct watcher_last *last = checked_view(test_engine(), watcher_part, WATCHER_VIEW_LAST, &rows);
    assert_int_equal(c->broken > 0, cases[i].broken != 0);
    assert_int_equal(told != NULL, cases[i].broken != 0);
    if (!told) {
      assert_int_equal(last->invariant, 0);
      continue;
    }
    assert_int_equal(told->b, cases[i].broken);
    assert_int_equal(told->a, BASE + 64);
    assert_int_equal(last->addr, BASE + 64);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_defect_is_told_with_its_invariant_and_its_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
