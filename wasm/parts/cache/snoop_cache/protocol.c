/*
 * The coherence protocol as a table, and its interpreter. A row gives, for a line state and an event, the
 * response, the action and the next state. Combinations without a row cannot occur: they trap.
 */
#include "parts/cache/snoop_cache/snoop_cache.h"

#define S(name) SNOOP_CACHE_LINE_##name
#define H(name) SNOOP_CACHE_PROTOCOL_EVENT_##name
#define R(name) RUNWAY_RESPONSE_##name
#define A(name) SNOOP_CACHE_ACTION_##name
#define ROW(state, protocol_event, response, action, next) \
  {S(state), H(protocol_event), R(response), A(action), S(next)}

static const uint8_t CACHE_PROTOCOL[][5] = {
    ROW(INVALID, LOAD, OK, READ_SHARED, INVALID),
    ROW(INVALID, STORE, OK, READ_PRIVATE, INVALID),
    ROW(SHARED, LOAD, OK, HIT, SHARED),
    ROW(SHARED, STORE, OK, READ_PRIVATE, INVALID),
    ROW(PRIVATE_CLEAN, LOAD, OK, HIT, PRIVATE_CLEAN),
    ROW(PRIVATE_CLEAN, STORE, OK, HIT, PRIVATE_DIRTY),
    ROW(PRIVATE_DIRTY, LOAD, OK, HIT, PRIVATE_DIRTY),
    ROW(PRIVATE_DIRTY, STORE, OK, HIT, PRIVATE_DIRTY),
    ROW(SHARED, EVICT, OK, NONE, INVALID),
    ROW(PRIVATE_CLEAN, EVICT, OK, NONE, INVALID),
    ROW(PRIVATE_DIRTY, EVICT, OK, WRITE_BACK, INVALID),

    ROW(INVALID, SNOOP_READ_SHARED, OK, NONE, INVALID),
    ROW(INVALID, SNOOP_READ_PRIVATE, OK, NONE, INVALID),
    ROW(INVALID, SNOOP_WRITE, OK, NONE, INVALID),
    ROW(INVALID, SNOOP_FLUSH, OK, NONE, INVALID),
    ROW(INVALID, SNOOP_PURGE, OK, NONE, INVALID),
    ROW(SHARED, SNOOP_READ_SHARED, SHARED, NONE, SHARED),
    ROW(SHARED, SNOOP_READ_PRIVATE, OK, NONE, INVALID),
    ROW(SHARED, SNOOP_WRITE, OK, NONE, INVALID),
    ROW(SHARED, SNOOP_FLUSH, OK, NONE, INVALID),
    ROW(SHARED, SNOOP_PURGE, OK, NONE, INVALID),
    ROW(PRIVATE_CLEAN, SNOOP_READ_SHARED, SHARED, NONE, SHARED),
    ROW(PRIVATE_CLEAN, SNOOP_READ_PRIVATE, OK, NONE, INVALID),
    ROW(PRIVATE_CLEAN, SNOOP_WRITE, OK, NONE, INVALID),
    ROW(PRIVATE_CLEAN, SNOOP_FLUSH, OK, NONE, INVALID),
    ROW(PRIVATE_CLEAN, SNOOP_PURGE, OK, NONE, INVALID),
    ROW(PRIVATE_DIRTY, SNOOP_READ_SHARED, COPY, COPY, SHARED),
    ROW(PRIVATE_DIRTY, SNOOP_READ_PRIVATE, COPY, COPY, INVALID),
    ROW(PRIVATE_DIRTY, SNOOP_WRITE, OK, DISCARD, INVALID),
    ROW(PRIVATE_DIRTY, SNOOP_FLUSH, WAIT, WRITE_BACK, INVALID),
    ROW(PRIVATE_DIRTY, SNOOP_PURGE, OK, DISCARD, INVALID),

    ROW(WB, SNOOP_READ_SHARED, COPY, COPY, INVALID),
    ROW(WB, SNOOP_READ_PRIVATE, COPY, COPY, INVALID),
    ROW(WB, SNOOP_WRITE, OK, DISCARD, INVALID),
    ROW(WB, SNOOP_FLUSH, WAIT, NONE, WB),
    ROW(WB, SNOOP_PURGE, OK, DISCARD, INVALID),

    ROW(IS_D, SNOOP_READ_SHARED, SHARED, NONE, IS_D),
    ROW(IS_D, SNOOP_READ_PRIVATE, OK, NONE, IU_D),
    ROW(IS_D, SNOOP_WRITE, OK, NONE, IU_D),
    ROW(IS_D, SNOOP_FLUSH, OK, NONE, IU_D),
    ROW(IS_D, SNOOP_PURGE, OK, NONE, IU_D),
    ROW(IM_D, SNOOP_READ_SHARED, COPY, COPY_PENDING, IS_D),
    ROW(IM_D, SNOOP_READ_PRIVATE, COPY, COPY_PENDING, IU_D),
    ROW(IM_D, SNOOP_WRITE, WAIT, NONE, IM_D),
    ROW(IM_D, SNOOP_FLUSH, WAIT, NONE, IM_D),
    ROW(IM_D, SNOOP_PURGE, WAIT, NONE, IM_D),
    ROW(IS_D, FILL_SHARED, OK, NONE, SHARED),
    ROW(IS_D, FILL_PRIVATE, OK, NONE, PRIVATE_CLEAN),
    ROW(IM_D, FILL_PRIVATE, OK, NONE, PRIVATE_DIRTY),
    ROW(IU_D, FILL_SHARED, OK, NONE, INVALID),
    ROW(IU_D, FILL_PRIVATE, OK, NONE, INVALID),
};
_Static_assert(sizeof CACHE_PROTOCOL / sizeof *CACHE_PROTOCOL == CACHE_ROWS, "CACHE_ROWS counts these rows");

/* Publishes the table in a view, and indexes it by state and protocol_event. */
static SIM_COLD void protocol_load(struct snoop_cache_state *s) {
  for (uint32_t i = 0; i < CACHE_ROWS; i++) {
    const uint8_t *row = CACHE_PROTOCOL[i];
    s->rows[i] = (protocol_row){row[0], row[1], row[2], row[3], row[4], 0, 0};
    s->row_of[row[0] * SNOOP_CACHE_PROTOCOL_EVENT_ALL + row[1]] = i + 1;
  }
}

/* Applies the row for an event to a line in this state. */
static inline const protocol_row *protocol_read_row(
    sim *m, struct snoop_cache *cache, uint32_t state, uint32_t protocol_event) {
  uint32_t row = cache->state->row_of[state * SNOOP_CACHE_PROTOCOL_EVENT_ALL + protocol_event];
  if (row == 0) __builtin_trap(); /* no such row: the protocol does not cover this case */
  protocol_row *r = &cache->state->rows[row - 1];
  r->taken++;
  r->last = m->time;
  cache_now(cache)->row = row;
  return r;
}

#undef S
#undef H
#undef R
#undef A
#undef ROW
