/*
 * The caches against a plain model of caches and memory, written without tables, queues or time: after
 * each of many random accesses both must agree on every state, every copy and all of memory.
 */
#include "host/testing.h"

#define CPUS 3u
#define LINES 16u
#define SETS 8u
#define OPS 120u
#define BASE 0x100000ull
#define GAP 100000000ull /* picoseconds between accesses: more than all of them together take */
#define FIRST 1u       /* cache of the first processor; its processor follows */

enum { INVALID, SHARED, CLEAN, DIRTY };

/* Kinds of caches. From line `uncached` on memory is not cached; a fetch of its own may come after each miss. */
struct kind {
  uint64_t policy, indexed, assist;
  uint32_t uncached, tries;
};

struct plain {
  uint32_t state[CPUS][LINES], data[CPUS][LINES][2], memory[LINES][2], newest[LINES][2], writes;
};

static void write_back(struct plain *p, uint32_t cpu, uint32_t line) {
  if (p->state[cpu][line] == DIRTY) memcpy(p->memory[line], p->data[cpu][line], sizeof p->memory[line]);
}

/* The two lines that share a set push each other out. */
static void make_room(struct plain *p, uint32_t cpu, uint32_t line) {
  write_back(p, cpu, line ^ SETS);
  p->state[cpu][line ^ SETS] = INVALID;
}

static void plain_load(struct plain *p, uint32_t cpu, uint32_t line) {
  if (p->state[cpu][line] != INVALID) return;
  make_room(p, cpu, line);
  p->state[cpu][line] = CLEAN;
  for (uint32_t other = 0; other < CPUS; other++) {
    if (other == cpu || p->state[other][line] == INVALID) continue;
    write_back(p, other, line);
    p->state[other][line] = p->state[cpu][line] = SHARED;
  }
  memcpy(p->data[cpu][line], p->memory[line], sizeof p->memory[line]);
}

/* The store goes to memory at once; whoever else has the line loses it. */
static void plain_store_through(struct plain *p, uint32_t cpu, uint32_t line, uint32_t half) {
  for (uint32_t other = 0; other < CPUS; other++)
    if (other != cpu) p->state[other][line] = INVALID;
  p->memory[line][half] = p->data[cpu][line][half] = ++p->writes;
}

static void plain_store(struct plain *p, uint32_t cpu, uint32_t line, uint32_t half) {
  if (p->state[cpu][line] < CLEAN) {
    if (p->state[cpu][line] == INVALID) make_room(p, cpu, line);
    for (uint32_t other = 0; other < CPUS; other++) {
      if (other == cpu) continue;
      write_back(p, other, line);
      p->state[other][line] = INVALID;
    }
    memcpy(p->data[cpu][line], p->memory[line], sizeof p->memory[line]);
  }
  p->state[cpu][line] = DIRTY;
  p->data[cpu][line][half] = ++p->writes;
}

static void plain_drop(struct plain *p, uint32_t line, int keep) {
  for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
    if (keep) write_back(p, cpu, line);
    p->state[cpu][line] = INVALID;
  }
}

struct access {
  uint32_t cpu, op, line, half;
};

static void plain_do(struct plain *p, const struct kind *kind, const struct access *a) {
  int uncached = a->line >= kind->uncached, through = uncached || kind->policy == SNOOP_CACHE_POLICY_WRITE_THROUGH;
  if (a->op == PROCESSOR_OP_LOAD && !uncached) plain_load(p, a->cpu, a->line);
  else if (a->op == PROCESSOR_OP_STORE && through) plain_store_through(p, a->cpu, a->line, a->half);
  else if (a->op == PROCESSOR_OP_STORE) plain_store(p, a->cpu, a->line, a->half);
  else if (a->op != PROCESSOR_OP_LOAD) plain_drop(p, a->line, a->op == PROCESSOR_OP_FLUSH);
  if (a->op == PROCESSOR_OP_STORE) p->newest[a->line][a->half] = p->writes;
  if (a->op == PROCESSOR_OP_PURGE) memcpy(p->newest[a->line], p->memory[a->line], sizeof p->memory[a->line]);
}

#define PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)
#define FIELDS 8u

static void add_row(uint64_t *rows, uint32_t *n, uint64_t op, uint64_t addr, uint64_t bytes, uint64_t time) {
  const uint64_t row[FIELDS] = {op, addr, addr, bytes, 4, time, 0, 0};
  memcpy(rows + FIELDS * (*n)++, row, sizeof row);
}

/* Each processor waits for its turns: access i happens within a fraction of GAP after i times GAP. */
static void add_processor(struct session *s, uint32_t cpu, const struct access *list) {
  static uint64_t rows[FIELDS * (2 * OPS + 1)];
  struct processor_params q = PROCESSOR_DEFAULTS;
  uint32_t n = 0;
  uint64_t now = 0;
  for (uint32_t i = 0; i < OPS; i++) {
    if (list[i].cpu != cpu) continue;
    add_row(rows, &n, PROCESSOR_OP_SPEND, 0, 0, i * GAP - now);
    add_row(rows, &n, list[i].op, BASE + list[i].line * 32 + list[i].half * 16, 4, 0);
    now = i * GAP;
  }
  add_row(rows, &n, PROCESSOR_OP_END, 0, 0, 0);
  PART(s, BY_TYPE_PROCESSOR, q);
  session_table(s, rows, n, FIELDS);
}

static void open_machine(const struct kind *kind, const struct access *list) {
  static struct session s;
  struct snoop_cache_params cache = SNOOP_CACHE_DEFAULTS;
  struct memory_controller_params memory = MEMORY_CONTROLLER_DEFAULTS;
  struct runway_params bus = RUNWAY_DEFAULTS;
  cache.size = SETS * 32;
  cache.policy = kind->policy;
  cache.indexed = kind->indexed;
  cache.assist = kind->assist;
  cache.speculate = kind->assist ? 1 : 0;
  cache.uncached_from = BASE + kind->uncached * 32;
  cache.uncached = (LINES - kind->uncached) * 32;
  memory.tracked_from = BASE;
  memory.tracked = LINES * 32;
  s = session_new(2 + 2 * CPUS, 1 + 3 * CPUS, 4);
  PART(&s, BY_TYPE_MEMORY_CONTROLLER, memory);
  for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
    PART(&s, BY_TYPE_SNOOP_CACHE, cache);
    add_processor(&s, cpu, list);
  }
  PART(&s, BY_TYPE_RUNWAY, bus);
  uint32_t runway = FIRST + 2 * CPUS;
  session_wire(&s, runway, RUNWAY_PORT_MEMORY, 0, MEMORY_CONTROLLER_PORT_BUS);
  for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
    uint32_t part = FIRST + 2 * cpu;
    session_wire(&s, part + 1, PROCESSOR_PORT_CACHE, part, SNOOP_CACHE_PORT_CPU);
    session_wire(&s, part + 1, PROCESSOR_PORT_FRONT, part, SNOOP_CACHE_PORT_FRONT);
    session_wire(&s, part, SNOOP_CACHE_PORT_BUS, runway, RUNWAY_PORT_AGENT + cpu);
  }
  assert_int_equal(session_open(&s), BY_OK);
}

/* What a cache fetches of its own accord the plain model does not know; the newest data it does. */
static void compare_newest(const struct plain *p) {
  uint32_t rows;
  const struct memory_controller_cells *cells = checked_view(test_engine(), 0, MEMORY_CONTROLLER_VIEW_CELLS, &rows);
  for (uint32_t i = 0; i < LINES * 2; i++) assert_int_equal(cells[i].newest, p->newest[i / 2][i % 2]);
}

static void compare(const struct plain *p) {
  by *m = test_engine();
  uint32_t rows;
  const struct memory_controller_cells *cells = checked_view(m, 0, MEMORY_CONTROLLER_VIEW_CELLS, &rows);
  for (uint32_t line = 0; line < LINES; line++) {
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
      const struct snoop_cache_lines *held = held_line(m, FIRST + 2 * cpu, (uint32_t)(BASE / 32) + line + 1);
      assert_int_equal(held ? held->state : 0, p->state[cpu][line]);
      if (!held) continue;
      const struct snoop_cache_lines *all = checked_view(m, FIRST + 2 * cpu, SNOOP_CACHE_VIEW_LINES, &rows);
      const struct snoop_cache_data *data = checked_view(m, FIRST + 2 * cpu, SNOOP_CACHE_VIEW_DATA, &rows);
      for (uint32_t half = 0; half < 2; half++) assert_int_equal(data[(held - all) * 2 + half].write, p->data[cpu][line][half]);
    }
    for (uint32_t half = 0; half < 2; half++) assert_int_equal(cells[line * 2 + half].write, p->memory[line][half]);
  }
}

/* With an assist cache nothing is purged: what is left then depends on what was fetched unasked. */
static void agree(struct kind kind) {
  static const uint32_t ops[] = {PROCESSOR_OP_LOAD, PROCESSOR_OP_LOAD, PROCESSOR_OP_LOAD, PROCESSOR_OP_STORE, PROCESSOR_OP_STORE, PROCESSOR_OP_STORE, PROCESSOR_OP_FLUSH, PROCESSOR_OP_PURGE};
  uint64_t seed = 7;
  for (uint32_t round = 0; round < kind.tries; round++) {
    struct access list[OPS];
    struct plain p = {0};
    for (uint32_t i = 0; i < OPS; i++) list[i] = (struct access){test_random(&seed) % CPUS, ops[test_random(&seed) % (kind.assist ? 7 : 8)], test_random(&seed) % LINES, test_random(&seed) & 1};
    open_machine(&kind, list);
    for (uint32_t i = 0; i < OPS; i++) {
      by_run(test_engine(), i * GAP + GAP * 4 / 5, BY_NEVER);
      plain_do(&p, &kind, &list[i]);
      compare_newest(&p);
      if (!kind.assist) compare(&p);
    }
    assert_int_equal(by_side(test_engine())->broken, BY_HOLDS);
  }
}

static void virtually_indexed_caches_agree_with_a_plain_model(void **state) {
  (void)state;
  agree((struct kind){.uncached = LINES, .tries = 40});
}

static void physically_indexed_caches_agree(void **state) {
  (void)state;
  agree((struct kind){.indexed = SNOOP_CACHE_INDEX_PHYSICAL, .uncached = LINES, .tries = 20});
}

static void write_through_caches_agree(void **state) {
  (void)state;
  agree((struct kind){.policy = SNOOP_CACHE_POLICY_WRITE_THROUGH, .uncached = LINES, .tries = 20});
}

static void caches_with_uncached_memory_agree(void **state) {
  (void)state;
  agree((struct kind){.uncached = LINES / 2, .tries = 20});
}

static void an_assist_cache_never_gives_old_data(void **state) {
  (void)state;
  agree((struct kind){.assist = 3, .uncached = LINES, .tries = 20});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(virtually_indexed_caches_agree_with_a_plain_model), cmocka_unit_test(physically_indexed_caches_agree), cmocka_unit_test(write_through_caches_agree),
                                     cmocka_unit_test(caches_with_uncached_memory_agree), cmocka_unit_test(an_assist_cache_never_gives_old_data)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
