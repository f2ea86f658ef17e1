/*
 * A bridge between two PCI-X buses.
 *
 *   bus towards memory                                            bus of the cards
 *   writes  <-------------------------------- [ posts, up ] <--------------- writes
 *   reads   <-- of whole lines, some ahead -- [ reads ] behind those posts <-- reads
 *   data    --------> [ lines ] behind posts of their own way, unless relaxed --> completions
 *   stores  --------> [ posts, down ] -------------------------------------------> registers
 *
 * Both directions are alike, except that registers are read exactly as requested; a write in either direction
 * drops prefetched lines. Side 0 is the bus towards memory, side 1 the cards' bus; a direction is named by
 * its destination. A read whose data is delivered and that has prefetched lines is kept: a read that
 * continues there takes them over.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

#define PCIX_BRIDGE_LINE 128u
#define PCIX_BRIDGE_WORDS 32u
#define PCIX_BRIDGE_PAGE 4096u
#define PCIX_BRIDGE_CARDS 1u /* the side of the cards */

enum pcix_bridge_self { PCIX_BRIDGE_POST = 1, PCIX_BRIDGE_READ, PCIX_BRIDGE_DATA };
enum pcix_bridge_sends { PCIX_BRIDGE_NOTHING, PCIX_BRIDGE_POSTS, PCIX_BRIDGE_COMPLETION, PCIX_BRIDGE_ASKS };

/* The bridge as master on one of its buses. */
struct pcix_bridge_side {
  /* a read that its target has not accepted yet: it is retried unchanged */
  uint64_t asked;
  uint64_t asked_end;
  /* the current transaction, and the posted bytes in it */
  uint32_t sending;
  uint32_t run;
  uint32_t completes; /* the read of a completion */
  uint32_t waited;    /* whether an entry let posts go first */
};

struct pcix_bridge_state {
  uint32_t now_at;
  uint32_t posts_at;
  uint32_t reads_at;
  uint32_t lines_at;
  uint32_t post_words_at;
  uint32_t line_words_at;
  /* capacity of each; the read that was served last */
  uint32_t posts;
  uint32_t reads;
  uint32_t lines;
  uint32_t turn;
  struct pcix_bridge_side side[2];
};

typedef struct pcix_bridge_posts pcix_bridge_post;
typedef struct pcix_bridge_reads pcix_bridge_read;
typedef struct pcix_bridge_lines pcix_bridge_line;

static struct pcix_bridge_now *pcix_bridge_view(sim *m, struct pcix_bridge *bridge) {
  return sim_at(m, bridge->state->now_at);
}
static uint32_t *pcix_bridge_posted(sim *m, struct pcix_bridge *bridge, uint32_t way) {
  return &pcix_bridge_view(m, bridge)->up + way;
}
static uint32_t *pcix_bridge_has_line(sim *m, struct pcix_bridge *bridge, uint32_t way) {
  return &pcix_bridge_view(m, bridge)->up_here + way;
}
static pcix_bridge_post *pcix_bridge_post_at(sim *m, struct pcix_bridge *bridge, uint32_t way, uint32_t i) {
  return (pcix_bridge_post *)sim_at(m, bridge->state->posts_at) + way * bridge->state->posts + i;
}
static uint32_t *pcix_bridge_post_words(sim *m, struct pcix_bridge *bridge, uint32_t way, uint32_t i) {
  return (uint32_t *)sim_at(m, bridge->state->post_words_at)
         + (way * bridge->state->posts + i) * PCIX_BRIDGE_WORDS;
}
static pcix_bridge_read *pcix_bridge_read_at(sim *m, struct pcix_bridge *bridge, uint32_t i) {
  return (pcix_bridge_read *)sim_at(m, bridge->state->reads_at) + i;
}
static pcix_bridge_line *pcix_bridge_line_at(sim *m, struct pcix_bridge *bridge, uint32_t i) {
  return (pcix_bridge_line *)sim_at(m, bridge->state->lines_at) + i;
}
static uint32_t *pcix_bridge_line_words(sim *m, struct pcix_bridge *bridge, const pcix_bridge_line *l) {
  return (uint32_t *)sim_at(m, bridge->state->line_words_at)
         + (uint32_t)(l - pcix_bridge_line_at(m, bridge, 0)) * PCIX_BRIDGE_WORDS;
}

static uint64_t pcix_bridge_up_to(uint64_t at, uint64_t step) { return (at + step - 1) / step * step; }
static uint64_t pcix_bridge_base(uint64_t at) { return at & ~(uint64_t)(PCIX_BRIDGE_LINE - 1); }
static uint64_t pcix_bridge_fault(struct pcix_bridge *bridge) { return bridge->params->fault; }
static int pcix_bridge_buffered(const pcix_bridge_read *r) { return r->end && r->addr == r->end; }

/* State for display: blocked if data waits behind a write, fetching while a line is in flight. */
static void pcix_bridge_show(sim *m, struct pcix_bridge *bridge) {
  struct pcix_bridge_now *now = pcix_bridge_view(m, bridge);
  uint32_t state = PCIX_BRIDGE_STATE_IDLE, cause = m->cause;
  for (uint32_t i = 0; i < bridge->state->lines && state != PCIX_BRIDGE_STATE_BLOCKED; i++) {
    const pcix_bridge_line *l = pcix_bridge_line_at(m, bridge, i);
    if (l->state == PCIX_BRIDGE_LINE_HERE && l->behind) state = PCIX_BRIDGE_STATE_BLOCKED;
    else if (l->state == PCIX_BRIDGE_LINE_ASKED) state = PCIX_BRIDGE_STATE_FETCHING;
  }
  if (now->state == state) return;
  now->state = state;
  sim_trace(m, bridge->self, PCIX_BRIDGE_EV_STATE, 0, state, 0);
  m->cause = cause;
}

/* The number of posts ahead of a new arrival in the same direction. */
static uint32_t pcix_bridge_behind(sim *m, struct pcix_bridge *bridge, uint32_t way, enum pci_ordering kind) {
  uint32_t fault = (uint32_t)pcix_bridge_fault(bridge), completes = kind == PCI_ORDER_READ_COMPLETION;
  int relaxed = completes && way == PCIX_BRIDGE_CARDS && bridge->params->relaxed;
  int broken = completes ? way != PCIX_BRIDGE_CARDS && fault == PCIX_BRIDGE_FAULT_VALUES_PASS
                         : fault == PCIX_BRIDGE_FAULT_READS_PASS;
  int passes = pci_pass(kind, PCI_ORDER_POSTED_WRITE) != PCI_PASS_NO || relaxed || broken;
  return passes ? 0 : *pcix_bridge_posted(m, bridge, way);
}

/* Drops a line; one that has not crossed yet is discarded when it arrives. */
static void pcix_bridge_drop_line(sim *m, struct pcix_bridge *bridge, pcix_bridge_line *l) {
  bridge->counters->wasted += l->addr >= pcix_bridge_read_at(m, bridge, l->read - 1)->end;
  if (l->state == PCIX_BRIDGE_LINE_HERE) *l = (pcix_bridge_line){0};
  else l->state = PCIX_BRIDGE_LINE_DROPPED;
}

/* Collects the lines of a read from an address on. Returns their number. */
static uint32_t pcix_bridge_drop_lines_from(
    sim *m, struct pcix_bridge *bridge, uint32_t read, uint64_t from) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    pcix_bridge_line *l = pcix_bridge_line_at(m, bridge, i);
    if (l->read != read + 1 || l->state == PCIX_BRIDGE_LINE_EMPTY || l->state == PCIX_BRIDGE_LINE_DROPPED
        || l->addr < from)
      continue;
    pcix_bridge_drop_line(m, bridge, l);
    n++;
  }
  return n;
}

static uint32_t pcix_bridge_end(sim *m, struct pcix_bridge *bridge, uint32_t read) {
  uint32_t n = pcix_bridge_drop_lines_from(m, bridge, read, 0);
  *pcix_bridge_read_at(m, bridge, read) = (pcix_bridge_read){0};
  return n;
}

/* The line of a read with this address, wherever it is. */
static pcix_bridge_line *pcix_bridge_find(sim *m, struct pcix_bridge *bridge, uint32_t read, uint64_t at) {
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    pcix_bridge_line *l = pcix_bridge_line_at(m, bridge, i);
    if (l->read == read + 1 && l->addr == pcix_bridge_base(at) && l->state != PCIX_BRIDGE_LINE_EMPTY
        && l->state != PCIX_BRIDGE_LINE_DROPPED)
      return l;
  }
  return NULL;
}

/* The number of deliverable bytes of a read, from the next one on. */
static uint32_t pcix_bridge_ready(sim *m, struct pcix_bridge *bridge, uint32_t read) {
  const pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, read);
  uint64_t at = r->addr;
  for (const pcix_bridge_line *l; at < r->end && (l = pcix_bridge_find(m, bridge, read, at))
                                  && l->state == PCIX_BRIDGE_LINE_HERE && !l->behind;)
    at = l->addr + PCIX_BRIDGE_LINE;
  return (uint32_t)(sim_min(at, r->end) - r->addr);
}

/* A read that can go to the other bus, demand before prefetch; SIM_NONE if none can. */
static uint32_t pcix_bridge_requests_bus(sim *m, struct pcix_bridge *bridge, uint32_t way, uint32_t ahead) {
  for (uint32_t k = 1; k <= bridge->state->reads; k++) {
    uint32_t i = (bridge->state->turn + k) % bridge->state->reads;
    const pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, i);
    if (r->end && r->side != way && r->known && !r->behind && r->fetch < (ahead ? r->limit : r->end))
      return i;
  }
  return SIM_NONE;
}

/* The end of the next fetch of a read: limited by free entries and by lines already in flight for another
 * read. */
static uint64_t pcix_bridge_prefetch_limit(sim *m, struct pcix_bridge *bridge, const pcix_bridge_read *r) {
  uint64_t end = sim_min(r->limit, pcix_bridge_base(r->fetch) + bridge->params->burst), places = 0;
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    const pcix_bridge_line *l = pcix_bridge_line_at(m, bridge, i);
    places += l->state == PCIX_BRIDGE_LINE_EMPTY;
    if (l->side == r->side && l->from < l->to && l->addr + PCIX_BRIDGE_LINE > r->fetch)
      end = sim_min(end, sim_max(l->addr, r->fetch));
  }
  return sim_max(r->fetch, sim_min(end, pcix_bridge_base(r->fetch) + places * PCIX_BRIDGE_LINE));
}

static uint32_t pcix_bridge_request_pending(sim *m, struct pcix_bridge *bridge, uint32_t way) {
  uint32_t i = pcix_bridge_requests_bus(m, bridge, way, 0);
  if (i == SIM_NONE) i = pcix_bridge_requests_bus(m, bridge, way, 1);
  if (i == SIM_NONE) return SIM_NONE;
  const pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, i);
  return pcix_bridge_prefetch_limit(m, bridge, r) > r->fetch ? i : SIM_NONE;
}

/* The split read for the next completion, round robin. */
static uint32_t pcix_bridge_completes(sim *m, struct pcix_bridge *bridge, uint32_t way) {
  for (uint32_t k = 1; k <= bridge->state->reads; k++) {
    uint32_t i = (bridge->state->side[way].completes + k) % bridge->state->reads;
    const pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, i);
    if (r->split && r->side == way && pcix_bridge_ready(m, bridge, i)) return i;
  }
  return SIM_NONE;
}

/* Posts pass unordered entries, but not twice if another entry waits. */
static uint32_t pcix_bridge_next(sim *m, struct pcix_bridge *bridge, uint32_t way) {
  const struct pcix_bridge_side *side = &bridge->state->side[way];
  uint32_t posts = *pcix_bridge_has_line(m, bridge, way);
  if (posts && !side->waited) return PCIX_BRIDGE_POSTS;
  if (pcix_bridge_completes(m, bridge, way) != SIM_NONE) return PCIX_BRIDGE_COMPLETION;
  if (side->asked_end || pcix_bridge_request_pending(m, bridge, way) != SIM_NONE) return PCIX_BRIDGE_ASKS;
  return posts ? PCIX_BRIDGE_POSTS : PCIX_BRIDGE_NOTHING;
}

static void pcix_bridge_request(sim *m, struct pcix_bridge *bridge) {
  pcix_bridge_show(m, bridge);
  for (uint32_t way = 0; way < 2; way++)
    if (sim_wired(m, bridge->self, PCIX_BRIDGE_PORT_BUS + way) && pcix_bridge_next(m, bridge, way))
      call_pci_request(m, bridge->self, PCIX_BRIDGE_PORT_BUS + way);
}

#include "parts/bridge/pcix_bridge/master.c"
#include "parts/bridge/pcix_bridge/target.c"

static void pcix_bridge_self(sim *m, struct pcix_bridge *bridge, const sim_msg *msg) {
  if (msg->kind == PCIX_BRIDGE_POST) ++*pcix_bridge_has_line(m, bridge, msg->x);
  else if (msg->kind == PCIX_BRIDGE_READ) pcix_bridge_read_at(m, bridge, msg->x)->known = 1;
  else {
    pcix_bridge_line *l = pcix_bridge_line_at(m, bridge, msg->x);
    if (l->state == PCIX_BRIDGE_LINE_DROPPED) *l = (pcix_bridge_line){0};
    else l->state = PCIX_BRIDGE_LINE_HERE;
  }
  pcix_bridge_request(m, bridge);
}

static int pcix_bridge_load(sim *m, uint32_t self) {
  const struct pcix_bridge_params *q = SIM_PARAMS(m, self, pcix_bridge);
  struct pcix_bridge_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, PCIX_BRIDGE_VIEW_NOW, 1, sizeof(struct pcix_bridge_now));
  void *posts = sim_view(m, self, PCIX_BRIDGE_VIEW_POSTS, 2 * (uint32_t)q->posts, sizeof(pcix_bridge_post));
  void *reads = sim_view(m, self, PCIX_BRIDGE_VIEW_READS, (uint32_t)q->reads, sizeof(pcix_bridge_read));
  void *lines = sim_view(m, self, PCIX_BRIDGE_VIEW_LINES, (uint32_t)q->lines, sizeof(pcix_bridge_line));
  void *post_words = sim_alloc(m, 2 * (uint32_t)q->posts, PCIX_BRIDGE_LINE),
       *line_words = sim_alloc(m, (uint32_t)q->lines, PCIX_BRIDGE_LINE);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct pcix_bridge_state){sim_offset(m, now), sim_offset(m, posts), sim_offset(m, reads),
      sim_offset(m, lines), sim_offset(m, post_words), sim_offset(m, line_words), (uint32_t)q->posts,
      (uint32_t)q->reads, (uint32_t)q->lines, 0, {{0}, {0}}};
  return SIM_OK;
}

#include "parts/bridge/pcix_bridge/state.c"
