/* Split reads of the local bus adapter: which lines are fetched, which data is ready, arbitration, and
 * freeing of entries. */
#include "test/programs.h"

#define NS 1000ull
#define AT 0x100000ull
#define LINE 128ull

#define ENGINE test_engine()
#define STATE STATE_OF("lba", lba)
#define SPLIT(i) lba_split_at(ENGINE, CONTEXT_OF("lba", lba), i)
#define PLACE(i) lba_line_at(ENGINE, CONTEXT_OF("lba", lba), i)

/* Opens an idle adapter with four entries for lines and three for split reads. */
static void quiet_with(uint32_t rule, uint32_t relaxed) {
  machine("pcix-cards");
  PARAMS("first", peer)->blocks = 0, PARAMS("lba", lba)->lines = 4, PARAMS("lba", lba)->splits = 3;
  PARAMS("lba", lba)->attribute = rule, PARAMS("lba", lba)->mrm_consistent_relaxed = relaxed;
  machine_run();
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}

static void quiet(void) { quiet_with(LBA_ATTRIBUTE_EITHER, 0); }

/* Lets a line of a split read arrive, with words that identify it. */
static void comes(uint32_t place, uint64_t address, uint32_t split) {
  *PLACE(place) = (lba_line){
      .addr = address, .memory = address, .state = LBA_LINE_HERE, .bytes = LINE, .split = split + 1};
  for (uint32_t word = 0; word < LINE / 4; word++)
    lba_words(ENGINE, STATE->line_words_at, place)[word] = (place + 1) * 1000 + word;
}

/* A read of bytes 60 to 260 in three lines, some of which have arrived. Ready is the data from the next byte
 * without a gap, up to the end of the read. */
static void contiguous_data_is_ready(void **state) {
  (void)state;
  static const struct {
    uint32_t here;
    uint64_t next;
    uint32_t ready;
  } cases[] = {{0, 60, 0}, {1, 60, 68}, {2, 60, 0}, {3, 60, 196}, {5, 60, 68}, {7, 60, 200}, {6, 128, 132},
      {2, 128, 128}, {4, 128, 0}, {4, 256, 4}, {7, 127, 133}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *SPLIT(1) = (lba_split){.addr = AT + cases[i].next, .end = AT + 260};
    for (uint32_t line = 0; line < 3; line++)
      if (cases[i].here >> line & 1) comes(3 - line, AT + line * LINE, 1);
    assert_int_equal(lba_split_ready(ENGINE, SIM_CONTEXT(ENGINE, part_named("lba"), lba), 1), cases[i].ready);
    assert_int_equal(lba_split_ready(ENGINE, SIM_CONTEXT(ENGINE, part_named("lba"), lba), 0), 0);
    assert_int_equal(
        lba_split_next(ENGINE, SIM_CONTEXT(ENGINE, part_named("lba"), lba)), cases[i].ready ? 1 : SIM_NONE);
    comes(0, AT + LINE, 0); /* the same line for another read */
    *SPLIT(1) = (lba_split){.addr = AT + LINE, .end = AT + 2 * LINE};
    assert_int_equal(lba_split_ready(ENGINE, SIM_CONTEXT(ENGINE, part_named("lba"), lba), 1),
        cases[i].here & 2 ? LINE : 0);
  }
}

/* The words given from a line may all be stale or only some of them, which is torn. */
static void partly_stale_data_is_torn(void **state) {
  (void)state;
  static const struct {
    uint32_t words, stored, stale, torn;
  } cases[] = {{1, 0, 0, 0}, {1, 1, 1, 0}, {2, 1, 1, 1}, {2, 2, 2, 0}, {3, 1, 1, 1}, {3, 2, 2, 1},
      {3, 3, 3, 0}, {32, 31, 31, 1}, {32, 32, 32, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *SPLIT(2) = (lba_split){.addr = AT, .end = AT + LINE};
    STATE->completed = 2;
    comes(1, AT, 2);
    uint32_t words[32];
    for (uint32_t word = 0; word < 32; word++)
      words[word] = word < cases[i].stored ? 9000 + word : 2000 + word;
    call_memory_write(ENGINE, part_named("sba"), SBA_PORT_MEMORY,
        &(struct memory_write){.address = AT, .bytes = LINE, .when = SIM_NEVER, .writes = words});
    lba_split_give(ENGINE, SIM_CONTEXT(ENGINE, part_named("lba"), lba),
        &(struct pci_master_give){.address = AT, .bytes = 4 * cases[i].words, .writes = words});
    assert_int_equal(words[0], 2000);
    assert_int_equal(COUNTERS("lba", lba)->stale, cases[i].stale);
    assert_int_equal(COUNTERS("lba", lba)->torn, cases[i].torn);
  }
}

/* Words are taken from their lines, whatever entries those are in. A store to one of them since the fetch
 * makes it stale, which is recorded with its address. */
static void words_from_lines_are_compared_with_the_newest_writes(void **state) {
  (void)state;
  static const struct {
    uint32_t word, old;
  } cases[] = {{14, 0}, {15, 1}, {31, 1}, {32, 1}, {49, 1}, {50, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *SPLIT(2) = (lba_split){.addr = AT + 60, .end = AT + 260};
    STATE->completed = 2;
    comes(3, AT, 2), comes(1, AT + LINE, 2);
    comes(0, AT, 0); /* of another read */
    uint32_t words[35] = {0};
    for (uint32_t word = 0; word < 64; word++) {
      uint32_t write = word < 32 ? 4000 + word : 2000 + word - 32;
      call_memory_write(ENGINE, part_named("sba"), SBA_PORT_MEMORY,
          &(struct memory_write){.address = AT + 4 * word, .bytes = 4, .when = SIM_NEVER, .writes = &write});
    }
    uint32_t newer = 9000;
    call_memory_write(ENGINE, part_named("sba"), SBA_PORT_MEMORY,
        &(struct memory_write){
            .address = AT + 4 * cases[i].word, .bytes = 4, .when = SIM_NEVER, .writes = &newer});
    lba_split_give(ENGINE, SIM_CONTEXT(ENGINE, part_named("lba"), lba),
        &(struct pci_master_give){.address = AT + 60, .bytes = 140, .writes = words});
    for (uint32_t word = 0; word < 35; word++)
      assert_int_equal(words[word], word < 17 ? 4015 + word : 2000 + word - 17);
    assert_int_equal(COUNTERS("lba", lba)->bytes_out, 140);
    assert_int_equal(COUNTERS("lba", lba)->stale, cases[i].old);
    const struct sim_record *given = record_after(part_named("lba"), LBA_EV_GIVEN, 0),
                            *stale = record_after(part_named("lba"), LBA_EV_STALE, 0);
    assert_int_equal(given->a, AT + 60);
    assert_int_equal(given->b, 140);
    assert_int_equal(given->c, 4015);
    assert_int_equal(stale != NULL, cases[i].old);
    if (stale) assert_int_equal(stale->a, AT + 4 * cases[i].word), assert_int_equal(stale->c, 9000);
  }
}

/* The lines of a read may overtake by the hint, by its card's attribute, or only by both. Whether they are
 * snooped is up to the card alone. */
static void the_hint_is_combined_with_the_attribute(void **state) {
  (void)state;
  static const uint32_t relaxed[][4] = {/* by hint and attribute: neither, attribute, hint, both */
      [LBA_ATTRIBUTE_EITHER] = {0, 1, 1, 1},
      [LBA_ATTRIBUTE_BOTH] = {0, 0, 0, 1},
      [LBA_ATTRIBUTE_HINT] = {0, 0, 1, 1}};
  for (uint32_t rule = 0; rule < 3; rule++)
    for (uint32_t i = 0; i < 8; i++) {
      quiet_with(rule, i >> 1 & 1);
      struct pci_begin_block q = {.address = AT,
          .bytes = 2 * LINE,
          .attributes = (i & 1 ? PCI_RELAXED : 0) | (i & 4 ? PCI_NO_SNOOP : 0)};
      assert_int_equal(lba_pci_begin_block(ENGINE, SIM_CONTEXT(ENGINE, part_named("lba"), lba), &q), 1);
      for (uint32_t line = 0; line < 2; line++) {
        assert_int_equal(PLACE(line)->relaxed, relaxed[rule][i & 3]);
        assert_int_equal(PLACE(line)->no_snoop, i >> 2);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(partly_stale_data_is_torn),
      cmocka_unit_test(the_hint_is_combined_with_the_attribute),
      cmocka_unit_test(contiguous_data_is_ready),
      cmocka_unit_test(words_from_lines_are_compared_with_the_newest_writes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
