/* Checks that the DMA checker applies to how drivers, devices and programs use mappings. */
#include "test/contract.h"

TEST(a_correct_driver_has_no_findings) {
  opened();
  touched(0, MEM, CACHE_OP_STORE);
  synced(1, MEM, 64, CONTRACT_SYNC_FOR_DEVICE);
  mapped(2, 0x8000, MEM, 64, OUT);
  started(3, 0x8000, 0);
  reached(0x8000, OUT);
  mapped(4, 0x9000, MEM + PAGE, 64, IN);
  assert_int_equal(COUNT(live), 2);
  unmapped(5, 0x8000);
  started(6, 0x9000, 1);
  reached(0x9000, IN);
  reached(0x9020, IN);
  synced(7, MEM + PAGE, 64, CONTRACT_SYNC_FOR_CPU);
  touched(8, MEM + PAGE + 4, CACHE_OP_LOAD);
  unmapped(9, 0x9000);
  mapped(10, 0x9000, MEM, 0, IN); /* an empty mapping is not recorded */
  SAY(ended, .row = 11);
  FINDS_NOTHING();
  EXPECT_VALUES({COUNT(live), 0}, {COUNT(most), 2}, {COUNT(beyond), 0});
}

/* Leaks are reported when the last thread of the processor ends. The other processor's mappings and pages
 * that replace part of a mapping are not reported. */
TEST(mappings_left_by_a_processor_are_leaks) {
  opened();
  mapped(1, 0x8000, MEM, 8192, OUT);
  mapped(2, 0x9000, MEM + 0x20000, 4096, PART);
  SAY_OF(OTHER, at_row, .row = 3);
  SAY(mapped, .address = 0xa000, .host = MEM + 0x30000, .bytes = 4096, .way = OUT);
  mapped(CONTRACT_HANDLER, 0xb000, MEM + 0x40000, 4096, OUT);
  mapped(4, 0xc000, MEM + 0x50000, 4096, OUT);
  unmapped(5, 0xc000);
  SAY(ended, .row = 6);
  SAY(ended, .row = 7);
  const uint32_t handler = (CPU + 1u) << 16 | 0xffffu;
  FINDS({LEAK, 0x8000, ROW(1), ROW(6)}, {LEAK | ALSO, 0xb000, handler, ROW(6)});
  SAY_OF(OTHER, ended, .row = 8);
  FINDS({LEAK, 0x8000, ROW(1), ROW(6)}, {LEAK | ALSO, 0xb000, handler, ROW(6)},
      {LEAK, 0xa000, ROW_OF(OTHER, 3), ROW_OF(OTHER, 8)});
}

TEST(a_device_uses_a_mapping_in_its_direction) {
  opened();
  static const uint32_t ways[] = {OUT, IN, BOTH, OUT, IN | SHARED};
  for (uint32_t i = 0; i < 5; i++) mapped(i + 1, 0x8000 + i * PAGE, MEM + i * PAGE, 4096, ways[i]);
  started(6, 0x8000, 0);
  started(7, 0x9000, 1);
  for (uint32_t write = 0; write < 2; write++) started(8, 0xa000, write);
  for (uint32_t access = OUT; access <= (OUT | IN); access++) reached(0xa000, access);
  reached(0x8000, OUT | IN); /* a locked read has no direction */
  FINDS_NOTHING();
  started(9, 0x8004, 1);
  started(10, 0x9004, 0);
  started(11, 0x9004, 0);
  reached(0x8004, IN);
  reached(0xb004, IN);
  reached(0xb008, IN);
  reached(0xc004, OUT);
  FINDS({OTHER_WAY, 0x8004, ROW(1), ROW(9)}, {OTHER_WAY, 0x9004, ROW(2), ROW(10)},
      {OTHER_WAY, 0xb004, ROW(4), ROW(4)}, {OTHER_WAY, 0xc004, ROW(5), ROW(5)});
}

/* The latest dma_sync before a transfer sets a direction, too: for its own lines, and until unmap. */
TEST(a_device_uses_lines_in_the_direction_of_dma_sync) {
  opened();
  synced(1, MEM + 0x31, 0x50,
      CONTRACT_SYNC_FOR_DEVICE); /* from line 0x20 to the line at 0x80, which has the last byte */
  synced(2, MEM + PAGE, 64, CONTRACT_SYNC_FOR_DEVICE);
  synced(3, MEM + PAGE, 64, CONTRACT_SYNC_FOR_DEVICE_INBOUND);
  mapped(4, 0x8000, MEM, 4096, BOTH);
  mapped(5, 0x9000, MEM + PAGE, 4096, BOTH);
  reached(0x8000, IN);
  reached(0x80a0, IN);
  reached(0x9020, IN);
  reached(0x8080, OUT);
  reached(0x9040, OUT);
  FINDS_NOTHING();
  reached(0x809f, IN);
  reached(0x8020, IN);
  reached(0x9020, OUT);
  FINDS({OTHER_WAY, 0x809f, ROW(1), ROW(4)}, {OTHER_WAY, 0x9020, ROW(3), ROW(5)});
  unmapped(6, 0x8000);
  mapped(7, 0x8000, MEM, 4096, BOTH);
  reached(0x8080, IN);
  FINDS({OTHER_WAY, 0x809f, ROW(1), ROW(4)}, {OTHER_WAY, 0x9020, ROW(3), ROW(5)});
}

/* A program's stores need a dma_sync before a device reads. Lines that it loaded may still be in its cache
 * when a device writes. */
TEST(a_program_s_lines_are_synced_before_a_device_uses_them) {
  opened();
  for (uint32_t i = 0; i < 6; i++) mapped(i, 0x8000 + i * PAGE, MEM + i * PAGE, 4096, BOTH);
  touched(10, MEM + 8, CACHE_OP_STORE);
  touched(11, MEM + 12, CACHE_OP_LOAD); /* the line stays attributed to the store */
  reached(0x8004, OUT);
  reached(0x8004, OUT);
  touched(12, MEM + PAGE, CACHE_OP_LOAD);
  touched(13, MEM + PAGE, CACHE_OP_LOAD);
  reached(0x9000, OUT);
  reached(0x9000, IN);
  touched(14, MEM + 2 * PAGE, CACHE_OP_STORE);
  touched(15, MEM + 2 * PAGE, CACHE_OP_STORE);
  reached(0xa01c, OUT | IN);
  touched(16, MEM + 3 * PAGE, CACHE_OP_STORE);
  touched(17, MEM + 3 * PAGE, CACHE_OP_FLUSH);
  reached(0xb000, OUT);
  touched(18, MEM + 3 * PAGE, CACHE_OP_LOAD);
  touched(19, MEM + 3 * PAGE, CACHE_OP_PURGE);
  reached(0xb000, IN);
  touched(20, MEM + 4 * PAGE,
      CACHE_OP_LOAD); /* CONTRACT_SYNC_FOR_DEVICE cleans the line and leaves it in the cache */
  synced(21, MEM + 4 * PAGE, 4, CONTRACT_SYNC_FOR_DEVICE);
  reached(0xc000, OUT);
  reached(0xc000, OUT | IN);
  touched(22, MEM + 5 * PAGE, CACHE_OP_STORE);
  synced(23, MEM + 5 * PAGE, 4, CONTRACT_SYNC_FOR_DEVICE_INBOUND);
  reached(0xd000, OUT | IN);
  unmapped(24, 0x9000); /* a line that the device wrote is no longer cached */
  mapped(25, 0x9000, MEM + PAGE, 4096, BOTH);
  reached(0x9000, IN);
  mapped(26, 0xe000, MEM + 6 * PAGE, 4096, BOTH);
  touched(27, MEM + 6 * PAGE, CACHE_OP_STORE); /* unmap does not sync for the next mapping */
  unmapped(28, 0xe000);
  mapped(29, 0xe000, MEM + 6 * PAGE, 4096, BOTH);
  reached(0xe000, OUT);
  FINDS({NO_SYNC, 0x8004, ROW(10), ROW(0)}, {NO_SYNC, 0x9000, ROW(13), ROW(1)},
      {NO_SYNC, 0xa01c, ROW(15), ROW(2)}, {NO_SYNC, 0xc000, ROW(20), ROW(4)},
      {NO_SYNC, 0xe000, ROW(27), ROW(29)});
  mapped(30, 0xf000, 0, 4096, BOTH); /* the first lines of memory */
  for (uint32_t line = 0; line < 2; line++) {
    touched(31 + line, line * 0x20, CACHE_OP_STORE);
    synced(33, line * 0x20, 4, CONTRACT_SYNC_FOR_DEVICE);
    reached(0xf000 + line * 0x20, OUT);
  }
  touched(34, 0x20, CACHE_OP_STORE);
  reached(0xf020, OUT);
  assert_int_equal(COUNT(missing_syncs), 6);
}

/* What a device wrote is valid for a program after dma_sync for the CPU or after unmap. Shared memory needs
 * neither. */
TEST(a_device_s_lines_are_synced_before_a_program_uses_them) {
  opened();
  mapped(1, 0x8010, MEM + 0x10, 0x30, IN); /* lines 0 and 0x20 */
  mapped(2, 0x9000, MEM + PAGE, 4096, IN | SHARED);
  mapped(3, 0xa000, MEM + 2 * PAGE, 4096, IN);
  mapped(4, 0xb000, MEM + 3 * PAGE, 0x40, IN);
  for (uint64_t at = 0x8010; at < 0x8040; at += 16) reached(at, IN);
  for (uint64_t at = 0x9000; at < 0xc000; at += PAGE) reached(at, IN);
  reached(0xb020, IN);
  touched(5, MEM + PAGE, CACHE_OP_LOAD);
  synced(6, MEM + 2 * PAGE, 16, CONTRACT_SYNC_FOR_CPU);
  touched(7, MEM + 2 * PAGE, CACHE_OP_LOAD);
  unmapped(8, 0x8010);
  mapped(9, 0x8010, MEM + 0x10, 0x30, IN);
  touched(10, MEM + 0x10, CACHE_OP_LOAD);
  touched(11, MEM + 0x20, CACHE_OP_LOAD);
  FINDS_NOTHING();
  mapped(12, 0xc000, MEM + 4 * PAGE, 64, IN);
  unmapped(12, 0xc000); /* this syncs only its own lines */
  touched(12, MEM + 3 * PAGE + 0x3c, CACHE_OP_STORE);
  touched(13, MEM + 3 * PAGE, CACHE_OP_LOAD);
  FINDS({NO_SYNC, MEM + 3 * PAGE + 0x3c, ROW(12), ROW(4)});
  reached(0xa000, IN); /* overwrites a line that was loaded */
  touched(14, MEM + 2 * PAGE, CACHE_OP_LOAD);
  FINDS({NO_SYNC, MEM + 3 * PAGE + 0x3c, ROW(12), ROW(4)}, {NO_SYNC, 0xa000, ROW(7), ROW(3)});
}

/* The program reads before or after unmap. An unmap without sync does not make caches and memory agree. */
TEST(a_missing_sync_is_found_before_and_after_unmap) {
  for (uint32_t read_first = 0; read_first < 2; read_first++) {
    for (uint32_t syncs = 0; syncs < 2; syncs++) {
      opened();
      mapped(1, 0x8010, MEM + 0x10, 512, IN);
      for (uint64_t at = 0; at < 512; at += 16) reached(0x8010 + at, IN);
      if (syncs) synced(2, MEM + 0x10, 512, CONTRACT_SYNC_FOR_CPU);
      if (!read_first) unmapped_without_sync(3, 0x8010);
      for (uint64_t at = 0; at < 512; at += 16) touched(4, MEM + 0x10 + at, CACHE_OP_LOAD);
      if (read_first) unmapped_without_sync(3, 0x8010);
      for (uint64_t at = 0; at < 512; at += 16) touched(5, MEM + 0x10 + at, CACHE_OP_STORE);
      if (syncs) FINDS_NOTHING();
      else FINDS({NO_SYNC, MEM + 0x10, ROW(4), ROW(1)});
    }
  }
}

/* The finding names the mapping through which a device could write, never one that is read-only for the
 * device. */
TEST(stale_data_after_unmap_is_attributed_to_the_writable_mapping) {
  opened();
  mapped(1, 0x8000, MEM, 64, BOTH);
  mapped(2, 0x9000, MEM, 64, OUT);
  reached(0x8000, IN);
  reached(0x8020, IN);
  unmapped_without_sync(3, 0x8000);
  unmapped_without_sync(4, 0x9000);
  freed(5, MEM + 0x20, 32); /* the next owner of this memory does not expect the device's data */
  touched(6, MEM + 0x20, CACHE_OP_LOAD);
  touched(7, MEM + 0x40, CACHE_OP_LOAD);
  FINDS_NOTHING();
  touched(8, MEM + 0x1f, CACHE_OP_LOAD);
  FINDS({NO_SYNC, MEM + 0x1f, ROW(8), ROW(1)});
  synced(9, MEM + PAGE, 32,
      CONTRACT_SYNC_FOR_DEVICE); /* the direction of a dma_sync ends with its mapping all the same */
  mapped(10, 0xa000, MEM + PAGE, 32, BOTH);
  unmapped_without_sync(11, 0xa000);
  mapped(12, 0xa000, MEM + PAGE, 32, BOTH);
  reached(0xa000, IN);
  assert_int_equal(COUNT(findings), 1);
}

TEST(the_result_of_a_failed_map_is_not_used) {
  opened();
  failed(1, 5);
  failed(2, 6);
  FINDS_NOTHING(); /* a failed map is not an error of the driver */
  without(3, 6);
  without(4, 6); /* each failure is reported once */
  SAY_OF(OTHER, at_row, .row = 5);
  SAY_OF(OTHER, bad_handle, .handle = 5); /* a handle of another service, with no mapping */
  FINDS({FAILED, 0, ROW(2), ROW(3)}, {UNKNOWN, 0, 0, ROW_OF(OTHER, 5)});
  failed(6, 6);
  without(7, 6);
  without(8, 5);
  FINDS({FAILED, 0, ROW(2), ROW(3)}, {UNKNOWN, 0, 0, ROW_OF(OTHER, 5)}, {FAILED, 0, ROW(6), ROW(7)},
      {FAILED, 0, ROW(1), ROW(8)});
}

/* The checker remembers the latest failures, as many as a service has handles for programs. */
TEST(the_latest_failures_are_remembered) {
  opened();
  for (uint32_t i = 0; i < 65; i++) failed(i, i);
  without(70, 64);
  without(71, 1);
  without(72, 0);
  FINDS({FAILED, 0, ROW(64), ROW(70)}, {FAILED, 0, ROW(1), ROW(71)}, {UNKNOWN, 0, 0, ROW(72)});
}

TEST(unmap_has_the_size_of_the_mapping) {
  opened();
  for (uint32_t i = 0; i < 4; i++) mapped(i, 0x8000 + 4 * i * PAGE, MEM + 4 * i * PAGE, 8192, BOTH);
  unmapped_bytes(10, 0x8000, 8192);
  unmapped(11, 0xc000); /* no size is passed */
  FINDS_NOTHING();
  unmapped_bytes(12, 0x10000, 2048);
  unmapped_bytes(13, 0x14000, 1ull << 40);
  FINDS({SIZE, 0x10000, ROW(2), ROW(12)}, {SIZE, 0x14000, ROW(3), ROW(13)});
  assert_int_equal(COUNT(live), 0);
}

/* Unmap syncs the lines that contain bytes of the mapping, from the first to the last, and
 * no adjacent ones. */
TEST(unmap_syncs_the_lines_of_its_mapping) {
  opened();
  for (uint32_t line = 0; line < 4; line++) {
    mapped(line, 0x8000 + 32 * line, MEM + 32 * line, 32, IN);
    reached(0x8000 + 32 * line, IN);
  }
  unmapped(4, 0x8020);
  unmapped(5, 0x8040);
  mapped(6, 0x9000, MEM + 32, 64, IN);
  for (uint32_t line = 1; line < 3; line++) touched(7, MEM + 32 * line, CACHE_OP_LOAD);
  FINDS_NOTHING();
  touched(8, MEM, CACHE_OP_LOAD);
  touched(9, MEM + 96, CACHE_OP_LOAD);
  FINDS({NO_SYNC, MEM, ROW(8), ROW(0)}, {NO_SYNC, MEM + 96, ROW(9), ROW(3)});
  mapped(10, 0xa01e, MEM + PAGE + 0x1e, 4, IN); /* two bytes in each of two lines */
  reached(0xa01e, IN);
  reached(0xa020, IN);
  unmapped(11, 0xa01e);
  mapped(12, 0xa01e, MEM + PAGE + 0x1e, 4, IN);
  for (uint64_t at = 0x1e; at < 0x22; at += 2) touched(13, MEM + PAGE + at, CACHE_OP_LOAD);
  assert_int_equal(COUNT(findings), 2);
}

/* Of two mappings of the same memory, the finding names the live one. */
TEST(an_unmapped_mapping_needs_no_sync) {
  opened();
  mapped(1, 0x8000, MEM, 64, IN);
  mapped(2, 0x9000, MEM, 64, IN);
  unmapped(3, 0x9000);
  reached(0x8000, IN);
  touched(4, MEM, CACHE_OP_LOAD);
  FINDS({NO_SYNC, MEM, ROW(4), ROW(1)});
}

/* The same memory is also mapped as shared: the other mapping still needs the dma_sync. */
TEST(a_shared_mapping_does_not_replace_a_sync) {
  opened();
  mapped(1, 0x8000, MEM, 4096, IN);
  mapped(2, 0x9000, MEM, 4096, IN | SHARED);
  reached(0x8000, IN);
  touched(3, MEM, CACHE_OP_LOAD);
  FINDS({NO_SYNC, MEM, ROW(3), ROW(1)});
}

/* An access of a program counts against a mapping only if it is live and contains the accessed bytes. */
TEST(a_program_may_use_memory_next_to_a_mapping) {
  opened();
  mapped(1, 0x8010, MEM + 0x10, 8, IN);
  mapped(2, 0x9010, MEM + PAGE + 0x10, 8, IN);
  mapped(7, 0xa800, MEM + 0x800, 8, IN); /* another mapping in the same page of memory */
  reached(0x8010, IN);
  reached(0x9010, IN);
  touched(3, MEM + 0x0c, CACHE_OP_LOAD);
  touched(4, MEM + 0x18, CACHE_OP_LOAD);
  FINDS_NOTHING();
  touched(5, MEM + 0x10, CACHE_OP_LOAD);
  touched(6, MEM + PAGE + 0x17, CACHE_OP_LOAD);
  FINDS({NO_SYNC, MEM + 0x10, ROW(5), ROW(1)}, {NO_SYNC, MEM + PAGE + 0x17, ROW(6), ROW(2)});
}

/* Two mappings of different bytes that share a line overlap, unless devices only read both or both are
 * shared. */
TEST(mappings_do_not_share_a_line_that_a_device_writes) {
  static const struct {
    uint32_t from, bytes, way, from_2, bytes_2, way_2, meet;
  } pairs[] = {
      {0, 48, OUT, 48, 48, OUT, 0},
      {0, 48, OUT, 48, 48, IN, 1},
      {0, 48, IN, 48, 48, OUT, 1},
      {0, 48, IN, 48, 48, IN, 1},
      {0, 48, BOTH, 48, 48, OUT, 1},
      {0, 48, IN, 0, 48, IN, 0},
      {0, 48, IN, 0, 32, IN, 1},
      {16, 16, IN, 0, 16, IN, 1},
      {0, 32, IN, 32, 32, IN, 0},
      {32, 32, IN, 0, 32, IN, 0},
      {0, 33, IN, 32, 32, IN, 1},
      {63, 32, IN, 0, 33, IN, 1},
      {64, 32, IN, 0, 64, IN, 0},
      {0, 64, IN, 63, 1, IN, 1},
      {0, 64, IN, 64, 1, IN, 0},
      {0, 64, SHARED, 32, 8, SHARED, 0},
      {0, 64, SHARED, 32, 8, IN, 1},
      {0, 64, IN, 32, 8, SHARED, 1},
      {4090, 20, IN, 4100, 1, IN, 1},
      {4090, 20, IN, 8000, 1, IN, 0},
      {8190, 1, IN, 10, 8182, IN, 1},
      {8192, 1, IN, 10, 8182, IN, 0},
  };
  for (uint32_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    opened();
    mapped(1, 0x8000 + pairs[i].from % PAGE, MEM + pairs[i].from, pairs[i].bytes, pairs[i].way);
    mapped(2, 0x18000 + pairs[i].from_2 % PAGE, MEM + pairs[i].from_2, pairs[i].bytes_2, pairs[i].way_2);
    if (pairs[i].meet) FINDS({OVERLAP, MEM + pairs[i].from_2, ROW(1), ROW(2)});
    else FINDS_NOTHING();
    unmapped(3, 0x8000);
    mapped(4, 0x28000, MEM + pairs[i].from_2, pairs[i].bytes_2,
        pairs[i].way_2); /* the same bytes as the second */
    assert_int_equal(COUNT(overlaps), pairs[i].meet);
  }
}

TEST(a_mapping_does_not_outlive_its_buffer) {
  opened();
  mapped(1, 0x8100, MEM + 0x100, 256, OUT);
  mapped(2, 0x9000, MEM + PAGE, 4096, OUT);
  mapped(3, 0xa000, MEM + 2 * PAGE, 4096, OUT);
  mapped(4, 0xb000, MEM + 3 * PAGE, 64, OUT);
  unmapped(5, 0x9000);
  freed(6, MEM, 0x100);
  freed(7, MEM + 0x200, 64);
  FINDS_NOTHING();
  freed(8, MEM + 0xf0, 0x11);
  freed(9, MEM + 0x1ff, 3 * PAGE - 0x1ff);
  FINDS({OUTLIVED, MEM + 0x100, ROW(1), ROW(8)}, {OUTLIVED, MEM + 2 * PAGE, ROW(3), ROW(9)});
}

/* The second thread has priority and ends first. The first thread, which ends 20 us later, could still unmap.
 * It does not, and only then is the mapping a leak. */
TEST(nothing_leaks_while_a_thread_runs) {
#define STEP(op, time, count) PROCESSOR_OP_##op, 0, 0, 0, 4, time, count, 0
  static const uint64_t program[] = {STEP(SPEND, 20000000, 0), STEP(END, 0, 0), STEP(THREAD, 0, 1),
      STEP(SPEND, 10000000, 0), STEP(END, 0, 0)};
  machine("checked-drivers");
  machine_without("other");
  machine_rows("cpu", 0, ROWS(program));
  machine_open();
  mapped(0, 0x8000, MEM, 64, OUT);
  sim_run(test_engine(), 25000000, SIM_NEVER);
  EXPECT_VALUES({COUNTERS("cpu", processor)->in_work, 10000000}, {COUNT(leaks), 0});
  session_run();
  EXPECT_EVENTS(
      CHECK, {30000000, DMA_CHECK_EV_LEAK, 0x8000, ROW(0), ROW(1), BECAUSE(CPU, PROCESSOR_EV_ENDED)});
}
