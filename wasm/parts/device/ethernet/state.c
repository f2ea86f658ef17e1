/* The adapter's state for exploration (core/state_codec.h). */
#include "core/state_codec.h"

static uint32_t ethernet_enabled(sim *m, uint32_t self, const sim_msg *msg) {
  (void)m, (void)self, (void)msg;
  return SIM_ENABLED;
}

static void ethernet_serialize(sim *m, uint32_t self, struct sim_codec *k) {
  struct ethernet_state *s = SIM_STATE(m, self, ethernet);
  struct ethernet_now *now = ethernet_now_of(m, self);
  uint32_t packets = (uint32_t)s->packets, *small[] = {&packets, &s->head, &now->state, &now->slot, &now->line, &now->packet, &now->told, &now->written, &now->writing};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  s->packets = packets;
  sim_codec_u16(k, &now->bytes);
  for (uint32_t slot = 0; slot < SIM_PARAMS(m, self, ethernet)->ring; slot++) {
    sim_codec_u8(k, &ethernet_slot(m, self, slot)->state);
    sim_codec_u8(k, &ethernet_slot(m, self, slot)->packet);
  }
}
