/*
 * Packets on their way from the wire to the application, on one processor or on two: adapter, kernel, TCP/IP, memory and caches, with
 * parameters that give times which are computed by hand. For tests in C.
 */
#ifndef SIM_TCPIP_MACHINE_H
#define SIM_TCPIP_MACHINE_H

#include "test/testing.h"

#define US 1000000ull
#define ROW(op, time, count, tag) PROCESSOR_OP_##op, 0, 0, 0, 4, (time) * US, count, tag
#define END ROW(END, 0, 0, 0)
#define FOREVER ROW(REPEAT, 0, 0, 0)
#define AGAIN ROW(AGAIN, 0, 0, 0)
#define PROGRAM(name, ...) static const uint64_t name[] = {__VA_ARGS__}

enum { TCPIP, KERNEL, ADAPTER, BUS, MEMORY, MAIN, IO };

#define PAYLOAD 1460
/* A frame is 379 words; a word is read in 3 ns and written in 2: an address cycle, memory, a beat, of 1 ns each. */
#define READ (379 * 3000)
#define WRITE (379 * 2000)
/* TCP/IP's own pass over the bytes, and that of an application. */
#define SUMMED (READ + PAYLOAD * 1000)
#define DECODED (READ + PAYLOAD * 10000)

struct rig {
  struct processor_params cpu;
  struct kernel_params kernel;
  struct ethernet_params adapter;
  struct tcpip_params tcpip;
  struct memory_bus_params bus;
  struct memory_params memory;
  struct data_cache_params cache;
  const uint64_t *programs[2];
  uint32_t rows[2], cpus;
  uint64_t clocks[2];
};

/* A byte takes a nanosecond on the wire and in TCP/IP, computing ten, copying five; TCP/IP 100 us, a message 7, a kernel call 1. Nothing is cached. */
static inline struct rig rig_of(const uint64_t *main_program, size_t a, const uint64_t *io_program, size_t b) {
  struct rig r = {PROCESSOR_DEFAULTS, KERNEL_DEFAULTS, ETHERNET_DEFAULTS, TCPIP_DEFAULTS, MEMORY_BUS_DEFAULTS, MEMORY_DEFAULTS, DATA_CACHE_DEFAULTS, {main_program, io_program}, {(uint32_t)a / 64, (uint32_t)b / 64}, io_program ? 2 : 1, {0, 0}};
  r.cpu.switch_time = 3 * US, r.cpu.wake_time = 2 * US, r.cpu.interrupt_time = 5 * US, r.cpu.quantum = 1000000 * US;
  r.kernel.call_time = 1 * US;
  r.adapter.wire = 1000000000, r.adapter.frames = 1;
  r.tcpip.io_processor = io_program ? 1 : 0, r.tcpip.interrupt_time = 4 * US, r.tcpip.protocol_time = r.tcpip.io_protocol_time = 100 * US;
  r.tcpip.byte_time = r.tcpip.io_byte_time = 1000;
  r.bus.clock = 1000000000, r.memory.latency = 1000, r.memory.bandwidth = 1000000000000, r.memory.tracked = r.cache.uncached = 128 << 10;
  r.tcpip.message_time = 7 * US, r.tcpip.copy_time = r.tcpip.io_copy_time = 5000, r.tcpip.crc_time = r.tcpip.md5_time = 10000;
  return r;
}
#define ONE(p) rig_of(p, sizeof(p), NULL, 0)
#define TWO(p, q) rig_of(p, sizeof(p), q, sizeof(q))

static inline struct session session_of(const struct rig *r) {
  struct session s = session_new(5 + 2 * r->cpus, 4 * r->cpus + 4, 12);
  session_part(&s, SIM_TYPE_TCPIP, (const uint64_t *)&r->tcpip, sizeof r->tcpip / 8);
  session_part(&s, SIM_TYPE_KERNEL, (const uint64_t *)&r->kernel, sizeof r->kernel / 8);
  session_part(&s, SIM_TYPE_ETHERNET, (const uint64_t *)&r->adapter, sizeof r->adapter / 8);
  session_part(&s, SIM_TYPE_MEMORY_BUS, (const uint64_t *)&r->bus, sizeof r->bus / 8);
  session_part(&s, SIM_TYPE_MEMORY, (const uint64_t *)&r->memory, sizeof r->memory / 8);
  for (uint32_t i = 0; i < r->cpus; i++) {
    struct processor_params cpu = r->cpu;
    cpu.clock = r->clocks[i];
    session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
    session_table(&s, r->programs[i], r->rows[i], 8);
  }
  for (uint32_t i = 0; i < r->cpus; i++) session_part(&s, SIM_TYPE_DATA_CACHE, (const uint64_t *)&r->cache, sizeof r->cache / 8);
  for (uint32_t i = 0; i < r->cpus; i++) {
    session_wire(&s, MAIN + i, PROCESSOR_PORT_CACHE, MAIN + r->cpus + i, DATA_CACHE_PORT_CPU);
    session_wire(&s, MAIN + r->cpus + i, DATA_CACHE_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + i);
    session_wire(&s, MAIN + i, PROCESSOR_PORT_OS, TCPIP, TCPIP_PORT_CPU + i);
    session_wire(&s, TCPIP, TCPIP_PORT_KERNEL + i, KERNEL, KERNEL_PORT_CPU + i);
  }
  session_wire(&s, TCPIP, TCPIP_PORT_ADAPTER, ADAPTER, ETHERNET_PORT_DRIVER);
  session_wire(&s, ADAPTER, ETHERNET_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + 8);
  session_wire(&s, BUS, MEMORY_BUS_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(&s, ADAPTER, ETHERNET_PORT_IRQ, MAIN + r->cpus - 1, PROCESSOR_PORT_IRQ);
  return s;
}

static inline void run(const struct rig *r) {
  struct session s = session_of(r);
  assert_int_equal(session_open(&s), SIM_OK);
  sim_record_trace(test_engine(), 1);
  session_run();
}

#define COUNT(name) (SIM_COUNTERS(test_engine(), TCPIP, tcpip)->name)
#define CPU_COUNT(cpu, name) (SIM_COUNTERS(test_engine(), cpu, processor)->name)

PROGRAM(uni, ROW(THREAD, 0, 9, 0), FOREVER, ROW(DELIVER, 0, 1, 0), AGAIN, END, ROW(THREAD, 0, 1, 0), FOREVER, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);
PROGRAM(application, FOREVER, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);
PROGRAM(io_thread, FOREVER, ROW(DELIVER, 0, 0, 0), AGAIN, END);
PROGRAM(copies, FOREVER, ROW(DELIVER, 0, 1, 0), AGAIN, END);
PROGRAM(copied, FOREVER, ROW(ACCEPT, 0, 1, 0), ROW(DECODE, 0, 2, 0), ROW(DECODE, 0, 2, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);

/* Two processors whose times all differ; switching and the kernel's calls take none. */
static inline struct rig rig_of_different_times(const uint64_t *main_program, size_t a, const uint64_t *io_program, size_t b) {
  struct rig r = rig_of(main_program, a, io_program, b);
  r.cpu.switch_time = 0, r.kernel.call_time = 0;
  r.tcpip.io_protocol_time = 90 * US, r.tcpip.io_copy_time = 3000;
  r.tcpip.md5_time = 20000, r.tcpip.des_time = 30000, r.tcpip.huffman_time = 40000;
  return r;
}
#define DIFFERENT(p, q) rig_of_different_times(p, sizeof(p), q, sizeof(q))
#define FRAME_TIME 1526000ull /* its last line takes 12 ns to be written */
#define PER_BYTE(time) (PAYLOAD * (uint64_t)(time))

#endif
