/* Coherency queues, responses, and the completion of transactions with all responses. */
#include "parts/bus/runway/runway.h"

static void runway_schedule(sim *m, uint32_t self, uint64_t time);

/* The latest incomplete transaction to the same line that was issued before this one, + 1. */
static uint32_t runway_blocked_by(struct runway_state *s, uint32_t tid) {
  uint64_t line = runway_row(s, tid)->addr & ~(uint64_t)(RUNWAY_LINE - 1), same = 0, followed = 0;
  for (uint64_t left = s->active & ~(1ull << tid); left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctzll(left);
    transaction *row = runway_row(s, t);
    if (!runway_type_coherent(row->type) || (row->addr & ~(uint64_t)(RUNWAY_LINE - 1)) != line) continue;
    same |= 1ull << t;
    if (row->blocked_by) followed |= 1ull << (row->blocked_by - 1);
  }
  same &= ~followed;
  return same ? (uint32_t)__builtin_ctzll(same) + 1 : 0;
}

static void runway_notify_master(sim *m, uint32_t self, uint32_t tid, uint32_t *words) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  transaction *row = runway_row(s, tid);
  struct runway_data data = {.address = row->addr, .shared = row->shared, .slot = row->slot, .halves = words};
  m->cause = row->cause;
  sim_trace_often(m, self, RUNWAY_EV_COMPLETE, row->addr, row->type, row->master);
  call_runway_data(m, self, RUNWAY_PORT_AGENT + row->master, &data);
}

static void runway_perform(sim *m, uint32_t self, uint32_t tid);

/* Completes a transaction: notifies its master, and releases the transactions blocked by it. */
static void runway_complete(sim *m, uint32_t self, uint32_t tid, uint32_t *words) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  transaction *row = runway_row(s, tid);
  struct runway_agents *agent = runway_agent(s, row->master);
  runway_notify_master(m, self, tid, words);
  row->phase = RUNWAY_PHASE_FREE;
  s->active &= ~(1ull << tid);
  agent->pending--;
  if (s->rejected_agents & 1u << row->master) {
    s->rejected_agents &= ~(1u << row->master);
    runway_view(s)->requests |= 1u << row->master;
    runway_schedule(m, self, m->time);
  }
  for (uint64_t left = s->active; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctzll(left);
    if (runway_row(s, t)->blocked_by != tid + 1) continue;
    runway_row(s, t)->blocked_by = 0;
    runway_perform(m, self, t);
  }
}

static void runway_start_memory_write(sim *m, uint32_t self, uint64_t addr, uint32_t mask, uint32_t newest, uint32_t *words) {
  struct runway_memory_put put = {.address = addr & ~(uint64_t)(RUNWAY_LINE - 1), .mask = mask, .now = newest, .halves = words};
  call_runway_memory_put(m, self, RUNWAY_PORT_MEMORY, &put);
}

static void runway_write_row_to_memory(sim *m, uint32_t self, transaction *row, uint32_t mask, uint32_t newest) {
  uint32_t words[LINE_HALVES] = {row->half_0, row->half_1};
  runway_start_memory_write(m, self, row->addr, mask, newest, words);
}

/* The line is removed from memory. */
static void runway_latch_memory_data(sim *m, uint32_t self, uint32_t tid) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  transaction *row = runway_row(s, tid);
  uint32_t words[LINE_HALVES];
  struct runway_memory_get get = {.address = row->addr & ~(uint64_t)(RUNWAY_LINE - 1), .halves = words};
  call_runway_memory_ready(m, self, RUNWAY_PORT_MEMORY);
  call_runway_memory_get(m, self, RUNWAY_PORT_MEMORY, &get);
  row->half_0 = words[0];
  row->half_1 = words[1];
  row->phase = RUNWAY_PHASE_RETURNING;
  s->fetching &= ~(1ull << tid);
  s->returns |= 1ull << tid;
}

/* Memory supplies the line at once, or when it is ready. Nothing happens until then, so an idle bus schedules
   arbitration for that time, and a busy one checks when it is free. */
static void runway_start_memory_read(sim *m, uint32_t self, uint32_t tid) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  transaction *row = runway_row(s, tid);
  row->phase = RUNWAY_PHASE_MEMORY;
  s->fetching |= 1ull << tid;
  if (sim_exploring(m)) runway_latch_memory_data(m, self, tid);
  if (!s->taken) runway_schedule(m, self, sim_max(row->ready_at, m->time));
}

static void runway_perform_read(sim *m, uint32_t self, uint32_t tid) {
  transaction *row = runway_row(SIM_STATE(m, self, runway), tid);
  if (row->owner) {
    row->phase = RUNWAY_PHASE_OWNER;
    if (!row->mask) return; /* the owner's copy has not been sent yet */
    uint32_t words[LINE_HALVES] = {row->half_0, row->half_1};
    call_runway_memory_ready(m, self, RUNWAY_PORT_MEMORY); /* its own data is dropped */
    if (!call_runway_memory_skips_update(m, self, RUNWAY_PORT_MEMORY)) runway_start_memory_write(m, self, row->addr, 3, 0, words);
    runway_complete(m, self, tid, words);
    return;
  }
  runway_start_memory_read(m, self, tid);
}

/* Continues a transaction that may have become ready to be answered. */
static void runway_perform(sim *m, uint32_t self, uint32_t tid) {
  transaction *row = runway_row(SIM_STATE(m, self, runway), tid);
  if (row->responses_pending || row->blocked_by || row->phase == RUNWAY_PHASE_MEMORY || row->phase == RUNWAY_PHASE_RETURNING) return;
  switch (row->type) {
    case RUNWAY_TYPE_READ_SHARED:
    case RUNWAY_TYPE_READ_PRIVATE:
    case RUNWAY_TYPE_READ_NONCOHERENT: runway_perform_read(m, self, tid); return;
    case RUNWAY_TYPE_WRITE32:
    case RUNWAY_TYPE_WRITE16_PURGE: runway_write_row_to_memory(m, self, row, row->mask, 1); break;
  }
  uint32_t words[LINE_HALVES] = {row->half_0, row->half_1};
  runway_complete(m, self, tid, words);
}

/* Snoops an agent for a transaction, possibly its own, and records the response. */
SIM_INLINE uint32_t runway_snoop_agents(sim *m, uint32_t self, uint32_t agent, uint32_t tid) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  struct runway_agents *a = runway_agent(s, agent);
  transaction *row = runway_row(s, tid);
  m->cause = row->cause;
  uint32_t response;
  if (row->master == agent) {
    struct runway_own_response own = {.address = row->addr, .type = row->type, .slot = row->slot, .index = row->index};
    response = call_runway_own_response(m, self, RUNWAY_PORT_AGENT + agent, &own);
  } else {
    struct runway_snoop snoop = {.address = row->addr, .type = row->type, .id = tid, .index = row->index};
    response = call_runway_snoop(m, self, RUNWAY_PORT_AGENT + agent, &snoop);
  }
  a->response = response;
  if (response == RUNWAY_RESPONSE_WAIT) {
    a->stalled = 1;
    SIM_COUNTERS(m, self, runway)->stalls++;
    sim_trace(m, self, RUNWAY_EV_STALLED, row->addr, a->waiting - 1, agent);
    return response;
  }
  a->head = (a->head + 1) % RUNWAY_QUEUE;
  a->waiting--;
  a->polled--;
  row->responses_pending &= ~(1u << agent);
  SIM_COUNTERS(m, self, runway)->snoops++;
  if (response == RUNWAY_RESPONSE_OK) return response;
  row->shared |= response == RUNWAY_RESPONSE_SHARED || row->type == RUNWAY_TYPE_READ_SHARED;
  if (response == RUNWAY_RESPONSE_COPY) row->owner = agent + 1;
  sim_trace_often(m, self, RUNWAY_EV_RESPONSE, tid, response, agent);
  return response;
}

/* Polls an agent about the head of its queue and the following transactions, as far as it can answer. */
static void runway_run_queue(sim *m, uint32_t self, uint32_t agent) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  struct runway_agents *a = runway_agent(s, agent);
  while (a->polled && a->waiting && !a->stalled) {
    uint32_t tid = s->queue[a->head].transaction - 1;
    if (runway_snoop_agents(m, self, agent, tid) != RUNWAY_RESPONSE_WAIT && !runway_row(s, tid)->responses_pending) runway_perform(m, self, tid);
  }
}

/* Polls agents that requested another poll while one was being polled. */
static void runway_resolve_response(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  while (s->retry_agents) {
    uint32_t agent = (uint32_t)__builtin_ctz(s->retry_agents);
    s->retry_agents &= s->retry_agents - 1;
    runway_agent(s, agent)->stalled = 0;
    runway_run_queue(m, self, agent);
  }
}

/* Appends a transaction to every queue. In exploration mode each agent snoops separately. */
static void runway_enqueue(sim *m, uint32_t self, uint32_t tid) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  const struct runway_params *q = SIM_PARAMS(m, self, runway);
  uint32_t type = runway_row(s, tid)->type;
  uint64_t cycles = type == RUNWAY_TYPE_FLUSH || type == RUNWAY_TYPE_PURGE ? q->flush_response : q->snoop;
  uint64_t at = sim_clock_after(&s->clock, cycles);
  if (!sim_exploring(m)) at = s->responses_at = sim_max(s->responses_at, at);
  uint64_t delay = at - m->time;
  runway_row(s, tid)->responses_pending = s->wired;
  s->queue[s->tail].transaction = tid + 1;
  s->tail = (s->tail + 1) % RUNWAY_QUEUE;
  for (uint32_t left = s->wired; left; left &= left - 1) {
    uint32_t agent = (uint32_t)__builtin_ctz(left);
    struct runway_agents *a = runway_agent(s, agent);
    if (++a->waiting > RUNWAY_QUEUE) __builtin_trap();
  }
  if (!sim_exploring(m)) {
    sim_schedule(m, self, delay, SIM_PHASE_REQUEST, RUNWAY_LOOK);
    return;
  }
  for (uint32_t left = s->wired; left; left &= left - 1) sim_schedule_with(m, self, delay, SIM_PHASE_REQUEST, RUNWAY_LOOK, (uint32_t)__builtin_ctz(left), 1, 0);
}

/* In exploration mode: the time of an agent's snoop is not observable if the agent has no part of the line and
   cannot get one before. Flushes and purges apply to their master's own lines too. */
static uint32_t runway_enabled(sim *m, uint32_t self, const sim_msg *msg) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  uint32_t kind = msg->kind, agent = (uint32_t)msg->addr;
  const struct runway_agents *a = runway_agent(s, agent);
  if (kind == RUNWAY_GO) return s->returns || runway_view(s)->requests ? SIM_ENABLED : SIM_INVISIBLE;
  if (kind != RUNWAY_LOOK || a->stalled || a->polled) return SIM_ENABLED;
  const transaction *row = runway_row(s, s->queue[a->head].transaction - 1);
  if (row->master == agent && row->type != RUNWAY_TYPE_FLUSH && row->type != RUNWAY_TYPE_PURGE) return SIM_INVISIBLE;
  struct runway_tracks_line holds = {.address = row->addr, .index = row->index};
  return call_runway_tracks_line(m, self, RUNWAY_PORT_AGENT + agent, &holds) ? SIM_ENABLED : SIM_INVISIBLE;
}

/* The agents snoop the next transaction, each as soon as it has answered the earlier ones. */
static void runway_poll_all_responses(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  uint32_t place = s->snoop_head, tid = s->queue[place].transaction - 1;
  s->snoop_head = (place + 1) % RUNWAY_QUEUE;
  for (uint32_t left = s->wired; left; left &= left - 1) {
    uint32_t agent = (uint32_t)__builtin_ctz(left);
    struct runway_agents *a = runway_agent(s, agent);
    a->polled++;
    if (a->head == place && !a->stalled) runway_snoop_agents(m, self, agent, tid);
  }
  if (!runway_row(s, tid)->responses_pending) runway_perform(m, self, tid);
}

static void runway_poll_responses(sim *m, uint32_t self, const sim_msg *msg) {
  if (!msg->x) {
    runway_poll_all_responses(m, self);
    return;
  }
  runway_agent(SIM_STATE(m, self, runway), (uint32_t)msg->addr)->polled++;
  runway_run_queue(m, self, (uint32_t)msg->addr);
}
