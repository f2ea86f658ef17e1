/* A PCI bridge in an HSC slot, with another master and a GT card behind it: for tests in C. */
#ifndef SIM_BRIDGED_MACHINE_H
#define SIM_BRIDGED_MACHINE_H

#include "test/hp_machine.h"

enum { ADAPTER_PART = 4, HSC_PART, BRIDGE_PART, PCI_PART, PEER_PART, CARD_PART, PARTS };
#define AT 0x3000ull /* I/O address of the pages that are mapped, two of them */
#define INTERRUPT 0xfff80000ull

struct bridged {
  struct hp_machine host;
  struct hsc_pci_params bridge;
  struct pci_params pci;
  struct peer_params peer;
  struct gt_params card;
};

static inline struct bridged bridged_defaults(void) {
  struct bridged g = {hp_machine_defaults(1, 0), HSC_PCI_DEFAULTS, PCI_DEFAULTS, PEER_DEFAULTS, GT_DEFAULTS};
  g.host.memory.written = 1;
  g.host.cache.interrupt = g.bridge.interrupt = INTERRUPT;
  g.card.tracked = 4096;
  g.peer.blocks = 0;
  return g;
}

static inline const struct session *bridged_session(const struct bridged *g) {
  static struct session s;
  s = session_new(PARTS, 4 + 8, 16);
  hp_machine_parts(&s, &g->host);
  HP_PART(&s, SIM_TYPE_IO_ADAPTER, g->host.adapter);
  HP_PART(&s, SIM_TYPE_HSC, g->host.hsc);
  HP_PART(&s, SIM_TYPE_HSC_PCI, g->bridge);
  HP_PART(&s, SIM_TYPE_PCI, g->pci);
  HP_PART(&s, SIM_TYPE_PEER, g->peer);
  HP_PART(&s, SIM_TYPE_GT, g->card);
  hp_machine_wires(&s, &g->host);
  session_wire(&s, ADAPTER_PART, IO_ADAPTER_PORT_BUS, BUS, RUNWAY_PORT_AGENT + ADAPTER_AGENT);
  session_wire(&s, HSC_PART, HSC_PORT_ADAPTER, ADAPTER_PART, IO_ADAPTER_PORT_HSC);
  session_wire(&s, BRIDGE_PART, HSC_PCI_PORT_HSC, HSC_PART, HSC_PORT_SLOT);
  session_wire(&s, BRIDGE_PART, HSC_PCI_PORT_PCI, PCI_PART, PCI_PORT_SLOT);
  session_wire(&s, PEER_PART, PEER_PORT_PCI, PCI_PART, PCI_PORT_SLOT + 1);
  session_wire(&s, CARD_PART, GT_PORT_PCI, PCI_PART, PCI_PORT_SLOT + 2);
  session_wire(&s, PEER_PART, PEER_PORT_IRQ, BRIDGE_PART, HSC_PCI_PORT_IRQ);
  session_wire(&s, CPU(0), PROCESSOR_PORT_IRQ, CACHE(0), SNOOP_CACHE_PORT_IRQ);
  return &s;
}

static inline void open_bridged(const struct bridged *g) {
  assert_int_equal(session_open(bridged_session(g)), SIM_OK);
  for (uint32_t page = 0; page < 2; page++) hp_map(&g->host, AT + page * PAGE, BASE + page * PAGE, 0);
}

static inline void run_bridged(const struct bridged *g) {
  open_bridged(g);
  session_run();
}

#define SAID(name) (HP_COUNTERS(BRIDGE_PART, hsc_pci)->name)

#endif
