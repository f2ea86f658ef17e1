/* The adapter's state for exploration: the lines of the I/O cache, and of each the two words that are read.
 */
#include "core/state_codec.h"

/* Only the order of use matters. */
static uint32_t sba_canonical_rank(sim *m, struct sba *sba, const struct sba_lines *of) {
  const struct sba_lines *l = sba_lines(m, sba);
  uint32_t rank = 1;
  for (uint32_t i = 0; i < sba->params->lines; i++)
    rank += l[i].state != SBA_LINE_EMPTY && l[i].used < of->used;
  return rank;
}

static void sba_serialize(sim *m, struct sba *sba, struct sim_codec *k) {
  uint32_t lines = (uint32_t)sba->params->lines;
  sim_codec_u8(k, &sba->state->stores);
  sim_codec_u8(k, &sba->state->awaiting);
  for (uint32_t i = 0; i < lines; i++) {
    struct sba_lines *l = sba_lines(m, sba) + i;
    sim_codec_u8(k, &l->state);
    if (l->state == SBA_LINE_EMPTY) {
      *l = (struct sba_lines){0};
      continue;
    }
    uint32_t used = sba_canonical_rank(m, sba, l);
    sim_codec_addr(k, &l->addr);
    sim_codec_u8(k, &l->bytes);
    sim_codec_u8(k, &used);
    if (k->reading) l->used = used;
    for (uint32_t word = 0; word < 2; word++) sim_codec_u8(k, sba_words(m, sba, l) + word);
  }
  if (k->reading) sba->state->uses = lines;
}

static uint32_t sba_enabled(sim *m, struct sba *sba, const sim_msg *msg) {
  (void)m;
  (void)sba;
  (void)msg;
  return SIM_ENABLED;
}
