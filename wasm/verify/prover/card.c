/*
 * A card on PCI, and the driver that commands it.
 *
 *   driver:  command (a register store) --> ... polls the status register, or is interrupted --> its data is
 * there card:    command --> request, retry, request ... data --> done (a register that is read), or an
 * interrupt
 *
 * Two guarantees are checked. The card reads data at least as new as the newest when the command was given. A
 * driver that learns of completion finds the card's data.
 */
#include "core/state_codec.h"
#include "pci.h"

enum prover_register { CARD_COMMAND = 0, CARD_STATUS = 4 };
enum prover_card { CARD_IDLE = 0, CARD_WORKS, CARD_DONE };

/* Size of each possible command of the card, and its offset in the line. */
static const struct {
  uint8_t bytes, offset, writes;
} CARD_DOES[] = {
    [PROVER_ACTION_READ] = {32, 0, 0},
    [PROVER_ACTION_READ_LOW] = {16, 0, 0},
    [PROVER_ACTION_WRITE_LINE] = {32, 0, 1},
    [PROVER_ACTION_WRITE_LOW] = {16, 0, 1},
    [PROVER_ACTION_WRITE_HIGH] = {16, 16, 1},
    [PROVER_ACTION_WRITE_WORD] = {4, 0, 1},
};

static int prover_has_card(sim *m, struct prover *prover) {
  return sim_wired(m, prover->self, PROVER_PORT_PCI);
}

static void env_driver_newest_write(sim *m, struct prover *prover, uint32_t line, uint32_t *newest) {
  call_shadow_newest_write(m, prover->self, PROVER_PORT_CPU,
      &(struct shadow_newest_write){.address = env_driver_line(prover, line), .halves = newest});
}

static uint32_t prover_card_job(const struct prover_now *now) { return now->command & 0xff; }
static uint32_t prover_card_line(const struct prover_now *now) { return now->command >> 8 & 1; }

/* A command that the mapping permits or, after a command, a poll for completion. */
static uint32_t prover_list_card(sim *m, struct prover *prover, struct prover_choice *list) {
  static const uint8_t may[][4] = {
      [PROVER_CONTRACT_OUT] = {PROVER_ACTION_READ, PROVER_ACTION_READ_LOW},
      [PROVER_CONTRACT_IN] = {PROVER_ACTION_WRITE_LINE, PROVER_ACTION_WRITE_LOW, PROVER_ACTION_WRITE_HIGH},
      [PROVER_CONTRACT_EDGE] = {PROVER_ACTION_WRITE_LOW, PROVER_ACTION_WRITE_WORD},
      [PROVER_CONTRACT_BOTH] = {PROVER_ACTION_READ, PROVER_ACTION_READ_LOW, PROVER_ACTION_WRITE_LINE,
          PROVER_ACTION_WRITE_WORD},
      [PROVER_CONTRACT_LOCK] = {0},
  };
  const struct prover_now *now = prover_view(m, prover);
  uint32_t n = 0;
  if (now->job && !now->quiet)
    list[n++] =
        (struct prover_choice){.action = PROVER_ACTION_POLL, .line = now->line, .contract = now->contract};
  if (now->job) return n;
  for (uint32_t i = 0; i < sizeof may[0] && may[now->contract][i]; i++)
    for (uint32_t quiet = 0; quiet < 2; quiet++)
      list[n++] =
          (struct prover_choice){PROVER_ACTION_RING, now->line, now->contract, may[now->contract][i], quiet};
  return n;
}

/* A store started by another processor can precede or follow the command. */
static void prover_ring(sim *m, struct prover *prover, const struct prover_choice *c) {
  struct prover_now *now = prover_view(m, prover);
  now->job = c->job;
  now->quiet = c->quiet;
  now->touched = c->contract == PROVER_CONTRACT_BOTH && (now->busy_1 || now->busy_2) ? 3 : 0;
  call_front_post(m, prover->self, PROVER_PORT_FRONT,
      &(struct front_post){.address = prover->params->card_at + CARD_COMMAND,
          .value = c->job | c->line << 8 | c->quiet << 16,
          .bytes = 4});
  env_driver_choose(m, prover, 0);
}

static void env_driver_poll(sim *m, struct prover *prover) {
  prover_view(m, prover)->busy_0 = PROVER_ACCESS;
  send_front_read(m, prover->self, PROVER_PORT_FRONT, 0, SIM_PHASE_REQUEST,
      (struct front_read){.address = prover->params->card_at + CARD_STATUS, .bytes = 4});
}

/* The driver knows that the card is done: its data must have arrived. */
static void env_driver_expected(sim *m, struct prover *prover) {
  struct prover_now *now = prover_view(m, prover);
  uint32_t newest[LINE_HALVES],
      first = CARD_DOES[now->job].offset / HALF_BYTES,
      last = (CARD_DOES[now->job].offset + CARD_DOES[now->job].bytes - 1u) / HALF_BYTES;
  env_driver_newest_write(m, prover, now->line, newest);
  for (uint32_t half = first; half <= last && CARD_DOES[now->job].writes; half++)
    if (!(now->touched >> half & 1) && newest[half] == (&now->before_0)[half])
      sim_broken(m, prover->self, SIM_DONE_IS_DONE, env_driver_line(prover, now->line) + half * HALF_BYTES);
  now->job = now->quiet = now->touched = now->before_0 = now->before_1 = 0;
}

static void prover_front_data(sim *m, struct prover *prover, const struct front_data *q) {
  struct prover_now *now = prover_view(m, prover);
  if (now->busy_0 == PROVER_SERVICE) {
    sim_schedule(m, prover->self, 0, SIM_PHASE_REQUEST, PROVER_STEP);
    return;
  }
  now->busy_0 = PROVER_IDLE;
  if (q->value == CARD_DONE) env_driver_expected(m, prover);
  env_driver_choose(m, prover, 0);
}

static void prover_irq_raise(sim *m, struct prover *prover, const struct irq_raise *q) {
  (void)q;
  env_driver_expected(m, prover);
}

static uint32_t prover_pci_claim(sim *m, struct prover *prover, struct pci_claim *q) {
  (void)m;
  q->base = prover->params->card_on;
  q->length = 4096;
  return q->which == 0;
}

static uint32_t prover_pci_begin(sim *m, struct prover *prover, struct pci_begin *q) {
  (void)prover;
  q->ready = m->time;
  return q->bytes;
}

static void prover_pci_target_give(sim *m, struct prover *prover, struct pci_target_give *q) {
  q->value = prover_view(m, prover)->card;
}

static void prover_pci_target_take(sim *m, struct prover *prover, struct pci_target_take *q) {
  struct prover_now *now = prover_view(m, prover);
  now->command = (uint32_t)q->value;
  now->card = CARD_WORKS;
  now->moved = 0;
  sim_trace(m, prover->self, PROVER_EV_ACTS, env_driver_line(prover, prover_card_line(now)),
      prover_card_job(now), PROVER_DEVICE);
  call_pci_request(m, prover->self, PROVER_PORT_PCI);
}

static uint32_t prover_pci_grant(sim *m, struct prover *prover, struct pci_grant *q) {
  const struct prover_now *now = prover_view(m, prover);
  uint32_t job = prover_card_job(now);
  if (now->card != CARD_WORKS) return 0;
  q->address = env_driver_line(prover, prover_card_line(now)) % 4096 + CARD_DOES[job].offset + now->moved;
  q->bytes = CARD_DOES[job].bytes - now->moved;
  q->command = CARD_DOES[job].writes ? PCI_COMMAND_WRITE : PCI_COMMAND_READ;
  return 1;
}

static void prover_pci_master_give(sim *m, struct prover *prover, struct pci_master_give *q) {
  struct prover_now *now = prover_view(m, prover);
  uint32_t newest[LINE_HALVES], own[LINE_HALVES] = {0, 0};
  env_driver_newest_write(m, prover, prover_card_line(now), newest);
  for (uint32_t i = 0; i * 4 < q->bytes; i++) {
    uint32_t half = (q->address + i * 4) / HALF_BYTES & 1;
    if (!own[half]) own[half] = sim_new_write(m);
    q->writes[i] = own[half];
    (&now->before_0)[half] = newest[half];
  }
}

static void prover_pci_master_take(sim *m, struct prover *prover, struct pci_master_take *q) {
  const struct prover_now *now = prover_view(m, prover);
  uint64_t line = env_driver_line(prover, prover_card_line(now));
  uint32_t newest[LINE_HALVES];
  env_driver_newest_write(m, prover, prover_card_line(now), newest);
  for (uint32_t i = 0; i * 4 < q->bytes; i++) {
    uint32_t half = (q->address + i * 4) / HALF_BYTES & 1;
    if (!(now->touched >> half & 1) && q->writes[i] != newest[half])
      sim_broken(m, prover->self, SIM_CURRENT_DEVICE, line + half * HALF_BYTES);
  }
}

static uint32_t prover_pci_moved(sim *m, struct prover *prover, struct pci_moved *q) {
  struct prover_now *now = prover_view(m, prover);
  now->moved += q->bytes;
  uint32_t left = CARD_DOES[prover_card_job(now)].bytes - now->moved;
  if (left && q->bytes && !q->last) return left;
  if (left) {
    call_pci_request(m, prover->self, PROVER_PORT_PCI);
    return left;
  }
  uint32_t interrupts = now->command >> 16;
  now->card = CARD_DONE;
  now->command = now->moved = 0;
  sim_trace(m, prover->self, PROVER_EV_DONE, 0, 0, PROVER_DEVICE);
  if (interrupts)
    send_irq_raise(m, prover->self, PROVER_PORT_RAISE, 0, SIM_PHASE_REQUEST, (struct irq_raise){0});
  return 0;
}

/* For the newest writes at the time of the card's write, tracks which still are the newest. */
static void prover_serialize_card(sim *m, struct prover *prover, struct sim_codec *k) {
  struct prover_now *now = prover_view(m, prover);
  uint32_t newest[LINE_HALVES], *small[] = {&now->job, &now->quiet, &now->card, &now->moved, &now->touched};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  sim_codec_u32(k, &now->command);
  env_driver_newest_write(m, prover, now->line, newest);
  for (uint32_t half = 0; half < LINE_HALVES; half++) {
    uint32_t *before = &now->before_0 + half, same = *before == newest[half];
    sim_codec_u8(k, &same);
    if (k->reading) *before = same ? newest[half] : 0;
  }
}
