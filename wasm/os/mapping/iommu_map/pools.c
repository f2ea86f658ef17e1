/*
 * Pools, hints and the flush flag: set-up of a table, the steps of an allocation, freeing. The rules of map.h
 * mark deviations from the kernel.
 */
#ifndef SIM_IOMMU_MAP_POOLS
#define SIM_IOMMU_MAP_POOLS

#include "os/mapping/iommu_map/map.h"

#include "os/mapping/iommu_map/search.c"

static inline int map_has(const struct map_head *h, uint32_t rule) { return (h->rules & rule) != 0; }

static void map_set_pool(struct map_table *t, uint32_t number, uint32_t start, uint32_t end) {
  t->pools[number] = (struct map_pool){.start = start, .end = end, .hint = start};
}

/* Sets up a table in zeroed memory: entries bits, MAP_ROWS pools. Settings rejected here would crash the
 * kernel. */
static MAP_SMALL enum map_problem map_setup(struct map_table *t, const struct map_setup *s) {
  struct map_head *h = t->head;
  uint32_t np = s->npools ? s->npools : MAP_POOLS;
  int large = (s->rules & RULE_LARGE) != 0;
  uint32_t shared = large ? (uint32_t)((uint64_t)s->entries * 3 / 4) : s->entries;
  if (np > MAP_POOLS) return MAP_TOO_MANY_POOLS;
  if (s->entries == 0) return MAP_NO_ENTRIES;
  if (shared / np == 0) return MAP_EMPTY_POOLS;
  *h = (struct map_head){.base = s->base,
      .offset = s->base >> s->shift,
      .boundary = (s->boundary >> s->shift) + 1,
      .entries = s->entries,
      .npools = np,
      .pool_size = shared / np,
      .shift = s->shift,
      .rules = s->rules,
      .cutoff = MAP_CUTOFF};
  if (h->boundary == 0) return MAP_NO_BOUNDARY;
  uint32_t less = map_has(h, RULE_END_EXACT | RULE_END_EXCLUSIVE) ? 0 : 1;
  for (uint32_t i = 0; i < np; i++) map_set_pool(t, i, i * h->pool_size, (i + 1) * h->pool_size - less);
  if (large) map_set_pool(t, MAP_LARGE, np * h->pool_size, s->entries);
  else if (map_has(h, RULE_REMAINDER)) t->pools[np - 1].end = s->entries - less;
  return MAP_FINE;
}

/* 4-bit hash of a CPU's number: the top bits of a product. The multiplier changed with Linux 4.7. */
static inline uint32_t map_cpu_hash(uint32_t cpu, uint32_t multiplier) { return cpu * multiplier >> 28; }

/* The bit of the flush flags that a pool uses. */
static inline uint32_t map_flag(const struct map_head *h, uint32_t pool) {
  return map_has(h, RULE_POOL_FLAGS) ? (uint32_t)1 << pool : 1;
}

/* One access to the flag in a script; returns what it reads. */
static MAP_SMALL uint32_t map_scripted(struct map_script *s, uint32_t op, uint32_t value) {
  if (s->at < s->count) return s->loads >> s->at++ & 1;
  if (s->next == MAP_FLAG_NONE) {
    s->next = op;
    s->value = value;
  }
  return 0;
}

/* Reading, changing and writing the flag, which the kernel does without protection from other pools. */
static void map_set_flag(const struct map_table *t, uint32_t pool, int set) {
  uint32_t flag = map_flag(t->head, pool);
  if (t->script) {
    map_scripted(t->script, MAP_FLAG_LOAD, 0);
    map_scripted(t->script, MAP_FLAG_STORE, (uint32_t)set);
  } else if (set) {
    t->head->need_flush |= flag;
  } else {
    t->head->need_flush &= ~flag;
  }
}

static inline int map_needs_flush(const struct map_table *t, uint32_t pool) {
  if (t->script) return map_scripted(t->script, MAP_FLAG_LOAD, 0) != 0;
  return (t->head->need_flush & map_flag(t->head, pool)) != 0;
}

static uint32_t map_home_pool(const struct map_head *h, const struct map_request *q) {
  if (map_has(h, RULE_HOME_MODULO)) return q->cpu % h->npools;
  if (map_has(h, RULE_HOME_SCALED)) return q->hash * h->npools >> 4;
  return q->hash & (h->npools - 1);
}

static inline uint32_t map_next_pool(const struct map_head *h, uint32_t number) {
  return map_has(h, RULE_ALL_POOLS) ? (number + 1) % h->npools : (number + 1) & (h->npools - 1);
}

/* Begins an allocation: MAP_LOCK if the lock of q->pool is needed, MAP_FAILED for a request of nothing. */
static MAP_OUT_OF_LINE enum map_step map_begin(struct map_table *t, struct map_request *q) {
  struct map_head *h = t->head;
  q->result = MAP_NONE;
  q->words = q->pass = q->locks = q->rescan = q->flushed = q->fatal = 0;
  q->stage = MAP_OWN;
  if (q->pages == 0) {
    h->failures++;
    return MAP_FAILED;
  }
  q->large = map_has(h, RULE_LARGE) && q->pages > h->cutoff;
  q->number = map_home_pool(h, q);
  q->pool = q->large ? MAP_LARGE : q->number;
  return MAP_LOCK;
}

/* Where a search begins in the pool that is held, and where it ends. */
static void map_range(const struct map_table *t, struct map_request *q) {
  const struct map_pool *pool = &t->pools[q->pool];
  int sim_handle =
      q->pass == 0 && q->has_handle && q->handle != 0 && q->handle >= pool->start && q->handle < pool->end;
  q->start = sim_handle                                      ? q->handle
             : q->rescan || map_has(t->head, RULE_FIRST_FIT) ? pool->start
                                                             : pool->hint;
  q->limit = pool->end;
  if (q->start >= q->limit) q->start = pool->start;
}

/* Narrows the range to the entries that a device limited to `mask` can use; 1 if pool 0's lock is needed for
 * it. */
static int map_clip_to_mask(const struct map_table *t, struct map_request *q) {
  const struct map_head *h = t->head;
  if (q->limit + h->offset <= q->mask) return 0;
  uint64_t limit = q->mask - h->offset + 1;
  if (map_has(h, RULE_OWN_LIMIT)) {
    const struct map_pool *pool = &t->pools[q->pool];
    q->limit = q->mask < h->offset ? 0 : limit < q->limit ? limit : q->limit;
    if (q->start >= q->limit) q->start = pool->start;
    return 0;
  }
  q->limit = limit;
  if ((q->start & q->mask) >= limit || q->pass > 0) return 1;
  q->start &= q->mask;
  return 0;
}

static enum map_step map_take_range(struct map_table *t, struct map_request *q, uint64_t index) {
  struct map_head *h = t->head;
  struct map_pool *pool = &t->pools[q->pool];
  uint64_t end = index + q->pages;
  map_write_bits(t->bits, index, q->pages, 1);
  if (map_has(h, RULE_LAZY) && (index < pool->hint || map_needs_flush(t, q->pool))) {
    map_set_flag(t, q->pool, 0);
    if (t->script) map_scripted(t->script, MAP_FLAG_FLUSH, 0);
    h->flushes++;
    q->flushed = 1;
  }
  if (t->freed) {
    uint32_t since = 0, now = (uint32_t)h->flushes + 1;
    for (uint64_t e = index; e < end; e++) since |= t->freed[e] == now;
    h->reused += since;
  }
  int block = map_has(h, RULE_BLOCK_HINT) && q->pages <= h->cutoff;
  pool->hint = (uint32_t)(block ? (end + 15) & ~(uint64_t)15 : end);
  q->handle = end;
  q->result = index;
  h->allocations++;
  h->words += q->words;
  return MAP_GOT;
}

static enum map_step map_give_up(struct map_table *t, struct map_request *q) {
  t->head->failures++;
  t->head->words += q->words;
  return MAP_FAILED;
}

/* Searches the whole pool again, after the search from its hint found nothing. */
static void map_wrap_search(struct map_table *t, struct map_request *q) {
  t->pools[q->pool].hint = t->pools[q->pool].start;
  map_set_flag(t, q->pool, 1);
  q->rescan = 1;
}

/* Whether the held pool was searched only from its hint, so that the part before it remains. */
static int map_has_more(const struct map_head *h, const struct map_request *q) {
  if (q->rescan || map_has(h, RULE_FIRST_FIT)) return 0;
  return q->pass == 0 || (q->stage == MAP_NEIGHBOUR && map_has(h, RULE_KEEP_CURSOR));
}

/* After an unsuccessful search: 1 to search again in the same pool, 0 to take q->pool's lock, -1 to give up.
 */
static int map_continue_search(struct map_table *t, struct map_request *q) {
  const struct map_head *h = t->head;
  int more = map_has_more(h, q);
  if (q->fatal) return -1;
  if (more || q->pass == 0) map_wrap_search(t, q);
  q->pass += q->pass == 0;
  if (more) return 1;
  if (q->pass <= h->npools && (!q->large || map_has(h, RULE_LARGE_SPILLS))) {
    q->number = map_next_pool(h, q->number);
    q->pool = q->number;
    q->stage = MAP_NEIGHBOUR;
    return 0;
  }
  if (q->pass > h->npools + 1 || q->large || !map_has(h, RULE_LARGE) || !map_has(h, RULE_SMALL_TO_LARGE))
    return -1;
  q->pool = MAP_LARGE;
  q->stage = MAP_LAST;
  return 0;
}

/* On arrival in another pool, its lock held. */
static void map_enter_pool(struct map_table *t, struct map_request *q) {
  if (q->stage != MAP_NEIGHBOUR && q->stage != MAP_LAST) return;
  q->rescan = 0;
  q->pass++;
  if (map_has(t->head, RULE_KEEP_CURSOR) && q->stage == MAP_NEIGHBOUR) return;
  map_wrap_search(t, q);
}

/* Continues with the lock of q->pool held. On MAP_LOCK that lock must be released and q->pool's taken. */
static MAP_OUT_OF_LINE enum map_step map_search_step(struct map_table *t, struct map_request *q) {
  uint32_t stage = q->stage;
  t->pools[q->pool].acquisitions++;
  q->locks++;
  map_enter_pool(t, q);
  for (;;) {
    if (stage == MAP_MOVED) {
      q->start = t->pools[q->pool].start; /* of pool 0; the limit remains that of the previous pool */
      stage = MAP_OWN;
    } else {
      map_range(t, q);
      if (map_clip_to_mask(t, q)) {
        q->pool = 0;
        q->stage = MAP_MOVED;
        return MAP_LOCK;
      }
    }
    uint64_t index = map_search(t, q->limit - (map_has(t->head, RULE_END_EXACT) ? 0 : 1), q->start, q);
    if (t->last) t->last->result = (uint32_t)index;
    if (index != MAP_NONE) return map_take_range(t, q, index);
    int next = map_continue_search(t, q);
    if (next < 0) return map_give_up(t, q);
    if (next == 0) return MAP_LOCK;
  }
}

/* The pool whose lock protects an entry; MAP_ROWS if there is none, which would crash the kernel. */
static uint32_t map_pool_of(const struct map_table *t, uint64_t entry) {
  const struct map_head *h = t->head;
  if (map_has(h, RULE_LARGE) && entry >= t->pools[MAP_LARGE].start) return MAP_LARGE;
  uint64_t number = entry / h->pool_size;
  if (number >= h->npools && map_has(h, RULE_REMAINDER) && entry < h->entries) return h->npools - 1;
  return number < h->npools ? (uint32_t)number : MAP_ROWS;
}

static inline uint64_t map_entry_at(const struct map_head *h, uint64_t address) {
  return (address - h->base) >> h->shift;
}

/* Whether all entries are allocated, by one or several allocations. */
static int map_all_used(const struct map_table *t, uint64_t entry, uint64_t pages) {
  uint64_t words = 0;
  return map_next_bit(t->bits, entry + pages, entry, UINT64_MAX, &words) == entry + pages;
}

/* Frees entries with the lock of `pool` held; 0 if they are not allocated and that is rejected. */
static MAP_OUT_OF_LINE int map_free(struct map_table *t, uint32_t pool, uint64_t entry, uint64_t pages) {
  struct map_head *h = t->head;
  uint64_t left = entry < h->entries ? h->entries - entry : 0;
  int beyond = pages > left; /* the kernel would clear bits beyond its bitmap */
  if (beyond) pages = left;
  t->pools[pool].acquisitions++;
  if (beyond || !map_all_used(t, entry, pages)) {
    h->bad_frees++;
    if (map_has(h, RULE_CHECK_FREE)) return 0;
  }
  map_write_bits(t->bits, entry, pages, 0);
  map_forget_bounds(t, entry, pages);
  h->frees++;
  if (map_has(h, RULE_FLUSH_AHEAD) && entry + pages > t->pools[pool].hint) map_set_flag(t, pool, 1);
  if (t->freed)
    for (uint64_t e = entry; e < entry + pages; e++) t->freed[e] = (uint32_t)h->flushes + 1;
  return 1;
}

#endif
