/* The I/O cache of the system bus adapter: hits, replacement, and recalls by processors. */
#include "test/ropes.h"

#define COUNT(name) (COUNTERS("sba", sba)->name)

/* Opens an adapter with so many cached lines, which reads lines as `owns` says where Read Current is off. */
static void caching(uint64_t lines, uint64_t owns) {
  two_ropes();
  PARAMS("sba", sba)->lines = lines, PARAMS("sba", sba)->owns = owns, PARAMS("sba", sba)->hit_time = 10 * NS;
  machine_run();
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}

/* Reads a line; returns the time that it took. */
static uint64_t reads_line(uint32_t line, uint32_t current, uint32_t *words) {
  struct rope_read q = {.address = AT + line * LINE, .bytes = LINE, .current = current, .writes = words};
  assert_int_equal(sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &q), 1);
  ENGINE->time += 1000 * NS;
  ENGINE->cause = 0;
  return q.when + 1000 * NS - ENGINE->time;
}

static void sets_word(uint64_t address, uint32_t write) {
  sba_cpu_observe(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 0,
      &(struct front_observe){.address = address, .bytes = 4, .set = 1, .writes = &write});
}

/* A processor's fetch recalls its line and no other. So does a store of software, which is in memory
 * at once. */
static void a_processor_recalls_its_line(void **state) {
  (void)state;
  uint32_t words[32];
  for (uint32_t stores = 0; stores < 2; stores++) {
    caching(16, SBA_OWNS_PRIVATE);
    for (uint32_t line = 0; line < 3; line++) reads_line(line, 0, words);
    ENGINE->cause = 4711;
    if (stores)
      sba_cpu_software_access(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 3,
          &(struct front_software_access){.address = AT + LINE + 60, .bytes = 4, .store = 1});
    else
      sba_cpu_fill(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 3,
          &(struct front_fill){.address = AT + LINE, .bytes = LINE});
    assert_int_equal(COUNT(recalled), 1);
    if (stores)
      assert_int_equal(
          ENGINE->cause, 4711); /* the recall does not become the cause of what the program does next */
    const struct sim_record *left = record_after(SBA_PART, SBA_EV_LEFT, 0);
    assert_int_equal(left->a, AT + LINE);
    assert_int_equal(left->b, SBA_WHY_RECALLED);
    ENGINE->time += 1000 * NS;
    sets_word(AT + LINE + 60, 78);
    assert_int_equal(reads_line(1, 0, words), 100 * NS);
    assert_int_equal(words[15], 78);
    assert_int_equal(reads_line(2, 0, words), 10 * NS);
    sba_cpu_software_access(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 3,
        &(struct front_software_access){.address = AT, .bytes = LINE}); /* a load does not recall the line */
    assert_int_equal(COUNT(recalled), 1);
  }
}

/* A shared line stays in the caches of the processors. Their first store to it misses and invalidates the
 * device's copy. */
static void a_shared_line_stays_in_both_caches_until_a_store(void **state) {
  (void)state;
  uint32_t words[32];
  caching(16, SBA_OWNS_SHARED);
  struct cache_access_untimed load = {.address = AT}, store = {.address = AT, .store = 1};
  for (uint32_t cpu = 0; cpu < 2; cpu++)
    cache_cpu_access_untimed(ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(cpu), cache), &store);
  reads_line(0, 0, words);
  assert_int_equal(COUNT(taken), 0);
  assert_int_equal(COUNT(shared), 2);
  assert_int_equal(sba_lines(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba))->state, SBA_LINE_COPY);
  for (uint32_t cpu = 0; cpu < 2; cpu++) {
    assert_int_equal(cache_cpu_access_untimed(ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(cpu), cache), &load), 1);
    assert_int_equal(
        cache_cpu_access_untimed(ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(cpu), cache), &store), 0);
  }
}

/* A device's write updates a cached line; a write that only begins in one evicts it. */
static void a_device_write_updates_a_cached_line(void **state) {
  (void)state;
  uint32_t words[32], in[32] = {61, 62};
  caching(16, SBA_OWNS_SHARED);
  reads_line(0, 0, words);
  sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 6,
      &(struct rope_write){.address = AT + 120, .bytes = 8, .writes = in});
  assert_int_equal(sba_lines(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba))->state, SBA_LINE_OWNED);
  assert_int_equal(reads_line(0, 0, words), 10 * NS);
  assert_int_equal(words[30], 61);
  assert_int_equal(words[31], 62);
  sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 6,
      &(struct rope_write){.address = AT + 124, .bytes = 8, .writes = in});
  assert_int_equal(COUNT(recalled), 0);
  ENGINE->time += 1000 * NS;
  assert_int_equal(reads_line(0, 0, words), 100 * NS);
  assert_int_equal(words[31], 61);
}

/* Data read through a stale translation is neither cached nor answered from the cache. */
static void misdirected_reads_are_not_cached(void **state) {
  (void)state;
  two_ropes_translating();
  uint32_t words[32];
  struct rope_read q = {.address = PARAMS("map", iommu_map)->base + 5 * PAGE, .bytes = LINE, .writes = words},
                   first = q, second = q;
  assert_int_equal(sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &first), 1);
  assert_int_equal(COUNT(kept), 1);
  iommu_map_clear(
      ENGINE, SIM_CONTEXT(ENGINE, UNIT_PART, iommu), &(struct iommu_clear){.entry = 5, .entries = 1});
  assert_int_equal(sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &second), 1);
  assert_int_equal(COUNT(hits), 0);
  assert_int_equal(COUNT(kept), 1);
}

/* Each defect breaks one rule of the cache: Read Current leaves a line cached, a fetch recalls nothing,
 * processors keep a line that a device takes, or a device's write leaves a cached line stale. */
static void each_defect_breaks_one_rule(void **state) {
  (void)state;
  for (uint32_t fault = SBA_FAULT_NONE; fault <= SBA_FAULT_WRITES_PAST; fault++) {
    two_ropes();
    uint32_t words[32], in[32] = {61, 62};
    PARAMS("sba", sba)->fault = fault, PARAMS("sba", sba)->hit_time = 10 * NS;
    machine_run();
    ENGINE->time = 1000 * NS;
    cache_cpu_access_untimed(
        ENGINE, SIM_CONTEXT(ENGINE, ROPE_CACHE(0), cache), &(struct cache_access_untimed){.address = AT});
    reads_line(0, 0, words);
    assert_int_equal(COUNT(taken), fault != SBA_FAULT_TAKES_NOTHING);
    reads_line(1, 1, words);
    assert_int_equal(COUNT(kept), fault == SBA_FAULT_CURRENT_KEEPS ? 2 : 1);
    sba_rope_write(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 6,
        &(struct rope_write){.address = AT, .bytes = 8, .writes = in});
    ENGINE->time += 1000 * NS;
    assert_int_equal(reads_line(0, 0, words), 10 * NS);
    assert_int_equal(words[0], fault == SBA_FAULT_WRITES_PAST ? 0 : 61);
    sba_cpu_fill(
        ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 3, &(struct front_fill){.address = AT, .bytes = LINE});
    assert_int_equal(COUNT(recalled), fault != SBA_FAULT_NOT_RECALLED);
  }
}

/* A read within a cached line hits, wherever it begins; one that extends beyond the line does not. */
static void only_reads_within_a_cached_line_hit(void **state) {
  (void)state;
  static const struct {
    uint64_t from;
    uint32_t bytes, hits;
  } cases[] = {{LINE, LINE, 1}, {LINE + 64, 64, 1}, {2 * LINE - 4, 4, 1}, {LINE, 4, 1}, {LINE - 4, 8, 0},
      {2 * LINE - 4, 8, 0}, {LINE - 4, LINE + 4, 0}, {LINE, LINE + 4, 0}, {LINE - 4, 4, 0}, {2 * LINE, 4, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t words[64];
    caching(16, SBA_OWNS_PRIVATE);
    for (uint64_t at = 0; at < 3 * LINE; at += 4) sets_word(AT + at, (uint32_t)at + 1);
    reads_line(1, 0, words);
    struct rope_read q = {
        .address = AT + cases[i].from, .bytes = cases[i].bytes, .current = 1, .writes = words};
    sba_rope_read(ENGINE, SIM_CONTEXT(ENGINE, SBA_PART, sba), 1, &q);
    assert_int_equal(COUNT(hits), cases[i].hits);
    assert_int_equal(q.when, (2000 + (cases[i].hits ? 10 : 100)) * NS);
    for (uint32_t word = 0; word < cases[i].bytes / 4; word++)
      assert_int_equal(words[word], cases[i].from + 4 * word + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_defect_breaks_one_rule),
      cmocka_unit_test(only_reads_within_a_cached_line_hit),
      cmocka_unit_test(a_processor_recalls_its_line),
      cmocka_unit_test(a_shared_line_stays_in_both_caches_until_a_store),
      cmocka_unit_test(a_device_write_updates_a_cached_line),
      cmocka_unit_test(misdirected_reads_are_not_cached),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
