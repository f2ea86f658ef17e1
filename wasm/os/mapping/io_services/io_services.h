/*
 * Driver services of an operating system, as steps that a processor carries out.
 *
 *   dma_out / dma_in:  [sync] -> map -> tell the device -> block ... interrupt -> [sync again] -> unmap
 *   map_buffer:  map -> map -> ...  one vector after another, until nothing of the buffer is left
 *   map:    allocate an I/O address; write one directory entry for each page
 *   unmap:  clear the entries, then purge the TLB: in this order, or a translation comes back
 *
 * A range is eight pages (32 KiB). HP-UX hands ranges out in order, one in each chain before any chain
 * has two, so that streams do not share a row of the TLB until every row is taken. The ccio driver
 * takes the next free eight pages of the address space, which lie in the same chain as the last.
 *
 * A call is a function that stops and goes on (service.h). What several calls do, such as map, is a function of
 * the same kind within: its place is the row's `inner`, and the call awaits it as it would another service.
 */
#ifndef SIM_IO_SERVICES_H
#define SIM_IO_SERVICES_H

#include "dma_contract.h"
#include "core/engine.h"
#include "gen/protocols.h"
#include "gen/registers.h"
#include "runway.h"
#include "service.h"

#define SERVICE_CPUS 8u
#define SERVICE_CALLS 17u /* threads and the handler */
#define SERVICE_ROWS (SERVICE_CPUS * SERVICE_CALLS)
#define SERVICE_HANDLES 64u
#define SERVICE_VECTORS 16u /* that a driver has room for in one buffer */
#define SERVICE_KEPT 2u /* mappings, and ranges for them, that are part of an explored state */
#define SERVICE_UNNAMED 512u /* mappings that drivers hold without a name, and give back by their addresses */
#define SERVICE_NO_ROW 0xffffffffu
#define SERVICE_PAGE 4096u
#define RANGE_PAGES 8u
#define CCIO_HINT 16u /* where its search begins */
#define NO_GROUP 0xffffffffu

/* Hints of map(), and with IO_CB whether it is given something to remember from call to call. */
enum io_hint { IO_SAFE = 1, IO_LOCK = 2, IO_NO_SEQ = 4, IO_IGN_ALIGNMENT = 8, IO_FAST = 16, IO_CONTIGUOUS = 32, IO_CB = 64 };

struct io_services_state {
  uint32_t calls_at, mappings_at, groups_at, now_at;
  uint32_t loans_at, drivers_at;
};

/* A call of another service that takes its addresses here. */
struct service_loan {
  uint64_t page, pages; /* pages 0: there are none */
  uint32_t frees, spare; /* 1: it gives back, 2: and translations are forgotten */
};

typedef struct io_services_calls service_call;
typedef struct io_services_mappings mapping;

/* As RESUME and AWAIT, of a function within a call; it says when it is over. */
#define WITHIN(call) RESUME_AT((call)->inner)
#define AWAIT_WITHIN(call, place, how) AWAIT_AT((call)->inner, place, how)
#define AWAIT_ALL_WITHIN(call, place, next) AWAIT_SERVICE_AT((call)->inner, place, next)

static inline service_call *service_of(sim *m, struct io_services_state *s, uint32_t index) { return (service_call *)sim_at(m, s->calls_at) + index; }
/* Another allocator than the service's own. */
static inline int service_has_external_allocator(sim *m, uint32_t self) {
  return SIM_PARAMS(m, self, io_services)->allocator == IO_SERVICES_ALLOCATOR_WIRED && sim_wired(m, self, IO_SERVICES_PORT_ALLOCATOR);
}

static inline mapping *service_mapping(sim *m, struct io_services_state *s, uint32_t handle) { return (mapping *)sim_at(m, s->mappings_at) + handle; }
/* The mapping that a call is about. */
static inline mapping *service_mapping_of(sim *m, uint32_t self, const service_call *call) { return service_mapping(m, SIM_STATE(m, self, io_services), call->handle); }
/* Which call it is: the thread of which processor. */
static inline uint32_t service_index(sim *m, uint32_t self, const service_call *call) { return (uint32_t)(call - service_of(m, SIM_STATE(m, self, io_services), 0)); }

static inline int service_coherent(sim *m, uint32_t self) { return SIM_PARAMS(m, self, io_services)->mode == IO_SERVICES_MODE_COHERENT; }
static inline uint64_t service_fault(sim *m, uint32_t self) { return SIM_PARAMS(m, self, io_services)->fault; }

static inline uint32_t service_work(struct os_next *p, uint64_t time) { return STEP_OF_WORK(p, time, PROCESSOR_STATE_DRIVER, 0); }

/* Instructions of a service, each of which takes as long as the others. */
static inline uint32_t service_execute(sim *m, uint32_t self, struct os_next *p, uint64_t instructions) {
  SIM_COUNTERS(m, self, io_services)->instructions += instructions;
  return service_work(p, instructions * SIM_PARAMS(m, self, io_services)->instruction);
}

static inline uint32_t service_store(struct os_next *p, uint64_t addr, uint64_t value) {
  p->address = addr;
  p->value = value;
  p->state = PROCESSOR_STATE_DRIVER;
  return OS_STEP_STORE;
}

static inline uint32_t service_access_line(struct os_next *p, uint64_t addr, uint32_t op) {
  p->address = addr;
  p->state = PROCESSOR_STATE_DRIVER;
  p->detail = op;
  return OS_STEP_ACCESS;
}

#endif
