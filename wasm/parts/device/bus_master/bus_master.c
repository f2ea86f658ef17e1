/*
 * A device that masters its own transfers.
 *
 *   command --start--> page, page, page ... --> interrupt
 *                       | each: can I drive this address? what does the IOMMU make of it?
 *
 * A page that it cannot address, or may not access, is counted and skipped: the transfer continues.
 *
 * Behind a unit that performs its accesses it moves line by line, each when its rate allows it, with several
 * in flight: lines that hit continue while one waits for its translation.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "iommu.h"
#include "runway.h"

enum bus_master_self { BUS_MASTER_PAGE = 1, BUS_MASTER_LINE };

struct bus_master_state {
  uint64_t since;
  uint32_t now_at;
  uint32_t moving;
  uint32_t due;     /* the next line can go */
  uint32_t reached; /* bytes of the current page, 0 if it is skipped */
};

static struct bus_master_now *bus_master_view(sim *m, struct bus_master *card) {
  return sim_at(m, card->state->now_at);
}

/* The number of bytes up to the end of the current page. */
static uint64_t bus_master_piece(sim *m, struct bus_master *card) {
  const struct bus_master_now *now = bus_master_view(m, card);
  uint64_t page = card->params->page;
  return sim_min(now->bytes - now->done, page - (now->address + now->done) % page);
}

static uint64_t bus_master_time(sim *m, struct bus_master *card) {
  return bus_master_piece(m, card) * 1000000000000ull / card->params->rate;
}

/* Moves data: a new write per grain, or a read. */
static void bus_master_move(
    sim *m, struct bus_master *card, const struct iommu_translate *to, uint32_t write) {
  uint32_t bytes = (uint32_t)bus_master_piece(m, card);
  if (!sim_wired(m, card->self, BUS_MASTER_PORT_MEMORY)) return;
  if (to->stale)
    call_memory_misdirected(m, card->self, BUS_MASTER_PORT_MEMORY,
        &(struct memory_misdirected){
            .address = to->physical, .bytes = bytes, .write = write, .meant = iommu_intended_address(to)});
  else
    call_memory_software_access(m, card->self, BUS_MASTER_PORT_MEMORY,
        &(struct memory_software_access){.address = to->physical, .bytes = bytes, .store = write});
}

/* Translates a page, and records the result. */
static void bus_master_reach(sim *m, struct bus_master *card) {
  const struct bus_master_now *now = bus_master_view(m, card);
  uint64_t address = now->address + now->done;
  struct iommu_translate access = {.address = address, .write = now->write};
  card->state->reached = 0;
  if (address > card->params->reach) {
    card->counters->beyond++;
    sim_trace(m, card->self, BUS_MASTER_EV_BEYOND, address, 0, 0);
  } else if (sim_wired(m, card->self, BUS_MASTER_PORT_IOMMU)
             && !call_iommu_translate(m, card->self, BUS_MASTER_PORT_IOMMU, &access)) {
    card->counters->stopped++;
    sim_trace(m, card->self, BUS_MASTER_EV_STOPPED, address, 0, 0);
  } else {
    card->state->reached = (uint32_t)bus_master_piece(m, card);
    card->counters->stale += access.stale;
    sim_trace(m, card->self, access.stale ? BUS_MASTER_EV_WRONG : BUS_MASTER_EV_PAGE, address,
        (uint32_t)(access.physical / card->params->page), 0);
    bus_master_move(m, card, &access, now->write);
  }
}

static void bus_master_end(sim *m, struct bus_master *card) {
  card->state->moving = 0;
  card->counters->transfers++;
  sim_trace(m, card->self, BUS_MASTER_EV_DONE, 0, (uint32_t)bus_master_view(m, card)->bytes, 0);
  if (sim_wired(m, card->self, BUS_MASTER_PORT_IRQ))
    send_irq_raise(m, card->self, BUS_MASTER_PORT_IRQ, 0, SIM_PHASE_REQUEST, (struct irq_raise){0});
}

#include "parts/device/bus_master/lines.c"

static void bus_master_self(sim *m, struct bus_master *card, const sim_msg *msg) {
  if (msg->kind == BUS_MASTER_LINE) {
    card->state->due = 1;
    bus_master_send(m, card);
    return;
  }
  struct bus_master_now *now = bus_master_view(m, card);
  if (msg->x) { /* the previous page is done */
    card->counters->bytes += card->state->reached;
    card->counters->busy += bus_master_time(m, card);
    now->done += bus_master_piece(m, card);
  }
  if (now->done < now->bytes) {
    bus_master_reach(m, card);
    sim_schedule_for(m, card->self, bus_master_time(m, card), SIM_PHASE_REQUEST, BUS_MASTER_PAGE, 1);
    return;
  }
  bus_master_end(m, card);
}

/* Accepts a command; rejects it while busy and, for a device that moves lines, if it is not of whole lines.
 */
static uint32_t bus_master_driver_start(sim *m, struct bus_master *card, struct doorbell_start *q) {
  int lines = sim_wired(m, card->self, BUS_MASTER_PORT_DMA),
      ragged = lines && (q->address | q->bytes) % RUNWAY_LINE;
  if (ragged) sim_trace(m, card->self, BUS_MASTER_EV_RAGGED, q->address, (uint32_t)q->bytes, 0);
  if (card->state->moving || ragged) return 0;
  card->state->moving = 1;
  card->state->due = 0;
  card->state->since = m->time + card->params->start_time;
  *bus_master_view(m, card) =
      (struct bus_master_now){.address = q->address, .bytes = q->bytes, .write = q->write};
  sim_trace(m, card->self, BUS_MASTER_EV_START, q->address, (uint32_t)q->bytes, q->write);
  sim_schedule(
      m, card->self, card->params->start_time, SIM_PHASE_REQUEST, lines ? BUS_MASTER_LINE : BUS_MASTER_PAGE);
  return 1;
}

static int bus_master_load(sim *m, uint32_t self) {
  struct bus_master_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, BUS_MASTER_VIEW_NOW, 1, sizeof(struct bus_master_now));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  return SIM_OK;
}
