/* Contents of a frame: its payload is a function of the packet's number, so a reader of a stale line computes
   a wrong sum. */
#ifndef SIM_FRAMES_H
#define SIM_FRAMES_H

#include <stdint.h>

#define FRAME_LINE 64u   /* unit of a transfer */
#define FRAME_HEADER 54u /* Ethernet 14, IP 20, TCP 20 */
#define FRAME_BUFFER 2048u
#define FRAME_DAMAGED                                                                  \
  0x80000000u /* with the number of its packet: a line whose bytes changed on the wire \
               */

static inline uint32_t frame_lines(uint32_t bytes) { return (bytes + FRAME_LINE - 1) / FRAME_LINE; }
static inline uint32_t frame_line_bytes(uint32_t bytes, uint32_t line) {
  return line + 1 < frame_lines(bytes) ? FRAME_LINE : bytes - line * FRAME_LINE;
}

/* Bytes of a packet's payload, from `at` on. */
static inline void frame_bytes(uint8_t *bytes, uint32_t packet, uint32_t at, uint32_t n) {
  uint32_t word = 0;
  for (uint32_t i = 0; i < n; i++, at++) {
    if (i == 0 || at % 4 == 0) {
      word = packet * 0x9e3779b1u + (at >> 2) * 0x85ebca6bu;
      word ^= word >> 15;
      word *= 0x2c1b3c6du;
      word ^= word >> 12;
    }
    bytes[i] = (uint8_t)(word >> at % 4 * 8);
  }
}

#endif
