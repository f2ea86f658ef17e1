/*
 * Data in the simulator. A write is identified by its number, so data is a span: an address, a size and the
 * numbers of the writes that produced it, one per grain. A shadow memory is the memory of an omniscient
 * observer. For each grain of a tracked memory it keeps
 *
 *     write     what lies there
 *     newest    what should: the newest write that was meant for it, wherever that is by now
 *
 * It is not part of the hardware. Any reader of data, from a cache, a bridge buffer, a card's memory or this
 * memory, can compare it with the newest write to its location. This detects:
 *
 *     old data             a reader got a write that is not the newest
 *     a lost update        what lay in memory was the newest, and an older write has come over it
 *     a torn transfer      some of what was read is the newest, some is older
 *     a neighbour's loss   a write that was meant for another place lies here
 *
 * Every memory has one, in the granularity of its bus: 4 B for PCI and cards, 16 B for Runway, or the
 * scenario's choice. Without tracking it has no cells, and nothing is looked up.
 */
#ifndef SIM_CORE_LEDGER_H
#define SIM_CORE_LEDGER_H

#include "core/engine.h"

struct shadow_word {
  uint32_t write;
  uint32_t newest;
};

struct shadow_memory {
  uint64_t from;
  uint32_t at;
  uint32_t cells;
  uint32_t shift; /* a grain has 1 << shift bytes */
  uint32_t apart; /* an access was misdirected: from then on memory may hold data that belongs elsewhere */
};

/* Intended address of a misdirected access if nothing is mapped at its address any more. */
#define SHADOW_NONE UINT64_MAX
#define SHADOW_WORD_BYTES 4u /* messages carry one identity per grain */

static inline struct shadow_memory shadow_of(
    sim *m, const void *cells, uint64_t from, uint32_t count, uint32_t grain) {
  return (struct shadow_memory){from, sim_offset(m, cells), count, (uint32_t)__builtin_ctz(grain), 0};
}

/* The cell of an address, for grains of 1 << shift bytes; NULL if it is not tracked. */
static inline struct shadow_word *shadow_word_in(
    sim *m, const struct shadow_memory *l, uint64_t address, uint32_t shift) {
  uint64_t index = (address - l->from) >> shift;
  return index < l->cells ? (struct shadow_word *)sim_at(m, l->at) + index : NULL;
}
static inline struct shadow_word *shadow_word(sim *m, const struct shadow_memory *l, uint64_t address) {
  return shadow_word_in(m, l, address, l->shift);
}

/* Records a write at its own location. */
static inline void shadow_commit(struct shadow_word *c, uint32_t write) { c->write = c->newest = write; }

/* Records that earlier written data reached memory. Returns the newest write if memory held it and it is
   overwritten by older data, else 0. */
static inline uint32_t shadow_read_done(struct shadow_word *c, uint32_t write) {
  uint32_t lost = c->write == c->newest && write < c->newest ? c->newest : 0;
  c->write = write;
  return lost;
}

/* Records that software discarded the newest data: the write in memory is the newest again. */
static inline void shadow_discard(struct shadow_word *c) { c->newest = c->write; }

/* The tracked words of [address, address + bytes): number, first word, and number of untracked words before
   it. At most as many as there are identities, if an access is not aligned. */
static inline uint32_t shadow_word_count(
    const struct shadow_memory *l, uint64_t address, uint32_t bytes, uint64_t *first, uint32_t *skip) {
  if (l->cells == 0) return 0;
  uint64_t end = l->from + ((uint64_t)l->cells << l->shift), a = sim_max(address, l->from),
           b = sim_min(address + bytes, end);
  if (a >= b) return 0;
  *first = a & ~(uint64_t)(SHADOW_WORD_BYTES - 1);
  *skip = (uint32_t)((a - address) / SHADOW_WORD_BYTES);
  return (uint32_t)sim_min((b - *first + SHADOW_WORD_BYTES - 1) / SHADOW_WORD_BYTES,
      (bytes + SHADOW_WORD_BYTES - 1) / SHADOW_WORD_BYTES - *skip);
}

/* The cells of these words; words can share a cell. */
struct shadow_row {
  struct shadow_word *cells;
  uint64_t word;
  uint32_t shift;
};

static inline struct shadow_row shadow_row(sim *m, const struct shadow_memory *l, uint64_t first) {
  return (struct shadow_row){sim_at(m, l->at), (first - l->from) / SHADOW_WORD_BYTES,
      l->shift - (uint32_t)__builtin_ctz(SHADOW_WORD_BYTES)};
}
static inline struct shadow_word *shadow_word_at(const struct shadow_row *row, uint32_t i) {
  return row->cells + ((row->word + i) >> row->shift);
}

/* Reads the writes in a span. */
static inline void shadow_read(
    sim *m, const struct shadow_memory *l, uint64_t address, uint32_t bytes, uint32_t *writes) {
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(l, address, bytes, &first, &skip);
  struct shadow_row row = shadow_row(m, l, first);
  for (uint32_t i = 0; i < n; i++) writes[skip + i] = shadow_word_at(&row, i)->write;
}

/* Records that a span reached its own location. */
static inline void shadow_write(
    sim *m, const struct shadow_memory *l, uint64_t address, uint32_t bytes, const uint32_t *writes) {
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(l, address, bytes, &first, &skip);
  struct shadow_row row = shadow_row(m, l, first);
  for (uint32_t i = 0; i < n; i++) shadow_commit(shadow_word_at(&row, i), writes[skip + i]);
}

/* Records a store without identities: each grain is a new write. */
static inline void shadow_replace(sim *m, const struct shadow_memory *l, uint64_t address, uint32_t bytes) {
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(l, address, bytes, &first, &skip);
  struct shadow_word *before = NULL;
  struct shadow_row row = shadow_row(m, l, first);
  for (uint32_t i = 0; i < n; i++) {
    struct shadow_word *c = shadow_word_at(&row, i);
    if (c != before) shadow_commit(c, sim_new_write(m));
    before = c;
  }
}

/* The stale part of a span. */
struct shadow_stale {
  /* number of stale words, and of tracked words */
  uint32_t words;
  uint32_t of;
  uint64_t at; /* the first stale word: position, write read, newest write */
  uint32_t got;
  uint32_t newest;
};

/* Compares a span with the newest writes; without identities the contents of memory are compared. */
static inline struct shadow_stale shadow_check_current(
    sim *m, const struct shadow_memory *l, uint64_t address, uint32_t bytes, const uint32_t *writes) {
  uint64_t first = 0;
  uint32_t skip = 0;
  struct shadow_stale old = {.of = shadow_word_count(l, address, bytes, &first, &skip)};
  struct shadow_row row = shadow_row(m, l, first);
  for (uint32_t i = 0; i < old.of; i++) {
    const struct shadow_word *c = shadow_word_at(&row, i);
    uint32_t got = writes ? writes[skip + i] : c->write;
    if (got == c->newest) continue;
    if (old.words++ == 0) old.at = first + i * SHADOW_WORD_BYTES, old.got = got, old.newest = c->newest;
  }
  return old;
}

/*
 * Records a misdirected access to `address`. A write is stored here, does not belong here, and is missing at
 * its own location; without identities each grain is a new write. A read returned this location's data
 * instead of its own. Returns the number of grains in which another owner's data was overwritten or read.
 */
static inline struct shadow_stale shadow_misdirected(sim *m, struct shadow_memory *l, uint64_t address,
    uint64_t meant, uint32_t bytes, int write, const uint32_t *writes) {
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(l, address, bytes, &first, &skip);
  struct shadow_stale old = {0};
  struct shadow_word *before = NULL;
  l->apart = 1;
  for (uint32_t i = 0; i < n; i++) {
    struct shadow_word *here = shadow_word(m, l, first + i * SHADOW_WORD_BYTES);
    struct shadow_word *home =
        meant == SHADOW_NONE ? NULL : shadow_word(m, l, meant + (first - address) + i * SHADOW_WORD_BYTES);
    if (here == before && !writes) continue;
    uint32_t newest = write  ? here->newest
                      : home ? home->newest
                             : 0,
             got = write ? writes ? writes[skip + i] : sim_new_write(m) : here->write;
    if (here != before && newest != got && (newest || !write)) {
      if (old.words++ == 0) old.at = first + i * SHADOW_WORD_BYTES, old.got = got, old.newest = newest;
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
