/*
 * The host bridge.
 *
 *   processors ==> [ posting buffer ] ==> PCI bus        stores leave in order; a read goes behind them
 *   processors <--> memory                               cache lines
 *   PCI masters <--> memory, with a snoop of the caches
 *
 * The posting buffer holds reads too, as the last thing to leave before their processor goes on:
 * that is the rule that a read pushes posted writes ahead of it.
 */
#include "core/engine.h"
#include "ports.h"

#define BRIDGE_CPUS 4u
#define SCRATCH 1024u /* identity words of one burst block: 4 KiB */

enum bridge_self { BRIDGE_FILLED = 1 };

struct bridge_state {
  uint64_t full_since, await_when[BRIDGE_CPUS];
  uint32_t now_at, posts_at, scratch_at, capacity;
  uint32_t awaiting, stores; /* awaiting: a bit per processor that wants room */
};

static struct bridge_posts *bridge_entry(by *m, struct bridge_state *s, uint32_t i) {
  struct bridge_now *now = by_at(m, s->now_at);
  uint32_t at = now->head + i, rows = s->capacity + BRIDGE_CPUS;
  return (struct bridge_posts *)by_at(m, s->posts_at) + (at < rows ? at : at - rows);
}

/* Shows that stores wait, or no longer do; it is not what later events follow from. */
static void bridge_show(by *m, uint32_t self, uint32_t state) {
  uint32_t cause = m->cause;
  by_trace(m, self, BRIDGE_EV_LEVEL, 0, state, 0);
  m->cause = cause;
}

static void bridge_add(by *m, uint32_t self, struct bridge_posts entry) {
  struct bridge_state *s = BY_STATE(m, self, bridge);
  struct bridge_now *now = by_at(m, s->now_at);
  entry.cause = m->cause;
  *bridge_entry(m, s, now->waiting) = entry;
  if (now->waiting++ == 0) by_ask(m, self, BRIDGE_PORT_PCI, PCI_REQUEST, &(by_poll){0});
}

static uint32_t bridge_post(by *m, uint32_t self, const by_poll *p) {
  struct bridge_state *s = BY_STATE(m, self, bridge);
  struct bridge_counters *c = BY_COUNTERS(m, self, bridge);
  if (s->stores >= s->capacity) return 0;
  if (s->stores++ == 0) bridge_show(m, self, BRIDGE_STATE_POSTING);
  if (s->stores == s->capacity) s->full_since = m->time;
  c->posted++;
  c->fullest = by_max(c->fullest, s->stores);
  bridge_add(m, self, (struct bridge_posts){p->addr, p->when, p->x, p->y, 0, 0});
  return 1 + s->capacity - s->stores;
}

/* Tells one waiting processor, the first in port order, that there is room. */
static void bridge_room(by *m, uint32_t self) {
  struct bridge_state *s = BY_STATE(m, self, bridge);
  if (!s->awaiting || s->stores >= s->capacity) return;
  uint32_t cpu = (uint32_t)__builtin_ctz(s->awaiting);
  s->awaiting &= s->awaiting - 1;
  uint64_t when = by_max(s->await_when[cpu], m->time);
  by_out(m, self, BRIDGE_PORT_CPU + cpu, when - m->time, BY_PHASE_ANSWER, FRONT_ROOM, 0, 0, 0);
}

static uint32_t bridge_from_cpu(by *m, uint32_t self, uint32_t cpu, uint32_t kind, by_poll *p) {
  struct bridge_state *s = BY_STATE(m, self, bridge);
  if (kind == FRONT_POST) return bridge_post(m, self, p);
  if (kind == FRONT_AWAIT) {
    s->awaiting |= 1u << cpu;
    s->await_when[cpu] = p->when;
    bridge_room(m, self);
    return 0;
  }
  p->when = BY_NEVER;
  return by_ask(m, self, BRIDGE_PORT_MEMORY, p->y ? MEMORY_WRITE : MEMORY_READ, p);
}

/* The oldest entry asks for the bus. */
static uint32_t bridge_grant(by *m, struct bridge_state *s, by_poll *p) {
  struct bridge_now *now = by_at(m, s->now_at);
  if (now->waiting == 0) return 0;
  struct bridge_posts *entry = bridge_entry(m, s, 0);
  p->addr = entry->addr;
  p->x = entry->bytes;
  p->y = entry->read ? PCI_COMMAND_READ : PCI_COMMAND_WRITE;
  m->cause = entry->cause;
  return 1;
}

static uint32_t bridge_moved(by *m, uint32_t self, const by_poll *p) {
  struct bridge_state *s = BY_STATE(m, self, bridge);
  struct bridge_now *now = by_at(m, s->now_at);
  int aborted = p->x == 0 && p->y; /* nobody claims the address: a store is lost, a read brings all ones */
  if (p->x > 0 || aborted) {
    struct bridge_posts *entry = bridge_entry(m, s, 0);
    int store = entry->read == 0;
    if (aborted && !store) by_out(m, self, BRIDGE_PORT_CPU + entry->read - 1, BY_PARAMS(m, self, bridge)->crossing, BY_PHASE_ANSWER, FRONT_DATA, UINT32_MAX, 0, 0);
    now->head = now->head + 1 < s->capacity + BRIDGE_CPUS ? now->head + 1 : 0;
    now->waiting--;
    if (store) {
      if (s->stores == s->capacity) BY_COUNTERS(m, self, bridge)->full_time += m->time - s->full_since;
      if (--s->stores == 0) bridge_show(m, self, BRIDGE_STATE_EMPTY);
      bridge_room(m, self);
    }
  }
  if (now->waiting > 0) by_ask(m, self, BRIDGE_PORT_PCI, PCI_REQUEST, &(by_poll){0});
  return 0;
}

/* The bridge as master: its store's value goes out, its read's value comes in. */
static void bridge_master_data(by *m, uint32_t self, uint32_t kind, by_poll *p) {
  struct bridge_state *s = BY_STATE(m, self, bridge);
  struct bridge_posts *entry = bridge_entry(m, s, 0);
  if (kind == PCI_GIVE) {
    p->words[0] = entry->write;
    p->when = entry->value;
    return;
  }
  by_out(m, self, BRIDGE_PORT_CPU + entry->read - 1, BY_PARAMS(m, self, bridge)->crossing, BY_PHASE_ANSWER, FRONT_DATA, p->when, p->words[0], p->y);
}

/* The bridge as target: a device reads or writes memory. */
static uint32_t bridge_target_begin(by *m, uint32_t self, by_poll *p) {
  struct bridge_counters *c = BY_COUNTERS(m, self, bridge);
  uint32_t bytes = p->x;
  by_poll access = {.addr = p->addr, .x = bytes, .when = m->time};
  if (p->y == PCI_COMMAND_READ) {
    by_ask(m, self, BRIDGE_PORT_MEMORY, MEMORY_READ, &access);
    p->when = access.when + BY_PARAMS(m, self, bridge)->read_ahead;
    c->device_reads += bytes;
  } else {
    p->when = m->time; /* writes are posted towards memory */
  }
  return bytes;
}

static void bridge_target_data(by *m, uint32_t self, uint32_t kind, by_poll *p) {
  struct bridge_counters *c = BY_COUNTERS(m, self, bridge);
  by_poll access = {.addr = p->addr, .x = p->x, .when = kind == PCI_TAKE ? m->time : BY_NEVER, .words = p->words};
  by_ask(m, self, BRIDGE_PORT_MEMORY, kind == PCI_TAKE ? MEMORY_WRITE : MEMORY_READ, &access);
  if (kind != PCI_TAKE) return;
  c->device_writes += p->x;
  for (uint32_t cpu = 0; cpu < BRIDGE_CPUS; cpu++)
    if (by_wired(m, self, BRIDGE_PORT_CPU + cpu)) {
      by_poll snoop = {.addr = p->addr, .x = p->x};
      c->lines_dropped += by_ask(m, self, BRIDGE_PORT_CPU + cpu, FRONT_SNOOP, &snoop);
    }
}

static uint32_t bridge_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  struct bridge_state *s = BY_STATE(m, self, bridge);
  if (port < BRIDGE_CPUS) return bridge_from_cpu(m, self, port, kind, p);
  switch (kind) {
    case PCI_WINDOW:
      p->addr = 0; /* memory lies below 2 GiB on this bus */
      p->when = 1ull << 31;
      return p->x == 0;
    case PCI_GRANT: return bridge_grant(m, s, p);
    case PCI_MOVED: return bridge_moved(m, self, p);
    case PCI_BEGIN: return bridge_target_begin(m, self, p);
  }
  if (p->addr < 1ull << 31) bridge_target_data(m, self, kind, p);
  else bridge_master_data(m, self, kind, p);
  return 0;
}

static void bridge_on(by *m, uint32_t self, const by_msg *msg) {
  const struct bridge_params *q = BY_PARAMS(m, self, bridge);
  if (msg->port == BY_PORT_SELF) {
    by_out(m, self, BRIDGE_PORT_CPU + msg->x, 0, BY_PHASE_ANSWER, FRONT_FILLED, msg->addr, 0, 0);
  } else if (msg->kind == FRONT_READ) {
    struct bridge_state *s = BY_STATE(m, self, bridge);
    if (msg->y == 0) { /* on its way in; it joins the queue after the crossing */
      by_msg again = *msg;
      again.y = 1;
      again.cause = by_trace(m, self, BRIDGE_EV_READ, msg->addr, msg->x, s->stores);
      by_push(m, m->time + q->crossing, BY_PHASE_REQUEST, &again);
      return;
    }
    BY_COUNTERS(m, self, bridge)->reads++;
    bridge_add(m, self, (struct bridge_posts){msg->addr, 0, msg->x, 0, 0, msg->port + 1u});
  } else { /* FRONT_FILL */
    by_trace(m, self, BRIDGE_EV_FILL, msg->addr, msg->x, 0);
    if (msg->y) {
      by_poll back = {.addr = msg->addr, .x = msg->x, .when = m->time};
      by_ask(m, self, BRIDGE_PORT_MEMORY, MEMORY_WRITE, &back);
    }
    by_poll fill = {.addr = msg->addr, .x = msg->x, .when = m->time};
    by_ask(m, self, BRIDGE_PORT_MEMORY, MEMORY_READ, &fill);
    by_self(m, self, fill.when - m->time, BY_PHASE_ANSWER, BRIDGE_FILLED, msg->addr, msg->port, 0);
  }
}

static int bridge_changed(by *m, uint32_t self, uint32_t param) {
  (void)m, (void)self;
  return param == BRIDGE_PARAM_POSTS ? BY_NOT_LIVE : BY_OK;
}

static int bridge_load(by *m, uint32_t self) {
  const struct bridge_params *q = BY_PARAMS(m, self, bridge);
  if (q->posts == 0 || q->posts > 64) return by_refuse(m, BY_BAD_PARAM, self, BRIDGE_PARAM_POSTS);
  struct bridge_state *s = by_state_alloc(m, self, sizeof *s);
  void *now = by_view(m, self, BRIDGE_VIEW_NOW, 1, sizeof(struct bridge_now));
  void *posts = by_view(m, self, BRIDGE_VIEW_POSTS, (uint32_t)q->posts + BRIDGE_CPUS, sizeof(struct bridge_posts));
  if (!s || !now || !posts) return BY_NO_MEMORY;
  s->capacity = (uint32_t)q->posts;
  s->now_at = by_offset(m, now);
  s->posts_at = by_offset(m, posts);
  return BY_OK;
}
