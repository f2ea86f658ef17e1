/* Address translation, devices behind it, the network stack and locks. Every expected time is added up
 * beside its test, from parameters chosen to give whole numbers. */
#include "test/mapping.h"

#define US 1000000ull
#define NS 1000ull
#define PAGE 8192ull

#define UNIT_PARAMS PARAMS("unit", iommu)
#define MAP_PARAMS PARAMS("maps", iommu_map)
#define STACK_PARAMS PARAMS("stack", net_driver)
#define CARD_PARAMS PARAMS("card", bus_master)
#define COUNT(name) (COUNTERS("maps", iommu_map)->name)
#define CPU_COUNT(cpu, name) (COUNTERS(cpu, processor)->name)

static void round_numbers(const char *name) {
  machine(name);
  struct processor_params *cpu = PARAMS("cpu0", processor);
  struct iommu_map_params *map = MAP_PARAMS;
  cpu->switch_time = 3 * US, cpu->wake_time = 2 * US;
  map->hold_alloc = 100 * NS, map->word_time = 0, map->map_call = 1 * US, map->hold_free = 200 * NS,
  map->demap_call = 2 * US, map->entry_time = 50 * NS;
  map->handoff = 300 * NS, map->handoff_waiter = 40 * NS, map->flush_time = 7 * US;
  UNIT_PARAMS->walk_time = 300 * NS, UNIT_PARAMS->cached = 2;
}

struct programs {
  const uint64_t *program[TEST_CPUS];
  uint32_t values[TEST_CPUS];
};

/* Runs a program on each processor. */
static void runs(struct programs p) {
  uint32_t rows[TEST_CPUS];
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    if (!p.program[cpu]) p.program[cpu] = nothing, p.values[cpu] = ROW_FIELDS;
    rows[cpu] = p.values[cpu] / ROW_FIELDS;
  }
  struct session s = map_session(p.program, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  session_run();
}
#define RUN1(a) runs((struct programs){{a}, {sizeof(a) / 8}})
#define RUN3(a, b, c) runs((struct programs){{a, b, c}, {sizeof(a) / 8, sizeof(b) / 8, sizeof(c) / 8}})

/* A device behind the unit, which takes its addresses as physical if it is not translated. */
static void device(int translated) {
  round_numbers("translated-device");
  machine_without("memory");
  if (!translated) machine_unwired("card", BUS_MASTER_PORT_IOMMU);
}

/* 10 000 B from 100 B before the end of a page: pieces of 100, 8192 and 1708 B, in 100 us. */
TEST(a_device_translates_again_at_each_page) {
  const uint64_t first = 10 * PAGE - 100;
  const struct {
    int translated;
    uint64_t reach;
    uint32_t bytes, beyond, stopped, asks;
  } cases[] = {{0, UINT32_MAX, 10000, 0, 0, 0}, /* without a unit its addresses are physical */
      {0, 10 * PAGE, 100 + 8192, 1, 0, 0},      /* the last page is beyond its reach */
      {0, 10 * PAGE - 1, 100, 2, 0, 0}, {1, UINT32_MAX, 0, 0, 3, 3}}; /* not mapped */
  for (uint32_t i = 0; i < 4; i++) {
    device(cases[i].translated);
    CARD_PARAMS->rate = 100000000, CARD_PARAMS->start_time = 1 * US, CARD_PARAMS->reach = cases[i].reach;
    const uint64_t program[] = {ROW(START_DMA, first, 0, 10000, 0, 1, 0),
        ROW(START_DMA, first, 0, 5, 0, 1, 0), ROW(LAP, 0, 0, 0, 0, 0, 0), ROW(WAIT, 0, 0, 0, 0, 0, 1),
        ROW(LAP_END, 0, 0, 0, 0, 0, 0), END_ROW};
    machine_rows("cpu0", 0, ROWS(program));
    machine_run();
    const struct bus_master_counters *c = COUNTERS("card", bus_master);
    EXPECT_VALUES({c->transfers, 1}, {c->bytes, cases[i].bytes}, {c->beyond, cases[i].beyond},
        {c->stopped, cases[i].stopped}, {c->busy, 100 * US},
        {COUNTERS("unit", iommu)->translations, cases[i].asks});
    assert_int_equal(COUNT(refusals), 1); /* already started */
    const struct processor_params *cpu = PARAMS("cpu0", processor);
    assert_int_equal(CPU_COUNT("cpu0", lap_time), 101 * US + cpu->interrupt_time + cpu->wake_time);
  }
}

/* Mapped areas are reached through the unit, also by their handles; unmapped ones are not. */
TEST(a_device_reaches_mapped_areas_only) {
  device(1);
  CARD_PARAMS->rate = 1000000000;
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 2 * PAGE, 0, 0, 9),
      ROW(START_DMA, 0, 0, 2 * PAGE, 0, 2, 9), ROW(WAIT, 0, 0, 0, 0, 0, 1), ROW(UNMAP, 0, 0, 0, 0, 0, 9),
      ROW(START_DMA, 0, 0, 2 * PAGE, 0, 2, 9), ROW(WAIT, 0, 0, 0, 0, 0, 1),
      ROW(START_DMA, 0x80000000, 0, PAGE, 0, 2, 0xffffffff), ROW(WAIT, 0, 0, 0, 0, 0, 1), END_ROW};
  machine_rows("cpu0", 0, ROWS(program));
  machine_run();
  const struct bus_master_counters *c = COUNTERS("card", bus_master);
  assert_int_equal(c->transfers, 3); /* the handle still has its old address */
  EXPECT_VALUES({c->bytes, 2 * PAGE}, {c->stopped, 3}, {c->stale, 0});
}

static void moves(uint64_t address, uint64_t bytes, uint32_t write) {
  struct doorbell_start q = {.address = address, .bytes = bytes, .write = write};
  assert_int_equal(bus_master_driver_start(test_engine(), CONTEXT_OF("card", bus_master), &q), 1);
  session_run();
}

/* Entries 0 and 1 lead to pages 2 and 3 of eight. Then entry 0 leads to page 6, while the unit still has
 * page 2 cached. */
TEST(a_stale_translation_overwrites_the_wrong_page) {
  round_numbers("translated-device");
  machine_run();
  sim *m = test_engine();
  const struct memory_counters *c = COUNTERS("memory", memory);
  const struct shadow_word *pages = sim_at(m, STATE_OF("memory", memory)->shadow.at);
  iommu_map_set(m, CONTEXT_OF("unit", iommu),
      &(struct iommu_set){.entry = 0, .page = 2 * PAGE, .entries = 2, .stride = 1});
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(pages[i].write, i + 1);
  moves(MAP_PARAMS->base, 2 * PAGE, 1);
  EXPECT_VALUES({pages[2].newest, 9}, {pages[3].write, 10});
  iommu_map_set(m, CONTEXT_OF("unit", iommu),
      &(struct iommu_set){.entry = 0, .page = 6 * PAGE, .entries = 1, .stride = 1});
  moves(MAP_PARAMS->base, 2 * PAGE, 0);
  EXPECT_VALUES({c->given_away, 1}, {c->overwritten, 0});
  moves(MAP_PARAMS->base, 2 * PAGE, 1);
  assert_int_equal(c->overwritten, 1);
  static const struct shadow_word after[] = {
      {1, 1}, {2, 2}, {11, 9}, {12, 12}, {5, 5}, {6, 6}, {7, 11}, {8, 8}};
  assert_memory_equal(pages, after, sizeof after);
  assert_int_equal(c->old_reads, 0);
  iommu_map_invalidate_all(m, CONTEXT_OF("unit", iommu));
  moves(MAP_PARAMS->base, PAGE, 0); /* page 6 never got the data meant for it */
  EXPECT_VALUES({c->old_reads, 1}, {c->given_away, 1});
}

static void networked(void) {
  round_numbers("network");
  machine_without("memory");
  struct net_driver_params *stack = STACK_PARAMS;
  stack->stack_time = 10 * US, stack->copy_time = 1024 * NS, stack->batch_time = 3 * US,
  stack->gap = 500 * NS;
  stack->senders = TEST_CPUS, stack->batch = 1, stack->buffers = 2;
}

#define SENDS(n)                                                                             \
  ROW(REPEAT, 0, 0, 0, 0, n, 0), ROW(LAP, 0, 0, 0, 0, 0, 0), ROW(SEND, 0, 0, 1000, 0, 0, 0), \
      ROW(LAP_END, 0, 0, 0, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW

/*
 * A packet of 1000 B: 10 us of work and 1 us to copy; for each of two buffers 0.1 us under the lock and 1 us
 * for the hypervisor: 13.2 us in all. By the second packet the first has been sent and is reclaimed: 3 us,
 * and for each buffer 0.5 us of work, 2 us for the hypervisor and 0.2 us under the lock: 8.4 us more.
 */
TEST(a_packet_takes_the_sum_of_its_steps) {
  networked();
  static const uint64_t one[] = {SENDS(1)}, three[] = {SENDS(3)};
  RUN1(one);
  assert_int_equal(CPU_COUNT("cpu0", lap_time), 13200 * NS);
  RUN1(three);
  EXPECT_VALUES({CPU_COUNT("cpu0", lap_time), (3 * 13200 + 2 * 8400) * NS},
      {CPU_COUNT("cpu0", in_stack), (3 * 11000 + 2 * (3000 + 2 * 500)) * NS},
      {CPU_COUNT("cpu0", in_hypercall), (6 * 1000 + 4 * 2000) * NS},
      {CPU_COUNT("cpu0", in_locked), (6 * 100 + 4 * 200) * NS}, {COUNTERS("stack", net_driver)->batches, 2},
      {COUNTERS("stack", net_driver)->reclaimed, 2});
  STACK_PARAMS->batch =
      2; /* nothing is reclaimed before two have been sent; after the third packet, both are */
  RUN1(three);
  assert_int_equal(CPU_COUNT("cpu0", lap_time), (3 * 13200 + 3000 + 4 * 2700) * NS);
  assert_int_equal(COUNTERS("stack", net_driver)->batches, 1);
}

/*
 * 1000 B plus 90 B of overhead at 1 Gb/s, 8 ns per byte: 8720 ns, and the driver learns of it 1 us later.
 * Only one packet may be under way. The second call blocks (3 us) at 13.2 us, wakes (2) when the first
 * packet has been sent, at 22.92 us, and reclaims it first (8.4).
 */
TEST(a_full_window_waits_until_a_packet_was_sent) {
  networked();
  PARAMS("adapter", net_adapter)->rate = 1000000000 / 8, PARAMS("adapter", net_adapter)->overhead = 90,
                    PARAMS("adapter", net_adapter)->latency = 1 * US, STACK_PARAMS->window = 1;
  static const uint64_t two[] = {SENDS(2)};
  RUN1(two);
  EXPECT_VALUES({CPU_COUNT("cpu0", lap_last), (13200 + 8720 + 1000 + 2000 + 8400 + 13200 - 13200) * NS},
      {COUNTERS("stack", net_driver)->full, 1}, {CPU_COUNT("cpu0", in_switch), 3 * US},
      {COUNTERS("adapter", net_adapter)->busy, 2 * 8720 * NS}, {COUNTERS("adapter", net_adapter)->frames, 2});
}

#define MAP_AT(start)                                                                                \
  ROW(SPEND, 0, 0, 0, start, 0, 0), ROW(MAP, 0x40000, 0, PAGE, 0, 0, 0), ROW(LAP, 0, 0, 0, 0, 0, 0), \
      ROW(LAP_END, 0, 0, 0, 0, 0, 0), END_ROW

/*
 * One lock, held for 2 us. A holds it from 10 to 12 us. B and C arrive at 10.5 and 11 us and spin. After the
 * release one of the two waiters gets it in 0.3 + 2 x 0.04 us, holds it until 14.38 us, and hands it to the
 * other in 0.34 us: at 14.72 us.
 */
TEST(a_lock_is_handed_to_the_waiters) {
  round_numbers("mapping");
  MAP_PARAMS->pools = 1, MAP_PARAMS->hold_alloc = 2 * US;
  static const uint64_t a[] = {MAP_AT(10 * US)}, b[] = {MAP_AT(10500 * NS)}, c[] = {MAP_AT(11 * US)};
  RUN3(a, b, c);
  const struct iommu_map_counters *count = COUNTERS("maps", iommu_map);
  assert_int_equal(
      test_engine()->time, (14720 + 2000 + 1000) * NS); /* plus the hypervisor's 1 us, outside the lock */
  EXPECT_VALUES({count->acquisitions, 3}, {count->contentions, 2}, {count->barges, 0},
      {count->hold_time, 6 * US}, {count->hold_most, 2 * US},
      {count->wait_time, (12380 + 14720 - 10500 - 11000) * NS},
      {CPU_COUNT("cpu1", in_spin) + CPU_COUNT("cpu2", in_spin), count->wait_time});
}

/* While the lock is being handed to B, C arrives and takes it: B has to wait for C as well. */
TEST(a_newcomer_may_take_the_lock_first) {
  round_numbers("mapping");
  MAP_PARAMS->pools = 1, MAP_PARAMS->hold_alloc = 2 * US;
  static const uint64_t a[] = {MAP_AT(10 * US)}, b[] = {MAP_AT(11 * US)}, c[] = {MAP_AT(12200 * NS)},
                        late[] = {MAP_AT(12500 * NS)};
  RUN3(a, b, c); /* A to 12; C 12.2 to 14.2; B from 14.2 + 0.34 to 16.54; then 1 for the hypervisor */
  EXPECT_VALUES({test_engine()->time, 17540 * NS}, {COUNT(barges), 1}, {COUNT(contentions), 1},
      {COUNT(wait_time), 3540 * NS});
  RUN3(a, b, late); /* B from 12.34 to 14.34; the late one gets it 0.34 later */
  EXPECT_VALUES(
      {test_engine()->time, (14680 + 2000 + 1000) * NS}, {COUNT(barges), 0}, {COUNT(contentions), 2});
}

/*
 * A table of 6 entries, of which Linux allocates 4 (never the last two). With lazy flush the cached
 * translations are flushed when the search wraps around, under the lock. That map takes 7 us more, and a
 * second search of the pool.
 */
TEST(a_lazy_flush_delays_the_map_that_wraps_around) {
  round_numbers("mapping");
  MAP_PARAMS->entries = 6, MAP_PARAMS->pools = 1, MAP_PARAMS->flush = IOMMU_MAP_FLUSH_LAZY;
  static const uint64_t program[] = {ROW(REPEAT, 0, 0, 0, 0, 5, 0), ROW(LAP, 0, 0, 0, 0, 0, 0),
      ROW(MAP, 0x40000, 0, PAGE, 0, 0, 1), ROW(LAP_END, 0, 0, 0, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 1),
      ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  RUN1(program);
  const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
  EXPECT_VALUES({c->flushes, 1}, {c->wraps, 1}, {COUNTERS("unit", iommu)->flushes, 1},
      {CPU_COUNT("cpu0", lap_time), 5 * 1100 * NS + 7 * US}, {CPU_COUNT("cpu0", lap_last), 8100 * NS},
      {c->map_time, 5 * 1100 * NS + 7 * US}, {c->unmap_time, 5 * 2200 * NS});
}

/* Stray calls: at a rate of one in one, every map of CPU 0 of 2 is made for the other CPU. */
TEST(a_stray_call_uses_another_cpu_s_pool) {
  round_numbers("mapping");
  MAP_PARAMS->pools = 4, MAP_PARAMS->entries = 4096;
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, PAGE, 0, 0, 1), END_ROW};
  uint32_t home[TEST_CPUS];
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    runs((struct programs){{cpu == 0 ? program : NULL, cpu == 1 ? program : NULL, cpu == 2 ? program : NULL,
                               cpu == 3 ? program : NULL},
        {sizeof program / 8, sizeof program / 8, sizeof program / 8, sizeof program / 8}});
    assert_int_equal(COUNT(strayed), 0);
    home[cpu] =
        (uint32_t)((((struct iommu_map_handles *)map_view_of(MAPPER, IOMMU_MAP_VIEW_HANDLES))[1].address
                       - MAP_PARAMS->base)
                   / PAGE / 1024);
  }
  MAP_PARAMS->stray = 1;
  RUN1(program);
  assert_int_equal(COUNT(strayed), 1);
  uint32_t used =
      (uint32_t)((((struct iommu_map_handles *)map_view_of(MAPPER, IOMMU_MAP_VIEW_HANDLES))[1].address
                     - MAP_PARAMS->base)
                 / PAGE / 1024);
  assert_true(used == home[1] || used == home[2] || used == home[3]);
}
