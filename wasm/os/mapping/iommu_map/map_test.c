/* Rules of the allocator: the surprising ones of Linux 4.1, and their fixes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "os/mapping/iommu_map/batch.c"

#include <cmocka.h>

#define ENTRIES 65536u

static struct {
  struct map_head head;
  struct map_pool pools[MAP_ROWS];
  uint64_t bits[ENTRIES / 64];
  uint32_t freed[ENTRIES];
  uint16_t bounds[(ENTRIES / 512 + 1) * MAP_ORDERS];
} memory[2];

/* Table 0 reads every word and tracks freed entries; table 1 skips blocks. */
static struct map_table table(int quick) {
  return (struct map_table){.head = &memory[quick].head,
      .pools = memory[quick].pools,
      .bits = memory[quick].bits,
      .freed = quick ? NULL : memory[quick].freed,
      .bounds = quick ? memory[quick].bounds : NULL};
}

static struct map_table made(int quick, uint32_t entries, uint32_t npools, uint32_t rules) {
  memset(&memory[quick], 0, sizeof memory[quick]);
  struct map_table t = table(quick);
  struct map_setup s = {
      .boundary = UINT32_MAX, .entries = entries, .shift = 13, .npools = npools, .rules = rules};
  assert_int_equal(map_setup(&t, &s), MAP_FINE);
  return t;
}

static struct map_outcome operation(struct map_table *t, struct map_op op) {
  struct map_outcome out;
  map_batch(t, &op, &out, 1);
  return out;
}

static struct map_outcome take(struct map_table *t, uint32_t hash, uint64_t pages) {
  return operation(t,
      (struct map_op){.kind = MAP_OP_ALLOC, .cpu = hash, .hash = hash, .pages = pages, .mask = UINT64_MAX});
}

static struct map_outcome give(struct map_table *t, uint64_t entry, uint64_t pages) {
  return operation(t, (struct map_op){.kind = MAP_OP_FREE, .handle = entry, .pages = pages});
}

static void large_and_small_requests_use_separate_pools(void **state) {
  (void)state;
  struct map_table t = made(0, 1024, 4, RULE_LARGE);
  for (int i = 0; i < 15; i++) assert_int_equal(take(&t, 0, 16).pool, MAP_LARGE);
  struct map_outcome out = take(&t, 0, 16);
  assert_int_equal(out.result, MAP_NONE);
  assert_int_equal(out.locks, 1);
  t = made(0, 1024, 4, RULE_LARGE | RULE_LARGE_SPILLS);
  for (int i = 0; i < 15; i++) take(&t, 0, 16);
  assert_int_equal(take(&t, 0, 16).pool, 1);
  t = made(0, 1024, 4, RULE_LARGE | RULE_SMALL_TO_LARGE);
  while (take(&t, 0, 15).pool != MAP_LARGE) assert_true(t.head->allocations < 100);
}

/* A table of 20000 entries without two free in a row. Without block bounds each search reads 313 words and
 * one more per free entry. With bounds, a second search skips the blocks. */
static void a_second_failing_search_reads_few_words(void **state) {
  (void)state;
  for (int quick = 0; quick < 2; quick++) {
    struct map_table t = made(quick, 20000, 1, RULE_FIRST_FIT | RULE_END_EXACT);
    for (uint32_t i = 0; i < 20000; i++) assert_int_equal(take(&t, 0, 1).result, i);
    for (uint32_t i = 0; i < 20000; i += 2) give(&t, i, 1);
    uint32_t first = take(&t, 0, 2).words, second = take(&t, 0, 2).words;
    assert_true(first > 20000);
    if (quick) assert_in_range(second, 1, 300); /* 20000 is no multiple of a block of 512 */
    else assert_int_equal(second, first);
    give(&t, 1, 1);
    assert_int_equal(take(&t, 0, 2).result, 0);
    give(&t, 9999, 1);
    assert_int_equal(take(&t, 0, 2).result, 9998);
  }
}

/* Every other entry is in use. Each free one is a candidate that the next entry blocks. All are counted, and
 * the first 64 are kept for display. */
static void a_search_keeps_its_first_candidates(void **state) {
  (void)state;
  static const uint32_t taken[] = {1, 63, 64, 65, 100};
  for (uint32_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    struct map_table t = made(0, 1024, 1, RULE_END_EXACT);
    struct map_probe probes[MAP_PROBES + 2];
    struct map_last last;
    memset(probes, 0x55, sizeof probes);
    for (uint32_t n = 0; n < 2 * taken[i]; n++) take(&t, 0, 1);
    for (uint32_t n = 0; n < taken[i]; n++) give(&t, 2 * n, 1);
    t.pools[0].hint = 0;
    t.last = &last, t.probes = probes;
    assert_int_equal(take(&t, 0, 2).result, 2 * taken[i]);
    const struct map_last expected = {.count = taken[i] + 1,
        .start = 0,
        .limit = 1024,
        .pages = 2,
        .pool = 0,
        .words = last.words,
        .cpu = 0,
        .result = 2 * taken[i]};
    assert_memory_equal(&last, &expected, sizeof expected);
    for (uint32_t n = 0; n < MAP_PROBES + 2; n++) {
      int kept = n < MAP_PROBES && n <= taken[i], fits = n == taken[i];
      assert_int_equal(probes[n].index, kept ? 2 * n : 0x55555555);
      assert_int_equal(probes[n].blocked, kept ? 2 * n + !fits : 0x55555555);
    }
  }
}

/* The device must not cross segments of 8 entries, and the table begins 3 entries after a segment boundary.
 * An area of n pages at entry i is within one segment if (3 + i) mod 8 + n is at most 8. */
static void no_area_crosses_a_segment_boundary_of_the_device(void **state) {
  (void)state;
  for (uint64_t pages = 1; pages <= 2; pages++) { /* a segment of one entry holds one page */
    memset(&memory[0], 0, sizeof memory[0]);
    struct map_table t = table(0);
    struct map_setup s = {
        .boundary = 8191, .entries = 256, .shift = 13, .npools = 1, .rules = RULE_END_EXACT};
    assert_int_equal(map_setup(&t, &s), MAP_FINE);
    assert_int_equal(take(&t, 0, pages).result, pages == 1 ? 0 : MAP_NONE);
  }
  for (uint64_t pages = 2; pages <= 8; pages++) {
    memset(&memory[0], 0, sizeof memory[0]);
    struct map_table t = table(0);
    struct map_setup s = {.boundary = 8 * 8192 - 1,
        .base = 3 * 8192,
        .entries = 256,
        .shift = 13,
        .npools = 1,
        .rules = RULE_END_EXACT};
    assert_int_equal(map_setup(&t, &s), MAP_FINE);
    uint32_t areas = 0;
    for (struct map_outcome out; (out = take(&t, 0, pages)).result != MAP_NONE; areas++)
      assert_true((3 + out.result) % 8 + pages <= 8);
    assert_int_equal(areas, pages <= 5 ? (8 / pages) * 31 + 5 / pages + (pages <= 3)
                                       : 31); /* the first segment has 5 entries, 31 have 8, the last has 3 */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_and_small_requests_use_separate_pools),
      cmocka_unit_test(a_second_failing_search_reads_few_words),
      cmocka_unit_test(a_search_keeps_its_first_candidates),
      cmocka_unit_test(no_area_crosses_a_segment_boundary_of_the_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
