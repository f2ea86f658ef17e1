/*
 * A processor's data cache on the Runway bus.
 *
 *   processor --access--> [ look up ] --hit--> done
 *                             | miss: the victim leaves, the line is asked for
 *                             v
 *   [ lines, assist ]  [ lines under way ]  [ write-back buffer ]  [ copies owed to others ]
 *        \__________________ snooped, in queue order ______________/              |
 *                                                                                 v bus
 *
 * All events of a line are looked up in one table (protocol.c) by its state and the event. Three of the
 * states belong to a line in flight, because its place in the order of transactions is fixed before its data
 * arrives: from then on it is snooped as if present. A line in the write-back buffer is snooped until its
 * write-back has been sent.
 *
 * With a store queue the processor does not wait for a store's line (stores.c).
 *
 * Flushes, purges, write-through stores and uncached accesses are orders: one waits for the bus, several can
 * be outstanding. The assist cache holds prefetched lines; they belong to no set, and move into theirs when
 * they are used.
 *
 * The set is selected by the virtual address; a transaction carries the virtual page's index, so that each
 * cache searches the right set and compares physical tags.
 */
#ifndef SIM_SNOOP_CACHE_H
#define SIM_SNOOP_CACHE_H

#include "core/engine.h"
#include "core/shadow_memory.h"
#include "gen/protocols.h"
#include "service_steps.h"
#include "runway.h"

#define CACHE_ROWS 51u /* of the coherence protocol */
#define CACHE_BUFFER 8u
#define CACHE_COPIES 16u
#define CACHE_POSTS 8u
#define CACHE_ORDERS 6u
#define CACHE_STORES 4u
#define CACHE_PAGE 4096u

enum snoop_cache_self { CACHE_SPECULATE = 1 };

/* A slot identifies the purpose of a transaction of this cache. */
enum cache_slot {
  SLOT_DEMAND = 0,
  SLOT_SPECULATIVE = 1,
  SLOT_STORE = 2,
  SLOT_REGISTER = SLOT_STORE + CACHE_STORES,
  SLOT_ORDER = 8
}; /* and SLOT_ORDER + 1, ... */

/* An access that bypasses the lines: a flush or purge, a write-through store, an access to uncached memory.
 */
struct cache_order {
  uint64_t addr;
  uint32_t type;
  uint32_t stage;
  uint32_t mask;
  uint32_t spare;
};

typedef struct snoop_cache_misses miss;
typedef struct snoop_cache_rows protocol_row;

struct snoop_cache_state {
  uint32_t lines_at;
  uint32_t data_at;
  uint32_t row_of[SNOOP_CACHE_LINE_ALL * SNOOP_CACHE_PROTOCOL_EVENT_ALL]; /* row + 1 */
  uint32_t sets;
  uint32_t ways;
  uint32_t line_shift;
  uint32_t age;
  /* lines of the sets, and lines of the assist cache, which come last */
  uint32_t main_lines;
  uint32_t lines;
  uint64_t register_addr;
  uint64_t speculate_next; /* the line behind a miss that is asked for later, + 1; 0 for none */
  struct cache_order order[CACHE_ORDERS];
  uint32_t ordering; /* order + 1 that waits for the bus, one at a time */
  uint32_t awaited;  /* order + 1 that the processor waits for */
  uint32_t orders;   /* outstanding orders */
  uint32_t reading;  /* register read: 1 = requested, 2 = issued */
  uint32_t stalled;  /* the head of the queue waits for this cache */
  uint32_t retry;    /* the processor's access must be retried */
  uint32_t room_wanted;
  uint32_t plain;  /* no access bypasses the lines */
  uint64_t after;  /* the processor's own time for its access, after the cache's */
  uint64_t offset; /* offset from a physical to the set-selecting address */
  struct shadow_memory shadow;
  struct snoop_cache_now now;
  miss misses[SLOT_STORE + CACHE_STORES]; /* by slot */
  uint32_t slots;                         /* number in use */
  uint32_t next_store;                    /* position of the next missing store */
  struct snoop_cache_write_backs buffer[CACHE_BUFFER];
  struct snoop_cache_copies copies[CACHE_COPIES];
  struct snoop_cache_posts posts[CACHE_POSTS];
  protocol_row rows[CACHE_ROWS];
};

static inline struct snoop_cache_now *cache_now(struct snoop_cache *cache) { return &cache->state->now; }
static inline struct snoop_cache_lines *cache_line_at(sim *m, struct snoop_cache *cache, uint32_t i) {
  return (struct snoop_cache_lines *)sim_at(m, cache->state->lines_at) + i;
}
static inline uint32_t *cache_halves(sim *m, struct snoop_cache *cache, uint32_t i) {
  return (uint32_t *)sim_at(m, cache->state->data_at) + i * LINE_HALVES;
}
static inline miss *cache_miss(struct snoop_cache *cache, uint32_t slot) {
  return &cache->state->misses[slot];
}
static inline struct snoop_cache_write_backs *cache_buffer(struct snoop_cache *cache) {
  return cache->state->buffer;
}
static inline struct snoop_cache_copies *cache_c2c_queue(struct snoop_cache *cache) {
  return cache->state->copies;
}

#endif
