/* PCI with a host bridge, memory and cards; times computed by hand. The bus runs at 50 MHz, so that a clock
 * takes exactly 20 ns. */
#include "test/gt.h"

#define HOST 0x100000ull
#define LAP ROW(LAP, 0, 0, 0, 0, 0, 0)
#define LAP_END ROW(LAP_END, 0, 0, 0, 0, 0, 0)
#define CLOCKS(n) ((uint64_t)(n) * 20000)

/* Memory takes 100 ns and the bridge adds 120: 11 clocks from the address to the first data. */
static void slow_bus(void) {
  machine("gt-and-peer");
  PARAMS("bus", pci)->clock = 50000000;
  PARAMS("memory", memory)->latency = 100000;
  PARAMS("bridge", bridge)->read_ahead = 120000;
  PARAMS("gt", gt)->read_line = 32;
  PARAMS("ring", ring)->rate = 100000000000ull; /* never the bottleneck */
  PARAMS("ring", ring)->node_latency = 0;
}

static const uint64_t nothing[] = {END_ROW};

/* Runs another card that moves one block to or from memory, and whose buffer has filled before; returns the
 * time from its request to its end on the bus. Its other side, at 10 GB/s, is faster than the bus: what it
 * still takes afterwards is the last of the bus's blocks of 256 B. */
static uint64_t block_of(uint64_t direction, uint64_t bytes) {
  PARAMS("peer", peer)->blocks = 1;
  PARAMS("peer", peer)->bytes = bytes;
  PARAMS("peer", peer)->address = HOST;
  PARAMS("peer", peer)->direction = direction;
  PARAMS("peer", peer)->delay = 1000000;
  RUN(nothing);
  PARAMS("peer", peer)->blocks = 0;
  EXPECT_VALUES({COUNTERS("bus", pci)->bytes, bytes}, {COUNTERS("bus", pci)->transactions, 1});
  const uint64_t after = direction == PEER_DIRECTION_READ ? (bytes < 256 ? bytes : 256) * 100 : 0;
  return COUNTERS("peer", peer)->block_time - after;
}

/* One address clock, the decode clocks (fast 0, medium 1, slow 2) and one data phase per 8 or 4 bytes. */
TEST(a_burst_of_writes_takes_address_decode_and_data) {
  slow_bus();
  for (PARAMS("bus", pci)->decode = 0; PARAMS("bus", pci)->decode <= 2; PARAMS("bus", pci)->decode++)
    for (PARAMS("bus", pci)->width = 4; PARAMS("bus", pci)->width <= 8; PARAMS("bus", pci)->width += 4) {
      assert_int_equal(block_of(PEER_DIRECTION_WRITE, 32),
          CLOCKS(1 + PARAMS("bus", pci)->decode + 32 / PARAMS("bus", pci)->width));
      assert_int_equal(block_of(PEER_DIRECTION_WRITE, 4096),
          CLOCKS(1 + PARAMS("bus", pci)->decode + 4096 / PARAMS("bus", pci)->width));
      assert_int_equal(COUNTERS("bus", pci)->data, CLOCKS(4096 / PARAMS("bus", pci)->width));
    }
  slow_bus();
  assert_int_equal(
      block_of(PEER_DIRECTION_WRITE, 36), CLOCKS(1 + 1 + 5)); /* the last data phase is half empty */
  static const uint64_t byte[] = {ROW(REPEAT, 0, 0, 0, 0, 5, 0), PROCESSOR_OP_PIO_WRITE, HOST, CARD_BASE, 1,
      1, 0, 0, 0, ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  RUN(byte); /* a single byte takes a whole data phase */
  EXPECT_VALUES({COUNTERS("bus", pci)->transactions, 5}, {COUNTERS("bus", pci)->data, CLOCKS(5)});
}

/*
 * A read needs a turnaround clock before its data, which decode hides. The first data of memory arrives at
 * the end of clock 11, though, so 10 clocks precede it anyway. If memory and bridge take no longer than 3
 * clocks, address and the longer of decode and turnaround decide. Data that arrives within a clock waits for
 * its end.
 */
TEST(a_burst_of_reads_waits_for_memory_or_the_turnaround) {
  slow_bus();
  assert_int_equal(block_of(PEER_DIRECTION_READ, 32), CLOCKS(10 + 4));
  assert_int_equal(block_of(PEER_DIRECTION_READ, 4096), CLOCKS(10 + 512));
  PARAMS("memory", memory)->latency = 20000;
  PARAMS("bridge", bridge)->read_ahead = 40000;
  for (PARAMS("bus", pci)->decode = 0; PARAMS("bus", pci)->decode <= 2; PARAMS("bus", pci)->decode++)
    assert_int_equal(
        block_of(PEER_DIRECTION_READ, 32), CLOCKS(1 + sim_max(PARAMS("bus", pci)->decode, 1) + 4));
  PARAMS("bus", pci)->decode = 1;
  for (uint64_t late = 1000; late <= 20000; late += 19000) { /* the first data arrives during clock 4 */
    PARAMS("bridge", bridge)->read_ahead = 40000 + late;
    assert_int_equal(block_of(PEER_DIRECTION_READ, 32), CLOCKS(3 + 4));
  }
}

/* The card reads memory line by line: 10 + 4 clocks each, with an idle clock between two. A start inside a
 * line shortens the first. */
TEST(dma_to_the_card_is_a_burst_for_each_line) {
  static const uint64_t aligned[] = {ROW(DMA_WRITE, HOST, CARD_BASE, 256, 0, 0, 0), END_ROW},
                        ragged[] = {ROW(DMA_WRITE, HOST + 24, CARD_BASE, 256, 0, 0, 0), END_ROW};
  slow_bus();
  PARAMS("driver", gt_driver)->poll_write =
      0; /* the driver sleeps until the interrupt and does not use the bus */
  RUN(aligned);
  assert_int_equal(COUNTERS("gt", gt)->write_busy, PARAMS("gt", gt)->start + CLOCKS(8 * (10 + 4) + 7));
  RUN(ragged);
  /* 8 bytes to the end of the line, seven lines, and 24 bytes. */
  assert_int_equal(COUNTERS("gt", gt)->write_busy,
      PARAMS("gt", gt)->start + CLOCKS((10 + 1) + 7 * (10 + 4) + (10 + 3) + 8));
  assert_int_equal(COUNTERS("gt", gt)->dma_write_bytes, 256);
}

/* DMA from the card to memory is one burst: memory accepts data without wait states. */
TEST(dma_from_the_card_is_one_burst) {
  static const uint64_t program[] = {ROW(DMA_READ, CARD_BASE, HOST, 4096, 0, 0, 0), END_ROW};
  slow_bus();
  PARAMS("driver", gt_driver)->poll_read = 0;
  RUN(program);
  assert_int_equal(COUNTERS("gt", gt)->read_busy, PARAMS("gt", gt)->start + CLOCKS(1 + 1 + 4096 / 8));
}

/*
 * When the timer has expired, MW ends at the next block, but MWI continues to the end of a line. With blocks
 * of 8 B two cards alternate: MW moves 16 B per turn, as a timer of 4 clocks covers 2 for address and decode;
 * MWI moves a line per turn.
 */
TEST(a_write_and_invalidate_ends_with_a_line) {
  for (uint64_t line = 16; line <= 128; line *= 2)
    for (uint64_t invalidates = 0; invalidates < 2; invalidates++) {
      slow_bus();
      static const uint64_t program[] = {ROW(DMA_READ, CARD_BASE, HOST + 0x10000, 32768, 0, 0, 0), END_ROW};
      PARAMS("bus", pci)->latency_timer = 4, PARAMS("bus", pci)->block = 8;
      PARAMS("driver", gt_driver)->poll_read = 0;
      PARAMS("peer", peer)->blocks = 1, PARAMS("peer", peer)->bytes = 4096,
                     PARAMS("peer", peer)->address = HOST, PARAMS("peer", peer)->delay = 20000000,
                     PARAMS("peer", peer)->line = line, PARAMS("peer", peer)->invalidates = invalidates;
      RUN(program);
      const struct sim_directory *d = sim_refresh_header(test_engine());
      const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
      uint64_t cut = 0;
      for (uint32_t k = 0; k < d->seq_lo; k++) {
        if (ring[k].part != BUS || ring[k].kind != PCI_EV_PREEMPTED || ring[k].a >= HOST + 4096) continue;
        assert_int_equal(ring[k].b, invalidates ? sim_max(line, 16) : 16);
        cut++;
      }
      assert_int_equal(cut, 4096 / (invalidates ? line : 16) - 1);
    }
}

/*
 * Two cards alternate. Each has the bus for as many clocks as the latency timer says, whatever the block: 2
 * for address and decode, the others with data. One idle clock follows. A timer that expires before the first
 * data phase allows one.
 */
TEST(the_latency_timer_ends_a_burst_for_another_request) {
  static const uint64_t timers[] = {0, 8, 32, 34, 35, 100}, blocks[] = {8, 256, 4096};
  for (uint32_t i = 0; i < 6 * 3; i++) {
    const uint64_t turn = sim_max(timers[i % 6], 3), bytes = 8 * (turn - 2);
    slow_bus();
    PARAMS("bus", pci)->latency_timer = timers[i % 6], PARAMS("bus", pci)->block = blocks[i / 6];
    PARAMS("peer", peer)->blocks = 1;
    PARAMS("peer", peer)->bytes = 4096;
    PARAMS("peer", peer)->address = HOST;
    static const uint64_t program[] = {ROW(DMA_READ, CARD_BASE, HOST + 0x10000, 32768, 0, 0, 0), END_ROW};
    PARAMS("driver", gt_driver)->poll_read = 0;
    PARAMS("peer", peer)->delay = 20000000; /* during the burst of the card */
    RUN(program);
    const struct sim_directory *d = sim_refresh_header(test_engine());
    const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
    uint64_t last = 0, turns = 0;
    for (uint32_t k = 0; k < d->seq_lo; k++) {
      if (ring[k].part != BUS || (ring[k].kind != PCI_EV_END && ring[k].kind != PCI_EV_PREEMPTED)
          || ring[k].time < 20000000 || COUNTERS("peer", peer)->last_end <= ring[k].time)
        continue;
      if (turns > 1) assert_int_equal(ring[k].time - last, CLOCKS(1 + turn));
      if (turns++ > 0) assert_int_equal(ring[k].b, bytes);
      last = ring[k].time;
    }
    assert_true(turns >= 2 * (4096 / bytes - 1));
  }
}

/*
 * Each posted store is a transaction of 3 clocks, address, decode and data, and an idle clock. One store
 * every 20 ns fills the eight entries of the buffer; then the processor continues whenever an entry is freed.
 * The first store leaves 3 clocks after it was posted, and the others every 4 clocks. For the 20th store and
 * the one after it, 13 must have left.
 */
TEST(posted_stores_run_at_bus_speed_once_the_buffer_is_full) {
  static const uint64_t few[] = {LAP, ROW(PIO_WRITE, HOST, CARD_BASE, 16, 0, 0, 0), LAP_END, END_ROW},
                        many[] = {LAP, ROW(PIO_WRITE, HOST, CARD_BASE, 80, 0, 0, 0), LAP_END, END_ROW};
  slow_bus();
  PARAMS("cpu", processor)->pio_write_call = 200000;
  PARAMS("cpu", processor)->store_time = 20000;
  PARAMS("gt", gt)->accept = 20000; /* the card accepts one store per clock */
  PARAMS("cpu", processor)->line = 128;
  PARAMS("memory", memory)->latency =
      1000; /* the one line of the source arrives in a nanosecond, before the first store */
  RUN(few);
  assert_int_equal(COUNTERS("cpu", processor)->lap_time, 200000 + 1000 + 4 * 20000);
  RUN(many);
  assert_int_equal(COUNTERS("cpu", processor)->lap_time, 200000 + 1000 + CLOCKS(3 + 12 * 4));
  assert_int_equal(COUNTERS("bridge", bridge)->fullest, 8);
}

/* A read stays behind earlier posted stores, 4 clocks each. It then takes the card's 120 ns from the address,
 * which hide decode and turnaround. */
TEST(a_read_waits_for_the_posted_stores) {
  static const uint64_t program[] = {ROW(PIO_WRITE, HOST, CARD_BASE, 16, 0, 0, 0), LAP,
      ROW(PIO_READ, CARD_BASE, HOST, 4, 0, 0, 0), LAP_END, END_ROW};
  slow_bus();
  PARAMS("cpu", processor)->store_time = 1000;
  PARAMS("cpu", processor)->pio_read_call = 0;
  PARAMS("cpu", processor)->load_time = 20000;
  PARAMS("bridge", bridge)->crossing = 20000;
  PARAMS("gt", gt)->accept = 1000;
  PARAMS("gt", gt)->read_latency = 120000;
  RUN(program);
  /* The first store leaves when it is posted, 4 ns before the lap begins. It ends three clocks later; the
   * fourth ends after 15, and the idle clock follows. */
  uint64_t stores_gone = CLOCKS(4 * 4) - 4 * 1000;
  assert_int_equal(COUNTERS("cpu", processor)->lap_time, stores_gone + 120000 + 20000);
  PARAMS("gt", gt)->read_latency = 121000; /* wait states are whole clocks of 20 ns */
  RUN(program);
  assert_int_equal(COUNTERS("cpu", processor)->lap_time, stores_gone + 140000 + 20000);
}

#define VICTIMS 32u

/*
 * A direct-mapped cache of 1 KiB. Copying fills it with modified lines, so that every fetch evicts one.
 * Writing the 32 bytes of the victim takes memory 16 ns at 2 GB/s before it reads the line, so each fetch
 * takes 116 ns instead of 100.
 */
TEST(a_modified_victim_is_written_before_the_next_line_is_read) {
  static const uint64_t changed[] = {ROW(COPY_WRITE, HOST, HOST, VICTIMS * 32, 0, 0, 0), LAP,
      ROW(PROCESS, HOST + 0x10000, 0, VICTIMS * 32, 0, 0, 0), LAP_END, END_ROW};
  static const uint64_t only_read[] = {ROW(PROCESS, HOST, 0, VICTIMS * 32, 0, 0, 0), LAP,
      ROW(PROCESS, HOST + 0x10000, 0, VICTIMS * 32, 0, 0, 0), LAP_END, END_ROW};
  slow_bus();
  PARAMS("cache", cache)->size = VICTIMS * 32;
  PARAMS("cache", cache)->ways = 1;
  RUN(only_read);
  assert_int_equal(COUNTERS("cpu", processor)->lap_time, VICTIMS * 100000);
  assert_int_equal(COUNTERS("memory", memory)->writes, 0);
  RUN(changed);
  assert_int_equal(COUNTERS("cpu", processor)->lap_time, VICTIMS * (16000 + 100000));
  assert_int_equal(COUNTERS("memory", memory)->writes, VICTIMS);
  assert_int_equal(COUNTERS("memory", memory)->bytes_written, VICTIMS * 32);
  assert_int_equal(COUNTERS("cache", cache)->write_backs, VICTIMS);
}

/* The state codec covers requests, the last owner and the transaction under way. */
TEST(bus_state_is_serialized) {
  machine("gt-and-peer");
  OPEN(nothing);
  struct pci_state *bus = STATE_OF("bus", pci);
  struct pci_now *now = pci_view(test_engine(), CONTEXT_OF("bus", pci));
  assert_int_equal((now->last + 1) % PCI_SLOTS, 0); /* round-robin begins with the first slot */
  now->requests = 5, now->last = 2, bus->starting = 1;
  KEEPS(BUS, &now->requests, &now->last, &bus->starting);
  KEEPS_NOT(BUS, &now->master, &now->target, &now->command, &now->bytes, &now->moved, &now->addr,
      &bus->accepted); /* left over from the last transaction */
  now->state = PCI_STATE_IDLE + 1, now->master = 1, now->target = SIM_NONE, now->command = 3, now->bytes = 64,
  now->moved = 32, now->addr = HOST, bus->accepted = 16;
  KEEPS(BUS, &now->state, &now->requests, &now->last, &bus->starting, &now->master, &now->target,
      &now->command, &now->bytes, &now->moved, &now->addr, &bus->accepted);
}

/* Of 257 bytes a block of 256 has moved when the latency timer has expired and the other card requests the
 * bus. The burst is preempted, not disconnected by its target, and the last byte takes a second burst. */
TEST(a_burst_is_preempted_before_its_last_byte) {
  for (uint64_t others = 0; others < 2; others++) {
    slow_bus();
    PARAMS("bus", pci)->latency_timer = 32;
    PARAMS("peer", peer)->blocks = others * 200, PARAMS("peer", peer)->bytes = 4,
                   PARAMS("peer", peer)->address = HOST,
                   PARAMS("peer", peer)->every = 100000; /* so that it requests the bus during any block */
    OPEN(nothing);
    const uint64_t registers[] = {HOST + 0x10000, CARD_BASE, 257};
    for (uint32_t i = 0; i < 3; i++)
      gt_register(test_engine(), SIM_CONTEXT(test_engine(), CARD, gt),
          GT_ENGINE_READ * GT_ENGINE_BYTES + 8 * i, registers[i]);
    session_run();
    EXPECT_VALUES({COUNTERS("gt", gt)->dma_read_bytes, 257}, {COUNTERS("bus", pci)->preempted, others},
        {COUNTERS("bus", pci)->disconnects, 0},
        {COUNTERS("bus", pci)->bytes - COUNTERS("peer", peer)->bytes, 257});
  }
}
