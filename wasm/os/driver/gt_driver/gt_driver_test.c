/* The GT card's driver: the time of each call, the owners of the two engines, and the transfers that its
 * library leaves to the processor. */
#include "test/gt_round.h"

#define COUNT(name) (COUNTERS("driver", gt_driver)->name)
#define CPU_COUNT(name) (COUNTERS("cpu", processor)->name)
#define DRIVER_EVENT(name, a, b) {ANY_TIME, GT_DRIVER_EV_##name, a, b, 0, ANY_CAUSE}
#define CALLS_OF(op, from, to, bytes) ROW(op, from, to, bytes, 0, 0, 0)

static const struct gt_driver_calls *calls(void) {
  return sim_at(test_engine(), STATE_OF("driver", gt_driver)->calls_at);
}
static const struct gt_driver_transfers *transfers(void) {
  return sim_at(test_engine(), STATE_OF("driver", gt_driver)->transfers_at);
}
static const struct gt_driver_engines *owners(void) {
  return sim_at(test_engine(), STATE_OF("driver", gt_driver)->engines_at);
}

/* API 10 us in and 3 out, set-up 20 us; bookkeeping 40 us for a write and 50 for a read; a poll every 100 us.
 * The bridge buffers all stores, so each takes 5 ns. */
static void whole_times(void) {
  round_numbers();
  PARAMS("bridge", bridge)->posts = 8;
  PARAMS("driver", gt_driver)->api_time = 10 * US, PARAMS("driver", gt_driver)->return_time = 3 * US,
                   PARAMS("driver", gt_driver)->setup_time = 20 * US;
  PARAMS("driver", gt_driver)->finish_write = 40 * US, PARAMS("driver", gt_driver)->finish_read = 50 * US,
                   PARAMS("driver", gt_driver)->poll_interval = 100 * US;
  PARAMS("driver", gt_driver)->poll_write = PARAMS("driver", gt_driver)->poll_read = 64;
}

/*
 * Three register stores take 15 ns. Up to 64 B the driver polls: the first poll fails, the second, 100 us
 * later, succeeds. With one more word the thread sleeps until the interrupt, which costs one switch.
 * Bookkeeping takes the same time in both cases.
 */
TEST(each_call_takes_its_times) {
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t read = i & 1, longer = i >> 1, bytes = 64 + 4 * longer;
    whole_times();
    const uint64_t writes[] = {CALLS_OF(DMA_WRITE, HOST, CARD_BASE, bytes), END_ROW},
                   reads[] = {CALLS_OF(DMA_READ, CARD_BASE, HOST, bytes), END_ROW};
    gt_open(read ? reads : writes, sizeof writes / 8);
    session_run();
    EXPECT_VALUES({CPU_COUNT(in_api), (10 + 3) * US}, {CPU_COUNT(in_driver), 20 * US + 3 * 5 * NS},
        {CPU_COUNT(in_finish), (read ? 50 : 40) * US});
    assert_int_equal(CPU_COUNT(stores), 0); /* counts only a program's own stores */
    EXPECT_VALUES({CPU_COUNT(interrupts), longer}, {CPU_COUNT(switches), longer}, {COUNT(polled), !longer},
        {COUNT(polls), longer ? 0 : 2}, {COUNT(blocked), longer}, {COUNT(writes), !read},
        {COUNT(reads), read}, {COUNT(queued), 0});
    if (longer) assert_int_equal(CPU_COUNT(in_poll), 0);
    else assert_in_range(CPU_COUNT(in_poll), 100 * US, 102 * US); /* and two loads on an idle bus */
    EXPECT_EVENTS(DRIVER, DRIVER_EVENT(CALL, bytes, 0), DRIVER_EVENT(DOORBELL, bytes, 0),
        DRIVER_EVENT(RETURN, bytes, 0));
    assert_int_equal(calls()[0].step, GT_DRIVER_STEP_DONE);
    assert_int_equal(transfers()[0].step, GT_DRIVER_TRANSFER_BEGIN);
    for (uint32_t engine = 0; engine < 2; engine++) assert_int_equal(owners()[engine].owner, 0);
  }
}

/*
 * Thread 0 owns the write engine, thread 1 the read engine. Thread 2 also wants to write and waits for thread
 * 0. The owners are checked while all three transfers are pending. Thread 2's doorbell comes after thread 0
 * is done.
 */
TEST(each_engine_has_an_owner_and_waiters) {
  whole_times();
  PARAMS("driver", gt_driver)->api_time = PARAMS("driver", gt_driver)->setup_time =
      PARAMS("driver", gt_driver)->finish_write = PARAMS("driver", gt_driver)->finish_read = US,
                   PARAMS("driver", gt_driver)->poll_write = PARAMS("driver", gt_driver)->poll_read = 0,
                   PARAMS("gt", gt)->tracked = 0;
  static const uint64_t program[] = {CALLS_OF(DMA_WRITE, HOST, CARD_BASE, 16000), END_ROW,
      ROW(THREAD, 0, 0, 0, 0, 0, 0), CALLS_OF(DMA_READ, CARD_BASE + 65536, HOST + 65536, 12000), END_ROW,
      ROW(THREAD, 0, 0, 0, 0, 0, 0), CALLS_OF(DMA_WRITE, HOST + 8, CARD_BASE + 12, 512), END_ROW};
  OPEN(program);
  RUN_UNTIL(COUNT(queued) > 0);
  static const struct gt_driver_engines taken[] = {{.owner = 1, .waiting = 1u << 2}, {.owner = 2}};
  assert_memory_equal(owners(), taken, sizeof taken);
  static const struct {
    uint64_t host, card, bytes;
    uint32_t engine, step;
  } under_way[] = {{HOST, CARD_BASE, 16000, 0, GT_DRIVER_TRANSFER_INTERRUPT},
      {HOST + 65536, CARD_BASE + 65536, 12000, 1, GT_DRIVER_TRANSFER_INTERRUPT},
      {HOST + 8, CARD_BASE + 12, 512, 0, GT_DRIVER_TRANSFER_QUEUED}};
  for (uint32_t thread = 0; thread < 3; thread++) {
    const struct gt_driver_transfers *t = &transfers()[thread];
    EXPECT_VALUES({t->host, under_way[thread].host}, {t->card, under_way[thread].card},
        {t->bytes, under_way[thread].bytes}, {t->engine, under_way[thread].engine},
        {t->step, under_way[thread].step}, {t->polls, 0});
    assert_int_equal(calls()[thread].step, GT_DRIVER_STEP_TRANSFER);
    assert_int_equal(calls()[thread].op, thread == 1 ? PROCESSOR_OP_DMA_READ : PROCESSOR_OP_DMA_WRITE);
  }
  session_run();
  EXPECT_EVENTS(DRIVER, DRIVER_EVENT(CALL, 16000, 0), DRIVER_EVENT(DOORBELL, 16000, 0),
      DRIVER_EVENT(CALL, 12000, 1), DRIVER_EVENT(DOORBELL, 12000, 0), DRIVER_EVENT(CALL, 512, 2),
      DRIVER_EVENT(QUEUE, 0, 2), DRIVER_EVENT(RETURN, 12000, 1), DRIVER_EVENT(RETURN, 16000, 0),
      DRIVER_EVENT(DOORBELL, 512, 0), DRIVER_EVENT(RETURN, 512, 2));
  EXPECT_VALUES({COUNT(writes), 2}, {COUNT(reads), 1}, {COUNT(queued), 1},
      {COUNTERS("gt", gt)->dma_write_bytes, 16512}, {COUNTERS("gt", gt)->dma_read_bytes, 12000});
  static const struct gt_driver_engines nobody[2] = {0};
  assert_memory_equal(owners(), nobody, sizeof nobody);
}

/* From its threshold on, the library uses DMA. Reads and writes have separate thresholds. Shorter transfers
 * are left to the processor, word by word, and the driver's call is finished. */
TEST(the_library_has_a_threshold_for_each_direction) {
  for (uint32_t read = 0; read < 2; read++)
    for (uint32_t longer = 0; longer < 2; longer++) {
      whole_times();
      PARAMS("driver", gt_driver)->write_threshold = 64, PARAMS("driver", gt_driver)->read_threshold = 128;
      const uint32_t bytes = (read ? 128 : 64) - 4 + 4 * longer;
      const uint64_t writes[] = {CALLS_OF(WRITE_DATA, HOST, CARD_BASE, bytes), END_ROW},
                     reads[] = {CALLS_OF(READ_DATA, CARD_BASE, HOST, bytes), END_ROW};
      gt_open(read ? reads : writes, sizeof writes / 8);
      session_run();
      const struct gt_counters *card = COUNTERS("gt", gt);
      EXPECT_VALUES({card->dma_writes, longer && !read}, {card->dma_reads, longer && read});
      if (!longer) assert_int_equal(read ? card->pio_reads : card->pio_writes, bytes / 4);
      if (!longer) assert_int_equal(read ? card->pio_writes : card->pio_reads, 0);
      assert_int_equal(calls()[0].step, GT_DRIVER_STEP_DONE);
      assert_int_equal(calls()[0].op, longer ? read ? PROCESSOR_OP_DMA_READ : PROCESSOR_OP_DMA_WRITE
                                      : read ? PROCESSOR_OP_READ_DATA
                                             : PROCESSOR_OP_WRITE_DATA);
      assert_int_equal(CPU_COUNT(in_api), longer ? 13 * US : 0);
    }
}

static const struct shadow_word *cell(uint32_t part, uint64_t at) {
  sim *m = test_engine();
  return part == CARD ? shadow_word(m, &STATE_OF("gt", gt)->shadow, at)
                      : shadow_word(m, &STATE_OF("memory", memory)->shadow, at);
}

/*
 * Sets one byte, each of the four in turn, of the card's word at 64. The word is read into the buffer, gets a
 * new write number there, and is written back. These are two transfers of one word; the API is entered twice,
 * 10 us each, and left once, 3 us. The neighbouring words keep their write numbers.
 */
TEST(setting_a_byte_rewrites_its_word) {
  for (uint32_t byte = 0; byte < 4; byte++) {
    whole_times();
    const uint64_t program[] = {CALLS_OF(PIO_WRITE, HOST + 128, CARD_BASE + 60, 12),
        CALLS_OF(DMA_SET_BYTE, HOST, CARD_BASE + 64 + byte, 1), END_ROW};
    OPEN(program);
    session_run();
    const uint32_t write = cell(CARD, CARD_BASE + 64)->write;
    assert_int_equal(cell(CARD, CARD_BASE + 60)->write, 1);
    assert_int_equal(cell(CARD, CARD_BASE + 68)->write, 3);
    assert_int_equal(write, 4); /* three words were stored before */
    assert_int_equal(cell(MEMORY, HOST)->write, write);
    assert_int_equal(cell(MEMORY, HOST)->newest, write);
    EXPECT_VALUES({COUNTERS("gt", gt)->lost, 0}, {COUNTERS("gt", gt)->dma_read_bytes, 4},
        {COUNTERS("gt", gt)->dma_write_bytes, 4}, {COUNT(reads), 1}, {COUNT(writes), 1},
        {CPU_COUNT(in_api), (2 * 10 + 3) * US}, {CPU_COUNT(in_driver), 2 * (20 * US + 3 * 5 * NS)},
        {CPU_COUNT(in_finish), (50 + 40) * US});
  }
}

/* Makes a call as a processor does and returns its first step other than OS_STEP_COMPUTE. */
static uint32_t step_of(uint32_t op, uint64_t from, uint64_t to, uint64_t bytes) {
  uint32_t words[11] = {(uint32_t)from, (uint32_t)(from >> 32), (uint32_t)to, (uint32_t)(to >> 32),
      (uint32_t)bytes, (uint32_t)(bytes >> 32), 0, 0, 0, 0, 4};
  struct os_next next = {.thread = 3};
  gt_driver_cpu_call(
      OF(DRIVER, gt_driver), &(struct os_call){.thread = 3, .operation = op, .arguments = words});
  for (uint32_t n = 0; n < 100; n++) {
    uint32_t step = gt_driver_cpu_next(OF(DRIVER, gt_driver), &next);
    if (step != OS_STEP_COMPUTE) return step;
    next.thread = 3;
  }
  fail_msg("it works for ever");
  return OS_STEP_COMPUTE;
}

/* Transfers are whole words, at least one, and less than 2 GiB. Addresses and sizes have 64 bits. A refused
 * transfer releases the engine. */
TEST(the_card_moves_whole_words_of_less_than_2_gib) {
  static const struct {
    uint64_t host, card, bytes;
    int moves;
  } cases[] = {{HOST, CARD_BASE, 4, 1}, {HOST, CARD_BASE, 0, 0}, {HOST, CARD_BASE, 0x7ffffffc, 1},
      {HOST, CARD_BASE, 0x80000000, 0}, {HOST, CARD_BASE, 1ull << 32 | 4, 0}, {HOST + 4, CARD_BASE, 4, 1},
      {HOST, CARD_BASE + 4, 4, 1}, {HOST, CARD_BASE, 8, 1}, {HOST + 1, CARD_BASE, 4, 0},
      {HOST + 2, CARD_BASE, 4, 0}, {HOST, CARD_BASE + 1, 4, 0}, {HOST, CARD_BASE + 2, 4, 0},
      {HOST, CARD_BASE, 5, 0}, {HOST, CARD_BASE, 6, 0}, {5ull << 32 | HOST, 7ull << 32 | CARD_BASE, 4, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t read = 0; read < 2; read++) {
      whole_times();
      OPEN(nothing);
      uint32_t step = read ? step_of(PROCESSOR_OP_DMA_READ, cases[i].card, cases[i].host, cases[i].bytes)
                           : step_of(PROCESSOR_OP_DMA_WRITE, cases[i].host, cases[i].card, cases[i].bytes);
      assert_int_equal(step, cases[i].moves ? OS_STEP_STORE : OS_STEP_REFUSE);
      assert_int_equal(transfers()[3].host, cases[i].host);
      assert_int_equal(transfers()[3].card, cases[i].card);
      assert_int_equal(transfers()[3].bytes, cases[i].bytes);
      assert_int_equal(transfers()[3].engine, read);
      assert_int_equal(owners()[read].owner, cases[i].moves ? 3 + 1 : 0);
      assert_int_equal(COUNT(refused), !cases[i].moves);
    }
}

TEST(views_have_a_row_for_each_thread_and_the_handler) {
  whole_times();
  struct session s = gt_session(ROWS(nothing));
  session_without_memory(&s);
  uint32_t rows;
  checked_view(test_engine(), DRIVER, GT_DRIVER_VIEW_CALLS, &rows);
  assert_int_equal(rows, PROCESSOR_PROGRAM_THREADS + 1);
  checked_view(test_engine(), DRIVER, GT_DRIVER_VIEW_TRANSFERS, &rows);
  assert_int_equal(rows, PROCESSOR_PROGRAM_THREADS + 1);
}

/* In memory without shadow cells the write number that was read is unknown. No word counts as lost then,
 * whether the card's word was written before or not. */
TEST(setting_a_byte_needs_no_tracked_buffer) {
  whole_times();
  static const uint64_t program[] = {CALLS_OF(DMA_SET_BYTE, 64 << 10, CARD_BASE + 64, 1),
      CALLS_OF(PIO_WRITE, HOST, CARD_BASE + 128, 4), CALLS_OF(DMA_SET_BYTE, 64 << 10, CARD_BASE + 128, 1),
      END_ROW};
  OPEN(program);
  session_run();
  EXPECT_VALUES({COUNTERS("gt", gt)->lost, 0}, {COUNT(writes), 2});
}

/* A mapping library with seven pages of 8 KiB: a transfer of ten pages is refused and releases the engine.
 * The next one, of one page, succeeds. */
TEST(a_transfer_that_cannot_be_mapped_is_refused) {
  struct iommu_map_params maps = IOMMU_MAP_DEFAULTS;
  maps.entries = 9, maps.pools = 1, maps.base = 0, maps.spread = 0;
  whole_times();
  static const uint64_t program[] = {
      CALLS_OF(DMA_WRITE, HOST, CARD_BASE, 10 * 8192), CALLS_OF(DMA_WRITE, HOST, CARD_BASE, 512), END_ROW};
  gt_open_mapping(ROWS(program), SIM_TYPE_IOMMU_MAP, &maps, sizeof maps, IOMMU_MAP_PORT_CPU);
  session_run();
  EXPECT_VALUES({COUNT(refused), 1}, {CPU_COUNT(refused), 1},
      {SIM_COUNTERS(test_engine(), MAPPING, iommu_map)->failures, 1}, {COUNT(writes), 1},
      {COUNTERS("gt", gt)->dma_write_bytes, 512},
      {SIM_COUNTERS(test_engine(), MAPPING, iommu_map)->unmaps, 1});
  assert_int_equal(owners()[0].owner, 0);
  EXPECT_EVENTS(DRIVER, DRIVER_EVENT(CALL, 10 * 8192, 0), DRIVER_EVENT(CALL, 512, 0),
      DRIVER_EVENT(MAPPED, HOST % 8192, 512), DRIVER_EVENT(DOORBELL, 512, 0), DRIVER_EVENT(RETURN, 512, 0));
}

static void writes(const void *thread) {
  uint32_t words[11] = {[4] = 64};
  gt_driver_cpu_call(OF(DRIVER, gt_driver),
      &(struct os_call){
          .thread = *(const uint32_t *)thread, .operation = PROCESSOR_OP_DMA_WRITE, .arguments = words});
}
static void goes_on(const void *thread) {
  struct os_next next = {.thread = *(const uint32_t *)thread};
  gt_driver_cpu_next(OF(DRIVER, gt_driver), &next);
}

/* A thread number out of range stops the engine before the driver accesses memory beyond its rows. */
TEST(a_thread_out_of_range_stops_the_engine) {
  whole_times();
  static const uint64_t program[] = {END_ROW};
  OPEN(program);
  for (uint32_t over = 0; over < 2; over++) {
    const uint32_t thread = CALLS_PER_CPU - 1 + over;
    assert_int_equal(test_stops(writes, &thread), over);
    assert_int_equal(test_stops(goes_on, &thread), over);
  }
  assert_int_equal(transfers()[CALLS_PER_CPU - 1].bytes, 64);
}
