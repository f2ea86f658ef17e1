/* Invariants of packets that an adapter, an I/O thread and one application hand on to each other. */
#include "verify/view.h"

/* Whether a call of an application is processing a packet. */
static int holds_packet(const struct tcpip_calls *call) {
  int reads =
      call->op == PROCESSOR_OP_ACCEPT || call->op == PROCESSOR_OP_DECODE || call->op == PROCESSOR_OP_FINISH;
  return reads && call->place != TCPIP_NO_PLACE;
}

/* Each is finished before the next is begun, so the current one follows the finished ones. */
static int is_reordered(sim *m, uint32_t tcpip) {
  uint32_t rows, turn = (uint32_t)SIM_COUNTERS(m, tcpip, tcpip)->processed + 1;
  const struct tcpip_calls *calls = checked_view(m, tcpip, TCPIP_VIEW_CALLS, &rows);
  for (uint32_t i = 0; i < rows; i++)
    if (holds_packet(&calls[i]) && calls[i].packet != turn) return 1;
  return 0;
}

/* A buffer with a packet that the driver still holds. */
static int released_early(sim *m, uint32_t tcpip, uint32_t ethernet) {
  uint32_t slots, descriptors;
  const struct tcpip_slots *slot = checked_view(m, tcpip, TCPIP_VIEW_SLOTS, &slots);
  const struct ethernet_ring *ring = checked_view(m, ethernet, ETHERNET_VIEW_RING, &descriptors);
  for (uint32_t i = 0; i < descriptors && i < slots; i++)
    if (slot[i].packet && ring[i].state != ETHERNET_OWNER_DRIVER) return 1;
  return 0;
}

static uint32_t broken_packet(sim *m, uint32_t tcpip, uint32_t ethernet) {
  if (tcpip == SIM_NONE || ethernet == SIM_NONE) return SIM_HOLDS;
  if (released_early(m, tcpip, ethernet)) return SIM_STILL_HELD;
  return is_reordered(m, tcpip) ? SIM_IN_TURN : SIM_HOLDS;
}

/* Whether a thread's program has not ended. */
static int thread_left(sim *m, uint32_t cpu) {
  uint32_t rows;
  const struct processor_threads *threads = checked_view(m, cpu, PROCESSOR_VIEW_THREADS, &rows);
  for (uint32_t i = 0; i < rows; i++)
    if (threads[i].status != PROCESSOR_THREAD_OVER) return 1;
  return 0;
}
