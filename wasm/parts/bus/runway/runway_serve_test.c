/* The life of a Runway transaction: its table entry, what blocks it, the source of its data, and
 * completion. */
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

/* Adds an active transaction of the taker that delivers its result to its processor as the value of a
 * register. */
static transaction *under_way(uint32_t tid, uint32_t type, uint64_t addr) {
  transaction *row = ROW_OF(tid);
  *row = (transaction){.phase = RUNWAY_PHASE_ASKING,
      .type = type,
      .master = TAKER,
      .slot = SLOT_REGISTER,
      .addr = addr,
      .half_0 = 71,
      .half_1 = 72};
  STATE->active |= 1ull << tid;
  runway_agent(STATE, TAKER)->pending++;
  return row;
}

static void assert_value_returned(uint32_t value) {
  uint64_t time;
  const sim_msg *q = test_message_for(CPU(TAKER), &time);
  EXPECT_VALUES({q->kind, FRONT_DATA}, {q->addr, value});
}

static void assert_complete(uint32_t tid, uint32_t complete) {
  EXPECT_VALUES({STATE->active >> tid & 1, !complete}, {ROW_OF(tid)->phase == RUNWAY_PHASE_FREE, complete});
  assert_int_equal(runway_agent(STATE, TAKER)->pending, !complete);
}

/* A transaction makes no progress while responses are pending, an older transaction of its line blocks it, or
 * memory is busy with it. */
TEST(a_transaction_waits_for_responses_order_and_memory) {
  static const struct {
    uint32_t responses_pending, blocked_by, phase;
  } cases[] = {{1, 0, RUNWAY_PHASE_ASKING}, {2, 0, RUNWAY_PHASE_ASKING}, {0, 4, RUNWAY_PHASE_ASKING},
      {0, 0, RUNWAY_PHASE_MEMORY}, {0, 0, RUNWAY_PHASE_RETURNING}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t type = RUNWAY_TYPE_READ_SHARED; type <= RUNWAY_TYPE_PURGE; type++) {
      quiet();
      transaction *row = under_way(FAR, type, BASE);
      row->responses_pending = cases[i].responses_pending, row->blocked_by = cases[i].blocked_by,
      row->phase = cases[i].phase;
      runway_perform(OF(BUS, runway), FAR);
      assert_complete(FAR, 0);
      EXPECT_VALUES({row->phase, cases[i].phase}, {ENGINE->pending, 0}, {STATE->fetching, 0});
    }
}

/* Both halves of the line are latched from memory into the transaction, which then waits to return them. */
TEST(memory_data_is_latched_into_the_transaction) {
  for (uint32_t tid = NEAR; tid <= FAR; tid += FAR - NEAR) {
    quiet();
    uint32_t words[LINE_HALVES] = {51, 52};
    runway_start_memory_write(OF(BUS, runway), BASE + 20, 3, 1, words);
    transaction *row = under_way(tid, RUNWAY_TYPE_READ_SHARED, BASE + 20);
    STATE->fetching = 1ull << tid | 1, STATE->returns = 2;
    runway_latch_memory_data(OF(BUS, runway), tid);
    EXPECT_VALUES({row->half_0, 51}, {row->half_1, 52}, {row->phase, RUNWAY_PHASE_RETURNING},
        {STATE->fetching, 1}, {STATE->returns, 1ull << tid | 2});
  }
}

/* A device write takes effect once all agents have responded: on both halves of a line, or on the one half
 * that it carries. Flushes and purges do not write to memory. */
TEST(a_write_takes_effect_on_completion) {
  static const struct {
    uint32_t type, mask, first, second;
  } cases[] = {{RUNWAY_TYPE_WRITE32, 3, 1, 1}, {RUNWAY_TYPE_WRITE16_PURGE, 1, 1, 0},
      {RUNWAY_TYPE_WRITE16_PURGE, 2, 0, 1}, {RUNWAY_TYPE_FLUSH, 0, 0, 0}, {RUNWAY_TYPE_PURGE, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    const struct shadow_word first = hp_cell(BASE), second = hp_cell(BASE + 16);
    under_way(FAR, cases[i].type, BASE + 16)->mask = cases[i].mask;
    runway_perform(OF(BUS, runway), FAR);
    assert_complete(FAR, 1);
    assert_value_returned(71);
    assert_int_equal(hp_cell(BASE).write, cases[i].first ? 71 : first.write);
    assert_int_equal(hp_cell(BASE).newest, cases[i].first ? 71 : first.newest);
    assert_int_equal(hp_cell(BASE + 16).write, cases[i].second ? 72 : second.write);
    assert_int_equal(hp_cell(BASE + 16).newest, cases[i].second ? 72 : second.newest);
  }
}

/*
 * A new transaction takes its fields from the grant. Reads and device writes reserve memory. Coherent
 * transactions are ordered behind those of their line and snooped by all agents; others are served at once.
 */
TEST(a_transaction_begins_according_to_its_type) {
  static const struct {
    uint32_t type, half, mask, asks, memory;
  } cases[] = {{RUNWAY_TYPE_READ_SHARED, 0, 0, 1, 1}, {RUNWAY_TYPE_READ_PRIVATE, 1, 0, 1, 1},
      {RUNWAY_TYPE_WRITE32, 0, 3, 1, 1}, {RUNWAY_TYPE_WRITE16_PURGE, 0, 1, 1, 1},
      {RUNWAY_TYPE_WRITE16_PURGE, 1, 2, 1, 1}, {RUNWAY_TYPE_FLUSH, 0, 0, 1, 0},
      {RUNWAY_TYPE_PURGE, 1, 0, 1, 0}, {RUNWAY_TYPE_READ_NONCOHERENT, 0, 0, 0, 1},
      {RUNWAY_TYPE_SHORT_READ, 0, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    under_way(3, RUNWAY_TYPE_FLUSH, BASE);
    uint32_t halves[LINE_HALVES] = {81, 82};
    ENGINE->cause = 9;
    runway_begin(OF(BUS, runway), FAR, OWNER,
        &(struct runway_grant){.type = cases[i].type,
            .slot = 4,
            .address = BASE + 16 * cases[i].half,
            .index = 0x123,
            .halves = halves});
    const transaction *row = ROW_OF(FAR);
    EXPECT_VALUES({row->type, cases[i].type}, {row->master, OWNER}, {row->slot, 4},
        {row->addr, BASE + 16 * cases[i].half}, {row->index, 0x123}, {row->half_0, 81}, {row->half_1, 82},
        {row->cause, 9}, {row->mask, cases[i].mask}, {row->blocked_by, cases[i].asks ? 3 + 1 : 0},
        {row->responses_pending, cases[i].asks ? 3 : 0}, {row->ready_at > 0, cases[i].memory});
    assert_int_equal(row->phase,
        cases[i].type == RUNWAY_TYPE_READ_NONCOHERENT ? RUNWAY_PHASE_MEMORY : RUNWAY_PHASE_ASKING);
    EXPECT_VALUES({STATE->active, 1ull << FAR | 1ull << 3}, {runway_agent(STATE, OWNER)->pending, 1},
        {runway_agent(STATE, OWNER)->waiting, cases[i].asks},
        {runway_agent(STATE, TAKER)->waiting, cases[i].asks});
    if (!cases[i].asks) continue;
    uint64_t time;
    assert_int_equal(test_message_for(BUS, &time)->kind, RUNWAY_LOOK);
    int ends = cases[i].type == RUNWAY_TYPE_FLUSH || cases[i].type == RUNWAY_TYPE_PURGE;
    assert_int_equal(time, CYCLES(1200
                                  + (ends ? SIM_PARAMS(ENGINE, BUS, runway)->flush_response
                                          : SIM_PARAMS(ENGINE, BUS, runway)->snoop)));
  }
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
    if (answers) under_way(FAR, RUNWAY_TYPE_READ_SHARED, BASE);
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
