/* The machine "pcix-bridge", and calls to its bridge. For unit tests in C. */
#ifndef SIM_TEST_PCIX_BRIDGE_H
#define SIM_TEST_PCIX_BRIDGE_H

#include "test/programs.h"

#define NS 1000ull
#define AT 0x100000ull
#define LINE 128ull
#define ENGINE test_engine()
#define B_BRIDGE part_named("bridge")
#define COUNT(name) (COUNTERS("bridge", pcix_bridge)->name)
#define STATE STATE_OF("bridge", pcix_bridge)

enum { MEMORY_SIDE, CARD_SIDE };
#define UP MEMORY_SIDE
#define DOWN CARD_SIDE
#define READ_AT(i) pcix_bridge_read_at(ENGINE, CONTEXT_OF("bridge", pcix_bridge), i)
#define LINE_AT(i) pcix_bridge_line_at(ENGINE, CONTEXT_OF("bridge", pcix_bridge), i)
#define POST_AT(way, i) pcix_bridge_post_at(ENGINE, CONTEXT_OF("bridge", pcix_bridge), way, i)
#define POSTED(way) (*pcix_bridge_posted(ENGINE, CONTEXT_OF("bridge", pcix_bridge), way))
#define HERE(way) (*pcix_bridge_has_line(ENGINE, CONTEXT_OF("bridge", pcix_bridge), way))
#define CARDS_FROM 0xf0000000ull

/* Four entries each for posts and reads, eight lines, two lines ahead, bursts of 256 B. The masters are
 * idle. */
static inline void still(void) {
  machine("pcix-bridge");
  PARAMS("first", peer)->blocks = 0;
  struct pcix_bridge_params *bridge = PARAMS("bridge", pcix_bridge);
  bridge->posts = bridge->reads = 4, bridge->lines = 8, bridge->ahead = 2, bridge->burst = 256,
  bridge->crossing = 60 * NS;
}
static inline void opened(void) {
  machine_run();
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}
static inline void quiet(void) {
  still();
  opened();
}

/* A line of a read. Missing words are under way: the whole line, or the rest from `from`. */
static inline void line(uint32_t place, uint32_t read, uint64_t addr, uint32_t state) {
  const uint32_t gone = state == PCIX_BRIDGE_LINE_ASKED ? 0 : 128;
  *LINE_AT(place) = (pcix_bridge_line){
      .addr = addr, .state = state, .read = read + 1, .from = gone, .to = 128, .side = CARD_SIDE};
  for (uint32_t word = 0; word < 32; word++)
    pcix_bridge_line_words(ENGINE, CONTEXT_OF("bridge", pcix_bridge), LINE_AT(place))[word] =
        (place + 1) * 1000 + word;
}

#endif
