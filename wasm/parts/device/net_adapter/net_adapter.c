/*
 * A network adapter: a queue of requests and a link.
 *
 *   driver --request--> [queue] --> fetch buffers, by bus addresses, through the IOMMU --> link --> sent
 *
 * Only the link takes time: each frame its bits, each request at least `request_time`. Fetching overlaps with
 * sending, as in real adapters, so it costs nothing unless the table is wrong.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "iommu.h"

#define NET_PLACES 4096u
#define NET_FIRST 4u /* bytes of a buffer that identify its owner */

enum net_self { NET_NEXT = 1 };

struct net_adapter_state {
  uint32_t queue_at;
  uint32_t now_at;
  uint32_t sending;
  uint32_t spare;
};

typedef struct net_adapter_queue net_request;

static net_request *net_place(sim *m, struct net_adapter *adapter, uint64_t number) {
  return (net_request *)sim_at(m, adapter->state->queue_at) + number % NET_PLACES;
}

static void net_look(sim *m, struct net_adapter *adapter, const struct iommu_translate *to) {
  if (!sim_wired(m, adapter->self, NET_ADAPTER_PORT_MEMORY)) return;
  if (to->stale)
    call_memory_misdirected(m, adapter->self, NET_ADAPTER_PORT_MEMORY,
        &(struct memory_misdirected){
            .address = to->physical, .bytes = NET_FIRST, .meant = iommu_intended_address(to)});
  else
    call_memory_software_access(m, adapter->self, NET_ADAPTER_PORT_MEMORY,
        &(struct memory_software_access){.address = to->physical, .bytes = NET_FIRST});
}

/* Fetches the buffers of a request; the addresses are translated one by one. */
static void net_fetch(sim *m, struct net_adapter *adapter, const net_request *r) {
  for (uint32_t buffer = 0;; buffer++) {
    struct net_buffer at = {.queue = r->queue, .slot = r->slot | buffer << 16};
    if (!call_net_buffer(m, adapter->self, NET_ADAPTER_PORT_DRIVER, &at)) return;
    adapter->counters->buffers++;
    if (!sim_wired(m, adapter->self, NET_ADAPTER_PORT_IOMMU)) continue;
    struct iommu_translate access = {.address = at.address};
    if (!call_iommu_translate(m, adapter->self, NET_ADAPTER_PORT_IOMMU, &access)) {
      adapter->counters->stopped++;
      sim_trace(m, adapter->self, NET_ADAPTER_EV_STOPPED, at.address, r->queue, 0);
      continue;
    }
    if (access.stale) {
      adapter->counters->stale++;
      sim_trace(m, adapter->self, NET_ADAPTER_EV_WRONG, access.physical, r->queue, 0);
    }
    net_look(m, adapter, &access);
  }
}

static void net_start(sim *m, struct net_adapter *adapter) {
  struct net_adapter_now *now = sim_at(m, adapter->state->now_at);
  if (now->in == now->out) {
    if (adapter->state->sending) sim_trace(m, adapter->self, NET_ADAPTER_EV_IDLE, 0, 0, 0);
    adapter->state->sending = 0;
    return;
  }
  const net_request *r = net_place(m, adapter, now->out);
  uint64_t frames = (r->bytes + adapter->params->payload - 1) / adapter->params->payload,
           wire = r->bytes + frames * adapter->params->overhead;
  /* A request can be as large as memory: its time at a byte per second would overflow. */
  uint64_t time = sim_max((uint64_t)((unsigned __int128)wire * 1000000000000ull / adapter->params->rate),
      adapter->params->request_time);
  adapter->state->sending = 1;
  adapter->counters->frames += frames;
  adapter->counters->busy += time;
  sim_trace(
      m, adapter->self, NET_ADAPTER_EV_SEND, r->bytes, r->queue, (uint32_t)sim_min(time / 1000, UINT32_MAX));
  net_fetch(m, adapter, r);
  sim_schedule(m, adapter->self, time, SIM_PHASE_REQUEST, NET_NEXT);
}

/* A request has been sent: its driver is notified later, and the next one starts. */
static void net_adapter_self(sim *m, struct net_adapter *adapter, const sim_msg *msg) {
  (void)msg;
  struct net_adapter_now *now = sim_at(m, adapter->state->now_at);
  const net_request *r = net_place(m, adapter, now->out);
  adapter->counters->packets++;
  adapter->counters->bytes += r->bytes;
  sim_trace(m, adapter->self, NET_ADAPTER_EV_SENT, r->bytes, r->queue, 0);
  send_net_sent(m, adapter->self, NET_ADAPTER_PORT_DRIVER, adapter->params->latency, SIM_PHASE_REQUEST,
      (struct net_sent){.queue = r->queue, .slot = r->slot});
  now->out++;
  net_start(m, adapter);
}

static uint32_t net_adapter_driver_send(sim *m, struct net_adapter *adapter, struct net_send *q) {
  struct net_adapter_now *now = sim_at(m, adapter->state->now_at);
  if (now->in - now->out >= NET_PLACES) return 0;
  *net_place(m, adapter, now->in++) =
      (net_request){(uint16_t)q->queue, (uint16_t)q->slot, (uint32_t)q->bytes};
  adapter->counters->queued_most = sim_max(adapter->counters->queued_most, now->in - now->out);
  if (!adapter->state->sending) net_start(m, adapter);
  return 1;
}

static int net_adapter_load(sim *m, uint32_t self) {
  struct net_adapter_state *s = sim_state_alloc(m, self, sizeof *s);
  void *queue = sim_view(m, self, NET_ADAPTER_VIEW_QUEUE, NET_PLACES, sizeof(net_request));
  void *now = sim_view(m, self, NET_ADAPTER_VIEW_NOW, 1, sizeof(struct net_adapter_now));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->queue_at = sim_offset(m, queue);
  s->now_at = sim_offset(m, now);
  return SIM_OK;
}
