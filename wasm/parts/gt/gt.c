#include "parts/gt/gt.h"

#include "parts/gt/memory.c"
#include "parts/gt/engines.c"

static int gt_in_memory(by *m, uint32_t self, uint64_t addr) {
  const struct gt_params *q = BY_PARAMS(m, self, gt);
  return addr >= q->base && addr < q->base + q->size;
}
static int gt_in_registers(by *m, uint32_t self, uint64_t addr) {
  const struct gt_params *q = BY_PARAMS(m, self, gt);
  return addr >= q->registers && addr < q->registers + GT_REGISTER_BYTES;
}

/*
 * The card as target. Writes are accepted one every `accept`. Reads may run ahead of one every
 * `read_recovery` by `read_credit`: a debt that time pays back.
 */
static uint32_t gt_begin(by *m, uint32_t self, by_poll *p) {
  struct gt_state *s = BY_STATE(m, self, gt);
  const struct gt_params *q = BY_PARAMS(m, self, gt);
  if (p->y == PCI_COMMAND_WRITE) {
    p->when = by_max(m->time, s->accept_at);
    if (by_wired(m, self, GT_PORT_LINK) && gt_in_memory(m, self, p->addr)) {
      by_poll room = {.x = p->x, .when = p->when};
      by_ask(m, self, GT_PORT_LINK, LINK_ACCEPT, &room);
      BY_COUNTERS(m, self, gt)->ring_wait += room.when - p->when;
      p->when = room.when;
    }
    return p->x;
  }
  uint64_t ahead = (q->read_credit - 1) * q->read_recovery;
  uint64_t start = by_max(m->time, s->read_next > ahead ? s->read_next - ahead : 0);
  s->read_next = by_max(s->read_next, start) + q->read_recovery;
  p->when = start + q->read_latency;
  return p->x;
}

static void gt_target_data(by *m, uint32_t self, uint32_t kind, by_poll *p) {
  struct gt_state *s = BY_STATE(m, self, gt);
  struct gt_counters *c = BY_COUNTERS(m, self, gt);
  int memory = gt_in_memory(m, self, p->addr);
  if (kind == PCI_TAKE) {
    s->accept_at = m->time + BY_PARAMS(m, self, gt)->accept;
    c->pio_writes++;
    by_trace(m, self, GT_EV_ACCEPT, p->addr, p->words[0], p->x);
    if (memory) gt_commit(m, self, p->addr, p->x, p->words);
    else gt_register(m, self, (uint32_t)(p->addr - BY_PARAMS(m, self, gt)->registers), p->when);
    return;
  }
  c->pio_reads++;
  if (memory) gt_fetch(m, self, p->addr, p);
  else p->when = gt_read_register(m, self, (uint32_t)(p->addr - BY_PARAMS(m, self, gt)->registers));
  by_trace(m, self, GT_EV_ANSWER, p->addr, p->words[0], 0);
}

static uint32_t gt_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  (void)port;
  const struct gt_params *q = BY_PARAMS(m, self, gt);
  switch (kind) {
    case PCI_WINDOW: {
      uint32_t which = p->x;
      p->addr = which ? q->registers : q->base;
      p->when = which ? GT_REGISTER_BYTES : q->size;
      return 1;
    }
    case PCI_GRANT: return gt_grant(m, self, p);
    case PCI_MOVED: return gt_moved(m, self, p);
    case PCI_BEGIN: return gt_begin(m, self, p);
  }
  if (gt_in_memory(m, self, p->addr) || gt_in_registers(m, self, p->addr)) gt_target_data(m, self, kind, p);
  else gt_master_data(m, self, kind, p);
  return 0;
}

static void gt_on(by *m, uint32_t self, const by_msg *msg) {
  if (msg->port == GT_PORT_LINK) gt_remote(m, self, msg);
  else if (msg->kind == GT_VISIBLE) gt_visible(m, self);
  else if (gt_engine_of(m, BY_STATE(m, self, gt), msg->x)->left == 0) gt_complete(m, self, msg->x);
  else gt_go_on(m, self, msg->x);
}

static int gt_changed(by *m, uint32_t self, uint32_t param) {
  (void)m, (void)self;
  return param == GT_PARAM_BASE || param == GT_PARAM_SIZE || param == GT_PARAM_REGISTERS || param == GT_PARAM_READ_LINE || param == GT_PARAM_TRACKED ? BY_NOT_LIVE : BY_OK;
}

static int gt_load(by *m, uint32_t self) {
  const struct gt_params *q = BY_PARAMS(m, self, gt);
  if (q->base & 3) return by_refuse(m, BY_BAD_PARAM, self, GT_PARAM_BASE);
  if (q->registers & 0xff) return by_refuse(m, BY_BAD_PARAM, self, GT_PARAM_REGISTERS);
  if (q->read_line < 8 || q->read_line > 4096 || q->read_line & (q->read_line - 1)) return by_refuse(m, BY_BAD_PARAM, self, GT_PARAM_READ_LINE);
  if (q->tracked > 16u << 20 || q->tracked > q->size) return by_refuse(m, BY_BAD_PARAM, self, GT_PARAM_TRACKED);
  if (q->read_credit == 0) return by_refuse(m, BY_BAD_PARAM, self, GT_PARAM_READ_CREDIT);
  struct gt_state *s = by_state_alloc(m, self, sizeof *s);
  if (!s) return BY_NO_MEMORY;
  s->words = (uint32_t)(q->tracked / 4);
  by_poll queue = {.x = 0};
  int followed = by_wired(m, self, GT_PORT_LINK) && s->words > 0;
  s->flight_rows = followed ? by_ask(m, self, GT_PORT_LINK, LINK_ACCEPT, &queue) / 4 + GT_FLIGHT_SLACK : 0;
  void *engines = by_view(m, self, GT_VIEW_ENGINES, GT_ENGINES, sizeof(gt_engine));
  void *words = by_view(m, self, GT_VIEW_WORDS, s->words, sizeof(struct gt_words));
  void *newest = by_view(m, self, GT_VIEW_NEWEST, s->words, sizeof(struct gt_newest));
  void *flight = by_view(m, self, GT_VIEW_FLIGHT, s->flight_rows, sizeof(struct gt_flight));
  if (!engines || !words || !newest || !flight) return BY_NO_MEMORY;
  s->engines_at = by_offset(m, engines);
  s->words_at = by_offset(m, words);
  s->newest_at = by_offset(m, newest);
  s->flight_at = by_offset(m, flight);
  for (uint32_t e = 0; e < GT_ENGINES; e++) gt_engine_of(m, s, e)->done = 1;
  return BY_OK;
}
