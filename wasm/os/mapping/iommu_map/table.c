/* The allocator's table in a machine: set up from parameters, entries coloured for display. */
#include "os/mapping/iommu_map/iommu_map.h"

static uint32_t map_rules_of(const struct iommu_map_params *q) {
  uint32_t rules = 0;
  if (q->large != IOMMU_MAP_LARGE_NONE) rules |= RULE_LARGE;
  if (q->large == IOMMU_MAP_LARGE_POWERPC) rules |= RULE_LARGE_SPILLS | RULE_SMALL_TO_LARGE | RULE_BLOCK_HINT;
  if (q->flush != IOMMU_MAP_FLUSH_EACH) rules |= RULE_LAZY;
  if (q->flush == IOMMU_MAP_FLUSH_LAZY_MENDED) rules |= RULE_FLUSH_AHEAD | RULE_POOL_FLAGS;
  if (!q->span_check) rules |= RULE_SKIP_SPAN;
  if (q->search == IOMMU_MAP_SEARCH_FIRST) rules |= RULE_FIRST_FIT;
  if (q->ends == IOMMU_MAP_ENDS_POWERPC) rules |= RULE_END_EXCLUSIVE;
  if (q->ends == IOMMU_MAP_ENDS_MENDED) rules |= RULE_END_EXACT;
  if (q->home == IOMMU_MAP_HOME_SCALED) rules |= RULE_HOME_SCALED;
  if (q->home == IOMMU_MAP_HOME_MODULO) rules |= RULE_HOME_MODULO;
  if (q->reach) rules |= RULE_ALL_POOLS;
  if (q->remainder) rules |= RULE_REMAINDER;
  if (q->spill) rules |= RULE_KEEP_CURSOR;
  if (q->flag) rules |= RULE_POOL_FLAGS;
  if (q->mask) rules |= RULE_OWN_LIMIT;
  if (q->free) rules |= RULE_CHECK_FREE;
  return rules;
}

/* The first invalid parameter of a table; -1 if all are valid. */
static int map_bad_param(const struct iommu_map_params *q) {
  uint64_t np = q->pools ? q->pools : MAP_POOLS, shared = q->large ? q->entries * 3 / 4 : q->entries;
  if (shared / np < 2) return IOMMU_MAP_PARAM_POOLS;
  uint64_t all = shared / np * np;
  return !q->span_check && all & (all - 1) ? IOMMU_MAP_PARAM_SPAN_CHECK : -1;
}

static void map_count_geometry(struct iommu_map *service, const struct map_table *t) {
  const struct map_head *h = t->head;
  service->counters->pool_count = h->npools;
  service->counters->pool_size = h->pool_size;
  service->counters->large_size = t->pools[MAP_LARGE].end - t->pools[MAP_LARGE].start;
  service->counters->table_bytes = (uint64_t)h->entries * 8 + (h->entries + 7) / 8;
}

/* Entries of reserved stretches: each is a 64th of the table, the last one with the remainder. */
static MAP_SMALL void map_fill_reserved(struct iommu_map *service, const struct map_table *t) {
  uint64_t reserved = service->params->reserved_high << 32 | service->params->reserved_low;
  uint64_t length = t->head->entries / MAP_STRETCHES;
  for (uint32_t i = 0; reserved && i < t->head->entries; i++) {
    uint64_t stretch = length ? sim_min(i / length, MAP_STRETCHES - 1) : i;
    if (!(reserved >> stretch & 1) || t->bits[i >> 6] >> (i & 63) & 1) continue;
    t->bits[i >> 6] |= (uint64_t)1 << (i & 63);
    service->counters->used++;
  }
  service->counters->used_most = service->counters->used;
}

/* Permanently allocated entries: one in this many outside the large pool, scattered by mixing the bits of its
   number. */
static MAP_SMALL void map_fill_long_lived(struct iommu_map *service, const struct map_table *t) {
  uint64_t among = service->params->long_lived;
  uint32_t end = map_has(t->head, RULE_LARGE) ? t->pools[MAP_LARGE].start : t->head->entries;
  for (uint32_t i = 0; among && i < end; i++) {
    uint32_t mixed = (i ^ i >> 7) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca77u;
    if ((mixed ^ mixed >> 13) % among) continue;
    t->bits[i >> 6] |= (uint64_t)1 << (i & 63);
    service->counters->used++;
  }
  service->counters->used_most = service->counters->used;
}

/* The arrays of the allocator, and their views. */
static int map_make_table(sim *m, struct iommu_map *service) {
  uint32_t entries = (uint32_t)service->params->entries;
  struct map_head *head = sim_alloc(m, 1, sizeof *head);
  void *bits = sim_view(m, service->self, IOMMU_MAP_VIEW_BITMAP, map_words(entries) * 2, 4);
  void *pools = sim_view(m, service->self, IOMMU_MAP_VIEW_POOLS, MAP_ROWS, sizeof(struct map_pool));
  void *shown = sim_view(m, service->self, IOMMU_MAP_VIEW_ENTRIES, entries, sizeof(struct iommu_map_entries));
  void *last = sim_view(m, service->self, IOMMU_MAP_VIEW_LAST, 1, sizeof(struct map_last));
  void *probes = sim_view(m, service->self, IOMMU_MAP_VIEW_PROBES, MAP_PROBES, sizeof(struct map_probe));
  void *freed = service->params->flush == IOMMU_MAP_FLUSH_EACH ? head : sim_alloc(m, entries, 4);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  service->state->head_at = sim_offset(m, head);
  service->state->bits_at = sim_offset(m, bits);
  service->state->pools_at = sim_offset(m, pools);
  service->state->entries_at = sim_offset(m, shown);
  service->state->last_at = sim_offset(m, last);
  service->state->probes_at = sim_offset(m, probes);
  service->state->freed_at = freed == head ? 0 : sim_offset(m, freed);
  service->state->multiplier = service->params->hash == IOMMU_MAP_HASH_LINUX_4_1 ? 0x9e370001u : 0x61c88647u;
  struct map_table t = map_table_of(m, service);
  struct map_setup setup = {.base = map_serves_clients(m, service) ? 0 : service->params->base,
      .boundary = service->params->segment,
      .entries = entries,
      .shift = (uint32_t)__builtin_ctzll(service->params->page),
      .npools = (uint32_t)service->params->pools,
      .rules = map_rules_of(service->params)};
  if (map_setup(&t, &setup) != MAP_FINE)
    return sim_refuse(m, SIM_BAD_PARAM, service->self, IOMMU_MAP_PARAM_ENTRIES);
  t.head->cutoff = (uint32_t)service->params->large_cutoff;
  map_count_geometry(service, &t);
  map_fill_long_lived(service, &t);
  map_fill_reserved(service, &t);
  return SIM_OK;
}

/* Colours entries: their owner's CPU + 1, or 0 when they are free again. */
static void map_pattern_bit(
    sim *m, struct iommu_map *service, uint64_t entry, uint64_t pages, uint32_t owner) {
  struct iommu_map_entries *row = (struct iommu_map_entries *)sim_at(m, service->state->entries_at) + entry;
  uint32_t born = owner ? (uint32_t)(m->time / IOMMU_MAP_TICK) << IOMMU_MAP_ENTRIES_BORN : 0;
  uint64_t most = ((struct map_head *)sim_at(m, service->state->head_at))->entries - entry;
  if (pages > most) pages = most;
  for (uint64_t i = 0; i < pages; i++) {
    service->counters->used += (owner != 0) - (uint64_t)(row[i].entry != 0);
    row[i].entry =
        owner << IOMMU_MAP_ENTRIES_OWNER | (uint32_t)(owner && i == 0) << IOMMU_MAP_ENTRIES_BEGINS | born;
  }
  service->counters->used_most = sim_max(service->counters->used_most, service->counters->used);
}
