/* The position of a register value among the requests held at the end of an HSC bus. For unit tests in C. */
#ifndef SIM_TEST_HSC_ORDER_H
#define SIM_TEST_HSC_ORDER_H

#include "test/testing.h"

/* The requests held before a register's value arrives, oldest first, and how many of them precede the value
 * of slot 2. */
struct hsc_order {
  uint32_t held;
  uint32_t behind;
  struct {
    uint32_t kind, slot;
  } request[3];
};
static const struct hsc_order HSC_ORDERS[] __attribute__((unused)) = {
    {0, 0, {{0}}},
    {1, 1, {{HSC_KIND_WRITE, 2}}},
    {1, 0, {{HSC_KIND_WRITE, 3}}},
    {1, 0, {{HSC_KIND_READ, 2}}},
    {1, 0, {{HSC_KIND_READ_LOCKED, 2}}},
    {1, 1, {{HSC_KIND_SEMAPHORE, 2}}},
    {3, 2, {{HSC_KIND_READ, 3}, {HSC_KIND_WRITE_UNLOCK, 2}, {HSC_KIND_WRITE, 3}}},
    {3, 3, {{HSC_KIND_WRITE, 2}, {HSC_KIND_READ, 2}, {HSC_KIND_INTERRUPT, 2}}},
    {3, 1, {{HSC_KIND_WRITE, 2}, {HSC_KIND_READ, 2}, {HSC_KIND_WRITE, 0}}},
};
#define HSC_ORDER_COUNT (sizeof HSC_ORDERS / sizeof *HSC_ORDERS)

#endif
