/*
 * State codec. Each explorable part lists its state once, in <part>_serialize; serialization and
 * deserialization share that list. Anything not listed (times, counters, display data) cannot distinguish two
 * states.
 *
 *     sim_codec_u8(k, &s->stage)                 a number below 256
 *     sim_codec_write_id(k, &half, WRITE_COPY)          the identity of a write: kept by what it means
 *
 * Write numbers grow without bound, so a state stores their meaning: the newest write to a location has that
 * location's name, and so has the one in memory; a pending write has another, and all others are just stale.
 * Two states with the same bytes behave alike from there on.
 */
#ifndef SIM_CORE_KEEP_H
#define SIM_CORE_KEEP_H

#include "core/engine.h"

#define CODEC_BYTES 2048u
#define CODEC_PART 512u /* at most for one part */
#define CODEC_WRITE_CLASSES 32u

/* Kinds of holders of a write's identity. */
enum write_holder {
  HOLDER_DATA = 0, /* data anywhere: it may be stale */
  WRITE_COPY,      /* a readable copy: it must be the newest */
  HOLDER_NEWEST,   /* the shadow memory: the newest write to a location */
  HOLDER_MEMORY,   /* the write in memory: it can become the newest again if a newer one is discarded */
  WRITE_PENDING,   /* a device's write that has not happened yet */
};

/* Encoding of an identity: 0 for none, then the newest of each location, then the one in memory, then these.
 */
enum { CODE_MEMORY = 1 + CODEC_WRITE_CLASSES, CODE_PENDING = 254, CODE_STALE = 255 };

struct sim_codec {
  uint8_t *at; /* next byte */
  uint32_t reading;
  uint32_t names;
  uint32_t copies_old;
  uint32_t found; /* bits of the locations whose newest write is held anywhere */
  uint32_t coming;
  uint32_t memory;
  uint32_t name[CODEC_WRITE_CLASSES];
  uint32_t held[CODEC_WRITE_CLASSES];
};

#define SIM_CODEC_FIELD(k, p, type)                                              \
  do {                                                                           \
    type kept = 0;                                                               \
    if ((k)->reading) {                                                          \
      __builtin_memcpy(&kept, (k)->at, sizeof kept);                             \
      *(p) = kept;                                                               \
    } else {                                                                     \
      kept = (type) * (p);                                                       \
      if (kept != *(p)) __builtin_trap(); /* value exceeds the declared range */ \
      __builtin_memcpy((k)->at, &kept, sizeof kept);                             \
    }                                                                            \
    (k)->at += sizeof kept;                                                      \
  } while (0)

static inline void sim_codec_u8(struct sim_codec *k, uint32_t *p) { SIM_CODEC_FIELD(k, p, uint8_t); }
static inline void sim_codec_u16(struct sim_codec *k, uint32_t *p) { SIM_CODEC_FIELD(k, p, uint16_t); }
static inline void sim_codec_u32(struct sim_codec *k, uint32_t *p) { SIM_CODEC_FIELD(k, p, uint32_t); }
static inline void sim_codec_u64(struct sim_codec *k, uint64_t *p) { SIM_CODEC_FIELD(k, p, uint64_t); }
/* Explored machines use addresses below 4 GiB. */
static inline void sim_codec_addr(struct sim_codec *k, uint64_t *p) { SIM_CODEC_FIELD(k, p, uint32_t); }

/* The identity for an encoded number: numbers from 2 on, in the order of the names. */
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
    uint32_t kept =
        *write ? sim_write_class(k, *write, holder == WRITE_PENDING ? CODE_PENDING : CODE_STALE) : 0;
    k->copies_old += holder == WRITE_COPY && kept >= CODE_MEMORY;
    *k->at++ = (uint8_t)kept;
  }
}

/* Marks a write that may be lost: another one that replaces it is already ordered. */
static inline void sim_codec_stale_write(struct sim_codec *k, uint32_t write) {
  for (uint32_t i = 0; i < k->names && write; i++)
    if (k->name[i] == write) k->found |= 1u << i;
}

/* Writes an engine's state, including pending messages, to `bytes` and returns its length; or reads it back.
 */
uint32_t sim_encode(sim *m, struct sim_codec *k, uint8_t *bytes);
void sim_decode(sim *m, struct sim_codec *k, const uint8_t *bytes);

/* The handle for sim_cancel of a part's own pending message of this kind. */
uint32_t sim_pending_write_class(sim *m, uint32_t self, uint32_t kind);

/* Runs one event, chosen among the enabled ones. Returns 0 if there is none. */
int sim_explore_step(sim *m);
/* Runs all invisible events. */
void sim_run_invisible(sim *m);

#endif
