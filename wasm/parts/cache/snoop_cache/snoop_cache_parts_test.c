/* The structures around the lines of a cache: assist cache, write-back buffer, snoop responses, and lost
 * data. */
#include "test/hp.h"

#define PAUSE SPEND(10000000) /* long enough for all outstanding operations */

/*
 * Processor 0 misses, and the next line is prefetched into the assist cache. A store of processor 1 then
 * invalidates the prefetched line. When processor 0 loads it, that is an ordinary miss: a shared read into
 * the main cache.
 */
TEST(an_invalidated_assist_line_misses) {
  static const uint64_t first[] = {LOAD(BASE), PAUSE, PAUSE, LOAD(BASE + 32), END},
                        second[] = {PAUSE, STORE(BASE + 32), END}, nothing[] = {END};
  for (uint32_t taken = 0; taken < 2; taken++) {
    hp(2, 0);
    PARAMS("cache0", snoop_cache)->assist = 4, PARAMS("cache0", snoop_cache)->speculate = 1;
    hp_does(0, PROGRAM(first)), hp_does(1, taken ? PROGRAM(second) : PROGRAM(nothing));
    hp_run();
    assert_int_equal(COUNTERS("cache0", snoop_cache)->assisted, !taken);
    const struct sim_record *promoted = record_after(CACHE(0), SNOOP_CACHE_EV_PROMOTED, 0);
    assert_int_equal(promoted ? promoted->a : 0, taken ? 0 : BASE + 32);
    assert_int_equal(COUNTERS("cache0", snoop_cache)->misses, 1 + taken);
    assert_int_equal(
        COUNTERS("cache0", snoop_cache)->speculated, 1 + taken); /* each miss prefetches the next line */
    assert_int_equal(COUNTERS("runway", runway)->read_private, taken); /* for the store */
    assert_int_equal(COUNTERS("cache0", snoop_cache)->stale_reads, 0);
  }
}

/* A store of another processor invalidates a line, which is counted. A load of another leaves it valid, clean
 * or dirty. */
TEST(an_invalidated_copy_is_counted) {
  static const uint64_t loads[] = {LOAD(BASE), PAUSE, PAUSE, END},
                        stores[] = {STORE(BASE), PAUSE, PAUSE, END}, loads_late[] = {PAUSE, LOAD(BASE), END},
                        stores_late[] = {PAUSE, STORE(BASE), END};
  for (uint32_t i = 0; i < 4; i++) {
    hp(2, 0);
    hp_does(0, i & 1 ? PROGRAM(stores) : PROGRAM(loads)),
        hp_does(1, i & 2 ? PROGRAM(stores_late) : PROGRAM(loads_late));
    hp_run();
    EXPECT_VALUES({COUNTERS("cache0", snoop_cache)->invalidated, i >= 2},
        {COUNTERS("cache1", snoop_cache)->invalidated, 0}, {COUNTERS("cache0", snoop_cache)->copies, i & 1});
  }
}

/* An evicted dirty line waits in the write-back buffer for the bus. A snoop meanwhile is answered from the
 * buffer, and the table row that it uses is recorded. */
TEST(a_line_in_the_write_back_buffer_is_copied_from_there) {
  uint32_t given = 0;
  for (uint64_t early = 0; early < 80;
      early++) { /* from a read before the eviction to one after the write-back, in steps of a cycle */
    const uint64_t writer[] = {STORE(BASE), SPEND(CYCLES(200)), LOAD(BASE + 64), PAUSE, END},
                   reader[] = {SPEND(CYCLES(290 - early)), LOAD(BASE), PAUSE, END};
    hp(2, 0);
    PARAMS("cache0", snoop_cache)->size = 64,
                     PARAMS("cache0", snoop_cache)->ways = 1; /* two lines: BASE and BASE + 64 conflict */
    hp_does(0, PROGRAM(writer)), machine_rows("cpu1", 0, ROWS(reader));
    hp_run();
    EXPECT_VALUES({COUNTERS("cache1", snoop_cache)->stale_reads, 0},
        {COUNTERS("cache1", snoop_cache)->misses, 1}, {hp_cell(BASE).write, hp_cell(BASE).newest});
    uint32_t rows, leaving = 0;
    const protocol_row *table = checked_view(test_engine(), CACHE(0), SNOOP_CACHE_VIEW_ROWS, &rows);
    for (uint32_t seq = 0; seq < sim_refresh_header(test_engine())->seq_lo; seq++) {
      const struct sim_record *record =
          (const struct sim_record *)sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at) + seq;
      if (record->part == CACHE(0) && record->kind == SNOOP_CACHE_EV_ROW)
        leaving += record->b == SNOOP_CACHE_LINE_WB;
    }
    uint32_t taken = 0;
    for (uint32_t i = 0; i < rows; i++) taken += table[i].state == SNOOP_CACHE_LINE_WB ? table[i].taken : 0;
    assert_int_equal(leaving, taken);
    given += taken;
  }
  assert_true(given > 0);
}

/* The prefetch of the next line starts with the miss or some cycles later, and before the first line arrives,
 * so that two lines take less time than two misses. */
TEST(the_next_line_is_prefetched_during_the_miss) {
  static const uint64_t program[] = {LOAD(BASE), PAUSE, END};
  for (uint64_t cycles = 0; cycles <= 30; cycles += 10) {
    hp(1, 0);
    PARAMS("cache0", snoop_cache)->speculate = 1,
                     PARAMS("cache0", snoop_cache)->speculate_after = CYCLES(cycles);
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    const struct sim_record *miss = record_after(CACHE(0), SNOOP_CACHE_EV_MISS, 0),
                            *asked = record_after(CACHE(0), SNOOP_CACHE_EV_SPECULATED, 0);
    const struct sim_record *first = record_after(CACHE(0), SNOOP_CACHE_EV_FILLED, 0);
    assert_int_equal(asked->time - miss->time, CYCLES(cycles));
    assert_true(asked->time < first->time);
    assert_int_equal(COUNTERS("cache0", snoop_cache)->speculated, 1);
  }
}

/* A miss prefetches the next line unless that is uncached or lies in the next page. */
TEST(prefetch_stops_at_uncached_memory_and_pages) {
  static const struct {
    uint64_t miss, uncached;
    uint32_t comes;
  } cases[] = {{BASE, BASE + 64, 1}, {BASE + 32, BASE + 64, 0}, {BASE, BASE + 32, 0},
      {BASE + 96, BASE + 64, 1}, {BASE + PAGE - 64, BASE + PAGE, 1}, {BASE + PAGE - 32, BASE + 2 * PAGE, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t program[] = {LOAD(cases[i].miss), END};
    hp(1, 0);
    PARAMS("cache0", snoop_cache)->speculate = 1,
                     PARAMS("cache0", snoop_cache)->uncached_from = cases[i].uncached,
                     PARAMS("cache0", snoop_cache)->uncached = 32;
    machine_rows("cpu0", 0, ROWS(program));
    hp_run();
    assert_int_equal(COUNTERS("cache0", snoop_cache)->speculated, cases[i].comes);
    assert_int_equal(COUNTERS("runway", runway)->read_shared, 1 + cases[i].comes);
  }
}

/* Each defect changes exactly the rows of the protocol table that it concerns. */
TEST(a_defect_changes_only_its_rows) {
#define CHANGED(fault, state, protocol_event, response, action, next)                                       \
  {                                                                                                         \
    SNOOP_CACHE_FAULT_##fault, SNOOP_CACHE_LINE_##state, SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_##protocol_event, \
        RUNWAY_RESPONSE_##response, SNOOP_CACHE_ACTION_##action, SNOOP_CACHE_LINE_##next                    \
  }
  static const struct {
    uint32_t fault, state, protocol_event, response, action, next;
  } changed[] = {CHANGED(OK_WHILE_DIRTY, PRIVATE_DIRTY, READ_SHARED, OK, NONE, SHARED),
      CHANGED(OK_WHILE_DIRTY, PRIVATE_DIRTY, READ_PRIVATE, OK, NONE, INVALID),
      CHANGED(OK_KEEPS_SHARED, SHARED, READ_SHARED, OK, NONE, SHARED),
      CHANGED(OK_KEEPS_SHARED, PRIVATE_CLEAN, READ_SHARED, OK, NONE, SHARED),
      CHANGED(OK_KEEPS_SHARED, IS_D, READ_SHARED, OK, NONE, IS_D),
      CHANGED(PRIVATE_LEAVES_COPY, SHARED, READ_PRIVATE, OK, NONE, SHARED),
      CHANGED(PRIVATE_LEAVES_COPY, PRIVATE_CLEAN, READ_PRIVATE, OK, NONE, SHARED),
      CHANGED(OWNER_STAYS_DIRTY, PRIVATE_DIRTY, READ_SHARED, COPY, COPY, PRIVATE_DIRTY),
      CHANGED(PURGE_LEAVES_COPY, SHARED, WRITE, OK, NONE, SHARED),
      CHANGED(PURGE_LEAVES_COPY, PRIVATE_CLEAN, WRITE, OK, NONE, PRIVATE_CLEAN)};
  hp(1, 0);
  hp_open();
  uint32_t rows, met = 0;
  const protocol_row *table = checked_view(test_engine(), CACHE(0), SNOOP_CACHE_VIEW_ROWS, &rows);
  for (uint32_t fault = SNOOP_CACHE_FAULT_NONE; fault <= SNOOP_CACHE_FAULT_PURGE_LEAVES_COPY; fault++)
    for (uint32_t i = 0; i < rows; i++) {
      uint32_t next = table[i].next, action = table[i].action,
               response = cache_inject_fault(fault, &table[i], &next, &action);
      struct {
        uint32_t response, action, next;
      } expected = {table[i].response, table[i].action, table[i].next};
      for (uint32_t j = 0; j < sizeof changed / sizeof *changed; j++)
        if (changed[j].fault == fault && changed[j].state == table[i].state
            && changed[j].protocol_event == table[i].protocol_event)
          expected.response = changed[j].response, expected.action = changed[j].action,
          expected.next = changed[j].next, met++;
      EXPECT_VALUES({response, expected.response}, {action, expected.action}, {next, expected.next});
    }
  assert_int_equal(met, sizeof changed / sizeof *changed);
}

/* The state codec covers lines, misses, the pending access and orders, and the queues of write-backs, copies
 * and posted stores. */
TEST(cache_state_is_serialized) {
  hp(1, 0);
  PARAMS("cache0", snoop_cache)->size = 64;
  hp_open();
  struct snoop_cache_state *s = SIM_STATE(test_engine(), CACHE(0), snoop_cache);
  struct snoop_cache_now *now = cache_now(SIM_CONTEXT(test_engine(), CACHE(0), snoop_cache));
  struct snoop_cache_lines *line = cache_line_at(OF(CACHE(0), snoop_cache), 1);
  uint32_t *halves = cache_halves(OF(CACHE(0), snoop_cache), 1);
  line->state = SNOOP_CACHE_LINE_SHARED, line->tag = 77, halves[0] = halves[1] = OLD_WRITE;
  KEEPS(CACHE(0), &line->state, &line->tag, &halves[0], &halves[1]);
  for (uint32_t slot = 0; slot < 2; slot++) {
    miss *e = cache_miss(SIM_CONTEXT(test_engine(), CACHE(0), snoop_cache), slot);
    *e = (miss){.stage = SNOOP_CACHE_STAGE_ORDERED,
        .type = RUNWAY_TYPE_READ_PRIVATE,
        .state = SNOOP_CACHE_LINE_SHARED,
        .line = 300,
        .addr = BASE,
        .owed = 4,
        .shared = 1};
    KEEPS(CACHE(0), &e->stage, &e->type, &e->state, &e->line, &e->addr, &e->owed, &e->shared);
  }
  now->busy = 1, now->op = CACHE_OP_STORE, now->bytes = 4, now->addr = BASE + 4, s->retry = 1;
  KEEPS(CACHE(0), &now->busy, &now->op, &now->bytes, &now->addr, &s->retry);
  s->orders = 1, s->ordering = 1, s->awaited = 2;
  for (uint32_t i = 0; i < CACHE_ORDERS; i++)
    s->order[i].type = RUNWAY_TYPE_FLUSH, s->order[i].stage = 2, s->order[i].mask = 3,
    s->order[i].addr = BASE + 32 * i;
  KEEPS(CACHE(0), &s->orders, &s->ordering, &s->awaited);
  for (uint32_t i = 0; i < CACHE_ORDERS; i++)
    KEEPS(CACHE(0), &s->order[i].type, &s->order[i].stage, &s->order[i].mask, &s->order[i].addr);
  now->write_backs = 1, now->copies = 1, now->posts = 1, s->reading = 1, s->register_addr = 0xf1000004,
  s->stalled = 1;
  s->buffer[0] = (struct snoop_cache_write_backs){BASE + 64, OLD_WRITE, OLD_WRITE};
  s->copies[0] = (struct snoop_cache_copies){
      .transaction = 9, .half_0 = OLD_WRITE, .half_1 = OLD_WRITE, .addr = BASE + 96};
  s->posts[0].addr = 0xf1000008, s->posts[0].value = 0x12345678;
  KEEPS(CACHE(0), &now->write_backs, &now->copies, &now->posts, &s->reading, &s->register_addr, &s->stalled);
  KEEPS(CACHE(0), &s->buffer[0].addr, &s->buffer[0].half_0, &s->buffer[0].half_1, &s->copies[0].transaction,
      &s->copies[0].addr, &s->copies[0].half_0, &s->copies[0].half_1, &s->posts[0].addr, &s->posts[0].value);
}

/* Two lines wait in the write-back buffer. A snoop of either gets its data from there; a snoop of a third
 * line does not. */
TEST(a_snoop_finds_each_line_in_the_write_back_buffer) {
  for (uint32_t wanted = 0; wanted < 3; wanted++) {
    hp(1, 0);
    hp_run();
    struct snoop_cache_state *s = SIM_STATE(test_engine(), CACHE(0), snoop_cache);
    s->now.write_backs = 2;
    s->buffer[0] = (struct snoop_cache_write_backs){BASE, 5, 6},
    s->buffer[1] = (struct snoop_cache_write_backs){BASE + 32, 7, 8};
    struct runway_snoop q = {.address = BASE + 32 * wanted,
        .type = RUNWAY_TYPE_READ_SHARED,
        .id = 3,
        .index = (uint32_t)((BASE + PARAMS("cache0", snoop_cache)->virtual_offset) / PAGE & 0xfff)};
    assert_int_equal(snoop_cache_bus_snoop(OF(CACHE(0), snoop_cache), &q),
        wanted < 2 ? RUNWAY_RESPONSE_COPY : RUNWAY_RESPONSE_OK);
    assert_int_equal(s->now.copies, wanted < 2);
    if (wanted == 2) continue;
    EXPECT_VALUES({s->copies[0].addr, BASE + 32 * wanted}, {s->copies[0].half_0, 5 + 2 * wanted},
        {s->copies[0].half_1, 6 + 2 * wanted});
    assert_int_equal(s->now.write_backs, 1); /* the other is left */
    assert_int_equal(s->buffer[0].addr, BASE + 32 * !wanted);
  }
}

/*
 * A dirty line is dropped. Data that a purge discards is counted and recorded, for each half that memory does
 * not hold. A device's write of a half-line loses the other half if dirty; a write of a whole line loses
 * nothing.
 */
TEST(dropped_dirty_data_is_recorded_by_halves) {
  static const struct {
    uint32_t type, half, discarded, neighbours;
  } cases[] = {{RUNWAY_TYPE_PURGE, 0, 3, 0}, {RUNWAY_TYPE_WRITE16_PURGE, 0, 0, 2},
      {RUNWAY_TYPE_WRITE16_PURGE, 1, 0, 1}, {RUNWAY_TYPE_WRITE32, 0, 0, 0}}; /* bit masks of halves */
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t dirty = 0; dirty < 4; dirty++) {
      hp(1, 0);
      hp_run();
      test_engine()->cause = 0;
      struct shadow_word *cells =
          shadow_word(test_engine(), &STATE_OF("memory", memory_controller)->shadow, BASE + 64);
      for (uint32_t half = 0; half < 2; half++)
        cells[half].write = 5 + half, cells[half].newest = dirty >> half & 1 ? 105 + half : 5 + half;
      const uint32_t halves[2] = {cells[0].newest, cells[1].newest},
                     lost = dirty & (cases[i].discarded | cases[i].neighbours);
      cache_report_lost(OF(CACHE(0), snoop_cache),
          &(struct runway_snoop){.address = BASE + 64 + 16 * cases[i].half, .type = cases[i].type}, halves);
      assert_int_equal(
          COUNTERS("cache0", snoop_cache)->discarded, __builtin_popcount(dirty & cases[i].discarded));
      assert_int_equal(
          COUNTERS("cache0", snoop_cache)->neighbours, __builtin_popcount(dirty & cases[i].neighbours));
      struct expected_event expected[2];
      uint32_t n = 0;
      for (uint32_t half = 0; half < 2; half++)
        if (lost >> half & 1)
          expected[n++] = (struct expected_event){0,
              cases[i].discarded ? SNOOP_CACHE_EV_DISCARDED : SNOOP_CACHE_EV_NEIGHBOUR, BASE + 64 + 16 * half,
              halves[half], 0, ANY_CAUSE};
      assert_events(CACHE(0), expected, n);
      assert_int_equal(
          sim_host_state(test_engine())->broken, lost && cases[i].neighbours ? SIM_EXACT_DMA : SIM_HOLDS);
    }
}

/* A store to a shared line is a miss, recorded with the state of the line, like a load of an invalid line. */
TEST(a_store_to_a_shared_line_is_recorded_as_a_miss) {
  static const uint64_t stores[] = {LOAD(BASE), PAUSE, PAUSE, STORE(BASE), END},
                        loads[] = {PAUSE, LOAD(BASE), END};
  hp(2, 0);
  hp_does(0, PROGRAM(stores)), machine_rows("cpu1", 0, ROWS(loads));
  hp_run();
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  const struct sim_record *first = record_after(CACHE(0), SNOOP_CACHE_EV_MISS, 0),
                          *second = record_after(CACHE(0), SNOOP_CACHE_EV_MISS, (uint32_t)(first - ring) + 1);
  assert_int_equal(first->a, BASE);
  EXPECT_VALUES({first->b, SNOOP_CACHE_PROTOCOL_EVENT_LOAD}, {first->c, SNOOP_CACHE_LINE_INVALID});
  assert_non_null(second);
  EXPECT_VALUES({second->a, BASE}, {second->b, SNOOP_CACHE_PROTOCOL_EVENT_STORE},
      {second->c, SNOOP_CACHE_LINE_SHARED}, {COUNTERS("cache0", snoop_cache)->misses, 2});
}

/* A snoop records its row of the protocol table if the line changes state or the response is other
 * than OK. */
TEST(rows_with_a_response_or_a_change_are_recorded) {
  static const struct {
    uint32_t state, type, recorded, next;
  } cases[] = {{SNOOP_CACHE_LINE_SHARED, RUNWAY_TYPE_READ_SHARED, 1, SNOOP_CACHE_LINE_SHARED},
      {SNOOP_CACHE_LINE_SHARED, RUNWAY_TYPE_READ_PRIVATE, 1, SNOOP_CACHE_LINE_INVALID},
      {SNOOP_CACHE_LINE_INVALID, RUNWAY_TYPE_READ_SHARED, 0, SNOOP_CACHE_LINE_INVALID}};
  for (uint32_t i = 0; i < 3; i++) {
    hp(1, 0);
    static const uint64_t loads[] = {LOAD(BASE), END};
    machine_rows("cpu0", 0, ROWS(loads));
    hp_run();
    const uint32_t index = (uint32_t)((BASE + PARAMS("cache0", snoop_cache)->virtual_offset) / PAGE & 0xfff),
                   place = cache_find(OF(CACHE(0), snoop_cache), BASE, index);
    cache_line_at(OF(CACHE(0), snoop_cache), place)->state = cases[i].state;
    const uint32_t before = sim_refresh_header(test_engine())->seq_lo;
    snoop_cache_bus_snoop(OF(CACHE(0), snoop_cache),
        &(struct runway_snoop){.address = BASE, .type = cases[i].type, .id = 3, .index = index});
    const struct sim_record *row = record_after(CACHE(0), SNOOP_CACHE_EV_ROW, before);
    assert_int_equal(row != NULL, cases[i].recorded);
    assert_int_equal(cache_line_at(OF(CACHE(0), snoop_cache), place)->state, cases[i].next);
    if (!row) continue;
    EXPECT_VALUES({row->a, BASE}, {row->b, cases[i].state}, {row->c, cases[i].next});
  }
}

/* The state codec covers both entries in use of the posted stores, write-backs and copies, but not the
 * third. */
TEST(only_queue_entries_in_use_are_serialized) {
  hp(1, 0);
  PARAMS("cache0", snoop_cache)->size = 64;
  hp_open();
  struct snoop_cache_state *s = SIM_STATE(test_engine(), CACHE(0), snoop_cache);
  s->now.write_backs = s->now.copies = s->now.posts = 2;
  for (uint32_t i = 0; i < 2; i++) {
    s->buffer[i] = (struct snoop_cache_write_backs){BASE + 64 + 32 * i, OLD_WRITE, OLD_WRITE};
    s->copies[i] = (struct snoop_cache_copies){
        .transaction = 9 + i, .half_0 = OLD_WRITE, .half_1 = OLD_WRITE, .addr = BASE + 32 * i};
    s->posts[i].addr = 0xf1000008 + 4 * i, s->posts[i].value = 0x12345678;
  }
  for (uint32_t i = 0; i < 2; i++) {
    KEEPS(CACHE(0), &s->buffer[i].addr, &s->buffer[i].half_0, &s->buffer[i].half_1, &s->copies[i].transaction,
        &s->copies[i].addr);
    KEEPS(CACHE(0), &s->copies[i].half_0, &s->copies[i].half_1, &s->posts[i].addr, &s->posts[i].value);
  }
  KEEPS_NOT(CACHE(0), &s->buffer[2].addr, &s->buffer[2].half_0, &s->copies[2].transaction,
      &s->copies[2].half_0, &s->posts[2].addr, &s->posts[2].value);
}

/* An evicted line is written back if it was stored to, and dropped if it was only loaded. */
TEST(only_modified_lines_are_written_back) {
  static const uint64_t loads[] = {LOAD(BASE), LOAD(BASE + 64), END},
                        stores[] = {STORE(BASE), LOAD(BASE + 64), END};
  for (uint32_t stored = 0; stored < 2; stored++) {
    hp(1, 0);
    PARAMS("cache0", snoop_cache)->size = 64,
                     PARAMS("cache0", snoop_cache)->ways = 1; /* both map to the same line */
    hp_does(0, stored ? PROGRAM(stores) : PROGRAM(loads));
    hp_run();
    assert_int_equal(COUNTERS("cache0", snoop_cache)->write_backs, stored);
    assert_int_equal(COUNTERS("cache0", snoop_cache)->misses, 2);
  }
}
