/* Invariants asked about states that are made for them: each holds, and is broken by what it is about and nothing else. */
#include "host/testing.c"

#include "host/order_machine.h"

#include "host/small_machine.h"

/*
 * Two lines of the I/O cache, two of a processor's. What the I/O cache owns the processor must not have at all; what it has a
 * copy of, only so that it asks before it writes; what the processor waits for it does not have yet.
 */
static void a_line_that_the_io_cache_owns_is_in_no_cache(void **state) {
  (void)state;
  by *m = order_open(&(struct order){.shares = 1, .kept = 2, .interrupts = 1, .no_flags = 1});
  const struct checked c = checked_parts(m);
  uint32_t rows, tags;
  struct sba_lines *line = checked_view(m, R_SBA, SBA_VIEW_LINES, &rows);
  struct cache_lines *tag = checked_view(m, R_CACHE, CACHE_VIEW_LINES, &tags);
  assert_int_equal(rows, 2);
  assert_int_equal(tags, 2);
  assert_int_equal(c.sba, R_SBA);
  assert_int_equal(c.pair, R_PAIR);
  for (uint32_t kept = 0; kept < 2; kept++)
    for (uint32_t at = 0; at < 2; at++)
      for (uint32_t how = 0; how < 3 * 3 * 2 * 2; how++) {
        const uint32_t states[] = {SBA_LINE_EMPTY, SBA_LINE_COPY, SBA_LINE_OWNED}, own = states[how % 3], which = how / 3 % 3, shared = how / 9 % 2, waits = how / 18;
        memset(line, 0, 2 * sizeof *line), memset(tag, 0, 2 * sizeof *tag);
        line[kept] = (struct sba_lines){.addr = ORDER_FLAG + 128, .bytes = 128, .state = own};
        tag[at] = (struct cache_lines){.tag = (uint32_t)(ORDER_FLAG / 128) + which, .use = shared ? CACHE_SHARED : CACHE_DIRTY}; /* tags count from 1: the line before, none, it */
        if (which == 1) tag[at].tag = 0;
        ((struct rope_pair_processors *)by_at(m, BY_STATE(m, R_PAIR, rope_pair)->cpus_at))->waits = waits;
        assert_int_equal(io_cache_disagrees(m, &c), !waits && which == 2 && (own == SBA_LINE_OWNED || (own == SBA_LINE_COPY && !shared)));
      }
}

/* What is on its way to the prover counts for one who waits, each a step; what it only wishes, and what is on its way to others, does not. */
static void a_wait_is_in_vain_if_nothing_is_on_its_way(void **state) {
  (void)state;
  for (uint32_t steps = 0; steps < 2; steps++)
    for (uint32_t answers = 0; answers < 2; answers++)
      for (uint32_t others = 0; others < 3; others++)
        for (uint32_t busy = 0; busy < 4; busy++) {
          by *m = small_open(&(struct small){.cpus = 2, .adapter = COHERENT});
          const struct checked c = checked_parts(m);
          uint32_t found, rows;
          struct prover_now *now = checked_view(m, c.prover, PROVER_VIEW_NOW, &rows);
          if (steps) by_push(m, 0, 0, &(by_msg){.to = (uint16_t)c.prover, .port = BY_PORT_SELF, .kind = PROVER_STEP});
          if (answers) by_push(m, 0, 0, &(by_msg){.to = (uint16_t)c.prover, .port = PROVER_PORT_CPU, .kind = PROVER_STEP + 1});
          if (others) by_push(m, 0, 0, &(by_msg){.to = (uint16_t)c.runway, .port = others == 1 ? BY_PORT_SELF : 0, .kind = PROVER_STEP});
          now->busy_0 = busy & 1, now->busy_1 = busy >> 1;
          const uint32_t waiting = (uint32_t)__builtin_popcount(busy);
          assert_int_equal(waits_in_vain(m, &c), waiting > steps + answers);
          assert_int_equal(only_wishes(m, &c, &found), others == 0);
          assert_int_equal(is_stuck(m, &c), others == 0 && waiting > steps + answers);
          if (others == 0) assert_int_equal(found, steps + answers);
          now->locked = 1; /* a locked read's write is still to come, unless the device is at it */
          assert_false(is_stuck(m, &c));
          now->device = 1;
          assert_int_equal(is_stuck(m, &c), others == 0 && waiting + 1 > steps + answers);
        }
}

/* Three caches of two lines: whoever may write has a line alone, wherever it lies, and no line that the adapter holds is in any. */
static void who_may_write_is_alone(void **state) {
  (void)state;
  for (uint32_t a = 0; a < 3; a++)
    for (uint32_t b = 0; b < 3; b++)
      for (uint32_t how = 0; how < 4 * 4 * 4; how++) {
        by *m = how ? test_engine() : small_open(&(struct small){.cpus = 3, .adapter = COHERENT});
        static const uint32_t states[] = {SNOOP_CACHE_LINE_INVALID, SNOOP_CACHE_LINE_SHARED, SNOOP_CACHE_LINE_PRIVATE_CLEAN, SNOOP_CACHE_LINE_PRIVATE_DIRTY};
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
        const int both = tag && mine && its && (mine >= SNOOP_CACHE_LINE_PRIVATE_CLEAN || its >= SNOOP_CACHE_LINE_PRIVATE_CLEAN);
        assert_int_equal(two_writers(m, &c), both || (held && (mine || (tag && its))));
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_that_the_io_cache_owns_is_in_no_cache),
      cmocka_unit_test(a_wait_is_in_vain_if_nothing_is_on_its_way),
      cmocka_unit_test(who_may_write_is_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
