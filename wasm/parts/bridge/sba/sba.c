/*
 * The system bus adapter.
 *
 *   processors --stores, reads--> the rope whose bus claims the address
 *   processors <----lines----> memory <--[translation]-- ropes        reads and writes of devices
 *
 * Apart from its I/O cache it buffers nothing: entries wait at the other end of their rope.
 */
#include "core/engine.h"
#include "gen/protocols.h"
#include "iommu.h"

#define SBA_CPUS 4u
#define SBA_ROPES 8u
#define SBA_WORDS 32u /* of the longest line */

struct sba_state {
  uint64_t base[SBA_ROPES];
  uint64_t end[SBA_ROPES];
  uint64_t await_enabled[SBA_CPUS];
  uint32_t windows_known;
  uint32_t stores;
  uint32_t awaiting; /* bit per processor that waits for room */
  /* of the I/O cache */
  uint32_t lines_at;
  uint32_t words_at;
  uint32_t uses;
};

#include "parts/bridge/sba/io_cache.c"

static void sba_find_windows(sim *m, struct sba *sba) {
  for (uint32_t i = 0; i < SBA_ROPES; i++) {
    struct rope_claim q = {0};
    if (!sim_wired(m, sba->self, SBA_PORT_ROPE + i)) continue;
    call_rope_claim(m, sba->self, SBA_PORT_ROPE + i, &q);
    sba->state->base[i] = q.base;
    sba->state->end[i] = q.base + q.length;
  }
  sba->state->windows_known = 1;
}

/* The rope for a card's address. */
static uint32_t sba_rope(sim *m, struct sba *sba, uint64_t address) {
  if (!sba->state->windows_known) sba_find_windows(m, sba);
  for (uint32_t i = 0; i < SBA_ROPES; i++)
    if (address >= sba->state->base[i] && address < sba->state->end[i]) return i;
  sba->counters->unclaimed++;
  sim_trace(m, sba->self, SBA_EV_UNCLAIMED, address, 0, 0);
  return SIM_NONE;
}

/* Whether the address is a register of the IOMMU. */
static uint32_t sba_register(sim *m, struct sba *sba, struct iommu_register *q) {
  return sim_wired(m, sba->self, SBA_PORT_IOMMU) && call_iommu_register(m, sba->self, SBA_PORT_IOMMU, q);
}

static uint32_t sba_cpu_post(sim *m, struct sba *sba, uint32_t cpu, struct front_post *q) {
  (void)cpu;
  if (sba_register(m, sba, &(struct iommu_register){.address = q->address, .value = q->value, .store = 1}))
    return 2;
  uint32_t rope = sba_rope(m, sba, q->address);
  if (rope == SIM_NONE) return 2;
  struct rope_post post = {.address = q->address, .bytes = q->bytes, .write = q->write, .value = q->value};
  uint32_t taken = call_rope_post(m, sba->self, SBA_PORT_ROPE + rope, &post);
  if (!taken) return 0;
  sba->state->stores++;
  sba->counters->posted++;
  return taken;
}

/* Notifies all waiting processors, in port order, that there is room: not all have another store, and one
   that finds its rope full waits again. */
static void sba_has_room(sim *m, struct sba *sba) {
  for (; sba->state->awaiting; sba->state->awaiting &= sba->state->awaiting - 1) {
    uint32_t cpu = (uint32_t)__builtin_ctz(sba->state->awaiting);
    send_front_room(m, sba->self, SBA_PORT_CPU + cpu,
        sim_max(sba->state->await_enabled[cpu], m->time) - m->time, SIM_PHASE_ANSWER);
  }
}

/* A rejected processor waits for the next store to leave; several ropes share the queue. */
static void sba_cpu_notify_space(sim *m, struct sba *sba, uint32_t cpu, struct front_notify_space *q) {
  sba->state->awaiting |= 1u << cpu;
  sba->state->await_enabled[cpu] = q->after;
  if (sba->state->stores == 0) sba_has_room(m, sba);
}

static uint32_t sba_cpu_posted_count(sim *m, struct sba *sba, uint32_t cpu) {
  (void)m;
  (void)cpu;
  return sba->state->stores;
}

static void sba_cpu_observe(sim *m, struct sba *sba, uint32_t cpu, struct front_observe *q) {
  (void)cpu;
  struct memory_read look = {
      .address = q->address, .bytes = q->bytes, .when = SIM_NEVER, .writes = q->writes};
  struct memory_write set = {
      .address = q->address, .bytes = q->bytes, .when = SIM_NEVER, .writes = q->writes};
  if (q->set) call_memory_write(m, sba->self, SBA_PORT_MEMORY, &set);
  else call_memory_read(m, sba->self, SBA_PORT_MEMORY, &look);
}

/* Stores through a cache that models tags only are in memory at once, so a line of the I/O cache is recalled
   as early. */
static uint32_t sba_cpu_software_access(
    sim *m, struct sba *sba, uint32_t cpu, struct front_software_access *q) {
  (void)cpu;
  uint32_t cause = m->cause;
  if (q->store) sba_recall(m, sba, q->address, q->bytes);
  m->cause = cause;
  struct memory_software_access touched = {.address = q->address, .bytes = q->bytes, .store = q->store};
  return call_memory_software_access(m, sba->self, SBA_PORT_MEMORY, &touched);
}

static void sba_answer(sim *m, struct sba *sba, uint32_t cpu, struct front_data data) {
  send_front_data(m, sba->self, SBA_PORT_CPU + cpu, sba->params->crossing, SIM_PHASE_ANSWER, data);
}

static void sba_cpu_read(sim *m, struct sba *sba, uint32_t cpu, const struct front_read *q) {
  struct iommu_register look = {.address = q->address};
  if (sba_register(m, sba, &look)) {
    sba_answer(m, sba, cpu, (struct front_data){.value = look.value});
    return;
  }
  uint32_t rope = sba_rope(m, sba, q->address);
  if (rope == SIM_NONE) {
    sba_answer(m, sba, cpu, (struct front_data){.value = UINT32_MAX});
    return;
  }
  sim_trace(m, sba->self, SBA_EV_LOAD, q->address, q->bytes, 0);
  sba->counters->loads++;
  struct rope_load load = {.address = q->address, .bytes = q->bytes, .tag = cpu};
  call_rope_load(m, sba->self, SBA_PORT_ROPE + rope, &load);
}

static void sba_cpu_fill(sim *m, struct sba *sba, uint32_t cpu, const struct front_fill *q) {
  sba_recall(m, sba, q->address, q->bytes);
  struct memory_write back = {.address = q->address, .bytes = q->bytes, .when = m->time};
  struct memory_read fill = {.address = q->address, .bytes = q->bytes, .when = m->time};
  if (q->dirty) call_memory_write(m, sba->self, SBA_PORT_MEMORY, &back);
  call_memory_read(m, sba->self, SBA_PORT_MEMORY, &fill);
  send_front_filled(m, sba->self, SBA_PORT_CPU + cpu, fill.when - m->time, SIM_PHASE_ANSWER,
      (struct front_filled){.address = q->address});
}

static void sba_rope_room(sim *m, struct sba *sba, uint32_t rope) {
  (void)rope;
  sba->state->stores--;
  sba_has_room(m, sba);
}

static void sba_rope_loaded(sim *m, struct sba *sba, uint32_t rope, struct rope_loaded *q) {
  (void)rope;
  sba_answer(m, sba, (uint32_t)q->tag,
      (struct front_data){.value = q->value, .write = q->write, .newest = q->newest});
}

/* Translates a device's access, and returns the duration; 0 if it has no translation. */
static int sba_translate(sim *m, struct sba *sba, struct iommu_translate *q, uint32_t bytes) {
  uint64_t address = q->address;
  if (!sim_wired(m, sba->self, SBA_PORT_IOMMU)) return 1;
  int found = (int)call_iommu_translate(m, sba->self, SBA_PORT_IOMMU, q);
  sba->counters->translation += q->time;
  sba->counters->stopped += !found;
  if (!found) sim_trace(m, sba->self, SBA_EV_STOPPED, address, bytes, 0);
  return found;
}

/* The access went to the wrong address: reports its data separately. */
static void sba_misdirected(sim *m, struct sba *sba, const struct iommu_translate *to, uint32_t bytes,
    uint32_t write, uint32_t *writes) {
  call_memory_misdirected(m, sba->self, SBA_PORT_MEMORY,
      &(struct memory_misdirected){.address = to->physical,
          .bytes = bytes,
          .write = write,
          .meant = iommu_intended_address(to),
          .writes = writes});
}

/* Processors lose their copies of lines that a device takes or overwrites; lines that it shares become
   read-only. Returns the bytes of lost modified lines. */
static uint64_t sba_accept_request(
    sim *m, struct sba *sba, uint64_t address, uint32_t bytes, uint32_t share) {
  uint32_t lines = 0;
  uint64_t changed = 0;
  for (uint32_t cpu = 0; cpu < SBA_CPUS && !sba_broken(sba, SBA_FAULT_TAKES_NOTHING); cpu++) {
    struct front_snoop snoop = {
        .address = address, .bytes = bytes, .how = share ? CACHE_SNOOP_SHARE : CACHE_SNOOP_TAKE};
    if (sim_wired(m, sba->self, SBA_PORT_CPU + cpu))
      lines += call_front_snoop(m, sba->self, SBA_PORT_CPU + cpu, &snoop);
    changed += snoop.changed;
  }
  if (!lines) return 0;
  if (share) sba->counters->shared += lines;
  else sba->counters->taken += lines;
  sim_trace(m, sba->self, share ? SBA_EV_SHARED : SBA_EV_TAKEN, address, lines, 0);
  return changed;
}

/* An access without a snoop: what processors have of the line stays, and is newer than memory or becomes
 * older.
 */
static void sba_unsnooped(sim *m, struct sba *sba, uint64_t address, uint32_t bytes, uint32_t write) {
  uint32_t copies = 0, cause = m->cause;
  for (uint32_t cpu = 0; cpu < SBA_CPUS; cpu++) {
    struct front_snoop look = {.address = address, .bytes = bytes, .how = CACHE_SNOOP_LOOK};
    if (!sim_wired(m, sba->self, SBA_PORT_CPU + cpu)) continue;
    uint32_t lines = call_front_snoop(m, sba->self, SBA_PORT_CPU + cpu, &look);
    copies += write ? lines : look.changed != 0;
  }
  if (!copies) return;
  sba->counters->unsnooped++;
  sim_trace(m, sba->self, SBA_EV_UNSNOOPED, address, copies, write);
  m->cause = cause;
}

static uint32_t sba_rope_read(sim *m, struct sba *sba, uint32_t rope, struct rope_read *q) {
  (void)rope;
  struct iommu_translate to = {.address = q->address};
  int snoops = !q->no_snoop;
  if (!sba_translate(m, sba, &to, q->bytes)) return 0;
  q->physical = to.physical;
  sba->counters->lines_read++;
  sba->counters->bytes_read += q->bytes;
  if (!to.stale && snoops && sba_hit(m, sba, q, to.physical)) {
    q->when = m->time + to.time + sba->params->hit_time;
    return 1;
  }
  struct memory_read access = {
      .address = to.physical, .bytes = q->bytes, .when = m->time + to.time, .writes = q->writes};
  call_memory_read(m, sba->self, SBA_PORT_MEMORY, &access);
  if (to.stale) sba_misdirected(m, sba, &to, q->bytes, 0, NULL);
  q->when = snoops ? sim_max(access.when, m->time + to.time + sba->params->snoop) : access.when;
  sim_trace(m, sba->self, SBA_EV_READ, to.physical, q->bytes, q->writes[0]);
  if (!snoops) {
    sba_unsnooped(m, sba, to.physical, q->bytes, 0);
    return 1;
  }
  if (!q->current) sba_accept_request(m, sba, to.physical, q->bytes, sba->params->owns == SBA_OWNS_SHARED);
  if (sba->params->lines && !to.stale && (!q->current || sba_broken(sba, SBA_FAULT_CURRENT_KEEPS)))
    sba_cache_line(m, sba, q, to.physical,
        !q->current && sba->params->owns == SBA_OWNS_PRIVATE ? SBA_LINE_OWNED : SBA_LINE_COPY);
  return 1;
}

/* Of modified lines that a device writes into, memory first gets the rest from the processors; a completely
   overwritten line is just dropped. */
static void sba_merge_write(sim *m, struct sba *sba, uint64_t address, uint64_t changed, uint32_t whole) {
  if (!changed) return;
  if (whole) {
    sba->counters->dropped += changed;
    return;
  }
  sba->counters->saved += changed;
  sim_trace(m, sba->self, SBA_EV_SAVED, address, (uint32_t)changed, 0);
  struct memory_write back = {.address = address, .bytes = (uint32_t)changed, .when = m->time};
  call_memory_write(m, sba->self, SBA_PORT_MEMORY, &back);
}

static uint32_t sba_rope_write(sim *m, struct sba *sba, uint32_t rope, struct rope_write *q) {
  (void)rope;
  struct iommu_translate to = {.address = q->address, .write = 1};
  if (!sba_translate(m, sba, &to, q->bytes)) return 0;
  if (q->no_snoop) sba_unsnooped(m, sba, to.physical, q->bytes, 1);
  else sba_merge_write(m, sba, to.physical, sba_accept_request(m, sba, to.physical, q->bytes, 0), q->whole);
  struct memory_write access = {.address = to.physical,
      .bytes = q->bytes,
      .when = m->time + to.time,
      .writes = to.stale ? NULL : q->writes};
  call_memory_write(m, sba->self, SBA_PORT_MEMORY, &access);
  if (to.stale) sba_misdirected(m, sba, &to, q->bytes, 1, q->writes);
  sba->counters->bytes_written += q->bytes;
  sba_update(m, sba, q, to.physical);
  return 1;
}

static int sba_load(sim *m, uint32_t self) {
  uint32_t lines = (uint32_t)SIM_PARAMS(m, self, sba)->lines;
  struct sba_state *s = sim_state_alloc(m, self, sizeof *s);
  void *rows = sim_view(m, self, SBA_VIEW_LINES, lines, sizeof(struct sba_lines));
  void *words = sim_alloc(m, lines, SBA_WORDS * 4);
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->lines_at = sim_offset(m, rows);
  s->words_at = sim_offset(m, words);
  return SIM_OK;
}

#include "parts/bridge/sba/state.c"
