/*
 * The GT card's API and driver, as steps that the processor carries out.
 *
 *   in --> [engine free?] --> set-up, pin --> three register stores --+-- short: poll status ... --> bookkeeping --+--> out
 *              |  no: block until it is        ^                      +-- long: bookkeeping, block ... interrupt --+
 *                                        map --+ where there is a mapping service: piece by piece            unmap <+
 *
 * For a short transfer the bookkeeping comes after the data, one after the other; for a long one it is
 * done while the engine moves data, and the thread blocks with interrupts held off until the switch
 * away from it is over. That is why a long transfer has less fixed cost than a short one.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "ports.h"

#define DRIVER_CALLS 17u /* threads and the handler */

enum driver_step {
  DRIVER_ENTER, DRIVER_CLAIM, DRIVER_SET_UP, DRIVER_HOST, DRIVER_CARD, DRIVER_GO, DRIVER_STARTED, DRIVER_POLL, DRIVER_POLLED,
  DRIVER_FINISHED, DRIVER_BLOCK, DRIVER_RETURN, DRIVER_DONE, DRIVER_HANDLER, DRIVER_HANDLED,
  DRIVER_MAP, DRIVER_MAPPING, DRIVER_UNMAPPING, DRIVER_PASS,
};

struct gt_driver_state {
  uint32_t calls_at, engines_at;
};

typedef struct gt_driver_calls driver_call;

static driver_call *driver_of(by *m, struct gt_driver_state *s, uint32_t thread) { return (driver_call *)by_at(m, s->calls_at) + thread; }
static struct gt_driver_engines *driver_engine(by *m, struct gt_driver_state *s, uint32_t e) { return (struct gt_driver_engines *)by_at(m, s->engines_at) + e; }

static uint32_t driver_spend(struct os_next *p, uint64_t time, uint32_t state, uint32_t held) {
  p->value = time;
  p->state = state;
  p->detail = held;
  return STEP_SPEND;
}

static uint32_t driver_store(struct os_next *p, uint64_t base, driver_call *call, uint32_t offset, uint64_t value) {
  p->address = base + call->engine * 0x20 + offset;
  p->value = value;
  p->state = PROCESSOR_STATE_DRIVER;
  return STEP_STORE;
}

static uint64_t driver_pin(by *m, uint32_t self, const driver_call *call) {
  const struct gt_driver_params *q = BY_PARAMS(m, self, gt_driver);
  uint64_t pages = (call->host % q->page + call->bytes + q->page - 1) / q->page;
  uint64_t extra = pages > q->pin_table ? pages - q->pin_table : 0;
  BY_COUNTERS(m, self, gt_driver)->pinned += extra;
  return extra * q->pin_time;
}

/* A card moves whole words; what is not the driver's is its mapping service's to carry out. */
static uint32_t gt_driver_cpu_check(by *m, uint32_t self, struct os_check *q) {
  const uint32_t *w = q->arguments;
  if (GT_DRIVER_CARRIES(q->operation)) return q->operation != PROCESSOR_OP_DMA_SET_BYTE && (w[0] | w[2] | w[4]) & 3 ? BY_UNALIGNED_DMA : BY_OK;
  return by_wired(m, self, GT_DRIVER_PORT_MAP) ? ask_os_check(m, self, GT_DRIVER_PORT_MAP, q) : BY_BAD_ROW;
}

static void gt_driver_cpu_call(by *m, uint32_t self, struct os_call *q) {
  if (q->thread >= DRIVER_CALLS) __builtin_trap();
  driver_call *call = driver_of(m, BY_STATE(m, self, gt_driver), q->thread);
  const uint32_t *w = q->arguments;
  uint64_t from = (uint64_t)w[1] << 32 | w[0], to = (uint64_t)w[3] << 32 | w[2];
  uint32_t write = q->operation == PROCESSOR_OP_DMA_WRITE;
  if (!(GT_DRIVER_CARRIES(q->operation))) { /* the mapping service's */
    *call = (driver_call){.step = DRIVER_PASS, .op = q->operation};
    ask_os_call(m, self, GT_DRIVER_PORT_MAP, q);
    return;
  }
  *call = (driver_call){.step = DRIVER_ENTER, .engine = write ? 0 : 1, .op = q->operation, .host = write ? from : to, .card = write ? to : from, .bytes = (uint64_t)w[5] << 32 | w[4]};
  if (q->operation == PROCESSOR_OP_DMA_SET_BYTE) { /* first the word that holds the byte, into the buffer at `from` */
    call->host = from;
    call->card = to & ~3ull;
    call->bytes = 4;
  }
  by_trace(m, self, GT_DRIVER_EV_CALL, call->bytes, q->thread, 0);
}

static uint32_t driver_claim(by *m, uint32_t self, uint32_t thread, driver_call *call, struct os_next *p) {
  struct gt_driver_engines *engine = driver_engine(m, BY_STATE(m, self, gt_driver), call->engine);
  const struct gt_driver_params *q = BY_PARAMS(m, self, gt_driver);
  if ((call->host | call->card | call->bytes) & 3 || call->bytes == 0 || call->bytes >= 1u << 31) {
    BY_COUNTERS(m, self, gt_driver)->refused++;
    return STEP_REFUSE;
  }
  if (engine->owner != 0 && engine->owner != thread + 1) {
    BY_COUNTERS(m, self, gt_driver)->queued++;
    by_trace(m, self, GT_DRIVER_EV_QUEUE, 0, thread, 0);
    engine->waiting |= 1u << thread;
    return STEP_BLOCK;
  }
  engine->owner = thread + 1;
  call->address = call->host;
  call->piece = call->bytes;
  call->moved = 0;
  call->step = by_wired(m, self, GT_DRIVER_PORT_MAP) ? DRIVER_MAP : DRIVER_HOST;
  return driver_spend(p, q->setup_time + driver_pin(m, self, call), PROCESSOR_STATE_DRIVER, 0);
}

static int driver_polls(by *m, uint32_t self, const driver_call *call) {
  const struct gt_driver_params *q = BY_PARAMS(m, self, gt_driver);
  return call->piece <= (call->engine ? q->poll_read : q->poll_write);
}

static uint64_t driver_finish(by *m, uint32_t self, const driver_call *call) {
  const struct gt_driver_params *q = BY_PARAMS(m, self, gt_driver);
  return call->engine ? q->finish_read : q->finish_write;
}

/* Hands the engine to the first thread that waits for it. */
static void driver_release(by *m, uint32_t self, driver_call *call) {
  struct gt_driver_state *s = BY_STATE(m, self, gt_driver);
  struct gt_driver_engines *engine = driver_engine(m, s, call->engine);
  engine->owner = 0;
  if (!engine->waiting) return;
  uint32_t next = (uint32_t)__builtin_ctz(engine->waiting);
  engine->waiting &= engine->waiting - 1;
  engine->owner = next + 1;
  ask_os_wake(m, self, GT_DRIVER_PORT_CPU, &(struct os_wake){.thread = next});
}

/* The word is here: a byte of it is changed, which makes a new write, and it goes back. */
static uint32_t driver_write_back(by *m, uint32_t self, driver_call *call, struct os_next *p) {
  uint32_t write = 0;
  struct os_peek peek = {.address = call->host, .bytes = 4, .writes = &write};
  ask_os_peek(m, self, GT_DRIVER_PORT_CPU, &peek);
  call->value = write + 1u; /* 0 would mean that nothing is expected */
  write = by_new_write(m);
  peek = (struct os_peek){.address = call->host, .bytes = 4, .set = 1, .writes = &write};
  ask_os_peek(m, self, GT_DRIVER_PORT_CPU, &peek);
  call->engine = 0;
  call->step = DRIVER_CLAIM;
  return driver_spend(p, BY_PARAMS(m, self, gt_driver)->api_time, PROCESSOR_STATE_API, 0);
}

static uint32_t driver_wrap_up(by *m, uint32_t self, uint32_t thread, driver_call *call, struct os_next *p) {
  struct gt_driver_counters *c = BY_COUNTERS(m, self, gt_driver);
  if (call->engine) c->reads++;
  else c->writes++;
  driver_release(m, self, call);
  if (call->op == PROCESSOR_OP_DMA_SET_BYTE && call->engine == 1) return driver_write_back(m, self, call, p);
  by_trace(m, self, GT_DRIVER_EV_RETURN, call->bytes, thread, 0);
  call->step = DRIVER_DONE;
  return driver_spend(p, BY_PARAMS(m, self, gt_driver)->return_time, PROCESSOR_STATE_API, 0);
}

/* The handler reads which engines are done and wakes their threads. */
static uint32_t driver_handle(by *m, uint32_t self, driver_call *call, struct os_next *p) {
  struct gt_driver_state *s = BY_STATE(m, self, gt_driver);
  if (call->step == DRIVER_HANDLER) {
    call->step = DRIVER_HANDLED;
    p->address = BY_PARAMS(m, self, gt_driver)->registers + 0x40;
    p->state = PROCESSOR_STATE_INTERRUPT;
    return STEP_LOAD;
  }
  for (uint32_t e = 0; e < 2; e++)
    if (p->loaded & 1u << e) {
      uint32_t owner = driver_engine(m, s, e)->owner;
      if (owner) ask_os_wake(m, self, GT_DRIVER_PORT_CPU, &(struct os_wake){.thread = owner - 1});
    }
  return STEP_DONE;
}

static uint32_t driver_start_engine(by *m, uint32_t self, driver_call *call, struct os_next *p) {
  int polls = driver_polls(m, self, call);
  struct gt_driver_counters *c = BY_COUNTERS(m, self, gt_driver);
  call->step = DRIVER_STARTED;
  if (polls) c->polled++;
  else c->blocked++;
  by_trace(m, self, GT_DRIVER_EV_DOORBELL, call->piece, 0, 0);
  uint64_t value = call->value << 32 | call->piece | (polls ? 0 : 0x80000000u);
  return driver_store(p, BY_PARAMS(m, self, gt_driver)->registers, call, 0x10, value);
}

/* Asks the mapping service on behalf of a thread: its steps become those of the call. */
static void driver_ask(by *m, uint32_t self, uint32_t thread, const driver_call *call, uint32_t operation) {
  int map = operation == PROCESSOR_OP_MAP;
  uint64_t from = map ? call->host + call->moved : call->address, bytes = map ? call->bytes - call->moved : call->piece;
  uint32_t words[8] = {(uint32_t)from, (uint32_t)(from >> 32), 0, 0, (uint32_t)bytes, (uint32_t)(bytes >> 32), 0, NO_TAG};
  ask_os_call(m, self, GT_DRIVER_PORT_MAP, &(struct os_call){.thread = thread, .operation = operation, .arguments = words});
}

/* The next step of the mapping service. When it has none any more the driver goes on, or gives up. */
static uint32_t driver_mapping(by *m, uint32_t self, uint32_t thread, driver_call *call, struct os_next *p) {
  uint32_t step = ask_os_next(m, self, GT_DRIVER_PORT_MAP, p);
  if (step != STEP_DONE && step != STEP_REFUSE) return step;
  if (step == STEP_REFUSE || p->value == 0) {
    BY_COUNTERS(m, self, gt_driver)->refused++;
    driver_release(m, self, call);
    return STEP_REFUSE;
  }
  call->address = p->address;
  call->piece = by_min(p->value, call->bytes - call->moved);
  call->step = DRIVER_HOST;
  by_trace(m, self, GT_DRIVER_EV_MAPPED, call->address, (uint32_t)call->piece, thread);
  return STEP_DONE;
}

static uint32_t driver_unmapping(by *m, uint32_t self, driver_call *call, struct os_next *p) {
  uint32_t step = ask_os_next(m, self, GT_DRIVER_PORT_MAP, p);
  if (step != STEP_DONE) return step;
  call->moved += call->piece;
  call->step = call->moved < call->bytes ? DRIVER_MAP : DRIVER_FINISHED;
  return STEP_DONE;
}

static uint32_t gt_driver_cpu_next(by *m, uint32_t self, struct os_next *p) {
  const struct gt_driver_params *q = BY_PARAMS(m, self, gt_driver);
  uint32_t thread = p->thread;
  if (thread >= DRIVER_CALLS) __builtin_trap();
  driver_call *call = driver_of(m, BY_STATE(m, self, gt_driver), thread);
  switch (call->step) {
    case DRIVER_ENTER:
      call->step = DRIVER_CLAIM;
      return driver_spend(p, q->api_time, PROCESSOR_STATE_API, 0);
    case DRIVER_CLAIM: return driver_claim(m, self, thread, call, p);
    case DRIVER_HOST:
      call->step = DRIVER_CARD;
      return driver_store(p, q->registers, call, 0x00, call->address);
    case DRIVER_CARD:
      call->step = DRIVER_GO;
      return driver_store(p, q->registers, call, 0x08, call->card + call->moved);
    case DRIVER_GO: return driver_start_engine(m, self, call, p);
    case DRIVER_STARTED:
      if (!driver_polls(m, self, call)) {
        call->step = DRIVER_BLOCK;
        return driver_spend(p, driver_finish(m, self, call), PROCESSOR_STATE_FINISH, 1);
      } /* fall through */
    case DRIVER_POLL:
      call->step = DRIVER_POLLED;
      BY_COUNTERS(m, self, gt_driver)->polls++;
      p->address = q->registers + call->engine * 0x20 + 0x18;
      p->state = PROCESSOR_STATE_POLL;
      return STEP_LOAD;
    case DRIVER_POLLED:
      call->step = p->loaded ? DRIVER_RETURN : DRIVER_POLL;
      return p->loaded ? driver_spend(p, driver_finish(m, self, call), PROCESSOR_STATE_FINISH, 0) : driver_spend(p, q->poll_interval, PROCESSOR_STATE_POLL, 0);
    case DRIVER_BLOCK:
      call->step = DRIVER_RETURN;
      return STEP_BLOCK;
    case DRIVER_RETURN:
      if (!by_wired(m, self, GT_DRIVER_PORT_MAP)) return driver_wrap_up(m, self, thread, call, p);
      driver_ask(m, self, thread, call, PROCESSOR_OP_UNMAP);
      call->step = DRIVER_UNMAPPING;
      break;
    case DRIVER_MAP:
      driver_ask(m, self, thread, call, PROCESSOR_OP_MAP);
      call->step = DRIVER_MAPPING;
      break;
    case DRIVER_PASS: return ask_os_next(m, self, GT_DRIVER_PORT_MAP, p);
    case DRIVER_FINISHED: return driver_wrap_up(m, self, thread, call, p);
    case DRIVER_HANDLER:
    case DRIVER_HANDLED: return driver_handle(m, self, call, p);
  }
  uint32_t maps = call->step == DRIVER_MAPPING;
  if (!maps && call->step != DRIVER_UNMAPPING) return STEP_DONE;
  uint32_t step = maps ? driver_mapping(m, self, thread, call, p) : driver_unmapping(m, self, call, p);
  return step == STEP_DONE ? gt_driver_cpu_next(m, self, p) : step;
}

static void gt_driver_cpu_interrupt(by *m, uint32_t self, struct os_interrupt *q) {
  *driver_of(m, BY_STATE(m, self, gt_driver), q->thread) = (driver_call){.step = DRIVER_HANDLER};
}

static int gt_driver_load(by *m, uint32_t self) {
  struct gt_driver_state *s = by_state_alloc(m, self, sizeof *s);
  driver_call *calls = by_view(m, self, GT_DRIVER_VIEW_CALLS, DRIVER_CALLS, sizeof *calls);
  struct gt_driver_engines *engines = by_view(m, self, GT_DRIVER_VIEW_ENGINES, 2, sizeof *engines);
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  s->calls_at = by_offset(m, calls);
  s->engines_at = by_offset(m, engines);
  return BY_OK;
}
