/*
 * The network ring from one card's view. A reservation of the ring's payload rate models insertion: this node gets
 * what the other nodes leave, but never less than its fair share. Other nodes' load is constant; their updates of
 * memory, if enabled, are separate messages.
 */
#include "core/engine.h"
#include "gen/protocols.h"

enum ring_self { RING_UPDATE = 1 };

#define RING_TIMES 32u /* insertion times of 1..32 words, looked up instead of divided */

struct ring_state {
  uint64_t rate; /* bytes per second that this node gets */
  uint64_t times[RING_TIMES + 1], queue_time;
  uint32_t now_at, spare;
};

static uint64_t ring_time(sim *m, uint32_t self, uint64_t bytes) {
  struct ring_state *s = SIM_STATE(m, self, ring);
  return bytes <= RING_TIMES * 4 && !(bytes & 3) ? s->times[bytes / 4] : bytes * 1000000000000ull / s->rate;
}

/* Derives values from the parameters; repeated when one of them changes. */
static void ring_on_param_change(sim *m, uint32_t self) {
  const struct ring_params *q = SIM_PARAMS(m, self, ring);
  struct ring_state *s = SIM_STATE(m, self, ring);
  s->rate = sim_max(q->rate / q->nodes, q->load < q->rate ? q->rate - q->load : 0);
  for (uint32_t words = 0; words <= RING_TIMES; words++) s->times[words] = words * 4000000000000ull / s->rate;
  s->queue_time = q->queue * 1000000000000ull / s->rate;
}

static struct ring_now *ring_view(sim *m, uint32_t self) { return sim_at(m, SIM_STATE(m, self, ring)->now_at); }

static void ring_card_send(sim *m, uint32_t self, struct link_send *p) {
  const struct ring_params *q = SIM_PARAMS(m, self, ring);
  struct ring_counters *c = SIM_COUNTERS(m, self, ring);
  struct ring_now *now = ring_view(m, self);
  uint64_t time = ring_time(m, self, p->bytes);
  now->free_at = sim_max(now->free_at, p->when) + time;
  c->frames += p->bytes <= q->payload ? 1 : (p->bytes + q->payload - 1) / q->payload;
  c->bytes += p->bytes;
  c->busy += time;
  p->when = now->free_at + q->nodes * q->node_latency;
  uint32_t cause = m->cause;
  sim_trace(m, self, RING_EV_INSERT, p->address, p->bytes, (uint32_t)((p->when - m->time) / 1000));
  m->cause = cause;
}

static uint32_t ring_card_accept(sim *m, uint32_t self, struct link_accept *p) {
  const struct ring_params *q = SIM_PARAMS(m, self, ring);
  if (p->bytes > 0) {
    uint64_t busy_until = ring_view(m, self)->free_at + ring_time(m, self, p->bytes), room = SIM_STATE(m, self, ring)->queue_time;
    p->when = sim_max(p->when, busy_until > room ? busy_until - room : 0);
  }
  return (uint32_t)q->queue;
}

/* The next remote node rewrites its segment; node 0 is this host's own. */
static void ring_self(sim *m, uint32_t self, const sim_msg *msg) {
  (void)msg;
  const struct ring_params *q = SIM_PARAMS(m, self, ring);
  struct ring_now *now = ring_view(m, self);
  now->node = now->node % (q->nodes - 1) + 1;
  SIM_COUNTERS(m, self, ring)->updates++;
  struct link_update update = {.address = q->update_from + now->node * q->update_bytes, .bytes = (uint32_t)q->update_bytes, .write = sim_new_write(m)};
  send_link_update(m, self, RING_PORT_CARD, 0, SIM_PHASE_REQUEST, update);
  sim_schedule(m, self, q->update_every, SIM_PHASE_REQUEST, RING_UPDATE);
}

static int ring_load(sim *m, uint32_t self) {
  const struct ring_params *q = SIM_PARAMS(m, self, ring);
  struct ring_state *s = sim_state_alloc(m, self, sizeof *s);
  struct ring_now *now = sim_view(m, self, RING_VIEW_NOW, 1, sizeof *now);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  ring_on_param_change(m, self);
  if (q->update_every) sim_schedule(m, self, q->update_every, SIM_PHASE_REQUEST, RING_UPDATE);
  return SIM_OK;
}
