/* The processor's side: hits, misses, victims, fills. */
#include "parts/cache/snoop_cache/snoop_cache.h"

/* The virtual page number, as far as an index can hold it. */
static inline uint32_t cache_index(const struct snoop_cache_state *s, uint64_t addr) {
  return (uint32_t)((addr + s->offset) / CACHE_PAGE) & 0xfffu;
}

static inline uint32_t cache_tag(const struct snoop_cache_state *s, uint64_t addr) {
  return (uint32_t)(addr >> s->line_shift) + 1;
}

/* The first line of the set for an address in the page with this index. */
static inline uint32_t cache_set_of(const struct snoop_cache_state *s, uint64_t addr, uint32_t index) {
  uint64_t indexed = (uint64_t)index * CACHE_PAGE | (addr & (CACHE_PAGE - 1));
  return (uint32_t)(indexed >> s->line_shift & (s->sets - 1)) * s->ways;
}

static SIM_COLD uint32_t cache_find_in_assist(sim *m, struct snoop_cache *cache, uint32_t tag) {
  for (uint32_t i = cache->state->main_lines; i < cache->state->lines; i++) {
    const struct snoop_cache_lines *line = cache_line_at(m, cache, i);
    if (line->tag == tag && line->state != SNOOP_CACHE_LINE_INVALID) return i;
  }
  return UINT32_MAX;
}

/* Index of the line that holds addr, or UINT32_MAX. */
static inline uint32_t cache_find(sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t index) {
  uint32_t set = cache_set_of(cache->state, addr, index), tag = cache_tag(cache->state, addr);
  const struct snoop_cache_lines *line = cache_line_at(m, cache, set);
  for (uint32_t i = set, end = set + cache->state->ways; i < end; i++, line++)
    if (line->tag == tag && line->state != SNOOP_CACHE_LINE_INVALID) return i;
  return cache->state->lines == cache->state->main_lines ? UINT32_MAX : cache_find_in_assist(m, cache, tag);
}

static inline int cache_same_line(const struct snoop_cache_state *s, uint64_t a, uint64_t b) {
  return a >> s->line_shift == b >> s->line_shift;
}

static inline void cache_ask(sim *m, struct snoop_cache *cache) {
  call_runway_request(m, cache->self, SNOOP_CACHE_PORT_BUS);
}

static uint32_t cache_fault(struct snoop_cache *cache) { return (uint32_t)cache->params->fault; }

/* Ages are 31 bits; on overflow all lines become equally old. */
static uint32_t cache_next_age(sim *m, struct snoop_cache *cache) {
  if (++cache->state->age >= 1u << 31) {
    for (uint32_t i = 0; i < cache->state->lines; i++) cache_line_at(m, cache, i)->age = 0;
    cache->state->age = 1;
  }
  return cache->state->age;
}

/* Half lines that an access touches, as bits. */
static inline uint32_t cache_mask(uint64_t addr, uint32_t bytes) {
  return bytes > HALF_BYTES ? 3 : 1u << (addr / HALF_BYTES & 1);
}

static SIM_COLD void cache_stale(
    sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t write, uint32_t newest) {
  cache->counters->stale_reads++;
  sim_broken(m, cache->self, SIM_CURRENT_LOAD, addr);
  sim_trace(m, cache->self, SNOOP_CACHE_EV_STALE, addr, write, newest);
}

/* Both halves of a tracked line. */
static inline struct shadow_word *cache_cells(sim *m, struct snoop_cache *cache, uint64_t addr) {
  return shadow_word_in(m, &cache->state->shadow, addr & ~(uint64_t)(RUNWAY_LINE - 1), HALF_SHIFT);
}

/* Compares the writes that a load sees with the newest. */
static inline void cache_check(
    sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t mask, const uint32_t *halves) {
  const struct shadow_word *cells = cache_cells(m, cache, addr);
  for (uint32_t half = 0; cells && half < LINE_HALVES; half++)
    if (mask & 1u << half && halves[half] != cells[half].newest)
      cache_stale(m, cache, (addr & ~(uint64_t)(RUNWAY_LINE - 1)) + half * HALF_BYTES, halves[half],
          cells[half].newest);
}

/* Executes the processor's access on a line that is present in a permitted state. */
static inline uint32_t cache_complete_access(
    sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t op, uint32_t mask, uint32_t *halves) {
  struct shadow_word *cells = cache_cells(m, cache, addr);
  if (op != CACHE_OP_STORE) cache_check(m, cache, addr, mask, halves);
  for (uint32_t half = 0; half < LINE_HALVES && op == CACHE_OP_STORE; half++)
    if (mask & 1u << half) halves[half] = cells ? cells[half].newest = sim_new_write(m) : 0;
  return halves[mask >> 1];
}

static int cache_buffered(struct snoop_cache *cache, uint64_t addr) {
  for (uint32_t i = 0; i < cache_now(cache)->write_backs; i++)
    if (cache_same_line(cache->state, cache_buffer(cache)[i].addr, addr)) return 1;
  return 0;
}

static int cache_has_free_mshr(struct snoop_cache *cache) {
  return cache_now(cache)->write_backs < cache->params->buffer;
}

/* Moves a dirty line to the write-back buffer, if there is room. */
static void cache_buffer_line(sim *m, struct snoop_cache *cache, uint32_t i) {
  uint64_t addr = (uint64_t)(cache_line_at(m, cache, i)->tag - 1) << cache->state->line_shift;
  const uint32_t *halves = cache_halves(m, cache, i);
  cache_buffer(cache)[cache_now(cache)->write_backs++] =
      (struct snoop_cache_write_backs){addr, halves[0], halves[1]};
  cache_ask(m, cache);
}

/* A line changes its state by what its own processor does: shown, but not what later events follow from. */
static void cache_changed(
    sim *m, struct snoop_cache *cache, const struct snoop_cache_lines *line, uint32_t before) {
  if (line->state == before) return;
  uint32_t cause = m->cause;
  sim_trace(m, cache->self, SNOOP_CACHE_EV_ROW, (uint64_t)(line->tag - 1) << cache->state->line_shift, before,
      line->state);
  m->cause = cause;
}

/* Frees line i; returns 0 if there is no room yet for its dirty data. */
static int cache_evict(sim *m, struct snoop_cache *cache, uint32_t i) {
  struct snoop_cache_lines *line = cache_line_at(m, cache, i);
  if (line->state == SNOOP_CACHE_LINE_INVALID) return 1;
  if (line->state == SNOOP_CACHE_LINE_PRIVATE_DIRTY && !cache_has_free_mshr(cache)) return 0;
  const protocol_row *r = protocol_read_row(m, cache, line->state, SNOOP_CACHE_PROTOCOL_EVENT_EVICT);
  if (r->action == SNOOP_CACHE_ACTION_WRITE_BACK && cache_fault(cache) != SNOOP_CACHE_FAULT_VICTIM_DROPPED)
    cache_buffer_line(m, cache, i);
  const uint32_t before = line->state;
  line->state = r->next;
  cache_changed(m, cache, line, before);
  return 1;
}

/* The victim among a range of lines: a free one, or the oldest. Lines reserved for a fill stay. */
static uint32_t cache_oldest(sim *m, struct snoop_cache *cache, uint32_t first, uint32_t count) {
  uint32_t best = UINT32_MAX;
  for (uint32_t i = first; i < first + count; i++) {
    int reserved = 0;
    for (uint32_t slot = 0; slot < cache->state->slots; slot++)
      reserved |= cache_miss(cache, slot)->stage && cache_miss(cache, slot)->line == i;
    if (reserved) continue;
    const struct snoop_cache_lines *line = cache_line_at(m, cache, i);
    if (line->state == SNOOP_CACHE_LINE_INVALID) return i;
    if (best == UINT32_MAX || line->age < cache_line_at(m, cache, best)->age) best = i;
  }
  return best;
}

static uint32_t cache_victim(sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t index) {
  return cache_oldest(m, cache, cache_set_of(cache->state, addr, index), cache->state->ways);
}

/* Moves a used line of the assist cache into its set. Returns its new position, or UINT32_MAX if there is no
   room yet. */
static SIM_COLD uint32_t cache_promote(sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t from) {
  uint32_t to = cache_victim(m, cache, addr, cache_index(cache->state, addr));
  if (to == UINT32_MAX || !cache_evict(m, cache, to)) return UINT32_MAX;
  *cache_line_at(m, cache, to) = *cache_line_at(m, cache, from);
  cache_halves(m, cache, to)[0] = cache_halves(m, cache, from)[0];
  cache_halves(m, cache, to)[1] = cache_halves(m, cache, from)[1];
  cache_line_at(m, cache, from)->state = SNOOP_CACHE_LINE_INVALID;
  cache->counters->assisted++;
  sim_trace(m, cache->self, SNOOP_CACHE_EV_PROMOTED, addr, 0, 0);
  return to;
}

static void cache_begin_miss(
    sim *m, struct snoop_cache *cache, uint32_t slot, uint64_t addr, uint32_t line, uint32_t type) {
  cache_line_at(m, cache, line)->tag = cache_tag(cache->state, addr);
  *cache_miss(cache, slot) = (miss){
      SNOOP_CACHE_STAGE_WANTED, type, SNOOP_CACHE_LINE_INVALID, line, addr, 0, addr / HALF_BYTES & 1, 0, 0};
  cache_ask(m, cache);
}

#include "parts/cache/snoop_cache/stores.c"

static void cache_speculate_after(sim *m, struct snoop_cache *cache, uint64_t addr);

/* Requests the line at addr; returns 0 if something must happen first. */
static int cache_fetch(
    sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t protocol_event, uint32_t slot) {
  if (cache_store_arrives(cache, addr) || cache_buffered(cache, addr)) return 0;
  uint32_t index = cache_index(cache->state, addr), line = cache_victim(m, cache, addr, index);
  if (line == UINT32_MAX || !cache_evict(m, cache, line)) return 0;
  const protocol_row *r = protocol_read_row(m, cache, SNOOP_CACHE_LINE_INVALID, protocol_event);
  sim_trace_often(m, cache->self, SNOOP_CACHE_EV_MISS, addr, protocol_event, SNOOP_CACHE_LINE_INVALID);
  cache_begin_miss(m, cache, slot, addr, line,
      r->action == SNOOP_CACHE_ACTION_READ_SHARED ? RUNWAY_TYPE_READ_SHARED : RUNWAY_TYPE_READ_PRIVATE);
  return 1;
}

/* A store to a shared line: drops the copy and requests the line privately. */
static void cache_upgrade(sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t i, uint32_t slot) {
  sim_trace(
      m, cache->self, SNOOP_CACHE_EV_MISS, addr, SNOOP_CACHE_PROTOCOL_EVENT_STORE, SNOOP_CACHE_LINE_SHARED);
  cache_begin_miss(m, cache, slot, addr, i, RUNWAY_TYPE_READ_PRIVATE);
}

/* A load or store. Returns 1 when done, with the write read or made. */
SIM_INLINE int cache_try_access(
    sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t op, uint32_t bytes, uint32_t *write) {
  uint32_t protocol_event =
      op == CACHE_OP_STORE ? SNOOP_CACHE_PROTOCOL_EVENT_STORE : SNOOP_CACHE_PROTOCOL_EVENT_LOAD;
  uint32_t i = cache_find(m, cache, addr, cache_index(cache->state, addr)), fault = cache_fault(cache),
           slot = SLOT_DEMAND;
  if (cache->state->slots > SLOT_STORE && cache_is_blocked(m, cache, i, op, &slot)) {
    cache->state->retry = 1;
    return 0;
  }
  if (i == UINT32_MAX) {
    int begun = cache_fetch(m, cache, addr, protocol_event, slot);
    cache->state->retry = !begun;
    cache->counters->misses += (uint32_t)begun;
    if (begun && op == CACHE_OP_LOAD) cache_speculate_after(m, cache, addr);
    return begun && cache_resume_access(cache, addr, bytes, slot);
  }
  if (i >= cache->state->main_lines && (i = cache_promote(m, cache, addr, i)) == UINT32_MAX) {
    cache->state->retry = 1;
    return 0;
  }
  struct snoop_cache_lines *line = cache_line_at(m, cache, i);
  uint32_t before = line->state;
  const protocol_row *r = protocol_read_row(m, cache, before, protocol_event);
  line->state = r->next;
  if (r->action != SNOOP_CACHE_ACTION_HIT && fault != SNOOP_CACHE_FAULT_STORE_ON_SHARED) {
    cache->counters->misses++;
    cache_upgrade(m, cache, addr, i, slot);
    if (fault == SNOOP_CACHE_FAULT_LOAD_PASSES_STORE) line->state = before;
    return cache_resume_access(cache, addr, bytes, slot);
  }
  if (r->action != SNOOP_CACHE_ACTION_HIT) line->state = SNOOP_CACHE_LINE_PRIVATE_DIRTY;
  if (fault == SNOOP_CACHE_FAULT_STORE_STAYS_CLEAN) line->state = before;
  cache_changed(m, cache, line, before);
  line->age = cache_next_age(m, cache);
  cache->counters->hits++;
  if (cache->state->slots > SLOT_STORE) cache_check_value(m, cache, addr);
  *write = cache_complete_access(m, cache, addr, op, cache_mask(addr, bytes), cache_halves(m, cache, i));
  return 1;
}

static int cache_is_uncached(struct snoop_cache *cache, uint64_t addr) {
  return addr - cache->params->uncached_from < cache->params->uncached;
}

/* The bus transaction of an access that bypasses the lines; RUNWAY_TYPE_NOTHING if it does not. */
static uint32_t cache_order_type(struct snoop_cache *cache, uint64_t addr, uint32_t op, uint32_t bytes) {
  int uncached = cache_is_uncached(cache, addr);
  if (op == CACHE_OP_FLUSH) return RUNWAY_TYPE_FLUSH;
  if (op == CACHE_OP_PURGE) return RUNWAY_TYPE_PURGE;
  if (op == CACHE_OP_LOAD) return uncached ? RUNWAY_TYPE_READ_NONCOHERENT : RUNWAY_TYPE_NOTHING;
  if (uncached)
    return bytes < HALF_BYTES
               ? RUNWAY_TYPE_READ_NONCOHERENT
               : RUNWAY_TYPE_WRITE_NONCOHERENT; /* memory is written by half lines: the rest is read first */
  if (cache->params->policy != SNOOP_CACHE_POLICY_WRITE_THROUGH) return RUNWAY_TYPE_NOTHING;
  return bytes > HALF_BYTES ? RUNWAY_TYPE_WRITE32 : RUNWAY_TYPE_WRITE16_PURGE;
}

/* Whether an outstanding order of this cache is to the same line: a write-through store must be visible to
   the load after it. */
static int cache_ordered(const struct snoop_cache_state *s, uint64_t addr) {
  for (uint32_t i = 0; i < CACHE_ORDERS && s->orders; i++)
    if (s->order[i].mask && cache_same_line(s, s->order[i].addr, addr)) return 1;
  return 0;
}

/* Issues an order to the bus. Returns 1 if the processor can continue at once. */
static SIM_COLD int cache_order(
    sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t type, uint32_t op, uint32_t bytes) {
  uint64_t posted = op == CACHE_OP_STORE ? cache->params->stores : cache->params->orders;
  uint32_t i = 0;
  if (cache->state->ordering || cache->state->orders >= sim_max(posted, 1)) {
    cache->state->retry = 1;
    return 0;
  }
  while (cache->state->order[i].type) i++;
  cache->state->order[i] = (struct cache_order){.addr = addr,
      .type = type,
      .stage = SNOOP_CACHE_STAGE_WANTED,
      .mask = op == CACHE_OP_STORE ? cache_mask(addr, bytes) : 0};
  cache->state->ordering = i + 1;
  cache->state->orders++;
  cache_ask(m, cache);
  if (posted && type != RUNWAY_TYPE_READ_NONCOHERENT) return 1;
  cache->state->awaited = i + 1;
  return 0;
}

/* An access. Returns 1 when it is complete for the processor. */
static int cache_begin(
    sim *m, struct snoop_cache *cache, uint64_t addr, uint32_t op, uint32_t bytes, uint32_t *write) {
  if (op == CACHE_OP_EVICT) {
    uint32_t i = cache_find(m, cache, addr, cache_index(cache->state, addr));
    return i == UINT32_MAX || cache_evict(m, cache, i);
  }
  if (op == CACHE_OP_SYNC || (cache->state->orders && cache_ordered(cache->state, addr))) {
    cache->state->retry = cache->state->orders != 0 || cache_stores(cache);
    if (cache->state->retry || op == CACHE_OP_SYNC) return !cache->state->retry;
  }
  if (cache->state->slots > SLOT_STORE) {
    enum meeting met = cache_merge_store(cache, addr, op, bytes);
    cache->state->retry = met == MEETS_WAITS;
    if (met != MEETS_NOTHING) return met == MEETS_JOINS;
  }
  uint32_t type = cache_order_type(cache, addr, op, bytes);
  if (type) return cache_order(m, cache, addr, type, op, bytes);
  return cache_try_access(m, cache, addr, op, bytes, write);
}

static uint32_t snoop_cache_cpu_access(sim *m, struct snoop_cache *cache, struct cache_access *q) {
  struct snoop_cache_now *now = cache_now(cache);
  uint32_t op = q->op;
  if (now->busy) __builtin_trap(); /* one access at a time */
  q->write = 0;
  int plain = cache->state->plain && cache->state->orders == 0 && op <= CACHE_OP_STORE;
  if (plain ? cache_try_access(m, cache, q->address, op, q->bytes, &q->write)
            : cache_begin(m, cache, q->address, op, q->bytes, &q->write))
    return 1;
  if (op == CACHE_OP_EVICT) return 0;
  cache->state->after = q->time;
  now->busy = 1;
  now->op = op;
  now->addr = q->address;
  now->bytes = q->bytes;
  return 0;
}

static void cache_done(sim *m, struct snoop_cache *cache, uint32_t write, uint64_t time) {
  struct snoop_cache_now *now = cache_now(cache);
  now->busy = 0;
  send_cache_done(m, cache->self, SNOOP_CACHE_PORT_CPU, time + cache->state->after, SIM_PHASE_ANSWER,
      (struct cache_done){.address = now->addr, .write = sim_exploring(m) ? 0 : write, .op = now->op});
}

/* Retries the processor's access after an event that it waited for. */
static void cache_retry(sim *m, struct snoop_cache *cache) {
  const struct snoop_cache_now *now = cache_now(cache);
  uint32_t write = 0;
  if (!cache->state->retry) return;
  cache->state->retry = 0;
  if (cache_begin(m, cache, now->addr, now->op, now->bytes, &write)) cache_done(m, cache, write, 0);
}

/* Possibly prefetches the next line of the page with a load miss. */
static void cache_speculate(sim *m, struct snoop_cache *cache, uint64_t addr) {
  uint64_t one_in = cache->params->speculate, next = (addr | ((1ull << cache->state->line_shift) - 1)) + 1;
  if (one_in == 0 || next % CACHE_PAGE == 0 || cache_miss(cache, SLOT_SPECULATIVE)->stage) return;
  if (cache_is_uncached(cache, next) || cache_store_arrives(cache, next)) return;
  uint32_t index = cache_index(cache->state, next), assist = cache->state->lines - cache->state->main_lines;
  uint32_t line =
      assist ? cache_oldest(m, cache, cache->state->main_lines, assist) : cache_victim(m, cache, next, index);
  if (line == UINT32_MAX || cache_find(m, cache, next, index) != UINT32_MAX || cache_buffered(cache, next))
    return;
  if (sim_choose(m, SIM_CHOOSE_SPECULATE, (uint32_t)one_in) != 0 || !cache_evict(m, cache, line)) return;
  cache->counters->speculated++;
  sim_trace(m, cache->self, SNOOP_CACHE_EV_SPECULATED, next, 0, 0);
  cache_begin_miss(m, cache, SLOT_SPECULATIVE, next, line, RUNWAY_TYPE_READ_SHARED);
}

/* Requests the next line with the miss, or some time later. */
static void cache_speculate_after(sim *m, struct snoop_cache *cache, uint64_t addr) {
  if (cache->params->speculate == 0) return;
  if (cache->params->speculate_after == 0 || sim_exploring(m)) {
    cache_speculate(m, cache, addr);
    return;
  }
  int pending = cache->state->speculate_next != 0;
  cache->state->speculate_next = addr + 1;
  if (!pending)
    sim_schedule(m, cache->self, cache->params->speculate_after, SIM_PHASE_REQUEST, CACHE_SPECULATE);
}
