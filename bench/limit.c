/*
 * What the machine allows: events of the same shape as the engine's (a binary heap of 16-byte entries, a
 * message body in a slot, a few counters, a 32-byte trace record) and nothing else. Built natively and to
 * WebAssembly; the engine is measured beside it.
 */
#include <stdint.h>

#define AGENTS 8
#define RING 4096

struct entry { uint64_t time, key; };
struct body { uint64_t addr; uint32_t x, y, cause, to; };
struct record { uint64_t time; uint32_t cause, where; uint64_t a; uint32_t b, c; };

static struct entry heap[AGENTS];
static struct body bodies[AGENTS];
static struct record ring[RING];
static uint64_t counters[AGENTS][4], seq, pushes;

static int before(struct entry a, struct entry b) { return a.time < b.time || (a.time == b.time && a.key < b.key); }

static void sift_down(struct entry entry) {
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= AGENTS) break;
    if (child + 1 < AGENTS && before(heap[child + 1], heap[child])) child++;
    if (!before(heap[child], entry)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = entry;
}

/* Handles `events` events; `trace` records each. Returns a value that depends on all of them. */
__attribute__((export_name("limit"))) uint32_t limit(uint32_t events, uint32_t trace) {
  uint32_t random = 1;
  for (uint32_t i = 0; i < AGENTS; i++) {
    heap[i] = (struct entry){i, i};
    bodies[i] = (struct body){i, i, i, 0, i};
  }
  for (uint32_t i = 0; i < events; i++) {
    struct entry root = heap[0];
    uint32_t slot = (uint32_t)root.key & 7;
    struct body *body = &bodies[slot];
    random = random * 1664525u + 1013904223u;
    counters[body->to][0]++;
    counters[body->to][1] += body->x;
    if (trace) ring[seq & (RING - 1)] = (struct record){root.time, body->cause, body->to, body->addr, body->x, body->y};
    body->cause = (uint32_t)++seq;
    body->addr += 4;
    body->x = random >> 20;
    sift_down((struct entry){root.time + 1000 + (random >> 22), ++pushes << 3 | slot});
  }
  return (uint32_t)(heap[0].time ^ counters[3][1]);
}

#ifndef __wasm__
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* limit EVENTS TRACE: prints the milliseconds it took. */
int main(int argc, char **argv) {
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  uint32_t end = limit(argc > 1 ? (uint32_t)atoi(argv[1]) : 10000000u, argc > 2 && argv[2][0] == '1');
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("{\"wall_ms\":%.4f,\"end\":%u}\n", (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6, end);
  return 0;
}
#endif
