/* What the bus's state is made of, for exploring (core/keep.h). A request is one step there, however many accesses it is made of. */
#include "core/keep.h"

static uint32_t memory_bus_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}

static void memory_bus_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct memory_bus_now *now = memory_bus_now_of(m, self);
  uint32_t *small[] = {&now->state, &now->master, &now->last, &now->accesses};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
  for (uint32_t i = 0; i < MEMORY_BUS_MASTERS; i++) {
    memory_bus_row *row = memory_bus_row_of(m, self, i);
    if (!by_wired(m, self, MEMORY_BUS_PORT_MASTER + i)) continue;
    by_keep_small(k, &row->wants);
    if (!row->wants) continue;
    uint32_t *own[] = {&row->left, &row->access, &row->gone};
    for (uint32_t n = 0; n < sizeof own / sizeof *own; n++) by_keep_small(k, own[n]);
    by_keep_word(k, &row->write);
    by_keep_addr(k, &row->address);
    by_keep_addr(k, &row->first);
  }
  if (k->reading && now->state) BY_STATE(m, self, memory_bus)->timer = by_pending_name(m, self, MEMORY_BUS_END);
}
