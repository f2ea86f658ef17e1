/*
 * Main memory. An access occupies the memory while its data moves and takes a latency besides; both
 * are reservations, answered at once. For a window of addresses each 32-bit word holds the identity
 * of the write that produced it, so copies can be compared; outside the window identities are 0.
 */
#include "core/engine.h"
#include "ports.h"

struct memory_state {
  uint64_t free_at;
  uint64_t last_bytes, last_move; /* the same size again needs no division */
  uint32_t words_at, words;
};

/* Identity cells of [addr, addr + bytes) within the window: first index and count, and how many words come before. */
static uint32_t memory_window(by *m, uint32_t self, const by_poll *p, uint32_t *index, uint32_t *skip) {
  struct memory_state *s = BY_STATE(m, self, memory);
  uint64_t from = BY_PARAMS(m, self, memory)->tracked_from, end = from + (uint64_t)s->words * 4;
  uint64_t a = by_max(p->addr, from), b = by_min(p->addr + p->x, end);
  if (a >= b) return 0;
  *index = (uint32_t)((a - from) / 4);
  *skip = (uint32_t)((a - p->addr) / 4);
  return (uint32_t)((b - from + 3) / 4) - *index;
}

static uint32_t memory_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  (void)port;
  struct memory_state *s = BY_STATE(m, self, memory);
  struct memory_counters *c = BY_COUNTERS(m, self, memory);
  const struct memory_params *q = BY_PARAMS(m, self, memory);
  if (p->words) {
    struct memory_words *cells = by_at(m, s->words_at);
    uint32_t index = 0, skip = 0, n = memory_window(m, self, p, &index, &skip);
    for (uint32_t i = 0; i < n; i++)
      if (kind == MEMORY_READ) p->words[skip + i] = cells[index + i].write;
      else cells[index + i].write = p->words[skip + i];
  }
  if (p->when == BY_NEVER) return 0; /* a peek: no time, no counting */
  uint64_t start = by_max(p->when, s->free_at), move = p->x == s->last_bytes ? s->last_move : p->x * 1000000000000ull / q->bandwidth;
  s->last_bytes = p->x;
  s->last_move = move;
  s->free_at = start + move;
  p->when = start + q->latency;
  c->busy += move;
  if (kind == MEMORY_READ) {
    c->reads++;
    c->bytes_read += p->x;
  } else {
    c->writes++;
    c->bytes_written += p->x;
  }
  return 0;
}

static void memory_on(by *m, uint32_t self, const by_msg *msg) { (void)m, (void)self, (void)msg; }

static int memory_changed(by *m, uint32_t self, uint32_t param) {
  BY_STATE(m, self, memory)->last_bytes = 0;
  BY_STATE(m, self, memory)->last_move = 0;
  return param == MEMORY_PARAM_LATENCY || param == MEMORY_PARAM_BANDWIDTH ? BY_OK : BY_NOT_LIVE;
}

static int memory_load(by *m, uint32_t self) {
  const struct memory_params *q = BY_PARAMS(m, self, memory);
  if (q->bandwidth == 0) return by_refuse(m, BY_BAD_PARAM, self, MEMORY_PARAM_BANDWIDTH);
  if (q->tracked > 16u << 20) return by_refuse(m, BY_BAD_PARAM, self, MEMORY_PARAM_TRACKED);
  struct memory_state *s = by_state_alloc(m, self, sizeof *s);
  uint32_t words = (uint32_t)(q->tracked / 4);
  struct memory_words *cells = by_view(m, self, MEMORY_VIEW_WORDS, words, sizeof *cells);
  if (!s || !cells) return BY_NO_MEMORY;
  *s = (struct memory_state){.words_at = by_offset(m, cells), .words = words};
  return BY_OK;
}
