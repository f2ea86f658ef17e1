/* Decoding: a checksum or a code over the payload of a packet, as it is read line by line. */

static uint64_t tcpip_byte_time(struct tcpip *tcpip, uint32_t code) {
  switch (code) {
    case CODE_CRC: return tcpip->params->crc_time;
    case CODE_MD5: return tcpip->params->md5_time;
    case CODE_DES: return tcpip->params->des_time;
  }
  return tcpip->params->huffman_time;
}

static struct code_sum *tcpip_sum_of(tcpip_call *call) { return (struct code_sum *)&call->w0; }

/* Size of the next piece: one line's worth, which begins in one line of the frame and ends in the next. */
static uint32_t tcpip_piece_bytes(const tcpip_call *call, const struct code_sum *sum) {
  return (uint32_t)sim_min(FRAME_LINE, call->size - FRAME_HEADER - sum->bytes);
}

/* A piece as read from two lines, which belonged to these packets. */
static void tcpip_piece(const tcpip_call *call, struct code_sum *sum, uint32_t first, uint32_t second) {
  uint8_t bytes[FRAME_LINE];
  uint32_t n = tcpip_piece_bytes(call, sum), end = sum->bytes + n == call->size - FRAME_HEADER;
  uint32_t split = (uint32_t)sim_min(n, FRAME_LINE - FRAME_HEADER);
  frame_bytes(bytes, first, sum->bytes, split);
  frame_bytes(bytes + split, second, sum->bytes + split, n - split);
  code_piece(sum, call->count, bytes, n, end);
}

/* The result, and the result over the packet as sent: equal unless a line of another packet was read. */
static void tcpip_compare(sim *m, struct tcpip *tcpip, tcpip_call *call) {
  struct code_sum *sum = tcpip_sum_of(call), wanted = {{0}, 0, 0};
  sim_trace(m, tcpip->self, TCPIP_EV_SUM, call->packet, sum->w[0], call->count);
  if (!call->mixed) return;
  while (wanted.bytes < call->size - FRAME_HEADER) tcpip_piece(call, &wanted, call->packet, call->packet);
  int same = 1;
  for (int i = 0; i < 4; i++) same &= sum->w[i] == wanted.w[i];
  if (same) return;
  tcpip->counters->wrong++;
  sim_broken(m, tcpip->self, SIM_AS_SENT, 0);
  sim_trace(m, tcpip->self, TCPIP_EV_WRONG, call->packet, sum->w[0], wanted.w[0]);
}

/* Per piece: reads a line, and computes over it with the rest of the previous one. */
static uint32_t tcpip_decode(sim *m, struct tcpip *tcpip, tcpip_call *call, struct os_next *p) {
  struct code_sum *sum = tcpip_sum_of(call);
  uint32_t state = PROCESSOR_STATE_DECODE;
  RESUME(call) {
    call->line = 0;
    AWAIT(call, TCPIP_STEP_BEGINNING, tcpip_line(call, call->place, CACHE_OP_LOAD, state, p));
    tcpip_check_order(call, p);
    while (sum->bytes < call->size - FRAME_HEADER) {
      call->held = call->seen;
      if (++call->line < frame_lines(call->size)) {
        AWAIT(call, TCPIP_STEP_FETCHING, tcpip_line(call, call->place, CACHE_OP_LOAD, state, p));
        tcpip_check_order(call, p);
      }
      AWAIT(call, TCPIP_STEP_DECODING,
          STEP_OF_WORK(p, tcpip_piece_bytes(call, sum) * tcpip_byte_time(tcpip, call->count), state, 0));
      tcpip_piece(call, sum, call->held, call->seen);
    }
    tcpip_compare(m, tcpip, call);
  }
  call->step = TCPIP_STEP_DONE;
  return OS_STEP_DONE;
}
