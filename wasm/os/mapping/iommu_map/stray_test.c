/* Threads that map on another processor than the one whose pool they use, and the owners
 * shown for entries. */
#include "test/mapping.h"

#define UNMAPPED 0u

/* Four processors, each with its own pool of 1024 entries; one of them has a program. */
static void four_pools(void) {
  machine("mapping");
  PARAMS("maps", iommu_map)->pools = 4, PARAMS("maps", iommu_map)->home = IOMMU_MAP_HOME_MODULO;
}

static void opened(uint32_t cpu, const uint64_t *program, uint32_t values) {
  const uint64_t *programs[] = {nothing, nothing, nothing, nothing};
  uint32_t rows[] = {1, 1, 1, 1};
  programs[cpu] = program, rows[cpu] = values / ROW_FIELDS;
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(test_engine(), 1);
}
#define OPEN(cpu, program) opened(cpu, program, sizeof(program) / 8)

/* Returns the first record of a kind from the service, or NULL. */
static const struct sim_record *first_record(uint32_t kind) {
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++)
    if (ring[i].part == MAPPER && ring[i].kind == kind) return &ring[i];
  return NULL;
}

/* One call in three strays: to one of the next three processors, never to its own. It uses the lock and the
 * entries of that processor's pool. */
TEST(a_call_strays_to_another_processor_s_pool) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 5), END_ROW};
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++)
    for (uint32_t chosen = 0; chosen < 3; chosen++)
      for (uint32_t k = 0; k < 3; k++) {
        four_pools();
        PARAMS("maps", iommu_map)->stray = 3;
        OPEN(cpu, program);
        const uint32_t record[] = {chosen, k}, strays = chosen == 0, pool = strays ? (cpu + 1 + k) % 4 : cpu;
        sim_replay(test_engine(), record, 1 + strays);
        session_run();
        assert_int_equal(COUNTERS("maps", iommu_map)->strayed, strays);
        assert_int_equal(COUNTERS("maps", iommu_map)->at_home, 1); /* counted for the pool that it uses */
        assert_int_equal(first_record(IOMMU_MAP_EV_ACQUIRE)->b, pool);
        assert_int_equal(first_record(IOMMU_MAP_EV_ACQUIRE)->c, cpu);
        assert_int_equal(
            first_record(IOMMU_MAP_EV_MAP)->a, PARAMS("maps", iommu_map)->base + pool * 1024ull * 8192);
        const struct sim_record *stray = first_record(IOMMU_MAP_EV_STRAYED);
        assert_int_equal(stray != NULL, strays);
        if (!stray) continue;
        EXPECT_VALUES({stray->b, pool}, {stray->c, cpu});
      }
}

/* The same with hashed CPU numbers. With a stride of eight the third processor has number 16, and 24 when its
 * call strays to the next. */
TEST(a_stray_call_has_the_number_of_the_other_processor) {
  static const uint64_t program[] = {ROW(MAP, 0x40000, 0, 8192, 0, 0, 5), END_ROW};
  for (uint32_t stray = 0; stray < 2; stray++) {
    four_pools();
    PARAMS("maps", iommu_map)->home = IOMMU_MAP_HOME_LINUX, PARAMS("maps", iommu_map)->pools = 16,
                   PARAMS("maps", iommu_map)->cpu_stride = 8, PARAMS("maps", iommu_map)->stray = stray;
    OPEN(2, program);
    const uint32_t record[] = {0, 0};
    sim_replay(test_engine(), record, 2 * stray);
    session_run();
    assert_int_equal(first_record(IOMMU_MAP_EV_ACQUIRE)->b, map_cpu_hash(stray ? 24 : 16, 0x9e370001u));
    assert_int_equal(COUNTERS("maps", iommu_map)->strayed, stray);
  }
}

/* A single processor never strays, whatever the parameter. With two processors a call strays to the other
 * one. */
TEST(a_single_processor_does_not_stray) {
  static const uint64_t program[] = {ROW(REPEAT, 0, 0, 0, 0, 4, 0), ROW(MAP, 0x40000, 0, 8192, 0, 0, 5),
      ROW(UNMAP, 0, 0, 0, 0, 0, 5), ROW(AGAIN, 0, 0, 0, 0, 0, 0), END_ROW};
  for (uint32_t cpus = 1; cpus <= 2; cpus++) {
    four_pools();
    PARAMS("maps", iommu_map)->stray = 1;
    struct session s = session_new(cpus + 1, cpus, 14);
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
      session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)PARAMS("cpu0", processor),
          sizeof(struct processor_params) / 8);
      session_table(&s, cpu ? nothing : program, cpu ? 1 : 5, ROW_FIELDS);
    }
    session_part(&s, SIM_TYPE_IOMMU_MAP, (const uint64_t *)PARAMS("maps", iommu_map),
        sizeof(struct iommu_map_params) / 8);
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
      session_wire(&s, cpu, PROCESSOR_PORT_OS, cpus, IOMMU_MAP_PORT_CPU + cpu);
    assert_int_equal(session_open(&s), SIM_OK);
    session_run();
    assert_int_equal(SIM_COUNTERS(test_engine(), cpus, iommu_map)->maps, 4);
    assert_int_equal(SIM_COUNTERS(test_engine(), cpus, iommu_map)->strayed, cpus == 1 ? 0 : 4);
    const map_lock *locks = map_view_of(cpus, IOMMU_MAP_VIEW_LOCKS);
    for (uint32_t pool = 0; pool < 4; pool++)
      assert_int_equal(locks[pool].acquisitions, pool == cpus - 1 ? 8 : 0);
  }
}

/* Each of three entries shows its processor, the first also the start of a mapping, and the time of the
 * search in ticks of about 4 us. Unmapped entries show nothing. */
TEST(an_entry_shows_its_owner_and_its_time) {
  const uint64_t later = 100 * IOMMU_MAP_TICK;
  const uint64_t program[] = {ROW(UNTIL, 0, 0, 0, later, 0, 0), ROW(MAP, 0x40000, 0, 3 * 8192, 0, 0, 5),
      ROW(SPEND, 0, 0, 0, 1000000000, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, 5), END_ROW};
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    four_pools();
    OPEN(cpu, program);
    sim_run(test_engine(), 2 * later, SIM_NEVER);
    const struct iommu_map_entries *entry = map_view_of(MAPPER, IOMMU_MAP_VIEW_ENTRIES);
    const uint32_t first = cpu * 1024,
                   shown = (cpu + 1) << IOMMU_MAP_ENTRIES_OWNER | 100u << IOMMU_MAP_ENTRIES_BORN;
    for (uint32_t i = 0; i < 4096; i++)
      assert_int_equal(entry[i].entry, i < first || i > first + 2 ? UNMAPPED
                                       : i == first               ? shown | 1u << IOMMU_MAP_ENTRIES_BEGINS
                                                                  : shown);
    assert_int_equal(COUNTERS("maps", iommu_map)->used, 3);
    session_run();
    for (uint32_t i = 0; i < 4096; i++) assert_int_equal(entry[i].entry, UNMAPPED);
    assert_int_equal(COUNTERS("maps", iommu_map)->used, 0);
  }
}

/* An unused handle, the first, the last or one beyond, has no address. Unmapping it does nothing. */
TEST(an_unused_handle_is_not_unmapped) {
  enum { HANDLES = 3 };
  static const uint64_t program[] = {ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(UNMAP, 0, 0, 0, 0, 0, HANDLES - 1),
      ROW(UNMAP, 0, 0, 0, 0, 0, HANDLES), END_ROW};
  four_pools();
  PARAMS("maps", iommu_map)->handles = HANDLES;
  OPEN(0, program);
  const struct iommu_map_handles *handles = map_view_of(MAPPER, IOMMU_MAP_VIEW_HANDLES);
  for (uint32_t tag = 0; tag < HANDLES; tag++) assert_true(handles[tag].address == MAP_NONE);
  session_run();
  const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
  EXPECT_VALUES({c->unmaps + c->hypercalls + c->acquisitions + c->bad_frees, 0}, {test_engine()->time, 0});
}

/* A bit for each entry, in words of 64 bits: 64 entries take one word, 65 take two. */
TEST(a_bitmap_has_a_bit_for_each_entry) {
  for (uint32_t more = 0; more < 2; more++) {
    four_pools();
    PARAMS("maps", iommu_map)->entries = 64 + more, PARAMS("maps", iommu_map)->pools = 1,
                   PARAMS("maps", iommu_map)->span_check = 1;
    OPEN(0, nothing);
    uint32_t rows;
    checked_view(test_engine(), MAPPER, IOMMU_MAP_VIEW_BITMAP, &rows);
    assert_int_equal(rows, 2 + 2 * more);
    const struct sim_view_entry *views = sim_at(test_engine(), test_engine()->views_at);
    assert_int_equal(views[sim_part(test_engine(), MAPPER)->first_view + IOMMU_MAP_VIEW_BITMAP].row_bytes,
        4); /* rows are half words */
  }
}

/*
 * 14 entries can be allocated. 12 and 2 are allocated, and the 12 freed. For the next three the search wraps,
 * which flushes. The other two are then freed, ahead of the search, and allocated again without another
 * flush, which is reported.
 */
TEST(an_entry_reused_without_a_flush_is_reported) {
  static const uint64_t program[] = {ROW(MAP, 0, 0, 12 * 8192, 0, 0, 0), ROW(MAP, 0, 0, 2 * 8192, 0, 0, 1),
      ROW(UNMAP, 0, 0, 0, 0, 0, 0), ROW(MAP, 0, 0, 3 * 8192, 0, 0, 2), ROW(UNMAP, 0, 0, 0, 0, 0, 1),
      ROW(MAP, 0, 0, 9 * 8192, 0, 0, 3), ROW(MAP, 0, 0, 2 * 8192, 0, 0, 4), END_ROW};
  for (uint32_t mended = 0; mended < 2; mended++) {
    four_pools();
    PARAMS("maps", iommu_map)->pools = 1, PARAMS("maps", iommu_map)->entries = 16,
                   PARAMS("maps", iommu_map)->flush =
                       mended ? IOMMU_MAP_FLUSH_LAZY_MENDED : IOMMU_MAP_FLUSH_LAZY;
    OPEN(2, program);
    session_run();
    const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
    EXPECT_VALUES({c->maps, 5}, {c->reused, !mended}, {c->flushes, 1 + mended});
    const struct sim_record *reuse = first_record(IOMMU_MAP_EV_REUSE);
    assert_int_equal(reuse != NULL, !mended);
    if (!reuse) continue;
    EXPECT_VALUES({reuse->a, PARAMS("maps", iommu_map)->base + 12 * 8192}, {reuse->b, 2}, {reuse->c, 2});
  }
}

/* Without hypercalls no hypervisor time is counted, for any number of entries, and no event is traced,
 * whether under the lock or outside. */
TEST(without_a_hypervisor_a_call_takes_only_its_search) {
  static const uint64_t program[] = {
      ROW(MAP, 0x40000, 0, 3 * 8192, 0, 0, 5), ROW(UNMAP, 0, 0, 0, 0, 0, 5), END_ROW};
  for (uint64_t scope = IOMMU_MAP_SCOPE_OUTSIDE; scope <= IOMMU_MAP_SCOPE_INSIDE; scope++) {
    four_pools();
    PARAMS("maps", iommu_map)->scope = scope,
                   PARAMS("maps", iommu_map)->map_call = PARAMS("maps", iommu_map)->demap_call = 0;
    OPEN(0, program);
    session_run();
    const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
    assert_int_equal(
        c->map_time, PARAMS("maps", iommu_map)->hold_alloc + 2 * PARAMS("maps", iommu_map)->word_time);
    assert_int_equal(c->unmap_time, PARAMS("maps", iommu_map)->hold_free);
    assert_int_equal(c->hypercalls, 0);
    assert_int_equal(c->call_time, 0);
    assert_null(first_record(IOMMU_MAP_EV_HYPERCALL));
  }
}

/* A quarter of the table is the large pool; four pools share the rest. Without a large pool
 * they share all. */
TEST(a_large_pool_has_a_quarter_of_the_table) {
  for (uint32_t large = 0; large < 2; large++) {
    four_pools();
    PARAMS("maps", iommu_map)->large = large ? IOMMU_MAP_LARGE_LINUX : IOMMU_MAP_LARGE_NONE,
                   PARAMS("maps", iommu_map)->span_check = 1;
    OPEN(0, nothing);
    const struct iommu_map_counters *c = COUNTERS("maps", iommu_map);
    EXPECT_VALUES({c->pool_count, 4}, {c->pool_size, large ? 768 : 1024}, {c->large_size, large ? 1024 : 0});
  }
}

static void maps(const void *thread) {
  uint32_t words[11] = {[0] = 0x40000, [4] = 8192, [7] = 5};
  iommu_map_cpu_call(test_engine(), SIM_CONTEXT(test_engine(), MAPPER, iommu_map), 0,
      &(struct os_call){
          .thread = *(const uint32_t *)thread, .operation = PROCESSOR_OP_MAP, .arguments = words});
}
static void goes_on(const void *thread) {
  struct os_next next = {.thread = *(const uint32_t *)thread};
  iommu_map_cpu_next(test_engine(), SIM_CONTEXT(test_engine(), MAPPER, iommu_map), 0, &next);
}

/* A thread number out of range stops the engine before the service accesses another processor's row. */
TEST(a_thread_out_of_range_stops_the_engine) {
  four_pools();
  OPEN(0, nothing);
  for (uint32_t over = 0; over < 2; over++) {
    const uint32_t thread = CALLS_PER_CPU - 1 + over;
    assert_int_equal(test_stops(maps, &thread), over);
    assert_int_equal(
        map_call_of(test_engine(), STATE_OF("maps", iommu_map), thread)->op, over ? 0 : PROCESSOR_OP_MAP);
    assert_int_equal(test_stops(goes_on, &thread), over);
  }
}

/* The processor's own pool has 1022 entries, too few for two requests of 600. The second spills to the next
 * pool; the event names the processor and both pools. */
TEST(a_spill_event_names_both_pools) {
  static const uint64_t program[] = {
      ROW(MAP, 0x100000, 0, 600 * 8192, 0, 0, 5), ROW(MAP, 0x900000, 0, 600 * 8192, 0, 0, 6), END_ROW};
  four_pools();
  PARAMS("maps", iommu_map)->large = IOMMU_MAP_LARGE_NONE;
  OPEN(2, program);
  session_run();
  const struct sim_record *spill = first_record(IOMMU_MAP_EV_SPILL);
  assert_non_null(spill);
  EXPECT_VALUES({spill->a, 2}, {spill->b, 3}, {spill->c, 2}, {COUNTERS("maps", iommu_map)->spills, 1});
}
