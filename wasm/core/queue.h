/*
 * Where pending messages lie: a short sorted list of the next ones, a heap behind it, and slots with their bodies.
 */
#ifndef BY_CORE_QUEUE_H
#define BY_CORE_QUEUE_H

#include "core/engine.h"

#define SLOT_BITS 20
#define ORDER_BITS 40
#define SOON 64u

static inline struct by_entry *soon(by *m) { return by_at(m, m->soon_at); }
static inline struct by_entry *later(by *m) { return soon(m) + SOON; }
static inline by_msg *slots(by *m) { return by_at(m, m->slots_at); }
static inline uint32_t *free_slots(by *m) { return by_at(m, m->free_at); }
static inline uint32_t slot_of(struct by_entry entry) { return (uint32_t)(entry.key & ((1u << SLOT_BITS) - 1)); }

#endif
