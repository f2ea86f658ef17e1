/* The table in memory: addresses of its entries, and the time to read them. */
#include "parts/translation/iommu/iommu.h"

/* The address of an entry. Second-level tables follow the upper one, which fills whole pages. */
static uint64_t iommu_entry_at(struct iommu *unit, uint64_t entry) {
  uint64_t upper = ((uint64_t)unit->state->entries + IOMMU_TABLE_ENTRIES - 1) / IOMMU_TABLE_ENTRIES,
           frame = 1u << IOMMU_FRAME;
  uint64_t bytes = unit->params->levels == 1 ? 0 : (upper * IOMMU_ENTRY_BYTES + frame - 1) / frame * frame;
  return unit->params->table + bytes + entry * IOMMU_ENTRY_BYTES;
}

/* The address of the upper table's entry for it. */
static uint64_t iommu_upper_at(struct iommu *unit, uint64_t entry) {
  return unit->params->table + entry / IOMMU_TABLE_ENTRIES * IOMMU_ENTRY_BYTES;
}

/* Duration of a miss: its reads of memory, if the table is there. */
static uint64_t iommu_walk_time(sim *m, struct iommu *unit, uint64_t entry) {
  if (!sim_wired(m, unit->self, IOMMU_PORT_MEMORY)) return unit->params->walk_time;
  struct memory_read q = {
      .address = iommu_upper_at(unit, entry), .bytes = (uint32_t)unit->params->walk_read, .when = m->time};
  if (unit->params->levels == 2) call_memory_read(m, unit->self, IOMMU_PORT_MEMORY, &q);
  q.address = iommu_entry_at(unit, entry);
  call_memory_read(m, unit->self, IOMMU_PORT_MEMORY, &q);
  unit->counters->walks++;
  unit->counters->walk_reads += unit->params->levels;
  unit->counters->walking += q.when - m->time;
  sim_trace(m, unit->self, IOMMU_EV_READS, q.when - m->time, (uint32_t)entry, (uint32_t)unit->params->levels);
  return q.when - m->time;
}
