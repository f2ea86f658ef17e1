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
  if (sim_wired(m, card->self, ETHERNET_PORT_FETCH)) {
    struct ethernet_outgoing *out = ethernet_outgoing_of(m, card);
    uint32_t *sending[] = {&out->state, &out->line, &out->stale, &out->packet, &out->first, &out->frames};
    for (uint32_t i = 0; i < sizeof sending / sizeof *sending; i++) sim_codec_u8(k, sending[i]);
    for (uint32_t i = 0; i < out->frames; i++) {
      struct ethernet_queue *frame = ethernet_queue_row(m, card, out->first + i);
      sim_codec_u8(k, &frame->place);
      sim_codec_u8(k, &frame->packet);
      sim_codec_u16(k, &frame->bytes);
      sim_codec_u32(k, &frame->address);
    }
  }
  for (uint32_t slot = 0; slot < ethernet_descriptors(card); slot++) {
    sim_codec_u8(k, &ethernet_slot(m, card, slot)->state);
    sim_codec_u8(k, &ethernet_slot(m, card, slot)->packet);
  }
}
