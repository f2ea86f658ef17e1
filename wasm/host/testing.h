/*
 * For unit tests in C: the whole engine, memory for it, and a builder of sessions.
 *
 *     struct session s = session_new(parts, wires);
 *     session_part(&s, BY_TYPE_GT, params, count);   then session_table for each table of the type
 *     session_wire(&s, part, port, part, port);
 *     assert_int_equal(session_open(&s), BY_OK);
 */
#ifndef BY_TESTING_H
#define BY_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifdef EXPORT /* the face of the module is here already, with its own engine */
static by *test_engine(void) { return engine(); }
#define TEST_ARENA (64u << 20)
#else
#define BY_CHECKS
#include "host/engine.c"

#include "check/watch.c"

#define TEST_ARENA (64u << 20)

static unsigned char *test_memory;
static uint64_t test_granted = TEST_ARENA;

void *by_host_reserve(void *m, uint64_t bytes) { return bytes <= test_granted ? m : NULL; }

static by *test_engine(void) {
  if (!test_memory) test_memory = calloc(1, TEST_ARENA);
  return (by *)(test_memory + BY_SIDE_BYTES);
}
#endif

#include "gen/events.h"

#include <cmocka.h>

#define SESSION_WORDS (1u << 16)

struct session {
  uint32_t words[SESSION_WORDS];
  uint32_t n;
};

static struct session session_new(uint32_t parts, uint32_t wires, uint32_t trace_log2) {
  struct session s = {.words = {0x44525942u, 2, BY_LAYOUT_HASH, 1, 0, trace_log2, parts, wires}, .n = 8};
  return s;
}

static void session_value(struct session *s, uint64_t value) {
  s->words[s->n++] = (uint32_t)value;
  s->words[s->n++] = (uint32_t)(value >> 32);
}

static void session_part(struct session *s, uint32_t type, const uint64_t *params, uint32_t count) {
  s->words[s->n++] = type;
  for (uint32_t i = 0; i < count; i++) session_value(s, params[i]);
}

static void session_table(struct session *s, const uint64_t *values, uint32_t rows, uint32_t fields) {
  s->words[s->n++] = rows;
  for (uint32_t i = 0; i < rows * fields; i++) session_value(s, values[i]);
}

static void session_wire(struct session *s, uint32_t pa, uint32_t ia, uint32_t pb, uint32_t ib) {
  uint32_t wire[4] = {pa, ia, pb, ib};
  memcpy(&s->words[s->n], wire, sizeof wire);
  s->n += 4;
}

static int session_open_words(const struct session *s, uint32_t n) {
  by *m = test_engine();
  *by_side(m) = (struct by_side){.limit = TEST_ARENA};
  return by_open(m, s->words, n);
}

static inline int session_open(const struct session *s) { return session_open_words(s, s->n); }

/* Memory that runs out anywhere while a machine is built is an error, and the next opening works. Answers how many pieces of memory it has. */
static inline uint32_t session_without_memory(const struct session *s) {
  by *m = test_engine();
  uint32_t nth = 1;
  for (;; nth++) {
    *by_side(m) = (struct by_side){.limit = TEST_ARENA, .fail_at = nth};
    if (by_open(m, s->words, s->n) == BY_OK) break;
    assert_int_equal(by_look(m)->error, BY_NO_MEMORY);
  }
  assert_int_equal(session_open(s), BY_OK);
  return nth - 1;
}

static inline uint64_t test_hash(void) {
  by_hash(test_engine());
  const struct by_directory *d = by_look(test_engine());
  return (uint64_t)d->hash_hi << 32 | d->hash_lo;
}

/*
 * What is true of any machine that has run: no counter has been taken below zero, what is shown lies within the state and
 * nothing of it twice, and each record comes after its cause, in the order of time, and says what its manifest says and
 * nothing besides.
 */
static inline void assert_sound(void) {
  by *m = test_engine();
  const struct by_directory *d = by_look(m);
  const struct by_view_entry *views = by_at(m, d->views_at);
  for (uint32_t part = 0; part < m->part_count; part++)
    for (uint32_t i = 0; i < by_types[by_part(m, part)->type].counters; i++) assert_true(((uint64_t *)by_at(m, by_part(m, part)->counters_at))[i] < 1ull << 62);
  for (uint32_t i = 0; i < d->view_count; i++) {
    int ringless = by_part(m, views[i].part)->type == BY_TYPE_GT && i - by_part(m, views[i].part)->first_view == GT_VIEW_FLIGHT; /* nothing is on its way without a ring */
    assert_true(views[i].rows > 0 || ringless);
    assert_true(views[i].at >= sizeof(struct by) && views[i].at + (uint64_t)views[i].rows * views[i].row_bytes <= m->state_bytes);
    for (uint32_t j = 0; j < i; j++) assert_true(views[i].at + views[i].rows * views[i].row_bytes <= views[j].at || views[j].at + views[j].rows * views[j].row_bytes <= views[i].at);
  }
  const struct by_record *ring = by_at(m, d->trace_at);
  uint64_t first = m->seq > d->trace_capacity ? m->seq - d->trace_capacity + 1 : 1, time = 0;
  for (uint64_t seq = first; by_side(m)->recording && seq <= m->seq; seq++) {
    const struct by_record *r = &ring[(seq - 1) & by_side(m)->trace_mask];
    assert_true(r->cause < seq && r->time >= time && r->part < m->part_count);
    assert_int_equal((r->a != 0) & ~by_event_slots[r->kind], 0);
    assert_int_equal((r->b != 0) << 1 & ~by_event_slots[r->kind], 0);
    assert_int_equal((r->c != 0) << 2 & ~by_event_slots[r->kind], 0);
    time = r->time;
  }
}

/* Runs until nothing is left to happen. */
static inline void session_run(void) {
  assert_int_equal(by_run(test_engine(), BY_NEVER, 10000000), BY_IDLE);
  assert_sound();
}

/* A record as a test expects it; `why`: the one that caused it, 0 for none. */
struct told {
  uint64_t time;
  uint32_t kind;
  uint64_t a;
  uint32_t b, c, why;
};
#define BECAUSE(part, kind) (((part) << 16 | (kind)) + 1)

/* All that a part told, in its order. */
static inline void assert_tells(uint32_t part, const struct told *expected, uint32_t count) {
  const struct by_directory *d = by_look(test_engine());
  const struct by_record *ring = by_at(test_engine(), d->trace_at);
  uint32_t n = 0;
  assert_true(d->seq_lo <= d->trace_capacity);
  for (uint32_t i = 0; i < d->seq_lo; i++) {
    const struct by_record *r = &ring[i], *why = r->cause ? &ring[r->cause - 1] : NULL;
    if (r->part != part) continue;
    assert_true(n < count);
    struct told got = {r->time, r->kind, r->a, r->b, r->c, why ? BECAUSE((uint32_t)why->part, why->kind) : 0};
    const struct told *e = &expected[n++];
    if (got.time != e->time || got.kind != e->kind || got.a != e->a || got.b != e->b || got.c != e->c || got.why != e->why)
      fail_msg("record %u: %llu ps kind %u a %llx b %u c %u why %x, not %llu ps kind %u a %llx b %u c %u why %x", n - 1, (unsigned long long)got.time, got.kind, (unsigned long long)got.a, got.b, got.c, got.why,
               (unsigned long long)e->time, e->kind, (unsigned long long)e->a, e->b, e->c, e->why);
  }
  assert_int_equal(n, count);
}

/* The message that is handled n-th from now, of those that come soon, and when. */
static inline const by_msg *test_pending(uint32_t n, uint64_t *time) {
  by *m = test_engine();
  assert_true(n < m->pending);
  struct by_entry entry = soon(m)[m->pending - 1 - n];
  *time = entry.time;
  return &slots(m)[slot_of(entry)];
}

/* The next message for a part, and when it comes. */
static inline const by_msg *test_message_for(uint32_t part, uint64_t *time) {
  for (uint32_t n = 0; n < test_engine()->pending; n++) {
    const by_msg *q = test_pending(n, time);
    if (q->to == part) return q;
  }
  fail_msg("no message for part %u is pending", part);
  return NULL;
}

/* A small generator for test inputs, repeatable. */
static inline uint32_t test_random(uint64_t *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(*state >> 33);
}

#endif
