/* The card's memory: the write in each word, and the words on the ring. */
#include "parts/device/gt/gt.h"

static void gt_schedule_link_update(sim *m, struct gt *card) {
  struct gt_flight *head = (struct gt_flight *)sim_at(m, card->state->flight_at) + card->state->flight_head;
  sim_schedule(m, card->self, sim_max(head->at, m->time) - m->time, SIM_PHASE_ANSWER, GT_VISIBLE);
}

/* Makes words visible whose trip around the ring is complete. */
static void gt_visible(sim *m, struct gt *card) {
  struct gt_flight *flight = sim_at(m, card->state->flight_at);
  while (card->state->flight_count > 0 && flight[card->state->flight_head].at <= m->time) {
    struct gt_flight *f = &flight[card->state->flight_head];
    uint64_t at = card->state->shadow.from + f->word * (uint64_t)SHADOW_WORD_BYTES;
    shadow_word(m, &card->state->shadow, at)->write = f->write;
    sim_trace(m, card->self, GT_EV_VISIBLE, at, f->write, 0);
    card->state->flight_head = (card->state->flight_head + 1) % card->state->flight_rows;
    card->state->flight_count--;
  }
  if (card->state->flight_count > 0) gt_schedule_link_update(m, card);
}

/*
 * The number of words that the card can send before one returns. It tracks the words on the ring, and a long
 * ring fills this table. Room for one block of the engine and one block in flight to the card is reserved.
 */
static uint32_t gt_places(const struct gt_state *s) {
  uint32_t left = s->flight_rows - s->flight_count;
  return left > 2 * GT_BLOCK ? left - 2 * GT_BLOCK : 0;
}

/* The time at which the oldest word on the ring returns. */
static uint64_t gt_next_place(sim *m, struct gt *card) {
  const struct gt_flight *head =
      (const struct gt_flight *)sim_at(m, card->state->flight_at) + card->state->flight_head;
  return sim_max(head->at, m->time + 1);
}

/* How many of the offered bytes the card accepts at once, and from when on. */
static uint32_t gt_accepts(sim *m, struct gt *card, uint32_t bytes, uint64_t *when) {
  struct link_accept room = {.bytes = bytes, .when = *when};
  uint32_t queue = call_link_accept(m, card->self, GT_PORT_LINK, &room);
  if (bytes > queue) {
    room = (struct link_accept){.bytes = queue, .when = *when};
    call_link_accept(m, card->self, GT_PORT_LINK, &room);
    bytes = queue;
  }
  if (card->state->flight_rows && gt_places(card->state) == 0) {
    bytes = (uint32_t)sim_min(bytes, 4);
    room.when = sim_max(room.when, gt_next_place(m, card));
  } else if (card->state->flight_rows) {
    bytes = (uint32_t)sim_min(bytes, 4 * (uint64_t)gt_places(card->state));
  }
  card->counters->ring_wait += room.when - *when;
  *when = room.when;
  return bytes;
}

static void gt_propagate_update(sim *m, struct gt *card, uint32_t word, uint32_t write, uint64_t at) {
  if (card->state->flight_count == card->state->flight_rows)
    __builtin_trap(); /* accept nothing without room */
  struct gt_flight *flight = sim_at(m, card->state->flight_at);
  flight[(card->state->flight_head + card->state->flight_count++) % card->state->flight_rows] =
      (struct gt_flight){word, write, at};
  if (card->state->flight_count == 1) gt_schedule_link_update(m, card);
}

/* Writes x bytes at addr to the card's memory, through the ring if there is one. */
static void gt_commit(sim *m, struct gt *card, uint64_t addr, uint32_t bytes, const uint32_t *writes) {
  int linked = sim_wired(m, card->self, GT_PORT_LINK);
  struct link_send send = {.address = addr, .bytes = bytes, .when = m->time};
  if (linked) call_link_send(m, card->self, GT_PORT_LINK, &send);
  if (!linked) {
    shadow_write(m, &card->state->shadow, addr, bytes, writes);
    return;
  }
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(&card->state->shadow, addr, bytes, &first, &skip);
  for (uint32_t i = 0; i < n; i++) {
    shadow_word(m, &card->state->shadow, first + i * SHADOW_WORD_BYTES)->newest = writes[i];
    gt_propagate_update(m, card, (uint32_t)((first - card->state->shadow.from) / SHADOW_WORD_BYTES) + i,
        writes[i], send.when);
  }
}

/* The contents of the card's memory, and which of them are stale. */
static struct shadow_stale gt_fetch(
    sim *m, struct gt *card, uint64_t addr, uint32_t bytes, uint32_t *writes) {
  shadow_read(m, &card->state->shadow, addr, bytes, writes);
  struct shadow_stale old = shadow_check_current(m, &card->state->shadow, addr, bytes, writes);
  card->counters->stale += old.words;
  return old;
}

/* An update arrives while the read engine is within its range: one part was moved without it, the other
   includes it. */
static void gt_check_torn(sim *m, struct gt *card, const struct link_update *q) {
  const gt_engine *g = gt_engine_of(m, card, GT_ENGINE_READ);
  uint64_t end = q->address + q->bytes;
  if (g->done || g->moved == 0 || q->address >= g->card || end <= g->card) return;
  card->counters->torn++;
  sim_trace(m, card->self, GT_EV_TORN, g->card, q->write, (uint32_t)(end - g->card));
}

/* A remote node's update overwrites the memory; it is visible on arrival. */
static void gt_link_update(sim *m, struct gt *card, const struct link_update *q) {
  uint64_t first = 0;
  uint32_t skip = 0, n = shadow_word_count(&card->state->shadow, q->address, q->bytes, &first, &skip);
  card->counters->updates++;
  sim_trace(m, card->self, GT_EV_UPDATE, q->address, q->bytes, q->write);
  gt_check_torn(m, card, q);
  for (uint32_t i = 0; i < n; i++)
    shadow_commit(shadow_word(m, &card->state->shadow, first + i * SHADOW_WORD_BYTES), q->write);
}
