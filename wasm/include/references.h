/*
 * Recorded references, played through the caches of a machine that has a part of type player. The text is
 * read as it comes, in pieces:
 *
 *     din      `0 1fff00`    0 = load, 1 = store, 2 = instruction; hexadecimal address
 *     lackey   ` S 1fff00,8` I, L, S, M = instruction, load, store, load and store; hexadecimal address, bytes
 *
 * A further column names the processor. Empty lines and lines that begin with # = - or * are remarks.
 */
#ifndef BY_REFERENCES_H
#define BY_REFERENCES_H

#include "include/busyard.h"

enum by_reference_error {
  REFERENCE_OK = 0,
  REFERENCE_KIND,    /* what the line begins with is no kind of reference */
  REFERENCE_ADDRESS, /* no hexadecimal address follows */
  REFERENCE_BYTES,   /* no number of bytes, or none from 1 to 4096 */
  REFERENCE_CPU,     /* the last column is no processor */
  REFERENCE_CPUS,    /* there is no such processor */
  REFERENCE_LONG,    /* no line is as long as that */
  REFERENCE_SPREAD,  /* addresses in more blocks of 4 GiB than tags can tell apart */
};

struct by_played {
  uint32_t error, column, value;  /* what is wrong with the line after the last that was read, where, and the number it is about */
  uint32_t left;                  /* bytes of an unfinished line, moved to the beginning of the text */
  uint32_t lines_lo, lines_hi;    /* read so far */
  uint32_t instructions_lo, instructions_hi;
  uint32_t blocks, spare;
  uint32_t block[128];            /* blocks of 4 GiB in the order of their first reference */
};

/* Plays `bytes` of text; with `last`, the last line needs no end. `room` is the length of the whole buffer. */
void by_play(by *m, uint32_t player, uint8_t *text, uint32_t bytes, uint32_t room, int last, struct by_played *played);

#endif
