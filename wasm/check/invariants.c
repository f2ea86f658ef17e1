/* What must hold in every state of a machine with a prover in it. Views are read as a page would read them. */
#include "core/keep.h"

static const void *checked_view(by *m, uint32_t part, uint32_t view, uint32_t *rows) {
  const struct by_view_entry *entry = (const struct by_view_entry *)by_at(m, m->views_at) + by_part(m, part)->first_view + view;
  *rows = entry->rows;
  return by_at(m, entry->at);
}

static uint32_t part_of_type(by *m, uint32_t type) {
  for (uint32_t i = 0; i < m->part_count; i++)
    if (by_part(m, i)->type == type) return i;
  return BY_NONE;
}

static const struct snoop_cache_lines *held_line(by *m, uint32_t part, uint32_t tag) {
  uint32_t rows;
  const struct snoop_cache_lines *lines = checked_view(m, part, SNOOP_CACHE_VIEW_LINES, &rows);
  for (uint32_t i = 0; i < rows; i++)
    if (lines[i].tag == tag && lines[i].state != SNOOP_CACHE_LINE_INVALID) return &lines[i];
  return NULL;
}

/* A line that one cache may write is in no other; one that the adapter holds is in none. */
static int two_writers(by *m) {
  uint32_t adapter = part_of_type(m, BY_TYPE_IO_ADAPTER), rows;
  const struct io_adapter_line *line = adapter == BY_NONE ? NULL : checked_view(m, adapter, IO_ADAPTER_VIEW_LINE, &rows);
  for (uint32_t a = 0; a < m->part_count; a++) {
    if (by_part(m, a)->type != BY_TYPE_SNOOP_CACHE) continue;
    const struct snoop_cache_lines *lines = checked_view(m, a, SNOOP_CACHE_VIEW_LINES, &rows);
    uint32_t shift = (uint32_t)__builtin_ctzll(BY_PARAMS(m, a, snoop_cache)->line);
    for (uint32_t i = 0; i < rows; i++) {
      if (lines[i].state == SNOOP_CACHE_LINE_INVALID) continue;
      if (line && line->state == IO_ADAPTER_LINE_HELD && (uint32_t)(line->addr >> shift) + 1 == lines[i].tag) return 1;
      for (uint32_t b = 0; b < m->part_count && lines[i].state >= SNOOP_CACHE_LINE_PRIVATE_CLEAN; b++)
        if (b != a && by_part(m, b)->type == BY_TYPE_SNOOP_CACHE && held_line(m, b, lines[i].tag)) return 1;
    }
  }
  return 0;
}

/* Only the prover's own wishes are pending: all that was begun has ended, or never will. */
static int only_wishes(by *m, uint32_t *steps) {
  uint32_t prover = part_of_type(m, BY_TYPE_PROVER);
  *steps = 0;
  for (uint32_t i = 0; i < m->pending; i++) {
    if (message(m, i)->to != prover) return 0;
    *steps += message(m, i)->port != BY_PORT_SELF || message(m, i)->kind == PROVER_STEP;
  }
  return 1;
}

static int is_busy(by *m, uint32_t steps) {
  uint32_t rows;
  const struct prover_now *now = checked_view(m, part_of_type(m, BY_TYPE_PROVER), PROVER_VIEW_NOW, &rows);
  uint32_t busy = (now->busy_0 != 0) + (now->busy_1 != 0) + (now->busy_2 != 0) + (now->device != 0);
  return busy > steps; /* each step that is pending belongs to one of them */
}

static int is_stuck(by *m) {
  uint32_t steps;
  if (!only_wishes(m, &steps) || !is_busy(m, steps)) return 0;
  const struct prover_now *now = checked_view(m, part_of_type(m, BY_TYPE_PROVER), PROVER_VIEW_NOW, &steps);
  return !now->locked || now->device; /* a locked read's write is still to come */
}

static uint64_t directory_entry(by *m, uint64_t page) {
  uint32_t rows;
  const struct memory_controller_directory *entries = checked_view(m, part_of_type(m, BY_TYPE_MEMORY_CONTROLLER), MEMORY_CONTROLLER_VIEW_DIRECTORY, &rows);
  return page < rows ? (uint64_t)entries[page].high << 32 | entries[page].low : 0;
}

/* Every translation and every prefetched line has a live entry behind it. */
static int dead_translation(by *m) {
  uint32_t adapter = part_of_type(m, BY_TYPE_IO_ADAPTER), rows;
  if (adapter == BY_NONE) return 0;
  const struct io_adapter_params *q = BY_PARAMS(m, adapter, io_adapter);
  const struct io_adapter_tlb *tlb = checked_view(m, adapter, IO_ADAPTER_VIEW_TLB, &rows);
  uint32_t low = (uint32_t)q->chain_shift - 12, bits = (uint32_t)__builtin_ctzll(q->rows);
  for (uint32_t chain = 0; chain < rows; chain++) {
    if (!tlb[chain].valid) continue;
    uint64_t page = (uint64_t)(tlb[chain].block >> low) << (low + bits) | (uint64_t)chain << low | (tlb[chain].block & ((1u << low) - 1));
    uint64_t entry = directory_entry(m, page);
    if (!(entry & 1) || entry_page(entry) != tlb[chain].page) return 1;
  }
  const struct io_adapter_prefetch *prefetch = checked_view(m, adapter, IO_ADAPTER_VIEW_PREFETCH, &rows);
  for (uint32_t slot = 0; slot < rows; slot++) {
    uint64_t entry = directory_entry(m, prefetch[slot].addr / 4096);
    if (prefetch[slot].state && (!(entry & 1) || entry_page(entry) != prefetch[slot].physical / 4096)) return 1;
  }
  return 0;
}

/* A transaction that nobody will answer any more, or a queue that still holds one. */
static int unanswered(by *m) {
  uint32_t rows, left = 0;
  const struct runway_agents *agents = checked_view(m, part_of_type(m, BY_TYPE_RUNWAY), RUNWAY_VIEW_AGENTS, &rows);
  for (uint32_t i = 0; i < rows; i++) left |= agents[i].pending | agents[i].waiting;
  return left != 0;
}

/* The first invariant that does not hold, or BY_HOLDS. */
static uint32_t broken_invariant(by *m, const struct by_keeper *k) {
  uint32_t steps;
  if (two_writers(m)) return BY_ONE_WRITER;
  if (k->copies_old && BY_PARAMS(m, part_of_type(m, BY_TYPE_PROVER), prover)->coherent) return BY_NO_STALE_COPY;
  for (uint32_t i = 0; i < k->names; i++)
    if (!k->found[i]) return BY_NO_LOST_DATA;
  if (!only_wishes(m, &steps) || is_busy(m, steps) || steps) return BY_HOLDS;
  if (dead_translation(m)) return BY_LIVE_TRANSLATION;
  return unanswered(m) ? BY_ANSWERED_ONCE : BY_HOLDS;
}
