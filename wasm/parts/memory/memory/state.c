/* The contents of memory, for exploration (core/state_codec.h): the written grains. */
#include "core/state_codec.h"

static void memory_serialize(sim *m, struct memory *memory, struct sim_codec *k) {
  const struct shadow_memory *shadow = &memory->state->shadow;
  struct shadow_word *cell = sim_at(m, shadow->at);
  uint32_t written = 0;
  for (uint32_t i = 0; i < shadow->cells; i++) {
    if (k->reading) shadow_commit(cell + i, 0);
    else written += cell[i].newest != 0;
  }
  sim_codec_u8(k, &written);
  for (uint32_t i = 0, at = 0; i < written; i++, at++) {
    while (!k->reading && cell[at].newest == 0) at++;
    sim_codec_u16(k, &at);
    sim_codec_u32(k, &cell[at].write);
    sim_codec_u32(k, &cell[at].newest);
  }
}
