/* Message queues: bounded FIFOs; senders wait for room and receivers for a message. */
#include "os/kernel/kernel.h"

static struct kernel_messages *kernel_place(sim *m, uint32_t self, uint32_t queue, uint32_t n) {
  uint32_t places = (uint32_t)SIM_PARAMS(m, self, kernel)->queue_places;
  return (struct kernel_messages *)sim_at(m, SIM_STATE(m, self, kernel)->messages_at) + queue * places + (kernel_queue_of(m, self, queue)->first + n) % places;
}

static int kernel_is_full(sim *m, uint32_t self, uint32_t queue) { return kernel_queue_of(m, self, queue)->used == SIM_PARAMS(m, self, kernel)->queue_places; }

/* The contents of a sender's message when it is counted: none yet, if that happens before it is written. */
static struct kernel_messages kernel_message_of(sim *m, uint32_t self, const kernel_call *call) {
  if (SIM_PARAMS(m, self, kernel)->fault == KERNEL_FAULT_EARLY_MESSAGE) return (struct kernel_messages){0};
  return (struct kernel_messages){call->address, call->bytes};
}

/* With that defect the message is written last, into its slot, if that still belongs to it. */
static void kernel_write_late(sim *m, uint32_t self, const kernel_call *call) {
  uint32_t used = kernel_queue_of(m, self, call->object)->used;
  if (used) *kernel_place(m, self, call->object, used - 1) = (struct kernel_messages){call->address, call->bytes};
}

/* Passes a sender's message to a waiting receiver, or appends it to the queue. */
static void kernel_send(sim *m, uint32_t self, uint32_t sender) {
  const kernel_call *call = kernel_call_of(m, self, sender);
  struct kernel_counters *c = SIM_COUNTERS(m, self, kernel);
  struct kernel_queues *queue = kernel_queue_of(m, self, call->object);
  uint32_t receiver = kernel_first(m, self, KERNEL_WANTS_A_MESSAGE, call->object);
  struct kernel_messages said = kernel_message_of(m, self, call);
  if (receiver == KERNEL_NOBODY) {
    *kernel_place(m, self, call->object, queue->used++) = said;
    c->queued_most = sim_max(c->queued_most, queue->used);
    sim_trace(m, self, KERNEL_EV_PUT, call->address, call->object, queue->used);
    return;
  }
  kernel_call *taker = kernel_call_of(m, self, receiver);
  sim_trace(m, self, KERNEL_EV_PUT, call->address, call->object, 0);
  taker->address = said.address;
  taker->bytes = said.bytes;
  kernel_wake(m, self, receiver, sender / KERNEL_THREADS);
}

/* Removes the oldest message; a waiting sender takes the freed slot. */
static void kernel_receive(sim *m, uint32_t self, uint32_t receiver) {
  kernel_call *call = kernel_call_of(m, self, receiver);
  struct kernel_queues *queue = kernel_queue_of(m, self, call->object);
  const struct kernel_messages *oldest = kernel_place(m, self, call->object, 0);
  call->address = oldest->address;
  call->bytes = oldest->bytes;
  queue->first = (queue->first + 1) % (uint32_t)SIM_PARAMS(m, self, kernel)->queue_places;
  queue->used--;
  uint32_t sender = kernel_first(m, self, KERNEL_WANTS_A_PLACE_IN_A_QUEUE, call->object);
  if (sender == KERNEL_NOBODY) return;
  kernel_send(m, self, sender);
  kernel_wake(m, self, sender, receiver / KERNEL_THREADS);
}
