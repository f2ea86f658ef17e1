/*
 * A network card that sends or receives.
 *
 *   doorbell --> [ waiting ] --> read descriptor --> read data  --> work --> wire
 *   wire ------> [ held ] -----> read descriptor --> write data --> work --> host, which lends the buffer
 * again
 *                                                                    |
 *                                                  interrupt after so many packets
 *
 * The card processes one packet at a time, so a delayed read delays the card.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

#define LAN_CARD_REGISTERS 4096u

enum lan_card_self {
  LAN_CARD_WORKED = 1,
  LAN_CARD_LEFT,
  LAN_CARD_ARRIVAL,
  LAN_CARD_LENT,
  LAN_CARD_INTERRUPT
};

#define LAN_CARD_ACKNOWLEDGEMENTS 64u
#define LAN_CARD_ACKNOWLEDGEMENT 68u /* bytes in memory: headers with time stamps, to a whole word */

struct lan_card_state {
  uint64_t host_free; /* when the host has processed all its packets */
  uint32_t now_at;
  uint32_t since_interrupt;
  uint32_t on_wire; /* the number of the packet that leaves, or that left last, its size and first byte */
  uint32_t wire_size;
  uint64_t wire_first;
  uint32_t acknowledgements_at;
  uint32_t wire_segment; /* whether it is a segment of TCP */
  /* since the last interrupt */
  uint32_t first_write;
  uint32_t last_write;
};

static struct lan_card_now *lan_card_view(sim *m, struct lan_card *card) {
  return sim_at(m, card->state->now_at);
}

static void lan_card_set(sim *m, struct lan_card *card, uint32_t state) {
  struct lan_card_now *now = lan_card_view(m, card);
  now->state = state;
  now->moved = 0;
  now->began = m->time;
  sim_trace(m, card->self, LAN_CARD_EV_STATE, now->packet, state, 0);
}

static struct lan_card_acknowledgements *lan_card_acknowledgement(sim *m, struct lan_card *card, uint32_t n) {
  return (struct lan_card_acknowledgements *)sim_at(m, card->state->acknowledgements_at)
         + n % LAN_CARD_ACKNOWLEDGEMENTS;
}

/* Writes the next acknowledgement to memory, if the card moves nothing else. */
static void lan_card_receive(sim *m, struct lan_card *card) {
  struct lan_card_now *now = lan_card_view(m, card);
  int moving = now->state == LAN_CARD_STATE_DESCRIPTOR || now->state == LAN_CARD_STATE_DATA;
  if (moving || now->receiving || now->written == now->arrived) return;
  now->receiving = 1;
  now->received = 0;
  call_pci_request(m, card->self, LAN_CARD_PORT_PCI);
}

static void lan_card_next(sim *m, struct lan_card *card) {
  struct lan_card_now *now = lan_card_view(m, card);
  lan_card_receive(m, card);
  int receives = card->params->receives != 0,
      begins = now->waiting && (now->held || !receives) && !now->receiving;
  lan_card_set(m, card, begins ? LAN_CARD_STATE_DESCRIPTOR : LAN_CARD_STATE_IDLE);
  if (!begins) return;
  now->waiting--;
  call_pci_request(m, card->self, LAN_CARD_PORT_PCI);
}

static uint64_t lan_card_packet_complete(sim *m, struct lan_card *card) {
  const struct lan_card_now *now = lan_card_view(m, card);
  return now->state == LAN_CARD_STATE_DESCRIPTOR ? card->params->descriptor : now->size;
}

static uint32_t lan_card_pci_grant(sim *m, struct lan_card *card, struct pci_grant *q) {
  const struct lan_card_now *now = lan_card_view(m, card);
  uint32_t place = now->packet % (uint32_t)card->params->ring, most = PCI_READ_KIND_READ;
  if (now->receiving) {
    q->address = card->params->received_at + now->written % LAN_CARD_ACKNOWLEDGEMENTS * 256 + now->received;
    q->bytes = LAN_CARD_ACKNOWLEDGEMENT - now->received;
    q->command = PCI_COMMAND_WRITE;
    return 1;
  }
  q->address = card->params->descriptors + place * card->params->descriptor + now->moved;
  if (now->state == LAN_CARD_STATE_DATA) {
    q->address = card->params->buffers + place * (card->params->bytes > 2048 ? 16384u : 2048u) + now->moved;
    most = (uint32_t)card->params->command;
  }
  q->bytes = (uint32_t)lan_card_packet_complete(m, card) - now->moved;
  q->command = card->params->receives && now->state == LAN_CARD_STATE_DATA
                   ? PCI_COMMAND_WRITE
                   : pci_read_command(most, card->params->line, q->address, q->bytes);
  return 1;
}

/* Data from the wire is a new write. */
static void lan_card_pci_master_give(sim *m, struct lan_card *card, struct pci_master_give *q) {
  uint32_t n = (q->bytes + 3) / 4, first = sim_new_writes(m, n);
  if (!card->state->first_write) card->state->first_write = first;
  card->state->last_write = first + n - 1;
  for (uint32_t i = 0; i < n; i++) q->writes[i] = first + i;
}

/* The packet has been moved: the card processes it; when sending, the next one starts after the wire has
   accepted the previous one. */
static void lan_card_work(sim *m, struct lan_card *card) {
  struct lan_card_now *now = lan_card_view(m, card);
  uint64_t ready = sim_max(m->time + card->params->work, now->wire_free);
  lan_card_set(m, card, LAN_CARD_STATE_WORK);
  sim_schedule(m, card->self, ready - m->time, SIM_PHASE_REQUEST, LAN_CARD_WORKED);
}

static uint32_t lan_card_pci_attributes(sim *m, struct lan_card *card) {
  (void)m;
  return pci_attributes(card->params->relaxed, card->params->no_snoop);
}

/* Raises the interrupt, now or when the one before is long enough ago. */
static void lan_card_raise(sim *m, struct lan_card *card) {
  card->counters->interrupts++;
  if (sim_wired(m, card->self, LAN_CARD_PORT_IRQ))
    send_irq_raise(m, card->self, LAN_CARD_PORT_IRQ, 0, SIM_PHASE_ANSWER,
        (struct irq_raise){.first = card->state->first_write, .last = card->state->last_write});
  card->state->first_write = 0;
}

static void lan_card_interrupt(sim *m, struct lan_card *card) {
  struct lan_card_now *now = lan_card_view(m, card);
  uint64_t at = sim_max(m->time + card->params->interrupt_delay, now->interrupted);
  if (now->raised) return;
  now->interrupted = at + card->params->interrupt_gap;
  if (at == m->time) {
    lan_card_raise(m, card);
    return;
  }
  now->raised = 1;
  sim_schedule(m, card->self, at - m->time, SIM_PHASE_REQUEST, LAN_CARD_INTERRUPT);
}

/* A part of an acknowledgement is in memory, or all of it. */
static uint32_t lan_card_received(sim *m, struct lan_card *card, struct pci_moved *q) {
  struct lan_card_now *now = lan_card_view(m, card);
  now->received += q->bytes;
  uint32_t left = LAN_CARD_ACKNOWLEDGEMENT - now->received;
  if (left > 0) {
    card->counters->retried += q->bytes == 0;
    if (q->bytes == 0 || q->last) call_pci_request(m, card->self, LAN_CARD_PORT_PCI);
    return left;
  }
  const struct lan_card_acknowledgements *written = lan_card_acknowledgement(m, card, now->written++);
  now->receiving = 0;
  card->counters->acknowledgements++;
  sim_trace(m, card->self, LAN_CARD_EV_ACKNOWLEDGEMENT, written->acknowledged, written->window, 0);
  lan_card_interrupt(m, card);
  if (now->state == LAN_CARD_STATE_IDLE) lan_card_next(m, card);
  else lan_card_receive(m, card);
  return 0;
}

/* The descriptor says how large the packet is. */
static void lan_card_described(sim *m, struct lan_card *card) {
  struct lan_card_now *now = lan_card_view(m, card);
  struct stack_describe description = {.packet = now->packet};
  now->segment = sim_wired(m, card->self, LAN_CARD_PORT_STACK)
                 && call_stack_describe(m, card->self, LAN_CARD_PORT_STACK, &description);
  now->size = now->segment ? description.bytes : (uint32_t)card->params->bytes;
  now->first = description.first;
}

static uint32_t lan_card_pci_moved(sim *m, struct lan_card *card, struct pci_moved *q) {
  struct lan_card_now *now = lan_card_view(m, card);
  if (now->receiving) return lan_card_received(m, card, q);
  uint32_t left = (uint32_t)lan_card_packet_complete(m, card) - now->moved - q->bytes;
  now->moved += q->bytes;
  if (left > 0) {
    card->counters->retried += q->bytes == 0;
    card->counters->broken += q->bytes && q->last;
    if (q->bytes == 0 || q->last) call_pci_request(m, card->self, LAN_CARD_PORT_PCI);
    return left;
  }
  card->counters->reading += m->time - now->began;
  if (now->state == LAN_CARD_STATE_DATA) {
    lan_card_work(m, card);
    lan_card_receive(m, card);
  } else {
    lan_card_described(m, card);
    lan_card_set(m, card, LAN_CARD_STATE_DATA);
    call_pci_request(m, card->self, LAN_CARD_PORT_PCI);
  }
  return 0;
}

static uint64_t lan_card_on_wire(struct lan_card *card, uint64_t bytes) {
  return (bytes + card->params->overhead) * 1000000000000ull / card->params->wire;
}

/* A packet arrives from the wire; the next follows immediately. */
static void lan_card_arrival(sim *m, struct lan_card *card) {
  struct lan_card_now *now = lan_card_view(m, card);
  sim_schedule(
      m, card->self, lan_card_on_wire(card, card->params->bytes), SIM_PHASE_REQUEST, LAN_CARD_ARRIVAL);
  if ((now->held + 1) * card->params->bytes > card->params->fifo) {
    card->counters->dropped++;
    sim_trace(m, card->self, LAN_CARD_EV_DROPPED, 0, (uint32_t)card->params->bytes, 0);
    return;
  }
  now->held++;
  if (now->state == LAN_CARD_STATE_IDLE) lan_card_next(m, card);
}

/* The host processes packets in order, then makes their buffers available again. */
static void lan_card_hand_over(sim *m, struct lan_card *card) {
  lan_card_view(m, card)->held--;
  card->state->host_free = sim_max(card->state->host_free, m->time) + card->params->host_time;
  sim_schedule(m, card->self, card->state->host_free - m->time, SIM_PHASE_REQUEST, LAN_CARD_LENT);
}

/* A packet has left, or is in memory: it counts now, and perhaps raises the interrupt. */
static void lan_card_finished(sim *m, struct lan_card *card, uint32_t kind, uint32_t packet, uint32_t bytes) {
  card->counters->packets++;
  card->counters->bytes += bytes;
  card->counters->last_end = m->time;
  sim_trace(m, card->self, kind, packet, bytes, 0);
  if (++card->state->since_interrupt < card->params->coalesce) return;
  card->state->since_interrupt = 0;
  lan_card_interrupt(m, card);
}

/* The card is done with a packet: it starts on the wire, or it is in memory. */
static void lan_card_worked(sim *m, struct lan_card *card) {
  struct lan_card_now *now = lan_card_view(m, card);
  uint32_t packet = now->packet++;
  if (card->params->receives) {
    lan_card_hand_over(m, card);
    lan_card_finished(m, card, LAN_CARD_EV_RECEIVED, packet, now->size);
  } else {
    now->wire_free = m->time + lan_card_on_wire(card, now->size);
    card->state->on_wire = packet;
    card->state->wire_size = now->size;
    card->state->wire_first = now->first;
    card->state->wire_segment = now->segment;
    sim_schedule(m, card->self, now->wire_free - m->time, SIM_PHASE_REQUEST, LAN_CARD_LEFT);
  }
  lan_card_next(m, card);
}

/* The last bit of a packet has left. */
static void lan_card_left(sim *m, struct lan_card *card) {
  const struct lan_card_state *s = card->state;
  lan_card_finished(m, card, LAN_CARD_EV_SENT, s->on_wire, s->wire_size);
  if (s->wire_segment && sim_wired(m, card->self, LAN_CARD_PORT_LINE))
    send_wire_frame(m, card->self, LAN_CARD_PORT_LINE, 0, SIM_PHASE_ANSWER,
        (struct wire_frame){.first = s->wire_first, .bytes = s->wire_size});
}

/* An acknowledgement from the wire. */
static void lan_card_line_acknowledge(sim *m, struct lan_card *card, const struct wire_acknowledge *q) {
  struct lan_card_now *now = lan_card_view(m, card);
  if (now->arrived - now->taken == LAN_CARD_ACKNOWLEDGEMENTS) { /* the next one says the same and more */
    card->counters->dropped++;
    return;
  }
  *lan_card_acknowledgement(m, card, now->arrived++) =
      (struct lan_card_acknowledgements){.acknowledged = q->acknowledged, .window = q->window};
  lan_card_receive(m, card);
}

static uint32_t lan_card_stack_receive(sim *m, struct lan_card *card, struct stack_receive *q) {
  struct lan_card_now *now = lan_card_view(m, card);
  if (now->taken == now->written) return 0;
  const struct lan_card_acknowledgements *oldest = lan_card_acknowledgement(m, card, now->taken++);
  q->acknowledged = oldest->acknowledged;
  q->window = oldest->window;
  return 1;
}

static void lan_card_self(sim *m, struct lan_card *card, const sim_msg *msg) {
  struct lan_card_now *now = lan_card_view(m, card);
  if (msg->kind == LAN_CARD_WORKED) {
    lan_card_worked(m, card);
  } else if (msg->kind == LAN_CARD_LEFT) {
    lan_card_left(m, card);
  } else if (msg->kind == LAN_CARD_INTERRUPT) {
    now->raised = 0;
    lan_card_raise(m, card);
  } else if (msg->kind == LAN_CARD_ARRIVAL) {
    lan_card_arrival(m, card);
  } else {
    now->waiting++;
    if (now->state == LAN_CARD_STATE_IDLE) lan_card_next(m, card);
  }
}

/* The card as target: its registers. */
static uint32_t lan_card_pci_claim(sim *m, struct lan_card *card, struct pci_claim *q) {
  (void)m;
  q->base = card->params->registers;
  q->length = LAN_CARD_REGISTERS;
  return q->which == 0;
}

static uint32_t lan_card_pci_begin(sim *m, struct lan_card *card, struct pci_begin *q) {
  (void)card;
  q->ready = m->time;
  return (uint32_t)sim_min(q->bytes, 8);
}

static void lan_card_pci_target_give(sim *m, struct lan_card *card, struct pci_target_give *q) {
  (void)m;
  q->value = card->counters->packets;
}

static void lan_card_pci_target_take(sim *m, struct lan_card *card, struct pci_target_take *q) {
  struct lan_card_now *now = lan_card_view(m, card);
  card->counters->doorbells++;
  if (!card->params->receives)
    now->waiting += (uint32_t)q->value; /* receive buffers are supplied by the host */
  sim_trace(m, card->self, LAN_CARD_EV_DOORBELL, 0, (uint32_t)q->value, now->waiting);
  if (now->state == LAN_CARD_STATE_IDLE) lan_card_next(m, card);
}

static int lan_card_load(sim *m, uint32_t self) {
  struct lan_card_state *s = sim_state_alloc(m, self, sizeof *s);
  struct lan_card_now *now = sim_view(m, self, LAN_CARD_VIEW_NOW, 1, sizeof *now);
  void *acknowledgements = sim_view(m, self, LAN_CARD_VIEW_ACKNOWLEDGEMENTS, LAN_CARD_ACKNOWLEDGEMENTS,
      sizeof(struct lan_card_acknowledgements));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->acknowledgements_at = sim_offset(m, acknowledgements);
  now->size = (uint32_t)SIM_PARAMS(m, self, lan_card)->bytes;
  if (SIM_PARAMS(m, self, lan_card)->receives == 0) return SIM_OK;
  now->waiting = (uint32_t)SIM_PARAMS(m, self, lan_card)->ring;
  sim_schedule(m, self, lan_card_on_wire(SIM_CONTEXT(m, self, lan_card), now->size), SIM_PHASE_REQUEST,
      LAN_CARD_ARRIVAL);
  return SIM_OK;
}
