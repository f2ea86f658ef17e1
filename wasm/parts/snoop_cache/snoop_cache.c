#include "parts/snoop_cache/snoop_cache.h"

#include "parts/snoop_cache/protocol.c"
#include "parts/snoop_cache/access.c"
#include "parts/snoop_cache/snoop.c"

/* The bus asks for register windows before its first tenure; then the caches are still empty, and the ledger can be asked for. */
static BY_COLD uint32_t cache_window(by *m, uint32_t self, by_poll *p) {
  p->words = (uint32_t *)&BY_STATE(m, self, snoop_cache)->ledger;
  if (p->x == 0) by_ask(m, self, SNOOP_CACHE_PORT_BUS, LEDGER_WINDOW, p);
  p->addr = BY_PARAMS(m, self, snoop_cache)->interrupt;
  p->when = 16;
  return p->x == 0 && p->addr != 0;
}

BY_INLINE uint32_t cache_from_bus(by *m, uint32_t self, uint32_t kind, by_poll *p) {
  switch (kind) {
    case RUNWAY_GRANT: return cache_grant(m, self, p);
    case RUNWAY_SNOOP: return cache_snoop(m, self, p);
    case RUNWAY_HOLDS: return cache_holds(m, self, p);
    case RUNWAY_URGES: return cache_now(m, BY_STATE(m, self, snoop_cache))->copies + cache_now(m, BY_STATE(m, self, snoop_cache))->write_backs;
    case RUNWAY_OWN: return cache_own(m, self, p);
    case RUNWAY_DATA: cache_data(m, self, p); return 0;
  }
  return cache_window(m, self, p);
}

/* A register store joins the queue to the bus; answers 1 + places left, or 0 when it is full. */
static BY_COLD uint32_t cache_post(by *m, uint32_t self, const by_poll *p) {
  struct snoop_cache_state *s = BY_STATE(m, self, snoop_cache);
  struct snoop_cache_now *now = cache_now(m, s);
  if (now->posts >= CACHE_POSTS) return 0;
  s->posts[now->posts++] = (struct snoop_cache_posts){p->addr, (uint32_t)p->when, 0};
  cache_ask(m, self);
  return 1 + CACHE_POSTS - now->posts;
}

/* What the processor asks besides accesses. */
static BY_COLD uint32_t cache_from_cpu(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  struct snoop_cache_state *s = BY_STATE(m, self, snoop_cache);
  if (port == BY_PORT_SELF) return BY_ANY_TIME;
  if (port == SNOOP_CACHE_PORT_CPU) {
    if (kind >= LEDGER_LOOK && kind <= MEMORY_VALUE) return by_ask(m, self, SNOOP_CACHE_PORT_BUS, kind, p);
    p->y = 0;
    return 1; /* CACHE_TOUCH: what register copies read costs nothing here */
  }
  if (kind == FRONT_POST) return cache_post(m, self, p);
  if (kind == FRONT_WAITING) return cache_now(m, s)->posts;
  if (kind == FRONT_AWAIT) {
    if (cache_now(m, s)->posts < CACHE_POSTS) by_out(m, self, SNOOP_CACHE_PORT_FRONT, by_max(p->when, m->time) - m->time, BY_PHASE_ANSWER, FRONT_ROOM, 0, 0, 0);
    else s->room_wanted = 1;
  }
  return 0;
}

BY_INLINE uint32_t snoop_cache_poll(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p) {
  if (port == SNOOP_CACHE_PORT_BUS) return cache_from_bus(m, self, kind, p);
  if (kind == CACHE_ACCESS) return cache_access(m, self, p);
  return cache_from_cpu(m, self, port, kind, p);
}

static void snoop_cache_on(by *m, uint32_t self, const by_msg *msg) {
  struct snoop_cache_state *s = BY_STATE(m, self, snoop_cache);
  if (msg->port == SNOOP_CACHE_PORT_FRONT) { /* FRONT_READ */
    s->reading = 1;
    s->register_addr = msg->addr;
    cache_ask(m, self);
  } else if (by_wired(m, self, SNOOP_CACHE_PORT_IRQ)) { /* RUNWAY_REGISTER: somebody writes the interrupt register */
    by_out(m, self, SNOOP_CACHE_PORT_IRQ, 0, BY_PHASE_REQUEST, IRQ_RAISE, 0, msg->x, 0);
  }
}

static int snoop_cache_changed(by *m, uint32_t self, uint32_t param) {
  (void)m, (void)self;
  return param == SNOOP_CACHE_PARAM_SPECULATE || param == SNOOP_CACHE_PARAM_MISS_TIME || param == SNOOP_CACHE_PARAM_FAULT ? BY_OK : BY_NOT_LIVE;
}

static int cache_views(by *m, uint32_t self, struct snoop_cache_state *s, uint32_t lines) {
  void *line = by_view(m, self, SNOOP_CACHE_VIEW_LINES, lines, sizeof(struct snoop_cache_lines));
  void *data = by_view(m, self, SNOOP_CACHE_VIEW_DATA, lines * LINE_HALVES, sizeof(struct snoop_cache_data));
  if (!line || !data) return BY_NO_MEMORY;
  s->lines_at = by_offset(m, line);
  s->data_at = by_offset(m, data);
  by_view_of(m, self, SNOOP_CACHE_VIEW_MISSES, s->misses, 2, sizeof *s->misses);
  by_view_of(m, self, SNOOP_CACHE_VIEW_WRITE_BACKS, s->buffer, CACHE_BUFFER, sizeof *s->buffer);
  by_view_of(m, self, SNOOP_CACHE_VIEW_COPIES, s->copies, CACHE_COPIES, sizeof *s->copies);
  by_view_of(m, self, SNOOP_CACHE_VIEW_ROWS, s->rows, CACHE_ROWS, sizeof *s->rows);
  by_view_of(m, self, SNOOP_CACHE_VIEW_NOW, &s->now, 1, sizeof s->now);
  by_view_of(m, self, SNOOP_CACHE_VIEW_POSTS, s->posts, CACHE_POSTS, sizeof *s->posts);
  return BY_OK;
}

static int snoop_cache_load(by *m, uint32_t self) {
  const struct snoop_cache_params *q = BY_PARAMS(m, self, snoop_cache);
  if (q->line < 16 || q->line > 128 || q->line & (q->line - 1)) return by_refuse(m, BY_BAD_PARAM, self, SNOOP_CACHE_PARAM_LINE);
  if (q->ways == 0 || q->ways > 16) return by_refuse(m, BY_BAD_PARAM, self, SNOOP_CACHE_PARAM_WAYS);
  if (q->buffer == 0 || q->buffer > 8) return by_refuse(m, BY_BAD_PARAM, self, SNOOP_CACHE_PARAM_BUFFER);
  uint64_t sets = q->size / (q->line * q->ways);
  if (sets == 0 || sets & (sets - 1) || sets * q->ways > 1u << 18) return by_refuse(m, BY_BAD_PARAM, self, SNOOP_CACHE_PARAM_SIZE);
  if (q->assist > 64) return by_refuse(m, BY_BAD_PARAM, self, SNOOP_CACHE_PARAM_ASSIST);
  if (q->orders > CACHE_ORDERS) return by_refuse(m, BY_BAD_PARAM, self, SNOOP_CACHE_PARAM_ORDERS);
  if (q->stores > CACHE_ORDERS) return by_refuse(m, BY_BAD_PARAM, self, SNOOP_CACHE_PARAM_STORES);
  struct snoop_cache_state *s = by_state_alloc(m, self, sizeof *s);
  uint32_t main_lines = (uint32_t)(sets * q->ways), lines = main_lines + (uint32_t)q->assist;
  if (!s || cache_views(m, self, s, lines)) return BY_NO_MEMORY;
  s->main_lines = main_lines;
  s->lines = lines;
  s->sets = (uint32_t)sets;
  s->ways = (uint32_t)q->ways;
  s->line_shift = (uint32_t)__builtin_ctzll(q->line);
  s->offset = q->indexed == SNOOP_CACHE_INDEX_VIRTUAL ? q->virtual_offset : 0;
  s->plain = q->uncached == 0 && q->policy != SNOOP_CACHE_POLICY_WRITE_THROUGH;
  protocol_load(s);
  return BY_OK;
}

#include "parts/snoop_cache/keep.c"
