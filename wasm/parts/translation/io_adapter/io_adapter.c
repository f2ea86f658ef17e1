#include "parts/translation/io_adapter/io_adapter.h"

#include "parts/translation/io_adapter/tlb.c"
#include "parts/translation/io_adapter/transfer.c"
#include "parts/translation/io_adapter/bus.c"

static void adapter_tell_contract(sim *m, struct io_adapter *adapter) {
  const struct io_adapter_requests *r = adapter_requests(m, adapter);
  uint32_t access =
      r->kind == HSC_KIND_SEMAPHORE || r->kind == HSC_KIND_READ_LOCKED || r->kind == HSC_KIND_WRITE_UNLOCK
          ? CONTRACT_DIRECTION_TO_DEVICE | CONTRACT_DIRECTION_FROM_DEVICE
      : r->kind == HSC_KIND_WRITE ? CONTRACT_DIRECTION_FROM_DEVICE
                                  : CONTRACT_DIRECTION_TO_DEVICE;
  REPORT_CONTRACT(m, adapter->self, IO_ADAPTER_PORT_CONTRACT, device_access, .address = r->addr,
      .bytes = r->bytes, .access = access);
}

/* Translates the oldest request's address. */
static void adapter_translate(sim *m, struct io_adapter *adapter) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  adapter_tell_contract(m, adapter);
  if (adapter->params->mode == IO_ADAPTER_MODE_COHERENT) {
    adapter_tlb_lookup(m, adapter);
    return;
  }
  now->physical = adapter_requests(m, adapter)->addr;
  now->attributes = adapter_snoops(adapter) ? IO_PAGE_SAFE : 0;
  now->index = (uint32_t)(now->physical / ADAPTER_PAGE) & 0xfff;
  adapter_transfer(m, adapter);
}

/* Starts the oldest request, unless one is being served. */
static void adapter_begin(sim *m, struct io_adapter *adapter) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  const struct io_adapter_requests *r = adapter_requests(m, adapter);
  if (now->state != IO_ADAPTER_STATE_IDLE || now->waiting == 0) return;
  m->cause = r->cause;
  if (r->kind == HSC_KIND_INTERRUPT) {
    adapter_state(m, adapter, IO_ADAPTER_STATE_INTERRUPT);
    adapter->state->want = RUNWAY_TYPE_SHORT_WRITE;
    adapter->state->want_cause = m->cause;
    adapter_translate_request(m, adapter);
    return;
  }
  adapter_state(m, adapter, IO_ADAPTER_STATE_LOOKUP);
  if (sim_exploring(m)) adapter_translate(m, adapter); /* the request itself can arrive at any time */
  else
    sim_schedule(m, adapter->self, adapter->params->crossing + adapter->params->lookup, SIM_PHASE_REQUEST,
        ADAPTER_LOOKED_UP);
}

static void adapter_has_returns(sim *m, struct io_adapter *adapter) {
  call_hsc_adapter_request(
      m, adapter->self, IO_ADAPTER_PORT_HSC, &(struct hsc_adapter_request){.returns = 1});
}

static void io_adapter_self(sim *m, struct io_adapter *adapter, const sim_msg *msg) {
  if (msg->kind != ADAPTER_RETURN) {
    adapter_translate(m, adapter);
    return;
  }
  adapter->state->arriving--;
  adapter_now(m, adapter)->returning++;
  adapter_has_returns(m, adapter);
}

static uint32_t io_adapter_bus_tracks_line(sim *m, struct io_adapter *adapter, struct runway_tracks_line *q) {
  const struct io_adapter_line *line = adapter_line(m, adapter);
  return line->state > IO_ADAPTER_LINE_WANTED && line->addr == (q->address & ~(uint64_t)(RUNWAY_LINE - 1));
}

static uint32_t io_adapter_bus_has_priority_work(sim *m, struct io_adapter *adapter) {
  return adapter_line(m, adapter)->state == IO_ADAPTER_LINE_HELD || adapter->state->answers;
}

static uint32_t io_adapter_bus_own_response(
    sim *m, struct io_adapter *adapter, struct runway_own_response *q) {
  if (q->slot == ADAPTER_LINE) adapter_line(m, adapter)->state = IO_ADAPTER_LINE_ORDERED;
  return RUNWAY_RESPONSE_OK;
}

static uint32_t io_adapter_bus_claim(sim *m, struct io_adapter *adapter, struct runway_claim *q) {
  (void)m;
  uint32_t devices = q->which;
  q->base = devices ? adapter->params->window : adapter->params->registers;
  q->length = devices ? ADAPTER_SLOTS * adapter->params->slot_bytes : ADAPTER_PAGE;
  return 1;
}

/* The adapter is granted HSC: the oldest return goes. */
static uint32_t io_adapter_hsc_grant(sim *m, struct io_adapter *adapter, struct hsc_adapter_grant *q) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  struct io_adapter_returns *returns = sim_at(m, adapter->state->returns_at), first = returns[0];
  if (now->returning == 0) return 0;
  uint32_t left = --now->returning + adapter->state->arriving;
  for (uint32_t i = 0; i < left; i++) returns[i] = returns[i + 1];
  returns[left] = (struct io_adapter_returns){0};
  adapter_signal_flow_control(m, adapter);
  if (now->returning) adapter_has_returns(m, adapter);
  m->cause = first.cause;
  q->address = first.addr;
  q->memory = first.memory;
  q->kind = (first.kind == 3 ? 0 : first.kind) | first.slot << 8;
  q->bytes = first.kind == 3 ? 0 : first.bytes;
  q->halves[0] = first.half_0;
  q->halves[1] = first.half_1;
  return 1;
}

static void io_adapter_hsc_device_request(
    sim *m, struct io_adapter *adapter, struct hsc_adapter_device_request *q) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  adapter_requests(m, adapter)[now->waiting++] = (struct io_adapter_requests){
      q->kind & 0xff, q->kind >> 8, q->bytes, m->cause, q->address, q->halves[0], q->halves[1]};
  adapter_begin(m, adapter);
}

static uint32_t io_adapter_hsc_room(sim *m, struct io_adapter *adapter) {
  return adapter_now(m, adapter)->waiting < adapter->params->buffers;
}

static void io_adapter_hsc_data(sim *m, struct io_adapter *adapter, struct hsc_adapter_data *q) {
  adapter_answer(m, adapter, q->tag, q->value);
}

/* The delivery of a return can be delayed. */
static uint32_t io_adapter_enabled(sim *m, struct io_adapter *adapter, const sim_msg *msg) {
  (void)m;
  (void)adapter->self;
  return msg->port == SIM_PORT_SELF && msg->kind == ADAPTER_RETURN ? SIM_INVISIBLE : SIM_ENABLED;
}

static int io_adapter_load(sim *m, uint32_t self) {
  const struct io_adapter_params *q = SIM_PARAMS(m, self, io_adapter);
  struct io_adapter_state *s = sim_state_alloc(m, self, sizeof *s);
  void *views[] = {
      sim_view(m, self, IO_ADAPTER_VIEW_TLB, (uint32_t)q->rows, sizeof(struct io_adapter_tlb)),
      sim_view(m, self, IO_ADAPTER_VIEW_REQUESTS, (uint32_t)q->buffers, sizeof(struct io_adapter_requests)),
      sim_view(m, self, IO_ADAPTER_VIEW_NOW, 1, sizeof(struct io_adapter_now)),
      sim_view(m, self, IO_ADAPTER_VIEW_LINE, 1, sizeof(struct io_adapter_line)),
      sim_view(m, self, IO_ADAPTER_VIEW_PREFETCH, ADAPTER_SLOTS, sizeof(struct io_adapter_prefetch)),
      sim_view(m, self, IO_ADAPTER_VIEW_RETURNS, ADAPTER_RETURNS, sizeof(struct io_adapter_returns)),
  };
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  uint32_t *at[] = {&s->tlb_at, &s->requests_at, &s->now_at, &s->line_at, &s->prefetch_at, &s->returns_at};
  for (uint32_t i = 0; i < sizeof at / sizeof *at; i++) *at[i] = sim_offset(m, views[i]);
  sim_view_of(m, self, IO_ADAPTER_VIEW_REST, s->rest, ADAPTER_SLOTS, sizeof *s->rest);
  return SIM_OK;
}

#include "parts/translation/io_adapter/state.c"
