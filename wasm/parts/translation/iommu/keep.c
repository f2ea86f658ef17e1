/* What the unit's state is made of where it reads its table over a bus, for exploration. What a register tells nobody asks there. */
#include "core/keep.h"
#include "parts/translation/iommu/iommu.h"

static void iommu_keep_cache(by *m, uint32_t self, struct by_keeper *k) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  const struct iommu_params *q = BY_PARAMS(m, self, iommu);
  for (uint64_t set = 0; set < q->sets; set++) {
    struct iommu_now *now = (struct iommu_now *)by_at(m, s->now_at) + set;
    by_keep_short(k, &now->next);
    by_keep_short(k, &now->used);
  }
  for (uint64_t i = 0; i < q->sets * q->cached; i++) {
    translation *place = (translation *)by_at(m, s->cache_at) + i;
    by_keep_short(k, &place->entry);
    by_keep_word(k, &place->page);
  }
}

/* How many accesses are older: their order, and not their numbers, which grow. */
static uint32_t iommu_rank(by *m, struct iommu_state *s, const iommu_access *a) {
  uint32_t older = 0;
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    const iommu_access *other = iommu_access_of(m, s, slot);
    older += other->state != IOMMU_ACCESS_FREE && a->number - other->number - 1 < UINT32_MAX / 2;
  }
  return older;
}

static void iommu_keep_access(iommu_access *a, uint32_t rank, struct by_keeper *k) {
  by_keep_small(k, &a->state);
  if (a->state == IOMMU_ACCESS_FREE) return;
  by_keep_small(k, &rank);
  if (k->reading) a->number = rank;
  by_keep_small(k, &a->write);
  by_keep_small(k, &a->outcome);
  by_keep_word(k, &a->meant);
  by_keep_addr(k, &a->address);
  by_keep_addr(k, &a->physical);
  by_keep_write(k, &a->half_0, KEEP_COMING);
  by_keep_write(k, &a->half_1, KEEP_COMING);
}

static void iommu_keep_hsc(by *m, struct iommu_state *s, struct by_keeper *k) {
  struct iommu_hsc *h = iommu_hsc_of(m, s);
  iommu_access *a = iommu_access_of(m, s, IOMMU_OF_HSC);
  iommu_keep_access(a, iommu_rank(m, s, a), k);
  for (uint32_t *p = &h->state; p <= &h->full; p++) by_keep_small(k, p);
  by_keep_addr(k, &h->line);
  by_keep_write(k, &h->half_0, KEEP_COPY);
  by_keep_write(k, &h->half_1, KEEP_COPY);
  for (uint32_t i = 0; i < h->waiting; i++) {
    iommu_request *r = &iommu_head(m, s)[i];
    by_keep_small(k, &r->kind);
    by_keep_small(k, &r->slot);
    by_keep_small(k, &r->bytes);
    by_keep_addr(k, &r->address);
    by_keep_write(k, &r->half_0, KEEP_COMING);
    by_keep_write(k, &r->half_1, KEEP_COMING);
  }
  for (uint32_t i = 0; i < h->returning + h->arriving; i++) {
    iommu_return *r = (iommu_return *)by_at(m, s->returns_at) + i;
    by_keep_small(k, &r->kind);
    by_keep_small(k, &r->slot);
    by_keep_small(k, &r->bytes);
    by_keep_addr(k, &r->address);
    if (!r->kind) by_keep_addr(k, &r->memory);
    for (uint32_t half = 0; half < LINE_HALVES; half++) {
      uint32_t *held = half ? &r->half_1 : &r->half_0;
      if (r->kind) by_keep_word(k, held); /* a register access: value and tag */
      else by_keep_write(k, held, KEEP_DATA);
    }
  }
}

static void iommu_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct iommu_state *s = BY_STATE(m, self, iommu);
  const struct iommu_params *q = BY_PARAMS(m, self, iommu);
  iommu_keep_cache(m, self, k);
  for (uint32_t device = 0; device < IOMMU_DEVICES; device++)
    for (uint32_t i = 0; by_wired(m, self, IOMMU_PORT_DMA + device) && i < q->places; i++) {
      iommu_access *a = iommu_access_of(m, s, device * IOMMU_PLACES + i);
      iommu_keep_access(a, iommu_rank(m, s, a), k);
    }
  if (k->reading) s->numbers = IOMMU_ACCESSES;
  for (uint32_t i = 0; i < q->at_once; i++) {
    iommu_walker *w = iommu_walker_of(m, s, i);
    by_keep_small(k, &w->state);
    by_keep_small(k, &w->wanted);
    by_keep_short(k, &w->entry);
    by_keep_addr(k, &w->at);
  }
  if (iommu_on_hsc(m, self)) iommu_keep_hsc(m, s, k);
  by_keep_small(k, &s->reads);
  for (uint32_t i = 0; i < s->reads; i++) {
    by_keep_addr(k, &s->read[i].address);
    by_keep_long(k, &s->read[i].behind);
    by_keep_small(k, &s->read[i].transaction);
    by_keep_small(k, &s->read[i].answered);
    by_keep_small(k, &s->read[i].requests);
  }
}

static uint32_t iommu_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}
