/*
 * Allocates and frees table entries under the locks of pools. A critical section takes a fixed time, a time
 * per word that the search reads, and the hypervisor call if the lock is held during it. A CPU that finds a
 * lock held spins until it is handed over.
 */
#include "os/mapping/iommu_map/iommu_map.h"

static uint32_t map_compute_step(struct os_next *p, uint64_t time, uint32_t state) {
  return STEP_OF_WORK(p, time, state, state == PROCESSOR_STATE_LOCKED);
}

static uint32_t map_spin(struct os_next *p) {
  p->state = PROCESSOR_STATE_SPIN;
  p->detail = 1;
  return OS_STEP_SPIN;
}

/* Requests a purge of translations from the service that uses these entries: those of this call, or all. */
static uint32_t map_invalidate(struct os_next *p, uint32_t all) {
  p->detail = all;
  return OS_STEP_INVALIDATE;
}

static uint64_t map_time(sim *m, struct iommu_map *service, uint64_t mean) {
  return sim_jitter(m, mean, service->params->spread != 0);
}

/* Time of a hypervisor call for a number of entries, and its counters. */
static uint64_t map_hypercall(
    sim *m, struct iommu_map *service, uint32_t cpu, uint32_t pages, uint64_t mean, uint32_t locked) {
  uint64_t time = map_time(m, service, mean) + (uint64_t)(pages - 1) * service->params->entry_time;
  if (mean == 0) return 0;
  service->counters->hypercalls++;
  service->counters->call_time += time;
  sim_trace(m, service->self, IOMMU_MAP_EV_HYPERCALL, time, locked, cpu);
  return time;
}

/* Occasionally a thread maps on another CPU than the one whose pool it keeps using. */
static void map_count_out_of_pool(sim *m, struct iommu_map *service, uint32_t cpu, struct map_request *q) {
  if (!service->params->stray || service->state->cpus < 2
      || sim_choose(m, SIM_CHOOSE_THREAD, (uint32_t)service->params->stray))
    return;
  uint32_t other =
      (cpu + 1 + sim_choose(m, SIM_CHOOSE_THREAD, service->state->cpus - 1)) % service->state->cpus;
  q->cpu = map_thread_of(m, service, other)->cpu;
  q->hash = map_cpu_hash(q->cpu, service->state->multiplier);
  struct map_table t = map_table_of(m, service);
  service->counters->strayed++;
  sim_trace(m, service->self, IOMMU_MAP_EV_STRAYED, 0, map_home_pool(t.head, q), cpu);
}

/* The search and its result, under the lock; returns the duration of the hold. */
static uint64_t map_hold(
    sim *m, struct iommu_map *service, uint32_t cpu, map_call *call, map_turn *turn, struct map_request *q) {
  struct map_table t = map_table_of(m, service);
  uint64_t words = q->words, searches = t.head->searches, reused = t.head->reused;
  uint32_t pool = q->pool, hint = t.pools[pool].hint;
  int resets = q->stage == MAP_NEIGHBOUR && !map_has(t.head, RULE_KEEP_CURSOR) && hint != t.pools[pool].start;
  turn->outcome = map_search_step(&t, q);
  t.last->cpu = cpu;
  words = q->words - words;
  searches = t.head->searches - searches;
  turn->words += (uint32_t)words;
  service->counters->words += words;
  service->counters->searches += searches;
  sim_trace(m, service->self, IOMMU_MAP_EV_SEARCH, t.last->start, pool, (uint32_t)words);
  if (resets) {
    service->counters->resets++;
    sim_trace(m, service->self, IOMMU_MAP_EV_RESET, hint, pool, cpu);
  }
  if (searches > 1) {
    service->counters->wraps++;
    sim_trace(m, service->self, IOMMU_MAP_EV_WRAP, 0, pool, cpu);
  }
  uint64_t time = map_time(m, service, service->params->hold_alloc) + words * service->params->word_time;
  if (turn->outcome != MAP_GOT) return time;
  map_pattern_bit(m, service, q->result, q->pages, cpu + 1);
  call->address = t.head->base + (q->result << t.head->shift);
  if (q->flushed) {
    service->counters->flushes++;
    sim_trace(m, service->self, IOMMU_MAP_EV_FLUSH, 0, pool, cpu);
    uint32_t walks = map_walks(m, service);
    turn->forget = map_serves_clients(m, service)
                   || walks; /* by the other service, or by a register: under the lock too */
    if (!walks && sim_wired(m, service->self, IOMMU_MAP_PORT_IOMMU))
      call_iommu_invalidate_all(m, service->self, IOMMU_MAP_PORT_IOMMU);
    if (!turn->forget) time += service->params->flush_time;
  }
  if (map_pool_of(&t, q->result) != pool) {
    service->counters->foreign++;
    sim_trace(m, service->self, IOMMU_MAP_EV_FOREIGN, call->address, pool, cpu);
  }
  service->counters->at_home += q->stage == MAP_OWN;
  if (pool != MAP_LARGE)
    service->counters->ordinary_most = sim_max(service->counters->ordinary_most, q->pages);
  if (t.head->reused > reused) {
    service->counters->reused++;
    sim_trace(m, service->self, IOMMU_MAP_EV_REUSE, call->address, call->pages, cpu);
  }
  return service->params->scope == IOMMU_MAP_SCOPE_INSIDE && !map_serves_clients(m, service)
             ? time + map_hypercall(m, service, cpu, call->pages, service->params->map_call, 1)
             : time;
}

/* Clears the entries: by the hypervisor, or by the driver itself. */
static void map_clear(sim *m, struct iommu_map *service, const map_call *call) {
  struct map_table t = map_table_of(m, service);
  uint64_t entry = map_entry_at(t.head, call->address);
  if (!sim_wired(m, service->self, IOMMU_MAP_PORT_IOMMU)) return;
  call_iommu_clear(
      m, service->self, IOMMU_MAP_PORT_IOMMU, &(struct iommu_clear){.entry = entry, .entries = call->pages});
  if (service->params->flush == IOMMU_MAP_FLUSH_EACH && !map_has_external_allocator(m, service))
    call_iommu_invalidate(m, service->self, IOMMU_MAP_PORT_IOMMU,
        &(struct iommu_invalidate){.entry = entry, .entries = call->pages});
}

static uint64_t map_unhold(
    sim *m, struct iommu_map *service, uint32_t cpu, const map_call *call, const map_turn *turn) {
  struct map_table t = map_table_of(m, service);
  uint64_t entry = map_entry_at(t.head, call->address), bad = t.head->bad_frees,
           time = map_time(m, service, service->params->hold_free);
  if (map_free(&t, turn->pool, entry, call->pages)) map_pattern_bit(m, service, entry, call->pages, 0);
  if (t.head->bad_frees > bad) {
    service->counters->bad_frees++;
    sim_trace(m, service->self, IOMMU_MAP_EV_BAD_FREE, call->address, call->pages, cpu);
  }
  if (service->params->scope == IOMMU_MAP_SCOPE_OUTSIDE || map_serves_clients(m, service)) return time;
  if (!map_walks(m, service)) map_clear(m, service, call);
  return time + map_hypercall(m, service, cpu, call->pages, service->params->demap_call, 1);
}

/* The pool whose lock protects the entries of a call; MAP_ROWS if there is none. */
static uint32_t map_pool_at(sim *m, struct iommu_map *service, const map_call *call) {
  struct map_table t = map_table_of(m, service);
  return call->address == MAP_NONE ? MAP_ROWS : map_pool_of(&t, map_entry_at(t.head, call->address));
}

/* This pool has no room: the next pool's lock is needed. */
static void map_spill(
    sim *m, struct iommu_map *service, uint32_t cpu, const map_turn *turn, const struct map_request *q) {
  service->counters->spills++;
  sim_trace(m, service->self, IOMMU_MAP_EV_SPILL, turn->pool, q->pool, cpu);
}

/*
 * Whether a list's lock is held since the previous of its mappings. Only the old code does so, which calls
 * the hypervisor under the lock. If the next mapping needs another pool, that lock is released.
 */
static int map_holds_lock(sim *m, struct iommu_map *service, const map_turn *turn, uint32_t cpu) {
  if (!(turn->list & LIST_CONTINUES)) return 0;
  if (lock_of(m, service, turn->pool)->owner == cpu + 1) return 1;
  for (uint32_t pool = 0; pool < MAP_ROWS; pool++)
    if (lock_of(m, service, pool)->owner == cpu + 1) lock_release(m, service, pool);
  return 0;
}

/* Whether the lock stays held for the next mapping of a list. */
static int map_keeps_lock(struct iommu_map *service, const map_turn *turn) {
  return service->params->scope == IOMMU_MAP_SCOPE_INSIDE && turn->list & LIST_FOLLOWS;
}

/* Searches one pool after another, each under its lock, until one has room. */
static uint32_t map_find(
    sim *m, struct iommu_map *service, uint32_t caller, map_call *call, struct os_next *p) {
  struct map_table t = map_table_of(m, service);
  struct map_request *q = map_request_of(m, service, map_index(caller));
  map_turn *turn = map_turn_of(m, service->state, map_index(caller));
  uint32_t cpu = CALLER_CPU(caller);
  RESUME(turn) {
    map_count_out_of_pool(m, service, cpu, q);
    turn->outcome = map_begin(&t, q);
    while (turn->outcome == MAP_LOCK) {
      turn->pool = q->pool;
      if (!map_holds_lock(m, service, turn, cpu)
          && !lock_take(m, service, turn->pool, cpu, CALLER_THREAD(caller)))
        AWAIT(turn, IOMMU_MAP_TURN_SPIN, map_spin(p));
      AWAIT(turn, IOMMU_MAP_TURN_HOLD,
          map_compute_step(p, map_hold(m, service, cpu, call, turn, q), PROCESSOR_STATE_LOCKED));
      if (turn->forget && map_serves_clients(m, service))
        AWAIT(turn, IOMMU_MAP_TURN_FORGET, map_invalidate(p, 1));
      else if (turn->forget) AWAIT_SERVICE(turn, IOMMU_MAP_TURN_FLUSH, map_purge(m, service, call, p, 1));
      if (turn->outcome != MAP_GOT || !map_keeps_lock(service, turn)) lock_release(m, service, turn->pool);
      if (turn->outcome == MAP_LOCK) map_spill(m, service, cpu, turn, q);
    }
  }
  return OS_STEP_DONE;
}

/* Frees entries in their pool. */
static uint32_t map_give_back(
    sim *m, struct iommu_map *service, uint32_t caller, const map_call *call, struct os_next *p) {
  map_turn *turn = map_turn_of(m, service->state, map_index(caller));
  uint32_t cpu = CALLER_CPU(caller);
  RESUME(turn) {
    if (map_serves_clients(m, service) && service->params->flush == IOMMU_MAP_FLUSH_EACH)
      AWAIT(turn, IOMMU_MAP_TURN_FORGET, map_invalidate(p, 0));
    turn->pool = map_pool_at(m, service, call);
    if (!map_holds_lock(m, service, turn, cpu)
        && !lock_take(m, service, turn->pool, cpu, CALLER_THREAD(caller)))
      AWAIT(turn, IOMMU_MAP_TURN_SPIN, map_spin(p));
    AWAIT(turn, IOMMU_MAP_TURN_HOLD,
        map_compute_step(p, map_unhold(m, service, cpu, call, turn), PROCESSOR_STATE_LOCKED));
    if (!map_keeps_lock(service, turn)) lock_release(m, service, turn->pool);
  }
  return OS_STEP_DONE;
}
