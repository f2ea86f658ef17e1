/*
 * Exhaustive exploration: every state that any order of events and any free choice can lead to, on the
 * code that also runs. The engine must hold a machine whose parts can be kept apart (core/state_codec.h).
 *
 * The host gives one piece of memory. Exploring may be done in portions: sim_explore returns after
 * `transitions` more, and goes on where it was when called again.
 */
#ifndef SIM_EXPLORE_H
#define SIM_EXPLORE_H

#include "include/busyard.h"

/* Begins anew with `bytes` of memory at `work`, aligned to 8, all zero. */
void sim_explore_begin(sim *m, void *work, uint64_t bytes);
/* Goes on for about so many transitions. The result lies in `work`. */
const struct sim_explored *sim_explore(sim *m, void *work, uint32_t transitions);

#endif
