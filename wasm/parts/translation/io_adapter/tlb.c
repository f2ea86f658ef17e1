/* Translation: the TLB, the page directory behind it, and the commands that purge it. */
#include "parts/translation/io_adapter/io_adapter.h"

/* Look-ups and misses are counted by slot: each list of counters has one for each slot, in order. */
#define SLOTS_IN_ORDER(list, name, slot)                                                                     \
  _Static_assert(                                                                                            \
      offsetof(struct io_adapter_counters, name) - offsetof(struct io_adapter_counters, list) == 8 * (slot), \
      "by slot")
SLOTS_IN_ORDER(slot_lookups_0, slot_lookups_1, 1);
SLOTS_IN_ORDER(slot_lookups_0, slot_lookups_2, 2);
SLOTS_IN_ORDER(slot_lookups_0, slot_lookups_3, 3);
SLOTS_IN_ORDER(slot_lookups_0, slot_lookups_4, 4);
SLOTS_IN_ORDER(slot_lookups_0, slot_lookups_5, 5);
SLOTS_IN_ORDER(slot_lookups_0, slot_lookups_6, 6);
SLOTS_IN_ORDER(slot_lookups_0, slot_lookups_7, 7);
SLOTS_IN_ORDER(slot_misses_0, slot_misses_1, 1);
SLOTS_IN_ORDER(slot_misses_0, slot_misses_2, 2);
SLOTS_IN_ORDER(slot_misses_0, slot_misses_3, 3);
SLOTS_IN_ORDER(slot_misses_0, slot_misses_4, 4);
SLOTS_IN_ORDER(slot_misses_0, slot_misses_5, 5);
SLOTS_IN_ORDER(slot_misses_0, slot_misses_6, 6);
SLOTS_IN_ORDER(slot_misses_0, slot_misses_7, 7);
#undef SLOTS_IN_ORDER

static uint32_t adapter_chain(struct io_adapter *adapter, uint64_t addr) {
  return (uint32_t)(addr >> adapter->params->chain_shift & (adapter->params->rows - 1));
}

/* The page number without the chain ID: the tag. */
static uint32_t adapter_block(struct io_adapter *adapter, uint64_t addr) {
  uint32_t low = (uint32_t)(adapter->params->chain_shift - 12),
           chain = (uint32_t)__builtin_ctzll(adapter->params->rows);
  uint64_t page = addr / ADAPTER_PAGE;
  return (uint32_t)(page >> (low + chain) << low | (page & ((1ull << low) - 1)));
}

static uint32_t adapter_fault(struct io_adapter *adapter) { return (uint32_t)adapter->params->fault; }

static void adapter_state(sim *m, struct io_adapter *adapter, uint32_t state) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  if (now->state == state) return;
  now->state = state;
  const struct io_adapter_requests *r = adapter_requests(m, adapter);
  sim_trace(
      m, adapter->self, IO_ADAPTER_EV_STATE, now->waiting ? r->addr : 0, state, now->waiting ? r->slot : 0);
}

static void adapter_translate_request(sim *m, struct io_adapter *adapter) {
  call_runway_request(m, adapter->self, IO_ADAPTER_PORT_BUS);
}

static void adapter_load_row(
    sim *m, struct io_adapter *adapter, uint64_t addr, uint64_t entry, uint32_t written) {
  uint32_t chain = adapter_chain(adapter, addr);
  struct io_adapter_tlb *row = adapter_tlb(m, adapter, chain);
  row->before = row->block;
  row->valid = 1;
  row->written = written;
  row->block = adapter_block(adapter, addr);
  row->attributes = (uint32_t)entry & 0x7f;
  row->index = (uint32_t)io_page_index(entry);
  row->page = io_page_page(entry);
  row->device = adapter_requests(m, adapter)->slot;
}

/* The head request waits for a prefetched line that was dropped: it is read now. */
static void adapter_retry_read(sim *m, struct io_adapter *adapter, uint32_t slot) {
  const struct io_adapter_now *now = adapter_now(m, adapter);
  const struct io_adapter_requests *r = adapter_requests(m, adapter);
  int waits = (now->state == IO_ADAPTER_STATE_READ || now->state == IO_ADAPTER_STATE_HOLD)
              && adapter->state->want == 0 && !adapter->state->asked && r->slot == slot
              && r->kind == HSC_KIND_READ;
  if (!waits || adapter_prefetch(m, adapter, slot)->state != 0) return;
  adapter->state->want = RUNWAY_TYPE_READ_SHARED;
  adapter->state->want_cause = r->cause;
  adapter_translate_request(m, adapter);
}

/* A prefetch buffer becomes free; that its line is gone is shown, but not what later events follow from. */
static void adapter_free_buffer(sim *m, struct io_adapter *adapter, uint32_t slot, uint32_t used) {
  struct io_adapter_prefetch *buffer = adapter_prefetch(m, adapter, slot);
  if (buffer->state == 3) {
    uint32_t cause = m->cause;
    sim_trace(m, adapter->self, IO_ADAPTER_EV_DROPPED, buffer->physical, used, slot);
    m->cause = cause;
  }
  *buffer = (struct io_adapter_prefetch){0};
}

/* Drops prefetched lines of the page at an I/O address, or all lines ever prefetched for it. */
static void adapter_drop_prefetch(sim *m, struct io_adapter *adapter, uint64_t addr) {
  if (adapter_fault(adapter) == IO_ADAPTER_FAULT_PREFETCH_SURVIVES) return;
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++) {
    struct io_adapter_prefetch *buffer = adapter_prefetch(m, adapter, slot);
    if (adapter_chain(adapter, adapter->state->rest[slot].addr) == adapter_chain(adapter, addr))
      adapter->state->rest[slot] = (struct io_adapter_rest){0};
    if (buffer->state == 0 || adapter_chain(adapter, buffer->addr) != adapter_chain(adapter, addr)) continue;
    adapter->counters->prefetch_wasted++;
    if (buffer->state == 2 || buffer->state == 4) buffer->state = 4; /* in flight: dropped when it arrives */
    else adapter_free_buffer(m, adapter, slot, 0);
    adapter_retry_read(m, adapter, slot);
  }
}

/* A store to the command register. A purge empties the row if it holds this page; a direct write copies the
   two entry registers to the row, whatever it holds. They are zero unless software has changed them. */
static void adapter_command(sim *m, struct io_adapter *adapter, uint32_t value) {
  uint32_t command = value & (ADAPTER_PAGE - 1);
  uint64_t addr = value & ~(ADAPTER_PAGE - 1);
  if (command != IO_ADAPTER_COMMAND_PURGE && command != IO_ADAPTER_COMMAND_WRITE) return;
  struct io_adapter_tlb *row = adapter_tlb(m, adapter, adapter_chain(adapter, addr));
  if (command == IO_ADAPTER_COMMAND_PURGE && row->block != adapter_block(adapter, addr)) return;
  if (command == IO_ADAPTER_COMMAND_WRITE && adapter->state->entry_value & IO_PAGE_VALID) {
    adapter_load_row(m, adapter, addr, adapter->state->entry_value, 1);
    sim_trace(m, adapter->self, IO_ADAPTER_EV_WRITTEN, addr, adapter_chain(adapter, addr), row->block);
    return;
  }
  row->valid = 0;
  if (adapter_now(m, adapter)->chain == adapter_chain(adapter, addr)
      && adapter_fault(adapter) != IO_ADAPTER_FAULT_PREFETCH_SURVIVES)
    adapter_now(m, adapter)->attributes &= ~IO_PAGE_PREFETCH;
  adapter_drop_prefetch(m, adapter, addr);
  sim_trace(m, adapter->self, IO_ADAPTER_EV_PURGED, addr, adapter_chain(adapter, addr), 0);
}

static void adapter_refuse(sim *m, struct io_adapter *adapter);
static void adapter_transfer(sim *m, struct io_adapter *adapter);

/* Translates the head request's address by this row. */
static void adapter_translated(sim *m, struct io_adapter *adapter, const struct io_adapter_tlb *row) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  uint64_t addr = adapter_requests(m, adapter)->addr;
  now->physical = row->page * ADAPTER_PAGE | (addr & (ADAPTER_PAGE - 1));
  now->index =
      adapter->params->index == IO_ADAPTER_INDEX_DIRECTORY ? row->index : (uint32_t)row->page & 0xfff;
  now->attributes = row->attributes;
  adapter_transfer(m, adapter);
}

/* The address of the directory entry for the head request's page. */
static uint64_t adapter_entry_addr(sim *m, struct io_adapter *adapter) {
  return adapter->params->directory + adapter_requests(m, adapter)->addr / ADAPTER_PAGE * 8;
}

/* The current directory entry for the head request's page. */
static uint64_t adapter_entry(sim *m, struct io_adapter *adapter) {
  struct shadow_value entry = {.address = adapter_entry_addr(m, adapter)};
  call_shadow_value(m, adapter->self, IO_ADAPTER_PORT_BUS, &entry);
  return entry.value;
}

/* Uses a translation that the directory no longer has: visible to an observer, not to the hardware. */
static void adapter_prefetch_outlived_mapping(
    sim *m, struct io_adapter *adapter, const struct io_adapter_tlb *row, uint64_t addr) {
  uint64_t entry = adapter_entry(m, adapter);
  int gone = !(entry & IO_PAGE_VALID);
  if (row->written || (!gone && io_page_page(entry) == row->page)) return;
  adapter->counters->stale_translations++;
  adapter->counters->stale_wrong += !gone;
  if (!gone) {
    adapter->state->meant = io_page_page(entry) * ADAPTER_PAGE | (addr & (ADAPTER_PAGE - 1));
    sim_broken(m, adapter->self, SIM_OWN_PAGE, addr);
  }
  sim_trace(m, adapter->self, gone ? IO_ADAPTER_EV_GONE : IO_ADAPTER_EV_ASTRAY, addr, (uint32_t)row->page,
      (uint32_t)io_page_page(entry));
}

static void adapter_tlb_lookup(sim *m, struct io_adapter *adapter) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  uint64_t addr = adapter_requests(m, adapter)->addr;
  if (addr / ADAPTER_PAGE >> adapter->params->page_bits) {
    adapter_refuse(m, adapter);
    return;
  }
  now->chain = adapter_chain(adapter, addr);
  now->block = adapter_block(adapter, addr);
  struct io_adapter_tlb *row = adapter_tlb(m, adapter, now->chain);
  uint32_t slot = adapter_requests(m, adapter)->slot;
  adapter->counters->lookups++;
  (&adapter->counters->slot_lookups_0)[slot]++;
  row->lookups++;
  if (row->valid && row->block == now->block) {
    sim_trace(m, adapter->self, IO_ADAPTER_EV_HIT, addr, now->chain, now->block);
    adapter_prefetch_outlived_mapping(m, adapter, row, addr);
    adapter_translated(m, adapter, row);
    return;
  }
  adapter->counters->misses++;
  (&adapter->counters->slot_misses_0)[slot]++;
  adapter->counters->thrashes += row->valid;
  row->misses++;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_MISS, addr, now->chain, row->valid ? row->block : UINT32_MAX);
  adapter_state(m, adapter, IO_ADAPTER_STATE_FETCH);
  adapter->state->want = RUNWAY_TYPE_READ_SHARED;
  adapter->state->want_cause = m->cause;
  adapter_translate_request(m, adapter);
}

/* The entry has arrived from memory. */
static void adapter_fetched(sim *m, struct io_adapter *adapter) {
  uint64_t addr = adapter_requests(m, adapter)->addr;
  uint64_t entry = adapter_entry(m, adapter);
  if (!(entry & IO_PAGE_VALID)) {
    adapter_refuse(m, adapter);
    return;
  }
  adapter_load_row(m, adapter, addr, entry, 0);
  sim_trace(m, adapter->self, IO_ADAPTER_EV_LOADED, addr, adapter_now(m, adapter)->chain,
      adapter_now(m, adapter)->block);
  adapter_translated(m, adapter, adapter_tlb(m, adapter, adapter_chain(adapter, addr)));
}
