/* Execution of a program's rows. */
#include "parts/cpu/processor/processor.h"

static void finish(sim *m, uint32_t self, thread *t, row *r) {
  sim_trace(m, self, r->bytes ? PROCESSOR_EV_DONE : PROCESSOR_EV_RETURN, r->bytes, (uint32_t)r->do_, t->row);
  next_row(t);
}

static void step_pio_write(sim *m, uint32_t self, thread *t, row *r) {
  const struct processor_params *q = SIM_PARAMS(m, self, processor);
  if (t->done >= r->bytes) {
    finish(m, self, t, r);
    return;
  }
  uint64_t from = r->from + t->done;
  uint32_t dirty = 0;
  if (t->stage != STAGE_FILL && (from & (q->line - 1)) < r->width && misses(m, self, from, 0, &dirty)) {
    t->fills = MISSING_FROM;
    t->dirty = dirty;
    t->stage = STAGE_FILL;
    fetch(m, self, t, r, t->done);
    return;
  }
  struct front_post store = {.address = r->to + t->done, .bytes = (uint32_t)r->width, .write = sim_new_write(m)};
  SIM_COUNTERS(m, self, processor)->stores++;
  sim_trace(m, self, PROCESSOR_EV_STORE, store.address, store.bytes, store.write);
  t->done += r->width;
  SIM_STATE(m, self, processor)->step_value = store.write;
  post(m, self, t, &store, q->store_time, PROCESSOR_STATE_STORE, PROCESSOR_STATE_STALL, STAGE_GO);
}

static void step_pio_read(sim *m, uint32_t self, thread *t, row *r) {
  if (t->done >= r->bytes) {
    finish(m, self, t, r);
    return;
  }
  load(m, self, t, r->from + t->done, (uint32_t)r->width, PROCESSOR_STATE_LOAD, STAGE_LOAD);
}

static void step_stream(sim *m, uint32_t self, thread *t, row *r, uint32_t op) {
  const struct processor_params *q = SIM_PARAMS(m, self, processor);
  if (t->fills) {
    fetch(m, self, t, r, t->done - 1);
    return;
  }
  if (t->done >= r->bytes) {
    finish(m, self, t, r);
    return;
  }
  if (op == PROCESSOR_OP_PROCESS) stream(m, self, t, r, 0, r->time, PROCESSOR_STATE_WORK, 0);
  else stream(m, self, t, r, q->copy_word, 0, PROCESSOR_STATE_COPY, 1);
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

static void step_transfer(sim *m, uint32_t self, thread *t, row *r, uint32_t op) {
  if (t->stage == STAGE_BEGIN) {
    sim_trace(m, self, PROCESSOR_EV_BEGIN, r->bytes, op, t->row);
    work(m, self, t, call_time(SIM_PARAMS(m, self, processor), op), PROCESSOR_STATE_CALL, STAGE_GO);
    return;
  }
  if (op == PROCESSOR_OP_PIO_WRITE) step_pio_write(m, self, t, r);
  else if (op == PROCESSOR_OP_PIO_READ) step_pio_read(m, self, t, r);
  else step_stream(m, self, t, r, op);
}

/* Executes one step requested by a driver. */
static void do_service_step(sim *m, uint32_t self, thread *t, row *r, uint32_t step, const struct os_next *p) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  switch (step) {
    case OS_STEP_COMPUTE:
      s->held = p->detail;
      work(m, self, t, p->value, p->state, STAGE_GO);
      return;
    case OS_STEP_STORE: {
      struct front_post store = {.address = p->address, .value = p->value, .bytes = 4};
      sim_trace(m, self, PROCESSOR_EV_STORE, p->address, 4, 0);
      s->step_addr = p->address;
      s->step_value = p->value;
      post(m, self, t, &store, SIM_PARAMS(m, self, processor)->store_time, p->state, PROCESSOR_STATE_STALL, STAGE_GO);
      return;
    }
    case OS_STEP_ACCESS: service_access(m, self, t, p); return;
    case OS_STEP_ACCESS_UNTIMED: service_touch(m, self, t, p); return;
    case OS_STEP_COPY_CHUNK: service_piece(m, self, t, p); return;
    case OS_STEP_LOAD:
      load(m, self, t, p->address, 4, p->state, STAGE_GO);
      return;
    case OS_STEP_BLOCK: block(m, self, t, PROCESSOR_THREAD_BLOCKED); return;
    case OS_STEP_SPIN:
      s->held = p->detail;
      s->bus_wait = BUS_SPIN;
      t->stage = STAGE_GO;
      set_state(m, self, p->state);
      return;
    case OS_STEP_REFUSE:
      SIM_COUNTERS(m, self, processor)->refused++;
      sim_trace(m, self, PROCESSOR_EV_REFUSED, r ? r->bytes : 0, 0, t->row);
      break;
    case OS_STEP_DELEGATE:
      t->service = 0;
      t->delegated = p->detail;
      return;
  }
  t->service = 0;
  s->held = 0;
  if (s->current == s->thread_count) leave_handler(m, self);
  else if (step == OS_STEP_REFUSE) next_row(t);
  else finish(m, self, t, r);
}

/* Tells the checker of drivers which row they execute. */
static void notify_row(sim *m, uint32_t self, const thread *t, const row *r) { REPORT_CONTRACT(m, self, PROCESSOR_PORT_CONTRACT, at_row, .row = r ? t->row : CONTRACT_HANDLER); }

/* Requests the service's next step, and executes it. */
static void next_step(sim *m, uint32_t self, thread *t, row *r) {
  notify_row(m, self, t, r);
  struct os_next next = {.thread = SIM_STATE(m, self, processor)->current, .loaded = t->value};
  uint32_t step = call_os_next(m, self, PROCESSOR_PORT_OS, &next);
  do_service_step(m, self, t, r, step, &next);
}

/* The fields of a row in the format for services. */
struct arguments {
  uint32_t words[11];
};

static struct arguments arguments_of(const row *r) {
  return (struct arguments){{(uint32_t)r->from, (uint32_t)(r->from >> 32), (uint32_t)r->to, (uint32_t)(r->to >> 32), (uint32_t)r->bytes, (uint32_t)(r->bytes >> 32), (uint32_t)r->count, (uint32_t)r->tag, (uint32_t)r->time, (uint32_t)(r->time >> 32), (uint32_t)r->width}};
}

static void step_service(sim *m, uint32_t self, thread *t, row *r, uint32_t op) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  if (t->service == 0) {
    struct arguments given = arguments_of(r);
    sim_trace(m, self, r->bytes ? PROCESSOR_EV_BEGIN : PROCESSOR_EV_CALL, r->bytes, op, t->row);
    notify_row(m, self, t, r);
    call_os_call(m, self, PROCESSOR_PORT_OS, &(struct os_call){.thread = s->current, .operation = op, .arguments = given.words});
    t->service = 1;
  }
  next_step(m, self, t, r);
}

/* The interrupt handler: line 0 belongs to the driver, line n signals semaphore n; the lines after those only
   reschedule. */
static void step_handler(sim *m, uint32_t self, thread *t) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  if (s->source == PREEMPT_LINE) {
    leave_handler(m, self);
    return;
  }
  if (s->source > 0 || !sim_wired(m, self, PROCESSOR_PORT_OS)) {
    semaphore_signal(m, self, s->source);
    leave_handler(m, self);
    return;
  }
  if (t->service == 0) call_os_interrupt(m, self, PROCESSOR_PORT_OS, &(struct os_interrupt){.source = s->source, .thread = s->current});
  t->service = 1;
  next_step(m, self, t, NULL);
}

static uint64_t *loop_left(thread *t, uint32_t depth) { return &t->loop_left_0 + depth; }

/* An endless loop without time would never return: each iteration takes a nanosecond. */
static void step_again(sim *m, uint32_t self, thread *t) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  uint32_t top = t->depth - 1;
  if (--*loop_left(t, top) == 0) {
    t->depth--;
    next_row(t);
    return;
  }
  next_row(t);
  t->row = (&t->loop_row_0)[top] + 1;
  if (s->loop_time == m->time) {
    spend(m, self, t, 1000, PROCESSOR_STATE_WORK, STAGE_BEGIN);
    return;
  }
  s->loop_time = m->time;
}

static void step_lap(sim *m, uint32_t self, thread *t, row *r) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  struct processor_counters *c = SIM_COUNTERS(m, self, processor);
  account(m, self);
  if (r->do_ == PROCESSOR_OP_LAP) {
    s->lap_start[r->tag] = m->time;
    s->lap_busy[r->tag] = s->busy;
    next_row(t);
    return;
  }
  uint64_t time = m->time - s->lap_start[r->tag];
  uint64_t number = r->tag == 0 ? ++c->laps : ++c->laps_1;
  if (r->tag == 0) {
    c->lap_time += time;
    c->lap_last = time;
    c->lap_busy += s->busy - s->lap_busy[0];
  } else {
    c->lap_time_1 += time;
  }
  sim_trace(m, self, PROCESSOR_EV_LAP, time, (uint32_t)number, (uint32_t)r->tag);
  next_row(t);
}

static void step_wait(sim *m, uint32_t self, thread *t, row *r) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  struct processor_semaphores *semaphore = (struct processor_semaphores *)sim_at(m, s->semaphores_at) + r->tag;
  if (semaphore->value > 0) {
    semaphore->value--;
    next_row(t);
    return;
  }
  block(m, self, t, PROCESSOR_THREAD_WAITS);
}

static void step_end(sim *m, uint32_t self, thread *t) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  sim_trace(m, self, PROCESSOR_EV_ENDED, 0, s->current, 0);
  t->status = PROCESSOR_THREAD_OVER;
  s->current = NOBODY;
  for (uint32_t i = 0; i < s->thread_count; i++)
    if (cpu_threads(m, s)[i].status != PROCESSOR_THREAD_OVER) return;
  REPORT_CONTRACT(m, self, PROCESSOR_PORT_CONTRACT, ended, .row = t->row);
}

static void step_stop(sim *m, uint32_t self, thread *t) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  for (uint32_t i = 0; i < s->thread_count; i++) cpu_threads(m, s)[i].status = PROCESSOR_THREAD_OVER;
  step_end(m, self, t);
}

static void step_row(sim *m, uint32_t self, thread *t) {
  struct processor_state *s = SIM_STATE(m, self, processor);
  row *r = &cpu_rows(m, s)[t->row];
  uint32_t op = t->delegated ? t->delegated : (uint32_t)r->do_;
  if (op >= PROCESSOR_OP_OWN) {
    step_service(m, self, t, r, op);
    return;
  }
  switch (op) {
    case PROCESSOR_OP_REPEAT:
      (&t->loop_row_0)[t->depth] = t->row;
      *loop_left(t, t->depth++) = r->count ? r->count : UINT64_MAX;
      next_row(t);
      return;
    case PROCESSOR_OP_AGAIN: step_again(m, self, t); return;
    case PROCESSOR_OP_LAP:
    case PROCESSOR_OP_LAP_END: step_lap(m, self, t, r); return;
    case PROCESSOR_OP_SPEND:
      if (t->stage != STAGE_BEGIN) {
        next_row(t);
        return;
      }
      work(m, self, t, r->time, PROCESSOR_STATE_WORK, STAGE_GO);
      return;
    case PROCESSOR_OP_UNTIL:
      if (r->time <= m->time) next_row(t);
      else spend(m, self, t, r->time - m->time, PROCESSOR_STATE_IDLE, STAGE_BEGIN);
      return;
    case PROCESSOR_OP_SIGNAL:
      semaphore_signal(m, self, (uint32_t)r->tag);
      next_row(t);
      return;
    case PROCESSOR_OP_WAIT: step_wait(m, self, t, r); return;
    case PROCESSOR_OP_LOAD:
    case PROCESSOR_OP_STORE:
    case PROCESSOR_OP_FLUSH:
    case PROCESSOR_OP_COPY:
    case PROCESSOR_OP_PURGE: step_access(m, self, t, r, op); return;
    case PROCESSOR_OP_SYNC: step_sync(m, self, t); return;
    case PROCESSOR_OP_IO_STORE:
    case PROCESSOR_OP_IO_LOAD: step_register(m, self, t, r, op); return;
    case PROCESSOR_OP_STOP: step_stop(m, self, t); return;
    case PROCESSOR_OP_END:
    case PROCESSOR_OP_THREAD: step_end(m, self, t); return;
  }
  step_transfer(m, self, t, r, op);
}
