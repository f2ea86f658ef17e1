/*
 * Busyard engine, the face a host sees.
 *
 * One engine is one machine: parts wired together, driven by a totally ordered queue of timed
 * messages. The host hands over a compiled session (see docs/session-format.md), then runs it,
 * changes parameters between events, reads state through the directory, and copies the state bytes
 * to make or restore a snapshot. Nothing here allocates behind the host's back: by_open asks the
 * host for memory once, and a run never grows.
 *
 * Times are picoseconds (u64); they cross a 32-bit boundary as two halves, low first.
 */
#ifndef BUSYARD_H
#define BUSYARD_H

#include <stdint.h>

typedef struct by by;

/* Why by_run returned. */
enum by_reason {
  BY_UNTIL = 0,  /* the next event lies beyond the time asked for */
  BY_EVENTS = 1, /* the event count asked for is reached */
  BY_IDLE = 2,   /* nothing is pending */
};

/* Why by_open or by_command refused. `part` and `detail` of the directory say where. */
enum by_error {
  BY_OK = 0,
  BY_BAD_HEADER = 1,    /* not a session, or another version */
  BY_BAD_LAYOUT = 2,    /* made for another build of the engine: detail = its layout hash */
  BY_TRUNCATED = 3,     /* ends early or carries too much */
  BY_NO_MEMORY = 4,     /* detail = KiB wanted */
  BY_BAD_TYPE = 5,      /* detail = type number */
  BY_BAD_WIRE = 6,      /* detail = wire number */
  BY_UNWIRED = 7,       /* detail = port index */
  BY_TOO_MANY = 8,      /* detail = the limit */
  BY_BAD_PARAM = 9,     /* detail = parameter index */
  BY_BAD_ROW = 10,      /* a table row cannot be carried out: detail = row number */
  BY_UNALIGNED_DMA = 11, /* DMA not in whole aligned 32-bit words: detail = row number */
  BY_NOT_LIVE = 12,     /* the parameter cannot change while running */
  BY_UNHEARD = 13,      /* stopped: nobody at this port handles the message: detail = port << 8 | message */
  BY_UNANSWERED = 14,   /* stopped: the port at which it is said leads nowhere: detail likewise */
  BY_CROWDED = 15,      /* more messages may be under way than a queue can hold: detail = the limit */
  BY_ASKED_BACK = 16,   /* stopped, in builds with BY_ASSERTS: said to a part that is asking: detail likewise */
};

/* Everything a host needs to find, as offsets from the start of the engine's memory. */
struct by_directory {
  uint32_t layout_hash;
  uint32_t state_bytes;  /* simulated state: what a snapshot copies and the hash covers */
  uint32_t total_bytes;  /* state, then trace ring and choice log */
  uint32_t trace_at;     /* ring of by_record */
  uint32_t trace_capacity;
  uint32_t choices_at;   /* ring of u32 */
  uint32_t choices_capacity;
  uint32_t parts_at;     /* by_part rows */
  uint32_t part_count;
  uint32_t views_at;     /* by_view_entry rows */
  uint32_t view_count;
  uint32_t time_lo, time_hi;
  uint32_t events_lo, events_hi;
  uint32_t seq_lo, seq_hi;           /* newest trace record */
  uint32_t choice_count;
  uint32_t hash_lo, hash_hi;
  uint32_t error, error_part, error_detail;
};

struct by_record {
  uint64_t time;
  uint32_t cause; /* sequence number of the record that led to this one, 0 for none */
  uint16_t part;
  uint16_t kind;
  uint64_t a;
  uint32_t b;
  uint32_t c;
};

/* Where a part keeps its numbers. */
struct by_part {
  uint16_t type;
  uint16_t first_wire; /* index of its first port among all ports */
  uint32_t params_at, counters_at, tables_at, state_at, first_view, wires_at;
  uint32_t spare;
};

struct by_view_entry {
  uint32_t at, rows, row_bytes, part;
};

/* Memory for one more engine or session; the host keeps it. Returns NULL when it has none. */
void *by_host_reserve(void *engine, uint64_t bytes);

int by_open(by *engine, const uint32_t *session, uint32_t words);
int by_command(by *engine, uint32_t part, uint32_t param, uint64_t value);
int by_run(by *engine, uint64_t until, uint64_t events);
void by_hash(by *engine);
void by_record_trace(by *engine, uint32_t on);
void by_replay(by *engine, const uint32_t *choices, uint32_t count);
void by_fail_allocation(by *engine, uint32_t nth);
const struct by_directory *by_look(by *engine);

#endif
