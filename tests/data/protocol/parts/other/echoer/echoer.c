/* Gives back what is called, now and later. */
#include "core/engine.h"
#include "gen/protocols.h"

static uint32_t echoer_caller_call(sim *m, struct echoer *echoer, struct echo_call *q) {
  if (echoer->params->curious) call_echo_who(m, echoer->self, ECHOER_PORT_CALLER);
  send_echo_later(m, echoer->self, ECHOER_PORT_CALLER, 5000, SIM_PHASE_ANSWER, (struct echo_later){.word = q->word});
  q->heard = q->word;
  return 2;
}

static int echoer_load(sim *m, uint32_t self) {
  (void)m, (void)self;
  return SIM_OK;
}
