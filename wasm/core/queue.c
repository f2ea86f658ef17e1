/*
 * The event queue: a binary heap of 16-byte entries ordered by (time, phase, push order). Message
 * bodies stay in fixed slots, so sifting moves 16 bytes. While an event is being handled its message
 * stays in its slot, and its place at the root stays a hole, which the first message pushed fills: most
 * events push one.
 */
#include "core/engine.h"

#define SLOT_BITS 20
#define ORDER_BITS 40

static inline struct by_entry *heap(by *m) { return by_at(m, m->heap_at); }
static inline by_msg *slots(by *m) { return by_at(m, m->slots_at); }
static inline uint32_t *free_slots(by *m) { return by_at(m, m->free_at); }

static inline int before(const struct by_entry *a, const struct by_entry *b) {
  return a->time < b->time || (a->time == b->time && a->key < b->key);
}

static void sift_down(by *m, struct by_entry entry, uint32_t n) {
  struct by_entry *h = heap(m);
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= n) break;
    if (child + 1 < n && before(&h[child + 1], &h[child])) child++;
    if (!before(&h[child], &entry)) break;
    h[at] = h[child];
    at = child;
  }
  h[at] = entry;
}

static void sift_up(by *m, struct by_entry entry, uint32_t at) {
  struct by_entry *h = heap(m);
  while (at > 0) {
    uint32_t parent = (at - 1) / 2;
    if (!before(&entry, &h[parent])) break;
    h[at] = h[parent];
    at = parent;
  }
  h[at] = entry;
}

/* A place in the queue; the caller writes the message. */
static by_msg *enqueue(by *m, uint64_t time, uint32_t phase) {
  if (m->free_count == 0) __builtin_trap(); /* a part holds more messages in flight than it declared */
  uint32_t slot = free_slots(m)[--m->free_count];
  struct by_entry entry = {time, (uint64_t)phase << (SLOT_BITS + ORDER_BITS) | (m->pushes++ & ((1ull << ORDER_BITS) - 1)) << SLOT_BITS | slot};
  if (m->hole) {
    m->hole = 0;
    sift_down(m, entry, m->pending);
  } else {
    sift_up(m, entry, m->pending++);
  }
  return &slots(m)[slot];
}

void by_push(by *m, uint64_t time, uint32_t phase, const by_msg *msg) { *enqueue(m, time, phase) = *msg; }

/* Begins the next event and returns the slot of its message; its place in the heap is a hole from now on. */
static inline uint32_t take(by *m) {
  struct by_entry root = heap(m)[0];
  m->time = root.time;
  m->hole = 1;
  return (uint32_t)(root.key & ((1u << SLOT_BITS) - 1));
}

/* The event in this slot has been handled. */
static inline void give_back(by *m, uint32_t slot) {
  free_slots(m)[m->free_count++] = slot;
  if (!m->hole) return;
  m->hole = 0;
  struct by_entry *h = heap(m);
  uint32_t last = --m->pending;
  if (last > 0) sift_down(m, h[last], last);
}

void by_out(by *m, uint32_t self, uint32_t port, uint64_t delay, uint32_t phase, uint32_t kind, uint64_t addr, uint32_t x, uint32_t y) {
  const struct by_wire *wire = by_wire(m, self, port);
  *enqueue(m, m->time + delay, phase) = (by_msg){addr, x, y, m->cause, wire->part, wire->port, (uint8_t)kind};
}

void by_self(by *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind, uint64_t addr, uint32_t x, uint32_t y) {
  *enqueue(m, m->time + delay, phase) = (by_msg){addr, x, y, m->cause, (uint16_t)self, BY_PORT_SELF, (uint8_t)kind};
}
