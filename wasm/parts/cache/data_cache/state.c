/* The cache's state for exploration (core/state_codec.h). */
#include "core/state_codec.h"

static void data_cache_serialize_line(struct sim_codec *k, struct data_cache_lines *line) {
  sim_codec_u8(k, &line->state);
  if (!line->state) return;
  sim_codec_u32(k, &line->tag);
  sim_codec_u32(k, &line->write);
  sim_codec_u32(k, &line->age);
}

static void data_cache_serialize(sim *m, struct data_cache *cache, struct sim_codec *k) {
  struct data_cache_now *now = data_cache_now_of(m, cache);
  sim_codec_u8(k, &now->stage);
  if (now->stage) {
    sim_codec_u8(k, &now->op);
    sim_codec_u16(k, &now->line);
    sim_codec_u32(k, &now->write);
    sim_codec_addr(k, &now->address);
    sim_codec_addr(k, &now->end);
    sim_codec_addr(k, &now->at);
  }
  sim_codec_u64(k, &cache->state->age);
  for (uint32_t i = 0; i < cache->params->size / cache->params->line; i++)
    data_cache_serialize_line(k, data_cache_line_at(m, cache, i));
}
