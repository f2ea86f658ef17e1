/* Trace, choices and hash. */
#include "core/engine.h"
#include "core/hash.h"

uint32_t sim_trace(sim *m, uint32_t self, uint32_t kind, uint64_t a, uint32_t b, uint32_t c) {
  return sim_trace_often(m, self, kind, a, b, c);
}

/* While exploring, the explorer supplies the choice and learns the number of alternatives. */
static uint32_t forced_choice(struct sim_host_state *side, uint32_t n) {
  uint32_t i = side->choices_made++;
  if (i >= 16) __builtin_trap();
  if (i >= side->forced_choices) side->choice[i] = 0;
  side->choices_of[i] = n;
  return side->choice[i];
}

uint32_t sim_choose(sim *m, uint32_t kind, uint32_t n) {
  if (n <= 1) return 0;
  struct sim_host_state *side = sim_host_state(m);
  if (side->exploring) return forced_choice(side, n);
  uint32_t *log = sim_at(m, side->directory.choices_at);
  uint32_t index = m->choice_count++, pick;
  m->random += 0x9e3779b97f4a7c15ull;
  if (index < side->replay_count) pick = log[index] & 0xffff;
  else if (index < m->given) pick = *((const uint32_t *)sim_at(m, m->table_choices_at) + 2 * index);
  else pick = (uint32_t)((mix(m->random) >> 32) * n >> 32);
  if (pick >= n) pick = n - 1;
  if (index < side->directory.choices_capacity) log[index] = kind << 16 | pick;
  return pick;
}

/* Four lanes of multiply and rotate over 32-bit words; order and every bit count. It also reads the red zones
   (load.c). */
__attribute__((no_sanitize("address"))) void sim_hash(sim *m) {
  const uint32_t *word = (const uint32_t *)m;
  uint32_t words = m->state_bytes / 4;
  uint64_t lane[4] = {1, 2, 3, 4};
  for (uint32_t i = 0; i < words; i++) {
    uint64_t *h = &lane[i & 3];
    *h = (*h ^ word[i]) * 0x9e3779b97f4a7c15ull;
    *h ^= *h >> 29;
  }
  uint64_t hash = words;
  for (int i = 0; i < 4; i++) hash = mix(hash ^ lane[i]);
  sim_host_state(m)->directory.hash_lo = (uint32_t)hash;
  sim_host_state(m)->directory.hash_hi = (uint32_t)(hash >> 32);
}
