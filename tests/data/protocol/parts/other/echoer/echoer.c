/* Gives back what is called, now and later. */
#include "core/engine.h"
#include "gen/protocols.h"

static uint32_t echoer_caller_call(sim *m, uint32_t self, struct echo_call *q) {
  if (SIM_PARAMS(m, self, echoer)->curious) call_echo_who(m, self, ECHOER_PORT_CALLER);
  send_echo_later(m, self, ECHOER_PORT_CALLER, 5000, SIM_PHASE_ANSWER, (struct echo_later){.word = q->word});
  q->heard = q->word;
  return 2;
}

static int echoer_load(sim *m, uint32_t self) {
  (void)m, (void)self;
  return SIM_OK;
}
