#include "os/mapping/io_services/io_services.h"

#include "core/keep.h"
#include "os/mapping/io_services/allocator.c"

static uint32_t service_spend(struct os_next *p, uint64_t time) {
  p->value = time;
  p->state = PROCESSOR_STATE_DRIVER;
  p->detail = 0;
  return STEP_SPEND;
}

static uint32_t service_store(struct os_next *p, uint64_t addr, uint64_t value) {
  p->address = addr;
  p->value = value;
  p->state = PROCESSOR_STATE_DRIVER;
  return STEP_STORE;
}

static uint32_t service_access_line(struct os_next *p, uint64_t addr, uint32_t op) {
  p->address = addr;
  p->state = PROCESSOR_STATE_DRIVER;
  p->detail = op;
  return STEP_ACCESS;
}

static int service_coherent(by *m, uint32_t self) { return BY_PARAMS(m, self, io_services)->mode == IO_SERVICES_MODE_COHERENT; }
static uint64_t service_fault(by *m, uint32_t self) { return BY_PARAMS(m, self, io_services)->fault; }

static uint32_t io_services_cpu_check(by *m, uint32_t self, uint32_t cpu, struct os_check *q) {
  (void)m, (void)self, (void)cpu;
  return IO_SERVICES_CARRIES(q->operation) ? BY_OK : BY_BAD_ROW;
}

static void io_services_cpu_call(by *m, uint32_t self, uint32_t cpu, struct os_call *p) {
  struct io_services_state *s = BY_STATE(m, self, io_services);
  uint32_t index = cpu * SERVICE_CALLS + p->thread;
  const uint32_t *w = p->arguments;
  int whole = p->operation == PROCESSOR_OP_DMA_OUT || p->operation == PROCESSOR_OP_DMA_IN || w[7] == NO_TAG;
  *service_of(m, s, index) = (service_call){.step = IO_SERVICES_STEP_ENTER, .op = p->operation, .hints = w[6], .handle = whole ? SERVICE_HANDLES + index : w[7] % SERVICE_HANDLES,
                                            .host = (uint64_t)w[1] << 32 | w[0], .registers = (uint64_t)w[3] << 32 | w[2], .bytes = w[4], .command = w[6]};
}

/* A driver that has one of the two defects makes no call at all. */
static int service_omits(by *m, uint32_t self, uint32_t when) {
  return service_fault(m, self) == (when == SYNC_AFTER_IN ? IO_SERVICES_FAULT_SECOND_PURGE_OMITTED : IO_SERVICES_FAULT_FIRST_SYNC_OMITTED);
}

/* Whether there is nothing for dma_sync to do, or a defect keeps it from doing it. */
static int service_skips(by *m, uint32_t self, uint32_t when) {
  const struct io_services_params *q = BY_PARAMS(m, self, io_services);
  if (service_coherent(m, self)) return 1;
  if (service_omits(m, self, when)) return 1;
  if (when == SYNC_AFTER_IN) return !q->second_purge;
  return !(when == SYNC_FOR_OUT ? q->flush_out : q->purge_in);
}

/* One line after another is flushed or purged, then comes the sync. A line that also holds other data is flushed, never purged. */
static uint32_t service_sync(by *m, uint32_t self, service_call *call, struct os_next *p, uint32_t when, uint32_t next) {
  uint64_t first = call->host & ~(uint64_t)(RUNWAY_LINE - 1), end = call->host + call->bytes, line = first + call->done;
  uint64_t last = (end + RUNWAY_LINE - 1) & ~(uint64_t)(RUNWAY_LINE - 1);
  if (call->done == 0) by_trace(m, self, IO_SERVICES_EV_SYNC, call->host, call->bytes, when);
  if (call->done == 0 && !service_omits(m, self, when)) TELL_CONTRACT(m, self, IO_SERVICES_PORT_CONTRACT, synced, .host = call->host, .bytes = call->bytes, .when = when);
  if (line > last || service_skips(m, self, when)) {
    call->done = 0;
    call->step = next;
    return service_spend(p, 0);
  }
  call->done += RUNWAY_LINE;
  if (line == last) return BY_PARAMS(m, self, io_services)->sync ? service_access_line(p, line, CACHE_SYNC) : service_spend(p, 0);
  BY_COUNTERS(m, self, io_services)->synced++;
  int shared = line < call->host || line + RUNWAY_LINE > end;
  return service_access_line(p, line, when == SYNC_FOR_OUT || shared ? CACHE_FLUSH : CACHE_PURGE);
}

static void service_tell_mapped(by *m, uint32_t self, const service_call *call, const mapping *map) {
  uint32_t way = call->op == PROCESSOR_OP_DMA_OUT ? CONTRACT_OUT : call->op == PROCESSOR_OP_DMA_IN ? CONTRACT_IN : call->hints & IO_SAFE ? CONTRACT_SHARED : CONTRACT_BOTH_WAYS;
  TELL_CONTRACT(m, self, IO_SERVICES_PORT_CONTRACT, mapped, .address = map->addr, .host = map->host, .bytes = call->piece, .way = way);
}

static void service_tell_unmapped(by *m, uint32_t self, const mapping *map) { TELL_CONTRACT(m, self, IO_SERVICES_PORT_CONTRACT, unmapped, .address = map->addr, .gone = !map->live); }

/* No pages can be had. */
static uint32_t service_exhausted(by *m, uint32_t self, mapping *map) {
  BY_COUNTERS(m, self, io_services)->exhausted++;
  by_trace(m, self, IO_SERVICES_EV_EXHAUSTED, 0, 0, 0);
  map->live = 0;
  return STEP_REFUSE;
}

/* The mapping has its address: its entries are next. */
static void service_placed(by *m, uint32_t self, service_call *call, mapping *map) {
  const struct io_services_params *q = BY_PARAMS(m, self, io_services);
  by_trace(m, self, IO_SERVICES_EV_MAP, map->addr, map->pages, (uint32_t)(map->addr >> q->chain_shift & (q->rows - 1)));
  map->addr += call->host % SERVICE_PAGE;
  call->step = IO_SERVICES_STEP_ENTRY;
}

static uint32_t service_map(by *m, uint32_t self, service_call *call, struct os_next *p) {
  struct io_services_state *s = BY_STATE(m, self, io_services);
  const struct io_services_params *q = BY_PARAMS(m, self, io_services);
  mapping *map = service_mapping(m, s, call->handle);
  uint64_t offset = call->host % SERVICE_PAGE, left = call->bytes - call->done;
  call->piece = (uint32_t)by_min(left, RANGE_PAGES * SERVICE_PAGE - offset);
  call->page = 0;
  *map = (mapping){.host = call->host, .pages = (uint32_t)((offset + call->piece + SERVICE_PAGE - 1) / SERVICE_PAGE), .live = 1};
  map->attributes = attributes_of(m, self, call, call->op == PROCESSOR_OP_DMA_IN);
  BY_COUNTERS(m, self, io_services)->maps++;
  call->step = call->op == PROCESSOR_OP_MAP ? IO_SERVICES_STEP_DONE : IO_SERVICES_STEP_ADDRESS;
  if (!service_coherent(m, self)) {
    map->addr = call->host;
    service_tell_mapped(m, self, call, map);
    return service_spend(p, q->map_time);
  }
  if (service_borrows(m, self)) {
    call->step = IO_SERVICES_STEP_BORROW;
    return service_spend(p, q->map_time);
  }
  struct allocator_alloc wish = {.pages = map->pages, .last = UINT64_MAX};
  if (!allocate(m, self, map, &wish)) return service_exhausted(m, self, map);
  service_placed(m, self, call, map);
  return service_spend(p, q->map_time);
}

static uint64_t service_entry_addr(by *m, uint32_t self, const service_call *call, uint32_t page) {
  const mapping *map = service_mapping(m, BY_STATE(m, self, io_services), call->handle);
  return BY_PARAMS(m, self, io_services)->directory + (map->addr / SERVICE_PAGE + page) * 8;
}

/* What the store to the directory stored, once the store is done. */
static void service_write_entry(by *m, uint32_t self, uint32_t cpu, const service_call *call, uint32_t page, int valid) {
  const mapping *map = service_mapping(m, BY_STATE(m, self, io_services), call->handle);
  uint64_t physical = (map->host & ~(uint64_t)(SERVICE_PAGE - 1)) + (uint64_t)page * SERVICE_PAGE;
  struct ledger_value entry = {.address = service_entry_addr(m, self, call, page), .set = 1, .value = valid ? entry_of(m, self, physical, map->attributes) : 0};
  ask_ledger_value(m, self, IO_SERVICES_PORT_CPU + cpu, &entry);
  BY_COUNTERS(m, self, io_services)->entries += (uint32_t)valid;
  BY_COUNTERS(m, self, io_services)->entries_live += valid ? 1 : UINT64_MAX;
  by_trace(m, self, IO_SERVICES_EV_ENTRY, entry.value, (uint32_t)(map->addr / SERVICE_PAGE) + page, 0);
}

/* One entry after another: a store through the cache, whose value counts when the store is done. */
static uint32_t service_entries(by *m, uint32_t self, uint32_t cpu, service_call *call, struct os_next *p, int valid, uint32_t next) {
  const mapping *map = service_mapping(m, BY_STATE(m, self, io_services), call->handle);
  if (call->page > 0) service_write_entry(m, self, cpu, call, call->page - 1, valid);
  if (call->page < map->pages) return service_access_line(p, service_entry_addr(m, self, call, call->page++), CACHE_STORE);
  if (valid) service_tell_mapped(m, self, call, map);
  call->page = 0;
  call->step = next;
  return service_spend(p, 0);
}

static uint32_t service_purge(by *m, uint32_t self, service_call *call, struct os_next *p, uint32_t next) {
  const mapping *map = service_mapping(m, BY_STATE(m, self, io_services), call->handle);
  int page = BY_PARAMS(m, self, io_services)->allocator == IO_SERVICES_ALLOCATOR_SEQUENTIAL && map->pages == 1;
  uint32_t command = page ? 33 : 35; /* a purge spares the row of a neighbour; a direct write takes all pages of the mapping at once */
  call->step = next;
  if (service_fault(m, self) == IO_SERVICES_FAULT_TLB_NOT_PURGED) return service_spend(p, 0);
  return service_store(p, BY_PARAMS(m, self, io_services)->registers + 0x30, (map->addr & ~(uint64_t)(SERVICE_PAGE - 1)) | command);
}

#include "os/mapping/io_services/borrow.c"

static uint32_t service_unmapped(by *m, uint32_t self, service_call *call, struct os_next *p) {
  mapping *map = service_mapping(m, BY_STATE(m, self, io_services), call->handle);
  BY_COUNTERS(m, self, io_services)->unmaps++;
  if (service_coherent(m, self)) {
    if (!service_borrows(m, self)) release(m, self, map);
    by_trace(m, self, IO_SERVICES_EV_UNMAP, map->addr, map->pages, 0);
  }
  map->live = 0;
  call->step = IO_SERVICES_STEP_DONE;
  if (call->op != PROCESSOR_OP_UNMAP) {
    call->done += call->piece;
    call->host += call->piece;
    if (call->done < call->bytes) call->step = IO_SERVICES_STEP_MAP;
    else BY_COUNTERS(m, self, io_services)->calls++;
  }
  return service_spend(p, 0);
}

/* Where unmap begins: entries first, unless a defect turns the order round. */
static uint32_t service_unmap_first(by *m, uint32_t self) {
  if (!service_coherent(m, self)) return IO_SERVICES_STEP_RELEASE;
  return service_fault(m, self) == IO_SERVICES_FAULT_PURGED_FIRST ? IO_SERVICES_STEP_PURGE : IO_SERVICES_STEP_CLEAR;
}

static uint32_t service_enter(by *m, uint32_t self, service_call *call, struct os_next *p) {
  const struct io_services_params *q = BY_PARAMS(m, self, io_services);
  switch (call->op) {
    case PROCESSOR_OP_MAP: call->step = IO_SERVICES_STEP_MAP; return service_spend(p, 0);
    case PROCESSOR_OP_UNMAP:
      service_tell_unmapped(m, self, service_mapping(m, BY_STATE(m, self, io_services), call->handle));
      if (!service_mapping(m, BY_STATE(m, self, io_services), call->handle)->live) return STEP_REFUSE;
      call->step = service_unmap_first(m, self);
      return service_spend(p, q->unmap_time);
    case PROCESSOR_OP_START_DMA: call->step = IO_SERVICES_STEP_ADDRESS; call->piece = call->bytes; return service_spend(p, 0);
    case PROCESSOR_OP_FREE_BUFFER:
      TELL_CONTRACT(m, self, IO_SERVICES_PORT_CONTRACT, freed, .host = call->host, .bytes = call->bytes);
      return STEP_DONE;
    case PROCESSOR_OP_DMA_SYNC: call->step = IO_SERVICES_STEP_SYNC; return service_spend(p, 0);
  }
  call->step = IO_SERVICES_STEP_SYNC;
  return service_spend(p, q->driver_time);
}

static uint32_t service_before(by *m, uint32_t self, service_call *call, struct os_next *p) {
  if (call->op == PROCESSOR_OP_DMA_SYNC) return service_sync(m, self, call, p, call->command, IO_SERVICES_STEP_DONE);
  return service_sync(m, self, call, p, call->op == PROCESSOR_OP_DMA_OUT ? SYNC_FOR_OUT : SYNC_FOR_IN, IO_SERVICES_STEP_MAP);
}

/* The transfer is over: an inbound buffer may have been fetched by speculation meanwhile. */
static uint32_t service_after(by *m, uint32_t self, service_call *call, struct os_next *p) {
  uint32_t next = service_unmap_first(m, self);
  const mapping *map = service_mapping(m, BY_STATE(m, self, io_services), call->handle);
  if (call->op == PROCESSOR_OP_DMA_OUT) {
    service_tell_unmapped(m, self, map);
    call->step = next;
    return service_spend(p, BY_PARAMS(m, self, io_services)->unmap_time);
  }
  uint32_t done = call->scan; /* bytes of earlier pieces; `done` counts lines meanwhile */
  if (call->page == 0) {
    call->page = 1;
    call->scan = call->done;
    call->done = 0;
    done = call->scan;
  }
  uint32_t bytes = call->bytes;
  call->bytes = call->piece;
  uint32_t step = service_sync(m, self, call, p, SYNC_AFTER_IN, next);
  call->bytes = bytes;
  if (call->step == next) {
    service_tell_unmapped(m, self, map);
    call->done = done;
    call->page = 0;
    p->value = BY_PARAMS(m, self, io_services)->unmap_time;
  }
  return step;
}

/* Tells the device: I/O address, size, command. */
static uint32_t service_tell(by *m, uint32_t self, service_call *call, struct os_next *p) {
  const mapping *map = service_mapping(m, BY_STATE(m, self, io_services), call->handle);
  int whole = call->op != PROCESSOR_OP_START_DMA;
  switch (call->step) {
    case IO_SERVICES_STEP_ADDRESS:
      if (!whole) TELL_CONTRACT(m, self, IO_SERVICES_PORT_CONTRACT, started, .address = map->addr, .bytes = call->piece, .write = call->command >> 1 & 1);
      call->step = IO_SERVICES_STEP_BYTES;
      return service_store(p, call->registers, map->addr);
    case IO_SERVICES_STEP_BYTES:
      call->step = IO_SERVICES_STEP_GO;
      return service_store(p, call->registers + 4, call->piece);
  }
  call->step = whole ? IO_SERVICES_STEP_WAIT : IO_SERVICES_STEP_DONE;
  uint32_t command = whole ? (call->op == PROCESSOR_OP_DMA_OUT ? 1 : 2) | 16 : call->command;
  return service_store(p, call->registers + 8, command);
}

/* The handler looks at every transfer under way and wakes whose device is done. */
static uint32_t service_handle(by *m, uint32_t self, service_call *handler, struct os_next *p) {
  struct io_services_state *s = BY_STATE(m, self, io_services);
  if (handler->step == IO_SERVICES_STEP_STATUS && p->loaded == 1) {
    uint32_t index = handler->scan - 1;
    if (service_of(m, s, index)->step == IO_SERVICES_STEP_BLOCKED) ask_os_wake(m, self, IO_SERVICES_PORT_CPU + index / SERVICE_CALLS, &(struct os_wake){.thread = index % SERVICE_CALLS});
    service_of(m, s, index)->step = IO_SERVICES_STEP_RESYNC;
    service_of(m, s, index)->page = 0;
  }
  while (handler->scan < SERVICE_CPUS * SERVICE_CALLS) {
    service_call *call = service_of(m, s, handler->scan++);
    if (call->step != IO_SERVICES_STEP_BLOCKED && call->step != IO_SERVICES_STEP_WAIT) continue;
    handler->step = IO_SERVICES_STEP_STATUS;
    p->address = call->registers + 12;
    p->state = PROCESSOR_STATE_INTERRUPT;
    return STEP_LOAD;
  }
  handler->step = IO_SERVICES_STEP_DONE;
  return STEP_DONE;
}

static uint32_t io_services_cpu_next(by *m, uint32_t self, uint32_t cpu, struct os_next *p) {
  service_call *call = service_of(m, BY_STATE(m, self, io_services), cpu * SERVICE_CALLS + p->thread);
  uint32_t purged_first = service_fault(m, self) == IO_SERVICES_FAULT_PURGED_FIRST;
  switch (call->step) {
    case IO_SERVICES_STEP_ENTER: return service_enter(m, self, call, p);
    case IO_SERVICES_STEP_SYNC: return service_before(m, self, call, p);
    case IO_SERVICES_STEP_MAP: return service_map(m, self, call, p);
    case IO_SERVICES_STEP_ENTRY: return service_entries(m, self, cpu, call, p, 1, call->op == PROCESSOR_OP_MAP ? IO_SERVICES_STEP_DONE : IO_SERVICES_STEP_ADDRESS);
    case IO_SERVICES_STEP_ADDRESS:
    case IO_SERVICES_STEP_BYTES:
    case IO_SERVICES_STEP_GO: return service_tell(m, self, call, p);
    case IO_SERVICES_STEP_WAIT:
      call->step = IO_SERVICES_STEP_BLOCKED;
      return STEP_BLOCK;
    case IO_SERVICES_STEP_BLOCKED:
    case IO_SERVICES_STEP_RESYNC: return service_after(m, self, call, p);
    case IO_SERVICES_STEP_BORROW: return service_borrow(m, self, call, p);
    case IO_SERVICES_STEP_ALLOC: return service_borrowed(m, self, call, p);
    case IO_SERVICES_STEP_RETURN: return service_give_back(m, self, call, p);
    case IO_SERVICES_STEP_FREE: return service_given_back(m, self, call, p);
    case IO_SERVICES_STEP_FORGET: return service_forget(m, self, call, p);
    case IO_SERVICES_STEP_CLEAR: return service_entries(m, self, cpu, call, p, 0, service_borrows(m, self) ? IO_SERVICES_STEP_RETURN : purged_first ? IO_SERVICES_STEP_RELEASE : IO_SERVICES_STEP_PURGE);
    case IO_SERVICES_STEP_PURGE: return service_purge(m, self, call, p, purged_first ? IO_SERVICES_STEP_CLEAR : IO_SERVICES_STEP_RELEASE);
    case IO_SERVICES_STEP_RELEASE: return service_unmapped(m, self, call, p);
    case IO_SERVICES_STEP_HANDLER:
    case IO_SERVICES_STEP_STATUS: return service_handle(m, self, call, p);
  }
  const mapping *map = service_mapping(m, BY_STATE(m, self, io_services), call->handle);
  p->address = map->addr;
  p->value = call->piece;
  return STEP_DONE;
}

static void io_services_cpu_interrupt(by *m, uint32_t self, uint32_t cpu, struct os_interrupt *q) {
  *service_of(m, BY_STATE(m, self, io_services), cpu * SERVICE_CALLS + q->thread) = (service_call){.step = IO_SERVICES_STEP_HANDLER};
}

static int io_services_load(by *m, uint32_t self) {
  const struct io_services_params *q = BY_PARAMS(m, self, io_services);
  struct io_services_state *s = by_state_alloc(m, self, sizeof *s);
  uint32_t groups = (1u << q->page_bits) / RANGE_PAGES, handles = SERVICE_HANDLES + SERVICE_CPUS * SERVICE_CALLS;
  void *calls = by_view(m, self, IO_SERVICES_VIEW_CALLS, SERVICE_CPUS * SERVICE_CALLS, sizeof(service_call));
  void *mappings = by_view(m, self, IO_SERVICES_VIEW_MAPPINGS, handles, sizeof(mapping));
  void *bits = by_view(m, self, IO_SERVICES_VIEW_GROUPS, groups, sizeof(struct io_services_groups));
  struct io_services_now *now = by_view(m, self, IO_SERVICES_VIEW_NOW, 1, sizeof *now);
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  *now = (struct io_services_now){CCIO_HINT % groups, 0, groups, 1u << (q->page_bits - (q->chain_shift - 12))};
  *s = (struct io_services_state){by_offset(m, calls), by_offset(m, mappings), by_offset(m, bits), by_offset(m, now), 0, 0};
  return by_wired(m, self, IO_SERVICES_PORT_LENDS) ? service_lends_to(m, self) : BY_OK;
}

/* A call of the first processor's first thread, and the mapping it makes. */
static void io_services_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct io_services_state *s = BY_STATE(m, self, io_services);
  service_call *call = service_of(m, s, 0);
  mapping *map = service_mapping(m, s, 0);
  by_keep_small(k, &call->step);
  if (call->step != IO_SERVICES_STEP_DONE) {
    by_keep_small(k, &call->op);
    by_keep_small(k, &call->hints);
    by_keep_small(k, &call->page);
    by_keep_small(k, &call->scan);
    by_keep_small(k, &call->command);
    by_keep_addr(k, &call->host);
    by_keep_word(k, &call->bytes);
    by_keep_word(k, &call->done);
    by_keep_word(k, &call->piece);
  }
  by_keep_small(k, &map->live);
  if (map->live) {
    by_keep_addr(k, &map->addr);
    by_keep_addr(k, &map->host);
    by_keep_small(k, &map->pages);
    by_keep_small(k, &map->attributes);
    by_keep_small(k, &map->group);
  }
  by_keep_word(k, &((struct io_services_groups *)by_at(m, s->groups_at))->used);
}
