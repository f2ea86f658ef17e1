/* The check of lazy flush: it finds the stale use under the rules of Linux 4.1, and none under the corrected
 * rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "os/mapping/iommu_map/batch.c"

#include "verify/pool_check.c"

#include <cmocka.h>

#define STATES (1u << 19)
#define SLOTS (1u << 20)

static struct check_job checked(
    uint32_t rules, uint32_t threads, uint32_t per_pool, int atomic, uint32_t most) {
  struct check_job job = {.states = 7,
      .steps = 7,
      .depth = 7,
      .found = 7,
      .complete = 7,
      .length = 7, /* from an earlier search */
      .rules = RULE_LAZY | RULE_END_EXACT | rules,
      .threads = threads,
      .per_pool = per_pool,
      .most = most,
      .large_request = 1,
      .flag_is_atomic = (uint32_t)atomic};
  struct check_node *nodes = malloc(STATES * sizeof *nodes);
  uint32_t *table = calloc(SLOTS, sizeof *table);
  assert_non_null(nodes);
  assert_non_null(table);
  check_pools(&job, nodes, table, SLOTS);
  free(nodes);
  free(table);
  return job;
}

static void the_rules_of_linux_let_a_device_use_a_stale_translation(void **state) {
  (void)state;
  struct check_job job = checked(0, 3, 3, 0, STATES);
  assert_int_equal(job.found, 1);
  assert_int_equal(job.path[job.length - 1].action, CHECK_STALE);
  assert_int_equal(job.length, job.depth + 1);
}

/* Replays the counterexample: each of its steps is possible. */
static void a_counterexample_can_be_replayed(void **state) {
  (void)state;
  struct check_job job = checked(0, 3, 3, 1, STATES);
  struct check_state now = {.hints = {0, 3}};
  struct check_next out[CHECK_CHOICES];
  for (uint32_t i = 0; i < job.length; i++) {
    uint32_t thread = job.path[i].thread, left = check_choices(&job, &now, thread, out);
    while (left > 0 && memcmp(&out[left - 1].step, &job.path[i], sizeof job.path[i])) left--;
    assert_true(left > 0);
    now = out[left - 1].state;
  }
}

static void one_flag_is_not_enough_when_it_is_cleared_before_the_flush(void **state) {
  (void)state;
  assert_int_equal(checked(RULE_FLUSH_AHEAD, 3, 3, 0, STATES).found, 1);
}

static void a_flag_per_pool_alone_is_not_enough(void **state) {
  (void)state;
  assert_int_equal(checked(RULE_POOL_FLAGS, 3, 3, 1, STATES).found, 1);
}

static void under_the_corrected_rules_no_stale_translation_is_used(void **state) {
  (void)state;
  for (uint32_t per_pool = 1; per_pool <= 4; per_pool++) {
    struct check_job job = checked(RULE_FLUSH_AHEAD | RULE_POOL_FLAGS, 2, per_pool, 0, STATES);
    assert_int_equal(job.found, 0);
    assert_int_equal(job.complete, 1);
    assert_in_range(
        job.steps, job.states - 1, job.states * 100); /* a step leads to each state but the first */
  }
}

static void a_search_that_ran_out_of_memory_is_incomplete(void **state) {
  (void)state;
  struct check_job job = checked(RULE_FLUSH_AHEAD | RULE_POOL_FLAGS, 2, 3, 0, 100);
  assert_int_equal(job.found, 0);
  assert_int_equal(job.complete, 0);
  assert_int_equal(job.states, 100);
}

/* From either home pool. If a large request is no more than one entry, it is no extra choice. */
static void an_idle_thread_may_request_one_entry_or_many(void **state) {
  (void)state;
  for (uint32_t large = 1; large <= 3; large++) {
    const struct check_job job = {
        .rules = RULE_LAZY | RULE_END_EXACT, .threads = 2, .per_pool = 3, .most = 1, .large_request = large};
    const struct check_state now = {.hints = {0, 3}};
    struct check_next out[CHECK_CHOICES];
    const uint32_t choices = check_choices(&job, &now, 1, out);
    assert_int_equal(choices, large > 1 ? 4 : 2);
    for (uint32_t i = 0; i < choices; i++) {
      const struct check_thread *asks = &out[i].state.threads[1];
      assert_int_equal(out[i].step.action, CHECK_BEGIN);
      assert_int_equal(out[i].step.thread, 1);
      assert_int_equal(asks->status, CHECK_WAITING);
      assert_int_equal(asks->pool, i % 2);
      assert_int_equal(asks->home, i % 2);
      assert_int_equal(asks->pages, i < 2 ? 1 : large);
      assert_int_equal(out[i].state.threads[0].status, CHECK_IDLE);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rules_of_linux_let_a_device_use_a_stale_translation),
      cmocka_unit_test(a_counterexample_can_be_replayed),
      cmocka_unit_test(one_flag_is_not_enough_when_it_is_cleared_before_the_flush),
      cmocka_unit_test(a_flag_per_pool_alone_is_not_enough),
      cmocka_unit_test(under_the_corrected_rules_no_stale_translation_is_used),
      cmocka_unit_test(a_search_that_ran_out_of_memory_is_incomplete),
      cmocka_unit_test(an_idle_thread_may_request_one_entry_or_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
