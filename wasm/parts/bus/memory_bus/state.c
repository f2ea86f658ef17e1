/* The bus's state for exploration (core/state_codec.h). A request is one step there, however many accesses it
 * has. */
#include "core/state_codec.h"

static uint32_t memory_bus_enabled(sim *m, struct memory_bus *bus, const sim_msg *msg) {
  (void)m;
  (void)bus;
  (void)msg;
  return SIM_ENABLED;
}

static void memory_bus_serialize(sim *m, struct memory_bus *bus, struct sim_codec *k) {
  struct memory_bus_now *now = memory_bus_now_of(m, bus);
  uint32_t *small[] = {&now->state, &now->master, &now->last, &now->accesses};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  for (uint32_t i = 0; i < MEMORY_BUS_MASTERS; i++) {
    memory_bus_row *row = memory_bus_row_of(m, bus, i);
    if (!sim_wired(m, bus->self, MEMORY_BUS_PORT_MASTER + i)) continue;
    sim_codec_u8(k, &row->wants);
    if (!row->wants) continue;
    uint32_t *own[] = {&row->left, &row->access, &row->gone};
    for (uint32_t n = 0; n < sizeof own / sizeof *own; n++) sim_codec_u8(k, own[n]);
    sim_codec_u32(k, &row->write);
    sim_codec_addr(k, &row->address);
    sim_codec_addr(k, &row->first);
  }
  if (k->reading && now->state) bus->state->timer = sim_pending_write_class(m, bus->self, MEMORY_BUS_END);
}
