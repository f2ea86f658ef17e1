/* The Runway side: granted tenures, snoops of others' transactions, arriving data, registers. */
#include "parts/translation/io_adapter/io_adapter.h"

static uint32_t adapter_fill_grant(struct runway_grant *p, uint32_t type, uint64_t addr, uint32_t slot, uint32_t half_0, uint32_t half_1) {
  p->type = type;
  p->address = addr;
  p->slot = slot;
  p->halves[0] = half_0;
  p->halves[1] = half_1;
  return 1;
}

/* Says for which device a transaction runs: it follows from that device's request, not from what let it run. */
static uint32_t adapter_issued(sim *m, uint32_t self, const struct runway_grant *p, uint32_t cause, uint32_t device) {
  m->cause = cause;
  sim_trace(m, self, IO_ADAPTER_EV_ISSUED, p->address, p->type, device);
  return 1;
}

/* Writes back the merged line; agents that requested it meanwhile are answered now. */
static uint32_t adapter_grant_line(sim *m, uint32_t self, struct runway_grant *p) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_line line = *adapter_line(m, s);
  uint32_t device = adapter_requests(m, s)->slot, cause = s->want_cause;
  if (line.stalls) {
    SIM_COUNTERS(m, self, io_adapter)->stall_time += m->time - s->stalled_since;
    call_runway_repoll(m, self, IO_ADAPTER_PORT_BUS);
  }
  *adapter_line(m, s) = (struct io_adapter_line){0};
  adapter_end(m, self);
  adapter_fill_grant(p, RUNWAY_TYPE_WRITE_BACK, line.addr, ADAPTER_POSTED, line.half_0, line.half_1);
  return adapter_issued(m, self, p, cause, device);
}

static uint32_t adapter_entry_index(sim *m, uint32_t self, uint64_t addr) {
  return (uint32_t)((addr + SIM_PARAMS(m, self, io_adapter)->virtual_offset) / ADAPTER_PAGE) & 0xfff;
}

/* A write through a stale row: reports its intended address to the shadow memory. */
static void adapter_record_misdirected(sim *m, uint32_t self, uint32_t mask, const uint32_t *halves) {
  uint64_t meant = SIM_STATE(m, self, io_adapter)->meant;
  for (uint32_t half = 0; meant && half < LINE_HALVES; half++)
    if (mask & 1u << half) call_shadow_misdirected_write(m, self, IO_ADAPTER_PORT_BUS, &(struct shadow_misdirected_write){.meant = (meant & ~(uint64_t)(RUNWAY_LINE - 1)) + half * HALF_BYTES, .write = halves[half]});
}

/* The request's own transaction. A posted write is done with its address cycle. */
static uint32_t adapter_grant_want(sim *m, uint32_t self, struct runway_grant *p) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  struct io_adapter_requests r = *adapter_requests(m, s);
  uint32_t type = s->want, half_0 = s->want_half_0, half_1 = s->want_half_1, cause = s->want_cause, state = now->state;
  uint64_t physical = now->physical;
  s->want = s->want_half_0 = s->want_half_1 = 0;
  p->index = now->index;
  if (state == IO_ADAPTER_STATE_FETCH) {
    p->index = adapter_entry_index(m, self, adapter_entry_addr(m, self));
    adapter_fill_grant(p, type, adapter_entry_addr(m, self), ADAPTER_FETCH, 0, 0);
    return adapter_issued(m, self, p, cause, r.slot);
  }
  if (type == RUNWAY_TYPE_READ_SHARED || type == RUNWAY_TYPE_READ_NONCOHERENT) {
    s->asked = 1;
    adapter_fill_grant(p, type, physical, ADAPTER_READ, 0, 0);
    return adapter_issued(m, self, p, cause, r.slot);
  }
  uint32_t mask = r.bytes == RUNWAY_LINE ? 3 : 1u << (physical / HALF_BYTES & 1);
  if (type != RUNWAY_TYPE_SHORT_WRITE) adapter_record_misdirected(m, self, mask, (const uint32_t[]){half_0, half_1});
  adapter_end(m, self);
  if (type == RUNWAY_TYPE_SHORT_WRITE) adapter_fill_grant(p, type, r.addr, ADAPTER_POSTED, r.half_0, 0);
  else adapter_fill_grant(p, type, physical, type == RUNWAY_TYPE_WRITE_NONCOHERENT ? mask : ADAPTER_POSTED, half_0, half_1);
  return adapter_issued(m, self, p, cause, r.slot);
}

static uint32_t adapter_grant_prefetch(sim *m, uint32_t self, struct runway_grant *p) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++) {
    struct io_adapter_prefetch *buffer = adapter_prefetch(m, s, slot);
    if (buffer->state != 1) continue;
    buffer->state = 2;
    p->index = buffer->index;
    adapter_fill_grant(p, RUNWAY_TYPE_READ_SHARED, buffer->physical, ADAPTER_PREFETCH + slot, 0, 0);
    return adapter_issued(m, self, p, buffer->cause, slot);
  }
  return 0;
}

/* The oldest answered register read. */
static uint32_t adapter_grant_answer(sim *m, uint32_t self, struct runway_grant *p) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  uint32_t i = 0;
  while (!s->read[i].answered || s->read[i].behind) i++;
  struct adapter_register_read first = s->read[i];
  s->reads--;
  s->answers--;
  for (; i < s->reads; i++) s->read[i] = s->read[i + 1];
  s->read[s->reads] = (struct adapter_register_read){0};
  if (s->answers) adapter_translate_request(m, self);
  return adapter_fill_grant(p, RUNWAY_TYPE_SHORT_RETURN, first.addr, first.tid, first.value, 0);
}

/* The number of requests up to the last write of a slot: reads and other slots' requests do not delay a value. */
static uint32_t adapter_writes_of(sim *m, struct io_adapter_state *s, uint64_t slot) {
  const struct io_adapter_requests *r = adapter_requests(m, s);
  uint32_t n = adapter_now(m, s)->waiting;
  while (n > 0 && (r[n - 1].kind == HSC_KIND_READ || r[n - 1].kind == HSC_KIND_READ_LOCKED || r[n - 1].slot != slot)) n--;
  return n;
}

/* A register's value follows its device's earlier writes: software that reads "done" finds the data. */
static void adapter_answer(sim *m, uint32_t self, uint32_t tid, uint32_t value) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  const struct io_adapter_params *p = SIM_PARAMS(m, self, io_adapter);
  uint32_t i = 0;
  while (s->read[i].tid != tid) i++;
  uint64_t offset = s->read[i].addr - p->window;
  s->read[i].answered = 1;
  s->read[i].value = value;
  if (offset < ADAPTER_SLOTS * p->slot_bytes && p->fault != IO_ADAPTER_FAULT_VALUES_PASS) s->read[i].behind = adapter_writes_of(m, s, offset / p->slot_bytes);
  if (s->read[i].behind) return;
  s->answers++;
  adapter_translate_request(m, self);
}

static uint32_t io_adapter_bus_grant(sim *m, uint32_t self, struct runway_grant *p) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_line *line = adapter_line(m, s);
  uint32_t prefetches = 0;
  int queued = line->stalls && adapter_fault(m, self) == IO_ADAPTER_FAULT_WRITE_BACK_QUEUED;
  int back = line->state == IO_ADAPTER_LINE_HELD && !queued;
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++) prefetches += adapter_prefetch(m, s, slot)->state == 1;
  if ((uint32_t)back + (s->answers != 0) + (s->want != 0) + (line->state == IO_ADAPTER_LINE_WANTED) + prefetches > 1) adapter_translate_request(m, self);
  if (back) return adapter_grant_line(m, self, p);
  if (s->answers) return adapter_grant_answer(m, self, p);
  if (p->limit & RUNWAY_LIMIT_DATA_ONLY) return 0;
  if (line->state == IO_ADAPTER_LINE_WANTED) {
    line->state = IO_ADAPTER_LINE_ISSUED;
    p->index = adapter_now(m, s)->index;
    adapter_fill_grant(p, adapter_fault(m, self) == IO_ADAPTER_FAULT_PLAIN_FETCH ? RUNWAY_TYPE_READ_SHARED : RUNWAY_TYPE_READ_PRIVATE, line->addr, ADAPTER_LINE, 0, 0);
    return adapter_issued(m, self, p, s->want_cause, adapter_requests(m, s)->slot);
  }
  if (s->want) return adapter_grant_want(m, self, p);
  return adapter_grant_prefetch(m, self, p);
}

/* The adapter's whole protocol: it does not answer for a line that it owns, and has no copy of any other. */
static uint32_t io_adapter_bus_snoop(sim *m, uint32_t self, struct runway_snoop *p) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_line *line = adapter_line(m, s);
  if (line->state < IO_ADAPTER_LINE_ORDERED || line->addr != (p->address & ~(uint64_t)(RUNWAY_LINE - 1))) return RUNWAY_RESPONSE_OK;
  if (adapter_fault(m, self) == IO_ADAPTER_FAULT_OK_WHILE_HELD) return RUNWAY_RESPONSE_OK;
  SIM_COUNTERS(m, self, io_adapter)->stalls++;
  sim_trace(m, self, IO_ADAPTER_EV_STALLS, p->address, 0, 0);
  line->stalls = 1;
  s->stalled_since = m->time;
  return RUNWAY_RESPONSE_WAIT;
}

/* A prefetched line has arrived; the device may be waiting for it. */
static void adapter_prefetched(sim *m, uint32_t self, uint32_t slot, const uint32_t *halves) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_prefetch *buffer = adapter_prefetch(m, s, slot);
  struct io_adapter_now *now = adapter_now(m, s);
  const struct io_adapter_requests *r = adapter_requests(m, s);
  int dropped = buffer->state == 4;
  buffer->state = dropped ? 0 : 3;
  buffer->half_0 = halves[0];
  buffer->half_1 = halves[1];
  int reading = (now->state == IO_ADAPTER_STATE_READ || now->state == IO_ADAPTER_STATE_HOLD) && s->want == 0 && !s->asked && r->slot == slot && r->kind == HSC_KIND_READ;
  if (!reading || buffer->addr != (r->addr & ~(uint64_t)(RUNWAY_LINE - 1))) return;
  if (dropped) {
    adapter_retry_read(m, self, slot);
    return;
  }
  SIM_COUNTERS(m, self, io_adapter)->prefetch_hits++;
  adapter_free_buffer(m, self, slot, 1);
  adapter_return_data(m, self, halves);
}

/* The data read by the head request has arrived. */
static void adapter_arrived(sim *m, uint32_t self, const uint32_t *halves) {
  SIM_STATE(m, self, io_adapter)->asked = 0;
  adapter_return_data(m, self, halves);
}

static void io_adapter_bus_data(sim *m, uint32_t self, struct runway_data *p) {
  if (p->slot >= ADAPTER_PREFETCH) adapter_prefetched(m, self, p->slot - ADAPTER_PREFETCH, p->halves);
  else if (p->slot == ADAPTER_FETCH) adapter_fetched(m, self);
  else if (p->slot == ADAPTER_READ) adapter_arrived(m, self, p->halves);
  else if (p->slot == ADAPTER_LINE) adapter_merge(m, self, p->halves);
}

/* A processor's store or load to the adapter's own registers, or to a device's. */
static void io_adapter_bus_register(sim *m, uint32_t self, const struct runway_register *q) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  const struct io_adapter_params *p = SIM_PARAMS(m, self, io_adapter);
  if (q->id) s->read[s->reads++] = (struct adapter_register_read){.addr = q->address, .tid = q->id - 1};
  if (q->address - p->window < ADAPTER_SLOTS * p->slot_bytes) {
    uint64_t offset = q->address - p->window;
    adapter_return(m, self, (struct io_adapter_returns){(uint32_t)(offset / p->slot_bytes), q->id ? 2 : 1, 4, q->value, q->id ? q->id - 1 : 0, 0, offset % p->slot_bytes, 0});
    return;
  }
  uint64_t offset = q->address - p->registers;
  if (q->id) {
    adapter_answer(m, self, q->id - 1, 0);
  } else if (offset == IO_ADAPTER_REG_COMMAND) {
    adapter_command(m, self, q->value);
  } else if (offset == IO_ADAPTER_REG_ENTRY_HIGH) {
    s->entry_value = (uint64_t)q->value << 32 | (uint32_t)s->entry_value;
  } else if (offset == IO_ADAPTER_REG_ENTRY_LOW) {
    s->entry_value = s->entry_value >> 32 << 32 | q->value;
  }
}
