/*
 * Main memory. An access occupies the memory while its data moves and takes a latency besides; both
 * are reservations, answered at once. For a window of addresses it keeps a ledger (core/ledger.h); outside the window
 * identities are 0.
 */
#include "core/engine.h"
#include "core/ledger.h"
#include "gen/protocols.h"

struct memory_state {
  uint64_t free_at;
  uint64_t last_bytes, last_move; /* the same size again needs no division */
  struct ledger ledger;
};

/* The memory is taken while the data of an access moves. Returns when the data is there. */
static uint64_t memory_take(by *m, uint32_t self, uint64_t when, uint32_t bytes) {
  struct memory_state *s = BY_STATE(m, self, memory);
  const struct memory_params *p = BY_PARAMS(m, self, memory);
  uint64_t start = by_max(when, s->free_at), move = bytes == s->last_bytes ? s->last_move : bytes * 1000000000000ull / p->bandwidth;
  s->last_bytes = bytes;
  s->last_move = move;
  s->free_at = start + move;
  BY_COUNTERS(m, self, memory)->busy += move;
  return start + p->latency;
}

static void memory_bridge_read(by *m, uint32_t self, struct memory_read *q) {
  if (q->writes) ledger_give(m, &BY_STATE(m, self, memory)->ledger, q->address, q->bytes, q->writes);
  if (q->when == BY_NEVER) return; /* a look: no time, no counting */
  q->when = memory_take(m, self, q->when, q->bytes);
  BY_COUNTERS(m, self, memory)->reads++;
  BY_COUNTERS(m, self, memory)->bytes_read += q->bytes;
}

static void memory_bridge_write(by *m, uint32_t self, struct memory_write *q) {
  if (q->writes) ledger_take(m, &BY_STATE(m, self, memory)->ledger, q->address, q->bytes, q->writes);
  if (q->when == BY_NEVER) return;
  q->when = memory_take(m, self, q->when, q->bytes);
  BY_COUNTERS(m, self, memory)->writes++;
  BY_COUNTERS(m, self, memory)->bytes_written += q->bytes;
}

static void memory_adapt(by *m, uint32_t self) {
  BY_STATE(m, self, memory)->last_bytes = 0;
  BY_STATE(m, self, memory)->last_move = 0;
}

static int memory_load(by *m, uint32_t self) {
  const struct memory_params *q = BY_PARAMS(m, self, memory);
  struct memory_state *s = by_state_alloc(m, self, sizeof *s);
  uint32_t words = (uint32_t)(q->tracked / LEDGER_WORD);
  void *cells = by_view(m, self, MEMORY_VIEW_CELLS, words, sizeof(struct ledger_cell));
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  *s = (struct memory_state){.ledger = ledger_of(m, cells, q->tracked_from, words, LEDGER_WORD)};
  return BY_OK;
}
