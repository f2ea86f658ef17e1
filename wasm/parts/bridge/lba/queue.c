/*
 * The queue of a local bus adapter towards its bus: stores and loads as they arrive over the rope, and lines
 * that wait behind entries that they must not pass.
 */
/* What an item of the queue is to PCI's rules of ordering. */
static enum pci_ordering lba_order(uint32_t item) {
  return item == LBA_ITEM_STORE  ? PCI_ORDER_POSTED_WRITE
         : item == LBA_ITEM_LOAD ? PCI_ORDER_READ_REQUEST
                                 : PCI_ORDER_READ_COMPLETION;
}

/* Of the first items in the queue, those that have come down the rope and that one of this kind must not
 * pass. */
static uint32_t lba_in_front(sim *m, struct lba *lba, uint32_t item, uint32_t first) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < first; i++)
    n += lba_item_at(m, lba, i)->here
         && pci_pass(lba_order(item), lba_order(lba_item_at(m, lba, i)->item)) == PCI_PASS_NO;
  return n;
}

/* A line joins those that have come down the rope, before what is still on it. */
static void lba_join(sim *m, struct lba *lba, lba_item item) {
  uint32_t at = 0;
  while (at < lba_view(m, lba)->queued && lba_item_at(m, lba, at)->here) at++;
  for (uint32_t i = lba_view(m, lba)->queued++; i > at; i--)
    *lba_item_at(m, lba, i) = *lba_item_at(m, lba, i - 1);
  *lba_item_at(m, lba, at) = item;
}

/* An item leaves its place in the queue. */
static void lba_remove(sim *m, struct lba *lba, uint32_t at) {
  uint32_t last = --lba_view(m, lba)->queued;
  for (uint32_t i = at; i < last; i++) *lba_item_at(m, lba, i) = *lba_item_at(m, lba, i + 1);
  *lba_item_at(m, lba, last) = (lba_item){0};
}

/* A line has come down the rope. It waits behind what it must not pass, unless its hint lets it. */
static void lba_newest_item(sim *m, struct lba *lba, uint32_t place) {
  lba_line *l = lba_line_at(m, lba, place);
  uint32_t stores = lba_in_front(m, lba, LBA_ITEM_LINE, lba_view(m, lba)->queued);
  m->cause = l->cause;
  if (stores && l->state == LBA_LINE_ASKED) {
    sim_trace(m, lba->self, l->relaxed ? LBA_EV_OVERTAKES : LBA_EV_BEHIND, l->addr, stores, 0);
    lba->counters->overtook += l->relaxed;
    lba->counters->blocked += !l->relaxed;
  }
  if (!stores || l->relaxed || l->state == LBA_LINE_DROPPED) {
    lba_has_line(m, lba, place);
  } else {
    l->state = LBA_LINE_BEHIND;
    l->since = m->time;
    lba_join(m, lba,
        (lba_item){.addr = l->addr, .item = LBA_ITEM_LINE, .place = place, .cause = m->cause, .here = 1});
  }
  lba_show(m, lba);
}

/* The oldest item has left; lines that it alone held go on. */
static void lba_next(sim *m, struct lba *lba) {
  lba_remove(m, lba, 0);
  for (uint32_t i = 0; i < lba_view(m, lba)->queued;) {
    lba_item item = *lba_item_at(m, lba, i);
    if (item.item != LBA_ITEM_LINE || lba_in_front(m, lba, LBA_ITEM_LINE, i)) i++;
    else {
      lba_remove(m, lba, i);
      lba_has_line(m, lba, item.place);
    }
  }
  lba_show(m, lba);
  lba_request_read(m, lba);
}

static void lba_enqueue(sim *m, struct lba *lba, lba_item item, uint32_t bytes) {
  item.cause = m->cause;
  *lba_item_at(m, lba, lba_view(m, lba)->queued++) = item;
  lba_send_down(m, lba, bytes, SIM_PHASE_REQUEST, SIM_NONE);
}

static uint32_t lba_rope_post(sim *m, struct lba *lba, struct rope_post *q) {
  struct lba_now *now = lba_view(m, lba);
  if (now->stores == lba->state->stores) return 0;
  now->stores++;
  lba_enqueue(m, lba,
      (lba_item){.addr = q->address,
          .value = q->value,
          .item = LBA_ITEM_STORE,
          .bytes = q->bytes,
          .write = q->write},
      q->bytes);
  return 1 + lba->state->stores - now->stores;
}

static void lba_rope_load(sim *m, struct lba *lba, struct rope_load *q) {
  lba_enqueue(
      m, lba, (lba_item){.addr = q->address, .item = LBA_ITEM_LOAD, .bytes = q->bytes, .place = q->tag}, 0);
}

static uint32_t lba_rope_claim(sim *m, struct lba *lba, struct rope_claim *q) {
  (void)m;
  q->base = lba->params->base;
  q->length = lba->params->length;
  return 1;
}

/* Whether data is on the bus that must not overtake a store. */
static int lba_gives_in_order(sim *m, struct lba *lba) {
  for (uint32_t i = 0; i < lba->state->lines; i++) {
    const lba_line *l = lba_line_at(m, lba, i);
    if (l->state == LBA_LINE_HERE && l->offered && !l->relaxed) return 1;
  }
  return 0;
}

/* A store needs the bus, on which a card reads data that must not overtake it: the adapter disconnects the
 * card. That ends the delayed read, and with it what was fetched ahead for it. */
static void lba_disconnect(sim *m, struct lba *lba) {
  struct pci_stop q = {0};
  if (!lba_gives_in_order(m, lba) || !call_pci_stop(m, lba->self, LBA_PORT_PCI, &q)) return;
  lba->counters->broken++;
  uint32_t cause = sim_trace(m, lba->self, LBA_EV_BREAKS, q.end, 0, 0);
  for (uint64_t line = q.end; lba_drop_line(m, lba, line);) line += lba->params->line;
  lba_show(m, lba);
  m->cause = cause;
}

/* The oldest item on the rope has arrived. */
static void lba_arrived(sim *m, struct lba *lba) {
  uint32_t i = 0, waiting = lba_in_front(m, lba, LBA_ITEM_STORE, lba_view(m, lba)->queued);
  while (lba_item_at(m, lba, i)->here) i++;
  lba_item *item = lba_item_at(m, lba, i);
  item->here = 1;
  m->cause = item->cause;
  if (item->item == LBA_ITEM_STORE) {
    item->cause = sim_trace(m, lba->self, LBA_EV_STORE, item->addr, waiting, 0);
    lba_disconnect(m, lba);
    item->cause = m->cause;
  }
  if (i == 0) call_pci_request(m, lba->self, LBA_PORT_PCI);
}

/* A store or load that may pass all earlier arrivals moves to the front if the choice says so. */
static void lba_forward(sim *m, struct lba *lba) {
  for (uint32_t i = 1; i < lba_view(m, lba)->queued && lba_item_at(m, lba, i)->here; i++) {
    lba_item item = *lba_item_at(m, lba, i);
    uint32_t may = item.item != LBA_ITEM_LINE;
    for (uint32_t j = 0; j < i; j++)
      may &= pci_pass(lba_order(item.item), lba_order(lba_item_at(m, lba, j)->item)) != PCI_PASS_NO;
    if (!may || !lba_record_misdirected(m, lba)) continue;
    for (uint32_t j = i; j > 0; j--) *lba_item_at(m, lba, j) = *lba_item_at(m, lba, j - 1);
    *lba_item_at(m, lba, 0) = item;
    return;
  }
}
