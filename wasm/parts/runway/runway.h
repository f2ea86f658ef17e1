/*
 * The bus between processors, memory and I/O adapters: transactions split into a request and an answer.
 *
 *   agents --ask--> [ arbitrate ] --> address cycle --> coherency queue of every agent
 *                        ^                                  | in order, one response each
 *        memory ready ---+                                  v
 *        owner's copy ---+--- data on the bus <--- all have answered: memory, or the owner, gives the line
 *
 * Address and data share the wires: a read takes 1 cycle for its request and 4 for its 32 bytes.
 * Transactions to the same line complete in the order of their address cycles; a write-back needs
 * nobody's consent and counts at once. The rest follows from that and from each agent's own rule.
 */
#ifndef BY_RUNWAY_PART_H
#define BY_RUNWAY_PART_H

#include "core/clock.h"
#include "core/engine.h"
#include "runway.h"

#define RUNWAY_AGENTS 10u
#define RUNWAY_QUEUE 64u /* no agent's queue can grow longer than there are transactions */
#define RUNWAY_WINDOWS 2u

enum runway_self { RUNWAY_GO = 1, RUNWAY_END, RUNWAY_LOOK, RUNWAY_READY };

struct runway_state {
  struct by_clock clock;
  uint64_t window_base[RUNWAY_AGENTS * RUNWAY_WINDOWS], window_end[RUNWAY_AGENTS * RUNWAY_WINDOWS];
  uint64_t active, returns; /* bits of transactions */
  uint32_t now_at, rows_at, queues_at, agents_at;
  uint32_t wired, denied, resumed, inside; /* bits of agents; inside = an agent is being polled */
  uint32_t rows, taken, windows_known, last_return; /* taken = a tenure is scheduled or under way */
  uint32_t words[LINE_HALVES];
  uint32_t copied, spare;
};

typedef struct runway_transactions transaction;

static inline struct runway_now *runway_view(by *m, struct runway_state *s) { return by_at(m, s->now_at); }
static inline transaction *runway_row(by *m, struct runway_state *s, uint32_t tid) { return (transaction *)by_at(m, s->rows_at) + tid; }
static inline struct runway_agents *runway_agent(by *m, struct runway_state *s, uint32_t a) { return (struct runway_agents *)by_at(m, s->agents_at) + a; }
static inline struct runway_queues *runway_queue(by *m, struct runway_state *s, uint32_t a) { return (struct runway_queues *)by_at(m, s->queues_at) + a * RUNWAY_QUEUE; }

#endif
