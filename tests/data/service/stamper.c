/* Maps a buffer by whatever mapping service there is, works on it, gives it back. */
#include "core/engine.h"
#include "gen/protocols.h"
#include "service.h"

#define STAMPER_CALLS 17u /* threads and the handler */

struct stamper_state {
  uint32_t calls_at, spare;
};

static struct stamper_calls *stamper_call(sim *m, struct stamper *stamper, uint32_t thread) { return (struct stamper_calls *)sim_at(m, stamper->state->calls_at) + thread; }

static void stamper_ask(sim *m, struct stamper *stamper, uint32_t thread, uint32_t op, const struct stamper_calls *call) {
  uint32_t words[8] = {(uint32_t)call->address, (uint32_t)(call->address >> 32), 0, 0, call->bytes, 0, 0, NO_TAG};
  call_os_call(m, stamper->self, STAMPER_PORT_MAP, &(struct os_call){.thread = thread, .operation = op, .arguments = words});
}

static uint32_t stamper_stamp(sim *m, struct stamper *stamper, struct stamper_calls *call, struct os_next *p) {
  RESUME(call) {
    stamper_ask(m, stamper, p->thread, PROCESSOR_OP_MAP, call);
    AWAIT_SERVICE(call, STAMPER_STEP_MAPPING, call_os_next(m, stamper->self, STAMPER_PORT_MAP, p));
    call->address = p->address;
    AWAIT(call, STAMPER_STEP_STAMPING, STEP_OF_WORK(p, stamper->params->time, PROCESSOR_STATE_STAMPING, 0));
    stamper->counters->stamped++;
    stamper_ask(m, stamper, p->thread, PROCESSOR_OP_UNMAP, call);
    AWAIT_SERVICE(call, STAMPER_STEP_UNMAPPING, call_os_next(m, stamper->self, STAMPER_PORT_MAP, p));
  }
  call->step = STAMPER_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t stamper_cpu_validate_row(sim *m, struct stamper *stamper, struct os_validate_row *q) { return STAMPER_EXECUTES(q->operation) ? SIM_OK : call_os_validate_row(m, stamper->self, STAMPER_PORT_MAP, q); }

static void stamper_cpu_call(sim *m, struct stamper *stamper, struct os_call *q) {
  int own = STAMPER_EXECUTES(q->operation);
  const uint32_t *w = q->arguments;
  *stamper_call(m, stamper, q->thread) = (struct stamper_calls){own ? STAMPER_STEP_ENTER : STAMPER_STEP_PASS, w[4], (uint64_t)w[1] << 32 | w[0]};
  if (!own) call_os_call(m, stamper->self, STAMPER_PORT_MAP, q);
}

static uint32_t stamper_cpu_next(sim *m, struct stamper *stamper, struct os_next *p) {
  struct stamper_calls *call = stamper_call(m, stamper, p->thread);
  return call->step == STAMPER_STEP_PASS ? call_os_next(m, stamper->self, STAMPER_PORT_MAP, p) : stamper_stamp(m, stamper, call, p);
}

static void stamper_cpu_interrupt(sim *m, struct stamper *stamper, struct os_interrupt *q) { stamper_call(m, stamper, q->thread)->step = STAMPER_STEP_DONE; }

static int stamper_load(sim *m, uint32_t self) {
  struct stamper_state *s = sim_state_alloc(m, self, sizeof *s);
  void *calls = sim_view(m, self, STAMPER_VIEW_CALLS, STAMPER_CALLS, sizeof(struct stamper_calls));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->calls_at = sim_offset(m, calls);
  return SIM_OK;
}
