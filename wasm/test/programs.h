/* Rows of programs, for unit tests in C: for processors and devices, and the trace records of their
 * actions. */
#ifndef SIM_PROGRAMS_H
#define SIM_PROGRAMS_H

#include "test/testing.h"

/* One row of a processor's program: op, from, to, bytes, width, time, count, tag. */
#define ROW(op, from, to, bytes, width, time, count, tag) \
  PROCESSOR_OP_##op, from, to, bytes, width, time, count, tag
#define LOAD(addr) ROW(LOAD, addr, 0, 4, 4, 0, 0, 0)
#define STORE(addr) ROW(STORE, 0, addr, 4, 4, 0, 0, 0)
#define FLUSH(addr) ROW(FLUSH, addr, 0, 4, 4, 0, 0, 0)
#define SPEND(time) ROW(SPEND, 0, 0, 0, 0, time, 0, 0)
#define END ROW(END, 0, 0, 0, 0, 0, 0, 0)
/* One row of a device's program: op, at, bytes, time, count. */
#define DEVICE_ROW(op, at, bytes, time, count) DMA_DEVICE_OP_##op, at, bytes, time, count

/* The next record of this part and kind after sequence number `seq`, or NULL. */
static inline const struct sim_record *record_after(uint32_t part, uint32_t kind, uint32_t seq) {
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  assert_true(d->seq_lo < d->trace_capacity);
  for (uint32_t i = seq; i < d->seq_lo; i++)
    if (ring[i].part == part && ring[i].kind == kind) return &ring[i];
  return NULL;
}

/* The first such record after another one, or of all if that is NULL. */
static inline const struct sim_record *record_following(
    uint32_t part, uint32_t kind, const struct sim_record *before) {
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  return record_after(part, kind, before ? (uint32_t)(before - ring) + 1 : 0);
}

#endif
