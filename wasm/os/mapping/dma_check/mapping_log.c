#include "os/mapping/dma_check/mapping_log.h"

/* A test can count the pages looked up. */
#ifndef BOOKS_LOOKS_UP
#define BOOKS_LOOKS_UP
#endif

static uint32_t *dma_debug_bucket(const struct books *b, uint64_t page) {
  BOOKS_LOOKS_UP;
  return &b->buckets[page * 0x9e3779b97f4a7c15ull >> (64 - b->head->bucket_bits)];
}

static void dma_debug_report(
    struct books *b, uint32_t kind, uint64_t address, uint32_t first, uint32_t second) {
  if (b->count < BOOKS_FOUND)
    b->found[b->count++] = (struct mapping_log_finding){address, kind, first, second};
}

static uint64_t dma_debug_pages(uint64_t from, uint64_t bytes) {
  return (from % BOOKS_PAGE + bytes - 1) / BOOKS_PAGE + 1;
}

/* Whether a range has more pages than the log has nodes. Such a range is compared with each mapping: callers
   can pass any size. */
static int mapping_log_is_long(const struct books *b, uint64_t from, uint64_t bytes) {
  return dma_debug_pages(from, bytes) > b->head->node_limit;
}

/* Removes one node of a mapping from a page's bucket, once for each of its pages there. */
static void dma_debug_unlink(const struct books *b, uint64_t page, uint32_t row) {
  uint32_t *at = dma_debug_bucket(b, page);
  while (*at) {
    struct mapping_log_node *node = &b->nodes[*at - 1];
    if (node->row != row + 1) {
      at = &node->next;
      continue;
    }
    uint32_t gone = *at;
    *at = node->next;
    node->next = b->head->free_node;
    b->head->free_node = gone;
    return;
  }
}

/* Deletes a mapping. */
static void dma_debug_remove(const struct books *b, uint32_t row) {
  mapping_log_row *r = &b->rows[row];
  for (uint32_t memory = 0; memory < 2; memory++) {
    uint64_t from = memory ? r->host : r->address, n = dma_debug_pages(from, r->bytes);
    for (uint64_t i = 0; i < n; i++) dma_debug_unlink(b, (from / BOOKS_PAGE + i) << 1 | memory, row);
  }
  *r = (mapping_log_row){.next = b->head->free_row};
  b->head->free_row = row + 1;
}

/* Deletes an unmapped mapping, the next in turn. Returns 0 if all are current. */
static int dma_debug_make_room(const struct books *b) {
  struct mapping_log_head *h = b->head;
  for (uint32_t i = 0; i < h->rows; i++) {
    uint32_t row = h->cursor++ % h->rows;
    if (b->rows[row].live || b->rows[row].bytes == 0) continue;
    dma_debug_remove(b, row);
    return 1;
  }
  return 0;
}

static void dma_debug_link(const struct books *b, uint64_t page, uint32_t row) {
  struct mapping_log_head *h = b->head;
  uint32_t node = h->free_node ? h->free_node - 1 : h->nodes++, *bucket = dma_debug_bucket(b, page);
  if (h->free_node) h->free_node = b->nodes[node].next;
  b->nodes[node] = (struct mapping_log_node){page, row + 1, *bucket};
  *bucket = node + 1;
}

/* The number of free or unused nodes, up to the number requested. */
static int dma_debug_has_nodes(const struct books *b, uint64_t wanted) {
  uint64_t have = b->head->node_limit - b->head->nodes;
  for (uint32_t at = b->head->free_node; at && have < wanted; at = b->nodes[at - 1].next) have++;
  return have >= wanted;
}

/* The mapping that contains a device address, current or unmapped; `lines` extends it to whole lines. -1 if
   there is none. */
static int64_t dma_debug_find(const struct books *b, uint64_t address, uint32_t live, int lines) {
  uint64_t page = address / BOOKS_PAGE << 1, slack = lines ? BOOKS_LINE - 1 : 0;
  for (uint32_t at = *dma_debug_bucket(b, page); at; at = b->nodes[at - 1].next) {
    const struct mapping_log_node *node = &b->nodes[at - 1];
    const mapping_log_row *r = &b->rows[node->row - 1];
    if (node->page == page && r->live == live && (address | slack) >= r->address
        && (address & ~slack) < r->address + r->bytes)
      return node->row - 1;
  }
  return -1;
}

/* The mapping that begins at an address, or else one that begins in the same page. */
static int64_t dma_debug_starts_in(const struct books *b, uint64_t address, uint32_t live) {
  uint64_t page = address / BOOKS_PAGE << 1;
  int64_t found = -1;
  for (uint32_t at = *dma_debug_bucket(b, page); at; at = b->nodes[at - 1].next) {
    const struct mapping_log_node *node = &b->nodes[at - 1];
    const mapping_log_row *r = &b->rows[node->row - 1];
    if (node->page != page || r->live != live || r->way & CONTRACT_DIRECTION_PARTIAL) continue;
    if (r->address == address) return node->row - 1;
    if (r->address / BOOKS_PAGE == address / BOOKS_PAGE) found = node->row - 1;
  }
  return found;
}

/* Whether two different ranges of memory share a line. */
static int dma_debug_overlap(const mapping_log_row *r, const struct mapping_log_new *q) {
  uint64_t a = r->host / BOOKS_LINE, a_end = (r->host + r->bytes - 1) / BOOKS_LINE, n = q->host / BOOKS_LINE,
           n_end = (q->host + q->bytes - 1) / BOOKS_LINE;
  return a <= n_end && n <= a_end && (r->host != q->host || r->bytes != q->bytes);
}

/* Whether a current mapping shares a line with the new one, and a device writes one of them. */
static int mapping_log_disturbs(const mapping_log_row *r, const struct mapping_log_new *q) {
  int only_read =
          (r->way & 3) == CONTRACT_DIRECTION_TO_DEVICE && (q->way & 3) == CONTRACT_DIRECTION_TO_DEVICE,
      shared = r->way & q->way & CONTRACT_DIRECTION_COHERENT;
  return r->live && !only_read && !shared && dma_debug_overlap(r, q);
}

/* A current mapping that shares a line with the new one, where a device writes one of them; -1 if there is
 * none. */
static int64_t dma_debug_next_page(const struct books *b, const struct mapping_log_new *q) {
  if (mapping_log_is_long(b, q->host, q->bytes)) {
    for (uint32_t row = 0; row < b->head->rows; row++)
      if (mapping_log_disturbs(&b->rows[row], q)) return row;
    return -1;
  }
  uint64_t pages = dma_debug_pages(q->host, q->bytes);
  for (uint64_t i = 0; i < pages; i++) {
    uint64_t page = (q->host / BOOKS_PAGE + i) << 1 | 1;
    for (uint32_t at = *dma_debug_bucket(b, page); at; at = b->nodes[at - 1].next) {
      const struct mapping_log_node *node = &b->nodes[at - 1];
      if (node->page == page && mapping_log_disturbs(&b->rows[node->row - 1], q)) return node->row - 1;
    }
  }
  return -1;
}

/* The row of a new mapping; -1 if there is no room for it. */
static int64_t dma_debug_alloc_node(const struct books *b, const struct mapping_log_new *q) {
  struct mapping_log_head *h = b->head;
  if (mapping_log_is_long(b, q->address, q->bytes)) return -1;
  uint64_t nodes = dma_debug_pages(q->address, q->bytes) + dma_debug_pages(q->host, q->bytes);
  if (nodes > h->node_limit) return -1;
  while ((!h->free_row && h->rows == h->row_limit) || !dma_debug_has_nodes(b, nodes))
    if (!dma_debug_make_room(b)) return -1;
  uint32_t row = h->free_row ? h->free_row - 1 : h->rows++;
  if (h->free_row) h->free_row = b->rows[row].next;
  return row;
}

/* Deletes a mapping that replaces a page; returns 0 if it is none. */
static int mapping_log_drop_part(const struct books *b, uint32_t row) {
  if (!(b->rows[row].way & CONTRACT_DIRECTION_PARTIAL)) return 0;
  b->head->live--;
  dma_debug_remove(b, row);
  return 1;
}

/* Deletes mappings that replace pages of a range of addresses. */
static void dma_debug_remove_partial(const struct books *b, uint64_t address, uint64_t bytes) {
  uint64_t first = address / BOOKS_PAGE, pages = dma_debug_pages(address, bytes);
  if (mapping_log_is_long(b, address, bytes)) {
    for (uint32_t row = 0; row < b->head->rows; row++)
      if (b->rows[row].bytes && b->rows[row].address / BOOKS_PAGE - first < pages)
        mapping_log_drop_part(b, row);
    return;
  }
  for (uint64_t i = 0; i < pages; i++) {
    uint64_t page = (first + i) << 1;
    for (uint32_t at = *dma_debug_bucket(b, page); at;) {
      const struct mapping_log_node node = b->nodes[at - 1];
      at = node.page == page && mapping_log_drop_part(b, node.row - 1) ? *dma_debug_bucket(b, page)
                                                                       : node.next;
    }
  }
}

static void dma_debug_map(struct books *b, const struct mapping_log_new *q) {
  struct mapping_log_head *h = b->head;
  if (q->bytes == 0) return;
  if (q->way & CONTRACT_DIRECTION_PARTIAL) dma_debug_remove_partial(b, q->address, q->bytes);
  int64_t before = dma_debug_starts_in(b, q->address, 0), beside = dma_debug_next_page(b, q);
  uint32_t was = before >= 0 && b->rows[before].address == q->address ? b->rows[before].gone : 0,
           was_started = was ? b->rows[before].started : 0, was_reached = was ? b->rows[before].reached : 0;
  if (beside >= 0) dma_debug_report(b, DMA_CHECK_FINDING_OVERLAP, q->host, b->rows[beside].made, q->place);
  if (was) dma_debug_remove(b, (uint32_t)before);
  int64_t row = dma_debug_alloc_node(b, q);
  if (row < 0) {
    h->beyond++;
    return;
  }
  b->rows[row] = (mapping_log_row){.address = q->address,
      .host = q->host,
      .bytes = q->bytes,
      .live = 1,
      .way = q->way,
      .made = q->place,
      .was = was,
      .was_started = was_started,
      .was_reached = was_reached};
  for (uint32_t memory = 0; memory < 2; memory++) {
    uint64_t from = memory ? q->host : q->address, n = dma_debug_pages(from, q->bytes);
    for (uint64_t i = 0; i < n; i++) dma_debug_link(b, (from / BOOKS_PAGE + i) << 1 | memory, (uint32_t)row);
  }
  if (++h->live > h->most) h->most = h->live;
}

/* Marks a mapping as unmapped; returns it, or -1 if no current mapping begins there. */
static int64_t dma_debug_unmap(struct books *b, uint64_t address, int gone, uint32_t place) {
  int64_t row = gone ? -1 : dma_debug_starts_in(b, address, 1), dead = dma_debug_starts_in(b, address, 0);
  if (row >= 0) {
    dma_debug_remove_partial(b, b->rows[row].address, b->rows[row].bytes);
    b->rows[row].live = 0;
    b->rows[row].gone = place;
    b->head->live--;
    return row;
  }
  if (dead >= 0) {
    dma_debug_report(b, DMA_CHECK_FINDING_DOUBLE_UNMAP, address, b->rows[dead].gone, place);
    return -1;
  }
  int64_t inside = dma_debug_find(b, address, 1, 0);
  if (gone && inside >= 0 && b->rows[inside].was) { /* its address now belongs to another mapping */
    dma_debug_report(b, DMA_CHECK_FINDING_DOUBLE_UNMAP, address, b->rows[inside].was, place);
    return -1;
  }
  dma_debug_report(
      b, DMA_CHECK_FINDING_UNKNOWN_ADDRESS, address, inside < 0 ? 0 : b->rows[inside].made, place);
  return -1;
}

/* Handles the use of an address, possibly of no mapping or of an unmapped one. Returns the current one, or
 * -1. */
static int64_t dma_debug_use(struct books *b, uint64_t address, uint32_t place) {
  int64_t row = dma_debug_find(b, address, 1, 1), dead = row < 0 ? dma_debug_find(b, address, 0, 1) : -1;
  if (row >= 0) return row;
  if (dead >= 0) {
    mapping_log_row *r = &b->rows[dead];
    if (!(r->reported & 1u << DMA_CHECK_FINDING_AFTER_UNMAP))
      dma_debug_report(b, DMA_CHECK_FINDING_AFTER_UNMAP, address, r->gone, place ? place : r->made);
    r->reported |= 1u << DMA_CHECK_FINDING_AFTER_UNMAP;
  } else {
    dma_debug_report(b, DMA_CHECK_FINDING_UNKNOWN_ADDRESS, address, 0, place);
  }
  return -1;
}

/* The next current mapping from a row on; -1 if there is none. */
static int64_t dma_debug_next_live(const struct books *b, uint32_t row) {
  for (; row < b->head->rows; row++)
    if (b->rows[row].live) return row;
  return -1;
}
