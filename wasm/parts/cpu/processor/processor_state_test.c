/* What is kept of a processor and its threads for exploring, what is not, and what of its own may happen when. */
#include "test/processor_machine.h"

enum { THREADS = 2, HANDLER = THREADS };

/* Two threads: one works for 100 us, one waits for semaphore 2. */
static struct processor_state *at_work(void) {
  static const uint64_t program[] = {DO(SPEND, 100 * US, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 2), END_ROW};
  struct gt_machine g = round_numbers();
  assert_int_equal(opened(&g, program, sizeof program / 8), SIM_OK);
  sim_run(test_engine(), 1 * US, SIM_NEVER);
  return SIM_STATE(test_engine(), CPU, processor);
}

static uint32_t *upper(uint64_t *half) { return (uint32_t *)half + 1; }

/* The same processor written out; answers how many bytes that is. */
static uint32_t written(uint8_t *bytes) {
  struct sim_codec k = {.at = bytes};
  processor_serialize(test_engine(), CPU, &k);
  return (uint32_t)(k.at - bytes);
}

/* Of the handler as of any thread: where it is in its program and in its access; with four loops within each other all rows and counts. */
static void all_that_a_thread_goes_on_from_is_kept(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  for (uint32_t i = 0; i <= HANDLER; i++) {
    thread *t = &cpu_threads(test_engine(), s)[i];
    t->depth = PROCESSOR_PROGRAM_LOOPS;
    KEEPS(CPU, &t->status, &t->row, &t->priority, &t->depth, &t->dirty, &t->stage, &t->service, &t->fills, &t->delegated, &t->spare, &t->done, upper(&t->done), &t->value, upper(&t->value));
    for (uint32_t depth = 0; depth < PROCESSOR_PROGRAM_LOOPS; depth++) KEEPS(CPU, &t->loop_row_0 + depth, &t->loop_left_0 + depth, upper(&t->loop_left_0 + depth));
  }
}

/* A loop that is over is not looked at again: two within each other are kept as far as the second. What a state is called, where a thread begins and since when it has been ready decide nothing. */
static void what_a_thread_does_not_go_on_from_is_not_kept(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  for (uint32_t i = 0; i <= HANDLER; i++) {
    thread *t = &cpu_threads(test_engine(), s)[i];
    t->depth = 2;
    KEEPS(CPU, &t->loop_row_1, &t->loop_left_1);
    KEEPS_NOT(CPU, &t->loop_row_2, &t->loop_left_2, &t->loop_row_3, &t->loop_left_3, &t->first, &t->state, &t->ready_since);
  }
}

/* Interrupted in the middle of a timer: that it was is kept, and comes back as a timer of a second; how much of it was left is not, were it a picosecond. */
static void of_interrupted_work_it_is_kept_that_there_is_some(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  uint8_t none[CODEC_PART] = {0}, one[CODEC_PART] = {0}, more[CODEC_PART] = {0};
  thread *t = &cpu_threads(test_engine(), s)[1];
  t->remaining = 0;
  uint32_t length = written(none);
  struct sim_codec k = {.at = none, .reading = 1};
  processor_serialize(test_engine(), CPU, &k);
  assert_int_equal(t->remaining, 0);
  t->remaining = 1;
  assert_int_equal(written(one), length);
  t->remaining = 7 * US;
  assert_int_equal(written(more), length);
  assert_memory_equal(one, more, length);
  assert_memory_not_equal(one, none, length);
  t->remaining = 0;
  k = (struct sim_codec){.at = one, .reading = 1};
  processor_serialize(test_engine(), CPU, &k);
  assert_int_equal(t->remaining, 1000000 * US);
}

/* Whom the handler has interrupted, and for which line, matters while it runs and not else; each of the 16 semaphores matters always. */
static void what_a_processor_goes_on_from_is_kept(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  s->timing = 0;
  s->current = HANDLER, s->resumed = 1, s->source = 3;
  KEEPS(CPU, &s->current, &s->resumed, &s->source, &s->held, &s->bus_wait, &s->last_picked, &s->woken, &s->irqs);
  struct processor_semaphores *semaphores = sim_at(test_engine(), s->semaphores_at);
  for (uint32_t tag = 0; tag < SEMAPHORES; tag++) KEEPS(CPU, &semaphores[tag].value);
  uint8_t before[CODEC_PART] = {0}, after[CODEC_PART] = {0};
  for (s->current = 0; s->current < HANDLER; s->current++) {
    s->resumed = NOBODY, s->source = 0;
    uint32_t length = written(before);
    s->resumed = 1, s->source = 3;
    assert_int_equal(written(after), length);
    assert_memory_equal(before, after, length);
  }
  s->current = NOBODY;
  written(before);
  s->current = 1;
  struct sim_codec k = {.at = before, .reading = 1};
  processor_serialize(test_engine(), CPU, &k);
  assert_int_equal(s->current, NOBODY);
  assert_int_equal(s->resumed, NOBODY);
}

/* Read back, a timer that was running has a second to go from now on and can be withdrawn by an interrupt, a slice begins now, and no loop has turned at this time. */
static void a_timer_that_is_read_back_begins_now(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  uint8_t bytes[CODEC_PART];
  assert_int_equal(s->timing, 1);
  written(bytes);
  const uint32_t timer = s->timer;
  s->timing = 0, s->timer = timer + 1, s->timer_end = s->slice_start = 0, s->loop_time = test_engine()->time;
  struct sim_codec k = {.at = bytes, .reading = 1};
  processor_serialize(test_engine(), CPU, &k);
  assert_int_equal(s->timing, 1);
  assert_int_equal(s->timer, timer);
  assert_int_equal(s->timer_end, test_engine()->time + 1000000 * US);
  assert_int_equal(s->slice_start, test_engine()->time);
  assert_true(s->loop_time == SIM_NEVER);
  written(bytes);
  assert_int_equal(s->timing, 1); /* writing a state out changes nothing of it */
  s->timer_end = 5, s->slice_start = 6, s->loop_time = 7;
  written(bytes);
  assert_int_equal(s->timer_end, 5);
  assert_int_equal(s->slice_start, 6);
  assert_int_equal(s->loop_time, 7);
}

/* Two numbers of a byte and six more, a word of interrupts, 16 semaphores; of each thread 31 bytes, and 10 for each loop that it is in. */
static void what_is_kept_has_room_for_loops_that_are_open_only(void **state) {
  (void)state;
  struct processor_state *s = at_work();
  uint8_t bytes[CODEC_PART];
  for (uint32_t depth = 0; depth <= PROCESSOR_PROGRAM_LOOPS; depth++) {
    cpu_threads(test_engine(), s)[0].depth = depth;
    assert_int_equal(written(bytes), 2 + 6 + 4 + 16 + 3 * 31 + 10 * depth);
  }
}

/* What the cache has fetched is seen at once, and so is that it begins or that a thread was woken; timers, interrupts and data of the bus come whenever they like. */
static void what_takes_no_time_is_at_once(void **state) {
  (void)state;
  at_work();
  static const struct { uint32_t port, kind, when; } cases[] = {
      {PROCESSOR_PORT_CACHE, 0, SIM_INVISIBLE}, {PROCESSOR_PORT_CACHE, PROCESSOR_TIMER, SIM_INVISIBLE}, {SIM_PORT_SELF, PROCESSOR_START, SIM_INVISIBLE}, {SIM_PORT_SELF, PROCESSOR_WOKEN, SIM_INVISIBLE},
      {SIM_PORT_SELF, PROCESSOR_TIMER, SIM_ENABLED}, {PROCESSOR_PORT_FRONT, 0, SIM_ENABLED}, {PROCESSOR_PORT_FRONT, PROCESSOR_TIMER, SIM_ENABLED}, {PROCESSOR_PORT_FRONT, PROCESSOR_WOKEN, SIM_ENABLED}, {PROCESSOR_PORT_IRQ, 0, SIM_ENABLED}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sim_msg msg = {.port = (uint16_t)cases[i].port, .kind = (uint16_t)cases[i].kind};
    assert_int_equal(processor_enabled(test_engine(), CPU, &msg), cases[i].when);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_a_thread_goes_on_from_is_kept),
      cmocka_unit_test(what_a_thread_does_not_go_on_from_is_not_kept),
      cmocka_unit_test(of_interrupted_work_it_is_kept_that_there_is_some),
      cmocka_unit_test(what_a_processor_goes_on_from_is_kept),
      cmocka_unit_test(a_timer_that_is_read_back_begins_now),
      cmocka_unit_test(what_is_kept_has_room_for_loops_that_are_open_only),
      cmocka_unit_test(what_takes_no_time_is_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
