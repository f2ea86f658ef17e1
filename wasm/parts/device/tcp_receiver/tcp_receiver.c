/*
 * The receiving end of a TCP stream.
 *
 *   wire --> [ card ] --interrupt--> TCP --> [ socket buffer ] --> program
 *                                     |                              |
 *                                     +-- acknowledge, window  <-----+
 *
 * The rules are those of Linux 2.4 (net/ipv4/tcp_input.c, tcp_output.c, tcp.c). A frame counts with the true
 * size of its buffer. The window is at most three quarters of what the socket buffer can hold, grows with the
 * segments that arrive up to a limit, and is a multiple of the estimated segment size. More than one full
 * segment is acknowledged at once, if the window does not close; less waits for the program or the timer.
 */
#include "core/engine.h"
#include "gen/protocols.h"

#define RECEIVER_FRAMES 1024u
#define RECEIVER_LEAST 536u /* the estimate of a segment's size before any has arrived */
#define RECEIVER_QUICK 16u

enum tcp_receiver_self { RECEIVER_INTERRUPT = 1, RECEIVER_WORKED, RECEIVER_TIMER, RECEIVER_STORED };

struct tcp_receiver_state {
  uint32_t now_at;
  uint32_t frames_at;
};

typedef struct tcp_receiver_now receiver_now;

static receiver_now *receiver_view(sim *m, struct tcp_receiver *r) { return sim_at(m, r->state->now_at); }
static struct tcp_receiver_frames *receiver_frame(sim *m, struct tcp_receiver *r, uint32_t n) {
  return (struct tcp_receiver_frames *)sim_at(m, r->state->frames_at) + n % RECEIVER_FRAMES;
}

/* tcp_win_from_space with tcp_adv_win_scale at 2: a quarter is kept for what the program has not read. */
static uint64_t receiver_window_of(uint64_t space) { return space - space / 4; }

static uint64_t receiver_space(sim *m, struct tcp_receiver *r) {
  uint64_t held = receiver_view(m, r)->held, buffer = r->params->buffer;
  return receiver_window_of(buffer > held ? buffer - held : 0);
}

/* __tcp_select_window: the window to advertise now. */
static uint64_t receiver_select(sim *m, struct tcp_receiver *r) {
  receiver_now *now = receiver_view(m, r);
  uint64_t full = receiver_window_of(r->params->buffer), space = receiver_space(m, r),
           size = sim_min(now->estimate, full), window = now->window;
  if (space < full / 2) {
    now->quick = 0;
    if (space < size) return 0;
  }
  space = sim_min(space, now->limit);
  return window + size <= space || window > space ? space / size * size : window;
}

static uint64_t receiver_open(const receiver_now *now) {
  return now->acknowledged + now->window - now->next; /* what is left of the window advertised last */
}

static void receiver_acknowledge(sim *m, struct tcp_receiver *r, uint32_t late) {
  receiver_now *now = receiver_view(m, r);
  uint64_t window = sim_max(receiver_select(m, r), receiver_open(now)); /* never shrinks */
  now->window = (uint32_t)window;
  now->acknowledged = now->next;
  now->quick -= now->quick > 0;
  now->pushed = 0;
  now->due = 0;
  r->counters->acknowledgements++;
  r->counters->delayed += late;
  sim_trace(m, r->self, TCP_RECEIVER_EV_ACKNOWLEDGE, now->next, now->window, late);
  send_wire_acknowledge(m, r->self, TCP_RECEIVER_PORT_CARD,
      r->params->acknowledgement * 1000000000000ull / r->params->wire, SIM_PHASE_REQUEST,
      (struct wire_acknowledge){.acknowledged = now->next, .window = now->window});
}

/* tcp_measure_rcv_mss: the estimate follows the largest segment, and smaller ones that come twice. */
static void receiver_measure(receiver_now *now, uint32_t bytes) {
  uint32_t last = now->last_size;
  now->last_size = 0;
  if (bytes >= now->estimate) {
    now->estimate = bytes;
    return;
  }
  now->last_size = bytes;
  if (bytes == last) now->estimate = bytes;
  else now->pushed = 1;
}

/* tcp_grow_window: the limit grows by two segments for each that arrives, as long as the true size of what
   would then wait fits into half of the buffer. */
static void receiver_grow(sim *m, struct tcp_receiver *r, uint32_t bytes) {
  receiver_now *now = receiver_view(m, r);
  uint64_t full = receiver_window_of(r->params->buffer), size = receiver_window_of(r->params->frame_buffer),
           window = full / 2, more = 0;
  if (bytes < 128 || now->limit >= full || now->limit >= receiver_space(m, r)) return;
  if (size <= bytes) {
    more = 2 * r->params->mss;
  } else {
    for (size /= 2; now->limit <= window && !more; size /= 2, window /= 2)
      if (size <= bytes) more = 2 * (uint64_t)now->estimate;
  }
  if (!more) return;
  now->limit = (uint32_t)sim_min(now->limit + more, full);
  now->quick |= 1; /* the sender hears of it at once */
}

/* There is one timer: when it is over it looks whether an acknowledgement is due, or will be. */
static void receiver_time(sim *m, struct tcp_receiver *r) {
  receiver_now *now = receiver_view(m, r);
  if (now->timed) return;
  now->timed = 1;
  sim_schedule(m, r->self, now->due - m->time, SIM_PHASE_REQUEST, RECEIVER_TIMER);
}

static void receiver_timer(sim *m, struct tcp_receiver *r) {
  receiver_now *now = receiver_view(m, r);
  now->timed = 0;
  if (!now->due) return;
  if (now->due <= m->time) receiver_acknowledge(m, r, 1);
  else receiver_time(m, r);
}

static void receiver_take(sim *m, struct tcp_receiver *r) {
  receiver_now *now = receiver_view(m, r);
  const struct tcp_receiver_frames *frame = receiver_frame(m, r, now->taken++);
  r->counters->missing += frame->first != now->next;
  r->counters->beyond += frame->first + frame->bytes > now->acknowledged + now->window;
  r->counters->frames++;
  now->next += frame->bytes;
  now->held += (uint32_t)r->params->frame_buffer;
  receiver_measure(now, frame->bytes);
  if (!now->started) { /* tcp_incr_quickack, with the first segment */
    now->started = 1;
    uint32_t quick = now->window / (2 * now->estimate);
    now->quick = (uint32_t)sim_min(quick ? quick : 2, RECEIVER_QUICK);
  }
  receiver_grow(m, r, frame->bytes);
  if ((now->next - now->acknowledged > now->estimate && receiver_select(m, r) >= now->window) || now->quick) {
    receiver_acknowledge(m, r, 0);
  } else if (!now->due) {
    now->due = m->time + r->params->delayed;
    receiver_time(m, r);
  }
}

/* cleanup_rbuf: the program has read what there was. */
static void receiver_emptied(sim *m, struct tcp_receiver *r) {
  receiver_now *now = receiver_view(m, r);
  uint64_t unacknowledged = now->next - now->acknowledged, open = receiver_open(now);
  int due = now->due && (unacknowledged > now->estimate || (now->pushed && now->held == 0));
  if (!due && 2 * open <= receiver_window_of(r->params->buffer)) {
    uint64_t window = receiver_select(m, r);
    due = window > 0 && window >= 2 * open;
  }
  if (due) receiver_acknowledge(m, r, 0);
}

static void receiver_set(sim *m, struct tcp_receiver *r, uint32_t state, uint32_t frame) {
  receiver_now *now = receiver_view(m, r);
  if (now->state == state && state == TCP_RECEIVER_STATE_IDLE) return;
  now->state = state;
  sim_trace(m, r->self, TCP_RECEIVER_EV_STATE, frame, state, 0);
}

/* TCP comes before the program; both take the processor for one frame at a time. */
static void receiver_run(sim *m, struct tcp_receiver *r) {
  receiver_now *now = receiver_view(m, r);
  uint64_t time = r->params->protocol_time;
  if (now->state != TCP_RECEIVER_STATE_IDLE) return;
  if (now->taken != now->seen) {
    receiver_set(m, r, TCP_RECEIVER_STATE_PROTOCOL, now->taken);
  } else if (now->read != now->taken) {
    receiver_set(m, r, TCP_RECEIVER_STATE_COPY, now->read);
    time = r->params->copy_time * receiver_frame(m, r, now->read)->bytes / 1024;
  } else {
    return;
  }
  r->counters->busy += time;
  sim_schedule(m, r->self, time, SIM_PHASE_REQUEST, RECEIVER_WORKED);
}

static void receiver_worked(sim *m, struct tcp_receiver *r) {
  receiver_now *now = receiver_view(m, r);
  int copied = now->state == TCP_RECEIVER_STATE_COPY;
  now->state = TCP_RECEIVER_STATE_IDLE;
  if (copied) {
    r->counters->bytes += receiver_frame(m, r, now->read++)->bytes;
    r->counters->last_end = m->time;
    now->held -= (uint32_t)r->params->frame_buffer;
    if (now->read == now->taken) receiver_emptied(m, r);
  } else {
    receiver_take(m, r);
    if (now->taken == now->seen) now->seen = now->arrived; /* the handler looks once more */
  }
  receiver_run(m, r);
  if (now->state == TCP_RECEIVER_STATE_IDLE)
    sim_trace(m, r->self, TCP_RECEIVER_EV_STATE, now->read, TCP_RECEIVER_STATE_IDLE, 0);
}

static void tcp_receiver_card_frame(sim *m, struct tcp_receiver *r, const struct wire_frame *q) {
  receiver_now *now = receiver_view(m, r);
  *receiver_frame(m, r, now->received++) = (struct tcp_receiver_frames){.first = q->first, .bytes = q->bytes};
  if (now->received - now->read > RECEIVER_FRAMES) __builtin_trap();
  sim_schedule(m, r->self, q->bytes * 1000000000000ull / r->params->bus, SIM_PHASE_REQUEST, RECEIVER_STORED);
}

/* A frame is in memory: the card interrupts, now or when the interrupt before is long enough ago. */
static void receiver_stored(sim *m, struct tcp_receiver *r) {
  receiver_now *now = receiver_view(m, r);
  now->arrived++;
  if (now->raised) return;
  now->raised = 1;
  uint64_t at = sim_max(m->time + r->params->interrupt_delay, now->interrupted);
  sim_schedule(m, r->self, at - m->time, SIM_PHASE_REQUEST, RECEIVER_INTERRUPT);
}

static void tcp_receiver_self(sim *m, struct tcp_receiver *r, const sim_msg *msg) {
  receiver_now *now = receiver_view(m, r);
  if (msg->kind == RECEIVER_WORKED) {
    receiver_worked(m, r);
  } else if (msg->kind == RECEIVER_INTERRUPT) {
    now->raised = 0;
    now->interrupted = m->time + r->params->interrupt_gap;
    now->seen = now->arrived;
    r->counters->interrupts++;
    receiver_run(m, r);
  } else if (msg->kind == RECEIVER_STORED) {
    receiver_stored(m, r);
  } else {
    receiver_timer(m, r);
  }
}

static int tcp_receiver_load(sim *m, uint32_t self) {
  struct tcp_receiver_state *s = sim_state_alloc(m, self, sizeof *s);
  receiver_now *now = sim_view(m, self, TCP_RECEIVER_VIEW_NOW, 1, sizeof *now);
  void *frames =
      sim_view(m, self, TCP_RECEIVER_VIEW_FRAMES, RECEIVER_FRAMES, sizeof(struct tcp_receiver_frames));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->frames_at = sim_offset(m, frames);
  uint64_t mss = SIM_PARAMS(m, self, tcp_receiver)->mss;
  uint64_t segments = mss > 4380 ? 2 : mss > 1460 ? 3 : 4; /* tcp_select_initial_window */
  now->window = now->limit =
      (uint32_t)sim_min(segments * mss, receiver_window_of(SIM_PARAMS(m, self, tcp_receiver)->buffer));
  now->estimate = RECEIVER_LEAST;
  return SIM_OK;
}
