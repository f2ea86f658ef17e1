/* Loads and stores of memory through a coherent cache, flushes and purges, and device registers. */
#include "gen/protocols.h"
#include "parts/cpu/processor/processor.h"
#include "runway.h"

static uint32_t cache_op_of(uint32_t op) {
  switch (op) {
    case PROCESSOR_OP_STORE: return CACHE_OP_STORE;
    case PROCESSOR_OP_FLUSH: return CACHE_OP_FLUSH;
    case PROCESSOR_OP_PURGE: return CACHE_OP_PURGE;
    case PROCESSOR_OP_SYNC: return CACHE_OP_SYNC;
  }
  return CACHE_OP_LOAD;
}

/* Flushes and purges work on whole lines, wherever the range ends. */
static uint64_t access_step(struct processor *cpu, row *r, uint32_t op) {
  return op == PROCESSOR_OP_LOAD || op == PROCESSOR_OP_STORE || op == PROCESSOR_OP_COPY ? r->width
                                                                                        : cpu->params->line;
}

/* A copy alternates loads and stores: `fills` says that the store is next. */
static uint32_t copy_step(thread *t) {
  t->fills ^= 1;
  return t->fills ? PROCESSOR_OP_LOAD : PROCESSOR_OP_STORE;
}

/* The only call of this message, so that a hit in any cache is one function with it. */
static int access_cache(sim *m, struct processor *cpu, struct cache_access *q) {
  return (int)call_cache_access(m, cpu->self, PROCESSOR_PORT_CACHE, q);
}

/* An access, with the processor's own time for it. Returns 1 if it is done except for that time. */
SIM_INLINE int access(sim *m, struct processor *cpu, struct cache_access *q) {
  q->time = at_clock(cpu, cpu->params->access_time);
  return access_cache(m, cpu, q);
}

/* Whether the cache passes an operation to the bus, or waits for those that it has passed. */
static int is_order(uint32_t op) { return cache_op_order(op) || op == CACHE_OP_SYNC; }

/* Completes a request to the cache: an access, or a line flushed or purged. */
static void count_access(sim *m, struct processor *cpu, uint32_t op, uint64_t address, uint64_t bytes) {
  if (op == CACHE_OP_LOAD && cpu->state->announced) observe_load(m, cpu, address, bytes);
  if (cache_op_order(op)) cpu->counters->orders++;
  else if (op != CACHE_OP_SYNC) cpu->counters->accesses++;
}

/* Performs one access after another: a hit takes its time here, a miss until the cache reports completion. */
static void step_access(sim *m, struct processor *cpu, thread *t, row *r, uint32_t op) {
  uint64_t step = access_step(cpu, r, op), begin = op == PROCESSOR_OP_STORE ? r->to : r->from;
  int order = (int)cache_op_order(cache_op_of(op));
  uint64_t base = order ? begin & ~(step - 1) : begin;
  if (base + t->done >= begin + r->bytes) {
    next_row(t);
    return;
  }
  if (op == PROCESSOR_OP_COPY) op = copy_step(t);
  uint32_t asked = cache_op_of(op);
  uint64_t address = (op == PROCESSOR_OP_STORE ? r->to : base) + t->done;
  struct cache_access q = {.address = address, .op = asked, .bytes = (uint32_t)step};
  if (!t->fills) t->done += step;
  REPORT_CONTRACT(m, cpu->self, PROCESSOR_PORT_CONTRACT, program_access, .address = q.address, .row = t->row,
      .op = asked);
  if (access(m, cpu, &q)) {
    count_access(m, cpu, asked, address, step);
    spend_often(m, cpu, t, q.time + at_clock(cpu, r->time),
        order ? PROCESSOR_STATE_ORDER : PROCESSOR_STATE_ACCESS, STAGE_GO);
    return;
  }
  t->stage = STAGE_FILL;
  set_state(m, cpu, order ? PROCESSOR_STATE_ORDER : PROCESSOR_STATE_MISS);
  cpu->state->bus_wait = 1;
}

/* Waits until all outstanding operations are complete. */
static void step_sync(sim *m, struct processor *cpu, thread *t) {
  if (t->stage != STAGE_BEGIN) {
    next_row(t);
    return;
  }
  struct cache_access q = {.op = CACHE_OP_SYNC};
  if (access(m, cpu, &q)) {
    spend(m, cpu, t, q.time, PROCESSOR_STATE_ORDER, STAGE_GO);
    return;
  }
  t->stage = STAGE_FILL;
  set_state(m, cpu, PROCESSOR_STATE_ORDER);
  cpu->state->bus_wait = 1;
}

/* The cache has completed the requested access, and the processor its own share of it. */
static void processor_cache_done(sim *m, struct processor *cpu, const struct cache_done *q) {
  thread *t = &cpu_threads(m, cpu->state)[cpu->state->current];
  int order = is_order(q->op);
  if (cpu->state->bus_wait == BUS_PIECE) t->value = q->write;
  cpu->state->bus_wait = 0;
  int own = !t->service && cpu->state->current != cpu->state->thread_count;
  uint64_t time = own ? cpu_rows(m, cpu->state)[t->row].time : 0;
  count_access(m, cpu, q->op, q->address, own ? cpu_rows(m, cpu->state)[t->row].width : 1);
  t->stage = STAGE_GO;
  if (time) work(m, cpu, t, time, order ? PROCESSOR_STATE_ORDER : PROCESSOR_STATE_ACCESS, STAGE_GO);
  processor_advance(m, cpu);
}

static void step_register(sim *m, struct processor *cpu, thread *t, row *r, uint32_t op) {
  if (t->stage != STAGE_BEGIN) {
    next_row(t);
    return;
  }
  if (op == PROCESSOR_OP_IO_LOAD) {
    load(m, cpu, t, r->from, 4, PROCESSOR_STATE_LOAD, STAGE_GO);
    return;
  }
  struct front_post store = {.address = r->to, .value = r->count, .bytes = 4};
  cpu->counters->stores++;
  sim_trace(m, cpu->self, PROCESSOR_EV_STORE, store.address, 4, 0);
  post(m, cpu, t, &store, cpu->params->store_time, PROCESSOR_STATE_STORE, PROCESSOR_STATE_STALL, STAGE_GO);
}

/* A driver's store, flush or purge of a line in memory. */
static void service_access(sim *m, struct processor *cpu, thread *t, const struct os_next *p) {
  struct cache_access line = {.address = p->address, .op = p->detail, .bytes = 8};
  if (access(m, cpu, &line)) {
    count_access(m, cpu, p->detail, p->address, line.bytes);
    spend(m, cpu, t, line.time, p->state, STAGE_GO);
    return;
  }
  t->stage = STAGE_FILL;
  set_state(m, cpu, is_order(p->detail) ? PROCESSOR_STATE_ORDER : PROCESSOR_STATE_MISS);
  cpu->state->bus_wait = 1;
}

/* A service's load or store of memory whose time is part of the service's work. */
static void service_piece(sim *m, struct processor *cpu, thread *t, const struct os_next *p) {
  uint32_t write = (uint32_t)(p->value >> 32);
  struct cache_access piece = {
      .address = p->address, .op = p->detail, .bytes = (uint32_t)p->value, .writes = &write};
  t->stage = STAGE_GO;
  set_state(m, cpu, p->state);
  if (!access_cache(m, cpu, &piece)) {
    cpu->state->bus_wait = BUS_PIECE;
    return;
  }
  count_access(m, cpu, p->detail, p->address, (uint32_t)p->value);
  t->value = piece.write;
}

/* Rejects accesses that no cache could perform. */
static int bad_access(row *r) {
  uint64_t w = r->width;
  if (r->do_ != PROCESSOR_OP_LOAD && r->do_ != PROCESSOR_OP_STORE && r->do_ != PROCESSOR_OP_COPY) return 0;
  uint64_t at = r->do_ == PROCESSOR_OP_LOAD    ? r->from
                : r->do_ == PROCESSOR_OP_STORE ? r->to
                                               : r->from | r->to;
  return w == 0 || w > 32 || w & (w - 1) || at % w;
}
