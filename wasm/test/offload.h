/*
 * The machine "offload": an engine between an adapter that supplies frames and a host that takes packets,
 * for unit tests in C. A frame of 1514 bytes is 23 lines of 64 and one of 42. It lies in the adapter's ring
 * after 1.526 us, including 12 ns to write its last line.
 */
#ifndef SIM_OFFLOAD_H
#define SIM_OFFLOAD_H

#include "test/testing.h"

#include "frames.h"

#define NS 1000ull
#define US 1000000ull
#define ENGINE test_engine()
#define ENGINE_PART part_named("engine")
#define ADAPTER part_named("ethernet")

#define FRAME_COMES (1514 + 12)
/* A message of 64 bytes and the frame on the link; each line then crosses the bus. */
#define CROSSING (64 + 1514 + 23 * 17 + 12)

#define ROW(op, count) PROCESSOR_OP_##op, 0, 0, 0, 4, 0, count, 0

static inline void offload(uint64_t frames) {
  machine("offload");
  PARAMS("ethernet", ethernet)->frames = frames;
}

/* The host's processor has one thread that receives packets and one that finishes them. */
static inline void host_takes_packets(void) {
  static const uint64_t program[] = {ROW(THREAD, 9), ROW(REPEAT, 0), ROW(COLLECT, 0), ROW(AGAIN, 0),
      ROW(END, 0), ROW(THREAD, 1), ROW(REPEAT, 0), ROW(ACCEPT, 0), ROW(FINISH, 0), ROW(AGAIN, 0),
      ROW(END, 0)};
  machine_rows("main", 0, ROWS(program));
}

#endif
