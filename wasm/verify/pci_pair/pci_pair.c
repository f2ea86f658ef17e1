/*
 * A host and a card on either side of the explored parts, and the guarantees of PCI's ordering rules.
 *
 *   host:  data in memory, command to the card ... polls its status ... the result is in memory
 *          word to the card, flag in memory
 *   card:  command --> reads the data --> writes the result --> says that it is done
 *          looks at the flag at any time: if it is the new one, the word must have come
 *
 * One bit distinguishes commands and flags: anything older than the newest has the other value.
 */
#include "core/engine.h"
#include "core/state_codec.h"
#include "gen/protocols.h"
#include "pci.h"

#define PAIR_HOST 0u
#define PAIR_FLAG 0x1000ull /* the card reads flag and data consecutively, so prefetched data is used */
#define PAIR_DATA 0x1004ull
#define PAIR_RESULT 0x2000ull
#define PAIR_CARD 0xf0000000ull

enum pci_pair_register { PAIR_COMMAND = 0, PAIR_STATUS = 4, PAIR_WORD = 8 };
enum pci_testbench_step { PAIR_IDLE, PAIR_READS, PAIR_WRITES, PAIR_POLLS };

struct pci_pair_state {
  uint32_t now_at;
  uint32_t spare;
};

static struct pci_pair_now *pci_pair_view(sim *m, struct pci_pair *pair) {
  return sim_at(m, pair->state->now_at);
}
/* A bit as the number of a write. */
static uint32_t pci_pair_number(uint32_t bit) { return 1 + bit; }

static void pci_testbench_request(sim *m, struct pci_pair *pair, uint32_t who) {
  sim_schedule_with(m, pair->self, 0, SIM_PHASE_REQUEST, 1, who, 0, 0);
}

static uint32_t pci_pair_list(sim *m, struct pci_pair *pair, uint32_t who, uint32_t *list) {
  const struct pci_pair_now *now = pci_pair_view(m, pair);
  uint32_t n = 0;
  if (who != PAIR_HOST) {
    if (now->does == PAIR_IDLE && now->received == now->status && now->unseen)
      list[n++] = PCI_PAIR_ACTION_LOOK;
    return n;
  }
  if (now->queued) return 0;
  if (!now->job) list[n++] = PCI_PAIR_ACTION_COMMAND;
  else if (!now->polls) list[n++] = PCI_PAIR_ACTION_POLL;
  if (!now->unseen) list[n++] = PCI_PAIR_ACTION_FLAG;
  return n;
}

/* The host's request for the bus: a register, and a bit for it. */
static void pci_pair_put(sim *m, struct pci_pair *pair, uint32_t reg, uint32_t bit) {
  struct pci_pair_now *now = pci_pair_view(m, pair);
  now->queued = 1;
  now->first = reg << 1 | bit;
  call_pci_request(m, pair->self, PCI_PAIR_PORT_BUS);
}

/* Starts the card's next action. */
static void pci_testbench_step(sim *m, struct pci_pair *pair, uint32_t does) {
  pci_pair_view(m, pair)->does = does;
  if (does) call_pci_request(m, pair->self, PCI_PAIR_PORT_BUS + 1);
}

static void pci_pair_self(sim *m, struct pci_pair *pair, const sim_msg *msg) {
  struct pci_pair_now *now = pci_pair_view(m, pair);
  uint32_t list[4], who = (uint32_t)msg->addr,
                    action = list[sim_choose(m, SIM_CHOOSE_ACTION, pci_pair_list(m, pair, who, list))];
  sim_trace(m, pair->self, PCI_PAIR_EV_ACTS, 0, action, 0);
  switch (action) {
    case PCI_PAIR_ACTION_COMMAND:
      now->job = 1;
      now->data = now->command = !now->command;
      pci_pair_put(m, pair, PAIR_COMMAND, now->command);
      break;
    case PCI_PAIR_ACTION_POLL:
      now->polls = 1;
      pci_pair_put(m, pair, PAIR_STATUS, 0);
      break;
    case PCI_PAIR_ACTION_FLAG:
      now->unseen = 1;
      now->flag = !now->flag;
      pci_pair_put(m, pair, PAIR_WORD, now->flag);
      break;
    default: pci_testbench_step(m, pair, PAIR_POLLS);
  }
  pci_testbench_request(m, pair, who);
}

/* Both wait until they have a permitted action. */
static uint32_t pci_pair_enabled(sim *m, struct pci_pair *pair, const sim_msg *msg) {
  uint32_t list[4];
  return pci_pair_list(m, pair, (uint32_t)msg->addr, list) ? SIM_ENABLED : SIM_DISABLED;
}

static uint32_t pci_pair_bus_claim(sim *m, struct pci_pair *pair, uint32_t side, struct pci_claim *q) {
  (void)m;
  (void)pair->self;
  q->base = side == PAIR_HOST ? 0 : PAIR_CARD;
  q->length = side == PAIR_HOST ? 0x10000 : 0x1000;
  return q->which == 0;
}

static uint32_t pci_pair_bus_grant(sim *m, struct pci_pair *pair, uint32_t side, struct pci_grant *q) {
  const struct pci_pair_now *now = pci_pair_view(m, pair);
  uint32_t reg = now->first >> 1;
  if (side == PAIR_HOST ? now->queued == 0 : now->does == PAIR_IDLE) return 0;
  if (side == PAIR_HOST)
    *q = (struct pci_grant){.address = PAIR_CARD + reg,
        .bytes = 4,
        .command = reg == PAIR_STATUS ? PCI_COMMAND_READ : PCI_COMMAND_WRITE};
  else if (now->does == PAIR_WRITES)
    *q = (struct pci_grant){.address = PAIR_RESULT, .bytes = 4, .command = PCI_COMMAND_WRITE};
  else
    *q = (struct pci_grant){
        .address = now->does == PAIR_POLLS ? PAIR_FLAG : PAIR_DATA, .bytes = 4, .command = PCI_COMMAND_READ};
  return 1;
}

static void pci_pair_bus_master_give(
    sim *m, struct pci_pair *pair, uint32_t side, struct pci_master_give *q) {
  const struct pci_pair_now *now = pci_pair_view(m, pair);
  q->value = side == PAIR_HOST ? now->first & 1 : 0;
  q->writes[0] = side == PAIR_HOST ? 0 : pci_pair_number(now->received);
}

static void pci_pair_bus_master_take(
    sim *m, struct pci_pair *pair, uint32_t side, struct pci_master_take *q) {
  struct pci_pair_now *now = pci_pair_view(m, pair);
  if (side == PAIR_HOST) now->value = (uint32_t)q->value & 1;
  else now->got = q->writes[0] == pci_pair_number(1);
}

/* The host's bus request is done. A host that learns of completion must find the result. */
static void pci_pair_host_moved(sim *m, struct pci_pair *pair) {
  struct pci_pair_now *now = pci_pair_view(m, pair);
  uint32_t reg = now->first >> 1;
  now->queued = now->first = 0;
  if (reg != PAIR_STATUS) return;
  now->polls = 0;
  if (!now->value) return;
  now->job = 0;
  sim_trace(m, pair->self, PCI_PAIR_EV_DONE, 0, now->command, 0);
  if (now->result != now->command) sim_broken(m, pair->self, SIM_DONE_IS_DONE, PAIR_RESULT);
}

/* The card's request is done. Its data must be that of the command; after a new flag the word before it must
   have arrived. */
static void pci_pair_card_moved(sim *m, struct pci_pair *pair) {
  struct pci_pair_now *now = pci_pair_view(m, pair);
  uint32_t did = now->does;
  pci_testbench_step(m, pair, PAIR_IDLE);
  if (did != PAIR_WRITES)
    sim_trace(m, pair->self, PCI_PAIR_EV_CARD, did == PAIR_POLLS ? PAIR_FLAG : PAIR_DATA, now->got, 0);
  if (did == PAIR_READS) {
    if (now->got != now->received) sim_broken(m, pair->self, SIM_CURRENT_DEVICE, PAIR_DATA);
    pci_testbench_step(m, pair, PAIR_WRITES);
  } else if (did == PAIR_WRITES) {
    now->status = now->received;
  } else if (now->got == now->flag) {
    now->unseen = 0;
    if (now->word != now->flag) sim_broken(m, pair->self, SIM_IN_ORDER, PAIR_FLAG);
  }
  if (now->does == PAIR_IDLE && now->received != now->status)
    pci_testbench_step(m, pair, PAIR_READS); /* a command arrived meanwhile */
}

static uint32_t pci_pair_bus_moved(sim *m, struct pci_pair *pair, uint32_t side, struct pci_moved *q) {
  if (q->bytes == 0) call_pci_request(m, pair->self, PCI_PAIR_PORT_BUS + side);
  else if (side == PAIR_HOST) pci_pair_host_moved(m, pair);
  else pci_pair_card_moved(m, pair);
  return 0;
}

/* The host obeys the rules too: its data does not pass a store that it still has. */
static uint32_t pci_pair_bus_begin(sim *m, struct pci_pair *pair, uint32_t side, struct pci_begin *q) {
  const struct pci_pair_now *now = pci_pair_view(m, pair);
  q->ready = m->time;
  int stores = side == PAIR_HOST && now->queued && now->first >> 1 != PAIR_STATUS;
  return stores && pci_is_read(q->command) ? 0 : q->bytes;
}

static void pci_pair_bus_target_give(
    sim *m, struct pci_pair *pair, uint32_t side, struct pci_target_give *q) {
  const struct pci_pair_now *now = pci_pair_view(m, pair);
  q->value = side != PAIR_HOST && now->status == now->received;
  for (uint64_t at = q->address; at < q->address + q->bytes && side == PAIR_HOST; at += 4)
    q->writes[(at - q->address) / 4] = at == PAIR_FLAG   ? pci_pair_number(now->flag)
                                       : at == PAIR_DATA ? pci_pair_number(now->data)
                                                         : 0;
}

static void pci_pair_bus_target_take(
    sim *m, struct pci_pair *pair, uint32_t side, struct pci_target_take *q) {
  struct pci_pair_now *now = pci_pair_view(m, pair);
  if (side == PAIR_HOST) now->result = q->writes[0] == pci_pair_number(1);
  else if (q->address == PAIR_CARD + PAIR_WORD) now->word = (uint32_t)q->value;
  else {
    now->received = (uint32_t)q->value;
    if (now->does == PAIR_IDLE) pci_testbench_step(m, pair, PAIR_READS);
  }
}

static int pci_pair_load(sim *m, uint32_t self) {
  struct pci_pair_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, PCI_PAIR_VIEW_NOW, 1, sizeof(struct pci_pair_now));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  for (uint32_t who = 0; who < 2; who++) pci_testbench_request(m, SIM_CONTEXT(m, self, pci_pair), who);
  return SIM_OK;
}

static void pci_pair_serialize(sim *m, struct pci_pair *pair, struct sim_codec *k) {
  struct pci_pair_now *now = pci_pair_view(m, pair);
  if (now->does != PAIR_READS && now->does != PAIR_POLLS) now->got = 0;
  if (!now->polls) now->value = 0;
  for (uint32_t *field = &now->command; field <= &now->value; field++) sim_codec_u8(k, field);
}
