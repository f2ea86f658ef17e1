/*
 * The memory lines of a local bus adapter: requested, in flight, held until a device reads them, or
 * discarded.
 */
/* The entry of a line, or SIM_NONE. */
static inline uint32_t lba_find(sim *m, struct lba *lba, uint64_t line) {
  for (uint32_t i = 0; i < lba->state->lines; i++) {
    const lba_line *l = lba_line_at(m, lba, i);
    if (l->addr == line && l->state != LBA_LINE_EMPTY && l->state != LBA_LINE_DROPPED) return i;
  }
  return SIM_NONE;
}

/* Removes a line from the buffer; a line in flight is discarded when it arrives. */
static void lba_drop(struct lba *lba, lba_line *l) {
  lba->counters->wasted += !l->used;
  if (l->state == LBA_LINE_HERE) *l = (lba_line){0};
  else l->state = LBA_LINE_DROPPED;
}

/* A free entry; else that of the oldest line that was never requested. */
static uint32_t lba_place(sim *m, struct lba *lba) {
  uint32_t oldest = SIM_NONE;
  for (uint32_t i = 0; i < lba->state->lines; i++) {
    const lba_line *l = lba_line_at(m, lba, i);
    if (l->state == LBA_LINE_EMPTY) return i;
    if (l->state == LBA_LINE_HERE && (oldest == SIM_NONE || l->since < lba_line_at(m, lba, oldest)->since))
      oldest = i;
  }
  if (oldest != SIM_NONE) lba_drop(lba, lba_line_at(m, lba, oldest));
  return oldest;
}

static void lba_fetch_to(
    sim *m, struct lba *lba, uint32_t place, uint64_t line, const struct lba_hint *hint) {
  uint32_t bytes = (uint32_t)lba->params->line;
  *lba_line_at(m, lba, place) = (lba_line){.addr = line,
      .since = m->time,
      .state = LBA_LINE_ASKED,
      .bytes = bytes,
      .cause = m->cause,
      .relaxed = (uint32_t)hint->relaxed,
      .current = (uint32_t)hint->current,
      .no_snoop = (uint32_t)hint->no_snoop};
  lba->counters->fetched++;
  lba_send_up(m, lba, 0, SIM_PHASE_REQUEST, LBA_ASKED, place);
}

/* Fetches the requested line and as many ahead as the hint allows, within its block and page. */
static void lba_delay(sim *m, struct lba *lba, const struct pci_begin *q, uint64_t first) {
  struct lba_hint hint = lba_hint_of(lba, q->address, q->command);
  uint64_t step = lba->params->line, end = first + (hint.depth + 1) * step,
           stop = first - first % hint.block + hint.block;
  if (stop % LBA_PAGE || lba->params->page_end) end = sim_min(end, stop);
  lba->counters->delayed++;
  sim_trace(m, lba->self, LBA_EV_DELAYED, q->address, q->bytes, (uint32_t)((end - first) / step - 1));
  for (uint64_t line = first; line < end; line += step)
    if (lba_find(m, lba, line) == SIM_NONE) {
      uint32_t place = lba_place(m, lba);
      if (place != SIM_NONE) lba_fetch_to(m, lba, place, line, &hint);
    }
  lba_show(m, lba);
}

/* Compares the delivered part of a line with the newest data. */
static void lba_compare(
    sim *m, struct lba *lba, const lba_line *l, uint64_t from, uint64_t end, uint32_t *writes) {
  uint64_t address = l->memory + (from - l->addr);
  uint32_t cause = m->cause, words = (uint32_t)(end - from + 3) / 4;
  struct rope_compare q = {.address = address, .bytes = (uint32_t)(end - from), .writes = writes};
  uint32_t old = call_rope_compare(m, lba->self, LBA_PORT_ROPE, &q);
  lba->state->unseen = old == 0;
  if (old <= 1) return;
  lba->counters->stale += old - 1;
  lba->counters->torn += old - 1 < words;
  sim_trace(m, lba->self, LBA_EV_STALE, from + (q.old - address), writes[(q.old - address) / 4], q.newest);
  m->cause = cause; /* recorded, but not a cause of later events */
}

/* Drops a line that was delivered, or that was prefetched for a completed read. Returns whether there was
 * one. */
static int lba_drop_line(sim *m, struct lba *lba, uint64_t line) {
  uint32_t place = lba_find(m, lba, line);
  if (place != SIM_NONE) lba_drop(lba, lba_line_at(m, lba, place));
  return place != SIM_NONE;
}

/* The read of a line has reached the system bus adapter: it returns the newest data now. */
static void lba_asked(sim *m, struct lba *lba, uint32_t place) {
  lba_line *l = lba_line_at(m, lba, place);
  struct rope_read q = {.address = l->addr,
      .bytes = l->bytes,
      .current = l->current,
      .no_snoop = l->no_snoop,
      .writes = lba_words(m, lba->state->line_words_at, place)};
  m->cause = l->cause;
  __builtin_memset(q.writes, 0, LBA_WORDS * 4);
  if (call_rope_read(m, lba->self, LBA_PORT_ROPE, &q)) {
    l->memory = q.physical;
    sim_schedule_for(m, lba->self, sim_max(q.when, m->time) - m->time, SIM_PHASE_ANSWER, LBA_READY, place);
    return;
  }
  lba->state->failed = 1;
  lba->counters->failures++;
  sim_trace(m, lba->self, LBA_EV_FAILED, l->addr, 0, 0);
  *l = (lba_line){0};
  lba_show(m, lba);
}

static void lba_has_line(sim *m, struct lba *lba, uint32_t place) {
  lba_line *l = lba_line_at(m, lba, place);
  if (l->state == LBA_LINE_BEHIND) lba->counters->blocked_time += m->time - l->since;
  if (l->state == LBA_LINE_DROPPED) *l = (lba_line){0};
  else {
    l->state = LBA_LINE_HERE;
    l->since = m->time;
    sim_trace(m, lba->self, LBA_EV_HERE, l->addr, lba_words(m, lba->state->line_words_at, place)[0], 0);
    if (l->split) lba_request_read(m, lba);
  }
}
