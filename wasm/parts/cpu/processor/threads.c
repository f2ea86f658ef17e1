/* Time, states and threads of a processor: timers, scheduling, interrupts, semaphores. */
#include "parts/cpu/processor/processor.h"

/* Adds the time since the last change to the counter of the present state. */
static inline void account(sim *m, struct processor *cpu) {
  struct processor_now *now = sim_at(m, cpu->state->now_at);
  uint64_t spent = m->time - now->since;
  now->since = m->time;
  if (now->state == PROCESSOR_STATE_IDLE) return;
  (&cpu->counters->in_work)[now->state - 1] += spent;
  cpu->state->busy += spent;
}

static inline void set_state(sim *m, struct processor *cpu, uint32_t state) {
  struct processor_now *now = sim_at(m, cpu->state->now_at);
  uint32_t who = cpu->state->current == NOBODY ? cpu->state->thread_count : cpu->state->current;
  if (now->state == state && now->thread == who) return;
  account(m, cpu);
  now->state = state;
  now->thread = who;
  sim_trace_often(m, cpu->self, PROCESSOR_EV_STATE, 0, state, who);
}

/* Runs the current thread's `stage` again after `time`. Inlined, for the accesses of a program. */
SIM_INLINE void spend_often(
    sim *m, struct processor *cpu, thread *t, uint64_t time, uint32_t state, uint32_t stage) {
  t->stage = stage;
  t->state = state;
  set_state(m, cpu, state);
  cpu->state->timing = 1;
  cpu->state->timer_end = m->time + time;
  cpu->state->timer = sim_schedule_often(m, cpu->self, time, SIM_PHASE_REQUEST, PROCESSOR_TIMER);
}

static void spend(sim *m, struct processor *cpu, thread *t, uint64_t time, uint32_t state, uint32_t stage) {
  spend_often(m, cpu, t, time, state, stage);
}

/* Scales a time given for the nominal clock to the processor's own. Clocks whose product exceeds 64 bits are
   compared in coarser units than hertz. */
static inline uint64_t at_clock(struct processor *cpu, uint64_t time) {
  uint64_t clock = cpu->params->clock, nominal = cpu->params->nominal_clock;
  if (clock == nominal || clock == 0 || nominal == 0) return time;
  for (; clock > UINT64_MAX / nominal; clock /= 2) nominal /= 2;
  return time / clock * nominal + time % clock * nominal / clock;
}

/* The same for the processor's own work, scaled by its clock. */
static inline void work(
    sim *m, struct processor *cpu, thread *t, uint64_t time, uint32_t state, uint32_t stage) {
  spend(m, cpu, t, at_clock(cpu, time), state, stage);
}

static void make_ready(sim *m, struct processor *cpu, uint32_t index) {
  thread *t = &cpu_threads(m, cpu->state)[index];
  t->status = PROCESSOR_THREAD_READY;
  t->ready_since = m->time;
  cpu->state->woken = 1;
  sim_trace(m, cpu->self, PROCESSOR_EV_READY, 0, index, 0);
}

/* Wakes the first thread that waits for the semaphore, or increments it. */
static void semaphore_signal(sim *m, struct processor *cpu, uint32_t tag) {
  struct processor_semaphores *semaphore =
      (struct processor_semaphores *)sim_at(m, cpu->state->semaphores_at) + tag;
  thread *threads = cpu_threads(m, cpu->state);
  for (uint32_t i = 0; i < cpu->state->thread_count; i++)
    if (threads[i].status == PROCESSOR_THREAD_WAITS && cpu_rows(m, cpu->state)[threads[i].row].tag == tag) {
      threads[i].row++;
      threads[i].stage = STAGE_BEGIN;
      make_ready(m, cpu, i);
      return;
    }
  semaphore->value++;
}

/* The ready thread of highest priority; among equals the next in round-robin order. NOBODY if none. */
static uint32_t pick(sim *m, struct processor *cpu) {
  thread *threads = cpu_threads(m, cpu->state);
  uint32_t best = NOBODY;
  for (uint32_t k = 1; k <= cpu->state->thread_count; k++) {
    uint32_t i = (cpu->state->last_picked + k) % cpu->state->thread_count;
    if (threads[i].status == PROCESSOR_THREAD_READY
        && (best == NOBODY || threads[i].priority > threads[best].priority))
      best = i;
  }
  return best;
}

/* Gives the processor to a ready thread; returns 0 if there is none. */
static int dispatch(sim *m, struct processor *cpu) {
  uint32_t next = pick(m, cpu);
  if (next == NOBODY) {
    set_state(m, cpu, PROCESSOR_STATE_IDLE);
    return 0;
  }
  thread *t = &cpu_threads(m, cpu->state)[next];
  cpu->state->current = cpu->state->last_picked = next;
  cpu->state->slice_start = m->time;
  t->status = PROCESSOR_THREAD_RUNNING;
  if (t->remaining > 0) { /* interrupted during a timer */
    uint64_t left = t->remaining;
    t->remaining = 0;
    spend(m, cpu, t, left, t->state, t->stage);
  } else if (t->done == 0 && t->stage == STAGE_BEGIN && t->row == t->first) {
    return 1; /* a thread's first step: it is already set up */
  } else {
    work(m, cpu, t, cpu->params->wake_time, PROCESSOR_STATE_WAKE, t->stage);
  }
  return 1;
}

/* Makes the running thread ready again; a timer in progress is kept for later. */
static void suspend(sim *m, struct processor *cpu) {
  thread *t = &cpu_threads(m, cpu->state)[cpu->state->current];
  if (cpu->state->timing) {
    t->remaining = cpu->state->timer_end - m->time;
    cpu->state->timing = 0;
    sim_cancel(m, cpu->state->timer);
  }
  t->status = PROCESSOR_THREAD_READY;
  cpu->state->current = NOBODY;
}

static void enter_handler(sim *m, struct processor *cpu) {
  uint32_t source = (uint32_t)__builtin_ctz(cpu->state->irqs);
  cpu->state->irqs &= ~(1u << source);
  cpu->state->source = source;
  cpu->state->resumed = cpu->state->current;
  if (cpu->state->current != NOBODY) suspend(m, cpu);
  cpu->state->current = cpu->state->thread_count;
  thread *t = &cpu_threads(m, cpu->state)[cpu->state->current];
  t->service = 0;
  t->status = PROCESSOR_THREAD_RUNNING;
  cpu->counters->interrupts++;
  sim_trace(m, cpu->self, PROCESSOR_EV_INTERRUPTED, 0, source, 0);
  work(m, cpu, t, cpu->params->interrupt_time, PROCESSOR_STATE_INTERRUPT, STAGE_GO);
}

/* After the handler the interrupted thread continues, unless one of higher priority has become ready. */
static void leave_handler(sim *m, struct processor *cpu) {
  thread *threads = cpu_threads(m, cpu->state);
  threads[cpu->state->thread_count].status = PROCESSOR_THREAD_OVER;
  cpu->state->current = NOBODY;
  uint32_t next = pick(m, cpu);
  if (cpu->state->resumed == NOBODY || threads[next].priority > threads[cpu->state->resumed].priority) return;
  thread *t = &threads[cpu->state->resumed];
  cpu->state->current = cpu->state->resumed;
  t->status = PROCESSOR_THREAD_RUNNING;
  if (t->remaining > 0) {
    uint64_t left = t->remaining;
    t->remaining = 0;
    spend(m, cpu, t, left, t->state, t->stage);
  }
}

/* The running thread gives up the processor; the switch takes time with interrupts disabled. */
static void block(sim *m, struct processor *cpu, thread *t, uint32_t status) {
  cpu->counters->switches++;
  sim_trace(m, cpu->self, PROCESSOR_EV_BLOCKED, 0, cpu->state->current, 0);
  t->status = status;
  cpu->state->held = 1;
  work(m, cpu, t, cpu->params->switch_time, PROCESSOR_STATE_SWITCH, STAGE_SWITCH);
}

/* A thread of higher priority has become ready. */
static int outranked(sim *m, struct processor *cpu) {
  if (!cpu->state->woken) return 0;
  cpu->state->woken = 0;
  uint32_t next = pick(m, cpu);
  return next != NOBODY
         && cpu_threads(m, cpu->state)[next].priority
                > cpu_threads(m, cpu->state)[cpu->state->current].priority;
}

/* Another thread of at least this priority is ready and the slice is used up. */
static int quantum_expired(sim *m, struct processor *cpu) {
  if (cpu->state->thread_count == 1 || m->time - cpu->state->slice_start < cpu->params->quantum) return 0;
  uint32_t next = pick(m, cpu);
  return next != NOBODY
         && cpu_threads(m, cpu->state)[next].priority
                >= cpu_threads(m, cpu->state)[cpu->state->current].priority;
}
