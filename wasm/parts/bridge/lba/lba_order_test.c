/* Ordering in the local bus adapter: stores, lines, loads and interrupts, with times computed by hand. */
#include "test/lba.h"

/*
 * The bus has clocks of 100 ns and slow decode. A retry takes 5 clocks and an idle one, so a card that reads
 * a line tries at 0 and 600. A store leaves at 100, arrives at 124 and waits for the bus until 600. The line
 * is back at 16 + 110 + 272 = 398. It must not pass the store and becomes available when that is done, 500
 * after 600. The card tries again at 1200, and its 16 data phases end at 3200.
 */
static void store_before_line(void) {
  static const uint64_t program[] = {SPEND(100 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), END};
  quiet_rope();
  SET_BUSES(clock, 10000000), SET_BUSES(decode, 3);
  PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = LINE;
  machine_rows("cpu0", 0, ROWS(program));
}
#define STORED BECAUSE(ROPE_CPU(0), PROCESSOR_EV_STORE)

static void a_line_waits_behind_a_store(void **state) {
  (void)state;
  store_before_line();
  machine_run();
  assert_events(LBA_PART,
      (const struct expected_event[]){{0, LBA_EV_DELAYED, AT, 128, 0, CAUSED_BY_BUS(START)},
          {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {124 * NS, LBA_EV_STORE, DOORBELL, 0, 0, STORED},
          {398 * NS, LBA_EV_BEHIND, AT, 1, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {398 * NS, LBA_EV_STATE, 0, LBA_STATE_BLOCKED, 0, CAUSED_BY_ADAPTER(BEHIND)},
          {1100 * NS, LBA_EV_HERE, AT, 0, 0, BECAUSE(LAN_PART, LAN_CARD_EV_STATE)},
          {1100 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, CAUSED_BY_ADAPTER(HERE)},
          {3200 * NS, LBA_EV_GIVEN, AT, 128, 0, CAUSED_BY_BUS(START)}},
      8);
  assert_int_equal(COUNT(blocked), 1);
  assert_int_equal(COUNT(blocked_time), (1100 - 398) * NS);
  assert_int_equal(COUNT(overtook) + COUNT(wasted), 0);
  assert_int_equal(COUNT(rope_out), (24 + 272) * NS);
}

/* The line of the test above waits for that store only: not for a read behind it, nor for a store that
 * arrives on the rope later. */
static void a_line_waits_only_for_stores_before_it(void **state) {
  (void)state;
  static const uint64_t then_read[] = {SPEND(100 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0),
      ROW(IO_LOAD, DOORBELL, 0, 4, 4, 0, 0, 0), END};
  static const uint64_t then_store[] = {SPEND(100 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0),
      SPEND(290 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), END};
  for (uint32_t way = 0; way < 2; way++) {
    store_before_line();
    if (way) machine_rows("cpu0", 0, ROWS(then_store));
    else machine_rows("cpu0", 0, ROWS(then_read));
    machine_run();
    const struct sim_record *here = record_after(LBA_PART, LBA_EV_HERE, 0);
    assert_non_null(here);
    assert_int_equal(here->time, 1100 * NS);
    assert_int_equal(COUNT(blocked), 1);
    assert_int_equal(COUNT(blocked_time), (1100 - 398) * NS);
    assert_int_equal(COUNT(stores), 1 + way);
  }
}

static void a_relaxed_line_passes_a_store(void **state) {
  (void)state;
  store_before_line();
  PARAMS("lba0", lba)->mrl_consistent_relaxed = 1;
  machine_run();
  assert_events(LBA_PART,
      (const struct expected_event[]){{0, LBA_EV_DELAYED, AT, 128, 0, CAUSED_BY_BUS(START)},
          {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {124 * NS, LBA_EV_STORE, DOORBELL, 0, 0, STORED},
          {398 * NS, LBA_EV_OVERTAKES, AT, 1, 0, CAUSED_BY_ADAPTER(DELAYED)},
          {398 * NS, LBA_EV_HERE, AT, 0, 0, CAUSED_BY_ADAPTER(OVERTAKES)},
          {398 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, CAUSED_BY_ADAPTER(HERE)},
          {3200 * NS, LBA_EV_GIVEN, AT, 128, 0, CAUSED_BY_BUS(START)}},
      7);
  assert_int_equal(COUNT(overtook), 1);
  assert_int_equal(COUNT(blocked) + COUNT(blocked_time) + COUNT(wasted), 0);
}

/*
 * The card reads four lines on the same bus, in blocks of a line. They arrive at 398, 670, 942 and 1214. A
 * try at 600 gets the first until 2600; a burst of the other three begins at 2700, and the first of them has
 * moved at 4700. A store that arrives at 4024 breaks the burst there, and the next transaction is its own.
 * The other two lines are dropped. If the lines are relaxed, the burst goes on until the latency timer of 32
 * clocks has expired: after 28 data phases, within its second line. Nothing is dropped.
 */
static void a_store_breaks_a_burst_that_must_not_pass_it(void **state) {
  (void)state;
  static const uint64_t program[] = {SPEND(4000 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), END};
  for (uint32_t relaxed = 0; relaxed < 2; relaxed++) {
    quiet_rope();
    SET_BUSES(clock, 10000000), SET_BUSES(decode, 3), SET_BUSES(block, LINE), SET_BUSES(latency_timer, 32);
    PARAMS("peer0", peer)->blocks = 1, PARAMS("peer0", peer)->bytes = 4 * LINE;
    PARAMS("lba0", lba)->mrm_consistent_depth = 3, PARAMS("lba0", lba)->mrm_consistent_block = 4 * LINE,
                   PARAMS("lba0", lba)->mrm_consistent_relaxed = relaxed;
    machine_rows("cpu0", 0, ROWS(program));
    machine_run();
    const struct sim_record *breaks = record_after(LBA_PART, LBA_EV_BREAKS, 0),
                            *ends = relaxed ? record_after(PCI_PART, PCI_EV_PREEMPTED, 0)
                                            : record_following(PCI_PART, PCI_EV_DISCONNECTED, breaks);
    assert_non_null(ends);
    assert_int_equal(ends->time, (relaxed ? 5900 : 4700) * NS);
    assert_int_equal(ends->b, relaxed ? 28 * 8 : LINE);
    const struct sim_record *next = record_following(PCI_PART, PCI_EV_START, ends);
    assert_int_equal(next->a, DOORBELL);
    assert_int_equal(next->time, ends->time + 100 * NS);
    if (!relaxed) {
      assert_int_equal(breaks->time, 4024 * NS);
      assert_int_equal(breaks->a, AT + 2 * LINE);
    } else {
      assert_null(breaks);
    }
    assert_int_equal(COUNT(broken), !relaxed);
    assert_int_equal(COUNT(wasted), relaxed ? 0 : 2);
    assert_int_equal(COUNT(bytes_out), 4 * LINE);
    assert_int_equal(COUNT(blocked) + COUNT(overtook), 0);
  }
}

/* A broken burst keeps its line that is on the bus. The lines that follow it are dropped, present or
 * requested; those of other reads are not. Without a burst of ordered data nothing is dropped. */
static void a_broken_burst_drops_the_rest_of_its_read(void **state) {
  (void)state;
  quiet_rope();
  static const lba_line before[] = {{.addr = AT, .state = LBA_LINE_HERE, .offered = 1},
      {.addr = AT + 128, .state = LBA_LINE_HERE, .offered = 1}, {.addr = AT + 256, .state = LBA_LINE_HERE},
      {.addr = AT + 384, .state = LBA_LINE_ASKED}, {.addr = AT + 640, .state = LBA_LINE_ASKED},
      {.addr = AT + 768, .state = LBA_LINE_HERE}};
  static const uint32_t after_it[] = {
      LBA_LINE_HERE, LBA_LINE_EMPTY, LBA_LINE_EMPTY, LBA_LINE_DROPPED, LBA_LINE_ASKED, LBA_LINE_HERE};
  enum { A_BURST, NO_BURST, A_WRITE, RELAXED, CASES };
  for (uint32_t way = 0; way < CASES; way++) {
    machine_run();
    struct pci_now *bus = pci_view(ENGINE, CONTEXT_OF("bus0", pci));
    *bus = (struct pci_now){.state = way == A_WRITE ? PCI_STATE_WRITE : PCI_STATE_READ,
        .target = way == NO_BURST ? 1 : 0,
        .addr = AT,
        .bytes = 256};
    STATE_OF("bus0", pci)->accepted = 128;
    for (uint32_t i = 0; i < 6; i++) {
      lba_line *l = lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i);
      *l = before[i];
      l->relaxed = way == RELAXED;
    }
    lba_disconnect(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba));
    for (uint32_t i = 0; i < 6; i++)
      assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i)->state,
          way == A_BURST ? after_it[i] : before[i].state);
    assert_int_equal(COUNT(wasted), way == A_BURST ? 3 : 0);
    assert_int_equal(COUNT(broken), way == A_BURST);
    assert_int_equal(bus->bytes, way == A_BURST ? 128 : 256);
  }
}

/* A grant leaves the oldest item in the queue until its data has moved; after a retry the bus is requested
 * again. */
static void a_retried_store_requests_the_bus_again(void **state) {
  (void)state;
  quiet_rope();
  machine_run();
  struct pci_grant want = {0};
  assert_int_equal(lba_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &want), 0);
  lba_rope_post(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba),
      &(struct rope_post){.address = DOORBELL + 8, .bytes = 4, .value = 3, .write = 9});
  assert_int_equal(
      lba_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &want), 0); /* still on the rope */
  lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), 0)->here = 1;
  assert_int_equal(lba_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &want), 1);
  assert_int_equal(want.address, DOORBELL + 8);
  assert_int_equal(want.bytes, 4);
  assert_int_equal(want.command, PCI_COMMAND_WRITE);
  uint32_t write = 0;
  struct pci_master_give data = {.address = DOORBELL + 8, .bytes = 4, .writes = &write};
  lba_pci_master_give(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &data);
  assert_int_equal(data.value, 3);
  assert_int_equal(write, 9);
  struct pci_now *bus = pci_view(ENGINE, CONTEXT_OF("bus0", pci));
  assert_int_equal(bus->requests, 0);
  lba_pci_moved(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &(struct pci_moved){.address = DOORBELL + 8});
  assert_int_equal(bus->requests, 1);
  assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued, 1);
  assert_int_equal(COUNT(stores), 0);
}

/* With any_legal the adapter reorders at random within PCI's rules. A read or store sometimes passes an
 * earlier read (PW passes RR, RR passes RR) but never a store (neither PW nor RR passes PW). */
static void only_legal_reordering_happens(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->any_legal = 1;
  machine_run();
  static const uint32_t pairs[][2] = {{LBA_ITEM_LOAD, LBA_ITEM_STORE}, {LBA_ITEM_LOAD, LBA_ITEM_LOAD},
      {LBA_ITEM_STORE, LBA_ITEM_LOAD}, {LBA_ITEM_STORE, LBA_ITEM_STORE}};
  for (uint32_t pair = 0; pair < 4; pair++) {
    uint32_t passed = 0;
    for (uint32_t n = 0; n < 64; n++) {
      for (uint32_t i = 0; i < 2; i++)
        *lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), i) =
            (lba_item){.addr = DOORBELL + 4 * i, .item = pairs[pair][i], .bytes = 4, .here = 1};
      lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued = 2;
      struct pci_grant want = {0};
      assert_int_equal(lba_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &want), 1);
      passed += want.address == DOORBELL + 4;
    }
    if (pairs[pair][0] == LBA_ITEM_STORE) assert_int_equal(passed, 0);
    else assert_in_range(passed, 1, 63);
  }
}

/* An unclaimed store ends, and an unclaimed read returns all ones. */
static void an_unclaimed_access_ends(void **state) {
  (void)state;
  static const uint64_t store[] = {ROW(IO_STORE, 0, DOORBELL + 4096, 4, 4, 0, 0, 0), END},
                        load[] = {ROW(IO_LOAD, DOORBELL + 4096, 0, 4, 4, 0, 0, 0), END};
  for (uint32_t loads = 0; loads < 2; loads++) {
    quiet_rope();
    if (loads) machine_rows("cpu0", 0, ROWS(load));
    else machine_rows("cpu0", 0, ROWS(store));
    machine_run();
    assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued, 0);
    assert_int_equal(COUNT(stores), !loads);
    assert_int_equal(COUNTERS("bus0", pci)->no_target, 1);
    assert_int_equal(STATE_OF("sba", sba)->stores, 0);
    if (loads)
      assert_int_equal(cpu_threads(ENGINE, SIM_STATE(ENGINE, ROPE_CPU(0), processor))[0].value, UINT32_MAX);
  }
}

/* A prefetch of two lines stops at the end of its block. If that is the end of a page, it stops only with
 * page_end, as later adapters do. */
static void prefetching_stops_at_the_end_of_its_block(void **state) {
  (void)state;
  static const struct {
    uint64_t offset, block;
    uint32_t page_end, lines;
  } cases[] = {{0, 4096, 0, 3}, {3968, 4096, 0, 3}, {3968, 4096, 1, 1}, {3840, 4096, 1, 2}, {384, 512, 0, 1},
      {256, 512, 0, 2}, {3968, 512, 0, 3}, {3968, 512, 1, 1}, {8192 - 128, 4096, 0, 3}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet_rope();
    PARAMS("lba0", lba)->mrm_consistent_depth = 2, PARAMS("lba0", lba)->mrm_consistent_block = cases[i].block,
                   PARAMS("lba0", lba)->page_end = cases[i].page_end;
    machine_run();
    begins(AT + cases[i].offset, 4, PCI_COMMAND_READ_MULTIPLE);
    assert_int_equal(COUNT(fetched), cases[i].lines);
    assert_int_equal(record_after(LBA_PART, LBA_EV_DELAYED, 0)->c, cases[i].lines - 1);
  }
}

/* Address 0 is valid: an empty entry must not match it. */
static void a_line_at_address_0_is_fetched(void **state) {
  (void)state;
  quiet_rope();
  machine_run();
  assert_int_equal(begins(0, 4, PCI_COMMAND_READ), 0);
  assert_int_equal(COUNT(fetched), 1);
  assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), 0)->state, LBA_LINE_ASKED);
  assert_int_equal(begins(0, 4, PCI_COMMAND_READ), 0);
  assert_int_equal(COUNT(fetched), 1);
}

/* The store at the head has left. A line behind it and a load proceeds, since lines wait only for stores; a
 * line behind a second store stays. */
static void a_line_passes_a_load(void **state) {
  (void)state;
  quiet_rope();
  machine_run();
  static const uint32_t items[] = {
      LBA_ITEM_STORE, LBA_ITEM_LOAD, LBA_ITEM_LINE, LBA_ITEM_STORE, LBA_ITEM_LINE};
  for (uint32_t i = 0; i < 5; i++)
    *lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), i) = (lba_item){.addr = DOORBELL + 4 * i,
        .item = items[i],
        .bytes = 4,
        .here = 1,
        .place = items[i] == LBA_ITEM_LINE ? i / 4 : 0};
  for (uint32_t i = 0; i < 2; i++)
    *lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), i) =
        (lba_line){.addr = AT + LINE * i, .state = LBA_LINE_BEHIND, .bytes = LINE};
  lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued = 5;
  lba_next(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba));
  assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), 0)->state, LBA_LINE_HERE);
  assert_int_equal(lba_line_at(ENGINE, CONTEXT_OF("lba0", lba), 1)->state, LBA_LINE_BEHIND);
  assert_int_equal(lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued, 3);
  static const uint32_t left[] = {1, 3, 4};
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), i)->addr, DOORBELL + 4 * left[i]);
}

/* A load may pass an earlier load but not a store between them: only the store can move to the head, for any
 * random choice. */
static void a_load_does_not_pass_a_store_between_loads(void **state) {
  (void)state;
  uint32_t forwarded = 0;
  for (uint32_t seed = 0; seed < 40; seed++) {
    quiet_rope();
    PARAMS("lba0", lba)->any_legal = 1;
    machine_run();
    ENGINE->random = seed;
    static const uint32_t kinds[] = {LBA_ITEM_LOAD, LBA_ITEM_STORE, LBA_ITEM_LOAD};
    for (uint32_t i = 0; i < 3; i++)
      *lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), i) =
          (lba_item){.item = kinds[i], .addr = DOORBELL + 4 * i, .here = 1};
    lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued = 3;
    lba_forward(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba));
    const uint64_t front = lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), 0)->addr;
    assert_true(front == DOORBELL || front == DOORBELL + 4);
    assert_int_equal(lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), 2)->addr, DOORBELL + 8);
    forwarded += front != DOORBELL;
  }
  assert_in_range(forwarded, 1, 39);
}

/* 8 B and their header take 16 / rate on the rope, and then cross. An ordered transfer waits for the link and
 * occupies it; a reordered one does neither. */
static void a_reordered_transfer_does_not_use_the_link(void **state) {
  (void)state;
  for (uint32_t passes = 0; passes < 2; passes++) {
    quiet_rope();
    machine_run();
    const struct lba_params *p = SIM_PARAMS(ENGINE, LBA_PART, lba);
    const uint64_t took = (8 + LBA_HEADER) * 1000000000000ull / p->rate, now = ENGINE->time;
    uint64_t free_at = now + 500, busy = 0;
    assert_int_equal(
        lba_transfer_line(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), &free_at, &busy, 8, (int)passes),
        took + p->crossing + (passes ? 0 : 500));
    assert_int_equal(free_at, now + 500 + (passes ? 0 : took));
    assert_int_equal(busy, took);
  }
}

/* Any of four loads may move to the head; the others keep their order and none is lost. */
static void moving_to_the_head_keeps_the_order_of_the_others(void **state) {
  (void)state;
  uint32_t fronts = 0;
  quiet_rope();
  PARAMS("lba0", lba)->any_legal = 1;
  machine_run();
  for (uint32_t n = 0; n < 64; n++) {
    for (uint32_t i = 0; i < 4; i++)
      *lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), i) =
          (lba_item){.item = LBA_ITEM_LOAD, .addr = DOORBELL + 4 * i, .place = i, .here = 1};
    lba_view(ENGINE, CONTEXT_OF("lba0", lba))->queued = 4;
    lba_forward(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba));
    const uint32_t front = lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), 0)->place;
    fronts |= 1u << front;
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t was = i == 0 ? front : i <= front ? i - 1 : i;
      assert_int_equal(lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), i)->place, was);
      assert_int_equal(lba_item_at(ENGINE, CONTEXT_OF("lba0", lba), i)->addr, DOORBELL + 4 * was);
    }
  }
  assert_int_equal(fronts, 0xf); /* each was moved at least once */
}

/* With any_legal a read or value on its way up may pass reads and values unless a write is pending; an
 * interrupt never does. What passes does not wait for the link. */
static void reads_and_values_pass_each_other_upstream(void **state) {
  (void)state;
  quiet_rope();
  PARAMS("lba0", lba)->any_legal = 1;
  machine_run();
  static const uint32_t kinds[] = {LBA_ASKED, LBA_LOADED, LBA_RAISED};
  for (uint32_t posted = 0; posted < 2; posted++)
    for (uint32_t kind = 0; kind < 3; kind++) {
      uint32_t passed = 0;
      lba_view(ENGINE, CONTEXT_OF("lba0", lba))->posted = posted;
      for (uint32_t n = 0; n < 32; n++) {
        const uint64_t free_at = lba_view(ENGINE, CONTEXT_OF("lba0", lba))->in_free;
        lba_send_up(ENGINE, SIM_CONTEXT(ENGINE, LBA_PART, lba), 8, SIM_PHASE_REQUEST, kinds[kind], 0);
        passed += lba_view(ENGINE, CONTEXT_OF("lba0", lba))->in_free - sim_max(free_at, ENGINE->time) == 0;
      }
      if (kinds[kind] == LBA_RAISED || posted) assert_int_equal(passed, 0);
      else assert_in_range(passed, 1, 31);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prefetching_stops_at_the_end_of_its_block),
      cmocka_unit_test(a_line_at_address_0_is_fetched),
      cmocka_unit_test(a_line_waits_behind_a_store),
      cmocka_unit_test(a_line_waits_only_for_stores_before_it),
      cmocka_unit_test(a_relaxed_line_passes_a_store),
      cmocka_unit_test(a_store_breaks_a_burst_that_must_not_pass_it),
      cmocka_unit_test(a_broken_burst_drops_the_rest_of_its_read),
      cmocka_unit_test(a_retried_store_requests_the_bus_again),
      cmocka_unit_test(only_legal_reordering_happens),
      cmocka_unit_test(an_unclaimed_access_ends),
      cmocka_unit_test(a_line_passes_a_load),
      cmocka_unit_test(a_load_does_not_pass_a_store_between_loads),
      cmocka_unit_test(a_reordered_transfer_does_not_use_the_link),
      cmocka_unit_test(moving_to_the_head_keeps_the_order_of_the_others),
      cmocka_unit_test(reads_and_values_pass_each_other_upstream),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
