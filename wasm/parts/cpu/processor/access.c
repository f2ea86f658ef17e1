/* The processor's accesses: posted stores, uncached loads, copies through its cache. */
#include "parts/cpu/processor/processor.h"

/* Posts one store. Without room the thread waits before it continues. */
static void post(sim *m, struct processor *cpu, thread *t, struct front_post *store, uint64_t pace,
    uint32_t busy, uint32_t stall, uint32_t stage) {
  pace = at_clock(cpu, pace);
  uint32_t room = call_front_post(m, cpu->self, PROCESSOR_PORT_FRONT, store);
  if (room > 1) {
    spend(m, cpu, t, pace, busy, stage);
    return;
  }
  struct front_notify_space wait = {.after = m->time + (room ? pace : 0)};
  call_front_notify_space(m, cpu->self, PROCESSOR_PORT_FRONT, &wait);
  t->stage = room ? stage : STAGE_STORE;
  set_state(m, cpu, stall);
  cpu->state->bus_wait = 1;
}

static void load(
    sim *m, struct processor *cpu, thread *t, uint64_t addr, uint32_t bytes, uint32_t state, uint32_t stage) {
  set_state(m, cpu, state);
  t->stage = stage;
  cpu->state->bus_wait = 1;
  sim_trace(m, cpu->self, PROCESSOR_EV_LOAD, addr, bytes, 0);
  send_front_read(m, cpu->self, PROCESSOR_PORT_FRONT, at_clock(cpu, cpu->params->load_time),
      SIM_PHASE_REQUEST, (struct front_read){.address = addr, .bytes = bytes});
}

/* Notifies memory of an interrupt that announces writes (shadow.announced). Of the two paths to memory one
   ignores it. */
static SIM_COLD void observe_interrupt(sim *m, struct processor *cpu, const struct cache_interrupted *q) {
  struct cache_interrupted cache_call = *q;
  struct front_interrupted front_call = {
      .first = q->first, .last = q->last, .next = q->next, .next_last = q->next_last};
  if (sim_wired(m, cpu->self, PROCESSOR_PORT_CACHE))
    call_cache_interrupted(m, cpu->self, PROCESSOR_PORT_CACHE, &cache_call);
  if (sim_wired(m, cpu->self, PROCESSOR_PORT_FRONT))
    call_front_interrupted(m, cpu->self, PROCESSOR_PORT_FRONT, &front_call);
}

/* Notifies memory of a load after such an interrupt. */
static SIM_COLD void observe_load(sim *m, struct processor *cpu, uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  if (sim_wired(m, cpu->self, PROCESSOR_PORT_CACHE))
    call_cache_loaded(m, cpu->self, PROCESSOR_PORT_CACHE,
        &(struct cache_loaded){.address = address, .bytes = (uint32_t)bytes});
  if (sim_wired(m, cpu->self, PROCESSOR_PORT_FRONT))
    call_front_loaded(m, cpu->self, PROCESSOR_PORT_FRONT,
        &(struct front_loaded){.address = address, .bytes = (uint32_t)bytes});
}

/* A line that the program waited for has arrived: it loads what its row reads there. */
static SIM_COLD void observe_filled(sim *m, struct processor *cpu, uint64_t line) {
  const thread *t = &cpu_threads(m, cpu->state)[cpu->state->current];
  if (t->service || cpu->state->current == cpu->state->thread_count) return;
  const row *r = &cpu_rows(m, cpu->state)[t->row];
  uint64_t from = sim_max(line, r->from), to = sim_min(line + cpu->params->line, r->from + r->bytes);
  if (from < to) observe_load(m, cpu, from, to - from);
}

/* Accesses the line at addr in the cache; returns 1 if it must be fetched first. */
static int misses(sim *m, struct processor *cpu, uint64_t addr, int store, uint32_t *dirty) {
  struct cache_access_untimed touch = {.address = addr, .store = (uint32_t)store};
  int hit = (int)call_cache_access_untimed(m, cpu->self, PROCESSOR_PORT_CACHE, &touch);
  *dirty |= touch.dirty;
  return !hit;
}

/* Fetches the line at addr, evicting a dirty one if needed. */
static void fill(sim *m, struct processor *cpu, uint64_t addr, uint32_t dirty, uint64_t delay) {
  set_state(m, cpu, PROCESSOR_STATE_FILL);
  cpu->state->bus_wait = 1;
  cpu->counters->fills++;
  send_front_fill(m, cpu->self, PROCESSOR_PORT_FRONT, delay, SIM_PHASE_REQUEST,
      (struct front_fill){
          .address = addr & ~(cpu->params->line - 1), .bytes = (uint32_t)cpu->params->line, .dirty = dirty});
}

/* Fetches the next missing line: the source's first, then the destination's. */
static void fetch(sim *m, struct processor *cpu, thread *t, row *r, uint64_t at) {
  uint64_t addr = t->fills & MISSING_FROM ? r->from + at : r->to + at;
  uint32_t dirty = t->dirty;
  t->fills &= t->fills - 1;
  t->dirty = 0;
  fill(m, cpu, addr, dirty, 0);
}

/* Reports reads and writes through the cache to an observer. */
static SIM_COLD void notify_touched(
    sim *m, struct processor *cpu, uint64_t address, uint64_t bytes, uint32_t store) {
  if (!sim_wired(m, cpu->self, PROCESSOR_PORT_FRONT)) return;
  cpu->state->unseen = !call_front_software_access(m, cpu->self, PROCESSOR_PORT_FRONT,
      &(struct front_software_access){.address = address, .bytes = (uint32_t)bytes, .store = store});
}

/* A service's store of a word: a missing line is fetched first. */
static void service_touch(sim *m, struct processor *cpu, thread *t, const struct os_next *p) {
  uint64_t time = at_clock(cpu, cpu->params->access_time);
  uint32_t dirty = 0, missing = (uint32_t)misses(m, cpu, p->address, 1, &dirty);
  if (!cpu->state->unseen) notify_touched(m, cpu, p->address, 8, 1);
  if (!missing) {
    spend(m, cpu, t, time, p->state, STAGE_GO);
    return;
  }
  t->stage = STAGE_GO;
  fill(m, cpu, p->address, dirty, time);
}

/* Copies, or only reads, lines until one is missing or the limit per event is reached. */
static void stream(sim *m, struct processor *cpu, thread *t, row *r, uint64_t word_time, uint64_t line_time,
    uint32_t state, int copies) {
  uint64_t time = 0, begun = t->done, missing = 0;
  uint32_t dirty = 0;
  for (uint32_t lines = 0; lines < COPY_LINES && t->done < r->bytes && t->fills == 0; lines++) {
    uint64_t n =
        sim_min(cpu->params->line - ((r->from + t->done) & (cpu->params->line - 1)), r->bytes - t->done);
    if (misses(m, cpu, r->from + t->done, 0, &dirty)) {
      t->fills |= MISSING_FROM;
      missing = n;
    }
    if (copies && misses(m, cpu, r->to + t->done, 1, &dirty)) t->fills |= MISSING_TO;
    time += word_time * ((n + 3) / 4) + line_time;
    t->done += n;
  }
  t->dirty = dirty;
  if (cpu->state->announced) observe_load(m, cpu, r->from + begun, t->done - begun - missing);
  if (!cpu->state->unseen) {
    notify_touched(m, cpu, r->from + begun, t->done - begun, 0);
    if (copies) notify_touched(m, cpu, r->to + begun, t->done - begun, 1);
  }
  work(m, cpu, t, time, state, STAGE_GO);
}

static void next_row(thread *t) {
  t->row++;
  t->done = 0;
  t->delegated = 0;
  t->stage = STAGE_BEGIN;
}
