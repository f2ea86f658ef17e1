/*
 * Processors with their caches on a Runway bus, memory, and if wanted an I/O adapter with devices on HSC and the
 * services of a driver, which may have their addresses from the pooled library: for tests in C. Everything that is followed lies in the first PAGES pages from BASE on.
 */
#ifndef SIM_HP_MACHINE_H
#define SIM_HP_MACHINE_H

#include "test/testing.h"

#define HP_CPUS 10u
#define HP_DEVICES 4u
#define BASE 0x100000ull
#define PAGE 4096ull
#define PAGES 32u
#define DIRECTORY 0x230000ull
#define ADAPTER_AGENT 8u
#define WINDOW(slot) (0xf1000000ull + (slot) * PAGE) /* registers of the device in this slot */

/* Picoseconds that n cycles of the Runway clock take from time 0 on: 120 MHz are 25/3 ns. */
#define CYCLES(n) ((uint64_t)(n) * 25000 / 3)
/* And how many cycles there are between two of its edges. */
#define IN_CYCLES(time) (((time) * 3 + 12500) / 25000)

/* One row of a processor's program: do, from, to, bytes, width, time, count, tag. */
#define ROW(op, from, to, bytes, width, time, count, tag) PROCESSOR_OP_##op, from, to, bytes, width, time, count, tag
#define LOAD(addr) ROW(LOAD, addr, 0, 4, 4, 0, 0, 0)
#define STORE(addr) ROW(STORE, 0, addr, 4, 4, 0, 0, 0)
#define FLUSH(addr) ROW(FLUSH, addr, 0, 4, 4, 0, 0, 0)
#define SPEND(time) ROW(SPEND, 0, 0, 0, 0, time, 0, 0)
#define END ROW(END, 0, 0, 0, 0, 0, 0, 0)
/* One row of a device's: do, at, bytes, time, count. */
#define DEVICE_ROW(op, at, bytes, time, count) DMA_DEVICE_OP_##op, at, bytes, time, count

struct hp_program {
  const uint64_t *values;
  uint32_t count;
};
#define PROGRAM(list) ((struct hp_program){list, sizeof(list) / sizeof *(list)})

/* A part that finds addresses for the services: its type, port and parameters. */
struct hp_lender {
  uint32_t type, port;
  const uint64_t *params;
  uint32_t count;
};

struct hp_machine {
  uint32_t cpus, devices, serves; /* with devices comes an adapter; serves: with services for the first processors */
  uint32_t borrows;               /* and these have their addresses from pools, or from the lender */
  struct hp_lender lender;
  struct processor_params cpu;
  struct snoop_cache_params cache;
  struct memory_controller_params memory;
  struct runway_params bus;
  struct io_adapter_params adapter;
  struct hsc_params hsc;
  struct io_services_params services;
  struct iommu_map_params pools;
  struct dma_device_params device[HP_DEVICES];
  struct hp_program program[HP_CPUS], work[HP_DEVICES];
};

/* Memory, bus, pairs of cache and processor; then what does I/O. */
enum hp_part { MEMORY, BUS, FIRST_CACHE };
#define CACHE(cpu) (FIRST_CACHE + 2 * (cpu))
#define CPU(cpu) (FIRST_CACHE + 2 * (cpu) + 1)
#define ADAPTER(g) CACHE((g)->cpus)
#define HSC(g) (ADAPTER(g) + 1)
#define DEVICE(g, i) (ADAPTER(g) + 2 + (i))
#define SERVICES(g) DEVICE(g, (g)->devices)
#define LENDER(g) (SERVICES(g) + 1)

static inline struct hp_machine hp_machine_defaults(uint32_t cpus, uint32_t devices) {
  struct hp_machine g = {cpus, devices, 0, 0, {0}, PROCESSOR_DEFAULTS, SNOOP_CACHE_DEFAULTS, MEMORY_CONTROLLER_DEFAULTS, RUNWAY_DEFAULTS,
                         IO_ADAPTER_DEFAULTS, HSC_DEFAULTS, IO_SERVICES_DEFAULTS, IOMMU_MAP_DEFAULTS, {DMA_DEVICE_DEFAULTS, DMA_DEVICE_DEFAULTS, DMA_DEVICE_DEFAULTS, DMA_DEVICE_DEFAULTS}, {{0}}, {{0}}};
  g.memory.tracked_from = BASE;
  g.memory.tracked = PAGES * PAGE;
  g.memory.directory = g.adapter.directory = g.services.directory = DIRECTORY;
  g.memory.directory_bytes = 128 * 1024;
  g.pools.entries = 16384;
  g.pools.page = PAGE;
  g.pools.spread = 0;
  return g;
}

#define HP_PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)

static inline void hp_machine_parts(struct session *s, const struct hp_machine *g) {
  static const uint64_t nothing[] = {END}, idle[] = {DEVICE_ROW(END, 0, 4, 0, 1)};
  HP_PART(s, SIM_TYPE_MEMORY_CONTROLLER, g->memory);
  HP_PART(s, SIM_TYPE_RUNWAY, g->bus);
  for (uint32_t i = 0; i < g->cpus; i++) {
    struct hp_program p = g->program[i].count ? g->program[i] : PROGRAM(nothing);
    HP_PART(s, SIM_TYPE_SNOOP_CACHE, g->cache);
    HP_PART(s, SIM_TYPE_PROCESSOR, g->cpu);
    session_table(s, p.values, p.count / 8, 8);
  }
  if (g->devices == 0) return;
  HP_PART(s, SIM_TYPE_IO_ADAPTER, g->adapter);
  HP_PART(s, SIM_TYPE_HSC, g->hsc);
  for (uint32_t i = 0; i < g->devices; i++) {
    struct hp_program p = g->work[i].count ? g->work[i] : PROGRAM(idle);
    HP_PART(s, SIM_TYPE_DMA_DEVICE, g->device[i]);
    session_table(s, p.values, p.count / 5, 5);
  }
  if (g->serves) HP_PART(s, SIM_TYPE_IO_SERVICES, g->services);
  if (g->lender.params) session_part(s, g->lender.type, g->lender.params, g->lender.count);
  else if (g->borrows) HP_PART(s, SIM_TYPE_IOMMU_MAP, g->pools);
}

static inline void hp_machine_wires(struct session *s, const struct hp_machine *g) {
  session_wire(s, BUS, RUNWAY_PORT_MEMORY, MEMORY, MEMORY_CONTROLLER_PORT_BUS);
  for (uint32_t i = 0; i < g->cpus; i++) {
    session_wire(s, CPU(i), PROCESSOR_PORT_CACHE, CACHE(i), SNOOP_CACHE_PORT_CPU);
    session_wire(s, CPU(i), PROCESSOR_PORT_FRONT, CACHE(i), SNOOP_CACHE_PORT_FRONT);
    session_wire(s, CACHE(i), SNOOP_CACHE_PORT_BUS, BUS, RUNWAY_PORT_AGENT + i);
    if (!g->serves) continue;
    session_wire(s, CPU(i), PROCESSOR_PORT_OS, SERVICES(g), IO_SERVICES_PORT_CPU + i);
    session_wire(s, CPU(i), PROCESSOR_PORT_IRQ, CACHE(i), SNOOP_CACHE_PORT_IRQ);
  }
  if (g->devices == 0) return;
  session_wire(s, ADAPTER(g), IO_ADAPTER_PORT_BUS, BUS, RUNWAY_PORT_AGENT + ADAPTER_AGENT);
  session_wire(s, HSC(g), HSC_PORT_ADAPTER, ADAPTER(g), IO_ADAPTER_PORT_HSC);
  for (uint32_t i = 0; i < g->devices; i++) session_wire(s, DEVICE(g, i), DMA_DEVICE_PORT_HSC, HSC(g), HSC_PORT_SLOT + i);
  if (g->borrows) session_wire(s, SERVICES(g), IO_SERVICES_PORT_ALLOCATOR, LENDER(g), g->lender.params ? g->lender.port : IOMMU_MAP_PORT_LENDS);
}

static inline struct session *hp_session(const struct hp_machine *g) {
  static struct session s;
  uint32_t io = g->devices ? 2 + g->devices : 0, borrows = g->borrows != 0;
  s = session_new(FIRST_CACHE + 2 * g->cpus + io + (g->serves != 0) + borrows, 1 + 3 * g->cpus + io + (g->serves ? 2 * g->cpus : 0) + borrows, 16);
  hp_machine_parts(&s, g);
  hp_machine_wires(&s, g);
  return &s;
}

static inline void hp_open(const struct hp_machine *g) { assert_int_equal(session_open(hp_session(g)), SIM_OK); }

/* Opens the machine and runs it until nothing is left to happen. */
static inline void hp_run(const struct hp_machine *g) {
  hp_open(g);
  session_run();
}

#define HP_COUNTERS(part, name) SIM_COUNTERS(test_engine(), part, name)

/* Maps an I/O page to the physical page of an address, with the index by which caches find it. */
static inline void hp_map(const struct hp_machine *g, uint64_t io, uint64_t physical, uint64_t attributes) {
  uint64_t page = physical / PAGE, index = (physical + g->cache.virtual_offset) / PAGE & 0xfff;
  struct shadow_value entry = {.address = DIRECTORY + io / PAGE * 8, .set = 1, .value = index << 48 | page << 12 | attributes | IO_PAGE_VALID};
  call_shadow_value(test_engine(), CACHE(0), SNOOP_CACHE_PORT_BUS, &entry);
}

/* Memory's copy of the half line at an address, and the newest write to it. */
static inline struct shadow_word hp_cell(uint64_t addr) {
  return *shadow_word(test_engine(), &SIM_STATE(test_engine(), MEMORY, memory_controller)->shadow, addr);
}

/* The trace record after number `seq` of this part and kind; a null pointer if there is none. */
static inline const struct sim_record *hp_record(uint32_t part, uint32_t kind, uint32_t seq) {
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  assert_true(d->seq_lo < d->trace_capacity);
  for (uint32_t i = seq; i < d->seq_lo; i++)
    if (ring[i].part == part && ring[i].kind == kind) return &ring[i];
  return NULL;
}

#endif
