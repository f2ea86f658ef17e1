/* For unit tests in C: a machine whose devices have run, and whose I/O adapter is then asked by hand. */
#ifndef SIM_ADAPTER_MACHINE_H
#define SIM_ADAPTER_MACHINE_H

#include "test/devices_machine.h"

#define ENGINE test_engine()
#define STATE SIM_STATE(ENGINE, self, io_adapter)
#define NOW adapter_now(ENGINE, STATE)
#define REQUESTS adapter_requests(ENGINE, STATE)
#define AHEAD(slot) adapter_prefetch(ENGINE, STATE, slot)
#define COUNT(name) (HP_COUNTERS(self, io_adapter)->name)

static uint32_t self; /* the adapter */

static void begun(const struct hp_machine *g) {
  hp_open(g);
  session_run();
  self = ADAPTER(g);
  ENGINE->cause = 0;
}

#endif
