/*
 * Nondeterministic event order. In exploration mode the next event is chosen among the heads of all channels:
 * messages on one channel keep their order, all others can overtake. Time only counts steps.
 *
 * A part states for each of its messages whether it may be handled now (enum sim_enabled). Messages whose
 * handling time no other part can observe are handled at once (partial-order reduction), so that their orders
 * are not separate states.
 */
#include "core/reentrancy.h"
#include "core/state_codec.h"

#define MAX_ENABLED SOON /* none of them is in the heap */

/* The channel of a message, as a number. Self-messages also differ by their address, which names their
 * subject. */
static inline uint64_t channel_of(const sim_msg *msg) {
  return (uint64_t)msg->to << 48 | (uint64_t)msg->port << 40 | (uint64_t)msg->kind << 32
         | (uint32_t)(msg->port == SIM_PORT_SELF ? msg->addr : 0);
}

/* Pending events by channel, each channel in sending order, independent of when other messages were sent. */
static uint32_t in_order(sim *m, uint32_t *order, uint64_t *way) {
  uint32_t n = m->pending;
  if (n > MAX_ENABLED) __builtin_trap();
  for (uint32_t i = 0; i < n; i++) {
    uint64_t own = channel_of(message(m, i)), sent = push_order(&soon(m)[i]);
    uint32_t at = i;
    for (;
        at > 0 && (way[at - 1] > own || (way[at - 1] == own && push_order(&soon(m)[order[at - 1]]) > sent));
        at--) {
      order[at] = order[at - 1];
      way[at] = way[at - 1];
    }
    order[at] = i;
    way[at] = own;
  }
  return n;
}

static void remove_pending(sim *m, uint32_t i) {
  free_slots(m)[m->free_count++] = slot_of(soon(m)[i]);
  soon(m)[i] = soon(m)[--m->pending];
}

uint32_t sim_pending_count(sim *m, uint32_t kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->pending; i++)
    n += message(m, i)->port != SIM_PORT_SELF && message(m, i)->kind == kind;
  return n;
}

uint32_t sim_pending_write_class(sim *m, uint32_t self, uint32_t kind) {
  for (uint32_t i = 0; i < m->pending; i++)
    if (message(m, i)->port == SIM_PORT_SELF && message(m, i)->to == self && message(m, i)->kind == kind)
      return slot_of(soon(m)[i]);
  __builtin_trap();
}

/* Calls the handler of a message. Not inlined: only sim_run is worth a copy of all handlers' calls. */
static __attribute__((noinline)) void handle_message(sim *m, const sim_msg *msg) {
  sim_dispatch_on(sim_part(m, msg->to)->type, m, msg->to, msg);
}

/* Stops a replayed counterexample at its end. */
static int channel_ends(sim *m) {
  if (m->events > m->steps) return 0;
  sim_msg msg = {.to = (uint16_t)(m->notify_part - 1), .port = SIM_PORT_SELF, .kind = SIM_CHANNEL_ENDS};
  m->time += m->explore_step_time;
  m->events++;
  m->cause = (uint32_t)m->seq;
  handle_message(m, &msg);
  return 1;
}

static uint32_t is_enabled(sim *m, const sim_msg *msg) {
  return sim_dispatch_enabled(sim_part(m, msg->to)->type, m, msg->to, msg);
}

/* Finds the enabled pending events: all of them, or the first that must run at once. */
static uint32_t enabled_channels(sim *m, uint32_t *able, uint32_t *when) {
  uint32_t order[MAX_ENABLED], count = 0;
  uint64_t way[MAX_ENABLED];
  uint32_t n = in_order(m, order, way);
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0 && way[i] == way[i - 1]) continue;
    *when = is_enabled(m, message(m, order[i]));
    if (*when == SIM_DISABLED) continue;
    if (*when == SIM_INVISIBLE) {
      able[0] = order[i];
      return 1;
    }
    able[count++] = order[i];
  }
  *when = SIM_ENABLED;
  return count;
}

static void handle(sim *m, uint32_t i) {
  sim_msg msg = *message(m, i);
  remove_pending(m, i);
  m->time += m->explore_step_time;
  m->events++;
  m->cause = msg.cause;
  handle_message(m, &msg);
}

int sim_explore_step(sim *m) {
  SIM_CALL_STACK_EMPTY();
  if (m->steps && m->events >= m->steps) return channel_ends(m);
  uint32_t able[MAX_ENABLED], when, count = enabled_channels(m, able, &when);
  if (count == 0) return 0;
  uint32_t next = able[sim_choose(m, SIM_CHOOSE_EVENT, count)];
  sim_host_state(m)->last_part = message(m, next)->to;
  handle(m, next);
  return 1;
}

void sim_run_invisible(sim *m) {
  uint32_t able[MAX_ENABLED], when;
  while (enabled_channels(m, able, &when) && when == SIM_INVISIBLE) handle(m, able[0]);
}

/* Most messages carry little more than their receiver: other fields are written only if present. */
static void encode_message(struct sim_codec *k, sim_msg *msg) {
  uint32_t to = msg->to, port = msg->port, kind = msg->kind;
  uint32_t more = (msg->addr != 0) | (msg->x != 0) << 1 | (msg->y != 0) << 2;
  sim_codec_u8(k, &to);
  sim_codec_u8(k, &port);
  sim_codec_u8(k, &kind);
  sim_codec_u8(k, &more);
  msg->to = (uint16_t)to;
  msg->port = (uint8_t)port;
  msg->kind = (uint8_t)kind;
  if (more & 1) sim_codec_addr(k, &msg->addr);
  if (more & 2) sim_codec_u32(k, &msg->x);
  if (more & 4) sim_codec_u32(k, &msg->y);
}

static void encode_pending(sim *m, struct sim_codec *k) {
  uint32_t order[MAX_ENABLED];
  uint64_t way[MAX_ENABLED];
  uint32_t n = k->reading ? 0 : in_order(m, order, way);
  sim_codec_u8(k, &n);
  if (!k->reading) {
    for (uint32_t i = 0; i < n; i++) encode_message(k, message(m, order[i]));
    return;
  }
  while (m->pending) remove_pending(m, m->pending - 1);
  m->pushes = 0;
  for (uint32_t i = 0; i < n; i++) {
    sim_msg msg = {0};
    encode_message(k, &msg);
    sim_push(m, 0, 0, &msg);
  }
}

static void encode_all_parts(sim *m, struct sim_codec *k, const uint8_t *end) {
  k->names = k->memory = k->copies_old = k->found = k->coming = 0;
  encode_pending(m, k); /* first, because a part may search for its messages */
  for (uint32_t i = 0; i < m->part_count; i++) {
    if (!k->reading && k->at + CODEC_PART > end) __builtin_trap();
    sim_dispatch_serialize(sim_part(m, i)->type, m, i, k);
  }
}

uint32_t sim_encode(sim *m, struct sim_codec *k, uint8_t *bytes) {
  k->reading = 0;
  k->at = bytes;
  encode_all_parts(m, k, bytes + CODEC_BYTES);
  return (uint32_t)(k->at - bytes);
}

void sim_decode(sim *m, struct sim_codec *k, const uint8_t *bytes) {
  k->reading = 1;
  k->at = (uint8_t *)bytes; /* only read */
  encode_all_parts(m, k, NULL);
  m->writes = 2 + 2 * CODEC_WRITE_CLASSES + k->coming;
}
