#include "parts/cache/snoop_cache/snoop_cache.h"

#include "parts/cache/snoop_cache/protocol.c"
#include "parts/cache/snoop_cache/access.c"
#include "parts/cache/snoop_cache/snoop.c"

/* The bus calls this before its first tenure, when the caches are empty: a good time to locate the shadow
 * memory. */
static SIM_COLD uint32_t snoop_cache_bus_claim(sim *m, struct snoop_cache *cache, struct runway_claim *q) {
  struct shadow_cells shadow = {.shadow = (uint32_t *)&cache->state->shadow};
  if (q->which) return 0;
  call_shadow_cells(m, cache->self, SNOOP_CACHE_PORT_BUS, &shadow);
  q->base = cache->params->interrupt;
  q->length = 16;
  return q->base != 0;
}

/* Queues a register store to the bus; returns 1 + free entries, or 0 if the queue is full. */
static SIM_COLD uint32_t snoop_cache_front_post(sim *m, struct snoop_cache *cache, struct front_post *q) {
  struct snoop_cache_now *now = cache_now(cache);
  if (now->posts >= CACHE_POSTS) return 0;
  /* Data is tracked by its write number, which stands for its bytes. */
  cache->state->posts[now->posts++] =
      (struct snoop_cache_posts){q->address, q->write ? q->write : (uint32_t)q->value, 0};
  cache_ask(m, cache);
  return 1 + CACHE_POSTS - now->posts;
}

static SIM_COLD void snoop_cache_front_notify_space(
    sim *m, struct snoop_cache *cache, struct front_notify_space *q) {
  if (cache_now(cache)->posts < CACHE_POSTS)
    send_front_room(
        m, cache->self, SNOOP_CACHE_PORT_FRONT, sim_max(q->after, m->time) - m->time, SIM_PHASE_ANSWER);
  else cache->state->room_wanted = 1;
}

static SIM_COLD uint32_t snoop_cache_front_posted_count(sim *m, struct snoop_cache *cache) {
  (void)m;
  return cache_now(cache)->posts;
}

static void snoop_cache_front_read(sim *m, struct snoop_cache *cache, const struct front_read *q) {
  cache->state->reading = 1;
  cache->state->register_addr = q->address;
  cache_ask(m, cache);
}

/* Reads of register copies take no time here. */
static SIM_COLD uint32_t snoop_cache_cpu_access_untimed(
    sim *m, struct snoop_cache *cache, struct cache_access_untimed *q) {
  (void)m;
  (void)cache->self;
  q->dirty = 0;
  return 1;
}

/* An agent writes the interrupt register. */
static void snoop_cache_bus_register(sim *m, struct snoop_cache *cache, const struct runway_register *q) {
  if (sim_wired(m, cache->self, SNOOP_CACHE_PORT_IRQ))
    send_irq_raise(
        m, cache->self, SNOOP_CACHE_PORT_IRQ, 0, SIM_PHASE_REQUEST, (struct irq_raise){.source = q->value});
}

/* The time after the miss is over. */
static void snoop_cache_self(sim *m, struct snoop_cache *cache, const sim_msg *msg) {
  (void)msg;
  uint64_t addr = cache->state->speculate_next - 1;
  cache->state->speculate_next = 0;
  cache_speculate(m, cache, addr);
}

static uint32_t snoop_cache_enabled(sim *m, struct snoop_cache *cache, const sim_msg *msg) {
  (void)m;
  (void)cache;
  (void)msg;
  return SIM_ENABLED;
}

static void cache_views(sim *m, struct snoop_cache *cache, struct snoop_cache_state *s) {
  sim_view_of(m, cache->self, SNOOP_CACHE_VIEW_MISSES, s->misses, s->slots, sizeof *s->misses);
  sim_view_of(m, cache->self, SNOOP_CACHE_VIEW_WRITE_BACKS, s->buffer, CACHE_BUFFER, sizeof *s->buffer);
  sim_view_of(m, cache->self, SNOOP_CACHE_VIEW_COPIES, s->copies, CACHE_COPIES, sizeof *s->copies);
  sim_view_of(m, cache->self, SNOOP_CACHE_VIEW_ROWS, s->rows, CACHE_ROWS, sizeof *s->rows);
  sim_view_of(m, cache->self, SNOOP_CACHE_VIEW_NOW, &s->now, 1, sizeof s->now);
  sim_view_of(m, cache->self, SNOOP_CACHE_VIEW_POSTS, s->posts, CACHE_POSTS, sizeof *s->posts);
}

static int snoop_cache_load(sim *m, uint32_t self) {
  const struct snoop_cache_params *q = SIM_PARAMS(m, self, snoop_cache);
  uint64_t sets = q->size / (q->line * q->ways);
  struct snoop_cache_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t main_lines = (uint32_t)(sets * q->ways), lines = main_lines + (uint32_t)q->assist;
  void *line = sim_view(m, self, SNOOP_CACHE_VIEW_LINES, lines, sizeof(struct snoop_cache_lines));
  void *data = sim_view(m, self, SNOOP_CACHE_VIEW_DATA, lines * LINE_HALVES, sizeof(struct snoop_cache_data));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->slots = SLOT_STORE + (uint32_t)q->store_queue;
  cache_views(m, SIM_CONTEXT(m, self, snoop_cache), s);
  s->lines_at = sim_offset(m, line);
  s->data_at = sim_offset(m, data);
  s->main_lines = main_lines;
  s->lines = lines;
  s->sets = (uint32_t)sets;
  s->ways = (uint32_t)q->ways;
  s->line_shift = (uint32_t)__builtin_ctzll(q->line);
  s->offset = q->indexed == SNOOP_CACHE_INDEX_VIRTUAL ? q->virtual_offset : 0;
  s->plain = q->uncached == 0 && q->policy != SNOOP_CACHE_POLICY_WRITE_THROUGH && q->store_queue == 0;
  protocol_load(s);
  return SIM_OK;
}

#include "parts/cache/snoop_cache/state.c"
