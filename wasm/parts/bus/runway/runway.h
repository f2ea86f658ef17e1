/*
 * The bus between processors, memory and I/O adapters: transactions split into a request and an answer.
 *
 *   agents --ask--> [ arbitrate ] --> address cycle --> coherency queue of every agent
 *                        ^                                  | in order, one response each
 *        memory ready ---+                                  v
 *        owner's copy ---+--- data on the bus <--- all have answered: memory, or the owner, gives the line
 *
 * Address and data share the wires: a read takes 1 cycle for its request and 4 for its 32 bytes. Transactions
 * to the same line complete in the order of their address cycles; a write-back needs no response and takes
 * effect at once. The rest follows from these rules and from each agent's own.
 */
#ifndef SIM_RUNWAY_PART_H
#define SIM_RUNWAY_PART_H

#include "core/clock.h"
#include "core/engine.h"
#include "core/queue.h"
#include "gen/protocols.h"
#include "runway.h"

#define RUNWAY_AGENTS 10u
#define RUNWAY_PENDING 6u
#define RUNWAY_QUEUE 64u /* no agent's queue can grow longer than there are transactions */
#define RUNWAY_WINDOWS 2u

enum runway_self { RUNWAY_GO = 1, RUNWAY_END, RUNWAY_LOOK };

typedef struct runway_transactions transaction;

struct runway_state {
  struct sim_clock clock;
  uint64_t window_base[RUNWAY_AGENTS * RUNWAY_WINDOWS];
  uint64_t window_end[RUNWAY_AGENTS * RUNWAY_WINDOWS];
  uint64_t until_rest;      /* the clock's rest at the end of the tenure */
  uint64_t arbitration_at;  /* time of the next decision, SIM_NEVER if none is due */
  uint64_t active;          /* bits of transactions */
  uint64_t returns;         /* bits of transactions whose data is ready */
  uint64_t fetching;        /* whose data memory supplies at their `ready_at` */
  uint64_t responses_at;    /* time at which the agents answer the latest coherent transaction; a later one is
                               not answered before it */
  uint32_t tail;            /* place in the ring of the next transaction */
  uint32_t snoop_head;      /* ring position of the next transaction to snoop */
  uint32_t wired;           /* bit per agent */
  uint32_t rejected_agents; /* bit per agent: its request was withdrawn, it waits for room */
  uint32_t retry_agents;    /* bit per agent: can now answer for the head of its queue */
  uint32_t call_in_progress; /* an agent is being polled */
  uint32_t full;             /* bits of agents that accept no more register accesses for now */
  uint32_t taken;            /* a tenure is in progress or, in exploration mode, due */
  uint32_t windows_known;
  uint32_t last_return;
  uint32_t words[LINE_HALVES];
  uint32_t arbitration_event; /* handle of the pending decision, for sim_cancel */
  uint32_t spare;
  struct runway_now now;
  struct runway_agents agents[RUNWAY_AGENTS];
  uint32_t causes[RUNWAY_AGENTS]; /* of the requests, for the trace */
  struct runway_queue queue[RUNWAY_QUEUE];
  transaction transactions[RUNWAY_AGENTS * RUNWAY_PENDING];
};

static inline struct runway_now *runway_view(struct runway_state *s) { return &s->now; }
static inline transaction *runway_row(struct runway_state *s, uint32_t tid) { return &s->transactions[tid]; }
static inline struct runway_agents *runway_agent(struct runway_state *s, uint32_t a) { return &s->agents[a]; }

#endif
