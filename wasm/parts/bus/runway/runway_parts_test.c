/* Unit tests of the Runway bus: trace events and times of each transaction, in cycles of 120 MHz, and single
 * decisions. */
#include "test/hp.h"

#define ENGINE test_engine()
#define STATE STATE_OF("runway", runway)
#define CAUSED_BY_BUS(name) BECAUSE(BUS, RUNWAY_EV_##name)
#define COUNT(name) (COUNTERS("runway", runway)->name)
#define OWNER 0
#define TAKER 1

/*
 * Cycle 0: the owner misses. Arbitration takes 2 cycles and the address one. Memory has the line 33 after the
 * address cycle, arbitrates for 2 and transfers it in 4. At cycle 120 (1 us) the taker misses. The owner
 * answers 6 after the address cycle that it will copy, arbitrates for 2 and transfers in 5. The taker then
 * spends 2 of its own and 1 for the load, until 138, and flushes and purges the line. Either is complete when
 * all agents have answered, 27 after its address cycle.
 */
TEST(a_line_is_read_copied_flushed_and_purged) {
  static const uint64_t owner[] = {LOAD(BASE), STORE(BASE), END},
                        taker[] = {SPEND(1000000), LOAD(BASE), FLUSH(BASE), ROW(SYNC, 0, 0, 0, 0, 0, 0, 0),
                            ROW(PURGE, BASE, 0, 4, 4, 0, 0, 0), END};
  hp(2, 0);
  hp_does(OWNER, PROGRAM(owner)), machine_rows(HP_CPU[TAKER], 0, ROWS(taker));
  hp_run();
  assert_events(BUS,
      (const struct expected_event[]){{CYCLES(2), RUNWAY_EV_START, BASE, RUNWAY_TYPE_READ_SHARED, OWNER,
                                          BECAUSE(CACHE(OWNER), SNOOP_CACHE_EV_MISS)},
          {CYCLES(3), RUNWAY_EV_IDLE, 0, 0, 0, CAUSED_BY_BUS(START)},
          {CYCLES(37), RUNWAY_EV_START, BASE, RUNWAY_TYPE_RETURN, OWNER, CAUSED_BY_BUS(START)},
          {CYCLES(41), RUNWAY_EV_COMPLETE, BASE, RUNWAY_TYPE_READ_SHARED, OWNER, CAUSED_BY_BUS(START)},
          {CYCLES(41), RUNWAY_EV_IDLE, 0, 0, 0, BECAUSE(CACHE(OWNER), SNOOP_CACHE_EV_FILLED)},
          {CYCLES(122), RUNWAY_EV_START, BASE, RUNWAY_TYPE_READ_SHARED, TAKER,
              BECAUSE(CACHE(TAKER), SNOOP_CACHE_EV_MISS)},
          {CYCLES(123), RUNWAY_EV_IDLE, 0, 0, 0, CAUSED_BY_BUS(START)},
          {CYCLES(128), RUNWAY_EV_RESPONSE, PARAMS("runway", runway)->pending, RUNWAY_RESPONSE_COPY, OWNER,
              BECAUSE(CACHE(OWNER), SNOOP_CACHE_EV_COPIED)}, /* first transaction of the taker */
          {CYCLES(130), RUNWAY_EV_START, BASE, RUNWAY_TYPE_C2C_DATA, OWNER,
              BECAUSE(CACHE(OWNER), SNOOP_CACHE_EV_COPIED)},
          {CYCLES(135), RUNWAY_EV_COMPLETE, BASE, RUNWAY_TYPE_READ_SHARED, TAKER, CAUSED_BY_BUS(START)},
          {CYCLES(135), RUNWAY_EV_IDLE, 0, 0, 0, BECAUSE(CACHE(TAKER), SNOOP_CACHE_EV_FILLED)},
          {CYCLES(140), RUNWAY_EV_START, BASE, RUNWAY_TYPE_FLUSH, TAKER, CAUSED_BY_BUS(COMPLETE)},
          {CYCLES(141), RUNWAY_EV_IDLE, 0, 0, 0, CAUSED_BY_BUS(START)},
          {CYCLES(167), RUNWAY_EV_ANSWERED, BASE, RUNWAY_TYPE_FLUSH, 2, CAUSED_BY_BUS(START)},
          {CYCLES(167), RUNWAY_EV_COMPLETE, BASE, RUNWAY_TYPE_FLUSH, TAKER, CAUSED_BY_BUS(ANSWERED)},
          {CYCLES(171), RUNWAY_EV_START, BASE, RUNWAY_TYPE_PURGE, TAKER, CAUSED_BY_BUS(COMPLETE)},
          {CYCLES(172), RUNWAY_EV_IDLE, 0, 0, 0, CAUSED_BY_BUS(START)},
          {CYCLES(198), RUNWAY_EV_ANSWERED, BASE, RUNWAY_TYPE_PURGE, 2, CAUSED_BY_BUS(START)},
          {CYCLES(198), RUNWAY_EV_COMPLETE, BASE, RUNWAY_TYPE_PURGE, TAKER, CAUSED_BY_BUS(ANSWERED)}},
      19);
  assert_int_equal(COUNT(busy_cycles), (1 + 4) + (1 + 5) + 1 + 1);
  assert_int_equal(COUNT(transactions), 5); /* two reads, a copy, a flush, a purge */
  assert_int_equal(COUNT(bytes), 32 + 32);
  assert_int_equal(
      COUNT(snoops), 4 * 2); /* each of the four coherent transactions is snooped by two agents */
  EXPECT_VALUES({COUNT(stalls), 0}, {STATE->active, 0});
}

/*
 * A read of an unclaimed register spends 3 cycles in the processor. Its address is on the bus at cycle 5 for
 * one cycle, and the bus itself returns all ones in the next. A store to a device register goes to the
 * adapter and takes two cycles.
 */
TEST(unclaimed_registers_are_answered_by_the_bus) {
  static const uint64_t nobody[] = {ROW(IO_LOAD, 0xe0000000, 0, 4, 4, 0, 0, 0), END},
                        store[] = {ROW(IO_STORE, 0, WINDOW(0), 4, 4, 0, 77, 0), END};
  hp(1, 1);
  PARAMS("cpu0", processor)->load_time = 25000;
  machine_rows("cpu0", 0, ROWS(nobody));
  hp_run();
  assert_events(BUS,
      (const struct expected_event[]){{CYCLES(5), RUNWAY_EV_START, 0xe0000000, RUNWAY_TYPE_SHORT_READ, 0,
                                          BECAUSE(CPU(0), PROCESSOR_EV_LOAD)},
          {CYCLES(5), RUNWAY_EV_UNCLAIMED, 0xe0000000, 0, 0, CAUSED_BY_BUS(START)},
          {CYCLES(6), RUNWAY_EV_START, 0xe0000000, RUNWAY_TYPE_SHORT_RETURN, 0, CAUSED_BY_BUS(START)},
          {CYCLES(7), RUNWAY_EV_COMPLETE, 0xe0000000, RUNWAY_TYPE_SHORT_READ, 0, CAUSED_BY_BUS(START)},
          {CYCLES(7), RUNWAY_EV_IDLE, 0, 0, 0, CAUSED_BY_BUS(COMPLETE)}},
      5);
  EXPECT_VALUES({COUNT(registers), 1}, {COUNT(bytes), 0}, {COUNTERS("cpu0", processor)->stores, 0},
      {COUNTERS("cpu0", processor)->loads, 1});
  machine_rows("cpu0", 0, ROWS(store));
  hp_run();
  assert_events(BUS,
      (const struct expected_event[]){{CYCLES(2), RUNWAY_EV_START, WINDOW(0), RUNWAY_TYPE_SHORT_WRITE, 0,
                                          BECAUSE(CPU(0), PROCESSOR_EV_STORE)},
          {CYCLES(4), RUNWAY_EV_IDLE, 0, 0, 0, CAUSED_BY_BUS(START)}},
      2);
  EXPECT_VALUES({COUNT(busy_cycles), 2}, {COUNTERS("cpu0", processor)->stores, 1},
      {COUNTERS("cpu0", processor)->loads, 0});
}

/* The counter and the bytes of each type of transaction. */
TEST(each_transaction_is_counted_by_its_type) {
  struct runway_counters c = {0};
  for (uint32_t type = RUNWAY_TYPE_READ_SHARED; type <= RUNWAY_TYPE_RETURN; type++)
    for (uint32_t n = 0; n < type; n++) runway_count(&c, type, 0);
  runway_count(&c, RUNWAY_TYPE_WRITE_NONCOHERENT, 1);
  EXPECT_VALUES({c.read_shared, RUNWAY_TYPE_READ_SHARED}, {c.read_private, RUNWAY_TYPE_READ_PRIVATE},
      {c.write32, RUNWAY_TYPE_WRITE32}, {c.write16, RUNWAY_TYPE_WRITE16_PURGE},
      {c.flushes, RUNWAY_TYPE_FLUSH}, {c.purges, RUNWAY_TYPE_PURGE}, {c.write_backs, RUNWAY_TYPE_WRITE_BACK},
      {c.copies, RUNWAY_TYPE_C2C_DATA}, {c.quiet_reads, RUNWAY_TYPE_READ_NONCOHERENT},
      {c.quiet_writes, RUNWAY_TYPE_WRITE_NONCOHERENT + 1},
      {c.registers, RUNWAY_TYPE_SHORT_READ + RUNWAY_TYPE_SHORT_WRITE},
      {c.transactions, 1 + RUNWAY_TYPE_RETURN * (RUNWAY_TYPE_RETURN + 1) / 2});
  assert_int_equal(c.bytes, 32
                                    * (RUNWAY_TYPE_WRITE32 + RUNWAY_TYPE_WRITE_BACK + RUNWAY_TYPE_C2C_DATA
                                        + RUNWAY_TYPE_WRITE_NONCOHERENT)
                                + 16 * (RUNWAY_TYPE_WRITE16_PURGE + 1));
}

/* One agent at a time holds the lock. Its release rearms the rejected requests of the others, and so does the
 * end of flow control. */
TEST(a_lock_keeps_others_off_until_it_is_released) {
  hp(2, 0);
  hp_run();
  assert_int_equal(runway_agent_lock_memory(OF(BUS, runway), 1, &(struct runway_lock_memory){.on = 1}), 1);
  assert_int_equal(STATE->now.holder, 2);
  assert_int_equal(runway_agent_lock_memory(OF(BUS, runway), 0, &(struct runway_lock_memory){.on = 1}), 0);
  assert_int_equal(runway_agent_lock_memory(OF(BUS, runway), 0, &(struct runway_lock_memory){.on = 0}), 0);
  STATE->rejected_agents = 1;
  assert_int_equal(runway_agent_lock_memory(OF(BUS, runway), 1, &(struct runway_lock_memory){.on = 1}),
      1); /* taking the lock twice has no effect */
  assert_int_equal(STATE->rejected_agents, 1);
  assert_int_equal(runway_agent_lock_memory(OF(BUS, runway), 1, &(struct runway_lock_memory){.on = 0}), 1);
  EXPECT_VALUES({STATE->now.holder, 0}, {STATE->rejected_agents, 0}, {STATE->now.requests, 1});
  uint64_t time;
  assert_int_equal(test_message_for(BUS, &time)->kind, RUNWAY_GO);
  STATE->rejected_agents = 2, STATE->now.requests = 0;
  runway_agent_flow_control(OF(BUS, runway), 3, &(struct runway_flow_control){.on = 1});
  runway_agent_flow_control(OF(BUS, runway), 8, &(struct runway_flow_control){.on = 1});
  assert_int_equal(STATE->full, 1 << 3 | 1 << 8);
  runway_agent_flow_control(OF(BUS, runway), 3, &(struct runway_flow_control){.on = 0});
  EXPECT_VALUES({STATE->full, 1 << 8}, {STATE->rejected_agents, 2});
  runway_agent_flow_control(OF(BUS, runway), 8, &(struct runway_flow_control){.on = 0});
  EXPECT_VALUES({STATE->rejected_agents, 0}, {STATE->now.requests, 2});
}

/* Device writes in progress are the active transactions with a mask of half-lines. */
TEST(unanswered_writes_are_counted) {
  hp(2, 0);
  hp_run();
  static const uint32_t masks[] = {3, 0, 1, 2};
  for (uint32_t i = 0; i < 4; i++) STATE->transactions[i * 3].mask = masks[i];
  STATE->active = 1 << 0 | 1 << 3 | 1 << 6 | 1 << 9;
  assert_int_equal(runway_agent_unanswered_writes(OF(BUS, runway), 0), 3);
  STATE->active = 1 << 0 | 1 << 3 | 1 << 6;
  assert_int_equal(runway_agent_unanswered_writes(OF(BUS, runway), 1), 2);
}

static transaction asking(uint32_t type, uint64_t addr, uint32_t blocked_by) {
  return (transaction){.type = type, .addr = addr, .blocked_by = blocked_by};
}

/* A transaction is blocked by the latest active coherent transaction of its line. */
TEST(transactions_of_a_line_are_ordered) {
  hp(2, 0);
  hp_run();
  STATE->transactions[2] = asking(RUNWAY_TYPE_READ_SHARED, BASE, 0),
  STATE->transactions[5] = asking(RUNWAY_TYPE_PURGE, BASE + 16, 3),
  STATE->transactions[7] = asking(RUNWAY_TYPE_READ_NONCOHERENT, BASE, 0);
  STATE->transactions[8] = asking(RUNWAY_TYPE_FLUSH, BASE + 32, 0),
  STATE->transactions[9] = asking(RUNWAY_TYPE_FLUSH, BASE + 31, 0);
  STATE->active = 1 << 2 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9;
  assert_int_equal(runway_blocked_by(STATE, 9), 5 + 1);
  STATE->transactions[9].addr = BASE + 63;
  assert_int_equal(runway_blocked_by(STATE, 9), 8 + 1);
  STATE->transactions[9].addr = BASE + 64;
  assert_int_equal(runway_blocked_by(STATE, 9), 0);
  STATE->transactions[9].addr = BASE, STATE->active = 1 << 2 | 1 << 7 | 1 << 9;
  assert_int_equal(runway_blocked_by(STATE, 9), 2 + 1);
}

TEST(the_view_has_a_row_for_each_possible_transaction) {
  hp(2, 1);
  PARAMS("runway", runway)->pending = 4;
  hp_open();
  const struct sim_view_entry *views =
      (const struct sim_view_entry *)sim_at(ENGINE, ENGINE->views_at) + sim_part(ENGINE, BUS)->first_view;
  EXPECT_VALUES({views[RUNWAY_VIEW_TRANSACTIONS].rows, 10 * 4}, {views[RUNWAY_VIEW_AGENTS].rows, 10},
      {views[RUNWAY_VIEW_QUEUE].rows, 64}, {views[RUNWAY_VIEW_NOW].rows, 1},
      {STATE->wired, 1 | 2 | 1 << ADAPTER_AGENT});
}

/* The state codec covers transactions with the data of their type, requests, rejected and full agents, and
 * each agent's queue wherever it begins in its ring. */
TEST(bus_state_is_serialized) {
  hp(2, 0);
  hp_open();
  struct runway_state *s = STATE;
  struct runway_agents *agent = runway_agent(s, TAKER);
  transaction *row = runway_row(s, 17);
  s->active = 1 << 17, s->returns = 1 << 17, s->rejected_agents = 2, s->full = 1, s->now.requests = 3,
  s->now.holder = 1, s->taken = 1, s->windows_known = 1;
  KEEPS(BUS, &s->active, &s->returns, &s->rejected_agents, &s->full, &s->now.requests, &s->now.holder,
      &s->taken, &s->windows_known);
  static const struct {
    uint32_t type, half_0, half_1;
  } kinds[] = {{RUNWAY_TYPE_READ_SHARED, OLD_WRITE, OLD_WRITE}, {RUNWAY_TYPE_FLUSH, OLD_WRITE, OLD_WRITE},
      {RUNWAY_TYPE_WRITE32, COMING_WRITE(0), COMING_WRITE(1)},
      {RUNWAY_TYPE_WRITE16_PURGE, COMING_WRITE(0), COMING_WRITE(1)}, {RUNWAY_TYPE_SHORT_READ, 0x12345678, 0}};
  for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    *row = (transaction){.phase = RUNWAY_PHASE_RETURNING,
        .type = kinds[i].type,
        .master = 1,
        .slot = 2,
        .shared = 1,
        .owner = 2,
        .blocked_by = 6,
        .mask = 3,
        .addr = BASE,
        .index = 0x345,
        .responses_pending = 3,
        .half_0 = kinds[i].half_0,
        .half_1 = kinds[i].half_1};
    KEEPS(BUS, &row->phase, &row->type, &row->master, &row->slot, &row->shared, &row->owner, &row->blocked_by,
        &row->mask, &row->addr, &row->index, &row->responses_pending, &row->half_0);
    if (kinds[i].half_1) KEEPS(BUS, &row->half_1);
  }
  s->tail = 2, agent->head = 0, agent->waiting = 2, agent->stalled = 1, agent->pending = 3, agent->polled = 1;
  s->queue[0].transaction = 18, s->queue[1].transaction = 4;
  KEEPS(BUS, &agent->waiting, &agent->stalled, &agent->pending, &agent->polled, &s->queue[0].transaction,
      &s->queue[1].transaction);
  assert_int_equal(agent->head, 0);
}
