/*
 * An offload engine: TCP/IP in hardware, and a link to the host.
 *
 *   adapter --frame--> [ TCP/IP ] --> [ link, line by line ] --bus--> buffer of the host, interrupt
 *                                            ^                                    |
 *                                            +------------- release <-------------+
 *
 * The engine processes the next frame while one crosses. A frame leaves the adapter's ring when it has
 * crossed.
 */
#include "core/engine.h"
#include "frames.h"
#include "gen/protocols.h"

#define OFFLOAD_ENGINE_FRAMES 32u

enum offload_engine_self { OFFLOAD_ENGINE_DONE = 1, OFFLOAD_ENGINE_LINE = 2 };

struct offload_engine_state {
  uint32_t now_at;
  uint32_t frames_at;
  uint32_t ring_at;
  uint32_t spare;
};

static struct offload_engine_now *offload_engine_now_of(sim *m, struct offload_engine *engine) {
  return sim_at(m, engine->state->now_at);
}
static struct offload_engine_frames *offload_engine_frame(sim *m, struct offload_engine *engine, uint32_t n) {
  return (struct offload_engine_frames *)sim_at(m, engine->state->frames_at) + n % OFFLOAD_ENGINE_FRAMES;
}
static struct offload_engine_ring *offload_engine_slot(sim *m, struct offload_engine *engine, uint32_t slot) {
  return (struct offload_engine_ring *)sim_at(m, engine->state->ring_at) + slot;
}

static uint64_t offload_engine_time(struct offload_engine *engine, uint64_t bytes) {
  return bytes * 1000000000000ull / engine->params->link;
}

static void offload_engine_set(sim *m, struct offload_engine *engine, uint32_t state) {
  struct offload_engine_now *now = offload_engine_now_of(m, engine);
  if (now->state == state) return;
  if (now->state == OFFLOAD_ENGINE_STATE_PROTOCOL) engine->counters->busy += m->time - now->since;
  now->state = state;
  now->since = m->time;
  sim_trace(
      m, engine->self, OFFLOAD_ENGINE_EV_STATE, offload_engine_frame(m, engine, now->done)->packet, state, 0);
}

static void offload_engine_link(sim *m, struct offload_engine *engine, uint32_t state) {
  struct offload_engine_now *now = offload_engine_now_of(m, engine);
  if (now->link == state) return;
  if (now->link == OFFLOAD_ENGINE_LINK_FRAME) engine->counters->linked += m->time - now->linked;
  if (now->link == OFFLOAD_ENGINE_LINK_FULL) engine->counters->full += m->time - now->linked;
  now->link = state;
  now->linked = m->time;
  sim_trace(m, engine->self, OFFLOAD_ENGINE_EV_LINK, offload_engine_frame(m, engine, now->crossed)->packet,
      state, 0);
}

/* TCP/IP of the next frame, if there is one. */
static void offload_engine_work(sim *m, struct offload_engine *engine) {
  struct offload_engine_now *now = offload_engine_now_of(m, engine);
  if (now->done == now->came) {
    offload_engine_set(m, engine, OFFLOAD_ENGINE_STATE_IDLE);
    return;
  }
  offload_engine_set(m, engine, OFFLOAD_ENGINE_STATE_PROTOCOL);
  sim_schedule(m, engine->self, engine->params->protocol_time, SIM_PHASE_REQUEST, OFFLOAD_ENGINE_DONE);
}

static void offload_engine_next_line(sim *m, struct offload_engine *engine, uint64_t before) {
  struct offload_engine_now *now = offload_engine_now_of(m, engine);
  uint64_t bytes = before + frame_line_bytes(offload_engine_frame(m, engine, now->crossed)->bytes, now->line);
  sim_schedule(m, engine->self, offload_engine_time(engine, bytes), SIM_PHASE_REQUEST, OFFLOAD_ENGINE_LINE);
}

/* Sends the next packet, after the message about it, if the host has a buffer. */
static void offload_engine_cross(sim *m, struct offload_engine *engine) {
  struct offload_engine_now *now = offload_engine_now_of(m, engine);
  if (now->link == OFFLOAD_ENGINE_LINK_FRAME) return;
  if (now->crossed == now->done) {
    offload_engine_link(m, engine, OFFLOAD_ENGINE_LINK_IDLE);
    return;
  }
  if (offload_engine_slot(m, engine, now->head)->packet) {
    offload_engine_link(m, engine, OFFLOAD_ENGINE_LINK_FULL);
    return;
  }
  offload_engine_slot(m, engine, now->head)->packet = offload_engine_frame(m, engine, now->crossed)->packet;
  offload_engine_link(m, engine, OFFLOAD_ENGINE_LINK_FRAME);
  now->line = 0;
  offload_engine_next_line(m, engine, engine->params->message_bytes);
}

static void offload_engine_self(sim *m, struct offload_engine *engine, const sim_msg *msg) {
  struct offload_engine_now *now = offload_engine_now_of(m, engine);
  if (msg->kind == OFFLOAD_ENGINE_DONE) {
    engine->counters->packets++;
    now->done++;
    offload_engine_work(m, engine);
    offload_engine_cross(m, engine);
    return;
  }
  struct offload_engine_frames *frame = offload_engine_frame(m, engine, now->crossed);
  uint32_t bytes = frame_line_bytes(frame->bytes, now->line);
  call_shared_bus_request(m, engine->self, OFFLOAD_ENGINE_PORT_BUS,
      &(struct shared_bus_request){.address = (uint64_t)now->head * FRAME_BUFFER + now->line * FRAME_LINE,
          .bytes = bytes,
          .access = bytes,
          .writes = &frame->packet});
}

/* A line is in the host's memory; after the last one the packet belongs to the host, and the adapter gets its
   buffer back. */
static void offload_engine_bus_done(sim *m, struct offload_engine *engine, struct shared_bus_done *q) {
  struct offload_engine_now *now = offload_engine_now_of(m, engine);
  struct offload_engine_frames frame = *offload_engine_frame(m, engine, now->crossed);
  engine->counters->waited += q->waited;
  if (++now->line < frame_lines(frame.bytes)) {
    offload_engine_next_line(m, engine, 0);
    return;
  }
  uint32_t slot = now->head, ring = (uint32_t)engine->params->ring;
  now->head = (slot + 1) % ring;
  now->crossed++;
  engine->counters->sent++;
  sim_trace(m, engine->self, OFFLOAD_ENGINE_EV_SENT, frame.packet, slot, 0);
  call_frames_arrived(m, engine->self, OFFLOAD_ENGINE_PORT_DRIVER,
      &(struct frames_arrived){.slot = slot, .packet = frame.packet, .bytes = frame.bytes, .ring = ring});
  if (sim_wired(m, engine->self, OFFLOAD_ENGINE_PORT_IRQ))
    send_irq_raise(m, engine->self, OFFLOAD_ENGINE_PORT_IRQ, 0, SIM_PHASE_REQUEST, (struct irq_raise){0});
  offload_engine_link(m, engine, OFFLOAD_ENGINE_LINK_IDLE);
  call_frames_release(
      m, engine->self, OFFLOAD_ENGINE_PORT_ADAPTER, &(struct frames_release){.slot = frame.slot});
  offload_engine_cross(m, engine);
}

static void offload_engine_adapter_arrived(sim *m, struct offload_engine *engine, struct frames_arrived *q) {
  struct offload_engine_now *now = offload_engine_now_of(m, engine);
  *offload_engine_frame(m, engine, now->came++) =
      (struct offload_engine_frames){.slot = q->slot, .packet = q->packet, .bytes = (uint32_t)q->bytes};
  if (now->state == OFFLOAD_ENGINE_STATE_IDLE) offload_engine_work(m, engine);
}

static void offload_engine_driver_release(sim *m, struct offload_engine *engine, struct frames_release *q) {
  offload_engine_slot(m, engine, q->slot)->packet = 0;
  if (offload_engine_now_of(m, engine)->link == OFFLOAD_ENGINE_LINK_FULL) offload_engine_cross(m, engine);
}

static int offload_engine_load(sim *m, uint32_t self) {
  struct offload_engine_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, OFFLOAD_ENGINE_VIEW_NOW, 1, sizeof(struct offload_engine_now));
  void *frames = sim_view(
      m, self, OFFLOAD_ENGINE_VIEW_FRAMES, OFFLOAD_ENGINE_FRAMES, sizeof(struct offload_engine_frames));
  void *ring = sim_view(m, self, OFFLOAD_ENGINE_VIEW_RING,
      (uint32_t)SIM_PARAMS(m, self, offload_engine)->ring, sizeof(struct offload_engine_ring));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct offload_engine_state){
      .now_at = sim_offset(m, now), .frames_at = sim_offset(m, frames), .ring_at = sim_offset(m, ring)};
  return SIM_OK;
}
