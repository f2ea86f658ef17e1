/* The cache's state for exploration: its tags, and the order of use in each set. */
#include "core/state_codec.h"

static void cache_serialize(sim *m, struct cache *cache, struct sim_codec *k) {
  for (uint32_t at = 0; at < cache->state->sets; at++) {
    struct cache_lines *set = cache_set_at(m, cache, at);
    for (uint32_t i = 0; i < cache->state->ways; i++) {
      uint32_t rank = 0, bits = set[i].use & (CACHE_SHARED | CACHE_DIRTY);
      sim_codec_u32(k, &set[i].tag);
      if (!set[i].tag) continue;
      for (uint32_t j = 0; j < cache->state->ways && !k->reading; j++)
        rank += set[j].tag && set[j].use < set[i].use;
      sim_codec_u8(k, &rank);
      sim_codec_u8(k, &bits);
      if (k->reading) set[i].use = rank << 2 | bits;
    }
  }
  if (k->reading) cache->state->age = cache->state->ways;
}
