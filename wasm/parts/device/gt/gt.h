/*
 * A SCRAMNet GT card.
 *
 *      PCI slot --+--> memory window: one programmed word at a time, in either direction
 *                 +--> register window: three words start an engine
 *      write engine: reads host memory line by line ----> card memory --> ring
 *      read engine:  bursts into host memory <----------- card memory
 *
 * Engine registers, at 0x20 * engine: +0 host address, +8 card address, +0x10 length and go (bit 31 asks
 * for an interrupt), +0x18 status (1 = done). 0x40: which engines have raised an interrupt, cleared by
 * reading.
 *
 * With a ring attached, this node's writes are visible in its own memory only after a trip around the ring.
 * Until then a word does not hold its newest write (core/shadow_memory.h), and a read of it returns stale
 * data.
 */
#ifndef SIM_GT_H
#define SIM_GT_H

#include "core/engine.h"
#include "core/shadow_memory.h"
#include "gen/protocols.h"
#include "gen/registers.h"

#define GT_ENGINES 2u
#define GT_FLIGHT_SLACK 4096u
#define GT_BLOCK 1024u /* maximum words per block of the bus */

enum gt_self { GT_ENGINE_STARTS = 1, GT_VISIBLE = 2, GT_RING_ROOM = 3 };

struct gt_state {
  uint64_t accept_at;   /* when the card has room for a word */
  uint64_t accepted_at; /* when it has stored the newest one */
  uint64_t read_next;
  uint64_t both_since;
  struct shadow_memory shadow;
  uint32_t engines_at;
  uint32_t flight_at;
  uint32_t flight_rows;
  uint32_t flight_head;
  uint32_t flight_count;
  uint32_t master;
  uint32_t last_engine;
  uint32_t raised;
  /* identities that the read engine has written in this transfer, and the first one of its last interrupt */
  uint32_t first_write;
  uint32_t last_write;
  uint32_t announced;
};

typedef struct gt_engines gt_engine;

static inline gt_engine *gt_engine_of(sim *m, struct gt *card, uint32_t e) {
  return (gt_engine *)sim_at(m, card->state->engines_at) + e;
}

#endif
