/*
 * A PCI bus, transaction by transaction.
 *
 *   REQ# --> [arbitrate] --> address, decode or turn-around --> wait for the target --> data ... --> idle
 *               hidden under the transfer before                    block by block
 *
 * Arbitration is round robin: among the requesting masters, the one after the last master. A transaction
 * takes whole clocks from its address on. A burst continues block by block while its master has data and the
 * target accepts it, until another master requests and the latency timer has expired; that ends a block
 * early, after any data phase. Data moves at the end of its block, when target and master are polled.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

#define PCI_SLOTS 8u
#define PCI_WINDOWS 2u
#define PCI_WORDS 1024u
#define PCI_CLOCKS 64u /* durations of 0..63 clocks, looked up instead of divided */

enum pci_self { PCI_START = 1, PCI_BLOCK, PCI_REQ_ON };

struct pci_windows {
  uint64_t base;
  uint64_t end;
};

struct pci_state {
  struct pci_windows windows[PCI_SLOTS * PCI_WINDOWS];
  uint64_t clocks[PCI_CLOCKS];
  uint32_t now_at;
  uint32_t words_at;
  uint32_t starting;
  uint32_t windows_known;
  uint32_t accepted;    /* bytes of the current block */
  uint32_t block_event; /* handle of its end */
  uint64_t elapsed;     /* clocks from the address to the first data phase of the block */
  uint64_t limit;       /* clocks after which the burst ends for another master; SIM_NEVER if none requests */
  uint32_t width_shift; /* log2 of the bytes of a data phase */
  uint32_t wanted;      /* bytes that the master of the current transaction requests */
  uint32_t stop_cause;  /* why the target ends the current transaction early; 0 if it does not */
  uint32_t stopped;     /* the latest master whose target ended its transaction */
  uint64_t off_until;   /* time until which it has neither REQ# nor GNT# */
  uint64_t line; /* line size of a write and invalidate, which is not interrupted within a line; else 1 */
};

static inline struct pci_now *pci_view(sim *m, struct pci *bus) { return sim_at(m, bus->state->now_at); }

static void pci_find_windows(sim *m, struct pci *bus) {
  for (uint32_t i = 0; i < PCI_SLOTS * PCI_WINDOWS; i++) {
    struct pci_claim q = {.which = i % PCI_WINDOWS};
    if (!sim_wired(m, bus->self, PCI_PORT_SLOT + i / PCI_WINDOWS)) continue;
    if (call_pci_claim(m, bus->self, PCI_PORT_SLOT + i / PCI_WINDOWS, &q))
      bus->state->windows[i] = (struct pci_windows){q.base, q.base + q.length};
  }
  bus->state->windows_known = 1;
}

static uint32_t pci_target(struct pci_state *s, uint64_t addr, uint32_t master) {
  for (uint32_t i = 0; i < PCI_SLOTS * PCI_WINDOWS; i++)
    if (i / PCI_WINDOWS != master && addr >= s->windows[i].base && addr < s->windows[i].end)
      return i / PCI_WINDOWS;
  return SIM_NONE;
}

static inline void pci_schedule(sim *m, struct pci *bus) {
  struct pci_now *now = pci_view(m, bus);
  if (bus->state->starting || now->state != PCI_STATE_IDLE || now->requests == 0) return;
  bus->state->starting = 1;
  sim_schedule(m, bus->self, sim_max(now->free_at, m->time) - m->time, SIM_PHASE_DECIDE, PCI_START);
}

/* Clocks before the first data phase: the address, then decode; for a read the data lines turn around
 * meanwhile. */
static uint64_t pci_address_phase(struct pci *bus, uint32_t command) {
  return 1 + sim_max(bus->params->decode, pci_is_read(command));
}

static uint64_t pci_clocks(struct pci *bus, uint64_t n) {
  return n < PCI_CLOCKS ? bus->state->clocks[n] : sim_cycles(bus->params->clock, n);
}

static uint32_t pci_data_clocks(struct pci *bus) {
  return (uint32_t)((bus->state->accepted + bus->params->width - 1) >> bus->state->width_shift);
}

/* Ends the block where the burst must end for another master, in whole data phases, and with a write and
   invalidate in whole lines. */
static void pci_shorten_block(sim *m, struct pci *bus) {
  const struct pci_now *now = pci_view(m, bus);
  struct pci_state *s = bus->state;
  if (s->limit == SIM_NEVER) return;
  uint64_t phases = s->limit > s->elapsed ? s->limit - s->elapsed : 1, line = s->line,
           end = now->addr + (phases << s->width_shift);
  if (line > 1) end = (end + line - 1) / line * line;
  s->accepted = (uint32_t)sim_min(s->accepted, end - now->addr);
}

/* Schedules the end of the current block. */
static void pci_end_block(sim *m, struct pci *bus) {
  struct pci_now *now = pci_view(m, bus);
  now->until = now->began + pci_clocks(bus, bus->state->elapsed + pci_data_clocks(bus));
  bus->state->block_event = sim_schedule(m, bus->self, now->until - m->time, SIM_PHASE_ANSWER, PCI_BLOCK);
}

/* Begins the next block of the current transaction. */
static void pci_block(sim *m, struct pci *bus, uint32_t bytes) {
  bus->state->accepted = (uint32_t)sim_min(bytes, bus->params->block);
  pci_shorten_block(m, bus);
  pci_end_block(m, bus);
}

/* The bus is free again after one idle clock, during which the next master has already been chosen. */
static void pci_release(sim *m, struct pci *bus) {
  struct pci_now *now = pci_view(m, bus);
  bus->counters->busy += m->time - now->began;
  now->state = PCI_STATE_IDLE;
  now->free_at = m->time + pci_clocks(bus, 1);
  pci_schedule(m, bus);
}

/* The target ends the transaction: its master releases REQ# for two clocks, the last and the idle one. If it
   loses GNT# with it, the bus is granted to it again some clocks later. */
static void pci_stopped(sim *m, struct pci *bus) {
  if (bus->params->regrant == 0) return;
  bus->state->stopped = pci_view(m, bus)->master;
  bus->state->off_until = m->time + pci_clocks(bus, 1 + bus->params->regrant);
}

static void pci_refuse(sim *m, struct pci *bus, uint32_t kind) {
  struct pci_now *now = pci_view(m, bus);
  if (kind == PCI_EV_RETRIED) pci_stopped(m, bus);
  sim_trace(m, bus->self, kind, now->addr, 0, now->master);
  struct pci_moved moved = {.address = now->addr, .last = kind == PCI_EV_UNCLAIMED};
  call_pci_moved(m, bus->self, PCI_PORT_SLOT + now->master, &moved);
  pci_release(m, bus);
}

static void pci_open(sim *m, struct pci *bus, uint32_t master, const struct pci_grant *want) {
  struct pci_now *now = pci_view(m, bus);
  now->last = now->master = master;
  now->command = want->command;
  now->addr = want->address;
  now->bytes = bus->state->wanted = want->bytes;
  now->moved = 0;
  bus->state->stop_cause = 0;
  bus->state->line = want->command == PCI_COMMAND_WRITE_INVALIDATE ? want->tag : 1;
  now->began = m->time;
  bus->state->limit = now->requests ? bus->params->latency_timer : SIM_NEVER;
  now->target = pci_target(bus->state, want->address, master);
  now->state = pci_is_read(want->command) ? PCI_STATE_READ : PCI_STATE_WRITE;
  sim_trace_often(m, bus->self, PCI_EV_START, want->address, want->command, master);
  if (now->target == SIM_NONE) { /* master abort: no target answers within five clocks */
    bus->counters->no_target++;
    bus->state->accepted = 0;
    sim_schedule_for(m, bus->self, pci_clocks(bus, 5), SIM_PHASE_ANSWER, PCI_BLOCK, 1);
    return;
  }
  struct pci_begin begin = {.address = want->address, .bytes = want->bytes, .command = want->command};
  uint32_t bytes = call_pci_begin(m, bus->self, PCI_PORT_SLOT + now->target, &begin);
  uint64_t before = pci_address_phase(bus, want->command);
  if (bytes == 0) { /* retry: STOP# in the first data phase, which moves nothing */
    bus->counters->retries++;
    bus->state->accepted = 0;
    sim_schedule(m, bus->self, pci_clocks(bus, before + 1), SIM_PHASE_ANSWER, PCI_BLOCK);
    return;
  }
  now->bytes = (uint32_t)sim_min(bytes, want->bytes);
  uint64_t first = begin.ready > m->time ? sim_cycles_of(bus->params->clock, begin.ready - m->time) : 0;
  bus->state->elapsed = first > before ? first - 1 : before;
  pci_block(m, bus, now->bytes);
}

static void pci_arbitrate(sim *m, struct pci *bus) {
  struct pci_now *now = pci_view(m, bus);
  if (!bus->state->windows_known) pci_find_windows(m, bus);
  for (uint32_t k = 1; k <= PCI_SLOTS && now->requests; k++) {
    uint32_t slot = (now->last + k) % PCI_SLOTS;
    if (!(now->requests & 1u << slot)) continue;
    now->requests &= ~(1u << slot);
    struct pci_grant want = {0};
    if (call_pci_grant(m, bus->self, PCI_PORT_SLOT + slot, &want)) {
      pci_open(m, bus, slot, &want);
      break;
    }
  }
  bus->state->starting = 0; /* only now: a master may request again while it is being granted */
  pci_schedule(m, bus);
}

static int pci_must_end(sim *m, struct pci *bus) {
  return bus->state->elapsed >= bus->state->limit && pci_view(m, bus)->addr % bus->state->line == 0;
}

/* Moves the data of a block from its source to its destination. */
static void pci_move(sim *m, struct pci *bus, uint32_t bytes) {
  const struct pci_now *now = pci_view(m, bus);
  uint32_t *writes = sim_at(m, bus->state->words_at), master = PCI_PORT_SLOT + now->master,
           target = PCI_PORT_SLOT + now->target;
  for (uint32_t i = 0; i * 4 < bytes; i++) writes[i] = 0;
  if (pci_is_read(now->command)) {
    struct pci_target_give give = {.address = now->addr, .bytes = bytes, .writes = writes};
    call_pci_target_give(m, bus->self, target, &give);
    struct pci_master_take take = {
        .address = now->addr, .bytes = bytes, .value = give.value, .newest = give.newest, .writes = writes};
    call_pci_master_take(m, bus->self, master, &take);
  } else {
    struct pci_master_give give = {.address = now->addr, .bytes = bytes, .writes = writes};
    call_pci_master_give(m, bus->self, master, &give);
    struct pci_target_take take = {
        .address = now->addr, .bytes = bytes, .value = give.value, .writes = writes};
    call_pci_target_take(m, bus->self, target, &take);
  }
}

/* A block's data phases are complete: move its data, then continue or release the bus. */
static void pci_block_done(sim *m, struct pci *bus) {
  struct pci_now *now = pci_view(m, bus);
  pci_move(m, bus, bus->state->accepted);
  bus->counters->bytes += bus->state->accepted;
  bus->counters->data += pci_clocks(bus, pci_data_clocks(bus));
  bus->state->elapsed += pci_data_clocks(bus);
  now->moved += bus->state->accepted;
  now->addr += bus->state->accepted;
  int yield = pci_must_end(m, bus);
  int over = yield || now->moved >= now->bytes;
  if (over && !yield && now->moved < bus->state->wanted) pci_stopped(m, bus);
  struct pci_moved moved = {.address = now->addr, .bytes = bus->state->accepted, .last = (uint32_t)over};
  uint32_t more = call_pci_moved(m, bus->self, PCI_PORT_SLOT + now->master, &moved);
  if (more > 0 && !over) {
    pci_block(m, bus, (uint32_t)sim_min(more, now->bytes - now->moved));
    return;
  }
  bus->counters->transactions++;
  bus->counters->preempted += more > 0 && yield;
  bus->counters->disconnects += more > 0 && !yield;
  if (more > 0 && !yield && bus->state->stop_cause) m->cause = bus->state->stop_cause;
  sim_trace(m, bus->self,
      more == 0 ? PCI_EV_END
      : yield   ? PCI_EV_PREEMPTED
                : PCI_EV_DISCONNECTED,
      now->addr - now->moved, now->moved, now->master);
  pci_release(m, bus);
}

static void pci_requested(sim *m, struct pci *bus, uint32_t slot) {
  struct pci_now *now = pci_view(m, bus);
  now->requests |= 1u << slot;
  if (now->state != PCI_STATE_IDLE && bus->state->limit == SIM_NEVER) {
    /* the arbiter sees a request at the clock edge after it */
    uint64_t next = sim_cycles_of(bus->params->clock, m->time - now->began + 2);
    bus->state->limit = sim_max(next, bus->params->latency_timer);
    uint32_t before = bus->state->accepted;
    if (before > 0 && m->time < now->until) pci_shorten_block(m, bus);
    if (bus->state->accepted < before) {
      sim_cancel(m, bus->state->block_event);
      pci_end_block(m, bus);
    }
  }
  pci_schedule(m, bus);
}

static void pci_self(sim *m, struct pci *bus, const sim_msg *msg) {
  if (msg->kind == PCI_START) pci_arbitrate(m, bus);
  else if (msg->kind == PCI_REQ_ON) pci_requested(m, bus, msg->x);
  else if (bus->state->accepted == 0) pci_refuse(m, bus, msg->x ? PCI_EV_UNCLAIMED : PCI_EV_RETRIED);
  else pci_block_done(m, bus);
}

static uint32_t pci_slot_splits_reads(sim *m, struct pci *bus, uint32_t slot) {
  (void)m;
  (void)bus;
  (void)slot;
  return 0;
}

static uint32_t pci_slot_grain(sim *m, struct pci *bus, uint32_t slot) {
  (void)m;
  (void)slot;
  return (uint32_t)bus->params->block;
}

/* The target disconnects with the data of the current block. */
static uint32_t pci_slot_stop(sim *m, struct pci *bus, uint32_t slot, struct pci_stop *q) {
  struct pci_now *now = pci_view(m, bus);
  if (now->state != PCI_STATE_READ || now->target != slot || bus->state->accepted == 0) return 0;
  now->bytes = now->moved + bus->state->accepted;
  bus->state->stop_cause = m->cause;
  q->end = now->addr + bus->state->accepted;
  return 1;
}

static void pci_slot_request(sim *m, struct pci *bus, uint32_t slot) {
  if (slot != bus->state->stopped || m->time >= bus->state->off_until) pci_requested(m, bus, slot);
  else sim_schedule_for(m, bus->self, bus->state->off_until - m->time, SIM_PHASE_REQUEST, PCI_REQ_ON, slot);
}

static int pci_load(sim *m, uint32_t self) {
  const struct pci_params *q = SIM_PARAMS(m, self, pci);
  struct pci_state *s = sim_state_alloc(m, self, sizeof *s);
  struct pci_now *now = sim_view(m, self, PCI_VIEW_NOW, 1, sizeof *now);
  uint32_t *words = sim_alloc(m, PCI_WORDS, sizeof *words);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  for (uint32_t n = 0; n < PCI_CLOCKS; n++) s->clocks[n] = sim_cycles(q->clock, n);
  s->width_shift = q->width == 8 ? 3 : 2;
  s->now_at = sim_offset(m, now);
  s->words_at = sim_offset(m, words);
  now->last = PCI_SLOTS - 1;
  return SIM_OK;
}

#include "parts/bus/pci/state.c"
