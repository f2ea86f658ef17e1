/*
 * Events in any order. When the order is left open, the next event is a free choice among the oldest
 * pending of each kind on each way: what is sent on one way keeps its order, all else may overtake. Times
 * then mean nothing but the number of steps.
 */
#include "core/keep.h"

#define ANY_MOST SOON /* none of them waits in the heap */

static inline uint64_t push_order(const struct by_entry *e) { return e->key >> SLOT_BITS & ((1ull << ORDER_BITS) - 1); }
static inline by_msg *message(by *m, uint32_t i) { return &slots(m)[slot_of(soon(m)[i])]; }

/* Messages to oneself also differ by their address: it says whom they are about. */
static int same_way(const by_msg *a, const by_msg *b) {
  return a->to == b->to && a->port == b->port && a->kind == b->kind && (a->port != BY_PORT_SELF || a->addr == b->addr);
}

/* Pending events in the order they were sent. */
static uint32_t in_order(by *m, uint32_t *order) {
  uint32_t n = m->pending;
  if (n > ANY_MOST) __builtin_trap();
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = i;
    while (at > 0 && push_order(&soon(m)[order[at - 1]]) > push_order(&soon(m)[i])) order[at] = order[at - 1], at--;
    order[at] = i;
  }
  return n;
}

static void remove_pending(by *m, uint32_t i) {
  free_slots(m)[m->free_count++] = slot_of(soon(m)[i]);
  soon(m)[i] = soon(m)[--m->pending];
}

uint32_t by_in_flight(by *m, uint32_t kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->pending; i++) n += message(m, i)->port != BY_PORT_SELF && message(m, i)->kind == kind;
  return n;
}

/* A way that is played has an end. */
static int way_ends(by *m) {
  if (m->events > m->steps) return 0;
  by_msg msg = {.to = (uint16_t)(m->told - 1), .port = BY_PORT_SELF, .kind = BY_WAY_ENDS};
  m->time += m->free_order;
  m->events++;
  m->cause = (uint32_t)m->seq;
  by_dispatch_on(by_part(m, msg.to)->type, m, msg.to, &msg);
  return 1;
}

int by_step_any(by *m) {
  if (m->steps && m->events >= m->steps) return way_ends(m);
  uint32_t order[ANY_MOST], able[ANY_MOST], n = in_order(m, order), count = 0;
  for (uint32_t i = 0; i < n; i++) {
    int first = 1;
    for (uint32_t j = 0; j < i && first; j++) first = !same_way(message(m, order[i]), message(m, order[j]));
    if (first) able[count++] = order[i];
  }
  if (count == 0) return 0;
  uint32_t pick = able[by_choose(m, BY_CHOOSE_EVENT, count)];
  by_msg msg = *message(m, pick);
  remove_pending(m, pick);
  m->time += m->free_order;
  m->events++;
  m->cause = msg.cause;
  by_dispatch_on(by_part(m, msg.to)->type, m, msg.to, &msg);
  return 1;
}

/* Pending messages, oldest first. For comparison their order counts only on one way. */
static void keep_pending(by *m, struct by_keeper *k) {
  uint32_t order[ANY_MOST], n = m->pending;
  if (k->mode != KEEP_LOAD) in_order(m, order);
  if (k->mode == KEEP_COMPARE) /* ways in a fixed order; insertion keeps what is equal as it was */
    for (uint32_t i = 1; i < n; i++)
      for (uint32_t j = i; j > 0; j--) {
        const by_msg *a = message(m, order[j - 1]), *b = message(m, order[j]);
        uint64_t ka = (uint64_t)a->to << 48 | (uint64_t)a->port << 40 | (uint64_t)a->kind << 32 | (uint32_t)(a->port == BY_PORT_SELF ? a->addr : 0);
        uint64_t kb = (uint64_t)b->to << 48 | (uint64_t)b->port << 40 | (uint64_t)b->kind << 32 | (uint32_t)(b->port == BY_PORT_SELF ? b->addr : 0);
        if (ka <= kb) break;
        uint32_t swap = order[j];
        order[j] = order[j - 1];
        order[j - 1] = swap;
      }
  by_keep_small(k, &n);
  if (k->mode == KEEP_LOAD) {
    m->pending = 0;
    m->pushes = 0;
    m->free_count = m->pending_limit;
    for (uint32_t i = 0; i < m->pending_limit; i++) free_slots(m)[i] = m->pending_limit - 1 - i;
  }
  for (uint32_t i = 0; i < n; i++) {
    by_msg msg = {0};
    if (k->mode != KEEP_LOAD) msg = *message(m, order[i]);
    uint32_t x = msg.to | (uint32_t)msg.port << 16 | (uint32_t)msg.kind << 24;
    by_keep(k, &x, sizeof x);
    by_keep(k, &msg.addr, sizeof msg.addr);
    by_keep(k, &msg.x, sizeof msg.x);
    by_keep(k, &msg.y, sizeof msg.y);
    if (k->mode != KEEP_LOAD) continue;
    msg.to = (uint16_t)x;
    msg.port = (uint8_t)(x >> 16);
    msg.kind = (uint8_t)(x >> 24);
    by_push(m, 0, 0, &msg);
  }
}

void by_keep_all(by *m, struct by_keeper *k) {
  k->n = k->names = k->copies_old = 0;
  for (uint32_t i = 0; i < m->part_count; i++) by_dispatch_keep(by_part(m, i)->type, m, i, k);
  keep_pending(m, k);
}
