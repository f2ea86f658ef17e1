/* A PCI-X bus at the end of a rope, with two storage adapters and a network card. For tests in C. */
#ifndef SIM_PCIX_MACHINE_H
#define SIM_PCIX_MACHINE_H

#include "test/hp_machine.h"

enum { X_CPU, X_MEMORY, X_SBA, X_LBA, X_BUS, X_PEER, X_SECOND, X_LAN, X_PARTS };
#define NS 1000ull
#define AT 0x100000ull
#define LINE 128ull

struct x_machine {
  struct processor_params cpu;
  struct memory_params memory;
  struct sba_params sba;
  struct lba_params lba;
  struct pcix_params bus;
  struct peer_params peer, second;
  struct lan_card_params lan;
  struct hp_program program;
};

static inline struct x_machine x_defaults(void) {
  struct x_machine g = {PROCESSOR_DEFAULTS, MEMORY_DEFAULTS, SBA_DEFAULTS, LBA_DEFAULTS, PCIX_DEFAULTS, PEER_DEFAULTS, PEER_DEFAULTS, LAN_CARD_DEFAULTS, {0}};
  g.memory.tracked_from = AT, g.memory.tracked = 65536, g.memory.latency = 110 * NS, g.memory.bandwidth = 8500000000ull;
  g.lba.crossing = 0;
  g.bus.clock = 125000000; /* 8 ns */
  g.peer.blocks = 1, g.peer.address = AT, g.peer.direction = PEER_DIRECTION_READ;
  g.second.address = AT + 32768, g.second.direction = PEER_DIRECTION_READ;
  return g;
}

static inline const struct session *x_session(const struct x_machine *g) {
  static const uint64_t nothing[] = {END};
  static struct session s;
  struct hp_program p = g->program.count ? g->program : PROGRAM(nothing);
  s = session_new(X_PARTS, 7, 16);
  HP_PART(&s, SIM_TYPE_PROCESSOR, g->cpu);
  session_table(&s, p.values, p.count / 8, 8);
  HP_PART(&s, SIM_TYPE_MEMORY, g->memory);
  HP_PART(&s, SIM_TYPE_SBA, g->sba);
  HP_PART(&s, SIM_TYPE_LBA, g->lba);
  HP_PART(&s, SIM_TYPE_PCIX, g->bus);
  HP_PART(&s, SIM_TYPE_PEER, g->peer);
  HP_PART(&s, SIM_TYPE_PEER, g->second);
  HP_PART(&s, SIM_TYPE_LAN_CARD, g->lan);
  session_wire(&s, X_CPU, PROCESSOR_PORT_FRONT, X_SBA, SBA_PORT_CPU);
  session_wire(&s, X_SBA, SBA_PORT_MEMORY, X_MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(&s, X_SBA, SBA_PORT_ROPE, X_LBA, LBA_PORT_ROPE);
  session_wire(&s, X_LBA, LBA_PORT_PCI, X_BUS, PCIX_PORT_SLOT);
  session_wire(&s, X_PEER, PEER_PORT_PCI, X_BUS, PCIX_PORT_SLOT + 1);
  session_wire(&s, X_SECOND, PEER_PORT_PCI, X_BUS, PCIX_PORT_SLOT + 2);
  session_wire(&s, X_LAN, LAN_CARD_PORT_PCI, X_BUS, PCIX_PORT_SLOT + 3);
  return &s;
}

static inline void x_run(const struct x_machine *g) {
  assert_int_equal(session_open(x_session(g)), SIM_OK);
  session_run();
}

#define BUS_SAID(name) (HP_COUNTERS(X_BUS, pcix)->name)
#define BRIDGE_SAID(name) (HP_COUNTERS(X_LBA, lba)->name)

#endif
