/* The queue, time, choices, hash and loader, by themselves. */
#include "host/gt_machine.h"

struct popped {
  uint64_t time;
  uint32_t phase, order;
};

static int popped_before(const void *a, const void *b) {
  const struct popped *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  if (x->phase != y->phase) return x->phase < y->phase ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static void events_come_in_order_of_time_phase_and_posting(void **state) {
  (void)state;
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), BY_OK);
  by *m = test_engine();
  struct popped want[200];
  uint64_t random = 7;
  for (uint32_t i = 0; i < 200; i++) {
    want[i] = (struct popped){test_random(&random) % 20, test_random(&random) % 3 * 4, i};
    by_push(m, want[i].time, want[i].phase, &(by_msg){.x = i});
  }
  qsort(want, 200, sizeof *want, popped_before);
  for (uint32_t i = 0; i < 200; i++) {
    uint32_t slot;
    assert_true(pending(m));
    assert_int_equal(take(m, &slot)->x, want[i].order);
    give_back(m, slot);
    assert_int_equal(m->time, want[i].time);
  }
  assert_false(pending(m));
}

static void hundreds_of_messages_keep_their_order_while_others_come_and_go(void **state) {
  (void)state;
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), BY_OK);
  by *m = test_engine();
  uint64_t random = 3, last = 0, waiting[250];
  uint32_t n = 0;
  for (uint32_t i = 0; i < 20000; i++) {
    if (n < 250 && test_random(&random) % 500 >= n) {
      waiting[n] = m->time + test_random(&random) % 1000;
      by_push(m, waiting[n++], 0, &(by_msg){0});
      continue;
    }
    uint32_t slot, soonest = 0;
    for (uint32_t k = 1; k < n; k++)
      if (waiting[k] < waiting[soonest]) soonest = k;
    assert_true(pending(m));
    take(m, &slot);
    give_back(m, slot);
    assert_int_equal(m->time, waiting[soonest]);
    assert_true(m->time >= last);
    last = m->time;
    waiting[soonest] = waiting[--n];
    assert_int_equal(m->pending + m->later, n);
  }
}

static void a_message_posted_while_one_is_handled_takes_its_turn(void **state) {
  (void)state;
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), BY_OK);
  by *m = test_engine();
  for (uint32_t i = 0; i < 10; i++) by_push(m, 100 + i * 10, 0, &(by_msg){.x = i});
  uint64_t last = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    uint32_t slot;
    const by_msg *msg = take(m, &slot);
    assert_true(m->time >= last);
    last = m->time;
    by_push(m, m->time + (i * 37) % 91, 0, &(by_msg){.x = 1000 + i});
    assert_true(msg->x < 1000 + i); /* its message is still there */
    give_back(m, slot);
    assert_int_equal(m->pending, 10);
  }
}

static void clock_cycles_do_not_drift(void **state) {
  (void)state;
  assert_int_equal(by_cycles(120000000, 120000000 / 100), 10000000000ull);
  assert_int_equal(by_cycles(66666667, 1), 14999);
  assert_int_equal(by_edge(120000000, 0), 0);
  assert_int_equal(by_edge(120000000, 1), 8333);
  assert_int_equal(by_edge(120000000, 8333), 8333);
  assert_int_equal(by_edge(120000000, 999999999999ull), 1000000000000ull);
}

static void choices_repeat_with_their_seed_and_from_a_record(void **state) {
  (void)state;
  uint32_t first[50], record[50];
  for (int round = 0; round < 3; round++) {
    struct session s = session_new(0, 0, 0);
    s.words[3] = round == 2 ? 99 : 5; /* seed */
    assert_int_equal(session_open(&s), BY_OK);
    by *m = test_engine();
    if (round == 2) by_replay(m, record, 50);
    for (uint32_t i = 0; i < 50; i++) {
      uint32_t pick = by_choose(m, BY_CHOOSE_ARBITER, 2 + i % 5);
      assert_true(pick < 2 + i % 5);
      if (round == 0) first[i] = pick;
      else assert_int_equal(pick, first[i]);
    }
    memcpy(record, by_at(m, by_side(m)->directory.choices_at), sizeof record);
  }
}

static const uint64_t transfer[] = {
    ROW(PIO_WRITE, 0x1000, CARD_BASE, 64, 0, 0, 0),
    ROW(DMA_READ, CARD_BASE, 0x2000, 256, 0, 0, 0),
    ROW(END, 0, 0, 0, 0, 0, 0),
};

static void every_bit_of_state_counts_in_the_hash(void **state) {
  (void)state;
  struct gt_machine g = gt_machine_defaults();
  struct session s = gt_machine_session(&g, transfer, 3);
  assert_int_equal(session_open(&s), BY_OK);
  by_run(test_engine(), BY_NEVER, 40);
  uint64_t hash = test_hash(), random = 3;
  uint8_t *bytes = (uint8_t *)test_engine();
  for (uint32_t i = 0; i < 200; i++) {
    uint32_t at = test_random(&random) % test_engine()->state_bytes, bit = 1u << (i & 7);
    if (at < sizeof(struct by)) continue; /* what by_look itself reads */
    bytes[at] ^= bit;
    assert_int_not_equal(test_hash(), hash);
    bytes[at] ^= bit;
  }
  assert_int_equal(test_hash(), hash);
}

static void a_session_cut_short_is_refused_at_every_length(void **state) {
  (void)state;
  struct gt_machine g = gt_machine_defaults();
  struct session s = gt_machine_session(&g, transfer, 3);
  for (uint32_t n = 0; n < s.n; n++) assert_int_not_equal(session_open_words(&s, n), BY_OK);
  assert_int_equal(session_open(&s), BY_OK);
}

static void a_session_with_any_word_changed_is_refused_or_runs(void **state) {
  (void)state;
  struct gt_machine g = gt_machine_defaults();
  static struct session s;
  uint64_t random = 11;
  for (uint32_t i = 0; i < 3000; i++) {
    s = gt_machine_session(&g, transfer, 3);
    uint32_t at = test_random(&random) % s.n;
    s.words[at] = i & 1 ? test_random(&random) : s.words[at] ^ 1u << (test_random(&random) & 31);
    if (session_open(&s) == BY_OK) by_run(test_engine(), BY_NEVER, 2000);
  }
}

static void memory_that_runs_out_anywhere_is_an_error_and_the_next_opening_works(void **state) {
  (void)state;
  struct gt_machine g = gt_machine_defaults();
  struct session s = gt_machine_session(&g, transfer, 3);
  by *m = test_engine();
  uint32_t nth = 1;
  for (;; nth++) {
    *by_side(m) = (struct by_side){.limit = TEST_ARENA, .fail_at = nth};
    if (by_open(m, s.words, s.n) == BY_OK) break;
    assert_int_equal(by_look(m)->error, BY_NO_MEMORY);
  }
  assert_true(nth > 40);
  assert_int_equal(session_open(&s), BY_OK);
}

static void a_wire_is_refused_when_an_end_is_missing_or_taken(void **state) {
  (void)state;
  struct gt_machine g = gt_machine_defaults();
  struct session s = gt_machine_session(&g, transfer, 3);
  s.words[s.n - 4] = 77;
  assert_int_equal(session_open(&s), BY_BAD_WIRE);
  s = gt_machine_session(&g, transfer, 3);
  memcpy(&s.words[s.n - 4], &s.words[s.n - 8], 16);
  assert_int_equal(session_open(&s), BY_BAD_WIRE);
  s = gt_machine_session(&g, transfer, 3);
  uint32_t swapped = s.words[s.n - 1]; /* a bus master's slot and the card's ring: they do not understand each other */
  s.words[s.n - 4] = CARD, s.words[s.n - 3] = GT_PORT_LINK, s.words[s.n - 2] = BUS, s.words[s.n - 1] = swapped;
  assert_int_equal(session_open(&s), BY_BAD_WIRE);
  s = gt_machine_session(&g, transfer, 3);
  s.words[7] -= 1;
  assert_int_equal(session_open_words(&s, s.n - 4), BY_UNWIRED);
}

static void the_run_is_the_same_in_slices_and_without_recording(void **state) {
  (void)state;
  struct gt_machine g = gt_machine_defaults();
  struct session s = gt_machine_session(&g, transfer, 3);
  by *m = test_engine();
  assert_int_equal(session_open(&s), BY_OK);
  assert_int_equal(by_run(m, BY_NEVER, BY_NEVER), BY_IDLE);
  uint64_t hash = test_hash(), events = m->events;
  assert_int_equal(session_open(&s), BY_OK);
  by_record_trace(m, 0);
  for (uint64_t i = 1; i <= events; i++) by_run(m, BY_NEVER, i);
  assert_int_equal(by_run(m, BY_NEVER, BY_NEVER), BY_IDLE);
  assert_int_equal(test_hash(), hash);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_come_in_order_of_time_phase_and_posting),
      cmocka_unit_test(hundreds_of_messages_keep_their_order_while_others_come_and_go),
      cmocka_unit_test(a_message_posted_while_one_is_handled_takes_its_turn),
      cmocka_unit_test(clock_cycles_do_not_drift),
      cmocka_unit_test(choices_repeat_with_their_seed_and_from_a_record),
      cmocka_unit_test(every_bit_of_state_counts_in_the_hash),
      cmocka_unit_test(a_session_cut_short_is_refused_at_every_length),
      cmocka_unit_test(a_session_with_any_word_changed_is_refused_or_runs),
      cmocka_unit_test(memory_that_runs_out_anywhere_is_an_error_and_the_next_opening_works),
      cmocka_unit_test(a_wire_is_refused_when_an_end_is_missing_or_taken),
      cmocka_unit_test(the_run_is_the_same_in_slices_and_without_recording),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
