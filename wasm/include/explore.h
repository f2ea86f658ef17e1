/*
 * Exhaustive exploration of every state reachable by any order of events and any free choice, on the
 * production code. All parts of the machine must be serializable (core/state_codec.h).
 *
 * The host supplies one block of memory. Exploration can be done in portions: sim_explore returns after
 * `transitions` more, and continues when called again.
 */
#ifndef SIM_EXPLORE_H
#define SIM_EXPLORE_H

#include "include/busyard.h"

/* Starts an exploration with `bytes` of memory at `work`, aligned to 8, all zero. */
void sim_explore_begin(sim *m, void *work, uint64_t bytes);
/* Continues for about `transitions` transitions. The result is in `work`. */
const struct sim_explored *sim_explore(sim *m, void *work, uint32_t transitions);

#endif
