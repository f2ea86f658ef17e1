/*
 * Split reads of a local bus adapter on PCI-X.
 *
 *   device names address and bytes --> [splits] --> lines fetched, as places are free --> completions, in order
 *
 * A read gives its full size, so no hint limits the fetch and nothing is discarded; only ordering is still a hint.
 */
typedef struct lba_splits lba_split;

static lba_split *lba_split_at(sim *m, struct lba_state *s, uint32_t i) { return (lba_split *)sim_at(m, s->splits_at) + i; }

/* Fetches the remaining lines of split reads, the first in the table first, as far as entries are free. */
static void lba_split_fetch(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint64_t step = SIM_PARAMS(m, self, lba)->line;
  uint32_t cause = m->cause, place = 0;
  for (uint32_t i = 0; i < s->splits; i++) {
    lba_split *r = lba_split_at(m, s, i);
    struct lba_hint hint = lba_hint_of(m, self, r->addr, PCI_COMMAND_READ_MULTIPLE);
    m->cause = r->cause;
    for (; r->fetch < r->end; r->fetch += step) {
      while (place < s->lines && lba_line_at(m, s, place)->state != LBA_LINE_EMPTY) place++;
      if (place == s->lines) break;
      lba_fetch_to(m, self, place, r->fetch, &hint);
      lba_line_at(m, s, place)->split = i + 1;
    }
  }
  m->cause = cause;
}

static uint32_t lba_pci_begin_block(sim *m, uint32_t self, struct pci_begin_block *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint32_t i = 0;
  while (i < s->splits && lba_split_at(m, s, i)->end) i++;
  if (s->failed || i == s->splits) return lba_retry(m, self);
  SIM_COUNTERS(m, self, lba)->split++;
  uint32_t cause = sim_trace(m, self, LBA_EV_SPLITS, q->address, q->bytes, q->tag);
  uint64_t line = q->address & ~(SIM_PARAMS(m, self, lba)->line - 1);
  *lba_split_at(m, s, i) = (lba_split){.addr = q->address, .fetch = line, .end = q->address + q->bytes, .tag = q->tag, .cause = cause};
  lba_split_fetch(m, self);
  lba_show(m, self);
  return 1;
}

/* The entry of a present line of a split read, or SIM_NONE. */
static uint32_t lba_split_line(sim *m, struct lba_state *s, uint32_t i, uint64_t line) {
  for (uint32_t place = 0; place < s->lines; place++) {
    const lba_line *l = lba_line_at(m, s, place);
    if (l->split == i + 1 && l->addr == line && l->state == LBA_LINE_HERE) return place;
  }
  return SIM_NONE;
}

/* The number of present bytes of a split read, from the next one to deliver. */
static uint32_t lba_split_ready(sim *m, uint32_t self, uint32_t i) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  const lba_split *r = lba_split_at(m, s, i);
  uint64_t step = SIM_PARAMS(m, self, lba)->line, end = r->addr & ~(step - 1);
  while (end < r->end && lba_split_line(m, s, i, end) != SIM_NONE) end += step;
  return end > r->addr ? (uint32_t)(sim_min(end, r->end) - r->addr) : 0;
}

/* The split read for the next completion, round robin; SIM_NONE if none is ready. */
static uint32_t lba_split_next(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  for (uint32_t k = 1; k <= s->splits; k++)
    if (lba_split_ready(m, self, (s->completed + k) % s->splits)) return (s->completed + k) % s->splits;
  return SIM_NONE;
}

/* Whether the next completion's data overtakes stores. */
static int lba_split_overtakes(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint32_t i = lba_split_next(m, self);
  if (i == SIM_NONE) return 0;
  uint64_t line = lba_split_at(m, s, i)->addr & ~(SIM_PARAMS(m, self, lba)->line - 1);
  return lba_line_at(m, s, lba_split_line(m, s, i, line))->relaxed != 0;
}

/* The bridge as master: a completion. */
static uint32_t lba_split_grant(sim *m, uint32_t self, struct pci_grant *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint32_t i = lba_split_next(m, self);
  if (i == SIM_NONE) return 0;
  const lba_split *r = lba_split_at(m, s, i);
  s->completing = 1;
  s->completed = i;
  *q = (struct pci_grant){.address = r->addr, .bytes = lba_split_ready(m, self, i), .command = PCI_COMMAND_COMPLETION, .tag = r->tag};
  m->cause = r->cause;
  return 1;
}

static void lba_split_give(sim *m, uint32_t self, struct pci_master_give *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint64_t step = SIM_PARAMS(m, self, lba)->line, end = q->address + q->bytes;
  for (uint64_t at = q->address; at < end; at += 4) q->writes[(at - q->address) / 4] = lba_words(m, s->line_words_at, lba_split_line(m, s, s->completed, at & ~(step - 1)))[at % step / 4];
  for (uint64_t at = q->address; at < end && !s->unseen; at = (at & ~(step - 1)) + step) {
    const lba_line *l = lba_line_at(m, s, lba_split_line(m, s, s->completed, at & ~(step - 1)));
    lba_compare(m, self, l, at, sim_min(end, l->addr + step), q->writes + (at - q->address) / 4);
  }
  SIM_COUNTERS(m, self, lba)->bytes_out += q->bytes;
  sim_trace(m, self, LBA_EV_GIVEN, q->address, q->bytes, q->writes[0]);
}

/* Frees delivered lines for those still needed. */
static uint32_t lba_split_moved(sim *m, uint32_t self, const struct pci_moved *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint64_t step = SIM_PARAMS(m, self, lba)->line, from;
  lba_split *r = lba_split_at(m, s, s->completed);
  from = r->addr & ~(step - 1);
  r->addr += q->bytes;
  for (uint64_t line = from; line + step <= r->addr || (r->addr == r->end && line < r->end); line += step)
    *lba_line_at(m, s, lba_split_line(m, s, s->completed, line)) = (lba_line){0};
  if (r->addr == r->end) *r = (lba_split){0};
  uint32_t more = r->end ? lba_split_ready(m, self, s->completed) : 0;
  lba_split_fetch(m, self);
  lba_show(m, self);
  if (!q->last) return more;
  s->completing = 0;
  lba_request_read(m, self);
  return more;
}
