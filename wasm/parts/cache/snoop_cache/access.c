/* The processor's side: hits, misses, victims, fills. */
#include "parts/cache/snoop_cache/snoop_cache.h"

/* The virtual page number, as far as an index can hold it. */
static inline uint32_t cache_index(const struct snoop_cache_state *s, uint64_t addr) { return (uint32_t)((addr + s->offset) / CACHE_PAGE) & 0xfffu; }

static inline uint32_t cache_tag(const struct snoop_cache_state *s, uint64_t addr) { return (uint32_t)(addr >> s->line_shift) + 1; }

/* The first line of the set for an address in the page with this index. */
static inline uint32_t cache_set_of(const struct snoop_cache_state *s, uint64_t addr, uint32_t index) {
  uint64_t indexed = (uint64_t)index * CACHE_PAGE | (addr & (CACHE_PAGE - 1));
  return (uint32_t)(indexed >> s->line_shift & (s->sets - 1)) * s->ways;
}

static SIM_COLD uint32_t cache_find_in_assist(sim *m, struct snoop_cache_state *s, uint32_t tag) {
  for (uint32_t i = s->main_lines; i < s->lines; i++) {
    const struct snoop_cache_lines *line = cache_line_at(m, s, i);
    if (line->tag == tag && line->state != SNOOP_CACHE_LINE_INVALID) return i;
  }
  return UINT32_MAX;
}

/* Index of the line that holds addr, or UINT32_MAX. */
static inline uint32_t cache_find(sim *m, struct snoop_cache_state *s, uint64_t addr, uint32_t index) {
  uint32_t set = cache_set_of(s, addr, index), tag = cache_tag(s, addr);
  const struct snoop_cache_lines *line = cache_line_at(m, s, set);
  for (uint32_t i = set, end = set + s->ways; i < end; i++, line++)
    if (line->tag == tag && line->state != SNOOP_CACHE_LINE_INVALID) return i;
  return s->lines == s->main_lines ? UINT32_MAX : cache_find_in_assist(m, s, tag);
}

static inline int cache_same_line(const struct snoop_cache_state *s, uint64_t a, uint64_t b) { return a >> s->line_shift == b >> s->line_shift; }

static inline void cache_ask(sim *m, uint32_t self) { call_runway_request(m, self, SNOOP_CACHE_PORT_BUS); }

static uint32_t cache_fault(sim *m, uint32_t self) { return (uint32_t)SIM_PARAMS(m, self, snoop_cache)->fault; }

/* Ages are 31 bits; on overflow all lines become equally old. */
static uint32_t cache_next_age(sim *m, struct snoop_cache_state *s) {
  if (++s->age >= 1u << 31) {
    for (uint32_t i = 0; i < s->lines; i++) cache_line_at(m, s, i)->age = 0;
    s->age = 1;
  }
  return s->age;
}

/* Half lines that an access touches, as bits. */
static inline uint32_t cache_mask(uint64_t addr, uint32_t bytes) { return bytes > HALF_BYTES ? 3 : 1u << (addr / HALF_BYTES & 1); }

static SIM_COLD void cache_stale(sim *m, uint32_t self, uint64_t addr, uint32_t write, uint32_t newest) {
  SIM_COUNTERS(m, self, snoop_cache)->stale_reads++;
  sim_broken(m, self, SIM_CURRENT_LOAD, addr);
  sim_trace(m, self, SNOOP_CACHE_EV_STALE, addr, write, newest);
}

/* Both halves of a tracked line. */
static inline struct shadow_word *cache_cells(sim *m, struct snoop_cache_state *s, uint64_t addr) { return shadow_word_in(m, &s->shadow, addr & ~(uint64_t)(RUNWAY_LINE - 1), HALF_SHIFT); }

/* Compares the writes that a load sees with the newest. */
static inline void cache_check(sim *m, uint32_t self, uint64_t addr, uint32_t mask, const uint32_t *halves) {
  const struct shadow_word *cells = cache_cells(m, SIM_STATE(m, self, snoop_cache), addr);
  for (uint32_t half = 0; cells && half < LINE_HALVES; half++)
    if (mask & 1u << half && halves[half] != cells[half].newest) cache_stale(m, self, (addr & ~(uint64_t)(RUNWAY_LINE - 1)) + half * HALF_BYTES, halves[half], cells[half].newest);
}

/* Executes the processor's access on a line that is present in a permitted state. */
static inline uint32_t cache_complete_access(sim *m, uint32_t self, uint64_t addr, uint32_t op, uint32_t mask, uint32_t *halves) {
  struct shadow_word *cells = cache_cells(m, SIM_STATE(m, self, snoop_cache), addr);
  if (op != CACHE_OP_STORE) cache_check(m, self, addr, mask, halves);
  for (uint32_t half = 0; half < LINE_HALVES && op == CACHE_OP_STORE; half++)
    if (mask & 1u << half) halves[half] = cells ? cells[half].newest = sim_new_write(m) : 0;
  return halves[mask >> 1];
}

static int cache_buffered(sim *m, struct snoop_cache_state *s, uint64_t addr) {
  for (uint32_t i = 0; i < cache_now(m, s)->write_backs; i++)
    if (cache_same_line(s, cache_buffer(m, s)[i].addr, addr)) return 1;
  return 0;
}

static int cache_has_free_mshr(sim *m, uint32_t self) {
  return cache_now(m, SIM_STATE(m, self, snoop_cache))->write_backs < SIM_PARAMS(m, self, snoop_cache)->buffer;
}

/* Moves a dirty line to the write-back buffer, if there is room. */
static void cache_buffer_line(sim *m, uint32_t self, uint32_t i) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  uint64_t addr = (uint64_t)(cache_line_at(m, s, i)->tag - 1) << s->line_shift;
  const uint32_t *halves = cache_halves(m, s, i);
  cache_buffer(m, s)[cache_now(m, s)->write_backs++] = (struct snoop_cache_write_backs){addr, halves[0], halves[1]};
  cache_ask(m, self);
}

/* A line changes its state by what its own processor does: shown, but not what later events follow from. */
static void cache_changed(sim *m, uint32_t self, const struct snoop_cache_lines *line, uint32_t before) {
  if (line->state == before) return;
  uint32_t cause = m->cause;
  sim_trace(m, self, SNOOP_CACHE_EV_ROW, (uint64_t)(line->tag - 1) << SIM_STATE(m, self, snoop_cache)->line_shift, before, line->state);
  m->cause = cause;
}

/* Frees line i; returns 0 if there is no room yet for its dirty data. */
static int cache_evict(sim *m, uint32_t self, uint32_t i) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  struct snoop_cache_lines *line = cache_line_at(m, s, i);
  if (line->state == SNOOP_CACHE_LINE_INVALID) return 1;
  if (line->state == SNOOP_CACHE_LINE_PRIVATE_DIRTY && !cache_has_free_mshr(m, self)) return 0;
  const protocol_row *r = protocol_read_row(m, s, line->state, SNOOP_CACHE_PROTOCOL_EVENT_EVICT);
  if (r->action == SNOOP_CACHE_ACTION_WRITE_BACK && cache_fault(m, self) != SNOOP_CACHE_FAULT_VICTIM_DROPPED) cache_buffer_line(m, self, i);
  const uint32_t before = line->state;
  line->state = r->next;
  cache_changed(m, self, line, before);
  return 1;
}

/* The victim among a range of lines: a free one, or the oldest. Lines reserved for a fill stay. */
static uint32_t cache_oldest(sim *m, struct snoop_cache_state *s, uint32_t first, uint32_t count) {
  uint32_t best = UINT32_MAX;
  for (uint32_t i = first; i < first + count; i++) {
    int reserved = 0;
    for (uint32_t slot = 0; slot < s->slots; slot++) reserved |= cache_miss(m, s, slot)->stage && cache_miss(m, s, slot)->line == i;
    if (reserved) continue;
    const struct snoop_cache_lines *line = cache_line_at(m, s, i);
    if (line->state == SNOOP_CACHE_LINE_INVALID) return i;
    if (best == UINT32_MAX || line->age < cache_line_at(m, s, best)->age) best = i;
  }
  return best;
}

static uint32_t cache_victim(sim *m, struct snoop_cache_state *s, uint64_t addr, uint32_t index) { return cache_oldest(m, s, cache_set_of(s, addr, index), s->ways); }

/* Moves a used line of the assist cache into its set. Returns its new position, or UINT32_MAX if there is no room
   yet. */
static SIM_COLD uint32_t cache_promote(sim *m, uint32_t self, uint64_t addr, uint32_t from) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  uint32_t to = cache_victim(m, s, addr, cache_index(s, addr));
  if (to == UINT32_MAX || !cache_evict(m, self, to)) return UINT32_MAX;
  *cache_line_at(m, s, to) = *cache_line_at(m, s, from);
  cache_halves(m, s, to)[0] = cache_halves(m, s, from)[0];
  cache_halves(m, s, to)[1] = cache_halves(m, s, from)[1];
  cache_line_at(m, s, from)->state = SNOOP_CACHE_LINE_INVALID;
  SIM_COUNTERS(m, self, snoop_cache)->assisted++;
  sim_trace(m, self, SNOOP_CACHE_EV_PROMOTED, addr, 0, 0);
  return to;
}

static void cache_begin_miss(sim *m, uint32_t self, uint32_t slot, uint64_t addr, uint32_t line, uint32_t type) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  cache_line_at(m, s, line)->tag = cache_tag(s, addr);
  *cache_miss(m, s, slot) = (miss){SNOOP_CACHE_STAGE_WANTED, type, SNOOP_CACHE_LINE_INVALID, line, addr, 0, addr / HALF_BYTES & 1, 0, 0};
  cache_ask(m, self);
}

#include "parts/cache/snoop_cache/stores.c"

static void cache_speculate_after(sim *m, uint32_t self, uint64_t addr);

/* Requests the line at addr; returns 0 if something must happen first. */
static int cache_fetch(sim *m, uint32_t self, uint64_t addr, uint32_t protocol_event, uint32_t slot) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  if (cache_store_arrives(m, s, addr) || cache_buffered(m, s, addr)) return 0;
  uint32_t index = cache_index(s, addr), line = cache_victim(m, s, addr, index);
  if (line == UINT32_MAX || !cache_evict(m, self, line)) return 0;
  const protocol_row *r = protocol_read_row(m, s, SNOOP_CACHE_LINE_INVALID, protocol_event);
  sim_trace_often(m, self, SNOOP_CACHE_EV_MISS, addr, protocol_event, SNOOP_CACHE_LINE_INVALID);
  cache_begin_miss(m, self, slot, addr, line, r->action == SNOOP_CACHE_ACTION_READ_SHARED ? RUNWAY_TYPE_READ_SHARED : RUNWAY_TYPE_READ_PRIVATE);
  return 1;
}

/* A store to a shared line: drops the copy and requests the line privately. */
static void cache_upgrade(sim *m, uint32_t self, uint64_t addr, uint32_t i, uint32_t slot) {
  sim_trace(m, self, SNOOP_CACHE_EV_MISS, addr, SNOOP_CACHE_PROTOCOL_EVENT_STORE, SNOOP_CACHE_LINE_SHARED);
  cache_begin_miss(m, self, slot, addr, i, RUNWAY_TYPE_READ_PRIVATE);
}

/* A load or store. Returns 1 when done, with the write read or made. */
static int cache_try_access(sim *m, uint32_t self, uint64_t addr, uint32_t op, uint32_t bytes, uint32_t *write) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  struct snoop_cache_counters *c = SIM_COUNTERS(m, self, snoop_cache);
  uint32_t protocol_event = op == CACHE_OP_STORE ? SNOOP_CACHE_PROTOCOL_EVENT_STORE : SNOOP_CACHE_PROTOCOL_EVENT_LOAD;
  uint32_t i = cache_find(m, s, addr, cache_index(s, addr)), fault = cache_fault(m, self), slot = SLOT_DEMAND;
  if (s->slots > SLOT_STORE && cache_is_blocked(m, self, i, op, &slot)) {
    s->retry = 1;
    return 0;
  }
  if (i == UINT32_MAX) {
    int begun = cache_fetch(m, self, addr, protocol_event, slot);
    s->retry = !begun;
    c->misses += (uint32_t)begun;
    if (begun && op == CACHE_OP_LOAD) cache_speculate_after(m, self, addr);
    return begun && cache_resume_access(m, self, addr, bytes, slot);
  }
  if (i >= s->main_lines && (i = cache_promote(m, self, addr, i)) == UINT32_MAX) {
    s->retry = 1;
    return 0;
  }
  struct snoop_cache_lines *line = cache_line_at(m, s, i);
  uint32_t before = line->state;
  const protocol_row *r = protocol_read_row(m, s, before, protocol_event);
  line->state = r->next;
  if (r->action != SNOOP_CACHE_ACTION_HIT && fault != SNOOP_CACHE_FAULT_STORE_ON_SHARED) {
    c->misses++;
    cache_upgrade(m, self, addr, i, slot);
    if (fault == SNOOP_CACHE_FAULT_LOAD_PASSES_STORE) line->state = before;
    return cache_resume_access(m, self, addr, bytes, slot);
  }
  if (r->action != SNOOP_CACHE_ACTION_HIT) line->state = SNOOP_CACHE_LINE_PRIVATE_DIRTY;
  if (fault == SNOOP_CACHE_FAULT_STORE_STAYS_CLEAN) line->state = before;
  cache_changed(m, self, line, before);
  line->age = cache_next_age(m, s);
  c->hits++;
  if (s->slots > SLOT_STORE) cache_check_value(m, self, addr);
  *write = cache_complete_access(m, self, addr, op, cache_mask(addr, bytes), cache_halves(m, s, i));
  return 1;
}

static int cache_is_uncached(sim *m, uint32_t self, uint64_t addr) {
  const struct snoop_cache_params *q = SIM_PARAMS(m, self, snoop_cache);
  return addr - q->uncached_from < q->uncached;
}

/* The bus transaction of an access that bypasses the lines; RUNWAY_TYPE_NOTHING if it does not. */
static uint32_t cache_order_type(sim *m, uint32_t self, uint64_t addr, uint32_t op, uint32_t bytes) {
  int uncached = cache_is_uncached(m, self, addr);
  if (op == CACHE_OP_FLUSH) return RUNWAY_TYPE_FLUSH;
  if (op == CACHE_OP_PURGE) return RUNWAY_TYPE_PURGE;
  if (op == CACHE_OP_LOAD) return uncached ? RUNWAY_TYPE_READ_NONCOHERENT : RUNWAY_TYPE_NOTHING;
  if (uncached) return bytes < HALF_BYTES ? RUNWAY_TYPE_READ_NONCOHERENT : RUNWAY_TYPE_WRITE_NONCOHERENT; /* memory is written by half lines: the rest is read first */
  if (SIM_PARAMS(m, self, snoop_cache)->policy != SNOOP_CACHE_POLICY_WRITE_THROUGH) return RUNWAY_TYPE_NOTHING;
  return bytes > HALF_BYTES ? RUNWAY_TYPE_WRITE32 : RUNWAY_TYPE_WRITE16_PURGE;
}

/* Whether an outstanding order of this cache is to the same line: a write-through store must be visible to the load
   after it. */
static int cache_ordered(const struct snoop_cache_state *s, uint64_t addr) {
  for (uint32_t i = 0; i < CACHE_ORDERS && s->orders; i++)
    if (s->order[i].mask && cache_same_line(s, s->order[i].addr, addr)) return 1;
  return 0;
}

/* Issues an order to the bus. Returns 1 if the processor can continue at once. */
static SIM_COLD int cache_order(sim *m, uint32_t self, uint64_t addr, uint32_t type, uint32_t op, uint32_t bytes) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  const struct snoop_cache_params *q = SIM_PARAMS(m, self, snoop_cache);
  uint64_t posted = op == CACHE_OP_STORE ? q->stores : q->orders;
  uint32_t i = 0;
  if (s->ordering || s->orders >= sim_max(posted, 1)) {
    s->retry = 1;
    return 0;
  }
  while (s->order[i].type) i++;
  s->order[i] = (struct cache_order){.addr = addr, .type = type, .stage = SNOOP_CACHE_STAGE_WANTED, .mask = op == CACHE_OP_STORE ? cache_mask(addr, bytes) : 0};
  s->ordering = i + 1;
  s->orders++;
  cache_ask(m, self);
  if (posted && type != RUNWAY_TYPE_READ_NONCOHERENT) return 1;
  s->awaited = i + 1;
  return 0;
}

/* An access. Returns 1 when it is complete for the processor. */
static int cache_begin(sim *m, uint32_t self, uint64_t addr, uint32_t op, uint32_t bytes, uint32_t *write) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  if (op == CACHE_OP_EVICT) {
    uint32_t i = cache_find(m, s, addr, cache_index(s, addr));
    return i == UINT32_MAX || cache_evict(m, self, i);
  }
  if (op == CACHE_OP_SYNC || (s->orders && cache_ordered(s, addr))) {
    s->retry = s->orders != 0 || cache_stores(m, s);
    if (s->retry || op == CACHE_OP_SYNC) return !s->retry;
  }
  if (s->slots > SLOT_STORE) {
    enum meeting met = cache_merge_store(m, self, addr, op, bytes);
    s->retry = met == MEETS_WAITS;
    if (met != MEETS_NOTHING) return met == MEETS_JOINS;
  }
  uint32_t type = cache_order_type(m, self, addr, op, bytes);
  if (type) return cache_order(m, self, addr, type, op, bytes);
  return cache_try_access(m, self, addr, op, bytes, write);
}

static uint32_t snoop_cache_cpu_access(sim *m, uint32_t self, struct cache_access *q) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  struct snoop_cache_now *now = cache_now(m, s);
  uint32_t op = q->op;
  if (now->busy) __builtin_trap(); /* one access at a time */
  q->write = 0;
  int plain = s->plain && s->orders == 0 && op <= CACHE_OP_STORE;
  if (plain ? cache_try_access(m, self, q->address, op, q->bytes, &q->write) : cache_begin(m, self, q->address, op, q->bytes, &q->write)) return 1;
  if (op == CACHE_OP_EVICT) return 0;
  s->after = q->time;
  now->busy = 1;
  now->op = op;
  now->addr = q->address;
  now->bytes = q->bytes;
  return 0;
}

static void cache_done(sim *m, uint32_t self, uint32_t write, uint64_t time) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  struct snoop_cache_now *now = cache_now(m, s);
  now->busy = 0;
  send_cache_done(m, self, SNOOP_CACHE_PORT_CPU, time + s->after, SIM_PHASE_ANSWER, (struct cache_done){.address = now->addr, .write = sim_exploring(m) ? 0 : write, .op = now->op});
}

/* Retries the processor's access after an event that it waited for. */
static void cache_retry(sim *m, uint32_t self) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  const struct snoop_cache_now *now = cache_now(m, s);
  uint32_t write = 0;
  if (!s->retry) return;
  s->retry = 0;
  if (cache_begin(m, self, now->addr, now->op, now->bytes, &write)) cache_done(m, self, write, 0);
}

/* Possibly prefetches the next line of the page with a load miss. */
static void cache_speculate(sim *m, uint32_t self, uint64_t addr) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  uint64_t one_in = SIM_PARAMS(m, self, snoop_cache)->speculate, next = (addr | ((1ull << s->line_shift) - 1)) + 1;
  if (one_in == 0 || next % CACHE_PAGE == 0 || cache_miss(m, s, SLOT_SPECULATIVE)->stage) return;
  if (cache_is_uncached(m, self, next) || cache_store_arrives(m, s, next)) return;
  uint32_t index = cache_index(s, next), assist = s->lines - s->main_lines;
  uint32_t line = assist ? cache_oldest(m, s, s->main_lines, assist) : cache_victim(m, s, next, index);
  if (line == UINT32_MAX || cache_find(m, s, next, index) != UINT32_MAX || cache_buffered(m, s, next)) return;
  if (sim_choose(m, SIM_CHOOSE_SPECULATE, (uint32_t)one_in) != 0 || !cache_evict(m, self, line)) return;
  SIM_COUNTERS(m, self, snoop_cache)->speculated++;
  sim_trace(m, self, SNOOP_CACHE_EV_SPECULATED, next, 0, 0);
  cache_begin_miss(m, self, SLOT_SPECULATIVE, next, line, RUNWAY_TYPE_READ_SHARED);
}

/* Requests the next line with the miss, or some time later. */
static void cache_speculate_after(sim *m, uint32_t self, uint64_t addr) {
  struct snoop_cache_state *s = SIM_STATE(m, self, snoop_cache);
  const struct snoop_cache_params *q = SIM_PARAMS(m, self, snoop_cache);
  if (q->speculate == 0) return;
  if (q->speculate_after == 0 || sim_exploring(m)) {
    cache_speculate(m, self, addr);
    return;
  }
  int pending = s->speculate_next != 0;
  s->speculate_next = addr + 1;
  if (!pending) sim_schedule(m, self, q->speculate_after, SIM_PHASE_REQUEST, CACHE_SPECULATE);
}
