/* The machine "hsc-to-pci": a PCI bridge in an HSC slot, with another master and a GT card behind it. For
 * unit tests in C. */
#ifndef SIM_TEST_HSC_PCI_H
#define SIM_TEST_HSC_PCI_H

#include "test/hp.h"

#define ADAPTER_PART part_named("adapter")
#define HSC_PART part_named("hsc")
#define BRIDGE_PART part_named("bridge")
#define PCI_PART part_named("bus")
#define PEER_PART part_named("peer")
#define CARD_PART part_named("gt")
#define AT 0x3000ull /* I/O address of the two mapped pages */
#define INTERRUPT 0xfff80000ull
#define COUNT(name) (COUNTERS("bridge", hsc_pci)->name)

static inline void open_bridged(void) {
  machine_open();
  for (uint32_t page = 0; page < 2; page++) hp_map(AT + page * PAGE, BASE + page * PAGE, 0);
}

static inline void run_bridged(void) {
  open_bridged();
  session_run();
}

#endif
