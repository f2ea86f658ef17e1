/*
 * The processor's state for exploration (core/state_codec.h). Times are meaningless in exploration mode: of
 * an interrupted timer only its existence is kept.
 */
#include "core/state_codec.h"
#include "parts/cpu/processor/processor.h"

#define TIMER_PENDING 1000000000000ull

/* Wake-ups and completed fetches are handled at once; a timer can end at any time, and an interrupt can be
   delayed on its wire. */
static uint32_t processor_enabled(sim *m, struct processor *cpu, const sim_msg *msg) {
  (void)m;
  (void)cpu->self;
  if (msg->port == PROCESSOR_PORT_CACHE) return SIM_INVISIBLE;
  return msg->port == SIM_PORT_SELF && msg->kind != PROCESSOR_TIMER ? SIM_INVISIBLE : SIM_ENABLED;
}

static void thread_serialize(struct sim_codec *k, thread *t) {
  uint32_t rest = t->remaining > 0;
  sim_codec_u8(k, &t->status);
  sim_codec_u16(k, &t->row);
  uint32_t *small[] = {
      &t->priority, &t->depth, &t->dirty, &t->stage, &t->service, &t->fills, &t->delegated, &rest};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  t->remaining = rest ? TIMER_PENDING : 0;
  sim_codec_u32(k, &t->spare);
  sim_codec_u64(k, &t->done);
  sim_codec_u64(k, &t->value);
  for (uint32_t i = 0; i < t->depth; i++) {
    sim_codec_u16(k, &t->loop_row_0 + i);
    sim_codec_u64(k, &t->loop_left_0 + i);
  }
}

/* NOBODY is encoded as 0. */
static void running_thread_serialize(struct sim_codec *k, uint32_t *who) {
  uint32_t number = *who + 1;
  sim_codec_u8(k, &number);
  *who = number - 1;
}

static void processor_serialize(sim *m, struct processor *cpu, struct sim_codec *k) {
  if (cpu->state->current != cpu->state->thread_count)
    cpu->state->resumed = NOBODY, cpu->state->source = 0; /* both belong to the handler */
  running_thread_serialize(k, &cpu->state->current);
  running_thread_serialize(k, &cpu->state->resumed);
  uint32_t *small[] = {&cpu->state->timing, &cpu->state->held, &cpu->state->bus_wait, &cpu->state->source,
      &cpu->state->last_picked, &cpu->state->woken};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  sim_codec_u32(k, &cpu->state->irqs);
  for (uint32_t i = 0; i <= cpu->state->thread_count; i++)
    thread_serialize(k, &cpu_threads(m, cpu->state)[i]);
  struct processor_semaphores *semaphores = sim_at(m, cpu->state->semaphores_at);
  for (uint32_t i = 0; i < SEMAPHORES; i++) sim_codec_u8(k, &semaphores[i].value);
  if (!k->reading) return;
  cpu->state->slice_start = m->time;
  cpu->state->timer_end = m->time + TIMER_PENDING;
  cpu->state->loop_time = SIM_NEVER;
  if (cpu->state->timing) cpu->state->timer = sim_pending_write_class(m, cpu->self, PROCESSOR_TIMER);
}
