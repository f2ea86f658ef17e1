/*
 * The DMA mapping service of a kernel.
 *
 *   map:    lock pool --> search, take bits --> unlock --> hypervisor fills entries --> bus address
 *            ^                  | nothing                  (or before the unlock: scope)
 *            +-- next pool's ---+
 *   unmap:  hypervisor clears entries --> lock pool --> clear bits --> unlock
 *
 * Allocator, pools and flush rules are in map.h and its files; locks in lock.c, what is done under them in
 * entries.c.
 */
#include "os/mapping/iommu_map/iommu_map.h"

#include "os/mapping/iommu_map/pools.c"

#include "os/mapping/iommu_map/lock.c"
#include "os/mapping/iommu_map/threads.c"
#include "os/mapping/iommu_map/table.c"

#include "os/mapping/iommu_map/table_writes.c"

#include "os/mapping/iommu_map/entries.c"

/* A call begins. */
static void map_enter(sim *m, struct iommu_map *service, uint32_t index, const map_call *call) {
  *map_call_of(m, service->state, index) = *call;
  map_call_of(m, service->state, index)->since = m->time;
  *map_turn_of(m, service->state, index) = (map_turn){0};
}

static uint32_t map_next(sim *m, struct iommu_map *service, uint32_t caller, struct os_next *p);

#include "os/mapping/iommu_map/external_allocator.c"

/* The pages of a memory area, and its offset in the first. */
static uint32_t map_pages(const struct map_table *t, uint64_t host, uint64_t bytes) {
  uint64_t page = (uint64_t)1 << t->head->shift;
  return (uint32_t)((host % page + bytes + page - 1) >> t->head->shift);
}

static uint32_t iommu_map_cpu_validate_row(
    sim *m, struct iommu_map *service, uint32_t cpu, struct os_validate_row *q) {
  (void)m;
  (void)service;
  (void)cpu;
  return IOMMU_MAP_EXECUTES(q->operation) ? SIM_OK : SIM_BAD_ROW;
}

/* The call's handle has no address: map() failed, or was never called. */
static void map_tell_without(sim *m, struct iommu_map *service, const map_call *call) {
  REPORT_CONTRACT(m, service->self, IOMMU_MAP_PORT_CONTRACT, bad_handle, .address = call->address,
      .handle = call->handle);
}

static void iommu_map_cpu_call(sim *m, struct iommu_map *service, uint32_t cpu, struct os_call *p) {
  if (p->thread >= CALLS_PER_CPU) __builtin_trap();
  struct map_table t = map_table_of(m, service);
  const uint32_t *w = p->arguments;
  uint32_t index = cpu * CALLS_PER_CPU + p->thread;
  uint64_t from = (uint64_t)w[1] << 32 | w[0], reach = (uint64_t)w[3] << 32 | w[2],
           bytes = (uint64_t)w[5] << 32 | w[4];
  map_call *call = map_call_of(m, service->state, index);
  int named = w[7] != NO_TAG, map = p->operation == PROCESSOR_OP_MAP;
  uint32_t tag = w[7] % (uint32_t)service->params->handles;
  struct iommu_map_handles *handle = (struct iommu_map_handles *)sim_at(m, service->state->handles_at) + tag;
  map_enter(m, service, index,
      &(map_call){.op = p->operation, .handle = named ? tag : NO_TAG, .host = from, .address = MAP_NONE});
  if (map) {
    uint32_t number = map_cpu_of_thread(m, service, cpu);
    call->pages = bytes ? map_pages(&t, from, bytes) : 0;
    call->detail = w[6] >> 8;
    call->bytes = bytes;
    *map_request_of(m, service, index) = (struct map_request){.pages = call->pages,
        .cpu = number,
        .hash = map_cpu_hash(number, service->state->multiplier),
        .align = w[6] & 31,
        .mask = reach ? reach >> t.head->shift : UINT64_MAX};
    map_turn_of(m, service->state, index)->list = w[6] & (LIST_CONTINUES | LIST_FOLLOWS);
  } else if (p->operation == PROCESSOR_OP_START_DMA) {
    call->address = from ? from : handle->address;
    call->host = bytes;
    call->detail = w[6] >> 1 & 1; /* command 2: the device will write memory */
  } else if (p->operation == PROCESSOR_OP_FREE_BUFFER) {
    REPORT_CONTRACT(m, service->self, IOMMU_MAP_PORT_CONTRACT, freed, .host = from, .bytes = (uint32_t)bytes);
  } else {
    map_turn_of(m, service->state, index)->list = w[6] & (LIST_CONTINUES | LIST_FOLLOWS);
    call->address = named ? handle->address : from;
    call->pages = named ? handle->pages : map_pages(&t, from, bytes);
    if (named && call->address == MAP_NONE) map_tell_without(m, service, call);
    else
      REPORT_CONTRACT(m, service->self, IOMMU_MAP_PORT_CONTRACT, unmapped, .address = call->address,
          .bytes = bytes, .syncs = 1, .gone = named && !handle->live);
  }
}

/* A program's command to the device. */
static uint32_t map_start_device(sim *m, struct iommu_map *service, uint32_t cpu, map_call *call) {
  call->step = IOMMU_MAP_STEP_DONE;
  if (call->address == MAP_NONE) {
    map_tell_without(m, service, call);
    return OS_STEP_REFUSE;
  }
  if (!sim_wired(m, service->self, IOMMU_MAP_PORT_DEVICE)) return OS_STEP_DONE;
  struct doorbell_start q = {.address = call->address, .bytes = call->host, .write = call->detail};
  REPORT_CONTRACT(m, service->self, IOMMU_MAP_PORT_CONTRACT, device_start, .address = call->address,
      .bytes = (uint32_t)call->host, .write = call->detail);
  sim_trace(m, service->self, IOMMU_MAP_EV_START, call->address, (uint32_t)call->host, cpu);
  if (!call_doorbell_start(m, service->self, IOMMU_MAP_PORT_DEVICE, &q)) service->counters->refusals++;
  return OS_STEP_DONE;
}

static uint32_t map_done(
    sim *m, struct iommu_map *service, uint32_t caller, map_call *call, struct os_next *p) {
  int map = call->op == PROCESSOR_OP_MAP, got = call->address != MAP_NONE;
  uint32_t cpu = CALLER_CPU(caller);
  uint64_t time = m->time - call->since;
  if (map) {
    service->counters->map_time += time;
    if (got) service->counters->maps++;
    else service->counters->failures++;
    if (got && call->bytes)
      REPORT_CONTRACT(m, service->self, IOMMU_MAP_PORT_CONTRACT, mapped,
          .address = call->address + call->host % service->params->page, .host = call->host,
          .bytes = (uint32_t)sim_min(
              call->bytes, call->pages * service->params->page - call->host % service->params->page));
    if (!got && call->handle != NO_TAG)
      REPORT_CONTRACT(m, service->self, IOMMU_MAP_PORT_CONTRACT, failed, .handle = call->handle);
    sim_trace(m, service->self, got ? IOMMU_MAP_EV_MAP : IOMMU_MAP_EV_FAILED,
        got ? call->address : map_turn_of(m, service->state, map_index(caller))->words, call->pages, cpu);
  } else if (got) {
    service->counters->unmap_time += time;
    service->counters->unmaps++;
    sim_trace(m, service->self, IOMMU_MAP_EV_UNMAP, call->address, call->pages, cpu);
  }
  if (call->handle != NO_TAG)
    ((struct iommu_map_handles *)sim_at(m, service->state->handles_at))[call->handle] =
        (struct iommu_map_handles){call->address, call->pages, map && got};
  call->step = IOMMU_MAP_STEP_DONE;
  uint64_t page = service->params->page, offset = call->host % page;
  p->address = call->address + offset;
  p->value = got ? call->pages * page - offset : 0;
  return OS_STEP_DONE;
}

/* Fills the allocated entries. */
static void map_fill(sim *m, struct iommu_map *service, const map_call *call) {
  const struct map_head *h = sim_at(m, service->state->head_at);
  struct iommu_set set = {.entry = map_entry_at(h, call->address),
      .page = call->host,
      .entries = call->pages,
      .stride = call->detail + 1};
  if (sim_wired(m, service->self, IOMMU_MAP_PORT_IOMMU))
    call_iommu_set(m, service->self, IOMMU_MAP_PORT_IOMMU, &set);
}

static uint32_t map_map(
    sim *m, struct iommu_map *service, uint32_t caller, map_call *call, struct os_next *p) {
  uint32_t cpu = CALLER_CPU(caller);
  RESUME(call) {
    AWAIT_SERVICE(call, IOMMU_MAP_STEP_FIND,
        map_has_external_allocator(m, service) ? map_use_external_allocator(m, service, caller, call, p)
                                               : map_find(m, service, caller, call, p));
    if (call->address == MAP_NONE || map_serves_clients(m, service))
      return map_done(m, service, caller, call, p);
    if (service->params->scope != IOMMU_MAP_SCOPE_INSIDE || map_has_external_allocator(m, service))
      AWAIT(call, IOMMU_MAP_STEP_FILL,
          map_compute_step(p, map_hypercall(m, service, cpu, call->pages, service->params->map_call, 0),
              PROCESSOR_STATE_HYPERCALL));
    if (map_walks(m, service))
      AWAIT_SERVICE(call, IOMMU_MAP_STEP_ENTER_TABLE, map_write_table(m, service, cpu, call, p, 1));
    else map_fill(m, service, call);
  }
  return map_done(m, service, caller, call, p);
}

static uint32_t map_unmap(
    sim *m, struct iommu_map *service, uint32_t caller, map_call *call, struct os_next *p) {
  uint32_t cpu = CALLER_CPU(caller);
  RESUME(call) {
    if (call->address == MAP_NONE
        || (!map_has_external_allocator(m, service) && map_pool_at(m, service, call) == MAP_ROWS))
      return map_done(m, service, caller, call, p);
    if (map_has_external_allocator(m, service)
        || (service->params->scope == IOMMU_MAP_SCOPE_OUTSIDE && !map_serves_clients(m, service))) {
      AWAIT(call, IOMMU_MAP_STEP_CLEAR,
          map_compute_step(p, map_hypercall(m, service, cpu, call->pages, service->params->demap_call, 0),
              PROCESSOR_STATE_HYPERCALL));
      if (!map_walks(m, service)) map_clear(m, service, call);
    }
    if (map_walks(m, service)) {
      AWAIT_SERVICE(call, IOMMU_MAP_STEP_CLEAR_TABLE, map_write_table(m, service, cpu, call, p, 0));
      if (map_purges(m, service))
        AWAIT_SERVICE(call, IOMMU_MAP_STEP_PURGE, map_purge(m, service, call, p, 0));
    }
    AWAIT_SERVICE(call, IOMMU_MAP_STEP_GIVE_BACK,
        map_has_external_allocator(m, service) ? map_use_external_allocator(m, service, caller, call, p)
                                               : map_give_back(m, service, caller, call, p));
  }
  return map_done(m, service, caller, call, p);
}

static uint32_t map_next(sim *m, struct iommu_map *service, uint32_t caller, struct os_next *p) {
  if (CALLER_THREAD(caller) >= CALLS_PER_CPU) __builtin_trap();
  map_call *call = map_call_of(m, service->state, map_index(caller));
  switch (call->op) {
    case PROCESSOR_OP_MAP: return map_map(m, service, caller, call, p);
    case PROCESSOR_OP_UNMAP: return map_unmap(m, service, caller, call, p);
    case PROCESSOR_OP_START_DMA: return map_start_device(m, service, CALLER_CPU(caller), call);
  }
  return OS_STEP_DONE; /* this service handles no interrupts */
}

static uint32_t iommu_map_cpu_next(sim *m, struct iommu_map *service, uint32_t cpu, struct os_next *p) {
  return map_next(m, service, CALLER(cpu, p->thread), p);
}

/* The answer to the IOMMU at load: the size of its table. */
static void iommu_map_iommu_setup(sim *m, struct iommu_map *service, struct iommu_setup *q) {
  (void)m;
  q->base = service->params->base;
  q->entries = (uint32_t)service->params->entries;
  q->shift = (uint32_t)__builtin_ctzll(service->params->page);
}

static void iommu_map_cpu_interrupt(sim *m, struct iommu_map *service, uint32_t cpu, struct os_interrupt *q) {
  *map_call_of(m, service->state, cpu * CALLS_PER_CPU + q->thread) = (map_call){.op = PROCESSOR_OP_END};
}

static void iommu_map_self(sim *m, struct iommu_map *service, const sim_msg *msg) {
  lock_hand_over(m, service, msg->x);
}

static int iommu_map_load(sim *m, uint32_t self) {
  const struct iommu_map_params *q = SIM_PARAMS(m, self, iommu_map);
  int bad = map_bad_param(q);
  if (bad >= 0) return sim_refuse(m, SIM_BAD_PARAM, self, (uint32_t)bad);
  struct iommu_map_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  int error = map_size_up(m, SIM_CONTEXT(m, self, iommu_map));
  if (!error) error = map_make_table(m, SIM_CONTEXT(m, self, iommu_map));
  if (error) return error;
  void *locks = sim_view(m, self, IOMMU_MAP_VIEW_LOCKS, MAP_ROWS, sizeof(map_lock));
  void *calls = sim_view(m, self, IOMMU_MAP_VIEW_CALLS, s->cpus * CALLS_PER_CPU, sizeof(map_call));
  void *turns = sim_view(m, self, IOMMU_MAP_VIEW_TURNS, s->cpus * CALLS_PER_CPU, sizeof(map_turn));
  const uint32_t named = (uint32_t)SIM_CONTEXT(m, self, iommu_map)->params->handles;
  struct iommu_map_handles *handles = sim_view(m, self, IOMMU_MAP_VIEW_HANDLES, named, sizeof *handles);
  void *requests = sim_alloc(m, s->cpus * CALLS_PER_CPU, sizeof(struct map_request)),
       *waiters = sim_alloc(m, s->cpus, 4),
       *threads = sim_view(m, self, IOMMU_MAP_VIEW_THREADS, s->cpus, sizeof(struct iommu_map_threads));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->locks_at = sim_offset(m, locks);
  s->calls_at = sim_offset(m, calls);
  s->turns_at = sim_offset(m, turns);
  s->handles_at = sim_offset(m, handles);
  s->requests_at = sim_offset(m, requests);
  s->waiters_at = sim_offset(m, waiters);
  s->threads_at = sim_offset(m, threads);
  for (uint32_t i = 0; i < named; i++) handles[i].address = MAP_NONE;
  return map_place_threads(m, SIM_CONTEXT(m, self, iommu_map));
}

#include "os/mapping/iommu_map/state.c"
