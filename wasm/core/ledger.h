/*
 * Data as one thing. What is written is known by the number of its write, so data is a span: an address, bytes, and the
 * numbers of the writes that made them, one for each grain. A ledger is the memory of an observer who sees all. For
 * each grain of a memory that is followed it knows
 *
 *     write     what lies there
 *     newest    what should: the newest write that was meant for it, wherever that is by now
 *
 * It is no part of the hardware. Whoever reads data, from a cache, a buffer of a bridge, a card's memory or from here,
 * can hold it to the newest write of its place, and that is how all these are seen:
 *
 *     old data             a reader got a write that is not the newest
 *     a lost update        what lay in memory was the newest, and an older write has come over it
 *     a torn transfer      some of what was read is the newest, some is older
 *     a neighbour's loss   a write that was meant for another place lies here
 *
 * Every memory has one, in the grain in which its bus moves data: 4 B of PCI and of a card, 16 B of Runway, or what the
 * scenario chooses. Where nothing is followed it has no cells, and nothing is looked up.
 */
#ifndef SIM_CORE_LEDGER_H
#define SIM_CORE_LEDGER_H

#include "core/engine.h"

struct ledger_cell {
  uint32_t write, newest;
};

struct ledger {
  uint64_t from;
  uint32_t at, cells;
  uint32_t shift; /* a grain has 1 << shift bytes */
  uint32_t apart; /* an access has gone astray: from then on what lies in memory may not be what belongs there */
};

/* Where an access that went astray should have gone, if nothing is mapped at its address any more. */
#define LEDGER_NOWHERE UINT64_MAX
#define LEDGER_WORD 4u /* messages carry an identity for each */

static inline struct ledger ledger_of(sim *m, const void *cells, uint64_t from, uint32_t count, uint32_t grain) {
  return (struct ledger){from, sim_offset(m, cells), count, (uint32_t)__builtin_ctz(grain), 0};
}

/* The cell of an address, where grains have 1 << shift bytes; a null pointer where nothing is followed. */
static inline struct ledger_cell *ledger_cell_in(sim *m, const struct ledger *l, uint64_t address, uint32_t shift) {
  uint64_t index = (address - l->from) >> shift;
  return index < l->cells ? (struct ledger_cell *)sim_at(m, l->at) + index : NULL;
}
static inline struct ledger_cell *ledger_cell(sim *m, const struct ledger *l, uint64_t address) { return ledger_cell_in(m, l, address, l->shift); }

/* A write lies where it belongs. */
static inline void ledger_settle(struct ledger_cell *c, uint32_t write) { c->write = c->newest = write; }

/* Data comes home that was written earlier. Answers the newest write if that lay here and is lost by it, else 0. */
static inline uint32_t ledger_return(struct ledger_cell *c, uint32_t write) {
  uint32_t lost = c->write == c->newest && write < c->newest ? c->newest : 0;
  c->write = write;
  return lost;
}

/* Software threw the newest data away: what lies there is the newest again. */
static inline void ledger_forget(struct ledger_cell *c) { c->newest = c->write; }

/* The words of [address, address + bytes) that are followed: how many, which is the first, and how many come before it. No
   more than there are identities for, where an access is not aligned. */
static inline uint32_t ledger_words(const struct ledger *l, uint64_t address, uint32_t bytes, uint64_t *first, uint32_t *skip) {
  if (l->cells == 0) return 0;
  uint64_t end = l->from + ((uint64_t)l->cells << l->shift), a = sim_max(address, l->from), b = sim_min(address + bytes, end);
  if (a >= b) return 0;
  *first = a & ~(uint64_t)(LEDGER_WORD - 1);
  *skip = (uint32_t)((a - address) / LEDGER_WORD);
  return (uint32_t)sim_min((b - *first + LEDGER_WORD - 1) / LEDGER_WORD, (bytes + LEDGER_WORD - 1) / LEDGER_WORD - *skip);
}

/* Those words' cells, of which some may share one. */
struct ledger_row {
  struct ledger_cell *cells;
  uint64_t word;
  uint32_t shift;
};

static inline struct ledger_row ledger_row(sim *m, const struct ledger *l, uint64_t first) {
  return (struct ledger_row){sim_at(m, l->at), (first - l->from) / LEDGER_WORD, l->shift - (uint32_t)__builtin_ctz(LEDGER_WORD)};
}
static inline struct ledger_cell *ledger_word(const struct ledger_row *row, uint32_t i) { return row->cells + ((row->word + i) >> row->shift); }

/* What lies in a span. */
static inline void ledger_give(sim *m, const struct ledger *l, uint64_t address, uint32_t bytes, uint32_t *writes) {
  uint64_t first = 0;
  uint32_t skip = 0, n = ledger_words(l, address, bytes, &first, &skip);
  struct ledger_row row = ledger_row(m, l, first);
  for (uint32_t i = 0; i < n; i++) writes[skip + i] = ledger_word(&row, i)->write;
}

/* A span has come to where it belongs. */
static inline void ledger_take(sim *m, const struct ledger *l, uint64_t address, uint32_t bytes, const uint32_t *writes) {
  uint64_t first = 0;
  uint32_t skip = 0, n = ledger_words(l, address, bytes, &first, &skip);
  struct ledger_row row = ledger_row(m, l, first);
  for (uint32_t i = 0; i < n; i++) ledger_settle(ledger_word(&row, i), writes[skip + i]);
}

/* A span was stored by somebody who names no writes: each grain is a new one. */
static inline void ledger_renew(sim *m, const struct ledger *l, uint64_t address, uint32_t bytes) {
  uint64_t first = 0;
  uint32_t skip = 0, n = ledger_words(l, address, bytes, &first, &skip);
  struct ledger_cell *before = NULL;
  struct ledger_row row = ledger_row(m, l, first);
  for (uint32_t i = 0; i < n; i++) {
    struct ledger_cell *c = ledger_word(&row, i);
    if (c != before) ledger_settle(c, sim_new_write(m));
    before = c;
  }
}

/* What of a span is old. */
struct ledger_old {
  uint32_t words, of; /* words that are not the newest, of how many that are followed */
  uint64_t at;        /* the first of them: where, what was got, and the newest */
  uint32_t got, newest;
};

/* Without identities it is asked what lies there. */
static inline struct ledger_old ledger_compare(sim *m, const struct ledger *l, uint64_t address, uint32_t bytes, const uint32_t *writes) {
  uint64_t first = 0;
  uint32_t skip = 0;
  struct ledger_old old = {.of = ledger_words(l, address, bytes, &first, &skip)};
  struct ledger_row row = ledger_row(m, l, first);
  for (uint32_t i = 0; i < old.of; i++) {
    const struct ledger_cell *c = ledger_word(&row, i);
    uint32_t got = writes ? writes[skip + i] : c->write;
    if (got == c->newest) continue;
    if (old.words++ == 0) old.at = first + i * LEDGER_WORD, old.got = got, old.newest = c->newest;
  }
  return old;
}

/*
 * An access to `address` was meant for another place. A write lies here now, and does not belong here, and where it belongs it
 * is missing; without identities each grain is a new write. A read got what lies here instead of what it was for. Answers
 * in how many grains somebody's data was overwritten, or another's was read.
 */
static inline struct ledger_old ledger_astray(sim *m, struct ledger *l, uint64_t address, uint64_t meant, uint32_t bytes, int write, const uint32_t *writes) {
  uint64_t first = 0;
  uint32_t skip = 0, n = ledger_words(l, address, bytes, &first, &skip);
  struct ledger_old old = {0};
  struct ledger_cell *before = NULL;
  l->apart = 1;
  for (uint32_t i = 0; i < n; i++) {
    struct ledger_cell *here = ledger_cell(m, l, first + i * LEDGER_WORD);
    struct ledger_cell *home = meant == LEDGER_NOWHERE ? NULL : ledger_cell(m, l, meant + (first - address) + i * LEDGER_WORD);
    if (here == before && !writes) continue;
    uint32_t newest = write ? here->newest : home ? home->newest : 0, got = write ? writes ? writes[skip + i] : sim_new_write(m) : here->write;
    if (here != before && newest != got && (newest || !write)) {
      if (old.words++ == 0) old.at = first + i * LEDGER_WORD, old.got = got, old.newest = newest;
    }
    old.of += here != before;
    before = here;
    if (!write) continue;
    here->write = got;
    if (home) home->newest = got;
  }
  return old;
}

#endif
