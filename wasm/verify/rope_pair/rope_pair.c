/*
 * Processors on a system bus adapter and a card behind it, and the guarantees of coherence and PCI's ordering
 * rules.
 *
 *   processors:  data in memory, command to the card ... is it done? ... the result is in memory
 *                word to the card, flag in memory
 *                a look at the data, which takes its line into a cache
 *   card:        command --> reads the data --> writes the result --> says that it is done, reads it back
 *                looks at the flag at any time: if it is the new one, the word must have come
 *
 *   mapping:     a command's data lies in a page that is mapped for it, and unmapped when it is known to be
 * done
 *
 * One bit distinguishes commands and flags: anything older than the newest has the other value.
 */
#include "core/engine.h"
#include "core/state_codec.h"
#include "gen/protocols.h"
#include "pci.h"

#define ROPE_PAIR_CPUS 2u
#define ROPE_PAIR_CARD ROPE_PAIR_CPUS
#define ROPE_PAIR_FLAG 0x1000ull
#define ROPE_PAIR_LINE 128u
#define ROPE_PAIR_REGISTERS 0xf0000000ull
#define ROPE_PAIR_BLOCK 8u
#define ROPE_PAIR_OTHER 0x400ull /* from one page in memory to the other, if there are two */

enum rope_pair_register { ROPE_PAIR_COMMAND = 0, ROPE_PAIR_STATUS = 4, ROPE_PAIR_WORD = 8 };
enum rope_testbench_step {
  ROPE_PAIR_IDLE,
  ROPE_PAIR_READS,
  ROPE_PAIR_WRITES,
  ROPE_PAIR_CHECKS,
  ROPE_PAIR_POLLS
};

struct rope_pair_state {
  uint32_t now_at;
  uint32_t cpus_at;
};

static struct rope_pair_now *rope_pair_view(sim *m, struct rope_pair *pair) {
  return sim_at(m, pair->state->now_at);
}
static uint32_t *rope_pair_waits(sim *m, struct rope_pair *pair, uint32_t cpu) {
  return &((struct rope_pair_processors *)sim_at(m, pair->state->cpus_at) + cpu)->waits;
}
static uint64_t rope_pair_data(struct rope_pair *pair) { return pair->params->data; }
/* The memory address of the newest command's data. */
static uint64_t rope_pair_place(sim *m, struct rope_pair *pair) {
  return rope_pair_data(pair)
         + (pair->params->page && rope_pair_view(m, pair)->command ? ROPE_PAIR_OTHER : 0);
}
static uint64_t rope_pair_result(struct rope_pair *pair) { return pair->params->result; }
static uint32_t rope_pair_polls(struct rope_pair *pair) {
  return pair->params->learns == ROPE_PAIR_LEARNS_POLL;
}

static void rope_testbench_request(sim *m, struct rope_pair *pair, uint32_t who) {
  sim_schedule_with(m, pair->self, 0, SIM_PHASE_REQUEST, 1, who, 0, 0);
}

static uint32_t rope_pair_list(sim *m, struct rope_pair *pair, uint32_t who, uint32_t *list) {
  const struct rope_pair_now *now = rope_pair_view(m, pair);
  uint32_t n = 0;
  if (who == ROPE_PAIR_CARD) {
    if (now->does == ROPE_PAIR_IDLE && now->received == now->status && now->unseen)
      list[n++] = ROPE_PAIR_ACTION_LOOK;
    return n;
  }
  if (*rope_pair_waits(m, pair, who)) return 0;
  if (!now->job) list[n++] = ROPE_PAIR_ACTION_COMMAND;
  else if (!now->polls && rope_pair_polls(pair)) list[n++] = ROPE_PAIR_ACTION_POLL;
  if (!pair->params->flags) list[n++] = ROPE_PAIR_ACTION_LOAD;
  else if (!now->unseen) list[n++] = ROPE_PAIR_ACTION_FLAG;
  return n;
}

/* Starts the card's next action. */
static void rope_testbench_step(sim *m, struct rope_pair *pair, uint32_t does) {
  rope_pair_view(m, pair)->does = does;
  if (does) call_pci_request(m, pair->self, ROPE_PAIR_PORT_BUS);
}

static void rope_pair_post(sim *m, struct rope_pair *pair, uint32_t cpu, uint32_t reg, uint32_t bit) {
  struct front_post q = {.address = ROPE_PAIR_REGISTERS + reg, .bytes = 4, .value = bit};
  if (!call_front_post(m, pair->self, ROPE_PAIR_PORT_FRONT + cpu, &q))
    __builtin_trap(); /* a rope has room for the maximum number */
}

/* The processor has the line: performs its access. */
static void rope_pair_has_line(sim *m, struct rope_pair *pair, uint32_t cpu, uint32_t why) {
  const struct rope_pair_now *now = rope_pair_view(m, pair);
  uint32_t bit = why == ROPE_PAIR_WAITS_DATA ? now->command : now->flag, write = 1 + bit;
  *rope_pair_waits(m, pair, cpu) = 0;
  if (why == ROPE_PAIR_WAITS_LOAD) return;
  call_front_observe(m, pair->self, ROPE_PAIR_PORT_FRONT + cpu,
      &(struct front_observe){
          .address = why == ROPE_PAIR_WAITS_DATA ? rope_pair_place(m, pair) : ROPE_PAIR_FLAG,
          .bytes = 4,
          .set = 1,
          .writes = &write});
  if (why == ROPE_PAIR_WAITS_DATA) rope_pair_post(m, pair, cpu, ROPE_PAIR_COMMAND, bit);
}

/* A load or store, immediate if the cache has the line. */
static void rope_pair_touches(sim *m, struct rope_pair *pair, uint32_t cpu, uint64_t address, uint32_t why) {
  struct cache_access_untimed touch = {.address = address, .store = why != ROPE_PAIR_WAITS_LOAD};
  if (call_cache_access_untimed(m, pair->self, ROPE_PAIR_PORT_CACHE + cpu, &touch)) {
    rope_pair_has_line(m, pair, cpu, why);
    return;
  }
  *rope_pair_waits(m, pair, cpu) = why;
  send_front_fill(m, pair->self, ROPE_PAIR_PORT_FRONT + cpu, 0, SIM_PHASE_REQUEST,
      (struct front_fill){.address = address & ~(uint64_t)(ROPE_PAIR_LINE - 1),
          .bytes = ROPE_PAIR_LINE,
          .dirty = touch.dirty});
}

static void rope_pair_self(sim *m, struct rope_pair *pair, const sim_msg *msg) {
  struct rope_pair_now *now = rope_pair_view(m, pair);
  uint32_t list[4], who = (uint32_t)msg->addr,
                    action = list[sim_choose(m, SIM_CHOOSE_ACTION, rope_pair_list(m, pair, who, list))];
  sim_trace(m, pair->self, ROPE_PAIR_EV_ACTS, who, action, 0);
  switch (action) {
    case ROPE_PAIR_ACTION_COMMAND:
      now->job = 1;
      now->command = !now->command;
      rope_pair_touches(m, pair, who, rope_pair_place(m, pair), ROPE_PAIR_WAITS_DATA);
      break;
    case ROPE_PAIR_ACTION_POLL:
      now->polls = 1;
      *rope_pair_waits(m, pair, who) = ROPE_PAIR_WAITS_POLL;
      send_front_read(m, pair->self, ROPE_PAIR_PORT_FRONT + who, 0, SIM_PHASE_REQUEST,
          (struct front_read){.address = ROPE_PAIR_REGISTERS + ROPE_PAIR_STATUS, .bytes = 4});
      break;
    case ROPE_PAIR_ACTION_FLAG:
      now->unseen = 1;
      now->flag = !now->flag;
      rope_pair_post(m, pair, who, ROPE_PAIR_WORD, now->flag);
      rope_pair_touches(m, pair, who, ROPE_PAIR_FLAG, ROPE_PAIR_WAITS_FLAG);
      break;
    case ROPE_PAIR_ACTION_LOAD:
      rope_pair_touches(m, pair, who, rope_pair_place(m, pair), ROPE_PAIR_WAITS_LOAD);
      break;
    default: rope_testbench_step(m, pair, ROPE_PAIR_POLLS);
  }
  rope_testbench_request(m, pair, who);
}

/* Each agent waits until it has a permitted action. */
static uint32_t rope_pair_enabled(sim *m, struct rope_pair *pair, const sim_msg *msg) {
  uint32_t list[4];
  return msg->port != SIM_PORT_SELF || rope_pair_list(m, pair, (uint32_t)msg->addr, list) ? SIM_ENABLED
                                                                                          : SIM_DISABLED;
}

/* An agent that learns of completion must find the result. */
static void rope_pair_done(sim *m, struct rope_pair *pair, uint32_t cpu) {
  struct rope_pair_now *now = rope_pair_view(m, pair);
  uint32_t result = 0;
  now->job = 0;
  sim_trace(m, pair->self, ROPE_PAIR_EV_DONE, 0, now->command, 0);
  call_front_observe(m, pair->self, ROPE_PAIR_PORT_FRONT + cpu,
      &(struct front_observe){.address = rope_pair_result(pair), .bytes = 4, .writes = &result});
  if (result != 1 + now->command) sim_broken(m, pair->self, SIM_DONE_IS_DONE, rope_pair_result(pair));
}

/* A device can have taken the line meanwhile: then it is requested again. */
static void rope_pair_front_filled(
    sim *m, struct rope_pair *pair, uint32_t cpu, const struct front_filled *q) {
  uint32_t why = *rope_pair_waits(m, pair, cpu);
  rope_pair_touches(
      m, pair, cpu, why == ROPE_PAIR_WAITS_FLAG ? ROPE_PAIR_FLAG : rope_pair_place(m, pair), why);
  (void)q;
}

static void rope_pair_front_data(sim *m, struct rope_pair *pair, uint32_t cpu, const struct front_data *q) {
  rope_pair_view(m, pair)->polls = 0;
  *rope_pair_waits(m, pair, cpu) = 0;
  if (q->value) rope_pair_done(m, pair, cpu);
}

static uint32_t rope_pair_front_snoop(sim *m, struct rope_pair *pair, uint32_t cpu, struct front_snoop *q) {
  struct cache_drop drop = {.address = q->address, .bytes = q->bytes, .how = q->how};
  uint32_t lines = call_cache_drop(m, pair->self, ROPE_PAIR_PORT_CACHE + cpu, &drop);
  q->changed = drop.changed;
  return lines;
}

static void rope_pair_irq_raise(sim *m, struct rope_pair *pair, const struct irq_raise *q) {
  (void)q;
  rope_pair_done(m, pair, 0);
}

static uint32_t rope_pair_bus_claim(sim *m, struct rope_pair *pair, struct pci_claim *q) {
  (void)m;
  (void)pair->self;
  q->base = ROPE_PAIR_REGISTERS;
  q->length = 0x1000;
  return q->which == 0;
}

static uint64_t rope_pair_wants(sim *m, struct rope_pair *pair) {
  uint32_t does = rope_pair_view(m, pair)->does;
  return does == ROPE_PAIR_POLLS   ? ROPE_PAIR_FLAG
         : does == ROPE_PAIR_READS ? rope_pair_data(pair)
                                   : rope_pair_result(pair);
}

static uint32_t rope_pair_bus_grant(sim *m, struct rope_pair *pair, struct pci_grant *q) {
  uint32_t does = rope_pair_view(m, pair)->does;
  *q = (struct pci_grant){.address = rope_pair_wants(m, pair),
      .bytes = 4,
      .command = does == ROPE_PAIR_WRITES ? PCI_COMMAND_WRITE : PCI_COMMAND_READ};
  if (does != ROPE_PAIR_WRITES && pair->params->blocks)
    q->address &= ~(uint64_t)(ROPE_PAIR_BLOCK - 1), q->bytes = ROPE_PAIR_BLOCK;
  return does != ROPE_PAIR_IDLE;
}

/* A mapping for a command must not be reachable after it; all others stay. */
static uint32_t rope_pair_iommu_translate(sim *m, struct rope_pair *pair, struct iommu_translate *q) {
  uint64_t at = q->address, page = pair->params->page;
  q->physical = at;
  q->time = 0;
  q->stale = 0;
  if (at - ROPE_PAIR_FLAG >= page) return 1;
  if (!rope_pair_view(m, pair)->job) sim_broken(m, pair->self, SIM_LIVE_TRANSLATION, at);
  q->physical = at - rope_pair_data(pair) + rope_pair_place(m, pair);
  return 1;
}

static void rope_pair_bus_master_give(sim *m, struct rope_pair *pair, struct pci_master_give *q) {
  q->writes[0] = 1 + rope_pair_view(m, pair)->received;
}

static void rope_pair_bus_master_take(sim *m, struct rope_pair *pair, struct pci_master_take *q) {
  rope_pair_view(m, pair)->got = q->writes[(rope_pair_wants(m, pair) - q->address) / 4] == 2;
}

/* The card has received or delivered its data. */
static uint32_t rope_pair_bus_moved(sim *m, struct rope_pair *pair, struct pci_moved *q) {
  struct rope_pair_now *now = rope_pair_view(m, pair);
  uint32_t did = now->does;
  if (q->bytes == 0) {
    call_pci_request(m, pair->self, ROPE_PAIR_PORT_BUS);
    return 0;
  }
  rope_testbench_step(m, pair, ROPE_PAIR_IDLE);
  if (did != ROPE_PAIR_WRITES)
    sim_trace(m, pair->self, ROPE_PAIR_EV_CARD,
        did == ROPE_PAIR_POLLS   ? ROPE_PAIR_FLAG
        : did == ROPE_PAIR_READS ? rope_pair_data(pair)
                                 : rope_pair_result(pair),
        now->got, 0);
  switch (did) {
    case ROPE_PAIR_READS:
      if (now->got != now->received) sim_broken(m, pair->self, SIM_CURRENT_DEVICE, rope_pair_data(pair));
      rope_testbench_step(m, pair, ROPE_PAIR_WRITES);
      break;
    case ROPE_PAIR_WRITES:
      now->status = now->received;
      if (!rope_pair_polls(pair))
        send_irq_raise(m, pair->self, ROPE_PAIR_PORT_RAISE, 0, SIM_PHASE_ANSWER, (struct irq_raise){0});
      if (pair->params->reads_back) rope_testbench_step(m, pair, ROPE_PAIR_CHECKS);
      break;
    case ROPE_PAIR_CHECKS:
      if (now->got != now->status) sim_broken(m, pair->self, SIM_CURRENT_DEVICE, rope_pair_result(pair));
      break;
    default:
      if (now->got == now->flag) {
        now->unseen = 0;
        if (now->word != now->flag) sim_broken(m, pair->self, SIM_IN_ORDER, ROPE_PAIR_FLAG);
      }
  }
  if (now->does == ROPE_PAIR_IDLE && now->received != now->status)
    rope_testbench_step(m, pair, ROPE_PAIR_READS); /* a command arrived meanwhile */
  return 0;
}

static uint32_t rope_pair_bus_begin(sim *m, struct rope_pair *pair, struct pci_begin *q) {
  (void)pair;
  q->ready = m->time;
  return q->bytes;
}

static void rope_pair_bus_target_give(sim *m, struct rope_pair *pair, struct pci_target_give *q) {
  const struct rope_pair_now *now = rope_pair_view(m, pair);
  q->value = now->status == now->received;
}

static void rope_pair_bus_target_take(sim *m, struct rope_pair *pair, struct pci_target_take *q) {
  struct rope_pair_now *now = rope_pair_view(m, pair);
  if (q->address == ROPE_PAIR_REGISTERS + ROPE_PAIR_WORD) now->word = (uint32_t)q->value;
  else {
    now->received = (uint32_t)q->value;
    if (now->does == ROPE_PAIR_IDLE) rope_testbench_step(m, pair, ROPE_PAIR_READS);
  }
}

static int rope_pair_load(sim *m, uint32_t self) {
  struct rope_pair_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, ROPE_PAIR_VIEW_NOW, 1, sizeof(struct rope_pair_now)),
       *cpus =
           sim_view(m, self, ROPE_PAIR_VIEW_PROCESSORS, ROPE_PAIR_CPUS, sizeof(struct rope_pair_processors));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->cpus_at = sim_offset(m, cpus);
  for (uint32_t cpu = 0; cpu < ROPE_PAIR_CPUS; cpu++)
    if (sim_wired(m, self, ROPE_PAIR_PORT_FRONT + cpu))
      rope_testbench_request(m, SIM_CONTEXT(m, self, rope_pair), cpu);
  rope_testbench_request(m, SIM_CONTEXT(m, self, rope_pair), ROPE_PAIR_CARD);
  return SIM_OK;
}

static void rope_pair_serialize(sim *m, struct rope_pair *pair, struct sim_codec *k) {
  struct rope_pair_now *now = rope_pair_view(m, pair);
  if (now->does == ROPE_PAIR_IDLE || now->does == ROPE_PAIR_WRITES) now->got = 0;
  for (uint32_t *field = &now->command; field <= &now->got; field++) sim_codec_u8(k, field);
  for (uint32_t cpu = 0; cpu < ROPE_PAIR_CPUS; cpu++) sim_codec_u8(k, rope_pair_waits(m, pair, cpu));
}
