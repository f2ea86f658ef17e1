/*
 * Network stack and driver, as steps that processors carry out.
 *
 *   send:  [room in the window?] --> stack --> map buffer, map buffer --> post --> [a batch has left?]
 *               | no                                                                    | yes
 *               +--> [something has left?] -- no: sleep                                 |
 *                           | yes                                                       |
 *                           +--> reclaim a batch: unmap, unmap, ... <-------------------+
 *   reap:  [something has left?] -- no: sleep;  yes: reclaim
 *
 * The queue of each CPU is a ring of slots; three counters run through it: posted, sent, reclaimed. Map
 * and unmap are relayed step by step to the mapping service, so locks and hypervisor calls take time on
 * the CPU that makes them. Other calls of programs are relayed as they are.
 */
#include "core/engine.h"
#include "core/spread.h"
#include "gen/protocols.h"
#include "ports.h"

#define NET_CPUS 64u
#define NET_THREADS 17u
#define NET_SLOTS 64u
#define NET_BUFFERS 16u
#define NET_MEMORY 0x10000000ull /* where buffers lie, a page each */
#define NET_PAGE 8192u

struct net_driver_state {
  uint32_t queues_at, calls_at, slots_at, buffers_at, cpus, spare;
};

typedef struct net_driver_queues net_queue;
typedef struct net_driver_calls net_call;

static net_queue *net_queue_of(by *m, struct net_driver_state *s, uint32_t q) { return (net_queue *)by_at(m, s->queues_at) + q; }
static net_call *net_call_of(by *m, struct net_driver_state *s, uint32_t i) { return (net_call *)by_at(m, s->calls_at) + i; }
static struct net_driver_slots *net_slot(by *m, struct net_driver_state *s, uint32_t q, uint64_t n) { return (struct net_driver_slots *)by_at(m, s->slots_at) + q * NET_SLOTS + n; }
static uint64_t *net_buffer(by *m, struct net_driver_state *s, uint32_t q, uint64_t n, uint32_t b) { return (uint64_t *)by_at(m, s->buffers_at) + (q * NET_SLOTS + n) * NET_BUFFERS + b; }

static uint32_t net_spend(by *m, uint32_t self, struct os_next *p, uint64_t mean) {
  p->value = by_spread(m, mean, BY_PARAMS(m, self, net_driver)->spread != 0);
  p->state = PROCESSOR_STATE_STACK;
  p->detail = 0;
  return STEP_SPEND;
}

/* CPUs that send: no more than there are. */
static uint32_t net_senders(by *m, uint32_t self) {
  uint64_t senders = BY_PARAMS(m, self, net_driver)->senders;
  uint32_t cpus = BY_STATE(m, self, net_driver)->cpus;
  return senders < cpus ? (uint32_t)senders : cpus;
}

/* The queue that a sending CPU reclaims; NET_CPUS if none. */
static uint32_t net_duty(by *m, uint32_t self, uint32_t cpu) {
  uint32_t senders = net_senders(m, self);
  switch (BY_PARAMS(m, self, net_driver)->reclaim) {
    case NET_DRIVER_RECLAIM_SAME: return cpu;
    case NET_DRIVER_RECLAIM_NEIGHBOUR: return (cpu + senders - 1) % senders;
  }
  return NET_CPUS;
}

/* Packets of a queue that have left, if nobody reclaims them yet. */
static uint64_t net_left(by *m, uint32_t self, uint32_t queue) {
  if (queue >= NET_CPUS) return 0;
  const net_queue *q = net_queue_of(m, BY_STATE(m, self, net_driver), queue);
  return q->reclaimer ? 0 : q->sent - q->reclaimed;
}

static void net_wake(by *m, uint32_t self, uint32_t *sleeper) {
  uint32_t index = *sleeper - 1;
  if (!*sleeper) return;
  *sleeper = 0;
  ask_os_wake(m, self, NET_DRIVER_PORT_CPU + index / NET_THREADS, &(struct os_wake){.thread = index % NET_THREADS});
}

static void net_begin_reclaim(by *m, uint32_t self, uint32_t index, uint32_t queue, uint64_t most, uint32_t then) {
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  net_call *call = net_call_of(m, s, index);
  call->queue = queue;
  call->left = (uint32_t)by_min(net_left(m, self, queue), most);
  call->then = then;
  call->step = NET_DRIVER_STEP_RECLAIM;
  net_queue_of(m, s, queue)->reclaimer = index + 1;
  by_trace(m, self, NET_DRIVER_EV_RECLAIM, call->left, queue, index / NET_THREADS);
}

/* Asks the mapping service on behalf of a thread; the answer comes by net_relay. */
static void net_ask(by *m, uint32_t self, uint32_t index, uint32_t op, uint64_t address) {
  uint32_t words[8] = {(uint32_t)address, (uint32_t)(address >> 32), 0, 0, 64, 0, 0, NO_TAG};
  ask_os_call(m, self, NET_DRIVER_PORT_MAP + index / NET_THREADS, &(struct os_call){.thread = index % NET_THREADS, .operation = op, .arguments = words});
}

static uint32_t net_relay(by *m, uint32_t self, uint32_t index, struct os_next *p) {
  p->thread = index % NET_THREADS;
  return ask_os_next(m, self, NET_DRIVER_PORT_MAP + index / NET_THREADS, p);
}

static uint32_t net_sleep(by *m, uint32_t self, uint32_t *sleeper, uint32_t index, uint32_t queue, int tell) {
  *sleeper = index + 1;
  if (!tell) return STEP_BLOCK;
  BY_COUNTERS(m, self, net_driver)->full++;
  by_trace(m, self, NET_DRIVER_EV_FULL, 0, queue, index / NET_THREADS);
  return STEP_BLOCK;
}

/* Is there room for another packet? If not, reclaim, or sleep until something has left. */
static uint32_t net_room(by *m, uint32_t self, uint32_t index, net_call *call, struct os_next *p) {
  const struct net_driver_params *q = BY_PARAMS(m, self, net_driver);
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  uint32_t cpu = index / NET_THREADS, duty = net_duty(m, self, cpu);
  net_queue *queue = net_queue_of(m, s, cpu);
  if (cpu >= net_senders(m, self)) return net_sleep(m, self, &queue->sender, index, cpu, 0);
  if (queue->posted - queue->reclaimed >= q->window) {
    if (net_left(m, self, duty) == 0) return net_sleep(m, self, &queue->sender, index, cpu, 1);
    net_begin_reclaim(m, self, index, duty, q->batch, NET_DRIVER_STEP_ROOM);
    return STEP_DONE;
  }
  call->queue = cpu;
  call->buffer = 0;
  call->buffers = (uint32_t)(q->tso ? q->tso_buffers : q->buffers);
  call->step = NET_DRIVER_STEP_MAP;
  uint64_t bytes = q->tso ? q->tso_bytes : call->bytes;
  return net_spend(m, self, p, q->stack_time + q->copy_time * bytes / 1024);
}

/* A buffer is mapped, or cannot be: then the packet's others are given back. */
static void net_mapped(by *m, uint32_t self, net_call *call, const struct os_next *p) {
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  net_queue *queue = net_queue_of(m, s, call->queue);
  if (!p->value) {
    BY_COUNTERS(m, self, net_driver)->drops++;
    by_trace(m, self, NET_DRIVER_EV_DROP, 0, call->queue, call->queue);
    call->step = NET_DRIVER_STEP_UNDO;
    return;
  }
  BY_COUNTERS(m, self, net_driver)->maps++;
  *net_buffer(m, s, call->queue, queue->posted % BY_PARAMS(m, self, net_driver)->window, call->buffer++) = p->address;
  call->step = call->buffer < call->buffers ? NET_DRIVER_STEP_MAP : NET_DRIVER_STEP_POST;
}

static void net_post(by *m, uint32_t self, net_call *call) {
  const struct net_driver_params *q = BY_PARAMS(m, self, net_driver);
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  net_queue *queue = net_queue_of(m, s, call->queue);
  uint64_t slot = queue->posted++ % q->window, bytes = q->tso ? q->tso_bytes : call->bytes;
  *net_slot(m, s, call->queue, slot) = (struct net_driver_slots){call->buffers, (uint32_t)bytes};
  BY_COUNTERS(m, self, net_driver)->posted++;
  by_trace(m, self, NET_DRIVER_EV_POST, bytes, call->queue, call->buffers);
  ask_net_send(m, self, NET_DRIVER_PORT_ADAPTER, &(struct net_send){.bytes = bytes, .queue = call->queue, .slot = (uint32_t)slot});
  call->step = NET_DRIVER_STEP_AFTER;
}

/* After posting, a batch that has left is reclaimed; otherwise the call is over. */
static void net_after(by *m, uint32_t self, uint32_t index, net_call *call) {
  uint64_t batch = BY_PARAMS(m, self, net_driver)->batch;
  uint32_t duty = net_duty(m, self, index / NET_THREADS);
  call->step = NET_DRIVER_STEP_DONE;
  if (net_left(m, self, duty) >= batch) net_begin_reclaim(m, self, index, duty, batch, NET_DRIVER_STEP_DONE);
}

static uint32_t net_reap(by *m, uint32_t self, uint32_t index, net_call *call) {
  net_queue *queue = net_queue_of(m, BY_STATE(m, self, net_driver), call->queue);
  if (net_left(m, self, call->queue) == 0) return net_sleep(m, self, &queue->reaper, index, call->queue, 0);
  net_begin_reclaim(m, self, index, call->queue, BY_PARAMS(m, self, net_driver)->batch, NET_DRIVER_STEP_DONE);
  return STEP_DONE;
}

/* The next buffer of the packets to be reclaimed; 0 when there is none any more. */
static int net_unmap(by *m, uint32_t self, uint32_t index, net_call *call) {
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  net_queue *queue = net_queue_of(m, s, call->queue);
  uint64_t slot = queue->reclaimed % BY_PARAMS(m, self, net_driver)->window;
  if (call->buffer == net_slot(m, s, call->queue, slot)->buffers) {
    call->buffer = 0;
    queue->reclaimed++;
    BY_COUNTERS(m, self, net_driver)->reclaimed++;
    if (call->queue != index / NET_THREADS || call->op == PROCESSOR_OP_REAP) net_wake(m, self, &queue->sender);
    if (--call->left == 0) {
      queue->reclaimer = 0;
      call->step = call->then;
      return 0;
    }
    slot = queue->reclaimed % BY_PARAMS(m, self, net_driver)->window;
  }
  net_ask(m, self, index, PROCESSOR_OP_UNMAP, *net_buffer(m, s, call->queue, slot, call->buffer));
  call->step = NET_DRIVER_STEP_UNMAPPING;
  return 1;
}

/* Gives back what was mapped of a packet that is dropped. */
static void net_undo(by *m, uint32_t self, uint32_t index, net_call *call) {
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  call->step = NET_DRIVER_STEP_AFTER;
  if (call->buffer == 0) return;
  uint64_t slot = net_queue_of(m, s, call->queue)->posted % BY_PARAMS(m, self, net_driver)->window;
  net_ask(m, self, index, PROCESSOR_OP_UNMAP, *net_buffer(m, s, call->queue, slot, --call->buffer));
  call->step = NET_DRIVER_STEP_UNDOING;
}

static void net_ask_map(by *m, uint32_t self, uint32_t index, net_call *call) {
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  uint64_t slot = net_queue_of(m, s, call->queue)->posted % NET_SLOTS;
  net_ask(m, self, index, PROCESSOR_OP_MAP, NET_MEMORY + ((call->queue * NET_SLOTS + slot) * NET_BUFFERS + call->buffer) * NET_PAGE);
  call->step = NET_DRIVER_STEP_MAPPING;
}

/* One step of a call. STEP_DONE with another step than DONE means: go on at once. */
static uint32_t net_step(by *m, uint32_t self, uint32_t index, net_call *call, struct os_next *p) {
  const struct net_driver_params *q = BY_PARAMS(m, self, net_driver);
  uint32_t step = STEP_DONE;
  switch (call->step) {
    case NET_DRIVER_STEP_ENTER:
      if (call->op == PROCESSOR_OP_REAP) return net_reap(m, self, index, call);
      call->step = NET_DRIVER_STEP_ROOM; /* fall through */
    case NET_DRIVER_STEP_ROOM: return net_room(m, self, index, call, p);
    case NET_DRIVER_STEP_MAP: net_ask_map(m, self, index, call); return STEP_DONE;
    case NET_DRIVER_STEP_MAPPING:
      step = net_relay(m, self, index, p);
      if (step == STEP_DONE) net_mapped(m, self, call, p);
      return step;
    case NET_DRIVER_STEP_POST: net_post(m, self, call); return STEP_DONE;
    case NET_DRIVER_STEP_AFTER: net_after(m, self, index, call); return STEP_DONE;
    case NET_DRIVER_STEP_RECLAIM:
      BY_COUNTERS(m, self, net_driver)->batches++;
      call->buffer = 0;
      call->step = NET_DRIVER_STEP_UNMAP;
      p->value = q->batch_time;
      p->state = PROCESSOR_STATE_STACK;
      p->detail = 0;
      return STEP_SPEND;
    case NET_DRIVER_STEP_UNMAP: return net_unmap(m, self, index, call) ? net_spend(m, self, p, q->gap) : STEP_DONE;
    case NET_DRIVER_STEP_UNMAPPING:
      step = net_relay(m, self, index, p);
      if (step != STEP_DONE) return step;
      BY_COUNTERS(m, self, net_driver)->unmaps++;
      call->buffer++;
      call->step = NET_DRIVER_STEP_UNMAP;
      return STEP_DONE;
    case NET_DRIVER_STEP_UNDO: net_undo(m, self, index, call); return STEP_DONE;
    case NET_DRIVER_STEP_UNDOING:
      step = net_relay(m, self, index, p);
      if (step == STEP_DONE) call->step = NET_DRIVER_STEP_UNDO;
      return step;
    case NET_DRIVER_STEP_PASS:
      step = net_relay(m, self, index, p);
      if (step == STEP_DONE) call->step = NET_DRIVER_STEP_DONE;
      return step;
  }
  return STEP_DONE;
}

static uint32_t net_driver_cpu_check(by *m, uint32_t self, uint32_t cpu, struct os_check *q) {
  if (NET_DRIVER_CARRIES(q->operation)) return BY_OK;
  return by_wired(m, self, NET_DRIVER_PORT_MAP + cpu) ? ask_os_check(m, self, NET_DRIVER_PORT_MAP + cpu, q) : BY_BAD_ROW;
}

static void net_driver_cpu_call(by *m, uint32_t self, uint32_t cpu, struct os_call *p) {
  if (p->thread >= NET_THREADS) __builtin_trap();
  net_call *call = net_call_of(m, BY_STATE(m, self, net_driver), cpu * NET_THREADS + p->thread);
  int own = NET_DRIVER_CARRIES(p->operation);
  *call = (net_call){.step = own ? NET_DRIVER_STEP_ENTER : NET_DRIVER_STEP_PASS, .op = p->operation, .bytes = p->arguments[4]};
  call->queue = p->operation == PROCESSOR_OP_REAP ? p->arguments[7] % BY_STATE(m, self, net_driver)->cpus : cpu;
  if (!own) ask_os_call(m, self, NET_DRIVER_PORT_MAP + cpu, p);
}

static uint32_t net_driver_cpu_next(by *m, uint32_t self, uint32_t cpu, struct os_next *p) {
  uint32_t index = cpu * NET_THREADS + p->thread;
  if (p->thread >= NET_THREADS) __builtin_trap();
  net_call *call = net_call_of(m, BY_STATE(m, self, net_driver), index);
  for (;;) {
    uint32_t step = net_step(m, self, index, call, p);
    if (step != STEP_DONE || call->step == NET_DRIVER_STEP_DONE) return step;
  }
}

static void net_driver_cpu_interrupt(by *m, uint32_t self, uint32_t cpu, struct os_interrupt *q) {
  net_call_of(m, BY_STATE(m, self, net_driver), cpu * NET_THREADS + q->thread)->step = NET_DRIVER_STEP_DONE;
}

static uint32_t net_driver_adapter_buffer(by *m, uint32_t self, struct net_buffer *q) {
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  uint32_t slot = q->slot & 0xffff, buffer = q->slot >> 16;
  if (buffer >= net_slot(m, s, q->queue, slot)->buffers) return 0;
  q->address = *net_buffer(m, s, q->queue, slot, buffer);
  return 1;
}

/* A packet has left. Whoever can do something about it is woken: not for each, if it waits for a batch. */
static void net_driver_adapter_sent(by *m, uint32_t self, const struct net_sent *p) {
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  const struct net_driver_params *params = BY_PARAMS(m, self, net_driver);
  net_queue *q = net_queue_of(m, s, p->queue);
  q->sent++;
  net_wake(m, self, &q->reaper);
  if (q->sent - q->reclaimed < params->batch && q->sent < q->posted) return;
  uint32_t senders = net_senders(m, self), cpu = params->reclaim == NET_DRIVER_RECLAIM_NEIGHBOUR ? (p->queue + 1) % senders : p->queue;
  if (params->reclaim != NET_DRIVER_RECLAIM_REAPER) net_wake(m, self, &net_queue_of(m, s, cpu)->sender);
}

/* Who sleeps looks again. */
static void net_driver_adapt(by *m, uint32_t self) {
  struct net_driver_state *s = BY_STATE(m, self, net_driver);
  for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
    net_wake(m, self, &net_queue_of(m, s, cpu)->sender);
    net_wake(m, self, &net_queue_of(m, s, cpu)->reaper);
  }
}

static int net_driver_load(by *m, uint32_t self) {
  struct net_driver_state *s = by_state_alloc(m, self, sizeof *s);
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  for (uint32_t cpu = 0; cpu < NET_CPUS; cpu++) {
    if (!by_wired(m, self, NET_DRIVER_PORT_CPU + cpu)) continue;
    if (!by_wired(m, self, NET_DRIVER_PORT_MAP + cpu)) return by_refuse(m, BY_UNWIRED, self, NET_DRIVER_PORT_MAP + cpu);
    s->cpus = cpu + 1;
  }
  if (s->cpus == 0) return by_refuse(m, BY_UNWIRED, self, NET_DRIVER_PORT_CPU);
  void *queues = by_view(m, self, NET_DRIVER_VIEW_QUEUES, s->cpus, sizeof(net_queue));
  void *calls = by_view(m, self, NET_DRIVER_VIEW_CALLS, s->cpus * NET_THREADS, sizeof(net_call));
  void *slots = by_view(m, self, NET_DRIVER_VIEW_SLOTS, s->cpus * NET_SLOTS, sizeof(struct net_driver_slots));
  void *buffers = by_view(m, self, NET_DRIVER_VIEW_BUFFERS, s->cpus * NET_SLOTS * NET_BUFFERS, sizeof(uint64_t));
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  s->queues_at = by_offset(m, queues);
  s->calls_at = by_offset(m, calls);
  s->slots_at = by_offset(m, slots);
  s->buffers_at = by_offset(m, buffers);
  return BY_OK;
}
