/*
 * The Busyard engine's interface for hosts.
 *
 * One engine is one machine: parts wired together, driven by a totally ordered queue of timed messages. The
 * host hands over a compiled session (see docs/session-format.md), then runs it, changes parameters between
 * events, reads state through the header, and copies the state bytes to make or restore a snapshot. sim_open
 * requests memory from the host once; a run never allocates.
 *
 * Times are picoseconds (u64); they cross a 32-bit boundary as two halves, low first.
 */
#ifndef BUSYARD_H
#define BUSYARD_H

#include "gen/abi.h"

#include <stdint.h>

typedef struct sim sim;

/* Allocates memory for one more engine or session, owned by the host. Returns NULL if there is none. */
void *sim_host_reserve(void *engine, uint64_t bytes);

int sim_open(sim *engine, const uint32_t *session, uint32_t words);
int sim_command(sim *engine, uint32_t part, uint32_t param, uint64_t value);
int sim_run(sim *engine, uint64_t until, uint64_t events);
void sim_hash(sim *engine);
void sim_record_trace(sim *engine, uint32_t on);
void sim_replay(sim *engine, const uint32_t *choices, uint32_t count);
void sim_fail_allocation(sim *engine, uint32_t nth);
const struct sim_directory *sim_refresh_header(sim *engine);

#endif
