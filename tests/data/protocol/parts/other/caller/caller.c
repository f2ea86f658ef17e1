/* Calls once, and counts what it hears. */
#include "core/engine.h"
#include "gen/protocols.h"

static void caller_self(sim *m, uint32_t self, const sim_msg *msg) {
  struct echo_call q = {.word = msg->x};
  uint32_t times = call_echo_call(m, self, CALLER_PORT_WALL, &q);
  SIM_COUNTERS(m, self, caller)->heard += times * q.heard;
}

static void caller_wall_later(sim *m, uint32_t self, const struct echo_later *q) { SIM_COUNTERS(m, self, caller)->later += q->word; }

static uint32_t caller_wall_who(sim *m, uint32_t self) {
  (void)m;
  return self;
}

static int caller_load(sim *m, uint32_t self) {
  sim_schedule_for(m, self, 1000, SIM_PHASE_REQUEST, 1, 21);
  return SIM_OK;
}
