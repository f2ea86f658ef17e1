/*
 * The DMA mapping service of a kernel.
 *
 *   map:    lock pool --> search, take bits --> unlock --> hypervisor fills entries --> bus address
 *            ^                  | nothing                  (or before the unlock: scope)
 *            +-- next pool's ---+
 *   unmap:  hypervisor clears entries --> lock pool --> clear bits --> unlock
 *
 * Allocator, pools and flush rules are in map.h and its files; locks in lock.c, what is done under them in entries.c.
 */
#include "os/mapping/iommu_map/iommu_map.h"

#include "os/mapping/iommu_map/pools.c"

#include "os/mapping/iommu_map/lock.c"
#include "os/mapping/iommu_map/table.c"

#include "os/mapping/iommu_map/table_writes.c"

#include "os/mapping/iommu_map/entries.c"

/* A call begins. */
static void map_enter(sim *m, uint32_t self, uint32_t index, const map_call *call) {
  struct iommu_map_state *s = SIM_STATE(m, self, iommu_map);
  *map_call_of(m, s, index) = *call;
  map_call_of(m, s, index)->since = m->time;
  *map_turn_of(m, s, index) = (map_turn){0};
}

static uint32_t map_next(sim *m, uint32_t self, uint32_t caller, struct os_next *p);

#include "os/mapping/iommu_map/external_allocator.c"

/* The pages of a memory area, and its offset in the first. */
static uint32_t map_pages(const struct map_table *t, uint64_t host, uint64_t bytes) {
  uint64_t page = (uint64_t)1 << t->head->shift;
  return (uint32_t)((host % page + bytes + page - 1) >> t->head->shift);
}

static uint32_t iommu_map_cpu_validate_row(sim *m, uint32_t self, uint32_t cpu, struct os_validate_row *q) {
  (void)m, (void)self, (void)cpu;
  return IOMMU_MAP_EXECUTES(q->operation) ? SIM_OK : SIM_BAD_ROW;
}

/* The call's handle has no address: map() failed, or was never called. */
static void map_tell_without(sim *m, uint32_t self, const map_call *call) { REPORT_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, bad_handle, .address = call->address, .handle = call->handle); }

static void iommu_map_cpu_call(sim *m, uint32_t self, uint32_t cpu, struct os_call *p) {
  if (p->thread >= MAP_THREADS) __builtin_trap();
  struct iommu_map_state *s = SIM_STATE(m, self, iommu_map);
  struct map_table t = map_table_of(m, s);
  const uint32_t *w = p->arguments;
  uint32_t index = cpu * MAP_THREADS + p->thread;
  uint64_t from = (uint64_t)w[1] << 32 | w[0], reach = (uint64_t)w[3] << 32 | w[2], bytes = (uint64_t)w[5] << 32 | w[4];
  map_call *call = map_call_of(m, s, index);
  struct iommu_map_handles *handle = (struct iommu_map_handles *)sim_at(m, s->handles_at) + w[7] % MAP_HANDLES;
  int named = w[7] != NO_TAG, map = p->operation == PROCESSOR_OP_MAP;
  map_enter(m, self, index, &(map_call){.op = p->operation, .handle = named ? w[7] % MAP_HANDLES : NO_TAG, .host = from, .address = MAP_NONE});
  if (map) {
    uint32_t number = cpu * (uint32_t)SIM_PARAMS(m, self, iommu_map)->cpu_stride;
    call->pages = bytes ? map_pages(&t, from, bytes) : 0;
    call->detail = w[6] >> 8;
    call->bytes = bytes;
    *map_request_of(m, s, index) = (struct map_request){.pages = call->pages, .cpu = number, .hash = map_cpu_hash(number, s->multiplier), .align = w[6] & 31,
                                                        .mask = reach ? reach >> t.head->shift : UINT64_MAX};
  } else if (p->operation == PROCESSOR_OP_START_DMA) {
    call->address = from ? from : handle->address;
    call->host = bytes;
    call->detail = w[6] >> 1 & 1; /* command 2: the device will write memory */
  } else if (p->operation == PROCESSOR_OP_FREE_BUFFER) {
    REPORT_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, freed, .host = from, .bytes = (uint32_t)bytes);
  } else {
    call->address = named ? handle->address : from;
    call->pages = named ? handle->pages : map_pages(&t, from, bytes);
    if (named && call->address == MAP_NONE) map_tell_without(m, self, call);
    else REPORT_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, unmapped, .address = call->address, .bytes = bytes, .syncs = 1, .gone = named && !handle->live);
  }
}

/* A program's command to the device. */
static uint32_t map_start_device(sim *m, uint32_t self, uint32_t cpu, map_call *call) {
  call->step = IOMMU_MAP_STEP_DONE;
  if (call->address == MAP_NONE) {
    map_tell_without(m, self, call);
    return OS_STEP_REFUSE;
  }
  if (!sim_wired(m, self, IOMMU_MAP_PORT_DEVICE)) return OS_STEP_DONE;
  struct doorbell_start q = {.address = call->address, .bytes = call->host, .write = call->detail};
  REPORT_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, device_start, .address = call->address, .bytes = (uint32_t)call->host, .write = call->detail);
  sim_trace(m, self, IOMMU_MAP_EV_START, call->address, (uint32_t)call->host, cpu);
  if (!call_doorbell_start(m, self, IOMMU_MAP_PORT_DEVICE, &q)) SIM_COUNTERS(m, self, iommu_map)->refusals++;
  return OS_STEP_DONE;
}

static uint32_t map_done(sim *m, uint32_t self, uint32_t caller, map_call *call, struct os_next *p) {
  struct iommu_map_counters *c = SIM_COUNTERS(m, self, iommu_map);
  struct iommu_map_state *s = SIM_STATE(m, self, iommu_map);
  int map = call->op == PROCESSOR_OP_MAP, got = call->address != MAP_NONE;
  uint32_t cpu = CALLER_CPU(caller);
  uint64_t time = m->time - call->since;
  if (map) {
    c->map_time += time;
    if (got) c->maps++;
    else c->failures++;
    if (got && call->bytes) REPORT_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, mapped, .address = call->address + call->host % SIM_PARAMS(m, self, iommu_map)->page, .host = call->host, .bytes = (uint32_t)sim_min(call->bytes, call->pages * SIM_PARAMS(m, self, iommu_map)->page - call->host % SIM_PARAMS(m, self, iommu_map)->page));
    if (!got && call->handle != NO_TAG) REPORT_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, failed, .handle = call->handle);
    sim_trace(m, self, got ? IOMMU_MAP_EV_MAP : IOMMU_MAP_EV_FAILED, got ? call->address : map_turn_of(m, s, map_index(caller))->words, call->pages, cpu);
  } else if (got) {
    c->unmap_time += time;
    c->unmaps++;
    sim_trace(m, self, IOMMU_MAP_EV_UNMAP, call->address, call->pages, cpu);
  }
  if (call->handle != NO_TAG)
    ((struct iommu_map_handles *)sim_at(m, s->handles_at))[call->handle] = (struct iommu_map_handles){call->address, call->pages, map && got};
  call->step = IOMMU_MAP_STEP_DONE;
  uint64_t page = SIM_PARAMS(m, self, iommu_map)->page, offset = call->host % page;
  p->address = call->address + offset;
  p->value = got ? call->pages * page - offset : 0;
  return OS_STEP_DONE;
}

/* Fills the allocated entries. */
static void map_fill(sim *m, uint32_t self, const map_call *call) {
  const struct map_head *h = sim_at(m, SIM_STATE(m, self, iommu_map)->head_at);
  struct iommu_set set = {.entry = map_entry_at(h, call->address), .page = call->host, .entries = call->pages, .stride = call->detail + 1};
  if (sim_wired(m, self, IOMMU_MAP_PORT_IOMMU)) call_iommu_set(m, self, IOMMU_MAP_PORT_IOMMU, &set);
}

static uint32_t map_map(sim *m, uint32_t self, uint32_t caller, map_call *call, struct os_next *p) {
  const struct iommu_map_params *q = SIM_PARAMS(m, self, iommu_map);
  uint32_t cpu = CALLER_CPU(caller);
  RESUME(call) {
    AWAIT_SERVICE(call, IOMMU_MAP_STEP_FIND, map_has_external_allocator(m, self) ? map_use_external_allocator(m, self, caller, call, p) : map_find(m, self, caller, call, p));
    if (call->address == MAP_NONE || map_serves_clients(m, self)) return map_done(m, self, caller, call, p);
    if (q->scope != IOMMU_MAP_SCOPE_INSIDE || map_has_external_allocator(m, self)) AWAIT(call, IOMMU_MAP_STEP_FILL, map_compute_step(p, map_hypercall(m, self, cpu, call->pages, q->map_call, 0), PROCESSOR_STATE_HYPERCALL));
    if (map_walks(m, self)) AWAIT_SERVICE(call, IOMMU_MAP_STEP_ENTER_TABLE, map_write_table(m, self, cpu, call, p, 1));
    else map_fill(m, self, call);
  }
  return map_done(m, self, caller, call, p);
}

static uint32_t map_unmap(sim *m, uint32_t self, uint32_t caller, map_call *call, struct os_next *p) {
  const struct iommu_map_params *q = SIM_PARAMS(m, self, iommu_map);
  uint32_t cpu = CALLER_CPU(caller);
  RESUME(call) {
    if (call->address == MAP_NONE || (!map_has_external_allocator(m, self) && map_pool_at(m, self, call) == MAP_ROWS)) return map_done(m, self, caller, call, p);
    if (map_has_external_allocator(m, self) || (q->scope == IOMMU_MAP_SCOPE_OUTSIDE && !map_serves_clients(m, self))) {
      AWAIT(call, IOMMU_MAP_STEP_CLEAR, map_compute_step(p, map_hypercall(m, self, cpu, call->pages, q->demap_call, 0), PROCESSOR_STATE_HYPERCALL));
      if (!map_walks(m, self)) map_clear(m, self, call);
    }
    if (map_walks(m, self)) {
      AWAIT_SERVICE(call, IOMMU_MAP_STEP_CLEAR_TABLE, map_write_table(m, self, cpu, call, p, 0));
      if (map_purges(m, self)) AWAIT_SERVICE(call, IOMMU_MAP_STEP_PURGE, map_purge(m, self, call, p, 0));
    }
    AWAIT_SERVICE(call, IOMMU_MAP_STEP_GIVE_BACK, map_has_external_allocator(m, self) ? map_use_external_allocator(m, self, caller, call, p) : map_give_back(m, self, caller, call, p));
  }
  return map_done(m, self, caller, call, p);
}

static uint32_t map_next(sim *m, uint32_t self, uint32_t caller, struct os_next *p) {
  if (CALLER_THREAD(caller) >= MAP_THREADS) __builtin_trap();
  map_call *call = map_call_of(m, SIM_STATE(m, self, iommu_map), map_index(caller));
  switch (call->op) {
    case PROCESSOR_OP_MAP: return map_map(m, self, caller, call, p);
    case PROCESSOR_OP_UNMAP: return map_unmap(m, self, caller, call, p);
    case PROCESSOR_OP_START_DMA: return map_start_device(m, self, CALLER_CPU(caller), call);
  }
  return OS_STEP_DONE; /* this service handles no interrupts */
}

static uint32_t iommu_map_cpu_next(sim *m, uint32_t self, uint32_t cpu, struct os_next *p) { return map_next(m, self, CALLER(cpu, p->thread), p); }

/* The answer to the IOMMU at load: the size of its table. */
static void iommu_map_iommu_setup(sim *m, uint32_t self, struct iommu_setup *q) {
  const struct iommu_map_params *p = SIM_PARAMS(m, self, iommu_map);
  q->base = p->base;
  q->entries = (uint32_t)p->entries;
  q->shift = (uint32_t)__builtin_ctzll(p->page);
}

static void iommu_map_cpu_interrupt(sim *m, uint32_t self, uint32_t cpu, struct os_interrupt *q) {
  *map_call_of(m, SIM_STATE(m, self, iommu_map), cpu * MAP_THREADS + q->thread) = (map_call){.op = PROCESSOR_OP_END};
}

static void iommu_map_self(sim *m, uint32_t self, const sim_msg *msg) { lock_hand_over(m, self, msg->x); }

static int iommu_map_load(sim *m, uint32_t self) {
  const struct iommu_map_params *q = SIM_PARAMS(m, self, iommu_map);
  int bad = map_bad_param(q);
  if (bad >= 0) return sim_refuse(m, SIM_BAD_PARAM, self, (uint32_t)bad);
  struct iommu_map_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  int error = map_size_up(m, self);
  if (!error) error = map_make_table(m, self);
  if (error) return error;
  void *locks = sim_view(m, self, IOMMU_MAP_VIEW_LOCKS, MAP_ROWS, sizeof(map_lock));
  void *calls = sim_view(m, self, IOMMU_MAP_VIEW_CALLS, s->cpus * MAP_THREADS, sizeof(map_call));
  void *turns = sim_view(m, self, IOMMU_MAP_VIEW_TURNS, s->cpus * MAP_THREADS, sizeof(map_turn));
  struct iommu_map_handles *handles = sim_view(m, self, IOMMU_MAP_VIEW_HANDLES, MAP_HANDLES, sizeof *handles);
  void *requests = sim_alloc(m, s->cpus * MAP_THREADS, sizeof(struct map_request)), *waiters = sim_alloc(m, s->cpus, 4);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->locks_at = sim_offset(m, locks);
  s->calls_at = sim_offset(m, calls);
  s->turns_at = sim_offset(m, turns);
  s->handles_at = sim_offset(m, handles);
  s->requests_at = sim_offset(m, requests);
  s->waiters_at = sim_offset(m, waiters);
  for (uint32_t i = 0; i < MAP_HANDLES; i++) handles[i].address = MAP_NONE;
  return SIM_OK;
}

#include "os/mapping/iommu_map/state.c"
