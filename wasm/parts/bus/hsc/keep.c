/* What the bus's state is made of, for exploration: who asks, and the tenure under way. */
#include "core/keep.h"

static void hsc_keep_again(struct hsc_now *again, struct by_keeper *k) {
  by_keep_small(k, &again->state);
  if (again->state == HSC_STATE_IDLE) return;
  by_keep_small(k, &again->slot);
  by_keep_small(k, &again->kind);
  by_keep_addr(k, &again->addr);
  by_keep_word(k, &again->half_0);
  by_keep_word(k, &again->half_1);
}

static void hsc_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct hsc_state *s = BY_STATE(m, self, hsc);
  struct hsc_now *now = by_at(m, s->now_at);
  by_keep_small(k, &now->state);
  by_keep_small(k, &now->requests);
  by_keep_small(k, &s->taken);
  by_keep_small(k, &s->adapter);
  hsc_keep_again(&s->again, k);
  if (now->state == HSC_STATE_IDLE) return;
  by_keep_small(k, &now->slot);
  by_keep_small(k, &now->kind);
  by_keep_small(k, &now->bytes);
  by_keep_addr(k, &now->addr);
  if (now->state == HSC_STATE_DATA) by_keep_addr(k, &now->memory);
  if (now->state == HSC_STATE_DATA || now->state == HSC_STATE_WRITE) {
    uint32_t holder = now->state == HSC_STATE_DATA ? KEEP_DATA : KEEP_COMING;
    by_keep_write(k, &now->half_0, holder);
    by_keep_write(k, &now->half_1, holder);
    return;
  }
  by_keep_word(k, &now->half_0);
  by_keep_word(k, &now->half_1);
}

/* A tenure takes its time, and so does the look for the next. */
static uint32_t hsc_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}
