/* The decisions of a memory bus asked one by one: whose turn it is, where a request is cut, who waits for whom, and what memory sees. */
#include "test/memory_bus.h"

PROGRAM(loads_line, ROW(LOAD, 0, 32, 32, 0));
PROGRAM(stores_line, ROW(STORE, 0, 32, 32, 0));

/* Twelve masters: in turn the one behind the last, by place the first, whoever had it. Where nobody wants the bus there is none. */
static void the_next_master_is_the_one_in_turn_or_by_place(void **state) {
  (void)state;
  static const struct { uint32_t wants, last, in_turn, sim_place; } cases[] = {{0x001, 0, 0, 0}, {0x003, 0, 1, 0}, {0x003, 1, 0, 0}, {0x801, 0, 11, 0}, {0x801, 11, 0, 0}, {0x801, 10, 11, 0}, {0x800, 11, 11, 11}, {0x0f0, 5, 6, 4}, {0x0f0, 7, 4, 4}, {0, 3, 12, 12}};
  for (uint32_t priority = 0; priority < 2; priority++) {
    PROGRAMS(nothing, nothing, nothing);
    if (priority) PARAMS("bus", memory_bus)->arbiter = MEMORY_BUS_ARBITER_PRIORITY;
    machine_open();
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      for (uint32_t k = 0; k < 12; k++) memory_bus_row_of(test_engine(), BUS, k)->wants = cases[i].wants >> k & 1;
      assert_int_equal(memory_bus_next(test_engine(), BUS, cases[i].last), priority ? cases[i].sim_place : cases[i].in_turn);
    }
  }
}

/*
 * Sixteen words from 0 on, 30 ns each. Who comes at a moment waits for the word under way then: one that comes as a word ends waits for the next, and in the last
 * word nothing changes.
 */
static void a_request_under_way_is_cut_behind_the_access_of_the_moment(void **state) {
  (void)state;
  static const struct { uint64_t comes, ends; } cases[] = {{0, 30}, {29, 30}, {30, 60}, {59, 60}, {95, 120}, {420, 450}, {449, 450}, {450, 480}, {479, 480}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    PROGRAMS(nothing, nothing, nothing);
    machine_open();
    memory_bus_master_request(test_engine(), BUS, 0, &(struct shared_bus_request){.address = 0, .bytes = 64, .access = 4});
    uint64_t time;
    test_message_for(BUS, &time);
    assert_int_equal(time, 480 * NS);
    test_engine()->time = cases[i].comes * NS;
    memory_bus_master_request(test_engine(), BUS, 1, &(struct shared_bus_request){.address = 128, .bytes = 4, .access = 4});
    test_message_for(BUS, &time);
    assert_int_equal(time, cases[i].ends * NS);
    assert_int_equal(memory_bus_now_of(test_engine(), BUS)->accesses, cases[i].ends / 30);
  }
}

/* The first has had the bus since 100, it is 180, and the second has wanted it since then or later. A wait of no length is none, and one that goes on is counted once. */
static void who_wants_the_bus_waits_for_who_has_it(void **state) {
  (void)state;
  static const struct { uint64_t since, before, waited; uint32_t counted; } cases[] = {{50, 0, 80, 1}, {100, 0, 80, 1}, {140, 0, 40, 1}, {180, 0, 0, 0}, {50, 30, 80, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    PROGRAMS(nothing, nothing, nothing);
    machine_open();
    sim *m = test_engine();
    memory_bus_row *first = memory_bus_row_of(m, BUS, 0), *last = memory_bus_row_of(m, BUS, 11);
    first->wants = last->wants = MEMORY_BUS_STATE_READ, last->since = cases[i].since * NS, last->waited = cases[i].before * NS;
    memory_bus_now_of(m, BUS)->since = 100 * NS, m->time = 180 * NS;
    memory_bus_count_busy(m, BUS, 0);
    assert_int_equal(first->had, 80 * NS), assert_int_equal(BUS_COUNT(busy), 80 * NS);
    assert_int_equal(first->in_wait, 0), assert_int_equal(last->had, 0), assert_int_equal(memory_bus_row_of(m, BUS, 5)->in_wait, 0);
    assert_int_equal(last->in_wait, cases[i].waited * NS), assert_int_equal(last->waited, (cases[i].before + cases[i].waited) * NS);
    assert_int_equal(waited(11, 0), cases[i].waited * NS), assert_int_equal(waited(0, 11), 0);
    assert_int_equal(BUS_COUNT(waited), cases[i].waited * NS), assert_int_equal(BUS_COUNT(waits), cases[i].counted);
  }
}

/* Memory sees each access of a request, and so many bytes: eight words past the cache, a line in one, or 40 bytes in lines of 32 and 8. */
static void memory_sees_each_access_once(void **state) {
  (void)state;
  static const struct { uint32_t bytes, access, writes, accesses; } cases[] = {{32, 4, 0, 8}, {32, 4, 1, 8}, {32, 32, 0, 1}, {32, 32, 1, 1}, {40, 32, 0, 2}, {40, 32, 1, 2}, {64, 4, 0, 16}, {4, 32, 0, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    PROGRAMS(nothing, nothing, nothing);
    machine_open();
    sim *m = test_engine();
    uint32_t write = 77;
    memory_bus_master_request(m, BUS, 1, &(struct shared_bus_request){.address = 256, .bytes = cases[i].bytes, .access = cases[i].access, .writes = cases[i].writes ? &write : NULL});
    memory_bus_row *row = memory_bus_row_of(m, BUS, 1);
    assert_int_equal(row->requests, 1);
    memory_bus_move(m, BUS, row, memory_bus_now_of(m, BUS)->accesses);
    const struct memory_counters *c = COUNTERS("memory", memory);
    assert_int_equal(row->left, 0), assert_int_equal(row->address, 256 + cases[i].bytes), assert_int_equal(row->first, 256);
    assert_int_equal(BUS_COUNT(bytes), cases[i].bytes);
    assert_int_equal(BUS_COUNT(reads), cases[i].writes ? 0 : cases[i].accesses), assert_int_equal(BUS_COUNT(writes), cases[i].writes ? cases[i].accesses : 0);
    assert_int_equal(c->reads, BUS_COUNT(reads)), assert_int_equal(c->writes, BUS_COUNT(writes));
    assert_int_equal(c->bytes_read + c->bytes_written, cases[i].bytes);
    for (uint32_t word = 0; word < 17; word++) assert_int_equal(holds(256 + 4 * word), cases[i].writes && word < cases[i].bytes / 4 ? 77 : 0);
  }
}

/* Whoever looks sees what was written to the word in which the address is, in no time. */
static void a_look_sees_the_word_of_an_address(void **state) {
  (void)state;
  PROGRAMS(nothing, nothing, nothing);
  machine_open();
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t write = 41 + i;
    call_memory_write(test_engine(), BUS, MEMORY_BUS_PORT_MEMORY, &(struct memory_write){.address = 64 + 4 * i, .bytes = 4, .when = SIM_NEVER, .writes = &write});
  }
  static const struct { uint64_t address; uint32_t write; } cases[] = {{60, 0}, {63, 0}, {64, 41}, {67, 41}, {68, 42}, {70, 42}, {71, 42}, {72, 43}, {76, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_int_equal(memory_bus_master_observe(test_engine(), BUS, 0, &(struct shared_bus_observe){.address = cases[i].address}), cases[i].write);
  assert_int_equal(COUNTERS("memory", memory)->reads, 0);
}

/* Who reads a state back knows the end of what is on the bus by its name, and can still cut it short; of an idle bus there is none. */
static void the_end_of_what_is_on_the_bus_is_found_again(void **state) {
  (void)state;
  PROGRAMS(loads_line, stores_line, nothing);
  machine_open();
  struct memory_bus_now *now = memory_bus_now_of(test_engine(), BUS);
  uint32_t *timer = &STATE_OF("bus", memory_bus)->timer;
  *timer = 12345;
  KEEPS(BUS, &now->last);
  assert_int_equal(*timer, 12345);
  sim_run(test_engine(), 50 * NS, SIM_NEVER);
  uint32_t name = *timer;
  *timer = 12345;
  KEEPS(BUS, &now->last);
  assert_int_equal(*timer, name);
  assert_int_equal(memory_bus_enabled(test_engine(), BUS, &(sim_msg){.kind = MEMORY_BUS_END}), SIM_ENABLED);
}

static void asks(const void *request) {
  struct shared_bus_request q = *(const struct shared_bus_request *)request;
  memory_bus_master_request(test_engine(), BUS, 1, &q);
}

/* A request has from 1 to 64 bytes, in accesses of at least one, and a master has one at a time: with any other the engine stops. */
static void a_request_that_can_not_be_stops_the_engine(void **state) {
  (void)state;
  static const struct { uint32_t bytes, access, stops; } cases[] = {{64, 4, 0}, {1, 1, 0}, {64, 64, 0}, {0, 4, 1}, {4, 0, 1}, {65, 4, 1}, {128, 4, 1}, {0, 0, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    PROGRAMS(nothing, nothing, nothing);
    machine_open();
    STATE_OF("bus", memory_bus)->telling = 1; /* it is noted, and has the bus later */
    const struct shared_bus_request q = {.address = 128, .bytes = cases[i].bytes, .access = cases[i].access};
    assert_int_equal(test_stops(asks, &q), cases[i].stops);
    assert_int_equal(memory_bus_row_of(test_engine(), BUS, 1)->requests, !cases[i].stops);
    if (!cases[i].stops) assert_true(test_stops(asks, &q)); /* the first is not over */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_next_master_is_the_one_in_turn_or_by_place),
      cmocka_unit_test(a_request_under_way_is_cut_behind_the_access_of_the_moment),
      cmocka_unit_test(who_wants_the_bus_waits_for_who_has_it),
      cmocka_unit_test(memory_sees_each_access_once),
      cmocka_unit_test(a_look_sees_the_word_of_an_address),
      cmocka_unit_test(the_end_of_what_is_on_the_bus_is_found_again),
      cmocka_unit_test(a_request_that_can_not_be_stops_the_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
