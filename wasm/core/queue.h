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

static inline int before(struct sim_entry a, struct sim_entry b) {
  return a.time < b.time || (a.time == b.time && a.key < b.key);
}

void heap_push(sim *m, struct sim_entry entry);
void spill_to_heap(sim *m);

/* Allocates a slot in the queue; the caller writes the message there. */
SIM_INLINE uint32_t enqueue(sim *m, uint64_t time, uint32_t phase) {
  if (m->free_count == 0) __builtin_trap(); /* a part has more messages in flight than it declared */
  uint32_t slot = free_slots(m)[--m->free_count];
  struct sim_entry entry = {time, (uint64_t)phase << (SLOT_BITS + ORDER_BITS)
                                      | (m->pushes++ & ((1ull << ORDER_BITS) - 1)) << SLOT_BITS | slot};
  if (m->pending == SOON) spill_to_heap(m);
  if (m->later && !before(entry, later(m)[0])) {
    heap_push(m, entry);
  } else {
    struct sim_entry *first = soon(m), *at = first + m->pending++;
    for (; at > first && before(at[-1], entry); at--) *at = at[-1];
    *at = entry;
  }
  return slot;
}

/* As sim_schedule, inlined, for the parts that schedule most events. */
SIM_INLINE uint32_t sim_schedule_often(sim *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind) {
  uint32_t slot = enqueue(m, m->time + delay, phase);
  slots(m)[slot] = (sim_msg){0, 0, 0, m->cause, (uint16_t)self, SIM_PORT_SELF, (uint8_t)kind};
  return slot;
}

#endif
