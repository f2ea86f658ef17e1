/*
 * Split reads of a local bus adapter on PCI-X.
 *
 *   device names address and bytes --> [splits] --> lines fetched, as places are free --> completions, in
 * order
 *
 * A read gives its full size, so no hint limits the fetch and nothing is discarded; only ordering is still a
 * hint, combined with the attribute that the card sets.
 */
typedef struct lba_splits lba_split;

static lba_split *lba_split_at(sim *m, struct lba *lba, uint32_t i) {
  return (lba_split *)sim_at(m, lba->state->splits_at) + i;
}

/* The hint of a split read, combined with its attributes. */
static struct lba_hint lba_split_hint(struct lba *lba, const lba_split *r) {
  struct lba_hint hint = lba_hint_of(lba, r->addr, PCI_COMMAND_READ_MULTIPLE);
  if (lba->params->attribute == LBA_ATTRIBUTE_BOTH) hint.relaxed &= r->relaxed;
  else if (lba->params->attribute == LBA_ATTRIBUTE_EITHER) hint.relaxed |= r->relaxed;
  hint.no_snoop = r->no_snoop;
  return hint;
}

/* Fetches the remaining lines of split reads, the first in the table first, as far as entries are free. */
static void lba_split_fetch(sim *m, struct lba *lba) {
  uint64_t step = lba->params->line;
  uint32_t cause = m->cause, place = 0;
  for (uint32_t i = 0; i < lba->state->splits; i++) {
    lba_split *r = lba_split_at(m, lba, i);
    struct lba_hint hint = lba_split_hint(lba, r);
    m->cause = r->cause;
    for (; r->fetch < r->end; r->fetch += step) {
      while (place < lba->state->lines && lba_line_at(m, lba, place)->state != LBA_LINE_EMPTY) place++;
      if (place == lba->state->lines) break;
      lba_fetch_to(m, lba, place, r->fetch, &hint);
      lba_line_at(m, lba, place)->split = i + 1;
    }
  }
  m->cause = cause;
}

static uint32_t lba_pci_begin_block(sim *m, struct lba *lba, struct pci_begin_block *q) {
  uint32_t i = 0;
  while (i < lba->state->splits && lba_split_at(m, lba, i)->end) i++;
  if (lba->state->failed || i == lba->state->splits) return lba_retry(lba);
  lba->counters->split++;
  uint32_t cause = sim_trace(m, lba->self, LBA_EV_SPLITS, q->address, q->bytes, q->tag);
  uint64_t line = q->address & ~(lba->params->line - 1);
  *lba_split_at(m, lba, i) = (lba_split){.addr = q->address,
      .fetch = line,
      .end = q->address + q->bytes,
      .tag = q->tag,
      .cause = cause,
      .relaxed = (q->attributes & PCI_RELAXED) != 0,
      .no_snoop = (q->attributes & PCI_NO_SNOOP) != 0};
  lba_split_fetch(m, lba);
  lba_show(m, lba);
  return 1;
}

/* The entry of a present line of a split read, or SIM_NONE. */
static uint32_t lba_split_line(sim *m, struct lba *lba, uint32_t i, uint64_t line) {
  for (uint32_t place = 0; place < lba->state->lines; place++) {
    const lba_line *l = lba_line_at(m, lba, place);
    if (l->split == i + 1 && l->addr == line && l->state == LBA_LINE_HERE) return place;
  }
  return SIM_NONE;
}

/* The number of present bytes of a split read, from the next one to deliver. */
static uint32_t lba_split_ready(sim *m, struct lba *lba, uint32_t i) {
  const lba_split *r = lba_split_at(m, lba, i);
  uint64_t step = lba->params->line, end = r->addr & ~(step - 1);
  while (end < r->end && lba_split_line(m, lba, i, end) != SIM_NONE) end += step;
  return end > r->addr ? (uint32_t)(sim_min(end, r->end) - r->addr) : 0;
}

/* The split read for the next completion, round robin; SIM_NONE if none is ready. */
static uint32_t lba_split_next(sim *m, struct lba *lba) {
  for (uint32_t k = 1; k <= lba->state->splits; k++)
    if (lba_split_ready(m, lba, (lba->state->completed + k) % lba->state->splits))
      return (lba->state->completed + k) % lba->state->splits;
  return SIM_NONE;
}

/* Whether the next completion's data overtakes stores. */
static int lba_split_overtakes(sim *m, struct lba *lba) {
  uint32_t i = lba_split_next(m, lba);
  if (i == SIM_NONE) return 0;
  uint64_t line = lba_split_at(m, lba, i)->addr & ~(lba->params->line - 1);
  return lba_line_at(m, lba, lba_split_line(m, lba, i, line))->relaxed != 0;
}

/* The bridge as master: a completion. */
static uint32_t lba_split_grant(sim *m, struct lba *lba, struct pci_grant *q) {
  uint32_t i = lba_split_next(m, lba);
  if (i == SIM_NONE) return 0;
  const lba_split *r = lba_split_at(m, lba, i);
  lba->state->completing = 1;
  lba->state->completed = i;
  *q = (struct pci_grant){.address = r->addr,
      .bytes = lba_split_ready(m, lba, i),
      .command = PCI_COMMAND_COMPLETION,
      .tag = r->tag};
  m->cause = r->cause;
  return 1;
}

static void lba_split_give(sim *m, struct lba *lba, struct pci_master_give *q) {
  uint64_t step = lba->params->line, end = q->address + q->bytes;
  for (uint64_t at = q->address; at < end; at += 4)
    q->writes[(at - q->address) / 4] = lba_words(m, lba->state->line_words_at,
        lba_split_line(m, lba, lba->state->completed, at & ~(step - 1)))[at % step / 4];
  for (uint64_t at = q->address; at < end && !lba->state->unseen; at = (at & ~(step - 1)) + step) {
    const lba_line *l = lba_line_at(m, lba, lba_split_line(m, lba, lba->state->completed, at & ~(step - 1)));
    lba_compare(m, lba, l, at, sim_min(end, l->addr + step), q->writes + (at - q->address) / 4);
  }
  lba->counters->bytes_out += q->bytes;
  sim_trace(m, lba->self, LBA_EV_GIVEN, q->address, q->bytes, q->writes[0]);
}

/* Frees delivered lines for those still needed. */
static uint32_t lba_split_moved(sim *m, struct lba *lba, const struct pci_moved *q) {
  uint64_t step = lba->params->line, from;
  lba_split *r = lba_split_at(m, lba, lba->state->completed);
  from = r->addr & ~(step - 1);
  r->addr += q->bytes;
  for (uint64_t line = from; line + step <= r->addr || (r->addr == r->end && line < r->end); line += step)
    *lba_line_at(m, lba, lba_split_line(m, lba, lba->state->completed, line)) = (lba_line){0};
  if (r->addr == r->end) *r = (lba_split){0};
  uint32_t more = r->end ? lba_split_ready(m, lba, lba->state->completed) : 0;
  lba_split_fetch(m, lba);
  lba_show(m, lba);
  if (!q->last) return more;
  lba->state->completing = 0;
  lba_request_read(m, lba);
  return more;
}
