/* Address translation, devices behind it, the network stack and locks. Every expected time is added up
 * beside its test, from parameters chosen to give whole numbers. */
#include "test/map_machine.h"

#define US 1000000ull
#define NS 1000ull
#define PAGE 8192ull

static const uint64_t nothing[] = {END_ROW};

static struct map_machine round_numbers(void) {
  struct map_machine g = map_machine_defaults();
  g.cpu.switch_time = 3 * US, g.cpu.wake_time = 2 * US;
  g.map.hold_alloc = 100 * NS, g.map.word_time = 0, g.map.map_call = 1 * US, g.map.hold_free = 200 * NS,
  g.map.demap_call = 2 * US, g.map.entry_time = 50 * NS;
  g.map.handoff = 300 * NS, g.map.handoff_waiter = 40 * NS, g.map.flush_time = 7 * US;
  g.stack.stack_time = 10 * US, g.stack.copy_time = 1024 * NS, g.stack.batch_time = 3 * US,
  g.stack.gap = 500 * NS;
  g.stack.senders = TEST_CPUS, g.stack.batch = 1;
  g.unit.walk_time = 300 * NS, g.unit.cached = 2;
  return g;
}

struct programs {
  const uint64_t *program[TEST_CPUS];
  uint32_t values[TEST_CPUS];
};

static void opened(const struct map_machine *g, struct programs p) {
  uint32_t rows[TEST_CPUS];
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    if (!p.program[cpu]) p.program[cpu] = nothing, p.values[cpu] = ROW_FIELDS;
    rows[cpu] = p.values[cpu] / ROW_FIELDS;
  }
  struct session s = map_machine_session(g, p.program, rows);
  assert_int_equal(session_open(&s), SIM_OK);
}
#define OPEN1(g, a) opened(&(g), (struct programs){{a}, {sizeof(a) / 8}})
#define OPEN3(g, a, b, c) \
  opened(&(g), (struct programs){{a, b, c}, {sizeof(a) / 8, sizeof(b) / 8, sizeof(c) / 8}})

static void to_the_end(void) { session_run(); }

#define UNIT_COUNT(name) (MAP_COUNTERS(UNIT, iommu)->name)

/* A device behind the unit: 100 B/us, and 1 us to start. */
enum { DEVICE_CPU, DEVICE_MAPPER, DEVICE_UNIT, DEVICE_MASTER };
static struct session device_session(const struct map_machine *g, const struct bus_master_params *q,
    const uint64_t *program, uint32_t values, int translated) {
  struct session s = session_new(4, translated ? 5 : 4, 12);
  MAP_PART(&s, SIM_TYPE_PROCESSOR, g->cpu);
  session_table(&s, program, values / ROW_FIELDS, ROW_FIELDS);
  MAP_PART(&s, SIM_TYPE_IOMMU_MAP, g->map);
  MAP_PART(&s, SIM_TYPE_IOMMU, g->unit);
  MAP_PART(&s, SIM_TYPE_BUS_MASTER, *q);
  session_wire(&s, DEVICE_CPU, PROCESSOR_PORT_OS, DEVICE_MAPPER, IOMMU_MAP_PORT_CPU);
  session_wire(&s, DEVICE_CPU, PROCESSOR_PORT_IRQ + 1, DEVICE_MASTER, BUS_MASTER_PORT_IRQ);
  session_wire(&s, DEVICE_MAPPER, IOMMU_MAP_PORT_IOMMU, DEVICE_UNIT, IOMMU_PORT_MAP);
  session_wire(&s, DEVICE_MAPPER, IOMMU_MAP_PORT_DEVICE, DEVICE_MASTER, BUS_MASTER_PORT_DRIVER);
  if (translated) session_wire(&s, DEVICE_MASTER, BUS_MASTER_PORT_IOMMU, DEVICE_UNIT, IOMMU_PORT_DEVICE);
  return s;
}

/* 10 000 B from 100 B before the end of a page: pieces of 100, 8192 and 1708 B, in 100 us. */
static void a_device_translates_again_at_each_page(void **state) {
  (void)state;
  struct map_machine g = round_numbers();
  struct bus_master_params q = BUS_MASTER_DEFAULTS;
  q.rate = 100000000, q.start_time = 1 * US, q.page = PAGE;
  const uint64_t first = 10 * PAGE - 100;
  const struct {
    int translated;
    uint64_t reach;
    uint32_t bytes, beyond, stopped, asks;
  } cases[] = {{0, UINT32_MAX, 10000, 0, 0, 0}, /* without a unit its addresses are physical */
      {0, 10 * PAGE, 100 + 8192, 1, 0, 0},      /* the last page is beyond its reach */
      {0, 10 * PAGE - 1, 100, 2, 0, 0}, {1, UINT32_MAX, 0, 0, 3, 3}}; /* not mapped */
  for (uint32_t i = 0; i < 4; i++) {
    q.reach = cases[i].reach;
    const uint64_t program[] = {ROW(START_DMA, first, 0, 10000, 0, 1, 0),
        ROW(START_DMA, first, 0, 5, 0, 1, 0), ROW(LAP, 0, 0, 0, 0, 0, 0), ROW(WAIT, 0, 0, 0, 0, 0, 1),
        ROW(LAP_END, 0, 0, 0, 0, 0, 0), END_ROW};
    struct session s = device_session(&g, &q, program, sizeof program / 8, cases[i].translated);
    assert_int_equal(session_open(&s), SIM_OK);
    to_the_end();
    const struct bus_master_counters *c = MAP_COUNTERS(DEVICE_MASTER, bus_master);
    assert_int_equal(c->transfers, 1);
    assert_int_equal(c->bytes, cases[i].bytes);
    assert_int_equal(c->beyond, cases[i].beyond);
    assert_int_equal(c->stopped, cases[i].stopped);
    assert_int_equal(c->busy, 100 * US);
    assert_int_equal(MAP_COUNTERS(DEVICE_UNIT, iommu)->translations, cases[i].asks);
    assert_int_equal(MAP_COUNTERS(DEVICE_MAPPER, iommu_map)->refusals, 1); /* already started */
    assert_int_equal(
        MAP_COUNTERS(DEVICE_CPU, processor)->lap_time, 101 * US + g.cpu.interrupt_time + g.cpu.wake_time);
  }
}

/* Mapped areas are reached through the unit, also by their handles; unmapped ones are not. */
static void a_device_reaches_mapped_areas_only(void **state) {
  (void)state;
  struct map_machine g = round_numbers();
  struct bus_master_params q = BUS_MASTER_DEFAULTS;
  q.rate = 1000000000, q.page = PAGE, q.reach = UINT32_MAX;
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 2 * PAGE, 0, 0, 9),
      ROW(START_DMA, 0, 0, 2 * PAGE, 0, 2, 9), ROW(WAIT, 0, 0, 0, 0, 0, 1), ROW(UNMAP, 0, 0, 0, 0, 0, 9),
      ROW(START_DMA, 0, 0, 2 * PAGE, 0, 2, 9), ROW(WAIT, 0, 0, 0, 0, 0, 1),
      ROW(START_DMA, 0x80000000, 0, PAGE, 0, 2, 0xffffffff), ROW(WAIT, 0, 0, 0, 0, 0, 1), END_ROW};
  struct session s = device_session(&g, &q, program, sizeof program / 8, 1);
  assert_int_equal(session_open(&s), SIM_OK);
  to_the_end();
  const struct bus_master_counters *c = MAP_COUNTERS(DEVICE_MASTER, bus_master);
  assert_int_equal(c->transfers, 3); /* the handle still has its old address */
  assert_int_equal(c->bytes, 2 * PAGE);
  assert_int_equal(c->stopped, 3);
  assert_int_equal(c->stale, 0);
}

/* The memory behind the unit is tracked page by page, and each page has been written. */
static struct session followed_session(
    const struct map_machine *g, const struct bus_master_params *q, const struct memory_params *memory) {
  struct session s = session_new(5, 5, 12);
  MAP_PART(&s, SIM_TYPE_PROCESSOR, g->cpu);
  session_table(&s, nothing, sizeof nothing / 8 / ROW_FIELDS, ROW_FIELDS);
  MAP_PART(&s, SIM_TYPE_IOMMU_MAP, g->map);
  MAP_PART(&s, SIM_TYPE_IOMMU, g->unit);
  MAP_PART(&s, SIM_TYPE_BUS_MASTER, *q);
  MAP_PART(&s, SIM_TYPE_MEMORY, *memory);
  session_wire(&s, DEVICE_CPU, PROCESSOR_PORT_OS, DEVICE_MAPPER, IOMMU_MAP_PORT_CPU);
  session_wire(&s, DEVICE_MAPPER, IOMMU_MAP_PORT_IOMMU, DEVICE_UNIT, IOMMU_PORT_MAP);
  session_wire(&s, DEVICE_MAPPER, IOMMU_MAP_PORT_DEVICE, DEVICE_MASTER, BUS_MASTER_PORT_DRIVER);
  session_wire(&s, DEVICE_MASTER, BUS_MASTER_PORT_IOMMU, DEVICE_UNIT, IOMMU_PORT_DEVICE);
  session_wire(&s, DEVICE_MASTER, BUS_MASTER_PORT_MEMORY, DEVICE_MASTER + 1, MEMORY_PORT_BRIDGE);
  return s;
}

static void moves(uint64_t address, uint64_t bytes, uint32_t write) {
  struct doorbell_start q = {.address = address, .bytes = bytes, .write = write};
  assert_int_equal(
      bus_master_driver_start(test_engine(), SIM_CONTEXT(test_engine(), DEVICE_MASTER, bus_master), &q), 1);
  to_the_end();
}

/* Entries 0 and 1 lead to pages 2 and 3 of eight. Then entry 0 leads to page 6, while the unit still has
 * page 2 cached. */
static void a_stale_translation_overwrites_the_wrong_page(void **state) {
  (void)state;
  struct map_machine g = round_numbers();
  struct bus_master_params q = BUS_MASTER_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  q.page = PAGE, q.reach = UINT32_MAX;
  memory.tracked = 8 * PAGE, memory.grain = PAGE, memory.written = 1;
  struct session s = followed_session(&g, &q, &memory);
  assert_int_equal(session_open(&s), SIM_OK);
  to_the_end();
  sim *m = test_engine();
  const struct memory_counters *c = MAP_COUNTERS(DEVICE_MASTER + 1, memory);
  const struct shadow_word *pages = sim_at(m, SIM_STATE(m, DEVICE_MASTER + 1, memory)->shadow.at);
  iommu_map_set(m, SIM_CONTEXT(m, DEVICE_UNIT, iommu),
      &(struct iommu_set){.entry = 0, .page = 2 * PAGE, .entries = 2, .stride = 1});
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(pages[i].write, i + 1);
  moves(g.map.base, 2 * PAGE, 1);
  assert_int_equal(pages[2].newest, 9);
  assert_int_equal(pages[3].write, 10);
  iommu_map_set(m, SIM_CONTEXT(m, DEVICE_UNIT, iommu),
      &(struct iommu_set){.entry = 0, .page = 6 * PAGE, .entries = 1, .stride = 1});
  moves(g.map.base, 2 * PAGE, 0);
  assert_int_equal(c->given_away, 1);
  assert_int_equal(c->overwritten, 0);
  moves(g.map.base, 2 * PAGE, 1);
  assert_int_equal(c->overwritten, 1);
  static const struct shadow_word after[] = {
      {1, 1}, {2, 2}, {11, 9}, {12, 12}, {5, 5}, {6, 6}, {7, 11}, {8, 8}};
  assert_memory_equal(pages, after, sizeof after);
  assert_int_equal(c->old_reads, 0);
  iommu_map_invalidate_all(m, SIM_CONTEXT(m, DEVICE_UNIT, iommu));
  moves(g.map.base, PAGE, 0); /* page 6 never got the data meant for it */
  assert_int_equal(c->old_reads, 1);
  assert_int_equal(c->given_away, 1);
}

static struct map_machine networked(void) {
  struct map_machine g = round_numbers();
  g.networked = 1;
  g.stack.buffers = 2;
  return g;
}

#define SENDS(n)                                                                             \
  ROW(REPEAT, 0, 0, 0, 0, n, 0), ROW(LAP, 0, 0, 0, 0, 0, 0), ROW(SEND, 0, 0, 1000, 0, 0, 0), \
      ROW(LAP_END, 0, 0, 0, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW

/*
 * A packet of 1000 B: 10 us of work and 1 us to copy; for each of two buffers 0.1 us under the lock and 1 us
 * for the hypervisor: 13.2 us in all. By the second packet the first has been sent and is reclaimed: 3 us,
 * and for each buffer 0.5 us of work, 2 us for the hypervisor and 0.2 us under the lock: 8.4 us more.
 */
static void a_packet_takes_the_sum_of_its_steps(void **state) {
  (void)state;
  struct map_machine g = networked();
  static const uint64_t one[] = {SENDS(1)}, three[] = {SENDS(3)};
  OPEN1(g, one);
  to_the_end();
  assert_int_equal(MAP_COUNTERS(0, processor)->lap_time, 13200 * NS);
  OPEN1(g, three);
  to_the_end();
  assert_int_equal(MAP_COUNTERS(0, processor)->lap_time, (3 * 13200 + 2 * 8400) * NS);
  assert_int_equal(MAP_COUNTERS(0, processor)->in_stack, (3 * 11000 + 2 * (3000 + 2 * 500)) * NS);
  assert_int_equal(MAP_COUNTERS(0, processor)->in_hypercall, (6 * 1000 + 4 * 2000) * NS);
  assert_int_equal(MAP_COUNTERS(0, processor)->in_locked, (6 * 100 + 4 * 200) * NS);
  assert_int_equal(MAP_COUNTERS(STACK, net_driver)->batches, 2);
  assert_int_equal(MAP_COUNTERS(STACK, net_driver)->reclaimed, 2);
  g.stack.batch = 2; /* nothing is reclaimed before two have been sent; after the third packet, both are */
  OPEN1(g, three);
  to_the_end();
  assert_int_equal(MAP_COUNTERS(0, processor)->lap_time, (3 * 13200 + 3000 + 4 * 2700) * NS);
  assert_int_equal(MAP_COUNTERS(STACK, net_driver)->batches, 1);
}

/*
 * 1000 B plus 90 B of overhead at 1 Gb/s, 8 ns per byte: 8720 ns, and the driver learns of it 1 us later.
 * Only one packet may be under way. The second call blocks (3 us) at 13.2 us, wakes (2) when the first
 * packet has been sent, at 22.92 us, and reclaims it first (8.4).
 */
static void a_full_window_waits_until_a_packet_was_sent(void **state) {
  (void)state;
  struct map_machine g = networked();
  g.adapter.rate = 1000000000 / 8, g.adapter.overhead = 90, g.adapter.latency = 1 * US, g.stack.window = 1;
  static const uint64_t two[] = {SENDS(2)};
  OPEN1(g, two);
  to_the_end();
  assert_int_equal(
      MAP_COUNTERS(0, processor)->lap_last, (13200 + 8720 + 1000 + 2000 + 8400 + 13200 - 13200) * NS);
  assert_int_equal(MAP_COUNTERS(STACK, net_driver)->full, 1);
  assert_int_equal(MAP_COUNTERS(0, processor)->in_switch, 3 * US);
  assert_int_equal(MAP_COUNTERS(ADAPTER, net_adapter)->busy, 2 * 8720 * NS);
  assert_int_equal(MAP_COUNTERS(ADAPTER, net_adapter)->frames, 2);
}

#define MAP_AT(start)                                                                                \
  ROW(SPEND, 0, 0, 0, start, 0, 0), ROW(MAP, 0x40000, 0, PAGE, 0, 0, 0), ROW(LAP, 0, 0, 0, 0, 0, 0), \
      ROW(LAP_END, 0, 0, 0, 0, 0, 0), END_ROW

/*
 * One lock, held for 2 us. A holds it from 10 to 12 us. B and C arrive at 10.5 and 11 us and spin. After the
 * release one of the two waiters gets it in 0.3 + 2 x 0.04 us, holds it until 14.38 us, and hands it to the
 * other in 0.34 us: at 14.72 us.
 */
static void a_lock_is_handed_to_the_waiters(void **state) {
  (void)state;
  struct map_machine g = round_numbers();
  g.map.pools = 1, g.map.hold_alloc = 2 * US;
  static const uint64_t a[] = {MAP_AT(10 * US)}, b[] = {MAP_AT(10500 * NS)}, c[] = {MAP_AT(11 * US)};
  OPEN3(g, a, b, c);
  to_the_end();
  const struct iommu_map_counters *count = MAP_COUNTERS(MAPPER, iommu_map);
  assert_int_equal(
      test_engine()->time, (14720 + 2000 + 1000) * NS); /* plus the hypervisor's 1 us, outside the lock */
  assert_int_equal(count->acquisitions, 3);
  assert_int_equal(count->contentions, 2);
  assert_int_equal(count->barges, 0);
  assert_int_equal(count->hold_time, 6 * US);
  assert_int_equal(count->hold_most, 2 * US);
  assert_int_equal(count->wait_time, (12380 + 14720 - 10500 - 11000) * NS);
  assert_int_equal(
      MAP_COUNTERS(1, processor)->in_spin + MAP_COUNTERS(2, processor)->in_spin, count->wait_time);
}

/* While the lock is being handed to B, C arrives and takes it: B has to wait for C as well. */
static void a_newcomer_may_take_the_lock_first(void **state) {
  (void)state;
  struct map_machine g = round_numbers();
  g.map.pools = 1, g.map.hold_alloc = 2 * US;
  static const uint64_t a[] = {MAP_AT(10 * US)}, b[] = {MAP_AT(11 * US)}, c[] = {MAP_AT(12200 * NS)},
                        late[] = {MAP_AT(12500 * NS)};
  OPEN3(g, a, b, c); /* A to 12; C 12.2 to 14.2; B from 14.2 + 0.34 to 16.54; then 1 for the hypervisor */
  to_the_end();
  assert_int_equal(test_engine()->time, 17540 * NS);
  assert_int_equal(MAP_COUNTERS(MAPPER, iommu_map)->barges, 1);
  assert_int_equal(MAP_COUNTERS(MAPPER, iommu_map)->contentions, 1);
  assert_int_equal(MAP_COUNTERS(MAPPER, iommu_map)->wait_time, 3540 * NS);
  OPEN3(g, a, b, late); /* B from 12.34 to 14.34; the late one gets it 0.34 later */
  to_the_end();
  assert_int_equal(test_engine()->time, (14680 + 2000 + 1000) * NS);
  assert_int_equal(MAP_COUNTERS(MAPPER, iommu_map)->barges, 0);
  assert_int_equal(MAP_COUNTERS(MAPPER, iommu_map)->contentions, 2);
}

/*
 * A table of 6 entries, of which Linux allocates 4 (never the last two). With lazy flush the cached
 * translations are flushed when the search wraps around, under the lock. That map takes 7 us more, and a
 * second search of the pool.
 */
static void a_lazy_flush_delays_the_map_that_wraps_around(void **state) {
  (void)state;
  struct map_machine g = round_numbers();
  g.map.entries = 6, g.map.pools = 1, g.map.flush = IOMMU_MAP_FLUSH_LAZY;
  static const uint64_t program[] = {ROW(REPEAT, 0, 0, 0, 0, 5, 0), ROW(LAP, 0, 0, 0, 0, 0, 0),
      ROW(MAP, 0x40000, 0, PAGE, 0, 0, 1), ROW(LAP_END, 0, 0, 0, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 1),
      ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  OPEN1(g, program);
  to_the_end();
  const struct iommu_map_counters *c = MAP_COUNTERS(MAPPER, iommu_map);
  assert_int_equal(c->flushes, 1);
  assert_int_equal(c->wraps, 1);
  assert_int_equal(UNIT_COUNT(flushes), 1);
  assert_int_equal(MAP_COUNTERS(0, processor)->lap_time, 5 * 1100 * NS + 7 * US);
  assert_int_equal(MAP_COUNTERS(0, processor)->lap_last, 8100 * NS);
  assert_int_equal(c->map_time, 5 * 1100 * NS + 7 * US);
  assert_int_equal(c->unmap_time, 5 * 2200 * NS);
}

/* Stray calls: at a rate of one in one, every map of CPU 0 of 2 is made for the other CPU. */
static void a_stray_call_uses_another_cpu_s_pool(void **state) {
  (void)state;
  struct map_machine g = round_numbers();
  g.map.pools = 4, g.map.entries = 4096;
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, PAGE, 0, 0, 1), END_ROW};
  uint32_t home[TEST_CPUS];
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    opened(&g, (struct programs){{cpu == 0 ? program : NULL, cpu == 1 ? program : NULL,
                                     cpu == 2 ? program : NULL, cpu == 3 ? program : NULL},
                   {sizeof program / 8, sizeof program / 8, sizeof program / 8, sizeof program / 8}});
    to_the_end();
    assert_int_equal(MAP_COUNTERS(MAPPER, iommu_map)->strayed, 0);
    home[cpu] =
        (uint32_t)((((struct iommu_map_handles *)map_view_of(MAPPER, IOMMU_MAP_VIEW_HANDLES))[1].address
                       - g.map.base)
                   / PAGE / 1024);
  }
  g.map.stray = 1;
  OPEN1(g, program);
  to_the_end();
  assert_int_equal(MAP_COUNTERS(MAPPER, iommu_map)->strayed, 1);
  uint32_t used =
      (uint32_t)((((struct iommu_map_handles *)map_view_of(MAPPER, IOMMU_MAP_VIEW_HANDLES))[1].address
                     - g.map.base)
                 / PAGE / 1024);
  assert_true(used == home[1] || used == home[2] || used == home[3]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_device_translates_again_at_each_page),
      cmocka_unit_test(a_device_reaches_mapped_areas_only),
      cmocka_unit_test(a_stale_translation_overwrites_the_wrong_page),
      cmocka_unit_test(a_packet_takes_the_sum_of_its_steps),
      cmocka_unit_test(a_full_window_waits_until_a_packet_was_sent),
      cmocka_unit_test(a_lock_is_handed_to_the_waiters),
      cmocka_unit_test(a_newcomer_may_take_the_lock_first),
      cmocka_unit_test(a_lazy_flush_delays_the_map_that_wraps_around),
      cmocka_unit_test(a_stray_call_uses_another_cpu_s_pool),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
