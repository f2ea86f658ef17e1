/*
 * The store queue: the processor continues while the line of a store is in flight.
 *
 *   store --misses--> [ slot: READ private, the halves stored to ] --line comes--> stored
 *   store to the same line, the youngest's --joins it
 *   access of another line: waits until each older store has its place in the order of the bus
 *
 * A store ordered on the bus is as good as done: later requesters wait for the line and get the stores. So no
 * access is visible before the processor's earlier ones, as PA-RISC requires; only the wait for data is
 * shorter.
 */
#include "parts/cache/snoop_cache/snoop_cache.h"

enum meeting { MEETS_NOTHING, MEETS_WAITS, MEETS_JOINS };

/* Whether the line is in flight for a store or a prefetch. */
static int cache_store_arrives(struct snoop_cache *cache, uint64_t addr) {
  for (uint32_t slot = SLOT_SPECULATIVE; slot < cache->state->slots; slot++)
    if (cache_miss(cache, slot)->stage && cache_same_line(cache->state, cache_miss(cache, slot)->addr, addr))
      return 1;
  return 0;
}

/* The number of stores that wait for their lines. */
static uint32_t cache_stores(struct snoop_cache *cache) {
  uint32_t n = 0;
  for (uint32_t slot = SLOT_STORE; slot < cache->state->slots; slot++)
    n += cache_miss(cache, slot)->stage != SNOOP_CACHE_STAGE_FREE;
  return n;
}

/* Whether a waiting store is not yet ordered on the bus. */
static int cache_has_unordered_stores(struct snoop_cache *cache) {
  for (uint32_t slot = SLOT_STORE; slot < cache->state->slots; slot++)
    if (cache_miss(cache, slot)->stage && cache_miss(cache, slot)->stage != SNOOP_CACHE_STAGE_ORDERED)
      return 1;
  return 0;
}

/* Checks program order when an access is done or ordered: an older store of its processor to another line
   must be ordered, too. */
static SIM_COLD void cache_check_value(sim *m, struct snoop_cache *cache, uint64_t addr) {
  int passed = cache_has_unordered_stores(cache);
  for (uint32_t slot = SLOT_STORE; slot < cache->state->slots; slot++)
    passed |=
        cache_miss(cache, slot)->stage && cache_same_line(cache->state, cache_miss(cache, slot)->addr, addr);
  if (passed) sim_broken(m, cache->self, SIM_PROGRAM_ORDER, addr);
}

/* Effect of waiting stores on an access: a store to the youngest's line joins it; other accesses to their
   lines wait. */
static SIM_COLD enum meeting cache_merge_store(
    struct snoop_cache *cache, uint64_t addr, uint32_t op, uint32_t bytes) {
  uint32_t places = cache->state->slots - SLOT_STORE,
           youngest = SLOT_STORE + (cache->state->next_store + places - 1) % places;
  if (op == CACHE_OP_LOAD && cache_fault(cache) == SNOOP_CACHE_FAULT_LOAD_PASSES_STORE) return MEETS_NOTHING;
  for (uint32_t slot = SLOT_STORE; slot < cache->state->slots; slot++) {
    miss *e = cache_miss(cache, slot);
    if (!e->stage || !cache_same_line(cache->state, e->addr, addr)) continue;
    int ours = e->stage != SNOOP_CACHE_STAGE_ORDERED
               || e->state == SNOOP_CACHE_LINE_IM_D; /* the line is not promised to another agent yet */
    if (op != CACHE_OP_STORE || slot != youngest || !ours) return MEETS_WAITS;
    e->stores |= cache_mask(addr, bytes);
    cache->counters->hits++;
    cache->counters->queued++;
    return MEETS_JOINS;
  }
  return MEETS_NOTHING;
}

/* Whether an access must wait for older stores: a hit until they are ordered, a missing store until there is
 * room. */
static SIM_COLD int cache_is_blocked(
    sim *m, struct snoop_cache *cache, uint32_t i, uint32_t op, uint32_t *slot) {
  if (i != UINT32_MAX
      && (op != CACHE_OP_STORE || cache_line_at(m, cache, i)->state != SNOOP_CACHE_LINE_SHARED))
    return cache_has_unordered_stores(cache) && cache_fault(cache) != SNOOP_CACHE_FAULT_HIT_PASSES_STORE;
  if (op != CACHE_OP_STORE || cache_now(cache)->posts || cache->state->ordering)
    return 0; /* earlier posted stores go first: so the processor waits for this one */
  *slot = SLOT_STORE + cache->state->next_store;
  return cache_miss(cache, *slot)->stage != SNOOP_CACHE_STAGE_FREE;
}

/* A line has been requested. Returns whether the processor continues: its store is in the queue. */
static int cache_resume_access(struct snoop_cache *cache, uint64_t addr, uint32_t bytes, uint32_t slot) {
  if (slot < SLOT_STORE) return 0;
  cache_miss(cache, slot)->stores = cache_mask(addr, bytes);
  cache->state->next_store = (cache->state->next_store + 1) % (cache->state->slots - SLOT_STORE);
  cache->counters->queued++;
  return 1;
}

/* The slot whose line is requested next: that of the oldest store, then the processor's own, then the
   prefetch; s->slots if there is none. */
static uint32_t cache_pending_store(struct snoop_cache *cache) {
  int early = cache_fault(cache) == SNOOP_CACHE_FAULT_MISS_PASSES_STORE
              && cache_miss(cache, SLOT_DEMAND)->stage == SNOOP_CACHE_STAGE_WANTED;
  for (uint32_t k = 0, places = cache->state->slots - SLOT_STORE; k < places && !early; k++) {
    uint32_t slot = SLOT_STORE + (cache->state->next_store + k) % places;
    if (cache_miss(cache, slot)->stage == SNOOP_CACHE_STAGE_WANTED) return slot;
  }
  for (uint32_t slot = SLOT_DEMAND; slot < SLOT_STORE; slot++)
    if (cache_miss(cache, slot)->stage == SNOOP_CACHE_STAGE_WANTED) return slot;
  return cache->state->slots;
}
