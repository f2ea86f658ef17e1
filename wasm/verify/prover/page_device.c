/*
 * A driver that maps each line separately, possibly both at a time, and a device that reads through either
 * mapping. Behind an IOMMU that walks its table the driver can unmap a page while the device still uses it.
 */
#include "core/state_codec.h"

static int prover_has_walks(sim *m, struct prover *prover) {
  return sim_wired(m, prover->self, PROVER_PORT_DMA);
}

static void prover_device_done(sim *m, struct prover *prover);

static uint32_t prover_list_pages(sim *m, struct prover *prover, struct prover_choice *list) {
  const struct prover_now *now = prover_view(m, prover);
  uint32_t n = 0;
  for (uint32_t line = 0; line < prover->params->lines; line++) {
    uint32_t held = now->held >> line & 1;
    if (now->reads != line + 1 || prover_has_walks(m, prover))
      list[n++] = (struct prover_choice){.action = held ? PROVER_ACTION_UNMAP : PROVER_ACTION_MAP,
          .line = line,
          .contract = PROVER_CONTRACT_BOTH};
  }
  return n;
}

static uint32_t prover_list_reads(sim *m, struct prover *prover, struct prover_choice *list) {
  const struct prover_now *now = prover_view(m, prover);
  uint32_t n = 0;
  for (uint32_t line = 0; line < prover->params->lines; line++)
    if (now->held >> line & 1) list[n++] = (struct prover_choice){.action = PROVER_ACTION_READ, .line = line};
  return n;
}

static void prover_dma(sim *m, struct prover *prover, uint32_t line) {
  struct prover_now *now = prover_view(m, prover);
  now->reads = line + 1;
  now->device = 1;
  now->touched = 0;
  call_dma_access(m, prover->self, PROVER_PORT_DMA,
      &(struct dma_access){
          .address = env_driver_line(prover, line) % 4096 + (uint64_t)(&now->page_0)[line] * 4096});
}

/* A page that stays mapped must not be blocked. */
static void prover_dma_done(sim *m, struct prover *prover, const struct dma_done *q) {
  struct prover_now *now = prover_view(m, prover);
  uint32_t line = now->reads - 1;
  if (q->outcome == 2 && !(now->touched >> line & 1))
    sim_broken(m, prover->self, SIM_CURRENT_DEVICE, env_driver_line(prover, line));
  prover_device_done(m, prover);
}

/* A call is complete; a new mapping has this address. */
static void prover_page_done(struct prover_now *now, uint64_t address) {
  now->stage = STAGE_UNMAPPED;
  if (now->service != PROVER_ACTION_MAP) return;
  now->held |= 1u << now->line;
  (&now->page_0)[now->line] = (uint32_t)(address / 4096);
}

static void prover_serialize_pages(struct prover_now *now, struct sim_codec *k) {
  sim_codec_u8(k, &now->held);
  sim_codec_u8(k, &now->reads);
  if (!now->reads) now->touched = 0;
  sim_codec_u8(k, &now->touched);
  for (uint32_t line = 0; line < 2; line++) {
    uint32_t *page = &now->page_0 + line;
    if (now->held >> line & 1) sim_codec_u8(k, page);
    else *page = 0;
  }
}
