/*
 * The I/O bus between adapter and devices.
 *
 *   device --ask--> [ in turn ] --> address (+ data of a write) --> adapter's buffer
 *   adapter --ask--> [ first of all ] --> data of a read, or a register access --> device
 *
 * Returns of the adapter go first, so that reads complete; a device's request goes only when the adapter has
 * room, which is how devices feel a slow adapter. A register access is retried while its device has no room.
 * In between other requests get the bus, possibly of the same device, whose data must leave before it has
 * room.
 */
#include "core/clock.h"
#include "core/engine.h"
#include "gen/protocols.h"

#define HSC_SLOTS 8u
#define HSC_WAIT_CYCLES 4u /* retry interval of a device that is not ready */

enum hsc_self { HSC_GO = 1, HSC_END };

struct hsc_state {
  struct sim_clock clock;
  struct hsc_now again; /* the register access to retry, if there is one */
  uint32_t now_at;
  uint32_t taken;   /* a tenure is scheduled or in progress */
  uint32_t adapter; /* it requests the bus */
  uint32_t spare;
};

static void hsc_schedule(sim *m, struct hsc *bus) {
  if (bus->state->taken) return;
  bus->state->taken = 1;
  sim_schedule(
      m, bus->self, sim_clock_next_edge(&bus->state->clock, m->time) - m->time, SIM_PHASE_DECIDE, HSC_GO);
}

struct hsc_tenure {
  uint64_t addr;
  uint64_t cycles;
  uint64_t memory;
  uint32_t state;
  uint32_t slot;
  uint32_t kind;
  uint32_t bytes;
};

static void hsc_occupy(sim *m, struct hsc *bus, struct hsc_tenure t, const uint32_t *halves) {
  struct hsc_now *now = sim_at(m, bus->state->now_at);
  now->state = t.state;
  now->slot = t.slot;
  now->bytes = t.bytes;
  now->kind = t.kind;
  now->addr = t.addr;
  now->memory = t.memory;
  now->half_0 = halves[0];
  now->half_1 = halves[1];
  now->began = m->time;
  now->until = sim_clock_after(&bus->state->clock, t.cycles);
  bus->state->taken = 1;
  bus->counters->busy_cycles += t.cycles;
  sim_trace(m, bus->self, HSC_EV_START, t.addr, t.state, t.slot);
  sim_schedule(m, bus->self, now->until - m->time, SIM_PHASE_ANSWER, HSC_END);
}

/* The adapter sends data to a device, or a processor's register access. */
static int hsc_return(sim *m, struct hsc *bus) {
  uint32_t halves[2] = {0, 0};
  struct hsc_adapter_grant q = {.halves = halves};
  if (!bus->state->adapter) return 0;
  bus->state->adapter = 0;
  if (!call_hsc_adapter_grant(m, bus->self, HSC_PORT_ADAPTER, &q)) return 0;
  uint32_t kind = q.kind & 0xff, bytes = kind ? 4 : q.bytes;
  if (kind) bus->counters->registers++;
  else bus->counters->bytes += bytes;
  hsc_occupy(m, bus,
      (struct hsc_tenure){.state = kind ? HSC_STATE_REGISTER : HSC_STATE_DATA,
          .addr = q.address,
          .memory = q.memory,
          .slot = q.kind >> 8,
          .kind = kind,
          .bytes = bytes,
          .cycles = kind ? 2 : sim_max((bytes + 3) / 4, 1)},
      halves);
  return 1;
}

static uint32_t hsc_pick(sim *m, struct hsc_now *now) {
  uint32_t n = sim_exploring(m)
                   ? sim_choose(m, SIM_CHOOSE_ARBITER, (uint32_t)__builtin_popcount(now->requests))
                   : 0,
           first = sim_exploring(m) ? 0 : now->last + 1;
  for (uint32_t k = 0;; k++) {
    uint32_t slot = (first + k) % HSC_SLOTS;
    if (now->requests & 1u << slot && n-- == 0) return slot;
  }
}

/* Returns 1 if a device has the bus now. */
static int hsc_request(sim *m, struct hsc *bus) {
  struct hsc_now *now = sim_at(m, bus->state->now_at);
  while (now->requests) {
    uint32_t slot = hsc_pick(m, now), halves[2] = {0, 0};
    struct hsc_grant q = {.halves = halves};
    if (!call_hsc_adapter_room(m, bus->self, HSC_PORT_ADAPTER)) {
      bus->counters->waits++;
      sim_trace(m, bus->self, HSC_EV_FULL, 0, 0, slot);
      return 0;
    }
    now->requests &= ~(1u << slot);
    if (!call_hsc_grant(m, bus->self, HSC_PORT_SLOT + slot, &q)) continue;
    now->last = slot;
    int data = q.kind == HSC_KIND_WRITE || q.kind == HSC_KIND_WRITE_UNLOCK || q.kind == HSC_KIND_INTERRUPT
               || q.kind == HSC_KIND_ANSWER;
    uint32_t state = q.kind == HSC_KIND_INTERRUPT ? HSC_STATE_INTERRUPT
                     : q.kind == HSC_KIND_ANSWER  ? HSC_STATE_ANSWER
                     : data                       ? HSC_STATE_WRITE
                                                  : HSC_STATE_READ;
    if (state == HSC_STATE_WRITE) bus->counters->writes++, bus->counters->bytes += q.bytes;
    else if (state == HSC_STATE_READ) bus->counters->reads++;
    hsc_occupy(m, bus,
        (struct hsc_tenure){.state = state,
            .addr = q.address,
            .slot = slot,
            .kind = q.kind,
            .bytes = q.bytes,
            .cycles = data ? 1 + (q.bytes + 3) / 4 : 1},
        halves);
    return 1;
  }
  return 0;
}

static int hsc_retry_refused(sim *m, struct hsc *bus) {
  struct hsc_now again = bus->state->again;
  uint32_t halves[2] = {again.half_0, again.half_1};
  if (again.state == HSC_STATE_IDLE) return 0;
  bus->state->again = (struct hsc_now){0};
  hsc_occupy(m, bus,
      (struct hsc_tenure){.state = again.state,
          .addr = again.addr,
          .slot = again.slot,
          .kind = again.kind,
          .bytes = 4,
          .cycles = 2},
      halves);
  return 1;
}

static void hsc_arbitrate(sim *m, struct hsc *bus) {
  sim_clock_next_edge(&bus->state->clock, m->time);
  bus->state->taken = 1;
  if (hsc_retry_refused(m, bus) || hsc_return(m, bus) || hsc_request(m, bus)) return;
  bus->state->taken = 0;
  if (bus->state->adapter) hsc_schedule(m, bus);
}

/* A register access reaches its device; without a device a read returns all ones. Returns 1 if the device has
   no room. */
static int hsc_register_done(sim *m, struct hsc *bus, const struct hsc_now *was) {
  uint32_t read = was->kind == 2;
  uint32_t later = HSC_RETRY_ACCEPTED;
  struct hsc_register q = {
      .offset = was->addr, .value = was->half_0, .read = read, .tag = was->half_1, .later = &later};
  int wired = sim_wired(m, bus->self, HSC_PORT_SLOT + was->slot);
  uint32_t answer = wired ? call_hsc_register(m, bus->self, HSC_PORT_SLOT + was->slot, &q) : UINT32_MAX;
  if (!wired) sim_trace(m, bus->self, HSC_EV_UNCLAIMED, was->addr, 0, was->slot);
  if (later == HSC_RETRY_BUSY) return 1;
  if (read && later == HSC_RETRY_ACCEPTED)
    call_hsc_adapter_data(
        m, bus->self, HSC_PORT_ADAPTER, &(struct hsc_adapter_data){.value = answer, .tag = was->half_1});
  return 0;
}

/* The device adds wait states, unless another request can be served meanwhile. */
static void hsc_wait(sim *m, struct hsc *bus, const struct hsc_now *was) {
  struct hsc_now *now = sim_at(m, bus->state->now_at);
  sim_clock_next_edge(&bus->state->clock, m->time);
  if (hsc_request(m, bus)) {
    bus->state->again = *was;
    return;
  }
  uint32_t requests = now->requests, last = now->last;
  *now = *was;
  now->requests = requests;
  now->last = last;
  now->until = sim_clock_after(&bus->state->clock, HSC_WAIT_CYCLES);
  bus->state->taken = 1;
  bus->counters->busy_cycles += HSC_WAIT_CYCLES;
  bus->counters->wait_cycles += HSC_WAIT_CYCLES;
  sim_schedule(m, bus->self, now->until - m->time, SIM_PHASE_ANSWER, HSC_END);
}

static void hsc_end(sim *m, struct hsc *bus) {
  struct hsc_now *now = sim_at(m, bus->state->now_at), was = *now;
  uint32_t halves[2] = {was.half_0, was.half_1};
  now->state = HSC_STATE_IDLE;
  if (was.state == HSC_STATE_DATA) {
    call_hsc_data(m, bus->self, HSC_PORT_SLOT + was.slot,
        &(struct hsc_data){.address = was.addr, .bytes = was.bytes, .memory = was.memory, .halves = halves});
  } else if (was.state == HSC_STATE_REGISTER) {
    if (hsc_register_done(m, bus, &was)) {
      hsc_wait(m, bus, &was);
      return;
    }
  } else if (was.kind == HSC_KIND_ANSWER) {
    call_hsc_adapter_data(
        m, bus->self, HSC_PORT_ADAPTER, &(struct hsc_adapter_data){.value = was.half_0, .tag = was.half_1});
    call_hsc_sent(
        m, bus->self, HSC_PORT_SLOT + was.slot, &(struct hsc_sent){.address = was.addr, .bytes = was.bytes});
  } else {
    call_hsc_adapter_device_request(m, bus->self, HSC_PORT_ADAPTER,
        &(struct hsc_adapter_device_request){
            .address = was.addr, .bytes = was.bytes, .kind = was.kind | was.slot << 8, .halves = halves});
    if (was.state != HSC_STATE_READ)
      call_hsc_sent(m, bus->self, HSC_PORT_SLOT + was.slot,
          &(struct hsc_sent){.address = was.addr, .bytes = was.bytes});
  }
  hsc_arbitrate(m, bus);
  if (!bus->state->taken) sim_trace(m, bus->self, HSC_EV_IDLE, 0, 0, 0);
}

static void hsc_self(sim *m, struct hsc *bus, const sim_msg *msg) {
  if (msg->kind == HSC_GO) hsc_arbitrate(m, bus);
  else hsc_end(m, bus);
}

static void hsc_slot_request(sim *m, struct hsc *bus, uint32_t slot) {
  ((struct hsc_now *)sim_at(m, bus->state->now_at))->requests |= 1u << slot;
  hsc_schedule(m, bus);
}

static void hsc_adapter_request(sim *m, struct hsc *bus, struct hsc_adapter_request *q) {
  if (q->returns) bus->state->adapter = 1;
  hsc_schedule(m, bus);
}

static int hsc_load(sim *m, uint32_t self) {
  const struct hsc_params *q = SIM_PARAMS(m, self, hsc);
  struct hsc_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, HSC_VIEW_NOW, 1, sizeof(struct hsc_now));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->clock = sim_clock_of(q->clock);
  s->now_at = sim_offset(m, now);
  return SIM_OK;
}

#include "parts/bus/hsc/state.c"
