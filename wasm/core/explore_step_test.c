/* Exploration steps: which messages may be next, the order in which they are offered, and the effects of a
 * step. */
#include "test/small_machine.h"

enum { CPUS = 2, PROVER_PART = 2 + CPUS };
#define ENGINE test_engine()

/* A machine of two processors that send nothing but wishes. The test makes the choices. */
static sim *wishing(void) {
  sim *m = small_open(&(struct small){.cpus = CPUS});
  sim_host_state(m)->exploring = 1;
  return m;
}

static void wishes(uint32_t who, uint32_t mark) {
  sim_push(ENGINE, 0, 0,
      &(sim_msg){.to = PROVER_PART, .port = SIM_PORT_SELF, .kind = PROVER_CHOOSE, .addr = who, .x = mark});
}

/* Returns whether a wish with this mark is pending. */
static uint32_t waits(uint32_t mark) {
  uint32_t n = 0;
  uint64_t when;
  for (uint32_t i = 0; i < ENGINE->pending; i++) n += test_pending(i, &when)->x == mark;
  return n;
}

/* Takes the nth of the messages that may be next. The processor drops a line that it does not have and sends
 * another wish. Returns the number of messages offered, or 0 if there was no choice. */
static uint32_t steps(uint32_t nth, uint32_t of) {
  enum { LETS_GO = 3 }; /* comes after a load and two stores */
  struct sim_host_state *side = sim_host_state(ENGINE);
  side->choices_made = side->forced_choices = 0;
  if (of > 1) side->choice[side->forced_choices++] = nth;
  side->choice[side->forced_choices++] = LETS_GO;
  assert_true(sim_explore_step(ENGINE));
  return side->choices_made == 2 ? side->choices_of[0] : 0;
}

/* A channel is FIFO, whatever is sent on others. Each channel is offered once, in order of addresses. */
TEST(each_channel_offers_its_oldest_message) {
  for (uint32_t nth = 0; nth < 2; nth++) {
    sim *m = wishing();
    while (m->pending) sim_cancel(m, slot_of(soon(m)[0]));
    wishes(1, 20), wishes(0, 10), wishes(1, 21), wishes(0, 11), wishes(1, 22), wishes(0, 12);
    for (uint32_t left = 3; left > 0; left--) {
      assert_int_equal(steps(nth, 2), 2);
      for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(waits(10 * (nth + 1) + k), k > 3 - left);
        assert_int_equal(waits(10 * (2 - nth) + k), 1);
      }
    }
  }
}

/* Channels differ by receiver, port and kind, and for messages of a part to itself by address. Other fields
 * do not matter. */
TEST(messages_of_one_channel_are_not_offered_together) {
  static const struct {
    sim_msg other;
    uint32_t offered;
  } cases[] = {{{.to = PROVER_PART,
                    .port = SIM_PORT_SELF,
                    .kind = PROVER_CHOOSE,
                    .addr = 0,
                    .x = 5,
                    .y = 6,
                    .cause = 7},
                   1},
      {{.to = PROVER_PART, .port = SIM_PORT_SELF, .kind = PROVER_CHOOSE, .addr = 1}, 2},
      {{.to = PROVER_PART, .port = SIM_PORT_SELF, .kind = PROVER_STEP, .addr = 0}, 2}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t first = 0; first < 2; first++) {
      sim *m = small_open(&(struct small){.cpus = CPUS, .adapter = COHERENT});
      while (m->pending) sim_cancel(m, slot_of(soon(m)[0]));
      if (first) sim_push(m, 0, 0, &cases[i].other);
      wishes(0, 0);
      if (!first) sim_push(m, 0, 0, &cases[i].other);
      sim_host_state(m)->exploring = 1,
      sim_host_state(m)->choices_made = sim_host_state(m)->forced_choices = 0,
      sim_host_state(m)->choices_of[0] = 0;
      assert_true(sim_explore_step(m));
      assert_int_equal(sim_host_state(m)->choices_of[0] == 2, cases[i].offered == 2);
    }
}

/* Invisible messages are not offered as a choice but come first. sim_run_invisible handles all of them and
 * leaves the wishes alone. */
TEST(invisible_messages_come_first) {
  const sim_msg done[] = {{.to = PROVER_PART, .port = PROVER_PORT_CPU, .kind = CACHE_DONE},
      {.to = PROVER_PART, .port = PROVER_PORT_CPU + 1, .kind = CACHE_DONE}};
  for (uint32_t settled = 0; settled < 2; settled++) {
    sim *m = wishing();
    struct prover_now *now = prover_view(m, SIM_CONTEXT(m, PROVER_PART, prover));
    now->busy_0 = now->busy_1 = PROVER_ACCESS;
    for (uint32_t i = 0; i < 2; i++) sim_push(m, 0, 0, &done[i]);
    assert_int_equal(m->pending, 4);
    if (settled) sim_run_invisible(m);
    else {
      assert_int_equal(steps(0, 0), 0); /* no choice */
      EXPECT_VALUES({now->busy_0, PROVER_IDLE}, {now->busy_1, PROVER_ACCESS},
          {sim_host_state(m)->last_part, PROVER_PART});
      assert_int_equal(steps(0, 0), 0);
    }
    EXPECT_VALUES({now->busy_0 + now->busy_1, 0}, {m->events, 2}, {m->time, 2 * m->explore_step_time});
    assert_int_equal(m->pending, 4); /* each processor has sent another wish */
    sim_run_invisible(m);
    assert_int_equal(m->events, 2);
  }
}

/* Disabled messages are not offered. If no other is pending, no step is made, and that is reported. */
TEST(disabled_messages_wait) {
  sim *m = small_open(&(struct small){.cpus = CPUS, .adapter = COHERENT});
  sim_host_state(m)->exploring = 1;
  assert_int_equal(m->pending, 3); /* the device is disabled, since nothing is mapped */
  assert_int_equal(steps(1, 2), 2);
  m = wishing();
  while (m->pending) sim_cancel(m, slot_of(soon(m)[0]));
  assert_false(sim_explore_step(m));
  assert_int_equal(m->events + m->time, 0);
  m = small_open(&(struct small){.cpus = CPUS, .adapter = COHERENT});
  for (uint32_t i = 0; i < m->pending;) {
    if (slots(m)[slot_of(soon(m)[i])].addr == PROVER_DEVICE) i++;
    else sim_cancel(m, slot_of(soon(m)[i]));
  }
  assert_int_equal(m->pending, 1);
  assert_false(sim_explore_step(m));
  assert_int_equal(sim_run(m, SIM_NEVER, SIM_NEVER), SIM_IDLE);
  assert_int_equal(m->pending, 1);
}

/* A step removes one message, frees its slot and counts as one event of its duration. The next record has the
 * cause of the message. */
TEST(a_step_handles_one_message_and_takes_its_time) {
  sim *m = wishing();
  while (m->pending) sim_cancel(m, slot_of(soon(m)[0]));
  const uint32_t room = m->free_count;
  sim_push(m, 0, 0,
      &(sim_msg){.to = PROVER_PART, .port = SIM_PORT_SELF, .kind = PROVER_CHOOSE, .addr = 0, .cause = 41});
  m->explore_step_time = 250, m->time = 1000, m->cause = 9;
  const uint64_t before = m->seq;
  assert_int_equal(steps(0, 1), 0); /* one message is no choice */
  EXPECT_VALUES({m->time, 1250}, {m->events, 1}, {m->pending + m->free_count, room});
  const struct sim_record *event =
      (const struct sim_record *)sim_at(m, sim_refresh_header(m)->trace_at) + before;
  EXPECT_VALUES({event->cause, 41}, {event->time, 1250});
}

/* A pending message of a part to itself has a handle, found by its kind, by which it can be cancelled.
 * Messages of other kinds, parts or ports are not found. */
TEST(a_pending_message_is_found_by_its_kind) {
  sim *m = wishing();
  const sim_msg others[] = {{.to = PROVER_PART, .port = SIM_PORT_SELF, .kind = 8},
      {.to = 1, .port = SIM_PORT_SELF, .kind = 9}, {.to = PROVER_PART, .port = 0, .kind = 9}};
  for (uint32_t i = 0; i < 3; i++) sim_push(m, 0, 0, &others[i]);
  const uint32_t name = sim_schedule_with(m, PROVER_PART, 0, 0, 9, 1, 77, 3);
  for (uint32_t i = 0; i < 3; i++) sim_push(m, 0, 0, &others[i]); /* before and after it */
  const uint32_t pending = m->pending;
  assert_int_equal(sim_pending_write_class(m, PROVER_PART, 9), name);
  assert_int_equal(waits(77), 1);
  sim_cancel(m, name);
  assert_int_equal(waits(77), 0);
  EXPECT_VALUES({m->pending, pending - 1}, {sim_pending_count(m, 9), 2});
  assert_int_equal(sim_pending_count(m, 8), 0); /* messages of a part to itself are not counted */
}
