/* Unit tests of both sides of the bridge: its requests and responses, merging and splitting of posted writes,
 * and ordering. */
#include "test/hsc_pci_still.h"

#define CAUSED_BY_BRIDGE(name) BECAUSE(BRIDGE_PART, HSC_PCI_EV_##name)

static uint32_t begins(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_begin q = {.address = address, .bytes = bytes, .command = command};
  uint32_t taken = hsc_pci_pci_begin(OF(BRIDGE_PART, hsc_pci), &q);
  assert_int_equal(q.ready, 1000);
  return taken;
}

static int asks_pci(void) {
  struct pci_now *bus = pci_view(OF(PCI_PART, pci));
  uint32_t asked = bus->requests & 1;
  bus->requests = 0;
  return (int)asked;
}

/* Lets HSC grant the bridge; returns 0 if the bridge has no request, and checks the request otherwise. */
static uint32_t halves[2];
static uint32_t granted(uint32_t kind, uint64_t address, uint32_t bytes) {
  struct hsc_grant q = {.kind = 99, .halves = halves};
  halves[0] = halves[1] = 0;
  if (!hsc_pci_hsc_grant(OF(BRIDGE_PART, hsc_pci), &q)) return 0;
  EXPECT_VALUES({q.kind, kind}, {q.address, address}, {q.bytes, bytes});
  return 1;
}
static void sent(void) { hsc_pci_hsc_sent(OF(BRIDGE_PART, hsc_pci), &(struct hsc_sent){0}); }

static void comes(uint64_t line, uint32_t bytes, uint32_t first, uint32_t second) {
  uint32_t words[2] = {first, second};
  hsc_pci_hsc_data(
      OF(BRIDGE_PART, hsc_pci), &(struct hsc_data){.address = line, .bytes = bytes, .halves = words});
}

static hsc_pci_line *line_of(uint64_t address) {
  hsc_pci_line *found = NULL;
  for (uint32_t i = 0; i < 8; i++)
    if (LINES[i].addr == address && LINES[i].state != HSC_PCI_LINE_EMPTY
        && LINES[i].state != HSC_PCI_LINE_DROPPED)
      found = &LINES[i];
  return found;
}

/* 40 bytes from byte 8 touch two lines, and three more are prefetched. They are requested in order. */
TEST(a_read_requests_its_lines_and_the_prefetch) {
  still(3);
  assert_int_equal(begins(AT + 8, 40, PCI_COMMAND_READ), 0);
  EXPECT_VALUES({COUNT(retries), 1}, {NOW->state, HSC_PCI_STATE_FETCHING});
  for (uint64_t line = 0; line < 6; line++) assert_int_equal(line_of(AT + line * 32) != NULL, line < 5);
  for (uint64_t line = 0; line < 5; line++) {
    assert_int_equal(granted(HSC_KIND_READ, AT + line * 32, 32), 1);
    assert_int_equal(STATE->asked, line + 1);
    assert_int_equal(line_of(AT + line * 32)->state, HSC_PCI_LINE_ASKED);
  }
  assert_int_equal(granted(0, 0, 0), 0);
  comes(AT, 32, 11, 12);
  assert_int_equal(begins(AT + 8, 40, PCI_COMMAND_READ), 24);
  comes(AT + 64, 32, 15, 16); /* data behind a gap does not help */
  assert_int_equal(begins(AT + 8, 40, PCI_COMMAND_READ), 24);
  assert_int_equal(NOW->state, HSC_PCI_STATE_FETCHING);
  comes(AT + 32, 32, 13, 14);
  assert_int_equal(begins(AT + 8, 40, PCI_COMMAND_READ), 40);
  assert_int_equal(begins(AT + 8, 400, PCI_COMMAND_READ), 88);
  EXPECT_VALUES({COUNT(fetched), 3}, {STATE->asked, 2});
  const struct sim_record *record = record_after(BRIDGE_PART, HSC_PCI_EV_DELAYED, 0);
  EXPECT_VALUES({record->a, AT + 8}, {record->b, 40});
  assert_null(record_after(BRIDGE_PART, HSC_PCI_EV_DELAYED,
      (uint32_t)(record - (const struct sim_record *)sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at))
          + 1));
}

/* A read elsewhere starts another stream. Lines that arrived unused or are on their way count as wasted;
 * lines not yet requested or partly used do not. */
TEST(a_read_elsewhere_drops_the_prefetched_lines) {
  still(1);
  const hsc_pci_line before[] = {{.addr = AT, .state = HSC_PCI_LINE_HERE},
      {.addr = AT + 32, .state = HSC_PCI_LINE_HERE, .used = 1},
      {.addr = AT + 64, .state = HSC_PCI_LINE_ASKED}, {.addr = AT + 96, .state = HSC_PCI_LINE_WANTED},
      {.addr = AT + 992, .state = HSC_PCI_LINE_HERE}, {.addr = AT + 1024, .state = HSC_PCI_LINE_HERE},
      {.addr = AT + 1056, .state = HSC_PCI_LINE_ASKED}, {.addr = AT + 1088, .state = HSC_PCI_LINE_HERE}};
  memcpy(LINES, before, sizeof before);
  STATE->asked = 2;
  assert_int_equal(begins(AT + 1024, 32, PCI_COMMAND_READ), 32);
  static const uint32_t after[] = {HSC_PCI_LINE_EMPTY, HSC_PCI_LINE_EMPTY, HSC_PCI_LINE_DROPPED,
      HSC_PCI_LINE_EMPTY, HSC_PCI_LINE_EMPTY, HSC_PCI_LINE_HERE, HSC_PCI_LINE_ASKED, HSC_PCI_LINE_EMPTY};
  for (uint32_t i = 0; i < 8; i++) {
    assert_int_equal(LINES[i].state, after[i]);
    if (after[i] == HSC_PCI_LINE_EMPTY) assert_int_equal(LINES[i].addr, 0);
  }
  assert_int_equal(COUNT(wasted), 4);
  comes(AT + 64, 32, 1, 2); /* dropped on arrival, which frees the entry */
  EXPECT_VALUES(
      {LINES[2].addr, 0}, {LINES[2].state, HSC_PCI_LINE_EMPTY}, {STATE->asked, 1}, {COUNT(wasted), 4});
}

/* All words of a half carry its write number. A line is freed once its last byte has been read, and not
 * before. */
TEST(words_carry_the_writes_of_their_halves) {
  still(0);
  LINES[0] = (hsc_pci_line){.addr = AT, .state = HSC_PCI_LINE_HERE, .half_0 = 11, .half_1 = 12},
  LINES[5] = (hsc_pci_line){.addr = AT + 32, .state = HSC_PCI_LINE_HERE, .half_0 = 13, .half_1 = 14};
  uint32_t words[9] = {0};
  hsc_pci_pci_target_give(
      OF(BRIDGE_PART, hsc_pci), &(struct pci_target_give){.address = AT + 12, .bytes = 32, .writes = words});
  static const uint32_t expected[9] = {11, 12, 12, 12, 12, 13, 13, 13, 0};
  assert_memory_equal(words, expected, sizeof words);
  EXPECT_VALUES({LINES[0].state, HSC_PCI_LINE_EMPTY}, {LINES[5].state, HSC_PCI_LINE_HERE}, {LINES[5].used, 1},
      {NOW->next, AT + 44});
  hsc_pci_pci_target_give(
      OF(BRIDGE_PART, hsc_pci), &(struct pci_target_give){.address = AT + 44, .bytes = 20, .writes = words});
  EXPECT_VALUES({words[0], 13}, {words[1], 14}, {LINES[5].state, HSC_PCI_LINE_EMPTY}, {COUNT(bytes_out), 52});
  assert_events(BRIDGE_PART,
      (const struct expected_event[]){{1000, HSC_PCI_EV_GIVEN, AT + 12, 32, 11, 0},
          {1000, HSC_PCI_EV_GIVEN, AT + 44, 20, 13, CAUSED_BY_BRIDGE(GIVEN)}},
      2);
}

/* Two lines are at separate places in memory. Their words are compared with the newest writes there: all
 * stale, some stale (torn), or none. A line without translation is not checked. */
TEST(given_words_are_compared_with_the_newest_writes) {
  static const struct {
    uint32_t stored, offset, bytes, stale, torn, old;
  } cases[] = {/* stored: bit mask of halves; old: offset of the first stale word */
      {0, 0, 64, 0, 0, 0}, {1, 0, 32, 4, 1, 0}, {2, 0, 32, 4, 1, 16}, {3, 0, 32, 8, 0, 0},
      {1, 16, 16, 0, 0, 0}, {2, 28, 8, 1, 0, 28}, {4, 0, 64, 4, 1, 32}, {6, 0, 64, 8, 2, 16},
      {8, 0, 48, 0, 0, 0}, {15, 4, 56, 14, 0, 4}, {1, 12, 8, 1, 1, 12}, {4, 28, 8, 1, 0, 32}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t mapped = 0; mapped < 2; mapped++) {
      still(0);
      hsc_pci_pci_claim(OF(BRIDGE_PART, hsc_pci), &(struct pci_claim){.which = 0});
      static const uint64_t lies[2] = {BASE + PAGE, BASE + 256};
      uint32_t words[16] = {0}, newest[4];
      for (uint32_t line = 0; line < 2; line++) {
        hsc_pci_request_line(OF(BRIDGE_PART, hsc_pci), AT, 64);
        struct hsc_grant q = {.halves = halves};
        hsc_pci_hsc_grant(OF(BRIDGE_PART, hsc_pci), &q);
        uint32_t got[2] = {hp_cell(lies[line]).newest, hp_cell(lies[line] + 16).newest};
        hsc_pci_hsc_data(OF(BRIDGE_PART, hsc_pci),
            &(struct hsc_data){
                .address = AT + 32 * line, .bytes = 32 * mapped, .memory = lies[line], .halves = got});
      }
      for (uint32_t half = 0; half < 4; half++)
        newest[half] =
            cases[i].stored >> half & 1
                ? call_shadow_store(ENGINE, BRIDGE_PART, HSC_PCI_PORT_HSC,
                      &(struct shadow_store){.address = lies[half / 2] + half % 2 * 16, .half = half % 2})
                : 0;
      uint32_t before = hp_cell(lies[cases[i].old / 32] + cases[i].old % 32).write;
      ENGINE->cause = 7;
      hsc_pci_pci_target_give(OF(BRIDGE_PART, hsc_pci),
          &(struct pci_target_give){
              .address = AT + cases[i].offset, .bytes = cases[i].bytes, .writes = words});
      EXPECT_VALUES({COUNT(stale), mapped * cases[i].stale}, {COUNT(torn), mapped * cases[i].torn});
      const struct sim_record *event = record_after(BRIDGE_PART, HSC_PCI_EV_STALE, 0),
                              *given = record_after(BRIDGE_PART, HSC_PCI_EV_GIVEN, 0);
      assert_int_equal(given->cause, 7); /* an observer's record is not a cause of later events */
      assert_int_equal(event != NULL, mapped && cases[i].stale);
      if (!event) continue;
      EXPECT_VALUES({event->a, AT + cases[i].old}, {event->b, before}, {event->c, newest[cases[i].old / 16]});
    }
}

/* Four entries, one of them reserved. */
TEST(writes_are_limited_by_free_entries) {
  static const struct {
    uint32_t posted, offset, bytes, taken;
  } cases[] = {{0, 0, 96, 96}, {0, 0, 100, 96}, {0, 12, 100, 84}, {1, 0, 100, 64}, {2, 28, 8, 4},
      {2, 0, 4, 4}, {3, 0, 4, 0}, {3, 28, 4, 0}, {4, 0, 4, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    still(0);
    NOW->posted = cases[i].posted;
    assert_int_equal(begins(AT + cases[i].offset, cases[i].bytes, PCI_COMMAND_WRITE), cases[i].taken);
    assert_int_equal(COUNT(retries), cases[i].taken == 0);
  }
}

static void posts(uint64_t address, uint32_t bytes, uint32_t first_write) {
  uint32_t words[16];
  for (uint32_t i = 0; i < 16; i++) words[i] = first_write + i;
  hsc_pci_pci_target_take(OF(BRIDGE_PART, hsc_pci),
      &(struct pci_target_take){.address = address, .bytes = bytes, .writes = words});
}
static void assert_post(uint32_t place, uint64_t address, uint32_t bytes, uint32_t first, uint32_t second) {
  EXPECT_VALUES({POSTS[place].addr, address}, {POSTS[place].bytes, bytes}, {POSTS[place].half_0, first},
      {POSTS[place].half_1, second});
}

/* Bytes 4 to 32 are split into 4, 8 and 16 bytes, the sizes of HSC writes. Each piece is sent after the one
 * before, with the write numbers of the halves. */
TEST(posts_leave_in_aligned_pieces) {
  still(0);
  posts(AT + 4, 28, 1);
  posts(AT + 64, 32, 21);
  static const struct {
    uint64_t address;
    uint32_t bytes, posted;
  } pieces[] = {{AT + 4, 4, 2}, {AT + 8, 8, 2}, {AT + 16, 16, 1}, {AT + 64, 32, 0}};
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(granted(HSC_KIND_WRITE, pieces[i].address, pieces[i].bytes), 1);
    EXPECT_VALUES({halves[0], i < 3 ? 3 : 24}, {halves[1], i < 3 ? 7 : 28});
    assert_int_equal(granted(0, 0, 0), 0); /* one at a time */
    sent();
    EXPECT_VALUES({NOW->posted, pieces[i].posted}, {COUNT(writes), i + 1});
  }
  assert_post(0, 0, 0, 0, 0);
  assert_int_equal(granted(0, 0, 0), 0);
}

static uint32_t accessed(uint64_t offset, uint32_t read, uint32_t value, uint32_t tag) {
  uint32_t later = HSC_RETRY_ACCEPTED;
  hsc_pci_hsc_register(OF(BRIDGE_PART, hsc_pci),
      &(struct hsc_register){.offset = offset, .read = read, .value = value, .tag = tag, .later = &later});
  return later;
}
static int wanted(uint64_t address, uint32_t command) {
  struct pci_grant q = {0};
  if (!hsc_pci_pci_grant(OF(BRIDGE_PART, hsc_pci), &q)) return 0;
  EXPECT_VALUES({q.address, address}, {q.bytes, 4}, {q.command, command});
  return 1;
}
static void moved(uint32_t bytes, uint32_t last) {
  assert_int_equal(
      hsc_pci_pci_moved(OF(BRIDGE_PART, hsc_pci), &(struct pci_moved){.bytes = bytes, .last = last}), 0);
} /* one word, and no more after it */

/* The first 4 KiB of the slot's space are registers, followed by the cards' memory. Three accesses are
 * queued, a fourth is rejected. */
TEST(accesses_go_to_the_bus_in_order) {
  still(0);
  asks_pci();
  assert_int_equal(accessed(4092, 0, 7, 0), HSC_RETRY_ACCEPTED);
  assert_true(asks_pci());
  assert_int_equal(accessed(4096, 1, 0, 33), HSC_RETRY_DEFERRED);
  assert_false(asks_pci()); /* the bus is requested when the access before has ended */
  assert_int_equal(accessed(8, 0, 9, 0), HSC_RETRY_ACCEPTED);
  assert_events(BRIDGE_PART,
      (const struct expected_event[]){
          {1000, HSC_PCI_EV_ACCESS, PARAMS("bridge", hsc_pci)->registers + 4092, 0, 0, 0},
          {1000, HSC_PCI_EV_ACCESS, PARAMS("bridge", hsc_pci)->aperture, 1, 0, CAUSED_BY_BRIDGE(ACCESS)},
          {1000, HSC_PCI_EV_ACCESS, PARAMS("bridge", hsc_pci)->registers + 8, 2, 0,
              CAUSED_BY_BRIDGE(ACCESS)}},
      3);
  assert_int_equal(accessed(12, 0, 9, 0), HSC_RETRY_BUSY);
  assert_int_equal(COUNT(registers), 3);
  assert_true(wanted(PARAMS("bridge", hsc_pci)->registers + 4092, PCI_COMMAND_WRITE));
  uint32_t write = 99;
  struct pci_master_give give = {.address = PARAMS("bridge", hsc_pci)->registers + 4092, .writes = &write};
  hsc_pci_pci_master_give(OF(BRIDGE_PART, hsc_pci), &give);
  EXPECT_VALUES({give.value, 7}, {write, 0});
  moved(0, 0);
  assert_true(asks_pci()); /* retried */
  assert_int_equal(NOW->queued, 3);
  moved(4, 1);
  assert_int_equal(NOW->queued, 2);
  assert_true(asks_pci());
  assert_true(wanted(PARAMS("bridge", hsc_pci)->aperture, PCI_COMMAND_READ));
  write = 88;
  hsc_pci_pci_master_take(OF(BRIDGE_PART, hsc_pci),
      &(struct pci_master_take){
          .address = PARAMS("bridge", hsc_pci)->aperture, .value = 5, .writes = &write});
  moved(4, 1);
  assert_false(asks_pci());
  assert_false(wanted(0, 0)); /* the value is still on its way back */
  ACCESSES[0].cause = 2, ENGINE->cause = 0;
  assert_int_equal(granted(HSC_KIND_ANSWER, PARAMS("bridge", hsc_pci)->aperture, 4), 1);
  assert_int_equal(ENGINE->cause, 2); /* with the cause of the value's arrival */
  assert_int_equal(halves[0], 88);    /* data is identified by its write number */
  assert_int_equal(halves[1], 33);
  sent();
  assert_int_equal(NOW->queued, 1);
  assert_true(asks_pci());
  assert_true(wanted(PARAMS("bridge", hsc_pci)->registers + 8, PCI_COMMAND_WRITE));
  moved(0, 1); /* unclaimed: it is dropped */
  EXPECT_VALUES({NOW->queued, 0}, {ACCESSES[0].addr, 0});
  assert_false(asks_pci());
  assert_false(wanted(0, 0));
}

/* A register access carries a value, a store to a card's memory a write number. */
TEST(registers_carry_values_and_memory_carries_writes) {
  machine("hsc-to-pci");
  PARAMS("bridge", hsc_pci)->aperture =
      PARAMS("bridge", hsc_pci)->registers + 4096; /* behind the registers */
  run_bridged();
  uint32_t write = 0;
  for (uint32_t memory = 0; memory < 2; memory++) {
    accessed(4092 + 4 * memory, 0, 7, 0);
    struct pci_master_give give = {
        .address = PARAMS("bridge", hsc_pci)->registers + 4092 + 4 * memory, .writes = &write};
    hsc_pci_pci_master_give(OF(BRIDGE_PART, hsc_pci), &give);
    EXPECT_VALUES({give.value, memory ? 0 : 7}, {write, memory ? 7 : 0});
    moved(4, 1);
  }
  accessed(4096 + 64, 0, 7, 0);
  struct pci_master_give give = {.address = PARAMS("bridge", hsc_pci)->aperture + 64, .writes = &write};
  hsc_pci_pci_master_give(OF(BRIDGE_PART, hsc_pci), &give);
  EXPECT_VALUES({give.value, 0}, {write, 7});
  moved(4, 1);
  for (uint32_t claimed = 0; claimed < 2; claimed++) {
    accessed(16, 1, 0, 34);
    write = 66;
    if (claimed)
      hsc_pci_pci_master_take(OF(BRIDGE_PART, hsc_pci),
          &(struct pci_master_take){
              .address = PARAMS("bridge", hsc_pci)->registers + 16, .value = 55, .writes = &write});
    moved(claimed ? 4 : 0, 1);
    assert_int_equal(granted(HSC_KIND_ANSWER, PARAMS("bridge", hsc_pci)->registers + 16, 4), 1);
    assert_int_equal(halves[0], claimed ? 55 : UINT32_MAX);
    sent();
  }
}

/* A store may signal that memory has changed, so prefetched lines are dropped. A read has no such effect. */
TEST(a_store_drops_the_prefetched_lines) {
  for (uint32_t read = 0; read < 2; read++) {
    still(0);
    LINES[0] = (hsc_pci_line){.addr = AT, .state = HSC_PCI_LINE_HERE},
    LINES[7] = (hsc_pci_line){.addr = AT + 32, .state = HSC_PCI_LINE_ASKED},
    LINES[3] = (hsc_pci_line){.addr = AT + 64, .state = HSC_PCI_LINE_DROPPED};
    accessed(16, read, 0, 0);
    EXPECT_VALUES({LINES[0].state, read ? HSC_PCI_LINE_HERE : HSC_PCI_LINE_EMPTY},
        {LINES[7].state, read ? HSC_PCI_LINE_ASKED : HSC_PCI_LINE_DROPPED},
        {LINES[3].state, HSC_PCI_LINE_DROPPED}, {COUNT(wasted), read ? 0 : 2},
        {NOW->state, read ? HSC_PCI_STATE_FETCHING : HSC_PCI_STATE_IDLE});
  }
}

TEST(the_bridge_claims_memory_below_its_limit) {
  still(0);
  struct pci_claim window = {.base = 99, .which = 0};
  assert_int_equal(hsc_pci_pci_claim(OF(BRIDGE_PART, hsc_pci), &window), 1);
  EXPECT_VALUES({window.base, 0}, {window.length, PARAMS("bridge", hsc_pci)->memory});
  window.which = 1;
  assert_int_equal(hsc_pci_pci_claim(OF(BRIDGE_PART, hsc_pci), &window), 0);
}
