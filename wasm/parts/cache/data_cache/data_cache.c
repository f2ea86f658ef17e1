/*
 * A processor's data cache on a memory bus. An access can span several lines; missing ones are fetched one after
 * another, after a modified victim is written back. A flush writes modified lines back and drops them, a purge drops
 * them.
 *
 *          load or store: fetch            store
 *   invalid -----------------> exclusive ---------> modified
 *      ^                           |                    |
 *      +------ another's access ---+---- and memory ----+
 *
 * A cache that does not snoop is not notified of others' accesses.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "runway.h"

struct data_cache_state {
  uint64_t age;
  uint32_t lines_at, now_at, sets, ways, shift, spare;
};

static struct data_cache_now *data_cache_now_of(sim *m, uint32_t self) { return sim_at(m, SIM_STATE(m, self, data_cache)->now_at); }
static struct data_cache_lines *data_cache_line_at(sim *m, uint32_t self, uint32_t line) { return (struct data_cache_lines *)sim_at(m, SIM_STATE(m, self, data_cache)->lines_at) + line; }
static uint32_t data_cache_tag(sim *m, uint32_t self, uint64_t address) { return (uint32_t)(address >> SIM_STATE(m, self, data_cache)->shift); }
static uint64_t data_cache_address(sim *m, uint32_t self, uint32_t tag) { return (uint64_t)tag << SIM_STATE(m, self, data_cache)->shift; }

/* The row of a line, or of its victim if it is missing. */
static uint32_t data_cache_find(sim *m, uint32_t self, uint32_t tag, int *there) {
  struct data_cache_state *s = SIM_STATE(m, self, data_cache);
  uint32_t set = (tag & (s->sets - 1)) * s->ways, victim = set;
  for (uint32_t i = set; i < set + s->ways; i++) {
    struct data_cache_lines *line = data_cache_line_at(m, self, i);
    if (line->state == DATA_CACHE_LINE_INVALID) {
      victim = data_cache_line_at(m, self, victim)->state ? i : victim;
      continue;
    }
    if (line->tag == tag) {
      *there = 1;
      return i;
    }
    struct data_cache_lines *oldest = data_cache_line_at(m, self, victim);
    if (oldest->state && line->age < oldest->age) victim = i;
  }
  *there = 0;
  return victim;
}

static void data_cache_request(sim *m, uint32_t self, uint32_t stage, uint64_t address, uint32_t bytes, uint32_t access, uint32_t *writes) {
  data_cache_now_of(m, self)->stage = stage;
  call_shared_bus_request(m, self, DATA_CACHE_PORT_BUS, &(struct shared_bus_request){.address = address, .bytes = bytes, .access = access, .writes = writes});
}

/* Uses a present line: a load of several lines sees the oldest of their versions. */
static void data_cache_touch_lru(sim *m, uint32_t self, struct data_cache_lines *line) {
  struct data_cache_now *now = data_cache_now_of(m, self);
  line->age = (uint32_t)++SIM_STATE(m, self, data_cache)->age;
  if (now->op == CACHE_OP_STORE) {
    line->state = DATA_CACHE_LINE_MODIFIED;
    line->write = now->write;
  } else {
    now->write = (uint32_t)sim_min(now->write, line->write);
  }
}

static void data_cache_hit(sim *m, uint32_t self, struct data_cache_lines *line) {
  struct data_cache_now *now = data_cache_now_of(m, self);
  SIM_COUNTERS(m, self, data_cache)->hits++;
  if (now->op == CACHE_OP_LOAD && line->state == DATA_CACHE_LINE_EXCLUSIVE) {
    struct shared_bus_observe look = {.address = data_cache_address(m, self, line->tag)};
    uint32_t newest = call_shared_bus_observe(m, self, DATA_CACHE_PORT_BUS, &look);
    if (newest != line->write) {
      SIM_COUNTERS(m, self, data_cache)->old++;
      sim_trace(m, self, DATA_CACHE_EV_OLD, look.address, line->write, newest);
    }
  }
  data_cache_touch_lru(m, self, line);
}

/* Accesses line by line, until one is missing. Returns 1 when the access is complete. */
static int data_cache_next_stage(sim *m, uint32_t self) {
  struct data_cache_now *now = data_cache_now_of(m, self);
  while (now->at < now->end) {
    int there;
    uint32_t tag = data_cache_tag(m, self, now->at), bytes = 1u << SIM_STATE(m, self, data_cache)->shift;
    now->line = data_cache_find(m, self, tag, &there);
    struct data_cache_lines *line = data_cache_line_at(m, self, now->line);
    int leaves = now->op == CACHE_OP_FLUSH || now->op == CACHE_OP_PURGE, modified = line->state == DATA_CACHE_LINE_MODIFIED;
    if (modified && now->op != CACHE_OP_PURGE && there == leaves) {
      data_cache_request(m, self, DATA_CACHE_STAGE_VICTIM, data_cache_address(m, self, line->tag), bytes, bytes, &line->write);
      return 0;
    }
    if (!there && !leaves) {
      sim_trace(m, self, DATA_CACHE_EV_MISS, data_cache_address(m, self, tag), 0, 0);
      SIM_COUNTERS(m, self, data_cache)->misses++;
      data_cache_request(m, self, DATA_CACHE_STAGE_FILL, data_cache_address(m, self, tag), bytes, bytes, NULL);
      return 0;
    }
    if (there && leaves) line->state = DATA_CACHE_LINE_INVALID;
    if (!leaves) data_cache_hit(m, self, line);
    now->at = data_cache_address(m, self, tag + 1);
  }
  return 1;
}

static uint32_t data_cache_cpu_access(sim *m, uint32_t self, struct cache_access *q) {
  const struct data_cache_params *p = SIM_PARAMS(m, self, data_cache);
  struct data_cache_now *now = data_cache_now_of(m, self);
  if (q->op == CACHE_OP_EVICT || q->op == CACHE_OP_SYNC) return 1; /* no access in progress */
  uint32_t made = q->op != CACHE_OP_STORE ? 0xffffffffu : q->writes ? *q->writes : sim_new_write(m);
  *now = (struct data_cache_now){.op = q->op, .write = made, .address = q->address, .at = q->address, .end = q->address + q->bytes, .time = q->time};
  if (q->op <= CACHE_OP_STORE && q->address - p->uncached_from < p->uncached) {
    SIM_COUNTERS(m, self, data_cache)->uncached++;
    data_cache_request(m, self, DATA_CACHE_STAGE_UNCACHED, q->address, q->bytes, 4, q->op == CACHE_OP_STORE ? &made : NULL);
    return 0;
  }
  if (!data_cache_next_stage(m, self)) return 0;
  q->write = now->write;
  return 1;
}

static void data_cache_bus_done(sim *m, uint32_t self, struct shared_bus_done *q) {
  struct data_cache_now *now = data_cache_now_of(m, self);
  struct data_cache_lines *line = data_cache_line_at(m, self, now->line);
  SIM_COUNTERS(m, self, data_cache)->waited += q->waited;
  if (now->stage == DATA_CACHE_STAGE_UNCACHED) now->write = q->write;
  if (now->stage == DATA_CACHE_STAGE_VICTIM) {
    SIM_COUNTERS(m, self, data_cache)->write_backs++;
    line->state = DATA_CACHE_LINE_INVALID;
  }
  if (now->stage == DATA_CACHE_STAGE_FILL) {
    *line = (struct data_cache_lines){DATA_CACHE_LINE_EXCLUSIVE, data_cache_tag(m, self, now->at), q->write, 0};
    data_cache_touch_lru(m, self, line);
    now->at = data_cache_address(m, self, line->tag + 1);
  }
  if (now->stage != DATA_CACHE_STAGE_UNCACHED && !data_cache_next_stage(m, self)) return;
  now->stage = DATA_CACHE_STAGE_FREE;
  send_cache_done(m, self, DATA_CACHE_PORT_CPU, now->time, SIM_PHASE_ANSWER, (struct cache_done){.address = now->address, .write = now->write, .op = now->op});
}

/* MEI: there is no shared state, so another master's read or write takes the line exclusively. */
static uint32_t data_cache_bus_snoop(sim *m, uint32_t self, struct shared_bus_snoop *q) {
  uint64_t end = q->address + q->bytes, bytes = 1ull << SIM_STATE(m, self, data_cache)->shift;
  for (uint64_t at = q->address & ~(bytes - 1); at < end && SIM_PARAMS(m, self, data_cache)->snoops; at += bytes) {
    int there;
    uint32_t row = data_cache_find(m, self, data_cache_tag(m, self, at), &there);
    if (!there) continue;
    struct data_cache_lines *line = data_cache_line_at(m, self, row);
    uint32_t state = line->state;
    sim_trace(m, self, DATA_CACHE_EV_GIVES_UP, at, state, 0);
    SIM_COUNTERS(m, self, data_cache)->invalidated++;
    line->state = DATA_CACHE_LINE_INVALID;
    if (state != DATA_CACHE_LINE_MODIFIED) continue;
    q->address = at;
    q->write = line->write;
    return (uint32_t)bytes;
  }
  return 0;
}

static int data_cache_load(sim *m, uint32_t self) {
  const struct data_cache_params *q = SIM_PARAMS(m, self, data_cache);
  struct data_cache_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t rows = (uint32_t)(q->size / q->line);
  void *lines = sim_view(m, self, DATA_CACHE_VIEW_LINES, rows, sizeof(struct data_cache_lines));
  void *now = sim_view(m, self, DATA_CACHE_VIEW_NOW, 1, sizeof(struct data_cache_now));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct data_cache_state){0, sim_offset(m, lines), sim_offset(m, now), rows / (uint32_t)q->ways, (uint32_t)q->ways, (uint32_t)__builtin_ctzll(q->line), 0};
  return SIM_OK;
}

#include "parts/cache/data_cache/state.c"
