/* The state codec of the bridge. Lines, posted writes and register accesses have separate buffers. */
#include "test/hsc_pci_still.h"

/* The codec covers all entries in use and none of the freed ones. */
TEST(posts_and_accesses_are_serialized) {
  still(0);
  NOW->posted = NOW->queued = 2;
  for (uint32_t i = 0; i < 2; i++) {
    POSTS[i] = (hsc_pci_post){
        .addr = 0x80 + 32 * i, .bytes = 32, .half_0 = COMING_WRITE(2 * i), .half_1 = COMING_WRITE(2 * i + 1)};
    ACCESSES[i] = (hsc_pci_access){.addr = 0x44 + i, .value = 0x12345678, .tag = 5, .state = 1, .behind = 2};
  }
  for (uint32_t i = 0; i < 2; i++) {
    KEEPS(BRIDGE_PART, &POSTS[i].addr, &POSTS[i].bytes, &POSTS[i].half_0, &POSTS[i].half_1);
    KEEPS(BRIDGE_PART, &ACCESSES[i].addr, &ACCESSES[i].value, &ACCESSES[i].tag, &ACCESSES[i].state,
        &ACCESSES[i].behind);
  }
  KEEPS_NOT(BRIDGE_PART, &POSTS[2].addr, &POSTS[2].bytes, &POSTS[2].half_0, &ACCESSES[2].addr,
      &ACCESSES[2].value, &ACCESSES[2].state);
}

/* The codec covers lines that are present or requested, the piece on HSC, and all counts. */
TEST(lines_and_bus_state_are_serialized) {
  still(0);
  struct hsc_pci_state *s = STATE;
  struct hsc_pci_now *now = NOW;
  LINES[7] = (hsc_pci_line){
      .addr = 0x40, .state = HSC_PCI_LINE_HERE, .half_0 = OLD_WRITE, .half_1 = OLD_WRITE, .memory = BASE};
  KEEPS(BRIDGE_PART, &LINES[7].addr, &LINES[7].memory, &LINES[7].state, &LINES[7].half_0, &LINES[7].half_1);
  LINES[0] = (hsc_pci_line){.addr = 0x60, .state = HSC_PCI_LINE_ASKED};
  KEEPS(BRIDGE_PART, &LINES[0].addr, &LINES[0].state);
  KEEPS_NOT(BRIDGE_PART, &POSTS[0].addr, &POSTS[0].bytes); /* nothing is posted */
  now->posted = now->queued = 2, now->interrupts = 1, s->asked = 1, s->sending = HSC_KIND_WRITE + 1,
  s->piece = 8;
  for (uint32_t i = 0; i < 2; i++) POSTS[i] = (hsc_pci_post){.addr = 0x80 + 32 * i, .bytes = 32};
  KEEPS(BRIDGE_PART, &now->posted, &now->queued, &now->interrupts, &s->asked, &s->sending, &s->piece);
  uint8_t kept[2][1024] = {{0}};
  s->sending = 0;
  for (uint32_t i = 0; i < 2; i++) { /* no piece is on HSC, and the size of the last one is ignored */
    s->piece = 4 << i;
    hsc_pci_serialize(OF(BRIDGE_PART, hsc_pci), &(struct sim_codec){.at = kept[i]});
  }
  assert_memory_equal(kept[0], kept[1], sizeof *kept);
}
