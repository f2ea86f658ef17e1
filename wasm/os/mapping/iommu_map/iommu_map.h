/* Definitions shared by the files of the mapping service. */
#ifndef SIM_IOMMU_MAP_PART_H
#define SIM_IOMMU_MAP_PART_H

#include "dma_contract.h"
#include "core/engine.h"
#include "core/jitter.h"
#include "gen/protocols.h"
#include "gen/registers.h"
#include "os/mapping/iommu_map/map.h"
#include "runway.h"
#include "service.h"

#define MAP_CPUS 64u

_Static_assert(
    IOMMU_MAP_RULE_LINUX == 0 && IOMMU_MAP_RULE_MENDED == 1, "a rule is a flag: mended or as in Linux");

enum iommu_map_self { IOMMU_MAP_HANDOFF = 1 };

struct iommu_map_state {
  uint32_t head_at;
  uint32_t pools_at;
  uint32_t bits_at;
  uint32_t freed_at;
  uint32_t last_at;
  uint32_t probes_at;
  uint32_t locks_at;
  uint32_t entries_at;
  uint32_t calls_at;
  uint32_t turns_at;
  uint32_t requests_at;
  uint32_t handles_at;
  uint32_t waiters_at;
  uint32_t cpus;
  uint32_t multiplier;
  uint32_t threads_at;
  uint64_t rounds; /* of the scheduler, carried out so far */
};

typedef struct iommu_map_calls map_call;
typedef struct iommu_map_turns map_turn;
typedef struct iommu_map_locks map_lock;

_Static_assert(sizeof(struct iommu_map_pools) == sizeof(struct map_pool), "one layout");
_Static_assert(sizeof(struct iommu_map_last) == sizeof(struct map_last), "one layout");
_Static_assert(sizeof(struct iommu_map_probes) == sizeof(struct map_probe), "one layout");
_Static_assert(sizeof(struct map_request) % 8 == 0, "no padding");

static inline map_lock *lock_of(sim *m, struct iommu_map *service, uint32_t pool) {
  return (map_lock *)sim_at(m, service->state->locks_at) + pool;
}
static inline map_call *map_call_of(sim *m, struct iommu_map_state *s, uint32_t index) {
  return (map_call *)sim_at(m, s->calls_at) + index;
}
static inline map_turn *map_turn_of(sim *m, struct iommu_map_state *s, uint32_t index) {
  return (map_turn *)sim_at(m, s->turns_at) + index;
}
static inline struct map_request *map_request_of(sim *m, struct iommu_map *service, uint32_t index) {
  return (struct map_request *)sim_at(m, service->state->requests_at) + index;
}

/* Whether the pools allocate for another service, or another allocator for this one. */
static inline int map_serves_clients(sim *m, struct iommu_map *service) {
  return sim_wired(m, service->self, IOMMU_MAP_PORT_LENDS);
}
static inline int map_has_external_allocator(sim *m, struct iommu_map *service) {
  return sim_wired(m, service->self, IOMMU_MAP_PORT_ALLOCATOR);
}

/* The row of a caller's call. */
static inline uint32_t map_index(uint32_t caller) {
  return CALLER_CPU(caller) * CALLS_PER_CPU + CALLER_THREAD(caller);
}

/* Pointers to the allocator's arrays. */
static inline struct map_table map_table_of(sim *m, struct iommu_map *service) {
  return (struct map_table){.head = sim_at(m, service->state->head_at),
      .pools = sim_at(m, service->state->pools_at),
      .bits = sim_at(m, service->state->bits_at),
      .freed = service->state->freed_at ? sim_at(m, service->state->freed_at) : NULL,
      .last = sim_at(m, service->state->last_at),
      .probes = sim_at(m, service->state->probes_at)};
}

#endif
