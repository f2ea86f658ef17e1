/* An I/O adapter whose devices have finished, to be driven through its ports. For unit tests in C. */
#ifndef SIM_TEST_ADAPTER_H
#define SIM_TEST_ADAPTER_H

#include "test/devices.h"

#define ENGINE test_engine()
#define self part_named("adapter")
#define STATE STATE_OF("adapter", io_adapter)
#define NOW adapter_now(ENGINE, CONTEXT_OF("adapter", io_adapter))
#define REQUESTS adapter_requests(ENGINE, CONTEXT_OF("adapter", io_adapter))
#define AHEAD(slot) adapter_prefetch(ENGINE, CONTEXT_OF("adapter", io_adapter), slot)
#define COUNT(name) (COUNTERS("adapter", io_adapter)->name)

static void begun(void) {
  hp_run();
  ENGINE->cause = 0;
}

#endif
