/* What the adapter's state is made of, for exploration: the lines of the I/O cache, and of each the two words that somebody reads. */
#include "core/keep.h"

/* Of when lines were used only the order matters. */
static uint32_t sba_rank(by *m, uint32_t self, const struct sba_lines *of) {
  const struct sba_lines *l = sba_lines(m, self);
  uint32_t rank = 1;
  for (uint32_t i = 0; i < BY_PARAMS(m, self, sba)->lines; i++) rank += l[i].state != SBA_LINE_EMPTY && l[i].used < of->used;
  return rank;
}

static void sba_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct sba_state *s = BY_STATE(m, self, sba);
  uint32_t lines = (uint32_t)BY_PARAMS(m, self, sba)->lines;
  by_keep_small(k, &s->stores);
  by_keep_small(k, &s->awaiting);
  for (uint32_t i = 0; i < lines; i++) {
    struct sba_lines *l = sba_lines(m, self) + i;
    by_keep_small(k, &l->state);
    if (l->state == SBA_LINE_EMPTY) {
      *l = (struct sba_lines){0};
      continue;
    }
    uint32_t used = sba_rank(m, self, l);
    by_keep_addr(k, &l->addr);
    by_keep_small(k, &l->bytes);
    by_keep_small(k, &used);
    if (k->reading) l->used = used;
    for (uint32_t word = 0; word < 2; word++) by_keep_small(k, sba_words(m, self, l) + word);
  }
  if (k->reading) s->uses = lines;
}

static uint32_t sba_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}
