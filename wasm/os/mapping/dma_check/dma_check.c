/*
 * Checks a driver's contract while a machine runs.
 *
 *   map, unmap, dma_sync, start  --+
 *   a device's access            --+--> books about mappings, and about lines --> finding, with both places
 *   a program's load or store    --+
 *
 * For each line that a program or a device has used, the checker knows the last user and whether dma_sync
 * came since. So it finds on every machine the errors that fail only with a non-coherent adapter. A place is
 * a row of a processor's program. Each kind of finding is reported once per mapping.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "runway.h"

#include "os/mapping/dma_check/mapping_log.c"

#define CHECK_NODES 8u /* for each mapping */
#define CHECK_BUCKET_BITS 13u
#define CHECK_LINES 16384u                   /* a power of two */
#define CHECK_FOLLOWED (CHECK_LINES / 4 * 3) /* a fuller table would make look-ups slow */
#define CHECK_FINDINGS 64u
#define CHECK_STEP 2u      /* lines of the largest access of a device */
#define CHECK_FAILURES 64u /* handles of a service's programs */

/* A finding has its event and its counter, in the order of the findings. */
#define FINDING_IN_ORDER(name, counter)                                                                    \
  _Static_assert(                                                                                          \
      DMA_CHECK_EV_##name - DMA_CHECK_EV_LEAK == DMA_CHECK_FINDING_##name - DMA_CHECK_FINDING_LEAK,        \
      "events");                                                                                           \
  _Static_assert(offsetof(struct dma_check_counters, counter) - offsetof(struct dma_check_counters, leaks) \
                     == 8 * (DMA_CHECK_FINDING_##name - DMA_CHECK_FINDING_LEAK),                           \
      "counters")
FINDING_IN_ORDER(DOUBLE_UNMAP, double_unmaps);
FINDING_IN_ORDER(UNKNOWN_ADDRESS, unknown_addresses);
FINDING_IN_ORDER(AFTER_UNMAP, after_unmaps);
FINDING_IN_ORDER(WRONG_DIRECTION, wrong_directions);
FINDING_IN_ORDER(MISSING_SYNC, missing_syncs);
FINDING_IN_ORDER(OVERLAP, overlaps);
FINDING_IN_ORDER(OUTLIVED, outlived);
FINDING_IN_ORDER(FAILED_MAP, failed_maps);
FINDING_IN_ORDER(UNMAP_SIZE, unmap_sizes);

/* State of a line; from LINE_SYNC on, the direction of the latest dma_sync. */
enum dma_check_line { LINE_STORED = 1, LINE_COPIED = 2, LINE_WRITTEN = 4, LINE_SYNC = 8 };
#define LINE_SYNCED(when) ((when) * LINE_SYNC)

struct dma_check_line_row {
  uint32_t line; /* its number plus 1 */
  uint32_t what;
  uint32_t touched;
  uint32_t synced;
};

/* A failed map(): the port of its service, its handle and its call; place 0 if the row is free. */
struct dma_check_failure {
  uint32_t port;
  uint32_t handle;
  uint32_t place;
  uint32_t reported;
};

struct dma_check_state {
  struct mapping_log_head head;
  uint64_t unknown; /* page of the last unknown address, plus 1 */
  uint32_t rows_at;
  uint32_t nodes_at;
  uint32_t buckets_at;
  uint32_t lines_at;
  uint32_t findings_at;
  uint32_t lines;
  uint32_t place;
  uint32_t beyond; /* mappings counted so far */
  uint32_t failures_at;
  uint32_t failures; /* their number; the latest are kept */
};

static uint32_t dma_check_place(sim *m, struct dma_check *check, uint32_t from, uint32_t row) {
  uint32_t part = sim_wire(m, check->self, DMA_CHECK_PORT_HEARS + from)->part;
  return (part + 1) << 16 | (row == CONTRACT_HANDLER ? 0xffffu : (row + 1) & 0xffffu);
}

static struct books dma_check_log(sim *m, struct dma_check *check) {
  return (struct books){.head = &check->state->head,
      .rows = sim_at(m, check->state->rows_at),
      .nodes = sim_at(m, check->state->nodes_at),
      .buckets = sim_at(m, check->state->buckets_at)};
}

static void dma_check_report(
    sim *m, struct dma_check *check, uint32_t kind, uint64_t address, uint32_t first, uint32_t second) {
  struct dma_check_findings *findings = sim_at(m, check->state->findings_at);
  if (check->counters->findings < CHECK_FINDINGS)
    findings[check->counters->findings] =
        (struct dma_check_findings){kind, 0, address, m->time, first, second};
  check->counters->findings++;
  (&check->counters->leaks)[kind - DMA_CHECK_FINDING_LEAK]++;
  sim_trace(m, check->self, DMA_CHECK_EV_LEAK + (kind - DMA_CHECK_FINDING_LEAK), address, first, second);
}

/* Reports the findings of the log, and its fill level. */
static void dma_check_close(sim *m, struct dma_check *check, const struct books *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const struct mapping_log_finding *f = &b->found[i];
    if (f->kind == DMA_CHECK_FINDING_UNKNOWN_ADDRESS) {
      if (b->head->beyond || check->state->unknown == f->address / BOOKS_PAGE + 1) continue;
      check->state->unknown = f->address / BOOKS_PAGE + 1;
    }
    dma_check_report(m, check, f->kind, f->address, f->first, f->second);
  }
  check->counters->live = b->head->live;
  check->counters->most = b->head->most;
  check->counters->beyond += b->head->beyond - check->state->beyond;
  check->state->beyond = b->head->beyond;
}

/* At most one finding per kind and mapping. */
static void dma_check_report_once(sim *m, struct dma_check *check, mapping_log_row *r, uint32_t kind,
    uint64_t address, uint32_t first, uint32_t second) {
  if (r->reported & 1u << kind) return;
  r->reported |= 1u << kind;
  dma_check_report(m, check, kind, address, first, second);
}

/* The row of the line at an address; with `add` a new one if it has none; otherwise NULL. */
static struct dma_check_line_row *dma_check_line_at(
    sim *m, struct dma_check *check, uint64_t address, int add) {
  struct dma_check_line_row *rows = sim_at(m, check->state->lines_at);
  uint32_t line = (uint32_t)(address / RUNWAY_LINE) + 1, at = line * 0x9e3779b1u >> 18;
  for (; rows[at].line; at = (at + 1) % CHECK_LINES)
    if (rows[at].line == line) return &rows[at];
  if (!add) return NULL;
  if (check->state->lines == CHECK_FOLLOWED) {
    check->counters->beyond++;
    return NULL;
  }
  check->state->lines++;
  rows[at].line = line;
  return &rows[at];
}

static void dma_check_hears_at_row(
    sim *m, struct dma_check *check, uint32_t from, struct contract_at_row *q) {
  check->state->place = dma_check_place(m, check, from, q->row);
}

static void dma_check_hears_mapped(
    sim *m, struct dma_check *check, uint32_t from, struct contract_mapped *q) {
  (void)from;
  struct books b = dma_check_log(m, check);
  dma_debug_map(&b, &(struct mapping_log_new){q->address, q->host, q->bytes, q->way, check->state->place});
  dma_check_close(m, check, &b);
}

/* Iterates over rows of lines in a range of `count` lines from `first` on. */
static struct dma_check_line_row *dma_check_lines(sim *m, struct dma_check *check) {
  return sim_at(m, check->state->lines_at);
}
static int dma_check_in_range(const struct dma_check_line_row *row, uint64_t first, uint64_t count) {
  return row->line && row->line - 1 - first < count;
}

/* For a long range all tracked lines are compared; for a short one each of its lines is looked up. */
static void dma_check_take_back(
    sim *m, struct dma_check *check, uint64_t host, uint64_t bytes, uint32_t kept) {
  uint64_t first = host / RUNWAY_LINE, count = (host + bytes - 1) / RUNWAY_LINE + 1 - first;
  if (count > CHECK_LINES) {
    struct dma_check_line_row *rows = dma_check_lines(m, check);
    for (uint32_t i = 0; i < CHECK_LINES; i++)
      if (dma_check_in_range(&rows[i], first, count)) rows[i].what &= kept;
    return;
  }
  for (uint64_t i = 0; i < count; i++) {
    struct dma_check_line_row *line = dma_check_line_at(m, check, (first + i) * RUNWAY_LINE, 0);
    if (line) line->what &= kept;
  }
}

/* The latest failure of a service under a handle; NULL if none is kept. */
static struct dma_check_failure *dma_check_failure_of(
    sim *m, struct dma_check *check, uint32_t port, uint32_t handle) {
  struct dma_check_failure *rows = sim_at(m, check->state->failures_at);
  for (uint32_t i = 0; i < CHECK_FAILURES; i++) {
    struct dma_check_failure *row = &rows[(check->state->failures - 1 - i) % CHECK_FAILURES];
    if (row->place && row->port == port && row->handle == handle) return row;
  }
  return NULL;
}

static void dma_check_hears_failed(
    sim *m, struct dma_check *check, uint32_t from, struct contract_failed *q) {
  struct dma_check_failure *rows = sim_at(m, check->state->failures_at);
  rows[check->state->failures++ % CHECK_FAILURES] =
      (struct dma_check_failure){.port = from, .handle = q->handle, .place = check->state->place};
}

/* Reported once per failure. If none is known, nothing was ever mapped under the handle. */
static void dma_check_hears_bad_handle(
    sim *m, struct dma_check *check, uint32_t from, struct contract_bad_handle *q) {
  struct dma_check_failure *failure = dma_check_failure_of(m, check, from, q->handle);
  if (!failure)
    dma_check_report(m, check, DMA_CHECK_FINDING_UNKNOWN_ADDRESS, q->address, 0, check->state->place);
  else if (!failure->reported)
    dma_check_report(m, check, DMA_CHECK_FINDING_FAILED_MAP, q->address, failure->place, check->state->place);
  if (failure) failure->reported = 1;
}

/* The driver may read what the device wrote only if the service makes caches and memory consistent in unmap.
 */
static void dma_check_hears_unmapped(
    sim *m, struct dma_check *check, uint32_t from, struct contract_unmapped *q) {
  (void)from;
  struct books b = dma_check_log(m, check);
  uint32_t place = check->state->place;
  int64_t row = dma_debug_unmap(&b, q->address, (int)q->gone, place);
  if (row >= 0 && q->bytes && q->bytes != b.rows[row].bytes)
    dma_check_report_once(
        m, check, &b.rows[row], DMA_CHECK_FINDING_UNMAP_SIZE, q->address, b.rows[row].made, place);
  if (row >= 0)
    dma_check_take_back(m, check, b.rows[row].host, b.rows[row].bytes,
        LINE_STORED | LINE_COPIED | (q->syncs ? 0 : LINE_WRITTEN));
  dma_check_close(m, check, &b);
}

static void dma_check_sync_line(struct dma_check *check, struct dma_check_line_row *line, uint32_t when) {
  if (when == CONTRACT_SYNC_FOR_CPU) line->what &= ~(uint32_t)LINE_WRITTEN;
  else
    line->what =
        (when == CONTRACT_SYNC_FOR_DEVICE_INBOUND ? 0 : line->what & LINE_COPIED) | LINE_SYNCED(when);
  line->synced = check->state->place;
}

static void dma_check_hears_synced(
    sim *m, struct dma_check *check, uint32_t from, struct contract_synced *q) {
  (void)from;
  if (q->bytes == 0) return;
  uint64_t first = q->host / RUNWAY_LINE, count = (q->host + q->bytes - 1) / RUNWAY_LINE + 1 - first;
  for (; count > 0; first++, count--) {
    if (count > CHECK_LINES && check->state->lines == CHECK_FOLLOWED) break;
    struct dma_check_line_row *line = dma_check_line_at(m, check, first * RUNWAY_LINE, 1);
    if (line) dma_check_sync_line(check, line, q->when);
  }
  if (count == 0) return;
  /* Tracked lines only, for a long range: there is no room for more lines. */
  struct dma_check_line_row *rows = dma_check_lines(m, check);
  for (uint32_t i = 0; i < CHECK_LINES; i++) {
    if (!dma_check_in_range(&rows[i], first, count)) continue;
    dma_check_sync_line(check, &rows[i], q->when);
    check->counters->beyond--;
  }
  check->counters->beyond += count;
}

static void dma_check_hears_device_start(
    sim *m, struct dma_check *check, uint32_t from, struct contract_device_start *q) {
  (void)from;
  struct books b = dma_check_log(m, check);
  uint32_t place = check->state->place;
  int64_t row = dma_debug_use(&b, q->address, place);
  dma_check_close(m, check, &b);
  if (row >= 0) b.rows[row].started = place;
  if (row >= 0
      && (b.rows[row].way & 3) == (q->write ? CONTRACT_DIRECTION_TO_DEVICE : CONTRACT_DIRECTION_FROM_DEVICE))
    dma_check_report_once(
        m, check, &b.rows[row], DMA_CHECK_FINDING_WRONG_DIRECTION, q->address, b.rows[row].made, place);
}

/* Checks a device's access to a mapped line: its direction, and that no cache holds stale or unwritten data
   of the other side. */
static void dma_check_line_reached(
    sim *m, struct dma_check *check, mapping_log_row *r, uint64_t host, uint64_t address, uint32_t access) {
  struct dma_check_line_row *line =
      dma_check_line_at(m, check, host, (access & CONTRACT_DIRECTION_FROM_DEVICE) != 0);
  if (!line) return;
  uint32_t synced = line->what / LINE_SYNC;
  if (access < 3 && synced && synced != access)
    dma_check_report_once(m, check, r, DMA_CHECK_FINDING_WRONG_DIRECTION, address, line->synced, r->made);
  else if (line->what & (access & CONTRACT_DIRECTION_FROM_DEVICE ? LINE_STORED | LINE_COPIED : LINE_STORED))
    dma_check_report_once(m, check, r, DMA_CHECK_FINDING_MISSING_SYNC, address, line->touched, r->made);
  if (access & CONTRACT_DIRECTION_FROM_DEVICE)
    line->what = (line->what & ~(uint32_t)(LINE_STORED | LINE_COPIED)) | LINE_WRITTEN;
}

/* A transfer that was started through an earlier mapping of this address goes on: its next line is reached,
   and no device has been started through the present mapping. */
static void dma_check_old_transfer(sim *m, struct dma_check *check, mapping_log_row *r, uint64_t address) {
  uint32_t reached = (uint32_t)(address - r->address);
  if (r->was_started && !r->started && reached > r->was_reached
      && reached - r->was_reached <= CHECK_STEP * RUNWAY_LINE)
    dma_check_report_once(m, check, r, DMA_CHECK_FINDING_AFTER_UNMAP, address, r->was, r->was_started);
  r->reached = reached;
}

static void dma_check_hears_device_access(
    sim *m, struct dma_check *check, uint32_t from, struct contract_device_access *q) {
  (void)from;
  struct books b = dma_check_log(m, check);
  int64_t found = dma_debug_use(&b, q->address, 0);
  dma_check_close(m, check, &b);
  if (found < 0) return;
  mapping_log_row *r = &b.rows[found];
  dma_check_old_transfer(m, check, r, q->address);
  if (q->access < 3 && r->way & 3 && (r->way & 3) != q->access)
    dma_check_report_once(m, check, r, DMA_CHECK_FINDING_WRONG_DIRECTION, q->address, r->made, r->made);
  else if (!(r->way & CONTRACT_DIRECTION_COHERENT))
    dma_check_line_reached(m, check, r, r->host + (q->address - r->address), q->address, q->access);
}

/* The mapping through which a device may have written the memory at an address: a current one, or else an
   unmapped one; NULL if there is none. */
static mapping_log_row *dma_check_mapping_of(const struct books *b, uint64_t host) {
  uint64_t page = host / BOOKS_PAGE << 1 | 1;
  mapping_log_row *gone = NULL;
  for (uint32_t at = *dma_debug_bucket(b, page); at; at = b->nodes[at - 1].next) {
    const struct mapping_log_node *node = &b->nodes[at - 1];
    mapping_log_row *r = &b->rows[node->row - 1];
    if (node->page != page || r->way & CONTRACT_DIRECTION_COHERENT || host < r->host
        || host >= r->host + r->bytes)
      continue;
    if (r->live) return r;
    if ((r->way & 3) != CONTRACT_DIRECTION_TO_DEVICE) gone = r;
  }
  return gone;
}

static void dma_check_hears_program_access(
    sim *m, struct dma_check *check, uint32_t from, struct contract_program_access *q) {
  struct dma_check_line_row *line = dma_check_line_at(m, check, q->address, 1);
  if (!line) return;
  if (cache_op_order(q->op)) { /* the driver itself does the work of dma_sync */
    line->what &= ~(uint32_t)(LINE_STORED | LINE_COPIED | LINE_WRITTEN);
    return;
  }
  uint32_t place = dma_check_place(m, check, from, q->row);
  if (line->what & LINE_WRITTEN) {
    struct books b = dma_check_log(m, check);
    mapping_log_row *r = dma_check_mapping_of(&b, q->address);
    if (r) dma_check_report_once(m, check, r, DMA_CHECK_FINDING_MISSING_SYNC, q->address, place, r->made);
  }
  if (q->op == CACHE_OP_STORE || !(line->what & LINE_STORED)) line->touched = place;
  line->what |= q->op == CACHE_OP_STORE ? LINE_STORED | LINE_COPIED : LINE_COPIED;
}

/* Data that a device wrote there has no owner any more either. */
static void dma_check_hears_freed(sim *m, struct dma_check *check, uint32_t from, struct contract_freed *q) {
  (void)from;
  struct books b = dma_check_log(m, check);
  if (q->bytes) dma_check_take_back(m, check, q->host, q->bytes, LINE_STORED | LINE_COPIED);
  for (int64_t row = dma_debug_next_live(&b, 0); row >= 0; row = dma_debug_next_live(&b, (uint32_t)row + 1)) {
    mapping_log_row *r = &b.rows[row];
    if (r->host < q->host + q->bytes && q->host < r->host + r->bytes)
      dma_check_report_once(m, check, r, DMA_CHECK_FINDING_OUTLIVED, r->host, r->made, check->state->place);
  }
}

static void dma_check_hears_ended(sim *m, struct dma_check *check, uint32_t from, struct contract_ended *q) {
  struct books b = dma_check_log(m, check);
  uint32_t place = dma_check_place(m, check, from, q->row);
  for (int64_t row = dma_debug_next_live(&b, 0); row >= 0; row = dma_debug_next_live(&b, (uint32_t)row + 1))
    if (b.rows[row].made >> 16 == place >> 16 && !(b.rows[row].way & CONTRACT_DIRECTION_PARTIAL))
      dma_check_report_once(
          m, check, &b.rows[row], DMA_CHECK_FINDING_LEAK, b.rows[row].address, b.rows[row].made, place);
}

static int dma_check_load(sim *m, uint32_t self) {
  struct dma_check_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t room = (uint32_t)SIM_PARAMS(m, self, dma_check)->room;
  void *rows = sim_view(m, self, DMA_CHECK_VIEW_MAPPINGS, room, sizeof(mapping_log_row));
  void *findings =
      sim_view(m, self, DMA_CHECK_VIEW_FINDINGS, CHECK_FINDINGS, sizeof(struct dma_check_findings));
  void *nodes = sim_alloc(m, room * CHECK_NODES, sizeof(struct mapping_log_node)),
       *buckets = sim_alloc(m, 1u << CHECK_BUCKET_BITS, 4);
  void *lines = sim_alloc(m, CHECK_LINES, sizeof(struct dma_check_line_row)),
       *failures = sim_alloc(m, CHECK_FAILURES, sizeof(struct dma_check_failure));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->head = (struct mapping_log_head){
      .row_limit = room, .node_limit = room * CHECK_NODES, .bucket_bits = CHECK_BUCKET_BITS};
  s->rows_at = sim_offset(m, rows);
  s->findings_at = sim_offset(m, findings);
  s->nodes_at = sim_offset(m, nodes);
  s->buckets_at = sim_offset(m, buckets);
  s->lines_at = sim_offset(m, lines);
  s->failures_at = sim_offset(m, failures);
  return SIM_OK;
}
