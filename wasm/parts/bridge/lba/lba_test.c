/* A local bus adapter on a rope, with a card that reads or writes memory and one that receives stores: times,
 * lines and order. */
#include "test/ropes.h"

#define COUNT(name) (COUNTERS("lba0", lba)->name)

/* On a rope of 0.5 GB/s a request of 8 B takes 16 ns, and a line of 128 B with a header of 8 B 272. Memory
 * takes 110 between them. Requests are sent back to back on one link, and lines on another. */
static void a_line_takes_the_rope_twice_and_memory_once(void **state) {
  (void)state;
  for (uint64_t crossing = 0; crossing <= 240 * NS; crossing += 120 * NS) {
    one_rope();
    PARAMS("lba0", lba)->crossing = crossing;
    PARAMS("lba0", lba)->mrm_consistent_depth = 2;
    PARAMS("peer0", peer)->bytes = 3 * LINE;
    machine_run();
    const struct sim_record *here = NULL;
    for (uint32_t i = 0; i < 3; i++) {
      here = record_following(LBA_PART, LBA_EV_HERE, here);
      assert_non_null(here);
      assert_int_equal(here->a, AT + i * LINE);
      assert_int_equal(here->time, (16 + 110 + 272 * (i + 1)) * NS + 2 * crossing);
    }
    assert_int_equal(COUNT(rope_in), 3 * 16 * NS);
    assert_int_equal(COUNT(rope_out), 3 * 272 * NS);
  }
}

/* Each miss fetches the requested line and prefetches up to the end of its block; unused lines are dropped.
 * Reads of two lines or more use MRM, of one MRL, of less MR, each with its own hints. */
static void a_miss_fetches_a_line_and_prefetches_in_its_block(void **state) {
  (void)state;
  static const struct {
    uint64_t offset, bytes, mr, mrl, mrm, block;
    uint32_t delayed, fetched;
  } cases[] = {{0, 1024, 0, 0, 0, 4096, 8, 8}, {0, 1024, 0, 0, 3, 4096, 2, 8}, {0, 1024, 0, 0, 1, 4096, 4, 8},
      {0, 1024, 0, 0, 2, 4096, 3, 9},  /* 3 + 3 + 3, the last line beyond the end */
      {384, 1024, 0, 0, 3, 512, 3, 9}, /* 1 to the end of the block, then 4, then 4 of which 3 are used */
      {0, 128, 0, 2, 3, 4096, 1, 3}, {0, 64, 1, 3, 3, 4096, 1, 2}, {64, 128, 0, 3, 3, 4096, 2, 2},
      {3968, 128, 3, 3, 3, 4096, 1, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    one_rope();
    PARAMS("lba0", lba)->mr_consistent_depth = cases[i].mr,
                   PARAMS("lba0", lba)->mrl_consistent_depth = cases[i].mrl,
                   PARAMS("lba0", lba)->mrm_consistent_depth = cases[i].mrm;
    PARAMS("lba0", lba)->mr_consistent_block = PARAMS("lba0", lba)->mrl_consistent_block =
        PARAMS("lba0", lba)->mrm_consistent_block = cases[i].block;
    PARAMS("peer0", peer)->address = AT + cases[i].offset, PARAMS("peer0", peer)->bytes = cases[i].bytes;
    machine_run();
    uint64_t last = (cases[i].offset + cases[i].bytes + LINE - 1) / LINE,
             lines = last - cases[i].offset / LINE;
    assert_int_equal(COUNT(bytes_out), cases[i].bytes);
    assert_int_equal(COUNT(delayed), cases[i].delayed);
    assert_int_equal(COUNT(fetched), cases[i].fetched);
    assert_int_equal(COUNT(fetched) - COUNT(wasted), lines);
    assert_true(COUNT(retries) >= COUNT(delayed));
    struct lba_now *now = lba_view(test_engine(), CONTEXT_OF("lba0", lba));
    assert_int_equal(now->state, LBA_STATE_IDLE);
  }
}

/* Streaming memory and consistent memory have different hints. */
static void each_kind_of_memory_has_its_own_hints(void **state) {
  (void)state;
  for (uint32_t streaming = 0; streaming < 2; streaming++) {
    one_rope();
    PARAMS("lba0", lba)->mrm_consistent_depth = 0, PARAMS("lba0", lba)->mrm_streaming_depth = 3;
    PARAMS("peer0", peer)->address = streaming ? PARAMS("lba0", lba)->streaming_from : AT,
                    PARAMS("peer0", peer)->bytes = 1024;
    machine_run();
    assert_int_equal(COUNT(delayed), streaming ? 2 : 8);
  }
}

/* Every word arrives with a new write number and nothing else changes, for any number of entries. */
static void a_write_changes_only_its_own_bytes(void **state) {
  (void)state;
  static const struct {
    uint64_t offset, bytes;
  } cases[] = {{0, 128}, {0, 4}, {124, 8}, {4, 1020}, {64, 2048}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t posts = 2; posts <= 8; posts += 3) {
      one_rope();
      PARAMS("lba0", lba)->posts = posts;
      PARAMS("peer0", peer)->direction = PEER_DIRECTION_WRITE,
                      PARAMS("peer0", peer)->address = AT + cases[i].offset,
                      PARAMS("peer0", peer)->bytes = cases[i].bytes;
      machine_run();
      const struct shadow_word *words = sim_at(test_engine(), STATE_OF("memory", memory)->shadow.at);
      for (uint64_t word = 0; word < 8192 / 4; word++)
        assert_int_equal(
            words[word].write, word * 4 >= cases[i].offset && word * 4 < cases[i].offset + cases[i].bytes
                                   ? word - cases[i].offset / 4 + 1
                                   : 0);
      assert_int_equal(COUNT(bytes_in), cases[i].bytes);
    }
}

static uint32_t records_before(uint32_t part, uint32_t kind, const struct sim_record *end) {
  uint32_t n = 0;
  for (const struct sim_record *at = NULL; (at = record_following(part, kind, at)) && at < end;) n++;
  return n;
}

/*
 * Lines arrive while a store is on its way down or waits for the bus. No line becomes available before all
 * stores that came down the rope earlier have left, unless the hint lets it pass. The card gets all its data
 * in any case.
 */
static void lines_pass_stores_only_if_relaxed(void **state) {
  (void)state;
  uint32_t overtook = 0, blocked = 0, dropped = 0;
  for (uint32_t way = 0; way < 2; way++)
    for (uint64_t when = 0; when < 1500; when += 10) {
      one_rope();
      const uint64_t program[] = {SPEND(when * NS + 1), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0),
          ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), END};
      machine_rows("cpu0", 0, ROWS(program));
      PARAMS("lba0", lba)->mrm_consistent_relaxed = way;
      PARAMS("peer0", peer)->bytes = 1024;
      machine_run();
      assert_int_equal(COUNT(bytes_out), 1024);
      assert_int_equal(COUNT(stores), 3);
      assert_int_equal(COUNTERS("lan0", lan_card)->doorbells, 3);
      if (way) assert_int_equal(COUNT(blocked), 0);
      else assert_int_equal(COUNT(overtook), 0);
      overtook += (uint32_t)COUNT(overtook), blocked += (uint32_t)COUNT(blocked);
      if (way == 0) dropped += (uint32_t)COUNT(wasted);
      else assert_int_equal(COUNT(wasted), 0);
      if (COUNT(broken) == 0) assert_int_equal(COUNT(wasted), 0);
      const struct sim_record *here = NULL;
      while (!way && (here = record_following(LBA_PART, LBA_EV_HERE, here))) {
        const struct sim_record *came = here, *behind = NULL;
        while ((behind = record_following(LBA_PART, LBA_EV_BEHIND, behind)) && behind < here)
          if (behind->a == here->a) came = behind;
        assert_true(records_before(LAN_PART, LAN_CARD_EV_DOORBELL, here)
                    >= records_before(LBA_PART, LBA_EV_STORE, came));
      }
    }
  assert_true(overtook > 0 && blocked > 0 && dropped > 0);
}

/* A load returns the register's value, behind earlier posted writes; an unclaimed load returns all ones. */
static void processors_load_from_cards(void **state) {
  (void)state;
  static const struct {
    uint64_t address;
    uint32_t value, unclaimed;
  } cases[] = {{DOORBELL, 0, 0}, {DOORBELL + 4096, UINT32_MAX, 0}, {0x70000000, UINT32_MAX, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    one_rope();
    const uint64_t program[] = {ROW(IO_LOAD, cases[i].address, 0, 4, 4, 0, 0, 0), END};
    machine_rows("cpu0", 0, ROWS(program));
    PARAMS("peer0", peer)->blocks = 0;
    machine_run();
    assert_int_equal(cpu_threads(test_engine(), SIM_STATE(test_engine(), ROPE_CPU(0), processor))[0].value,
        cases[i].value);
    assert_int_equal(COUNTERS("sba", sba)->unclaimed, cases[i].unclaimed);
  }
}

/* With more stores than the rope's buffer holds the processor waits; none is lost, and they leave in
 * order. */
static void stores_wait_for_an_entry_and_none_is_lost(void **state) {
  (void)state;
  static const uint64_t program[] = {ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0),
      ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0),
      ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0),
      ROW(IO_LOAD, DOORBELL, 0, 4, 4, 0, 0, 0), END};
  for (uint64_t places = 1; places <= 8; places *= 2) {
    one_rope();
    machine_rows("cpu0", 0, ROWS(program));
    PARAMS("lba0", lba)->stores = places;
    PARAMS("peer0", peer)->blocks = 0;
    machine_run();
    assert_int_equal(COUNTERS("lan0", lan_card)->doorbells, 5);
    assert_int_equal(COUNT(stores), 5);
    assert_int_equal(COUNTERS("sba", sba)->loads, 1);
  }
}

static void memory_that_runs_out_is_an_error(void **state) {
  (void)state;
  one_rope();
  assert_true(session_without_memory(machine_session()) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_takes_the_rope_twice_and_memory_once),
      cmocka_unit_test(a_miss_fetches_a_line_and_prefetches_in_its_block),
      cmocka_unit_test(each_kind_of_memory_has_its_own_hints),
      cmocka_unit_test(a_write_changes_only_its_own_bytes),
      cmocka_unit_test(lines_pass_stores_only_if_relaxed),
      cmocka_unit_test(processors_load_from_cards),
      cmocka_unit_test(stores_wait_for_an_entry_and_none_is_lost),
      cmocka_unit_test(memory_that_runs_out_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
