/*
 * Loading: reads a compiled session, lays out the arena, wires the parts, and lets each part initialise
 * itself. All memory of a run is taken here. An error leaves a code, a part and a detail.
 *
 * Session words (little endian): 'BYRD', version, layout hash, seed lo, hi, log2 of the trace ring,
 * part count, wire count; per part: type, parameters (lo, hi), per table: rows, then
 * rows of fields (lo, hi); per wire: part, port, part, port.
 */
#include "core/reentrancy.h"
#include "core/engine.h"

#define CHOICES 4096u
#define MAX_PENDING (1u << SLOT_BITS)

struct reader {
  const uint32_t *at;
  const uint32_t *end;
};

static uint32_t word(struct reader *r) { return r->at < r->end ? *r->at++ : 0; }
static int has(const struct reader *r, uint64_t words) { return (uint64_t)(r->end - r->at) >= words; }

int sim_refuse(sim *m, int error, uint32_t part, uint32_t detail) {
  struct sim_directory *d = &sim_host_state(m)->directory;
  if (d->error == SIM_OK) {
    d->error = (uint32_t)error;
    d->error_part = part;
    d->error_detail = detail;
  }
  return error;
}

/* In builds with the address sanitizer and SIM_RED_ZONES each array is followed by a one-row red zone: an
   access to it stops the program. Offsets, and so hashes, differ from those of other builds. */
#ifdef SIM_RED_ZONES
void __asan_poison_memory_region(const volatile void *, __SIZE_TYPE__);
void __asan_unpoison_memory_region(const volatile void *, __SIZE_TYPE__);
static uint64_t red_zone_of(uint32_t bytes) { return sim_max(8, ((uint64_t)bytes + 7) & ~7ull); }
static void fence(char *p, uint64_t size, uint64_t behind) {
  __asan_unpoison_memory_region(p, size + behind);
  __builtin_memset(p + size, 0, behind); /* the part of the header that is hashed */
  __asan_poison_memory_region(p + size, behind);
}
#else
static uint64_t red_zone_of(uint32_t bytes) { return (void)bytes, 0; }
static void fence(char *p, uint64_t size, uint64_t behind) { (void)p, (void)size, (void)behind; }
#endif

void *sim_alloc(sim *m, uint32_t count, uint32_t bytes) {
  struct sim_host_state *side = sim_host_state(m);
  uint64_t size = ((uint64_t)count * bytes + 7) & ~7ull, behind = red_zone_of(bytes);
  uint64_t want = SIM_HOST_STATE_BYTES + m->used + size + behind;
  int refused = side->fail_at != 0 && ++side->allocations == side->fail_at;
  if (!refused && want > side->limit) {
    if (want < UINT32_MAX && sim_host_reserve(m, want)) side->limit = want;
    else refused = 1;
  }
  if (refused) {
    sim_refuse(m, SIM_NO_MEMORY, SIM_NONE, (uint32_t)(want >> 10));
    return NULL;
  }
  void *p = sim_at(m, m->used);
  fence(p, size, behind);
  __builtin_memset(p, 0, size);
  m->used += (uint32_t)(size + behind);
  return p;
}

void *sim_state_alloc(sim *m, uint32_t self, uint32_t bytes) {
  void *p = sim_alloc(m, 1, bytes);
  if (p) sim_part(m, self)->state_at = sim_offset(m, p);
  sim_context(m, self)->state = p;
  return p;
}

SIM_COLD void sim_view_of(
    sim *m, uint32_t self, uint32_t view, const void *at, uint32_t rows, uint32_t row_bytes) {
  struct sim_view_entry *entry =
      (struct sim_view_entry *)sim_at(m, m->views_at) + sim_part(m, self)->first_view + view;
  *entry = (struct sim_view_entry){sim_offset(m, at), rows, row_bytes, self};
}

void *sim_view(sim *m, uint32_t self, uint32_t view, uint32_t rows, uint32_t row_bytes) {
  void *p = sim_alloc(m, rows, row_bytes);
  if (p) sim_view_of(m, self, view, p, rows, row_bytes);
  return p;
}

/* Copies n values of two words each into the arena. */
static void *values(sim *m, struct reader *r, uint32_t rows, uint32_t fields) {
  uint64_t words = (uint64_t)rows * fields * 2;
  if (!has(r, words)) {
    sim_refuse(m, SIM_TRUNCATED, SIM_NONE, 0);
    return NULL;
  }
  uint32_t *p = sim_alloc(m, rows * fields, 8);
  if (p) __builtin_memcpy(p, r->at, words * 4);
  r->at += words;
  return p;
}

static const struct sim_range *range_of(uint32_t type, uint32_t param) {
  return &sim_ranges[sim_first_range[type] + param];
}

/* Whether a value is within a parameter's range, independent of other parameters. */
static int in_range(uint32_t type, uint32_t param, uint64_t value) {
  const struct sim_range *range = range_of(type, param);
  return value >= range->least && value <= range->most;
}

/* Checks a part's parameters against its manifest; reports the first violation. */
static int check_params(sim *m, uint32_t id, uint32_t type, const uint64_t *params) {
  for (uint32_t i = 0; i < sim_types[type].params; i++)
    if (!in_range(type, i, params[i])) return sim_refuse(m, SIM_BAD_PARAM, id, i);
  uint32_t unruly = sim_rule_violation(type, params);
  return unruly == SIM_NONE ? SIM_OK : sim_refuse(m, SIM_BAD_PARAM, id, unruly);
}

static int read_part(sim *m, struct reader *r, uint32_t id) {
  uint32_t type = word(r);
  if (type >= SIM_TYPE_COUNT || !sim_types[type].load) return sim_refuse(m, SIM_BAD_TYPE, id, type);
  const sim_type *t = &sim_types[type];
  struct sim_part *part = sim_part(m, id);
  part->type = (uint16_t)type;
  part->first_wire = (uint16_t)m->port_count;
  part->first_view = m->view_count;
  m->port_count += t->ports;
  m->view_count += t->views;
  uint64_t *params = values(m, r, 1, t->params);
  void *counters = sim_alloc(m, t->counters, 8);
  struct sim_table *tables = sim_alloc(m, t->tables, sizeof *tables);
  if (sim_refused(m)) return 1;
  *sim_context(m, id) = (struct sim_context){.self = id, .params = params, .counters = counters};
  part->params_at = sim_offset(m, params);
  part->counters_at = sim_offset(m, counters);
  part->tables_at = sim_offset(m, tables);
  if (check_params(m, id, type, params)) return 1;
  for (uint32_t i = 0; i < t->tables; i++) {
    uint32_t rows = word(r);
    if (rows > 1u << 24) return sim_refuse(m, SIM_TOO_MANY, id, 1u << 24);
    void *p = values(m, r, rows, sim_table_fields(type, i));
    if (sim_refused(m)) return 1;
    tables[i] = (struct sim_table){sim_offset(m, p), rows};
  }
  return SIM_OK;
}

static int port_of(sim *m, uint32_t part, uint32_t port) {
  return part < m->part_count && port < sim_types[sim_part(m, part)->type].ports;
}

/* A wire joins a client and a server of one protocol, and each port has at most one wire. */
static int read_wire(sim *m, struct reader *r, uint32_t index) {
  uint32_t pa = word(r), ia = word(r), pb = word(r), ib = word(r);
  if (!port_of(m, pa, ia) || !port_of(m, pb, ib)) return sim_refuse(m, SIM_BAD_WIRE, SIM_NONE, index);
  struct sim_wire *a = sim_wire(m, pa, ia), *b = sim_wire(m, pb, ib);
  uint32_t speaks_a = sim_protocol(sim_part(m, pa)->type, ia),
           speaks_b = sim_protocol(sim_part(m, pb)->type, ib);
  if (a->type || b->type || (speaks_a ^ speaks_b) != 1) return sim_refuse(m, SIM_BAD_WIRE, pa, index);
  *a = (struct sim_wire){(uint16_t)pb, (uint8_t)ib, (uint8_t)(sim_part(m, pb)->type + 1)};
  *b = (struct sim_wire){(uint16_t)pa, (uint8_t)ia, (uint8_t)(sim_part(m, pa)->type + 1)};
  return SIM_OK;
}

/* Room for all messages that the parts declare. */
static int queue_for_all(sim *m) {
  uint64_t holds = 0;
  for (uint32_t i = 0; i < m->part_count; i++) {
    holds += sim_queue_capacity(m, i);
    if (holds >= MAX_PENDING) return sim_refuse(m, SIM_CROWDED, i, MAX_PENDING);
  }
  return queue(m, (uint32_t)holds);
}

static int rings(sim *m, uint32_t trace_log2) {
  struct sim_host_state *side = sim_host_state(m);
  if (trace_log2 > 24) return sim_refuse(m, SIM_TOO_MANY, SIM_NONE, 24);
  m->state_bytes = m->used;
  struct sim_record *ring = sim_alloc(m, 1u << trace_log2, sizeof *ring);
  uint32_t *log = sim_alloc(m, CHOICES, sizeof *log);
  if (sim_refused(m)) return 1;
  side->trace_mask = (1u << trace_log2) - 1;
  side->recording = trace_log2 > 0;
  side->directory.trace_at = sim_offset(m, ring);
  side->directory.trace_capacity = 1u << trace_log2;
  side->directory.choices_at = sim_offset(m, log);
  side->directory.choices_capacity = CHOICES;
  side->directory.total_bytes = m->used;
  m->used = m->state_bytes;
  return SIM_OK;
}

static int build(sim *m, struct reader *r, uint32_t parts, uint32_t wires) {
  struct sim_part *rows = sim_alloc(m, parts, sizeof *rows);
  if (sim_refused(m)) return 1;
  m->parts_at = sim_offset(m, rows);
  m->part_count = parts;
  for (uint32_t i = 0; i < parts; i++)
    if (read_part(m, r, i)) return 1;
  struct sim_wire *w = sim_alloc(m, m->port_count, sizeof *w);
  struct sim_view_entry *v = sim_alloc(m, m->view_count, sizeof *v);
  if (sim_refused(m)) return 1;
  m->wires_at = sim_offset(m, w);
  for (uint32_t i = 0; i < parts; i++)
    sim_part(m, i)->wires_at = m->wires_at + rows[i].first_wire * (uint32_t)sizeof *w;
  m->views_at = sim_offset(m, v);
  if (!has(r, (uint64_t)wires * 4)) return sim_refuse(m, SIM_TRUNCATED, SIM_NONE, 0);
  for (uint32_t i = 0; i < wires; i++)
    if (read_wire(m, r, i)) return 1;
  if (r->at != r->end) return sim_refuse(m, SIM_TRUNCATED, SIM_NONE, 1);
  return queue_for_all(m);
}

static int start(sim *m) {
  for (uint32_t i = 0; i < m->part_count; i++) {
    uint32_t type = sim_part(m, i)->type;
    for (uint32_t port = 0; port < sim_types[type].ports; port++)
      if (sim_required(type, port) && !sim_wired(m, i, port)) return sim_refuse(m, SIM_UNWIRED, i, port);
  }
  for (uint32_t i = 0; i < m->part_count; i++)
    if (sim_types[sim_part(m, i)->type].load(m, i)) return 1;
  return SIM_OK;
}

int sim_open(sim *m, const uint32_t *session, uint32_t words) {
  SIM_CALL_STACK_EMPTY();
  struct sim_host_state *side = sim_host_state(m);
  struct sim_host_state kept = {.limit = side->limit, .fail_at = side->fail_at};
  *side = kept;
  *m = (struct sim){.used = sizeof *m};
  struct reader r = {session, session + words};
  if (!has(&r, 8) || word(&r) != SIM_SESSION_MAGIC || word(&r) != SIM_SESSION_FORMAT)
    return sim_refuse(m, SIM_BAD_HEADER, SIM_NONE, 0);
  uint32_t layout = word(&r);
  if (layout != SIM_LAYOUT_HASH) return sim_refuse(m, SIM_BAD_LAYOUT, SIM_NONE, layout);
  uint64_t seed = word(&r);
  seed |= (uint64_t)word(&r) << 32;
  uint32_t trace_log2 = word(&r), parts = word(&r), wires = word(&r);
  m->random = seed;
  if (parts > SIM_MAX_PARTS) return sim_refuse(m, SIM_TOO_MANY, SIM_NONE, SIM_MAX_PARTS);
  if (build(m, &r, parts, wires) || start(m)) return (int)side->directory.error;
  return rings(m, trace_log2) ? (int)side->directory.error : SIM_OK;
}
