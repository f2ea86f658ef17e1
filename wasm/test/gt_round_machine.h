#ifndef GT_ROUND_MACHINE_H
#define GT_ROUND_MACHINE_H
/* The machine of a GT card with parameters that give whole numbers, for tests whose times are computed beside them. */
#include "test/gt_machine.h"

#define HOST 0x1000ull
#define NS 1000ull
#define US 1000000ull
#define REGISTERS 0xf0000000ull
#define END_ROW ROW(END, 0, 0, 0, 0, 0, 0)

static inline void opened(const struct gt_machine *g, const uint64_t *program, uint32_t values) {
  struct session s = gt_machine_session(g, program, values / ROW_FIELDS);
  assert_int_equal(session_open(&s), SIM_OK);
}
#define OPEN(g, program) opened(&(g), program, sizeof(program) / 8)

#define TOLD(time, name, a, b, c, why) {(time) * NS, GT_EV_##name, a, b, c, why}
#define OF_CARD(name) BECAUSE(CARD, GT_EV_##name)
#define BUS_STARTS BECAUSE(BUS, PCI_EV_START)
#define STORED BECAUSE(CPU, PROCESSOR_EV_STORE)
#define WRITES(from, to, at) {(from) * NS, PCI_EV_START, CARD_BASE + (at), PCI_COMMAND_WRITE, 0, STORED}, {(to) * NS, PCI_EV_END, CARD_BASE + (at), 4, 0, OF_CARD(ACCEPT)}

static inline void run_out(void) { session_run(); }

static const uint64_t nothing[] = {END_ROW};

/* A bus of 10 ns clocks, a card and memory whose times are whole clocks, and software that takes no time. */
static inline struct gt_machine round_numbers(void) {
  struct gt_machine g = gt_machine_defaults();
  g.bus.clock = 100000000, g.bus.width = 4, g.bus.decode = 1, g.bus.block = 256;
  g.cpu.pio_write_call = g.cpu.pio_read_call = 0;
  g.cpu.store_time = 5 * NS, g.cpu.load_time = 7 * NS;
  g.bridge.crossing = 30 * NS, g.bridge.posts = 2;
  g.card.accept = 100 * NS, g.card.read_latency = 200 * NS, g.card.read_recovery = 500 * NS, g.card.read_credit = 2;
  g.memory.tracked = g.card.tracked = 64 << 10;
  return g;
}

/* A store to a register of the card, as the bus brings it; what a read of one gives. */
static inline void set(uint32_t at, uint64_t value) {
  uint32_t write = 0;
  call_pci_target_take(test_engine(), BUS, PCI_PORT_SLOT + 1, &(struct pci_target_take){.address = REGISTERS + at, .bytes = 4, .value = value, .writes = &write});
}
static inline uint64_t got(uint32_t at) {
  uint32_t write = 0;
  struct pci_target_give give = {.address = REGISTERS + at, .bytes = 4, .writes = &write};
  call_pci_target_give(test_engine(), BUS, PCI_PORT_SLOT + 1, &give);
  return give.value;
}
static inline void begin(uint32_t engine, uint64_t host, uint64_t card, uint64_t go) { set(engine * 0x20, host), set(engine * 0x20 + 8, card), set(engine * 0x20 + 0x10, go); }

/* Engines begin 1 us after their last register, memory moves 1 B/ns and answers after 100 ns, the bridge after 100 more; what is sent on the ring is round it in 1 ns a byte. */
static inline struct gt_machine round_engines(void) {
  struct gt_machine g = round_numbers();
  g.card.start = 1000 * NS, g.card.read_line = 64;
  g.bridge.read_ahead = 100 * NS;
  g.memory.latency = 100 * NS, g.memory.bandwidth = 1000000000;
  g.ring.rate = 1000000000, g.ring.node_latency = 0;
  return g;
}

#define BURST(time, name, at, what, why) {(time) * NS, PCI_EV_##name, HOST + (at), what, 1, OF_CARD(why)}
#define REGISTER(at, why) TOLD(0, ACCEPT, REGISTERS + (at), 0, 4, why)
#endif
