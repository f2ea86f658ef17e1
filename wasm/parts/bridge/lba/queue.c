/*
 * The queue of a local bus adapter towards its bus: stores and loads as they arrive over the rope, and lines that
 * wait behind entries that they must not pass.
 */
/* What an item of the queue is to PCI's rules of ordering. */
static enum pci_ordering lba_order(uint32_t item) {
  return item == LBA_ITEM_STORE ? PCI_ORDER_POSTED_WRITE : item == LBA_ITEM_LOAD ? PCI_ORDER_READ_REQUEST : PCI_ORDER_READ_COMPLETION;
}

/* Of the first items in the queue, those that have come down the rope and that one of this kind must not pass. */
static uint32_t lba_in_front(sim *m, struct lba_state *s, uint32_t item, uint32_t first) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < first; i++) n += lba_item_at(m, s, i)->here && pci_pass(lba_order(item), lba_order(lba_item_at(m, s, i)->item)) == PCI_PASS_NO;
  return n;
}

/* A line joins those that have come down the rope, before what is still on it. */
static void lba_join(sim *m, struct lba_state *s, lba_item item) {
  uint32_t at = 0;
  while (at < lba_view(m, s)->queued && lba_item_at(m, s, at)->here) at++;
  for (uint32_t i = lba_view(m, s)->queued++; i > at; i--) *lba_item_at(m, s, i) = *lba_item_at(m, s, i - 1);
  *lba_item_at(m, s, at) = item;
}

/* An item leaves its place in the queue. */
static void lba_remove(sim *m, struct lba_state *s, uint32_t at) {
  uint32_t last = --lba_view(m, s)->queued;
  for (uint32_t i = at; i < last; i++) *lba_item_at(m, s, i) = *lba_item_at(m, s, i + 1);
  *lba_item_at(m, s, last) = (lba_item){0};
}

/* A line has come down the rope. It waits behind what it must not pass, unless its hint lets it. */
static void lba_newest_item(sim *m, uint32_t self, uint32_t place) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  lba_line *l = lba_line_at(m, s, place);
  uint32_t stores = lba_in_front(m, s, LBA_ITEM_LINE, lba_view(m, s)->queued);
  m->cause = l->cause;
  if (stores && l->state == LBA_LINE_ASKED) {
    sim_trace(m, self, l->relaxed ? LBA_EV_OVERTAKES : LBA_EV_BEHIND, l->addr, stores, 0);
    SIM_COUNTERS(m, self, lba)->overtook += l->relaxed;
    SIM_COUNTERS(m, self, lba)->blocked += !l->relaxed;
  }
  if (!stores || l->relaxed || l->state == LBA_LINE_DROPPED) {
    lba_has_line(m, self, place);
  } else {
    l->state = LBA_LINE_BEHIND;
    l->since = m->time;
    lba_join(m, s, (lba_item){.addr = l->addr, .item = LBA_ITEM_LINE, .place = place, .cause = m->cause, .here = 1});
  }
  lba_show(m, self);
}

/* The oldest item has left; lines that it alone held go on. */
static void lba_next(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  lba_remove(m, s, 0);
  for (uint32_t i = 0; i < lba_view(m, s)->queued;) {
    lba_item item = *lba_item_at(m, s, i);
    if (item.item != LBA_ITEM_LINE || lba_in_front(m, s, LBA_ITEM_LINE, i)) i++;
    else {
      lba_remove(m, s, i);
      lba_has_line(m, self, item.place);
    }
  }
  lba_show(m, self);
  lba_request_read(m, self);
}

static void lba_enqueue(sim *m, uint32_t self, lba_item item, uint32_t bytes) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  item.cause = m->cause;
  *lba_item_at(m, s, lba_view(m, s)->queued++) = item;
  lba_send_down(m, self, bytes, SIM_PHASE_REQUEST, SIM_NONE);
}

static uint32_t lba_rope_post(sim *m, uint32_t self, struct rope_post *q) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  struct lba_now *now = lba_view(m, s);
  if (now->stores == s->stores) return 0;
  now->stores++;
  lba_enqueue(m, self, (lba_item){.addr = q->address, .value = q->value, .item = LBA_ITEM_STORE, .bytes = q->bytes, .write = q->write}, q->bytes);
  return 1 + s->stores - now->stores;
}

static void lba_rope_load(sim *m, uint32_t self, struct rope_load *q) {
  lba_enqueue(m, self, (lba_item){.addr = q->address, .item = LBA_ITEM_LOAD, .bytes = q->bytes, .place = q->tag}, 0);
}

static uint32_t lba_rope_claim(sim *m, uint32_t self, struct rope_claim *q) {
  q->base = SIM_PARAMS(m, self, lba)->base;
  q->length = SIM_PARAMS(m, self, lba)->length;
  return 1;
}

/* A store that lines may not overtake ends what is being read: lines that are not in a burst are fetched again. */
static void lba_disconnect(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  for (uint32_t i = 0; i < s->lines; i++) {
    lba_line *l = lba_line_at(m, s, i);
    if (!l->relaxed && !l->offered && !l->split && (l->state == LBA_LINE_HERE || l->state == LBA_LINE_ASKED)) lba_drop(m, self, l);
  }
  lba_show(m, self);
}

/* The oldest item on the rope has arrived. */
static void lba_arrived(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  uint32_t i = 0, waiting = lba_in_front(m, s, LBA_ITEM_STORE, lba_view(m, s)->queued);
  while (lba_item_at(m, s, i)->here) i++;
  lba_item *item = lba_item_at(m, s, i);
  item->here = 1;
  m->cause = item->cause;
  if (item->item == LBA_ITEM_STORE) {
    item->cause = sim_trace(m, self, LBA_EV_STORE, item->addr, waiting, 0);
    if (!SIM_PARAMS(m, self, lba)->keeps) lba_disconnect(m, self);
  }
  if (i == 0) call_pci_request(m, self, LBA_PORT_PCI);
}

/* A store or load that may pass all earlier arrivals moves to the front if the choice says so. */
static void lba_forward(sim *m, uint32_t self) {
  struct lba_state *s = SIM_STATE(m, self, lba);
  for (uint32_t i = 1; i < lba_view(m, s)->queued && lba_item_at(m, s, i)->here; i++) {
    lba_item item = *lba_item_at(m, s, i);
    uint32_t may = item.item != LBA_ITEM_LINE;
    for (uint32_t j = 0; j < i; j++) may &= pci_pass(lba_order(item.item), lba_order(lba_item_at(m, s, j)->item)) != PCI_PASS_NO;
    if (!may || !lba_record_misdirected(m, self)) continue;
    for (uint32_t j = i; j > 0; j--) *lba_item_at(m, s, j) = *lba_item_at(m, s, j - 1);
    *lba_item_at(m, s, 0) = item;
    return;
  }
}
