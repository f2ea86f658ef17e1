/*
 * The event queue, ordered by (time, phase, push order). Machines have few pending events. The next ones are
 * in a short sorted list whose last entry is the next event, so removing it costs nothing, and most messages
 * are inserted near the end. The rest is in a heap. Entries are 16 bytes; message bodies stay in fixed slots,
 * even while they are handled.
 *
 *     soon:  [ ... | second | next ]     at most SOON; all of them before any in `later`
 *     later: binary heap
 */
#include "core/queue.h"

/* A queue for `capacity` messages plus the one being handled, which keeps its slot. */
static int queue(sim *m, uint32_t limit) {
  struct sim_entry *h = sim_alloc(m, SOON + ++limit, sizeof *h);
  sim_msg *s = sim_alloc(m, limit, sizeof *s);
  uint32_t *f = sim_alloc(m, limit, sizeof *f);
  if (sim_refused(m)) return 1;
  m->soon_at = sim_offset(m, h);
  m->slots_at = sim_offset(m, s);
  m->free_at = sim_offset(m, f);
  m->pending_limit = m->free_count = limit;
  for (uint32_t i = 0; i < limit; i++) f[i] = limit - 1 - i;
  return SIM_OK;
}

SIM_COLD void heap_push(sim *m, struct sim_entry entry) {
  struct sim_entry *h = later(m);
  uint32_t at = m->later++;
  for (; at > 0 && before(entry, h[(at - 1) / 2]); at = (at - 1) / 2) h[at] = h[(at - 1) / 2];
  h[at] = entry;
}

/* Sifts an entry down from the hole at `at`. */
static SIM_COLD void heap_sift_down(sim *m, uint32_t at, struct sim_entry entry) {
  struct sim_entry *h = later(m);
  for (uint32_t child; (child = 2 * at + 1) < m->later; at = child) {
    if (child + 1 < m->later && before(h[child + 1], h[child])) child++;
    if (!before(h[child], entry)) break;
    h[at] = h[child];
  }
  h[at] = entry;
}

static SIM_COLD struct sim_entry heap_pop(sim *m) {
  struct sim_entry *h = later(m), root = h[0], last = h[--m->later];
  heap_sift_down(m, 0, last);
  return root;
}

/* Half of a full list moves to the heap. */
SIM_COLD void spill_to_heap(sim *m) {
  struct sim_entry *s = soon(m);
  for (uint32_t i = 0; i < SOON / 2; i++) heap_push(m, s[i]);
  m->pending -= SOON / 2;
  for (uint32_t i = 0; i < m->pending; i++) s[i] = s[i + SOON / 2];
}

/* The list is empty: the heap's next entries move there. */
static SIM_COLD void refill(sim *m) {
  uint32_t n = m->later < SOON / 2 ? m->later : SOON / 2;
  m->pending = n;
  while (n > 0) soon(m)[--n] = heap_pop(m);
}

void sim_push(sim *m, uint64_t time, uint32_t phase, const sim_msg *msg) {
  slots(m)[enqueue(m, time, phase)] = *msg;
}

/* Whether any event is pending; if so, the list holds the next one. */
static inline int pending(sim *m) {
  if (m->pending == 0 && m->later > 0) refill(m);
  return m->pending > 0;
}

/* The message of a list entry, and its push order. */
static inline sim_msg *message(sim *m, uint32_t i) { return &slots(m)[slot_of(soon(m)[i])]; }
static inline uint64_t push_order(const struct sim_entry *e) {
  return e->key >> SLOT_BITS & ((1ull << ORDER_BITS) - 1);
}

/* Begins the next event; its message keeps its slot until the slot is released. */
static inline sim_msg *take(sim *m, uint32_t *slot) {
  struct sim_entry next = soon(m)[--m->pending];
  m->time = next.time;
  return &slots(m)[*slot = slot_of(next)];
}

void sim_post(sim *m, uint32_t self, uint32_t port, uint64_t delay, uint32_t phase, uint32_t kind,
    uint64_t addr, uint32_t x, uint32_t y) {
  const struct sim_wire *wire = sim_wire(m, self, port);
  if (!wire->type) sim_unconnected(m, self, port, kind);
  slots(m)[enqueue(m, m->time + delay, phase)] =
      (sim_msg){addr, x, y, m->cause, wire->part, wire->port, (uint8_t)kind};
}

uint32_t sim_schedule_with(sim *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind,
    uint64_t addr, uint32_t x, uint32_t y) {
  uint32_t slot = enqueue(m, m->time + delay, phase);
  slots(m)[slot] = (sim_msg){addr, x, y, m->cause, (uint16_t)self, SIM_PORT_SELF, (uint8_t)kind};
  return slot;
}
uint32_t sim_schedule_for(sim *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind, uint32_t x) {
  return sim_schedule_with(m, self, delay, phase, kind, 0, x, 0);
}
uint32_t sim_schedule(sim *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind) {
  return sim_schedule_often(m, self, delay, phase, kind);
}

/* Removes entry `at` from the heap: the last entry moves up or down from there. */
static SIM_COLD void heap_remove(sim *m, uint32_t at) {
  struct sim_entry *h = later(m), last = h[--m->later];
  if (at == m->later) return;
  for (; at > 0 && before(last, h[(at - 1) / 2]); at = (at - 1) / 2) h[at] = h[(at - 1) / 2];
  heap_sift_down(m, at, last);
}

static inline void free_slot(sim *m, uint32_t slot) { free_slots(m)[m->free_count++] = slot; }

void sim_cancel(sim *m, uint32_t name) {
  struct sim_entry *s = soon(m), *h = later(m);
  uint32_t i = m->pending, k = 0;
  while (i > 0 && slot_of(s[i - 1]) != name) i--;
  if (i > 0) {
    m->pending--;
    for (i--; i < m->pending; i++) s[i] = s[i + 1];
  } else {
    while (slot_of(h[k]) != name) k++;
    heap_remove(m, k);
  }
  free_slot(m, name);
}
