/*
 * A device as bus master. Its transfers are divided into naturally aligned transactions of at most `width`
 * bytes, or `write_width` for writes: an unaligned edge uses smaller ones.
 *
 *   registers of a channel (16 bytes each): +0 I/O address, +4 bytes, +8 command (1 out, 2 in, +16 interrupt
 * when done) a read of +12 gives its status: 1 = done, 0 from a new address on program rows:  the device's
 * own work; channels wait meanwhile
 *
 * One transaction at a time: a read until its data has arrived, a write until it has left.
 *
 * On a network link each outbound channel reads a frame, which is sent when all of it was read; an inbound
 * one waits for a frame and writes it.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "gen/registers.h"

#define DEVICE_CHANNELS 40u
#define DEVICE_NONE 0xffu

_Static_assert(DMA_DEVICE_COMMAND_OUT == CHANNEL_OUT && DMA_DEVICE_COMMAND_IN == CHANNEL_IN,
    "a command has the bits of its register");

enum dma_device_self { DEVICE_STEP = 1 };

struct dma_device_state {
  uint32_t channels_at;
  uint32_t now_at;
  uint32_t received_at;
  uint32_t rows_at;
  uint32_t rows;
  uint32_t stepping;
  uint32_t locked;
  uint32_t spare;
};

typedef const struct dma_device_program_row device_row;

static struct dma_device_channels *device_channel(sim *m, struct dma_device *device, uint32_t i) {
  return (struct dma_device_channels *)sim_at(m, device->state->channels_at) + i;
}
static struct dma_device_now *device_now(sim *m, struct dma_device *device) {
  return sim_at(m, device->state->now_at);
}

static void device_show(sim *m, struct dma_device *device, uint32_t state) {
  struct dma_device_now *now = device_now(m, device);
  if (now->state == state) return;
  if (now->state == DMA_DEVICE_STATE_IDLE) now->began = m->time;
  if (state == DMA_DEVICE_STATE_IDLE) device->counters->transfer_time += m->time - now->began;
  now->state = state;
  sim_trace(m, device->self, DMA_DEVICE_EV_STATE, now->addr, state, now->channel);
}

static void device_step_after(sim *m, struct dma_device *device, uint64_t time) {
  if (device->state->stepping) return;
  device->state->stepping = 1;
  sim_schedule(m, device->self, time, SIM_PHASE_REQUEST, DEVICE_STEP);
}

/* Requests the bus for one transaction at addr, for the aligned part of `left`. */
static void device_request(sim *m, struct dma_device *device, uint32_t kind, uint64_t addr, uint64_t left) {
  struct dma_device_now *now = device_now(m, device);
  int writes = kind == HSC_KIND_WRITE || kind == HSC_KIND_WRITE_UNLOCK || kind == HSC_KIND_INTERRUPT;
  uint64_t bytes =
      writes ? sim_min(device->params->width, device->params->write_width) : device->params->width;
  while (bytes > 4 && (bytes > left || addr % bytes)) bytes /= 2;
  now->kind = kind;
  now->addr = addr;
  now->moving = (uint32_t)bytes;
  device_show(m, device, writes ? DMA_DEVICE_STATE_SEND : DMA_DEVICE_STATE_WAIT);
  call_hsc_request(m, device->self, DMA_DEVICE_PORT_HSC);
}

static int device_on_link(sim *m, struct dma_device *device) {
  return sim_wired(m, device->self, DMA_DEVICE_PORT_LINK);
}

/* Whether a channel has data to move. On a link, one that has not begun needs a frame, or a buffer for its
   own. */
static int device_can_move(sim *m, struct dma_device *device, const struct dma_device_channels *c) {
  if (c->command == DMA_DEVICE_COMMAND_NONE) return 0;
  if (c->done > 0 || !device_on_link(m, device)) return 1;
  return c->command == DMA_DEVICE_COMMAND_OUT
             ? (int)call_network_link_room(m, device->self, DMA_DEVICE_PORT_LINK)
             : call_network_link_waiting(m, device->self, DMA_DEVICE_PORT_LINK) > 0;
}

/* A channel on a link begins: a frame fits into its buffer or is cut off. */
static void device_begin_frame(sim *m, struct dma_device *device, struct dma_device_channels *c) {
  if (c->done > 0 || !device_on_link(m, device)) return;
  if (c->command == DMA_DEVICE_COMMAND_OUT) {
    call_network_link_reserve(m, device->self, DMA_DEVICE_PORT_LINK);
    return;
  }
  c->bytes = (uint32_t)sim_min(c->bytes, call_network_link_waiting(m, device->self, DMA_DEVICE_PORT_LINK));
  call_network_link_take(m, device->self, DMA_DEVICE_PORT_LINK);
}

/* The next channel: the same for a burst, then round robin. DEVICE_NONE if none has work. */
static uint32_t device_pick(sim *m, struct dma_device *device) {
  struct dma_device_now *now = device_now(m, device);
  uint64_t ready = 0;
  for (uint32_t i = 0; i < DEVICE_CHANNELS; i++)
    ready |= (uint64_t)device_can_move(m, device, device_channel(m, device, i)) << i;
  if (!ready) return DEVICE_NONE;
  struct dma_device_channels *current = device_channel(m, device, now->channel % DEVICE_CHANNELS);
  int busy = (int)(ready >> now->channel % DEVICE_CHANNELS & 1);
  if (busy && (device->params->order == DMA_DEVICE_ORDER_SEQUENCE || current->turn < device->params->burst))
    return now->channel;
  current->turn = 0;
  uint32_t pick = device->params->order == DMA_DEVICE_ORDER_ANY
                      ? sim_choose(m, SIM_CHOOSE_DEVICE, (uint32_t)__builtin_popcountll(ready))
                      : 0;
  uint32_t first = device->params->order == DMA_DEVICE_ORDER_ANY ? 0 : now->channel + 1;
  for (uint32_t k = 0;; k++) {
    uint32_t i = (first + k) % DEVICE_CHANNELS;
    if (ready >> i & 1 && pick-- == 0) return i;
  }
}

/* Begins the program's next row. Returns 0 at the end of the program. */
static int device_row_step(sim *m, struct dma_device *device) {
  struct dma_device_now *now = device_now(m, device);
  while (now->row < device->state->rows) {
    device_row *r = (device_row *)sim_at(m, device->state->rows_at) + now->row;
    uint64_t size = r->do_ == DMA_DEVICE_OP_READ || r->do_ == DMA_DEVICE_OP_WRITE ? r->bytes : 4;
    if (r->do_ == DMA_DEVICE_OP_END) return 0;
    if (now->row_done < size) {
      static const uint8_t kinds[] = {[DMA_DEVICE_OP_READ] = HSC_KIND_READ,
          [DMA_DEVICE_OP_WRITE] = HSC_KIND_WRITE,
          [DMA_DEVICE_OP_SEMAPHORE] = HSC_KIND_SEMAPHORE,
          [DMA_DEVICE_OP_LOCKED] = HSC_KIND_READ_LOCKED,
          [DMA_DEVICE_OP_INTERRUPT] = HSC_KIND_INTERRUPT};
      if (r->do_ == DMA_DEVICE_OP_PAUSE) {
        now->row_done = 4;
        device_show(m, device, DMA_DEVICE_STATE_PAUSE);
        device_step_after(m, device, r->time);
      } else {
        device_request(m, device, device->state->locked ? HSC_KIND_WRITE_UNLOCK : kinds[r->do_],
            r->at + now->row_done, size - now->row_done);
      }
      return 1;
    }
    now->row_done = 0;
    device->counters->transfers += r->do_ != DMA_DEVICE_OP_PAUSE;
    if (++now->repeats >= r->count) now->row++, now->repeats = 0;
  }
  return 0;
}

static void device_step(sim *m, struct dma_device *device) {
  struct dma_device_now *now = device_now(m, device);
  if (now->state == DMA_DEVICE_STATE_SEND || now->state == DMA_DEVICE_STATE_WAIT) return;
  if (now->raise) {
    device_request(m, device, HSC_KIND_INTERRUPT, device->params->interrupt, 4);
    return;
  }
  if (device_row_step(m, device)) {
    now->channel |= 0x80;
    return;
  }
  now->channel &= 0x7f;
  uint32_t channel = device_pick(m, device);
  if (channel == DEVICE_NONE) {
    device_show(m, device, DMA_DEVICE_STATE_IDLE);
    return;
  }
  struct dma_device_channels *c = device_channel(m, device, channel);
  now->channel = channel;
  device_begin_frame(m, device, c);
  device_request(m, device, c->command == DMA_DEVICE_COMMAND_OUT ? HSC_KIND_READ : HSC_KIND_WRITE,
      c->addr + c->done, c->bytes - c->done);
}

/* A channel is done; its interrupt, if any, follows the data. */
static void device_channel_done(sim *m, struct dma_device *device, struct dma_device_channels *c) {
  struct dma_device_now *now = device_now(m, device);
  device->counters->transfers++;
  sim_trace(m, device->self, DMA_DEVICE_EV_FINISHED, c->addr, c->bytes, now->channel);
  if (c->command == DMA_DEVICE_COMMAND_OUT && device_on_link(m, device))
    call_network_link_send(
        m, device->self, DMA_DEVICE_PORT_LINK, &(struct network_link_send){.bytes = c->done});
  c->command = c->turn = c->done = 0;
  c->status = 1;
  now->raise += c->interrupts;
}

/* The current transaction is complete. */
static void device_moved(sim *m, struct dma_device *device) {
  struct dma_device_now *now = device_now(m, device);
  uint32_t kind = now->kind, bytes = now->moving;
  now->state = DMA_DEVICE_STATE_PAUSE;
  if (kind == HSC_KIND_INTERRUPT) {
    device->counters->interrupts++;
    if (now->raise) {
      now->raise--;
      device_step_after(m, device, 0);
      return;
    }
  } else if (kind == HSC_KIND_WRITE || kind == HSC_KIND_WRITE_UNLOCK) {
    device->counters->writes++;
    device->counters->bytes_written += bytes;
  } else {
    device->counters->reads++;
    device->counters->bytes_read += bytes;
  }
  if (kind == HSC_KIND_READ_LOCKED) {
    device->state->locked = 1;
  } else if (now->channel & 0x80) {
    device->state->locked = 0;
    now->row_done += bytes;
  } else {
    struct dma_device_channels *c = device_channel(m, device, now->channel);
    c->done += bytes;
    c->turn += bytes;
    if (c->done >= c->bytes) device_channel_done(m, device, c);
  }
  device_step_after(m, device, device->params->pace);
}

static uint32_t dma_device_hsc_register(sim *m, struct dma_device *device, struct hsc_register *q) {
  uint32_t index = (uint32_t)q->offset / CHANNEL_BYTES;
  if (index >= DEVICE_CHANNELS) return UINT32_MAX;
  struct dma_device_channels *c = device_channel(m, device, index);
  if (q->read) return c->status;
  switch (q->offset % CHANNEL_BYTES) {
    case CHANNEL_REG_ADDRESS:
      c->addr = q->value;
      c->status = 0; /* a poll before the command must not see the last transfer's completion */
      break;
    case CHANNEL_REG_SIZE: c->bytes = q->value; break;
    case CHANNEL_REG_COMMAND:
      c->command = q->value & (CHANNEL_OUT | CHANNEL_IN);
      c->interrupts = (q->value & CHANNEL_INTERRUPTS) != 0;
      c->done = c->turn = c->status = 0;
      sim_trace(m, device->self, DMA_DEVICE_EV_STARTED, c->addr, c->bytes, index);
      device_step_after(m, device, 0);
      break;
  }
  return 0;
}

static uint32_t dma_device_hsc_grant(sim *m, struct dma_device *device, struct hsc_grant *q) {
  struct dma_device_now *now = device_now(m, device);
  if (now->state != DMA_DEVICE_STATE_SEND && now->state != DMA_DEVICE_STATE_WAIT) return 0;
  q->address = now->addr;
  q->bytes = now->moving;
  q->kind = now->kind;
  if (now->kind != HSC_KIND_WRITE && now->kind != HSC_KIND_WRITE_UNLOCK) return 1;
  for (uint32_t half = 0; half < 2; half++) {
    uint64_t at = (now->addr & ~31ull) + half * 16;
    if (at + 16 > now->addr && at < now->addr + now->moving) q->halves[half] = sim_new_write(m);
  }
  sim_trace(m, device->self, DMA_DEVICE_EV_WRITE, now->addr, now->moving,
      q->halves[0] ? q->halves[0] : q->halves[1]);
  return 1;
}

static void dma_device_hsc_sent(sim *m, struct dma_device *device, struct hsc_sent *q) {
  (void)q;
  device_moved(m, device);
}

static void dma_device_hsc_data(sim *m, struct dma_device *device, struct hsc_data *q) {
  struct dma_device_received *received = sim_at(m, device->state->received_at);
  received[0].write = q->halves[0];
  received[1].write = q->halves[1];
  if (q->bytes == 0) {
    device->counters->errors++;
    sim_trace(m, device->self, DMA_DEVICE_EV_ERROR, device_now(m, device)->addr, 0, 0);
  } else {
    sim_trace(m, device->self, DMA_DEVICE_EV_READ, device_now(m, device)->addr, q->halves[0], q->halves[1]);
  }
  device_moved(m, device);
}

static void dma_device_link_changed(sim *m, struct dma_device *device) {
  const struct dma_device_now *now = device_now(m, device);
  if (now->state == DMA_DEVICE_STATE_IDLE) device_step_after(m, device, 0);
}

static void dma_device_self(sim *m, struct dma_device *device, const sim_msg *msg) {
  (void)msg;
  device->state->stepping = 0;
  device_step(m, device);
}

static int dma_device_load(sim *m, uint32_t self) {
  struct dma_device_state *s = sim_state_alloc(m, self, sizeof *s);
  void *channels =
      sim_view(m, self, DMA_DEVICE_VIEW_CHANNELS, DEVICE_CHANNELS, sizeof(struct dma_device_channels));
  void *now = sim_view(m, self, DMA_DEVICE_VIEW_NOW, 1, sizeof(struct dma_device_now));
  void *received = sim_view(m, self, DMA_DEVICE_VIEW_RECEIVED, 2, sizeof(struct dma_device_received));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  struct sim_table *table = sim_table(m, self, DMA_DEVICE_TABLE_PROGRAM);
  for (uint32_t i = 0; i < table->rows; i++) {
    device_row *r = (device_row *)sim_at(m, table->at) + i;
    if (r->do_ > DMA_DEVICE_OP_INTERRUPT || r->bytes == 0 || r->bytes > 1u << 24 || r->bytes % 4 || r->at % 4)
      return sim_refuse(m, SIM_BAD_ROW, self, i);
  }
  *s = (struct dma_device_state){.channels_at = sim_offset(m, channels),
      .now_at = sim_offset(m, now),
      .received_at = sim_offset(m, received),
      .rows_at = table->at,
      .rows = table->rows};
  if (table->rows) device_step_after(m, SIM_CONTEXT(m, self, dma_device), 0);
  return SIM_OK;
}
