/*
 * The interface for parts. A part is a handler of timed messages plus state in the arena. It reaches other
 * parts only through its wired ports, in two ways:
 *
 *     send_...(...)   a message that arrives later, through the event queue
 *     ask_...(...)    a question answered at once, inside a bus phase (a snoop, a claim, a data beat)
 *
 *   port --- wire --- port      each wire joins exactly two ports
 *
 * State is fixed-width integers at offsets in one arena, so a snapshot is a copy and the hash covers bytes.
 * Events are ordered by (time, phase, sequence). This order is total, so runs repeat.
 */
#ifndef SIM_CORE_ENGINE_H
#define SIM_CORE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "gen/layout.h"
#include "include/busyard.h"

#if defined(__clang__)
#define SIM_COLD __attribute__((minsize))
#else
#define SIM_COLD __attribute__((cold))
#endif

#define SIM_INLINE static inline __attribute__((always_inline))

/* Linkage of generated functions that parts call: static if the engine is one translation unit with them. */
#ifndef SIM_WITHIN
#define SIM_WITHIN static __attribute__((unused))
#endif

#define SIM_NONE 0xffffu
#define SIM_NEVER UINT64_MAX

/* A timed message. `kind` is a message of the protocol of the receiving port. */
typedef struct {
  uint64_t addr;
  uint32_t x;
  uint32_t y;
  uint32_t cause;
  uint16_t to;
  uint8_t port;
  uint8_t kind;
} sim_msg;

/* Layout of every call: filled in by the caller, answered in place. `words` points into arena state for the
   duration of the call. All calls share this layout, so a part can forward one as another. */
typedef struct {
  uint64_t addr;
  uint64_t when; /* a time, in the request or the answer */
  uint32_t x;
  uint32_t y;
  uint32_t *words;
} sim_poll;

/* Order of messages that arrive at the same picosecond: answers before requests before decisions. */
enum sim_phase { SIM_PHASE_ANSWER = 0, SIM_PHASE_REQUEST = 4, SIM_PHASE_DECIDE = 8 };

/* Kinds of free decisions, as recorded in the choice log. */
enum sim_choice {
  SIM_CHOOSE_ARBITER = 1,
  SIM_CHOOSE_THREAD = 2,
  SIM_CHOOSE_VICTIM = 3,
  SIM_CHOOSE_SPECULATE = 4,
  SIM_CHOOSE_DEVICE = 5,
  SIM_CHOOSE_TIME = 6,
  SIM_CHOOSE_EVENT = 7,
  SIM_CHOOSE_ACTION = 8
};

/* A part type: the functions called at load and between events. Messages and calls go through generated
 * switches. */
typedef struct {
  int (*load)(sim *m, uint32_t self); /* SIM_OK, or an error */
  void (*on_param_change)(
      sim *m, uint32_t self); /* called after a live parameter changed; NULL if not needed */
  uint16_t params;
  uint16_t counters;
  uint16_t tables;
  uint16_t views;
  uint16_t ports;
} sim_type;

struct sim_entry {
  uint64_t time;
  uint64_t key; /* phase, push order, slot */
};

struct sim_table {
  uint32_t at;
  uint32_t rows;
};

/* The other end of a wire; `type` is its part's type + 1, or 0 for an open port. */
struct sim_wire {
  uint16_t part;
  uint8_t port;
  uint8_t type;
};

/* The engine: the first bytes of the arena, hashed with the rest of the state. */
struct sim {
  uint64_t time;
  uint64_t events;
  uint64_t pushes;
  uint64_t seq;
  uint64_t writes;
  uint64_t random;
  uint32_t cause;
  uint32_t part_count;
  uint32_t port_count;
  uint32_t view_count;
  uint32_t parts_at;
  uint32_t wires_at;
  uint32_t views_at;
  uint32_t soon_at;
  uint32_t slots_at;
  uint32_t free_at;
  uint32_t pending;
  uint32_t later;
  uint32_t pending_limit;
  uint32_t free_count;
  uint32_t used;
  uint32_t state_bytes;
  uint32_t choice_count;
  uint32_t explore_step_time; /* not 0: any pending event may be next, and each advances time by this much */
  /* choices from a part's table, 64 bits each */
  uint32_t table_choices_at;
  uint32_t given;
  uint32_t steps;       /* step limit in exploration */
  uint32_t notify_part; /* part + 1 to notify when it is reached (0: none) */
  uint32_t monitor;     /* part + 1 that checks the invariants after every event (0: none) */
  uint32_t spare;
};

/* Host-side data: behind the state, never hashed, not part of a snapshot. */
struct sim_host_state {
  struct sim_directory directory;
  uint64_t limit; /* bytes supplied by the host */
  uint32_t trace_mask;
  uint32_t recording;
  uint32_t replay_at;
  uint32_t replay_count;
  uint32_t allocations;
  uint32_t fail_at;
  /* the first violated invariant */
  uint32_t broken;
  uint32_t broken_part;
  uint64_t broken_at;
  /* exploring: choices made in this step, and the number of given ones */
  uint32_t choices_made;
  uint32_t forced_choices;
  uint32_t choice[16];
  uint32_t choices_of[16];
  uint32_t exploring;
  uint32_t last_part; /* exploring: the part that handled the last event */
};

_Static_assert(sizeof(sim_msg) == 32 || sizeof(sim_msg) == 24, "message size");
_Static_assert(sizeof(struct sim) % 8 == 0, "no padding");
_Static_assert(sizeof(struct sim_record) == 32, "no padding");
_Static_assert(sizeof(struct sim_part) == 32, "no padding");

/* Where a part's state, parameters and counters are. Its own code knows this as `struct <part>`
   (gen/contexts.h). These are pointers, so they lie outside the state: they are never hashed and never part
   of a snapshot. */
struct sim_context {
  void *state;
  const void *params;
  void *counters;
  uint32_t self;
} __attribute__((may_alias));

/* Arena layout: [sim_host_state][contexts][sim and all state][trace ring][choice log]. */
#define SIM_MAX_PARTS 1024u
#define SIM_CONTEXTS_BYTES ((uint32_t)sizeof(struct sim_context) * SIM_MAX_PARTS)
#define SIM_HOST_STATE_BYTES (512u + SIM_CONTEXTS_BYTES)
_Static_assert(sizeof(struct sim_host_state) <= 512, "side area");

static inline struct sim_host_state *sim_host_state(sim *m) {
  return (struct sim_host_state *)((uint8_t *)m - SIM_HOST_STATE_BYTES);
}
static inline struct sim_context *sim_context(sim *m, uint32_t id) {
  return (struct sim_context *)((uint8_t *)m - SIM_CONTEXTS_BYTES) + id;
}
static inline void *sim_at(sim *m, uint32_t offset) { return (uint8_t *)m + offset; }
/* Whether this is exploration mode. Only the engine with checkers supports it. */
static inline uint32_t sim_exploring(const sim *m) {
#ifdef SIM_CHECKS
  return m->explore_step_time;
#else
  (void)m;
  return 0;
#endif
}
/* The part rows follow directly. */
static inline struct sim_part *sim_part(sim *m, uint32_t id) { return (struct sim_part *)(m + 1) + id; }

/* A part's own numbers. Their types come from its manifest. */
#define SIM_PARAMS(m, id, name) ((const struct name##_params *)sim_at(m, sim_part(m, id)->params_at))
#define SIM_COUNTERS(m, id, name) ((struct name##_counters *)sim_at(m, sim_part(m, id)->counters_at))
#define SIM_STATE(m, id, name) ((struct name##_state *)sim_at(m, sim_part(m, id)->state_at))

/* The part as its handlers get it: `struct name` with state, params, counters and self, its number. */
#define SIM_CONTEXT(m, id, name) ((struct name *)sim_context(m, id))
#include "gen/contexts.h"

/* Loading. Parameters are within their ranges and obey the rules of their manifest. Each of these functions
   returns NULL when memory has run out; sim_open then reports it. */
static inline int sim_out_of_memory(sim *m) { return sim_host_state(m)->directory.error == SIM_NO_MEMORY; }
void *sim_alloc(sim *m, uint32_t count, uint32_t bytes);
void *sim_view(sim *m, uint32_t self, uint32_t view, uint32_t rows, uint32_t row_bytes);
/* The same, for rows that are part of the state already. */
void sim_view_of(sim *m, uint32_t self, uint32_t view, const void *at, uint32_t rows, uint32_t row_bytes);
void *sim_state_alloc(sim *m, uint32_t self, uint32_t bytes);
int sim_refuse(sim *m, int error, uint32_t part, uint32_t detail);
static inline int sim_refused(sim *m) { return sim_host_state(m)->directory.error != SIM_OK; }

static inline uint32_t sim_offset(sim *m, const void *p) {
  return (uint32_t)((const uint8_t *)p - (const uint8_t *)m);
}
static inline struct sim_table *sim_table(sim *m, uint32_t id, uint32_t table) {
  return (struct sim_table *)sim_at(m, sim_part(m, id)->tables_at) + table;
}
static inline struct sim_wire *sim_wire(sim *m, uint32_t id, uint32_t port) {
  return (struct sim_wire *)sim_at(m, sim_part(m, id)->wires_at) + port;
}
static inline int sim_wired(sim *m, uint32_t id, uint32_t port) { return sim_wire(m, id, port)->type != 0; }
/* The number of wired ports among `count`. */
static inline uint64_t sim_wires_of(sim *m, uint32_t id, uint32_t first, uint32_t count) {
  uint64_t n = 0;
  for (uint32_t port = first; port < first + count; port++) n += (uint64_t)sim_wired(m, id, port);
  return n;
}

/* Running. `delay` is in picoseconds from now. A part's manifest declares its maximum number of messages in
   flight: to itself, and in both directions on the wires of which it is the client. */
void sim_push(sim *m, uint64_t time, uint32_t phase, const sim_msg *msg);
void sim_post(sim *m, uint32_t self, uint32_t port, uint64_t delay, uint32_t phase, uint32_t kind,
    uint64_t addr, uint32_t x, uint32_t y);
/* Schedules a message to the part itself. Returns the handle for sim_cancel, valid while the message is
 * pending. */
uint32_t sim_schedule_with(sim *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind,
    uint64_t addr, uint32_t x, uint32_t y);
/* The same for messages with a kind only, or with a kind and one number. */
uint32_t sim_schedule(sim *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind);
uint32_t sim_schedule_for(sim *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind, uint32_t x);
void sim_cancel(sim *m, uint32_t name);

/* Errors that stop the engine: a message without a handler, and a message sent at a port that is not
   connected or whose peer does not handle it. The header says which part, port and message. */
_Noreturn void sim_no_handler(sim *m, uint32_t self, uint32_t port, uint32_t kind);
_Noreturn void sim_unconnected(sim *m, uint32_t self, uint32_t port, uint32_t kind);
/* A message to a part that is in the middle of a call, in builds that assert the rule of re-entrancy
   (reentrancy.h). */
_Noreturn void sim_reentrant_call(sim *m, uint32_t self, uint32_t port, uint32_t kind);

/* A part's messages to itself arrive at this port number. For exploration a part with a state codec
   (state_codec.h) states for each pending message whether it may be handled: <part>_enabled. */
#define SIM_PORT_SELF 0xffu
/* To a part that replays a counterexample: it is complete. */
#define SIM_CHANNEL_ENDS 0xffu
enum sim_enabled { SIM_ENABLED = 0, SIM_INVISIBLE /* no other part can observe when */, SIM_DISABLED };

/* Writes a trace record and makes it the cause of this part's next actions; returns its number. The number
   advances whether or not the record is kept, because causes are part of the state: the run is the same with
   recording on or off. */
uint32_t sim_trace(sim *m, uint32_t self, uint32_t kind, uint64_t a, uint32_t b, uint32_t c);
/* The same, inlined, for records of almost every event. */
SIM_INLINE uint32_t sim_trace_often(
    sim *m, uint32_t self, uint32_t kind, uint64_t a, uint32_t b, uint32_t c) {
  uint64_t seq = ++m->seq;
  struct sim_host_state *side = sim_host_state(m);
  if (side->recording) {
    struct sim_record *ring = sim_at(m, side->directory.trace_at);
    ring[(seq - 1) & side->trace_mask] =
        (struct sim_record){m->time, m->cause, (uint16_t)self, (uint16_t)kind, a, b, c};
  }
  m->cause = (uint32_t)seq;
  return (uint32_t)seq;
}

/* The number of pending messages of a kind, for any receiver. */
uint32_t sim_pending_count(sim *m, uint32_t kind);

/* One of 0..n-1: seeded, or replayed from a record. */
uint32_t sim_choose(sim *m, uint32_t kind, uint32_t n);

/* Reports a violated invariant: the first one is kept, outside the state. */
static inline void sim_broken(sim *m, uint32_t self, uint32_t invariant, uint64_t addr) {
  struct sim_host_state *side = sim_host_state(m);
  if (side->broken) return;
  side->broken = invariant;
  side->broken_part = self;
  side->broken_at = addr;
}

/* Checks the machine after an event, if it has a watcher. */
void sim_check_invariants(sim *m);

/* A new write's identity: every value in memory is the number of the write that produced it. */
static inline uint32_t sim_new_write(sim *m) { return (uint32_t)++m->writes; }
static inline uint32_t sim_new_writes(sim *m, uint32_t n) {
  uint32_t first = (uint32_t)m->writes + 1;
  m->writes += n;
  return first;
}

/* n cycles of a clock, in picoseconds, rounded down once, so errors do not accumulate. */
static inline uint64_t sim_cycles(uint64_t hertz, uint64_t n) { return n * 1000000000000ull / hertz; }
/* The fewest cycles that last for this time. A picosecond short is enough, since times are rounded down. */
static inline uint64_t sim_cycles_of(uint64_t hertz, uint64_t ps) {
  if (ps <= 1) return 0;
  if (ps - 1 <= (UINT64_MAX - 999999999999ull) / hertz)
    return ((ps - 1) * hertz + 999999999999ull) / 1000000000000ull;
  return (uint64_t)(((unsigned __int128)(ps - 1) * hertz + 999999999999ull) / 1000000000000ull);
}
/* Time of the first clock edge at or after `time`; edges are those of cycle 0, 1, 2... since time 0. */
static inline uint64_t sim_edge_after(uint64_t hertz, uint64_t time) {
  uint64_t second = time / 1000000000000ull, rest = time % 1000000000000ull;
  uint64_t cycle = (uint64_t)(((unsigned __int128)rest * hertz + 999999999999ull) / 1000000000000ull);
  return second * 1000000000000ull + (uint64_t)(((unsigned __int128)cycle * 1000000000000ull) / hertz);
}
static inline uint64_t sim_max(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t sim_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

#endif
