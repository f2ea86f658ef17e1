/*
 * A unit that walks its table in memory, a device behind it, and the service that stores the entries. Times
 * are in cycles of the bus from an edge: 2 of arbitration on an idle bus, 33 for memory (275 ns), 2 of
 * arbitration and 4 of data, 41 for a read. A second read requested meanwhile needs no arbitration of its
 * own and takes 39. A write is done when all agents have responded, 6 after its address; 5 cycles after that
 * the next may start.
 */
#include "test/walk.h"

/* Two lines of one page without a cached translation: one walk for both. The lines follow each other on the
 * bus, 5 cycles apart. */
TEST(a_walk_takes_one_read_per_level) {
  static const uint64_t program[] = {UNTIL(START), CARD_WRITES(IO + PAGE, 64), CARD_DONE, END};
  const struct {
    uint64_t levels, cycles;
  } cases[] = {{1, 41}, {2, 41 + 39}};
  for (uint32_t i = 0; i < 2; i++) {
    walking(cases[i].levels);
    OPEN(program);
    entry(1, BASE + 3 * PAGE);
    session_run();
    EXPECT_VALUES({UNIT_COUNT(walks), 1}, {UNIT_COUNT(misses), 1}, {UNIT_COUNT(walk_reads), cases[i].levels});
    assert_in_range(UNIT_COUNT(walking), CYCLES(cases[i].cycles) - 1, CYCLES(cases[i].cycles) + 1);
    EXPECT_VALUES({UNIT_COUNT(held_up), 2}, {UNIT_COUNT(translations), 2}, {UNIT_COUNT(bytes_in), 64});
    assert_in_range(
        CARD_COUNT(busy), CYCLES(cases[i].cycles + 5 + 6) - 1, CYCLES(cases[i].cycles + 5 + 6) + 1);
    EXPECT_VALUES({CARD_COUNT(bytes), 64}, {CARD_COUNT(transfers), 1});
    assert_true(hp_cell(BASE).write < hp_cell(BASE + 3 * PAGE).write);
    assert_int_equal(hp_cell(BASE + 3 * PAGE + 48).write, hp_cell(BASE + 3 * PAGE).write + 3);
    assert_int_equal(hp_cell(BASE + 3 * PAGE + 48).newest, hp_cell(BASE + 3 * PAGE).write + 3);
  }
}

/* The reads of a walk and their addresses: the upper table's second entry, then the second table's sixth. */
TEST(each_step_of_a_walk_is_recorded) {
  static const uint64_t program[] = {UNTIL(START), CARD_READS(IO + 517 * PAGE + 64, 32), CARD_DONE, END};
  walking(2);
  OPEN(program);
  entry(517, BASE + 5 * PAGE);
  session_run();
  const uint64_t first = START + CYCLES(41), second = START + CYCLES(80), at = TABLE + PAGE + 517 * 8;
  EXPECT_EVENTS(WALK_UNIT,
      {START, IOMMU_EV_HELD_UP, IO + 517 * PAGE + 64, 517, 0, BECAUSE(WALK_CARD, BUS_MASTER_EV_START)},
      {START, IOMMU_EV_WALK, TABLE + 8, 517, IOMMU_WALK_UPPER, BECAUSE(WALK_UNIT, IOMMU_EV_HELD_UP)},
      {first, IOMMU_EV_READ, (TABLE + 2 * PAGE) | IOMMU_ENTRY_TABLE | IOMMU_ENTRY_VALID, 517, 0,
          BECAUSE(WALK_UNIT, IOMMU_EV_WALK)},
      {first, IOMMU_EV_WALK, at, 517, IOMMU_WALK_ENTRY, BECAUSE(WALK_UNIT, IOMMU_EV_READ)},
      {second, IOMMU_EV_READ, (BASE + 5 * PAGE) | IOMMU_ENTRY_VALID, 517, 0,
          BECAUSE(WALK_UNIT, IOMMU_EV_WALK)},
      {second, IOMMU_EV_WALKED, second - START, 517, 1, BECAUSE(WALK_UNIT, IOMMU_EV_READ)},
      {second, IOMMU_EV_GOES, BASE + 5 * PAGE + 64, 0, 0, BECAUSE(WALK_UNIT, IOMMU_EV_WALKED)},
      {second, IOMMU_EV_RESTS, 0, 0, 0, BECAUSE(WALK_UNIT, IOMMU_EV_GOES)});
  EXPECT_VALUES({UNIT_COUNT(bytes_out), 32}, {UNIT_COUNT(stale_reads), 0});
}

static const struct sim_record *next_record(uint32_t part, uint32_t kind, const struct sim_record *record) {
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  return record_after(part, kind, (uint32_t)(record - ring) + 1);
}

/* The last line of a page without a cached translation, and two lines of the next page, which has one: these
 * are done while the first waits for its walk. */
TEST(hits_pass_a_waiting_miss) {
  static const uint64_t program[] = {
      CARD_WRITES(IO + PAGE, 32), CARD_DONE, UNTIL(START), CARD_WRITES(IO + PAGE - 32, 96), CARD_DONE, END};
  walking(1);
  OPEN(program);
  entry(0, BASE), entry(1, BASE + 7 * PAGE);
  session_run();
  EXPECT_VALUES({UNIT_COUNT(walks), 2}, {UNIT_COUNT(held_up), 2}, {UNIT_COUNT(passed_by), 2},
      {UNIT_COUNT(bytes_in), 128});
  const struct sim_record *first = record_after(WALK_CARD, BUS_MASTER_EV_DONE, 0);
  const struct sim_record *next = next_record(WALK_CARD, BUS_MASTER_EV_PAGE, first),
                          *walked = next_record(WALK_UNIT, IOMMU_EV_WALKED, first),
                          *last = next_record(WALK_CARD, BUS_MASTER_EV_PAGE, next);
  assert_int_equal(next->a, IO + PAGE);
  assert_int_equal(next->time, START + CYCLES(2 + 1 + 6)); /* after the walk's address */
  EXPECT_VALUES(
      {walked->time, START + CYCLES(41)}, {last->a, IO + PAGE - 32}, {last->time, START + CYCLES(41 + 6)});
}

/* An unmapped page leads to the spare page instead of a fault. Without checks, an address outside the table
 * passes untranslated. */
TEST(unmapped_accesses_go_to_the_spare_page_or_pass) {
  static const uint64_t program[] = {UNTIL(START), CARD_WRITES(IO + 8 * PAGE + 96, 32), CARD_DONE,
      CARD_WRITES(BASE + 4 * PAGE + 32, 32), CARD_DONE, END};
  walking(1);
  PARAMS("unit", iommu)->spill = 1, PARAMS("unit", iommu)->spare = BASE + 2 * PAGE,
                 PARAMS("unit", iommu)->checks = 0;
  static const uint64_t places[] = {BASE + 2 * PAGE - 96, BASE + 2 * PAGE, BASE + 2 * PAGE + 96,
      BASE + 4 * PAGE + 32, BASE + 4 * PAGE + 64};
  static const uint32_t written[] = {0, 0, 1, 1, 0};
  uint32_t before[5];
  OPEN(program);
  for (uint32_t i = 0; i < 5; i++) before[i] = hp_cell(places[i]).write;
  session_run();
  EXPECT_VALUES({UNIT_COUNT(spilled), 1}, {UNIT_COUNT(passed), 1}, {UNIT_COUNT(bytes_in), 64});
  for (uint32_t i = 0; i < 5; i++) assert_int_equal(hp_cell(places[i]).write != before[i], written[i]);
}

/* The service stores two entries in one line, flushes it, and at unmap purges both. Then a device is
 * stopped. */
static const uint64_t maps_and_unmaps[] = {UNTIL(START), MAPS(BASE + PAGE, 2 * PAGE, 3),
    ROW(START_DMA, 0, 0, 2 * PAGE, 4, 0, 2, 3), CARD_DONE, UNMAPS(3), ROW(START_DMA, 0, 0, 32, 4, 0, 2, 3),
    CARD_DONE, END};
TEST(the_service_stores_entries_and_purges) {
  for (uint64_t snoops = 0; snoops < 2; snoops++) {
    walking(2);
    PARAMS("unit", iommu)->snoops = snoops, PARAMS("map", iommu_map)->flush_entries = !snoops;
    OPEN(maps_and_unmaps);
    session_run();
    const struct iommu_map_counters *c = COUNTERS("map", iommu_map);
    EXPECT_VALUES({c->stored, 4}, {c->maps, 1}, {c->unmaps, 1},
        {COUNTERS("runway", runway)->flushes, snoops ? 0 : 2}, {COUNTERS("runway", runway)->registers, 2 + 1},
        {COUNTERS("runway", runway)->quiet_reads, snoops ? 0 : 6}, {UNIT_COUNT(drops), 2},
        {UNIT_COUNT(bytes_in), 2 * PAGE}, {UNIT_COUNT(faults), 1},
        {UNIT_COUNT(old_entries) + UNIT_COUNT(stale), 0}, {sim_host_state(test_engine())->broken, SIM_HOLDS},
        {COUNTERS("cpu", processor)->loads, 1});
  }
}

/* The cleared entry stays in the cache: in memory, the page is still mapped. The unit was purged and reads
 * the old entry again. */
TEST(a_cleared_entry_that_was_not_flushed_is_read_stale) {
  walking(2);
  PARAMS("unit", iommu)->snoops = 0, PARAMS("map", iommu_map)->fault = IOMMU_MAP_FAULT_ENTRY_NOT_FLUSHED;
  OPEN(maps_and_unmaps);
  session_run();
  EXPECT_VALUES({UNIT_COUNT(old_entries), 1}, {UNIT_COUNT(stale), 1});
  assert_int_equal(UNIT_COUNT(stale_wrong), 0); /* no other page is mapped there */
  EXPECT_VALUES({UNIT_COUNT(faults), 0}, {CARD_COUNT(stale), 1},
      {sim_host_state(test_engine())->broken, SIM_CURRENT_DEVICE},
      {sim_host_state(test_engine())->broken_at, TABLE + PAGE});
  PARAMS("unit", iommu)->snoops = 1; /* a unit that snoops gets the new entry */
  OPEN(maps_and_unmaps);
  session_run();
  EXPECT_VALUES({UNIT_COUNT(old_entries) + UNIT_COUNT(stale), 0}, {UNIT_COUNT(faults), 1});
}

/* New entries that were never flushed: in memory nothing is mapped. */
TEST(a_new_entry_that_was_not_flushed_is_not_seen) {
  walking(2);
  PARAMS("unit", iommu)->snoops = PARAMS("map", iommu_map)->flush_entries = 0;
  OPEN(maps_and_unmaps);
  session_run();
  assert_int_equal(
      UNIT_COUNT(old_entries) + 1, UNIT_COUNT(walks)); /* after unmap, memory is right by accident */
  assert_true(UNIT_COUNT(walks) > 2);
  EXPECT_VALUES({UNIT_COUNT(bytes_in), 0}, {UNIT_COUNT(faults), 2 * PAGE / 32 + 1});
}

/* The cached translation is not purged: the old one is used, and recorded as stale. */
TEST(a_translation_that_was_not_purged_stays_in_use) {
  walking(1);
  PARAMS("map", iommu_map)->fault = IOMMU_MAP_FAULT_NOT_PURGED;
  OPEN(maps_and_unmaps);
  session_run();
  EXPECT_VALUES({UNIT_COUNT(drops), 0}, {UNIT_COUNT(walks), 2}, {UNIT_COUNT(stale), 1},
      {sim_host_state(test_engine())->broken, SIM_LIVE_TRANSLATION},
      {sim_host_state(test_engine())->broken_at, IO});
}

/* Four entries, of which two are allocated: the third map wraps around, and flushes by a register store
 * under the lock. */
TEST(a_lazy_flush_is_a_store_to_a_register) {
  walking(1);
  PARAMS("map", iommu_map)->entries = 4, PARAMS("map", iommu_map)->flush = IOMMU_MAP_FLUSH_LAZY;
  static const uint64_t program[] = {
      MAPS(BASE, PAGE, 0), UNMAPS(0), MAPS(BASE, PAGE, 1), UNMAPS(1), MAPS(BASE, PAGE, 2), END};
  OPEN(program);
  session_run();
  EXPECT_VALUES({COUNTERS("map", iommu_map)->flushes, 1}, {UNIT_COUNT(flushes), 1}, {UNIT_COUNT(drops), 0},
      {COUNTERS("runway", runway)->registers, 2});
  assert_true(COUNTERS("map", iommu_map)->hold_most > PARAMS("map", iommu_map)->hold_alloc + CYCLES(4));
  const struct sim_record *flush = record_after(WALK_UNIT, IOMMU_EV_FLUSH, 0),
                          *release = next_record(WALK_MAP, IOMMU_MAP_EV_RELEASE, flush);
  assert_true(release && release->time > flush->time);
}

/* Two pages without cached translations, accessed 320 ps apart: with two walkers the second entry is
 * requested before the first has arrived. */
TEST(walkers_fetch_entries_in_parallel) {
  static const uint64_t program[] = {UNTIL(START), CARD_WRITES(IO + PAGE - 32, 64), CARD_DONE, END};
  for (uint32_t at_once = 1; at_once <= 2; at_once++) {
    walking(1);
    uint32_t rows;
    PARAMS("unit", iommu)->at_once = at_once;
    OPEN(program);
    entry(0, BASE), entry(1, BASE + 3 * PAGE);
    sim_run(test_engine(), START + CYCLES(20), 10000000);
    const struct iommu_walkers *walker = checked_view(test_engine(), WALK_UNIT, IOMMU_VIEW_WALKERS, &rows);
    assert_int_equal(rows, at_once);
    for (uint32_t i = 0; i < at_once; i++) {
      EXPECT_VALUES({walker[i].state, IOMMU_WALK_ENTRY}, {walker[i].entry, i}, {walker[i].at, TABLE + 8 * i});
    }
    session_run();
    for (uint32_t i = 0; i < at_once; i++) assert_int_equal(walker[i].state, IOMMU_WALK_IDLE);
    EXPECT_VALUES({UNIT_COUNT(walks), 2}, {UNIT_COUNT(bytes_in), 64});
    const struct sim_record *first = record_after(WALK_UNIT, IOMMU_EV_WALKED, 0),
                            *second = next_record(WALK_UNIT, IOMMU_EV_WALKED, first);
    assert_int_equal(first->b, 0);
    EXPECT_VALUES({second->b, 1}, {first->time, START + CYCLES(41)});
    assert_int_equal(second->time < first->time + CYCLES(33),
        at_once == 2); /* its line was requested before the first arrived */
  }
}

/* Partial lines and a second transfer are refused. Lines beyond its reach are skipped. */
TEST(a_card_moves_whole_lines_within_its_reach) {
  static const uint64_t program[] = {CARD_WRITES(IO + 16, 32), CARD_WRITES(IO, 48),
      CARD_WRITES(IO + PAGE - 64, 64 + PAGE + 96), CARD_WRITES(IO, 32), CARD_DONE, CARD_WRITES(IO, 0),
      CARD_DONE, END};
  walking(1);
  PARAMS("card", bus_master)->reach = IO + PAGE - 1;
  OPEN(program);
  entry(0, BASE);
  session_run();
  EXPECT_VALUES(
      {COUNTERS("map", iommu_map)->refusals, 3}, {CARD_COUNT(transfers), 2}, {CARD_COUNT(bytes), 64});
  assert_int_equal(CARD_COUNT(beyond), 2); /* pages */
  const struct sim_record *first = record_after(WALK_CARD, BUS_MASTER_EV_BEYOND, 0),
                          *second = next_record(WALK_CARD, BUS_MASTER_EV_BEYOND, first);
  assert_int_equal(first->a, IO + PAGE);
  assert_int_equal(second->a, IO + 2 * PAGE);
  assert_null(next_record(WALK_CARD, BUS_MASTER_EV_BEYOND, second));
  assert_non_null(record_after(WALK_CARD, BUS_MASTER_EV_RAGGED, 0));
}

/* With one access at a time in the unit, the second line starts when the first is done. With the device's
 * limit of lines under way it is the same. */
TEST(accesses_under_way_are_limited) {
  static const uint64_t program[] = {UNTIL(START), CARD_WRITES(IO, 96), CARD_DONE, END};
  const struct {
    uint64_t places, ahead, cycles;
  } cases[] = {{8, 8, 41 + 5 + 5 + 6}, {1, 8, 41 + 6 + 8 + 8}, {8, 1, 41 + 6 + 8 + 8}};
  for (uint32_t i = 0; i < 3; i++) {
    walking(1);
    PARAMS("unit", iommu)->places = cases[i].places, PARAMS("card", bus_master)->ahead = cases[i].ahead;
    OPEN(program);
    entry(0, BASE);
    session_run();
    assert_in_range(CARD_COUNT(busy), CYCLES(cases[i].cycles) - 1, CYCLES(cases[i].cycles) + 1);
  }
}

/* Cached translations and the next to replace; an access with its outcome; a walker's position; a register
 * read and the accesses it waits for. */
TEST(all_state_of_the_unit_is_serialized) {
  static const uint64_t nothing[] = {END};
  walking(2);
  PARAMS("unit", iommu)->at_once = 2, PARAMS("unit", iommu)->sets = 4;
  OPEN(nothing);
  struct iommu_state *s = STATE_OF("unit", iommu);
  iommu_access *access = iommu_access_of(test_engine(), CONTEXT_OF("unit", iommu), 7);
  iommu_walker *walker = iommu_walker_of(test_engine(), CONTEXT_OF("unit", iommu), 1);
  for (uint32_t i = 0; i < 4; i++) { /* sets of two translations each */
    struct iommu_now *set = (struct iommu_now *)sim_at(test_engine(), s->now_at) + i;
    translation *cached = (translation *)sim_at(test_engine(), s->cache_at) + 2 * i + 1;
    set->next = 1, set->used = 2, cached->entry = 518, cached->page = 0x107;
    KEEPS(WALK_UNIT, &set->next, &set->used, &cached->entry, &cached->page);
  }
  *access = (iommu_access){.state = IOMMU_ACCESS_READY,
      .write = 1,
      .outcome = IOMMU_ASTRAY,
      .address = IO + 32,
      .physical = BASE + 32,
      .half_0 = COMING_WRITE(0),
      .half_1 = COMING_WRITE(1)};
  KEEPS(WALK_UNIT, &access->state, &access->write, &access->outcome, &access->address, &access->physical,
      &access->half_0, &access->half_1);
  *walker = (iommu_walker){.state = IOMMU_WALK_ENTRY, .wanted = 1, .entry = 300, .at = TABLE + 8};
  KEEPS(WALK_UNIT, &walker->state, &walker->wanted, &walker->entry, &walker->at);
  s->reads = 2;
  for (uint32_t i = 0; i < 2; i++) {
    s->read[i] = (struct iommu_register_read){
        .address = REGISTERS + 8 * i, .behind = 1ull << 40 | 2, .transaction = 5 + i};
    KEEPS(WALK_UNIT, &s->reads, &s->read[i].address, &s->read[i].behind, (uint32_t *)&s->read[i].behind + 1,
        &s->read[i].transaction);
  }
  iommu_access *older = iommu_access_of(test_engine(), CONTEXT_OF("unit", iommu),
      3); /* accesses are serialized in order, not by their numbers */
  uint8_t first[CODEC_PART], second[CODEC_PART];
  for (uint32_t later = 0; later < 2; later++) {
    *older = *access;
    older->number = UINT32_MAX - 1 + 2 * later, access->number = UINT32_MAX;
    struct sim_codec k = {.at = later ? second : first};
    iommu_serialize(OF(WALK_UNIT, iommu), &k);
    k = (struct sim_codec){.at = later ? second : first, .reading = 1};
    iommu_serialize(OF(WALK_UNIT, iommu), &k);
    EXPECT_VALUES({older->number, later}, {access->number, !later});
    assert_true(s->numbers > 1);
  }
}

/* An entry of the upper table that maps a page: the walk ends there after one read, and the access goes to
 * that page. */
TEST(an_upper_entry_that_maps_ends_the_walk) {
  static const uint64_t program[] = {
      CARD_READS(IO, 32), CARD_DONE, UNTIL(START), CARD_READS(IO + 517 * PAGE + 64, 32), CARD_DONE, END};
  walking(2);
  OPEN(program);
  entry(0, BASE), entry(517, BASE + 3 * PAGE);
  sim_run(test_engine(), START - 1, SIM_NEVER); /* its first walk, of two reads, has filled the upper table */
  assert_int_equal(UNIT_COUNT(walk_reads), 2);
  const uint32_t before = (uint32_t)test_engine()->seq;
  iommu_store(OF(WALK_UNIT, iommu), TABLE + 8, (BASE + 5 * PAGE) | IOMMU_ENTRY_VALID);
  session_run();
  EXPECT_VALUES({UNIT_COUNT(walk_reads), 2 + 1}, {UNIT_COUNT(bytes_out), 64});
  const struct sim_record *goes = record_after(WALK_UNIT, IOMMU_EV_GOES, before);
  EXPECT_VALUES({goes->a, BASE + 5 * PAGE + 64}, {goes->time, START + CYCLES(41)});
}
