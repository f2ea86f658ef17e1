/* Calls once, and counts what it hears. */
#include "core/engine.h"
#include "gen/protocols.h"

static void caller_self(sim *m, struct caller *caller, const sim_msg *msg) {
  struct echo_call q = {.word = msg->x};
  uint32_t times = call_echo_call(m, caller->self, CALLER_PORT_WALL, &q);
  caller->counters->heard += times * q.heard;
}

static void caller_wall_later(sim *m, struct caller *caller, const struct echo_later *q) {
  (void)m;
  caller->counters->later += q->word;
}

static uint32_t caller_wall_who(sim *m, struct caller *caller) {
  (void)m;
  return caller->self;
}

static int caller_load(sim *m, uint32_t self) {
  sim_schedule_for(m, self, 1000, SIM_PHASE_REQUEST, 1, 21);
  return SIM_OK;
}
