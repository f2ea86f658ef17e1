/* Mapping of whole buffers, as vectors of one I/O address and length each, and replacement of single pages
   under a constant address. */
#include "os/mapping/io_services/io_services.h"

/* No mapping was made under the call's handle: invalidates the previous one. */
static uint32_t service_fail(sim *m, struct io_services *services, const service_call *call) {
  mapping *map = service_mapping_of(m, services, call);
  if (!map->live) map->pages = 0;
  REPORT_CONTRACT(m, services->self, IO_SERVICES_PORT_CONTRACT, failed, .handle = call->handle);
  return OS_STEP_REFUSE;
}

/* Whether the call's handle has an address, even an unmapped one. Otherwise the checker is notified. */
static int service_has_address(sim *m, struct io_services *services, const service_call *call) {
  const mapping *map = service_mapping_of(m, services, call);
  if (!map->pages)
    REPORT_CONTRACT(m, services->self, IO_SERVICES_PORT_CONTRACT, bad_handle, .address = map->addr,
        .handle = call->handle);
  return map->pages != 0;
}

/* Whether a mapping exists; the checker is notified of an unmap without one. */
static int service_owns(sim *m, struct io_services *services, const service_call *call) {
  const mapping *map = service_mapping_of(m, services, call);
  if (!map->live && service_has_address(m, services, call))
    REPORT_CONTRACT(m, services->self, IO_SERVICES_PORT_CONTRACT, unmapped, .address = map->addr, .gone = 1);
  return (int)map->live;
}

/* Rejects a contiguous buffer that needs more than a range, or for which an allocator found only a part. */
static int service_is_torn(sim *m, struct io_services *services, const service_call *call) {
  uint64_t pages = (call->host % SERVICE_PAGE + call->bytes + SERVICE_PAGE - 1) / SERVICE_PAGE;
  if (!(call->hints & IO_CONTIGUOUS) || !service_coherent(services) || pages <= range_pages(services))
    return 0;
  services->counters->torn++;
  sim_trace(m, services->self, IO_SERVICES_EV_TORN, call->host, call->bytes, 0);
  return 1;
}

/* The size of the next map(): up to the first line boundary, then whole lines up to the end of a range (of a
   page with physical addresses), then the rest of the last line. */
static uint32_t service_buffer_end(struct io_services *services, const service_call *call) {
  uint64_t left = call->bytes - call->done, head = call->host % RUNWAY_LINE, page = call->host % SERVICE_PAGE;
  uint64_t most = (service_coherent(services) ? range_pages(services) : 1) * SERVICE_PAGE - page;
  if (call->hints & IO_CONTIGUOUS) return (uint32_t)left;
  if (call->hints & IO_IGN_ALIGNMENT) return (uint32_t)sim_min(left, most);
  if (head) return (uint32_t)sim_min(left, RUNWAY_LINE - head);
  return (uint32_t)(left < RUNWAY_LINE ? left : sim_min(left & ~(uint64_t)(RUNWAY_LINE - 1), most));
}

/* Completes the next vector, mapped or failed. */
static int service_next_vector(sim *m, struct io_services *services, service_call *call) {
  if (!service_mapping_of(m, services, call)->live) return 0;
  call->done += call->piece;
  call->host += call->piece;
  call->handle++;
  call->vectors++;
  return 1;
}

/* The loop around map() as printed in the paper. Its error path unmaps all vectors from the last one on. As
   printed it starts with one that was never mapped, and leaves the first one mapped. */
static uint32_t service_map_buffer(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  uint32_t wrong = service_fault(services) == IO_SERVICES_FAULT_UNWOUND_WRONGLY;
  RESUME(call) {
    if (service_is_torn(m, services, call)) return service_fail(m, services, call);
    AWAIT(call, IO_SERVICES_STEP_ENTERED, service_work(p, 0));
    while (call->done < call->bytes) {
      call->bounded = service_buffer_end(services, call);
      if (call->vectors == SERVICE_VECTORS || call->handle == SERVICE_HANDLES) break;
      AWAIT_SERVICE(call, IO_SERVICES_STEP_MAP, service_map(m, services, call, p));
      if (!service_next_vector(m, services, call)) break;
    }
    if (call->done == call->bytes) {
      service_mapping(m, services->state, call->handle - call->vectors)->vectors = call->vectors;
      services->counters->vectors += call->vectors;
      call->handle -= call->vectors;
    } else {
      call->handle -= !wrong;
      for (; call->vectors > 0; call->vectors--, call->handle--)
        if (call->handle < SERVICE_HANDLES && !(wrong && call->vectors == SERVICE_VECTORS)
            && service_owns(m, services, call))
          AWAIT_SERVICE(call, IO_SERVICES_STEP_UNMAP, service_unmap(m, services, call, p));
      call->handle += !wrong;
      return service_fail(m, services, call);
    }
  }
  call->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t service_unmap_buffer(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  RESUME(call) {
    if (!service_owns(m, services, call)) return OS_STEP_REFUSE;
    call->vectors = (uint32_t)sim_max(service_mapping_of(m, services, call)->vectors, 1);
    for (; call->vectors > 0; call->vectors--, call->handle++)
      if (service_owns(m, services, call))
        AWAIT_SERVICE(call, IO_SERVICES_STEP_UNMAP, service_unmap(m, services, call, p));
    call->handle--;
  }
  call->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}

/* Replaces the memory page of a mapped I/O page: the entry first, then the TLB. */
static uint32_t service_remap(sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  mapping *map = service_mapping_of(m, services, call);
  uint32_t page = (uint32_t)(call->registers / SERVICE_PAGE);
  uint64_t io = (map->addr & ~(uint64_t)(SERVICE_PAGE - 1)) + page * (uint64_t)SERVICE_PAGE;
  RESUME(call) {
    if (!service_owns(m, services, call)) return OS_STEP_REFUSE;
    if (!service_coherent(services) || page >= map->pages) return OS_STEP_REFUSE;
    AWAIT(call, IO_SERVICES_STEP_ENTERED,
        service_execute(services, p, services->params->map_physical + services->params->map_entry));
    AWAIT(call, IO_SERVICES_STEP_MAP,
        service_access_line(p, service_entry_addr(m, services, call, page), CACHE_OP_STORE));
    service_write_entry(m, services, call, page,
        entry_of(services, call->host & ~(uint64_t)(SERVICE_PAGE - 1), map->attributes));
    services->counters->remaps++;
    sim_trace(m, services->self, IO_SERVICES_EV_REMAP, io, (uint32_t)(call->host / SERVICE_PAGE), 0);
    REPORT_CONTRACT(m, services->self, IO_SERVICES_PORT_CONTRACT, mapped, .address = io,
        .host = call->host & ~(uint64_t)(SERVICE_PAGE - 1), .bytes = SERVICE_PAGE,
        .way = CONTRACT_DIRECTION_PARTIAL | (call->hints & IO_SAFE ? CONTRACT_DIRECTION_COHERENT : 0));
    if (service_fault(services) == IO_SERVICES_FAULT_TLB_NOT_PURGED)
      AWAIT(call, IO_SERVICES_STEP_UNMAP, service_work(p, 0));
    else
      AWAIT(call, IO_SERVICES_STEP_SYNC,
          service_store(
              p, services->params->registers + IO_ADAPTER_REG_COMMAND, io | IO_ADAPTER_COMMAND_PURGE));
  }
  call->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}

/* A driver declares that its device uses buffers in sequence: from now on it gets pages of reserved ranges.
 * Or from which address its ranges are searched. */
static uint32_t service_set_attributes(sim *m, struct io_services *services, const service_call *call) {
  struct io_services_drivers *driver =
      (struct io_services_drivers *)sim_at(m, services->state->drivers_at) + service_index(m, services, call);
  uint32_t first = call->host ? service_range_of(m, services, call->host) + 1 : 0;
  driver->declared =
      (call->command & 1) << IO_SERVICES_DRIVERS_SEQUENTIAL | first << IO_SERVICES_DRIVERS_FIRST;
  return OS_STEP_DONE;
}
