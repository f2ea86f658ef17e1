/*
 * Memory asked as a bridge asks it: when data is there, what lies in a place, and what an observer sees of
 * data that is not where it belongs. A byte takes a nanosecond, and data is there 60 ns after it begins to
 * move.
 */
#include "test/testing.h"

#define NS 1000ull
#define US 1000000ull
#define ENGINE test_engine()
#define FROM 0x4000ull

enum { BUS, MEMORY };
#define COUNT(name) (SIM_COUNTERS(ENGINE, MEMORY, memory)->name)

static struct memory_params params_of(uint64_t words, uint64_t grain) {
  struct memory_params q = MEMORY_DEFAULTS;
  q.latency = 60 * NS, q.bandwidth = 1000000000, q.tracked_from = FROM, q.tracked = 4 * words,
  q.grain = grain;
  return q;
}

static void opened(const struct memory_params *q) {
  const struct memory_bus_params bus = MEMORY_BUS_DEFAULTS;
  struct session s = session_new(2, 1, 12);
  session_part(&s, SIM_TYPE_MEMORY_BUS, (const uint64_t *)&bus, sizeof bus / 8);
  session_part(&s, SIM_TYPE_MEMORY, (const uint64_t *)q, sizeof *q / 8);
  session_wire(&s, BUS, MEMORY_BUS_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(ENGINE, 1);
}

static uint64_t reads(uint64_t when, uint32_t bytes) {
  struct memory_read q = {.bytes = bytes, .when = when};
  memory_bridge_read(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory), &q);
  return q.when;
}

static uint64_t writes(uint64_t when, uint32_t bytes) {
  struct memory_write q = {.bytes = bytes, .when = when};
  memory_bridge_write(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory), &q);
  return q.when;
}

/* Data of one access moves after that of another, whatever their sizes; the latency keeps nobody from it. */
static void accesses_take_turns_while_their_data_moves(void **state) {
  (void)state;
  const struct memory_params q = params_of(8, 4);
  opened(&q);
  assert_int_equal(reads(1000 * NS, 64), 1060 * NS); /* moves until 1064 */
  assert_int_equal(COUNT(waited), 0);
  assert_int_equal(writes(1010 * NS, 16), 1124 * NS); /* waits 54, moves until 1080 */
  assert_int_equal(COUNT(waited), 54 * NS);
  assert_int_equal(reads(1080 * NS, 16), 1140 * NS); /* free again just then; until 1096 */
  assert_int_equal(COUNT(waited), 54 * NS);
  assert_int_equal(reads(1079 * NS, 64), 1156 * NS);  /* waits 17; until 1160 */
  assert_int_equal(writes(1100 * NS, 64), 1220 * NS); /* waits 60; until 1224 */
  assert_int_equal(reads(1230 * NS, 4), 1290 * NS);
  assert_int_equal(COUNT(waited), (54 + 17 + 60) * NS);
  assert_int_equal(COUNT(busy), (64 + 16 + 16 + 64 + 64 + 4) * NS);
  assert_int_equal(COUNT(reads), 4);
  assert_int_equal(COUNT(writes), 2);
  assert_int_equal(COUNT(bytes_read), 64 + 16 + 64 + 4);
  assert_int_equal(COUNT(bytes_written), 16 + 64);
}

/* A look costs nothing and is counted as nothing; it tells what lies there, and one without places for it
 * tells nothing. */
static void a_look_takes_no_time(void **state) {
  (void)state;
  struct memory_params q = params_of(8, 4);
  q.written = 1;
  opened(&q);
  uint32_t got[4] = {77, 77, 77, 77}, put[2] = {900001, 900002};
  memory_bridge_write(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_write){.address = FROM + 8, .bytes = 8, .when = SIM_NEVER, .writes = put});
  memory_bridge_read(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_read){.address = FROM + 4, .bytes = 16, .when = SIM_NEVER, .writes = got});
  assert_memory_equal(got, ((uint32_t[]){2, 900001, 900002, 5}), sizeof got);
  memory_bridge_read(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_read){.address = FROM, .bytes = 4, .when = SIM_NEVER});
  assert_int_equal(
      COUNT(reads) + COUNT(writes) + COUNT(bytes_read) + COUNT(bytes_written) + COUNT(busy) + COUNT(waited),
      0);
  assert_int_equal(reads(0, 4), 60 * NS); /* and memory is free */
}

/* The burst of time 0 comes before an access of then, and is all that others move until the next, which comes
 * 19 us later at the earliest. */
static void a_burst_of_others_comes_before_who_comes_with_it(void **state) {
  (void)state;
  struct memory_params q = params_of(8, 4);
  q.others = 1000000, q.others_burst = 100; /* 100 ns of 100 us */
  opened(&q);
  assert_int_equal(reads(0, 64), 160 * NS); /* moves until 164 */
  assert_int_equal(COUNT(waited), 100 * NS);
  assert_int_equal(reads(1 * NS, 64), (164 + 60) * NS);
  assert_int_equal(COUNT(waited), (100 + 163) * NS);
  assert_int_equal(COUNT(busy), 128 * NS); /* what others move is not counted */
  assert_true(SIM_STATE(ENGINE, MEMORY, memory)->others_next >= 19 * US);
}

static uint32_t compares(
    uint64_t address, uint32_t words, const uint32_t *given, uint64_t *old, uint32_t *newest) {
  uint32_t copy[4] = {0};
  memcpy(copy, given, 4 * words);
  struct memory_compare q = {.address = address, .bytes = 4 * words, .writes = copy};
  uint32_t answer = memory_bridge_compare(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory), &q);
  *old = q.old, *newest = q.newest;
  return answer;
}

/* Words 3 and 4 of what was read have been written anew since: two are old, and the first of them is told. */
static void what_was_read_a_while_ago_is_compared_with_what_is_newest(void **state) {
  (void)state;
  struct memory_params q = params_of(8, 4);
  q.written = 1;
  opened(&q);
  uint64_t old;
  uint32_t newest;
  assert_int_equal(compares(FROM + 4, 4, (uint32_t[]){2, 3, 4, 5}, &old, &newest), 1);
  assert_int_equal(memory_bridge_software_access(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
                       &(struct memory_software_access){.address = FROM + 12, .bytes = 8, .store = 1}),
      1);
  assert_int_equal(compares(FROM + 4, 4, (uint32_t[]){2, 3, 4, 5}, &old, &newest), 1 + 2);
  assert_int_equal(old, FROM + 12);
  assert_int_equal(newest, 9); /* eight were written before */
  q.tracked = 0;
  opened(&q);
  assert_int_equal(compares(FROM, 2, (uint32_t[]){8, 9}, &old, &newest), 0); /* nothing is followed */
  assert_int_equal(memory_bridge_software_access(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
                       &(struct memory_software_access){.address = FROM, .bytes = 8, .store = 1}),
      0);
}

static struct memory_misdirected astray_by(
    uint64_t address, uint64_t meant, uint32_t words, uint32_t write, uint32_t *identities) {
  struct memory_misdirected q = {
      .address = address, .bytes = 4 * words, .write = write, .meant = meant, .writes = identities};
  memory_bridge_misdirected(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory), &q);
  return q;
}

/*
 * Two words go to FROM + 8, and were meant for FROM + 24. What lay there is overwritten; from then on it is
 * seen whenever somebody reads either place. What is told is caused by what caused the access, and causes
 * nothing itself.
 */
static void data_that_goes_astray_is_told_of_and_found_later(void **state) {
  (void)state;
  struct memory_params q = params_of(8, 4);
  q.written = 1;
  opened(&q);
  uint32_t put[2] = {900001, 900002}, got[2];
  memory_bridge_read(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_read){.address = FROM + 8, .bytes = 8, .when = SIM_NEVER, .writes = got});
  ENGINE->cause = 0;
  astray_by(FROM + 8, FROM + 24, 2, 1, put);
  assert_int_equal(COUNT(overwritten), 2);
  assert_int_equal(COUNT(given_away), 0);
  assert_int_equal(ENGINE->cause, 0);
  memory_bridge_read(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_read){.address = FROM + 24, .bytes = 8, .when = SIM_NEVER, .writes = got});
  assert_memory_equal(got, ((uint32_t[]){7, 8}), sizeof got);
  assert_int_equal(COUNT(old_reads), 1); /* a read, however many words of it are old */
  memory_bridge_software_access(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_software_access){.address = FROM + 8, .bytes = 4});
  assert_int_equal(COUNT(old_reads), 2);
  memory_bridge_software_access(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_software_access){.address = FROM, .bytes = 8}); /* where all is well */
  memory_bridge_read(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_read){
          .address = FROM + 24, .bytes = 8, .when = SIM_NEVER}); /* nobody asks what is there */
  assert_int_equal(COUNT(old_reads), 2);
  astray_by(FROM, FROM + 4, 1, 0, NULL); /* a read that gets word 0 instead of word 1 */
  assert_int_equal(COUNT(given_away), 1);
  assert_int_equal(COUNT(overwritten), 2);
  astray_by(FROM, FROM, 1, 0, NULL); /* what it asked for lies there: nobody's loss */
  assert_int_equal(COUNT(given_away), 1);
  assert_int_equal(ENGINE->cause, 0);
  EXPECT_EVENTS(MEMORY, {0, MEMORY_EV_OVERWRITTEN, FROM + 8, 900001, 3, 0},
      {0, MEMORY_EV_OLD, FROM + 24, 7, 900001, 0}, {0, MEMORY_EV_OLD, FROM + 8, 900001, 3, 0},
      {0, MEMORY_EV_GIVEN_AWAY, FROM, 1, 2, 0});
  assert_int_equal(memory_bridge_software_access(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
                       &(struct memory_software_access){.address = FROM + 8, .bytes = 8, .store = 1}),
      1); /* its owner writes it anew */
  memory_bridge_software_access(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory),
      &(struct memory_software_access){.address = FROM + 8, .bytes = 8});
  assert_int_equal(COUNT(old_reads), 2);
}

/* Of each word that somebody has written it is kept which it is, what it holds and what was written to it
 * last; of others nothing. */
static void words_that_were_written_are_kept(void **state) {
  (void)state;
  const struct memory_params q = params_of(8, 4);
  opened(&q);
  struct shadow_word *cell = sim_at(ENGINE, SIM_STATE(ENGINE, MEMORY, memory)->shadow.at);
  static const uint32_t written[] = {1, 2, 5, 7};
  for (uint32_t i = 0; i < 4; i++) cell[written[i]].write = 3 * i, cell[written[i]].newest = 3 * i + 1;
  uint8_t bytes[CODEC_PART];
  memory_serialize(ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory), &(struct sim_codec){.at = bytes});
  for (uint32_t i = 0; i < 8; i++) cell[i].write = cell[i].newest = 77;
  memory_serialize(
      ENGINE, SIM_CONTEXT(ENGINE, MEMORY, memory), &(struct sim_codec){.at = bytes, .reading = 1});
  for (uint32_t i = 0, n = 0; i < 8; i++) {
    const uint32_t was = n < 4 && written[n] == i;
    assert_int_equal(cell[i].write, was ? 3 * n : 0);
    assert_int_equal(cell[i].newest, was ? 3 * n + 1 : 0);
    n += was;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accesses_take_turns_while_their_data_moves),
      cmocka_unit_test(a_look_takes_no_time),
      cmocka_unit_test(a_burst_of_others_comes_before_who_comes_with_it),
      cmocka_unit_test(what_was_read_a_while_ago_is_compared_with_what_is_newest),
      cmocka_unit_test(data_that_goes_astray_is_told_of_and_found_later),
      cmocka_unit_test(words_that_were_written_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
