/* Invariants of explored states. */
#include "core/state_codec.h"

#include "verify/lock_invariants.c"
#include "verify/packet_invariants.c"

#define CHECKED_CACHES 16u
#define CHECKED_CPUS 8u

/* Indices of the parts that the invariants check; SIM_NONE for parts the machine does not have. */
struct checked {
  uint32_t adapter;
  uint32_t prover;
  uint32_t runway;
  uint32_t memory;
  uint32_t tcpip;
  uint32_t ethernet;
  uint32_t bridge;
  uint32_t pools;
  uint32_t iommu;
  uint32_t sba;
  uint32_t pair;
  uint32_t kernel;
  uint32_t caches;
  uint32_t cache[CHECKED_CACHES];
  uint32_t cpus;
  uint32_t cpu[CHECKED_CPUS];
};

static struct checked checked_parts(sim *m) {
  struct checked c = {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE,
      SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, 0, {0}, 0, {0}};
  for (uint32_t i = m->part_count; i-- > 0;) switch (sim_part(m, i)->type) {
      case SIM_TYPE_IO_ADAPTER: c.adapter = i; break;
      case SIM_TYPE_PROVER: c.prover = i; break;
      case SIM_TYPE_RUNWAY: c.runway = i; break;
      case SIM_TYPE_MEMORY_CONTROLLER: c.memory = i; break;
      case SIM_TYPE_HSC_PCI: c.bridge = i; break;
      case SIM_TYPE_IOMMU_MAP: c.pools = i; break;
      case SIM_TYPE_IOMMU: c.iommu = i; break;
      case SIM_TYPE_SBA: c.sba = i; break;
      case SIM_TYPE_ROPE_PAIR: c.pair = i; break;
      case SIM_TYPE_TCPIP: c.tcpip = i; break;
      case SIM_TYPE_ETHERNET: c.ethernet = i; break;
      case SIM_TYPE_KERNEL: c.kernel = i; break;
      case SIM_TYPE_PROCESSOR:
        if (c.cpus < CHECKED_CPUS) c.cpu[c.cpus++] = i;
        break;
      case SIM_TYPE_SNOOP_CACHE:
        if (c.caches < CHECKED_CACHES) c.cache[c.caches++] = i;
    }
  return c;
}

/* A line that one cache may write is in no other cache; one that the adapter holds is in none. */
static int has_two_writers(sim *m, const struct checked *c) {
  uint32_t rows;
  const struct io_adapter_line *line =
      c->adapter == SIM_NONE ? NULL : checked_view(m, c->adapter, IO_ADAPTER_VIEW_LINE, &rows);
  uint32_t held = line && line->state == IO_ADAPTER_LINE_HELD ? (uint32_t)(line->addr / RUNWAY_LINE) + 1 : 0;
  for (uint32_t a = 0; a < c->caches; a++) {
    const struct snoop_cache_lines *lines = checked_view(m, c->cache[a], SNOOP_CACHE_VIEW_LINES, &rows);
    for (uint32_t i = 0; i < rows; i++) {
      if (lines[i].state == SNOOP_CACHE_LINE_INVALID) continue;
      if (lines[i].tag == held) return 1;
      for (uint32_t b = 0; b < c->caches && lines[i].state >= SNOOP_CACHE_LINE_PRIVATE_CLEAN; b++)
        if (b != a && held_line(m, c->cache[b], lines[i].tag)) return 1;
    }
  }
  return 0;
}

/* A line that the I/O cache owns is in no processor's cache; one of which it has a copy may not be written
   there. A line that a processor waits for does not count, though its tag is present. */
static int io_cache_differs(sim *m, const struct checked *c) {
  uint32_t rows, kept;
  if (c->sba == SIM_NONE || c->pair == SIM_NONE) return 0;
  const struct sba_lines *line = checked_view(m, c->sba, SBA_VIEW_LINES, &kept);
  const struct rope_pair_processors *cpu = checked_view(m, c->pair, ROPE_PAIR_VIEW_PROCESSORS, &rows);
  for (uint32_t i = 0; i < rows; i++) {
    uint32_t tags, cache = sim_wire(m, c->pair, ROPE_PAIR_PORT_CACHE + i)->part;
    if (!sim_wired(m, c->pair, ROPE_PAIR_PORT_CACHE + i) || cpu[i].waits) continue;
    const struct cache_lines *tag = checked_view(m, cache, CACHE_VIEW_LINES, &tags);
    for (uint32_t at = 0; at < tags * kept; at++) {
      const struct sba_lines *l = line + at / tags;
      const struct cache_lines *t = tag + at % tags;
      if (l->state == SBA_LINE_EMPTY || t->tag != (uint32_t)(l->addr / SIM_PARAMS(m, cache, cache)->line) + 1)
        continue;
      if (l->state == SBA_LINE_OWNED || !(t->use & CACHE_SHARED)) return 1;
    }
  }
  return 0;
}

/* Only the prover's own actions are pending: every request has completed, or never will. */
static int only_retries_enabled(sim *m, const struct checked *c, uint32_t *steps) {
  *steps = 0;
  for (uint32_t i = 0; i < m->pending; i++) {
    const sim_msg *msg = message(m, i);
    if (msg->to != c->prover) return 0;
    *steps += msg->port != SIM_PORT_SELF || msg->kind == PROVER_STEP;
  }
  return 1;
}

static const struct prover_now *prover_is(sim *m, const struct checked *c) {
  uint32_t rows;
  return checked_view(m, c->prover, PROVER_VIEW_NOW, &rows);
}

/* Whether an agent waits for more than is in flight to the prover. A card that is done and waits to be polled
   does not count. */
static int is_busy(sim *m, const struct checked *c, uint32_t steps) {
  const struct prover_now *now = prover_is(m, c);
  uint32_t card = now->job && (now->quiet || now->card != CARD_DONE);
  uint32_t busy = (now->busy_0 != 0) + (now->busy_1 != 0) + (now->busy_2 != 0) + (now->device != 0) + card;
  return busy > steps; /* each pending step belongs to one of them */
}

static int is_deadlocked(sim *m, const struct checked *c) {
  uint32_t steps;
  for (uint32_t i = 0; m->pending == 0 && i < c->cpus; i++)
    if (thread_left(m, c->cpu[i])) return 1;
  if (!only_retries_enabled(m, c, &steps) || !is_busy(m, c, steps)) return 0;
  const struct prover_now *now = prover_is(m, c);
  return !now->locked || now->device; /* a locked read's write is still to come */
}

/* The same on a bus that retries forever: only actions of the prover lead to other states. */
static int is_livelocked(sim *m, const struct checked *c) {
  uint32_t steps = 0;
  for (uint32_t i = 0; i < m->pending; i++) {
    const sim_msg *msg = message(m, i);
    steps += msg->to == c->prover && (msg->port != SIM_PORT_SELF || msg->kind == PROVER_STEP);
  }
  return is_busy(m, c, steps);
}

static uint64_t directory_entry(sim *m, const struct checked *c, uint64_t page) {
  uint32_t rows;
  const struct memory_controller_directory *entries =
      checked_view(m, c->memory, MEMORY_CONTROLLER_VIEW_DIRECTORY, &rows);
  return page < rows ? (uint64_t)entries[page].high << 32 | entries[page].low : 0;
}

/* An allocator with lazy flushing leaves translations for a while, by design. */
static int has_leftover_translations(sim *m, const struct checked *c) {
  return c->pools != SIM_NONE && SIM_PARAMS(m, c->pools, iommu_map)->flush != IOMMU_MAP_FLUSH_EACH;
}

/* Every translation and every line kept for a device has a valid entry. */
static int stale_translation(sim *m, const struct checked *c) {
  uint32_t rows;
  if (c->adapter == SIM_NONE || has_leftover_translations(m, c)) return 0;
  const struct io_adapter_params *q = SIM_PARAMS(m, c->adapter, io_adapter);
  const struct io_adapter_tlb *tlb = checked_view(m, c->adapter, IO_ADAPTER_VIEW_TLB, &rows);
  uint32_t low = (uint32_t)q->chain_shift - 12, bits = (uint32_t)__builtin_ctzll(q->rows);
  for (uint32_t chain = 0; chain < rows; chain++) {
    if (!tlb[chain].valid) continue;
    uint64_t page = (uint64_t)(tlb[chain].block >> low) << (low + bits) | (uint64_t)chain << low
                    | (tlb[chain].block & ((1u << low) - 1));
    uint64_t entry = directory_entry(m, c, page);
    if (!(entry & 1) || io_page_page(entry) != tlb[chain].page) return 1;
  }
  const struct io_adapter_prefetch *prefetch = checked_view(m, c->adapter, IO_ADAPTER_VIEW_PREFETCH, &rows);
  for (uint32_t slot = 0; slot < rows; slot++) {
    uint64_t entry = directory_entry(m, c, prefetch[slot].addr / 4096);
    if (prefetch[slot].state && (!(entry & 1) || io_page_page(entry) != prefetch[slot].physical / 4096))
      return 1;
  }
  const struct io_adapter_rest *rest = checked_view(m, c->adapter, IO_ADAPTER_VIEW_REST, &rows);
  for (uint32_t slot = 0; slot < rows; slot++)
    if (rest[slot].kept && !(directory_entry(m, c, rest[slot].addr / 4096) & 1)) return 1;
  return 0;
}

/* The current memory page, + 1, in the memory table's entry; 0 for none. */
static uint32_t page_of_walk(sim *m, const struct checked *c, uint64_t entry) {
  struct iommu_reads_table where = {0};
  call_iommu_reads_table(m, c->pools, IOMMU_MAP_PORT_IOMMU, &where);
  uint64_t value = directory_entry(m, c,
      (where.table - SIM_PARAMS(m, c->memory, memory_controller)->directory) / IOMMU_ENTRY_BYTES + entry);
  return value & IOMMU_ENTRY_VALID ? (uint32_t)iommu_entry_page(value) + 1 : 0;
}

/* A cached translation of an IOMMU whose entry, of a 4 KiB page, has changed. */
static int stale_in_iommu(sim *m, const struct checked *c) {
  uint32_t rows;
  const struct iommu_cache *cache = checked_view(m, c->iommu, IOMMU_VIEW_CACHE, &rows);
  for (uint32_t i = 0; i < rows; i++)
    if (cache[i].entry && page_of_walk(m, c, cache[i].entry - 1) != cache[i].page) return 1;
  return 0;
}

/* A device still uses a page that was returned to the driver. */
static int used_after_unmap(sim *m, const struct checked *c) {
  uint32_t rows;
  if (prover_is(m, c)->service) return 0;
  const struct iommu_accesses *access = checked_view(m, c->iommu, IOMMU_VIEW_ACCESSES, &rows);
  for (uint32_t i = 0; i < rows; i++)
    if (access[i].state >= IOMMU_ACCESS_READY
        && page_of_walk(m, c, (access[i].address - SIM_PARAMS(m, c->pools, iommu_map)->base) / 4096)
               != access[i].physical / 4096 + 1)
      return 1;
  return 0;
}

/* Writes, register accesses and interrupts that have not left the bridge, and lines that have not arrived. */
static uint32_t bridge_holds_line(sim *m, uint32_t bridge) {
  uint32_t rows;
  const struct hsc_pci_now *now = checked_view(m, bridge, HSC_PCI_VIEW_NOW, &rows);
  uint32_t held = now->posted | now->queued | now->interrupts;
  const struct hsc_pci_lines *line = checked_view(m, bridge, HSC_PCI_VIEW_LINES, &rows);
  for (uint32_t i = 0; i < rows; i++)
    held |= line[i].state != HSC_PCI_LINE_EMPTY && line[i].state != HSC_PCI_LINE_HERE;
  return held;
}

/* A transaction that can no longer be answered, or a queue that still holds one. */
static int unanswered(sim *m, const struct checked *c) {
  uint32_t rows, left = c->bridge == SIM_NONE ? 0 : bridge_holds_line(m, c->bridge);
  if (c->runway == SIM_NONE) return 0;
  const struct runway_agents *agents = checked_view(m, c->runway, RUNWAY_VIEW_AGENTS, &rows);
  for (uint32_t i = 0; i < rows; i++) left |= agents[i].pending | agents[i].waiting;
  return left != 0;
}

/* The first violated invariant, or SIM_HOLDS. The state codec has just written the state. */
static uint32_t broken_invariant(sim *m, const struct checked *c, const struct sim_codec *k) {
  uint32_t steps, packet = broken_packet(m, c->tcpip, c->ethernet);
  if (packet) return packet;
  if (is_inverted(m, c->kernel)) return SIM_NO_INVERSION;
  if (has_two_writers(m, c) || io_cache_differs(m, c)) return SIM_ONE_WRITER;
  if (k->copies_old && SIM_PARAMS(m, c->prover, prover)->coherent) return SIM_NO_STALE_COPY;
  if (k->found != (1u << k->names) - 1) return SIM_NO_LOST_DATA;
  int walks = c->iommu != SIM_NONE && c->pools != SIM_NONE;
  if (walks && used_after_unmap(m, c)) return SIM_OWN_PAGE;
  if (!only_retries_enabled(m, c, &steps) || is_busy(m, c, steps) || steps) return SIM_HOLDS;
  if (walks && stale_in_iommu(m, c)) return SIM_LIVE_TRANSLATION;
  if (stale_translation(m, c)) return SIM_LIVE_TRANSLATION;
  return unanswered(m, c) ? SIM_ANSWERED_ONCE : SIM_HOLDS;
}
