/* Unit tests of the system bus adapter: routing of accesses to ropes, notification of room, translation, and
 * invalidation of lines. */
#include "test/ropes.h"

#define COUNT(name) (COUNTERS("sba", sba)->name)

static uint32_t posted(uint32_t cpu, uint64_t address) {
  struct front_post q = {.address = address, .bytes = 4, .value = 1};
  return sba_cpu_post(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), cpu, &q);
}

static uint32_t stores_on(uint32_t rope) {
  return lba_view(ENGINE, SIM_CONTEXT(ENGINE, ON_ROPE(LBA_PART, rope), lba))->stores;
}

static void a_store_goes_down_the_rope_whose_bus_claims_it(void **state) {
  (void)state;
  static const struct {
    uint64_t address;
    uint32_t first, second, lost;
  } cases[] = {{FIRST, 1, 0, 0}, {FIRST + 4095, 1, 0, 0}, {SECOND, 0, 1, 0}, {SECOND + 8191, 0, 1, 0},
      {FIRST - 1, 0, 0, 1}, {SECOND + 8192, 0, 0, 1}, {0, 0, 0, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    two_ropes();
    machine_open();
    assert_true(posted(0, cases[i].address) > 1); /* also if lost: the processor does not wait for it */
    assert_int_equal(stores_on(0), cases[i].first);
    assert_int_equal(stores_on(1), cases[i].second);
    assert_int_equal(sba_cpu_posted_count(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 0), !cases[i].lost);
    assert_int_equal(COUNT(posted), !cases[i].lost);
    assert_int_equal(COUNT(unclaimed), cases[i].lost);
    assert_events(
        SBA_PART, &(struct expected_event){0, SBA_EV_UNCLAIMED, cases[i].address, 0, 0, 0}, cases[i].lost);
  }
}

static void awaits(uint32_t cpu, uint64_t after) {
  sba_cpu_notify_space(
      ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), cpu, &(struct front_notify_space){.after = after});
}

/* Checks that the n-th pending message notifies this processor of room, at that time. */
static void assert_room(uint32_t nth, uint32_t cpu, uint64_t at) {
  uint64_t time;
  const sim_msg *q = test_pending(nth, &time);
  assert_int_equal(q->kind, FRONT_ROOM);
  assert_int_equal(q->to, ROPE_CPU(cpu));
  assert_int_equal(time, at);
}

/* With no store on any rope the notification comes at once, or at the time that the processor specified. */
static void without_pending_stores_there_is_room_at_once(void **state) {
  (void)state;
  static const uint64_t after[] = {0, 9 * NS, 5 * NS};
  for (uint32_t cpu = 0; cpu < 3; cpu++) {
    two_ropes();
    machine_run();
    ENGINE->time = 5 * NS;
    awaits(ROPE_PORTS[cpu], after[cpu]);
    assert_int_equal(ENGINE->pending, 1);
    assert_room(0, cpu, cpu == 1 ? 9 * NS : 5 * NS);
  }
}

/*
 * A processor's load takes its own time; 16 ns on the rope for a request of 8 B; address, decode, turnaround
 * and a data phase of 20 ns each; 24 on the rope for 4 + 8 B; and 40 for the crossing. An unclaimed load
 * returns after the crossing alone.
 */
static void a_load_returns_its_value_to_its_processor(void **state) {
  (void)state;
  static const struct {
    uint64_t address;
    uint32_t value, claimed;
    uint64_t time;
  } cases[] = {{FIRST, 7, 1, 16 + 60 + 24 + 40}, {SECOND + 0xff0, 9, 1, 16 + 60 + 24 + 40},
      {SECOND + 8192, UINT32_MAX, 0, 40}};
  for (uint32_t cpu = 0; cpu < 3; cpu++)
    for (uint32_t i = 0; i < 3; i++) {
      two_ropes();
      const uint64_t program[] = {ROW(LAP, 0, 0, 0, 0, 0, 0, 0),
          ROW(IO_LOAD, cases[i].address, 0, 4, 4, 0, 0, 0), ROW(LAP_END, 0, 0, 0, 0, 0, 0, 0), END};
      machine_rows(ROPE_CPUS[cpu], 0, ROWS(program));
      SET_CPUS(load_time, 30 * NS);
      SET_BUSES(clock, 50000000);
      machine_open();
      COUNTERS("lan0", lan_card)->packets = 7, SIM_COUNTERS(ENGINE, ON_ROPE(LAN_PART, 1), lan_card)->packets =
                                                   9; /* the values of their registers */
      session_run();
      assert_int_equal(
          cpu_threads(ENGINE, SIM_STATE(ENGINE, ROPE_CPU(cpu), processor))[0].value, cases[i].value);
      assert_int_equal(SIM_COUNTERS(ENGINE, ROPE_CPU(cpu), processor)->lap_time, (30 + cases[i].time) * NS);
      assert_int_equal(COUNT(loads), cases[i].claimed);
      assert_int_equal(COUNT(unclaimed), !cases[i].claimed);
      assert_events(SBA_PART,
          &(struct expected_event){30 * NS, cases[i].claimed ? SBA_EV_LOAD : SBA_EV_UNCLAIMED,
              cases[i].address, cases[i].claimed ? 4 : 0, 0, BECAUSE(ROPE_CPU(cpu), PROCESSOR_EV_LOAD)},
          1);
    }
}

static void a_value_comes_with_its_writes(void **state) {
  (void)state;
  two_ropes();
  machine_run();
  sba_rope_loaded(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 6,
      &(struct rope_loaded){.value = 0x55, .tag = 3, .write = 11, .newest = 12});
  uint64_t time;
  const sim_msg *q = test_pending(0, &time);
  assert_int_equal(q->to, ROPE_CPU(2));
  assert_int_equal(q->kind, FRONT_DATA);
  assert_int_equal(q->addr, 0x55);
  assert_int_equal(q->x, 11);
  assert_int_equal(q->y, 12);
  assert_int_equal(time, 40 * NS);
}

/* A line arrives after 100 ns; a modified victim is written first, which takes memory 64 ns. */
static void a_modified_victim_is_written_before_the_line_is_read(void **state) {
  (void)state;
  for (uint32_t dirty = 0; dirty < 2; dirty++) {
    two_ropes();
    machine_run();
    ENGINE->time = 10 * NS;
    sba_cpu_fill(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1,
        &(struct front_fill){.address = AT, .bytes = 128, .dirty = dirty});
    uint64_t time;
    const sim_msg *q = test_pending(0, &time);
    assert_int_equal(q->to, ROPE_CPU(1));
    assert_int_equal(q->kind, FRONT_FILLED);
    assert_int_equal(q->addr, AT);
    assert_int_equal(time, (10 + 64 * dirty + 100) * NS);
    const struct memory_counters *c = COUNTERS("memory", memory);
    assert_int_equal(c->reads, 1);
    assert_int_equal(c->bytes_read, 128);
    assert_int_equal(c->writes, dirty);
    assert_int_equal(c->bytes_written, 128 * dirty);
  }
}

/*
 * Processors 0 and 1 have modified the first of two lines. A device's write to it first writes both copies
 * back, unless it overwrites the whole line. Either way the copies are invalidated. At 2 GB/s a line takes
 * 64 ns.
 */
static void modified_lines_are_written_back_unless_overwritten(void **state) {
  (void)state;
  for (uint32_t whole = 0; whole < 2; whole++) {
    two_ropes();
    machine_run();
    const struct memory_counters *c = COUNTERS("memory", memory);
    uint32_t words[LINE / 4] = {7}, out = 0;
    for (uint32_t cpu = 0; cpu < 2; cpu++)
      for (uint64_t line = 0; line < 2; line++)
        cache_cpu_access_untimed(ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(cpu), cache),
            &(struct cache_access_untimed){.address = AT + line * LINE, .store = line == 0});
    ENGINE->time = 1000 * NS;
    for (uint64_t line = 0; line < 2; line++)
      sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1,
          &(struct rope_write){.address = AT + line * LINE, .bytes = LINE, .whole = whole, .writes = words});
    assert_int_equal(COUNT(taken), 4);
    assert_int_equal(COUNT(saved), whole ? 0 : 2 * LINE);
    assert_int_equal(COUNT(dropped), whole ? 2 * LINE : 0);
    assert_int_equal(c->bytes_written, (whole ? 2 : 4) * LINE);
    assert_int_equal(STATE_OF("memory", memory)->free_at, (1000 + (whole ? 128 : 256)) * NS);
    sba_cpu_observe(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 0,
        &(struct front_observe){.address = AT, .bytes = 4, .writes = &out});
    assert_int_equal(out, 7);
  }
}

static void a_device_writes_to_its_translated_address(void **state) {
  (void)state;
  two_ropes_translating();
  uint32_t in[2] = {51, 52}, out[2] = {0};
  struct rope_write q = {
      .address = PARAMS("map", iommu_map)->base + 5 * PAGE + 512, .bytes = 8, .writes = in};
  assert_int_equal(sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &q), 1);
  sba_cpu_observe(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 0,
      &(struct front_observe){.address = AT + 512, .bytes = 8, .writes = out});
  assert_memory_equal(in, out, sizeof in);
  assert_int_equal(COUNT(bytes_written), 8);
  assert_int_equal(COUNT(translation), 300 * NS);
  assert_int_equal(STATE_OF("memory", memory)->free_at,
      (1000 + 300 + 4) * NS); /* 8 B at 2 GB/s, after the table was read */
}

/* Nothing is read, written or invalidated; the IOMMU records the attempt. */
static void an_untranslated_access_is_stopped(void **state) {
  (void)state;
  for (uint32_t writes = 0; writes < 2; writes++) {
    two_ropes_translating();
    uint32_t words[2] = {61, 62};
    uint64_t device = PARAMS("map", iommu_map)->base + 6 * PAGE;
    struct rope_read r = {.address = device, .bytes = 8, .writes = words};
    struct rope_write w = {.address = device, .bytes = 8, .writes = words};
    assert_int_equal(writes ? sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &w)
                            : sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &r),
        0);
    assert_int_equal(COUNT(stopped), 1);
    assert_int_equal(COUNT(lines_read) + COUNT(bytes_read) + COUNT(bytes_written), 0);
    assert_int_equal(COUNTERS("memory", memory)->reads + COUNTERS("memory", memory)->writes, 0);
    assert_events(UNIT_PART, &(struct expected_event){1000 * NS, IOMMU_EV_FAULT, device, writes, 0, 0}, 1);
    assert_events(SBA_PART,
        &(struct expected_event){1000 * NS, SBA_EV_STOPPED, device, 8, 0, BECAUSE(UNIT_PART, IOMMU_EV_FAULT)},
        1);
  }
}

/* Every processor has two lines, one of which a device takes, overwrites, or reads with Read Current. */
static void lines_taken_or_overwritten_by_a_device_are_invalidated(void **state) {
  (void)state;
  enum { TAKES, WRITES, LOOKS };
  for (uint32_t how = TAKES; how <= LOOKS; how++) {
    two_ropes();
    machine_run();
    for (uint32_t cpu = 0; cpu < 3; cpu++)
      for (uint64_t line = 0; line < 2; line++)
        cache_cpu_access_untimed(ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(cpu), cache),
            &(struct cache_access_untimed){.address = AT + line * LINE});
    uint32_t words[2] = {0};
    ENGINE->cause = 0;
    struct rope_read r = {.address = AT + LINE, .bytes = 8, .current = how == LOOKS, .writes = words};
    struct rope_write w = {.address = AT + LINE, .bytes = 8, .writes = words};
    if (how == WRITES) sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &w);
    else sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &r);
    assert_int_equal(COUNT(taken), how == LOOKS ? 0 : 3);
    for (uint32_t cpu = 0; cpu < 3; cpu++)
      for (uint64_t line = 0; line < 2; line++)
        assert_int_equal(cache_cpu_access_untimed(ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(cpu), cache),
                             &(struct cache_access_untimed){.address = AT + line * LINE}),
            line == 0 || how == LOOKS);
    struct expected_event read = {0, SBA_EV_READ, AT + LINE, 8, 0, 0},
                          taken = {
                              0, SBA_EV_TAKEN, AT + LINE, 3, 0, BECAUSE(ROPE_CACHE(2), CACHE_EV_DROPPED)};
    struct expected_event kept = {
        0, SBA_EV_KEPT, AT + LINE, SBA_LINE_OWNED, 0, BECAUSE(SBA_PART, SBA_EV_TAKEN)};
    if (how == WRITES) assert_events(SBA_PART, &taken, 1);
    else assert_events(SBA_PART, (const struct expected_event[]){read, taken, kept}, how == TAKES ? 3 : 1);
    ENGINE->cause = 0;
    w.address = AT + 2 * LINE;
    sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &w); /* no copy exists: no event */
    assert_int_equal(COUNT(taken), how == LOOKS ? 0 : 3);
    assert_true(record_after(SBA_PART, SBA_EV_TAKEN, 0) == NULL || how != LOOKS);
  }
}

/* Processor 0 has modified the first of two lines and read the second. Without a snoop both stay with it. A
 * read passes by newer data in the first; a write leaves an old copy of either. */
static void an_access_without_a_snoop_leaves_processors_their_copies(void **state) {
  (void)state;
  for (uint32_t writes = 0; writes < 2; writes++)
    for (uint64_t line = 0; line < 3; line++) {
      two_ropes();
      machine_run();
      for (uint64_t i = 0; i < 2; i++)
        cache_cpu_access_untimed(ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(0), cache),
            &(struct cache_access_untimed){.address = AT + i * LINE, .store = i == 0});
      uint32_t words[2] = {0}, past = line == 0 || (writes && line == 1);
      uint64_t at = AT + line * LINE;
      ENGINE->cause = 0;
      struct rope_read r = {.address = at, .bytes = 8, .no_snoop = 1, .writes = words};
      struct rope_write w = {.address = at, .bytes = 8, .no_snoop = 1, .writes = words};
      if (writes) sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &w);
      else sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &r);
      assert_int_equal(COUNT(unsnooped), past);
      assert_int_equal(COUNT(taken) + COUNT(kept) + COUNT(saved), 0);
      const struct sim_record *seen = record_after(SBA_PART, SBA_EV_UNSNOOPED, 0);
      assert_int_equal(seen != NULL, past);
      if (seen)
        assert_int_equal(seen->a, at), assert_int_equal(seen->b, 1), assert_int_equal(seen->c, writes);
      for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(cache_cpu_access_untimed(ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(0), cache),
                             &(struct cache_access_untimed){.address = AT + i * LINE}),
            1);
    }
}

/* Memory delivers a line after 100 ns. A slower answer to the snoop delays it, unless none is awaited. */
static void a_line_waits_for_the_answer_to_its_snoop(void **state) {
  (void)state;
  static const struct {
    uint64_t snoop, no_snoop, when;
  } cases[] = {{0, 0, 100}, {100, 0, 100}, {101, 0, 101}, {250, 0, 250}, {250, 1, 100}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    two_ropes();
    PARAMS("sba", sba)->snoop = cases[i].snoop * NS;
    machine_run();
    uint32_t words[2];
    struct rope_read r = {
        .address = AT, .bytes = 8, .current = 1, .no_snoop = cases[i].no_snoop, .writes = words};
    uint64_t now = ENGINE->time;
    sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &r);
    assert_int_equal(r.when - now, cases[i].when * NS);
  }
}

static void memory_that_runs_out_is_an_error(void **state) {
  (void)state;
  two_ropes();
  assert_true(session_without_memory(machine_session()) > 20);
}

/* The IOMMU reads its table once per page, in 300 ns. Memory delivers the line 100 ns later and is busy for
 * 64. */
static void a_device_reads_from_its_translated_address(void **state) {
  (void)state;
  two_ropes_translating();
  uint32_t in[2] = {41, 42}, out[2] = {0};
  uint64_t device = PARAMS("map", iommu_map)->base + 5 * PAGE + 256;
  sba_cpu_observe(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 0,
      &(struct front_observe){.address = AT + 256, .bytes = 8, .set = 1, .writes = in});
  struct rope_read first = {.address = device, .bytes = 8, .current = 1, .writes = out}, second = first;
  assert_int_equal(sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &first), 1);
  assert_memory_equal(in, out, sizeof in);
  assert_int_equal(first.when, (1000 + 300 + 100) * NS);
  ENGINE->time = 2000 * NS, ENGINE->cause = 0;
  assert_int_equal(sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 6, &second), 1);
  assert_int_equal(second.when, (2000 + 100) * NS);
  assert_int_equal(COUNT(translation), 300 * NS);
  assert_int_equal(COUNT(lines_read), 2);
  assert_int_equal(COUNT(bytes_read), 16);
  assert_int_equal(COUNT(stopped), 0);
  assert_events(SBA_PART,
      (const struct expected_event[]){
          {1000 * NS, SBA_EV_READ, AT + 256, 8, 41, BECAUSE(UNIT_PART, IOMMU_EV_MISS)},
          {2000 * NS, SBA_EV_READ, AT + 256, 8, 41, 0}},
      2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_store_goes_down_the_rope_whose_bus_claims_it),
      cmocka_unit_test(without_pending_stores_there_is_room_at_once),
      cmocka_unit_test(a_load_returns_its_value_to_its_processor),
      cmocka_unit_test(a_value_comes_with_its_writes),
      cmocka_unit_test(a_modified_victim_is_written_before_the_line_is_read),
      cmocka_unit_test(modified_lines_are_written_back_unless_overwritten),
      cmocka_unit_test(a_device_writes_to_its_translated_address),
      cmocka_unit_test(an_untranslated_access_is_stopped),
      cmocka_unit_test(lines_taken_or_overwritten_by_a_device_are_invalidated),
      cmocka_unit_test(an_access_without_a_snoop_leaves_processors_their_copies),
      cmocka_unit_test(a_line_waits_for_the_answer_to_its_snoop),
      cmocka_unit_test(memory_that_runs_out_is_an_error),
      cmocka_unit_test(a_device_reads_from_its_translated_address),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
