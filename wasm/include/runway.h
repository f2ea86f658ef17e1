/*
 * Lines of a Runway-like bus and their halves. Transactions and coherency responses are declared in
 * wasm/protocols/runway.json.
 *
 *     agent --request--> bus --grant--> agent     address cycle: the agent says what it wants
 *     bus --snoop / own--> every agent            in queue order: OK, shared, copy, or wait
 *     bus --data--> agent                         data, or "all have answered"
 *
 * To be included behind gen/protocols.h.
 */
#ifndef SIM_RUNWAY_H
#define SIM_RUNWAY_H

#define HALF_BYTES RUNWAY_HALF
#define HALF_SHIFT 4u
#define LINE_HALVES 2u
_Static_assert(HALF_BYTES == 1u << HALF_SHIFT, "the shift of a half line");
_Static_assert(RUNWAY_LINE == LINE_HALVES * HALF_BYTES, "a line is two halves");

#endif
