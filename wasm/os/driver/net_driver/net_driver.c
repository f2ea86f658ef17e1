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
 * Each CPU's queue is a ring of slots with three counters: posted, sent, reclaimed. Any mapping service can
 * map the buffers; locks and hypervisor calls take time on the calling CPU. Without one the adapter gets
 * memory addresses.
 */
#include "core/engine.h"
#include "core/jitter.h"
#include "gen/protocols.h"
#include "service.h"

#define NET_CPUS 64u
#define NET_SLOTS 64u
#define NET_BUFFERS 16u
#define NET_MEMORY 0x10000000ull /* address of the buffers, one page each */
#define NET_PAGE 8192u
#define NET_BYTES 64u /* mapped bytes of a buffer: at most one page */

struct net_driver_state {
  uint32_t queues_at;
  uint32_t calls_at;
  uint32_t reclaims_at;
  uint32_t slots_at;
  uint32_t buffers_at;
  uint32_t cpus;
};

typedef struct net_driver_queues net_queue;
typedef struct net_driver_calls net_call;
typedef struct net_driver_reclaims net_reclaim;

static net_queue *net_queue_of(sim *m, struct net_driver *driver, uint32_t q) {
  return (net_queue *)sim_at(m, driver->state->queues_at) + q;
}
static net_call *net_call_of(sim *m, struct net_driver *driver, uint32_t i) {
  return (net_call *)sim_at(m, driver->state->calls_at) + i;
}
static net_reclaim *net_reclaim_of(sim *m, struct net_driver *driver, uint32_t i) {
  return (net_reclaim *)sim_at(m, driver->state->reclaims_at) + i;
}
static struct net_driver_slots *net_slot(sim *m, struct net_driver *driver, uint32_t q, uint64_t n) {
  return (struct net_driver_slots *)sim_at(m, driver->state->slots_at) + q * NET_SLOTS + n;
}
static uint64_t *net_buffer(sim *m, struct net_driver *driver, uint32_t q, uint64_t n, uint32_t b) {
  return (uint64_t *)sim_at(m, driver->state->buffers_at) + (q * NET_SLOTS + n) * NET_BUFFERS + b;
}

static uint32_t net_compute_step(sim *m, struct net_driver *driver, struct os_next *p, uint64_t mean) {
  p->value = sim_jitter(m, mean, driver->params->spread != 0);
  p->state = PROCESSOR_STATE_STACK;
  p->detail = 0;
  return OS_STEP_COMPUTE;
}

/* The number of sending CPUs, at most the number of CPUs. */
static uint32_t net_senders(struct net_driver *driver) {
  uint64_t senders = driver->params->senders;
  uint32_t cpus = driver->state->cpus;
  return senders < cpus ? (uint32_t)senders : cpus;
}

/* The queue that a sending CPU reclaims; NET_CPUS if none. */
static uint32_t net_reclaim_target(struct net_driver *driver, uint32_t cpu) {
  uint32_t senders = net_senders(driver);
  switch (driver->params->reclaim) {
    case NET_DRIVER_RECLAIM_SAME: return cpu;
    case NET_DRIVER_RECLAIM_NEIGHBOUR: return (cpu + senders - 1) % senders;
  }
  return NET_CPUS;
}

/* The sent packets of a queue, unless a thread reclaims them already. */
static uint64_t net_remaining(sim *m, struct net_driver *driver, uint32_t queue) {
  if (queue >= NET_CPUS) return 0;
  const net_queue *q = net_queue_of(m, driver, queue);
  return q->reclaimer ? 0 : q->sent - q->reclaimed;
}

static void net_wake(sim *m, struct net_driver *driver, uint32_t *sleeper) {
  uint32_t index = *sleeper - 1;
  if (!*sleeper) return;
  *sleeper = 0;
  call_os_wake(m, driver->self, NET_DRIVER_PORT_CPU + index / CALLS_PER_CPU,
      &(struct os_wake){.thread = index % CALLS_PER_CPU});
}

static uint32_t net_sleep(
    sim *m, struct net_driver *driver, uint32_t *sleeper, uint32_t index, uint32_t queue, int notify) {
  *sleeper = index + 1;
  if (!notify) return OS_STEP_BLOCK;
  driver->counters->full++;
  sim_trace(m, driver->self, NET_DRIVER_EV_FULL, 0, queue, index / CALLS_PER_CPU);
  return OS_STEP_BLOCK;
}

/* The mapping service of a CPU, if there is one. */
static uint32_t net_mapper(uint32_t index) { return NET_DRIVER_PORT_MAP + index / CALLS_PER_CPU; }

/* `list` is the place in a list of buffers that are mapped or unmapped together, or 0. */
static void net_request_service(
    sim *m, struct net_driver *driver, uint32_t index, uint32_t operation, uint64_t address, uint32_t list) {
  call_service_for_list(
      m, driver->self, net_mapper(index), index % CALLS_PER_CPU, operation, address, NET_BYTES, list);
}

static uint32_t net_list(const struct net_driver *driver, uint32_t buffer, uint32_t buffers) {
  if (!driver->params->lists) return 0;
  return (buffer > 0 ? LIST_CONTINUES : 0) | (buffer + 1 < buffers ? LIST_FOLLOWS : 0);
}

static uint32_t net_relay(sim *m, struct net_driver *driver, uint32_t index, struct os_next *p) {
  return service_next(m, driver->self, net_mapper(index), index % CALLS_PER_CPU, p);
}

/* Frees the slots of a reclaimed packet, and wakes the threads that wait for them. */
static void net_reclaimed(sim *m, struct net_driver *driver, uint32_t index, const net_reclaim *r) {
  net_queue *queue = net_queue_of(m, driver, r->queue);
  queue->reclaimed++;
  driver->counters->reclaimed++;
  if (r->queue != index / CALLS_PER_CPU || net_call_of(m, driver, index)->op == PROCESSOR_OP_REAP)
    net_wake(m, driver, &queue->sender);
}

/* The slot of the oldest sent packet. */
static uint64_t net_oldest(sim *m, struct net_driver *driver, const net_reclaim *r) {
  return net_queue_of(m, driver, r->queue)->reclaimed % driver->params->window;
}

/* The work of freeing a buffer, before its unmap; for a list, of all its buffers, before the first. */
static uint64_t net_gap(const struct net_driver *driver, uint32_t buffers) {
  return driver->params->gap * (driver->params->lists ? buffers : 1);
}

static uint32_t net_buffers(sim *m, struct net_driver *driver, const net_reclaim *r) {
  return net_slot(m, driver, r->queue, net_oldest(m, driver, r))->buffers;
}

/* Reclaims a batch of sent packets: each of their buffers is unmapped and freed. */
static uint32_t net_reclaim_batch(sim *m, struct net_driver *driver, uint32_t index, struct os_next *p) {
  net_reclaim *r = net_reclaim_of(m, driver, index);
  int maps = sim_wired(m, driver->self, net_mapper(index));
  RESUME(r) {
    r->left = (uint32_t)sim_min(net_remaining(m, driver, r->queue), driver->params->batch);
    net_queue_of(m, driver, r->queue)->reclaimer = index + 1;
    sim_trace(m, driver->self, NET_DRIVER_EV_RECLAIM, r->left, r->queue, index / CALLS_PER_CPU);
    driver->counters->batches++;
    AWAIT(r, NET_DRIVER_RECLAIMING_BATCH,
        STEP_OF_WORK(p, driver->params->batch_time, PROCESSOR_STATE_STACK, 0));
    for (; r->left > 0; r->left--) {
      for (r->buffer = 0; r->buffer < net_buffers(m, driver, r); r->buffer++) {
        if (maps)
          net_request_service(m, driver, index, PROCESSOR_OP_UNMAP,
              *net_buffer(m, driver, r->queue, net_oldest(m, driver, r), r->buffer),
              net_list(driver, r->buffer, net_buffers(m, driver, r)));
        if (r->buffer == 0 || !driver->params->lists)
          AWAIT(r, NET_DRIVER_RECLAIMING_GAP,
              net_compute_step(m, driver, p, net_gap(driver, net_buffers(m, driver, r))));
        if (maps) AWAIT_SERVICE(r, NET_DRIVER_RECLAIMING_UNMAP, net_relay(m, driver, index, p));
        driver->counters->unmaps += (uint32_t)maps;
      }
      net_reclaimed(m, driver, index, r);
    }
    net_queue_of(m, driver, r->queue)->reclaimer = 0;
  }
  r->step = NET_DRIVER_RECLAIMING_BEGIN;
  return OS_STEP_DONE;
}

static int net_has_room(sim *m, struct net_driver *driver, uint32_t cpu) {
  const net_queue *queue = net_queue_of(m, driver, cpu);
  return cpu < net_senders(driver) && queue->posted - queue->reclaimed < driver->params->window;
}

/* Whether a sending CPU has enough packets to reclaim; they are then its next batch. */
static int net_has_completed(sim *m, struct net_driver *driver, uint32_t index, uint64_t packets) {
  uint32_t cpu = index / CALLS_PER_CPU,
           queue = cpu < net_senders(driver) ? net_reclaim_target(driver, cpu) : NET_CPUS;
  if (net_remaining(m, driver, queue) < packets) return 0;
  *net_reclaim_of(m, driver, index) = (net_reclaim){.queue = queue};
  return 1;
}

/* A step until a buffer is mapped. If mapping fails the packet is dropped. */
static uint32_t net_map(
    sim *m, struct net_driver *driver, uint32_t index, net_call *call, struct os_next *p) {
  uint32_t step = net_relay(m, driver, index, p);
  if (step == OS_STEP_REFUSE) p->value = 0;
  if (step != OS_STEP_DONE && step != OS_STEP_REFUSE) return step;
  call->address = p->address;
  call->dropped = p->value == 0;
  driver->counters->maps += !call->dropped;
  return OS_STEP_DONE;
}

/* The memory address of a buffer of the next packet to post. */
static uint64_t net_memory(sim *m, struct net_driver *driver, const net_call *call) {
  uint64_t slot = net_queue_of(m, driver, call->queue)->posted % NET_SLOTS;
  return NET_MEMORY + ((call->queue * NET_SLOTS + slot) * NET_BUFFERS + call->buffer) * NET_PAGE;
}

/* Where to store a buffer's bus address in the next packet to post. */
static uint64_t *net_place_of(sim *m, struct net_driver *driver, const net_call *call) {
  return net_buffer(m, driver, call->queue,
      net_queue_of(m, driver, call->queue)->posted % driver->params->window, call->buffer);
}

static void net_drop(sim *m, struct net_driver *driver, const net_call *call) {
  driver->counters->drops++;
  sim_trace(m, driver->self, NET_DRIVER_EV_DROP, 0, call->queue, call->queue);
}

static void net_post(sim *m, struct net_driver *driver, const net_call *call) {
  net_queue *queue = net_queue_of(m, driver, call->queue);
  uint64_t slot = queue->posted++ % driver->params->window;
  *net_slot(m, driver, call->queue, slot) = (struct net_driver_slots){call->buffers, call->bytes};
  driver->counters->posted++;
  sim_trace(m, driver->self, NET_DRIVER_EV_POST, call->bytes, call->queue, call->buffers);
  call_net_send(m, driver->self, NET_DRIVER_PORT_ADAPTER,
      &(struct net_send){.bytes = call->bytes, .queue = call->queue, .slot = (uint32_t)slot});
}

/* The buffers of a packet, and the time that the stack takes for it. */
static uint64_t net_packet(struct net_driver *driver, net_call *call) {
  call->buffers = (uint32_t)(driver->params->tso ? driver->params->tso_buffers : driver->params->buffers);
  if (driver->params->tso) call->bytes = (uint32_t)driver->params->tso_bytes;
  return driver->params->stack_time + driver->params->copy_time * call->bytes / 1024;
}

static uint32_t net_send_packet(
    sim *m, struct net_driver *driver, uint32_t index, net_call *call, struct os_next *p) {
  uint32_t cpu = index / CALLS_PER_CPU;
  net_queue *queue = net_queue_of(m, driver, cpu);
  RESUME(call) {
    while (!net_has_room(m, driver, cpu)) {
      if (net_has_completed(m, driver, index, 1))
        AWAIT_SERVICE(call, NET_DRIVER_STEP_MAKE_ROOM, net_reclaim_batch(m, driver, index, p));
      else
        AWAIT(call, NET_DRIVER_STEP_SLEEP,
            net_sleep(m, driver, &queue->sender, index, cpu, cpu < net_senders(driver)));
    }
    AWAIT(call, NET_DRIVER_STEP_STACK, net_compute_step(m, driver, p, net_packet(driver, call)));
    for (call->buffer = 0; call->buffer < call->buffers; call->buffer++) {
      call->address = net_memory(m, driver, call);
      if (sim_wired(m, driver->self, net_mapper(index))) {
        net_request_service(
            m, driver, index, PROCESSOR_OP_MAP, call->address, net_list(driver, call->buffer, call->buffers));
        AWAIT_SERVICE(call, NET_DRIVER_STEP_MAP, net_map(m, driver, index, call, p));
        if (call->dropped) break;
      }
      *net_place_of(m, driver, call) = call->address;
    }
    if (!call->dropped) net_post(m, driver, call);
    else net_drop(m, driver, call);
    while (call->dropped && call->buffer > 0) { /* unmap what was mapped of it */
      call->buffer--;
      net_request_service(m, driver, index, PROCESSOR_OP_UNMAP, *net_place_of(m, driver, call), 0);
      AWAIT_SERVICE(call, NET_DRIVER_STEP_UNDO, net_relay(m, driver, index, p));
    }
    if (net_has_completed(m, driver, index, driver->params->batch))
      AWAIT_SERVICE(call, NET_DRIVER_STEP_RECLAIM, net_reclaim_batch(m, driver, index, p));
  }
  call->step = NET_DRIVER_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t net_reaper_step(
    sim *m, struct net_driver *driver, uint32_t index, net_call *call, struct os_next *p) {
  RESUME(call) {
    while (net_remaining(m, driver, call->queue) == 0)
      AWAIT(call, NET_DRIVER_STEP_SLEEP,
          net_sleep(m, driver, &net_queue_of(m, driver, call->queue)->reaper, index, call->queue, 0));
    *net_reclaim_of(m, driver, index) = (net_reclaim){.queue = call->queue};
    AWAIT_SERVICE(call, NET_DRIVER_STEP_RECLAIM, net_reclaim_batch(m, driver, index, p));
  }
  call->step = NET_DRIVER_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t net_driver_cpu_validate_row(
    sim *m, struct net_driver *driver, uint32_t cpu, struct os_validate_row *q) {
  if (NET_DRIVER_EXECUTES(q->operation)) return SIM_OK;
  return sim_wired(m, driver->self, NET_DRIVER_PORT_MAP + cpu)
             ? call_os_validate_row(m, driver->self, NET_DRIVER_PORT_MAP + cpu, q)
             : SIM_BAD_ROW;
}

static void net_driver_cpu_call(sim *m, struct net_driver *driver, uint32_t cpu, struct os_call *p) {
  if (p->thread >= CALLS_PER_CPU) __builtin_trap();
  net_call *call = net_call_of(m, driver, cpu * CALLS_PER_CPU + p->thread);
  int own = NET_DRIVER_EXECUTES(p->operation);
  uint32_t queue = p->operation == PROCESSOR_OP_REAP ? p->arguments[7] % driver->state->cpus : cpu;
  *call = (net_call){.step = own ? NET_DRIVER_STEP_ENTER : NET_DRIVER_STEP_PASS,
      .op = p->operation,
      .bytes = p->arguments[4],
      .queue = queue};
  if (!own) call_os_call(m, driver->self, NET_DRIVER_PORT_MAP + cpu, p);
}

static uint32_t net_driver_cpu_next(sim *m, struct net_driver *driver, uint32_t cpu, struct os_next *p) {
  uint32_t index = cpu * CALLS_PER_CPU + p->thread;
  if (p->thread >= CALLS_PER_CPU) __builtin_trap();
  net_call *call = net_call_of(m, driver, index);
  if (call->step == NET_DRIVER_STEP_PASS) return net_relay(m, driver, index, p);
  if (call->step == NET_DRIVER_STEP_DONE)
    return OS_STEP_DONE; /* nothing to do: the adapter's message wakes the thread */
  return call->op == PROCESSOR_OP_REAP ? net_reaper_step(m, driver, index, call, p)
                                       : net_send_packet(m, driver, index, call, p);
}

static void net_driver_cpu_interrupt(
    sim *m, struct net_driver *driver, uint32_t cpu, struct os_interrupt *q) {
  net_call_of(m, driver, cpu * CALLS_PER_CPU + q->thread)->step = NET_DRIVER_STEP_DONE;
}

static uint32_t net_driver_adapter_buffer(sim *m, struct net_driver *driver, struct net_buffer *q) {
  uint32_t slot = q->slot & 0xffff, buffer = q->slot >> 16;
  if (buffer >= net_slot(m, driver, q->queue, slot)->buffers) return 0;
  q->address = *net_buffer(m, driver, q->queue, slot, buffer);
  return 1;
}

/* A packet has been sent. A thread that can reclaim it is woken, or only once per batch. */
static void net_driver_adapter_sent(sim *m, struct net_driver *driver, const struct net_sent *p) {
  net_queue *q = net_queue_of(m, driver, p->queue);
  q->sent++;
  net_wake(m, driver, &q->reaper);
  if (q->sent - q->reclaimed < driver->params->batch && q->sent < q->posted) return;
  uint32_t senders = net_senders(driver), cpu = driver->params->reclaim == NET_DRIVER_RECLAIM_NEIGHBOUR
                                                    ? (p->queue + 1) % senders
                                                    : p->queue;
  if (driver->params->reclaim != NET_DRIVER_RECLAIM_REAPER)
    net_wake(m, driver, &net_queue_of(m, driver, cpu)->sender);
}

/* Wakes a sleeping thread to check again. */
static void net_driver_on_param_change(sim *m, uint32_t self) {
  struct net_driver_state *s = SIM_STATE(m, self, net_driver);
  for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
    net_wake(
        m, SIM_CONTEXT(m, self, net_driver), &net_queue_of(m, SIM_CONTEXT(m, self, net_driver), cpu)->sender);
    net_wake(
        m, SIM_CONTEXT(m, self, net_driver), &net_queue_of(m, SIM_CONTEXT(m, self, net_driver), cpu)->reaper);
  }
}

static int net_driver_load(sim *m, uint32_t self) {
  struct net_driver_state *s = sim_state_alloc(m, self, sizeof *s);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  uint64_t maps = sim_wires_of(m, self, NET_DRIVER_PORT_MAP,
      NET_CPUS); /* all or none must map, because any CPU can reclaim another's buffers */
  for (uint32_t cpu = 0; cpu < NET_CPUS; cpu++) {
    if (!sim_wired(m, self, NET_DRIVER_PORT_CPU + cpu)) continue;
    if (maps && !sim_wired(m, self, NET_DRIVER_PORT_MAP + cpu))
      return sim_refuse(m, SIM_UNWIRED, self, NET_DRIVER_PORT_MAP + cpu);
    s->cpus = cpu + 1;
  }
  if (s->cpus == 0) return sim_refuse(m, SIM_UNWIRED, self, NET_DRIVER_PORT_CPU);
  void *queues = sim_view(m, self, NET_DRIVER_VIEW_QUEUES, s->cpus, sizeof(net_queue));
  void *calls = sim_view(m, self, NET_DRIVER_VIEW_CALLS, s->cpus * CALLS_PER_CPU, sizeof(net_call));
  void *reclaims = sim_view(m, self, NET_DRIVER_VIEW_RECLAIMS, s->cpus * CALLS_PER_CPU, sizeof(net_reclaim));
  void *slots =
      sim_view(m, self, NET_DRIVER_VIEW_SLOTS, s->cpus * NET_SLOTS, sizeof(struct net_driver_slots));
  void *buffers =
      sim_view(m, self, NET_DRIVER_VIEW_BUFFERS, s->cpus * NET_SLOTS * NET_BUFFERS, sizeof(uint64_t));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->queues_at = sim_offset(m, queues);
  s->calls_at = sim_offset(m, calls);
  s->reclaims_at = sim_offset(m, reclaims);
  s->slots_at = sim_offset(m, slots);
  s->buffers_at = sim_offset(m, buffers);
  return SIM_OK;
}
