#include "parts/io_adapter/io_adapter.h"

#include "parts/io_adapter/tlb.c"
#include "parts/io_adapter/transfer.c"
#include "parts/io_adapter/bus.c"

/* The oldest request's address becomes a physical one. */
static void adapter_translate(by *m, uint32_t self) {
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  if (BY_PARAMS(m, self, io_adapter)->mode == IO_ADAPTER_MODE_COHERENT) {
    adapter_look_up(m, self);
    return;
  }
  now->physical = adapter_requests(m, s)->addr;
  now->attributes = adapter_snoops(m, self) ? PAGE_SAFE : 0;
  now->index = (uint32_t)(now->physical / ADAPTER_PAGE) & 0xfff;
  adapter_transfer(m, self);
}

/* Takes up the oldest request, unless one is being served. */
static void adapter_begin(by *m, uint32_t self) {
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  const struct io_adapter_params *q = BY_PARAMS(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  const struct io_adapter_requests *r = adapter_requests(m, s);
  if (now->state != IO_ADAPTER_STATE_IDLE || now->waiting == 0) return;
  m->cause = r->cause;
  if (r->kind == HSC_INTERRUPT) {
    adapter_state(m, self, IO_ADAPTER_STATE_INTERRUPT);
    s->want = RUNWAY_SHORT_WRITE;
    adapter_ask(m, self);
    return;
  }
  adapter_state(m, self, IO_ADAPTER_STATE_LOOKUP);
  if (m->free_order) adapter_translate(m, self); /* the request itself may come at any time */
  else by_self(m, self, q->crossing + q->lookup, BY_PHASE_REQUEST, ADAPTER_LOOKED_UP, 0, 0, 0);
}

static void io_adapter_on(by *m, uint32_t self, const by_msg *msg) {
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  if (msg->port != BY_PORT_SELF) {
    adapter_register(m, self, msg);
  } else if (msg->kind == ADAPTER_RETURN) {
    s->arriving--;
    adapter_now(m, s)->returning++;
    by_ask(m, self, IO_ADAPTER_PORT_HSC, HSC_ASK, &(by_poll){.x = 1});
  } else {
    adapter_translate(m, self);
  }
}

static uint32_t adapter_from_bus(by *m, uint32_t self, uint32_t kind, by_poll *p) {
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  const struct io_adapter_params *q = BY_PARAMS(m, self, io_adapter);
  switch (kind) {
    case RUNWAY_GRANT: return adapter_grant(m, self, p);
    case RUNWAY_SNOOP: return adapter_snoop(m, self, p);
    case RUNWAY_HOLDS: return adapter_line(m, s)->state > IO_ADAPTER_LINE_WANTED && adapter_line(m, s)->addr == (p->addr & ~(uint64_t)(RUNWAY_LINE - 1));
    case RUNWAY_URGES: return adapter_line(m, s)->state == IO_ADAPTER_LINE_HELD || s->answers;
    case RUNWAY_OWN:
      if (p->y == ADAPTER_LINE) adapter_line(m, s)->state = IO_ADAPTER_LINE_ORDERED;
      return COH_OK;
    case RUNWAY_DATA: adapter_data(m, self, p); return 0;
  }
  p->addr = p->x ? q->window : q->registers; /* RUNWAY_WINDOW */
  p->when = p->x ? ADAPTER_SLOTS * ADAPTER_PAGE : ADAPTER_PAGE;
  return 1;
}

/* HSC gives the adapter the bus: the oldest return goes. */
static uint32_t adapter_grant_return(by *m, uint32_t self, by_poll *p) {
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  struct io_adapter_returns *returns = by_at(m, s->returns_at), first = returns[0];
  if (now->returning == 0) return 0;
  uint32_t left = --now->returning + s->arriving;
  for (uint32_t i = 0; i < left; i++) returns[i] = returns[i + 1];
  returns[left] = (struct io_adapter_returns){0};
  adapter_tell_full(m, self);
  if (now->returning) by_ask(m, self, IO_ADAPTER_PORT_HSC, HSC_ASK, &(by_poll){.x = 1});
  m->cause = first.cause;
  p->addr = first.addr;
  p->x = first.slot;
  p->y = first.kind == 3 ? 0 : first.kind;
  p->when = first.kind == 3 ? 0 : first.bytes;
  p->words[0] = first.half_0;
  p->words[1] = first.half_1;
  return 1;
}

static void adapter_put(by *m, uint32_t self, const by_poll *p) {
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  adapter_requests(m, s)[now->waiting++] = (struct io_adapter_requests){p->y & 0xff, p->y >> 8, p->x, m->cause, p->addr, p->words[0], p->words[1]};
  adapter_begin(m, self);
}

static uint32_t io_adapter_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  if (port == IO_ADAPTER_PORT_BUS) return adapter_from_bus(m, self, kind, p);
  if (port == BY_PORT_SELF) return p->y == BY_PORT_SELF && kind == ADAPTER_RETURN ? BY_AT_ONCE : BY_ANY_TIME; /* whoever gets it may take its time */
  switch (kind) {
    case HSC_ROOM: return adapter_now(m, s)->waiting < BY_PARAMS(m, self, io_adapter)->buffers;
    case HSC_GRANT: return adapter_grant_return(m, self, p);
    case HSC_PUT: adapter_put(m, self, p); return 0;
    case HSC_DATA: adapter_answer(m, self, p->y, p->x); return 0;
  }
  __builtin_trap();
}

static int io_adapter_changed(by *m, uint32_t self, uint32_t param) {
  (void)m, (void)self;
  return param == IO_ADAPTER_PARAM_CROSSING || param == IO_ADAPTER_PARAM_LOOKUP || param == IO_ADAPTER_PARAM_FAULT ? BY_OK : BY_NOT_LIVE;
}

static int io_adapter_load(by *m, uint32_t self) {
  const struct io_adapter_params *q = BY_PARAMS(m, self, io_adapter);
  if (q->rows == 0 || q->rows > 4096 || q->rows & (q->rows - 1)) return by_refuse(m, BY_BAD_PARAM, self, IO_ADAPTER_PARAM_ROWS);
  if (q->chain_shift < 12 || q->chain_shift > 31) return by_refuse(m, BY_BAD_PARAM, self, IO_ADAPTER_PARAM_CHAIN_SHIFT);
  if (q->page_bits == 0 || q->page_bits > 20) return by_refuse(m, BY_BAD_PARAM, self, IO_ADAPTER_PARAM_PAGE_BITS);
  if (q->buffers == 0 || q->buffers > 8) return by_refuse(m, BY_BAD_PARAM, self, IO_ADAPTER_PARAM_BUFFERS);
  struct io_adapter_state *s = by_state_alloc(m, self, sizeof *s);
  void *views[] = {
    by_view(m, self, IO_ADAPTER_VIEW_TLB, (uint32_t)q->rows, sizeof(struct io_adapter_tlb)),
    by_view(m, self, IO_ADAPTER_VIEW_REQUESTS, (uint32_t)q->buffers, sizeof(struct io_adapter_requests)),
    by_view(m, self, IO_ADAPTER_VIEW_NOW, 1, sizeof(struct io_adapter_now)),
    by_view(m, self, IO_ADAPTER_VIEW_LINE, 1, sizeof(struct io_adapter_line)),
    by_view(m, self, IO_ADAPTER_VIEW_PREFETCH, ADAPTER_SLOTS, sizeof(struct io_adapter_prefetch)),
    by_view(m, self, IO_ADAPTER_VIEW_RETURNS, ADAPTER_RETURNS, sizeof(struct io_adapter_returns)),
  };
  if (!s) return BY_NO_MEMORY;
  uint32_t *at[] = {&s->tlb_at, &s->requests_at, &s->now_at, &s->line_at, &s->prefetch_at, &s->returns_at};
  for (uint32_t i = 0; i < sizeof at / sizeof *at; i++) {
    if (!views[i]) return BY_NO_MEMORY;
    *at[i] = by_offset(m, views[i]);
  }
  return BY_OK;
}

#include "parts/io_adapter/keep.c"
