/* The run loop, commands between events, and the directory a host reads. */
#include "core/asking.h"
#include "core/engine.h"
#include "core/keep.h"

static _Noreturn void stop(by *m, uint32_t error, uint32_t self, uint32_t port, uint32_t kind) {
  struct by_directory *d = &by_side(m)->directory;
  d->error = error;
  d->error_part = self;
  d->error_detail = port << 8 | kind;
  __builtin_trap();
}

BY_COLD void by_unheard(by *m, uint32_t self, uint32_t port, uint32_t kind) { stop(m, BY_UNHEARD, self, port, kind); }
BY_COLD void by_unanswered(by *m, uint32_t self, uint32_t port, uint32_t kind) {
  const struct by_wire *wire = by_wire(m, self, port);
  if (wire->type) by_unheard(m, wire->part, wire->port, kind);
  stop(m, BY_UNANSWERED, self, port, kind);
}
#ifdef BY_ASSERTS
BY_COLD void by_asked_back(by *m, uint32_t self, uint32_t port, uint32_t kind) { stop(m, BY_ASKED_BACK, self, port, kind); }
#endif

/* With the order left open, as long as the steps' time allows. */
static int run_any(by *m, uint64_t until, uint64_t events) {
  for (;;) {
    if (m->events >= events) return BY_EVENTS;
    if (m->time + by_open_order(m) > until) return BY_UNTIL;
    if (!by_step_any(m)) return BY_IDLE;
  }
}

int by_run(by *m, uint64_t until, uint64_t events) {
  BY_NOBODY_ASKS();
  if (by_open_order(m)) return run_any(m, until, events);
  while (pending(m)) {
    if (m->events >= events) return BY_EVENTS;
    if (soon(m)[m->pending - 1].time > until) return BY_UNTIL;
    uint32_t slot;
    const by_msg *msg = take(m, &slot);
    m->events++;
    m->cause = msg->cause;
    by_dispatch_on(by_part(m, msg->to)->type, m, msg->to, msg);
    give_back(m, slot);
#ifdef BY_CHECKS
    if (m->watcher) by_watch(m);
#endif
  }
  return BY_IDLE;
}

int by_command(by *m, uint32_t part, uint32_t param, uint64_t value) {
  by_side(m)->directory.error = BY_OK;
  if (part >= m->part_count) return by_refuse(m, BY_BAD_PARAM, part, param);
  const by_type *type = &by_types[by_part(m, part)->type];
  if (param >= type->params || !in_range(by_part(m, part)->type, param, value)) return by_refuse(m, BY_BAD_PARAM, part, param);
  if (!range_of(by_part(m, part)->type, param)->live) return by_refuse(m, BY_NOT_LIVE, part, param);
  ((uint64_t *)by_at(m, by_part(m, part)->params_at))[param] = value;
  m->cause = 0;
  if (type->adapt) type->adapt(m, part);
  return BY_OK;
}

void by_record_trace(by *m, uint32_t on) { by_side(m)->recording = on && by_side(m)->trace_mask > 0; }

void by_replay(by *m, const uint32_t *choices, uint32_t count) {
  struct by_side *side = by_side(m);
  uint32_t *log = by_at(m, side->directory.choices_at);
  if (count > side->directory.choices_capacity) count = side->directory.choices_capacity;
  __builtin_memcpy(log, choices, count * sizeof *log);
  side->replay_count = count;
}

void by_fail_allocation(by *m, uint32_t nth) { by_side(m)->fail_at = nth; }

const struct by_directory *by_look(by *m) {
  struct by_side *side = by_side(m);
  struct by_directory *d = &side->directory;
  d->layout_hash = BY_LAYOUT_HASH;
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
