/*
 * An NFS server under a closed population of clients.
 *
 *   client --request--> network --interrupt--> receiver: DMA in --put--> [kernel's queue 0] --get--> daemon
 *      ^                                                                                               |
 *      +-- thinks <-- answer: DMA out <-- pages to disks, control structures <-- work <-- pages from disks
 *
 * Daemons are threads that call `serve` forever, and each processor has a thread that calls `receive`. A
 * client sends its next request only after its reply: so any added delay lowers the rate of requests, as in a
 * benchmark. The movement of a disk arm is a time, one access after another; its data, the requests and the
 * replies are DMA through the interface, with the calls, mappings, flushes and purges of the driver and the
 * service behind the kernel.
 */
#include "core/engine.h"
#include "core/jitter.h"
#include "gen/protocols.h"
#include "gen/registers.h"
#include "runway.h"
#include "service.h"

#define NFS_CPUS 8u
#define NFS_ROWS (NFS_CPUS * CALLS_PER_CPU)
#define NFS_CHANNELS 40u /* of a device */
#define NFS_QUEUE 0u
#define NFS_DEVICE 0x1000u /* distance between the registers of two devices */
#define NFS_MEMORY 0x1000000ull
#define NFS_BUFFERS 0x3000u /* per thread: a page from a disk, a page to one, and small data */
#define NFS_FIRST 17u       /* rows of a processor whose buffers lie before the requests */
#define NFS_REQUESTS (NFS_MEMORY + NFS_CPUS * NFS_FIRST * NFS_BUFFERS)
#define NFS_MORE (NFS_REQUESTS + 1024u * NFS_MESSAGE)
#define NFS_PAGE 4096u
#define NFS_MESSAGE 128u /* a request, and a reply without its page */
#define NFS_FRAGMENT 1408u
#define NFS_STRUCTURE 32u
#define NFS_TEN 10u

enum nfs_buffer {
  NFS_IN = 0,
  NFS_OUT = NFS_PAGE,
  NFS_ANSWER = 2 * NFS_PAGE,
  NFS_CONTROL = NFS_ANSWER + NFS_MESSAGE
};

struct nfs_state {
  uint32_t calls_at;
  uint32_t clients_at;
  uint32_t disks_at;
  uint32_t cpus;
  uint32_t turns;
  uint32_t spare;
};

typedef struct nfs_calls nfs_call;

static nfs_call *nfs_call_of(sim *m, struct nfs *nfs, uint32_t row) {
  return (nfs_call *)sim_at(m, nfs->state->calls_at) + row;
}
static struct nfs_clients *nfs_client_of(sim *m, struct nfs *nfs, uint32_t client) {
  return (struct nfs_clients *)sim_at(m, nfs->state->clients_at) + client;
}

/* A call of the kernel, or of the mapping service behind it, on behalf of a thread. */
static void nfs_ask(sim *m, struct nfs *nfs, uint32_t row, uint32_t op, uint64_t from, uint64_t to,
    uint32_t bytes, uint32_t count, uint32_t tag) {
  uint32_t words[11] = {
      (uint32_t)from, (uint32_t)(from >> 32), (uint32_t)to, (uint32_t)(to >> 32), bytes, 0, count, tag};
  call_os_call(m, nfs->self, NFS_PORT_KERNEL + row / CALLS_PER_CPU,
      &(struct os_call){.thread = row % CALLS_PER_CPU, .operation = op, .arguments = words});
}

static uint32_t nfs_relay(sim *m, struct nfs *nfs, uint32_t row, struct os_next *p) {
  return service_next(m, nfs->self, NFS_PORT_KERNEL + row / CALLS_PER_CPU, row % CALLS_PER_CPU, p);
}

#define NFS_HINTS (uint32_t)nfs->params->hints

/* Steps of a call, in a function that has `call`, `row` and `p`. */
#define NFS_CALL(place, ...)                               \
  do {                                                     \
    nfs_ask(m, nfs, row, __VA_ARGS__);                     \
    AWAIT_SERVICE(call, place, nfs_relay(m, nfs, row, p)); \
  } while (0)

/* The buffers of the first threads, the requests of all clients, the buffers of further threads. */
static uint64_t nfs_buffer(uint32_t row, uint32_t which) {
  uint32_t cpu = row / CALLS_PER_CPU, thread = row % CALLS_PER_CPU, more = CALLS_PER_CPU - NFS_FIRST;
  return thread < NFS_FIRST ? NFS_MEMORY + (cpu * NFS_FIRST + thread) * NFS_BUFFERS + which
                            : NFS_MORE + (cpu * more + thread - NFS_FIRST) * NFS_BUFFERS + which;
}
static uint64_t nfs_request(uint32_t client) { return NFS_REQUESTS + client * NFS_MESSAGE; }

/* The interface of a thread's processor. */
static uint32_t nfs_interface(struct nfs *nfs, uint32_t row) {
  return row / CALLS_PER_CPU % (uint32_t)nfs->params->interfaces;
}

/* The number of channels per device for a processor: all, or its share. */
static uint32_t nfs_channels(struct nfs *nfs) {
  uint32_t interfaces = (uint32_t)nfs->params->interfaces;
  return NFS_CHANNELS / ((nfs->state->cpus + interfaces - 1) / interfaces);
}

/* The thread's channel of its processor's disk interface, or of its network. */
static uint64_t nfs_channel(struct nfs *nfs, uint32_t row, uint32_t network) {
  uint32_t channel =
      row / CALLS_PER_CPU / (uint32_t)nfs->params->interfaces * nfs_channels(nfs) + row % CALLS_PER_CPU;
  return nfs->params->registers + (nfs_interface(nfs, row) * 2 + network) * NFS_DEVICE
         + channel * CHANNEL_BYTES;
}

/* Whether a thread is unused in a smaller machine, or has no channel. */
static int nfs_is_off(struct nfs *nfs, uint32_t row) {
  uint32_t thread = row % CALLS_PER_CPU;
  return row / CALLS_PER_CPU >= nfs->state->cpus || thread > nfs->params->daemons
         || thread >= nfs_channels(nfs);
}

/* This operation's share of a count given per ten operations. */
static uint32_t nfs_share(const nfs_call *call, uint64_t ten) {
  return (uint32_t)((call->turn + 1) * ten / NFS_TEN - call->turn * ten / NFS_TEN);
}

/* Reads or writes a buffer, line by line. */
static uint32_t nfs_lines(nfs_call *call, uint64_t from, uint32_t bytes, uint32_t op, struct os_next *p) {
  if (call->line >= bytes) {
    call->line = 0;
    return OS_STEP_DONE;
  }
  p->address = from + call->line;
  p->detail = op;
  p->state = PROCESSOR_STATE_ACCESS;
  call->line += RUNWAY_LINE;
  return OS_STEP_ACCESS;
}

/* An access to a disk behind the processor's interface: the thread sleeps until the disk has served it. */
static void nfs_seek(sim *m, struct nfs *nfs, uint32_t row) {
  uint32_t cpu = row / CALLS_PER_CPU, disk = sim_choose(m, SIM_CHOOSE_DEVICE, (uint32_t)nfs->params->disks);
  struct nfs_disks *arm = (struct nfs_disks *)sim_at(m, nfs->state->disks_at)
                          + nfs_interface(nfs, row) * nfs->params->disks + disk;
  uint64_t begins = sim_max(m->time, arm->until);
  nfs->counters->seeks++;
  nfs->counters->seek_wait += begins - m->time;
  arm->until = begins + sim_jitter(m, nfs->params->disk_time, nfs->params->spread != 0);
  uint64_t time = arm->until - m->time;
  sim_trace(m, nfs->self, NFS_EV_SEEK, time, disk, cpu);
  uint32_t words[11] = {[8] = (uint32_t)time, [9] = (uint32_t)(time >> 32)};
  call_os_call(m, nfs->self, NFS_PORT_KERNEL + cpu,
      &(struct os_call){.thread = row % CALLS_PER_CPU, .operation = PROCESSOR_OP_SLEEP, .arguments = words});
}

/* The client whose request has waited longest at a processor's network, or the number of clients if none
 * waits. */
static uint32_t nfs_oldest(sim *m, struct nfs *nfs, uint32_t cpu) {
  uint32_t clients = (uint32_t)nfs->params->clients, best = clients;
  for (uint32_t i = cpu; i < clients; i += nfs->state->cpus) {
    const struct nfs_clients *client = nfs_client_of(m, nfs, i);
    if (client->state == NFS_CLIENT_WAITING
        && (best == clients || client->since < nfs_client_of(m, nfs, best)->since))
      best = i;
  }
  return best;
}

static uint32_t nfs_receive(sim *m, struct nfs *nfs, uint32_t row, nfs_call *call, struct os_next *p) {
  uint32_t cpu = row / CALLS_PER_CPU;
  RESUME(call) {
    while (nfs_is_off(nfs, row)) AWAIT(call, NFS_STEP_OFF, OS_STEP_BLOCK);
    while ((call->client = nfs_oldest(m, nfs, cpu)) == nfs->params->clients) {
      call->woken = 0;
      AWAIT(call, NFS_STEP_WAITING, OS_STEP_BLOCK);
    }
    nfs_client_of(m, nfs, call->client)->state = NFS_CLIENT_QUEUED;
    NFS_CALL(NFS_STEP_RECEIVING, PROCESSOR_OP_DMA_IN, nfs_request(call->client), nfs_channel(nfs, row, 1),
        NFS_MESSAGE, NFS_HINTS, NO_TAG);
    NFS_CALL(NFS_STEP_PUTTING, PROCESSOR_OP_PUT, call->client, 0, NFS_MESSAGE, 0, NFS_QUEUE);
  }
  call->step = NFS_STEP_DONE;
  return OS_STEP_DONE;
}

/* The client sends its next request: after it has thought, or when the requested load wants it. */
static void nfs_client_think(sim *m, struct nfs *nfs, uint32_t client) {
  struct nfs_clients *c = nfs_client_of(m, nfs, client);
  uint64_t interval = nfs->params->interval, mean = interval ? interval : nfs->params->think,
           drawn = sim_jitter(m, mean, nfs->params->spread != 0), passed = interval ? m->time - c->since : 0;
  c->state = NFS_CLIENT_THINKING;
  sim_schedule_for(m, nfs->self, drawn > passed ? drawn - passed : 0, SIM_PHASE_REQUEST, 0, client);
}

static void nfs_answer(sim *m, struct nfs *nfs, uint32_t row, const nfs_call *call) {
  uint64_t settle = nfs->params->settle, time = m->time - nfs_client_of(m, nfs, call->client)->since;
  sim_trace(m, nfs->self, NFS_EV_ANSWER, time, call->client, row / CALLS_PER_CPU);
  if (m->time >= settle) {
    nfs->counters->operations++;
    nfs->counters->counted = m->time - settle;
    nfs->counters->response += time;
    nfs->counters->response_most = sim_max(nfs->counters->response_most, time);
  }
  nfs_client_think(m, nfs, call->client);
}

/* Whether a request belongs to a waiting client; a program can put anything into the queue. */
static int nfs_accepts_request(
    sim *m, struct nfs *nfs, uint32_t row, nfs_call *call, const struct os_next *p) {
  call->client = (uint32_t)p->address;
  if (p->address >= nfs->params->clients || nfs_client_of(m, nfs, call->client)->state != NFS_CLIENT_QUEUED)
    return 0;
  nfs_client_of(m, nfs, call->client)->state = NFS_CLIENT_SERVED;
  call->turn = nfs->state->turns++ % NFS_TEN;
  sim_trace(m, nfs->self, NFS_EV_TAKEN, 0, call->client, row / CALLS_PER_CPU);
  return 1;
}

/* One control structure: written, synchronised, mapped and unmapped. */
static uint32_t nfs_structure(sim *m, struct nfs *nfs, uint32_t row, nfs_call *call, struct os_next *p) {
  uint64_t at = nfs_buffer(row, NFS_CONTROL);
  RESUME_AT(call->within) {
    AWAIT_SERVICE_AT(call->within, NFS_STEP_FILLING, nfs_lines(call, at, NFS_STRUCTURE, CACHE_OP_STORE, p));
    nfs_ask(m, nfs, row, PROCESSOR_OP_DMA_SYNC, at, 0, NFS_STRUCTURE, CONTRACT_SYNC_FOR_DEVICE, NO_TAG);
    AWAIT_SERVICE_AT(call->within, NFS_STEP_SYNCHRONIZING, nfs_relay(m, nfs, row, p));
    nfs_ask(m, nfs, row, PROCESSOR_OP_MAP, at, 0, NFS_STRUCTURE, NFS_HINTS, NO_TAG);
    AWAIT_SERVICE_AT(call->within, NFS_STEP_MAPPING, nfs_relay(m, nfs, row, p));
    nfs_ask(m, nfs, row, PROCESSOR_OP_UNMAP, p->address, 0, NFS_STRUCTURE, 0, NO_TAG);
    AWAIT_SERVICE_AT(call->within, NFS_STEP_UNMAPPING, nfs_relay(m, nfs, row, p));
  }
  call->within = 0;
  return OS_STEP_DONE;
}

static uint32_t nfs_serve(sim *m, struct nfs *nfs, uint32_t row, nfs_call *call, struct os_next *p) {
  uint64_t disk = nfs_channel(nfs, row, 0), network = nfs_channel(nfs, row, 1),
           page = nfs_buffer(row, NFS_IN);
  RESUME(call) {
    while (nfs_is_off(nfs, row)) AWAIT(call, NFS_STEP_OFF, OS_STEP_BLOCK);
    NFS_CALL(NFS_STEP_GETTING, PROCESSOR_OP_GET, 0, 0, 0, 0, NFS_QUEUE);
    if (!nfs_accepts_request(m, nfs, row, call, p)) return OS_STEP_REFUSE;
    AWAIT_SERVICE(
        call, NFS_STEP_READING, nfs_lines(call, nfs_request(call->client), NFS_MESSAGE, CACHE_OP_LOAD, p));
    for (call->left = nfs_share(call, nfs->params->reads); call->left > 0; call->left--) {
      nfs_seek(m, nfs, row);
      AWAIT_SERVICE(call, NFS_STEP_SEEKING, nfs_relay(m, nfs, row, p));
      NFS_CALL(NFS_STEP_FETCHING, PROCESSOR_OP_DMA_IN, page, disk, NFS_PAGE, NFS_HINTS, NO_TAG);
      AWAIT_SERVICE(call, NFS_STEP_SUMMING, nfs_lines(call, page, NFS_PAGE, CACHE_OP_LOAD, p));
    }
    AWAIT(call, NFS_STEP_WORKING, STEP_OF_WORK(p, nfs->params->work, PROCESSOR_STATE_SERVE, 0));
    nfs->counters->instructions += nfs->params->instructions;
    for (call->left = nfs_share(call, nfs->params->structures); call->left > 0; call->left--)
      AWAIT_SERVICE(call, NFS_STEP_MAPPING, nfs_structure(m, nfs, row, call, p));
    for (call->left = nfs_share(call, nfs->params->writes); call->left > 0; call->left--) {
      AWAIT_SERVICE(
          call, NFS_STEP_STORING, nfs_lines(call, nfs_buffer(row, NFS_OUT), NFS_PAGE, CACHE_OP_STORE, p));
      NFS_CALL(NFS_STEP_WRITING, PROCESSOR_OP_DMA_OUT, nfs_buffer(row, NFS_OUT), disk, NFS_PAGE, NFS_HINTS,
          NO_TAG);
      nfs_seek(m, nfs, row);
      AWAIT_SERVICE(call, NFS_STEP_SETTLING, nfs_relay(m, nfs, row, p));
    }
    AWAIT_SERVICE(
        call, NFS_STEP_HEADING, nfs_lines(call, nfs_buffer(row, NFS_ANSWER), NFS_MESSAGE, CACHE_OP_STORE, p));
    NFS_CALL(NFS_STEP_ANSWERING, PROCESSOR_OP_DMA_OUT, nfs_buffer(row, NFS_ANSWER), network, NFS_MESSAGE,
        NFS_HINTS, NO_TAG);
    for (call->left = NFS_PAGE; call->left > 0; call->left -= (uint32_t)sim_min(call->left, NFS_FRAGMENT))
      NFS_CALL(NFS_STEP_SENDING, PROCESSOR_OP_DMA_OUT, page + NFS_PAGE - call->left, network,
          (uint32_t)sim_min(call->left, NFS_FRAGMENT), NFS_HINTS, NO_TAG);
    nfs_answer(m, nfs, row, call);
  }
  call->step = NFS_STEP_DONE;
  return OS_STEP_DONE;
}

/* The kernel needs a driver behind it that moves whole buffers. */
static uint32_t nfs_cpu_validate_row(sim *m, struct nfs *nfs, uint32_t cpu, struct os_validate_row *q) {
  if (!sim_wired(m, nfs->self, NFS_PORT_KERNEL + cpu)) return SIM_BAD_ROW;
  uint32_t words[11] = {0};
  struct os_validate_row driver = {.operation = PROCESSOR_OP_DMA_IN, .arguments = words};
  return call_os_validate_row(m, nfs->self, NFS_PORT_KERNEL + cpu, NFS_EXECUTES(q->operation) ? &driver : q);
}

static void nfs_cpu_call(sim *m, struct nfs *nfs, uint32_t cpu, struct os_call *q) {
  if (q->thread >= CALLS_PER_CPU) __builtin_trap();
  int own = NFS_EXECUTES(q->operation);
  *nfs_call_of(m, nfs, cpu * CALLS_PER_CPU + q->thread) =
      (nfs_call){.step = own ? NFS_STEP_ENTER : NFS_STEP_PASS, .op = q->operation};
  if (!own) call_os_call(m, nfs->self, NFS_PORT_KERNEL + cpu, q);
}

static uint32_t nfs_cpu_next(sim *m, struct nfs *nfs, uint32_t cpu, struct os_next *p) {
  uint32_t row = cpu * CALLS_PER_CPU + p->thread;
  nfs_call *call = nfs_call_of(m, nfs, row);
  if (call->step == NFS_STEP_PASS) return nfs_relay(m, nfs, row, p);
  return call->op == PROCESSOR_OP_SERVE ? nfs_serve(m, nfs, row, call, p) : nfs_receive(m, nfs, row, call, p);
}

/* A device's interrupt goes to its driver. */
static void nfs_cpu_interrupt(sim *m, struct nfs *nfs, uint32_t cpu, struct os_interrupt *q) {
  nfs_call_of(m, nfs, cpu * CALLS_PER_CPU + q->thread)->step = NFS_STEP_PASS;
  call_os_interrupt(m, nfs->self, NFS_PORT_KERNEL + cpu, q);
}

/* A request arrives at a processor's network: it interrupts the processor and wakes a waiting receiver. */
static void nfs_self(sim *m, struct nfs *nfs, const sim_msg *msg) {
  uint32_t cpu = msg->x % nfs->state->cpus;
  *nfs_client_of(m, nfs, msg->x) = (struct nfs_clients){.state = NFS_CLIENT_WAITING, .since = m->time};
  nfs->counters->requests++;
  sim_trace(m, nfs->self, NFS_EV_REQUEST, 0, msg->x, cpu);
  for (uint32_t thread = 0; thread < CALLS_PER_CPU; thread++) {
    nfs_call *call = nfs_call_of(m, nfs, cpu * CALLS_PER_CPU + thread);
    if (call->step != NFS_STEP_WAITING || call->woken) continue;
    call->woken = 1;
    call_os_preempt(m, nfs->self, NFS_PORT_CPU + cpu);
    call_os_wake(m, nfs->self, NFS_PORT_CPU + cpu, &(struct os_wake){.thread = thread});
    return;
  }
}

static int nfs_load(sim *m, uint32_t self) {
  const struct nfs_params *q = SIM_PARAMS(m, self, nfs);
  struct nfs_state *s = sim_state_alloc(m, self, sizeof *s);
  void *calls = sim_view(m, self, NFS_VIEW_CALLS, NFS_ROWS, sizeof(nfs_call));
  void *clients = sim_view(m, self, NFS_VIEW_CLIENTS, (uint32_t)q->clients, sizeof(struct nfs_clients));
  void *disks = sim_view(m, self, NFS_VIEW_DISKS, NFS_CPUS * (uint32_t)q->disks, sizeof(struct nfs_disks));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct nfs_state){sim_offset(m, calls), sim_offset(m, clients), sim_offset(m, disks), 0, 0, 0};
  while (s->cpus < q->processors && sim_wired(m, self, NFS_PORT_CPU + s->cpus)) s->cpus++;
  if (s->cpus == 0) return sim_refuse(m, SIM_UNWIRED, self, NFS_PORT_CPU);
  for (uint32_t i = 0; i < q->clients; i++)
    sim_schedule_for(m, self, q->settle / 2 * i / q->clients, SIM_PHASE_REQUEST, 0, i);
  return SIM_OK;
}
