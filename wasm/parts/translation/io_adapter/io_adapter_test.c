/* The adapter and its devices: which data each device gets, and the times, computed by hand. 3 cycles of
 * Runway are 1 of HSC. */
#include "test/devices.h"

#define LOOKUPS 400u
#define US 1000000ull

/*
 * A row of the TLB translates the page it holds and no other, whichever bit of the page number differs.
 * Compared with rows that hold whole page numbers: as many misses, and each line is from the page it was
 * mapped to.
 */
TEST(a_row_translates_no_other_page) {
  static uint64_t work[5 * (LOOKUPS + 1)];
  static const struct {
    uint32_t rows;
    uint32_t bits;
  } sizes[] = {{1, 14}, {16, 14}, {256, 14}, {256, 17}};
  uint64_t seed = 5;
  for (uint32_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
    with_devices(1);
    uint32_t held[256], page[LOOKUPS], wanted = 0, rows = sizes[size].rows;
    PARAMS("adapter", io_adapter)->page_bits = sizes[size].bits;
    PARAMS("memory", memory_controller)->directory_bytes = 8ull << sizes[size].bits;
    for (uint32_t i = 0; i < 256; i++) held[i] = UINT32_MAX;
    for (uint32_t i = 0; i < LOOKUPS;
        i++) { /* often the page before the last one, with one bit changed or none */
      page[i] = i < 2 ? i
                      : page[i - 2]
                            ^ (test_random(&seed) & 1)
                                  << test_random(&seed) % PARAMS("adapter", io_adapter)->page_bits;
      const uint64_t row[5] = {READ(IO_PAGE(page[i]) + i % 128 * 32, 32)};
      memcpy(work + 5 * i, row, sizeof row);
      uint32_t chain = page[i] >> (PARAMS("adapter", io_adapter)->chain_shift - 12) & (rows - 1);
      wanted += held[chain] != page[i];
      held[chain] = page[i];
    }
    const uint64_t end[5] = {DEVICE_ROW(END, 0, 4, 0, 1)};
    memcpy(work + 5 * LOOKUPS, end, sizeof end);
    PARAMS("adapter", io_adapter)->rows = rows;
    machine_rows("device0", 0, ROWS(work));
    hp_open();
    for (uint32_t i = 0; i < LOOKUPS; i++) hp_map(IO_PAGE(page[i]), BASE + page[i] * 7 % PAGES * PAGE, 0);
    session_run();
    assert_int_equal(missed(), wanted);
    for (uint32_t i = 0; i < LOOKUPS; i++)
      assert_int_equal(line_read(i).b, first_write(BASE + page[i] * 7 % PAGES * PAGE + i % 128 * 32));
  }
}

/*
 * A line that a device reads, in cycles of Runway: request on HSC 3, crossing and look-up 5, arbitration 2,
 * memory 33, arbitration 2, data 4, crossing 4: 53. The next edge of HSC is at 54, and the data takes 8
 * cycles of HSC: 78. A miss reads the entry first. The line's own request then follows at once, without the
 * 2 of arbitration, 33 + 2 + 4 later. 53 + 39 = 92, the edge after it 93, and at 117 the device has its
 * line.
 */
TEST(a_tlb_miss_costs_one_more_read_of_memory) {
  static const uint64_t work[] = {READ(0, 32), READ(32, 32), READ(PAGE, 32)};
  with_devices(1);
  machine_rows("device0", 0, ROWS(work));
  hp_open();
  hp_map(0, BASE, 0);
  hp_map(PAGE, BASE + 5 * PAGE, 0);
  session_run();
  EXPECT_VALUES({IN_CYCLES(line_read(0).time), 117}, {IN_CYCLES(line_read(1).time), 117 + 78},
      {IN_CYCLES(line_read(2).time), 117 + 78 + 117}, {missed(), 2});
}

/*
 * 64 bytes across the end of a page are a line of each page, from two places in memory: 2 look-ups, 2
 * misses, 117 cycles each. 40 bytes that start 12 before the end are transactions of 4 and 8, then of 16, 8
 * and 4: 5 look-ups.
 */
TEST(a_transfer_across_pages_is_looked_up_in_each) {
  static const uint64_t lines[] = {READ(PAGE - 32, 64)}, ragged[] = {READ(PAGE - 12, 40)};
  with_devices(1);
  machine_rows("device0", 0, ROWS(lines));
  hp_open();
  hp_map(0, BASE + 9 * PAGE, 0);
  hp_map(PAGE, BASE + 3 * PAGE, 0);
  session_run();
  EXPECT_VALUES({line_read(0).b, first_write(BASE + 10 * PAGE - 32)},
      {line_read(1).b, first_write(BASE + 3 * PAGE)}, {IN_CYCLES(line_read(1).time), 2 * 117}, {missed(), 2});
  machine_rows("device0", 0, ROWS(ragged));
  hp_open();
  hp_map(0, BASE + 9 * PAGE, 0);
  hp_map(PAGE, BASE + 3 * PAGE, 0);
  session_run();
  EXPECT_VALUES({COUNTERS("adapter", io_adapter)->lookups, 5},
      {COUNTERS("adapter", io_adapter)->bytes_out, 40}, {missed(), 2});
}

/* Cycles of Runway for 48 transactions of each of n devices, once in a steady state: each reads or writes a
 * page of its own, all in different chains. */
static uint64_t time_of(
    uint32_t devices, uint64_t op, uint64_t width, uint64_t attributes, uint64_t crossing) {
  static uint64_t work[HP_DEVICES][5];
  uint64_t end[2] = {0, 0};
  for (uint32_t twice = 0; twice < 2; twice++) {
    with_devices(devices);
    PARAMS("memory", memory_controller)->occupancy = 150000; /* 18 cycles */
    PARAMS("adapter", io_adapter)->crossing = crossing;
    for (uint32_t i = 0; i < devices; i++) {
      const uint64_t row[5] = {op, IO_PAGE(64 * i), width * 48 * (1 + twice), 0, 1};
      memcpy(work[i], row, sizeof row);
      PARAMS(HP_DEVICE[i], dma_device)->width = width;
      machine_rows(HP_DEVICE[i], 0, ROWS(work[i]));
    }
    hp_open();
    for (uint32_t i = 0; i < devices; i++) hp_map(IO_PAGE(64 * i), BASE + i * PAGE, attributes);
    session_run();
    const struct sim_record *idle = NULL;
    for (uint32_t seq = 0; (idle = record_after(HSC, HSC_EV_IDLE, seq)); seq++)
      end[twice] = sim_max(end[twice], idle->time);
  }
  return IN_CYCLES(end[1] - end[0]);
}

/*
 * A write on HSC is an address and its data, 1 + 8 cycles of 25 ns for a line: 225 ns, 142.2 MB/s, for any
 * number of devices. The adapter needs 58 ns for each, so it never delays them. Half lines are 1 + 4: 128
 * MB/s.
 */
TEST(writes_are_limited_by_hsc_for_any_number_of_devices) {
  for (uint32_t devices = 1; devices <= HP_DEVICES; devices++) {
    assert_int_equal(time_of(devices, DMA_DEVICE_OP_WRITE, 32, 0, CYCLES(4)), devices * 48 * 3 * (1 + 8));
    assert_int_equal(time_of(devices, DMA_DEVICE_OP_WRITE, 16, 0, CYCLES(4)), devices * 48 * 3 * (1 + 4));
  }
}

/*
 * One device waits for its line before it requests the next: 78 cycles (see above), 49 MB/s. With two or
 * more, the adapter always has a request waiting. It serves one at a time: look-up 5, arbitration 2, memory
 * 33, arbitration 2, data 4. That is a line per 46 cycles, 83 MB/s, and a third or fourth device changes
 * nothing.
 */
TEST(reads_of_several_devices_are_served_one_after_another) {
  assert_int_equal(time_of(1, DMA_DEVICE_OP_READ, 32, 0, CYCLES(4)), 48 * 78);
  for (uint32_t devices = 2; devices <= HP_DEVICES; devices++)
    assert_int_equal(
        time_of(devices, DMA_DEVICE_OP_READ, 32, 0, CYCLES(4)), devices * 48 * (5 + 2 + 33 + 2 + 4));
}

/*
 * With prefetch the next line is requested as soon as a line arrives: memory 33, arbitration 2, data 4. The
 * device requests it within 37 (crossing 4, edge of HSC 1, data 24, request 3, look-up 5), so a line arrives
 * every 39.
 */
TEST(prefetch_hides_all_but_memory) {
  assert_int_equal(time_of(1, DMA_DEVICE_OP_READ, 32, IO_PAGE_PREFETCH, CYCLES(4)), 48 * (33 + 2 + 4));
}

/* Data is checked for staleness in tracked memory only. */
TEST(untracked_memory_is_not_checked) {
  static const uint64_t work[] = {READ(0, 64), DEVICE_ROW(END, 0, 4, 0, 1)};
  for (uint32_t mode = IO_ADAPTER_MODE_COHERENT; mode <= IO_ADAPTER_MODE_SNOOPED; mode++) {
    with_devices(1);
    PARAMS("adapter", io_adapter)->mode = mode;
    machine_rows("device0", 0, ROWS(work));
    hp_open();
    hp_map(0, BASE + PAGES * PAGE, 0);
    session_run();
    EXPECT_VALUES({COUNTERS("device0", dma_device)->bytes_read, 64},
        {COUNTERS("device0", dma_device)->errors, 0}, {COUNTERS("adapter", io_adapter)->stale_reads, 0},
        {COUNTERS("adapter", io_adapter)->torn_reads, 0});
  }
}

/*
 * A word is merged: the line is read privately and written back at once (5 cycles) while the next request is
 * looked up. With a crossing of 3 that takes 4, so the next read follows the write-back without arbitration:
 * 5 + 33 + 2 + 4, for another line in another bank. In the same line the read finds the bank busy with the
 * write-back, 18 cycles from its start: 18 + 33 + 2 + 4. One word in eight is the first of its line.
 */
TEST(a_merge_takes_a_read_of_the_line) {
  assert_int_equal(
      time_of(1, DMA_DEVICE_OP_WRITE, 4, 0, CYCLES(3)), 6 * (5 + 33 + 2 + 4) + 42 * (18 + 33 + 2 + 4));
}

/* n lines to the end of a page: all but the first are prefetched, and none of the next page. */
TEST(prefetch_ends_with_its_page) {
  static const uint64_t to_the_end[] = {READ(PAGE - 8 * 32, 8 * 32)},
                        not_quite[] = {READ(PAGE - 8 * 32, 7 * 32)};
  with_devices(1);
  for (uint32_t round = 0; round < 2; round++) {
    hp_device_does(0, round ? PROGRAM(not_quite) : PROGRAM(to_the_end));
    hp_open();
    hp_map(0, BASE, IO_PAGE_PREFETCH);
    session_run();
    const struct io_adapter_counters *c = COUNTERS("adapter", io_adapter);
    assert_int_equal(c->prefetches, 7);
    assert_int_equal(c->prefetch_hits, round ? 6 : 7); /* the eighth line is prefetched in vain */
    assert_int_equal(COUNTERS("runway", runway)->read_shared, 1 + 8); /* an entry, and each line once */
  }
}

/*
 * Four banks, each busy for 3 us per access. A processor's load occupies bank 1, so the prefetch after line
 * 0 is late. Meanwhile the device reads line 2, after which line 3 could be prefetched, but the buffer is
 * taken. When the late line arrives it must not pass for line 3. Each prefetched line is used, wasted, or
 * still there.
 */
TEST(a_prefetch_under_way_keeps_its_buffer) {
  static const uint64_t processor[] = {LOAD(BASE + PAGE + 32), END};
  static const uint64_t work[] = {READ(IO_PAGE(12), 32), READ(IO_PAGE(12) + 64, 32),
      READ(IO_PAGE(12) + 96, 32), READ(IO_PAGE(12) + 32, 32)};
  with_devices(1);
  PARAMS("memory", memory_controller)->banks = 4;
  PARAMS("memory", memory_controller)->occupancy = 3000000;
  machine_rows("cpu0", 0, ROWS(processor));
  machine_rows("device0", 0, ROWS(work));
  hp_open();
  hp_map(IO_PAGE(12), BASE, IO_PAGE_PREFETCH); /* its entry is in bank 3 */
  session_run();
  EXPECT_VALUES({line_read(0).b, first_write(BASE)}, {line_read(1).b, first_write(BASE + 64)},
      {line_read(2).b, first_write(BASE + 96)}, {line_read(3).b, first_write(BASE + 32)});
  assert_true(line_read(1).time < 3000000 && line_read(2).time > 3000000);
  const struct io_adapter_counters *c = COUNTERS("adapter", io_adapter);
  uint32_t rows;
  const struct io_adapter_prefetch *buffer =
      checked_view(test_engine(), ADAPTER, IO_ADAPTER_VIEW_PREFETCH, &rows);
  assert_int_equal(c->prefetches, c->prefetch_hits + c->prefetch_wasted + (buffer[0].state != 0));
}

/* A prefetched line waits for the device: each half has its own write number. */
TEST(each_half_of_a_prefetched_line_has_its_own_write) {
  static const uint64_t work[] = {READ(0, 32), PAUSE(5000000), READ(32, 32)};
  with_devices(1);
  machine_rows("device0", 0, ROWS(work));
  hp_open();
  hp_map(0, BASE, IO_PAGE_PREFETCH);
  session_run();
  EXPECT_VALUES({COUNTERS("adapter", io_adapter)->prefetch_hits, 1}, {line_read(1).b, first_write(BASE + 32)},
      {line_read(1).c, first_write(BASE + 48)});
}

/* A device reads a page in parts of a line: each line is read from memory once, and each part comes from its
 * own line. */
TEST(parts_of_a_line_are_read_from_memory_once) {
  static const uint64_t page[] = {READ(0, PAGE)};
  for (uint64_t width = 32; width >= 4; width /= 2) {
    with_devices(1);
    PARAMS("device0", dma_device)->width = width;
    machine_rows("device0", 0, ROWS(page));
    hp_open();
    hp_map(0, BASE, IO_PAGE_PREFETCH);
    session_run();
    const struct io_adapter_counters *c = COUNTERS("adapter", io_adapter);
    assert_int_equal(COUNTERS("runway", runway)->read_shared, 1 + 128); /* an entry, and each line once */
    EXPECT_VALUES({c->prefetch_hits, 127}, {c->prefetch_wasted, 0}, {c->part_hits, PAGE / width - 128});
    for (uint32_t i = 0; i < PAGE / width; i++)
      assert_int_equal(line_read(i).b, first_write(BASE + i * width / 32 * 32));
  }
}

/* Not kept: a part that was read before, a part after a gap, and any part of a page without prefetch. */
TEST(only_the_rest_of_a_line_is_kept) {
  static const uint64_t again[] = {READ(0, 16), READ(0, 16)}, jump[] = {READ(0, 8), READ(16, 8)},
                        rest[] = {READ(0, 16), READ(16, 16)};
  static const struct {
    struct hp_program work;
    uint64_t attributes;
    uint32_t hits;
  } cases[] = {{PROGRAM(again), IO_PAGE_PREFETCH, 0}, {PROGRAM(jump), IO_PAGE_PREFETCH, 0},
      {PROGRAM(rest), 0, 0}, {PROGRAM(rest), IO_PAGE_PREFETCH, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    with_devices(1);
    hp_device_does(0, cases[i].work);
    hp_open();
    hp_map(0, BASE, cases[i].attributes);
    session_run();
    assert_int_equal(COUNTERS("adapter", io_adapter)->part_hits, cases[i].hits);
  }
}

/* Look-ups and misses are counted by slot. A device that writes half lines looks up twice per line written,
 * and each page misses once. */
TEST(look_ups_and_misses_are_counted_by_slot) {
  static const uint64_t first[] = {READ(0, PAGE), WRITE(0, PAGE)},
                        second[] = {READ(IO_PAGE(64), 64), WRITE(IO_PAGE(64), 64)};
  with_devices(2);
  PARAMS("device0", dma_device)->write_width = 16;
  machine_rows("device0", 0, ROWS(first));
  machine_rows("device1", 0, ROWS(second));
  hp_open();
  hp_map(0, BASE, 0);
  hp_map(IO_PAGE(64), BASE + PAGE, 0);
  session_run();
  const struct io_adapter_counters *c = COUNTERS("adapter", io_adapter);
  EXPECT_VALUES({COUNTERS("device0", dma_device)->reads, PAGE / 32},
      {COUNTERS("device0", dma_device)->writes, PAGE / 16}, {c->slot_lookups_0, PAGE / 32 + PAGE / 16},
      {c->slot_lookups_1, 2 + 2}, {c->slot_misses_0, 1}, {c->slot_misses_1, 1},
      {c->slot_lookups_0 + c->slot_lookups_1, c->lookups}, {c->slot_misses_0 + c->slot_misses_1, c->misses});
}

/* A locked pair is held for the device that reads and writes, from the read to the end of the write. */
TEST(a_locked_pair_is_held_for_its_device) {
  static const uint64_t work[] = {DEVICE_ROW(LOCKED, 8, 4, 0, 1)};
  for (uint32_t device = 0; device < 3; device++) {
    with_devices(3);
    machine_rows(HP_DEVICE[device], 0, ROWS(work));
    hp_open();
    hp_map(0, BASE, 0);
    session_run();
    const struct sim_record *holds = record_after(ADAPTER, IO_ADAPTER_EV_HOLDS, 0),
                            *releases = record_after(ADAPTER, IO_ADAPTER_EV_RELEASES, 0);
    assert_true(holds && releases);
    EXPECT_VALUES({holds->b, device}, {releases->b, device},
        {COUNTERS("adapter", io_adapter)->held_time, releases->time - holds->time});
  }
}

/* Without coherence a device reads memory. The half that a processor has modified is recorded as stale, and
 * no other. */
TEST(the_stale_half_is_recorded) {
  for (uint64_t half = 0; half < 2; half++) {
    const uint64_t processor[] = {STORE(BASE + 64 + half * 16), END};
    const uint64_t whole[] = {PAUSE(5000000), READ(BASE + 64, 32)},
                   other[] = {PAUSE(5000000), READ(BASE + 64 + (1 - half) * 16, 16)};
    with_devices(1);
    PARAMS("adapter", io_adapter)->mode = IO_ADAPTER_MODE_NONE;
    machine_rows("cpu0", 0, ROWS(processor));
    machine_rows("device0", 0, ROWS(whole));
    hp_run();
    const struct sim_record *stale = record_after(ADAPTER, IO_ADAPTER_EV_STALE, 0);
    assert_non_null(stale);
    EXPECT_VALUES({stale->a, BASE + 64 + half * 16}, {stale->b, first_write(BASE + 64 + half * 16)},
        {stale->c, hp_cell(stale->a).newest}, {sim_host_state(test_engine())->broken, SIM_CURRENT_DEVICE},
        {sim_host_state(test_engine())->broken_at, BASE + 64 + half * 16},
        {COUNTERS("adapter", io_adapter)->stale_reads, 1});
    assert_int_equal(COUNTERS("adapter", io_adapter)->torn_reads, 1); /* half of its data is up to date */
    machine_rows("device0", 0, ROWS(other));
    hp_run();
    assert_int_equal(COUNTERS("adapter", io_adapter)->stale_reads, 0);
  }
}

/*
 * A page is mapped to another place, and its row is not purged. A device that reads it again gets the data
 * of the old place. That is compared with the newest writes of the new place, and is stale even if nothing
 * was written since. After a purge the device gets the new data.
 */
TEST(reads_through_a_stale_row_are_compared_with_the_new_place) {
  static const uint64_t work[] = {READ(0, 32), PAUSE(50000000), READ(32, 16), READ(64, 32)};
  for (uint32_t purged = 0; purged < 2; purged++)
    for (uint32_t attributes = 0; attributes <= IO_PAGE_PREFETCH; attributes += IO_PAGE_PREFETCH) {
      with_devices(1);
      const uint64_t processor[] = {SPEND(30000000),
          ROW(IO_STORE, 0, PARAMS("adapter", io_adapter)->registers + IO_ADAPTER_REG_COMMAND, 4, 4, 0,
              purged ? IO_ADAPTER_COMMAND_PURGE : 0, 0),
          END};
      machine_rows("device0", 0, ROWS(work));
      machine_rows("cpu0", 0, ROWS(processor));
      hp_open();
      hp_map(0, BASE, attributes);
      sim_run(test_engine(), 20000000, UINT64_MAX);
      assert_int_equal(COUNTERS("adapter", io_adapter)->reads, 1);
      hp_map(0, BASE + 5 * PAGE, attributes);
      session_run();
      assert_int_equal(COUNTERS("adapter", io_adapter)->stale_wrong, purged ? 0 : 2);
      assert_int_equal(COUNTERS("adapter", io_adapter)->stale_reads, purged ? 0 : 1 + 2);
      const struct sim_record *astray = record_after(ADAPTER, IO_ADAPTER_EV_ASTRAY, 0),
                              *stale = record_after(ADAPTER, IO_ADAPTER_EV_STALE, 0);
      assert_int_equal(stale != NULL, !purged);
      if (purged) continue;
      assert_int_equal(sim_host_state(test_engine())->broken, SIM_OWN_PAGE);
      assert_true(astray->time <= stale->time);
      EXPECT_VALUES({stale->a, BASE + 5 * PAGE + 32}, {stale->b, first_write(BASE + 32)},
          {stale->c, first_write(BASE + 5 * PAGE + 32)});
    }
}

/*
 * A device's write through such a row overwrites foreign data, whose owner reads it, while a read of the
 * right place gets the data from before. Lines and half lines are written directly, less is merged into its
 * line.
 */
TEST(writes_through_a_stale_row_are_missing_at_the_new_place) {
  const uint64_t here = BASE + 64, home = BASE + 5 * PAGE + 64;
  static const struct {
    uint64_t at, bytes, attributes;
    uint32_t halves;
  } cases[] = {{64, 32, 0, 3}, {64, 16, 0, 1}, {80, 16, 0, 2}, {80, 16, IO_PAGE_SAFE, 2}, {68, 4, 0, 1},
      {92, 4, 0, 2}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t work[] = {READ(0, 32), PAUSE(50 * US), WRITE(cases[i].at, cases[i].bytes)};
    const uint64_t processor[] = {
        SPEND(100 * US), LOAD(here), LOAD(here + 16), LOAD(home), LOAD(home + 16), END};
    with_devices(1);
    machine_rows("device0", 0, ROWS(work));
    machine_rows("cpu0", 0, ROWS(processor));
    hp_open();
    hp_map(0, BASE, cases[i].attributes);
    sim_run(test_engine(), 20 * US, UINT64_MAX);
    hp_map(0, BASE + 5 * PAGE, cases[i].attributes);
    session_run();
    const uint32_t halves = (uint32_t)__builtin_popcount(cases[i].halves);
    for (uint32_t half = 0; half < 2; half++) {
      const struct shadow_word covered = hp_cell(here + 16 * half), missing = hp_cell(home + 16 * half);
      const uint32_t astray = cases[i].halves >> half & 1;
      EXPECT_VALUES({covered.newest, first_write(here + 16 * half)},
          {missing.write, first_write(home + 16 * half)}, {covered.write != covered.newest, astray},
          {missing.newest, astray ? covered.write : missing.write});
      const struct sim_record *record = record_after(MEMORY, MEMORY_CONTROLLER_EV_OVERWRITTEN, 0);
      assert_non_null(record);
      if (!astray || cases[i].halves == 3) continue;
      EXPECT_VALUES({record->a, here + 16 * half}, {record->b, covered.write}, {record->c, covered.newest});
    }
    assert_int_equal(COUNTERS("memory", memory_controller)->overwritten, halves);
    assert_int_equal(COUNTERS("memory", memory_controller)->lost_updates, 0);
    assert_int_equal(
        COUNTERS("cache0", snoop_cache)->stale_reads, 2 * halves); /* both here and at the right place */
    assert_int_equal(STATE_OF("memory", memory_controller)->strays, 0);
  }
}

/* A fast write of half a line discards the rest of a dirty line. The lost half is recorded with its write.
 * Data that memory also has is not lost. */
TEST(the_overwritten_half_is_recorded) {
  for (uint64_t half = 0; half < 2; half++) {
    const uint64_t processor[] = {STORE(BASE + 64 + half * 16), END};
    const uint64_t other[] = {PAUSE(5000000), WRITE(64 + (1 - half) * 16, 16)},
                   same[] = {PAUSE(5000000), WRITE(64 + half * 16, 16)},
                   whole[] = {PAUSE(5000000), WRITE(64, 32)};
    const struct hp_program works[] = {PROGRAM(other), PROGRAM(same), PROGRAM(whole)};
    for (uint32_t i = 0; i < 3; i++) {
      with_devices(1);
      machine_rows("cpu0", 0, ROWS(processor));
      hp_device_does(0, works[i]);
      hp_open();
      hp_map(0, BASE, 0);
      session_run();
      const struct sim_record *lost = record_after(CACHE(0), SNOOP_CACHE_EV_NEIGHBOUR, 0);
      EXPECT_VALUES({COUNTERS("cache0", snoop_cache)->neighbours, i == 0}, {lost != NULL, i == 0});
      if (!lost) continue;
      assert_int_equal(lost->a, BASE + 64 + half * 16);
      assert_int_equal(lost->b, hp_cell(lost->a).newest); /* no copy is left */
      assert_int_not_equal(hp_cell(lost->a).write, lost->b);
      assert_int_equal(sim_host_state(test_engine())->broken, SIM_EXACT_DMA);
      assert_int_equal(sim_host_state(test_engine())->broken_at, lost->a);
    }
  }
}

/* Without coherence, a line modified before a device's write is written back after it: both halves of the
 * device's data are lost, and recorded. A line that is written back as the newest loses nothing. */
TEST(an_old_line_over_a_device_s_write_is_a_lost_update) {
  static const uint64_t processor[] = {STORE(BASE + 64), SPEND(10000000), FLUSH(BASE + 64), END};
  static const uint64_t before[] = {PAUSE(5000000), WRITE(BASE + 64, 32)},
                        part[] = {PAUSE(5000000), WRITE(BASE + 80, 16)},
                        elsewhere[] = {PAUSE(5000000), WRITE(BASE + 96, 32)};
  with_devices(1);
  PARAMS("adapter", io_adapter)->mode = IO_ADAPTER_MODE_NONE;
  machine_rows("cpu0", 0, ROWS(processor));
  machine_rows("device0", 0, ROWS(before));
  hp_run();
  assert_int_equal(COUNTERS("memory", memory_controller)->lost_updates, 2);
  const struct sim_record *lost = record_after(MEMORY, MEMORY_CONTROLLER_EV_LOST, 0);
  EXPECT_VALUES({lost[0].a, BASE + 64}, {lost[1].a, BASE + 80});
  for (uint32_t half = 0; half < 2; half++) {
    assert_int_equal(lost[half].c, hp_cell(lost[half].a).newest); /* written by the device */
    assert_int_equal(lost[half].b, hp_cell(lost[half].a).write);  /* the older write there now */
    assert_true(lost[half].b < lost[half].c);
  }
  assert_int_equal(sim_host_state(test_engine())->broken, SIM_NO_LOST_DATA);
  assert_int_equal(sim_host_state(test_engine())->broken_at, BASE + 64);
  machine_rows("device0", 0, ROWS(part));
  hp_run();
  assert_int_equal(COUNTERS("memory", memory_controller)->lost_updates, 1);
  assert_int_equal(sim_host_state(test_engine())->broken_at, BASE + 80);
  machine_rows("device0", 0, ROWS(elsewhere));
  hp_run();
  EXPECT_VALUES({COUNTERS("memory", memory_controller)->lost_updates, 0},
      {COUNTERS("cache0", snoop_cache)->flushed, 1}, {hp_cell(BASE + 64).write, hp_cell(BASE + 64).newest});
}
