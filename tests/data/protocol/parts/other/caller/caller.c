/* Calls once, and counts what it hears. */
#include "core/engine.h"
#include "gen/protocols.h"

static void caller_self(by *m, uint32_t self, const by_msg *msg) {
  struct echo_call q = {.word = msg->x};
  uint32_t times = ask_echo_call(m, self, CALLER_PORT_WALL, &q);
  BY_COUNTERS(m, self, caller)->heard += times * q.heard;
}

static void caller_wall_later(by *m, uint32_t self, const struct echo_later *q) { BY_COUNTERS(m, self, caller)->later += q->word; }

static uint32_t caller_wall_who(by *m, uint32_t self) {
  (void)m;
  return self;
}

static int caller_load(by *m, uint32_t self) {
  by_self_of(m, self, 1000, BY_PHASE_REQUEST, 1, 21);
  return BY_OK;
}
