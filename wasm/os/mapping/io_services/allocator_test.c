/* I/O addresses, directory entries and flushes of the driver services: ranges, bits and lines. */
#include "test/hp.h"

#define RANGE 0x8000ull /* eight pages */

static void served(uint64_t allocator) {
  hp(1, 1);
  machine_with("services");
  PARAMS("services", io_services)->allocator = allocator;
}

static uint32_t services;
static void opened(void) {
  hp_open();
  services = SERVICES;
}
#define COUNT(name) (SIM_COUNTERS(test_engine(), services, io_services)->name)

/* Allocates so many pages; the address is UINT64_MAX on failure. */
static mapping taken(uint32_t pages) {
  mapping map = {.pages = pages,
      .sequential =
          pages == 1
          && SIM_PARAMS(test_engine(), services, io_services)->allocator == IO_SERVICES_ALLOCATOR_SEQUENTIAL};
  struct allocator_alloc wish = {.pages = pages, .last = UINT64_MAX};
  if (!allocate(test_engine(), SIM_CONTEXT(test_engine(), services, io_services), &map, &wish, 0))
    map.addr = UINT64_MAX;
  return map;
}
static void given(const mapping *map) {
  release(test_engine(), SIM_CONTEXT(test_engine(), services, io_services), map);
}

/* The allocator takes the next free eight pages of the address space. Eight consecutive ranges lie in one
 * chain. */
TEST(consecutive_ranges_share_a_chain) {
  served(IO_SERVICES_ALLOCATOR_CCIO);
  opened();
  for (uint64_t i = 0; i < 20; i++) {
    assert_int_equal(taken(8).addr, (16 + i) * RANGE);
    assert_int_equal(COUNT(shared), i + 1 - (i + 8) / 8); /* all but the first of each chain */
  }
  assert_int_equal(COUNT(alone), 1);
}

/* Allocates pages up to the page `last`, at a multiple of 2^`align` pages. */
static mapping wished(uint32_t pages, uint64_t last, uint32_t align) {
  mapping map = {.pages = pages,
      .sequential =
          SIM_PARAMS(test_engine(), services, io_services)->allocator == IO_SERVICES_ALLOCATOR_SEQUENTIAL};
  struct allocator_alloc wish = {.pages = pages, .last = last, .align = align};
  if (!allocate(test_engine(), SIM_CONTEXT(test_engine(), services, io_services), &map, &wish, 0))
    map.addr = UINT64_MAX;
  return map;
}

TEST(limit_and_alignment_are_respected) {
  served(IO_SERVICES_ALLOCATOR_CCIO);
  opened();
  assert_int_equal(wished(8, 6, 0).addr, UINT64_MAX);
  assert_int_equal(wished(8, 7, 0).addr, 0); /* pages 0 to 7 */
  assert_int_equal(wished(1, 7, 0).addr, UINT64_MAX);
  assert_int_equal(wished(1, UINT64_MAX, 3).addr, RANGE);
  assert_int_equal(wished(1, UINT64_MAX, 5).addr, 4 * RANGE);
  assert_int_equal(wished(1, UINT64_MAX, 5).addr, 8 * RANGE);
  assert_int_equal(wished(1, 15 * 8 + 7, 0).addr, 9 * RANGE);
  served(IO_SERVICES_ALLOCATOR_SEQUENTIAL);
  opened();
  assert_int_equal(wished(1, UINT64_MAX, 0).addr, 0);
  assert_int_equal(wished(1, 6, 0).addr, UINT64_MAX); /* a range is within reach as a whole or not at all */
  assert_int_equal(wished(1, 7, 0).addr, PAGE);
  assert_int_equal(
      wished(1, UINT64_MAX, 1).addr, 1 << 18); /* an aligned page does not come from an owned range */
  assert_int_equal(COUNT(ranges), 2);
}

/* A call for a loop reuses the rest of its last range while that has pages. Its pieces may be unmapped one by
 * one. */
TEST(the_rest_of_a_range_is_allocated_piece_by_piece) {
  served(IO_SERVICES_ALLOCATOR_HPUX);
  opened();
  service_call *call = service_of(test_engine(), SIM_STATE(test_engine(), services, io_services), 0);
  call->hints = IO_CB;
  static const struct {
    uint32_t pages;
    uint64_t addr;
  } wanted[] = {{3, 0}, {2, 3 * PAGE}, {3, 5 * PAGE}, {1, 1 << 18}, {8, 2 << 18}, {1, 3 << 18}};
  mapping maps[6];
  for (uint32_t i = 0; i < 6; i++) {
    maps[i] = (mapping){.pages = wanted[i].pages};
    assert_true(
        service_allocate(test_engine(), SIM_CONTEXT(test_engine(), services, io_services), call, &maps[i]));
    assert_int_equal(maps[i].addr, wanted[i].addr);
  }
  assert_int_equal(COUNT(ranges), 4);
  uint32_t rows;
  const struct io_services_groups *group =
      checked_view(test_engine(), services, IO_SERVICES_VIEW_GROUPS, &rows);
  for (uint32_t i = 0; i < rows; i++) assert_int_equal(group[i].used, i > 3 ? 0 : i & 1 ? 1 : 0xff);
  given(&maps[1]);
  assert_int_equal(COUNT(ranges), 4);
  given(&maps[2]);
  given(&maps[0]);
  assert_int_equal(COUNT(ranges), 3);
  given(&maps[4]);
  assert_int_equal(COUNT(ranges), 2);
  call->hints = 0;
  maps[0] = (mapping){.pages = 1};
  assert_true(
      service_allocate(test_engine(), SIM_CONTEXT(test_engine(), services, io_services), call, &maps[0]));
  assert_int_equal(maps[0].addr, 0);
}

/* Converts range numbers to addresses and back: 256 chains of eight ranges, or in the order of addresses. */
TEST(addresses_and_ranges_convert_both_ways) {
  static const uint64_t allocators[] = {IO_SERVICES_ALLOCATOR_HPUX, IO_SERVICES_ALLOCATOR_CCIO};
  for (uint32_t a = 0; a < 2; a++) {
    served(allocators[a]);
    opened();
    for (uint32_t i = 0; i < 2048; i++) {
      assert_int_equal(service_range_of(test_engine(), SIM_CONTEXT(test_engine(), services, io_services),
                           range_addr(test_engine(), SIM_CONTEXT(test_engine(), services, io_services), i)),
          i);
      assert_int_equal(
          service_range_of(test_engine(), SIM_CONTEXT(test_engine(), services, io_services),
              range_addr(test_engine(), SIM_CONTEXT(test_engine(), services, io_services), i) + RANGE - 1),
          i);
    }
    assert_int_equal(range_addr(test_engine(), SIM_CONTEXT(test_engine(), services, io_services), 259),
        a ? 259 * RANGE : (3 << 18) + RANGE);
  }
}

/* Ranges of other sizes: in order they still visit all 256 chains before one has two. */
TEST(ranges_of_any_size_visit_all_chains_first) {
  static const uint64_t sizes[] = {1, 4, 16};
  for (uint32_t n = 0; n < 3; n++) {
    served(IO_SERVICES_ALLOCATOR_HPUX);
    PARAMS("services", io_services)->range_pages = sizes[n];
    opened();
    mapping last;
    for (uint32_t i = 0; i <= 256; i++) {
      last = taken((uint32_t)sizes[n]);
      assert_int_equal(last.addr, i < 256 ? (uint64_t)i << 18 : sizes[n] * 4096);
    }
    assert_int_equal(COUNT(alone), 256);
    given(&last);
    assert_int_equal(COUNT(ranges), 256);
    assert_int_equal(taken((uint32_t)sizes[n]).addr, sizes[n] * 4096);
  }
}

/* A chain has 64 pages here: a range cannot have more than its chain. */
TEST(a_range_larger_than_its_chain_is_refused) {
  served(IO_SERVICES_ALLOCATOR_HPUX);
  PARAMS("services", io_services)->range_pages = 16;
  PARAMS("services", io_services)->chain_shift = PARAMS("adapter", io_adapter)->chain_shift = 15;
  assert_int_equal(session_open(hp_session()), SIM_BAD_PARAM);
}

/* With a chain for each device, buffers of one device fill its chain, whatever other chains have. */
TEST(a_device_has_the_pages_of_its_own_chain_and_no_more) {
  served(IO_SERVICES_ALLOCATOR_GUEST);
  opened();
  sim *m = test_engine();
  struct io_services *context = SIM_CONTEXT(m, services, io_services);
  mapping maps[22], other = {.pages = 1};
  service_call *call = service_of(m, context->state, 0);
  call->registers = 0xf1003000;
  for (uint32_t i = 0; i < 22; i++) {
    maps[i] = (mapping){.pages = 3};
    assert_int_equal(service_allocate(m, context, call, &maps[i]), i < 21); /* 64 pages, three each */
    if (i < 21) assert_int_equal(maps[i].addr, (3ull << 18) + i * 3 * 4096);
  }
  assert_int_equal(COUNT(exhausted), 1);
  call->registers = 0xf1004000;
  assert_true(service_allocate(m, context, call, &other));
  EXPECT_VALUES({other.addr, 4ull << 18}, {COUNT(ranges), 9});
  given(&maps[2]); /* pages 6 to 8, in two ranges */
  call->registers = 0xf1003000;
  maps[2] = (mapping){.pages = 3};
  assert_true(service_allocate(m, context, call, &maps[2]));
  assert_int_equal(maps[2].addr, (3ull << 18) + 6 * 4096);
  for (uint32_t i = 0; i < 21; i++) given(&maps[i]);
  assert_int_equal(COUNT(ranges), 1);
}

static const uint64_t *program_of(uint64_t addr, uint64_t bytes, uint64_t when) {
  static uint64_t program[16];
  const uint64_t rows[16] = {ROW(DMA_SYNC, addr, 0, bytes, 0, 0, when, 0), END};
  memcpy(program, rows, sizeof program);
  return program;
}

/* Lines within the buffer are purged before a device writes; a line that also holds other data is flushed. */
TEST(a_buffer_is_flushed_or_purged_line_by_line) {
  static const struct {
    uint64_t offset, bytes, when, flushed, purged;
  } cases[] = {{0, 128, 1, 4, 0}, {16, 100, 1, 4, 0}, {31, 2, 1, 2, 0}, {0, 128, 2, 0, 4}, {16, 100, 2, 2, 2},
      {31, 2, 2, 2, 0}, {0, 33, 2, 1, 1}, {0, 128, 3, 0, 4}, {32, 31, 3, 1, 0}, {8, 8, 2, 1, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    served(IO_SERVICES_ALLOCATOR_HPUX);
    PARAMS("services", io_services)->mode = IO_SERVICES_MODE_NONE,
                       PARAMS("adapter", io_adapter)->mode = IO_ADAPTER_MODE_NONE;
    machine_rows("cpu0", 0, program_of(BASE + cases[i].offset, cases[i].bytes, cases[i].when), 16);
    hp_run();
    services = SERVICES;
    assert_int_equal(COUNT(synced), cases[i].flushed + cases[i].purged);
    uint32_t types[2] = {0, 0}, seq = 0;
    for (const struct sim_record *r; (r = record_after(BUS, RUNWAY_EV_START, seq));
        seq = (uint32_t)(r
                         - (const struct sim_record *)sim_at(
                             test_engine(), sim_refresh_header(test_engine())->trace_at))
              + 1) {
      types[0] += r->b == RUNWAY_TYPE_FLUSH;
      types[1] += r->b == RUNWAY_TYPE_PURGE;
    }
    EXPECT_VALUES({types[0], cases[i].flushed}, {types[1], cases[i].purged});
  }
}

/* Unneeded syncs are skipped: all on a coherent machine; elsewhere those that the parameters turn off. */
TEST(an_unneeded_sync_does_nothing) {
  static const struct {
    uint64_t coherent, flush, purge, second, when, lines;
  } cases[] = {{1, 1, 1, 1, 1, 0}, {1, 1, 1, 1, 3, 0}, {0, 0, 1, 1, 1, 0}, {0, 0, 1, 1, 2, 2},
      {0, 1, 0, 1, 1, 2}, {0, 1, 0, 1, 2, 0}, {0, 1, 1, 0, 3, 0}, {0, 0, 0, 1, 3, 2}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    served(IO_SERVICES_ALLOCATOR_HPUX);
    PARAMS("services", io_services)->mode =
        cases[i].coherent ? IO_SERVICES_MODE_COHERENT : IO_SERVICES_MODE_NONE;
    PARAMS("adapter", io_adapter)->mode = cases[i].coherent ? IO_ADAPTER_MODE_COHERENT : IO_ADAPTER_MODE_NONE;
    PARAMS("services", io_services)->flush_out = cases[i].flush,
                       PARAMS("services", io_services)->purge_in = cases[i].purge,
                       PARAMS("services", io_services)->second_purge = cases[i].second;
    machine_rows("cpu0", 0, program_of(BASE, 64, cases[i].when), 16);
    hp_run();
    services = SERVICES;
    assert_int_equal(COUNT(synced), cases[i].lines);
  }
}

/* Runs a machine of one processor and one device that interrupts it. */
static void run_interrupted(void) {
  PARAMS("cache0", snoop_cache)->interrupt = PARAMS("device0", dma_device)->interrupt;
  hp_run();
  services = SERVICES;
}

/* 40 KiB from the middle of a page on: the first range of eight pages holds 30 KiB, so 8 entries, then 3
 * more. All are unmapped. */
TEST(a_long_transfer_goes_range_by_range) {
  for (uint64_t in = 0; in < 2; in++) {
    served(IO_SERVICES_ALLOCATOR_HPUX);
    const uint64_t program[] = {
        in ? PROCESSOR_OP_DMA_IN : PROCESSOR_OP_DMA_OUT, BASE + 0x800, WINDOW(0), 0xa000, 0, 0, 0, 0, END};
    machine_rows("cpu0", 0, program, 16);
    run_interrupted();
    EXPECT_VALUES({COUNT(maps), 2}, {COUNT(unmaps), 2}, {COUNT(entries), 8 + 3}, {COUNT(entries_live), 0},
        {COUNT(ranges), 0}, {COUNT(calls), 1});
    const struct dma_device_counters *device = COUNTERS("device0", dma_device);
    EXPECT_VALUES({in ? device->bytes_written : device->bytes_read, 0xa000}, {device->errors, 0},
        {device->transfers, 2});
  }
}

/*
 * The same without coherence, with 1280 lines in 40 KiB. Outbound data is flushed once. Inbound data is
 * purged before, and each piece again after its transfer, since lines may have been fetched meanwhile: 2560.
 */
TEST(a_long_transfer_is_synced_once_before_and_each_piece_after) {
  for (uint64_t in = 0; in < 2; in++) {
    served(IO_SERVICES_ALLOCATOR_HPUX);
    const uint64_t program[] = {
        in ? PROCESSOR_OP_DMA_IN : PROCESSOR_OP_DMA_OUT, BASE + 0x800, WINDOW(0), 0xa000, 0, 0, 0, 0, END};
    PARAMS("services", io_services)->mode = IO_SERVICES_MODE_NONE,
                       PARAMS("adapter", io_adapter)->mode = IO_ADAPTER_MODE_NONE;
    machine_rows("cpu0", 0, program, 16);
    run_interrupted();
    assert_int_equal(COUNT(synced), in ? 2 * 1280 : 1280);
    assert_int_equal(COUNTERS("runway", runway)->purges, in ? 2 * 1280 : 0);
    assert_int_equal(COUNTERS("runway", runway)->flushes, in ? 0 : 1280);
    const struct dma_device_counters *device = COUNTERS("device0", dma_device);
    EXPECT_VALUES({in ? device->bytes_written : device->bytes_read, 0xa000}, {device->transfers, 2},
        {COUNT(unmaps), 2});
  }
}

TEST(parameters_of_impossible_tlbs_are_refused) {
  static const struct {
    uint64_t bits, shift;
    uint32_t wrong;
  } cases[] = {{4, 15, 0}, {20, 31, 0}, {3, 15, 1 + IO_SERVICES_PARAM_PAGE_BITS},
      {21, 18, 1 + IO_SERVICES_PARAM_PAGE_BITS}, {14, 14, 1 + IO_SERVICES_PARAM_CHAIN_SHIFT}, {14, 26, 0},
      {14, 27, 1 + IO_SERVICES_PARAM_CHAIN_SHIFT}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct session s;
    struct io_services_params q = IO_SERVICES_DEFAULTS;
    q.page_bits = cases[i].bits, q.chain_shift = cases[i].shift;
    s = session_new(1, 0, 0);
    session_part(&s, SIM_TYPE_IO_SERVICES, (const uint64_t *)&q, sizeof q / 8);
    assert_int_equal(session_open(&s), cases[i].wrong ? SIM_BAD_PARAM : SIM_OK);
    if (cases[i].wrong) assert_int_equal(sim_refresh_header(test_engine())->error_detail + 1, cases[i].wrong);
  }
}
