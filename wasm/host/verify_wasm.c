/*
 * The engine with all checkers and trace replay, as a module of its own: a superset of wasm.c that the page
 * fetches only on demand.
 */
#define SIM_CHECKS
#include "host/wasm.c"

#include "verify/player/reference_text.c"
#include "verify/monitor.c"

/* Allocates memory for exploring behind the engine. Returns 0 if there is none. */
static uint32_t explore_at;
EXPORT(explore_begin) uint32_t wasm_explore_begin(uint32_t mib) {
  explore_at = (engine_at + SIM_HOST_STATE_BYTES + sim_refresh_header(engine())->total_bytes + 63u) & ~63u;
  if (mib > 3800 || (uint64_t)explore_at + ((uint64_t)mib << 20) > UINT32_MAX - PAGE
      || !grown(explore_at + (mib << 20)))
    return 0;
  sim_explore_begin(engine(), (void *)(uintptr_t)explore_at, (uint64_t)mib << 20);
  return explore_at;
}
EXPORT(explore) uint32_t wasm_explore(uint32_t transitions) {
  return (uint32_t)(uintptr_t)sim_explore(engine(), (void *)(uintptr_t)explore_at, transitions);
}

/* Allocates room behind the engine for the text of a recorded trace, which the host writes before `play`;
   returns 0 if there is none. */
static uint32_t text_at, text_room;
static struct sim_played played;
EXPORT(play_room) uint32_t wasm_play_room(uint32_t bytes) {
  played = (struct sim_played){0};
  text_at = (engine_at + SIM_HOST_STATE_BYTES + sim_refresh_header(engine())->total_bytes + 63u) & ~63u;
  text_room = bytes;
  return grown(text_at + bytes + 1) ? text_at : 0;
}
EXPORT(play) uint32_t wasm_play(uint32_t player, uint32_t bytes, uint32_t last) {
  sim_play_references(engine(), player, (uint8_t *)(uintptr_t)text_at, bytes, text_room, (int)last, &played);
  return (uint32_t)(uintptr_t)&played;
}

#include "host/map_table.c"
#include "host/pool_check_wasm.c"
