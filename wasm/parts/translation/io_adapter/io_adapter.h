/*
 * The I/O adapter: requests from HSC in order, translated, then made into Runway transactions.
 *
 *   HSC --> [ requests ] --> I/O TLB --hit--> read / write / merge --> Runway
 *                               | miss: the entry is read from the page directory in memory
 *   HSC <-- [ returns ] <------ data, register accesses <------------- Runway
 *
 * A partial line is read privately into the one-line cache, merged and written back. While the adapter owns
 * the line it does not answer requests for it; it writes back and then answers OK, so it never has to supply
 * a line. The prefetch buffer is not snooped at all. On pages with prefetch, a line of which a device has
 * read only a part is kept too, and answers the read of the rest.
 *
 * Bits of an I/O virtual address:  [ 0 | chain ID | block ID | 12 bits within the page ]
 */
#ifndef SIM_IO_ADAPTER_H
#define SIM_IO_ADAPTER_H

#include "dma_contract.h"
#include "core/engine.h"
#include "gen/protocols.h"
#include "gen/registers.h"
#include "runway.h"

#define ADAPTER_SLOTS 8u
#define ADAPTER_READERS 16u /* register reads of processors: one each */
#define ADAPTER_RETURNS 32u
#define ADAPTER_RETURNS_FULL \
  16u /* threshold at which register accesses are stopped; those in flight still fit */
#define ADAPTER_PAGE 4096u

enum adapter_self { ADAPTER_LOOKED_UP = 1, ADAPTER_RETURN };
enum adapter_slot {
  ADAPTER_FETCH = 0,
  ADAPTER_READ = 1,
  ADAPTER_LINE = 2,
  ADAPTER_POSTED = 3,
  ADAPTER_PREFETCH = 8
};

/* A processor's register read: its transaction, its value once known, and the number of requests that precede
 * it. */
struct adapter_register_read {
  uint64_t addr;
  uint32_t tid;
  uint32_t answered;
  uint32_t value;
  uint32_t behind;
};

struct io_adapter_state {
  uint64_t stalled_since;
  uint64_t held_since;
  uint64_t entry_value;
  uint64_t meant; /* current address in the directory, if the row is stale and points elsewhere; else 0 */
  struct adapter_register_read read[ADAPTER_READERS];
  uint32_t tlb_at;
  uint32_t requests_at;
  uint32_t now_at;
  uint32_t line_at;
  uint32_t prefetch_at;
  uint32_t returns_at;
  uint32_t want; /* runway_type of the request's transaction that waits for the bus, 0 for none */
  uint32_t want_half_0;
  uint32_t want_half_1;
  uint32_t want_cause; /* record from which that transaction, or the line's, follows: what let it run is
                          another device's matter */
  /* outstanding register reads, and those whose value can be returned */
  uint32_t reads;
  uint32_t answers;
  uint32_t locked;   /* slot + 1 that owns memory */
  uint32_t arriving; /* a return message is in flight */
  uint32_t asked;    /* the request's own read is outstanding on the bus */
  uint32_t full;     /* the bus has been told to stop register accesses */
  struct io_adapter_rest rest[ADAPTER_SLOTS];
};

static inline int adapter_snoops(struct io_adapter *adapter) {
  return adapter->params->mode != IO_ADAPTER_MODE_NONE;
}
static inline struct io_adapter_now *adapter_now(sim *m, struct io_adapter *adapter) {
  return sim_at(m, adapter->state->now_at);
}
static inline struct io_adapter_requests *adapter_requests(sim *m, struct io_adapter *adapter) {
  return sim_at(m, adapter->state->requests_at);
}
static inline struct io_adapter_line *adapter_line(sim *m, struct io_adapter *adapter) {
  return sim_at(m, adapter->state->line_at);
}
static inline struct io_adapter_prefetch *adapter_prefetch(
    sim *m, struct io_adapter *adapter, uint32_t slot) {
  return (struct io_adapter_prefetch *)sim_at(m, adapter->state->prefetch_at) + slot;
}
static inline struct io_adapter_tlb *adapter_tlb(sim *m, struct io_adapter *adapter, uint32_t row) {
  return (struct io_adapter_tlb *)sim_at(m, adapter->state->tlb_at) + row;
}

#endif
