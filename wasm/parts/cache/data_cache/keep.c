/* What a cache's state is made of, for exploring (core/keep.h). */
#include "core/keep.h"

static void data_cache_keep_line(struct by_keeper *k, struct data_cache_lines *line) {
  by_keep_small(k, &line->state);
  if (!line->state) return;
  by_keep_word(k, &line->tag);
  by_keep_word(k, &line->write);
  by_keep_word(k, &line->age);
}

static void data_cache_keep(by *m, uint32_t self, struct by_keeper *k) {
  const struct data_cache_params *q = BY_PARAMS(m, self, data_cache);
  struct data_cache_now *now = data_cache_now_of(m, self);
  by_keep_small(k, &now->stage);
  if (now->stage) {
    by_keep_small(k, &now->op);
    by_keep_short(k, &now->line);
    by_keep_word(k, &now->write);
    by_keep_addr(k, &now->address);
    by_keep_addr(k, &now->end);
    by_keep_addr(k, &now->at);
  }
  by_keep_long(k, &BY_STATE(m, self, data_cache)->age);
  for (uint32_t i = 0; i < q->size / q->line; i++) data_cache_keep_line(k, data_cache_line_at(m, self, i));
}
