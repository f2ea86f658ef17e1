/*
 * A small machine for exploration: caches, a prover, and optionally an adapter with its services, a card
 * behind a PCI bridge, or pages that are mapped individually. Wired like those that the page explores. For
 * tests in C.
 */
#ifndef SIM_SMALL_MACHINE_H
#define SIM_SMALL_MACHINE_H

#include "test/testing.h"

#define LINE 0x1000ull
#define IO_DIRECTORY 0x100000ull

enum { ALONE = 1, COHERENT };
enum { OWN = 1, POOLED }; /* whose addresses pages have */

struct small {
  uint32_t cpus;
  uint32_t adapter;
  uint32_t orders;
  uint32_t fault;
  uint32_t memory_fault;
  /* 0: the prover's default */
  uint32_t lines;
  uint32_t first_half;
  uint32_t contracts;
  uint32_t store_queue;
  uint32_t card; /* the mappings' contracts, as bits */
  uint32_t pages;
  const uint64_t *given; /* choices to make first */
  uint32_t choices;
  uint32_t bridge_lines; /* 0: one */
  uint64_t step;         /* time of a step; 0: the prover's default */
  uint64_t steps;        /* limit of steps; 0: the prover's default */
};
#define SMALL_INTERRUPT 0xfff80000ull

#define PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

static inline void small_bridge(struct session *s, const struct small *g) {
  struct hsc_params hsc = HSC_DEFAULTS;
  struct hsc_pci_params bridge = HSC_PCI_DEFAULTS;
  struct pci_params pci = PCI_DEFAULTS;
  bridge.lines = g->bridge_lines ? g->bridge_lines : 1, bridge.prefetch = 0, bridge.posts = 2,
  bridge.accesses = 2, bridge.interrupt = SMALL_INTERRUPT;
  PART(s, SIM_TYPE_HSC, hsc);
  PART(s, SIM_TYPE_HSC_PCI, bridge);
  PART(s, SIM_TYPE_PCI, pci);
}

static inline void small_pools(struct session *s) {
  struct iommu_map_params pools = IOMMU_MAP_DEFAULTS;
  pools.entries = 3, pools.page = 4096, pools.pools = 1, pools.spread = 0, pools.ends = IOMMU_MAP_ENDS_MENDED,
  pools.flush = IOMMU_MAP_FLUSH_LAZY_MENDED;
  PART(s, SIM_TYPE_IOMMU_MAP, pools);
}

static inline void small_part_list(struct session *s, const struct small *g) {
  struct memory_controller_params memory = MEMORY_CONTROLLER_DEFAULTS;
  struct runway_params bus = RUNWAY_DEFAULTS;
  struct snoop_cache_params cache = SNOOP_CACHE_DEFAULTS;
  struct io_adapter_params adapter = IO_ADAPTER_DEFAULTS;
  struct io_services_params services = IO_SERVICES_DEFAULTS;
  struct prover_params prover = PROVER_DEFAULTS;
  const uint64_t line = g->pages ? LINE + 4096 - RUNWAY_LINE : LINE; /* the second line is on the next page */
  memory.tracked_from = line, memory.tracked = g->lines == 2 ? 2 * RUNWAY_LINE : RUNWAY_LINE,
  memory.written = 1, memory.fault = g->memory_fault;
  memory.directory = g->adapter == COHERENT ? IO_DIRECTORY : 0,
  memory.directory_bytes = g->adapter == COHERENT ? g->pages ? 128 : 16 : 0;
  bus.arbitration = 0, bus.pending = 1;
  cache.size = 64, cache.virtual_offset = 0, cache.buffer = 1, cache.fault = g->fault,
  cache.store_queue = g->store_queue;
  if (g->card) cache.interrupt = SMALL_INTERRUPT;
  adapter.page_bits = services.page_bits = 4, adapter.chain_shift = services.chain_shift = 15;
  adapter.directory = services.directory = IO_DIRECTORY, services.virtual_offset = 0;
  adapter.rows = 2, adapter.buffers = g->card ? 2 : 1;
  if (g->pages) services.rows = 2;
  adapter.mode = g->adapter == COHERENT ? IO_ADAPTER_MODE_COHERENT : IO_ADAPTER_MODE_NONE;
  services.mode = g->adapter == COHERENT ? IO_SERVICES_MODE_COHERENT : IO_SERVICES_MODE_NONE;
  prover.line_0 = line, prover.line_1 = line + RUNWAY_LINE, prover.pages = g->pages != 0,
  prover.coherent = g->adapter != ALONE, prover.orders = g->orders;
  prover.first_half = g->first_half, prover.steps = g->steps;
  if (g->step) prover.step = g->step;
  if (g->lines) prover.lines = g->lines;
  if (g->contracts | g->card) prover.contracts = g->contracts | g->card;
  PART(s, SIM_TYPE_MEMORY_CONTROLLER, memory);
  PART(s, SIM_TYPE_RUNWAY, bus);
  for (uint32_t i = 0; i < g->cpus; i++) PART(s, SIM_TYPE_SNOOP_CACHE, cache);
  PART(s, SIM_TYPE_PROVER, prover);
  session_table(s, g->given, g->choices, 1);
  if (!g->adapter) return;
  PART(s, SIM_TYPE_IO_ADAPTER, adapter);
  PART(s, SIM_TYPE_IO_SERVICES, services);
  if (g->card) small_bridge(s, g);
  if (g->pages == POOLED) small_pools(s);
}

static inline const struct session *small_session(const struct small *g) {
  static struct session s;
  const uint32_t prover = 2 + g->cpus, adapter = prover + 1, services = prover + 2, more = prover + 3,
                 pooled = g->pages == POOLED;
  s = session_new(prover + 1 + (g->adapter ? 2 : 0) + (g->card ? 3 : 0) + pooled,
      1 + 2 * g->cpus + (g->adapter ? 4 : 0) + (g->card ? 5 : 0) + pooled, 10);
  small_part_list(&s, g);
  session_wire(&s, 1, RUNWAY_PORT_MEMORY, 0, MEMORY_CONTROLLER_PORT_BUS);
  for (uint32_t i = 0; i < g->cpus; i++) {
    session_wire(&s, prover, PROVER_PORT_CPU + i, 2 + i, SNOOP_CACHE_PORT_CPU);
    session_wire(&s, 2 + i, SNOOP_CACHE_PORT_BUS, 1, RUNWAY_PORT_AGENT + i);
  }
  if (g->adapter) {
    session_wire(&s, adapter, IO_ADAPTER_PORT_BUS, 1, RUNWAY_PORT_AGENT + 8);
    if (!g->card) session_wire(&s, prover, PROVER_PORT_HSC, adapter, IO_ADAPTER_PORT_HSC);
    session_wire(&s, prover, PROVER_PORT_FRONT, 2, SNOOP_CACHE_PORT_FRONT);
    session_wire(&s, prover, PROVER_PORT_SERVICES, services, IO_SERVICES_PORT_CPU);
  }
  if (pooled) session_wire(&s, services, IO_SERVICES_PORT_ALLOCATOR, more, IOMMU_MAP_PORT_LENDS);
  if (g->card) {
    const uint32_t hsc = more, bridge = more + 1, pci = more + 2;
    session_wire(&s, hsc, HSC_PORT_ADAPTER, adapter, IO_ADAPTER_PORT_HSC);
    session_wire(&s, bridge, HSC_PCI_PORT_HSC, hsc, HSC_PORT_SLOT);
    session_wire(&s, bridge, HSC_PCI_PORT_PCI, pci, PCI_PORT_SLOT);
    session_wire(&s, prover, PROVER_PORT_PCI, pci, PCI_PORT_SLOT + 1);
    session_wire(&s, prover, PROVER_PORT_RAISE, bridge, HSC_PCI_PORT_IRQ);
    session_wire(&s, 2, SNOOP_CACHE_PORT_IRQ, prover, PROVER_PORT_IRQ);
  }
  return &s;
}

static inline sim *small_open(const struct small *g) {
  assert_int_equal(session_open(small_session(g)), SIM_OK);
  return test_engine();
}

#endif
