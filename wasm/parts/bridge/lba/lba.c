/*
 * A local bus adapter: a PCI bus at the end of a rope.
 *
 *   device reads  --> retry ... [ lines ] <--+            behind stores, unless the hint lets them overtake
 *   PCI bus       <-- [ queue: stores, loads, lines ] <-- rope <-- system bus adapter
 *   device writes --> [ posts ] ------------------------> rope --> in order, with the values of loads
 *
 * A delayed read that misses fetches its line and some ahead; these are then delivered in one burst, and the
 * next line starts another delayed read: stop and go, as measured. Prefetched lines are discarded when the
 * master of a read has all it wanted.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "pci.h"

#define LBA_WORDS 32u  /* of the longest line */
#define LBA_LOADS 4u   /* one for each processor */
#define LBA_HEADER 8u  /* overhead bytes on the rope */
#define LBA_PAGE 4096u /* boundary at which later adapters end a burst */

enum lba_self {
  LBA_UP = 1,
  LBA_DOWN,
  LBA_ASTRAY,
  LBA_READY,
  LBA_PAST
}; /* arrivals from each link of the rope, in order or reordered */
enum lba_message { LBA_ASKED, LBA_WRITTEN, LBA_LOADED, LBA_RAISED };

struct lba_state {
  uint64_t wanted_end; /* of the current read, as requested by its master */
  uint32_t now_at;
  uint32_t lines_at;
  uint32_t queue_at;
  uint32_t posts_at;
  /* identities, LBA_WORDS per entry */
  uint32_t line_words_at;
  uint32_t post_words_at;
  /* capacity of each */
  uint32_t lines;
  uint32_t posts;
  uint32_t stores;
  uint32_t failed; /* a line had no translation: the bus is dead */
  /* on PCI-X */
  uint32_t splits_at;
  uint32_t splits;
  uint32_t completing; /* whether a split completion is on the bus */
  uint32_t completed;  /* the read of the latest one */
  uint32_t grain;      /* the bus's transfer unit; 0 if bursts end at lines */
  uint32_t spare;
  uint32_t unseen;      /* nothing in memory is tracked, so staleness is not checked */
  uint32_t invalidates; /* the current write is of whole lines */
  uint32_t no_snoop;    /* the current write is not snooped */
  uint32_t spare_too;
  struct lba_value {
    uint64_t value;
    uint32_t write;
    uint32_t spare;
  } value[LBA_LOADS]; /* of processors' reads, returning */
};

/* The hints of a command and a kind of memory, as they are stored in the parameters. */
struct lba_hint {
  uint64_t depth;
  uint64_t block;
  uint64_t relaxed;
  uint64_t current;
  uint64_t no_snoop;
};

typedef struct lba_lines lba_line;
typedef struct lba_queue lba_item;

static struct lba_now *lba_view(sim *m, struct lba *lba) { return sim_at(m, lba->state->now_at); }
static lba_line *lba_line_at(sim *m, struct lba *lba, uint32_t i) {
  return (lba_line *)sim_at(m, lba->state->lines_at) + i;
}
static lba_item *lba_item_at(sim *m, struct lba *lba, uint32_t i) {
  return (lba_item *)sim_at(m, lba->state->queue_at) + i;
}
static struct lba_posts *lba_post_at(sim *m, struct lba *lba, uint32_t i) {
  return (struct lba_posts *)sim_at(m, lba->state->posts_at) + i;
}
static uint32_t *lba_words(sim *m, uint32_t at, uint32_t place) {
  return (uint32_t *)sim_at(m, at) + place * LBA_WORDS;
}

static struct lba_hint lba_hint_of(struct lba *lba, uint64_t address, uint32_t command) {
  int streaming = address >= lba->params->streaming_from;
  switch (command) {
    case PCI_COMMAND_READ_MULTIPLE:
      return streaming
                 ? (struct lba_hint){lba->params->mrm_streaming_depth, lba->params->mrm_streaming_block,
                       lba->params->mrm_streaming_relaxed, lba->params->mrm_streaming_current, 0}
                 : (struct lba_hint){lba->params->mrm_consistent_depth, lba->params->mrm_consistent_block,
                       lba->params->mrm_consistent_relaxed, lba->params->mrm_consistent_current, 0};
    case PCI_COMMAND_READ_LINE:
      return streaming
                 ? (struct lba_hint){lba->params->mrl_streaming_depth, lba->params->mrl_streaming_block,
                       lba->params->mrl_streaming_relaxed, lba->params->mrl_streaming_current, 0}
                 : (struct lba_hint){lba->params->mrl_consistent_depth, lba->params->mrl_consistent_block,
                       lba->params->mrl_consistent_relaxed, lba->params->mrl_consistent_current, 0};
    default:
      return streaming ? (struct lba_hint){lba->params->mr_streaming_depth, lba->params->mr_streaming_block,
                             lba->params->mr_streaming_relaxed, lba->params->mr_streaming_current, 0}
                       : (struct lba_hint){lba->params->mr_consistent_depth, lba->params->mr_consistent_block,
                             lba->params->mr_consistent_relaxed, lba->params->mr_consistent_current, 0};
  }
}

/* Sends bytes on a link of the rope when it is free. Returns the time until they arrive. */
static uint64_t lba_transfer_line(
    sim *m, struct lba *lba, uint64_t *free_at, uint64_t *busy, uint32_t bytes, int passes) {
  uint64_t took = (bytes + LBA_HEADER) * 1000000000000ull / lba->params->rate;
  *busy += took;
  if (passes) return took + lba->params->crossing;
  *free_at = sim_max(*free_at, m->time) + took;
  return *free_at + lba->params->crossing - m->time;
}

static int lba_broken(struct lba *lba, uint32_t fault) { return lba->params->fault == fault; }

/* Whether permitted reordering happens. */
static int lba_record_misdirected(sim *m, struct lba *lba) {
  return lba->params->any_legal && sim_choose(m, SIM_CHOOSE_ARBITER, 2);
}

/* Sends towards memory: in order unless reordering is allowed. Reads and values may pass everything but
   posted writes. */
static void lba_send_up(
    sim *m, struct lba *lba, uint32_t bytes, uint32_t phase, uint32_t message, uint32_t about) {
  static const uint8_t broken[] = {[LBA_ASKED] = LBA_FAULT_READS_PASS,
      [LBA_LOADED] = LBA_FAULT_VALUES_PASS,
      [LBA_RAISED] = LBA_FAULT_INTERRUPTS_PASS};
  int passes = broken[message] && lba_broken(lba, broken[message]);
  if (!passes && (message == LBA_ASKED || message == LBA_LOADED) && lba_view(m, lba)->posted == 0)
    passes = lba_record_misdirected(m, lba);
  sim_schedule_with(m, lba->self,
      lba_transfer_line(m, lba, &lba_view(m, lba)->in_free, &lba->counters->rope_in, bytes, passes), phase,
      passes ? LBA_ASTRAY : LBA_UP, 0, message, about);
}

/* Whether a store is in flight towards the bus. */
static int lba_downstream_store(sim *m, struct lba *lba) {
  for (uint32_t i = 0; i < lba_view(m, lba)->queued; i++)
    if (lba_item_at(m, lba, i)->item == LBA_ITEM_STORE && !lba_item_at(m, lba, i)->here) return 1;
  return 0;
}

/* Receives from the rope: a line for its entry or, without one, the oldest store or load of the queue. Lines
   may pass everything but stores. */
static void lba_send_down(sim *m, struct lba *lba, uint32_t bytes, uint32_t phase, uint32_t place) {
  int passes = place != SIM_NONE && !lba_downstream_store(m, lba) && lba_record_misdirected(m, lba);
  sim_schedule_for(m, lba->self,
      lba_transfer_line(m, lba, &lba_view(m, lba)->out_free, &lba->counters->rope_out, bytes, passes), phase,
      passes ? LBA_PAST : LBA_DOWN, place);
}

/* State for display: blocked if a line waits behind a store, fetching while one is in flight. */
static void lba_show(sim *m, struct lba *lba) {
  struct lba_now *now = lba_view(m, lba);
  uint32_t state = LBA_STATE_IDLE;
  for (uint32_t i = 0; i < lba->state->lines && state != LBA_STATE_BLOCKED; i++) {
    uint32_t line = lba_line_at(m, lba, i)->state;
    if (line == LBA_LINE_BEHIND) state = LBA_STATE_BLOCKED;
    else if (line == LBA_LINE_ASKED) state = LBA_STATE_FETCHING;
  }
  if (now->state == state) return;
  now->state = state;
  uint32_t cause = m->cause;
  sim_trace(m, lba->self, LBA_EV_STATE, 0, state, 0);
  m->cause = cause;
}

static void lba_request_read(sim *m, struct lba *lba);

#include "parts/bridge/lba/lines.c"

static uint32_t lba_retry(struct lba *lba) {
  lba->counters->retries++;
  return 0;
}

#include "parts/bridge/lba/split.c"

/* Requests the bus for the oldest store or load, or for a split read whose data has arrived. */
static void lba_request_read(sim *m, struct lba *lba) {
  int first = lba_view(m, lba)->queued && lba_item_at(m, lba, 0)->here;
  if (first || lba_split_next(m, lba) != SIM_NONE) call_pci_request(m, lba->self, LBA_PORT_PCI);
}

/* The number of bytes of a write for which there is room: each transfer unit needs one entry per line that it
   touches. */
static uint64_t lba_room(
    const struct lba_state *s, const struct pci_begin *q, uint64_t step, uint32_t places) {
  uint64_t at = q->address, end = at + q->bytes, block = s->grain ? s->grain : end - at,
           block_end = at + block;
  for (; places > 0 && at < end; places--) {
    at = sim_min(sim_min((at & ~(step - 1)) + step, block_end), end);
    if (at == block_end) block_end += block;
  }
  return at - q->address;
}

/* The bridge as target of a device. */
static uint32_t lba_pci_begin(sim *m, struct lba *lba, struct pci_begin *q) {
  uint64_t step = lba->params->line, attributes = q->attributes;
  q->ready = m->time;
  if (lba->state->failed) return lba_retry(lba);
  if (!pci_is_read(q->command)) {
    /* One entry is reserved: a line can arrive in two blocks, of which the first is already in flight. */
    uint32_t places = lba->state->posts - lba_view(m, lba)->posted;
    lba->state->invalidates = q->command == PCI_COMMAND_WRITE_INVALIDATE;
    lba->state->no_snoop = (attributes & PCI_NO_SNOOP) != 0;
    uint64_t room = places > 1 ? (places - 1) * step : 0, ragged = q->address % step;
    return room > ragged ? (uint32_t)sim_min(room - ragged, lba_room(lba->state, q, step, places))
                         : lba_retry(lba);
  }
  uint64_t first = q->address & ~(step - 1), end = first;
  lba->state->wanted_end = q->address + q->bytes;
  if (lba_find(m, lba, first) == SIM_NONE) lba_delay(m, lba, q, first);
  for (uint32_t i = 0; i < lba->state->lines; i++)
    lba_line_at(m, lba, i)->offered = 0; /* the previous burst is complete */
  for (uint32_t i; (i = lba_find(m, lba, end)) != SIM_NONE && lba_line_at(m, lba, i)->state == LBA_LINE_HERE;
      end += step)
    lba_line_at(m, lba, i)->offered = 1;
  return end > first ? (uint32_t)sim_min(q->bytes, end - q->address) : lba_retry(lba);
}

static void lba_pci_target_give(sim *m, struct lba *lba, struct pci_target_give *q) {
  uint64_t step = lba->params->line, end = q->address + q->bytes;
  for (uint64_t at = q->address; at < end;) {
    uint64_t line = at & ~(step - 1), next = sim_min(end, line + step);
    uint32_t place = lba_find(m, lba, line);
    if (place != SIM_NONE) lba_line_at(m, lba, place)->used = 1;
    for (; at < next; at += 4)
      if (place != SIM_NONE)
        q->writes[(at - q->address) / 4] = lba_words(m, lba->state->line_words_at, place)[(at - line) / 4];
  }
  for (uint64_t at = q->address; at < end && !lba->state->unseen; at = (at & ~(step - 1)) + step) {
    uint32_t place = lba_find(m, lba, at & ~(step - 1));
    if (place != SIM_NONE)
      lba_compare(m, lba, lba_line_at(m, lba, place), at, sim_min(end, (at & ~(step - 1)) + step),
          q->writes + (at - q->address) / 4);
  }
  lba->counters->bytes_out += q->bytes;
  sim_trace(m, lba->self, LBA_EV_GIVEN, q->address, q->bytes, q->writes[0]);
  for (uint64_t line = q->address & ~(step - 1); line + step <= end; line += step)
    lba_drop_line(m, lba, line);
  if (end != lba->state->wanted_end) return;
  for (uint64_t line = end & ~(step - 1);
      !lba_broken(lba, LBA_FAULT_LINES_SURVIVE) && lba_drop_line(m, lba, line);)
    line += step;
  lba_show(m, lba);
}

/* Sends a device's write, line by line. */
static void lba_pci_target_take(sim *m, struct lba *lba, struct pci_target_take *q) {
  struct lba_now *now = lba_view(m, lba);
  uint64_t step = lba->params->line;
  lba->counters->bytes_in += q->bytes;
  sim_trace(m, lba->self, LBA_EV_POSTED, q->address, q->bytes, q->writes[0]);
  for (uint32_t done = 0; done < q->bytes;) {
    uint64_t addr = q->address + done;
    uint32_t bytes = (uint32_t)sim_min(q->bytes - done, step - addr % step);
    if (now->posted == lba->state->posts) __builtin_trap(); /* accept no more than there is room for */
    *lba_post_at(m, lba, now->posted) = (struct lba_posts){.addr = addr,
        .bytes = bytes,
        .cause = m->cause,
        .whole = lba->state->invalidates && bytes == step,
        .no_snoop = lba->state->no_snoop};
    __builtin_memcpy(lba_words(m, lba->state->post_words_at, now->posted++), q->writes + done / 4, bytes);
    lba_send_up(m, lba, bytes, SIM_PHASE_REQUEST, LBA_WRITTEN, 0);
    done += bytes;
  }
}

/* The oldest post has arrived. */
static void lba_mark_overwritten(sim *m, struct lba *lba) {
  struct lba_now *now = lba_view(m, lba);
  struct lba_posts *first = lba_post_at(m, lba, 0);
  struct rope_write q = {.address = first->addr,
      .bytes = first->bytes,
      .whole = first->whole,
      .no_snoop = first->no_snoop,
      .writes = lba_words(m, lba->state->post_words_at, 0)};
  m->cause = first->cause;
  call_rope_write(m, lba->self, LBA_PORT_ROPE, &q);
  now->posted--;
  for (uint32_t i = 0; i < now->posted; i++) {
    *lba_post_at(m, lba, i) = *lba_post_at(m, lba, i + 1);
    __builtin_memcpy(lba_words(m, lba->state->post_words_at, i),
        lba_words(m, lba->state->post_words_at, i + 1), LBA_WORDS * 4);
  }
  *lba_post_at(m, lba, now->posted) = (struct lba_posts){0};
}

static uint32_t lba_pci_claim(sim *m, struct lba *lba, struct pci_claim *q) {
  (void)m;
  q->base = 0;
  q->length = lba->params->memory;
  return q->which == 0 ? 2 : 0;
}

#include "parts/bridge/lba/queue.c"

/* The bridge as master: the oldest store or load, or a completion; one whose data may overtake goes first. */
static uint32_t lba_pci_grant(sim *m, struct lba *lba, struct pci_grant *q) {
  lba_forward(m, lba);
  const lba_item *first = lba_item_at(m, lba, 0);
  if (lba_view(m, lba)->queued == 0 || !first->here || lba_split_overtakes(m, lba)
      || (lba_split_next(m, lba) != SIM_NONE && lba_record_misdirected(m, lba)))
    return lba_split_grant(m, lba, q);
  q->address = first->addr;
  q->bytes = first->bytes;
  q->command = first->item == LBA_ITEM_LOAD ? PCI_COMMAND_READ : PCI_COMMAND_WRITE;
  m->cause = first->cause;
  return 1;
}

static void lba_pci_master_give(sim *m, struct lba *lba, struct pci_master_give *q) {
  if (lba->state->completing) {
    lba_split_give(m, lba, q);
    return;
  }
  const lba_item *first = lba_item_at(m, lba, 0);
  q->writes[0] = first->write;
  q->value = first->value;
}

static void lba_pci_master_take(sim *m, struct lba *lba, struct pci_master_take *q) {
  lba_item *first = lba_item_at(m, lba, 0);
  first->value = q->value;
  first->write = q->writes[0];
}

/* A load's value returns after devices' earlier writes. */
static uint32_t lba_pci_moved(sim *m, struct lba *lba, struct pci_moved *q) {
  if (lba->state->completing) return lba_split_moved(m, lba, q);
  lba_item first = *lba_item_at(m, lba, 0);
  int aborted = q->bytes == 0 && q->last; /* no target claims the address */
  if (q->bytes == 0 && !aborted) {
    call_pci_request(m, lba->self, LBA_PORT_PCI);
    return 0;
  }
  if (first.item == LBA_ITEM_LOAD) {
    lba->state->value[first.place] =
        (struct lba_value){.value = aborted ? UINT32_MAX : first.value, .write = first.write};
    lba_send_up(m, lba, first.bytes, SIM_PHASE_ANSWER, LBA_LOADED, first.place);
  } else {
    lba->counters->stores++;
    lba_view(m, lba)->stores--;
    call_rope_room(m, lba->self, LBA_PORT_ROPE);
  }
  lba_next(m, lba);
  return 0;
}

static void lba_irq_raise(sim *m, struct lba *lba, uint32_t line, const struct irq_raise *q) {
  (void)q;
  lba_send_up(m, lba, 0, SIM_PHASE_ANSWER, LBA_RAISED, line);
}

/* Handles arrivals at the system bus adapter. */
static void lba_upstream(sim *m, struct lba *lba, uint32_t message, uint32_t about) {
  switch (message) {
    case LBA_ASKED: lba_asked(m, lba, about); break;
    case LBA_WRITTEN: lba_mark_overwritten(m, lba); break;
    case LBA_LOADED: {
      struct rope_loaded q = {
          .value = lba->state->value[about].value, .write = lba->state->value[about].write, .tag = about};
      lba->state->value[about] = (struct lba_value){0};
      call_rope_loaded(m, lba->self, LBA_PORT_ROPE, &q);
      break;
    }
    default:
      if (sim_wired(m, lba->self, LBA_PORT_INTERRUPT))
        send_irq_raise(
            m, lba->self, LBA_PORT_INTERRUPT, 0, SIM_PHASE_ANSWER, (struct irq_raise){.source = about});
  }
}

static void lba_self(sim *m, struct lba *lba, const sim_msg *msg) {
  switch (msg->kind) {
    case LBA_READY:
      lba_send_down(m, lba, lba_line_at(m, lba, msg->x)->bytes, SIM_PHASE_ANSWER, msg->x);
      break;
    case LBA_DOWN:
    case LBA_PAST:
      if (msg->x == SIM_NONE) lba_arrived(m, lba);
      else lba_newest_item(m, lba, msg->x);
      break;
    default: lba_upstream(m, lba, msg->x, msg->y);
  }
}

/* The behaviour of conventional PCI without Read Current of consistent memory is unknown. */
static int lba_check_current(sim *m, struct lba *lba) {
  if (call_pci_splits_reads(m, lba->self, LBA_PORT_PCI)) return SIM_OK;
  if (!lba->params->mr_consistent_current)
    return sim_refuse(m, SIM_BAD_PARAM, lba->self, LBA_PARAM_MR_CONSISTENT_CURRENT);
  if (!lba->params->mrl_consistent_current)
    return sim_refuse(m, SIM_BAD_PARAM, lba->self, LBA_PARAM_MRL_CONSISTENT_CURRENT);
  if (!lba->params->mrm_consistent_current)
    return sim_refuse(m, SIM_BAD_PARAM, lba->self, LBA_PARAM_MRM_CONSISTENT_CURRENT);
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
  void *line_words = sim_alloc(m, (uint32_t)q->lines, LBA_WORDS * 4),
       *post_words = sim_alloc(m, (uint32_t)q->posts, LBA_WORDS * 4);
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
  return lba_check_current(m, SIM_CONTEXT(m, self, lba));
}

#include "parts/bridge/lba/state.c"
