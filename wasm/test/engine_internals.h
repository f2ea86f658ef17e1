/* For unit tests of engine internals: queue, explorer and invariants in isolation, beside the engine that is
 * linked to. Where both define a symbol, the linker takes the test's. */
#ifndef SIM_INSIDE_H
#define SIM_INSIDE_H

#include "test/testing.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" /* each test calls some of it */
#include "core/queue.c"

#include "verify/explore.c"
#pragma GCC diagnostic pop

#endif
