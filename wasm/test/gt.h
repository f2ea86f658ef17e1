/* The machine "gt-and-peer": SystemA with one GT card. For unit tests in C. */
#ifndef SIM_TEST_GT_H
#define SIM_TEST_GT_H

#include "test/testing.h"

#define CPU part_named("cpu")
#define CACHE part_named("cache")
#define BRIDGE part_named("bridge")
#define MEMORY part_named("memory")
#define BUS part_named("bus")
#define CARD part_named("gt")
#define RING part_named("ring")
#define DRIVER part_named("driver")
#define PEER part_named("peer")
#define GT_PARTS (PEER + 1)

#define NS 1000ull
#define US 1000000ull
#define CARD_BASE 0x80000000ull

/* One row of a program: op, from, to, bytes, width, time, count, tag. */
#define ROW(op, from, to, bytes, time, count, tag) PROCESSOR_OP_##op, from, to, bytes, 4, time, count, tag
#define END_ROW ROW(END, 0, 0, 0, 0, 0, 0)

/* A session with this program; the same opened; and run until no event is left. */
static inline struct session gt_session(const uint64_t *program, uint32_t count) {
  machine_rows("cpu", 0, program, count);
  return *machine_session();
}
static inline void gt_open(const uint64_t *program, uint32_t count) {
  machine_rows("cpu", 0, program, count);
  machine_open();
}
/* Opened with a mapping service behind the driver. No machine text can have it, because nothing here
 * translates the mapped addresses. */
static inline void gt_open_mapping(const uint64_t *program, uint32_t count, uint32_t type, const void *params,
    uint32_t bytes, uint32_t port) {
  struct session s = gt_session(program, count);
  const uint32_t wires = 4 * s.words[7]; /* after the parts */
  uint32_t kept[64];
  assert_true(wires <= sizeof kept / sizeof *kept);
  s.n -= wires;
  memcpy(kept, &s.words[s.n], wires * sizeof *kept);
  session_part(&s, type, params, bytes / 8);
  memcpy(&s.words[s.n], kept, wires * sizeof *kept);
  s.n += wires;
  session_wire(&s, DRIVER, GT_DRIVER_PORT_MAP, s.words[6], port);
  s.words[6]++, s.words[7]++;
  assert_int_equal(session_open(&s), SIM_OK);
}
#define MAPPING GT_PARTS /* the service */

#define OPEN(program) gt_open(ROWS(program))
#define RUN(program) (gt_open(ROWS(program)), session_run())

#endif
