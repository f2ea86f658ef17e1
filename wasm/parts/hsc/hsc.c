/*
 * The I/O bus between adapter and devices.
 *
 *   device --ask--> [ in turn ] --> address (+ data of a write) --> adapter's buffer
 *   adapter --ask--> [ first of all ] --> data of a read, or a register access --> device
 *
 * What the adapter returns goes first, so that reads end; a device's request goes only when the
 * adapter has a place for it, which is how a slow adapter is felt by the devices.
 */
#include "core/clock.h"
#include "core/engine.h"
#include "hsc.h"

#define HSC_SLOTS 8u

enum hsc_self { HSC_GO = 1, HSC_END };

struct hsc_state {
  struct by_clock clock;
  uint32_t now_at, taken, adapter, answer; /* adapter = it wants the bus; taken = a tenure is scheduled or under way */
};

static void hsc_schedule(by *m, uint32_t self) {
  struct hsc_state *s = BY_STATE(m, self, hsc);
  if (s->taken) return;
  s->taken = 1;
  by_self(m, self, by_clock_edge(&s->clock, m->time) - m->time, BY_PHASE_DECIDE, HSC_GO, 0, 0, 0);
}

static void hsc_occupy(by *m, uint32_t self, const by_poll *p, uint32_t state, uint32_t slot, uint32_t kind, uint64_t cycles) {
  struct hsc_state *s = BY_STATE(m, self, hsc);
  struct hsc_now *now = by_at(m, s->now_at);
  now->state = state;
  now->slot = slot;
  now->bytes = p->x;
  now->kind = kind;
  now->addr = p->addr;
  now->half_0 = p->words[0];
  now->half_1 = p->words[1];
  now->began = m->time;
  now->until = by_clock_after(&s->clock, cycles);
  s->taken = 1;
  BY_COUNTERS(m, self, hsc)->busy_cycles += cycles;
  by_trace(m, self, HSC_EV_START, p->addr, state, slot);
  by_self(m, self, now->until - m->time, BY_PHASE_ANSWER, HSC_END, 0, 0, 0);
}

/* The adapter sends data to a device, or a processor's register access. */
static int hsc_return(by *m, uint32_t self) {
  struct hsc_state *s = BY_STATE(m, self, hsc);
  uint32_t words[2] = {0, 0};
  by_poll p = {.words = words};
  if (!s->adapter) return 0;
  s->adapter = 0;
  if (!by_ask(m, self, HSC_PORT_ADAPTER, HSC_GRANT, &p)) return 0;
  uint32_t slot = p.x, kind = p.y;
  p.x = kind ? 4 : (uint32_t)p.when;
  s->answer = kind ? words[0] : 0;
  if (kind) BY_COUNTERS(m, self, hsc)->registers++;
  else BY_COUNTERS(m, self, hsc)->bytes += p.x;
  hsc_occupy(m, self, &p, kind ? HSC_STATE_REGISTER : HSC_STATE_DATA, slot, kind, kind ? 2 : by_max((p.x + 3) / 4, 1));
  return 1;
}

static uint32_t hsc_pick(by *m, struct hsc_now *now) {
  uint32_t n = m->free_order ? by_choose(m, BY_CHOOSE_ARBITER, (uint32_t)__builtin_popcount(now->requests)) : 0, first = m->free_order ? 0 : now->last + 1;
  for (uint32_t k = 0;; k++) {
    uint32_t slot = (first + k) % HSC_SLOTS;
    if (now->requests & 1u << slot && n-- == 0) return slot;
  }
}

/* Answers 1 if a device has the bus now. */
static int hsc_request(by *m, uint32_t self) {
  struct hsc_state *s = BY_STATE(m, self, hsc);
  struct hsc_counters *c = BY_COUNTERS(m, self, hsc);
  struct hsc_now *now = by_at(m, s->now_at);
  while (now->requests) {
    uint32_t slot = hsc_pick(m, now), words[2] = {0, 0};
    by_poll p = {.words = words};
    if (!by_ask(m, self, HSC_PORT_ADAPTER, HSC_ROOM, &(by_poll){.x = 1})) {
      c->waits++;
      by_trace(m, self, HSC_EV_FULL, 0, 0, slot);
      return 0;
    }
    now->requests &= ~(1u << slot);
    if (!by_ask(m, self, HSC_PORT_SLOT + slot, HSC_GRANT, &p)) continue;
    now->last = slot;
    int data = p.y == HSC_WRITE || p.y == HSC_WRITE_UNLOCK || p.y == HSC_INTERRUPT;
    uint32_t state = p.y == HSC_INTERRUPT ? HSC_STATE_INTERRUPT : data ? HSC_STATE_WRITE : HSC_STATE_READ;
    if (state == HSC_STATE_WRITE) c->writes++, c->bytes += p.x;
    else if (state == HSC_STATE_READ) c->reads++;
    hsc_occupy(m, self, &p, state, slot, p.y, data ? 1 + (p.x + 3) / 4 : 1);
    return 1;
  }
  return 0;
}

static void hsc_go(by *m, uint32_t self) {
  struct hsc_state *s = BY_STATE(m, self, hsc);
  by_clock_edge(&s->clock, m->time);
  s->taken = 1;
  if (hsc_return(m, self) || hsc_request(m, self)) return;
  s->taken = 0;
  if (s->adapter) hsc_schedule(m, self);
}

static void hsc_end(by *m, uint32_t self) {
  struct hsc_state *s = BY_STATE(m, self, hsc);
  struct hsc_now *now = by_at(m, s->now_at);
  uint32_t words[2] = {now->half_0, now->half_1}, state = now->state, slot = now->slot;
  by_poll p = {.addr = now->addr, .x = now->bytes, .words = words};
  now->state = HSC_STATE_IDLE;
  if (state == HSC_STATE_DATA) {
    p.x = now->bytes;
    by_ask(m, self, HSC_PORT_SLOT + slot, HSC_DATA, &p);
  } else if (state == HSC_STATE_REGISTER) {
    p.x = s->answer;
    p.y = now->kind == 2;
    uint32_t value = by_wired(m, self, HSC_PORT_SLOT + slot) ? by_ask(m, self, HSC_PORT_SLOT + slot, HSC_REGISTER, &p) : UINT32_MAX;
    if (p.y) by_ask(m, self, HSC_PORT_ADAPTER, HSC_DATA, &(by_poll){.x = value, .y = words[1]});
  } else {
    p.y = now->kind | slot << 8;
    by_ask(m, self, HSC_PORT_ADAPTER, HSC_PUT, &p);
    if (state != HSC_STATE_READ) by_ask(m, self, HSC_PORT_SLOT + slot, HSC_SENT, &p);
  }
  hsc_go(m, self);
  if (!s->taken) by_trace(m, self, HSC_EV_IDLE, 0, 0, 0);
}

static void hsc_on(by *m, uint32_t self, const by_msg *msg) {
  if (msg->kind == HSC_GO) hsc_go(m, self);
  else hsc_end(m, self);
}

static uint32_t hsc_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  (void)kind, (void)p;
  struct hsc_state *s = BY_STATE(m, self, hsc);
  if (port != HSC_PORT_ADAPTER) ((struct hsc_now *)by_at(m, s->now_at))->requests |= 1u << (port - HSC_PORT_SLOT);
  else if (p->x) s->adapter = 1; /* x = 0: only a place has become free */
  hsc_schedule(m, self);
  return 0;
}

static int hsc_changed(by *m, uint32_t self, uint32_t param) {
  (void)m, (void)self, (void)param;
  return BY_NOT_LIVE;
}

static int hsc_load(by *m, uint32_t self) {
  const struct hsc_params *q = BY_PARAMS(m, self, hsc);
  if (q->clock < 1000000 || q->clock > 200000000) return by_refuse(m, BY_BAD_PARAM, self, HSC_PARAM_CLOCK);
  struct hsc_state *s = by_state_alloc(m, self, sizeof *s);
  void *now = by_view(m, self, HSC_VIEW_NOW, 1, sizeof(struct hsc_now));
  if (!s || !now) return BY_NO_MEMORY;
  s->clock = by_clock_of(q->clock);
  s->now_at = by_offset(m, now);
  return BY_OK;
}
