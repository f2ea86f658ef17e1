/* Invariants checked on states set up by hand: each holds, and is violated by its own fault only. */
#include "test/engine_internals.h"

#include "test/order_machine.h"

#include "test/small_machine.h"

/*
 * Two lines of the I/O cache and two of a processor's cache. A line that the I/O cache owns must not be in
 * the processor's cache. A line that it has a copy of may only be shared there. A line that the processor
 * waits for is not there yet.
 */
TEST(a_line_owned_by_the_io_cache_is_in_no_other_cache) {
  sim *m = order_open(&(struct order){.shares = 1, .kept = 2, .interrupts = 1, .no_flags = 1});
  const struct checked c = checked_parts(m);
  uint32_t rows, tags;
  struct sba_lines *line = checked_view(m, R_SBA, SBA_VIEW_LINES, &rows);
  struct cache_lines *tag = checked_view(m, R_CACHE, CACHE_VIEW_LINES, &tags);
  EXPECT_VALUES({rows, 2}, {tags, 2}, {c.sba, R_SBA}, {c.pair, R_PAIR});
  for (uint32_t kept = 0; kept < 2; kept++)
    for (uint32_t at = 0; at < 2; at++)
      for (uint32_t how = 0; how < 3 * 3 * 2 * 2; how++) {
        const uint32_t states[] = {SBA_LINE_EMPTY, SBA_LINE_COPY, SBA_LINE_OWNED}, own = states[how % 3],
                       which = how / 3 % 3, shared = how / 9 % 2, waits = how / 18;
        memset(line, 0, 2 * sizeof *line), memset(tag, 0, 2 * sizeof *tag);
        line[kept] = (struct sba_lines){.addr = ORDER_FLAG + 128, .bytes = 128, .state = own};
        tag[at] = (struct cache_lines){.tag = (uint32_t)(ORDER_FLAG / 128) + which,
            .use = shared ? CACHE_SHARED
                          : CACHE_DIRTY}; /* tags count from 1: the line before, none, the line itself */
        if (which == 1) tag[at].tag = 0;
        ((struct rope_pair_processors *)sim_at(m, SIM_STATE(m, R_PAIR, rope_pair)->cpus_at))->waits = waits;
        assert_int_equal(io_cache_differs(m, &c),
            !waits && which == 2 && (own == SBA_LINE_OWNED || (own == SBA_LINE_COPY && !shared)));
      }
}

/* Each message on its way to the prover, and each step, accounts for one waiting party. The prover's choices
 * and messages to other parts do not. */
TEST(waiting_without_a_pending_message_is_a_deadlock) {
  for (uint32_t steps = 0; steps < 2; steps++)
    for (uint32_t answers = 0; answers < 2; answers++)
      for (uint32_t others = 0; others < 3; others++)
        for (uint32_t busy = 0; busy < 4; busy++) {
          sim *m = small_open(&(struct small){.cpus = 2, .adapter = COHERENT});
          const struct checked c = checked_parts(m);
          uint32_t found, rows;
          struct prover_now *now = checked_view(m, c.prover, PROVER_VIEW_NOW, &rows);
          if (steps)
            sim_push(
                m, 0, 0, &(sim_msg){.to = (uint16_t)c.prover, .port = SIM_PORT_SELF, .kind = PROVER_STEP});
          if (answers)
            sim_push(m, 0, 0,
                &(sim_msg){.to = (uint16_t)c.prover, .port = PROVER_PORT_CPU, .kind = PROVER_STEP + 1});
          if (others)
            sim_push(m, 0, 0,
                &(sim_msg){
                    .to = (uint16_t)c.runway, .port = others == 1 ? SIM_PORT_SELF : 0, .kind = PROVER_STEP});
          now->busy_0 = busy & 1, now->busy_1 = busy >> 1;
          const uint32_t waiting = (uint32_t)__builtin_popcount(busy);
          assert_int_equal(is_livelocked(m, &c), waiting > steps + answers);
          assert_int_equal(only_retries_enabled(m, &c, &found), others == 0);
          assert_int_equal(is_deadlocked(m, &c), others == 0 && waiting > steps + answers);
          if (others == 0) assert_int_equal(found, steps + answers);
          now->locked = 1; /* a locked pair still lacks its write, unless the device is busy */
          assert_false(is_deadlocked(m, &c));
          now->device = 1;
          assert_int_equal(is_deadlocked(m, &c), others == 0 && waiting + 1 > steps + answers);
        }
}

/* Three caches of two lines: the owner of a line has the only copy, in any position, and no line that the
 * adapter holds is in a cache. */
TEST(a_line_has_one_writer) {
  for (uint32_t a = 0; a < 3; a++)
    for (uint32_t b = 0; b < 3; b++)
      for (uint32_t how = 0; how < 4 * 4 * 4; how++) {
        sim *m = how ? test_engine() : small_open(&(struct small){.cpus = 3, .adapter = COHERENT});
        static const uint32_t states[] = {SNOOP_CACHE_LINE_INVALID, SNOOP_CACHE_LINE_SHARED,
            SNOOP_CACHE_LINE_PRIVATE_CLEAN, SNOOP_CACHE_LINE_PRIVATE_DIRTY};
        const uint32_t mine = states[how % 4], its = states[how / 4 % 4], tag = how / 16 & 1, held = how / 32;
        const struct checked c = checked_parts(m);
        uint32_t rows;
        if (a == b) continue;
        struct io_adapter_line *line = checked_view(m, c.adapter, IO_ADAPTER_VIEW_LINE, &rows);
        for (uint32_t i = 0; i < 3; i++) {
          struct snoop_cache_lines *lines = checked_view(m, c.cache[i], SNOOP_CACHE_VIEW_LINES, &rows);
          memset(lines, 0, rows * sizeof *lines);
          if (i == a) lines[rows - 1].tag = 6, lines[rows - 1].state = mine;
          if (i == b) lines[0].tag = 5 + tag, lines[0].state = its;
        }
        *line = (struct io_adapter_line){.state = held ? IO_ADAPTER_LINE_HELD : 0, .addr = 5 * RUNWAY_LINE};
        const int both = tag && mine && its
                         && (mine >= SNOOP_CACHE_LINE_PRIVATE_CLEAN || its >= SNOOP_CACHE_LINE_PRIVATE_CLEAN);
        assert_int_equal(has_two_writers(m, &c), both || (held && (mine || (tag && its))));
      }
}

/* An owner is compared with the other caches, and with nothing after the last of them. */
TEST(a_cache_is_not_compared_with_itself) {
  sim *m = small_open(&(struct small){.cpus = 3, .adapter = COHERENT});
  struct checked c = checked_parts(m);
  uint32_t rows;
  struct snoop_cache_lines *lines = checked_view(m, c.cache[0], SNOOP_CACHE_VIEW_LINES, &rows);
  lines[0].tag = 6, lines[0].state = SNOOP_CACHE_LINE_PRIVATE_DIRTY;
  c.cache[c.caches] = c.cache[0];
  assert_int_equal(has_two_writers(m, &c), 0);
  c.caches++;
  assert_int_equal(has_two_writers(m, &c), 1);
}

/* Indexes of the parts that invariants concern: the first of each kind, and all caches and processors up to
 * a limit. */
TEST(parts_are_found_at_any_index) {
  struct checked c = checked_parts(small_open(&(struct small){.cpus = 3, .adapter = COHERENT, .card = 0x1e}));
  const uint32_t found[] = {c.memory, c.runway, c.prover, c.adapter, c.bridge, c.pools, c.iommu, c.sba,
      c.pair, c.tcpip, c.ethernet, c.kernel, c.caches, c.cpus};
  const uint32_t wanted[] = {
      0, 1, 5, 6, 9, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, 3, 0};
  assert_memory_equal(found, wanted, sizeof found);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(c.cache[i], 4 - i);
  c = checked_parts(small_open(&(struct small){.cpus = 1, .adapter = COHERENT, .lines = 2, .pages = POOLED}));
  EXPECT_VALUES({c.pools, 6}, {c.bridge, SIM_NONE});
  c = checked_parts(order_open(&(struct order){0}));
  EXPECT_VALUES({c.prover, R_PROVER}, {c.adapter & c.runway & c.memory, SIM_NONE}, {c.caches, 0});
  hp(HP_CPUS, 0);
  hp_open();
  c = checked_parts(test_engine());
  EXPECT_VALUES({c.caches, HP_CPUS}, {c.cpus, 8});
  for (uint32_t i = 0; i < 8; i++)
    assert_int_equal(sim_part(test_engine(), c.cpu[i])->type, SIM_TYPE_PROCESSOR);
}

/* A kernel and its processor. */
TEST(a_kernel_is_found) {
  static const uint64_t program[] = {END};
  const struct processor_params cpu = PROCESSOR_DEFAULTS;
  const struct kernel_params kernel = KERNEL_DEFAULTS;
  struct session s = session_new(2, 1, 4);
  session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
  session_table(&s, program, 1, 8);
  session_part(&s, SIM_TYPE_KERNEL, (const uint64_t *)&kernel, sizeof kernel / 8);
  session_wire(&s, 1, KERNEL_PORT_CPU, 0, PROCESSOR_PORT_OS);
  assert_int_equal(session_open(&s), SIM_OK);
  const struct checked c = checked_parts(test_engine());
  EXPECT_VALUES({c.kernel, 1}, {c.cpus, 1}, {c.cpu[0], 0});
}

/* Of two processors, either may have a line that the I/O cache owns. */
TEST(each_processor_is_checked_against_the_io_cache) {
  sim *m = order_open(&(struct order){.shares = 1, .kept = 2, .interrupts = 1, .no_flags = 1, .second = 1});
  const struct checked c = checked_parts(m);
  const uint32_t caches[] = {R_CACHE, R_SECOND_CACHE};
  uint32_t rows;
  struct sba_lines *line = checked_view(m, R_SBA, SBA_VIEW_LINES, &rows);
  line[rows - 1] = (struct sba_lines){.addr = ORDER_FLAG, .bytes = 128, .state = SBA_LINE_OWNED};
  assert_false(io_cache_differs(m, &c));
  for (uint32_t i = 0; i < 2; i++) {
    struct cache_lines *tag = checked_view(m, caches[i], CACHE_VIEW_LINES, &rows);
    tag[rows - 1] = (struct cache_lines){.tag = ORDER_FLAG / 128 + 1};
    assert_true(io_cache_differs(m, &c));
    *rope_pair_waits(m, SIM_CONTEXT(m, R_PAIR, rope_pair), i) = ROPE_PAIR_WAITS_DATA;
    assert_false(io_cache_differs(m, &c));
    tag[rows - 1].tag = 0;
  }
}

/* A prefetched line needs a live translation, in any slot; an empty slot is not checked. Entry 1 leads to
 * page 5. */
TEST(a_prefetched_line_has_a_live_entry) {
  static const struct {
    uint64_t entry, addr, physical;
    uint32_t state, dead;
  } cases[] = {{5 << 12 | IO_PAGE_VALID, 0x1040, 0x5040, 1, 0},
      {5 << 12 | IO_PAGE_VALID, 0x1fe0, 0x5fe0, 1, 0}, {5 << 12 | IO_PAGE_VALID, 0x1040, 0x6040, 1, 1},
      {5 << 12 | IO_PAGE_VALID, 0x1040, 0x4fe0, 1, 1}, {5 << 12 | IO_PAGE_VALID, 0x2040, 0x5040, 1, 1},
      {5 << 12 | IO_PAGE_VALID, 0x0040, 0x5040, 1, 1}, {5 << 12, 0x1040, 0x5040, 1, 1},
      {5 << 12, 0x1040, 0x5040, 0, 0}, {5 << 12 | IO_PAGE_VALID, 0x2040, 0x6040, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = small_open(&(struct small){.cpus = 1, .adapter = COHERENT});
    const struct checked c = checked_parts(m);
    uint32_t rows;
    struct io_adapter_prefetch *ahead = checked_view(m, c.adapter, IO_ADAPTER_VIEW_PREFETCH, &rows);
    call_shadow_value(m, c.cache[0], SNOOP_CACHE_PORT_BUS,
        &(struct shadow_value){.address = IO_DIRECTORY + 8, .set = 1, .value = cases[i].entry});
    for (uint32_t slot = 0; slot < rows; slot++) {
      ahead[slot] = (struct io_adapter_prefetch){
          .state = cases[i].state, .addr = cases[i].addr, .physical = cases[i].physical};
      assert_int_equal(stale_translation(m, &c), cases[i].dead);
      ahead[slot] = (struct io_adapter_prefetch){0};
    }
    assert_int_equal(stale_translation(m, &c), 0);
  }
}

/* The same holds for a line of which a device has read a part. */
TEST(a_partly_read_line_has_a_live_entry) {
  static const struct {
    uint64_t entry, addr;
    uint32_t kept, dead;
  } cases[] = {{5 << 12 | IO_PAGE_VALID, 0x1050, 1, 0}, {5 << 12 | IO_PAGE_VALID, 0x2050, 1, 1},
      {5 << 12, 0x1050, 1, 1}, {5 << 12, 0x1050, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = small_open(&(struct small){.cpus = 1, .adapter = COHERENT});
    const struct checked c = checked_parts(m);
    uint32_t rows;
    struct io_adapter_rest *rest = checked_view(m, c.adapter, IO_ADAPTER_VIEW_REST, &rows);
    call_shadow_value(m, c.cache[0], SNOOP_CACHE_PORT_BUS,
        &(struct shadow_value){.address = IO_DIRECTORY + 8, .set = 1, .value = cases[i].entry});
    for (uint32_t slot = 0; slot < rows; slot++) {
      rest[slot] = (struct io_adapter_rest){.kept = cases[i].kept, .addr = cases[i].addr};
      assert_int_equal(stale_translation(m, &c), cases[i].dead);
      rest[slot] = (struct io_adapter_rest){0};
    }
  }
}

/* An allocator with lazy flush leaves stale translations for a while. One that flushes each does not, nor
 * does a driver without an allocator. */
TEST(lazy_flush_leaves_translations_by_design) {
  static const struct {
    uint32_t pages, flush, dead;
  } cases[] = {{OWN, 0, 1}, {POOLED, IOMMU_MAP_FLUSH_LAZY_MENDED, 0}, {POOLED, IOMMU_MAP_FLUSH_EACH, 1}};
  for (uint32_t i = 0; i < 3; i++) {
    sim *m = small_open(&(struct small){.cpus = 1, .adapter = COHERENT, .lines = 2, .pages = cases[i].pages});
    const struct checked c = checked_parts(m);
    uint32_t rows;
    if (cases[i].pages == POOLED)
      ((struct iommu_map_params *)sim_at(m, sim_part(m, c.pools)->params_at))->flush = cases[i].flush;
    struct io_adapter_tlb *tlb = checked_view(m, c.adapter, IO_ADAPTER_VIEW_TLB, &rows);
    assert_int_equal(stale_translation(m, &c), 0);
    tlb[rows - 1].valid = 1;
    assert_int_equal(stale_translation(m, &c), cases[i].dead);
  }
}

/* No event is pending, and a thread of some processor has not ended: nothing will wake it. */
TEST(a_thread_that_has_not_ended_is_a_deadlock) {
  hp(2, 0);
  machine_with("prover");
  hp_open();
  sim *m = test_engine();
  const struct checked c = checked_parts(m);
  while (m->pending) sim_cancel(m, slot_of(soon(m)[0]));
  for (uint32_t cpu = 0; cpu < 2; cpu++) {
    uint32_t rows;
    struct processor_threads *threads = checked_view(m, CPU(cpu), PROCESSOR_VIEW_THREADS, &rows);
    for (uint32_t i = 0; i < rows; i++) threads[i].status = PROCESSOR_THREAD_OVER;
  }
  assert_false(is_deadlocked(m, &c));
  for (uint32_t cpu = 0; cpu < 2; cpu++) {
    uint32_t rows;
    struct processor_threads *threads = checked_view(m, CPU(cpu), PROCESSOR_VIEW_THREADS, &rows);
    for (uint32_t i = 0; i < rows; i++) {
      threads[i].status = PROCESSOR_THREAD_READY;
      assert_true(is_deadlocked(m, &c));
      sim_push(
          m, 0, 0, &(sim_msg){.to = (uint16_t)CPU(cpu), .port = SIM_PORT_SELF}); /* an event is pending */
      assert_false(is_deadlocked(m, &c));
      sim_cancel(m, slot_of(soon(m)[0]));
      threads[i].status = PROCESSOR_THREAD_OVER;
    }
  }
}

/* Each kind of part is found on its own: a machine with only that part has nothing else to check. */
TEST(parts_are_told_apart) {
  sim *m = order_open(&(struct order){.shares = 1, .kept = 2, .interrupts = 1, .no_flags = 1});
  struct checked c;
  const struct {
    uint32_t type;
    const uint32_t *found;
  } kinds[] = {{SIM_TYPE_IO_ADAPTER, &c.adapter}, {SIM_TYPE_PROVER, &c.prover}, {SIM_TYPE_RUNWAY, &c.runway},
      {SIM_TYPE_MEMORY_CONTROLLER, &c.memory}, {SIM_TYPE_HSC_PCI, &c.bridge}, {SIM_TYPE_IOMMU_MAP, &c.pools},
      {SIM_TYPE_IOMMU, &c.iommu}, {SIM_TYPE_SBA, &c.sba}, {SIM_TYPE_ROPE_PAIR, &c.pair},
      {SIM_TYPE_TCPIP, &c.tcpip}, {SIM_TYPE_ETHERNET, &c.ethernet}, {SIM_TYPE_KERNEL, &c.kernel}};
  for (uint32_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    for (uint32_t i = 0; i < m->part_count; i++)
      sim_part(m, i)->type = i == 1 ? (uint16_t)kinds[kind].type : SIM_TYPE_WATCHER;
    c = checked_parts(m);
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
      assert_int_equal(*kinds[i].found, i == kind ? 1 : SIM_NONE);
    assert_int_equal(c.caches + c.cpus, 0);
  }
  for (uint32_t i = 0; i < m->part_count; i++)
    sim_part(m, i)->type = i == 0 ? SIM_TYPE_PROCESSOR : i == 1 ? SIM_TYPE_SNOOP_CACHE : SIM_TYPE_WATCHER;
  c = checked_parts(m);
  EXPECT_VALUES({c.cpus, 1}, {c.cpu[0], 0}, {c.caches, 1}, {c.cache[0], 1});
}
