/*
 * The DMA mapping service of a kernel, as steps that processors carry out.
 *
 *   map:    lock pool --> search, take bits --> unlock --> hypervisor fills entries --> bus address
 *            ^                  | nothing                  (or before the unlock: scope)
 *            +-- next pool's ---+
 *   unmap:  hypervisor clears entries --> lock pool --> clear bits --> unlock
 *
 * Allocator, pools and flush rules are in map.h and its files; locks in lock.c. Time passes where the
 * steps say: a critical section takes a fixed time, so much per word that the search reads, and the
 * hypervisor call if the lock is held across it. Whoever finds a lock taken spins.
 */
#include "os/mapping/iommu_map/service.h"

#include "os/mapping/iommu_map/pools.c"

#include "os/mapping/iommu_map/lock.c"
#include "os/mapping/iommu_map/table.c"

static uint32_t map_spend(struct os_next *p, uint64_t time, uint32_t state) {
  p->value = time;
  p->state = state;
  p->detail = state == PROCESSOR_STATE_LOCKED;
  return STEP_SPEND;
}

static uint32_t map_next(by *m, uint32_t self, uint32_t cpu, uint32_t thread, struct os_next *p);

#include "os/mapping/iommu_map/borrow.c"

static uint64_t map_time(by *m, uint32_t self, uint64_t mean) { return by_spread(m, mean, BY_PARAMS(m, self, iommu_map)->spread != 0); }

/* Time of a hypervisor call for so many entries, and the books about it. */
static uint64_t map_hypercall(by *m, uint32_t self, uint32_t cpu, uint32_t pages, uint64_t mean, uint32_t locked) {
  uint64_t time = map_time(m, self, mean) + (uint64_t)(pages - 1) * BY_PARAMS(m, self, iommu_map)->entry_time;
  struct iommu_map_counters *c = BY_COUNTERS(m, self, iommu_map);
  if (mean == 0) return 0;
  c->hypercalls++;
  c->call_time += time;
  by_trace(m, self, IOMMU_MAP_EV_HYPERCALL, time, locked, cpu);
  return time;
}

/* An area of memory as pages, from where it begins in the first. */
static uint32_t map_pages(const struct map_table *t, uint64_t host, uint64_t bytes) {
  uint64_t page = (uint64_t)1 << t->head->shift;
  return (uint32_t)((host % page + bytes + page - 1) >> t->head->shift);
}

static uint32_t iommu_map_cpu_check(by *m, uint32_t self, uint32_t cpu, struct os_check *q) {
  (void)m, (void)self, (void)cpu;
  return IOMMU_MAP_CARRIES(q->operation) ? BY_OK : BY_BAD_ROW;
}

static void iommu_map_cpu_call(by *m, uint32_t self, uint32_t cpu, struct os_call *p) {
  if (p->thread >= MAP_THREADS) __builtin_trap();
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  struct map_table t = map_table_of(m, s);
  const uint32_t *w = p->arguments;
  uint32_t index = cpu * MAP_THREADS + p->thread;
  uint64_t from = (uint64_t)w[1] << 32 | w[0], reach = (uint64_t)w[3] << 32 | w[2], bytes = (uint64_t)w[5] << 32 | w[4];
  map_call *call = map_call_of(m, s, index);
  struct iommu_map_handles *handle = (struct iommu_map_handles *)by_at(m, s->handles_at) + w[7] % MAP_HANDLES;
  int named = w[7] != NO_TAG, map = p->operation == PROCESSOR_OP_MAP;
  *call = (map_call){.step = IOMMU_MAP_STEP_ENTER, .op = p->operation, .handle = named ? w[7] % MAP_HANDLES : NO_TAG, .since = m->time, .host = from, .address = MAP_NONE};
  if (map) {
    uint32_t number = cpu * (uint32_t)BY_PARAMS(m, self, iommu_map)->cpu_stride;
    call->pages = bytes ? map_pages(&t, from, bytes) : 0;
    call->detail = w[6] >> 8;
    call->bytes = bytes;
    *map_request_of(m, s, index) = (struct map_request){.pages = call->pages, .cpu = number, .hash = map_cpu_hash(number, s->multiplier), .align = w[6] & 31,
                                                        .mask = reach ? reach >> t.head->shift : UINT64_MAX};
  } else if (p->operation == PROCESSOR_OP_START_DMA) {
    call->step = IOMMU_MAP_STEP_START;
    call->address = from ? from : handle->address;
    call->host = bytes;
    call->detail = w[6] >> 1 & 1; /* command 2: it is to write memory */
  } else if (p->operation == PROCESSOR_OP_FREE_BUFFER) {
    call->step = IOMMU_MAP_STEP_DONE;
    TELL_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, freed, .host = from, .bytes = (uint32_t)bytes);
  } else {
    call->address = named ? handle->address : from;
    call->pages = named ? handle->pages : map_pages(&t, from, bytes);
    TELL_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, unmapped, .address = call->address, .gone = named && !handle->live);
  }
}

/* A program's command to the device. */
static uint32_t map_start_device(by *m, uint32_t self, uint32_t cpu, map_call *call) {
  call->step = IOMMU_MAP_STEP_DONE;
  if (call->address == MAP_NONE || !by_wired(m, self, IOMMU_MAP_PORT_DEVICE)) return STEP_DONE;
  struct doorbell_start q = {.address = call->address, .bytes = call->host, .write = call->detail};
  TELL_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, started, .address = call->address, .bytes = (uint32_t)call->host, .write = call->detail);
  by_trace(m, self, IOMMU_MAP_EV_START, call->address, (uint32_t)call->host, cpu);
  if (!ask_doorbell_start(m, self, IOMMU_MAP_PORT_DEVICE, &q)) BY_COUNTERS(m, self, iommu_map)->refusals++;
  return STEP_DONE;
}

/* Once in a while a thread maps on another CPU than the one whose pool it goes on using. */
static void map_stray(by *m, uint32_t self, uint32_t cpu, struct map_request *q) {
  const struct iommu_map_params *params = BY_PARAMS(m, self, iommu_map);
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  if (!params->stray || s->cpus < 2 || by_choose(m, BY_CHOOSE_THREAD, (uint32_t)params->stray)) return;
  uint32_t other = (cpu + 1 + by_choose(m, BY_CHOOSE_THREAD, s->cpus - 1)) % s->cpus;
  q->cpu = other * (uint32_t)params->cpu_stride;
  q->hash = map_cpu_hash(q->cpu, s->multiplier);
  struct map_table t = map_table_of(m, s);
  BY_COUNTERS(m, self, iommu_map)->strayed++;
  by_trace(m, self, IOMMU_MAP_EV_STRAYED, 0, map_home(t.head, q), cpu);
}

/* The search and what it found out, under the lock; answers how long the lock is held for it. */
static uint64_t map_hold(by *m, uint32_t self, uint32_t cpu, map_call *call, struct map_request *q) {
  const struct iommu_map_params *params = BY_PARAMS(m, self, iommu_map);
  struct iommu_map_counters *c = BY_COUNTERS(m, self, iommu_map);
  struct map_table t = map_table_of(m, BY_STATE(m, self, iommu_map));
  uint64_t words = q->words, searches = t.head->searches, reused = t.head->reused;
  uint32_t pool = q->pool, hint = t.pools[pool].hint;
  int resets = q->stage == MAP_NEIGHBOUR && !map_has(t.head, RULE_KEEP_CURSOR) && hint != t.pools[pool].start;
  call->outcome = map_go(&t, q);
  t.last->cpu = cpu;
  words = q->words - words;
  searches = t.head->searches - searches;
  call->words += (uint32_t)words;
  c->words += words;
  c->searches += searches;
  by_trace(m, self, IOMMU_MAP_EV_SEARCH, t.last->start, pool, (uint32_t)words);
  if (resets) {
    c->resets++;
    by_trace(m, self, IOMMU_MAP_EV_RESET, hint, pool, cpu);
  }
  if (searches > 1) {
    c->wraps++;
    by_trace(m, self, IOMMU_MAP_EV_WRAP, 0, pool, cpu);
  }
  uint64_t time = map_time(m, self, params->hold_alloc) + words * params->word_time;
  if (call->outcome != MAP_GOT) return time;
  map_colour(m, self, q->result, q->pages, cpu + 1);
  call->address = t.head->base + (q->result << t.head->shift);
  if (q->flushed) {
    c->flushes++;
    by_trace(m, self, IOMMU_MAP_EV_FLUSH, 0, pool, cpu);
    if (by_wired(m, self, IOMMU_MAP_PORT_IOMMU)) ask_iommu_flush(m, self, IOMMU_MAP_PORT_IOMMU);
    if (map_lends(m, self)) call->detail = 1; /* the other service has it done, under the lock as well */
    else time += params->flush_time;
  }
  if (map_pool_of(&t, q->result) != pool) {
    c->foreign++;
    by_trace(m, self, IOMMU_MAP_EV_FOREIGN, call->address, pool, cpu);
  }
  c->at_home += q->stage == MAP_OWN;
  if (pool != MAP_LARGE) c->ordinary_most = by_max(c->ordinary_most, q->pages);
  if (t.head->reused > reused) {
    c->reused++;
    by_trace(m, self, IOMMU_MAP_EV_REUSE, call->address, call->pages, cpu);
  }
  return params->scope == IOMMU_MAP_SCOPE_INSIDE && !map_lends(m, self) ? time + map_hypercall(m, self, cpu, call->pages, params->map_call, 1) : time;
}

/* The entries are cleared: by the hypervisor, or by the driver itself. */
static void map_clear(by *m, uint32_t self, const map_call *call) {
  struct map_table t = map_table_of(m, BY_STATE(m, self, iommu_map));
  uint64_t entry = map_entry_at(t.head, call->address);
  if (!by_wired(m, self, IOMMU_MAP_PORT_IOMMU)) return;
  ask_iommu_clear(m, self, IOMMU_MAP_PORT_IOMMU, &(struct iommu_clear){.entry = entry, .entries = call->pages});
  if (BY_PARAMS(m, self, iommu_map)->flush == IOMMU_MAP_FLUSH_EACH && !map_borrows(m, self)) ask_iommu_drop(m, self, IOMMU_MAP_PORT_IOMMU, &(struct iommu_drop){.entry = entry, .entries = call->pages});
}

static uint64_t unmap_hold(by *m, uint32_t self, uint32_t cpu, map_call *call) {
  const struct iommu_map_params *params = BY_PARAMS(m, self, iommu_map);
  struct iommu_map_counters *c = BY_COUNTERS(m, self, iommu_map);
  struct map_table t = map_table_of(m, BY_STATE(m, self, iommu_map));
  uint64_t entry = map_entry_at(t.head, call->address), bad = t.head->bad_frees, time = map_time(m, self, params->hold_free);
  if (map_free(&t, call->pool, entry, call->pages)) map_colour(m, self, entry, call->pages, 0);
  if (t.head->bad_frees > bad) {
    c->bad_frees++;
    by_trace(m, self, IOMMU_MAP_EV_BAD_FREE, call->address, call->pages, cpu);
  }
  if (params->scope == IOMMU_MAP_SCOPE_OUTSIDE || map_lends(m, self)) return time;
  map_clear(m, self, call);
  return time + map_hypercall(m, self, cpu, call->pages, params->demap_call, 1);
}

static uint32_t map_done(by *m, uint32_t self, uint32_t cpu, map_call *call, struct os_next *p) {
  struct iommu_map_counters *c = BY_COUNTERS(m, self, iommu_map);
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  int map = call->op == PROCESSOR_OP_MAP, got = call->address != MAP_NONE;
  uint64_t time = m->time - call->since;
  if (map) {
    c->map_time += time;
    if (got) c->maps++;
    else c->failures++;
    if (got && call->bytes) TELL_CONTRACT(m, self, IOMMU_MAP_PORT_CONTRACT, mapped, .address = call->address + call->host % BY_PARAMS(m, self, iommu_map)->page, .host = call->host, .bytes = (uint32_t)call->bytes);
    by_trace(m, self, got ? IOMMU_MAP_EV_MAP : IOMMU_MAP_EV_FAILED, got ? call->address : call->words, call->pages, cpu);
  } else if (got) {
    c->unmap_time += time;
    c->unmaps++;
    by_trace(m, self, IOMMU_MAP_EV_UNMAP, call->address, call->pages, cpu);
  }
  if (call->handle != NO_TAG)
    ((struct iommu_map_handles *)by_at(m, s->handles_at))[call->handle] = (struct iommu_map_handles){call->address, call->pages, map && got};
  call->step = IOMMU_MAP_STEP_DONE;
  uint64_t page = BY_PARAMS(m, self, iommu_map)->page, offset = call->host % page;
  p->address = call->address + offset;
  p->value = got ? call->pages * page - offset : 0;
  return STEP_DONE;
}

static uint32_t map_commit(by *m, uint32_t self, uint32_t cpu, map_call *call, struct os_next *p) {
  struct map_table t = map_table_of(m, BY_STATE(m, self, iommu_map));
  struct iommu_set set = {.entry = map_entry_at(t.head, call->address), .page = call->host, .entries = call->pages, .stride = call->detail + 1};
  if (by_wired(m, self, IOMMU_MAP_PORT_IOMMU)) ask_iommu_set(m, self, IOMMU_MAP_PORT_IOMMU, &set);
  return map_done(m, self, cpu, call, p);
}

/* Entries are found, or given back, and no lock is held any more: those of a mapping are filled now, unless that is done. */
static uint32_t map_placed(by *m, uint32_t self, uint32_t cpu, map_call *call, struct os_next *p) {
  const struct iommu_map_params *params = BY_PARAMS(m, self, iommu_map);
  if (call->op == PROCESSOR_OP_UNMAP || call->address == MAP_NONE || map_lends(m, self)) return map_done(m, self, cpu, call, p);
  if (params->scope == IOMMU_MAP_SCOPE_INSIDE && !map_borrows(m, self)) return map_commit(m, self, cpu, call, p);
  call->step = IOMMU_MAP_STEP_COMMIT;
  return map_spend(p, map_hypercall(m, self, cpu, call->pages, params->map_call, 0), PROCESSOR_STATE_HYPERCALL);
}

static uint32_t map_release(by *m, uint32_t self, uint32_t cpu, map_call *call, struct map_request *q, struct os_next *p) {
  lock_give(m, self, call->pool);
  if (call->op == PROCESSOR_OP_UNMAP || call->outcome == MAP_FAILED) return map_done(m, self, cpu, call, p);
  if (call->outcome == MAP_LOCK) {
    BY_COUNTERS(m, self, iommu_map)->spills++;
    by_trace(m, self, IOMMU_MAP_EV_SPILL, call->pool, q->pool, cpu);
    call->pool = q->pool;
    call->step = IOMMU_MAP_STEP_LOCK;
    return STEP_DONE;
  }
  return map_placed(m, self, cpu, call, p);
}

/* What is done first, without a lock; the step after it. */
static uint32_t map_enter(by *m, uint32_t self, uint32_t cpu, map_call *call, struct map_request *q, struct os_next *p) {
  const struct iommu_map_params *params = BY_PARAMS(m, self, iommu_map);
  struct map_table t = map_table_of(m, BY_STATE(m, self, iommu_map));
  if (map_borrows(m, self) && (call->op == PROCESSOR_OP_MAP || (call->op == PROCESSOR_OP_UNMAP && call->address != MAP_NONE))) {
    call->step = call->op == PROCESSOR_OP_MAP ? IOMMU_MAP_STEP_BORROW : IOMMU_MAP_STEP_DEMAP;
    return call->op == PROCESSOR_OP_MAP ? STEP_DONE : map_spend(p, map_hypercall(m, self, cpu, call->pages, params->demap_call, 0), PROCESSOR_STATE_HYPERCALL);
  }
  if (call->op == PROCESSOR_OP_MAP) {
    map_stray(m, self, cpu, q);
    if (map_begin(&t, q) == MAP_FAILED) return map_done(m, self, cpu, call, p);
    call->pool = q->pool;
    call->step = IOMMU_MAP_STEP_LOCK;
    return STEP_DONE;
  }
  uint32_t pool = call->address == MAP_NONE ? MAP_ROWS : map_pool_of(&t, map_entry_at(t.head, call->address));
  if (call->op != PROCESSOR_OP_UNMAP || pool == MAP_ROWS) return map_done(m, self, cpu, call, p);
  call->pool = pool;
  if (map_lends(m, self)) {
    call->step = IOMMU_MAP_STEP_LOCK;
    return params->flush == IOMMU_MAP_FLUSH_EACH ? map_forget(p, 0) : STEP_DONE;
  }
  call->step = params->scope == IOMMU_MAP_SCOPE_OUTSIDE ? IOMMU_MAP_STEP_DEMAP : IOMMU_MAP_STEP_LOCK;
  return call->step == IOMMU_MAP_STEP_LOCK ? STEP_DONE : map_spend(p, map_hypercall(m, self, cpu, call->pages, params->demap_call, 0), PROCESSOR_STATE_HYPERCALL);
}

static uint32_t map_next(by *m, uint32_t self, uint32_t cpu, uint32_t thread, struct os_next *p) {
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  uint32_t index = cpu * MAP_THREADS + thread;
  if (thread >= MAP_THREADS) __builtin_trap();
  map_call *call = map_call_of(m, s, index);
  struct map_request *q = map_request_of(m, s, index);
  for (;;) {
    uint32_t step = STEP_DONE;
    switch (call->step) {
      case IOMMU_MAP_STEP_ENTER: step = map_enter(m, self, cpu, call, q, p); break;
      case IOMMU_MAP_STEP_DEMAP:
        map_clear(m, self, call);
        call->step = map_borrows(m, self) ? IOMMU_MAP_STEP_BORROW : IOMMU_MAP_STEP_LOCK;
        break;
      case IOMMU_MAP_STEP_BORROW: map_borrow(m, self, CALLER(cpu, thread), call, q); break;
      case IOMMU_MAP_STEP_BORROWED:
        step = map_borrowed(m, self, CALLER(cpu, thread), call, p);
        if (step == STEP_DONE) step = map_placed(m, self, cpu, call, p);
        break;
      case IOMMU_MAP_STEP_LOCK:
        call->step = IOMMU_MAP_STEP_HELD;
        if (lock_take(m, self, call->pool, cpu, thread)) break;
        p->state = PROCESSOR_STATE_SPIN;
        p->detail = 1;
        return STEP_SPIN;
      case IOMMU_MAP_STEP_HELD:
        call->step = IOMMU_MAP_STEP_SEARCHED;
        return map_spend(p, call->op == PROCESSOR_OP_MAP ? map_hold(m, self, cpu, call, q) : unmap_hold(m, self, cpu, call), PROCESSOR_STATE_LOCKED);
      case IOMMU_MAP_STEP_SEARCHED:
        call->step = IOMMU_MAP_STEP_RELEASE;
        if (map_lends(m, self) && call->detail) return map_forget(p, 1);
        break;
      case IOMMU_MAP_STEP_RELEASE: step = map_release(m, self, cpu, call, q, p); break;
      case IOMMU_MAP_STEP_COMMIT: return map_commit(m, self, cpu, call, p);
      case IOMMU_MAP_STEP_START: return map_start_device(m, self, cpu, call);
      default: return STEP_DONE;
    }
    if (step != STEP_DONE || call->step == IOMMU_MAP_STEP_DONE) return step;
  }
}

static uint32_t iommu_map_cpu_next(by *m, uint32_t self, uint32_t cpu, struct os_next *p) { return map_next(m, self, cpu, p->thread, p); }

/* What the IOMMU asks at load: how large its table is to be. */
static void iommu_map_iommu_setup(by *m, uint32_t self, struct iommu_setup *q) {
  const struct iommu_map_params *p = BY_PARAMS(m, self, iommu_map);
  q->base = p->base;
  q->entries = (uint32_t)p->entries;
  q->shift = (uint32_t)__builtin_ctzll(p->page);
}

static void iommu_map_cpu_interrupt(by *m, uint32_t self, uint32_t cpu, struct os_interrupt *q) {
  *map_call_of(m, BY_STATE(m, self, iommu_map), cpu * MAP_THREADS + q->thread) = (map_call){.step = IOMMU_MAP_STEP_DONE};
}

static void iommu_map_self(by *m, uint32_t self, const by_msg *msg) { lock_hand_over(m, self, msg->x); }

static int iommu_map_load(by *m, uint32_t self) {
  const struct iommu_map_params *q = BY_PARAMS(m, self, iommu_map);
  int bad = map_bad_param(q);
  if (bad >= 0) return by_refuse(m, BY_BAD_PARAM, self, (uint32_t)bad);
  struct iommu_map_state *s = by_state_alloc(m, self, sizeof *s);
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  int error = map_size_up(m, self);
  if (!error) error = map_make_table(m, self);
  if (error) return error;
  void *locks = by_view(m, self, IOMMU_MAP_VIEW_LOCKS, MAP_ROWS, sizeof(map_lock));
  void *calls = by_view(m, self, IOMMU_MAP_VIEW_CALLS, s->cpus * MAP_THREADS, sizeof(map_call));
  struct iommu_map_handles *handles = by_view(m, self, IOMMU_MAP_VIEW_HANDLES, MAP_HANDLES, sizeof *handles);
  void *requests = by_alloc(m, s->cpus * MAP_THREADS, sizeof(struct map_request)), *waiters = by_alloc(m, s->cpus, 4);
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  s->locks_at = by_offset(m, locks);
  s->calls_at = by_offset(m, calls);
  s->handles_at = by_offset(m, handles);
  s->requests_at = by_offset(m, requests);
  s->waiters_at = by_offset(m, waiters);
  for (uint32_t i = 0; i < MAP_HANDLES; i++) handles[i].address = MAP_NONE;
  return BY_OK;
}
