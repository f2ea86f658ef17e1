/* Recorded references: how a text is parsed, its effect on the caches, and where its errors are reported. */
#include "test/hp.h"

#include <stdio.h>

#include "include/reference_trace.h"

#define ROOM 1024u

#define PLAYER_PART part_named("player")
#define PLAYED_CACHE part_named("cache0")
#define PLAYED_BUS part_named("runway")
#define PLAYED_MEMORY part_named("memory")

/* Two caches with lines of this many bytes, and a player in place of their processors. */
static void players_machine_of(uint64_t line, uint64_t policy) {
  machine("player");
  for (uint32_t i = 0; i < 2; i++)
    PARAMS(HP_CACHE[i], snoop_cache)->line = line, PARAMS(HP_CACHE[i], snoop_cache)->policy = policy;
  machine_open();
}

static void players_machine(uint64_t line) { players_machine_of(line, SNOOP_CACHE_POLICY_WRITE_BACK); }

static struct sim_played played(uint64_t line, const char *text) {
  static uint8_t buffer[ROOM + 1];
  struct sim_played r = {0};
  uint32_t bytes = (uint32_t)strlen(text);
  assert_true(bytes <= ROOM);
  players_machine(line);
  memset(buffer, 'x', sizeof buffer);
  memcpy(buffer, text, bytes);
  sim_play_references(test_engine(), PLAYER_PART, buffer, bytes, ROOM, 1, &r);
  return r;
}

#define HITS(cpu) (SIM_COUNTERS(test_engine(), PLAYED_CACHE + (cpu), snoop_cache)->hits)
#define MISSES(cpu) (SIM_COUNTERS(test_engine(), PLAYED_CACHE + (cpu), snoop_cache)->misses)

/* A reference accesses each line it touches: the first time it misses, the next it hits. */
TEST(a_reference_accesses_each_line_it_touches) {
  static const struct {
    const char *text;
    uint32_t line, lines, misses, hits;
  } cases[] = {{"0 100\n0 11f\n0 120\n", 32, 3, 2, 1}, {"0 100\n0 11f\n0 120\n", 64, 3, 1, 2},
      {" L 100,4\n L 104,8\n", 32, 2, 1, 1},
      {" L 118,16\n", 32, 1, 2, 0}, /* 8 bytes of one line, 8 of the next */
      {" L 100,64\n", 32, 1, 2, 0},
      {" L 11f,1\n L 100,32\n", 32, 2, 1, 1},                           /* up to the last byte of a line */
      {" L 11e,3\n", 32, 1, 2, 0}, {" L 100,64\n0 200\n", 32, 2, 3, 0}, /* one byte by default */
      {" M 100,4\n", 32, 1, 1, 1},                                      /* a load and a store */
      {"2 100\nI  100,4\n", 32, 2, 0, 0}, /* instructions do not access the data cache */
      {"# nothing\n\n0 100", 32, 3, 1, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sim_played r = played(cases[i].line, cases[i].text);
    EXPECT_VALUES(
        {r.error, 0}, {r.lines_lo, cases[i].lines}, {MISSES(0), cases[i].misses}, {HITS(0), cases[i].hits});
  }
  assert_int_equal(played(32, "2 100\nI  100,4\n").instructions_lo, 2);
  played(32, " L 100,4\n S 100,4\n M 100,4\n S 11c,8\n"); /* loads L, M; stores S, M, and two of the last */
  assert_int_equal(SIM_COUNTERS(test_engine(), PLAYER_PART, player)->loads, 2);
  assert_int_equal(SIM_COUNTERS(test_engine(), PLAYER_PART, player)->stores, 4);
}

/* A third column names the processor. A line that is dirty in another cache is supplied by that cache. */
TEST(each_processor_has_its_own_cache) {
  assert_int_equal(played(32, "1 100 0\n0 100 1\n0 200 1\n0 100\n").error, 0);
  EXPECT_VALUES({MISSES(0), 1}, {HITS(0), 1}, {MISSES(1), 2},
      {SIM_COUNTERS(test_engine(), PLAYED_CACHE, snoop_cache)->copies, 1});
}

TEST(a_syntax_error_is_reported_at_its_column) {
  static const struct {
    const char *text;
    uint32_t error, line, column, value;
  } cases[] = {{"0 100\n3 100\n", REFERENCE_KIND, 1, 1, 0}, {"0 g\n", REFERENCE_ADDRESS, 0, 3, 0},
      {"L 100\n", REFERENCE_BYTES, 0, 6, 0}, {"L 100,0\n", REFERENCE_BYTES, 0, 7, 0},
      {"0 100 2\n", REFERENCE_CPUS, 0, 7, 2}, {"0 100 x\n", REFERENCE_CPU, 0, 7, 0},
      {"0 100 99999\n", REFERENCE_CPUS, 0, 7, 99999}, {"0 100 1 1\n", REFERENCE_CPU, 0, 7, 1},
      {"0 100 999990\n", REFERENCE_CPUS, 0, 7, 999990}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sim_played r = played(32, cases[i].text);
    EXPECT_VALUES({r.error, cases[i].error}, {r.lines_lo, cases[i].line}, {r.column, cases[i].column});
    if (cases[i].error == REFERENCE_CPUS) assert_int_equal(r.value, cases[i].value);
  }
}

/* Blanks, signs of a number, letters of either case, and other systems' line ends. */
TEST(references_are_read_in_all_spellings) {
  static const struct {
    const char *text;
    uint32_t misses, hits, lines;
  } cases[] = {{"0 1a0\n0 1A0\n\t0\t0x1a0\n 0  0X1A0\n", 1, 3, 4},
      {"0 1f0\r\n0 1f0 1\r\n0 1f0 0 \n0\t1f0\t0\t\r\n", 1, 2, 4},
      {"= of lackey\n- 1 2\n*\n\r\n# 0 100\n \t\n0 100\n", 1, 0, 7}, {"0 9\n0 0\n0 f\n0 a\n0 F\n", 1, 4, 5},
      {"0 00000000000000ff\n", 1, 0, 1}, {"0 100", 1, 0, 1}, {"# no more", 0, 0, 1},
      {"L 100,4096\n", 128, 0, 1}, {"L 100,32\nL 100,33\n", 2, 1, 2},
      {"S 100,4 1\nM 100,4 1\nI 100,4 1\nS 100,4\n", 1, 0, 4}, {"", 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sim_played r = played(32, cases[i].text);
    EXPECT_VALUES({r.error, 0}, {r.lines_lo, cases[i].lines}, {MISSES(0), cases[i].misses},
        {HITS(0), cases[i].hits}, {r.left, 0}, {test_engine()->pending, 0});
  }
}

/* The characters next to the digits: `:` follows 9, `@` precedes A, g follows f, and so on; and numbers that
 * are too long. */
TEST(invalid_numbers_are_refused) {
  static const struct {
    const char *text;
    uint32_t error, column;
  } cases[] = {{"0 /\n", REFERENCE_ADDRESS, 3}, {"0 :\n", REFERENCE_ADDRESS, 3},
      {"0 @\n", REFERENCE_ADDRESS, 3}, {"0 G\n", REFERENCE_ADDRESS, 3}, {"0 `\n", REFERENCE_ADDRESS, 3},
      {"0 \n", REFERENCE_ADDRESS, 3}, {"0 0x\n", REFERENCE_ADDRESS, 5}, {"0 1x5\n", REFERENCE_CPU, 4},
      {"0 00000000000000fff\n", REFERENCE_ADDRESS, 19}, {"0 100 /\n", REFERENCE_CPU, 7},
      {"0 100 :\n", REFERENCE_CPU, 7}, {"0 100 1:\n", REFERENCE_CPU, 7}, {"0 100 8\n", REFERENCE_CPUS, 7},
      {"0 100 9\n", REFERENCE_CPUS, 7}, {"0 100 32\n", REFERENCE_CPUS, 7}, {"0 100 33\n", REFERENCE_CPUS, 7},
      {"L 100,4097\n", REFERENCE_BYTES, 7}, {"L 100,x\n", REFERENCE_BYTES, 7},
      {"L 100 4\n", REFERENCE_BYTES, 6}, {"L x,4\n", REFERENCE_ADDRESS, 3},
      {"L 100,4 2\n", REFERENCE_CPUS, 9}, {"L 100,4x\n", REFERENCE_CPU, 8},
      {"L 100,4 1 1\n", REFERENCE_CPU, 9}, {"I 100,0\n", REFERENCE_BYTES, 7}, {" x 100\n", REFERENCE_KIND, 2},
      {"0100\n", REFERENCE_KIND, 1}, {"0\n", REFERENCE_KIND, 1}, {"LL 100,4\n", REFERENCE_KIND, 1},
      {"/ 100\n", REFERENCE_KIND, 1}, {"3 100\n", REFERENCE_KIND, 1}, {"l 100,4\n", REFERENCE_KIND, 1},
      {"2 100 x\n", REFERENCE_CPU, 7}, {"0 100 1000001\n", REFERENCE_CPU, 7},
      {"0 100 999991\n", REFERENCE_CPUS, 7}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sim_played r = played(32, cases[i].text);
    if (r.error != cases[i].error || r.column != cases[i].column)
      fail_msg("%s: error %u at column %u", cases[i].text, r.error, r.column);
    EXPECT_VALUES({r.lines_lo, 0}, {MISSES(0) + MISSES(1), 0});
  }
}

/* The same offset in two blocks is two addresses. Tags distinguish 31 blocks with lines of 32 bytes, and 15
 * with lines of 16. */
TEST(tags_limit_the_number_of_blocks) {
  assert_int_equal(
      played(32, "0 100\n0 7fffffe0\n0 80000000\n0 ffffffe0\n0 1fffffff0\n").blocks, 2); /* 4 GiB each */
  played(32, "0 80000100\n0 100000100\n0 180000100\n"); /* three addresses, in different blocks */
  assert_int_equal(MISSES(0), 3);
  assert_int_equal(
      played(32, "0 100000100\n0 200000100\n0 100000100\n0 100000104\n0 100\n0 2000001f0\n").blocks, 3);
  assert_int_equal(MISSES(0), 5); /* all but the last map to the same line of the cache */
  assert_int_equal(HITS(0), 1);
  for (uint32_t line = 16; line <= 32; line += 16) {
    char text[ROOM + 1];
    uint32_t n = 0;
    for (uint32_t i = 0; i < line; i++) n += (uint32_t)sprintf(text + n, "0 %x00000100\n", 0x70 + i);
    struct sim_played r = played(line, text);
    EXPECT_VALUES({r.error, REFERENCE_SPREAD}, {r.lines_lo, line - 1}, {r.column, 13}, {r.blocks, line - 1});
    for (uint32_t i = 0; i < line - 1; i++) assert_int_equal(r.block[i], 0x70 + i);
    assert_int_equal(MISSES(0), line - 1);
  }
}

/* A text in pieces is read like a whole one, and counts continue in 64 bits. An unfinished line is moved to
 * the beginning. */
TEST(a_text_may_come_in_pieces) {
  players_machine(32);
  struct sim_played r = {.lines_lo = UINT32_MAX - 1, .instructions_lo = UINT32_MAX, .instructions_hi = 3};
  uint8_t text[ROOM + 1] = " 0 100\n2 100\n2 100\n0 1";
  sim_play_references(test_engine(), PLAYER_PART, text, 22, ROOM, 0, &r);
  assert_int_equal(r.left, 3);
  assert_memory_equal(text, "0 1", 3);
  EXPECT_VALUES({r.lines_lo, 1}, {r.lines_hi, 1}, {r.instructions_lo, 1}, {r.instructions_hi, 4});
  memcpy(text + r.left, "1f\n1 120\n", 9);
  sim_play_references(test_engine(), PLAYER_PART, text, r.left + 9, ROOM, 0, &r);
  EXPECT_VALUES({r.left, 0}, {r.lines_lo, 3}, {HITS(0), 1}, {MISSES(0), 2},
      {SIM_COUNTERS(test_engine(), PLAYER_PART, player)->loads, 2},
      {SIM_COUNTERS(test_engine(), PLAYER_PART, player)->stores, 1});
  sim_play_references(test_engine(), PLAYER_PART, text, 0, ROOM, 1, &r);
  EXPECT_VALUES({r.error, 0}, {r.lines_lo, 3});
}

/* With write-through the last store is still on its way when the text has been read; the final call waits
 * for it. */
TEST(the_final_call_waits_for_pending_stores) {
  for (int last = 0; last < 2; last++) {
    players_machine_of(32, SNOOP_CACHE_POLICY_WRITE_THROUGH);
    struct sim_played r = {0};
    uint8_t text[ROOM + 1] = "0 100\n1 100\n";
    sim_play_references(test_engine(), PLAYER_PART, text, 12, ROOM, last, &r);
    EXPECT_VALUES({r.lines_lo, 2}, {test_engine()->pending > 0, !last});
  }
}

/* Accesses are serialized: the second starts when the first is done, so two misses take twice as long as
 * one. */
TEST(time_passes_in_misses) {
  assert_int_equal(played(32, "").lines_lo, 0);
  assert_int_equal(test_engine()->time, 0);
  uint32_t rows;
  const struct player_now *now = checked_view(test_engine(), PLAYER_PART, PLAYER_VIEW_NOW, &rows);
  EXPECT_VALUES({now->waiting, 0}, {rows, 1});
  played(32, "0 100\n");
  uint64_t one = test_engine()->time;
  assert_true(one > 0);
  played(32, "0 100\n0 104\n0 11c\n");
  assert_int_equal(test_engine()->time, one);
  played(32, "0 100\n0 200\n");
  assert_in_range(test_engine()->time, 2 * one - 1, 2 * one + 1); /* cycles of 25/3 ns, within a picosecond */
}

TEST(memory_that_runs_out_is_an_error) {
  struct session s = session_new(1, 0, 0);
  session_part(&s, SIM_TYPE_PLAYER, NULL, 0);
  session_without_memory(&s);
}

/* A line that fills the whole buffer cannot be completed. A shorter one continues with the next piece. */
TEST(a_line_without_an_end_is_refused) {
  for (uint32_t room = 8; room <= 9; room++) {
    played(32, "0 100\n");
    struct sim_played r = {0};
    uint8_t text[16] = "0 100000";
    sim_play_references(test_engine(), PLAYER_PART, text, 8, room, 0, &r);
    EXPECT_VALUES({r.left, 8}, {r.error, room == 8 ? REFERENCE_LONG : REFERENCE_OK}, {r.column, room == 8});
  }
}

/* An instruction accesses no cache, but its processor has to exist. */
TEST(a_missing_processor_executes_nothing) {
  static const struct {
    const char *text;
    uint32_t value;
  } cases[] = {{"2 100 2\n", 2}, {"2 100 7\n", 7}, {"2 100 8\n", 8}, {"2 100 9\n", 9}, {"2 100 32\n", 32},
      {"2 100 33\n", 33}, {"I 1ff,4 3\n", 3}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sim_played r = played(32, cases[i].text);
    EXPECT_VALUES({r.error, REFERENCE_CPUS}, {r.value, cases[i].value},
        {r.column, cases[i].text[0] == 'I' ? 9 : 7}, {r.lines_lo + r.instructions_lo, 0});
  }
  assert_int_equal(played(32, "2 100 0\n2 100 1\n2 100\n").instructions_lo, 3);
}

/* For a cache without coherence, lines are taken to have 32 bytes: the 32nd block is one too many, and 33
 * bytes are two accesses. */
TEST(a_plain_cache_is_played_with_lines_of_32_bytes) {
  static struct session s;
  struct memory_bus_params bus = MEMORY_BUS_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  struct data_cache_params cache = DATA_CACHE_DEFAULTS;
  uint8_t text[ROOM + 1] = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < 32; i++)
    n += (uint32_t)sprintf((char *)text + n, "2 0\nL %x00000100,%u\n", i, i ? 32 : 33);
  s = session_new(4, 3, 0);
  session_part(&s, SIM_TYPE_MEMORY_BUS, (const uint64_t *)&bus, sizeof bus / 8);
  session_part(&s, SIM_TYPE_MEMORY, (const uint64_t *)&memory, sizeof memory / 8);
  session_part(&s, SIM_TYPE_DATA_CACHE, (const uint64_t *)&cache, sizeof cache / 8);
  session_part(&s, SIM_TYPE_PLAYER, NULL, 0);
  session_wire(&s, 0, MEMORY_BUS_PORT_MEMORY, 1, MEMORY_PORT_BRIDGE);
  session_wire(&s, 3, PLAYER_PORT_CPU, 2, DATA_CACHE_PORT_CPU);
  session_wire(&s, 2, DATA_CACHE_PORT_BUS, 0, MEMORY_BUS_PORT_MASTER);
  assert_int_equal(session_open(&s), SIM_OK);
  struct sim_played r = {0};
  sim_play_references(test_engine(), 3, text, n, ROOM, 1, &r);
  EXPECT_VALUES(
      {r.error, REFERENCE_SPREAD}, {r.blocks, 31}, {SIM_COUNTERS(test_engine(), 3, player)->loads, 31 + 1});
}
