/*
 * A table in memory: the processor stores its entries like any other data, flushes them line by line if the
 * unit's reads are not snooped, and purges cached translations by registers of the unit.
 *
 *   store entry, store entry ... flush the line ... sync        purge register, purge register ... load: all
 * of it is done
 */
#include "os/mapping/iommu_map/iommu_map.h"

/* The address of the table; 0 if the unit keeps it itself. */
static uint32_t map_in_memory(sim *m, struct iommu_map *service, struct iommu_reads_table *where) {
  return sim_wired(m, service->self, IOMMU_MAP_PORT_IOMMU)
             ? call_iommu_reads_table(m, service->self, IOMMU_MAP_PORT_IOMMU, where)
             : 0;
}

static uint32_t map_walks(sim *m, struct iommu_map *service) {
  return map_in_memory(m, service, &(struct iommu_reads_table){0});
}

/* Whether unmap purges the translations of its entries. */
static int map_purges(sim *m, struct iommu_map *service) {
  return service->params->flush == IOMMU_MAP_FLUSH_EACH && !map_has_external_allocator(m, service)
         && service->params->fault != IOMMU_MAP_FAULT_NOT_PURGED;
}

static uint32_t map_access(struct os_next *p, uint64_t address, uint32_t op) {
  p->address = address;
  p->state = PROCESSOR_STATE_TABLE;
  p->detail = op;
  return OS_STEP_ACCESS;
}

/* Stores an entry; a cache that models tags only needs no flush. */
static uint32_t map_store(struct os_next *p, uint64_t address, const struct iommu_reads_table *where) {
  uint32_t step = map_access(p, address, CACHE_OP_STORE);
  return where->coherent ? OS_STEP_ACCESS_UNTIMED : step;
}

/* Reports a stored entry's value to the unit. */
static void map_stored(sim *m, struct iommu_map *service, uint32_t cpu, const map_call *call, uint64_t entry,
    uint64_t address, int valid) {
  uint64_t page = service->params->page, host = call->host + call->page * (uint64_t)(call->detail + 1) * page;
  if (valid)
    call_iommu_set(m, service->self, IOMMU_MAP_PORT_IOMMU,
        &(struct iommu_set){.entry = entry, .page = host, .entries = 1, .stride = 1});
  else
    call_iommu_clear(
        m, service->self, IOMMU_MAP_PORT_IOMMU, &(struct iommu_clear){.entry = entry, .entries = 1});
  service->counters->stored++;
  sim_trace(m, service->self, IOMMU_MAP_EV_ENTRY, address, (uint32_t)valid, cpu);
}

/* Stores the entries of a call, valid or cleared, one after another. */
static uint32_t map_write_table(
    sim *m, struct iommu_map *service, uint32_t cpu, map_call *call, struct os_next *p, int valid) {
  const struct map_head *h = sim_at(m, service->state->head_at);
  struct iommu_reads_table where = {0};
  map_in_memory(m, service, &where);
  const uint64_t first = map_entry_at(h, call->address);
  uint64_t at = where.table + (first + call->page) * IOMMU_ENTRY_BYTES;
  int flushes = service->params->flush_entries && !where.coherent
                && (valid || service->params->fault != IOMMU_MAP_FAULT_ENTRY_NOT_FLUSHED);
  RESUME_AT(call->inner) {
    for (call->page = 0; call->page < call->pages; call->page++, at += IOMMU_ENTRY_BYTES) {
      AWAIT_AT(call->inner, IOMMU_MAP_INNER_STORED, map_store(p, at, &where));
      map_stored(m, service, cpu, call, first + call->page, at, valid);
      if (flushes && ((at + IOMMU_ENTRY_BYTES) % RUNWAY_LINE == 0 || call->page + 1 == call->pages))
        AWAIT_AT(call->inner, IOMMU_MAP_INNER_FLUSHED, map_access(p, at, CACHE_OP_FLUSH));
    }
    if (flushes) AWAIT_AT(call->inner, IOMMU_MAP_INNER_SYNCED, map_access(p, 0, CACHE_OP_SYNC));
  }
  call->inner = IOMMU_MAP_INNER_NONE;
  call->page = 0;
  return OS_STEP_DONE;
}

/* Purges translations of the unit: those of a call, or all. A load confirms that it is done, and that no
   access still uses them. */
static uint32_t map_purge(sim *m, struct iommu_map *service, map_call *call, struct os_next *p, int all) {
  const struct map_head *h = sim_at(m, service->state->head_at);
  struct iommu_reads_table where = {0};
  map_in_memory(m, service, &where);
  RESUME_AT(call->inner) {
    if (all)
      AWAIT_AT(call->inner, IOMMU_MAP_INNER_FLUSHED_ALL,
          STEP_OF_STORE(p, where.registers + IOMMU_REG_FLUSH, 1, PROCESSOR_STATE_TABLE));
    for (call->page = 0; !all && call->page < call->pages; call->page++)
      AWAIT_AT(call->inner, IOMMU_MAP_INNER_PURGED,
          STEP_OF_STORE(p, where.registers + IOMMU_REG_PURGE, map_entry_at(h, call->address) + call->page,
              PROCESSOR_STATE_TABLE));
    AWAIT_AT(call->inner, IOMMU_MAP_INNER_READ_BACK,
        STEP_OF_LOAD(p, where.registers + IOMMU_REG_FAULTS, PROCESSOR_STATE_TABLE));
  }
  call->inner = IOMMU_MAP_INNER_NONE;
  call->page = 0;
  return OS_STEP_DONE;
}
