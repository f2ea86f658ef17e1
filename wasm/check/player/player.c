/*
 * Recorded references, played one after another: a hit is over at once, a miss when the engine has run
 * until the cache says so. Time passes only in misses; what is asked here is what hits and what moves.
 */
#include "core/engine.h"
#include "include/references.h"
#include "runway.h"

#define PLAYER_CPUS 8u

struct player_state {
  struct player_now now;
  uint32_t cpus; /* bits of those that have a cache */
};

static void player_on(by *m, uint32_t self, const by_msg *msg) {
  (void)msg;
  BY_STATE(m, self, player)->now.waiting = 0;
}

static uint32_t player_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  (void)m, (void)self, (void)port, (void)kind, (void)p;
  return 0;
}

static int player_changed(by *m, uint32_t self, uint32_t param) {
  (void)m, (void)self, (void)param;
  return BY_NOT_LIVE;
}

static int player_load(by *m, uint32_t self) {
  struct player_state *s = by_state_alloc(m, self, sizeof *s);
  if (!s) return BY_NO_MEMORY;
  by_view_of(m, self, PLAYER_VIEW_NOW, &s->now, 1, sizeof s->now);
  for (uint32_t cpu = 0; cpu < PLAYER_CPUS; cpu++)
    if (by_wired(m, self, PLAYER_PORT_CPU + cpu)) s->cpus |= 1u << cpu;
  return BY_OK;
}

/* One access of a processor, to its end. */
static inline void player_access(by *m, uint32_t self, uint64_t addr, uint32_t op, uint32_t cpu) {
  by_poll p = {.addr = addr, .x = op, .y = 1};
  if (by_ask_cache_server(m, self, PLAYER_PORT_CPU + cpu, CACHE_ACCESS, &p)) return;
  struct player_state *s = BY_STATE(m, self, player);
  s->now.waiting = 1;
  while (s->now.waiting) by_run(m, BY_NEVER, m->events + 1);
}

#include "check/player/text.c"
