/* The mapping service with its table in memory: the entries stored there, and the serialized state of pools,
 * one call and two mappings. */
#include "test/walk_hsc.h"

static struct iommu_map_state *service(void) { return STATE_OF("map", iommu_map); }
static struct iommu_map_handles *handle_of(uint32_t tag) {
  return (struct iommu_map_handles *)sim_at(ENGINE, service()->handles_at) + tag;
}
static uint32_t *low(uint64_t *value) { return (uint32_t *)value; }
static uint32_t *high(uint64_t *value) { return (uint32_t *)value + 1; }

/* 64 entries in four pools, without mappings. */
static void small(void) {
  walking();
  PARAMS("map", iommu_map)->entries = 64, PARAMS("map", iommu_map)->pools = 4;
  opened();
}

static uint32_t length(void) {
  uint8_t bytes[CODEC_PART];
  struct sim_codec k = {.at = bytes};
  iommu_map_serialize(ENGINE, SIM_CONTEXT(ENGINE, H_MAP, iommu_map), &k);
  return (uint32_t)(k.at - bytes);
}

/* A pending call is serialized with all that determines how it continues; a finished or unused one only as
 * done. */
TEST(a_call_is_serialized_while_it_is_pending) {
  small();
  map_call *call = map_call_of(ENGINE, service(), 0);
  map_turn *turn = map_turn_of(ENGINE, service(), 0);
  const uint32_t idle = length();
  *call = (map_call){.step = IOMMU_MAP_STEP_FIND,
      .op = PROCESSOR_OP_MAP,
      .address = 5ull << 32 | 7,
      .pages = 2,
      .handle = 1,
      .host = 0x1000};
  assert_int_equal(
      length(), idle + 3 + 8 + 4 + 3
                    + 4); /* step, operation, pages; address; turn; three numbers for the table; memory */
  KEEPS(H_MAP, &call->step, &call->op, &call->pages, low(&call->address), high(&call->address), &turn->step,
      &turn->pool, &turn->outcome, &turn->forget, &call->inner, &call->page, &call->handle, low(&call->host));
  KEEPS_NOT(H_MAP, low(&call->since), &turn->words, low(&turn->waits));
  for (uint32_t over = 0; over < 2; over++) {
    if (over) call->step = IOMMU_MAP_STEP_DONE, call->op = PROCESSOR_OP_MAP;
    else call->op = 0;
    assert_int_equal(length(), idle);
    KEEPS_NOT(H_MAP, &call->pages, low(&call->address), &turn->step, &turn->pool, &turn->outcome,
        &turn->forget, &call->inner, &call->page, &call->handle, low(&call->host));
    assert_int_equal(call->step, IOMMU_MAP_STEP_DONE);
  }
}

/* Two handles are serialized, with address and size while they are live; a third is not. */
TEST(two_live_mappings_are_serialized) {
  small();
  const uint32_t none = length();
  for (uint32_t tag = 0; tag < 3; tag++) {
    struct iommu_map_handles *handle = handle_of(tag);
    handle->address = IO, handle->pages = 3;
    KEEPS_NOT(H_MAP, low(&handle->address), &handle->pages);
    handle->live = 1;
    assert_int_equal(length(), none + (tag < 2 ? 4 + 1 : 0));
    if (tag < 2) KEEPS(H_MAP, &handle->live, low(&handle->address), &handle->pages);
    else KEEPS_NOT(H_MAP, &handle->live, low(&handle->address), &handle->pages);
    handle->live = 0;
  }
}

/* Three entries for pages that are contiguous or a stride apart, as the call requests. An event reports each
 * entry that is stored or cleared. */
TEST(entries_are_stored_for_pages_a_stride_apart) {
  for (uint64_t apart = 0; apart < 4; apart += 3) {
    const uint64_t program[] = {
        ROW(MAP, BASE + 2 * PAGE, 0, 3 * PAGE, 4, 0, apart << 8, 1), ROW(UNMAP, 0, 0, 0, 4, 0, 0, 1), END};
    walking();
    machine_rows("cpu", 0, ROWS(program));
    opened();
    const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
    for (uint32_t n = 0; n < 3; n++) {
      RUN_UNTIL(COUNTERS("map", iommu_map)->stored > n);
      struct shadow_value value = {.address = TABLE + n * 8};
      call_shadow_value(ENGINE, H_CACHE, SNOOP_CACHE_PORT_BUS, &value);
      assert_int_equal(value.value & ~(PAGE - 1), BASE + 2 * PAGE + n * (apart + 1) * PAGE);
    }
    session_run();
    uint32_t records = 0;
    for (uint32_t i = 0; i < sim_refresh_header(ENGINE)->seq_lo; i++) {
      if (ring[i].part != H_MAP || ring[i].kind != IOMMU_MAP_EV_ENTRY) continue;
      EXPECT_VALUES({ring[i].a, TABLE + records % 3 * 8}, {ring[i].b, records < 3});
      records++;
    }
    assert_int_equal(records, 6);
    for (uint32_t n = 0; n < 3; n++) {
      struct shadow_value value = {.address = TABLE + n * 8};
      call_shadow_value(ENGINE, H_CACHE, SNOOP_CACHE_PORT_BUS, &value);
      assert_int_equal(value.value & 1, 0);
    }
  }
}
