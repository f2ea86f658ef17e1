/*
 * The store queue: the processor continues while the line of a store is in flight.
 *
 *   store --misses--> [ slot: READ private, the halves stored to ] --line comes--> stored
 *   store to the same line, the youngest's --joins it
 *   access of another line: waits until each older store has its place in the order of the bus
 *
 * A store ordered on the bus is as good as done: later requesters wait for the line and get the stores. So no access
 * is visible before the processor's earlier ones, as PA-RISC requires; only the wait for data is shorter.
 */
#include "parts/cache/snoop_cache/snoop_cache.h"

enum meeting { MEETS_NOTHING, MEETS_WAITS, MEETS_JOINS };

/* Whether the line is in flight for a store or a prefetch. */
static int cache_store_arrives(sim *m, struct snoop_cache_state *s, uint64_t addr) {
  for (uint32_t slot = SLOT_SPECULATIVE; slot < s->slots; slot++)
    if (cache_miss(m, s, slot)->stage && cache_same_line(s, cache_miss(m, s, slot)->addr, addr)) return 1;
  return 0;
}

/* The number of stores that wait for their lines. */
static uint32_t cache_stores(sim *m, struct snoop_cache_state *s) {
  uint32_t n = 0;
  for (uint32_t slot = SLOT_STORE; slot < s->slots; slot++) n += cache_miss(m, s, slot)->stage != SNOOP_CACHE_STAGE_FREE;
  return n;
}

/* Whether a waiting store is not yet ordered on the bus. */
static int cache_has_unordered_stores(sim *m, struct snoop_cache_state *s) {
  for (uint32_t slot = SLOT_STORE; slot < s->slots; slot++)
    if (cache_miss(m, s, slot)->stage && cache_miss(m, s, slot)->stage != SNOOP_CACHE_STAGE_ORDERED) return 1;
  return 0;
}

/* Checks program order when an access is done or ordered: an older store of its processor to another line must be
   ordered, too. */
static SIM_COLD void cache_check_value(sim *m, uint32_t self, uint64_t addr) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  int passed = cache_has_unordered_stores(m, s);
  for (uint32_t slot = SLOT_STORE; slot < s->slots; slot++) passed |= cache_miss(m, s, slot)->stage && cache_same_line(s, cache_miss(m, s, slot)->addr, addr);
  if (passed) sim_broken(m, self, SIM_PROGRAM_ORDER, addr);
}

/* Effect of waiting stores on an access: a store to the youngest's line joins it; other accesses to their lines
   wait. */
static SIM_COLD enum meeting cache_merge_store(sim *m, uint32_t self, uint64_t addr, uint32_t op, uint32_t bytes) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  uint32_t places = s->slots - SLOT_STORE, youngest = SLOT_STORE + (s->next_store + places - 1) % places;
  if (op == CACHE_OP_LOAD && cache_fault(m, self) == SNOOP_CACHE_FAULT_LOAD_PASSES_STORE) return MEETS_NOTHING;
  for (uint32_t slot = SLOT_STORE; slot < s->slots; slot++) {
    miss *e = cache_miss(m, s, slot);
    if (!e->stage || !cache_same_line(s, e->addr, addr)) continue;
    int ours = e->stage != SNOOP_CACHE_STAGE_ORDERED || e->state == SNOOP_CACHE_LINE_IM_D; /* the line is not promised to another agent yet */
    if (op != CACHE_OP_STORE || slot != youngest || !ours) return MEETS_WAITS;
    e->stores |= cache_mask(addr, bytes);
    SIM_COUNTERS(m, self, snoop_cache)->hits++;
    SIM_COUNTERS(m, self, snoop_cache)->queued++;
    return MEETS_JOINS;
  }
  return MEETS_NOTHING;
}

/* Whether an access must wait for older stores: a hit until they are ordered, a missing store until there is room. */
static SIM_COLD int cache_is_blocked(sim *m, uint32_t self, uint32_t i, uint32_t op, uint32_t *slot) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  if (i != UINT32_MAX && (op != CACHE_OP_STORE || cache_line_at(m, s, i)->state != SNOOP_CACHE_LINE_SHARED))
    return cache_has_unordered_stores(m, s) && cache_fault(m, self) != SNOOP_CACHE_FAULT_HIT_PASSES_STORE;
  if (op != CACHE_OP_STORE || cache_now(m, s)->posts || s->ordering) return 0; /* earlier posted stores go first: so the processor waits for this one */
  *slot = SLOT_STORE + s->next_store;
  return cache_miss(m, s, *slot)->stage != SNOOP_CACHE_STAGE_FREE;
}

/* A line has been requested. Returns whether the processor continues: its store is in the queue. */
static int cache_resume_access(sim *m, uint32_t self, uint64_t addr, uint32_t bytes, uint32_t slot) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  if (slot < SLOT_STORE) return 0;
  cache_miss(m, s, slot)->stores = cache_mask(addr, bytes);
  s->next_store = (s->next_store + 1) % (s->slots - SLOT_STORE);
  SIM_COUNTERS(m, self, snoop_cache)->queued++;
  return 1;
}

/* The slot whose line is requested next: that of the oldest store, then the processor's own, then the prefetch;
   s->slots if there is none. */
static uint32_t cache_pending_store(sim *m, uint32_t self) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  int early = cache_fault(m, self) == SNOOP_CACHE_FAULT_MISS_PASSES_STORE && cache_miss(m, s, SLOT_DEMAND)->stage == SNOOP_CACHE_STAGE_WANTED;
  for (uint32_t k = 0, places = s->slots - SLOT_STORE; k < places && !early; k++) {
    uint32_t slot = SLOT_STORE + (s->next_store + k) % places;
    if (cache_miss(m, s, slot)->stage == SNOOP_CACHE_STAGE_WANTED) return slot;
  }
  for (uint32_t slot = SLOT_DEMAND; slot < SLOT_STORE; slot++)
    if (cache_miss(m, s, slot)->stage == SNOOP_CACHE_STAGE_WANTED) return slot;
  return s->slots;
}
