/*
 * A small real-time kernel on one or several processors.
 *
 *   thread --call--> [interrupts held off: call time] --+-- can go on ---------------------------> done
 *                                                       +-- cannot: block ... handed over, woken --> done
 *
 * Each processor runs its ready thread of highest priority (the processor's own task). The state shared by
 * threads of several processors is here: locks, semaphores, queues, time. An object is handed directly to the
 * blocked thread, so no other thread can take it between the wake-up and the run. A thread on another
 * processor, or one that a timer wakes, is woken by an interrupt of its processor.
 */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include "core/engine.h"
#include "gen/protocols.h"
#include "service.h"

#define KERNEL_CPUS 8u
#define KERNEL_ROWS (KERNEL_CPUS * CALLS_PER_CPU)
#define KERNEL_OBJECTS 16u
#define KERNEL_NOBODY 0xffffffffu

enum kernel_self { KERNEL_TIMER = 1 };

struct kernel_state {
  uint32_t calls_at;
  uint32_t tasks_at;
  uint32_t locks_at;
  uint32_t semaphores_at;
  uint32_t queues_at;
  uint32_t messages_at;
};

typedef struct kernel_calls kernel_call;

static inline kernel_call *kernel_call_of(sim *m, struct kernel *kernel, uint32_t row) {
  return (kernel_call *)sim_at(m, kernel->state->calls_at) + row;
}
static inline struct kernel_tasks *kernel_task_of(sim *m, struct kernel *kernel, uint32_t row) {
  return (struct kernel_tasks *)sim_at(m, kernel->state->tasks_at) + row;
}
static inline uint32_t *kernel_owner_of(sim *m, struct kernel *kernel, uint32_t lock) {
  return &((struct kernel_locks *)sim_at(m, kernel->state->locks_at) + lock)->owner;
}
static inline uint32_t *kernel_value_of(sim *m, struct kernel *kernel, uint32_t semaphore) {
  return &((struct kernel_semaphores *)sim_at(m, kernel->state->semaphores_at) + semaphore)->value;
}
static inline struct kernel_queues *kernel_queue_of(sim *m, struct kernel *kernel, uint32_t queue) {
  return (struct kernel_queues *)sim_at(m, kernel->state->queues_at) + queue;
}

#endif
