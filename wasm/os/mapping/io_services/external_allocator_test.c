/* HP-UX's services with an external allocator: the pools of an IOMMU's library. */
#include "test/hp.h"

#define MAP(page, bytes, tag) ROW(MAP, BASE + (page) * PAGE, 0, bytes, 4, 0, 0, tag)
#define UNMAP(tag) ROW(UNMAP, 0, 0, 0, 4, 0, 0, tag)
#define ROW_PAGES 64ull /* pages of the address space for each row of the I/O TLB */

static void lent(uint32_t cpus) {
  hp(cpus, 1);
  machine_with("services"), machine_with("pools");
}

static const struct iommu_map_counters *pools_of(void) { return COUNTERS("pools", iommu_map); }
static const struct io_services_counters *services_of(void) { return COUNTERS("services", io_services); }
static mapping mapped(uint32_t tag) {
  uint32_t rows;
  return ((const mapping *)checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows))[tag];
}
static uint64_t entry_at(uint64_t page) {
  struct shadow_value entry = {.address = DIRECTORY + page * 8};
  call_shadow_value(test_engine(), CACHE(0), SNOOP_CACHE_PORT_BUS, &entry);
  return entry.value;
}
/* Counts the TLB commands stored to the adapter. */
static uint32_t commands(uint32_t seq) {
  uint32_t n = 0;
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  for (uint32_t i = seq; i < d->seq_lo; i++)
    n += ring[i].part == CPU(0) && ring[i].kind == PROCESSOR_EV_STORE && ring[i].a == 0xf0000030ull;
  return n;
}

/* One pool, sixteen pools, a large pool; small and large mappings that are unmapped and mapped again. */
TEST(live_mappings_share_no_page_and_have_all_entries) {
  static const uint64_t program[] = {MAP(0, 64, 0), MAP(1, 4096, 1), MAP(2, 3 * 4096, 2),
      MAP(5, 20 * 4096, 3), MAP(25, 64, 4), UNMAP(1), UNMAP(2), MAP(1, 64, 5), MAP(2, 2 * 4096, 6), UNMAP(3),
      MAP(5, 18 * 4096 + 4, 3), END};
  static const struct {
    uint64_t pools, large, flush;
  } kinds[] = {{1, IOMMU_MAP_LARGE_NONE, IOMMU_MAP_FLUSH_EACH},
      {16, IOMMU_MAP_LARGE_NONE, IOMMU_MAP_FLUSH_EACH}, {4, IOMMU_MAP_LARGE_LINUX, IOMMU_MAP_FLUSH_EACH},
      {1, IOMMU_MAP_LARGE_NONE, IOMMU_MAP_FLUSH_LAZY}};
  for (uint32_t kind = 0; kind < 4; kind++) {
    lent(1);
    PARAMS("services", io_services)->page_bits = PARAMS("adapter", io_adapter)->page_bits =
        8; /* scarce entries must be reused */
    PARAMS("services", io_services)->chain_shift = PARAMS("adapter", io_adapter)->chain_shift = 15;
    PARAMS("pools", iommu_map)->entries = 256;
    PARAMS("pools", iommu_map)->pools = kinds[kind].pools;
    PARAMS("pools", iommu_map)->large = kinds[kind].large;
    PARAMS("pools", iommu_map)->flush = kinds[kind].flush;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    uint8_t used[256] = {0};
    uint32_t pages = 0, live = 0,
             failed = kind == 1 ? 2 : 0; /* sixteen pools of 16 entries have no 20 in a row */
    for (uint32_t tag = 0; tag < 16; tag++) {
      mapping map = mapped(tag);
      live += map.live;
      for (uint64_t page = map.addr / PAGE; map.live && page < map.addr / PAGE + map.pages; page++, pages++) {
        assert_true(page < 256);
        assert_int_equal(used[page]++, 0);
        assert_int_equal(io_page_page(entry_at(page)), map.host / PAGE + page - map.addr / PAGE);
        assert_true(entry_at(page) & IO_PAGE_VALID);
      }
    }
    assert_int_equal(live, failed ? 4 : 5);
    assert_int_equal(services_of()->exhausted, failed);
    assert_int_equal(services_of()->entries_live, pages);
    assert_int_equal(pools_of()->used, pages);
    assert_int_equal(pools_of()->bad_frees, 0);
    for (uint64_t page = 0; page < 256; page++) assert_int_equal(entry_at(page) & IO_PAGE_VALID, used[page]);
  }
}

/* A lone call takes lock and search in addition to the service's own work. Its purge comes before the pages
 * are free again. */
TEST(a_lone_call_takes_search_hold_and_purge) {
  static const uint64_t program[] = {MAP(0, 3 * 4096, 0), UNMAP(0), END};
  lent(1);
  PARAMS("pools", iommu_map)->map_call = PARAMS("pools", iommu_map)->demap_call =
      1000000; /* do not count here */
  machine_rows("cpu0", 0, ROWS(program));
  hp_run();
  assert_int_equal(services_of()->alloc_time,
      PARAMS("pools", iommu_map)->hold_alloc + 2 * PARAMS("pools", iommu_map)->word_time);
  assert_int_equal(services_of()->free_time,
      PARAMS("cpu0", processor)->store_time + PARAMS("pools", iommu_map)->hold_free);
  assert_int_equal(pools_of()->hold_time, PARAMS("pools", iommu_map)->hold_alloc
                                              + 2 * PARAMS("pools", iommu_map)->word_time
                                              + PARAMS("pools", iommu_map)->hold_free);
  assert_int_equal(pools_of()->hypercalls, 0);
  assert_int_equal(commands(0), 1);
}

/* Two processors at once: with one lock the later one spins until the hand-off; with a pool for each none
 * waits. */
TEST(a_processor_spins_while_the_lock_is_taken) {
  static const uint64_t program[] = {MAP(0, 64, 0), END}, other[] = {MAP(1, 64, 1), END};
  for (uint64_t pools = 1; pools <= 16; pools += 15) {
    lent(2);
    PARAMS("pools", iommu_map)->pools = pools;
    machine_rows("cpu0", 0, ROWS(program));
    machine_rows("cpu1", 0, ROWS(other));
    hp_run();
    uint64_t waited =
        pools == 1 ? PARAMS("pools", iommu_map)->hold_alloc + 2 * PARAMS("pools", iommu_map)->word_time
                         + PARAMS("pools", iommu_map)->handoff + PARAMS("pools", iommu_map)->handoff_waiter
                   : 0;
    assert_int_equal(pools_of()->wait_time, waited);
    assert_int_equal(COUNTERS("cpu0", processor)->in_spin + COUNTERS("cpu1", processor)->in_spin, waited);
    assert_int_equal(services_of()->maps, 2);
    assert_true(mapped(0).addr != mapped(1).addr);
  }
}

/* Pages of a mapping may lie in several rows, and each is purged: from the last page of a row on, up to the
 * end of the second and one page into the third. */
TEST(every_row_of_a_mapping_is_purged) {
  static const struct {
    uint64_t pages;
    uint32_t rows;
  } cases[] = {{1, 1}, {2, 2}, {3, 2}, {1 + ROW_PAGES, 2}, {2 + ROW_PAGES, 3}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t program[] = {
        MAP(0, (ROW_PAGES - 1) * PAGE, 0), MAP(0, cases[i].pages * PAGE, 1), UNMAP(1), END};
    lent(1);
    PARAMS("pools", iommu_map)->pools = 1;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    assert_int_equal(mapped(1).addr, (ROW_PAGES - 1) * PAGE);
    assert_int_equal(commands(0), cases[i].rows);
  }
}

/* Lazy flush: an unmap purges nothing. When the search wraps around, all rows are purged under the lock. */
TEST(a_lazy_flush_purges_all_rows_when_the_search_wraps) {
  static const uint64_t program[] = {MAP(0, 4096, 0), UNMAP(0), MAP(0, 4096, 0), UNMAP(0),
      MAP(0, 2 * 4096, 0), UNMAP(0), MAP(0, 4096, 0), UNMAP(0), END};
  lent(1);
  PARAMS("services", io_services)->page_bits = PARAMS("adapter", io_adapter)->page_bits = 4;
  PARAMS("services", io_services)->chain_shift = PARAMS("adapter", io_adapter)->chain_shift = 15;
  PARAMS("services", io_services)->rows = PARAMS("adapter", io_adapter)->rows = 16;
  PARAMS("pools", iommu_map)->entries = 6; /* the last two are not allocated */
  PARAMS("pools", iommu_map)->pools = 1;
  PARAMS("pools", iommu_map)->flush = IOMMU_MAP_FLUSH_LAZY;
  machine_rows("cpu0", 0, ROWS(program));
  hp_run();
  assert_int_equal(pools_of()->flushes, 1);
  assert_int_equal(commands(0), 16);
  assert_int_equal(services_of()->entries, 5); /* including those of the map that flushed */
  assert_int_equal(services_of()->unmaps, 4);
  assert_int_equal(services_of()->entries_live, 0);
  assert_true(pools_of()->hold_most >= 16 * PARAMS("cpu0", processor)->store_time);
}

/* A device continues with an unmapped address. Its write is stopped if the row was purged, and let through if
 * not. */
TEST(a_late_write_is_stopped_or_counted) {
  static const uint64_t program[] = {ROW(STORE, 0, BASE, 64, 4, 0, 0, 0), MAP(0, 4096, 0),
      ROW(START_DMA, 0, WINDOW(0), 64, 4, 0, 2, 0), SPEND(20000000), UNMAP(0), SPEND(20000000),
      ROW(IO_STORE, 0, WINDOW(0), 4, 4, 0, 0, 0), ROW(IO_STORE, 0, WINDOW(0) + 4, 4, 4, 0, 64, 0),
      ROW(IO_STORE, 0, WINDOW(0) + 8, 4, 4, 0, 2, 0), END};
  for (uint64_t flush = IOMMU_MAP_FLUSH_EACH; flush <= IOMMU_MAP_FLUSH_LAZY; flush++) {
    lent(1);
    PARAMS("pools", iommu_map)->flush = flush;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    const struct io_adapter_counters *c = COUNTERS("adapter", io_adapter);
    int late = flush == IOMMU_MAP_FLUSH_LAZY;
    EXPECT_VALUES({c->faults, late ? 0 : 2}, {c->stale_translations, late ? 2 : 0}, {c->stale_wrong, 0},
        {c->bytes_in, late ? 128 : 64});
  }
}

/* A row holds one page of a mapping, the one translated last. It is purged whichever page that is. */
TEST(a_purge_empties_the_row_whichever_page_it_holds) {
  static const uint64_t program[] = {MAP(0, 3 * 4096, 0),
      ROW(START_DMA, 0, WINDOW(0), 2 * 4096 + 64, 4, 0, 2, 0), SPEND(200000000), UNMAP(0), SPEND(20000000),
      ROW(IO_STORE, 0, WINDOW(0), 4, 4, 0, 2 * 4096, 0), ROW(IO_STORE, 0, WINDOW(0) + 4, 4, 4, 0, 64, 0),
      ROW(IO_STORE, 0, WINDOW(0) + 8, 4, 4, 0, 2, 0), END};
  lent(1);
  machine_rows("cpu0", 0, ROWS(program));
  hp_run();
  assert_int_equal(COUNTERS("adapter", io_adapter)->bytes_in, 2 * 4096 + 64);
  assert_int_equal(COUNTERS("adapter", io_adapter)->faults, 2);
}

/* If the address belongs to another mapping by then, the write goes to the page of the first mapping. It is
 * misdirected there and missing in the new page. */
TEST(a_late_write_reaches_the_previous_page) {
  static const uint64_t program[] = {MAP(0, 4096, 0), ROW(START_DMA, 0, WINDOW(0), 64, 4, 0, 2, 0),
      SPEND(20000000), UNMAP(0), MAP(3, 4096, 1), SPEND(20000000), ROW(IO_STORE, 0, WINDOW(0), 4, 4, 0, 0, 0),
      ROW(IO_STORE, 0, WINDOW(0) + 4, 4, 4, 0, 64, 0), ROW(IO_STORE, 0, WINDOW(0) + 8, 4, 4, 0, 2, 0), END};
  lent(1);
  PARAMS("services", io_services)->fault = IO_SERVICES_FAULT_TLB_NOT_PURGED;
  PARAMS("pools", iommu_map)->search = IOMMU_MAP_SEARCH_FIRST;
  machine_rows("cpu0", 0, ROWS(program));
  hp_run();
  assert_int_equal(COUNTERS("adapter", io_adapter)->stale_wrong, 2);
  const struct sim_record *astray = record_after(ADAPTER, IO_ADAPTER_EV_ASTRAY, 0);
  EXPECT_VALUES({astray->b, BASE / PAGE}, {astray->c, BASE / PAGE + 3});
  assert_int_equal(hp_cell(BASE).write, 5); /* four half lines were written before */
  assert_int_equal(hp_cell(BASE).newest, 1);
  assert_int_equal(hp_cell(BASE + 3 * PAGE).write, 0); /* the new page gets nothing */
  assert_int_equal(hp_cell(BASE + 3 * PAGE).newest, 5);
  assert_int_equal(COUNTERS("memory", memory_controller)->overwritten, 4);
}

/* In Linux 4.1 a page that is freed ahead of the search is allocated again without a flush. The data of a
 * correct driver is misdirected. */
TEST(a_page_freed_ahead_misdirects_a_device_without_the_fix) {
  static const uint64_t program[] = {MAP(0, 4096, 0), MAP(1, 4096, 1), MAP(2, 4096, 2), MAP(3, 4096, 3),
      UNMAP(0), MAP(4, 4096, 4), /* wraps around and flushes */
      ROW(START_DMA, 0, WINDOW(0), 64, 4, 0, 2, 2), SPEND(20000000), UNMAP(1), UNMAP(2), MAP(5, 4096, 5),
      MAP(6, 4096, 6), ROW(START_DMA, 0, WINDOW(0), 64, 4, 0, 2, 6), SPEND(20000000), END};
  for (uint64_t flush = IOMMU_MAP_FLUSH_EACH; flush <= IOMMU_MAP_FLUSH_LAZY_MENDED; flush++) {
    lent(1);
    PARAMS("services", io_services)->page_bits = PARAMS("adapter", io_adapter)->page_bits = 4;
    PARAMS("services", io_services)->chain_shift = PARAMS("adapter", io_adapter)->chain_shift = 15;
    PARAMS("services", io_services)->rows = PARAMS("adapter", io_adapter)->rows = 16;
    PARAMS("pools", iommu_map)->entries = 6; /* the last two are not allocated */
    PARAMS("pools", iommu_map)->pools = 1;
    PARAMS("pools", iommu_map)->flush = flush;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    int astray = flush == IOMMU_MAP_FLUSH_LAZY;
    assert_int_equal(mapped(6).addr, 2 * PAGE);
    assert_int_equal(COUNTERS("adapter", io_adapter)->faults, 0);
    assert_int_equal(COUNTERS("adapter", io_adapter)->stale_wrong, astray ? 2 : 0);
    assert_int_equal(COUNTERS("adapter", io_adapter)->stale_translations, astray ? 2 : 0);
    assert_int_equal(pools_of()->reused, astray ? 2 : 0); /* pages 1 and 2 */
    assert_int_equal(hp_cell(BASE + 2 * PAGE).write,
        astray ? 5 : 1); /* first half line of the second transfer, or of the first */
    EXPECT_VALUES({hp_cell(BASE + 2 * PAGE).newest, 1}, {hp_cell(BASE + 6 * PAGE).write, astray ? 0 : 5},
        {hp_cell(BASE + 6 * PAGE).newest, 5},
        {COUNTERS("memory", memory_controller)->overwritten, astray ? 4 : 0});
  }
}

/* More entries than the service has pages, or too little memory, is refused without a leak. */
TEST(impossible_parameters_are_refused) {
  lent(1);
  PARAMS("services", io_services)->page_bits = PARAMS("adapter", io_adapter)->page_bits = 13;
  assert_int_equal(session_open(hp_session()), SIM_BAD_PARAM);
  assert_int_equal(sim_refresh_header(test_engine())->error_part, LENDER);
  assert_int_equal(sim_refresh_header(test_engine())->error_detail, IOMMU_MAP_PARAM_ENTRIES);
  PARAMS("pools", iommu_map)->entries = 1 << 13;
  assert_true(session_without_memory(hp_session()) > 20);
}
