/*
 * Breadth-first search, so counterexamples are shortest.
 *
 *   states to expand --> read --> one event, by each combination of choices --> written --> new? --> states
 * to expand
 *                                                                                  |
 *                                                                                  +--> invariants
 *
 * A state is identified by a 64-bit hash of its bytes. The bytes are kept only until it is expanded. For
 * every visited state the explorer keeps its hash, its parent and the index of the transition that reached
 * it. Counterexamples are rebuilt by replay.
 *
 * Memory:  [explorer][tables of hashes][state before each][which of what followed][ring of waiting states]
 * The table of hashes doubles as it fills: one of n slots lies behind all smaller ones, from slot n on.
 */
#include "core/state_codec.h"
#include "core/hash.h"
#include "include/explore.h"

#include "verify/invariants.c"

#define NO_PARENT UINT32_MAX
#define FEWEST_SLOTS (1u << 12)

struct explorer {
  struct sim_explored result;
  struct checked parts;
  uint64_t transitions;
  uint64_t slots_at;
  uint64_t before_at;
  uint64_t nth_at;
  uint64_t ring_at;
  uint64_t ring_bytes;
  uint64_t head;
  uint64_t tail;
  uint32_t slots;
  uint32_t most_slots;
  uint32_t capacity;
  uint32_t current;
  uint32_t waiting;
  uint32_t layer_left;
  uint32_t layer_next;
  uint32_t makes_progress; /* a transition other than an action of the prover leads to another state */
  uint32_t spare;
  uint8_t first[CODEC_BYTES]; /* the initial state */
};

static uint64_t *explorer_slots(struct explorer *e) { return (uint64_t *)((uint8_t *)e + e->slots_at); }
static uint32_t *explorer_parent(struct explorer *e) { return (uint32_t *)((uint8_t *)e + e->before_at); }
static uint8_t *explorer_nth(struct explorer *e) { return (uint8_t *)e + e->nth_at; }
static uint8_t *explorer_frontier(struct explorer *e) { return (uint8_t *)e + e->ring_at; }

/* Two lanes; bytes beyond the end are zero. */
static uint64_t explorer_hash(const uint8_t *bytes, uint32_t n) {
  uint64_t a = 0x2545f4914f6cdd1dull ^ n, b = 0x9e3779b97f4a7c15ull;
  for (uint32_t i = 0; i < n; i += 16) {
    uint64_t word[2];
    __builtin_memcpy(word, bytes + i, sizeof word);
    a = (a ^ word[0]) * 0x9e3779b97f4a7c15ull;
    b = (b ^ word[1]) * 0xc2b2ae3d27d4eb4full;
    a ^= a >> 29;
    b ^= b >> 31;
  }
  return mix(a ^ mix(b)) | 1; /* 0 marks a free slot */
}

/* Doubles the slots, up to the limit. */
static void explorer_grow_table(struct explorer *e) {
  const uint64_t *from = explorer_slots(e) + e->slots;
  uint64_t *to = explorer_slots(e) + 2ull * e->slots;
  uint32_t mask = 2 * e->slots - 1;
  for (uint32_t k = 0; k < e->slots; k++) {
    if (!from[k]) continue;
    uint32_t i = (uint32_t)(from[k] >> 20) & mask;
    while (to[i]) i = (i + 1) & mask;
    to[i] = from[k];
  }
  e->slots *= 2;
}

/* Inserts a hash; returns whether it is new. */
static int explorer_is_new(struct explorer *e, uint64_t hash) {
  if (e->result.states > e->slots / 2 && e->slots < e->most_slots) explorer_grow_table(e);
  uint64_t *slots = explorer_slots(e) + e->slots;
  for (uint32_t i = (uint32_t)(hash >> 20) & (e->slots - 1);; i = (i + 1) & (e->slots - 1)) {
    if (slots[i] == hash) return 0;
    if (slots[i]) continue;
    slots[i] = hash;
    return 1;
  }
}

/* Appends a state to the ring: its length, then its bytes, contiguous. A length of 0 sends the reader to the
 * start. */
static int frontier_push(struct explorer *e, const uint8_t *bytes, uint32_t n) {
  uint8_t *ring = explorer_frontier(e);
  uint64_t at = e->tail % e->ring_bytes, left = e->ring_bytes - at, skip = left < n + 6ull ? left : 0;
  uint16_t length = (uint16_t)n, none = 0;
  if (e->tail + skip + n + 2 - e->head > e->ring_bytes) return 0;
  if (skip) {
    if (left >= 2) __builtin_memcpy(ring + at, &none, 2);
    e->tail += skip;
    at = 0;
  }
  __builtin_memcpy(ring + at, &length, 2);
  __builtin_memcpy(ring + at + 2, bytes, n);
  e->tail += n + 2;
  return 1;
}

/* The oldest state of the ring; it stays there until `frontier_pop`. */
static const uint8_t *frontier_head(struct explorer *e, uint32_t *n) {
  const uint8_t *ring = explorer_frontier(e);
  uint64_t at = e->head % e->ring_bytes, left = e->ring_bytes - at;
  uint16_t length = 0;
  if (left >= 2) __builtin_memcpy(&length, ring + at, 2);
  if (length == 0) {
    e->head += left;
    __builtin_memcpy(&length, ring, 2);
    at = 0;
  }
  *n = length;
  return ring + at + 2;
}

static void frontier_pop(struct explorer *e, uint32_t n) { e->head += n + 2; }

/* Advances to the next combination of choices; 0 when all have been made. */
static int explorer_next_choice(struct sim_host_state *side) {
  for (uint32_t i = side->choices_made; i-- > 0;)
    if (side->choice[i] + 1 < side->choices_of[i]) {
      side->choice[i]++;
      side->forced_choices = i + 1;
      return 1;
    }
  return 0;
}

/* Puts the engine into the state with these bytes. */
static void explorer_enter(sim *m, const uint8_t *bytes) {
  struct sim_codec k;
  sim_decode(m, &k, bytes);
  sim_host_state(m)->choices_made = sim_host_state(m)->broken = 0;
}

/* Takes the nth transition of a state, and appends its choices to the path. */
static void explorer_replay_step(sim *m, struct sim_explored *r, const uint8_t *bytes, uint32_t nth) {
  struct sim_host_state *side = sim_host_state(m);
  side->forced_choices = 0;
  for (uint32_t i = 0;; i++) {
    explorer_enter(m, bytes);
    uint64_t before = m->events;
    sim_explore_step(m);
    sim_run_invisible(m);
    if (i == nth) {
      r->steps += (uint32_t)(m->events - before);
      break;
    }
    explorer_next_choice(side);
  }
  for (uint32_t i = 0; i < side->choices_made && r->way_length < EXPLORE_STEPS * 4; i++)
    r->way[r->way_length++] = side->choice[i];
}

/* The path from the initial state to `last`, then its nth transition, if there is one. */
static void explorer_counterexample(sim *m, struct explorer *e, uint32_t last, uint32_t nth) {
  uint32_t states[EXPLORE_STEPS], n = 0, i;
  uint8_t bytes[CODEC_BYTES];
  struct sim_codec k;
  for (i = last; i != NO_PARENT && n < EXPLORE_STEPS; i = explorer_parent(e)[i]) states[n++] = i;
  e->result.way_length = e->result.steps = 0;
  if (i != NO_PARENT) return; /* its start would be missing */
  __builtin_memcpy(bytes, e->first, sizeof bytes);
  while (n-- > 1) {
    explorer_replay_step(m, &e->result, bytes, explorer_nth(e)[states[n - 1]]);
    sim_encode(m, &k, bytes);
  }
  if (nth != NO_PARENT) explorer_replay_step(m, &e->result, bytes, nth);
}

static void explorer_violation(sim *m, struct explorer *e, uint32_t invariant, uint32_t nth) {
  e->result.end = EXPLORE_BROKEN;
  e->result.invariant = invariant;
  e->result.part = sim_host_state(m)->broken_part;
  e->result.at_lo = (uint32_t)sim_host_state(m)->broken_at;
  e->result.at_hi = (uint32_t)(sim_host_state(m)->broken_at >> 32);
  explorer_counterexample(m, e, e->current, nth);
}

/* Whether the transition led to another state and was not just an action of the prover. */
static int explorer_made_progress(sim *m, struct explorer *e, const uint8_t *bytes, uint32_t n) {
  uint32_t length;
  if (sim_host_state(m)->last_part == e->parts.prover) return 0;
  const uint8_t *before = frontier_head(e, &length);
  for (uint32_t i = 0; i < n && length == n; i++)
    if (before[i] != bytes[i]) return 1;
  return length != n;
}

/* Adds the engine's state if it is new, as the nth successor of the current one. */
static void explorer_visit(sim *m, struct explorer *e, uint32_t nth) {
  uint8_t bytes[CODEC_BYTES];
  struct sim_codec k;
  uint32_t n = sim_encode(m, &k, bytes), invariant = sim_host_state(m)->broken;
  __builtin_memset(bytes + n, 0, 16);
  uint64_t hash = explorer_hash(bytes, n);
  if (!e->makes_progress) e->makes_progress = (uint32_t)explorer_made_progress(m, e, bytes, n);
  if (!invariant) {
    if (!explorer_is_new(e, hash)) return;
    invariant = broken_invariant(m, &e->parts, &k);
  }
  if (invariant) {
    explorer_violation(m, e, invariant, nth);
    return;
  }
  if (e->result.states >= e->capacity || nth > UINT8_MAX || !frontier_push(e, bytes, n)) {
    e->result.end = EXPLORE_FULL;
    return;
  }
  explorer_parent(e)[e->result.states] = e->current;
  explorer_nth(e)[e->result.states] = (uint8_t)nth;
  if (e->result.states++ == 0) __builtin_memcpy(e->first, bytes, n);
  e->waiting++;
  e->layer_next++;
}

static void explorer_deadlock(sim *m, struct explorer *e) {
  e->result.deadlocks++;
  explorer_violation(m, e, SIM_NO_DEADLOCK, NO_PARENT);
}

/* Expands the oldest waiting state. */
static void explorer_expand(sim *m, struct explorer *e) {
  struct sim_host_state *side = sim_host_state(m);
  uint32_t n, nth = 0;
  const uint8_t *bytes = frontier_head(e, &n);
  if (e->layer_left == 0) {
    e->layer_left = e->layer_next;
    e->layer_next = 0;
    e->result.depth++;
  }
  e->layer_left--;
  e->waiting--;
  side->forced_choices = 0;
  e->makes_progress = e->parts.bridge == SIM_NONE; /* without one there are no retries */
  explorer_enter(m, bytes);
  if (is_deadlocked(m, &e->parts)) {
    explorer_deadlock(m, e);
    return;
  }
  for (;; nth++) {
    if (!sim_explore_step(m)) break;
    sim_run_invisible(m);
    e->transitions++;
    explorer_visit(m, e, nth);
    if (e->result.end != EXPLORE_MORE || !explorer_next_choice(side)) break;
    explorer_enter(m, bytes);
  }
  if (!e->makes_progress && e->result.end == EXPLORE_MORE) {
    explorer_enter(m, bytes);
    if (is_livelocked(m, &e->parts)) explorer_deadlock(m, e);
  }
  frontier_pop(e, n);
  e->current++;
}

void sim_explore_begin(sim *m, void *work, uint64_t bytes) {
  struct explorer *e = work;
  uint64_t rest = bytes - sizeof *e;
  uint32_t most = FEWEST_SLOTS;
  while ((uint64_t)most * 2 * 20 < rest - rest / 4) most *= 2; /* three quarters for visited states */
  *e = (struct explorer){.slots = FEWEST_SLOTS,
      .most_slots = most,
      .capacity = most / 4 * 3,
      .slots_at = sizeof *e,
      .parts = checked_parts(m)};
  e->before_at = e->slots_at + 2ull * most * sizeof(uint64_t);
  e->nth_at = e->before_at + (uint64_t)e->capacity * sizeof(uint32_t);
  e->ring_at = e->nth_at + e->capacity;
  e->ring_bytes = bytes - e->ring_at;
  struct sim_host_state *side = sim_host_state(m);
  side->exploring = 1;
  side->recording = 0;
  side->choices_made = side->forced_choices = side->broken = 0;
  e->current = NO_PARENT;
  e->makes_progress = 1;
  explorer_visit(m, e, 0);
  e->current = 0;
}

/* The rows of the protocol table used so far by any cache. */
static void explorer_rules(sim *m, struct explorer *e) {
  uint64_t taken = 0;
  uint32_t rows = 0;
  for (uint32_t cache = 0; cache < e->parts.caches; cache++) {
    const struct snoop_cache_rows *row = checked_view(m, e->parts.cache[cache], SNOOP_CACHE_VIEW_ROWS, &rows);
    for (uint32_t i = 0; i < rows; i++) taken |= (uint64_t)(row[i].taken > 0) << i;
  }
  e->result.rules = rows;
  e->result.taken_lo = (uint32_t)taken;
  e->result.taken_hi = (uint32_t)(taken >> 32);
}

const struct sim_explored *sim_explore(sim *m, void *work, uint32_t transitions) {
  struct explorer *e = work;
  uint64_t until = e->transitions + transitions;
  while (e->result.end == EXPLORE_MORE && e->waiting > 0 && e->transitions < until) explorer_expand(m, e);
  if (e->result.end == EXPLORE_MORE && e->waiting == 0) e->result.end = EXPLORE_COMPLETE;
  e->result.transitions_lo = (uint32_t)e->transitions;
  e->result.transitions_hi = (uint32_t)(e->transitions >> 32);
  e->result.waiting = e->waiting;
  explorer_rules(m, e);
  return &e->result;
}
