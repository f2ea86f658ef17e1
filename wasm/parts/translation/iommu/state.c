/* The unit's state for exploration, with its table read over a bus. Its register values are not read there.
 */
#include "core/state_codec.h"
#include "parts/translation/iommu/iommu.h"

static void iommu_serialize_cache(sim *m, struct iommu *unit, struct sim_codec *k) {
  for (uint64_t set = 0; set < unit->params->sets; set++) {
    struct iommu_now *now = (struct iommu_now *)sim_at(m, unit->state->now_at) + set;
    sim_codec_u16(k, &now->next);
    sim_codec_u16(k, &now->used);
  }
  for (uint64_t i = 0; i < unit->params->sets * unit->params->cached; i++) {
    translation *place = (translation *)sim_at(m, unit->state->cache_at) + i;
    sim_codec_u16(k, &place->entry);
    sim_codec_u32(k, &place->page);
  }
}

/* The number of older accesses: their order, not their numbers, which grow. */
static uint32_t iommu_canonical_rank(sim *m, struct iommu *unit, const iommu_access *a) {
  uint32_t older = 0;
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    const iommu_access *other = iommu_access_of(m, unit, slot);
    older += other->state != IOMMU_ACCESS_FREE && a->number - other->number - 1 < UINT32_MAX / 2;
  }
  return older;
}

static void iommu_serialize_access(iommu_access *a, uint32_t rank, struct sim_codec *k) {
  sim_codec_u8(k, &a->state);
  if (a->state == IOMMU_ACCESS_FREE) return;
  sim_codec_u8(k, &rank);
  if (k->reading) a->number = rank;
  sim_codec_u8(k, &a->write);
  sim_codec_u8(k, &a->outcome);
  sim_codec_u32(k, &a->meant);
  sim_codec_addr(k, &a->address);
  sim_codec_addr(k, &a->physical);
  sim_codec_write_id(k, &a->half_0, WRITE_PENDING);
  sim_codec_write_id(k, &a->half_1, WRITE_PENDING);
}

static void iommu_serialize_hsc(sim *m, struct iommu *unit, struct sim_codec *k) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  iommu_access *a = iommu_access_of(m, unit, IOMMU_OF_HSC);
  iommu_serialize_access(a, iommu_canonical_rank(m, unit, a), k);
  for (uint32_t *p = &h->state; p <= &h->full; p++) sim_codec_u8(k, p);
  sim_codec_addr(k, &h->line);
  sim_codec_write_id(k, &h->half_0, WRITE_COPY);
  sim_codec_write_id(k, &h->half_1, WRITE_COPY);
  for (uint32_t i = 0; i < h->waiting; i++) {
    iommu_request *r = &iommu_head(m, unit)[i];
    sim_codec_u8(k, &r->kind);
    sim_codec_u8(k, &r->slot);
    sim_codec_u8(k, &r->bytes);
    sim_codec_addr(k, &r->address);
    sim_codec_write_id(k, &r->half_0, WRITE_PENDING);
    sim_codec_write_id(k, &r->half_1, WRITE_PENDING);
  }
  for (uint32_t i = 0; i < h->returning + h->arriving; i++) {
    iommu_return *r = (iommu_return *)sim_at(m, unit->state->returns_at) + i;
    sim_codec_u8(k, &r->kind);
    sim_codec_u8(k, &r->slot);
    sim_codec_u8(k, &r->bytes);
    sim_codec_addr(k, &r->address);
    if (!r->kind) sim_codec_addr(k, &r->memory);
    for (uint32_t half = 0; half < LINE_HALVES; half++) {
      uint32_t *held = half ? &r->half_1 : &r->half_0;
      if (r->kind) sim_codec_u32(k, held); /* a register access: value and tag */
      else sim_codec_write_id(k, held, HOLDER_DATA);
    }
  }
}

static void iommu_serialize(sim *m, struct iommu *unit, struct sim_codec *k) {
  iommu_serialize_cache(m, unit, k);
  for (uint32_t device = 0; device < IOMMU_DEVICES; device++)
    for (uint32_t i = 0; sim_wired(m, unit->self, IOMMU_PORT_DMA + device) && i < unit->params->places; i++) {
      iommu_access *a = iommu_access_of(m, unit, device * IOMMU_PLACES + i);
      iommu_serialize_access(a, iommu_canonical_rank(m, unit, a), k);
    }
  if (k->reading) unit->state->numbers = IOMMU_ACCESSES;
  for (uint32_t i = 0; i < unit->params->at_once; i++) {
    iommu_walker *w = iommu_walker_of(m, unit, i);
    sim_codec_u8(k, &w->state);
    sim_codec_u8(k, &w->wanted);
    sim_codec_u16(k, &w->entry);
    sim_codec_addr(k, &w->at);
  }
  if (iommu_on_hsc(m, unit)) iommu_serialize_hsc(m, unit, k);
  sim_codec_u8(k, &unit->state->reads);
  for (uint32_t i = 0; i < unit->state->reads; i++) {
    sim_codec_addr(k, &unit->state->read[i].address);
    sim_codec_u64(k, &unit->state->read[i].behind);
    sim_codec_u8(k, &unit->state->read[i].transaction);
    sim_codec_u8(k, &unit->state->read[i].answered);
    sim_codec_u8(k, &unit->state->read[i].requests);
  }
}

static uint32_t iommu_enabled(sim *m, struct iommu *unit, const sim_msg *msg) {
  (void)m;
  (void)unit;
  (void)msg;
  return SIM_ENABLED;
}
