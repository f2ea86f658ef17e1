/*
 * The GT card's library and driver.
 *
 *   read_data, write_data: short --> programmed: the processor's own stores or loads
 *                          long  --+
 *   dma_read, dma_write: API in ---+--> transfer --> API out
 *
 *   transfer:  [engine free?] --> set-up, pin --> three register stores --+-- short: poll status ... -->
 * bookkeeping --+--> over |  no: block until it is        ^                       +-- long: bookkeeping,
 * block ... interrupt --+ map --+ where there is a mapping service: piece by piece            unmap <+
 *
 * For a short transfer the bookkeeping follows the data; for a long one it overlaps the engine's transfer,
 * and the thread blocks with interrupts disabled until the switch away from it is complete. That is why a
 * long transfer has a lower fixed cost than a short one.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "gen/registers.h"
#include "service.h"

struct gt_driver_state {
  uint32_t calls_at;
  uint32_t transfers_at;
  uint32_t engines_at;
  uint32_t spare;
};

typedef struct gt_driver_calls driver_call;
typedef struct gt_driver_transfers driver_transfer;

static driver_call *driver_call_of(sim *m, struct gt_driver *driver, uint32_t thread) {
  return (driver_call *)sim_at(m, driver->state->calls_at) + thread;
}
static driver_transfer *driver_transfer_of(sim *m, struct gt_driver *driver, uint32_t thread) {
  return (driver_transfer *)sim_at(m, driver->state->transfers_at) + thread;
}
static struct gt_driver_engines *driver_engine(sim *m, struct gt_driver *driver, uint32_t e) {
  return (struct gt_driver_engines *)sim_at(m, driver->state->engines_at) + e;
}

static uint64_t driver_register(struct gt_driver *driver, const driver_transfer *t, uint32_t which) {
  return driver->params->registers + t->engine * GT_ENGINE_BYTES + which;
}

static uint64_t driver_pin(struct gt_driver *driver, const driver_transfer *t) {
  uint64_t pages =
      (t->host % driver->params->page + t->bytes + driver->params->page - 1) / driver->params->page;
  uint64_t extra = pages > driver->params->pin_table ? pages - driver->params->pin_table : 0;
  driver->counters->pinned += extra;
  return extra * driver->params->pin_time;
}

/* Acquires the engine for this thread; returns 0 if the thread must wait its turn. */
static int driver_take_engine(sim *m, struct gt_driver *driver, uint32_t thread, const driver_transfer *t) {
  struct gt_driver_engines *engine = driver_engine(m, driver, t->engine);
  if (engine->owner == 0) engine->owner = thread + 1;
  if (engine->owner == thread + 1) return 1;
  driver->counters->queued++;
  sim_trace(m, driver->self, GT_DRIVER_EV_QUEUE, 0, thread, 0);
  engine->waiting |= 1u << thread;
  return 0;
}

/* Hands the engine to the first waiting thread. */
static void driver_release(sim *m, struct gt_driver *driver, const driver_transfer *t) {
  struct gt_driver_engines *engine = driver_engine(m, driver, t->engine);
  engine->owner = 0;
  if (!engine->waiting) return;
  uint32_t next = (uint32_t)__builtin_ctz(engine->waiting);
  engine->waiting &= engine->waiting - 1;
  engine->owner = next + 1;
  call_os_wake(m, driver->self, GT_DRIVER_PORT_CPU, &(struct os_wake){.thread = next});
}

/* A step of the mapping service: at the end the card gets its address, for as many bytes as one mapping
 * covers. */
static uint32_t driver_map(
    sim *m, struct gt_driver *driver, uint32_t thread, driver_transfer *t, struct os_next *p) {
  uint32_t step = service_next(m, driver->self, GT_DRIVER_PORT_MAP, thread, p);
  if (step == OS_STEP_REFUSE || (step == OS_STEP_DONE && p->value == 0)) {
    driver->counters->refused++;
    driver_release(m, driver, t);
    return OS_STEP_REFUSE;
  }
  if (step != OS_STEP_DONE) return step;
  t->address = p->address;
  t->piece = sim_min(p->value, t->bytes - t->moved);
  sim_trace(m, driver->self, GT_DRIVER_EV_MAPPED, t->address, (uint32_t)t->piece, thread);
  return OS_STEP_DONE;
}

/* The store to the last register starts the engine; whether the engine interrupts depends on how the thread
 * waits. */
static uint64_t driver_command(sim *m, struct gt_driver *driver, driver_transfer *t) {
  t->polls = t->piece <= (t->engine ? driver->params->poll_read : driver->params->poll_write);
  if (t->polls) driver->counters->polled++;
  else driver->counters->blocked++;
  sim_trace(m, driver->self, GT_DRIVER_EV_DOORBELL, t->piece, 0, 0);
  return t->value << 32 | t->piece | (t->polls ? 0 : GT_GO_INTERRUPT);
}

static uint32_t driver_refuse(struct gt_driver *driver) {
  driver->counters->refused++;
  return OS_STEP_REFUSE;
}

static uint32_t driver_move(
    sim *m, struct gt_driver *driver, uint32_t thread, driver_transfer *t, struct os_next *p) {
  uint32_t maps = (uint32_t)sim_wired(m, driver->self, GT_DRIVER_PORT_MAP);
  uint64_t finish_time = t->engine ? driver->params->finish_read : driver->params->finish_write;
  RESUME(t) {
    if ((t->host | t->card | t->bytes) & 3 || t->bytes == 0 || t->bytes >= 1u << 31)
      return driver_refuse(driver);
    while (!driver_take_engine(m, driver, thread, t)) AWAIT(t, GT_DRIVER_TRANSFER_QUEUED, OS_STEP_BLOCK);
    AWAIT(t, GT_DRIVER_TRANSFER_SET_UP,
        STEP_OF_WORK(p, driver->params->setup_time + driver_pin(driver, t), PROCESSOR_STATE_DRIVER, 0));
    for (t->moved = 0; t->moved < t->bytes; t->moved += t->piece) {
      t->address = t->host;
      t->piece = t->bytes;
      if (maps) {
        call_service(m, driver->self, GT_DRIVER_PORT_MAP, thread, PROCESSOR_OP_MAP, t->host + t->moved,
            t->bytes - t->moved);
        AWAIT_SERVICE(t, GT_DRIVER_TRANSFER_MAP, driver_map(m, driver, thread, t, p));
      }
      AWAIT(t, GT_DRIVER_TRANSFER_HOST,
          STEP_OF_STORE(p, driver_register(driver, t, GT_REG_HOST), t->address, PROCESSOR_STATE_DRIVER));
      AWAIT(t, GT_DRIVER_TRANSFER_CARD,
          STEP_OF_STORE(
              p, driver_register(driver, t, GT_REG_CARD), t->card + t->moved, PROCESSOR_STATE_DRIVER));
      AWAIT(t, GT_DRIVER_TRANSFER_GO,
          STEP_OF_STORE(p, driver_register(driver, t, GT_REG_GO), driver_command(m, driver, t),
              PROCESSOR_STATE_DRIVER));
      if (t->polls) {
        for (;;) {
          driver->counters->polls++;
          AWAIT(t, GT_DRIVER_TRANSFER_POLL,
              STEP_OF_LOAD(p, driver_register(driver, t, GT_REG_STATUS), PROCESSOR_STATE_POLL));
          if (p->loaded) break;
          AWAIT(t, GT_DRIVER_TRANSFER_PAUSE,
              STEP_OF_WORK(p, driver->params->poll_interval, PROCESSOR_STATE_POLL, 0));
        }
        AWAIT(t, GT_DRIVER_TRANSFER_FINISH, STEP_OF_WORK(p, finish_time, PROCESSOR_STATE_FINISH, 0));
      } else {
        AWAIT(t, GT_DRIVER_TRANSFER_FINISH_EARLY, STEP_OF_WORK(p, finish_time, PROCESSOR_STATE_FINISH, 1));
        AWAIT(t, GT_DRIVER_TRANSFER_INTERRUPT, OS_STEP_BLOCK);
      }
      if (maps) {
        call_service(m, driver->self, GT_DRIVER_PORT_MAP, thread, PROCESSOR_OP_UNMAP, t->address, t->piece);
        AWAIT_SERVICE(
            t, GT_DRIVER_TRANSFER_UNMAP, service_next(m, driver->self, GT_DRIVER_PORT_MAP, thread, p));
      }
    }
    if (t->engine) driver->counters->reads++;
    else driver->counters->writes++;
    driver_release(m, driver, t);
  }
  t->step = GT_DRIVER_TRANSFER_BEGIN;
  return OS_STEP_DONE;
}

/* The write that produced the word in the buffer; set first if `set` is not 0. 0 if no write did, or if the
   word is not tracked. */
static uint32_t driver_word(sim *m, struct gt_driver *driver, const driver_transfer *t, uint32_t set) {
  uint32_t write = set;
  if (set)
    call_os_observe(m, driver->self, GT_DRIVER_PORT_CPU,
        &(struct os_observe){.address = t->host, .bytes = 4, .set = 1, .writes = &write});
  write = 0;
  call_os_observe(m, driver->self, GT_DRIVER_PORT_CPU,
      &(struct os_observe){.address = t->host, .bytes = 4, .writes = &write});
  return write;
}

/* The word has arrived: one byte changes, which makes a new write, and the word goes back. Untracked words
   have no expected value. */
static void driver_change_byte(sim *m, struct gt_driver *driver, driver_transfer *t) {
  uint32_t read = driver_word(m, driver, t, 0), changed = sim_new_write(m);
  t->value = driver_word(m, driver, t, changed) == changed ? read + 1u : 0;
  t->engine = 0;
}

static uint32_t driver_call_api(
    sim *m, struct gt_driver *driver, uint32_t thread, driver_call *call, struct os_next *p) {
  driver_transfer *t = driver_transfer_of(m, driver, thread);
  RESUME(call) {
    sim_trace(m, driver->self, GT_DRIVER_EV_CALL, t->bytes, thread, 0);
    AWAIT(call, GT_DRIVER_STEP_API, STEP_OF_WORK(p, driver->params->api_time, PROCESSOR_STATE_API, 0));
    AWAIT_SERVICE(call, GT_DRIVER_STEP_TRANSFER, driver_move(m, driver, thread, t, p));
    if (call->op == PROCESSOR_OP_DMA_SET_BYTE) {
      driver_change_byte(m, driver, t);
      AWAIT(call, GT_DRIVER_STEP_CHANGED, STEP_OF_WORK(p, driver->params->api_time, PROCESSOR_STATE_API, 0));
      AWAIT_SERVICE(call, GT_DRIVER_STEP_WRITE_BACK, driver_move(m, driver, thread, t, p));
    }
    sim_trace(m, driver->self, GT_DRIVER_EV_RETURN, t->bytes, thread, 0);
    AWAIT(call, GT_DRIVER_STEP_RETURN, STEP_OF_WORK(p, driver->params->return_time, PROCESSOR_STATE_API, 0));
  }
  call->step = GT_DRIVER_STEP_DONE;
  return OS_STEP_DONE;
}

/* The library's routine: transfers below its threshold use programmed I/O. */
static uint32_t driver_call_library(
    sim *m, struct gt_driver *driver, uint32_t thread, driver_call *call, struct os_next *p) {
  int write = call->op == PROCESSOR_OP_WRITE_DATA;
  if (driver_transfer_of(m, driver, thread)->bytes
      >= (write ? driver->params->write_threshold : driver->params->read_threshold)) {
    call->op = write ? PROCESSOR_OP_DMA_WRITE : PROCESSOR_OP_DMA_READ;
    return driver_call_api(m, driver, thread, call, p);
  }
  call->step = GT_DRIVER_STEP_DONE;
  p->detail = write ? PROCESSOR_OP_PIO_WRITE : PROCESSOR_OP_PIO_READ;
  return OS_STEP_DELEGATE;
}

/* The handler reads which engines are done and wakes their threads. */
static uint32_t driver_handle(sim *m, struct gt_driver *driver, driver_call *call, struct os_next *p) {
  RESUME(call) {
    AWAIT(call, GT_DRIVER_STEP_STATUS,
        STEP_OF_LOAD(p, driver->params->registers + GT_REG_DONE, PROCESSOR_STATE_INTERRUPT));
    for (uint32_t e = 0; e < 2; e++) {
      uint32_t owner = driver_engine(m, driver, e)->owner;
      if (p->loaded & 1u << e && owner)
        call_os_wake(m, driver->self, GT_DRIVER_PORT_CPU, &(struct os_wake){.thread = owner - 1});
    }
  }
  call->step = GT_DRIVER_STEP_DONE;
  return OS_STEP_DONE;
}

/* Programmed accesses are 1, 2 or 4 bytes wide. */
static int driver_programs(uint32_t bytes, uint32_t width) {
  return (width == 1 || width == 2 || width == 4) && bytes % width == 0;
}

/* A card moves whole words. Operations other than the driver's belong to its mapping service. */
static uint32_t gt_driver_cpu_validate_row(sim *m, struct gt_driver *driver, struct os_validate_row *q) {
  const uint32_t *w = q->arguments;
  if (q->operation == PROCESSOR_OP_DMA_WRITE || q->operation == PROCESSOR_OP_DMA_READ)
    return (w[0] | w[2] | w[4]) & 3 ? SIM_UNALIGNED_DMA : SIM_OK;
  if (q->operation == PROCESSOR_OP_WRITE_DATA || q->operation == PROCESSOR_OP_READ_DATA)
    return driver_programs(w[4], w[10]) ? SIM_OK : SIM_BAD_ROW;
  if (GT_DRIVER_EXECUTES(q->operation)) return SIM_OK;
  return sim_wired(m, driver->self, GT_DRIVER_PORT_MAP)
             ? call_os_validate_row(m, driver->self, GT_DRIVER_PORT_MAP, q)
             : SIM_BAD_ROW;
}

static void gt_driver_cpu_call(sim *m, struct gt_driver *driver, struct os_call *q) {
  if (q->thread >= CALLS_PER_CPU) __builtin_trap();
  driver_call *call = driver_call_of(m, driver, q->thread);
  driver_transfer *t = driver_transfer_of(m, driver, q->thread);
  const uint32_t *w = q->arguments;
  uint64_t from = (uint64_t)w[1] << 32 | w[0], to = (uint64_t)w[3] << 32 | w[2],
           bytes = (uint64_t)w[5] << 32 | w[4];
  *call = (driver_call){.op = q->operation};
  if (!(GT_DRIVER_EXECUTES(q->operation))) { /* belongs to the mapping service */
    call->step = GT_DRIVER_STEP_PASS;
    call_os_call(m, driver->self, GT_DRIVER_PORT_MAP, q);
  } else if (q->operation == PROCESSOR_OP_DMA_SET_BYTE) { /* first read the word that holds the byte into the
                                                             buffer at `from` */
    *t = (driver_transfer){.engine = 1, .host = from, .card = to & ~3ull, .bytes = 4};
  } else if (q->operation == PROCESSOR_OP_DMA_WRITE || q->operation == PROCESSOR_OP_WRITE_DATA) {
    *t = (driver_transfer){.engine = 0, .host = from, .card = to, .bytes = bytes};
  } else {
    *t = (driver_transfer){.engine = 1, .host = to, .card = from, .bytes = bytes};
  }
}

static uint32_t gt_driver_cpu_next(sim *m, struct gt_driver *driver, struct os_next *p) {
  uint32_t thread = p->thread;
  if (thread >= CALLS_PER_CPU) __builtin_trap();
  driver_call *call = driver_call_of(m, driver, thread);
  if (call->step == GT_DRIVER_STEP_PASS) return call_os_next(m, driver->self, GT_DRIVER_PORT_MAP, p);
  if (call->op == PROCESSOR_OP_END) return driver_handle(m, driver, call, p);
  int library = call->op == PROCESSOR_OP_WRITE_DATA || call->op == PROCESSOR_OP_READ_DATA;
  return library ? driver_call_library(m, driver, thread, call, p)
                 : driver_call_api(m, driver, thread, call, p);
}

/* The handler's row carries no operation. */
static void gt_driver_cpu_interrupt(sim *m, struct gt_driver *driver, struct os_interrupt *q) {
  *driver_call_of(m, driver, q->thread) = (driver_call){.op = PROCESSOR_OP_END};
}

static int gt_driver_load(sim *m, uint32_t self) {
  struct gt_driver_state *s = sim_state_alloc(m, self, sizeof *s);
  void *calls = sim_view(m, self, GT_DRIVER_VIEW_CALLS, CALLS_PER_CPU, sizeof(driver_call));
  void *transfers = sim_view(m, self, GT_DRIVER_VIEW_TRANSFERS, CALLS_PER_CPU, sizeof(driver_transfer));
  void *engines = sim_view(m, self, GT_DRIVER_VIEW_ENGINES, 2, sizeof(struct gt_driver_engines));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct gt_driver_state){.calls_at = sim_offset(m, calls),
      .transfers_at = sim_offset(m, transfers),
      .engines_at = sim_offset(m, engines)};
  return SIM_OK;
}
