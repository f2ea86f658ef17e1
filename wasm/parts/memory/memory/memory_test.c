/* Memory, driven through its bridge port: when data is ready, what a place holds, and what the shadow memory
 * reports of misdirected data. A byte takes 1 ns; the latency is 60 ns from the start of the transfer. */
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
  memory_bridge_read(OF(MEMORY, memory), &q);
  return q.when;
}

static uint64_t writes(uint64_t when, uint32_t bytes) {
  struct memory_write q = {.bytes = bytes, .when = when};
  memory_bridge_write(OF(MEMORY, memory), &q);
  return q.when;
}

/* Transfers are serialized, whatever their sizes; latencies overlap. */
TEST(transfers_are_serialized) {
  const struct memory_params q = params_of(8, 4);
  opened(&q);
  assert_int_equal(reads(1000 * NS, 64), 1060 * NS); /* moves until 1064 */
  assert_int_equal(COUNT(waited), 0);
  assert_int_equal(writes(1010 * NS, 16), 1124 * NS); /* waits 54, moves until 1080 */
  assert_int_equal(COUNT(waited), 54 * NS);
  assert_int_equal(reads(1080 * NS, 16), 1140 * NS); /* just free again; until 1096 */
  assert_int_equal(COUNT(waited), 54 * NS);
  assert_int_equal(reads(1079 * NS, 64), 1156 * NS);  /* waits 17; until 1160 */
  assert_int_equal(writes(1100 * NS, 64), 1220 * NS); /* waits 60; until 1224 */
  assert_int_equal(reads(1230 * NS, 4), 1290 * NS);
  EXPECT_VALUES({COUNT(waited), (54 + 17 + 60) * NS}, {COUNT(busy), (64 + 16 + 16 + 64 + 64 + 4) * NS},
      {COUNT(reads), 4}, {COUNT(writes), 2}, {COUNT(bytes_read), 64 + 16 + 64 + 4},
      {COUNT(bytes_written), 16 + 64});
}

/* An untimed access takes no time and is not counted. It returns what lies there, unless no buffer is
 * given. */
TEST(an_untimed_access_takes_no_time) {
  struct memory_params q = params_of(8, 4);
  q.written = 1;
  opened(&q);
  uint32_t got[4] = {77, 77, 77, 77}, put[2] = {900001, 900002};
  memory_bridge_write(OF(MEMORY, memory),
      &(struct memory_write){.address = FROM + 8, .bytes = 8, .when = SIM_NEVER, .writes = put});
  memory_bridge_read(OF(MEMORY, memory),
      &(struct memory_read){.address = FROM + 4, .bytes = 16, .when = SIM_NEVER, .writes = got});
  assert_memory_equal(got, ((uint32_t[]){2, 900001, 900002, 5}), sizeof got);
  memory_bridge_read(
      OF(MEMORY, memory), &(struct memory_read){.address = FROM, .bytes = 4, .when = SIM_NEVER});
  assert_int_equal(
      COUNT(reads) + COUNT(writes) + COUNT(bytes_read) + COUNT(bytes_written) + COUNT(busy) + COUNT(waited),
      0);
  assert_int_equal(reads(0, 4), 60 * NS); /* memory is free */
}

/* The burst of time 0 precedes an access of the same time. It is all that others transfer until their next
 * burst, at least 19 us later. */
TEST(a_burst_of_others_precedes_an_access_of_the_same_time) {
  struct memory_params q = params_of(8, 4);
  q.others = 1000000, q.others_burst = 100; /* 100 ns in 100 us */
  opened(&q);
  assert_int_equal(reads(0, 64), 160 * NS); /* transfers until 164 */
  assert_int_equal(COUNT(waited), 100 * NS);
  assert_int_equal(reads(1 * NS, 64), (164 + 60) * NS);
  assert_int_equal(COUNT(waited), (100 + 163) * NS);
  assert_int_equal(COUNT(busy), 128 * NS); /* transfers of others are not counted */
  assert_true(SIM_STATE(ENGINE, MEMORY, memory)->others_next >= 19 * US);
}

static uint32_t compares(
    uint64_t address, uint32_t words, const uint32_t *given, uint64_t *old, uint32_t *newest) {
  uint32_t copy[4] = {0};
  memcpy(copy, given, 4 * words);
  struct memory_compare q = {.address = address, .bytes = 4 * words, .writes = copy};
  uint32_t answer = memory_bridge_compare(OF(MEMORY, memory), &q);
  *old = q.old, *newest = q.newest;
  return answer;
}

/* Words 3 and 4 have been written again since they were read: two are stale, and the first of them is
 * reported. */
TEST(words_read_earlier_are_compared_with_the_newest) {
  struct memory_params q = params_of(8, 4);
  q.written = 1;
  opened(&q);
  uint64_t old;
  uint32_t newest;
  assert_int_equal(compares(FROM + 4, 4, (uint32_t[]){2, 3, 4, 5}, &old, &newest), 1);
  assert_int_equal(memory_bridge_software_access(OF(MEMORY, memory),
                       &(struct memory_software_access){.address = FROM + 12, .bytes = 8, .store = 1}),
      1);
  assert_int_equal(compares(FROM + 4, 4, (uint32_t[]){2, 3, 4, 5}, &old, &newest), 1 + 2);
  assert_int_equal(old, FROM + 12);
  assert_int_equal(newest, 9); /* eight were written before */
  q.tracked = 0;
  opened(&q);
  assert_int_equal(compares(FROM, 2, (uint32_t[]){8, 9}, &old, &newest), 0); /* untracked */
  assert_int_equal(memory_bridge_software_access(OF(MEMORY, memory),
                       &(struct memory_software_access){.address = FROM, .bytes = 8, .store = 1}),
      0);
}

static struct memory_misdirected astray_by(
    uint64_t address, uint64_t meant, uint32_t words, uint32_t write, uint32_t *identities) {
  struct memory_misdirected q = {
      .address = address, .bytes = 4 * words, .write = write, .meant = meant, .writes = identities};
  memory_bridge_misdirected(OF(MEMORY, memory), &q);
  return q;
}

/* Two words meant for FROM + 24 are written to FROM + 8. They overwrite what lay there; later reads of either
 * place detect it. The records' cause is that of the access, and they cause nothing themselves. */
TEST(misdirected_data_is_recorded_and_detected_later) {
  struct memory_params q = params_of(8, 4);
  q.written = 1;
  opened(&q);
  uint32_t put[2] = {900001, 900002}, got[2];
  memory_bridge_read(OF(MEMORY, memory),
      &(struct memory_read){.address = FROM + 8, .bytes = 8, .when = SIM_NEVER, .writes = got});
  ENGINE->cause = 0;
  astray_by(FROM + 8, FROM + 24, 2, 1, put);
  EXPECT_VALUES({COUNT(overwritten), 2}, {COUNT(given_away), 0}, {ENGINE->cause, 0});
  memory_bridge_read(OF(MEMORY, memory),
      &(struct memory_read){.address = FROM + 24, .bytes = 8, .when = SIM_NEVER, .writes = got});
  assert_memory_equal(got, ((uint32_t[]){7, 8}), sizeof got);
  assert_int_equal(COUNT(old_reads), 1); /* one stale read, however many of its words are stale */
  memory_bridge_software_access(
      OF(MEMORY, memory), &(struct memory_software_access){.address = FROM + 8, .bytes = 4});
  assert_int_equal(COUNT(old_reads), 2);
  memory_bridge_software_access(OF(MEMORY, memory),
      &(struct memory_software_access){.address = FROM, .bytes = 8}); /* unaffected words */
  memory_bridge_read(OF(MEMORY, memory),
      &(struct memory_read){.address = FROM + 24, .bytes = 8, .when = SIM_NEVER}); /* no buffer is given */
  assert_int_equal(COUNT(old_reads), 2);
  astray_by(FROM, FROM + 4, 1, 0, NULL); /* a read that gets word 0 instead of word 1 */
  EXPECT_VALUES({COUNT(given_away), 1}, {COUNT(overwritten), 2});
  astray_by(FROM, FROM, 1, 0, NULL); /* the word requested does lie there: nothing is given away */
  EXPECT_VALUES({COUNT(given_away), 1}, {ENGINE->cause, 0});
  EXPECT_EVENTS(MEMORY, {0, MEMORY_EV_OVERWRITTEN, FROM + 8, 900001, 3, 0},
      {0, MEMORY_EV_OLD, FROM + 24, 7, 900001, 0}, {0, MEMORY_EV_OLD, FROM + 8, 900001, 3, 0},
      {0, MEMORY_EV_GIVEN_AWAY, FROM, 1, 2, 0});
  assert_int_equal(memory_bridge_software_access(OF(MEMORY, memory),
                       &(struct memory_software_access){.address = FROM + 8, .bytes = 8, .store = 1}),
      1); /* its owner writes it again */
  memory_bridge_software_access(
      OF(MEMORY, memory), &(struct memory_software_access){.address = FROM + 8, .bytes = 8});
  assert_int_equal(COUNT(old_reads), 2);
}

/* The state of each written word is serialized: which word it is, what it holds and its newest write.
 * Unwritten words take no space. */
TEST(written_words_are_serialized) {
  const struct memory_params q = params_of(8, 4);
  opened(&q);
  struct shadow_word *cell = sim_at(ENGINE, SIM_STATE(ENGINE, MEMORY, memory)->shadow.at);
  static const uint32_t written[] = {1, 2, 5, 7};
  for (uint32_t i = 0; i < 4; i++) cell[written[i]].write = 3 * i, cell[written[i]].newest = 3 * i + 1;
  uint8_t bytes[CODEC_PART];
  memory_serialize(OF(MEMORY, memory), &(struct sim_codec){.at = bytes});
  for (uint32_t i = 0; i < 8; i++) cell[i].write = cell[i].newest = 77;
  memory_serialize(OF(MEMORY, memory), &(struct sim_codec){.at = bytes, .reading = 1});
  for (uint32_t i = 0, n = 0; i < 8; i++) {
    const uint32_t was = n < 4 && written[n] == i;
    EXPECT_VALUES({cell[i].write, was ? 3 * n : 0}, {cell[i].newest, was ? 3 * n + 1 : 0});
    n += was;
  }
}
