/* The state codec: sizes of numbers, identities of writes when all classes are in use, and messages that are
 * encoded and decoded. */
#include <signal.h>

#include "test/small_machine.h"

static sigjmp_buf before_stop;
static void stopped(int signal) {
  (void)signal;
  siglongjmp(before_stop, 1);
}

/* Encodes and decodes a number in so many bytes (5: an address). Returns whether the engine continues. */
static int goes_on(uint32_t bytes, uint64_t number) {
  const struct sigaction stop = {.sa_handler = stopped};
  struct sigaction usual;
  uint8_t kept[16];
  struct sim_codec out = {.at = kept}, in = {.at = kept, .reading = 1};
  uint64_t wide = number, read = 77;
  uint32_t word = (uint32_t)number, back = 77;
  volatile int done = 0;
  memset(kept, 0xee, sizeof kept);
  sigaction(SIGILL, &stop, &usual);
  if (sigsetjmp(before_stop, 1) == 0) {
    switch (bytes) {
      case 1: sim_codec_u8(&out, &word), sim_codec_u8(&in, &back); break;
      case 2: sim_codec_u16(&out, &word), sim_codec_u16(&in, &back); break;
      case 4: sim_codec_u32(&out, &word), sim_codec_u32(&in, &back); break;
      case 5: sim_codec_addr(&out, &wide), sim_codec_addr(&in, &read); break;
      default: sim_codec_u64(&out, &wide), sim_codec_u64(&in, &read);
    }
    const uint32_t length = bytes == 5 ? 4 : bytes;
    EXPECT_VALUES({out.at - kept, length}, {in.at - kept, length}, {bytes >= 5 ? read : back, number});
    for (uint32_t k = length; k < sizeof kept; k++) assert_int_equal(kept[k], 0xee);
    done = 1;
  }
  sigaction(SIGILL, &usual, NULL);
  return done;
}

/* Returns whether this write can be encoded as the newest of a place. */
static int may_be_newest(struct sim_codec *k, uint32_t write) {
  const struct sigaction stop = {.sa_handler = stopped};
  struct sigaction usual;
  volatile int done = 0;
  sigaction(SIGILL, &stop, &usual);
  if (sigsetjmp(before_stop, 1) == 0) {
    sim_codec_write_id(k, &write, HOLDER_NEWEST);
    done = 1;
  }
  sigaction(SIGILL, &usual, NULL);
  return done;
}

/* A number is encoded in one, two, four or eight bytes and decoded unchanged. A larger one
 * stops the engine. */
TEST(a_number_fits_its_bytes_or_stops_the_engine) {
  static const struct {
    uint32_t bytes;
    uint64_t most;
  } cases[] = {{1, 0xff}, {2, 0xffff}, {4, UINT32_MAX}, {5, UINT32_MAX}, {8, UINT64_MAX}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_true(goes_on(cases[i].bytes, 0));
    assert_true(goes_on(cases[i].bytes, cases[i].most));
    if (cases[i].bytes != 4 && cases[i].bytes != 8)
      assert_false(goes_on(cases[i].bytes, cases[i].most + 1)); /* others use the full range */
  }
}

/* 32 places, and stale memory at each of them: the last classes work like the first. A 33rd place and a place
 * that was never written stop the engine. */
TEST(all_write_classes_are_distinguished) {
  enum { COMING = 5, ALL = 2 * CODEC_WRITE_CLASSES + COMING + 1 };
  uint8_t bytes[2 * CODEC_WRITE_CLASSES + ALL];
  uint32_t newest[CODEC_WRITE_CLASSES], memory[CODEC_WRITE_CLASSES], held[ALL];
  for (uint32_t i = 0; i < CODEC_WRITE_CLASSES; i++) newest[i] = 1000 + i, memory[i] = 500 + i;
  for (uint32_t i = 0; i < ALL; i++)
    held[i] = i < CODEC_WRITE_CLASSES       ? newest[i]
              : i < 2 * CODEC_WRITE_CLASSES ? memory[i - CODEC_WRITE_CLASSES]
              : i + 1 < ALL                 ? 2000 + i
                                            : 3;
  struct sim_codec out = {.at = bytes};
  for (uint32_t i = 0; i < CODEC_WRITE_CLASSES; i++) sim_codec_write_id(&out, &newest[i], HOLDER_NEWEST);
  for (uint32_t i = 0; i < CODEC_WRITE_CLASSES; i++) sim_codec_write_id(&out, &memory[i], HOLDER_MEMORY);
  for (uint32_t i = 0; i < CODEC_WRITE_CLASSES; i++) {
    assert_int_equal(out.found, i == 0 ? 0 : UINT32_MAX >> (32 - i)); /* memory holds none of them */
    sim_codec_write_id(&out, &held[i], WRITE_COPY);
  }
  EXPECT_VALUES({out.found, UINT32_MAX}, {out.copies_old, 0});
  for (uint32_t i = CODEC_WRITE_CLASSES; i < 2 * CODEC_WRITE_CLASSES; i++)
    sim_codec_write_id(&out, &held[i], WRITE_COPY);
  assert_int_equal(out.copies_old, CODEC_WRITE_CLASSES); /* each is a write that only memory holds */
  for (uint32_t i = 2 * CODEC_WRITE_CLASSES; i + 1 < ALL; i++)
    sim_codec_write_id(&out, &held[i], WRITE_PENDING);
  sim_codec_write_id(&out, &held[ALL - 1], HOLDER_DATA);
  assert_int_equal(out.at - bytes, CODEC_WRITE_CLASSES + ALL);
  assert_false(may_be_newest(&out, 4000));
  struct sim_codec fresh = {.at = bytes};
  assert_true(may_be_newest(&fresh, 4000));
  assert_false(may_be_newest(&fresh, 0));
  struct sim_codec in = {.at = bytes, .reading = 1};
  for (uint32_t i = 0; i < CODEC_WRITE_CLASSES; i++) sim_codec_write_id(&in, &newest[i], HOLDER_NEWEST);
  for (uint32_t i = 0; i < CODEC_WRITE_CLASSES; i++) sim_codec_write_id(&in, &memory[i], HOLDER_MEMORY);
  for (uint32_t i = 0; i < ALL; i++)
    sim_codec_write_id(&in, &held[i], i < 2 * CODEC_WRITE_CLASSES ? WRITE_COPY : WRITE_PENDING);
  for (uint32_t i = 0; i < ALL; i++) {
    if (i < 2 * CODEC_WRITE_CLASSES)
      assert_int_equal(held[i], i < CODEC_WRITE_CLASSES ? newest[i] : memory[i - CODEC_WRITE_CLASSES]);
    assert_true(held[i] > 0);
    for (uint32_t k = 0; k < i; k++) assert_true(held[k] != held[i]);
  }
}

/* A pending message is encoded with receiver, port, kind and contents, but without its cause and its time. */
TEST(pending_messages_are_encoded_with_their_contents) {
  const sim_msg messages[] = {{.to = 1, .port = 3, .kind = 7},
      {.to = 1, .port = 3, .kind = 7, .addr = 0xfffffffc}, {.to = 1, .port = 3, .kind = 7, .x = UINT32_MAX},
      {.to = 1, .port = 3, .kind = 7, .y = 0x80000001}, {.to = 2, .port = 3, .kind = 7},
      {.to = 1, .port = 4, .kind = 7}, {.to = 1, .port = 3, .kind = 8},
      {.to = 1, .port = 3, .kind = 7, .addr = 1, .x = 2, .y = 3}};
  enum { MESSAGES = sizeof messages / sizeof *messages };
  static uint8_t bytes[MESSAGES][CODEC_BYTES], again[CODEC_BYTES];
  uint32_t length[MESSAGES];
  struct sim_codec k;
  sim *m = small_open(&(struct small){.cpus = 2});
  uint8_t before[CODEC_BYTES];
  const uint32_t rest = sim_encode(m, &k, before), waiting = m->pending;
  for (uint32_t i = 0; i < MESSAGES; i++) {
    m = small_open(&(struct small){.cpus = 2});
    sim_push(m, 1, 0, &messages[i]);
    length[i] = sim_encode(m, &k, bytes[i]);
    const uint32_t fields = (messages[i].addr != 0) + (messages[i].x != 0) + (messages[i].y != 0);
    assert_int_equal(length[i], rest + 4 + 4 * fields); /* four bytes, and four for each further field */
    for (uint32_t other = 0; other < i; other++)
      assert_false(length[i] == length[other] && memcmp(bytes[i], bytes[other], length[i]) == 0);
    m = small_open(&(struct small){.cpus = 2});
    sim_msg caused = messages[i];
    caused.cause = 99;
    sim_push(m, 7777, SIM_PHASE_DECIDE, &caused);
    assert_int_equal(sim_encode(m, &k, again), length[i]);
    assert_memory_equal(again, bytes[i], length[i]);
  }
  for (uint32_t i = 0; i < MESSAGES; i++) { /* in an engine with other state */
    const sim_msg *sent = &messages[i];
    sim_decode(m, &k, bytes[i]);
    assert_int_equal(m->pending, waiting + 1);
    uint32_t found = 0;
    for (uint32_t n = 0; n < m->pending; n++) {
      uint64_t time;
      const sim_msg *q = test_pending(n, &time);
      found += q->to == sent->to && q->port == sent->port && q->kind == sent->kind && q->addr == sent->addr
               && q->x == sent->x && q->y == sent->y;
    }
    assert_int_equal(found, 1);
    assert_int_equal(sim_encode(m, &k, again), length[i]);
    assert_memory_equal(again, bytes[i], length[i]);
  }
  for (uint32_t i = 0; i < 1000; i++)
    sim_decode(m, &k, before); /* slots of removed messages are free again */
  EXPECT_VALUES({m->pending, waiting}, {m->free_count, m->pending_limit - waiting});
}

/* Messages of one channel are encoded in the order in which they were sent. The order among channels is
 * always the same, however they were interleaved. */
TEST(only_the_order_within_a_channel_is_encoded) {
  static const uint32_t orders[][4] = {{0, 1, 2, 3}, {2, 0, 3, 1}, {2, 3, 0, 1}, {0, 2, 1, 3}, {1, 0, 2, 3},
      {0, 1, 3, 2}}; /* 0 before 1 and 2 before 3, but for the last two */
  const sim_msg messages[] = {{.to = 1, .port = 2, .kind = 5, .x = 10},
      {.to = 1, .port = 2, .kind = 5, .x = 11}, {.to = 1, .port = 2, .kind = 4, .x = 12},
      {.to = 1, .port = 2, .kind = 4, .x = 13}};
  uint8_t bytes[6][CODEC_BYTES];
  uint32_t length[6];
  for (uint32_t i = 0; i < 6; i++) {
    struct sim_codec k;
    sim *m = small_open(&(struct small){.cpus = 2});
    for (uint32_t n = 0; n < 4; n++) sim_push(m, 100 - n, 0, &messages[orders[i][n]]);
    length[i] = sim_encode(m, &k, bytes[i]);
    assert_int_equal(length[i], length[0]);
    assert_int_equal(memcmp(bytes[i], bytes[0], length[0]) == 0, i < 4);
    if (i >= 4) assert_true(memcmp(bytes[4], bytes[0], length[0]) != 0);
    uint8_t again[CODEC_BYTES];
    sim_decode(m, &k, bytes[i]);
    sim_encode(m, &k, again);
    assert_memory_equal(again, bytes[i], length[i]);
  }
  assert_true(memcmp(bytes[4], bytes[5], length[0]) != 0);
}

/* Two messages sent in either order: the encodings differ if they share a channel. Between parts the address
 * is not part of the channel. */
TEST(channels_differ_by_receiver_port_kind_and_own_address) {
  static const struct {
    sim_msg a, b;
    int one_way;
  } cases[] = {
#define TO(part, at, what, about) \
  { .to = (part), .port = (at), .kind = (what), .addr = (about) }
      {TO(4, SIM_PORT_SELF, 3, 0), TO(5, SIM_PORT_SELF, 3, 0), 0},
      {TO(4, SIM_PORT_SELF, 3, 0), TO(6, SIM_PORT_SELF, 3, 0), 0}, {TO(2, 1, 3, 0), TO(130, 1, 3, 0), 0},
      {TO(4, 1, 3, 0), TO(4, 2, 3, 0), 0}, {TO(4, 0x7f, 3, 0), TO(4, SIM_PORT_SELF, 3, 0), 0},
      {TO(4, 1, 3, 0), TO(4, 0, 131, 0), 0}, {TO(4, 1, 3, 0), TO(5, 0, 3, 0), 0},
      {TO(4, 1, 3, 0), TO(4, 1, 2, 0), 0}, {TO(4, 1, 1, 0), TO(4, 1, 129, 0), 0},
      {TO(4, SIM_PORT_SELF, 2, 1), TO(4, SIM_PORT_SELF, 3, 0), 0},
      {TO(4, SIM_PORT_SELF, 3, 1), TO(4, SIM_PORT_SELF, 3, 2), 0},
      {TO(4, SIM_PORT_SELF, 3, 1), TO(4, SIM_PORT_SELF, 3, 0x80000001), 0},
      {TO(4, 1, 3, 1), TO(4, 1, 3, 2), 1}, {TO(4, 0xfe, 3, 1), TO(4, 0xfe, 3, 2), 1}};
#undef TO
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint8_t bytes[2][CODEC_BYTES];
    uint32_t length = 0;
    for (uint32_t turned = 0; turned < 2; turned++) {
      struct sim_codec k;
      sim *m = small_open(&(struct small){.cpus = 2});
      sim_push(m, 0, 0, turned ? &cases[i].b : &cases[i].a);
      sim_push(m, 0, 0, turned ? &cases[i].a : &cases[i].b);
      const uint32_t n = sim_encode(m, &k, bytes[turned]);
      if (turned) assert_int_equal(n, length);
      length = n;
    }
    assert_int_equal(memcmp(bytes[0], bytes[1], length) != 0, cases[i].one_way);
  }
}

/* The newest write of each of 32 places may be missing because it is about to be overwritten. An unknown
 * write changes nothing. */
TEST(an_overwritten_write_may_be_missing) {
  for (uint32_t i = 0; i <= CODEC_WRITE_CLASSES; i++) {
    struct sim_codec k = {0};
    for (uint32_t n = 0; n < CODEC_WRITE_CLASSES; n++) {
      uint32_t newest = 100 + n;
      sim_codec_write_id(&k, &newest, HOLDER_NEWEST);
    }
    sim_codec_stale_write(&k, 100 + i);
    assert_int_equal(k.found, i < CODEC_WRITE_CLASSES ? 1u << i : 0);
  }
  struct sim_codec k = {
      .names = 2, .name = {5, 6, 7}}; /* two names so far; the third belongs to an earlier state */
  sim_codec_stale_write(&k, 7);
  assert_int_equal(k.found, 0);
}

/* A write made after decoding a state has an identity that does not occur in that state. */
TEST(a_write_after_decoding_is_a_new_one) {
  const struct small g = {.cpus = 2, .lines = 2};
  uint8_t bytes[CODEC_BYTES];
  struct sim_codec k;
  sim *m = small_open(&g);
  sim_host_state(m)->exploring = 1;
  for (uint32_t i = 0; i < 40; i++)
    sim_host_state(m)->choices_made = sim_host_state(m)->forced_choices = 0, sim_explore_step(m),
    sim_run_invisible(m);
  sim_encode(m, &k, bytes);
  sim_decode(m, &k, bytes);
  const uint32_t made = sim_new_write(m);
  for (uint32_t i = 0; i < k.names; i++) assert_true(made > k.name[i]);
  assert_true(
      made > 1 + 2 * CODEC_WRITE_CLASSES + k.coming); /* those of places, of memory, and pending ones */
}
