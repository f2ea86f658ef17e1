/*
 * The check of lazy flushing, for a host: allocate room, write the input into the job, run, read the job. An
 * instance holds either an engine, a table or a check.
 */
#include "verify/pool_check.c"

static struct {
  uint32_t job_at;
  uint32_t nodes_at;
  uint32_t table_at;
  uint32_t slots;
} pool_check;

/* Allocates room for `states` states. Returns the address of the job, or 0 without memory. */
EXPORT(check_room) uint32_t wasm_check_room(uint32_t states) {
  uint32_t slots = 1024;
  while (slots < 2 * states) slots *= 2;
  uint64_t bytes =
      sizeof(struct check_job) + (uint64_t)states * sizeof(struct check_node) + (uint64_t)slots * 4 + 256;
  uint32_t at = ((uint32_t)(uintptr_t)&__heap_base + 63u) & ~63u;
  if (states > 1u << 24 || !grown(at + (uint32_t)bytes)) return 0;
  pool_check.slots = slots;
  pool_check.job_at = maps_place(&at, sizeof(struct check_job));
  pool_check.table_at = maps_place(&at, slots * 4);
  pool_check.nodes_at = at;
  __builtin_memset((void *)(uintptr_t)pool_check.table_at, 0, slots * 4);
  struct check_job *job = (void *)(uintptr_t)pool_check.job_at;
  *job = (struct check_job){.most = states};
  return pool_check.job_at;
}

EXPORT(check_run) void wasm_check_run(void) {
  check_pools((void *)(uintptr_t)pool_check.job_at, (void *)(uintptr_t)pool_check.nodes_at,
      (void *)(uintptr_t)pool_check.table_at, pool_check.slots);
}
