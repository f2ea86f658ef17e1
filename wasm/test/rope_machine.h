/*
 * A system bus adapter with processors and memory, and at the end of each rope a local bus adapter, its PCI bus, a card
 * that reads or writes memory and one that takes stores; if wanted with translation. For tests in C.
 */
#ifndef SIM_ROPE_MACHINE_H
#define SIM_ROPE_MACHINE_H

#include "test/hp_machine.h"

#define NS 1000ull
#define AT 0x100000ull
#define DOORBELL 0xf0000000ull
#define LINE 128ull

/* Each rope has four parts; behind them are pairs of processor and cache, then what translates. */
enum { ROPE_MEMORY, SBA_PART, LBA_PART, PCI_PART, PEER_PART, LAN_PART, SECOND_ROPE };
#define ROPE_PARTS 4u
#define ON_ROPE(part, rope) ((part) + ROPE_PARTS * (rope))
#define ROPE_CPU(g, i) (LBA_PART + ROPE_PARTS * (g)->ropes + 2 * (i))
#define ROPE_CACHE(g, i) (ROPE_CPU(g, i) + 1)
#define TRANSLATOR(g) ROPE_CPU(g, (g)->cpus)
#define ROPES_MOST 2u

struct rope_machine {
  uint32_t cpus, ropes, translates, in_memory; /* in_memory: so lies the table of what translates */
  uint32_t port[HP_CPUS], slot[ROPES_MOST]; /* ports of the system bus adapter: of processors, of ropes */
  struct processor_params cpu;
  struct cache_params cache;
  struct memory_params memory;
  struct sba_params sba;
  struct iommu_params unit;
  struct iommu_map_params map;
  struct lba_params lba[ROPES_MOST];
  struct pci_params pci;
  struct peer_params peer[ROPES_MOST];
  struct lan_card_params lan[ROPES_MOST];
  struct hp_program program[HP_CPUS];
};

/* One processor and one rope. Memory has a line after 110 ns, a rope carries 0.5 GB/s, and nothing else takes time on the way. */
static inline struct rope_machine rope_machine_defaults(void) {
  struct rope_machine g = {.cpus = 1, .ropes = 1, .port = {0, 1, 2, 3}, .slot = {0, 1}, .cpu = PROCESSOR_DEFAULTS, .cache = CACHE_DEFAULTS, .memory = MEMORY_DEFAULTS, .sba = SBA_DEFAULTS,
                           .unit = IOMMU_DEFAULTS, .map = IOMMU_MAP_DEFAULTS, .lba = {LBA_DEFAULTS, LBA_DEFAULTS}, .pci = PCI_DEFAULTS, .peer = {PEER_DEFAULTS, PEER_DEFAULTS}, .lan = {LAN_CARD_DEFAULTS, LAN_CARD_DEFAULTS}};
  g.cpu.line = g.cache.line = LINE;
  g.memory.tracked_from = AT, g.memory.tracked = 8192, g.memory.latency = 110 * NS, g.memory.bandwidth = 8500000000ull;
  g.map.entries = 4096, g.map.page = PAGE, g.map.spread = 0;
  g.pci.block = LINE;
  for (uint32_t i = 0; i < ROPES_MOST; i++) {
    g.lba[i].crossing = 0;
    g.peer[i].blocks = i == 0, g.peer[i].address = AT, g.peer[i].direction = PEER_DIRECTION_READ, g.peer[i].command = PCI_READ_KIND_READ_MULTIPLE;
  }
  return g;
}

static inline void rope_machine_parts(struct session *s, const struct rope_machine *g) {
  static const uint64_t nothing[] = {END};
  HP_PART(s, SIM_TYPE_MEMORY, g->memory);
  HP_PART(s, SIM_TYPE_SBA, g->sba);
  for (uint32_t i = 0; i < g->ropes; i++) {
    HP_PART(s, SIM_TYPE_LBA, g->lba[i]);
    HP_PART(s, SIM_TYPE_PCI, g->pci);
    HP_PART(s, SIM_TYPE_PEER, g->peer[i]);
    HP_PART(s, SIM_TYPE_LAN_CARD, g->lan[i]);
  }
  for (uint32_t i = 0; i < g->cpus; i++) {
    struct hp_program p = g->program[i].count ? g->program[i] : PROGRAM(nothing);
    HP_PART(s, SIM_TYPE_PROCESSOR, g->cpu);
    session_table(s, p.values, p.count / 8, 8);
    HP_PART(s, SIM_TYPE_CACHE, g->cache);
  }
  if (!g->translates) return;
  HP_PART(s, SIM_TYPE_IOMMU, g->unit);
  HP_PART(s, SIM_TYPE_IOMMU_MAP, g->map);
}

static inline const struct session *rope_session(const struct rope_machine *g) {
  static struct session s;
  s = session_new(TRANSLATOR(g) + (g->translates ? 2 : 0), 1 + 5 * g->ropes + 2 * g->cpus + (g->ropes != 0) + (g->translates ? 2 + g->cpus + g->in_memory : 0), 16);
  rope_machine_parts(&s, g);
  session_wire(&s, SBA_PART, SBA_PORT_MEMORY, ROPE_MEMORY, MEMORY_PORT_BRIDGE);
  for (uint32_t i = 0; i < g->ropes; i++) {
    session_wire(&s, SBA_PART, SBA_PORT_ROPE + g->slot[i], ON_ROPE(LBA_PART, i), LBA_PORT_ROPE);
    session_wire(&s, ON_ROPE(LBA_PART, i), LBA_PORT_PCI, ON_ROPE(PCI_PART, i), PCI_PORT_SLOT);
    session_wire(&s, ON_ROPE(PEER_PART, i), PEER_PORT_PCI, ON_ROPE(PCI_PART, i), PCI_PORT_SLOT + 1);
    session_wire(&s, ON_ROPE(LAN_PART, i), LAN_CARD_PORT_PCI, ON_ROPE(PCI_PART, i), PCI_PORT_SLOT + 2);
    session_wire(&s, ON_ROPE(LAN_PART, i), LAN_CARD_PORT_IRQ, ON_ROPE(LBA_PART, i), LBA_PORT_IRQ + 2);
  }
  if (g->ropes) session_wire(&s, LBA_PART, LBA_PORT_INTERRUPT, ROPE_CPU(g, 0), PROCESSOR_PORT_IRQ);
  for (uint32_t i = 0; i < g->cpus; i++) {
    session_wire(&s, ROPE_CPU(g, i), PROCESSOR_PORT_FRONT, SBA_PART, SBA_PORT_CPU + g->port[i]);
    session_wire(&s, ROPE_CPU(g, i), PROCESSOR_PORT_CACHE, ROPE_CACHE(g, i), CACHE_PORT_CPU);
  }
  if (!g->translates) return &s;
  session_wire(&s, TRANSLATOR(g) + 1, IOMMU_MAP_PORT_IOMMU, TRANSLATOR(g), IOMMU_PORT_MAP);
  session_wire(&s, SBA_PART, SBA_PORT_IOMMU, TRANSLATOR(g), IOMMU_PORT_DEVICE);
  if (g->in_memory) session_wire(&s, TRANSLATOR(g), IOMMU_PORT_MEMORY, ROPE_MEMORY, MEMORY_PORT_WALKS);
  for (uint32_t i = 0; i < g->cpus; i++) session_wire(&s, ROPE_CPU(g, i), PROCESSOR_PORT_OS, TRANSLATOR(g) + 1, IOMMU_MAP_PORT_CPU + i);
  return &s;
}

static inline void rope_open(const struct rope_machine *g) { assert_int_equal(session_open(rope_session(g)), SIM_OK); }

static inline void rope_run(const struct rope_machine *g) {
  rope_open(g);
  session_run();
}

/* Whether the card at a slot of the first bus has asked for it since this was called last; nothing is run. */
static inline int rope_asked(uint32_t slot) {
  struct pci_now *bus = pci_view(test_engine(), SIM_STATE(test_engine(), PCI_PART, pci));
  uint32_t asked = bus->requests >> slot & 1;
  bus->requests = 0;
  return (int)asked;
}

/* What the card at a slot of the first bus moves when it is granted. */
static inline void rope_wants(uint32_t slot, uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_grant q = {0};
  assert_int_equal(ask_pci_grant(test_engine(), PCI_PART, PCI_PORT_SLOT + slot, &q), 1);
  assert_int_equal(q.address, address);
  assert_int_equal(q.bytes, bytes);
  assert_int_equal(q.command, command);
}

#endif
