/*
 * A local bus adapter step by step: hints, places, what it takes and gives, and the queue of stores, lines and loads, each
 * time added up by hand. A rope carries 0.5 GB/s: a request of 8 B takes 16 ns, a line of 128 B with its 8 takes 272, a
 * store of 4 B with its 8 takes 24. Memory has a line after 110 ns and is taken for 16.
 */
#include "host/rope_machine.h"

#define ENGINE test_engine()
#define COUNT(name) (HP_COUNTERS(LBA_PART, lba)->name)
#define STATE BY_STATE(ENGINE, LBA_PART, lba)
#define ADAPTER_SAYS(name) BECAUSE(LBA_PART, LBA_EV_##name)
#define BUS_SAYS(name) BECAUSE(PCI_PART, PCI_EV_##name)

/* Nobody asks for anything by itself. */
static struct rope_machine quiet(void) {
  struct rope_machine g = rope_machine_defaults();
  g.peer[0].blocks = 0;
  g.memory.bandwidth = 8000000000ull;
  for (uint64_t *hint = &g.lba[0].mr_consistent_depth; hint <= &g.lba[0].mrm_streaming_depth; hint += 4) *hint = 0;
  return g;
}

/* What happens up to a time, and then it is that time. */
static void until(uint64_t time) {
  by_run(ENGINE, time, UINT64_MAX);
  ENGINE->time = time;
  ENGINE->cause = 0;
}

static uint32_t begins(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_begin q = {.address = address, .bytes = bytes, .command = command};
  uint32_t taken = lba_pci_begin(ENGINE, LBA_PART, &q);
  if (!STATE->failed) assert_int_equal(q.ready, ENGINE->time);
  return taken;
}

static void assert_line(uint32_t place, uint64_t address, uint32_t state) {
  const lba_line *l = lba_line_at(ENGINE, STATE, place);
  assert_int_equal(l->addr, address);
  assert_int_equal(l->state, state);
}

/* Each command has hints of its own for either kind of memory: lines ahead, the block at whose end they stop, and order. */
static void each_command_goes_by_its_own_hints(void **state) {
  (void)state;
  static const uint32_t commands[] = {PCI_COMMAND_READ, PCI_COMMAND_READ_LINE, PCI_COMMAND_READ_MULTIPLE};
  for (uint32_t own = 0; own < 6; own++)
    for (uint32_t relaxed = 0; relaxed < 2; relaxed++) {
      struct rope_machine g = quiet();
      uint64_t *hints = &g.lba[0].mr_consistent_depth, base = own % 2 ? g.lba[0].streaming_from : g.lba[0].streaming_from - 4096;
      for (uint32_t i = 0; i < 6; i++) hints[4 * i] = i == own ? 2 : 1, hints[4 * i + 1] = i == own ? 512 : 1024, hints[4 * i + 2] = (i == own) == relaxed;
      rope_run(&g);
      ENGINE->cause = 0;
      begins(base, 4, commands[own / 2]);
      begins(base + 512 + 256, 4, commands[own / 2]); /* two lines before a block's end, where one of the others' would go on */
      static const uint32_t line[] = {0, 1, 2, 6, 7};
      for (uint32_t i = 0; i < 5; i++) {
        assert_line(i, base + line[i] * LINE, LBA_LINE_ASKED);
        assert_int_equal(lba_line_at(ENGINE, STATE, i)->relaxed, relaxed);
        assert_int_equal(lba_line_at(ENGINE, STATE, i)->bytes, LINE);
      }
      assert_line(5, 0, LBA_LINE_EMPTY);
      assert_int_equal(COUNT(fetched), 5);
      assert_int_equal(COUNT(delayed), 2);
      assert_tells(LBA_PART, (const struct told[]){{0, LBA_EV_DELAYED, base, 4, 2, 0}, {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ADAPTER_SAYS(DELAYED)}, {0, LBA_EV_DELAYED, base + 768, 4, 1, ADAPTER_SAYS(DELAYED)}}, 3);
    }
}

/* The last line of consistent memory, and the first of streaming memory. */
static void streaming_memory_begins_where_it_is_said_to(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].mrm_streaming_depth = 3;
  rope_run(&g);
  begins(g.lba[0].streaming_from - 4, 4, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(COUNT(fetched), 1);
  begins(g.lba[0].streaming_from, 4, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(COUNT(fetched), 5);
}

/*
 * A card reads three lines, one ahead, with 100 ns each way. Its bus has 20 ns a clock: a retry takes 3 and an idle one,
 * so it asks every 80 ns. The requests are at memory at 16 + 100 and 32 + 100, and their data is back on the rope 110 later:
 * the first line is here at 226 + 272 + 100, the second 272 after that. Asked at 640, the first moves from 700 in 16 clocks
 * of 8 B; the second begins at 1040 after an idle clock. The third is asked for at 1440 with one ahead, which nobody wants.
 */
static void a_card_that_reads_stops_and_goes(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].mrm_consistent_depth = g.lba[0].mrl_consistent_depth = 1, g.lba[0].crossing = 100 * NS;
  g.pci.clock = 50000000;
  g.peer[0].blocks = 1, g.peer[0].bytes = 3 * LINE;
  rope_open(&g);
  uint32_t in[96];
  for (uint32_t i = 0; i < 96; i++) in[i] = i + 1000;
  sba_cpu_peek(ENGINE, SBA_PART, 0, &(struct front_peek){.address = AT, .bytes = sizeof in, .set = 1, .writes = in});
  session_run();
  assert_tells(LBA_PART, (const struct told[]){
      {0, LBA_EV_DELAYED, AT, 384, 1, BUS_SAYS(START)},
      {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ADAPTER_SAYS(DELAYED)},
      {598 * NS, LBA_EV_HERE, AT, 1000, 0, ADAPTER_SAYS(DELAYED)},
      {870 * NS, LBA_EV_HERE, AT + 128, 1032, 0, ADAPTER_SAYS(DELAYED)},
      {870 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, ADAPTER_SAYS(HERE)},
      {1020 * NS, LBA_EV_GIVEN, AT, 128, 1000, BUS_SAYS(START)},
      {1420 * NS, LBA_EV_GIVEN, AT + 128, 128, 1032, BUS_SAYS(START)},
      {1440 * NS, LBA_EV_DELAYED, AT + 256, 128, 1, BUS_SAYS(START)},
      {1440 * NS, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ADAPTER_SAYS(DELAYED)},
      {2038 * NS, LBA_EV_HERE, AT + 256, 1064, 0, ADAPTER_SAYS(DELAYED)},
      {2310 * NS, LBA_EV_HERE, AT + 384, 0, 0, ADAPTER_SAYS(DELAYED)},
      {2310 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, ADAPTER_SAYS(HERE)},
      {2460 * NS, LBA_EV_GIVEN, AT + 256, 128, 1064, BUS_SAYS(START)}}, 13);
  assert_int_equal(COUNT(retries), 640 / 80 + (2080 - 1440) / 80);
  assert_int_equal(COUNT(fetched), 4);
  assert_int_equal(COUNT(wasted), 1);
  assert_int_equal(COUNT(rope_in), 4 * 16 * NS);
  assert_int_equal(COUNT(rope_out), 4 * 272 * NS);
}

/* Lines are here at 16 + 110 + 272 ns, and each further 272 later; only what is here is offered, from the word asked for on. */
static void a_burst_gives_the_lines_that_are_here(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].mrm_consistent_depth = 2;
  rope_run(&g);
  assert_int_equal(begins(AT + 8, 376, PCI_COMMAND_READ_MULTIPLE), 0);
  until(398 * NS - 1);
  assert_int_equal(begins(AT + 8, 376, PCI_COMMAND_READ_MULTIPLE), 0);
  until(398 * NS);
  assert_int_equal(begins(AT + 8, 376, PCI_COMMAND_READ_MULTIPLE), 120);
  until(670 * NS);
  assert_int_equal(begins(AT + 8, 376, PCI_COMMAND_READ_MULTIPLE), 248);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(lba_line_at(ENGINE, STATE, i)->offered, i < 2);
  assert_int_equal(begins(AT + 128, 4, PCI_COMMAND_READ_MULTIPLE), 4); /* another burst: the first line is in none now */
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(lba_line_at(ENGINE, STATE, i)->offered, i == 1);
  assert_int_equal(COUNT(retries), 2);
  assert_int_equal(COUNT(fetched), 3);
}

/*
 * Lines fetched ahead are what was newest then. A processor stores 8 B of the second line before it is given, and all of the
 * third; then the same where nothing is followed.
 */
static void what_was_overwritten_since_it_was_fetched_is_old_when_it_is_given(void **state) {
  (void)state;
  for (uint32_t followed = 0; followed < 2; followed++) {
    struct rope_machine g = quiet();
    g.lba[0].mrm_consistent_depth = 2;
    if (!followed) g.memory.tracked_from = AT + 8192;
    rope_run(&g);
    uint32_t in[96], out[96] = {0};
    for (uint32_t i = 0; i < 96; i++) in[i] = i + 1000;
    sba_cpu_peek(ENGINE, SBA_PART, 0, &(struct front_peek){.address = AT, .bytes = sizeof in, .set = 1, .writes = in});
    ENGINE->writes = 5000;
    begins(AT, 384, PCI_COMMAND_READ_MULTIPLE);
    until(1000 * NS);
    struct memory_touched some = {.address = AT + 128 + 16, .bytes = 8, .store = 1}, all = {.address = AT + 256, .bytes = 128, .store = 1};
    memory_bridge_touched(ENGINE, ROPE_MEMORY, &some);
    memory_bridge_touched(ENGINE, ROPE_MEMORY, &all);
    assert_int_equal(begins(AT, 384, PCI_COMMAND_READ_MULTIPLE), 384);
    lba_pci_target_give(ENGINE, LBA_PART, &(struct pci_target_give){.address = AT, .bytes = 384, .writes = out});
    if (followed) assert_memory_equal(in, out, sizeof in);
    assert_int_equal(COUNT(stale), followed ? 2 + 32 : 0);
    assert_int_equal(COUNT(torn), followed);
    uint32_t told = 0;
    static const struct by_record *r;
    static const struct { uint64_t at; uint32_t got, wanted; } old[] = {{AT + 144, 1036, 5001}, {AT + 256, 1064, 5003}};
    for (; (r = hp_record(LBA_PART, LBA_EV_STALE, told ? (uint32_t)(r - (const struct by_record *)by_at(ENGINE, by_look(ENGINE)->trace_at)) + 1 : 0)); told++) {
      assert_int_equal(r->a, old[told].at);
      assert_int_equal(r->b, old[told].got);
      assert_int_equal(r->c, old[told].wanted);
    }
    assert_int_equal(told, followed ? 2 : 0);
  }
}

static struct pci_target_give given(uint64_t address, uint32_t bytes, uint32_t *words) {
  struct pci_target_give q = {.address = address, .bytes = bytes, .writes = words};
  lba_pci_target_give(ENGINE, LBA_PART, &q);
  return q;
}

/* A line leaves when its last byte has been given; when the master has all it wanted, what is ahead leaves too. */
static void lines_leave_when_they_are_given_or_no_more_wanted(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].mrm_consistent_depth = 3;
  rope_run(&g);
  uint32_t in[128], out[64] = {0};
  for (uint32_t i = 0; i < 128; i++) in[i] = i + 1;
  sba_cpu_peek(ENGINE, SBA_PART, 0, &(struct front_peek){.address = AT, .bytes = sizeof in, .set = 1, .writes = in});
  begins(AT + 64, 256, PCI_COMMAND_READ_MULTIPLE);
  until(2000 * NS);
  assert_int_equal(begins(AT + 64, 256, PCI_COMMAND_READ_MULTIPLE), 256);
  given(AT + 64, 128, out);
  assert_memory_equal(out, in + 16, 128);
  assert_line(0, 0, LBA_LINE_EMPTY); /* its last 64 B, and the first 64 of the next */
  for (uint32_t i = 1; i < 4; i++) assert_line(i, AT + i * LINE, LBA_LINE_HERE);
  for (uint32_t i = 1; i < 4; i++) assert_int_equal(lba_line_at(ENGINE, STATE, i)->used, i == 1);
  given(AT + 192, 128, out);
  assert_memory_equal(out, in + 48, 128);
  for (uint32_t i = 0; i < 4; i++) assert_line(i, 0, LBA_LINE_EMPTY);
  assert_int_equal(COUNT(bytes_out), 256);
  assert_int_equal(COUNT(wasted), 1); /* the fourth; of the third something was wanted */
  begins(0, 256, PCI_COMMAND_READ_MULTIPLE); /* memory begins at 0 */
  until(4000 * NS);
  assert_int_equal(begins(0, 256, PCI_COMMAND_READ_MULTIPLE), 256);
  given(0, 256, out);
  for (uint32_t i = 0; i < 4; i++) assert_line(i, 0, LBA_LINE_EMPTY);
  assert_int_equal(COUNT(wasted), 3);
}

/* What is still on its way when the master has all it wanted is thrown away when it comes, and its place is free then. */
static void a_line_under_way_that_nobody_wants_is_thrown_away_when_it_comes(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].mrm_consistent_depth = 1;
  rope_run(&g);
  uint32_t out[32] = {0};
  begins(AT, 128, PCI_COMMAND_READ_MULTIPLE);
  until(398 * NS);
  begins(AT, 128, PCI_COMMAND_READ_MULTIPLE);
  given(AT, 128, out);
  assert_line(1, AT + 128, LBA_LINE_DROPPED);
  assert_int_equal(COUNT(wasted), 1);
  assert_int_equal(lba_view(ENGINE, STATE)->state, LBA_STATE_IDLE);
  begins(AT + 128, 128, PCI_COMMAND_READ); /* asked for now, it is fetched anew */
  assert_line(0, AT + 128, LBA_LINE_ASKED);
  until(670 * NS);
  assert_line(1, 0, LBA_LINE_EMPTY);
  assert_line(0, AT + 128, LBA_LINE_ASKED);
}

/* Two places. While both are on their way nothing more can be fetched; then the line that has been here longest gives way. */
static void a_full_buffer_gives_up_what_has_been_here_longest(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].lines = 2;
  rope_run(&g);
  begins(AT, 4, PCI_COMMAND_READ);
  until(100 * NS);
  begins(AT + 1024, 4, PCI_COMMAND_READ);
  begins(AT + 2048, 4, PCI_COMMAND_READ);
  assert_int_equal(COUNT(delayed), 3);
  assert_int_equal(COUNT(fetched), 2);
  until(2000 * NS);
  assert_int_equal(lba_line_at(ENGINE, STATE, 0)->since, 398 * NS); /* since it is here */
  begins(AT + 2048, 4, PCI_COMMAND_READ);
  assert_line(0, AT + 2048, LBA_LINE_ASKED);
  assert_line(1, AT + 1024, LBA_LINE_HERE);
  assert_int_equal(COUNT(wasted), 1);
  until(4000 * NS);
  begins(AT + 3072, 4, PCI_COMMAND_READ); /* the second's turn: the first is newer */
  assert_line(0, AT + 2048, LBA_LINE_HERE);
  assert_line(1, AT + 3072, LBA_LINE_ASKED);
  assert_int_equal(COUNT(fetched), 4);
  assert_int_equal(COUNT(wasted), 2);
  assert_int_equal(lba_line_at(ENGINE, STATE, 1)->since, 4000 * NS);
}

/* Four places, one of which is kept back: whole lines fill three; a write that begins inside a line ends with one as well. */
static void no_more_is_taken_than_there_are_places(void **state) {
  (void)state;
  static const struct { uint32_t posted, offset, bytes, taken; } cases[] = {
      {0, 0, 4, 4}, {0, 0, 384, 384}, {0, 0, 388, 384}, {0, 40, 400, 344}, {1, 0, 400, 256}, {2, 124, 400, 4}, {2, 0, 400, 128}, {3, 0, 4, 0}, {3, 64, 4, 0}, {4, 0, 4, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rope_machine g = quiet();
    g.lba[0].posts = 4;
    rope_run(&g);
    lba_view(ENGINE, STATE)->posted = cases[i].posted;
    assert_int_equal(begins(AT + cases[i].offset, cases[i].bytes, PCI_COMMAND_WRITE), cases[i].taken);
    assert_int_equal(COUNT(retries), cases[i].taken == 0);
    assert_int_equal(COUNT(delayed), 0);
  }
}

/* What a write and invalidate brings is all of a line only if the adapter's lines are no longer than those of the card. */
static void only_whole_lines_are_passed_on_as_such(void **state) {
  (void)state;
  static const struct { uint32_t command, offset, bytes, whole[2]; } cases[] = {
      {PCI_COMMAND_WRITE_INVALIDATE, 0, 256, {1, 1}}, {PCI_COMMAND_WRITE_INVALIDATE, 64, 192, {0, 1}}, {PCI_COMMAND_WRITE_INVALIDATE, 0, 192, {1, 0}}, {PCI_COMMAND_WRITE, 0, 256, {0, 0}}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rope_machine g = quiet();
    rope_run(&g);
    uint32_t in[64] = {0};
    begins(AT + cases[i].offset, cases[i].bytes, cases[i].command);
    lba_pci_target_take(ENGINE, LBA_PART, &(struct pci_target_take){.address = AT + cases[i].offset, .bytes = cases[i].bytes, .writes = in});
    for (uint32_t line = 0; line < 2; line++) assert_int_equal(lba_post_at(ENGINE, STATE, line)->whole, cases[i].whole[line]);
  }
}

/* 100 bytes from byte 100 of a line on: 28 and 72, each with 8 more on the rope at 2 ns a byte: there at 72, and 160 after that. */
static void a_write_arrives_line_by_line(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].crossing = 100 * NS;
  rope_run(&g);
  uint32_t in[25], out[25] = {0};
  for (uint32_t i = 0; i < 25; i++) in[i] = i + 1;
  ENGINE->cause = 0;
  lba_pci_target_take(ENGINE, LBA_PART, &(struct pci_target_take){.address = AT + 100, .bytes = 100, .writes = in});
  assert_int_equal(lba_view(ENGINE, STATE)->posted, 2);
  static const struct { uint64_t time; uint32_t words, posted; } steps[] = {{172 * NS - 1, 0, 2}, {172 * NS, 7, 1}, {332 * NS - 1, 7, 1}, {332 * NS, 25, 0}};
  for (uint32_t i = 0; i < 4; i++) {
    until(steps[i].time);
    sba_cpu_peek(ENGINE, SBA_PART, 0, &(struct front_peek){.address = AT + 100, .bytes = 100, .writes = out});
    for (uint32_t word = 0; word < 25; word++) assert_int_equal(out[word], word < steps[i].words ? word + 1 : 0);
    assert_int_equal(lba_view(ENGINE, STATE)->posted, steps[i].posted);
    assert_int_equal(lba_post_at(ENGINE, STATE, steps[i].posted)->bytes, 0);
  }
  assert_int_equal(COUNT(bytes_in), 100);
  assert_int_equal(COUNT(rope_in), 232 * NS);
  assert_tells(LBA_PART, &(struct told){0, LBA_EV_POSTED, AT + 100, 100, 1, 0}, 1);
}

/*
 * The bus has 100 ns a clock and slow decode: a retry takes 5 clocks and an idle one, so a card that reads a line asks at 0
 * and 600. A store leaves at 100, is down at 124 and waits for 600; the line is back at 16 + 110 + 272. It may not overtake:
 * it is here when the store is done, 500 after 600. The card asks again at 1200, and its 16 data phases end at 3300.
 */
static struct rope_machine store_before_line(void) {
  static const uint64_t program[] = {SPEND(100 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), END};
  struct rope_machine g = quiet();
  g.pci.clock = 10000000, g.pci.decode = 3;
  g.peer[0].blocks = 1, g.peer[0].bytes = LINE;
  g.program[0] = PROGRAM(program);
  g.lba[0].keeps = 1;
  return g;
}
#define STORED BECAUSE(ROPE_CPU(&g, 0), PROCESSOR_EV_STORE)

static void a_line_waits_behind_a_store(void **state) {
  (void)state;
  struct rope_machine g = store_before_line();
  rope_run(&g);
  assert_tells(LBA_PART, (const struct told[]){
      {0, LBA_EV_DELAYED, AT, 128, 0, BUS_SAYS(START)},
      {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ADAPTER_SAYS(DELAYED)},
      {124 * NS, LBA_EV_STORE, DOORBELL, 0, 0, STORED},
      {398 * NS, LBA_EV_BEHIND, AT, 1, 0, ADAPTER_SAYS(DELAYED)},
      {398 * NS, LBA_EV_STATE, 0, LBA_STATE_BLOCKED, 0, ADAPTER_SAYS(BEHIND)},
      {1100 * NS, LBA_EV_HERE, AT, 0, 0, BECAUSE(LAN_PART, LAN_CARD_EV_STATE)},
      {1100 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, ADAPTER_SAYS(HERE)},
      {3300 * NS, LBA_EV_GIVEN, AT, 128, 0, BUS_SAYS(START)}}, 8);
  assert_int_equal(COUNT(blocked), 1);
  assert_int_equal(COUNT(blocked_time), (1100 - 398) * NS);
  assert_int_equal(COUNT(overtook) + COUNT(wasted), 0);
  assert_int_equal(COUNT(rope_out), (24 + 272) * NS);
}

/* The line of the test before waits for that store alone: not for a read behind it, nor for a store that comes down the rope later. */
static void a_line_waits_for_no_more_than_what_it_must_not_pass(void **state) {
  (void)state;
  static const uint64_t then_read[] = {SPEND(100 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), ROW(IO_LOAD, DOORBELL, 0, 4, 4, 0, 0, 0), END};
  static const uint64_t then_store[] = {SPEND(100 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), SPEND(290 * NS), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), END};
  for (uint32_t way = 0; way < 2; way++) {
    struct rope_machine g = store_before_line();
    g.program[0] = way ? PROGRAM(then_store) : PROGRAM(then_read);
    rope_run(&g);
    const struct by_record *here = hp_record(LBA_PART, LBA_EV_HERE, 0);
    assert_non_null(here);
    assert_int_equal(here->time, 1100 * NS);
    assert_int_equal(COUNT(blocked), 1);
    assert_int_equal(COUNT(blocked_time), (1100 - 398) * NS);
    assert_int_equal(COUNT(stores), 1 + way);
  }
}

static void a_line_overtakes_a_store_if_it_may(void **state) {
  (void)state;
  struct rope_machine g = store_before_line();
  g.lba[0].mrl_consistent_relaxed = 1, g.lba[0].keeps = 0; /* nothing that may overtake is dropped either */
  rope_run(&g);
  assert_tells(LBA_PART, (const struct told[]){
      {0, LBA_EV_DELAYED, AT, 128, 0, BUS_SAYS(START)},
      {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ADAPTER_SAYS(DELAYED)},
      {124 * NS, LBA_EV_STORE, DOORBELL, 0, 0, STORED},
      {398 * NS, LBA_EV_OVERTAKES, AT, 1, 0, ADAPTER_SAYS(DELAYED)},
      {398 * NS, LBA_EV_HERE, AT, 0, 0, ADAPTER_SAYS(OVERTAKES)},
      {398 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, ADAPTER_SAYS(HERE)},
      {3300 * NS, LBA_EV_GIVEN, AT, 128, 0, BUS_SAYS(START)}}, 7);
  assert_int_equal(COUNT(overtook), 1);
  assert_int_equal(COUNT(blocked) + COUNT(blocked_time) + COUNT(wasted), 0);
}

/* The store drops the line that is on its way; it comes at 398 for nobody, and the card's next try at 1200 fetches it anew, to be here 398 later. It is asked for at 1800. */
static void a_store_drops_what_it_must_not_be_overtaken_by(void **state) {
  (void)state;
  struct rope_machine g = store_before_line();
  g.lba[0].keeps = 0;
  rope_run(&g);
  assert_tells(LBA_PART, (const struct told[]){
      {0, LBA_EV_DELAYED, AT, 128, 0, BUS_SAYS(START)},
      {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ADAPTER_SAYS(DELAYED)},
      {124 * NS, LBA_EV_STORE, DOORBELL, 0, 0, STORED},
      {124 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, ADAPTER_SAYS(STORE)},
      {1200 * NS, LBA_EV_DELAYED, AT, 128, 0, BUS_SAYS(START)},
      {1200 * NS, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ADAPTER_SAYS(DELAYED)},
      {1598 * NS, LBA_EV_HERE, AT, 0, 0, ADAPTER_SAYS(DELAYED)},
      {1598 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, ADAPTER_SAYS(HERE)},
      {3900 * NS, LBA_EV_GIVEN, AT, 128, 0, BUS_SAYS(START)}}, 9);
  assert_int_equal(COUNT(fetched), 2);
  assert_int_equal(COUNT(wasted), 1);
}

/* Lines in the burst under way stay, one of two that is here and one that is behind a store as well; what is asked for, or here and not offered, goes. */
static void a_store_drops_only_lines_that_are_not_in_the_burst(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  rope_run(&g);
  static const lba_line before[] = {{.addr = AT, .state = LBA_LINE_HERE, .offered = 1}, {.addr = AT + 128, .state = LBA_LINE_HERE}, {.addr = AT + 256, .state = LBA_LINE_HERE, .relaxed = 1},
                                    {.addr = AT + 384, .state = LBA_LINE_ASKED}, {.addr = AT + 512, .state = LBA_LINE_BEHIND}, {.addr = AT + 640, .state = LBA_LINE_ASKED, .relaxed = 1}, {.addr = AT + 768, .state = LBA_LINE_HERE, .used = 1}};
  static const uint32_t after[] = {LBA_LINE_HERE, LBA_LINE_EMPTY, LBA_LINE_HERE, LBA_LINE_DROPPED, LBA_LINE_BEHIND, LBA_LINE_ASKED, LBA_LINE_EMPTY};
  for (uint32_t i = 0; i < 7; i++) *lba_line_at(ENGINE, STATE, i) = before[i];
  lba_disconnect(ENGINE, LBA_PART);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(lba_line_at(ENGINE, STATE, i)->state, after[i]);
  assert_int_equal(COUNT(wasted), 2); /* of the last something had been given */
  assert_int_equal(lba_view(ENGINE, STATE)->state, LBA_STATE_BLOCKED);
}

static void posts(uint64_t address) {
  assert_true(lba_rope_post(ENGINE, LBA_PART, &(struct rope_post){.address = address, .bytes = 4}) > 0);
}

/*
 * A clock of 1 us: a store takes 3 and an idle one, a read of a register 4. Stores are down at 24 and 48 ns, two lines back
 * behind them, then come a store and a load. Both lines are here when the second store is done, at 24 ns + 3 + 4 us, not
 * before, and not later. The load's value, 12 B on the rope, is up 24 ns after the bus has read it at 7 + 4 + 5 us.
 */
static void stores_lines_and_loads_leave_in_their_order(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.pci.clock = 1000000;
  g.lba[0].keeps = 1, g.lba[0].mrm_consistent_depth = 1;
  g.sba.crossing = 40 * NS;
  rope_run(&g);
  HP_COUNTERS(LAN_PART, lan_card)->packets = 77;
  ENGINE->cause = 0;
  BY_STATE(ENGINE, SBA_PART, sba)->stores = 3;
  posts(DOORBELL), posts(DOORBELL + 4);
  begins(AT, 256, PCI_COMMAND_READ_MULTIPLE);
  until(750 * NS);
  posts(DOORBELL + 8);
  lba_rope_load(ENGINE, LBA_PART, &(struct rope_load){.address = DOORBELL + 12, .bytes = 4, .tag = 0});
  assert_int_equal(lba_view(ENGINE, STATE)->queued, 6);
  assert_int_equal(lba_view(ENGINE, STATE)->stores, 3);
  static const struct { uint64_t time; uint32_t queued, here; } steps[] = {{3024 * NS, 5, 0}, {7024 * NS - 1, 5, 0}, {7024 * NS, 2, 2}, {11024 * NS, 1, 2}, {16024 * NS, 0, 2}};
  for (uint32_t i = 0; i < 5; i++) {
    until(steps[i].time);
    assert_int_equal(lba_view(ENGINE, STATE)->queued, steps[i].queued);
    for (uint32_t line = 0; line < 2; line++) assert_int_equal(lba_line_at(ENGINE, STATE, line)->state, steps[i].here ? LBA_LINE_HERE : LBA_LINE_BEHIND);
    assert_int_equal(lba_item_at(ENGINE, STATE, steps[i].queued)->here, 0); /* nothing is left behind the last */
  }
  assert_int_equal(lba_view(ENGINE, STATE)->stores, 0);
  assert_int_equal(COUNT(stores), 3);
  assert_int_equal(hp_record(LBA_PART, LBA_EV_BEHIND, 0)->b, 2); /* both stores */
  assert_int_equal(COUNT(blocked_time), (7024 - 398 + 7024 - 670) * NS);
  until(16048 * NS);
  uint64_t time;
  const by_msg *value = test_pending(0, &time);
  assert_int_equal(value->kind, FRONT_DATA);
  assert_int_equal(value->addr, 77);
  assert_int_equal(value->x, 0); /* a register is nobody's write */
  assert_int_equal(time, (16048 + 40) * NS);
}

/* What is asked for leaves the oldest item as it is until its data has moved: retried, the bus is asked again. */
static void a_store_that_is_retried_asks_again(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  rope_run(&g);
  struct pci_grant want = {0};
  assert_int_equal(lba_pci_grant(ENGINE, LBA_PART, &want), 0);
  lba_rope_post(ENGINE, LBA_PART, &(struct rope_post){.address = DOORBELL + 8, .bytes = 4, .value = 3, .write = 9});
  assert_int_equal(lba_pci_grant(ENGINE, LBA_PART, &want), 0); /* still on the rope */
  lba_item_at(ENGINE, STATE, 0)->here = 1;
  assert_int_equal(lba_pci_grant(ENGINE, LBA_PART, &want), 1);
  assert_int_equal(want.address, DOORBELL + 8);
  assert_int_equal(want.bytes, 4);
  assert_int_equal(want.command, PCI_COMMAND_WRITE);
  uint32_t write = 0;
  struct pci_master_give data = {.address = DOORBELL + 8, .bytes = 4, .writes = &write};
  lba_pci_master_give(ENGINE, LBA_PART, &data);
  assert_int_equal(data.value, 3);
  assert_int_equal(write, 9);
  struct pci_now *bus = pci_view(ENGINE, BY_STATE(ENGINE, PCI_PART, pci));
  assert_int_equal(bus->requests, 0);
  lba_pci_moved(ENGINE, LBA_PART, &(struct pci_moved){.address = DOORBELL + 8});
  assert_int_equal(bus->requests, 1);
  assert_int_equal(lba_view(ENGINE, STATE)->queued, 1);
  assert_int_equal(COUNT(stores), 0);
}

/* Nobody claims it: a store is over, and a read brings all ones. */
static void what_no_card_claims_is_over(void **state) {
  (void)state;
  static const uint64_t store[] = {ROW(IO_STORE, 0, DOORBELL + 4096, 4, 4, 0, 0, 0), END}, load[] = {ROW(IO_LOAD, DOORBELL + 4096, 0, 4, 4, 0, 0, 0), END};
  for (uint32_t loads = 0; loads < 2; loads++) {
    struct rope_machine g = quiet();
    if (loads) g.program[0] = PROGRAM(load);
    else g.program[0] = PROGRAM(store);
    rope_run(&g);
    assert_int_equal(lba_view(ENGINE, STATE)->queued, 0);
    assert_int_equal(COUNT(stores), !loads);
    assert_int_equal(HP_COUNTERS(PCI_PART, pci)->no_target, 1);
    assert_int_equal(BY_STATE(ENGINE, SBA_PART, sba)->stores, 0);
    if (loads) assert_int_equal(cpu_threads(ENGINE, BY_STATE(ENGINE, ROPE_CPU(&g, 0), processor))[0].value, UINT32_MAX);
  }
}

/* What a read brings is the value and its write, for who asked. */
static void a_load_takes_value_and_write(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.cpus = 2;
  rope_run(&g);
  lba_rope_load(ENGINE, LBA_PART, &(struct rope_load){.address = DOORBELL, .bytes = 4, .tag = 1});
  lba_item_at(ENGINE, STATE, 0)->here = 1;
  struct pci_grant want = {0};
  assert_int_equal(lba_pci_grant(ENGINE, LBA_PART, &want), 1);
  assert_int_equal(want.command, PCI_COMMAND_READ);
  by_run(ENGINE, BY_NEVER, ENGINE->events + 1); /* its arrival */
  lba_item_at(ENGINE, STATE, 0)->here = 1;
  uint32_t write = 21;
  lba_pci_master_take(ENGINE, LBA_PART, &(struct pci_master_take){.value = 20, .writes = &write});
  lba_pci_moved(ENGINE, LBA_PART, &(struct pci_moved){.address = DOORBELL + 4, .bytes = 4, .last = 1});
  uint64_t time, at = ENGINE->time;
  by_run(ENGINE, at + 24 * NS, UINT64_MAX);
  const by_msg *value = test_pending(0, &time);
  assert_int_equal(time, at + (24 + 40) * NS);
  assert_int_equal(value->to, ROPE_CPU(&g, 1));
  assert_int_equal(value->addr, 20);
  assert_int_equal(value->x, 21);
}

/* An interrupt goes up behind what the card wrote: 256 ns for a line of 120 B and its 8, then 16, and the way. */
static void an_interrupt_does_not_overtake_what_was_written(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].crossing = 100 * NS;
  rope_run(&g);
  uint32_t words[30] = {0};
  lba_pci_target_take(ENGINE, LBA_PART, &(struct pci_target_take){.address = AT, .bytes = 120, .writes = words});
  lba_irq_raise(ENGINE, LBA_PART, 2, &(struct irq_raise){0});
  until((256 + 16 + 100) * NS - 1);
  assert_int_equal(lba_view(ENGINE, STATE)->posted, 0);
  assert_int_equal(BY_STATE(ENGINE, ROPE_CPU(&g, 0), processor)->irqs, 0);
  by_run(ENGINE, BY_NEVER, ENGINE->events + 1);
  uint64_t time;
  const by_msg *raised = test_pending(0, &time);
  assert_int_equal(time, (256 + 16 + 100) * NS);
  assert_int_equal(raised->kind, IRQ_RAISE);
  assert_int_equal(raised->to, ROPE_CPU(&g, 0));
  assert_int_equal(raised->x, 2);
}

/* A line without translation: the bus is dead for good, whatever is asked of it. */
static void a_line_without_translation_stops_the_bus(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.translates = 1;
  rope_run(&g);
  ENGINE->cause = 0;
  uint64_t nowhere = g.map.base + 3 * PAGE;
  begins(nowhere, 128, PCI_COMMAND_READ_LINE);
  until(16 * NS);
  assert_int_equal(COUNT(failures), 1);
  assert_line(0, 0, LBA_LINE_EMPTY);
  assert_int_equal(lba_view(ENGINE, STATE)->state, LBA_STATE_IDLE);
  assert_tells(LBA_PART, (const struct told[]){
      {0, LBA_EV_DELAYED, nowhere, 128, 0, 0},
      {0, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ADAPTER_SAYS(DELAYED)},
      {16 * NS, LBA_EV_FAILED, nowhere, 0, 0, BECAUSE(SBA_PART, SBA_EV_STOPPED)},
      {16 * NS, LBA_EV_STATE, 0, LBA_STATE_IDLE, 0, ADAPTER_SAYS(FAILED)}}, 4);
  assert_int_equal(begins(AT, 128, PCI_COMMAND_WRITE), 0);
  assert_int_equal(begins(AT, 128, PCI_COMMAND_READ), 0);
  assert_int_equal(COUNT(retries), 3);
  assert_int_equal(COUNT(fetched), 1);
}

/* Only of streaming memory may a read take the line away from the processors, and only where Read Current is off. */
static void reads_of_streaming_memory_may_take_the_line(void **state) {
  (void)state;
  for (uint32_t streaming = 0; streaming < 2; streaming++)
    for (uint32_t current = 0; current < 2; current++) {
      struct rope_machine g = quiet();
      uint64_t line = g.lba[0].streaming_from - (streaming ? 0 : LINE);
      g.lba[0].mrl_streaming_current = current;
      rope_run(&g);
      cache_cpu_touch(ENGINE, ROPE_CACHE(&g, 0), &(struct cache_touch){.address = line});
      begins(line, 128, PCI_COMMAND_READ_LINE);
      until(16 * NS);
      assert_int_equal(HP_COUNTERS(SBA_PART, sba)->taken, streaming && !current);
    }
}

/* The lower part of the bus's addresses is memory; there is no second window, and places for all that may wait. */
static void the_bus_sees_memory_below_its_border(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].memory = 0x30000000, g.lba[0].stores = 3, g.lba[0].lines = 5, g.lba[0].posts = 7;
  rope_run(&g);
  struct pci_window window = {.base = 99, .which = 0};
  assert_int_equal(lba_pci_window(ENGINE, LBA_PART, &window), 2); /* reads of blocks are answered later, where the bus knows how */
  assert_int_equal(window.base, 0);
  assert_int_equal(window.length, 0x30000000);
  window.which = 1;
  assert_int_equal(lba_pci_window(ENGINE, LBA_PART, &window), 0);
  const struct by_view_entry *views = (const struct by_view_entry *)by_at(ENGINE, ENGINE->views_at) + by_part(ENGINE, LBA_PART)->first_view;
  assert_int_equal(views[LBA_VIEW_LINES].rows, 5);
  assert_int_equal(views[LBA_VIEW_POSTS].rows, 7);
  assert_int_equal(views[LBA_VIEW_QUEUE].rows, 3 + 5 + 4); /* lines may wait behind stores, and each of four processors for a load */
}

/* A place in which another line was: where nothing is followed nothing is known, not what was there before. */
static void what_is_not_followed_has_no_writes(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.memory.tracked = LINE;
  rope_run(&g);
  uint32_t words[32];
  for (uint32_t i = 0; i < 32; i++) words[i] = i + 1;
  sba_cpu_peek(ENGINE, SBA_PART, 0, &(struct front_peek){.address = AT, .bytes = LINE, .set = 1, .writes = words});
  for (uint64_t line = AT; line <= AT + LINE; line += LINE) {
    begins(line, LINE, PCI_COMMAND_READ);
    until(ENGINE->time + 1000 * NS);
    begins(line, LINE, PCI_COMMAND_READ);
    given(line, LINE, words);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(words[i], line == AT ? i + 1 : 0);
  }
}

/* One place each: what is posted lies beside what was read, whole lines of both. */
static void lines_and_posts_do_not_touch_each_other(void **state) {
  (void)state;
  struct rope_machine g = quiet();
  g.lba[0].lines = 1, g.lba[0].posts = 2;
  rope_run(&g);
  uint32_t read[32], written[64], out[64];
  for (uint32_t i = 0; i < 64; i++) read[i % 32] = i + 1, written[i] = i + 101;
  sba_cpu_peek(ENGINE, SBA_PART, 0, &(struct front_peek){.address = AT, .bytes = LINE, .set = 1, .writes = read});
  begins(AT, LINE, PCI_COMMAND_READ);
  until(1000 * NS);
  lba_pci_target_take(ENGINE, LBA_PART, &(struct pci_target_take){.address = AT + 1024, .bytes = 2 * LINE, .writes = written});
  begins(AT, LINE, PCI_COMMAND_READ);
  given(AT, LINE, out);
  assert_memory_equal(out, read, LINE);
  const struct by_view_entry *views = (const struct by_view_entry *)by_at(ENGINE, ENGINE->views_at) + by_part(ENGINE, LBA_PART)->first_view;
  assert_int_equal(((const struct lba_posts *)by_at(ENGINE, views[LBA_VIEW_POSTS].at))[1].addr, AT + 1024 + LINE);
  until(3000 * NS);
  sba_cpu_peek(ENGINE, SBA_PART, 0, &(struct front_peek){.address = AT + 1024, .bytes = 2 * LINE, .writes = out});
  assert_memory_equal(out, written, 2 * LINE);
}

/* Two places, and reads that name seven lines: what comes first fetches as far as there are places, and the rest waits, whatever lies behind them. */
static void split_reads_fetch_as_far_as_there_are_places(void **state) {
  (void)state;
  for (uint32_t lines = 1; lines <= 8; lines++) {
    struct rope_machine g = quiet();
    g.lba[0].lines = lines, g.lba[0].splits = 2;
    rope_run(&g);
    ENGINE->cause = 0;
    lba_line *behind = lba_line_at(ENGINE, STATE, lines);
    memset(behind, 0x55, sizeof *behind);
    const lba_line before = *behind;
    struct pci_begin_block first = {.address = AT + 64, .bytes = 3 * LINE, .tag = 1}, second = {.address = AT + 1024, .bytes = 3 * LINE, .tag = 2}, third = {.address = AT + 2048, .bytes = LINE, .tag = 3};
    assert_int_equal(lba_pci_begin_block(ENGINE, LBA_PART, &first), 1); /* from the middle of a line on: it touches four */
    assert_int_equal(lba_pci_begin_block(ENGINE, LBA_PART, &second), 1);
    assert_int_equal(lba_pci_begin_block(ENGINE, LBA_PART, &third), 0);
    assert_int_equal(COUNT(fetched), lines < 7 ? lines : 7);
    assert_int_equal(COUNT(split), 2);
    assert_int_equal(COUNT(retries), 1);
    for (uint32_t i = 0; i < lines; i++) {
      assert_line(i, i < 4 ? AT + i * LINE : i < 7 ? AT + 1024 + (i - 4) * LINE : 0, i < 7 ? LBA_LINE_ASKED : LBA_LINE_EMPTY);
      assert_int_equal(lba_line_at(ENGINE, STATE, i)->split, i < 4 ? 1 : i < 7 ? 2 : 0);
    }
    assert_int_equal(lba_split_at(ENGINE, STATE, 0)->fetch, AT + (lines < 4 ? lines : 4) * LINE);
    assert_memory_equal(behind, &before, sizeof before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_command_goes_by_its_own_hints),
      cmocka_unit_test(streaming_memory_begins_where_it_is_said_to),
      cmocka_unit_test(a_card_that_reads_stops_and_goes),
      cmocka_unit_test(a_burst_gives_the_lines_that_are_here),
      cmocka_unit_test(what_was_overwritten_since_it_was_fetched_is_old_when_it_is_given),
      cmocka_unit_test(lines_leave_when_they_are_given_or_no_more_wanted),
      cmocka_unit_test(a_line_under_way_that_nobody_wants_is_thrown_away_when_it_comes),
      cmocka_unit_test(a_full_buffer_gives_up_what_has_been_here_longest),
      cmocka_unit_test(no_more_is_taken_than_there_are_places),
      cmocka_unit_test(only_whole_lines_are_passed_on_as_such), cmocka_unit_test(a_write_arrives_line_by_line),
      cmocka_unit_test(a_line_waits_behind_a_store),
      cmocka_unit_test(a_line_waits_for_no_more_than_what_it_must_not_pass),
      cmocka_unit_test(a_line_overtakes_a_store_if_it_may),
      cmocka_unit_test(a_store_drops_what_it_must_not_be_overtaken_by),
      cmocka_unit_test(a_store_drops_only_lines_that_are_not_in_the_burst),
      cmocka_unit_test(stores_lines_and_loads_leave_in_their_order),
      cmocka_unit_test(a_store_that_is_retried_asks_again),
      cmocka_unit_test(what_no_card_claims_is_over),
      cmocka_unit_test(a_load_takes_value_and_write),
      cmocka_unit_test(an_interrupt_does_not_overtake_what_was_written),
      cmocka_unit_test(a_line_without_translation_stops_the_bus),
      cmocka_unit_test(reads_of_streaming_memory_may_take_the_line),
      cmocka_unit_test(the_bus_sees_memory_below_its_border),
      cmocka_unit_test(what_is_not_followed_has_no_writes),
      cmocka_unit_test(lines_and_posts_do_not_touch_each_other),
      cmocka_unit_test(split_reads_fetch_as_far_as_there_are_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
