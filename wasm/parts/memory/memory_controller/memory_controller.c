/*
 * Memory as the bus sees it: banks with access times, and the contents of each half line.
 *
 *   cells:      the shadow memory (core/shadow_memory.h), a row for each 16 bytes
 *   directory:  64-bit values of the I/O page directory, and if wanted what memory holds of them meanwhile
 *
 * A store becomes the newest write when the storing cache owns the line, a device's write when all caches
 * have answered. For a misdirected device write in flight the intended address is recorded.
 *
 * Loads that overtake a device's writes are found when the writes arrive (core/announced_writes.h).
 */
#include "core/announced_writes.h"
#include "core/engine.h"
#include "core/state_codec.h"
#include "core/shadow_memory.h"
#include "gen/protocols.h"
#include "runway.h"

#define CONTROLLER_AGENTS 10u
#define CONTROLLER_STRAYS \
  (CONTROLLER_AGENTS      \
      * (6u * LINE_HALVES \
          + 1u)) /* each agent's writes that await responses, and a line that it merges into */

struct controller_stray {
  uint64_t meant;
  uint32_t write;
  uint32_t spare;
};

struct memory_controller_state {
  struct shadow_memory shadow;
  uint32_t directory_at;
  uint32_t entries;
  uint32_t banks_at;
  uint32_t banks;
  uint32_t bank_mask; /* banks - 1 if banks is a power of two, else 0 */
  uint32_t active;
  uint32_t held_at; /* 0 without two values */
  uint32_t strays;
  struct announced_writes announced;
  struct controller_stray stray[CONTROLLER_STRAYS];
};

/* The two cells of a line, or NULL outside the window. */
static inline struct shadow_word *controller_line(
    sim *m, struct memory_controller *controller, uint64_t addr) {
  return shadow_word_in(m, &controller->state->shadow, addr & ~(uint64_t)(RUNWAY_LINE - 1), HALF_SHIFT);
}

static inline struct memory_controller_banks *controller_bank(
    sim *m, struct memory_controller *controller, uint64_t addr) {
  uint64_t line = addr / RUNWAY_LINE;
  return (struct memory_controller_banks *)sim_at(m, controller->state->banks_at)
         + (controller->state->bank_mask ? line & controller->state->bank_mask
                                         : line % controller->state->banks);
}

SIM_INLINE void memory_controller_bus_reserve(
    sim *m, struct memory_controller *controller, struct runway_memory_reserve *r) {
  struct memory_controller_banks *bank = controller_bank(m, controller, r->address);
  uint64_t start = sim_max(r->when, bank->free_at);
  controller->counters->bank_waits += start > r->when;
  controller->counters->busy += controller->params->occupancy;
  if (r->write) controller->counters->writes++;
  else controller->counters->reads++;
  bank->free_at = start + controller->params->occupancy;
  r->when = start + controller->params->latency;
  if (!r->write && controller->state->active++ == 0) {
    uint32_t cause = m->cause; /* recorded, but not a cause of later events */
    sim_trace(m, controller->self, MEMORY_CONTROLLER_EV_ACCESS, r->address, MEMORY_CONTROLLER_STATE_BUSY, 0);
    m->cause = cause;
  }
}

/* The data of a read has been read from the bank. */
static void memory_controller_bus_ready(sim *m, struct memory_controller *controller) {
  if (--controller->state->active > 0) return;
  uint32_t cause = m->cause;
  sim_trace(m, controller->self, MEMORY_CONTROLLER_EV_IDLE, 0, 0, 0);
  m->cause = cause;
}

static inline struct memory_controller_directory *controller_entry(sim *m, uint32_t at, uint64_t index) {
  return (struct memory_controller_directory *)sim_at(m, at) + index;
}

/* Directory entries of a line whose newest write has reached memory: memory holds their values. */
static SIM_COLD void controller_home(
    sim *m, struct memory_controller *controller, uint64_t line, const struct shadow_word *cells) {
  for (uint32_t half = 0; half < LINE_HALVES; half++)
    for (uint64_t at = line + half * HALF_BYTES; at < line + (half + 1) * HALF_BYTES; at += 8) {
      uint64_t index = (at - controller->params->directory) / 8;
      if (index < controller->state->entries && cells[half].write == cells[half].newest)
        *controller_entry(m, controller->state->held_at, index) =
            *controller_entry(m, controller->state->directory_at, index);
    }
}

/* A recorded misdirected write has arrived: it is stored here, tracked or not, and is missing at its intended
   location. Returns 0 if it was not recorded. */
static SIM_COLD uint32_t controller_outside_window(
    sim *m, struct memory_controller *controller, uint64_t at, struct shadow_word *cell, uint32_t write) {
  uint32_t i = 0;
  while (i < controller->state->strays && controller->state->stray[i].write != write) i++;
  if (i == controller->state->strays) return 0;
  struct shadow_word *home = shadow_word(m, &controller->state->shadow, controller->state->stray[i].meant);
  controller->state->stray[i] = controller->state->stray[--controller->state->strays];
  controller->state->stray[controller->state->strays] = (struct controller_stray){0};
  if (home) home->newest = write;
  if (!cell) return 1;
  cell->write = write;
  if (!cell->newest) { /* no owner has lost data */
    cell->newest = write;
    return 1;
  }
  controller->counters->overwritten++;
  sim_trace(m, controller->self, MEMORY_CONTROLLER_EV_OVERWRITTEN, at, write, cell->newest);
  return 1;
}

static SIM_COLD void controller_mark_held(
    sim *m, struct memory_controller *controller, uint64_t meant, uint32_t write) {
  if (sim_exploring(m)) return; /* the translation has already violated an invariant */
  if (controller->state->strays == CONTROLLER_STRAYS) __builtin_trap();
  controller->state->stray[controller->state->strays++] =
      (struct controller_stray){.meant = meant, .write = write};
}

static SIM_COLD void memory_controller_bus_announced(
    sim *m, struct memory_controller *controller, struct shadow_announced *q) {
  (void)m;
  announced_add(&controller->state->announced, q->first, q->last, (uint32_t)q->next, (uint32_t)q->next_last);
}

static SIM_COLD void memory_controller_bus_seen(
    sim *m, struct memory_controller *controller, struct shadow_seen *q) {
  (void)m;
  announced_loaded(&controller->state->announced, q->address, q->address + q->bytes);
}

/* A device's write reaches a half line: checks whether that was loaded after an interrupt announced it. */
static SIM_COLD void controller_arrived(
    sim *m, struct memory_controller *controller, uint64_t half, uint32_t write) {
  if (!announced_arrived(&controller->state->announced, half, HALF_BYTES, write)) return;
  uint32_t cause = m->cause; /* recorded, but not a cause of later events */
  controller->counters->overtaken++;
  sim_trace(m, controller->self, MEMORY_CONTROLLER_EV_OVERTAKEN, half, write, 0);
  m->cause = cause;
}

static inline uint32_t controller_is_behind(const struct shadow_word *cells) {
  return cells && (cells[0].write != cells[0].newest || cells[1].write != cells[1].newest);
}

/* The newest data of a line that was elsewhere has come: shown, but not what later events follow from. */
static SIM_COLD void controller_report_current(
    sim *m, struct memory_controller *controller, uint64_t line, const struct shadow_word *cells) {
  uint32_t cause = m->cause;
  sim_trace(m, controller->self, MEMORY_CONTROLLER_EV_CURRENT, line,
      (uint32_t)sim_max(cells[0].write, cells[1].write), 0);
  m->cause = cause;
}

SIM_INLINE void memory_controller_bus_put(
    sim *m, struct memory_controller *controller, struct runway_memory_put *q) {
  struct shadow_word *cells = controller_line(m, controller, q->address);
  uint32_t strays = controller->state->strays;
  if (!cells && !strays) return;
  const uint32_t was_behind = controller_is_behind(cells);
  for (uint32_t half = 0; half < LINE_HALVES; half++) {
    if (!(q->mask & 1u << half)) continue;
    if (strays
        && controller_outside_window(
            m, controller, q->address + half * HALF_BYTES, cells ? &cells[half] : NULL, q->halves[half]))
      continue;
    if (!cells) continue;
    if (q->now) {
      if (controller->state->announced.used)
        controller_arrived(
            m, controller, (q->address & ~(uint64_t)(RUNWAY_LINE - 1)) + half * HALF_BYTES, q->halves[half]);
      shadow_commit(&cells[half], q->halves[half]);
      continue;
    }
    uint32_t lost = shadow_read_done(&cells[half], q->halves[half]);
    if (!lost) continue;
    controller->counters->lost_updates++;
    sim_broken(m, controller->self, SIM_NO_LOST_DATA, q->address + half * HALF_BYTES);
    sim_trace(m, controller->self, MEMORY_CONTROLLER_EV_LOST, q->address + half * HALF_BYTES, q->halves[half],
        lost);
  }
  if (was_behind && !controller_is_behind(cells))
    controller_report_current(m, controller, q->address & ~(uint64_t)(RUNWAY_LINE - 1), cells);
  if (cells && controller->state->held_at)
    controller_home(m, controller, q->address & ~(uint64_t)(RUNWAY_LINE - 1), cells);
}

static uint32_t memory_controller_bus_skips_update(sim *m, struct memory_controller *controller) {
  (void)m;
  return controller->params->fault == MEMORY_CONTROLLER_FAULT_COPY_SKIPS_MEMORY;
}

/* The contents of a line in memory; none if it is not tracked. */
SIM_INLINE uint32_t controller_held(
    sim *m, struct memory_controller *controller, uint64_t addr, uint32_t *halves) {
  const struct shadow_word *cells = controller_line(m, controller, addr);
  for (uint32_t half = 0; half < LINE_HALVES; half++) halves[half] = cells ? cells[half].write : 0;
  return cells != NULL;
}

SIM_INLINE uint32_t memory_controller_bus_get(
    sim *m, struct memory_controller *controller, struct runway_memory_get *q) {
  return controller_held(m, controller, q->address, q->halves);
}
static uint32_t memory_controller_bus_memory_value(
    sim *m, struct memory_controller *controller, struct shadow_memory_value *q) {
  return controller_held(m, controller, q->address, q->halves);
}

static uint32_t memory_controller_bus_newest_write(
    sim *m, struct memory_controller *controller, struct shadow_newest_write *q) {
  const struct shadow_word *cells = controller_line(m, controller, q->address);
  for (uint32_t half = 0; half < LINE_HALVES; half++) q->halves[half] = cells ? cells[half].newest : 0;
  return cells != NULL;
}

static uint32_t memory_controller_bus_store(
    sim *m, struct memory_controller *controller, struct shadow_store *q) {
  struct shadow_word *cells = controller_line(m, controller, q->address);
  if (!cells) return 0;
  uint32_t write = sim_new_write(m);
  if (q->device && controller->state->announced.used)
    controller_arrived(m, controller, q->address & ~(uint64_t)(HALF_BYTES - 1), q->device);
  if (q->meant && !sim_exploring(m)) controller_mark_held(m, controller, q->meant, write);
  else cells[q->half].newest = write;
  return write;
}

static void memory_controller_bus_misdirected_write(
    sim *m, struct memory_controller *controller, struct shadow_misdirected_write *q) {
  controller_mark_held(m, controller, q->meant, q->write);
}

static uint32_t memory_controller_bus_cells(
    sim *m, struct memory_controller *controller, struct shadow_cells *q) {
  (void)m;
  *(struct shadow_memory *)q->shadow = controller->state->shadow;
  return 1;
}

/* Removes data discarded by software: the write in memory is the newest now. */
static void memory_controller_bus_discard(
    sim *m, struct memory_controller *controller, struct shadow_discard *q) {
  struct shadow_word *cells = controller_line(m, controller, q->address);
  for (uint32_t half = 0; cells && half < LINE_HALVES; half++) shadow_discard(&cells[half]);
}

static uint32_t memory_controller_bus_value(
    sim *m, struct memory_controller *controller, struct shadow_value *q) {
  uint64_t index = (q->address - controller->params->directory) / 8;
  if (index >= controller->state->entries) {
    q->value = 0;
    return 0;
  }
  struct memory_controller_directory *entry = controller_entry(m,
      q->held && controller->state->held_at ? controller->state->held_at : controller->state->directory_at,
      index);
  if (q->set) {
    const struct shadow_word *cell = shadow_word(m, &controller->state->shadow, q->address);
    *entry = (struct memory_controller_directory){(uint32_t)q->value, (uint32_t)(q->value >> 32)};
    if (controller->state->held_at && (!cell || cell->write == cell->newest))
      *controller_entry(m, controller->state->held_at, index) = *entry;
  }
  q->value = (uint64_t)entry->high << 32 | entry->low;
  return 1;
}

static int memory_controller_load(sim *m, uint32_t self) {
  const struct memory_controller_params *q = SIM_PARAMS(m, self, memory_controller);
  struct memory_controller_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t cells = (uint32_t)(q->tracked / RUNWAY_LINE * LINE_HALVES),
           entries = (uint32_t)(q->directory_bytes / 8);
  void *c = sim_view(m, self, MEMORY_CONTROLLER_VIEW_CELLS, cells, sizeof(struct memory_controller_cells));
  void *d = sim_view(
      m, self, MEMORY_CONTROLLER_VIEW_DIRECTORY, entries, sizeof(struct memory_controller_directory));
  void *held = sim_view(m, self, MEMORY_CONTROLLER_VIEW_HELD, q->two_values ? entries : 0,
      sizeof(struct memory_controller_held));
  void *b = sim_view(
      m, self, MEMORY_CONTROLLER_VIEW_BANKS, (uint32_t)q->banks, sizeof(struct memory_controller_banks));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct memory_controller_state){.shadow = shadow_of(m, c, q->tracked_from, cells, HALF_BYTES),
      .directory_at = sim_offset(m, d),
      .entries = entries,
      .banks_at = sim_offset(m, b),
      .banks = (uint32_t)q->banks,
      .held_at = q->two_values ? sim_offset(m, held) : 0};
  if (!(q->banks & (q->banks - 1))) s->bank_mask = (uint32_t)q->banks - 1;
  for (uint32_t i = 0; i < cells && q->written; i++)
    shadow_commit((struct shadow_word *)c + i, sim_new_write(m));
  return SIM_OK;
}

/* The shadow memory numbers the writes that identify all later data, so memory comes first among the parts.
 */
static void memory_controller_serialize(sim *m, struct memory_controller *controller, struct sim_codec *k) {
  struct shadow_word *cells = sim_at(m, controller->state->shadow.at);
  struct memory_controller_directory *entries = sim_at(m, controller->state->directory_at);
  for (uint32_t i = 0; i < controller->state->shadow.cells; i++)
    sim_codec_write_id(k, &cells[i].newest, HOLDER_NEWEST);
  for (uint32_t i = 0; i < controller->state->shadow.cells; i++)
    sim_codec_write_id(k, &cells[i].write, HOLDER_MEMORY);
  for (uint32_t i = 0; i < controller->state->entries; i++) {
    sim_codec_u32(k, &entries[i].low);
    sim_codec_u32(k, &entries[i].high);
  }
  for (uint32_t i = 0; i < controller->state->entries && controller->state->held_at; i++) {
    sim_codec_u32(k, &controller_entry(m, controller->state->held_at, i)->low);
    sim_codec_u32(k, &controller_entry(m, controller->state->held_at, i)->high);
  }
}
