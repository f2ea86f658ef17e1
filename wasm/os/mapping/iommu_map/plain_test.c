/*
 * Compares the allocator with a reference: one byte per entry, tried one after another in a loop, as in the
 * kernel's source. Both execute the same random calls under random rules and must agree in every result and
 * every counter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "os/mapping/iommu_map/batch.c"

#include <cmocka.h>

#define MOST 2048u
#define TABLES 150u
#define CALLS 250u

static struct {
  uint8_t used[MOST];
  uint64_t freed[MOST];
  struct {
    uint64_t start, end, hint, locks;
  } pool[MAP_ROWS];
  uint64_t boundary;
  uint64_t offset;
  uint64_t flushes;
  uint64_t reused;
  uint64_t searches;
  uint64_t strays;
  uint64_t failures;
  uint64_t bad;
  uint32_t entries;
  uint32_t pools;
  uint32_t size;
  uint32_t rules;
  uint32_t flags;
} p;

static int has(uint32_t rule) { return (p.rules & rule) != 0; }

static void plain_made(const struct map_setup *s) {
  memset(&p, 0, sizeof p);
  p.entries = s->entries, p.pools = s->npools ? s->npools : 16, p.rules = s->rules;
  p.offset = s->base >> s->shift, p.boundary = (s->boundary + 1) >> s->shift;
  p.size = (has(RULE_LARGE) ? p.entries * 3 / 4 : p.entries) / p.pools;
  uint32_t less = has(RULE_END_EXACT) || has(RULE_END_EXCLUSIVE) ? 0 : 1;
  for (uint32_t i = 0; i < p.pools; i++)
    p.pool[i].start = p.pool[i].hint = i * p.size, p.pool[i].end = (i + 1) * p.size - less;
  if (has(RULE_LARGE))
    p.pool[MAP_LARGE].start = p.pool[MAP_LARGE].hint = p.pools * p.size, p.pool[MAP_LARGE].end = p.entries;
  else if (has(RULE_REMAINDER)) p.pool[p.pools - 1].end = p.entries - less;
}

/* Returns the first place from `start` on where all entries are free, aligned and in one segment. Returns
 * MAP_NONE if there is none or if the kernel stops. */
static uint64_t plain_search(uint64_t size, uint64_t start, const struct map_op *op, uint32_t *fatal) {
  uint64_t segment = has(RULE_SKIP_SPAN) ? (uint64_t)p.size * p.pools : p.boundary,
           shift = has(RULE_SKIP_SPAN) ? 0 : p.offset, align = 1ull << op->align;
  p.searches++;
  if (size > p.entries) size = p.entries, p.strays++;
  for (uint64_t i = (start + align - 1) / align * align; i + op->pages <= size; i += align) {
    uint64_t free = 0;
    while (free < op->pages && !p.used[i + free]) free++;
    if (free < op->pages) continue;
    if (__builtin_popcountll(segment) != 1) {
      *fatal = 1;
      return MAP_NONE;
    }
    if ((shift + i) / segment == (shift + i + op->pages - 1) / segment) return i;
  }
  return MAP_NONE;
}

static uint32_t flag_of(uint32_t pool) { return has(RULE_POOL_FLAGS) ? 1u << pool : 1; }

static void plain_round(uint32_t pool) {
  p.pool[pool].hint = p.pool[pool].start;
  p.flags |= flag_of(pool);
}

static void plain_got(const struct map_op *op, uint32_t pool, uint64_t at, struct map_outcome *out) {
  uint64_t end = at + op->pages;
  int again = 0;
  if (has(RULE_LAZY) && (at < p.pool[pool].hint || p.flags & flag_of(pool)))
    p.flags &= ~flag_of(pool), p.flushes++;
  for (uint64_t e = at; e < end; e++) p.used[e] = 1, again |= p.freed[e] == p.flushes + 1;
  p.reused += (uint64_t)again;
  p.pool[pool].hint = has(RULE_BLOCK_HINT) && op->pages < 16 ? (end + 15) / 16 * 16 : end;
  out->result = at, out->handle = end, out->pool = pool;
}

static struct map_outcome plain_take(const struct map_op *op) {
  struct map_outcome out = {.result = MAP_NONE, .handle = op->handle, .pool = MAP_ROWS};
  int large = has(RULE_LARGE) && op->pages > 15, last = 0, neighbour = 0, again = 0;
  uint32_t number = has(RULE_HOME_MODULO)   ? op->cpu % p.pools
                    : has(RULE_HOME_SCALED) ? op->hash * p.pools / 16
                                            : op->hash & (p.pools - 1),
           pool = large ? MAP_LARGE : number, pass = 0;
  if (op->pages == 0) return p.failures++, out;
  p.pool[pool].locks++, out.locks++;
  for (;;) {
    uint64_t start = again || has(RULE_FIRST_FIT) ? p.pool[pool].start : p.pool[pool].hint,
             limit = p.pool[pool].end, reach = op->mask - p.offset + 1;
    if (pass == 0 && op->has_handle && op->handle && op->handle >= p.pool[pool].start && op->handle < limit)
      start = op->handle;
    if (start >= limit) start = p.pool[pool].start;
    if (limit + p.offset > op->mask && has(RULE_OWN_LIMIT)) {
      limit = op->mask < p.offset ? 0 : reach < limit ? reach : limit;
      if (start >= limit) start = p.pool[pool].start;
    } else if (limit + p.offset > op->mask) {
      limit = reach;
      if ((start & op->mask) >= limit || pass > 0)
        pool = 0, p.pool[0].locks++, out.locks++, start = p.pool[0].start, neighbour = 0, last = 0;
      else start &= op->mask;
    }
    uint64_t at = plain_search(has(RULE_END_EXACT) ? limit : limit - 1, start, op, &out.fatal);
    if (at != MAP_NONE) return plain_got(op, pool, at, &out), out;
    if (out.fatal) break;
    int first = pass == 0,
        rest = !again && !has(RULE_FIRST_FIT) && (first || (neighbour && has(RULE_KEEP_CURSOR)));
    if (first || rest) plain_round(pool), again = 1;
    if (first) pass = 1;
    if (rest) continue;
    if (pass <= p.pools && (!large || has(RULE_LARGE_SPILLS)))
      pool = number = has(RULE_ALL_POOLS) ? (number + 1) % p.pools : (number + 1) & (p.pools - 1),
      neighbour = 1, last = 0;
    else if (pass == p.pools + 1 && !large && has(RULE_LARGE) && has(RULE_SMALL_TO_LARGE))
      pool = MAP_LARGE, last = 1, neighbour = 0;
    else break;
    p.pool[pool].locks++, out.locks++, pass++, again = 0;
    if (last || !has(RULE_KEEP_CURSOR)) plain_round(pool), again = 1;
  }
  p.failures++;
  return out;
}

static struct map_outcome plain_give(const struct map_op *op) {
  uint64_t entry = op->handle, n = op->pages, left = entry < p.entries ? p.entries - entry : 0,
           number = entry / p.size;
  uint32_t pool = has(RULE_LARGE) && entry >= p.pool[MAP_LARGE].start ? MAP_LARGE
                  : number < p.pools                                  ? (uint32_t)number
                  : has(RULE_REMAINDER) && entry < p.entries          ? p.pools - 1
                                                                      : MAP_ROWS;
  struct map_outcome out = {.result = entry,
      .pool = pool,
      .locks = pool < MAP_ROWS,
      .fatal = pool == MAP_ROWS,
      .refused = pool == MAP_ROWS};
  if (pool == MAP_ROWS) return out;
  int bad = n > left;
  if (bad) n = left;
  p.pool[pool].locks++;
  for (uint64_t e = entry; e < entry + n; e++) bad |= !p.used[e];
  p.bad += (uint64_t)bad;
  out.refused = bad && has(RULE_CHECK_FREE);
  if (out.refused) return out;
  for (uint64_t e = entry; e < entry + n; e++) p.used[e] = 0, p.freed[e] = p.flushes + 1;
  if (has(RULE_FLUSH_AHEAD) && entry + n > p.pool[pool].hint) p.flags |= flag_of(pool);
  return out;
}

static struct {
  struct map_head head;
  struct map_pool pools[MAP_ROWS];
  uint64_t bits[MOST / 64];
  uint32_t freed[MOST];
  struct map_last last;
  struct map_probe probes[MAP_PROBES];
} memory;

static void assert_agrees(int bits) {
  const struct map_head *h = &memory.head;
  const uint64_t got[] = {
      h->flushes, h->reused, h->searches, h->strays, h->failures, h->bad_frees, h->need_flush};
  const uint64_t want[] = {p.flushes, p.reused, p.searches, p.strays, p.failures, p.bad, p.flags};
  assert_memory_equal(got, want, sizeof got);
  for (uint32_t i = 0; i < MAP_ROWS; i++) {
    const uint64_t pool[] = {
        memory.pools[i].start, memory.pools[i].end, memory.pools[i].hint, memory.pools[i].acquisitions};
    assert_memory_equal(pool, &p.pool[i], sizeof pool);
  }
  uint32_t wrong = 0;
  for (uint32_t e = 0; bits && e < p.entries; e++) wrong += (memory.bits[e / 64] >> e % 64 & 1) != p.used[e];
  assert_int_equal(wrong, 0);
}

static uint64_t seed;
static uint32_t dice(uint32_t n) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(seed >> 33) % n;
}

/* Returns a random setup with each rule in a third of the cases. Segments are powers of two, or sometimes
 * other sizes, on which the kernel stops. */
static struct map_setup any_setup(void) {
  struct map_setup s = {.shift = 12, .entries = 40 + dice(1000), .npools = dice(17)};
  for (uint32_t rule = 0; rule < 18; rule++) s.rules |= (uint32_t)(dice(3) == 0) << rule;
  s.base = dice(3) ? 0 : (uint64_t)dice(100) << 12;
  s.boundary = dice(2) ? UINT32_MAX : dice(10) ? (32ull << 12 << dice(5)) - 1 : (100ull << 12) - 1;
  return s;
}

/* Chooses the next call: free an allocation, rarely an entry that is not allocated, or allocate, at times for
 * a device with a low address limit. */
static struct map_op any_call(const uint64_t *live, const uint32_t *pages, uint32_t n) {
  uint32_t which = n ? dice(n) : 0;
  if (n && dice(20) == 0)
    return (struct map_op){.kind = MAP_OP_FREE, .handle = dice(p.entries + 9), .pages = dice(20)};
  if (n && dice(9) < 4)
    return (struct map_op){.kind = MAP_OP_FREE, .handle = live[which], .pages = pages[which]};
  struct map_op op = {.kind = MAP_OP_ALLOC,
      .cpu = dice(64),
      .hash = dice(16),
      .mask = UINT64_MAX,
      .pages = dice(4)   ? dice(8)
               : dice(9) ? dice(40)
                         : 60 + dice(80),
      .align = dice(4) ? 0 : dice(6)};
  if (dice(4) == 0) op.mask = p.offset + dice(p.entries);
  if (dice(4) == 0) op.has_handle = 1, op.handle = dice(p.entries + 9);
  return op;
}

static void both_allocators_agree(void **state) {
  (void)state;
  for (uint32_t k = 0; k < TABLES; k++) {
    uint64_t live[CALLS];
    uint32_t pages[CALLS], n = 0;
    memset(&memory, 0, sizeof memory);
    struct map_table t = {.head = &memory.head,
        .pools = memory.pools,
        .bits = memory.bits,
        .freed = memory.freed,
        .last = &memory.last,
        .probes = memory.probes};
    seed = k;
    struct map_setup s = any_setup();
    if (map_setup(&t, &s) != MAP_FINE) continue;
    plain_made(&s);
    for (uint32_t i = 0; i < CALLS; i++) {
      struct map_op op = any_call(live, pages, n);
      struct map_outcome got, want = op.kind == MAP_OP_FREE ? plain_give(&op) : plain_take(&op);
      map_batch(&t, &op, &got, 1);
      want.words = got.words, want.flushes = (uint32_t)p.flushes;
      if (memcmp(&got, &want, sizeof got))
        fail_msg("table %u, call %u: %llu (%u locks, pool %u), not %llu (%u, %u)", k, i,
            (unsigned long long)got.result, got.locks, got.pool, (unsigned long long)want.result, want.locks,
            want.pool);
      if (op.kind == MAP_OP_ALLOC && want.result != MAP_NONE)
        live[n] = want.result, pages[n++] = (uint32_t)op.pages;
      for (uint32_t j = 0; op.kind == MAP_OP_FREE && j < n; j++)
        if (live[j] == op.handle) live[j] = live[--n], pages[j] = pages[n];
      assert_agrees(i % 25 == 0 || i == CALLS - 1);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_allocators_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
