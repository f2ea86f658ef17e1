/* What the bridge's state is made of, for exploration: of lines, the two words that somebody there reads. */
#include "core/keep.h"

static void pcix_bridge_keep_posts(by *m, struct pcix_bridge_state *s, struct by_keeper *k, uint32_t way) {
  by_keep_small(k, pcix_bridge_posted(m, s, way));
  by_keep_small(k, pcix_bridge_here(m, s, way));
  for (uint32_t i = 0; i < *pcix_bridge_posted(m, s, way); i++) {
    pcix_bridge_post *p = pcix_bridge_post_at(m, s, way, i);
    by_keep_addr(k, &p->addr);
    by_keep_small(k, &p->bytes);
    by_keep_addr(k, &p->value);
    by_keep_small(k, pcix_bridge_post_words(m, s, way, i) + p->addr % PCIX_BRIDGE_LINE / 4);
  }
}

static void pcix_bridge_keep_read(pcix_bridge_read *r, struct by_keeper *k) {
  by_keep_addr(k, &r->end);
  if (!r->end) {
    *r = (pcix_bridge_read){0};
    return;
  }
  uint64_t *addresses[] = {&r->addr, &r->fetch, &r->limit};
  uint32_t *small[] = {&r->side, &r->split, &r->tag, &r->known, &r->behind};
  for (uint32_t i = 0; i < sizeof addresses / sizeof *addresses; i++) by_keep_addr(k, addresses[i]);
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
}

static void pcix_bridge_keep_line(by *m, struct pcix_bridge_state *s, pcix_bridge_line *l, struct by_keeper *k) {
  by_keep_small(k, &l->state);
  if (l->state == PCIX_BRIDGE_LINE_EMPTY) {
    *l = (pcix_bridge_line){0};
    return;
  }
  uint32_t *small[] = {&l->from, &l->to, &l->read, &l->side, &l->behind};
  by_keep_addr(k, &l->addr);
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
  if (l->from < l->to) return;
  by_keep_addr(k, &l->value);
  for (uint32_t word = 0; word < 2 && l->side == PCIX_BRIDGE_CARDS; word++) by_keep_small(k, pcix_bridge_line_words(m, s, l) + word); /* a register has a value instead */
}

static void pcix_bridge_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct pcix_bridge_state *s = BY_STATE(m, self, pcix_bridge);
  by_keep_small(k, &s->turn);
  for (uint32_t way = 0; way < 2; way++) {
    struct pcix_bridge_side *side = &s->side[way];
    pcix_bridge_keep_posts(m, s, k, way);
    by_keep_small(k, &side->sending);
    by_keep_small(k, &side->run);
    by_keep_small(k, &side->waited);
    by_keep_small(k, &side->completes);
    by_keep_addr(k, &side->asked);
    by_keep_addr(k, &side->asked_end);
  }
  for (uint32_t i = 0; i < s->reads; i++) pcix_bridge_keep_read(pcix_bridge_read_at(m, s, i), k);
  for (uint32_t i = 0; i < s->lines; i++) pcix_bridge_keep_line(m, s, pcix_bridge_line_at(m, s, i), k);
}

static uint32_t pcix_bridge_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}
