/* The Runway side: granted tenures, snoops of others' transactions, arriving data, registers. */
#include "parts/translation/io_adapter/io_adapter.h"

static uint32_t adapter_fill_grant(
    struct runway_grant *p, uint32_t type, uint64_t addr, uint32_t slot, uint32_t half_0, uint32_t half_1) {
  p->type = type;
  p->address = addr;
  p->slot = slot;
  p->halves[0] = half_0;
  p->halves[1] = half_1;
  return 1;
}

/* Says for which device a transaction runs: it follows from that device's request, not from what let it run.
 */
static uint32_t adapter_issued(
    sim *m, struct io_adapter *adapter, const struct runway_grant *p, uint32_t cause, uint32_t device) {
  m->cause = cause;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_ISSUED, p->address, p->type, device);
  return 1;
}

/* Writes back the merged line; agents that requested it meanwhile are answered now. */
static uint32_t adapter_grant_line(sim *m, struct io_adapter *adapter, struct runway_grant *p) {
  struct io_adapter_line line = *adapter_line(m, adapter);
  uint32_t device = adapter_requests(m, adapter)->slot, cause = adapter->state->want_cause;
  if (line.stalls) {
    adapter->counters->stall_time += m->time - adapter->state->stalled_since;
    call_runway_repoll(m, adapter->self, IO_ADAPTER_PORT_BUS);
  }
  *adapter_line(m, adapter) = (struct io_adapter_line){0};
  adapter_end(m, adapter);
  adapter_fill_grant(p, RUNWAY_TYPE_WRITE_BACK, line.addr, ADAPTER_POSTED, line.half_0, line.half_1);
  return adapter_issued(m, adapter, p, cause, device);
}

static uint32_t adapter_entry_index(struct io_adapter *adapter, uint64_t addr) {
  return (uint32_t)((addr + adapter->params->virtual_offset) / ADAPTER_PAGE) & 0xfff;
}

/* A write through a stale row: reports its intended address to the shadow memory. */
static void adapter_record_misdirected(
    sim *m, struct io_adapter *adapter, uint32_t mask, const uint32_t *halves) {
  uint64_t meant = adapter->state->meant;
  for (uint32_t half = 0; meant && half < LINE_HALVES; half++)
    if (mask & 1u << half)
      call_shadow_misdirected_write(m, adapter->self, IO_ADAPTER_PORT_BUS,
          &(struct shadow_misdirected_write){
              .meant = (meant & ~(uint64_t)(RUNWAY_LINE - 1)) + half * HALF_BYTES, .write = halves[half]});
}

/* The request's own transaction. A posted write is done with its address cycle. */
static uint32_t adapter_grant_want(sim *m, struct io_adapter *adapter, struct runway_grant *p) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  struct io_adapter_requests r = *adapter_requests(m, adapter);
  uint32_t type = adapter->state->want, half_0 = adapter->state->want_half_0,
           half_1 = adapter->state->want_half_1, cause = adapter->state->want_cause, state = now->state;
  uint64_t physical = now->physical;
  adapter->state->want = adapter->state->want_half_0 = adapter->state->want_half_1 = 0;
  p->index = now->index;
  if (state == IO_ADAPTER_STATE_FETCH) {
    p->index = adapter_entry_index(adapter, adapter_entry_addr(m, adapter));
    adapter_fill_grant(p, type, adapter_entry_addr(m, adapter), ADAPTER_FETCH, 0, 0);
    return adapter_issued(m, adapter, p, cause, r.slot);
  }
  if (type == RUNWAY_TYPE_READ_SHARED || type == RUNWAY_TYPE_READ_NONCOHERENT) {
    adapter->state->asked = 1;
    adapter_fill_grant(p, type, physical, ADAPTER_READ, 0, 0);
    return adapter_issued(m, adapter, p, cause, r.slot);
  }
  uint32_t mask = r.bytes == RUNWAY_LINE ? 3 : 1u << (physical / HALF_BYTES & 1);
  if (type != RUNWAY_TYPE_SHORT_WRITE)
    adapter_record_misdirected(m, adapter, mask, (const uint32_t[]){half_0, half_1});
  adapter_end(m, adapter);
  if (type == RUNWAY_TYPE_SHORT_WRITE) adapter_fill_grant(p, type, r.addr, ADAPTER_POSTED, r.half_0, 0);
  else
    adapter_fill_grant(
        p, type, physical, type == RUNWAY_TYPE_WRITE_NONCOHERENT ? mask : ADAPTER_POSTED, half_0, half_1);
  return adapter_issued(m, adapter, p, cause, r.slot);
}

static uint32_t adapter_grant_prefetch(sim *m, struct io_adapter *adapter, struct runway_grant *p) {
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++) {
    struct io_adapter_prefetch *buffer = adapter_prefetch(m, adapter, slot);
    if (buffer->state != 1) continue;
    buffer->state = 2;
    p->index = buffer->index;
    adapter_fill_grant(p, RUNWAY_TYPE_READ_SHARED, buffer->physical, ADAPTER_PREFETCH + slot, 0, 0);
    return adapter_issued(m, adapter, p, buffer->cause, slot);
  }
  return 0;
}

/* The oldest answered register read. */
static uint32_t adapter_grant_answer(sim *m, struct io_adapter *adapter, struct runway_grant *p) {
  uint32_t i = 0;
  while (!adapter->state->read[i].answered || adapter->state->read[i].behind) i++;
  struct adapter_register_read first = adapter->state->read[i];
  adapter->state->reads--;
  adapter->state->answers--;
  for (; i < adapter->state->reads; i++) adapter->state->read[i] = adapter->state->read[i + 1];
  adapter->state->read[adapter->state->reads] = (struct adapter_register_read){0};
  if (adapter->state->answers) adapter_translate_request(m, adapter);
  return adapter_fill_grant(p, RUNWAY_TYPE_SHORT_RETURN, first.addr, first.tid, first.value, 0);
}

/* The number of requests up to the last write of a slot: reads and other slots' requests do not delay a
 * value. */
static uint32_t adapter_writes_of(sim *m, struct io_adapter *adapter, uint64_t slot) {
  const struct io_adapter_requests *r = adapter_requests(m, adapter);
  uint32_t n = adapter_now(m, adapter)->waiting;
  while (
      n > 0
      && (r[n - 1].kind == HSC_KIND_READ || r[n - 1].kind == HSC_KIND_READ_LOCKED || r[n - 1].slot != slot))
    n--;
  return n;
}

/* A register's value follows its device's earlier writes: software that reads "done" finds the data. */
static void adapter_answer(sim *m, struct io_adapter *adapter, uint32_t tid, uint32_t value) {
  uint32_t i = 0;
  while (adapter->state->read[i].tid != tid) i++;
  uint64_t offset = adapter->state->read[i].addr - adapter->params->window;
  adapter->state->read[i].answered = 1;
  adapter->state->read[i].value = value;
  if (offset < ADAPTER_SLOTS * adapter->params->slot_bytes
      && adapter->params->fault != IO_ADAPTER_FAULT_VALUES_PASS)
    adapter->state->read[i].behind = adapter_writes_of(m, adapter, offset / adapter->params->slot_bytes);
  if (adapter->state->read[i].behind) return;
  adapter->state->answers++;
  adapter_translate_request(m, adapter);
}

static uint32_t io_adapter_bus_grant(sim *m, struct io_adapter *adapter, struct runway_grant *p) {
  struct io_adapter_line *line = adapter_line(m, adapter);
  uint32_t prefetches = 0;
  int queued = line->stalls && adapter_fault(adapter) == IO_ADAPTER_FAULT_WRITE_BACK_QUEUED;
  int back = line->state == IO_ADAPTER_LINE_HELD && !queued;
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++)
    prefetches += adapter_prefetch(m, adapter, slot)->state == 1;
  if ((uint32_t)back + (adapter->state->answers != 0) + (adapter->state->want != 0)
          + (line->state == IO_ADAPTER_LINE_WANTED) + prefetches
      > 1)
    adapter_translate_request(m, adapter);
  if (back) return adapter_grant_line(m, adapter, p);
  if (adapter->state->answers) return adapter_grant_answer(m, adapter, p);
  if (p->limit & RUNWAY_LIMIT_DATA_ONLY) return 0;
  if (line->state == IO_ADAPTER_LINE_WANTED) {
    line->state = IO_ADAPTER_LINE_ISSUED;
    p->index = adapter_now(m, adapter)->index;
    adapter_fill_grant(p,
        adapter_fault(adapter) == IO_ADAPTER_FAULT_PLAIN_FETCH ? RUNWAY_TYPE_READ_SHARED
                                                               : RUNWAY_TYPE_READ_PRIVATE,
        line->addr, ADAPTER_LINE, 0, 0);
    return adapter_issued(m, adapter, p, adapter->state->want_cause, adapter_requests(m, adapter)->slot);
  }
  if (adapter->state->want) return adapter_grant_want(m, adapter, p);
  return adapter_grant_prefetch(m, adapter, p);
}

/* The adapter's whole protocol: it does not answer for a line that it owns, and has no copy of any other. */
static uint32_t io_adapter_bus_snoop(sim *m, struct io_adapter *adapter, struct runway_snoop *p) {
  struct io_adapter_line *line = adapter_line(m, adapter);
  if (line->state < IO_ADAPTER_LINE_ORDERED || line->addr != (p->address & ~(uint64_t)(RUNWAY_LINE - 1)))
    return RUNWAY_RESPONSE_OK;
  if (adapter_fault(adapter) == IO_ADAPTER_FAULT_OK_WHILE_HELD) return RUNWAY_RESPONSE_OK;
  adapter->counters->stalls++;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_STALLS, p->address, 0, 0);
  line->stalls = 1;
  adapter->state->stalled_since = m->time;
  return RUNWAY_RESPONSE_WAIT;
}

/* A prefetched line has arrived; the device may be waiting for it. */
static void adapter_prefetched(sim *m, struct io_adapter *adapter, uint32_t slot, const uint32_t *halves) {
  struct io_adapter_prefetch *buffer = adapter_prefetch(m, adapter, slot);
  struct io_adapter_now *now = adapter_now(m, adapter);
  const struct io_adapter_requests *r = adapter_requests(m, adapter);
  int dropped = buffer->state == 4;
  buffer->state = dropped ? 0 : 3;
  buffer->half_0 = halves[0];
  buffer->half_1 = halves[1];
  int reading = (now->state == IO_ADAPTER_STATE_READ || now->state == IO_ADAPTER_STATE_HOLD)
                && adapter->state->want == 0 && !adapter->state->asked && r->slot == slot
                && r->kind == HSC_KIND_READ;
  if (!reading || buffer->addr != (r->addr & ~(uint64_t)(RUNWAY_LINE - 1))) return;
  if (dropped) {
    adapter_retry_read(m, adapter, slot);
    return;
  }
  adapter->counters->prefetch_hits++;
  adapter_free_buffer(m, adapter, slot, 1);
  adapter_return_data(m, adapter, halves);
}

/* The data read by the head request has arrived. */
static void adapter_arrived(sim *m, struct io_adapter *adapter, const uint32_t *halves) {
  adapter->state->asked = 0;
  adapter_return_data(m, adapter, halves);
}

static void io_adapter_bus_data(sim *m, struct io_adapter *adapter, struct runway_data *p) {
  if (p->slot >= ADAPTER_PREFETCH) adapter_prefetched(m, adapter, p->slot - ADAPTER_PREFETCH, p->halves);
  else if (p->slot == ADAPTER_FETCH) adapter_fetched(m, adapter);
  else if (p->slot == ADAPTER_READ) adapter_arrived(m, adapter, p->halves);
  else if (p->slot == ADAPTER_LINE) adapter_merge(m, adapter, p->halves);
}

/* A processor's store or load to the adapter's own registers, or to a device's. */
static void io_adapter_bus_register(sim *m, struct io_adapter *adapter, const struct runway_register *q) {
  if (q->id)
    adapter->state->read[adapter->state->reads++] =
        (struct adapter_register_read){.addr = q->address, .tid = q->id - 1};
  if (q->address - adapter->params->window < ADAPTER_SLOTS * adapter->params->slot_bytes) {
    uint64_t offset = q->address - adapter->params->window;
    adapter_return(m, adapter,
        (struct io_adapter_returns){(uint32_t)(offset / adapter->params->slot_bytes), q->id ? 2 : 1, 4,
            q->value, q->id ? q->id - 1 : 0, 0, offset % adapter->params->slot_bytes, 0});
    return;
  }
  uint64_t offset = q->address - adapter->params->registers;
  if (q->id) {
    adapter_answer(m, adapter, q->id - 1, 0);
  } else if (offset == IO_ADAPTER_REG_COMMAND) {
    adapter_command(m, adapter, q->value);
  } else if (offset == IO_ADAPTER_REG_ENTRY_HIGH) {
    adapter->state->entry_value = (uint64_t)q->value << 32 | (uint32_t)adapter->state->entry_value;
  } else if (offset == IO_ADAPTER_REG_ENTRY_LOW) {
    adapter->state->entry_value = adapter->state->entry_value >> 32 << 32 | q->value;
  }
}
