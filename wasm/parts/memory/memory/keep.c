/* What lies in memory, for exploring (core/keep.h): the grains that somebody has written. */
#include "core/keep.h"

static void memory_keep(by *m, uint32_t self, struct by_keeper *k) {
  const struct ledger *ledger = &BY_STATE(m, self, memory)->ledger;
  struct ledger_cell *cell = by_at(m, ledger->at);
  uint32_t written = 0;
  for (uint32_t i = 0; i < ledger->cells; i++) {
    if (k->reading) ledger_settle(cell + i, 0);
    else written += cell[i].newest != 0;
  }
  by_keep_small(k, &written);
  for (uint32_t i = 0, at = 0; i < written; i++, at++) {
    while (!k->reading && cell[at].newest == 0) at++;
    by_keep_short(k, &at);
    by_keep_word(k, &cell[at].write);
    by_keep_word(k, &cell[at].newest);
  }
}
