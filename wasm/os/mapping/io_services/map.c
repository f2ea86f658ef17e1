/* map, unmap and remap: an I/O address, its entries in the page directory, and the TLB's rows. */
#include "os/mapping/io_services/io_services.h"

static void service_tell_mapped(
    sim *m, struct io_services *services, const service_call *call, const mapping *map) {
  uint32_t way = call->op == PROCESSOR_OP_DMA_OUT  ? CONTRACT_DIRECTION_TO_DEVICE
                 : call->op == PROCESSOR_OP_DMA_IN ? CONTRACT_DIRECTION_FROM_DEVICE
                 : call->hints & IO_SAFE           ? CONTRACT_DIRECTION_COHERENT
                                                   : CONTRACT_DIRECTION_BIDIRECTIONAL;
  REPORT_CONTRACT(m, services->self, IO_SERVICES_PORT_CONTRACT, mapped, .address = map->addr,
      .host = map->host, .bytes = call->piece, .way = way);
}

static void service_exhausted(sim *m, struct io_services *services, mapping *map) {
  services->counters->exhausted++;
  sim_trace(m, services->self, IO_SERVICES_EV_EXHAUSTED, 0, 0, 0);
  map->live = map->pages = 0;
}

/* The mapping has its address; its entries follow. */
static void service_placed(sim *m, struct io_services *services, const service_call *call, mapping *map) {
  sim_trace(m, services->self, IO_SERVICES_EV_MAP, map->addr, map->pages,
      (uint32_t)(map->addr >> services->params->chain_shift & (services->params->rows - 1)));
  map->addr += call->host % SERVICE_PAGE;
}

static uint64_t service_entry_addr(
    sim *m, struct io_services *services, const service_call *call, uint32_t page) {
  return services->params->directory
         + (service_mapping_of(m, services, call)->addr / SERVICE_PAGE + page) * 8;
}

/* Records the value of a directory store once the store is done. */
static void service_write_entry(
    sim *m, struct io_services *services, const service_call *call, uint32_t page, uint64_t value) {
  struct shadow_value entry = {
      .address = service_entry_addr(m, services, call, page), .set = 1, .value = value};
  uint32_t cpu = service_index(m, services, call) / CALLS_PER_CPU;
  call_shadow_value(m, services->self, IO_SERVICES_PORT_CPU + cpu, &entry);
  services->counters->entries += value != 0;
  sim_trace(m, services->self, IO_SERVICES_EV_ENTRY, entry.value,
      (uint32_t)(service_mapping_of(m, services, call)->addr / SERVICE_PAGE) + page, 0);
}

/* Stores one entry after another through the cache; a value takes effect when its store is done. */
static uint32_t service_entries(
    sim *m, struct io_services *services, service_call *call, struct os_next *p, int valid) {
  const mapping *map = service_mapping_of(m, services, call);
  if (call->page > 0) {
    uint64_t physical = (map->host & ~(uint64_t)(SERVICE_PAGE - 1)) + (call->page - 1ull) * SERVICE_PAGE;
    service_write_entry(
        m, services, call, call->page - 1, valid ? entry_of(services, physical, map->attributes) : 0);
    services->counters->entries_live += valid ? 1 : UINT64_MAX;
  }
  if (call->page < map->pages)
    return service_access_line(p, service_entry_addr(m, services, call, call->page++), CACHE_OP_STORE);
  call->page = 0;
  return OS_STEP_DONE;
}

static uint32_t service_purge(
    sim *m, struct io_services *services, const service_call *call, struct os_next *p) {
  const mapping *map = service_mapping_of(m, services, call);
  int page = map->pages == 1 && map->sequential;
  uint32_t command = page ? IO_ADAPTER_COMMAND_PURGE
                          : IO_ADAPTER_COMMAND_WRITE; /* a purge leaves another page's row alone; a direct
                                                         write covers all pages of the mapping at once */
  if (service_fault(services) == IO_SERVICES_FAULT_TLB_NOT_PURGED) return service_work(p, 0);
  return service_store(p, services->params->registers + IO_ADAPTER_REG_COMMAND,
      (map->addr & ~(uint64_t)(SERVICE_PAGE - 1)) | command);
}

#include "os/mapping/io_services/external_allocator.c"

/* The size that one call maps: as much as fits into a range. */
static void service_begin_map(sim *m, struct io_services *services, service_call *call) {
  mapping *map = service_mapping_of(m, services, call);
  uint64_t offset = call->host % SERVICE_PAGE, left = call->bytes - call->done;
  call->piece = call->bounded ? (uint32_t)sim_min(left, call->bounded)
                              : (uint32_t)sim_min(left, range_pages(services) * SERVICE_PAGE - offset);
  call->page = 0;
  *map = (mapping){.host = call->host,
      .pages = (uint32_t)((offset + call->piece + SERVICE_PAGE - 1) / SERVICE_PAGE),
      .live = 1,
      .group = NO_GROUP};
  map->attributes = attributes_of(services, call, call->op == PROCESSOR_OP_DMA_IN);
  services->counters->maps++;
}

/* map() with physical addresses: no range, no entry, no lock. */
static uint32_t service_map_physical(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  WITHIN(call) {
    service_begin_map(m, services, call);
    service_mapping_of(m, services, call)->addr = call->host;
    service_tell_mapped(m, services, call, service_mapping_of(m, services, call));
    AWAIT_WITHIN(
        call, IO_SERVICES_INNER_LOOKED, service_execute(services, p, services->params->map_physical));
  }
  call->inner = 0;
  return OS_STEP_DONE;
}

/* Instructions of one map() that every allocator needs. */
static uint64_t service_map_steps(struct io_services *services, const mapping *map) {
  return services->params->map_call + map->pages * services->params->map_entry;
}

/* Instructions of the service's own allocator: the lock, the latest search, and the bit. */
static uint64_t service_search_steps(sim *m, struct io_services *services) {
  const struct io_services_now *now = sim_at(m, services->state->now_at);
  return services->params->map_lock + now->passed;
}

static uint32_t service_map_translated(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  mapping *map = service_mapping_of(m, services, call);
  WITHIN(call) {
    service_begin_map(m, services, call);
    if (service_has_external_allocator(m, services)) {
      AWAIT_WITHIN(
          call, IO_SERVICES_INNER_ENTERED, service_execute(services, p, service_map_steps(services, map)));
      service_use_external_allocator(m, services, call);
      AWAIT_ALL_WITHIN(call, IO_SERVICES_INNER_ALLOC, service_ask(m, services, call, p));
      if (service_external_alloc_done(m, services, call, p))
        AWAIT_WITHIN(call, IO_SERVICES_INNER_PLACED, service_work(p, 0));
    } else if (service_allocate(m, services, call, map)) {
      AWAIT_WITHIN(call, IO_SERVICES_INNER_FOUND,
          service_execute(services, p, service_map_steps(services, map) + service_search_steps(m, services)));
    }
    if (map->live) {
      AWAIT_ALL_WITHIN(call, IO_SERVICES_INNER_ENTRY, service_entries(m, services, call, p, 1));
      service_tell_mapped(m, services, call, map);
      AWAIT_WITHIN(call, IO_SERVICES_INNER_MAPPED, service_work(p, 0));
    }
  }
  call->inner = 0;
  return OS_STEP_DONE;
}

/* One map(). The mapping exists if an address was found. */
static uint32_t service_map(sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  return service_coherent(services) ? service_map_translated(m, services, call, p)
                                    : service_map_physical(m, services, call, p);
}

/* A driver's unmap; a program can pass a size. dma_sync handles the data. */
static void service_tell_unmapped(sim *m, struct io_services *services, const service_call *call) {
  uint32_t bytes = call->op == PROCESSOR_OP_UNMAP ? call->bytes : 0;
  REPORT_CONTRACT(m, services->self, IO_SERVICES_PORT_CONTRACT, unmapped,
      .address = service_mapping_of(m, services, call)->addr, .bytes = bytes);
}

static void service_unmapped(sim *m, struct io_services *services, const service_call *call) {
  services->counters->unmaps++;
  service_mapping_of(m, services, call)->live = 0;
}

static uint32_t service_unmap_physical(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  WITHIN(call) {
    service_tell_unmapped(m, services, call);
    AWAIT_WITHIN(
        call, IO_SERVICES_INNER_UNMAPPING, service_execute(services, p, services->params->unmap_physical));
    service_unmapped(m, services, call);
    AWAIT_WITHIN(call, IO_SERVICES_INNER_UNMAPPED, service_work(p, 0));
  }
  call->inner = 0;
  return OS_STEP_DONE;
}

static uint64_t service_unmap_steps(sim *m, struct io_services *services, const mapping *map) {
  return services->params->unmap_call + map->pages * services->params->unmap_entry
         + (service_has_external_allocator(m, services) ? 0 : services->params->unmap_lock);
}

/* Entries first, unless a defect reverses the order. */
static uint32_t service_unmap_translated(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  mapping *map = service_mapping_of(m, services, call);
  int purged_first = service_fault(services) == IO_SERVICES_FAULT_PURGED_FIRST;
  WITHIN(call) {
    service_tell_unmapped(m, services, call);
    AWAIT_WITHIN(call, IO_SERVICES_INNER_UNMAPPING,
        service_execute(services, p, service_unmap_steps(m, services, map)));
    if (purged_first) AWAIT_WITHIN(call, IO_SERVICES_INNER_PURGED_FIRST, service_purge(m, services, call, p));
    AWAIT_ALL_WITHIN(call, IO_SERVICES_INNER_CLEAR, service_entries(m, services, call, p, 0));
    AWAIT_WITHIN(call, IO_SERVICES_INNER_CLEARED, service_work(p, 0));
    if (service_has_external_allocator(m, services)) {
      service_give_back(m, services, call);
      AWAIT_ALL_WITHIN(call, IO_SERVICES_INNER_FREE, service_ask(m, services, call, p));
      services->counters->free_time += m->time - call->since;
    } else if (!purged_first) {
      AWAIT_WITHIN(call, IO_SERVICES_INNER_PURGED, service_purge(m, services, call, p));
    }
    if (map->group != NO_GROUP) release(m, services, map);
    sim_trace(m, services->self, IO_SERVICES_EV_UNMAP, map->addr, map->pages, 0);
    service_unmapped(m, services, call);
    AWAIT_WITHIN(call, IO_SERVICES_INNER_UNMAPPED, service_work(p, 0));
  }
  call->inner = 0;
  return OS_STEP_DONE;
}

static uint32_t service_unmap(sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  return service_coherent(services) ? service_unmap_translated(m, services, call, p)
                                    : service_unmap_physical(m, services, call, p);
}
