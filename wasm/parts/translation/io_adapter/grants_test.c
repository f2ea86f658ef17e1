/* An adapter, driven through its ports: its bus transactions and their order, the data a device gets and how
 * it is checked, locks, and what is not part of its state. */
#include "test/adapter.h"

#define LINE adapter_line(ENGINE, CONTEXT_OF("adapter", io_adapter))

static void usual(void) {
  with_devices(2);
  begun();
}

static uint32_t words[2];
static struct runway_grant granted(uint32_t limit, uint32_t answer) {
  struct runway_grant q = {.limit = limit, .halves = words};
  words[0] = words[1] = 77;
  runway_view(STATE_OF("runway", runway))->requests = 0;
  assert_int_equal(io_adapter_bus_grant(OF(self, io_adapter), &q), answer);
  return q;
}
static uint32_t asks_again(void) {
  return runway_view(STATE_OF("runway", runway))->requests >> ADAPTER_AGENT & 1;
}

/* An entry is read at its address in the directory, with the index by which caches find that page: twelve
 * bits of its virtual page number. */
TEST(an_entry_is_read_with_the_index_of_its_own_page) {
  static const struct {
    uint64_t offset, page;
    uint32_t index;
  } cases[] = {{0x45000, 3, 0x275}, {0x45000, 600, 0x276}, {0xdcf000, 511, 0xfff}, {0xdcf000, 512, 0}};
  for (uint32_t i = 0; i < 4; i++) {
    with_devices(1);
    PARAMS("adapter", io_adapter)->virtual_offset = cases[i].offset;
    begun();
    NOW->state = IO_ADAPTER_STATE_FETCH, NOW->waiting = 1, NOW->index = 0x111,
    STATE->want = RUNWAY_TYPE_READ_SHARED;
    REQUESTS[0] = (struct io_adapter_requests){
        .kind = HSC_KIND_READ, .slot = 1, .bytes = 32, .addr = cases[i].page * PAGE + 64};
    struct runway_grant q = granted(0, 1);
    assert_transaction(q, RUNWAY_TYPE_READ_SHARED, DIRECTORY + 8 * cases[i].page, ADAPTER_FETCH, 0, 0);
    EXPECT_VALUES({q.index, cases[i].index}, {STATE->want, 0});
    assert_int_equal(STATE->asked, 0); /* the data itself is not requested yet */
  }
}

/* A device's line with one stale half is torn; with two it is stale. Of less than a line only the requested
 * bytes count. */
TEST(a_line_with_one_stale_half_is_torn) {
  static const struct {
    uint32_t at, bytes, old, stale, torn;
  } cases[] = {{64, 32, 0, 0, 0}, {64, 32, 1, 1, 1}, {64, 32, 2, 2, 1}, {64, 32, 3, 3, 0}, {64, 16, 1, 1, 0},
      {64, 16, 2, 0, 0}, {80, 16, 2, 2, 0}, {80, 16, 1, 0, 0}, {92, 4, 3, 2, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    usual();
    const uint64_t line = BASE + 64, now = ENGINE->time;
    uint32_t newest[2] = {hp_cell(line).newest, hp_cell(line + 16).newest},
             got[2] = {cases[i].old & 1 ? 9001 : newest[0], cases[i].old & 2 ? 9002 : newest[1]}, n = 0;
    const struct io_adapter_requests r = {
        .kind = HSC_KIND_READ, .bytes = cases[i].bytes, .addr = cases[i].at};
    NOW->physical = BASE + cases[i].at;
    adapter_check(OF(self, io_adapter), &r, got);
    assert_int_equal(COUNT(stale_reads), __builtin_popcount(cases[i].stale));
    assert_int_equal(COUNT(torn_reads), cases[i].torn);
    struct expected_event expected[3];
    for (uint32_t half = 0; half < 2; half++)
      if (cases[i].stale >> half & 1)
        expected[n++] = (struct expected_event){
            now, IO_ADAPTER_EV_STALE, line + 16 * half, got[half], newest[half], ANY_CAUSE};
    if (cases[i].torn) expected[n] = expected[n - 1], expected[n++].kind = IO_ADAPTER_EV_TORN;
    assert_events(self, expected, n);
    assert_int_equal(sim_host_state(ENGINE)->broken, cases[i].stale ? SIM_CURRENT_DEVICE : SIM_HOLDS);
  }
}

/* A read of another line frees the prefetch buffer if its line is ready or only requested; one under way or
 * late stays. A read of the line itself uses it, or waits for it. */
TEST(a_read_of_another_line_frees_the_buffer) {
  for (uint32_t before = 0; before <= 4; before++)
    for (uint32_t same = 0; same < 2; same++) {
      usual();
      REQUESTS[0] =
          (struct io_adapter_requests){.kind = HSC_KIND_READ, .slot = 3, .bytes = 32, .addr = 0x2040};
      NOW->waiting = 1;
      *AHEAD(3) = (struct io_adapter_prefetch){
          .state = before, .half_0 = 8, .half_1 = 9, .addr = same ? 0x2040 : 0x2060, .physical = BASE};
      runway_view(STATE_OF("runway", runway))->requests = 0;
      adapter_start_read(OF(self, io_adapter), 3);
      int ours = same && before > 0 && before < 4, given_up = !ours && (before == 1 || before == 3);
      EXPECT_VALUES({COUNT(prefetch_wasted), given_up}, {COUNT(prefetch_hits), ours && before == 3},
          {AHEAD(3)->state, given_up || (ours && before == 3) ? 0 : before});
      assert_int_equal(asks_again(), !ours);
    }
}

/* Without translation an address is physical. Half a line is merged in SNOOPED mode, and written as it is
 * without snooping. */
TEST(without_translation_addresses_are_physical) {
  static const struct {
    uint32_t mode, bytes, want, merges, attributes;
  } cases[] = {{IO_ADAPTER_MODE_NONE, 16, RUNWAY_TYPE_WRITE_NONCOHERENT, 0, 0},
      {IO_ADAPTER_MODE_NONE, 32, RUNWAY_TYPE_WRITE_NONCOHERENT, 0, 0},
      {IO_ADAPTER_MODE_SNOOPED, 16, 0, 1, IO_PAGE_SAFE},
      {IO_ADAPTER_MODE_SNOOPED, 32, RUNWAY_TYPE_WRITE32, 0, IO_PAGE_SAFE}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    with_devices(1);
    PARAMS("adapter", io_adapter)->mode = cases[i].mode;
    begun();
    NOW->waiting = 1, NOW->attributes = 0x7f & ~IO_PAGE_SAFE & ~IO_PAGE_LOCK; /* of the previous request */
    REQUESTS[0] =
        (struct io_adapter_requests){.kind = HSC_KIND_WRITE, .bytes = cases[i].bytes, .addr = 0x12345040};
    adapter_translate(OF(self, io_adapter));
    EXPECT_VALUES({NOW->physical, 0x12345040}, {NOW->index, 0x345}, {NOW->attributes, cases[i].attributes},
        {STATE->want, cases[i].want},
        {LINE->state, cases[i].merges ? IO_ADAPTER_LINE_WANTED : IO_ADAPTER_LINE_EMPTY}, {COUNT(lookups), 0},
        {COUNT(bytes_in), cases[i].bytes}, {COUNT(fast_writes), !cases[i].merges},
        {COUNT(merges), cases[i].merges},
        {NOW->state, cases[i].merges ? IO_ADAPTER_STATE_MERGE : IO_ADAPTER_STATE_WRITE});
  }
}

/* Returns go to HSC in order, once they have crossed. An empty return has no bytes. */
TEST(returns_are_sent_in_order) {
  usual();
  struct io_adapter_returns *r = sim_at(ENGINE, STATE->returns_at);
  r[0] = (struct io_adapter_returns){.slot = 2,
      .kind = 0,
      .bytes = 32,
      .half_0 = 5,
      .half_1 = 6,
      .cause = 41,
      .addr = 0x40,
      .memory = BASE + 0x40};
  r[1] = (struct io_adapter_returns){.slot = 7, .kind = 3, .bytes = 16, .cause = 42, .addr = 0x80};
  r[2] = (struct io_adapter_returns){
      .slot = 1, .kind = 2, .bytes = 4, .half_0 = 8, .half_1 = 9, .cause = 43, .addr = 0x4};
  NOW->returning = 2, STATE->arriving = 1;
  static const struct {
    uint32_t kind, bytes, halves[2], cause;
    uint64_t addr, memory;
  } goes[] = {{2 << 8, 32, {5, 6}, 41, 0x40, BASE + 0x40}, {7 << 8, 0, {0, 0}, 42, 0x80, 0},
      {1 << 8 | 2, 4, {8, 9}, 43, 0x4, 0}};
  for (uint32_t i = 0; i < 3; i++) {
    struct hsc_adapter_grant q = {.halves = words};
    if (i == 2) assert_int_equal(io_adapter_hsc_grant(OF(self, io_adapter), &q), 0); /* has not crossed yet */
    if (i == 2) NOW->returning = 1, STATE->arriving = 0;
    assert_int_equal(io_adapter_hsc_grant(OF(self, io_adapter), &q), 1);
    EXPECT_VALUES({q.kind, goes[i].kind}, {q.bytes, goes[i].bytes}, {q.address, goes[i].addr},
        {q.memory, goes[i].memory});
    assert_memory_equal(words, goes[i].halves, sizeof words);
    assert_int_equal(ENGINE->cause, goes[i].cause);
  }
  assert_int_equal(r[0].slot + r[0].addr + r[1].slot, 0);
}

/* Beyond the page numbers of the adapter there is no entry: a read returns empty, a write is dropped, and
 * the next request is started. */
TEST(requests_without_an_entry_are_refused) {
  static const struct {
    uint32_t kind, returns;
  } cases[] = {{HSC_KIND_READ, 1}, {HSC_KIND_READ_LOCKED, 1}, {HSC_KIND_SEMAPHORE, 1}, {HSC_KIND_WRITE, 0},
      {HSC_KIND_WRITE_UNLOCK, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint64_t page = 0x3fff; page <= 0x4000; page++) { /* page numbers have 14 bits */
      usual();
      const uint32_t refused = page == 0x4000;
      const uint64_t io = page * PAGE + 16, now = ENGINE->time;
      NOW->waiting = 2, NOW->state = IO_ADAPTER_STATE_LOOKUP;
      REQUESTS[0] = (struct io_adapter_requests){.kind = cases[i].kind, .slot = 5, .bytes = 16, .addr = io};
      REQUESTS[1] =
          (struct io_adapter_requests){.kind = HSC_KIND_INTERRUPT, .slot = 2, .bytes = 4, .addr = 0xfff80000};
      adapter_translate(OF(self, io_adapter));
      EXPECT_VALUES({COUNT(faults), refused}, {COUNT(misses), !refused},
          {NOW->state, refused ? IO_ADAPTER_STATE_INTERRUPT : IO_ADAPTER_STATE_FETCH},
          {NOW->waiting, 2 - refused},
          {STATE->want, refused ? RUNWAY_TYPE_SHORT_WRITE : RUNWAY_TYPE_READ_SHARED},
          {STATE->arriving, refused && cases[i].returns});
      if (!refused) continue;
      const struct sim_record *fault = record_after(self, IO_ADAPTER_EV_FAULT, 0);
      EXPECT_VALUES({fault->time, now}, {fault->a, io}, {fault->b, 5});
      const struct io_adapter_returns *r = sim_at(ENGINE, STATE->returns_at),
                                      empty = {
                                          .slot = 5, .kind = 3, .bytes = 16, .addr = io, .cause = r->cause};
      if (cases[i].returns) assert_memory_equal(r, &empty, sizeof empty);
    }
}

/* Unused entries are not serialized: answered reads, requests and returns that are gone, invalid rows, an
 * empty line. */
TEST(unused_entries_are_not_serialized) {
  usual();
  struct io_adapter_returns *r = sim_at(ENGINE, STATE->returns_at);
  STATE->reads = 1, NOW->waiting = 1;
  KEEPS_NOT(self, &STATE->read[1].addr, &STATE->read[1].tid, &STATE->read[1].answered, &STATE->read[1].behind,
      &STATE->read[1].value);
  KEEPS_NOT(self, &REQUESTS[1].kind, &REQUESTS[1].slot, &REQUESTS[1].bytes, &REQUESTS[1].addr, &r[0].slot,
      &r[0].kind, &r[0].bytes, &r[0].addr);
  KEEPS_NOT(self, &adapter_tlb(ENGINE, CONTEXT_OF("adapter", io_adapter), 0)->block,
      &adapter_tlb(ENGINE, CONTEXT_OF("adapter", io_adapter), 0)->page, &LINE->stalls, &LINE->addr);
  NOW->state = IO_ADAPTER_STATE_INTERRUPT;
  KEEPS_NOT(self, &NOW->chain, &NOW->physical, &NOW->index,
      &NOW->attributes); /* an interrupt has no address to translate */
  NOW->state = IO_ADAPTER_STATE_FETCH;
  KEEPS(self, &NOW->chain);
  KEEPS_NOT(self, &NOW->physical, &NOW->index, &NOW->attributes); /* unknown until the entry has arrived */
  NOW->waiting = 0;
  KEEPS_NOT(self, &NOW->chain);
}

/* A semaphore reads before it writes: its data is checked like that of any read. */
TEST(data_of_a_semaphore_is_compared_with_the_newest) {
  for (uint32_t old = 0; old < 2; old++) {
    usual();
    NOW->waiting = 1, NOW->physical = STATE->meant = BASE + 64;
    REQUESTS[0] =
        (struct io_adapter_requests){.kind = HSC_KIND_SEMAPHORE, .slot = 5, .bytes = 4, .addr = PAGE + 64};
    const uint32_t halves[2] = {hp_cell(BASE + 64).newest + old, hp_cell(BASE + 80).newest};
    adapter_merge(OF(self, io_adapter), halves);
    assert_int_equal(COUNT(stale_reads), old);
    assert_int_equal(sim_host_state(ENGINE)->broken, old ? SIM_CURRENT_DEVICE : SIM_HOLDS);
  }
}

/* A row takes the page, the index and seven bits of attributes from the entry, and remembers the tag it
 * replaces. */
TEST(a_row_takes_the_fields_of_its_entry) {
  usual();
  const uint64_t entry = io_page_with_index(0xabd) | io_page_with_page(0x12345), io = 5ull << 15;
  for (uint32_t bits = 0; bits < 2; bits++) {
    struct io_adapter_tlb *row = adapter_tlb(
        ENGINE, CONTEXT_OF("adapter", io_adapter), adapter_chain(SIM_CONTEXT(ENGINE, self, io_adapter), io));
    *row = (struct io_adapter_tlb){.block = 99};
    REQUESTS[0].slot = 6;
    adapter_load_row(OF(self, io_adapter), io, entry | (bits ? 0xfff : 0xf80), bits);
    EXPECT_VALUES({row->valid, 1}, {row->attributes, bits ? 0x7f : 0}, {row->index, 0xabd},
        {row->page, 0x12345}, {row->before, 99});
    assert_int_equal(row->block, adapter_block(SIM_CONTEXT(ENGINE, self, io_adapter), io));
    EXPECT_VALUES({row->written, bits}, {row->device, 6});
  }
}

/* Bus priority: the merged line is written back first, then a register's value, then the requested line,
 * then prefetches, slot by slot. With LIMIT_DATA_ONLY only data is sent. */
TEST(a_write_back_precedes_all_requests) {
  for (uint32_t held = 0; held < 2; held++) {
    usual();
    NOW->state = IO_ADAPTER_STATE_MERGE, NOW->waiting = 1, NOW->index = 0x345;
    *LINE = (struct io_adapter_line){.state = held ? IO_ADAPTER_LINE_HELD : IO_ADAPTER_LINE_WANTED,
        .addr = BASE + 64,
        .half_0 = 5,
        .half_1 = 6};
    STATE->read[0] = (struct adapter_register_read){.addr = 0xf1000008, .tid = 9, .answered = 1, .value = 66};
    STATE->reads = STATE->answers = 1;
    *AHEAD(6) = (struct io_adapter_prefetch){.state = 1, .index = 0x223, .addr = 0x60, .physical = BASE + 96};
    *AHEAD(2) = (struct io_adapter_prefetch){.state = 1, .index = 0x221, .addr = 0x40, .physical = BASE + 32};
    *AHEAD(1) = (struct io_adapter_prefetch){.state = 3, .addr = 0x80};
    if (held)
      assert_transaction(
          granted(RUNWAY_LIMIT_DATA_ONLY, 1), RUNWAY_TYPE_WRITE_BACK, BASE + 64, ADAPTER_POSTED, 5, 6);
    if (held) assert_int_equal(asks_again(), 1);
    assert_transaction(granted(RUNWAY_LIMIT_DATA_ONLY, 1), RUNWAY_TYPE_SHORT_RETURN, 0xf1000008, 9, 66, 0);
    assert_int_equal(asks_again(), 1);
    granted(RUNWAY_LIMIT_DATA_ONLY, 0);
    if (!held) {
      struct runway_grant q = granted(0, 1);
      assert_transaction(q, RUNWAY_TYPE_READ_PRIVATE, BASE + 64, ADAPTER_LINE, 0, 0);
      EXPECT_VALUES({q.index, 0x345}, {LINE->state, IO_ADAPTER_LINE_ISSUED});
      assert_int_equal(asks_again(), 1);
    }
    for (uint32_t slot = 2; slot <= 6; slot += 4) {
      struct runway_grant q = granted(0, 1);
      assert_transaction(
          q, RUNWAY_TYPE_READ_SHARED, slot == 2 ? BASE + 32 : BASE + 96, ADAPTER_PREFETCH + slot, 0, 0);
      EXPECT_VALUES({q.index, slot == 2 ? 0x221 : 0x223}, {AHEAD(slot)->state, 2});
      assert_int_equal(asks_again(), slot == 2);
    }
    granted(0, 0);
  }
}
