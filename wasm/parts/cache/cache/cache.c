/*
 * Tags of a set-associative write-back cache. An access fills the line at once and reports the cost: the
 * processor then waits for the fill. A row is {tag + 1, use}: use = age * 4 + shared * 2 + dirty, and the
 * smallest age of a set is its victim. A store to a shared line misses: it must request ownership.
 */
#include "core/engine.h"
#include "gen/protocols.h"

#define CACHE_DIRTY 1u
#define CACHE_SHARED 2u

struct cache_state {
  uint64_t age;
  uint32_t lines_at;
  uint32_t sets;
  uint32_t ways;
  uint32_t line_shift;
  uint32_t page_lines; /* lines of a page that is placed anywhere, or 0 */
  uint32_t placement;  /* decides the frames of all pages; drawn at the first access */
};

/* The frame number of a page, as far as it chooses sets: bits mixed from its number and the seed. */
static uint32_t cache_frame(const struct cache_state *s, uint32_t page) {
  uint32_t mixed = page + s->placement * 0x9e3779b1u;
  mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
  mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
  return mixed ^ mixed >> 16;
}

/* The set of a line. Within a page lines follow each other; where the page lies, its frame decides. */
static uint32_t cache_set_number(const struct cache_state *s, uint32_t tag) {
  uint32_t line = tag;
  if (s->page_lines) line = cache_frame(s, tag / s->page_lines) * s->page_lines + tag % s->page_lines;
  return line & (s->sets - 1);
}

static struct cache_lines *cache_set_at(sim *m, struct cache *cache, uint32_t number) {
  return (struct cache_lines *)sim_at(m, cache->state->lines_at) + (uint64_t)number * cache->state->ways;
}

static struct cache_lines *cache_set(sim *m, struct cache *cache, uint32_t tag) {
  return cache_set_at(m, cache, cache_set_number(cache->state, tag));
}

/* Ages are 30 bits: on overflow all lines become equally old, which only costs precision once in 2^30
 * accesses. */
static uint32_t cache_age(sim *m, struct cache *cache) {
  if (++cache->state->age >= 1u << 30) {
    struct cache_lines *line = sim_at(m, cache->state->lines_at);
    for (uint32_t i = 0; i < cache->state->sets * cache->state->ways; i++)
      line[i].use &= CACHE_SHARED | CACHE_DIRTY;
    cache->state->age = 1;
  }
  return (uint32_t)cache->state->age << 2;
}

/* A line's changes are recorded, but cause no other events. */
static void cache_trace(sim *m, struct cache *cache, uint32_t event, uint64_t address, uint32_t store) {
  uint32_t cause = m->cause;
  sim_trace(m, cache->self, event, address, store, 0);
  m->cause = cause;
}

static uint32_t cache_cpu_access_untimed(sim *m, struct cache *cache, struct cache_access_untimed *q) {
  if (cache->state->page_lines && !cache->state->placement)
    cache->state->placement = 1 + sim_choose(m, SIM_CHOOSE_VICTIM, 65535);
  uint32_t tag = (uint32_t)(q->address >> cache->state->line_shift);
  struct cache_lines *set = cache_set(m, cache, tag), *victim = set;
  uint32_t age = cache_age(m, cache), store = q->store != 0;
  uint64_t line = (uint64_t)tag << cache->state->line_shift;
  for (uint32_t i = 0; i < cache->state->ways; i++) {
    if (set[i].tag == tag + 1) {
      uint32_t upgrade =
          store && set[i].use & CACHE_SHARED && cache->params->fault != CACHE_FAULT_STORES_ON_SHARED;
      if (store && !(set[i].use & CACHE_DIRTY)) cache_trace(m, cache, CACHE_EV_CHANGES, line, 0);
      set[i].use = age | (set[i].use & (store ? CACHE_DIRTY : CACHE_SHARED | CACHE_DIRTY)) | store;
      q->dirty = 0;
      cache->counters->upgrades += upgrade;
      cache->counters->misses += upgrade;
      cache->counters->hits += !upgrade;
      return !upgrade;
    }
    if (set[i].tag == 0 || (victim->tag != 0 && set[i].use < victim->use)) victim = &set[i];
  }
  cache->counters->misses++;
  q->dirty = victim->tag != 0 && (victim->use & CACHE_DIRTY);
  cache->counters->write_backs += q->dirty;
  if (victim->tag)
    cache_trace(m, cache, CACHE_EV_REPLACES, (uint64_t)(victim->tag - 1) << cache->state->line_shift, 0);
  cache_trace(m, cache, CACHE_EV_TAKES, line, store);
  victim->tag = tag + 1;
  victim->use = age | store;
  return 0;
}

static uint32_t cache_cpu_drop(sim *m, struct cache *cache, struct cache_drop *q) {
  uint32_t dropped = 0, share = q->how == CACHE_SNOOP_SHARE, look = q->how == CACHE_SNOOP_LOOK;
  q->changed = 0;
  uint64_t first = q->address >> cache->state->line_shift,
           last = (q->address + q->bytes - 1) >> cache->state->line_shift;
  for (uint64_t line = first; line <= last; line++) {
    struct cache_lines *set = cache_set(m, cache, (uint32_t)line);
    for (uint32_t i = 0; i < cache->state->ways; i++)
      if (set[i].tag == (uint32_t)line + 1) {
        if (!share && set[i].use & CACHE_DIRTY) q->changed += 1ull << cache->state->line_shift;
        if (!look)
          set[i] = share ? (struct cache_lines){set[i].tag, (set[i].use & ~CACHE_DIRTY) | CACHE_SHARED}
                         : (struct cache_lines){0, 0};
        dropped++;
      }
  }
  if (look) return dropped;
  if (dropped && share) {
    cache->counters->shared += dropped;
    sim_trace(m, cache->self, CACHE_EV_SHARES, q->address, dropped, 0);
  } else if (dropped) {
    cache->counters->invalidated += dropped;
    sim_trace(m, cache->self, CACHE_EV_DROPPED, q->address, dropped, 0);
  }
  return dropped;
}

static int cache_load(sim *m, uint32_t self) {
  const struct cache_params *q = SIM_PARAMS(m, self, cache);
  uint64_t sets = q->size / (q->line * q->ways);
  if (q->page && (q->page < q->line || q->page & (q->page - 1)))
    return sim_refuse(m, SIM_BAD_PARAM, self, CACHE_PARAM_PAGE);
  struct cache_state *s = sim_state_alloc(m, self, sizeof *s);
  struct cache_lines *lines = sim_view(m, self, CACHE_VIEW_LINES, (uint32_t)(sets * q->ways), sizeof *lines);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct cache_state){0, sim_offset(m, lines), (uint32_t)sets, (uint32_t)q->ways,
      (uint32_t)__builtin_ctzll(q->line), (uint32_t)(q->page / q->line), 0};
  return SIM_OK;
}

#include "parts/cache/cache/state.c"
