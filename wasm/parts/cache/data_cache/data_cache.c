/*
 * A processor's data cache on a memory bus. An access can span several lines; missing ones are fetched one
 * after another, after a modified victim is written back. A flush writes modified lines back and drops them,
 * a purge drops them.
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
  uint32_t lines_at;
  uint32_t now_at;
  uint32_t sets;
  uint32_t ways;
  uint32_t shift;
  uint32_t spare;
};

static struct data_cache_now *data_cache_now_of(sim *m, struct data_cache *cache) {
  return sim_at(m, cache->state->now_at);
}
static struct data_cache_lines *data_cache_line_at(sim *m, struct data_cache *cache, uint32_t line) {
  return (struct data_cache_lines *)sim_at(m, cache->state->lines_at) + line;
}
static uint32_t data_cache_tag(struct data_cache *cache, uint64_t address) {
  return (uint32_t)(address >> cache->state->shift);
}
static uint64_t data_cache_address(struct data_cache *cache, uint32_t tag) {
  return (uint64_t)tag << cache->state->shift;
}

/* The row of a line, or of its victim if it is missing. */
static uint32_t data_cache_find(sim *m, struct data_cache *cache, uint32_t tag, int *there) {
  uint32_t set = (tag & (cache->state->sets - 1)) * cache->state->ways, victim = set;
  for (uint32_t i = set; i < set + cache->state->ways; i++) {
    struct data_cache_lines *line = data_cache_line_at(m, cache, i);
    if (line->state == DATA_CACHE_LINE_INVALID) {
      victim = data_cache_line_at(m, cache, victim)->state ? i : victim;
      continue;
    }
    if (line->tag == tag) {
      *there = 1;
      return i;
    }
    struct data_cache_lines *oldest = data_cache_line_at(m, cache, victim);
    if (oldest->state && line->age < oldest->age) victim = i;
  }
  *there = 0;
  return victim;
}

static void data_cache_request(sim *m, struct data_cache *cache, uint32_t stage, uint64_t address,
    uint32_t bytes, uint32_t access, uint32_t *writes) {
  data_cache_now_of(m, cache)->stage = stage;
  call_shared_bus_request(m, cache->self, DATA_CACHE_PORT_BUS,
      &(struct shared_bus_request){.address = address, .bytes = bytes, .access = access, .writes = writes});
}

/* Uses a present line: a load of several lines sees the oldest of their versions. */
static void data_cache_touch_lru(sim *m, struct data_cache *cache, struct data_cache_lines *line) {
  struct data_cache_now *now = data_cache_now_of(m, cache);
  line->age = (uint32_t)++cache->state->age;
  if (now->op == CACHE_OP_STORE) {
    line->state = DATA_CACHE_LINE_MODIFIED;
    line->write = now->write;
  } else {
    now->write = (uint32_t)sim_min(now->write, line->write);
  }
}

static void data_cache_hit(sim *m, struct data_cache *cache, struct data_cache_lines *line) {
  struct data_cache_now *now = data_cache_now_of(m, cache);
  cache->counters->hits++;
  if (now->op == CACHE_OP_LOAD && line->state == DATA_CACHE_LINE_EXCLUSIVE) {
    struct shared_bus_observe look = {.address = data_cache_address(cache, line->tag)};
    uint32_t newest = call_shared_bus_observe(m, cache->self, DATA_CACHE_PORT_BUS, &look);
    if (newest != line->write) {
      cache->counters->old++;
      sim_trace(m, cache->self, DATA_CACHE_EV_OLD, look.address, line->write, newest);
    }
  }
  data_cache_touch_lru(m, cache, line);
}

/* Accesses line by line, until one is missing. Returns 1 when the access is complete. */
static int data_cache_next_stage(sim *m, struct data_cache *cache) {
  struct data_cache_now *now = data_cache_now_of(m, cache);
  while (now->at < now->end) {
    int there;
    uint32_t tag = data_cache_tag(cache, now->at), bytes = 1u << cache->state->shift;
    now->line = data_cache_find(m, cache, tag, &there);
    struct data_cache_lines *line = data_cache_line_at(m, cache, now->line);
    int leaves = now->op == CACHE_OP_FLUSH || now->op == CACHE_OP_PURGE,
        modified = line->state == DATA_CACHE_LINE_MODIFIED;
    if (modified && now->op != CACHE_OP_PURGE && there == leaves) {
      data_cache_request(m, cache, DATA_CACHE_STAGE_VICTIM, data_cache_address(cache, line->tag), bytes,
          bytes, &line->write);
      return 0;
    }
    if (!there && !leaves) {
      sim_trace(m, cache->self, DATA_CACHE_EV_MISS, data_cache_address(cache, tag), 0, 0);
      cache->counters->misses++;
      data_cache_request(m, cache, DATA_CACHE_STAGE_FILL, data_cache_address(cache, tag), bytes, bytes, NULL);
      return 0;
    }
    if (there && leaves) line->state = DATA_CACHE_LINE_INVALID;
    if (!leaves) data_cache_hit(m, cache, line);
    now->at = data_cache_address(cache, tag + 1);
  }
  return 1;
}

static uint32_t data_cache_cpu_access(sim *m, struct data_cache *cache, struct cache_access *q) {
  struct data_cache_now *now = data_cache_now_of(m, cache);
  if (q->op == CACHE_OP_EVICT || q->op == CACHE_OP_SYNC) return 1; /* no access in progress */
  uint32_t made = q->op != CACHE_OP_STORE ? 0xffffffffu : q->writes ? *q->writes : sim_new_write(m);
  *now = (struct data_cache_now){.op = q->op,
      .write = made,
      .address = q->address,
      .at = q->address,
      .end = q->address + q->bytes,
      .time = q->time};
  if (q->op <= CACHE_OP_STORE && q->address - cache->params->uncached_from < cache->params->uncached) {
    cache->counters->uncached++;
    data_cache_request(
        m, cache, DATA_CACHE_STAGE_UNCACHED, q->address, q->bytes, 4, q->op == CACHE_OP_STORE ? &made : NULL);
    return 0;
  }
  if (!data_cache_next_stage(m, cache)) return 0;
  q->write = now->write;
  return 1;
}

static void data_cache_bus_done(sim *m, struct data_cache *cache, struct shared_bus_done *q) {
  struct data_cache_now *now = data_cache_now_of(m, cache);
  struct data_cache_lines *line = data_cache_line_at(m, cache, now->line);
  cache->counters->waited += q->waited;
  if (now->stage == DATA_CACHE_STAGE_UNCACHED) now->write = q->write;
  if (now->stage == DATA_CACHE_STAGE_VICTIM) {
    cache->counters->write_backs++;
    line->state = DATA_CACHE_LINE_INVALID;
  }
  if (now->stage == DATA_CACHE_STAGE_FILL) {
    *line = (struct data_cache_lines){DATA_CACHE_LINE_EXCLUSIVE, data_cache_tag(cache, now->at), q->write, 0};
    data_cache_touch_lru(m, cache, line);
    now->at = data_cache_address(cache, line->tag + 1);
  }
  if (now->stage != DATA_CACHE_STAGE_UNCACHED && !data_cache_next_stage(m, cache)) return;
  now->stage = DATA_CACHE_STAGE_FREE;
  send_cache_done(m, cache->self, DATA_CACHE_PORT_CPU, now->time, SIM_PHASE_ANSWER,
      (struct cache_done){.address = now->address, .write = now->write, .op = now->op});
}

/* MEI: there is no shared state, so another master's read or write takes the line exclusively. */
static uint32_t data_cache_bus_snoop(sim *m, struct data_cache *cache, struct shared_bus_snoop *q) {
  uint64_t end = q->address + q->bytes, bytes = 1ull << cache->state->shift;
  for (uint64_t at = q->address & ~(bytes - 1); at < end && cache->params->snoops; at += bytes) {
    int there;
    uint32_t row = data_cache_find(m, cache, data_cache_tag(cache, at), &there);
    if (!there) continue;
    struct data_cache_lines *line = data_cache_line_at(m, cache, row);
    uint32_t state = line->state;
    sim_trace(m, cache->self, DATA_CACHE_EV_GIVES_UP, at, state, 0);
    cache->counters->invalidated++;
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
  *s = (struct data_cache_state){0, sim_offset(m, lines), sim_offset(m, now), rows / (uint32_t)q->ways,
      (uint32_t)q->ways, (uint32_t)__builtin_ctzll(q->line), 0};
  return SIM_OK;
}

#include "parts/cache/data_cache/state.c"
