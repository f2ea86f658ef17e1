/* A processor whose switches, wakes and interrupts take whole microseconds, in the machine of a GT card: for tests in C. */
#ifndef SIM_PROCESSOR_MACHINE_H
#define SIM_PROCESSOR_MACHINE_H

#include "test/gt_machine.h"

#define US 1000000ull
#define NS 1000ull
#define END_ROW ROW(END, 0, 0, 0, 0, 0, 0)
#define DO(op, time, count, tag) ROW(op, 0, 0, 0, time, count, tag)

static inline struct gt_machine round_numbers(void) {
  struct gt_machine g = gt_machine_defaults();
  g.cpu.switch_time = 3 * US, g.cpu.wake_time = 2 * US, g.cpu.interrupt_time = 5 * US, g.cpu.quantum = 1000 * US;
  g.cpu.copy_write_call = g.cpu.copy_read_call = g.cpu.pio_write_call = g.cpu.pio_read_call = 0;
  g.cpu.copy_word = 10 * NS, g.cpu.line = g.cache.line = 32;
  g.memory.latency = 100 * NS, g.memory.bandwidth = 1000000000; /* a line moves in 32 ns */
  return g;
}

static inline int opened(const struct gt_machine *g, const uint64_t *program, uint32_t values) {
  struct session s = gt_machine_session(g, program, values / ROW_FIELDS);
  return session_open(&s);
}
static inline uint64_t time_of(const struct gt_machine *g, const uint64_t *program, uint32_t values) {
  assert_int_equal(opened(g, program, values), SIM_OK);
  session_run();
  return test_engine()->time;
}
#define TIME(g, program) time_of(&(g), program, sizeof(program) / 8)
#define COUNT(name) (GT_COUNTERS(CPU, processor)->name)

#endif
