/*
 * All permitted actions of programs, drivers and devices, as free choices.
 *
 *   processors: load, store, let a line be replaced; the first one also maps and unmaps by the shipped
 * services device:     reads and writes what is mapped for it; it may still read while that is taken away
 * from it. Behind a PCI bus it is a card that the driver commands (card.c)
 *
 * Only the contract between driver and hardware limits the choices:
 *   out   prefetched: all stores are complete, and no processor stores to the line while it is mapped
 *   in    fast: the line is clean when it is mapped, and no processor stores to it
 *   edge  the device owns the low half only; processors may store to the high half
 *   both, lock: no bounds
 * Without a coherent adapter: sync before and after, and in between no processor touches the line.
 */
#include "core/engine.h"
#include "core/state_codec.h"
#include "gen/protocols.h"
#include "service_steps.h"
#include "runway.h"

#define PROVER_CPUS 3u
#define PROVER_DEVICE 3u
#define PROVER_ACTIONS 24u

enum prover_self { PROVER_CHOOSE = 1, PROVER_STEP };
enum prover_stage {
  STAGE_UNMAPPED = 0,
  STAGE_MAPPING,
  STAGE_MAPPED,
  STAGE_UNMAPPING,
  STAGE_SYNCED,
  STAGE_LEFT
};
enum prover_busy { PROVER_IDLE = 0, PROVER_ACCESS, PROVER_SERVICE };

struct prover_state {
  uint32_t now_at;
  uint32_t spare;
};

struct prover_choice {
  uint32_t action;
  uint32_t line;
  uint32_t contract;
  /* of a command for the card */
  uint32_t job;
  uint32_t quiet;
};

static struct prover_now *prover_view(sim *m, struct prover *prover) {
  return sim_at(m, prover->state->now_at);
}
static uint64_t env_driver_line(struct prover *prover, uint32_t line) {
  return line ? prover->params->line_1 : prover->params->line_0;
}

static int prover_has_pages(struct prover *prover) { return prover->params->pages != 0; }

static void env_driver_choose(sim *m, struct prover *prover, uint32_t who) {
  sim_schedule_with(m, prover->self, 0, SIM_PHASE_REQUEST, PROVER_CHOOSE, who, 0, 0);
}

/* Whether no cache holds newer data than memory: a driver ensures this before it lets a device write fast. */
static int env_driver_reset(sim *m, struct prover *prover, uint32_t line) {
  uint32_t newest[LINE_HALVES], memory[LINE_HALVES];
  call_shadow_newest_write(m, prover->self, PROVER_PORT_CPU,
      &(struct shadow_newest_write){.address = env_driver_line(prover, line), .halves = newest});
  call_shadow_memory_value(m, prover->self, PROVER_PORT_CPU,
      &(struct shadow_memory_value){.address = env_driver_line(prover, line), .halves = memory});
  return newest[0] == memory[0] && newest[1] == memory[1];
}

static int prover_may_store(sim *m, struct prover *prover, uint32_t line, uint32_t half) {
  const struct prover_now *now = prover_view(m, prover);
  int coherent = prover->params->coherent != 0;
  if (now->stage == STAGE_UNMAPPED || now->line != line) return 1;
  if (!coherent) return 0;
  return now->contract >= PROVER_CONTRACT_BOTH || (now->contract == PROVER_CONTRACT_EDGE && half == 1);
}

static int prover_may_load(sim *m, struct prover *prover, uint32_t line) {
  const struct prover_now *now = prover_view(m, prover);
  return prover->params->coherent || now->stage == STAGE_UNMAPPED || now->line != line
         || now->contract == PROVER_CONTRACT_OUT;
}

#include "verify/prover/card.c"
#include "verify/prover/page_device.c"

static uint32_t prover_list_cpu(sim *m, struct prover *prover, struct prover_choice *list) {
  uint32_t n = 0;
  if (prover_has_pages(prover)) return 0;
  for (uint32_t line = 0; line < prover->params->lines; line++) {
    if (prover_may_load(m, prover, line))
      list[n++] = (struct prover_choice){.action = PROVER_ACTION_LOAD, .line = line};
    if (prover_may_store(m, prover, line, 0))
      list[n++] = (struct prover_choice){.action = PROVER_ACTION_STORE_LOW, .line = line};
    if (!prover->params->first_half && prover_may_store(m, prover, line, 1))
      list[n++] = (struct prover_choice){.action = PROVER_ACTION_STORE_HIGH, .line = line};
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_EVICT, .line = line};
    if (!prover->params->orders) continue;
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_FLUSH, .line = line};
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_PURGE, .line = line};
  }
  return n;
}

/* The driver's permitted actions: with a coherent adapter map and unmap, without one sync around it. */
static uint32_t prover_list_driver(sim *m, struct prover *prover, struct prover_choice *list) {
  const struct prover_now *now = prover_view(m, prover);
  int coherent = prover->params->coherent != 0;
  uint32_t n = 0, last = prover->params->lines - 1,
           most = coherent ? PROVER_CONTRACT_LOCK : PROVER_CONTRACT_IN;
  if (!sim_wired(m, prover->self, PROVER_PORT_SERVICES)) return 0;
  if (prover_has_pages(prover)) return prover_list_pages(m, prover, list);
  if (now->stage == STAGE_UNMAPPED)
    for (uint32_t line = coherent ? 0 : last; line <= last; line++)
      for (uint32_t contract = PROVER_CONTRACT_OUT; contract <= most; contract++)
        if (prover->params->contracts >> contract & 1
            && ((coherent && contract >= PROVER_CONTRACT_EDGE)
                || (!now->busy_1 && !now->busy_2
                    && (!coherent || contract == PROVER_CONTRACT_OUT || env_driver_reset(m, prover, line)))))
          list[n++] =
              (struct prover_choice){.action = coherent                          ? PROVER_ACTION_MAP
                                               : contract == PROVER_CONTRACT_OUT ? PROVER_ACTION_SYNC_OUT
                                                                                 : PROVER_ACTION_SYNC_IN,
                  .line = line,
                  .contract = contract};
  if (now->stage == STAGE_SYNCED)
    list[n++] =
        (struct prover_choice){.action = PROVER_ACTION_MAP, .line = now->line, .contract = now->contract};
  /* A device's interrupt follows its data, so the driver continues when the last write has been snooped; a
     card must order its own. */
  int over = prover_has_card(m, prover)
                 ? !now->job
                 : !now->device && !now->locked
                       && call_shadow_unanswered_writes(m, prover->self, PROVER_PORT_CPU) == 0;
  if (now->stage == STAGE_MAPPED && over)
    list[n++] =
        (struct prover_choice){.action = PROVER_ACTION_UNMAP, .line = now->line, .contract = now->contract};
  if (now->stage == STAGE_LEFT)
    list[n++] = (struct prover_choice){
        .action = PROVER_ACTION_SYNC_AFTER, .line = now->line, .contract = now->contract};
  if (now->stage == STAGE_MAPPED && prover_has_card(m, prover)) n += prover_list_card(m, prover, list + n);
  return n;
}

static uint32_t prover_list_device(sim *m, struct prover *prover, struct prover_choice *list) {
  const struct prover_now *now = prover_view(m, prover);
  uint32_t n = 0, c = now->stage == STAGE_MAPPED ? now->contract : PROVER_CONTRACT_NONE;
  int coherent = prover->params->coherent != 0, safe = c >= PROVER_CONTRACT_BOTH;
  if (prover_has_pages(prover)) return prover_list_reads(m, prover, list);
  if (now->locked) {
    list[0] = (struct prover_choice){.action = PROVER_ACTION_UNLOCK, .line = now->line};
    return 1;
  }
  int stray = coherent && now->stage == STAGE_UNMAPPING && now->service == PROVER_ACTION_UNMAP;
  if (stray || c == PROVER_CONTRACT_OUT || safe)
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_READ, .line = now->line};
  if (c == PROVER_CONTRACT_IN || c == PROVER_CONTRACT_BOTH)
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_WRITE_LINE, .line = now->line};
  if (coherent && (c == PROVER_CONTRACT_IN || c == PROVER_CONTRACT_EDGE || safe))
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_WRITE_LOW, .line = now->line};
  if (coherent && (c == PROVER_CONTRACT_IN || safe))
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_WRITE_HIGH, .line = now->line};
  if (c == PROVER_CONTRACT_EDGE || c == PROVER_CONTRACT_BOTH)
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_WRITE_WORD, .line = now->line};
  if (c == PROVER_CONTRACT_BOTH)
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_SEMAPHORE, .line = now->line};
  if (c == PROVER_CONTRACT_LOCK)
    list[n++] = (struct prover_choice){.action = PROVER_ACTION_LOCK, .line = now->line};
  return n;
}

static void prover_access(
    sim *m, struct prover *prover, uint32_t who, uint64_t addr, uint32_t op, uint32_t busy) {
  struct prover_now *now = prover_view(m, prover);
  struct cache_access q = {.address = addr, .op = op, .bytes = 4};
  if (call_cache_access(m, prover->self, PROVER_PORT_CPU + who, &q)) {
    if (busy == PROVER_SERVICE) sim_schedule(m, prover->self, 0, SIM_PHASE_REQUEST, PROVER_STEP);
    else env_driver_choose(m, prover, who);
    return;
  }
  (&now->busy_0)[who] = busy;
  if (op == CACHE_OP_EVICT) { /* no room for its data yet: the replacement does not happen */
    (&now->busy_0)[who] = PROVER_IDLE;
    env_driver_choose(m, prover, who);
  }
}

static void prover_call(sim *m, struct prover *prover, const struct prover_choice *c) {
  static const uint32_t hints[] = {[PROVER_CONTRACT_OUT] = 0,
      [PROVER_CONTRACT_IN] = 4,
      [PROVER_CONTRACT_EDGE] = 4,
      [PROVER_CONTRACT_BOTH] = 5,
      [PROVER_CONTRACT_LOCK] = 7};
  struct prover_now *now = prover_view(m, prover);
  uint32_t bytes = c->contract == PROVER_CONTRACT_EDGE ? HALF_BYTES : RUNWAY_LINE;
  uint64_t from = env_driver_line(prover, c->line);
  uint32_t words[8] = {(uint32_t)from, (uint32_t)(from >> 32), 0, 0, bytes, 0,
      prover_has_walks(m, prover) ? 0 : hints[c->contract], prover_has_pages(prover) ? c->line : 0};
  struct os_call call = {.operation = PROCESSOR_OP_DMA_SYNC, .arguments = words};
  now->line = c->line;
  now->contract = c->contract;
  now->busy_0 = PROVER_SERVICE;
  switch (c->action) {
    case PROVER_ACTION_MAP:
      call.operation = PROCESSOR_OP_MAP;
      now->stage = STAGE_MAPPING;
      break;
    case PROVER_ACTION_UNMAP:
      call.operation = PROCESSOR_OP_UNMAP;
      now->stage = STAGE_UNMAPPING;
      break;
    case PROVER_ACTION_SYNC_OUT:
      words[6] = 1;
      now->stage = STAGE_MAPPING;
      break;
    case PROVER_ACTION_SYNC_IN:
      words[6] = 2;
      now->stage = STAGE_MAPPING;
      break;
    case PROVER_ACTION_SYNC_AFTER:
      words[6] = 3;
      now->stage = STAGE_UNMAPPING;
      break;
  }
  now->service = c->action;
  if (c->action == PROVER_ACTION_UNMAP) now->held &= ~(1u << c->line);
  if (c->action == PROVER_ACTION_UNMAP && prover_has_walks(m, prover)) now->touched |= 1u << c->line;
  call_os_call(m, prover->self, PROVER_PORT_SERVICES, &call);
  sim_schedule(m, prover->self, 0, SIM_PHASE_REQUEST, PROVER_STEP);
}

static void prover_called(sim *m, struct prover *prover, uint64_t address) {
  struct prover_now *now = prover_view(m, prover);
  int coherent = prover->params->coherent != 0;
  switch (now->service) {
    case PROVER_ACTION_MAP: now->stage = STAGE_MAPPED; break;
    case PROVER_ACTION_UNMAP:
      now->stage = coherent || now->contract == PROVER_CONTRACT_OUT ? STAGE_UNMAPPED : STAGE_LEFT;
      break;
    case PROVER_ACTION_SYNC_AFTER: now->stage = STAGE_UNMAPPED; break;
    default: now->stage = STAGE_SYNCED;
  }
  if (prover_has_pages(prover)) prover_page_done(now, address);
  if (now->stage == STAGE_UNMAPPED) now->contract = now->line = 0;
  now->busy_0 = PROVER_IDLE;
  now->service = 0;
  env_driver_choose(m, prover, 0);
}

/* The services' next step. A store to the adapter's directory takes effect at once; a walked table is
   ordinary memory. */
static void env_driver_step(sim *m, struct prover *prover) {
  for (;;) {
    struct os_next next = {0};
    uint32_t step = call_os_next(m, prover->self, PROVER_PORT_SERVICES, &next);
    if (step == OS_STEP_COMPUTE) continue;
    if (step == OS_STEP_STORE)
      call_front_post(m, prover->self, PROVER_PORT_FRONT,
          &(struct front_post){.address = next.address, .value = next.value, .bytes = 4});
    if (step == OS_STEP_DONE || step == OS_STEP_REFUSE) {
      prover_called(m, prover, next.address);
      return;
    }
    if (step == OS_STEP_ACCESS && next.detail == CACHE_OP_SYNC)
      continue; /* nothing is outstanding: each flush was waited for */
    if (step == OS_STEP_LOAD) {
      send_front_read(m, prover->self, PROVER_PORT_FRONT, 0, SIM_PHASE_REQUEST,
          (struct front_read){.address = next.address, .bytes = 4});
      return;
    }
    if (step == OS_STEP_ACCESS && (next.detail != CACHE_OP_STORE || prover_has_walks(m, prover))) {
      prover_access(m, prover, 0, next.address, next.detail, PROVER_SERVICE);
      return;
    }
    sim_schedule(m, prover->self, 0, SIM_PHASE_REQUEST, PROVER_STEP);
    return;
  }
}

static void prover_device(sim *m, struct prover *prover, const struct prover_choice *c) {
  static const struct {
    uint8_t kind, bytes, offset, waits;
  } does[] = {
      [PROVER_ACTION_READ] = {HSC_KIND_READ, 32, 0, 2},
      [PROVER_ACTION_WRITE_LINE] = {HSC_KIND_WRITE, 32, 0, 1},
      [PROVER_ACTION_WRITE_LOW] = {HSC_KIND_WRITE, 16, 0, 1},
      [PROVER_ACTION_WRITE_HIGH] = {HSC_KIND_WRITE, 16, 16, 1},
      [PROVER_ACTION_WRITE_WORD] = {HSC_KIND_WRITE, 4, 0, 1},
      [PROVER_ACTION_SEMAPHORE] = {HSC_KIND_SEMAPHORE, 4, 0, 2},
      [PROVER_ACTION_LOCK] = {HSC_KIND_READ_LOCKED, 4, 0, 2},
      [PROVER_ACTION_UNLOCK] = {HSC_KIND_WRITE_UNLOCK, 4, 0, 1},
  };
  struct prover_now *now = prover_view(m, prover);
  uint32_t words[2] = {0, 0}, kind = does[c->action].kind, bytes = does[c->action].bytes,
           offset = does[c->action].offset;
  uint64_t line = env_driver_line(prover, c->line), at = prover->params->coherent ? line % 4096 : line;
  if (kind == HSC_KIND_WRITE || kind == HSC_KIND_WRITE_UNLOCK) {
    if (offset == 0) words[0] = sim_new_write(m);
    if (bytes == 32 || offset == 16) words[1] = sim_new_write(m);
  }
  if (kind == HSC_KIND_WRITE_UNLOCK) {
    uint32_t newest[LINE_HALVES];
    call_shadow_newest_write(
        m, prover->self, PROVER_PORT_CPU, &(struct shadow_newest_write){.address = line, .halves = newest});
    if (newest[0] != now->read) sim_broken(m, prover->self, SIM_ATOMIC, line);
    now->locked = now->read = 0;
  }
  if (kind == HSC_KIND_READ_LOCKED) now->locked = 1;
  if (prover_has_pages(prover)) {
    now->reads = c->line + 1;
    at += (uint64_t)(&now->page_0)[c->line] * 4096;
  }
  now->device = does[c->action].waits;
  call_hsc_adapter_device_request(m, prover->self, PROVER_PORT_HSC,
      &(struct hsc_adapter_device_request){
          .address = at + offset, .bytes = bytes, .kind = kind, .halves = words});
}

/* An access to memory. The card may or may not see stores made during its work. */
static void prover_program(
    sim *m, struct prover *prover, uint32_t who, const struct prover_choice *c, uint32_t op) {
  struct prover_now *now = prover_view(m, prover);
  uint32_t half = c->action == PROVER_ACTION_STORE_HIGH;
  if (op == CACHE_OP_STORE && now->job && now->line == c->line) now->touched |= 1u << half;
  prover_access(m, prover, who, env_driver_line(prover, c->line) + half * HALF_BYTES, op, PROVER_ACCESS);
}

static void env_driver_act(sim *m, struct prover *prover, uint32_t who) {
  static const uint8_t ops[] = {[PROVER_ACTION_LOAD] = CACHE_OP_LOAD,
      [PROVER_ACTION_STORE_LOW] = CACHE_OP_STORE,
      [PROVER_ACTION_STORE_HIGH] = CACHE_OP_STORE,
      [PROVER_ACTION_EVICT] = CACHE_OP_EVICT,
      [PROVER_ACTION_FLUSH] = CACHE_OP_FLUSH,
      [PROVER_ACTION_PURGE] = CACHE_OP_PURGE};
  struct prover_choice list[PROVER_ACTIONS];
  uint32_t n = who == PROVER_DEVICE ? prover_list_device(m, prover, list) : prover_list_cpu(m, prover, list);
  if (who == 0) n += prover_list_driver(m, prover, list + n);
  struct prover_choice c = list[sim_choose(m, SIM_CHOOSE_ACTION, n)];
  prover->counters->actions++;
  sim_trace(m, prover->self, PROVER_EV_ACTS, env_driver_line(prover, c.line), c.action, who);
  if (who == PROVER_DEVICE && prover_has_walks(m, prover)) prover_dma(m, prover, c.line);
  else if (who == PROVER_DEVICE) prover_device(m, prover, &c);
  else if (c.action == PROVER_ACTION_RING) prover_ring(m, prover, &c);
  else if (c.action == PROVER_ACTION_POLL) env_driver_poll(m, prover);
  else if (c.action >= PROVER_ACTION_MAP) prover_call(m, prover, &c);
  else prover_program(m, prover, who, &c, ops[c.action]);
}

/* Ends a replayed counterexample: reports the violation as it was found. */
static void env_driver_trace(sim *m, struct prover *prover) {
  sim_trace(m, prover->self, prover->params->about ? PROVER_EV_BROKEN : PROVER_EV_VIOLATION_ELSEWHERE,
      prover->params->about, (uint32_t)prover->params->invariant, 0);
}

static void prover_self(sim *m, struct prover *prover, const sim_msg *msg) {
  if (msg->kind == SIM_CHANNEL_ENDS) env_driver_trace(m, prover);
  else if (msg->kind == PROVER_STEP) env_driver_step(m, prover);
  else env_driver_act(m, prover, (uint32_t)msg->addr);
}

static void prover_cpu_done(sim *m, struct prover *prover, uint32_t cpu, const struct cache_done *q) {
  (void)q;
  uint32_t *busy = &prover_view(m, prover)->busy_0 + cpu;
  if (*busy == PROVER_SERVICE) {
    sim_schedule(m, prover->self, 0, SIM_PHASE_REQUEST, PROVER_STEP);
    return;
  }
  *busy = PROVER_IDLE;
  env_driver_choose(m, prover, cpu);
}

/* One of the events that the device waits for has occurred. */
static void prover_device_done(sim *m, struct prover *prover) {
  struct prover_now *now = prover_view(m, prover);
  if (!now->device || --now->device > 0) return;
  now->reads = 0;
  env_driver_choose(m, prover, PROVER_DEVICE);
}

/* A register store must arrive before the services' next step. A device waits until it has an action. The end
   of an access is handled at once; its consequences can be delayed. A register's value and an interrupt are
   accepted when the caches have snooped the device's earlier writes. */
static uint32_t prover_enabled(sim *m, struct prover *prover, const sim_msg *msg) {
  struct prover_choice list[PROVER_ACTIONS];
  if (msg->port == PROVER_PORT_FRONT || msg->port == PROVER_PORT_IRQ)
    return call_shadow_unanswered_writes(m, prover->self, PROVER_PORT_CPU) ? SIM_DISABLED : SIM_INVISIBLE;
  if (msg->port != SIM_PORT_SELF) return SIM_INVISIBLE;
  int waits = msg->kind == PROVER_STEP
                  ? sim_pending_count(m, RUNWAY_REGISTER)
                        || call_front_posted_count(m, prover->self, PROVER_PORT_FRONT)
                  : msg->addr == PROVER_DEVICE && prover_list_device(m, prover, list) == 0;
  return waits ? SIM_DISABLED : SIM_ENABLED;
}

static void prover_hsc_request(sim *m, struct prover *prover, struct hsc_adapter_request *q) {
  struct prover_now *now = prover_view(m, prover);
  uint32_t halves[2] = {0, 0};
  struct hsc_adapter_grant grant = {.halves = halves};
  if (q->returns && call_hsc_adapter_grant(m, prover->self, PROVER_PORT_HSC, &grant) && now->locked)
    now->read = halves[0];
  prover_device_done(m, prover);
}

static int prover_load(sim *m, uint32_t self) {
  const struct prover_params *q = SIM_PARAMS(m, self, prover);
  struct prover_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, PROVER_VIEW_NOW, 1, sizeof(struct prover_now));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  m->explore_step_time = (uint32_t)sim_max(q->step, 1);
  m->table_choices_at = sim_table(m, self, 0)->at;
  m->given = sim_table(m, self, 0)->rows;
  m->steps = (uint32_t)q->steps;
  m->notify_part = self + 1;
  for (uint32_t who = 0; who < PROVER_CPUS; who++)
    if (sim_wired(m, self, PROVER_PORT_CPU + who)) env_driver_choose(m, SIM_CONTEXT(m, self, prover), who);
  if (sim_wired(m, self, PROVER_PORT_HSC) || prover_has_walks(m, SIM_CONTEXT(m, self, prover)))
    env_driver_choose(m, SIM_CONTEXT(m, self, prover), PROVER_DEVICE);
  return SIM_OK;
}

static void prover_serialize(sim *m, struct prover *prover, struct sim_codec *k) {
  struct prover_now *now = prover_view(m, prover);
  uint32_t *small[] = {&now->busy_0, &now->busy_1, &now->busy_2, &now->device, &now->stage, &now->locked};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  sim_codec_u8(k, &now->contract);
  sim_codec_u8(k, &now->line);
  sim_codec_u8(k, &now->service);
  if (now->locked) sim_codec_write_id(k, &now->read, HOLDER_DATA);
  else now->read = 0;
  if (prover_has_pages(prover)) prover_serialize_pages(now, k);
  if (prover_has_card(m, prover)) prover_serialize_card(m, prover, k);
}
