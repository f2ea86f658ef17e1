/* A device that accesses memory: page by page at physical addresses, and line by line through a unit that
 * carries out its accesses. */
#include "test/walk.h"

#define ENGINE test_engine()

static const uint64_t idle[] = {END};

static uint32_t start(uint32_t card, uint64_t address, uint64_t bytes, uint32_t write) {
  struct doorbell_start q = {.address = address, .bytes = bytes, .write = write};
  ENGINE->cause = 0;
  return bus_master_driver_start(OF(card, bus_master), &q);
}

static struct bus_master_now *now_of(uint32_t card) { return bus_master_view(OF(card, bus_master)); }

/* A device with a driver, with tracked memory or none. */
enum { PLAIN_CPU, PLAIN_MAP, PLAIN_CARD, PLAIN_MEMORY };
static void plain(const struct bus_master_params *q, uint64_t tracked) {
  const struct processor_params cpu = PROCESSOR_DEFAULTS;
  const struct iommu_map_params map = IOMMU_MAP_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  memory.tracked = tracked, memory.written = 1;
  struct session s = session_new(tracked ? 4 : 3, tracked ? 3 : 2, 12);
  session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
  session_table(&s, idle, sizeof idle / 64, 8);
  session_part(&s, SIM_TYPE_IOMMU_MAP, (const uint64_t *)&map, sizeof map / 8);
  session_part(&s, SIM_TYPE_BUS_MASTER, (const uint64_t *)q, sizeof *q / 8);
  if (tracked) session_part(&s, SIM_TYPE_MEMORY, (const uint64_t *)&memory, sizeof memory / 8);
  session_wire(&s, PLAIN_CPU, PROCESSOR_PORT_OS, PLAIN_MAP, IOMMU_MAP_PORT_CPU);
  session_wire(&s, PLAIN_MAP, IOMMU_MAP_PORT_DEVICE, PLAIN_CARD, BUS_MASTER_PORT_DRIVER);
  if (tracked) session_wire(&s, PLAIN_CARD, BUS_MASTER_PORT_MEMORY, PLAIN_MEMORY, MEMORY_PORT_BRIDGE);
  assert_int_equal(session_open(&s), SIM_OK);
}

/* Pages beyond the reach, the last address that the device can drive, are recorded one by one and still take
 * their time. */
TEST(pages_beyond_its_reach_are_skipped) {
  struct bus_master_params q = BUS_MASTER_DEFAULTS;
  q.rate = 100000000, q.start_time = US, q.page = 512, q.reach = 1536;
  plain(&q, 0);
  start(PLAIN_CARD, 1280, 1024, 0);
  session_run();
  EXPECT_EVENTS(PLAIN_CARD, {0, BUS_MASTER_EV_START, 1280, 1024, 0, 0},
      {US, BUS_MASTER_EV_PAGE, 1280, 2, 0, ANY_CAUSE}, {3560 * NS, BUS_MASTER_EV_PAGE, 1536, 3, 0, ANY_CAUSE},
      {8680 * NS, BUS_MASTER_EV_BEYOND, 2048, 0, 0, ANY_CAUSE},
      {11240 * NS, BUS_MASTER_EV_DONE, 0, 1024, 0, ANY_CAUSE});
  const struct bus_master_counters *c = SIM_COUNTERS(ENGINE, PLAIN_CARD, bus_master);
  EXPECT_VALUES({c->bytes, 256 + 512}, {c->beyond, 1}, {c->busy, 10240 * NS});
}

/* A first transfer caches the page's translation. Then a line leaves whenever the rate allows it, 80 ns
 * after the one before; the last is written 8 cycles after the next edge, or read after 41. */
TEST(lines_leave_at_its_rate) {
  for (uint32_t write = 0; write < 2; write++) {
    walking(1);
    PARAMS("card", bus_master)->rate = 400000000, PARAMS("card", bus_master)->start_time = US;
    OPEN(idle);
    entry(1, BASE + 3 * PAGE);
    start(WALK_CARD, IO + PAGE, 32, 1);
    session_run();
    ENGINE->time = START;
    const uint64_t busy = CARD_COUNT(busy), writes = ENGINE->writes, records = ENGINE->seq;
    assert_int_equal(start(WALK_CARD, IO + PAGE + 64, 128, write), 1);
    session_run();
    uint32_t seen = (uint32_t)records;
    for (uint64_t line = 0; line < 4; line++) {
      const struct sim_record *goes = record_after(WALK_UNIT, IOMMU_EV_GOES, seen),
                              *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
      assert_int_equal(goes->time, START + US + 80 * NS * line);
      EXPECT_VALUES({goes->a, BASE + 3 * PAGE + 64 + 32 * line}, {goes->b, write});
      seen = (uint32_t)(goes - ring) + 1;
    }
    assert_null(record_after(WALK_UNIT, IOMMU_EV_GOES, seen));
    const struct sim_record *done = record_after(WALK_CARD, BUS_MASTER_EV_DONE, (uint32_t)records);
    const uint64_t cycle = 1200 + 120 + 29; /* the edge after 240 ns, which are 28.8 cycles */
    EXPECT_VALUES({done->time, CYCLES(cycle + (write ? 8 : 41))}, {done->b, 128},
        {CARD_COUNT(busy) - busy, done->time - START - US});
    assert_int_equal(ENGINE->writes - writes, write ? 8 : 0); /* two for each line */
    EXPECT_VALUES({CARD_COUNT(bytes), 32 + 128}, {CARD_COUNT(transfers), 2});
    const struct sim_record *page = record_after(WALK_CARD, BUS_MASTER_EV_PAGE, (uint32_t)records);
    EXPECT_VALUES({page->a, IO + PAGE + 64}, {page->b, BASE / PAGE + 3}, {now_of(WALK_CARD)->under_way, 0},
        {now_of(WALK_CARD)->sent, 128}, {now_of(WALK_CARD)->done, 128});
  }
}

/* Lines that are stopped, or pass through a stale translation, are counted by the pages they touch: one
 * where the transfer starts, and one at each page. */
TEST(outcomes_of_lines_are_counted_per_page) {
  static const uint32_t kinds[] = {BUS_MASTER_EV_PAGE, BUS_MASTER_EV_WRONG, BUS_MASTER_EV_STOPPED};
  for (uint32_t outcome = 0; outcome < 3; outcome++) {
    walking(1);
    OPEN(idle);
    struct bus_master_now *now = now_of(WALK_CARD);
    *now = (struct bus_master_now){
        .address = IO + PAGE - 96, .bytes = 96 + PAGE + 64, .under_way = 7, .sent = 7 * 32};
    const uint64_t at[] = {IO + PAGE - 96, IO + PAGE - 64, IO + PAGE - 32, IO + PAGE, IO + PAGE + 32,
        IO + 2 * PAGE, IO + 2 * PAGE + 32};
    for (uint32_t i = 0; i < 7; i++) {
      ENGINE->cause = 0;
      bus_master_dma_done(OF(WALK_CARD, bus_master),
          &(struct dma_done){.address = at[i], .outcome = outcome, .page = 50 + i});
      EXPECT_VALUES({now->under_way, 6 - i}, {now->done, 32 * (i + 1)});
    }
    EXPECT_EVENTS(WALK_CARD, {0, kinds[outcome], at[0], 50, 0, 0}, {0, kinds[outcome], at[3], 53, 0, 0},
        {0, kinds[outcome], at[5], 55, 0, 0});
    EXPECT_VALUES({CARD_COUNT(stopped), outcome == 2 ? 3 : 0}, {CARD_COUNT(stale), outcome == 1 ? 3 : 0});
    assert_int_equal(CARD_COUNT(bytes), outcome == 2 ? 0 : 7 * 32); /* stopped lines do not move */
    assert_int_equal(CARD_COUNT(transfers), 0);
  }
}

/* The device can address up to the first line of the second page. Lines beyond take no time, and are
 * recorded once per page. */
TEST(lines_beyond_its_reach_are_skipped) {
  static const struct {
    uint64_t reach, bytes, beyond, first;
  } cases[] = {
      {IO + PAGE, 96, 1, IO + 2 * PAGE}, {IO + PAGE - 1, 64, 2, IO + PAGE}, {IO, 0, 3, IO + PAGE - 64}};
  for (uint32_t i = 0; i < 3; i++) {
    walking(1);
    PARAMS("card", bus_master)->reach = cases[i].reach, PARAMS("card", bus_master)->start_time = US;
    OPEN(idle);
    entry(0, BASE), entry(1, BASE + 3 * PAGE);
    start(WALK_CARD, IO + PAGE - 64, 64 + PAGE + 32, 1);
    session_run();
    EXPECT_VALUES({CARD_COUNT(bytes), cases[i].bytes}, {CARD_COUNT(beyond), cases[i].beyond},
        {CARD_COUNT(transfers), 1}, {record_after(WALK_CARD, BUS_MASTER_EV_BEYOND, 0)->a, cases[i].first},
        {record_after(WALK_CARD, BUS_MASTER_EV_DONE, 0)->b, 64 + PAGE + 32});
    if (!cases[i].bytes) assert_int_equal(CARD_COUNT(busy), 0); /* over as soon as it has started */
    assert_int_equal(UNIT_COUNT(bytes_in), cases[i].bytes);
  }
}

/* A transfer that does not start and end on a line is refused, and so is a command during a transfer. A
 * refusal changes nothing. */
TEST(a_refused_command_changes_nothing) {
  walking(1);
  OPEN(idle);
  assert_int_equal(start(WALK_CARD, IO + 31, 32, 0), 0);
  assert_int_equal(start(WALK_CARD, IO, 33, 0), 0);
  assert_int_equal(now_of(WALK_CARD)->bytes, 0);
  assert_int_equal(start(WALK_CARD, IO + 32, 96, 1), 1);
  assert_int_equal(start(WALK_CARD, IO + 64, 32, 0), 0);
  EXPECT_VALUES(
      {now_of(WALK_CARD)->address, IO + 32}, {now_of(WALK_CARD)->bytes, 96}, {now_of(WALK_CARD)->write, 1});
  EXPECT_EVENTS(WALK_CARD, {0, BUS_MASTER_EV_RAGGED, IO + 31, 32, 0, 0},
      {0, BUS_MASTER_EV_RAGGED, IO, 33, 0, 0}, {0, BUS_MASTER_EV_START, IO + 32, 96, 1, 0});
  session_run(); /* nothing is mapped: stopped, and over */
  EXPECT_VALUES({CARD_COUNT(transfers), 1}, {CARD_COUNT(stopped), 1});
  assert_int_equal(start(WALK_CARD, IO + 64, 32, 0), 1); /* the next is accepted */
  assert_int_equal(now_of(WALK_CARD)->sent + now_of(WALK_CARD)->done + now_of(WALK_CARD)->under_way, 0);
  session_run();
  assert_int_equal(CARD_COUNT(transfers), 2);
}

/* With two lines under way, the third leaves when one of them is done, although its time came long ago; the
 * fourth at least 80 ns later. */
TEST(a_line_leaves_when_one_under_way_is_done) {
  walking(1);
  PARAMS("card", bus_master)->ahead = 2, PARAMS("card", bus_master)->rate = 400000000;
  OPEN(idle);
  entry(0, BASE);
  session_run();
  ENGINE->time = START;
  start(WALK_CARD, IO, 128, 1);
  session_run();
  /* The walk takes 41 cycles; the first two lines are done 6 and 11 cycles later. */
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at), *goes = NULL;
  uint64_t when[4];
  for (uint32_t i = 0, seen = 0; i < 4; i++, seen = (uint32_t)(goes - ring) + 1)
    goes = record_after(WALK_UNIT, IOMMU_EV_GOES, seen), when[i] = goes->time;
  EXPECT_VALUES({when[0], START + CYCLES(41)}, {when[1], START + CYCLES(41)}, {when[2], START + CYCLES(47)},
      {when[3], when[2] + 80 * NS});
}
