/*
 * Resumable functions of services. A processor requests one step of a call after another (protocols/os.json).
 * A function that awaits a step returns it, and continues from there when the next one is requested:
 *
 *     static uint32_t lock(sim *m, struct kernel *kernel, struct kernel_calls *call, struct os_next *p) {
 *       RESUME(call) {
 *         AWAIT(call, KERNEL_STEP_ENTERED, STEP_OF_WORK(p, time, PROCESSOR_STATE_KERNEL, 1));
 *         if (taken) AWAIT(call, KERNEL_STEP_BLOCKED, OS_STEP_BLOCK);
 *       }
 *       return OS_STEP_DONE;
 *     }
 *
 * The resume point is stored in the row of the call, as a member of the manifest's enum `step` whose first
 * member is the start: views show the progress of a call, and states do not depend on code layout. Data that
 * lives longer than one step is in the row, never in a local variable.
 *
 * Functions call each other: AWAIT_SERVICE forwards the steps of the called function, either of the same
 * service, with its own row, or of another. So the stack of a thread is in rows, one for each function from
 * its program to the innermost, and a request for the next step descends along them.
 *
 * To be included behind gen/protocols.h.
 */
#ifndef SIM_SERVICE_H
#define SIM_SERVICE_H

#include "service_steps.h"

/* Rows of a service for each processor: one for each thread that it can have, and one for its interrupt
   handler. */
#define CALLS_PER_CPU (PROCESSOR_PROGRAM_THREADS + 1u)

/* Rows of a processor that are part of an explored state. */
#define CALLS_EXPLORED 17u

/* Whether a row is part of an explored state; a call in any other row cannot be explored. */
static inline int call_is_explored(uint32_t row, uint32_t op) {
  if (row % CALLS_PER_CPU < CALLS_EXPLORED) return 1;
  if (op) __builtin_trap();
  return 0;
}

/* Names the field of the row that stores the resume point. */
#define RESUME_AT(kept) \
  switch (kept)         \
  case 0:

#define AWAIT_AT(kept, place, how) \
  do {                             \
    (kept) = (place);              \
    return (how);                  \
    case (place):;                 \
  } while (0)

#define AWAIT_SERVICE_AT(kept, place, next)    \
  do {                                         \
    (kept) = (place);                          \
    __attribute__((fallthrough));              \
    case (place): {                            \
      uint32_t step_ = (next);                 \
      if (step_ != OS_STEP_DONE) return step_; \
    }                                          \
  } while (0)

#define RESUME(call) RESUME_AT((call)->step)
#define AWAIT(call, place, how) AWAIT_AT((call)->step, place, how)

/* Forwards another function's steps until it is done; `next` requests one. An error of the called function is
   an error of its caller. */
#define AWAIT_SERVICE(call, place, next) AWAIT_SERVICE_AT((call)->step, place, next)

/* Work of a service; with `held`, interrupts are disabled. */
#define STEP_OF_WORK(p, time, shown, held) \
  ((p)->value = (time), (p)->state = (shown), (p)->detail = (held), (uint32_t)OS_STEP_COMPUTE)
/* A store to or load from a device register; the loaded value is in p->loaded at the next step. */
#define STEP_OF_STORE(p, to, what, shown) \
  ((p)->address = (to), (p)->value = (what), (p)->state = (shown), (uint32_t)OS_STEP_STORE)
#define STEP_OF_LOAD(p, from, shown) ((p)->address = (from), (p)->state = (shown), (uint32_t)OS_STEP_LOAD)

/* In the hints of a mapping call: it belongs to a list that began before it, and more of the list follow. */
#define LIST_CONTINUES 32u
#define LIST_FOLLOWS 64u

/* Begins a call of the service at a port, on behalf of a thread and about an area of memory, in the format of
   mapping calls. */
static inline void call_service_for_list(sim *m, uint32_t self, uint32_t port, uint32_t thread,
    uint32_t operation, uint64_t from, uint64_t bytes, uint32_t list) {
  uint32_t words[10] = {
      (uint32_t)from, (uint32_t)(from >> 32), 0, 0, (uint32_t)bytes, (uint32_t)(bytes >> 32), list, NO_TAG};
  call_os_call(
      m, self, port, &(struct os_call){.thread = thread, .operation = operation, .arguments = words});
}

static inline void call_service(sim *m, uint32_t self, uint32_t port, uint32_t thread, uint32_t operation,
    uint64_t from, uint64_t bytes) {
  call_service_for_list(m, self, port, thread, operation, from, bytes, 0);
}

/* Requests its next step. If an answer was put into `p` before, the thread is past that point. */
static inline uint32_t service_next(
    sim *m, uint32_t self, uint32_t port, uint32_t thread, struct os_next *p) {
  p->thread = thread;
  return call_os_next(m, self, port, p);
}

#endif
