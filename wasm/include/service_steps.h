/*
 * What a service asks its processor to do next: answers to os_next, and to allocator_next. What else is said on
 * the wires is declared in wasm/protocols.
 */
#ifndef SIM_PORTS_H
#define SIM_PORTS_H

enum sim_service_step {
  STEP_DONE = 0,
  STEP_COMPUTE,  /* value = time, state shown, detail = 1 if interrupts are held off */
  STEP_STORE,  /* address, value: a posted store, state shown */
  STEP_LOAD,   /* address: an uncached load, state shown */
  STEP_BLOCK,  /* until woken */
  STEP_ACCESS, /* address, detail = enum cache_op: a store, flush or purge through the cache, state shown */
  STEP_ACCESS_UNTIMED,  /* address: a store through a cache that may keep tags only, state shown */
  STEP_REFUSE, /* the call ends at once with an error */
  STEP_SPIN,   /* busy until woken, state shown, detail = 1 if interrupts are held off */
  STEP_DELEGATE, /* the processor carries the row out as its own operation detail, with which the call is over */
  STEP_COPY_CHUNK,  /* address, value = bytes | identity << 32, detail = CACHE_LOAD or CACHE_STORE: a piece of memory, in the state shown until it is there; `loaded` of the next step is what a load saw */
  STEP_INVALIDATE, /* of an allocator: its mapping service has translations forgotten, detail = 1 for all of them */
};

/* The tag of a mapping that has no name: it is given back by its address, by the thread that made it. */
#define NO_TAG 0xffffffffu

/* Who calls an allocator. */
#define CALLER(cpu, thread) ((cpu) << 8 | (thread))
#define CALLER_CPU(caller) ((caller) >> 8)
#define CALLER_THREAD(caller) ((caller)&0xff)

#endif
