/* Rows of the adapter's TLB asked by hand: rows that outlive their entries, purges, the index that processors look up; and what of returns is kept. */
#include "test/adapter_machine.h"

static void bus_was_asked(void) { runway_view(SIM_STATE(ENGINE, BUS, runway))->requests = 0; }
static uint32_t bus_is_asked(void) { return runway_view(SIM_STATE(ENGINE, BUS, runway))->requests >> ADAPTER_AGENT & 1; }

/*
 * A row that leads to page 3 of memory. It is stale if the directory's entry is gone, whatever page stands there still, or leads elsewhere, which is
 * wrong as well; but not if software wrote it: then it never was the directory's.
 */
static void a_row_is_stale_that_the_directory_does_not_have(void **state) {
  (void)state;
  static const struct { uint32_t written, valid, page, stale, wrong; } cases[] = {{0, 1, 3, 0, 0}, {0, 0, 3, 1, 0}, {0, 1, 4, 1, 1}, {0, 0, 4, 1, 0}, {1, 1, 3, 0, 0}, {1, 0, 3, 0, 0}, {1, 1, 4, 0, 0}, {1, 0, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct hp_machine g = with_devices(1);
    begun(&g);
    const uint64_t page = BASE / PAGE + cases[i].page, io = IO_PAGE(2) + 0x40;
    struct shadow_value entry = {.address = DIRECTORY + 2 * 8, .set = 1, .value = page << 12 | (cases[i].valid ? IO_PAGE_VALID : 0)};
    call_shadow_value(ENGINE, CACHE(0), SNOOP_CACHE_PORT_BUS, &entry);
    const struct io_adapter_tlb row = {.valid = 1, .written = cases[i].written, .page = BASE / PAGE + 3};
    REQUESTS[0] = (struct io_adapter_requests){.kind = HSC_KIND_READ, .bytes = 32, .addr = io}, NOW->waiting = 1;
    adapter_prefetch_outlived_mapping(ENGINE, self, &row, io);
    assert_int_equal(COUNT(stale_translations), cases[i].stale);
    assert_int_equal(COUNT(stale_wrong), cases[i].wrong);
    assert_int_equal(STATE->meant, cases[i].wrong ? BASE + 4 * PAGE + 0x40 : 0);
    assert_int_equal(sim_host_state(ENGINE)->broken, cases[i].wrong ? SIM_OWN_PAGE : SIM_HOLDS);
    assert_int_equal(hp_record(self, IO_ADAPTER_EV_GONE, 0) != NULL, cases[i].stale && !cases[i].wrong);
    assert_int_equal(hp_record(self, IO_ADAPTER_EV_ASTRAY, 0) != NULL, cases[i].wrong);
  }
}

/* By what processors find a line: the entry's index, or twelve bits of the page's number. */
static void the_index_is_the_entry_s_or_the_page_s(void **state) {
  (void)state;
  static const struct { uint64_t page; uint32_t of_entry, of_page; } cases[] = {{0x5123, 0x345, 0x123}, {0x7fff, 0x345, 0xfff}, {0x1000, 0xfff, 0}};
  for (uint32_t i = 0; i < 3; i++)
    for (uint64_t sim_address = 0; sim_address < 2; sim_address++) {
      struct hp_machine g = with_devices(1);
      g.adapter.index = sim_address ? IO_ADAPTER_INDEX_ADDRESS : IO_ADAPTER_INDEX_DIRECTORY;
      begun(&g);
      REQUESTS[0] = (struct io_adapter_requests){.kind = HSC_KIND_READ, .bytes = 32, .addr = IO_PAGE(2) + 0x40}, NOW->waiting = 1;
      adapter_translated(ENGINE, self, &(struct io_adapter_tlb){.valid = 1, .index = cases[i].of_entry, .page = cases[i].page, .attributes = 3});
      assert_int_equal(NOW->index, sim_address ? cases[i].of_page : cases[i].of_entry);
      assert_int_equal(NOW->physical, cases[i].page * PAGE + 0x40);
      assert_int_equal(NOW->attributes, 3);
    }
}

/* A purge drops the line that was fetched ahead from its page, and none of another chain; with the defect it is kept. */
static void a_purge_drops_what_was_fetched_ahead(void **state) {
  (void)state;
  for (uint32_t survives = 0; survives < 2; survives++) {
    struct hp_machine g = with_devices(2);
    g.adapter.fault = survives ? IO_ADAPTER_FAULT_PREFETCH_SURVIVES : IO_ADAPTER_FAULT_NONE;
    begun(&g);
    const uint64_t other = 1ull << g.adapter.chain_shift; /* the first page of the next chain */
    *AHEAD(1) = (struct io_adapter_prefetch){.state = 3, .addr = 0x40, .physical = BASE + 0x40}, *AHEAD(0) = (struct io_adapter_prefetch){.state = 3, .addr = other, .physical = BASE + PAGE};
    adapter_command(ENGINE, self, IO_ADAPTER_COMMAND_PURGE);
    assert_int_equal(AHEAD(1)->state, survives ? 3 : 0);
    assert_int_equal(AHEAD(0)->state, 3);
    assert_int_equal(COUNT(prefetch_wasted), !survives);
    assert_int_equal(hp_record(self, IO_ADAPTER_EV_PURGED, 0)->a, 0);
  }
}

/* A device waits for a line under way ahead, which is dropped before it comes: the line is asked for once more. Whoever does not wait asks for nothing. */
static void who_waits_for_a_line_that_was_dropped_asks_the_bus(void **state) {
  (void)state;
  for (uint32_t waits = 0; waits < 2; waits++) {
    const struct hp_machine g = with_devices(2);
    begun(&g);
    NOW->state = waits ? IO_ADAPTER_STATE_READ : IO_ADAPTER_STATE_LOOKUP, NOW->waiting = 1;
    REQUESTS[0] = (struct io_adapter_requests){.kind = HSC_KIND_READ, .slot = 1, .bytes = 32, .addr = 0x40};
    *AHEAD(1) = (struct io_adapter_prefetch){.state = 4, .addr = 0x40, .physical = BASE + 0x40};
    bus_was_asked();
    adapter_prefetched(ENGINE, self, 1, (const uint32_t[]){5, 6});
    assert_int_equal(bus_is_asked(), waits);
    assert_int_equal(STATE->want, waits ? RUNWAY_TYPE_READ_SHARED : 0);
  }
}

/* Of memory that nobody follows there is no newest write, and nothing that a device gets from there is old. */
static void what_nobody_follows_is_never_old(void **state) {
  (void)state;
  const struct hp_machine g = with_devices(1);
  for (uint32_t followed = 0; followed < 2; followed++) {
    begun(&g);
    NOW->physical = followed ? BASE : BASE - PAGE;
    adapter_check(ENGINE, self, &(struct io_adapter_requests){.kind = HSC_KIND_READ, .bytes = 32}, (const uint32_t[]){9001, 9002});
    assert_int_equal(COUNT(stale_reads), followed ? 2 : 0);
    assert_int_equal(sim_host_state(ENGINE)->broken, followed ? SIM_CURRENT_DEVICE : SIM_HOLDS);
  }
}

/* The adapter has memory to itself when the bus says so, and not while another agent has it. */
static void memory_is_held_if_the_bus_lets_it(void **state) {
  (void)state;
  for (uint32_t other = 0; other < 2; other++) {
    const struct hp_machine g = with_devices(1);
    begun(&g);
    struct runway_now *bus = runway_view(SIM_STATE(ENGINE, BUS, runway));
    bus->holder = other; /* agent 0, the cache */
    adapter_hold(ENGINE, self, 2);
    assert_int_equal(bus->holder, other ? 1 : ADAPTER_AGENT + 1);
    assert_int_equal(STATE->locked, other ? 0 : 3);
    assert_int_equal(hp_record(self, IO_ADAPTER_EV_HOLDS, 0) != NULL, !other);
  }
}

/* Who gets a return may take its time, so it is passed on at once; what else the adapter does by itself, and what others send, may come at any time. */
static void a_return_is_passed_on_at_once(void **state) {
  (void)state;
  const struct hp_machine g = with_devices(1);
  begun(&g);
  static const struct { uint32_t port, kind, when; } cases[] = {
      {SIM_PORT_SELF, ADAPTER_RETURN, SIM_INVISIBLE}, {SIM_PORT_SELF, ADAPTER_LOOKED_UP, SIM_ENABLED}, {IO_ADAPTER_PORT_BUS, ADAPTER_RETURN, SIM_ENABLED}, {IO_ADAPTER_PORT_HSC, ADAPTER_LOOKED_UP, SIM_ENABLED}};
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(io_adapter_enabled(ENGINE, self, &(sim_msg){.port = (uint16_t)cases[i].port, .kind = (uint16_t)cases[i].kind}), cases[i].when);
}

/* A register access brings a value and its tag, kept as they are; a return to a device the writes of what it read, kept by what they mean: of 0x12345678 no more than that it is old. */
static void returns_are_kept_by_their_kind(void **state) {
  (void)state;
  static const struct { uint32_t kind, first, second; } cases[] = {{0, OLD_WRITE, 0}, {1, 0x12345678, 0x9abcdef0}, {2, 0x12345678, 0x9abcdef0}, {3, OLD_WRITE, 0}};
  for (uint32_t i = 0; i < 4; i++) {
    const struct hp_machine g = with_devices(1);
    begun(&g);
    struct io_adapter_returns *r = sim_at(ENGINE, STATE->returns_at);
    *r = (struct io_adapter_returns){.slot = 1, .kind = cases[i].kind, .bytes = 4, .addr = 0x80, .half_0 = 0x12345678, .half_1 = i % 3 ? 0x9abcdef0 : 0, .memory = BASE};
    STATE->arriving = 1;
    uint8_t bytes[CODEC_PART];
    io_adapter_serialize(ENGINE, self, &(struct sim_codec){.at = bytes});
    *r = (struct io_adapter_returns){.memory = 1};
    io_adapter_serialize(ENGINE, self, &(struct sim_codec){.at = bytes, .reading = 1});
    assert_int_equal(r->kind, cases[i].kind);
    assert_int_equal(r->slot, 1);
    assert_int_equal(r->half_0, cases[i].first);
    assert_int_equal(r->half_1, cases[i].second);
    assert_int_equal(r->memory, i % 3 ? 1 : BASE); /* a register lies nowhere in memory */
  }
}

/* A row counts who looked there, and who did not find a page there; so does the adapter. */
static void a_row_counts_who_looks_there(void **state) {
  (void)state;
  const struct hp_machine g = with_devices(1);
  begun(&g);
  struct io_adapter_tlb *row = adapter_tlb(ENGINE, STATE, adapter_chain(ENGINE, self, IO_PAGE(1)));
  *row = (struct io_adapter_tlb){0};
  for (uint32_t i = 0; i < 5; i++) { /* page 1 twice, 0 and 1 again: pages of one row */
    static const struct { uint32_t page, there, misses; } looks[] = {{1, 0, 1}, {1, 1, 1}, {0, 0, 2}, {1, 0, 3}, {1, 1, 3}};
    REQUESTS[0] = (struct io_adapter_requests){.kind = HSC_KIND_READ, .bytes = 32, .addr = IO_PAGE(looks[i].page) + 0x40}, NOW->waiting = 1, NOW->state = IO_ADAPTER_STATE_LOOKUP;
    adapter_tlb_lookup(ENGINE, self);
    assert_int_equal(NOW->state, looks[i].there ? IO_ADAPTER_STATE_READ : IO_ADAPTER_STATE_FETCH);
    assert_int_equal(row->lookups, i + 1);
    assert_int_equal(row->misses, looks[i].misses);
    assert_int_equal(COUNT(misses), looks[i].misses);
    adapter_load_row(ENGINE, self, IO_PAGE(looks[i].page), (BASE / PAGE + 3) << 12, 0);
  }
}

/* Memory is given back when a request is done; a locked read is not done before its write, unless a defect lets go of it. */
static void a_locked_read_keeps_memory_for_its_write(void **state) {
  (void)state;
  static const struct { uint32_t kind, early, released; } cases[] = {{HSC_KIND_READ_LOCKED, 0, 0}, {HSC_KIND_READ_LOCKED, 1, 1}, {HSC_KIND_WRITE_UNLOCK, 0, 1}, {HSC_KIND_SEMAPHORE, 0, 1}, {HSC_KIND_WRITE_UNLOCK, 1, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hp_machine g = with_devices(1);
    g.adapter.fault = cases[i].early ? IO_ADAPTER_FAULT_LOCK_RELEASED : IO_ADAPTER_FAULT_NONE;
    begun(&g);
    adapter_hold(ENGINE, self, 2);
    NOW->waiting = 1, NOW->state = IO_ADAPTER_STATE_HOLD;
    REQUESTS[0] = (struct io_adapter_requests){.kind = cases[i].kind, .slot = 2, .bytes = 4};
    adapter_end(ENGINE, self);
    assert_int_equal(STATE->locked, cases[i].released ? 0 : 3);
    assert_int_equal(runway_view(SIM_STATE(ENGINE, BUS, runway))->holder, cases[i].released ? 0 : ADAPTER_AGENT + 1);
    assert_int_equal(NOW->waiting, 0);
  }
}

/* Each half of the entry is a register of its own: to store the one leaves the other, whichever comes first. */
static void either_half_of_the_entry_is_stored_alone(void **state) {
  (void)state;
  for (uint32_t low_first = 0; low_first < 2; low_first++) {
    const struct hp_machine g = with_devices(1);
    begun(&g);
    STATE->entry_value = 0xaaaaaaaa55555555;
    for (uint32_t i = 0; i < 2; i++) {
      const uint32_t low = i != low_first;
      io_adapter_bus_register(ENGINE, self, &(struct runway_register){.address = g.adapter.registers + (low ? IO_ADAPTER_REG_ENTRY_LOW : IO_ADAPTER_REG_ENTRY_HIGH), .value = low ? 0x87654321 : 0x41230003});
      if (i == 0) assert_int_equal(STATE->entry_value, low ? 0xaaaaaaaa87654321 : 0x4123000355555555);
    }
    assert_int_equal(STATE->entry_value, 0x4123000387654321);
  }
}

/* While a line is the adapter's own whoever wants it is not answered, which is told with the address and counted; from whoever wants another it keeps nothing. */
static void who_wants_the_adapter_s_line_has_to_wait(void **state) {
  (void)state;
  static const struct { uint32_t state, waits; uint64_t at; } cases[] = {{IO_ADAPTER_LINE_HELD, 1, 64}, {IO_ADAPTER_LINE_ORDERED, 1, 80}, {IO_ADAPTER_LINE_ISSUED, 0, 64}, {IO_ADAPTER_LINE_HELD, 0, 96}, {IO_ADAPTER_LINE_EMPTY, 0, 64}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct hp_machine g = with_devices(1);
    begun(&g);
    struct io_adapter_line *line = adapter_line(ENGINE, STATE);
    *line = (struct io_adapter_line){.state = cases[i].state, .addr = BASE + 64};
    ENGINE->time = 7000;
    assert_int_equal(io_adapter_bus_snoop(ENGINE, self, &(struct runway_snoop){.address = BASE + cases[i].at, .type = RUNWAY_TYPE_READ_SHARED}), cases[i].waits ? RUNWAY_RESPONSE_WAIT : RUNWAY_RESPONSE_OK);
    assert_int_equal(line->stalls, cases[i].waits);
    assert_int_equal(COUNT(stalls), cases[i].waits);
    assert_int_equal(STATE->stalled_since, cases[i].waits ? 7000 : 0);
    assert_events(self, (const struct told[]){{7000, IO_ADAPTER_EV_STALLS, BASE + cases[i].at, 0, 0, 0}}, cases[i].waits);
  }
}

/* The value of a register goes when the last request before it is done: then the bus is asked for it, and not before. */
static void a_value_goes_when_no_request_is_left_before_it(void **state) {
  (void)state;
  for (uint32_t behind = 0; behind < 3; behind++) {
    const struct hp_machine g = with_devices(1);
    begun(&g);
    STATE->reads = 1, STATE->read[0] = (struct adapter_register_read){.tid = 5, .answered = 1, .behind = behind};
    bus_was_asked();
    adapter_release_line(ENGINE, self);
    assert_int_equal(bus_is_asked(), behind == 1);
    assert_int_equal(STATE->answers, behind == 1);
    assert_int_equal(STATE->read[0].behind, behind == 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_is_stale_that_the_directory_does_not_have),
      cmocka_unit_test(the_index_is_the_entry_s_or_the_page_s),
      cmocka_unit_test(a_purge_drops_what_was_fetched_ahead),
      cmocka_unit_test(who_waits_for_a_line_that_was_dropped_asks_the_bus),
      cmocka_unit_test(what_nobody_follows_is_never_old),
      cmocka_unit_test(memory_is_held_if_the_bus_lets_it),
      cmocka_unit_test(a_return_is_passed_on_at_once),
      cmocka_unit_test(returns_are_kept_by_their_kind),
      cmocka_unit_test(a_row_counts_who_looks_there),
      cmocka_unit_test(a_locked_read_keeps_memory_for_its_write),
      cmocka_unit_test(either_half_of_the_entry_is_stored_alone),
      cmocka_unit_test(who_wants_the_adapter_s_line_has_to_wait),
      cmocka_unit_test(a_value_goes_when_no_request_is_left_before_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
