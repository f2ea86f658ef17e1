/*
 * A small machine in which everything may happen: caches, a prover, and if wanted an adapter with its services, wired
 * like those that the page explores. For tests in C.
 */
#ifndef BY_SMALL_MACHINE_H
#define BY_SMALL_MACHINE_H

#include "host/testing.h"

#define LINE 0x1000ull
#define IO_DIRECTORY 0x100000ull

enum { ALONE = 1, COHERENT };

struct small {
  uint32_t cpus, adapter, orders, fault, memory_fault;
  uint32_t lines, first_half, contracts; /* 0: as the prover has them by itself */
};

#define PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

static inline void small_part_list(struct session *s, const struct small *g) {
  struct memory_controller_params memory = MEMORY_CONTROLLER_DEFAULTS;
  struct runway_params bus = RUNWAY_DEFAULTS;
  struct snoop_cache_params cache = SNOOP_CACHE_DEFAULTS;
  struct io_adapter_params adapter = IO_ADAPTER_DEFAULTS;
  struct io_services_params services = IO_SERVICES_DEFAULTS;
  struct prover_params prover = PROVER_DEFAULTS;
  memory.tracked_from = LINE, memory.tracked = g->lines == 2 ? 2 * RUNWAY_LINE : RUNWAY_LINE, memory.written = 1, memory.fault = g->memory_fault;
  memory.directory = g->adapter == COHERENT ? IO_DIRECTORY : 0, memory.directory_bytes = g->adapter == COHERENT ? 16 : 0;
  bus.arbitration = 0, bus.pending = 1;
  cache.size = 64, cache.virtual_offset = 0, cache.buffer = 1, cache.fault = g->fault;
  adapter.page_bits = services.page_bits = 4, adapter.chain_shift = services.chain_shift = 15;
  adapter.directory = services.directory = IO_DIRECTORY, services.virtual_offset = 0;
  adapter.rows = 2, adapter.buffers = 1;
  adapter.mode = g->adapter == COHERENT ? IO_ADAPTER_MODE_COHERENT : IO_ADAPTER_MODE_NONE;
  services.mode = g->adapter == COHERENT ? IO_SERVICES_MODE_COHERENT : IO_SERVICES_MODE_NONE;
  prover.line_0 = LINE, prover.line_1 = LINE + RUNWAY_LINE, prover.coherent = g->adapter != ALONE, prover.orders = g->orders;
  prover.first_half = g->first_half;
  if (g->lines) prover.lines = g->lines;
  if (g->contracts) prover.contracts = g->contracts;
  PART(s, BY_TYPE_MEMORY_CONTROLLER, memory);
  PART(s, BY_TYPE_RUNWAY, bus);
  for (uint32_t i = 0; i < g->cpus; i++) PART(s, BY_TYPE_SNOOP_CACHE, cache);
  PART(s, BY_TYPE_PROVER, prover);
  session_table(s, NULL, 0, 1);
  if (!g->adapter) return;
  PART(s, BY_TYPE_IO_ADAPTER, adapter);
  PART(s, BY_TYPE_IO_SERVICES, services);
}

static inline const struct session *small_session(const struct small *g) {
  static struct session s;
  const uint32_t prover = 2 + g->cpus, adapter = prover + 1, services = prover + 2;
  s = session_new(prover + 1 + (g->adapter ? 2 : 0), 1 + 2 * g->cpus + (g->adapter ? 4 : 0), 10);
  small_part_list(&s, g);
  session_wire(&s, 1, RUNWAY_PORT_MEMORY, 0, MEMORY_CONTROLLER_PORT_BUS);
  for (uint32_t i = 0; i < g->cpus; i++) {
    session_wire(&s, prover, PROVER_PORT_CPU + i, 2 + i, SNOOP_CACHE_PORT_CPU);
    session_wire(&s, 2 + i, SNOOP_CACHE_PORT_BUS, 1, RUNWAY_PORT_AGENT + i);
  }
  if (g->adapter) {
    session_wire(&s, adapter, IO_ADAPTER_PORT_BUS, 1, RUNWAY_PORT_AGENT + 8);
    session_wire(&s, prover, PROVER_PORT_HSC, adapter, IO_ADAPTER_PORT_HSC);
    session_wire(&s, prover, PROVER_PORT_FRONT, 2, SNOOP_CACHE_PORT_FRONT);
    session_wire(&s, prover, PROVER_PORT_SERVICES, services, IO_SERVICES_PORT_CPU);
  }
  return &s;
}

static inline by *small_open(const struct small *g) {
  assert_int_equal(session_open(small_session(g)), BY_OK);
  return test_engine();
}

#endif
