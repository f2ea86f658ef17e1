/* The bridge's state for exploration: of lines, only the two words that are read there. */
#include "core/state_codec.h"

static void pcix_bridge_serialize_posts(
    sim *m, struct pcix_bridge *bridge, struct sim_codec *k, uint32_t way) {
  sim_codec_u8(k, pcix_bridge_posted(m, bridge, way));
  sim_codec_u8(k, pcix_bridge_has_line(m, bridge, way));
  for (uint32_t i = 0; i < *pcix_bridge_posted(m, bridge, way); i++) {
    pcix_bridge_post *p = pcix_bridge_post_at(m, bridge, way, i);
    sim_codec_addr(k, &p->addr);
    sim_codec_u8(k, &p->bytes);
    sim_codec_addr(k, &p->value);
    sim_codec_u8(k, pcix_bridge_post_words(m, bridge, way, i) + p->addr % PCIX_BRIDGE_LINE / 4);
  }
}

static void pcix_bridge_serialize_read(pcix_bridge_read *r, struct sim_codec *k) {
  sim_codec_addr(k, &r->end);
  if (!r->end) {
    *r = (pcix_bridge_read){0};
    return;
  }
  uint64_t *addresses[] = {&r->addr, &r->fetch, &r->limit};
  uint32_t *small[] = {&r->side, &r->split, &r->tag, &r->known, &r->behind, &r->attributes};
  for (uint32_t i = 0; i < sizeof addresses / sizeof *addresses; i++) sim_codec_addr(k, addresses[i]);
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
}

static void pcix_bridge_serialize_line(
    sim *m, struct pcix_bridge *bridge, pcix_bridge_line *l, struct sim_codec *k) {
  sim_codec_u8(k, &l->state);
  if (l->state == PCIX_BRIDGE_LINE_EMPTY) {
    *l = (pcix_bridge_line){0};
    return;
  }
  uint32_t *small[] = {&l->from, &l->to, &l->read, &l->side, &l->behind};
  sim_codec_addr(k, &l->addr);
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  if (l->from < l->to) return;
  sim_codec_addr(k, &l->value);
  for (uint32_t word = 0; word < 2 && l->side == PCIX_BRIDGE_CARDS; word++)
    sim_codec_u8(k, pcix_bridge_line_words(m, bridge, l) + word); /* a register has a value instead */
}

static void pcix_bridge_serialize(sim *m, struct pcix_bridge *bridge, struct sim_codec *k) {
  sim_codec_u8(k, &bridge->state->turn);
  for (uint32_t way = 0; way < 2; way++) {
    struct pcix_bridge_side *side = &bridge->state->side[way];
    pcix_bridge_serialize_posts(m, bridge, k, way);
    sim_codec_u8(k, &side->sending);
    sim_codec_u8(k, &side->run);
    sim_codec_u8(k, &side->waited);
    sim_codec_u8(k, &side->completes);
    sim_codec_addr(k, &side->asked);
    sim_codec_addr(k, &side->asked_end);
  }
  for (uint32_t i = 0; i < bridge->state->reads; i++)
    pcix_bridge_serialize_read(pcix_bridge_read_at(m, bridge, i), k);
  for (uint32_t i = 0; i < bridge->state->lines; i++)
    pcix_bridge_serialize_line(m, bridge, pcix_bridge_line_at(m, bridge, i), k);
}

static uint32_t pcix_bridge_enabled(sim *m, struct pcix_bridge *bridge, const sim_msg *msg) {
  (void)m;
  (void)bridge;
  (void)msg;
  return SIM_ENABLED;
}
