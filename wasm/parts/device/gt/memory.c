/* The card's memory: the write in each word, and the words on the ring. */
#include "parts/device/gt/gt.h"

static void gt_schedule_link_update(sim *m, uint32_t self) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  struct gt_flight *head = (struct gt_flight *)sim_at(m, s->flight_at) + s->flight_head;
  sim_schedule(m, self, sim_max(head->at, m->time) - m->time, SIM_PHASE_ANSWER, GT_VISIBLE);
}

/* Makes words visible whose trip around the ring is complete. */
static void gt_visible(sim *m, uint32_t self) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  struct gt_flight *flight = sim_at(m, s->flight_at);
  while (s->flight_count > 0 && flight[s->flight_head].at <= m->time) {
    struct gt_flight *f = &flight[s->flight_head];
    uint64_t at = s->shadow.from + f->word * (uint64_t)SHADOW_WORD_BYTES;
    shadow_word(m, &s->shadow, at)->write = f->write;
    sim_trace(m, self, GT_EV_VISIBLE, at, f->write, 0);
    s->flight_head = (s->flight_head + 1) % s->flight_rows;
    s->flight_count--;
  }
  if (s->flight_count > 0) gt_schedule_link_update(m, self);
}

/*
 * The number of words that the card can send before one returns. It tracks the words on the ring, and a long ring
 * fills this table. Room for one block of the engine and one block in flight to the card is reserved.
 */
static uint32_t gt_places(const struct gt_state *s) {
  uint32_t left = s->flight_rows - s->flight_count;
  return left > 2 * GT_BLOCK ? left - 2 * GT_BLOCK : 0;
}

/* The time at which the oldest word on the ring returns. */
static uint64_t gt_next_place(sim *m, const struct gt_state *s) {
  const struct gt_flight *head = (const struct gt_flight *)sim_at(m, s->flight_at) + s->flight_head;
  return sim_max(head->at, m->time + 1);
}

/* How many of the offered bytes the card accepts at once, and from when on. */
static uint32_t gt_accepts(sim *m, uint32_t self, uint32_t bytes, uint64_t *when) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  struct link_accept room = {.bytes = bytes, .when = *when};
  uint32_t queue = call_link_accept(m, self, GT_PORT_LINK, &room);
  if (bytes > queue) {
    room = (struct link_accept){.bytes = queue, .when = *when};
    call_link_accept(m, self, GT_PORT_LINK, &room);
    bytes = queue;
  }
  if (s->flight_rows && gt_places(s) == 0) {
    bytes = (uint32_t)sim_min(bytes, 4);
    room.when = sim_max(room.when, gt_next_place(m, s));
  } else if (s->flight_rows) {
    bytes = (uint32_t)sim_min(bytes, 4 * (uint64_t)gt_places(s));
  }
  SIM_COUNTERS(m, self, gt)->ring_wait += room.when - *when;
  *when = room.when;
  return bytes;
}

static void gt_propagate_update(sim *m, uint32_t self, uint32_t word, uint32_t write, uint64_t at) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  if (s->flight_count == s->flight_rows) __builtin_trap(); /* accept nothing without room */
  struct gt_flight *flight = sim_at(m, s->flight_at);
  flight[(s->flight_head + s->flight_count++) % s->flight_rows] = (struct gt_flight){word, write, at};
  if (s->flight_count == 1) gt_schedule_link_update(m, self);
}

/* Writes x bytes at addr to the card's memory, through the ring if there is one. */
static void gt_commit(sim *m, uint32_t self, uint64_t addr, uint32_t bytes, const uint32_t *writes) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  int linked = sim_wired(m, self, GT_PORT_LINK);
  struct link_send send = {.address = addr, .bytes = bytes, .when = m->time};
  if (linked) call_link_send(m, self, GT_PORT_LINK, &send);
  if (!linked) {
    shadow_write(m, &s->shadow, addr, bytes, writes);
    return;
  }
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(&s->shadow, addr, bytes, &first, &skip);
  for (uint32_t i = 0; i < n; i++) {
    shadow_word(m, &s->shadow, first + i * SHADOW_WORD_BYTES)->newest = writes[i];
    gt_propagate_update(m, self, (uint32_t)((first - s->shadow.from) / SHADOW_WORD_BYTES) + i, writes[i], send.when);
  }
}

/* The contents of the card's memory, and which of them are stale. */
static struct shadow_stale gt_fetch(sim *m, uint32_t self, uint64_t addr, uint32_t bytes, uint32_t *writes) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  shadow_read(m, &s->shadow, addr, bytes, writes);
  struct shadow_stale old = shadow_check_current(m, &s->shadow, addr, bytes, writes);
  SIM_COUNTERS(m, self, gt)->stale += old.words;
  return old;
}

/* An update arrives while the read engine is within its range: one part was moved without it, the other includes
   it. */
static void gt_check_torn(sim *m, uint32_t self, const struct link_update *q) {
  const gt_engine *g = gt_engine_of(m, SIM_STATE(m, self, gt), GT_ENGINE_READ);
  uint64_t end = q->address + q->bytes;
  if (g->done || g->moved == 0 || q->address >= g->card || end <= g->card) return;
  SIM_COUNTERS(m, self, gt)->torn++;
  sim_trace(m, self, GT_EV_TORN, g->card, q->write, (uint32_t)(end - g->card));
}

/* A remote node's update overwrites the memory; it is visible on arrival. */
static void gt_link_update(sim *m, uint32_t self, const struct link_update *q) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(&s->shadow, q->address, q->bytes, &first, &skip);
  SIM_COUNTERS(m, self, gt)->updates++;
  sim_trace(m, self, GT_EV_UPDATE, q->address, q->bytes, q->write);
  gt_check_torn(m, self, q);
  for (uint32_t i = 0; i < n; i++) shadow_commit(shadow_word(m, &s->shadow, first + i * SHADOW_WORD_BYTES), q->write);
}
