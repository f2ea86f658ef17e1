/* The table in memory: addresses of its entries, and the time to read them. */
#include "parts/translation/iommu/iommu.h"

/* The address of an entry. Second-level tables follow the upper one, which fills whole pages. */
static uint64_t iommu_entry_at(sim *m, uint32_t self, uint64_t entry) {
  const struct iommu_params *q = SIM_PARAMS(m, self, iommu);
  uint64_t upper = ((uint64_t)SIM_STATE(m, self, iommu)->entries + IOMMU_TABLE_ENTRIES - 1) / IOMMU_TABLE_ENTRIES, frame = 1u << IOMMU_FRAME;
  uint64_t bytes = q->levels == 1 ? 0 : (upper * IOMMU_ENTRY_BYTES + frame - 1) / frame * frame;
  return q->table + bytes + entry * IOMMU_ENTRY_BYTES;
}

/* The address of the upper table's entry for it. */
static uint64_t iommu_upper_at(sim *m, uint32_t self, uint64_t entry) { return SIM_PARAMS(m, self, iommu)->table + entry / IOMMU_TABLE_ENTRIES * IOMMU_ENTRY_BYTES; }

/* Duration of a miss: its reads of memory, if the table is there. */
static uint64_t iommu_walk_time(sim *m, uint32_t self, uint64_t entry) {
  const struct iommu_params *p = SIM_PARAMS(m, self, iommu);
  if (!sim_wired(m, self, IOMMU_PORT_MEMORY)) return p->walk_time;
  struct iommu_counters *c = SIM_COUNTERS(m, self, iommu);
  struct memory_read q = {.address = iommu_upper_at(m, self, entry), .bytes = (uint32_t)p->walk_read, .when = m->time};
  if (p->levels == 2) call_memory_read(m, self, IOMMU_PORT_MEMORY, &q);
  q.address = iommu_entry_at(m, self, entry);
  call_memory_read(m, self, IOMMU_PORT_MEMORY, &q);
  c->walks++;
  c->walk_reads += p->levels;
  c->walking += q.when - m->time;
  sim_trace(m, self, IOMMU_EV_READS, q.when - m->time, (uint32_t)entry, (uint32_t)p->levels);
  return q.when - m->time;
}
