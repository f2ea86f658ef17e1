/* The host bridge asked as processors, the bus and devices ask it: what is posted and in which order it leaves, who is told of room, and where devices' bursts go. */
#include "host/testing.h"

#define ENGINE test_engine()
#define NS 1000ull
#define AT 0x1000ull
#define PAGE 4096ull
#define LINE 32ull

/* Two processors, at ports 0 and 2. */
enum { MEMORY_PART, BRIDGE_PART, BUS_PART, FIRST_CPU, FIRST_CACHE, SECOND_CPU, SECOND_CACHE, UNIT_PART, MAP_PART, ALL_PARTS };

#define NOW ((struct bridge_now *)by_at(ENGINE, BY_STATE(ENGINE, BRIDGE_PART, bridge)->now_at))
#define COUNT(name) (BY_COUNTERS(ENGINE, BRIDGE_PART, bridge)->name)
#define MEMORY_COUNTS BY_COUNTERS(ENGINE, MEMORY_PART, memory)
#define BUILD(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

/* Memory answers after 100 ns and moves 1 B/ns; the bridge has three places, and a crossing of 40 ns. With a unit that translates an entry is read in 300. */
static const struct session *bridge_session(uint32_t translates) { /* 2: by a table in memory */
  static struct session s;
  static const uint64_t nothing[] = {PROCESSOR_OP_END, 0, 0, 0, 0, 0, 0, 0};
  struct processor_params cpu = PROCESSOR_DEFAULTS;
  struct cache_params cache = CACHE_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  struct bridge_params bridge = BRIDGE_DEFAULTS;
  struct pci_params bus = PCI_DEFAULTS;
  struct iommu_params unit = IOMMU_DEFAULTS;
  struct iommu_map_params map = IOMMU_MAP_DEFAULTS;
  cpu.line = cache.line = LINE;
  memory.tracked_from = AT, memory.tracked = 0x110000 - AT, memory.latency = 100 * NS, memory.bandwidth = 1000000000;
  bridge.posts = 3, bridge.crossing = 40 * NS, bridge.read_ahead = 20 * NS;
  unit.walk_time = 300 * NS, unit.checks = 1;
  map.entries = 4096, map.page = PAGE, map.spread = 0, map.base = 0x100000;
  s = session_new(translates ? ALL_PARTS : UNIT_PART, translates ? 9 + translates : 6, 10);
  BUILD(&s, BY_TYPE_MEMORY, memory);
  BUILD(&s, BY_TYPE_BRIDGE, bridge);
  BUILD(&s, BY_TYPE_PCI, bus);
  for (uint32_t i = 0; i < 2; i++) {
    BUILD(&s, BY_TYPE_PROCESSOR, cpu);
    session_table(&s, nothing, 1, 8);
    BUILD(&s, BY_TYPE_CACHE, cache);
  }
  if (translates) BUILD(&s, BY_TYPE_IOMMU, unit);
  if (translates) BUILD(&s, BY_TYPE_IOMMU_MAP, map);
  session_wire(&s, BRIDGE_PART, BRIDGE_PORT_MEMORY, MEMORY_PART, MEMORY_PORT_BRIDGE);
  session_wire(&s, BRIDGE_PART, BRIDGE_PORT_PCI, BUS_PART, PCI_PORT_SLOT);
  for (uint32_t i = 0; i < 2; i++) {
    session_wire(&s, FIRST_CPU + 2 * i, PROCESSOR_PORT_FRONT, BRIDGE_PART, BRIDGE_PORT_CPU + 2 * i);
    session_wire(&s, FIRST_CPU + 2 * i, PROCESSOR_PORT_CACHE, FIRST_CACHE + 2 * i, CACHE_PORT_CPU);
  }
  if (!translates) return &s;
  session_wire(&s, MAP_PART, IOMMU_MAP_PORT_IOMMU, UNIT_PART, IOMMU_PORT_MAP);
  session_wire(&s, BRIDGE_PART, BRIDGE_PORT_IOMMU, UNIT_PART, IOMMU_PORT_DEVICE);
  if (translates == 2) session_wire(&s, UNIT_PART, IOMMU_PORT_MEMORY, MEMORY_PART, MEMORY_PORT_WALKS);
  for (uint32_t i = 0; i < 2; i++) session_wire(&s, FIRST_CPU + 2 * i, PROCESSOR_PORT_OS, MAP_PART, IOMMU_MAP_PORT_CPU + i);
  return &s;
}

static void at_time(uint64_t time) { ENGINE->time = time, ENGINE->cause = 0; }

/* Everything is over: from now on buses are asked and only seen to be. */
static void quiet(uint32_t translates) {
  assert_int_equal(session_open(bridge_session(translates)), BY_OK);
  session_run();
  at_time(1000 * NS);
}

static uint32_t posted(uint64_t address, uint64_t value) { return bridge_cpu_post(ENGINE, BRIDGE_PART, 0, &(struct front_post){.address = address, .bytes = 4, .write = (uint32_t)value + 100, .value = value}); }

static int asked(void) {
  struct pci_now *bus = pci_view(ENGINE, BY_STATE(ENGINE, BUS_PART, pci));
  uint32_t asked = bus->requests & 1;
  bus->requests = 0;
  return (int)asked;
}

static void wants(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_grant q = {0};
  assert_int_equal(bridge_pci_grant(ENGINE, BRIDGE_PART, &q), 1);
  assert_int_equal(q.address, address);
  assert_int_equal(q.bytes, bytes);
  assert_int_equal(q.command, command);
}
static void gives(uint64_t value) {
  uint32_t write = 0;
  struct pci_master_give q = {.bytes = 4, .writes = &write};
  bridge_pci_master_give(ENGINE, BRIDGE_PART, &q);
  assert_int_equal(q.value, value);
  assert_int_equal(write, value + 100);
}
static void moved(uint32_t bytes, uint32_t last) { assert_int_equal(bridge_pci_moved(ENGINE, BRIDGE_PART, &(struct pci_moved){.bytes = bytes, .last = last}), 0); }

/* Three places: told is one and how many are left, and none if the store is not taken. The bus is asked for once for all that wait. */
static void stores_are_posted_as_far_as_there_are_places(void **state) {
  (void)state;
  quiet(0);
  for (uint32_t left = 3; left > 0; left--) {
    assert_int_equal(posted(0x8000, left), left);
    assert_int_equal(asked(), left == 3);
    assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 2), 4 - left); /* whoever asks */
  }
  assert_int_equal(posted(0x8000, 9), 0);
  assert_int_equal(COUNT(posted), 3);
  assert_int_equal(COUNT(fullest), 3);
  TELLS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_POSTING, 0, 0});
}

/* Stores leave in order, each as it came and because of what made it, though the places go round many times. */
static void stores_leave_in_the_order_in_which_they_came(void **state) {
  (void)state;
  quiet(0);
  posted(0x8000, 1);
  asked();
  for (uint32_t n = 1; n <= 20; n++) {
    ENGINE->cause = n + 1;
    assert_int_equal(posted(0x8000 + 4 * n, n + 1), 2);
    wants(0x8000 + 4 * (n - 1), 4, PCI_COMMAND_WRITE);
    assert_int_equal(ENGINE->cause, n > 1 ? n : 0);
    gives(n);
    assert_int_equal(asked(), 0);
    moved(4, 1);
    assert_int_equal(asked(), 1); /* the next waits already */
    assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 0), 1);
  }
  ENGINE->cause = 0;
  moved(4, 1);
  assert_int_equal(asked(), 0);
  assert_int_equal(bridge_pci_grant(ENGINE, BRIDGE_PART, &(struct pci_grant){0}), 0);
  assert_int_equal(COUNT(posted), 21);
  assert_int_equal(NOW->head, 21 % 7); /* three places, and one for each processor's read */
  assert_int_equal(COUNT(fullest), 2);
  TELLS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_POSTING, 0, 0}, {1000 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_EMPTY, 0, 0});
}

/* Full from 1300 to 1700, and again from 2000 to 2050; two of three is not full. */
static void the_time_with_all_places_taken_is_added_up(void **state) {
  (void)state;
  quiet(0);
  posted(0x8000, 1), at_time(1100 * NS), posted(0x8004, 2), at_time(1300 * NS), posted(0x8008, 3);
  assert_int_equal(COUNT(full_time), 0);
  at_time(1700 * NS), moved(4, 1);
  assert_int_equal(COUNT(full_time), 400 * NS);
  at_time(2000 * NS), posted(0x800c, 4);
  at_time(2050 * NS), moved(4, 1), at_time(2150 * NS), moved(4, 1);
  assert_int_equal(COUNT(full_time), 450 * NS);
}

/* A store that is retried stays the oldest; one that nobody claims is lost, and makes room as well. */
static void a_store_is_retried_until_somebody_takes_it_or_nobody_claims_it(void **state) {
  (void)state;
  quiet(0);
  posted(0x8000, 1), posted(0x8004, 2);
  asked();
  moved(0, 0);
  assert_int_equal(asked(), 1);
  wants(0x8000, 4, PCI_COMMAND_WRITE);
  assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 0), 2);
  moved(0, 1);
  assert_int_equal(asked(), 1);
  wants(0x8004, 4, PCI_COMMAND_WRITE);
  assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 0), 1);
  moved(1, 1); /* a byte is a store, too */
  assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 0), 0);
}

/* Wherever in its ring the oldest store lies. */
static void the_ring_may_begin_anywhere(void **state) {
  (void)state;
  for (uint32_t head = 7; head-- > 0;) {
    quiet(0);
    NOW->head = head;
    for (uint32_t n = 1; n <= 3; n++) posted(0x8000, n);
    for (uint32_t n = 1; n <= 3; n++) gives(n), moved(4, 1);
  }
}

static void assert_message(uint32_t nth, uint32_t to, uint32_t kind, uint64_t at) {
  uint64_t time;
  const by_msg *q = test_pending(nth, &time);
  assert_int_equal(q->to, to);
  assert_int_equal(q->kind, kind);
  assert_int_equal(time, at);
}

/* All who wait are told when a store leaves, in the order of ports, and none before the time that it gave; they are told once. */
static void room_is_told_to_all_that_wait_when_a_store_leaves(void **state) {
  (void)state;
  quiet(0);
  for (uint32_t i = 0; i < 3; i++) posted(0x8000, i);
  assert_int_equal(ENGINE->pending, 1); /* the bus, which has been asked for */
  bridge_cpu_await(ENGINE, BRIDGE_PART, 2, &(struct front_await){.after = 1200 * NS});
  bridge_cpu_await(ENGINE, BRIDGE_PART, 0, &(struct front_await){.after = 900 * NS});
  assert_int_equal(ENGINE->pending, 1);
  at_time(1100 * NS);
  moved(4, 1);
  assert_int_equal(ENGINE->pending, 3);
  assert_message(1, FIRST_CPU, FRONT_ROOM, 1100 * NS);
  assert_message(2, SECOND_CPU, FRONT_ROOM, 1200 * NS);
  moved(4, 1);
  assert_int_equal(ENGINE->pending, 3);
  bridge_cpu_await(ENGINE, BRIDGE_PART, 2, &(struct front_await){.after = 1150 * NS}); /* there is room already */
  assert_int_equal(ENGINE->pending, 4);
  assert_message(2, SECOND_CPU, FRONT_ROOM, 1150 * NS);
}

static void reads(uint32_t cpu, uint64_t address, uint32_t bytes) { bridge_cpu_read(ENGINE, BRIDGE_PART, cpu, &(struct front_read){.address = address, .bytes = bytes}); }

/* Nothing else happens up to then, and the bus has been seen to be asked for or not. */
static void crosses(int asks) {
  uint64_t time;
  const by_msg msg = *test_message_for(BRIDGE_PART, &time);
  assert_int_equal(time, ENGINE->time + 40 * NS);
  asked();
  bridge_self(ENGINE, BRIDGE_PART, &msg);
  assert_int_equal(asked(), asks);
}

/*
 * A read takes 40 ns to cross, and is then behind the stores that came before it: they leave first. It needs none of their places. Its value
 * is back at the processor that asked after another 40.
 */
static void a_read_pushes_the_stores_before_it_ahead(void **state) {
  (void)state;
  static const struct { uint32_t cpu, part; } cases[] = {{0, FIRST_CPU}, {2, SECOND_CPU}};
  for (uint32_t i = 0; i < 2; i++) {
    quiet(0);
    for (uint32_t n = 1; n <= 3; n++) posted(0x8000, n);
    reads(cases[i].cpu, 0x9004, 2);
    crosses(0);
    assert_int_equal(COUNT(reads), 1);
    assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 0), 3);
    for (uint32_t n = 1; n <= 3; n++) {
      wants(0x8000, 4, PCI_COMMAND_WRITE), gives(n), moved(4, 1);
      assert_int_equal(asked(), 1);
    }
    wants(0x9004, 2, PCI_COMMAND_READ);
    at_time(1500 * NS);
    uint32_t write = 31;
    bridge_pci_master_take(ENGINE, BRIDGE_PART, &(struct pci_master_take){.value = 0x55, .newest = 32, .writes = &write});
    moved(2, 1);
    assert_int_equal(bridge_pci_grant(ENGINE, BRIDGE_PART, &(struct pci_grant){0}), 0);
    assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 0), 0);
    uint64_t time;
    const by_msg *q = test_message_for(cases[i].part, &time);
    assert_int_equal(q->kind, FRONT_DATA);
    assert_int_equal(q->addr, 0x55);
    assert_int_equal(q->x, 31);
    assert_int_equal(q->y, 32);
    assert_int_equal(time, 1540 * NS);
    TELLS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_POSTING, 0, 0}, {1000 * NS, BRIDGE_EV_READ, 0x9004, 2, 3, 0}, {1000 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_EMPTY, 0, 0});
  }
}

/* All ones come back from where nobody is; a read that is retried is the next again. */
static void what_nobody_claims_reads_as_all_ones(void **state) {
  (void)state;
  quiet(0);
  reads(2, 0x9000, 4);
  crosses(1);
  posted(0x8000, 1);
  moved(0, 0);
  assert_int_equal(asked(), 1);
  wants(0x9000, 4, PCI_COMMAND_READ);
  moved(0, 1);
  uint64_t time;
  const by_msg *q = test_message_for(SECOND_CPU, &time);
  assert_int_equal(q->kind, FRONT_DATA);
  assert_int_equal(q->addr, UINT32_MAX);
  assert_int_equal(q->x, 0);
  assert_int_equal(time, 1040 * NS);
  wants(0x8000, 4, PCI_COMMAND_WRITE);
  assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 0), 1); /* a read was none of the stores */
}

/* All four processors may have a read under way beside three stores: seven entries, which leave as they came, twice round. */
static void every_processor_s_read_has_a_place_beside_the_stores(void **state) {
  (void)state;
  quiet(0);
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t n = 1; n <= 3; n++) posted(0x8000, n);
    for (uint32_t cpu = 0; cpu < 4; cpu++) bridge_self(ENGINE, BRIDGE_PART, &(by_msg){.kind = BRIDGE_CROSSED, .addr = 0x9000 + 4 * cpu, .x = 4, .y = cpu});
    for (uint32_t n = 1; n <= 3; n++) wants(0x8000, 4, PCI_COMMAND_WRITE), gives(n), moved(4, 1);
    for (uint32_t cpu = 0; cpu < 4; cpu++) wants(0x9000 + 4 * cpu, 4, PCI_COMMAND_READ), moved(4, 1);
    assert_int_equal(bridge_pci_grant(ENGINE, BRIDGE_PART, &(struct pci_grant){0}), 0);
    assert_int_equal(NOW->waiting, 0);
  }
  assert_int_equal(COUNT(reads), 12);
}

/* A line is there after 100 ns; a changed one that gives way is written before, in 32 ns at 1 B/ns. */
static void lines_come_from_memory_and_changed_ones_go_there_first(void **state) {
  (void)state;
  for (uint32_t dirty = 0; dirty < 2; dirty++) {
    quiet(0);
    bridge_cpu_fill(ENGINE, BRIDGE_PART, 2, &(struct front_fill){.address = AT + 64, .bytes = LINE, .dirty = dirty});
    assert_int_equal(MEMORY_COUNTS->bytes_written, dirty ? LINE : 0);
    assert_int_equal(MEMORY_COUNTS->bytes_read, LINE);
    uint64_t time;
    const by_msg msg = *test_message_for(BRIDGE_PART, &time);
    assert_int_equal(time, (1000 + 32 * dirty + 100) * NS);
    bridge_self(ENGINE, BRIDGE_PART, &msg);
    const by_msg *q = test_message_for(SECOND_CPU, &time);
    assert_int_equal(q->kind, FRONT_FILLED);
    assert_int_equal(q->addr, AT + 64);
    assert_int_equal(time, 1000 * NS);
    assert_int_equal(COUNT(reads), 0);
    TELLS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_FILL, AT + 64, LINE, 0, 0});
  }
}

static void peeked(uint64_t address, uint32_t *words, uint32_t n, uint32_t set) { bridge_cpu_peek(ENGINE, BRIDGE_PART, 0, &(struct front_peek){.address = address, .bytes = 4 * n, .set = set, .writes = words}); }

/* Bookkeeping of an observer takes no time, and neither is counted. */
static void what_memory_holds_is_looked_at_and_set_without_time(void **state) {
  (void)state;
  quiet(0);
  uint32_t in[3] = {31, 32, 33}, out[3] = {0};
  peeked(AT + 64, in, 3, 1);
  peeked(AT + 64, out, 3, 0);
  assert_memory_equal(in, out, sizeof in);
  peeked(AT + 60, out, 3, 0);
  assert_int_equal(out[0], 0);
  assert_int_equal(out[1], 31);
  assert_int_equal(MEMORY_COUNTS->reads + MEMORY_COUNTS->writes, 0);
}

/* Memory lies below 2 GiB, and the bridge claims nothing else. */
static void the_bridge_claims_the_lower_half_of_the_bus(void **state) {
  (void)state;
  quiet(0);
  struct pci_window first = {.which = 0, .base = 5}, second = {.which = 1};
  assert_int_equal(bridge_pci_window(ENGINE, BRIDGE_PART, &first), 1);
  assert_int_equal(first.base, 0);
  assert_int_equal(first.length, 0x80000000);
  assert_int_equal(bridge_pci_window(ENGINE, BRIDGE_PART, &second), 0);
}

static struct pci_begin begins(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_begin q = {.address = address, .bytes = bytes, .command = command};
  uint32_t taken = bridge_pci_begin(ENGINE, BRIDGE_PART, &q);
  assert_int_equal(taken, q.bytes);
  return q;
}
static void given(uint64_t address, uint32_t *words, uint32_t n) { bridge_pci_target_give(ENGINE, BRIDGE_PART, &(struct pci_target_give){.address = address, .bytes = 4 * n, .writes = words}); }
static void taken(uint64_t address, uint32_t *words, uint32_t n) { bridge_pci_target_take(ENGINE, BRIDGE_PART, &(struct pci_target_take){.address = address, .bytes = 4 * n, .writes = words}); }

/* A device's read has its first data when memory has it, after 100 ns, and 20 for the bridge; a write is posted at once. */
static void a_device_reads_when_memory_has_the_data_and_writes_at_once(void **state) {
  (void)state;
  quiet(0);
  uint32_t in[2] = {41, 42}, out[2] = {0};
  peeked(AT + 256, in, 2, 1);
  struct pci_begin read = begins(AT + 256, 64, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(read.bytes, 64);
  assert_int_equal(read.ready, (1000 + 100 + 20) * NS);
  given(AT + 256, out, 2);
  assert_memory_equal(in, out, sizeof in);
  given(AT + 260, out, 1);
  assert_int_equal(out[0], 42);
  assert_int_equal(MEMORY_COUNTS->bytes_read, 64); /* once, and not again as it is given */
  assert_int_equal(begins(AT + 512, 8, PCI_COMMAND_WRITE).ready, 1000 * NS);
  assert_int_equal(COUNT(device_reads), 64);
  assert_int_equal(COUNT(device_writes), 0);
  taken(AT + 512, in, 2);
  assert_int_equal(COUNT(device_reads), 64);
  assert_int_equal(COUNT(device_writes), 8);
  assert_int_equal(MEMORY_COUNTS->bytes_written, 8);
  peeked(AT + 512, out, 2, 0);
  assert_memory_equal(in, out, sizeof in);
  assert_int_equal(COUNT(stopped) + COUNT(translation), 0);
}

static uint32_t touched(uint32_t cache, uint64_t address) { return cache_cpu_touch(ENGINE, cache, &(struct cache_touch){.address = address}); }

/* Both processors have three lines. A write into the last word of one and the first of the next takes those two from both, a read none. */
static void processors_lose_the_lines_that_a_device_writes_into(void **state) {
  (void)state;
  quiet(0);
  uint32_t words[2] = {51, 52};
  for (uint32_t line = 0; line < 3; line++) touched(FIRST_CACHE, AT + line * LINE), touched(SECOND_CACHE, AT + line * LINE);
  begins(AT + LINE - 4, 8, PCI_COMMAND_READ), given(AT + LINE - 4, words, 2);
  assert_int_equal(COUNT(lines_dropped), 0);
  begins(AT + LINE - 4, 8, PCI_COMMAND_WRITE), taken(AT + LINE - 4, words, 2);
  assert_int_equal(COUNT(lines_dropped), 4);
  for (uint32_t line = 0; line < 3; line++) {
    assert_int_equal(touched(FIRST_CACHE, AT + line * LINE), line == 2);
    assert_int_equal(touched(SECOND_CACHE, AT + line * LINE), line == 2);
  }
}

#define DEVICE(page) (0x100000 + (page) * PAGE)

/* The sixth page of the table's is memory's second, and so on. */
static void translating(uint32_t pages) {
  quiet(1);
  iommu_map_set(ENGINE, UNIT_PART, &(struct iommu_set){.entry = 5, .page = AT + PAGE, .entries = pages, .stride = 1});
}

/* A burst ends with its page of 4 KiB, as the next may lie anywhere, and waits 300 ns for an entry that is not known yet. */
static void a_burst_goes_where_its_page_lies_and_no_further(void **state) {
  (void)state;
  static const struct { uint32_t offset, bytes, taken; } cases[] = {{0, 4096, 4096}, {0, 8192, 4096}, {4092, 64, 4}, {64, 64, 64}, {4032, 64, 64}, {4032, 68, 64}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    translating(2);
    uint32_t in = 61, out = 0;
    struct pci_begin write = begins(DEVICE(5) + cases[i].offset, cases[i].bytes, PCI_COMMAND_WRITE);
    assert_int_equal(write.bytes, cases[i].taken);
    assert_int_equal(write.ready, 1300 * NS);
    taken(DEVICE(5) + cases[i].offset + cases[i].taken - 4, &in, 1); /* the last word of the burst */
    peeked(AT + PAGE + cases[i].offset + cases[i].taken - 4, &out, 1, 0);
    assert_int_equal(out, 61);
    at_time(3000 * NS); /* memory is free long since */
    struct pci_begin read = begins(DEVICE(5) + cases[i].offset, cases[i].bytes, PCI_COMMAND_READ);
    assert_int_equal(read.ready, (3000 + 100 + 20) * NS); /* the entry is known */
    given(DEVICE(5) + cases[i].offset + cases[i].taken - 4, &out, 1);
    assert_int_equal(out, 61);
    assert_int_equal(COUNT(translation), 300 * NS);
    assert_int_equal(COUNT(device_reads), cases[i].taken);
    assert_int_equal(COUNT(stopped), 0);
  }
}

/* What has no translation is read as nobody's and written nowhere, and nobody loses a line; the next burst that has one goes on. */
static void what_has_no_translation_is_stopped(void **state) {
  (void)state;
  translating(1);
  uint32_t words[2] = {0, 0}, in[2] = {71, 72};
  assert_int_equal(begins(DEVICE(6), 8, PCI_COMMAND_WRITE).bytes, 8);
  taken(DEVICE(6), in, 2);
  assert_int_equal(COUNT(device_writes), 0);
  assert_int_equal(MEMORY_COUNTS->writes, 0);
  peeked(DEVICE(6), in, 2, 1); /* what lies at this address in memory is none of the device's */
  begins(DEVICE(6), 8, PCI_COMMAND_READ);
  given(DEVICE(6), words, 2);
  assert_int_equal(words[0] + words[1], 0);
  assert_int_equal(COUNT(stopped), 2);
  const uint32_t why = BECAUSE(UNIT_PART, IOMMU_EV_FAULT);
  TELLS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_STOPPED, DEVICE(6), 8, 0, why}, {1000 * NS, BRIDGE_EV_STOPPED, DEVICE(6), 8, 0, why});
  TELLS(UNIT_PART, {1000 * NS, IOMMU_EV_FAULT, DEVICE(6), 1, 0, 0}, {1000 * NS, IOMMU_EV_FAULT, DEVICE(6), 0, 0, ANY_CAUSE});
  begins(DEVICE(5), 8, PCI_COMMAND_WRITE);
  taken(DEVICE(5), in, 2);
  assert_int_equal(COUNT(device_writes), 8);
  assert_int_equal(COUNT(stopped), 2);
}

/* The unit still has the page that was there before: what is written lies over somebody's data, and what is read is theirs; who it was meant for is known, or nobody. */
static void data_through_a_stale_translation_is_told_apart(void **state) {
  (void)state;
  for (uint32_t mapped = 0; mapped < 2; mapped++) {
    translating(1);
    const uint64_t was = AT + PAGE + 256, is = AT + 2 * PAGE + 256;
    uint32_t theirs[2] = {31, 32}, ours[2] = {41, 42}, in[2] = {51, 52}, out[2] = {0};
    peeked(was, theirs, 2, 1), peeked(is, ours, 2, 1);
    begins(DEVICE(5) + 256, 8, PCI_COMMAND_READ); /* from now on the unit has the translation */
    given(DEVICE(5) + 256, out, 2);
    assert_int_equal(MEMORY_COUNTS->given_away, 0);
    if (mapped) iommu_map_set(ENGINE, UNIT_PART, &(struct iommu_set){.entry = 5, .page = AT + 2 * PAGE, .entries = 1, .stride = 1});
    else iommu_map_clear(ENGINE, UNIT_PART, &(struct iommu_clear){.entry = 5, .entries = 1});
    at_time(2000 * NS);
    begins(DEVICE(5) + 252, 12, PCI_COMMAND_READ);
    given(DEVICE(5) + 256, out, 2); /* not the burst's first word */
    assert_memory_equal(out, theirs, sizeof out);
    assert_int_equal(MEMORY_COUNTS->given_away, 2);
    begins(DEVICE(5) + 252, 12, PCI_COMMAND_WRITE);
    taken(DEVICE(5) + 256, in, 2);
    assert_int_equal(MEMORY_COUNTS->overwritten, 2);
    assert_int_equal(COUNT(device_writes), 8);
    const uint32_t why = BECAUSE(UNIT_PART, mapped ? IOMMU_EV_STALE : IOMMU_EV_GONE);
    TELLS(MEMORY_PART, {2000 * NS, MEMORY_EV_GIVEN_AWAY, was, 31, mapped ? 41 : 0, why}, {2000 * NS, MEMORY_EV_OVERWRITTEN, was, 51, 31, why});
    peeked(was, out, 2, 0);
    assert_memory_equal(out, in, sizeof out);
    peeked(is, out, 2, 0); /* what should have come has not, and this is known where it was meant to go */
    assert_memory_equal(out, ours, sizeof out);
    assert_int_equal(MEMORY_COUNTS->old_reads, 1 + mapped);
  }
}

static void memory_that_runs_out_is_an_error(void **state) {
  (void)state;
  assert_true(session_without_memory(bridge_session(1)) > 10);
}

/* They are on this side of the posting buffer: a store takes no place there, goes when all are taken, and a load comes back after a crossing each way, behind nothing. */
static void registers_of_the_unit_are_reached_past_the_posting_buffer(void **state) {
  (void)state;
  const uint64_t registers = 0xfed00000;
  quiet(2);
  iommu_map_set(ENGINE, UNIT_PART, &(struct iommu_set){.entry = 5, .page = AT + PAGE, .entries = 1, .stride = 1});
  assert_int_equal(begins(DEVICE(5), 64, PCI_COMMAND_WRITE).ready, 1100 * NS); /* what the table takes in memory */
  begins(DEVICE(6), 64, PCI_COMMAND_WRITE); /* stopped */
  for (uint32_t i = 0; i < 3; i++) posted(0x80000000, i);
  assert_int_equal(posted(0x80000000, 9), 0);
  assert_true(posted(registers + IOMMU_REG_PURGE, 5) > 1);
  assert_int_equal(COUNT(posted), 3);
  assert_int_equal(bridge_cpu_waiting(ENGINE, BRIDGE_PART, 0), 3);
  assert_int_equal(BY_COUNTERS(ENGINE, UNIT_PART, iommu)->drops, 1);
  bridge_cpu_read(ENGINE, BRIDGE_PART, 2, &(struct front_read){.address = registers + IOMMU_REG_FAULTS, .bytes = 4});
  uint64_t time;
  const by_msg *q = test_pending(1, &time); /* the bus comes before it */
  assert_int_equal(q->kind, FRONT_DATA);
  assert_int_equal(q->addr, 1);
  assert_int_equal(time, 1080 * NS);
  assert_int_equal(COUNT(reads), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ring_may_begin_anywhere), cmocka_unit_test(stores_are_posted_as_far_as_there_are_places),
      cmocka_unit_test(stores_leave_in_the_order_in_which_they_came), cmocka_unit_test(the_time_with_all_places_taken_is_added_up),
      cmocka_unit_test(a_store_is_retried_until_somebody_takes_it_or_nobody_claims_it), cmocka_unit_test(room_is_told_to_all_that_wait_when_a_store_leaves),
      cmocka_unit_test(a_read_pushes_the_stores_before_it_ahead), cmocka_unit_test(what_nobody_claims_reads_as_all_ones),
      cmocka_unit_test(every_processor_s_read_has_a_place_beside_the_stores), cmocka_unit_test(lines_come_from_memory_and_changed_ones_go_there_first),
      cmocka_unit_test(what_memory_holds_is_looked_at_and_set_without_time), cmocka_unit_test(the_bridge_claims_the_lower_half_of_the_bus),
      cmocka_unit_test(a_device_reads_when_memory_has_the_data_and_writes_at_once), cmocka_unit_test(processors_lose_the_lines_that_a_device_writes_into),
      cmocka_unit_test(a_burst_goes_where_its_page_lies_and_no_further), cmocka_unit_test(what_has_no_translation_is_stopped),
      cmocka_unit_test(data_through_a_stale_translation_is_told_apart), cmocka_unit_test(registers_of_the_unit_are_reached_past_the_posting_buffer), cmocka_unit_test(memory_that_runs_out_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
