/*
 * An Ethernet adapter.
 *
 *   wire --line by line--> buffer of the next descriptor --whole frame--> descriptor to the driver, interrupt
 *                               ^                                                    |
 *                               +-------------------- release <----------------------+
 *
 * Buffers are filled in the order of the ring. A line is written when its last byte has arrived and the bus
 * is free, one after another, so a buffer that is read too late or released too early is a mix of two
 * packets. Lines wait in the adapter, which holds a frame.
 *
 *   frame given by the driver --line by line, a second master--> adapter --whole frame--> wire, interrupt
 */
#include "core/engine.h"
#include "frames.h"
#include "gen/protocols.h"

enum ethernet_self { ETHERNET_START = 1, ETHERNET_LINE = 2, ETHERNET_LEFT = 3 };

#define ETHERNET_BUFFERS 32u /* of the driver, for all rings */
#define ETHERNET_QUEUE 64u   /* at least all places of a driver */

struct ethernet_state {
  uint32_t now_at;
  uint32_t ring_at;
  uint32_t outgoing_at;
  uint32_t queue_at;
  uint32_t head;
  uint32_t damaged; /* whether the frame on the wire is */
  uint64_t packets;
  uint32_t rejected; /* a packet to send again, or 0 */
  uint32_t ahead;    /* frames that arrive before it */
};

static struct ethernet_now *ethernet_now_of(sim *m, struct ethernet *card) {
  return sim_at(m, card->state->now_at);
}
static struct ethernet_ring *ethernet_slot(sim *m, struct ethernet *card, uint32_t slot) {
  return (struct ethernet_ring *)sim_at(m, card->state->ring_at) + slot;
}

static struct ethernet_outgoing *ethernet_outgoing_of(sim *m, struct ethernet *card) {
  return sim_at(m, card->state->outgoing_at);
}
static struct ethernet_queue *ethernet_queue_row(sim *m, struct ethernet *card, uint32_t row) {
  return (struct ethernet_queue *)sim_at(m, card->state->queue_at) + row % ETHERNET_QUEUE;
}

static void ethernet_interrupt(sim *m, struct ethernet *card) {
  uint32_t line = ETHERNET_PORT_IRQ + (uint32_t)card->params->line;
  if (sim_wired(m, card->self, line))
    send_irq_raise(m, card->self, line, 0, SIM_PHASE_REQUEST, (struct irq_raise){0});
}

/* Descriptors of the ring, which ends at the driver's last buffer. */
static uint32_t ethernet_descriptors(struct ethernet *card) {
  return (uint32_t)sim_min(card->params->ring, ETHERNET_BUFFERS - card->params->first);
}

/* The driver's number for a descriptor's buffer. */
static uint32_t ethernet_buffer(struct ethernet *card, uint32_t slot) {
  return (uint32_t)card->params->first + slot;
}

static uint64_t ethernet_time(struct ethernet *card, uint64_t bytes) {
  return bytes * 1000000000000ull / card->params->wire;
}

static void ethernet_set(sim *m, struct ethernet *card, uint32_t state) {
  struct ethernet_now *now = ethernet_now_of(m, card);
  if (now->state == state) return;
  if (now->state == ETHERNET_STATE_FRAME) card->counters->busy += m->time - now->since;
  if (now->state == ETHERNET_STATE_HELD) card->counters->held += m->time - now->since;
  now->state = state;
  now->since = m->time;
  sim_trace(m, card->self, ETHERNET_EV_STATE, now->packet, state, 0);
}

static void ethernet_next_line(sim *m, struct ethernet *card) {
  sim_schedule(m, card->self,
      ethernet_time(card, frame_line_bytes(ethernet_now_of(m, card)->bytes, ethernet_now_of(m, card)->line)),
      SIM_PHASE_REQUEST, ETHERNET_LINE);
}

/* Hands the descriptor to the driver and raises an interrupt. */
static void ethernet_hand_over(sim *m, struct ethernet *card) {
  struct ethernet_now *now = ethernet_now_of(m, card);
  if (now->delivered) return;
  now->delivered = 1;
  ethernet_slot(m, card, now->slot)->state = ETHERNET_OWNER_DRIVER;
  sim_trace(m, card->self, ETHERNET_EV_RECEIVED, now->packet, now->slot, 0);
  call_frames_arrived(m, card->self, ETHERNET_PORT_DRIVER,
      &(struct frames_arrived){.slot = ethernet_buffer(card, now->slot),
          .packet = now->packet,
          .bytes = now->bytes,
          .ring = ethernet_descriptors(card)});
  ethernet_interrupt(m, card);
}

/* The packet in the next frame: a rejected one that is due, or of a swapped pair the later one first. */
static uint32_t ethernet_packet(sim *m, struct ethernet *card) {
  uint32_t rejected = card->state->rejected;
  card->state->damaged = 0;
  if (rejected && (card->state->ahead == 0 || card->state->packets == card->params->frames)) {
    card->state->rejected = 0;
    card->counters->resent++;
    sim_trace(m, card->self, ETHERNET_EV_RESENT, rejected, 0, 0);
    return rejected;
  }
  card->state->ahead -= rejected != 0;
  card->state->damaged =
      card->params->damage && !rejected && (card->state->packets + 1) % card->params->damage == 0;
  uint64_t n = sim_max(card->params->swap, 2), at = ++card->state->packets;
  if (card->params->swap && at % n == 0 && at != card->params->frames) return (uint32_t)at + 1;
  return card->params->swap && at % n == 1 && at > 1 ? (uint32_t)at - 1 : (uint32_t)at;
}

/* Starts the next frame, if one is due and has a buffer. */
static void ethernet_begin(sim *m, struct ethernet *card) {
  struct ethernet_now *now = ethernet_now_of(m, card);
  if (card->params->frames && card->state->packets == card->params->frames && !card->state->rejected) {
    ethernet_set(m, card, ETHERNET_STATE_IDLE);
    return;
  }
  int empty = ethernet_slot(m, card, card->state->head)->state == ETHERNET_OWNER_ADAPTER;
  if (!empty && card->params->period == 0) {
    ethernet_set(m, card, ETHERNET_STATE_HELD);
    return;
  }
  now->packet = ethernet_packet(m, card);
  now->due = m->time + card->params->period;
  if (!empty) {
    card->counters->lost++;
    sim_trace(m, card->self, ETHERNET_EV_LOST, now->packet, 0, 0);
    ethernet_set(m, card, ETHERNET_STATE_IDLE);
    sim_schedule(m, card->self, card->params->period, SIM_PHASE_REQUEST, ETHERNET_START);
    return;
  }
  now->slot = card->state->head;
  now->line = now->written = now->writing = 0;
  now->bytes = (uint32_t)card->params->frame;
  card->state->head = (card->state->head + 1) % ethernet_descriptors(card);
  *ethernet_slot(m, card, now->slot) = (struct ethernet_ring){ETHERNET_OWNER_FILLING, now->packet};
  ethernet_set(m, card, ETHERNET_STATE_FRAME);
  now->delivered = 0;
  if (card->params->fault == ETHERNET_FAULT_EARLY_OWNER) ethernet_hand_over(m, card);
  ethernet_next_line(m, card);
}

/* The frame is in memory: hands over its descriptor. The next one starts when the wire is free. */
static void ethernet_end(sim *m, struct ethernet *card) {
  struct ethernet_now *now = ethernet_now_of(m, card);
  card->counters->received++;
  ethernet_hand_over(m, card);
  ethernet_set(m, card, ETHERNET_STATE_GAP);
  sim_schedule(m, card->self, now->due > m->time ? now->due - m->time : 0, SIM_PHASE_REQUEST, ETHERNET_START);
}

/* Writes the next received line to memory. */
static void ethernet_write(sim *m, struct ethernet *card) {
  struct ethernet_now *now = ethernet_now_of(m, card);
  if (now->writing || now->written == now->line) return;
  uint32_t bytes = frame_line_bytes(now->bytes, now->written);
  uint32_t wrong = card->state->damaged && now->written == frame_lines(now->bytes) / 2;
  uint32_t contents = now->packet | (wrong ? FRAME_DAMAGED : 0);
  if (wrong) {
    card->counters->damaged++;
    sim_trace(m, card->self, ETHERNET_EV_DAMAGED, now->packet, 0, 0);
  }
  now->writing = 1;
  call_shared_bus_request(m, card->self, ETHERNET_PORT_BUS,
      &(struct shared_bus_request){
          .address = (uint64_t)ethernet_buffer(card, now->slot) * FRAME_BUFFER + now->written * FRAME_LINE,
          .bytes = bytes,
          .access = bytes,
          .writes = &contents});
}

static void ethernet_bus_done(sim *m, struct ethernet *card, struct shared_bus_done *q) {
  struct ethernet_now *now = ethernet_now_of(m, card);
  card->counters->bytes += frame_line_bytes(now->bytes, now->written);
  card->counters->waited += q->waited;
  now->writing = 0;
  if (++now->written == frame_lines(now->bytes)) ethernet_end(m, card);
  else ethernet_write(m, card);
}

static void ethernet_take_line(sim *m, struct ethernet *card) {
  struct ethernet_now *now = ethernet_now_of(m, card);
  uint64_t gap = ethernet_time(card, card->params->overhead);
  if (++now->line == frame_lines(now->bytes)) now->due = sim_max(now->due, m->time + gap);
  else ethernet_next_line(m, card);
  ethernet_write(m, card);
}

static void ethernet_send_state(sim *m, struct ethernet *card, uint32_t state) {
  struct ethernet_outgoing *out = ethernet_outgoing_of(m, card);
  if (out->state == ETHERNET_SENDING_FRAME) card->counters->sending += m->time - out->since;
  out->state = state;
  out->since = m->time;
  sim_trace(m, card->self, ETHERNET_EV_OUTGOING, out->packet, state, 0);
}

static void ethernet_fetch_line(sim *m, struct ethernet *card) {
  struct ethernet_outgoing *out = ethernet_outgoing_of(m, card);
  struct ethernet_queue *frame = ethernet_queue_row(m, card, out->first);
  uint32_t bytes = frame_line_bytes(frame->bytes, out->line);
  call_shared_bus_request(m, card->self, ETHERNET_PORT_FETCH,
      &(struct shared_bus_request){
          .address = (uint64_t)frame->address + out->line * FRAME_LINE, .bytes = bytes, .access = bytes});
}

/* Begins with the next frame to send, if there is one. */
static void ethernet_fetch(sim *m, struct ethernet *card) {
  struct ethernet_outgoing *out = ethernet_outgoing_of(m, card);
  if (out->state != ETHERNET_SENDING_IDLE || out->frames == 0) return;
  out->line = out->stale = 0;
  out->packet = ethernet_queue_row(m, card, out->first)->packet;
  ethernet_send_state(m, card, ETHERNET_SENDING_FETCH);
  ethernet_fetch_line(m, card);
}

static void ethernet_fetch_done(sim *m, struct ethernet *card, struct shared_bus_done *q) {
  struct ethernet_outgoing *out = ethernet_outgoing_of(m, card);
  struct ethernet_queue *frame = ethernet_queue_row(m, card, out->first);
  card->counters->waited += q->waited;
  if (q->write != frame->packet && !out->stale) {
    out->stale = 1;
    card->counters->stale++;
    sim_trace(m, card->self, ETHERNET_EV_STALE, frame->packet, out->line, q->write);
    sim_broken(m, card->self, SIM_AS_SENT, 0);
  }
  if (++out->line < frame_lines(frame->bytes)) {
    ethernet_fetch_line(m, card);
    return;
  }
  ethernet_send_state(m, card, ETHERNET_SENDING_FRAME);
  sim_schedule(m, card->self, ethernet_time(card, frame->bytes + card->params->overhead), SIM_PHASE_REQUEST,
      ETHERNET_LEFT);
}

/* The frame has left: its buffer is the driver's again. */
static void ethernet_left(sim *m, struct ethernet *card) {
  struct ethernet_outgoing *out = ethernet_outgoing_of(m, card);
  struct ethernet_queue frame = *ethernet_queue_row(m, card, out->first);
  card->counters->sent++;
  ethernet_send_state(m, card, ETHERNET_SENDING_IDLE);
  out->first = (out->first + 1) % ETHERNET_QUEUE;
  out->frames--;
  sim_trace(m, card->self, ETHERNET_EV_SENT, frame.packet, frame.place, 0);
  call_frames_sent(m, card->self, ETHERNET_PORT_DRIVER, &(struct frames_sent){.place = frame.place});
  ethernet_interrupt(m, card);
  ethernet_fetch(m, card);
}

static void ethernet_driver_send(sim *m, struct ethernet *card, struct frames_send *q) {
  struct ethernet_outgoing *out = ethernet_outgoing_of(m, card);
  if (out->frames == ETHERNET_QUEUE) __builtin_trap();
  *ethernet_queue_row(m, card, out->first + out->frames++) = (struct ethernet_queue){
      .place = q->place, .packet = q->packet, .bytes = (uint32_t)q->bytes, .address = (uint32_t)q->address};
  if (sim_wired(m, card->self, ETHERNET_PORT_FETCH)) ethernet_fetch(m, card);
}

static void ethernet_self(sim *m, struct ethernet *card, const sim_msg *msg) {
  if (msg->kind == ETHERNET_LEFT) ethernet_left(m, card);
  else if (msg->kind == ETHERNET_START) ethernet_begin(m, card);
  else ethernet_take_line(m, card);
}

static void ethernet_driver_release(sim *m, struct ethernet *card, struct frames_release *q) {
  uint32_t slot = (uint32_t)(q->slot - card->params->first);
  if (slot >= ethernet_descriptors(card)) __builtin_trap();
  ethernet_slot(m, card, slot)->state = ETHERNET_OWNER_ADAPTER;
  sim_trace(m, card->self, ETHERNET_EV_RELEASED, 0, slot, 0);
  if (ethernet_now_of(m, card)->state == ETHERNET_STATE_HELD) ethernet_begin(m, card);
}

/* The acknowledgements of later frames reach the sender, which then sends the packet again. */
static void ethernet_driver_reject(sim *m, struct ethernet *card, struct frames_reject *q) {
  card->state->rejected = q->packet;
  card->state->ahead = (uint32_t)card->params->resend;
  if (ethernet_now_of(m, card)->state == ETHERNET_STATE_IDLE && card->params->frames
      && card->state->packets == card->params->frames)
    ethernet_begin(m, card);
}

static int ethernet_load(sim *m, uint32_t self) {
  struct ethernet_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t slots = ethernet_descriptors(SIM_CONTEXT(m, self, ethernet));
  void *now = sim_view(m, self, ETHERNET_VIEW_NOW, 1, sizeof(struct ethernet_now));
  void *ring = sim_view(m, self, ETHERNET_VIEW_RING, slots, sizeof(struct ethernet_ring));
  void *outgoing = sim_view(m, self, ETHERNET_VIEW_OUTGOING, 1, sizeof(struct ethernet_outgoing));
  void *queue = sim_view(m, self, ETHERNET_VIEW_QUEUE, ETHERNET_QUEUE, sizeof(struct ethernet_queue));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct ethernet_state){.now_at = sim_offset(m, now),
      .ring_at = sim_offset(m, ring),
      .outgoing_at = sim_offset(m, outgoing),
      .queue_at = sim_offset(m, queue)};
  if (SIM_PARAMS(m, self, ethernet)->receives) sim_schedule(m, self, 0, SIM_PHASE_REQUEST, ETHERNET_START);
  return SIM_OK;
}

#include "parts/device/ethernet/state.c"
