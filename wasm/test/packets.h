/* Packets on their way from the wire to the application, on one processor or two, with round times: the
 * machine "packets" and its programs, for unit tests in C. */
#ifndef SIM_PACKETS_H
#define SIM_PACKETS_H

#include "test/testing.h"

#define US 1000000ull
#define ROW(op, time, count, tag) PROCESSOR_OP_##op, 0, 0, 0, 4, (time) * US, count, tag
#define END ROW(END, 0, 0, 0)
#define FOREVER ROW(REPEAT, 0, 0, 0)
#define AGAIN ROW(AGAIN, 0, 0, 0)
#define PROGRAM(name, ...) static const uint64_t name[] = {__VA_ARGS__}

#define PAYLOAD 1460
/* A frame is 379 words. A word is read in 3 ns and written in 2: an address cycle, memory, a beat, 1 ns
 * each. */
#define READ (379 * 3000)
#define WRITE (379 * 2000)
/* The pass of TCP/IP over the bytes, and that of an application. */
#define SUMMED (READ + PAYLOAD * 1000)
#define DECODED (READ + PAYLOAD * 10000)
#define FRAME_TIME 1526000ull /* including 12 ns to write its last line */
#define PER_BYTE(time) (PAYLOAD * (uint64_t)(time))

#define TCPIP part_named("tcpip")
#define KERNEL part_named("kernel")
#define ADAPTER part_named("ethernet")
#define MAIN part_named("main")
#define COUNT(name) (COUNTERS("tcpip", tcpip)->name)
#define CPU_COUNT(cpu, name) (COUNTERS(cpu, processor)->name)

/* Sets a parameter of both processors, or of both caches. */
#define SET_CPUS(name, value) (PARAMS("main", processor)->name = PARAMS("io", processor)->name = (value))
#define SET_CACHES(name, value) \
  (PARAMS("main_cache", data_cache)->name = PARAMS("io_cache", data_cache)->name = (value))

/* The main processor alone. */
static inline void one(const uint64_t *program, uint32_t count) {
  machine("packets");
  machine_without("io");
  machine_without("io_cache");
  machine_rows("main", 0, program, count);
}

/* Both processors: the second receives packets from the adapter. */
static inline void two(
    const uint64_t *main_program, uint32_t main_count, const uint64_t *io_program, uint32_t io_count) {
  machine("packets");
  PARAMS("ethernet", ethernet)->line = 1, PARAMS("tcpip", tcpip)->io_processor = 1;
  machine_rows("main", 0, main_program, main_count);
  machine_rows("io", 0, io_program, io_count);
}

/* The same with times that all differ; switches and kernel calls take no time. */
static inline void two_different(
    const uint64_t *main_program, uint32_t main_count, const uint64_t *io_program, uint32_t io_count) {
  two(main_program, main_count, io_program, io_count);
  struct tcpip_params *tcpip = PARAMS("tcpip", tcpip);
  SET_CPUS(switch_time, 0), PARAMS("kernel", kernel)->call_time = 0;
  tcpip->io_protocol_time = 90 * US, tcpip->io_copy_time = 3000;
  tcpip->md5_time = 20000, tcpip->des_time = 30000, tcpip->huffman_time = 40000;
}

PROGRAM(uni, ROW(THREAD, 0, 9, 0), FOREVER, ROW(DELIVER, 0, 1, 0), AGAIN, END, ROW(THREAD, 0, 1, 0), FOREVER,
    ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);
PROGRAM(application, FOREVER, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);
PROGRAM(io_thread, FOREVER, ROW(DELIVER, 0, 0, 0), AGAIN, END);
PROGRAM(copies, FOREVER, ROW(DELIVER, 0, 1, 0), AGAIN, END);
PROGRAM(copied, FOREVER, ROW(ACCEPT, 0, 1, 0), ROW(DECODE, 0, 2, 0), ROW(DECODE, 0, 2, 0),
    ROW(FINISH, 0, 0, 0), AGAIN, END);

#endif
