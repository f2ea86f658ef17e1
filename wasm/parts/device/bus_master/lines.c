/* Moving memory line by line, through a unit that performs each access. */
#include "core/engine.h"

/* Whether a translation page or the transfer begins here: page counters count once per page. */
static int bus_master_begins(sim *m, struct bus_master *card, uint64_t address) {
  return address == bus_master_view(m, card)->address || address % card->params->page == 0;
}

/* Skips lines that it cannot address. */
static void bus_master_pass_over(sim *m, struct bus_master *card) {
  struct bus_master_now *now = bus_master_view(m, card);
  for (; now->sent < now->bytes && now->address + now->sent > card->params->reach;
      now->sent += RUNWAY_LINE, now->done += RUNWAY_LINE) {
    uint64_t address = now->address + now->sent;
    if (!bus_master_begins(m, card, address)) continue;
    card->counters->beyond++;
    sim_trace(m, card->self, BUS_MASTER_EV_BEYOND, address, 0, 0);
  }
}

/* Sends the next line if it is due and there is room; completes the transfer after the last one. */
static void bus_master_send(sim *m, struct bus_master *card) {
  struct bus_master_now *now = bus_master_view(m, card);
  uint32_t halves[LINE_HALVES] = {0, 0};
  if (card->state->due) bus_master_pass_over(m, card);
  if (now->done == now->bytes) {
    card->counters->busy += m->time - card->state->since;
    bus_master_end(m, card);
  }
  if (!card->state->due || now->sent == now->bytes || now->under_way == card->params->ahead) return;
  if (now->write) halves[0] = sim_new_write(m), halves[1] = sim_new_write(m);
  struct dma_access line = {.address = now->address + now->sent, .write = now->write, .halves = halves};
  if (!call_dma_access(m, card->self, BUS_MASTER_PORT_DMA, &line)) return;
  card->state->due = 0;
  now->under_way++;
  now->sent += RUNWAY_LINE;
  if (now->sent < now->bytes)
    sim_schedule(m, card->self, RUNWAY_LINE * 1000000000000ull / card->params->rate, SIM_PHASE_REQUEST,
        BUS_MASTER_LINE);
}

/* A line is done (1: through a stale translation) or was blocked (2). */
static void bus_master_dma_done(sim *m, struct bus_master *card, const struct dma_done *q) {
  struct bus_master_now *now = bus_master_view(m, card);
  int stopped = q->outcome == 2, stale = q->outcome == 1;
  now->under_way--;
  now->done += RUNWAY_LINE;
  if (!stopped) card->counters->bytes += RUNWAY_LINE;
  if (bus_master_begins(m, card, q->address)) {
    card->counters->stopped += (uint64_t)stopped;
    card->counters->stale += (uint64_t)stale;
    sim_trace(m, card->self,
        stopped ? BUS_MASTER_EV_STOPPED
        : stale ? BUS_MASTER_EV_WRONG
                : BUS_MASTER_EV_PAGE,
        q->address, q->page, 0);
  }
  bus_master_send(m, card);
}
