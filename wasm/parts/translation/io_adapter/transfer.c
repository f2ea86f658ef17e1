/* Execution of a request with a known address: reads, prefetch, fast writes, merges, locks. */
#include "parts/translation/io_adapter/io_adapter.h"

static void adapter_begin(sim *m, struct io_adapter *adapter);

/* Tells the bus whether there is room for register accesses. */
static void adapter_signal_flow_control(sim *m, struct io_adapter *adapter) {
  uint32_t full = adapter_now(m, adapter)->returning + adapter->state->arriving >= ADAPTER_RETURNS_FULL;
  if (adapter->state->full == full) return;
  adapter->state->full = full;
  call_runway_flow_control(m, adapter->self, IO_ADAPTER_PORT_BUS, &(struct runway_flow_control){.on = full});
}

static void adapter_return(sim *m, struct io_adapter *adapter, struct io_adapter_returns entry) {
  uint32_t n = adapter_now(m, adapter)->returning + adapter->state->arriving++;
  if (n >= ADAPTER_RETURNS) __builtin_trap();
  entry.cause = m->cause;
  ((struct io_adapter_returns *)sim_at(m, adapter->state->returns_at))[n] = entry;
  sim_schedule(m, adapter->self, adapter->params->crossing, SIM_PHASE_ANSWER, ADAPTER_RETURN);
  adapter_signal_flow_control(m, adapter);
}

/* A request is complete: values that waited only for it can be returned. */
static void adapter_release_line(sim *m, struct io_adapter *adapter) {
  for (uint32_t i = 0; i < adapter->state->reads; i++) {
    if (!adapter->state->read[i].behind || --adapter->state->read[i].behind) continue;
    adapter->state->answers++;
    adapter_translate_request(m, adapter);
  }
}

/* Completes the oldest request; the next can begin. */
static void adapter_finish(sim *m, struct io_adapter *adapter) {
  adapter->state->meant = 0;
  struct io_adapter_now *now = adapter_now(m, adapter);
  struct io_adapter_requests *r = adapter_requests(m, adapter);
  now->waiting--;
  for (uint32_t i = 0; i < now->waiting; i++) r[i] = r[i + 1];
  r[now->waiting] = (struct io_adapter_requests){0};
  adapter_release_line(m, adapter);
  adapter_state(m, adapter, IO_ADAPTER_STATE_IDLE);
  call_hsc_adapter_request(
      m, adapter->self, IO_ADAPTER_PORT_HSC, &(struct hsc_adapter_request){.returns = 0});
  adapter_begin(m, adapter);
}

/* No translation: an I/O fault. A read returns without data, a write is dropped. */
static void adapter_refuse(sim *m, struct io_adapter *adapter) {
  struct io_adapter_requests r = *adapter_requests(m, adapter);
  adapter->counters->faults++;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_FAULT, r.addr, r.slot, 0);
  if (r.kind == HSC_KIND_READ || r.kind == HSC_KIND_SEMAPHORE || r.kind == HSC_KIND_READ_LOCKED)
    adapter_return(m, adapter, (struct io_adapter_returns){r.slot, 3, r.bytes, 0, 0, 0, r.addr, 0});
  adapter_finish(m, adapter);
}

static void adapter_hold(sim *m, struct io_adapter *adapter, uint32_t slot) {
  if (adapter->state->locked
      || !call_runway_lock_memory(
          m, adapter->self, IO_ADAPTER_PORT_BUS, &(struct runway_lock_memory){.on = 1}))
    return;
  adapter->state->locked = slot + 1;
  adapter->state->held_since = m->time;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_HOLDS, 0, slot, 0);
}

static void adapter_release(sim *m, struct io_adapter *adapter) {
  if (!adapter->state->locked) return;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_RELEASES, 0, adapter->state->locked - 1, 0);
  adapter->state->locked = 0;
  adapter->counters->held_time += m->time - adapter->state->held_since;
  call_runway_lock_memory(m, adapter->self, IO_ADAPTER_PORT_BUS, &(struct runway_lock_memory){.on = 0});
}

/* The request has completed its memory access: a page's lock ends here, a locked pair's at its write. */
static void adapter_end(sim *m, struct io_adapter *adapter) {
  uint32_t kind = adapter_requests(m, adapter)->kind;
  int early = adapter_fault(adapter) == IO_ADAPTER_FAULT_LOCK_RELEASED;
  if (kind != HSC_KIND_READ_LOCKED || early) adapter_release(m, adapter);
  adapter_finish(m, adapter);
}

/* The memory address of the request. */
static uint64_t adapter_intended_address(sim *m, struct io_adapter *adapter) {
  return adapter->state->meant ? adapter->state->meant : adapter_now(m, adapter)->physical;
}

/* Compares the data for a device with the newest of its intended address. */
static void adapter_check(
    sim *m, struct io_adapter *adapter, const struct io_adapter_requests *r, const uint32_t *halves) {
  uint64_t addr = adapter_intended_address(m, adapter), line = addr & ~(uint64_t)(RUNWAY_LINE - 1);
  uint32_t newest[LINE_HALVES], stale = 0, old = 0;
  struct shadow_newest_write look = {.address = addr, .halves = newest};
  if (!call_shadow_newest_write(m, adapter->self, IO_ADAPTER_PORT_BUS, &look)) return;
  for (uint32_t half = 0; half < LINE_HALVES; half++) {
    uint64_t at = line + half * HALF_BYTES;
    if (at + HALF_BYTES <= addr || at >= addr + r->bytes || halves[half] == newest[half]) continue;
    stale |= 1u << half;
    old = half;
    adapter->counters->stale_reads++;
    sim_broken(m, adapter->self, SIM_CURRENT_DEVICE, at);
    sim_trace(m, adapter->self, IO_ADAPTER_EV_STALE, at, halves[half], newest[half]);
  }
  if (stale == 0 || stale == 3 || r->bytes != RUNWAY_LINE) return;
  adapter->counters->torn_reads++;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_TORN, line + old * HALF_BYTES, halves[old], newest[old]);
}

/* A device that has read a part of a line will request the rest: like a prefetched line it is kept without
   coherence. */
static void adapter_keep_rest(
    sim *m, struct io_adapter *adapter, const struct io_adapter_requests *r, const uint32_t *halves) {
  uint64_t next = r->addr + r->bytes;
  int part = r->kind == HSC_KIND_READ && next % RUNWAY_LINE
             && adapter_now(m, adapter)->attributes & IO_PAGE_PREFETCH;
  adapter->state->rest[r->slot] =
      part ? (struct io_adapter_rest){1, halves[0], halves[1], 0, next} : (struct io_adapter_rest){0};
}

/* Fetches the next line of the page for this device, without coherence. It follows from the device's read,
 * not from what came for it. */
static void adapter_prefetch_next(
    sim *m, struct io_adapter *adapter, uint32_t slot, uint64_t addr, uint32_t cause) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  struct io_adapter_prefetch *buffer = adapter_prefetch(m, adapter, slot);
  uint64_t next = (now->physical & ~(uint64_t)(RUNWAY_LINE - 1)) + RUNWAY_LINE;
  if (!(now->attributes & IO_PAGE_PREFETCH) || buffer->state == 2 || buffer->state == 4) return;
  if (buffer->state && buffer->physical == next) return; /* a part of the previous line was read */
  if (next % ADAPTER_PAGE == 0 && adapter_fault(adapter) != IO_ADAPTER_FAULT_PREFETCH_CROSSES) return;
  adapter->counters->prefetch_wasted += buffer->state != 0; /* it arrived while another line was read */
  adapter_free_buffer(m, adapter, slot, 0);
  *buffer = (struct io_adapter_prefetch){
      1, 0, 0, now->index, (addr & ~(uint64_t)(RUNWAY_LINE - 1)) + RUNWAY_LINE, next, 0, 0};
  adapter->counters->prefetches++;
  m->cause = cause;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_PREFETCH, next, slot, 0);
  buffer->cause = m->cause;
  adapter_translate_request(m, adapter);
}

/* The head request's line has arrived: it goes to the device. */
static void adapter_return_data(sim *m, struct io_adapter *adapter, const uint32_t *halves) {
  struct io_adapter_requests r = *adapter_requests(m, adapter);
  adapter_check(m, adapter, &r, halves);
  adapter->counters->bytes_out += r.bytes;
  adapter_return(m, adapter,
      (struct io_adapter_returns){
          r.slot, 0, r.bytes, halves[0], halves[1], 0, r.addr, adapter_intended_address(m, adapter)});
  adapter_keep_rest(m, adapter, &r, halves);
  if (r.kind == HSC_KIND_READ) adapter_prefetch_next(m, adapter, r.slot, r.addr, r.cause);
  adapter_end(m, adapter);
}

/* The read is for the rest of a line that is present. */
static int adapter_return_rest(sim *m, struct io_adapter *adapter, uint32_t slot) {
  const struct io_adapter_requests *r = adapter_requests(m, adapter);
  struct io_adapter_rest rest = adapter->state->rest[slot];
  if (!rest.kept || rest.addr != r->addr || r->kind != HSC_KIND_READ) return 0;
  adapter->counters->part_hits++;
  adapter_return_data(m, adapter, (const uint32_t[]){rest.half_0, rest.half_1});
  return 1;
}

/* A read: from the prefetch buffer, or from a prefetch in flight when it arrives, or from the bus. */
static void adapter_start_read(sim *m, struct io_adapter *adapter, uint32_t slot) {
  struct io_adapter_prefetch *buffer = adapter_prefetch(m, adapter, slot);
  uint64_t wanted = adapter_requests(m, adapter)->addr & ~(uint64_t)(RUNWAY_LINE - 1);
  int ours = adapter_requests(m, adapter)->kind == HSC_KIND_READ && buffer->state && buffer->state < 4
             && buffer->addr == wanted; /* a locked read uses memory */
  adapter->counters->reads++;
  adapter_state(m, adapter, adapter->state->locked ? IO_ADAPTER_STATE_HOLD : IO_ADAPTER_STATE_READ);
  if (adapter_return_rest(m, adapter, slot)) return;
  if (ours && buffer->state == 3) {
    uint32_t halves[LINE_HALVES] = {buffer->half_0, buffer->half_1};
    adapter->counters->prefetch_hits++;
    adapter_free_buffer(m, adapter, slot, 1);
    adapter_return_data(m, adapter, halves);
  }
  if (ours) return; /* a line in flight is delivered when it arrives */
  if (buffer->state == 3 || buffer->state == 1) {
    adapter->counters->prefetch_wasted++;
    adapter_free_buffer(m, adapter, slot, 0);
  }
  adapter->state->want = adapter_snoops(adapter) ? RUNWAY_TYPE_READ_SHARED : RUNWAY_TYPE_READ_NONCOHERENT;
  adapter->state->want_cause = m->cause;
  adapter_translate_request(m, adapter);
}

/* A write of a whole line, or of half a line that needs no merge. */
static void adapter_start_write(sim *m, struct io_adapter *adapter, const struct io_adapter_requests *r) {
  int coherent = adapter_snoops(adapter);
  adapter->counters->fast_writes++;
  adapter->counters->bytes_in += r->bytes;
  adapter_state(m, adapter, adapter->state->locked ? IO_ADAPTER_STATE_HOLD : IO_ADAPTER_STATE_WRITE);
  adapter->state->want = !coherent                 ? RUNWAY_TYPE_WRITE_NONCOHERENT
                         : r->bytes == RUNWAY_LINE ? RUNWAY_TYPE_WRITE32
                                                   : RUNWAY_TYPE_WRITE16_PURGE;
  adapter->state->want_half_0 = r->half_0;
  adapter->state->want_half_1 = r->half_1;
  adapter->state->want_cause = m->cause;
  adapter_translate_request(m, adapter);
}

/* Smaller than a unit of memory, or next to data to keep: the line is read privately first. */
static void adapter_start_merge(sim *m, struct io_adapter *adapter, const struct io_adapter_requests *r) {
  adapter->counters->merges++;
  if (r->kind != HSC_KIND_SEMAPHORE) adapter->counters->bytes_in += r->bytes;
  adapter_state(m, adapter, adapter->state->locked ? IO_ADAPTER_STATE_HOLD : IO_ADAPTER_STATE_MERGE);
  *adapter_line(m, adapter) = (struct io_adapter_line){
      IO_ADAPTER_LINE_WANTED, 0, 0, 0, adapter_now(m, adapter)->physical & ~(uint64_t)(RUNWAY_LINE - 1)};
  adapter->state->want_cause = m->cause;
  adapter_translate_request(m, adapter);
}

static void adapter_transfer(sim *m, struct io_adapter *adapter) {
  const struct io_adapter_requests *r = adapter_requests(m, adapter);
  uint32_t attributes = adapter_now(m, adapter)->attributes;
  int coherent = adapter_snoops(adapter);
  if (r->kind == HSC_KIND_READ_LOCKED || attributes & IO_PAGE_LOCK) adapter_hold(m, adapter, r->slot);
  if (r->kind == HSC_KIND_READ || r->kind == HSC_KIND_READ_LOCKED) adapter_start_read(m, adapter, r->slot);
  else if (!coherent || r->bytes == RUNWAY_LINE || (r->bytes == HALF_BYTES && !(attributes & IO_PAGE_SAFE)))
    adapter_start_write(m, adapter, r);
  else adapter_start_merge(m, adapter, r);
}

/* The line has arrived with ownership: merges the device's bytes. Each part becomes the newest write. */
static void adapter_merge(sim *m, struct io_adapter *adapter, const uint32_t *halves) {
  struct io_adapter_line *line = adapter_line(m, adapter);
  struct io_adapter_requests r = *adapter_requests(m, adapter);
  uint64_t physical = adapter_now(m, adapter)->physical;
  uint32_t merged[LINE_HALVES] = {halves[0], halves[1]}, half = physical / HALF_BYTES & 1;
  if (r.kind == HSC_KIND_SEMAPHORE) adapter_check(m, adapter, &r, halves);
  struct shadow_store store = {.address = physical,
      .half = half,
      .device = half ? r.half_1 : r.half_0,
      .meant = adapter->state->meant};
  uint32_t write = call_shadow_store(m, adapter->self, IO_ADAPTER_PORT_BUS, &store);
  merged[adapter_fault(adapter) == IO_ADAPTER_FAULT_WRONG_HALF ? 1 - half : half] = write;
  line->half_0 = merged[0];
  line->half_1 = merged[1];
  line->state = IO_ADAPTER_LINE_HELD;
  sim_trace(m, adapter->self, IO_ADAPTER_EV_MERGED, physical, write, 0);
  adapter->state->want_cause = m->cause;
  if (r.kind == HSC_KIND_SEMAPHORE)
    adapter_return(m, adapter,
        (struct io_adapter_returns){
            r.slot, 0, r.bytes, halves[0], halves[1], 0, r.addr, adapter_intended_address(m, adapter)});
  adapter_translate_request(m, adapter);
}
