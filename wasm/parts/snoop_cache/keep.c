/* What a cache's state is made of, for exploration. */
#include "core/keep.h"
#include "parts/snoop_cache/snoop_cache.h"

static void cache_keep_line(by *m, struct snoop_cache_state *s, uint32_t i, struct by_keeper *k) {
  struct snoop_cache_lines *line = cache_line_at(m, s, i);
  uint32_t *halves = cache_halves(m, s, i);
  by_keep_small(k, &line->state);
  if (line->state == SNOOP_CACHE_LINE_INVALID) return;
  by_keep(k, &line->tag, sizeof line->tag);
  by_keep_write(k, &halves[0], KEEP_COPY);
  by_keep_write(k, &halves[1], KEEP_COPY);
}

static void cache_keep_miss(miss *e, struct by_keeper *k) {
  by_keep_small(k, &e->stage);
  if (e->stage == SNOOP_CACHE_STAGE_FREE) return;
  uint32_t *small[] = {&e->type, &e->state, &e->line, &e->owed, &e->shared};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
  by_keep(k, &e->addr, sizeof e->addr);
}

static void snoop_cache_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct snoop_cache_state *s = BY_STATE(m, self, snoop_cache);
  struct snoop_cache_now *now = cache_now(m, s);
  struct snoop_cache_posts *posts = by_at(m, s->posts_at);
  for (uint32_t i = 0; i < s->lines; i++) cache_keep_line(m, s, i, k);
  cache_keep_miss(cache_miss(m, s, 0), k);
  cache_keep_miss(cache_miss(m, s, 1), k);
  uint32_t *small[] = {&now->busy, &now->write_backs, &now->copies, &now->posts, &s->orders, &s->ordering, &s->awaited, &s->reading, &s->stalled, &s->retry};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
  if (now->busy) {
    by_keep_small(k, &now->op);
    by_keep_small(k, &now->bytes);
    by_keep(k, &now->addr, sizeof now->addr);
  }
  if (k->mode == KEEP_LOAD && !s->orders) __builtin_memset(s->order, 0, sizeof s->order);
  for (uint32_t i = 0; i < CACHE_ORDERS && s->orders; i++) {
    struct cache_order *order = &s->order[i];
    by_keep_small(k, &order->type);
    by_keep_small(k, &order->stage);
    by_keep_small(k, &order->mask);
    if (order->type == RUNWAY_NOTHING) continue;
    by_keep(k, &order->addr, sizeof order->addr);
    by_keep_write(k, &order->half_0, KEEP_DATA);
    by_keep_write(k, &order->half_1, KEEP_DATA);
  }
  for (uint32_t i = 0; i < now->write_backs; i++) {
    struct snoop_cache_write_backs *entry = &cache_buffer(m, s)[i];
    by_keep(k, &entry->addr, sizeof entry->addr);
    by_keep_write(k, &entry->half_0, KEEP_DATA);
    by_keep_write(k, &entry->half_1, KEEP_DATA);
  }
  for (uint32_t i = 0; i < now->copies; i++) {
    struct snoop_cache_copies *entry = &cache_copies(m, s)[i];
    by_keep_small(k, &entry->transaction);
    by_keep(k, &entry->addr, sizeof entry->addr);
    by_keep_write(k, &entry->half_0, KEEP_DATA);
    by_keep_write(k, &entry->half_1, KEEP_DATA);
  }
  for (uint32_t i = 0; i < now->posts; i++) {
    by_keep(k, &posts[i].addr, sizeof posts[i].addr);
    by_keep(k, &posts[i].value, sizeof posts[i].value);
  }
}
