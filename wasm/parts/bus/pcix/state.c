/* The bus's state for exploration. Bursts have one block there: the latency timer ends none. */
#include "core/state_codec.h"

static void pcix_serialize(sim *m, struct pcix *bus, struct sim_codec *k) {
  struct pcix_now *now = pcix_view(m, bus);
  uint32_t *always[] = {&now->state, &now->requests, &now->last, &bus->state->starting},
           *busy[] = {&now->master, &now->bytes, &now->moved, &now->tag, &bus->state->accepted};
  for (uint32_t i = 0; i < sizeof always / sizeof *always; i++) sim_codec_u8(k, always[i]);
  for (uint32_t i = 0; i < bus->params->tags; i++) {
    pcix_tag *tag = pcix_tag_at(m, bus, i);
    sim_codec_u8(k, &tag->left);
    if (!tag->left) continue;
    sim_codec_u8(k, &tag->master);
    sim_codec_addr(k, &tag->addr);
  }
  if (now->state == PCIX_STATE_IDLE) return;
  for (uint32_t i = 0; i < sizeof busy / sizeof *busy; i++) sim_codec_u8(k, busy[i]);
  sim_codec_u16(k, &now->target);
  sim_codec_addr(k, &now->addr);
}

/* A transaction without a target is one event: only its failure is observable. */
static uint32_t pcix_enabled(sim *m, struct pcix *bus, const sim_msg *msg) {
  (void)m;
  (void)bus->self;
  return msg->kind == PCIX_BLOCK && (msg->x == PCIX_RETRIED || msg->x == PCIX_UNCLAIMED) ? SIM_INVISIBLE
                                                                                         : SIM_ENABLED;
}
