/* Taking a packet out of a queue: by an application, or by the I/O thread to send it. */

/* Takes the packet out of a received message; 0 if it contains no valid place, or one that the adapter is to
   read. A program can put anything into the queue. */
static int tcpip_received_message(sim *m, struct tcpip *tcpip, tcpip_call *call, const struct os_next *p) {
  call->place = (uint32_t)p->address;
  call->packet = (uint32_t)p->value;
  int exists =
      call->place < TCPIP_SLOTS || (call->place >= TCPIP_COPY && call->place < TCPIP_COPY + TCPIP_COPIES);
  if (exists && tcpip_place_of(m, tcpip, call->place)->bytes
      && tcpip_place_of(m, tcpip, call->place)->outgoing != TCPIP_OUTGOING_GIVEN) {
    call->size = tcpip_place_of(m, tcpip, call->place)->bytes;
    return 1;
  }
  call->place = TCPIP_NO_PLACE;
  return 0;
}

/* A message from another processor takes time to synchronise. A packet to send is flushed after each copy:
   the adapter reads it. */
static uint32_t tcpip_take_message(
    sim *m, struct tcpip *tcpip, uint32_t row, tcpip_call *call, struct os_next *p) {
  int sends = call->op == PROCESSOR_OP_TRANSMIT;
  RESUME(call) {
    tcpip_ask(m, tcpip, row, PROCESSOR_OP_GET, call->tag, call);
    AWAIT_SERVICE(call, TCPIP_STEP_GETTING, tcpip_relay(m, tcpip, row, p));
    if (!tcpip_received_message(m, tcpip, call, p)) return OS_STEP_REFUSE;
    if (tcpip_place_of(m, tcpip, call->place)->from != row / CALLS_PER_CPU) {
      AWAIT(
          call, TCPIP_STEP_MESSAGE, STEP_OF_WORK(p, tcpip->params->message_time, PROCESSOR_STATE_MESSAGE, 0));
      if (tcpip->params->purges)
        AWAIT_SERVICE(call, TCPIP_STEP_PURGING, tcpip_order(m, tcpip, row, call, CACHE_OP_PURGE, p));
    }
    while (call->count > 0) {
      while (!tcpip_has_room(m, tcpip, call, TCPIP_COPIES)) AWAIT(call, TCPIP_STEP_ROOM, OS_STEP_BLOCK);
      AWAIT_SERVICE(call, TCPIP_STEP_COPYING, tcpip_run_step(m, tcpip, row, call, p));
      if (sends && tcpip->params->flushes)
        AWAIT_SERVICE(call, TCPIP_STEP_FLUSHING, tcpip_order(m, tcpip, row, call, CACHE_OP_FLUSH, p));
    }
    if (sends) {
      AWAIT_SERVICE(call, TCPIP_STEP_PROTOCOL, tcpip_protocol(tcpip, row, call, p));
      tcpip_give_to_adapter(m, tcpip, row, call);
    } else sim_trace(m, tcpip->self, TCPIP_EV_ACCEPTED, call->packet, call->place, row / CALLS_PER_CPU);
  }
  call->step = TCPIP_STEP_DONE;
  return OS_STEP_DONE;
}
