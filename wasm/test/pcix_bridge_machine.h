/* A bridge between two buses, PCI-X or PCI, with two cards that read or write memory and one that takes stores behind it. For tests in C. */
#ifndef SIM_PCIX_BRIDGE_MACHINE_H
#define SIM_PCIX_BRIDGE_MACHINE_H

#include "test/hp_machine.h"

enum { B_CPU, B_MEMORY, B_SBA, B_LBA, B_HOST, B_BRIDGE, B_BUS, B_FIRST, B_SECOND, B_LAN, B_PARTS };
#define NS 1000ull
#define AT 0x100000ull
#define LINE 128ull
#define ENGINE test_engine()
#define COUNT(name) (HP_COUNTERS(B_BRIDGE, pcix_bridge)->name)
#define STATE SIM_STATE(ENGINE, B_BRIDGE, pcix_bridge)

struct bridged {
  uint32_t host, cards; /* type of either bus */
  struct processor_params cpu;
  struct memory_params memory;
  struct sba_params sba;
  struct lba_params lba;
  struct pcix_params bus;
  struct pci_params pci;
  struct pcix_bridge_params bridge;
  struct peer_params first, second;
  struct lan_card_params lan;
  struct hp_program program;
};

static inline struct bridged defaults(void) {
  struct bridged g = {SIM_TYPE_PCIX, SIM_TYPE_PCIX, PROCESSOR_DEFAULTS, MEMORY_DEFAULTS, SBA_DEFAULTS, LBA_DEFAULTS, PCIX_DEFAULTS, PCI_DEFAULTS, PCIX_BRIDGE_DEFAULTS, PEER_DEFAULTS, PEER_DEFAULTS, LAN_CARD_DEFAULTS, {0}};
  g.memory.tracked_from = AT, g.memory.tracked = 65536, g.memory.latency = 110 * NS, g.memory.bandwidth = 8000000000ull, g.memory.written = 1;
  g.lba.crossing = 0;
  g.bus.clock = g.pci.clock = 125000000;
  g.pci.block = LINE;
  g.bridge.crossing = 0;
  g.first.blocks = 1, g.first.address = AT, g.first.direction = PEER_DIRECTION_READ, g.first.command = PCI_READ_KIND_READ_MULTIPLE;
  g.second.address = AT + 32768, g.second.direction = PEER_DIRECTION_READ, g.second.command = PCI_READ_KIND_READ_MULTIPLE;
  return g;
}

static inline const struct session *made(const struct bridged *g) {
  static const uint64_t nothing[] = {END};
  static struct session s;
  struct hp_program p = g->program.count ? g->program : PROGRAM(nothing);
  s = session_new(B_PARTS, 9, 16);
  HP_PART(&s, SIM_TYPE_PROCESSOR, g->cpu);
  session_table(&s, p.values, p.count / 8, 8);
  HP_PART(&s, SIM_TYPE_MEMORY, g->memory);
  HP_PART(&s, SIM_TYPE_SBA, g->sba);
  HP_PART(&s, SIM_TYPE_LBA, g->lba);
  if (g->host == SIM_TYPE_PCIX) HP_PART(&s, SIM_TYPE_PCIX, g->bus);
  else HP_PART(&s, SIM_TYPE_PCI, g->pci);
  HP_PART(&s, SIM_TYPE_PCIX_BRIDGE, g->bridge);
  if (g->cards == SIM_TYPE_PCIX) HP_PART(&s, SIM_TYPE_PCIX, g->bus);
  else HP_PART(&s, SIM_TYPE_PCI, g->pci);
  HP_PART(&s, SIM_TYPE_PEER, g->first);
  HP_PART(&s, SIM_TYPE_PEER, g->second);
  HP_PART(&s, SIM_TYPE_LAN_CARD, g->lan);
  session_wire(&s, B_CPU, PROCESSOR_PORT_FRONT, B_SBA, SBA_PORT_CPU);
  session_wire(&s, B_SBA, SBA_PORT_MEMORY, B_MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(&s, B_SBA, SBA_PORT_ROPE, B_LBA, LBA_PORT_ROPE);
  session_wire(&s, B_LBA, LBA_PORT_PCI, B_HOST, PCIX_PORT_SLOT);
  session_wire(&s, B_BRIDGE, PCIX_BRIDGE_PORT_BUS, B_HOST, PCIX_PORT_SLOT + 1);
  session_wire(&s, B_BRIDGE, PCIX_BRIDGE_PORT_BUS + 1, B_BUS, PCIX_PORT_SLOT + 7);
  session_wire(&s, B_FIRST, PEER_PORT_PCI, B_BUS, PCIX_PORT_SLOT + 1);
  session_wire(&s, B_SECOND, PEER_PORT_PCI, B_BUS, PCIX_PORT_SLOT + 2);
  session_wire(&s, B_LAN, LAN_CARD_PORT_PCI, B_BUS, PCIX_PORT_SLOT + 3);
  return &s;
}

static inline void run(const struct bridged *g) {
  assert_int_equal(session_open(made(g)), SIM_OK);
  session_run();
}

enum { MEMORY_SIDE, CARD_SIDE };
#define UP MEMORY_SIDE
#define DOWN CARD_SIDE
#define READ_AT(i) pcix_bridge_read_at(ENGINE, STATE, i)
#define LINE_AT(i) pcix_bridge_line_at(ENGINE, STATE, i)
#define POST_AT(way, i) pcix_bridge_post_at(ENGINE, STATE, way, i)
#define POSTED(way) (*pcix_bridge_posted(ENGINE, STATE, way))
#define HERE(way) (*pcix_bridge_has_line(ENGINE, STATE, way))
#define CARDS_FROM 0xf0000000ull

/* Four places each for posts and reads, eight for lines, two lines ahead, bursts of 256 B. Nothing runs. */
static inline struct bridged still(void) {
  struct bridged g = defaults();
  g.first.blocks = 0;
  g.bridge.posts = g.bridge.reads = 4, g.bridge.lines = 8, g.bridge.ahead = 2, g.bridge.burst = 256, g.bridge.crossing = 60 * NS;
  return g;
}
static inline void opened(const struct bridged *g) {
  run(g);
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}
static inline void quiet(void) {
  struct bridged g = still();
  opened(&g);
}

/* A line of a read; what is not here is under way, wholly or as far as `from`. */
static inline void line(uint32_t place, uint32_t read, uint64_t addr, uint32_t state) {
  const uint32_t gone = state == PCIX_BRIDGE_LINE_ASKED ? 0 : 128;
  *LINE_AT(place) = (pcix_bridge_line){.addr = addr, .state = state, .read = read + 1, .from = gone, .to = 128, .side = CARD_SIDE};
  for (uint32_t word = 0; word < 32; word++) pcix_bridge_line_words(ENGINE, STATE, LINE_AT(place))[word] = (place + 1) * 1000 + word;
}

#endif
