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
 * a descriptor in memory says: nothing happens when somebody looks there. Builds with BY_ASSERTS stop at anything else,
 * except where the order of events is left open: there several events are one, and who follows asks in the name of the next.
 */
#ifndef BY_CORE_ASKING_H
#define BY_CORE_ASKING_H

#ifdef BY_ASSERTS
#include "gen/protocols.h"

#define BY_ASKING_DEPTH 64u

/* The parts that are asking, from the one that handles an event on. No part of the machine's state. */
static struct {
  uint32_t depth;
  uint16_t part[BY_ASKING_DEPTH];
} by_askers;

static inline void by_asked(const uint32_t *depth) { by_askers.depth = *depth; }

static inline uint32_t by_asks(by *m, uint32_t self, uint32_t port, uint32_t kind) {
  uint32_t depth = by_askers.depth, part = by_wire(m, self, port)->part;
  by_askers.part[by_askers.depth++ % BY_ASKING_DEPTH] = (uint16_t)self;
  for (uint32_t i = 0; i < by_askers.depth && !m->free_order && !by_goes_back(kind); i++)
    if (by_askers.part[i] == part) by_asked_back(m, self, port, kind);
  return depth;
}

#define BY_ASK_OF(m, self, port, kind) __attribute__((cleanup(by_asked))) uint32_t asking_ = by_asks(m, self, port, kind)
#define BY_NOBODY_ASKS() (by_askers.depth = 0) /* an engine that stopped has left some behind */
#else
#define BY_ASK_OF(m, self, port, kind)
#define BY_NOBODY_ASKS()
#endif

#endif
