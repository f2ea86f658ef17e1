/*
 * For unit tests in C: an engine with memory for it, and machines by name. The engine is compiled once and
 * linked to (testing.c); a test sees all of a part's code and compiles only what it calls by itself.
 *
 *     machine("zx1");                                a text of scenarios/machines or wasm/test/machines
 *     PARAMS("cpu", processor)->store_time = 5000;   before it is opened
 *     machine_rows("cpu", 0, ROWS(program));
 *     machine_run();
 *     assert_int_equal(COUNTERS("cpu", processor)->stores, 3);
 *     EXPECT_EVENTS(part_named("bus"), ...);
 *
 * Sessions that no text describes, such as broken ones, are put together by session_new and the functions
 * behind it.
 */
#ifndef SIM_TESTING_H
#define SIM_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SIM_CHECKS
#ifndef SIM_WITHIN
#define SIM_WITHIN /* of the engine that tests are linked to */
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" /* each test calls some of it */
#include "gen/registry.h"

#include "verify/view.h"
#include "core/state_codec.h"
#include "core/queue.h"
#include "gen/events.h"
#pragma GCC diagnostic pop

#include <cmocka.h>

#define TEST_ARENA (64u << 20)
extern unsigned char *test_memory;
extern uint64_t test_granted; /* what the host has for an engine */

sim *test_engine(void);

/* In builds with fences between arrays (core/load.c): how far the one behind rows of so many bytes reaches,
 * and a test touches what lies there. */
uint64_t test_fence(uint32_t row_bytes);
void test_touches(const void *at, uint64_t bytes);

#define SESSION_WORDS (1u << 16)

struct session {
  uint32_t words[SESSION_WORDS];
  uint32_t n;
};

struct session session_new(uint32_t parts, uint32_t wires, uint32_t trace_log2);
void session_part(struct session *s, uint32_t type, const uint64_t *params, uint32_t count);
void session_table(struct session *s, const uint64_t *values, uint32_t rows, uint32_t fields);
void session_wire(struct session *s, uint32_t pa, uint32_t ia, uint32_t pb, uint32_t ib);
int session_open_words(const struct session *s, uint32_t n);
static inline int session_open(const struct session *s) { return session_open_words(s, s->n); }

/* Memory that runs out anywhere while a machine is built is an error, and the next opening works. Answers how
 * many pieces of memory it has. */
uint32_t session_without_memory(const struct session *s);

/*
 * Takes the text of a machine: its parts, parameters and wires, programs that are empty. What is changed
 * after that holds for the machines that are opened, until a text is taken again. Unknown names fail the
 * test.
 */
void machine(const char *name);
void machine_without(const char *part); /* and without its wires */
void machine_with(const char *part);    /* takes it in again */
void *machine_params(const char *part, const char *type);
void machine_rows(const char *part, uint32_t table, const uint64_t *values, uint32_t count);
const struct session *machine_session(void);
void machine_open(void);
void machine_run(void); /* opens it and runs until nothing is left to happen */

/* The index of a part in the session; of_type fails where the part has another type. */
uint32_t part_named(const char *name);
uint32_t part_of_type(const char *name, const char *type);

#define ROWS(values) values, sizeof(values) / sizeof *(values)
#define PARAMS(part, type) ((struct type##_params *)machine_params(part, #type))
#define COUNTERS(part, type) SIM_COUNTERS(test_engine(), part_of_type(part, #type), type)
#define STATE_OF(part, type) SIM_STATE(test_engine(), part_of_type(part, #type), type)
#define CONTEXT_OF(part, type) SIM_CONTEXT(test_engine(), part_of_type(part, #type), type)

uint64_t test_hash(void);

/*
 * What is true of any machine that has run: no counter has been taken below zero, what is shown lies within
 * the state and nothing of it twice, and each record comes after its cause, in the order of time, and says
 * what its manifest says and nothing besides.
 */
void assert_sound(void);

/* Runs until nothing is left to happen. */
void session_run(void);

/* The same event by event: `EACH_EVENT { ... }`, for what is to be seen in between; or until something is so.
 * What would never end fails. */
#define MOST_EVENTS 1000000u
#define EACH_EVENT                                                              \
  for (uint64_t limit_ = test_engine()->events + MOST_EVENTS;                   \
      sim_run(test_engine(), SIM_NEVER, test_engine()->events + 1) != SIM_IDLE; \
      assert_true(test_engine()->events < limit_))
#define RUN_UNTIL(condition)                                                \
  for (uint64_t limit_ = test_engine()->events + MOST_EVENTS; !(condition); \
      assert_true(test_engine()->events < limit_))                          \
  assert_int_equal(sim_run(test_engine(), SIM_NEVER, test_engine()->events + 1), SIM_EVENTS)

/* Whether the engine stops at a check of its own while this is done; what it was about to do is left undone.
 */
int test_stops(void (*does)(const void *), const void *with);

/* A record as a test expects it; `why`: the one that caused it, 0 for none. Where a test is not about times,
 * or causes, any will do. */
#define ANY_TIME UINT64_MAX
#define ANY_CAUSE UINT32_MAX
struct told {
  uint64_t time;
  uint32_t kind;
  uint64_t a;
  uint32_t b;
  uint32_t c;
  uint32_t why;
};
#define BECAUSE(part, kind) (((uint32_t)(part) << 16 | (kind)) + 1)

/* All that a part told, in its order. */
void assert_events(uint32_t part, const struct told *expected, uint32_t count);
#define EXPECT_EVENTS(part, ...)                                       \
  do {                                                                 \
    const struct told expected[] = {__VA_ARGS__};                      \
    assert_events(part, expected, sizeof expected / sizeof *expected); \
  } while (0)

/* The message that is handled n-th from now, of those that come soon, and when. */
const sim_msg *test_pending(uint32_t n, uint64_t *time);

/* The next message for a part, and when it comes. */
const sim_msg *test_message_for(uint32_t part, uint64_t *time);

/* A small generator for test inputs, repeatable. */
static inline uint32_t test_random(uint64_t *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(*state >> 33);
}

/*
 * Where the order of events is open: a walk through states that were never kept. In each, any of the next
 * steps is taken twice: by the machine that came here, and by one that has read what the state was written
 * as. Both must come to the same. Reading a state and writing it again changes nothing. When all is over it
 * begins once more.
 */
void assert_kept_goes_on(uint32_t steps, uint64_t *random);

/*
 * Each of these words of 4 bytes is part of what is kept of a part: where it alone differs another state is
 * written, and reading what was written before brings it back. Of writes the meaning comes back: that it is
 * old, or the n-th that is still to come.
 */
#define OLD_WRITE 1u
#define COMING_WRITE(n) (2u + 2 * CODEC_WRITE_CLASSES + (n))
void assert_keeps(uint32_t part, void *const *words, uint32_t count);
#define KEEPS(part, ...)                                     \
  do {                                                       \
    void *const words[] = {__VA_ARGS__};                     \
    assert_keeps(part, words, sizeof words / sizeof *words); \
  } while (0)

/* These are no part of it: where they differ the same state is written. */
void assert_keeps_not(uint32_t part, void *const *words, uint32_t count);
#define KEEPS_NOT(part, ...)                                     \
  do {                                                           \
    void *const words[] = {__VA_ARGS__};                         \
    assert_keeps_not(part, words, sizeof words / sizeof *words); \
  } while (0)

#endif
