/* Rows of the adapter's TLB: rows that outlive their entries, purges, the index for snoops, and the
 * serialized state of returns. */
#include "test/adapter.h"

/*
 * A row leads to page 3 of memory. It is stale if the directory's entry is no longer valid, whatever its
 * page, or leads to another page; the latter is also wrong. A row that software wrote is never stale: it
 * never was the directory's.
 */
TEST(a_row_without_its_directory_entry_is_stale) {
  static const struct {
    uint32_t written, valid, page, stale, wrong;
  } cases[] = {{0, 1, 3, 0, 0}, {0, 0, 3, 1, 0}, {0, 1, 4, 1, 1}, {0, 0, 4, 1, 0}, {1, 1, 3, 0, 0},
      {1, 0, 3, 0, 0}, {1, 1, 4, 0, 0}, {1, 0, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    with_devices(1);
    begun();
    const uint64_t page = BASE / PAGE + cases[i].page, io = IO_PAGE(2) + 0x40;
    struct shadow_value entry = {
        .address = DIRECTORY + 2 * 8, .set = 1, .value = page << 12 | (cases[i].valid ? IO_PAGE_VALID : 0)};
    call_shadow_value(ENGINE, CACHE(0), SNOOP_CACHE_PORT_BUS, &entry);
    const struct io_adapter_tlb row = {.valid = 1, .written = cases[i].written, .page = BASE / PAGE + 3};
    REQUESTS[0] = (struct io_adapter_requests){.kind = HSC_KIND_READ, .bytes = 32, .addr = io},
    NOW->waiting = 1;
    adapter_prefetch_outlived_mapping(OF(self, io_adapter), &row, io);
    EXPECT_VALUES({COUNT(stale_translations), cases[i].stale}, {COUNT(stale_wrong), cases[i].wrong},
        {STATE->meant, cases[i].wrong ? BASE + 4 * PAGE + 0x40 : 0},
        {sim_host_state(ENGINE)->broken, cases[i].wrong ? SIM_OWN_PAGE : SIM_HOLDS},
        {record_after(self, IO_ADAPTER_EV_GONE, 0) != NULL, cases[i].stale && !cases[i].wrong},
        {record_after(self, IO_ADAPTER_EV_ASTRAY, 0) != NULL, cases[i].wrong});
  }
}

/* A purge drops the line prefetched from its page, but not that of another chain. With the defect the line
 * survives. */
TEST(a_purge_drops_the_prefetched_line) {
  for (uint32_t survives = 0; survives < 2; survives++) {
    with_devices(2);
    PARAMS("adapter", io_adapter)->fault =
        survives ? IO_ADAPTER_FAULT_PREFETCH_SURVIVES : IO_ADAPTER_FAULT_NONE;
    begun();
    const uint64_t other =
        1ull << PARAMS("adapter", io_adapter)->chain_shift; /* the first page of the next chain */
    *AHEAD(1) = (struct io_adapter_prefetch){.state = 3, .addr = 0x40, .physical = BASE + 0x40},
    *AHEAD(0) = (struct io_adapter_prefetch){.state = 3, .addr = other, .physical = BASE + PAGE};
    adapter_command(OF(self, io_adapter), IO_ADAPTER_COMMAND_PURGE);
    EXPECT_VALUES({AHEAD(1)->state, survives ? 3 : 0}, {AHEAD(0)->state, 3},
        {COUNT(prefetch_wasted), !survives}, {record_after(self, IO_ADAPTER_EV_PURGED, 0)->a, 0});
  }
}

/* A return of a register access carries a value and its tag, serialized as they are. A return of data
 * carries write numbers, serialized by their meaning: 0x12345678 becomes an old write. */
TEST(returns_are_serialized_by_their_kind) {
  static const struct {
    uint32_t kind, first, second;
  } cases[] = {
      {0, OLD_WRITE, 0}, {1, 0x12345678, 0x9abcdef0}, {2, 0x12345678, 0x9abcdef0}, {3, OLD_WRITE, 0}};
  for (uint32_t i = 0; i < 4; i++) {
    with_devices(1);
    begun();
    struct io_adapter_returns *r = sim_at(ENGINE, STATE->returns_at);
    *r = (struct io_adapter_returns){.slot = 1,
        .kind = cases[i].kind,
        .bytes = 4,
        .addr = 0x80,
        .half_0 = 0x12345678,
        .half_1 = i % 3 ? 0x9abcdef0 : 0,
        .memory = BASE};
    STATE->arriving = 1;
    uint8_t bytes[CODEC_PART];
    io_adapter_serialize(OF(self, io_adapter), &(struct sim_codec){.at = bytes});
    *r = (struct io_adapter_returns){.memory = 1};
    io_adapter_serialize(OF(self, io_adapter), &(struct sim_codec){.at = bytes, .reading = 1});
    EXPECT_VALUES(
        {r->kind, cases[i].kind}, {r->slot, 1}, {r->half_0, cases[i].first}, {r->half_1, cases[i].second});
    assert_int_equal(r->memory, i % 3 ? 1 : BASE); /* a register has no memory address */
  }
}

/* While the adapter owns a line, snoops of it are answered with WAIT, recorded with the address and counted.
 * Snoops of other lines are not delayed. */
TEST(snoops_wait_for_the_adapter_s_line) {
  static const struct {
    uint32_t state, waits;
    uint64_t at;
  } cases[] = {{IO_ADAPTER_LINE_HELD, 1, 64}, {IO_ADAPTER_LINE_ORDERED, 1, 80},
      {IO_ADAPTER_LINE_ISSUED, 0, 64}, {IO_ADAPTER_LINE_HELD, 0, 96}, {IO_ADAPTER_LINE_EMPTY, 0, 64}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    with_devices(1);
    begun();
    struct io_adapter_line *line = adapter_line(ENGINE, CONTEXT_OF("adapter", io_adapter));
    *line = (struct io_adapter_line){.state = cases[i].state, .addr = BASE + 64};
    ENGINE->time = 7000;
    assert_int_equal(
        io_adapter_bus_snoop(OF(self, io_adapter),
            &(struct runway_snoop){.address = BASE + cases[i].at, .type = RUNWAY_TYPE_READ_SHARED}),
        cases[i].waits ? RUNWAY_RESPONSE_WAIT : RUNWAY_RESPONSE_OK);
    EXPECT_VALUES({line->stalls, cases[i].waits}, {COUNT(stalls), cases[i].waits},
        {STATE->stalled_since, cases[i].waits ? 7000 : 0});
    assert_events(self,
        (const struct expected_event[]){{7000, IO_ADAPTER_EV_STALLS, BASE + cases[i].at, 0, 0, 0}},
        cases[i].waits);
  }
}
