/*
 * The machine "checked-drivers": a checker of drivers and two processors, with calls to the checker. For
 * unit tests in C. A place is a processor and a row of its program; each finding names the two places in
 * conflict.
 */
#ifndef SIM_TEST_CONTRACT_H
#define SIM_TEST_CONTRACT_H

#include "test/testing.h"

#define CHECK part_named("check")
#define CPU part_named("cpu")
#define OTHER part_named("other")
#define MEM 0x100000ull
#define PAGE 0x1000ull
#define NOW 700u
#define ROW_OF(cpu, row) (((cpu) + 1u) << 16 | ((row) + 1u))
#define ROW(row) ROW_OF(CPU, row)
#define COUNT(name) (COUNTERS("check", dma_check)->name)

static inline void opened_with(uint64_t room) {
  machine("checked-drivers");
  PARAMS("check", dma_check)->room = room;
  machine_open();
  test_engine()->time = NOW;
}
static inline void opened(void) { opened_with(4096); }

/* Each in an event of its own. */
#define SAY_OF(cpu, message, ...)                                                                 \
  (test_engine()->cause = 0, call_contract_##message(test_engine(), cpu, PROCESSOR_PORT_CONTRACT, \
                                 &(struct contract_##message){__VA_ARGS__}))
#define SAY(message, ...) SAY_OF(CPU, message, __VA_ARGS__)

/* Calls of the driver, each at a row; accesses of a device; and accesses of a program's row. */
static inline void mapped(uint32_t row, uint64_t address, uint64_t host, uint32_t bytes, uint32_t way) {
  SAY(at_row, .row = row);
  SAY(mapped, .address = address, .host = host, .bytes = bytes, .way = way);
}
static inline void unmapped(uint32_t row, uint64_t address) {
  SAY(at_row, .row = row);
  SAY(unmapped, .address = address, .syncs = 1);
}
static inline void unmapped_without_sync(uint32_t row, uint64_t address) {
  SAY(at_row, .row = row);
  SAY(unmapped, .address = address);
}
static inline void unmapped_bytes(uint32_t row, uint64_t address, uint64_t bytes) {
  SAY(at_row, .row = row);
  SAY(unmapped, .address = address, .bytes = bytes, .syncs = 1);
}
static inline void failed(uint32_t row, uint32_t handle) {
  SAY(at_row, .row = row);
  SAY(failed, .handle = handle);
}
static inline void without(uint32_t row, uint32_t handle) {
  SAY(at_row, .row = row);
  SAY(bad_handle, .handle = handle);
}
static inline void unmapped_by_old_name(uint32_t row, uint64_t address) {
  SAY(at_row, .row = row);
  SAY(unmapped, .address = address, .gone = 1);
}
static inline void synced(uint32_t row, uint64_t host, uint32_t bytes, uint32_t when) {
  SAY(at_row, .row = row);
  SAY(synced, .host = host, .bytes = bytes, .when = when);
}
static inline void started(uint32_t row, uint64_t address, uint32_t write) {
  SAY(at_row, .row = row);
  SAY(device_start, .address = address, .bytes = 64, .write = write);
}
static inline void freed(uint32_t row, uint64_t host, uint32_t bytes) {
  SAY(at_row, .row = row);
  SAY(freed, .host = host, .bytes = bytes);
}
static inline void reached(uint64_t address, uint32_t access) {
  SAY_OF(OTHER, device_access, .address = address, .bytes = 1, .access = access);
}
static inline void touched(uint32_t row, uint64_t address, uint32_t op) {
  SAY(program_access, .address = address, .row = row, .op = op);
}

#define ALSO 0x100u /* added to a kind: found in the same event as the finding before */
struct finding {
  uint32_t kind;
  uint64_t address;
  uint32_t first;
  uint32_t second;
};

/* All findings, in order: as records, as rows of the view, and counted by kind. */
static inline void assert_finds(const struct finding *findings, uint32_t count) {
  struct expected_event expected[32];
  uint64_t of[DMA_CHECK_FINDING_UNMAP_SIZE + 1] = {0};
  uint32_t rows;
  const struct dma_check_findings *found = checked_view(test_engine(), CHECK, DMA_CHECK_VIEW_FINDINGS, &rows);
  for (uint32_t i = 0; i < count; i++) {
    const struct finding *e = &findings[i];
    uint32_t kind = e->kind & ~ALSO;
    expected[i] = (struct expected_event){NOW, DMA_CHECK_EV_LEAK + kind - DMA_CHECK_FINDING_LEAK, e->address,
        e->first, e->second, e->kind & ALSO ? BECAUSE(CHECK, expected[i - 1].kind) : 0};
    of[kind]++;
    assert_int_equal(found[i].finding, kind);
    assert_int_equal(found[i].address, e->address);
    assert_int_equal(found[i].at, NOW);
    assert_int_equal(found[i].first, e->first);
    assert_int_equal(found[i].second, e->second);
  }
  assert_events(CHECK, expected, count);
  assert_int_equal(COUNT(findings), count);
  for (uint32_t kind = DMA_CHECK_FINDING_LEAK; kind <= DMA_CHECK_FINDING_UNMAP_SIZE; kind++)
    assert_int_equal((&COUNT(leaks))[kind - DMA_CHECK_FINDING_LEAK], of[kind]);
}
#define FINDS(...)                                                 \
  do {                                                             \
    const struct finding expected_[] = {__VA_ARGS__};              \
    assert_finds(expected_, sizeof expected_ / sizeof *expected_); \
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
#define FAILED DMA_CHECK_FINDING_FAILED_MAP
#define SIZE DMA_CHECK_FINDING_UNMAP_SIZE
#define OUT CONTRACT_DIRECTION_TO_DEVICE
#define IN CONTRACT_DIRECTION_FROM_DEVICE
#define BOTH CONTRACT_DIRECTION_BIDIRECTIONAL
#define SHARED CONTRACT_DIRECTION_COHERENT
#define PART CONTRACT_DIRECTION_PARTIAL

#endif
