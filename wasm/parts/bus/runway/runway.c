#include "parts/bus/runway/runway.h"

#include "parts/bus/runway/coherency.c"

/* Schedules arbitration on an idle bus, from `time` on. The end of a tenure re-arbitrates anyway. */
static inline void runway_schedule(sim *m, struct runway *bus, uint64_t time) {
  if (bus->state->taken || bus->state->arbitration_at <= time) return;
  struct sim_clock clock = bus->state->clock;
  sim_clock_next_edge(&clock, time);
  uint64_t at = sim_clock_after(&clock, bus->params->arbitration);
  if (time == m->time) bus->state->clock = clock;
  if (bus->state->arbitration_at <= at) return;
  if (bus->state->arbitration_at != SIM_NEVER)
    sim_cancel(m, bus->state->arbitration_event); /* it was due later */
  if (sim_exploring(m)) bus->state->taken = 1;
  else bus->state->arbitration_at = at;
  bus->state->arbitration_event = sim_schedule_often(m, bus->self, at - m->time, SIM_PHASE_DECIDE, RUNWAY_GO);
}

static void runway_find_windows(sim *m, struct runway *bus) {
  for (uint32_t i = 0; i < RUNWAY_AGENTS * RUNWAY_WINDOWS; i++) {
    struct runway_claim q = {.which = i % RUNWAY_WINDOWS};
    if (!(bus->state->wired & 1u << i / RUNWAY_WINDOWS)
        || !call_runway_claim(m, bus->self, RUNWAY_PORT_AGENT + i / RUNWAY_WINDOWS, &q))
      continue;
    bus->state->window_base[i] = q.base;
    bus->state->window_end[i] = q.base + q.length;
  }
  bus->state->windows_known = 1;
}

static uint32_t runway_target(struct runway_state *s, uint64_t addr) {
  for (uint32_t i = 0; i < RUNWAY_AGENTS * RUNWAY_WINDOWS; i++)
    if (addr >= s->window_base[i] && addr < s->window_end[i]) return i / RUNWAY_WINDOWS;
  return SIM_NONE;
}

/* Occupies the wires for the tenure's cycles, from this edge on. */
SIM_INLINE void runway_hold_bus(
    sim *m, struct runway *bus, uint32_t type, uint64_t addr, uint32_t master, uint32_t tid, uint32_t half) {
  struct runway_now *now = runway_view(bus->state);
  now->type = type;
  now->addr = addr;
  now->master = master;
  now->transaction = tid;
  now->cycles = runway_type_cycles(half ? RUNWAY_TYPE_WRITE16_PURGE : type);
  now->began = m->time;
  bus->state->until_rest = bus->state->clock.rest;
  now->until = sim_clock_add(&bus->state->clock, now->cycles, &bus->state->until_rest);
  bus->state->taken = 1;
  bus->counters->busy_cycles += now->cycles;
  sim_trace_often(m, bus->self, RUNWAY_EV_START, addr, type, master);
  if (!sim_exploring(m)) sim_schedule_often(m, bus->self, now->until - m->time, SIM_PHASE_ANSWER, RUNWAY_END);
}

static void runway_count(struct runway_counters *c, uint32_t type, uint32_t half) {
  c->transactions++;
  runway_count_type(c, type);
  c->bytes += runway_type_bytes(half ? RUNWAY_TYPE_WRITE16_PURGE : type);
}

static void runway_issue_register_access(
    sim *m, struct runway *bus, const struct runway_grant *p, uint32_t tid) {
  uint32_t target = runway_target(bus->state, p->address);
  uint64_t delay = runway_view(bus->state)->until - m->time;
  if (target != SIM_NONE) {
    send_runway_register(m, bus->self, RUNWAY_PORT_AGENT + target, delay, SIM_PHASE_REQUEST,
        (struct runway_register){.address = p->address, .value = p->halves[0], .id = tid});
    return;
  }
  sim_trace(m, bus->self, RUNWAY_EV_UNCLAIMED, p->address, 0, runway_view(bus->state)->master);
  if (tid) { /* no agent answers: all ones */
    transaction *row = runway_row(bus->state, tid - 1);
    row->half_0 = UINT32_MAX;
    row->phase = RUNWAY_PHASE_RETURNING;
    bus->state->returns |= 1ull << (tid - 1);
  }
}

/* Allocates a table row for a transaction that is answered later. */
static void runway_begin(
    sim *m, struct runway *bus, uint32_t tid, uint32_t master, const struct runway_grant *p) {
  transaction *row = runway_row(bus->state, tid);
  *row = (transaction){.phase = RUNWAY_PHASE_ASKING,
      .type = p->type,
      .master = master,
      .slot = p->slot,
      .addr = p->address,
      .index = (uint32_t)p->index,
      .half_0 = p->halves[0],
      .half_1 = p->halves[1],
      .cause = m->cause};
  bus->state->active |= 1ull << tid;
  runway_agent(bus->state, master)->pending++;
  if (p->type == RUNWAY_TYPE_WRITE32) row->mask = 3;
  if (p->type == RUNWAY_TYPE_WRITE16_PURGE) row->mask = 1u << (p->address / HALF_BYTES & 1);
  if (runway_type_coherent(p->type)) row->blocked_by = runway_blocked_by(bus->state, tid);
  int read = p->type == RUNWAY_TYPE_READ_SHARED || p->type == RUNWAY_TYPE_READ_PRIVATE
             || p->type == RUNWAY_TYPE_READ_NONCOHERENT;
  if (read || row->mask) {
    struct runway_memory_reserve reserve = {.address = p->address, .write = !read, .when = m->time};
    call_runway_memory_reserve(m, bus->self, RUNWAY_PORT_MEMORY, &reserve);
    row->ready_at = reserve.when;
  }
  if (runway_type_coherent(p->type)) runway_enqueue(m, bus, tid);
  else if (read) runway_perform(m, bus, tid);
}

/* Writes that need no response take effect at their address cycle. */
static void runway_write_directly(sim *m, struct runway *bus, const struct runway_grant *p) {
  int quiet = p->type == RUNWAY_TYPE_WRITE_NONCOHERENT;
  struct runway_memory_reserve reserve = {.address = p->address, .write = 1, .when = m->time};
  call_runway_memory_reserve(m, bus->self, RUNWAY_PORT_MEMORY, &reserve);
  runway_start_memory_write(m, bus, p->address, quiet ? p->slot : 3, (uint32_t)quiet, p->halves);
}

static void runway_issue(
    sim *m, struct runway *bus, uint32_t master, uint32_t tid, const struct runway_grant *p) {
  uint32_t type = p->type, half = type == RUNWAY_TYPE_WRITE_NONCOHERENT && p->slot != 3;
  runway_count(bus->counters, type, half);
  runway_hold_bus(m, bus, type, p->address, master,
      type == RUNWAY_TYPE_C2C_DATA || type == RUNWAY_TYPE_SHORT_RETURN ? p->slot : tid, half);
  switch (type) {
    case RUNWAY_TYPE_WRITE_BACK:
    case RUNWAY_TYPE_WRITE_NONCOHERENT: runway_write_directly(m, bus, p); break;
    case RUNWAY_TYPE_C2C_DATA:
    case RUNWAY_TYPE_SHORT_RETURN:
      runway_row(bus->state, p->slot)->half_0 = p->halves[0];
      runway_row(bus->state, p->slot)->half_1 = p->halves[1];
      break;
    case RUNWAY_TYPE_SHORT_WRITE: runway_issue_register_access(m, bus, p, 0); break;
    case RUNWAY_TYPE_SHORT_READ:
      runway_begin(m, bus, tid, master, p);
      runway_issue_register_access(m, bus, p, tid + 1);
      break;
    default: runway_begin(m, bus, tid, master, p);
  }
}

/* The nth set bit. */
static uint32_t runway_nth_set_bit(uint64_t bits, uint32_t n) {
  for (; n > 0; n--) bits &= bits - 1;
  return (uint32_t)__builtin_ctzll(bits);
}

/* The next agent in round-robin order after the last one. */
static uint32_t runway_round_robin_next(const struct runway_now *now) {
  uint32_t later = now->requests & ~((2u << now->last) - 1);
  return (uint32_t)__builtin_ctz(later ? later : now->requests);
}

static uint32_t runway_may_not_issue(struct runway *bus, uint32_t agent) {
  uint32_t holder = runway_view(bus->state)->holder;
  return runway_agent(bus->state, agent)->pending >= bus->params->pending || (holder && holder != agent + 1);
}

/* In exploration mode: rejects requests that cannot be granted, so that a fruitless grant is not a
 * transition. */
static SIM_COLD void runway_reject(sim *m, struct runway *bus) {
  struct runway_now *now = runway_view(bus->state);
  for (uint32_t left = now->requests; left; left &= left - 1) {
    uint32_t agent = (uint32_t)__builtin_ctz(left);
    if (!runway_may_not_issue(bus, agent)
        || call_runway_has_priority_work(m, bus->self, RUNWAY_PORT_AGENT + agent))
      continue;
    now->requests &= ~(1u << agent);
    bus->state->rejected_agents |= 1u << agent;
  }
}

/* Asks an agent for its transaction; it may have none any more. */
static int runway_grant(sim *m, struct runway *bus, uint32_t agent) {
  struct runway_now *now = runway_view(bus->state);
  uint32_t limit = (uint32_t)bus->params->pending;
  uint32_t tid =
      agent * limit
      + (uint32_t)__builtin_ctzll(~(bus->state->active >> agent * limit)); /* every master has its own */
  uint32_t barred = runway_may_not_issue(bus, agent) | (bus->state->full ? RUNWAY_LIMIT_NO_REGISTERS : 0);
  struct runway_grant q = {.id = tid, .limit = barred, .halves = bus->state->words};
  now->requests &= ~(1u << agent);
  m->cause = bus->state->causes[agent];
  bus->state->words[0] = bus->state->words[1] = 0;
  if (!call_runway_grant(m, bus->self, RUNWAY_PORT_AGENT + agent, &q)) {
    now->requests &= ~(1u << agent); /* it may have other requests, but none that can go now */
    if (barred) bus->state->rejected_agents |= 1u << agent;
    return 0;
  }
  now->last = sim_exploring(m) ? 0 : agent;
  runway_issue(m, bus, agent, tid, &q);
  return 1;
}

/* Transactions whose data is ready. */
static uint64_t runway_can_issue(sim *m, struct runway *bus) {
  uint64_t ready = bus->state->returns;
  for (uint64_t left = bus->state->fetching; left; left &= left - 1)
    if (runway_row(bus->state, (uint32_t)__builtin_ctzll(left))->ready_at <= m->time) ready |= left & -left;
  return ready;
}

static void runway_start_data_return(sim *m, struct runway *bus, uint32_t tid) {
  transaction *row = runway_row(bus->state, tid);
  if (bus->state->fetching & 1ull << tid) runway_latch_memory_data(m, bus, tid);
  bus->state->last_return = sim_exploring(m) ? 0 : tid;
  bus->state->returns &= ~(1ull << tid);
  row->phase = RUNWAY_PHASE_MOVING;
  m->cause = row->cause;
  if (row->type != RUNWAY_TYPE_SHORT_READ) bus->counters->bytes += 32;
  runway_hold_bus(m, bus, row->type == RUNWAY_TYPE_SHORT_READ ? RUNWAY_TYPE_SHORT_RETURN : RUNWAY_TYPE_RETURN,
      row->addr, row->master, tid, 0);
}

/* Data goes before requests, each round robin. In exploration mode either can go: memory can be slow. */
static int runway_next_tenure(sim *m, struct runway *bus) {
  struct runway_now *now = runway_view(bus->state);
  for (uint64_t ready; (ready = runway_can_issue(m, bus)) || now->requests;) {
    uint64_t later = ready & ~((2ull << bus->state->last_return) - 1);
    uint32_t count = (uint32_t)__builtin_popcountll(ready), n = 0;
    if (sim_exploring(m))
      n = sim_choose(m, SIM_CHOOSE_ARBITER, count + (uint32_t)__builtin_popcount(now->requests));
    if (n < count) {
      runway_start_data_return(m, bus, runway_nth_set_bit(later && !sim_exploring(m) ? later : ready, n));
      return 1;
    }
    if (runway_grant(m, bus,
            sim_exploring(m) ? runway_nth_set_bit(now->requests, n - count) : runway_round_robin_next(now)))
      return 1;
  }
  return 0;
}

/* The tenure's last cycle is complete: its data has arrived. */
SIM_INLINE void runway_deliver_data(sim *m, struct runway *bus) {
  struct runway_now *now = runway_view(bus->state);
  uint32_t type = now->type, tid = now->transaction;
  transaction *row = runway_row(bus->state, tid);
  now->type = RUNWAY_TYPE_NOTHING;
  if (type == RUNWAY_TYPE_RETURN || type == RUNWAY_TYPE_SHORT_RETURN) {
    uint32_t words[LINE_HALVES] = {row->half_0, row->half_1};
    runway_complete(m, bus, tid, words);
  } else if (type == RUNWAY_TYPE_C2C_DATA) {
    row->mask = 3;
    runway_perform(m, bus, tid);
  }
  if (bus->state->retry_agents) runway_resolve_response(m, bus);
}

/* Arbitrates the next tenure. The wires count as busy meanwhile: requests made during the poll are seen by
   the loop. In exploration mode a tenure is one event: nothing in between is observable. */
static void runway_arbitrate(sim *m, struct runway *bus) {
  sim_clock_next_edge(&bus->state->clock, m->time);
  bus->state->arbitration_at = SIM_NEVER;
  bus->state->taken = 1;
  if (!bus->state->windows_known) runway_find_windows(m, bus);
  int found = runway_next_tenure(m, bus);
  if (found && !sim_exploring(m)) return;
  if (found) runway_deliver_data(m, bus);
  bus->state->taken = 0;
  if (bus->state->returns || runway_view(bus->state)->requests) runway_schedule(m, bus, m->time);
  for (uint64_t left = bus->state->fetching; left; left &= left - 1)
    runway_schedule(m, bus, runway_row(bus->state, (uint32_t)__builtin_ctzll(left))->ready_at);
}

static void runway_end(sim *m, struct runway *bus) {
  bus->state->clock.edge = m->time;
  bus->state->clock.rest = bus->state->until_rest;
  runway_deliver_data(m, bus);
  runway_arbitrate(m, bus);
  if (!bus->state->taken) sim_trace(m, bus->self, RUNWAY_EV_IDLE, 0, 0, 0);
}

static void runway_self(sim *m, struct runway *bus, const sim_msg *msg) {
  bus->state->call_in_progress = 1;
  switch (msg->kind) {
    case RUNWAY_GO: runway_arbitrate(m, bus); break;
    case RUNWAY_END: runway_end(m, bus); break;
    case RUNWAY_LOOK: runway_poll_responses(m, bus, msg); break;
  }
  if (bus->state->retry_agents) runway_resolve_response(m, bus);
  if (sim_exploring(m)) runway_reject(m, bus);
  bus->state->call_in_progress = 0;
}

/* Re-enables the requests of agents that had nothing else to send. */
static void runway_rearm_requests(sim *m, struct runway *bus) {
  if (!bus->state->rejected_agents) return;
  runway_view(bus->state)->requests |= bus->state->rejected_agents;
  bus->state->rejected_agents = 0;
  runway_schedule(m, bus, m->time);
}

static uint32_t runway_agent_lock_memory(
    sim *m, struct runway *bus, uint32_t agent, struct runway_lock_memory *q) {
  struct runway_now *now = runway_view(bus->state);
  if (now->holder && now->holder != agent + 1) return 0;
  now->holder = q->on ? agent + 1 : 0;
  if (!q->on) runway_rearm_requests(m, bus);
  return 1;
}

static void runway_agent_flow_control(
    sim *m, struct runway *bus, uint32_t agent, struct runway_flow_control *q) {
  bus->state->full = q->on ? bus->state->full | 1u << agent : bus->state->full & ~(1u << agent);
  if (!bus->state->full) runway_rearm_requests(m, bus);
}

static void runway_agent_repoll(sim *m, struct runway *bus, uint32_t agent) {
  if (runway_agent(bus->state, agent)->stalled) bus->state->retry_agents |= 1u << agent;
  if (bus->state->call_in_progress) return;
  bus->state->call_in_progress = 1;
  if (bus->state->retry_agents) runway_resolve_response(m, bus);
  bus->state->call_in_progress = 0;
}

static SIM_COLD uint32_t runway_agent_unanswered_writes(sim *m, struct runway *bus, uint32_t agent) {
  (void)m;
  (void)agent;
  uint32_t n = 0;
  for (uint64_t left = bus->state->active; left; left &= left - 1)
    n += runway_row(bus->state, (uint32_t)__builtin_ctzll(left))->mask != 0;
  return n;
}

SIM_INLINE void runway_agent_request(sim *m, struct runway *bus, uint32_t agent) {
  if (!(runway_view(bus->state)->requests & 1u << agent)) bus->state->causes[agent] = m->cause;
  runway_view(bus->state)->requests |= 1u << agent;
  if (sim_exploring(m) && !bus->state->call_in_progress) runway_reject(m, bus);
  if (!bus->state->taken && runway_view(bus->state)->requests) runway_schedule(m, bus, m->time);
}

static int runway_load(sim *m, uint32_t self) {
  const struct runway_params *q = SIM_PARAMS(m, self, runway);
  struct runway_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  sim_view_of(m, self, RUNWAY_VIEW_NOW, &s->now, 1, sizeof s->now);
  sim_view_of(m, self, RUNWAY_VIEW_TRANSACTIONS, s->transactions, (uint32_t)(RUNWAY_AGENTS * q->pending),
      sizeof *s->transactions);
  sim_view_of(m, self, RUNWAY_VIEW_QUEUE, s->queue, RUNWAY_QUEUE, sizeof *s->queue);
  sim_view_of(m, self, RUNWAY_VIEW_AGENTS, s->agents, RUNWAY_AGENTS, sizeof *s->agents);
  s->clock = sim_clock_of(q->clock);
  s->arbitration_at = SIM_NEVER;
  for (uint32_t agent = 0; agent < RUNWAY_AGENTS; agent++)
    if (sim_wired(m, self, RUNWAY_PORT_AGENT + agent)) s->wired |= 1u << agent;
  return SIM_OK;
}

#include "parts/bus/runway/state.c"
