/* Lines, posts and register accesses have places of their own: what becomes of lines touches no post. And what is kept of each, for exploration. */
#include "test/still_bridge_machine.h"

static uint32_t reads(uint64_t address) { return hsc_pci_pci_begin(ENGINE, BRIDGE_PART, &(struct pci_begin){.address = address, .bytes = 4, .command = PCI_COMMAND_READ}); }

static void posts(uint64_t address, uint32_t bytes) {
  uint32_t words[8] = {41, 42, 43, 44, 45, 46, 47, 48};
  hsc_pci_pci_target_take(ENGINE, BRIDGE_PART, &(struct pci_target_take){.address = address, .bytes = bytes, .writes = words});
}
static void assert_posted(uint64_t address, uint32_t bytes) {
  assert_int_equal(NOW->posted, 1);
  assert_int_equal(POSTS[0].addr, address);
  assert_int_equal(POSTS[0].bytes, bytes);
}

/* Whatever a card has posted waits on, as it came, while the card reads there or elsewhere, what it reads comes, and a processor's store drops it. */
static void reads_leave_what_is_posted_alone(void **state) {
  (void)state;
  static const uint64_t read_at[] = {AT, AT + 32, AT + 1024};
  for (uint32_t bytes = 4; bytes <= 32; bytes += 4)
    for (uint32_t i = 0; i < 3; i++) {
      still(0);
      posts(AT, bytes);
      const uint64_t line = read_at[i];
      assert_int_equal(reads(line), 0);
      assert_posted(AT, bytes);
      uint32_t words[2] = {11, 12}, later;
      struct hsc_grant q = {.halves = words};
      assert_int_equal(hsc_pci_find(ENGINE, STATE, line)->state, HSC_PCI_LINE_WANTED);
      NOW->posted = 0; /* as if it had left, so that the read is next */
      assert_int_equal(hsc_pci_hsc_grant(ENGINE, BRIDGE_PART, &q), 1);
      NOW->posted = 1;
      assert_int_equal(q.kind, HSC_KIND_READ);
      assert_int_equal(q.address, line);
      hsc_pci_hsc_data(ENGINE, BRIDGE_PART, &(struct hsc_data){.address = line, .bytes = 32, .halves = (uint32_t[]){11, 12}});
      assert_posted(AT, bytes);
      assert_int_equal(reads(line), 4);
      hsc_pci_hsc_register(ENGINE, BRIDGE_PART, &(struct hsc_register){.offset = 16, .value = 7, .later = &later});
      assert_posted(AT, bytes);
      assert_null(hsc_pci_find(ENGINE, STATE, line));
    }
}

/* All eight places are taken by lines that are thrown away when they come: a read waits for one, and HSC is not asked for anything. */
static void without_a_place_nothing_is_wanted(void **state) {
  (void)state;
  for (uint32_t free = 0; free < 2; free++) {
    still(0);
    for (uint32_t i = free; i < 8; i++) LINES[i] = (hsc_pci_line){.addr = AT + 32 * i, .state = HSC_PCI_LINE_DROPPED};
    struct hsc_now *bus = sim_at(ENGINE, SIM_STATE(ENGINE, HSC_PART, hsc)->now_at);
    bus->requests = 0;
    assert_int_equal(reads(AT + 1024), 0);
    assert_int_equal(bus->requests != 0, free);
    assert_int_equal(hsc_pci_find(ENGINE, STATE, AT + 1024) != NULL, free);
    assert_int_equal(POSTS[0].addr, 0);
  }
}

/* Of two posts and two accesses all is kept, and nothing of those that have left. */
static void posts_and_accesses_are_kept(void **state) {
  (void)state;
  still(0);
  NOW->posted = NOW->queued = 2;
  for (uint32_t i = 0; i < 2; i++) {
    POSTS[i] = (hsc_pci_post){.addr = 0x80 + 32 * i, .bytes = 32, .half_0 = COMING_WRITE(2 * i), .half_1 = COMING_WRITE(2 * i + 1)};
    ACCESSES[i] = (hsc_pci_access){.addr = 0x44 + i, .value = 0x12345678, .tag = 5, .state = 1, .behind = 2};
  }
  for (uint32_t i = 0; i < 2; i++) {
    KEEPS(BRIDGE_PART, &POSTS[i].addr, &POSTS[i].bytes, &POSTS[i].half_0, &POSTS[i].half_1);
    KEEPS(BRIDGE_PART, &ACCESSES[i].addr, &ACCESSES[i].value, &ACCESSES[i].tag, &ACCESSES[i].state, &ACCESSES[i].behind);
  }
  KEEPS_NOT(BRIDGE_PART, &POSTS[2].addr, &POSTS[2].bytes, &POSTS[2].half_0, &ACCESSES[2].addr, &ACCESSES[2].value, &ACCESSES[2].state);
}

/* Lines that are here or on their way, the piece that is on HSC, and how many there are of all. */
static void lines_and_what_is_on_the_bus_are_kept(void **state) {
  (void)state;
  still(0);
  struct hsc_pci_state *s = STATE;
  struct hsc_pci_now *now = NOW;
  LINES[7] = (hsc_pci_line){.addr = 0x40, .state = HSC_PCI_LINE_HERE, .half_0 = OLD_WRITE, .half_1 = OLD_WRITE, .memory = BASE};
  KEEPS(BRIDGE_PART, &LINES[7].addr, &LINES[7].memory, &LINES[7].state, &LINES[7].half_0, &LINES[7].half_1);
  LINES[0] = (hsc_pci_line){.addr = 0x60, .state = HSC_PCI_LINE_ASKED};
  KEEPS(BRIDGE_PART, &LINES[0].addr, &LINES[0].state);
  KEEPS_NOT(BRIDGE_PART, &POSTS[0].addr, &POSTS[0].bytes); /* nothing is posted */
  now->posted = now->queued = 2, now->interrupts = 1, s->asked = 1, s->sending = HSC_KIND_WRITE + 1, s->piece = 8;
  for (uint32_t i = 0; i < 2; i++) POSTS[i] = (hsc_pci_post){.addr = 0x80 + 32 * i, .bytes = 32};
  KEEPS(BRIDGE_PART, &now->posted, &now->queued, &now->interrupts, &s->asked, &s->sending, &s->piece);
  uint8_t kept[2][1024] = {{0}};
  s->sending = 0;
  for (uint32_t i = 0; i < 2; i++) { /* no piece is on HSC, and how large the last one was is forgotten */
    s->piece = 4 << i;
    hsc_pci_serialize(ENGINE, BRIDGE_PART, &(struct sim_codec){.at = kept[i]});
  }
  assert_memory_equal(kept[0], kept[1], sizeof *kept);
}

/* Lines that are here go when the card has passed them; one that is on its way, wanted or thrown away stays what it is, however low its address. */
static void only_lines_that_are_here_go_when_they_are_passed(void **state) {
  (void)state;
  still(0);
  for (uint32_t kind = HSC_PCI_LINE_WANTED; kind <= HSC_PCI_LINE_DROPPED; kind++) LINES[kind] = (hsc_pci_line){.addr = AT + 32 * kind, .state = kind};
  LINES[0] = (hsc_pci_line){.addr = AT + 1024, .state = HSC_PCI_LINE_HERE, .half_0 = 5};
  uint32_t words[8] = {0};
  hsc_pci_pci_target_give(ENGINE, BRIDGE_PART, &(struct pci_target_give){.address = AT + 1024, .bytes = 28, .writes = words});
  assert_int_equal(words[0], 5);
  assert_int_equal(LINES[0].state, HSC_PCI_LINE_HERE); /* a word of it is left */
  for (uint32_t kind = HSC_PCI_LINE_WANTED; kind <= HSC_PCI_LINE_DROPPED; kind++) assert_int_equal(LINES[kind].state, kind == HSC_PCI_LINE_HERE ? HSC_PCI_LINE_EMPTY : kind);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_leave_what_is_posted_alone),
      cmocka_unit_test(without_a_place_nothing_is_wanted),
      cmocka_unit_test(posts_and_accesses_are_kept),
      cmocka_unit_test(lines_and_what_is_on_the_bus_are_kept),
      cmocka_unit_test(only_lines_that_are_here_go_when_they_are_passed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
