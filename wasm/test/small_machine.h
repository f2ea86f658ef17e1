/*
 * Small machines for exploration: "explored" has caches and a prover, "explored-adapter" also an I/O adapter
 * with its services, and pages that are mapped individually; in "explored-card" the prover is a card behind a
 * PCI bridge. For tests in C.
 */
#ifndef SIM_SMALL_MACHINE_H
#define SIM_SMALL_MACHINE_H

#include "test/testing.h"

#define LINE 0x1000ull
#define IO_DIRECTORY 0x100000ull

enum { ALONE = 1, COHERENT };
enum { OWN = 1, POOLED }; /* whose addresses pages have */

struct small {
  uint32_t cpus;
  uint32_t adapter;
  uint32_t orders;
  uint32_t fault;
  uint32_t memory_fault;
  /* 0: the prover's default */
  uint32_t lines;
  uint32_t first_half;
  uint32_t contracts;
  uint32_t store_queue;
  uint32_t card; /* the mappings' contracts, as bits */
  uint32_t pages;
  const uint64_t *given; /* choices to make first */
  uint32_t choices;
  uint32_t bridge_lines; /* 0: one */
  uint64_t step;         /* time of a step; 0: the prover's default */
  uint64_t steps;        /* limit of steps; 0: the prover's default */
};

static inline void small_cpus(const struct small *g) {
  static const char *const caches[] = {"cache0", "cache1", "cache2"};
  for (uint32_t i = 0; i < 3; i++) {
    if (i >= g->cpus) machine_without(caches[i]);
    PARAMS(caches[i], snoop_cache)->fault = g->fault;
    PARAMS(caches[i], snoop_cache)->store_queue = g->store_queue;
  }
}

static inline void small_memory(const struct small *g, uint64_t line) {
  struct memory_controller_params *memory = PARAMS("memory", memory_controller);
  memory->tracked_from = line, memory->fault = g->memory_fault;
  if (g->lines == 2) memory->tracked = 2 * RUNWAY_LINE;
  if (g->adapter == COHERENT) memory->directory = IO_DIRECTORY, memory->directory_bytes = g->pages ? 128 : 16;
}

static inline void small_prover(const struct small *g, uint64_t line) {
  struct prover_params *prover = PARAMS("prover", prover);
  prover->line_0 = line, prover->line_1 = line + RUNWAY_LINE, prover->pages = g->pages != 0;
  prover->coherent = g->adapter != ALONE, prover->orders = g->orders;
  prover->first_half = g->first_half, prover->steps = g->steps;
  if (g->step) prover->step = g->step;
  if (g->lines) prover->lines = g->lines;
  if (g->contracts | g->card) prover->contracts = g->contracts | g->card;
  machine_rows("prover", 0, g->given, g->choices);
}

static inline void small_adapter(const struct small *g) {
  const int coherent = g->adapter == COHERENT;
  PARAMS("adapter", io_adapter)->mode = coherent ? IO_ADAPTER_MODE_COHERENT : IO_ADAPTER_MODE_NONE;
  PARAMS("services", io_services)->mode = coherent ? IO_SERVICES_MODE_COHERENT : IO_SERVICES_MODE_NONE;
  if (g->pages) PARAMS("services", io_services)->rows = 2;
  if (g->bridge_lines) PARAMS("bridge", hsc_pci)->lines = g->bridge_lines;
  if (!g->card && g->pages != POOLED) machine_without("pools");
}

static inline const struct session *small_session(const struct small *g) {
  const uint64_t line = g->pages ? LINE + 4096 - RUNWAY_LINE : LINE; /* the second line is on the next page */
  machine(g->card ? "explored-card" : g->adapter ? "explored-adapter" : "explored");
  small_cpus(g);
  small_memory(g, line);
  small_prover(g, line);
  if (g->adapter) small_adapter(g);
  return machine_session();
}

static inline sim *small_open(const struct small *g) {
  assert_int_equal(session_open(small_session(g)), SIM_OK);
  return test_engine();
}

#endif
