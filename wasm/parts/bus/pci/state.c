/* The bus's state for exploration. Bursts have one block there: the latency timer ends none. */
#include "core/state_codec.h"

static void pci_serialize(sim *m, struct pci *bus, struct sim_codec *k) {
  struct pci_now *now = pci_view(m, bus);
  sim_codec_u8(k, &now->state);
  sim_codec_u8(k, &now->requests);
  sim_codec_u8(k, &now->last);
  sim_codec_u8(k, &bus->state->starting);
  if (now->state == PCI_STATE_IDLE) return;
  sim_codec_u8(k, &now->master);
  sim_codec_u16(k, &now->target);
  sim_codec_u8(k, &now->command);
  sim_codec_u8(k, &now->bytes);
  sim_codec_u8(k, &now->moved);
  sim_codec_u8(k, &bus->state->accepted);
  sim_codec_addr(k, &now->addr);
  if (!k->reading) return;
  bus->state->elapsed = 0, bus->state->limit = SIM_NEVER, now->began = now->until = m->time;
}

/* A transaction without a target is one event: only its failure is observable. */
static uint32_t pci_enabled(sim *m, struct pci *bus, const sim_msg *msg) {
  (void)m;
  return msg->kind == PCI_BLOCK && bus->state->accepted == 0 ? SIM_INVISIBLE : SIM_ENABLED;
}
