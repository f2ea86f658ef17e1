/*
 * A link between two network cards.
 *
 *   card --reserve, reads memory, send--> [leaves in turn] --rate, delay--> [buffers] --take, writes--> card
 *
 * A frame occupies a buffer of the receiver from the reservation until that card begins to write it to
 * memory, so none is lost.
 */
#include "core/engine.h"
#include "gen/protocols.h"

#define LINK_FRAMES 16u /* most buffers of a card */
#define LINK_ENDS 2u

struct network_link_state {
  uint32_t directions_at;
  uint32_t frames_at;
};

/* The direction that begins at an end. */
static struct network_link_directions *link_from(sim *m, struct network_link *link, uint32_t end) {
  return (struct network_link_directions *)sim_at(m, link->state->directions_at) + end;
}
/* The size of a direction's frame, counted from the oldest that was not taken. */
static uint32_t *link_frame(sim *m, struct network_link *link, uint32_t end, uint32_t n) {
  struct network_link_frames *frames = sim_at(m, link->state->frames_at);
  return &frames[end * LINK_FRAMES + (link_from(m, link, end)->first + n) % LINK_FRAMES].bytes;
}

static int link_is_idle(sim *m, struct network_link *link) {
  return link_from(m, link, 0)->sent + link_from(m, link, 1)->sent == 0;
}

static void link_notify(sim *m, struct network_link *link, uint32_t end) {
  call_network_link_changed(m, link->self, NETWORK_LINK_PORT_END + end);
}

static uint32_t network_link_end_room(sim *m, struct network_link *link, uint32_t end) {
  const struct network_link_directions *way = link_from(m, link, end);
  return way->reserved + way->sent + way->waiting < link->params->buffers;
}

static void network_link_end_reserve(sim *m, struct network_link *link, uint32_t end) {
  link_from(m, link, end)->reserved++;
}

static void network_link_end_send(
    sim *m, struct network_link *link, uint32_t end, struct network_link_send *q) {
  struct network_link_directions *way = link_from(m, link, end);
  if (way->reserved == 0) return; /* its channel was given another command meanwhile */
  uint64_t time = (q->bytes + link->params->overhead) * 1000000000000ull / link->params->rate;
  int was_idle = link_is_idle(m, link);
  *link_frame(m, link, end, way->waiting + way->sent) = q->bytes;
  way->reserved--;
  way->sent++;
  way->free_at = sim_max(way->free_at, m->time) + time;
  link->counters->busy += time;
  sim_trace(m, link->self, NETWORK_LINK_EV_SENT, q->bytes, end, 0);
  if (was_idle) sim_trace(m, link->self, NETWORK_LINK_EV_STATE, 0, NETWORK_LINK_STATE_FRAME, 0);
  sim_schedule_for(m, link->self, way->free_at - m->time + link->params->delay, SIM_PHASE_REQUEST, 0, end);
}

static uint32_t network_link_end_waiting(sim *m, struct network_link *link, uint32_t end) {
  uint32_t other = LINK_ENDS - 1 - end;
  return link_from(m, link, other)->waiting ? *link_frame(m, link, other, 0) : 0;
}

static void network_link_end_take(sim *m, struct network_link *link, uint32_t end) {
  struct network_link_directions *way = link_from(m, link, LINK_ENDS - 1 - end);
  way->waiting--;
  way->first = (way->first + 1) % LINK_FRAMES;
  link_notify(m, link, LINK_ENDS - 1 - end);
}

/* The last bit of a direction's oldest frame arrives. */
static void network_link_self(sim *m, struct network_link *link, const sim_msg *msg) {
  uint32_t end = msg->x;
  struct network_link_directions *way = link_from(m, link, end);
  uint32_t bytes = *link_frame(m, link, end, way->waiting);
  way->sent--;
  way->waiting++;
  link->counters->frames++;
  link->counters->bytes += bytes;
  if (link_is_idle(m, link)) sim_trace(m, link->self, NETWORK_LINK_EV_STATE, 0, NETWORK_LINK_STATE_IDLE, 0);
  sim_trace(m, link->self, NETWORK_LINK_EV_ARRIVED, bytes, LINK_ENDS - 1 - end, 0);
  link_notify(m, link, LINK_ENDS - 1 - end);
}

static int network_link_load(sim *m, uint32_t self) {
  struct network_link_state *s = sim_state_alloc(m, self, sizeof *s);
  void *ways =
      sim_view(m, self, NETWORK_LINK_VIEW_DIRECTIONS, LINK_ENDS, sizeof(struct network_link_directions));
  void *frames = sim_view(
      m, self, NETWORK_LINK_VIEW_FRAMES, LINK_ENDS * LINK_FRAMES, sizeof(struct network_link_frames));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct network_link_state){sim_offset(m, ways), sim_offset(m, frames)};
  return SIM_OK;
}
