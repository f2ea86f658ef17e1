/*
 * The WebAssembly interface. One instance holds one engine; the host reads and writes its memory directly at
 * the offsets in the header. Layout of linear memory: stack, globals, session, engine.
 */
#include "host/engine.c"

#define EXPORT(name) __attribute__((export_name(#name)))
#define PAGE 65536u

extern unsigned char __heap_base;
static uint32_t engine_at;

static uint32_t grown(uint32_t end) {
  uint32_t pages = (end + PAGE - 1) / PAGE, have = (uint32_t)__builtin_wasm_memory_size(0);
  return pages <= have || __builtin_wasm_memory_grow(0, pages - have) != (uintptr_t)-1;
}

static sim *engine(void) { return (sim *)(uintptr_t)(engine_at + SIM_HOST_STATE_BYTES); }

/* While it opens, the engine grows upwards into unused memory. */
void *sim_host_reserve(void *m, uint64_t bytes) {
  if (engine_at + bytes > UINT32_MAX - PAGE) return NULL;
  return grown(engine_at + (uint32_t)bytes) ? m : NULL;
}

/* Returns the address at which the host writes a session of `bytes` bytes before `open`; 0 if there is no
 * memory. */
EXPORT(session) uint32_t wasm_session(uint32_t bytes) {
  uint32_t base = ((uint32_t)(uintptr_t)&__heap_base + 63u) & ~63u;
  if (bytes > 64u << 20 || !grown(base + bytes + 4096)) return 0;
  engine_at = base + ((bytes + 4095u) & ~4095u);
  if (!grown(engine_at + 2 * PAGE)) return 0;
  *sim_host_state(engine()) = (struct sim_host_state){.limit = 2 * PAGE};
  return base;
}
EXPORT(open) int wasm_open(uint32_t bytes) {
  uint32_t base = ((uint32_t)(uintptr_t)&__heap_base + 63u) & ~63u;
  return sim_open(engine(), (const uint32_t *)(uintptr_t)base, bytes / 4);
}
EXPORT(engine) uint32_t wasm_engine(void) { return engine_at + SIM_HOST_STATE_BYTES; }
EXPORT(run) int wasm_run(uint32_t until_lo, uint32_t until_hi, uint32_t events_lo, uint32_t events_hi) {
  return sim_run(engine(), (uint64_t)until_hi << 32 | until_lo, (uint64_t)events_hi << 32 | events_lo);
}
EXPORT(command) int wasm_command(uint32_t part, uint32_t param, uint32_t lo, uint32_t hi) {
  return sim_command(engine(), part, param, (uint64_t)hi << 32 | lo);
}
EXPORT(look) uint32_t wasm_look(void) { return (uint32_t)(uintptr_t)sim_refresh_header(engine()); }
EXPORT(hash) void wasm_hash(void) { sim_hash(engine()); }
EXPORT(record) void wasm_record(uint32_t on) { sim_record_trace(engine(), on); }
EXPORT(replay) void wasm_replay(uint32_t at, uint32_t count) {
  sim_replay(engine(), (const uint32_t *)(uintptr_t)at, count);
}
EXPORT(fail_allocation) void wasm_fail_allocation(uint32_t nth) { sim_fail_allocation(engine(), nth); }
