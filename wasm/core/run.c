/* The run loop, commands between events, and the header for hosts. */
#include "core/reentrancy.h"
#include "core/engine.h"
#include "core/state_codec.h"

static _Noreturn void stop(sim *m, uint32_t error, uint32_t self, uint32_t port, uint32_t kind) {
  struct sim_directory *d = &sim_host_state(m)->directory;
  d->error = error;
  d->error_part = self;
  d->error_detail = port << 8 | kind;
  __builtin_trap();
}

SIM_COLD void sim_no_handler(sim *m, uint32_t self, uint32_t port, uint32_t kind) {
  stop(m, SIM_UNHEARD, self, port, kind);
}
SIM_COLD void sim_unconnected(sim *m, uint32_t self, uint32_t port, uint32_t kind) {
  const struct sim_wire *wire = sim_wire(m, self, port);
  if (wire->type) sim_no_handler(m, wire->part, wire->port, kind);
  stop(m, SIM_UNANSWERED, self, port, kind);
}
#ifdef SIM_ASSERTS
SIM_COLD void sim_reentrant_call(sim *m, uint32_t self, uint32_t port, uint32_t kind) {
  stop(m, SIM_ASKED_BACK, self, port, kind);
}
#endif

/* In exploration mode, until the steps' time is over. */
static int run_exploring(sim *m, uint64_t until, uint64_t events) {
  for (;;) {
    if (m->events >= events) return SIM_EVENTS;
    if (m->time + sim_exploring(m) > until) return SIM_UNTIL;
    if (!sim_explore_step(m)) return SIM_IDLE;
  }
}

int sim_run(sim *m, uint64_t until, uint64_t events) {
  SIM_CALL_STACK_EMPTY();
  if (sim_exploring(m)) return run_exploring(m, until, events);
  while (pending(m)) {
    if (m->events >= events) return SIM_EVENTS;
    if (soon(m)[m->pending - 1].time > until) return SIM_UNTIL;
    uint32_t slot;
    const sim_msg *msg = take(m, &slot);
    m->events++;
    m->cause = msg->cause;
    sim_dispatch_on(sim_part(m, msg->to)->type, m, msg->to, msg);
    free_slot(m, slot);
#ifdef SIM_CHECKS
    if (m->monitor) sim_check_invariants(m);
#endif
  }
  return SIM_IDLE;
}

int sim_command(sim *m, uint32_t part, uint32_t param, uint64_t value) {
  sim_host_state(m)->directory.error = SIM_OK;
  if (part >= m->part_count) return sim_refuse(m, SIM_BAD_PARAM, part, param);
  const sim_type *type = &sim_types[sim_part(m, part)->type];
  if (param >= type->params || !in_range(sim_part(m, part)->type, param, value))
    return sim_refuse(m, SIM_BAD_PARAM, part, param);
  if (!range_of(sim_part(m, part)->type, param)->live) return sim_refuse(m, SIM_NOT_LIVE, part, param);
  ((uint64_t *)sim_at(m, sim_part(m, part)->params_at))[param] = value;
  m->cause = 0;
  if (type->on_param_change) type->on_param_change(m, part);
  return SIM_OK;
}

void sim_record_trace(sim *m, uint32_t on) {
  sim_host_state(m)->recording = on && sim_host_state(m)->trace_mask > 0;
}

void sim_replay(sim *m, const uint32_t *choices, uint32_t count) {
  struct sim_host_state *side = sim_host_state(m);
  uint32_t *log = sim_at(m, side->directory.choices_at);
  if (count > side->directory.choices_capacity) count = side->directory.choices_capacity;
  __builtin_memcpy(log, choices, count * sizeof *log);
  side->replay_count = count;
}

void sim_fail_allocation(sim *m, uint32_t nth) { sim_host_state(m)->fail_at = nth; }

const struct sim_directory *sim_refresh_header(sim *m) {
  struct sim_host_state *side = sim_host_state(m);
  struct sim_directory *d = &side->directory;
  d->layout_hash = SIM_LAYOUT_HASH;
  d->state_bytes = m->state_bytes;
  d->parts_at = m->parts_at;
  d->part_count = m->part_count;
  d->views_at = m->views_at;
  d->view_count = m->view_count;
  d->time_lo = (uint32_t)m->time;
  d->time_hi = (uint32_t)(m->time >> 32);
  d->events_lo = (uint32_t)m->events;
  d->events_hi = (uint32_t)(m->events >> 32);
  d->seq_lo = (uint32_t)m->seq;
  d->seq_hi = (uint32_t)(m->seq >> 32);
  d->choice_count = m->choice_count;
  return d;
}
