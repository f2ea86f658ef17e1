/*
 * What is said around a Runway-like bus. An agent is whatever may be bus master: a processor's cache,
 * an I/O adapter. The bus keeps one FIFO of coherent transactions for each agent and polls the agent
 * for its response when a transaction reaches the head, its own transactions included.
 *
 *     agent --RUNWAY_ASK--> bus --RUNWAY_GRANT--> agent      address cycle: the agent says what it wants
 *     bus --RUNWAY_SNOOP / RUNWAY_OWN--> every agent         in queue order: OK, shared, copy, or wait
 *     bus --RUNWAY_DATA--> agent                             data, or "all have answered"
 */
#ifndef BY_RUNWAY_H
#define BY_RUNWAY_H

#define LINE_HALVES 2u /* a line's data carries one write identity for each 16 bytes */
#define HALF_BYTES 16u
#define RUNWAY_LINE 32u

enum runway_type {
  RUNWAY_NOTHING = 0,
  RUNWAY_READ_SHARED,
  RUNWAY_READ_PRIVATE,
  RUNWAY_WRITE32,       /* a device's whole line: every cache purges its copy */
  RUNWAY_WRITE16_PURGE, /* a device's half line: the same, whatever the other half holds */
  RUNWAY_FLUSH,         /* every cache writes the line back and drops it */
  RUNWAY_PURGE,         /* every cache drops the line, dirty or not */
  RUNWAY_WRITE_BACK,    /* a dirty line goes home; nobody else holds it, so nobody is asked */
  RUNWAY_COPY,          /* cache-to-cache: answers a read, and updates memory */
  RUNWAY_READ_QUIET,    /* not snooped: an I/O adapter without coherence, or uncached memory */
  RUNWAY_WRITE_QUIET,
  RUNWAY_SHORT_READ,    /* registers */
  RUNWAY_SHORT_WRITE,
  RUNWAY_SHORT_RETURN,
  RUNWAY_RETURN,        /* memory gives a line */
};
#define RUNWAY_COHERENT(type) ((type) <= RUNWAY_PURGE)

/* What a grant leaves out: all but copies and write-backs; register accesses. */
enum runway_limit { RUNWAY_ONLY_DATA = 1, RUNWAY_NO_REGISTERS = 2 };

/* A coherency response. COH_WAIT is none yet: the agent asks with RUNWAY_RESUME to be polled again. */
enum coherency { COH_OK = 0, COH_SHR = 1, COH_CPY = 2, COH_WAIT = 3 };

enum runway_port {
  RUNWAY_ASK = 1,  /* ask to the bus: I want to be master */
  RUNWAY_RESUME,   /* ask to the bus: poll me again about the head of my queue */
  RUNWAY_HOLD,     /* ask to the bus: x = 1 takes all of memory for this agent, 0 gives it back; answers 1 when granted */
  RUNWAY_FULL,     /* ask to the bus: x = 1 if no more register accesses may be sent for now, 0 if they may again */
  RUNWAY_GRANT,    /* ask to the agent: x = tid it will get, y = bits of enum runway_limit. Answers 0 = nothing any
                      more; else addr, x = runway_type, y = own slot (of a copy: tid answered), when = virtual index, words = data */
  RUNWAY_SNOOP,    /* ask to the agent: addr, x = runway_type, y = tid, when = virtual index; answers enum coherency */
  RUNWAY_OWN,      /* ask to the agent: its own transaction is at the head; y = its slot; answers like RUNWAY_SNOOP */
  RUNWAY_HOLDS,    /* ask to the agent: addr; does it hold, or await, anything of this line? Then when it looks matters */
  RUNWAY_URGES,    /* ask to the agent: has it anything to send that may go when it has all its transactions under way? */
  RUNWAY_DATA,     /* ask to the agent: its transaction is complete; x = 1 if others share the line, y = slot, words = data */
  RUNWAY_WINDOW,   /* ask to the agent at start: x = 0, 1; addr = base, when = length of register space it answers for */
  RUNWAY_REGISTER, /* message to the agent that owns the window: addr, x = value, y = tid + 1 of a read, 0 for a write */
  LEDGER_WINDOW,   /* ask to the bus: words points to a struct ledger, to be filled: whoever looks often may look there itself */
  LEDGER_LOOK,     /* ask to the bus: words = newest write of each half of the line at addr */
  LEDGER_MEMORY,   /* ask to the bus: words = what memory holds of the line at addr */
  LEDGER_STORE,    /* ask to the bus: x = half stored to by the asker, who owns the line; answers the new write's identity */
  LEDGER_FORGET,   /* ask to the bus: software threw this line's newest data away on purpose */
  RUNWAY_WRITES,   /* ask to the bus: devices' writes that not every agent has answered yet */
  MEMORY_VALUE,    /* ask to the bus: addr of 8 bytes in the page directory; when = value; x = 1 stores it */
};

/* What memory holds of each followed half line, and the newest write to it: rows of the view `cells`. */
struct ledger {
  uint64_t from;
  uint32_t at, cells;
};
struct ledger_cell {
  uint32_t write, newest;
};

/* The cell of the half line at addr, or a null pointer where nothing is followed. */
static inline struct ledger_cell *ledger_cell(void *arena, const struct ledger *l, uint64_t addr) {
  uint64_t index = (addr - l->from) / HALF_BYTES;
  return index < l->cells ? (struct ledger_cell *)((uint8_t *)arena + l->at) + index : 0;
}

/* Memory port of the bus. */
enum controller_port {
  CONTROLLER_RESERVE = 1, /* ask: addr, x = 1 for a write, when = earliest; answers in `when` when data is there */
  CONTROLLER_READY,       /* ask: a reserved read has its data */
  CONTROLLER_SKIPS,       /* ask: answers 1 if a copy is not to update memory: a defect */
  CONTROLLER_GET,         /* ask: addr; words = identities of the line as memory holds it */
  CONTROLLER_PUT,         /* ask: addr, x = mask of halves, words = identities, y = 1: these writes happen now and become the newest */
};

/* Cache port, coherent caches: one access at a time. */
enum cache_access {
  CACHE_ACCESS = 32, /* ask: addr, x = enum cache_op, y = bytes, when = time the processor takes itself; answers 1 when done,
                        x = write seen or made; 0 = CACHE_DONE follows, that time included */
  CACHE_DONE,        /* message to the processor: x = write seen or made */
};
enum cache_op { CACHE_LOAD = 0, CACHE_STORE, CACHE_FLUSH, CACHE_PURGE, CACHE_EVICT, CACHE_SYNC };

#endif
