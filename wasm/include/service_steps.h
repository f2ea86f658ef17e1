/* Definitions shared by services, their callers and allocators. The steps of a call are declared in
   wasm/protocols/os.json. */
#ifndef SIM_PORTS_H
#define SIM_PORTS_H

/* The tag of a mapping without a handle: the thread that made it unmaps it by its address. */
#define NO_TAG 0xffffffffu

/* Identifies the caller of an allocator. */
#define CALLER(cpu, thread) ((cpu) << 8 | (thread))
#define CALLER_CPU(caller) ((caller) >> 8)
#define CALLER_THREAD(caller) ((caller) & 0xff)

#endif
