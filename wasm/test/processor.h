/* A processor whose switches, wakes and interrupts take whole microseconds, in the machine of a GT card. For
 * unit tests in C. */
#ifndef SIM_TEST_PROCESSOR_H
#define SIM_TEST_PROCESSOR_H

#include "test/gt.h"

#define DO(op, time, count, tag) ROW(op, 0, 0, 0, time, count, tag)
#define COUNT(name) (COUNTERS("cpu", processor)->name)

static inline void round_numbers(void) {
  machine("gt-and-peer");
  struct processor_params *cpu = PARAMS("cpu", processor);
  cpu->switch_time = 3 * US, cpu->wake_time = 2 * US, cpu->interrupt_time = 5 * US, cpu->quantum = 1000 * US;
  cpu->copy_write_call = cpu->copy_read_call = cpu->pio_write_call = cpu->pio_read_call = 0;
  cpu->copy_word = 10 * NS, cpu->line = PARAMS("cache", cache)->line = 32;
  PARAMS("memory", memory)->latency = 100 * NS,
                   PARAMS("memory", memory)->bandwidth = 1000000000; /* a line moves in 32 ns */
}

static inline int opened(const uint64_t *program, uint32_t count) {
  const struct session s = gt_session(program, count);
  return session_open(&s);
}
static inline uint64_t time_of(const uint64_t *program, uint32_t count) {
  assert_int_equal(opened(program, count), SIM_OK);
  session_run();
  return test_engine()->time;
}
#define TIME(program) time_of(ROWS(program))

#endif
