/* The tags of a cache against a reference model: per set a list of lines in LRU order. */
#include "test/gt.h"

#define LINE 32u
#define WAYS 4u
#define SETS 8u
#define LINES 64u /* the addresses in use: twice the capacity */

struct plain {
  /* most recently used first */
  uint32_t line[SETS][WAYS];
  uint32_t dirty[SETS][WAYS];
  uint32_t n[SETS];
};

static void small(void) {
  machine("gt-and-peer");
  PARAMS("cache", cache)->line = LINE;
  PARAMS("cache", cache)->ways = WAYS;
  PARAMS("cache", cache)->size = LINE * WAYS * SETS;
}

static int opens(void) {
  static const uint64_t program[] = {ROW(END, 0, 0, 0, 0, 0, 0)};
  struct session s = gt_session(ROWS(program));
  return session_open(&s);
}

/* Removes the entry at an index, for eviction the last of a full set; returns whether it was dirty. */
static uint32_t plain_out(struct plain *p, uint32_t set, uint32_t at) {
  uint32_t dirty = p->dirty[set][at];
  p->n[set]--;
  for (uint32_t i = at; i < p->n[set]; i++)
    p->line[set][i] = p->line[set][i + 1], p->dirty[set][i] = p->dirty[set][i + 1];
  return dirty;
}

static uint32_t plain_find(const struct plain *p, uint32_t line) {
  uint32_t set = line % SETS, at = 0;
  while (at < p->n[set] && p->line[set][at] != line) at++;
  return at;
}

/* Returns what the cache returns: 1 for a hit. On a miss, `left` is whether a dirty line was evicted. */
static uint32_t plain_touch(struct plain *p, uint32_t line, uint32_t store, uint32_t *left) {
  uint32_t set = line % SETS, at = plain_find(p, line), hit = at < p->n[set], dirty = 0;
  *left = 0;
  if (hit) dirty = plain_out(p, set, at);
  else if (p->n[set] == WAYS) *left = plain_out(p, set, WAYS - 1);
  for (uint32_t i = p->n[set]++; i > 0; i--)
    p->line[set][i] = p->line[set][i - 1], p->dirty[set][i] = p->dirty[set][i - 1];
  p->line[set][0] = line;
  p->dirty[set][0] = dirty || store;
  return hit;
}

static uint32_t plain_drop(struct plain *p, uint32_t line, uint32_t *changed) {
  uint32_t at = plain_find(p, line);
  if (at == p->n[line % SETS]) return 0;
  *changed += plain_out(p, line % SETS, at);
  return 1;
}

/* Serializes the state, overwrites it and deserializes it. */
static void kept_and_read(sim *m) {
  struct cache_state *s = STATE_OF("cache", cache);
  uint8_t bytes[CODEC_PART] = {0};
  struct sim_codec k = {.at = bytes};
  cache_serialize(m, SIM_CONTEXT(m, CACHE, cache), &k);
  memset(sim_at(m, s->lines_at), 0xff, SETS * WAYS * sizeof(struct cache_lines));
  k = (struct sim_codec){.at = bytes, .reading = 1};
  cache_serialize(m, SIM_CONTEXT(m, CACHE, cache), &k);
}

static void agrees(uint64_t seed, struct cache_counters *want) {
  struct plain p = {0};
  sim *m = test_engine();
  for (uint32_t i = 0; i < 4000; i++) {
    uint32_t line = test_random(&seed) % LINES, offset = test_random(&seed) % LINE,
             store = test_random(&seed) % 3 == 0, left;
    if (i % 50 == 49) kept_and_read(m);
    if (test_random(&seed) % 8 == 0) {
      uint32_t bytes = 1 + test_random(&seed) % (3 * LINE), dropped = 0, changed = 0;
      for (uint32_t one = line; one <= line + (offset + bytes - 1) / LINE; one++)
        dropped += plain_drop(&p, one, &changed);
      struct cache_drop drop = {.address = line * LINE + offset, .bytes = bytes, .changed = 9};
      assert_int_equal(cache_cpu_drop(m, SIM_CONTEXT(m, CACHE, cache), &drop), dropped);
      assert_int_equal(drop.changed, changed * LINE);
      want->invalidated += dropped;
      continue;
    }
    struct cache_access_untimed touch = {.address = line * LINE + offset, .store = store, .dirty = 9};
    uint32_t hit = plain_touch(&p, line, store, &left);
    assert_int_equal(cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache), &touch), hit);
    assert_int_equal(touch.dirty, left);
    want->hits += hit;
    want->misses += !hit;
    want->write_backs += left;
  }
}

TEST(the_least_recently_used_line_of_a_set_is_evicted) {
  small();
  assert_int_equal(opens(), SIM_OK);
  struct cache_counters want = {0};
  agrees(5, &want);
  assert_memory_equal(COUNTERS("cache", cache), &want, sizeof want);
}

/* Ages have 30 bits. When they overflow, all lines get the same age, but none is lost or changes between
 * clean and dirty. */
TEST(lines_survive_an_overflow_of_ages) {
  small();
  assert_int_equal(opens(), SIM_OK);
  sim *m = test_engine();
  struct cache_state *s = STATE_OF("cache", cache);
  s->age = (1u << 30) - 1 - SETS * WAYS;
  uint32_t *behind =
      (uint32_t *)((struct cache_lines *)sim_at(m, s->lines_at) + SETS * WAYS) + 1; /* past the last age */
  test_touches(behind, sizeof *behind);
  const uint32_t was = *behind;
  *behind = UINT32_MAX;
  for (uint32_t line = 0; line < SETS * WAYS; line++)
    assert_int_equal(cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache),
                         &(struct cache_access_untimed){.address = line * LINE, .store = line & 1}),
        0);
  assert_int_equal(s->age, (1u << 30) - 1); /* the next access overflows */
  for (uint32_t line = SETS; line < SETS * WAYS; line++)
    assert_int_equal(cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache),
                         &(struct cache_access_untimed){.address = line * LINE}),
        1);
  assert_true(s->age < 1000);
  assert_int_equal(*behind, UINT32_MAX);
  *behind = was;
  uint32_t dirty = 0;
  for (uint32_t line = SETS * WAYS; line < SETS * (WAYS + 1);
      line++) { /* lines not accessed since then are evicted first */
    struct cache_access_untimed touch = {.address = line * LINE};
    assert_int_equal(cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache), &touch), 0);
    dirty += touch.dirty;
  }
  for (uint32_t line = SETS; line < SETS * WAYS; line++)
    assert_int_equal(cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache),
                         &(struct cache_access_untimed){.address = line * LINE}),
        1);
  for (uint32_t line = SETS * (WAYS + 1); line < SETS * (2 * WAYS + 1); line++) {
    struct cache_access_untimed touch = {.address = line * LINE};
    assert_int_equal(cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache), &touch), 0);
    dirty += touch.dirty;
  }
  assert_int_equal(dirty, SETS * WAYS / 2);
}

/* Lines 256 B apart share a set of four. Every change of a line is recorded; only changes by a snoop become
 * the cause of later events. */
TEST(changes_of_lines_are_recorded) {
  small();
  assert_int_equal(opens(), SIM_OK);
  sim *m = test_engine();
  sim_record_trace(m, 1);
  static const struct {
    uint64_t address;
    uint32_t store, hit, dirty;
  } touches[] = {{0x24, 0, 0, 0}, {0x38, 1, 1, 0}, {0x20, 1, 1, 0}, {0x120, 1, 0, 0}, {0x220, 0, 0, 0},
      {0x320, 0, 0, 0}, {0x420, 0, 0, 1}};
  for (uint32_t i = 0; i < sizeof touches / sizeof *touches; i++) {
    struct cache_access_untimed touch = {.address = touches[i].address, .store = touches[i].store};
    assert_int_equal(cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache), &touch), touches[i].hit);
    assert_int_equal(touch.dirty, touches[i].dirty);
  }
  struct cache_drop share = {.address = 0x130, .bytes = 4, .how = CACHE_SNOOP_SHARE},
                    drop = {.address = 0x220, .bytes = 33},
                    none = {.address = 0x220, .bytes = 32, .changed = 7};
  assert_int_equal(cache_cpu_drop(m, SIM_CONTEXT(m, CACHE, cache), &share), 1);
  struct cache_access_untimed again = {.address = 0x120, .store = 1};
  assert_int_equal(
      cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache), &again), 0); /* a miss: the line is shared */
  assert_int_equal(cache_cpu_access_untimed(m, SIM_CONTEXT(m, CACHE, cache), &again), 1);
  assert_int_equal(
      cache_cpu_drop(m, SIM_CONTEXT(m, CACHE, cache), &drop), 1); /* the next line is not in the cache */
  assert_int_equal(drop.changed, 0);
  assert_int_equal(cache_cpu_drop(m, SIM_CONTEXT(m, CACHE, cache), &none), 0);
  assert_int_equal(none.changed, 0);
  const struct cache_counters want = {
      .hits = 3, .misses = 6, .upgrades = 1, .write_backs = 1, .shared = 1, .invalidated = 1};
  assert_memory_equal(COUNTERS("cache", cache), &want, sizeof want);
#define EVENT(name, a, b, why) {0, CACHE_EV_##name, a, b, 0, why}
  EXPECT_EVENTS(CACHE, EVENT(TAKES, 0x20, 0, 0), EVENT(CHANGES, 0x20, 0, 0), EVENT(TAKES, 0x120, 1, 0),
      EVENT(TAKES, 0x220, 0, 0), EVENT(TAKES, 0x320, 0, 0), EVENT(REPLACES, 0x20, 0, 0),
      EVENT(TAKES, 0x420, 0, 0), EVENT(SHARES, 0x130, 1, 0),
      EVENT(CHANGES, 0x120, 0, BECAUSE(CACHE, CACHE_EV_SHARES)),
      EVENT(DROPPED, 0x220, 1, BECAUSE(CACHE, CACHE_EV_SHARES)));
}

TEST(only_geometries_that_can_be_indexed_are_accepted) {
  static const struct {
    uint64_t line, ways, size;
    uint32_t wrong;
  } bad[] = {{0, 4, 1024, CACHE_PARAM_LINE}, {48, 4, 1024, CACHE_PARAM_LINE}, {32, 0, 1024, CACHE_PARAM_WAYS},
      {32, 17, 1024, CACHE_PARAM_WAYS}, {32, 4, 64, CACHE_PARAM_SIZE}, {32, 4, 384, CACHE_PARAM_SIZE},
      {32, 1, 1ull << 30, CACHE_PARAM_SIZE}};
  static const struct {
    uint64_t line, ways, size;
  } good[] = {{32, 1, 64}, {32, 16, 512}, {16, 1, 64}, {64, 3, 192}};
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    machine("gt-and-peer");
    PARAMS("cache", cache)->line = bad[i].line, PARAMS("cache", cache)->ways = bad[i].ways,
                    PARAMS("cache", cache)->size = bad[i].size;
    assert_int_equal(opens(), SIM_BAD_PARAM);
    assert_int_equal(sim_refresh_header(test_engine())->error_part, CACHE);
    assert_int_equal(sim_refresh_header(test_engine())->error_detail, bad[i].wrong);
  }
  for (uint32_t i = 0; i < sizeof good / sizeof *good; i++) {
    machine("gt-and-peer");
    PARAMS("cache", cache)->line = good[i].line, PARAMS("cache", cache)->ways = good[i].ways,
                    PARAMS("cache", cache)->size = good[i].size;
    assert_int_equal(opens(), SIM_OK);
  }
}

/*
 * Pages of 4 lines, each placed anywhere: within a page lines lie in consecutive sets, pages overlap by
 * chance, and another seed places them differently. Without pages the address decides.
 */
TEST(pages_lie_where_the_seed_places_them) {
  enum { PAGE_LINES = 4, PAGES = 64, PLACES = SETS / PAGE_LINES };
  uint32_t of_page[2][PAGES], differ = 0;
  for (uint32_t seed = 0; seed < 2; seed++) {
    uint32_t at_place[PLACES] = {0};
    small();
    PARAMS("cache", cache)->page = PAGE_LINES * LINE;
    assert_int_equal(opens(), SIM_OK);
    struct cache *cache = SIM_CONTEXT(test_engine(), part_named("cache"), cache);
    test_engine()->random = seed;
    cache_cpu_access_untimed(test_engine(), cache, &(struct cache_access_untimed){0});
    for (uint32_t page = 0; page < PAGES; page++) {
      uint32_t first = cache_set_number(cache->state, page * PAGE_LINES);
      assert_int_equal(first % PAGE_LINES, 0);
      for (uint32_t i = 1; i < PAGE_LINES; i++)
        assert_int_equal(cache_set_number(cache->state, page * PAGE_LINES + i), first + i);
      of_page[seed][page] = first / PAGE_LINES;
      at_place[first / PAGE_LINES]++;
    }
    for (uint32_t i = 0; i < PLACES; i++) assert_in_range(at_place[i], PAGES / 4, PAGES * 3 / 4);
  }
  for (uint32_t page = 0; page < PAGES; page++) differ += of_page[0][page] != of_page[1][page];
  assert_in_range(differ, PAGES / 4, PAGES * 3 / 4);
}

TEST(a_page_is_a_power_of_two_and_holds_a_line) {
  static const uint64_t refused[] = {16, 96, LINE * 3};
  for (uint32_t i = 0; i < 3; i++) {
    small();
    PARAMS("cache", cache)->page = refused[i];
    assert_int_equal(opens(), SIM_BAD_PARAM);
  }
}
