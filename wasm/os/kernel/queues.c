/* Message queues: bounded FIFOs; senders wait for room and receivers for a message. */
#include "os/kernel/kernel.h"

static struct kernel_messages *kernel_place(sim *m, struct kernel *kernel, uint32_t queue, uint32_t n) {
  uint32_t places = (uint32_t)kernel->params->queue_places;
  return (struct kernel_messages *)sim_at(m, kernel->state->messages_at) + queue * places
         + (kernel_queue_of(m, kernel, queue)->first + n) % places;
}

static int kernel_is_full(sim *m, struct kernel *kernel, uint32_t queue) {
  return kernel_queue_of(m, kernel, queue)->used == kernel->params->queue_places;
}

/* The contents of a sender's message when it is counted: none yet, if that happens before it is written. */
static struct kernel_messages kernel_message_of(struct kernel *kernel, const kernel_call *call) {
  if (kernel->params->fault == KERNEL_FAULT_EARLY_MESSAGE) return (struct kernel_messages){0};
  return (struct kernel_messages){call->address, call->bytes};
}

/* With that defect the message is written last, into its slot, if that still belongs to it. */
static void kernel_write_late(sim *m, struct kernel *kernel, const kernel_call *call) {
  uint32_t used = kernel_queue_of(m, kernel, call->object)->used;
  if (used)
    *kernel_place(m, kernel, call->object, used - 1) = (struct kernel_messages){call->address, call->bytes};
}

/* Passes a sender's message to a waiting receiver, or appends it to the queue. */
static void kernel_send(sim *m, struct kernel *kernel, uint32_t sender) {
  const kernel_call *call = kernel_call_of(m, kernel, sender);
  struct kernel_queues *queue = kernel_queue_of(m, kernel, call->object);
  uint32_t receiver = kernel_first(m, kernel, KERNEL_WANTS_A_MESSAGE, call->object);
  struct kernel_messages message = kernel_message_of(kernel, call);
  if (receiver == KERNEL_NOBODY) {
    *kernel_place(m, kernel, call->object, queue->used++) = message;
    kernel->counters->queued_most = sim_max(kernel->counters->queued_most, queue->used);
    sim_trace(m, kernel->self, KERNEL_EV_PUT, call->address, call->object, queue->used);
    return;
  }
  kernel_call *taker = kernel_call_of(m, kernel, receiver);
  sim_trace(m, kernel->self, KERNEL_EV_PUT, call->address, call->object, 0);
  taker->address = message.address;
  taker->bytes = message.bytes;
  kernel_wake(m, kernel, receiver, sender / CALLS_PER_CPU);
}

/* Removes the oldest message; a waiting sender takes the freed slot. */
static void kernel_receive(sim *m, struct kernel *kernel, uint32_t receiver) {
  kernel_call *call = kernel_call_of(m, kernel, receiver);
  struct kernel_queues *queue = kernel_queue_of(m, kernel, call->object);
  const struct kernel_messages *oldest = kernel_place(m, kernel, call->object, 0);
  call->address = oldest->address;
  call->bytes = oldest->bytes;
  queue->first = (queue->first + 1) % (uint32_t)kernel->params->queue_places;
  queue->used--;
  uint32_t sender = kernel_first(m, kernel, KERNEL_WANTS_A_PLACE_IN_A_QUEUE, call->object);
  if (sender == KERNEL_NOBODY) return;
  kernel_send(m, kernel, sender);
  kernel_wake(m, kernel, sender, receiver / CALLS_PER_CPU);
}
