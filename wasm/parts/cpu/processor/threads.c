/* Time, states and threads of a processor: timers, scheduling, interrupts, semaphores. */
#include "parts/cpu/processor/processor.h"

/* Adds the time since the last change to the counter of the present state. */
static inline void account(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  struct processor_now *now = sim_at(m, s->now_at);
  uint64_t spent = m->time - now->since;
  now->since = m->time;
  if (now->state == PROCESSOR_STATE_IDLE) return;
  (&SIM_COUNTERS(m, self, processor)->in_work)[now->state - 1] += spent;
  s->busy += spent;
}

static inline void set_state(sim *m, uint32_t self, uint32_t state) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  struct processor_now *now = sim_at(m, s->now_at);
  uint32_t who = s->current == NOBODY ? s->thread_count : s->current;
  if (now->state == state && now->thread == who) return;
  account(m, self);
  now->state = state;
  now->thread = who;
  sim_trace_often(m, self, PROCESSOR_EV_STATE, 0, state, who);
}

/* Runs the current thread's `stage` again after `time`. */
static inline void spend(sim *m, uint32_t self, thread *t, uint64_t time, uint32_t state, uint32_t stage) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  t->stage = stage;
  t->state = state;
  set_state(m, self, state);
  s->timing = 1;
  s->timer_end = m->time + time;
  s->timer = sim_schedule(m, self, time, SIM_PHASE_REQUEST, PROCESSOR_TIMER);
}

/* Scales a time given for the nominal clock to the processor's own. Clocks whose product exceeds 64 bits are
   compared in coarser units than hertz. */
static inline uint64_t at_clock(sim *m, uint32_t self, uint64_t time) {
  const struct processor_params *q = SIM_PARAMS(m, self, processor);
  uint64_t clock = q->clock, nominal = q->nominal_clock;
  if (clock == nominal || clock == 0 || nominal == 0) return time;
  for (; clock > UINT64_MAX / nominal; clock /= 2) nominal /= 2;
  return time / clock * nominal + time % clock * nominal / clock;
}

/* The same for the processor's own work, scaled by its clock. */
static inline void work(sim *m, uint32_t self, thread *t, uint64_t time, uint32_t state, uint32_t stage) { spend(m, self, t, at_clock(m, self, time), state, stage); }

static void make_ready(sim *m, uint32_t self, uint32_t index) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  thread *t = &cpu_threads(m, s)[index];
  t->status = PROCESSOR_THREAD_READY;
  t->ready_since = m->time;
  s->woken = 1;
  sim_trace(m, self, PROCESSOR_EV_READY, 0, index, 0);
}

/* Wakes the first thread that waits for the semaphore, or increments it. */
static void semaphore_signal(sim *m, uint32_t self, uint32_t tag) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  struct processor_semaphores *semaphore = (struct processor_semaphores *)sim_at(m, s->semaphores_at) + tag;
  thread *threads = cpu_threads(m, s);
  for (uint32_t i = 0; i < s->thread_count; i++)
    if (threads[i].status == PROCESSOR_THREAD_WAITS && cpu_rows(m, s)[threads[i].row].tag == tag) {
      threads[i].row++;
      threads[i].stage = STAGE_BEGIN;
      make_ready(m, self, i);
      return;
    }
  semaphore->value++;
}

/* The ready thread of highest priority; among equals the next in round-robin order. NOBODY if none. */
static uint32_t pick(sim *m, struct processor_state *s) {
  thread *threads = cpu_threads(m, s);
  uint32_t best = NOBODY;
  for (uint32_t k = 1; k <= s->thread_count; k++) {
    uint32_t i = (s->last_picked + k) % s->thread_count;
    if (threads[i].status == PROCESSOR_THREAD_READY && (best == NOBODY || threads[i].priority > threads[best].priority)) best = i;
  }
  return best;
}

/* Gives the processor to a ready thread; returns 0 if there is none. */
static int dispatch(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  uint32_t next = pick(m, s);
  if (next == NOBODY) {
    set_state(m, self, PROCESSOR_STATE_IDLE);
    return 0;
  }
  thread *t = &cpu_threads(m, s)[next];
  s->current = s->last_picked = next;
  s->slice_start = m->time;
  t->status = PROCESSOR_THREAD_RUNNING;
  if (t->remaining > 0) { /* interrupted during a timer */
    uint64_t left = t->remaining;
    t->remaining = 0;
    spend(m, self, t, left, t->state, t->stage);
  } else if (t->done == 0 && t->stage == STAGE_BEGIN && t->row == t->first) {
    return 1; /* a thread's first step: it is already set up */
  } else {
    work(m, self, t, SIM_PARAMS(m, self, processor)->wake_time, PROCESSOR_STATE_WAKE, t->stage);
  }
  return 1;
}

/* Makes the running thread ready again; a timer in progress is kept for later. */
static void suspend(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  thread *t = &cpu_threads(m, s)[s->current];
  if (s->timing) {
    t->remaining = s->timer_end - m->time;
    s->timing = 0;
    sim_cancel(m, s->timer);
  }
  t->status = PROCESSOR_THREAD_READY;
  s->current = NOBODY;
}

static void enter_handler(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  uint32_t source = (uint32_t)__builtin_ctz(s->irqs);
  s->irqs &= ~(1u << source);
  s->source = source;
  s->resumed = s->current;
  if (s->current != NOBODY) suspend(m, self);
  s->current = s->thread_count;
  thread *t = &cpu_threads(m, s)[s->current];
  t->service = 0;
  t->status = PROCESSOR_THREAD_RUNNING;
  SIM_COUNTERS(m, self, processor)->interrupts++;
  sim_trace(m, self, PROCESSOR_EV_INTERRUPTED, 0, source, 0);
  work(m, self, t, SIM_PARAMS(m, self, processor)->interrupt_time, PROCESSOR_STATE_INTERRUPT, STAGE_GO);
}

/* After the handler the interrupted thread continues, unless one of higher priority has become ready. */
static void leave_handler(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  thread *threads = cpu_threads(m, s);
  threads[s->thread_count].status = PROCESSOR_THREAD_OVER;
  s->current = NOBODY;
  uint32_t next = pick(m, s);
  if (s->resumed == NOBODY || threads[next].priority > threads[s->resumed].priority) return;
  thread *t = &threads[s->resumed];
  s->current = s->resumed;
  t->status = PROCESSOR_THREAD_RUNNING;
  if (t->remaining > 0) {
    uint64_t left = t->remaining;
    t->remaining = 0;
    spend(m, self, t, left, t->state, t->stage);
  }
}

/* The running thread gives up the processor; the switch takes time with interrupts disabled. */
static void block(sim *m, uint32_t self, thread *t, uint32_t status) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  SIM_COUNTERS(m, self, processor)->switches++;
  sim_trace(m, self, PROCESSOR_EV_BLOCKED, 0, s->current, 0);
  t->status = status;
  s->held = 1;
  work(m, self, t, SIM_PARAMS(m, self, processor)->switch_time, PROCESSOR_STATE_SWITCH, STAGE_SWITCH);
}

/* A thread of higher priority has become ready. */
static int outranked(sim *m, struct processor_state *s) {
  if (!s->woken) return 0;
  s->woken = 0;
  uint32_t next = pick(m, s);
  return next != NOBODY && cpu_threads(m, s)[next].priority > cpu_threads(m, s)[s->current].priority;
}

/* Another thread of at least this priority is ready and the slice is used up. */
static int quantum_expired(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  if (s->thread_count == 1 || m->time - s->slice_start < SIM_PARAMS(m, self, processor)->quantum) return 0;
  uint32_t next = pick(m, s);
  return next != NOBODY && cpu_threads(m, s)[next].priority >= cpu_threads(m, s)[s->current].priority;
}
