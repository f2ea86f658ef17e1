/*
 * A log of mappings: the current ones, the unmapped ones, and the calls that made and unmapped them.
 *
 *   page of devices' addresses --+
 *                                +--> [bucket] --> node --> node ...   each names a mapping that touches the
 * page page of memory -------------+
 *
 * An unmapped mapping is kept while there is room, to report the place of unmap for a later use. State is
 * arrays without pointers; the table of pointers is rebuilt for each call.
 */
#ifndef SIM_DMA_CHECK_BOOKS_H
#define SIM_DMA_CHECK_BOOKS_H

#include "dma_contract.h"
#include "gen/layout.h"

#define BOOKS_PAGE 4096u
#define BOOKS_LINE 32u /* the unit in which a device's mapping and other data must not overlap */
#define BOOKS_FOUND 4u /* findings of one call, at most */

typedef struct dma_check_mappings mapping_log_row;

struct mapping_log_node {
  uint64_t page; /* twice its number, plus 1 for a page of memory */
  /* each plus 1 */
  uint32_t row;
  uint32_t next;
};

struct mapping_log_head {
  uint32_t row_limit;
  uint32_t node_limit;
  uint32_t bucket_bits;
  uint32_t rows; /* used at least once */
  /* free ones + 1 */
  uint32_t nodes;
  uint32_t free_row;
  uint32_t free_node;
  uint32_t cursor;
  uint32_t live;
  uint32_t most;
  uint32_t beyond; /* mappings that did not fit */
  uint32_t spare;
};

/* A finding: its kind, and the places of the two conflicting calls. */
struct mapping_log_finding {
  uint64_t address;
  uint32_t kind;
  uint32_t first;
  uint32_t second;
};

struct books {
  struct mapping_log_head *head;
  mapping_log_row *rows;
  struct mapping_log_node *nodes;
  uint32_t *buckets;
  struct mapping_log_finding found[BOOKS_FOUND];
  uint32_t count;
};

/* Adds a new mapping, made at `place`. */
struct mapping_log_new {
  uint64_t address;
  uint64_t host;
  uint64_t bytes;
  uint32_t way;
  uint32_t place;
};

#endif
