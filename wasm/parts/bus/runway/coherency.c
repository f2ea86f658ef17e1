/* Coherency queues, responses, and the completion of transactions with all responses. */
#include "parts/bus/runway/runway.h"

static void runway_schedule(sim *m, struct runway *bus, uint64_t time);

/* The latest incomplete transaction to the same line that was issued before this one, + 1. */
static uint32_t runway_blocked_by(struct runway_state *s, uint32_t tid) {
  uint64_t line = runway_row(s, tid)->addr & ~(uint64_t)(RUNWAY_LINE - 1), same = 0, followed = 0;
  for (uint64_t left = s->active & ~(1ull << tid); left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctzll(left);
    transaction *row = runway_row(s, t);
    if ((row->addr & ~(uint64_t)(RUNWAY_LINE - 1)) != line || !runway_type_coherent(row->type)) continue;
    same |= 1ull << t;
    if (row->blocked_by) followed |= 1ull << (row->blocked_by - 1);
  }
  same &= ~followed;
  return same ? (uint32_t)__builtin_ctzll(same) + 1 : 0;
}

static void runway_notify_master(sim *m, struct runway *bus, uint32_t tid, uint32_t *words) {
  transaction *row = runway_row(bus->state, tid);
  struct runway_data data = {.address = row->addr, .shared = row->shared, .slot = row->slot, .halves = words};
  m->cause = row->cause;
  sim_trace_often(m, bus->self, RUNWAY_EV_COMPLETE, row->addr, row->type, row->master);
  call_runway_data(m, bus->self, RUNWAY_PORT_AGENT + row->master, &data);
}

static void runway_perform(sim *m, struct runway *bus, uint32_t tid);

/* Completes a transaction: notifies its master, and releases the transactions blocked by it. */
static void runway_complete(sim *m, struct runway *bus, uint32_t tid, uint32_t *words) {
  transaction *row = runway_row(bus->state, tid);
  struct runway_agents *agent = runway_agent(bus->state, row->master);
  runway_notify_master(m, bus, tid, words);
  row->phase = RUNWAY_PHASE_FREE;
  bus->state->active &= ~(1ull << tid);
  agent->pending--;
  if (bus->state->rejected_agents & 1u << row->master) {
    bus->state->rejected_agents &= ~(1u << row->master);
    runway_view(bus->state)->requests |= 1u << row->master;
    runway_schedule(m, bus, m->time);
  }
  for (uint64_t left = bus->state->active; left; left &= left - 1) {
    uint32_t t = (uint32_t)__builtin_ctzll(left);
    if (runway_row(bus->state, t)->blocked_by != tid + 1) continue;
    runway_row(bus->state, t)->blocked_by = 0;
    runway_perform(m, bus, t);
  }
}

static void runway_start_memory_write(
    sim *m, struct runway *bus, uint64_t addr, uint32_t mask, uint32_t newest, uint32_t *words) {
  struct runway_memory_put put = {
      .address = addr & ~(uint64_t)(RUNWAY_LINE - 1), .mask = mask, .now = newest, .halves = words};
  call_runway_memory_put(m, bus->self, RUNWAY_PORT_MEMORY, &put);
}

static void runway_write_row_to_memory(
    sim *m, struct runway *bus, transaction *row, uint32_t mask, uint32_t newest) {
  uint32_t words[LINE_HALVES] = {row->half_0, row->half_1};
  runway_start_memory_write(m, bus, row->addr, mask, newest, words);
}

/* The line is removed from memory. */
static void runway_latch_memory_data(sim *m, struct runway *bus, uint32_t tid) {
  transaction *row = runway_row(bus->state, tid);
  uint32_t words[LINE_HALVES];
  struct runway_memory_get get = {.address = row->addr & ~(uint64_t)(RUNWAY_LINE - 1), .halves = words};
  call_runway_memory_ready(m, bus->self, RUNWAY_PORT_MEMORY);
  call_runway_memory_get(m, bus->self, RUNWAY_PORT_MEMORY, &get);
  row->half_0 = words[0];
  row->half_1 = words[1];
  row->phase = RUNWAY_PHASE_RETURNING;
  bus->state->fetching &= ~(1ull << tid);
  bus->state->returns |= 1ull << tid;
}

/* Memory supplies the line at once, or when it is ready. Nothing happens until then, so an idle bus schedules
   arbitration for that time, and a busy one checks when it is free. */
static void runway_start_memory_read(sim *m, struct runway *bus, uint32_t tid) {
  transaction *row = runway_row(bus->state, tid);
  row->phase = RUNWAY_PHASE_MEMORY;
  bus->state->fetching |= 1ull << tid;
  if (sim_exploring(m)) runway_latch_memory_data(m, bus, tid);
  if (!bus->state->taken) runway_schedule(m, bus, sim_max(row->ready_at, m->time));
}

static void runway_perform_read(sim *m, struct runway *bus, uint32_t tid) {
  transaction *row = runway_row(bus->state, tid);
  if (row->owner) {
    row->phase = RUNWAY_PHASE_OWNER;
    if (!row->mask) return; /* the owner's copy has not been sent yet */
    uint32_t words[LINE_HALVES] = {row->half_0, row->half_1};
    call_runway_memory_ready(m, bus->self, RUNWAY_PORT_MEMORY); /* its own data is dropped */
    if (!call_runway_memory_skips_update(m, bus->self, RUNWAY_PORT_MEMORY))
      runway_start_memory_write(m, bus, row->addr, 3, 0, words);
    runway_complete(m, bus, tid, words);
    return;
  }
  runway_start_memory_read(m, bus, tid);
}

/* Continues a transaction that may have become ready to be answered. */
static void runway_perform(sim *m, struct runway *bus, uint32_t tid) {
  transaction *row = runway_row(bus->state, tid);
  if (row->responses_pending || row->blocked_by || row->phase == RUNWAY_PHASE_MEMORY
      || row->phase == RUNWAY_PHASE_RETURNING)
    return;
  switch (row->type) {
    case RUNWAY_TYPE_READ_SHARED:
    case RUNWAY_TYPE_READ_PRIVATE:
    case RUNWAY_TYPE_READ_NONCOHERENT: runway_perform_read(m, bus, tid); return;
    case RUNWAY_TYPE_WRITE32:
    case RUNWAY_TYPE_WRITE16_PURGE: runway_write_row_to_memory(m, bus, row, row->mask, 1); break;
    case RUNWAY_TYPE_FLUSH:
    case RUNWAY_TYPE_PURGE:
      m->cause = row->cause;
      row->cause = sim_trace(m, bus->self, RUNWAY_EV_ANSWERED, row->addr, row->type,
          (uint32_t)__builtin_popcount(bus->state->wired));
      break;
  }
  uint32_t words[LINE_HALVES] = {row->half_0, row->half_1};
  runway_complete(m, bus, tid, words);
}

/* Asks an agent for its response to a transaction, possibly its own. Agents leave the request as it is: all
   are asked with the same. */
SIM_INLINE uint32_t runway_ask_agent(
    sim *m, struct runway *bus, uint32_t agent, uint32_t master, uint32_t slot, struct runway_snoop *asked) {
  if (master == agent) {
    struct runway_own_response own = {
        .address = asked->address, .type = asked->type, .slot = slot, .index = asked->index};
    return call_runway_own_response(m, bus->self, RUNWAY_PORT_AGENT + agent, &own);
  }
  return call_runway_snoop(m, bus->self, RUNWAY_PORT_AGENT + agent, asked);
}
static inline struct runway_snoop runway_snoop_of(const transaction *row, uint32_t tid) {
  return (struct runway_snoop){.address = row->addr, .type = row->type, .id = tid, .index = row->index};
}

/* The agent cannot answer yet: its queue waits. */
static void runway_stall(sim *m, struct runway *bus, uint32_t agent, const transaction *row) {
  struct runway_agents *a = runway_agent(bus->state, agent);
  a->stalled = 1;
  bus->counters->stalls++;
  sim_trace(m, bus->self, RUNWAY_EV_STALLED, row->addr, a->waiting - 1, agent);
}

/* An answer other than OK. */
SIM_INLINE void runway_record_response(
    sim *m, struct runway *bus, uint32_t agent, uint32_t tid, transaction *row, uint32_t response) {
  row->shared |= response == RUNWAY_RESPONSE_SHARED || row->type == RUNWAY_TYPE_READ_SHARED;
  if (response == RUNWAY_RESPONSE_COPY) row->owner = agent + 1;
  sim_trace_often(m, bus->self, RUNWAY_EV_RESPONSE, tid, response, agent);
}

/* Snoops an agent for the transaction at the head of its queue. */
static uint32_t runway_snoop_agent(sim *m, struct runway *bus, uint32_t agent, uint32_t tid) {
  struct runway_agents *a = runway_agent(bus->state, agent);
  transaction *row = runway_row(bus->state, tid);
  m->cause = row->cause;
  struct runway_snoop snoop = runway_snoop_of(row, tid);
  uint32_t response = a->response = runway_ask_agent(m, bus, agent, row->master, row->slot, &snoop);
  if (response == RUNWAY_RESPONSE_WAIT) {
    runway_stall(m, bus, agent, row);
    return response;
  }
  a->head = (a->head + 1) % RUNWAY_QUEUE;
  a->waiting--;
  a->polled--;
  row->responses_pending &= ~(1u << agent);
  bus->counters->snoops++;
  if (response != RUNWAY_RESPONSE_OK) runway_record_response(m, bus, agent, tid, row, response);
  return response;
}

/* Polls an agent about the head of its queue and the following transactions, as far as it can answer. */
static void runway_run_queue(sim *m, struct runway *bus, uint32_t agent) {
  struct runway_agents *a = runway_agent(bus->state, agent);
  while (a->polled && a->waiting && !a->stalled) {
    uint32_t tid = bus->state->queue[a->head].transaction - 1;
    if (runway_snoop_agent(m, bus, agent, tid) != RUNWAY_RESPONSE_WAIT
        && !runway_row(bus->state, tid)->responses_pending)
      runway_perform(m, bus, tid);
  }
}

/* Polls agents that requested another poll while one was being polled. */
static void runway_resolve_response(sim *m, struct runway *bus) {
  while (bus->state->retry_agents) {
    uint32_t agent = (uint32_t)__builtin_ctz(bus->state->retry_agents);
    bus->state->retry_agents &= bus->state->retry_agents - 1;
    runway_agent(bus->state, agent)->stalled = 0;
    runway_run_queue(m, bus, agent);
  }
}

/* Appends a transaction to every queue. In exploration mode each agent snoops separately. */
static void runway_enqueue(sim *m, struct runway *bus, uint32_t tid) {
  uint32_t type = runway_row(bus->state, tid)->type;
  uint64_t cycles = runway_type_order(type) ? bus->params->flush_response : bus->params->snoop;
  uint64_t at = sim_clock_after(&bus->state->clock, cycles);
  if (!sim_exploring(m)) at = bus->state->responses_at = sim_max(bus->state->responses_at, at);
  uint64_t delay = at - m->time;
  runway_row(bus->state, tid)->responses_pending = bus->state->wired;
  bus->state->queue[bus->state->tail].transaction = tid + 1;
  bus->state->tail = (bus->state->tail + 1) % RUNWAY_QUEUE;
  for (uint32_t left = bus->state->wired; left; left &= left - 1)
    runway_agent(bus->state, (uint32_t)__builtin_ctz(left))->waiting++;
  if (!sim_exploring(m)) {
    sim_schedule_often(m, bus->self, delay, SIM_PHASE_REQUEST, RUNWAY_LOOK);
    return;
  }
  for (uint32_t left = bus->state->wired; left; left &= left - 1)
    sim_schedule_with(
        m, bus->self, delay, SIM_PHASE_REQUEST, RUNWAY_LOOK, (uint32_t)__builtin_ctz(left), 1, 0);
}

/* In exploration mode: the time of an agent's snoop is not observable if the agent has no part of the line
   and cannot get one before. Orders apply to their master's own lines too. */
static uint32_t runway_enabled(sim *m, struct runway *bus, const sim_msg *msg) {
  uint32_t kind = msg->kind, agent = (uint32_t)msg->addr;
  const struct runway_agents *a = runway_agent(bus->state, agent);
  if (kind == RUNWAY_GO)
    return bus->state->returns || runway_view(bus->state)->requests ? SIM_ENABLED : SIM_INVISIBLE;
  if (kind != RUNWAY_LOOK || a->stalled || a->polled) return SIM_ENABLED;
  const transaction *row = runway_row(bus->state, bus->state->queue[a->head].transaction - 1);
  if (row->master == agent && !runway_type_order(row->type)) return SIM_INVISIBLE;
  struct runway_tracks_line holds = {.address = row->addr, .index = row->index};
  return call_runway_tracks_line(m, bus->self, RUNWAY_PORT_AGENT + agent, &holds) ? SIM_ENABLED
                                                                                  : SIM_INVISIBLE;
}

/* The agents snoop the next transaction, each as soon as it has answered the earlier ones. What the agents'
   answers change in its row is written once. */
static __attribute__((noinline)) void runway_poll_all_responses(sim *m, struct runway *bus) {
  struct runway_state *s = bus->state;
  uint32_t place = s->snoop_head, next = (place + 1) % RUNWAY_QUEUE, unanswered = 0, answers = 0;
  uint32_t tid = s->queue[place].transaction - 1;
  transaction *row = runway_row(s, tid);
  struct runway_snoop snoop = runway_snoop_of(row, tid);
  const uint32_t cause = row->cause, master = row->master, slot = row->slot;
  s->snoop_head = next;
  for (uint32_t left = s->wired; left; left &= left - 1) {
    uint32_t agent = (uint32_t)__builtin_ctz(left);
    struct runway_agents *a = runway_agent(s, agent);
    if (a->head != place || a->stalled) {
      a->polled++;
      unanswered |= 1u << agent;
      continue;
    }
    m->cause = cause;
    uint32_t response = a->response = runway_ask_agent(m, bus, agent, master, slot, &snoop);
    if (response == RUNWAY_RESPONSE_WAIT) {
      a->polled++;
      unanswered |= 1u << agent;
      runway_stall(m, bus, agent, row);
      continue;
    }
    a->head = next;
    a->waiting--;
    answers++;
    if (response != RUNWAY_RESPONSE_OK) runway_record_response(m, bus, agent, tid, row, response);
  }
  bus->counters->snoops += answers;
  row->responses_pending &= unanswered | ~s->wired;
  if (!row->responses_pending) runway_perform(m, bus, tid);
}

static void runway_poll_responses(sim *m, struct runway *bus, const sim_msg *msg) {
  if (!msg->x) {
    runway_poll_all_responses(m, bus);
    return;
  }
  runway_agent(bus->state, (uint32_t)msg->addr)->polled++;
  runway_run_queue(m, bus, (uint32_t)msg->addr);
}
