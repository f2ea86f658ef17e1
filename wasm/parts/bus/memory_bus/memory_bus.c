/*
 * A bus between memory and its masters.
 *
 *   caches, devices --request--> [ arbiter ] --one access after another--> memory
 *         ^                           |
 *         +-----------done------------+
 *
 * A request is one access, or several in sequence, such as a processor's loads of an uncached line. Without
 * competition they are one event; a new request gets the bus at the end of the current access, if it is its
 * turn.
 */
#include "core/engine.h"
#include "gen/protocols.h"

#define MEMORY_BUS_MASTERS 12u
#define MEMORY_BUS_WORDS 16u /* of a request */

enum memory_bus_self { MEMORY_BUS_END = 1 };

struct memory_bus_state {
  uint32_t now_at;
  uint32_t masters_at;
  uint32_t waits_at;
  uint32_t timer;
  uint32_t notifying;
  uint32_t spare;
};

typedef struct memory_bus_masters memory_bus_row;

static struct memory_bus_now *memory_bus_now_of(sim *m, struct memory_bus *bus) {
  return sim_at(m, bus->state->now_at);
}
static memory_bus_row *memory_bus_row_of(sim *m, struct memory_bus *bus, uint32_t master) {
  return (memory_bus_row *)sim_at(m, bus->state->masters_at) + master;
}
static struct memory_bus_waits *memory_bus_wait_of(
    sim *m, struct memory_bus *bus, uint32_t who, uint32_t for_whom) {
  return (struct memory_bus_waits *)sim_at(m, bus->state->waits_at) + who * MEMORY_BUS_MASTERS + for_whom;
}

static uint64_t memory_bus_cycles(struct memory_bus *bus, uint64_t bytes) {
  return sim_cycles(
      bus->params->clock, bus->params->address + (bytes + bus->params->width - 1) / bus->params->width);
}

/* The next master among those with requests, `last` being the previous one; MEMORY_BUS_MASTERS if there is
 * none. */
static uint32_t memory_bus_next(sim *m, struct memory_bus *bus, uint32_t last) {
  uint32_t first = bus->params->arbiter == MEMORY_BUS_ARBITER_PRIORITY ? 0 : last + 1;
  for (uint32_t i = 0; i < MEMORY_BUS_MASTERS; i++)
    if (memory_bus_row_of(m, bus, (first + i) % MEMORY_BUS_MASTERS)->wants)
      return (first + i) % MEMORY_BUS_MASTERS;
  return MEMORY_BUS_MASTERS;
}

/* Whether a port is wired, and not to the part that has the bus: a part with two ports does not snoop itself.
 */
static int memory_bus_is_other(sim *m, struct memory_bus *bus, uint32_t i, uint32_t master) {
  const uint32_t first = MEMORY_BUS_PORT_MASTER;
  return sim_wired(m, bus->self, first + i)
         && sim_wire(m, bus->self, first + i)->part != sim_wire(m, bus->self, first + master)->part;
}

/* Snoops the others; copies newer than memory are written back first, which also takes bus time. */
static uint64_t memory_bus_snoop(sim *m, struct memory_bus *bus, uint32_t master, const memory_bus_row *row) {
  uint64_t time = 0;
  for (uint32_t i = 0; i < MEMORY_BUS_MASTERS; i++) {
    if (!memory_bus_is_other(m, bus, i, master)) continue;
    for (uint64_t at = row->address; at < row->address + row->left;) {
      struct shared_bus_snoop snoop = {.address = at,
          .bytes = (uint32_t)(row->address + row->left - at),
          .store = row->wants == MEMORY_BUS_STATE_WRITE};
      uint32_t bytes = call_shared_bus_snoop(m, bus->self, MEMORY_BUS_PORT_MASTER + i, &snoop);
      if (bytes == 0) break;
      uint32_t writes[MEMORY_BUS_WORDS];
      for (uint32_t k = 0; k < MEMORY_BUS_WORDS; k++) writes[k] = snoop.write;
      call_memory_write(m, bus->self, MEMORY_BUS_PORT_MEMORY,
          &(struct memory_write){
              .address = snoop.address, .bytes = bytes, .when = m->time, .writes = writes});
      bus->counters->pushes++;
      sim_trace(m, bus->self, MEMORY_BUS_EV_PUSHED, snoop.address, bytes, MEMORY_BUS_PORT_MASTER + i);
      if (memory_bus_row_of(m, bus, i)->first == snoop.address)
        memory_bus_row_of(m, bus, i)->gone = 1; /* it was to be written back */
      time += memory_bus_cycles(bus, bytes);
      at = snoop.address + bytes;
    }
  }
  return time;
}

/* Duration of one access: memory answers a read when it can, and a write goes into its buffer. */
static uint64_t memory_bus_time(sim *m, struct memory_bus *bus, const memory_bus_row *row) {
  uint64_t bytes = sim_min(row->access, row->left), time = memory_bus_cycles(bus, bytes);
  if (row->wants == MEMORY_BUS_STATE_WRITE) return time;
  uint64_t address = sim_cycles(bus->params->clock, bus->params->address);
  struct memory_read read = {.address = row->address, .bytes = (uint32_t)bytes, .when = m->time + address};
  call_memory_read(m, bus->self, MEMORY_BUS_PORT_MEMORY, &read);
  return time + (read.when - m->time - address);
}

static void memory_bus_until(sim *m, struct memory_bus *bus, uint32_t accesses) {
  struct memory_bus_now *now = memory_bus_now_of(m, bus);
  now->accesses = accesses;
  bus->state->timer = sim_schedule(
      m, bus->self, now->began + accesses * now->each - m->time, SIM_PHASE_ANSWER, MEMORY_BUS_END);
}

/* Grants the bus to the next master: for one access if others wait, else for all its accesses. */
static void memory_bus_arbitrate(sim *m, struct memory_bus *bus) {
  struct memory_bus_now *now = memory_bus_now_of(m, bus);
  uint32_t master = memory_bus_next(m, bus, now->last);
  if (master == MEMORY_BUS_MASTERS) {
    if (now->state != MEMORY_BUS_STATE_IDLE) sim_trace(m, bus->self, MEMORY_BUS_EV_IDLE, 0, 0, 0);
    now->state = MEMORY_BUS_STATE_IDLE;
    return;
  }
  memory_bus_row *row = memory_bus_row_of(m, bus, master);
  uint32_t wants = row->wants;
  uint64_t pushed = row->address == row->first ? memory_bus_snoop(m, bus, master, row) : 0;
  if (now->state != wants || now->master != MEMORY_BUS_PORT_MASTER + master)
    sim_trace(m, bus->self, MEMORY_BUS_EV_START, row->address, wants, MEMORY_BUS_PORT_MASTER + master);
  now->state = wants;
  now->master = MEMORY_BUS_PORT_MASTER + master;
  now->last = master;
  now->since = m->time;
  now->began = m->time + pushed;
  now->each = memory_bus_time(m, bus, row);
  row->wants = MEMORY_BUS_STATE_IDLE; /* does any other master wait? */
  uint32_t other = memory_bus_next(m, bus, master);
  row->wants = wants;
  memory_bus_until(m, bus,
      other == MEMORY_BUS_MASTERS || sim_exploring(m) ? (row->left + row->access - 1) / row->access : 1);
}

/* A request arrives during a series of accesses: the bus re-arbitrates at the end of the present one. */
static void memory_bus_split_request(sim *m, struct memory_bus *bus) {
  struct memory_bus_now *now = memory_bus_now_of(m, bus);
  uint32_t over = m->time < now->began ? 1 : (uint32_t)((m->time - now->began) / now->each) + 1;
  if (over >= now->accesses || sim_exploring(m)) return;
  sim_cancel(m, bus->state->timer);
  memory_bus_until(m, bus, over);
}

/* All other waiting masters have waited for this one. */
static void memory_bus_count_busy(sim *m, struct memory_bus *bus, uint32_t master) {
  struct memory_bus_now *now = memory_bus_now_of(m, bus);
  uint64_t taken = m->time - now->since;
  bus->counters->busy += taken;
  memory_bus_row_of(m, bus, master)->had += taken;
  for (uint32_t i = 0; i < MEMORY_BUS_MASTERS; i++) {
    memory_bus_row *row = memory_bus_row_of(m, bus, i);
    if (i == master || !row->wants) continue;
    uint64_t waited = m->time - sim_max(now->since, row->since);
    if (row->waited == 0 && waited > 0) bus->counters->waits++;
    row->waited += waited;
    row->in_wait += waited;
    memory_bus_wait_of(m, bus, i, master)->time += waited;
    bus->counters->waited += waited;
  }
}

/* Transfers the data of the finished accesses; the first read has reserved memory already. */
static void memory_bus_move(sim *m, struct memory_bus *bus, memory_bus_row *row, uint32_t accesses) {
  uint32_t writes[MEMORY_BUS_WORDS], store = row->wants == MEMORY_BUS_STATE_WRITE;
  for (uint32_t k = 0; k < MEMORY_BUS_WORDS; k++) writes[k] = row->write;
  for (uint32_t i = 0; i < accesses; i++) {
    uint32_t bytes = (uint32_t)sim_min(row->access, row->left);
    if (store && !row->gone)
      call_memory_write(m, bus->self, MEMORY_BUS_PORT_MEMORY,
          &(struct memory_write){.address = row->address, .bytes = bytes, .when = m->time, .writes = writes});
    if (!store && i > 0)
      call_memory_read(m, bus->self, MEMORY_BUS_PORT_MEMORY,
          &(struct memory_read){.address = row->address, .bytes = bytes, .when = m->time});
    row->address += bytes;
    row->left -= bytes;
    bus->counters->bytes += bytes;
  }
  if (store) bus->counters->writes += accesses;
  else bus->counters->reads += accesses;
}

static uint32_t memory_bus_master_observe(
    sim *m, struct memory_bus *bus, uint32_t master, struct shared_bus_observe *q) {
  (void)master;
  uint32_t write = 0;
  call_memory_read(m, bus->self, MEMORY_BUS_PORT_MEMORY,
      &(struct memory_read){.address = q->address & ~3ull, .bytes = 4, .when = SIM_NEVER, .writes = &write});
  return write;
}

static void memory_bus_self(sim *m, struct memory_bus *bus, const sim_msg *msg) {
  (void)msg;
  struct memory_bus_now *now = memory_bus_now_of(m, bus);
  uint32_t master = now->last;
  memory_bus_row *row = memory_bus_row_of(m, bus, master);
  memory_bus_count_busy(m, bus, master);
  memory_bus_move(m, bus, row, now->accesses);
  if (row->left == 0) {
    struct shared_bus_observe look = {.address = row->first};
    struct shared_bus_done done = {.write = row->wants == MEMORY_BUS_STATE_READ
                                                ? memory_bus_master_observe(m, bus, master, &look)
                                                : row->write,
        .waited = row->waited};
    row->wants = MEMORY_BUS_STATE_IDLE;
    bus->state->notifying = 1;
    call_shared_bus_done(m, bus->self, MEMORY_BUS_PORT_MASTER + master, &done);
    bus->state->notifying = 0;
  }
  memory_bus_arbitrate(m, bus);
}

static void memory_bus_master_request(
    sim *m, struct memory_bus *bus, uint32_t master, struct shared_bus_request *q) {
  memory_bus_row *row = memory_bus_row_of(m, bus, master);
  if (row->wants || q->bytes == 0 || q->bytes > 4 * MEMORY_BUS_WORDS || q->access == 0) __builtin_trap();
  row->wants = q->writes ? MEMORY_BUS_STATE_WRITE : MEMORY_BUS_STATE_READ;
  row->address = row->first = q->address;
  row->left = q->bytes;
  row->access = q->access;
  row->write = q->writes ? *q->writes : 0;
  row->since = m->time;
  row->waited = 0;
  row->gone = 0;
  row->requests++;
  if (bus->state->notifying) return;
  struct memory_bus_now *now = memory_bus_now_of(m, bus);
  if (now->state == MEMORY_BUS_STATE_IDLE) {
    memory_bus_arbitrate(m, bus);
    return;
  }
  sim_trace(m, bus->self, MEMORY_BUS_EV_WAITS, q->address, now->master, MEMORY_BUS_PORT_MASTER + master);
  memory_bus_split_request(m, bus);
}

static int memory_bus_load(sim *m, uint32_t self) {
  struct memory_bus_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, MEMORY_BUS_VIEW_NOW, 1, sizeof(struct memory_bus_now));
  void *masters = sim_view(m, self, MEMORY_BUS_VIEW_MASTERS, MEMORY_BUS_MASTERS, sizeof(memory_bus_row));
  void *waits = sim_view(m, self, MEMORY_BUS_VIEW_WAITS, MEMORY_BUS_MASTERS * MEMORY_BUS_MASTERS,
      sizeof(struct memory_bus_waits));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct memory_bus_state){sim_offset(m, now), sim_offset(m, masters), sim_offset(m, waits), 0, 0, 0};
  return SIM_OK;
}

#include "parts/bus/memory_bus/state.c"
