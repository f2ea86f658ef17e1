/* Mappings of the driver services: which pages they have, what their entries hold, and the time of the calls.
 */
#include "test/hp.h"

#define BUFFER (BASE + 2 * PAGE)

#define MAP(page, bytes, tag) ROW(MAP, BASE + (page) * PAGE, 0, bytes, 4, 0, 0, tag)
#define UNMAP(tag) ROW(UNMAP, 0, 0, 0, 4, 0, 0, tag)

/* Live mappings have no page in common, and freed pages are allocated again. */
TEST(live_mappings_have_no_page_in_common) {
  static const uint64_t program[] = {MAP(0, 64, 0), MAP(1, 4096, 1), MAP(2, 3 * 4096, 2), MAP(5, 8 * 4096, 3),
      MAP(13, 64, 4), UNMAP(1), UNMAP(2), MAP(1, 64, 5), MAP(2, 2 * 4096, 6), MAP(4, 4096, 7), UNMAP(3),
      UNMAP(4), MAP(5, 8 * 4096, 3), MAP(13, 64, 4), END};
  static const uint32_t allocators[] = {IO_SERVICES_ALLOCATOR_HPUX, IO_SERVICES_ALLOCATOR_SEQUENTIAL,
      IO_SERVICES_ALLOCATOR_HPUX_NEXT, IO_SERVICES_ALLOCATOR_CCIO};
  for (uint32_t a = 0; a < 4; a++) {
    hp(1, 1);
    machine_with("services");
    PARAMS("services", io_services)->page_bits = PARAMS("adapter", io_adapter)->page_bits =
        6; /* only eight ranges, so that freed pages are reused */
    PARAMS("services", io_services)->chain_shift = PARAMS("adapter", io_adapter)->chain_shift = 15;
    PARAMS("services", io_services)->allocator = allocators[a];
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    uint32_t rows, pages = 0, live = 0;
    uint64_t used = 0;
    const mapping *map = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows);
    for (uint32_t i = 0; i < rows; i++) {
      if (!map[i].live) continue;
      uint64_t own = ((1ull << map[i].pages) - 1) << map[i].addr / PAGE;
      assert_true(map[i].addr / PAGE + map[i].pages <= 64);
      assert_int_equal(used & own, 0);
      used |= own;
      pages += map[i].pages;
      live++;
    }
    EXPECT_VALUES({live, 6}, {pages, 1 + 8 + 1 + 1 + 2 + 1},
        {COUNTERS("services", io_services)->entries_live, pages},
        {COUNTERS("services", io_services)->exhausted, 0});
  }
}

/* A page of virtual address 0x145000 lies at 0x100000: its entry has the index of one or of the other, as the
 * range type says. Index and page are all that differs; remap() keeps what its mapping has. */
TEST(the_range_type_decides_which_address_gives_the_index) {
  for (uint32_t physical = 0; physical < 2; physical++) {
    const uint64_t program[] = {ROW(MAP, BUFFER, 0, PAGE, 4, 0, physical ? IO_PHYSICAL : 0, 0),
        ROW(REMAP, BUFFER + PAGE, 0, 0, 4, 0, 0, 0), END};
    hp(1, 1);
    machine_with("services");
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    const struct sim_record *entry = record_following(SERVICES, IO_SERVICES_EV_ENTRY, NULL);
    for (uint64_t page = BUFFER / PAGE; page < BUFFER / PAGE + 2; page++) {
      assert_non_null(entry);
      uint64_t index =
          (page + (physical ? 0 : PARAMS("services", io_services)->virtual_offset / PAGE)) & 0xfff;
      assert_int_equal(entry->a, index << 48 | page << 12 | IO_PAGE_VALID | IO_PAGE_PREFETCH);
      entry = record_following(SERVICES, IO_SERVICES_EV_ENTRY, entry);
    }
  }
}

/* A line shared with other data gets its own, safe mapping. Hints keep the buffer in one piece. With IO_CB,
 * map() reuses the rest of its last range. */
TEST(a_buffer_is_split_where_its_attributes_change) {
  static const struct {
    uint64_t offset, bytes, hints, mode;
    uint32_t vectors, safe, ranges;
  } cases[] = {
      {0, 4096, 0, IO_SERVICES_MODE_COHERENT, 1, 0, 1},
      {16, 4096, 0, IO_SERVICES_MODE_COHERENT, 3, 2, 3},
      {16, 4096, IO_CB, IO_SERVICES_MODE_COHERENT, 3, 2, 1},
      {16, 4096, IO_IGN_ALIGNMENT, IO_SERVICES_MODE_COHERENT, 1, 0, 1},
      {16, 4096, IO_CONTIGUOUS, IO_SERVICES_MODE_COHERENT, 1, 0, 1},
      {0, 48, 0, IO_SERVICES_MODE_COHERENT, 2, 1, 2},
      {4, 8, 0, IO_SERVICES_MODE_COHERENT, 1, 1, 1},
      {0, 9 * 4096, 0, IO_SERVICES_MODE_COHERENT, 2, 0, 2},
      {0, 9 * 4096, IO_CONTIGUOUS, IO_SERVICES_MODE_COHERENT, 0, 0, 0},
      {16, 2 * 4096, 0, IO_SERVICES_MODE_NONE, 4, 2, 0}, /* physical pages need not be contiguous */
  };
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t program[] = {
        ROW(MAP_BUFFER, BUFFER + cases[i].offset, 0, cases[i].bytes, 4, 0, cases[i].hints, 3), END};
    hp(1, 1);
    machine_with("services");
    PARAMS("services", io_services)->mode = cases[i].mode;
    PARAMS("adapter", io_adapter)->mode =
        cases[i].mode == IO_SERVICES_MODE_NONE ? IO_ADAPTER_MODE_NONE : IO_ADAPTER_MODE_COHERENT;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    uint32_t rows, safe = 0, live = 0;
    const mapping *map = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows);
    for (uint32_t k = 0; k < rows; k++) live += map[k].live, safe += map[k].live && map[k].attributes & 2;
    EXPECT_VALUES({live, cases[i].vectors}, {safe, cases[i].safe},
        {COUNTERS("services", io_services)->ranges, cases[i].ranges},
        {COUNTERS("services", io_services)->vectors, cases[i].vectors},
        {COUNTERS("services", io_services)->torn, cases[i].vectors == 0},
        {COUNTERS("cpu0", processor)->refused, cases[i].vectors == 0});
    if (!cases[i].vectors) continue;
    EXPECT_VALUES({map[3].host, BUFFER + cases[i].offset}, {map[3].vectors, cases[i].vectors});
  }
}

/* The page under an I/O address is replaced. The device reads the new page, or the old one if the TLB was not
 * purged. */
TEST(a_page_is_replaced_by_another) {
  static const uint64_t program[] = {ROW(MAP, BUFFER, 0, 2 * 4096, 4, 0, IO_NO_SEQ, 0),
      ROW(START_DMA, 0, WINDOW(0), 64, 4, 0, 1, 0), SPEND(100000000),
      ROW(REMAP, BUFFER + 8 * PAGE, 0, 4096, 4, 0, 0, 0), ROW(START_DMA, 0, WINDOW(0), 64, 4, 0, 1, 0),
      SPEND(100000000), ROW(UNMAP, 0, 0, 0, 4, 0, 0, 0), END};
  for (uint32_t sound = 0; sound < 2; sound++) {
    hp(1, 1);
    machine_with("services");
    PARAMS("memory", memory_controller)->written = 1;
    if (!sound) PARAMS("services", io_services)->fault = IO_SERVICES_FAULT_TLB_NOT_PURGED;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    uint32_t rows;
    const struct dma_device_received *got =
        checked_view(test_engine(), DEVICE(0), DMA_DEVICE_VIEW_RECEIVED, &rows);
    uint64_t page = sound ? BUFFER + 8 * PAGE : BUFFER;
    assert_int_equal(got[0].write, (page + 32 - BASE) / HALF_BYTES + 1);
    assert_int_equal(COUNTERS("adapter", io_adapter)->stale_wrong, sound ? 0 : 2);
    assert_int_equal(COUNTERS("services", io_services)->remaps, 1);
    assert_int_equal(COUNTERS("services", io_services)->entries_live, 0);
  }
}

/* The driver of a device that takes buffers in sequence keeps its range. */
TEST(a_sequential_driver_keeps_its_pages) {
  static const uint64_t sequential[] = {
      ROW(SET_ATTRIBUTES, 0, 0, 0, 4, 0, 1, 0), MAP(0, 4096, 0), MAP(1, 4096, 1), UNMAP(0), UNMAP(1), END};
  hp(1, 1);
  machine_with("services");
  machine_rows("cpu0", 0, ROWS(sequential));
  hp_run();
  assert_int_equal(COUNTERS("services", io_services)->ranges, 1); /* the range is kept after unmap */
  uint32_t rows;
  const mapping *map = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows);
  assert_int_equal(map[1].addr, map[0].addr + PAGE);
}

#define CHAINED(chain)                                                                \
  ((uint64_t)(chain) << 18) /* consecutive ranges: each in the next chain of 64 pages \
                             */
#define ENTRY(page, attributes)         \
  (((page) + 0x45) << 48 | (page) << 12 \
      | (attributes)) /* virtual index (0x45 pages above the physical one), physical page, attribute bits */
#define EVENT(kind, a, b, c) {ANY_TIME, IO_SERVICES_EV_##kind, a, b, c, ANY_CAUSE}

static void serving(const uint64_t *program, uint32_t values) {
  hp(1, 1);
  machine_with("services");
  machine_rows("cpu0", 0, program, values);
}
#define SERVING(program) serving(program, sizeof(program) / 8)

static void run_recorded(void) {
  hp_open();
  sim_record_trace(test_engine(), 1);
  session_run();
  uint32_t rows;
  const service_call *call = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_CALLS, &rows);
  for (uint32_t i = 0; i < rows; i++)
    assert_true(
        COUNTERS("cpu0", processor)->refused
        || (call[i].inner == 0
            && (call[i].step == 0 || call[i].step == IO_SERVICES_STEP_DONE))); /* every call is done */
}

/* A map writes its entries page by page, then reports the address. An unmap clears entries first. The address
 * keeps the buffer's offset in its page. */
TEST(map_events_include_their_entries) {
  static const uint64_t program[] = {ROW(MAP, BASE + 0x1800, 0, 4096, 4, 0, 0, 3),
      ROW(MAP, BASE + 0x3000, 0, 64, 4, 0, IO_LOCK | IO_NO_SEQ, 15), UNMAP(3),
      ROW(MAP, BASE + 0x4000, 0, 0x8000, 4, 0, 0, 3), UNMAP(15), UNMAP(15),
      ROW(START_DMA, 0, WINDOW(0), 64, 4, 0, 1, 3), END};
  SERVING(program);
  run_recorded();
  const uint64_t plain = IO_PAGE_VALID | IO_PAGE_PREFETCH, locked = IO_PAGE_VALID | IO_PAGE_LOCK;
  EXPECT_EVENTS(SERVICES, EVENT(MAP, 0, 2, 0), EVENT(ENTRY, ENTRY(0x101ull, plain), 0, 0),
      EVENT(ENTRY, ENTRY(0x102ull, plain), 1, 0), EVENT(MAP, CHAINED(1), 1, 1),
      EVENT(ENTRY, ENTRY(0x103ull, locked), 64, 0), EVENT(ENTRY, 0, 0, 0), EVENT(ENTRY, 0, 1, 0),
      EVENT(UNMAP, 0x800, 2, 0), EVENT(MAP, 0, 8, 0), EVENT(ENTRY, ENTRY(0x104ull, plain), 0, 0),
      EVENT(ENTRY, ENTRY(0x105ull, plain), 1, 0), EVENT(ENTRY, ENTRY(0x106ull, plain), 2, 0),
      EVENT(ENTRY, ENTRY(0x107ull, plain), 3, 0), EVENT(ENTRY, ENTRY(0x108ull, plain), 4, 0),
      EVENT(ENTRY, ENTRY(0x109ull, plain), 5, 0), EVENT(ENTRY, ENTRY(0x10aull, plain), 6, 0),
      EVENT(ENTRY, ENTRY(0x10bull, plain), 7, 0), EVENT(ENTRY, 0, 64, 0), EVENT(UNMAP, CHAINED(1), 1, 0));
  const struct io_services_counters *c = COUNTERS("services", io_services);
  EXPECT_VALUES({c->maps, 3}, {c->unmaps, 2}, {c->entries, 11}, {c->entries_live, 8});
  assert_int_equal(COUNTERS("cpu0", processor)->refused, 1); /* the second unmap finds nothing */
}

/* A driver may keep addresses instead of handles: mappings without a handle are found by address, in any
 * order. */
TEST(mappings_without_a_handle_are_found_by_address) {
#define NAMELESS(op, from) ROW(op, from, 0, 64, 4, 0, 0, NO_TAG)
  static const uint64_t program[] = {NAMELESS(MAP, BASE), NAMELESS(MAP, BASE + PAGE + 32),
      NAMELESS(MAP, BASE + 2 * PAGE), NAMELESS(UNMAP, CHAINED(1) + 32), NAMELESS(UNMAP, CHAINED(1)),
      NAMELESS(MAP, BASE + 3 * PAGE), NAMELESS(UNMAP, CHAINED(2)), END};
  SERVING(program);
  run_recorded();
  uint32_t rows, live = 0;
  const mapping *map = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows);
  assert_int_equal(rows, SERVICE_HANDLES + SERVICE_ROWS + SERVICE_UNNAMED);
  for (uint32_t i = 0; i < rows; i++) live += map[i].live;
  assert_int_equal(live, 2);
  map += SERVICE_HANDLES + SERVICE_ROWS;
  assert_int_equal(map[0].host, BASE);
  assert_int_equal(map[1].host, BASE + 3 * PAGE); /* reuses the slot and the range of the second */
  EXPECT_VALUES({map[1].addr, CHAINED(1)}, {COUNTERS("services", io_services)->unmaps, 2});
  assert_int_equal(
      COUNTERS("cpu0", processor)->refused, 1); /* no mapping begins at the address without its offset */
}

/* There is room for 512 mappings without a handle. */
TEST(mappings_without_a_handle_run_out) {
  static const uint64_t program[] = {ROW(REPEAT, 0, 0, 0, 0, 0, 513, 0), NAMELESS(MAP, BASE),
      ROW(AGAIN, 0, 0, 0, 0, 0, 0, 0), ROW(MAP, BASE, 0, 64, 4, 0, 0, 3), END};
  SERVING(program);
  run_recorded();
  EXPECT_VALUES({COUNTERS("services", io_services)->maps, 513},
      {COUNTERS("services", io_services)->exhausted, 1}, {COUNTERS("cpu0", processor)->refused, 1},
      {COUNTERS("services", io_services)->entries_live, 513});
}

/* There are two ranges and the buffer needs three. Its pieces are unmapped, last vector first, and the call
 * is refused. */
TEST(a_buffer_without_enough_ranges_is_unmapped) {
  static const uint64_t program[] = {ROW(MAP_BUFFER, BASE + 0x1000, 0, 0x10020, 4, 0, 0, 3),
      ROW(MAP, BASE, 0, 64, 4, 0, 0, 0), ROW(MAP, BASE, 0, 64, 4, 0, 0, 1), ROW(MAP, BASE, 0, 64, 4, 0, 0, 2),
      ROW(DMA_OUT, BASE, WINDOW(0), 64, 4, 0, 0, 0), END};
  SERVING(program);
  PARAMS("services", io_services)->page_bits = PARAMS("adapter", io_adapter)->page_bits = 4;
  PARAMS("services", io_services)->chain_shift = PARAMS("adapter", io_adapter)->chain_shift = 15;
  run_recorded();
  const struct io_services_counters *c = COUNTERS("services", io_services);
  EXPECT_VALUES({c->exhausted, 3}, {c->maps, 3 + 3 + 1}, {c->unmaps, 2}, {c->vectors, 0},
      {c->entries_live, 2}, {c->ranges, 2}, {COUNTERS("cpu0", processor)->refused, 3});
  const struct sim_record *unmap = record_after(SERVICES, IO_SERVICES_EV_UNMAP, 0);
  assert_int_equal(unmap->a, 0x8000);
  assert_non_null(record_after(SERVICES, IO_SERVICES_EV_EXHAUSTED, 0));
}

/* The vectors of a buffer longer than two ranges: up to the first line boundary, whole lines to the end of
 * each range, and the rest of the last line. */
TEST(vectors_end_at_lines_and_ranges) {
  static const struct {
    uint64_t from, pages;
  } vectors[] = {{0x1010, 1}, {0x1020, 8}, {0x9000, 8}, {0x11000, 1}, {0x11040, 1}};
  static const uint64_t program[] = {ROW(MAP_BUFFER, BASE + 0x1010, 0, 0x10038, 4, 0, 0, 3),
      ROW(MAP, BASE, 0, 64, 4, 0, 0, 9), ROW(UNMAP_BUFFER, 0, 0, 0, 4, 0, 0, 3), END};
  SERVING(program);
  run_recorded();
  uint32_t rows;
  const mapping *map = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows);
  for (uint32_t i = 0; i < 5; i++) {
    EXPECT_VALUES({map[3 + i].host, BASE + vectors[i].from}, {map[3 + i].pages, vectors[i].pages},
        {map[3 + i].addr, CHAINED(i) + vectors[i].from % PAGE},
        {map[3 + i].attributes, IO_PAGE_VALID | IO_PAGE_PREFETCH | (i == 0 || i == 4 ? IO_PAGE_SAFE : 0)},
        {map[3 + i].live, 0});
  }
  EXPECT_VALUES({map[3].vectors, 5}, {map[9].live, 1}, {COUNTERS("services", io_services)->vectors, 5},
      {COUNTERS("services", io_services)->unmaps, 5});
}

/* A contiguous buffer fits into eight pages, counted from the page in which it begins. */
TEST(a_contiguous_buffer_fits_a_range_or_is_refused) {
  static const struct {
    uint64_t offset, bytes;
    int fits;
  } cases[] = {{0, 0x8000, 1}, {0, 0x8001, 0}, {0xff0, 0x7010, 1}, {0xff0, 0x7011, 0}};
  for (uint32_t i = 0; i < 4; i++)
    for (uint64_t op = 0; op < 2; op++) {
      const uint64_t program[] = {op ? PROCESSOR_OP_MAP : PROCESSOR_OP_MAP_BUFFER, BASE + cases[i].offset, 0,
          cases[i].bytes, 4, 0, IO_CONTIGUOUS, 3, END};
      SERVING(program);
      run_recorded();
      assert_int_equal(COUNTERS("services", io_services)->maps, cases[i].fits);
      assert_int_equal(COUNTERS("cpu0", processor)->refused, !cases[i].fits);
      if (!cases[i].fits)
        EXPECT_EVENTS(SERVICES, EVENT(TORN, BASE + cases[i].offset, (uint32_t)cases[i].bytes, 0));
    }
}

/* REMAP of page 1 of three, whatever the offset of the new page. It is refused for a page beyond the mapping
 * and for a handle without a mapping. */
TEST(remap_replaces_one_page_of_a_mapping) {
  static const uint64_t program[] = {ROW(MAP, BASE + 0x800, 0, 0x2000, 4, 0, IO_NO_SEQ, 2),
      ROW(REMAP, BASE + 0x9123, 0x1000, 4096, 4, 0, 0, 2), ROW(REMAP, BASE, 0x3000, 4096, 4, 0, 0, 2),
      ROW(REMAP, BASE, 0, 4096, 4, 0, 0, 1), END};
  SERVING(program);
  run_recorded();
  EXPECT_EVENTS(SERVICES, EVENT(MAP, 0, 3, 0), EVENT(ENTRY, ENTRY(0x100ull, IO_PAGE_VALID), 0, 0),
      EVENT(ENTRY, ENTRY(0x101ull, IO_PAGE_VALID), 1, 0), EVENT(ENTRY, ENTRY(0x102ull, IO_PAGE_VALID), 2, 0),
      EVENT(ENTRY, ENTRY(0x109ull, IO_PAGE_VALID), 1, 0), EVENT(REMAP, 0x1000, 0x109, 0));
  EXPECT_VALUES({COUNTERS("cpu0", processor)->refused, 2}, {COUNTERS("services", io_services)->remaps, 1});
  assert_int_equal(record_after(CPU(0), PROCESSOR_EV_STORE, 0)->a,
      PARAMS("services", io_services)->registers + IO_ADAPTER_REG_COMMAND);
}

/* Attributes set by one thread apply neither to other threads nor to the other processor. */
TEST(attributes_belong_to_the_thread_that_sets_them) {
  static const uint64_t first[] = {MAP(0, 4096, 0), ROW(SET_ATTRIBUTES, 0, 0, 0, 4, 0, 1, 0), MAP(1, 4096, 1),
      ROW(SET_ATTRIBUTES, 0, 0, 0, 4, 0, 0, 0), MAP(2, 4096, 2), ROW(THREAD, 0, 0, 0, 0, 0, 0, 0),
      SPEND(100000000), MAP(3, 4096, 3), END};
  static const uint64_t second[] = {SPEND(200000000), MAP(4, 4096, 4),
      ROW(SET_ATTRIBUTES, 0, 0, 0, 4, 0, 1, 0), MAP(5, 8192, 5), MAP(7, 4096, 6), END};
  hp(2, 1);
  machine_with("services");
  machine_rows("cpu0", 0, ROWS(first));
  machine_rows("cpu1", 0, ROWS(second));
  run_recorded();
  uint32_t rows;
  const mapping *map = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(map[i].sequential, i == 1 || i == 6);
  assert_int_equal(map[6].addr, map[1].addr + PAGE); /* ranges belong to the service */
  PARAMS("services", io_services)->allocator =
      IO_SERVICES_ALLOCATOR_SEQUENTIAL; /* single pages of all threads are sequential */
  run_recorded();
  map = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(map[i].sequential, i != 5);
}

/* Without translation I/O addresses are physical; no entry is written and nothing is purged. */
TEST(without_translation_addresses_are_physical) {
  static const uint64_t program[] = {ROW(MAP, BASE + 0x1800, 0, 4096, 4, 0, 0, 3),
      ROW(REMAP, BASE, 0, 4096, 4, 0, 0, 3), ROW(DMA_SYNC, BASE + 0x1800, 0, 40, 4, 0, 1, 0), UNMAP(3), END};
  SERVING(program);
  PARAMS("services", io_services)->mode = IO_SERVICES_MODE_NONE,
                     PARAMS("adapter", io_adapter)->mode = IO_ADAPTER_MODE_NONE;
  run_recorded();
  uint32_t rows;
  const mapping *map = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_MAPPINGS, &rows);
  assert_int_equal(map[3].addr, BASE + 0x1800);
  EXPECT_EVENTS(SERVICES, EVENT(SYNC, BASE + 0x1800, 40, CONTRACT_SYNC_FOR_DEVICE));
  assert_int_equal(COUNTERS("services", io_services)->unmaps, 1);
  assert_int_equal(COUNTERS("services", io_services)->entries, 0);
  assert_int_equal(
      COUNTERS("services", io_services)->instructions, 39 + 12 + 8); /* no range, entry or lock */
  assert_int_equal(COUNTERS("cpu0", processor)->refused, 1);
  assert_null(record_after(CPU(0), PROCESSOR_EV_STORE, 0));
}

/* The search passes a range in use, each page has an entry, and skipped steps take no time. */
TEST(translated_calls_execute_their_steps) {
  static const uint64_t program[] = {
      MAP(0, 2 * 4096, 0), MAP(2, 4096, 1), UNMAP(0), ROW(DMA_SYNC, BASE, 0, 40, 4, 0, 1, 0), END};
  uint64_t driver[2];
  for (uint32_t twice = 0; twice < 2; twice++) {
    SERVING(program);
    PARAMS("services", io_services)->instruction *= 1 + twice;
    run_recorded();
    assert_int_equal(
        COUNTERS("services", io_services)->instructions, (90 + 2 * 11) + (90 + 11 + 3) + (53 + 2 * 2) + 6);
    driver[twice] = COUNTERS("cpu0", processor)->in_driver;
  }
  assert_in_range(driver[1] - driver[0], 279 * 8333 - 100000, 279 * 8333 + 100000);
}

/* The entry of a page mapped before is cached. Its store is a hit, which costs the processor its own share of
 * an access only. */
TEST(a_cached_entry_costs_the_share_of_an_access) {
  static const uint64_t program[] = {MAP(0, 64, 0), UNMAP(0), ROW(LAP, 0, 0, 0, 0, 0, 0, 0), MAP(0, 64, 0),
      ROW(LAP_END, 0, 0, 0, 0, 0, 0, 0), END};
  uint64_t took[2], misses[2];
  for (uint32_t slow = 0; slow < 2; slow++) {
    SERVING(program);
    PARAMS("cpu0", processor)->access_time = slow ? 107000 : 7000;
    run_recorded();
    took[slow] = COUNTERS("cpu0", processor)->lap_last;
    misses[slow] = COUNTERS("cache0", snoop_cache)->misses;
    assert_int_equal(
        COUNTERS("cpu0", processor)->accesses, 3); /* the entry is written, cleared and written again */
  }
  EXPECT_VALUES({misses[0], 1}, {misses[1], 1}, {took[1] - took[0], 100000});
}

/* The driver's work besides mapping is given as a time and counted as the instructions executed in it. */
TEST(a_driver_s_own_work_counts_as_instructions) {
  static const uint64_t program[] = {END};
  SERVING(program);
  PARAMS("services", io_services)->driver_time = 1000 * 1000;
  PARAMS("services", io_services)->instruction = 12 * 1000;
  run_recorded();
  struct os_next next = {0};
  const uint64_t before = COUNTERS("services", io_services)->instructions;
  service_own_work(SIM_CONTEXT(test_engine(), SERVICES, io_services), &next);
  assert_int_equal(COUNTERS("services", io_services)->instructions - before, 83);
}
