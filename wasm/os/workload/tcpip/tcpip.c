/*
 * Processing of received frames.
 *
 *   frame in its buffer --interrupt--> handler: give --> I/O thread: take, TCP/IP, [copy] --put--> queue
 *                                                                                                   |
 *   buffer back to the adapter <-- finish <-- decode, piece by piece <-- [copy] <-- application: get +
 *
 * With one processor everything runs there. With two, the I/O thread runs on the other, and messages hold
 * addresses: the application then reads the buffer that the adapter filled. The place of a packet is a buffer
 * of the ring or a copy. A copy releases its source. Bytes are accessed through the processor's cache, one
 * line of the frame after another, and an application computes over the data that it read there.
 *
 *   application: compose, submit --put--> queue --get--> I/O thread: [copy], TCP/IP --> adapter --> wire
 *   message back to the pool <-- handler <--interrupt-- adapter, when the last bit has left
 */
#include "core/engine.h"
#include "frames.h"
#include "gen/protocols.h"
#include "runway.h"
#include "service.h"

#include "os/workload/tcpip/checksums.c"

#define TCPIP_CPUS 8u
#define TCPIP_ROWS (TCPIP_CPUS * CALLS_PER_CPU)
#define TCPIP_SLOTS 32u
#define TCPIP_COPIES 16u
#define TCPIP_SENT 12u /* used by senders: if all were in queues, no receiver could make a copy */
#define TCPIP_COPY 64u /* the first place that is a copy */
#define TCPIP_NO_PLACE 0xffffffffu
#define TCPIP_FRAMES 15u /* the kernel's semaphore of frames */

struct tcpip_state {
  uint32_t calls_at;
  uint32_t slots_at;
  uint32_t messages_at;
  uint32_t now_at;
};

typedef struct tcpip_calls tcpip_call;
/* Slots and messages have the same row layout. */
typedef struct tcpip_slots tcpip_place;

static tcpip_call *tcpip_call_of(sim *m, struct tcpip *tcpip, uint32_t row) {
  return (tcpip_call *)sim_at(m, tcpip->state->calls_at) + row;
}
static struct tcpip_now *tcpip_now_of(sim *m, struct tcpip *tcpip) { return sim_at(m, tcpip->state->now_at); }

static tcpip_place *tcpip_place_of(sim *m, struct tcpip *tcpip, uint32_t place) {
  return place < TCPIP_COPY ? (tcpip_place *)sim_at(m, tcpip->state->slots_at) + place
                            : (tcpip_place *)sim_at(m, tcpip->state->messages_at) + (place - TCPIP_COPY);
}

/* Ring buffers start at address 0, copies follow the largest ring. */
static uint64_t tcpip_address(uint32_t place) {
  return (uint64_t)(place < TCPIP_COPY ? place : TCPIP_SLOTS + place - TCPIP_COPY) * FRAME_BUFFER;
}

/* Loads or stores a line of the frame. */
static uint32_t tcpip_line(
    const tcpip_call *call, uint32_t place, uint32_t op, uint32_t state, struct os_next *p) {
  p->address = tcpip_address(place) + call->line * FRAME_LINE;
  p->value = (uint64_t)call->held << 32 | frame_line_bytes(call->size, call->line);
  p->detail = op;
  p->state = state;
  return OS_STEP_COPY_CHUNK;
}

/* Bytes of the payload in a line. */
static uint32_t tcpip_payload(const tcpip_call *call) {
  uint32_t bytes = frame_line_bytes(call->size, call->line);
  return call->line == 0 ? bytes - FRAME_HEADER : bytes;
}

static int tcpip_is_io(struct tcpip *tcpip, uint32_t row) {
  return tcpip->params->io_processor > 0
         && row / CALLS_PER_CPU - tcpip->params->io_processor < tcpip->params->io_processors;
}

/* Returns a buffer of a ring to the adapter that filled it. */
static void tcpip_return(sim *m, struct tcpip *tcpip, uint32_t slot) {
  call_frames_release(m, tcpip->self, TCPIP_PORT_ADAPTER + tcpip_place_of(m, tcpip, slot)->adapter,
      &(struct frames_release){.slot = slot});
}

static void tcpip_release(sim *m, struct tcpip *tcpip, uint32_t place) {
  tcpip_place *at = tcpip_place_of(m, tcpip, place);
  at->packet = at->held = at->outgoing = 0;
  for (uint32_t row = 0; place >= TCPIP_COPY && row < TCPIP_ROWS; row++)
    if (tcpip_call_of(m, tcpip, row)->step == TCPIP_STEP_ROOM)
      call_os_wake(m, tcpip->self, TCPIP_PORT_CPU + row / CALLS_PER_CPU,
          &(struct os_wake){.thread = row % CALLS_PER_CPU});
  if (place < TCPIP_COPY) tcpip_return(m, tcpip, place);
}

/* The first free place among so many copies; TCPIP_NO_PLACE if there is none. */
static uint32_t tcpip_free_copy(sim *m, struct tcpip *tcpip, uint32_t copies) {
  for (uint32_t copy = TCPIP_COPY; copy < TCPIP_COPY + copies; copy++)
    if (!tcpip_place_of(m, tcpip, copy)->packet) return copy;
  return TCPIP_NO_PLACE;
}

/* Allocates a place for a copy of the call's packet among the first `copies`; 0 if none is free. */
static int tcpip_has_room(sim *m, struct tcpip *tcpip, tcpip_call *call, uint32_t copies) {
  uint32_t copy = tcpip_free_copy(m, tcpip, copies);
  if (copy == TCPIP_NO_PLACE) return 0;
  *tcpip_place_of(m, tcpip, copy) = *tcpip_place_of(m, tcpip, call->place);
  tcpip_place_of(m, tcpip, copy)->packet = call->packet;
  call->to = copy;
  return 1;
}

/* Completes a copy and releases its source. */
static void tcpip_copy(sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call) {
  tcpip->counters->copied += call->size - FRAME_HEADER;
  tcpip_release(m, tcpip, call->place);
  call->place = call->to;
  call->count--;
  sim_trace(m, tcpip->self, TCPIP_EV_COPIED, call->packet, call->to, row / CALLS_PER_CPU);
}

/* Calls the kernel. A message contains the place of a packet, and in its byte count the packet's number. */
static void tcpip_ask(
    sim *m, struct tcpip *tcpip, uint32_t row, uint32_t op, uint32_t tag, const tcpip_call *call) {
  uint32_t words[10] = {call->place, 0, 0, 0, call->packet, 0, 0, tag};
  call_os_call(m, tcpip->self, TCPIP_PORT_KERNEL + row / CALLS_PER_CPU,
      &(struct os_call){.thread = row % CALLS_PER_CPU, .operation = op, .arguments = words});
}

static uint32_t tcpip_relay(sim *m, struct tcpip *tcpip, uint32_t row, struct os_next *p) {
  p->thread = row % CALLS_PER_CPU;
  return call_os_next(m, tcpip->self, TCPIP_PORT_KERNEL + row / CALLS_PER_CPU, p);
}

/* Per line: load, work, store. The loops of a copy and of TCP/IP's own pass end after the last line. */
static uint32_t tcpip_run_step(
    sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call, struct os_next *p) {
  uint64_t byte = tcpip_is_io(tcpip, row) ? tcpip->params->io_copy_time : tcpip->params->copy_time;
  RESUME_AT(call->stage) {
    for (call->line = 0; call->line < frame_lines(call->size); call->line++) {
      AWAIT_AT(call->stage, TCPIP_STEP_LOADING,
          tcpip_line(call, call->place, CACHE_OP_LOAD, PROCESSOR_STATE_CARRY, p));
      call->held = (uint32_t)p->loaded;
      AWAIT_AT(call->stage, TCPIP_STEP_COPYING,
          STEP_OF_WORK(p, tcpip_payload(call) * byte, PROCESSOR_STATE_CARRY, 0));
      AWAIT_AT(call->stage, TCPIP_STEP_STORING,
          tcpip_line(call, call->to, CACHE_OP_STORE, PROCESSOR_STATE_CARRY, p));
    }
  }
  call->stage = 0;
  tcpip_copy(m, tcpip, row, call);
  return OS_STEP_DONE;
}

/*
 * Removes each line of a packet from this processor's cache without notifying others: purged before reading
 * another's data, flushed after writing data for another.
 */
static uint32_t tcpip_order(
    sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call, uint32_t op, struct os_next *p) {
  RESUME_AT(call->stage) {
    for (call->line = 0; call->line < frame_lines(call->size); call->line++) {
      AWAIT_AT(call->stage, TCPIP_STEP_ORDERING, tcpip_line(call, call->place, op, PROCESSOR_STATE_ORDER, p));
      AWAIT_AT(call->stage, TCPIP_STEP_ORDERED,
          STEP_OF_WORK(p, tcpip_is_io(tcpip, row) ? tcpip->params->io_order_time : tcpip->params->order_time,
              PROCESSOR_STATE_ORDER, 0));
    }
  }
  call->stage = 0;
  sim_trace(m, tcpip->self, op == CACHE_OP_PURGE ? TCPIP_EV_PURGED : TCPIP_EV_FLUSHED, call->packet,
      call->place, row / CALLS_PER_CPU);
  return OS_STEP_DONE;
}

/* Segments received with this packet: itself, and those that set up or tear down its connection. */
static uint64_t tcpip_segments(struct tcpip *tcpip, const tcpip_call *call) {
  if (tcpip->params->connection == 0) return 1;
  int first = (call->packet - 1) % tcpip->params->connection == 0,
      last = call->packet % tcpip->params->connection == 0;
  tcpip->counters->connections += (uint32_t)first;
  return 1 + (first ? tcpip->params->setup_segments : 0) + (last ? tcpip->params->teardown_segments : 0);
}

/* Records that a line was read, of this packet or of another. */
static void tcpip_check_order(tcpip_call *call, const struct os_next *p) {
  call->seen = (uint32_t)p->loaded;
  if (call->seen != call->packet) call->mixed = 1;
}

/* TCP/IP: time per packet, and time per byte. The checksum covers the bytes as they were read. */
static uint32_t tcpip_protocol(struct tcpip *tcpip, uint32_t row, tcpip_call *call, struct os_next *p) {
  int io = tcpip_is_io(tcpip, row);
  RESUME_AT(call->stage) {
    AWAIT_AT(call->stage, TCPIP_STEP_PROTOCOL,
        STEP_OF_WORK(p,
            tcpip_segments(tcpip, call)
                * (io ? tcpip->params->io_protocol_time : tcpip->params->protocol_time),
            PROCESSOR_STATE_PROTOCOL, 0));
    for (call->line = 0; call->line < frame_lines(call->size); call->line++) {
      AWAIT_AT(call->stage, TCPIP_STEP_READING,
          tcpip_line(call, call->place, CACHE_OP_LOAD, PROCESSOR_STATE_PROTOCOL, p));
      if (tcpip->params->verifies) tcpip_check_order(call, p);
      AWAIT_AT(call->stage, TCPIP_STEP_SUMMING,
          STEP_OF_WORK(p, tcpip_payload(call) * (io ? tcpip->params->io_byte_time : tcpip->params->byte_time),
              PROCESSOR_STATE_PROTOCOL, 0));
    }
  }
  call->stage = 0;
  return OS_STEP_DONE;
}

/* The next filled buffer of the ring; 0 if a defect has lost it. */
static int tcpip_take_packet(sim *m, struct tcpip *tcpip, tcpip_call *call) {
  struct tcpip_now *now = tcpip_now_of(m, tcpip);
  for (uint32_t i = 0; i < TCPIP_SLOTS; i++) {
    call->place = (now->next + i) % TCPIP_SLOTS;
    call->packet = tcpip_place_of(m, tcpip, call->place)->packet;
    if (!call->packet) continue;
    call->size = tcpip_place_of(m, tcpip, call->place)->bytes;
    now->next = call->place + 1;
    return 1;
  }
  call->place = TCPIP_NO_PLACE;
  return 0;
}

#include "os/workload/tcpip/reassembly.c"

/* Passes a packet, and those that it delayed, to the application. */
static uint32_t tcpip_deliver_to_queue(
    sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call, struct os_next *p) {
  RESUME_AT(call->stage) {
    if (!tcpip_can_continue(m, tcpip, row, call)) {
      AWAIT_AT(call->stage, TCPIP_STEP_HOLDING,
          STEP_OF_WORK(p,
              tcpip_is_io(tcpip, row) ? tcpip->params->io_reorder_time : tcpip->params->reorder_time,
              PROCESSOR_STATE_PROTOCOL, 0));
      if (!tcpip_continue(m, tcpip, call)) {
        call->stage = 0;
        return OS_STEP_DONE;
      }
    }
    do {
      tcpip_place_of(m, tcpip, call->place)->from = row / CALLS_PER_CPU;
      tcpip->counters->delivered++;
      sim_trace(m, tcpip->self, TCPIP_EV_DELIVERED, call->packet, call->place, row / CALLS_PER_CPU);
      if (tcpip->params->fault == TCPIP_FAULT_EARLY_RELEASE && call->place < TCPIP_COPY)
        tcpip_return(m, tcpip, call->place);
      tcpip_ask(m, tcpip, row, PROCESSOR_OP_PUT, call->tag, call);
      AWAIT_SERVICE_AT(call->stage, TCPIP_STEP_PUTTING, tcpip_relay(m, tcpip, row, p));
      tcpip_now_of(m, tcpip)->expected =
          (uint32_t)sim_max(tcpip_now_of(m, tcpip)->expected, (uint64_t)call->packet + 1);
    } while (tcpip_continue(m, tcpip, call));
  }
  call->stage = 0;
  return OS_STEP_DONE;
}

/* Drops a packet whose checksum is wrong. */
static void tcpip_reject(sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call) {
  tcpip->counters->bad_checksums++;
  sim_trace(m, tcpip->self, TCPIP_EV_REJECTED, call->packet, call->place, row / CALLS_PER_CPU);
  call_frames_reject(m, tcpip->self, TCPIP_PORT_ADAPTER + tcpip_place_of(m, tcpip, call->place)->adapter,
      &(struct frames_reject){.packet = call->packet});
  tcpip_release(m, tcpip, call->place);
  call->place = TCPIP_NO_PLACE;
  call->step = TCPIP_STEP_DONE;
}

static uint32_t tcpip_deliver(
    sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call, struct os_next *p) {
  RESUME(call) {
    tcpip_ask(m, tcpip, row, PROCESSOR_OP_TAKE, TCPIP_FRAMES, call);
    AWAIT_SERVICE(call, TCPIP_STEP_WAITING, tcpip_relay(m, tcpip, row, p));
    if (!tcpip_take_packet(m, tcpip, call)) return OS_STEP_REFUSE;
    sim_trace(m, tcpip->self, TCPIP_EV_TAKEN, call->packet, call->place, row / CALLS_PER_CPU);
    if (tcpip->params->purges)
      AWAIT_SERVICE(call, TCPIP_STEP_PURGING, tcpip_order(m, tcpip, row, call, CACHE_OP_PURGE, p));
    if (call->op == PROCESSOR_OP_COLLECT)
      AWAIT(call, TCPIP_STEP_SUMMING,
          STEP_OF_WORK(p, tcpip->params->collect_time, PROCESSOR_STATE_PROTOCOL, 0));
    else AWAIT_SERVICE(call, TCPIP_STEP_PROTOCOL, tcpip_protocol(tcpip, row, call, p));
    if (call->mixed) {
      tcpip_reject(m, tcpip, row, call);
      return OS_STEP_DONE;
    }
    while (call->count > 0) {
      while (!tcpip_has_room(m, tcpip, call, TCPIP_SENT)) AWAIT(call, TCPIP_STEP_ROOM, OS_STEP_BLOCK);
      AWAIT_SERVICE(call, TCPIP_STEP_COPYING, tcpip_run_step(m, tcpip, row, call, p));
    }
    if (tcpip->params->flushes && call->place >= TCPIP_COPY)
      AWAIT_SERVICE(call, TCPIP_STEP_FLUSHING, tcpip_order(m, tcpip, row, call, CACHE_OP_FLUSH, p));
    AWAIT_SERVICE(call, TCPIP_STEP_PUTTING, tcpip_deliver_to_queue(m, tcpip, row, call, p));
  }
  call->step = TCPIP_STEP_DONE;
  return OS_STEP_DONE;
}

#include "os/workload/tcpip/decode.c"
#include "os/workload/tcpip/sending.c"
#include "os/workload/tcpip/taking.c"

/* A defect: releases the previous packet's buffer once more. The adapter has filled it again, and treats it
   as empty. */
static void tcpip_release_twice(sim *m, struct tcpip *tcpip, tcpip_call *call) {
  if (call->given) {
    tcpip->counters->released_twice++;
    sim_trace(m, tcpip->self, TCPIP_EV_TWICE, 0, call->given - 1, 0);
    tcpip_return(m, tcpip, call->given - 1);
  }
  call->given = call->place < TCPIP_COPY ? call->place + 1 : 0;
}

static uint32_t tcpip_finish(sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call) {
  uint64_t latency = m->time - tcpip_place_of(m, tcpip, call->place)->arrived;
  call->step = TCPIP_STEP_DONE;
  tcpip->counters->processed++;
  tcpip->counters->latency += latency;
  tcpip->counters->latency_most = sim_max(tcpip->counters->latency_most, latency);
  sim_trace(m, tcpip->self, TCPIP_EV_FINISHED, call->packet, 0, row / CALLS_PER_CPU);
  if (tcpip->params->deadline && latency > tcpip->params->deadline) {
    tcpip->counters->late++;
    sim_trace(m, tcpip->self, TCPIP_EV_LATE, latency, call->packet, row / CALLS_PER_CPU);
  }
  tcpip_release(m, tcpip, call->place);
  if (tcpip->params->fault == TCPIP_FAULT_RELEASED_TWICE) tcpip_release_twice(m, tcpip, call);
  call->place = TCPIP_NO_PLACE;
  return OS_STEP_DONE;
}

/* Releases what has been sent; one semaphore increment per frame that arrived meanwhile. */
static uint32_t tcpip_handle(sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call, struct os_next *p) {
  struct tcpip_now *now = tcpip_now_of(m, tcpip);
  RESUME(call) {
    AWAIT(call, TCPIP_STEP_PROTOCOL,
        STEP_OF_WORK(p, tcpip->params->interrupt_time, PROCESSOR_STATE_INTERRUPT, 0));
    tcpip_release_sent(m, tcpip);
    while (now->unhandled > 0) {
      now->unhandled--;
      tcpip_ask(m, tcpip, row, PROCESSOR_OP_GIVE, TCPIP_FRAMES, call);
      AWAIT_SERVICE(call, TCPIP_STEP_NOTIFYING, tcpip_relay(m, tcpip, row, p));
    }
  }
  call->step = TCPIP_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t tcpip_cpu_validate_row(sim *m, struct tcpip *tcpip, uint32_t cpu, struct os_validate_row *q) {
  const uint32_t *w = q->arguments;
  int meets = q->operation == PROCESSOR_OP_DELIVER || q->operation == PROCESSOR_OP_COLLECT
              || q->operation == PROCESSOR_OP_ACCEPT || q->operation == PROCESSOR_OP_SUBMIT
              || q->operation == PROCESSOR_OP_TRANSMIT;
  if ((q->operation == PROCESSOR_OP_COMPOSE && (w[4] < TCPIP_LEAST || w[4] > TCPIP_MOST))
      || (meets && (w[6] > 2 || w[7] > 15))
      || (q->operation == PROCESSOR_OP_DECODE && (w[6] < CODE_CRC || w[6] > CODE_HUFFMAN)))
    return SIM_BAD_ROW;
  if (!sim_wired(m, tcpip->self, TCPIP_PORT_KERNEL + cpu)) return SIM_BAD_ROW;
  return TCPIP_EXECUTES(q->operation) ? SIM_OK
                                      : call_os_validate_row(m, tcpip->self, TCPIP_PORT_KERNEL + cpu, q);
}

/* An accepted packet belongs to its thread from call to call. */
static void tcpip_cpu_call(sim *m, struct tcpip *tcpip, uint32_t cpu, struct os_call *q) {
  if (q->thread >= CALLS_PER_CPU) __builtin_trap();
  tcpip_call *call = tcpip_call_of(m, tcpip, cpu * CALLS_PER_CPU + q->thread);
  int own = TCPIP_EXECUTES(q->operation);
  *call = (tcpip_call){.step = own ? TCPIP_STEP_ENTER : TCPIP_STEP_PASS,
      .op = q->operation,
      .count = q->arguments[6],
      .tag = q->arguments[7],
      .place = call->place,
      .packet = call->packet,
      .size = q->operation == PROCESSOR_OP_COMPOSE ? q->arguments[4] : call->size,
      .given = call->given};
  if (!own) call_os_call(m, tcpip->self, TCPIP_PORT_KERNEL + cpu, q);
}

static uint32_t tcpip_cpu_next(sim *m, struct tcpip *tcpip, uint32_t cpu, struct os_next *p) {
  uint32_t row = cpu * CALLS_PER_CPU + p->thread;
  tcpip_call *call = tcpip_call_of(m, tcpip, row);
  if (call->step == TCPIP_STEP_PASS) return tcpip_relay(m, tcpip, row, p);
  if (call->op == PROCESSOR_OP_DELIVER || call->op == PROCESSOR_OP_COLLECT)
    return tcpip_deliver(m, tcpip, row, call, p);
  if (call->op == PROCESSOR_OP_ACCEPT || call->op == PROCESSOR_OP_TRANSMIT)
    return tcpip_take_message(m, tcpip, row, call, p);
  if (call->op == PROCESSOR_OP_COMPOSE) return tcpip_compose(m, tcpip, row, call, p);
  if (call->op == PROCESSOR_OP_SUBMIT) return tcpip_submit(m, tcpip, row, call, p);
  if (call->op == PROCESSOR_OP_END) return tcpip_handle(m, tcpip, row, call, p);
  if (call->place == TCPIP_NO_PLACE) return OS_STEP_REFUSE; /* there is no packet to process */
  return call->op == PROCESSOR_OP_DECODE ? tcpip_decode(m, tcpip, call, p)
                                         : tcpip_finish(m, tcpip, row, call);
}

/* The handler's row carries no operation. */
static void tcpip_cpu_interrupt(sim *m, struct tcpip *tcpip, uint32_t cpu, struct os_interrupt *q) {
  *tcpip_call_of(m, tcpip, cpu * CALLS_PER_CPU + q->thread) =
      (tcpip_call){.op = PROCESSOR_OP_END, .place = TCPIP_NO_PLACE};
}

static void tcpip_adapter_arrived(sim *m, struct tcpip *tcpip, uint32_t adapter, struct frames_arrived *q) {
  if (q->slot >= TCPIP_SLOTS) __builtin_trap();
  *tcpip_place_of(m, tcpip, q->slot) =
      (tcpip_place){.packet = q->packet, .bytes = (uint32_t)q->bytes, .adapter = adapter, .arrived = m->time};
  tcpip_now_of(m, tcpip)->unhandled++;
  tcpip_now_of(m, tcpip)->ring = (uint32_t)q->ring;
}

/* The handler of the interrupt that follows releases the buffer. */
static void tcpip_adapter_sent(sim *m, struct tcpip *tcpip, uint32_t adapter, struct frames_sent *q) {
  (void)adapter;
  tcpip_place *at = tcpip_place_of(m, tcpip, q->place);
  at->outgoing = TCPIP_OUTGOING_SENT;
  tcpip->counters->sent++;
  tcpip->counters->send_time += m->time - at->arrived;
  sim_trace(m, tcpip->self, TCPIP_EV_GONE, at->packet, q->place, m->time - at->arrived);
}

static int tcpip_load(sim *m, uint32_t self) {
  struct tcpip_state *s = sim_state_alloc(m, self, sizeof *s);
  tcpip_call *calls = sim_view(m, self, TCPIP_VIEW_CALLS, TCPIP_ROWS, sizeof *calls);
  void *slots = sim_view(m, self, TCPIP_VIEW_SLOTS, TCPIP_SLOTS, sizeof(tcpip_place));
  void *messages = sim_view(m, self, TCPIP_VIEW_MESSAGES, TCPIP_COPIES, sizeof(struct tcpip_messages));
  void *now = sim_view(m, self, TCPIP_VIEW_NOW, 1, sizeof(struct tcpip_now));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct tcpip_state){
      sim_offset(m, calls), sim_offset(m, slots), sim_offset(m, messages), sim_offset(m, now)};
  tcpip_now_of(m, SIM_CONTEXT(m, self, tcpip))->expected = 1;
  for (uint32_t row = 0; row < TCPIP_ROWS; row++) calls[row].place = TCPIP_NO_PLACE;
  return SIM_OK;
}

#include "os/workload/tcpip/state.c"
