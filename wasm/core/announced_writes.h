/*
 * Loads that overtake a device's writes. An interrupt on a line of its own can reach a processor before the
 * writes that it announces reach memory. A load in between gets stale data, although it is the newest in
 * memory. So memory records what was loaded since, and compares when the writes arrive:
 *
 *     device:     writes 7 to 9 ........ interrupt
 *     processor:                         takes it, loads 0x40
 *     memory:                 7 arrives            8 arrives at 0x40: overtaken     9 arrives: the end
 */
#ifndef SIM_CORE_ANNOUNCED_WRITES_H
#define SIM_CORE_ANNOUNCED_WRITES_H

#include "core/engine.h"

#define ANNOUNCED_MAX 8u  /* interrupts with writes possibly in flight; another one replaces the oldest */
#define ANNOUNCED_SEEN 4u /* ranges loaded since each; another one replaces the oldest */

struct announced_range {
  uint64_t from;
  uint64_t to;
};

/* Writes announced by an interrupt, and ranges loaded since; last is 0 when all have arrived. */
struct announced_entry {
  struct announced_range seen[ANNOUNCED_SEEN];
  uint32_t first;
  uint32_t last;
  uint32_t oldest;
  /* the first half line of the device's next transfer, once that has started; ends this one */
  uint32_t next;
  uint32_t next_last;
  uint32_t spare;
};

struct announced_writes {
  uint32_t used;
  uint32_t next; /* next entry to replace */
  struct announced_entry entry[ANNOUNCED_MAX];
};

static SIM_COLD void announced_end(struct announced_writes *a, struct announced_entry *e) {
  *e = (struct announced_entry){0};
  a->used--;
}

/* Without a last write: the device starts again. It can send the same identities once more, so what it
   announced ends when the first write of its next transfer arrives, behind all of this one. */
static SIM_COLD void announced_add(
    struct announced_writes *a, uint32_t first, uint32_t last, uint32_t next, uint32_t next_last) {
  for (uint32_t i = 0; i < ANNOUNCED_MAX && !last; i++)
    if (a->entry[i].last && a->entry[i].first == first)
      a->entry[i].next = next, a->entry[i].next_last = next_last;
  if (!last) return;
  struct announced_entry *e = &a->entry[a->next];
  a->used += e->last == 0;
  *e = (struct announced_entry){.first = first, .last = last};
  a->next = (a->next + 1) % ANNOUNCED_MAX;
}

/* Consecutive loads form one range. */
static SIM_COLD void announced_remember(struct announced_entry *e, uint64_t from, uint64_t to) {
  for (uint32_t i = 0; i < ANNOUNCED_SEEN; i++) {
    struct announced_range *t = &e->seen[i];
    if (t->to == 0 || from > t->to || to < t->from) continue;
    *t = (struct announced_range){sim_min(t->from, from), sim_max(t->to, to)};
    return;
  }
  e->seen[e->oldest] = (struct announced_range){from, to};
  e->oldest = (e->oldest + 1) % ANNOUNCED_SEEN;
}

static SIM_COLD void announced_loaded(struct announced_writes *a, uint64_t from, uint64_t to) {
  for (uint32_t i = 0; i < ANNOUNCED_MAX && a->used; i++)
    if (a->entry[i].last) announced_remember(&a->entry[i], from, to);
}

/* A device's write reaches a grain. Returns whether that was loaded since an interrupt announced the write.
 */
static SIM_COLD uint32_t announced_arrived(
    struct announced_writes *a, uint64_t at, uint64_t grain, uint32_t write) {
  uint32_t early = 0;
  for (uint32_t i = 0; i < ANNOUNCED_MAX; i++) {
    struct announced_entry *e = &a->entry[i];
    if (e->next && write >= e->next && write <= e->next_last) announced_end(a, e);
    if (write < e->first || write > e->last) continue;
    for (uint32_t n = 0; n < ANNOUNCED_SEEN; n++) early |= e->seen[n].from < at + grain && at < e->seen[n].to;
    if (write == e->last) announced_end(a, e);
  }
  return early;
}

#endif
