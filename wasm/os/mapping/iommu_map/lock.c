/*
 * Spin locks with barging, one for each pool.
 *
 *     free --take--> owned --give--> free, nobody waits
 *                       ^       `--> free, handing over --(hand-off time)--> owned by one of the waiting
 *                       |                    |
 *                       +------ newcomer ----+   takes it before them, uncontended
 *
 * After a release the lock has no owner until one of the waiting CPUs has fetched its cache line, which takes
 * longer the more of them there are. The winner is a free choice.
 */
#include "os/mapping/iommu_map/iommu_map.h"

static void lock_set_owner(sim *m, struct iommu_map *service, uint32_t pool, uint32_t cpu, uint64_t waited) {
  map_lock *lock = lock_of(m, service, pool);
  lock->owner = cpu + 1;
  lock->since = m->time;
  service->counters->pools_used += lock->acquisitions++ == 0;
  lock->wait_time += waited;
  lock->wait_most = sim_max(lock->wait_most, waited);
  service->counters->acquisitions++;
  service->counters->wait_time += waited;
  service->counters->wait_most = sim_max(service->counters->wait_most, waited);
}

/* Returns 0 if the lock is held: the thread must spin until it is woken, and then owns it. */
static int lock_take(sim *m, struct iommu_map *service, uint32_t pool, uint32_t cpu, uint32_t thread) {
  map_lock *lock = lock_of(m, service, pool);
  if (lock->owner) {
    lock->contentions++;
    service->counters->contentions++;
    int maps = map_call_of(m, service->state, cpu * CALLS_PER_CPU + thread)->op == PROCESSOR_OP_MAP;
    service->counters->map_contentions += (uint32_t)maps;
    service->counters->unmap_contentions += (uint32_t)!maps;
    lock->waiting |= (uint64_t)1 << cpu;
    ((uint32_t *)sim_at(m, service->state->waiters_at))[cpu] = thread;
    map_turn_of(m, service->state, cpu * CALLS_PER_CPU + thread)->waits = m->time;
    m->cause = lock->record; /* the owner is the cause of the wait */
    sim_trace(m, service->self, IOMMU_MAP_EV_CONTEND, lock->owner - 1, pool, cpu);
    return 0;
  }
  if (lock->waiting) {
    service->counters->barges++;
    sim_cancel(m, lock->handing); /* the pending hand-off is void */
  }
  lock_set_owner(m, service, pool, cpu, 0);
  lock->record = sim_trace(
      m, service->self, IOMMU_MAP_EV_ACQUIRE, (uint64_t)__builtin_popcountll(lock->waiting), pool, cpu);
  return 1;
}

static void lock_release(sim *m, struct iommu_map *service, uint32_t pool) {
  map_lock *lock = lock_of(m, service, pool);
  uint64_t held = m->time - lock->since;
  lock->hold_time += held;
  lock->hold_most = sim_max(lock->hold_most, held);
  service->counters->hold_time += held;
  service->counters->hold_most = sim_max(service->counters->hold_most, held);
  sim_trace(m, service->self, IOMMU_MAP_EV_RELEASE, held, pool, lock->owner - 1);
  lock->owner = 0;
  if (!lock->waiting) return;
  uint64_t time = service->params->handoff
                  + service->params->handoff_waiter * (uint64_t)__builtin_popcountll(lock->waiting);
  lock->handing = sim_schedule_for(m, service->self, time, SIM_PHASE_DECIDE, IOMMU_MAP_HANDOFF, pool);
}

/* The hand-off is complete and no newcomer took the lock: one of the waiting CPUs gets it. */
static void lock_hand_over(sim *m, struct iommu_map *service, uint32_t pool) {
  map_lock *lock = lock_of(m, service, pool);
  uint64_t rest = lock->waiting;
  for (uint32_t skip = sim_choose(m, SIM_CHOOSE_THREAD, (uint32_t)__builtin_popcountll(rest)); skip > 0;
      skip--)
    rest &= rest - 1;
  uint32_t cpu = (uint32_t)__builtin_ctzll(rest),
           thread = ((uint32_t *)sim_at(m, service->state->waiters_at))[cpu];
  uint64_t waited = m->time - map_turn_of(m, service->state, cpu * CALLS_PER_CPU + thread)->waits;
  lock->waiting &= ~((uint64_t)1 << cpu);
  lock_set_owner(m, service, pool, cpu, waited);
  lock->record = sim_trace(m, service->self, IOMMU_MAP_EV_GRANTED, waited, pool, cpu);
  if (map_serves_clients(m, service))
    call_allocator_wake(
        m, service->self, IOMMU_MAP_PORT_LENDS, &(struct allocator_wake){.caller = CALLER(cpu, thread)});
  else call_os_wake(m, service->self, IOMMU_MAP_PORT_CPU + cpu, &(struct os_wake){.thread = thread});
}
