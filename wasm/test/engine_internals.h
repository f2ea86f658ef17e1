/*
 * For unit tests of what lies inside the engine: its queue, its explorer and its invariants by themselves,
 * beside the engine that is linked to. Of what both have, the linker takes the test's.
 */
#ifndef SIM_INSIDE_H
#define SIM_INSIDE_H

#include "test/testing.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" /* each test calls some of it */
#include "core/queue.c"

#include "verify/explore.c"
#pragma GCC diagnostic pop

#endif
