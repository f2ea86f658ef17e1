/* Explorations that end, for tests in C. */
#ifndef SIM_TEST_EXPLORED_H
#define SIM_TEST_EXPLORED_H

#include "include/explore.h"

#define ROOM (64ull << 20)

/* What is found from the state of a machine on. */
static inline const struct sim_explored *explored_from(sim *m) {
  static uint64_t *work;
  if (!work) work = malloc(ROOM);
  memset(work, 0, ROOM);
  sim_explore_begin(m, work, ROOM);
  const struct sim_explored *r = sim_explore(m, work, 100000);
  for (uint32_t more = 0; r->end == EXPLORE_MORE; more++) {
    assert_true(more < 10); /* fewer than a million transitions */
    r = sim_explore(m, work, 100000);
  }
  return r;
}

#endif
