/* What the bus's state is made of, for exploration. Bursts there are of one block: the latency timer ends none. */
#include "core/keep.h"

static void pcix_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct pcix_state *s = BY_STATE(m, self, pcix);
  struct pcix_now *now = pcix_view(m, s);
  uint32_t *always[] = {&now->state, &now->requests, &now->last, &s->starting}, *busy[] = {&now->master, &now->bytes, &now->moved, &now->tag, &s->accepted};
  for (uint32_t i = 0; i < sizeof always / sizeof *always; i++) by_keep_small(k, always[i]);
  for (uint32_t i = 0; i < BY_PARAMS(m, self, pcix)->tags; i++) {
    pcix_tag *tag = pcix_tag_at(m, s, i);
    by_keep_small(k, &tag->left);
    if (!tag->left) continue;
    by_keep_small(k, &tag->master);
    by_keep_addr(k, &tag->addr);
  }
  if (now->state == PCIX_STATE_IDLE) return;
  for (uint32_t i = 0; i < sizeof busy / sizeof *busy; i++) by_keep_small(k, busy[i]);
  by_keep_short(k, &now->target);
  by_keep_addr(k, &now->addr);
}

/* A transaction that nobody takes is one event: nothing can be seen of it but that it was in vain. */
static uint32_t pcix_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self;
  return msg->kind == PCIX_BLOCK && (msg->x == PCIX_RETRIED || msg->x == PCIX_UNCLAIMED) ? BY_AT_ONCE : BY_ANY_TIME;
}
