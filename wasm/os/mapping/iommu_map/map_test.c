/* What the allocator promises, rule by rule: where Linux 4.1 surprises, and what mends it. */
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

/* Table 0 reads every word and keeps what was freed, table 1 passes blocks over. */
static struct map_table table(int quick) {
  return (struct map_table){.head = &memory[quick].head, .pools = memory[quick].pools, .bits = memory[quick].bits,
                            .freed = quick ? NULL : memory[quick].freed, .bounds = quick ? memory[quick].bounds : NULL};
}

static struct map_table made(int quick, uint32_t entries, uint32_t npools, uint32_t rules) {
  memset(&memory[quick], 0, sizeof memory[quick]);
  struct map_table t = table(quick);
  struct map_setup s = {.boundary = UINT32_MAX, .entries = entries, .shift = 13, .npools = npools, .rules = rules};
  assert_int_equal(map_setup(&t, &s), MAP_FINE);
  return t;
}

static struct map_outcome operation(struct map_table *t, struct map_op op) {
  struct map_outcome out;
  map_batch(t, &op, &out, 1);
  return out;
}

static struct map_outcome take(struct map_table *t, uint32_t hash, uint64_t pages) {
  return operation(t, (struct map_op){.kind = MAP_OP_ALLOC, .cpu = hash, .hash = hash, .pages = pages, .mask = UINT64_MAX});
}

static struct map_outcome give(struct map_table *t, uint64_t entry, uint64_t pages) {
  return operation(t, (struct map_op){.kind = MAP_OP_FREE, .handle = entry, .pages = pages});
}

/* How many single entries a table can hand out. */
static uint32_t capacity(uint32_t entries, uint32_t npools, uint32_t rules) {
  struct map_table t = made(0, entries, npools, rules);
  uint32_t n = 0;
  for (uint32_t tries = 0; tries < entries * 16; tries++) n += take(&t, tries & 15, 1).result != MAP_NONE;
  return n;
}

static void the_last_two_entries_of_a_pool_are_never_handed_out(void **state) {
  (void)state;
  assert_int_equal(capacity(256, 4, 0), 256 - 8);
  assert_int_equal(capacity(256, 4, RULE_END_EXCLUSIVE), 256 - 4);
  assert_int_equal(capacity(256, 4, RULE_END_EXACT), 256);
  assert_int_equal(capacity(8, 4, 0), 0);
}

static void pools_are_unreachable_unless_their_number_is_a_power_of_two(void **state) {
  (void)state;
  assert_int_equal(capacity(96, 3, RULE_END_EXACT), 64);
  assert_int_equal(capacity(384, 12, RULE_END_EXACT), 256);
  assert_int_equal(capacity(384, 12, RULE_END_EXACT | RULE_ALL_POOLS), 384);
}

static void division_leaves_entries_behind(void **state) {
  (void)state;
  assert_int_equal(capacity(1003, 16, RULE_END_EXACT), 992);
  assert_int_equal(capacity(1003, 16, RULE_END_EXACT | RULE_REMAINDER), 1003);
  struct map_table t = made(0, 1003, 16, 0);
  assert_true(give(&t, 1000, 1).fatal);
  t = made(0, 1003, 16, RULE_END_EXACT | RULE_REMAINDER);
  for (int i = 0; i < 1003; i++) take(&t, 15, 1);
  assert_int_equal(give(&t, 1002, 1).pool, 15);
  assert_int_equal(take(&t, 15, 1).result, 1002);
}

static void a_spill_resets_the_neighbours_cursor(void **state) {
  (void)state;
  for (int keeps = 0; keeps < 2; keeps++) {
    struct map_table t = made(0, 128, 2, keeps ? RULE_KEEP_CURSOR : 0);
    for (int i = 0; i < 10; i++) take(&t, 1, 1);
    for (int i = 0; i < 5; i++) give(&t, 64 + (uint32_t)i, 1);
    struct map_outcome out = {0};
    for (int i = 0; i < 63; i++) out = take(&t, 0, 1);
    assert_int_equal(out.pool, 1);
    assert_int_equal(out.result, keeps ? 74 : 64);
    assert_int_equal(take(&t, 1, 1).result, keeps ? 75 : 65);
  }
}

static void a_hopeless_request_searches_every_pool_and_its_own_three_times(void **state) {
  (void)state;
  struct map_table t = made(0, 512, 16, 0);
  for (int i = 0; i < 480; i++) assert_int_not_equal(take(&t, 0, 1).result, MAP_NONE);
  uint64_t searches = t.head->searches;
  assert_int_equal(take(&t, 3, 1).locks, 17);
  assert_int_equal(t.head->searches - searches, 18);
}

static void large_requests_and_small_ones_do_not_help_each_other_out(void **state) {
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

static void a_masked_request_may_take_entries_of_a_pool_that_it_does_not_hold(void **state) {
  (void)state;
  struct map_op masked = {.kind = MAP_OP_ALLOC, .hash = 3, .pages = 2, .mask = 127};
  struct map_table t = made(0, 256, 4, 0);
  assert_int_equal(operation(&t, masked).result, 64); /* of pool 1, under the lock of pool 3 */
  for (int i = 0; i < 122; i++) take(&t, i < 62 ? 0 : 1, 1);
  struct map_outcome out = operation(&t, masked);
  assert_int_equal(out.pool, 0);
  assert_int_equal(out.result, 62); /* and 63, which pool 0 never hands out otherwise */
  t = made(0, 256, 4, RULE_OWN_LIMIT);
  for (int i = 0; i < 62; i++) take(&t, 0, 1);
  out = operation(&t, masked);
  assert_int_equal(out.pool, 1);
  assert_int_equal(out.result, 64);
}

/* As in PowerPC a small request tries the large pool last, once: its own lock, pool 0's for the second look, two for each of four neighbours, two for the last. */
static void a_masked_request_that_finds_nothing_comes_to_an_end(void **state) {
  (void)state;
  struct map_table t = made(0, 1024, 4, RULE_LARGE | RULE_SMALL_TO_LARGE);
  for (int i = 0; i < 128; i++) take(&t, 0, 1);
  struct map_outcome out = operation(&t, (struct map_op){.kind = MAP_OP_ALLOC, .pages = 1, .mask = 127});
  assert_int_equal(out.result, MAP_NONE);
  assert_int_equal(out.locks, 1 + 1 + 4 * 2 + 2);
}

static void freeing_what_is_not_handed_out_goes_unseen(void **state) {
  (void)state;
  struct map_table t = made(0, 64, 1, 0);
  take(&t, 0, 4);
  take(&t, 0, 4);
  assert_false(give(&t, 2, 4).refused);
  assert_int_equal(give(&t, 2, 4).refused, 0);
  assert_int_equal(t.head->frees, 2);
  assert_int_equal(t.bits[0], 0xc3);
  t = made(0, 64, 1, RULE_CHECK_FREE);
  take(&t, 0, 4);
  give(&t, 0, 4);
  assert_int_equal(give(&t, 0, 4).refused, 1);
  assert_int_equal(give(&t, 62, 4).refused, 1);
  assert_int_equal(t.head->frees, 1); /* what is refused is none */
  assert_int_equal(t.head->bad_frees, 2);
}

/* An entry stays handed out while the search comes round, is freed ahead of the hint, and is met again. */
static uint64_t reuse_ahead_of_the_hint(uint32_t rules) {
  struct map_table t = made(0, 8, 1, RULE_LAZY | RULE_END_EXACT | rules);
  for (uint32_t i = 0; i < 8; i++) take(&t, 0, 1);
  for (uint32_t i = 0; i < 4; i++) give(&t, i, 1);
  assert_int_equal(take(&t, 0, 1).result, 0);
  assert_int_equal(t.head->flushes, 1);
  give(&t, 1 + 5, 1);
  for (uint32_t i = 1; i < 4; i++) assert_int_equal(take(&t, 0, 1).result, i);
  assert_int_equal(take(&t, 0, 1).result, 6);
  return t.head->reused;
}

static void lazy_flush_forgets_entries_freed_ahead_of_the_hint(void **state) {
  (void)state;
  assert_int_equal(reuse_ahead_of_the_hint(0), 1);
  assert_int_equal(reuse_ahead_of_the_hint(RULE_FLUSH_AHEAD), 0);
}

static void no_reuse_without_flush_under_the_corrected_rule(void **state) {
  (void)state;
  uint64_t random = 5, linux_reuse = 0;
  for (uint32_t round = 0; round < 40; round++)
    for (int corrected = 0; corrected < 2; corrected++) {
      struct map_table t = made(0, 64 + round * 7, 1 + round % 5, RULE_LAZY | (corrected ? RULE_FLUSH_AHEAD : 0));
      uint64_t live[256];
      uint32_t n = 0;
      for (int i = 0; i < 2000; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t dice = (uint32_t)(random >> 33);
        if (n > 0 && (dice % 2 || n == 256)) {
          uint32_t which = dice / 2 % n;
          give(&t, live[which], 1);
          live[which] = live[--n];
        } else {
          struct map_outcome out = take(&t, dice / 2 % 16, 1);
          if (out.result != MAP_NONE) live[n++] = out.result;
        }
      }
      if (corrected) assert_int_equal(t.head->reused, 0);
      else linux_reuse += t.head->reused;
    }
  assert_true(linux_reuse > 0);
}

static void passing_blocks_over_changes_no_answer(void **state) {
  (void)state;
  uint64_t random = 11;
  for (uint32_t rules = 0; rules < 1u << 18; rules = rules * 3 + 4099) {
    struct map_table slow = made(0, 20000, 1 + rules % 16, rules & ~(uint32_t)(RULE_SKIP_SPAN | RULE_CHECK_FREE)), quick = made(1, 20000, 1 + rules % 16, slow.head->rules);
    uint64_t live[2048];
    uint32_t n = 0, pages[2048];
    for (int i = 0; i < 6000; i++) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      uint32_t dice = (uint32_t)(random >> 33);
      struct map_op op = {.kind = MAP_OP_ALLOC, .cpu = dice % 64, .hash = dice % 16, .pages = 1 + dice / 64 % 40, .mask = dice % 7 ? UINT64_MAX : dice % 20000, .align = dice % 5 ? 0 : dice % 6};
      uint32_t which = n ? dice / 16 % n : 0;
      if (n > 0 && (dice % 8 < 3 || n == 2048)) op = (struct map_op){.kind = MAP_OP_FREE, .handle = live[which], .pages = pages[which]};
      struct map_outcome a = operation(&slow, op), b = operation(&quick, op);
      a.words = b.words = 0;
      assert_memory_equal(&a, &b, sizeof a);
      if (op.kind == MAP_OP_FREE) {
        live[which] = live[--n];
        pages[which] = pages[n];
      } else if (a.result != MAP_NONE) {
        live[n] = a.result;
        pages[n++] = (uint32_t)op.pages;
      }
    }
    assert_memory_equal(slow.bits, quick.bits, sizeof memory[0].bits);
  }
}

/* A table of 20000 entries that has no two in a row: what reads every word reads 313 of them and one more for each entry that is free; once that is known of its blocks a search passes them over. */
static void a_second_search_in_vain_reads_next_to_nothing(void **state) {
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

static void tables_that_cannot_be_are_refused(void **state) {
  (void)state;
  struct map_table t = table(0);
  struct map_setup s = {.boundary = UINT32_MAX, .entries = 64, .shift = 13, .npools = 17};
  assert_int_equal(map_setup(&t, &s), MAP_TOO_MANY_POOLS);
  s = (struct map_setup){.boundary = UINT32_MAX, .entries = 15, .shift = 13, .npools = 16};
  assert_int_equal(map_setup(&t, &s), MAP_EMPTY_POOLS);
  s.entries = 0;
  assert_int_equal(map_setup(&t, &s), MAP_NO_ENTRIES);
}

/*
 * A segment of 8 entries that the device must not cross, and a table that begins 3 entries behind such a segment: an
 * area of n pages at entry i lies within one if (3 + i) mod 8 + n is at most 8.
 */
static void no_area_crosses_a_segment_boundary_of_the_device(void **state) {
  (void)state;
  for (uint64_t pages = 1; pages <= 2; pages++) { /* a segment of one entry holds one */
    memset(&memory[0], 0, sizeof memory[0]);
    struct map_table t = table(0);
    struct map_setup s = {.boundary = 8191, .entries = 256, .shift = 13, .npools = 1, .rules = RULE_END_EXACT};
    assert_int_equal(map_setup(&t, &s), MAP_FINE);
    assert_int_equal(take(&t, 0, pages).result, pages == 1 ? 0 : MAP_NONE);
  }
  for (uint64_t pages = 2; pages <= 8; pages++) {
    memset(&memory[0], 0, sizeof memory[0]);
    struct map_table t = table(0);
    struct map_setup s = {.boundary = 8 * 8192 - 1, .base = 3 * 8192, .entries = 256, .shift = 13, .npools = 1, .rules = RULE_END_EXACT};
    assert_int_equal(map_setup(&t, &s), MAP_FINE);
    uint32_t areas = 0;
    for (struct map_outcome out; (out = take(&t, 0, pages)).result != MAP_NONE; areas++) assert_true((3 + out.result) % 8 + pages <= 8);
    assert_int_equal(areas, pages <= 5 ? (8 / pages) * 31 + 5 / pages + (pages <= 3) : 31); /* the first segment has 5 entries, 31 have 8, the last has 3 */
  }
}

/* Entry 995 of 1000 in 16 pools of 62 is nobody's: the kernel would stop for it, and no lock is taken. 991 is the last pool's. */
static void an_entry_that_is_no_pools_cannot_be_freed(void **state) {
  (void)state;
  struct map_table t = made(0, 1000, 16, 0);
  struct map_outcome out = give(&t, 995, 1);
  assert_int_equal(out.fatal, 1);
  assert_int_equal(out.refused, 1);
  assert_int_equal(out.locks, 0);
  assert_int_equal(out.pool, MAP_ROWS);
  assert_int_equal(t.head->frees, 0);
  out = give(&t, 991, 1);
  assert_int_equal(out.fatal, 0);
  assert_int_equal(out.locks, 1);
  assert_int_equal(out.pool, 15);
  t = made(0, 1000, 16, RULE_REMAINDER);
  assert_int_equal(give(&t, 995, 1).pool, 15);
}

/* A search that finds nothing leaves its pool's hint at the pool's start: what was freed before the hint is found at once. */
static void a_search_in_vain_begins_anew(void **state) {
  (void)state;
  struct map_table t = made(0, 256, 1, 0);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(take(&t, 0, 1).result, i);
  give(&t, 2, 1);
  assert_int_equal(take(&t, 0, 1).result, 8); /* from the hint on */
  assert_int_equal(take(&t, 0, 250).result, MAP_NONE);
  assert_int_equal(t.pools[0].hint, 0);
  assert_int_equal(take(&t, 0, 1).result, 2);
  assert_int_equal(take(&t, 0, 1).result, 9);
}

/* Every other entry is taken: each free one is a candidate with the next in its way. All are counted, and the first 64 are kept for display. */
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
    const struct map_last expected = {.count = taken[i] + 1, .start = 0, .limit = 1024, .pages = 2, .pool = 0, .words = last.words, .cpu = 0, .result = 2 * taken[i]};
    assert_memory_equal(&last, &expected, sizeof expected);
    for (uint32_t n = 0; n < MAP_PROBES + 2; n++) {
      int kept = n < MAP_PROBES && n <= taken[i], fits = n == taken[i];
      assert_int_equal(probes[n].index, kept ? 2 * n : 0x55555555);
      assert_int_equal(probes[n].blocked, kept ? 2 * n + !fits : 0x55555555);
    }
  }
}

/* A search whose end lies behind the table is cut there, and counted: nothing behind is ever found. */
static void no_search_leaves_the_table(void **state) {
  (void)state;
  for (uint32_t size = 99; size <= 102; size++) {
    struct map_table t = made(0, 100, 1, RULE_END_EXACT);
    struct map_request q = {.pages = 1};
    for (uint32_t i = 0; i < 99; i++) take(&t, 0, 1);
    assert_int_equal(map_search(&t, size, 0, &q), size == 99 ? MAP_NONE : 99);
    assert_int_equal(t.head->strays, size > 100);
    take(&t, 0, 1);
    assert_int_equal(map_search(&t, size, 0, &q), MAP_NONE);
    assert_int_equal(t.head->strays, 2 * (size > 100));
  }
}

/* Who looks for a bit reads the words that the bits lie in, and no more: 63 and 64 bits are one word, 65 are two. */
static void a_search_reads_the_words_of_its_bits(void **state) {
  (void)state;
  static const struct { uint64_t size, start, words; } cases[] = {{63, 0, 1}, {64, 0, 1}, {65, 0, 2}, {127, 0, 2}, {128, 0, 2}, {128, 63, 2}, {128, 64, 1}, {192, 64, 2}};
  const uint64_t bits[4] = {0};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t words = 0;
    assert_int_equal(map_next_bit(bits, cases[i].size, cases[i].start, 0, &words), cases[i].size);
    assert_int_equal(words, cases[i].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_two_entries_of_a_pool_are_never_handed_out),
      cmocka_unit_test(pools_are_unreachable_unless_their_number_is_a_power_of_two),
      cmocka_unit_test(division_leaves_entries_behind),
      cmocka_unit_test(a_spill_resets_the_neighbours_cursor),
      cmocka_unit_test(a_hopeless_request_searches_every_pool_and_its_own_three_times),
      cmocka_unit_test(large_requests_and_small_ones_do_not_help_each_other_out),
      cmocka_unit_test(a_masked_request_may_take_entries_of_a_pool_that_it_does_not_hold),
      cmocka_unit_test(a_masked_request_that_finds_nothing_comes_to_an_end),
      cmocka_unit_test(freeing_what_is_not_handed_out_goes_unseen),
      cmocka_unit_test(lazy_flush_forgets_entries_freed_ahead_of_the_hint),
      cmocka_unit_test(no_reuse_without_flush_under_the_corrected_rule),
      cmocka_unit_test(passing_blocks_over_changes_no_answer),
      cmocka_unit_test(a_second_search_in_vain_reads_next_to_nothing),
      cmocka_unit_test(tables_that_cannot_be_are_refused),
      cmocka_unit_test(no_area_crosses_a_segment_boundary_of_the_device),
      cmocka_unit_test(an_entry_that_is_no_pools_cannot_be_freed),
      cmocka_unit_test(a_search_in_vain_begins_anew),
      cmocka_unit_test(a_search_keeps_its_first_candidates),
      cmocka_unit_test(no_search_leaves_the_table),
      cmocka_unit_test(a_search_reads_the_words_of_its_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
