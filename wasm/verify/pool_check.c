/*
 * Exhaustive check of lazy flushing: every order in which a few threads can map, let a device use, and unmap
 * entries of two tiny pools, with the allocator's own code.
 *
 *   idle --> wants a lock --> holds it, one access to the flush flag at a time --> commits --> mapped
 *    ^                           | nothing here: the other lock                                 | device uses
 * it
 *    +-- frees, under the lock <-- wants the lock <-- entry cleared <----------------------------+
 *
 * For each entry the model tracks whether the device has its translation cached, and whether that copy
 * belongs to an earlier mapping. A flush purges all copies. The property: the device never uses an entry
 * through a copy of an earlier mapping. States are visited breadth-first, so counterexamples are shortest.
 *
 * While a thread holds a lock no other thread accesses that pool, so its changes are made at once when the
 * hold ends; until then only the accesses to the flag and the flush are separate steps (map_script).
 */
#ifndef SIM_CHECK_POOLS_C
#define SIM_CHECK_POOLS_C

#include "os/mapping/iommu_map/pools.c"

#define CHECK_THREADS 3u
#define CHECK_POOLS 2u

enum check_status {
  CHECK_IDLE,
  CHECK_WAITING,
  CHECK_LOCKED,
  CHECK_COMMITS,
  CHECK_MAPPED,
  CHECK_USED,
  CHECK_CLEARED,
  CHECK_FREES
};

struct check_thread {
  uint8_t status;
  uint8_t pages;
  uint8_t entry;
  uint8_t pool;
  uint8_t number;
  uint8_t pass;
  uint8_t stage;
  uint8_t rescan;
  uint8_t home;
  uint8_t count;
  uint8_t loads;
  uint8_t spare;
};

struct check_state {
  uint16_t used;
  uint16_t cached;
  uint16_t stale;
  uint8_t hints[CHECK_POOLS];
  uint8_t flags;
  uint8_t held[CHECK_POOLS];
  uint8_t spare;
  struct check_thread threads[CHECK_THREADS];
};

struct check_next {
  struct check_state state;
  struct check_step step;
};

/* A visited state with its threads sorted, because threads are interchangeable, and its parent. */
struct check_node {
  struct check_state state;
  uint32_t parent;
};

_Static_assert(sizeof(struct check_state) == 48, "no padding");
_Static_assert(sizeof(struct check_node) == 52, "no padding");

#define CHECK_CHOICES (2 * CHECK_POOLS) /* maximum number of next steps of one thread */

/* The allocator's table for a state. */
struct check_table {
  struct map_head head;
  struct map_pool pools[MAP_ROWS];
  uint64_t bits;
  struct map_script script;
  struct map_table t;
};

static MAP_OUT_OF_LINE void check_unpack(const struct check_job *job, const struct check_state *s,
    struct check_table *c, const struct check_thread *th) {
  *c = (struct check_table){.bits = s->used};
  c->t = (struct map_table){.head = &c->head, .pools = c->pools, .bits = &c->bits, .script = &c->script};
  struct map_setup setup = {.boundary = UINT32_MAX,
      .entries = CHECK_POOLS * job->per_pool,
      .shift = 13,
      .npools = CHECK_POOLS,
      .rules = job->rules};
  map_setup(&c->t, &setup);
  for (uint32_t i = 0; i < CHECK_POOLS; i++) c->pools[i].hint = s->hints[i];
  c->script.count = th->count;
  c->script.loads = th->loads;
}

static struct check_next pool_check_successor(
    const struct check_state *from, uint32_t thread, uint32_t action) {
  const struct check_thread *th = &from->threads[thread];
  return (struct check_next){*from, {(uint8_t)thread, (uint8_t)action, th->entry, th->pool}};
}

static uint16_t check_bits(const struct check_thread *th) {
  return (uint16_t)(((1u << th->pages) - 1) << th->entry);
}

/* The thread's next access to the flag, if there is one before the release. */
static MAP_OUT_OF_LINE int check_flag_step(
    struct check_next *next, struct check_thread *th, const struct check_table *c, uint32_t rules) {
  struct check_state *s = &next->state;
  uint8_t bit = rules & RULE_POOL_FLAGS ? (uint8_t)(1u << th->pool) : 1;
  uint32_t read = 0;
  if (c->script.next == MAP_FLAG_NONE) return 0;
  if (c->script.next == MAP_FLAG_LOAD) {
    read = (s->flags & bit) != 0;
    next->step.action = CHECK_LOAD;
  } else if (c->script.next == MAP_FLAG_STORE) {
    s->flags = (uint8_t)(c->script.value ? s->flags | bit : s->flags & ~bit);
    next->step.action = CHECK_STORE;
  } else {
    s->cached = s->stale = 0;
    next->step.action = CHECK_FLUSH;
  }
  th->loads |= (uint8_t)(read << th->count++);
  return 1;
}

/* A thread with a lock advances to its next access to the flag, or releases the lock. */
static struct check_next pool_check_lock(
    const struct check_job *job, const struct check_state *from, uint32_t thread, int *again) {
  struct check_next next = pool_check_successor(from, thread, CHECK_GOT);
  struct check_state *s = &next.state;
  struct check_thread *th = &s->threads[thread];
  struct check_table c;
  check_unpack(job, s, &c, th);
  struct map_request q = {.pages = th->pages,
      .mask = UINT64_MAX,
      .cpu = th->home,
      .hash = th->home,
      .number = th->number,
      .pool = th->pool,
      .pass = th->pass,
      .stage = th->stage,
      .rescan = th->rescan,
      .result = MAP_NONE};
  enum map_step step = map_search_step(&c.t, &q);
  *again = check_flag_step(&next, th, &c, job->rules);
  if (*again) return next;
  s->held[th->pool] = 0;
  s->hints[th->pool] = (uint8_t)c.pools[th->pool].hint;
  s->used = (uint16_t)c.bits;
  if (step == MAP_LOCK) {
    next.step.action = CHECK_MOVE_ON;
    *th = (struct check_thread){.status = CHECK_WAITING,
        .pages = th->pages,
        .pool = (uint8_t)q.pool,
        .number = (uint8_t)q.number,
        .pass = (uint8_t)q.pass,
        .stage = (uint8_t)q.stage,
        .rescan = (uint8_t)q.rescan,
        .home = th->home};
  } else if (step == MAP_GOT) {
    next.step.entry = (uint8_t)q.result;
    *th = (struct check_thread){.status = CHECK_COMMITS, .pages = th->pages, .entry = (uint8_t)q.result};
  } else {
    next.step.action = CHECK_FAILED;
    *th = (struct check_thread){.status = CHECK_IDLE};
  }
  return next;
}

static struct check_next pool_check_free(
    const struct check_job *job, const struct check_state *from, uint32_t thread, int *again) {
  struct check_next next = pool_check_successor(from, thread, CHECK_FREED);
  struct check_state *s = &next.state;
  struct check_thread *th = &s->threads[thread];
  struct check_table c;
  check_unpack(job, s, &c, th);
  map_free(&c.t, th->pool, th->entry, th->pages);
  *again = check_flag_step(&next, th, &c, job->rules);
  if (*again) return next;
  s->held[th->pool] = 0;
  s->used = (uint16_t)c.bits;
  *th = (struct check_thread){.status = CHECK_IDLE};
  return next;
}

/* One access to the flag, or with an atomic flag the rest of the hold. */
static MAP_OUT_OF_LINE struct check_next pool_check_critical_section(
    const struct check_job *job, const struct check_state *now, uint32_t thread, int frees) {
  int again = 1;
  struct check_next next = {.state = *now};
  do {
    struct check_state from = next.state;
    next = frees ? pool_check_free(job, &from, thread, &again) : pool_check_lock(job, &from, thread, &again);
  } while (again && job->flag_is_atomic);
  return next;
}

/* A new request: from either home pool, for one entry or for many. */
static uint32_t pool_check_begin(
    const struct check_job *job, const struct check_state *now, uint32_t thread, struct check_next *out) {
  uint32_t choices = job->large_request > 1 ? CHECK_CHOICES : CHECK_POOLS;
  for (uint32_t choice = 0; choice < choices; choice++) {
    uint8_t home = choice % CHECK_POOLS, pages = choice < CHECK_POOLS ? 1 : (uint8_t)job->large_request;
    out[choice] = pool_check_successor(now, thread, CHECK_BEGIN);
    out[choice].state.threads[thread] = (struct check_thread){
        .status = CHECK_WAITING, .pages = pages, .pool = home, .number = home, .home = home};
    out[choice].step.pool = home;
    out[choice].step.entry = pages;
  }
  return choices;
}

/* All next steps of one thread; returns the number of choices, none if it waits for a lock. */
static MAP_OUT_OF_LINE uint32_t check_choices(
    const struct check_job *job, const struct check_state *now, uint32_t thread, struct check_next *out) {
  const struct check_thread *at = &now->threads[thread];
  struct check_next next = pool_check_successor(now, thread, CHECK_LOCK);
  struct check_thread *th = &next.state.threads[thread];
  switch (at->status) {
    case CHECK_IDLE: return pool_check_begin(job, now, thread, out);
    case CHECK_WAITING:
    case CHECK_CLEARED:
      if (now->held[at->pool]) return 0;
      next.state.held[at->pool] = 1;
      next.step.action = at->status == CHECK_WAITING ? CHECK_LOCK : CHECK_FREE_LOCK;
      th->status = at->status == CHECK_WAITING ? CHECK_LOCKED : CHECK_FREES;
      break;
    case CHECK_LOCKED:
    case CHECK_FREES: next = pool_check_critical_section(job, now, thread, at->status == CHECK_FREES); break;
    case CHECK_COMMITS:
      next.step.action = CHECK_COMMIT;
      th->status = CHECK_MAPPED;
      break;
    case CHECK_MAPPED:
      next.step.action = now->stale & check_bits(at) ? CHECK_STALE : CHECK_USE;
      next.state.cached |= check_bits(at);
      th->status = CHECK_USED;
      break;
    case CHECK_USED:
      next.step.action = CHECK_CLEAR;
      next.state.stale |= now->cached & check_bits(at);
      th->status = CHECK_CLEARED;
      th->pool = (uint8_t)(at->entry / job->per_pool);
      break;
  }
  *out = next;
  return 1;
}

/* Threads are interchangeable: states that differ by a permutation of threads are equal. */
static MAP_OUT_OF_LINE void check_sort(struct check_state *s) {
  for (uint32_t i = 1; i < CHECK_THREADS; i++)
    for (uint32_t k = i;
        k > 0 && __builtin_memcmp(&s->threads[k - 1], &s->threads[k], sizeof s->threads[0]) < 0; k--) {
      struct check_thread kept = s->threads[k];
      s->threads[k] = s->threads[k - 1];
      s->threads[k - 1] = kept;
    }
}

struct check_run {
  struct check_job *job;
  struct check_node *nodes;
  uint32_t *table;
  uint32_t slots;
};

static uint32_t check_slot(const struct check_run *r, const struct check_state *s) {
  uint32_t words[sizeof *s / 4];
  uint64_t hash = 1469598103934665603ull;
  __builtin_memcpy(words, s, sizeof words);
  for (uint32_t i = 0; i < sizeof words / 4; i++)
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull ^ hash >> 31;
  return (uint32_t)(hash >> 32) & (r->slots - 1);
}

/* Adds a state unless it is known. Returns 0 when there is no room. */
static MAP_OUT_OF_LINE int pool_check_visit(
    struct check_run *r, const struct check_state *s, uint32_t parent) {
  for (uint32_t slot = check_slot(r, s);; slot = (slot + 1) & (r->slots - 1)) {
    if (!r->table[slot]) {
      if (r->job->states == r->job->most) return 0;
      r->nodes[r->job->states++] = (struct check_node){*s, parent};
      r->table[slot] = r->job->states;
      return 1;
    }
    if (!__builtin_memcmp(&r->nodes[r->table[slot] - 1].state, s, sizeof *s)) return 1;
  }
}

/* The step from a state, with its threads unsorted, to one equal to `goal` except for their order; or any
   stale use. */
static MAP_SMALL struct check_next pool_check_path(
    const struct check_run *r, const struct check_state *now, const struct check_state *goal) {
  struct check_next out[CHECK_CHOICES], found = {0};
  for (uint32_t thread = r->job->threads; thread-- > 0;)
    for (uint32_t left = check_choices(r->job, now, thread, out); left > 0; left--) {
      struct check_state sorted = out[left - 1].state;
      check_sort(&sorted);
      if (goal ? !__builtin_memcmp(&sorted, goal, sizeof sorted) : out[left - 1].step.action == CHECK_STALE)
        found = out[left - 1];
    }
  return found;
}

/* Replays the path to node `last`, with each thread keeping its identity, and one step further. */
static MAP_SMALL void pool_check_report(struct check_run *r, uint32_t last) {
  struct check_state now = r->nodes[0].state;
  uint32_t before = UINT32_MAX;
  for (uint32_t i = last; i != UINT32_MAX;) { /* reverse the path */
    uint32_t parent = r->nodes[i].parent;
    r->nodes[i].parent = before;
    before = i;
    i = parent;
  }
  for (uint32_t i = r->nodes[0].parent; r->job->length < CHECK_PATH; i = r->nodes[i].parent) {
    struct check_next next = pool_check_path(r, &now, i == UINT32_MAX ? NULL : &r->nodes[i].state);
    r->job->path[r->job->length++] = next.step;
    now = next.state;
    if (i == UINT32_MAX) return;
  }
}

/* Expands one state. Returns 0 at a violation, or when there is no room. */
static MAP_SMALL int pool_check_expand(struct check_run *r, uint32_t number) {
  struct check_next out[CHECK_CHOICES];
  struct check_state now = r->nodes[number].state;
  for (uint32_t thread = 0; thread < r->job->threads; thread++) {
    uint32_t choices = check_choices(r->job, &now, thread, out);
    for (uint32_t i = 0; i < choices; i++) {
      r->job->steps++;
      r->job->found = out[i].step.action == CHECK_STALE;
      check_sort(&out[i].state);
      if (r->job->found || !pool_check_visit(r, &out[i].state, number)) return 0;
    }
  }
  return 1;
}

/* Visits all states. `nodes` has room for job->most states, `table` for `slots` numbers, a power of two, all
 * zero. */
static MAP_SMALL void check_pools(
    struct check_job *job, struct check_node *nodes, uint32_t *table, uint32_t slots) {
  struct check_run r = {.job = job, .nodes = nodes, .table = table, .slots = slots};
  struct check_state first = {0};
  for (uint32_t i = 0; i < CHECK_POOLS; i++) first.hints[i] = (uint8_t)(i * job->per_pool);
  job->states = job->steps = job->depth = job->found = job->complete = job->length = 0;
  pool_check_visit(&r, &first, UINT32_MAX);
  uint32_t level_end = 1;
  for (uint32_t number = 0; number < job->states; number++) {
    if (number == level_end) {
      level_end = job->states;
      job->depth++;
    }
    if (pool_check_expand(&r, number)) continue;
    if (job->found) pool_check_report(&r, number);
    return;
  }
  job->complete = 1;
}

#endif
