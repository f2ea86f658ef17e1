/*
 * Main memory. An access occupies the memory while its data moves, and has a latency besides; both are
 * reservations, answered at once. For a window of addresses it keeps a shadow memory (core/shadow_memory.h);
 * outside the window identities are 0.
 */
#include "core/announced_writes.h"
#include "core/engine.h"
#include "core/shadow_memory.h"
#include "core/jitter.h"
#include "gen/protocols.h"

struct memory_state {
  uint64_t free_at;
  /* the same size again needs no division */
  uint64_t last_bytes;
  uint64_t last_move;
  uint64_t others_next; /* time of the next burst of other traffic */
  struct shadow_memory shadow;
  struct announced_writes announced;
};

/* Bursts of other traffic up to a time precede an access at that time. */
static SIM_COLD void memory_serve_others(sim *m, struct memory *memory, uint64_t when) {
  uint64_t move = memory->params->others_burst * 1000000000000ull / memory->params->bandwidth,
           every = sim_max(memory->params->others_burst * 1000000000000ull / memory->params->others, move);
  for (; memory->state->others_next <= when; memory->state->others_next += sim_jitter(m, every, 1))
    memory->state->free_at = sim_max(memory->state->free_at, memory->state->others_next) + move;
}

/* Occupies the memory while the data of an access moves. Returns the time at which the data is there. */
static uint64_t memory_write_words(sim *m, struct memory *memory, uint64_t when, uint32_t bytes) {
  if (memory->params->others) memory_serve_others(m, memory, when);
  uint64_t start = sim_max(when, memory->state->free_at),
           move = bytes == memory->state->last_bytes ? memory->state->last_move
                                                     : bytes * 1000000000000ull / memory->params->bandwidth;
  memory->state->last_bytes = bytes;
  memory->state->last_move = move;
  memory->state->free_at = start + move;
  memory->counters->busy += move;
  memory->counters->waited += start - when;
  return start + memory->params->latency;
}

/* Observations about data: recorded, but not causes of later events. */
static void memory_trace(sim *m, struct memory *memory, uint32_t kind, const struct shadow_stale *old) {
  uint32_t cause = m->cause;
  if (old->words) sim_trace(m, memory->self, kind, old->at, old->got, old->newest);
  m->cause = cause;
}

/* After a misdirected access memory may not hold the data that belongs here. */
static SIM_COLD void memory_compare(sim *m, struct memory *memory, uint64_t address, uint32_t bytes) {
  struct shadow_stale old = shadow_check_current(m, &memory->state->shadow, address, bytes, NULL);
  memory->counters->old_reads += old.words > 0;
  memory_trace(m, memory, MEMORY_EV_OLD, &old);
}

static void memory_bridge_read(sim *m, struct memory *memory, struct memory_read *q) {
  struct shadow_memory *shadow = &memory->state->shadow;
  if (q->writes) shadow_read(m, shadow, q->address, q->bytes, q->writes);
  if (q->writes && shadow->apart) memory_compare(m, memory, q->address, q->bytes);
  if (q->when == SIM_NEVER) return; /* an observation: no time, no counting */
  q->when = memory_write_words(m, memory, q->when, q->bytes);
  memory->counters->reads++;
  memory->counters->bytes_read += q->bytes;
}

static void memory_walks_read(sim *m, struct memory *memory, struct memory_read *q) {
  memory_bridge_read(m, memory, q);
}

static void memory_bridge_announced(sim *m, struct memory *memory, struct memory_announced *q) {
  (void)m;
  announced_add(&memory->state->announced, q->first, q->last, (uint32_t)q->next, (uint32_t)q->next_last);
}

static void memory_bridge_seen(sim *m, struct memory *memory, struct memory_seen *q) {
  (void)m;
  announced_loaded(&memory->state->announced, q->address, q->address + q->bytes);
}

/* Checks which words of a device's write were loaded after an interrupt had announced them. */
static SIM_COLD void memory_arrived(sim *m, struct memory *memory, const struct memory_write *q) {
  struct shadow_stale old = {0};
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(&memory->state->shadow, q->address, q->bytes, &first, &skip);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t at = first + i * SHADOW_WORD_BYTES;
    if (!announced_arrived(&memory->state->announced, at, SHADOW_WORD_BYTES, q->writes[skip + i])) continue;
    if (old.words++ == 0) old.at = at, old.got = q->writes[skip + i];
  }
  memory->counters->overtaken += old.words;
  memory_trace(m, memory, MEMORY_EV_OVERTAKEN, &old);
}

static void memory_bridge_write(sim *m, struct memory *memory, struct memory_write *q) {
  if (q->writes && memory->state->announced.used) memory_arrived(m, memory, q);
  if (q->writes) shadow_write(m, &memory->state->shadow, q->address, q->bytes, q->writes);
  if (q->when == SIM_NEVER) return;
  q->when = memory_write_words(m, memory, q->when, q->bytes);
  memory->counters->writes++;
  memory->counters->bytes_written += q->bytes;
}

static uint32_t memory_bridge_software_access(
    sim *m, struct memory *memory, struct memory_software_access *q) {
  struct shadow_memory *shadow = &memory->state->shadow;
  if (q->store) shadow_replace(m, shadow, q->address, q->bytes);
  else if (shadow->apart) memory_compare(m, memory, q->address, q->bytes);
  return shadow->cells > 0;
}

static uint32_t memory_bridge_compare(sim *m, struct memory *memory, struct memory_compare *q) {
  const struct shadow_memory *shadow = &memory->state->shadow;
  struct shadow_stale old = shadow_check_current(m, shadow, q->address, q->bytes, q->writes);
  q->old = old.at;
  q->newest = old.newest;
  return shadow->cells ? 1 + old.words : 0;
}

static void memory_bridge_misdirected(sim *m, struct memory *memory, struct memory_misdirected *q) {
  struct shadow_stale old =
      shadow_misdirected(m, &memory->state->shadow, q->address, q->meant, q->bytes, (int)q->write, q->writes);
  if (q->write) memory->counters->overwritten += old.words;
  else memory->counters->given_away += old.words;
  memory_trace(m, memory, q->write ? MEMORY_EV_OVERWRITTEN : MEMORY_EV_GIVEN_AWAY, &old);
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
