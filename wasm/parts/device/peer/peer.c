/*
 * Another bus master: it moves blocks at a given pace, directly to or from any bus address. Writes to a GT card's
 * memory need neither host memory nor processor.
 *
 *   bus  <-- bursts --> [ buffer ] <-- rate --> disks, or a link
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

enum peer_self { PEER_BLOCK = 1, PEER_ROOM };

struct peer_state {
  uint32_t now_at, blocks_left;
  uint32_t burst_left; /* of the current request, while it is on the bus */
  uint32_t asked;      /* bytes of the block that have arrived, or will arrive without another request */
  uint32_t flying, asking; /* outstanding split reads; whether the bus is or will be requested */
  uint32_t first_write, last_write; /* of the block, where it writes */
  uint64_t due;
  uint64_t empty_at; /* time at which the other side will have caught up */
};

static struct peer_now *peer_view(sim *m, uint32_t self) { return sim_at(m, SIM_STATE(m, self, peer)->now_at); }

/* Requests the bus as soon as the next burst has room. */
static void peer_ask(sim *m, uint32_t self) {
  const struct peer_params *q = SIM_PARAMS(m, self, peer);
  struct peer_state *s = SIM_STATE(m, self, peer);
  if (s->asking || s->asked >= q->bytes || s->flying >= q->outstanding) return;
  s->asking = 1;
  uint64_t burst = sim_min(q->burst, q->bytes - s->asked) + s->asked - peer_view(m, self)->moved;
  uint64_t room = sim_min(q->buffer, q->bytes) - sim_min(burst, q->buffer), ahead = room * 1000000000000ull / q->rate;
  uint64_t empty = s->empty_at;
  if (empty <= m->time + ahead) {
    call_pci_request(m, self, PEER_PORT_PCI);
    return;
  }
  SIM_COUNTERS(m, self, peer)->waited += empty - ahead - m->time;
  sim_schedule(m, self, empty - ahead - m->time, SIM_PHASE_REQUEST, PEER_ROOM);
}

static void peer_begin(sim *m, uint32_t self) {
  struct peer_now *now = peer_view(m, self);
  now->state = PEER_STATE_DATA;
  now->moved = 0;
  SIM_STATE(m, self, peer)->asked = SIM_STATE(m, self, peer)->first_write = 0;
  now->began = m->time;
  m->cause = 0;
  sim_trace(m, self, PEER_EV_STATE, SIM_PARAMS(m, self, peer)->bytes, PEER_STATE_DATA, 0);
  peer_ask(m, self);
}

static void peer_end(sim *m, uint32_t self) {
  struct peer_state *s = SIM_STATE(m, self, peer);
  const struct peer_params *q = SIM_PARAMS(m, self, peer);
  struct peer_counters *c = SIM_COUNTERS(m, self, peer);
  struct peer_now *now = peer_view(m, self);
  c->blocks++;
  c->block_time += m->time - now->began;
  c->last_end = m->time;
  now->state = PEER_STATE_IDLE;
  sim_trace(m, self, PEER_EV_STATE, now->moved, PEER_STATE_IDLE, 0);
  if (sim_wired(m, self, PEER_PORT_IRQ)) send_irq_raise(m, self, PEER_PORT_IRQ, 0, SIM_PHASE_ANSWER, (struct irq_raise){.first = s->first_write, .last = s->last_write});
  if (--s->blocks_left == 0) return;
  s->due = sim_max(s->due + q->every, m->time);
  sim_schedule(m, self, s->due - m->time, SIM_PHASE_REQUEST, PEER_BLOCK);
}

static uint32_t peer_pci_moved(sim *m, uint32_t self, struct pci_moved *q) {
  struct peer_now *now = peer_view(m, self);
  const struct peer_params *p = SIM_PARAMS(m, self, peer);
  struct peer_state *s = SIM_STATE(m, self, peer);
  uint32_t left = (uint32_t)p->bytes - now->moved - q->bytes;
  now->moved += q->bytes;
  s->empty_at = sim_max(s->empty_at, m->time) + q->bytes * 1000000000000ull / p->rate;
  SIM_COUNTERS(m, self, peer)->bytes += q->bytes;
  int completion = q->bytes && s->flying && !s->burst_left; /* else it is the peer's own turn on the bus */
  if (completion) s->flying -= q->last;
  else s->asked += q->bytes;
  if (left == 0 || (q->bytes == 0 && q->last)) {
    peer_end(m, self);
    return 0;
  }
  if (q->bytes == 0) {
    s->asking = 1;
    call_pci_request(m, self, PEER_PORT_PCI);
  } else if (q->last) {
    peer_ask(m, self);
  }
  if (completion) return 0;
  uint32_t more = s->burst_left - q->bytes;
  s->burst_left = q->last || q->bytes == 0 ? 0 : more;
  return more;
}

/* Whole lines, by its CACHELINE_SIZE, use MWI; partial lines before and after them use MW. */
static void peer_writes(sim *m, uint32_t self, struct pci_grant *q) {
  const struct peer_params *p = SIM_PARAMS(m, self, peer);
  uint64_t before = -q->address & (p->line - 1);
  q->command = PCI_COMMAND_WRITE;
  if (!p->invalidates || q->bytes < before + p->line) return;
  if (before) {
    q->bytes = (uint32_t)before;
    return;
  }
  q->command = PCI_COMMAND_WRITE_INVALIDATE;
  q->bytes &= ~(uint32_t)(p->line - 1);
  q->tag = p->line;
}

static uint32_t peer_pci_grant(sim *m, uint32_t self, struct pci_grant *q) {
  const struct peer_params *p = SIM_PARAMS(m, self, peer);
  struct peer_state *s = SIM_STATE(m, self, peer);
  s->asking = 0;
  q->address = p->address + s->asked;
  q->bytes = (uint32_t)sim_min(p->burst, p->bytes - s->asked);
  if (p->direction == PEER_DIRECTION_WRITE) peer_writes(m, self, q);
  else q->command = pci_read_command((uint32_t)p->command, p->line, q->address, p->bytes - s->asked);
  s->burst_left = q->bytes;
  return 1;
}

/* On PCI-X: the requested data will arrive; meanwhile more can be requested. */
static void peer_pci_split(sim *m, uint32_t self, struct pci_split *q) {
  struct peer_state *s = SIM_STATE(m, self, peer);
  s->burst_left = 0;
  s->asked += q->bytes;
  s->flying++;
  peer_ask(m, self);
}

static void peer_pci_master_give(sim *m, uint32_t self, struct pci_master_give *q) {
  struct peer_state *s = SIM_STATE(m, self, peer);
  uint32_t n = (q->bytes + 3) / 4, first = sim_new_writes(m, n);
  if (!s->first_write) s->first_write = first;
  s->last_write = first + n - 1;
  for (uint32_t i = 0; i < n; i++) q->writes[i] = first + i;
}

static void peer_self(sim *m, uint32_t self, const sim_msg *msg) {
  if (msg->kind == PEER_BLOCK) peer_begin(m, self);
  else call_pci_request(m, self, PEER_PORT_PCI);
}

static int peer_load(sim *m, uint32_t self) {
  const struct peer_params *q = SIM_PARAMS(m, self, peer);
  struct peer_state *s = sim_state_alloc(m, self, sizeof *s);
  struct peer_now *now = sim_view(m, self, PEER_VIEW_NOW, 1, sizeof *now);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->blocks_left = (uint32_t)q->blocks;
  s->due = q->delay;
  if (q->blocks) sim_schedule(m, self, q->delay, SIM_PHASE_REQUEST, PEER_BLOCK);
  return SIM_OK;
}
