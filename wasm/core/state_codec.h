/*
 * Keeping states. A part that can be explored lists its state once, in <part>_serialize; from
 * that follow writing a state out and reading it back. What is not said there (times, counters, what is
 * only shown) cannot make two states differ.
 *
 *     sim_codec_u8(k, &s->stage)                 a number below 256
 *     sim_codec_write_id(k, &half, WRITE_COPY)          the identity of a write: kept by what it means
 *
 * Identities grow without end, so a state holds their meaning: the newest write of a place has that
 * place's name, so has what memory holds of it; a write that is still to come has another, and all else
 * is just old. Two states with the
 * same bytes behave alike from there on.
 */
#ifndef SIM_CORE_KEEP_H
#define SIM_CORE_KEEP_H

#include "core/engine.h"

#define CODEC_BYTES 2048u
#define CODEC_PART 512u /* at most for one part */
#define CODEC_WRITE_CLASSES 32u

/* What holds a write's identity. */
enum write_holder {
  HOLDER_DATA = 0, /* data somewhere: it may be old */
  WRITE_COPY,     /* a copy that may be read: it must be the newest */
  HOLDER_NEWEST,   /* the shadow memory: this is the newest write of a place */
  HOLDER_MEMORY,   /* what memory holds of a place: it may become the newest again, when a newer one is thrown away */
  WRITE_PENDING,   /* a device's write that has not happened yet */
};

/* How an identity is written: 0 for none, then the newest of each place, then what memory holds, then these. */
enum { CODE_MEMORY = 1 + CODEC_WRITE_CLASSES, CODE_PENDING = 254, CODE_STALE = 255 };

struct sim_codec {
  uint8_t *at; /* next byte */
  uint32_t reading, names, copies_old, found; /* found: bits of the places whose newest write is held somewhere */
  uint32_t coming, memory;
  uint32_t name[CODEC_WRITE_CLASSES], held[CODEC_WRITE_CLASSES];
};

#define SIM_CODEC_FIELD(k, p, type)                                                 \
  do {                                                                      \
    type kept = 0;                                                          \
    if ((k)->reading) {                                                     \
      __builtin_memcpy(&kept, (k)->at, sizeof kept);                        \
      *(p) = kept;                                                          \
    } else {                                                                \
      kept = (type) * (p);                                                  \
      if (kept != *(p)) __builtin_trap(); /* it is larger than was said */  \
      __builtin_memcpy((k)->at, &kept, sizeof kept);                        \
    }                                                                       \
    (k)->at += sizeof kept;                                                 \
  } while (0)

static inline void sim_codec_u8(struct sim_codec *k, uint32_t *p) { SIM_CODEC_FIELD(k, p, uint8_t); }
static inline void sim_codec_u16(struct sim_codec *k, uint32_t *p) { SIM_CODEC_FIELD(k, p, uint16_t); }
static inline void sim_codec_u32(struct sim_codec *k, uint32_t *p) { SIM_CODEC_FIELD(k, p, uint32_t); }
static inline void sim_codec_u64(struct sim_codec *k, uint64_t *p) { SIM_CODEC_FIELD(k, p, uint64_t); }
/* Machines that are explored lie within 4 GiB. */
static inline void sim_codec_addr(struct sim_codec *k, uint64_t *p) { SIM_CODEC_FIELD(k, p, uint32_t); }

/* The identity that stands for what was written: numbers from 2 on, in the order of the names. */
static inline uint32_t sim_decode_write_id(struct sim_codec *k) {
  uint32_t kept = *k->at++;
  if (kept == CODE_STALE) return 1;
  if (kept == CODE_PENDING) return 2 + 2 * CODEC_WRITE_CLASSES + k->coming++;
  return kept ? kept + 1 : 0;
}

static inline uint32_t sim_write_class(struct sim_codec *k, uint32_t write, uint32_t otherwise) {
  for (uint32_t i = 0; i < k->names; i++)
    if (k->name[i] == write) {
      k->found |= 1u << i;
      return 1 + i;
    }
  for (uint32_t i = 0; i < k->memory; i++)
    if (k->held[i] == write) return CODE_MEMORY + i;
  return otherwise;
}

static inline void sim_codec_write_id(struct sim_codec *k, uint32_t *write, uint32_t holder) {
  if (holder == HOLDER_NEWEST) {
    if (k->reading) *write = 2 + k->names;
    if (k->names >= CODEC_WRITE_CLASSES || *write == 0) __builtin_trap();
    k->name[k->names++] = *write;
  } else if (k->reading) {
    *write = sim_decode_write_id(k);
  } else {
    if (holder == HOLDER_MEMORY) k->held[k->memory++] = *write;
    uint32_t kept = *write ? sim_write_class(k, *write, holder == WRITE_PENDING ? CODE_PENDING : CODE_STALE) : 0;
    k->copies_old += holder == WRITE_COPY && kept >= CODE_MEMORY;
    *k->at++ = (uint8_t)kept;
  }
}

/* This write may be nowhere any more: another that takes its place is already in order. */
static inline void sim_codec_stale_write(struct sim_codec *k, uint32_t write) {
  for (uint32_t i = 0; i < k->names && write; i++)
    if (k->name[i] == write) k->found |= 1u << i;
}

/* Writes an engine's state to `bytes`, its pending messages included, and returns its length; or reads it. */
uint32_t sim_encode(sim *m, struct sim_codec *k, uint8_t *bytes);
void sim_decode(sim *m, struct sim_codec *k, const uint8_t *bytes);

/* By which name a part's own message of this kind, which is pending, can be withdrawn. */
uint32_t sim_pending_write_class(sim *m, uint32_t self, uint32_t kind);

/* One event, any of those that may be next, by choice. Returns 0 if there is none. */
int sim_explore_step(sim *m);
/* All events that are to be at once. */
void sim_run_invisible(sim *m);

#endif
