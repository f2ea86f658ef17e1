/*
 * What a part may use. A part is a handler of timed messages plus state in the arena; it meets
 * other parts only through its wired ports, in two ways:
 *
 *     send_...(...)   a message that arrives later, through the event queue
 *     ask_...(...)    a question answered at once, inside a bus phase (a snoop, a claim, a data beat)
 *
 *   port --- wire --- port      each wire joins exactly two ports
 *
 * State is fixed-width integers at offsets in one arena, so a snapshot is a copy and the hash is
 * over bytes. Events happen in the order (time, phase, sequence): total, so runs repeat.
 */
#ifndef BY_CORE_ENGINE_H
#define BY_CORE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "gen/layout.h"
#include "include/busyard.h"

#if defined(__clang__)
#define BY_COLD __attribute__((minsize))
#else
#define BY_COLD __attribute__((cold))
#endif

#define BY_INLINE static inline __attribute__((always_inline))

/* What is generated for the engine and called by parts: within it, where the engine is one with them. */
#ifndef BY_WITHIN
#define BY_WITHIN static __attribute__((unused))
#endif

#define BY_NONE 0xffffu
#define BY_NEVER UINT64_MAX

/* A timed message. `kind` belongs to the protocol of the port it arrives at. */
typedef struct {
  uint64_t addr;
  uint32_t x, y;
  uint32_t cause;
  uint16_t to;
  uint8_t port;
  uint8_t kind;
} by_msg;

/* What any question looks like: filled by the asker, answered in place. `words` points into arena state for the length of
   the call. Since all look alike, a part can pass one on as another. */
typedef struct {
  uint64_t addr;
  uint64_t when; /* a time asked for or answered */
  uint32_t x, y;
  uint32_t *words;
} by_poll;

/* Order of messages that arrive at the same picosecond: answers before requests before decisions. */
enum by_phase { BY_PHASE_ANSWER = 0, BY_PHASE_REQUEST = 4, BY_PHASE_DECIDE = 8 };

/* What kind of free decision is asked of the choice seam. */
enum by_choice { BY_CHOOSE_ARBITER = 1, BY_CHOOSE_THREAD = 2, BY_CHOOSE_VICTIM = 3, BY_CHOOSE_SPECULATE = 4, BY_CHOOSE_DEVICE = 5, BY_CHOOSE_TIME = 6, BY_CHOOSE_EVENT = 7, BY_CHOOSE_ACTION = 8 };


/* A part type: what is called at load and between events. Messages and questions go through generated switches. */
typedef struct {
  int (*load)(by *m, uint32_t self); /* BY_OK, or it was refused */
  void (*adapt)(by *m, uint32_t self); /* a live parameter has changed; NULL where that needs nothing */
  uint16_t params, counters, tables, views, ports;
} by_type;

struct by_entry {
  uint64_t time;
  uint64_t key; /* phase, push order, slot */
};

struct by_table {
  uint32_t at, rows;
};

/* The other end of a wire; `type` is its part's type + 1, or 0 for an open port. */
struct by_wire {
  uint16_t part;
  uint8_t port, type;
};

/* The engine: first bytes of the arena, hashed with the rest of the state. */
struct by {
  uint64_t time, events, pushes, seq, writes, random;
  uint32_t cause;
  uint32_t part_count, port_count, view_count;
  uint32_t parts_at, wires_at, views_at, soon_at, slots_at, free_at;
  uint32_t pending, later, pending_limit, free_count;
  uint32_t used, state_bytes;
  uint32_t choice_count;
  uint32_t free_order; /* not 0: any pending event may be next, and time advances by this much at each */
  uint32_t given_at, given; /* choices that a part's table gives, 64 bits each */
  uint32_t steps, told;     /* not 0: after so many steps in any order this part, + 1, is told, and nothing happens any more */
  uint32_t watcher, spare;  /* not 0: this part, + 1, says after every event which invariant is broken */
};

/* Host-side matters: behind the state, never hashed, never part of a snapshot. */
struct by_side {
  struct by_directory directory;
  uint64_t limit; /* bytes the host has given */
  uint32_t trace_mask, recording;
  uint32_t replay_at, replay_count;
  uint32_t allocations, fail_at;
  uint32_t broken, broken_part; /* the first invariant that a part saw broken */
  uint64_t broken_at;
  uint32_t tried, forced; /* exploring: choices made in this step, and how many of them are given */
  uint32_t choice[16], choices_of[16];
  uint32_t exploring, handled; /* handled: exploring: the part that the last event was for */
};

_Static_assert(sizeof(by_msg) == 32 || sizeof(by_msg) == 24, "message size");
_Static_assert(sizeof(struct by) % 8 == 0, "no padding");
_Static_assert(sizeof(struct by_record) == 32, "no padding");
_Static_assert(sizeof(struct by_part) == 32, "no padding");

/* Arena layout: [by_side][by and all state][trace ring][choice log]. */
#define BY_SIDE_BYTES 512u
_Static_assert(sizeof(struct by_side) <= BY_SIDE_BYTES, "side area");

static inline struct by_side *by_side(by *m) { return (struct by_side *)((uint8_t *)m - BY_SIDE_BYTES); }
static inline void *by_at(by *m, uint32_t offset) { return (uint8_t *)m + offset; }
/* Not 0: the order of events is left open. Only the engine that also checks can do that. */
static inline uint32_t by_open_order(const by *m) {
#ifdef BY_CHECKS
  return m->free_order;
#else
  (void)m;
  return 0;
#endif
}
/* The part rows lie right behind. */
static inline struct by_part *by_part(by *m, uint32_t id) { return (struct by_part *)(m + 1) + id; }

/* A part's own numbers. The types come from its manifest. */
#define BY_PARAMS(m, id, name) ((const struct name##_params *)by_at(m, by_part(m, id)->params_at))
#define BY_COUNTERS(m, id, name) ((struct name##_counters *)by_at(m, by_part(m, id)->counters_at))
#define BY_STATE(m, id, name) ((struct name##_state *)by_at(m, by_part(m, id)->state_at))

/* Loading. Parameters are in their ranges and keep the rules of their manifest. Each of these returns NULL once memory
   has run out; by_open then reports it. */
static inline int by_out_of_memory(by *m) { return by_side(m)->directory.error == BY_NO_MEMORY; }
void *by_alloc(by *m, uint32_t count, uint32_t bytes);
void *by_view(by *m, uint32_t self, uint32_t view, uint32_t rows, uint32_t row_bytes);
/* The same for rows that are part of the state already. */
void by_view_of(by *m, uint32_t self, uint32_t view, const void *at, uint32_t rows, uint32_t row_bytes);
void *by_state_alloc(by *m, uint32_t self, uint32_t bytes);
int by_refuse(by *m, int error, uint32_t part, uint32_t detail);
static inline int by_refused(by *m) { return by_side(m)->directory.error != BY_OK; }

static inline uint32_t by_offset(by *m, const void *p) { return (uint32_t)((const uint8_t *)p - (const uint8_t *)m); }
static inline struct by_table *by_table(by *m, uint32_t id, uint32_t table) {
  return (struct by_table *)by_at(m, by_part(m, id)->tables_at) + table;
}
static inline struct by_wire *by_wire(by *m, uint32_t id, uint32_t port) {
  return (struct by_wire *)by_at(m, by_part(m, id)->wires_at) + port;
}
static inline int by_wired(by *m, uint32_t id, uint32_t port) { return by_wire(m, id, port)->type != 0; }
/* How many of `count` ports have a wire. */
static inline uint64_t by_wires_of(by *m, uint32_t id, uint32_t first, uint32_t count) {
  uint64_t n = 0;
  for (uint32_t port = first; port < first + count; port++) n += (uint64_t)by_wired(m, id, port);
  return n;
}

/* Running. `delay` in picoseconds from now. A part's manifest says how many messages it may have
   under way: to itself, and either way on the wires of which it is the client. */
void by_push(by *m, uint64_t time, uint32_t phase, const by_msg *msg);
void by_out(by *m, uint32_t self, uint32_t port, uint64_t delay, uint32_t phase, uint32_t kind, uint64_t addr, uint32_t x, uint32_t y);
/* To itself. Answers by which name it can be withdrawn as long as it is pending. */
uint32_t by_self_with(by *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind, uint64_t addr, uint32_t x, uint32_t y);
/* The same where the kind says all, or all but which of several. */
uint32_t by_self(by *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind);
uint32_t by_self_of(by *m, uint32_t self, uint64_t delay, uint32_t phase, uint32_t kind, uint32_t x);
void by_withdraw(by *m, uint32_t name);

/* A message for a port at which nobody handles it, and a message said at a port that leads nowhere, or to somebody who does
   not hear it: the engine stops, and the directory says which part, port and message. */
_Noreturn void by_unheard(by *m, uint32_t self, uint32_t port, uint32_t kind);
_Noreturn void by_unanswered(by *m, uint32_t self, uint32_t port, uint32_t kind);
/* A message said to a part that is in the middle of asking, in builds that assert the rule of re-entrancy (asking.h). */
_Noreturn void by_asked_back(by *m, uint32_t self, uint32_t port, uint32_t kind);

/* Messages a part sends to itself arrive at this port number. Where the order of events is left open, a part
   whose state is kept (see keep.h) says of each message for it when that may be handled: <part>_when. */
#define BY_PORT_SELF 0xffu
/* To a part that has a way to be played: it is over. */
#define BY_WAY_ENDS 0xffu
enum by_when { BY_ANY_TIME = 0, BY_AT_ONCE /* nobody can tell when */, BY_NOT_NOW };

/* Writes a trace record and makes it the cause of what this part does next; returns its number. The number advances whether
   or not the record is kept, because causes are part of the state: the run is the same with recording on or off. */
uint32_t by_trace(by *m, uint32_t self, uint32_t kind, uint64_t a, uint32_t b, uint32_t c);
/* The same where it is called, for what happens at almost every event. */
BY_INLINE uint32_t by_trace_often(by *m, uint32_t self, uint32_t kind, uint64_t a, uint32_t b, uint32_t c) {
  uint64_t seq = ++m->seq;
  struct by_side *side = by_side(m);
  if (side->recording) {
    struct by_record *ring = by_at(m, side->directory.trace_at);
    ring[(seq - 1) & side->trace_mask] = (struct by_record){m->time, m->cause, (uint16_t)self, (uint16_t)kind, a, b, c};
  }
  m->cause = (uint32_t)seq;
  return (uint32_t)seq;
}

/* How many messages of a kind are pending, whoever gets them. */
uint32_t by_in_flight(by *m, uint32_t kind);

/* One of 0..n-1: seeded, or replayed from a record. */
uint32_t by_choose(by *m, uint32_t kind, uint32_t n);

/* A part has seen an invariant broken: the first is remembered, beside the state. */
static inline void by_broken(by *m, uint32_t self, uint32_t invariant, uint64_t addr) {
  struct by_side *side = by_side(m);
  if (side->broken) return;
  side->broken = invariant;
  side->broken_part = self;
  side->broken_at = addr;
}

/* Looks at the machine after an event, where it has a watcher. */
void by_watch(by *m);

/* A new write's identity: every value in memory is the number of the write that produced it. */
static inline uint32_t by_new_write(by *m) { return (uint32_t)++m->writes; }
static inline uint32_t by_new_writes(by *m, uint32_t n) {
  uint32_t first = (uint32_t)m->writes + 1;
  m->writes += n;
  return first;
}

/* n cycles of a clock, in picoseconds, rounded down once: nothing accumulates. */
static inline uint64_t by_cycles(uint64_t hertz, uint64_t n) { return n * 1000000000000ull / hertz; }
/* Time of the first clock edge at or after `time`; edges are those of cycle 0, 1, 2... since time 0. */
static inline uint64_t by_edge(uint64_t hertz, uint64_t time) {
  uint64_t second = time / 1000000000000ull, rest = time % 1000000000000ull;
  uint64_t cycle = (uint64_t)(((unsigned __int128)rest * hertz + 999999999999ull) / 1000000000000ull);
  return second * 1000000000000ull + (uint64_t)(((unsigned __int128)cycle * 1000000000000ull) / hertz);
}
static inline uint64_t by_max(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t by_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

#endif
