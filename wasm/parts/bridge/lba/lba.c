/*
 * A local bus adapter: a PCI bus at the end of a rope.
 *
 *   device reads  --> retry ... [ lines ] <--+            behind stores, unless the hint lets them overtake
 *   PCI bus       <-- [ queue: stores, loads, lines ] <-- rope <-- system bus adapter
 *   device writes --> [ posts ] ------------------------> rope --> in order, with the values of loads
 *
 * A delayed read that misses fetches its line and some ahead; these are then delivered in one burst, and the next
 * line starts another delayed read: stop and go, as measured. Prefetched lines are discarded when the master of a
 * read has all it wanted.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

#define LBA_WORDS 32u  /* of the longest line */
#define LBA_LOADS 4u   /* one for each processor */
#define LBA_HEADER 8u  /* overhead bytes on the rope */
#define LBA_PAGE 4096u /* boundary at which later adapters end a burst */

enum lba_self { LBA_UP = 1, LBA_DOWN, LBA_ASTRAY, LBA_READY, LBA_PAST }; /* arrivals from each link of the rope, in order or reordered */
enum lba_message { LBA_ASKED, LBA_WRITTEN, LBA_LOADED, LBA_RAISED };

struct lba_state {
  uint64_t wanted_end; /* of the current read, as requested by its master */
  uint32_t now_at, lines_at, queue_at, posts_at;
  uint32_t line_words_at, post_words_at; /* identities, LBA_WORDS per entry */
  uint32_t lines, posts, stores;         /* capacity of each */
  uint32_t failed;                       /* a line had no translation: the bus is dead */
  uint32_t splits_at, splits;            /* on PCI-X */
  uint32_t completing, completed;        /* whether a split completion is on the bus; the read of the latest one */
  uint32_t grain, spare;                 /* the bus's transfer unit; 0 if bursts end at lines */
  uint32_t unseen, invalidates;          /* nothing in memory is tracked, so staleness is not checked; the current write is of whole lines */
  struct lba_value {
    uint64_t value;
    uint32_t write, spare;
  } value[LBA_LOADS]; /* of processors' reads, returning */
};

/* The hints of a command and a kind of memory, as they are stored in the parameters. */
struct lba_hint {
  uint64_t depth, block, relaxed, current;
};

typedef struct lba_lines lba_line;
typedef struct lba_queue lba_item;

static struct lba_now *lba_view(sim *m, struct lba_state *s) { return sim_at(m, s->now_at); }
static lba_line *lba_line_at(sim *m, struct lba_state *s, uint32_t i) { return (lba_line *)sim_at(m, s->lines_at) + i; }
static lba_item *lba_item_at(sim *m, struct lba_state *s, uint32_t i) { return (lba_item *)sim_at(m, s->queue_at) + i; }
static struct lba_posts *lba_post_at(sim *m, struct lba_state *s, uint32_t i) { return (struct lba_posts *)sim_at(m, s->posts_at) + i; }
static uint32_t *lba_words(sim *m, uint32_t at, uint32_t place) { return (uint32_t *)sim_at(m, at) + place * LBA_WORDS; }

static struct lba_hint lba_hint_of(sim *m, uint32_t self, uint64_t address, uint32_t command) {
  const struct lba_params *p = SIM_PARAMS(m, self, lba);
  int streaming = address >= p->streaming_from;
  switch (command) {
    case PCI_COMMAND_READ_MULTIPLE:
      return streaming ? (struct lba_hint){p->mrm_streaming_depth, p->mrm_streaming_block, p->mrm_streaming_relaxed, p->mrm_streaming_current}
                       : (struct lba_hint){p->mrm_consistent_depth, p->mrm_consistent_block, p->mrm_consistent_relaxed, p->mrm_consistent_current};
    case PCI_COMMAND_READ_LINE:
      return streaming ? (struct lba_hint){p->mrl_streaming_depth, p->mrl_streaming_block, p->mrl_streaming_relaxed, p->mrl_streaming_current}
                       : (struct lba_hint){p->mrl_consistent_depth, p->mrl_consistent_block, p->mrl_consistent_relaxed, p->mrl_consistent_current};
    default:
      return streaming ? (struct lba_hint){p->mr_streaming_depth, p->mr_streaming_block, p->mr_streaming_relaxed, p->mr_streaming_current}
                       : (struct lba_hint){p->mr_consistent_depth, p->mr_consistent_block, p->mr_consistent_relaxed, p->mr_consistent_current};
  }
}

/* Sends bytes on a link of the rope when it is free. Returns the time until they arrive. */
static uint64_t lba_transfer_line(sim *m, uint32_t self, uint64_t *free_at, uint64_t *busy, uint32_t bytes, int passes) {
  const struct lba_params *p = SIM_PARAMS(m, self, lba);
  uint64_t took = (bytes + LBA_HEADER) * 1000000000000ull / p->rate;
  *busy += took;
  if (passes) return took + p->crossing;
  *free_at = sim_max(*free_at, m->time) + took;
  return *free_at + p->crossing - m->time;
}

static int lba_broken(sim *m, uint32_t self, uint32_t fault) { return SIM_PARAMS(m, self, lba)->fault == fault; }

/* Whether permitted reordering happens. */
static int lba_record_misdirected(sim *m, uint32_t self) { return SIM_PARAMS(m, self, lba)->any_legal && sim_choose(m, SIM_CHOOSE_ARBITER, 2); }

/* Sends towards memory: in order unless reordering is allowed. Reads and values may pass everything but posted
   writes. */
static void lba_send_up(sim *m, uint32_t self, uint32_t bytes, uint32_t phase, uint32_t message, uint32_t about) {
  static const uint8_t broken[] = {[LBA_ASKED] = LBA_FAULT_READS_PASS, [LBA_LOADED] = LBA_FAULT_VALUES_PASS, [LBA_RAISED] = LBA_FAULT_INTERRUPTS_PASS};
  int passes = broken[message] && lba_broken(m, self, broken[message]);
  if (!passes && (message == LBA_ASKED || message == LBA_LOADED) && lba_view(m, SIM_STATE(m, self, lba))->posted == 0) passes = lba_record_misdirected(m, self);
  sim_schedule_with(m, self, lba_transfer_line(m, self, &lba_view(m, SIM_STATE(m, self, lba))->in_free, &SIM_COUNTERS(m, self, lba)->rope_in, bytes, passes), phase, passes ? LBA_ASTRAY : LBA_UP, 0, message, about);
}

/* Whether a store is in flight towards the bus. */
static int lba_downstream_store(sim *m, struct lba_state *s) {
  for (uint32_t i = 0; i < lba_view(m, s)->queued; i++)
    if (lba_item_at(m, s, i)->item == LBA_ITEM_STORE && !lba_item_at(m, s, i)->here) return 1;
  return 0;
}

/* Receives from the rope: a line for its entry or, without one, the oldest store or load of the queue. Lines may
   pass everything but stores. */
static void lba_send_down(sim *m, uint32_t self, uint32_t bytes, uint32_t phase, uint32_t place) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  int passes = place != SIM_NONE && !lba_downstream_store(m, s) && lba_record_misdirected(m, self);
  sim_schedule_for(m, self, lba_transfer_line(m, self, &lba_view(m, s)->out_free, &SIM_COUNTERS(m, self, lba)->rope_out, bytes, passes), phase, passes ? LBA_PAST : LBA_DOWN, place);
}

/* State for display: blocked if a line waits behind a store, fetching while one is in flight. */
static void lba_show(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  struct lba_now *now = lba_view(m, s);
  uint32_t state = LBA_STATE_IDLE;
  for (uint32_t i = 0; i < s->lines && state != LBA_STATE_BLOCKED; i++) {
    uint32_t line = lba_line_at(m, s, i)->state;
    if (line == LBA_LINE_BEHIND) state = LBA_STATE_BLOCKED;
    else if (line == LBA_LINE_ASKED) state = LBA_STATE_FETCHING;
  }
  if (now->state == state) return;
  now->state = state;
  uint32_t cause = m->cause;
  sim_trace(m, self, LBA_EV_STATE, 0, state, 0);
  m->cause = cause;
}

static void lba_request_read(sim *m, uint32_t self);

#include "parts/bridge/lba/lines.c"

static uint32_t lba_retry(sim *m, uint32_t self) {
  SIM_COUNTERS(m, self, lba)->retries++;
  return 0;
}

#include "parts/bridge/lba/split.c"

/* Requests the bus for the oldest store or load, or for a split read whose data has arrived. */
static void lba_request_read(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  int first = lba_view(m, s)->queued && lba_item_at(m, s, 0)->here;
  if (first || lba_split_next(m, self) != SIM_NONE) call_pci_request(m, self, LBA_PORT_PCI);
}

/* The number of bytes of a write for which there is room: each transfer unit needs one entry per line that it
   touches. */
static uint64_t lba_room(const struct lba_state *s, const struct pci_begin *q, uint64_t step, uint32_t places) {
  uint64_t at = q->address, end = at + q->bytes, block = s->grain ? s->grain : end - at, block_end = at + block;
  for (; places > 0 && at < end; places--) {
    at = sim_min(sim_min((at & ~(step - 1)) + step, block_end), end);
    if (at == block_end) block_end += block;
  }
  return at - q->address;
}

/* The bridge as target of a device. */
static uint32_t lba_pci_begin(sim *m, uint32_t self, struct pci_begin *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint64_t step = SIM_PARAMS(m, self, lba)->line;
  q->ready = m->time;
  if (s->failed) return lba_retry(m, self);
  if (!pci_is_read(q->command)) {
    /* One entry is reserved: a line can arrive in two blocks, of which the first is already in flight. */
    uint32_t places = s->posts - lba_view(m, s)->posted;
    s->invalidates = q->command == PCI_COMMAND_WRITE_INVALIDATE;
    uint64_t room = places > 1 ? (places - 1) * step : 0, ragged = q->address % step;
    return room > ragged ? (uint32_t)sim_min(room - ragged, lba_room(s, q, step, places)) : lba_retry(m, self);
  }
  uint64_t first = q->address & ~(step - 1), end = first;
  s->wanted_end = q->address + q->bytes;
  if (lba_find(m, s, first) == SIM_NONE) lba_delay(m, self, q, first);
  for (uint32_t i = 0; i < s->lines; i++) lba_line_at(m, s, i)->offered = 0; /* the previous burst is complete */
  for (uint32_t i; (i = lba_find(m, s, end)) != SIM_NONE && lba_line_at(m, s, i)->state == LBA_LINE_HERE; end += step) lba_line_at(m, s, i)->offered = 1;
  return end > first ? (uint32_t)sim_min(q->bytes, end - q->address) : lba_retry(m, self);
}

static void lba_pci_target_give(sim *m, uint32_t self, struct pci_target_give *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint64_t step = SIM_PARAMS(m, self, lba)->line, end = q->address + q->bytes;
  for (uint64_t at = q->address; at < end;) {
    uint64_t line = at & ~(step - 1), next = sim_min(end, line + step);
    uint32_t place = lba_find(m, s, line);
    if (place != SIM_NONE) lba_line_at(m, s, place)->used = 1;
    for (; at < next; at += 4)
      if (place != SIM_NONE) q->writes[(at - q->address) / 4] = lba_words(m, s->line_words_at, place)[(at - line) / 4];
  }
  for (uint64_t at = q->address; at < end && !s->unseen; at = (at & ~(step - 1)) + step) {
    uint32_t place = lba_find(m, s, at & ~(step - 1));
    if (place != SIM_NONE) lba_compare(m, self, lba_line_at(m, s, place), at, sim_min(end, (at & ~(step - 1)) + step), q->writes + (at - q->address) / 4);
  }
  SIM_COUNTERS(m, self, lba)->bytes_out += q->bytes;
  sim_trace(m, self, LBA_EV_GIVEN, q->address, q->bytes, q->writes[0]);
  for (uint64_t line = q->address & ~(step - 1); line + step <= end; line += step) lba_drop_line(m, self, line);
  if (end != s->wanted_end) return;
  for (uint64_t line = end & ~(step - 1); !lba_broken(m, self, LBA_FAULT_LINES_SURVIVE) && lba_drop_line(m, self, line);) line += step;
  lba_show(m, self);
}

/* Sends a device's write, line by line. */
static void lba_pci_target_take(sim *m, uint32_t self, struct pci_target_take *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  struct lba_now *now = lba_view(m, s);
  uint64_t step = SIM_PARAMS(m, self, lba)->line;
  SIM_COUNTERS(m, self, lba)->bytes_in += q->bytes;
  sim_trace(m, self, LBA_EV_POSTED, q->address, q->bytes, q->writes[0]);
  for (uint32_t done = 0; done < q->bytes;) {
    uint64_t addr = q->address + done;
    uint32_t bytes = (uint32_t)sim_min(q->bytes - done, step - addr % step);
    if (now->posted == s->posts) __builtin_trap(); /* accept no more than there is room for */
    *lba_post_at(m, s, now->posted) = (struct lba_posts){.addr = addr, .bytes = bytes, .cause = m->cause, .whole = s->invalidates && bytes == step};
    __builtin_memcpy(lba_words(m, s->post_words_at, now->posted++), q->writes + done / 4, bytes);
    lba_send_up(m, self, bytes, SIM_PHASE_REQUEST, LBA_WRITTEN, 0);
    done += bytes;
  }
}

/* The oldest post has arrived. */
static void lba_mark_overwritten(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  struct lba_now *now = lba_view(m, s);
  struct lba_posts *first = lba_post_at(m, s, 0);
  struct rope_write q = {.address = first->addr, .bytes = first->bytes, .whole = first->whole, .writes = lba_words(m, s->post_words_at, 0)};
  m->cause = first->cause;
  call_rope_write(m, self, LBA_PORT_ROPE, &q);
  now->posted--;
  for (uint32_t i = 0; i < now->posted; i++) {
    *lba_post_at(m, s, i) = *lba_post_at(m, s, i + 1);
    __builtin_memcpy(lba_words(m, s->post_words_at, i), lba_words(m, s->post_words_at, i + 1), LBA_WORDS * 4);
  }
  *lba_post_at(m, s, now->posted) = (struct lba_posts){0};
}

static uint32_t lba_pci_claim(sim *m, uint32_t self, struct pci_claim *q) {
  q->base = 0;
  q->length = SIM_PARAMS(m, self, lba)->memory;
  return q->which == 0 ? 2 : 0;
}

#include "parts/bridge/lba/queue.c"

/* The bridge as master: the oldest store or load, or a completion; one whose data may overtake goes first. */
static uint32_t lba_pci_grant(sim *m, uint32_t self, struct pci_grant *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  lba_forward(m, self);
  const lba_item *first = lba_item_at(m, s, 0);
  if (lba_view(m, s)->queued == 0 || !first->here || lba_split_overtakes(m, self) || (lba_split_next(m, self) != SIM_NONE && lba_record_misdirected(m, self))) return lba_split_grant(m, self, q);
  q->address = first->addr;
  q->bytes = first->bytes;
  q->command = first->item == LBA_ITEM_LOAD ? PCI_COMMAND_READ : PCI_COMMAND_WRITE;
  m->cause = first->cause;
  return 1;
}

static void lba_pci_master_give(sim *m, uint32_t self, struct pci_master_give *q) {
  if (SIM_STATE(m, self, lba)->completing) {
    lba_split_give(m, self, q);
    return;
  }
  const lba_item *first = lba_item_at(m, SIM_STATE(m, self, lba), 0);
  q->writes[0] = first->write;
  q->value = first->value;
}

static void lba_pci_master_take(sim *m, uint32_t self, struct pci_master_take *q) {
  lba_item *first = lba_item_at(m, SIM_STATE(m, self, lba), 0);
  first->value = q->value;
  first->write = q->writes[0];
}

/* A load's value returns after devices' earlier writes. */
static uint32_t lba_pci_moved(sim *m, uint32_t self, struct pci_moved *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  if (s->completing) return lba_split_moved(m, self, q);
  lba_item first = *lba_item_at(m, s, 0);
  int aborted = q->bytes == 0 && q->last; /* no target claims the address */
  if (q->bytes == 0 && !aborted) {
    call_pci_request(m, self, LBA_PORT_PCI);
    return 0;
  }
  if (first.item == LBA_ITEM_LOAD) {
    s->value[first.place] = (struct lba_value){.value = aborted ? UINT32_MAX : first.value, .write = first.write};
    lba_send_up(m, self, first.bytes, SIM_PHASE_ANSWER, LBA_LOADED, first.place);
  } else {
    SIM_COUNTERS(m, self, lba)->stores++;
    lba_view(m, s)->stores--;
    call_rope_room(m, self, LBA_PORT_ROPE);
  }
  lba_next(m, self);
  return 0;
}

static void lba_irq_raise(sim *m, uint32_t self, uint32_t line, const struct irq_raise *q) {
  (void)q;
  lba_send_up(m, self, 0, SIM_PHASE_ANSWER, LBA_RAISED, line);
}

/* Handles arrivals at the system bus adapter. */
static void lba_upstream(sim *m, uint32_t self, uint32_t message, uint32_t about) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  switch (message) {
    case LBA_ASKED: lba_asked(m, self, about); break;
    case LBA_WRITTEN: lba_mark_overwritten(m, self); break;
    case LBA_LOADED: {
      struct rope_loaded q = {.value = s->value[about].value, .write = s->value[about].write, .tag = about};
      s->value[about] = (struct lba_value){0};
      call_rope_loaded(m, self, LBA_PORT_ROPE, &q);
      break;
    }
    default:
      if (sim_wired(m, self, LBA_PORT_INTERRUPT)) send_irq_raise(m, self, LBA_PORT_INTERRUPT, 0, SIM_PHASE_ANSWER, (struct irq_raise){.source = about});
  }
}

static void lba_self(sim *m, uint32_t self, const sim_msg *msg) {
  switch (msg->kind) {
    case LBA_READY: lba_send_down(m, self, lba_line_at(m, SIM_STATE(m, self, lba), msg->x)->bytes, SIM_PHASE_ANSWER, msg->x); break;
    case LBA_DOWN:
    case LBA_PAST:
      if (msg->x == SIM_NONE) lba_arrived(m, self);
      else lba_newest_item(m, self, msg->x);
      break;
    default: lba_upstream(m, self, msg->x, msg->y);
  }
}

/* The behaviour of conventional PCI without Read Current of consistent memory is unknown. */
static int lba_check_current(sim *m, uint32_t self) {
  const struct lba_params *q = SIM_PARAMS(m, self, lba);
  if (call_pci_splits_reads(m, self, LBA_PORT_PCI)) return SIM_OK;
  if (!q->mr_consistent_current) return sim_refuse(m, SIM_BAD_PARAM, self, LBA_PARAM_MR_CONSISTENT_CURRENT);
  if (!q->mrl_consistent_current) return sim_refuse(m, SIM_BAD_PARAM, self, LBA_PARAM_MRL_CONSISTENT_CURRENT);
  if (!q->mrm_consistent_current) return sim_refuse(m, SIM_BAD_PARAM, self, LBA_PARAM_MRM_CONSISTENT_CURRENT);
  return SIM_OK;
}

static int lba_load(sim *m, uint32_t self) {
  const struct lba_params *q = SIM_PARAMS(m, self, lba);
  struct lba_state *s = sim_state_alloc(m, self, sizeof *s);
  /* Lines that wait behind a store are in the queue too. */
  uint32_t queue = (uint32_t)(q->stores + q->lines) + LBA_LOADS;
  void *now = sim_view(m, self, LBA_VIEW_NOW, 1, sizeof(struct lba_now));
  void *lines = sim_view(m, self, LBA_VIEW_LINES, (uint32_t)q->lines, sizeof(lba_line));
  void *items = sim_view(m, self, LBA_VIEW_QUEUE, queue, sizeof(lba_item));
  void *posts = sim_view(m, self, LBA_VIEW_POSTS, (uint32_t)q->posts, sizeof(struct lba_posts));
  void *splits = sim_view(m, self, LBA_VIEW_SPLITS, (uint32_t)q->splits, sizeof(lba_split));
  void *line_words = sim_alloc(m, (uint32_t)q->lines, LBA_WORDS * 4), *post_words = sim_alloc(m, (uint32_t)q->posts, LBA_WORDS * 4);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->lines_at = sim_offset(m, lines);
  s->queue_at = sim_offset(m, items);
  s->posts_at = sim_offset(m, posts);
  s->splits_at = sim_offset(m, splits);
  s->splits = (uint32_t)q->splits;
  s->line_words_at = sim_offset(m, line_words);
  s->post_words_at = sim_offset(m, post_words);
  s->lines = (uint32_t)q->lines;
  s->posts = (uint32_t)q->posts;
  s->stores = (uint32_t)q->stores;
  s->grain = call_pci_grain(m, self, LBA_PORT_PCI);
  return lba_check_current(m, self);
}

#include "parts/bridge/lba/state.c"
