/* Packets held until the one before them arrives. */

/* The place of the next packet in order, if it is held; with `any`, of the first held packet. TCPIP_NO_PLACE
   if there is none. */
static uint32_t tcpip_is_reassembling(sim *m, struct tcpip *tcpip, int any) {
  uint32_t best = TCPIP_NO_PLACE;
  for (uint32_t i = 0; i < TCPIP_SLOTS + TCPIP_COPIES; i++) {
    uint32_t at = i < TCPIP_SLOTS ? i : TCPIP_COPY + i - TCPIP_SLOTS;
    const tcpip_place *place = tcpip_place_of(m, tcpip, at);
    if (!place->held || (!any && place->packet != tcpip_now_of(m, tcpip)->expected)) continue;
    if (best == TCPIP_NO_PLACE || place->packet < tcpip_place_of(m, tcpip, best)->packet) best = at;
  }
  return best;
}

/* A packet is passed on if it is next in order, or if packets are not held. Otherwise it is held; when too
   many are held, the gap is skipped. */
static int tcpip_can_continue(sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call) {
  struct tcpip_now *now = tcpip_now_of(m, tcpip);
  uint64_t most = tcpip->params->reassembly, held = 0;
  if (most == 0 || call->packet <= now->expected) return 1;
  for (uint32_t i = 0; i < TCPIP_SLOTS + TCPIP_COPIES; i++)
    held += tcpip_place_of(m, tcpip, i < TCPIP_SLOTS ? i : TCPIP_COPY + i - TCPIP_SLOTS)->held;
  tcpip_place_of(m, tcpip, call->place)->from = row / CALLS_PER_CPU;
  tcpip_place_of(m, tcpip, call->place)->held = 1;
  tcpip->counters->reordered++;
  sim_trace(m, tcpip->self, TCPIP_EV_HELD, call->packet, call->place, now->expected);
  if (held < most && held + 1 < now->ring) return 0; /* with the whole ring held no frame could arrive */
  uint32_t first = tcpip_place_of(m, tcpip, tcpip_is_reassembling(m, tcpip, 1))->packet;
  tcpip->counters->gaps++;
  sim_trace(m, tcpip->self, TCPIP_EV_GAP, now->expected, first, 0);
  now->expected = first;
  return 0;
}

/* Takes the next held packet that need not wait any more; 0 if there is none. */
static int tcpip_continue(sim *m, struct tcpip *tcpip, tcpip_call *call) {
  uint32_t place = tcpip_is_reassembling(m, tcpip, 0);
  if (place == TCPIP_NO_PLACE) return 0;
  tcpip_place_of(m, tcpip, place)->held = 0;
  call->place = place;
  call->packet = tcpip_place_of(m, tcpip, place)->packet;
  return 1;
}
