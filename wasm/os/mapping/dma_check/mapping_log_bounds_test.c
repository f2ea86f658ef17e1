/* The cost of a call is bounded by the contents of the mapping log, whatever size the call names. The tests
 * count page look-ups, not time. */
static unsigned long long looked_up;

#include "test/contract.h"

#define FEW_ROWS 8u
#define NODES 64u

static struct mapping_log_head head;
static mapping_log_row rows[FEW_ROWS];
static struct mapping_log_node nodes[NODES];
static uint32_t buckets[64];
static struct books books;

static void empty(void) {
  memset(rows, 0, sizeof rows);
  memset(nodes, 0, sizeof nodes);
  memset(buckets, 0, sizeof buckets);
  head = (struct mapping_log_head){.row_limit = FEW_ROWS, .node_limit = NODES, .bucket_bits = 6};
  books = (struct books){.head = &head, .rows = rows, .nodes = nodes, .buckets = buckets};
  looked_up = 0;
}

static const uint64_t sizes[] = {1, PAGE, NODES / 2 * PAGE, NODES * PAGE, (NODES + 1) * PAGE, 1ull << 32,
    1000000000000000ull, 1ull << 63, UINT64_MAX - 4 * PAGE};

TEST(partial_mappings_in_a_long_range_are_removed) {
  for (uint32_t i = 4; i < sizeof sizes / sizeof *sizes; i++) {
    empty();
    dma_debug_map(&books, &(struct mapping_log_new){0x2000, 0x1000, PAGE, PART, 1});
    dma_debug_map(&books, &(struct mapping_log_new){0x5000, 0x9000, PAGE, PART, 2});
    dma_debug_map(&books, &(struct mapping_log_new){0x6000, 0x8000, PAGE, OUT, 3});
    assert_int_equal(head.live, 3);
    dma_debug_remove_partial(&books, 0x3000, sizes[i]);
    EXPECT_VALUES({head.live, 2}, {dma_debug_find(&books, 0x2000, 1, 0), 0},
        {dma_debug_find(&books, 0x5000, 1, 0), -1}, {dma_debug_find(&books, 0x6000, 1, 0), 2});
  }
}

/* A dma_sync or an unmap of any size has the effect of one on each tracked line. */
TEST(a_long_range_covers_its_tracked_lines) {
  opened();
  uint64_t most = UINT32_MAX - 64;
  touched(1, MEM, CACHE_OP_STORE);
  touched(2, 0xffff0000, CACHE_OP_STORE);
  synced(3, MEM, (uint32_t)most, CONTRACT_SYNC_FOR_DEVICE);
  uint64_t lines = (MEM + most - 1) / 32 + 1 - MEM / 32;
  assert_int_equal(COUNT(beyond), lines - CHECK_FOLLOWED);
  mapped(4, 0x8000, MEM, 32, OUT);
  mapped(5, 0x9000, 0xffff0000, 32, OUT);
  reached(0x8000, OUT);
  reached(0x9000, OUT);
  FINDS_NOTHING();
  touched(6, MEM, CACHE_OP_STORE);
  reached(0x8000, OUT);
  FINDS({NO_SYNC, 0x8000, ROW(6), ROW(4)});
}
