/* Which state of a processor and its threads exploration serializes, and which of its messages are enabled or
 * invisible. */
#include "test/processor.h"

enum { THREADS = 2, HANDLER = THREADS };

/* Two threads: one works for 100 us, one waits for semaphore 2. */
static struct processor_state *at_work(void) {
  static const uint64_t program[] = {
      DO(SPEND, 100 * US, 0, 0), END_ROW, DO(THREAD, 0, 0, 0), DO(WAIT, 0, 0, 2), END_ROW};
  round_numbers();
  assert_int_equal(opened(ROWS(program)), SIM_OK);
  sim_run(test_engine(), 1 * US, SIM_NEVER);
  return STATE_OF("cpu", processor);
}

static uint32_t *upper(uint64_t *half) { return (uint32_t *)half + 1; }

/* Serializes the processor; returns the number of bytes. */
static uint32_t written(uint8_t *bytes) {
  struct sim_codec k = {.at = bytes};
  processor_serialize(OF(CPU, processor), &k);
  return (uint32_t)(k.at - bytes);
}

/* For each thread, the handler included: its position in the program and in the current access. With four
 * nested loops, every loop's row and count. */
TEST(all_state_that_a_thread_resumes_from_is_serialized) {
  struct processor_state *s = at_work();
  for (uint32_t i = 0; i <= HANDLER; i++) {
    thread *t = &cpu_threads(test_engine(), s)[i];
    t->depth = PROCESSOR_PROGRAM_LOOPS;
    KEEPS(CPU, &t->status, &t->row, &t->priority, &t->depth, &t->dirty, &t->stage, &t->service, &t->fills,
        &t->delegated, &t->spare, &t->done, upper(&t->done), &t->value, upper(&t->value));
    for (uint32_t depth = 0; depth < PROCESSOR_PROGRAM_LOOPS; depth++)
      KEEPS(CPU, &t->loop_row_0 + depth, &t->loop_left_0 + depth, upper(&t->loop_left_0 + depth));
  }
}

/* Loops that are over do not matter: with two nested loops only the first two are serialized. Nor do the
 * state's name, the thread's first row and the time since when it is ready. */
TEST(irrelevant_thread_state_is_not_serialized) {
  struct processor_state *s = at_work();
  for (uint32_t i = 0; i <= HANDLER; i++) {
    thread *t = &cpu_threads(test_engine(), s)[i];
    t->depth = 2;
    KEEPS(CPU, &t->loop_row_1, &t->loop_left_1);
    KEEPS_NOT(CPU, &t->loop_row_2, &t->loop_left_2, &t->loop_row_3, &t->loop_left_3, &t->first, &t->state,
        &t->ready_since);
  }
}

/* Two one-byte numbers and six more, a word of interrupts and 16 semaphores. Each thread takes 31 bytes, plus
 * 10 for each loop that it is in. */
TEST(only_open_loops_are_serialized) {
  struct processor_state *s = at_work();
  uint8_t bytes[CODEC_PART];
  for (uint32_t depth = 0; depth <= PROCESSOR_PROGRAM_LOOPS; depth++) {
    cpu_threads(test_engine(), s)[0].depth = depth;
    assert_int_equal(written(bytes), 2 + 6 + 4 + 16 + 3 * 31 + 10 * depth);
  }
}

/* Completions of the cache are invisible, and so are the start and a thread's wake-up. Timers, interrupts and
 * data from the bus may come at any time. */
TEST(messages_without_delay_are_invisible) {
  at_work();
  static const struct {
    uint32_t port, kind, when;
  } cases[] = {{PROCESSOR_PORT_CACHE, 0, SIM_INVISIBLE},
      {PROCESSOR_PORT_CACHE, PROCESSOR_TIMER, SIM_INVISIBLE}, {SIM_PORT_SELF, PROCESSOR_START, SIM_INVISIBLE},
      {SIM_PORT_SELF, PROCESSOR_WOKEN, SIM_INVISIBLE}, {SIM_PORT_SELF, PROCESSOR_TIMER, SIM_ENABLED},
      {PROCESSOR_PORT_FRONT, 0, SIM_ENABLED}, {PROCESSOR_PORT_FRONT, PROCESSOR_TIMER, SIM_ENABLED},
      {PROCESSOR_PORT_FRONT, PROCESSOR_WOKEN, SIM_ENABLED}, {PROCESSOR_PORT_IRQ, 0, SIM_ENABLED}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sim_msg msg = {.port = (uint16_t)cases[i].port, .kind = (uint16_t)cases[i].kind};
    assert_int_equal(processor_enabled(OF(CPU, processor), &msg), cases[i].when);
  }
}
