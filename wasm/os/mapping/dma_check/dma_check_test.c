/*
 * What the checker of drivers makes of what it hears, said to it by hand: a place is a processor and a row of its program,
 * and each finding names the two that do not go together.
 */
#include "host/testing.h"

enum { CHECK, CPU, OTHER };
#define MEM 0x100000ull
#define PAGE 0x1000ull
#define NOW 700u
#define ROW_OF(cpu, row) (((cpu) + 1u) << 16 | ((row) + 1u))
#define ROW(row) ROW_OF(CPU, row)
#define COUNT(name) (BY_COUNTERS(test_engine(), CHECK, dma_check)->name)

static void opened_with(uint64_t room) {
  static const uint64_t nothing[] = {PROCESSOR_OP_END, 0, 0, 0, 4, 0, 0, 0};
  static struct session s;
  struct processor_params cpu = PROCESSOR_DEFAULTS;
  s = session_new(3, 2, 15);
  session_part(&s, BY_TYPE_DMA_CHECK, &room, 1);
  for (uint32_t i = 0; i < 2; i++) {
    session_part(&s, BY_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
    session_table(&s, nothing, 1, 8);
  }
  session_wire(&s, CHECK, DMA_CHECK_PORT_HEARS, CPU, PROCESSOR_PORT_CONTRACT);
  session_wire(&s, CHECK, DMA_CHECK_PORT_HEARS + 1, OTHER, PROCESSOR_PORT_CONTRACT);
  assert_int_equal(session_open(&s), BY_OK);
  by_record_trace(test_engine(), 1);
  test_engine()->time = NOW;
}
static void opened(void) { opened_with(4096); }

/* As if each came in an event of its own. */
#define SAY_OF(cpu, message, ...) (test_engine()->cause = 0, ask_contract_##message(test_engine(), cpu, PROCESSOR_PORT_CONTRACT, &(struct contract_##message){__VA_ARGS__}))
#define SAY(message, ...) SAY_OF(CPU, message, __VA_ARGS__)

/* Calls of the driver, each at a row; what a device reaches; and what a program's row touches. */
static void mapped(uint32_t row, uint64_t address, uint64_t host, uint32_t bytes, uint32_t way) {
  SAY(place, .row = row);
  SAY(mapped, .address = address, .host = host, .bytes = bytes, .way = way);
}
static void unmapped(uint32_t row, uint64_t address) {
  SAY(place, .row = row);
  SAY(unmapped, .address = address);
}
static void unmapped_by_old_name(uint32_t row, uint64_t address) {
  SAY(place, .row = row);
  SAY(unmapped, .address = address, .gone = 1);
}
static void synced(uint32_t row, uint64_t host, uint32_t bytes, uint32_t when) {
  SAY(place, .row = row);
  SAY(synced, .host = host, .bytes = bytes, .when = when);
}
static void started(uint32_t row, uint64_t address, uint32_t write) {
  SAY(place, .row = row);
  SAY(started, .address = address, .bytes = 64, .write = write);
}
static void freed(uint32_t row, uint64_t host, uint32_t bytes) {
  SAY(place, .row = row);
  SAY(freed, .host = host, .bytes = bytes);
}
static void reached(uint64_t address, uint32_t access) { SAY_OF(OTHER, reached, .address = address, .bytes = 1, .access = access); }
static void touched(uint32_t row, uint64_t address, uint32_t op) { SAY(touched, .address = address, .row = row, .op = op); }

#define ALSO 0x100u /* with a kind: found in the same event as the one before */
struct finding {
  uint32_t kind;
  uint64_t address;
  uint32_t first, second;
};

/* All that was found, in order: as records, as rows, and counted by kind. */
static void assert_finds(const struct finding *expected, uint32_t count) {
  struct told told[32];
  uint64_t of[DMA_CHECK_FINDING_OUTLIVED + 1] = {0};
  uint32_t rows;
  const struct dma_check_findings *found = checked_view(test_engine(), CHECK, DMA_CHECK_VIEW_FINDINGS, &rows);
  for (uint32_t i = 0; i < count; i++) {
    const struct finding *e = &expected[i];
    uint32_t kind = e->kind & ~ALSO;
    told[i] = (struct told){NOW, DMA_CHECK_EV_LEAK + kind - DMA_CHECK_FINDING_LEAK, e->address, e->first, e->second, e->kind & ALSO ? BECAUSE(CHECK, told[i - 1].kind) : 0};
    of[kind]++;
    assert_int_equal(found[i].finding, kind);
    assert_int_equal(found[i].address, e->address);
    assert_int_equal(found[i].at, NOW);
    assert_int_equal(found[i].first, e->first);
    assert_int_equal(found[i].second, e->second);
  }
  assert_tells(CHECK, told, count);
  assert_int_equal(COUNT(findings), count);
  for (uint32_t kind = DMA_CHECK_FINDING_LEAK; kind <= DMA_CHECK_FINDING_OUTLIVED; kind++) assert_int_equal((&COUNT(leaks))[kind - DMA_CHECK_FINDING_LEAK], of[kind]);
}
#define FINDS(...)                                                           \
  do {                                                                       \
    const struct finding expected_[] = {__VA_ARGS__};                        \
    assert_finds(expected_, sizeof expected_ / sizeof *expected_);           \
  } while (0)
#define FINDS_NOTHING() assert_finds(NULL, 0)
#define LEAK DMA_CHECK_FINDING_LEAK
#define TWICE DMA_CHECK_FINDING_DOUBLE_UNMAP
#define UNKNOWN DMA_CHECK_FINDING_UNKNOWN_ADDRESS
#define AFTER DMA_CHECK_FINDING_AFTER_UNMAP
#define OTHER_WAY DMA_CHECK_FINDING_WRONG_DIRECTION
#define NO_SYNC DMA_CHECK_FINDING_MISSING_SYNC
#define OVERLAP DMA_CHECK_FINDING_OVERLAP
#define OUTLIVED DMA_CHECK_FINDING_OUTLIVED
#define OUT CONTRACT_OUT
#define IN CONTRACT_IN
#define BOTH CONTRACT_BOTH_WAYS
#define SHARED CONTRACT_SHARED
#define PART CONTRACT_PART

static void a_driver_that_keeps_the_contract_is_accused_of_nothing(void **state) {
  (void)state;
  opened();
  touched(0, MEM, CACHE_STORE);
  synced(1, MEM, 64, SYNC_FOR_OUT);
  mapped(2, 0x8000, MEM, 64, OUT);
  started(3, 0x8000, 0);
  reached(0x8000, OUT);
  mapped(4, 0x9000, MEM + PAGE, 64, IN);
  assert_int_equal(COUNT(live), 2);
  unmapped(5, 0x8000);
  started(6, 0x9000, 1);
  reached(0x9000, IN);
  reached(0x9020, IN);
  synced(7, MEM + PAGE, 64, SYNC_AFTER_IN);
  touched(8, MEM + PAGE + 4, CACHE_LOAD);
  unmapped(9, 0x9000);
  mapped(10, 0x9000, MEM, 0, IN); /* nothing is mapped */
  SAY(ended, .row = 11);
  FINDS_NOTHING();
  assert_int_equal(COUNT(live), 0);
  assert_int_equal(COUNT(most), 2);
  assert_int_equal(COUNT(beyond), 0);
}

/* When its last thread ends; of the other processor's it says nothing, nor of what only lies in the place of a page. */
static void what_a_processor_has_mapped_and_not_given_back_is_a_leak(void **state) {
  (void)state;
  opened();
  mapped(1, 0x8000, MEM, 8192, OUT);
  mapped(2, 0x9000, MEM + 0x20000, 4096, PART);
  SAY_OF(OTHER, place, .row = 3);
  SAY(mapped, .address = 0xa000, .host = MEM + 0x30000, .bytes = 4096, .way = OUT);
  mapped(CONTRACT_HANDLER, 0xb000, MEM + 0x40000, 4096, OUT);
  mapped(4, 0xc000, MEM + 0x50000, 4096, OUT);
  unmapped(5, 0xc000);
  SAY(ended, .row = 6);
  SAY(ended, .row = 7);
  const uint32_t handler = (CPU + 1u) << 16 | 0xffffu;
  FINDS({LEAK, 0x8000, ROW(1), ROW(6)}, {LEAK | ALSO, 0xb000, handler, ROW(6)});
  SAY_OF(OTHER, ended, .row = 8);
  FINDS({LEAK, 0x8000, ROW(1), ROW(6)}, {LEAK | ALSO, 0xb000, handler, ROW(6)}, {LEAK, 0xa000, ROW_OF(OTHER, 3), ROW_OF(OTHER, 8)});
}

/* By where it begins, or by any address in its first page. */
static void a_mapping_is_given_back_once(void **state) {
  (void)state;
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

/* A mapping that is made anew takes the place of the old one in the books, and of no other in its page. */
static void others_of_its_page_stay_when_a_mapping_is_made_anew(void **state) {
  (void)state;
  opened();
  for (uint32_t i = 0; i < 4; i++) mapped(i, 0x8000 + i * 0x100, MEM + i * PAGE, 32, OUT);
  for (uint32_t i = 0; i < 4; i++) unmapped(10 + i, 0x8000 + i * 0x100);
  for (uint32_t i = 1; i < 3; i++) mapped(20 + i, 0x8000 + i * 0x100, MEM + i * PAGE, 32, OUT);
  for (uint32_t i = 0; i < 4; i += 3) started(30 + i, 0x8000 + i * 0x100, 0);
  for (uint32_t i = 1; i < 3; i++) started(30 + i, 0x8000 + i * 0x100, 0);
  FINDS({AFTER, 0x8000, ROW(10), ROW(30)}, {AFTER, 0x8300, ROW(13), ROW(33)});
  assert_int_equal(COUNT(live), 2);
}

/* The address lives again, as somebody else's mapping: a call that names the old one is one too many, and the new one stays. */
static void an_old_name_gives_back_nothing_of_who_has_its_address_now(void **state) {
  (void)state;
  opened();
  mapped(1, 0x8000, MEM, 4096, OUT);
  unmapped(2, 0x8000);
  mapped(3, 0x8000, MEM, 4096, OUT);
  unmapped_by_old_name(4, 0x8000);
  FINDS({TWICE, 0x8000, ROW(2), ROW(4)});
  assert_int_equal(COUNT(live), 1);
  mapped(5, 0xa000, MEM + PAGE, 4096, OUT); /* nobody has been there before */
  unmapped_by_old_name(6, 0xa000);
  unmapped(7, 0xa000);
  unmapped_by_old_name(8, 0xa000);
  FINDS({TWICE, 0x8000, ROW(2), ROW(4)}, {UNKNOWN, 0xa000, ROW(5), ROW(6)}, {TWICE, 0xa000, ROW(7), ROW(8)});
}

/* Of one page it is told once in a row; where a mapping was met in its middle, which one. */
static void an_address_that_no_map_gave_is_told(void **state) {
  (void)state;
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
  FINDS({UNKNOWN, 0x20010, 0, 0}, {UNKNOWN, 0x21000, 0, ROW(1)}, {UNKNOWN, 0x20000, 0, 0}, {UNKNOWN, 0x30000, 0, ROW(2)}, {UNKNOWN, 0x41000, ROW(3), ROW(4)}, {UNKNOWN, 0x42fff, ROW(3), ROW(5)}, {UNKNOWN, 0x43000, 0, ROW(6)},
        {UNKNOWN, 0x51029, 0, ROW(8)});
}

/* A device works by lines of 32 bytes: it reaches those that a mapping has bytes in, and no other. */
static void a_mapping_is_reached_by_whole_lines(void **state) {
  (void)state;
  opened();
  mapped(1, 0x8030, MEM + 0x30, 50, OUT); /* to 0x8061 */
  for (uint64_t at = 0x8020; at < 0x8080; at++) reached(at, OUT);
  FINDS_NOTHING();
  reached(0x801f, OUT);
  FINDS({UNKNOWN, 0x801f, 0, 0});
  mapped(2, 0x9030, MEM + PAGE + 0x30, 48, OUT); /* to 0x905f */
  reached(0x905f, OUT);
  reached(0x9060, OUT);
  FINDS({UNKNOWN, 0x801f, 0, 0}, {UNKNOWN, 0x9060, 0, 0});
}

/* Told once of each: by the call that began it, or, where a device goes on, by where it was mapped. */
static void what_was_given_back_is_not_used_afterwards(void **state) {
  (void)state;
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
  FINDS({AFTER, 0x8010, ROW(1), ROW(2)}, {AFTER, 0x9fff, ROW(11), ROW(10)});
}

static void a_device_uses_a_mapping_the_way_it_was_said(void **state) {
  (void)state;
  opened();
  mapped(1, 0x8000, MEM, 4096, OUT);
  mapped(2, 0x9000, MEM + PAGE, 4096, IN);
  mapped(3, 0xa000, MEM + 2 * PAGE, 4096, BOTH);
  mapped(4, 0xb000, MEM + 3 * PAGE, 4096, OUT);
  mapped(5, 0xc000, MEM + 4 * PAGE, 4096, IN | SHARED);
  started(6, 0x8000, 0);
  started(7, 0x9000, 1);
  for (uint32_t write = 0; write < 2; write++) started(8, 0xa000, write);
  for (uint32_t access = OUT; access <= (OUT | IN); access++) reached(0xa000, access);
  reached(0x8000, OUT | IN); /* a locked read is neither */
  FINDS_NOTHING();
  started(9, 0x8004, 1);
  started(10, 0x9004, 0);
  started(11, 0x9004, 0);
  reached(0x8004, IN);
  reached(0xb004, IN);
  reached(0xb008, IN);
  reached(0xc004, OUT);
  FINDS({OTHER_WAY, 0x8004, ROW(1), ROW(9)}, {OTHER_WAY, 0x9004, ROW(2), ROW(10)}, {OTHER_WAY, 0xb004, ROW(4), ROW(4)}, {OTHER_WAY, 0xc004, ROW(5), ROW(5)});
}

/* The latest dma_sync before a transfer says a way, too; of its lines only, and until the mapping is given back. */
static void a_device_uses_lines_the_way_dma_sync_said(void **state) {
  (void)state;
  opened();
  synced(1, MEM + 0x31, 0x50, SYNC_FOR_OUT); /* lines from 0x20 on, and the last byte of all in that at 0x80 */
  synced(2, MEM + PAGE, 64, SYNC_FOR_OUT);
  synced(3, MEM + PAGE, 64, SYNC_FOR_IN);
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

/* What a program has stored is no device's before a dma_sync; what it has loaded may be in its cache when a device writes. */
static void what_a_program_had_is_synced_before_a_device_has_it(void **state) {
  (void)state;
  opened();
  for (uint32_t i = 0; i < 6; i++) mapped(i, 0x8000 + i * PAGE, MEM + i * PAGE, 4096, BOTH);
  touched(10, MEM + 8, CACHE_STORE);
  touched(11, MEM + 12, CACHE_LOAD); /* it stays the store's line */
  reached(0x8004, OUT);
  reached(0x8004, OUT);
  touched(12, MEM + PAGE, CACHE_LOAD);
  touched(13, MEM + PAGE, CACHE_LOAD);
  reached(0x9000, OUT);
  reached(0x9000, IN);
  touched(14, MEM + 2 * PAGE, CACHE_STORE);
  touched(15, MEM + 2 * PAGE, CACHE_STORE);
  reached(0xa01c, OUT | IN);
  touched(16, MEM + 3 * PAGE, CACHE_STORE);
  touched(17, MEM + 3 * PAGE, CACHE_FLUSH);
  reached(0xb000, OUT);
  touched(18, MEM + 3 * PAGE, CACHE_LOAD);
  touched(19, MEM + 3 * PAGE, CACHE_PURGE);
  reached(0xb000, IN);
  touched(20, MEM + 4 * PAGE, CACHE_LOAD); /* SYNC_FOR_OUT cleans the line and leaves it in the cache */
  synced(21, MEM + 4 * PAGE, 4, SYNC_FOR_OUT);
  reached(0xc000, OUT);
  reached(0xc000, OUT | IN);
  touched(22, MEM + 5 * PAGE, CACHE_STORE);
  synced(23, MEM + 5 * PAGE, 4, SYNC_FOR_IN);
  reached(0xd000, OUT | IN);
  unmapped(24, 0x9000); /* what the device wrote over is no longer in the cache */
  mapped(25, 0x9000, MEM + PAGE, 4096, BOTH);
  reached(0x9000, IN);
  mapped(26, 0xe000, MEM + 6 * PAGE, 4096, BOTH);
  touched(27, MEM + 6 * PAGE, CACHE_STORE); /* to give a mapping back syncs nothing for the next */
  unmapped(28, 0xe000);
  mapped(29, 0xe000, MEM + 6 * PAGE, 4096, BOTH);
  reached(0xe000, OUT);
  FINDS({NO_SYNC, 0x8004, ROW(10), ROW(0)}, {NO_SYNC, 0x9000, ROW(13), ROW(1)}, {NO_SYNC, 0xa01c, ROW(15), ROW(2)}, {NO_SYNC, 0xc000, ROW(20), ROW(4)}, {NO_SYNC, 0xe000, ROW(27), ROW(29)});
}

/* What a device has written is the program's after the third dma_sync, or after unmap; what is shared always is. */
static void what_a_device_wrote_is_synced_before_a_program_has_it(void **state) {
  (void)state;
  opened();
  mapped(1, 0x8010, MEM + 0x10, 0x30, IN); /* lines 0 and 0x20 */
  mapped(2, 0x9000, MEM + PAGE, 4096, IN | SHARED);
  mapped(3, 0xa000, MEM + 2 * PAGE, 4096, IN);
  mapped(4, 0xb000, MEM + 3 * PAGE, 0x40, IN);
  for (uint64_t at = 0x8010; at < 0x8040; at += 16) reached(at, IN);
  for (uint64_t at = 0x9000; at < 0xc000; at += PAGE) reached(at, IN);
  reached(0xb020, IN);
  touched(5, MEM + PAGE, CACHE_LOAD);
  synced(6, MEM + 2 * PAGE, 16, SYNC_AFTER_IN);
  touched(7, MEM + 2 * PAGE, CACHE_LOAD);
  unmapped(8, 0x8010);
  mapped(9, 0x8010, MEM + 0x10, 0x30, IN);
  touched(10, MEM + 0x10, CACHE_LOAD);
  touched(11, MEM + 0x20, CACHE_LOAD);
  FINDS_NOTHING();
  mapped(12, 0xc000, MEM + 4 * PAGE, 64, IN);
  unmapped(12, 0xc000); /* no line is the program's again for that but its own */
  touched(12, MEM + 3 * PAGE + 0x3c, CACHE_STORE);
  touched(13, MEM + 3 * PAGE, CACHE_LOAD);
  FINDS({NO_SYNC, MEM + 3 * PAGE + 0x3c, ROW(12), ROW(4)});
  reached(0xa000, IN); /* over what was loaded */
  touched(14, MEM + 2 * PAGE, CACHE_LOAD);
  FINDS({NO_SYNC, MEM + 3 * PAGE + 0x3c, ROW(12), ROW(4)}, {NO_SYNC, 0xa000, ROW(7), ROW(3)});
}

/* A program's access counts against the mapping that has its very bytes, and only while that lives. */
static void a_program_may_use_what_is_beside_a_mapping(void **state) {
  (void)state;
  opened();
  mapped(1, 0x8010, MEM + 0x10, 8, IN);
  mapped(2, 0x9010, MEM + PAGE + 0x10, 8, IN);
  mapped(7, 0xa800, MEM + 0x800, 8, IN); /* another's, in the same page of memory */
  reached(0x8010, IN);
  reached(0x9010, IN);
  touched(3, MEM + 0x0c, CACHE_LOAD);
  touched(4, MEM + 0x18, CACHE_LOAD);
  FINDS_NOTHING();
  touched(5, MEM + 0x10, CACHE_LOAD);
  touched(6, MEM + PAGE + 0x17, CACHE_LOAD);
  FINDS({NO_SYNC, MEM + 0x10, ROW(5), ROW(1)}, {NO_SYNC, MEM + PAGE + 0x17, ROW(6), ROW(2)});
}

/* Two mappings whose bytes are not the same but meet in a line: unless both are only read, or both are shared. */
static void mappings_do_not_meet_in_a_line_that_a_device_writes(void **state) {
  (void)state;
  static const struct { uint32_t from, bytes, way, from_2, bytes_2, way_2, meet; } pairs[] = {
      {0, 48, OUT, 48, 48, OUT, 0},   {0, 48, OUT, 48, 48, IN, 1},      {0, 48, IN, 48, 48, OUT, 1},  {0, 48, IN, 48, 48, IN, 1},    {0, 48, BOTH, 48, 48, OUT, 1},
      {0, 48, IN, 0, 48, IN, 0},      {0, 48, IN, 0, 32, IN, 1},        {16, 16, IN, 0, 16, IN, 1},   {0, 32, IN, 32, 32, IN, 0},    {32, 32, IN, 0, 32, IN, 0},
      {0, 33, IN, 32, 32, IN, 1},     {63, 32, IN, 0, 33, IN, 1},       {64, 32, IN, 0, 64, IN, 0},   {0, 64, IN, 63, 1, IN, 1},     {0, 64, IN, 64, 1, IN, 0},
      {0, 64, SHARED, 32, 8, SHARED, 0}, {0, 64, SHARED, 32, 8, IN, 1}, {0, 64, IN, 32, 8, SHARED, 1}, {4090, 20, IN, 4100, 1, IN, 1}, {4090, 20, IN, 8000, 1, IN, 0},
      {8190, 1, IN, 10, 8182, IN, 1}, {8192, 1, IN, 10, 8182, IN, 0},
  };
  for (uint32_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    opened();
    mapped(1, 0x8000 + pairs[i].from % PAGE, MEM + pairs[i].from, pairs[i].bytes, pairs[i].way);
    mapped(2, 0x18000 + pairs[i].from_2 % PAGE, MEM + pairs[i].from_2, pairs[i].bytes_2, pairs[i].way_2);
    if (pairs[i].meet) FINDS({OVERLAP, MEM + pairs[i].from_2, ROW(1), ROW(2)});
    else FINDS_NOTHING();
    unmapped(3, 0x8000);
    mapped(4, 0x28000, MEM + pairs[i].from_2, pairs[i].bytes_2, pairs[i].way_2); /* that is the second's, whole */
    assert_int_equal(COUNT(overlaps), pairs[i].meet);
  }
}

static void a_mapping_does_not_outlive_its_buffer(void **state) {
  (void)state;
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

/* Another page in the place of one: devices reach that, it goes with the mapping, and the next takes its place. */
static void what_lies_in_the_place_of_a_page_goes_with_its_mapping(void **state) {
  (void)state;
  opened();
  mapped(1, 0x8000, MEM, 4 * PAGE, OUT);
  mapped(2, 0x9000, MEM + 0x20000, 4096, PART);
  mapped(3, 0xb000, MEM + 0x30000, 4096, PART);
  assert_int_equal(COUNT(live), 3);
  touched(4, MEM + 0x20000, CACHE_STORE);
  touched(5, MEM + PAGE, CACHE_STORE);
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
}

/* With room for 16 what was given back is forgotten in turn, and what lives stays: of the rest nothing is known any more. */
static void books_that_are_full_forget_what_was_given_back_first(void **state) {
  (void)state;
  opened_with(16);
  for (uint32_t i = 0; i < 16; i++) mapped(i, 0x8000 + i * PAGE, MEM + i * PAGE, 64, OUT);
  for (uint32_t i = 5; i < 8; i++) unmapped(20 + i, 0x8000 + i * PAGE);
  mapped(30, 0x28000, MEM + 0x20000, 64, OUT);
  unmapped(31, 0xd000); /* the sixth is forgotten */
  unmapped(32, 0xe000);
  FINDS({UNKNOWN, 0xd000, 0, ROW(31)}, {TWICE, 0xe000, ROW(26), ROW(32)});
  mapped(33, 0x29000, MEM + 0x21000, 64, OUT);
  mapped(34, 0x2f000, MEM + 0x22000, 64, OUT);
  unmapped(34, 0x2f000);
  mapped(34, 0x2a000, MEM + 0x22000, 64, OUT); /* in the place of that, the only one which was given back */
  assert_int_equal(COUNT(live), 16);
  assert_int_equal(COUNT(beyond), 0);
  mapped(35, 0x2b000, MEM + 0x23000, 64, OUT);
  mapped(36, 0x2c000, MEM + 0x24000, 64, OUT);
  assert_int_equal(COUNT(beyond), 2);
  unmapped(37, 0x2b000); /* not told: it may be one that was not followed */
  for (uint32_t i = 8; i < 11; i++) unmapped(38, 0x20000 + i * PAGE);
  assert_int_equal(COUNT(live), 13);
  assert_int_equal(COUNT(most), 16);
  assert_int_equal(COUNT(findings), 2);
}

/* 16 mappings have 128 nodes: one for each page of either side. 64 pages take all of them, and need the others forgotten. */
static void long_mappings_take_the_room_of_many(void **state) {
  (void)state;
  opened_with(16);
  mapped(1, 0x8000, MEM, 60 * PAGE, OUT);
  unmapped(2, 0x8000);
  mapped(3, 0x108000, MEM + 0x100000, 4 * PAGE, OUT);
  unmapped(4, 0x8000); /* is known yet: 120 and 8 */
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
  unmapped(13, 0x308000); /* for what is too long nothing is forgotten */
  mapped(14, 0x508800, MEM + 0x500800, 63 * PAGE, OUT);
  assert_int_equal(COUNT(beyond), 1);
  assert_int_equal(COUNT(live), 1);
  assert_int_equal(COUNT(double_unmaps), 2);
}

/* Of lines it follows 12288, wherever they lie; of findings it shows 64, and counts all. */
static void every_line_that_is_followed_is_its_own(void **state) {
  (void)state;
  const uint32_t lines = 12288;
  opened_with(16384);
  for (uint32_t i = 0; i < lines; i++) {
    mapped(i, 0x1000000 + 32 * i, MEM + 32 * i, 32, BOTH);
    touched(i, MEM + 32 * i, CACHE_STORE);
  }
  mapped(1, 0x3000000, MEM + 0x1000000, 32 * lines, OUT);
  unmapped(1, 0x3000000);
  mapped(1, 0x3000000, MEM + 32 * lines, 32, OUT);
  reached(0x3000000, OUT);
  unmapped(1, 0x3000000);
  assert_int_equal(COUNT(beyond), 0); /* to read a line, or to give it back, needs no room */
  touched(1, MEM + 32 * lines, CACHE_STORE);
  synced(2, MEM + 32 * (lines - 1), 96, SYNC_FOR_OUT);
  assert_int_equal(COUNT(beyond), 3);
  for (uint32_t i = 0; i < lines; i++) reached(0x1000000 + 32 * i, OUT);
  assert_int_equal(COUNT(missing_syncs), lines - 1);
  assert_int_equal(COUNT(findings), lines - 1);
  uint32_t rows;
  const struct dma_check_findings *found = checked_view(test_engine(), CHECK, DMA_CHECK_VIEW_FINDINGS, &rows);
  assert_int_equal(rows, 64);
  for (uint32_t i = 0; i < rows; i++) {
    assert_int_equal(found[i].first, ROW(i));
    assert_int_equal(found[i].address, 0x1000000 + 32 * i);
  }
}

static void memory_that_runs_out_is_an_error(void **state) {
  (void)state;
  uint64_t room = 16;
  struct session s = session_new(1, 0, 12);
  session_part(&s, BY_TYPE_DMA_CHECK, &room, 1);
  session_without_memory(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_driver_that_keeps_the_contract_is_accused_of_nothing),
      cmocka_unit_test(what_a_processor_has_mapped_and_not_given_back_is_a_leak),
      cmocka_unit_test(a_mapping_is_given_back_once),
      cmocka_unit_test(others_of_its_page_stay_when_a_mapping_is_made_anew),
      cmocka_unit_test(an_old_name_gives_back_nothing_of_who_has_its_address_now),
      cmocka_unit_test(an_address_that_no_map_gave_is_told),
      cmocka_unit_test(a_mapping_is_reached_by_whole_lines),
      cmocka_unit_test(what_was_given_back_is_not_used_afterwards),
      cmocka_unit_test(a_device_uses_a_mapping_the_way_it_was_said),
      cmocka_unit_test(a_device_uses_lines_the_way_dma_sync_said),
      cmocka_unit_test(what_a_program_had_is_synced_before_a_device_has_it),
      cmocka_unit_test(what_a_device_wrote_is_synced_before_a_program_has_it),
      cmocka_unit_test(a_program_may_use_what_is_beside_a_mapping),
      cmocka_unit_test(mappings_do_not_meet_in_a_line_that_a_device_writes),
      cmocka_unit_test(a_mapping_does_not_outlive_its_buffer),
      cmocka_unit_test(what_lies_in_the_place_of_a_page_goes_with_its_mapping),
      cmocka_unit_test(books_that_are_full_forget_what_was_given_back_first),
      cmocka_unit_test(long_mappings_take_the_room_of_many),
      cmocka_unit_test(every_line_that_is_followed_is_its_own),
      cmocka_unit_test(memory_that_runs_out_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
