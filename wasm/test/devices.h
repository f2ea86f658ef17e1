/* Machines with devices, for unit tests in C of address translation: which lines a device reads and when,
 * and how many TLB misses it causes. */
#ifndef SIM_TEST_DEVICES_H
#define SIM_TEST_DEVICES_H

#include "test/hp.h"

#define IO_PAGE(n) ((n) * PAGE)
#define READ(at, bytes) DEVICE_ROW(READ, at, bytes, 0, 1)
#define WRITE(at, bytes) DEVICE_ROW(WRITE, at, bytes, 0, 1)
#define PAUSE(time) DEVICE_ROW(PAUSE, 0, 4, time, 1)

/* The transaction that an agent starts when granted the bus, and its half lines. */
#define assert_transaction(q, kind, at, as, first, second) \
  do {                                                     \
    struct runway_grant grant_ = q;                        \
    assert_int_equal(grant_.type, kind);                   \
    assert_int_equal(grant_.address, at);                  \
    assert_int_equal(grant_.slot, as);                     \
    assert_int_equal(grant_.halves[0], first);             \
    assert_int_equal(grant_.halves[1], second);            \
  } while (0)

/* The initial write number of the half line at an address: each has its own. */
static inline uint32_t first_write(uint64_t addr) { return (uint32_t)((addr - BASE) / HALF_BYTES) + 1; }

static inline void with_devices(uint32_t devices) {
  hp(1, devices);
  PARAMS("memory", memory_controller)->written = 1;
}

/* The nth line that a device has read: the time, and the write number of its first half. */
static inline struct sim_record line_read(uint32_t nth) {
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  assert_true(d->seq_lo < d->trace_capacity);
  for (uint32_t i = 0; i < d->seq_lo; i++)
    if (ring[i].part == DEVICE(0) && ring[i].kind == DMA_DEVICE_EV_READ && nth-- == 0) return ring[i];
  fail_msg("the device has not read so much");
  return (struct sim_record){0};
}

static inline uint32_t missed(void) { return (uint32_t)COUNTERS("adapter", io_adapter)->misses; }

#endif
