/* A machine with a watcher: each violation is recorded once, with invariant and address, and a sound machine
 * has none. */
#include "test/hp.h"

static uint32_t watcher_part;

static void watched(void) {
  machine_with("watcher");
  hp_run();
  watcher_part = part_named("watcher");
}

TEST(a_defect_is_recorded_with_its_invariant_and_its_line) {
  static const uint64_t first[] = {LOAD(BASE + 64), SPEND(10000000), LOAD(BASE + 64), END},
                        second[] = {SPEND(5000000), STORE(BASE + 64), END};
  static const struct {
    uint32_t fault, broken;
  } cases[] = {{SNOOP_CACHE_FAULT_NONE, 0}, {SNOOP_CACHE_FAULT_PRIVATE_LEAVES_COPY, SIM_ONE_WRITER}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hp(2, 0);
    PARAMS("cache0", snoop_cache)->fault = cases[i].fault;
    hp_does(0, PROGRAM(first)), machine_rows("cpu1", 0, ROWS(second));
    watched();
    const struct watcher_counters *c = SIM_COUNTERS(test_engine(), watcher_part, watcher);
    assert_int_equal(c->looks, test_engine()->events);
    const struct sim_record *record = record_after(watcher_part, WATCHER_EV_BROKEN, 0);
    uint32_t rows;
    const struct watcher_last *last = checked_view(test_engine(), watcher_part, WATCHER_VIEW_LAST, &rows);
    EXPECT_VALUES({rows, 1}, {c->broken > 0, cases[i].broken != 0}, {record != NULL, cases[i].broken != 0});
    if (!record) {
      assert_int_equal(last->invariant, 0);
      continue;
    }
    EXPECT_VALUES({record->b, cases[i].broken}, {record->a, BASE + 64}, {last->addr, BASE + 64});
  }
}

#define PAUSE SPEND(10000000)

/* The violated invariants, as bits, and the address of the first violation of each. */
static uint32_t violations_recorded(uint64_t *at) {
  uint32_t set = 0;
  const struct sim_record *record;
  for (uint32_t seq = 0; (record = record_after(watcher_part, WATCHER_EV_BROKEN, seq));
      seq = (uint32_t)(record
                       - (const struct sim_record *)sim_at(
                           test_engine(), sim_refresh_header(test_engine())->trace_at))
            + 1) {
    if (!(set & 1u << record->b)) at[record->b] = record->a;
    set |= 1u << record->b;
  }
  return set;
}

/* Caches of one set of two lines, so that BASE and BASE + 64 conflict. Each program with a defect violates
 * the invariant given, at BASE; without the defect there is no violation. */
TEST(each_defect_violates_its_invariant) {
  static const uint64_t stores[] = {STORE(BASE), PAUSE, PAUSE, END},
                        stores_and_leaves[] = {STORE(BASE), LOAD(BASE + 64), PAUSE, END},
                        loads_later[] = {PAUSE, LOAD(BASE), PAUSE, END},
                        loads_and_leaves[] = {PAUSE, LOAD(BASE), LOAD(BASE + 64), PAUSE, PAUSE, LOAD(BASE),
                            PAUSE, END},
                        stores_and_leaves_later[] = {STORE(BASE), PAUSE, PAUSE, LOAD(BASE + 64), PAUSE, END},
                        loads_and_stores[] = {LOAD(BASE), PAUSE, PAUSE, STORE(BASE), PAUSE, END},
                        nothing[] = {END};
  const struct {
    uint32_t fault, memory;
    struct hp_program first, second;
    uint32_t broken;
  } cases[] = {{SNOOP_CACHE_FAULT_VICTIM_DROPPED, 0, PROGRAM(stores_and_leaves), PROGRAM(nothing),
                   SIM_NO_LOST_DATA}, /* the dirty data is in no place any more */
      {SNOOP_CACHE_FAULT_OK_WHILE_DIRTY, 0, PROGRAM(stores), PROGRAM(loads_later),
          SIM_CURRENT_LOAD}, /* memory returns its older data */
      {SNOOP_CACHE_FAULT_OWNER_STAYS_DIRTY, 0, PROGRAM(stores), PROGRAM(loads_later),
          SIM_ONE_WRITER}, /* the owner may still write, and the reader has a copy */
      {SNOOP_CACHE_FAULT_STORE_ON_SHARED, 0, PROGRAM(loads_and_stores), PROGRAM(loads_later),
          SIM_NO_STALE_COPY}, /* the other copy is stale */
      {0, MEMORY_CONTROLLER_FAULT_COPY_SKIPS_MEMORY, PROGRAM(stores_and_leaves_later),
          PROGRAM(loads_and_leaves),
          SIM_NO_LOST_DATA}}; /* both copies are clean and evicted: the data is missing at the next load */
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t sound = 0; sound < 2; sound++) {
      uint64_t at[16] = {0};
      hp(2, 0);
      PARAMS("cache0", snoop_cache)->size = 64, PARAMS("cache0", snoop_cache)->ways = 1;
      PARAMS("memory", memory_controller)->written = 1;
      if (!sound)
        PARAMS("cache0", snoop_cache)->fault = cases[i].fault,
                         PARAMS("memory", memory_controller)->fault = cases[i].memory;
      hp_does(0, cases[i].first), hp_does(1, cases[i].second);
      watched();
      uint32_t set = violations_recorded(at);
      if (sound) {
        assert_int_equal(set, 0);
        continue;
      }
      assert_true(set & 1u << cases[i].broken);
      assert_int_equal(at[cases[i].broken], BASE);
    }
}

/* An entry is cleared and its translation stays in the TLB: recorded once the driver is done, for any
 * page. */
TEST(a_translation_that_outlives_its_entry_is_recorded) {
  static const uint64_t program[] = {ROW(DMA_OUT, BASE, WINDOW(0), 64, 4, 0, 0, 0),
      ROW(LOAD, BASE + 4 * PAGE, 0, 4 * PAGE, 4, 0, 0, 0), END};
  for (uint32_t sound = 0; sound < 2; sound++) {
    uint64_t at[16] = {0};
    hp(1, 1);
    machine_with("services");
    PARAMS("cache0", snoop_cache)->interrupt = 0xfff80000ull;
    if (!sound) PARAMS("services", io_services)->fault = IO_SERVICES_FAULT_TLB_NOT_PURGED;
    machine_rows("cpu0", 0, ROWS(program));
    watched();
    assert_int_equal(violations_recorded(at), sound ? 0 : 1u << SIM_LIVE_TRANSLATION);
    assert_int_equal(SIM_COUNTERS(test_engine(), watcher_part, watcher)->broken, !sound); /* once */
  }
}

/* During a driver's call, of any processor, an entry may be cleared while its translation still exists. */
TEST(translations_are_not_checked_during_a_driver_s_call) {
  static const struct {
    uint32_t inner, violations;
  } cases[] = {{IO_SERVICES_INNER_UNMAPPING - 1, 1}, {IO_SERVICES_INNER_UNMAPPING, 0},
      {IO_SERVICES_INNER_CLEAR, 0}, {IO_SERVICES_INNER_UNMAPPED - 1, 0}, {IO_SERVICES_INNER_UNMAPPED, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t which = 0; which < 2; which++) {
      uint64_t at[16] = {0};
      uint32_t rows, calls;
      hp(1, 1);
      machine_with("services");
      watched();
      sim *m = test_engine();
      struct io_adapter_tlb *tlb = checked_view(m, ADAPTER, IO_ADAPTER_VIEW_TLB, &rows);
      struct io_services_calls *call = checked_view(m, SERVICES, IO_SERVICES_VIEW_CALLS, &calls);
      tlb[3].valid = 1;
      call[which ? calls - 1 : 0].inner = cases[i].inner;
      m->events = 128; /* translations are checked periodically */
      sim_check_invariants(m);
      assert_int_equal(violations_recorded(at), cases[i].violations << SIM_LIVE_TRANSLATION);
    }
}

/* A transaction without a response: no event is pending, which is recorded as a deadlock. */
TEST(a_deadlock_is_recorded) {
  static const uint64_t program[] = {LOAD(BASE), END};
  hp(1, 0);
  machine_rows("cpu0", 0, ROWS(program));
  watched();
  uint64_t at[16] = {0};
  assert_int_equal(violations_recorded(at), 0);
  struct runway_transactions *row = runway_row(STATE_OF("runway", runway), 0);
  *row = (struct runway_transactions){.phase = RUNWAY_PHASE_ASKING, .addr = BASE};
  sim_check_invariants(test_engine());
  assert_int_equal(violations_recorded(at), 1u << SIM_NO_DEADLOCK);
  assert_int_equal(at[SIM_NO_DEADLOCK], BASE);
}

/* The newest write of the line at BASE + 64 is nowhere. It is reported if that was the bus's last line,
 * unless the line still has a transaction under way. */
TEST(lost_data_is_recorded_when_no_transaction_is_under_way) {
  static const struct {
    uint64_t last, row;
    uint32_t type, lost;
  } cases[] = {{BASE + 64, 0, RUNWAY_TYPE_NOTHING, 1}, {BASE + 80, 0, RUNWAY_TYPE_NOTHING, 1},
      {BASE + 96, 0, RUNWAY_TYPE_NOTHING, 0}, {BASE + 64, 0, RUNWAY_TYPE_READ_SHARED, 0},
      {BASE + 64, BASE + 64, RUNWAY_TYPE_NOTHING, 0}, {BASE + 64, BASE + 80, RUNWAY_TYPE_NOTHING, 0},
      {BASE + 64, BASE + 96, RUNWAY_TYPE_NOTHING, 1}, {BASE + 80, BASE + 64, RUNWAY_TYPE_NOTHING, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t half = 0; half < 2; half++) {
      uint64_t at[16] = {0};
      uint32_t rows;
      hp(1, 0);
      watched();
      sim *m = test_engine();
      struct runway_now *now = checked_view(m, BUS, RUNWAY_VIEW_NOW, &rows);
      now->type = cases[i].type, now->addr = cases[i].last;
      if (cases[i].row)
        *runway_row(STATE_OF("runway", runway), 0) =
            (struct runway_transactions){.phase = RUNWAY_PHASE_ASKING, .addr = cases[i].row};
      shadow_word(m, &STATE_OF("memory", memory_controller)->shadow, BASE + 64 + half * HALF_BYTES)->newest =
          777;
      sim_check_invariants(m);
      assert_int_equal(violations_recorded(at),
          cases[i].lost << SIM_NO_LOST_DATA | (uint32_t)(cases[i].row != 0) << SIM_NO_DEADLOCK);
      if (cases[i].lost) assert_int_equal(at[SIM_NO_LOST_DATA], BASE + 64);
    }
}
