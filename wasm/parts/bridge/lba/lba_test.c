/* A local bus adapter at the end of a rope, a card that reads or writes memory and one that takes stores:
 * times, lines and order. */
#include "test/ropes.h"

#define SAID(name) (COUNTERS("lba0", lba)->name)

static const struct sim_record *after(uint32_t part, uint32_t kind, const struct sim_record *before) {
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  return record_after(part, kind, before ? (uint32_t)(before - ring) + 1 : 0);
}

/*
 * A request of 8 B and a line of 128 B with its 8 go over a rope of 0.5 GB/s in 16 and 272 ns, and memory
 * takes 110 between. Requests follow each other, and so do lines, on a link of their own.
 */
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
      here = after(LBA_PART, LBA_EV_HERE, here);
      assert_non_null(here);
      assert_int_equal(here->a, AT + i * LINE);
      assert_int_equal(here->time, (16 + 110 + 272 * (i + 1)) * NS + 2 * crossing);
    }
    assert_int_equal(SAID(rope_in), 3 * 16 * NS);
    assert_int_equal(SAID(rope_out), 3 * 272 * NS);
  }
}

/*
 * Each wait brings the line asked for and those ahead, to the end of their block; what the card did not want
 * is thrown away. Reads of two lines or more are MRM, of one MRL, of less MR, and each has hints of its own.
 */
static void a_wait_brings_a_line_and_those_ahead_in_its_block(void **state) {
  (void)state;
  static const struct {
    uint64_t offset, bytes, mr, mrl, mrm, block;
    uint32_t delayed, fetched;
  } cases[] = {{0, 1024, 0, 0, 0, 4096, 8, 8}, {0, 1024, 0, 0, 3, 4096, 2, 8}, {0, 1024, 0, 0, 1, 4096, 4, 8},
      {0, 1024, 0, 0, 2, 4096, 3, 9},  /* 3 + 3 + 3, the last of which is beyond the end */
      {384, 1024, 0, 0, 3, 512, 3, 9}, /* 1 to the block's end, 4, 4 of which 3 are wanted */
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
    assert_int_equal(SAID(bytes_out), cases[i].bytes);
    assert_int_equal(SAID(delayed), cases[i].delayed);
    assert_int_equal(SAID(fetched), cases[i].fetched);
    assert_int_equal(SAID(fetched) - SAID(wasted), lines);
    assert_true(SAID(retries) >= SAID(delayed));
    struct lba_now *now = lba_view(test_engine(), CONTEXT_OF("lba0", lba));
    assert_int_equal(now->state, LBA_STATE_IDLE);
  }
}

/* Hints of streaming memory are others than those of consistent memory. */
static void each_kind_of_memory_has_hints_of_its_own(void **state) {
  (void)state;
  for (uint32_t streaming = 0; streaming < 2; streaming++) {
    one_rope();
    PARAMS("lba0", lba)->mrm_consistent_depth = 0, PARAMS("lba0", lba)->mrm_streaming_depth = 3;
    PARAMS("peer0", peer)->address = streaming ? PARAMS("lba0", lba)->streaming_from : AT,
                    PARAMS("peer0", peer)->bytes = 1024;
    machine_run();
    assert_int_equal(SAID(delayed), streaming ? 2 : 8);
  }
}

/* Every word arrives with a new write, nothing beside it changes, and no more is taken than there are places.
 */
static void what_a_card_writes_is_in_memory_and_nothing_beside_it(void **state) {
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
      assert_int_equal(SAID(bytes_in), cases[i].bytes);
    }
}

static uint32_t told_before(uint32_t part, uint32_t kind, const struct sim_record *end) {
  uint32_t n = 0;
  for (const struct sim_record *at = NULL; (at = after(part, kind, at)) && at < end;) n++;
  return n;
}

/*
 * A store is on its way down, or waits for the bus, when lines come. None is here before all stores have left
 * that came down the rope before it, unless the hint lets it overtake; whatever happens, the card gets all it
 * reads.
 */
static void data_does_not_overtake_stores_unless_it_may(void **state) {
  (void)state;
  uint32_t overtook = 0, blocked = 0, dropped = 0;
  for (uint32_t way = 0; way < 4; way++)
    for (uint64_t when = 0; when < 1500; when += 10) {
      one_rope();
      const uint64_t program[] = {SPEND(when * NS + 1), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0),
          ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), ROW(IO_STORE, 0, DOORBELL, 4, 4, 0, 0, 0), END};
      machine_rows("cpu0", 0, ROWS(program));
      PARAMS("lba0", lba)->mrm_consistent_relaxed = way & 1, PARAMS("lba0", lba)->keeps = way >> 1;
      PARAMS("peer0", peer)->bytes = 1024;
      machine_run();
      assert_int_equal(SAID(bytes_out), 1024);
      assert_int_equal(SAID(stores), 3);
      assert_int_equal(COUNTERS("lan0", lan_card)->doorbells, 3);
      if (way & 1) assert_int_equal(SAID(blocked), 0);
      else assert_int_equal(SAID(overtook), 0);
      overtook += (uint32_t)SAID(overtook), blocked += (uint32_t)SAID(blocked);
      if (way == 0) dropped += (uint32_t)SAID(wasted);
      if (way == 2) assert_int_equal(SAID(wasted), 0);
      const struct sim_record *here = NULL;
      while (!(way & 1) && (here = after(LBA_PART, LBA_EV_HERE, here))) {
        const struct sim_record *came = here, *behind = NULL;
        while ((behind = after(LBA_PART, LBA_EV_BEHIND, behind)) && behind < here)
          if (behind->a == here->a) came = behind;
        assert_true(
            told_before(LAN_PART, LAN_CARD_EV_DOORBELL, here) >= told_before(LBA_PART, LBA_EV_STORE, came));
      }
    }
  assert_true(overtook > 0 && blocked > 0 && dropped > 0);
}

/* A load brings the register's value back behind what was posted; who is not there reads as all ones. */
static void processors_reach_cards_and_nobody_else(void **state) {
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

/* More stores than the rope holds: the processor waits, none is lost, and they leave in order. */
static void stores_wait_for_a_place_and_none_is_lost(void **state) {
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
    assert_int_equal(SAID(stores), 5);
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
      cmocka_unit_test(a_wait_brings_a_line_and_those_ahead_in_its_block),
      cmocka_unit_test(each_kind_of_memory_has_hints_of_its_own),
      cmocka_unit_test(what_a_card_writes_is_in_memory_and_nothing_beside_it),
      cmocka_unit_test(data_does_not_overtake_stores_unless_it_may),
      cmocka_unit_test(processors_reach_cards_and_nobody_else),
      cmocka_unit_test(stores_wait_for_a_place_and_none_is_lost),
      cmocka_unit_test(memory_that_runs_out_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
