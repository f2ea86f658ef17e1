/* What the bus's state is made of, for exploration. Where a queue begins in its ring makes no difference. */
#include "core/keep.h"
#include "parts/bus/runway/runway.h"

/* A device's write counts once every agent has answered: until then what it replaces may be gone already. */
static void runway_keep_write(by *m, uint32_t self, transaction *row, struct by_keeper *k) {
  uint32_t newest[LINE_HALVES];
  struct ledger_look look = {.address = row->addr, .halves = newest};
  by_keep_write(k, &row->half_0, KEEP_COMING);
  by_keep_write(k, &row->half_1, KEEP_COMING);
  if (k->reading || !ask_ledger_look(m, self, RUNWAY_PORT_MEMORY, &look)) return;
  for (uint32_t half = 0; half < LINE_HALVES; half++)
    if (row->mask & 1u << half) by_keep_overwritten(k, newest[half]);
}

static void runway_keep_row(by *m, uint32_t self, uint32_t tid, struct by_keeper *k) {
  struct runway_state *s = BY_STATE(m, self, runway);
  transaction *row = runway_row(s, tid);
  by_keep_small(k, &row->phase);
  by_keep_small(k, &row->type);
  by_keep_small(k, &row->master);
  by_keep_small(k, &row->slot);
  by_keep_small(k, &row->shared);
  by_keep_small(k, &row->owner);
  by_keep_small(k, &row->behind);
  by_keep_small(k, &row->mask);
  by_keep_addr(k, &row->addr);
  by_keep_short(k, &row->index);
  by_keep_short(k, &row->waits);
  if (row->type == RUNWAY_WRITE32 || row->type == RUNWAY_WRITE16_PURGE) {
    runway_keep_write(m, self, row, k);
    return;
  }
  if (row->type == RUNWAY_SHORT_READ) { /* a register's value */
    by_keep_word(k, &row->half_0);
    return;
  }
  by_keep_write(k, &row->half_0, KEEP_DATA);
  by_keep_write(k, &row->half_1, KEEP_DATA);
}

static void runway_keep_agent(struct runway_state *s, uint32_t agent, struct by_keeper *k) {
  struct runway_agents *a = runway_agent(s, agent);
  by_keep_small(k, &a->waiting);
  by_keep_small(k, &a->stalled);
  by_keep_small(k, &a->pending);
  by_keep_small(k, &a->polled);
  if (k->reading) a->head = (s->tail - a->waiting) % RUNWAY_QUEUE;
  for (uint32_t i = 0; i < a->waiting; i++) by_keep_small(k, &s->queue[(a->head + i) % RUNWAY_QUEUE].transaction);
}

static void runway_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct runway_state *s = BY_STATE(m, self, runway);
  struct runway_now *now = runway_view(s);
  by_keep_long(k, &s->active);
  by_keep_long(k, &s->returns);
  by_keep_short(k, &s->denied);
  by_keep_short(k, &s->full);
  by_keep_short(k, &now->requests);
  by_keep_small(k, &now->holder);
  by_keep_small(k, &s->taken);
  by_keep_small(k, &s->windows_known);
  for (uint64_t left = s->active; left; left &= left - 1) runway_keep_row(m, self, (uint32_t)__builtin_ctzll(left), k);
  for (uint32_t left = s->wired; left; left &= left - 1) runway_keep_agent(s, (uint32_t)__builtin_ctz(left), k);
}
