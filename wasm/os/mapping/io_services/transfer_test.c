/* Guarantees of the driver services: each page of a buffer is mapped, the device reaches the whole buffer and
 * nothing else, and everything is unmapped. */
#include "test/hp.h"

#define BUFFER (BASE + 2 * PAGE)
#define INTERRUPT 0xfff80000ull

static const struct {
  uint64_t offset, bytes, maps, entries;
} buffers[] = {
    {0, 4, 1, 1},
    {0, 4096, 1, 1},
    {4092, 4, 1, 1},
    {4092, 8, 1, 2},  /* ends two words later, in the next page */
    {4064, 64, 1, 2}, /* a line in each */
    {32, 4096, 1, 2}, /* a page's bytes in two pages */
    {4064, 4096 + 64, 1, 3},
    {0, 8 * 4096, 1, 8},  /* a range */
    {32, 8 * 4096, 2, 9}, /* its last line needs another range */
    {4064, 32 + 8 * 4096 + 32, 2, 1 + 8 + 1},
};
#define BUFFERS (sizeof buffers / sizeof *buffers)

static void transfer_of(const uint64_t *program, uint32_t values) {
  hp(1, 1);
  machine_with("services");
  PARAMS("cache0", snoop_cache)->interrupt = INTERRUPT;
  PARAMS("memory", memory_controller)->written = 1;
  machine_rows("cpu0", 0, program, values);
  hp_run();
  const struct io_services_counters *c = COUNTERS("services", io_services);
  EXPECT_VALUES({COUNTERS("adapter", io_adapter)->faults, 0}, {COUNTERS("device0", dma_device)->errors, 0},
      {c->unmaps, c->maps}, {c->entries_live, 0});
}

static int inside(uint64_t half, uint64_t from, uint64_t bytes) {
  return half + HALF_BYTES > from && half < from + bytes;
}

/* The device reads every half line of the buffer from its page in memory. */
TEST(each_page_of_an_outbound_buffer_is_mapped) {
  for (uint32_t i = 0; i < BUFFERS; i++) {
    uint64_t from = BUFFER + buffers[i].offset, bytes = buffers[i].bytes;
    const uint64_t program[] = {ROW(DMA_OUT, from, WINDOW(0), bytes, 4, 0, 0, 0), END};
    transfer_of(program, 16);
    assert_int_equal(COUNTERS("services", io_services)->maps, buffers[i].maps);
    assert_int_equal(COUNTERS("services", io_services)->entries, buffers[i].entries);
    assert_int_equal(COUNTERS("device0", dma_device)->bytes_read, bytes);
    const struct sim_directory *d = sim_refresh_header(test_engine());
    const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
    uint64_t half = from & ~(HALF_BYTES - 1ull), records = 0, pages = 0; /* events of map() calls */
    assert_true(d->seq_lo < d->trace_capacity);
    for (uint32_t k = 0; k < d->seq_lo;
        k++) { /* writes are read in the order of the buffer, whatever the I/O addresses */
      if (ring[k].kind == IO_SERVICES_EV_MAP) records++, pages += ring[k].b;
      if (ring[k].kind != DMA_DEVICE_EV_READ) continue;
      for (uint32_t h = 0; h < 2; h++) {
        uint32_t write = h ? ring[k].c : ring[k].b;
        if (write == (half - BASE) / HALF_BYTES + 1) half += HALF_BYTES;
      }
    }
    assert_true(half >= from + bytes);
    EXPECT_VALUES({records, buffers[i].maps}, {pages, buffers[i].entries});
  }
}

/* The device writes every half line of the buffer and nothing else. */
TEST(only_an_inbound_buffer_is_filled) {
  for (uint32_t i = 0; i < BUFFERS; i++) {
    uint64_t from = BUFFER + buffers[i].offset, bytes = buffers[i].bytes;
    const uint64_t program[] = {ROW(DMA_IN, from, WINDOW(0), bytes, 4, 0, 0, 0), END};
    transfer_of(program, 16);
    assert_int_equal(COUNTERS("services", io_services)->entries, buffers[i].entries);
    assert_int_equal(COUNTERS("device0", dma_device)->bytes_written, bytes);
    for (uint64_t half = BASE; half < BASE + PAGES * PAGE; half += HALF_BYTES) {
      uint32_t first = (uint32_t)((half - BASE) / HALF_BYTES) + 1;
      assert_int_equal(hp_cell(half).newest != first, inside(half, from, bytes));
      if (!(bytes % 32) && !(from % 32))
        assert_int_equal(hp_cell(half).write, hp_cell(half).newest); /* whole lines reach memory */
    }
  }
}

/* Two processors have a transfer each, in one thread each. Both take the interrupt of every end, but only the
 * thread whose transfer is done continues and unmaps. */
TEST(each_processor_continues_when_its_own_transfer_is_done) {
  static const uint64_t out[] = {ROW(DMA_OUT, BUFFER, WINDOW(0), 2048, 4, 0, 0, 0),
      ROW(DMA_OUT, BUFFER, WINDOW(0), 64, 4, 0, 0, 0), END};
  static const uint64_t in[] = {ROW(DMA_IN, BUFFER + 4 * PAGE, WINDOW(1), 256, 4, 0, 0, 0),
      ROW(DMA_IN, BUFFER + 4 * PAGE, WINDOW(1), 4096, 4, 0, 0, 0), END};
  hp(2, 2);
  machine_with("services");
  PARAMS("cache0", snoop_cache)->interrupt = INTERRUPT;
  PARAMS("memory", memory_controller)->written = 1;
  machine_rows("cpu0", 0, ROWS(out));
  machine_rows("cpu1", 0, ROWS(in));
  hp_run();
  EXPECT_VALUES({COUNTERS("device0", dma_device)->bytes_read, 2048 + 64},
      {COUNTERS("device1", dma_device)->bytes_written, 256 + 4096},
      {COUNTERS("services", io_services)->maps, 4}, {COUNTERS("services", io_services)->unmaps, 4},
      {COUNTERS("adapter", io_adapter)->faults, 0});
}

/* An interrupt handler ends after it has checked every transfer; its call is then shown as done. */
TEST(a_handler_ends_after_all_transfers) {
  static const uint64_t program[] = {
      ROW(DMA_OUT, BUFFER, WINDOW(0), 64, 4, 0, 0, 0), ROW(DMA_IN, BUFFER, WINDOW(0), 64, 4, 0, 0, 0), END};
  transfer_of(program, sizeof program / 8);
  uint32_t rows, handlers = 0;
  const service_call *call = checked_view(test_engine(), SERVICES, IO_SERVICES_VIEW_CALLS, &rows);
  for (uint32_t i = 0; i < rows; i++) {
    handlers += call[i].handles;
    if (call[i].handles) assert_int_equal(call[i].scan, SERVICE_ROWS);
    if (call[i].handles) assert_int_equal(call[i].step, IO_SERVICES_STEP_DONE);
  }
  assert_int_equal(handlers, 1);
}

/* The handler looks for transfers whose driver thread waits. A program that only started a device gets its
 * own interrupt. */
TEST(a_handler_looks_for_waiting_transfers) {
  static const uint32_t ops[] = {PROCESSOR_OP_DMA_OUT, PROCESSOR_OP_DMA_IN, PROCESSOR_OP_START_DMA,
      PROCESSOR_OP_MAP, PROCESSOR_OP_UNMAP};
  for (uint32_t i = 0; i < 5; i++)
    for (uint32_t step = IO_SERVICES_STEP_ENTER; step <= IO_SERVICES_STEP_DONE; step++)
      assert_int_equal(service_waits(&(service_call){.op = ops[i], .step = step}),
          i < 2 && (step == IO_SERVICES_STEP_BLOCKED || step == IO_SERVICES_STEP_WAIT));
}
