/*
 * A processor and the part of its kernel that decides which thread runs.
 *
 *     thread rows --> step --> [ spend | post a store | load and wait | fill | service | block ]
 *                       ^                                                            |
 *                       +------------- timer, data, room, interrupt -----------------+
 *
 * One thread runs at a time. What takes time is either a timer (own work, driver work) or a wait for
 * the bridge; in between, threads advance without events. An interrupt suspends a timer unless
 * interrupts are held off, and waits for a pending bus access. The handler is the last row of the
 * thread table.
 *
 * Driver work is a service: the processor asks it for one step after another and carries the step
 * out, so drivers take time and use the bus exactly as programs do.
 */
#ifndef SIM_PROCESSOR_H
#define SIM_PROCESSOR_H

#include "dma_contract.h"
#include "core/engine.h"
#include "gen/protocols.h"
#include "service_steps.h"

#define NOBODY 0xffffffffu
#define SEMAPHORES 16u
#define PREEMPT_LINE 31u /* of a kernel, beyond those of devices */
#define COPY_LINES 32u /* lines copied within one event at most: 1 KiB */


/* What a thread's pending wait or timer is for. */
enum thread_stage { STAGE_BEGIN = 0, STAGE_GO = 1, STAGE_FILL = 2, STAGE_STORE = 3, STAGE_LOAD = 4, STAGE_SWITCH = 5 };

/* Lines a copy still has to fetch: bits of a thread's `fills`. */
enum missing { MISSING_FROM = 1, MISSING_TO = 2 };

/* Why the processor waits without a timer: for the bus, or busy until another processor lets it go on. */
enum bus_wait { BUS_WAIT = 1, BUS_SPIN = 2, BUS_PIECE = 3 };

enum processor_self { PROCESSOR_TIMER = 1, PROCESSOR_START = 2, PROCESSOR_WOKEN = 3 };

struct processor_state {
  uint64_t timer_end, busy, lap_start[2], lap_busy[2], slice_start, loop_time;
  uint64_t step_addr, step_value; /* of a store that waits for a place: a service's register and value, or a program's write */
  uint32_t now_at, threads_at, semaphores_at, rows_at;
  uint32_t rows, thread_count, current, resumed;
  uint32_t timer, timing, held, bus_wait; /* timer: by which name it can be withdrawn */
  uint32_t irqs, source, last_picked, woken; /* woken: a thread became ready since the last look */
  uint32_t unseen;                   /* nothing in memory is followed: nobody is told what is copied */
  uint32_t announced;                /* a device has interrupted on a line of its own: an observer is told what is loaded since */
};

typedef struct processor_threads thread;
typedef const struct processor_program_row row;

static inline thread *cpu_threads(sim *m, struct processor_state *s) { return sim_at(m, s->threads_at); }
static inline row *cpu_rows(sim *m, struct processor_state *s) { return sim_at(m, s->rows_at); }

#endif
