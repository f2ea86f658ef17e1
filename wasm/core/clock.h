/*
 * A clock with edges at floor(cycle / frequency) in picoseconds. Each edge is found with two additions
 * instead of a wide division; the remainder is carried along, so nothing drifts.
 */
#ifndef SIM_CORE_CLOCK_H
#define SIM_CORE_CLOCK_H

#include <stdint.h>

struct sim_clock {
  uint64_t edge;   /* time of the current edge */
  uint64_t rest;   /* rounding error of that time, in 1/hertz of a picosecond */
  uint64_t period; /* whole picoseconds, and the remainder in 1/hertz */
  uint64_t excess;
  uint64_t hertz;
};

static inline struct sim_clock sim_clock_of(uint64_t hertz) {
  return (struct sim_clock){0, 0, 1000000000000ull / hertz, 1000000000000ull % hertz, hertz};
}

/* Time of the n-th edge after the current one; `rest` in and out. */
static inline uint64_t sim_clock_add(const struct sim_clock *c, uint64_t n, uint64_t *rest) {
  uint64_t sum = *rest + n * c->excess, carry = 0;
  if (n <= 32)
    for (; sum >= c->hertz; sum -= c->hertz) carry++; /* cheaper than a division */
  else carry = sum / c->hertz, sum %= c->hertz;
  *rest = sum;
  return c->edge + n * c->period + carry;
}

/* Moves on to the first edge at or after `time` and returns it. */
static inline uint64_t sim_clock_next_edge(struct sim_clock *c, uint64_t time) {
  while (time > c->edge + 8 * c->period) { /* far away: first skip as many whole periods as safely fit */
    uint64_t gap = time - c->edge,
             n = gap >> 32 ? gap / (c->period + 1) : (uint32_t)gap / ((uint32_t)c->period + 1);
    c->edge = sim_clock_add(c, n < 1u << 30 ? n : 1u << 30, &c->rest);
  }
  while (c->edge < time) {
    c->edge += c->period;
    c->rest += c->excess;
    if (c->rest >= c->hertz) c->rest -= c->hertz, c->edge++;
  }
  return c->edge;
}

/* `n` cycles after the current edge. */
static inline uint64_t sim_clock_after(const struct sim_clock *c, uint64_t n) {
  uint64_t rest = c->rest;
  return sim_clock_add(c, n, &rest);
}

#endif
