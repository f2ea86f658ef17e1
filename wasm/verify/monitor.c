/*
 * Invariants of a running machine with a watcher. After every event only active lines are checked: the last
 * tenure's, those of outstanding transactions, the adapter's own. Translations are compared with the
 * directory while no driver is changing it.
 */
#include "verify/explore.c"

#define WATCH_TRANSLATIONS 64u /* events between two checks of all lines */

static void monitor_report(sim *m, uint32_t invariant, uint64_t addr) {
  uint32_t self = m->monitor - 1;
  struct watcher_last *last = sim_at(m, SIM_STATE(m, self, watcher)->last_at);
  if (last->invariant == invariant && last->addr == addr) return;
  *last = (struct watcher_last){invariant, 0, addr};
  SIM_COUNTERS(m, self, watcher)->broken++;
  sim_trace(m, self, WATCHER_EV_BROKEN, addr, invariant, 0);
}

/* Whether software, not hardware, keeps copies current. */
static int monitor_software_coherence(sim *m, const struct checked *c) {
  return c->adapter != SIM_NONE && SIM_PARAMS(m, c->adapter, io_adapter)->mode != IO_ADAPTER_MODE_COHERENT;
}

struct monitored_line {
  uint64_t addr;
  /* halves whose newest write is held somewhere */
  uint32_t newest[LINE_HALVES];
  uint32_t found;
  uint32_t holders;
  uint32_t writers;
  uint32_t stale;
};

static void monitor_data(struct monitored_line *line, uint32_t half_0, uint32_t half_1) {
  line->found |= (uint32_t)(half_0 == line->newest[0]) | (uint32_t)(half_1 == line->newest[1]) << 1;
}

static void monitor_cache(sim *m, uint32_t cache, struct monitored_line *line) {
  uint32_t rows;
  struct snoop_cache_state *s = SIM_STATE(m, cache, snoop_cache);
  const struct snoop_cache_write_backs *buffer = checked_view(m, cache, SNOOP_CACHE_VIEW_WRITE_BACKS, &rows);
  uint32_t i = cache_find(m, SIM_CONTEXT(m, cache, snoop_cache), line->addr, cache_index(s, line->addr));
  for (uint32_t k = 0; k < cache_now(SIM_CONTEXT(m, cache, snoop_cache))->write_backs; k++)
    if (cache_same_line(s, buffer[k].addr, line->addr))
      monitor_data(line, buffer[k].half_0, buffer[k].half_1);
  if (i == UINT32_MAX) return;
  const uint32_t *halves = cache_halves(m, SIM_CONTEXT(m, cache, snoop_cache), i);
  line->holders++;
  line->writers +=
      cache_line_at(m, SIM_CONTEXT(m, cache, snoop_cache), i)->state >= SNOOP_CACHE_LINE_PRIVATE_CLEAN;
  line->stale |= halves[0] != line->newest[0] || halves[1] != line->newest[1];
  monitor_data(line, halves[0], halves[1]);
}

/* Checks one line: its holders, and the location of its newest writes. `busy`: a transaction concerns it. */
static void monitor_line(sim *m, const struct checked *c, uint64_t addr, int busy) {
  struct monitored_line line = {.addr = addr & ~(uint64_t)(RUNWAY_LINE - 1)};
  uint32_t rows, memory[LINE_HALVES];
  struct shadow_newest_write look = {.address = line.addr, .halves = line.newest};
  if (!call_shadow_newest_write(m, c->cache[0], SNOOP_CACHE_PORT_BUS, &look)) return;
  call_shadow_memory_value(m, c->cache[0], SNOOP_CACHE_PORT_BUS,
      &(struct shadow_memory_value){.address = line.addr, .halves = memory});
  monitor_data(&line, memory[0], memory[1]);
  for (uint32_t i = 0; i < c->caches; i++) monitor_cache(m, c->cache[i], &line);
  if (c->adapter != SIM_NONE) {
    const struct io_adapter_line *own = checked_view(m, c->adapter, IO_ADAPTER_VIEW_LINE, &rows);
    if (own->state == IO_ADAPTER_LINE_HELD && own->addr == line.addr) {
      monitor_data(&line, own->half_0, own->half_1);
      line.writers++;
      line.holders++;
    }
  }
  if (line.writers && line.holders > 1) monitor_report(m, SIM_ONE_WRITER, line.addr);
  if (line.stale && !monitor_software_coherence(m, c)) monitor_report(m, SIM_NO_STALE_COPY, line.addr);
  if (line.found != 3 && !busy) monitor_report(m, SIM_NO_LOST_DATA, line.addr);
}

/* Whether the services are between two calls, with none of their register stores in flight. */
static int drivers_are_idle(sim *m, const struct checked *c) {
  uint32_t rows;
  for (uint32_t i = 0; i < m->part_count; i++) {
    if (sim_part(m, i)->type != SIM_TYPE_IO_SERVICES) continue;
    const struct io_services_calls *call = checked_view(m, i, IO_SERVICES_VIEW_CALLS, &rows);
    for (uint32_t k = 0; k < rows; k++)
      if (call[k].inner >= IO_SERVICES_INNER_UNMAPPING && call[k].inner < IO_SERVICES_INNER_UNMAPPED)
        return 0;
  }
  for (uint32_t i = 0; i < c->caches; i++)
    if (cache_now(SIM_CONTEXT(m, c->cache[i], snoop_cache))->posts) return 0;
  return sim_pending_count(m, RUNWAY_REGISTER) == 0;
}

/* After an event. */
void sim_check_invariants(sim *m) {
  struct sim_host_state *side = sim_host_state(m);
  struct checked c = checked_parts(m);
  uint32_t rows;
  SIM_COUNTERS(m, m->monitor - 1, watcher)->looks++;
  if (side->broken) monitor_report(m, side->broken, side->broken_at);
  side->broken = 0;
  if (c.runway == SIM_NONE || c.memory == SIM_NONE || c.caches == 0) return;
  const struct runway_now *now = checked_view(m, c.runway, RUNWAY_VIEW_NOW, &rows);
  const struct runway_transactions *row = checked_view(m, c.runway, RUNWAY_VIEW_TRANSACTIONS, &rows);
  uint64_t last = now->addr & ~(uint64_t)(RUNWAY_LINE - 1);
  int busy = 0, any = 0;
  for (uint32_t i = 0; i < rows; i++) {
    if (row[i].phase == RUNWAY_PHASE_FREE) continue;
    any = 1;
    busy |= (row[i].addr & ~(uint64_t)(RUNWAY_LINE - 1)) == last;
    monitor_line(m, &c, row[i].addr, 1);
  }
  monitor_line(m, &c, last, busy || now->type != RUNWAY_TYPE_NOTHING);
  if (m->pending == 0 && m->later == 0 && any) monitor_report(m, SIM_NO_DEADLOCK, row[0].addr);
  if (m->events % WATCH_TRANSLATIONS == 0 && drivers_are_idle(m, &c) && stale_translation(m, &c))
    monitor_report(m, SIM_LIVE_TRANSLATION, 0);
}
