/*
 * Driver services of an operating system, as steps that a processor carries out.
 *
 *   dma_out / dma_in:  [sync] -> map -> tell the device -> block ... interrupt -> [sync again] -> unmap
 *   map:    allocate an I/O address; write one directory entry for each page
 *   unmap:  clear the entries, then purge the TLB: in this order, or a translation comes back
 *
 * A range is eight pages (32 KiB). HP-UX hands ranges out in order, one in each chain before any chain
 * has two, so that streams do not share a row of the TLB until every row is taken. The ccio driver
 * takes the next free eight pages of the address space, which lie in the same chain as the last.
 */
#ifndef BY_IO_SERVICES_H
#define BY_IO_SERVICES_H

#include "contract.h"
#include "core/engine.h"
#include "gen/protocols.h"
#include "ports.h"
#include "runway.h"

#define SERVICE_CPUS 8u
#define SERVICE_CALLS 17u /* threads and the handler */
#define SERVICE_HANDLES 16u
#define SERVICE_PAGE 4096u
#define RANGE_PAGES 8u
#define CCIO_HINT 16u /* where its search begins */

/* Hints of map(). */
enum io_hint { IO_SAFE = 1, IO_LOCK = 2, IO_NO_SEQ = 4, IO_IGN_ALIGNMENT = 8, IO_FAST = 16 };

struct io_services_state {
  uint32_t calls_at, mappings_at, groups_at, now_at;
  uint32_t loans_at, spare;
};

/* A call of another service that takes its addresses here. */
struct service_loan {
  uint64_t page, pages; /* pages 0: there are none */
  uint32_t frees, spare; /* 1: it gives back, 2: and translations are forgotten */
};

typedef struct io_services_calls service_call;
typedef struct io_services_mappings mapping;

static inline service_call *service_of(by *m, struct io_services_state *s, uint32_t index) { return (service_call *)by_at(m, s->calls_at) + index; }
/* Another allocator than the service's own. */
static inline int service_borrows(by *m, uint32_t self) {
  return BY_PARAMS(m, self, io_services)->allocator == IO_SERVICES_ALLOCATOR_WIRED && by_wired(m, self, IO_SERVICES_PORT_ALLOCATOR);
}

static inline mapping *service_mapping(by *m, struct io_services_state *s, uint32_t handle) { return (mapping *)by_at(m, s->mappings_at) + handle; }

#endif
