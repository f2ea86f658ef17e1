/* The state of packets in flight for exploration (core/state_codec.h). */
#include "core/state_codec.h"

static void tcpip_serialize_call(struct sim_codec *k, tcpip_call *call) {
  uint32_t place = call->place + 1; /* none is 0 */
  sim_codec_u8(k, &call->step);
  sim_codec_u8(k, &call->op);
  sim_codec_u8(k, &place);
  call->place = place - 1;
  if (call->step == TCPIP_STEP_ENTER && call->op == 0) { /* never used */
    *call = (tcpip_call){.place = call->place};
    return;
  }
  uint32_t *small[] = {&call->count, &call->tag, &call->packet, &call->to, &call->given};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  sim_codec_u16(k, &call->size);
  if (call->step == TCPIP_STEP_DONE) return;
  uint32_t *lines[] = {&call->stage, &call->line, &call->held, &call->seen, &call->mixed};
  for (uint32_t i = 0; i < sizeof lines / sizeof *lines; i++) sim_codec_u8(k, lines[i]);
  if (call->op != PROCESSOR_OP_DECODE) return;
  struct code_sum *sum = tcpip_sum_of(call);
  for (int i = 0; i < 4; i++) sim_codec_u32(k, &sum->w[i]);
  sim_codec_u32(k, &sum->carry);
  sim_codec_u16(k, &sum->bytes);
}

static void tcpip_serialize_place(sim *m, struct tcpip *tcpip, struct sim_codec *k, uint32_t place) {
  tcpip_place *at = tcpip_place_of(m, tcpip, place);
  sim_codec_u8(k, &at->packet);
  if (!at->packet) return;
  sim_codec_u8(k, &at->from);
  sim_codec_u8(k, &at->held);
  sim_codec_u8(k, &at->outgoing);
  sim_codec_u8(k, &at->adapter);
  sim_codec_u16(k, &at->bytes);
}

static void tcpip_serialize(sim *m, struct tcpip *tcpip, struct sim_codec *k) {
  struct tcpip_now *now = tcpip_now_of(m, tcpip);
  uint64_t *processed = &tcpip->counters->processed;
  uint32_t turn = (uint32_t)*processed; /* the next packet, which an invariant checks */
  sim_codec_u8(k, &now->unhandled);
  sim_codec_u8(k, &now->next);
  sim_codec_u8(k, &now->expected);
  sim_codec_u8(k, &now->ring);
  sim_codec_u8(k, &turn);
  sim_codec_u8(k, &now->composed);
  *processed = turn;
  for (uint32_t row = 0; row < TCPIP_ROWS; row++) {
    tcpip_call *call = tcpip_call_of(m, tcpip, row);
    if (!sim_wired(m, tcpip->self, TCPIP_PORT_CPU + row / CALLS_PER_CPU)) continue;
    if (call_is_explored(row, call->op)) tcpip_serialize_call(k, call);
  }
  for (uint32_t slot = 0; slot < TCPIP_SLOTS; slot++) tcpip_serialize_place(m, tcpip, k, slot);
  for (uint32_t copy = 0; copy < TCPIP_COPIES; copy++) tcpip_serialize_place(m, tcpip, k, TCPIP_COPY + copy);
}
