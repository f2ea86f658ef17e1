/* Recorded references by hand: what a text is read as, what it does to the caches, and where it is wrong. */
#include "host/hp_machine.h"

#include "include/references.h"

#define ROOM 256u

enum { PLAYED_MEMORY, PLAYED_BUS, PLAYED_CACHE, PLAYER_PART = PLAYED_CACHE + 2 };

/* Two caches of lines of so many bytes, and a player in the place of their processors. */
static void players_machine(uint64_t line) {
  static struct session s;
  struct memory_controller_params memory = MEMORY_CONTROLLER_DEFAULTS;
  struct runway_params bus = RUNWAY_DEFAULTS;
  struct snoop_cache_params cache = SNOOP_CACHE_DEFAULTS;
  memory.tracked = 0, cache.virtual_offset = 0, cache.line = line;
  s = session_new(PLAYER_PART + 1, 5, 0);
  HP_PART(&s, BY_TYPE_MEMORY_CONTROLLER, memory);
  HP_PART(&s, BY_TYPE_RUNWAY, bus);
  HP_PART(&s, BY_TYPE_SNOOP_CACHE, cache);
  HP_PART(&s, BY_TYPE_SNOOP_CACHE, cache);
  session_part(&s, BY_TYPE_PLAYER, NULL, 0);
  session_wire(&s, PLAYED_BUS, RUNWAY_PORT_MEMORY, PLAYED_MEMORY, MEMORY_CONTROLLER_PORT_BUS);
  for (uint32_t i = 0; i < 2; i++) {
    session_wire(&s, PLAYER_PART, PLAYER_PORT_CPU + i, PLAYED_CACHE + i, SNOOP_CACHE_PORT_CPU);
    session_wire(&s, PLAYED_CACHE + i, SNOOP_CACHE_PORT_BUS, PLAYED_BUS, RUNWAY_PORT_AGENT + i);
  }
  assert_int_equal(session_open(&s), BY_OK);
}

static struct by_played played(uint64_t line, const char *text) {
  static uint8_t buffer[ROOM + 1];
  struct by_played r = {0};
  uint32_t bytes = (uint32_t)strlen(text);
  assert_true(bytes <= ROOM);
  players_machine(line);
  memset(buffer, 'x', sizeof buffer);
  memcpy(buffer, text, bytes);
  by_play(test_engine(), PLAYER_PART, buffer, bytes, ROOM, 1, &r);
  return r;
}

#define HITS(cpu) (BY_COUNTERS(test_engine(), PLAYED_CACHE + (cpu), snoop_cache)->hits)
#define MISSES(cpu) (BY_COUNTERS(test_engine(), PLAYED_CACHE + (cpu), snoop_cache)->misses)

/* Accesses of a cache are the lines that references touch: the first misses, the next hits. */
static void a_reference_is_an_access_of_each_line_it_touches(void **state) {
  (void)state;
  static const struct { const char *text; uint32_t line, lines, misses, hits; } cases[] = {
      {"0 100\n0 11f\n0 120\n", 32, 3, 2, 1},
      {"0 100\n0 11f\n0 120\n", 64, 3, 1, 2},
      {" L 100,4\n L 104,8\n", 32, 2, 1, 1},
      {" L 118,16\n", 32, 1, 2, 0},             /* 8 bytes of one line, 8 of the next */
      {" L 100,64\n", 32, 1, 2, 0},
      {" L 11f,1\n L 100,32\n", 32, 2, 1, 1},   /* to the last byte of a line and no further */
      {" M 100,4\n", 32, 1, 1, 1},              /* a load and a store */
      {"2 100\nI  100,4\n", 32, 2, 0, 0},       /* instructions are another cache's */
      {"# nothing\n\n0 100", 32, 3, 1, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct by_played r = played(cases[i].line, cases[i].text);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.lines_lo, cases[i].lines);
    assert_int_equal(MISSES(0), cases[i].misses);
    assert_int_equal(HITS(0), cases[i].hits);
  }
  assert_int_equal(played(32, "2 100\nI  100,4\n").instructions_lo, 2);
  played(32, " L 100,4\n S 100,4\n M 100,4\n S 11c,8\n"); /* loads: L and M; stores: S, M, and both lines of the last */
  assert_int_equal(BY_COUNTERS(test_engine(), PLAYER_PART, player)->loads, 2);
  assert_int_equal(BY_COUNTERS(test_engine(), PLAYER_PART, player)->stores, 4);
}

/* A further column names the processor; what another holds dirty comes from its cache. */
static void each_processor_has_its_own_cache(void **state) {
  (void)state;
  assert_int_equal(played(32, "1 100 0\n0 100 1\n0 200 1\n0 100\n").error, 0);
  assert_int_equal(MISSES(0), 1);
  assert_int_equal(HITS(0), 1);
  assert_int_equal(MISSES(1), 2);
  assert_int_equal(BY_COUNTERS(test_engine(), PLAYED_CACHE, snoop_cache)->copies, 1);
}

static void what_cannot_be_read_is_refused_at_its_column(void **state) {
  (void)state;
  static const struct { const char *text; uint32_t error, line, column, value; } cases[] = {
      {"0 100\n3 100\n", REFERENCE_KIND, 1, 1, 0},    {"0 g\n", REFERENCE_ADDRESS, 0, 3, 0}, {"L 100\n", REFERENCE_BYTES, 0, 6, 0},
      {"L 100,0\n", REFERENCE_BYTES, 0, 7, 0},        {"0 100 2\n", REFERENCE_CPUS, 0, 7, 2}, {"0 100 x\n", REFERENCE_CPU, 0, 7, 0},
      {"0 100 99999\n", REFERENCE_CPUS, 0, 7, 99999}, {"0 100 1 1\n", REFERENCE_CPU, 0, 7, 1},
      {"0 100 999990\n", REFERENCE_CPUS, 0, 7, 999990}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct by_played r = played(32, cases[i].text);
    assert_int_equal(r.error, cases[i].error);
    assert_int_equal(r.lines_lo, cases[i].line);
    assert_int_equal(r.column, cases[i].column);
    if (cases[i].error == REFERENCE_CPUS) assert_int_equal(r.value, cases[i].value);
  }
}

/* A line that fills all the room there is has no end that could come. One that is shorter goes on with what comes next. */
static void a_line_without_an_end_is_refused(void **state) {
  (void)state;
  for (uint32_t room = 8; room <= 9; room++) {
    played(32, "0 100\n");
    struct by_played r = {0};
    uint8_t text[16] = "0 100000";
    by_play(test_engine(), PLAYER_PART, text, 8, room, 0, &r);
    assert_int_equal(r.left, 8);
    assert_int_equal(r.error, room == 8 ? REFERENCE_LONG : REFERENCE_OK);
    assert_int_equal(r.column, room == 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reference_is_an_access_of_each_line_it_touches),
      cmocka_unit_test(each_processor_has_its_own_cache),
      cmocka_unit_test(a_line_without_an_end_is_refused),
      cmocka_unit_test(what_cannot_be_read_is_refused_at_its_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
