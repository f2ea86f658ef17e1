/*
 * Machines to test ordering: "pci-pair", a host and a card on PCI buses of their own with a bridge between
 * them; or "rope-pair", a processor and a card with a rope between them, and an I/O cache. For tests in C.
 */
#ifndef SIM_ORDER_MACHINE_H
#define SIM_ORDER_MACHINE_H

#include "test/hp.h"

#define O_BRIDGE part_named("bridge")
#define R_PAIR part_named("pair")
#define R_CACHE part_named("cache0")
#define R_SBA part_named("sba")
#define R_LBA part_named("lba")
#define R_BUS part_named("bus")
#define R_PROVER part_named("prover")
#define R_SECOND_CACHE part_named("cache1")
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

static inline void order_bridge(const struct order *g) {
  machine("pci-pair");
  struct pcix_bridge_params *bridge = PARAMS("bridge", pcix_bridge);
  if (g->reads) bridge->reads = g->reads;
  bridge->relaxed = g->relaxed, bridge->fault = g->bridge_fault;
}

static inline void order_lba(const struct order *g) {
  struct lba_params *lba = PARAMS("lba", lba);
  lba->fault = g->lba_fault;
  if (g->split) lba->mrm_streaming_relaxed = g->relaxed;
  else lba->mr_streaming_relaxed = g->relaxed;
  lba->mr_streaming_depth = g->ahead || g->mapped;
  lba->mr_streaming_current = lba->mrm_streaming_current = !g->owns && !g->shares;
}

static inline void order_rope(const struct order *g) {
  machine(g->split ? "rope-pair-split" : "rope-pair");
  struct rope_pair_params *pair = PARAMS("pair", rope_pair);
  struct sba_params *sba = PARAMS("sba", sba);
  pair->data = g->ahead ? ORDER_FLAG + 128 : ORDER_FLAG + 4, pair->result = g->together ? ORDER_FLAG : 0x2000,
  pair->reads_back = !g->mapped;
  pair->learns = g->interrupts ? ROPE_PAIR_LEARNS_INTERRUPT : ROPE_PAIR_LEARNS_POLL,
  pair->flags = !g->no_flags, pair->blocks = g->split, pair->page = g->mapped ? 256 : 0;
  PARAMS("cache0", cache)->fault = PARAMS("cache1", cache)->fault = g->cache_fault;
  sba->lines = g->kept ? g->kept : 1, sba->owns = g->shares ? SBA_OWNS_SHARED : SBA_OWNS_PRIVATE,
  sba->fault = g->sba_fault;
  order_lba(g);
  if (!g->mapped) machine_unwired("pair", ROPE_PAIR_PORT_IOMMU);
  if (!g->interrupts)
    machine_unwired("pair", ROPE_PAIR_PORT_RAISE), machine_unwired("pair", ROPE_PAIR_PORT_IRQ);
  if (!g->second) machine_without("cache1"), machine_unwired("pair", ROPE_PAIR_PORT_FRONT + 1);
}

static inline sim *order_open(const struct order *g) {
  if (g->bridge) order_bridge(g);
  else order_rope(g);
  machine_open();
  sim_host_state(test_engine())->exploring = 1;
  return test_engine();
}

#endif
