/*
 * An offload engine between an adapter that gives it frames and a host that takes packets. A byte takes a nanosecond on the wire and on the
 * link, TCP/IP 20 us; of the host's bus an access takes a cycle, and each word another, of a nanosecond. A frame of 1514 bytes is 23 lines of 64
 * and one of 42. It lies in the adapter's ring after 1.526 us, its last line being written in 12 ns.
 */
#ifndef SIM_OFFLOAD_MACHINE_H
#define SIM_OFFLOAD_MACHINE_H

#include "test/testing.h"

#include "frames.h"

enum { ENGINE_PART, TCPIP, KERNEL, ADAPTER, BUS, MEMORY, MAIN, CACHE };

#define NS 1000ull
#define US 1000000ull
#define ENGINE test_engine()

#define FRAME_COMES (1514 + 12)
/* A message of 64 bytes and the frame on the link; each line then goes over the bus. */
#define CROSSING (64 + 1514 + 23 * 17 + 12)

#define ROW(op, count) PROCESSOR_OP_##op, 0, 0, 0, 4, 0, count, 0

struct rig {
  struct offload_engine_params engine;
  struct ethernet_params adapter;
  uint64_t clock; /* of the host's bus */
};

static inline struct rig rig_of(uint64_t frames) {
  struct rig r = {OFFLOAD_ENGINE_DEFAULTS, ETHERNET_DEFAULTS, 1000000000};
  r.adapter.wire = r.engine.link = 1000000000, r.adapter.frames = frames;
  return r;
}

/* The host's processor has one thread that collects packets and one that finishes them, or none of them. */
static inline void opened(const struct rig *r, int takes) {
  static const uint64_t program[] = {ROW(THREAD, 9), ROW(REPEAT, 0), ROW(COLLECT, 0), ROW(AGAIN, 0), ROW(END, 0), ROW(THREAD, 1), ROW(REPEAT, 0), ROW(ACCEPT, 0), ROW(FINISH, 0), ROW(AGAIN, 0), ROW(END, 0)};
  static const uint64_t nothing[] = {ROW(END, 0)};
  struct processor_params cpu = PROCESSOR_DEFAULTS;
  struct kernel_params kernel = KERNEL_DEFAULTS;
  struct tcpip_params tcpip = TCPIP_DEFAULTS;
  struct memory_bus_params bus = MEMORY_BUS_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  struct data_cache_params cache = DATA_CACHE_DEFAULTS;
  bus.clock = r->clock;
  struct session s = session_new(8, 11, 12);
  session_part(&s, SIM_TYPE_OFFLOAD_ENGINE, (const uint64_t *)&r->engine, sizeof r->engine / 8);
  session_part(&s, SIM_TYPE_TCPIP, (const uint64_t *)&tcpip, sizeof tcpip / 8);
  session_part(&s, SIM_TYPE_KERNEL, (const uint64_t *)&kernel, sizeof kernel / 8);
  session_part(&s, SIM_TYPE_ETHERNET, (const uint64_t *)&r->adapter, sizeof r->adapter / 8);
  session_part(&s, SIM_TYPE_MEMORY_BUS, (const uint64_t *)&bus, sizeof bus / 8);
  session_part(&s, SIM_TYPE_MEMORY, (const uint64_t *)&memory, sizeof memory / 8);
  session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
  session_table(&s, takes ? program : nothing, takes ? 11 : 1, 8);
  session_part(&s, SIM_TYPE_DATA_CACHE, (const uint64_t *)&cache, sizeof cache / 8);
  session_wire(&s, ENGINE_PART, OFFLOAD_ENGINE_PORT_ADAPTER, ADAPTER, ETHERNET_PORT_DRIVER);
  session_wire(&s, TCPIP, TCPIP_PORT_ADAPTER, ENGINE_PART, OFFLOAD_ENGINE_PORT_DRIVER);
  session_wire(&s, ENGINE_PART, OFFLOAD_ENGINE_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + 1);
  session_wire(&s, ENGINE_PART, OFFLOAD_ENGINE_PORT_IRQ, MAIN, PROCESSOR_PORT_IRQ);
  session_wire(&s, ADAPTER, ETHERNET_PORT_IRQ + 1, MAIN, PROCESSOR_PORT_IRQ + 1);
  session_wire(&s, ADAPTER, ETHERNET_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + 2);
  session_wire(&s, BUS, MEMORY_BUS_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(&s, MAIN, PROCESSOR_PORT_OS, TCPIP, TCPIP_PORT_CPU);
  session_wire(&s, TCPIP, TCPIP_PORT_KERNEL, KERNEL, KERNEL_PORT_CPU);
  session_wire(&s, MAIN, PROCESSOR_PORT_CACHE, CACHE, DATA_CACHE_PORT_CPU);
  session_wire(&s, CACHE, DATA_CACHE_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(ENGINE, 1);
}

static inline void run(const struct rig *r, int takes) {
  opened(r, takes);
  session_run();
}

#endif
