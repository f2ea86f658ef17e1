/* What the state of packets on their way is made of, for exploring (core/keep.h). */
#include "core/keep.h"

static void tcpip_keep_call(struct by_keeper *k, tcpip_call *call) {
  uint32_t place = call->place + 1; /* none is 0 */
  by_keep_small(k, &call->step);
  by_keep_small(k, &call->op);
  by_keep_small(k, &place);
  call->place = place - 1;
  if (call->step == TCPIP_STEP_ENTER && call->op == 0) { /* never used */
    *call = (tcpip_call){.place = call->place};
    return;
  }
  uint32_t *small[] = {&call->count, &call->tag, &call->packet, &call->to, &call->given};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
  by_keep_short(k, &call->size);
  if (call->step == TCPIP_STEP_DONE) return;
  uint32_t *lines[] = {&call->stage, &call->line, &call->held, &call->seen, &call->mixed};
  for (uint32_t i = 0; i < sizeof lines / sizeof *lines; i++) by_keep_small(k, lines[i]);
  if (call->op != PROCESSOR_OP_DECODE) return;
  struct code_sum *sum = tcpip_sum_of(call);
  for (int i = 0; i < 4; i++) by_keep_word(k, &sum->w[i]);
  by_keep_word(k, &sum->carry);
  by_keep_short(k, &sum->bytes);
}

static void tcpip_keep_place(by *m, uint32_t self, struct by_keeper *k, uint32_t place) {
  tcpip_place *at = tcpip_place_of(m, self, place);
  by_keep_small(k, &at->packet);
  if (!at->packet) return;
  by_keep_small(k, &at->from);
  by_keep_small(k, &at->held);
  by_keep_short(k, &at->bytes);
}

static void tcpip_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct tcpip_now *now = tcpip_now_of(m, self);
  uint64_t *processed = &BY_COUNTERS(m, self, tcpip)->processed;
  uint32_t turn = (uint32_t)*processed; /* which packet comes next: an invariant looks at it */
  by_keep_small(k, &now->untold);
  by_keep_small(k, &now->next);
  by_keep_small(k, &now->expected);
  by_keep_small(k, &now->ring);
  by_keep_small(k, &turn);
  *processed = turn;
  for (uint32_t row = 0; row < TCPIP_ROWS; row++)
    if (by_wired(m, self, TCPIP_PORT_CPU + row / TCPIP_THREADS)) tcpip_keep_call(k, tcpip_call_of(m, self, row));
  for (uint32_t slot = 0; slot < TCPIP_SLOTS; slot++) tcpip_keep_place(m, self, k, slot);
  for (uint32_t copy = 0; copy < TCPIP_COPIES; copy++) tcpip_keep_place(m, self, k, TCPIP_COPY + copy);
}
