/*
 * The CPU that each thread runs on. The allocator chooses a pool by the CPU's number, so a thread that the
 * scheduler moves changes its pool, and what it mapped before is freed in the old one.
 *
 * A processor of the machine executes one thread. Without a scheduler it is the CPU itself. With one, the
 * machine has `cpus` of them, most of them idle. Once in `balance` an idle CPU pulls a thread, as an idle CPU
 * of Linux does at the end of each balancing interval. The next call to map carries it out.
 */
#include "os/mapping/iommu_map/iommu_map.h"

static struct iommu_map_threads *map_thread_of(sim *m, struct iommu_map *service, uint32_t thread) {
  return (struct iommu_map_threads *)sim_at(m, service->state->threads_at) + thread;
}

/* Whether a thread has been placed on a CPU. */
static int map_is_taken(sim *m, struct iommu_map *service, uint32_t cpu, uint32_t threads) {
  for (uint32_t i = 0; i < threads; i++)
    if (map_thread_of(m, service, i)->cpu == cpu) return 1;
  return 0;
}

/* The first placement: CPUs in steps of the stride, each for one thread. */
static int map_place_threads(sim *m, struct iommu_map *service) {
  uint32_t cpus = (uint32_t)service->params->cpus, stride = (uint32_t)service->params->cpu_stride;
  if (cpus && cpus < service->state->cpus)
    return sim_refuse(m, SIM_BAD_PARAM, service->self, IOMMU_MAP_PARAM_CPUS);
  for (uint32_t i = 0; i < service->state->cpus; i++) {
    uint32_t cpu = cpus ? i * stride % cpus : i * stride;
    while (cpus && map_is_taken(m, service, cpu, i)) cpu = (cpu + 1) % cpus;
    map_thread_of(m, service, i)->cpu = cpu;
  }
  return SIM_OK;
}

/* An idle CPU pulls a running thread: any of them, to any idle CPU. */
static void map_move_thread(sim *m, struct iommu_map *service) {
  uint32_t threads = service->state->cpus, cpus = (uint32_t)service->params->cpus, running = 0, thread = 0,
           to = 0;
  for (uint32_t i = 0; i < threads; i++) running += map_thread_of(m, service, i)->runs;
  if (!running || cpus == threads) return;
  uint32_t skip = sim_choose(m, SIM_CHOOSE_THREAD, running);
  while (!map_thread_of(m, service, thread)->runs || skip-- > 0) thread++;
  skip = sim_choose(m, SIM_CHOOSE_THREAD, cpus - threads);
  while (map_is_taken(m, service, to, threads) || skip-- > 0) to++;
  struct iommu_map_threads *moved = map_thread_of(m, service, thread);
  service->counters->moves++;
  sim_trace(m, service->self, IOMMU_MAP_EV_MOVED, moved->cpu, to, thread);
  moved->cpu = to;
}

/* Moves between two calls to map. With an interval far below the time of a call, millions would be due. */
#define MAP_MOST_MOVES 4096u

/* The CPU that executes a call to map, after the scheduler's moves that are due. */
static uint32_t map_cpu_of_thread(sim *m, struct iommu_map *service, uint32_t thread) {
  uint64_t balance = service->params->balance;
  map_thread_of(m, service, thread)->runs = 1;
  if (service->params->cpus && balance) {
    uint64_t due = m->time / balance;
    if (due > service->state->rounds + MAP_MOST_MOVES) service->state->rounds = due - MAP_MOST_MOVES;
    for (; service->state->rounds < due; service->state->rounds++) map_move_thread(m, service);
  }
  return map_thread_of(m, service, thread)->cpu;
}
