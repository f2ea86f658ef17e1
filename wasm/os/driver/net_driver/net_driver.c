/*
 * Network stack and driver.
 *
 *   send:  [room in the window?] --> stack --> map buffer, map buffer --> post --> [a batch has left?]
 *               | no                                                                    | yes
 *               +--> [something has left?] -- no: sleep                                 |
 *                           | yes                                                       |
 *                           +--> reclaim a batch: unmap, unmap, ... <-------------------+
 *   reap:  [something has left?] -- no: sleep;  yes: reclaim
 *
 * Each CPU's queue is a ring of slots with three counters: posted, sent, reclaimed. Any mapping service can map the
 * buffers; locks and hypervisor calls take time on the calling CPU. Without one the adapter gets memory addresses.
 */
#include "core/engine.h"
#include "core/jitter.h"
#include "gen/protocols.h"
#include "service.h"

#define NET_CPUS 64u
#define NET_THREADS 17u
#define NET_SLOTS 64u
#define NET_BUFFERS 16u
#define NET_MEMORY 0x10000000ull /* address of the buffers, one page each */
#define NET_PAGE 8192u
#define NET_BYTES 64u /* mapped bytes of a buffer: at most one page */

struct net_driver_state {
  uint32_t queues_at, calls_at, reclaims_at, slots_at, buffers_at, cpus;
};

typedef struct net_driver_queues net_queue;
typedef struct net_driver_calls net_call;
typedef struct net_driver_reclaims net_reclaim;

static net_queue *net_queue_of(sim *m, struct net_driver_state *s, uint32_t q) { return (net_queue *)sim_at(m, s->queues_at) + q; }
static net_call *net_call_of(sim *m, struct net_driver_state *s, uint32_t i) { return (net_call *)sim_at(m, s->calls_at) + i; }
static net_reclaim *net_reclaim_of(sim *m, struct net_driver_state *s, uint32_t i) { return (net_reclaim *)sim_at(m, s->reclaims_at) + i; }
static struct net_driver_slots *net_slot(sim *m, struct net_driver_state *s, uint32_t q, uint64_t n) { return (struct net_driver_slots *)sim_at(m, s->slots_at) + q * NET_SLOTS + n; }
static uint64_t *net_buffer(sim *m, struct net_driver_state *s, uint32_t q, uint64_t n, uint32_t b) { return (uint64_t *)sim_at(m, s->buffers_at) + (q * NET_SLOTS + n) * NET_BUFFERS + b; }

static uint32_t net_compute_step(sim *m, uint32_t self, struct os_next *p, uint64_t mean) {
  p->value = sim_jitter(m, mean, SIM_PARAMS(m, self, net_driver)->spread != 0);
  p->state = PROCESSOR_STATE_STACK;
  p->detail = 0;
  return OS_STEP_COMPUTE;
}

/* The number of sending CPUs, at most the number of CPUs. */
static uint32_t net_senders(sim *m, uint32_t self) {
  uint64_t senders = SIM_PARAMS(m, self, net_driver)->senders;
  uint32_t cpus = SIM_STATE(m, self, net_driver)->cpus;
  return senders < cpus ? (uint32_t)senders : cpus;
}

/* The queue that a sending CPU reclaims; NET_CPUS if none. */
static uint32_t net_reclaim_target(sim *m, uint32_t self, uint32_t cpu) {
  uint32_t senders = net_senders(m, self);
  switch (SIM_PARAMS(m, self, net_driver)->reclaim) {
    case NET_DRIVER_RECLAIM_SAME: return cpu;
    case NET_DRIVER_RECLAIM_NEIGHBOUR: return (cpu + senders - 1) % senders;
  }
  return NET_CPUS;
}

/* The sent packets of a queue, unless a thread reclaims them already. */
static uint64_t net_remaining(sim *m, uint32_t self, uint32_t queue) {
  if (queue >= NET_CPUS) return 0;
  const net_queue *q = net_queue_of(m, SIM_STATE(m, self, net_driver), queue);
  return q->reclaimer ? 0 : q->sent - q->reclaimed;
}

static void net_wake(sim *m, uint32_t self, uint32_t *sleeper) {
  uint32_t index = *sleeper - 1;
  if (!*sleeper) return;
  *sleeper = 0;
  call_os_wake(m, self, NET_DRIVER_PORT_CPU + index / NET_THREADS, &(struct os_wake){.thread = index % NET_THREADS});
}

static uint32_t net_sleep(sim *m, uint32_t self, uint32_t *sleeper, uint32_t index, uint32_t queue, int tell) {
  *sleeper = index + 1;
  if (!tell) return OS_STEP_BLOCK;
  SIM_COUNTERS(m, self, net_driver)->full++;
  sim_trace(m, self, NET_DRIVER_EV_FULL, 0, queue, index / NET_THREADS);
  return OS_STEP_BLOCK;
}

/* The mapping service of a CPU, if there is one. */
static uint32_t net_mapper(uint32_t index) { return NET_DRIVER_PORT_MAP + index / NET_THREADS; }

static void net_request_service(sim *m, uint32_t self, uint32_t index, uint32_t operation, uint64_t address) {
  call_service(m, self, net_mapper(index), index % NET_THREADS, operation, address, NET_BYTES);
}

static uint32_t net_relay(sim *m, uint32_t self, uint32_t index, struct os_next *p) {
  return service_next(m, self, net_mapper(index), index % NET_THREADS, p);
}

/* Frees the slots of a reclaimed packet, and wakes the threads that wait for them. */
static void net_reclaimed(sim *m, uint32_t self, uint32_t index, const net_reclaim *r) {
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  net_queue *queue = net_queue_of(m, s, r->queue);
  queue->reclaimed++;
  SIM_COUNTERS(m, self, net_driver)->reclaimed++;
  if (r->queue != index / NET_THREADS || net_call_of(m, s, index)->op == PROCESSOR_OP_REAP) net_wake(m, self, &queue->sender);
}

/* The slot of the oldest sent packet. */
static uint64_t net_oldest(sim *m, uint32_t self, const net_reclaim *r) {
  return net_queue_of(m, SIM_STATE(m, self, net_driver), r->queue)->reclaimed % SIM_PARAMS(m, self, net_driver)->window;
}

/* Reclaims a batch of sent packets: each of their buffers is unmapped and freed. */
static uint32_t net_reclaim_batch(sim *m, uint32_t self, uint32_t index, struct os_next *p) {
  const struct net_driver_params *q = SIM_PARAMS(m, self, net_driver);
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  net_reclaim *r = net_reclaim_of(m, s, index);
  int maps = sim_wired(m, self, net_mapper(index));
  RESUME(r) {
    r->left = (uint32_t)sim_min(net_remaining(m, self, r->queue), q->batch);
    net_queue_of(m, s, r->queue)->reclaimer = index + 1;
    sim_trace(m, self, NET_DRIVER_EV_RECLAIM, r->left, r->queue, index / NET_THREADS);
    SIM_COUNTERS(m, self, net_driver)->batches++;
    AWAIT(r, NET_DRIVER_RECLAIMING_BATCH, STEP_OF_WORK(p, q->batch_time, PROCESSOR_STATE_STACK, 0));
    for (; r->left > 0; r->left--) {
      for (r->buffer = 0; r->buffer < net_slot(m, s, r->queue, net_oldest(m, self, r))->buffers; r->buffer++) {
        if (maps) net_request_service(m, self, index, PROCESSOR_OP_UNMAP, *net_buffer(m, s, r->queue, net_oldest(m, self, r), r->buffer));
        AWAIT(r, NET_DRIVER_RECLAIMING_GAP, net_compute_step(m, self, p, q->gap));
        if (maps) AWAIT_SERVICE(r, NET_DRIVER_RECLAIMING_UNMAP, net_relay(m, self, index, p));
        SIM_COUNTERS(m, self, net_driver)->unmaps += (uint32_t)maps;
      }
      net_reclaimed(m, self, index, r);
    }
    net_queue_of(m, s, r->queue)->reclaimer = 0;
  }
  r->step = NET_DRIVER_RECLAIMING_BEGIN;
  return OS_STEP_DONE;
}

static int net_has_room(sim *m, uint32_t self, uint32_t cpu) {
  const net_queue *queue = net_queue_of(m, SIM_STATE(m, self, net_driver), cpu);
  return cpu < net_senders(m, self) && queue->posted - queue->reclaimed < SIM_PARAMS(m, self, net_driver)->window;
}

/* Whether a sending CPU has enough packets to reclaim; they are then its next batch. */
static int net_has_completed(sim *m, uint32_t self, uint32_t index, uint64_t packets) {
  uint32_t cpu = index / NET_THREADS, queue = cpu < net_senders(m, self) ? net_reclaim_target(m, self, cpu) : NET_CPUS;
  if (net_remaining(m, self, queue) < packets) return 0;
  *net_reclaim_of(m, SIM_STATE(m, self, net_driver), index) = (net_reclaim){.queue = queue};
  return 1;
}

/* A step until a buffer is mapped. If mapping fails the packet is dropped. */
static uint32_t net_map(sim *m, uint32_t self, uint32_t index, net_call *call, struct os_next *p) {
  uint32_t step = net_relay(m, self, index, p);
  if (step == OS_STEP_REFUSE) p->value = 0;
  if (step != OS_STEP_DONE && step != OS_STEP_REFUSE) return step;
  call->address = p->address;
  call->dropped = p->value == 0;
  SIM_COUNTERS(m, self, net_driver)->maps += !call->dropped;
  return OS_STEP_DONE;
}

/* The memory address of a buffer of the next packet to post. */
static uint64_t net_memory(sim *m, uint32_t self, const net_call *call) {
  uint64_t slot = net_queue_of(m, SIM_STATE(m, self, net_driver), call->queue)->posted % NET_SLOTS;
  return NET_MEMORY + ((call->queue * NET_SLOTS + slot) * NET_BUFFERS + call->buffer) * NET_PAGE;
}

/* Where to store a buffer's bus address in the next packet to post. */
static uint64_t *net_place_of(sim *m, uint32_t self, const net_call *call) {
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  return net_buffer(m, s, call->queue, net_queue_of(m, s, call->queue)->posted % SIM_PARAMS(m, self, net_driver)->window, call->buffer);
}

static void net_drop(sim *m, uint32_t self, const net_call *call) {
  SIM_COUNTERS(m, self, net_driver)->drops++;
  sim_trace(m, self, NET_DRIVER_EV_DROP, 0, call->queue, call->queue);
}

static void net_post(sim *m, uint32_t self, const net_call *call) {
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  net_queue *queue = net_queue_of(m, s, call->queue);
  uint64_t slot = queue->posted++ % SIM_PARAMS(m, self, net_driver)->window;
  *net_slot(m, s, call->queue, slot) = (struct net_driver_slots){call->buffers, call->bytes};
  SIM_COUNTERS(m, self, net_driver)->posted++;
  sim_trace(m, self, NET_DRIVER_EV_POST, call->bytes, call->queue, call->buffers);
  call_net_send(m, self, NET_DRIVER_PORT_ADAPTER, &(struct net_send){.bytes = call->bytes, .queue = call->queue, .slot = (uint32_t)slot});
}

/* The buffers of a packet, and the time that the stack takes for it. */
static uint64_t net_packet(sim *m, uint32_t self, net_call *call) {
  const struct net_driver_params *q = SIM_PARAMS(m, self, net_driver);
  call->buffers = (uint32_t)(q->tso ? q->tso_buffers : q->buffers);
  if (q->tso) call->bytes = (uint32_t)q->tso_bytes;
  return q->stack_time + q->copy_time * call->bytes / 1024;
}

static uint32_t net_send_packet(sim *m, uint32_t self, uint32_t index, net_call *call, struct os_next *p) {
  uint32_t cpu = index / NET_THREADS;
  net_queue *queue = net_queue_of(m, SIM_STATE(m, self, net_driver), cpu);
  RESUME(call) {
    while (!net_has_room(m, self, cpu)) {
      if (net_has_completed(m, self, index, 1)) AWAIT_SERVICE(call, NET_DRIVER_STEP_MAKE_ROOM, net_reclaim_batch(m, self, index, p));
      else AWAIT(call, NET_DRIVER_STEP_SLEEP, net_sleep(m, self, &queue->sender, index, cpu, cpu < net_senders(m, self)));
    }
    AWAIT(call, NET_DRIVER_STEP_STACK, net_compute_step(m, self, p, net_packet(m, self, call)));
    for (call->buffer = 0; call->buffer < call->buffers; call->buffer++) {
      call->address = net_memory(m, self, call);
      if (sim_wired(m, self, net_mapper(index))) {
        net_request_service(m, self, index, PROCESSOR_OP_MAP, call->address);
        AWAIT_SERVICE(call, NET_DRIVER_STEP_MAP, net_map(m, self, index, call, p));
        if (call->dropped) break;
      }
      *net_place_of(m, self, call) = call->address;
    }
    if (!call->dropped) net_post(m, self, call);
    else net_drop(m, self, call);
    while (call->dropped && call->buffer > 0) { /* unmap what was mapped of it */
      call->buffer--;
      net_request_service(m, self, index, PROCESSOR_OP_UNMAP, *net_place_of(m, self, call));
      AWAIT_SERVICE(call, NET_DRIVER_STEP_UNDO, net_relay(m, self, index, p));
    }
    if (net_has_completed(m, self, index, SIM_PARAMS(m, self, net_driver)->batch)) AWAIT_SERVICE(call, NET_DRIVER_STEP_RECLAIM, net_reclaim_batch(m, self, index, p));
  }
  call->step = NET_DRIVER_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t net_reaper_step(sim *m, uint32_t self, uint32_t index, net_call *call, struct os_next *p) {
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  RESUME(call) {
    while (net_remaining(m, self, call->queue) == 0) AWAIT(call, NET_DRIVER_STEP_SLEEP, net_sleep(m, self, &net_queue_of(m, s, call->queue)->reaper, index, call->queue, 0));
    *net_reclaim_of(m, s, index) = (net_reclaim){.queue = call->queue};
    AWAIT_SERVICE(call, NET_DRIVER_STEP_RECLAIM, net_reclaim_batch(m, self, index, p));
  }
  call->step = NET_DRIVER_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t net_driver_cpu_validate_row(sim *m, uint32_t self, uint32_t cpu, struct os_validate_row *q) {
  if (NET_DRIVER_EXECUTES(q->operation)) return SIM_OK;
  return sim_wired(m, self, NET_DRIVER_PORT_MAP + cpu) ? call_os_validate_row(m, self, NET_DRIVER_PORT_MAP + cpu, q) : SIM_BAD_ROW;
}

static void net_driver_cpu_call(sim *m, uint32_t self, uint32_t cpu, struct os_call *p) {
  if (p->thread >= NET_THREADS) __builtin_trap();
  net_call *call = net_call_of(m, SIM_STATE(m, self, net_driver), cpu * NET_THREADS + p->thread);
  int own = NET_DRIVER_EXECUTES(p->operation);
  uint32_t queue = p->operation == PROCESSOR_OP_REAP ? p->arguments[7] % SIM_STATE(m, self, net_driver)->cpus : cpu;
  *call = (net_call){.step = own ? NET_DRIVER_STEP_ENTER : NET_DRIVER_STEP_PASS, .op = p->operation, .bytes = p->arguments[4], .queue = queue};
  if (!own) call_os_call(m, self, NET_DRIVER_PORT_MAP + cpu, p);
}

static uint32_t net_driver_cpu_next(sim *m, uint32_t self, uint32_t cpu, struct os_next *p) {
  uint32_t index = cpu * NET_THREADS + p->thread;
  if (p->thread >= NET_THREADS) __builtin_trap();
  net_call *call = net_call_of(m, SIM_STATE(m, self, net_driver), index);
  if (call->step == NET_DRIVER_STEP_PASS) return net_relay(m, self, index, p);
  if (call->step == NET_DRIVER_STEP_DONE) return OS_STEP_DONE; /* nothing to do: the adapter's message wakes the thread */
  return call->op == PROCESSOR_OP_REAP ? net_reaper_step(m, self, index, call, p) : net_send_packet(m, self, index, call, p);
}

static void net_driver_cpu_interrupt(sim *m, uint32_t self, uint32_t cpu, struct os_interrupt *q) {
  net_call_of(m, SIM_STATE(m, self, net_driver), cpu * NET_THREADS + q->thread)->step = NET_DRIVER_STEP_DONE;
}

static uint32_t net_driver_adapter_buffer(sim *m, uint32_t self, struct net_buffer *q) {
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  uint32_t slot = q->slot & 0xffff, buffer = q->slot >> 16;
  if (buffer >= net_slot(m, s, q->queue, slot)->buffers) return 0;
  q->address = *net_buffer(m, s, q->queue, slot, buffer);
  return 1;
}

/* A packet has been sent. A thread that can reclaim it is woken, or only once per batch. */
static void net_driver_adapter_sent(sim *m, uint32_t self, const struct net_sent *p) {
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  const struct net_driver_params *params = SIM_PARAMS(m, self, net_driver);
  net_queue *q = net_queue_of(m, s, p->queue);
  q->sent++;
  net_wake(m, self, &q->reaper);
  if (q->sent - q->reclaimed < params->batch && q->sent < q->posted) return;
  uint32_t senders = net_senders(m, self), cpu = params->reclaim == NET_DRIVER_RECLAIM_NEIGHBOUR ? (p->queue + 1) % senders : p->queue;
  if (params->reclaim != NET_DRIVER_RECLAIM_REAPER) net_wake(m, self, &net_queue_of(m, s, cpu)->sender);
}

/* Wakes a sleeping thread to check again. */
static void net_driver_on_param_change(sim *m, uint32_t self) {
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
    net_wake(m, self, &net_queue_of(m, s, cpu)->sender);
    net_wake(m, self, &net_queue_of(m, s, cpu)->reaper);
  }
}

static int net_driver_load(sim *m, uint32_t self) {
  struct net_driver_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  uint64_t maps = sim_wires_of(m, self, NET_DRIVER_PORT_MAP, NET_CPUS); /* all or none must map, because any CPU can reclaim another's buffers */
  for (uint32_t cpu = 0; cpu < NET_CPUS; cpu++) {
    if (!sim_wired(m, self, NET_DRIVER_PORT_CPU + cpu)) continue;
    if (maps && !sim_wired(m, self, NET_DRIVER_PORT_MAP + cpu)) return sim_refuse(m, SIM_UNWIRED, self, NET_DRIVER_PORT_MAP + cpu);
    s->cpus = cpu + 1;
  }
  if (s->cpus == 0) return sim_refuse(m, SIM_UNWIRED, self, NET_DRIVER_PORT_CPU);
  void *queues = sim_view(m, self, NET_DRIVER_VIEW_QUEUES, s->cpus, sizeof(net_queue));
  void *calls = sim_view(m, self, NET_DRIVER_VIEW_CALLS, s->cpus * NET_THREADS, sizeof(net_call));
  void *reclaims = sim_view(m, self, NET_DRIVER_VIEW_RECLAIMS, s->cpus * NET_THREADS, sizeof(net_reclaim));
  void *slots = sim_view(m, self, NET_DRIVER_VIEW_SLOTS, s->cpus * NET_SLOTS, sizeof(struct net_driver_slots));
  void *buffers = sim_view(m, self, NET_DRIVER_VIEW_BUFFERS, s->cpus * NET_SLOTS * NET_BUFFERS, sizeof(uint64_t));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->queues_at = sim_offset(m, queues);
  s->calls_at = sim_offset(m, calls);
  s->reclaims_at = sim_offset(m, reclaims);
  s->slots_at = sim_offset(m, slots);
  s->buffers_at = sim_offset(m, buffers);
  return SIM_OK;
}
