/*
 * For unit tests in C: an engine with its memory, and machines by name. The engine is compiled once and
 * linked to (testing.c); a test includes a part's code and compiles only the functions it calls.
 *
 *     machine("zx1");                                a text of scenarios/machines or wasm/test/machines
 *     PARAMS("cpu", processor)->store_time = 5000;   before it is opened
 *     machine_rows("cpu", 0, ROWS(program));
 *     machine_run();
 *     assert_int_equal(COUNTERS("cpu", processor)->stores, 3);
 *     EXPECT_EVENTS(part_named("bus"), ...);
 *
 * Sessions without a machine text, such as invalid ones, are assembled by session_new and the functions
 * after it.
 */
#ifndef SIM_TESTING_H
#define SIM_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SIM_CHECKS
#ifndef SIM_WITHIN
#define SIM_WITHIN /* of the engine that tests link to */
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

/* A test; main() in testing.c runs all tests of a program in the order of the source. */
#define TEST(test)                                                                               \
  static void test(void **);                                                                     \
  __attribute__((constructor)) static void add_##test(void) { test_add(#test, test, __LINE__); } \
  static void test(void **state __attribute__((unused)))
void test_add(const char *name, CMUnitTestFunction test, uint32_t line);

#define TEST_ARENA (64u << 20)
extern unsigned char *test_memory;
extern uint64_t test_granted; /* reserved for an engine */

sim *test_engine(void);

/* In builds with red zones between arrays (core/load.c): the length of the red zone after rows of this many
 * bytes; a test writes to it. */
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

/* Running out of memory at any point of building a machine is an error, and the next opening works. Returns
 * the number of allocations. */
uint32_t session_without_memory(const struct session *s);

/* Loads a machine text: its parts, parameters and wires, with empty programs. Changes made afterwards apply
 * to every machine opened until the next text is loaded. Unknown names fail the test. */
void machine(const char *name);
void machine_without(const char *part);                /* removes it with its wires */
void machine_with(const char *part);                   /* restores it */
void machine_unwired(const char *part, uint32_t port); /* removes the wire at this port */
void *machine_params(const char *part, const char *type);
void machine_rows(const char *part, uint32_t table, const uint64_t *values, uint32_t count);
const struct session *machine_session(void);
void machine_open(void);
void machine_run(void); /* opens it and runs until no event is left */

/* The index of a part in the session; of_type fails if the part has another type. */
uint32_t part_named(const char *name);
uint32_t part_of_type(const char *name, const char *type);

#define ROWS(values) values, sizeof(values) / sizeof *(values)
#define PARAMS(part, type) ((struct type##_params *)machine_params(part, #type))
#define COUNTERS(part, type) SIM_COUNTERS(test_engine(), part_of_type(part, #type), type)
#define STATE_OF(part, type) SIM_STATE(test_engine(), part_of_type(part, #type), type)
#define CONTEXT_OF(part, type) SIM_CONTEXT(test_engine(), part_of_type(part, #type), type)

/* The first two arguments of a part's function, the engine and the part: bus_grant(OF(BUS, runway), ...). */
#define OF(part, type) test_engine(), SIM_CONTEXT(test_engine(), part, type)

uint64_t test_hash(void);

/* Holds for every machine that has run: no counter has gone below zero, views lie within the state without
 * overlap, and records follow their causes, are in order of time, and match their manifests. */
void assert_sound(void);

/* Runs until no event is left. */
void session_run(void);

/* The same event by event, `EACH_EVENT { ... }`, to check things in between; or until a condition holds. A
 * run without an end fails. */
#define MOST_EVENTS 1000000u
#define EACH_EVENT                                                              \
  for (uint64_t limit_ = test_engine()->events + MOST_EVENTS;                   \
      sim_run(test_engine(), SIM_NEVER, test_engine()->events + 1) != SIM_IDLE; \
      assert_true(test_engine()->events < limit_))
#define RUN_UNTIL(condition)                                                \
  for (uint64_t limit_ = test_engine()->events + MOST_EVENTS; !(condition); \
      assert_true(test_engine()->events < limit_))                          \
  assert_int_equal(sim_run(test_engine(), SIM_NEVER, test_engine()->events + 1), SIM_EVENTS)

/* Whether an assertion of the engine stops this function; the rest of it is not executed. */
int test_stops(void (*does)(const void *), const void *with);

/* A record as a test expects it; `why`: the record that caused it, 0 for none. ANY_TIME and ANY_CAUSE match
 * everything. */
#define ANY_TIME UINT64_MAX
#define ANY_CAUSE UINT32_MAX
struct expected_event {
  uint64_t time;
  uint32_t kind;
  uint64_t a;
  uint32_t b;
  uint32_t c;
  uint32_t why;
};
#define BECAUSE(part, kind) (((uint32_t)(part) << 16 | (kind)) + 1)

/* All records of a part, in order. */
void assert_events(uint32_t part, const struct expected_event *expected, uint32_t count);
#define EXPECT_EVENTS(part, ...)                                       \
  do {                                                                 \
    const struct expected_event expected[] = {__VA_ARGS__};            \
    assert_events(part, expected, sizeof expected / sizeof *expected); \
  } while (0)

/* Several values, each with the one expected: EXPECT_VALUES({c->maps, 3}, {c->unmaps, 2}). A failure names
 * the pair by its place, from 1. All values are read before the first is compared. */
void test_values(const char *text, const uint64_t (*pairs)[2], uint32_t count, const char *file, int line);
#define EXPECT_VALUES(...)                                                                 \
  do {                                                                                     \
    const uint64_t pairs_[][2] = {__VA_ARGS__};                                            \
    test_values(#__VA_ARGS__, pairs_, sizeof pairs_ / sizeof *pairs_, __FILE__, __LINE__); \
  } while (0)

/* The nth pending message among those due soon, and its time. */
const sim_msg *test_pending(uint32_t n, uint64_t *time);

/* The next message for a part, and its time. */
const sim_msg *test_message_for(uint32_t part, uint64_t *time);

/* A small pseudo-random generator for test inputs, repeatable. */
static inline uint32_t test_random(uint64_t *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(*state >> 33);
}

/*
 * In nondeterministic mode: a random walk through states. In each, a next step is taken twice: by the
 * machine as it is, and by one that has read the state back. Both must reach the same state. Reading a state
 * and writing it again changes nothing. At its end the walk starts again.
 */
void assert_kept_goes_on(uint32_t steps, uint64_t *random);

/*
 * Each of these words of 4 bytes is part of a part's serialized state: changing it alone changes the written
 * state, and reading the earlier one restores it. Write numbers are restored by their meaning: an old write,
 * or the nth of those pending.
 */
#define OLD_WRITE 1u
#define COMING_WRITE(n) (2u + 2 * CODEC_WRITE_CLASSES + (n))
void assert_keeps(uint32_t part, void *const *words, uint32_t count);
#define KEEPS(part, ...)                                     \
  do {                                                       \
    void *const words[] = {__VA_ARGS__};                     \
    assert_keeps(part, words, sizeof words / sizeof *words); \
  } while (0)

/* These are not serialized: changing them does not change the written state. */
void assert_keeps_not(uint32_t part, void *const *words, uint32_t count);
#define KEEPS_NOT(part, ...)                                     \
  do {                                                           \
    void *const words[] = {__VA_ARGS__};                         \
    assert_keeps_not(part, words, sizeof words / sizeof *words); \
  } while (0)

#endif
