/* The shadow memory: tracked words of a span, and how stale data, lost updates and overwritten neighbours are
 * distinguished. The window at 0x1000 has eight words, or eight grains of 16 B. */
#include "test/testing.h"

#include "core/shadow_memory.h"

#define FROM 0x1000ull

static struct shadow_word *cells;

static struct shadow_memory window(uint32_t grain, uint32_t count) {
  struct session s = session_new(0, 0, 4);
  assert_int_equal(session_open(&s), SIM_OK);
  sim *m = test_engine();
  cells = (struct shadow_word *)(m + 1) + 4096;
  memset(cells, 0, count * sizeof *cells);
  return shadow_of(m, cells, FROM, count, grain);
}

TEST(a_span_is_clipped_to_the_window) {
  struct shadow_memory l = window(4, 8);
  static const struct {
    uint64_t address;
    uint32_t bytes;
    uint32_t words;
    uint32_t skip;
    uint64_t first;
  } cases[] = {{FROM, 32, 8, 0, FROM}, {FROM - 8, 64, 8, 2, FROM}, {FROM + 28, 64, 1, 0, FROM + 28},
      {FROM + 5, 1, 1, 0, FROM + 4}, {FROM + 6, 4, 1, 0, FROM + 4}, {FROM - 8, 8, 0, 0, 0},
      {FROM + 32, 4, 0, 0, 0}, {UINT64_MAX - 3, 4, 0, 0, 0}, {FROM, 0, 0, 0, 0}, {FROM, 1, 1, 0, FROM},
      {FROM, 5, 2, 0, FROM}, {FROM + 1, 8, 2, 0, FROM}, {FROM + 31, 1, 1, 0, FROM + 28},
      {FROM - 1, 1, 0, 0, 0}, {FROM - 8, 9, 1, 2, FROM}, {FROM - 12, 20, 2, 3, FROM},
      {FROM - 3, 4, 1, 0, FROM}, {FROM + 24, 8, 2, 0, FROM + 24},
      {FROM + 24, 9, 2, 0,
          FROM + 24}}; /* from FROM + 1 on three words are touched, with identities for two */
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t first = 0;
    uint32_t skip = 0;
    assert_int_equal(shadow_word_count(&l, cases[i].address, cases[i].bytes, &first, &skip), cases[i].words);
    EXPECT_VALUES({skip, cases[i].skip}, {first, cases[i].first});
  }
  l.cells = 0; /* no memory is tracked */
  uint32_t writes[4] = {9, 9, 9, 9};
  shadow_read(test_engine(), &l, FROM, 16, writes);
  shadow_write(test_engine(), &l, FROM, 16, writes);
  EXPECT_VALUES({writes[0], 9}, {cells[0].write, 0});
  assert_null(shadow_word(test_engine(), &l, FROM));
}

/* Grains of 16 B have four words each. Tracking ends with the last grain, and each address has the cell of
 * its grain. */
TEST(a_grain_has_one_cell_for_all_its_words) {
  sim *m = test_engine();
  const struct shadow_memory l = window(16, 8);
  static const struct {
    uint64_t address;
    uint32_t cell;
  } cases[] = {{FROM - 1, 8}, {FROM, 0}, {FROM + 15, 0}, {FROM + 16, 1}, {FROM + 127, 7},
      {FROM + 128, 8}}; /* 8: none */
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_ptr_equal(shadow_word(m, &l, cases[i].address), cases[i].cell < 8 ? &cells[cases[i].cell] : NULL);
  uint64_t first = 0;
  uint32_t skip = 0, seen[12];
  assert_int_equal(shadow_word_count(&l, FROM + 120, 64, &first, &skip), 2);
  assert_int_equal(first, FROM + 120);
  for (uint32_t i = 0; i < 8; i++) shadow_commit(&cells[i], 10 + i);
  memset(seen, 0, sizeof seen);
  shadow_read(m, &l, FROM - 8, 40, seen); /* two words before the window; the last two stay 0 */
  assert_memory_equal(seen, ((uint32_t[12]){0, 0, 10, 10, 10, 10, 11, 11, 11, 11}), sizeof seen);
  shadow_write(
      m, &l, FROM + 24, 16, (uint32_t[4]){21, 21, 22, 22}); /* half of two grains: each gets that write */
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(cells[i].write, i == 1 || i == 2 ? 20 + i : 10 + i);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(cells[i].newest, cells[i].write);
}

/* 40 B from the middle of a grain of 16 B cover three grains, with 8, 16 and 16 B. Parts outside the window
 * are not new writes. */
TEST(an_unnamed_store_is_one_new_write_in_each_grain) {
  static const struct {
    uint64_t address;
    uint32_t grain, bytes, from, to;
  } cases[] = {{FROM + 24, 16, 40, 1, 3}, {FROM + 16, 16, 16, 1, 1}, {FROM + 28, 16, 8, 1, 2},
      {FROM - 16, 16, 36, 0, 1}, {FROM + 112, 16, 64, 7, 7}, {FROM + 8, 4, 12, 2, 4}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = test_engine();
    const struct shadow_memory l = window(cases[i].grain, 8);
    const uint32_t from = cases[i].from, to = cases[i].to;
    for (uint32_t k = 0; k < 8; k++) cells[k] = (struct shadow_word){1 + k, 50};
    m->writes = 100;
    shadow_replace(m, &l, cases[i].address, cases[i].bytes);
    assert_int_equal(m->writes, 100 + to - from + 1);
    for (uint32_t k = 0; k < 8; k++) {
      const int stored = k >= from && k <= to;
      assert_int_equal(cells[k].write, stored ? 101 + k - from : 1 + k);
      assert_int_equal(cells[k].newest, stored ? 101 + k - from : 50);
    }
  }
}

/* Older data is written back. It loses an update if the newest write was here. */
TEST(an_older_write_over_the_newest_is_a_lost_update) {
  static const struct {
    struct shadow_word before;
    uint32_t write;
    uint32_t lost;
  } cases[] = {{{7, 7}, 5, 7}, {{7, 7}, 7, 0}, {{7, 7}, 8, 0}, {{3, 7}, 5, 0}, {{3, 7}, 7, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct shadow_word c = cases[i].before;
    assert_int_equal(shadow_read_done(&c, cases[i].write), cases[i].lost);
    EXPECT_VALUES({c.write, cases[i].write}, {c.newest, cases[i].before.newest});
  }
  struct shadow_word thrown = {3, 7};
  shadow_discard(&thrown);
  assert_int_equal(thrown.newest, 3);
}

TEST(stale_data_is_found_by_the_newest_write_of_its_place) {
  sim *m = test_engine();
  struct shadow_memory l = window(4, 8);
  uint32_t first[8] = {1, 2, 3, 4, 5, 6, 7, 8}, again[2] = {9, 10};
  shadow_write(m, &l, FROM, 32, first);
  struct shadow_stale old = shadow_check_current(m, &l, FROM, 32, first);
  EXPECT_VALUES({old.words, 0}, {old.of, 8});
  shadow_write(m, &l, FROM + 8, 8, again);
  old = shadow_check_current(
      m, &l, FROM - 4, 32, (uint32_t[8]){0, 1, 2, 3, 4, 5, 6, 7}); /* the word before is not tracked */
  EXPECT_VALUES({old.words, 2}, {old.of, 7}, {old.at, FROM + 8}, {old.got, 3}, {old.newest, 9});
  old = shadow_check_current(m, &l, FROM + 8, 8, first + 2); /* all of it */
  EXPECT_VALUES({old.words, 2}, {old.at, FROM + 8});
}

/* A write meant for the first two words is stored in the last two, one of which had been written. */
TEST(a_misdirected_write_is_missing_and_overwrites_a_neighbour) {
  sim *m = test_engine();
  struct shadow_memory l = window(4, 8);
  uint32_t writes[8] = {1, 2, 3, 4, 5, 6, 0, 8}, wrong[2] = {20, 21}, seen[8];
  shadow_write(m, &l, FROM, 32, writes);
  struct shadow_stale lost = shadow_misdirected(m, &l, FROM + 24, FROM, 8, 1, wrong);
  assert_int_equal(lost.words, 1); /* the other word was never written */
  EXPECT_VALUES({lost.of, 2}, {lost.at, FROM + 28}, {lost.got, 21}, {lost.newest, 8}, {l.apart, 1});
  shadow_read(m, &l, FROM, 32, seen);
  assert_memory_equal(seen, ((uint32_t[8]){1, 2, 3, 4, 5, 6, 20, 21}), sizeof seen);
  struct shadow_stale neighbour = shadow_check_current(m, &l, FROM + 28, 4, seen + 7),
                      home = shadow_check_current(m, &l, FROM, 8, seen);
  EXPECT_VALUES({neighbour.words, 1}, {neighbour.newest, 8}, {home.words, 2}, {home.newest, 20});
  uint32_t mended = 30;
  shadow_write(m, &l, FROM + 28, 4, &mended); /* its owner writes it again */
  assert_int_equal(shadow_check_current(m, &l, FROM + 28, 4, &mended).words, 0);
}

TEST(a_misdirected_read_is_compared_with_the_intended_data) {
  sim *m = test_engine();
  struct shadow_memory l = window(4, 8);
  uint32_t writes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  shadow_write(m, &l, FROM, 32, writes);
  struct shadow_stale wrong = shadow_misdirected(m, &l, FROM + 24, FROM, 8, 0, NULL);
  EXPECT_VALUES({wrong.words, 2}, {wrong.got, 7}, {wrong.newest, 1});
  wrong = shadow_misdirected(
      m, &l, FROM + 24, SHADOW_NONE, 8, 0, NULL); /* no address was intended, so all data read is wrong */
  EXPECT_VALUES({wrong.words, 2}, {wrong.newest, 0});
  assert_memory_equal(&cells[6], (&(struct shadow_word){7, 7}), sizeof *cells);
}

/* Without identities the check compares the stored data itself. */
TEST(stored_data_can_be_checked_without_identities) {
  sim *m = test_engine();
  const struct shadow_memory l = window(4, 8);
  for (uint32_t i = 0; i < 8; i++) cells[i] = (struct shadow_word){1 + i, i == 3 || i == 5 ? 90 + i : 1 + i};
  static const struct {
    uint32_t from, words, old, first;
  } cases[] = {{0, 8, 2, 3}, {0, 3, 0, 0}, {3, 1, 1, 3}, {4, 4, 1, 5}, {6, 2, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct shadow_stale old =
        shadow_check_current(m, &l, FROM + 4 * cases[i].from, 4 * cases[i].words, NULL);
    EXPECT_VALUES({old.of, cases[i].words}, {old.words, cases[i].old});
    if (!cases[i].old) continue;
    EXPECT_VALUES({old.at, FROM + 4 * cases[i].first}, {old.got, 1 + cases[i].first},
        {old.newest, 90 + cases[i].first});
  }
}

/* A write of two grains of 16 B and a word of a third, with an identity for each word: each grain counts once
 * and keeps the last identity. The intended addresses leave the window before the actual ones. */
TEST(a_misdirected_named_write_counts_by_grains) {
  sim *m = test_engine();
  struct shadow_memory l = window(16, 8);
  for (uint32_t i = 0; i < 8; i++) shadow_commit(&cells[i], 1 + i);
  const struct shadow_stale lost = shadow_misdirected(
      m, &l, FROM + 16, FROM + 112, 36, 1, (uint32_t[9]){20, 21, 22, 23, 24, 25, 26, 27, 28});
  EXPECT_VALUES({lost.of, 3}, {lost.words, 3}, {lost.at, FROM + 16}, {lost.got, 20}, {lost.newest, 2});
  static const uint32_t lies[] = {1, 23, 27, 28, 5, 6, 7, 8};
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(cells[i].write, lies[i]);
  for (uint32_t i = 0; i < 8; i++)
    assert_int_equal(cells[i].newest, i == 7 ? 23 : 1 + i); /* only the first intended grain is tracked */
}

/* A misdirected read is harmless if it gets the intended data, or if neither place was ever written. */
TEST(a_misdirected_read_may_get_the_same_data) {
  static const struct {
    uint32_t here, home, words;
    uint64_t meant;
  } cases[] = {{0, 0, 0, FROM}, {7, 7, 0, FROM}, {7, 8, 1, FROM}, {0, 8, 1, FROM}, {7, 0, 1, FROM},
      {0, 0, 0, SHADOW_NONE}, {7, 7, 1, SHADOW_NONE}, {7, 7, 1, FROM - 4}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = test_engine();
    struct shadow_memory l = window(4, 8);
    shadow_commit(&cells[0], cases[i].home), shadow_commit(&cells[4], cases[i].here);
    const struct shadow_stale wrong = shadow_misdirected(m, &l, FROM + 16, cases[i].meant, 4, 0, NULL);
    EXPECT_VALUES({wrong.of, 1}, {wrong.words, cases[i].words},
        {wrong.got, cases[i].words ? cases[i].here : 0}, {l.apart, 1}, {cells[0].newest, cases[i].home},
        {cells[4].newest, cases[i].here}, {m->writes, 0});
  }
}

/* Without identities each grain gets one new write, however many words it has. */
TEST(a_misdirected_unnamed_write_is_new_in_each_grain) {
  sim *m = test_engine();
  struct shadow_memory l = window(16, 8);
  for (uint32_t i = 0; i < 8; i++) shadow_commit(&cells[i], 1 + i);
  m->writes = 100;
  struct shadow_stale lost = shadow_misdirected(m, &l, FROM + 64, SHADOW_NONE, 40, 1, NULL);
  EXPECT_VALUES({lost.words, 3}, {lost.of, 3}, {m->writes, 103});
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(cells[i].write, i < 4 || i == 7 ? 1 + i : 97 + i);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(cells[i].newest, 1 + i);
}

/* If an access begins inside a word or before the window, each word keeps its distance from the intended
 * start. */
TEST(misdirected_words_keep_their_distance_from_the_intended_start) {
  static const struct {
    uint64_t address, meant;
    uint32_t bytes, here, home;
  } cases[] = {{FROM + 24, FROM, 4, 6, 0}, {FROM + 26, FROM + 6, 2, 6, 1}, {FROM + 25, FROM + 13, 3, 6, 3},
      {FROM - 8, FROM + 8, 12, 0, 4}, {FROM - 4, FROM + 20, 8, 0, 6}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sim *m = test_engine();
    struct shadow_memory l = window(4, 8);
    for (uint32_t k = 0; k < 8; k++) shadow_commit(&cells[k], 1 + k);
    const struct shadow_stale wrong =
        shadow_misdirected(m, &l, cases[i].address, cases[i].meant, cases[i].bytes, 0, NULL);
    EXPECT_VALUES({wrong.of, 1}, {wrong.got, 1 + cases[i].here}, {wrong.newest, 1 + cases[i].home});
    shadow_misdirected(m, &l, cases[i].address, cases[i].meant, cases[i].bytes, 1, (uint32_t[3]){50, 51, 52});
    const uint32_t last = 50 + (cases[i].bytes - 1) / 4;
    for (uint32_t k = 0; k < 8; k++) {
      assert_int_equal(cells[k].write, k == cases[i].here ? last : 1 + k);
      assert_int_equal(cells[k].newest, k == cases[i].home ? last : 1 + k);
    }
  }
}
