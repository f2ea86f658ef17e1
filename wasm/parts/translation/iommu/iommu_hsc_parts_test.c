/* A unit at the end of an HSC bus, driven through its ports: the order of register values and of returns,
 * the line it merges into, and its serialized state. */
#include "test/hsc_order.h"
#include "test/walk_hsc.h"

TEST(a_value_waits_for_earlier_writes_of_its_slot) {
  walking();
  for (uint32_t i = 0; i < HSC_ORDER_COUNT; i++) {
    opened();
    for (uint32_t n = 0; n < HSC_ORDERS[i].held; n++)
      REQUESTS[n] =
          (iommu_request){.kind = HSC_ORDERS[i].request[n].kind, .slot = HSC_ORDERS[i].request[n].slot};
    NOW->waiting = HSC_ORDERS[i].held;
    STATE->reads = 2; /* the first is another processor's */
    STATE->read[0] =
        (struct iommu_register_read){.address = PARAMS("unit", iommu)->window + 8, .transaction = 4};
    STATE->read[1] = (struct iommu_register_read){
        .address = PARAMS("unit", iommu)->window + 2 * PARAMS("unit", iommu)->slot_bytes + 8,
        .transaction = 5};
    iommu_hsc_data(OF(H_UNIT, iommu), &(struct hsc_adapter_data){.value = 7, .tag = 5});
    EXPECT_VALUES({STATE->read[0].answered, 0}, {STATE->read[1].requests, HSC_ORDERS[i].behind},
        {STATE->read[1].answered, 1}, {STATE->read[1].value, 7});
    assert_int_equal(iommu_bus_has_priority_work(OF(H_UNIT, iommu)), HSC_ORDERS[i].behind == 0);
    for (uint32_t left = HSC_ORDERS[i].behind; left > 0; left--) {
      uint32_t words[2] = {0};
      assert_int_equal(iommu_bus_grant(OF(H_UNIT, iommu),
                           &(struct runway_grant){.halves = words, .limit = RUNWAY_LIMIT_DATA_ONLY}),
          0);
      iommu_hsc_done(OF(H_UNIT, iommu), IOMMU_REACHED);
    }
    uint32_t words[2] = {0};
    struct runway_grant q = {.halves = words, .limit = RUNWAY_LIMIT_DATA_ONLY};
    assert_int_equal(iommu_bus_grant(OF(H_UNIT, iommu), &q), 1);
    EXPECT_VALUES({q.type, RUNWAY_TYPE_SHORT_RETURN},
        {q.address, PARAMS("unit", iommu)->window + 2 * PARAMS("unit", iommu)->slot_bytes + 8}, {q.slot, 5},
        {words[0], 7});
    assert_int_equal(STATE->reads, 1); /* the other read still waits */
    assert_int_equal(STATE->read[0].transaction, 4);
  }
}

/* From 16 returns up, processors' accesses are stalled until there are fewer. Returns leave in order, once
 * they have crossed. */
TEST(returns_leave_in_order_and_too_many_stall_processors) {
  walking();
  opened();
  uint32_t words[2];
  struct hsc_adapter_grant q = {.halves = words};
  const uint32_t *full = &STATE_OF("runway", runway)->full;
  for (uint32_t i = 0; i < 17; i++) {
    ENGINE->cause = 40 + i;
    iommu_return_data(OF(H_UNIT, iommu), (iommu_return){.slot = i % 8,
                                             .kind = i % 3,
                                             .bytes = 4 + i,
                                             .half_0 = 100 + i,
                                             .half_1 = 200 + i,
                                             .address = 0x1000 + i,
                                             .memory = 0x2000 + i});
    assert_int_equal(*full, i >= 15 ? 1u << ADAPTER_AGENT : 0);
  }
  assert_int_equal(iommu_hsc_grant(OF(H_UNIT, iommu), &q), 0);
  for (uint32_t i = 0; i < 17; i++) iommu_returned(OF(H_UNIT, iommu));
  assert_int_equal(NOW->arriving, 0);
  for (uint32_t i = 0; i < 17; i++) {
    assert_int_equal(NOW->returning, 17 - i);
    assert_int_equal(iommu_hsc_grant(OF(H_UNIT, iommu), &q), 1);
    EXPECT_VALUES({q.kind, i % 3 | i % 8 << 8}, {q.memory, 0x2000 + i}, {q.bytes, 4 + i},
        {q.address, 0x1000 + i}, {words[0], 100 + i}, {words[1], 200 + i}, {ENGINE->cause, 40 + i},
        {*full, i == 0 ? 1u << ADAPTER_AGENT : 0});
  }
  assert_int_equal(iommu_hsc_grant(OF(H_UNIT, iommu), &q), 0);
}

/* A snoop of the line being merged is answered with WAIT once the unit's read of it is ordered. Other lines
 * do not concern the unit. */
TEST(snoops_wait_for_a_line_being_merged) {
  walking();
  opened();
  for (uint32_t now = IOMMU_LINE_EMPTY; now <= IOMMU_LINE_HELD; now++)
    for (uint64_t at = BASE + 32; at < BASE + 128; at += 16) {
      const int same = at / 32 == (BASE + 64) / 32;
      NOW->state = now, NOW->line = BASE + 64, NOW->stalls = 0;
      assert_int_equal(iommu_bus_tracks_line(OF(H_UNIT, iommu), &(struct runway_tracks_line){.address = at}),
          same && now >= IOMMU_LINE_ISSUED);
      assert_int_equal(iommu_bus_snoop(OF(H_UNIT, iommu), &(struct runway_snoop){.address = at}),
          same && now >= IOMMU_LINE_ORDERED ? RUNWAY_RESPONSE_WAIT : RUNWAY_RESPONSE_OK);
      assert_int_equal(NOW->stalls, same && now >= IOMMU_LINE_ORDERED);
      assert_int_equal(iommu_bus_has_priority_work(OF(H_UNIT, iommu)), now == IOMMU_LINE_HELD);
    }
  NOW->state = IOMMU_LINE_ISSUED;
  iommu_bus_own_response(OF(H_UNIT, iommu), &(struct runway_own_response){.type = RUNWAY_TYPE_READ_SHARED});
  assert_int_equal(NOW->state, IOMMU_LINE_ISSUED);
  iommu_bus_own_response(OF(H_UNIT, iommu), &(struct runway_own_response){.type = RUNWAY_TYPE_READ_PRIVATE});
  assert_int_equal(NOW->state, IOMMU_LINE_ORDERED);
}

TEST(all_state_at_the_end_of_hsc_is_serialized) {
  walking();
  opened();
  iommu_access *a = ACCESS;
  *a = (iommu_access){.state = IOMMU_ACCESS_READY,
      .write = 1,
      .outcome = IOMMU_ASTRAY,
      .meant = 0x12345,
      .address = IO + 32,
      .physical = BASE + 32,
      .half_0 = COMING_WRITE(0),
      .half_1 = COMING_WRITE(1)};
  KEEPS(H_UNIT, &a->state, &a->write, &a->outcome, &a->meant, &a->address, &a->physical, &a->half_0,
      &a->half_1);
  NOW->state = IOMMU_LINE_HELD, NOW->stalls = NOW->locked = NOW->full = 1, NOW->line = BASE + 32,
  NOW->half_0 = NOW->half_1 = OLD_WRITE;
  KEEPS(H_UNIT, &NOW->state, &NOW->stalls, &NOW->locked, &NOW->full, &NOW->line, &NOW->half_0, &NOW->half_1);
  NOW->waiting = 2, NOW->returning = 1, NOW->arriving = 1;
  for (uint32_t i = 0; i < 3; i++) {
    iommu_request *r = REQUESTS + i;
    iommu_return *b = RETURNS + i;
    *r = (iommu_request){.kind = HSC_KIND_WRITE,
        .slot = 3,
        .bytes = 32,
        .address = IO + 64,
        .half_0 = COMING_WRITE(2 + 2 * i),
        .half_1 = COMING_WRITE(3 + 2 * i)};
    *b = (iommu_return){.slot = 2,
        .kind = i,
        .bytes = 4,
        .address = 0x40,
        .memory = BASE + 0x40,
        .half_0 = i ? 0x12345678 : OLD_WRITE,
        .half_1 = i ? 0x9abcdef0 : OLD_WRITE};
  }
  for (uint32_t i = 0; i < 2; i++) {
    iommu_request *r = REQUESTS + i;
    iommu_return *b = RETURNS + i;
    KEEPS(H_UNIT, &r->kind, &r->slot, &r->bytes, &r->address, &r->half_0, &r->half_1);
    KEEPS(H_UNIT, &b->slot, &b->bytes, &b->address, &b->half_0, &b->half_1);
  }
  KEEPS(H_UNIT, &RETURNS[0].memory, &RETURNS[1].kind);
  KEEPS_NOT(
      H_UNIT, &REQUESTS[2].slot, &RETURNS[2].slot, &REQUESTS[0].cause, &RETURNS[0].cause); /* already gone */
  STATE->reads = 1;
  STATE->read[0] = (struct iommu_register_read){
      .address = WINDOW(1), .behind = 4, .transaction = 5, .answered = 1, .requests = 2};
  KEEPS(H_UNIT, &STATE->reads, &STATE->read[0].address, &STATE->read[0].behind, &STATE->read[0].transaction,
      &STATE->read[0].answered, &STATE->read[0].requests);
  KEEPS_NOT(H_UNIT, &STATE->read[1].transaction, &STATE->read[1].answered);
}
