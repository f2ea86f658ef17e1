#include "parts/bus/runway/runway.h"

#include "parts/bus/runway/coherency.c"

/* Schedules arbitration on an idle bus, from `time` on. The end of a tenure re-arbitrates anyway. */
static inline void runway_schedule(sim *m, uint32_t self, uint64_t time) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  if (s->taken || s->arbitration_at <= time) return;
  struct sim_clock clock = s->clock;
  sim_clock_next_edge(&clock, time);
  uint64_t at = sim_clock_after(&clock, SIM_PARAMS(m, self, runway)->arbitration);
  if (time == m->time) s->clock = clock;
  if (s->arbitration_at <= at) return;
  if (s->arbitration_at != SIM_NEVER) sim_cancel(m, s->arbitration_event); /* it was due later */
  if (sim_exploring(m)) s->taken = 1;
  else s->arbitration_at = at;
  s->arbitration_event = sim_schedule(m, self, at - m->time, SIM_PHASE_DECIDE, RUNWAY_GO);
}

static void runway_find_windows(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  for (uint32_t i = 0; i < RUNWAY_AGENTS * RUNWAY_WINDOWS; i++) {
    struct runway_claim q = {.which = i % RUNWAY_WINDOWS};
    if (!(s->wired & 1u << i / RUNWAY_WINDOWS) || !call_runway_claim(m, self, RUNWAY_PORT_AGENT + i / RUNWAY_WINDOWS, &q)) continue;
    s->window_base[i] = q.base;
    s->window_end[i] = q.base + q.length;
  }
  s->windows_known = 1;
}

static uint32_t runway_target(struct runway_state *s, uint64_t addr) {
  for (uint32_t i = 0; i < RUNWAY_AGENTS * RUNWAY_WINDOWS; i++)
    if (addr >= s->window_base[i] && addr < s->window_end[i]) return i / RUNWAY_WINDOWS;
  return SIM_NONE;
}

/* Occupies the wires for the tenure's cycles, from this edge on. */
SIM_INLINE void runway_hold_bus(sim *m, uint32_t self, uint32_t type, uint64_t addr, uint32_t master, uint32_t tid, uint32_t half) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  struct runway_now *now = runway_view(s);
  now->type = type;
  now->addr = addr;
  now->master = master;
  now->transaction = tid;
  now->cycles = runway_type_cycles(half ? RUNWAY_TYPE_WRITE16_PURGE : type);
  now->began = m->time;
  s->until_rest = s->clock.rest;
  now->until = sim_clock_add(&s->clock, now->cycles, &s->until_rest);
  s->taken = 1;
  SIM_COUNTERS(m, self, runway)->busy_cycles += now->cycles;
  sim_trace_often(m, self, RUNWAY_EV_START, addr, type, master);
  if (!sim_exploring(m)) sim_schedule(m, self, now->until - m->time, SIM_PHASE_ANSWER, RUNWAY_END);
}

static void runway_count(struct runway_counters *c, uint32_t type, uint32_t half) {
  c->transactions++;
  runway_count_type(c, type);
  c->bytes += runway_type_bytes(half ? RUNWAY_TYPE_WRITE16_PURGE : type);
}

static void runway_issue_register_access(sim *m, uint32_t self, const struct runway_grant *p, uint32_t tid) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  uint32_t target = runway_target(s, p->address);
  uint64_t delay = runway_view(s)->until - m->time;
  if (target != SIM_NONE) {
    send_runway_register(m, self, RUNWAY_PORT_AGENT + target, delay, SIM_PHASE_REQUEST, (struct runway_register){.address = p->address, .value = p->halves[0], .id = tid});
    return;
  }
  sim_trace(m, self, RUNWAY_EV_UNCLAIMED, p->address, 0, runway_view(s)->master);
  if (tid) { /* no agent answers: all ones */
    transaction *row = runway_row(s, tid - 1);
    row->half_0 = UINT32_MAX;
    row->phase = RUNWAY_PHASE_RETURNING;
    s->returns |= 1ull << (tid - 1);
  }
}

/* Allocates a table row for a transaction that is answered later. */
static void runway_begin(sim *m, uint32_t self, uint32_t tid, uint32_t master, const struct runway_grant *p) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  transaction *row = runway_row(s, tid);
  *row = (transaction){.phase = RUNWAY_PHASE_ASKING, .type = p->type, .master = master, .slot = p->slot, .addr = p->address, .index = (uint32_t)p->index,
                       .half_0 = p->halves[0], .half_1 = p->halves[1], .cause = m->cause};
  s->active |= 1ull << tid;
  runway_agent(s, master)->pending++;
  if (p->type == RUNWAY_TYPE_WRITE32) row->mask = 3;
  if (p->type == RUNWAY_TYPE_WRITE16_PURGE) row->mask = 1u << (p->address / HALF_BYTES & 1);
  if (runway_type_coherent(p->type)) row->blocked_by = runway_blocked_by(s, tid);
  int read = p->type == RUNWAY_TYPE_READ_SHARED || p->type == RUNWAY_TYPE_READ_PRIVATE || p->type == RUNWAY_TYPE_READ_NONCOHERENT;
  if (read || row->mask) {
    struct runway_memory_reserve reserve = {.address = p->address, .write = !read, .when = m->time};
    call_runway_memory_reserve(m, self, RUNWAY_PORT_MEMORY, &reserve);
    row->ready_at = reserve.when;
  }
  if (runway_type_coherent(p->type)) runway_enqueue(m, self, tid);
  else if (read) runway_perform(m, self, tid);
}

/* Writes that need no response take effect at their address cycle. */
static void runway_write_directly(sim *m, uint32_t self, const struct runway_grant *p) {
  int quiet = p->type == RUNWAY_TYPE_WRITE_NONCOHERENT;
  struct runway_memory_reserve reserve = {.address = p->address, .write = 1, .when = m->time};
  call_runway_memory_reserve(m, self, RUNWAY_PORT_MEMORY, &reserve);
  runway_start_memory_write(m, self, p->address, quiet ? p->slot : 3, (uint32_t)quiet, p->halves);
}

static void runway_issue(sim *m, uint32_t self, uint32_t master, uint32_t tid, const struct runway_grant *p) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  uint32_t type = p->type, half = type == RUNWAY_TYPE_WRITE_NONCOHERENT && p->slot != 3;
  runway_count(SIM_COUNTERS(m, self, runway), type, half);
  runway_hold_bus(m, self, type, p->address, master, type == RUNWAY_TYPE_C2C_DATA || type == RUNWAY_TYPE_SHORT_RETURN ? p->slot : tid, half);
  switch (type) {
    case RUNWAY_TYPE_WRITE_BACK:
    case RUNWAY_TYPE_WRITE_NONCOHERENT: runway_write_directly(m, self, p); break;
    case RUNWAY_TYPE_C2C_DATA:
    case RUNWAY_TYPE_SHORT_RETURN:
      runway_row(s, p->slot)->half_0 = p->halves[0];
      runway_row(s, p->slot)->half_1 = p->halves[1];
      break;
    case RUNWAY_TYPE_SHORT_WRITE: runway_issue_register_access(m, self, p, 0); break;
    case RUNWAY_TYPE_SHORT_READ:
      runway_begin(m, self, tid, master, p);
      runway_issue_register_access(m, self, p, tid + 1);
      break;
    default: runway_begin(m, self, tid, master, p);
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

static uint32_t runway_may_not_issue(sim *m, uint32_t self, uint32_t agent) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  uint32_t holder = runway_view(s)->holder;
  return runway_agent(s, agent)->pending >= SIM_PARAMS(m, self, runway)->pending || (holder && holder != agent + 1);
}

/* In exploration mode: rejects requests that cannot be granted, so that a fruitless grant is not a transition. */
static SIM_COLD void runway_reject(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  struct runway_now *now = runway_view(s);
  for (uint32_t left = now->requests; left; left &= left - 1) {
    uint32_t agent = (uint32_t)__builtin_ctz(left);
    if (!runway_may_not_issue(m, self, agent) || call_runway_has_priority_work(m, self, RUNWAY_PORT_AGENT + agent)) continue;
    now->requests &= ~(1u << agent);
    s->rejected_agents |= 1u << agent;
  }
}

/* Asks an agent for its transaction; it may have none any more. */
static int runway_grant(sim *m, uint32_t self, uint32_t agent) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  struct runway_now *now = runway_view(s);
  uint32_t limit = (uint32_t)SIM_PARAMS(m, self, runway)->pending;
  uint32_t tid = agent * limit + (uint32_t)__builtin_ctzll(~(s->active >> agent * limit)); /* every master has its own */
  uint32_t barred = runway_may_not_issue(m, self, agent) | (s->full ? RUNWAY_LIMIT_NO_REGISTERS : 0);
  struct runway_grant q = {.id = tid, .limit = barred, .halves = s->words};
  now->requests &= ~(1u << agent);
  s->words[0] = s->words[1] = 0;
  if (!call_runway_grant(m, self, RUNWAY_PORT_AGENT + agent, &q)) {
    now->requests &= ~(1u << agent); /* it may have other requests, but none that can go now */
    if (barred) s->rejected_agents |= 1u << agent;
    return 0;
  }
  now->last = sim_exploring(m) ? 0 : agent;
  runway_issue(m, self, agent, tid, &q);
  return 1;
}

/* Transactions whose data is ready. */
static uint64_t runway_can_issue(sim *m, struct runway_state *s) {
  uint64_t ready = s->returns;
  for (uint64_t left = s->fetching; left; left &= left - 1)
    if (runway_row(s, (uint32_t)__builtin_ctzll(left))->ready_at <= m->time) ready |= left & -left;
  return ready;
}

static void runway_start_data_return(sim *m, uint32_t self, uint32_t tid) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  transaction *row = runway_row(s, tid);
  if (s->fetching & 1ull << tid) runway_latch_memory_data(m, self, tid);
  s->last_return = sim_exploring(m) ? 0 : tid;
  s->returns &= ~(1ull << tid);
  row->phase = RUNWAY_PHASE_MOVING;
  m->cause = row->cause;
  if (row->type != RUNWAY_TYPE_SHORT_READ) SIM_COUNTERS(m, self, runway)->bytes += 32;
  runway_hold_bus(m, self, row->type == RUNWAY_TYPE_SHORT_READ ? RUNWAY_TYPE_SHORT_RETURN : RUNWAY_TYPE_RETURN, row->addr, row->master, tid, 0);
}

/* Data goes before requests, each round robin. In exploration mode either can go: memory can be slow. */
static int runway_next_tenure(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  struct runway_now *now = runway_view(s);
  for (uint64_t ready; (ready = runway_can_issue(m, s)) || now->requests;) {
    uint64_t later = ready & ~((2ull << s->last_return) - 1);
    uint32_t count = (uint32_t)__builtin_popcountll(ready), n = 0;
    if (sim_exploring(m)) n = sim_choose(m, SIM_CHOOSE_ARBITER, count + (uint32_t)__builtin_popcount(now->requests));
    if (n < count) {
      runway_start_data_return(m, self, runway_nth_set_bit(later && !sim_exploring(m) ? later : ready, n));
      return 1;
    }
    if (runway_grant(m, self, sim_exploring(m) ? runway_nth_set_bit(now->requests, n - count) : runway_round_robin_next(now))) return 1;
  }
  return 0;
}

/* The tenure's last cycle is complete: its data has arrived. */
static void runway_deliver_data(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  struct runway_now *now = runway_view(s);
  uint32_t type = now->type, tid = now->transaction;
  transaction *row = runway_row(s, tid);
  now->type = RUNWAY_TYPE_NOTHING;
  if (type == RUNWAY_TYPE_RETURN || type == RUNWAY_TYPE_SHORT_RETURN) {
    uint32_t words[LINE_HALVES] = {row->half_0, row->half_1};
    runway_complete(m, self, tid, words);
  } else if (type == RUNWAY_TYPE_C2C_DATA) {
    row->mask = 3;
    runway_perform(m, self, tid);
  }
  if (s->retry_agents) runway_resolve_response(m, self);
}

/* Arbitrates the next tenure. The wires count as busy meanwhile: requests made during the poll are seen by the
   loop. In exploration mode a tenure is one event: nothing in between is observable. */
static void runway_arbitrate(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  sim_clock_next_edge(&s->clock, m->time);
  s->arbitration_at = SIM_NEVER;
  s->taken = 1;
  if (!s->windows_known) runway_find_windows(m, self);
  int found = runway_next_tenure(m, self);
  if (found && !sim_exploring(m)) return;
  if (found) runway_deliver_data(m, self);
  s->taken = 0;
  if (s->returns || runway_view(s)->requests) runway_schedule(m, self, m->time);
  for (uint64_t left = s->fetching; left; left &= left - 1) runway_schedule(m, self, runway_row(s, (uint32_t)__builtin_ctzll(left))->ready_at);
}

static void runway_end(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  s->clock.edge = m->time;
  s->clock.rest = s->until_rest;
  runway_deliver_data(m, self);
  runway_arbitrate(m, self);
  if (!s->taken) sim_trace(m, self, RUNWAY_EV_IDLE, 0, 0, 0);
}

static void runway_self(sim *m, uint32_t self, const sim_msg *msg) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  s->call_in_progress = 1;
  switch (msg->kind) {
    case RUNWAY_GO: runway_arbitrate(m, self); break;
    case RUNWAY_END: runway_end(m, self); break;
    case RUNWAY_LOOK: runway_poll_responses(m, self, msg); break;
  }
  if (s->retry_agents) runway_resolve_response(m, self);
  if (sim_exploring(m)) runway_reject(m, self);
  s->call_in_progress = 0;
}

/* Re-enables the requests of agents that had nothing else to send. */
static void runway_rearm_requests(sim *m, uint32_t self) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  if (!s->rejected_agents) return;
  runway_view(s)->requests |= s->rejected_agents;
  s->rejected_agents = 0;
  runway_schedule(m, self, m->time);
}

static uint32_t runway_agent_lock_memory(sim *m, uint32_t self, uint32_t agent, struct runway_lock_memory *q) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  struct runway_now *now = runway_view(s);
  if (now->holder && now->holder != agent + 1) return 0;
  now->holder = q->on ? agent + 1 : 0;
  if (!q->on) runway_rearm_requests(m, self);
  return 1;
}

static void runway_agent_flow_control(sim *m, uint32_t self, uint32_t agent, struct runway_flow_control *q) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  s->full = q->on ? s->full | 1u << agent : s->full & ~(1u << agent);
  if (!s->full) runway_rearm_requests(m, self);
}

static void runway_agent_repoll(sim *m, uint32_t self, uint32_t agent) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  if (runway_agent(s, agent)->stalled) s->retry_agents |= 1u << agent;
  if (s->call_in_progress) return;
  s->call_in_progress = 1;
  if (s->retry_agents) runway_resolve_response(m, self);
  s->call_in_progress = 0;
}

static SIM_COLD uint32_t runway_agent_unanswered_writes(sim *m, uint32_t self, uint32_t agent) {
  (void)agent;
  struct runway_state *s = SIM_STATE(m, self, runway);
  uint32_t n = 0;
  for (uint64_t left = s->active; left; left &= left - 1) n += runway_row(s, (uint32_t)__builtin_ctzll(left))->mask != 0;
  return n;
}

SIM_INLINE void runway_agent_request(sim *m, uint32_t self, uint32_t agent) {
  struct runway_state *s = SIM_STATE(m, self, runway);
  runway_view(s)->requests |= 1u << agent;
  if (sim_exploring(m) && !s->call_in_progress) runway_reject(m, self);
  if (!s->taken && runway_view(s)->requests) runway_schedule(m, self, m->time);
}

static int runway_load(sim *m, uint32_t self) {
  const struct runway_params *q = SIM_PARAMS(m, self, runway);
  struct runway_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  sim_view_of(m, self, RUNWAY_VIEW_NOW, &s->now, 1, sizeof s->now);
  sim_view_of(m, self, RUNWAY_VIEW_TRANSACTIONS, s->transactions, (uint32_t)(RUNWAY_AGENTS * q->pending), sizeof *s->transactions);
  sim_view_of(m, self, RUNWAY_VIEW_QUEUE, s->queue, RUNWAY_QUEUE, sizeof *s->queue);
  sim_view_of(m, self, RUNWAY_VIEW_AGENTS, s->agents, RUNWAY_AGENTS, sizeof *s->agents);
  s->clock = sim_clock_of(q->clock);
  s->arbitration_at = SIM_NEVER;
  for (uint32_t agent = 0; agent < RUNWAY_AGENTS; agent++)
    if (sim_wired(m, self, RUNWAY_PORT_AGENT + agent)) s->wired |= 1u << agent;
  return SIM_OK;
}

#include "parts/bus/runway/state.c"
