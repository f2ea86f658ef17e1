/*
 * A PCI-X bus, transaction by transaction.
 *
 *   REQ# --> [arbitrate] --> address, attributes, response --> data ... to a boundary of 128 B -->
 * turn-around, idle
 *                                          |
 *                                          +-- split: the bus is free; [tags] knows whose read it is
 *                                                     later the target, as master: split completion --> that
 * master
 *
 * A read gives its full size. Its target takes it over and sends the data when it has it, in one completion
 * or several. There is no polling, so a waiting read costs the bus one address phase.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

#define PCIX_SLOTS 8u
#define PCIX_WINDOWS 2u
#define PCIX_WORDS 32u     /* of a block */
#define PCIX_BOUNDARY 128u /* boundary at which a burst can end */
#define PCIX_WORD 4u       /* reads up to this size are answered at once */
#define PCIX_READ 4096u    /* largest size of a read */

enum pcix_self { PCIX_START = 1, PCIX_BLOCK };
/* Results of the phases before data. */
enum pcix_outcome { PCIX_MOVES, PCIX_RETRIED, PCIX_UNCLAIMED, PCIX_SPLIT };

struct pcix_window {
  uint64_t base;
  uint64_t end;
  uint32_t splits;
  uint32_t spare;
};

struct pcix_state {
  struct pcix_window windows[PCIX_SLOTS * PCIX_WINDOWS];
  uint32_t now_at;
  uint32_t tags_at;
  uint32_t words_at;
  uint32_t starting;
  uint32_t windows_known;
  uint32_t accepted;
};

typedef struct pcix_tags pcix_tag;

static struct pcix_now *pcix_view(sim *m, struct pcix *bus) { return sim_at(m, bus->state->now_at); }
static pcix_tag *pcix_tag_at(sim *m, struct pcix *bus, uint32_t tag) {
  return (pcix_tag *)sim_at(m, bus->state->tags_at) + tag;
}
static uint64_t pcix_clocks(struct pcix *bus, uint64_t n) { return sim_cycles(bus->params->clock, n); }

static void pcix_find_windows(sim *m, struct pcix *bus) {
  for (uint32_t i = 0; i < PCIX_SLOTS * PCIX_WINDOWS; i++) {
    struct pci_claim q = {.which = i % PCIX_WINDOWS};
    if (!sim_wired(m, bus->self, PCIX_PORT_SLOT + i / PCIX_WINDOWS)) continue;
    uint32_t claims = call_pci_claim(m, bus->self, PCIX_PORT_SLOT + i / PCIX_WINDOWS, &q);
    if (claims) bus->state->windows[i] = (struct pcix_window){q.base, q.base + q.length, claims == 2, 0};
  }
  bus->state->windows_known = 1;
}

static uint32_t pcix_window_of(struct pcix_state *s, uint64_t addr, uint32_t master) {
  for (uint32_t i = 0; i < PCIX_SLOTS * PCIX_WINDOWS; i++)
    if (i / PCIX_WINDOWS != master && addr >= s->windows[i].base && addr < s->windows[i].end) return i;
  return SIM_NONE;
}

static void pcix_schedule(sim *m, struct pcix *bus) {
  struct pcix_now *now = pcix_view(m, bus);
  if (bus->state->starting || now->state != PCIX_STATE_IDLE || now->requests == 0) return;
  bus->state->starting = 1;
  sim_schedule(m, bus->self, sim_max(now->free_at, m->time) - m->time, SIM_PHASE_DECIDE, PCIX_START);
}

/* Moves data up to the next boundary, from the given time on. */
static void pcix_block(sim *m, struct pcix *bus, uint64_t from, uint32_t bytes) {
  struct pcix_now *now = pcix_view(m, bus);
  uint32_t width = (uint32_t)bus->params->width, shift = (uint32_t)now->addr % width;
  bus->state->accepted = (uint32_t)sim_min(bytes, PCIX_BOUNDARY - now->addr % PCIX_BOUNDARY);
  uint64_t data = pcix_clocks(bus, (shift + bus->state->accepted + width - 1) / width);
  bus->counters->data += data;
  now->until = from + data;
  sim_schedule_for(m, bus->self, now->until - m->time, SIM_PHASE_ANSWER, PCIX_BLOCK, PCIX_MOVES);
}

/* One clock of turn-around and one idle, during which the next master has already been chosen. */
static void pcix_release(sim *m, struct pcix *bus) {
  struct pcix_now *now = pcix_view(m, bus);
  bus->counters->busy += m->time - now->began;
  now->state = PCIX_STATE_IDLE;
  now->free_at = m->time + pcix_clocks(bus, 2);
  pcix_schedule(m, bus);
}

static uint32_t pcix_free_tag(sim *m, struct pcix *bus) {
  for (uint32_t tag = 0; tag < bus->params->tags; tag++)
    if (pcix_tag_at(m, bus, tag)->left == 0) return tag;
  return SIM_NONE;
}

/* The attributes of a transaction: a word, a block, or a completion of an earlier read. */
static uint32_t pcix_command(const struct pci_grant *want) {
  int word = want->bytes <= PCIX_WORD;
  if (want->command == PCI_COMMAND_COMPLETION) return PCIX_COMMAND_COMPLETION;
  if (pci_is_read(want->command)) return word ? PCIX_COMMAND_READ : PCIX_COMMAND_READ_BLOCK;
  return word ? PCIX_COMMAND_WRITE : PCIX_COMMAND_WRITE_BLOCK;
}

/* The target's response to a read or a write. A block read is split if its target can answer later. */
static uint32_t pcix_ask(
    sim *m, struct pcix *bus, uint32_t window, const struct pci_grant *want, uint64_t *ready) {
  struct pcix_now *now = pcix_view(m, bus);
  uint32_t port = PCIX_PORT_SLOT + now->target,
           attributes = call_pci_attributes(m, bus->self, PCIX_PORT_SLOT + now->master);
  if (pci_is_read(want->command) && want->bytes > PCIX_WORD && bus->state->windows[window].splits) {
    struct pci_begin_block block = {.address = want->address,
        .bytes = now->bytes,
        .tag = pcix_free_tag(m, bus),
        .attributes = attributes};
    if (block.tag == SIM_NONE || !call_pci_begin_block(m, bus->self, port, &block)) return PCIX_RETRIED;
    now->tag = block.tag;
    return PCIX_SPLIT;
  }
  uint32_t command = pcix_command(want) == PCIX_COMMAND_WRITE_BLOCK
                         ? PCI_COMMAND_WRITE_INVALIDATE
                         : want->command; /* a block gives its length, so whole lines are known */
  struct pci_begin begin = {
      .address = want->address, .bytes = want->bytes, .command = command, .attributes = attributes};
  uint32_t bytes = call_pci_begin(m, bus->self, port, &begin);
  if (bytes == 0) return PCIX_RETRIED;
  now->bytes = (uint32_t)sim_min(bytes, want->bytes);
  *ready = begin.ready;
  return PCIX_MOVES;
}

static void pcix_open(sim *m, struct pcix *bus, uint32_t master, const struct pci_grant *want) {
  struct pcix_now *now = pcix_view(m, bus);
  int completion = want->command == PCI_COMMAND_COMPLETION;
  uint32_t window = completion ? SIM_NONE : pcix_window_of(bus->state, want->address, master);
  now->last = now->master = master;
  now->addr = want->address;
  now->bytes = pci_is_read(want->command) ? (uint32_t)sim_min(want->bytes, PCIX_READ) : want->bytes;
  now->moved = 0;
  now->tag = (uint32_t)want->tag;
  now->began = m->time;
  now->target = completion           ? pcix_tag_at(m, bus, now->tag)->master
                : window == SIM_NONE ? SIM_NONE
                                     : window / PCIX_WINDOWS;
  now->state = completion                   ? PCIX_STATE_COMPLETION
               : pci_is_read(want->command) ? PCIX_STATE_READ
                                            : PCIX_STATE_WRITE;
  sim_trace(m, bus->self, PCIX_EV_START, want->address, pcix_command(want), master);
  uint64_t response = m->time + pcix_clocks(bus, 3 + bus->params->decode), ready = 0;
  uint32_t outcome = completion                ? PCIX_MOVES
                     : now->target == SIM_NONE ? PCIX_UNCLAIMED
                                               : pcix_ask(m, bus, window, want, &ready);
  if (ready > m->time) /* wait states are whole clocks */
    ready = m->time + pcix_clocks(bus, sim_cycles_of(bus->params->clock, ready - m->time));
  if (outcome == PCIX_MOVES) pcix_block(m, bus, sim_max(response, ready), now->bytes);
  else sim_schedule_for(m, bus->self, response - m->time, SIM_PHASE_ANSWER, PCIX_BLOCK, outcome);
}

static void pcix_arbitrate(sim *m, struct pcix *bus) {
  struct pcix_now *now = pcix_view(m, bus);
  if (!bus->state->windows_known) pcix_find_windows(m, bus);
  for (uint32_t k = 1; k <= PCIX_SLOTS && now->requests; k++) {
    uint32_t slot = (now->last + k) % PCIX_SLOTS;
    if (!(now->requests & 1u << slot)) continue;
    now->requests &= ~(1u << slot);
    struct pci_grant want = {0};
    if (!call_pci_grant(m, bus->self, PCIX_PORT_SLOT + slot, &want)) continue;
    pcix_open(m, bus, slot, &want);
    break;
  }
  bus->state->starting = 0; /* only now: a master may request again while it is being granted */
  pcix_schedule(m, bus);
}

/* Ends a transaction without data: the target retries, answers later, or does not exist. */
static void pcix_without_data(sim *m, struct pcix *bus, uint32_t outcome) {
  struct pcix_now *now = pcix_view(m, bus);
  uint32_t port = PCIX_PORT_SLOT + now->master;
  if (outcome == PCIX_SPLIT) {
    bus->counters->splits++;
    sim_trace(m, bus->self, PCIX_EV_SPLIT, now->addr, now->bytes, now->master);
    *pcix_tag_at(m, bus, now->tag) =
        (pcix_tag){.addr = now->addr, .since = m->time, .left = now->bytes, .master = now->master};
    struct pci_split split = {.address = now->addr, .bytes = now->bytes};
    call_pci_split(m, bus->self, port, &split);
  } else {
    bus->counters->retries += outcome == PCIX_RETRIED;
    bus->counters->no_target += outcome == PCIX_UNCLAIMED;
    sim_trace(m, bus->self, outcome == PCIX_RETRIED ? PCIX_EV_RETRIED : PCIX_EV_UNCLAIMED, now->addr, 0,
        now->master);
    struct pci_moved moved = {.address = now->addr, .last = outcome == PCIX_UNCLAIMED};
    call_pci_moved(m, bus->self, port, &moved);
  }
  pcix_release(m, bus);
}

/* Moves the data of a block from its source to its destination. */
static void pcix_move(sim *m, struct pcix *bus, uint32_t bytes) {
  const struct pcix_now *now = pcix_view(m, bus);
  uint32_t *writes = sim_at(m, bus->state->words_at), master = PCIX_PORT_SLOT + now->master,
           target = PCIX_PORT_SLOT + now->target;
  uint32_t newest = 0;
  uint64_t value;
  __builtin_memset(writes, 0, PCIX_WORDS * 4);
  if (now->state == PCIX_STATE_READ) {
    struct pci_target_give give = {.address = now->addr, .bytes = bytes, .writes = writes};
    call_pci_target_give(m, bus->self, target, &give);
    value = give.value;
    newest = give.newest;
  } else {
    struct pci_master_give give = {.address = now->addr, .bytes = bytes, .writes = writes};
    call_pci_master_give(m, bus->self, master, &give);
    value = give.value;
  }
  if (now->state == PCIX_STATE_WRITE) {
    struct pci_target_take take = {.address = now->addr, .bytes = bytes, .value = value, .writes = writes};
    call_pci_target_take(m, bus->self, target, &take);
  } else {
    struct pci_master_take take = {
        .address = now->addr, .bytes = bytes, .value = value, .newest = newest, .writes = writes};
    call_pci_master_take(m, bus->self, now->state == PCIX_STATE_READ ? master : target, &take);
  }
}

/* Part of a split read has arrived at its master. */
static void pcix_arrived(sim *m, struct pcix *bus, uint32_t bytes) {
  const struct pcix_now *now = pcix_view(m, bus);
  pcix_tag *tag = pcix_tag_at(m, bus, now->tag);
  tag->left -= bytes;
  tag->addr += bytes;
  struct pci_moved moved = {.address = tag->addr, .bytes = bytes, .last = tag->left == 0};
  if (tag->left == 0) *tag = (pcix_tag){0};
  call_pci_moved(m, bus->self, PCIX_PORT_SLOT + now->target, &moved);
}

/* A block's data phases are complete: move its data, then continue or release the bus. */
static void pcix_block_done(sim *m, struct pcix *bus) {
  struct pcix_now *now = pcix_view(m, bus);
  pcix_move(m, bus, bus->state->accepted);
  bus->counters->bytes += bus->state->accepted;
  now->moved += bus->state->accepted;
  now->addr += bus->state->accepted;
  int yield = now->requests && m->time - now->began >= pcix_clocks(bus, bus->params->latency_timer);
  int over = yield || now->moved >= now->bytes;
  struct pci_moved moved = {.address = now->addr, .bytes = bus->state->accepted, .last = (uint32_t)over};
  if (now->state == PCIX_STATE_COMPLETION) pcix_arrived(m, bus, bus->state->accepted);
  uint32_t more = call_pci_moved(m, bus->self, PCIX_PORT_SLOT + now->master, &moved);
  if (more > 0 && !over) {
    pcix_block(m, bus, m->time, (uint32_t)sim_min(more, now->bytes - now->moved));
    return;
  }
  bus->counters->transactions++;
  bus->counters->completions += now->state == PCIX_STATE_COMPLETION;
  bus->counters->preempted += more > 0 && yield;
  int ended =
      more == 0
      || (now->state == PCIX_STATE_COMPLETION
          && !yield); /* a completion covers the data that is ready; later data is another completion */
  sim_trace(m, bus->self,
      ended   ? PCIX_EV_END
      : yield ? PCIX_EV_PREEMPTED
              : PCIX_EV_DISCONNECTED,
      now->addr - now->moved, now->moved, now->master);
  pcix_release(m, bus);
}

static void pcix_self(sim *m, struct pcix *bus, const sim_msg *msg) {
  if (msg->kind == PCIX_START) pcix_arbitrate(m, bus);
  else if (msg->x == PCIX_MOVES) pcix_block_done(m, bus);
  else pcix_without_data(m, bus, msg->x);
}

static uint32_t pcix_slot_grain(sim *m, struct pcix *bus, uint32_t slot) {
  (void)m;
  (void)bus;
  (void)slot;
  return 0;
}

/* Reads of memory are split: a completion ends where its sender says. */
static uint32_t pcix_slot_stop(sim *m, struct pcix *bus, uint32_t slot, struct pci_stop *q) {
  (void)m;
  (void)bus;
  (void)slot;
  (void)q;
  return 0;
}

static uint32_t pcix_slot_splits_reads(sim *m, struct pcix *bus, uint32_t slot) {
  (void)m;
  (void)bus;
  (void)slot;
  return 1;
}

static void pcix_slot_request(sim *m, struct pcix *bus, uint32_t slot) {
  pcix_view(m, bus)->requests |= 1u << slot;
  pcix_schedule(m, bus);
}

static int pcix_load(sim *m, uint32_t self) {
  struct pcix_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t tags = (uint32_t)SIM_PARAMS(m, self, pcix)->tags;
  struct pcix_now *now = sim_view(m, self, PCIX_VIEW_NOW, 1, sizeof *now);
  void *rows = sim_view(m, self, PCIX_VIEW_TAGS, tags, sizeof(pcix_tag));
  uint32_t *words = sim_alloc(m, PCIX_WORDS, sizeof *words);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->tags_at = sim_offset(m, rows);
  s->words_at = sim_offset(m, words);
  now->last = PCIX_SLOTS - 1;
  return SIM_OK;
}

#include "parts/bus/pcix/state.c"
