#include "parts/cpu/processor/processor.h"

static void processor_advance(sim *m, uint32_t self);

#include "parts/cpu/processor/threads.c"
#include "parts/cpu/processor/access.c"
#include "parts/cpu/processor/memory.c"
#include "parts/cpu/processor/steps.c"

/* Runs the current thread, or the next one, until time must pass. */
static void processor_advance(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  while (!s->timing && !s->bus_wait) {
    if (s->irqs && !s->held && s->current != s->thread_count) {
      enter_handler(m, self);
      continue;
    }
    if (s->current == NOBODY) {
      if (!dispatch(m, self)) return;
      continue;
    }
    thread *t = &cpu_threads(m, s)[s->current];
    if (s->current == s->thread_count) {
      step_handler(m, self, t);
    } else if (t->stage == STAGE_SWITCH) { /* the switch away from this thread is complete */
      t->stage = STAGE_GO;
      s->held = 0;
      s->current = NOBODY;
    } else if (!s->held && t->service == 0 && (outranked(m, s) || quantum_expired(m, self))) {
      suspend(m, self);
    } else {
      step_row(m, self, t);
    }
  }
}

/* A word has arrived for the running thread: keep it and check whether it is the newest. */
static void take_data(sim *m, uint32_t self, thread *t, const struct front_data *q) {
  row *r = &cpu_rows(m, SIM_STATE(m, self, processor))[t->row];
  uint32_t write = q->write;
  sim_trace(m, self, PROCESSOR_EV_LOADED, r->from + t->done, write, 0);
  if (q->newest > write) {
    SIM_COUNTERS(m, self, processor)->stale_reads++;
    sim_trace(m, self, PROCESSOR_EV_STALE, r->from + t->done, write, q->newest);
  }
  struct front_observe keep = {.address = r->to + t->done, .bytes = (uint32_t)r->width, .set = 1, .writes = &write};
  call_front_observe(m, self, PROCESSOR_PORT_FRONT, &keep);
  t->done += r->width;
  t->stage = STAGE_GO;
}

static void processor_front_data(sim *m, uint32_t self, const struct front_data *q) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  thread *t = &cpu_threads(m, s)[s->current];
  s->bus_wait = 0;
  t->value = q->value;
  SIM_COUNTERS(m, self, processor)->loads++;
  if (t->stage == STAGE_LOAD) take_data(m, self, t, q);
  processor_advance(m, self);
}

static void processor_front_filled(sim *m, uint32_t self, const struct front_filled *q) {
  (void)q;
  SIM_STATE(m, self, processor)->bus_wait = 0;
  processor_advance(m, self);
}

/* There is room for a store; a rejected one is posted now. */
static void processor_front_room(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  thread *t = &cpu_threads(m, s)[s->current];
  s->bus_wait = 0;
  if (t->stage == STAGE_STORE) {
    row *r = &cpu_rows(m, s)[t->row];
    struct front_post store = {.address = r->to + t->done - r->width, .bytes = (uint32_t)r->width, .write = (uint32_t)s->step_value};
    if (t->service) store = (struct front_post){.address = s->step_addr, .value = s->step_value, .bytes = 4};
    else if (r->do_ == PROCESSOR_OP_IO_STORE) store = (struct front_post){.address = r->to, .value = r->count, .bytes = 4};
    post(m, self, t, &store, SIM_PARAMS(m, self, processor)->store_time, PROCESSOR_STATE_STORE, PROCESSOR_STATE_STALL, STAGE_GO);
  }
  processor_advance(m, self);
}

static void processor_irq_raise(sim *m, uint32_t self, uint32_t line, const struct irq_raise *q) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  if (q->first && sim_wired(m, self, PROCESSOR_PORT_CACHE) && !sim_exploring(m)) {
    s->announced = 1;
    call_cache_interrupted(m, self, PROCESSOR_PORT_CACHE, &(struct cache_interrupted){.first = q->first, .last = (uint32_t)q->last});
  }
  s->irqs |= 1u << line;
  if (s->timing && !s->held && s->current != s->thread_count) enter_handler(m, self);
  processor_advance(m, self);
}

static void processor_self(sim *m, uint32_t self, const sim_msg *msg) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  if (msg->kind != PROCESSOR_WOKEN) s->timing = 0;
  processor_advance(m, self);
}

static void processor_os_wake(sim *m, uint32_t self, struct os_wake *q) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  if (q->thread > s->thread_count) return;
  int spins = s->bus_wait == BUS_SPIN && s->current == q->thread;
  if (spins) s->bus_wait = 0;
  else if (q->thread < s->thread_count) make_ready(m, self, q->thread);
  if (spins || s->current == NOBODY) sim_schedule(m, self, 0, SIM_PHASE_REQUEST, PROCESSOR_WOKEN); /* another processor wakes it */
}

static uint32_t processor_os_priority(sim *m, uint32_t self, struct os_priority *q) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  if (q->thread > s->thread_count) return 0;
  thread *t = &cpu_threads(m, s)[q->thread];
  uint32_t had = t->priority;
  if (!q->set) return had;
  t->priority = q->priority;
  s->woken = 1; /* another thread may now have a higher priority than the running one */
  return had;
}

static void processor_os_preempt(sim *m, uint32_t self) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  s->irqs |= 1u << PREEMPT_LINE;
  if (!s->held && !s->bus_wait && s->current != s->thread_count) enter_handler(m, self);
}

/* The first unwired port that an operation needs; -1 if all are wired. */
static int unwired_port(sim *m, uint32_t self, uint32_t op) {
  if (op == PROCESSOR_OP_UNTIL) return -1;
  int pio = op == PROCESSOR_OP_PIO_READ || op == PROCESSOR_OP_IO_STORE || op == PROCESSOR_OP_IO_LOAD;
  int both = op == PROCESSOR_OP_PIO_WRITE;
  int cached = !pio && (op == PROCESSOR_OP_COPY_WRITE || op == PROCESSOR_OP_COPY_READ || op == PROCESSOR_OP_PROCESS || op >= PROCESSOR_OP_LOAD);
  if (op >= PROCESSOR_OP_OWN) return sim_wired(m, self, PROCESSOR_PORT_OS) ? -1 : PROCESSOR_PORT_OS;
  if ((pio || both) && !sim_wired(m, self, PROCESSOR_PORT_FRONT)) return PROCESSOR_PORT_FRONT;
  return (cached || both) && !sim_wired(m, self, PROCESSOR_PORT_CACHE) ? PROCESSOR_PORT_CACHE : -1;
}

/* Whether a row can be executed; otherwise the reason against it. */
static int check_row(sim *m, uint32_t self, row *r) {
  uint64_t width = r->width;
  uint32_t op = (uint32_t)r->do_;
  int access = op == PROCESSOR_OP_PIO_WRITE || op == PROCESSOR_OP_PIO_READ;
  if (op >= PROCESSOR_OP_ALL || bad_access(r) || r->bytes > 1u << 30) return SIM_BAD_ROW;
  if (access && ((width != 1 && width != 2 && width != 4) || r->bytes % width)) return SIM_BAD_ROW;
  int port = unwired_port(m, self, op);
  if (port >= 0) return sim_refuse(m, SIM_UNWIRED, self, (uint32_t)port);
  if (op >= PROCESSOR_OP_OWN) {
    struct arguments given = arguments_of(r);
    return (int)call_os_validate_row(m, self, PROCESSOR_PORT_OS, &(struct os_validate_row){.operation = op, .arguments = given.words});
  }
  if ((op == PROCESSOR_OP_LAP || op == PROCESSOR_OP_LAP_END) && r->tag > 1) return SIM_BAD_ROW;
  return (op == PROCESSOR_OP_SIGNAL || op == PROCESSOR_OP_WAIT) && r->tag >= SEMAPHORES ? SIM_BAD_ROW : SIM_OK;
}

/* Rejects rows that cannot be executed; counts threads and checks that loops close. */
static int check_rows(sim *m, uint32_t self, struct processor_state *s) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < s->rows; i++) {
    row *r = &cpu_rows(m, s)[i];
    int error = check_row(m, self, r);
    if (error) return sim_refuse(m, error, self, i);
    if (r->do_ == PROCESSOR_OP_REPEAT && ++depth > PROCESSOR_PROGRAM_LOOPS) return sim_refuse(m, SIM_BAD_ROW, self, i);
    if (r->do_ == PROCESSOR_OP_AGAIN && depth-- == 0) return sim_refuse(m, SIM_BAD_ROW, self, i);
    if ((r->do_ == PROCESSOR_OP_THREAD || r->do_ == PROCESSOR_OP_END) && depth) return sim_refuse(m, SIM_BAD_ROW, self, i);
    if (r->do_ == PROCESSOR_OP_THREAD && i > 0) s->thread_count++;
  }
  if (s->thread_count > PROCESSOR_PROGRAM_THREADS) return sim_refuse(m, SIM_TOO_MANY, self, PROCESSOR_PROGRAM_THREADS);
  return depth || s->rows == 0 || cpu_rows(m, s)[s->rows - 1].do_ != PROCESSOR_OP_END ? sim_refuse(m, SIM_BAD_ROW, self, s->rows) : SIM_OK;
}

static void set_threads(sim *m, struct processor_state *s) {
  uint32_t index = 0;
  for (uint32_t i = 0; i < s->rows; i++) {
    row *r = &cpu_rows(m, s)[i];
    if (i > 0 && r->do_ != PROCESSOR_OP_THREAD) continue;
    thread *t = &cpu_threads(m, s)[index++];
    t->row = t->first = i + (r->do_ == PROCESSOR_OP_THREAD);
    t->priority = r->do_ == PROCESSOR_OP_THREAD ? (uint32_t)r->count : 0;
    t->status = PROCESSOR_THREAD_READY;
  }
}

static int processor_load(sim *m, uint32_t self) {
  struct processor_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  struct sim_table *table = sim_table(m, self, PROCESSOR_TABLE_PROGRAM);
  s->rows_at = table->at;
  s->rows = table->rows;
  s->thread_count = 1;
  int error = check_rows(m, self, s);
  if (error) return error;
  void *now = sim_view(m, self, PROCESSOR_VIEW_NOW, 1, sizeof(struct processor_now));
  void *threads = sim_view(m, self, PROCESSOR_VIEW_THREADS, s->thread_count + 1, sizeof(thread));
  void *semaphores = sim_view(m, self, PROCESSOR_VIEW_SEMAPHORES, SEMAPHORES, sizeof(struct processor_semaphores));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->threads_at = sim_offset(m, threads);
  s->semaphores_at = sim_offset(m, semaphores);
  s->current = s->resumed = NOBODY;
  s->loop_time = SIM_NEVER;
  s->last_picked = s->thread_count - 1;
  set_threads(m, s);
  sim_schedule(m, self, 0, SIM_PHASE_REQUEST, PROCESSOR_START);
  return SIM_OK;
}

#include "parts/cpu/processor/state.c"
