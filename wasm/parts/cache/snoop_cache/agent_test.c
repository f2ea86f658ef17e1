/* A cache as an agent of its bus, asked by hand: what it says there and in which order, register accesses, orders past its lines, and lines that come. */
#include "test/devices_machine.h"

#define ENGINE test_engine()
#define NS 1000ull
#define STATE SIM_STATE(ENGINE, CACHE(0), snoop_cache)
#define COUNT(name) (HP_COUNTERS(CACHE(0), snoop_cache)->name)
#define INDEX_OF(address, offset) ((uint32_t)(((address) + (offset)) / PAGE) & 0xfff)

static void begun(const struct hp_machine *g) {
  hp_open(g);
  session_run();
  ENGINE->cause = 0;
}

static uint32_t words[2];
static struct runway_grant granted(uint32_t limit, uint32_t answer) {
  struct runway_grant q = {.limit = limit, .halves = words};
  words[0] = words[1] = 77;
  runway_view(SIM_STATE(ENGINE, BUS, runway))->requests = 0;
  assert_int_equal(snoop_cache_bus_grant(ENGINE, CACHE(0), &q), answer);
  return q;
}
static uint32_t asks_again(void) { return runway_view(SIM_STATE(ENGINE, BUS, runway))->requests & 1; }

static uint32_t posted(uint64_t address, uint64_t value, uint32_t write) { return snoop_cache_front_post(ENGINE, CACHE(0), &(struct front_post){.address = address, .value = value, .bytes = 4, .write = write}); }

/* Copies that others wait for go first, then what leaves, each in its order; where only data may go nothing else does. Then registers, then orders, then its own lines. */
static void what_others_wait_for_goes_first(void **state) {
  (void)state;
  const struct hp_machine g = hp_machine_defaults(1, 0);
  begun(&g);
  for (uint32_t i = 0; i < 2; i++) {
    STATE->copies[i] = (struct snoop_cache_copies){.transaction = 12 + i, .half_0 = 5 + 2 * i, .half_1 = 6 + 2 * i, .addr = BASE + 32 * i};
    STATE->buffer[i] = (struct snoop_cache_write_backs){BASE + 128 + 32 * i, 15 + 2 * i, 16 + 2 * i};
  }
  STATE->now.copies = STATE->now.write_backs = 2;
  assert_int_equal(posted(0xf1000008, 99, 0), 8);
  STATE->order[3] = (struct cache_order){.addr = BASE + 5 * PAGE + 64, .type = RUNWAY_TYPE_FLUSH, .stage = SNOOP_CACHE_STAGE_WANTED};
  STATE->orders = 1, STATE->ordering = 4;
  *cache_miss(ENGINE, STATE, SLOT_DEMAND) = (miss){.stage = SNOOP_CACHE_STAGE_WANTED, .type = RUNWAY_TYPE_READ_PRIVATE, .addr = BASE + 7 * PAGE + 36};
  assert_int_equal(snoop_cache_bus_has_priority_work(ENGINE, CACHE(0)), 4);
  for (uint32_t i = 0; i < 2; i++) {
    assert_says(granted(RUNWAY_LIMIT_DATA_ONLY, 1), RUNWAY_TYPE_C2C_DATA, BASE + 32 * i, 11 + i, 5 + 2 * i, 6 + 2 * i);
    assert_int_equal(asks_again(), 1);
  }
  for (uint32_t i = 0; i < 2; i++) {
    assert_says(granted(RUNWAY_LIMIT_DATA_ONLY, 1), RUNWAY_TYPE_WRITE_BACK, BASE + 128 + 32 * i, 0, 15 + 2 * i, 16 + 2 * i);
    assert_int_equal(asks_again(), 1);
    assert_int_equal(COUNT(write_backs), 1 + i);
  }
  assert_int_equal(snoop_cache_bus_has_priority_work(ENGINE, CACHE(0)), 0);
  assert_int_equal(STATE->copies[0].transaction + STATE->copies[1].transaction + STATE->buffer[0].half_0 + STATE->buffer[1].half_0, 0);
  granted(RUNWAY_LIMIT_DATA_ONLY, 0);
  assert_says(granted(0, 1), RUNWAY_TYPE_SHORT_WRITE, 0xf1000008, 0, 99, 0);
  assert_int_equal(asks_again(), 1);
  struct runway_grant q = granted(0, 1);
  assert_says(q, RUNWAY_TYPE_FLUSH, BASE + 5 * PAGE + 64, SLOT_ORDER + 3, 0, 0);
  assert_int_equal(q.index, INDEX_OF(BASE + 5 * PAGE, g.cache.virtual_offset));
  assert_int_equal(STATE->order[3].stage, SNOOP_CACHE_STAGE_ISSUED);
  assert_int_equal(asks_again(), 1);
  q = granted(0, 1);
  assert_says(q, RUNWAY_TYPE_READ_PRIVATE, BASE + 7 * PAGE + 36, SLOT_DEMAND, 0, 0);
  assert_int_equal(q.index, INDEX_OF(BASE + 7 * PAGE, g.cache.virtual_offset));
  assert_int_equal(asks_again(), 0);
  granted(0, 0);
}

/* Eight stores to registers wait at most; they go in their order, then a read of one. Where no registers may be reached a line is asked for meanwhile. */
static void register_accesses_wait_in_their_order(void **state) {
  (void)state;
  const struct hp_machine g = hp_machine_defaults(1, 0);
  begun(&g);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(posted(0xf1000000 + 4 * i, 30 + i, i == 2 ? 900001 : 0), 8 - i);
  assert_int_equal(posted(0xf1000020, 38, 0), 0);
  assert_int_equal(snoop_cache_front_posted_count(ENGINE, CACHE(0)), 8);
  snoop_cache_front_read(ENGINE, CACHE(0), &(struct front_read){.address = 0xf2000004});
  assert_int_equal(STATE->reading, 1);
  *cache_miss(ENGINE, STATE, SLOT_DEMAND) = (miss){.stage = SNOOP_CACHE_STAGE_WANTED, .type = RUNWAY_TYPE_READ_SHARED, .addr = BASE};
  assert_says(granted(RUNWAY_LIMIT_NO_REGISTERS, 1), RUNWAY_TYPE_READ_SHARED, BASE, SLOT_DEMAND, 0, 0);
  granted(RUNWAY_LIMIT_NO_REGISTERS, 0);
  for (uint32_t i = 0; i < 8; i++) {
    assert_says(granted(0, 1), RUNWAY_TYPE_SHORT_WRITE, 0xf1000000 + 4 * i, 0, i == 2 ? 900001 : 30 + i, 0); /* data that is followed is known by its write */
    assert_int_equal(asks_again(), 1);
    assert_int_equal(snoop_cache_front_posted_count(ENGINE, CACHE(0)), 7 - i);
    assert_int_equal(STATE->posts[7 - i].addr + STATE->posts[7 - i].value + STATE->posts[7 - i].spare, 0);
  }
  assert_says(granted(0, 1), RUNWAY_TYPE_SHORT_READ, 0xf2000004, SLOT_REGISTER, 0, 0);
  assert_int_equal(STATE->reading, 2);
  assert_int_equal(asks_again(), 0);
  granted(0, 0); /* it is under way */
  ENGINE->time = 5000 * NS;
  uint32_t value[2] = {55, 0};
  uint64_t time;
  snoop_cache_bus_data(ENGINE, CACHE(0), &(struct runway_data){.slot = SLOT_REGISTER, .halves = value});
  assert_int_equal(STATE->reading, 0);
  const sim_msg *data = test_message_for(CPU(0), &time);
  assert_int_equal(data->kind, FRONT_DATA);
  assert_int_equal(data->addr, 55);
  assert_int_equal(data->x, 55);
  assert_int_equal(time, 5000 * NS + g.cache.miss_time);
}

/* Who waits for room is told at once while there is some, but not before its own time is over; else when a store has left. */
static void room_for_a_store_is_told_when_there_is_some(void **state) {
  (void)state;
  static const struct { uint64_t after, told; uint32_t posts; } cases[] = {{0, 5000, 7}, {5400, 5400, 7}, {5400, 6000, 8}};
  for (uint32_t i = 0; i < 3; i++) {
    const struct hp_machine g = hp_machine_defaults(1, 0);
    begun(&g);
    ENGINE->time = 5000 * NS;
    for (uint32_t k = 0; k < cases[i].posts; k++) posted(0xf1000000, k, 0);
    snoop_cache_front_notify_space(ENGINE, CACHE(0), &(struct front_notify_space){.after = cases[i].after * NS});
    assert_int_equal(STATE->room_wanted, cases[i].posts == 8);
    if (cases[i].posts == 8) ENGINE->time = 6000 * NS, granted(0, 1);
    uint64_t time;
    assert_int_equal(test_message_for(CPU(0), &time)->kind, FRONT_ROOM);
    assert_int_equal(time, cases[i].told * NS);
    assert_int_equal(STATE->room_wanted, 0);
  }
}

/* Its own register is that of interrupts, if it has one: 16 bytes, and who writes there interrupts the processor with what is written. */
static void its_register_is_that_of_interrupts(void **state) {
  (void)state;
  for (uint32_t has = 0; has < 2; has++) {
    struct hp_machine g = with_devices(1);
    g.serves = 1;
    g.cache.interrupt = has ? 0xfff80000 : 0;
    begun(&g);
    struct runway_claim q = {.which = 0}, second = {.which = 1};
    assert_int_equal(snoop_cache_bus_claim(ENGINE, CACHE(0), &q), has);
    assert_int_equal(q.base, has ? 0xfff80000 : 0);
    assert_int_equal(q.length, 16);
    assert_int_equal(snoop_cache_bus_claim(ENGINE, CACHE(0), &second), 0);
    assert_int_equal(STATE->shadow.from, BASE);
    ENGINE->time += 100 * NS;
    snoop_cache_bus_register(ENGINE, CACHE(0), &(struct runway_register){.value = 5});
    uint64_t time;
    const sim_msg *raise = test_message_for(CPU(0), &time);
    assert_int_equal(raise->kind, IRQ_RAISE);
    assert_int_equal(raise->x, 5);
    assert_int_equal(time, ENGINE->time);
  }
}

static uint32_t asked(uint32_t op, uint64_t address, uint32_t bytes, uint32_t *write) {
  struct cache_access q = {.address = address, .bytes = bytes};
  q.op = op;
  uint32_t answer = snoop_cache_cpu_access(ENGINE, CACHE(0), &q);
  *write = q.write;
  return answer;
}

/* Of flushes two may be under way, and a third waits; with none it waits for each. What is posted has no write. */
static void so_many_flushes_are_not_waited_for(void **state) {
  (void)state;
  for (uint64_t orders = 0; orders < 3; orders += 2) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.cache.orders = orders;
    begun(&g);
    uint32_t write;
    for (uint32_t i = 0; i < orders; i++) {
      assert_int_equal(asked(i ? CACHE_OP_PURGE : CACHE_OP_FLUSH, BASE + 32 * i, 4, &write), 1);
      assert_int_equal(write, 0);
      assert_int_equal(STATE->ordering, 1 + i); /* one at a time waits for the bus */
      assert_says(granted(0, 1), i ? RUNWAY_TYPE_PURGE : RUNWAY_TYPE_FLUSH, BASE + 32 * i, SLOT_ORDER + i, 0, 0);
      assert_int_equal(STATE->ordering, 0);
    }
    assert_int_equal(STATE->awaited, 0);
    assert_int_equal(asked(CACHE_OP_FLUSH, BASE + 96, 4, &write), 0);
    assert_int_equal(STATE->now.busy, 1);
    assert_int_equal(STATE->orders, orders ? 2 : 1);
    assert_int_equal(STATE->awaited, orders ? 0 : 1);
    if (orders == 0) continue;
    snoop_cache_bus_data(ENGINE, CACHE(0), &(struct runway_data){.slot = SLOT_ORDER, .halves = words}); /* the first is done: its place is the third's */
    assert_int_equal(STATE->now.busy, 0);
    assert_int_equal(STATE->order[0].addr, BASE + 96);
    assert_int_equal(STATE->order[1].addr, BASE + 32);
    assert_int_equal(STATE->orders, 2);
  }
}

/* A store that is written through is seen by the load after it: a load of its line waits until it is complete, as does a store there, and one of another line does not. */
static void a_load_waits_for_what_is_written_through_to_its_line(void **state) {
  (void)state;
  static const uint64_t loads[] = {LOAD(BASE + 64), LOAD(BASE + 128), SPEND(10000000), END};
  static const struct { uint32_t op, at, done; } cases[] = {{CACHE_OP_LOAD, 64, 0}, {CACHE_OP_LOAD, 92, 0}, {CACHE_OP_STORE, 80, 0}, {CACHE_OP_LOAD, 128, 1}};
  for (uint32_t i = 0; i < 4; i++) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.cache.policy = SNOOP_CACHE_POLICY_WRITE_THROUGH, g.cache.stores = 2;
    g.program[0] = PROGRAM(loads);
    begun(&g);
    uint32_t write;
    const uint64_t hits = COUNT(hits);
    assert_int_equal(asked(CACHE_OP_STORE, BASE + 64, 16, &write), 1);
    assert_int_equal(granted(0, 1).type, RUNWAY_TYPE_WRITE16_PURGE);
    assert_int_equal(asked(cases[i].op, BASE + cases[i].at, 4, &write), cases[i].done);
    assert_int_equal(STATE->now.busy, !cases[i].done);
    assert_int_equal(COUNT(hits), hits + cases[i].done);
    assert_int_equal(STATE->orders, 1); /* the store itself, and no other has been begun */
    assert_int_equal(COUNT(stale_reads), 0);
  }
}

/*
 * Past the lines: a half line is written as it is, and is one more write in each half; of less the half line is read first and written then. A load brings
 * what is in its half, after the processor's share of a miss.
 */
static void uncached_memory_is_reached_half_by_half(void **state) {
  (void)state;
  static const struct { uint32_t op, at, bytes, reads, mask; } cases[] = {
      {CACHE_OP_STORE, 64, 32, 0, 3}, {CACHE_OP_STORE, 64, 16, 0, 1}, {CACHE_OP_STORE, 80, 16, 0, 2}, {CACHE_OP_STORE, 84, 8, 1, 2}, {CACHE_OP_STORE, 64, 4, 1, 1}, {CACHE_OP_LOAD, 68, 4, 1, 0}, {CACHE_OP_LOAD, 80, 16, 1, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.cache.uncached_from = BASE, g.cache.uncached = PAGE, g.memory.written = 1;
    begun(&g);
    uint32_t write, half = cases[i].at / 16 & 1, before = (uint32_t)ENGINE->writes, newest[2] = {hp_cell(BASE + 64).newest, hp_cell(BASE + 80).newest};
    uint64_t time;
    ENGINE->time = 5000 * NS;
    assert_int_equal(asked(cases[i].op, BASE + cases[i].at, cases[i].bytes, &write), cases[i].op == CACHE_OP_STORE && !cases[i].reads);
    if (cases[i].reads) {
      assert_says(granted(0, 1), RUNWAY_TYPE_READ_NONCOHERENT, BASE + cases[i].at, SLOT_ORDER, 0, 0);
      snoop_cache_bus_data(ENGINE, CACHE(0), &(struct runway_data){.slot = SLOT_ORDER, .halves = newest});
    }
    if (cases[i].op == CACHE_OP_LOAD) {
      assert_int_equal(test_message_for(CPU(0), &time)->x, newest[half]);
      assert_int_equal(time, 5000 * NS + g.cache.miss_time);
      assert_int_equal(ENGINE->writes, before);
    } else {
      assert_says(granted(0, 1), RUNWAY_TYPE_WRITE_NONCOHERENT, BASE + cases[i].at, cases[i].mask, cases[i].mask & 1 ? before + 1 : 0, cases[i].mask & 2 ? before + 1 + (cases[i].mask == 3) : 0);
      assert_int_equal(ENGINE->writes, before + (uint32_t)__builtin_popcount(cases[i].mask));
      if (cases[i].reads) assert_int_equal(test_message_for(CPU(0), &time)->x, before + 1), assert_int_equal(time, 5000 * NS);
    }
    assert_int_equal(STATE->orders, 0);
    assert_int_equal(STATE->now.busy, 0);
    assert_int_equal(COUNT(hits) + COUNT(misses) + COUNT(stale_reads), 0);
  }
}

/* A line comes unasked after a load that missed, and never after a store. Others' transactions are looked at, one's own are not. */
static void only_loads_bring_the_next_line_along(void **state) {
  (void)state;
  static const uint64_t loads[] = {LOAD(BASE), SPEND(10000000), END}, stores[] = {STORE(BASE), SPEND(10000000), END};
  for (uint32_t store = 0; store < 2; store++) {
    struct hp_machine g = hp_machine_defaults(2, 0);
    g.cache.speculate = 1;
    g.program[0] = store ? PROGRAM(stores) : PROGRAM(loads);
    begun(&g);
    assert_int_equal(COUNT(speculated), !store);
    assert_int_equal(COUNT(snoops), 0);
    assert_int_equal(HP_COUNTERS(CACHE(1), snoop_cache)->snoops, 1 + !store);
  }
}

/*
 * What waiting stores mean for an access, of four places of which the last three are taken: a store joins the youngest if its line is the same, and nobody has been promised
 * the line; all else that is for one of their lines waits, and what is for another meets none.
 */
static void a_store_joins_the_youngest_of_those_that_wait(void **state) {
  (void)state;
#define MEETS(op, line, half, stage, coming, met) {CACHE_OP_##op, line, half, SNOOP_CACHE_STAGE_##stage, SNOOP_CACHE_LINE_##coming, MEETS_##met}
  static const struct { uint32_t op, line, half, stage, coming, met; } cases[] = {
      MEETS(STORE, 3, 1, WANTED, INVALID, JOINS), MEETS(STORE, 3, 0, WANTED, INVALID, JOINS), MEETS(STORE, 3, 1, ISSUED, INVALID, JOINS), MEETS(STORE, 3, 1, ORDERED, IM_D, JOINS), MEETS(STORE, 3, 1, ORDERED, IU_D, WAITS),
      MEETS(LOAD, 3, 1, WANTED, INVALID, WAITS), MEETS(STORE, 2, 1, WANTED, INVALID, WAITS),
      MEETS(STORE, 1, 1, WANTED, INVALID, WAITS), MEETS(LOAD, 1, 0, WANTED, INVALID, WAITS), MEETS(STORE, 0, 0, WANTED, INVALID, NOTHING), MEETS(LOAD, 9, 0, WANTED, INVALID, NOTHING)};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.cache.store_queue = 4;
    begun(&g);
    for (uint32_t place = 1; place < 4; place++) *cache_miss(ENGINE, STATE, SLOT_STORE + place) = (miss){.stage = cases[i].stage, .state = cases[i].coming, .type = RUNWAY_TYPE_READ_PRIVATE, .addr = BASE + 32 * place, .stores = 1};
    STATE->next_store = 0;
    assert_int_equal(cache_merge_store(ENGINE, CACHE(0), BASE + 32 * cases[i].line + 16 * cases[i].half, cases[i].op, 4), cases[i].met);
    const uint32_t joins = cases[i].met == MEETS_JOINS;
    for (uint32_t place = 1; place < 4; place++) assert_int_equal(cache_miss(ENGINE, STATE, SLOT_STORE + place)->stores, joins && place == 3 ? 1u | 1u << cases[i].half : 1);
    assert_int_equal(COUNT(hits), joins);
    assert_int_equal(COUNT(queued), joins);
    assert_int_equal(cache_stores(ENGINE, STATE), 3);
    assert_int_equal(cache_has_unordered_stores(ENGINE, STATE), cases[i].stage != SNOOP_CACHE_STAGE_ORDERED);
  }
}

/* The bus asks who has anything of a line: what has been asked for and is not here yet, what leaves, and what is here. */
static void who_has_anything_of_a_line(void **state) {
  (void)state;
  static const uint64_t program[] = {LOAD(BASE + 96), END};
  struct hp_machine g = hp_machine_defaults(1, 0);
  g.program[0] = PROGRAM(program);
  begun(&g);
  *cache_miss(ENGINE, STATE, SLOT_DEMAND) = (miss){.stage = SNOOP_CACHE_STAGE_WANTED, .addr = BASE};
  *cache_miss(ENGINE, STATE, SLOT_SPECULATIVE) = (miss){.stage = SNOOP_CACHE_STAGE_ISSUED, .addr = BASE + 32};
  STATE->buffer[0].addr = BASE + 64, STATE->now.write_backs = 1;
  static const uint32_t holds[] = {0, 1, 1, 1, 0};
  for (uint32_t line = 0; line < 5; line++)
    for (uint32_t half = 0; half < 2; half++) assert_int_equal(snoop_cache_bus_tracks_line(ENGINE, CACHE(0), &(struct runway_tracks_line){.address = BASE + 32 * line + 16 * half, .index = INDEX_OF(BASE, g.cache.virtual_offset)}), holds[line]);
}

/* A store that misses is queued, unless a register's store or an order was posted before it and still waits for the bus: what was first goes first. A load never is. */
static void a_store_is_queued_behind_nothing_that_was_posted(void **state) {
  (void)state;
  for (uint32_t each = 0; each < 8; each++) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.cache.store_queue = 4;
    begun(&g);
    uint32_t slot = SLOT_DEMAND;
    STATE->now.posts = each & 1, STATE->ordering = each >> 1 & 1;
    assert_int_equal(cache_is_blocked(ENGINE, CACHE(0), UINT32_MAX, each & 4 ? CACHE_OP_LOAD : CACHE_OP_STORE, &slot), 0);
    assert_int_equal(slot, each == 0 ? SLOT_STORE : SLOT_DEMAND);
  }
}

/* Whose copy has gone leaves its place empty, and the rest move up. */
static void a_copy_that_has_gone_leaves_nothing(void **state) {
  (void)state;
  struct hp_machine g = hp_machine_defaults(1, 0);
  begun(&g);
  static const struct snoop_cache_copies none;
  for (uint32_t i = 0; i < 3; i++) STATE->copies[i] = (struct snoop_cache_copies){.transaction = 5 + i, .half_0 = 7, .half_1 = 8, .addr = BASE + 32 * i};
  STATE->now.copies = 3;
  for (uint32_t i = 0; i < 3; i++) {
    assert_says(granted(RUNWAY_LIMIT_DATA_ONLY, 1), RUNWAY_TYPE_C2C_DATA, BASE + 32 * i, 4 + i, 7, 8);
    assert_int_equal(STATE->now.copies, 2 - i);
    for (uint32_t k = 2 - i; k < 3; k++) assert_memory_equal(&STATE->copies[k], &none, sizeof none);
  }
}

/* With the fault that lets loads pass stores, a load meets none of them; a store still joins the youngest. */
static void a_fault_of_loads_leaves_stores_alone(void **state) {
  (void)state;
  struct hp_machine g = hp_machine_defaults(1, 0);
  g.cache.store_queue = 2, g.cache.fault = SNOOP_CACHE_FAULT_LOAD_PASSES_STORE;
  begun(&g);
  *cache_miss(ENGINE, STATE, SLOT_STORE + 1) = (miss){.stage = SNOOP_CACHE_STAGE_WANTED, .type = RUNWAY_TYPE_READ_PRIVATE, .addr = BASE, .stores = 1};
  STATE->next_store = 0;
  assert_int_equal(cache_merge_store(ENGINE, CACHE(0), BASE, CACHE_OP_LOAD, 4), MEETS_NOTHING);
  assert_int_equal(cache_merge_store(ENGINE, CACHE(0), BASE, CACHE_OP_STORE, 4), MEETS_JOINS);
}

/* A line of the assist cache may have to wait for its place until what is there has left: the processor tries again then. */
static void a_line_waits_to_be_promoted_until_its_place_is_free(void **state) {
  (void)state;
  for (uint32_t room = 0; room < 2; room++) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.cache.assist = 4, g.cache.buffer = 1;
    begun(&g);
    const uint32_t place = cache_set_of(STATE, BASE, cache_index(STATE, BASE)), beside = STATE->main_lines + 1;
    uint32_t write;
    *cache_line_at(ENGINE, STATE, place) = (struct snoop_cache_lines){.state = SNOOP_CACHE_LINE_PRIVATE_DIRTY, .tag = cache_tag(STATE, BASE + 64 * PAGE)};
    *cache_line_at(ENGINE, STATE, beside) = (struct snoop_cache_lines){.state = SNOOP_CACHE_LINE_PRIVATE_CLEAN, .tag = cache_tag(STATE, BASE)};
    cache_now(ENGINE, STATE)->write_backs = !room;
    STATE->retry = 0;
    assert_int_equal(cache_try_access(ENGINE, CACHE(0), BASE, CACHE_OP_LOAD, 4, &write), room);
    assert_int_equal(STATE->retry, !room);
    assert_int_equal(COUNT(assisted), room);
  }
}

/* A full write-back buffer keeps only what has to be written back: a clean line gives way all the same. */
static void a_clean_line_needs_no_room_in_the_buffer(void **state) {
  (void)state;
  static const uint32_t states[] = {SNOOP_CACHE_LINE_SHARED, SNOOP_CACHE_LINE_PRIVATE_CLEAN, SNOOP_CACHE_LINE_PRIVATE_DIRTY, SNOOP_CACHE_LINE_INVALID};
  for (uint32_t i = 0; i < 4; i++) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.cache.buffer = 1;
    begun(&g);
    *cache_line_at(ENGINE, STATE, 3) = (struct snoop_cache_lines){.state = states[i], .tag = cache_tag(STATE, BASE)};
    cache_now(ENGINE, STATE)->write_backs = 1;
    const uint32_t stays = states[i] == SNOOP_CACHE_LINE_PRIVATE_DIRTY;
    assert_int_equal(cache_evict(ENGINE, CACHE(0), 3), !stays);
    assert_int_equal(cache_line_at(ENGINE, STATE, 3)->state, stays ? SNOOP_CACHE_LINE_PRIVATE_DIRTY : SNOOP_CACHE_LINE_INVALID);
    assert_int_equal(cache_now(ENGINE, STATE)->write_backs, 1);
  }
}

/* What a processor waits for is kept whole: which access, where, and how many bytes. */
static void an_access_that_waits_is_remembered(void **state) {
  (void)state;
  const struct hp_machine g = hp_machine_defaults(1, 0);
  begun(&g);
  assert_int_equal(snoop_cache_cpu_access(ENGINE, CACHE(0), &(struct cache_access){.address = BASE + 64, .op = CACHE_OP_STORE, .bytes = 32}), 0);
  const struct snoop_cache_now *now = cache_now(ENGINE, STATE);
  assert_int_equal(now->busy, 1);
  assert_int_equal(now->op, CACHE_OP_STORE);
  assert_int_equal(now->addr, BASE + 64);
  assert_int_equal(now->bytes, 32);
}

/* A store that is waited for comes back with the write that it was, of its own half, or of the last of both; a flush or purge has none. */
static void what_is_waited_for_comes_back_with_its_write(void **state) {
  (void)state;
  static const struct { uint32_t op, at, bytes, type, write; } cases[] = {
      {CACHE_OP_STORE, 64, 16, RUNWAY_TYPE_WRITE16_PURGE, 901}, {CACHE_OP_STORE, 80, 16, RUNWAY_TYPE_WRITE16_PURGE, 902}, {CACHE_OP_STORE, 84, 4, RUNWAY_TYPE_WRITE16_PURGE, 902}, {CACHE_OP_STORE, 64, 32, RUNWAY_TYPE_WRITE32, 902},
      {CACHE_OP_FLUSH, 64, 4, RUNWAY_TYPE_FLUSH, 0}, {CACHE_OP_FLUSH, 80, 4, RUNWAY_TYPE_FLUSH, 0}, {CACHE_OP_PURGE, 64, 4, RUNWAY_TYPE_PURGE, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.cache.policy = SNOOP_CACHE_POLICY_WRITE_THROUGH, g.cache.stores = g.cache.orders = 0;
    begun(&g);
    uint32_t write, halves[2] = {901, 902};
    uint64_t time;
    ENGINE->time = 5000 * NS;
    assert_int_equal(asked(cases[i].op, BASE + cases[i].at, cases[i].bytes, &write), 0);
    assert_int_equal(granted(0, 1).type, cases[i].type);
    assert_int_equal(STATE->now.busy, 1);
    snoop_cache_bus_data(ENGINE, CACHE(0), &(struct runway_data){.slot = SLOT_ORDER, .halves = halves});
    assert_int_equal(STATE->now.busy, 0);
    const sim_msg *done = test_message_for(CPU(0), &time);
    assert_int_equal(done->kind, CACHE_DONE);
    assert_int_equal(done->x, cases[i].write);
    assert_int_equal(time, 5000 * NS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_others_wait_for_goes_first),
      cmocka_unit_test(register_accesses_wait_in_their_order),
      cmocka_unit_test(room_for_a_store_is_told_when_there_is_some),
      cmocka_unit_test(its_register_is_that_of_interrupts),
      cmocka_unit_test(so_many_flushes_are_not_waited_for),
      cmocka_unit_test(a_load_waits_for_what_is_written_through_to_its_line),
      cmocka_unit_test(uncached_memory_is_reached_half_by_half),
      cmocka_unit_test(only_loads_bring_the_next_line_along),
      cmocka_unit_test(a_store_joins_the_youngest_of_those_that_wait),
      cmocka_unit_test(who_has_anything_of_a_line),
      cmocka_unit_test(a_store_is_queued_behind_nothing_that_was_posted),
      cmocka_unit_test(a_copy_that_has_gone_leaves_nothing),
      cmocka_unit_test(a_fault_of_loads_leaves_stores_alone),
      cmocka_unit_test(a_line_waits_to_be_promoted_until_its_place_is_free),
      cmocka_unit_test(a_clean_line_needs_no_room_in_the_buffer),
      cmocka_unit_test(an_access_that_waits_is_remembered),
      cmocka_unit_test(what_is_waited_for_comes_back_with_its_write),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
