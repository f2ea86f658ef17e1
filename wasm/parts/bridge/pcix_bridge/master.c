/* The bridge as master: departing posts, its own reads, and completions of reads that it has taken over. */

/* The oldest posted bytes in one direction have left. Entries that waited behind a departed post wait for one
   fewer. */
static void pcix_bridge_remaining(sim *m, struct pcix_bridge *bridge, uint32_t way, uint32_t bytes) {
  while (bytes) {
    pcix_bridge_post *first = pcix_bridge_post_at(m, bridge, way, 0);
    uint32_t n = (uint32_t)sim_min(bytes, first->bytes), left = *pcix_bridge_posted(m, bridge, way) - 1;
    bytes -= n;
    first->addr += n;
    first->bytes -= n;
    if (first->bytes) continue;
    --*pcix_bridge_posted(m, bridge, way), --*pcix_bridge_has_line(m, bridge, way);
    for (uint32_t i = 0; i < left; i++) {
      first[i] = first[i + 1];
      __builtin_memcpy(pcix_bridge_post_words(m, bridge, way, i),
          pcix_bridge_post_words(m, bridge, way, i + 1), PCIX_BRIDGE_LINE);
    }
    first[left] = (pcix_bridge_post){0};
    for (uint32_t i = 0; i < bridge->state->reads; i++) {
      pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, i);
      if (r->side != way && r->behind) r->behind--;
    }
    for (uint32_t i = 0; i < bridge->state->lines; i++) {
      pcix_bridge_line *l = pcix_bridge_line_at(m, bridge, i);
      if (l->side == way && l->behind) l->behind--;
    }
  }
}

/* A run of posts that are contiguous in memory, as one burst. */
static void pcix_bridge_grant_posts(sim *m, struct pcix_bridge *bridge, uint32_t way, struct pci_grant *q) {
  const pcix_bridge_post *first = pcix_bridge_post_at(m, bridge, way, 0);
  uint32_t run = first->bytes;
  for (uint32_t i = 1; i < *pcix_bridge_has_line(m, bridge, way) && first[i].addr == first->addr + run; i++)
    run += first[i].bytes;
  bridge->state->side[way].run = run;
  *q = (struct pci_grant){.address = first->addr, .bytes = run, .command = PCI_COMMAND_WRITE};
  m->cause = first->cause;
}

static void pcix_bridge_grant_completion(
    sim *m, struct pcix_bridge *bridge, uint32_t way, struct pci_grant *q) {
  uint32_t i = pcix_bridge_completes(m, bridge, way);
  const pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, i);
  bridge->state->side[way].completes = i;
  *q = (struct pci_grant){.address = r->addr,
      .bytes = pcix_bridge_ready(m, bridge, i),
      .command = PCI_COMMAND_COMPLETION,
      .tag = r->tag};
  m->cause = pcix_bridge_find(m, bridge, i, r->addr)->cause;
}

/* Allocates entries for the lines of a read, and sends the read. */
static void pcix_bridge_open(sim *m, struct pcix_bridge *bridge, uint32_t way) {
  uint32_t read = pcix_bridge_request_pending(m, bridge, way), place = 0;
  pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, read);
  uint64_t end = pcix_bridge_prefetch_limit(m, bridge, r);
  bridge->state->turn = read;
  m->cause = r->cause;
  uint32_t cause = sim_trace(m, bridge->self, PCIX_BRIDGE_EV_ASKS, r->fetch, (uint32_t)(end - r->fetch), 0);
  bridge->state->side[way].asked = r->fetch;
  bridge->state->side[way].asked_end = end;
  while (r->fetch < end) {
    while (pcix_bridge_line_at(m, bridge, place)->state != PCIX_BRIDGE_LINE_EMPTY) place++;
    uint64_t base = pcix_bridge_base(r->fetch), to = sim_min(end, base + PCIX_BRIDGE_LINE);
    *pcix_bridge_line_at(m, bridge, place) = (pcix_bridge_line){.addr = base,
        .state = PCIX_BRIDGE_LINE_ASKED,
        .from = (uint32_t)(r->fetch - base),
        .to = (uint32_t)(to - base),
        .read = read + 1,
        .side = r->side,
        .cause = cause};
    bridge->counters->fetched++;
    r->fetch = to;
  }
}

static uint32_t pcix_bridge_bus_grant(sim *m, struct pcix_bridge *bridge, uint32_t way, struct pci_grant *q) {
  struct pcix_bridge_side *side = &bridge->state->side[way];
  side->sending = pcix_bridge_next(m, bridge, way);
  side->waited = side->sending == PCIX_BRIDGE_POSTS;
  if (side->sending == PCIX_BRIDGE_NOTHING) return 0;
  if (side->sending == PCIX_BRIDGE_POSTS) {
    pcix_bridge_grant_posts(m, bridge, way, q);
  } else if (side->sending == PCIX_BRIDGE_COMPLETION) {
    pcix_bridge_grant_completion(m, bridge, way, q);
  } else {
    if (!side->asked_end) pcix_bridge_open(m, bridge, way);
    uint32_t bytes = (uint32_t)(side->asked_end - side->asked);
    *q = (struct pci_grant){.address = side->asked,
        .bytes = bytes,
        .command = pci_read_command(PCI_READ_KIND_READ_MULTIPLE, PCIX_BRIDGE_LINE, side->asked, bytes)};
  }
  return 1;
}

/* A read goes on with the attributes of its requester. */
static uint32_t pcix_bridge_bus_attributes(sim *m, struct pcix_bridge *bridge, uint32_t way) {
  return bridge->state->side[way].sending == PCIX_BRIDGE_ASKS
             ? pcix_bridge_read_at(m, bridge, bridge->state->turn)->attributes
             : 0;
}

/* Delivers the words of a read, or the value of a single one. */
static uint64_t pcix_bridge_fill(sim *m, struct pcix_bridge *bridge, uint32_t read, uint64_t address,
    uint32_t bytes, uint32_t *writes, uint32_t *newest) {
  const pcix_bridge_line *l = NULL;
  for (uint64_t at = address; at < address + bytes; at += 4) {
    l = pcix_bridge_find(m, bridge, read, at);
    writes[(at - address) / 4] = pcix_bridge_line_words(m, bridge, l)[at % PCIX_BRIDGE_LINE / 4];
  }
  if (pcix_bridge_read_at(m, bridge, read)->side == PCIX_BRIDGE_CARDS) bridge->counters->bytes_out += bytes;
  sim_trace(m, bridge->self, PCIX_BRIDGE_EV_GIVEN, address, bytes, writes[0]);
  *newest = l->newest;
  return l->value;
}

static void pcix_bridge_bus_master_give(
    sim *m, struct pcix_bridge *bridge, uint32_t way, struct pci_master_give *q) {
  uint32_t newest, i = 0;
  if (bridge->state->side[way].sending == PCIX_BRIDGE_COMPLETION) {
    q->value = pcix_bridge_fill(
        m, bridge, bridge->state->side[way].completes, q->address, q->bytes, q->writes, &newest);
    return;
  }
  q->value = pcix_bridge_post_at(m, bridge, way, 0)->value;
  for (uint64_t at = q->address; at < q->address + q->bytes; at += 4) {
    const pcix_bridge_post *p = pcix_bridge_post_at(m, bridge, way, i);
    if (at >= p->addr + p->bytes) i++;
    q->writes[(at - q->address) / 4] = pcix_bridge_post_words(m, bridge, way, i)[at % PCIX_BRIDGE_LINE / 4];
  }
}

/* Bytes of a read have been delivered. The read is kept if it has prefetched lines and no other read waits
   for entries. */
static void pcix_bridge_line_delivered(sim *m, struct pcix_bridge *bridge, uint32_t read, uint32_t bytes) {
  pcix_bridge_read *r = pcix_bridge_read_at(m, bridge, read);
  r->addr += bytes;
  for (uint32_t i = 0; i < bridge->state->lines; i++) {
    pcix_bridge_line *l = pcix_bridge_line_at(m, bridge, i);
    if (l->read == read + 1 && l->state == PCIX_BRIDGE_LINE_HERE && l->addr + PCIX_BRIDGE_LINE <= r->addr)
      *l = (pcix_bridge_line){0};
  }
  if (r->addr < r->end) return;
  int alone = 1;
  for (uint32_t i = 0; i < bridge->state->reads; i++)
    alone &= pcix_bridge_read_at(m, bridge, i)->fetch >= pcix_bridge_read_at(m, bridge, i)->end;
  if (!alone || r->limit <= pcix_bridge_up_to(r->end, PCIX_BRIDGE_LINE)) pcix_bridge_end(m, bridge, read);
}

/* A complete line has arrived: it crosses the bridge. */
static void pcix_bridge_line_arrived(sim *m, struct pcix_bridge *bridge, pcix_bridge_line *l) {
  if (l->state == PCIX_BRIDGE_LINE_DROPPED) {
    *l = (pcix_bridge_line){0};
    return;
  }
  l->state = PCIX_BRIDGE_LINE_CROSSING;
  l->cause = m->cause;
  l->behind = pcix_bridge_behind(m, bridge, l->side, PCI_ORDER_READ_COMPLETION);
  bridge->counters->blocked += l->behind > 0;
  if (l->behind) l->cause = sim_trace(m, bridge->self, PCIX_BRIDGE_EV_BEHIND, l->addr, l->behind, 0);
  sim_schedule_for(m, bridge->self, bridge->params->crossing, SIM_PHASE_ANSWER, PCIX_BRIDGE_DATA,
      (uint32_t)(l - pcix_bridge_line_at(m, bridge, 0)));
}

/* Data for one of the bridge's own reads: finds the waiting line for exactly these bytes. */
static void pcix_bridge_bus_master_take(
    sim *m, struct pcix_bridge *bridge, uint32_t way, struct pci_master_take *q) {
  uint32_t cause = m->cause;
  for (uint32_t done = 0, n; done < q->bytes; done += n) {
    uint64_t at = q->address + done;
    n = (uint32_t)sim_min(q->bytes - done, PCIX_BRIDGE_LINE - at % PCIX_BRIDGE_LINE);
    for (uint32_t i = 0; i < bridge->state->lines; i++) {
      pcix_bridge_line *l = pcix_bridge_line_at(m, bridge, i);
      if (l->side == way || l->from >= l->to || l->addr + l->from != at) continue;
      __builtin_memcpy(
          pcix_bridge_line_words(m, bridge, l) + l->from / 4, q->writes + done / 4, pcix_bridge_up_to(n, 4));
      l->from += n;
      l->value = q->value;
      l->newest = q->newest;
      if (l->from >= l->to) pcix_bridge_line_arrived(m, bridge, l);
      m->cause = cause;
      break;
    }
  }
}

/* No target claims the address: the data of the read belongs to no write. */
static void pcix_bridge_abort(sim *m, struct pcix_bridge *bridge, uint32_t way) {
  struct pcix_bridge_side *side = &bridge->state->side[way];
  uint32_t reads = side->sending == PCIX_BRIDGE_ASKS, none[PCIX_BRIDGE_WORDS] = {0};
  bridge->counters->aborted++;
  sim_trace(m, bridge->self, PCIX_BRIDGE_EV_ABORTED,
      reads ? side->asked : pcix_bridge_post_at(m, bridge, way, 0)->addr, 0, 0);
  if (!reads) pcix_bridge_remaining(m, bridge, way, side->run);
  for (uint32_t n; side->asked < side->asked_end && reads; side->asked += n) {
    n = (uint32_t)sim_min(side->asked_end - side->asked, PCIX_BRIDGE_LINE - side->asked % PCIX_BRIDGE_LINE);
    struct pci_master_take q = {.address = side->asked, .bytes = n, .value = UINT32_MAX, .writes = none};
    pcix_bridge_bus_master_take(m, bridge, way, &q);
  }
  if (reads) side->asked_end = 0;
}

/* The bridge's read is split: the data arrives by itself. */
static void pcix_bridge_bus_split(sim *m, struct pcix_bridge *bridge, uint32_t way, struct pci_split *q) {
  (void)q;
  struct pcix_bridge_side *side = &bridge->state->side[way];
  side->sending = PCIX_BRIDGE_NOTHING;
  side->asked_end = 0;
  pcix_bridge_request(m, bridge);
}

/* The bridge's data has moved, or data of a split read has arrived while the bridge has nothing on the bus.
 */
static uint32_t pcix_bridge_bus_moved(sim *m, struct pcix_bridge *bridge, uint32_t way, struct pci_moved *q) {
  struct pcix_bridge_side *side = &bridge->state->side[way];
  uint32_t more = 0;
  if (side->sending && q->bytes == 0) {
    if (q->last) pcix_bridge_abort(m, bridge, way);
  } else if (side->sending == PCIX_BRIDGE_POSTS) {
    pcix_bridge_remaining(m, bridge, way, q->bytes);
    more = side->run -= q->bytes;
  } else if (side->sending == PCIX_BRIDGE_COMPLETION) {
    pcix_bridge_line_delivered(m, bridge, side->completes, q->bytes);
    more = pcix_bridge_ready(m, bridge, side->completes);
  } else if (side->sending) {
    side->asked += q->bytes;
    more = (uint32_t)(side->asked_end - side->asked);
    if (!more) side->asked_end = 0;
  }
  if (q->last || !more) side->sending = PCIX_BRIDGE_NOTHING;
  pcix_bridge_request(m, bridge);
  return more;
}
