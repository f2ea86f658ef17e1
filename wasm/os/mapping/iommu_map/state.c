/*
 * The service's state for exploration, with pools that allocate for one thread, of another service or of a
 * driver with a table in memory: at most 64 entries, and two handles. That thread's search is complete
 * whenever any other event can occur, so its progress is not part of the state.
 */
#include "core/state_codec.h"
#include "os/mapping/iommu_map/iommu_map.h"

static void map_serialize_call(map_call *call, map_turn *turn, struct sim_codec *k) {
  uint32_t under_way = call->op && call->step != IOMMU_MAP_STEP_DONE;
  sim_codec_u8(k, &under_way);
  if (!under_way) {
    call->step = IOMMU_MAP_STEP_DONE;
    return;
  }
  sim_codec_u8(k, &call->step);
  sim_codec_u8(k, &call->op);
  sim_codec_u8(k, &call->pages);
  sim_codec_u64(k, &call->address);
  sim_codec_u8(k, &turn->step);
  sim_codec_u8(k, &turn->pool);
  sim_codec_u8(k, &turn->outcome);
  sim_codec_u8(k, &turn->forget);
}

/* For a call that stores entries: its progress, and its mapping. */
static void map_serialize_table(sim *m, struct iommu_map *service, struct sim_codec *k) {
  map_call *call = map_call_of(m, service->state, 0);
  for (uint32_t i = 0; i < 2; i++) {
    struct iommu_map_handles *handle = (struct iommu_map_handles *)sim_at(m, service->state->handles_at) + i;
    sim_codec_u8(k, &handle->live);
    if (!handle->live) continue;
    sim_codec_addr(k, &handle->address);
    sim_codec_u8(k, &handle->pages);
  }
  if (!call->op || call->step == IOMMU_MAP_STEP_DONE) return;
  sim_codec_u8(k, &call->inner);
  sim_codec_u8(k, &call->page);
  sim_codec_u8(k, &call->handle);
  sim_codec_addr(k, &call->host);
}

static void iommu_map_serialize(sim *m, struct iommu_map *service, struct sim_codec *k) {
  struct map_table t = map_table_of(m, service);
  sim_codec_u64(k, t.bits);
  sim_codec_u32(k, &t.head->need_flush);
  for (uint32_t pool = 0; pool < t.head->npools; pool++) {
    sim_codec_u8(k, &t.pools[pool].hint);
    sim_codec_u8(k, &lock_of(m, service, pool)->owner);
  }
  map_serialize_call(map_call_of(m, service->state, 0), map_turn_of(m, service->state, 0), k);
  if (map_walks(m, service)) map_serialize_table(m, service, k);
}

static uint32_t iommu_map_enabled(sim *m, struct iommu_map *service, const sim_msg *msg) {
  (void)m;
  (void)service;
  (void)msg;
  return SIM_ENABLED;
}
