/*
 * The sending end of TCP streams.
 *
 *   program --message--> [ socket buffer: segments ] --window, congestion window, Nagle--> doorbell --> card
 *      ^                          |                                                                       |
 *      +--- a third is free <-----+---- acknowledged <----------------- interrupt <-----------------------+
 *
 * The rules are those of Linux 2.4 (net/ipv4/tcp.c, tcp_output.c). A message fills the last segment that has
 * not been sent, then new ones, each with room for a full segment. While a thread is inside a socket,
 * acknowledgements wait for it. Nothing is lost on the wire, so the congestion window grows by a segment with
 * each acknowledgement, and nothing is sent twice.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "service.h"

#define TCP_SEGMENTS 1024u
#define TCP_CARDS 2u

struct tcp_sender_state {
  uint32_t sockets_at;
  uint32_t segments_at;
  uint32_t calls_at;
  uint32_t interrupts_at;
};

typedef struct tcp_sender_sockets tcp_socket;
typedef struct tcp_sender_segments tcp_segment;
typedef struct tcp_sender_calls tcp_call;

static tcp_socket *tcp_socket_of(sim *m, struct tcp_sender *tcp, uint32_t socket) {
  return (tcp_socket *)sim_at(m, tcp->state->sockets_at) + socket;
}
static tcp_segment *tcp_segment_of(sim *m, struct tcp_sender *tcp, uint32_t socket, uint32_t n) {
  return (tcp_segment *)sim_at(m, tcp->state->segments_at) + socket * TCP_SEGMENTS + n % TCP_SEGMENTS;
}
static tcp_call *tcp_call_of(sim *m, struct tcp_sender *tcp, uint32_t thread) {
  return (tcp_call *)sim_at(m, tcp->state->calls_at) + thread;
}

static uint32_t tcp_true_size(struct tcp_sender *tcp) {
  return (uint32_t)(tcp->params->mss + tcp->params->segment_overhead);
}

/* Whether the next segment may be sent (tcp_snd_test). A partial one may if no partial one is under way. */
static int tcp_may_send(sim *m, struct tcp_sender *tcp, uint32_t socket) {
  tcp_socket *s = tcp_socket_of(m, tcp, socket);
  if (s->posted == s->made) return 0;
  const tcp_segment *next = tcp_segment_of(m, tcp, socket, s->posted);
  int full = next->bytes == tcp->params->mss;
  if (!full && s->partial > s->acknowledged) return 0;
  if (s->posted - s->first >= s->congestion) return 0;
  if (next->end <= s->edge) {
    s->closed = 0;
    return 1;
  }
  if (full && !s->closed) {
    s->closed = 1;
    tcp->counters->closed++;
    sim_trace(m, tcp->self, TCP_SENDER_EV_CLOSED, 0, next->bytes, socket);
  }
  return 0;
}

/* Sends what may be sent: TCP and driver work on each segment, then ring the card's doorbell. Only one thread
   or the handler is inside a socket, so the resume point is the socket's. */
static uint32_t tcp_post(sim *m, struct tcp_sender *tcp, uint32_t socket, struct os_next *p) {
  tcp_socket *s = tcp_socket_of(m, tcp, socket);
  RESUME_AT(s->posting) {
    while (tcp_may_send(m, tcp, socket)) {
      AWAIT_AT(s->posting, TCP_SENDER_POSTING_STACK,
          STEP_OF_WORK(p, tcp->params->segment_time, PROCESSOR_STATE_STACK, 0));
      {
        const tcp_segment *next = tcp_segment_of(m, tcp, socket, s->posted++);
        s->sent = next->end;
        tcp->counters->segments++;
        if (next->bytes < tcp->params->mss) {
          s->partial = next->end;
          tcp->counters->partial++;
        }
        sim_trace(m, tcp->self, TCP_SENDER_EV_SEGMENT, next->end, next->bytes, socket);
      }
      AWAIT_AT(
          s->posting, TCP_SENDER_POSTING_DOORBELL, STEP_OF_STORE(p, s->doorbell, 1, PROCESSOR_STATE_STACK));
    }
  }
  s->posting = TCP_SENDER_POSTING_BEGIN;
  return OS_STEP_DONE;
}

/* An acknowledgement frees the segments that it covers. A waiting program runs again when a third of the
   buffer is free (tcp_min_write_space). */
static void tcp_acknowledged(sim *m, struct tcp_sender *tcp, uint32_t socket) {
  tcp_socket *s = tcp_socket_of(m, tcp, socket);
  if (s->backlog > s->acknowledged) {
    tcp->counters->bytes += s->backlog - s->acknowledged;
    s->acknowledged = s->backlog;
  }
  s->edge = sim_max(s->edge, s->backlog_edge);
  s->congestion += s->received;
  s->received = 0;
  while (s->first != s->posted && tcp_segment_of(m, tcp, socket, s->first)->end <= s->acknowledged) {
    s->first++;
    s->held -= tcp_true_size(tcp);
  }
  if (s->held + s->held / 2 > tcp->params->buffer) return;
  for (; s->sleepers; s->sleepers &= s->sleepers - 1)
    call_os_wake(
        m, tcp->self, TCP_SENDER_PORT_CPU, &(struct os_wake){.thread = (uint32_t)__builtin_ctz(s->sleepers)});
}

/* Room for the rest of a message in the last segment, if it has not been sent. */
static uint32_t tcp_room(sim *m, struct tcp_sender *tcp, uint32_t socket) {
  tcp_socket *s = tcp_socket_of(m, tcp, socket);
  return s->made == s->posted
             ? 0
             : (uint32_t)tcp->params->mss - tcp_segment_of(m, tcp, socket, s->made - 1)->bytes;
}

static void tcp_make(sim *m, struct tcp_sender *tcp, uint32_t socket) {
  tcp_socket *s = tcp_socket_of(m, tcp, socket);
  if (s->made - s->first >= TCP_SEGMENTS) __builtin_trap();
  *tcp_segment_of(m, tcp, socket, s->made++) = (tcp_segment){.end = s->written};
  s->held += tcp_true_size(tcp);
}

static void tcp_fill(sim *m, struct tcp_sender *tcp, const tcp_call *call) {
  tcp_socket *s = tcp_socket_of(m, tcp, call->socket);
  tcp_segment *last = tcp_segment_of(m, tcp, call->socket, s->made - 1);
  s->written += call->piece;
  last->bytes += call->piece;
  last->end += call->piece;
}

static uint32_t tcp_sleep(sim *m, struct tcp_sender *tcp, tcp_socket *s, uint32_t thread) {
  s->sleepers |= 1u << thread;
  s->locked = 0;
  tcp->counters->full++;
  sim_trace(m, tcp->self, TCP_SENDER_EV_FULL, 0, s->held, thread);
  return OS_STEP_BLOCK;
}

/* Sends what may be sent, and takes the acknowledgements that came meanwhile, until there is nothing to do.
 */
static uint32_t tcp_release(
    sim *m, struct tcp_sender *tcp, tcp_call *call, uint32_t place, struct os_next *p) {
  tcp_socket *s = tcp_socket_of(m, tcp, call->socket);
  call->step = place;
  do {
    uint32_t step = tcp_post(m, tcp, call->socket, p);
    if (step != OS_STEP_DONE) return step;
    tcp_acknowledged(m, tcp, call->socket);
  } while (tcp_may_send(m, tcp, call->socket));
  s->locked = 0;
  return OS_STEP_DONE;
}

/* tcp_sendmsg: the socket is locked except while the thread sleeps. */
static uint32_t tcp_send(sim *m, struct tcp_sender *tcp, uint32_t thread, tcp_call *call, struct os_next *p) {
  tcp_socket *s = tcp_socket_of(m, tcp, call->socket);
  RESUME(call) {
    do AWAIT(call, TCP_SENDER_STEP_CALL, STEP_OF_WORK(p, tcp->params->call_time, PROCESSOR_STATE_STACK, 0));
    while (s->locked); /* another thread is inside */
    s->locked = 1;
    while (call->left > 0) {
      if (tcp_room(m, tcp, call->socket) == 0) {
        while (s->held >= tcp->params->buffer) {
          AWAIT_SERVICE(call, TCP_SENDER_STEP_FULL, tcp_release(m, tcp, call, TCP_SENDER_STEP_FULL, p));
          if (s->held >= tcp->params->buffer) AWAIT(call, TCP_SENDER_STEP_ROOM, tcp_sleep(m, tcp, s, thread));
          s->locked = 1;
        }
        tcp_make(m, tcp, call->socket);
      }
      call->piece = (uint32_t)sim_min(call->left, tcp_room(m, tcp, call->socket));
      AWAIT(call, TCP_SENDER_STEP_COPY,
          STEP_OF_WORK(p, tcp->params->copy_time * call->piece / 1024, PROCESSOR_STATE_STACK, 0));
      tcp_fill(m, tcp, call);
      call->left -= call->piece;
      AWAIT_SERVICE(call, TCP_SENDER_STEP_POST, tcp_post(m, tcp, call->socket, p));
    }
    AWAIT_SERVICE(call, TCP_SENDER_STEP_RELEASE, tcp_release(m, tcp, call, TCP_SENDER_STEP_RELEASE, p));
    tcp->counters->messages++;
  }
  call->step = TCP_SENDER_STEP_DONE;
  return OS_STEP_DONE;
}

/* Takes an acknowledgement out of the card's ring. */
static int tcp_receive(sim *m, struct tcp_sender *tcp, uint32_t socket) {
  struct stack_receive got = {0};
  tcp_socket *s = tcp_socket_of(m, tcp, socket);
  if (!sim_wired(m, tcp->self, TCP_SENDER_PORT_CARD + socket)
      || !call_stack_receive(m, tcp->self, TCP_SENDER_PORT_CARD + socket, &got))
    return 0;
  s->backlog = got.acknowledged;
  s->backlog_edge = got.acknowledged + got.window;
  s->received++;
  tcp->counters->acknowledgements++;
  tcp->counters->window = got.window;
  sim_trace(m, tcp->self, TCP_SENDER_EV_ACKNOWLEDGED, got.acknowledged, got.window, socket);
  return 1;
}

static struct tcp_sender_interrupts *tcp_interrupts(sim *m, struct tcp_sender *tcp) {
  return sim_at(m, tcp->state->interrupts_at);
}

static uint32_t tcp_await(sim *m, struct tcp_sender *tcp, uint32_t thread, tcp_call *call) {
  struct tcp_sender_interrupts *interrupts = tcp_interrupts(m, tcp);
  if (!interrupts->raised) {
    interrupts->sleepers |= 1u << thread;
    call->step = TCP_SENDER_STEP_WAITING;
    return OS_STEP_BLOCK;
  }
  interrupts->raised--;
  return OS_STEP_DONE;
}

/* The interrupt handler. If a thread is inside the socket, it finds the acknowledgement when it leaves. */
static uint32_t tcp_handle(sim *m, struct tcp_sender *tcp, tcp_call *call, struct os_next *p) {
  RESUME(call) {
    for (; call->socket < TCP_CARDS; call->socket++) {
      while (tcp_receive(m, tcp, call->socket)) {
        AWAIT(call, TCP_SENDER_STEP_ACKNOWLEDGE,
            STEP_OF_WORK(p, tcp->params->acknowledge_time, PROCESSOR_STATE_STACK, 0));
        if (tcp_socket_of(m, tcp, call->socket)->locked) continue;
        tcp_acknowledged(m, tcp, call->socket);
        AWAIT_SERVICE(call, TCP_SENDER_STEP_ANSWER, tcp_post(m, tcp, call->socket, p));
      }
    }
  }
  call->step = TCP_SENDER_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t tcp_sender_cpu_validate_row(sim *m, struct tcp_sender *tcp, struct os_validate_row *q) {
  if (!TCP_SENDER_EXECUTES(q->operation)) return SIM_BAD_ROW;
  if (q->operation == PROCESSOR_OP_AWAIT_INTERRUPT) return SIM_OK;
  return sim_wired(m, tcp->self, TCP_SENDER_PORT_CARD + q->arguments[7]) ? SIM_OK : SIM_BAD_ROW;
}

static void tcp_sender_cpu_call(sim *m, struct tcp_sender *tcp, struct os_call *q) {
  if (q->thread >= CALLS_PER_CPU) __builtin_trap();
  const uint32_t *w = q->arguments;
  *tcp_call_of(m, tcp, q->thread) = (tcp_call){.op = q->operation, .socket = w[7], .left = w[4]};
  if (q->operation == PROCESSOR_OP_AWAIT_INTERRUPT) return;
  tcp_socket_of(m, tcp, w[7])->doorbell = (uint64_t)w[3] << 32 | w[2];
}

static void tcp_sender_cpu_interrupt(sim *m, struct tcp_sender *tcp, struct os_interrupt *q) {
  struct tcp_sender_interrupts *interrupts = tcp_interrupts(m, tcp);
  *tcp_call_of(m, tcp, q->thread) = (tcp_call){.op = PROCESSOR_OP_END};
  interrupts->raised++;
  for (; interrupts->sleepers; interrupts->sleepers &= interrupts->sleepers - 1)
    call_os_wake(m, tcp->self, TCP_SENDER_PORT_CPU,
        &(struct os_wake){.thread = (uint32_t)__builtin_ctz(interrupts->sleepers)});
}

static uint32_t tcp_sender_cpu_next(sim *m, struct tcp_sender *tcp, struct os_next *p) {
  if (p->thread >= CALLS_PER_CPU) __builtin_trap();
  tcp_call *call = tcp_call_of(m, tcp, p->thread);
  if (call->op == PROCESSOR_OP_END) return tcp_handle(m, tcp, call, p);
  if (call->op == PROCESSOR_OP_AWAIT_INTERRUPT) return tcp_await(m, tcp, p->thread, call);
  return tcp_send(m, tcp, p->thread, call, p);
}

/* Every segment is a packet, in order. */
static uint32_t tcp_sender_card_describe(
    sim *m, struct tcp_sender *tcp, uint32_t socket, struct stack_describe *q) {
  if (q->packet >= tcp_socket_of(m, tcp, socket)->posted) return 0;
  const tcp_segment *segment = tcp_segment_of(m, tcp, socket, q->packet);
  q->first = segment->end - segment->bytes;
  q->bytes = segment->bytes;
  return 1;
}

/* Wakes sleeping threads to look again. */
static void tcp_sender_on_param_change(sim *m, uint32_t self) {
  for (uint32_t socket = 0; socket < TCP_CARDS; socket++)
    tcp_acknowledged(m, SIM_CONTEXT(m, self, tcp_sender), socket);
}

static int tcp_sender_load(sim *m, uint32_t self) {
  struct tcp_sender_state *s = sim_state_alloc(m, self, sizeof *s);
  tcp_socket *sockets = sim_view(m, self, TCP_SENDER_VIEW_SOCKETS, TCP_CARDS, sizeof *sockets);
  void *segments = sim_view(m, self, TCP_SENDER_VIEW_SEGMENTS, TCP_CARDS * TCP_SEGMENTS, sizeof(tcp_segment));
  void *calls = sim_view(m, self, TCP_SENDER_VIEW_CALLS, CALLS_PER_CPU, sizeof(tcp_call));
  void *interrupts = sim_view(m, self, TCP_SENDER_VIEW_INTERRUPTS, 1, sizeof(struct tcp_sender_interrupts));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct tcp_sender_state){.sockets_at = sim_offset(m, sockets),
      .segments_at = sim_offset(m, segments),
      .calls_at = sim_offset(m, calls),
      .interrupts_at = sim_offset(m, interrupts)};
  /* tcp_init_cwnd, tcp_select_initial_window */
  uint64_t mss = SIM_PARAMS(m, self, tcp_sender)->mss;
  for (uint32_t socket = 0; socket < TCP_CARDS; socket++) {
    sockets[socket].congestion = mss > 1460 ? 2 : mss > 1095 ? 3 : 4;
    sockets[socket].edge = (mss > 4380 ? 2 : mss > 1460 ? 3 : 4) * mss;
  }
  return SIM_OK;
}
