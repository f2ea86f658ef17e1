#include "parts/device/gt/gt.h"

#include "parts/device/gt/memory.c"

static inline int gt_in_memory(sim *m, uint32_t self, uint64_t addr) {
  const struct gt_params *q = SIM_PARAMS(m, self, gt);
  return addr >= q->base && addr < q->base + q->size;
}

#include "parts/device/gt/engines.c"

/*
 * The card as target. Writes are accepted one per `accept`. Reads can run ahead of one per `read_recovery` by
 * `read_credit`: a debt that time pays back.
 */
static uint32_t gt_pci_begin(sim *m, uint32_t self, struct pci_begin *q) {
  struct gt_state *s = SIM_STATE(m, self, gt);
  const struct gt_params *p = SIM_PARAMS(m, self, gt);
  if (!pci_is_read(q->command)) {
    q->ready = sim_max(m->time, s->accept_at);
    if (sim_wired(m, self, GT_PORT_LINK) && gt_in_memory(m, self, q->address)) return gt_accepts(m, self, q->bytes, &q->ready);
    return q->bytes;
  }
  uint64_t ahead = (p->read_credit - 1) * p->read_recovery;
  uint64_t start = sim_max(m->time, s->read_next > ahead ? s->read_next - ahead : 0);
  s->read_next = sim_max(s->read_next, start) + p->read_recovery;
  q->ready = start + p->read_latency;
  return q->bytes;
}

static void gt_pci_target_take(sim *m, uint32_t self, struct pci_target_take *q) {
  SIM_STATE(m, self, gt)->accept_at = m->time + SIM_PARAMS(m, self, gt)->accept;
  SIM_COUNTERS(m, self, gt)->pio_writes++;
  sim_trace(m, self, GT_EV_ACCEPT, q->address, q->writes[0], q->bytes);
  if (gt_in_memory(m, self, q->address)) gt_commit(m, self, q->address, q->bytes, q->writes);
  else gt_register(m, self, (uint32_t)(q->address - SIM_PARAMS(m, self, gt)->registers), q->value);
}

static void gt_pci_target_give(sim *m, uint32_t self, struct pci_target_give *q) {
  SIM_COUNTERS(m, self, gt)->pio_reads++;
  if (gt_in_memory(m, self, q->address)) q->newest = gt_fetch(m, self, q->address, q->bytes, q->writes).newest;
  else q->value = gt_read_register(m, self, (uint32_t)(q->address - SIM_PARAMS(m, self, gt)->registers));
  sim_trace(m, self, GT_EV_ANSWER, q->address, q->writes[0], 0);
}

static uint32_t gt_pci_claim(sim *m, uint32_t self, struct pci_claim *q) {
  const struct gt_params *p = SIM_PARAMS(m, self, gt);
  uint32_t which = q->which;
  q->base = which ? p->registers : p->base;
  q->length = which ? GT_REGISTER_BYTES : p->size;
  return 1;
}

static void gt_self(sim *m, uint32_t self, const sim_msg *msg) {
  if (msg->kind == GT_VISIBLE) gt_visible(m, self);
  else if (gt_transfer_ends(m, self, msg->x)) gt_complete(m, self, msg->x);
  else gt_continue(m, self, msg->x);
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
  for (uint32_t e = 0; e < GT_ENGINES; e++) gt_engine_of(m, s, e)->done = 1;
  return SIM_OK;
}
