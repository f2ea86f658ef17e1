/*
 * The host bridge.
 *
 *   processors ==> [ posting buffer ] ==> PCI bus        stores leave in order; a read goes behind them
 *   processors <--> memory                               cache lines
 *   PCI masters <--> memory, with a snoop of the caches
 *
 * The posting buffer holds reads too, as the last entry to leave before their processor continues: so a read
 * pushes posted writes ahead of it.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "iommu.h"
#include "pci.h"

#define BRIDGE_CPUS 4u
#define SCRATCH 1024u /* identity words of one burst block: 4 KiB */

enum bridge_self { BRIDGE_FILLED = 1, BRIDGE_CROSSED };

#define BRIDGE_SPAN 4096u /* the smallest unit of translation */

struct bridge_state {
  /* start of the current burst: bus address, memory address, and the intended memory address if that differs
   */
  uint64_t bus;
  uint64_t physical;
  uint64_t meant;
  uint64_t full_since;
  uint64_t await_enabled[BRIDGE_CPUS];
  uint32_t now_at;
  uint32_t posts_at;
  uint32_t scratch_at;
  uint32_t capacity;
  uint32_t awaiting; /* bit per processor that waits for room */
  uint32_t stores;
  /* the current burst has no target, or the wrong one */
  uint32_t stopped;
  uint32_t astray;
};

static struct bridge_posts *bridge_entry(sim *m, struct bridge *bridge, uint32_t i) {
  struct bridge_now *now = sim_at(m, bridge->state->now_at);
  uint32_t at = now->head + i, rows = bridge->state->capacity + BRIDGE_CPUS;
  return (struct bridge_posts *)sim_at(m, bridge->state->posts_at) + (at < rows ? at : at - rows);
}

/* Shows whether stores are waiting; no later event has this as its cause. */
static void bridge_show(sim *m, struct bridge *bridge, uint32_t state) {
  uint32_t cause = m->cause;
  sim_trace(m, bridge->self, BRIDGE_EV_LEVEL, 0, state, 0);
  m->cause = cause;
}

static void bridge_add(sim *m, struct bridge *bridge, struct bridge_posts entry) {
  struct bridge_now *now = sim_at(m, bridge->state->now_at);
  entry.cause = m->cause;
  *bridge_entry(m, bridge, now->waiting) = entry;
  if (now->waiting++ == 0) call_pci_request(m, bridge->self, BRIDGE_PORT_PCI);
}

/* Whether the address is a register of the IOMMU, on this side of the posting buffer. */
static uint32_t bridge_register(sim *m, struct bridge *bridge, struct iommu_register *q) {
  return sim_wired(m, bridge->self, BRIDGE_PORT_IOMMU)
         && call_iommu_register(m, bridge->self, BRIDGE_PORT_IOMMU, q);
}

static uint32_t bridge_cpu_post(sim *m, struct bridge *bridge, uint32_t cpu, struct front_post *q) {
  (void)cpu;
  if (bridge_register(
          m, bridge, &(struct iommu_register){.address = q->address, .value = q->value, .store = 1}))
    return 2;
  if (bridge->state->stores >= bridge->state->capacity) return 0;
  if (bridge->state->stores++ == 0) bridge_show(m, bridge, BRIDGE_STATE_POSTING);
  if (bridge->state->stores == bridge->state->capacity) bridge->state->full_since = m->time;
  bridge->counters->posted++;
  bridge->counters->fullest = sim_max(bridge->counters->fullest, bridge->state->stores);
  bridge_add(m, bridge, (struct bridge_posts){q->address, q->value, q->bytes, q->write, 0, 0});
  return 1 + bridge->state->capacity - bridge->state->stores;
}

/* Notifies all waiting processors, in port order, that there is room: not all have another store, and one
   that finds the entry taken waits again. */
static void bridge_has_room(sim *m, struct bridge *bridge) {
  for (; bridge->state->awaiting && bridge->state->stores < bridge->state->capacity;
      bridge->state->awaiting &= bridge->state->awaiting - 1) {
    uint32_t cpu = (uint32_t)__builtin_ctz(bridge->state->awaiting);
    uint64_t when = sim_max(bridge->state->await_enabled[cpu], m->time);
    send_front_room(m, bridge->self, BRIDGE_PORT_CPU + cpu, when - m->time, SIM_PHASE_ANSWER);
  }
}

static void bridge_cpu_notify_space(
    sim *m, struct bridge *bridge, uint32_t cpu, struct front_notify_space *q) {
  bridge->state->awaiting |= 1u << cpu;
  bridge->state->await_enabled[cpu] = q->after;
  bridge_has_room(m, bridge);
}

static uint32_t bridge_cpu_posted_count(sim *m, struct bridge *bridge, uint32_t cpu) {
  (void)m;
  (void)cpu;
  return bridge->state->stores;
}

static void bridge_cpu_observe(sim *m, struct bridge *bridge, uint32_t cpu, struct front_observe *q) {
  (void)cpu;
  struct memory_read look = {
      .address = q->address, .bytes = q->bytes, .when = SIM_NEVER, .writes = q->writes};
  struct memory_write set = {
      .address = q->address, .bytes = q->bytes, .when = SIM_NEVER, .writes = q->writes};
  if (q->set) call_memory_write(m, bridge->self, BRIDGE_PORT_MEMORY, &set);
  else call_memory_read(m, bridge->self, BRIDGE_PORT_MEMORY, &look);
}

/* Requests the bus for the oldest entry. */
static uint32_t bridge_pci_grant(sim *m, struct bridge *bridge, struct pci_grant *q) {
  struct bridge_now *now = sim_at(m, bridge->state->now_at);
  if (now->waiting == 0) return 0;
  struct bridge_posts *entry = bridge_entry(m, bridge, 0);
  q->address = entry->addr;
  q->bytes = entry->bytes;
  q->command = entry->read ? PCI_COMMAND_READ : PCI_COMMAND_WRITE;
  m->cause = entry->cause;
  return 1;
}

/* The data of a processor's read crosses back. */
static void bridge_answer(
    sim *m, struct bridge *bridge, const struct bridge_posts *entry, struct front_data data) {
  send_front_data(
      m, bridge->self, BRIDGE_PORT_CPU + entry->read - 1, bridge->params->crossing, SIM_PHASE_ANSWER, data);
}

static uint32_t bridge_pci_moved(sim *m, struct bridge *bridge, struct pci_moved *q) {
  struct bridge_now *now = sim_at(m, bridge->state->now_at);
  int aborted =
      q->bytes == 0 && q->last; /* no target claims the address: a store is lost, a read returns all ones */
  if (q->bytes > 0 || aborted) {
    struct bridge_posts *entry = bridge_entry(m, bridge, 0);
    int store = entry->read == 0;
    if (aborted && !store) bridge_answer(m, bridge, entry, (struct front_data){.value = UINT32_MAX});
    now->head = now->head + 1 < bridge->state->capacity + BRIDGE_CPUS ? now->head + 1 : 0;
    now->waiting--;
    if (store) {
      if (bridge->state->stores == bridge->state->capacity)
        bridge->counters->full_time += m->time - bridge->state->full_since;
      if (--bridge->state->stores == 0) bridge_show(m, bridge, BRIDGE_STATE_EMPTY);
      bridge_has_room(m, bridge);
    }
  }
  if (now->waiting > 0) call_pci_request(m, bridge->self, BRIDGE_PORT_PCI);
  return 0;
}

/* The bridge as master: sends its store's value, receives its read's value. */
static void bridge_pci_master_give(sim *m, struct bridge *bridge, struct pci_master_give *q) {
  const struct bridge_posts *entry = bridge_entry(m, bridge, 0);
  q->writes[0] = entry->write;
  q->value = entry->value;
}

static void bridge_pci_master_take(sim *m, struct bridge *bridge, struct pci_master_take *q) {
  bridge_answer(m, bridge, bridge_entry(m, bridge, 0),
      (struct front_data){.value = q->value, .write = q->writes[0], .newest = q->newest});
}

/* Translates a burst. With an IOMMU it ends at its page, as the next page can be anywhere. Returns the time
   at which the translation is known. */
static uint64_t bridge_translate(sim *m, struct bridge *bridge, struct pci_begin *q) {
  bridge->state->bus = bridge->state->physical = q->address;
  bridge->state->stopped = bridge->state->astray = 0;
  if (!sim_wired(m, bridge->self, BRIDGE_PORT_IOMMU)) return m->time;
  q->bytes = (uint32_t)sim_min(q->bytes, BRIDGE_SPAN - q->address % BRIDGE_SPAN);
  struct iommu_translate access = {.address = q->address, .write = !pci_is_read(q->command)};
  bridge->state->stopped = !call_iommu_translate(m, bridge->self, BRIDGE_PORT_IOMMU, &access);
  bridge->state->physical = access.physical;
  bridge->state->astray = access.stale;
  bridge->state->meant = iommu_intended_address(&access);
  bridge->counters->translation += access.time;
  bridge->counters->stopped += bridge->state->stopped;
  if (bridge->state->stopped) sim_trace(m, bridge->self, BRIDGE_EV_STOPPED, q->address, q->bytes, 0);
  return m->time + access.time;
}

/* The memory address of a bus address in the current burst. */
static uint64_t bridge_physical(struct bridge *bridge, uint64_t address) {
  return bridge->state->physical + (address - bridge->state->bus);
}

/* The current burst goes to the wrong address: reports its data separately. */
static void bridge_misdirected(
    sim *m, struct bridge *bridge, uint64_t address, uint32_t bytes, uint32_t write, uint32_t *writes) {
  uint64_t meant = bridge->state->meant == UINT64_MAX ? bridge->state->meant
                                                      : bridge->state->meant + (address - bridge->state->bus);
  call_memory_misdirected(m, bridge->self, BRIDGE_PORT_MEMORY,
      &(struct memory_misdirected){.address = bridge_physical(bridge, address),
          .bytes = bytes,
          .write = write,
          .meant = meant,
          .writes = writes});
}

/* The bridge as target: a device reads or writes memory. */
static uint32_t bridge_pci_begin(sim *m, struct bridge *bridge, struct pci_begin *q) {
  q->ready = bridge_translate(m, bridge, q); /* writes are posted towards memory */
  if (pci_is_read(q->command)) {
    struct memory_read access = {.address = bridge->state->physical, .bytes = q->bytes, .when = q->ready};
    call_memory_read(m, bridge->self, BRIDGE_PORT_MEMORY, &access);
    q->ready = access.when + bridge->params->read_ahead;
    bridge->counters->device_reads += q->bytes;
  }
  return q->bytes;
}

static void bridge_pci_target_give(sim *m, struct bridge *bridge, struct pci_target_give *q) {
  struct memory_read look = {.address = bridge_physical(bridge, q->address),
      .bytes = q->bytes,
      .when = SIM_NEVER,
      .writes = q->writes};
  if (bridge->state->stopped) return;
  call_memory_read(m, bridge->self, BRIDGE_PORT_MEMORY, &look);
  if (bridge->state->astray) bridge_misdirected(m, bridge, q->address, q->bytes, 0, NULL);
}

static void bridge_pci_target_take(sim *m, struct bridge *bridge, struct pci_target_take *q) {
  uint64_t address = bridge_physical(bridge, q->address);
  struct memory_write access = {.address = address,
      .bytes = q->bytes,
      .when = m->time,
      .writes = bridge->state->astray ? NULL : q->writes};
  if (bridge->state->stopped) return;
  call_memory_write(m, bridge->self, BRIDGE_PORT_MEMORY, &access);
  if (bridge->state->astray) bridge_misdirected(m, bridge, q->address, q->bytes, 1, q->writes);
  bridge->counters->device_writes += q->bytes;
  for (uint32_t cpu = 0; cpu < BRIDGE_CPUS; cpu++)
    if (sim_wired(m, bridge->self, BRIDGE_PORT_CPU + cpu)) {
      struct front_snoop snoop = {.address = address, .bytes = q->bytes};
      bridge->counters->lines_dropped += call_front_snoop(m, bridge->self, BRIDGE_PORT_CPU + cpu, &snoop);
    }
}

static uint32_t bridge_pci_claim(sim *m, struct bridge *bridge, struct pci_claim *q) {
  (void)m;
  (void)bridge->self;
  int first = q->which == 0;
  q->base = 0; /* memory is below 2 GiB on this bus */
  q->length = 1ull << 31;
  return first;
}

/* A read crosses the bridge, and joins the queue after that. */
static void bridge_cpu_read(sim *m, struct bridge *bridge, uint32_t cpu, const struct front_read *q) {
  uint64_t crossing = bridge->params->crossing;
  struct iommu_register look = {.address = q->address};
  if (bridge_register(m, bridge, &look)) {
    send_front_data(m, bridge->self, BRIDGE_PORT_CPU + cpu, 2 * crossing, SIM_PHASE_ANSWER,
        (struct front_data){.value = look.value});
    return;
  }
  m->cause = sim_trace(m, bridge->self, BRIDGE_EV_READ, q->address, q->bytes, bridge->state->stores);
  sim_schedule_with(m, bridge->self, crossing, SIM_PHASE_REQUEST, BRIDGE_CROSSED, q->address, q->bytes, cpu);
}

static void bridge_cpu_fill(sim *m, struct bridge *bridge, uint32_t cpu, const struct front_fill *q) {
  sim_trace(m, bridge->self, BRIDGE_EV_FILL, q->address, q->bytes, 0);
  struct memory_write back = {.address = q->address, .bytes = q->bytes, .when = m->time};
  struct memory_read fill = {.address = q->address, .bytes = q->bytes, .when = m->time};
  if (q->dirty) call_memory_write(m, bridge->self, BRIDGE_PORT_MEMORY, &back);
  call_memory_read(m, bridge->self, BRIDGE_PORT_MEMORY, &fill);
  sim_schedule_with(
      m, bridge->self, fill.when - m->time, SIM_PHASE_ANSWER, BRIDGE_FILLED, q->address, 0, cpu);
}

static void bridge_self(sim *m, struct bridge *bridge, const sim_msg *msg) {
  if (msg->kind == BRIDGE_FILLED) {
    send_front_filled(m, bridge->self, BRIDGE_PORT_CPU + msg->y, 0, SIM_PHASE_ANSWER,
        (struct front_filled){.address = msg->addr});
    return;
  }
  bridge->counters->reads++;
  bridge_add(m, bridge, (struct bridge_posts){msg->addr, 0, msg->x, 0, 0, msg->y + 1});
}

static int bridge_load(sim *m, uint32_t self) {
  const struct bridge_params *q = SIM_PARAMS(m, self, bridge);
  struct bridge_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, BRIDGE_VIEW_NOW, 1, sizeof(struct bridge_now));
  void *posts =
      sim_view(m, self, BRIDGE_VIEW_POSTS, (uint32_t)q->posts + BRIDGE_CPUS, sizeof(struct bridge_posts));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->capacity = (uint32_t)q->posts;
  s->now_at = sim_offset(m, now);
  s->posts_at = sim_offset(m, posts);
  return SIM_OK;
}
