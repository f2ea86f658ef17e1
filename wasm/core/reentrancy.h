/*
 * The rule of re-entrancy. A part that is being asked may answer, ask parts further on, and leave notes for itself. It does
 * not ask back along the chain that is asking it: those parts are in the middle of something, and what they would
 * answer depends on how far they are. What is to happen at their end happens when the asker has finished: as its
 * answer, or as a message that arrives later.
 *
 *     adapter --grant--> device --request--> adapter        a note: the device will have more to say, and is heard later
 *     adapter --grant--> device --grant--> adapter          stopped: the adapter is choosing
 *
 * What may go back all the same a protocol declares with "back". A "note" is only written down by whoever hears it and
 * acted on when what it is doing is done. The "books" are what is known about data, as which write is the newest, or what
 * a descriptor in memory says: nothing happens when somebody looks there. Builds with SIM_ASSERTS stop at anything else,
 * except where the order of events is left open: there several events are one, and who follows asks in the name of the next.
 */
#ifndef SIM_CORE_ASKING_H
#define SIM_CORE_ASKING_H

#ifdef SIM_ASSERTS
#include "gen/protocols.h"

#define SIM_CALL_DEPTH 64u

/* The parts that are asking, from the one that handles an event on. No part of the machine's state. */
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

#define SIM_CALL_OF(m, self, port, kind) __attribute__((cleanup(sim_leave_call))) uint32_t asking_ = sim_enter_call(m, self, port, kind)
#define SIM_CALL_STACK_EMPTY() (sim_call_stack.depth = 0) /* an engine that stopped has left some behind */
#else
#define SIM_CALL_OF(m, self, port, kind)
#define SIM_CALL_STACK_EMPTY()
#endif

#endif
