/*
 * An I/O page table in memory behind a system bus adapter: the time of a miss, the time of mapping, and the
 * unit's registers. Memory answers after 100 ns and transfers a byte in 1 ns, so that a walk's read of 64 B
 * delays the next one by up to 64 ns.
 */
#include "test/ropes.h"

#define COUNT(name) (COUNTERS("sba", sba)->name)

#define REACH 0x40000000ull
#define TABLE 0x200000ull
#define REGISTERS 0xfed00000ull
#define UNIT_COUNT(name) (COUNTERS("unit", iommu)->name)

static void in_memory(const char *name, uint64_t levels) {
  ropes_of(name);
  PARAMS("memory", memory)->latency = 100 * NS, PARAMS("memory", memory)->bandwidth = 1000000000;
  PARAMS("unit", iommu)->levels = levels, PARAMS("unit", iommu)->table = TABLE,
                 PARAMS("unit", iommu)->registers = REGISTERS, PARAMS("unit", iommu)->walk_time = 1;
  PARAMS("map", iommu_map)->base = REACH, PARAMS("map", iommu_map)->entries = 1024,
                PARAMS("map", iommu_map)->page = 4096;
  PARAMS("map", iommu_map)->hold_alloc = PARAMS("map", iommu_map)->word_time =
      PARAMS("map", iommu_map)->hold_free = PARAMS("map", iommu_map)->map_call =
          PARAMS("map", iommu_map)->demap_call = PARAMS("map", iommu_map)->entry_time = 0;
}

/* At 1000 ns pages 5 and 600 are mapped in the table, and no request has been made. */
static void mapped(uint64_t levels) {
  in_memory("ropes-walking", levels);
  machine_run();
  iommu_map_set(OF(UNIT_PART, iommu), &(struct iommu_set){.entry = 5, .page = AT, .entries = 1, .stride = 1});
  iommu_map_set(
      OF(UNIT_PART, iommu), &(struct iommu_set){.entry = 600, .page = AT + 4096, .entries = 1, .stride = 1});
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}

static struct iommu_translate asked(uint64_t page, uint32_t found) {
  struct iommu_translate q = {.address = REACH + page * 4096 + 16};
  assert_int_equal(iommu_device_translate(OF(UNIT_PART, iommu), 0, &q), found);
  return q;
}

/* One read of 64 B of memory per level, the second after the first. Another miss at the same time finds
 * memory busy with the earlier reads: 64 ns each. A cached translation takes no time. */
TEST(a_miss_takes_the_time_of_its_memory_reads) {
  for (uint32_t levels = 1; levels <= 2; levels++) {
    mapped(levels);
    struct memory_counters before = *COUNTERS("memory", memory);
    struct iommu_translate first = asked(5, 1), again = asked(5, 1), other = asked(600, 1);
    EXPECT_VALUES({first.time, levels * 100 * NS}, {first.physical, AT + 16}, {again.time, 0});
    assert_int_equal(other.time,
        levels == 1 ? 164 * NS
                    : 364 * NS); /* two levels: busy until 164, the upper entry at 264, the other at 364 */
    EXPECT_VALUES({other.physical, AT + 4096 + 16},
        {COUNTERS("memory", memory)->reads - before.reads, 2 * levels},
        {COUNTERS("memory", memory)->bytes_read - before.bytes_read, 2 * levels * 64},
        {UNIT_COUNT(misses), 2}, {UNIT_COUNT(walks), 2}, {UNIT_COUNT(walk_reads), 2 * levels},
        {UNIT_COUNT(walking), first.time + other.time});
    EXPECT_EVENTS(UNIT_PART, {1000 * NS, IOMMU_EV_READS, first.time, 5, levels, ANY_CAUSE},
        {1000 * NS, IOMMU_EV_MISS, REACH + 5 * 4096 + 16, 5, AT / 4096, ANY_CAUSE},
        {1000 * NS, IOMMU_EV_READS, other.time, 600, levels, ANY_CAUSE},
        {1000 * NS, IOMMU_EV_MISS, REACH + 600 * 4096 + 16, 600, AT / 4096 + 1, ANY_CAUSE});
  }
}

/* Unmapped pages are not cached: each access walks again. Outside the table there is no walk. The registers
 * return the number of stopped accesses and the address of the last. */
TEST(unmapped_pages_are_walked_each_time) {
  mapped(1);
  for (uint32_t i = 1; i <= 3; i++) {
    asked(9, 0);
    assert_int_equal(UNIT_COUNT(walks), i);
  }
  asked(1024, 0);
  assert_int_equal(UNIT_COUNT(walks), 3);
  struct iommu_register many = {.address = REGISTERS + IOMMU_REG_FAULTS},
                        last = {.address = REGISTERS + IOMMU_REG_FAULT};
  assert_int_equal(iommu_device_register(OF(UNIT_PART, iommu), 0, &many), 1);
  assert_int_equal(iommu_device_register(OF(UNIT_PART, iommu), 0, &last), 1);
  EXPECT_VALUES({many.value, 4}, {last.value, REACH + 1024 * 4096 + 16});
}

/* The register window has 4 KiB. A unit that has its table inside has no window: a store there is
 * unclaimed. */
TEST(addresses_outside_the_window_are_no_registers) {
  for (uint32_t in = 0; in <= 1; in++) {
    in_memory(in ? "ropes-walking" : "ropes", 1);
    machine_run();
    uint64_t at[] = {REGISTERS - 4, REGISTERS, REGISTERS + 4092, REGISTERS + 4096};
    for (uint32_t i = 0; i < 4; i++)
      assert_int_equal(iommu_device_register(
                           OF(UNIT_PART, iommu), 0, &(struct iommu_register){.address = at[i], .store = 1}),
          in && (i == 1 || i == 2));
    struct front_post store = {.address = REGISTERS + IOMMU_REG_FLUSH, .bytes = 4};
    sba_cpu_post(OF(SBA_PART, sba), 0, &store);
    EXPECT_VALUES({COUNT(unclaimed), !in}, {UNIT_COUNT(flushes), in});
  }
}

/*
 * The processor stores the entries: three of eight bytes in one line of 128. The first store fetches the
 * line, 10 ns for the access and 100 for memory; the other two hit. When they are cleared all three hit. A
 * store of 30 ns invalidates each page's translation, and a load of 50 ns, plus 40 ns to the adapter and
 * back, confirms it. Nothing is flushed, although the service would.
 */
TEST(entries_are_stored_through_the_cache) {
  static const uint64_t program[] = {
      ROW(MAP, AT, 0, 3 * 4096, 4, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 4, 0, 0, 0), END};
  in_memory("ropes-walking", 1);
  machine_without("cpu1"), machine_without("cache1"), machine_without("cpu2"), machine_without("cache2");
  machine_rows("cpu0", 0, ROWS(program));
  SET_CPUS(access_time, 10 * NS), SET_CPUS(store_time, 30 * NS), SET_CPUS(load_time, 50 * NS),
      SET_CPUS(clock, 0);
  PARAMS("map", iommu_map)->flush_entries = 1;
  machine_run();
  const struct iommu_map_counters *map = COUNTERS("map", iommu_map);
  EXPECT_VALUES({map->map_time, 110 * NS + 2 * 10 * NS},
      {map->unmap_time, 3 * 10 * NS + 3 * 30 * NS + 50 * NS + 40 * NS}, {map->stored, 6},
      {SIM_COUNTERS(ENGINE, ROPE_CACHE(0), cache)->misses, 1},
      {SIM_COUNTERS(ENGINE, ROPE_CACHE(0), cache)->hits, 5},
      {SIM_COUNTERS(ENGINE, ROPE_CPU(0), processor)->fills, 1},
      {SIM_COUNTERS(ENGINE, ROPE_CPU(0), processor)->in_fill, 110 * NS});
}
