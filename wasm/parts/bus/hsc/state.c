/* The bus's state for exploration: requests, and the current tenure. */
#include "core/state_codec.h"

static void hsc_serialize_again(struct hsc_now *again, struct sim_codec *k) {
  sim_codec_u8(k, &again->state);
  if (again->state == HSC_STATE_IDLE) return;
  sim_codec_u8(k, &again->slot);
  sim_codec_u8(k, &again->kind);
  sim_codec_addr(k, &again->addr);
  sim_codec_u32(k, &again->half_0);
  sim_codec_u32(k, &again->half_1);
}

static void hsc_serialize(sim *m, struct hsc *bus, struct sim_codec *k) {
  struct hsc_now *now = sim_at(m, bus->state->now_at);
  sim_codec_u8(k, &now->state);
  sim_codec_u8(k, &now->requests);
  sim_codec_u8(k, &bus->state->taken);
  sim_codec_u8(k, &bus->state->adapter);
  hsc_serialize_again(&bus->state->again, k);
  if (now->state == HSC_STATE_IDLE) return;
  sim_codec_u8(k, &now->slot);
  sim_codec_u8(k, &now->kind);
  sim_codec_u8(k, &now->bytes);
  sim_codec_addr(k, &now->addr);
  if (now->state == HSC_STATE_DATA) sim_codec_addr(k, &now->memory);
  if (now->state == HSC_STATE_DATA || now->state == HSC_STATE_WRITE) {
    uint32_t holder = now->state == HSC_STATE_DATA ? HOLDER_DATA : WRITE_PENDING;
    sim_codec_write_id(k, &now->half_0, holder);
    sim_codec_write_id(k, &now->half_1, holder);
    return;
  }
  sim_codec_u32(k, &now->half_0);
  sim_codec_u32(k, &now->half_1);
}

/* A tenure can take any time, and so can the next arbitration. */
static uint32_t hsc_enabled(sim *m, struct hsc *bus, const sim_msg *msg) {
  (void)m;
  (void)bus;
  (void)msg;
  return SIM_ENABLED;
}
