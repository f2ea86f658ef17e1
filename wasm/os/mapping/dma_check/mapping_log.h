/*
 * Books about mappings: which live, which were given back, who did either.
 *
 *   page of devices' addresses --+
 *                                +--> [bucket] --> node --> node ...   each names a mapping that touches the page
 *   page of memory -------------+
 *
 * A mapping that was given back is kept as long as there is room, so that whoever uses it afterwards can be told
 * where that was. State is arrays without pointers; the table of pointers is made anew for each call.
 */
#ifndef SIM_DMA_CHECK_BOOKS_H
#define SIM_DMA_CHECK_BOOKS_H

#include "dma_contract.h"
#include "gen/layout.h"

#define BOOKS_PAGE 4096u
#define BOOKS_LINE 32u /* where one mapping's device and another's data must not meet */
#define BOOKS_FOUND 4u /* findings of one call, at most */

typedef struct dma_check_mappings mapping_log_row;

struct mapping_log_node {
  uint64_t page; /* twice its number, and 1 more where it is a page of memory */
  uint32_t row, next; /* each plus 1 */
};

struct mapping_log_head {
  uint32_t row_limit, node_limit, bucket_bits, rows; /* rows: those that were ever used */
  uint32_t nodes, free_row, free_node, cursor;       /* the free ones plus 1 */
  uint32_t live, most, beyond, spare;                /* beyond: mappings for which there was no room */
};

/* What was found: the kind, and the places of both calls that do not go together. */
struct mapping_log_finding {
  uint64_t address;
  uint32_t kind, first, second;
};

struct books {
  struct mapping_log_head *head;
  mapping_log_row *rows;
  struct mapping_log_node *nodes;
  uint32_t *buckets;
  struct mapping_log_finding found[BOOKS_FOUND];
  uint32_t count;
};

/* A new mapping; it was made at a place. */
struct mapping_log_new {
  uint64_t address, host, bytes;
  uint32_t way, place;
};

#endif
