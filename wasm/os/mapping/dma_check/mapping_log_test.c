/* The checker's log of mappings: which are live, which were unmapped and by which call, and which are evicted
 * when the log is full. */
#include "test/contract.h"

/* Unmap names the start of a mapping or any address in its first page. */
TEST(a_mapping_is_unmapped_once) {
  opened();
  mapped(1, 0x8100, MEM, 32, OUT);
  mapped(2, 0x8200, MEM + PAGE, 32, OUT);
  mapped(3, 0x8300, MEM + 2 * PAGE, 32, OUT);
  mapped(4, 0x9000, MEM + 3 * PAGE, 8192, OUT);
  unmapped(5, 0x8300);
  unmapped(6, 0x8200);
  unmapped(7, 0x8000);
  FINDS_NOTHING();
  assert_int_equal(COUNT(live), 1);
  unmapped(8, 0x8200);
  unmapped(9, 0x8300);
  unmapped(10, 0x9fff);
  unmapped(11, 0x9000);
  FINDS({TWICE, 0x8200, ROW(6), ROW(8)}, {TWICE, 0x8300, ROW(5), ROW(9)}, {TWICE, 0x9000, ROW(10), ROW(11)});
  assert_int_equal(COUNT(live), 0);
}

/* A new mapping at an old address replaces that one in the log, and no other mapping of the page. */
TEST(a_repeated_mapping_replaces_only_its_predecessor) {
  opened();
  for (uint32_t i = 0; i < 4; i++) mapped(i, 0x8000 + i * 0x100, MEM + i * PAGE, 32, OUT);
  for (uint32_t i = 0; i < 4; i++) unmapped(10 + i, 0x8000 + i * 0x100);
  for (uint32_t i = 1; i < 3; i++) mapped(20 + i, 0x8000 + i * 0x100, MEM + i * PAGE, 32, OUT);
  uint32_t rows, known = 0;
  const mapping_log_row *row = checked_view(test_engine(), CHECK, DMA_CHECK_VIEW_MAPPINGS, &rows);
  for (uint32_t i = 0; i < rows; i++) known += row[i].bytes > 0;
  assert_int_equal(known, 4);
  mapped(24, 0x8050, MEM + 5 * PAGE, 32, OUT); /* no mapping was here before */
  for (uint32_t i = 0; i < 4; i += 3) started(30 + i, 0x8000 + i * 0x100, 0);
  for (uint32_t i = 1; i < 3; i++) started(30 + i, 0x8000 + i * 0x100, 0);
  FINDS({AFTER, 0x8000, ROW(10), ROW(30)}, {AFTER, 0x8300, ROW(13), ROW(33)});
  assert_int_equal(COUNT(live), 3);
}

/* The address belongs to a new mapping. An unmap by the old handle is one too many; the new mapping stays. */
TEST(an_old_handle_does_not_unmap_a_new_mapping) {
  opened();
  mapped(1, 0x8000, MEM, 4096, OUT);
  unmapped(2, 0x8000);
  mapped(3, 0x8000, MEM, 4096, OUT);
  unmapped_by_old_name(4, 0x8000);
  FINDS({TWICE, 0x8000, ROW(2), ROW(4)});
  assert_int_equal(COUNT(live), 1);
  mapped(5, 0xa000, MEM + PAGE, 4096, OUT); /* no mapping was here before */
  unmapped_by_old_name(6, 0xa000);
  unmapped(7, 0xa000);
  unmapped_by_old_name(8, 0xa000);
  unmapped_by_old_name(9, 0xf000);
  mapped(10, 0xc000, MEM + PAGE, 8192, OUT);
  unmapped(11, 0xc000);
  mapped(12, 0xc000, MEM + PAGE, 8192, OUT);
  unmapped(13, 0xd000); /* not by the old handle, but at an address where no mapping begins */
  FINDS({TWICE, 0x8000, ROW(2), ROW(4)}, {UNKNOWN, 0xa000, ROW(5), ROW(6)}, {TWICE, 0xa000, ROW(7), ROW(8)},
      {UNKNOWN, 0xf000, 0, ROW(9)}, {UNKNOWN, 0xd000, ROW(12), ROW(13)});
}

/* Reported once per page in a row. If the address is inside a mapping, the finding names that mapping. */
TEST(an_address_that_was_not_mapped_is_reported) {
  opened();
  reached(0x20010, OUT);
  reached(0x20fff, IN);
  started(1, 0x21000, 0);
  reached(0x20000, OUT);
  unmapped(2, 0x30000);
  mapped(3, 0x40000, MEM, 3 * PAGE, OUT);
  unmapped(4, 0x41000);
  unmapped(5, 0x42fff);
  unmapped(6, 0x43000);
  mapped(7, 0x50010, MEM + 0x10010, 0x1019, OUT); /* to 0x51028 */
  unmapped(8, 0x51029);
  assert_int_equal(COUNT(live), 2);
  FINDS({UNKNOWN, 0x20010, 0, 0}, {UNKNOWN, 0x21000, 0, ROW(1)}, {UNKNOWN, 0x20000, 0, 0},
      {UNKNOWN, 0x30000, 0, ROW(2)}, {UNKNOWN, 0x41000, ROW(3), ROW(4)}, {UNKNOWN, 0x42fff, ROW(3), ROW(5)},
      {UNKNOWN, 0x43000, 0, ROW(6)}, {UNKNOWN, 0x51029, 0, ROW(8)});
}

/* A device accesses lines of 32 bytes. It may access those that contain bytes of a mapping, and no others. */
TEST(a_device_may_access_whole_lines_of_a_mapping) {
  opened();
  mapped(1, 0x8030, MEM + 0x30, 50, OUT); /* to 0x8061 */
  for (uint64_t at = 0x8020; at < 0x8080; at++) reached(at, OUT);
  FINDS_NOTHING();
  reached(0x801f, OUT);
  FINDS({UNKNOWN, 0x801f, 0, 0});
  mapped(2, 0x9030, MEM + PAGE + 0x30, 48, OUT); /* to 0x905f */
  mapped(3, 0xb03f, MEM + 0x1003f, 1, OUT);      /* includes the last byte of a line */
  for (uint64_t at = 0xb020; at < 0xb040; at++) reached(at, OUT);
  reached(0x905f, OUT);
  reached(0x9060, OUT);
  FINDS({UNKNOWN, 0x801f, 0, 0}, {UNKNOWN, 0x9060, 0, 0});
}

/* Each use after unmap is reported once: by the call that started it or, if a device continues, by the row
 * that mapped the address. */
TEST(a_mapping_is_not_used_after_unmap) {
  opened();
  for (uint32_t i = 0; i < 2; i++) {
    mapped(10 * i, 0x8000 + i * PAGE, MEM + i * PAGE, 4096, OUT);
    unmapped(10 * i + 1, 0x8000 + i * PAGE);
  }
  started(2, 0x8010, 0);
  started(3, 0x8010, 0);
  reached(0x8010, OUT);
  reached(0x9fff, OUT);
  reached(0x9fff, OUT);
  mapped(20, 0xa030, MEM + 0x10030, 16, OUT);
  unmapped(21, 0xa030);
  reached(0xa020, OUT); /* a line that contained bytes of it */
  FINDS(
      {AFTER, 0x8010, ROW(1), ROW(2)}, {AFTER, 0x9fff, ROW(11), ROW(10)}, {AFTER, 0xa020, ROW(21), ROW(20)});
}

/* A page that replaces one of a mapping: devices reach it, it is unmapped with the mapping, and the next one
 * replaces it. */
TEST(a_replacement_page_is_unmapped_with_its_mapping) {
  opened();
  mapped(1, 0x8000, MEM, 4 * PAGE, OUT);
  mapped(2, 0x9000, MEM + 0x20000, 4096, PART);
  mapped(3, 0xb000, MEM + 0x30000, 4096, PART);
  assert_int_equal(COUNT(live), 3);
  touched(4, MEM + 0x20000, CACHE_OP_STORE);
  touched(5, MEM + PAGE, CACHE_OP_STORE);
  reached(0x9000, OUT);
  mapped(6, 0x9000, MEM + 0x40000, 4096, PART);
  assert_int_equal(COUNT(live), 3);
  reached(0x9000, OUT);
  freed(7, MEM + 0x20000, 4096);
  freed(8, MEM + 0x40000, 4096);
  unmapped(9, 0x8fff);
  assert_int_equal(COUNT(live), 0);
  freed(10, MEM + 0x30000, 4096);
  FINDS({NO_SYNC, 0x9000, ROW(4), ROW(2)}, {OUTLIVED, MEM + 0x40000, ROW(6), ROW(8)});
  assert_int_equal(COUNT(most), 3);
  mapped(11, 0x8000, MEM, 4 * PAGE, OUT);
  mapped(12, 0xc000, MEM + 4 * PAGE, 4 * PAGE, OUT);
  mapped(13, 0xc000, MEM + 0x50000, 4096, PART);
  unmapped(14, 0x8000); /* the next mapping keeps its replacement page */
  assert_int_equal(COUNT(live), 2);
}

/* With room for 16, unmapped entries are evicted in order and live ones stay. Mappings without room are not
 * tracked. */
TEST(full_log_forgets_freed_mappings_first) {
  opened_with(16);
  for (uint32_t i = 0; i < 16; i++) mapped(i, 0x8000 + i * PAGE, MEM + i * PAGE, 64, OUT);
  for (uint32_t i = 5; i < 8; i++) unmapped(20 + i, 0x8000 + i * PAGE);
  mapped(30, 0x28000, MEM + 0x20000, 64, OUT);
  unmapped(31, 0xd000); /* the sixth was evicted */
  unmapped(32, 0xe000);
  FINDS({UNKNOWN, 0xd000, 0, ROW(31)}, {TWICE, 0xe000, ROW(26), ROW(32)});
  mapped(33, 0x29000, MEM + 0x21000, 64, OUT);
  mapped(34, 0x2f000, MEM + 0x22000, 64, OUT);
  unmapped(34, 0x2f000);
  mapped(34, 0x2a000, MEM + 0x22000, 64, OUT); /* evicts that one, the only unmapped entry */
  EXPECT_VALUES({COUNT(live), 16}, {COUNT(beyond), 0});
  mapped(35, 0x2b000, MEM + 0x23000, 64, OUT);
  mapped(36, 0x2c000, MEM + 0x24000, 64, OUT);
  assert_int_equal(COUNT(beyond), 2);
  unmapped(37, 0x2b000); /* not reported: it may be an untracked mapping */
  for (uint32_t i = 8; i < 11; i++) unmapped(38, 0x20000 + i * PAGE);
  EXPECT_VALUES({COUNT(live), 13}, {COUNT(most), 16}, {COUNT(findings), 2});
}

/* 16 mappings have 128 nodes, one for each page on either side. A mapping of 64 pages takes all of them and
 * evicts the others. */
TEST(long_mappings_take_the_room_of_many) {
  opened_with(16);
  mapped(1, 0x8000, MEM, 60 * PAGE, OUT);
  unmapped(2, 0x8000);
  mapped(3, 0x108000, MEM + 0x100000, 4 * PAGE, OUT);
  unmapped(4, 0x8000); /* still known: 120 + 8 nodes */
  mapped(5, 0x208000, MEM + 0x200000, 59 * PAGE + 1, OUT);
  unmapped(6, 0x8000);
  unmapped(7, 0x108000);
  unmapped(8, 0x208000);
  mapped(9, 0x308000, MEM + 0x300000, 64 * PAGE, OUT);
  unmapped(10, 0x208000);
  reached(0x308000 + 64 * PAGE - 1, OUT);
  assert_int_equal(COUNT(beyond), 0);
  FINDS({TWICE, 0x8000, ROW(2), ROW(4)}, {UNKNOWN, 0x8000, 0, ROW(6)}, {UNKNOWN, 0x208000, 0, ROW(10)});
  unmapped(11, 0x308000);
  mapped(12, 0x408000, MEM + 0x400000, 64 * PAGE + 1, OUT);
  assert_int_equal(COUNT(beyond), 1);
  unmapped(13, 0x308000); /* a mapping that is too long evicts nothing */
  mapped(14, 0x508800, MEM + 0x500800, 63 * PAGE, OUT);
  EXPECT_VALUES({COUNT(beyond), 1}, {COUNT(live), 1}, {COUNT(double_unmaps), 2});
}

/* The checker tracks 12288 lines at any addresses. It shows 64 findings and counts all. */
TEST(lines_are_tracked_separately_up_to_the_limit) {
  const uint32_t lines = 12288;
  opened_with(16384);
  for (uint32_t i = 0; i < lines; i++) {
    mapped(i, 0x1000000 + 32 * i, MEM + 32 * i, 32, BOTH);
    touched(i, MEM + 32 * i, CACHE_OP_STORE);
  }
  mapped(1, 0x3000000, MEM + 0x1000000, 32 * lines, OUT);
  unmapped(1, 0x3000000);
  mapped(1, 0x3000000, MEM + 32 * lines, 32, OUT);
  reached(0x3000000, OUT);
  unmapped(1, 0x3000000);
  assert_int_equal(COUNT(beyond), 0); /* neither reading a line nor unmapping it needs room */
  touched(1, MEM + 32 * lines, CACHE_OP_STORE);
  synced(2, MEM + 32 * (lines - 1), 96, CONTRACT_SYNC_FOR_DEVICE);
  assert_int_equal(COUNT(beyond), 3);
  for (uint32_t i = 0; i < lines; i++) reached(0x1000000 + 32 * i, OUT);
  EXPECT_VALUES({COUNT(missing_syncs), lines - 1}, {COUNT(findings), lines - 1});
  uint32_t rows;
  const struct dma_check_findings *found = checked_view(test_engine(), CHECK, DMA_CHECK_VIEW_FINDINGS, &rows);
  assert_int_equal(rows, 64);
  for (uint32_t i = 0; i < rows; i++) {
    EXPECT_VALUES({found[i].first, ROW(i)}, {found[i].address, 0x1000000 + 32 * i});
  }
}

TEST(memory_that_runs_out_is_an_error) {
  machine("checked-drivers");
  session_without_memory(machine_session());
}
