/*
 * Driver services of an operating system, as steps that a processor executes.
 *
 *   dma_out / dma_in:  [sync] -> map -> tell the device -> block ... interrupt -> [sync again] -> unmap
 *   map_buffer:  map -> map -> ...  one vector after another, until nothing of the buffer is left
 *   map:    allocate an I/O address; write one directory entry for each page
 *   unmap:  clear the entries, then purge the TLB: in this order, or a translation comes back
 *
 * A range is eight pages (32 KiB) in HP-UX 10.0. HP-UX allocates ranges in order, one in each chain before
 * any chain has two, so that streams share no TLB row until every row is in use. The ccio driver takes the
 * next free range of the address space, which is in the same chain as the previous one. A chain for each
 * device is the scheme that HP-UX's authors rejected: a device with more buffers than pages of its chain is
 * refused.
 *
 * A call is a resumable function (service.h). Code shared by several calls, such as map, is a nested function
 * of the same kind: its resume point is the row's `inner`, and the call awaits it like another service.
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
#define SERVICE_ROWS (SERVICE_CPUS * CALLS_PER_CPU)
#define SERVICE_HANDLES 64u
#define SERVICE_VECTORS 16u  /* limit of a driver per buffer */
#define SERVICE_KEPT 2u      /* mappings, and their ranges, that are part of an explored state */
#define SERVICE_UNNAMED 512u /* mappings without a handle, which drivers unmap by their addresses */
#define SERVICE_NO_ROW 0xffffffffu
#define SERVICE_PAGE 4096u
#define RANGE_RESERVED 0x80000000u /* beside a bit for each page in use */
#define GUEST_REGISTERS 4096u      /* devices have pages of registers */
#define CCIO_HINT 16u              /* start of its search */
#define NO_GROUP 0xffffffffu

/* Hints of map(). Two stand for other arguments of it: IO_CB, a cursor to remember from call to call, and
   IO_PHYSICAL, the range type of a buffer given by its physical address. */
enum io_hint {
  IO_SAFE = 1,
  IO_LOCK = 2,
  IO_NO_SEQ = 4,
  IO_IGN_ALIGNMENT = 8,
  IO_FAST = 16,
  IO_CONTIGUOUS = 32,
  IO_CB = 64,
  IO_PHYSICAL = 128
};

/* Beside the attributes of an entry: its coherence index is that of the physical address. */
#define MAPPED_BY_PHYSICAL 0x80u

struct io_services_state {
  uint32_t calls_at;
  uint32_t mappings_at;
  uint32_t groups_at;
  uint32_t now_at;
  uint32_t loans_at;
  uint32_t drivers_at;
};

/* A call of another service that allocates addresses here. */
struct service_loan {
  /* pages 0: there are none */
  uint64_t page;
  uint64_t pages;
  uint32_t frees; /* 1: a free, 2: a free with a purge */
  uint32_t spare;
};

typedef struct io_services_calls service_call;
typedef struct io_services_mappings mapping;

/* Like RESUME and AWAIT, for a function nested in a call; it reports when it is done. */
#define WITHIN(call) RESUME_AT((call)->inner)
#define AWAIT_WITHIN(call, place, how) AWAIT_AT((call)->inner, place, how)
#define AWAIT_ALL_WITHIN(call, place, next) AWAIT_SERVICE_AT((call)->inner, place, next)

static inline service_call *service_of(sim *m, struct io_services_state *s, uint32_t index) {
  return (service_call *)sim_at(m, s->calls_at) + index;
}
/* The external allocator, if there is one. */
static inline int service_has_external_allocator(sim *m, struct io_services *services) {
  return services->params->allocator == IO_SERVICES_ALLOCATOR_WIRED
         && sim_wired(m, services->self, IO_SERVICES_PORT_ALLOCATOR);
}

static inline mapping *service_mapping(sim *m, struct io_services_state *s, uint32_t handle) {
  return (mapping *)sim_at(m, s->mappings_at) + handle;
}
/* The mapping of a call. */
static inline mapping *service_mapping_of(sim *m, struct io_services *services, const service_call *call) {
  return service_mapping(m, services->state, call->handle);
}
/* The index of a call: processor and thread. */
static inline uint32_t service_index(sim *m, struct io_services *services, const service_call *call) {
  return (uint32_t)(call - service_of(m, services->state, 0));
}

/* Pages of a range. */
static inline uint32_t range_pages(struct io_services *services) {
  return (uint32_t)services->params->range_pages;
}

static inline int service_coherent(struct io_services *services) {
  return services->params->mode == IO_SERVICES_MODE_COHERENT;
}
static inline uint64_t service_fault(struct io_services *services) { return services->params->fault; }

static inline uint32_t service_work(struct os_next *p, uint64_t time) {
  return STEP_OF_WORK(p, time, PROCESSOR_STATE_DRIVER, 0);
}

/* The time of a number of instructions of a service, all equally long. */
static inline uint32_t service_execute(
    struct io_services *services, struct os_next *p, uint64_t instructions) {
  services->counters->instructions += instructions;
  return service_work(p, instructions * services->params->instruction);
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
