/*
 * The allocator port: entries allocated by another service for this table, and allocations for another
 * service's table. The latter take the same locks, searches and hand-offs as the service's own; only filling,
 * clearing and purging is the other service's work.
 */
#include "os/mapping/iommu_map/iommu_map.h"

/* Sets up rows for the callers, and the range to allocate from. */
static int map_size_up(sim *m, struct iommu_map *service) {
  struct allocator_setup size = {0};
  for (uint32_t cpu = 0; cpu < MAP_CPUS; cpu++)
    if (sim_wired(m, service->self, IOMMU_MAP_PORT_CPU + cpu)) service->state->cpus = cpu + 1;
  if (!map_serves_clients(m, service)) return SIM_OK;
  call_allocator_setup(m, service->self, IOMMU_MAP_PORT_LENDS, &size);
  if (service->state->cpus || size.pages < service->params->entries)
    return sim_refuse(m, SIM_BAD_PARAM, service->self, IOMMU_MAP_PARAM_ENTRIES);
  service->state->cpus = size.processors;
  return SIM_OK;
}

static void iommu_map_lends_alloc(sim *m, struct iommu_map *service, struct allocator_alloc *q) {
  uint32_t index = map_index(q->caller), number = map_cpu_of_thread(m, service, CALLER_CPU(q->caller));
  map_enter(m, service, index,
      &(map_call){
          .op = PROCESSOR_OP_MAP, .handle = NO_TAG, .address = MAP_NONE, .pages = (uint32_t)q->pages});
  *map_request_of(m, service, index) = (struct map_request){.pages = q->pages,
      .cpu = number,
      .hash = map_cpu_hash(number, service->state->multiplier),
      .align = q->align,
      .mask = q->last};
}

static void iommu_map_lends_free(sim *m, struct iommu_map *service, struct allocator_free *q) {
  const struct map_head *h = sim_at(m, service->state->head_at);
  map_enter(m, service, map_index(q->caller),
      &(map_call){.op = PROCESSOR_OP_UNMAP,
          .handle = NO_TAG,
          .address = q->page << h->shift,
          .pages = (uint32_t)q->pages});
}

static uint32_t iommu_map_lends_next(sim *m, struct iommu_map *service, struct allocator_next *q) {
  uint32_t shift = ((struct map_head *)sim_at(m, service->state->head_at))->shift,
           step = map_next(m, service, q->caller, (struct os_next *)q);
  if (step != OS_STEP_DONE) return step;
  q->page >>= shift;
  q->value >>= shift;
  return OS_STEP_DONE;
}

/* A step of the other allocator. The IOMMU purges what it requests; by register, and for several pages,
 * everything. */
static uint32_t map_external_alloc_done(
    sim *m, struct iommu_map *service, uint32_t caller, map_call *call, struct os_next *p) {
  const struct map_head *h = sim_at(m, service->state->head_at);
  struct allocator_next *q = (struct allocator_next *)p;
  struct iommu_reads_table where = {0};
  uint32_t step;
  for (;;) {
    q->caller = caller;
    step = call_allocator_next(m, service->self, IOMMU_MAP_PORT_ALLOCATOR, q);
    if (step != OS_STEP_INVALIDATE) break;
    if (!sim_wired(m, service->self, IOMMU_MAP_PORT_IOMMU)) continue;
    if (map_in_memory(m, service, &where)) {
      service->counters->flushes += q->detail;
      return q->detail || call->pages > 1
                 ? STEP_OF_STORE(p, where.registers + IOMMU_REG_FLUSH, 1, PROCESSOR_STATE_TABLE)
                 : STEP_OF_STORE(p, where.registers + IOMMU_REG_PURGE, map_entry_at(h, call->address),
                       PROCESSOR_STATE_TABLE);
    }
    if (!q->detail) {
      call_iommu_invalidate(m, service->self, IOMMU_MAP_PORT_IOMMU,
          &(struct iommu_invalidate){.entry = map_entry_at(h, call->address), .entries = call->pages});
      continue;
    }
    service->counters->flushes++;
    call_iommu_invalidate_all(m, service->self, IOMMU_MAP_PORT_IOMMU);
    return STEP_OF_WORK(p, service->params->flush_time, PROCESSOR_STATE_LOCKED, 1);
  }
  if (step != OS_STEP_DONE || call->op != PROCESSOR_OP_MAP) return step;
  call->pages = (uint32_t)q->value;
  if (call->pages) call->address = h->base + (q->page << h->shift);
  return OS_STEP_DONE;
}

/* Allocates or frees entries with the other allocator for this service. */
static uint32_t map_use_external_allocator(
    sim *m, struct iommu_map *service, uint32_t caller, map_call *call, struct os_next *p) {
  const struct map_head *h = sim_at(m, service->state->head_at);
  const struct map_request *q = map_request_of(m, service, map_index(caller));
  map_turn *turn = map_turn_of(m, service->state, map_index(caller));
  RESUME(turn) {
    if (call->op == PROCESSOR_OP_MAP)
      call_allocator_alloc(m, service->self, IOMMU_MAP_PORT_ALLOCATOR,
          &(struct allocator_alloc){.caller = caller,
              .pages = q->mask < h->offset ? 0 : call->pages,
              .last = q->mask - h->offset,
              .align = q->align});
    else
      call_allocator_free(m, service->self, IOMMU_MAP_PORT_ALLOCATOR,
          &(struct allocator_free){
              .caller = caller, .page = map_entry_at(h, call->address), .pages = call->pages});
    AWAIT_SERVICE(turn, IOMMU_MAP_TURN_BORROW, map_external_alloc_done(m, service, caller, call, p));
  }
  return OS_STEP_DONE;
}

static void iommu_map_allocator_setup(sim *m, struct iommu_map *service, struct allocator_setup *q) {
  (void)m;
  q->pages = service->params->entries;
  q->processors = MAP_CPUS;
}

static void iommu_map_allocator_wake(sim *m, struct iommu_map *service, struct allocator_wake *q) {
  call_os_wake(m, service->self, IOMMU_MAP_PORT_CPU + CALLER_CPU(q->caller),
      &(struct os_wake){.thread = CALLER_THREAD(q->caller)});
}
