#include "parts/translation/iommu/iommu.h"

static uint32_t *iommu_page(sim *m, struct iommu *unit, uint64_t entry) {
  return (uint32_t *)sim_at(m, unit->state->table_at) + entry;
}

/* The cache set of an entry: its first way, and its state. */
static translation *iommu_set_of(sim *m, struct iommu *unit, uint64_t entry, struct iommu_now **now) {
  uint64_t set = entry & (unit->params->sets - 1);
  *now = (struct iommu_now *)sim_at(m, unit->state->now_at) + set;
  return (translation *)sim_at(m, unit->state->cache_at) + set * unit->params->cached;
}

/* The cached translation of an entry, or NULL. */
static translation *iommu_find(sim *m, struct iommu *unit, uint64_t entry) {
  struct iommu_now *now;
  translation *cache = iommu_set_of(m, unit, entry, &now);
  for (uint32_t i = 0; i < now->used; i++)
    if (cache[i].entry == entry + 1) return &cache[i];
  return NULL;
}

/* Caches a translation in the way that was filled longest ago. */
static translation *iommu_keep_translation(sim *m, struct iommu *unit, uint64_t entry, uint32_t page) {
  uint32_t places = (uint32_t)unit->params->cached;
  struct iommu_now *now;
  translation *place = iommu_set_of(m, unit, entry, &now) + now->next;
  now->next = (now->next + 1) % places;
  now->used = (uint32_t)sim_min(now->used + 1, places);
  *place = (translation){(uint32_t)entry + 1, page};
  return place;
}

#include "parts/translation/iommu/table.c"

/* Reads the unit's own table. */
static translation *iommu_fetch(sim *m, struct iommu *unit, uint64_t address, uint64_t entry) {
  uint32_t page = *iommu_page(m, unit, entry);
  unit->counters->misses++;
  sim_trace(m, unit->self, IOMMU_EV_MISS, address, (uint32_t)entry, page - 1);
  return iommu_keep_translation(m, unit, entry, page);
}

/* No valid entry: blocks the access, or lets it proceed. */
static uint32_t iommu_refuse(sim *m, struct iommu *unit, uint64_t address, uint32_t write) {
  int checks = unit->params->checks != 0;
  if (checks) unit->counters->faults++;
  else unit->counters->passed++;
  if (checks) unit->state->fault_address = address;
  sim_trace(m, unit->self, checks ? IOMMU_EV_FAULT : IOMMU_EV_PASSED, address, write, 0);
  return checks ? 0 : 1;
}

/* Nothing is mapped, so the entry points to the spare page; it is not cached, because a mapping may follow.
 */
static uint64_t iommu_spill(sim *m, struct iommu *unit, uint64_t address, uint32_t write) {
  unit->counters->spilled++;
  sim_trace(m, unit->self, IOMMU_EV_SPILLED, address, write, 0);
  return unit->params->spare;
}

/* A cached translation is used that the table no longer has: its page and the table's, each + 1. */
static void iommu_trace_stale(sim *m, struct iommu *unit, uint64_t address, uint32_t was, uint32_t is) {
  unit->counters->stale++;
  unit->counters->stale_wrong += is != 0;
  sim_trace(m, unit->self, is ? IOMMU_EV_STALE : IOMMU_EV_GONE, address, was - 1, is ? is - 1 : 0);
}

static uint32_t iommu_device_translate(
    sim *m, struct iommu *unit, uint32_t device, struct iommu_translate *q) {
  (void)device;
  uint64_t entry = (q->address - unit->state->base) >> unit->state->shift,
           offset = q->address & (((uint64_t)1 << unit->state->shift) - 1);
  unit->counters->translations++;
  REPORT_CONTRACT(m, unit->self, IOMMU_PORT_CONTRACT, device_access, .address = q->address, .bytes = 1,
      .access = q->write ? CONTRACT_DIRECTION_FROM_DEVICE : CONTRACT_DIRECTION_TO_DEVICE);
  q->time = q->stale = 0;
  if (q->address < unit->state->base || entry >= unit->state->entries)
    return iommu_refuse(m, unit, q->address, q->write);
  translation *found = iommu_find(m, unit, entry);
  uint32_t page = *iommu_page(m, unit, entry);
  if (!found) {
    q->time = iommu_walk_time(m, unit, entry);
    if (page == 0 && !unit->params->spill) return iommu_refuse(m, unit, q->address, q->write);
    if (page == 0) {
      q->physical = iommu_spill(m, unit, q->address, q->write) + offset;
      return 1;
    }
    found = iommu_fetch(m, unit, q->address, entry);
  } else if (found->page != page) {
    q->stale = 1;
    q->meant = page ? (uint32_t)((((uint64_t)(page - 1) << unit->state->shift) + offset) >> 12) + 1 : 0;
    iommu_trace_stale(m, unit, q->address, found->page, page);
  }
  q->physical = ((uint64_t)(found->page - 1) << unit->state->shift) + offset;
  return 1;
}

static void iommu_map_invalidate(sim *m, struct iommu *unit, struct iommu_invalidate *q) {
  for (uint64_t entry = q->entry; entry < q->entry + q->entries; entry++) {
    translation *found = iommu_find(m, unit, entry);
    if (!found) continue;
    *found = (translation){0, 0};
    unit->counters->drops++;
  }
}

static void iommu_map_invalidate_all(sim *m, struct iommu *unit) {
  struct iommu_now *now = sim_at(m, unit->state->now_at);
  uint32_t used = 0;
  for (uint64_t set = 0; set < unit->params->sets; set++) {
    used += now[set].used;
    now[set] = (struct iommu_now){0, 0};
  }
  unit->counters->flushes++;
  sim_trace(m, unit->self, IOMMU_EV_FLUSH, 0, used, 0);
  __builtin_memset(
      sim_at(m, unit->state->cache_at), 0, unit->params->sets * unit->params->cached * sizeof(translation));
}

#include "parts/translation/iommu/dma.c"

/* Sets or clears entries. In a memory table the service has stored them already. */
static void iommu_change(sim *m, struct iommu *unit, uint64_t entry, uint32_t page) {
  uint64_t value = page ? iommu_entry_with_page((uint64_t)(page - 1) << unit->state->shift >> IOMMU_FRAME)
                              | IOMMU_ENTRY_VALID
                        : 0;
  if (iommu_on_bus(m, unit)) iommu_store(m, unit, iommu_entry_at(unit, entry), value);
  else *iommu_page(m, unit, entry) = page;
}

static void iommu_map_set(sim *m, struct iommu *unit, struct iommu_set *q) {
  for (uint32_t i = 0; i < q->entries && q->entry + i < unit->state->entries; i++)
    iommu_change(m, unit, q->entry + i, (uint32_t)(q->page >> unit->state->shift) + i * q->stride + 1);
}

static void iommu_map_clear(sim *m, struct iommu *unit, struct iommu_clear *q) {
  for (uint32_t i = 0; i < q->entries && q->entry + i < unit->state->entries; i++)
    iommu_change(m, unit, q->entry + i, 0);
}

static uint32_t iommu_map_reads_table(sim *m, struct iommu *unit, struct iommu_reads_table *q) {
  q->table = iommu_entry_at(unit, 0);
  q->registers = unit->params->registers;
  q->coherent = (uint32_t)sim_wired(m, unit->self, IOMMU_PORT_MEMORY);
  return (uint32_t)iommu_on_bus(m, unit) | q->coherent;
}

/* A register of the unit behind a bridge that has requested all earlier translations and knows the results: a
   load does not wait. */
static uint32_t iommu_device_register(sim *m, struct iommu *unit, uint32_t device, struct iommu_register *q) {
  (void)device;
  uint64_t offset = q->address - unit->params->registers;
  if (!sim_wired(m, unit->self, IOMMU_PORT_MEMORY) || offset >= IOMMU_REGISTER_BYTES) return 0;
  if (q->store) iommu_order(m, unit, offset, q->value);
  else q->value = iommu_register_value(unit, offset);
  return 1;
}

static int iommu_load(sim *m, uint32_t self) {
  const struct iommu_params *q = SIM_PARAMS(m, self, iommu);
  struct iommu_setup geometry = {0};
  call_iommu_setup(m, self, IOMMU_PORT_MAP, &geometry);
  struct iommu_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t on_bus = (uint32_t)iommu_on_bus(m, SIM_CONTEXT(m, self, iommu));
  void *table =
      sim_view(m, self, IOMMU_VIEW_TABLE, on_bus ? 0 : geometry.entries, sizeof(struct iommu_table));
  void *cache = sim_view(m, self, IOMMU_VIEW_CACHE, (uint32_t)(q->sets * q->cached), sizeof(translation));
  void *now = sim_view(m, self, IOMMU_VIEW_NOW, (uint32_t)q->sets, sizeof(struct iommu_now));
  void *accesses = sim_view(m, self, IOMMU_VIEW_ACCESSES, on_bus * IOMMU_ACCESSES, sizeof(iommu_access));
  void *walkers = sim_view(m, self, IOMMU_VIEW_WALKERS, on_bus * (uint32_t)q->at_once, sizeof(iommu_walker));
  uint32_t on_hsc = (uint32_t)iommu_on_hsc(m, SIM_CONTEXT(m, self, iommu));
  void *hsc = sim_view(m, self, IOMMU_VIEW_HSC, on_hsc, sizeof(struct iommu_hsc));
  void *requests =
      sim_view(m, self, IOMMU_VIEW_REQUESTS, on_hsc * (uint32_t)q->buffers, sizeof(iommu_request));
  void *returns = sim_view(m, self, IOMMU_VIEW_RETURNS, on_hsc * IOMMU_RETURNS, sizeof(iommu_return));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->base = geometry.base;
  s->entries = geometry.entries;
  s->shift = geometry.shift;
  s->table_at = sim_offset(m, table);
  s->cache_at = sim_offset(m, cache);
  s->now_at = sim_offset(m, now);
  s->accesses_at = sim_offset(m, accesses);
  s->walkers_at = sim_offset(m, walkers);
  s->hsc_at = sim_offset(m, hsc);
  s->requests_at = sim_offset(m, requests);
  s->returns_at = sim_offset(m, returns);
  SIM_COUNTERS(m, self, iommu)->table_bytes = (uint64_t)geometry.entries * 8;
  return SIM_OK;
}

#include "parts/translation/iommu/state.c"
