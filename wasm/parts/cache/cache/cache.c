/*
 * Tags of a set-associative write-back cache. A touch takes the line in at once and reports what it
 * cost: the processor then waits for the fill. A row is {tag + 1, use}: use = age * 2 + dirty, and the
 * smallest age of a set is its victim.
 */
#include "core/engine.h"
#include "gen/protocols.h"

struct cache_state {
  uint64_t age;
  uint32_t lines_at, sets, ways, line_shift;
};

static struct cache_lines *cache_set(by *m, struct cache_state *s, uint32_t tag) {
  return (struct cache_lines *)by_at(m, s->lines_at) + (uint64_t)(tag & (s->sets - 1)) * s->ways;
}

/* Ages are 31 bits: when they run out every line is made equally old, which only costs precision once in 2^31 touches. */
static uint32_t cache_age(by *m, struct cache_state *s) {
  if (++s->age >= 1u << 31) {
    struct cache_lines *line = by_at(m, s->lines_at);
    for (uint32_t i = 0; i < s->sets * s->ways; i++) line[i].use &= 1;
    s->age = 1;
  }
  return (uint32_t)s->age << 1;
}

static uint32_t cache_cpu_touch(by *m, uint32_t self, struct cache_touch *q) {
  struct cache_state *s = BY_STATE(m, self, cache);
  struct cache_counters *c = BY_COUNTERS(m, self, cache);
  uint32_t tag = (uint32_t)(q->address >> s->line_shift);
  struct cache_lines *set = cache_set(m, s, tag), *victim = set;
  uint32_t age = cache_age(m, s), store = q->store != 0;
  for (uint32_t i = 0; i < s->ways; i++) {
    if (set[i].tag == tag + 1) {
      set[i].use = age | (set[i].use & 1) | store;
      c->hits++;
      q->dirty = 0;
      return 1;
    }
    if (set[i].tag == 0 || (victim->tag != 0 && set[i].use < victim->use)) victim = &set[i];
  }
  c->misses++;
  q->dirty = victim->tag != 0 && (victim->use & 1);
  c->write_backs += q->dirty;
  victim->tag = tag + 1;
  victim->use = age | store;
  return 0;
}

static uint32_t cache_cpu_drop(by *m, uint32_t self, struct cache_drop *q) {
  struct cache_state *s = BY_STATE(m, self, cache);
  uint32_t dropped = 0;
  uint64_t first = q->address >> s->line_shift, last = (q->address + q->bytes - 1) >> s->line_shift;
  for (uint64_t line = first; line <= last; line++) {
    struct cache_lines *set = cache_set(m, s, (uint32_t)line);
    for (uint32_t i = 0; i < s->ways; i++)
      if (set[i].tag == (uint32_t)line + 1) {
        set[i] = (struct cache_lines){0, 0};
        dropped++;
      }
  }
  if (dropped) {
    BY_COUNTERS(m, self, cache)->invalidated += dropped;
    by_trace(m, self, CACHE_EV_DROPPED, q->address, dropped, 0);
  }
  return dropped;
}

static int cache_load(by *m, uint32_t self) {
  const struct cache_params *q = BY_PARAMS(m, self, cache);
  uint64_t sets = q->size / (q->line * q->ways);
  struct cache_state *s = by_state_alloc(m, self, sizeof *s);
  struct cache_lines *lines = by_view(m, self, CACHE_VIEW_LINES, (uint32_t)(sets * q->ways), sizeof *lines);
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  *s = (struct cache_state){0, by_offset(m, lines), (uint32_t)sets, (uint32_t)q->ways, (uint32_t)__builtin_ctzll(q->line)};
  return BY_OK;
}
