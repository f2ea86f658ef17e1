/*
 * An I/O memory management unit.
 *
 *   device --bus address--> [cache of translations] --miss--> [table, one entry a page] --> memory
 *                                 ^ drop, flush                      ^ set, clear
 *                                 +------------ mapping service -----+
 *
 * The table says what is true, the cache what was true when an entry was last read. Whoever clears an
 * entry has to have the cached translation forgotten as well, before the entry is used for another page.
 * An access through a translation that no longer agrees with the table is seen here and counted.
 */
#include "contract.h"
#include "core/engine.h"
#include "gen/protocols.h"

struct iommu_state {
  uint64_t base;
  uint32_t table_at, cache_at, now_at, entries, shift, spare;
};

typedef struct iommu_cache translation;

static uint32_t *iommu_page(by *m, struct iommu_state *s, uint64_t entry) { return (uint32_t *)by_at(m, s->table_at) + entry; }

/* The cached translation of an entry, or NULL. */
static translation *iommu_find(by *m, uint32_t self, uint64_t entry) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  translation *cache = by_at(m, s->cache_at);
  uint32_t used = ((struct iommu_now *)by_at(m, s->now_at))->used;
  for (uint32_t i = 0; i < used; i++)
    if (cache[i].entry == entry + 1) return &cache[i];
  return NULL;
}

/* Reads the table and keeps the translation in the place that was filled longest ago. */
static translation *iommu_fetch(by *m, uint32_t self, uint64_t address, uint64_t entry) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  struct iommu_now *now = by_at(m, s->now_at);
  uint32_t places = (uint32_t)BY_PARAMS(m, self, iommu)->cached, page = *iommu_page(m, s, entry);
  translation *place = (translation *)by_at(m, s->cache_at) + now->next;
  now->next = (now->next + 1) % places;
  now->used = (uint32_t)by_min(now->used + 1, places);
  *place = (translation){(uint32_t)entry + 1, page};
  BY_COUNTERS(m, self, iommu)->misses++;
  by_trace(m, self, IOMMU_EV_MISS, address, (uint32_t)entry, page - 1);
  return place;
}

/* Nothing valid there: the device is stopped, or not. */
static uint32_t iommu_refuse(by *m, uint32_t self, const struct iommu_translate *q) {
  int checks = BY_PARAMS(m, self, iommu)->checks != 0;
  if (checks) BY_COUNTERS(m, self, iommu)->faults++;
  else BY_COUNTERS(m, self, iommu)->passed++;
  by_trace(m, self, checks ? IOMMU_EV_FAULT : IOMMU_EV_PASSED, q->address, q->write, 0);
  return checks ? 0 : 1;
}

/* Nothing is mapped there, so that the entry leads to the spare page; it is not kept, since something may be mapped there next. */
static uint32_t iommu_spill(by *m, uint32_t self, struct iommu_translate *q, uint64_t offset) {
  BY_COUNTERS(m, self, iommu)->spilled++;
  by_trace(m, self, IOMMU_EV_SPILLED, q->address, q->write, 0);
  q->physical = BY_PARAMS(m, self, iommu)->spare + offset;
  return 1;
}

static uint32_t iommu_device_translate(by *m, uint32_t self, uint32_t device, struct iommu_translate *q) {
  (void)device;
  struct iommu_state *s = BY_STATE(m, self, iommu);
  struct iommu_counters *c = BY_COUNTERS(m, self, iommu);
  uint64_t entry = (q->address - s->base) >> s->shift, offset = q->address & (((uint64_t)1 << s->shift) - 1);
  c->translations++;
  TELL_CONTRACT(m, self, IOMMU_PORT_CONTRACT, reached, .address = q->address, .bytes = 1, .access = q->write ? CONTRACT_IN : CONTRACT_OUT);
  q->time = q->stale = 0;
  if (q->address < s->base || entry >= s->entries) return iommu_refuse(m, self, q);
  translation *found = iommu_find(m, self, entry);
  uint32_t page = *iommu_page(m, s, entry);
  if (!found) {
    q->time = BY_PARAMS(m, self, iommu)->walk_time;
    if (page == 0) return BY_PARAMS(m, self, iommu)->spill ? iommu_spill(m, self, q, offset) : iommu_refuse(m, self, q);
    found = iommu_fetch(m, self, q->address, entry);
  } else if (found->page != page) {
    c->stale++;
    c->stale_wrong += page != 0;
    q->stale = 1;
    q->meant = page ? (uint32_t)((((uint64_t)(page - 1) << s->shift) + offset) >> 12) + 1 : 0;
    by_trace(m, self, page ? IOMMU_EV_STALE : IOMMU_EV_GONE, q->address, found->page - 1, page - 1);
  }
  q->physical = ((uint64_t)(found->page - 1) << s->shift) + offset;
  return 1;
}

static void iommu_map_drop(by *m, uint32_t self, struct iommu_drop *q) {
  for (uint64_t entry = q->entry; entry < q->entry + q->entries; entry++) {
    translation *found = iommu_find(m, self, entry);
    if (!found) continue;
    *found = (translation){0, 0};
    BY_COUNTERS(m, self, iommu)->drops++;
  }
}

static void iommu_map_flush(by *m, uint32_t self) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  struct iommu_now *now = by_at(m, s->now_at);
  BY_COUNTERS(m, self, iommu)->flushes++;
  by_trace(m, self, IOMMU_EV_FLUSH, 0, now->used, 0);
  __builtin_memset(by_at(m, s->cache_at), 0, now->used * sizeof(translation));
  *now = (struct iommu_now){0, 0};
}

static void iommu_map_set(by *m, uint32_t self, struct iommu_set *q) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  for (uint32_t i = 0; i < q->entries && q->entry + i < s->entries; i++)
    *iommu_page(m, s, q->entry + i) = (uint32_t)(q->page >> s->shift) + i * q->stride + 1;
}

static void iommu_map_clear(by *m, uint32_t self, struct iommu_clear *q) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  for (uint32_t i = 0; i < q->entries && q->entry + i < s->entries; i++) *iommu_page(m, s, q->entry + i) = 0;
}

static int iommu_load(by *m, uint32_t self) {
  struct iommu_setup geometry = {0};
  ask_iommu_setup(m, self, IOMMU_PORT_MAP, &geometry);
  struct iommu_state *s = by_state_alloc(m, self, sizeof *s);
  void *table = by_view(m, self, IOMMU_VIEW_TABLE, geometry.entries, sizeof(struct iommu_table));
  translation *cache = by_view(m, self, IOMMU_VIEW_CACHE, (uint32_t)BY_PARAMS(m, self, iommu)->cached, sizeof *cache);
  void *now = by_view(m, self, IOMMU_VIEW_NOW, 1, sizeof(struct iommu_now));
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  s->base = geometry.base;
  s->entries = geometry.entries;
  s->shift = geometry.shift;
  s->table_at = by_offset(m, table);
  s->cache_at = by_offset(m, cache);
  s->now_at = by_offset(m, now);
  BY_COUNTERS(m, self, iommu)->table_bytes = (uint64_t)geometry.entries * 8;
  return BY_OK;
}
