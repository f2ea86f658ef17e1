#include "parts/device/gt/gt.h"

#include "parts/device/gt/memory.c"

static inline int gt_in_memory(struct gt *card, uint64_t addr) {
  return addr >= card->params->base && addr < card->params->base + card->params->size;
}

#include "parts/device/gt/engines.c"

/*
 * The card as target. It stores one write per `accept`; one more waits in its register. Reads can run ahead
 * of one per `read_recovery` by `read_credit`: a debt that time pays back.
 */
static uint32_t gt_pci_begin(sim *m, struct gt *card, struct pci_begin *q) {
  if (!pci_is_read(q->command)) {
    q->ready = sim_max(m->time, card->state->accept_at);
    if (sim_wired(m, card->self, GT_PORT_LINK) && gt_in_memory(card, q->address))
      return gt_accepts(m, card, q->bytes, &q->ready);
    return q->bytes;
  }
  uint64_t ahead = (card->params->read_credit - 1) * card->params->read_recovery;
  uint64_t start = sim_max(m->time, card->state->read_next > ahead ? card->state->read_next - ahead : 0);
  card->state->read_next = sim_max(card->state->read_next, start) + card->params->read_recovery;
  q->ready = start + card->params->read_latency;
  return q->bytes;
}

static void gt_pci_target_take(sim *m, struct gt *card, struct pci_target_take *q) {
  card->state->accept_at = card->state->accepted_at;
  card->state->accepted_at = sim_max(m->time, card->state->accepted_at) + card->params->accept;
  card->counters->pio_writes++;
  sim_trace(m, card->self, GT_EV_ACCEPT, q->address, q->writes[0], q->bytes);
  if (gt_in_memory(card, q->address)) gt_commit(m, card, q->address, q->bytes, q->writes);
  else gt_register(m, card, (uint32_t)(q->address - card->params->registers), q->value);
}

static void gt_pci_target_give(sim *m, struct gt *card, struct pci_target_give *q) {
  card->counters->pio_reads++;
  if (gt_in_memory(card, q->address)) q->newest = gt_fetch(m, card, q->address, q->bytes, q->writes).newest;
  else q->value = gt_read_register(m, card, (uint32_t)(q->address - card->params->registers));
  sim_trace(m, card->self, GT_EV_ANSWER, q->address, q->writes[0], 0);
}

static uint32_t gt_pci_claim(sim *m, struct gt *card, struct pci_claim *q) {
  (void)m;
  uint32_t which = q->which;
  q->base = which ? card->params->registers : card->params->base;
  q->length = which ? GT_REGISTER_BYTES : card->params->size;
  return 1;
}

static void gt_self(sim *m, struct gt *card, const sim_msg *msg) {
  if (msg->kind == GT_VISIBLE) gt_visible(m, card);
  else if (gt_transfer_ends(m, card, msg->x)) gt_complete(m, card, msg->x);
  else gt_continue(m, card, msg->x);
}

static int gt_load(sim *m, uint32_t self) {
  const struct gt_params *q = SIM_PARAMS(m, self, gt);
  struct gt_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  uint32_t words = (uint32_t)(q->tracked / SHADOW_WORD_BYTES);
  struct link_accept queue = {0};
  int followed = sim_wired(m, self, GT_PORT_LINK) && words > 0;
  s->flight_rows = followed ? call_link_accept(m, self, GT_PORT_LINK, &queue) / 4 + GT_FLIGHT_SLACK : 0;
  void *engines = sim_view(m, self, GT_VIEW_ENGINES, GT_ENGINES, sizeof(gt_engine));
  void *cells = sim_view(m, self, GT_VIEW_CELLS, words, sizeof(struct shadow_word));
  void *flight = sim_view(m, self, GT_VIEW_FLIGHT, s->flight_rows, sizeof(struct gt_flight));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->engines_at = sim_offset(m, engines);
  s->shadow = shadow_of(m, cells, q->base, words, SHADOW_WORD_BYTES);
  s->flight_at = sim_offset(m, flight);
  for (uint32_t e = 0; e < GT_ENGINES; e++) gt_engine_of(m, SIM_CONTEXT(m, self, gt), e)->done = 1;
  return SIM_OK;
}
