/*
 * Lines of a Runway-like bus and their halves. Transactions and coherency responses are declared in
 * wasm/protocols/runway.json.
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

#endif
