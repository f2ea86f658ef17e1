/*
 * Exhaustive exploration: every state that any order of events and any free choice can lead to, on the
 * code that also runs. The engine must hold a machine whose parts can be kept apart (core/keep.h).
 *
 * The host gives one piece of memory. Exploring may be done in portions: by_explore returns after
 * `transitions` more, and goes on where it was when called again.
 */
#ifndef BY_EXPLORE_H
#define BY_EXPLORE_H

#include "include/busyard.h"

#define EXPLORE_STEPS 512u

enum by_explore_end {
  EXPLORE_MORE = 0, /* call again */
  EXPLORE_COMPLETE, /* every state has been seen and every invariant holds */
  EXPLORE_BROKEN,   /* an invariant is broken; a shortest way to it is in `way`, unless it has more than EXPLORE_STEPS steps */
  EXPLORE_FULL,     /* the memory given is used up */
};

struct by_explored {
  uint32_t end, invariant, part, depth;
  uint32_t states, deadlocks;
  uint32_t transitions_lo, transitions_hi;
  uint32_t at_lo, at_hi;      /* address an invariant is about */
  uint32_t rules, taken_lo, taken_hi; /* rows of the protocol, and which of them some cache has taken */
  uint32_t waiting;           /* states found whose next steps have not been looked at */
  uint32_t way_length;        /* choices, one after another, as by_replay takes them */
  uint32_t steps;             /* events of the way */
  uint32_t way[EXPLORE_STEPS * 4];
};

/* Begins anew with `bytes` of memory at `work`, aligned to 8, all zero. */
void by_explore_begin(by *m, void *work, uint64_t bytes);
/* Goes on for about so many transitions. The result lies in `work`. */
const struct by_explored *by_explore(by *m, void *work, uint32_t transitions);

#endif
