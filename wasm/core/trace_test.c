/* Choices, records and hashes, bit by bit; complements engine_test.c. */
#include <signal.h>

#include "test/gt.h"

static sim *bare(uint32_t trace_log2) {
  struct session s = session_new(0, 0, trace_log2);
  assert_int_equal(session_open(&s), SIM_OK);
  return test_engine();
}

static sigjmp_buf before_stop;
static void stopped(int signal) {
  (void)signal;
  siglongjmp(before_stop, 1);
}

/* A choice among 2^32 - 1 uses all upper 32 bits of the next number, less one. These are the numbers of
 * SplitMix64 on Rosetta Code for this seed. */
TEST(a_choice_among_many_uses_the_upper_half_of_a_number) {
  static const uint64_t published[] = {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
      4593380528125082431ull, 16408922859458223821ull};
  struct session s = session_new(0, 0, 0);
  s.words[3] = 1234567;
  assert_int_equal(session_open(&s), SIM_OK);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(sim_choose(test_engine(), SIM_CHOOSE_TIME, UINT32_MAX), (published[i] >> 32) - 1);
}

/* A seed has 64 bits; each of them changes the choices. */
TEST(each_bit_of_a_seed_changes_the_choices) {
  uint32_t first[65];
  for (uint32_t bit = 0; bit <= 64; bit++) {
    struct session s = session_new(0, 0, 0);
    s.words[3] = s.words[4] = 0;
    if (bit < 64) s.words[3 + bit / 32] = 1u << bit % 32;
    assert_int_equal(session_open(&s), SIM_OK);
    first[bit] = sim_choose(test_engine(), SIM_CHOOSE_TIME, UINT32_MAX);
    for (uint32_t other = 0; other < bit; other++) assert_int_not_equal(first[bit], first[other]);
  }
}

/* Two recorded choices are replayed, for the same kind or another. The third comes from the seed, as without
 * a replay. */
TEST(after_a_replay_the_seed_continues) {
  uint32_t usual[6];
  sim *m = bare(0);
  for (uint32_t i = 0; i < 6; i++) usual[i] = sim_choose(m, SIM_CHOOSE_VICTIM, 1000);
  const uint32_t record[] = {SIM_CHOOSE_THREAD << 16 | 17, 23};
  m = bare(0);
  sim_replay(m, record, 2);
  assert_int_equal(sim_choose(m, SIM_CHOOSE_VICTIM, 1000), 17);
  assert_int_equal(sim_choose(m, SIM_CHOOSE_VICTIM, 1000), 23);
  for (uint32_t i = 2; i < 6; i++) assert_int_equal(sim_choose(m, SIM_CHOOSE_VICTIM, 1000), usual[i]);
}

/* A log with too many choices is replayed up to the capacity, and nothing beyond it is written. */
TEST(a_log_that_is_too_long_is_truncated) {
  static uint32_t record[5000];
  for (uint32_t i = 0; i < 5000; i++) record[i] = i % 7;
  for (uint32_t count = 4095; count <= 4097; count++) {
    sim *m = bare(0);
    uint32_t *log = sim_at(m, sim_refresh_header(m)->choices_at);
    assert_int_equal(sim_refresh_header(m)->choices_capacity, 4096);
    test_touches(&log[4096], sizeof *log);
    log[4096] = 12345;
    sim_replay(m, record, count);
    EXPECT_VALUES({sim_host_state(m)->replay_count, count < 4096 ? count : 4096}, {log[4096], 12345});
    for (uint32_t i = 0; i < 4095; i++) assert_int_equal(sim_choose(m, SIM_CHOOSE_VICTIM, 7), i % 7);
    if (count >= 4096) assert_int_equal(sim_choose(m, SIM_CHOOSE_VICTIM, 7), 4095 % 7);
    sim_choose(m, SIM_CHOOSE_VICTIM, 7);
    assert_int_equal(log[4096], 12345);
  }
}

/* An explorer forces the first choices of a step and gets the number of alternatives of all. Choices that it
 * does not force are 0. A step has room for 16; one more stops the engine. */
TEST(an_explorer_forces_the_first_choices_of_a_step) {
  sim *m = bare(0);
  struct sim_host_state *side = sim_host_state(m);
  const uint64_t seeded = m->random;
  side->exploring = 1, side->choices_made = 0, side->forced_choices = 2;
  for (uint32_t i = 0; i < 16; i++) side->choice[i] = 3 + i, side->choices_of[i] = 99;
  assert_int_equal(sim_choose(m, SIM_CHOOSE_ACTION, 1), 0); /* one alternative is no choice */
  assert_int_equal(side->choices_made, 0);
  for (uint32_t i = 0; i < 16; i++) {
    assert_int_equal(sim_choose(m, SIM_CHOOSE_ACTION, 20 + i), i < 2 ? 3 + i : 0);
    EXPECT_VALUES({side->choices_made, i + 1}, {side->choices_of[i], 20 + i});
  }
  for (uint32_t i = 0; i < 16; i++) assert_int_equal(side->choice[i], i < 2 ? 3 + i : 0);
  assert_int_equal(m->choice_count, 0); /* not counted as a choice of the run */
  assert_int_equal(m->random, seeded);
  const struct sigaction stop = {.sa_handler = stopped};
  struct sigaction usual;
  volatile int stops = 1;
  sigaction(SIGILL, &stop, &usual);
  if (sigsetjmp(before_stop, 1) == 0) {
    sim_choose(m, SIM_CHOOSE_ACTION, 2);
    stops = 0;
  }
  sigaction(SIGILL, &usual, NULL);
  assert_true(stops);
}

/* A full ring of 16 records: each has its time, cause, part, kind and three fields, to the last bit. */
TEST(a_record_is_exact_to_its_last_bit) {
  sim *m = bare(4);
  const struct sim_directory *d = sim_refresh_header(m);
  assert_int_equal(d->trace_capacity, 16);
  const struct sim_record *ring = sim_at(m, d->trace_at);
  for (uint32_t i = 1; i <= 16; i++) {
    m->time = ~(uint64_t)i, m->cause = 1000 + i;
    assert_int_equal(
        sim_trace(m, 0x1233 + i, 0xfe00 + i, ~(uint64_t)i << 1, 0x80000000u + i, 0x90000000u + i), i);
    assert_int_equal(m->cause, i);
  }
  for (uint32_t i = 1; i <= 16; i++) {
    const struct sim_record want = {~(uint64_t)i, 1000 + i, (uint16_t)(0x1233 + i), (uint16_t)(0xfe00 + i),
        ~(uint64_t)i << 1, 0x80000000u + i, 0x90000000u + i};
    assert_memory_equal(&ring[i - 1], &want, sizeof want);
  }
  sim_record_trace(m, 0);
  assert_int_equal(sim_trace(m, 1, 2, 3, 4, 5), 17); /* would replace the first if it were recorded */
  EXPECT_VALUES({ring[0].part, 0x1234}, {m->cause, 17});
  sim_record_trace(m, 1);
  assert_int_equal(sim_trace(m, 7, 2, 3, 4, 5), 18);
  EXPECT_VALUES({ring[1].part, 7}, {ring[1].cause, 17}, {ring[0].part, 0x1234});
}

/* A machine that has run for a while. */
static sim *ran(void) {
  static const uint64_t transfer[] = {ROW(PIO_WRITE, 0x1000, CARD_BASE, 64, 0, 0, 0),
      ROW(DMA_READ, CARD_BASE, 0x2000, 256, 0, 0, 0), ROW(END, 0, 0, 0, 0, 0, 0)};
  machine("gt-and-peer");
  const struct session s = gt_session(ROWS(transfer));
  assert_int_equal(session_open(&s), SIM_OK);
  sim_run(test_engine(), SIM_NEVER, 40);
  return test_engine();
}

/* Every bit of the engine's own state affects the hash. The trace behind the state and the
 * host state do not. */
TEST(only_the_state_is_hashed) {
  sim *m = ran();
  const uint64_t hash = test_hash();
  uint8_t *bytes = (uint8_t *)m;
  for (uint32_t at = 0; at < sizeof *m; at++) {
    if (at / 4 == offsetof(struct sim, state_bytes) / 4) continue; /* determines how much is hashed */
    for (uint32_t bit = 0; bit < 8; bit++) {
      bytes[at] ^= (uint8_t)(1u << bit);
      assert_true(test_hash() != hash);
      bytes[at] ^= (uint8_t)(1u << bit);
    }
  }
  test_touches(m, m->state_bytes);
  for (uint32_t at = m->state_bytes - 64; at < m->state_bytes; at++) { /* the end of the state */
    bytes[at] ^= 0x10;
    assert_true(test_hash() != hash);
    bytes[at] ^= 0x10;
  }
  for (uint32_t at = m->state_bytes; at < m->state_bytes + 64; at++) {
    bytes[at] ^= 0xff;
    assert_true(test_hash() == hash);
  }
  sim_host_state(m)->broken = 1, sim_host_state(m)->recording ^= 1;
  assert_true(test_hash() == hash);
}

/* Exchanging two words changes the hash, for any pair of nearby words. */
TEST(the_position_of_a_word_affects_the_hash) {
  sim *m = ran();
  const uint64_t hash = test_hash();
  uint32_t *words = (uint32_t *)m, n = m->state_bytes / 4;
  test_touches(m, m->state_bytes);
  for (uint32_t apart = 1; apart <= 9; apart++)
    for (uint32_t i = 0; i + apart < 48; i++) {
      const uint32_t at = n - 1 - i, before = at - apart, a = words[at], b = words[before];
      words[at] = 7, words[before] = 9;
      const uint64_t one = test_hash();
      words[at] = 9, words[before] = 7;
      assert_true(test_hash() != one);
      words[at] = a, words[before] = b;
    }
  assert_true(test_hash() == hash);
}

/* All 64 bits of the hash carry information: over 256 states each is set in about 128, and no two of them are
 * correlated. */
TEST(the_bits_of_a_hash_are_independent) {
  enum { STATES = 256 };
  sim *m = ran();
  uint64_t hash[STATES];
  for (uint32_t i = 0; i < STATES; i++) {
    m->seq = i;
    hash[i] = test_hash();
  }
  for (uint32_t a = 0; a < 64; a++) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < STATES; i++) set += hash[i] >> a & 1;
    assert_in_range(set, STATES / 2 - 48, STATES / 2 + 48); /* six standard deviations of coin tosses */
    for (uint32_t b = 0; b < a; b++) {
      uint32_t same = 0;
      for (uint32_t i = 0; i < STATES; i++) same += (hash[i] >> a & 1) == (hash[i] >> b & 1);
      assert_in_range(same, STATES / 2 - 56, STATES / 2 + 56);
    }
  }
}
