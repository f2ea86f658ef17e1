/* Sending: a packet that an application writes, by copy or by pointer to the I/O thread and to the adapter.
 */

#define TCPIP_LEAST 64u
#define TCPIP_MOST 1514u

/* Allocates a message and writes each line of a packet into it. */
static uint32_t tcpip_compose(
    sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call, struct os_next *p) {
  uint64_t byte = tcpip_is_io(tcpip, row) ? tcpip->params->io_copy_time : tcpip->params->copy_time;
  RESUME(call) {
    if (call->place != TCPIP_NO_PLACE) return OS_STEP_REFUSE; /* the thread has a packet already */
    call->packet = call->held = ++tcpip_now_of(m, tcpip)->composed;
    while ((call->place = tcpip_free_copy(m, tcpip, TCPIP_SENT)) == TCPIP_NO_PLACE)
      AWAIT(call, TCPIP_STEP_ROOM, OS_STEP_BLOCK);
    *tcpip_place_of(m, tcpip, call->place) =
        (tcpip_place){.packet = call->packet, .from = row / CALLS_PER_CPU, .bytes = call->size};
    for (call->line = 0; call->line < frame_lines(call->size); call->line++) {
      AWAIT(call, TCPIP_STEP_COPYING, STEP_OF_WORK(p, tcpip_payload(call) * byte, PROCESSOR_STATE_DECODE, 0));
      AWAIT(
          call, TCPIP_STEP_STORING, tcpip_line(call, call->place, CACHE_OP_STORE, PROCESSOR_STATE_DECODE, p));
    }
    sim_trace(m, tcpip->self, TCPIP_EV_COMPOSED, call->packet, call->place, row / CALLS_PER_CPU);
  }
  call->step = TCPIP_STEP_DONE;
  return OS_STEP_DONE;
}

/* Gives the thread's packet to the I/O thread: its address, or that of a copy. */
static uint32_t tcpip_submit(sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call, struct os_next *p) {
  RESUME(call) {
    if (call->place == TCPIP_NO_PLACE) return OS_STEP_REFUSE;
    tcpip->counters->submitted++;
    tcpip_place_of(m, tcpip, call->place)->arrived = m->time;
    sim_trace(m, tcpip->self, TCPIP_EV_SUBMITTED, call->packet, call->place, row / CALLS_PER_CPU);
    while (call->count > 0) {
      while (!tcpip_has_room(m, tcpip, call, TCPIP_SENT)) AWAIT(call, TCPIP_STEP_ROOM, OS_STEP_BLOCK);
      AWAIT_SERVICE(call, TCPIP_STEP_COPYING, tcpip_run_step(m, tcpip, row, call, p));
    }
    if (tcpip->params->flushes)
      AWAIT_SERVICE(call, TCPIP_STEP_FLUSHING, tcpip_order(m, tcpip, row, call, CACHE_OP_FLUSH, p));
    tcpip_place_of(m, tcpip, call->place)->from = row / CALLS_PER_CPU;
    tcpip_ask(m, tcpip, row, PROCESSOR_OP_PUT, call->tag, call);
    call->place = TCPIP_NO_PLACE;
    AWAIT_SERVICE(call, TCPIP_STEP_PUTTING, tcpip_relay(m, tcpip, row, p));
  }
  call->step = TCPIP_STEP_DONE;
  return OS_STEP_DONE;
}

/* The adapter reads a packet where it is. */
static void tcpip_give_to_adapter(sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call) {
  sim_trace(m, tcpip->self, TCPIP_EV_TRANSMITTED, call->packet, call->place, row / CALLS_PER_CPU);
  tcpip_place_of(m, tcpip, call->place)->outgoing = TCPIP_OUTGOING_GIVEN;
  call_frames_send(m, tcpip->self, TCPIP_PORT_ADAPTER + tcpip_place_of(m, tcpip, call->place)->adapter,
      &(struct frames_send){.place = call->place,
          .packet = call->packet,
          .bytes = call->size,
          .address = tcpip_address(call->place)});
  call->place = TCPIP_NO_PLACE;
}

static void tcpip_release_sent(sim *m, struct tcpip *tcpip) {
  for (uint32_t i = 0; i < TCPIP_SLOTS + TCPIP_COPIES; i++) {
    uint32_t place = i < TCPIP_SLOTS ? i : TCPIP_COPY + i - TCPIP_SLOTS;
    if (tcpip_place_of(m, tcpip, place)->outgoing == TCPIP_OUTGOING_SENT) tcpip_release(m, tcpip, place);
  }
}
