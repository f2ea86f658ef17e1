/* Walks: reads an uncached entry from the table in memory, over the bus, level by level. */
#include "parts/translation/iommu/iommu.h"

/* The value of an entry: the newest or, without snooping, the one in memory. */
static uint64_t iommu_value(sim *m, uint32_t self, uint64_t at, uint32_t held) {
  struct shadow_value q = {.address = at, .held = held};
  call_shadow_value(m, self, IOMMU_PORT_BUS, &q);
  return q.value;
}

static void iommu_store(sim *m, uint32_t self, uint64_t at, uint64_t value) {
  struct shadow_value q = {.address = at, .set = 1, .value = value};
  call_shadow_value(m, self, IOMMU_PORT_BUS, &q);
}

/* The page in a table entry now, + 1; 0 for none. */
static uint32_t iommu_newest_write(sim *m, uint32_t self, uint64_t entry) {
  uint64_t value = iommu_value(m, self, iommu_entry_at(m, self, entry), 0);
  return value & IOMMU_ENTRY_VALID ? (uint32_t)(iommu_entry_page(value) << IOMMU_FRAME >> SIM_STATE(m, self, iommu)->shift) + 1 : 0;
}

/* Fills the upper table, as at machine start. */
static void iommu_fill_upper(sim *m, uint32_t self) {
  const struct iommu_params *q = SIM_PARAMS(m, self, iommu);
  for (uint64_t entry = 0; q->levels == 2 && entry < SIM_STATE(m, self, iommu)->entries; entry += IOMMU_TABLE_ENTRIES)
    iommu_store(m, self, iommu_upper_at(m, self, entry), iommu_entry_with_page(iommu_entry_at(m, self, entry) >> IOMMU_FRAME) | IOMMU_ENTRY_TABLE | IOMMU_ENTRY_VALID);
}

static uint64_t iommu_entry_of(const struct iommu_state *s, const iommu_access *a) { return (a->address - s->base) >> s->shift; }

static void iommu_read(sim *m, uint32_t self, iommu_walker *w, uint32_t state, uint64_t at) {
  w->state = state;
  w->wanted = 1;
  w->at = at;
  sim_trace(m, self, IOMMU_EV_WALK, at, w->entry, state);
  iommu_ask(m, self);
}

/* The access that has waited longest for an entry without a walk; NULL if there is none. */
static iommu_access *iommu_next_miss(sim *m, uint32_t self) {
  struct iommu_state *s = SIM_STATE(m, self, iommu);
  iommu_access *next = NULL;
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    iommu_access *a = iommu_access_of(m, s, slot);
    int mine = a->state == IOMMU_ACCESS_MISSED && (!next || a->number - next->number > UINT32_MAX / 2);
    for (uint32_t i = 0; mine && i < SIM_PARAMS(m, self, iommu)->at_once; i++) {
      const iommu_walker *w = iommu_walker_of(m, s, i);
      mine = w->state == IOMMU_WALK_IDLE || w->entry != iommu_entry_of(s, a);
    }
    if (mine) next = a;
  }
  return next;
}

/* Starts free walkers. */
static void iommu_walk(sim *m, uint32_t self) {
  struct iommu_state *s = SIM_STATE(m, self, iommu);
  const struct iommu_params *q = SIM_PARAMS(m, self, iommu);
  for (uint32_t i = 0; i < q->at_once; i++) {
    iommu_walker *w = iommu_walker_of(m, s, i);
    const iommu_access *a = w->state == IOMMU_WALK_IDLE ? iommu_next_miss(m, self) : NULL;
    if (!a) continue;
    m->cause = a->cause;
    *w = (iommu_walker){.entry = (uint32_t)iommu_entry_of(s, a), .since = m->time};
    SIM_COUNTERS(m, self, iommu)->misses++;
    SIM_COUNTERS(m, self, iommu)->walks++;
    if (q->levels == 2) iommu_read(m, self, w, IOMMU_WALK_UPPER, iommu_upper_at(m, self, w->entry));
    else iommu_read(m, self, w, IOMMU_WALK_ENTRY, iommu_entry_at(m, self, w->entry));
    w->cause = m->cause;
  }
}

static int iommu_walking(sim *m, uint32_t self) {
  int walking = 0;
  for (uint32_t i = 0; i < SIM_PARAMS(m, self, iommu)->at_once; i++) walking |= iommu_walker_of(m, SIM_STATE(m, self, iommu), i)->state != IOMMU_WALK_IDLE;
  return walking;
}

static void iommu_translated(sim *m, uint32_t self, uint32_t slot, const translation *found);
static void iommu_unmapped(sim *m, uint32_t self, uint32_t slot);

/* Ends a walk: accesses that waited for the entry continue with the value read. */
static void iommu_walked(sim *m, uint32_t self, iommu_walker *w, uint64_t value) {
  struct iommu_state *s = SIM_STATE(m, self, iommu);
  uint64_t entry = w->entry, time = m->time - w->since;
  uint32_t waiting = 0;
  int maps = (value & IOMMU_ENTRY_VALID) && !(value & IOMMU_ENTRY_TABLE);
  const translation *found = maps ? iommu_keep_translation(m, self, entry, (uint32_t)(iommu_entry_page(value) << IOMMU_FRAME >> s->shift) + 1) : NULL;
  *w = (iommu_walker){0};
  SIM_COUNTERS(m, self, iommu)->walking += time;
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    iommu_access *a = iommu_access_of(m, s, slot);
    waiting += a->state == IOMMU_ACCESS_MISSED && iommu_entry_of(s, a) == entry;
  }
  uint32_t record = sim_trace(m, self, IOMMU_EV_WALKED, time, (uint32_t)entry, waiting);
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    iommu_access *a = iommu_access_of(m, s, slot);
    if (a->state != IOMMU_ACCESS_MISSED || iommu_entry_of(s, a) != entry) continue;
    m->cause = record;
    if (found) iommu_translated(m, self, slot, found);
    else iommu_unmapped(m, self, slot);
  }
  iommu_walk(m, self);
  if (!iommu_walking(m, self)) sim_trace(m, self, IOMMU_EV_RESTS, 0, 0, 0);
}

/* The data of a walk has arrived. A newer value in a cache is known to an observer, not to the unit. */
static void iommu_read_done(sim *m, uint32_t self, uint32_t walker) {
  iommu_walker *w = iommu_walker_of(m, SIM_STATE(m, self, iommu), walker);
  uint32_t held = SIM_PARAMS(m, self, iommu)->snoops == 0;
  uint64_t value = iommu_value(m, self, w->at, held);
  m->cause = w->cause;
  SIM_COUNTERS(m, self, iommu)->walk_reads++;
  sim_trace(m, self, IOMMU_EV_READ, value, w->entry, 0);
  if (value != iommu_value(m, self, w->at, 0)) {
    SIM_COUNTERS(m, self, iommu)->old_entries++;
    if (!sim_exploring(m)) sim_broken(m, self, SIM_CURRENT_DEVICE, w->at); /* in exploration mode it can walk while the entry is being changed */
    sim_trace(m, self, IOMMU_EV_OLD_ENTRY, w->at, w->entry, 0);
  }
  int leads = w->state == IOMMU_WALK_UPPER && (value & IOMMU_ENTRY_VALID) && (value & IOMMU_ENTRY_TABLE);
  if (!leads) {
    iommu_walked(m, self, w, value);
    return;
  }
  iommu_read(m, self, w, IOMMU_WALK_ENTRY, (iommu_entry_page(value) << IOMMU_FRAME) + w->entry % IOMMU_TABLE_ENTRIES * IOMMU_ENTRY_BYTES);
  w->cause = m->cause;
}
