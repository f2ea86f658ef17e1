/*
 * The books about mappings on their own, for recorded traces: the host writes operations, and reads after each batch
 * what was found. The books are those that the checker of a running machine keeps.
 */

static struct recorded_directory recorded_places;
static struct books recorded_books;
static struct books_head recorded_head;

/* Room for so many mappings of as many pages, and operations at a time; address of the directory, or 0 without memory. */
EXPORT(recorded_room) uint32_t wasm_recorded_room(uint32_t rows, uint32_t nodes, uint32_t ops) {
  uint32_t at = ((uint32_t)(uintptr_t)&__heap_base + 63u) & ~63u, bits = 31u - (uint32_t)__builtin_clz(nodes | 1);
  uint64_t bytes = (uint64_t)rows * sizeof(books_row) + (uint64_t)nodes * sizeof(struct books_node) + (4ull << bits) + (uint64_t)ops * sizeof(struct recorded_op) + 4096;
  if (bytes > 1u << 30 || !grown(at + (uint32_t)bytes)) return 0;
  recorded_head = (struct books_head){.row_limit = rows, .node_limit = nodes, .bucket_bits = bits};
  recorded_books.head = &recorded_head;
  recorded_books.rows = (void *)(uintptr_t)maps_place(&at, rows * sizeof(books_row));
  recorded_books.nodes = (void *)(uintptr_t)maps_place(&at, nodes * sizeof(struct books_node));
  recorded_books.buckets = (void *)(uintptr_t)maps_place(&at, 4u << bits);
  recorded_places.ops_at = maps_place(&at, ops * sizeof(struct recorded_op));
  return (uint32_t)(uintptr_t)&recorded_places;
}

static void recorded_step(struct recorded_op *op) {
  struct books *b = &recorded_books;
  b->count = 0;
  op->finding = op->first = 0;
  if (op->kind == RECORDED_MAP) {
    books_map(b, &(struct books_new){op->address, op->address, op->bytes, CONTRACT_SHARED, op->place});
    return;
  }
  int64_t row = books_unmap(b, op->address, 0, op->place);
  op->bytes = row < 0 ? 0 : b->rows[row].bytes;
  if (!b->count) return;
  op->finding = b->found[0].kind;
  op->first = b->found[0].first;
}

EXPORT(recorded_run) void wasm_recorded_run(uint32_t ops) {
  struct recorded_op *op = (void *)(uintptr_t)recorded_places.ops_at;
  for (uint32_t i = 0; i < ops; i++) recorded_step(&op[i]);
  recorded_places.live = recorded_head.live;
  recorded_places.most = recorded_head.most;
  recorded_places.beyond = recorded_head.beyond;
}

/* The place where the next live mapping from row `from` on was made, and that row plus 1 in the operation; 0 if there is none. */
EXPORT(recorded_live) uint32_t wasm_recorded_live(uint32_t from) {
  struct recorded_op *op = (void *)(uintptr_t)recorded_places.ops_at;
  int64_t row = books_next_live(&recorded_books, from);
  if (row < 0) return 0;
  const books_row *r = &recorded_books.rows[row];
  *op = (struct recorded_op){.address = r->address, .bytes = r->bytes, .place = r->made};
  return (uint32_t)row + 1;
}
