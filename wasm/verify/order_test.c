/* Ordering rules, explored: a bridge, a rope and an I/O cache satisfy their invariants in every state, each
 * defect violates its invariant, and a state that is read back behaves like the original. */
#include "test/testing.h"

#include "test/order_machine.h"

#include "include/explore.h"
#include "test/explored.h"

static const struct sim_explored *explored(const struct order *g) { return explored_from(order_open(g)); }

TEST(a_sound_rope_satisfies_its_invariants_in_every_state) {
  static const struct order sound[] = {{.no_flags = 1, .mapped = 1},
      {.owns = 1, .interrupts = 1, .no_flags = 1},
      {.shares = 1, .kept = 2, .interrupts = 1, .no_flags = 1, .together = 1}};
  for (uint32_t i = 0; i < sizeof sound / sizeof *sound; i++) {
    const struct sim_explored *r = explored(&sound[i]);
    EXPECT_VALUES({r->end, EXPLORE_COMPLETE}, {r->invariant, 0}, {r->deadlocks, 0});
    assert_true(r->states > 400);
  }
}

/* Each defect with the invariant that it violates first, by a counterexample of several steps. */
TEST(each_defect_violates_its_invariant) {
#define COPIES .shares = 1, .kept = 2, .interrupts = 1, .no_flags = 1, .together = 1
#define OWNS .owns = 1, .interrupts = 1, .no_flags = 1
  static const struct {
    struct order g;
    uint32_t broken;
  } cases[] = {{{.relaxed = 1}, SIM_IN_ORDER}, {{.lba_fault = LBA_FAULT_READS_PASS}, SIM_CURRENT_DEVICE},
      {{.lba_fault = LBA_FAULT_VALUES_PASS}, SIM_DONE_IS_DONE},
      {{.interrupts = 1, .lba_fault = LBA_FAULT_INTERRUPTS_PASS}, SIM_DONE_IS_DONE},
      {{.no_flags = 1, .mapped = 1, .lba_fault = LBA_FAULT_READS_PASS}, SIM_LIVE_TRANSLATION},
      {{.no_flags = 1, .mapped = 1, .lba_fault = LBA_FAULT_LINES_SURVIVE}, SIM_CURRENT_DEVICE},
      {{.sba_fault = SBA_FAULT_CURRENT_KEEPS}, SIM_ONE_WRITER},
      {{OWNS, .sba_fault = SBA_FAULT_NOT_RECALLED}, SIM_ONE_WRITER},
      {{OWNS, .sba_fault = SBA_FAULT_TAKES_NOTHING}, SIM_ONE_WRITER},
      {{COPIES, .sba_fault = SBA_FAULT_WRITES_PAST}, SIM_CURRENT_DEVICE},
      {{COPIES, .cache_fault = CACHE_FAULT_STORES_ON_SHARED}, SIM_ONE_WRITER},
      {{.bridge = 1, .relaxed = 1}, SIM_IN_ORDER},
      {{.bridge = 1, .bridge_fault = PCIX_BRIDGE_FAULT_VALUES_PASS}, SIM_DONE_IS_DONE},
      {{.bridge = 1, .bridge_fault = PCIX_BRIDGE_FAULT_LINES_SURVIVE}, SIM_CURRENT_DEVICE}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct sim_explored *r = explored(&cases[i].g);
    EXPECT_VALUES({r->end, EXPLORE_BROKEN}, {r->invariant, cases[i].broken});
    assert_in_range(r->steps, 2, 64);
  }
}

TEST(a_decoded_state_behaves_like_the_original) {
  static const struct order kept[] = {{0}, {.ahead = 1, .interrupts = 1}, {.no_flags = 1, .mapped = 1},
      {.owns = 1, .no_flags = 1}, {.shares = 1, .kept = 2, .ahead = 1, .no_flags = 1}, {.bridge = 1}};
  uint64_t random = 5;
  for (uint32_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    order_open(&kept[i]);
    assert_kept_goes_on(800, &random);
  }
}
