/* The bridge between HSC and PCI on an idle machine, driven from either side. For unit tests in C. */
#ifndef SIM_TEST_HSC_PCI_STILL_H
#define SIM_TEST_HSC_PCI_STILL_H

#include "test/hsc_pci.h"

#define ENGINE test_engine()
#define STATE STATE_OF("bridge", hsc_pci)
#define NOW hsc_pci_view(ENGINE, STATE)
#define LINES hsc_pci_lines(ENGINE, CONTEXT_OF("bridge", hsc_pci))
#define POSTS hsc_pci_posts(ENGINE, STATE)
#define ACCESSES hsc_pci_accesses(ENGINE, CONTEXT_OF("bridge", hsc_pci))

/* Eight lines, four posts, three accesses. Requests to either bus are recorded but not served. */
static void still(uint64_t prefetch) {
  machine("hsc-to-pci");
  struct hsc_pci_params *bridge = PARAMS("bridge", hsc_pci);
  bridge->prefetch = prefetch, bridge->lines = 8, bridge->posts = 4, bridge->accesses = 3;
  run_bridged();
  ENGINE->time = 1000, ENGINE->cause = 0;
}

#endif
