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

/* Begins anew with `bytes` of memory at `work`, aligned to 8, all zero. */
void by_explore_begin(by *m, void *work, uint64_t bytes);
/* Goes on for about so many transitions. The result lies in `work`. */
const struct by_explored *by_explore(by *m, void *work, uint32_t transitions);

#endif
