/*
 * Breadth first, so that the way to a broken invariant is a shortest one.
 *
 *   queue of states to expand --> load --> one event, by each combination of choices --> new? --> queue
 *                                              |
 *                                              +--> invariants of the state reached
 *
 * A state is known by a 64-bit hash of its canonical bytes. Its own bytes are kept only while it waits
 * in the queue; of all states ever seen there remain the hash, the state before and the choices made.
 *
 * Memory:  [explorer][slots of hashes][index of each slot][states: before, choices][queue, a ring]
 */
#include "core/keep.h"
#include "include/explore.h"

#define NO_STATE UINT32_MAX

struct explored_state {
  uint32_t before;
  uint32_t count;
  uint8_t choice[8];
};

struct explorer {
  struct by_explored result;
  uint64_t transitions, slots_at, states_at, queue_at, queue_bytes, head, tail;
  uint32_t slots, capacity, current, expanding;
  uint32_t waiting, layer_left, layer_next, spare;
  struct by_keeper now; /* the state being expanded */
};

static uint64_t *explorer_slots(struct explorer *e) { return (uint64_t *)((uint8_t *)e + e->slots_at); }
static struct explored_state *explorer_states(struct explorer *e) { return (struct explored_state *)((uint8_t *)e + e->states_at); }

static uint64_t explorer_hash(const uint8_t *bytes, uint32_t n) {
  uint64_t h = 0x2545f4914f6cdd1dull ^ n;
  for (uint32_t i = 0; i < n; i += 8) {
    uint64_t word = 0;
    __builtin_memcpy(&word, bytes + i, n - i < 8 ? n - i : 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 32;
  }
  return mix(h) | 1; /* 0 marks a free slot */
}

/* Whether the hash is new; if so it is taken in. */
static int explorer_is_new(struct explorer *e, uint64_t hash) {
  uint64_t *slots = explorer_slots(e);
  for (uint32_t i = (uint32_t)(hash >> 20) & (e->slots - 1);; i = (i + 1) & (e->slots - 1)) {
    if (slots[i] == hash) return 0;
    if (slots[i]) continue;
    slots[i] = hash;
    return 1;
  }
}

static void ring_write(struct explorer *e, const void *p, uint32_t bytes) {
  uint8_t *ring = (uint8_t *)e + e->queue_at;
  for (uint32_t i = 0; i < bytes; i++) ring[(e->tail + i) % e->queue_bytes] = ((const uint8_t *)p)[i];
  e->tail += bytes;
}

static void ring_read(struct explorer *e, void *p, uint32_t bytes) {
  const uint8_t *ring = (const uint8_t *)e + e->queue_at;
  for (uint32_t i = 0; i < bytes; i++) ((uint8_t *)p)[i] = ring[(e->head + i) % e->queue_bytes];
  e->head += bytes;
}

#include "check/invariants.c"

/* The way from the first state: the choices of each step, in order. */
static void explorer_way(struct explorer *e, uint32_t last, const struct by_side *side) {
  struct by_explored *r = &e->result;
  uint32_t steps[EXPLORE_STEPS], n = 0;
  for (uint32_t i = last; i != NO_STATE && n < EXPLORE_STEPS; i = explorer_states(e)[i].before) steps[n++] = i;
  r->steps = side ? n : n - 1;
  r->way_length = 0;
  while (n-- > 0)
    for (uint32_t i = 0; i < explorer_states(e)[steps[n]].count; i++) r->way[r->way_length++] = explorer_states(e)[steps[n]].choice[i];
  for (uint32_t i = 0; side && i < side->tried; i++) r->way[r->way_length++] = side->choice[i];
}

static void explorer_break(by *m, struct explorer *e, uint32_t invariant, uint32_t last, const struct by_side *side) {
  e->result.end = EXPLORE_BROKEN;
  e->result.invariant = invariant;
  e->result.part = by_side(m)->broken_part;
  e->result.at_lo = (uint32_t)by_side(m)->broken_at;
  e->result.at_hi = (uint32_t)(by_side(m)->broken_at >> 32);
  explorer_way(e, last, side);
}

/* Takes in the state that the engine is in, if it is new. */
static void explorer_arrive(by *m, struct explorer *e) {
  struct by_side *side = by_side(m);
  struct by_keeper k;
  k.mode = KEEP_COMPARE;
  __builtin_memset(k.found, 0, sizeof k.found);
  by_keep_all(m, &k);
  uint32_t invariant = side->broken ? side->broken : broken_invariant(m, &k);
  if (invariant) {
    explorer_break(m, e, invariant, e->current, side);
    return;
  }
  if (!explorer_is_new(e, explorer_hash(k.bytes, k.n))) return;
  if (e->result.states >= e->capacity || side->tried > 8) {
    e->result.end = EXPLORE_FULL;
    return;
  }
  struct explored_state *state = explorer_states(e) + e->result.states;
  *state = (struct explored_state){.before = e->current, .count = side->tried};
  for (uint32_t i = 0; i < side->tried; i++) state->choice[i] = (uint8_t)side->choice[i];
  k.mode = KEEP_SAVE;
  by_keep_all(m, &k);
  if (e->tail - e->head + k.n + 4 > e->queue_bytes) {
    e->result.end = EXPLORE_FULL;
    return;
  }
  ring_write(e, &k.n, 4);
  ring_write(e, k.bytes, k.n);
  e->result.states++;
  e->waiting++;
  e->layer_next++;
}

/* The next combination of choices; 0 when all have been made. */
static int explorer_next_choice(struct by_side *side) {
  for (uint32_t i = side->tried; i-- > 0;)
    if (side->choice[i] + 1 < side->choices_of[i]) {
      side->choice[i]++;
      side->forced = i + 1;
      return 1;
    }
  return 0;
}

static void explorer_load(by *m, struct explorer *e) {
  e->now.mode = KEEP_LOAD;
  by_keep_all(m, &e->now);
  by_side(m)->tried = by_side(m)->broken = 0;
}

/* All that can happen next in the oldest waiting state. */
static void explorer_expand(by *m, struct explorer *e) {
  struct by_side *side = by_side(m);
  uint32_t n;
  if (e->layer_left == 0) {
    e->layer_left = e->layer_next;
    e->layer_next = 0;
    e->result.depth++;
  }
  e->layer_left--;
  ring_read(e, &n, 4);
  ring_read(e, e->now.bytes, n);
  e->waiting--;
  side->forced = 0;
  explorer_load(m, e);
  if (is_stuck(m)) {
    e->result.deadlocks++;
    explorer_break(m, e, BY_NO_DEADLOCK, e->current, NULL);
    return;
  }
  do {
    explorer_load(m, e);
    if (!by_step_any(m)) break;
    e->transitions++;
    explorer_arrive(m, e);
  } while (e->result.end == EXPLORE_MORE && explorer_next_choice(side));
  e->current++;
}

void by_explore_begin(by *m, void *work, uint64_t bytes) {
  struct explorer *e = work;
  uint64_t each = sizeof(struct explored_state) + 2 * sizeof(uint64_t), rest = bytes - sizeof *e;
  uint32_t slots = 1u << 10;
  while ((uint64_t)slots * 2 * each / 2 < rest / 2) slots *= 2;
  *e = (struct explorer){.slots = slots, .capacity = slots / 2, .slots_at = sizeof *e};
  e->states_at = e->slots_at + (uint64_t)slots * 8;
  e->queue_at = e->states_at + (uint64_t)e->capacity * sizeof(struct explored_state);
  e->queue_bytes = bytes - e->queue_at;
  __builtin_memset(explorer_slots(e), 0, (uint64_t)slots * 8);
  struct by_side *side = by_side(m);
  side->exploring = 1;
  side->recording = 0;
  side->tried = side->forced = side->broken = 0;
  e->current = NO_STATE;
  explorer_arrive(m, e);
  e->current = 0;
}

/* Which rows of the protocol table were taken so far, by any cache. */
static void explorer_rules(by *m, struct by_explored *r) {
  uint64_t taken = 0;
  uint32_t rows = 0;
  for (uint32_t part = 0; part < m->part_count; part++) {
    if (by_part(m, part)->type != BY_TYPE_SNOOP_CACHE) continue;
    const struct snoop_cache_rows *row = checked_view(m, part, SNOOP_CACHE_VIEW_ROWS, &rows);
    for (uint32_t i = 0; i < rows; i++) taken |= (uint64_t)(row[i].taken > 0) << i;
  }
  r->rules = rows;
  r->taken_lo = (uint32_t)taken;
  r->taken_hi = (uint32_t)(taken >> 32);
}

const struct by_explored *by_explore(by *m, void *work, uint32_t transitions) {
  struct explorer *e = work;
  uint64_t until = e->transitions + transitions;
  while (e->result.end == EXPLORE_MORE && e->waiting > 0 && e->transitions < until) explorer_expand(m, e);
  if (e->result.end == EXPLORE_MORE && e->waiting == 0) e->result.end = EXPLORE_COMPLETE;
  e->result.transitions_lo = (uint32_t)e->transitions;
  e->result.transitions_hi = (uint32_t)(e->transitions >> 32);
  e->result.waiting = e->waiting;
  explorer_rules(m, &e->result);
  return &e->result;
}
