/* The guarantees of the GT system: data arrives unchanged and in order, and the card's rules hold. */
#include "test/gt.h"

#define HOST 0x1000ull

static void tracked(void) {
  machine("gt-and-peer");
  PARAMS("memory", memory)->tracked = 64 << 10;
  PARAMS("gt", gt)->tracked = 64 << 10;
}

static uint32_t *view(uint32_t part, uint32_t index) {
  sim *m = test_engine();
  return sim_at(
      m, ((struct sim_view_entry *)sim_at(m, m->views_at) + sim_part(m, part)->first_view + index)->at);
}
static uint32_t card_word(uint32_t i) { return ((struct shadow_word *)view(CARD, GT_VIEW_CELLS))[i].write; }
static uint32_t host_word(uint32_t i) {
  return ((struct shadow_word *)view(MEMORY, MEMORY_VIEW_CELLS))[HOST / 4 + i].write;
}

TEST(stores_arrive_in_the_order_they_were_issued) {
  tracked();
  static const uint64_t program[] = {ROW(PIO_WRITE, HOST, CARD_BASE, 512, 0, 0, 0), END_ROW};
  RUN(program);
  for (uint32_t i = 0; i < 128; i++) assert_int_equal(card_word(i), i + 1);
  assert_int_equal(COUNTERS("bridge", bridge)->fullest, PARAMS("bridge", bridge)->posts);
}

TEST(dma_carries_every_word_there_and_back) {
  tracked();
  static const uint64_t program[] = {ROW(PIO_WRITE, HOST, CARD_BASE, 1000, 0, 0, 0),
      ROW(SPEND, 0, 0, 0, 20000000, 0, 0), ROW(DMA_READ, CARD_BASE, HOST, 1000, 0, 0, 0),
      ROW(DMA_WRITE, HOST + 4, CARD_BASE + 8192, 996, 0, 0, 0), END_ROW};
  RUN(program);
  for (uint32_t i = 0; i < 250; i++) assert_int_equal(host_word(i), i + 1);
  for (uint32_t i = 0; i < 249; i++) assert_int_equal(card_word(2048 + i), i + 2);
  assert_int_equal(card_word(2048 + 249), 0);
  EXPECT_VALUES({COUNTERS("gt", gt)->dma_write_bytes, 996}, {COUNTERS("gt", gt)->dma_read_bytes, 1000});
}

/* A bus block may have up to 4 KiB. All of its words are moved, and the card's next accept time is the same
 * as with short blocks. */
TEST(a_block_of_maximum_length_moves_all_its_words) {
  static const uint64_t program[] = {ROW(PIO_WRITE, HOST, CARD_BASE, 4096, 0, 0, 0),
      ROW(SPEND, 0, 0, 0, 20000000, 0, 0), ROW(DMA_READ, CARD_BASE, HOST, 4096, 0, 0, 0), END_ROW};
  uint64_t accepts = 0;
  for (uint32_t round = 0; round < 2; round++) {
    tracked();
    PARAMS("bus", pci)->block = round ? 4096 : 256;
    RUN(program);
    for (uint32_t i = 0; i < 1024; i++) assert_int_equal(host_word(i), i + 1);
    if (round == 0) accepts = STATE_OF("gt", gt)->accept_at;
    assert_true(accepts > 0);
    assert_int_equal(STATE_OF("gt", gt)->accept_at, accepts);
  }
}

TEST(a_read_waits_for_the_stores_before_it) {
  tracked();
  PARAMS("ring", ring)->node_latency = 0;
  static const uint64_t program[] = {ROW(PIO_WRITE, HOST, CARD_BASE, 64, 0, 0, 0),
      ROW(PIO_READ, CARD_BASE, HOST + 4096, 64, 0, 0, 0), END_ROW};
  RUN(program);
  for (uint32_t i = 0; i < 16; i++) assert_int_equal(host_word(1024 + i), i + 1);
  assert_int_equal(COUNTERS("cpu", processor)->stale_reads, 0);
}

TEST(a_read_that_overtakes_its_write_on_the_ring_is_stale) {
  tracked();
  static const uint64_t early[] = {
      ROW(PIO_WRITE, HOST, CARD_BASE, 4, 0, 0, 0), ROW(PIO_READ, CARD_BASE, HOST, 4, 0, 0, 0), END_ROW};
  static const uint64_t late[] = {ROW(PIO_WRITE, HOST, CARD_BASE, 4, 0, 0, 0),
      ROW(SPEND, 0, 0, 0, 8000000, 0, 0), ROW(PIO_READ, CARD_BASE, HOST, 4, 0, 0, 0), END_ROW};
  RUN(early);
  assert_int_equal(COUNTERS("cpu", processor)->stale_reads, 1);
  assert_int_equal(host_word(0), 0);
  RUN(late);
  assert_int_equal(COUNTERS("cpu", processor)->stale_reads, 0);
  assert_int_equal(host_word(0), 1);
}

TEST(both_engines_run_at_once_and_each_serves_one_request_at_a_time) {
  machine("gt-and-peer");
  static const uint64_t program[] = {ROW(DMA_WRITE, HOST, CARD_BASE, 4096, 0, 0, 0), END_ROW,
      ROW(THREAD, 0, 0, 0, 0, 0, 0), ROW(DMA_WRITE, HOST + 8192, CARD_BASE + 8192, 4096, 0, 0, 0), END_ROW,
      ROW(THREAD, 0, 0, 0, 0, 0, 0), ROW(DMA_READ, CARD_BASE, HOST + 16384, 32768, 0, 0, 0), END_ROW};
  RUN(program);
  struct gt_counters *card = COUNTERS("gt", gt);
  EXPECT_VALUES({card->dma_writes, 2}, {card->dma_reads, 1});
  assert_true(card->both_busy > 1000000);
  assert_int_equal(COUNTERS("driver", gt_driver)->queued, 1);
}

TEST(programmed_io_is_served_while_an_engine_runs) {
  tracked();
  static const uint64_t program[] = {ROW(THREAD, 0, 0, 0, 0, 1, 0),
      ROW(DMA_READ, CARD_BASE, HOST, 65532, 0, 0, 0), END_ROW, ROW(THREAD, 0, 0, 0, 0, 0, 0),
      ROW(PIO_WRITE, HOST, CARD_BASE + 1024, 256, 0, 0, 0), ROW(LAP, 0, 0, 0, 0, 0, 1),
      ROW(LAP_END, 0, 0, 0, 0, 0, 1), END_ROW};
  PARAMS("driver", gt_driver)->poll_read = 0;
  struct session s = gt_session(ROWS(program));
  assert_int_equal(session_open(&s), SIM_OK);
  RUN_UNTIL(COUNTERS("cpu", processor)->laps_1 > 0);
  assert_true(COUNTERS("gt", gt)->pio_writes
              >= 64 + 3 - PARAMS("bridge", bridge)->posts); /* the rest is still posted */
  assert_int_equal(COUNTERS("gt", gt)->dma_reads, 0);
}

TEST(changing_a_byte_by_dma_loses_a_write_in_between) {
  tracked();
  PARAMS("ring", ring)->nodes = 2;
  PARAMS("ring", ring)->update_every = 7000000;
  PARAMS("ring", ring)->update_bytes = 4;
  static const uint64_t program[] = {ROW(DMA_SET_BYTE, HOST, CARD_BASE + 5, 1, 0, 0, 0), END_ROW};
  struct session s = gt_session(ROWS(program));
  assert_int_equal(session_open(&s), SIM_OK);
  sim_run(test_engine(), 60000000, SIM_NEVER);
  assert_int_equal(COUNTERS("gt", gt)->lost, 1);
}

/* No other write to the word comes in between, or only to a word without the byte: nothing is lost. */
TEST(changing_a_byte_without_a_conflict_loses_nothing) {
  tracked();
  static const uint64_t program[] = {ROW(DMA_SET_BYTE, HOST, CARD_BASE + 5, 1, 0, 0, 0), END_ROW};
  RUN(program);
  EXPECT_VALUES({COUNTERS("gt", gt)->lost, 0}, {COUNTERS("gt", gt)->dma_writes, 1});
  PARAMS("ring", ring)->nodes = 2;
  PARAMS("ring", ring)->update_every = 7000000;
  PARAMS("ring", ring)->update_bytes = 4;
  PARAMS("ring", ring)->update_from = CARD_BASE + 4; /* node 1's segment is the next word */
  struct session s = gt_session(ROWS(program));
  assert_int_equal(session_open(&s), SIM_OK);
  sim_run(test_engine(), 60000000, SIM_NEVER);
  assert_true(COUNTERS("gt", gt)->updates >= 8);
  EXPECT_VALUES({COUNTERS("gt", gt)->lost, 0}, {COUNTERS("gt", gt)->dma_writes, 1});
}

/* Of the 4 KiB pages that a buffer touches, the first two stay pinned. Any more are pinned for each call. */
TEST(a_buffer_is_pinned_by_the_pages_it_touches) {
  const struct {
    uint64_t from, bytes, extra;
  } buffers[] = {
      {HOST, 2 * 4096, 0},
      {HOST, 2 * 4096 + 4, 1},
      {HOST + 4092, 4096, 0},
      {HOST + 4092, 4096 + 4, 0},
      {HOST + 4092, 4096 + 8, 1},
      {HOST + 4, 2 * 4096, 1},
      {HOST + 4, 5 * 4096 - 4, 3},
      {HOST + 4, 5 * 4096, 4},
  };
  uint64_t setup = 0;
  for (uint32_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    machine("gt-and-peer");
    PARAMS("driver", gt_driver)->pin_table = 2;
    const uint64_t program[] = {
        ROW(DMA_WRITE, buffers[i].from, CARD_BASE, buffers[i].bytes, 0, 0, 0), END_ROW};
    RUN(program);
    assert_int_equal(COUNTERS("driver", gt_driver)->pinned, buffers[i].extra);
    uint64_t driver =
        COUNTERS("cpu", processor)->in_driver - buffers[i].extra * PARAMS("driver", gt_driver)->pin_time;
    if (i == 0) setup = driver;
    assert_int_equal(driver, setup); /* only the extra pages take time */
  }
}

/* Up to the driver's limit the processor polls the card's register until the transfer is done. With one more
 * word the card interrupts. */
TEST(short_transfers_are_polled_and_longer_ones_interrupt) {
  for (uint32_t read = 0; read < 2; read++)
    for (uint32_t more = 0; more <= 4; more += 4) {
      machine("gt-and-peer");
      PARAMS("driver", gt_driver)->poll_write = read ? 0 : 1024,
                       PARAMS("driver", gt_driver)->poll_read = read ? 1024 : 0;
      const uint64_t to[] = {ROW(DMA_WRITE, HOST, CARD_BASE, 1024 + more, 0, 0, 0), END_ROW},
                     from[] = {ROW(DMA_READ, CARD_BASE, HOST, 1024 + more, 0, 0, 0), END_ROW};
      gt_open(read ? from : to, sizeof to / 8);
      session_run();
      assert_int_equal(COUNTERS("gt", gt)->interrupts, more ? 1 : 0);
      assert_int_equal(COUNTERS("driver", gt_driver)->polls > 0, !more);
    }
}

/* Three threads want one engine. It is handed from each to the next: none waits forever, and none starts
 * without it. */
TEST(an_engine_is_handed_to_the_next_waiting_thread) {
  machine("gt-and-peer");
  static const uint64_t program[] = {ROW(DMA_WRITE, HOST, CARD_BASE, 1024, 0, 0, 0),
      ROW(DMA_WRITE, HOST, CARD_BASE, 1024, 0, 0, 0), END_ROW, ROW(THREAD, 0, 0, 0, 0, 0, 0),
      ROW(DMA_WRITE, HOST, CARD_BASE, 1024, 0, 0, 0), ROW(DMA_WRITE, HOST, CARD_BASE, 1024, 0, 0, 0), END_ROW,
      ROW(THREAD, 0, 0, 0, 0, 0, 0), ROW(DMA_WRITE, HOST, CARD_BASE, 1024, 0, 0, 0),
      ROW(DMA_WRITE, HOST, CARD_BASE, 1024, 0, 0, 0), END_ROW};
  RUN(program);
  EXPECT_VALUES({COUNTERS("gt", gt)->dma_writes, 6}, {COUNTERS("gt", gt)->dma_write_bytes, 6 * 1024},
      {COUNTERS("driver", gt_driver)->writes, 6});
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  uint32_t ended = 0, returned = 0, doorbells = 0, last = UINT32_MAX;
  assert_true(d->seq_lo < d->trace_capacity);
  for (uint32_t i = 0; i < d->seq_lo; i++) {
    if (ring[i].part == CPU && ring[i].kind == PROCESSOR_EV_ENDED) ended |= 1u << ring[i].b;
    doorbells += ring[i].part == DRIVER && ring[i].kind == GT_DRIVER_EV_DOORBELL;
    assert_true(doorbells <= returned + 1); /* the next transfer starts when the last call has returned */
    if (ring[i].part != DRIVER || ring[i].kind != GT_DRIVER_EV_RETURN) continue;
    assert_true(ring[i].b != last || returned >= 5); /* no thread gets it twice while others wait */
    last = ring[i].b;
    returned++;
  }
  assert_true(COUNTERS("driver", gt_driver)->queued >= 2);
  EXPECT_VALUES({returned, 6}, {ended, 7});
}

/* An engine that no thread waits for is released, and a later thread gets it at once. */
TEST(an_engine_is_free_when_its_transfer_is_over) {
  machine("gt-and-peer");
  static const uint64_t program[] = {ROW(DMA_WRITE, HOST, CARD_BASE, 1024, 0, 0, 0), END_ROW,
      ROW(THREAD, 0, 0, 0, 0, 0, 0), ROW(SPEND, 0, 0, 0, 1000000000, 0, 0),
      ROW(DMA_WRITE, HOST, CARD_BASE, 1024, 0, 0, 0), END_ROW};
  RUN(program);
  EXPECT_VALUES({COUNTERS("gt", gt)->dma_writes, 2}, {COUNTERS("driver", gt_driver)->queued, 0});
}

/* Reading the status clears it. An interrupt of one engine must not wake the thread that waits for the
 * other. */
TEST(an_interrupt_wakes_only_the_thread_of_its_engine) {
  tracked();
  static const uint64_t program[] = {ROW(THREAD, 0, 0, 0, 0, 1, 0),
      ROW(DMA_READ, CARD_BASE, HOST, 8192, 0, 0, 0), ROW(DMA_READ, CARD_BASE, HOST, 65532, 0, 0, 0),
      ROW(DMA_READ, CARD_BASE, HOST, 8192, 0, 0, 0), END_ROW, ROW(THREAD, 0, 0, 0, 0, 0, 0),
      ROW(REPEAT, 0, 0, 0, 0, 12, 0), ROW(DMA_WRITE, HOST, CARD_BASE, 512, 0, 0, 0),
      ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  PARAMS("driver", gt_driver)->poll_read = 0;
  RUN(program);
  EXPECT_VALUES({COUNTERS("gt", gt)->dma_reads, 3}, {COUNTERS("gt", gt)->dma_read_bytes, 8192 + 65532 + 8192},
      {COUNTERS("gt", gt)->dma_writes, 12});
}

/* The library's call uses DMA from its threshold up, for any address. The driver refuses what the card
 * cannot do, and the program continues. */
TEST(the_driver_refuses_partial_and_unaligned_words) {
  const struct {
    uint64_t from, to, bytes, refused;
  } calls[] = {
      {HOST, CARD_BASE, 2048, 0},
      {HOST + 2, CARD_BASE, 2048, 1},
      {HOST, CARD_BASE + 2, 2048, 1},
      {HOST, CARD_BASE, 2050, 1},
      {HOST + 2, CARD_BASE + 2, 512, 0}, /* programmed I/O */
  };
  for (uint32_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    machine("gt-and-peer");
    const uint64_t program[] = {PROCESSOR_OP_WRITE_DATA, calls[i].from, calls[i].to, calls[i].bytes, 2, 0, 0,
        0, ROW(DMA_WRITE, HOST, CARD_BASE, 64, 0, 0, 0), ROW(DMA_WRITE, HOST, CARD_BASE, 0, 0, 0, 0),
        END_ROW};
    RUN(program);
    assert_int_equal(
        COUNTERS("driver", gt_driver)->refused, calls[i].refused + 1); /* 0 bytes cannot be moved either */
    assert_int_equal(COUNTERS("cpu", processor)->refused, calls[i].refused + 1);
    assert_int_equal(COUNTERS("gt", gt)->dma_write_bytes,
        64 + (calls[i].refused || calls[i].bytes < 2048 ? 0 : calls[i].bytes));
  }
}

/* With a mapping service: physical addresses, a range of eight pages at a time. */
static void open_mapping(const uint64_t *program, uint32_t count) {
  struct io_services_params services = IO_SERVICES_DEFAULTS;
  services.mode = IO_SERVICES_MODE_NONE;
  machine("gt-and-peer");
  gt_open_mapping(program, count, SIM_TYPE_IO_SERVICES, &services, sizeof services, IO_SERVICES_PORT_CPU);
}

/* From the middle of a page, 30 KiB remain of eight pages. The rest of the 36 KiB is mapped when those have
 * been moved, and both mappings are removed. */
TEST(a_long_transfer_is_mapped_in_pieces) {
  for (uint32_t read = 0; read < 2; read++) {
    const uint64_t to[] = {ROW(DMA_WRITE, HOST + 0x800, CARD_BASE, 0x9000, 0, 0, 0),
        ROW(MAP, HOST, 0, 64, 0, 0, 3), END_ROW},
                   from[] = {ROW(DMA_READ, CARD_BASE, HOST + 0x800, 0x9000, 0, 0, 0),
                       ROW(MAP, HOST, 0, 64, 0, 0, 3), END_ROW};
    open_mapping(read ? from : to, sizeof to / 8);
    session_run();
#define DRIVER_EVENT(kind, a, b, c) {ANY_TIME, GT_DRIVER_EV_##kind, a, b, c, ANY_CAUSE}
    EXPECT_EVENTS(DRIVER, DRIVER_EVENT(CALL, 0x9000, 0, 0), DRIVER_EVENT(MAPPED, HOST + 0x800, 0x7800, 0),
        DRIVER_EVENT(DOORBELL, 0x7800, 0, 0), DRIVER_EVENT(MAPPED, HOST + 0x8000, 0x1800, 0),
        DRIVER_EVENT(DOORBELL, 0x1800, 0, 0), DRIVER_EVENT(RETURN, 0x9000, 0, 0));
    assert_int_equal(
        SIM_COUNTERS(test_engine(), MAPPING, io_services)->maps, 3); /* a program may also map by itself */
    EXPECT_VALUES({SIM_COUNTERS(test_engine(), MAPPING, io_services)->unmaps, 2},
        {read ? COUNTERS("gt", gt)->dma_read_bytes : COUNTERS("gt", gt)->dma_write_bytes, 0x9000},
        {COUNTERS("driver", gt_driver)->writes, !read}, {COUNTERS("driver", gt_driver)->reads, read});
  }
}

/* Buffers at any address: the service gets its upper half, too, when mapping and when unmapping. */
TEST(a_buffer_above_4_gib_is_mapped_at_its_address) {
  const uint64_t host = 0x700000000ull + HOST;
  const uint64_t program[] = {ROW(DMA_WRITE, host, CARD_BASE, 64, 0, 0, 0), END_ROW};
  open_mapping(ROWS(program));
  session_run();
  EXPECT_EVENTS(DRIVER, DRIVER_EVENT(CALL, 64, 0, 0), DRIVER_EVENT(MAPPED, host, 64, 0),
      DRIVER_EVENT(DOORBELL, 64, 0, 0), DRIVER_EVENT(RETURN, 64, 0, 0));
  assert_int_equal(SIM_COUNTERS(test_engine(), MAPPING, io_services)->unmaps, 1);
}

/* A service with no free range refuses the call. The driver releases its engine, and the program continues
 * with the next call. */
TEST(an_unmappable_transfer_is_refused_and_releases_its_engine) {
  const uint64_t program[] = {ROW(REPEAT, 0, 0, 0, 0, 512, 0), PROCESSOR_OP_MAP, HOST, 0, 64, 4, 0, 0,
      UINT32_MAX, ROW(AGAIN, 0, 0, 0, 0, 0, 0), ROW(DMA_WRITE, HOST, CARD_BASE, 64, 0, 0, 0),
      ROW(DMA_WRITE, HOST, CARD_BASE, 64, 0, 0, 0), PROCESSOR_OP_UNMAP, HOST, 0, 64, 4, 0, 0, UINT32_MAX,
      ROW(DMA_WRITE, HOST, CARD_BASE, 64, 0, 0, 0), END_ROW};
  open_mapping(ROWS(program));
  session_run();
  EXPECT_VALUES({COUNTERS("driver", gt_driver)->refused, 2}, {COUNTERS("cpu", processor)->refused, 2},
      {COUNTERS("gt", gt)->dma_writes, 1});
}

/* Programmed I/O by 1, 2 or 4 bytes, a whole number of times. Other rows are refused, and so is a row that
 * needs a service that is not there. */
TEST(programmed_io_moves_whole_units_of_its_width) {
  static const struct {
    uint64_t op, bytes, width;
    int fine;
  } rows[] = {{PROCESSOR_OP_WRITE_DATA, 3, 1, 1}, {PROCESSOR_OP_READ_DATA, 6, 2, 1},
      {PROCESSOR_OP_WRITE_DATA, 8, 4, 1}, {PROCESSOR_OP_READ_DATA, 8, 8, 0},
      {PROCESSOR_OP_WRITE_DATA, 9, 3, 0}, {PROCESSOR_OP_READ_DATA, 6, 4, 0},
      {PROCESSOR_OP_WRITE_DATA, 3, 2, 0}, {PROCESSOR_OP_WRITE_DATA, 5, 5, 0}, {PROCESSOR_OP_MAP, 64, 4, 0}};
  for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    machine("gt-and-peer");
    const uint64_t program[] = {rows[i].op, HOST, CARD_BASE, rows[i].bytes, rows[i].width, 0, 0, 0, END_ROW};
    struct session s = gt_session(ROWS(program));
    assert_int_equal(session_open(&s), rows[i].fine ? SIM_OK : SIM_BAD_ROW);
  }
}

TEST(dma_of_anything_but_whole_aligned_words_is_refused) {
  machine("gt-and-peer");
  const uint64_t bad[][3] = {{HOST, CARD_BASE, 5}, {HOST, CARD_BASE, 6}, {HOST, CARD_BASE, 7},
      {HOST + 1, CARD_BASE, 8}, {HOST + 2, CARD_BASE, 8}, {HOST, CARD_BASE + 1, 8}, {HOST, CARD_BASE + 2, 8}};
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const uint64_t writes[] = {
        ROW(SPEND, 0, 0, 0, 1, 0, 0), ROW(DMA_WRITE, bad[i][0], bad[i][1], bad[i][2], 0, 0, 0), END_ROW};
    const uint64_t reads[] = {
        ROW(SPEND, 0, 0, 0, 1, 0, 0), ROW(DMA_READ, bad[i][0], bad[i][1], bad[i][2], 0, 0, 0), END_ROW};
    for (uint32_t way = 0; way < 2; way++) {
      struct session s = gt_session(way ? reads : writes, sizeof writes / 8);
      assert_int_equal(session_open(&s), SIM_UNALIGNED_DMA);
      assert_int_equal(sim_refresh_header(test_engine())->error_detail, 1);
    }
  }
}

TEST(an_unclaimed_address_ends_in_a_master_abort) {
  machine("gt-and-peer");
  static const uint64_t program[] = {ROW(PIO_WRITE, HOST, 0xe0000000ull, 16, 0, 0, 0),
      ROW(PIO_READ, 0xe0000000ull, HOST, 16, 0, 0, 0), ROW(DMA_READ, CARD_BASE, 0xd0000000ull, 64, 0, 0, 0),
      END_ROW};
  RUN(program);
  assert_int_equal(COUNTERS("bus", pci)->no_target, 9);
  assert_int_equal(COUNTERS("cpu", processor)->loads, 4 + COUNTERS("driver", gt_driver)->polls);
}

TEST(another_master_writes_card_memory_without_the_host) {
  tracked();
  PARAMS("peer", peer)->blocks = 2;
  PARAMS("peer", peer)->bytes = 1024;
  PARAMS("peer", peer)->address = CARD_BASE;
  static const uint64_t program[] = {ROW(WAIT, 0, 0, 0, 0, 0, 1), ROW(WAIT, 0, 0, 0, 0, 0, 1), END_ROW};
  RUN(program);
  EXPECT_VALUES({COUNTERS("peer", peer)->blocks, 2}, {COUNTERS("memory", memory)->bytes_written, 0});
  assert_int_equal(card_word(0), 257);
  assert_int_equal(card_word(255), 512);
}
