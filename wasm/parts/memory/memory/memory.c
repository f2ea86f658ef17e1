/*
 * Main memory. An access occupies the memory while its data moves, and has a latency besides; both are reservations,
 * answered at once. For a window of addresses it keeps a shadow memory (core/shadow_memory.h); outside the window
 * identities are 0.
 */
#include "core/engine.h"
#include "core/shadow_memory.h"
#include "core/jitter.h"
#include "gen/protocols.h"

struct memory_state {
  uint64_t free_at;
  uint64_t last_bytes, last_move; /* the same size again needs no division */
  uint64_t others_next;           /* time of the next burst of other traffic */
  struct shadow_memory shadow;
};

/* Bursts of other traffic up to a time precede an access at that time. */
static SIM_COLD void memory_serve_others(sim *m, uint32_t self, uint64_t when) {
  struct memory_state *s = SIM_STATE(m, self, memory);
  const struct memory_params *p = SIM_PARAMS(m, self, memory);
  uint64_t move = p->others_burst * 1000000000000ull / p->bandwidth, every = sim_max(p->others_burst * 1000000000000ull / p->others, move);
  for (; s->others_next <= when; s->others_next += sim_jitter(m, every, 1)) s->free_at = sim_max(s->free_at, s->others_next) + move;
}

/* Occupies the memory while the data of an access moves. Returns the time at which the data is there. */
static uint64_t memory_write_words(sim *m, uint32_t self, uint64_t when, uint32_t bytes) {
  struct memory_state *s = SIM_STATE(m, self, memory);
  const struct memory_params *p = SIM_PARAMS(m, self, memory);
  if (p->others) memory_serve_others(m, self, when);
  uint64_t start = sim_max(when, s->free_at), move = bytes == s->last_bytes ? s->last_move : bytes * 1000000000000ull / p->bandwidth;
  s->last_bytes = bytes;
  s->last_move = move;
  s->free_at = start + move;
  SIM_COUNTERS(m, self, memory)->busy += move;
  SIM_COUNTERS(m, self, memory)->waited += start - when;
  return start + p->latency;
}

/* Observations about data: recorded, but not causes of later events. */
static void memory_trace(sim *m, uint32_t self, uint32_t kind, const struct shadow_stale *old) {
  uint32_t cause = m->cause;
  if (old->words) sim_trace(m, self, kind, old->at, old->got, old->newest);
  m->cause = cause;
}

/* After a misdirected access memory may not hold the data that belongs here. */
static SIM_COLD void memory_compare(sim *m, uint32_t self, uint64_t address, uint32_t bytes) {
  struct shadow_stale old = shadow_check_current(m, &SIM_STATE(m, self, memory)->shadow, address, bytes, NULL);
  SIM_COUNTERS(m, self, memory)->old_reads += old.words > 0;
  memory_trace(m, self, MEMORY_EV_OLD, &old);
}

static void memory_bridge_read(sim *m, uint32_t self, struct memory_read *q) {
  struct shadow_memory *shadow = &SIM_STATE(m, self, memory)->shadow;
  if (q->writes) shadow_read(m, shadow, q->address, q->bytes, q->writes);
  if (q->writes && shadow->apart) memory_compare(m, self, q->address, q->bytes);
  if (q->when == SIM_NEVER) return; /* an observation: no time, no counting */
  q->when = memory_write_words(m, self, q->when, q->bytes);
  SIM_COUNTERS(m, self, memory)->reads++;
  SIM_COUNTERS(m, self, memory)->bytes_read += q->bytes;
}

static void memory_walks_read(sim *m, uint32_t self, struct memory_read *q) { memory_bridge_read(m, self, q); }

static void memory_bridge_write(sim *m, uint32_t self, struct memory_write *q) {
  if (q->writes) shadow_write(m, &SIM_STATE(m, self, memory)->shadow, q->address, q->bytes, q->writes);
  if (q->when == SIM_NEVER) return;
  q->when = memory_write_words(m, self, q->when, q->bytes);
  SIM_COUNTERS(m, self, memory)->writes++;
  SIM_COUNTERS(m, self, memory)->bytes_written += q->bytes;
}

static uint32_t memory_bridge_software_access(sim *m, uint32_t self, struct memory_software_access *q) {
  struct shadow_memory *shadow = &SIM_STATE(m, self, memory)->shadow;
  if (q->store) shadow_replace(m, shadow, q->address, q->bytes);
  else if (shadow->apart) memory_compare(m, self, q->address, q->bytes);
  return shadow->cells > 0;
}

static uint32_t memory_bridge_compare(sim *m, uint32_t self, struct memory_compare *q) {
  const struct shadow_memory *shadow = &SIM_STATE(m, self, memory)->shadow;
  struct shadow_stale old = shadow_check_current(m, shadow, q->address, q->bytes, q->writes);
  q->old = old.at;
  q->newest = old.newest;
  return shadow->cells ? 1 + old.words : 0;
}

static void memory_bridge_misdirected(sim *m, uint32_t self, struct memory_misdirected *q) {
  struct memory_counters *c = SIM_COUNTERS(m, self, memory);
  struct shadow_stale old = shadow_misdirected(m, &SIM_STATE(m, self, memory)->shadow, q->address, q->meant, q->bytes, (int)q->write, q->writes);
  if (q->write) c->overwritten += old.words;
  else c->given_away += old.words;
  memory_trace(m, self, q->write ? MEMORY_EV_OVERWRITTEN : MEMORY_EV_GIVEN_AWAY, &old);
}

static void memory_on_param_change(sim *m, uint32_t self) {
  SIM_STATE(m, self, memory)->last_bytes = 0;
  SIM_STATE(m, self, memory)->last_move = 0;
}

static int memory_load(sim *m, uint32_t self) {
  const struct memory_params *q = SIM_PARAMS(m, self, memory);
  struct memory_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t grains = (uint32_t)(q->tracked / q->grain);
  struct shadow_word *cells = sim_view(m, self, MEMORY_VIEW_CELLS, grains, sizeof *cells);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct memory_state){.shadow = shadow_of(m, cells, q->tracked_from, grains, (uint32_t)q->grain)};
  for (uint32_t i = 0; i < grains && q->written; i++) shadow_commit(cells + i, sim_new_write(m));
  return SIM_OK;
}

#include "parts/memory/memory/state.c"
