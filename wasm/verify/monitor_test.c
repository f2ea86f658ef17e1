/* The watcher on an idle machine: where the newest write of a half line is, which caches hold its line,
 * which side keeps copies current, and when translations are checked. */
#include "test/hp.h"

#define ENGINE test_engine()
#define SEEN (BASE + 64) /* the last line on the bus */

static uint32_t watcher_part;

/* Two processors, an adapter and its services, and a watcher; nothing is under way. */
static void rests(uint32_t mode) {
  hp(2, 1);
  machine_with("services");
  PARAMS("cache0", snoop_cache)->interrupt = 0xfff80000ull;
  PARAMS("memory", memory_controller)->written = 1;
  PARAMS("adapter", io_adapter)->mode =
      mode == IO_ADAPTER_MODE_COHERENT ? IO_ADAPTER_MODE_COHERENT : IO_ADAPTER_MODE_NONE;
  PARAMS("services", io_services)->mode =
      mode == IO_ADAPTER_MODE_COHERENT ? IO_SERVICES_MODE_COHERENT : IO_SERVICES_MODE_NONE;
  machine_with("watcher");
  hp_run();
  watcher_part = part_named("watcher");
  uint32_t rows;
  struct runway_now *now = checked_view(ENGINE, BUS, RUNWAY_VIEW_NOW, &rows);
  now->type = RUNWAY_TYPE_NOTHING, now->addr = SEEN;
  ENGINE->events = 1; /* translations are not checked at this event */
}

/* Checks once. Returns the violations as bits; all of them concern this line. */
static uint32_t look(void) {
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
  const uint64_t before = ENGINE->seq;
  uint32_t records = 0;
  sim_check_invariants(ENGINE);
  for (uint64_t i = before; i < ENGINE->seq; i++) {
    EXPECT_VALUES({ring[i].part, watcher_part}, {ring[i].kind, WATCHER_EV_BROKEN});
    if (ring[i].b != SIM_LIVE_TRANSLATION) assert_int_equal(ring[i].a, SEEN);
    records |= 1u << ring[i].b;
  }
  return records;
}

static uint32_t newest(uint32_t half) { return hp_cell(SEEN + half * HALF_BYTES).newest; }

/* Puts a line into a processor's cache, in this state and with these write numbers in its halves. */
static void holds(uint32_t cpu, uint64_t addr, uint32_t state, uint32_t low, uint32_t high) {
  struct snoop_cache_state *s = SIM_STATE(ENGINE, CACHE(cpu), snoop_cache);
  const uint32_t at = cache_set_of(s, addr, cache_index(s, addr));
  *cache_line_at(OF(CACHE(cpu), snoop_cache), at) =
      (struct snoop_cache_lines){.tag = (uint32_t)(addr / RUNWAY_LINE) + 1, .state = state};
  cache_halves(OF(CACHE(cpu), snoop_cache), at)[0] = low,
                                            cache_halves(OF(CACHE(cpu), snoop_cache), at)[1] = high;
}

/* Memory has an older write of a half: the newest must be in a cache, in a write-back or in the adapter,
 * under the same line address. Each half is checked separately. */
TEST(the_newest_write_exists_or_is_lost) {
  enum {
    NOWHERE,
    IN_MEMORY,
    IN_CACHE,
    IN_OTHER_CACHE,
    COMES_BACK,
    COMES_BACK_LATER,
    OTHER_COMES_BACK,
    GONE_BACK,
    IN_ADAPTER,
    OTHER_IN_ADAPTER,
    LEFT_ADAPTER,
    PLACES
  };
  static const uint32_t lost[PLACES] = {
      [NOWHERE] = 1, [OTHER_COMES_BACK] = 1, [GONE_BACK] = 1, [OTHER_IN_ADAPTER] = 1, [LEFT_ADAPTER] = 1};
  for (uint32_t place = 0; place < PLACES; place++)
    for (uint32_t half = 0; half < 2; half++) {
      rests(IO_ADAPTER_MODE_COHERENT);
      uint32_t rows;
      struct shadow_word *cell =
          shadow_word(ENGINE, &STATE_OF("memory", memory_controller)->shadow, SEEN + half * HALF_BYTES);
      struct snoop_cache_write_backs *back =
          checked_view(ENGINE, CACHE(1), SNOOP_CACHE_VIEW_WRITE_BACKS, &rows);
      struct snoop_cache_now *cache = cache_now(SIM_CONTEXT(ENGINE, CACHE(1), snoop_cache));
      struct io_adapter_line *line = checked_view(ENGINE, ADAPTER, IO_ADAPTER_VIEW_LINE, &rows);
      cell->newest = 777;
      const uint32_t low = newest(0), high = newest(1);
      const struct snoop_cache_write_backs mine = {SEEN, low, high}, other = {SEEN + RUNWAY_LINE, low, high};
      switch (place) {
        case IN_MEMORY: cell->write = 777; break;
        case IN_CACHE: holds(0, SEEN, SNOOP_CACHE_LINE_PRIVATE_DIRTY, low, high); break;
        case IN_OTHER_CACHE: holds(1, SEEN, SNOOP_CACHE_LINE_PRIVATE_DIRTY, low, high); break;
        case COMES_BACK: cache->write_backs = 1, back[0] = mine; break;
        case COMES_BACK_LATER: cache->write_backs = 2, back[0] = other, back[1] = mine; break;
        case OTHER_COMES_BACK: cache->write_backs = 1, back[0] = other, back[1] = mine; break;
        case GONE_BACK: back[0] = mine; break;
        case IN_ADAPTER:
          *line = (struct io_adapter_line){
              .state = IO_ADAPTER_LINE_HELD, .addr = SEEN, .half_0 = low, .half_1 = high};
          break;
        case OTHER_IN_ADAPTER:
          *line = (struct io_adapter_line){
              .state = IO_ADAPTER_LINE_HELD, .addr = SEEN + RUNWAY_LINE, .half_0 = low, .half_1 = high};
          break;
        case LEFT_ADAPTER:
          *line = (struct io_adapter_line){.state = 0, .addr = SEEN, .half_0 = low, .half_1 = high};
          break;
      }
      assert_int_equal(look(), lost[place] << SIM_NO_LOST_DATA);
    }
}

/* A line is shared by caches or private to one; a line that the adapter holds is in no cache. A copy is
 * stale if either half is, unless software keeps copies current. */
TEST(a_line_has_one_writer_or_current_copies) {
  static const struct {
    uint32_t first, second, adapter, old, violations;
  } cases[] = {/* old: caches with a stale copy, as bits */
      {SNOOP_CACHE_LINE_SHARED, SNOOP_CACHE_LINE_SHARED, 0, 0, 0},
      {SNOOP_CACHE_LINE_PRIVATE_CLEAN, 0, 0, 0, 0}, {0, SNOOP_CACHE_LINE_PRIVATE_DIRTY, 0, 0, 0},
      {SNOOP_CACHE_LINE_SHARED, SNOOP_CACHE_LINE_PRIVATE_CLEAN, 0, 0, 1 << SIM_ONE_WRITER},
      {SNOOP_CACHE_LINE_PRIVATE_DIRTY, SNOOP_CACHE_LINE_SHARED, 0, 0, 1 << SIM_ONE_WRITER},
      {SNOOP_CACHE_LINE_PRIVATE_CLEAN, SNOOP_CACHE_LINE_PRIVATE_CLEAN, 0, 0, 1 << SIM_ONE_WRITER},
      {0, 0, 1, 0, 0}, {SNOOP_CACHE_LINE_SHARED, 0, 1, 0, 1 << SIM_ONE_WRITER},
      {0, SNOOP_CACHE_LINE_PRIVATE_CLEAN, 1, 0, 1 << SIM_ONE_WRITER},
      {SNOOP_CACHE_LINE_SHARED, 0, 0, 1, 1 << SIM_NO_STALE_COPY},
      {SNOOP_CACHE_LINE_SHARED, SNOOP_CACHE_LINE_SHARED, 0, 2, 1 << SIM_NO_STALE_COPY},
      {SNOOP_CACHE_LINE_PRIVATE_CLEAN, 0, 0, 1, 1 << SIM_NO_STALE_COPY},
      {SNOOP_CACHE_LINE_SHARED, SNOOP_CACHE_LINE_PRIVATE_CLEAN, 0, 1,
          1 << SIM_ONE_WRITER | 1 << SIM_NO_STALE_COPY}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t software = 0; software < 2; software++)
      for (uint32_t half = 0; half < 2; half++) {
        rests(software ? IO_ADAPTER_MODE_NONE : IO_ADAPTER_MODE_COHERENT);
        uint32_t rows;
        struct io_adapter_line *line = checked_view(ENGINE, ADAPTER, IO_ADAPTER_VIEW_LINE, &rows);
        const uint32_t states[] = {cases[i].first, cases[i].second};
        for (uint32_t cpu = 0; cpu < 2; cpu++) {
          const uint32_t old = cases[i].old >> cpu & 1;
          if (states[cpu])
            holds(cpu, SEEN, states[cpu], newest(0) + 50 * (old && half == 0),
                newest(1) + 50 * (old && half == 1));
        }
        if (cases[i].adapter)
          *line = (struct io_adapter_line){
              .state = IO_ADAPTER_LINE_HELD, .addr = SEEN, .half_0 = newest(0), .half_1 = newest(1)};
        assert_int_equal(look(), cases[i].violations & ~(software << SIM_NO_STALE_COPY));
      }
}

/* On a machine without an adapter hardware keeps copies current, too. */
TEST(without_an_adapter_copies_are_current) {
  hp(1, 0);
  machine_with("watcher");
  hp_run();
  watcher_part = part_named("watcher");
  uint32_t rows;
  struct runway_now *now = checked_view(ENGINE, BUS, RUNWAY_VIEW_NOW, &rows);
  now->type = RUNWAY_TYPE_NOTHING, now->addr = SEEN;
  holds(0, SEEN, SNOOP_CACHE_LINE_SHARED, newest(0), newest(1) + 50);
  assert_int_equal(look(), 1 << SIM_NO_STALE_COPY);
}

/* A violation that a part reports is recorded with its address: once, and again if invariant or address
 * differ from the last. */
TEST(the_same_violation_is_recorded_once) {
  static const struct {
    uint32_t invariant;
    uint64_t addr;
    uint32_t recorded;
  } looks[] = {{SIM_CURRENT_LOAD, SEEN, 1}, {SIM_CURRENT_LOAD, SEEN, 0}, {0, 0, 0},
      {SIM_CURRENT_LOAD, SEEN, 0}, {SIM_CURRENT_DEVICE, SEEN, 1}, {SIM_CURRENT_LOAD, SEEN, 1},
      {SIM_CURRENT_LOAD, SEEN + (1ull << 32), 1}};
  rests(IO_ADAPTER_MODE_COHERENT);
  const struct watcher_counters *c = SIM_COUNTERS(test_engine(), watcher_part, watcher);
  const uint64_t looked = c->looks;
  uint32_t rows, records = 0;
  const struct watcher_last *last = checked_view(ENGINE, watcher_part, WATCHER_VIEW_LAST, &rows);
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
  for (uint32_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    const uint64_t before = ENGINE->seq;
    if (looks[i].invariant) sim_broken(ENGINE, CACHE(0), looks[i].invariant, looks[i].addr);
    sim_check_invariants(ENGINE);
    records += looks[i].recorded;
    EXPECT_VALUES({ENGINE->seq - before, looks[i].recorded}, {c->broken, records}, {c->looks, looked + i + 1},
        {sim_host_state(ENGINE)->broken, 0});
    if (!looks[i].recorded) continue;
    EXPECT_VALUES({ring[before].a, looks[i].addr}, {ring[before].b, looks[i].invariant},
        {last->invariant, looks[i].invariant}, {last->addr, looks[i].addr});
  }
}

/* A translation without an entry: checked every 64 events, unless a processor's register store is waiting or
 * on its way. */
TEST(translations_are_checked_periodically) {
  static const struct {
    uint64_t events;
    uint32_t first, second, on_its_way, violations;
  } cases[] = {{64, 0, 0, 0, 1}, {128, 0, 0, 0, 1}, {65, 0, 0, 0, 0}, {127, 0, 0, 0, 0}, {96, 0, 0, 0, 0},
      {64, 1, 0, 0, 0}, {64, 0, 1, 0, 0}, {64, 0, 0, 1, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rests(IO_ADAPTER_MODE_COHERENT);
    uint32_t rows;
    struct io_adapter_tlb *tlb = checked_view(ENGINE, ADAPTER, IO_ADAPTER_VIEW_TLB, &rows);
    tlb[rows - 1].valid = 1;
    cache_now(SIM_CONTEXT(ENGINE, CACHE(0), snoop_cache))->posts = cases[i].first;
    cache_now(SIM_CONTEXT(ENGINE, CACHE(1), snoop_cache))->posts = cases[i].second;
    if (cases[i].on_its_way)
      sim_push(ENGINE, ENGINE->time, 0,
          &(sim_msg){.to = (uint16_t)ADAPTER, .port = IO_ADAPTER_PORT_BUS, .kind = RUNWAY_REGISTER});
    ENGINE->events = cases[i].events;
    assert_int_equal(look(), cases[i].violations << SIM_LIVE_TRANSLATION);
  }
}

/* The line of each transaction under way is checked, too. While an event is pending, soon or later, there is
 * no deadlock. */
TEST(lines_of_transactions_are_checked) {
  for (uint32_t waits = 0; waits < 3; waits++) {
    rests(IO_ADAPTER_MODE_COHERENT);
    uint32_t rows;
    struct runway_now *now = checked_view(ENGINE, BUS, RUNWAY_VIEW_NOW, &rows);
    struct runway_transactions *row = checked_view(ENGINE, BUS, RUNWAY_VIEW_TRANSACTIONS, &rows);
    now->addr = BASE + 512;
    row[0].addr = SEEN; /* a stale address in the first row, which is not in use */
    row[rows - 1] = (struct runway_transactions){.phase = RUNWAY_PHASE_ASKING, .addr = SEEN + 4};
    holds(0, SEEN, SNOOP_CACHE_LINE_PRIVATE_DIRTY, newest(0), newest(1));
    holds(1, SEEN, SNOOP_CACHE_LINE_SHARED, newest(0), newest(1));
    if (waits == 1) sim_push(ENGINE, ENGINE->time, 0, &(sim_msg){.to = BUS, .port = SIM_PORT_SELF});
    if (waits == 2) ENGINE->later = 1;
    assert_int_equal(look(), 1 << SIM_ONE_WRITER | (waits == 0) << SIM_NO_DEADLOCK);
    ENGINE->later = 0;
  }
}

/* Without other parts the watcher only counts its checks. */
TEST(a_watcher_alone_finds_nothing) {
  struct session s = session_new(1, 0, 4);
  session_part(&s, SIM_TYPE_WATCHER, NULL, 0);
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(ENGINE->monitor, 1);
  for (uint32_t i = 1; i <= 3; i++) {
    sim_check_invariants(ENGINE);
    assert_int_equal(SIM_COUNTERS(test_engine(), 0, watcher)->looks, i);
  }
  assert_int_equal(ENGINE->seq, 0);
}
