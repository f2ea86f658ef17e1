/*
 * The ledger by itself: what is followed of a span, and how old data, lost updates and neighbours' losses are told apart. A window of eight grains of 16 B, or of words, at 0x1000.
 */
#include "host/testing.h"

#include "core/ledger.h"

#define FROM 0x1000ull

static struct ledger_cell *cells;

static struct ledger window(uint32_t grain, uint32_t count) {
  struct session s = session_new(0, 0, 4);
  assert_int_equal(session_open(&s), BY_OK);
  by *m = test_engine();
  cells = (struct ledger_cell *)(m + 1) + 4096;
  memset(cells, 0, count * sizeof *cells);
  return ledger_of(m, cells, FROM, count, grain);
}

static void what_is_followed_of_a_span_is_clipped_to_the_window(void **state) {
  (void)state;
  struct ledger l = window(4, 8);
  static const struct {
    uint64_t address;
    uint32_t bytes, words, skip;
    uint64_t first;
  } cases[] = {{FROM, 32, 8, 0, FROM}, {FROM - 8, 64, 8, 2, FROM}, {FROM + 28, 64, 1, 0, FROM + 28}, {FROM + 5, 1, 1, 0, FROM + 4}, {FROM + 6, 4, 1, 0, FROM + 4}, {FROM - 8, 8, 0, 0, 0}, {FROM + 32, 4, 0, 0, 0}, {UINT64_MAX - 3, 4, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t first = 0;
    uint32_t skip = 0;
    assert_int_equal(ledger_words(&l, cases[i].address, cases[i].bytes, &first, &skip), cases[i].words);
    assert_int_equal(skip, cases[i].skip);
    assert_int_equal(first, cases[i].first);
  }
  l.cells = 0; /* nothing is followed anywhere */
  uint32_t writes[4] = {9, 9, 9, 9};
  ledger_give(test_engine(), &l, FROM, 16, writes);
  ledger_take(test_engine(), &l, FROM, 16, writes);
  assert_int_equal(writes[0], 9);
  assert_int_equal(cells[0].write, 0);
  assert_null(ledger_cell(test_engine(), &l, FROM));
}

/* Data that was written earlier comes home: what is lost by it was the newest, and lay here. */
static void an_older_write_over_the_newest_is_a_lost_update(void **state) {
  (void)state;
  static const struct {
    struct ledger_cell before;
    uint32_t write, lost;
  } cases[] = {{{7, 7}, 5, 7}, {{7, 7}, 7, 0}, {{7, 7}, 8, 0}, {{3, 7}, 5, 0}, {{3, 7}, 7, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ledger_cell c = cases[i].before;
    assert_int_equal(ledger_return(&c, cases[i].write), cases[i].lost);
    assert_int_equal(c.write, cases[i].write);
    assert_int_equal(c.newest, cases[i].before.newest);
  }
  struct ledger_cell thrown = {3, 7};
  ledger_forget(&thrown);
  assert_int_equal(thrown.newest, 3);
}

static void old_data_is_told_by_the_newest_write_of_its_place(void **state) {
  (void)state;
  by *m = test_engine();
  struct ledger l = window(4, 8);
  uint32_t first[8] = {1, 2, 3, 4, 5, 6, 7, 8}, again[2] = {9, 10};
  ledger_take(m, &l, FROM, 32, first);
  struct ledger_old old = ledger_compare(m, &l, FROM, 32, first);
  assert_int_equal(old.words, 0);
  assert_int_equal(old.of, 8);
  ledger_take(m, &l, FROM + 8, 8, again);
  old = ledger_compare(m, &l, FROM - 4, 32, (uint32_t[8]){0, 1, 2, 3, 4, 5, 6, 7}); /* the word before is not followed */
  assert_int_equal(old.words, 2);
  assert_int_equal(old.of, 7);
  assert_int_equal(old.at, FROM + 8);
  assert_int_equal(old.got, 3);
  assert_int_equal(old.newest, 9);
  old = ledger_compare(m, &l, FROM + 8, 8, first + 2); /* all of it */
  assert_int_equal(old.words, 2);
  assert_int_equal(old.at, FROM + 8);
}

/* A write meant for the first two words lies in the last two, over what somebody wrote there. */
static void a_write_that_goes_astray_is_missing_where_it_belongs_and_over_a_neighbour(void **state) {
  (void)state;
  by *m = test_engine();
  struct ledger l = window(4, 8);
  uint32_t writes[8] = {1, 2, 3, 4, 5, 6, 0, 8}, wrong[2] = {20, 21}, seen[8];
  ledger_take(m, &l, FROM, 32, writes);
  struct ledger_old lost = ledger_astray(m, &l, FROM + 24, FROM, 8, 1, wrong);
  assert_int_equal(lost.words, 1); /* in the other nobody had written anything */
  assert_int_equal(lost.of, 2);
  assert_int_equal(lost.at, FROM + 28);
  assert_int_equal(lost.got, 21);
  assert_int_equal(lost.newest, 8);
  assert_int_equal(l.apart, 1);
  ledger_give(m, &l, FROM, 32, seen);
  assert_memory_equal(seen, ((uint32_t[8]){1, 2, 3, 4, 5, 6, 20, 21}), sizeof seen);
  struct ledger_old neighbour = ledger_compare(m, &l, FROM + 28, 4, seen + 7), home = ledger_compare(m, &l, FROM, 8, seen);
  assert_int_equal(neighbour.words, 1);
  assert_int_equal(neighbour.newest, 8);
  assert_int_equal(home.words, 2);
  assert_int_equal(home.newest, 20);
  uint32_t mended = 30;
  ledger_take(m, &l, FROM + 28, 4, &mended); /* whoever it belongs to writes it anew */
  assert_int_equal(ledger_compare(m, &l, FROM + 28, 4, &mended).words, 0);
}

static void a_read_that_goes_astray_is_compared_with_what_it_was_for(void **state) {
  (void)state;
  by *m = test_engine();
  struct ledger l = window(4, 8);
  uint32_t writes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ledger_take(m, &l, FROM, 32, writes);
  struct ledger_old wrong = ledger_astray(m, &l, FROM + 24, FROM, 8, 0, NULL);
  assert_int_equal(wrong.words, 2);
  assert_int_equal(wrong.got, 7);
  assert_int_equal(wrong.newest, 1);
  wrong = ledger_astray(m, &l, FROM + 24, LEDGER_NOWHERE, 8, 0, NULL); /* nothing was meant: whatever lies there is not for it */
  assert_int_equal(wrong.words, 2);
  assert_int_equal(wrong.newest, 0);
  assert_memory_equal(&cells[6], (&(struct ledger_cell){7, 7}), sizeof *cells);
}

/* Without identities a grain gets one new write, however many words it has. */
static void where_nobody_names_the_writes_each_grain_is_a_new_one(void **state) {
  (void)state;
  by *m = test_engine();
  struct ledger l = window(16, 8);
  for (uint32_t i = 0; i < 8; i++) ledger_settle(&cells[i], 1 + i);
  m->writes = 100;
  struct ledger_old lost = ledger_astray(m, &l, FROM + 64, LEDGER_NOWHERE, 40, 1, NULL);
  assert_int_equal(lost.words, 3);
  assert_int_equal(lost.of, 3);
  assert_int_equal(m->writes, 103);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(cells[i].write, i < 4 || i == 7 ? 1 + i : 97 + i);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(cells[i].newest, 1 + i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_followed_of_a_span_is_clipped_to_the_window),
      cmocka_unit_test(an_older_write_over_the_newest_is_a_lost_update),
      cmocka_unit_test(old_data_is_told_by_the_newest_write_of_its_place),
      cmocka_unit_test(a_write_that_goes_astray_is_missing_where_it_belongs_and_over_a_neighbour),
      cmocka_unit_test(a_read_that_goes_astray_is_compared_with_what_it_was_for),
      cmocka_unit_test(where_nobody_names_the_writes_each_grain_is_a_new_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
