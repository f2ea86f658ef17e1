#include "parts/cpu/processor/processor.h"

static void processor_advance(sim *m, struct processor *cpu);

#include "parts/cpu/processor/threads.c"
#include "parts/cpu/processor/access.c"
#include "parts/cpu/processor/memory.c"
#include "parts/cpu/processor/steps.c"

/* Runs the current thread, or the next one, until time must pass. */
static void processor_advance(sim *m, struct processor *cpu) {
  while (!cpu->state->timing && !cpu->state->bus_wait) {
    if (cpu->state->irqs && !cpu->state->held && cpu->state->current != cpu->state->thread_count) {
      enter_handler(m, cpu);
      continue;
    }
    if (cpu->state->current == NOBODY) {
      if (!dispatch(m, cpu)) return;
      continue;
    }
    thread *t = &cpu_threads(m, cpu->state)[cpu->state->current];
    if (cpu->state->current == cpu->state->thread_count) {
      step_handler(m, cpu, t);
    } else if (t->stage == STAGE_SWITCH) { /* the switch away from this thread is complete */
      t->stage = STAGE_GO;
      cpu->state->held = 0;
      cpu->state->current = NOBODY;
    } else if (!cpu->state->held && t->service == 0 && (outranked(m, cpu) || quantum_expired(m, cpu))) {
      suspend(m, cpu);
    } else {
      step_row(m, cpu, t);
    }
  }
}

/* A word has arrived for the running thread: keep it and check whether it is the newest. */
static void take_data(sim *m, struct processor *cpu, thread *t, const struct front_data *q) {
  row *r = &cpu_rows(m, cpu->state)[t->row];
  uint32_t write = q->write;
  sim_trace(m, cpu->self, PROCESSOR_EV_LOADED, r->from + t->done, write, 0);
  if (q->newest > write) {
    cpu->counters->stale_reads++;
    sim_trace(m, cpu->self, PROCESSOR_EV_STALE, r->from + t->done, write, q->newest);
  }
  struct front_observe keep = {
      .address = r->to + t->done, .bytes = (uint32_t)r->width, .set = 1, .writes = &write};
  call_front_observe(m, cpu->self, PROCESSOR_PORT_FRONT, &keep);
  t->done += r->width;
  t->stage = STAGE_GO;
}

static void processor_front_data(sim *m, struct processor *cpu, const struct front_data *q) {
  thread *t = &cpu_threads(m, cpu->state)[cpu->state->current];
  cpu->state->bus_wait = 0;
  t->value = q->value;
  cpu->counters->loads++;
  if (t->stage == STAGE_LOAD) take_data(m, cpu, t, q);
  processor_advance(m, cpu);
}

static void processor_front_filled(sim *m, struct processor *cpu, const struct front_filled *q) {
  cpu->state->bus_wait = 0;
  if (cpu->state->announced) observe_filled(m, cpu, q->address);
  processor_advance(m, cpu);
}

/* There is room for a store; a rejected one is posted now. */
static void processor_front_room(sim *m, struct processor *cpu) {
  thread *t = &cpu_threads(m, cpu->state)[cpu->state->current];
  cpu->state->bus_wait = 0;
  if (t->stage == STAGE_STORE) {
    row *r = &cpu_rows(m, cpu->state)[t->row];
    struct front_post store = {.address = r->to + t->done - r->width,
        .bytes = (uint32_t)r->width,
        .write = (uint32_t)cpu->state->step_value};
    if (t->service)
      store =
          (struct front_post){.address = cpu->state->step_addr, .value = cpu->state->step_value, .bytes = 4};
    else if (r->do_ == PROCESSOR_OP_IO_STORE)
      store = (struct front_post){.address = r->to, .value = r->count, .bytes = 4};
    post(m, cpu, t, &store, cpu->params->store_time, PROCESSOR_STATE_STORE, PROCESSOR_STATE_STALL, STAGE_GO);
  }
  processor_advance(m, cpu);
}

static void processor_irq_restarted(sim *m, struct processor *cpu, uint32_t line, struct irq_restarted *q) {
  (void)line;
  if (!cpu->state->announced) return;
  observe_interrupt(
      m, cpu, &(struct cache_interrupted){.first = q->first, .next = q->next, .next_last = q->next_last});
}

static void processor_irq_raise(sim *m, struct processor *cpu, uint32_t line, const struct irq_raise *q) {
  if (q->first && !sim_exploring(m)) {
    cpu->state->announced = 1;
    observe_interrupt(m, cpu, &(struct cache_interrupted){.first = q->first, .last = (uint32_t)q->last});
  }
  cpu->state->irqs |= 1u << line;
  if (cpu->state->timing && !cpu->state->held && cpu->state->current != cpu->state->thread_count)
    enter_handler(m, cpu);
  processor_advance(m, cpu);
}

static void processor_self(sim *m, struct processor *cpu, const sim_msg *msg) {
  if (msg->kind != PROCESSOR_WOKEN) cpu->state->timing = 0;
  processor_advance(m, cpu);
}

static void processor_os_wake(sim *m, struct processor *cpu, struct os_wake *q) {
  if (q->thread > cpu->state->thread_count) return;
  int spins = cpu->state->bus_wait == BUS_SPIN && cpu->state->current == q->thread;
  if (spins) cpu->state->bus_wait = 0;
  else if (q->thread < cpu->state->thread_count) make_ready(m, cpu, q->thread);
  if (spins || cpu->state->current == NOBODY)
    sim_schedule(m, cpu->self, 0, SIM_PHASE_REQUEST, PROCESSOR_WOKEN); /* another processor wakes it */
}

static uint32_t processor_os_priority(sim *m, struct processor *cpu, struct os_priority *q) {
  if (q->thread > cpu->state->thread_count) return 0;
  thread *t = &cpu_threads(m, cpu->state)[q->thread];
  uint32_t had = t->priority;
  if (!q->set) return had;
  t->priority = q->priority;
  cpu->state->woken = 1; /* another thread may now have a higher priority than the running one */
  return had;
}

static void processor_os_preempt(sim *m, struct processor *cpu) {
  cpu->state->irqs |= 1u << PREEMPT_LINE;
  if (!cpu->state->held && !cpu->state->bus_wait && cpu->state->current != cpu->state->thread_count)
    enter_handler(m, cpu);
}

/* The first unwired port that an operation needs; -1 if all are wired. */
static int unwired_port(sim *m, struct processor *cpu, uint32_t op) {
  if (op == PROCESSOR_OP_UNTIL) return -1;
  int pio = op == PROCESSOR_OP_PIO_READ || op == PROCESSOR_OP_IO_STORE || op == PROCESSOR_OP_IO_LOAD;
  int both = op == PROCESSOR_OP_PIO_WRITE;
  int cached = !pio
               && (op == PROCESSOR_OP_COPY_WRITE || op == PROCESSOR_OP_COPY_READ || op == PROCESSOR_OP_PROCESS
                   || op >= PROCESSOR_OP_LOAD);
  if (op >= PROCESSOR_OP_OWN) return sim_wired(m, cpu->self, PROCESSOR_PORT_OS) ? -1 : PROCESSOR_PORT_OS;
  if ((pio || both) && !sim_wired(m, cpu->self, PROCESSOR_PORT_FRONT)) return PROCESSOR_PORT_FRONT;
  return (cached || both) && !sim_wired(m, cpu->self, PROCESSOR_PORT_CACHE) ? PROCESSOR_PORT_CACHE : -1;
}

/* Whether a row can be executed; otherwise the reason against it. */
static int check_row(sim *m, struct processor *cpu, row *r) {
  uint64_t width = r->width;
  uint32_t op = (uint32_t)r->do_;
  int access = op == PROCESSOR_OP_PIO_WRITE || op == PROCESSOR_OP_PIO_READ;
  if (op >= PROCESSOR_OP_ALL || bad_access(r) || r->bytes > 1u << 30) return SIM_BAD_ROW;
  if (access && ((width != 1 && width != 2 && width != 4) || r->bytes % width)) return SIM_BAD_ROW;
  int port = unwired_port(m, cpu, op);
  if (port >= 0) return sim_refuse(m, SIM_UNWIRED, cpu->self, (uint32_t)port);
  if (op >= PROCESSOR_OP_OWN) {
    struct arguments given = arguments_of(r);
    return (int)call_os_validate_row(m, cpu->self, PROCESSOR_PORT_OS,
        &(struct os_validate_row){.operation = op, .arguments = given.words});
  }
  if ((op == PROCESSOR_OP_LAP || op == PROCESSOR_OP_LAP_END) && r->tag > 1) return SIM_BAD_ROW;
  return (op == PROCESSOR_OP_SIGNAL || op == PROCESSOR_OP_WAIT) && r->tag >= SEMAPHORES ? SIM_BAD_ROW
                                                                                        : SIM_OK;
}

/* Rejects rows that cannot be executed; counts threads and checks that loops close. */
static int check_rows(sim *m, struct processor *cpu, struct processor_state *s) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < s->rows; i++) {
    row *r = &cpu_rows(m, s)[i];
    int error = check_row(m, cpu, r);
    if (error) return sim_refuse(m, error, cpu->self, i);
    if (r->do_ == PROCESSOR_OP_REPEAT && ++depth > PROCESSOR_PROGRAM_LOOPS)
      return sim_refuse(m, SIM_BAD_ROW, cpu->self, i);
    if (r->do_ == PROCESSOR_OP_AGAIN && depth-- == 0) return sim_refuse(m, SIM_BAD_ROW, cpu->self, i);
    if ((r->do_ == PROCESSOR_OP_THREAD || r->do_ == PROCESSOR_OP_END) && depth)
      return sim_refuse(m, SIM_BAD_ROW, cpu->self, i);
    if (r->do_ == PROCESSOR_OP_THREAD && i > 0) s->thread_count++;
  }
  if (s->thread_count > PROCESSOR_PROGRAM_THREADS)
    return sim_refuse(m, SIM_TOO_MANY, cpu->self, PROCESSOR_PROGRAM_THREADS);
  return depth || s->rows == 0 || cpu_rows(m, s)[s->rows - 1].do_ != PROCESSOR_OP_END
             ? sim_refuse(m, SIM_BAD_ROW, cpu->self, s->rows)
             : SIM_OK;
}

static void set_threads(sim *m, struct processor *cpu) {
  uint32_t index = 0;
  for (uint32_t i = 0; i < cpu->state->rows; i++) {
    row *r = &cpu_rows(m, cpu->state)[i];
    if (i > 0 && r->do_ != PROCESSOR_OP_THREAD) continue;
    thread *t = &cpu_threads(m, cpu->state)[index++];
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
  int error = check_rows(m, SIM_CONTEXT(m, self, processor), s);
  if (error) return error;
  void *now = sim_view(m, self, PROCESSOR_VIEW_NOW, 1, sizeof(struct processor_now));
  void *threads = sim_view(m, self, PROCESSOR_VIEW_THREADS, s->thread_count + 1, sizeof(thread));
  void *semaphores =
      sim_view(m, self, PROCESSOR_VIEW_SEMAPHORES, SEMAPHORES, sizeof(struct processor_semaphores));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->threads_at = sim_offset(m, threads);
  s->semaphores_at = sim_offset(m, semaphores);
  s->current = s->resumed = NOBODY;
  s->loop_time = SIM_NEVER;
  s->last_picked = s->thread_count - 1;
  set_threads(m, SIM_CONTEXT(m, self, processor));
  sim_schedule(m, self, 0, SIM_PHASE_REQUEST, PROCESSOR_START);
  return SIM_OK;
}

#include "parts/cpu/processor/state.c"
