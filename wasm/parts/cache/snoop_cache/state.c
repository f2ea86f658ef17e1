/* The cache's state for exploration. */
#include "core/state_codec.h"
#include "parts/cache/snoop_cache/snoop_cache.h"

static void cache_serialize_halves(struct sim_codec *k, uint32_t *half_0, uint32_t *half_1, uint32_t holder) {
  sim_codec_write_id(k, half_0, holder);
  sim_codec_write_id(k, half_1, holder);
}

static void cache_serialize_line(sim *m, struct snoop_cache *cache, uint32_t i, struct sim_codec *k) {
  struct snoop_cache_lines *line = cache_line_at(m, cache, i);
  uint32_t *halves = cache_halves(m, cache, i);
  sim_codec_u8(k, &line->state);
  if (line->state == SNOOP_CACHE_LINE_INVALID) return;
  sim_codec_u32(k, &line->tag);
  cache_serialize_halves(k, &halves[0], &halves[1], WRITE_COPY);
}

static void cache_serialize_miss(miss *e, struct sim_codec *k) {
  sim_codec_u8(k, &e->stage);
  if (e->stage == SNOOP_CACHE_STAGE_FREE) return;
  sim_codec_u8(k, &e->type);
  sim_codec_u8(k, &e->state);
  sim_codec_u16(k, &e->line);
  sim_codec_u8(k, &e->owed);
  sim_codec_u8(k, &e->shared);
  sim_codec_u8(k, &e->stores);
  sim_codec_addr(k, &e->addr);
}

static void cache_serialize_order(struct cache_order *order, struct sim_codec *k) {
  sim_codec_u8(k, &order->type);
  sim_codec_u8(k, &order->stage);
  sim_codec_u8(k, &order->mask);
  if (order->type == RUNWAY_TYPE_NOTHING) return;
  sim_codec_addr(k, &order->addr);
}

/* The current access, and orders; usually there are none. */
static void cache_serialize_access(
    struct snoop_cache_state *s, struct snoop_cache_now *now, struct sim_codec *k) {
  uint32_t before = s->orders;
  sim_codec_u8(k, &now->busy);
  sim_codec_u8(k, &s->orders);
  if (!now->busy) s->retry = 0;
  if (before && !s->orders) {
    __builtin_memset(s->order, 0, sizeof s->order);
    s->ordering = s->awaited = 0;
  }
  if (now->busy) {
    sim_codec_u8(k, &now->op);
    sim_codec_u8(k, &now->bytes);
    sim_codec_addr(k, &now->addr);
    sim_codec_u8(k, &s->retry);
  }
  if (!s->orders) return;
  sim_codec_u8(k, &s->ordering);
  sim_codec_u8(k, &s->awaited);
  for (uint32_t i = 0; i < CACHE_ORDERS; i++) cache_serialize_order(&s->order[i], k);
}

static void snoop_cache_serialize(sim *m, struct snoop_cache *cache, struct sim_codec *k) {
  struct snoop_cache_now *now = cache_now(cache);
  struct snoop_cache_posts *posts = cache->state->posts;
  for (uint32_t i = 0; i < cache->state->lines; i++) cache_serialize_line(m, cache, i, k);
  for (uint32_t slot = 0; slot < cache->state->slots; slot++)
    cache_serialize_miss(cache_miss(cache, slot), k);
  sim_codec_u8(k, &cache->state->next_store);
  cache_serialize_access(cache->state, now, k);
  sim_codec_u8(k, &now->write_backs);
  sim_codec_u8(k, &now->copies);
  sim_codec_u8(k, &now->posts);
  sim_codec_u8(k, &cache->state->reading);
  if (cache->state->reading) sim_codec_addr(k, &cache->state->register_addr);
  sim_codec_u8(k, &cache->state->stalled);
  for (uint32_t i = 0; i < now->write_backs; i++) {
    struct snoop_cache_write_backs *entry = &cache_buffer(cache)[i];
    sim_codec_addr(k, &entry->addr);
    cache_serialize_halves(k, &entry->half_0, &entry->half_1, HOLDER_DATA);
  }
  for (uint32_t i = 0; i < now->copies; i++) {
    struct snoop_cache_copies *entry = &cache_c2c_queue(cache)[i];
    sim_codec_u8(k, &entry->transaction);
    sim_codec_addr(k, &entry->addr);
    cache_serialize_halves(k, &entry->half_0, &entry->half_1, HOLDER_DATA);
  }
  for (uint32_t i = 0; i < now->posts; i++) {
    sim_codec_addr(k, &posts[i].addr);
    sim_codec_u32(k, &posts[i].value);
  }
}
