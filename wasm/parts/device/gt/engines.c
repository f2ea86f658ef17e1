/* The two DMA engines: one transfer at a time in each, both may run together. */
#include "parts/device/gt/gt.h"
#include "runway.h"

static void gt_set_state(sim *m, struct gt *card, uint32_t e, uint32_t state) {
  gt_engine *g = gt_engine_of(m, card, e);
  if (g->state == state) return;
  g->state = state;
  sim_trace(m, card->self, e ? GT_EV_READ_STATE : GT_EV_WRITE_STATE, 0, state, 0);
}

static void gt_request(sim *m, struct gt *card, uint32_t e) {
  gt_engine_of(m, card, e)->wants = 1;
  call_pci_request(m, card->self, GT_PORT_PCI);
}

/* Requests the bus, once the ring's transmit queue has room for the engine's data. */
static void gt_continue(sim *m, struct gt *card, uint32_t e) {
  gt_engine *g = gt_engine_of(m, card, e);
  m->cause = g->cause;
  if (e == GT_ENGINE_WRITE && sim_wired(m, card->self, GT_PORT_LINK)) {
    struct link_accept room = {.bytes = (uint32_t)sim_min(g->left, card->params->read_line), .when = m->time};
    call_link_accept(m, card->self, GT_PORT_LINK, &room);
    if (card->state->flight_rows && gt_places(card->state) == 0)
      room.when = sim_max(room.when, gt_next_place(m, card));
    if (room.when > m->time) {
      card->counters->ring_wait += room.when - m->time;
      gt_set_state(m, card, e, GT_STATE_RING);
      sim_schedule_for(m, card->self, room.when - m->time, SIM_PHASE_REQUEST, GT_RING_ROOM, e);
      return;
    }
  }
  gt_set_state(m, card, e, GT_STATE_DATA);
  gt_request(m, card, e);
}

/* Ends a transfer that is complete, or that is not within the card's memory; the latter is detected before
   the first word. */
static int gt_transfer_ends(sim *m, struct gt *card, uint32_t e) {
  const gt_engine *g = gt_engine_of(m, card, e);
  return g->left == 0
         || (g->moved == 0 && (!gt_in_memory(card, g->card) || !gt_in_memory(card, g->card + g->left - 1)));
}

static void gt_complete(sim *m, struct gt *card, uint32_t e) {
  gt_engine *g = gt_engine_of(m, card, e);
  uint64_t *busy = e ? &card->counters->read_busy : &card->counters->write_busy;
  *busy += m->time - g->began;
  if (gt_engine_of(m, card, 1 - e)->state != GT_STATE_IDLE)
    card->counters->both_busy += m->time - card->state->both_since;
  if (g->left) card->counters->failed++;
  else if (e) card->counters->dma_reads++;
  else card->counters->dma_writes++;
  g->done = 1;
  if (g->left) sim_trace(m, card->self, GT_EV_FAILED, g->left, e, 0);
  else sim_trace(m, card->self, GT_EV_COMPLETE, g->moved, e, 0);
  gt_set_state(m, card, e, GT_STATE_IDLE);
  if (!g->interrupt || !sim_wired(m, card->self, GT_PORT_IRQ)) return;
  card->state->raised |= 1u << e;
  card->counters->interrupts++;
  sim_trace(m, card->self, GT_EV_RAISE, 0, e, 0);
  struct irq_raise raise = {.source = e};
  if (e == GT_ENGINE_READ) {
    raise.first = card->state->announced = card->state->first_write;
    raise.last = card->state->last_write;
  }
  send_irq_raise(m, card->self, GT_PORT_IRQ, 0, SIM_PHASE_ANSWER, raise);
}

/* A store to an engine's registers; the last one starts it. */
static void gt_register(sim *m, struct gt *card, uint32_t offset, uint64_t value) {
  uint32_t e = offset / GT_ENGINE_BYTES;
  if (e >= GT_ENGINES) return;
  gt_engine *g = gt_engine_of(m, card, e);
  if (g->state != GT_STATE_IDLE) return; /* a busy engine ignores its registers */
  if (offset % GT_ENGINE_BYTES == GT_REG_HOST) g->host = value;
  else if (offset % GT_ENGINE_BYTES == GT_REG_CARD) g->card = value;
  else if (offset % GT_ENGINE_BYTES == GT_REG_GO) {
    g->left = (uint32_t)value & ~GT_GO_INTERRUPT;
    g->interrupt = (uint32_t)value & GT_GO_INTERRUPT ? 1 : 0;
    g->expects = (uint32_t)(value >> 32);
    g->moved = g->done = 0;
    g->began = m->time;
    if (gt_engine_of(m, card, 1 - e)->state != GT_STATE_IDLE) card->state->both_since = m->time;
    g->cause = sim_trace(m, card->self, GT_EV_COMMAND, g->left, e, 0);
    gt_set_state(m, card, e, GT_STATE_START);
    sim_schedule_for(m, card->self, card->params->start, SIM_PHASE_REQUEST, GT_ENGINE_STARTS, e);
  }
}

static uint64_t gt_read_register(sim *m, struct gt *card, uint32_t offset) {
  if (offset == GT_REG_DONE) {
    uint32_t raised = card->state->raised;
    card->state->raised = 0;
    return raised;
  }
  return offset / GT_ENGINE_BYTES < GT_ENGINES && offset % GT_ENGINE_BYTES == GT_REG_STATUS
             ? gt_engine_of(m, card, offset / GT_ENGINE_BYTES)->done
             : 0;
}

/* The card is granted the bus: the engine that did not have it last goes first. */
static uint32_t gt_pci_grant(sim *m, struct gt *card, struct pci_grant *q) {
  for (uint32_t k = 1; k <= GT_ENGINES; k++) {
    uint32_t e = (card->state->last_engine + k) % GT_ENGINES;
    gt_engine *g = gt_engine_of(m, card, e);
    if (!g->wants) continue;
    uint64_t line = card->params->read_line;
    g->wants = 0;
    card->state->master = card->state->last_engine = e;
    q->address = g->host;
    q->bytes = e == GT_ENGINE_READ ? g->left : (uint32_t)sim_min(g->left, line - (g->host & (line - 1)));
    q->command = e == GT_ENGINE_READ ? PCI_COMMAND_WRITE : PCI_COMMAND_READ;
    m->cause = g->cause;
    if (gt_engine_of(m, card, 1 - e)->wants) call_pci_request(m, card->self, GT_PORT_PCI);
    return 1;
  }
  return 0;
}

/* Detects a write, based on an older read, that overwrites an update in between: that update is lost. */
static void gt_check_lost(sim *m, struct gt *card, gt_engine *g) {
  const struct shadow_word *cell = shadow_word(m, &card->state->shadow, g->card);
  if (g->expects == 0 || !cell || cell->newest == g->expects - 1) return;
  card->counters->lost++;
  sim_trace(m, card->self, GT_EV_LOST, g->card, cell->newest, g->expects - 1);
}

/* The read engine writes again, possibly the same words: its last interrupt announces only what is before. */
static void gt_start_writes(sim *m, struct gt *card, const struct pci_master_give *q) {
  struct irq_restarted start = {.first = card->state->announced, .next = q->writes[0]};
  for (uint32_t i = 0; i < sim_min(q->bytes, HALF_BYTES) / SHADOW_WORD_BYTES; i++)
    start.next_last = sim_max(start.next_last, q->writes[i]);
  if (card->state->announced) call_irq_restarted(m, card->self, GT_PORT_IRQ, &start);
  card->state->announced = card->state->first_write = card->state->last_write = 0;
}

/* The range of the identities in a transfer: words of a card's memory were written at different times. */
static void gt_note_writes(struct gt *card, const struct pci_master_give *q) {
  for (uint32_t i = 0; i < q->bytes / SHADOW_WORD_BYTES; i++) {
    uint32_t write = q->writes[i];
    if (write && (!card->state->first_write || write < card->state->first_write))
      card->state->first_write = write;
    card->state->last_write = (uint32_t)sim_max(card->state->last_write, write);
  }
}

static void gt_pci_master_give(sim *m, struct gt *card, struct pci_master_give *q) {
  const gt_engine *g = gt_engine_of(m, card, card->state->master);
  struct shadow_stale old = gt_fetch(m, card, g->card, q->bytes, q->writes);
  if (g->moved == 0) gt_start_writes(m, card, q);
  uint32_t cause = m->cause;
  if (old.words) sim_trace(m, card->self, GT_EV_OLD, old.at, old.got, old.newest);
  gt_note_writes(card, q);
  m->cause = cause; /* recorded, but not a cause of later events */
}

static void gt_pci_master_take(sim *m, struct gt *card, struct pci_master_take *q) {
  gt_engine *g = gt_engine_of(m, card, card->state->master);
  gt_check_lost(m, card, g);
  gt_commit(m, card, g->card, q->bytes, q->writes);
}

static uint32_t gt_pci_moved(sim *m, struct gt *card, struct pci_moved *q) {
  uint32_t e = card->state->master;
  gt_engine *g = gt_engine_of(m, card, e);
  uint64_t *bytes = e ? &card->counters->dma_read_bytes : &card->counters->dma_write_bytes;
  *bytes += q->bytes;
  g->host += q->bytes;
  g->card += q->bytes;
  g->moved += q->bytes;
  g->left -= q->bytes;
  if (g->left == 0 || (q->bytes == 0 && q->last)) { /* all moved, or no target answered */
    gt_complete(m, card, e);
    return 0;
  }
  if (e == GT_ENGINE_READ && q->bytes > 0 && !q->last) return g->left; /* the burst continues */
  gt_continue(m, card, e);
  return e == GT_ENGINE_READ ? g->left : 0;
}
