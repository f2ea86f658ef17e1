#ifndef GT_ROUND_H
#define GT_ROUND_H
/* The machine of a GT card with parameters that give whole numbers, for tests whose times are computed beside them. */
#include "host/gt_machine.h"

#define HOST 0x1000ull
#define NS 1000ull
#define US 1000000ull
#define REGISTERS 0xf0000000ull
#define END_ROW ROW(END, 0, 0, 0, 0, 0, 0)

static void opened(const struct gt_machine *g, const uint64_t *program, uint32_t values) {
  struct session s = gt_machine_session(g, program, values / ROW_FIELDS);
  assert_int_equal(session_open(&s), BY_OK);
}
#define OPEN(g, program) opened(&(g), program, sizeof(program) / 8)

#define TOLD(time, name, a, b, c, why) {(time) * NS, GT_EV_##name, a, b, c, why}
#define OF_CARD(name) BECAUSE(CARD, GT_EV_##name)
#define BUS_STARTS BECAUSE(BUS, PCI_EV_START)
#define STORED BECAUSE(CPU, PROCESSOR_EV_STORE)
#define WRITES(from, to, at) {(from) * NS, PCI_EV_START, CARD_BASE + (at), PCI_COMMAND_WRITE, 0, STORED}, {(to) * NS, PCI_EV_END, CARD_BASE + (at), 4, 0, OF_CARD(ACCEPT)}

static void run_out(void) { session_run(); }

static const uint64_t nothing[] = {END_ROW};

/* A bus of 10 ns clocks, a card and memory whose times are whole clocks, and software that takes no time. */
static struct gt_machine round_numbers(void) {
  struct gt_machine g = gt_machine_defaults();
  g.bus.clock = 100000000, g.bus.width = 4, g.bus.decode = 1, g.bus.block = 256;
  g.cpu.pio_write_call = g.cpu.pio_read_call = 0;
  g.cpu.store_time = 5 * NS, g.cpu.load_time = 7 * NS;
  g.bridge.crossing = 30 * NS, g.bridge.posts = 2;
  g.card.accept = 100 * NS, g.card.read_latency = 200 * NS, g.card.read_recovery = 500 * NS, g.card.read_credit = 2;
  g.memory.tracked = g.card.tracked = 64 << 10;
  return g;
}
#endif
