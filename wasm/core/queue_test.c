/* The event queue and the clocks. */
#include "test/engine_internals.h"

#include "core/clock.h"
#include "core/jitter.h"

struct popped {
  uint64_t time;
  uint32_t phase;
  uint32_t order;
};

static int popped_before(const void *a, const void *b) {
  const struct popped *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  if (x->phase != y->phase) return x->phase < y->phase ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* An engine without parts, and a queue for this number of messages. */
static sim *bare_queue(uint32_t messages) {
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(queue(test_engine(), messages), SIM_OK);
  return test_engine();
}

TEST(events_come_in_order_of_time_phase_and_posting) {
  sim *m = bare_queue(200);
  struct popped want[200];
  uint64_t random = 7;
  for (uint32_t i = 0; i < 200; i++) {
    want[i] = (struct popped){test_random(&random) % 20, test_random(&random) % 3 * 4, i};
    sim_push(m, want[i].time, want[i].phase, &(sim_msg){.x = i});
  }
  qsort(want, 200, sizeof *want, popped_before);
  for (uint32_t i = 0; i < 200; i++) {
    uint32_t slot;
    assert_true(pending(m));
    assert_int_equal(take(m, &slot)->x, want[i].order);
    free_slot(m, slot);
    assert_int_equal(m->time, want[i].time);
  }
  assert_false(pending(m));
}

TEST(hundreds_of_messages_stay_in_order_during_insertions) {
  sim *m = bare_queue(250);
  uint64_t random = 3, last = 0, waiting[250];
  uint32_t n = 0;
  for (uint32_t i = 0; i < 20000; i++) {
    if (n < 250 && test_random(&random) % 500 >= n) {
      waiting[n] = m->time + test_random(&random) % 1000;
      sim_push(m, waiting[n++], 0, &(sim_msg){0});
      continue;
    }
    uint32_t slot, soonest = 0;
    for (uint32_t k = 1; k < n; k++)
      if (waiting[k] < waiting[soonest]) soonest = k;
    assert_true(pending(m));
    take(m, &slot);
    free_slot(m, slot);
    assert_int_equal(m->time, waiting[soonest]);
    assert_true(m->time >= last);
    last = m->time;
    waiting[soonest] = waiting[--n];
    assert_int_equal(m->pending + m->later, n);
  }
}

/* The heap in all orders of insertion of seven entries: they come out sorted, also with insertions in
 * between. */
TEST(the_heap_sorts_every_order_of_insertion) {
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), SIM_OK);
  sim *m = test_engine();
  test_touches(later(m), 8 * sizeof(struct sim_entry)); /* the heap of a machine without parts is smaller */
  for (uint32_t order = 0; order < 5040; order++) {
    uint64_t left[7] = {10, 20, 30, 40, 50, 60, 70};
    for (uint32_t n = 7, rest = order; n > 0; rest /= n--) {
      uint32_t pick = rest % n;
      heap_push(m, (struct sim_entry){left[pick], 0});
      for (uint32_t i = pick; i + 1 < n; i++) left[i] = left[i + 1];
    }
    for (uint32_t i = 1; i <= 3; i++) assert_int_equal(heap_pop(m).time, 10 * i);
    heap_push(m, (struct sim_entry){35 + order % 4 * 10, 0});
    uint64_t last = 0;
    for (uint32_t i = 0; i < 5; i++) {
      uint64_t time = heap_pop(m).time;
      assert_true(time > last);
      last = time;
    }
    assert_int_equal(m->later, 0);
  }
}

TEST(a_message_posted_while_another_is_handled_is_queued) {
  sim *m = bare_queue(10);
  for (uint32_t i = 0; i < 10; i++) sim_push(m, 100 + i * 10, 0, &(sim_msg){.x = i});
  uint64_t last = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    uint32_t slot;
    const sim_msg *msg = take(m, &slot);
    assert_true(m->time >= last);
    last = m->time;
    sim_push(m, m->time + (i * 37) % 91, 0, &(sim_msg){.x = 1000 + i});
    assert_true(msg->x < 1000 + i); /* the handled message is still valid */
    free_slot(m, slot);
    assert_int_equal(m->pending, 10);
  }
}

TEST(cancelled_messages_never_arrive_and_the_rest_stay_in_order) {
  enum { MOST = 300 };
  sim *m = bare_queue(MOST);
  uint64_t random = 5, at[MOST];
  uint32_t name[MOST], n = 0;
  for (uint32_t i = 0; i < 50000; i++) {
    uint32_t what = test_random(&random) % 3, k;
    if (n < MOST && what != 0 && test_random(&random) % 600 >= n) {
      at[n] = m->time + test_random(&random) % 1000;
      name[n] = sim_schedule_for(m, 0, at[n] - m->time, 0, 1, i);
      n++;
      continue;
    }
    if (n == 0) continue;
    if (what == 1) {
      sim_cancel(m, name[k = test_random(&random) % n]);
    } else {
      uint32_t slot;
      assert_true(pending(m));
      take(m, &slot);
      free_slot(m, slot);
      for (k = 0; name[k] != slot; k++) assert_true(k < n);
      for (uint32_t j = 0; j < n; j++) assert_true(at[j] >= at[k]);
      assert_int_equal(m->time, at[k]);
    }
    at[k] = at[--n];
    name[k] = name[n];
    assert_int_equal(m->pending + m->later, n);
  }
}

/* Pending messages between parts are counted by kind; those of a part to itself are not,
 * whatever their kind. */
TEST(messages_between_parts_are_counted) {
  sim *m = bare_queue(8);
  for (uint32_t i = 0; i < 3; i++) sim_push(m, 10, 0, &(sim_msg){.port = (uint8_t)i, .kind = 7});
  sim_push(m, 10, 0, &(sim_msg){.port = 1, .kind = 8});
  sim_push(m, 10, 0, &(sim_msg){.port = SIM_PORT_SELF, .kind = 7});
  EXPECT_VALUES({sim_pending_count(m, 7), 3}, {sim_pending_count(m, 8), 1}, {sim_pending_count(m, 9), 0});
}

TEST(clock_cycles_do_not_drift) {
  assert_int_equal(sim_cycles(120000000, 120000000 / 100), 10000000000ull);
  assert_int_equal(sim_cycles(66666667, 1), 14999);
  assert_int_equal(sim_edge_after(120000000, 0), 0);
  assert_int_equal(sim_edge_after(120000000, 1), 8333);
  assert_int_equal(sim_edge_after(120000000, 8333), 8333);
  assert_int_equal(sim_edge_after(120000000, 999999999999ull), 1000000000000ull);
}

/* Edges are exact for times of millions of seconds: an edge at time t is found from t, and one picosecond
 * later the next edge. */
TEST(edges_are_exact_at_late_times) {
  static const struct {
    uint64_t hertz, time, edge;
  } cases[] = {{1, 4999999000000000001ull, 5000000000000000000ull},
      {1, 5000000000000000000ull, 5000000000000000000ull}, /* 5 000 000 s */
      {3, 1000333333333333ull, 1000333333333333ull}, {3, 1000333333333334ull, 1000666666666666ull},
      {3, 1000666666666667ull, 1001000000000000ull},
      {3, 1001000000000000ull, 1001000000000000ull}, /* thirds of second 1000 */
      {1000000000, 7000000000001001ull, 7000000000002000ull},
      {1000000000, 7000000000001000ull, 7000000000001000ull}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(sim_edge_after(cases[i].hertz, cases[i].time), cases[i].edge);
  assert_int_equal(sim_cycles(1, 1000000), 1000000000000000000ull);
  assert_int_equal(sim_cycles(1000000, 18446744), 18446744000000ull); /* the largest product below 2^64 */
  assert_int_equal(sim_cycles(3, 2), 666666666666ull);
  for (uint64_t a = 4; a < 7; a++) {
    assert_int_equal(sim_max(a, 5), a == 6 ? 6 : 5);
    assert_int_equal(sim_min(a, 5), a == 4 ? 4 : 5);
  }
}

/* Incremental edges of a clock equal those of a 128-bit division at all times. */
TEST(an_incremental_clock_has_the_edges_of_a_division) {
  static const uint64_t hertz[] = {120000000, 66666667, 33000000, 1000000, 1000000000, 7, 999999999};
  assert_int_equal(sim_edge_after(1, 0), 0);
  assert_int_equal(
      sim_edge_after(1, 1), 1000000000000ull); /* one picosecond after an edge, the next is a second later */
  uint64_t random = 9;
  for (uint32_t i = 0; i < sizeof hertz / sizeof *hertz; i++) {
    struct sim_clock clock = sim_clock_of(hertz[i]);
    uint64_t time = 0, period = 1000000000000ull / hertz[i];
    for (uint32_t k = 0; k < 400; k++) {
      uint64_t far = k % 40 == 39 ? period << (test_random(&random) % 12 + 24)
                                  : test_random(&random) % (k % 3 ? 3 * period : 40 * period);
      time += far % 10000000000000ull;
      uint64_t n = test_random(&random) % (k % 2 ? 40 : 3000);
      assert_int_equal(sim_clock_next_edge(&clock, time), sim_edge_after(hertz[i], time));
      unsigned __int128 cycle = ((unsigned __int128)time * hertz[i] + 999999999999ull) / 1000000000000ull;
      assert_int_equal(sim_clock_after(&clock, n), (uint64_t)((cycle + n) * 1000000000000ull / hertz[i]));
    }
  }
  struct sim_clock even =
      sim_clock_of(976562500); /* a period of 1024 ps, so that gaps can have a zero low half */
  for (uint64_t time = 0; time < 1ull << 40; time += 1ull << 32)
    assert_int_equal(sim_clock_next_edge(&even, time), time);
}

/* A time of zero does not vary and makes no choice, so that the log holds real choices only. */
TEST(only_varying_times_make_choices) {
  sim *m = bare_queue(1);
  assert_int_equal(sim_jitter(m, 0, 1), 0);
  assert_int_equal(sim_jitter(m, 1000, 0), 1000);
  assert_int_equal(m->choice_count, 0);
  assert_true(sim_jitter(m, 1000, 1) > 0);
  assert_int_equal(m->choice_count, 1);
}

/* The 64 values of a varying time, for 4096 ps: whole, ascending, with that mean and half of it as deviation,
 * like a sum of four exponential times. */
TEST(varying_times_have_the_requested_mean_and_spread) {
  sim *m = bare_queue(1);
  uint32_t record[SIM_JITTER_VALUES];
  uint64_t sum = 0, squares = 0, last = 0;
  for (uint32_t i = 0; i < 64; i++) record[i] = i;
  sim_replay(m, record, 64);
  for (uint32_t i = 0; i < 64; i++) {
    const uint64_t time = sim_jitter(m, 4096, 1), off = time > 4096 ? time - 4096 : 4096 - time;
    assert_true(time > last);
    last = time;
    sum += time, squares += off * off;
  }
  assert_int_equal(sum, 64 * 4096);
  assert_in_range(
      squares / 64, 1950 * 1950, 2048 * 2048); /* slightly less than 2048, as the tails are missing */
  assert_int_equal(m->choice_count, 64);
  sim_replay(m, record + 63, 1);
  m->choice_count = 0;
  assert_int_equal(sim_jitter(m, 8192, 1), 2 * last);
}

/* After 2^42 messages, more than the 40 bits of the order can count, an answer still precedes a request of
 * the same time, and answers stay in order. */
TEST(phases_hold_after_any_number_of_messages) {
  static const struct {
    uint64_t pushes;
    uint32_t phase, x;
  } cases[] = {{5, SIM_PHASE_REQUEST, 3}, {(1ull << 42) + 7, SIM_PHASE_ANSWER, 1},
      {(1ull << 42) + 8, SIM_PHASE_ANSWER, 2}, {3ull << 42, SIM_PHASE_DECIDE, 4}};
  sim *m = bare_queue(4);
  for (uint32_t i = 0; i < 4; i++) {
    m->pushes = cases[i].pushes;
    sim_push(m, 10, cases[i].phase, &(sim_msg){.x = cases[i].x});
    assert_int_equal(m->pushes, cases[i].pushes + 1);
  }
  for (uint32_t x = 1; x <= 4; x++) {
    uint32_t slot;
    assert_true(pending(m));
    assert_int_equal(take(m, &slot)->x, x);
    free_slot(m, slot);
  }
}

/* The 65th message does not fit the list: the later half moves to the heap and returns once the list is
 * empty, not before. */
TEST(half_of_a_full_list_moves_to_the_heap) {
  sim *m = bare_queue(200);
  for (uint32_t i = 0; i < SOON; i++) sim_push(m, 1000 - i, 0, &(sim_msg){.x = i});
  EXPECT_VALUES({m->pending, SOON}, {m->later, 0});
  sim_push(m, 5, 0, &(sim_msg){.x = SOON});
  EXPECT_VALUES({m->pending, SOON / 2 + 1}, {m->later, SOON / 2});
  sim_push(m, 5000, 0, &(sim_msg){.x = SOON + 1}); /* later than those in the heap */
  assert_int_equal(m->later, SOON / 2 + 1);
  for (uint32_t i = 0; i < SOON + 2; i++) {
    uint32_t slot;
    assert_true(pending(m));
    if (i == SOON / 2 + 1) assert_int_equal(m->pending, SOON / 2); /* half a list returns at a time */
    assert_int_equal(take(m, &slot)->x, i <= SOON ? SOON - i : i);
    free_slot(m, slot);
  }
  assert_false(pending(m));
}

/* A message of a part to itself has the time, receiver, port, kind, cause and values it was
 * scheduled with. */
TEST(a_message_to_oneself_has_the_given_fields) {
  sim *m = bare_queue(3);
  m->time = 100, m->cause = 9;
  const uint32_t names[] = {sim_schedule_with(m, 5, 30, SIM_PHASE_ANSWER, 7, 0x123456789ull, 11, 12),
      sim_schedule_for(m, 6, 20, SIM_PHASE_ANSWER, 8, 13), sim_schedule(m, 7, 10, SIM_PHASE_ANSWER, 9)};
  static const sim_msg sent[] = {{0x123456789ull, 11, 12, 9, 5, SIM_PORT_SELF, 7},
      {0, 13, 0, 9, 6, SIM_PORT_SELF, 8}, {0, 0, 0, 9, 7, SIM_PORT_SELF, 9}};
  assert_int_equal(sim_pending_write_class(m, 6, 8), names[1]);
  assert_int_equal(sim_pending_write_class(m, 5, 7), names[0]);
  for (uint32_t i = 3; i-- > 0;) {
    uint32_t slot;
    assert_true(pending(m));
    assert_memory_equal(take(m, &slot), &sent[i], sizeof *sent);
    EXPECT_VALUES({slot, names[i]}, {m->time, 130 - 10 * i});
    free_slot(m, slot);
  }
}
