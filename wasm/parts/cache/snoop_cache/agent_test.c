/* The cache as an agent of the Runway bus: the order of its requests, register accesses, uncached accesses
 * and line fills. */
#include "test/devices.h"

#define ENGINE test_engine()
#define NS 1000ull
#define STATE SIM_STATE(ENGINE, CACHE(0), snoop_cache)
#define COUNT(name) (COUNTERS("cache0", snoop_cache)->name)

static void begun(void) {
  hp_open();
  session_run();
  ENGINE->cause = 0;
}

static uint32_t words[2];
static struct runway_grant granted(uint32_t limit, uint32_t answer) {
  struct runway_grant q = {.limit = limit, .halves = words};
  words[0] = words[1] = 77;
  runway_view(STATE_OF("runway", runway))->requests = 0;
  assert_int_equal(snoop_cache_bus_grant(OF(CACHE(0), snoop_cache), &q), answer);
  return q;
}
static uint32_t asks_again(void) { return runway_view(STATE_OF("runway", runway))->requests & 1; }

static uint32_t posted(uint64_t address, uint64_t value, uint32_t write) {
  return snoop_cache_front_post(OF(CACHE(0), snoop_cache),
      &(struct front_post){.address = address, .value = value, .bytes = 4, .write = write});
}

/* At most eight stores to registers are posted. They are sent in order, before a register read. While the bus
 * admits no register accesses, a line fetch goes ahead. */
TEST(register_accesses_are_sent_in_order) {
  hp(1, 0);
  begun();
  for (uint32_t i = 0; i < 8; i++)
    assert_int_equal(posted(0xf1000000 + 4 * i, 30 + i, i == 2 ? 900001 : 0), 8 - i);
  assert_int_equal(posted(0xf1000020, 38, 0), 0);
  assert_int_equal(snoop_cache_front_posted_count(OF(CACHE(0), snoop_cache)), 8);
  snoop_cache_front_read(OF(CACHE(0), snoop_cache), &(struct front_read){.address = 0xf2000004});
  assert_int_equal(STATE->reading, 1);
  *cache_miss(SIM_CONTEXT(ENGINE, CACHE(0), snoop_cache), SLOT_DEMAND) =
      (miss){.stage = SNOOP_CACHE_STAGE_WANTED, .type = RUNWAY_TYPE_READ_SHARED, .addr = BASE};
  assert_transaction(granted(RUNWAY_LIMIT_NO_REGISTERS, 1), RUNWAY_TYPE_READ_SHARED, BASE, SLOT_DEMAND, 0, 0);
  granted(RUNWAY_LIMIT_NO_REGISTERS, 0);
  for (uint32_t i = 0; i < 8; i++) {
    assert_transaction(granted(0, 1), RUNWAY_TYPE_SHORT_WRITE, 0xf1000000 + 4 * i, 0,
        i == 2 ? 900001 : 30 + i, 0); /* tracked data is identified by its write number */
    assert_int_equal(asks_again(), 1);
    assert_int_equal(snoop_cache_front_posted_count(OF(CACHE(0), snoop_cache)), 7 - i);
    assert_int_equal(STATE->posts[7 - i].addr + STATE->posts[7 - i].value + STATE->posts[7 - i].spare, 0);
  }
  assert_transaction(granted(0, 1), RUNWAY_TYPE_SHORT_READ, 0xf2000004, SLOT_REGISTER, 0, 0);
  EXPECT_VALUES({STATE->reading, 2}, {asks_again(), 0});
  granted(0, 0); /* the read is already pending */
  ENGINE->time = 5000 * NS;
  uint32_t value[2] = {55, 0};
  uint64_t time;
  snoop_cache_bus_data(
      OF(CACHE(0), snoop_cache), &(struct runway_data){.slot = SLOT_REGISTER, .halves = value});
  assert_int_equal(STATE->reading, 0);
  const sim_msg *data = test_message_for(CPU(0), &time);
  EXPECT_VALUES({data->kind, FRONT_DATA}, {data->addr, 55}, {data->x, 55},
      {time, 5000 * NS + PARAMS("cache0", snoop_cache)->miss_time});
}

/* A processor that waits for room in the store queue is notified at once if there is some, but not before its
 * own time has elapsed; otherwise when a store has been sent. */
TEST(the_processor_is_notified_of_room_for_a_store) {
  static const struct {
    uint64_t after, notified;
    uint32_t posts;
  } cases[] = {{0, 5000, 7}, {5400, 5400, 7}, {5400, 6000, 8}};
  for (uint32_t i = 0; i < 3; i++) {
    hp(1, 0);
    begun();
    ENGINE->time = 5000 * NS;
    for (uint32_t k = 0; k < cases[i].posts; k++) posted(0xf1000000, k, 0);
    snoop_cache_front_notify_space(
        OF(CACHE(0), snoop_cache), &(struct front_notify_space){.after = cases[i].after * NS});
    assert_int_equal(STATE->room_wanted, cases[i].posts == 8);
    if (cases[i].posts == 8) ENGINE->time = 6000 * NS, granted(0, 1);
    uint64_t time;
    assert_int_equal(test_message_for(CPU(0), &time)->kind, FRONT_ROOM);
    EXPECT_VALUES({time, cases[i].notified * NS}, {STATE->room_wanted, 0});
  }
}

static uint32_t asked(uint32_t op, uint64_t address, uint32_t bytes, uint32_t *write) {
  struct cache_access q = {.address = address, .bytes = bytes};
  q.op = op;
  uint32_t answer = snoop_cache_cpu_access(OF(CACHE(0), snoop_cache), &q);
  *write = q.write;
  return answer;
}

/* A write-through store must be visible to later loads. Loads and stores of its line wait until it is
 * complete; those of other lines do not. */
TEST(a_load_waits_for_a_write_through_to_its_line) {
  static const uint64_t loads[] = {LOAD(BASE + 64), LOAD(BASE + 128), SPEND(10000000), END};
  static const struct {
    uint32_t op, at, done;
  } cases[] = {
      {CACHE_OP_LOAD, 64, 0}, {CACHE_OP_LOAD, 92, 0}, {CACHE_OP_STORE, 80, 0}, {CACHE_OP_LOAD, 128, 1}};
  for (uint32_t i = 0; i < 4; i++) {
    hp(1, 0);
    PARAMS("cache0", snoop_cache)->policy = SNOOP_CACHE_POLICY_WRITE_THROUGH,
                     PARAMS("cache0", snoop_cache)->stores = 2;
    machine_rows("cpu0", 0, ROWS(loads));
    begun();
    uint32_t write;
    const uint64_t hits = COUNT(hits);
    assert_int_equal(asked(CACHE_OP_STORE, BASE + 64, 16, &write), 1);
    assert_int_equal(granted(0, 1).type, RUNWAY_TYPE_WRITE16_PURGE);
    assert_int_equal(asked(cases[i].op, BASE + cases[i].at, 4, &write), cases[i].done);
    EXPECT_VALUES({STATE->now.busy, !cases[i].done}, {COUNT(hits), hits + cases[i].done});
    assert_int_equal(STATE->orders, 1); /* the store itself; no other has started */
    assert_int_equal(COUNT(stale_reads), 0);
  }
}

/* A load miss prefetches the next line, a store miss does not. A cache snoops the transactions of others, not
 * its own. */
TEST(only_loads_prefetch_the_next_line) {
  static const uint64_t loads[] = {LOAD(BASE), SPEND(10000000), END},
                        stores[] = {STORE(BASE), SPEND(10000000), END};
  for (uint32_t store = 0; store < 2; store++) {
    hp(2, 0);
    PARAMS("cache0", snoop_cache)->speculate = 1;
    hp_does(0, store ? PROGRAM(stores) : PROGRAM(loads));
    begun();
    EXPECT_VALUES({COUNT(speculated), !store}, {COUNT(snoops), 0},
        {COUNTERS("cache1", snoop_cache)->snoops, 1 + !store});
  }
}

/* With the fault LOAD_PASSES_STORE a load ignores the queued stores, but a store still merges into the
 * youngest. */
TEST(a_fault_of_loads_does_not_affect_stores) {
  hp(1, 0);
  PARAMS("cache0", snoop_cache)->store_queue = 2,
                   PARAMS("cache0", snoop_cache)->fault = SNOOP_CACHE_FAULT_LOAD_PASSES_STORE;
  begun();
  *cache_miss(SIM_CONTEXT(ENGINE, CACHE(0), snoop_cache), SLOT_STORE + 1) =
      (miss){.stage = SNOOP_CACHE_STAGE_WANTED, .type = RUNWAY_TYPE_READ_PRIVATE, .addr = BASE, .stores = 1};
  STATE->next_store = 0;
  assert_int_equal(
      cache_merge_store(SIM_CONTEXT(ENGINE, CACHE(0), snoop_cache), BASE, CACHE_OP_LOAD, 4), MEETS_NOTHING);
  assert_int_equal(
      cache_merge_store(SIM_CONTEXT(ENGINE, CACHE(0), snoop_cache), BASE, CACHE_OP_STORE, 4), MEETS_JOINS);
}

/*
 * Uncached accesses. A store of whole half-lines is written as it is, with a write number per half; a smaller
 * one reads its half-line, modifies and writes it. A load returns its half after the miss time of the
 * processor.
 */
TEST(uncached_memory_is_accessed_in_half_lines) {
  static const struct {
    uint32_t op, at, bytes, reads, mask;
  } cases[] = {{CACHE_OP_STORE, 64, 32, 0, 3}, {CACHE_OP_STORE, 64, 16, 0, 1}, {CACHE_OP_STORE, 80, 16, 0, 2},
      {CACHE_OP_STORE, 84, 8, 1, 2}, {CACHE_OP_STORE, 64, 4, 1, 1}, {CACHE_OP_LOAD, 68, 4, 1, 0},
      {CACHE_OP_LOAD, 80, 16, 1, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hp(1, 0);
    PARAMS("cache0", snoop_cache)->uncached_from = BASE, PARAMS("cache0", snoop_cache)->uncached = PAGE,
                     PARAMS("memory", memory_controller)->written = 1;
    begun();
    uint32_t write, half = cases[i].at / 16 & 1, before = (uint32_t)ENGINE->writes,
                    newest[2] = {hp_cell(BASE + 64).newest, hp_cell(BASE + 80).newest};
    uint64_t time;
    ENGINE->time = 5000 * NS;
    assert_int_equal(asked(cases[i].op, BASE + cases[i].at, cases[i].bytes, &write),
        cases[i].op == CACHE_OP_STORE && !cases[i].reads);
    if (cases[i].reads) {
      assert_transaction(granted(0, 1), RUNWAY_TYPE_READ_NONCOHERENT, BASE + cases[i].at, SLOT_ORDER, 0, 0);
      snoop_cache_bus_data(
          OF(CACHE(0), snoop_cache), &(struct runway_data){.slot = SLOT_ORDER, .halves = newest});
    }
    if (cases[i].op == CACHE_OP_LOAD) {
      assert_int_equal(test_message_for(CPU(0), &time)->x, newest[half]);
      EXPECT_VALUES({time, 5000 * NS + PARAMS("cache0", snoop_cache)->miss_time}, {ENGINE->writes, before});
    } else {
      assert_transaction(granted(0, 1), RUNWAY_TYPE_WRITE_NONCOHERENT, BASE + cases[i].at, cases[i].mask,
          cases[i].mask & 1 ? before + 1 : 0, cases[i].mask & 2 ? before + 1 + (cases[i].mask == 3) : 0);
      assert_int_equal(ENGINE->writes, before + (uint32_t)__builtin_popcount(cases[i].mask));
      if (cases[i].reads)
        assert_int_equal(test_message_for(CPU(0), &time)->x, before + 1), assert_int_equal(time, 5000 * NS);
    }
    EXPECT_VALUES(
        {STATE->orders, 0}, {STATE->now.busy, 0}, {COUNT(hits) + COUNT(misses) + COUNT(stale_reads), 0});
  }
}
