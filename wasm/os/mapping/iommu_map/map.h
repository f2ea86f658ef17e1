/*
 * The pooled allocator of I/O page table entries, step by step as in Linux 4.1.
 *
 *     entry 0                                                            entries
 *     | pool 0      | pool 1      | ...          | large pool (optional)  |
 *     |##.###....^..|####^........|              |########..^.............|     # handed out
 *                `-- hint: where the next search starts                         one lock per pool
 *
 * A request for n entries looks for n zero bits in a row, from the hint of its CPU's pool to the pool's
 * end, then once more from the pool's start, then in the other pools in turn. Every time it goes to
 * another pool it gives up one lock and takes another, so an allocation is not a function but a small
 * machine: map_begin says which lock it needs first, and each map_search_step, called with that lock held,
 * either ends it or says which lock it needs next. A simulation lets time pass in between, a replay does not,
 * and a model checker lets other threads go first.
 *
 * Cached translations need a flush before an entry is used for another page. With lazy flush (RULE_LAZY)
 * none is made when an entry is freed: entries are handed out from left to right, so one that was freed
 * behind the hint is not met again before the search has come round, and coming round sets a flag that
 * asks for a flush. RULE_FLUSH_AHEAD adds what that reasoning forgets: an entry freed ahead of the hint.
 *
 * All state lies in the three arrays of a map_table, as fixed-width integers without pointers; the
 * table of pointers itself is made anew for each call.
 */
#ifndef SIM_IOMMU_MAP_H
#define SIM_IOMMU_MAP_H

#include "gen/abi.h"

#include <stdint.h>

#define MAP_POOLS 16u            /* most pools, besides the large one */
#define MAP_LARGE 16u            /* number of the large pool */
#define MAP_STRETCHES 64u        /* stretches of the table that can be reserved */
#define MAP_ROWS (MAP_POOLS + 1) /* rows of the pool array */
#define MAP_CUTOFF 15u           /* a request for more entries than this goes to the large pool, by default */
#define MAP_NONE UINT64_MAX      /* no entry: also the error value of an allocation */
#define MAP_ORDERS 16u           /* alignments, 1 to 32768 entries, for which a replay remembers what fits */
#define MAP_PROBES 64u           /* number of candidates of the last search kept for display */

/* Large and called from several places: kept as one copy. */
#define MAP_OUT_OF_LINE __attribute__((noinline))
#if defined(__clang__)
#define MAP_SMALL __attribute__((minsize, noinline)) /* rarely called */
#else
#define MAP_SMALL __attribute__((noinline))
#endif

/* The behaviour of a table. With none of the bits from RULE_END_EXCLUSIVE on: as in Linux 4.1. */
/* One candidate of a search: zero bit at `index`; `blocked` is the set bit in its way, or the same as index.
 */
struct map_probe {
  uint32_t index;
  uint32_t blocked;
};

/* The last search. `count` candidates, of which the first MAP_PROBES are kept; `result` is cut to 32 bits. */
struct map_last {
  uint32_t count;
  uint32_t start;
  uint32_t limit;
  uint32_t pages;
  uint32_t pool;
  uint32_t words;
  uint32_t cpu;
  uint32_t result;
};

/*
 * Checking: the flush flag as a word that other CPUs change meanwhile. Each load, store and flush is an
 * operation of its own; `loads` holds what the first `count` of them are to read, one bit each. The run
 * stops meaning anything at the first operation beyond, which is noted in `next`.
 */
struct map_script {
  uint32_t count;
  uint32_t loads;
  uint32_t at;
  uint32_t next;
  uint32_t value; /* what a store would write */
};
enum map_flag_op { MAP_FLAG_NONE, MAP_FLAG_LOAD, MAP_FLAG_STORE, MAP_FLAG_FLUSH };

struct map_table {
  struct map_head *head;
  struct map_pool *pools;
  uint64_t *bits;
  uint32_t *freed;       /* per entry: flushes so far + 1 at its latest free; NULL = not recorded */
  struct map_last *last; /* NULL = not recorded, and no probes either */
  struct map_probe *probes;
  struct map_script *script; /* NULL = no interference with the flush flag */
  uint16_t *
      bounds; /* MAP_ORDERS for each block of 512 entries, for replays; NULL = each search reads every word */
};

enum map_stage { MAP_OWN, MAP_NEIGHBOUR, MAP_MOVED, MAP_LAST };

/* An allocation in progress. The caller fills in the first two lines. */
struct map_request {
  uint64_t pages;
  uint64_t mask;
  uint64_t handle;
  uint32_t cpu;
  uint32_t hash;
  uint32_t align;
  uint32_t has_handle;
  uint64_t start;
  uint64_t limit;
  uint64_t result;
  uint64_t words;
  uint32_t number; /* the loop variable over the pools */
  uint32_t pool;   /* the one whose lock is held */
  uint32_t pass;
  uint32_t stage;
  uint32_t locks;
  uint32_t large;
  uint32_t rescan;
  uint32_t flushed;
  uint32_t fatal;
  uint32_t spare;
};

enum map_step { MAP_LOCK, MAP_GOT, MAP_FAILED };

/* 64-bit words of the bitmap of a table. */
static inline uint32_t map_words(uint32_t entries) { return (entries + 63) / 64; }

#endif
