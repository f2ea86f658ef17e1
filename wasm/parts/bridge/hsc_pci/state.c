/* The bridge's state for exploration. */
#include "core/state_codec.h"

static void hsc_pci_serialize_line(hsc_pci_line *l, struct sim_codec *k) {
  sim_codec_u8(k, &l->state);
  if (l->state == HSC_PCI_LINE_EMPTY) {
    l->addr = 0;
    return;
  }
  sim_codec_addr(k, &l->addr);
  if (l->state != HSC_PCI_LINE_HERE) return;
  sim_codec_addr(k, &l->memory);
  sim_codec_write_id(k, &l->half_0, HOLDER_DATA);
  sim_codec_write_id(k, &l->half_1, HOLDER_DATA);
}

static void hsc_pci_serialize(sim *m, struct hsc_pci *bridge, struct sim_codec *k) {
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  sim_codec_u8(k, &now->posted);
  sim_codec_u8(k, &now->queued);
  sim_codec_u8(k, &now->interrupts);
  sim_codec_u8(k, &bridge->state->asked);
  sim_codec_u8(k, &bridge->state->sending);
  if (bridge->state->sending == HSC_KIND_WRITE + 1) sim_codec_u8(k, &bridge->state->piece);
  for (uint32_t i = 0; i < bridge->state->lines; i++) hsc_pci_serialize_line(&hsc_pci_lines(m, bridge)[i], k);
  for (uint32_t i = 0; i < now->posted; i++) {
    hsc_pci_post *p = &hsc_pci_posts(m, bridge->state)[i];
    sim_codec_addr(k, &p->addr);
    sim_codec_u8(k, &p->bytes);
    sim_codec_write_id(k, &p->half_0, WRITE_PENDING);
    sim_codec_write_id(k, &p->half_1, WRITE_PENDING);
  }
  for (uint32_t i = 0; i < now->queued; i++) {
    hsc_pci_access *a = &hsc_pci_accesses(m, bridge)[i];
    sim_codec_addr(k, &a->addr);
    sim_codec_u32(k, &a->value);
    sim_codec_u8(k, &a->tag);
    sim_codec_u8(k, &a->state);
    sim_codec_u8(k, &a->behind);
  }
}

/* A card's interrupt can be delayed. */
static uint32_t hsc_pci_enabled(sim *m, struct hsc_pci *bridge, const sim_msg *msg) {
  (void)m;
  (void)bridge;
  (void)msg;
  return SIM_ENABLED;
}
