/* What the bus's state is made of, for exploration. Where a queue begins in its ring makes no difference. */
#include "core/keep.h"
#include "parts/runway/runway.h"

static void runway_keep_row(by *m, uint32_t self, uint32_t tid, struct by_keeper *k) {
  struct runway_state *s = BY_STATE(m, self, runway);
  transaction *row = runway_row(m, s, tid);
  uint32_t *small[] = {&row->phase, &row->type, &row->master, &row->slot, &row->shared, &row->owner, &row->behind, &row->mask};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
  by_keep(k, &row->addr, sizeof row->addr);
  by_keep(k, &row->index, sizeof row->index);
  by_keep(k, &row->waits, sizeof row->waits);
  by_keep_write(k, &row->half_0, KEEP_DATA);
  by_keep_write(k, &row->half_1, KEEP_DATA);
  if (k->mode != KEEP_COMPARE || (row->type != RUNWAY_WRITE32 && row->type != RUNWAY_WRITE16_PURGE)) return;
  uint32_t newest[LINE_HALVES];
  by_poll look = {.addr = row->addr, .words = newest};
  if (!by_ask(m, self, RUNWAY_PORT_MEMORY, LEDGER_LOOK, &look)) return;
  for (uint32_t half = 0; half < LINE_HALVES; half++)
    if (row->mask & 1u << half) by_keep_overwritten(k, newest[half]);
}

static void runway_keep_agent(by *m, struct runway_state *s, uint32_t agent, struct by_keeper *k) {
  struct runway_agents *a = runway_agent(m, s, agent);
  struct runway_queues *queue = runway_queue(m, s, agent);
  by_keep_small(k, &a->waiting);
  by_keep_small(k, &a->stalled);
  by_keep_small(k, &a->pending);
  by_keep_small(k, &a->polled);
  if (k->mode == KEEP_LOAD) a->head = 0;
  for (uint32_t i = 0; i < a->waiting; i++) by_keep_small(k, &queue[(a->head + i) % RUNWAY_QUEUE].transaction);
}

static void runway_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct runway_state *s = BY_STATE(m, self, runway);
  struct runway_now *now = runway_view(m, s);
  by_keep(k, &s->active, sizeof s->active);
  by_keep(k, &s->returns, sizeof s->returns);
  by_keep(k, &s->denied, sizeof s->denied);
  by_keep(k, &now->requests, sizeof now->requests);
  by_keep_small(k, &now->holder);
  by_keep_small(k, &s->taken);
  by_keep_small(k, &s->windows_known);
  for (uint64_t left = s->active; left; left &= left - 1) runway_keep_row(m, self, (uint32_t)__builtin_ctzll(left), k);
  for (uint32_t left = s->wired; left; left &= left - 1) runway_keep_agent(m, s, (uint32_t)__builtin_ctz(left), k);
}
