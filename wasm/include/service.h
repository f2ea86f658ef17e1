/*
 * Functions of services that stop and go on. A service is asked for one step of a call after another (ports.h); a
 * function that awaits a step returns it, and asked for the next one goes on behind that place:
 *
 *     static uint32_t lock(by *m, uint32_t self, struct kernel_calls *call, struct os_next *p) {
 *       RESUME(call) {
 *         AWAIT(call, KERNEL_STEP_ENTERED, STEP_OF_WORK(p, time, PROCESSOR_STATE_KERNEL, 1));
 *         if (taken) AWAIT(call, KERNEL_STEP_BLOCKED, STEP_BLOCK);
 *       }
 *       return STEP_DONE;
 *     }
 *
 * The place is kept in the row of the call, under a name of the manifest's `step` whose first member stands for the
 * beginning: views tell where a call is, and states do not depend on how code is laid out. What lives longer than
 * one step lies in the row, never in a local variable.
 */
#ifndef BY_SERVICE_H
#define BY_SERVICE_H

#include "ports.h"

#define RESUME(call) switch ((call)->step) case 0:

#define AWAIT(call, place, how) \
  do {                          \
    (call)->step = (place);     \
    return (how);               \
    case (place):;              \
  } while (0)

/* Another service's steps, until it is done; `next` asks for one. */
#define AWAIT_SERVICE(call, place, next)    \
  do {                                      \
    (call)->step = (place);                 \
    __attribute__((fallthrough));           \
    case (place): {                         \
      uint32_t step_ = (next);              \
      if (step_ != STEP_DONE) return step_; \
    }                                       \
  } while (0)

/* Work of a service: with `held`, no interrupt is taken meanwhile. */
#define STEP_OF_WORK(p, time, shown, held) ((p)->value = (time), (p)->state = (shown), (p)->detail = (held), (uint32_t)STEP_SPEND)

#endif
