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
#include "core/engine.h"
#include "iommu.h"

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
  now->used = now->used < places ? now->used + 1 : places;
  *place = (translation){(uint32_t)entry + 1, page};
  BY_COUNTERS(m, self, iommu)->misses++;
  by_trace(m, self, IOMMU_EV_MISS, address, (uint32_t)entry, page - 1);
  return place;
}

/* Nothing valid there: the device is stopped, or not. */
static uint32_t iommu_refuse(by *m, uint32_t self, const by_poll *p) {
  int checks = BY_PARAMS(m, self, iommu)->checks != 0;
  if (checks) BY_COUNTERS(m, self, iommu)->faults++;
  else BY_COUNTERS(m, self, iommu)->passed++;
  by_trace(m, self, checks ? IOMMU_EV_FAULT : IOMMU_EV_PASSED, p->addr, p->y, 0);
  return checks ? 0 : 1;
}

static uint32_t iommu_translate(by *m, uint32_t self, by_poll *p) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  struct iommu_counters *c = BY_COUNTERS(m, self, iommu);
  uint64_t entry = (p->addr - s->base) >> s->shift, offset = p->addr & (((uint64_t)1 << s->shift) - 1);
  c->translations++;
  p->when = p->x = 0;
  if (p->addr < s->base || entry >= s->entries) return iommu_refuse(m, self, p);
  translation *found = iommu_find(m, self, entry);
  uint32_t page = *iommu_page(m, s, entry);
  if (!found) {
    p->when = BY_PARAMS(m, self, iommu)->walk_time;
    if (page == 0) return iommu_refuse(m, self, p);
    found = iommu_fetch(m, self, p->addr, entry);
  } else if (found->page != page) {
    c->stale++;
    c->stale_wrong += page != 0;
    p->x = 1;
    by_trace(m, self, page ? IOMMU_EV_STALE : IOMMU_EV_GONE, p->addr, found->page - 1, page - 1);
  }
  p->addr = ((uint64_t)(found->page - 1) << s->shift) + offset;
  return 1;
}

static void iommu_drop(by *m, uint32_t self, const by_poll *p) {
  for (uint64_t entry = p->addr; entry < p->addr + p->x; entry++) {
    translation *found = iommu_find(m, self, entry);
    if (!found) continue;
    *found = (translation){0, 0};
    BY_COUNTERS(m, self, iommu)->drops++;
  }
}

static void iommu_flush(by *m, uint32_t self) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  struct iommu_now *now = by_at(m, s->now_at);
  BY_COUNTERS(m, self, iommu)->flushes++;
  by_trace(m, self, IOMMU_EV_FLUSH, 0, now->used, 0);
  __builtin_memset(by_at(m, s->cache_at), 0, now->used * sizeof(translation));
  *now = (struct iommu_now){0, 0};
}

static uint32_t iommu_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  (void)port;
  struct iommu_state *s = BY_STATE(m, self, iommu);
  if (kind == IOMMU_TRANSLATE) return iommu_translate(m, self, p);
  if (kind == IOMMU_FLUSH) iommu_flush(m, self);
  if (kind == IOMMU_DROP) iommu_drop(m, self, p);
  if (kind != IOMMU_SET && kind != IOMMU_CLEAR) return 0;
  for (uint32_t i = 0; i < p->x && p->addr + i < s->entries; i++)
    *iommu_page(m, s, p->addr + i) = kind == IOMMU_SET ? (uint32_t)(p->when >> s->shift) + i * p->y + 1 : 0;
  return 0;
}

static void iommu_on(by *m, uint32_t self, const by_msg *msg) { (void)m, (void)self, (void)msg; }

static int iommu_changed(by *m, uint32_t self, uint32_t param) {
  (void)m, (void)self;
  return param == IOMMU_PARAM_CACHED ? BY_NOT_LIVE : BY_OK;
}

static int iommu_load(by *m, uint32_t self) {
  by_poll geometry = {0};
  by_ask(m, self, IOMMU_PORT_MAP, IOMMU_SETUP, &geometry);
  struct iommu_state *s = by_state_alloc(m, self, sizeof *s);
  void *table = by_view(m, self, IOMMU_VIEW_TABLE, geometry.x, sizeof(struct iommu_table));
  translation *cache = by_view(m, self, IOMMU_VIEW_CACHE, (uint32_t)BY_PARAMS(m, self, iommu)->cached, sizeof *cache);
  void *now = by_view(m, self, IOMMU_VIEW_NOW, 1, sizeof(struct iommu_now));
  if (!s || !table || !cache || !now) return BY_NO_MEMORY;
  s->base = geometry.addr;
  s->entries = geometry.x;
  s->shift = geometry.y;
  s->table_at = by_offset(m, table);
  s->cache_at = by_offset(m, cache);
  s->now_at = by_offset(m, now);
  BY_COUNTERS(m, self, iommu)->table_bytes = (uint64_t)geometry.x * 8;
  return BY_OK;
}
