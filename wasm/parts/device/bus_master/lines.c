/* Moving memory line by line, through a unit that performs each access. */
#include "core/engine.h"

/* Whether a translation page or the transfer begins here: page counters count once per page. */
static int bus_master_begins(sim *m, uint32_t self, uint64_t address) {
  return address == bus_master_view(m, self)->address || address % SIM_PARAMS(m, self, bus_master)->page == 0;
}

/* Skips lines that it cannot address. */
static void bus_master_pass_over(sim *m, uint32_t self) {
  struct bus_master_now *now = bus_master_view(m, self);
  for (; now->sent < now->bytes && now->address + now->sent > SIM_PARAMS(m, self, bus_master)->reach; now->sent += RUNWAY_LINE, now->done += RUNWAY_LINE) {
    uint64_t address = now->address + now->sent;
    if (!bus_master_begins(m, self, address)) continue;
    SIM_COUNTERS(m, self, bus_master)->beyond++;
    sim_trace(m, self, BUS_MASTER_EV_BEYOND, address, 0, 0);
  }
}

/* Sends the next line if it is due and there is room; completes the transfer after the last one. */
static void bus_master_send(sim *m, uint32_t self) {
  struct bus_master_state *s = SIM_STATE(m, self, bus_master);
  const struct bus_master_params *q = SIM_PARAMS(m, self, bus_master);
  struct bus_master_now *now = bus_master_view(m, self);
  uint32_t halves[LINE_HALVES] = {0, 0};
  if (s->due) bus_master_pass_over(m, self);
  if (now->done == now->bytes) {
    SIM_COUNTERS(m, self, bus_master)->busy += m->time - s->since;
    bus_master_end(m, self);
  }
  if (!s->due || now->sent == now->bytes || now->under_way == q->ahead) return;
  if (now->write) halves[0] = sim_new_write(m), halves[1] = sim_new_write(m);
  struct dma_access line = {.address = now->address + now->sent, .write = now->write, .halves = halves};
  if (!call_dma_access(m, self, BUS_MASTER_PORT_DMA, &line)) return;
  s->due = 0;
  now->under_way++;
  now->sent += RUNWAY_LINE;
  if (now->sent < now->bytes) sim_schedule(m, self, RUNWAY_LINE * 1000000000000ull / q->rate, SIM_PHASE_REQUEST, BUS_MASTER_LINE);
}

/* A line is done (1: through a stale translation) or was blocked (2). */
static void bus_master_dma_done(sim *m, uint32_t self, const struct dma_done *q) {
  struct bus_master_counters *c = SIM_COUNTERS(m, self, bus_master);
  struct bus_master_now *now = bus_master_view(m, self);
  int stopped = q->outcome == 2, stale = q->outcome == 1;
  now->under_way--;
  now->done += RUNWAY_LINE;
  if (!stopped) c->bytes += RUNWAY_LINE;
  if (bus_master_begins(m, self, q->address)) {
    c->stopped += (uint64_t)stopped;
    c->stale += (uint64_t)stale;
    sim_trace(m, self, stopped ? BUS_MASTER_EV_STOPPED : stale ? BUS_MASTER_EV_WRONG : BUS_MASTER_EV_PAGE, q->address, q->page, 0);
  }
  bus_master_send(m, self);
}
