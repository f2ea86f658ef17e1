/* Pieces of the explorer in isolation: the ring of pending states, the hash table of visited states, the
 * notion of progress, and the report of a violation. */
#include "test/engine_internals.h"

#include "test/small_machine.h"

#include "include/explore.h"

#define WORK (1u << 20)
#define BEHIND 64u

static uint64_t memory_of_it[WORK / 8];

/* An explorer with a ring of this many bytes, and a mark after it. */
static struct explorer *with_ring(uint32_t bytes) {
  struct explorer *e = (struct explorer *)memory_of_it;
  memset(memory_of_it, 0, sizeof memory_of_it);
  e->ring_at = sizeof *e;
  e->ring_bytes = bytes;
  memset(explorer_frontier(e), 0xee, bytes + BEHIND); /* earlier contents */
  return e;
}

static void joins(struct explorer *e, uint8_t value, uint32_t n, int fits) {
  uint8_t bytes[256];
  memset(bytes, value, n);
  assert_int_equal(frontier_push(e, bytes, n), fits);
}

static void leaves(struct explorer *e, uint8_t value, uint32_t n) {
  uint32_t length = 0;
  const uint8_t *bytes = frontier_head(e, &length);
  assert_int_equal(length, n);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(bytes[i], value);
  frontier_pop(e, n);
}

/*
 * A state takes 2 bytes more than its length. In 32 bytes, two states of 10 take 24. A third does not fit
 * into the remaining 8; once the first has left it goes to the start: its 12, the 8 skipped and the second's
 * 12 are all 32.
 */
TEST(states_leave_the_ring_in_order) {
  struct explorer *e = with_ring(32);
  joins(e, 1, 10, 1), joins(e, 2, 10, 1), joins(e, 3, 10, 0);
  leaves(e, 1, 10);
  joins(e, 3, 10, 1), joins(e, 4, 1, 0);
  leaves(e, 2, 10), leaves(e, 3, 10);
  assert_int_equal(e->head, e->tail);
}

/* At the end of a ring one byte, two or none may be left: too few for a length, or for a state. */
TEST(the_end_of_a_ring_is_skipped) {
  for (uint32_t left = 0; left < 8; left++) {
    struct explorer *e = with_ring(36 + left);
    joins(e, 1, 10, 1), joins(e, 2, 10, 1),
        joins(e, 3, 10, left >= 4); /* with at least 4 spare bytes it is not split */
    leaves(e, 1, 10);
    if (left < 4) joins(e, 3, 10, 1);
    leaves(e, 2, 10), leaves(e, 3, 10);
    joins(e, 5, 6, 1);
    leaves(e, 5, 6);
    assert_int_equal(e->head, e->tail);
    for (uint32_t i = 0; i < BEHIND; i++) assert_int_equal(explorer_frontier(e)[e->ring_bytes + i], 0xee);
  }
}

/* Random lengths, wrapping around many times: first in, first out, and memory after the ring is
 * untouched. */
TEST(a_ring_is_a_queue) {
  uint64_t random = 3;
  for (uint32_t size = 100; size < 140; size++) {
    struct explorer *e = with_ring(size);
    uint32_t lengths[64], in = 0, out = 0;
    for (uint32_t step = 0; step < 2000; step++) {
      const uint32_t n = 1 + test_random(&random) % 40;
      uint8_t bytes[64];
      memset(bytes, (uint8_t)in, n);
      if (test_random(&random) % 2 && frontier_push(e, bytes, n)) lengths[in++ % 64] = n;
      else if (out < in) leaves(e, (uint8_t)out, lengths[out % 64]), out++;
    }
    assert_true(in > 400);
    for (uint32_t i = 0; i < BEHIND; i++) assert_int_equal(explorer_frontier(e)[size + i], 0xee);
  }
}

/* The hash depends on every byte of a state and on its length. No hash is 0, which marks a free slot. */
TEST(different_states_have_different_hashes) {
  uint8_t bytes[80] = {0};
  uint64_t seen[64 * 2 + 64];
  uint32_t n = 0;
  for (uint32_t at = 0; at < 48; at++)
    for (uint32_t value = 1; value < 256; value += 254) {
      bytes[at] = (uint8_t)value;
      seen[n++] = explorer_hash(bytes, 48);
      bytes[at] = 0;
    }
  for (uint32_t length = 0; length <= 64; length++) seen[n++] = explorer_hash(bytes, length);
  for (uint32_t i = 0; i < n; i++) {
    assert_int_not_equal(seen[i], 0);
    for (uint32_t k = 0; k < i; k++) assert_true(seen[i] != seen[k]);
  }
}

/* Tables grow from 4096 slots as they fill, and keep all entries. */
TEST(visited_states_are_not_new) {
  struct explorer *e = (struct explorer *)memory_of_it;
  memset(memory_of_it, 0, sizeof memory_of_it);
  *e = (struct explorer){.slots = FEWEST_SLOTS, .most_slots = 4 * FEWEST_SLOTS, .slots_at = sizeof *e};
  for (uint32_t i = 1; i <= 9000; i++, e->result.states++)
    assert_int_equal(explorer_is_new(e, mix(i) | 1), 1);
  assert_int_equal(e->slots, 4 * FEWEST_SLOTS);
  for (uint32_t i = 1; i <= 9000; i++) assert_int_equal(explorer_is_new(e, mix(i) | 1), 0);
}

/* An event is progress if it changes the state and is not just a choice of the prover. */
TEST(a_choice_is_no_progress) {
  sim *m = small_open(&(struct small){.cpus = 1});
  struct explorer *e = with_ring(64);
  e->parts.prover = 3;
  const uint8_t here[] = {1, 2, 3}, first[] = {9, 2, 3}, last[] = {1, 2, 9}, longer[] = {1, 2, 3, 0};
  joins(e, 1, 3, 1);
  memcpy(explorer_frontier(e) + 2, here, 3);
  for (uint32_t sim_prover = 0; sim_prover < 2; sim_prover++) {
    sim_host_state(m)->last_part = sim_prover ? 3 : 2;
    assert_int_equal(explorer_made_progress(m, e, here, 3), 0);
    assert_int_equal(explorer_made_progress(m, e, first, 3), !sim_prover);
    assert_int_equal(explorer_made_progress(m, e, last, 3), !sim_prover);
    assert_int_equal(explorer_made_progress(m, e, longer, 4), !sim_prover);
    assert_int_equal(explorer_made_progress(m, e, here, 2), !sim_prover);
  }
}

/* The violated invariant, its part, and its address, of more than 32 bits. */
TEST(a_violation_reports_invariant_and_place) {
  sim *m = small_open(&(struct small){.cpus = 1});
  struct explorer *e = with_ring(64);
  e->current = NO_PARENT;
  sim_host_state(m)->broken_part = 2, sim_host_state(m)->broken_at = 0x1289abcdefull;
  explorer_violation(m, e, SIM_ONE_WRITER, NO_PARENT);
  EXPECT_VALUES({e->result.end, EXPLORE_BROKEN}, {e->result.invariant, SIM_ONE_WRITER}, {e->result.part, 2},
      {e->result.at_lo, 0x89abcdef}, {e->result.at_hi, 0x12}, {e->result.deadlocks, 0});
  explorer_deadlock(m, e);
  EXPECT_VALUES({e->result.invariant, SIM_NO_DEADLOCK}, {e->result.deadlocks, 1});
}

/* A row of the protocol's table counts as used if any cache has used it, however often. */
TEST(rules_are_used_by_any_cache) {
  sim *m = small_open(&(struct small){.cpus = 2});
  struct explorer *e = with_ring(64);
  uint32_t rows;
  explorer_rules(m, e); /* without caches there are no rows */
  assert_int_equal(e->result.rules + e->result.taken_lo + e->result.taken_hi, 0);
  e->parts = checked_parts(m);
  explorer_rules(m, e);
  assert_int_equal(e->result.taken_lo + e->result.taken_hi, 0);
  for (uint32_t cache = 0; cache < 2; cache++) {
    struct snoop_cache_rows *row = checked_view(m, e->parts.cache[cache], SNOOP_CACHE_VIEW_ROWS, &rows);
    for (uint32_t i = 0; i < rows; i++) row[i].taken = 0;
    row[0].taken = 2;
    row[3 + cache].taken = 1;
    if (cache) row[rows - 1].taken = 5;
  }
  explorer_rules(m, e);
  const uint64_t taken = 1 | 1 << 3 | 1 << 4 | 1ull << (rows - 1);
  EXPECT_VALUES({e->result.rules, rows}, {e->result.taken_lo | (uint64_t)e->result.taken_hi << 32, taken});
}

/* Three quarters of the memory, as a power of two of slots, hold visited states: two tables of eight bytes
 * per slot, and five more for three of four slots. The rest is the ring of pending states. */
TEST(memory_is_divided_without_a_gap) {
  static const uint64_t sizes[] = {200000, 300000, 1 << 20, 3 << 20, 24 << 20};
  uint64_t *work = malloc(24 << 20);
  for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    sim *m = small_open(&(struct small){.cpus = 1});
    sim_record_trace(m, 1);
    memset(work, 0, sizes[i]);
    sim_explore_begin(m, work, sizes[i]);
    struct explorer *e = (struct explorer *)work;
    const uint64_t rest = sizes[i] - sizeof *e, seen = rest - rest / 4, most = e->most_slots;
    assert_int_equal(most & (most - 1), 0);
    assert_true(most == 4096 || most * 20 < seen);
    assert_true(most * 2 * 20 >= seen);
    EXPECT_VALUES({e->slots, 4096}, {e->capacity, most * 3 / 4}, {e->slots_at, sizeof *e},
        {e->before_at, e->slots_at + 2 * most * 8}, {e->nth_at, e->before_at + e->capacity * 4},
        {e->ring_at, e->nth_at + e->capacity}, {e->ring_at + e->ring_bytes, sizes[i]},
        {sim_host_state(m)->exploring, 1});
    assert_int_equal(sim_host_state(m)->recording, 0); /* not needed */
    EXPECT_VALUES({e->result.states, 1}, {e->result.end, EXPLORE_MORE}, {e->waiting, 1}, {e->layer_next, 1},
        {e->current, 0}, {explorer_parent(e)[0], NO_PARENT}, {explorer_nth(e)[0], 0});
  }
  free(work);
}

/* A new state stores its parent and the index of the transition, at most 255. A visited state stores
 * nothing. A larger index ends the exploration as full. */
TEST(a_new_state_is_stored_with_its_parent) {
  sim *m = small_open(&(struct small){.cpus = 1, .adapter = COHERENT});
  struct explorer *e = (struct explorer *)memory_of_it;
  memset(memory_of_it, 0, sizeof memory_of_it);
  sim_explore_begin(m, e, sizeof memory_of_it);
  struct prover_now *now = prover_view(m, SIM_CONTEXT(m, 3, prover));
  explorer_visit(m, e, 7);
  assert_int_equal(e->result.states, 1);
  now->service = 1, e->current = 0;
  explorer_visit(m, e, 255);
  EXPECT_VALUES({e->result.states, 2}, {e->result.end, EXPLORE_MORE}, {explorer_parent(e)[1], 0},
      {explorer_nth(e)[1], 255});
  now->service = 2, e->current = 1;
  explorer_visit(m, e, 3);
  EXPECT_VALUES({e->result.states, 3}, {explorer_parent(e)[2], 1}, {explorer_nth(e)[2], 3}, {e->waiting, 3},
      {e->layer_next, 3});
  now->service = 3;
  explorer_visit(m, e, 256);
  EXPECT_VALUES({e->result.states, 3}, {e->result.end, EXPLORE_FULL});
}
