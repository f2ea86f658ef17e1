/*
 * The rule of re-entrancy. A part that is being called may answer, call parts further on, and schedule events
 * for itself. It does not call back along the chain of callers: their state may be inconsistent until the
 * call returns. What is to happen there follows from the answer, or from a message that arrives later.
 *
 *     adapter --grant--> device --request--> adapter        a notification: the adapter records it for later
 *     adapter --grant--> device --grant--> adapter          stopped: the adapter is choosing
 *
 * Exceptions are declared by the protocol with "reentrant". A "notification" is only recorded by its
 * receiver, which acts on it when its own call is done. "bookkeeping" reads or writes the simulator's
 * knowledge about data, such as the newest write or the contents of a descriptor in memory; the machine does
 * not change. Builds with SIM_ASSERTS stop at any other callback, except in exploration, where one step can
 * handle several events.
 */
#ifndef SIM_CORE_REENTRANCY_H
#define SIM_CORE_REENTRANCY_H

#ifdef SIM_ASSERTS
#include "gen/protocols.h"

#define SIM_CALL_DEPTH 64u

/* The chain of callers, from the part that handles an event. Not part of the machine's state. */
static struct {
  uint32_t depth;
  uint16_t part[SIM_CALL_DEPTH];
} sim_call_stack;

static inline void sim_leave_call(const uint32_t *depth) { sim_call_stack.depth = *depth; }

static inline uint32_t sim_enter_call(sim *m, uint32_t self, uint32_t port, uint32_t kind) {
  uint32_t depth = sim_call_stack.depth, part = sim_wire(m, self, port)->part;
  sim_call_stack.part[sim_call_stack.depth++ % SIM_CALL_DEPTH] = (uint16_t)self;
  for (uint32_t i = 0; i < sim_call_stack.depth && !m->explore_step_time && !sim_is_reply(kind); i++)
    if (sim_call_stack.part[i] == part) sim_reentrant_call(m, self, port, kind);
  return depth;
}

#define SIM_CALL_OF(m, self, port, kind) \
  __attribute__((cleanup(sim_leave_call))) uint32_t call_depth_ = sim_enter_call(m, self, port, kind)
#define SIM_CALL_STACK_EMPTY() (sim_call_stack.depth = 0) /* an engine that stopped leaves callers behind */
#else
#define SIM_CALL_OF(m, self, port, kind)
#define SIM_CALL_STACK_EMPTY()
#endif

#endif
