#ifndef SIM_TEST_GT_ROUND_H
#define SIM_TEST_GT_ROUND_H
/* The machine of a GT card with parameters that give whole numbers, so that expected times can be computed
 * beside the tests. */
#include "test/gt.h"

#define HOST 0x1000ull
#define REGISTERS 0xf0000000ull
#define EVENT(time, name, a, b, c, why) {(time) * NS, GT_EV_##name, a, b, c, why}
#define OF_CARD(name) BECAUSE(CARD, GT_EV_##name)
#define BUS_STARTS BECAUSE(BUS, PCI_EV_START)
#define STORED BECAUSE(CPU, PROCESSOR_EV_STORE)
#define WRITES(from, to, at)                                                     \
  {(from) * NS, PCI_EV_START, CARD_BASE + (at), PCI_COMMAND_WRITE, 0, STORED}, { \
    (to) * NS, PCI_EV_END, CARD_BASE + (at), 4, 0, OF_CARD(ACCEPT)               \
  }

static const uint64_t nothing[] = {END_ROW};

/* A bus of 10 ns clocks, a card and memory whose times are whole clocks, and software that takes no time. */
static inline void round_numbers_of(const char *name) {
  machine(name);
  struct pci_params *bus = PARAMS("bus", pci);
  struct processor_params *cpu = PARAMS("cpu", processor);
  struct gt_params *card = PARAMS("gt", gt);
  bus->clock = 100000000, bus->width = 4, bus->decode = 1, bus->block = 256;
  cpu->pio_write_call = cpu->pio_read_call = 0;
  cpu->store_time = 5 * NS, cpu->load_time = 7 * NS;
  PARAMS("bridge", bridge)->crossing = 30 * NS, PARAMS("bridge", bridge)->posts = 2;
  card->accept = 100 * NS, card->read_latency = 200 * NS, card->read_recovery = 500 * NS,
  card->read_credit = 2;
  card->tracked = 64 << 10;
}
static inline void round_numbers(void) { round_numbers_of("gt-and-peer"); }

/* A store to a register of the card, as the bus delivers it, and the value of a read. */
static inline void set(uint32_t at, uint64_t value) {
  uint32_t write = 0;
  call_pci_target_take(test_engine(), BUS, PCI_PORT_SLOT + 1,
      &(struct pci_target_take){.address = REGISTERS + at, .bytes = 4, .value = value, .writes = &write});
}
static inline uint64_t got(uint32_t at) {
  uint32_t write = 0;
  struct pci_target_give give = {.address = REGISTERS + at, .bytes = 4, .writes = &write};
  call_pci_target_give(test_engine(), BUS, PCI_PORT_SLOT + 1, &give);
  return give.value;
}
static inline void begin(uint32_t engine, uint64_t host, uint64_t card, uint64_t go) {
  set(engine * 0x20, host), set(engine * 0x20 + 8, card), set(engine * 0x20 + 0x10, go);
}

/* Engines start 1 us after their last register write. Memory moves 1 B/ns and answers after 100 ns, the
 * bridge 100 ns later. The ring takes 1 ns per byte for a round. */
static inline void round_engines(void) {
  round_numbers();
  PARAMS("gt", gt)->start = 1000 * NS, PARAMS("gt", gt)->read_line = 64;
  PARAMS("bridge", bridge)->read_ahead = 100 * NS;
  PARAMS("bus", pci)->latency_timer = 66; /* address, decode and 256 B */
  PARAMS("memory", memory)->latency = 100 * NS, PARAMS("memory", memory)->bandwidth = 1000000000;
  PARAMS("ring", ring)->rate = 1000000000, PARAMS("ring", ring)->node_latency = 0;
}

#define BURST(time, name, at, what, why) {(time) * NS, PCI_EV_##name, HOST + (at), what, 1, OF_CARD(why)}
#define REGISTER(at, why) EVENT(0, ACCEPT, REGISTERS + (at), 0, 4, why)
#endif
