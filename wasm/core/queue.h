/*
 * Storage of pending messages: a short sorted list of the next ones, a heap behind it, and slots with their
 * bodies.
 */
#ifndef SIM_CORE_QUEUE_H
#define SIM_CORE_QUEUE_H

#include "core/engine.h"

#define SLOT_BITS 20
#define ORDER_BITS 40
#define SOON 64u

static inline struct sim_entry *soon(sim *m) { return sim_at(m, m->soon_at); }
static inline struct sim_entry *later(sim *m) { return soon(m) + SOON; }
static inline sim_msg *slots(sim *m) { return sim_at(m, m->slots_at); }
static inline uint32_t *free_slots(sim *m) { return sim_at(m, m->free_at); }
static inline uint32_t slot_of(struct sim_entry entry) {
  return (uint32_t)(entry.key & ((1u << SLOT_BITS) - 1));
}

#endif
