/*
 * Random service times. A choice picks one of 64 equally likely values; their mean is exact, and they spread
 * like a sum of four exponential times (Erlang-4): half the mean around it.
 */
#ifndef SIM_SPREAD_H
#define SIM_SPREAD_H

#include "core/engine.h"

#define SIM_JITTER_VALUES 64u
#define SIM_JITTER_ONE 4096u

/* Quantiles in 1/4096 of the mean, at the middle of each 64th. */
static const uint16_t sim_jitter_table[SIM_JITTER_VALUES] = {785, 1095, 1291, 1445, 1576, 1693, 1800, 1899,
    1993, 2083, 2168, 2251, 2332, 2410, 2487, 2563, 2637, 2711, 2784, 2856, 2928, 3000, 3071, 3143, 3214,
    3286, 3358, 3431, 3504, 3578, 3653, 3728, 3804, 3882, 3961, 4041, 4122, 4206, 4291, 4378, 4467, 4559,
    4654, 4752, 4853, 4958, 5067, 5181, 5301, 5426, 5559, 5699, 5849, 6011, 6186, 6377, 6588, 6826, 7099,
    7420, 7814, 8328, 9086, 10646};

/* A random time around `mean`, or `mean` itself if `vary` is 0. */
static inline uint64_t sim_jitter(sim *m, uint64_t mean, int varies) {
  if (!varies || mean == 0) return mean;
  return mean * sim_jitter_table[sim_choose(m, SIM_CHOOSE_TIME, SIM_JITTER_VALUES)] / SIM_JITTER_ONE;
}

#endif
