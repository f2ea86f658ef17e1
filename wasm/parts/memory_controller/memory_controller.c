/*
 * Memory as the bus sees it: banks that take time, and what each half line holds.
 *
 *   cells:      [write in memory | newest write anywhere]   one pair for each 16 bytes
 *   directory:  64-bit values of the I/O page directory
 *
 * The second of each pair is the ledger: no part of the hardware, but the memory of an observer who
 * sees all. A store updates it when the storing cache owns the line, a device's write when all caches
 * have answered. Whoever reads data compares it with the ledger; that is how stale data is seen.
 */
#include "core/engine.h"
#include "core/keep.h"
#include "runway.h"

struct memory_controller_state {
  struct ledger ledger;
  uint32_t directory_at, entries;
  uint32_t banks_at, banks, bank_mask, active; /* bank_mask: banks - 1 if that is a mask, else 0 */
};

/* The two cells of a line, or NULL outside the window. */
static inline struct ledger_cell *controller_line(by *m, uint32_t self, uint64_t addr) {
  return ledger_cell(m, &BY_STATE(m, self, memory_controller)->ledger, addr & ~(uint64_t)(RUNWAY_LINE - 1));
}

static inline struct memory_controller_banks *controller_bank(by *m, const struct memory_controller_state *s, uint64_t addr) {
  uint64_t line = addr / RUNWAY_LINE;
  return (struct memory_controller_banks *)by_at(m, s->banks_at) + (s->bank_mask ? line & s->bank_mask : line % s->banks);
}

static uint32_t controller_reserve(by *m, uint32_t self, by_poll *p) {
  struct memory_controller_state *s = BY_STATE(m, self, memory_controller);
  const struct memory_controller_params *q = BY_PARAMS(m, self, memory_controller);
  struct memory_controller_counters *c = BY_COUNTERS(m, self, memory_controller);
  struct memory_controller_banks *bank = controller_bank(m, s, p->addr);
  uint64_t start = by_max(p->when, bank->free_at);
  c->bank_waits += start > p->when;
  c->busy += q->occupancy;
  if (p->x) c->writes++;
  else c->reads++;
  bank->free_at = start + q->occupancy;
  p->when = start + q->latency;
  if (!p->x && s->active++ == 0) {
    uint32_t cause = m->cause; /* shown, but not what later events follow from */
    by_trace(m, self, MEMORY_CONTROLLER_EV_ACCESS, p->addr, MEMORY_CONTROLLER_STATE_BUSY, 0);
    m->cause = cause;
  }
  return 0;
}

/* The data of a read has been taken out of the bank. */
static void controller_ready(by *m, uint32_t self) {
  if (--BY_STATE(m, self, memory_controller)->active > 0) return;
  uint32_t cause = m->cause;
  by_trace(m, self, MEMORY_CONTROLLER_EV_IDLE, 0, 0, 0);
  m->cause = cause;
}

static void controller_put(by *m, uint32_t self, const by_poll *p) {
  struct ledger_cell *cells = controller_line(m, self, p->addr);
  if (!cells) return;
  for (uint32_t half = 0; half < LINE_HALVES; half++) {
    if (!(p->x & 1u << half)) continue;
    if (p->y) {
      cells[half].newest = p->words[half];
    } else if (cells[half].write == cells[half].newest && p->words[half] < cells[half].newest) {
      BY_COUNTERS(m, self, memory_controller)->lost_updates++;
      by_broken(m, self, BY_NO_LOST_DATA, p->addr + half * HALF_BYTES);
      by_trace(m, self, MEMORY_CONTROLLER_EV_LOST, p->addr + half * HALF_BYTES, p->words[half], cells[half].newest);
    }
    cells[half].write = p->words[half];
  }
}

/* The ledger forgets what software threw away: what memory holds is the newest now. */
static void controller_forget(by *m, uint32_t self, uint64_t addr) {
  struct ledger_cell *cells = controller_line(m, self, addr);
  for (uint32_t half = 0; cells && half < LINE_HALVES; half++) cells[half].newest = cells[half].write;
}

static uint32_t controller_value(by *m, uint32_t self, by_poll *p) {
  struct memory_controller_state *s = BY_STATE(m, self, memory_controller);
  uint64_t index = (p->addr - BY_PARAMS(m, self, memory_controller)->directory) / 8;
  if (index >= s->entries) {
    p->when = 0;
    return 0;
  }
  struct memory_controller_directory *entry = (struct memory_controller_directory *)by_at(m, s->directory_at) + index;
  if (p->x) *entry = (struct memory_controller_directory){(uint32_t)p->when, (uint32_t)(p->when >> 32)};
  p->when = (uint64_t)entry->high << 32 | entry->low;
  return 1;
}

BY_INLINE uint32_t memory_controller_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  (void)port;
  struct ledger_cell *cells = NULL;
  switch (kind) {
    case CONTROLLER_RESERVE: return controller_reserve(m, self, p);
    case CONTROLLER_SKIPS: return BY_PARAMS(m, self, memory_controller)->fault == MEMORY_CONTROLLER_FAULT_COPY_SKIPS_MEMORY;
    case CONTROLLER_READY: controller_ready(m, self); return 0;
    case CONTROLLER_PUT: controller_put(m, self, p); return 0;
    case CONTROLLER_GET:
    case LEDGER_MEMORY:
    case LEDGER_LOOK:
      cells = controller_line(m, self, p->addr);
      for (uint32_t half = 0; half < LINE_HALVES; half++) p->words[half] = !cells ? 0 : kind == LEDGER_LOOK ? cells[half].newest : cells[half].write;
      return cells != NULL;
    case LEDGER_STORE:
      cells = controller_line(m, self, p->addr);
      return cells ? cells[p->x].newest = by_new_write(m) : 0;
    case LEDGER_WINDOW: *(struct ledger *)p->words = BY_STATE(m, self, memory_controller)->ledger; return 1;
    case LEDGER_FORGET: controller_forget(m, self, p->addr); return 0;
    case MEMORY_VALUE: return controller_value(m, self, p);
  }
  __builtin_trap();
}

static void memory_controller_on(by *m, uint32_t self, const by_msg *msg) { (void)m, (void)self, (void)msg; }

static int memory_controller_changed(by *m, uint32_t self, uint32_t param) {
  (void)m, (void)self;
  return param == MEMORY_CONTROLLER_PARAM_LATENCY || param == MEMORY_CONTROLLER_PARAM_OCCUPANCY || param == MEMORY_CONTROLLER_PARAM_FAULT ? BY_OK : BY_NOT_LIVE;
}

static int memory_controller_load(by *m, uint32_t self) {
  const struct memory_controller_params *q = BY_PARAMS(m, self, memory_controller);
  if (q->banks == 0 || q->banks > 64) return by_refuse(m, BY_BAD_PARAM, self, MEMORY_CONTROLLER_PARAM_BANKS);
  if (q->tracked > 16u << 20) return by_refuse(m, BY_BAD_PARAM, self, MEMORY_CONTROLLER_PARAM_TRACKED);
  if (q->tracked_from % RUNWAY_LINE) return by_refuse(m, BY_BAD_PARAM, self, MEMORY_CONTROLLER_PARAM_TRACKED_FROM);
  if (q->directory_bytes > 8u << 20) return by_refuse(m, BY_BAD_PARAM, self, MEMORY_CONTROLLER_PARAM_DIRECTORY_BYTES);
  struct memory_controller_state *s = by_state_alloc(m, self, sizeof *s);
  uint32_t cells = (uint32_t)(q->tracked / RUNWAY_LINE * LINE_HALVES), entries = (uint32_t)(q->directory_bytes / 8);
  void *c = by_view(m, self, MEMORY_CONTROLLER_VIEW_CELLS, cells, sizeof(struct memory_controller_cells));
  void *d = by_view(m, self, MEMORY_CONTROLLER_VIEW_DIRECTORY, entries, sizeof(struct memory_controller_directory));
  void *b = by_view(m, self, MEMORY_CONTROLLER_VIEW_BANKS, (uint32_t)q->banks, sizeof(struct memory_controller_banks));
  if (!s || !c || !d || !b) return BY_NO_MEMORY;
  *s = (struct memory_controller_state){{q->tracked_from, by_offset(m, c), cells}, by_offset(m, d), entries, by_offset(m, b), (uint32_t)q->banks, 0, 0};
  if (!(q->banks & (q->banks - 1))) s->bank_mask = (uint32_t)q->banks - 1;
  for (uint32_t i = 0; i < cells && q->written; i++) {
    struct ledger_cell *cell = (struct ledger_cell *)c + i;
    cell->write = cell->newest = by_new_write(m);
  }
  return BY_OK;
}

/* The ledger names the writes by which all later data is told apart, so memory comes first among the parts. */
static void memory_controller_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct memory_controller_state *s = BY_STATE(m, self, memory_controller);
  struct ledger_cell *cells = by_at(m, s->ledger.at);
  struct memory_controller_directory *entries = by_at(m, s->directory_at);
  for (uint32_t i = 0; i < s->ledger.cells; i++) by_keep_write(k, &cells[i].newest, KEEP_NEWEST);
  for (uint32_t i = 0; i < s->ledger.cells; i++) by_keep_write(k, &cells[i].write, KEEP_MEMORY);
  for (uint32_t i = 0; i < s->entries; i++) {
    by_keep_word(k, &entries[i].low);
    by_keep_word(k, &entries[i].high);
  }
}
