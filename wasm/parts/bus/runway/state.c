/* The bus's state for exploration. The start of a queue in its ring is irrelevant. */
#include "core/state_codec.h"
#include "parts/bus/runway/runway.h"

/* A device's write takes effect once every agent has answered: until then the data that it replaces can be
   lost already. */
static void runway_serialize_write(sim *m, struct runway *bus, transaction *row, struct sim_codec *k) {
  uint32_t newest[LINE_HALVES];
  struct shadow_newest_write look = {.address = row->addr, .halves = newest};
  sim_codec_write_id(k, &row->half_0, WRITE_PENDING);
  sim_codec_write_id(k, &row->half_1, WRITE_PENDING);
  if (k->reading || !call_shadow_newest_write(m, bus->self, RUNWAY_PORT_MEMORY, &look)) return;
  for (uint32_t half = 0; half < LINE_HALVES; half++)
    if (row->mask & 1u << half) sim_codec_stale_write(k, newest[half]);
}

static void runway_serialize_row(sim *m, struct runway *bus, uint32_t tid, struct sim_codec *k) {
  transaction *row = runway_row(bus->state, tid);
  sim_codec_u8(k, &row->phase);
  sim_codec_u8(k, &row->type);
  sim_codec_u8(k, &row->master);
  sim_codec_u8(k, &row->slot);
  sim_codec_u8(k, &row->shared);
  sim_codec_u8(k, &row->owner);
  sim_codec_u8(k, &row->blocked_by);
  sim_codec_u8(k, &row->mask);
  sim_codec_addr(k, &row->addr);
  sim_codec_u16(k, &row->index);
  sim_codec_u16(k, &row->responses_pending);
  if (row->type == RUNWAY_TYPE_WRITE32 || row->type == RUNWAY_TYPE_WRITE16_PURGE) {
    runway_serialize_write(m, bus, row, k);
    return;
  }
  if (row->type == RUNWAY_TYPE_SHORT_READ) { /* a register's value */
    sim_codec_u32(k, &row->half_0);
    return;
  }
  sim_codec_write_id(k, &row->half_0, HOLDER_DATA);
  sim_codec_write_id(k, &row->half_1, HOLDER_DATA);
}

static void runway_serialize_agent(struct runway_state *s, uint32_t agent, struct sim_codec *k) {
  struct runway_agents *a = runway_agent(s, agent);
  sim_codec_u8(k, &a->waiting);
  sim_codec_u8(k, &a->stalled);
  sim_codec_u8(k, &a->pending);
  sim_codec_u8(k, &a->polled);
  if (k->reading) a->head = (s->tail - a->waiting) % RUNWAY_QUEUE;
  for (uint32_t i = 0; i < a->waiting; i++)
    sim_codec_u8(k, &s->queue[(a->head + i) % RUNWAY_QUEUE].transaction);
}

static void runway_serialize(sim *m, struct runway *bus, struct sim_codec *k) {
  struct runway_now *now = runway_view(bus->state);
  sim_codec_u64(k, &bus->state->active);
  sim_codec_u64(k, &bus->state->returns);
  sim_codec_u16(k, &bus->state->rejected_agents);
  sim_codec_u16(k, &bus->state->full);
  sim_codec_u16(k, &now->requests);
  sim_codec_u8(k, &now->holder);
  sim_codec_u8(k, &bus->state->taken);
  sim_codec_u8(k, &bus->state->windows_known);
  for (uint64_t left = bus->state->active; left; left &= left - 1)
    runway_serialize_row(m, bus, (uint32_t)__builtin_ctzll(left), k);
  for (uint32_t left = bus->state->wired; left; left &= left - 1)
    runway_serialize_agent(bus->state, (uint32_t)__builtin_ctz(left), k);
}
