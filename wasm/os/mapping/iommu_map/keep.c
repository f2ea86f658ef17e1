/*
 * What the service's state is made of, for exploration, where its pools find addresses for one thread, of another service or
 * of a driver whose table lies in memory: at most 64 entries, and two handles. That thread's search is over whenever
 * anything else can happen, so how it went is not part of it.
 */
#include "core/keep.h"
#include "os/mapping/iommu_map/iommu_map.h"

static void map_keep_call(map_call *call, map_turn *turn, struct by_keeper *k) {
  uint32_t under_way = call->op && call->step != IOMMU_MAP_STEP_DONE;
  by_keep_small(k, &under_way);
  if (!under_way) {
    call->step = IOMMU_MAP_STEP_DONE;
    return;
  }
  by_keep_small(k, &call->step);
  by_keep_small(k, &call->op);
  by_keep_small(k, &call->pages);
  by_keep_long(k, &call->address);
  by_keep_small(k, &turn->step);
  by_keep_small(k, &turn->pool);
  by_keep_small(k, &turn->outcome);
  by_keep_small(k, &turn->forget);
}

/* Of a call that stores entries: where it is, and for which mapping. */
static void map_keep_table(by *m, struct iommu_map_state *s, struct by_keeper *k) {
  map_call *call = map_call_of(m, s, 0);
  for (uint32_t i = 0; i < 2; i++) {
    struct iommu_map_handles *handle = (struct iommu_map_handles *)by_at(m, s->handles_at) + i;
    by_keep_small(k, &handle->live);
    if (!handle->live) continue;
    by_keep_addr(k, &handle->address);
    by_keep_small(k, &handle->pages);
  }
  if (!call->op || call->step == IOMMU_MAP_STEP_DONE) return;
  by_keep_small(k, &call->inner);
  by_keep_small(k, &call->page);
  by_keep_small(k, &call->handle);
  by_keep_addr(k, &call->host);
}

static void iommu_map_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  struct map_table t = map_table_of(m, s);
  by_keep_long(k, t.bits);
  by_keep_word(k, &t.head->need_flush);
  for (uint32_t pool = 0; pool < t.head->npools; pool++) {
    by_keep_small(k, &t.pools[pool].hint);
    by_keep_small(k, &lock_of(m, s, pool)->owner);
  }
  map_keep_call(map_call_of(m, s, 0), map_turn_of(m, s, 0), k);
  if (map_walks(m, self)) map_keep_table(m, s, k);
}

static uint32_t iommu_map_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}
