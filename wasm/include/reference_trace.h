/*
 * Recorded references, played through the caches of a machine with a part of type player. The text is read in
 * pieces as it arrives:
 *
 *     din      `0 1fff00`    0 = load, 1 = store, 2 = instruction; hexadecimal address
 *     lackey   ` S 1fff00,8` I, L, S, M = instruction, load, store, load and store; hexadecimal address,
 * bytes
 *
 * A further column gives the processor. Empty lines and lines that begin with # = - or * are ignored.
 */
#ifndef SIM_REFERENCES_H
#define SIM_REFERENCES_H

#include "include/busyard.h"

/* Plays `bytes` of text; with `last`, the last line needs no line end. `room` is the size of the whole
 * buffer. */
void sim_play_references(sim *m, uint32_t player, uint8_t *text, uint32_t bytes, uint32_t room, int last,
    struct sim_played *played);

#endif
