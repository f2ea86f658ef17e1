/* What services, their callers and allocators have in common. The steps of a call are declared in wasm/protocols/os.json. */
#ifndef SIM_PORTS_H
#define SIM_PORTS_H

/* The tag of a mapping that has no name: it is given back by its address, by the thread that made it. */
#define NO_TAG 0xffffffffu

/* Who calls an allocator. */
#define CALLER(cpu, thread) ((cpu) << 8 | (thread))
#define CALLER_CPU(caller) ((caller) >> 8)
#define CALLER_THREAD(caller) ((caller)&0xff)

#endif
