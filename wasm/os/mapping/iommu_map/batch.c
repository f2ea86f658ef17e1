/* Many operations one after another, each with all the locks it asks for: what replays and tests do. */
#include "os/mapping/iommu_map/pools.c"

enum map_op_kind { MAP_OP_ALLOC = 0, MAP_OP_FREE = 1, MAP_OP_FREE_ADDRESS = 2 };

struct map_op {
  uint32_t kind, cpu, hash, align;
  uint64_t pages, mask, handle; /* for a free, handle is the entry or bus address */
  uint32_t has_handle, spare;
};

struct map_outcome {
  uint64_t result, handle; /* result: first entry, or MAP_NONE */
  uint32_t pool;           /* MAP_ROWS: none */
  uint32_t locks, flushes;
  uint32_t words;
  uint32_t fatal, refused; /* fatal: the kernel would stop here; refused: a free of what is not handed out */
};

static inline void map_allocate(struct map_table *t, const struct map_op *op, struct map_outcome *out) {
  struct map_request q = {.pages = op->pages, .mask = op->mask, .handle = op->handle, .cpu = op->cpu, .hash = op->hash, .align = op->align, .has_handle = op->has_handle};
  enum map_step step = map_begin(t, &q);
  while (step == MAP_LOCK) step = map_go(t, &q);
  *out = (struct map_outcome){q.result, q.handle, step == MAP_GOT ? q.pool : MAP_ROWS, q.locks, (uint32_t)t->head->flushes, (uint32_t)q.words, q.fatal, 0};
}

static inline void map_batch(struct map_table *t, const struct map_op *ops, struct map_outcome *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++, ops++, out++) {
    if (ops->kind == MAP_OP_ALLOC) {
      map_allocate(t, ops, out);
      continue;
    }
    uint64_t entry = ops->kind == MAP_OP_FREE ? ops->handle : map_entry_at(t->head, ops->handle);
    uint32_t pool = map_pool_of(t, entry);
    int done = pool < MAP_ROWS && map_free(t, pool, entry, ops->pages);
    *out = (struct map_outcome){entry, 0, pool, pool < MAP_ROWS, (uint32_t)t->head->flushes, 0, pool == MAP_ROWS, !done};
  }
}
