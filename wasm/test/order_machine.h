/*
 * Machines to test ordering, wired like those that the page explores: a host and a card on PCI buses of
 * their own with a bridge between them; or a processor and a card with a rope between them, and an I/O
 * cache. For tests in C.
 */
#ifndef SIM_ORDER_MACHINE_H
#define SIM_ORDER_MACHINE_H

#include "test/hp.h"

#define HP_PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

enum { O_PAIR, O_HOST_BUS, O_CARD_BUS, O_BRIDGE, O_BRIDGE_PARTS };
enum { R_PAIR, R_MEMORY, R_CACHE, R_SBA, R_LBA, R_BUS, R_ROPE_PARTS, R_SECOND_CACHE };
#define ORDER_FLAG 0x1000ull

struct order {
  uint32_t bridge;
  uint32_t ahead; /* data lies in the line after the flag's */
  uint32_t interrupts;
  uint32_t no_flags;
  uint32_t split;
  uint32_t mapped;
  uint32_t together;
  /* the card reads with ownership, or shared; lines cached */
  uint32_t shares;
  uint32_t owns;
  uint32_t kept;
  uint32_t lba_fault;
  uint32_t sba_fault;
  uint32_t bridge_fault;
  uint32_t cache_fault;
  uint32_t relaxed;
  uint32_t second; /* a second processor with its own cache */
  uint32_t reads;  /* read capacity of the bridge, 1 by default */
};

static inline void order_any(struct session *s) {
  struct prover_params any = PROVER_DEFAULTS; /* unwired: selects nondeterministic order */
  HP_PART(s, SIM_TYPE_PROVER, any);
  session_table(s, NULL, 0, 1);
}

static inline void order_bridge(struct session *s, const struct order *g) {
  const struct pci_params bus = PCI_DEFAULTS;
  struct pcix_bridge_params bridge = PCIX_BRIDGE_DEFAULTS;
  bridge.posts = 2, bridge.reads = g->reads ? g->reads : 1, bridge.lines = 2, bridge.ahead = 1,
  bridge.burst = 128, bridge.relaxed = g->relaxed, bridge.fault = g->bridge_fault;
  *s = session_new(O_BRIDGE_PARTS + 1, 4, 10);
  session_part(s, SIM_TYPE_PCI_PAIR, NULL, 0);
  for (uint32_t side = 0; side < 2; side++) HP_PART(s, SIM_TYPE_PCI, bus);
  HP_PART(s, SIM_TYPE_PCIX_BRIDGE, bridge);
  order_any(s);
  for (uint32_t side = 0; side < 2; side++) {
    session_wire(s, O_PAIR, PCI_PAIR_PORT_BUS + side, O_HOST_BUS + side, PCI_PORT_SLOT);
    session_wire(s, O_BRIDGE, PCIX_BRIDGE_PORT_BUS + side, O_HOST_BUS + side, PCI_PORT_SLOT + 1);
  }
}

static inline void order_rope_parts(struct session *s, const struct order *g) {
  struct rope_pair_params pair = ROPE_PAIR_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  struct cache_params cache = CACHE_DEFAULTS;
  struct sba_params sba = SBA_DEFAULTS;
  struct lba_params lba = LBA_DEFAULTS;
  struct pci_params pci = PCI_DEFAULTS;
  struct pcix_params pcix = PCIX_DEFAULTS;
  pair.data = g->ahead ? ORDER_FLAG + 128 : ORDER_FLAG + 4, pair.result = g->together ? ORDER_FLAG : 0x2000,
  pair.reads_back = !g->mapped;
  pair.learns = g->interrupts ? ROPE_PAIR_LEARNS_INTERRUPT : ROPE_PAIR_LEARNS_POLL, pair.flags = !g->no_flags,
  pair.blocks = g->split, pair.page = g->mapped ? 256 : 0;
  memory.tracked = 8192, memory.tracked_from = ORDER_FLAG;
  cache.size = 256, cache.ways = 1, cache.line = 128, cache.fault = g->cache_fault;
  sba.lines = g->kept ? g->kept : 1, sba.owns = g->shares ? SBA_OWNS_SHARED : SBA_OWNS_PRIVATE,
  sba.fault = g->sba_fault;
  lba.base = 0xf0000000, lba.length = 4096, lba.lines = 3, lba.posts = 2, lba.stores = 4,
  lba.streaming_from = 0, lba.fault = g->lba_fault;
  if (g->split) lba.splits = 2, lba.mrm_streaming_relaxed = g->relaxed;
  else lba.mr_streaming_relaxed = g->relaxed;
  lba.mr_streaming_depth = g->ahead || g->mapped;
  lba.mr_streaming_current = lba.mrm_streaming_current = !g->owns && !g->shares;
  pci.block = 128, pcix.tags = 2;
  HP_PART(s, SIM_TYPE_ROPE_PAIR, pair);
  HP_PART(s, SIM_TYPE_MEMORY, memory);
  HP_PART(s, SIM_TYPE_CACHE, cache);
  HP_PART(s, SIM_TYPE_SBA, sba);
  HP_PART(s, SIM_TYPE_LBA, lba);
  if (g->split) HP_PART(s, SIM_TYPE_PCIX, pcix);
  else HP_PART(s, SIM_TYPE_PCI, pci);
  order_any(s);
  if (g->second) HP_PART(s, SIM_TYPE_CACHE, cache);
}

static inline void order_rope(struct session *s, const struct order *g) {
  *s = session_new(R_ROPE_PARTS + 1 + g->second, 6 + g->mapped + 2 * (g->interrupts + g->second), 10);
  order_rope_parts(s, g);
  session_wire(s, R_SBA, SBA_PORT_MEMORY, R_MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(s, R_PAIR, ROPE_PAIR_PORT_FRONT, R_SBA, SBA_PORT_CPU);
  session_wire(s, R_PAIR, ROPE_PAIR_PORT_CACHE, R_CACHE, CACHE_PORT_CPU);
  if (g->second) {
    session_wire(s, R_PAIR, ROPE_PAIR_PORT_FRONT + 1, R_SBA, SBA_PORT_CPU + 1);
    session_wire(s, R_PAIR, ROPE_PAIR_PORT_CACHE + 1, R_SECOND_CACHE, CACHE_PORT_CPU);
  }
  session_wire(s, R_SBA, SBA_PORT_ROPE, R_LBA, LBA_PORT_ROPE);
  session_wire(s, R_LBA, LBA_PORT_PCI, R_BUS, PCI_PORT_SLOT);
  session_wire(s, R_PAIR, ROPE_PAIR_PORT_BUS, R_BUS, PCI_PORT_SLOT + 1);
  if (g->mapped) session_wire(s, R_SBA, SBA_PORT_IOMMU, R_PAIR, ROPE_PAIR_PORT_IOMMU);
  if (!g->interrupts) return;
  session_wire(s, R_PAIR, ROPE_PAIR_PORT_RAISE, R_LBA, LBA_PORT_IRQ);
  session_wire(s, R_LBA, LBA_PORT_INTERRUPT, R_PAIR, ROPE_PAIR_PORT_IRQ);
}

static inline sim *order_open(const struct order *g) {
  static struct session s;
  if (g->bridge) order_bridge(&s, g);
  else order_rope(&s, g);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_host_state(test_engine())->exploring = 1;
  return test_engine();
}

#endif
