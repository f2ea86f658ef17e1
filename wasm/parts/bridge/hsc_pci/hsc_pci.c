/*
 * A PCI bridge in an HSC slot.
 *
 *   card writes --> [ posts ] --------+--> HSC --> adapter      in order, cut into aligned pieces
 *   interrupt   --> behind the posts -+
 *   card reads  --> retry ... [ lines ] <-- HSC reads, some ahead of what was asked
 *   processors  --> [ accesses ] --> PCI                        in order; a read's value goes back
 *
 * Posted writes go first, as PCI requires: a delayed read, an interrupt and a register's value all wait for
 * the card's earlier writes. So software that reads "done" from a card finds its data in memory. One stream
 * is held at a time: a read elsewhere starts another, and the rest is discarded. Memory can change while
 * lines are held, so delivered data is compared with the newest. Data is tracked by half lines on HSC and by
 * words on PCI: all words of a half carry its write.
 */
#include "core/engine.h"
#include "core/shadow_memory.h"
#include "gen/protocols.h"
#include "pci.h"

#define PCI_IO_LINE 32u
#define PCI_IO_HALF 16u
#define PCI_IO_PAGE 4096u

struct hsc_pci_state {
  uint32_t now_at;
  uint32_t lines_at;
  uint32_t posts_at;
  uint32_t accesses_at;
  /* capacity of each */
  uint32_t lines;
  uint32_t posts;
  uint32_t accesses;
  uint32_t asked;              /* lines in flight */
  uint32_t sending;            /* enum hsc_kind + 1 of this slot's transaction on HSC */
  uint32_t piece;              /* bytes of the oldest post that are on HSC */
  struct shadow_memory shadow; /* shadow memory of the memory behind HSC */
};

typedef struct hsc_pci_lines hsc_pci_line;
typedef struct hsc_pci_posts hsc_pci_post;
typedef struct hsc_pci_accesses hsc_pci_access;

static struct hsc_pci_now *hsc_pci_view(sim *m, struct hsc_pci_state *s) { return sim_at(m, s->now_at); }
static hsc_pci_line *hsc_pci_lines(sim *m, struct hsc_pci *bridge) {
  return sim_at(m, bridge->state->lines_at);
}
static hsc_pci_post *hsc_pci_posts(sim *m, struct hsc_pci_state *s) { return sim_at(m, s->posts_at); }
static hsc_pci_access *hsc_pci_accesses(sim *m, struct hsc_pci *bridge) {
  return sim_at(m, bridge->state->accesses_at);
}

static uint64_t hsc_pci_fault(struct hsc_pci *bridge) { return bridge->params->fault; }

static hsc_pci_line *hsc_pci_find(sim *m, struct hsc_pci *bridge, uint64_t line) {
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    hsc_pci_line *l = &hsc_pci_lines(m, bridge)[i];
    if (l->addr == line && l->state != HSC_PCI_LINE_EMPTY && l->state != HSC_PCI_LINE_DROPPED) return l;
  }
  return NULL;
}

/* Fetching continues while a needed line has not arrived. */
static void hsc_pci_show(sim *m, struct hsc_pci *bridge) {
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  uint32_t state = HSC_PCI_STATE_IDLE;
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    uint32_t line = hsc_pci_lines(m, bridge)[i].state;
    if (line == HSC_PCI_LINE_WANTED || line == HSC_PCI_LINE_ASKED) state = HSC_PCI_STATE_FETCHING;
  }
  if (now->state == state) return;
  now->state = state;
  uint32_t cause = m->cause;
  sim_trace(m, bridge->self, HSC_PCI_EV_STATE, now->next, state, 0);
  m->cause = cause;
}

/* Removes a line from the buffer; a line in flight is discarded when it arrives. */
static void hsc_pci_drop(struct hsc_pci *bridge, hsc_pci_line *l) {
  bridge->counters->wasted += !l->used && (l->state == HSC_PCI_LINE_HERE || l->state == HSC_PCI_LINE_ASKED);
  if (l->state == HSC_PCI_LINE_ASKED || l->state == HSC_PCI_LINE_DROPPED) l->state = HSC_PCI_LINE_DROPPED;
  else *l = (hsc_pci_line){0};
}

/* Requests the lines of a read and some ahead, within the page and the free entries. */
static void hsc_pci_request_line(sim *m, struct hsc_pci *bridge, uint64_t addr, uint32_t bytes) {
  uint64_t first = addr & ~(uint64_t)(PCI_IO_LINE - 1),
           page_end = (addr & ~(uint64_t)(PCI_IO_PAGE - 1)) + PCI_IO_PAGE;
  uint64_t end = ((addr + bytes + PCI_IO_LINE - 1) & ~(uint64_t)(PCI_IO_LINE - 1))
                 + bridge->params->prefetch * PCI_IO_LINE;
  end = sim_min(sim_min(end, page_end), first + (uint64_t)bridge->state->lines * PCI_IO_LINE);
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    hsc_pci_line *l = &hsc_pci_lines(m, bridge)[i];
    int useful = l->addr >= first && l->addr < end;
    if (l->state != HSC_PCI_LINE_EMPTY && l->state != HSC_PCI_LINE_DROPPED && !useful)
      hsc_pci_drop(bridge, l);
  }
  for (uint64_t line = first; line < end; line += PCI_IO_LINE) {
    if (hsc_pci_find(m, bridge, line)) continue;
    for (uint32_t i = 0; i < bridge->state->lines; i++) {
      hsc_pci_line *l = &hsc_pci_lines(m, bridge)[i];
      if (l->state != HSC_PCI_LINE_EMPTY) continue;
      *l = (hsc_pci_line){.addr = line, .state = HSC_PCI_LINE_WANTED};
      if (hsc_pci_fault(bridge) != HSC_PCI_FAULT_READS_FORGOTTEN)
        call_hsc_request(m, bridge->self, HSC_PCI_PORT_HSC);
      break;
    }
  }
}

/* The number of contiguous bytes present from addr on. */
static uint32_t hsc_pci_has_line(sim *m, struct hsc_pci *bridge, uint64_t addr) {
  uint64_t line = addr & ~(uint64_t)(PCI_IO_LINE - 1), end = line;
  for (hsc_pci_line *l; (l = hsc_pci_find(m, bridge, end)) && l->state == HSC_PCI_LINE_HERE;)
    end += PCI_IO_LINE;
  return end > line ? (uint32_t)(end - addr) : 0;
}

static uint32_t hsc_pci_retry(struct hsc_pci *bridge) {
  bridge->counters->retries++;
  return 0;
}

static uint32_t hsc_pci_begin_read(sim *m, struct hsc_pci *bridge, struct pci_begin *q) {
  int known = hsc_pci_find(m, bridge, q->address & ~(uint64_t)(PCI_IO_LINE - 1)) != NULL;
  uint32_t here = hsc_pci_has_line(m, bridge, q->address);
  if (!known) sim_trace(m, bridge->self, HSC_PCI_EV_DELAYED, q->address, q->bytes, 0);
  hsc_pci_request_line(m, bridge, q->address, q->bytes);
  hsc_pci_show(m, bridge);
  return here ? (uint32_t)sim_min(q->bytes, here) : hsc_pci_retry(bridge);
}

/* The bridge as target of a card. */
static uint32_t hsc_pci_pci_begin(sim *m, struct hsc_pci *bridge, struct pci_begin *q) {
  q->ready = m->time;
  if (pci_is_read(q->command)) return hsc_pci_begin_read(m, bridge, q);
  /* One entry is reserved: a line can arrive in two blocks, of which the first is already in flight. */
  uint32_t places = bridge->state->posts - hsc_pci_view(m, bridge->state)->posted;
  uint64_t room = places > 1 ? (uint64_t)(places - 1) * PCI_IO_LINE : 0, ragged = q->address % PCI_IO_LINE;
  return room > ragged ? (uint32_t)sim_min(q->bytes, room - ragged) : hsc_pci_retry(bridge);
}

/* Compares the delivered part of a line with the newest data. */
static void hsc_pci_compare(sim *m, struct hsc_pci *bridge, const hsc_pci_line *l, uint64_t from,
    uint32_t bytes, const uint32_t *writes) {
  uint64_t memory = l->memory + (from - l->addr);
  uint32_t cause = m->cause;
  struct shadow_stale old = shadow_check_current(m, &bridge->state->shadow, memory, bytes, writes);
  if (old.words == 0) return;
  bridge->counters->stale += old.words;
  bridge->counters->torn += old.words < old.of;
  sim_trace(m, bridge->self, HSC_PCI_EV_STALE, from + (old.at - memory), old.got, old.newest);
  m->cause = cause; /* recorded, but not a cause of later events */
}

static void hsc_pci_pci_target_give(sim *m, struct hsc_pci *bridge, struct pci_target_give *q) {
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  for (uint32_t i = 0, first; i * 4 < q->bytes;) {
    uint64_t from = q->address + i * 4, line = from & ~(uint64_t)(PCI_IO_LINE - 1);
    hsc_pci_line *l = hsc_pci_find(m, bridge, line);
    for (first = i; i * 4 < q->bytes && q->address + i * 4 < line + PCI_IO_LINE; i++)
      if (l) q->writes[i] = (q->address + i * 4) & PCI_IO_HALF ? l->half_1 : l->half_0;
    if (!l) continue;
    l->used = 1;
    hsc_pci_compare(m, bridge, l, from, (i - first) * 4, q->writes + first);
  }
  now->next = q->address + q->bytes;
  bridge->counters->bytes_out += q->bytes;
  sim_trace(m, bridge->self, HSC_PCI_EV_GIVEN, q->address, q->bytes, q->writes[0]);
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    hsc_pci_line *l = &hsc_pci_lines(m, bridge)[i];
    if (l->state == HSC_PCI_LINE_HERE && l->addr + PCI_IO_LINE <= now->next) *l = (hsc_pci_line){0};
  }
}

/* Adds a new post, or extends the newest one if that is for the same line and has not left. */
static void hsc_pci_add(sim *m, struct hsc_pci *bridge, hsc_pci_post entry) {
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  hsc_pci_post *last = hsc_pci_posts(m, bridge->state) + now->posted - 1;
  int open = now->posted > 1 || (now->posted == 1 && bridge->state->sending != HSC_KIND_WRITE + 1);
  if (open && last->addr + last->bytes == entry.addr && entry.addr % PCI_IO_LINE) {
    last->bytes += entry.bytes;
    last->half_0 = (uint32_t)sim_max(last->half_0, entry.half_0);
    last->half_1 = (uint32_t)sim_max(last->half_1, entry.half_1);
    return;
  }
  if (now->posted == bridge->state->posts) __builtin_trap(); /* accept no more than there is room for */
  hsc_pci_posts(m, bridge->state)[now->posted++] = entry;
}

/* Posts a card's write, line by line; a half carries the newest of its words' writes. */
static void hsc_pci_pci_target_take(sim *m, struct hsc_pci *bridge, struct pci_target_take *q) {
  for (uint32_t done = 0; done < q->bytes;) {
    uint64_t addr = q->address + done;
    uint32_t bytes = (uint32_t)sim_min(q->bytes - done, PCI_IO_LINE - addr % PCI_IO_LINE), halves[2] = {0, 0};
    for (uint32_t i = 0; i < bytes; i += 4) {
      uint32_t half = (addr + i) & PCI_IO_HALF ? 1 : 0;
      halves[half] = (uint32_t)sim_max(halves[half], q->writes[(done + i) / 4]);
    }
    hsc_pci_add(m, bridge,
        (hsc_pci_post){
            .addr = addr, .bytes = bytes, .cause = m->cause, .half_0 = halves[0], .half_1 = halves[1]});
    done += bytes;
  }
  bridge->counters->bytes_in += q->bytes;
  sim_trace(m, bridge->self, HSC_PCI_EV_POSTED, q->address, q->bytes, q->writes[0]);
  call_hsc_request(m, bridge->self, HSC_PCI_PORT_HSC);
}

/* The bus calls this before its first tenure, when nothing is held yet: a good time to locate the shadow
 * memory. */
static uint32_t hsc_pci_pci_claim(sim *m, struct hsc_pci *bridge, struct pci_claim *q) {
  struct shadow_cells shadow = {.shadow = (uint32_t *)&bridge->state->shadow};
  if (q->which == 0) call_shadow_cells(m, bridge->self, HSC_PCI_PORT_HSC, &shadow);
  q->base = 0;
  q->length = bridge->params->memory;
  return q->which == 0;
}

/* The bridge as master: the oldest register access. */
static uint32_t hsc_pci_pci_grant(sim *m, struct hsc_pci *bridge, struct pci_grant *q) {
  const hsc_pci_access *first = hsc_pci_accesses(m, bridge);
  if (hsc_pci_view(m, bridge->state)->queued == 0 || first->state == 2) return 0;
  q->address = first->addr;
  q->bytes = 4;
  q->command = first->state ? PCI_COMMAND_READ : PCI_COMMAND_WRITE;
  m->cause = first->cause;
  return 1;
}

/* Processors' accesses to a card's memory carry data: its value is its write number. */
static int hsc_pci_is_data(struct hsc_pci *bridge, uint64_t address) {
  return address - bridge->params->registers >= PCI_IO_PAGE;
}

static void hsc_pci_pci_master_give(sim *m, struct hsc_pci *bridge, struct pci_master_give *q) {
  uint32_t value = hsc_pci_accesses(m, bridge)->value;
  int data = hsc_pci_is_data(bridge, q->address);
  q->value = data ? 0 : value;
  q->writes[0] = data ? value : 0;
}

static void hsc_pci_pci_master_take(sim *m, struct hsc_pci *bridge, struct pci_master_take *q) {
  hsc_pci_accesses(m, bridge)->value =
      hsc_pci_is_data(bridge, q->address) ? q->writes[0] : (uint32_t)q->value;
}

static void hsc_pci_access_done(sim *m, struct hsc_pci *bridge) {
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  hsc_pci_access *a = hsc_pci_accesses(m, bridge);
  now->queued--;
  for (uint32_t i = 0; i < now->queued; i++) a[i] = a[i + 1];
  a[now->queued] = (hsc_pci_access){0};
  if (now->queued && a->state != 2) call_pci_request(m, bridge->self, HSC_PCI_PORT_PCI);
}

static uint32_t hsc_pci_pci_moved(sim *m, struct hsc_pci *bridge, struct pci_moved *q) {
  hsc_pci_access *first = hsc_pci_accesses(m, bridge);
  int aborted = q->bytes == 0 && q->last;
  if (q->bytes == 0 && !aborted) {
    call_pci_request(m, bridge->self, HSC_PCI_PORT_PCI);
    return 0;
  }
  if (!first->state) {
    hsc_pci_access_done(m, bridge);
    return 0;
  }
  if (aborted) first->value = UINT32_MAX;
  first->state = 2;
  first->behind =
      hsc_pci_fault(bridge) == HSC_PCI_FAULT_VALUES_PASS ? 0 : hsc_pci_view(m, bridge->state)->posted;
  first->cause = m->cause;
  call_hsc_request(m, bridge->self, HSC_PCI_PORT_HSC);
  return 0;
}

/* A processor's access to the slot's register space. */
static uint32_t hsc_pci_hsc_register(sim *m, struct hsc_pci *bridge, struct hsc_register *q) {
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  if (now->queued == bridge->state->accesses) {
    *q->later = HSC_RETRY_BUSY;
    return 0;
  }
  /* A store can tell the card that memory has changed, so data fetched before it is not delivered after it.
   */
  int drops = !q->read && hsc_pci_fault(bridge) != HSC_PCI_FAULT_LINES_SURVIVE;
  for (uint32_t i = 0; i < bridge->state->lines && drops; i++)
    hsc_pci_drop(bridge, &hsc_pci_lines(m, bridge)[i]);
  hsc_pci_show(m, bridge);
  uint64_t addr = q->offset < PCI_IO_PAGE ? bridge->params->registers + q->offset
                                          : bridge->params->aperture + q->offset - PCI_IO_PAGE;
  sim_trace(m, bridge->self, HSC_PCI_EV_ACCESS, addr, now->queued, 0);
  bridge->counters->registers++;
  hsc_pci_accesses(m, bridge)[now->queued++] = (hsc_pci_access){
      .addr = addr, .value = q->value, .tag = (uint32_t)q->tag, .state = q->read, .cause = m->cause};
  if (now->queued == 1) call_pci_request(m, bridge->self, HSC_PCI_PORT_PCI);
  if (q->read) *q->later = HSC_RETRY_DEFERRED;
  return 0;
}

/* The largest aligned piece of the oldest post. */
static uint32_t hsc_pci_piece(const hsc_pci_post *p) {
  uint32_t bytes = PCI_IO_LINE;
  while (bytes > 4 && (bytes > p->bytes || p->addr % bytes)) bytes /= 2;
  return bytes;
}

static uint32_t hsc_pci_fill_grant(
    struct hsc_pci_state *s, struct hsc_grant *q, uint32_t kind, uint64_t addr, uint32_t bytes) {
  q->kind = kind;
  q->address = addr;
  q->bytes = bytes;
  s->sending = kind + 1;
  return 1;
}

static uint32_t hsc_pci_grant_post(sim *m, struct hsc_pci *bridge, struct hsc_grant *q) {
  const hsc_pci_post *p = hsc_pci_posts(m, bridge->state);
  bridge->state->piece = hsc_pci_piece(p);
  q->halves[0] = p->half_0;
  q->halves[1] = p->half_1;
  m->cause = p->cause;
  return hsc_pci_fill_grant(bridge->state, q, HSC_KIND_WRITE, p->addr, bridge->state->piece);
}

static uint32_t hsc_pci_grant_read(sim *m, struct hsc_pci *bridge, struct hsc_grant *q) {
  hsc_pci_line *next = NULL;
  uint32_t more = 0;
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    hsc_pci_line *l = &hsc_pci_lines(m, bridge)[i];
    if (l->state != HSC_PCI_LINE_WANTED) continue;
    more += next != NULL;
    if (!next || l->addr < next->addr) next = l;
  }
  if (!next) return 0;
  next->state = HSC_PCI_LINE_ASKED;
  bridge->state->asked++;
  q->kind = HSC_KIND_READ;
  q->address = next->addr;
  q->bytes = PCI_IO_LINE;
  return 1 + more;
}

/* This slot has HSC. Priority: a value whose writes have left, so that its processor continues; posted
   writes; interrupts; reads. */
static uint32_t hsc_pci_hsc_grant(sim *m, struct hsc_pci *bridge, struct hsc_grant *q) {
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  const hsc_pci_access *first = hsc_pci_accesses(m, bridge);
  if (bridge->state->sending) return 0;
  if (now->queued && first->state == 2 && first->behind == 0) {
    q->halves[0] = first->value;
    q->halves[1] = first->tag;
    m->cause = first->cause;
    return hsc_pci_fill_grant(bridge->state, q, HSC_KIND_ANSWER, first->addr, 4);
  }
  int passes = now->interrupts && hsc_pci_fault(bridge) == HSC_PCI_FAULT_INTERRUPTS_PASS;
  if (now->posted && !passes) return hsc_pci_grant_post(m, bridge, q);
  if (now->interrupts)
    return hsc_pci_fill_grant(bridge->state, q, HSC_KIND_INTERRUPT, bridge->params->interrupt, 4);
  uint32_t reads = hsc_pci_grant_read(m, bridge, q);
  if (reads > 1) call_hsc_request(m, bridge->self, HSC_PCI_PORT_HSC);
  return reads > 0;
}

static void hsc_pci_hsc_sent(sim *m, struct hsc_pci *bridge, struct hsc_sent *q) {
  (void)q;
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  uint32_t kind = bridge->state->sending - 1;
  bridge->state->sending = 0;
  if (kind == HSC_KIND_ANSWER) {
    hsc_pci_access_done(m, bridge);
  } else if (kind == HSC_KIND_INTERRUPT) {
    now->interrupts--;
    bridge->counters->interrupts++;
  } else {
    hsc_pci_post *p = hsc_pci_posts(m, bridge->state);
    bridge->counters->writes++;
    p->addr += bridge->state->piece;
    p->bytes -= bridge->state->piece;
    if (p->bytes == 0) {
      now->posted--;
      if (now->queued && hsc_pci_accesses(m, bridge)->behind) hsc_pci_accesses(m, bridge)->behind--;
      for (uint32_t i = 0; i < now->posted; i++) p[i] = p[i + 1];
      p[now->posted] = (hsc_pci_post){0};
    }
  }
  call_hsc_request(m, bridge->self, HSC_PCI_PORT_HSC);
}

/* The line for which data arrives. Data arrives in the order of the reads: a dropped one was requested first.
 */
static hsc_pci_line *hsc_pci_awaiting(sim *m, struct hsc_pci *bridge, uint64_t addr) {
  hsc_pci_line *found = NULL;
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    hsc_pci_line *l = &hsc_pci_lines(m, bridge)[i];
    if (l->addr != addr) continue;
    if (l->state == HSC_PCI_LINE_DROPPED) return l;
    if (l->state == HSC_PCI_LINE_ASKED) found = l;
  }
  return found;
}

/* A line has arrived, or failed: the card then reads words without a write. */
static void hsc_pci_hsc_data(sim *m, struct hsc_pci *bridge, struct hsc_data *q) {
  hsc_pci_line *l = hsc_pci_awaiting(m, bridge, q->address & ~(uint64_t)(PCI_IO_LINE - 1));
  if (!l) return;
  bridge->state->asked--;
  bridge->counters->fetched++;
  bridge->counters->errors += q->bytes == 0;
  sim_trace(
      m, bridge->self, q->bytes ? HSC_PCI_EV_HERE : HSC_PCI_EV_ERROR, q->address, q->halves[0], q->halves[1]);
  if (l->state == HSC_PCI_LINE_DROPPED) *l = (hsc_pci_line){0};
  else
    *l = (hsc_pci_line){.addr = l->addr,
        .state = HSC_PCI_LINE_HERE,
        .half_0 = q->halves[0],
        .half_1 = q->halves[1],
        .memory = q->bytes ? q->memory : SHADOW_NONE};
  hsc_pci_show(m, bridge);
}

static void hsc_pci_irq_raise(sim *m, struct hsc_pci *bridge, uint32_t line, const struct irq_raise *q) {
  (void)line, (void)q;
  struct hsc_pci_now *now = hsc_pci_view(m, bridge->state);
  now->interrupts++;
  sim_trace(m, bridge->self, HSC_PCI_EV_RAISED, 0, now->posted, 0);
  call_hsc_request(m, bridge->self, HSC_PCI_PORT_HSC);
}

static int hsc_pci_load(sim *m, uint32_t self) {
  const struct hsc_pci_params *q = SIM_PARAMS(m, self, hsc_pci);
  struct hsc_pci_state *s = sim_state_alloc(m, self, sizeof *s);
  void *now = sim_view(m, self, HSC_PCI_VIEW_NOW, 1, sizeof(struct hsc_pci_now));
  void *lines = sim_view(m, self, HSC_PCI_VIEW_LINES, (uint32_t)q->lines, sizeof(hsc_pci_line));
  void *posts = sim_view(m, self, HSC_PCI_VIEW_POSTS, (uint32_t)q->posts, sizeof(hsc_pci_post));
  void *accesses = sim_view(m, self, HSC_PCI_VIEW_ACCESSES, (uint32_t)q->accesses, sizeof(hsc_pci_access));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->now_at = sim_offset(m, now);
  s->lines_at = sim_offset(m, lines);
  s->posts_at = sim_offset(m, posts);
  s->accesses_at = sim_offset(m, accesses);
  s->lines = (uint32_t)q->lines;
  s->posts = (uint32_t)q->posts;
  s->accesses = (uint32_t)q->accesses;
  return SIM_OK;
}

#include "parts/bridge/hsc_pci/state.c"
