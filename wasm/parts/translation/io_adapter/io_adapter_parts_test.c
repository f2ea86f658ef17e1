/* Pieces of the adapter in isolation: its registers, the order of values, chains and blocks, stalls, and its
 * serialized state. */
#include "test/devices.h"
#include "test/hsc_order.h"

/*
 * A device reads page 0, software stores to registers of the adapter, and the device reads page 0 again:
 * from which page, and after how many misses. Pages 0 and 1 share a row of the TLB. A purge empties the row
 * if it holds that page. A direct write fills it from the entry registers, whatever it holds, and empties it
 * if they are zero. Other commands do nothing.
 */
TEST(a_command_changes_its_row_only) {
  const uint64_t entry = (5ull + BASE / PAGE) << 12 | IO_PAGE_VALID;
  const struct {
    uint64_t entry;
    uint64_t command;
    uint32_t misses;
    uint32_t page;
  } cases[] = {
      {0, IO_ADAPTER_COMMAND_PURGE, 2, 0},
      {0, IO_PAGE(1) | IO_ADAPTER_COMMAND_PURGE, 1, 0},
      {0, IO_PAGE(64) | IO_ADAPTER_COMMAND_PURGE, 1, 0},
      {0, 0, 1, 0},
      {0, IO_ADAPTER_COMMAND_PURGE + 1, 1, 0},
      {0, IO_ADAPTER_COMMAND_WRITE, 2, 0},
      {0, IO_PAGE(1) | IO_ADAPTER_COMMAND_WRITE, 2, 0},
      {entry, IO_ADAPTER_COMMAND_WRITE, 1, 5},
      {entry, IO_PAGE(1) | IO_ADAPTER_COMMAND_WRITE, 2, 0},
      {entry, IO_ADAPTER_COMMAND_PURGE, 2, 0},
      {entry, 0, 1, 0},
      {entry & ~(uint64_t)IO_PAGE_VALID, IO_ADAPTER_COMMAND_WRITE, 2, 0},
  };
  static const uint64_t work[] = {READ(0, 32), PAUSE(10000000), READ(32, 32)};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    with_devices(1);
    const uint64_t base = PARAMS("adapter", io_adapter)->registers;
    const uint64_t program[] = {SPEND(5000000),
        ROW(IO_STORE, 0, base + IO_ADAPTER_REG_ENTRY_HIGH, 4, 4, 0, cases[i].entry >> 32, 0),
        ROW(IO_STORE, 0, base + IO_ADAPTER_REG_ENTRY_LOW, 4, 4, 0, cases[i].entry & UINT32_MAX, 0),
        ROW(IO_STORE, 0, base + IO_ADAPTER_REG_COMMAND, 4, 4, 0, cases[i].command, 0), END};
    machine_rows("cpu0", 0, ROWS(program));
    machine_rows("device0", 0, ROWS(work));
    hp_open();
    hp_map(0, BASE, 0);
    session_run();
    EXPECT_VALUES({missed(), cases[i].misses}, {line_read(0).b, first_write(BASE)},
        {line_read(1).b, first_write(BASE + cases[i].page * PAGE + 32)});
  }
}

/* An entry's halves are two registers, stored in either order: index 0x123, page 4 * 2^36 + 3 * 2^20 + 5. */
TEST(an_entry_is_assembled_from_two_registers) {
  with_devices(1);
  const uint64_t high = PARAMS("adapter", io_adapter)->registers + IO_ADAPTER_REG_ENTRY_HIGH,
                 low = PARAMS("adapter", io_adapter)->registers + IO_ADAPTER_REG_ENTRY_LOW;
  const uint64_t program[] = {ROW(IO_STORE, 0, high, 4, 4, 0, UINT32_MAX, 0),
      ROW(IO_STORE, 0, low, 4, 4, 0, 5 << 12 | IO_PAGE_VALID, 0),
      ROW(IO_STORE, 0, high, 4, 4, 0, 0x41230003, 0),
      ROW(IO_STORE, 0, PARAMS("adapter", io_adapter)->registers + IO_ADAPTER_REG_COMMAND, 4, 4, 0,
          IO_ADAPTER_COMMAND_WRITE, 0),
      END};
  machine_rows("cpu0", 0, ROWS(program));
  hp_run();
  uint32_t rows;
  const struct io_adapter_tlb *tlb = checked_view(test_engine(), ADAPTER, IO_ADAPTER_VIEW_TLB, &rows);
  EXPECT_VALUES({tlb[0].valid, 1}, {tlb[0].index, 0x123}, {tlb[0].page, (4ull << 36) + (3 << 20) + 5});
  for (uint32_t i = 1; i < rows; i++) assert_int_equal(tlb[i].valid, 0);
}

/* In exploration the bus asks which agents hold a line: the adapter does, from the request for the line
 * on. */
TEST(the_adapter_holds_the_line_it_writes_to) {
  with_devices(1);
  hp_run();
  uint32_t rows;
  struct io_adapter_line *line = checked_view(test_engine(), ADAPTER, IO_ADAPTER_VIEW_LINE, &rows);
  for (uint32_t state_of = IO_ADAPTER_LINE_EMPTY; state_of <= IO_ADAPTER_LINE_HELD; state_of++)
    for (uint64_t at = BASE + 32; at < BASE + 128; at += 16) {
      line->state = state_of, line->addr = BASE + 64;
      assert_int_equal(call_runway_tracks_line(test_engine(), BUS, RUNWAY_PORT_AGENT + ADAPTER_AGENT,
                           &(struct runway_tracks_line){.address = at}),
          state_of >= IO_ADAPTER_LINE_ISSUED && at / 32 == (BASE + 64) / 32);
    }
}

/* The adapter has priority work while it holds the line it writes to, or has the answer to a processor's
 * register read. */
TEST(the_adapter_has_priority_with_a_line_or_an_answer) {
  with_devices(1);
  hp_run();
  uint32_t rows;
  struct io_adapter_line *line = checked_view(test_engine(), ADAPTER, IO_ADAPTER_VIEW_LINE, &rows);
  for (uint32_t answers = 0; answers < 2; answers++)
    for (uint32_t state_of = IO_ADAPTER_LINE_EMPTY; state_of <= IO_ADAPTER_LINE_HELD; state_of++) {
      line->state = state_of;
      STATE_OF("adapter", io_adapter)->answers = answers;
      assert_int_equal(call_runway_has_priority_work(test_engine(), BUS, RUNWAY_PORT_AGENT + ADAPTER_AGENT),
          answers || state_of == IO_ADAPTER_LINE_HELD);
    }
}

TEST(a_value_waits_for_earlier_writes_of_its_slot) {
  for (uint32_t i = 0; i < HSC_ORDER_COUNT; i++)
    for (uint32_t broken = 0; broken < 2; broken++) {
      with_devices(1);
      PARAMS("adapter", io_adapter)->fault = broken ? IO_ADAPTER_FAULT_VALUES_PASS : IO_ADAPTER_FAULT_NONE;
      hp_run();
      struct io_adapter_state *s = STATE_OF("adapter", io_adapter);
      for (uint32_t n = 0; n < HSC_ORDERS[i].held; n++)
        adapter_requests(test_engine(), CONTEXT_OF("adapter", io_adapter))[n] = (struct io_adapter_requests){
            .kind = HSC_ORDERS[i].request[n].kind, .slot = HSC_ORDERS[i].request[n].slot};
      adapter_now(test_engine(), CONTEXT_OF("adapter", io_adapter))->waiting = HSC_ORDERS[i].held;
      s->reads = 1;
      s->read[0] = (struct adapter_register_read){
          .addr = PARAMS("adapter", io_adapter)->window + 2 * PARAMS("adapter", io_adapter)->slot_bytes + 8,
          .tid = 5};
      call_hsc_adapter_data(
          test_engine(), HSC, HSC_PORT_ADAPTER, &(struct hsc_adapter_data){.value = 7, .tag = 5});
      uint32_t behind = broken ? 0 : HSC_ORDERS[i].behind;
      EXPECT_VALUES({s->read[0].behind, behind}, {s->answers, behind == 0});
    }
}

/* With the defect a cache keeps a clean line that a device writes, and reads the stale data. Without the
 * defect, or without a device's write, nothing is stale. */
TEST(a_clean_line_that_survives_a_device_s_write_is_stale) {
  static const uint64_t processor[] = {LOAD(BASE + 64), SPEND(10000000), LOAD(BASE + 64), END};
  static const uint64_t same[] = {PAUSE(5000000), WRITE(64, 32)}, other[] = {PAUSE(5000000), WRITE(96, 32)};
  for (uint32_t i = 0; i < 4; i++) {
    with_devices(1);
    PARAMS("cache0", snoop_cache)->fault =
        i & 1 ? SNOOP_CACHE_FAULT_PURGE_LEAVES_COPY : SNOOP_CACHE_FAULT_NONE;
    machine_rows("cpu0", 0, ROWS(processor));
    hp_device_does(0, i & 2 ? PROGRAM(other) : PROGRAM(same));
    hp_open();
    hp_map(0, BASE, 0);
    session_run();
    assert_int_equal(COUNTERS("cache0", snoop_cache)->stale_reads, i == 1);
    assert_int_equal(COUNTERS("cache0", snoop_cache)->misses, i == 0 ? 2 : 1);
  }
}

/* Returns with data and with a register's value, requests, the held line, a prefetched line, and the
 * adapter's current state. */
TEST(all_state_of_the_adapter_is_serialized) {
  with_devices(2);
  PARAMS("adapter", io_adapter)->rows = 2;
  hp_open();
  sim *m = test_engine();
  const uint32_t self = ADAPTER;
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, SIM_CONTEXT(m, self, io_adapter));
  struct io_adapter_returns *returns = sim_at(m, s->returns_at);
  struct io_adapter_requests *waits = adapter_requests(m, SIM_CONTEXT(m, self, io_adapter));
  struct io_adapter_line *line = adapter_line(m, SIM_CONTEXT(m, self, io_adapter));
  struct io_adapter_prefetch *ahead = adapter_prefetch(m, SIM_CONTEXT(m, self, io_adapter), 1);
  now->returning = 1, s->arriving = 1;
  returns[0] = (struct io_adapter_returns){.slot = 1,
      .kind = 0,
      .bytes = 32,
      .addr = 0x40,
      .memory = BASE + 0x40,
      .half_0 = OLD_WRITE,
      .half_1 = OLD_WRITE};
  returns[1] = (struct io_adapter_returns){
      .slot = 1, .kind = 2, .bytes = 4, .addr = 0x80, .half_0 = 0x12345678, .half_1 = 0x9abcdef0};
  for (uint32_t i = 0; i < 2; i++)
    KEEPS(
        self, &returns[i].slot, &returns[i].bytes, &returns[i].addr, &returns[i].half_0, &returns[i].half_1);
  KEEPS(self, &returns[0].memory);
  KEEPS(self, &now->returning, &s->arriving, &s->want, &s->answers, &s->locked, &s->asked);
  now->waiting = 2, now->state = IO_ADAPTER_STATE_READ, now->chain = 1, now->physical = BASE,
  s->meant = BASE + PAGE, now->index = 0x100, now->attributes = 3, s->want = RUNWAY_TYPE_WRITE32,
  s->want_half_0 = COMING_WRITE(0), s->want_half_1 = COMING_WRITE(1);
  for (uint32_t i = 0; i < 2; i++)
    waits[i] = (struct io_adapter_requests){.kind = 1 + i,
        .slot = 1,
        .bytes = 32,
        .addr = 0x40 + i,
        .half_0 = COMING_WRITE(2 + 2 * i),
        .half_1 = COMING_WRITE(3 + 2 * i)};
  for (uint32_t i = 0; i < 2; i++)
    KEEPS(self, &waits[i].kind, &waits[i].slot, &waits[i].bytes, &waits[i].addr, &waits[i].half_0,
        &waits[i].half_1);
  KEEPS(self, &now->state, &now->waiting, &now->chain, &now->physical, &s->meant, &now->index,
      &now->attributes, &s->want_half_0, &s->want_half_1);
  s->reads = 1, s->read[0].addr = 0x44, s->read[0].tid = 9, s->read[0].answered = 1, s->read[0].behind = 2,
  s->read[0].value = 0x01020304;
  KEEPS(self, &s->reads, &s->read[0].addr, &s->read[0].tid, &s->read[0].answered, &s->read[0].behind,
      &s->read[0].value);
  line->state = IO_ADAPTER_LINE_HELD, line->stalls = 1, line->addr = BASE,
  line->half_0 = line->half_1 = OLD_WRITE;
  KEEPS(self, &line->state, &line->stalls, &line->addr, &line->half_0, &line->half_1);
  ahead->state = 3, ahead->addr = 0x60, ahead->physical = BASE + 32, ahead->index = 0x101,
  ahead->half_0 = ahead->half_1 = OLD_WRITE;
  KEEPS(self, &ahead->state, &ahead->addr, &ahead->physical, &ahead->index, &ahead->half_0, &ahead->half_1);
  struct io_adapter_tlb *row = adapter_tlb(m, SIM_CONTEXT(m, self, io_adapter), 1);
  row->valid = 1, row->block = 300, row->attributes = 5, row->index = 0x102, row->page = 0x777;
  KEEPS(self, &row->valid, &row->block, &row->attributes, &row->index, &row->page);
}

/*
 * A prefetched line is delivered at once if the adapter's current request is a read of that line by the same
 * device, and nothing else is under way for it; otherwise it is kept. A line dropped while under way is read
 * again instead, and its buffer is free.
 */
TEST(a_prefetched_line_is_delivered_to_the_waiting_request) {
  static const struct {
    uint32_t state, slot, kind, want, asked, waits;
    uint64_t addr;
  } cases[] = {{IO_ADAPTER_STATE_READ, 1, HSC_KIND_READ, 0, 0, 1, 0x40},
      {IO_ADAPTER_STATE_HOLD, 1, HSC_KIND_READ, 0, 0, 1, 0x40},
      {IO_ADAPTER_STATE_READ, 1, HSC_KIND_READ, 0, 0, 1, 0x50},
      {IO_ADAPTER_STATE_WRITE, 1, HSC_KIND_READ, 0, 0, 0, 0x40},
      {IO_ADAPTER_STATE_LOOKUP, 1, HSC_KIND_READ, 0, 0, 0, 0x40},
      {IO_ADAPTER_STATE_READ, 0, HSC_KIND_READ, 0, 0, 0, 0x40},
      {IO_ADAPTER_STATE_READ, 1, HSC_KIND_WRITE, 0, 0, 0, 0x40},
      {IO_ADAPTER_STATE_READ, 1, HSC_KIND_READ, RUNWAY_TYPE_READ_SHARED, 0, 0, 0x40},
      {IO_ADAPTER_STATE_READ, 1, HSC_KIND_READ, 0, 1, 0, 0x40},
      {IO_ADAPTER_STATE_READ, 1, HSC_KIND_READ, 0, 0, 0, 0x60}};
  static const uint32_t halves[2] = {5, 6};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t dropped = 0; dropped < 2; dropped++) {
      with_devices(2);
      hp_open();
      sim *m = test_engine();
      const uint32_t self = ADAPTER;
      struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
      struct io_adapter_now *now = adapter_now(m, SIM_CONTEXT(m, self, io_adapter));
      struct io_adapter_prefetch *ahead = adapter_prefetch(m, SIM_CONTEXT(m, self, io_adapter), 1);
      now->state = cases[i].state, now->waiting = 1, s->want = cases[i].want, s->asked = cases[i].asked;
      adapter_requests(m, SIM_CONTEXT(m, self, io_adapter))[0] = (struct io_adapter_requests){
          .kind = cases[i].kind, .slot = cases[i].slot, .bytes = 16, .addr = cases[i].addr};
      ahead->state = dropped ? 4 : 2, ahead->addr = 0x40, ahead->physical = BASE;
      adapter_prefetched(m, SIM_CONTEXT(m, self, io_adapter), 1, halves);
      const uint32_t given = cases[i].waits && !dropped;
      assert_int_equal(SIM_COUNTERS(test_engine(), self, io_adapter)->prefetch_hits, given);
      assert_int_equal(s->arriving, given);
      assert_int_equal(s->want, cases[i].waits && dropped ? RUNWAY_TYPE_READ_SHARED
                                : given                   ? 0
                                                          : cases[i].want);
      assert_int_equal(ahead->state, given || dropped ? 0 : 3);
      if (!given && !dropped) assert_int_equal(ahead->half_1, 6);
    }
}
