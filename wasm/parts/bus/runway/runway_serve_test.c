/* What no run of a machine shows of Runway transactions: the tenure of every type, and what an exploration
 * needs. */
#include "test/hp.h"

#define ENGINE test_engine()
#define STATE STATE_OF("runway", runway)
#define ROW_OF(tid) runway_row(STATE, tid)
#define NEAR 17u
#define FAR 45u /* beyond 32 bits */
#define OWNER 0
#define TAKER 1

/* Opens two idle caches and sets the time to a clock edge, that of cycle 1200. */
static void quiet(void) {
  hp(2, 0);
  hp_run();
  ENGINE->time = CYCLES(1200), ENGINE->cause = 0;
  sim_clock_next_edge(&STATE->clock, ENGINE->time);
}

/* Each type occupies the bus for its number of cycles from this clock edge; a write of half a line takes
 * fewer. A cache-to-cache transfer puts its data into the transaction that it answers. */
TEST(a_tenure_takes_the_cycles_of_its_type) {
  static const struct {
    uint32_t type, slot, cycles;
  } cases[] = {{RUNWAY_TYPE_FLUSH, 0, 1}, {RUNWAY_TYPE_WRITE32, 0, 5}, {RUNWAY_TYPE_WRITE16_PURGE, 0, 3},
      {RUNWAY_TYPE_C2C_DATA, FAR, 5}, {RUNWAY_TYPE_WRITE_BACK, 0, 5}, {RUNWAY_TYPE_WRITE_NONCOHERENT, 3, 5},
      {RUNWAY_TYPE_WRITE_NONCOHERENT, 1, 3}, {RUNWAY_TYPE_WRITE_NONCOHERENT, 2, 3},
      {RUNWAY_TYPE_SHORT_RETURN, FAR, 1}, {RUNWAY_TYPE_READ_SHARED, 0, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    uint32_t halves[LINE_HALVES] = {91, 92};
    const uint64_t busy = COUNTERS("runway", runway)->busy_cycles;
    const int answers = cases[i].slot == FAR;
    if (answers) {
      *ROW_OF(FAR) = (transaction){.phase = RUNWAY_PHASE_ASKING, .type = RUNWAY_TYPE_READ_SHARED};
      STATE->active |= 1ull << FAR;
    }
    runway_issue(OF(BUS, runway), OWNER, NEAR,
        &(struct runway_grant){
            .type = cases[i].type, .slot = cases[i].slot, .address = BASE, .halves = halves});
    EXPECT_VALUES({STATE->now.type, cases[i].type}, {STATE->now.addr, BASE}, {STATE->now.master, OWNER},
        {STATE->now.transaction, answers ? FAR : NEAR}, {STATE->now.cycles, cases[i].cycles},
        {STATE->now.began, CYCLES(1200)}, {STATE->now.until, CYCLES(1200 + cases[i].cycles)},
        {STATE->taken, 1}, {COUNTERS("runway", runway)->busy_cycles - busy, cases[i].cycles});
    if (answers) assert_int_equal(ROW_OF(FAR)->half_0, 91), assert_int_equal(ROW_OF(FAR)->half_1, 92);
    const uint32_t at_once =
        cases[i].type == RUNWAY_TYPE_WRITE_BACK || cases[i].type == RUNWAY_TYPE_WRITE_NONCOHERENT;
    assert_int_equal(hp_cell(BASE).write == 91, at_once && cases[i].slot != 2); /* no responses are needed */
    assert_int_equal(hp_cell(BASE + 16).write == 92, at_once && cases[i].slot != 1);
  }
}

/* Partial-order reduction: a snoop without effect on the agent, or an arbitration without candidates, is
 * invisible. */
TEST(events_without_effect_are_invisible) {
  static const struct {
    uint32_t kind, stalled, polled, type, master, holds, when;
  } cases[] = {{RUNWAY_END, 0, 0, RUNWAY_TYPE_READ_SHARED, OWNER, 0, SIM_ENABLED},
      {RUNWAY_LOOK, 1, 0, RUNWAY_TYPE_READ_SHARED, OWNER, 0, SIM_ENABLED},
      {RUNWAY_LOOK, 0, 1, RUNWAY_TYPE_READ_SHARED, OWNER, 0, SIM_ENABLED},
      {RUNWAY_LOOK, 0, 0, RUNWAY_TYPE_READ_SHARED, OWNER, 0, SIM_INVISIBLE},
      {RUNWAY_LOOK, 0, 0, RUNWAY_TYPE_READ_SHARED, OWNER, 1, SIM_ENABLED},
      {RUNWAY_LOOK, 0, 0, RUNWAY_TYPE_READ_SHARED, TAKER, 1, SIM_INVISIBLE},
      {RUNWAY_LOOK, 0, 0, RUNWAY_TYPE_FLUSH, TAKER, 1, SIM_ENABLED},
      {RUNWAY_LOOK, 0, 0, RUNWAY_TYPE_PURGE, TAKER, 1, SIM_ENABLED},
      {RUNWAY_LOOK, 0, 0, RUNWAY_TYPE_FLUSH, TAKER, 0, SIM_INVISIBLE}};
  static const uint64_t has[] = {LOAD(BASE), END};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hp(2, 0);
    PARAMS("cache0", snoop_cache)->virtual_offset = 0;
    machine_rows(HP_CPU[TAKER], 0, ROWS(has));
    hp_run();
    const uint64_t addr = cases[i].holds ? BASE : BASE + PAGE;
    *ROW_OF(FAR) = (transaction){
        .type = cases[i].type, .master = cases[i].master, .addr = addr, .index = addr / PAGE & 0xfff};
    struct runway_agents *agent = runway_agent(STATE, TAKER);
    agent->head = 5, agent->stalled = cases[i].stalled, agent->polled = cases[i].polled,
    STATE->queue[5].transaction = FAR + 1;
    assert_int_equal(
        runway_enabled(OF(BUS, runway), &(sim_msg){.kind = cases[i].kind, .addr = TAKER}), cases[i].when);
  }
  for (uint32_t bits = 0; bits < 4; bits++) {
    STATE->returns = bits & 1, STATE->now.requests = bits >> 1;
    assert_int_equal(
        runway_enabled(OF(BUS, runway), &(sim_msg){.kind = RUNWAY_GO}), bits ? SIM_ENABLED : SIM_INVISIBLE);
  }
}

/* Early rejection happens only in exploration. In a normal run each request waits for its grant and is
 * rejected then. */
TEST(requests_are_rejected_early_only_in_exploration) {
  for (uint32_t open = 0; open < 2; open++) {
    hp(2, 0);
    hp_open();
    STATE->now.requests = 1u << OWNER | 1u << TAKER, STATE->now.holder = 1 + OWNER;
    ENGINE->explore_step_time = open ? 100000 : 0;
    runway_self(OF(BUS, runway), &(sim_msg){.to = BUS, .port = SIM_PORT_SELF});
    assert_int_equal(STATE->rejected_agents, open ? 1u << TAKER : 0);
    assert_int_equal(STATE->now.requests, open ? 1u << OWNER : 1u << OWNER | 1u << TAKER);
  }
}

/* Serializing a write marks the data that it replaces as referenced; deserializing does not. */
TEST(replaced_writes_are_marked_when_serializing) {
  for (uint32_t mask = 0; mask < 4; mask++) {
    hp(1, 0);
    hp_open();
    uint8_t bytes[8];
    transaction row = {.type = RUNWAY_TYPE_WRITE32, .mask = mask, .addr = BASE};
    struct shadow_word *cells = shadow_word(ENGINE, &STATE_OF("memory", memory_controller)->shadow, BASE);
    cells[0].newest = 5, cells[1].newest = 6;
    for (uint32_t reading = 0; reading < 2; reading++) {
      struct sim_codec k = {.at = bytes, .reading = reading, .names = 2, .name = {5, 6}};
      runway_serialize_write(OF(BUS, runway), &row, &k);
      assert_int_equal(k.found, reading ? 0 : mask);
    }
  }
}
