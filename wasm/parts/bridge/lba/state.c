/* The adapter's state for exploration: of lines and posts, only the two words that are read there. */
#include "core/state_codec.h"

static void lba_serialize_line(sim *m, struct lba *lba, struct sim_codec *k, uint32_t place) {
  lba_line *l = lba_line_at(m, lba, place);
  sim_codec_u8(k, &l->state);
  if (l->state == LBA_LINE_EMPTY) {
    *l = (lba_line){0};
    return;
  }
  uint64_t *addresses[] = {&l->addr, &l->memory};
  uint32_t *small[] = {&l->used, &l->bytes, &l->relaxed, &l->current, &l->offered, &l->split, &l->no_snoop};
  for (uint32_t i = 0; i < sizeof addresses / sizeof *addresses; i++) sim_codec_addr(k, addresses[i]);
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  if (l->state == LBA_LINE_DROPPED || l->memory == 0)
    return; /* before memory is read the entry holds data of an earlier line */
  for (uint32_t word = 0; word < 2; word++)
    sim_codec_u8(k, lba_words(m, lba->state->line_words_at, place) + word);
}

static void lba_serialize_item(lba_item *q, struct sim_codec *k) {
  uint32_t *small[] = {&q->item, &q->bytes, &q->write, &q->place, &q->here};
  sim_codec_addr(k, &q->addr);
  sim_codec_addr(k, &q->value);
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u16(k, small[i]);
}

static void lba_serialize_post(sim *m, struct lba *lba, struct sim_codec *k, uint32_t place) {
  struct lba_posts *p = lba_post_at(m, lba, place);
  sim_codec_addr(k, &p->addr);
  sim_codec_u8(k, &p->bytes);
  sim_codec_u8(k, &p->whole);
  sim_codec_u8(k, &p->no_snoop);
  sim_codec_u8(k, lba_words(m, lba->state->post_words_at, place));
}

static void lba_serialize(sim *m, struct lba *lba, struct sim_codec *k) {
  struct lba_now *now = lba_view(m, lba);
  uint32_t *small[] = {&now->queued, &now->stores, &now->posted, &lba->state->failed, &lba->state->completing,
      &lba->state->completed, &lba->state->unseen, &lba->state->invalidates, &lba->state->no_snoop};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  sim_codec_addr(k, &lba->state->wanted_end);
  for (uint32_t place = 0; place < lba->state->lines; place++) lba_serialize_line(m, lba, k, place);
  for (uint32_t i = 0; i < now->queued; i++) lba_serialize_item(lba_item_at(m, lba, i), k);
  for (uint32_t i = 0; i < now->posted; i++) lba_serialize_post(m, lba, k, i);
  for (uint32_t i = 0; i < LBA_LOADS; i++) {
    sim_codec_addr(k, &lba->state->value[i].value);
    sim_codec_u8(k, &lba->state->value[i].write);
  }
  for (uint32_t i = 0; i < lba->state->splits; i++) {
    lba_split *r = lba_split_at(m, lba, i);
    sim_codec_addr(k, &r->end);
    if (!r->end) {
      *r = (lba_split){0};
      continue;
    }
    sim_codec_addr(k, &r->addr);
    sim_codec_addr(k, &r->fetch);
    sim_codec_u8(k, &r->tag);
    sim_codec_u8(k, &r->relaxed);
    sim_codec_u8(k, &r->no_snoop);
  }
}

static uint32_t lba_enabled(sim *m, struct lba *lba, const sim_msg *msg) {
  (void)m;
  (void)lba;
  (void)msg;
  return SIM_ENABLED;
}
