/* A kernel with a processor or two, whose calls, switches and interrupts take whole microseconds: for tests in C. */
#ifndef SIM_KERNEL_MACHINE_H
#define SIM_KERNEL_MACHINE_H

#include "test/testing.h"

#define US 1000000ull
#define ROW(op, time, tag) PROCESSOR_OP_##op, 0, 0, 0, 4, (time) * US, 0, tag
#define MESSAGE(op, address, length, tag) PROCESSOR_OP_##op, address, 0, length, 4, 0, 0, tag
#define NEXT(priority) PROCESSOR_OP_THREAD, 0, 0, 0, 4, 0, priority, 0
#define LOOP(times) PROCESSOR_OP_REPEAT, 0, 0, 0, 4, 0, times, 0
#define END ROW(END, 0, 0)
#define PROGRAM(name, ...) static const uint64_t name[] = {__VA_ARGS__}

enum { KERNEL = 0, CPU = 1 };

struct rig {
  struct processor_params cpu;
  struct kernel_params kernel;
  const uint64_t *programs[2];
  uint32_t values[2], cpus;
};

static inline struct rig rig_of(const uint64_t *first, size_t a, const uint64_t *second, size_t b) {
  struct rig r = {PROCESSOR_DEFAULTS, KERNEL_DEFAULTS, {first, second}, {(uint32_t)(a / 8), (uint32_t)(b / 8)}, second ? 2 : 1};
  r.cpu.switch_time = 3 * US, r.cpu.wake_time = 2 * US, r.cpu.interrupt_time = 5 * US, r.cpu.quantum = 1000 * US;
  r.kernel.call_time = 1 * US;
  return r;
}
#define ONE(first) rig_of(first, sizeof(first), NULL, 0)
#define TWO(first, second) rig_of(first, sizeof(first), second, sizeof(second))

static inline struct session session_of(const struct rig *r) {
  struct session s = session_new(1 + r->cpus, r->cpus, 12);
  session_part(&s, SIM_TYPE_KERNEL, (const uint64_t *)&r->kernel, sizeof r->kernel / 8);
  for (uint32_t i = 0; i < r->cpus; i++) {
    session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&r->cpu, sizeof r->cpu / 8);
    session_table(&s, r->programs[i], r->values[i] / 8, 8);
  }
  for (uint32_t i = 0; i < r->cpus; i++) session_wire(&s, KERNEL, KERNEL_PORT_CPU + i, CPU + i, PROCESSOR_PORT_OS);
  return s;
}

static inline uint64_t time_of(const struct rig *r) {
  struct session s = session_of(r);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(test_engine(), 1);
  session_run();
  return test_engine()->time;
}

#define KERNEL_COUNT(name) (SIM_COUNTERS(test_engine(), KERNEL, kernel)->name)
#define KERNEL_SAYS(time, kind, a, b, c) {(time) * US, KERNEL_EV_##kind, a, b, c, ANY_CAUSE}
#define CPU_COUNT(n, name) (SIM_COUNTERS(test_engine(), CPU + (n), processor)->name)

static inline struct rig quick_rig_of(const uint64_t *first, size_t a, const uint64_t *second, size_t b) {
  struct rig r = rig_of(first, a, second, b);
  r.cpu.switch_time = r.cpu.wake_time = r.cpu.interrupt_time = 0;
  return r;
}
#define QUICK(first, second) quick_rig_of(first, sizeof(first), second, sizeof(second))

#endif
