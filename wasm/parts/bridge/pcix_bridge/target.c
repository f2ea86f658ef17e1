/* The bridge as target: writes that it posts, reads that it takes over. */

static uint32_t pcix_bridge_retry(struct pcix_bridge *bridge) {
  bridge->counters->retries++;
  return 0;
}

/* The present demand of a read and the end of its fetch: registers exactly, memory by lines and ahead. */
static void pcix_bridge_until(struct pcix_bridge *bridge, pcix_bridge_read *r, uint64_t end) {
  uint64_t lines = pcix_bridge_up_to(end, PCIX_BRIDGE_LINE),
           ahead = lines + bridge->params->ahead * PCIX_BRIDGE_LINE;
  r->end = end;
  r->limit = end;
  if (r->side != PCIX_BRIDGE_CARDS) return;
  r->limit = sim_max(
      r->fetch, bridge->params->page_end ? sim_min(ahead, pcix_bridge_up_to(end, PCIX_BRIDGE_PAGE)) : ahead);
}

/* A free entry for a read, or that of one only kept for its lines. */
static uint32_t pcix_bridge_place(sim *m, struct pcix_bridge *bridge) {
  for (uint32_t i = 0; i < bridge->state->reads; i++)
    if (!pcix_bridge_read_at(m, bridge, i)->end) return i;
  for (uint32_t i = 0; i < bridge->state->reads; i++)
    if (pcix_bridge_buffered(pcix_bridge_read_at(m, bridge, i))) {
      pcix_bridge_end(m, bridge, i);
      return i;
    }
  return SIM_NONE;
}

/* A new read reuses the entries of kept lines. */
static void pcix_bridge_make_room(sim *m, struct pcix_bridge *bridge, uint64_t lines) {
  for (uint32_t i = 0; i < bridge->state->lines; i++)
    lines -= lines && pcix_bridge_line_at(m, bridge, i)->state == PCIX_BRIDGE_LINE_EMPTY;
  for (uint32_t i = 0; i < bridge->state->reads && lines; i++)
    if (pcix_bridge_buffered(pcix_bridge_read_at(m, bridge, i)))
      lines -= sim_min(lines, pcix_bridge_end(m, bridge, i));
}

/* The read at this address whose master is being retried or, if it is split, that is kept. */
static uint32_t pcix_bridge_find_request(
    sim *m, struct pcix_bridge *bridge, uint32_t side, uint64_t address, uint32_t split) {
  for (uint32_t i = 0; i < bridge->state->reads; i++) {
    const pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, i);
    if (r->end && r->side == side && r->addr == address && (pcix_bridge_buffered(r) || !(r->split | split)))
      return i;
  }
  return SIM_NONE;
}

/* Takes a read over; SIM_NONE if there is no free entry. */
static uint32_t pcix_bridge_accept_read(
    sim *m, struct pcix_bridge *bridge, uint32_t side, uint64_t address, uint32_t bytes, uint32_t split) {
  uint32_t i = pcix_bridge_find_request(m, bridge, side, address, split), kept = i != SIM_NONE;
  if (!kept) i = pcix_bridge_place(m, bridge);
  if (i == SIM_NONE) return i;
  pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, i);
  if (kept && !pcix_bridge_buffered(r)) return i; /* its master has retried */
  if (!kept) {
    uint32_t behind = pcix_bridge_behind(m, bridge, !side, PCI_ORDER_READ_REQUEST);
    *r = (pcix_bridge_read){.addr = address,
        .fetch = side == PCIX_BRIDGE_CARDS ? pcix_bridge_base(address) : address,
        .side = side,
        .behind = behind};
    sim_schedule_for(m, bridge->self, bridge->params->crossing, SIM_PHASE_REQUEST, PCIX_BRIDGE_READ, i);
  }
  r->split = split;
  pcix_bridge_until(bridge, r, address + bytes);
  bridge->counters->reads++;
  bridge->counters->continued += kept;
  r->cause = sim_trace(m, bridge->self, kept ? PCIX_BRIDGE_EV_CONTINUES : PCIX_BRIDGE_EV_TAKES, address,
      bytes, kept ? pcix_bridge_ready(m, bridge, i) : r->behind);
  if (r->fetch < r->end)
    pcix_bridge_make_room(
        m, bridge, (pcix_bridge_up_to(r->end, PCIX_BRIDGE_LINE) - r->fetch) / PCIX_BRIDGE_LINE);
  return i;
}

static uint32_t pcix_bridge_bus_begin_block(
    sim *m, struct pcix_bridge *bridge, uint32_t side, struct pci_begin_block *q) {
  uint32_t i = pcix_bridge_accept_read(m, bridge, side, q->address, q->bytes, 1);
  if (i == SIM_NONE) return pcix_bridge_retry(bridge);
  pcix_bridge_read_at(m, bridge, i)->tag = q->tag;
  pcix_bridge_read_at(m, bridge, i)->attributes = (uint32_t)q->attributes;
  pcix_bridge_request(m, bridge);
  return 1;
}

static uint32_t pcix_bridge_bus_begin(
    sim *m, struct pcix_bridge *bridge, uint32_t side, struct pci_begin *q) {
  q->ready = m->time;
  if (!pci_is_read(q->command)) {
    /* Stores to registers are not merged, so each 8 B can take an entry; one entry is reserved for a piece in
       two lines. */
    uint32_t places = bridge->state->posts - *pcix_bridge_posted(m, bridge, !side),
             unit = side == PCIX_BRIDGE_CARDS ? PCIX_BRIDGE_LINE : 8;
    uint64_t room = places > 1 ? (places - 1) * unit : 0, ragged = q->address % unit;
    return room > ragged ? (uint32_t)sim_min(q->bytes, room - ragged) : pcix_bridge_retry(bridge);
  }
  uint32_t i = pcix_bridge_accept_read(m, bridge, side, q->address, q->bytes, 0),
           ready = i == SIM_NONE ? 0 : pcix_bridge_ready(m, bridge, i);
  pcix_bridge_request(m, bridge);
  return ready ? (uint32_t)sim_min(q->bytes, ready) : pcix_bridge_retry(bridge);
}

static void pcix_bridge_bus_target_give(
    sim *m, struct pcix_bridge *bridge, uint32_t side, struct pci_target_give *q) {
  uint32_t i = pcix_bridge_find_request(m, bridge, side, q->address, 0);
  q->value = pcix_bridge_fill(m, bridge, i, q->address, q->bytes, q->writes, &q->newest);
  pcix_bridge_line_delivered(m, bridge, i, q->bytes);
  pcix_bridge_request(m, bridge);
}

/* A write can change memory, or tell a card of a change: data prefetched before it is not delivered after it.
 */
static void pcix_bridge_drop_ahead(sim *m, struct pcix_bridge *bridge) {
  uint32_t n = 0, cause = m->cause;
  for (uint32_t i = 0; i < bridge->state->reads; i++) {
    pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, i);
    if (r->side != PCIX_BRIDGE_CARDS || !r->end) continue;
    if (pcix_bridge_buffered(r)) {
      n += pcix_bridge_end(m, bridge, i);
    } else {
      r->limit = pcix_bridge_up_to(r->end, PCIX_BRIDGE_LINE);
      r->fetch = sim_min(r->fetch, r->limit);
      n += pcix_bridge_drop_lines_from(m, bridge, i, r->limit);
    }
  }
  if (n) sim_trace(m, bridge->self, PCIX_BRIDGE_EV_DROPS, 0, n, 0);
  m->cause = cause;
}

/* Adds a new post, or extends the newest one if it continues in the same line of memory. */
static void pcix_bridge_add(
    sim *m, struct pcix_bridge *bridge, uint32_t way, pcix_bridge_post post, const uint32_t *writes) {
  uint32_t *posted = pcix_bridge_posted(m, bridge, way), word = (uint32_t)(post.addr % PCIX_BRIDGE_LINE / 4);
  pcix_bridge_post *last = pcix_bridge_post_at(m, bridge, way, *posted) - 1;
  if (way != PCIX_BRIDGE_CARDS && *posted && last->addr + last->bytes == post.addr && word)
    last->bytes += post.bytes;
  else if (*posted == bridge->state->posts) __builtin_trap(); /* accept no more than there is room for */
  else {
    *pcix_bridge_post_at(m, bridge, way, (*posted)++) = post;
    sim_schedule_for(m, bridge->self, bridge->params->crossing, SIM_PHASE_REQUEST, PCIX_BRIDGE_POST, way);
  }
  __builtin_memcpy(
      pcix_bridge_post_words(m, bridge, way, *posted - 1) + word, writes, pcix_bridge_up_to(post.bytes, 4));
}

static void pcix_bridge_bus_target_take(
    sim *m, struct pcix_bridge *bridge, uint32_t side, struct pci_target_take *q) {
  uint32_t cause = sim_trace(m, bridge->self, PCIX_BRIDGE_EV_POSTED, q->address, q->bytes, q->writes[0]);
  for (uint32_t done = 0, n; done < q->bytes; done += n) {
    uint64_t at = q->address + done;
    n = (uint32_t)sim_min(q->bytes - done, PCIX_BRIDGE_LINE - at % PCIX_BRIDGE_LINE);
    pcix_bridge_add(m, bridge, !side,
        (pcix_bridge_post){.addr = at, .value = q->value, .bytes = n, .cause = cause}, q->writes + done / 4);
  }
  if (side == PCIX_BRIDGE_CARDS) bridge->counters->bytes_in += q->bytes;
  else bridge->counters->stores++;
  if (pcix_bridge_fault(bridge) != PCIX_BRIDGE_FAULT_LINES_SURVIVE) pcix_bridge_drop_ahead(m, bridge);
  pcix_bridge_request(m, bridge);
}

/* The cards' addresses are claimed on the memory side, all others on the cards' side. */
static uint32_t pcix_bridge_bus_claim(
    sim *m, struct pcix_bridge *bridge, uint32_t side, struct pci_claim *q) {
  (void)m;
  uint64_t end = bridge->params->base + bridge->params->length, from[] = {bridge->params->base, 0, end},
           to[] = {end, bridge->params->base, UINT64_MAX};
  uint32_t i = side == PCIX_BRIDGE_CARDS ? 1 + q->which : q->which ? 1 : 0;
  if (side != PCIX_BRIDGE_CARDS && q->which) return 0;
  q->base = from[i];
  q->length = to[i] - from[i];
  return q->length == 0 ? 0 : side == PCIX_BRIDGE_CARDS ? 2 : 1;
}
