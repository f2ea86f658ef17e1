/* The machine "kernel": one or two processors whose calls, switches and interrupts take whole microseconds.
 * For unit tests in C. */
#ifndef SIM_TEST_KERNEL_H
#define SIM_TEST_KERNEL_H

#include "test/testing.h"

#define US 1000000ull
#define ROW(op, time, tag) PROCESSOR_OP_##op, 0, 0, 0, 4, (time) * US, 0, tag
#define MESSAGE(op, address, length, tag) PROCESSOR_OP_##op, address, 0, length, 4, 0, 0, tag
#define NEXT(priority) PROCESSOR_OP_THREAD, 0, 0, 0, 4, 0, priority, 0
#define LOOP(times) PROCESSOR_OP_REPEAT, 0, 0, 0, 4, 0, times, 0
#define END ROW(END, 0, 0)
#define PROGRAM(name, ...) static const uint64_t name[] = {__VA_ARGS__}

#define KERNEL part_named("kernel")
#define CPU part_named("cpu0")
#define KERNEL_COUNT(name) (COUNTERS("kernel", kernel)->name)
#define CPU_COUNT(n, name) (COUNTERS((n) ? "cpu1" : "cpu0", processor)->name)
#define KERNEL_EVENT(time, kind, a, b, c) {(time) * US, KERNEL_EV_##kind, a, b, c, ANY_CAUSE}

/* The first processor alone, or both. */
static inline void one(const uint64_t *program, uint32_t count) {
  machine("kernel");
  machine_without("cpu1");
  machine_rows("cpu0", 0, program, count);
}
static inline void two(
    const uint64_t *first, uint32_t first_count, const uint64_t *second, uint32_t second_count) {
  machine("kernel");
  machine_rows("cpu0", 0, first, first_count);
  machine_rows("cpu1", 0, second, second_count);
}

/* Switches, wakes and interrupts take no time. */
static inline void quick(void) {
  for (uint32_t i = 0; i < 2; i++) {
    struct processor_params *cpu = PARAMS(i ? "cpu1" : "cpu0", processor);
    cpu->switch_time = cpu->wake_time = cpu->interrupt_time = 0;
  }
}
static inline void two_quick(
    const uint64_t *first, uint32_t first_count, const uint64_t *second, uint32_t second_count) {
  two(first, first_count, second, second_count);
  quick();
}

/* Runs it; returns the end time. */
static inline uint64_t time_of_run(void) {
  machine_run();
  return test_engine()->time;
}

#endif
