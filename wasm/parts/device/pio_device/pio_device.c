/*
 * A device without DMA.
 *
 *   registers: a read of +0 takes a character out of the FIFO, a read of +4 gives the number of those that
 * wait; every other read gives 0. A store to any address is a word for the device: a pixel of a frame buffer,
 * a character to send.
 */
#include "core/engine.h"
#include "gen/protocols.h"

#define PIO_DATA 0u
#define PIO_STATUS 4u

struct pio_device_state {
  uint32_t now_at;
  uint32_t spare;
};

static struct pio_device_now *pio_now(sim *m, struct pio_device *device) {
  return sim_at(m, device->state->now_at);
}

static void pio_show(sim *m, struct pio_device *device) {
  struct pio_device_now *now = pio_now(m, device);
  uint32_t state = now->held == 0                     ? PIO_DEVICE_STATE_EMPTY
                   : now->held < device->params->fifo ? PIO_DEVICE_STATE_WAITING
                                                      : PIO_DEVICE_STATE_FULL;
  if (now->state == state) return;
  now->state = state;
  sim_trace(m, device->self, PIO_DEVICE_EV_STATE, 0, state, 0);
}

/* A character arrives. The device interrupts with the one that makes them enough. */
static void pio_device_self(sim *m, struct pio_device *device, const sim_msg *msg) {
  (void)msg;
  struct pio_device_now *now = pio_now(m, device);
  device->counters->received++;
  now->number++;
  if (now->held == device->params->fifo) {
    device->counters->lost++;
    sim_trace(m, device->self, PIO_DEVICE_EV_LOST, now->number, 0, 0);
  } else {
    now->held++;
    sim_trace(m, device->self, PIO_DEVICE_EV_RECEIVED, now->number, now->held, 0);
    if (now->held == device->params->trigger) {
      now->raise++;
      call_hsc_request(m, device->self, PIO_DEVICE_PORT_HSC);
    }
    pio_show(m, device);
  }
  if (now->number < device->params->characters)
    sim_schedule(m, device->self, device->params->interval, SIM_PHASE_REQUEST, 0);
}

static uint32_t pio_device_hsc_register(sim *m, struct pio_device *device, struct hsc_register *q) {
  struct pio_device_now *now = pio_now(m, device);
  if (!q->read) {
    device->counters->stores++;
    sim_trace_often(m, device->self, PIO_DEVICE_EV_STORED, q->offset, 0, 0);
    return 0;
  }
  if (q->offset == PIO_STATUS) return now->held;
  if (q->offset != PIO_DATA || now->held == 0) return 0;
  now->held--;
  device->counters->taken++;
  sim_trace(m, device->self, PIO_DEVICE_EV_TAKEN, 0, now->held, 0);
  pio_show(m, device);
  return (uint32_t)device->counters->taken; /* stands for the character */
}

static uint32_t pio_device_hsc_grant(sim *m, struct pio_device *device, struct hsc_grant *q) {
  if (pio_now(m, device)->raise == 0) return 0;
  q->address = device->params->interrupt;
  q->bytes = 4;
  q->kind = HSC_KIND_INTERRUPT;
  return 1;
}

static void pio_device_hsc_sent(sim *m, struct pio_device *device, struct hsc_sent *q) {
  (void)q;
  device->counters->interrupts++;
  if (--pio_now(m, device)->raise) call_hsc_request(m, device->self, PIO_DEVICE_PORT_HSC);
}

/* It reads no memory, so no data comes. */
static void pio_device_hsc_data(sim *m, struct pio_device *device, struct hsc_data *q) {
  (void)m, (void)device, (void)q;
}

static int pio_device_load(sim *m, uint32_t self) {
  const struct pio_device_params *q = SIM_PARAMS(m, self, pio_device);
  struct pio_device_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, PIO_DEVICE_VIEW_NOW, 1, sizeof(struct pio_device_now));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  if (q->characters) sim_schedule(m, self, q->interval, SIM_PHASE_REQUEST, 0);
  return SIM_OK;
}
