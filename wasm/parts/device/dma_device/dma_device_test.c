/* A DMA device's own decisions: how it splits its transfers, which channel is next, and what its registers
 * return. Also which parameters the parts of this machine refuse. */
#include "test/hp.h"

#define US 1000000ull

static void one_device(void) { hp(1, 1); }

static void map_all(void) {
  for (uint64_t page = 0; page < PAGES; page++) hp_map(page * PAGE, BASE + page * PAGE, 0);
}

static void to_the_end(void) { session_run(); }

/* Transactions in the order in which they started: address, bytes and channel, from the device's view. */
struct transaction {
  uint64_t addr;
  uint32_t bytes;
  uint32_t channel;
};

static uint32_t all_transactions(struct transaction *list, uint32_t most) {
  sim *m = test_engine();
  uint32_t rows, n = 0, was = 0;
  const struct dma_device_now *now = checked_view(m, DEVICE(0), DMA_DEVICE_VIEW_NOW, &rows);
  uint64_t last = UINT64_MAX;
  for (uint32_t events = 0; events < 20000; events++) {
    uint32_t busy = now->state == DMA_DEVICE_STATE_SEND || now->state == DMA_DEVICE_STATE_WAIT;
    if (busy && (!was || now->addr != last) && n < most)
      list[n++] = (struct transaction){now->addr, now->moving, now->channel & 0x7f};
    was = busy, last = now->addr;
    if (sim_run(m, SIM_NEVER, m->events + 1) == SIM_IDLE) return n;
  }
  fail_msg("the device does not come to an end");
  return n;
}

/* Naturally aligned pieces: each as large as the width, the remaining bytes and the address allow. */
TEST(a_transfer_is_split_into_aligned_pieces) {
  static const struct {
    uint64_t at, bytes, width;
    uint32_t n, pieces[16];
  } cases[] = {{0x00, 64, 32, 2, {32, 32}}, {0x00, 64, 16, 4, {16, 16, 16, 16}},
      {0x1c, 72, 32, 4, {4, 32, 32, 4}}, {0x04, 60, 32, 4, {4, 8, 16, 32}},
      {0x04, 60, 16, 5, {4, 8, 16, 16, 16}}, {0x20, 44, 32, 3, {32, 8, 4}}, {0x08, 4, 32, 1, {4}},
      {0x10, 20, 4, 5, {4, 4, 4, 4, 4}}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (uint32_t write = 0; write < 2; write++) {
      one_device();
      const uint64_t work[] = {
          write ? DMA_DEVICE_OP_WRITE : DMA_DEVICE_OP_READ, cases[i].at, cases[i].bytes, 0, 1};
      struct transaction list[16];
      PARAMS("device0", dma_device)->width = cases[i].width;
      machine_rows("device0", 0, ROWS(work));
      hp_open();
      map_all();
      assert_int_equal(all_transactions(list, 16), cases[i].n);
      uint64_t at = cases[i].at;
      for (uint32_t k = 0; k < cases[i].n; k++) {
        EXPECT_VALUES({list[k].addr, at}, {list[k].bytes, cases[i].pieces[k]});
        at += cases[i].pieces[k];
      }
      const struct dma_device_counters *c = COUNTERS("device0", dma_device);
      EXPECT_VALUES({write ? c->writes : c->reads, cases[i].n},
          {write ? c->bytes_written : c->bytes_read, cases[i].bytes}, {c->transfers, 1});
    }
  }
}

static void begun(uint32_t channel, uint32_t addr, uint32_t bytes, uint32_t command) {
  const uint32_t values[] = {addr, bytes, command};
  for (uint32_t i = 0; i < 3; i++)
    dma_device_hsc_register(OF(DEVICE(0), dma_device),
        &(struct hsc_register){.offset = channel * 16 + i * 4, .value = values[i]});
}
static uint32_t status(uint32_t channel) {
  return dma_device_hsc_register(
      OF(DEVICE(0), dma_device), &(struct hsc_register){.offset = channel * 16 + 12, .read = 1});
}

/* The device, driven through its bus port: nothing else runs, and the bus's next events are dropped. */
#define THE_DEVICE DEVICE(0)
#define TO_DEVICE HSC, HSC_PORT_SLOT
#define COUNT(name) (SIM_COUNTERS(test_engine(), THE_DEVICE, dma_device)->name)

/* Its next step is due at this time; takes it. */
static void steps_at(uint64_t time) {
  uint64_t due;
  test_message_for(THE_DEVICE, &due);
  assert_int_equal(due, time);
  test_engine()->pending = 0;
  test_engine()->time = time;
  dma_device_self(OF(THE_DEVICE, dma_device), &(sim_msg){.kind = DEVICE_STEP});
}

/* The transaction that the device starts when granted, and whether each half of the line gets a new write
 * number. */
static void wants(uint32_t kind, uint64_t address, uint32_t bytes, uint32_t low, uint32_t high) {
  uint32_t halves[2] = {0};
  uint64_t before = test_engine()->writes;
  struct hsc_grant q = {.halves = halves};
  assert_int_equal(call_hsc_grant(test_engine(), TO_DEVICE, &q), 1);
  EXPECT_VALUES({q.kind, kind}, {q.address, address}, {q.bytes, bytes}, {halves[0], low ? before + 1 : 0},
      {halves[1], high ? before + low + 1 : 0});
}
static void sent_at(uint64_t time) {
  test_engine()->time = time;
  call_hsc_sent(test_engine(), TO_DEVICE, &(struct hsc_sent){0});
}
static void arrived_at(uint64_t time, uint32_t bytes, uint32_t low, uint32_t high) {
  uint32_t halves[] = {low, high};
  test_engine()->time = time;
  call_hsc_data(test_engine(), TO_DEVICE, &(struct hsc_data){.bytes = bytes, .halves = halves});
}

#define NS 1000ull
#define EVENT(time, name, a, b, c, why) {(time) * NS, DMA_DEVICE_EV_##name, a, b, c, why}
#define SIM_DEVICE(name) BECAUSE(THE_DEVICE, DMA_DEVICE_EV_##name)
#define IN_STATE(time, state, a, c, why) EVENT(time, STATE, a, DMA_DEVICE_STATE_##state, c, SIM_DEVICE(why))
#define IN_STATE_AT_FIRST(time, state, a) EVENT(time, STATE, a, DMA_DEVICE_STATE_##state, 0, 0)
#define WROTE(time, a, bytes, write) EVENT(time, WRITE, a, bytes, write, SIM_DEVICE(STATE))
/*
 * 52 B to memory from address 12, with an interrupt: 4 B, 16 B and 32 B, each a new write of the half lines
 * it touches. The device requests the bus again 100 ns after each piece has left. The interrupt follows the
 * pieces, and nothing waits for it.
 */
TEST(a_channel_writes_piece_by_piece) {
  const uint32_t interrupt = 0xfff80000;
  one_device();
  PARAMS("device0", dma_device)->pace = 100 * NS, PARAMS("device0", dma_device)->interrupt = interrupt;
  hp_run();
  sim *m = test_engine();
  uint32_t seen = (uint32_t)m->writes;
  m->time = 1000 * NS, m->cause = 0;
  assert_int_equal(call_hsc_grant(m, TO_DEVICE, &(struct hsc_grant){0}), 0); /* nothing to send yet */
  begun(3, 12, 52, DMA_DEVICE_COMMAND_IN | 16);
  steps_at(1000 * NS);
  m->time = 1100 * NS, wants(HSC_KIND_WRITE, 12, 4, 1, 0), sent_at(1150 * NS);
  steps_at(1250 * NS), wants(HSC_KIND_WRITE, 16, 16, 0, 1), sent_at(1300 * NS);
  assert_int_equal(status(3), 0);
  steps_at(1400 * NS), wants(HSC_KIND_WRITE, 32, 32, 1, 1), sent_at(1450 * NS);
  assert_int_equal(status(3), 1);
  steps_at(1550 * NS), wants(HSC_KIND_INTERRUPT, interrupt, 4, 0, 0), sent_at(1600 * NS);
  steps_at(1600 * NS);
  assert_int_equal(call_hsc_grant(m, TO_DEVICE, &(struct hsc_grant){0}), 0);
  EXPECT_EVENTS(THE_DEVICE, EVENT(1000, STARTED, 12, 52, 3, 0), IN_STATE(1000, SEND, 12, 3, STARTED),
      WROTE(1100, 12, 4, seen + 1), IN_STATE(1250, SEND, 16, 3, WRITE), WROTE(1250, 16, 16, seen + 2),
      IN_STATE(1400, SEND, 32, 3, WRITE), WROTE(1400, 32, 32, seen + 3),
      EVENT(1450, FINISHED, 12, 52, 3, SIM_DEVICE(WRITE)), IN_STATE(1550, SEND, interrupt, 3, FINISHED),
      IN_STATE(1600, IDLE, interrupt, 3, STATE));
  EXPECT_VALUES({COUNT(writes), 3}, {COUNT(bytes_written), 52}, {COUNT(reads), 0}, {COUNT(transfers), 1},
      {COUNT(interrupts), 1}, {COUNT(transfer_time), 600 * NS});
}

/*
 * The device's own program, 100 ns between transactions: 8 B twice, the second from an unmapped address; a
 * locked read and write of a word; a semaphore; a pause of 500 ns, without the pace after it; an interrupt.
 * The program's own work has no channel.
 */
TEST(a_program_is_executed_row_by_row) {
  static const uint64_t work[] = {DEVICE_ROW(READ, 0x1008, 8, 0, 2), DEVICE_ROW(LOCKED, 0x2004, 4, 0, 1),
      DEVICE_ROW(SEMAPHORE, 0x2018, 4, 0, 1), DEVICE_ROW(PAUSE, 0, 4, 500 * NS, 1),
      DEVICE_ROW(INTERRUPT, 0x3000, 4, 0, 1), DEVICE_ROW(END, 0, 4, 0, 1)};
  one_device();
  PARAMS("device0", dma_device)->pace = 100 * NS, hp_device_does(0, PROGRAM(work));
  hp_open();
  sim *m = test_engine();
  uint32_t written = (uint32_t)m->writes + 1, rows;
  steps_at(0), wants(HSC_KIND_READ, 0x1008, 8, 0, 0), arrived_at(50 * NS, 8, 21, 22);
  const struct dma_device_received *here = checked_view(m, THE_DEVICE, DMA_DEVICE_VIEW_RECEIVED, &rows);
  EXPECT_VALUES({here[0].write, 21}, {here[1].write, 22});
  steps_at(150 * NS), wants(HSC_KIND_READ, 0x1008, 8, 0, 0), arrived_at(200 * NS, 0, 0, 0);
  steps_at(300 * NS), wants(HSC_KIND_READ_LOCKED, 0x2004, 4, 0, 0), arrived_at(350 * NS, 4, 31, 0);
  steps_at(450 * NS), wants(HSC_KIND_WRITE_UNLOCK, 0x2004, 4, 1, 0), sent_at(500 * NS);
  steps_at(600 * NS), wants(HSC_KIND_SEMAPHORE, 0x2018, 4, 0, 0), arrived_at(650 * NS, 4, 0, 41);
  steps_at(750 * NS);
  assert_int_equal(call_hsc_grant(m, TO_DEVICE, &(struct hsc_grant){0}), 0); /* pausing */
  steps_at(1250 * NS), wants(HSC_KIND_INTERRUPT, 0x3000, 4, 0, 0), sent_at(1300 * NS);
  steps_at(1400 * NS);
  EXPECT_EVENTS(THE_DEVICE, IN_STATE_AT_FIRST(0, WAIT, 0x1008),
      EVENT(50, READ, 0x1008, 21, 22, SIM_DEVICE(STATE)), IN_STATE(150, WAIT, 0x1008, 128, READ),
      EVENT(200, ERROR, 0x1008, 0, 0, SIM_DEVICE(STATE)), IN_STATE(300, WAIT, 0x2004, 128, ERROR),
      EVENT(350, READ, 0x2004, 31, 0, SIM_DEVICE(STATE)), IN_STATE(450, SEND, 0x2004, 128, READ),
      WROTE(450, 0x2004, 4, written), IN_STATE(600, WAIT, 0x2018, 128, WRITE),
      EVENT(650, READ, 0x2018, 0, 41, SIM_DEVICE(STATE)), IN_STATE(1250, SEND, 0x3000, 128, READ),
      IN_STATE(1400, IDLE, 0x3000, 0, STATE));
  EXPECT_VALUES({COUNT(reads), 4}, {COUNT(bytes_read), 8 + 8 + 4 + 4}, {COUNT(errors), 1}, {COUNT(writes), 1},
      {COUNT(bytes_written), 4}, {COUNT(transfers), 5}, {COUNT(interrupts), 1},
      {COUNT(transfer_time), 1400 * NS});
}

/* With ORDER_ANY every channel is chosen now and then, and keeps its turn for a burst. */
TEST(with_order_any_each_channel_has_its_turn) {
  one_device();
  struct transaction list[64];
  PARAMS("device0", dma_device)->burst = 64;
  PARAMS("device0", dma_device)->order = DMA_DEVICE_ORDER_ANY;
  hp_open();
  map_all();
  to_the_end();
  for (uint32_t channel = 0; channel < 3; channel++)
    begun(channel, channel * (uint32_t)PAGE, 512, DMA_DEVICE_COMMAND_OUT);
  assert_int_equal(all_transactions(list, 64), 48);
  uint32_t seen = 0, changes = 0;
  for (uint32_t i = 0; i < 48; i++) {
    if (i < 24) seen |= 1u << list[i].channel;
    if (i % 2) assert_int_equal(list[i].channel, list[i - 1].channel);
    else changes += i > 0 && list[i].channel != list[i - 1].channel;
  }
  assert_int_equal(seen, 7);
  assert_true(changes > 4);
}

/* Pauses and repeats of its own program: 10 us three times, then two reads and an interrupt. Channels wait
 * meanwhile. */
TEST(its_own_program_comes_first) {
  one_device();
  static const uint64_t work[] = {DEVICE_ROW(PAUSE, 0, 4, 10 * US, 3), DEVICE_ROW(READ, 0, 64, 0, 2),
      DEVICE_ROW(INTERRUPT, 0xfff80000, 4, 0, 1), DEVICE_ROW(END, 0, 4, 0, 1), DEVICE_ROW(READ, 0, 64, 0, 1)};
  machine_rows("device0", 0, ROWS(work));
  hp_open();
  map_all();
  begun(0, PAGE, 32, DMA_DEVICE_COMMAND_OUT);
  sim_run(test_engine(), 30 * US - 1, SIM_NEVER);
  const struct dma_device_counters *c = COUNTERS("device0", dma_device);
  assert_int_equal(c->reads, 0);
  to_the_end();
  assert_int_equal(c->reads, 4 + 1);
  assert_int_equal(c->transfers, 2 + 1 + 1); /* pauses do not count; rows after the end are not executed */
  assert_int_equal(c->interrupts, 1);
  assert_true(c->transfer_time >= 30 * US && c->transfer_time <= test_engine()->time);
}

/* Between transactions the device waits for its pace: 1 us after each of four, or none. */
TEST(the_pace_separates_transactions) {
  static const uint64_t work[] = {DEVICE_ROW(READ, 0, 128, 0, 1)};
  uint64_t end[2];
  for (uint32_t paced = 0; paced < 2; paced++) {
    one_device();
    machine_rows("device0", 0, ROWS(work));
    PARAMS("device0", dma_device)->pace = paced ? 9 * US : 0; /* whole clocks of both buses */
    hp_open();
    map_all();
    to_the_end();
    end[paced] = test_engine()->time;
  }
  assert_int_equal(end[1] - end[0], 4 * 9 * US);
}

/* A locked read and its write are one row. A read of an unmapped address returns nothing. */
TEST(locked_pairs_are_one_row_and_unmapped_reads_fail) {
  one_device();
  static const uint64_t work[] = {DEVICE_ROW(LOCKED, 8, 64, 0, 2), DEVICE_ROW(SEMAPHORE, 8, 64, 0, 1),
      DEVICE_ROW(READ, PAGES * PAGE, 32, 0, 1)};
  machine_rows("device0", 0, ROWS(work));
  hp_open();
  for (uint64_t page = 0; page < PAGES; page++) hp_map(page * PAGE, BASE + page * PAGE, IO_PAGE_LOCK);
  to_the_end();
  const struct dma_device_counters *c = COUNTERS("device0", dma_device);
  EXPECT_VALUES({c->transfers, 4}, {c->reads, 2 + 1 + 1}, {c->writes, 2}, {c->bytes_written, 8});
  assert_int_equal(c->bytes_read, 3 * 4 + 32); /* a semaphore reads one word; the failed read counts too */
  assert_int_equal(c->errors, 1);
}

TEST(invalid_rows_are_refused) {
  static const struct {
    uint64_t row[5];
    int error;
  } cases[] = {{{DEVICE_ROW(INTERRUPT, 4, 4, 0, 1)}, SIM_OK}, {{DEVICE_ROW(READ, 4, 1 << 24, 0, 1)}, SIM_OK},
      {{DMA_DEVICE_OP_INTERRUPT + 1, 4, 4, 0, 1}, SIM_BAD_ROW}, {{DEVICE_ROW(READ, 4, 0, 0, 1)}, SIM_BAD_ROW},
      {{DEVICE_ROW(READ, 4, (1 << 24) + 4, 0, 1)}, SIM_BAD_ROW},
      {{DEVICE_ROW(READ, 4, 6, 0, 1)}, SIM_BAD_ROW}, {{DEVICE_ROW(READ, 6, 4, 0, 1)}, SIM_BAD_ROW}};
  for (uint32_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    one_device();
    const uint64_t place = i & 1, end[5] = {DEVICE_ROW(END, 0, 4, 0, 1)};
    uint64_t work[10];
    memcpy(work + 5 * place, cases[i / 2].row, sizeof end);
    memcpy(work + 5 - 5 * place, end, sizeof end);
    machine_rows("device0", 0, ROWS(work));
    assert_int_equal(session_open(hp_session()), cases[i / 2].error);
    if (cases[i / 2].error) assert_int_equal(sim_refresh_header(test_engine())->error_detail, place);
  }
}

struct limit {
  const char *part;
  const char *type;
  uint32_t param;
  uint64_t good[3];
  uint64_t bad[3];
};

/* A bad parameter is refused with the part's name; the extreme valid ones are accepted. */
TEST(parameters_are_accepted_up_to_their_limits) {
  const struct limit limits[] = {
      {"adapter", "io_adapter", IO_ADAPTER_PARAM_ROWS, {1, 4096}, {0, 3, 8192}},
      {"adapter", "io_adapter", IO_ADAPTER_PARAM_CHAIN_SHIFT, {12, 31}, {11, 32}},
      {"adapter", "io_adapter", IO_ADAPTER_PARAM_PAGE_BITS, {1, 20}, {0, 21}},
      {"adapter", "io_adapter", IO_ADAPTER_PARAM_BUFFERS, {1, 8}, {0, 9}},
      {"hsc", "hsc", HSC_PARAM_CLOCK, {1000000, 200000000}, {0, 999999, 200000001}},
      {"device0", "dma_device", DMA_DEVICE_PARAM_WIDTH, {4, 32}, {2, 24, 64}},
      {"runway", "runway", RUNWAY_PARAM_CLOCK, {1000000, 1000000000}, {0, 999999, 1000000001}},
      {"runway", "runway", RUNWAY_PARAM_PENDING, {1, 6}, {0, 7}},
      {"runway", "runway", RUNWAY_PARAM_SNOOP, {1, 64}, {0, 65}},
      {"cache0", "snoop_cache", SNOOP_CACHE_PARAM_LINE, {16, 128}, {8, 48, 256}},
      {"cache0", "snoop_cache", SNOOP_CACHE_PARAM_WAYS, {1, 16}, {0, 17, 3}},
      {"cache0", "snoop_cache", SNOOP_CACHE_PARAM_BUFFER, {1, 8}, {0, 9}},
      {"cache0", "snoop_cache", SNOOP_CACHE_PARAM_SIZE, {64, 1 << 22}, {0, 96, 1 << 24}},
      {"cache0", "snoop_cache", SNOOP_CACHE_PARAM_ASSIST, {0, 64}, {65}},
      {"cache0", "snoop_cache", SNOOP_CACHE_PARAM_ORDERS, {0, 6}, {7}},
      {"cache0", "snoop_cache", SNOOP_CACHE_PARAM_STORES, {0, 6}, {7}},
      {"memory", "memory_controller", MEMORY_CONTROLLER_PARAM_BANKS, {1, 64}, {0, 65}},
      {"memory", "memory_controller", MEMORY_CONTROLLER_PARAM_TRACKED, {0, 16 << 20}, {(16 << 20) + 32}},
      {"memory", "memory_controller", MEMORY_CONTROLLER_PARAM_TRACKED_FROM, {0, 32}, {16}},
      {"memory", "memory_controller", MEMORY_CONTROLLER_PARAM_DIRECTORY_BYTES, {0, 8 << 20}, {(8 << 20) + 8}},
  };
  for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct limit *l = &limits[i];
    for (uint32_t k = 0; k < 6; k++) {
      uint64_t value = k < 3 ? l->good[k] : l->bad[k - 3];
      if (k % 3 && !value) continue;
      one_device();
      uint64_t *params = machine_params(l->part, l->type);
      params[l->param] = value;
      int error = session_open(hp_session());
      if (error != (k < 3 ? SIM_OK : SIM_BAD_PARAM))
        print_error("%s, parameter %u, value %llu\n", l->part, l->param, (unsigned long long)value);
      assert_int_equal(error, k < 3 ? SIM_OK : SIM_BAD_PARAM);
      if (k >= 3) assert_int_equal(sim_refresh_header(test_engine())->error_part, part_named(l->part));
    }
  }
}

/* An interrupt is due: the device requests the bus for it, unless it is sending or waiting for data; then
 * its state stays the same. */
TEST(a_device_that_sends_or_waits_postpones_its_interrupt) {
  for (uint32_t at = DMA_DEVICE_STATE_IDLE; at <= DMA_DEVICE_STATE_PAUSE; at++) {
    one_device();
    hp_run();
    const uint32_t self = DEVICE(0), waits = at == DMA_DEVICE_STATE_SEND || at == DMA_DEVICE_STATE_WAIT;
    struct dma_device_now *now = device_now(OF(self, dma_device));
    struct hsc_now *bus = sim_at(test_engine(), STATE_OF("hsc", hsc)->now_at);
    now->state = at, now->raise = 1, now->kind = 99, now->addr = 0x777;
    device_step(OF(self, dma_device));
    EXPECT_VALUES({bus->requests, !waits}, {now->kind, waits ? 99 : HSC_KIND_INTERRUPT},
        {now->addr, waits ? 0x777 : PARAMS("device0", dma_device)->interrupt},
        {now->state, waits ? at : DMA_DEVICE_STATE_SEND});
  }
}

/* A driver may write the registers in any order: nothing starts before the command, and the last values
 * count. A size that is no whole number of words is rounded up. */
TEST(only_the_command_starts_a_channel) {
  one_device();
  struct transaction list[4];
  PARAMS("device0", dma_device)->width = 32;
  hp_open();
  map_all();
  to_the_end();
  const struct {
    uint32_t offset, value;
  } stores[] = {{4, 3}, {0, 2}, {4, 6}, {0, 4}};
  for (uint32_t i = 0; i < 4; i++) {
    dma_device_hsc_register(OF(DEVICE(0), dma_device),
        &(struct hsc_register){.offset = stores[i].offset, .value = stores[i].value});
    assert_int_equal(test_engine()->pending, 0);
  }
  dma_device_hsc_register(
      OF(DEVICE(0), dma_device), &(struct hsc_register){.offset = 8, .value = DMA_DEVICE_COMMAND_OUT});
  assert_int_equal(test_engine()->pending, 1);
  assert_int_equal(all_transactions(list, 4), 2);
  for (uint32_t i = 0; i < 2; i++) {
    EXPECT_VALUES({list[i].addr, 4 + 4 * i}, {list[i].bytes, 4}, {list[i].channel, 0});
  }
  assert_int_equal(SIM_COUNTERS(test_engine(), DEVICE(0), dma_device)->transfers, 1);
  assert_int_equal(status(0), 1);
}
