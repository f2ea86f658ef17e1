/*
 * Keeping states apart. A part that can be explored says once, in <part>_keep, what its state is made
 * of; from that follow saving, loading and comparing states. What is not said there (times, counters,
 * what is only shown) cannot make two states differ.
 *
 *     by_keep(k, &s->stage, sizeof s->stage)      plain numbers
 *     by_keep_write(k, &half, KEEP_COPY)          the identity of a write: compared by what it means
 *
 * Identities grow without end, so states are compared by their meaning: the newest write of a place has
 * that place's name, any other write is just old.
 */
#ifndef BY_CORE_KEEP_H
#define BY_CORE_KEEP_H

#include "core/engine.h"

#define KEEP_BYTES 2048u
#define KEEP_NAMES 32u

enum keep_mode { KEEP_SAVE = 0, KEEP_LOAD, KEEP_COMPARE };

/* What holds a write's identity. */
enum keep_holder {
  KEEP_DATA = 0, /* data somewhere: it may be old */
  KEEP_COPY,     /* a copy that may be read: it must be the newest */
  KEEP_NEWEST,   /* the ledger: this is the newest write of a place */
};

struct by_keeper {
  uint32_t mode, n, names, copies_old;
  uint32_t name[KEEP_NAMES];
  uint8_t found[KEEP_NAMES]; /* the newest write of each place is held somewhere */
  uint8_t bytes[KEEP_BYTES];
};

/* Called for every field of every part: kept out of line, or it is most of the engine. */
static __attribute__((noinline, unused)) void by_keep(struct by_keeper *k, void *p, uint32_t bytes) {
  if (k->n + bytes > KEEP_BYTES) __builtin_trap();
  if (k->mode == KEEP_LOAD) __builtin_memcpy(p, k->bytes + k->n, bytes);
  else __builtin_memcpy(k->bytes + k->n, p, bytes);
  k->n += bytes;
}

/* A number that fits in a byte. */
static __attribute__((noinline, unused)) void by_keep_small(struct by_keeper *k, uint32_t *p) {
  if (k->n >= KEEP_BYTES || *p > 255) __builtin_trap();
  if (k->mode == KEEP_LOAD) *p = k->bytes[k->n++];
  else k->bytes[k->n++] = (uint8_t)*p;
}

static __attribute__((noinline, unused)) void by_keep_write(struct by_keeper *k, uint32_t *write, uint32_t holder) {
  if (k->mode != KEEP_COMPARE) {
    by_keep(k, write, sizeof *write);
    return;
  }
  if (holder == KEEP_NEWEST) {
    if (k->names < KEEP_NAMES) k->name[k->names++] = *write;
    return;
  }
  uint8_t name = 0;
  for (uint32_t i = 0; i < k->names && *write; i++)
    if (k->name[i] == *write) name = (uint8_t)(i + 1);
  if (name) k->found[name - 1] = 1;
  else if (holder == KEEP_COPY && *write) k->copies_old++; /* 0: nobody follows this place */
  k->bytes[k->n++] = name;
}

/* This write may be nowhere any more: another that takes its place is already in order. */
static inline void by_keep_overwritten(struct by_keeper *k, uint32_t write) {
  for (uint32_t i = 0; i < k->names && write; i++)
    if (k->name[i] == write) k->found[i] = 1;
}

/* All of an engine's state, its pending messages included. */
void by_keep_all(by *m, struct by_keeper *k) BY_COLD;

/* One event, any of those pending, by choice. Returns 0 if none is pending. */
int by_step_any(by *m);

#endif
