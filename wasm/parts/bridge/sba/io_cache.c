/*
 * The coherent I/O cache: lines that devices read with ownership, or as a copy shared with the processors.
 *
 *   Read Current     gives what is here or in memory, and keeps nothing
 *   Read Shared      keeps a copy; the processors keep theirs, and ask before they write
 *   Read Private     keeps the line; the processors lose it
 *
 * A processor's fetch takes a line back. No line here is ever newer than memory: devices' writes are
 * forwarded at once, and also update a cached line.
 */

static struct sba_lines *sba_lines(sim *m, struct sba *sba) { return sim_at(m, sba->state->lines_at); }

static uint32_t *sba_words(sim *m, struct sba *sba, const struct sba_lines *l) {
  return (uint32_t *)sim_at(m, sba->state->words_at) + (l - sba_lines(m, sba)) * SBA_WORDS;
}

static int sba_broken(struct sba *sba, uint32_t fault) { return sba->params->fault == fault; }

/* A line that contains any of these bytes; NULL if there is none. */
static struct sba_lines *sba_cached_line(sim *m, struct sba *sba, uint64_t address, uint32_t bytes) {
  struct sba_lines *l = sba_lines(m, sba);
  uint32_t lines = sba->state->uses ? (uint32_t)sba->params->lines : 0;
  for (uint32_t i = 0; i < lines; i++)
    if (l[i].state != SBA_LINE_EMPTY && address < l[i].addr + l[i].bytes && l[i].addr < address + bytes)
      return l + i;
  return NULL;
}

static void sba_drop_line(sim *m, struct sba *sba, struct sba_lines *l, uint32_t why) {
  sim_trace(m, sba->self, SBA_EV_LEFT, l->addr, why, 0);
  sba->counters->recalled += why == SBA_WHY_RECALLED;
  *l = (struct sba_lines){0};
}

/* Returns the whole line to its requester. */
static void sba_recall(sim *m, struct sba *sba, uint64_t address, uint32_t bytes) {
  for (struct sba_lines *l;
      (l = sba_cached_line(m, sba, address, bytes)) && !sba_broken(sba, SBA_FAULT_NOT_RECALLED);)
    sba_drop_line(m, sba, l, SBA_WHY_RECALLED);
}

/* Caches the line that a device has just read, owned or shared; evicts the least recently used line. */
static void sba_cache_line(
    sim *m, struct sba *sba, const struct rope_read *q, uint64_t address, uint32_t state) {
  struct sba_lines *l = sba_lines(m, sba), *part = sba_cached_line(m, sba, address, q->bytes), *place = l;
  for (uint32_t i = 0; i < sba->params->lines; i++)
    if (l[i].used < place->used) place = l + i;
  if (part) place = part;
  if (place->state != SBA_LINE_EMPTY) sba_drop_line(m, sba, place, SBA_WHY_EVICTED);
  *place = (struct sba_lines){.addr = address, .used = ++sba->state->uses, .bytes = q->bytes, .state = state};
  __builtin_memcpy(sba_words(m, sba, place), q->writes, q->bytes);
  sba->counters->kept++;
  sim_trace(m, sba->self, SBA_EV_KEPT, address, state, 0);
}

/* Serves a read if all of it is cached. */
static int sba_hit(sim *m, struct sba *sba, struct rope_read *q, uint64_t address) {
  struct sba_lines *l = sba_cached_line(m, sba, address, q->bytes);
  if (!l || address < l->addr || address + q->bytes > l->addr + l->bytes) return 0;
  __builtin_memcpy(q->writes, sba_words(m, sba, l) + (address - l->addr) / 4, q->bytes);
  l->used = ++sba->state->uses;
  sba->counters->hits++;
  sim_trace(m, sba->self, SBA_EV_HIT, address, q->bytes, q->writes[0]);
  return 1;
}

/* A device's write also updates a cached line. */
static void sba_update(sim *m, struct sba *sba, const struct rope_write *q, uint64_t address) {
  struct sba_lines *l = sba_cached_line(m, sba, address, q->bytes);
  if (!l || sba_broken(sba, SBA_FAULT_WRITES_PAST)) return;
  if (address < l->addr || address + q->bytes > l->addr + l->bytes)
    sba_drop_line(m, sba, l, SBA_WHY_OVERWRITTEN);
  else {
    __builtin_memcpy(sba_words(m, sba, l) + (address - l->addr) / 4, q->writes, q->bytes);
    l->state = SBA_LINE_OWNED;
  }
}
