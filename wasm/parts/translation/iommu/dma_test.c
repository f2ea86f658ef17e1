/* Accesses that a unit carries out for devices at its own ports: their entries, bus priority, the outcome of
 * each, and the unit's registers. */
#include "test/walk.h"

#define ENGINE test_engine()
#define STATE STATE_OF("unit", iommu)
#define ACCESS(slot) iommu_access_of(ENGINE, CONTEXT_OF("unit", iommu), slot)
#define CARD WALK_CARD

static const uint64_t idle[] = {END};

/* Pages 0 and 1 are mapped, and time starts at START. */
static void begun(void) {
  OPEN(idle);
  entry(0, BASE), entry(1, BASE + 3 * PAGE);
  session_run();
  ENGINE->time = START;
  ENGINE->cause = 0;
}

static void moves(uint32_t card, uint64_t address, uint64_t bytes, uint32_t write) {
  assert_int_equal(bus_master_driver_start(OF(card, bus_master),
                       &(struct doorbell_start){.address = address, .bytes = bytes, .write = write}),
      1);
}

static struct runway_grant granted(uint32_t limit, uint32_t *halves, uint32_t answer) {
  struct runway_grant q = {.limit = limit, .halves = halves};
  struct runway_now *bus = runway_view(STATE_OF("runway", runway));
  bus->requests = 0;
  assert_int_equal(iommu_bus_grant(OF(WALK_UNIT, iommu), &q), answer);
  return q;
}
static uint32_t asks_again(void) {
  return runway_view(STATE_OF("runway", runway))->requests >> UNIT_AGENT & 1;
}

/* A register read waits for accesses that are ready or under way, but not for those that still wait for
 * look-up or entry. */
TEST(a_register_read_waits_for_translated_accesses) {
  machine("walk-more-cards");
  PARAMS("unit", iommu)->levels = 1;
  begun();
  static const struct {
    uint32_t slot, state;
  } under_way[] = {{8, IOMMU_ACCESS_LOOKUP}, {9, IOMMU_ACCESS_MISSED}, {10, IOMMU_ACCESS_READY},
      {51, IOMMU_ACCESS_ISSUED}};
  for (uint32_t i = 0; i < 4; i++)
    *ACCESS(under_way[i].slot) = (iommu_access){.state = under_way[i].state, .address = IO, .physical = BASE};
  for (uint32_t i = 0; i < 2; i++)
    iommu_bus_register(OF(WALK_UNIT, iommu),
        &(struct runway_register){.address = REGISTERS + IOMMU_REG_FAULTS, .id = 5 + i});
  assert_int_equal(STATE->read[0].behind, 1ull << 10 | 1ull << 51);
  struct runway_now *bus = runway_view(STATE_OF("runway", runway));
  assert_int_equal(iommu_bus_has_priority_work(OF(WALK_UNIT, iommu)), 0);
  static const uint32_t ends[] = {8, 51, 9, 10};
  for (uint32_t i = 0; i < 4; i++) {
    bus->requests = 0;
    iommu_end(OF(WALK_UNIT, iommu), ends[i]);
    assert_int_equal(iommu_bus_has_priority_work(OF(WALK_UNIT, iommu)), i == 3 ? 2 : 0);
    EXPECT_VALUES({asks_again(), i == 3}, {ACCESS(ends[i])->state, IOMMU_ACCESS_FREE});
  }
  uint32_t halves[2];
  assert_int_equal(granted(0, halves, 1).slot, 4); /* the first read */
  assert_int_equal(asks_again(), 1);
  assert_int_equal(granted(0, halves, 1).slot, 5);
  assert_int_equal(asks_again(), 0);
  bus->requests = 0;
  iommu_bus_register(OF(WALK_UNIT, iommu), &(struct runway_register){.address = REGISTERS + IOMMU_REG_FAULTS,
                                               .id = 9}); /* nothing under way: answered at once */
  assert_int_equal(asks_again(), 1);
  assert_int_equal(iommu_bus_has_priority_work(OF(WALK_UNIT, iommu)), 1);
}

/* With a spare page, only unmapped pages within the table go there. Devices are stopped below and above the
 * table, and the last stopped address is recorded. */
TEST(the_spare_page_serves_the_table_s_range_only) {
  static const struct {
    uint64_t address;
    uint32_t spilled;
  } cases[] = {{IO + 1023 * PAGE, 1}, {IO + 1024 * PAGE, 0}, {IO - PAGE, 0}, {IO + 2 * PAGE, 1}};
  for (uint32_t i = 0; i < 4; i++) {
    walking(1);
    PARAMS("unit", iommu)->spill = 1, PARAMS("unit", iommu)->spare = BASE + 2 * PAGE;
    begun();
    moves(CARD, cases[i].address + 32, 32, 1);
    session_run();
    EXPECT_VALUES({UNIT_COUNT(spilled), cases[i].spilled}, {UNIT_COUNT(faults), !cases[i].spilled},
        {UNIT_COUNT(walks), cases[i].spilled},
        {STATE->fault_address, cases[i].spilled ? 0 : cases[i].address + 32},
        {CARD_COUNT(stopped), !cases[i].spilled},
        {hp_cell(BASE + 2 * PAGE + 32).write != (2 * PAGE + 32) / 16 + 1, cases[i].spilled});
    const struct sim_record *goes = record_after(WALK_UNIT, IOMMU_EV_GOES, 0);
    assert_int_equal(goes != NULL, cases[i].spilled);
    if (goes) assert_int_equal(goes->a, BASE + 2 * PAGE + 32);
  }
}

/* A flush removes the translations of all sets. */
TEST(a_flush_empties_all_sets) {
  walking(1);
  PARAMS("unit", iommu)->sets = 4, PARAMS("unit", iommu)->cached = 3;
  begun();
  uint32_t rows;
  const translation *cache = checked_view(ENGINE, WALK_UNIT, IOMMU_VIEW_CACHE, &rows);
  assert_int_equal(rows, 12);
  for (uint64_t entry_of = 0; entry_of < 12; entry_of++)
    iommu_keep_translation(OF(WALK_UNIT, iommu), entry_of, 77);
  for (uint32_t i = 0; i < rows; i++) assert_int_equal(cache[i].entry, i / 3 + i % 3 * 4 + 1);
  iommu_map_invalidate_all(OF(WALK_UNIT, iommu));
  for (uint32_t i = 0; i < rows; i++) assert_int_equal(cache[i].entry + cache[i].page, 0);
  assert_int_equal(record_after(WALK_UNIT, IOMMU_EV_FLUSH, 0)->b, 12);
}

/* An entry is modified in a cache: without snooping the unit reads the old one, which is recorded with its
 * address. */
TEST(an_old_entry_is_recorded_with_its_address) {
  for (uint32_t snoops = 0; snoops < 2; snoops++) {
    walking(1);
    PARAMS("unit", iommu)->snoops = snoops;
    begun();
    call_shadow_store(
        ENGINE, WALK_CACHE, SNOOP_CACHE_PORT_BUS, &(struct shadow_store){.address = TABLE + 8, .half = 0});
    entry(1, BASE + 5 * PAGE);
    moves(CARD, IO + PAGE, 32, 0);
    session_run();
    const struct sim_record *old = record_after(WALK_UNIT, IOMMU_EV_OLD_ENTRY, 0);
    EXPECT_VALUES({old != NULL, !snoops}, {UNIT_COUNT(old_entries), !snoops},
        {record_after(WALK_UNIT, IOMMU_EV_GOES, 0)->a, BASE + (snoops ? 5 : 3) * PAGE});
    if (!old) continue;
    EXPECT_VALUES({old->a, TABLE + 8}, {old->b, 1}, {sim_host_state(ENGINE)->broken, SIM_CURRENT_DEVICE});
  }
}

/*
 * Bus priority: first an answer to a processor, then walks in order, then accesses, the oldest first, even
 * when their numbers wrap around. The unit keeps requesting the bus while more is waiting. With
 * LIMIT_DATA_ONLY only data is sent.
 */
TEST(the_oldest_request_gets_the_bus_first) {
  for (uint32_t snoops = 0; snoops < 2; snoops++) {
    walking(1);
    PARAMS("unit", iommu)->at_once = 2, PARAMS("unit", iommu)->snoops = snoops,
                   PARAMS("unit", iommu)->virtual_offset = 0x45000;
    begun();
    uint32_t halves[2];
    *ACCESS(3) = (iommu_access){.state = IOMMU_ACCESS_READY,
        .write = 1,
        .number = 1,
        .address = IO + 32,
        .physical = 0x1ffbb020,
        .half_0 = 81,
        .half_1 = 82};
    *ACCESS(40) = (iommu_access){
        .state = IOMMU_ACCESS_READY, .number = UINT32_MAX - 1, .address = IO, .physical = 0x1ffba000};
    *ACCESS(9) =
        (iommu_access){.state = IOMMU_ACCESS_READY, .number = 0, .address = IO, .physical = 0x1ffba040};
    *ACCESS(10) = (iommu_access){.state = IOMMU_ACCESS_MISSED, .number = UINT32_MAX - 2, .address = IO};
    for (uint32_t i = 0; i < 2; i++)
      *iommu_walker_of(ENGINE, CONTEXT_OF("unit", iommu), i) = (iommu_walker){
          .state = IOMMU_WALK_ENTRY, .wanted = 1, .entry = i, .at = TABLE + 64 * i, .cause = 21 + i};
    STATE->read[0] = (struct iommu_register_read){
        .address = REGISTERS + IOMMU_REG_FAULTS, .transaction = 11, .value = 99, .answered = 1};
    STATE->reads = 1;
    struct runway_grant q = granted(RUNWAY_LIMIT_DATA_ONLY, halves, 1);
    EXPECT_VALUES({q.type, RUNWAY_TYPE_SHORT_RETURN}, {q.slot, 11}, {q.address, REGISTERS + IOMMU_REG_FAULTS},
        {halves[0], 99});
    assert_int_equal(asks_again(), 1);
    granted(RUNWAY_LIMIT_DATA_ONLY, halves, 0);
    for (uint32_t i = 0; i < 2; i++) {
      q = granted(0, halves, 1);
      EXPECT_VALUES({q.type, snoops ? RUNWAY_TYPE_READ_SHARED : RUNWAY_TYPE_READ_NONCOHERENT},
          {q.address, TABLE + 64 * i}, {q.slot, IOMMU_ACCESSES + i}, {q.index, (TABLE + 0x45000) / PAGE},
          {ENGINE->cause, 21 + i});
      EXPECT_VALUES({iommu_walker_of(ENGINE, CONTEXT_OF("unit", iommu), i)->wanted, 0}, {asks_again(), 1});
    }
    static const struct {
      uint32_t slot, type, index;
      uint64_t address;
    } then[] = {{40, RUNWAY_TYPE_READ_SHARED, 0xfff, 0x1ffba000},
        {9, RUNWAY_TYPE_READ_SHARED, 0xfff, 0x1ffba040}, {3, RUNWAY_TYPE_WRITE32, 0, 0x1ffbb020}};
    for (uint32_t i = 0; i < 3; i++) { /* pages 0x1ffff and, in 12 bits, 0 of virtual memory */
      q = granted(0, halves, 1);
      EXPECT_VALUES({q.slot, then[i].slot}, {q.type, then[i].type}, {q.address, then[i].address},
          {q.index, then[i].index}, {ACCESS(then[i].slot)->state, IOMMU_ACCESS_ISSUED});
      assert_int_equal(asks_again(), i < 2);
    }
    EXPECT_VALUES({halves[0], 81}, {halves[1], 82});
    granted(0, halves, 0);
  }
}

/*
 * Page 1 led to page 3 of memory and now leads to page 5, while the unit still has page 3. Data written for
 * page 5 ends up in page 3, where four half lines are overwritten. A read of page 5 through the unit gets
 * the data of page 3.
 */
TEST(a_stale_translation_misdirects_accesses) {
  walking(1);
  begun();
  moves(CARD, IO + PAGE, 32, 1);
  session_run();
  entry(1, BASE + 5 * PAGE);
  const uint32_t there = hp_cell(BASE + 5 * PAGE + 64).write;
  const uint64_t records = ENGINE->seq;
  ENGINE->time = 2 * START;
  moves(CARD, IO + PAGE + 64, 64, 1);
  session_run();
  for (uint64_t at = 64; at < 128; at += 16) {
    const struct shadow_word reached = hp_cell(BASE + 3 * PAGE + at), meant = hp_cell(BASE + 5 * PAGE + at);
    EXPECT_VALUES({meant.newest, reached.write}, {meant.write, there + (at - 64) / 16});
    assert_int_not_equal(reached.write, reached.newest);
  }
  EXPECT_VALUES({SIM_COUNTERS(test_engine(), WALK_MEMORY, memory_controller)->overwritten, 4},
      {UNIT_COUNT(stale), 2}, {UNIT_COUNT(stale_wrong), 2}, {CARD_COUNT(stale), 1});
  const struct sim_record *stale = record_after(WALK_UNIT, IOMMU_EV_STALE, (uint32_t)records);
  EXPECT_VALUES({stale->a, IO + PAGE + 64}, {stale->b, BASE / PAGE + 3}, {stale->c, BASE / PAGE + 5},
      {record_after(CARD, BUS_MASTER_EV_WRONG, 0)->b, BASE / PAGE + 3}, {UNIT_COUNT(stale_reads), 0});
  moves(CARD, IO + PAGE + 96, 64, 0);
  session_run();
  assert_int_equal(
      UNIT_COUNT(stale_reads), 2); /* the first line has the data meant for it; the second has foreign data */
  assert_int_equal(sim_host_state(ENGINE)->broken, SIM_LIVE_TRANSLATION);
}
