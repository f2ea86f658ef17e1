/*
 * Recorded references, played one after another: a hit is complete at once, a miss when the cache reports it.
 * Time passes only in misses; the subjects of interest are hits and data movement.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "include/reference_trace.h"
#include "runway.h"

#define PLAYER_CPUS 8u

struct player_state {
  struct player_now now;
  uint32_t cpus; /* bits of processors with a cache */
};

static void player_cpu_done(sim *m, struct player *player, uint32_t cpu, const struct cache_done *q) {
  (void)m;
  (void)cpu, (void)q;
  player->state->now.waiting = 0;
}

static int player_load(sim *m, uint32_t self) {
  struct player_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  sim_view_of(m, self, PLAYER_VIEW_NOW, &s->now, 1, sizeof s->now);
  for (uint32_t cpu = 0; cpu < PLAYER_CPUS; cpu++)
    if (sim_wired(m, self, PLAYER_PORT_CPU + cpu)) s->cpus |= 1u << cpu;
  return SIM_OK;
}

/* One access of a processor, to completion. */
static inline void player_access(sim *m, struct player *player, uint64_t addr, uint32_t op, uint32_t cpu) {
  struct cache_access q = {.address = addr, .op = op, .bytes = 1};
  if (call_cache_access(m, player->self, PLAYER_PORT_CPU + cpu, &q)) return;
  player->state->now.waiting = 1;
  while (player->state->now.waiting) sim_run(m, SIM_NEVER, m->events + 1);
}
