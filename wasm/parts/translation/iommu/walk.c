/* Walks: reads an uncached entry from the table in memory, over the bus, level by level. */
#include "parts/translation/iommu/iommu.h"

/* The value of an entry: the newest or, without snooping, the one in memory. */
static uint64_t iommu_value(sim *m, struct iommu *unit, uint64_t at, uint32_t held) {
  struct shadow_value q = {.address = at, .held = held};
  call_shadow_value(m, unit->self, IOMMU_PORT_BUS, &q);
  return q.value;
}

static void iommu_store(sim *m, struct iommu *unit, uint64_t at, uint64_t value) {
  struct shadow_value q = {.address = at, .set = 1, .value = value};
  call_shadow_value(m, unit->self, IOMMU_PORT_BUS, &q);
}

/* The page in a table entry now, + 1; 0 for none. */
static uint32_t iommu_newest_write(sim *m, struct iommu *unit, uint64_t entry) {
  uint64_t value = iommu_value(m, unit, iommu_entry_at(unit, entry), 0);
  return value & IOMMU_ENTRY_VALID
             ? (uint32_t)(iommu_entry_page(value) << IOMMU_FRAME >> unit->state->shift) + 1
             : 0;
}

/* Fills the upper table, as at machine start. */
static void iommu_fill_upper(sim *m, struct iommu *unit) {
  for (uint64_t entry = 0; unit->params->levels == 2 && entry < unit->state->entries;
      entry += IOMMU_TABLE_ENTRIES)
    iommu_store(m, unit, iommu_upper_at(unit, entry),
        iommu_entry_with_page(iommu_entry_at(unit, entry) >> IOMMU_FRAME) | IOMMU_ENTRY_TABLE
            | IOMMU_ENTRY_VALID);
}

static uint64_t iommu_entry_of(const struct iommu_state *s, const iommu_access *a) {
  return (a->address - s->base) >> s->shift;
}

static void iommu_read(sim *m, struct iommu *unit, iommu_walker *w, uint32_t state, uint64_t at) {
  w->state = state;
  w->wanted = 1;
  w->at = at;
  sim_trace(m, unit->self, IOMMU_EV_WALK, at, w->entry, state);
  iommu_ask(m, unit);
}

/* The access that has waited longest for an entry without a walk; NULL if there is none. */
static iommu_access *iommu_next_miss(sim *m, struct iommu *unit) {
  iommu_access *next = NULL;
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    iommu_access *a = iommu_access_of(m, unit, slot);
    int mine = a->state == IOMMU_ACCESS_MISSED && (!next || a->number - next->number > UINT32_MAX / 2);
    for (uint32_t i = 0; mine && i < unit->params->at_once; i++) {
      const iommu_walker *w = iommu_walker_of(m, unit, i);
      mine = w->state == IOMMU_WALK_IDLE || w->entry != iommu_entry_of(unit->state, a);
    }
    if (mine) next = a;
  }
  return next;
}

/* Starts free walkers. */
static void iommu_walk(sim *m, struct iommu *unit) {
  for (uint32_t i = 0; i < unit->params->at_once; i++) {
    iommu_walker *w = iommu_walker_of(m, unit, i);
    const iommu_access *a = w->state == IOMMU_WALK_IDLE ? iommu_next_miss(m, unit) : NULL;
    if (!a) continue;
    m->cause = a->cause;
    *w = (iommu_walker){.entry = (uint32_t)iommu_entry_of(unit->state, a), .since = m->time};
    unit->counters->misses++;
    unit->counters->walks++;
    if (unit->params->levels == 2) iommu_read(m, unit, w, IOMMU_WALK_UPPER, iommu_upper_at(unit, w->entry));
    else iommu_read(m, unit, w, IOMMU_WALK_ENTRY, iommu_entry_at(unit, w->entry));
    w->cause = m->cause;
  }
}

static int iommu_walking(sim *m, struct iommu *unit) {
  int walking = 0;
  for (uint32_t i = 0; i < unit->params->at_once; i++)
    walking |= iommu_walker_of(m, unit, i)->state != IOMMU_WALK_IDLE;
  return walking;
}

static void iommu_translated(sim *m, struct iommu *unit, uint32_t slot, const translation *found);
static void iommu_unmapped(sim *m, struct iommu *unit, uint32_t slot);

/* Ends a walk: accesses that waited for the entry continue with the value read. */
static void iommu_walked(sim *m, struct iommu *unit, iommu_walker *w, uint64_t value) {
  uint64_t entry = w->entry, time = m->time - w->since;
  uint32_t waiting = 0;
  int maps = (value & IOMMU_ENTRY_VALID) && !(value & IOMMU_ENTRY_TABLE);
  const translation *found =
      maps ? iommu_keep_translation(
                 m, unit, entry, (uint32_t)(iommu_entry_page(value) << IOMMU_FRAME >> unit->state->shift) + 1)
           : NULL;
  *w = (iommu_walker){0};
  unit->counters->walking += time;
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    iommu_access *a = iommu_access_of(m, unit, slot);
    waiting += a->state == IOMMU_ACCESS_MISSED && iommu_entry_of(unit->state, a) == entry;
  }
  uint32_t record = sim_trace(m, unit->self, IOMMU_EV_WALKED, time, (uint32_t)entry, waiting);
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    iommu_access *a = iommu_access_of(m, unit, slot);
    if (a->state != IOMMU_ACCESS_MISSED || iommu_entry_of(unit->state, a) != entry) continue;
    m->cause = record;
    if (found) iommu_translated(m, unit, slot, found);
    else iommu_unmapped(m, unit, slot);
  }
  iommu_walk(m, unit);
  if (!iommu_walking(m, unit)) sim_trace(m, unit->self, IOMMU_EV_RESTS, 0, 0, 0);
}

/* The data of a walk has arrived. A newer value in a cache is known to an observer, not to the unit. */
static void iommu_read_done(sim *m, struct iommu *unit, uint32_t walker) {
  iommu_walker *w = iommu_walker_of(m, unit, walker);
  uint32_t held = unit->params->snoops == 0;
  uint64_t value = iommu_value(m, unit, w->at, held);
  m->cause = w->cause;
  unit->counters->walk_reads++;
  sim_trace(m, unit->self, IOMMU_EV_READ, value, w->entry, 0);
  if (value != iommu_value(m, unit, w->at, 0)) {
    unit->counters->old_entries++;
    if (!sim_exploring(m))
      sim_broken(m, unit->self, SIM_CURRENT_DEVICE,
          w->at); /* in exploration mode it can walk while the entry is being changed */
    sim_trace(m, unit->self, IOMMU_EV_OLD_ENTRY, w->at, w->entry, 0);
  }
  int leads = w->state == IOMMU_WALK_UPPER && (value & IOMMU_ENTRY_VALID) && (value & IOMMU_ENTRY_TABLE);
  if (!leads) {
    iommu_walked(m, unit, w, value);
    return;
  }
  iommu_read(m, unit, w, IOMMU_WALK_ENTRY,
      (iommu_entry_page(value) << IOMMU_FRAME) + w->entry % IOMMU_TABLE_ENTRIES * IOMMU_ENTRY_BYTES);
  w->cause = m->cause;
}
