/*
 * Words of a Runway-like bus: kinds of transactions, coherency responses, lines and their halves.
 *
 *     agent --request--> bus --grant--> agent     address cycle: the agent says what it wants
 *     bus --snoop / own--> every agent            in queue order: OK, shared, copy, or wait
 *     bus --data--> agent                         data, or "all have answered"
 */
#ifndef SIM_RUNWAY_H
#define SIM_RUNWAY_H

#define LINE_HALVES 2u /* a line's data carries one write identity for each 16 bytes */
#define HALF_BYTES 16u
#define HALF_SHIFT 4u
#define RUNWAY_LINE 32u

enum runway_type {
  RUNWAY_NONE = 0,
  RUNWAY_READ_SHARED,
  RUNWAY_READ_PRIVATE,
  RUNWAY_WRITE32,       /* a device's whole line: every cache purges its copy */
  RUNWAY_WRITE16_PURGE, /* a device's half line: the same, whatever the other half holds */
  RUNWAY_FLUSH,         /* every cache writes the line back and drops it */
  RUNWAY_PURGE,         /* every cache drops the line, dirty or not */
  RUNWAY_WRITE_BACK,    /* a dirty line goes home; nobody else holds it, so nobody is asked */
  RUNWAY_C2C_DATA,          /* cache-to-cache: answers a read, and updates memory */
  RUNWAY_READ_NONCOHERENT,    /* not snooped: an I/O adapter without coherence, or uncached memory */
  RUNWAY_WRITE_NONCOHERENT,
  RUNWAY_SHORT_READ,    /* registers */
  RUNWAY_SHORT_WRITE,
  RUNWAY_SHORT_RETURN,
  RUNWAY_RETURN,        /* memory gives a line */
};
#define RUNWAY_COHERENT(type) ((type) <= RUNWAY_PURGE)

/* What a grant leaves out: all but copies and write-backs; register accesses. */
enum runway_size { RUNWAY_DATA_CYCLES = 1, RUNWAY_NO_REGISTERS = 2 };

/* A coherency response. COH_WAIT is none yet: the agent asks with runway_resume to be polled again. */
enum coherency { COH_OK = 0, COH_SHR = 1, COH_CPY = 2, COH_WAIT = 3 };

/* What is asked of a cache that does the rest itself. */
enum cache_op { CACHE_LOAD = 0, CACHE_STORE, CACHE_FLUSH, CACHE_PURGE, CACHE_EVICT, CACHE_SYNC };

#endif
