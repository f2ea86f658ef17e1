/* For unit tests in C: a bridge between HSC and PCI where nothing runs, which is asked by hand from either side. */
#ifndef SIM_STILL_BRIDGE_MACHINE_H
#define SIM_STILL_BRIDGE_MACHINE_H

#include "test/bridged_machine.h"

#define ENGINE test_engine()
#define STATE SIM_STATE(ENGINE, BRIDGE_PART, hsc_pci)
#define NOW hsc_pci_view(ENGINE, STATE)
#define LINES hsc_pci_lines(ENGINE, STATE)
#define POSTS hsc_pci_posts(ENGINE, STATE)
#define ACCESSES hsc_pci_accesses(ENGINE, STATE)

/* Eight lines, four posts, three accesses: both buses are only asked, and seen to be. */
static struct bridged still(uint64_t prefetch) {
  struct bridged g = bridged_defaults();
  g.bridge.prefetch = prefetch, g.bridge.lines = 8, g.bridge.posts = 4, g.bridge.accesses = 3;
  run_bridged(&g);
  ENGINE->time = 1000, ENGINE->cause = 0;
  return g;
}

#endif
