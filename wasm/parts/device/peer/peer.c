/*
 * Another bus master: it moves blocks at a given pace, directly to or from any bus address. Writes to a GT
 * card's memory need neither host memory nor processor.
 *
 *   bus  <-- bursts --> [ buffer ] <-- rate --> disks, or a link
 *    |
 *    +-- script, before the first burst of a block
 *
 * The buffer holds no more than a block. What it reads from memory counts when the other side has it; what it
 * writes to memory has come from the other side before. The script of a block is read while the other side
 * still takes what the buffer holds.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

enum peer_self { PEER_BLOCK = 1, PEER_ROOM, PEER_LEFT };

struct peer_state {
  uint32_t now_at;
  uint32_t blocks_left;
  uint32_t burst_left;  /* of the current request, while it is on the bus */
  uint32_t asked;       /* bytes of the block that have arrived, or will arrive without another request */
  uint32_t flying;      /* outstanding split reads */
  uint32_t asking;      /* whether the bus is or will be requested */
  uint32_t script_left; /* bytes of the block's script that have not arrived */
  uint32_t spare;
  /* of the block, where it writes */
  uint32_t first_write;
  uint32_t last_write;
  uint64_t due;
  uint64_t empty_at; /* time at which the other side will have taken, or refilled, what the buffer holds */
  uint64_t begin[2]; /* of the blocks that the other side takes: at most two */
  uint32_t leaving;  /* index of the next one of them */
  uint32_t left;     /* index of the next one to end */
};

static struct peer_now *peer_view(sim *m, struct peer *peer) { return sim_at(m, peer->state->now_at); }

static uint64_t peer_burst(const struct peer_params *p, uint32_t asked) {
  return sim_min(sim_min(p->burst, p->buffer), p->bytes - asked);
}

/* Requests the bus for the next read of the script. */
static void peer_ask_script(sim *m, struct peer *peer) {
  if (peer->state->asking || peer->state->flying) return;
  peer->state->asking = 1;
  call_pci_request(m, peer->self, PEER_PORT_PCI);
}

/* Requests the bus as soon as the next burst has room or, where it writes, has come from the other side. */
static void peer_ask(sim *m, struct peer *peer) {
  if (peer->state->asking || peer->state->asked >= peer->params->bytes
      || peer->state->flying >= peer->params->outstanding)
    return;
  peer->state->asking = 1;
  uint64_t burst =
      peer_burst(peer->params, peer->state->asked) + peer->state->asked - peer_view(m, peer)->moved;
  uint64_t room = sim_min(peer->params->buffer, peer->params->bytes) - sim_min(burst, peer->params->buffer),
           ahead = room * 1000000000000ull / peer->params->rate;
  uint64_t empty = peer->state->empty_at;
  if (empty <= m->time + ahead) {
    call_pci_request(m, peer->self, PEER_PORT_PCI);
    return;
  }
  peer->counters->waited += empty - ahead - m->time;
  sim_schedule(m, peer->self, empty - ahead - m->time, SIM_PHASE_REQUEST, PEER_ROOM);
}

static void peer_begin_data(sim *m, struct peer *peer) {
  peer_view(m, peer)->state = PEER_STATE_DATA;
  sim_trace(m, peer->self, PEER_EV_STATE, peer->params->bytes, PEER_STATE_DATA, 0);
  peer_ask(m, peer);
}

static void peer_begin(sim *m, struct peer *peer) {
  struct peer_now *now = peer_view(m, peer);
  now->moved = 0;
  peer->state->asked = peer->state->first_write = 0;
  now->began = m->time;
  m->cause = 0;
  peer->state->script_left = (uint32_t)peer->params->script;
  if (!peer->state->script_left) {
    peer_begin_data(m, peer);
    return;
  }
  now->state = PEER_STATE_SCRIPT;
  sim_trace(m, peer->self, PEER_EV_STATE, peer->params->script, PEER_STATE_SCRIPT, 0);
  peer_ask_script(m, peer);
}

/* A block is complete: the other side has its last byte, or memory has. */
static void peer_complete(sim *m, struct peer *peer) {
  uint64_t began = peer->state->begin[peer->state->left];
  peer->state->left ^= 1;
  peer->counters->blocks++;
  peer->counters->block_time += m->time - began;
  peer->counters->last_end = m->time;
  sim_trace(m, peer->self, PEER_EV_COMPLETE, m->time - began, 0, 0);
  if (sim_wired(m, peer->self, PEER_PORT_IRQ))
    send_irq_raise(m, peer->self, PEER_PORT_IRQ, 0, SIM_PHASE_ANSWER,
        (struct irq_raise){.first = peer->state->first_write, .last = peer->state->last_write});
}

/* The bus side of a block is done; the next one may begin while the other side still takes this one. */
static void peer_end(sim *m, struct peer *peer) {
  struct peer_now *now = peer_view(m, peer);
  now->state = PEER_STATE_IDLE;
  sim_trace(m, peer->self, PEER_EV_STATE, now->moved, PEER_STATE_IDLE, 0);
  peer->state->begin[peer->state->leaving] = now->began;
  peer->state->leaving ^= 1;
  if (peer->params->direction == PEER_DIRECTION_WRITE) peer_complete(m, peer);
  else
    sim_schedule(
        m, peer->self, sim_max(peer->state->empty_at, m->time) - m->time, SIM_PHASE_REQUEST, PEER_LEFT);
  if (--peer->state->blocks_left == 0) return;
  peer->state->due = sim_max(peer->state->due + peer->params->every, m->time);
  sim_schedule(m, peer->self, peer->state->due - m->time, SIM_PHASE_REQUEST, PEER_BLOCK);
}

/* Part of the script has arrived; the data follows when all of it is there. A script that no target answers
 * for is not waited for. */
static uint32_t peer_moved_script(sim *m, struct peer *peer, const struct pci_moved *q) {
  struct peer_state *s = peer->state;
  int completion = s->flying > 0;
  s->script_left = q->bytes || !q->last ? s->script_left - q->bytes : 0;
  peer->counters->script_bytes += q->bytes;
  if (completion) s->flying -= q->last;
  s->burst_left = completion || q->last || !q->bytes ? 0 : s->burst_left - q->bytes;
  if (s->burst_left) return s->burst_left;
  if (s->script_left) {
    peer_ask_script(m, peer);
    return 0;
  }
  peer->counters->script_time += m->time - peer_view(m, peer)->began;
  peer_begin_data(m, peer);
  return 0;
}

static uint32_t peer_pci_attributes(sim *m, struct peer *peer) {
  (void)m;
  return pci_attributes(peer->params->relaxed, peer->params->no_snoop);
}

static uint32_t peer_pci_moved(sim *m, struct peer *peer, struct pci_moved *q) {
  struct peer_now *now = peer_view(m, peer);
  if (now->state == PEER_STATE_SCRIPT) return peer_moved_script(m, peer, q);
  uint32_t left = (uint32_t)peer->params->bytes - now->moved - q->bytes;
  now->moved += q->bytes;
  peer->state->empty_at =
      sim_max(peer->state->empty_at, m->time) + q->bytes * 1000000000000ull / peer->params->rate;
  peer->counters->bytes += q->bytes;
  int completion = q->bytes && peer->state->flying
                   && !peer->state->burst_left; /* else it is the peer's own turn on the bus */
  if (completion) peer->state->flying -= q->last;
  else peer->state->asked += q->bytes;
  if (left == 0 || (q->bytes == 0 && q->last)) {
    peer_end(m, peer);
    return 0;
  }
  if (q->bytes == 0) {
    peer->state->asking = 1;
    call_pci_request(m, peer->self, PEER_PORT_PCI);
  } else if (q->last) {
    peer_ask(m, peer);
  }
  if (completion) return 0;
  uint32_t more = peer->state->burst_left - q->bytes;
  peer->state->burst_left = q->last || q->bytes == 0 ? 0 : more;
  return more;
}

/* Whole lines, by its CACHELINE_SIZE, use MWI; partial lines before and after them use MW. */
static void peer_writes(struct peer *peer, struct pci_grant *q) {
  uint64_t before = -q->address & (peer->params->line - 1);
  q->command = PCI_COMMAND_WRITE;
  if (!peer->params->invalidates || q->bytes < before + peer->params->line) return;
  if (before) {
    q->bytes = (uint32_t)before;
    return;
  }
  q->command = PCI_COMMAND_WRITE_INVALIDATE;
  q->bytes &= ~(uint32_t)(peer->params->line - 1);
  q->tag = peer->params->line;
}

/* The next read of the script. It names the strongest command that its own lines allow. */
static void peer_reads_script(struct peer *peer, struct pci_grant *q) {
  const struct peer_params *p = peer->params;
  uint64_t done = p->script - peer->state->script_left;
  q->address = p->script_address + done;
  q->bytes = (uint32_t)sim_min(p->script_burst - done % p->script_burst, peer->state->script_left);
  q->command = pci_read_command((uint32_t)p->command, p->line, q->address, q->bytes);
}

static uint32_t peer_pci_grant(sim *m, struct peer *peer, struct pci_grant *q) {
  peer->state->asking = 0;
  if (peer_view(m, peer)->state == PEER_STATE_SCRIPT) {
    peer_reads_script(peer, q);
    peer->state->burst_left = q->bytes;
    return 1;
  }
  q->address = peer->params->address + peer->state->asked;
  q->bytes = (uint32_t)peer_burst(peer->params, peer->state->asked);
  if (peer->params->direction == PEER_DIRECTION_WRITE) peer_writes(peer, q);
  else
    q->command = pci_read_command((uint32_t)peer->params->command, peer->params->line, q->address,
        peer->params->bytes - peer->state->asked);
  peer->state->burst_left = q->bytes;
  return 1;
}

/* On PCI-X: the requested data will arrive; meanwhile more can be requested. */
static void peer_pci_split(sim *m, struct peer *peer, struct pci_split *q) {
  peer->state->burst_left = 0;
  peer->state->flying++;
  if (peer_view(m, peer)->state == PEER_STATE_SCRIPT) return;
  peer->state->asked += q->bytes;
  peer_ask(m, peer);
}

static void peer_pci_master_give(sim *m, struct peer *peer, struct pci_master_give *q) {
  uint32_t n = (q->bytes + 3) / 4, first = sim_new_writes(m, n);
  if (!peer->state->first_write) peer->state->first_write = first;
  peer->state->last_write = first + n - 1;
  for (uint32_t i = 0; i < n; i++) q->writes[i] = first + i;
}

static void peer_self(sim *m, struct peer *peer, const sim_msg *msg) {
  if (msg->kind == PEER_BLOCK) peer_begin(m, peer);
  else if (msg->kind == PEER_LEFT) peer_complete(m, peer);
  else call_pci_request(m, peer->self, PEER_PORT_PCI);
}

static int peer_load(sim *m, uint32_t self) {
  const struct peer_params *q = SIM_PARAMS(m, self, peer);
  struct peer_state *s = sim_state_alloc(m, self, sizeof *s);
  struct peer_now *now = sim_view(m, self, PEER_VIEW_NOW, 1, sizeof *now);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->blocks_left = (uint32_t)q->blocks;
  s->due = q->delay;
  if (q->direction == PEER_DIRECTION_WRITE) /* nothing has come from the other side yet */
    s->empty_at = sim_min(q->buffer, q->bytes) * 1000000000000ull / q->rate;
  if (q->blocks) sim_schedule(m, self, q->delay, SIM_PHASE_REQUEST, PEER_BLOCK);
  return SIM_OK;
}
