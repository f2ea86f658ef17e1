/* A unit at the end of an HSC bus, asked by hand: requests, returns, register accesses and their order, the line it merges into, and what is kept of it. */
#include "test/hsc_order_machine.h"
#include "test/hsc_walk_machine.h"

/* Which device, which register and which way: a store brings its value, a load the number of its transaction. */
static void an_access_goes_to_its_slot(void **state) {
  (void)state;
  static const struct { uint32_t slot, offset, id, value; } cases[] = {{0, 0, 0, 77}, {3, 8, 6, 0}, {7, 4092, 1, 0}, {1, 12, 0, 5}};
  const struct end_of_hsc g = machine();
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    opened(&g);
    const uint64_t at = WINDOW(cases[i].slot) + cases[i].offset;
    ENGINE->cause = 42;
    iommu_bus_register(ENGINE, H_UNIT, &(struct runway_register){.address = at, .value = cases[i].value, .id = cases[i].id});
    const iommu_return *r = RETURNS;
    assert_int_equal(NOW->arriving, 1);
    assert_int_equal(r->slot, cases[i].slot);
    assert_int_equal(r->kind, cases[i].id ? 2 : 1);
    assert_int_equal(r->bytes, 4);
    assert_int_equal(r->address, cases[i].offset);
    assert_int_equal(r->half_0, cases[i].value);
    assert_int_equal(r->half_1, cases[i].id ? cases[i].id - 1 : 0);
    assert_int_equal(r->cause, 42);
    assert_int_equal(STATE->reads, cases[i].id != 0);
    if (cases[i].id) assert_int_equal(STATE->read[0].address, at);
    if (cases[i].id) assert_int_equal(STATE->read[0].transaction, cases[i].id - 1);
    if (cases[i].id) assert_int_equal(STATE->read[0].answered, 0);
  }
  opened(&g);
  for (uint32_t side = 0; side < 2; side++) iommu_bus_register(ENGINE, H_UNIT, &(struct runway_register){.address = side ? WINDOW(8) : WINDOW(0) - 4, .value = 1});
  assert_int_equal(NOW->arriving, 0); /* in front of the first device and behind the last there is none */
}

/* What comes over HSC waits in its order, as it came, while the unit serves another; with three there is no more room. */
static void what_comes_over_hsc_waits_as_it_came(void **state) {
  (void)state;
  static const struct { uint64_t address; uint32_t slot, kind, bytes, halves[2]; } cases[] = {{IO + 2 * PAGE + 32, 7, HSC_KIND_WRITE, 32, {5, 6}}, {IO + PAGE, 0, HSC_KIND_READ, 16, {0, 0}}, {IO + 3 * PAGE + 4, 3, HSC_KIND_SEMAPHORE, 4, {8, 0}}};
  struct end_of_hsc g = machine();
  g.unit.buffers = 3;
  opened(&g);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t halves[2] = {cases[i].halves[0], cases[i].halves[1]};
    ENGINE->cause = 40 + i;
    assert_int_equal(iommu_hsc_room(ENGINE, H_UNIT), 1);
    iommu_hsc_device_request(ENGINE, H_UNIT, &(struct hsc_adapter_device_request){.address = cases[i].address, .bytes = cases[i].bytes, .kind = cases[i].kind | cases[i].slot << 8, .halves = halves});
    assert_int_equal(NOW->waiting, i + 1);
  }
  assert_int_equal(iommu_hsc_room(ENGINE, H_UNIT), 0);
  for (uint32_t i = 0; i < 3; i++) {
    const iommu_request *r = REQUESTS + i;
    assert_int_equal(r->slot, cases[i].slot);
    assert_int_equal(r->kind, cases[i].kind);
    assert_int_equal(r->bytes, cases[i].bytes);
    assert_int_equal(r->address, cases[i].address);
    assert_int_equal(r->half_0, cases[i].halves[0]);
    assert_int_equal(r->half_1, cases[i].halves[1]);
    assert_int_equal(r->cause, 40 + i);
  }
  const iommu_access *a = ACCESS; /* the first is served */
  assert_int_equal(a->state, IOMMU_ACCESS_LOOKUP);
  assert_int_equal(a->write, 1);
  assert_int_equal(a->address, cases[0].address);
  assert_int_equal(a->half_0, 5);
  assert_int_equal(a->half_1, 6);
  assert_int_equal(a->cause, 40);
  iommu_end(ENGINE, H_UNIT, IOMMU_OF_HSC); /* then the second */
  assert_int_equal(NOW->waiting, 2);
  assert_int_equal(iommu_hsc_room(ENGINE, H_UNIT), 1);
  assert_int_equal(ACCESS->address, cases[1].address);
  assert_int_equal(ACCESS->write, 0);
  assert_int_equal(REQUESTS[0].address, cases[1].address);
  assert_int_equal(REQUESTS[1].address, cases[2].address);
  assert_int_equal(REQUESTS[2].address, 0);
}

/* An interrupt is a short write to where it says, without a translation; then what waits behind it is served. */
static void an_interrupt_goes_to_the_bus_as_it_is(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  opened(&g);
  uint32_t halves[2] = {9, 0}, said[2] = {0, 0};
  ENGINE->cause = 40;
  iommu_hsc_device_request(ENGINE, H_UNIT, &(struct hsc_adapter_device_request){.address = 0xfff80000, .bytes = 4, .kind = HSC_KIND_INTERRUPT, .halves = halves});
  iommu_hsc_device_request(ENGINE, H_UNIT, &(struct hsc_adapter_device_request){.address = IO, .bytes = 32, .kind = HSC_KIND_READ, .halves = halves});
  assert_int_equal(ACCESS->state, IOMMU_ACCESS_READY);
  struct runway_grant q = {.halves = said, .limit = RUNWAY_LIMIT_DATA_ONLY};
  assert_int_equal(iommu_bus_grant(ENGINE, H_UNIT, &q), 0); /* it waits its turn */
  q = (struct runway_grant){.halves = said};
  ENGINE->cause = 0;
  assert_int_equal(iommu_bus_grant(ENGINE, H_UNIT, &q), 1);
  assert_int_equal(q.type, RUNWAY_TYPE_SHORT_WRITE);
  assert_int_equal(q.address, 0xfff80000);
  assert_int_equal(q.slot, IOMMU_POSTED);
  assert_int_equal(said[0], 9);
  assert_int_equal(NOW->waiting, 1);
  assert_int_equal(ACCESS->address, IO);
  assert_int_equal(ACCESS->state, IOMMU_ACCESS_LOOKUP);
  assert_int_equal(UNIT_COUNT(translations), 0);
}

static void a_value_waits_for_what_its_own_slot_has_written(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  for (uint32_t i = 0; i < HSC_ORDER_COUNT; i++) {
    opened(&g);
    for (uint32_t n = 0; n < HSC_ORDERS[i].held; n++) REQUESTS[n] = (iommu_request){.kind = HSC_ORDERS[i].request[n].kind, .slot = HSC_ORDERS[i].request[n].slot};
    NOW->waiting = HSC_ORDERS[i].held;
    STATE->reads = 2; /* another processor's came before */
    STATE->read[0] = (struct iommu_register_read){.address = g.unit.window + 8, .transaction = 4};
    STATE->read[1] = (struct iommu_register_read){.address = g.unit.window + 2 * g.unit.slot_bytes + 8, .transaction = 5};
    iommu_hsc_data(ENGINE, H_UNIT, &(struct hsc_adapter_data){.value = 7, .tag = 5});
    assert_int_equal(STATE->read[0].answered, 0);
    assert_int_equal(STATE->read[1].requests, HSC_ORDERS[i].behind);
    assert_int_equal(STATE->read[1].answered, 1);
    assert_int_equal(STATE->read[1].value, 7);
    assert_int_equal(iommu_bus_has_priority_work(ENGINE, H_UNIT), HSC_ORDERS[i].behind == 0);
    for (uint32_t left = HSC_ORDERS[i].behind; left > 0; left--) {
      uint32_t words[2] = {0};
      assert_int_equal(iommu_bus_grant(ENGINE, H_UNIT, &(struct runway_grant){.halves = words, .limit = RUNWAY_LIMIT_DATA_ONLY}), 0);
      iommu_hsc_done(ENGINE, H_UNIT, IOMMU_REACHED);
    }
    uint32_t words[2] = {0};
    struct runway_grant q = {.halves = words, .limit = RUNWAY_LIMIT_DATA_ONLY};
    assert_int_equal(iommu_bus_grant(ENGINE, H_UNIT, &q), 1);
    assert_int_equal(q.type, RUNWAY_TYPE_SHORT_RETURN);
    assert_int_equal(q.address, g.unit.window + 2 * g.unit.slot_bytes + 8);
    assert_int_equal(q.slot, 5);
    assert_int_equal(words[0], 7);
    assert_int_equal(STATE->reads, 1); /* the other still waits */
    assert_int_equal(STATE->read[0].transaction, 4);
  }
}

/* Reads are answered first come, first served, of those that can be; those behind move up. */
static void answers_leave_and_the_rest_moves_up(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  opened(&g);
  STATE->reads = 3;
  for (uint32_t i = 0; i < 3; i++) STATE->read[i] = (struct iommu_register_read){.address = g.unit.window + 4 * i, .transaction = i, .value = 70 + i, .answered = i > 0};
  for (uint32_t i = 1; i < 3; i++) {
    uint32_t words[2] = {0};
    struct runway_grant q = {.halves = words};
    assert_int_equal(iommu_bus_grant(ENGINE, H_UNIT, &q), 1);
    assert_int_equal(q.slot, i);
    assert_int_equal(words[0], 70 + i);
    assert_int_equal(STATE->reads, 3 - i);
    assert_int_equal(STATE->read[0].transaction, 0);
    if (i == 1) assert_int_equal(STATE->read[1].transaction, 2);
  }
  assert_int_equal(iommu_bus_grant(ENGINE, H_UNIT, &(struct runway_grant){.halves = (uint32_t[2]){0}}), 0);
}

/* From 16 returns on processors' accesses are held back, until there are fewer. Returns leave in their order, once they have come across. */
static void returns_leave_in_order_and_too_many_hold_processors_back(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  opened(&g);
  uint32_t words[2];
  struct hsc_adapter_grant q = {.halves = words};
  const uint32_t *full = &SIM_STATE(ENGINE, H_BUS, runway)->full;
  for (uint32_t i = 0; i < 17; i++) {
    ENGINE->cause = 40 + i;
    iommu_return_data(ENGINE, H_UNIT, (iommu_return){.slot = i % 8, .kind = i % 3, .bytes = 4 + i, .half_0 = 100 + i, .half_1 = 200 + i, .address = 0x1000 + i, .memory = 0x2000 + i});
    assert_int_equal(*full, i >= 15 ? 1u << ADAPTER_AGENT : 0);
  }
  assert_int_equal(iommu_hsc_grant(ENGINE, H_UNIT, &q), 0);
  for (uint32_t i = 0; i < 17; i++) iommu_returned(ENGINE, H_UNIT);
  assert_int_equal(NOW->arriving, 0);
  for (uint32_t i = 0; i < 17; i++) {
    assert_int_equal(NOW->returning, 17 - i);
    assert_int_equal(iommu_hsc_grant(ENGINE, H_UNIT, &q), 1);
    assert_int_equal(q.kind, i % 3 | i % 8 << 8);
    assert_int_equal(q.memory, 0x2000 + i);
    assert_int_equal(q.bytes, 4 + i);
    assert_int_equal(q.address, 0x1000 + i);
    assert_int_equal(words[0], 100 + i);
    assert_int_equal(words[1], 200 + i);
    assert_int_equal(ENGINE->cause, 40 + i);
    assert_int_equal(*full, i == 0 ? 1u << ADAPTER_AGENT : 0);
  }
  assert_int_equal(iommu_hsc_grant(ENGINE, H_UNIT, &q), 0);
}

/* Who asks for the line that is merged into is not answered once the read of it is in order; other lines are nobody's here. */
static void a_line_that_is_merged_into_is_held(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  opened(&g);
  for (uint32_t now = IOMMU_LINE_EMPTY; now <= IOMMU_LINE_HELD; now++)
    for (uint64_t at = BASE + 32; at < BASE + 128; at += 16) {
      const int same = at / 32 == (BASE + 64) / 32;
      NOW->state = now, NOW->line = BASE + 64, NOW->stalls = 0;
      assert_int_equal(iommu_bus_tracks_line(ENGINE, H_UNIT, &(struct runway_tracks_line){.address = at}), same && now >= IOMMU_LINE_ISSUED);
      assert_int_equal(iommu_bus_snoop(ENGINE, H_UNIT, &(struct runway_snoop){.address = at}), same && now >= IOMMU_LINE_ORDERED ? RUNWAY_RESPONSE_WAIT : RUNWAY_RESPONSE_OK);
      assert_int_equal(NOW->stalls, same && now >= IOMMU_LINE_ORDERED);
      assert_int_equal(iommu_bus_has_priority_work(ENGINE, H_UNIT), now == IOMMU_LINE_HELD);
    }
  NOW->state = IOMMU_LINE_ISSUED;
  iommu_bus_own_response(ENGINE, H_UNIT, &(struct runway_own_response){.type = RUNWAY_TYPE_READ_SHARED});
  assert_int_equal(NOW->state, IOMMU_LINE_ISSUED);
  iommu_bus_own_response(ENGINE, H_UNIT, &(struct runway_own_response){.type = RUNWAY_TYPE_READ_PRIVATE});
  assert_int_equal(NOW->state, IOMMU_LINE_ORDERED);
}

/* The unit's own registers are the first window, those of eight devices the second. */
static void registers_of_devices_are_a_window_of_their_own(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  opened(&g);
  const uint64_t base[] = {g.unit.registers, g.unit.window}, length[] = {IOMMU_REGISTER_BYTES, 8 * g.unit.slot_bytes};
  for (uint32_t which = 0; which < 2; which++) {
    struct runway_claim q = {.which = which};
    assert_int_equal(iommu_bus_claim(ENGINE, H_UNIT, &q), 1);
    assert_int_equal(q.base, base[which]);
    assert_int_equal(q.length, length[which]);
  }
}

static void all_that_the_end_of_hsc_has_is_kept(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  opened(&g);
  iommu_access *a = ACCESS;
  *a = (iommu_access){.state = IOMMU_ACCESS_READY, .write = 1, .outcome = IOMMU_ASTRAY, .meant = 0x12345, .address = IO + 32, .physical = BASE + 32, .half_0 = COMING_WRITE(0), .half_1 = COMING_WRITE(1)};
  KEEPS(H_UNIT, &a->state, &a->write, &a->outcome, &a->meant, &a->address, &a->physical, &a->half_0, &a->half_1);
  NOW->state = IOMMU_LINE_HELD, NOW->stalls = NOW->locked = NOW->full = 1, NOW->line = BASE + 32, NOW->half_0 = NOW->half_1 = OLD_WRITE;
  KEEPS(H_UNIT, &NOW->state, &NOW->stalls, &NOW->locked, &NOW->full, &NOW->line, &NOW->half_0, &NOW->half_1);
  NOW->waiting = 2, NOW->returning = 1, NOW->arriving = 1;
  for (uint32_t i = 0; i < 3; i++) {
    iommu_request *r = REQUESTS + i;
    iommu_return *b = RETURNS + i;
    *r = (iommu_request){.kind = HSC_KIND_WRITE, .slot = 3, .bytes = 32, .address = IO + 64, .half_0 = COMING_WRITE(2 + 2 * i), .half_1 = COMING_WRITE(3 + 2 * i)};
    *b = (iommu_return){.slot = 2, .kind = i, .bytes = 4, .address = 0x40, .memory = BASE + 0x40, .half_0 = i ? 0x12345678 : OLD_WRITE, .half_1 = i ? 0x9abcdef0 : OLD_WRITE};
  }
  for (uint32_t i = 0; i < 2; i++) {
    iommu_request *r = REQUESTS + i;
    iommu_return *b = RETURNS + i;
    KEEPS(H_UNIT, &r->kind, &r->slot, &r->bytes, &r->address, &r->half_0, &r->half_1);
    KEEPS(H_UNIT, &b->slot, &b->bytes, &b->address, &b->half_0, &b->half_1);
  }
  KEEPS(H_UNIT, &RETURNS[0].memory, &RETURNS[1].kind);
  KEEPS_NOT(H_UNIT, &REQUESTS[2].slot, &RETURNS[2].slot, &REQUESTS[0].cause, &RETURNS[0].cause); /* what has left */
  STATE->reads = 1;
  STATE->read[0] = (struct iommu_register_read){.address = WINDOW(1), .behind = 4, .transaction = 5, .answered = 1, .requests = 2};
  KEEPS(H_UNIT, &STATE->reads, &STATE->read[0].address, &STATE->read[0].behind, &STATE->read[0].transaction, &STATE->read[0].answered, &STATE->read[0].requests);
  KEEPS_NOT(H_UNIT, &STATE->read[1].transaction, &STATE->read[1].answered);
}

/* An access of a device at a port of its own goes as it is, whatever waits at HSC; and behind a merged line that goes home, and an answer, the unit asks for the bus again. */
static void a_device_beside_hsc_goes_as_it_is(void **state) {
  (void)state;
  static const uint32_t heads[] = {HSC_KIND_INTERRUPT, HSC_KIND_SEMAPHORE, HSC_KIND_WRITE};
  for (uint32_t i = 0; i < 3; i++) {
    const struct end_of_hsc g = machine();
    opened(&g);
    session_run();
    struct runway_now *bus = runway_view(SIM_STATE(ENGINE, H_BUS, runway));
    uint32_t said[2] = {0, 0};
    REQUESTS[0] = (iommu_request){.kind = heads[i], .bytes = 4, .address = IO};
    NOW->waiting = 1;
    *iommu_access_of(ENGINE, STATE, 3) = (iommu_access){.state = IOMMU_ACCESS_READY, .write = 1, .number = 1, .physical = BASE + 64, .half_0 = 7, .half_1 = 8};
    struct runway_grant q = {.halves = said};
    bus->requests = 0;
    assert_int_equal(iommu_bus_grant(ENGINE, H_UNIT, &q), 1);
    assert_int_equal(q.type, RUNWAY_TYPE_WRITE32);
    assert_int_equal(q.address, BASE + 64);
    assert_int_equal(q.slot, 3);
    assert_int_equal(said[1], 8);
    assert_int_equal(NOW->state, IOMMU_LINE_EMPTY);
    assert_int_equal(bus->requests >> ADAPTER_AGENT & 1, 0);
    NOW->state = IOMMU_LINE_HELD, NOW->line = BASE + 96;
    iommu_access_of(ENGINE, STATE, 3)->state = IOMMU_ACCESS_READY;
    *ACCESS = (iommu_access){.state = IOMMU_ACCESS_ISSUED, .write = 1};
    assert_int_equal(iommu_bus_grant(ENGINE, H_UNIT, &q), 1);
    assert_int_equal(q.type, RUNWAY_TYPE_WRITE_BACK);
    assert_int_equal(bus->requests >> ADAPTER_AGENT & 1, 1);
  }
}

/* A word is merged into its own line of 32 bytes, wherever in the line it lies. */
static void a_word_is_merged_into_the_line_that_it_is_in(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  for (uint64_t at = 0; at < 128; at += 20) {
    opened(&g);
    uint32_t said[2] = {0, 0};
    *REQUESTS = (iommu_request){.kind = HSC_KIND_SEMAPHORE, .bytes = 4, .address = IO + at};
    struct runway_grant q = {.halves = said};
    assert_int_equal(iommu_hsc_fill_grant(ENGINE, H_UNIT, &q, &(iommu_access){.physical = BASE + at}), 1);
    assert_int_equal(q.type, RUNWAY_TYPE_READ_PRIVATE);
    assert_int_equal(q.address, BASE + at / 32 * 32);
    assert_int_equal(NOW->line, BASE + at / 32 * 32);
  }
}

/* Two returns, one that has crossed and one that has not, are kept with all that they bring, and nothing of a third place; there are 32 places at the end of an HSC bus. */
static void returns_are_kept_one_by_one(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  opened(&g);
  NOW->returning = NOW->arriving = 1;
  for (uint32_t i = 0; i < 2; i++) RETURNS[i] = (iommu_return){.kind = 2, .slot = 1, .bytes = 4, .address = 0x80 + i, .half_0 = 0x12345678, .half_1 = 9};
  for (uint32_t i = 0; i < 2; i++) KEEPS(H_UNIT, &RETURNS[i].slot, &RETURNS[i].bytes, &RETURNS[i].address, &RETURNS[i].half_0, &RETURNS[i].half_1);
  KEEPS_NOT(H_UNIT, &RETURNS[2].slot, &RETURNS[2].bytes, &RETURNS[2].address, &RETURNS[2].half_0);
  uint32_t rows;
  checked_view(ENGINE, H_UNIT, IOMMU_VIEW_RETURNS, &rows);
  assert_int_equal(rows, 32);
}

/* A register read waits for requests that came before it: the bus is asked for its answer when the last of them is done, and not before. */
static void a_register_read_asks_when_no_request_is_left_before_it(void **state) {
  (void)state;
  const struct end_of_hsc g = machine();
  for (uint32_t before = 0; before < 3; before++) {
    opened(&g);
    REQUESTS[0] = (iommu_request){.kind = HSC_KIND_WRITE, .slot = 1, .bytes = 32, .address = IO};
    NOW->waiting = 1;
    STATE->reads = 1, STATE->read[0].answered = 1, STATE->read[0].requests = before;
    struct runway_now *bus = runway_view(SIM_STATE(ENGINE, BUS, runway));
    bus->requests = 0;
    iommu_hsc_done(ENGINE, H_UNIT, IOMMU_REACHED);
    assert_int_equal(bus->requests >> ADAPTER_AGENT & 1, before == 1);
    assert_int_equal(STATE->read[0].requests, before == 2);
  }
}

/* Who holds nothing gives nothing back: whoever the bus had no room for is not heard again for it. */
static void a_bus_that_is_not_held_is_not_given_back(void **state) {
  (void)state;
  for (uint32_t locked = 0; locked < 2; locked++) {
    const struct end_of_hsc g = machine();
    opened(&g);
    iommu_hold(ENGINE, H_UNIT, locked);
    SIM_STATE(ENGINE, BUS, runway)->rejected_agents = 1;
    iommu_hold(ENGINE, H_UNIT, 0);
    assert_int_equal(SIM_STATE(ENGINE, BUS, runway)->rejected_agents, !locked);
    assert_int_equal(NOW->locked, 0);
  }
}

/* Who checks drivers hears which way a device moves data: a read out, a write in; what holds the line, or reads and writes at once, is neither, and an interrupt reaches no page. */
static void the_checker_hears_which_way_data_moves(void **state) {
  (void)state;
  static const struct { uint32_t kind, way, wrong; } cases[] = {
      {HSC_KIND_READ, CONTRACT_DIRECTION_TO_DEVICE, 0}, {HSC_KIND_READ, CONTRACT_DIRECTION_FROM_DEVICE, 1}, {HSC_KIND_READ, CONTRACT_DIRECTION_BIDIRECTIONAL, 0}, {HSC_KIND_WRITE, CONTRACT_DIRECTION_TO_DEVICE, 1}, {HSC_KIND_WRITE, CONTRACT_DIRECTION_FROM_DEVICE, 0}, {HSC_KIND_WRITE, CONTRACT_DIRECTION_BIDIRECTIONAL, 0},
      {HSC_KIND_READ_LOCKED, CONTRACT_DIRECTION_TO_DEVICE, 0}, {HSC_KIND_READ_LOCKED, CONTRACT_DIRECTION_FROM_DEVICE, 0}, {HSC_KIND_SEMAPHORE, CONTRACT_DIRECTION_TO_DEVICE, 0}, {HSC_KIND_SEMAPHORE, CONTRACT_DIRECTION_FROM_DEVICE, 0}, {HSC_KIND_INTERRUPT, CONTRACT_DIRECTION_TO_DEVICE, 0}};
  struct end_of_hsc g = machine();
  g.checked = 1;
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    opened(&g);
    uint32_t halves[2] = {9, 0};
    call_contract_mapped(ENGINE, H_UNIT, IOMMU_PORT_CONTRACT, &(struct contract_mapped){.address = IO, .host = BASE, .bytes = PAGE, .way = cases[i].way});
    iommu_hsc_device_request(ENGINE, H_UNIT, &(struct hsc_adapter_device_request){.address = IO + 32, .bytes = 16, .kind = cases[i].kind, .halves = halves});
    assert_int_equal(HP_COUNTERS(H_CHECK, dma_check)->wrong_directions, cases[i].wrong);
    assert_int_equal(HP_COUNTERS(H_CHECK, dma_check)->findings, cases[i].wrong);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_access_goes_to_its_slot),
      cmocka_unit_test(what_comes_over_hsc_waits_as_it_came),
      cmocka_unit_test(an_interrupt_goes_to_the_bus_as_it_is),
      cmocka_unit_test(a_value_waits_for_what_its_own_slot_has_written),
      cmocka_unit_test(answers_leave_and_the_rest_moves_up),
      cmocka_unit_test(returns_leave_in_order_and_too_many_hold_processors_back),
      cmocka_unit_test(a_line_that_is_merged_into_is_held),
      cmocka_unit_test(registers_of_devices_are_a_window_of_their_own),
      cmocka_unit_test(all_that_the_end_of_hsc_has_is_kept),
      cmocka_unit_test(a_device_beside_hsc_goes_as_it_is),
      cmocka_unit_test(a_word_is_merged_into_the_line_that_it_is_in),
      cmocka_unit_test(returns_are_kept_one_by_one),
      cmocka_unit_test(a_register_read_asks_when_no_request_is_left_before_it),
      cmocka_unit_test(a_bus_that_is_not_held_is_not_given_back),
      cmocka_unit_test(the_checker_hears_which_way_data_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
