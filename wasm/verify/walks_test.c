/* Invariants of a unit that walks its table in memory: cached translations whose entries have changed, and
 * device accesses to pages that their driver has unmapped. */
#include "test/engine_internals.h"

#include "test/hp.h"

#define TABLE (BASE + 0x10000)
#define IO 0x40000000ull

#define W_MEMORY part_named("memory")
#define W_CACHE part_named("cache")
#define W_MAP part_named("map")
#define W_UNIT part_named("unit")
#define W_PROVER part_named("prover")

static sim *opened(void) {
  machine("walked-by-prover");
  machine_open();
  return test_engine();
}

/* Entry 1 leads to page 0x103 of memory, the last entry to 0x105. */
static void entries(void) {
  iommu_map_set(
      OF(W_UNIT, iommu), &(struct iommu_set){.entry = 1, .page = BASE + 3 * PAGE, .entries = 1, .stride = 1});
  iommu_map_set(OF(W_UNIT, iommu),
      &(struct iommu_set){.entry = 1023, .page = BASE + 5 * PAGE, .entries = 1, .stride = 1});
}

/* The violated invariant. */
static uint32_t broken(void) {
  const struct checked c = checked_parts(test_engine());
  EXPECT_VALUES({c.iommu, W_UNIT}, {c.pools, W_MAP}, {c.prover, W_PROVER});
  return broken_invariant(test_engine(), &c, &(struct sim_codec){0});
}

/* Every cached translation must match the table; an empty slot is no translation. A mismatch is a defect
 * only while nothing is under way. */
TEST(cached_translations_match_the_table) {
  static const struct {
    uint32_t entry, page, dead;
  } cases[] = {{1 + 1, 0x103 + 1, 0}, {1023 + 1, 0x105 + 1, 0}, {1 + 1, 0x104 + 1, 1}, {1 + 1, 0x105 + 1, 1},
      {2 + 1, 0x103 + 1, 1}, {0 + 1, 0x103 + 1, 1}, {0, 0x103 + 1, 0}, {2 + 1, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = opened();
    uint32_t rows;
    struct iommu_cache *kept = checked_view(m, W_UNIT, IOMMU_VIEW_CACHE, &rows);
    entries();
    assert_true(rows >= 2);
    assert_int_equal(broken(), SIM_HOLDS);
    for (uint32_t at = 0; at < rows; at += rows - 1) {
      kept[at] = (struct iommu_cache){cases[i].entry, cases[i].page};
      assert_int_equal(broken(), cases[i].dead ? SIM_LIVE_TRANSLATION : SIM_HOLDS);
      sim_push(m, 0, 0, &(sim_msg){.to = W_PROVER, .port = SIM_PORT_SELF, .kind = PROVER_STEP});
      assert_int_equal(broken(), SIM_HOLDS);
      sim_cancel(m, sim_pending_write_class(m, W_PROVER, PROVER_STEP));
      kept[at] = (struct iommu_cache){0, 0};
    }
    iommu_map_clear(m, SIM_CONTEXT(m, W_UNIT, iommu), &(struct iommu_clear){.entry = 1, .entries = 1});
    kept[0] = (struct iommu_cache){1 + 1, 0x103 + 1};
    assert_int_equal(broken(), SIM_LIVE_TRANSLATION);
  }
}

/* A device's access with a translation must use the page of the present entry, unless its driver is
 * unmapping it. Before it has a translation it cannot be wrong. */
TEST(device_accesses_use_mapped_pages) {
  static const struct {
    uint64_t address, physical;
    uint32_t state, service, broken;
  } cases[] = {{IO + PAGE + 64, BASE + 3 * PAGE + 64, IOMMU_ACCESS_READY, 0, SIM_HOLDS},
      {IO + 2 * PAGE - 32, BASE + 4 * PAGE - 32, IOMMU_ACCESS_READY, 0, SIM_HOLDS},
      {IO + 1023 * PAGE, BASE + 5 * PAGE, IOMMU_ACCESS_READY + 1, 0, SIM_HOLDS},
      {IO + PAGE, BASE + 4 * PAGE, IOMMU_ACCESS_READY, 0, SIM_OWN_PAGE},
      {IO + PAGE, BASE + 5 * PAGE, IOMMU_ACCESS_READY + 1, 0, SIM_OWN_PAGE},
      {IO + 2 * PAGE, BASE + 3 * PAGE, IOMMU_ACCESS_READY, 0, SIM_OWN_PAGE},
      {IO, BASE + 3 * PAGE, IOMMU_ACCESS_READY, 0, SIM_OWN_PAGE},
      {IO + PAGE, BASE + 4 * PAGE, IOMMU_ACCESS_READY - 1, 0, SIM_HOLDS},
      {IO + PAGE, BASE + 4 * PAGE, IOMMU_ACCESS_READY, PROVER_ACTION_UNMAP, SIM_HOLDS}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = opened();
    uint32_t rows, one;
    struct iommu_accesses *access = checked_view(m, W_UNIT, IOMMU_VIEW_ACCESSES, &rows);
    struct prover_now *now = checked_view(m, W_PROVER, PROVER_VIEW_NOW, &one);
    entries();
    now->service = cases[i].service;
    for (uint32_t at = 0; at < rows; at += rows - 1) {
      access[at] = (struct iommu_accesses){
          .state = cases[i].state, .address = cases[i].address, .physical = cases[i].physical};
      assert_int_equal(broken(), cases[i].broken);
      access[at] = (struct iommu_accesses){0};
    }
    assert_int_equal(broken(), SIM_HOLDS);
  }
}
