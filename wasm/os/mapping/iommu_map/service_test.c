/* Guarantees of the mapping service: a lock has one owner, times are counted where they belong, and the table
 * agrees with the bitmap. */
#include "test/mapping.h"

static void finish_run(void) { session_run(); }

static uint32_t table_page(uint64_t entry) {
  return ((uint32_t *)map_view_of(UNIT, IOMMU_VIEW_TABLE))[entry];
}
static uint64_t handle_address(uint32_t tag) {
  return ((struct iommu_map_handles *)map_view_of(MAPPER, IOMMU_MAP_VIEW_HANDLES))[tag].address;
}

TEST(a_lone_map_takes_search_and_hypercall) {
  machine("mapping");
  static const uint64_t program[] = {
      ROW(MAP, 0x40000, 0, 3 * 8192, 0, 0, 5), ROW(UNMAP, 0, 0, 0, 0, 0, 5), END_ROW};
  OPEN_ON(program, 1);
  finish_run();
  struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
  assert_int_equal(
      c->map_time, PARAMS("maps", iommu_map)->hold_alloc + 2 * PARAMS("maps", iommu_map)->word_time
                       + PARAMS("maps", iommu_map)->map_call + 2 * PARAMS("maps", iommu_map)->entry_time);
  assert_int_equal(c->unmap_time, PARAMS("maps", iommu_map)->demap_call
                                      + 2 * PARAMS("maps", iommu_map)->entry_time
                                      + PARAMS("maps", iommu_map)->hold_free);
  assert_int_equal(c->hold_time, PARAMS("maps", iommu_map)->hold_alloc
                                     + 2 * PARAMS("maps", iommu_map)->word_time
                                     + PARAMS("maps", iommu_map)->hold_free);
  EXPECT_VALUES({c->words, 2}, {c->acquisitions, 2}, {c->contentions, 0}, {c->used, 0}, {c->used_most, 3});
}

/* A call of the third processor, with one pool: two words are read and three entries filled. The view shows
 * the search. */
TEST(a_lone_call_is_traced_step_by_step) {
  machine("mapping");
  PARAMS("maps", iommu_map)->pools = 1;
  static const uint64_t program[] = {ROW(MAP, 0x40010, 0x17fffffff, 2 * 8192, 0, 0, 5),
      ROW(START_DMA, 0, 0, 64, 0, 1, 5), ROW(UNMAP, 0, 0, 0, 0, 0, 5),
      END_ROW}; /* a device that reaches beyond 4 GiB; START_DMA has no device to start */
  const uint64_t *programs[] = {nothing, nothing, program, nothing};
  const uint32_t rows[] = {1, 1, 4, 1};
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(test_engine(), 1);
  finish_run();
  const uint64_t hold = PARAMS("maps", iommu_map)->hold_alloc + 2 * PARAMS("maps", iommu_map)->word_time,
                 filled =
                     hold + PARAMS("maps", iommu_map)->map_call + 2 * PARAMS("maps", iommu_map)->entry_time,
                 clear = PARAMS("maps", iommu_map)->demap_call + 2 * PARAMS("maps", iommu_map)->entry_time,
                 end = filled + clear + PARAMS("maps", iommu_map)->hold_free;
  EXPECT_EVENTS(MAPPER, {0, IOMMU_MAP_EV_ACQUIRE, 0, 0, 2, ANY_CAUSE},
      {0, IOMMU_MAP_EV_SEARCH, 0, 0, 2, BECAUSE(MAPPER, IOMMU_MAP_EV_ACQUIRE)},
      {hold, IOMMU_MAP_EV_RELEASE, hold, 0, 2, ANY_CAUSE},
      {hold, IOMMU_MAP_EV_HYPERCALL, filled - hold, 0, 2, BECAUSE(MAPPER, IOMMU_MAP_EV_RELEASE)},
      {filled, IOMMU_MAP_EV_MAP, PARAMS("maps", iommu_map)->base, 3, 2, ANY_CAUSE},
      {filled, IOMMU_MAP_EV_HYPERCALL, clear, 0, 2, ANY_CAUSE},
      {filled + clear, IOMMU_MAP_EV_ACQUIRE, 0, 0, 2, ANY_CAUSE},
      {end, IOMMU_MAP_EV_RELEASE, PARAMS("maps", iommu_map)->hold_free, 0, 2, ANY_CAUSE},
      {end, IOMMU_MAP_EV_UNMAP, PARAMS("maps", iommu_map)->base, 3, 2,
          BECAUSE(MAPPER, IOMMU_MAP_EV_RELEASE)});
  const struct map_last *last = map_view_of(MAPPER, IOMMU_MAP_VIEW_LAST);
  const struct map_last expected = {
      .count = 1, .start = 0, .limit = 4096 - 2, .pages = 3, .pool = 0, .words = 0, .cpu = 2, .result = 0};
  assert_memory_equal(last, &expected, sizeof expected);
  const struct map_probe *probe = map_view_of(MAPPER, IOMMU_MAP_VIEW_PROBES);
  EXPECT_VALUES({probe[0].index, 0}, {probe[0].blocked, 0});
  const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
  EXPECT_VALUES({c->searches, 1}, {c->at_home, 1}, {c->ordinary_most, 3}, {c->hypercalls, 2},
      {c->pools_used, 1}, {c->pool_count, 1}, {c->pool_size, 4096});
  assert_int_equal(c->table_bytes, 4096 * 8 + 4096 / 8); /* an entry and a bit for each page */
  assert_int_equal(c->reused + c->wraps + c->resets + c->spills + c->foreign + c->strayed + c->flushes
                       + c->bad_frees + c->failures,
      0);
}

/* 14 of 16 entries can be allocated. The second ten do not fit after the first: the search wraps and finds
 * the freed entries. */
TEST(a_search_that_wraps_is_counted) {
  machine("mapping");
  PARAMS("maps", iommu_map)->pools = 1;
  PARAMS("maps", iommu_map)->entries = 16;
  PARAMS("maps", iommu_map)->flush = IOMMU_MAP_FLUSH_LAZY;
  const uint64_t program[] = {ROW(MAP, 0x40000, 0, 10 * 8192, 0, 0, 5), ROW(UNMAP, 0, 0, 0, 0, 0, 5),
      ROW(MAP, 0x40000, 0, 10 * 8192, 0, 0, 6), ROW(UNMAP, 0, 0, 0, 0, 0, 6),
      ROW(UNMAP, PARAMS("maps", iommu_map)->base, 0, 8192, 0, 0, NO_TAG), END_ROW};
  OPEN_ON(program, 1);
  finish_run();
  const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
  EXPECT_VALUES({c->searches, 3}, {c->wraps, 1}, {c->flushes, 1}, {c->reused, 0}, {c->maps, 2});
  assert_int_equal(c->bad_frees, 1); /* the first entry is freed twice */
  assert_int_equal(c->used, 0);
}

TEST(under_the_lock_the_hypercall_is_part_of_the_hold) {
  machine("mapping");
  PARAMS("maps", iommu_map)->scope = IOMMU_MAP_SCOPE_INSIDE;
  static const uint64_t program[] = {
      ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0), END_ROW};
  OPEN_ON(program, 1);
  finish_run();
  struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
  assert_int_equal(
      c->hold_time, PARAMS("maps", iommu_map)->hold_alloc + 2 * PARAMS("maps", iommu_map)->word_time
                        + PARAMS("maps", iommu_map)->map_call + PARAMS("maps", iommu_map)->hold_free
                        + PARAMS("maps", iommu_map)->demap_call);
  EXPECT_VALUES({c->hold_most, PARAMS("maps", iommu_map)->hold_free + PARAMS("maps", iommu_map)->demap_call},
      {c->map_time + c->unmap_time, c->hold_time});
}

TEST(entries_hold_the_pages_they_were_mapped_to) {
  machine("mapping");
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 2 * 8192, 0, 0, 0),
      ROW(MAP, 0x80000, 0, 3 * 8192, 0, 4 << 8, 1), ROW(MAP, 0x90008, 0, 8192, 0, 0, 2),
      ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(MAP, 0x300040000, 0, 8192, 0, 0, 3), END_ROW};
  OPEN_ON(program, 1);
  finish_run();
  assert_int_equal(handle_address(0), PARAMS("maps", iommu_map)->base);
  assert_int_equal(handle_address(1), PARAMS("maps", iommu_map)->base + 2 * 8192);
  assert_int_equal(handle_address(2), PARAMS("maps", iommu_map)->base + 5 * 8192);
  assert_int_equal(table_page(0), 0);
  assert_int_equal(table_page(1), 0);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(table_page(2 + i), 0x80000 / 8192 + 5 * i + 1);
  assert_int_equal(table_page(5), 0x90000 / 8192 + 1);
  assert_int_equal(table_page(6), 0x90000 / 8192 + 2);     /* the eight bytes beyond the page */
  assert_int_equal(table_page(7), 0x300040000 / 8192 + 1); /* memory beyond 4 GiB */
}

TEST(cpus_contend_for_one_lock_but_not_for_pools) {
  static const uint64_t program[] = {ROW(REPEAT, 0, 0, 0, 0, 50, 0), ROW(MAP, 0x40000, 0, 8192, 0, 0, 0),
      ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  for (int pools = 1; pools <= 16; pools += 15) {
    machine("mapping");
    PARAMS("maps", iommu_map)->pools = (uint64_t)pools;
    OPEN_ON(program, TEST_CPUS);
    finish_run();
    struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
    const map_lock *locks = map_view_of(MAPPER, IOMMU_MAP_VIEW_LOCKS);
    uint64_t acquisitions = 0, waits = 0, holds = 0, longest_wait = 0, longest_hold = 0;
    for (uint32_t i = 0; i < MAP_ROWS; i++) {
      acquisitions += locks[i].acquisitions;
      waits += locks[i].wait_time;
      holds += locks[i].hold_time;
      longest_wait = sim_max(longest_wait, locks[i].wait_most);
      longest_hold = sim_max(longest_hold, locks[i].hold_most);
      EXPECT_VALUES({locks[i].owner, 0}, {locks[i].waiting, 0});
    }
    EXPECT_VALUES({c->acquisitions, acquisitions}, {c->wait_time, waits}, {c->hold_time, holds},
        {c->wait_most, longest_wait}, {c->hold_most, longest_hold});
    assert_true(holds > 0 && holds <= TEST_CPUS * test_engine()->time);
    if (pools == 1) assert_true(c->contentions > 0 && c->wait_time > 0);
    else assert_int_equal(c->contentions, 0);
  }
}

/* The views have the size of the table: a bit for each entry, in 32-bit words, and a row for each entry. */
TEST(views_are_as_large_as_the_table) {
  machine("mapping");
  const uint64_t *programs[] = {nothing, nothing, nothing, nothing};
  const uint32_t rows[] = {1, 1, 1, 1};
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  uint32_t n;
  checked_view(test_engine(), MAPPER, IOMMU_MAP_VIEW_BITMAP, &n);
  assert_int_equal(n, PARAMS("maps", iommu_map)->entries / 32);
  checked_view(test_engine(), MAPPER, IOMMU_MAP_VIEW_ENTRIES, &n);
  assert_int_equal(n, PARAMS("maps", iommu_map)->entries);
  checked_view(test_engine(), MAPPER, IOMMU_MAP_VIEW_CALLS, &n);
  assert_int_equal(n, TEST_CPUS * CALLS_PER_CPU);
}

/* Long-lived entries are in use from the start, in the bitmap and in the counters. */
TEST(long_lived_entries_are_in_use) {
  for (uint64_t among = 1; among <= 9; among += 4) {
    machine("mapping");
    PARAMS("maps", iommu_map)->long_lived = among;
    OPEN_ON(nothing, TEST_CPUS);
    uint32_t n, used = 0;
    const uint32_t *bits = checked_view(test_engine(), MAPPER, IOMMU_MAP_VIEW_BITMAP, &n);
    for (uint32_t i = 0; i < n; i++) used += (uint32_t)__builtin_popcount(bits[i]);
    const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
    EXPECT_VALUES({c->used, used}, {c->used_most, used});
    uint64_t outside = c->pool_count * c->pool_size; /* the large pool has none */
    assert_in_range(used * among, outside * 9 / 10, outside * 11 / 10);
    for (uint32_t i = 0; i < PARAMS("maps", iommu_map)->entries && among == 1; i++)
      assert_int_equal(bits[i / 32] >> i % 32 & 1, i < outside);
  }
}

/* Reserved stretches are in use from the start, the last of them to the end of the table, and nothing else
 * is. */
TEST(reserved_stretches_are_in_use) {
  static const uint32_t sizes[] = {1024, 1000, 40};
  for (uint32_t size = 0; size < 3; size++) {
    machine("mapping");
    struct iommu_map_params *q = PARAMS("maps", iommu_map);
    q->entries = sizes[size];
    q->reserved_low = 1u << 2 | 1u << 5;
    q->reserved_high = 1u << 31;
    OPEN_ON(nothing, TEST_CPUS);
    uint32_t n, used = 0, length = sizes[size] / 64;
    const uint32_t *bits = checked_view(test_engine(), MAPPER, IOMMU_MAP_VIEW_BITMAP, &n);
    for (uint32_t i = 0; i < sizes[size]; i++) {
      uint32_t stretch = length ? (i / length < 63 ? i / length : 63) : i;
      uint32_t reserved = stretch == 2 || stretch == 5 || stretch == 63;
      assert_int_equal(bits[i / 32] >> i % 32 & 1, reserved);
      used += reserved;
    }
    EXPECT_VALUES({COUNTERS("maps", iommu_map)->used, used}, {COUNTERS("maps", iommu_map)->used_most, used});
  }
}

/* One entry in 16: each of 16 stretches has from half to twice its share. The distances vary and reach more
 * than twice the mean. */
TEST(long_lived_entries_are_scattered) {
  machine("mapping");
  PARAMS("maps", iommu_map)->long_lived = 16;
  OPEN_ON(nothing, TEST_CPUS);
  uint32_t n,
      outside = (uint32_t)(COUNTERS("maps", iommu_map)->pool_count * COUNTERS("maps", iommu_map)->pool_size),
      last = 0, most = 0, distances = 0;
  const uint32_t *bits = checked_view(test_engine(), MAPPER, IOMMU_MAP_VIEW_BITMAP, &n);
  uint64_t met = 0;
  for (uint32_t stretch = 0; stretch < 16; stretch++) {
    uint32_t used = 0;
    for (uint32_t i = stretch * outside / 16; i < (stretch + 1) * outside / 16; i++) {
      if (!(bits[i / 32] >> i % 32 & 1)) continue;
      const uint32_t distance = i - last;
      used++;
      if (distance < 64 && !(met >> distance & 1)) met |= 1ull << distance, distances++;
      most = distance > most ? distance : most;
      last = i;
    }
    assert_in_range(used, outside / 16 / 32, outside / 16 / 8);
  }
  assert_true(distances > 20);
  assert_in_range(most, 40, 200);
}

/* In the trace the lock has one owner at a time, is released by its owner, and is granted to a waiter. */
TEST(the_trace_shows_one_owner_at_a_time) {
  machine("mapping");
  PARAMS("maps", iommu_map)->pools = 1;
  PARAMS("maps", iommu_map)->spread = 1;
  PARAMS("maps", iommu_map)->scope = IOMMU_MAP_SCOPE_INSIDE;
  static const uint64_t program[] = {ROW(REPEAT, 0, 0, 0, 0, 200, 0), ROW(MAP, 0x40000, 0, 8192, 0, 0, 0),
      ROW(SPEND, 0, 0, 0, 100000, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  OPEN_ON(program, TEST_CPUS);
  finish_run();
  sim *m = test_engine();
  const struct sim_directory *d = sim_refresh_header(m);
  const struct sim_record *ring = sim_at(m, d->trace_at);
  uint32_t owner = 0, waiting = 0, granted = 0;
  assert_true(d->seq_lo < d->trace_capacity);
  for (uint32_t i = 0; i < d->seq_lo; i++) {
    const struct sim_record *r = &ring[i];
    if (r->kind == IOMMU_MAP_EV_CONTEND) {
      assert_int_equal(r->a, owner - 1);
      waiting |= 1u << r->c;
    }
    if (r->kind == IOMMU_MAP_EV_ACQUIRE || r->kind == IOMMU_MAP_EV_GRANTED) {
      assert_int_equal(owner, 0);
      owner = r->c + 1;
    }
    if (r->kind == IOMMU_MAP_EV_GRANTED) {
      assert_true(waiting & 1u << r->c);
      waiting &= ~(1u << r->c);
      granted++;
      assert_int_equal(ring[r->cause - 1].kind, IOMMU_MAP_EV_RELEASE); /* the cause is the owner's release */
    }
    if (r->kind == IOMMU_MAP_EV_RELEASE) {
      assert_int_equal(owner, r->c + 1);
      owner = 0;
    }
  }
  EXPECT_VALUES({waiting, 0}, {granted, COUNTERS("maps", iommu_map)->contentions});
}

TEST(waiting_and_holding_times_are_those_of_processors) {
  machine("mapping");
  PARAMS("maps", iommu_map)->pools = 1;
  static const uint64_t program[] = {ROW(REPEAT, 0, 0, 0, 0, 100, 0), ROW(MAP, 0x40000, 0, 8192, 0, 0, 0),
      ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  OPEN_ON(program, TEST_CPUS);
  finish_run();
  uint64_t spin = 0, locked = 0, calls = 0;
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    spin += SIM_COUNTERS(test_engine(), cpu, processor)->in_spin;
    locked += SIM_COUNTERS(test_engine(), cpu, processor)->in_locked;
    calls += SIM_COUNTERS(test_engine(), cpu, processor)->in_hypercall;
  }
  EXPECT_VALUES({spin, COUNTERS("maps", iommu_map)->wait_time},
      {locked, COUNTERS("maps", iommu_map)->hold_time}, {calls, COUNTERS("maps", iommu_map)->call_time});
}

TEST(a_failed_request_leaves_no_mapping) {
  machine("mapping");
  PARAMS("maps", iommu_map)->entries = 64;
  static const uint64_t program[] = {
      ROW(MAP, 0x40000, 0, 8 * 8192, 0, 0, 7), ROW(UNMAP, 0, 0, 0, 0, 0, 7), END_ROW};
  OPEN_ON(program, 1);
  finish_run();
  struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
  EXPECT_VALUES({c->failures, 1}, {c->spills, 16}, {c->acquisitions, 17}, {c->unmaps, 0});
  assert_int_equal(handle_address(7), MAP_NONE);
}

/* Four CPUs request one lock at once: the first gets it and three wait. Which one is next is a choice, and
 * the lock is granted in the chosen order. */
TEST(a_lock_goes_to_whichever_waiting_cpu_is_chosen) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), END_ROW};
  static const uint32_t choices[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}},
                        orders[][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
  for (uint32_t i = 0; i < 6; i++) {
    machine("mapping");
    PARAMS("maps", iommu_map)->pools = 1;
    PARAMS("maps", iommu_map)->handoff = 100000;
    PARAMS("maps", iommu_map)->handoff_waiter = 6000;
    OPEN_ON(program, TEST_CPUS);
    sim *m = test_engine();
    const uint32_t record[] = {choices[i][0], choices[i][1], 0};
    sim_replay(m, record, 3);
    finish_run();
    const struct sim_directory *d = sim_refresh_header(m);
    const struct sim_record *ring = sim_at(m, d->trace_at);
    uint64_t released = 0;
    uint32_t granted = 0;
    assert_true(d->seq_lo < d->trace_capacity);
    for (uint32_t k = 0; k < d->seq_lo; k++) {
      if (ring[k].kind == IOMMU_MAP_EV_RELEASE) released = ring[k].time;
      if (ring[k].kind != IOMMU_MAP_EV_GRANTED) continue;
      assert_int_equal(ring[k].c, orders[i][granted]);
      /* The hand-off takes longer for each waiter: first 3, then 2, then 1. */
      assert_int_equal(ring[k].time - released, 100000 + (3 - granted) * 6000);
      granted++;
    }
    EXPECT_VALUES({granted, 3}, {COUNTERS("maps", iommu_map)->used, 4});
  }
}

/* A newcomer that takes and releases the lock during a hand-off restarts the hand-off. */
TEST(a_newcomer_restarts_the_hand_off) {
  static const uint64_t often[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 0), ROW(MAP, 0x40000, 0, 8192, 0, 0, 1),
      ROW(MAP, 0x40000, 0, 8192, 0, 0, 2), END_ROW};
  const uint64_t *programs[] = {often, often + 2 * ROW_FIELDS, nothing, nothing};
  const uint32_t rows[] = {4, 2, 1, 1};
  machine("mapping");
  PARAMS("maps", iommu_map)->pools = 1;
  PARAMS("maps", iommu_map)->handoff = 5000000; /* CPU 0 finishes three maps before */
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  finish_run();
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  uint64_t released = 0;
  uint32_t granted = 0;
  for (uint32_t k = 0; k < d->seq_lo; k++) {
    if (ring[k].kind == IOMMU_MAP_EV_RELEASE) released = ring[k].time;
    if (ring[k].kind != IOMMU_MAP_EV_GRANTED) continue;
    assert_int_equal(ring[k].time - released,
        PARAMS("maps", iommu_map)->handoff + PARAMS("maps", iommu_map)->handoff_waiter);
    granted++;
  }
  EXPECT_VALUES({granted, 1}, {COUNTERS("maps", iommu_map)->barges, 2});
}

TEST(parameters_of_impossible_tables_are_refused) {
  static const struct {
    uint32_t param;
    uint64_t value;
  } bad[] = {{IOMMU_MAP_PARAM_PAGE, 12345}, {IOMMU_MAP_PARAM_BASE, 4096}, {IOMMU_MAP_PARAM_POOLS, 17},
      {IOMMU_MAP_PARAM_SEGMENT, 0x1234567}};
  for (uint32_t i = 0; i < 4; i++) {
    machine("mapping");
    ((uint64_t *)machine_params("maps", "iommu_map"))[bad[i].param] = bad[i].value;
    const uint64_t *programs[] = {nothing, nothing, nothing, nothing};
    const uint32_t rows[] = {1, 1, 1, 1};
    struct session s = map_session(programs, rows);
    assert_int_equal(session_open(&s), SIM_BAD_PARAM);
    assert_int_equal(sim_refresh_header(test_engine())->error_detail, bad[i].param);
  }
}

/* A spill resets the neighbour's cursor and counts that, unless the rule keeps the cursor or it is at the
 * start. */
TEST(a_spill_counts_the_cursor_that_it_resets) {
  static const uint64_t fills[] = {ROW(MAP, 0, 0, 8192, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 0),
      ROW(MAP, 0, 0, 8192, 0, 0, 1), END_ROW},
                        spills[] = {ROW(SPEND, 0, 0, 0, 1000000000, 0, 0), ROW(MAP, 0, 0, 14 * 8192, 0, 0, 2),
                            ROW(MAP, 0, 0, 8192, 0, 0, 3), END_ROW};
  for (uint32_t keeps = 0; keeps < 2; keeps++)
    for (uint32_t used = 0; used < 2; used++) {
      machine("mapping");
      PARAMS("maps", iommu_map)->pools = 2, PARAMS("maps", iommu_map)->entries = 32,
                     PARAMS("maps", iommu_map)->home = IOMMU_MAP_RULE_MENDED,
                     PARAMS("maps", iommu_map)->spill = keeps ? IOMMU_MAP_RULE_MENDED : IOMMU_MAP_RULE_LINUX;
      const uint64_t *programs[] = {spills, used ? fills : nothing, nothing, nothing};
      const uint32_t rows[] = {4, used ? 4 : 1, 1, 1};
      struct session s = map_session(programs, rows);
      assert_int_equal(session_open(&s), SIM_OK);
      finish_run();
      assert_int_equal(COUNTERS("maps", iommu_map)->spills, 1);
      assert_int_equal(COUNTERS("maps", iommu_map)->resets, used && !keeps);
    }
}

/* Under the lock are both hypercalls, only the one that clears entries, or neither. */
TEST(a_hypercall_event_shows_whether_the_lock_is_held) {
  static const struct {
    uint64_t scope;
    uint32_t fill, clear;
  } cases[] = {
      {IOMMU_MAP_SCOPE_INSIDE, 1, 1}, {IOMMU_MAP_SCOPE_UNMAP_INSIDE, 0, 1}, {IOMMU_MAP_SCOPE_OUTSIDE, 0, 0}};
  for (uint32_t i = 0; i < 3; i++) {
    machine("mapping");
    static const uint64_t program[] = {
        ROW(MAP, 0x40000, 0, 2 * 8192, 0, 0, 5), ROW(UNMAP, 0, 0, 0, 0, 0, 5), END_ROW};
    PARAMS("maps", iommu_map)->scope = cases[i].scope;
    OPEN_ON(program, 1);
    sim_record_trace(test_engine(), 1);
    finish_run();
    const struct sim_directory *d = sim_refresh_header(test_engine());
    const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
    uint32_t entries[2] = {9, 9}, n = 0;
    for (uint32_t k = 0; k < d->seq_lo; k++)
      if (ring[k].part == MAPPER && ring[k].kind == IOMMU_MAP_EV_HYPERCALL && n < 2) entries[n++] = ring[k].b;
    EXPECT_VALUES({n, 2}, {entries[0], cases[i].fill}, {entries[1], cases[i].clear});
  }
}

/* Each choice of a parameter sets rules of the allocator; the choices of Linux 4.1 set none. */
TEST(parameters_choose_the_allocators_rules) {
  static const struct {
    uint32_t param;
    uint64_t value;
    uint32_t rules;
  } cases[] = {{IOMMU_MAP_PARAM_LARGE, IOMMU_MAP_LARGE_NONE, 0},
      {IOMMU_MAP_PARAM_LARGE, IOMMU_MAP_LARGE_LINUX, RULE_LARGE},
      {IOMMU_MAP_PARAM_LARGE, IOMMU_MAP_LARGE_POWERPC,
          RULE_LARGE | RULE_LARGE_SPILLS | RULE_SMALL_TO_LARGE | RULE_BLOCK_HINT},
      {IOMMU_MAP_PARAM_FLUSH, IOMMU_MAP_FLUSH_EACH, 0},
      {IOMMU_MAP_PARAM_FLUSH, IOMMU_MAP_FLUSH_LAZY, RULE_LAZY},
      {IOMMU_MAP_PARAM_FLUSH, IOMMU_MAP_FLUSH_LAZY_MENDED, RULE_LAZY | RULE_FLUSH_AHEAD | RULE_POOL_FLAGS},
      {IOMMU_MAP_PARAM_SPAN_CHECK, 0, RULE_SKIP_SPAN},
      {IOMMU_MAP_PARAM_SEARCH, IOMMU_MAP_SEARCH_FIRST, RULE_FIRST_FIT},
      {IOMMU_MAP_PARAM_ENDS, IOMMU_MAP_ENDS_LINUX, 0},
      {IOMMU_MAP_PARAM_ENDS, IOMMU_MAP_ENDS_POWERPC, RULE_END_EXCLUSIVE},
      {IOMMU_MAP_PARAM_ENDS, IOMMU_MAP_ENDS_MENDED, RULE_END_EXACT},
      {IOMMU_MAP_PARAM_HOME, IOMMU_MAP_HOME_LINUX, 0},
      {IOMMU_MAP_PARAM_HOME, IOMMU_MAP_HOME_SCALED, RULE_HOME_SCALED},
      {IOMMU_MAP_PARAM_HOME, IOMMU_MAP_HOME_MODULO, RULE_HOME_MODULO},
      {IOMMU_MAP_PARAM_REACH, IOMMU_MAP_RULE_MENDED, RULE_ALL_POOLS},
      {IOMMU_MAP_PARAM_REMAINDER, IOMMU_MAP_RULE_MENDED, RULE_REMAINDER},
      {IOMMU_MAP_PARAM_SPILL, IOMMU_MAP_RULE_MENDED, RULE_KEEP_CURSOR},
      {IOMMU_MAP_PARAM_FLAG, IOMMU_MAP_RULE_MENDED, RULE_POOL_FLAGS},
      {IOMMU_MAP_PARAM_MASK, IOMMU_MAP_RULE_MENDED, RULE_OWN_LIMIT},
      {IOMMU_MAP_PARAM_FREE, IOMMU_MAP_RULE_MENDED, RULE_CHECK_FREE}};
  uint32_t each = 0;
  struct iommu_map_params all = IOMMU_MAP_DEFAULTS;
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct iommu_map_params q = IOMMU_MAP_DEFAULTS; /* Linux 4.1 */
    ((uint64_t *)&q)[cases[i].param] = cases[i].value;
    assert_int_equal(map_rules_of(&q), cases[i].rules);
    ((uint64_t *)&all)[cases[i].param] = cases[i].value;
    each |= cases[i].rules;
  }
  assert_int_equal(map_rules_of(&all),
      each & ~(uint32_t)(RULE_END_EXCLUSIVE | RULE_HOME_SCALED)); /* replaced by later choices */
}
