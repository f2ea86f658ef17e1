/* Choices, trace, hash, loader and commands of the engine. */
#include <signal.h>

#include "test/gt.h"

TEST(choices_repeat_with_their_seed_and_from_a_record) {
  uint32_t first[50], record[50];
  for (int round = 0; round < 3; round++) {
    struct session s = session_new(0, 0, 0);
    s.words[3] = round == 2 ? 99 : 5; /* seed */
    assert_int_equal(session_open(&s), SIM_OK);
    sim *m = test_engine();
    if (round == 2) sim_replay(m, record, 50);
    for (uint32_t i = 0; i < 50; i++) {
      uint32_t pick = sim_choose(m, SIM_CHOOSE_ARBITER, 2 + i % 5);
      assert_true(pick < 2 + i % 5);
      if (round == 0) first[i] = pick;
      else assert_int_equal(pick, first[i]);
    }
    memcpy(record, sim_at(m, sim_host_state(m)->directory.choices_at), sizeof record);
  }
}

/* Choices use the numbers of SplitMix64: these are its examples on Rosetta Code. */
TEST(choices_come_from_a_published_generator) {
  static const uint64_t published[] = {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
      4593380528125082431ull, 16408922859458223821ull};
  struct session s = session_new(0, 0, 0);
  s.words[3] = 1234567;
  assert_int_equal(session_open(&s), SIM_OK);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(sim_choose(test_engine(), SIM_CHOOSE_TIME, 65536), published[i] >> 48);
  static const uint32_t of_five[] = {20027, 19892, 20073, 19978, 20030}; /* the first 100 000, in fifths */
  uint32_t counts[5] = {0};
  s.words[3] = 987654321;
  assert_int_equal(session_open(&s), SIM_OK);
  for (uint32_t i = 0; i < 100000; i++) counts[sim_choose(test_engine(), SIM_CHOOSE_TIME, 5)]++;
  assert_memory_equal(counts, of_five, sizeof counts);
}

/* The log of choices holds the first 4096 with their kinds. A choice among one alternative is not logged. */
TEST(choices_are_recorded_until_the_log_is_full) {
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), SIM_OK);
  sim *m = test_engine();
  const uint32_t *log = sim_at(m, sim_host_state(m)->directory.choices_at);
  assert_int_equal(sim_choose(m, SIM_CHOOSE_ARBITER, 1), 0);
  assert_int_equal(sim_choose(m, SIM_CHOOSE_ARBITER, 0), 0);
  for (uint32_t i = 0; i < 5000; i++) {
    uint32_t pick = sim_choose(m, SIM_CHOOSE_VICTIM, 2 + i % 100);
    if (i < 4096) assert_int_equal(log[i], SIM_CHOOSE_VICTIM << 16 | pick);
  }
  assert_int_equal(sim_refresh_header(m)->choice_count, 5000);
  const uint32_t again[] = {7, 3, 60000};
  assert_int_equal(session_open(&s), SIM_OK);
  sim_replay(m, again, 3);
  assert_int_equal(sim_choose(m, SIM_CHOOSE_VICTIM, 10), 7);
  assert_int_equal(sim_choose(m, SIM_CHOOSE_VICTIM, 3), 2); /* clamped to the last of three */
  assert_int_equal(sim_choose(m, SIM_CHOOSE_VICTIM, 65536), 60000);
}

/* A record is stored at its number modulo the capacity. Each is the cause of the next. */
TEST(the_trace_keeps_the_latest_records) {
  struct session s = session_new(0, 0, 3);
  assert_int_equal(session_open(&s), SIM_OK);
  sim *m = test_engine();
  const struct sim_directory *d = sim_refresh_header(m);
  assert_int_equal(d->trace_capacity, 8);
  for (uint32_t i = 1; i <= 20; i++) {
    m->time = i * 10;
    assert_int_equal(sim_trace(m, 3, 100 + i, i, 2 * i, 3 * i), i);
  }
  const struct sim_record *ring = sim_at(m, d->trace_at);
  for (uint32_t i = 13; i <= 20; i++) {
    const struct sim_record want = {i * 10, i - 1, 3, (uint16_t)(100 + i), i, 2 * i, 3 * i};
    assert_memory_equal(&ring[(i - 1) % 8], &want, sizeof want);
  }
}

/* A session without a trace records nothing, even when recording is on. Records are numbered all the same. */
TEST(without_a_trace_nothing_is_recorded) {
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), SIM_OK);
  sim *m = test_engine();
  const struct sim_record *ring = sim_at(m, sim_refresh_header(m)->trace_at), before = *ring;
  for (uint32_t i = 1; i <= 3; i++) {
    sim_record_trace(m, i != 2);
    assert_int_equal(sim_trace(m, 3, 100, 1, 2, 3), i);
    assert_memory_equal(ring, &before, sizeof before);
  }
}

TEST(headers_of_other_sessions_are_refused) {
  static const struct {
    uint32_t at, value;
    int error;
    uint32_t detail;
  } bad[] = {{0, 0x44525943u, SIM_BAD_HEADER, 0}, {1, 3, SIM_BAD_HEADER, 0},
      {2, SIM_LAYOUT_HASH + 1, SIM_BAD_LAYOUT, SIM_LAYOUT_HASH + 1}, {5, 25, SIM_TOO_MANY, 24},
      {6, 1025, SIM_TOO_MANY, 1024}};
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct session s = session_new(0, 0, 0);
    s.words[bad[i].at] = bad[i].value;
    assert_int_equal(session_open(&s), bad[i].error);
    assert_int_equal(sim_refresh_header(test_engine())->error, bad[i].error);
    assert_int_equal(sim_refresh_header(test_engine())->error_part, SIM_NONE);
    assert_int_equal(sim_refresh_header(test_engine())->error_detail, bad[i].detail);
  }
  struct session s = session_new(0, 0, 20); /* a longer trace has no room here */
  assert_int_equal(session_open(&s), SIM_OK);
  s.words[s.n++] = 0;
  assert_int_equal(session_open(&s), SIM_TRUNCATED);
  assert_int_equal(sim_refresh_header(test_engine())->error_detail, 1);
  s = session_new(1, 0, 0);
  s.words[s.n++] = SIM_TYPE_COUNT;
  assert_int_equal(session_open(&s), SIM_BAD_TYPE);
  assert_int_equal(sim_refresh_header(test_engine())->error_part, 0);
  assert_int_equal(sim_refresh_header(test_engine())->error_detail, SIM_TYPE_COUNT);
}

/* The engine requests memory from the host only when it needs more, and only once. */
TEST(the_host_provides_the_memory_that_a_session_needs) {
  struct session s = session_new(0, 0, 10);
  assert_int_equal(session_open(&s), SIM_OK);
  uint32_t total = sim_refresh_header(test_engine())->total_bytes;
  for (uint32_t i = 0; i < 3; i++) {
    test_granted = SIM_HOST_STATE_BYTES + total - (i == 1); /* one byte too few */
    *sim_host_state(test_engine()) =
        (struct sim_host_state){.limit = i == 2 ? test_granted : SIM_HOST_STATE_BYTES + sizeof(struct sim)};
    assert_int_equal(sim_open(test_engine(), s.words, s.n), i == 1 ? SIM_NO_MEMORY : SIM_OK);
    assert_int_equal(
        sim_refresh_header(test_engine())->error_detail, i == 1 ? (SIM_HOST_STATE_BYTES + total) >> 10 : 0);
  }
  test_granted = TEST_ARENA;
}

static const uint64_t transfer[] = {
    ROW(PIO_WRITE, 0x1000, CARD_BASE, 64, 0, 0, 0),
    ROW(DMA_READ, CARD_BASE, 0x2000, 256, 0, 0, 0),
    ROW(END, 0, 0, 0, 0, 0, 0),
};

TEST(every_bit_of_state_affects_the_hash) {
  machine("gt-and-peer");
  struct session s = gt_session(ROWS(transfer));
  assert_int_equal(session_open(&s), SIM_OK);
  sim_run(test_engine(), SIM_NEVER, 40);
  uint64_t hash = test_hash(), random = 3;
  uint8_t *bytes = (uint8_t *)test_engine();
  test_touches(bytes, test_engine()->state_bytes);
  for (uint32_t i = 0; i < 200; i++) {
    uint32_t at = test_random(&random) % test_engine()->state_bytes, bit = 1u << (i & 7);
    if (at < sizeof(struct sim)) continue; /* read by sim_refresh_header itself */
    bytes[at] ^= bit;
    assert_int_not_equal(test_hash(), hash);
    for (uint32_t words = 1; words <= 8 && at + 4 * words < test_engine()->state_bytes;
        words++) { /* the same change in a nearby word does not cancel it */
      bytes[at + 4 * words] ^= bit;
      assert_int_not_equal(test_hash(), hash);
      bytes[at + 4 * words] ^= bit;
    }
    bytes[at] ^= bit;
  }
  assert_int_equal(test_hash(), hash);
}

TEST(a_truncated_session_is_refused_at_every_length) {
  machine("gt-and-peer");
  struct session s = gt_session(ROWS(transfer));
  for (uint32_t n = 0; n < s.n; n++) assert_int_not_equal(session_open_words(&s, n), SIM_OK);
  assert_int_equal(session_open(&s), SIM_OK);
}

static sigjmp_buf before_stop;
static void stopped(int signal) {
  (void)signal;
  siglongjmp(before_stop, 1);
}

/* Incompatible parts may meet only during the run. The engine then stops and reports where and why. */
static void runs_or_stops(void) {
  const struct sigaction stop = {.sa_handler = stopped};
  struct sigaction usual;
  sigaction(SIGILL, &stop, &usual);
  if (sigsetjmp(before_stop, 1) == 0) {
    sim_run(test_engine(), SIM_NEVER, 2000);
  } else {
    const struct sim_directory *d = sim_refresh_header(test_engine());
    assert_true(d->error == SIM_UNHEARD || d->error == SIM_UNANSWERED);
    assert_true(d->error_part < d->part_count);
  }
  sigaction(SIGILL, &usual, NULL);
}

/* Returns whether the part may make this call, given the calls in progress. */
static int asks(uint32_t part, uint32_t port, uint32_t kind) {
  const struct sigaction stop = {.sa_handler = stopped};
  struct sigaction usual;
  volatile int asked = 0;
  sigaction(SIGILL, &stop, &usual);
  if (sigsetjmp(before_stop, 1) == 0) {
    sim_enter_call(test_engine(), part, port, kind);
    asked = 1;
  }
  sigaction(SIGILL, &usual, NULL);
  return asked;
}

/* A called part may call further parts, but none along the chain of callers, even two parts away. Exceptions
 * are notifications, bookkeeping, and exploration. */
TEST(a_called_part_does_not_call_back) {
  machine("gt-and-peer");
  struct session s = gt_session(ROWS(transfer));
  assert_int_equal(session_open(&s), SIM_OK);
  sim *m = test_engine();
  SIM_CALL_STACK_EMPTY();
  assert_true(asks(CPU, PROCESSOR_PORT_FRONT, FRONT_POST));
  assert_true(asks(BRIDGE, BRIDGE_PORT_PCI, PCI_REQUEST));
  assert_true(asks(BUS, PCI_PORT_SLOT, PCI_REQUEST)); /* a notification, which may go back */
  assert_int_equal(sim_refresh_header(m)->error, SIM_OK);
  assert_false(asks(BUS, PCI_PORT_SLOT, PCI_BEGIN));
  EXPECT_VALUES({sim_refresh_header(m)->error, SIM_ASKED_BACK}, {sim_refresh_header(m)->error_part, BUS},
      {sim_refresh_header(m)->error_detail, PCI_PORT_SLOT << 8 | PCI_BEGIN});
  assert_false(asks(BRIDGE, BRIDGE_PORT_CPU, FRONT_ROOM));
  assert_int_equal(sim_refresh_header(m)->error_part, BRIDGE);
  m->explore_step_time = 1;
  assert_true(asks(BRIDGE, BRIDGE_PORT_CPU, FRONT_ROOM));
  m->explore_step_time = 0;
  SIM_CALL_STACK_EMPTY();
  assert_true(asks(BRIDGE, BRIDGE_PORT_CPU, FRONT_ROOM)); /* no call is in progress */
  SIM_CALL_STACK_EMPTY();
}

TEST(a_session_with_any_word_changed_is_refused_or_runs_or_stops_with_a_reason) {
  machine("gt-and-peer");
  static struct session s;
  uint64_t random = 11;
  for (uint32_t i = 0; i < 3000; i++) {
    s = gt_session(ROWS(transfer));
    uint32_t at = test_random(&random) % s.n;
    s.words[at] = i & 1 ? test_random(&random) : s.words[at] ^ 1u << (test_random(&random) & 31);
    if (session_open(&s) == SIM_OK) runs_or_stops();
  }
}

TEST(out_of_memory_is_an_error_and_the_next_opening_works) {
  machine("gt-and-peer");
  struct session s = gt_session(ROWS(transfer));
  assert_true(session_without_memory(&s) > 40);
}

TEST(a_wire_is_refused_when_an_end_is_missing_or_taken) {
  machine("gt-and-peer");
  struct session s = gt_session(ROWS(transfer));
  s.words[s.n - 4] = 77;
  assert_int_equal(session_open(&s), SIM_BAD_WIRE);
  s = gt_session(ROWS(transfer));
  memcpy(&s.words[s.n - 4], &s.words[s.n - 8], 16);
  assert_int_equal(session_open(&s), SIM_BAD_WIRE);
  s = gt_session(ROWS(transfer));
  uint32_t swapped = s.words[s.n - 1]; /* a bus master's slot and the card's ring are incompatible */
  s.words[s.n - 4] = CARD, s.words[s.n - 3] = GT_PORT_LINK, s.words[s.n - 2] = BUS,
                s.words[s.n - 1] = swapped;
  assert_int_equal(session_open(&s), SIM_BAD_WIRE);
  s = gt_session(ROWS(transfer));
  s.words[7] -= 1;
  assert_int_equal(session_open_words(&s, s.n - 4), SIM_UNWIRED);
}

/* Numbers of more than 32 bits are split in halves. */
TEST(the_header_shows_the_progress_of_a_run) {
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), SIM_OK);
  sim *m = test_engine();
  m->time = 3ull << 32 | 9, m->events = 5ull << 32 | 7, m->seq = 6ull << 32 | 8, m->choice_count = 11;
  const struct sim_directory *d = sim_refresh_header(m);
  const uint32_t counts[] = {d->time_hi, d->time_lo, d->events_hi, d->events_lo, d->seq_hi, d->seq_lo,
      d->choice_count},
                 wanted[] = {3, 9, 5, 7, 6, 8, 11};
  assert_memory_equal(counts, wanted, sizeof counts);
  EXPECT_VALUES({d->layout_hash, SIM_LAYOUT_HASH}, {d->part_count, 0}, {d->view_count, 0},
      {d->state_bytes, m->state_bytes});
}

TEST(the_run_is_the_same_in_slices_and_without_recording) {
  machine("gt-and-peer");
  struct session s = gt_session(ROWS(transfer));
  sim *m = test_engine();
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(sim_run(m, SIM_NEVER, SIM_NEVER), SIM_IDLE);
  uint64_t hash = test_hash(), events = m->events;
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(m, 0);
  for (uint64_t i = 1; i <= events; i++) sim_run(m, SIM_NEVER, i);
  assert_int_equal(sim_run(m, SIM_NEVER, SIM_NEVER), SIM_IDLE);
  assert_int_equal(test_hash(), hash);
}

/* A table with too many rows is refused before it is read. */
TEST(a_table_with_too_many_rows_is_refused) {
  struct processor_params q = PROCESSOR_DEFAULTS;
  struct session s = session_new(1, 0, 0);
  session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&q, sizeof q / 8);
  s.words[s.n++] = (1u << 24) + 1;
  assert_int_equal(session_open(&s), SIM_TOO_MANY);
  assert_int_equal(sim_refresh_header(test_engine())->error_detail, 1u << 24);
}

/*
 * The codec encodes the identity of a write by its class: 1 and up for the newest write of a place, by the
 * number of the place; 33 and up for writes that only memory holds; 254 for pending writes; one code for all
 * stale ones; 0 for none. After decoding each class has its own identity and is encoded as before.
 */
TEST(write_identities_are_encoded_by_class) {
  static const struct {
    uint32_t write, holder, kept;
  } cases[] = {{500, HOLDER_NEWEST, 0}, {600, HOLDER_NEWEST, 0},
      {700, HOLDER_NEWEST, 0}, /* three places; encoding them writes no bytes */
      {500, HOLDER_MEMORY, 1}, {77, HOLDER_MEMORY, CODE_MEMORY + 1},
      {78, HOLDER_MEMORY, CODE_MEMORY + 2}, /* memory is stale at two of them */
      {600, WRITE_COPY, 2}, {78, HOLDER_DATA, CODE_MEMORY + 2}, {77, HOLDER_DATA, CODE_MEMORY + 1},
      {55, HOLDER_DATA, CODE_STALE}, {55, WRITE_COPY, CODE_STALE}, {0, HOLDER_DATA, 0},
      {900, WRITE_PENDING, CODE_PENDING}, {901, WRITE_PENDING, CODE_PENDING}, {700, WRITE_PENDING, 3}};
  enum { CASES = sizeof cases / sizeof *cases };
  uint8_t bytes[2][64];
  uint32_t write[CASES];
  for (uint32_t i = 0; i < CASES; i++) write[i] = cases[i].write;
  for (uint32_t round = 0; round < 2; round++) {
    struct sim_codec k = {.at = bytes[round]};
    for (uint32_t i = 0, n = 0; i < CASES; i++) {
      sim_codec_write_id(&k, &write[i], cases[i].holder);
      if (cases[i].holder != HOLDER_NEWEST) assert_int_equal(bytes[round][n++], cases[i].kept);
    }
    assert_int_equal(k.found, 7); /* the newest write of each place exists somewhere */
    EXPECT_VALUES({k.copies_old, 1}, {k.at - bytes[round], CASES - 3});
    k = (struct sim_codec){.at = bytes[round], .reading = 1};
    for (uint32_t i = 0; i < CASES; i++) sim_codec_write_id(&k, &write[i], cases[i].holder);
    for (uint32_t i = 0; i < CASES; i++)
      for (uint32_t j = 0; j < i; j++)
        assert_int_equal(write[i] == write[j], cases[i].write == cases[j].write);
  }
  assert_memory_equal(bytes[0], bytes[1], CASES - 3);
  uint8_t none[64];
  struct sim_codec k = {.at = none};
  for (uint32_t i = 0; i < 3; i++) sim_codec_write_id(&k, &write[i], HOLDER_NEWEST);
  assert_int_equal(k.found, 0);
  sim_codec_stale_write(&k, write[1]); /* it may be missing: it is about to be overwritten */
  assert_int_equal(k.found, 2);
  sim_codec_stale_write(&k, 0);
  sim_codec_stale_write(&k, 12345);
  assert_int_equal(k.found, 2);
}

/* Rules of a manifest: multiples of a unit, powers of two times the unit, and masks (one less). */
TEST(parameter_rules_are_checked) {
  static const struct {
    uint64_t value, unit;
    int power, mask, fits;
  } cases[] = {{0, 32, 0, 0, 1}, {96, 32, 0, 0, 1}, {100, 32, 0, 0, 0},     /* a multiple of 32 */
      {1, 1, 1, 0, 1}, {64, 1, 1, 0, 1}, {96, 1, 1, 0, 0}, {0, 1, 1, 0, 0}, /* a power of two */
      {96, 96, 1, 0, 1}, {384, 96, 1, 0, 1}, {288, 96, 1, 0, 0}, {128, 96, 1, 0, 0},
      {0, 96, 1, 0, 0}, /* 3 ways of 32 bytes with 1, 4, 3, 4/3 and 0 sets */
      {4095, 4096, 1, 1, 1}, {65535, 4096, 1, 1, 1}, {4096, 4096, 1, 1, 0}, {12287, 4096, 1, 1, 0},
      {2047, 4096, 1, 1, 0}, {UINT64_MAX, 4096, 1, 1, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(
        sim_param_is_legal(cases[i].value, cases[i].unit, cases[i].power, cases[i].mask), cases[i].fits);
}

/* Live parameters take effect between two events. Others do not change, and the host learns which one was
 * refused. */
TEST(only_live_parameters_change_during_a_run) {
  machine("gt-and-peer");
  const struct {
    uint32_t part, param;
    uint64_t value;
    int error;
  } cases[] = {{CPU, PROCESSOR_PARAM_STORE_TIME, 12345, SIM_OK},
      {CPU, PROCESSOR_PARAM_LINE, 64, SIM_NOT_LIVE}, {CACHE, CACHE_PARAM_WAYS, 2, SIM_NOT_LIVE},
      {CARD, GT_PARAM_ACCEPT, 50000, SIM_OK}, {CARD, GT_PARAM_SIZE, 8192, SIM_NOT_LIVE},
      {CARD, GT_PARAM_READ_CREDIT, 0, SIM_BAD_PARAM}, {CARD, GT_PARAM_READ_CREDIT, 64, SIM_OK},
      {CARD, GT_PARAM_READ_CREDIT, 65, SIM_BAD_PARAM}, {RING, RING_PARAM_LOAD, 1000000, SIM_OK},
      {RING, RING_PARAM_NODES, 4, SIM_NOT_LIVE}, {RING, RING_PARAM_UPDATE_BYTES + 1, 4, SIM_BAD_PARAM},
      {DRIVER, GT_DRIVER_PARAM_PAGE, 8192, SIM_NOT_LIVE}, {PEER, PEER_PARAM_BYTES, 8, SIM_NOT_LIVE},
      {GT_PARTS, 0, 0, SIM_BAD_PARAM}};
  struct session s = gt_session(ROWS(transfer));
  assert_int_equal(session_open(&s), SIM_OK);
  sim *m = test_engine();
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t *at = cases[i].part < GT_PARTS
                       ? (uint64_t *)sim_at(m, sim_part(m, cases[i].part)->params_at) + cases[i].param
                       : NULL;
    if (at) test_touches(at, sizeof *at); /* no parameter beyond the last of the ring */
    const uint64_t before = at ? *at : 0;
    m->cause = 7;
    assert_int_equal(sim_command(m, cases[i].part, cases[i].param, cases[i].value), cases[i].error);
    assert_int_equal(sim_refresh_header(m)->error, cases[i].error);
    assert_int_equal(m->cause, cases[i].error ? 7 : 0); /* a command is the cause of what follows */
    if (at) assert_int_equal(*at, cases[i].error ? before : cases[i].value);
    if (!cases[i].error) continue;
    assert_int_equal(sim_refresh_header(m)->error_part, cases[i].part);
    assert_int_equal(sim_refresh_header(m)->error_detail, cases[i].param);
  }
}

/* A message on an unconnected port: the error names the sender. A message that the receiver does not handle:
 * the error names the receiver and its port. */
TEST(an_unhandled_message_names_part_and_port) {
  machine("gt-and-peer");
  struct session s = gt_session(ROWS(transfer));
  const struct sigaction stop = {.sa_handler = stopped};
  struct sigaction usual;
  for (uint32_t wired = 0; wired < 2; wired++) {
    const uint32_t port = wired ? PROCESSOR_PORT_FRONT : PROCESSOR_PORT_CONTRACT;
    assert_int_equal(session_open(&s), SIM_OK);
    sigaction(SIGILL, &stop, &usual);
    if (sigsetjmp(before_stop, 1) == 0) sim_unconnected(test_engine(), CPU, port, 99);
    sigaction(SIGILL, &usual, NULL);
    const struct sim_directory *d = sim_refresh_header(test_engine());
    EXPECT_VALUES({d->error, wired ? SIM_UNHEARD : SIM_UNANSWERED}, {d->error_part, wired ? BRIDGE : CPU},
        {d->error_detail, (wired ? BRIDGE_PORT_CPU : port) << 8 | 99});
  }
}
