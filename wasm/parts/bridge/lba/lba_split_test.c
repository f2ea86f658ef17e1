/* Split reads of a local bus adapter step by step: which lines are fetched, what is ready, whose turn it is, what is given, and what makes room. */
#include "test/programs.h"

#define NS 1000ull
#define AT 0x100000ull
#define LINE 128ull

#define ENGINE test_engine()
#define STATE STATE_OF("lba", lba)
#define SPLIT(i) lba_split_at(ENGINE, STATE, i)
#define PLACE(i) lba_line_at(ENGINE, STATE, i)

/* Four places for lines, three for split reads, and nobody who wants anything. */
static void quiet(void) {
  machine("pcix-cards");
  PARAMS("first", peer)->blocks = 0, PARAMS("lba", lba)->lines = 4, PARAMS("lba", lba)->splits = 3;
  machine_run();
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}

static uint32_t begins(uint64_t address, uint32_t bytes, uint32_t tag) { return lba_pci_begin_block(ENGINE, part_named("lba"), &(struct pci_begin_block){.address = address, .bytes = bytes, .tag = tag}); }

static void assert_place(uint32_t place, uint64_t address, uint32_t split) {
  assert_int_equal(PLACE(place)->addr, address);
  assert_int_equal(PLACE(place)->state, address ? LBA_LINE_ASKED : LBA_LINE_EMPTY);
  assert_int_equal(PLACE(place)->split, split);
}

/* 200 bytes from byte 60 on touch three lines, so that of the next read only one has a place; a third waits for one; a fourth has no row and comes again. */
static void reads_are_taken_over_as_far_as_there_are_places(void **state) {
  (void)state;
  quiet();
  assert_int_equal(begins(AT + 60, 200, 5), 1);
  for (uint32_t line = 0; line < 3; line++) assert_place(line, AT + line * LINE, 1);
  assert_place(3, 0, 0);
  assert_int_equal(SPLIT(0)->addr, AT + 60);
  assert_int_equal(SPLIT(0)->end, AT + 260);
  assert_int_equal(SPLIT(0)->tag, 5);
  assert_int_equal(SPLIT(0)->fetch, AT + 3 * LINE);
  assert_int_equal(begins(AT + 4096, 256, 6), 1);
  assert_place(3, AT + 4096, 2);
  assert_int_equal(SPLIT(1)->fetch, AT + 4096 + LINE);
  assert_int_equal(begins(AT + 8192, 128, 7), 1);
  assert_int_equal(SPLIT(2)->fetch, AT + 8192);
  assert_int_equal(begins(AT + 12288, 128, 8), 0);
  assert_int_equal(COUNTERS("lba", lba)->retries, 1);
  assert_int_equal(COUNTERS("lba", lba)->split, 3);
  assert_int_equal(COUNTERS("lba", lba)->fetched, 4);
  const uint32_t said = BECAUSE(part_named("lba"), LBA_EV_SPLITS);
  EXPECT_EVENTS(part_named("lba"), {1000 * NS, LBA_EV_SPLITS, AT + 60, 200, 5, 0}, {1000 * NS, LBA_EV_STATE, 0, LBA_STATE_FETCHING, 0, ANY_CAUSE}, {1000 * NS, LBA_EV_SPLITS, AT + 4096, 256, 6, ANY_CAUSE}, {1000 * NS, LBA_EV_SPLITS, AT + 8192, 128, 7, said});
}

/* Once a line had no translation the bus is dead. */
static void a_dead_bus_takes_nothing_over(void **state) {
  (void)state;
  quiet();
  STATE->failed = 1;
  assert_int_equal(begins(AT, 128, 5), 0);
  assert_int_equal(COUNTERS("lba", lba)->retries, 1);
  assert_int_equal(COUNTERS("lba", lba)->split + COUNTERS("lba", lba)->fetched, 0);
  assert_int_equal(SPLIT(0)->end, 0);
}

/* A line of a split read is here, with words that tell it. */
static void comes(uint32_t place, uint64_t address, uint32_t split) {
  *PLACE(place) = (lba_line){.addr = address, .memory = address, .state = LBA_LINE_HERE, .bytes = LINE, .split = split + 1};
  for (uint32_t word = 0; word < LINE / 4; word++) lba_words(ENGINE, STATE->line_words_at, place)[word] = (place + 1) * 1000 + word;
}

/* Bytes 60 to 260, in three lines, of which these are here: ready is what is there from the next byte on without a gap, and no more than was named. */
static void what_is_here_without_a_gap_is_ready(void **state) {
  (void)state;
  static const struct { uint32_t here; uint64_t next; uint32_t ready; } cases[] = {{0, 60, 0}, {1, 60, 68}, {2, 60, 0}, {3, 60, 196}, {5, 60, 68}, {7, 60, 200}, {6, 128, 132}, {2, 128, 128}, {4, 128, 0}, {4, 256, 4}, {7, 127, 133}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *SPLIT(1) = (lba_split){.addr = AT + cases[i].next, .end = AT + 260};
    for (uint32_t line = 0; line < 3; line++)
      if (cases[i].here >> line & 1) comes(3 - line, AT + line * LINE, 1);
    assert_int_equal(lba_split_ready(ENGINE, part_named("lba"), 1), cases[i].ready);
    assert_int_equal(lba_split_ready(ENGINE, part_named("lba"), 0), 0);
    assert_int_equal(lba_split_next(ENGINE, part_named("lba")), cases[i].ready ? 1 : SIM_NONE);
    comes(0, AT + LINE, 0); /* the same line, for another */
    *SPLIT(1) = (lba_split){.addr = AT + LINE, .end = AT + 2 * LINE};
    assert_int_equal(lba_split_ready(ENGINE, part_named("lba"), 1), cases[i].here & 2 ? LINE : 0);
  }
}

/* Each that is ready has its turn, the one behind the last first. Data of a relaxed line goes before stores that came down before it. */
static void split_reads_have_their_turn(void **state) {
  (void)state;
  static const struct { uint32_t ready, completed, next; } cases[] = {{0, 0, SIM_NONE}, {1, 0, 0}, {3, 0, 1}, {3, 1, 0}, {7, 1, 2}, {7, 2, 0}, {5, 0, 2}, {5, 1, 2}, {4, 2, 2}, {6, 1, 2}, {1, 1, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t relaxed = 0; relaxed < 2; relaxed++) {
      quiet();
      for (uint32_t split = 0; split < 3; split++) {
        *SPLIT(split) = (lba_split){.addr = AT + 4096 * split + 8, .end = AT + 4096 * split + LINE, .tag = 5 + split, .cause = 40 + split};
        if (cases[i].ready >> split & 1) comes(split, AT + 4096 * split, split);
        PLACE(split)->relaxed = split == cases[i].next ? relaxed : !relaxed;
      }
      STATE->completed = cases[i].completed;
      struct pci_grant q = {0};
      assert_int_equal(lba_split_next(ENGINE, part_named("lba")), cases[i].next);
      assert_int_equal(lba_split_overtakes(ENGINE, part_named("lba")), cases[i].ready && relaxed);
      assert_int_equal(lba_split_grant(ENGINE, part_named("lba"), &q), cases[i].ready != 0);
      assert_int_equal(STATE->completing, cases[i].ready != 0);
      if (!cases[i].ready) continue;
      assert_int_equal(STATE->completed, cases[i].next);
      assert_int_equal(q.address, AT + 4096 * cases[i].next + 8);
      assert_int_equal(q.bytes, LINE - 8);
      assert_int_equal(q.command, PCI_COMMAND_COMPLETION);
      assert_int_equal(q.tag, 5 + cases[i].next);
      assert_int_equal(ENGINE->cause, 40 + cases[i].next);
    }
}

/* Words come from the lines that they are in, wherever those lie; a new write to one of them meanwhile makes what is given old, and it is told which. */
static void words_are_given_from_their_lines_and_held_to_what_is_newest(void **state) {
  (void)state;
  static const struct { uint32_t word, old; } cases[] = {{14, 0}, {15, 1}, {31, 1}, {32, 1}, {49, 1}, {50, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *SPLIT(2) = (lba_split){.addr = AT + 60, .end = AT + 260};
    STATE->completed = 2;
    comes(3, AT, 2), comes(1, AT + LINE, 2);
    comes(0, AT, 0); /* another's */
    uint32_t words[35] = {0};
    for (uint32_t word = 0; word < 64; word++) {
      uint32_t write = word < 32 ? 4000 + word : 2000 + word - 32;
      call_memory_write(ENGINE, part_named("sba"), SBA_PORT_MEMORY, &(struct memory_write){.address = AT + 4 * word, .bytes = 4, .when = SIM_NEVER, .writes = &write});
    }
    uint32_t newer = 9000;
    call_memory_write(ENGINE, part_named("sba"), SBA_PORT_MEMORY, &(struct memory_write){.address = AT + 4 * cases[i].word, .bytes = 4, .when = SIM_NEVER, .writes = &newer});
    lba_split_give(ENGINE, part_named("lba"), &(struct pci_master_give){.address = AT + 60, .bytes = 140, .writes = words});
    for (uint32_t word = 0; word < 35; word++) assert_int_equal(words[word], word < 17 ? 4015 + word : 2000 + word - 17);
    assert_int_equal(COUNTERS("lba", lba)->bytes_out, 140);
    assert_int_equal(COUNTERS("lba", lba)->stale, cases[i].old);
    const struct sim_record *given = record_after(part_named("lba"), LBA_EV_GIVEN, 0), *stale = record_after(part_named("lba"), LBA_EV_STALE, 0);
    assert_int_equal(given->a, AT + 60);
    assert_int_equal(given->b, 140);
    assert_int_equal(given->c, 4015);
    assert_int_equal(stale != NULL, cases[i].old);
    if (stale) assert_int_equal(stale->a, AT + 4 * cases[i].word), assert_int_equal(stale->c, 9000);
  }
}

/*
 * Three lines of a read are here, and another waits for a place. What has been given whole makes room for it, what has been given in part does not; when
 * the last byte has gone the row and its lines are free. Between blocks of one completion more may follow at once, and then the bus is asked for again.
 */
static void what_has_been_given_makes_room(void **state) {
  (void)state;
  static const struct { uint32_t bytes, last, empty, more; } cases[] = {{4, 0, 0, 196}, {64, 0, 0, 136}, {68, 0, 1, 132}, {68, 1, 1, 132}, {196, 1, 2, 4}, {200, 1, 3, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *SPLIT(1) = (lba_split){.addr = AT + 60, .fetch = AT + 3 * LINE, .end = AT + 260, .tag = 5};
    *SPLIT(2) = (lba_split){.addr = AT + 8192, .fetch = AT + 8192, .end = AT + 8192 + 8 * LINE, .tag = 6};
    comes(0, AT, 1), comes(1, AT + LINE, 1), comes(2, AT + 2 * LINE, 1), comes(3, AT + 16384, 0);
    STATE->completing = 1, STATE->completed = 1;
    assert_int_equal(lba_split_moved(ENGINE, part_named("lba"), &(struct pci_moved){.bytes = cases[i].bytes, .last = cases[i].last}), cases[i].more);
    for (uint32_t place = 0; place < 3; place++) {
      if (place < cases[i].empty) assert_place(place, AT + 8192 + place * LINE, 3);
      else assert_int_equal(PLACE(place)->state, LBA_LINE_HERE);
    }
    assert_int_equal(PLACE(3)->state, LBA_LINE_HERE);
    assert_int_equal(SPLIT(1)->addr, cases[i].more ? AT + 60 + cases[i].bytes : 0);
    assert_int_equal(SPLIT(1)->end, cases[i].more ? AT + 260 : 0);
    assert_int_equal(SPLIT(2)->fetch, AT + 8192 + cases[i].empty * LINE);
    assert_int_equal(COUNTERS("lba", lba)->fetched, cases[i].empty);
    assert_int_equal(STATE->completing, !cases[i].last);
    assert_int_equal(pcix_view(ENGINE, STATE_OF("bus", pcix))->requests & 1, cases[i].last && cases[i].more);
    assert_int_equal(lba_view(ENGINE, STATE)->state, cases[i].empty ? LBA_STATE_FETCHING : LBA_STATE_IDLE);
  }
}

/* Of what is given of a line all words are old, or only some, which is torn. */
static void data_of_which_some_is_old_is_torn(void **state) {
  (void)state;
  static const struct { uint32_t words, stored, stale, torn; } cases[] = {{1, 0, 0, 0}, {1, 1, 1, 0}, {2, 1, 1, 1}, {2, 2, 2, 0}, {3, 1, 1, 1}, {3, 2, 2, 1}, {3, 3, 3, 0}, {32, 31, 31, 1}, {32, 32, 32, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *SPLIT(2) = (lba_split){.addr = AT, .end = AT + LINE};
    STATE->completed = 2;
    comes(1, AT, 2);
    uint32_t words[32];
    for (uint32_t word = 0; word < 32; word++) words[word] = word < cases[i].stored ? 9000 + word : 2000 + word;
    call_memory_write(ENGINE, part_named("sba"), SBA_PORT_MEMORY, &(struct memory_write){.address = AT, .bytes = LINE, .when = SIM_NEVER, .writes = words});
    lba_split_give(ENGINE, part_named("lba"), &(struct pci_master_give){.address = AT, .bytes = 4 * cases[i].words, .writes = words});
    assert_int_equal(words[0], 2000);
    assert_int_equal(COUNTERS("lba", lba)->stale, cases[i].stale);
    assert_int_equal(COUNTERS("lba", lba)->torn, cases[i].torn);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_of_which_some_is_old_is_torn),
      cmocka_unit_test(what_is_here_without_a_gap_is_ready),
      cmocka_unit_test(reads_are_taken_over_as_far_as_there_are_places),
      cmocka_unit_test(a_dead_bus_takes_nothing_over),
      cmocka_unit_test(split_reads_have_their_turn),
      cmocka_unit_test(words_are_given_from_their_lines_and_held_to_what_is_newest),
      cmocka_unit_test(what_has_been_given_makes_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
