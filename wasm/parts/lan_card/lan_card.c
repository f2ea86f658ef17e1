/*
 * A network card that sends.
 *
 *   doorbell --> [ waiting ] --> read descriptor --> read data --> work --> wire
 *                                                                  |
 *                                                interrupt after so many packets
 *
 * One packet is under way at a time, so whatever holds up its reads holds up the card.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

#define LAN_CARD_APART 2048u
#define LAN_CARD_REGISTERS 4096u

enum lan_card_self { LAN_CARD_WORKED = 1 };

struct lan_card_state {
  uint32_t now_at, since_interrupt;
};

static struct lan_card_now *lan_card_view(by *m, uint32_t self) { return by_at(m, BY_STATE(m, self, lan_card)->now_at); }

static void lan_card_set(by *m, uint32_t self, uint32_t state) {
  struct lan_card_now *now = lan_card_view(m, self);
  now->state = state;
  now->moved = 0;
  now->began = m->time;
  by_trace(m, self, LAN_CARD_EV_STATE, now->packet, state, 0);
}

static void lan_card_next(by *m, uint32_t self) {
  struct lan_card_now *now = lan_card_view(m, self);
  lan_card_set(m, self, now->waiting ? LAN_CARD_STATE_DESCRIPTOR : LAN_CARD_STATE_IDLE);
  if (!now->waiting) return;
  now->waiting--;
  ask_pci_request(m, self, LAN_CARD_PORT_PCI);
}

static uint64_t lan_card_whole(by *m, uint32_t self) {
  const struct lan_card_params *p = BY_PARAMS(m, self, lan_card);
  return lan_card_view(m, self)->state == LAN_CARD_STATE_DESCRIPTOR ? p->descriptor : p->bytes;
}

static uint32_t lan_card_pci_grant(by *m, uint32_t self, struct pci_grant *q) {
  const struct lan_card_params *p = BY_PARAMS(m, self, lan_card);
  const struct lan_card_now *now = lan_card_view(m, self);
  uint32_t place = now->packet % (uint32_t)p->ring, most = PCI_MOST_READ;
  q->address = p->descriptors + place * p->descriptor + now->moved;
  if (now->state == LAN_CARD_STATE_DATA) {
    q->address = p->buffers + place * LAN_CARD_APART + now->moved;
    most = (uint32_t)p->command;
  }
  q->bytes = (uint32_t)lan_card_whole(m, self) - now->moved;
  q->command = pci_read_command(most, p->line, q->address, q->bytes);
  return 1;
}

/* The packet has been read: the card works on it, and begins the next when the wire has taken the one before. */
static void lan_card_work(by *m, uint32_t self) {
  const struct lan_card_params *p = BY_PARAMS(m, self, lan_card);
  struct lan_card_now *now = lan_card_view(m, self);
  uint64_t ready = by_max(m->time + p->work, now->wire_free);
  lan_card_set(m, self, LAN_CARD_STATE_WORK);
  by_self(m, self, ready - m->time, BY_PHASE_REQUEST, LAN_CARD_WORKED, 0, 0, 0);
}

static uint32_t lan_card_pci_moved(by *m, uint32_t self, struct pci_moved *q) {
  struct lan_card_counters *c = BY_COUNTERS(m, self, lan_card);
  struct lan_card_now *now = lan_card_view(m, self);
  uint32_t left = (uint32_t)lan_card_whole(m, self) - now->moved - q->bytes;
  now->moved += q->bytes;
  if (left > 0) {
    c->retried += q->bytes == 0;
    c->broken += q->bytes && q->last;
    if (q->bytes == 0 || q->last) ask_pci_request(m, self, LAN_CARD_PORT_PCI);
    return left;
  }
  c->reading += m->time - now->began;
  if (now->state == LAN_CARD_STATE_DATA) {
    lan_card_work(m, self);
  } else {
    lan_card_set(m, self, LAN_CARD_STATE_DATA);
    ask_pci_request(m, self, LAN_CARD_PORT_PCI);
  }
  return 0;
}

static void lan_card_self(by *m, uint32_t self, const by_msg *msg) {
  (void)msg;
  const struct lan_card_params *p = BY_PARAMS(m, self, lan_card);
  struct lan_card_state *s = BY_STATE(m, self, lan_card);
  struct lan_card_counters *c = BY_COUNTERS(m, self, lan_card);
  struct lan_card_now *now = lan_card_view(m, self);
  now->wire_free = m->time + (p->bytes + p->overhead) * 1000000000000ull / p->wire;
  c->packets++;
  c->bytes += p->bytes;
  c->last_end = m->time;
  by_trace(m, self, LAN_CARD_EV_SENT, now->packet, (uint32_t)p->bytes, 0);
  now->packet++;
  if (++s->since_interrupt >= p->coalesce) {
    s->since_interrupt = 0;
    if (by_wired(m, self, LAN_CARD_PORT_IRQ)) send_irq_raise(m, self, LAN_CARD_PORT_IRQ, 0, BY_PHASE_ANSWER, (struct irq_raise){0});
  }
  lan_card_next(m, self);
}

/* The card as target: its registers. */
static uint32_t lan_card_pci_window(by *m, uint32_t self, struct pci_window *q) {
  q->base = BY_PARAMS(m, self, lan_card)->registers;
  q->length = LAN_CARD_REGISTERS;
  return q->which == 0;
}

static uint32_t lan_card_pci_begin(by *m, uint32_t self, struct pci_begin *q) {
  (void)self;
  q->ready = m->time;
  return (uint32_t)by_min(q->bytes, 8);
}

static void lan_card_pci_target_give(by *m, uint32_t self, struct pci_target_give *q) { q->value = BY_COUNTERS(m, self, lan_card)->packets; }

static void lan_card_pci_target_take(by *m, uint32_t self, struct pci_target_take *q) {
  struct lan_card_now *now = lan_card_view(m, self);
  BY_COUNTERS(m, self, lan_card)->doorbells++;
  now->waiting += (uint32_t)q->value;
  by_trace(m, self, LAN_CARD_EV_DOORBELL, 0, (uint32_t)q->value, now->waiting);
  if (now->state == LAN_CARD_STATE_IDLE) lan_card_next(m, self);
}

static int lan_card_load(by *m, uint32_t self) {
  struct lan_card_state *s = by_state_alloc(m, self, sizeof *s);
  void *now = by_view(m, self, LAN_CARD_VIEW_NOW, 1, sizeof(struct lan_card_now));
  if (!s || !now) return BY_NO_MEMORY;
  s->now_at = by_offset(m, now);
  return BY_OK;
}
