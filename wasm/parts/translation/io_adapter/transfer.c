/* Execution of a request with a known address: reads, prefetch, fast writes, merges, locks. */
#include "parts/translation/io_adapter/io_adapter.h"

static void adapter_begin(sim *m, uint32_t self);

/* Tells the bus whether there is room for register accesses. */
static void adapter_signal_flow_control(sim *m, uint32_t self) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  uint32_t full = adapter_now(m, s)->returning + s->arriving >= ADAPTER_RETURNS_FULL;
  if (s->full == full) return;
  s->full = full;
  call_runway_flow_control(m, self, IO_ADAPTER_PORT_BUS, &(struct runway_flow_control){.on = full});
}

static void adapter_return(sim *m, uint32_t self, struct io_adapter_returns entry) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  uint32_t n = adapter_now(m, s)->returning + s->arriving++;
  if (n >= ADAPTER_RETURNS) __builtin_trap();
  entry.cause = m->cause;
  ((struct io_adapter_returns *)sim_at(m, s->returns_at))[n] = entry;
  sim_schedule(m, self, SIM_PARAMS(m, self, io_adapter)->crossing, SIM_PHASE_ANSWER, ADAPTER_RETURN);
  adapter_signal_flow_control(m, self);
}

/* A request is complete: values that waited only for it can be returned. */
static void adapter_release_line(sim *m, uint32_t self) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  for (uint32_t i = 0; i < s->reads; i++) {
    if (!s->read[i].behind || --s->read[i].behind) continue;
    s->answers++;
    adapter_translate_request(m, self);
  }
}

/* Completes the oldest request; the next can begin. */
static void adapter_finish(sim *m, uint32_t self) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  s->meant = 0;
  struct io_adapter_now *now = adapter_now(m, s);
  struct io_adapter_requests *r = adapter_requests(m, s);
  now->waiting--;
  for (uint32_t i = 0; i < now->waiting; i++) r[i] = r[i + 1];
  r[now->waiting] = (struct io_adapter_requests){0};
  adapter_release_line(m, self);
  adapter_state(m, self, IO_ADAPTER_STATE_IDLE);
  call_hsc_adapter_request(m, self, IO_ADAPTER_PORT_HSC, &(struct hsc_adapter_request){.returns = 0});
  adapter_begin(m, self);
}

/* No translation: an I/O fault. A read returns without data, a write is dropped. */
static void adapter_refuse(sim *m, uint32_t self) {
  struct io_adapter_requests r = *adapter_requests(m, SIM_STATE(m, self, io_adapter));
  SIM_COUNTERS(m, self, io_adapter)->faults++;
  sim_trace(m, self, IO_ADAPTER_EV_FAULT, r.addr, r.slot, 0);
  if (r.kind == HSC_KIND_READ || r.kind == HSC_KIND_SEMAPHORE || r.kind == HSC_KIND_READ_LOCKED) adapter_return(m, self, (struct io_adapter_returns){r.slot, 3, r.bytes, 0, 0, 0, r.addr, 0});
  adapter_finish(m, self);
}

static void adapter_hold(sim *m, uint32_t self, uint32_t slot) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  if (s->locked || !call_runway_lock_memory(m, self, IO_ADAPTER_PORT_BUS, &(struct runway_lock_memory){.on = 1})) return;
  s->locked = slot + 1;
  s->held_since = m->time;
  sim_trace(m, self, IO_ADAPTER_EV_HOLDS, 0, slot, 0);
}

static void adapter_release(sim *m, uint32_t self) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  if (!s->locked) return;
  sim_trace(m, self, IO_ADAPTER_EV_RELEASES, 0, s->locked - 1, 0);
  s->locked = 0;
  SIM_COUNTERS(m, self, io_adapter)->held_time += m->time - s->held_since;
  call_runway_lock_memory(m, self, IO_ADAPTER_PORT_BUS, &(struct runway_lock_memory){.on = 0});
}

/* The request has completed its memory access: a page's lock ends here, a locked pair's at its write. */
static void adapter_end(sim *m, uint32_t self) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  uint32_t kind = adapter_requests(m, s)->kind;
  int early = adapter_fault(m, self) == IO_ADAPTER_FAULT_LOCK_RELEASED;
  if (kind != HSC_KIND_READ_LOCKED || early) adapter_release(m, self);
  adapter_finish(m, self);
}

/* The memory address of the request. */
static uint64_t adapter_intended_address(sim *m, struct io_adapter_state *s) { return s->meant ? s->meant : adapter_now(m, s)->physical; }

/* Compares the data for a device with the newest of its intended address. */
static void adapter_check(sim *m, uint32_t self, const struct io_adapter_requests *r, const uint32_t *halves) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  uint64_t addr = adapter_intended_address(m, s), line = addr & ~(uint64_t)(RUNWAY_LINE - 1);
  uint32_t newest[LINE_HALVES], stale = 0, old = 0;
  struct shadow_newest_write look = {.address = addr, .halves = newest};
  if (!call_shadow_newest_write(m, self, IO_ADAPTER_PORT_BUS, &look)) return;
  for (uint32_t half = 0; half < LINE_HALVES; half++) {
    uint64_t at = line + half * HALF_BYTES;
    if (at + HALF_BYTES <= addr || at >= addr + r->bytes || halves[half] == newest[half]) continue;
    stale |= 1u << half;
    old = half;
    SIM_COUNTERS(m, self, io_adapter)->stale_reads++;
    sim_broken(m, self, SIM_CURRENT_DEVICE, at);
    sim_trace(m, self, IO_ADAPTER_EV_STALE, at, halves[half], newest[half]);
  }
  if (stale == 0 || stale == 3 || r->bytes != RUNWAY_LINE) return;
  SIM_COUNTERS(m, self, io_adapter)->torn_reads++;
  sim_trace(m, self, IO_ADAPTER_EV_TORN, line + old * HALF_BYTES, halves[old], newest[old]);
}

/* A device that has read a part of a line will request the rest: like a prefetched line it is kept without
   coherence. */
static void adapter_keep_rest(sim *m, struct io_adapter_state *s, const struct io_adapter_requests *r, const uint32_t *halves) {
  uint64_t next = r->addr + r->bytes;
  int part = r->kind == HSC_KIND_READ && next % RUNWAY_LINE && adapter_now(m, s)->attributes & IO_PAGE_PREFETCH;
  s->rest[r->slot] = part ? (struct io_adapter_rest){1, halves[0], halves[1], 0, next} : (struct io_adapter_rest){0};
}

/* Fetches the next line of the page for this device, without coherence. It follows from the device's read, not from what came for it. */
static void adapter_prefetch_next(sim *m, uint32_t self, uint32_t slot, uint64_t addr, uint32_t cause) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_now *now = adapter_now(m, s);
  struct io_adapter_prefetch *buffer = adapter_prefetch(m, s, slot);
  uint64_t next = (now->physical & ~(uint64_t)(RUNWAY_LINE - 1)) + RUNWAY_LINE;
  if (!(now->attributes & IO_PAGE_PREFETCH) || buffer->state == 2 || buffer->state == 4) return;
  if (buffer->state && buffer->physical == next) return; /* a part of the previous line was read */
  if (next % ADAPTER_PAGE == 0 && adapter_fault(m, self) != IO_ADAPTER_FAULT_PREFETCH_CROSSES) return;
  SIM_COUNTERS(m, self, io_adapter)->prefetch_wasted += buffer->state != 0; /* it arrived while another line was read */
  adapter_free_buffer(m, self, slot, 0);
  *buffer = (struct io_adapter_prefetch){1, 0, 0, now->index, (addr & ~(uint64_t)(RUNWAY_LINE - 1)) + RUNWAY_LINE, next, 0, 0};
  SIM_COUNTERS(m, self, io_adapter)->prefetches++;
  m->cause = cause;
  sim_trace(m, self, IO_ADAPTER_EV_PREFETCH, next, slot, 0);
  buffer->cause = m->cause;
  adapter_translate_request(m, self);
}

/* The head request's line has arrived: it goes to the device. */
static void adapter_return_data(sim *m, uint32_t self, const uint32_t *halves) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_requests r = *adapter_requests(m, s);
  adapter_check(m, self, &r, halves);
  SIM_COUNTERS(m, self, io_adapter)->bytes_out += r.bytes;
  adapter_return(m, self, (struct io_adapter_returns){r.slot, 0, r.bytes, halves[0], halves[1], 0, r.addr, adapter_intended_address(m, s)});
  adapter_keep_rest(m, s, &r, halves);
  if (r.kind == HSC_KIND_READ) adapter_prefetch_next(m, self, r.slot, r.addr, r.cause);
  adapter_end(m, self);
}

/* The read is for the rest of a line that is present. */
static int adapter_return_rest(sim *m, uint32_t self, uint32_t slot) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  const struct io_adapter_requests *r = adapter_requests(m, s);
  struct io_adapter_rest rest = s->rest[slot];
  if (!rest.kept || rest.addr != r->addr || r->kind != HSC_KIND_READ) return 0;
  SIM_COUNTERS(m, self, io_adapter)->part_hits++;
  adapter_return_data(m, self, (const uint32_t[]){rest.half_0, rest.half_1});
  return 1;
}

/* A read: from the prefetch buffer, or from a prefetch in flight when it arrives, or from the bus. */
static void adapter_start_read(sim *m, uint32_t self, uint32_t slot) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_counters *c = SIM_COUNTERS(m, self, io_adapter);
  struct io_adapter_prefetch *buffer = adapter_prefetch(m, s, slot);
  uint64_t wanted = adapter_requests(m, s)->addr & ~(uint64_t)(RUNWAY_LINE - 1);
  int ours = adapter_requests(m, s)->kind == HSC_KIND_READ && buffer->state && buffer->state < 4 && buffer->addr == wanted; /* a locked read uses memory */
  c->reads++;
  adapter_state(m, self, s->locked ? IO_ADAPTER_STATE_HOLD : IO_ADAPTER_STATE_READ);
  if (adapter_return_rest(m, self, slot)) return;
  if (ours && buffer->state == 3) {
    uint32_t halves[LINE_HALVES] = {buffer->half_0, buffer->half_1};
    c->prefetch_hits++;
    adapter_free_buffer(m, self, slot, 1);
    adapter_return_data(m, self, halves);
  }
  if (ours) return; /* a line in flight is delivered when it arrives */
  if (buffer->state == 3 || buffer->state == 1) {
    c->prefetch_wasted++;
    adapter_free_buffer(m, self, slot, 0);
  }
  s->want = adapter_snoops(m, self) ? RUNWAY_TYPE_READ_SHARED : RUNWAY_TYPE_READ_NONCOHERENT;
  s->want_cause = m->cause;
  adapter_translate_request(m, self);
}

/* A write of a whole line, or of half a line that needs no merge. */
static void adapter_start_write(sim *m, uint32_t self, const struct io_adapter_requests *r) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  int coherent = adapter_snoops(m, self);
  SIM_COUNTERS(m, self, io_adapter)->fast_writes++;
  SIM_COUNTERS(m, self, io_adapter)->bytes_in += r->bytes;
  adapter_state(m, self, s->locked ? IO_ADAPTER_STATE_HOLD : IO_ADAPTER_STATE_WRITE);
  s->want = !coherent ? RUNWAY_TYPE_WRITE_NONCOHERENT : r->bytes == RUNWAY_LINE ? RUNWAY_TYPE_WRITE32 : RUNWAY_TYPE_WRITE16_PURGE;
  s->want_half_0 = r->half_0;
  s->want_half_1 = r->half_1;
  s->want_cause = m->cause;
  adapter_translate_request(m, self);
}

/* Smaller than a unit of memory, or next to data to keep: the line is read privately first. */
static void adapter_start_merge(sim *m, uint32_t self, const struct io_adapter_requests *r) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  SIM_COUNTERS(m, self, io_adapter)->merges++;
  if (r->kind != HSC_KIND_SEMAPHORE) SIM_COUNTERS(m, self, io_adapter)->bytes_in += r->bytes;
  adapter_state(m, self, s->locked ? IO_ADAPTER_STATE_HOLD : IO_ADAPTER_STATE_MERGE);
  *adapter_line(m, s) = (struct io_adapter_line){IO_ADAPTER_LINE_WANTED, 0, 0, 0, adapter_now(m, s)->physical & ~(uint64_t)(RUNWAY_LINE - 1)};
  s->want_cause = m->cause;
  adapter_translate_request(m, self);
}

static void adapter_transfer(sim *m, uint32_t self) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  const struct io_adapter_requests *r = adapter_requests(m, s);
  uint32_t attributes = adapter_now(m, s)->attributes;
  int coherent = adapter_snoops(m, self);
  if (r->kind == HSC_KIND_READ_LOCKED || attributes & IO_PAGE_LOCK) adapter_hold(m, self, r->slot);
  if (r->kind == HSC_KIND_READ || r->kind == HSC_KIND_READ_LOCKED) adapter_start_read(m, self, r->slot);
  else if (!coherent || r->bytes == RUNWAY_LINE || (r->bytes == HALF_BYTES && !(attributes & IO_PAGE_SAFE))) adapter_start_write(m, self, r);
  else adapter_start_merge(m, self, r);
}

/* The line has arrived with ownership: merges the device's bytes. Each part becomes the newest write. */
static void adapter_merge(sim *m, uint32_t self, const uint32_t *halves) {
  struct io_adapter_state *s = SIM_STATE(m, self, io_adapter);
  struct io_adapter_line *line = adapter_line(m, s);
  struct io_adapter_requests r = *adapter_requests(m, s);
  uint64_t physical = adapter_now(m, s)->physical;
  uint32_t merged[LINE_HALVES] = {halves[0], halves[1]}, half = physical / HALF_BYTES & 1;
  if (r.kind == HSC_KIND_SEMAPHORE) adapter_check(m, self, &r, halves);
  struct shadow_store store = {.address = physical, .half = half, .device = half ? r.half_1 : r.half_0, .meant = s->meant};
  uint32_t write = call_shadow_store(m, self, IO_ADAPTER_PORT_BUS, &store);
  merged[adapter_fault(m, self) == IO_ADAPTER_FAULT_WRONG_HALF ? 1 - half : half] = write;
  line->half_0 = merged[0];
  line->half_1 = merged[1];
  line->state = IO_ADAPTER_LINE_HELD;
  sim_trace(m, self, IO_ADAPTER_EV_MERGED, physical, write, 0);
  s->want_cause = m->cause;
  if (r.kind == HSC_KIND_SEMAPHORE) adapter_return(m, self, (struct io_adapter_returns){r.slot, 0, r.bytes, halves[0], halves[1], 0, r.addr, adapter_intended_address(m, s)});
  adapter_translate_request(m, self);
}
