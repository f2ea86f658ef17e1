/* The bus side: granted tenures, snoops of others' transactions, arriving data. */
#include "parts/cache/snoop_cache/snoop_cache.h"

/* What another agent's coherent transaction is to this cache. Each type of the protocol needs a line. */
#define SNOOPED_READ_SHARED SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_READ_SHARED
#define SNOOPED_READ_PRIVATE SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_READ_PRIVATE
#define SNOOPED_WRITE32 SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_WRITE
#define SNOOPED_WRITE16_PURGE SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_WRITE
#define SNOOPED_FLUSH SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_FLUSH
#define SNOOPED_PURGE SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_PURGE

static inline uint32_t cache_protocol_event(uint32_t type) {
#define SNOOPED(name) [RUNWAY_TYPE_##name] = SNOOPED_##name,
  static const uint8_t protocol_event[] = {RUNWAY_TYPES_COHERENT(SNOOPED)};
#undef SNOOPED
  return protocol_event[type];
}

static void cache_queue_c2c(
    sim *m, struct snoop_cache *cache, uint32_t tid, uint64_t addr, const uint32_t *halves) {
  uint32_t n = cache_now(cache)->copies++;
  if (n >= CACHE_COPIES) __builtin_trap();
  cache_c2c_queue(cache)[n] = (struct snoop_cache_copies){tid + 1, halves[0], halves[1], 0, addr};
  cache->counters->copies++;
  sim_trace(m, cache->self, SNOOP_CACHE_EV_COPIED, addr, tid, 0);
  cache_ask(m, cache);
}

/* Reports the writes lost when dirty data is dropped for a device's write or a purge: those that exist
   nowhere else. */
static void cache_report_lost(
    sim *m, struct snoop_cache *cache, const struct runway_snoop *q, const uint32_t *halves) {
  uint32_t newest[LINE_HALVES], memory[LINE_HALVES];
  struct shadow_newest_write look = {.address = q->address, .halves = newest};
  if (!call_shadow_newest_write(m, cache->self, SNOOP_CACHE_PORT_BUS, &look)) return;
  call_shadow_memory_value(m, cache->self, SNOOP_CACHE_PORT_BUS,
      &(struct shadow_memory_value){.address = q->address, .halves = memory});
  for (uint32_t half = 0; half < LINE_HALVES; half++) {
    uint64_t addr = (q->address & ~(uint64_t)(RUNWAY_LINE - 1)) + half * HALF_BYTES;
    int written = q->type == RUNWAY_TYPE_WRITE32 || half == (q->address / HALF_BYTES & 1);
    if (halves[half] != newest[half] || memory[half] == newest[half]
        || (q->type != RUNWAY_TYPE_PURGE && written))
      continue;
    if (q->type == RUNWAY_TYPE_PURGE) cache->counters->discarded++;
    else cache->counters->neighbours++;
    if (q->type != RUNWAY_TYPE_PURGE) sim_broken(m, cache->self, SIM_EXACT_DMA, addr);
    sim_trace(m, cache->self,
        q->type == RUNWAY_TYPE_PURGE ? SNOOP_CACHE_EV_DISCARDED : SNOOP_CACHE_EV_NEIGHBOUR, addr,
        halves[half], 0);
  }
  if (q->type == RUNWAY_TYPE_PURGE)
    call_shadow_discard(
        m, cache->self, SNOOP_CACHE_PORT_BUS, &(struct shadow_discard){.address = q->address});
}

/* Applies a defect to a response and to the next state. */
static uint32_t cache_inject_fault(uint32_t fault, const protocol_row *r, uint32_t *next, uint32_t *action) {
  uint32_t response = r->response;
  uint32_t valid = r->state == SNOOP_CACHE_LINE_SHARED || r->state == SNOOP_CACHE_LINE_PRIVATE_CLEAN;
  switch (fault) {
    case SNOOP_CACHE_FAULT_OK_WHILE_DIRTY:
      if (r->state == SNOOP_CACHE_LINE_PRIVATE_DIRTY && response == RUNWAY_RESPONSE_COPY)
        response = RUNWAY_RESPONSE_OK, *action = SNOOP_CACHE_ACTION_NONE;
      break;
    case SNOOP_CACHE_FAULT_OK_KEEPS_SHARED:
      if (response == RUNWAY_RESPONSE_SHARED) response = RUNWAY_RESPONSE_OK;
      break;
    case SNOOP_CACHE_FAULT_PRIVATE_LEAVES_COPY:
      if (valid && r->protocol_event == SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_READ_PRIVATE)
        *next = SNOOP_CACHE_LINE_SHARED;
      break;
    case SNOOP_CACHE_FAULT_OWNER_STAYS_DIRTY:
      if (r->state == SNOOP_CACHE_LINE_PRIVATE_DIRTY
          && r->protocol_event == SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_READ_SHARED)
        *next = SNOOP_CACHE_LINE_PRIVATE_DIRTY;
      break;
    case SNOOP_CACHE_FAULT_PURGE_LEAVES_COPY:
      if (valid && r->protocol_event == SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_WRITE) *next = r->state;
      break;
  }
  return response;
}

/* A line in flight whose transaction is already ordered: it must answer snoops although its data is
 * outstanding. */
static uint32_t cache_snoop_pending_line(
    sim *m, struct snoop_cache *cache, miss *e, const struct runway_snoop *q) {
  const protocol_row *r = protocol_read_row(m, cache, e->state, cache_protocol_event(q->type));
  sim_trace(m, cache->self, SNOOP_CACHE_EV_ROW, q->address, r->state, r->next);
  if (r->action == SNOOP_CACHE_ACTION_COPY_PENDING) e->owed = q->id + 1;
  if (q->type == RUNWAY_TYPE_READ_SHARED) e->shared = 1;
  if (r->response == RUNWAY_RESPONSE_WAIT) cache->state->stalled = 1;
  e->state = r->next;
  return cache_fault(cache) == SNOOP_CACHE_FAULT_OK_KEEPS_SHARED && r->response == RUNWAY_RESPONSE_SHARED
             ? RUNWAY_RESPONSE_OK
             : r->response;
}

static void cache_drain_buffer(struct snoop_cache *cache, uint32_t i) {
  struct snoop_cache_now *now = cache_now(cache);
  struct snoop_cache_write_backs *buffer = cache_buffer(cache);
  now->write_backs--;
  for (; i < now->write_backs; i++) buffer[i] = buffer[i + 1];
  buffer[now->write_backs] = (struct snoop_cache_write_backs){0, 0, 0};
}

static uint32_t cache_snoop_buffer(
    sim *m, struct snoop_cache *cache, uint32_t i, const struct runway_snoop *q) {
  const struct snoop_cache_write_backs *entry = &cache_buffer(cache)[i];
  uint32_t halves[LINE_HALVES] = {entry->half_0, entry->half_1};
  const protocol_row *r = protocol_read_row(m, cache, SNOOP_CACHE_LINE_WB, cache_protocol_event(q->type));
  sim_trace(m, cache->self, SNOOP_CACHE_EV_ROW, q->address, r->state, r->next);
  if (r->action == SNOOP_CACHE_ACTION_COPY) cache_queue_c2c(m, cache, q->id, q->address, halves);
  if (r->action == SNOOP_CACHE_ACTION_DISCARD) cache_report_lost(m, cache, q, halves);
  if (r->response == RUNWAY_RESPONSE_WAIT) cache->state->stalled = 1;
  if (r->next == SNOOP_CACHE_LINE_INVALID) {
    cache_drain_buffer(cache, i);
    cache_retry(m, cache);
  }
  return r->response;
}

static uint32_t cache_snoop_line(
    sim *m, struct snoop_cache *cache, uint32_t i, const struct runway_snoop *q) {
  struct snoop_cache_lines *line = cache_line_at(m, cache, i);
  uint32_t protocol_event = cache_protocol_event(q->type);
  if (line->state == SNOOP_CACHE_LINE_PRIVATE_DIRTY
      && protocol_event == SNOOP_CACHE_PROTOCOL_EVENT_SNOOP_FLUSH && !cache_has_free_mshr(cache)) {
    cache->state->stalled = 1;
    return RUNWAY_RESPONSE_WAIT;
  }
  const protocol_row *r = protocol_read_row(m, cache, line->state, protocol_event);
  uint32_t next = r->next, action = r->action;
  uint32_t response = cache_inject_fault(cache_fault(cache), r, &next, &action);
  if (next != line->state || response != RUNWAY_RESPONSE_OK)
    sim_trace(m, cache->self, SNOOP_CACHE_EV_ROW, q->address, line->state, next);
  if (action == SNOOP_CACHE_ACTION_COPY)
    cache_queue_c2c(m, cache, q->id, q->address, cache_halves(m, cache, i));
  if (action == SNOOP_CACHE_ACTION_DISCARD) cache_report_lost(m, cache, q, cache_halves(m, cache, i));
  if (action == SNOOP_CACHE_ACTION_WRITE_BACK) {
    cache_buffer_line(m, cache, i);
    cache->counters->flushed++;
  }
  if (next == SNOOP_CACHE_LINE_INVALID) cache->counters->invalidated++;
  if (response == RUNWAY_RESPONSE_WAIT) cache->state->stalled = 1;
  line->state = next;
  return response;
}

static __attribute__((noinline)) uint32_t cache_snoop_present_line(
    sim *m, struct snoop_cache *cache, const struct runway_snoop *q) {
  uint32_t fault = cache_fault(cache);
  for (uint32_t slot = 0; slot < cache->state->slots && fault != SNOOP_CACHE_FAULT_OLD_STATE_IN_MISS;
      slot++) {
    miss *e = cache_miss(cache, slot);
    if (e->stage == SNOOP_CACHE_STAGE_ORDERED && e->state != SNOOP_CACHE_LINE_IU_D
        && cache_same_line(cache->state, e->addr, q->address))
      return cache_snoop_pending_line(m, cache, e, q);
  }
  for (uint32_t i = 0; i < cache_now(cache)->write_backs && fault != SNOOP_CACHE_FAULT_BUFFER_NOT_SNOOPED;
      i++)
    if (cache_same_line(cache->state, cache_buffer(cache)[i].addr, q->address))
      return cache_snoop_buffer(m, cache, i, q);
  uint32_t line = cache_find(m, cache, q->address, (uint32_t)q->index);
  if (line != UINT32_MAX) return cache_snoop_line(m, cache, line, q);
  protocol_read_row(m, cache, SNOOP_CACHE_LINE_INVALID, cache_protocol_event(q->type));
  return RUNWAY_RESPONSE_OK;
}

/* Most transactions concern no line of this cache; this check finds that out quickly. */
SIM_INLINE uint32_t snoop_cache_bus_snoop(sim *m, struct snoop_cache *cache, struct runway_snoop *q) {
  cache->counters->snoops++;
  int coming = cache_same_line(cache->state, cache->state->misses[0].addr, q->address)
               | cache_same_line(cache->state, cache->state->misses[1].addr, q->address);
  if (coming || cache->state->slots > SLOT_STORE || cache->state->now.write_backs
      || cache_find(m, cache, q->address, (uint32_t)q->index) != UINT32_MAX) {
    struct runway_snoop held = *q;
    return cache_snoop_present_line(m, cache, &held);
  }
  protocol_read_row(m, cache, SNOOP_CACHE_LINE_INVALID, cache_protocol_event(q->type));
  return RUNWAY_RESPONSE_OK;
}

/* Whether any part of the line is present, leaving or ordered; otherwise the time of the snoop does not
 * matter. */
static uint32_t snoop_cache_bus_tracks_line(sim *m, struct snoop_cache *cache, struct runway_tracks_line *q) {
  for (uint32_t slot = 0; slot < cache->state->slots; slot++)
    if (cache_miss(cache, slot)->stage > SNOOP_CACHE_STAGE_WANTED
        && cache_same_line(cache->state, cache_miss(cache, slot)->addr, q->address))
      return 1;
  return cache_buffered(cache, q->address)
         || cache_find(m, cache, q->address, (uint32_t)q->index) != UINT32_MAX;
}

static uint32_t snoop_cache_bus_has_priority_work(sim *m, struct snoop_cache *cache) {
  (void)m;
  const struct snoop_cache_now *now = cache_now(cache);
  return now->copies + now->write_backs;
}

static SIM_COLD uint32_t cache_own_order(sim *m, struct snoop_cache *cache, struct runway_own_response q) {
  struct runway_snoop snoop = {.address = q.address, .type = q.type, .id = q.slot, .index = q.index};
  return runway_type_order(q.type) ? snoop_cache_bus_snoop(m, cache, &snoop) : RUNWAY_RESPONSE_OK;
}

/* The cache's own transaction is at the head of its queue. A flush or purge applies to its own lines too. */
SIM_INLINE uint32_t snoop_cache_bus_own_response(
    sim *m, struct snoop_cache *cache, struct runway_own_response *q) {
  if (q->slot >= SLOT_ORDER) return cache_own_order(m, cache, *q);
  miss *e = cache_miss(cache, q->slot);
  e->stage = SNOOP_CACHE_STAGE_ORDERED;
  e->state = e->type == RUNWAY_TYPE_READ_PRIVATE ? SNOOP_CACHE_LINE_IM_D : SNOOP_CACHE_LINE_IS_D;
  if (q->slot >= SLOT_STORE) cache_retry(m, cache);
  else if (q->slot == SLOT_DEMAND && cache->state->slots > SLOT_STORE) cache_check_value(m, cache, e->addr);
  return RUNWAY_RESPONSE_OK;
}

static uint32_t cache_fill_grant(
    struct runway_grant *q, uint32_t type, uint64_t addr, uint32_t slot, uint32_t half_0, uint32_t half_1) {
  q->type = type;
  q->address = addr;
  q->slot = slot;
  q->halves[0] = half_0;
  q->halves[1] = half_1;
  return 1;
}

static uint32_t cache_grant_c2c(struct snoop_cache *cache, struct runway_grant *q) {
  struct snoop_cache_now *now = cache_now(cache);
  struct snoop_cache_copies *copies = cache_c2c_queue(cache), first = copies[0];
  now->copies--;
  for (uint32_t i = 0; i < now->copies; i++) copies[i] = copies[i + 1];
  copies[now->copies] = (struct snoop_cache_copies){0, 0, 0, 0, 0};
  return cache_fill_grant(
      q, RUNWAY_TYPE_C2C_DATA, first.addr, first.transaction - 1, first.half_0, first.half_1);
}

/* Sends the oldest write-back; accesses that waited for it can continue. */
static uint32_t cache_grant_write_back(sim *m, struct snoop_cache *cache, struct runway_grant *q) {
  struct snoop_cache_write_backs first = cache_buffer(cache)[0];
  cache_drain_buffer(cache, 0);
  cache->counters->write_backs++;
  if (cache->state->stalled) {
    cache->state->stalled = 0;
    call_runway_repoll(m, cache->self, SNOOP_CACHE_PORT_BUS);
  }
  cache_retry(m, cache);
  return cache_fill_grant(q, RUNWAY_TYPE_WRITE_BACK, first.addr, 0, first.half_0, first.half_1);
}

static uint32_t cache_grant_register(sim *m, struct snoop_cache *cache, struct runway_grant *q) {
  struct snoop_cache_now *now = cache_now(cache);
  struct snoop_cache_posts *posts = cache->state->posts, first = posts[0];
  if (now->posts == 0) {
    cache->state->reading = 2;
    return cache_fill_grant(q, RUNWAY_TYPE_SHORT_READ, cache->state->register_addr, SLOT_REGISTER, 0, 0);
  }
  now->posts--;
  for (uint32_t i = 0; i < now->posts; i++) posts[i] = posts[i + 1];
  posts[now->posts] = (struct snoop_cache_posts){0, 0, 0};
  if (cache->state->room_wanted) {
    cache->state->room_wanted = 0;
    send_front_room(m, cache->self, SNOOP_CACHE_PORT_FRONT, 0, SIM_PHASE_ANSWER);
  }
  return cache_fill_grant(q, RUNWAY_TYPE_SHORT_WRITE, first.addr, 0, first.value, 0);
}

/* Completes an order; accesses that waited for it can continue. */
static SIM_COLD void cache_order_end(
    sim *m, struct snoop_cache *cache, uint32_t i, uint32_t write, uint64_t time) {
  cache->state->order[i] = (struct cache_order){0};
  cache->state->orders--;
  if (cache->state->awaited == i + 1) {
    cache->state->awaited = 0;
    cache_done(m, cache, write, time);
  }
  cache_retry(m, cache);
}

static SIM_COLD uint32_t cache_grant_order(sim *m, struct snoop_cache *cache, struct runway_grant *q) {
  uint32_t i = cache->state->ordering - 1;
  struct cache_order *order = &cache->state->order[i], copy = *order;
  uint32_t halves[LINE_HALVES] = {0, 0};
  cache->state->ordering = 0;
  order->stage = SNOOP_CACHE_STAGE_ISSUED;
  q->index = cache_index(cache->state, order->addr);
  if (order->mask && order->type != RUNWAY_TYPE_READ_NONCOHERENT) {
    if (order->mask & 1) halves[0] = sim_new_write(m);
    if (order->mask & 2) halves[1] = sim_new_write(m);
  }
  cache_retry(m, cache);
  cache_fill_grant(q, copy.type, copy.addr, SLOT_ORDER + i, halves[0], halves[1]);
  if (copy.type != RUNWAY_TYPE_WRITE_NONCOHERENT) return 1;
  q->slot = copy.mask; /* takes effect here, without responses */
  cache_order_end(m, cache, i, halves[copy.mask >> 1], 0);
  return 1;
}

/* The bus has executed an order. For a partial write in uncached memory the half line has been read, and is
   written now. */
static SIM_COLD void cache_order_done(sim *m, struct snoop_cache *cache, uint32_t i, const uint32_t *words) {
  struct cache_order order = cache->state->order[i];
  if (order.type == RUNWAY_TYPE_READ_NONCOHERENT && order.mask) {
    cache->state->order[i].type = RUNWAY_TYPE_WRITE_NONCOHERENT;
    cache->state->order[i].stage = SNOOP_CACHE_STAGE_WANTED;
    cache->state->ordering = i + 1;
    cache_ask(m, cache);
    return;
  }
  if (order.type == RUNWAY_TYPE_READ_NONCOHERENT) {
    uint32_t mask = cache_mask(order.addr, cache_now(cache)->bytes);
    cache_check(m, cache, order.addr, mask, words);
    cache_order_end(m, cache, i, words[mask >> 1], cache->params->miss_time);
    return;
  }
  uint32_t line =
      order.mask ? cache_find(m, cache, order.addr, cache_index(cache->state, order.addr)) : UINT32_MAX;
  for (uint32_t half = 0; half < LINE_HALVES && line != UINT32_MAX; half++)
    if (order.mask & 1u << half) cache_halves(m, cache, line)[half] = words[half];
  cache_order_end(m, cache, i, order.mask ? words[order.mask >> 1] : 0, 0);
}

/* This cache is granted the bus. Priority: copies that others wait for, write-backs, its own requests. */
static uint32_t snoop_cache_bus_grant(sim *m, struct snoop_cache *cache, struct runway_grant *q) {
  struct snoop_cache_now *now = cache_now(cache);
  uint32_t wishes = now->copies + now->write_backs + now->posts + (cache->state->reading == 1)
                    + (cache->state->ordering != 0),
           slot = cache_pending_store(cache);
  for (uint32_t i = 0; i < cache->state->slots; i++)
    wishes += cache_miss(cache, i)->stage == SNOOP_CACHE_STAGE_WANTED;
  if (wishes > 1) cache_ask(m, cache);
  if (now->copies) return cache_grant_c2c(cache, q);
  if (now->write_backs) return cache_grant_write_back(m, cache, q);
  if (q->limit & RUNWAY_LIMIT_DATA_ONLY) return 0;
  int store =
      slot >= SLOT_STORE && slot < cache->state->slots; /* older than the processor's other requests */
  if (!store && (now->posts || cache->state->reading == 1) && !(q->limit & RUNWAY_LIMIT_NO_REGISTERS))
    return cache_grant_register(m, cache, q);
  if (!store && cache->state->ordering) return cache_grant_order(m, cache, q);
  if (slot == cache->state->slots) return 0;
  miss *e = cache_miss(cache, slot);
  e->stage = SNOOP_CACHE_STAGE_ISSUED;
  q->index = cache_index(cache->state, e->addr);
  return cache_fill_grant(q, e->type, e->addr, slot, 0, 0);
}

/* A line has arrived: the waiting access is executed, then agents that wait for a copy get it. */
static void cache_fill(sim *m, struct snoop_cache *cache, const struct runway_data *q) {
  struct snoop_cache_now *now = cache_now(cache);
  miss e = *cache_miss(cache, q->slot);
  struct snoop_cache_lines *line = cache_line_at(m, cache, e.line);
  uint32_t *halves = cache_halves(m, cache, e.line), write = 0;
  const protocol_row *r = protocol_read_row(m, cache, e.state,
      q->shared || e.shared ? SNOOP_CACHE_PROTOCOL_EVENT_FILL_SHARED
                            : SNOOP_CACHE_PROTOCOL_EVENT_FILL_PRIVATE);
  *cache_miss(cache, q->slot) = (miss){0};
  halves[0] = q->halves[0];
  halves[1] = q->halves[1];
  line->tag = cache_tag(cache->state, e.addr);
  line->state = r->next;
  line->age = cache_next_age(m, cache);
  if (q->slot >= SLOT_STORE)
    write = cache_complete_access(m, cache, e.addr, CACHE_OP_STORE, e.stores, halves);
  if (q->slot == SLOT_DEMAND) {
    write = cache_complete_access(m, cache, now->addr, now->op, cache_mask(now->addr, now->bytes), halves);
    cache_done(m, cache, write, cache->params->miss_time);
  }
  sim_trace(m, cache->self, SNOOP_CACHE_EV_FILLED, e.addr, r->next, write);
  if (e.owed) cache_queue_c2c(m, cache, e.owed - 1, e.addr, halves);
  if (cache->state->stalled) {
    cache->state->stalled = 0;
    call_runway_repoll(m, cache->self, SNOOP_CACHE_PORT_BUS);
  }
  cache_retry(m, cache);
}

/* A transaction of this cache is complete. */
static void snoop_cache_bus_data(sim *m, struct snoop_cache *cache, struct runway_data *q) {
  if (q->slot < SLOT_REGISTER) {
    cache_fill(m, cache, q);
  } else if (q->slot == SLOT_REGISTER) {
    cache->state->reading = 0;
    send_front_data(m, cache->self, SNOOP_CACHE_PORT_FRONT, cache->params->miss_time, SIM_PHASE_ANSWER,
        (struct front_data){.value = q->halves[0], .write = q->halves[0]});
  } else {
    cache_order_done(m, cache, q->slot - SLOT_ORDER, q->halves);
  }
}
