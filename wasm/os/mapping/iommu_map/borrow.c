/*
 * Addresses by wire: entries that another's allocator finds for this table, and those that the pools find for the
 * table of another service. A lent allocation takes the same locks, search and hand-overs as one of its own; only
 * that the entries are filled and cleared, and translations forgotten, is the other service's work.
 */
#include "os/mapping/iommu_map/service.h"

/* The first calls it is to have rows for, and what it may hand out. */
static int map_size_up(by *m, uint32_t self) {
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  struct allocator_size size = {0};
  for (uint32_t cpu = 0; cpu < MAP_CPUS; cpu++)
    if (by_wired(m, self, IOMMU_MAP_PORT_CPU + cpu)) s->cpus = cpu + 1;
  if (!map_lends(m, self)) return BY_OK;
  ask_allocator_size(m, self, IOMMU_MAP_PORT_LENDS, &size);
  if (s->cpus || size.pages < BY_PARAMS(m, self, iommu_map)->entries) return by_refuse(m, BY_BAD_PARAM, self, IOMMU_MAP_PARAM_ENTRIES);
  s->cpus = size.processors;
  return BY_OK;
}

static uint32_t map_index(uint32_t caller) { return CALLER_CPU(caller) * MAP_THREADS + CALLER_THREAD(caller); }

static void iommu_map_lends_alloc(by *m, uint32_t self, struct allocator_alloc *q) {
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  uint32_t index = map_index(q->caller), number = CALLER_CPU(q->caller) * (uint32_t)BY_PARAMS(m, self, iommu_map)->cpu_stride;
  *map_call_of(m, s, index) = (map_call){.step = IOMMU_MAP_STEP_ENTER, .op = PROCESSOR_OP_MAP, .handle = NO_TAG, .since = m->time, .address = MAP_NONE, .pages = (uint32_t)q->pages};
  *map_request_of(m, s, index) = (struct map_request){.pages = q->pages, .cpu = number, .hash = map_cpu_hash(number, s->multiplier), .align = q->align, .mask = q->last};
}

static void iommu_map_lends_free(by *m, uint32_t self, struct allocator_free *q) {
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  const struct map_head *h = by_at(m, s->head_at);
  *map_call_of(m, s, map_index(q->caller)) = (map_call){.step = IOMMU_MAP_STEP_ENTER, .op = PROCESSOR_OP_UNMAP, .handle = NO_TAG, .since = m->time, .address = q->page << h->shift, .pages = (uint32_t)q->pages};
}

static uint32_t iommu_map_lends_next(by *m, uint32_t self, struct allocator_next *q) {
  struct iommu_map_state *s = BY_STATE(m, self, iommu_map);
  uint32_t caller = q->caller, shift = ((struct map_head *)by_at(m, s->head_at))->shift;
  uint32_t step = map_next(m, self, CALLER_CPU(caller), CALLER_THREAD(caller), (struct os_next *)q);
  if (step != STEP_DONE) return step;
  q->page >>= shift;
  q->value >>= shift;
  return STEP_DONE;
}

/* Translations are to be forgotten: those of this call, or all of them. */
static uint32_t map_forget(struct os_next *p, uint32_t all) {
  p->detail = all;
  return STEP_FORGET;
}

/* Begins a call of another's allocator for this one. */
static void map_borrow(by *m, uint32_t self, uint32_t caller, map_call *call, const struct map_request *q) {
  const struct map_head *h = by_at(m, BY_STATE(m, self, iommu_map)->head_at);
  int map = call->op == PROCESSOR_OP_MAP;
  call->step = IOMMU_MAP_STEP_BORROWED;
  if (map) ask_allocator_alloc(m, self, IOMMU_MAP_PORT_ALLOCATOR, &(struct allocator_alloc){.caller = caller, .pages = q->mask < h->offset ? 0 : call->pages, .last = q->mask - h->offset, .align = q->align});
  else ask_allocator_free(m, self, IOMMU_MAP_PORT_ALLOCATOR, &(struct allocator_free){.caller = caller, .page = map_entry_at(h, call->address), .pages = call->pages});
}

/* The other allocator's next step. What it wants forgotten, the IOMMU forgets. */
static uint32_t map_borrowed(by *m, uint32_t self, uint32_t caller, map_call *call, struct os_next *p) {
  struct map_table t = map_table_of(m, BY_STATE(m, self, iommu_map));
  struct allocator_next *q = (struct allocator_next *)p;
  uint32_t step;
  for (;;) {
    q->caller = caller;
    step = ask_allocator_next(m, self, IOMMU_MAP_PORT_ALLOCATOR, q);
    if (step != STEP_FORGET) break;
    if (!by_wired(m, self, IOMMU_MAP_PORT_IOMMU)) continue;
    if (!q->detail) {
      ask_iommu_drop(m, self, IOMMU_MAP_PORT_IOMMU, &(struct iommu_drop){.entry = map_entry_at(t.head, call->address), .entries = call->pages});
      continue;
    }
    BY_COUNTERS(m, self, iommu_map)->flushes++;
    ask_iommu_flush(m, self, IOMMU_MAP_PORT_IOMMU);
    return map_spend(p, BY_PARAMS(m, self, iommu_map)->flush_time, PROCESSOR_STATE_LOCKED);
  }
  if (step != STEP_DONE || call->op != PROCESSOR_OP_MAP) return step;
  call->pages = (uint32_t)q->value;
  if (call->pages) call->address = t.head->base + (q->page << t.head->shift);
  return STEP_DONE;
}

static void iommu_map_allocator_size(by *m, uint32_t self, struct allocator_size *q) {
  const struct iommu_map_params *p = BY_PARAMS(m, self, iommu_map);
  q->pages = p->entries;
  q->processors = MAP_CPUS;
}

static void iommu_map_allocator_wake(by *m, uint32_t self, struct allocator_wake *q) {
  ask_os_wake(m, self, IOMMU_MAP_PORT_CPU + CALLER_CPU(q->caller), &(struct os_wake){.thread = CALLER_THREAD(q->caller)});
}
