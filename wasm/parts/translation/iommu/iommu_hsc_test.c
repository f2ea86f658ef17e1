/* A unit that walks its table at the end of an HSC bus, with devices and a processor at work: which data
 * ends up where, and when. 3 cycles of Runway are 1 of HSC. */
#include "test/walk_hsc.h"

/*
 * A line, in cycles of Runway: request on HSC 3, crossing and look-up 4 + 2, arbitration 2, memory 33,
 * arbitration 2, data 4, crossing 4: 54, an edge of HSC. The data takes 8 cycles of HSC: 78. A miss reads
 * the entry first. The line's own request then follows without the 2 of arbitration, 33 + 2 + 4 later: 117.
 */
TEST(a_device_reads_the_page_that_the_table_maps) {
  static const uint64_t work[] = {READ(IO + PAGE + 64, 32), READ(IO + PAGE + 96, 32)},
                        other[] = {PAUSE(50 * US), READ(IO + 16, 16)};
  walking();
  hp_device_does(0, PROGRAM(work)), hp_device_does(1, PROGRAM(other));
  opened();
  entry(0, BASE + 7 * PAGE);
  entry(1, BASE + 3 * PAGE);
  session_run();
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(IN_CYCLES(read_by(H_DEVICE, i).time), 117 + 78 * i);
    assert_int_equal(read_by(H_DEVICE, i).b, first_write(BASE + 3 * PAGE + 64 + 32 * i));
    assert_int_equal(read_by(H_DEVICE, i).c, first_write(BASE + 3 * PAGE + 80 + 32 * i));
  }
  EXPECT_VALUES({read_by(H_SECOND, 0).c, first_write(BASE + 7 * PAGE + 16)}, {UNIT_COUNT(walks), 2},
      {UNIT_COUNT(translations), 3}, {UNIT_COUNT(bytes_out), 32 + 32 + 16}, {UNIT_COUNT(bytes_in), 0},
      {UNIT_COUNT(stale_reads), 0});
  assert_sound();
}

/* A whole line is replaced. Less than a line is merged, and the other half stays as it was. In the end all
 * is in memory. */
TEST(a_device_writes_whole_and_partial_lines) {
  static const struct {
    uint64_t at, bytes;
    uint32_t halves;
  } cases[] = {{64, 32, 3}, {64, 16, 1}, {80, 16, 2}, {68, 4, 1}, {92, 4, 2}, {88, 8, 2}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t work[] = {WRITE(IO + cases[i].at, cases[i].bytes)}, line = BASE + 5 * PAGE + 64;
    walking();
    hp_device_does(0, PROGRAM(work));
    opened();
    entry(0, BASE + 5 * PAGE);
    session_run();
    for (uint32_t half = 0; half < 2; half++) {
      const uint32_t before = first_write(line + 16 * half);
      const struct shadow_word cell = hp_cell(line + 16 * half);
      EXPECT_VALUES({cell.write != before, cases[i].halves >> half & 1}, {cell.newest, cell.write});
    }
    EXPECT_VALUES({hp_cell(line + 32).write, first_write(line + 32)}, {UNIT_COUNT(bytes_in), cases[i].bytes},
        {UNIT_COUNT(bytes_out), 0}, {NOW->state, IOMMU_LINE_EMPTY});
    const struct sim_record *merged = record_after(H_UNIT, IOMMU_EV_MERGED, 0);
    assert_int_equal(merged != NULL, cases[i].bytes < 32);
    if (merged) assert_int_equal(merged->a, BASE + 5 * PAGE + cases[i].at);
    if (merged) assert_int_equal(merged->b, hp_cell(merged->a).write);
    assert_int_equal(COUNTERS("runway", runway)->read_private, cases[i].bytes < 32);
    assert_int_equal(sim_host_state(ENGINE)->broken, 0);
    assert_sound();
  }
}

/* A word is merged into a line that the processor has modified. The line is fetched with the processor's
 * store, so that both are in memory. The processor then reads the device's data. */
TEST(a_merged_line_includes_a_processor_s_store) {
  static const uint64_t program[] = {STORE(BASE + 5 * PAGE + 64), SPEND(20 * US), LOAD(BASE + 5 * PAGE + 80),
      END},
                        work[] = {PAUSE(10 * US), WRITE(IO + 84, 4)};
  walking();
  machine_rows("cpu", 0, ROWS(program)), hp_device_does(0, PROGRAM(work));
  opened();
  entry(0, BASE + 5 * PAGE);
  session_run();
  for (uint64_t at = BASE + 5 * PAGE + 64; at < BASE + 5 * PAGE + 96; at += 16) {
    assert_int_not_equal(hp_cell(at).write, first_write(at));
    assert_int_equal(hp_cell(at).write, hp_cell(at).newest);
  }
  assert_int_equal(COUNTERS("cache", snoop_cache)->misses, 2); /* its copy was invalidated */
  assert_int_equal(COUNTERS("cache", snoop_cache)->stale_reads, 0);
}

/* The unit has a translation that the table no longer has. The device's data overwrites another page and is
 * missing from its own. */
TEST(data_written_through_a_stale_translation_is_missing) {
  static const struct {
    uint64_t at, bytes;
    uint32_t halves;
  } cases[] = {{64, 32, 3}, {64, 16, 1}, {92, 4, 2}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t work[] = {READ(IO, 32), PAUSE(50 * US), WRITE(IO + cases[i].at, cases[i].bytes)},
                   here = BASE + 5 * PAGE + 64, home = BASE + 9 * PAGE + 64;
    walking();
    hp_device_does(0, PROGRAM(work));
    opened();
    entry(0, BASE + 5 * PAGE);
    sim_run(ENGINE, 20 * US, UINT64_MAX);
    entry(0, BASE + 9 * PAGE);
    session_run();
    assert_int_equal(UNIT_COUNT(stale_wrong), 1);
    for (uint32_t half = 0; half < 2; half++) {
      const struct shadow_word covered = hp_cell(here + 16 * half), missing = hp_cell(home + 16 * half);
      assert_int_equal(covered.newest, first_write(here + 16 * half));
      assert_int_equal(missing.write, first_write(home + 16 * half));
      assert_int_equal(covered.write != covered.newest, cases[i].halves >> half & 1);
      assert_int_equal(missing.newest, covered.write == covered.newest ? missing.write : covered.write);
    }
    assert_int_equal(COUNTERS("memory", memory_controller)->overwritten, __builtin_popcount(cases[i].halves));
  }
}

/* A semaphore operation reads and writes: the device gets the old data, and the word has a newer write
 * afterwards. */
TEST(a_semaphore_is_read_and_written) {
  static const uint64_t work[] = {DEVICE_ROW(SEMAPHORE, IO + 68, 4, 0, 1)};
  walking();
  hp_device_does(0, PROGRAM(work));
  opened();
  entry(0, BASE);
  session_run();
  assert_int_equal(read_by(H_DEVICE, 0).b, first_write(BASE + 64));
  assert_int_not_equal(hp_cell(BASE + 64).write, first_write(BASE + 64));
  EXPECT_VALUES({hp_cell(BASE + 80).write, first_write(BASE + 80)}, {UNIT_COUNT(bytes_in), 4},
      {UNIT_COUNT(bytes_out), 4});
}

/* From the locked read to the end of the unlocking write no other master gets the bus: a processor's load
 * comes after it. */
TEST(a_locked_pair_keeps_the_bus) {
  static const uint64_t program[] = {SPEND(CYCLES(100)), LOAD(BASE + 9 * PAGE), END},
                        work[] = {DEVICE_ROW(LOCKED, IO + 64, 4, 0, 1)};
  walking();
  machine_rows("cpu", 0, ROWS(program)), hp_device_does(0, PROGRAM(work));
  opened();
  entry(0, BASE);
  sim_run(ENGINE, CYCLES(90), UINT64_MAX);
  assert_int_equal(NOW->locked, 1);
  session_run();
  EXPECT_VALUES({NOW->locked, 0}, {STATE_OF("runway", runway)->now.holder, 0});
  assert_int_not_equal(hp_cell(BASE + 64).write, first_write(BASE + 64));
  const struct sim_record *merged = record_after(H_UNIT, IOMMU_EV_MERGED, 0);
  assert_non_null(merged);
  assert_int_equal(COUNTERS("cache", snoop_cache)->misses, 1);
}

/* A read of an unmapped address returns empty, and a write is dropped. The fault address is recorded, and
 * the next request is served. */
TEST(unmapped_accesses_are_stopped) {
  static const uint64_t reads[] = {READ(IO + 2 * PAGE, 32), READ(IO + 32, 32)},
                        writes[] = {WRITE(IO + 2 * PAGE, 32), READ(IO + 32, 32)};
  static const uint64_t locks[] = {DEVICE_ROW(LOCKED, IO + 2 * PAGE, 4, 0, 1), READ(IO + 32, 32)},
                        swaps[] = {DEVICE_ROW(SEMAPHORE, IO + 2 * PAGE, 4, 0, 1), READ(IO + 32, 32)};
  const struct {
    struct hp_program work;
    uint32_t errors, faults;
  } cases[] = {
      {PROGRAM(reads), 1, 1}, {PROGRAM(writes), 0, 1}, {PROGRAM(locks), 1, 2}, {PROGRAM(swaps), 1, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    walking();
    hp_device_does(0, cases[i].work);
    opened();
    entry(0, BASE);
    session_run();
    assert_int_equal(COUNTERS("device0", dma_device)->errors, cases[i].errors);
    assert_int_equal(UNIT_COUNT(faults), cases[i].faults); /* the read and the write of a locked pair */
    EXPECT_VALUES({STATE->fault_address, IO + 2 * PAGE}, {read_by(H_DEVICE, 0).b, first_write(BASE + 32)},
        {NOW->locked, 0}, {STATE_OF("runway", runway)->now.holder, 0});
    const struct sim_record *error = record_after(H_DEVICE, DMA_DEVICE_EV_ERROR, 0);
    if (error) assert_int_equal(error->a, IO + 2 * PAGE);
  }
}

/* A processor has the device in slot 1 write three lines by storing to its channel's registers, and finds
 * status 1 at the end. The device in slot 0 stays idle. */
TEST(a_processor_reaches_the_registers_of_a_device) {
#define CHANNEL_3(name) (WINDOW(1) + 3 * CHANNEL_BYTES + CHANNEL_REG_##name)
  static const uint64_t program[] = {ROW(IO_STORE, 0, CHANNEL_3(ADDRESS), 4, 4, 0, IO + 64, 0),
      ROW(IO_STORE, 0, CHANNEL_3(SIZE), 4, 4, 0, 96, 0),
      ROW(IO_STORE, 0, CHANNEL_3(COMMAND), 4, 4, 0, CHANNEL_IN, 0), SPEND(20 * US),
      ROW(LAP, 0, 0, 0, 4, 0, 0, 0), ROW(IO_LOAD, CHANNEL_3(STATUS), 0, 4, 4, 0, 0, 0),
      ROW(LAP_END, 0, 0, 0, 4, 0, 0, 0), END};
  walking();
  machine_rows("cpu", 0, ROWS(program));
  opened();
  entry(0, BASE);
  sim_run(ENGINE, 19 * US, UINT64_MAX);
  EXPECT_VALUES({COUNTERS("device0", dma_device)->bytes_written, 0},
      {COUNTERS("device1", dma_device)->bytes_written, 96}, {STATE->reads, 0});
  session_run();
  assert_int_equal(STATE->reads, 0);
  assert_int_equal(COUNTERS("cpu", processor)->laps, 1); /* its load was answered */
  for (uint64_t at = BASE + 64; at < BASE + 160; at += 16)
    assert_int_not_equal(hp_cell(at).write, first_write(at));
}
