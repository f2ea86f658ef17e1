/* What a cache's state is made of, for exploration. */
#include "core/keep.h"
#include "parts/cache/snoop_cache/snoop_cache.h"

static void cache_keep_halves(struct by_keeper *k, uint32_t *half_0, uint32_t *half_1, uint32_t holder) {
  by_keep_write(k, half_0, holder);
  by_keep_write(k, half_1, holder);
}

static void cache_keep_line(by *m, struct snoop_cache_state *s, uint32_t i, struct by_keeper *k) {
  struct snoop_cache_lines *line = cache_line_at(m, s, i);
  uint32_t *halves = cache_halves(m, s, i);
  by_keep_small(k, &line->state);
  if (line->state == SNOOP_CACHE_LINE_INVALID) return;
  by_keep_word(k, &line->tag);
  cache_keep_halves(k, &halves[0], &halves[1], KEEP_COPY);
}

static void cache_keep_miss(miss *e, struct by_keeper *k) {
  by_keep_small(k, &e->stage);
  if (e->stage == SNOOP_CACHE_STAGE_FREE) return;
  by_keep_small(k, &e->type);
  by_keep_small(k, &e->state);
  by_keep_short(k, &e->line);
  by_keep_small(k, &e->owed);
  by_keep_small(k, &e->shared);
  by_keep_small(k, &e->stores);
  by_keep_addr(k, &e->addr);
}

static void cache_keep_order(struct cache_order *order, struct by_keeper *k) {
  by_keep_small(k, &order->type);
  by_keep_small(k, &order->stage);
  by_keep_small(k, &order->mask);
  if (order->type == RUNWAY_NOTHING) return;
  by_keep_addr(k, &order->addr);
}

/* The access under way, and orders; mostly there are none. */
static void cache_keep_access(struct snoop_cache_state *s, struct snoop_cache_now *now, struct by_keeper *k) {
  uint32_t before = s->orders;
  by_keep_small(k, &now->busy);
  by_keep_small(k, &s->orders);
  if (!now->busy) s->retry = 0;
  if (before && !s->orders) {
    __builtin_memset(s->order, 0, sizeof s->order);
    s->ordering = s->awaited = 0;
  }
  if (now->busy) {
    by_keep_small(k, &now->op);
    by_keep_small(k, &now->bytes);
    by_keep_addr(k, &now->addr);
    by_keep_small(k, &s->retry);
  }
  if (!s->orders) return;
  by_keep_small(k, &s->ordering);
  by_keep_small(k, &s->awaited);
  for (uint32_t i = 0; i < CACHE_ORDERS; i++) cache_keep_order(&s->order[i], k);
}

static void snoop_cache_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct snoop_cache_state *s = BY_STATE(m, self, snoop_cache);
  struct snoop_cache_now *now = cache_now(m, s);
  struct snoop_cache_posts *posts = s->posts;
  for (uint32_t i = 0; i < s->lines; i++) cache_keep_line(m, s, i, k);
  for (uint32_t slot = 0; slot < s->slots; slot++) cache_keep_miss(cache_miss(m, s, slot), k);
  by_keep_small(k, &s->next_store);
  cache_keep_access(s, now, k);
  by_keep_small(k, &now->write_backs);
  by_keep_small(k, &now->copies);
  by_keep_small(k, &now->posts);
  by_keep_small(k, &s->reading);
  if (s->reading) by_keep_addr(k, &s->register_addr);
  by_keep_small(k, &s->stalled);
  for (uint32_t i = 0; i < now->write_backs; i++) {
    struct snoop_cache_write_backs *entry = &cache_buffer(m, s)[i];
    by_keep_addr(k, &entry->addr);
    cache_keep_halves(k, &entry->half_0, &entry->half_1, KEEP_DATA);
  }
  for (uint32_t i = 0; i < now->copies; i++) {
    struct snoop_cache_copies *entry = &cache_copies(m, s)[i];
    by_keep_small(k, &entry->transaction);
    by_keep_addr(k, &entry->addr);
    cache_keep_halves(k, &entry->half_0, &entry->half_1, KEEP_DATA);
  }
  for (uint32_t i = 0; i < now->posts; i++) {
    by_keep_addr(k, &posts[i].addr);
    by_keep_word(k, &posts[i].value);
  }
}
