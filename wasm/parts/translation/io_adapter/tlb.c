/* Translation: the TLB, the page directory behind it, and the commands that purge it. */
#include "parts/translation/io_adapter/io_adapter.h"

static uint32_t adapter_chain(sim *m, uint32_t self, uint64_t addr) {
  const struct io_adapter_params *q = SIM_PARAMS(m, self, io_adapter);
  return (uint32_t)(addr >> q->chain_shift & (q->rows - 1));
}

/* The page number without the chain ID: the tag. */
static uint32_t adapter_block(sim *m, uint32_t self, uint64_t addr) {
  const struct io_adapter_params *q = SIM_PARAMS(m, self, io_adapter);
  uint32_t low = (uint32_t)(q->chain_shift - 12), chain = (uint32_t)__builtin_ctzll(q->rows);
  uint64_t page = addr / ADAPTER_PAGE;
  return (uint32_t)(page >> (low + chain) << low | (page & ((1ull << low) - 1)));
}

static uint32_t adapter_fault(sim *m, uint32_t self) { return (uint32_t)SIM_PARAMS(m, self, io_adapter)->fault; }

static void adapter_state(sim *m, uint32_t self, uint32_t state) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  if (now->state == state) return;
  now->state = state;
  const struct io_adapter_requests *r = adapter_requests(m, s);
  sim_trace(m, self, IO_ADAPTER_EV_STATE, now->waiting ? r->addr : 0, state, now->waiting ? r->slot : 0);
}

static void adapter_translate_request(sim *m, uint32_t self) { call_runway_request(m, self, IO_ADAPTER_PORT_BUS); }

static void adapter_load_row(sim *m, uint32_t self, uint64_t addr, uint64_t entry, uint32_t written) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  uint32_t chain = adapter_chain(m, self, addr);
  struct io_adapter_tlb *row = adapter_tlb(m, s, chain);
  row->before = row->block;
  row->valid = 1;
  row->written = written;
  row->block = adapter_block(m, self, addr);
  row->attributes = (uint32_t)entry & 0x7f;
  row->index = (uint32_t)io_page_index(entry);
  row->page = io_page_page(entry);
  row->device = adapter_requests(m, s)->slot;
}

/* The head request waits for a prefetched line that was dropped: it is read now. */
static void adapter_retry_read(sim *m, uint32_t self, uint32_t slot) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  const struct io_adapter_now *now = adapter_now(m, s);
  const struct io_adapter_requests *r = adapter_requests(m, s);
  int waits = (now->state == IO_ADAPTER_STATE_READ || now->state == IO_ADAPTER_STATE_HOLD) && s->want == 0 && !s->asked && r->slot == slot && r->kind == HSC_KIND_READ;
  if (!waits || adapter_prefetch(m, s, slot)->state != 0) return;
  s->want = RUNWAY_TYPE_READ_SHARED;
  s->want_cause = r->cause;
  adapter_translate_request(m, self);
}

/* A prefetch buffer becomes free; that its line is gone is shown, but not what later events follow from. */
static void adapter_free_buffer(sim *m, uint32_t self, uint32_t slot, uint32_t used) {
  struct io_adapter_prefetch *buffer = adapter_prefetch(m, SIM_STATE(m, self, io_adapter), slot);
  if (buffer->state == 3) {
    uint32_t cause = m->cause;
    sim_trace(m, self, IO_ADAPTER_EV_DROPPED, buffer->physical, used, slot);
    m->cause = cause;
  }
  *buffer = (struct io_adapter_prefetch){0};
}

/* Drops prefetched lines of the page at an I/O address, or all lines ever prefetched for it. */
static void adapter_drop_prefetch(sim *m, uint32_t self, uint64_t addr) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  if (adapter_fault(m, self) == IO_ADAPTER_FAULT_PREFETCH_SURVIVES) return;
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++) {
    struct io_adapter_prefetch *buffer = adapter_prefetch(m, s, slot);
    if (adapter_chain(m, self, s->rest[slot].addr) == adapter_chain(m, self, addr)) s->rest[slot] = (struct io_adapter_rest){0};
    if (buffer->state == 0 || adapter_chain(m, self, buffer->addr) != adapter_chain(m, self, addr)) continue;
    SIM_COUNTERS(m, self, io_adapter)->prefetch_wasted++;
    if (buffer->state == 2 || buffer->state == 4) buffer->state = 4; /* in flight: dropped when it arrives */
    else adapter_free_buffer(m, self, slot, 0);
    adapter_retry_read(m, self, slot);
  }
}

/* A store to the command register. A purge empties the row if it holds this page; a direct write copies the two
   entry registers to the row, whatever it holds. They are zero unless software has changed them. */
static void adapter_command(sim *m, uint32_t self, uint32_t value) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  uint32_t command = value & (ADAPTER_PAGE - 1);
  uint64_t addr = value & ~(ADAPTER_PAGE - 1);
  if (command != IO_ADAPTER_COMMAND_PURGE && command != IO_ADAPTER_COMMAND_WRITE) return;
  struct io_adapter_tlb *row = adapter_tlb(m, s, adapter_chain(m, self, addr));
  if (command == IO_ADAPTER_COMMAND_PURGE && row->block != adapter_block(m, self, addr)) return;
  if (command == IO_ADAPTER_COMMAND_WRITE && s->entry_value & IO_PAGE_VALID) {
    adapter_load_row(m, self, addr, s->entry_value, 1);
    sim_trace(m, self, IO_ADAPTER_EV_WRITTEN, addr, adapter_chain(m, self, addr), row->block);
    return;
  }
  row->valid = 0;
  if (adapter_now(m, s)->chain == adapter_chain(m, self, addr) && adapter_fault(m, self) != IO_ADAPTER_FAULT_PREFETCH_SURVIVES) adapter_now(m, s)->attributes &= ~IO_PAGE_PREFETCH;
  adapter_drop_prefetch(m, self, addr);
  sim_trace(m, self, IO_ADAPTER_EV_PURGED, addr, adapter_chain(m, self, addr), 0);
}

static void adapter_refuse(sim *m, uint32_t self);
static void adapter_transfer(sim *m, uint32_t self);

/* Translates the head request's address by this row. */
static void adapter_translated(sim *m, uint32_t self, const struct io_adapter_tlb *row) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  uint64_t addr = adapter_requests(m, s)->addr;
  now->physical = row->page * ADAPTER_PAGE | (addr & (ADAPTER_PAGE - 1));
  now->index = SIM_PARAMS(m, self, io_adapter)->index == IO_ADAPTER_INDEX_DIRECTORY ? row->index : (uint32_t)row->page & 0xfff;
  now->attributes = row->attributes;
  adapter_transfer(m, self);
}

/* The address of the directory entry for the head request's page. */
static uint64_t adapter_entry_addr(sim *m, uint32_t self) {
  return SIM_PARAMS(m, self, io_adapter)->directory + adapter_requests(m, SIM_STATE(m, self, io_adapter))->addr / ADAPTER_PAGE * 8;
}

/* The current directory entry for the head request's page. */
static uint64_t adapter_entry(sim *m, uint32_t self) {
  struct shadow_value entry = {.address = adapter_entry_addr(m, self)};
  call_shadow_value(m, self, IO_ADAPTER_PORT_BUS, &entry);
  return entry.value;
}

/* Uses a translation that the directory no longer has: visible to an observer, not to the hardware. */
static void adapter_prefetch_outlived_mapping(sim *m, uint32_t self, const struct io_adapter_tlb *row, uint64_t addr) {
  struct io_adapter_counters *c = SIM_COUNTERS(m, self, io_adapter);
  uint64_t entry = adapter_entry(m, self);
  int gone = !(entry & IO_PAGE_VALID);
  if (row->written || (!gone && io_page_page(entry) == row->page)) return;
  c->stale_translations++;
  c->stale_wrong += !gone;
  if (!gone) {
    SIM_STATE(m, self, io_adapter)->meant = io_page_page(entry) * ADAPTER_PAGE | (addr & (ADAPTER_PAGE - 1));
    sim_broken(m, self, SIM_OWN_PAGE, addr);
  }
  sim_trace(m, self, gone ? IO_ADAPTER_EV_GONE : IO_ADAPTER_EV_ASTRAY, addr, (uint32_t)row->page, (uint32_t)io_page_page(entry));
}

static void adapter_tlb_lookup(sim *m, uint32_t self) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_counters *c = SIM_COUNTERS(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  uint64_t addr = adapter_requests(m, s)->addr;
  if (addr / ADAPTER_PAGE >> SIM_PARAMS(m, self, io_adapter)->page_bits) {
    adapter_refuse(m, self);
    return;
  }
  now->chain = adapter_chain(m, self, addr);
  now->block = adapter_block(m, self, addr);
  struct io_adapter_tlb *row = adapter_tlb(m, s, now->chain);
  uint32_t slot = adapter_requests(m, s)->slot;
  c->lookups++;
  (&c->slot_lookups_0)[slot]++;
  row->lookups++;
  if (row->valid && row->block == now->block) {
    sim_trace(m, self, IO_ADAPTER_EV_HIT, addr, now->chain, now->block);
    adapter_prefetch_outlived_mapping(m, self, row, addr);
    adapter_translated(m, self, row);
    return;
  }
  c->misses++;
  (&c->slot_misses_0)[slot]++;
  c->thrashes += row->valid;
  row->misses++;
  sim_trace(m, self, IO_ADAPTER_EV_MISS, addr, now->chain, row->valid ? row->block : UINT32_MAX);
  adapter_state(m, self, IO_ADAPTER_STATE_FETCH);
  s->want = RUNWAY_TYPE_READ_SHARED;
  s->want_cause = m->cause;
  adapter_translate_request(m, self);
}

/* The entry has arrived from memory. */
static void adapter_fetched(sim *m, uint32_t self) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  uint64_t addr = adapter_requests(m, s)->addr;
  uint64_t entry = adapter_entry(m, self);
  if (!(entry & IO_PAGE_VALID)) {
    adapter_refuse(m, self);
    return;
  }
  adapter_load_row(m, self, addr, entry, 0);
  sim_trace(m, self, IO_ADAPTER_EV_LOADED, addr, adapter_now(m, s)->chain, adapter_now(m, s)->block);
  adapter_translated(m, self, adapter_tlb(m, s, adapter_chain(m, self, addr)));
}
