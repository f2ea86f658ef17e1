/*
 * Main memory. An access occupies the memory while its data moves and takes a latency besides; both
 * are reservations, answered at once. For a window of addresses each 32-bit word holds the identity
 * of the write that produced it, so copies can be compared; outside the window identities are 0.
 */
#include "core/engine.h"
#include "gen/protocols.h"

struct memory_state {
  uint64_t free_at;
  uint64_t last_bytes, last_move; /* the same size again needs no division */
  uint32_t words_at, words;
};

/* Identity cells of [addr, addr + bytes) within the window: first index and count, and how many words come before. */
static uint32_t memory_window(by *m, uint32_t self, uint64_t addr, uint32_t bytes, uint32_t *index, uint32_t *skip) {
  struct memory_state *s = BY_STATE(m, self, memory);
  uint64_t from = BY_PARAMS(m, self, memory)->tracked_from, end = from + (uint64_t)s->words * 4;
  uint64_t a = by_max(addr, from), b = by_min(addr + bytes, end);
  if (a >= b) return 0;
  *index = (uint32_t)((a - from) / 4);
  *skip = (uint32_t)((a - addr) / 4);
  return (uint32_t)((b - from + 3) / 4) - *index;
}

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
  const struct memory_words *cells = by_at(m, BY_STATE(m, self, memory)->words_at);
  uint32_t index = 0, skip = 0, n = q->writes ? memory_window(m, self, q->address, q->bytes, &index, &skip) : 0;
  for (uint32_t i = 0; i < n; i++) q->writes[skip + i] = cells[index + i].write;
  if (q->when == BY_NEVER) return; /* a look: no time, no counting */
  q->when = memory_take(m, self, q->when, q->bytes);
  BY_COUNTERS(m, self, memory)->reads++;
  BY_COUNTERS(m, self, memory)->bytes_read += q->bytes;
}

static void memory_bridge_write(by *m, uint32_t self, struct memory_write *q) {
  struct memory_words *cells = by_at(m, BY_STATE(m, self, memory)->words_at);
  uint32_t index = 0, skip = 0, n = q->writes ? memory_window(m, self, q->address, q->bytes, &index, &skip) : 0;
  for (uint32_t i = 0; i < n; i++) cells[index + i].write = q->writes[skip + i];
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
  uint32_t words = (uint32_t)(q->tracked / 4);
  struct memory_words *cells = by_view(m, self, MEMORY_VIEW_WORDS, words, sizeof *cells);
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  *s = (struct memory_state){.words_at = by_offset(m, cells), .words = words};
  return BY_OK;
}
