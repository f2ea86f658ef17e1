/*
 * A unit that walks its table in memory, a device behind it, and the service that stores entries there. Times
 * are counted in cycles of the bus from an edge on: 2 of arbitration when it is idle, 33 until memory has a
 * line (275 ns), 2 of arbitration and 4 of data, which makes 41 for a read; what was asked for meanwhile
 * follows without arbitration, so the second takes 39. A write is done when all have answered, 6 after its
 * address; 5 cycles after that the next may begin.
 */
#include "test/walk.h"

/* Two lines of one page, neither cached: one walk for both. They follow each other on the bus, 5 cycles
 * apart. */
static void a_walk_is_one_read_for_each_level(void **state) {
  (void)state;
  static const uint64_t program[] = {UNTIL(START), CARD_WRITES(IO + PAGE, 64), CARD_DONE, END};
  const struct {
    uint64_t levels, cycles;
  } cases[] = {{1, 41}, {2, 41 + 39}};
  for (uint32_t i = 0; i < 2; i++) {
    walking(cases[i].levels);
    OPEN(program);
    entry(1, BASE + 3 * PAGE);
    session_run();
    assert_int_equal(UNIT_COUNT(walks), 1);
    assert_int_equal(UNIT_COUNT(misses), 1);
    assert_int_equal(UNIT_COUNT(walk_reads), cases[i].levels);
    assert_in_range(UNIT_COUNT(walking), CYCLES(cases[i].cycles) - 1, CYCLES(cases[i].cycles) + 1);
    assert_int_equal(UNIT_COUNT(held_up), 2);
    assert_int_equal(UNIT_COUNT(translations), 2);
    assert_int_equal(UNIT_COUNT(bytes_in), 64);
    assert_in_range(
        CARD_COUNT(busy), CYCLES(cases[i].cycles + 5 + 6) - 1, CYCLES(cases[i].cycles + 5 + 6) + 1);
    assert_int_equal(CARD_COUNT(bytes), 64);
    assert_int_equal(CARD_COUNT(transfers), 1);
    assert_true(hp_cell(BASE).write < hp_cell(BASE + 3 * PAGE).write);
    assert_int_equal(hp_cell(BASE + 3 * PAGE + 48).write, hp_cell(BASE + 3 * PAGE).write + 3);
    assert_int_equal(hp_cell(BASE + 3 * PAGE + 48).newest, hp_cell(BASE + 3 * PAGE).write + 3);
  }
}

/* What a walk reads, and where: the upper table's second entry, then the second table's sixth. */
static void a_walk_is_told_step_by_step(void **state) {
  (void)state;
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
  assert_int_equal(UNIT_COUNT(bytes_out), 32);
  assert_int_equal(UNIT_COUNT(stale_reads), 0);
}

static const struct sim_record *told_after(uint32_t part, uint32_t kind, const struct sim_record *record) {
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  return record_after(part, kind, (uint32_t)(record - ring) + 1);
}

/* The last line of a page that is not cached, and two of the next, which is: while the first waits for its
 * walk these are done. */
static void who_hits_passes_by(void **state) {
  (void)state;
  static const uint64_t program[] = {
      CARD_WRITES(IO + PAGE, 32), CARD_DONE, UNTIL(START), CARD_WRITES(IO + PAGE - 32, 96), CARD_DONE, END};
  walking(1);
  OPEN(program);
  entry(0, BASE), entry(1, BASE + 7 * PAGE);
  session_run();
  assert_int_equal(UNIT_COUNT(walks), 2);
  assert_int_equal(UNIT_COUNT(held_up), 2);
  assert_int_equal(UNIT_COUNT(passed_by), 2);
  assert_int_equal(UNIT_COUNT(bytes_in), 128);
  const struct sim_record *first = record_after(WALK_CARD, BUS_MASTER_EV_DONE, 0);
  const struct sim_record *next = told_after(WALK_CARD, BUS_MASTER_EV_PAGE, first),
                          *walked = told_after(WALK_UNIT, IOMMU_EV_WALKED, first),
                          *last = told_after(WALK_CARD, BUS_MASTER_EV_PAGE, next);
  assert_int_equal(next->a, IO + PAGE);
  assert_int_equal(next->time, START + CYCLES(2 + 1 + 6)); /* behind the walk's address */
  assert_int_equal(walked->time, START + CYCLES(41));
  assert_int_equal(last->a, IO + PAGE - 32);
  assert_int_equal(last->time, START + CYCLES(41 + 6));
}

/* Unless it leads to the spare page, or goes through as it is. */
static void or_it_goes_elsewhere(void **state) {
  (void)state;
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
  assert_int_equal(UNIT_COUNT(spilled), 1);
  assert_int_equal(UNIT_COUNT(passed), 1);
  assert_int_equal(UNIT_COUNT(bytes_in), 64);
  for (uint32_t i = 0; i < 5; i++) assert_int_equal(hp_cell(places[i]).write != before[i], written[i]);
}

/* The service stores two entries in one line, flushes it, and at unmap has both purged. Then a device is
 * stopped. */
static const uint64_t maps_and_unmaps[] = {UNTIL(START), MAPS(BASE + PAGE, 2 * PAGE, 3),
    ROW(START_DMA, 0, 0, 2 * PAGE, 4, 0, 2, 3), CARD_DONE, UNMAPS(3), ROW(START_DMA, 0, 0, 32, 4, 0, 2, 3),
    CARD_DONE, END};
static void the_service_stores_entries_and_purges(void **state) {
  (void)state;
  for (uint64_t snoops = 0; snoops < 2; snoops++) {
    walking(2);
    PARAMS("unit", iommu)->snoops = snoops, PARAMS("map", iommu_map)->flush_entries = !snoops;
    OPEN(maps_and_unmaps);
    session_run();
    const struct iommu_map_counters *c = COUNTERS("map", iommu_map);
    assert_int_equal(c->stored, 4);
    assert_int_equal(c->maps, 1);
    assert_int_equal(c->unmaps, 1);
    assert_int_equal(COUNTERS("runway", runway)->flushes, snoops ? 0 : 2);
    assert_int_equal(COUNTERS("runway", runway)->registers, 2 + 1);
    assert_int_equal(COUNTERS("runway", runway)->quiet_reads, snoops ? 0 : 6);
    assert_int_equal(UNIT_COUNT(drops), 2);
    assert_int_equal(UNIT_COUNT(bytes_in), 2 * PAGE);
    assert_int_equal(UNIT_COUNT(faults), 1);
    assert_int_equal(UNIT_COUNT(old_entries) + UNIT_COUNT(stale), 0);
    assert_int_equal(sim_host_state(test_engine())->broken, SIM_HOLDS);
    assert_int_equal(COUNTERS("cpu", processor)->loads, 1);
  }
}

/* The cleared entries stay in the cache: past it, memory still maps the page. The unit was purged and reads
 * the old entry anew. */
static void an_entry_that_was_not_flushed_is_read_old(void **state) {
  (void)state;
  walking(2);
  PARAMS("unit", iommu)->snoops = 0, PARAMS("map", iommu_map)->fault = IOMMU_MAP_FAULT_ENTRY_NOT_FLUSHED;
  OPEN(maps_and_unmaps);
  session_run();
  assert_int_equal(UNIT_COUNT(old_entries), 1);
  assert_int_equal(UNIT_COUNT(stale), 1);
  assert_int_equal(UNIT_COUNT(stale_wrong), 0); /* nothing else is mapped there */
  assert_int_equal(UNIT_COUNT(faults), 0);
  assert_int_equal(CARD_COUNT(stale), 1);
  assert_int_equal(sim_host_state(test_engine())->broken, SIM_CURRENT_DEVICE);
  assert_int_equal(sim_host_state(test_engine())->broken_at, TABLE + PAGE);
  PARAMS("unit", iommu)->snoops = 1; /* who asks the caches is not misled */
  OPEN(maps_and_unmaps);
  session_run();
  assert_int_equal(UNIT_COUNT(old_entries) + UNIT_COUNT(stale), 0);
  assert_int_equal(UNIT_COUNT(faults), 1);
}

/* Entries that were never flushed: memory says that nothing is mapped. */
static void nor_is_one_that_is_new(void **state) {
  (void)state;
  walking(2);
  PARAMS("unit", iommu)->snoops = PARAMS("map", iommu_map)->flush_entries = 0;
  OPEN(maps_and_unmaps);
  session_run();
  assert_int_equal(
      UNIT_COUNT(old_entries) + 1, UNIT_COUNT(walks)); /* what is not mapped is not kept, so it is looked for
                                                          again; after unmap memory is right by accident */
  assert_true(UNIT_COUNT(walks) > 2);
  assert_int_equal(UNIT_COUNT(bytes_in), 0);
  assert_int_equal(UNIT_COUNT(faults), 2 * PAGE / 32 + 1);
}

/* The row is not purged: the old translation is used, and told. */
static void a_translation_that_was_not_purged_goes_on_working(void **state) {
  (void)state;
  walking(1);
  PARAMS("map", iommu_map)->fault = IOMMU_MAP_FAULT_NOT_PURGED;
  OPEN(maps_and_unmaps);
  session_run();
  assert_int_equal(UNIT_COUNT(drops), 0);
  assert_int_equal(UNIT_COUNT(walks), 2);
  assert_int_equal(UNIT_COUNT(stale), 1);
  assert_int_equal(sim_host_state(test_engine())->broken, SIM_LIVE_TRANSLATION);
  assert_int_equal(sim_host_state(test_engine())->broken_at, IO);
}

/* Four entries of which two are handed out: the third map comes round, and flushes by register, under the
 * lock. */
static void a_lazy_flush_is_a_store_to_a_register(void **state) {
  (void)state;
  walking(1);
  PARAMS("map", iommu_map)->entries = 4, PARAMS("map", iommu_map)->flush = IOMMU_MAP_FLUSH_LAZY;
  static const uint64_t program[] = {
      MAPS(BASE, PAGE, 0), UNMAPS(0), MAPS(BASE, PAGE, 1), UNMAPS(1), MAPS(BASE, PAGE, 2), END};
  OPEN(program);
  session_run();
  assert_int_equal(COUNTERS("map", iommu_map)->flushes, 1);
  assert_int_equal(UNIT_COUNT(flushes), 1);
  assert_int_equal(UNIT_COUNT(drops), 0);
  assert_int_equal(COUNTERS("runway", runway)->registers, 2);
  assert_true(COUNTERS("map", iommu_map)->hold_most > PARAMS("map", iommu_map)->hold_alloc + CYCLES(4));
  const struct sim_record *flush = record_after(WALK_UNIT, IOMMU_EV_FLUSH, 0),
                          *release = told_after(WALK_MAP, IOMMU_MAP_EV_RELEASE, flush);
  assert_true(release && release->time > flush->time);
}

/* Two pages that are not cached, asked for 320 ps apart: with two walkers the second entry is asked for
 * before the first has come. */
static void each_walker_walks_for_an_entry_of_its_own(void **state) {
  (void)state;
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
      assert_int_equal(walker[i].state, IOMMU_WALK_ENTRY);
      assert_int_equal(walker[i].entry, i);
      assert_int_equal(walker[i].at, TABLE + 8 * i);
    }
    session_run();
    for (uint32_t i = 0; i < at_once; i++) assert_int_equal(walker[i].state, IOMMU_WALK_IDLE);
    assert_int_equal(UNIT_COUNT(walks), 2);
    assert_int_equal(UNIT_COUNT(bytes_in), 64);
    const struct sim_record *first = record_after(WALK_UNIT, IOMMU_EV_WALKED, 0),
                            *second = told_after(WALK_UNIT, IOMMU_EV_WALKED, first);
    assert_int_equal(first->b, 0);
    assert_int_equal(second->b, 1);
    assert_int_equal(first->time, START + CYCLES(41));
    assert_int_equal(second->time < first->time + CYCLES(33),
        at_once == 2); /* its line was asked for before the first came */
  }
}

/* Parts of lines are not taken, nor a second transfer; lines that it cannot address are passed over. */
static void a_card_moves_whole_lines_that_it_can_address(void **state) {
  (void)state;
  static const uint64_t program[] = {CARD_WRITES(IO + 16, 32), CARD_WRITES(IO, 48),
      CARD_WRITES(IO + PAGE - 64, 64 + PAGE + 96), CARD_WRITES(IO, 32), CARD_DONE, CARD_WRITES(IO, 0),
      CARD_DONE, END};
  walking(1);
  PARAMS("card", bus_master)->reach = IO + PAGE - 1;
  OPEN(program);
  entry(0, BASE);
  session_run();
  assert_int_equal(COUNTERS("map", iommu_map)->refusals, 3);
  assert_int_equal(CARD_COUNT(transfers), 2);
  assert_int_equal(CARD_COUNT(bytes), 64);
  assert_int_equal(CARD_COUNT(beyond), 2); /* pages */
  const struct sim_record *first = record_after(WALK_CARD, BUS_MASTER_EV_BEYOND, 0),
                          *second = told_after(WALK_CARD, BUS_MASTER_EV_BEYOND, first);
  assert_int_equal(first->a, IO + PAGE);
  assert_int_equal(second->a, IO + 2 * PAGE);
  assert_null(told_after(WALK_CARD, BUS_MASTER_EV_BEYOND, second));
  assert_non_null(record_after(WALK_CARD, BUS_MASTER_EV_RAGGED, 0));
}

/* With one place the second line goes when the first is done; with so many lines under way no more are asked
 * for. */
static void a_device_has_so_many_accesses_under_way(void **state) {
  (void)state;
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

/* Cached translations and which goes next, an access with its outcome, a walker's way, and a register read
 * with what it waits for. */
static void all_that_the_unit_has_is_kept(void **state) {
  (void)state;
  static const uint64_t nothing[] = {END};
  walking(2);
  PARAMS("unit", iommu)->at_once = 2, PARAMS("unit", iommu)->sets = 4;
  OPEN(nothing);
  struct iommu_state *s = STATE_OF("unit", iommu);
  iommu_access *access = iommu_access_of(test_engine(), CONTEXT_OF("unit", iommu), 7);
  iommu_walker *walker = iommu_walker_of(test_engine(), CONTEXT_OF("unit", iommu), 1);
  for (uint32_t i = 0; i < 4; i++) { /* sets, of two places each */
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
      3); /* who came first is kept as an order, however many came before */
  uint8_t first[CODEC_PART], second[CODEC_PART];
  for (uint32_t later = 0; later < 2; later++) {
    *older = *access;
    older->number = UINT32_MAX - 1 + 2 * later, access->number = UINT32_MAX;
    struct sim_codec k = {.at = later ? second : first};
    iommu_serialize(test_engine(), SIM_CONTEXT(test_engine(), WALK_UNIT, iommu), &k);
    k = (struct sim_codec){.at = later ? second : first, .reading = 1};
    iommu_serialize(test_engine(), SIM_CONTEXT(test_engine(), WALK_UNIT, iommu), &k);
    assert_int_equal(older->number, later);
    assert_int_equal(access->number, !later);
    assert_true(s->numbers > 1);
  }
}

/*
 * Half by half, with what came and what should have come; of memory that nobody follows nothing is said.
 * Through a stale translation what should have come is what lies where the table leads, and not where the
 * unit went.
 */
static void what_a_device_gets_is_held_to_what_is_newest(void **state) {
  (void)state;
  static const uint64_t nothing[] = {END};
  for (uint32_t each = 0; each < 8; each++) {
    const uint32_t old = each & 3, stale = each >> 2;
    walking(1);
    OPEN(nothing);
    test_engine()->cause = 0;
    const uint32_t newest[2] = {hp_cell(BASE + 64).newest, hp_cell(BASE + 80).newest},
                   got[2] = {old & 1 ? 9001 : newest[0], old & 2 ? 9002 : newest[1]};
    const iommu_access access = {
        .address = IO + 64, .physical = BASE + 64 + stale * 3 * PAGE, .meant = stale * (BASE / PAGE + 1)};
    iommu_check(test_engine(), SIM_CONTEXT(test_engine(), WALK_UNIT, iommu), &access, RUNWAY_LINE, got);
    iommu_check(test_engine(), SIM_CONTEXT(test_engine(), WALK_UNIT, iommu),
        &(iommu_access){.physical = BASE - 64}, RUNWAY_LINE, (uint32_t[]){9003, 9004});
    assert_int_equal(UNIT_COUNT(stale_reads), __builtin_popcount(old));
    struct told told[2];
    uint32_t n = 0;
    for (uint32_t half = 0; half < 2; half++)
      if (old >> half & 1)
        told[n++] =
            (struct told){0, IOMMU_EV_STALE_DATA, BASE + 64 + 16 * half, got[half], newest[half], ANY_CAUSE};
    assert_events(WALK_UNIT, told, n);
    assert_int_equal(sim_host_state(test_engine())->broken, old ? SIM_CURRENT_DEVICE : SIM_HOLDS);
  }
}

/* An entry of the upper table that maps, and leads to no table: the walk is over with it, after one read, and
 * the access goes where it says. */
static void an_upper_entry_that_maps_ends_the_walk(void **state) {
  (void)state;
  static const uint64_t program[] = {
      CARD_READS(IO, 32), CARD_DONE, UNTIL(START), CARD_READS(IO + 517 * PAGE + 64, 32), CARD_DONE, END};
  walking(2);
  OPEN(program);
  entry(0, BASE), entry(517, BASE + 3 * PAGE);
  sim_run(test_engine(), START - 1,
      SIM_NEVER); /* with its first walk, of two reads, the upper table was filled */
  assert_int_equal(UNIT_COUNT(walk_reads), 2);
  const uint32_t before = (uint32_t)test_engine()->seq;
  iommu_store(test_engine(), SIM_CONTEXT(test_engine(), WALK_UNIT, iommu), TABLE + 8,
      (BASE + 5 * PAGE) | IOMMU_ENTRY_VALID);
  session_run();
  assert_int_equal(UNIT_COUNT(walk_reads), 2 + 1);
  assert_int_equal(UNIT_COUNT(bytes_out), 64);
  const struct sim_record *goes = record_after(WALK_UNIT, IOMMU_EV_GOES, before);
  assert_int_equal(goes->a, BASE + 5 * PAGE + 64);
  assert_int_equal(goes->time, START + CYCLES(41));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_walk_is_one_read_for_each_level),
      cmocka_unit_test(a_walk_is_told_step_by_step),
      cmocka_unit_test(who_hits_passes_by),
      cmocka_unit_test(or_it_goes_elsewhere),
      cmocka_unit_test(the_service_stores_entries_and_purges),
      cmocka_unit_test(an_entry_that_was_not_flushed_is_read_old),
      cmocka_unit_test(nor_is_one_that_is_new),
      cmocka_unit_test(a_translation_that_was_not_purged_goes_on_working),
      cmocka_unit_test(a_lazy_flush_is_a_store_to_a_register),
      cmocka_unit_test(each_walker_walks_for_an_entry_of_its_own),
      cmocka_unit_test(a_card_moves_whole_lines_that_it_can_address),
      cmocka_unit_test(a_device_has_so_many_accesses_under_way),
      cmocka_unit_test(all_that_the_unit_has_is_kept),
      cmocka_unit_test(what_a_device_gets_is_held_to_what_is_newest),
      cmocka_unit_test(an_upper_entry_that_maps_ends_the_walk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
