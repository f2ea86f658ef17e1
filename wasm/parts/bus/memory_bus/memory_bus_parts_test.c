/* Unit tests of the memory bus: arbitration, splitting of requests, waiting, and accesses of memory. */
#include "test/memory_bus.h"

PROGRAM(loads_line, ROW(LOAD, 0, 32, 32, 0));
PROGRAM(stores_line, ROW(STORE, 0, 32, 32, 0));

/* Memory counts each access of a request and its bytes: eight uncached words, one line, or 40 bytes as lines
 * of 32 and 8. */
TEST(memory_sees_each_access_once) {
  static const struct {
    uint32_t bytes, access, writes, accesses;
  } cases[] = {{32, 4, 0, 8}, {32, 4, 1, 8}, {32, 32, 0, 1}, {32, 32, 1, 1}, {40, 32, 0, 2}, {40, 32, 1, 2},
      {64, 4, 0, 16}, {4, 32, 0, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    PROGRAMS(nothing, nothing, nothing);
    machine_open();
    sim *m = test_engine();
    uint32_t write = 77;
    memory_bus_master_request(m, SIM_CONTEXT(m, BUS, memory_bus), 1,
        &(struct shared_bus_request){.address = 256,
            .bytes = cases[i].bytes,
            .access = cases[i].access,
            .writes = cases[i].writes ? &write : NULL});
    memory_bus_row *row = memory_bus_row_of(m, SIM_CONTEXT(m, BUS, memory_bus), 1);
    assert_int_equal(row->requests, 1);
    memory_bus_move(m, SIM_CONTEXT(m, BUS, memory_bus), row,
        memory_bus_now_of(m, SIM_CONTEXT(m, BUS, memory_bus))->accesses);
    const struct memory_counters *c = COUNTERS("memory", memory);
    assert_int_equal(row->left, 0), assert_int_equal(row->address, 256 + cases[i].bytes),
        assert_int_equal(row->first, 256);
    assert_int_equal(BUS_COUNT(bytes), cases[i].bytes);
    assert_int_equal(BUS_COUNT(reads), cases[i].writes ? 0 : cases[i].accesses),
        assert_int_equal(BUS_COUNT(writes), cases[i].writes ? cases[i].accesses : 0);
    assert_int_equal(c->reads, BUS_COUNT(reads)), assert_int_equal(c->writes, BUS_COUNT(writes));
    assert_int_equal(c->bytes_read + c->bytes_written, cases[i].bytes);
    for (uint32_t word = 0; word < 17; word++)
      assert_int_equal(holds(256 + 4 * word), cases[i].writes && word < cases[i].bytes / 4 ? 77 : 0);
  }
}

/* After deserialization the handle of the pending end message is found again, so that the transaction can
 * still be preempted. An idle bus has no such message. */
TEST(pending_end_message_is_found_after_deserialization) {
  PROGRAMS(loads_line, stores_line, nothing);
  machine_open();
  struct memory_bus_now *now = memory_bus_now_of(OF(BUS, memory_bus));
  uint32_t *timer = &STATE_OF("bus", memory_bus)->timer;
  *timer = 12345;
  KEEPS(BUS, &now->last);
  assert_int_equal(*timer, 12345);
  sim_run(test_engine(), 50 * NS, SIM_NEVER);
  uint32_t name = *timer;
  *timer = 12345;
  KEEPS(BUS, &now->last);
  assert_int_equal(*timer, name);
  assert_int_equal(memory_bus_enabled(OF(BUS, memory_bus), &(sim_msg){.kind = MEMORY_BUS_END}), SIM_ENABLED);
}

static void asks(const void *request) {
  struct shared_bus_request q = *(const struct shared_bus_request *)request;
  memory_bus_master_request(OF(BUS, memory_bus), 1, &q);
}

/* A request has 1 to 64 bytes, in accesses of at least one byte, and a master has one request at a time. Any
 * other request stops the engine. */
TEST(an_invalid_request_stops_the_engine) {
  static const struct {
    uint32_t bytes, access, stops;
  } cases[] = {{64, 4, 0}, {1, 1, 0}, {64, 64, 0}, {0, 4, 1}, {4, 0, 1}, {65, 4, 1}, {128, 4, 1}, {0, 0, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    PROGRAMS(nothing, nothing, nothing);
    machine_open();
    STATE_OF("bus", memory_bus)->notifying = 1; /* the request is only queued; arbitration comes later */
    const struct shared_bus_request q = {.address = 128, .bytes = cases[i].bytes, .access = cases[i].access};
    assert_int_equal(test_stops(asks, &q), cases[i].stops);
    assert_int_equal(memory_bus_row_of(OF(BUS, memory_bus), 1)->requests, !cases[i].stops);
    if (!cases[i].stops) assert_true(test_stops(asks, &q)); /* the first request is still pending */
  }
}
