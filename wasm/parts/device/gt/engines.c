/* The two DMA engines: one transfer at a time in each, both may run together. */
#include "parts/device/gt/gt.h"

static void gt_set_state(sim *m, uint32_t self, uint32_t e, uint32_t state) {
  gt_engine *g = gt_engine_of(m, SIM_STATE(m, self, gt), e);
  if (g->state == state) return;
  g->state = state;
  sim_trace(m, self, e ? GT_EV_READ_STATE : GT_EV_WRITE_STATE, 0, state, 0);
}

static void gt_request(sim *m, uint32_t self, uint32_t e) {
  gt_engine_of(m, SIM_STATE(m, self, gt), e)->wants = 1;
  call_pci_request(m, self, GT_PORT_PCI);
}

/* Requests the bus, once the ring's transmit queue has room for the engine's data. */
static void gt_continue(sim *m, uint32_t self, uint32_t e) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  gt_engine *g = gt_engine_of(m, s, e);
  m->cause = g->cause;
  if (e == GT_ENGINE_WRITE && sim_wired(m, self, GT_PORT_LINK)) {
    struct link_accept room = {.bytes = (uint32_t)sim_min(g->left, SIM_PARAMS(m, self, gt)->read_line), .when = m->time};
    call_link_accept(m, self, GT_PORT_LINK, &room);
    if (s->flight_rows && gt_places(s) == 0) room.when = sim_max(room.when, gt_next_place(m, s));
    if (room.when > m->time) {
      SIM_COUNTERS(m, self, gt)->ring_wait += room.when - m->time;
      gt_set_state(m, self, e, GT_STATE_RING);
      sim_schedule_for(m, self, room.when - m->time, SIM_PHASE_REQUEST, GT_RING_ROOM, e);
      return;
    }
  }
  gt_set_state(m, self, e, GT_STATE_DATA);
  gt_request(m, self, e);
}

/* Ends a transfer that is complete, or that is not within the card's memory; the latter is detected before the
   first word. */
static int gt_transfer_ends(sim *m, uint32_t self, uint32_t e) {
  const gt_engine *g = gt_engine_of(m, SIM_STATE(m, self, gt), e);
  return g->left == 0 || (g->moved == 0 && (!gt_in_memory(m, self, g->card) || !gt_in_memory(m, self, g->card + g->left - 1)));
}

static void gt_complete(sim *m, uint32_t self, uint32_t e) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  struct gt_counters *c = SIM_COUNTERS(m, self, gt);
  gt_engine *g = gt_engine_of(m, s, e);
  uint64_t *busy = e ? &c->read_busy : &c->write_busy;
  *busy += m->time - g->began;
  if (gt_engine_of(m, s, 1 - e)->state != GT_STATE_IDLE) c->both_busy += m->time - s->both_since;
  if (g->left) c->failed++;
  else if (e) c->dma_reads++;
  else c->dma_writes++;
  g->done = 1;
  if (g->left) sim_trace(m, self, GT_EV_FAILED, g->left, e, 0);
  else sim_trace(m, self, GT_EV_COMPLETE, g->moved, e, 0);
  gt_set_state(m, self, e, GT_STATE_IDLE);
  if (!g->interrupt || !sim_wired(m, self, GT_PORT_IRQ)) return;
  s->raised |= 1u << e;
  c->interrupts++;
  sim_trace(m, self, GT_EV_RAISE, 0, e, 0);
  send_irq_raise(m, self, GT_PORT_IRQ, 0, SIM_PHASE_ANSWER, (struct irq_raise){.source = e});
}

/* A store to an engine's registers; the last one starts it. */
static void gt_register(sim *m, uint32_t self, uint32_t offset, uint64_t value) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  uint32_t e = offset / GT_ENGINE_BYTES;
  if (e >= GT_ENGINES) return;
  gt_engine *g = gt_engine_of(m, s, e);
  if (g->state != GT_STATE_IDLE) return; /* a busy engine ignores its registers */
  if (offset % GT_ENGINE_BYTES == GT_REG_HOST) g->host = value;
  else if (offset % GT_ENGINE_BYTES == GT_REG_CARD) g->card = value;
  else if (offset % GT_ENGINE_BYTES == GT_REG_GO) {
    g->left = (uint32_t)value & ~GT_GO_INTERRUPT;
    g->interrupt = (uint32_t)value & GT_GO_INTERRUPT ? 1 : 0;
    g->expects = (uint32_t)(value >> 32);
    g->moved = g->done = 0;
    g->began = m->time;
    if (gt_engine_of(m, s, 1 - e)->state != GT_STATE_IDLE) s->both_since = m->time;
    g->cause = sim_trace(m, self, GT_EV_COMMAND, g->left, e, 0);
    gt_set_state(m, self, e, GT_STATE_START);
    sim_schedule_for(m, self, SIM_PARAMS(m, self, gt)->start, SIM_PHASE_REQUEST, GT_ENGINE_STARTS, e);
  }
}

static uint64_t gt_read_register(sim *m, uint32_t self, uint32_t offset) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  if (offset == GT_REG_DONE) {
    uint32_t raised = s->raised;
    s->raised = 0;
    return raised;
  }
  return offset / GT_ENGINE_BYTES < GT_ENGINES && offset % GT_ENGINE_BYTES == GT_REG_STATUS ? gt_engine_of(m, s, offset / GT_ENGINE_BYTES)->done : 0;
}

/* The card is granted the bus: the engine that did not have it last goes first. */
static uint32_t gt_pci_grant(sim *m, uint32_t self, struct pci_grant *q) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  for (uint32_t k = 1; k <= GT_ENGINES; k++) {
    uint32_t e = (s->last_engine + k) % GT_ENGINES;
    gt_engine *g = gt_engine_of(m, s, e);
    if (!g->wants) continue;
    uint64_t line = SIM_PARAMS(m, self, gt)->read_line;
    g->wants = 0;
    s->master = s->last_engine = e;
    q->address = g->host;
    q->bytes = e == GT_ENGINE_READ ? g->left : (uint32_t)sim_min(g->left, line - (g->host & (line - 1)));
    q->command = e == GT_ENGINE_READ ? PCI_COMMAND_WRITE : PCI_COMMAND_READ;
    m->cause = g->cause;
    if (gt_engine_of(m, s, 1 - e)->wants) call_pci_request(m, self, GT_PORT_PCI);
    return 1;
  }
  return 0;
}

/* Detects a write, based on an older read, that overwrites an update in between: that update is lost. */
static void gt_check_lost(sim *m, uint32_t self, gt_engine *g) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  const struct shadow_word *cell = shadow_word(m, &s->shadow, g->card);
  if (g->expects == 0 || !cell || cell->newest == g->expects - 1) return;
  SIM_COUNTERS(m, self, gt)->lost++;
  sim_trace(m, self, GT_EV_LOST, g->card, cell->newest, g->expects - 1);
}

static void gt_pci_master_give(sim *m, uint32_t self, struct pci_master_give *q) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  struct shadow_stale old = gt_fetch(m, self, gt_engine_of(m, s, s->master)->card, q->bytes, q->writes);
  uint32_t cause = m->cause;
  if (old.words) sim_trace(m, self, GT_EV_OLD, old.at, old.got, old.newest);
  m->cause = cause; /* recorded, but not a cause of later events */
}

static void gt_pci_master_take(sim *m, uint32_t self, struct pci_master_take *q) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  gt_engine *g = gt_engine_of(m, s, s->master);
  gt_check_lost(m, self, g);
  gt_commit(m, self, g->card, q->bytes, q->writes);
}

static uint32_t gt_pci_moved(sim *m, uint32_t self, struct pci_moved *q) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  struct gt_counters *c = SIM_COUNTERS(m, self, gt);
  uint32_t e = s->master;
  gt_engine *g = gt_engine_of(m, s, e);
  uint64_t *bytes = e ? &c->dma_read_bytes : &c->dma_write_bytes;
  *bytes += q->bytes;
  g->host += q->bytes;
  g->card += q->bytes;
  g->moved += q->bytes;
  g->left -= q->bytes;
  if (g->left == 0 || (q->bytes == 0 && q->last)) { /* all moved, or no target answered */
    gt_complete(m, self, e);
    return 0;
  }
  if (e == GT_ENGINE_READ && q->bytes > 0 && !q->last) return g->left; /* the burst continues */
  gt_continue(m, self, e);
  return e == GT_ENGINE_READ ? g->left : 0;
}
