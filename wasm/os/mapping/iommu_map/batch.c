/* Many operations one after another, each with all its locks: for replays and tests. */
#include "os/mapping/iommu_map/pools.c"

static inline void map_allocate(struct map_table *t, const struct map_op *op, struct map_outcome *out) {
  struct map_request q = {.pages = op->pages,
      .mask = op->mask,
      .handle = op->handle,
      .cpu = op->cpu,
      .hash = op->hash,
      .align = op->align,
      .has_handle = op->has_handle};
  enum map_step step = map_begin(t, &q);
  while (step == MAP_LOCK) step = map_search_step(t, &q);
  *out = (struct map_outcome){q.result, q.handle, step == MAP_GOT ? q.pool : MAP_ROWS, q.locks,
      (uint32_t)t->head->flushes, (uint32_t)q.words, q.fatal, 0};
}

static inline void map_batch(
    struct map_table *t, const struct map_op *ops, struct map_outcome *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++, ops++, out++) {
    if (ops->kind == MAP_OP_ALLOC) {
      map_allocate(t, ops, out);
      continue;
    }
    uint64_t entry = ops->kind == MAP_OP_FREE ? ops->handle : map_entry_at(t->head, ops->handle);
    uint32_t pool = map_pool_of(t, entry);
    int done = pool < MAP_ROWS && map_free(t, pool, entry, ops->pages);
    *out = (struct map_outcome){
        entry, 0, pool, pool < MAP_ROWS, (uint32_t)t->head->flushes, 0, pool == MAP_ROWS, !done};
  }
}
