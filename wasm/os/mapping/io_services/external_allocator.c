/*
 * The allocator port: addresses from another service's allocator, and addresses allocated for another
 * service.
 *
 *   map:    ... -> alloc -> [lock, search] -> page -> entries
 *   unmap:  entries cleared -> free -> [forget this | nothing yet] -> ...
 *
 * The allocator decides when translations are purged. One with lazy flushing requests no purge when pages are
 * freed, and a purge of all translations before it reuses them: one command per row of the I/O TLB.
 */
#include "os/mapping/io_services/io_services.h"

/* The purge in progress. */
enum { SERVICE_FORGETS = 1, SERVICE_FORGETS_ALL };

static uint32_t service_caller(sim *m, struct io_services *services, const service_call *call) {
  uint32_t index = service_index(m, services, call);
  return CALLER(index / CALLS_PER_CPU, index % CALLS_PER_CPU);
}

/* Issues one command after another: for the row of each freed page, or for all rows. */
static uint32_t service_invalidate(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  const mapping *map = service_mapping_of(m, services, call);
  int all = call->scan == SERVICE_FORGETS_ALL;
  uint64_t row = 1ull << services->params->chain_shift,
           first = all ? 0 : map->addr & ~(uint64_t)(SERVICE_PAGE - 1);
  uint64_t end = all ? services->params->rows * row : first + map->pages * SERVICE_PAGE,
           at = call->page ? (first & ~(row - 1)) + call->page * row : first;
  if (at >= end || service_fault(services) == IO_SERVICES_FAULT_TLB_NOT_PURGED
      || (!all && service_fault(services) == IO_SERVICES_FAULT_PURGED_FIRST)) {
    call->page = 0;
    return OS_STEP_DONE;
  }
  call->page++;
  return service_store(p, services->params->registers + IO_ADAPTER_REG_COMMAND,
      at | (!all && map->pages == 1 ? IO_ADAPTER_COMMAND_PURGE : IO_ADAPTER_COMMAND_WRITE));
}

/* Forwards the allocator's steps until it is done; a requested purge is done before the next request. */
static uint32_t service_ask(sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  struct allocator_next *q = (struct allocator_next *)p;
  for (;;) {
    uint32_t step = call->scan ? service_invalidate(m, services, call, p) : OS_STEP_DONE;
    if (step != OS_STEP_DONE) return step;
    call->scan = 0;
    q->caller = service_caller(m, services, call);
    step = call_allocator_next(m, services->self, IO_SERVICES_PORT_ALLOCATOR, q);
    if (step != OS_STEP_INVALIDATE) return step;
    call->scan = q->detail ? SERVICE_FORGETS_ALL : SERVICE_FORGETS;
  }
}

static void service_use_external_allocator(sim *m, struct io_services *services, service_call *call) {
  uint64_t bytes = call->host % SERVICE_PAGE + (call->bounded ? call->bounded : call->bytes - call->done);
  struct allocator_alloc q = {.caller = service_caller(m, services, call),
      .pages = (bytes + SERVICE_PAGE - 1) / SERVICE_PAGE,
      .last = UINT64_MAX};
  call_allocator_alloc(m, services->self, IO_SERVICES_PORT_ALLOCATOR, &q);
  call->since = m->time;
}

/* The number of contiguous pages decides how much of the buffer this mapping covers; returns 0 if there are
 * none. */
static int service_external_alloc_done(
    sim *m, struct io_services *services, service_call *call, const struct os_next *p) {
  mapping *map = service_mapping_of(m, services, call);
  services->counters->alloc_time += m->time - call->since;
  if (p->value == 0) {
    service_exhausted(m, services, map);
    return 0;
  }
  uint64_t left = call->bounded ? call->bounded : call->bytes - call->done;
  map->pages = (uint32_t)p->value;
  map->addr = p->address * SERVICE_PAGE;
  call->piece = (uint32_t)sim_min(left, p->value * SERVICE_PAGE - call->host % SERVICE_PAGE);
  service_placed(m, services, call, map);
  return 1;
}

static void service_give_back(sim *m, struct io_services *services, service_call *call) {
  const mapping *map = service_mapping_of(m, services, call);
  struct allocator_free q = {
      .caller = service_caller(m, services, call), .page = map->addr / SERVICE_PAGE, .pages = map->pages};
  call_allocator_free(m, services->self, IO_SERVICES_PORT_ALLOCATOR, &q);
  call->since = m->time;
}

static void io_services_allocator_setup(sim *m, struct io_services *services, struct allocator_setup *q) {
  (void)m;
  q->pages = 1ull << services->params->page_bits;
  q->processors = SERVICE_CPUS;
}

static void io_services_allocator_wake(sim *m, struct io_services *services, struct allocator_wake *q) {
  call_os_wake(m, services->self, IO_SERVICES_PORT_CPU + CALLER_CPU(q->caller),
      &(struct os_wake){.thread = CALLER_THREAD(q->caller)});
}

/* Allocates a row for each caller; the other service must have all pages of the address space that contain
 * ranges. */
static int service_client_of(sim *m, struct io_services *services) {
  struct allocator_setup size = {0};
  call_allocator_setup(m, services->self, IO_SERVICES_PORT_LENDS, &size);
  if (size.pages >> services->params->page_bits == 0)
    return sim_refuse(m, SIM_BAD_PARAM, services->self, IO_SERVICES_PARAM_PAGE_BITS);
  void *loans = sim_alloc(m, size.processors * CALLS_PER_CPU, sizeof(struct service_loan));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  services->state->loans_at = sim_offset(m, loans);
  return SIM_OK;
}

static struct service_loan *service_client_request(sim *m, struct io_services *services, uint32_t caller) {
  struct service_loan *loans = sim_at(m, services->state->loans_at);
  return loans + CALLER_CPU(caller) * CALLS_PER_CPU + CALLER_THREAD(caller);
}

static void io_services_lends_alloc(sim *m, struct io_services *services, struct allocator_alloc *q) {
  struct allocator_alloc wish = {
      .pages = sim_min(q->pages, range_pages(services)), .last = q->last, .align = q->align};
  mapping map = {.sequential = services->params->allocator == IO_SERVICES_ALLOCATOR_SEQUENTIAL};
  int found = wish.pages && allocate(m, services, &map, &wish, 0);
  *service_client_request(m, services, q->caller) =
      (struct service_loan){.page = map.addr / SERVICE_PAGE, .pages = found ? wish.pages : 0};
}

static void io_services_lends_free(sim *m, struct io_services *services, struct allocator_free *q) {
  *service_client_request(m, services, q->caller) = (struct service_loan){.page = q->page, .frees = 1};
}

/* Freed pages are reused once their translations are purged. */
static uint32_t io_services_lends_next(sim *m, struct io_services *services, struct allocator_next *q) {
  struct service_loan *loan = service_client_request(m, services, q->caller);
  if (loan->frees == 1) {
    loan->frees = 2;
    q->detail = 0;
    return OS_STEP_INVALIDATE;
  }
  if (loan->frees == 2) {
    mapping map = {.addr = loan->page * SERVICE_PAGE,
        .pages = range_pages(services),
        .group = service_range_of(m, services, loan->page * SERVICE_PAGE)};
    release(m, services, &map);
  }
  q->page = loan->page;
  q->value = loan->pages;
  return OS_STEP_DONE;
}
