/*
 * A processor and its scheduler.
 *
 *     thread rows --> step --> [ spend | post a store | load and wait | fill | service | block ]
 *                       ^                                                            |
 *                       +------------- timer, data, room, interrupt -----------------+
 *
 * One thread runs at a time. Time passes either in a timer (own work, driver work) or in a wait for the
 * bridge; in between, threads advance without events. An interrupt suspends a timer unless interrupts are
 * disabled, and waits for a pending bus access. The handler is the last row of the thread table.
 *
 * Driver work is a service: the processor requests one step after another and executes it, so drivers take
 * time and use the bus exactly like programs.
 */
#ifndef SIM_PROCESSOR_H
#define SIM_PROCESSOR_H

#include "dma_contract.h"
#include "core/engine.h"
#include "core/queue.h"
#include "gen/protocols.h"
#include "service_steps.h"

#define NOBODY 0xffffffffu
#define SEMAPHORES 16u
#define PREEMPT_LINE 31u /* of a kernel, besides those of devices */
#define COPY_LINES 32u   /* limit of lines copied within one event: 1 KiB */

/* The purpose of a thread's pending wait or timer. */
enum thread_stage {
  STAGE_BEGIN = 0,
  STAGE_GO = 1,
  STAGE_FILL = 2,
  STAGE_STORE = 3,
  STAGE_LOAD = 4,
  STAGE_SWITCH = 5
};

/* Lines that a copy still has to fetch: bits of a thread's `fills`. */
enum missing { MISSING_FROM = 1, MISSING_TO = 2 };

/* Reasons to wait without a timer: for the bus, or busy until another processor wakes it. */
enum bus_wait { BUS_WAIT = 1, BUS_SPIN = 2, BUS_PIECE = 3 };

enum processor_self { PROCESSOR_TIMER = 1, PROCESSOR_START = 2, PROCESSOR_WOKEN = 3 };

struct processor_state {
  uint64_t timer_end;
  uint64_t busy;
  uint64_t lap_start[2];
  uint64_t lap_busy[2];
  uint64_t slice_start;
  uint64_t loop_time;
  /* of a store that waits for room: a service's register and value, or a program's write */
  uint64_t step_addr;
  uint64_t step_value;
  uint32_t now_at;
  uint32_t threads_at;
  uint32_t semaphores_at;
  uint32_t rows_at;
  uint32_t rows;
  uint32_t thread_count;
  uint32_t current;
  uint32_t resumed;
  uint32_t timer; /* handle for sim_cancel */
  uint32_t timing;
  uint32_t held;
  uint32_t bus_wait;
  uint32_t irqs;
  uint32_t source;
  uint32_t last_picked;
  uint32_t woken;     /* a thread became ready since the last scheduling */
  uint32_t unseen;    /* nothing in memory is tracked: copies are not reported */
  uint32_t announced; /* a device has interrupted on its own line: later loads are reported to an observer */
};

typedef struct processor_threads thread;
typedef const struct processor_program_row row;

static inline thread *cpu_threads(sim *m, struct processor_state *s) { return sim_at(m, s->threads_at); }
static inline row *cpu_rows(sim *m, struct processor_state *s) { return sim_at(m, s->rows_at); }

#endif
