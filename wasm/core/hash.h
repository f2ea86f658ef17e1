/* Mixes the bits of a number deterministically: for hashes and for the seeded choices. */
#ifndef SIM_MIX_H
#define SIM_MIX_H

#include <stdint.h>

static inline uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

#endif
