/* The bridge as target: writes that it posts, reads that it takes over. */

static uint32_t pcix_bridge_retry(sim *m, uint32_t self) {
  SIM_COUNTERS(m, self, pcix_bridge)->retries++;
  return 0;
}

/* The present demand of a read and the end of its fetch: registers exactly, memory by lines and ahead. */
static void pcix_bridge_until(sim *m, uint32_t self, pcix_bridge_read *r, uint64_t end) {
  const struct pcix_bridge_params *p = SIM_PARAMS(m, self, pcix_bridge);
  uint64_t lines = pcix_bridge_up_to(end, PCIX_BRIDGE_LINE), ahead = lines + p->ahead * PCIX_BRIDGE_LINE;
  r->end = end;
  r->limit = end;
  if (r->side != PCIX_BRIDGE_CARDS) return;
  r->limit = sim_max(r->fetch, p->page_end ? sim_min(ahead, pcix_bridge_up_to(end, PCIX_BRIDGE_PAGE)) : ahead);
}

/* A free entry for a read, or that of one only kept for its lines. */
static uint32_t pcix_bridge_place(sim *m, uint32_t self) {
  struct pcix_bridge_state *s = SIM_STATE(m, self, pcix_bridge);
  for (uint32_t i = 0; i < s->reads; i++)
    if (!pcix_bridge_read_at(m, s, i)->end) return i;
  for (uint32_t i = 0; i < s->reads; i++)
    if (pcix_bridge_buffered(pcix_bridge_read_at(m, s, i))) {
      pcix_bridge_end(m, self, i);
      return i;
    }
  return SIM_NONE;
}

/* A new read reuses the entries of kept lines. */
static void pcix_bridge_make_room(sim *m, uint32_t self, uint64_t lines) {
  struct pcix_bridge_state *s = SIM_STATE(m, self, pcix_bridge);
  for (uint32_t i = 0; i < s->lines; i++) lines -= lines && pcix_bridge_line_at(m, s, i)->state == PCIX_BRIDGE_LINE_EMPTY;
  for (uint32_t i = 0; i < s->reads && lines; i++)
    if (pcix_bridge_buffered(pcix_bridge_read_at(m, s, i))) lines -= sim_min(lines, pcix_bridge_end(m, self, i));
}

/* The read at this address whose master is being retried or, if it is split, that is kept. */
static uint32_t pcix_bridge_find_request(sim *m, struct pcix_bridge_state *s, uint32_t side, uint64_t address, uint32_t split) {
  for (uint32_t i = 0; i < s->reads; i++) {
    const pcix_bridge_read *r = pcix_bridge_read_at(m, s, i);
    if (r->end && r->side == side && r->addr == address && (pcix_bridge_buffered(r) || !(r->split | split))) return i;
  }
  return SIM_NONE;
}

/* Takes a read over; SIM_NONE if there is no free entry. */
static uint32_t pcix_bridge_accept_read(sim *m, uint32_t self, uint32_t side, uint64_t address, uint32_t bytes, uint32_t split) {
  struct pcix_bridge_state *s = SIM_STATE(m, self, pcix_bridge);
  uint32_t i = pcix_bridge_find_request(m, s, side, address, split), kept = i != SIM_NONE;
  if (!kept) i = pcix_bridge_place(m, self);
  if (i == SIM_NONE) return i;
  pcix_bridge_read *r = pcix_bridge_read_at(m, s, i);
  if (kept && !pcix_bridge_buffered(r)) return i; /* its master has retried */
  if (!kept) {
    uint32_t behind = pcix_bridge_behind(m, self, !side, PCI_ORDER_READ_REQUEST);
    *r = (pcix_bridge_read){.addr = address, .fetch = side == PCIX_BRIDGE_CARDS ? pcix_bridge_base(address) : address, .side = side, .behind = behind};
    sim_schedule_for(m, self, SIM_PARAMS(m, self, pcix_bridge)->crossing, SIM_PHASE_REQUEST, PCIX_BRIDGE_READ, i);
  }
  r->split = split;
  pcix_bridge_until(m, self, r, address + bytes);
  SIM_COUNTERS(m, self, pcix_bridge)->reads++;
  SIM_COUNTERS(m, self, pcix_bridge)->continued += kept;
  r->cause = sim_trace(m, self, kept ? PCIX_BRIDGE_EV_CONTINUES : PCIX_BRIDGE_EV_TAKES, address, bytes, kept ? pcix_bridge_ready(m, s, i) : r->behind);
  if (r->fetch < r->end) pcix_bridge_make_room(m, self, (pcix_bridge_up_to(r->end, PCIX_BRIDGE_LINE) - r->fetch) / PCIX_BRIDGE_LINE);
  return i;
}

static uint32_t pcix_bridge_bus_begin_block(sim *m, uint32_t self, uint32_t side, struct pci_begin_block *q) {
  uint32_t i = pcix_bridge_accept_read(m, self, side, q->address, q->bytes, 1);
  if (i == SIM_NONE) return pcix_bridge_retry(m, self);
  pcix_bridge_read_at(m, SIM_STATE(m, self, pcix_bridge), i)->tag = q->tag;
  pcix_bridge_request(m, self);
  return 1;
}

static uint32_t pcix_bridge_bus_begin(sim *m, uint32_t self, uint32_t side, struct pci_begin *q) {
  struct pcix_bridge_state *s = SIM_STATE(m, self, pcix_bridge);
  q->ready = m->time;
  if (!pci_is_read(q->command)) {
    /* Stores to registers are not merged, so each 8 B can take an entry; one entry is reserved for a piece in two
       lines. */
    uint32_t places = s->posts - *pcix_bridge_posted(m, s, !side), unit = side == PCIX_BRIDGE_CARDS ? PCIX_BRIDGE_LINE : 8;
    uint64_t room = places > 1 ? (places - 1) * unit : 0, ragged = q->address % unit;
    return room > ragged ? (uint32_t)sim_min(q->bytes, room - ragged) : pcix_bridge_retry(m, self);
  }
  uint32_t i = pcix_bridge_accept_read(m, self, side, q->address, q->bytes, 0), ready = i == SIM_NONE ? 0 : pcix_bridge_ready(m, s, i);
  pcix_bridge_request(m, self);
  return ready ? (uint32_t)sim_min(q->bytes, ready) : pcix_bridge_retry(m, self);
}

static void pcix_bridge_bus_target_give(sim *m, uint32_t self, uint32_t side, struct pci_target_give *q) {
  uint32_t i = pcix_bridge_find_request(m, SIM_STATE(m, self, pcix_bridge), side, q->address, 0);
  q->value = pcix_bridge_fill(m, self, i, q->address, q->bytes, q->writes, &q->newest);
  pcix_bridge_line_delivered(m, self, i, q->bytes);
  pcix_bridge_request(m, self);
}

/* A write can change memory, or tell a card of a change: data prefetched before it is not delivered after it. */
static void pcix_bridge_drop_ahead(sim *m, uint32_t self) {
  struct pcix_bridge_state *s = SIM_STATE(m, self, pcix_bridge);
  uint32_t n = 0, cause = m->cause;
  for (uint32_t i = 0; i < s->reads; i++) {
    pcix_bridge_read *r = pcix_bridge_read_at(m, s, i);
    if (r->side != PCIX_BRIDGE_CARDS || !r->end) continue;
    if (pcix_bridge_buffered(r)) {
      n += pcix_bridge_end(m, self, i);
    } else {
      r->limit = pcix_bridge_up_to(r->end, PCIX_BRIDGE_LINE);
      r->fetch = sim_min(r->fetch, r->limit);
      n += pcix_bridge_drop_lines_from(m, self, i, r->limit);
    }
  }
  if (n) sim_trace(m, self, PCIX_BRIDGE_EV_DROPS, 0, n, 0);
  m->cause = cause;
}

/* Adds a new post, or extends the newest one if it continues in the same line of memory. */
static void pcix_bridge_add(sim *m, uint32_t self, uint32_t way, pcix_bridge_post post, const uint32_t *writes) {
  struct pcix_bridge_state *s = SIM_STATE(m, self, pcix_bridge);
  uint32_t *posted = pcix_bridge_posted(m, s, way), word = (uint32_t)(post.addr % PCIX_BRIDGE_LINE / 4);
  pcix_bridge_post *last = pcix_bridge_post_at(m, s, way, *posted) - 1;
  if (way != PCIX_BRIDGE_CARDS && *posted && last->addr + last->bytes == post.addr && word) last->bytes += post.bytes;
  else if (*posted == s->posts) __builtin_trap(); /* accept no more than there is room for */
  else {
    *pcix_bridge_post_at(m, s, way, (*posted)++) = post;
    sim_schedule_for(m, self, SIM_PARAMS(m, self, pcix_bridge)->crossing, SIM_PHASE_REQUEST, PCIX_BRIDGE_POST, way);
  }
  __builtin_memcpy(pcix_bridge_post_words(m, s, way, *posted - 1) + word, writes, pcix_bridge_up_to(post.bytes, 4));
}

static void pcix_bridge_bus_target_take(sim *m, uint32_t self, uint32_t side, struct pci_target_take *q) {
  uint32_t cause = sim_trace(m, self, PCIX_BRIDGE_EV_POSTED, q->address, q->bytes, q->writes[0]);
  for (uint32_t done = 0, n; done < q->bytes; done += n) {
    uint64_t at = q->address + done;
    n = (uint32_t)sim_min(q->bytes - done, PCIX_BRIDGE_LINE - at % PCIX_BRIDGE_LINE);
    pcix_bridge_add(m, self, !side, (pcix_bridge_post){.addr = at, .value = q->value, .bytes = n, .cause = cause}, q->writes + done / 4);
  }
  if (side == PCIX_BRIDGE_CARDS) SIM_COUNTERS(m, self, pcix_bridge)->bytes_in += q->bytes;
  else SIM_COUNTERS(m, self, pcix_bridge)->stores++;
  if (pcix_bridge_fault(m, self) != PCIX_BRIDGE_FAULT_LINES_SURVIVE) pcix_bridge_drop_ahead(m, self);
  pcix_bridge_request(m, self);
}

/* The cards' addresses are claimed on the memory side, all others on the cards' side. */
static uint32_t pcix_bridge_bus_claim(sim *m, uint32_t self, uint32_t side, struct pci_claim *q) {
  const struct pcix_bridge_params *p = SIM_PARAMS(m, self, pcix_bridge);
  uint64_t end = p->base + p->length, from[] = {p->base, 0, end}, to[] = {end, p->base, UINT64_MAX};
  uint32_t i = side == PCIX_BRIDGE_CARDS ? 1 + q->which : q->which ? 1 : 0;
  if (side != PCIX_BRIDGE_CARDS && q->which) return 0;
  q->base = from[i];
  q->length = to[i] - from[i];
  return q->length == 0 ? 0 : side == PCIX_BRIDGE_CARDS ? 2 : 1;
}
