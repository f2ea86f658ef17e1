/*
 * The unit at the end of an HSC bus, in place of an I/O adapter.
 *
 *   HSC --> [ requests ] --> one access of the unit --> bus        in order, one at a time
 *   HSC <-- [ returns ] <--- data, register accesses <-- bus
 *
 * Partial lines are merged: the line is read privately, updated with the device's bytes and written back.
 * While the unit owns it, requests for it are not answered.
 */
#include "parts/translation/iommu/iommu.h"

typedef struct iommu_requests iommu_request;
typedef struct iommu_returns iommu_return;

static struct iommu_hsc *iommu_hsc_of(sim *m, struct iommu *unit) { return sim_at(m, unit->state->hsc_at); }
static iommu_request *iommu_head(sim *m, struct iommu *unit) { return sim_at(m, unit->state->requests_at); }
static int iommu_on_hsc(sim *m, struct iommu *unit) { return sim_wired(m, unit->self, IOMMU_PORT_HSC); }

static int iommu_writes(uint32_t kind) {
  return kind == HSC_KIND_WRITE || kind == HSC_KIND_WRITE_UNLOCK || kind == HSC_KIND_SEMAPHORE;
}
static int iommu_merges(const iommu_request *r) {
  return r->kind == HSC_KIND_SEMAPHORE || (iommu_writes(r->kind) && r->bytes < RUNWAY_LINE);
}

/* Tells the bus whether there is room for register accesses. */
static void iommu_signal_flow_control(sim *m, struct iommu *unit) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  uint32_t full = h->returning + h->arriving >= IOMMU_RETURNS_FULL;
  if (h->full == full) return;
  h->full = full;
  call_runway_flow_control(m, unit->self, IOMMU_PORT_BUS, &(struct runway_flow_control){.on = full});
}

static void iommu_return_data(sim *m, struct iommu *unit, iommu_return entry) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  uint32_t n = h->returning + h->arriving++;
  if (n >= IOMMU_RETURNS) __builtin_trap();
  entry.cause = m->cause;
  ((iommu_return *)sim_at(m, unit->state->returns_at))[n] = entry;
  sim_schedule(m, unit->self, unit->params->crossing, SIM_PHASE_ANSWER, IOMMU_RETURNED);
  iommu_signal_flow_control(m, unit);
}

static void iommu_has_returns(sim *m, struct iommu *unit) {
  call_hsc_adapter_request(m, unit->self, IOMMU_PORT_HSC, &(struct hsc_adapter_request){.returns = 1});
}

static void iommu_returned(sim *m, struct iommu *unit) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  h->arriving--;
  h->returning++;
  iommu_has_returns(m, unit);
}

static void iommu_hold(sim *m, struct iommu *unit, uint32_t on) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  if (h->locked == on
      || (!call_runway_lock_memory(m, unit->self, IOMMU_PORT_BUS, &(struct runway_lock_memory){.on = on})
          && on))
    return;
  h->locked = on;
}

/* Starts the oldest request, unless one is being served. An interrupt needs no translation. */
static void iommu_begin(sim *m, struct iommu *unit) {
  iommu_access *a = iommu_access_of(m, unit, IOMMU_OF_HSC);
  const iommu_request *r = iommu_head(m, unit);
  if (a->state != IOMMU_ACCESS_FREE || iommu_hsc_of(m, unit)->waiting == 0) return;
  uint32_t interrupts = r->kind == HSC_KIND_INTERRUPT, write = (uint32_t)iommu_writes(r->kind) | interrupts;
  m->cause = r->cause;
  *a = (iommu_access){.state = interrupts ? IOMMU_ACCESS_READY : IOMMU_ACCESS_LOOKUP,
      .write = write,
      .number = unit->state->numbers++,
      .cause = r->cause,
      .address = r->address,
      .physical = interrupts ? r->address : 0,
      .half_0 = r->half_0,
      .half_1 = r->half_1};
  if (interrupts) {
    iommu_ask(m, unit);
    return;
  }
  if (r->kind == HSC_KIND_READ_LOCKED) iommu_hold(m, unit, 1);
  uint32_t both = r->kind != HSC_KIND_READ && r->kind != HSC_KIND_WRITE;
  REPORT_CONTRACT(m, unit->self, IOMMU_PORT_CONTRACT, device_access, .address = r->address, .bytes = r->bytes,
      .access = both    ? CONTRACT_DIRECTION_TO_DEVICE | CONTRACT_DIRECTION_FROM_DEVICE
                : write ? CONTRACT_DIRECTION_FROM_DEVICE
                        : CONTRACT_DIRECTION_TO_DEVICE);
  sim_schedule_for(m, unit->self, unit->params->crossing + unit->params->lookup, SIM_PHASE_REQUEST,
      IOMMU_LOOKED_UP, IOMMU_OF_HSC);
}

/* The oldest request is complete, or was blocked: then a read returns without data. */
static void iommu_hsc_done(sim *m, struct iommu *unit, uint32_t outcome) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  iommu_request *r = iommu_head(m, unit), was = *r;
  int stopped = outcome == IOMMU_STOPPED;
  if (stopped && was.kind != HSC_KIND_WRITE && was.kind != HSC_KIND_WRITE_UNLOCK)
    iommu_return_data(m, unit, (iommu_return){.slot = was.slot, .address = was.address});
  if (was.kind != HSC_KIND_READ_LOCKED || stopped) iommu_hold(m, unit, 0);
  h->waiting--;
  for (uint32_t i = 0; i < h->waiting; i++) r[i] = r[i + 1];
  r[h->waiting] = (iommu_request){0};
  for (uint32_t i = 0; i < unit->state->reads; i++)
    if (unit->state->read[i].requests && --unit->state->read[i].requests == 0) iommu_ask(m, unit);
  call_hsc_adapter_request(m, unit->self, IOMMU_PORT_HSC, &(struct hsc_adapter_request){.returns = 0});
  iommu_begin(m, unit);
}

static void iommu_hsc_device_request(sim *m, struct iommu *unit, struct hsc_adapter_device_request *q) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  iommu_head(m, unit)[h->waiting++] = (iommu_request){.kind = q->kind & 0xff,
      .slot = q->kind >> 8,
      .bytes = q->bytes,
      .cause = m->cause,
      .address = q->address,
      .half_0 = q->halves[0],
      .half_1 = q->halves[1]};
  iommu_begin(m, unit);
}

static uint32_t iommu_hsc_room(sim *m, struct iommu *unit) {
  return iommu_hsc_of(m, unit)->waiting < unit->params->buffers;
}

/* The unit is granted HSC: the oldest return goes. */
static uint32_t iommu_hsc_grant(sim *m, struct iommu *unit, struct hsc_adapter_grant *q) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  iommu_return *returns = sim_at(m, unit->state->returns_at), first = returns[0];
  if (h->returning == 0) return 0;
  uint32_t left = --h->returning + h->arriving;
  for (uint32_t i = 0; i < left; i++) returns[i] = returns[i + 1];
  returns[left] = (iommu_return){0};
  iommu_signal_flow_control(m, unit);
  if (h->returning) iommu_has_returns(m, unit);
  m->cause = first.cause;
  q->address = first.address;
  q->memory = first.memory;
  q->kind = first.kind | first.slot << 8;
  q->bytes = first.bytes;
  q->halves[0] = first.half_0;
  q->halves[1] = first.half_1;
  return 1;
}

/* A device register's value follows its slot's earlier writes: software that reads "done" finds the data. */
static void iommu_hsc_data(sim *m, struct iommu *unit, struct hsc_adapter_data *q) {
  const iommu_request *r = iommu_head(m, unit);
  uint32_t i = 0, n = iommu_hsc_of(m, unit)->waiting;
  while (unit->state->read[i].transaction != q->tag) i++;
  uint64_t slot = (unit->state->read[i].address - unit->params->window) / unit->params->slot_bytes;
  while (
      n > 0
      && (r[n - 1].kind == HSC_KIND_READ || r[n - 1].kind == HSC_KIND_READ_LOCKED || r[n - 1].slot != slot))
    n--;
  unit->state->read[i].value = q->value;
  unit->state->read[i].answered = 1;
  unit->state->read[i].requests = n;
  iommu_ask(m, unit);
}

/* The bus transaction of the request's access. */
static uint32_t iommu_hsc_fill_grant(
    sim *m, struct iommu *unit, struct runway_grant *q, const iommu_access *a) {
  const iommu_request *r = iommu_head(m, unit);
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  if (r->kind == HSC_KIND_INTERRUPT) {
    q->halves[0] = r->half_0;
    iommu_fill_grant(unit, q, RUNWAY_TYPE_SHORT_WRITE, r->address, IOMMU_POSTED);
    iommu_end(m, unit, IOMMU_OF_HSC);
    return 1;
  }
  h->line = a->physical & ~(uint64_t)(RUNWAY_LINE - 1);
  h->state = IOMMU_LINE_ISSUED;
  return iommu_fill_grant(unit, q, RUNWAY_TYPE_READ_PRIVATE, h->line, IOMMU_OF_HSC);
}

/* Writes back the merged line; agents that requested it meanwhile are answered now. */
static uint32_t iommu_line_written(sim *m, struct iommu *unit, struct runway_grant *q) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  if (h->stalls) call_runway_repoll(m, unit->self, IOMMU_PORT_BUS);
  q->halves[0] = h->half_0;
  q->halves[1] = h->half_1;
  iommu_fill_grant(unit, q, RUNWAY_TYPE_WRITE_BACK, h->line, IOMMU_POSTED);
  h->state = IOMMU_LINE_EMPTY;
  h->stalls = h->half_0 = h->half_1 = 0;
  h->line = 0;
  iommu_end(m, unit, IOMMU_OF_HSC);
  return 1;
}

/* The data of the request's access has arrived: a line to merge into, or data for the device. */
static void iommu_hsc_data_arrived(
    sim *m, struct iommu *unit, const iommu_access *a, const uint32_t *halves) {
  struct iommu_hsc *h = iommu_hsc_of(m, unit);
  iommu_request r = *iommu_head(m, unit);
  if (a->write) unit->counters->bytes_in += r.bytes;
  if (!a->write || r.kind == HSC_KIND_SEMAPHORE) {
    iommu_check(m, unit, a, r.bytes, halves);
    unit->counters->bytes_out += r.bytes;
    iommu_return_data(m, unit,
        (iommu_return){.slot = r.slot,
            .bytes = r.bytes,
            .half_0 = halves[0],
            .half_1 = halves[1],
            .address = r.address,
            .memory = iommu_place(unit, a)});
  }
  if (!iommu_merges(&r)) {
    iommu_end(m, unit, IOMMU_OF_HSC);
    return;
  }
  uint32_t half = a->physical / HALF_BYTES & 1, merged[LINE_HALVES] = {halves[0], halves[1]};
  merged[half] = call_shadow_store(m, unit->self, IOMMU_PORT_BUS,
      &(struct shadow_store){.address = a->physical,
          .half = half,
          .device = half ? r.half_1 : r.half_0,
          .meant = a->meant ? iommu_place(unit, a) : 0});
  h->half_0 = merged[0];
  h->half_1 = merged[1];
  h->state = IOMMU_LINE_HELD;
  sim_trace(m, unit->self, IOMMU_EV_MERGED, a->physical, merged[half], 0);
  iommu_ask(m, unit);
}

/* A processor's access to a device register. Returns 0 if it is none. */
static int iommu_reply_to_device(sim *m, struct iommu *unit, const struct runway_register *q) {
  uint64_t offset = q->address - unit->params->window;
  if (!iommu_on_hsc(m, unit) || offset >= IOMMU_SLOTS * unit->params->slot_bytes) return 0;
  if (q->id)
    unit->state->read[unit->state->reads++] =
        (struct iommu_register_read){.address = q->address, .transaction = q->id - 1};
  iommu_return_data(m, unit,
      (iommu_return){.slot = (uint32_t)(offset / unit->params->slot_bytes),
          .kind = q->id ? 2 : 1,
          .bytes = 4,
          .half_0 = q->value,
          .half_1 = q->id ? q->id - 1 : 0,
          .address = offset % unit->params->slot_bytes});
  return 1;
}
