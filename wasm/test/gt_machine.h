/* SystemA with one GT card, for tests in C: the wiring of scenarios/machines/gt-system-a.json. */
#ifndef SIM_GT_MACHINE_H
#define SIM_GT_MACHINE_H

#include "test/testing.h"

enum gt_machine_part { CPU, CACHE, BRIDGE, MEMORY, BUS, CARD, RING, DRIVER, PEER, GT_MACHINE_PARTS };

#define ROW_FIELDS 8u
#define CARD_BASE 0x80000000ull

/* One row of a program: do, from, to, bytes, width, time, count, tag. */
#define ROW(op, from, to, bytes, time, count, tag) PROCESSOR_OP_##op, from, to, bytes, 4, time, count, tag

struct gt_machine {
  struct processor_params cpu;
  struct cache_params cache;
  struct bridge_params bridge;
  struct memory_params memory;
  struct pci_params bus;
  struct gt_params card;
  struct ring_params ring;
  struct gt_driver_params driver;
  struct peer_params peer;
};

static inline struct gt_machine gt_machine_defaults(void) {
  return (struct gt_machine){PROCESSOR_DEFAULTS, CACHE_DEFAULTS, BRIDGE_DEFAULTS, MEMORY_DEFAULTS, PCI_DEFAULTS, GT_DEFAULTS, RING_DEFAULTS, GT_DRIVER_DEFAULTS, PEER_DEFAULTS};
}

#define GT_PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

static inline struct session gt_machine_session(const struct gt_machine *g, const uint64_t *program, uint32_t rows) {
  struct session s = session_new(GT_MACHINE_PARTS, 10, 12);
  GT_PART(&s, SIM_TYPE_PROCESSOR, g->cpu);
  session_table(&s, program, rows, ROW_FIELDS);
  GT_PART(&s, SIM_TYPE_CACHE, g->cache);
  GT_PART(&s, SIM_TYPE_BRIDGE, g->bridge);
  GT_PART(&s, SIM_TYPE_MEMORY, g->memory);
  GT_PART(&s, SIM_TYPE_PCI, g->bus);
  GT_PART(&s, SIM_TYPE_GT, g->card);
  GT_PART(&s, SIM_TYPE_RING, g->ring);
  GT_PART(&s, SIM_TYPE_GT_DRIVER, g->driver);
  GT_PART(&s, SIM_TYPE_PEER, g->peer);
  session_wire(&s, CPU, PROCESSOR_PORT_FRONT, BRIDGE, BRIDGE_PORT_CPU);
  session_wire(&s, CPU, PROCESSOR_PORT_CACHE, CACHE, CACHE_PORT_CPU);
  session_wire(&s, CPU, PROCESSOR_PORT_OS, DRIVER, GT_DRIVER_PORT_CPU);
  session_wire(&s, CPU, PROCESSOR_PORT_IRQ, CARD, GT_PORT_IRQ);
  session_wire(&s, CPU, PROCESSOR_PORT_IRQ + 1, PEER, PEER_PORT_IRQ);
  session_wire(&s, BRIDGE, BRIDGE_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(&s, BRIDGE, BRIDGE_PORT_PCI, BUS, PCI_PORT_SLOT);
  session_wire(&s, CARD, GT_PORT_PCI, BUS, PCI_PORT_SLOT + 1);
  session_wire(&s, CARD, GT_PORT_LINK, RING, RING_PORT_CARD);
  session_wire(&s, PEER, PEER_PORT_PCI, BUS, PCI_PORT_SLOT + 2);
  return s;
}

#define GT_COUNTERS(part, name) SIM_COUNTERS(test_engine(), part, name)

#endif
