/* The whole engine as one translation unit, so that the compiler can optimise across layers. */
#include "gen/registry.h"

#include "gen/calls.h"

#include "core/queue.c"
#include "core/explore_step.c"
#include "core/trace.c"
#include "core/load.c"
#include "core/run.c"
