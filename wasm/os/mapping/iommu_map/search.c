/*
 * The search for n contiguous zero bits, like the kernel's area search: next zero bit, round up to the
 * alignment, look for a set bit within the next n; if there is one, continue behind it. The cost of a search
 * is the number of 64-bit words it reads.
 *
 * A replay does not need that cost. For each block of 512 entries and each alignment it can store the
 * smallest n for which no area of n begins there, and skip such blocks: the same results, much faster.
 */
#ifndef SIM_IOMMU_MAP_SEARCH
#define SIM_IOMMU_MAP_SEARCH

#include "os/mapping/iommu_map/map.h"

/* First bit in [start, size) that is set once `flip` is applied; `size` if there is none. */
static inline uint64_t map_next_bit(
    const uint64_t *bits, uint64_t size, uint64_t start, uint64_t flip, uint64_t *words) {
  if (start >= size) return size;
  uint64_t at = start >> 6, last = (size - 1) >> 6;
  uint64_t word = (bits[at] ^ flip) & (UINT64_MAX << (start & 63));
  while (!word) {
    if (at == last) {
      *words += at - (start >> 6) + 1;
      return size;
    }
    word = bits[++at] ^ flip;
  }
  *words += at - (start >> 6) + 1;
  uint64_t found = (at << 6) + (uint64_t)__builtin_ctzll(word);
  return found < size ? found : size;
}

static inline void map_keep_probe(const struct map_table *t, uint64_t index, uint64_t blocked) {
  if (!t->last) return;
  if (t->last->count < MAP_PROBES)
    t->probes[t->last->count] = (struct map_probe){(uint32_t)index, (uint32_t)blocked};
  t->last->count++;
}

/* Whether the area would straddle the segment boundary. If that is not a power of two the kernel would crash.
 */
static inline int map_straddles(const struct map_head *h, uint64_t index, uint64_t pages, uint32_t *fatal) {
  int skip = (h->rules & RULE_SKIP_SPAN) != 0;
  uint64_t offset = skip ? 0 : h->offset;
  uint64_t boundary = skip ? (uint64_t)h->pool_size * h->npools : h->boundary;
  if (boundary & (boundary - 1) || boundary == 0) {
    *fatal = 1;
    return 0;
  }
  return ((offset + index) & (boundary - 1)) + pages > boundary;
}

#define MAP_BLOCK 9 /* binary logarithm of the entries in a block */

/* The stored limits of areas of an alignment, per block; NULL if not used. */
static inline uint16_t *map_bounds(const struct map_table *t, uint32_t order) {
  return t->bounds && order < MAP_ORDERS ? t->bounds + order : NULL;
}

/* Start, or the beginning of the first block after it where an area of n can begin. */
static inline uint64_t map_pass_over(const uint16_t *bounds, uint64_t start, uint64_t size, uint64_t n) {
  uint64_t block = start >> MAP_BLOCK, last = size >> MAP_BLOCK;
  while (block < last && bounds[block * MAP_ORDERS] && bounds[block * MAP_ORDERS] <= n) block++;
  return block == start >> MAP_BLOCK ? start : block << MAP_BLOCK;
}

/* Notes that no area of n begins in the whole blocks of [from, to). */
static inline void map_note_bounds(uint16_t *bounds, uint64_t from, uint64_t to, uint64_t n) {
  if (n > 1u << MAP_BLOCK) return;
  for (uint64_t block = (from + (1u << MAP_BLOCK) - 1) >> MAP_BLOCK; (block + 1) << MAP_BLOCK <= to; block++)
    if (!bounds[block * MAP_ORDERS] || bounds[block * MAP_ORDERS] > n)
      bounds[block * MAP_ORDERS] = (uint16_t)n;
}

/* Freed entries lengthen the areas of the block, and of the previous one, where they can begin. */
static inline void map_forget_bounds(const struct map_table *t, uint64_t from, uint64_t n) {
  if (!t->bounds || !n) return;
  uint64_t first = from >> MAP_BLOCK, last = (from + n - 1) >> MAP_BLOCK;
  first -= first > 0;
  __builtin_memset(t->bounds + first * MAP_ORDERS, 0, (last - first + 1) * MAP_ORDERS * sizeof *t->bounds);
}

static void map_begin_search(
    const struct map_table *t, uint64_t *size, uint64_t start, const struct map_request *q) {
  struct map_head *h = t->head;
  h->searches++;
  if (*size > h->entries) { /* the kernel's search would read beyond its bitmap */
    h->strays++;
    *size = h->entries;
  }
  if (t->last)
    *t->last = (struct map_last){
        0, (uint32_t)start, (uint32_t)*size, (uint32_t)q->pages, q->pool, (uint32_t)q->words, 0, UINT32_MAX};
}

/* Index of the first fitting area in [start, size), or MAP_NONE. The bitmap stays as it is. */
static MAP_OUT_OF_LINE uint64_t map_search(
    const struct map_table *t, uint64_t size, uint64_t start, struct map_request *q) {
  uint64_t align = ((uint64_t)1 << q->align) - 1, from = start, pages = q->pages;
  uint16_t *bounds = map_bounds(t, q->align);
  map_begin_search(t, &size, start, q);
  for (;;) {
    if (bounds) start = map_pass_over(bounds, start, size, pages);
    uint64_t index = (map_next_bit(t->bits, size, start, UINT64_MAX, &q->words) + align) & ~align;
    if (bounds && index >> MAP_BLOCK > from >> MAP_BLOCK) { /* nothing fits from `from` up to here */
      map_note_bounds(bounds, from, index < size ? index : size, pages);
      from = index & ~(((uint64_t)1 << MAP_BLOCK) - 1);
    }
    if (index >= size || pages > size - index) return MAP_NONE;
    uint64_t set = map_next_bit(t->bits, index + pages, index, 0, &q->words);
    map_keep_probe(t, index, set < index + pages ? set : index);
    if (set < index + pages) {
      start = set + 1;
      continue;
    }
    if (!map_straddles(t->head, index, pages, &q->fatal)) return q->fatal ? MAP_NONE : index;
    start = index + 1;
  }
}

static void map_write_bits(uint64_t *bits, uint64_t index, uint64_t n, int set) {
  while (n > 0) {
    uint64_t first = index & 63, here = 64 - first < n ? 64 - first : n;
    uint64_t mask = (here == 64 ? UINT64_MAX : ((uint64_t)1 << here) - 1) << first;
    if (set) bits[index >> 6] |= mask;
    else bits[index >> 6] &= ~mask;
    index += here;
    n -= here;
  }
}

#endif
