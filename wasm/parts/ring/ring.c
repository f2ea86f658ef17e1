/*
 * The network ring as one card sees it. A reservation of the ring's payload rate stands for insertion:
 * this node gets what the other nodes leave, but never less than its fair share. Other nodes' load is
 * smooth; their updates of memory, when asked for, are separate messages.
 */
#include "core/engine.h"
#include "ports.h"

enum ring_self { RING_UPDATE = 1 };

struct ring_state {
  uint32_t now_at, spare;
};

static uint64_t ring_rate(by *m, uint32_t self) {
  const struct ring_params *q = BY_PARAMS(m, self, ring);
  uint64_t fair = q->rate / q->nodes;
  return by_max(fair, q->load < q->rate ? q->rate - q->load : 0);
}

static uint64_t ring_time(by *m, uint32_t self, uint64_t bytes) { return bytes * 1000000000000ull / ring_rate(m, self); }

static struct ring_now *ring_view(by *m, uint32_t self) { return by_at(m, BY_STATE(m, self, ring)->now_at); }

static void ring_send(by *m, uint32_t self, by_poll *p) {
  const struct ring_params *q = BY_PARAMS(m, self, ring);
  struct ring_counters *c = BY_COUNTERS(m, self, ring);
  struct ring_now *now = ring_view(m, self);
  uint64_t time = ring_time(m, self, p->x);
  now->free_at = by_max(now->free_at, p->when) + time;
  c->frames += (p->x + q->payload - 1) / q->payload;
  c->bytes += p->x;
  c->busy += time;
  p->when = now->free_at + q->nodes * q->node_latency;
  uint32_t cause = m->cause;
  by_trace(m, self, RING_EV_INSERT, p->addr, p->x, (uint32_t)((p->when - m->time) / 1000));
  m->cause = cause;
}

/* When the transmit queue has room for x more bytes; answers the queue's size. */
static uint32_t ring_accept(by *m, uint32_t self, by_poll *p) {
  const struct ring_params *q = BY_PARAMS(m, self, ring);
  if (p->x > 0) {
    uint64_t room = ring_time(m, self, q->queue - by_min(q->queue, p->x));
    uint64_t free_at = ring_view(m, self)->free_at;
    p->when = by_max(p->when, free_at > room ? free_at - room : 0);
  }
  return (uint32_t)q->queue;
}

static uint32_t ring_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  (void)port;
  if (kind == LINK_ACCEPT) return ring_accept(m, self, p);
  ring_send(m, self, p);
  return 0;
}

/* The next remote node rewrites its segment; node 0 is this host's own. */
static void ring_on(by *m, uint32_t self, const by_msg *msg) {
  (void)msg;
  const struct ring_params *q = BY_PARAMS(m, self, ring);
  struct ring_now *now = ring_view(m, self);
  now->node = now->node % (q->nodes - 1) + 1;
  BY_COUNTERS(m, self, ring)->updates++;
  m->cause = 0;
  by_out(m, self, RING_PORT_CARD, 0, BY_PHASE_REQUEST, LINK_UPDATE, q->update_from + now->node * q->update_bytes, (uint32_t)q->update_bytes, by_new_write(m));
  by_self(m, self, q->update_every, BY_PHASE_REQUEST, RING_UPDATE, 0, 0, 0);
}

static int ring_changed(by *m, uint32_t self, uint32_t param) {
  const struct ring_params *q = BY_PARAMS(m, self, ring);
  if (param == RING_PARAM_RATE) return q->rate < q->nodes ? BY_BAD_PARAM : BY_OK;
  return param == RING_PARAM_NODE_LATENCY || param == RING_PARAM_LOAD ? BY_OK : BY_NOT_LIVE;
}

static int ring_load(by *m, uint32_t self) {
  const struct ring_params *q = BY_PARAMS(m, self, ring);
  if (q->nodes < 2 || q->nodes > 256) return by_refuse(m, BY_BAD_PARAM, self, RING_PARAM_NODES);
  if (q->rate < 1000000) return by_refuse(m, BY_BAD_PARAM, self, RING_PARAM_RATE);
  if (q->payload < 4) return by_refuse(m, BY_BAD_PARAM, self, RING_PARAM_PAYLOAD);
  if (q->queue < 128 || q->queue > 1u << 20) return by_refuse(m, BY_BAD_PARAM, self, RING_PARAM_QUEUE);
  if (q->update_bytes < 4 || q->update_bytes & 3) return by_refuse(m, BY_BAD_PARAM, self, RING_PARAM_UPDATE_BYTES);
  struct ring_state *s = by_state_alloc(m, self, sizeof *s);
  struct ring_now *now = by_view(m, self, RING_VIEW_NOW, 1, sizeof *now);
  if (!s || !now) return BY_NO_MEMORY;
  s->now_at = by_offset(m, now);
  if (q->update_every) by_self(m, self, q->update_every, BY_PHASE_REQUEST, RING_UPDATE, 0, 0, 0);
  return BY_OK;
}
