/* Execution of a program's rows. */
#include "parts/cpu/processor/processor.h"

static void finish(sim *m, struct processor *cpu, thread *t, row *r) {
  sim_trace(
      m, cpu->self, r->bytes ? PROCESSOR_EV_DONE : PROCESSOR_EV_RETURN, r->bytes, (uint32_t)r->do_, t->row);
  next_row(t);
}

static void step_pio_write(sim *m, struct processor *cpu, thread *t, row *r) {
  if (t->done >= r->bytes) {
    finish(m, cpu, t, r);
    return;
  }
  uint64_t from = r->from + t->done;
  uint32_t dirty = 0;
  if (t->stage != STAGE_FILL && (from & (cpu->params->line - 1)) < r->width
      && misses(m, cpu, from, 0, &dirty)) {
    t->fills = MISSING_FROM;
    t->dirty = dirty;
    t->stage = STAGE_FILL;
    fetch(m, cpu, t, r, t->done);
    return;
  }
  if (cpu->state->announced) observe_load(m, cpu, r->from + t->done, r->width);
  struct front_post store = {
      .address = r->to + t->done, .bytes = (uint32_t)r->width, .write = sim_new_write(m)};
  cpu->counters->stores++;
  sim_trace(m, cpu->self, PROCESSOR_EV_STORE, store.address, store.bytes, store.write);
  t->done += r->width;
  cpu->state->step_value = store.write;
  post(m, cpu, t, &store, cpu->params->store_time, PROCESSOR_STATE_STORE, PROCESSOR_STATE_STALL, STAGE_GO);
}

static void step_pio_read(sim *m, struct processor *cpu, thread *t, row *r) {
  if (t->done >= r->bytes) {
    finish(m, cpu, t, r);
    return;
  }
  load(m, cpu, t, r->from + t->done, (uint32_t)r->width, PROCESSOR_STATE_LOAD, STAGE_LOAD);
}

static void step_stream(sim *m, struct processor *cpu, thread *t, row *r, uint32_t op) {
  if (t->fills) {
    fetch(m, cpu, t, r, t->done - 1);
    return;
  }
  if (t->done >= r->bytes) {
    finish(m, cpu, t, r);
    return;
  }
  if (op == PROCESSOR_OP_PROCESS) stream(m, cpu, t, r, 0, r->time, PROCESSOR_STATE_WORK, 0);
  else /* a single word needs no loop: it is copied while the call returns */
    stream(m, cpu, t, r, r->bytes <= 4 ? 0 : cpu->params->copy_word, 0, PROCESSOR_STATE_COPY, 1);
}

/* Time of a library call, once, before the call's own steps. */
static uint64_t call_time(const struct processor_params *q, uint32_t op) {
  switch (op) {
    case PROCESSOR_OP_PIO_WRITE: return q->pio_write_call;
    case PROCESSOR_OP_PIO_READ: return q->pio_read_call;
    case PROCESSOR_OP_COPY_WRITE: return q->copy_write_call;
    case PROCESSOR_OP_COPY_READ: return q->copy_read_call;
  }
  return 0;
}

static void step_transfer(sim *m, struct processor *cpu, thread *t, row *r, uint32_t op) {
  if (t->stage == STAGE_BEGIN) {
    sim_trace(m, cpu->self, PROCESSOR_EV_BEGIN, r->bytes, op, t->row);
    work(m, cpu, t, call_time(cpu->params, op), PROCESSOR_STATE_CALL, STAGE_GO);
    return;
  }
  if (op == PROCESSOR_OP_PIO_WRITE) step_pio_write(m, cpu, t, r);
  else if (op == PROCESSOR_OP_PIO_READ) step_pio_read(m, cpu, t, r);
  else step_stream(m, cpu, t, r, op);
}

/* Executes one step requested by a driver. */
static void do_service_step(
    sim *m, struct processor *cpu, thread *t, row *r, uint32_t step, const struct os_next *p) {
  switch (step) {
    case OS_STEP_COMPUTE:
      cpu->state->held = p->detail;
      work(m, cpu, t, p->value, p->state, STAGE_GO);
      return;
    case OS_STEP_STORE: {
      struct front_post store = {.address = p->address, .value = p->value, .bytes = 4};
      sim_trace(m, cpu->self, PROCESSOR_EV_STORE, p->address, 4, 0);
      cpu->state->step_addr = p->address;
      cpu->state->step_value = p->value;
      post(m, cpu, t, &store, cpu->params->store_time, p->state, PROCESSOR_STATE_STALL, STAGE_GO);
      return;
    }
    case OS_STEP_ACCESS: service_access(m, cpu, t, p); return;
    case OS_STEP_ACCESS_UNTIMED: service_touch(m, cpu, t, p); return;
    case OS_STEP_COPY_CHUNK: service_piece(m, cpu, t, p); return;
    case OS_STEP_LOAD: load(m, cpu, t, p->address, 4, p->state, STAGE_GO); return;
    case OS_STEP_BLOCK: block(m, cpu, t, PROCESSOR_THREAD_BLOCKED); return;
    case OS_STEP_SPIN:
      cpu->state->held = p->detail;
      cpu->state->bus_wait = BUS_SPIN;
      t->stage = STAGE_GO;
      set_state(m, cpu, p->state);
      return;
    case OS_STEP_REFUSE:
      cpu->counters->refused++;
      sim_trace(m, cpu->self, PROCESSOR_EV_REFUSED, r ? r->bytes : 0, 0, t->row);
      break;
    case OS_STEP_DELEGATE:
      t->service = 0;
      t->delegated = p->detail;
      return;
  }
  t->service = 0;
  cpu->state->held = 0;
  if (cpu->state->current == cpu->state->thread_count) leave_handler(m, cpu);
  else if (step == OS_STEP_REFUSE) next_row(t);
  else finish(m, cpu, t, r);
}

/* Tells the checker of drivers which row they execute. */
static void notify_row(sim *m, struct processor *cpu, const thread *t, const row *r) {
  REPORT_CONTRACT(m, cpu->self, PROCESSOR_PORT_CONTRACT, at_row, .row = r ? t->row : CONTRACT_HANDLER);
}

/* Requests the service's next step, and executes it. */
static void next_step(sim *m, struct processor *cpu, thread *t, row *r) {
  notify_row(m, cpu, t, r);
  struct os_next next = {.thread = cpu->state->current, .loaded = t->value};
  uint32_t step = call_os_next(m, cpu->self, PROCESSOR_PORT_OS, &next);
  do_service_step(m, cpu, t, r, step, &next);
}

/* The fields of a row in the format for services. */
struct arguments {
  uint32_t words[11];
};

static struct arguments arguments_of(const row *r) {
  return (struct arguments){{(uint32_t)r->from, (uint32_t)(r->from >> 32), (uint32_t)r->to,
      (uint32_t)(r->to >> 32), (uint32_t)r->bytes, (uint32_t)(r->bytes >> 32), (uint32_t)r->count,
      (uint32_t)r->tag, (uint32_t)r->time, (uint32_t)(r->time >> 32), (uint32_t)r->width}};
}

static void step_service(sim *m, struct processor *cpu, thread *t, row *r, uint32_t op) {
  if (t->service == 0) {
    struct arguments given = arguments_of(r);
    sim_trace(m, cpu->self, r->bytes ? PROCESSOR_EV_BEGIN : PROCESSOR_EV_CALL, r->bytes, op, t->row);
    notify_row(m, cpu, t, r);
    call_os_call(m, cpu->self, PROCESSOR_PORT_OS,
        &(struct os_call){.thread = cpu->state->current, .operation = op, .arguments = given.words});
    t->service = 1;
  }
  next_step(m, cpu, t, r);
}

/* The interrupt handler: line 0 belongs to the driver, line n signals semaphore n; the lines after those only
   reschedule. */
static void step_handler(sim *m, struct processor *cpu, thread *t) {
  if (cpu->state->source == PREEMPT_LINE) {
    leave_handler(m, cpu);
    return;
  }
  if (cpu->state->source > 0 || !sim_wired(m, cpu->self, PROCESSOR_PORT_OS)) {
    semaphore_signal(m, cpu, cpu->state->source);
    leave_handler(m, cpu);
    return;
  }
  if (t->service == 0)
    call_os_interrupt(m, cpu->self, PROCESSOR_PORT_OS,
        &(struct os_interrupt){.source = cpu->state->source, .thread = cpu->state->current});
  t->service = 1;
  next_step(m, cpu, t, NULL);
}

static uint64_t *loop_left(thread *t, uint32_t depth) { return &t->loop_left_0 + depth; }

/* An endless loop without time would never return: each iteration takes a nanosecond. */
static void step_again(sim *m, struct processor *cpu, thread *t) {
  uint32_t top = t->depth - 1;
  if (--*loop_left(t, top) == 0) {
    t->depth--;
    next_row(t);
    return;
  }
  next_row(t);
  t->row = (&t->loop_row_0)[top] + 1;
  if (cpu->state->loop_time == m->time) {
    spend(m, cpu, t, 1000, PROCESSOR_STATE_WORK, STAGE_BEGIN);
    return;
  }
  cpu->state->loop_time = m->time;
}

static void step_lap(sim *m, struct processor *cpu, thread *t, row *r) {
  account(m, cpu);
  if (r->do_ == PROCESSOR_OP_LAP) {
    cpu->state->lap_start[r->tag] = m->time;
    cpu->state->lap_busy[r->tag] = cpu->state->busy;
    next_row(t);
    return;
  }
  uint64_t time = m->time - cpu->state->lap_start[r->tag];
  uint64_t number = r->tag == 0 ? ++cpu->counters->laps : ++cpu->counters->laps_1;
  if (r->tag == 0) {
    cpu->counters->lap_time += time;
    cpu->counters->lap_last = time;
    cpu->counters->lap_busy += cpu->state->busy - cpu->state->lap_busy[0];
  } else {
    cpu->counters->lap_time_1 += time;
  }
  sim_trace(m, cpu->self, PROCESSOR_EV_LAP, time, (uint32_t)number, (uint32_t)r->tag);
  next_row(t);
}

static void step_wait(sim *m, struct processor *cpu, thread *t, row *r) {
  struct processor_semaphores *semaphore =
      (struct processor_semaphores *)sim_at(m, cpu->state->semaphores_at) + r->tag;
  if (semaphore->value > 0) {
    semaphore->value--;
    next_row(t);
    return;
  }
  block(m, cpu, t, PROCESSOR_THREAD_WAITS);
}

static void step_end(sim *m, struct processor *cpu, thread *t) {
  sim_trace(m, cpu->self, PROCESSOR_EV_ENDED, 0, cpu->state->current, 0);
  t->status = PROCESSOR_THREAD_OVER;
  cpu->state->current = NOBODY;
  for (uint32_t i = 0; i < cpu->state->thread_count; i++)
    if (cpu_threads(m, cpu->state)[i].status != PROCESSOR_THREAD_OVER) return;
  REPORT_CONTRACT(m, cpu->self, PROCESSOR_PORT_CONTRACT, ended, .row = t->row);
}

static void step_stop(sim *m, struct processor *cpu, thread *t) {
  for (uint32_t i = 0; i < cpu->state->thread_count; i++)
    cpu_threads(m, cpu->state)[i].status = PROCESSOR_THREAD_OVER;
  step_end(m, cpu, t);
}

/* Operations that begin without a record of their own. Transfers and calls have one, and loops, laps and ends
   take no time. */
#define BIT(op) (1u << PROCESSOR_OP_##op)
#define WITHOUT_RECORD                                                                                     \
  (BIT(SPEND) | BIT(SIGNAL) | BIT(WAIT) | BIT(LOAD) | BIT(STORE) | BIT(FLUSH) | BIT(PURGE) | BIT(IO_STORE) \
      | BIT(IO_LOAD) | BIT(SYNC) | BIT(COPY) | BIT(UNTIL))

/* Records the beginning of a row. It is nobody's cause: what the row does follows from what happened before.
 */
static void record_row(sim *m, struct processor *cpu, const thread *t, const row *r, uint32_t op) {
  if (t->stage != STAGE_BEGIN || t->done || !(WITHOUT_RECORD >> op & 1)) return;
  if (op == PROCESSOR_OP_UNTIL && r->time <= m->time) return; /* it is over */
  uint32_t cause = m->cause;
  sim_trace_often(m, cpu->self, PROCESSOR_EV_ROW, 0, op, t->row);
  m->cause = cause;
}

static void step_row(sim *m, struct processor *cpu, thread *t) {
  row *r = &cpu_rows(m, cpu->state)[t->row];
  uint32_t op = t->delegated ? t->delegated : (uint32_t)r->do_;
  if (op >= PROCESSOR_OP_OWN) {
    step_service(m, cpu, t, r, op);
    return;
  }
  if (!t->delegated) record_row(m, cpu, t, r, op);
  switch (op) {
    case PROCESSOR_OP_REPEAT:
      (&t->loop_row_0)[t->depth] = t->row;
      *loop_left(t, t->depth++) = r->count ? r->count : UINT64_MAX;
      next_row(t);
      return;
    case PROCESSOR_OP_AGAIN: step_again(m, cpu, t); return;
    case PROCESSOR_OP_LAP:
    case PROCESSOR_OP_LAP_END: step_lap(m, cpu, t, r); return;
    case PROCESSOR_OP_SPEND:
      if (t->stage != STAGE_BEGIN) {
        next_row(t);
        return;
      }
      work(m, cpu, t, r->time, PROCESSOR_STATE_WORK, STAGE_GO);
      return;
    case PROCESSOR_OP_UNTIL:
      if (r->time <= m->time) next_row(t);
      else spend(m, cpu, t, r->time - m->time, PROCESSOR_STATE_IDLE, STAGE_BEGIN);
      return;
    case PROCESSOR_OP_SIGNAL:
      semaphore_signal(m, cpu, (uint32_t)r->tag);
      next_row(t);
      return;
    case PROCESSOR_OP_WAIT: step_wait(m, cpu, t, r); return;
    case PROCESSOR_OP_LOAD:
    case PROCESSOR_OP_STORE:
    case PROCESSOR_OP_FLUSH:
    case PROCESSOR_OP_COPY:
    case PROCESSOR_OP_PURGE: step_access(m, cpu, t, r, op); return;
    case PROCESSOR_OP_SYNC: step_sync(m, cpu, t); return;
    case PROCESSOR_OP_IO_STORE:
    case PROCESSOR_OP_IO_LOAD: step_register(m, cpu, t, r, op); return;
    case PROCESSOR_OP_STOP: step_stop(m, cpu, t); return;
    case PROCESSOR_OP_END:
    case PROCESSOR_OP_THREAD: step_end(m, cpu, t); return;
  }
  step_transfer(m, cpu, t, r, op);
}
