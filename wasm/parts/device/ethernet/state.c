/* The adapter's state for exploration (core/state_codec.h). */
#include "core/state_codec.h"

static uint32_t ethernet_enabled(sim *m, struct ethernet *card, const sim_msg *msg) {
  (void)m;
  (void)card;
  (void)msg;
  return SIM_ENABLED;
}

static void ethernet_serialize(sim *m, struct ethernet *card, struct sim_codec *k) {
  struct ethernet_now *now = ethernet_now_of(m, card);
  uint32_t packets = (uint32_t)card->state->packets,
           *small[] = {&packets, &card->state->head, &now->state, &now->slot, &now->line, &now->packet,
               &now->delivered, &now->written, &now->writing};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  card->state->packets = packets;
  if (card->params->damage) {
    sim_codec_u8(k, &card->state->damaged);
    sim_codec_u8(k, &card->state->rejected);
    sim_codec_u8(k, &card->state->ahead);
  }
  sim_codec_u16(k, &now->bytes);
  for (uint32_t slot = 0; slot < card->params->ring; slot++) {
    sim_codec_u8(k, &ethernet_slot(m, card, slot)->state);
    sim_codec_u8(k, &ethernet_slot(m, card, slot)->packet);
  }
}
