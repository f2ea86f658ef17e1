/*
 * What is said on the wires: one protocol for each kind of port. A message arrives through the event
 * queue; an ask is a poll answered at once. Both ends of a wire speak the same protocol.
 */
#ifndef BY_PORTS_H
#define BY_PORTS_H

/* Front port: processor <-> host bridge. */
enum by_front {
  FRONT_POST = 1, /* ask: a posted store; addr, x = bytes, y = write identity, when = value. Answers 1 + places left, or 0 = full */
  FRONT_AWAIT,    /* ask: tell me when there is a place, not before `when` */
  FRONT_ROOM,     /* message to the processor: there is a place */
  FRONT_READ,     /* message: an uncached read; addr, x = bytes */
  FRONT_DATA,     /* message to the processor: its answer; addr = value, x = write identity */
  FRONT_FILL,     /* message: fetch a cache line; addr, x = bytes, y = 1 if a dirty victim leaves */
  FRONT_FILLED,   /* message to the processor: the line is here */
  FRONT_SNOOP,    /* ask to the processor: a device wrote addr, x = bytes; answers lines dropped */
  FRONT_WAITING, /* ask: how many posted stores have not left yet */
  FRONT_PEEK,     /* ask: identities of x bytes of memory at addr into words; y = 1 stores them instead */
};

/* Cache port: processor <-> cache. */
enum by_cache_port {
  CACHE_TOUCH = 1, /* ask: addr, x = 1 for a store. Answers 1 on a hit; on a miss the line is taken in and y = 1 if a dirty one left */
  CACHE_DROP,      /* ask: addr, x = bytes; answers how many lines were invalidated */
};

/* Memory port: host bridge <-> memory. */
enum by_memory_port {
  MEMORY_READ = 1, /* ask: addr, x = bytes, when = earliest start; answers in `when` the time the data is there; identities into words */
  MEMORY_WRITE,    /* ask: addr, x = bytes, when = earliest start; identities from words; `when` = time it is done */
};

/* PCI slot: bus <-> an agent that may be master and target. */
enum by_pci_port {
  PCI_REQUEST = 1, /* ask to the bus: REQ#; the bus asks back with PCI_GRANT when it is this agent's turn */
  PCI_WINDOW,      /* ask to an agent at start: addr = base, when = length of the window it claims; answers 0 if none */
  PCI_GRANT,       /* ask to the master: addr, x = bytes wanted, y = PCI_COMMAND_READ or PCI_COMMAND_WRITE; answers 0 if it has nothing any more */
  PCI_BEGIN,       /* ask to the target: addr, x = bytes, y = command; answers bytes it takes in this burst (0 = retry), when = earliest end of the first data phase */
  PCI_GIVE,        /* ask to the side that has the data: fill words for x bytes at addr; when = value of a single word */
  PCI_TAKE,        /* ask to the side that gets the data */
  PCI_MOVED,       /* ask to the master after each block: x = bytes moved (0 = retried); answers bytes it still wants at once in this burst */
};

/* Interrupt line: device -> processor. */
enum by_irq_port { IRQ_RAISE = 1 /* message: x = source */ };

/* Operating system port: processor <-> a service. The processor asks for one step after another and spends the time. */
enum by_os_port {
  OS_CALL = 1,  /* ask: x = thread, y = operation, words = {from lo, hi, to lo, hi, bytes lo, hi, count, tag}; begins a call */
  OS_NEXT,      /* ask: x = thread, addr = value of the last load; answers enum by_os_step */
  OS_INTERRUPT, /* ask: x = source; begins the handler, whose steps are asked for with x = the handler's thread */
  OS_WAKE,      /* ask to the processor: x = thread becomes ready */
  OS_PEEK,      /* ask to the processor: as FRONT_PEEK, for bookkeeping of identities */
};
enum by_os_step {
  STEP_DONE = 0,
  STEP_SPEND, /* when = time, x = state shown, y = 1 if interrupts are held off */
  STEP_STORE, /* addr, when = value: a posted store, x = state shown */
  STEP_LOAD,  /* addr: an uncached load, x = state shown */
  STEP_BLOCK, /* until woken */
  STEP_ACCESS, /* addr, y = enum cache_op: a store, flush or purge through the cache, x = state shown */
  STEP_REFUSE, /* the call ends at once with an error */
  STEP_SPIN,   /* busy until woken, x = state shown, y = 1 if interrupts are held off */
};

/* Link port: GT card <-> ring. */
enum by_link_port {
  LINK_SEND = 1,  /* ask: addr, x = bytes to insert at time `when`; answers in `when` the time the data is back at the sender */
  LINK_ACCEPT,    /* ask: when = earliest; x = bytes; answers in `when` the time the transmit queue has room for them */
  LINK_UPDATE,    /* message to the card: a remote node wrote x bytes at addr, y = first write identity */
};

#endif
