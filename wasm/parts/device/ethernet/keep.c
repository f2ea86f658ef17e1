/* What the adapter's state is made of, for exploring (core/keep.h). */
#include "core/keep.h"

static uint32_t ethernet_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}

static void ethernet_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct ethernet_state *s = BY_STATE(m, self, ethernet);
  struct ethernet_now *now = ethernet_now_of(m, self);
  uint32_t packets = (uint32_t)s->packets, *small[] = {&packets, &s->head, &now->state, &now->slot, &now->line, &now->packet, &now->told, &now->written, &now->writing};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
  s->packets = packets;
  by_keep_short(k, &now->bytes);
  for (uint32_t slot = 0; slot < BY_PARAMS(m, self, ethernet)->ring; slot++) {
    by_keep_small(k, &ethernet_slot(m, self, slot)->state);
    by_keep_small(k, &ethernet_slot(m, self, slot)->packet);
  }
}
