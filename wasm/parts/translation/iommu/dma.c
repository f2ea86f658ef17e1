/* Devices' accesses performed on the bus, and the unit's registers there. */
#include "parts/translation/iommu/iommu.h"

#include "parts/translation/iommu/walk.c"

/* A register read is answered once the accesses translated before it are done: the reader may then give the
   page to another owner. */
static int iommu_decodes_address(const struct iommu_register_read *read) {
  return read->answered && read->behind == 0 && read->requests == 0;
}

static void iommu_hsc_done(sim *m, struct iommu *unit, uint32_t outcome);

/* The access is complete: notifies its device and frees the entry. */
static void iommu_end(sim *m, struct iommu *unit, uint32_t slot) {
  iommu_access a = *iommu_access_of(m, unit, slot);
  *iommu_access_of(m, unit, slot) = (iommu_access){0};
  for (uint32_t i = 0; i < unit->state->reads; i++) {
    if (unit->state->read[i].behind == 1ull << slot) iommu_ask(m, unit);
    unit->state->read[i].behind &= ~(1ull << slot);
  }
  if (slot == IOMMU_OF_HSC) {
    iommu_hsc_done(m, unit, a.outcome);
    return;
  }
  send_dma_done(m, unit->self, IOMMU_PORT_DMA + slot / IOMMU_PLACES, 0, SIM_PHASE_ANSWER,
      (struct dma_done){
          .address = a.address, .outcome = a.outcome, .page = (uint32_t)(a.physical >> IOMMU_FRAME)});
}

/* The access's memory address is known: it waits for the bus. */
static void iommu_start_access(sim *m, struct iommu *unit, uint32_t slot, uint64_t physical) {
  iommu_access *a = iommu_access_of(m, unit, slot);
  a->state = IOMMU_ACCESS_READY;
  a->physical = physical;
  a->cause = sim_trace(m, unit->self, IOMMU_EV_GOES, physical, a->write, 0);
  iommu_ask(m, unit);
}

/* Nothing is mapped there: the access is blocked, or directed to the spill page. */
static void iommu_unmapped(sim *m, struct iommu *unit, uint32_t slot) {
  iommu_access *a = iommu_access_of(m, unit, slot);
  uint64_t in_page = a->address & (((uint64_t)1 << unit->state->shift) - 1);
  if (iommu_entry_of(unit->state, a) < unit->state->entries && unit->params->spill) {
    iommu_start_access(m, unit, slot, iommu_spill(m, unit, a->address, a->write) + in_page);
  } else if (iommu_refuse(m, unit, a->address, a->write)) {
    iommu_start_access(m, unit, slot, a->address);
  } else {
    a->outcome = IOMMU_STOPPED;
    iommu_end(m, unit, slot);
  }
}

static void iommu_translated(sim *m, struct iommu *unit, uint32_t slot, const translation *found) {
  iommu_access *a = iommu_access_of(m, unit, slot);
  uint32_t newest = iommu_newest_write(m, unit, found->entry - 1);
  uint64_t in_page = a->address & (((uint64_t)1 << unit->state->shift) - 1);
  if (newest != found->page) {
    a->outcome = IOMMU_ASTRAY;
    a->meant = newest;
    if (newest || !sim_exploring(m))
      sim_broken(m, unit->self, SIM_LIVE_TRANSLATION,
          a->address); /* in exploration mode it can request while its page is being unmapped */
    iommu_trace_stale(m, unit, a->address, found->page, newest);
  }
  iommu_start_access(m, unit, slot, ((uint64_t)(found->page - 1) << unit->state->shift) + in_page);
}

static void iommu_returned(sim *m, struct iommu *unit);

/* The look-up in the translation cache is complete. */
static void iommu_self(sim *m, struct iommu *unit, const sim_msg *msg) {
  uint32_t slot = msg->x;
  if (msg->kind == IOMMU_RETURNED) {
    iommu_returned(m, unit);
    return;
  }
  iommu_access *a = iommu_access_of(m, unit, slot);
  uint64_t entry = iommu_entry_of(unit->state, a);
  m->cause = a->cause;
  unit->counters->translations++;
  if (a->address < unit->state->base || entry >= unit->state->entries) {
    iommu_unmapped(m, unit, slot);
    return;
  }
  const translation *found = iommu_find(m, unit, entry);
  if (found) {
    unit->counters->passed_by += (uint64_t)iommu_walking(m, unit);
    iommu_translated(m, unit, slot, found);
    return;
  }
  a->state = IOMMU_ACCESS_MISSED;
  a->cause = sim_trace(m, unit->self, IOMMU_EV_HELD_UP, a->address, (uint32_t)entry, 0);
  unit->counters->held_up++;
  iommu_walk(m, unit);
}

/* A device's access: accepted if there is a free entry. */
static uint32_t iommu_dma_access(sim *m, struct iommu *unit, uint32_t device, struct dma_access *q) {
  uint32_t slot = device * IOMMU_PLACES, end = slot + (uint32_t)unit->params->places;
  while (slot < end && iommu_access_of(m, unit, slot)->state != IOMMU_ACCESS_FREE) slot++;
  if (slot == end) return 0;
  REPORT_CONTRACT(m, unit->self, IOMMU_PORT_CONTRACT, device_access, .address = q->address,
      .bytes = RUNWAY_LINE,
      .access = q->write ? CONTRACT_DIRECTION_FROM_DEVICE : CONTRACT_DIRECTION_TO_DEVICE);
  *iommu_access_of(m, unit, slot) = (iommu_access){.state = IOMMU_ACCESS_LOOKUP,
      .write = q->write,
      .number = unit->state->numbers++,
      .cause = m->cause,
      .address = q->address,
      .half_0 = q->write ? q->halves[0] : 0,
      .half_1 = q->write ? q->halves[1] : 0};
  sim_schedule_for(m, unit->self, unit->params->lookup, SIM_PHASE_REQUEST, IOMMU_LOOKED_UP, slot);
  return 1;
}

static uint32_t iommu_fill_grant(
    struct iommu *unit, struct runway_grant *q, uint32_t type, uint64_t address, uint32_t slot) {
  q->type = type;
  q->address = address;
  q->slot = slot;
  q->index = (uint32_t)((address + unit->params->virtual_offset) >> IOMMU_FRAME) & 0xfff;
  return 1;
}

/* The memory address of the access. */
static uint64_t iommu_place(struct iommu *unit, const iommu_access *a) {
  return a->meant ? ((uint64_t)(a->meant - 1) << unit->state->shift)
                        + (a->address & (((uint64_t)1 << unit->state->shift) - 1))
                  : a->physical;
}

/* Compares the data for a device with the newest of its intended address. */
static void iommu_check(
    sim *m, struct iommu *unit, const iommu_access *a, uint32_t bytes, const uint32_t *halves) {
  uint64_t meant = iommu_place(unit, a), line = meant & ~(uint64_t)(RUNWAY_LINE - 1);
  uint32_t newest[LINE_HALVES];
  struct shadow_newest_write look = {.address = meant, .halves = newest};
  if (!call_shadow_newest_write(m, unit->self, IOMMU_PORT_BUS, &look)) return;
  for (uint32_t half = 0; half < LINE_HALVES; half++) {
    uint64_t at = line + half * HALF_BYTES;
    if (at + HALF_BYTES <= meant || at >= meant + bytes || halves[half] == newest[half]) continue;
    unit->counters->stale_reads++;
    sim_broken(m, unit->self, SIM_CURRENT_DEVICE, at);
    sim_trace(m, unit->self, IOMMU_EV_STALE_DATA, at, halves[half], newest[half]);
  }
}

#include "parts/translation/iommu/hsc.c"

/* The access that has waited longest for the bus, and the number of waiting ones; IOMMU_ACCESSES if none. */
static uint32_t iommu_oldest_ready(sim *m, struct iommu *unit, uint32_t *ready) {
  uint32_t oldest = IOMMU_ACCESSES;
  *ready = 0;
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++) {
    const iommu_access *a = iommu_access_of(m, unit, slot);
    if (a->state != IOMMU_ACCESS_READY) continue;
    ++*ready;
    if (oldest == IOMMU_ACCESSES || a->number - iommu_access_of(m, unit, oldest)->number > UINT32_MAX / 2)
      oldest = slot;
  }
  return oldest;
}

static uint32_t iommu_answer(struct iommu_state *s, uint32_t i, struct runway_grant *q) {
  struct iommu_register_read first = s->read[i];
  for (s->reads--; i < s->reads; i++) s->read[i] = s->read[i + 1];
  s->read[s->reads] = (struct iommu_register_read){0};
  q->type = RUNWAY_TYPE_SHORT_RETURN;
  q->address = first.address;
  q->slot = first.transaction;
  q->halves[0] = first.value;
  return 1;
}

/* The unit is granted the bus. Priority: an answer to a processor, walks, the oldest access. */
static uint32_t iommu_bus_grant(sim *m, struct iommu *unit, struct runway_grant *q) {
  uint32_t wishes, slot = iommu_oldest_ready(m, unit, &wishes), answer = UINT32_MAX, walker = UINT32_MAX;
  for (uint32_t i = unit->state->reads; i-- > 0;)
    if (iommu_decodes_address(&unit->state->read[i])) wishes++, answer = i;
  for (uint32_t i = (uint32_t)unit->params->at_once; i-- > 0;)
    if (iommu_walker_of(m, unit, i)->wanted) wishes++, walker = i;
  int home = iommu_on_hsc(m, unit) && iommu_hsc_of(m, unit)->state == IOMMU_LINE_HELD;
  if (wishes + (uint32_t)home > 1) iommu_ask(m, unit);
  if (home) return iommu_line_written(m, unit, q);
  if (answer != UINT32_MAX) return iommu_answer(unit->state, answer, q);
  if (q->limit & RUNWAY_LIMIT_DATA_ONLY) return 0;
  if (walker != UINT32_MAX) {
    iommu_walker *w = iommu_walker_of(m, unit, walker);
    w->wanted = 0;
    m->cause = w->cause;
    return iommu_fill_grant(unit, q,
        unit->params->snoops ? RUNWAY_TYPE_READ_SHARED : RUNWAY_TYPE_READ_NONCOHERENT, w->at,
        IOMMU_ACCESSES + walker);
  }
  if (slot == IOMMU_ACCESSES) return 0;
  iommu_access *a = iommu_access_of(m, unit, slot);
  a->state = IOMMU_ACCESS_ISSUED;
  m->cause = a->cause;
  if (slot == IOMMU_OF_HSC
      && (iommu_head(m, unit)->kind == HSC_KIND_INTERRUPT || iommu_merges(iommu_head(m, unit))))
    return iommu_hsc_fill_grant(m, unit, q, a);
  q->halves[0] = a->half_0;
  q->halves[1] = a->half_1;
  for (uint32_t half = 0; a->write && a->meant && half < LINE_HALVES; half++)
    call_shadow_misdirected_write(m, unit->self, IOMMU_PORT_BUS,
        &(struct shadow_misdirected_write){
            .meant = iommu_place(unit, a) + half * HALF_BYTES, .write = q->halves[half]});
  return iommu_fill_grant(
      unit, q, a->write ? RUNWAY_TYPE_WRITE32 : RUNWAY_TYPE_READ_SHARED, a->physical, slot);
}

/* The line being merged, from the time the unit owns it; it holds no other. */
static int iommu_holds(sim *m, struct iommu *unit, uint64_t address, uint32_t from) {
  const struct iommu_hsc *h = iommu_hsc_of(m, unit);
  return iommu_on_hsc(m, unit) && h->state >= from && h->line == (address & ~(uint64_t)(RUNWAY_LINE - 1));
}

static uint32_t iommu_bus_snoop(sim *m, struct iommu *unit, struct runway_snoop *q) {
  if (!iommu_holds(m, unit, q->address, IOMMU_LINE_ORDERED)) return RUNWAY_RESPONSE_OK;
  iommu_hsc_of(m, unit)->stalls = 1;
  return RUNWAY_RESPONSE_WAIT;
}

static uint32_t iommu_bus_own_response(sim *m, struct iommu *unit, struct runway_own_response *q) {
  if (q->type == RUNWAY_TYPE_READ_PRIVATE) iommu_hsc_of(m, unit)->state = IOMMU_LINE_ORDERED;
  return RUNWAY_RESPONSE_OK;
}

static uint32_t iommu_bus_tracks_line(sim *m, struct iommu *unit, struct runway_tracks_line *q) {
  return (uint32_t)iommu_holds(m, unit, q->address, IOMMU_LINE_ISSUED);
}

static uint32_t iommu_bus_has_priority_work(sim *m, struct iommu *unit) {
  uint32_t answers = iommu_on_hsc(m, unit) && iommu_hsc_of(m, unit)->state == IOMMU_LINE_HELD;
  for (uint32_t i = 0; i < unit->state->reads; i++)
    answers += (uint32_t)iommu_decodes_address(&unit->state->read[i]);
  return answers;
}

/* A transaction of the unit is complete. */
static void iommu_bus_data(sim *m, struct iommu *unit, struct runway_data *q) {
  if (q->slot == IOMMU_POSTED) return;
  if (q->slot >= IOMMU_ACCESSES) {
    iommu_read_done(m, unit, q->slot - IOMMU_ACCESSES);
    return;
  }
  const iommu_access *a = iommu_access_of(m, unit, q->slot);
  if (q->slot == IOMMU_OF_HSC) {
    iommu_hsc_data_arrived(m, unit, a, q->halves);
    return;
  }
  if (a->write) unit->counters->bytes_in += RUNWAY_LINE;
  else unit->counters->bytes_out += RUNWAY_LINE, iommu_check(m, unit, a, RUNWAY_LINE, q->halves);
  iommu_end(m, unit, q->slot);
}

static uint32_t iommu_bus_claim(sim *m, struct iommu *unit, struct runway_claim *q) {
  if (q->which && !iommu_on_hsc(m, unit)) return 0;
  if (!q->which) iommu_fill_upper(m, unit);
  q->base = q->which ? unit->params->window : unit->params->registers;
  q->length = q->which ? IOMMU_SLOTS * unit->params->slot_bytes : IOMMU_REGISTER_BYTES;
  return 1;
}

/* The accesses that have their address and are not done, one bit each. */
static uint64_t iommu_translated_now(sim *m, struct iommu *unit) {
  uint64_t bits = 0;
  for (uint32_t slot = 0; slot < IOMMU_ACCESSES; slot++)
    bits |= (uint64_t)(iommu_access_of(m, unit, slot)->state >= IOMMU_ACCESS_READY) << slot;
  return bits;
}

/* The value of a register. */
static uint32_t iommu_register_value(struct iommu *unit, uint64_t offset) {
  if (offset == IOMMU_REG_FAULTS) return (uint32_t)unit->counters->faults;
  return offset == IOMMU_REG_FAULT ? (uint32_t)unit->state->fault_address : 0;
}

/* A store to a register: purges translations. */
static void iommu_order(sim *m, struct iommu *unit, uint64_t offset, uint64_t value) {
  if (offset == IOMMU_REG_FLUSH) iommu_map_invalidate_all(m, unit);
  if (offset != IOMMU_REG_PURGE) return;
  iommu_map_invalidate(m, unit, &(struct iommu_invalidate){.entry = value, .entries = 1});
  sim_trace(m, unit->self, IOMMU_EV_PURGED, 0, (uint32_t)value, 0);
}

/* A processor's store or load to one of the unit's registers. */
static void iommu_bus_register(sim *m, struct iommu *unit, const struct runway_register *q) {
  uint64_t offset = q->address - unit->params->registers;
  if (q->id && unit->state->reads == IOMMU_READERS) __builtin_trap();
  if (iommu_reply_to_device(m, unit, q)) return;
  if (q->id) {
    uint32_t value = iommu_register_value(unit, offset);
    uint64_t behind = unit->params->fault == IOMMU_FAULT_ANSWERS_EARLY ? 0 : iommu_translated_now(m, unit);
    unit->state->read[unit->state->reads++] = (struct iommu_register_read){
        .address = q->address, .behind = behind, .transaction = q->id - 1, .value = value, .answered = 1};
    if (iommu_decodes_address(&unit->state->read[unit->state->reads - 1])) iommu_ask(m, unit);
  } else {
    iommu_order(m, unit, offset, q->value);
  }
}
