/* The adapter and its devices: whose data comes for whom, and by hand how long it takes. 3 cycles of Runway are 1 of HSC. */
#include "host/hp_machine.h"

#define IO_PAGE(n) ((n) * PAGE)
#define READ(at, bytes) DEVICE_ROW(READ, at, bytes, 0, 1)
#define WRITE(at, bytes) DEVICE_ROW(WRITE, at, bytes, 0, 1)
#define PAUSE(time) DEVICE_ROW(PAUSE, 0, 4, time, 1)

/* Where each half line holds a write of its own, this is the one at an address. */
static uint32_t first_write(uint64_t addr) { return (uint32_t)((addr - BASE) / HALF_BYTES) + 1; }

static struct hp_machine with_devices(uint32_t devices) {
  struct hp_machine g = hp_machine_defaults(1, devices);
  g.memory.written = 1;
  return g;
}

static void run(void) { session_run(); }

/* The nth line that a device has read: when, and the write of its first half. */
static struct by_record line_read(const struct hp_machine *g, uint32_t nth) {
  const struct by_directory *d = by_look(test_engine());
  const struct by_record *ring = by_at(test_engine(), d->trace_at);
  assert_true(d->seq_lo < d->trace_capacity);
  for (uint32_t i = 0; i < d->seq_lo; i++)
    if (ring[i].part == DEVICE(g, 0) && ring[i].kind == DMA_DEVICE_EV_READ && nth-- == 0) return ring[i];
  fail_msg("the device has not read so much");
  return (struct by_record){0};
}

static uint32_t missed(const struct hp_machine *g) { return (uint32_t)HP_COUNTERS(ADAPTER(g), io_adapter)->misses; }

#define LOOKUPS 400u

/*
 * A row of the TLB answers for the page it holds and for no other, whichever bit of the page number they differ in.
 * Compared with rows that hold whole page numbers: as many misses, and each line is from the page it was mapped to.
 */
static void a_row_answers_for_no_other_page(void **state) {
  (void)state;
  static uint64_t work[5 * (LOOKUPS + 1)];
  static const struct {
    uint32_t rows, bits;
  } sizes[] = {{1, 14}, {16, 14}, {256, 14}, {256, 17}};
  uint64_t seed = 5;
  for (uint32_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
    struct hp_machine g = with_devices(1);
    uint32_t held[256], page[LOOKUPS], wanted = 0, rows = sizes[size].rows;
    g.adapter.page_bits = sizes[size].bits;
    g.memory.directory_bytes = 8ull << sizes[size].bits;
    for (uint32_t i = 0; i < 256; i++) held[i] = UINT32_MAX;
    for (uint32_t i = 0; i < LOOKUPS; i++) { /* often back to the last page but one, with one bit changed or none */
      page[i] = i < 2 ? i : page[i - 2] ^ (test_random(&seed) & 1) << test_random(&seed) % g.adapter.page_bits;
      const uint64_t row[5] = {READ(IO_PAGE(page[i]) + i % 128 * 32, 32)};
      memcpy(work + 5 * i, row, sizeof row);
      uint32_t chain = page[i] >> (g.adapter.chain_shift - 12) & (rows - 1);
      wanted += held[chain] != page[i];
      held[chain] = page[i];
    }
    const uint64_t end[5] = {DEVICE_ROW(END, 0, 4, 0, 1)};
    memcpy(work + 5 * LOOKUPS, end, sizeof end);
    g.adapter.rows = rows;
    g.work[0] = PROGRAM(work);
    hp_open(&g);
    for (uint32_t i = 0; i < LOOKUPS; i++) hp_map(&g, IO_PAGE(page[i]), BASE + page[i] * 7 % PAGES * PAGE, 0);
    run();
    assert_int_equal(missed(&g), wanted);
    for (uint32_t i = 0; i < LOOKUPS; i++) assert_int_equal(line_read(&g, i).b, first_write(BASE + page[i] * 7 % PAGES * PAGE + i % 128 * 32));
  }
}

/*
 * A line that a device reads, in cycles of Runway: request on HSC 3, crossing and look-up 5, arbitration 2, memory 33,
 * arbitration 2, data 4, crossing 4; that makes 53. The next edge of HSC is at 54, and the data takes it 8 of its own
 * cycles: 78. A miss first reads the entry. The line's own request then follows at once, without the 2 of arbitration,
 * so that it comes 33 + 2 + 4 later. 53 + 39 = 92, the edge after it 93, and at 117 the device has its line.
 */
static void a_miss_in_the_tlb_costs_one_more_read_of_memory(void **state) {
  (void)state;
  static const uint64_t work[] = {READ(0, 32), READ(32, 32), READ(PAGE, 32)};
  struct hp_machine g = with_devices(1);
  g.work[0] = PROGRAM(work);
  hp_open(&g);
  hp_map(&g, 0, BASE, 0);
  hp_map(&g, PAGE, BASE + 5 * PAGE, 0);
  run();
  assert_int_equal(IN_CYCLES(line_read(&g, 0).time), 117);
  assert_int_equal(IN_CYCLES(line_read(&g, 1).time), 117 + 78);
  assert_int_equal(IN_CYCLES(line_read(&g, 2).time), 117 + 78 + 117);
  assert_int_equal(missed(&g), 2);
}

/*
 * 64 bytes across the end of a page are a line of each, from two places in memory: 2 look-ups, 2 misses, 117 cycles
 * each. 40 bytes that begin 12 before the end are transactions of 4 and 8, and of 16, 8 and 4 behind it: 5 look-ups.
 */
static void a_transfer_across_pages_is_looked_up_in_each(void **state) {
  (void)state;
  static const uint64_t lines[] = {READ(PAGE - 32, 64)}, ragged[] = {READ(PAGE - 12, 40)};
  struct hp_machine g = with_devices(1);
  g.work[0] = PROGRAM(lines);
  hp_open(&g);
  hp_map(&g, 0, BASE + 9 * PAGE, 0);
  hp_map(&g, PAGE, BASE + 3 * PAGE, 0);
  run();
  assert_int_equal(line_read(&g, 0).b, first_write(BASE + 10 * PAGE - 32));
  assert_int_equal(line_read(&g, 1).b, first_write(BASE + 3 * PAGE));
  assert_int_equal(IN_CYCLES(line_read(&g, 1).time), 2 * 117);
  assert_int_equal(missed(&g), 2);
  g.work[0] = PROGRAM(ragged);
  hp_open(&g);
  hp_map(&g, 0, BASE + 9 * PAGE, 0);
  hp_map(&g, PAGE, BASE + 3 * PAGE, 0);
  run();
  assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->lookups, 5);
  assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->bytes_out, 40);
  assert_int_equal(missed(&g), 2);
}

/* Cycles of Runway that 48 transactions of each of n devices take, once they are in step: each reads or writes a page of its own, all in other chains. */
static uint64_t time_of(uint32_t devices, uint64_t op, uint64_t width, uint64_t attributes, uint64_t crossing) {
  static uint64_t work[HP_DEVICES][5];
  uint64_t end[2] = {0, 0};
  for (uint32_t twice = 0; twice < 2; twice++) {
    struct hp_machine g = with_devices(devices);
    g.memory.occupancy = 150000; /* 18 cycles */
    g.adapter.crossing = crossing;
    for (uint32_t i = 0; i < devices; i++) {
      const uint64_t row[5] = {op, IO_PAGE(64 * i), width * 48 * (1 + twice), 0, 1};
      memcpy(work[i], row, sizeof row);
      g.device[i].width = width;
      g.work[i] = PROGRAM(work[i]);
    }
    hp_open(&g);
    for (uint32_t i = 0; i < devices; i++) hp_map(&g, IO_PAGE(64 * i), BASE + i * PAGE, attributes);
    run();
    const struct by_record *idle = NULL;
    for (uint32_t seq = 0; (idle = hp_record(HSC(&g), HSC_EV_IDLE, seq)); seq++) end[twice] = by_max(end[twice], idle->time);
  }
  return IN_CYCLES(end[1] - end[0]);
}

/*
 * A write on HSC is its address and its data, 1 + 8 cycles of 25 ns for a line: 225 ns, 142.2 MB/s, for as many devices
 * as there are. The adapter needs 58 ns for each, so it never holds them up. Half lines are 1 + 4: 128 MB/s.
 */
static void writes_take_hsc_their_address_and_data_however_many_write(void **state) {
  (void)state;
  for (uint32_t devices = 1; devices <= HP_DEVICES; devices++) {
    assert_int_equal(time_of(devices, DMA_DEVICE_OP_WRITE, 32, 0, CYCLES(4)), devices * 48 * 3 * (1 + 8));
    assert_int_equal(time_of(devices, DMA_DEVICE_OP_WRITE, 16, 0, CYCLES(4)), devices * 48 * 3 * (1 + 4));
  }
}

/*
 * One device waits for its line before it asks for the next: 78 cycles (see above), 49 MB/s. With two and more the
 * adapter always has a request waiting. It serves one at a time: look-up 5, arbitration 2, memory 33, arbitration 2,
 * data 4. That is a line in 46 cycles, 83 MB/s, and a third or fourth device changes nothing.
 */
static void reads_of_several_devices_are_served_one_after_another(void **state) {
  (void)state;
  assert_int_equal(time_of(1, DMA_DEVICE_OP_READ, 32, 0, CYCLES(4)), 48 * 78);
  for (uint32_t devices = 2; devices <= HP_DEVICES; devices++) assert_int_equal(time_of(devices, DMA_DEVICE_OP_READ, 32, 0, CYCLES(4)), devices * 48 * (5 + 2 + 33 + 2 + 4));
}

/*
 * With prefetch the next line is asked for when a line comes, right behind it: memory 33, arbitration 2, data 4. The
 * device is back for it within 37 (crossing 4, edge of HSC 1, data 24, request 3, look-up 5), so a line comes every 39.
 */
static void prefetch_hides_all_but_memory(void **state) {
  (void)state;
  assert_int_equal(time_of(1, DMA_DEVICE_OP_READ, 32, IO_PAGE_PREFETCH, CYCLES(4)), 48 * (33 + 2 + 4));
}

/*
 * A word is merged: the line is read privately, written back at once (5 cycles), and the next request is looked up
 * meanwhile. With a crossing of 3 that takes 4, so the next read follows the write-back without arbitration: 5 + 33 +
 * 2 + 4, where it is of another line and another bank. In the same line the read finds the bank taken by the write-back,
 * 18 cycles from its beginning on: 18 + 33 + 2 + 4. Of eight words one is the first of a line.
 */
/* Whether a device gets old data is known of followed memory only: of what lies behind it nothing is said. */
static void of_memory_that_is_not_followed_nothing_is_said(void **state) {
  (void)state;
  static const uint64_t work[] = {READ(0, 64), DEVICE_ROW(END, 0, 4, 0, 1)};
  for (uint32_t mode = IO_ADAPTER_MODE_COHERENT; mode <= IO_ADAPTER_MODE_SNOOPED; mode++) {
    struct hp_machine g = with_devices(1);
    g.adapter.mode = mode;
    g.work[0] = PROGRAM(work);
    hp_open(&g);
    hp_map(&g, 0, BASE + PAGES * PAGE, 0);
    run();
    assert_int_equal(HP_COUNTERS(DEVICE(&g, 0), dma_device)->bytes_read, 64);
    assert_int_equal(HP_COUNTERS(DEVICE(&g, 0), dma_device)->errors, 0);
    assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->stale_reads, 0);
    assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->torn_reads, 0);
  }
}

static void a_merge_takes_a_read_of_the_line(void **state) {
  (void)state;
  assert_int_equal(time_of(1, DMA_DEVICE_OP_WRITE, 4, 0, CYCLES(3)), 6 * (5 + 33 + 2 + 4) + 42 * (18 + 33 + 2 + 4));
}

/* n lines to the end of a page: each but the first is prefetched, and behind the page nothing is. */
static void prefetch_ends_with_its_page(void **state) {
  (void)state;
  static const uint64_t to_the_end[] = {READ(PAGE - 8 * 32, 8 * 32)}, not_quite[] = {READ(PAGE - 8 * 32, 7 * 32)};
  struct hp_machine g = with_devices(1);
  for (uint32_t round = 0; round < 2; round++) {
    g.work[0] = round ? PROGRAM(not_quite) : PROGRAM(to_the_end);
    hp_open(&g);
    hp_map(&g, 0, BASE, IO_PAGE_PREFETCH);
    run();
    const struct io_adapter_counters *c = HP_COUNTERS(ADAPTER(&g), io_adapter);
    assert_int_equal(c->prefetches, 7);
    assert_int_equal(c->prefetch_hits, round ? 6 : 7); /* the eighth line is fetched in vain */
    assert_int_equal(HP_COUNTERS(BUS, runway)->read_shared, 1 + 8); /* an entry, and each line once */
  }
}

/*
 * Four banks that are taken for 3 us by an access. A processor has bank 1, so what is prefetched behind line 0 comes
 * late. Meanwhile the device reads line 2, behind which line 3 could be prefetched: but the buffer is promised. When
 * the late line comes it must not pass for line 3. Each line that is prefetched is used, wasted, or still there.
 */
static void a_prefetch_under_way_keeps_its_buffer(void **state) {
  (void)state;
  static const uint64_t processor[] = {LOAD(BASE + PAGE + 32), END};
  static const uint64_t work[] = {READ(IO_PAGE(12), 32), READ(IO_PAGE(12) + 64, 32), READ(IO_PAGE(12) + 96, 32), READ(IO_PAGE(12) + 32, 32)};
  struct hp_machine g = with_devices(1);
  g.memory.banks = 4;
  g.memory.occupancy = 3000000;
  g.program[0] = PROGRAM(processor);
  g.work[0] = PROGRAM(work);
  hp_open(&g);
  hp_map(&g, IO_PAGE(12), BASE, IO_PAGE_PREFETCH); /* its entry is in bank 3 */
  run();
  assert_int_equal(line_read(&g, 0).b, first_write(BASE));
  assert_int_equal(line_read(&g, 1).b, first_write(BASE + 64));
  assert_int_equal(line_read(&g, 2).b, first_write(BASE + 96));
  assert_int_equal(line_read(&g, 3).b, first_write(BASE + 32));
  assert_true(line_read(&g, 1).time < 3000000 && line_read(&g, 2).time > 3000000);
  const struct io_adapter_counters *c = HP_COUNTERS(ADAPTER(&g), io_adapter);
  uint32_t rows;
  const struct io_adapter_prefetch *buffer = checked_view(test_engine(), ADAPTER(&g), IO_ADAPTER_VIEW_PREFETCH, &rows);
  assert_int_equal(c->prefetches, c->prefetch_hits + c->prefetch_wasted + (buffer[0].state != 0));
}

/* A line that was prefetched waits for the device: each half comes with the write of its own. */
static void each_half_of_a_prefetched_line_is_its_own(void **state) {
  (void)state;
  static const uint64_t work[] = {READ(0, 32), PAUSE(5000000), READ(32, 32)};
  struct hp_machine g = with_devices(1);
  g.work[0] = PROGRAM(work);
  hp_open(&g);
  hp_map(&g, 0, BASE, IO_PAGE_PREFETCH);
  run();
  assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->prefetch_hits, 1);
  assert_int_equal(line_read(&g, 1).b, first_write(BASE + 32));
  assert_int_equal(line_read(&g, 1).c, first_write(BASE + 48));
}

/* Who holds the bus for a locked pair is the device that reads and writes, from the read to the end of the write. */
static void a_locked_pair_is_its_devices(void **state) {
  (void)state;
  static const uint64_t work[] = {DEVICE_ROW(LOCKED, 8, 4, 0, 1)};
  for (uint32_t device = 0; device < 3; device++) {
    struct hp_machine g = with_devices(3);
    g.work[device] = PROGRAM(work);
    hp_open(&g);
    hp_map(&g, 0, BASE, 0);
    run();
    const struct by_record *holds = hp_record(ADAPTER(&g), IO_ADAPTER_EV_HOLDS, 0), *releases = hp_record(ADAPTER(&g), IO_ADAPTER_EV_RELEASES, 0);
    assert_true(holds && releases);
    assert_int_equal(holds->b, device);
    assert_int_equal(releases->b, device);
    assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->held_time, releases->time - holds->time);
  }
}

/* Without coherence a device reads what memory holds. Of the half that a processor has changed it is told, of no other. */
static void the_half_that_is_stale_is_named(void **state) {
  (void)state;
  for (uint64_t half = 0; half < 2; half++) {
    const uint64_t processor[] = {STORE(BASE + 64 + half * 16), END};
    const uint64_t whole[] = {PAUSE(5000000), READ(BASE + 64, 32)}, other[] = {PAUSE(5000000), READ(BASE + 64 + (1 - half) * 16, 16)};
    struct hp_machine g = with_devices(1);
    g.adapter.mode = IO_ADAPTER_MODE_NONE;
    g.program[0] = PROGRAM(processor);
    g.work[0] = PROGRAM(whole);
    hp_run(&g);
    const struct by_record *stale = hp_record(ADAPTER(&g), IO_ADAPTER_EV_STALE, 0);
    assert_non_null(stale);
    assert_int_equal(stale->a, BASE + 64 + half * 16);
    assert_int_equal(stale->b, first_write(BASE + 64 + half * 16));
    assert_int_equal(stale->c, hp_cell(stale->a).newest);
    assert_int_equal(by_side(test_engine())->broken, BY_CURRENT_DEVICE);
    assert_int_equal(by_side(test_engine())->broken_at, BASE + 64 + half * 16);
    assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->stale_reads, 1);
    assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->torn_reads, 1); /* half of what it got is new */
    g.work[0] = PROGRAM(other);
    hp_run(&g);
    assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->stale_reads, 0);
  }
}

/* A half line written fast takes the rest of a dirty line with it. The half that is lost is named, and its write. What memory has as well is not lost. */
static void the_half_that_is_overwritten_is_named(void **state) {
  (void)state;
  for (uint64_t half = 0; half < 2; half++) {
    const uint64_t processor[] = {STORE(BASE + 64 + half * 16), END};
    const uint64_t other[] = {PAUSE(5000000), WRITE(64 + (1 - half) * 16, 16)}, same[] = {PAUSE(5000000), WRITE(64 + half * 16, 16)}, whole[] = {PAUSE(5000000), WRITE(64, 32)};
    const struct hp_program works[] = {PROGRAM(other), PROGRAM(same), PROGRAM(whole)};
    for (uint32_t i = 0; i < 3; i++) {
      struct hp_machine g = with_devices(1);
      g.program[0] = PROGRAM(processor);
      g.work[0] = works[i];
      hp_open(&g);
      hp_map(&g, 0, BASE, 0);
      run();
      const struct by_record *lost = hp_record(CACHE(0), SNOOP_CACHE_EV_NEIGHBOUR, 0);
      assert_int_equal(HP_COUNTERS(CACHE(0), snoop_cache)->neighbours, i == 0);
      assert_int_equal(lost != NULL, i == 0);
      if (!lost) continue;
      assert_int_equal(lost->a, BASE + 64 + half * 16);
      assert_int_equal(lost->b, hp_cell(lost->a).newest); /* nobody holds it any more */
      assert_int_not_equal(hp_cell(lost->a).write, lost->b);
      assert_int_equal(by_side(test_engine())->broken, BY_EXACT_DMA);
      assert_int_equal(by_side(test_engine())->broken_at, lost->a);
    }
  }
}

/*
 * Without coherence a line that was changed before a device wrote it goes home behind the device's data: both halves
 * of that are lost, and named. A line that goes home as the newest loses nothing.
 */
static void an_old_line_that_overwrites_a_device_is_a_lost_update(void **state) {
  (void)state;
  static const uint64_t processor[] = {STORE(BASE + 64), SPEND(10000000), FLUSH(BASE + 64), END};
  static const uint64_t before[] = {PAUSE(5000000), WRITE(BASE + 64, 32)}, part[] = {PAUSE(5000000), WRITE(BASE + 80, 16)}, elsewhere[] = {PAUSE(5000000), WRITE(BASE + 96, 32)};
  struct hp_machine g = with_devices(1);
  g.adapter.mode = IO_ADAPTER_MODE_NONE;
  g.program[0] = PROGRAM(processor);
  g.work[0] = PROGRAM(before);
  hp_run(&g);
  assert_int_equal(HP_COUNTERS(MEMORY, memory_controller)->lost_updates, 2);
  const struct by_record *lost = hp_record(MEMORY, MEMORY_CONTROLLER_EV_LOST, 0);
  assert_int_equal(lost[0].a, BASE + 64);
  assert_int_equal(lost[1].a, BASE + 80);
  for (uint32_t half = 0; half < 2; half++) {
    assert_int_equal(lost[half].c, hp_cell(lost[half].a).newest); /* what the device wrote */
    assert_int_equal(lost[half].b, hp_cell(lost[half].a).write);  /* what is there instead, older */
    assert_true(lost[half].b < lost[half].c);
  }
  assert_int_equal(by_side(test_engine())->broken, BY_NO_LOST_DATA);
  assert_int_equal(by_side(test_engine())->broken_at, BASE + 64);
  g.work[0] = PROGRAM(part);
  hp_run(&g);
  assert_int_equal(HP_COUNTERS(MEMORY, memory_controller)->lost_updates, 1);
  assert_int_equal(by_side(test_engine())->broken_at, BASE + 80);
  g.work[0] = PROGRAM(elsewhere);
  hp_run(&g);
  assert_int_equal(HP_COUNTERS(MEMORY, memory_controller)->lost_updates, 0);
  assert_int_equal(HP_COUNTERS(CACHE(0), snoop_cache)->flushed, 1);
  assert_int_equal(hp_cell(BASE + 64).write, hp_cell(BASE + 64).newest);
}

/*
 * A device reads page 0, software stores to registers of the adapter, and the device reads page 0 again: from where,
 * and after how many misses. Pages 0 and 1 share a row of the TLB. A purge empties the row if it holds that page; a
 * direct write takes what the entry registers say, whatever is there, and nothing while they hold zero; other commands
 * do nothing.
 */
static void a_command_changes_the_row_it_is_for(void **state) {
  (void)state;
  const uint64_t entry = (5ull + BASE / PAGE) << 12 | IO_PAGE_VALID;
  const struct {
    uint64_t entry, command;
    uint32_t misses, page;
  } cases[] = {
      {0, IO_ADAPTER_COMMAND_PURGE, 2, 0},     {0, IO_PAGE(1) | IO_ADAPTER_COMMAND_PURGE, 1, 0}, {0, IO_PAGE(64) | IO_ADAPTER_COMMAND_PURGE, 1, 0},
      {0, 0, 1, 0},                 {0, IO_ADAPTER_COMMAND_PURGE + 1, 1, 0},          {0, IO_ADAPTER_COMMAND_WRITE, 2, 0},
      {0, IO_PAGE(1) | IO_ADAPTER_COMMAND_WRITE, 2, 0}, {entry, IO_ADAPTER_COMMAND_WRITE, 1, 5}, {entry, IO_PAGE(1) | IO_ADAPTER_COMMAND_WRITE, 2, 0},
      {entry, IO_ADAPTER_COMMAND_PURGE, 2, 0}, {entry, 0, 1, 0},                      {entry & ~(uint64_t)IO_PAGE_VALID, IO_ADAPTER_COMMAND_WRITE, 2, 0},
  };
  static const uint64_t work[] = {READ(0, 32), PAUSE(10000000), READ(32, 32)};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hp_machine g = with_devices(1);
    const uint64_t base = g.adapter.registers;
    const uint64_t program[] = {
        SPEND(5000000), ROW(IO_STORE, 0, base + IO_ADAPTER_REG_ENTRY_HIGH, 4, 4, 0, cases[i].entry >> 32, 0),
        ROW(IO_STORE, 0, base + IO_ADAPTER_REG_ENTRY_LOW, 4, 4, 0, cases[i].entry & UINT32_MAX, 0), ROW(IO_STORE, 0, base + IO_ADAPTER_REG_COMMAND, 4, 4, 0, cases[i].command, 0), END};
    g.program[0] = PROGRAM(program);
    g.work[0] = PROGRAM(work);
    hp_open(&g);
    hp_map(&g, 0, BASE, 0);
    run();
    assert_int_equal(missed(&g), cases[i].misses);
    assert_int_equal(line_read(&g, 0).b, first_write(BASE));
    assert_int_equal(line_read(&g, 1).b, first_write(BASE + cases[i].page * PAGE + 32));
  }
}

/* An entry's halves are registers of their own, in whatever order they are stored: index 0x123, page 4 * 2^36 + 3 * 2^20 + 5. */
static void an_entry_is_put_together_of_two_registers(void **state) {
  (void)state;
  struct hp_machine g = with_devices(1);
  const uint64_t high = g.adapter.registers + IO_ADAPTER_REG_ENTRY_HIGH, low = g.adapter.registers + IO_ADAPTER_REG_ENTRY_LOW;
  const uint64_t program[] = {ROW(IO_STORE, 0, high, 4, 4, 0, UINT32_MAX, 0), ROW(IO_STORE, 0, low, 4, 4, 0, 5 << 12 | IO_PAGE_VALID, 0), ROW(IO_STORE, 0, high, 4, 4, 0, 0x41230003, 0),
                              ROW(IO_STORE, 0, g.adapter.registers + IO_ADAPTER_REG_COMMAND, 4, 4, 0, IO_ADAPTER_COMMAND_WRITE, 0), END};
  g.program[0] = PROGRAM(program);
  hp_run(&g);
  uint32_t rows;
  const struct io_adapter_tlb *tlb = checked_view(test_engine(), ADAPTER(&g), IO_ADAPTER_VIEW_TLB, &rows);
  assert_int_equal(tlb[0].valid, 1);
  assert_int_equal(tlb[0].index, 0x123);
  assert_int_equal(tlb[0].page, (4ull << 36) + (3 << 20) + 5);
  for (uint32_t i = 1; i < rows; i++) assert_int_equal(tlb[i].valid, 0);
}

/* While any order of events is followed the bus asks who holds a line: the adapter, from when it has told the bus which. */
static void the_adapter_holds_the_line_it_writes_to(void **state) {
  (void)state;
  struct hp_machine g = with_devices(1);
  hp_run(&g);
  uint32_t rows;
  struct io_adapter_line *line = checked_view(test_engine(), ADAPTER(&g), IO_ADAPTER_VIEW_LINE, &rows);
  for (uint32_t state_of = IO_ADAPTER_LINE_EMPTY; state_of <= IO_ADAPTER_LINE_HELD; state_of++)
    for (uint64_t at = BASE + 32; at < BASE + 128; at += 16) {
      line->state = state_of, line->addr = BASE + 64;
      assert_int_equal(ask_runway_holds(test_engine(), BUS, RUNWAY_PORT_AGENT + ADAPTER_AGENT, &(struct runway_holds){.address = at}), state_of >= IO_ADAPTER_LINE_ISSUED && at / 32 == (BASE + 64) / 32);
    }
}

/* It is in a hurry for the bus while the line it writes to is here, or a processor's read of a register has its answer. */
static void the_adapter_urges_with_a_line_or_an_answer(void **state) {
  (void)state;
  struct hp_machine g = with_devices(1);
  hp_run(&g);
  uint32_t rows;
  struct io_adapter_line *line = checked_view(test_engine(), ADAPTER(&g), IO_ADAPTER_VIEW_LINE, &rows);
  for (uint32_t answers = 0; answers < 2; answers++)
    for (uint32_t state_of = IO_ADAPTER_LINE_EMPTY; state_of <= IO_ADAPTER_LINE_HELD; state_of++) {
      line->state = state_of;
      BY_STATE(test_engine(), ADAPTER(&g), io_adapter)->answers = answers;
      assert_int_equal(ask_runway_urges(test_engine(), BUS, RUNWAY_PORT_AGENT + ADAPTER_AGENT), answers || state_of == IO_ADAPTER_LINE_HELD);
    }
}

/* What is held before a register's value comes, oldest first, and how many requests the value of slot 2 goes behind. */
static void a_value_waits_for_what_its_own_slot_has_written(void **state) {
  (void)state;
  static const struct {
    uint32_t held, behind;
    struct { uint32_t kind, slot; } request[3];
  } cases[] = {
      {0, 0, {{0}}},
      {1, 1, {{HSC_WRITE, 2}}},
      {1, 0, {{HSC_WRITE, 3}}},
      {1, 0, {{HSC_READ, 2}}},
      {1, 0, {{HSC_READ_LOCKED, 2}}},
      {1, 1, {{HSC_SEMAPHORE, 2}}},
      {3, 2, {{HSC_READ, 3}, {HSC_WRITE_UNLOCK, 2}, {HSC_WRITE, 3}}},
      {3, 3, {{HSC_WRITE, 2}, {HSC_READ, 2}, {HSC_INTERRUPT, 2}}},
      {3, 1, {{HSC_WRITE, 2}, {HSC_READ, 2}, {HSC_WRITE, 0}}},
  };
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t broken = 0; broken < 2; broken++) {
      struct hp_machine g = with_devices(1);
      g.adapter.fault = broken ? IO_ADAPTER_FAULT_VALUES_PASS : IO_ADAPTER_FAULT_NONE;
      hp_run(&g);
      struct io_adapter_state *s = BY_STATE(test_engine(), ADAPTER(&g), io_adapter);
      for (uint32_t n = 0; n < cases[i].held; n++) adapter_requests(test_engine(), s)[n] = (struct io_adapter_requests){.kind = cases[i].request[n].kind, .slot = cases[i].request[n].slot};
      adapter_now(test_engine(), s)->waiting = cases[i].held;
      s->reads = 1;
      s->read[0] = (struct adapter_register_read){.addr = g.adapter.window + 2 * g.adapter.slot_bytes + 8, .tid = 5};
      ask_hsc_adapter_data(test_engine(), HSC(&g), HSC_PORT_ADAPTER, &(struct hsc_adapter_data){.value = 7, .tag = 5});
      uint32_t behind = broken ? 0 : cases[i].behind;
      assert_int_equal(s->read[0].behind, behind);
      assert_int_equal(s->answers, behind == 0);
    }
}

/* With its defect a cache keeps the clean line that a device writes, and reads the old data; without it, or without a device's write, nothing is old. */
static void a_clean_line_that_survives_a_devices_write_is_read_stale(void **state) {
  (void)state;
  static const uint64_t processor[] = {LOAD(BASE + 64), SPEND(10000000), LOAD(BASE + 64), END};
  static const uint64_t same[] = {PAUSE(5000000), WRITE(64, 32)}, other[] = {PAUSE(5000000), WRITE(96, 32)};
  for (uint32_t i = 0; i < 4; i++) {
    struct hp_machine g = with_devices(1);
    g.cache.fault = i & 1 ? SNOOP_CACHE_FAULT_PURGE_LEAVES_COPY : SNOOP_CACHE_FAULT_NONE;
    g.program[0] = PROGRAM(processor);
    g.work[0] = i & 2 ? PROGRAM(other) : PROGRAM(same);
    hp_open(&g);
    hp_map(&g, 0, BASE, 0);
    run();
    assert_int_equal(HP_COUNTERS(CACHE(0), snoop_cache)->stale_reads, i == 1);
    assert_int_equal(HP_COUNTERS(CACHE(0), snoop_cache)->misses, i == 0 ? 2 : 1);
  }
}

/* A page's number without the bits that name its chain: 1011 01 10 of four chains from 16 KiB on is in chain 01, and told from others there by 1011 10. */
static void a_page_is_named_by_its_chain_and_the_rest(void **state) {
  (void)state;
  static const struct { uint64_t rows, shift; uint32_t page, chain, block; } cases[] = {{4, 14, 0xb6, 1, 0x2e}, {4, 12, 0xb6, 2, 0x2d}, {16, 16, 0xfff0f, 0, 0xffff}, {16, 16, 0x12345, 4, 0x1235}, {2, 20, 0x1ff, 1, 0xff}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hp_machine g = with_devices(1);
    g.adapter.rows = cases[i].rows, g.adapter.chain_shift = cases[i].shift;
    hp_open(&g);
    assert_int_equal(adapter_chain(test_engine(), ADAPTER(&g), cases[i].page * PAGE + 0xfff), cases[i].chain);
    assert_int_equal(adapter_block(test_engine(), ADAPTER(&g), cases[i].page * PAGE + 0xfff), cases[i].block);
  }
}

/* What comes over HSC waits in the order in which it came, with its slot, kind, address, bytes and halves, while the adapter is at another. */
static void what_comes_over_hsc_waits_as_it_came(void **state) {
  (void)state;
  static const struct { uint64_t address; uint32_t slot, kind, bytes, halves[2]; } cases[] = {{2 * PAGE + 32, 7, HSC_WRITE, 32, {5, 6}}, {PAGE, 0, HSC_READ, 16, {0, 0}}, {3 * PAGE + 4, 3, HSC_SEMAPHORE, 4, {8, 0}}};
  struct hp_machine g = with_devices(1);
  uint32_t rows;
  g.adapter.buffers = 3;
  hp_open(&g);
  by *m = test_engine();
  struct io_adapter_now *now = checked_view(m, ADAPTER(&g), IO_ADAPTER_VIEW_NOW, &rows);
  const struct io_adapter_requests *waits = checked_view(m, ADAPTER(&g), IO_ADAPTER_VIEW_REQUESTS, &rows);
  now->state = IO_ADAPTER_STATE_READ;
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t halves[2] = {cases[i].halves[0], cases[i].halves[1]};
    m->cause = 40 + i;
    assert_int_equal(io_adapter_hsc_room(m, ADAPTER(&g)), 1);
    io_adapter_hsc_put(m, ADAPTER(&g), &(struct hsc_adapter_put){.address = cases[i].address, .bytes = cases[i].bytes, .kind = cases[i].kind | cases[i].slot << 8, .halves = halves});
    assert_int_equal(now->waiting, i + 1);
  }
  assert_int_equal(io_adapter_hsc_room(m, ADAPTER(&g)), 0);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(waits[i].slot, cases[i].slot);
    assert_int_equal(waits[i].kind, cases[i].kind);
    assert_int_equal(waits[i].bytes, cases[i].bytes);
    assert_int_equal(waits[i].addr, cases[i].address);
    assert_int_equal(waits[i].half_0, cases[i].halves[0]);
    assert_int_equal(waits[i].half_1, cases[i].halves[1]);
    assert_int_equal(waits[i].cause, 40 + i);
  }
}

/* Returns with data and with a register's value, requests, the line that is held, a prefetched one, and what the adapter is at. */
static void all_that_the_adapter_has_is_kept(void **state) {
  (void)state;
  struct hp_machine g = with_devices(2);
  g.adapter.rows = 2;
  hp_open(&g);
  by *m = test_engine();
  const uint32_t self = ADAPTER(&g);
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  struct io_adapter_returns *returns = by_at(m, s->returns_at);
  struct io_adapter_requests *waits = adapter_requests(m, s);
  struct io_adapter_line *line = adapter_line(m, s);
  struct io_adapter_prefetch *ahead = adapter_prefetch(m, s, 1);
  now->returning = 1, s->arriving = 1;
  returns[0] = (struct io_adapter_returns){.slot = 1, .kind = 0, .bytes = 32, .addr = 0x40, .half_0 = OLD_WRITE, .half_1 = OLD_WRITE};
  returns[1] = (struct io_adapter_returns){.slot = 1, .kind = 2, .bytes = 4, .addr = 0x80, .half_0 = 0x12345678, .half_1 = 0x9abcdef0};
  for (uint32_t i = 0; i < 2; i++) KEEPS(self, &returns[i].slot, &returns[i].bytes, &returns[i].addr, &returns[i].half_0, &returns[i].half_1);
  KEEPS(self, &now->returning, &s->arriving, &s->want, &s->answers, &s->locked, &s->asked);
  now->waiting = 2, now->state = IO_ADAPTER_STATE_READ, now->chain = 1, now->physical = BASE, now->index = 0x100, now->attributes = 3, s->want = RUNWAY_WRITE32, s->want_half_0 = COMING_WRITE(0), s->want_half_1 = COMING_WRITE(1);
  for (uint32_t i = 0; i < 2; i++) waits[i] = (struct io_adapter_requests){.kind = 1 + i, .slot = 1, .bytes = 32, .addr = 0x40 + i, .half_0 = COMING_WRITE(2 + 2 * i), .half_1 = COMING_WRITE(3 + 2 * i)};
  for (uint32_t i = 0; i < 2; i++) KEEPS(self, &waits[i].kind, &waits[i].slot, &waits[i].bytes, &waits[i].addr, &waits[i].half_0, &waits[i].half_1);
  KEEPS(self, &now->state, &now->waiting, &now->chain, &now->physical, &now->index, &now->attributes, &s->want_half_0, &s->want_half_1);
  s->reads = 1, s->read[0].addr = 0x44, s->read[0].tid = 9, s->read[0].answered = 1, s->read[0].behind = 2, s->read[0].value = 0x01020304;
  KEEPS(self, &s->reads, &s->read[0].addr, &s->read[0].tid, &s->read[0].answered, &s->read[0].behind, &s->read[0].value);
  line->state = IO_ADAPTER_LINE_HELD, line->stalls = 1, line->addr = BASE, line->half_0 = line->half_1 = OLD_WRITE;
  KEEPS(self, &line->state, &line->stalls, &line->addr, &line->half_0, &line->half_1);
  ahead->state = 3, ahead->addr = 0x60, ahead->physical = BASE + 32, ahead->index = 0x101, ahead->half_0 = ahead->half_1 = OLD_WRITE;
  KEEPS(self, &ahead->state, &ahead->addr, &ahead->physical, &ahead->index, &ahead->half_0, &ahead->half_1);
  struct io_adapter_tlb *row = adapter_tlb(m, s, 1);
  row->valid = 1, row->block = 300, row->attributes = 5, row->index = 0x102, row->page = 0x777;
  KEEPS(self, &row->valid, &row->block, &row->attributes, &row->index, &row->page);
}

/*
 * It is, if the request that the adapter is at is a read of that line by the same device, which has nothing else under way for it; else it
 * stays for later. One that was dropped while it was under way is read again instead, and its place is free.
 */
static void a_line_that_was_fetched_ahead_is_given_to_who_waits_for_it(void **state) {
  (void)state;
  static const struct { uint32_t state, slot, kind, want, asked, waits; uint64_t addr; } cases[] = {
      {IO_ADAPTER_STATE_READ, 1, HSC_READ, 0, 0, 1, 0x40},  {IO_ADAPTER_STATE_HOLD, 1, HSC_READ, 0, 0, 1, 0x40},   {IO_ADAPTER_STATE_READ, 1, HSC_READ, 0, 0, 1, 0x50},
      {IO_ADAPTER_STATE_WRITE, 1, HSC_READ, 0, 0, 0, 0x40}, {IO_ADAPTER_STATE_LOOKUP, 1, HSC_READ, 0, 0, 0, 0x40}, {IO_ADAPTER_STATE_READ, 0, HSC_READ, 0, 0, 0, 0x40},
      {IO_ADAPTER_STATE_READ, 1, HSC_WRITE, 0, 0, 0, 0x40}, {IO_ADAPTER_STATE_READ, 1, HSC_READ, RUNWAY_READ_SHARED, 0, 0, 0x40}, {IO_ADAPTER_STATE_READ, 1, HSC_READ, 0, 1, 0, 0x40}, {IO_ADAPTER_STATE_READ, 1, HSC_READ, 0, 0, 0, 0x60}};
  static const uint32_t halves[2] = {5, 6};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t dropped = 0; dropped < 2; dropped++) {
      struct hp_machine g = with_devices(2);
      hp_open(&g);
      by *m = test_engine();
      const uint32_t self = ADAPTER(&g);
      struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
      struct io_adapter_now *now = adapter_now(m, s);
      struct io_adapter_prefetch *ahead = adapter_prefetch(m, s, 1);
      now->state = cases[i].state, now->waiting = 1, s->want = cases[i].want, s->asked = cases[i].asked;
      adapter_requests(m, s)[0] = (struct io_adapter_requests){.kind = cases[i].kind, .slot = cases[i].slot, .bytes = 16, .addr = cases[i].addr};
      ahead->state = dropped ? 4 : 2, ahead->addr = 0x40, ahead->physical = BASE;
      adapter_prefetched(m, self, 1, halves);
      const uint32_t given = cases[i].waits && !dropped;
      assert_int_equal(HP_COUNTERS(self, io_adapter)->prefetch_hits, given);
      assert_int_equal(s->arriving, given);
      assert_int_equal(s->want, cases[i].waits && dropped ? RUNWAY_READ_SHARED : given ? 0 : cases[i].want);
      assert_int_equal(ahead->state, given || dropped ? 0 : 3);
      if (!given && !dropped) assert_int_equal(ahead->half_1, 6);
    }
}

/* From the moment when it wanted the line that is being merged until that line goes home; if nobody wanted it, nobody waited. */
static void a_processor_is_kept_waiting_as_long_as_the_line_was_held(void **state) {
  (void)state;
  for (uint32_t stalls = 0; stalls < 2; stalls++) {
    struct hp_machine g = with_devices(1);
    uint32_t words[2] = {0, 0};
    hp_open(&g);
    by *m = test_engine();
    struct io_adapter_state *s = BY_STATE(m, ADAPTER(&g), io_adapter);
    adapter_now(m, s)->state = IO_ADAPTER_STATE_MERGE, adapter_now(m, s)->waiting = 1;
    *adapter_line(m, s) = (struct io_adapter_line){.state = IO_ADAPTER_LINE_HELD, .stalls = stalls, .addr = BASE + 64, .half_0 = 5, .half_1 = 6};
    s->stalled_since = 700, m->time = 1000;
    struct runway_grant said = {.halves = words};
    assert_int_equal(adapter_grant_line(m, ADAPTER(&g), &said), 1);
    assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->stall_time, stalls ? 300 : 0);
    assert_int_equal(said.type, RUNWAY_WRITE_BACK);
    assert_int_equal(said.address, BASE + 64);
    assert_int_equal(words[0], 5);
    assert_int_equal(words[1], 6);
    assert_int_equal(adapter_line(m, s)->state, IO_ADAPTER_LINE_EMPTY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_page_is_named_by_its_chain_and_the_rest),
      cmocka_unit_test(a_row_answers_for_no_other_page),
      cmocka_unit_test(a_miss_in_the_tlb_costs_one_more_read_of_memory),
      cmocka_unit_test(a_transfer_across_pages_is_looked_up_in_each),
      cmocka_unit_test(writes_take_hsc_their_address_and_data_however_many_write),
      cmocka_unit_test(reads_of_several_devices_are_served_one_after_another),
      cmocka_unit_test(prefetch_hides_all_but_memory),
      cmocka_unit_test(of_memory_that_is_not_followed_nothing_is_said),
      cmocka_unit_test(a_merge_takes_a_read_of_the_line),
      cmocka_unit_test(prefetch_ends_with_its_page),
      cmocka_unit_test(a_prefetch_under_way_keeps_its_buffer),
      cmocka_unit_test(each_half_of_a_prefetched_line_is_its_own),
      cmocka_unit_test(a_locked_pair_is_its_devices),
      cmocka_unit_test(the_half_that_is_stale_is_named),
      cmocka_unit_test(the_half_that_is_overwritten_is_named),
      cmocka_unit_test(an_old_line_that_overwrites_a_device_is_a_lost_update),
      cmocka_unit_test(a_command_changes_the_row_it_is_for),
      cmocka_unit_test(an_entry_is_put_together_of_two_registers),
      cmocka_unit_test(the_adapter_holds_the_line_it_writes_to),
      cmocka_unit_test(the_adapter_urges_with_a_line_or_an_answer),
      cmocka_unit_test(a_value_waits_for_what_its_own_slot_has_written),
      cmocka_unit_test(a_clean_line_that_survives_a_devices_write_is_read_stale),
      cmocka_unit_test(what_comes_over_hsc_waits_as_it_came),
      cmocka_unit_test(all_that_the_adapter_has_is_kept),
      cmocka_unit_test(a_line_that_was_fetched_ahead_is_given_to_who_waits_for_it),
      cmocka_unit_test(a_processor_is_kept_waiting_as_long_as_the_line_was_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
