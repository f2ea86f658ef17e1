/*
 * The network ring from one card's view. A reservation of the ring's payload rate models insertion: this node
 * gets what the other nodes leave, but never less than its fair share. Other nodes' load is constant; their
 * updates of memory, if enabled, are separate messages.
 */
#include "core/engine.h"
#include "gen/protocols.h"

enum ring_self { RING_UPDATE = 1 };

#define RING_TIMES 32u /* insertion times of 1..32 words, looked up instead of divided */

struct ring_state {
  uint64_t rate; /* bytes per second that this node gets */
  uint64_t times[RING_TIMES + 1];
  uint64_t queue_time;
  uint32_t now_at;
  uint32_t spare;
};

static uint64_t ring_time(struct ring *ring, uint64_t bytes) {
  return bytes <= RING_TIMES * 4 && !(bytes & 3) ? ring->state->times[bytes / 4]
                                                 : bytes * 1000000000000ull / ring->state->rate;
}

/* Derives values from the parameters; repeated when one of them changes. */
static void ring_on_param_change(sim *m, uint32_t self) {
  const struct ring_params *q = SIM_PARAMS(m, self, ring);
  struct ring_state *s = SIM_STATE(m, self, ring);
  s->rate = sim_max(q->rate / q->nodes, q->load < q->rate ? q->rate - q->load : 0);
  for (uint32_t words = 0; words <= RING_TIMES; words++) s->times[words] = words * 4000000000000ull / s->rate;
  s->queue_time = q->queue * 1000000000000ull / s->rate;
}

static struct ring_now *ring_view(sim *m, struct ring *ring) { return sim_at(m, ring->state->now_at); }

static void ring_card_send(sim *m, struct ring *ring, struct link_send *p) {
  struct ring_now *now = ring_view(m, ring);
  uint64_t time = ring_time(ring, p->bytes);
  now->free_at = sim_max(now->free_at, p->when) + time;
  ring->counters->frames +=
      p->bytes <= ring->params->payload ? 1 : (p->bytes + ring->params->payload - 1) / ring->params->payload;
  ring->counters->bytes += p->bytes;
  ring->counters->busy += time;
  p->when = now->free_at + ring->params->nodes * ring->params->node_latency;
  uint32_t cause = m->cause;
  sim_trace(m, ring->self, RING_EV_INSERT, p->address, p->bytes, (uint32_t)((p->when - m->time) / 1000));
  m->cause = cause;
}

static uint32_t ring_card_accept(sim *m, struct ring *ring, struct link_accept *p) {
  if (p->bytes > 0) {
    uint64_t busy_until = ring_view(m, ring)->free_at + ring_time(ring, p->bytes),
             room = ring->state->queue_time;
    p->when = sim_max(p->when, busy_until > room ? busy_until - room : 0);
  }
  return (uint32_t)ring->params->queue;
}

/* The next remote node rewrites its segment; node 0 is this host's own. */
static void ring_self(sim *m, struct ring *ring, const sim_msg *msg) {
  (void)msg;
  struct ring_now *now = ring_view(m, ring);
  now->node = now->node % (ring->params->nodes - 1) + 1;
  ring->counters->updates++;
  struct link_update update = {.address = ring->params->update_from + now->node * ring->params->update_bytes,
      .bytes = (uint32_t)ring->params->update_bytes,
      .write = sim_new_write(m)};
  send_link_update(m, ring->self, RING_PORT_CARD, 0, SIM_PHASE_REQUEST, update);
  sim_schedule(m, ring->self, ring->params->update_every, SIM_PHASE_REQUEST, RING_UPDATE);
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
