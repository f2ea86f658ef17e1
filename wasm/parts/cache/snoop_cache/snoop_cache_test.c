/* The caches against a reference model of caches and memory without tables, queues or time. After each of
 * many random accesses both must agree on every state, every copy and all of memory. */
#include "test/testing.h"

#define CPUS 3u
#define LINES 16u
#define SETS 8u
#define OPS 120u
#define BASE 0x100000ull
#define GAP 100000000ull          /* picoseconds between accesses: more than all of them together take */
#define FIRST 1u                  /* cache of the first processor; the processor follows */
#define DEVICE CPUS               /* value of `cpu` for the device */
#define RUNWAY (FIRST + 2 * CPUS) /* followed by adapter, HSC and device */
#define DIRECTORY 0x200000ull

enum { INVALID, SHARED, CLEAN, DIRTY };

/* A configuration of the caches. Memory is uncached from line `uncached`; with an assist cache misses
 * prefetch. */
struct kind {
  uint64_t policy;
  uint64_t indexed;
  uint64_t assist;
  uint32_t uncached;
  uint32_t tries;
  uint32_t device; /* whether a device takes part */
  uint64_t cache_fault;
  uint64_t adapter_fault;
  uint64_t memory_fault;
};

struct plain {
  uint32_t state[CPUS][LINES];
  uint32_t data[CPUS][LINES][2];
  uint32_t memory[LINES][2];
  uint32_t newest[LINES][2];
  uint32_t writes;
};

static void write_back(struct plain *p, uint32_t cpu, uint32_t line) {
  if (p->state[cpu][line] == DIRTY) memcpy(p->memory[line], p->data[cpu][line], sizeof p->memory[line]);
}

/* Evicts the other line that maps to the same set. */
static void make_room(struct plain *p, uint32_t cpu, uint32_t line) {
  write_back(p, cpu, line ^ SETS);
  p->state[cpu][line ^ SETS] = INVALID;
}

static void plain_load(struct plain *p, uint32_t cpu, uint32_t line) {
  if (p->state[cpu][line] != INVALID) return;
  make_room(p, cpu, line);
  p->state[cpu][line] = CLEAN;
  for (uint32_t other = 0; other < CPUS; other++) {
    if (other == cpu || p->state[other][line] == INVALID) continue;
    write_back(p, other, line);
    p->state[other][line] = p->state[cpu][line] = SHARED;
  }
  memcpy(p->data[cpu][line], p->memory[line], sizeof p->memory[line]);
}

/* The store goes to memory at once and invalidates all other copies. */
static void plain_store_through(struct plain *p, uint32_t cpu, uint32_t line, uint32_t half) {
  for (uint32_t other = 0; other < CPUS; other++)
    if (other != cpu) p->state[other][line] = INVALID;
  p->memory[line][half] = p->data[cpu][line][half] = ++p->writes;
}

static void plain_store(struct plain *p, uint32_t cpu, uint32_t line, uint32_t half) {
  if (p->state[cpu][line] < CLEAN) {
    if (p->state[cpu][line] == INVALID) make_room(p, cpu, line);
    for (uint32_t other = 0; other < CPUS; other++) {
      if (other == cpu) continue;
      write_back(p, other, line);
      p->state[other][line] = INVALID;
    }
    memcpy(p->data[cpu][line], p->memory[line], sizeof p->memory[line]);
  }
  p->state[cpu][line] = DIRTY;
  p->data[cpu][line][half] = ++p->writes;
}

static void plain_drop(struct plain *p, uint32_t line, int keep) {
  for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
    if (keep) write_back(p, cpu, line);
    p->state[cpu][line] = INVALID;
  }
}

struct access {
  uint32_t cpu;
  uint32_t op;
  uint32_t line;
  uint32_t half;
  uint32_t bytes;
};

/* A device's write has a number of its own: the newest at its address, not seen before. */
static uint32_t device_write(struct plain *p, uint32_t line, uint32_t half) {
  uint32_t rows;
  const struct memory_controller_cells *cells =
      checked_view(test_engine(), 0, MEMORY_CONTROLLER_VIEW_CELLS, &rows);
  uint32_t name = cells[line * 2 + half].newest;
  if (name <= p->writes) return 0; /* the write has not happened: the comparison will fail */
  return p->newest[line][half] = p->memory[line][half] = name;
}

/* A write of a whole line replaces all copies; a smaller one is merged into the newest data. */
static void plain_device(struct plain *p, const struct access *a) {
  if (a->op == DMA_DEVICE_OP_READ) {
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
      write_back(p, cpu, a->line);
      if (p->state[cpu][a->line] != INVALID) p->state[cpu][a->line] = SHARED;
    }
    return;
  }
  int whole = a->op == DMA_DEVICE_OP_WRITE && a->bytes == 32;
  plain_drop(p, a->line, !whole);
  if (whole || a->half == 0) device_write(p, a->line, 0);
  if (whole || a->half == 1) device_write(p, a->line, 1);
  p->writes = (uint32_t)test_engine()->writes;
}

static void plain_do(struct plain *p, const struct kind *kind, const struct access *a) {
  if (a->cpu == DEVICE) {
    plain_device(p, a);
    return;
  }
  int uncached = a->line >= kind->uncached,
      through = uncached || kind->policy == SNOOP_CACHE_POLICY_WRITE_THROUGH;
  if (a->op == PROCESSOR_OP_LOAD && !uncached) plain_load(p, a->cpu, a->line);
  else if (a->op == PROCESSOR_OP_STORE && through) plain_store_through(p, a->cpu, a->line, a->half);
  else if (a->op == PROCESSOR_OP_STORE) plain_store(p, a->cpu, a->line, a->half);
  else if (a->op != PROCESSOR_OP_LOAD) plain_drop(p, a->line, a->op == PROCESSOR_OP_FLUSH);
  if (a->op == PROCESSOR_OP_STORE) p->newest[a->line][a->half] = p->writes;
  if (a->op == PROCESSOR_OP_PURGE) memcpy(p->newest[a->line], p->memory[a->line], sizeof p->memory[a->line]);
}

#define PART(s, type, params) session_part(s, type, (const uint64_t *)&(params), sizeof(params) / 8)
#define FIELDS 8u

static void add_row(uint64_t *rows, uint32_t *n, uint64_t op, uint64_t addr, uint64_t bytes, uint64_t time) {
  const uint64_t row[FIELDS] = {op, addr, addr, bytes, 4, time, 0, 0};
  memcpy(rows + FIELDS * (*n)++, row, sizeof row);
}

/* Each processor pauses until its turns: access i happens shortly after i times GAP. */
static void add_processor(struct session *s, uint32_t cpu, const struct access *list) {
  static uint64_t rows[FIELDS * (2 * OPS + 1)];
  struct processor_params q = PROCESSOR_DEFAULTS;
  uint32_t n = 0;
  uint64_t now = 0;
  for (uint32_t i = 0; i < OPS; i++) {
    if (list[i].cpu != cpu) continue;
    add_row(rows, &n, PROCESSOR_OP_SPEND, 0, 0, i * GAP - now);
    add_row(rows, &n, list[i].op, BASE + list[i].line * 32 + list[i].half * 16, 4, 0);
    now = i * GAP;
  }
  add_row(rows, &n, PROCESSOR_OP_END, 0, 0, 0);
  PART(s, SIM_TYPE_PROCESSOR, q);
  session_table(s, rows, n, FIELDS);
}

/* The device pauses until its turns likewise. Its page is mapped as safe, so that parts of lines are
 * merged. */
static void add_device(struct session *s, const struct kind *kind, const struct access *list) {
  static uint64_t rows[5 * (2 * OPS + 1)];
  struct io_adapter_params adapter = IO_ADAPTER_DEFAULTS;
  struct hsc_params hsc = HSC_DEFAULTS;
  struct dma_device_params device = DMA_DEVICE_DEFAULTS;
  uint64_t now = 0, *row = rows;
  for (uint32_t i = 0; i < OPS; i++) {
    const struct access *a = &list[i];
    if (a->cpu != DEVICE) continue;
    const uint64_t two[10] = {DMA_DEVICE_OP_PAUSE, 0, 4, i * GAP - now, 1, a->op,
        a->line * 32 + (a->bytes == 32 ? 0 : a->half * 16), a->bytes, 0, 1};
    memcpy(row, two, sizeof two);
    row += 10;
    now = i * GAP;
  }
  adapter.mode = IO_ADAPTER_MODE_COHERENT;
  adapter.directory = DIRECTORY;
  adapter.fault = kind->adapter_fault;
  PART(s, SIM_TYPE_IO_ADAPTER, adapter);
  PART(s, SIM_TYPE_HSC, hsc);
  PART(s, SIM_TYPE_DMA_DEVICE, device);
  session_table(s, rows, (uint32_t)(row - rows) / 5, 5);
}

static void wire_device(struct session *s) {
  session_wire(s, RUNWAY + 1, IO_ADAPTER_PORT_BUS, RUNWAY, RUNWAY_PORT_AGENT + 8);
  session_wire(s, RUNWAY + 2, HSC_PORT_ADAPTER, RUNWAY + 1, IO_ADAPTER_PORT_HSC);
  session_wire(s, RUNWAY + 3, DMA_DEVICE_PORT_HSC, RUNWAY + 2, HSC_PORT_SLOT);
}

/* The first entry of the I/O page directory maps the lines, with the virtual index that the caches use. */
static void map_page(void) {
  sim *m = test_engine();
  uint64_t page = BASE / 4096, index = cache_index(SIM_STATE(m, FIRST, snoop_cache), BASE);
  struct shadow_value entry = {
      .address = DIRECTORY, .set = 1, .value = index << 48 | page << 12 | IO_PAGE_SAFE | IO_PAGE_VALID};
  call_shadow_value(m, FIRST, SNOOP_CACHE_PORT_BUS, &entry);
}

static void open_machine(const struct kind *kind, const struct access *list) {
  static struct session s;
  struct snoop_cache_params cache = SNOOP_CACHE_DEFAULTS;
  struct memory_controller_params memory = MEMORY_CONTROLLER_DEFAULTS;
  struct runway_params bus = RUNWAY_DEFAULTS;
  cache.size = SETS * 32;
  cache.policy = kind->policy;
  cache.fault = kind->cache_fault;
  memory.fault = kind->memory_fault;
  cache.indexed = kind->indexed;
  cache.assist = kind->assist;
  cache.speculate = kind->assist ? 1 : 0;
  cache.uncached_from = BASE + kind->uncached * 32;
  cache.uncached = (LINES - kind->uncached) * 32;
  memory.tracked_from = BASE;
  memory.tracked = LINES * 32;
  memory.directory = DIRECTORY;
  memory.directory_bytes = 32;
  s = session_new(2 + 2 * CPUS + (kind->device ? 3 : 0), 1 + 3 * CPUS + (kind->device ? 3 : 0), 4);
  PART(&s, SIM_TYPE_MEMORY_CONTROLLER, memory);
  for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
    PART(&s, SIM_TYPE_SNOOP_CACHE, cache);
    add_processor(&s, cpu, list);
  }
  PART(&s, SIM_TYPE_RUNWAY, bus);
  if (kind->device) add_device(&s, kind, list);
  session_wire(&s, RUNWAY, RUNWAY_PORT_MEMORY, 0, MEMORY_CONTROLLER_PORT_BUS);
  for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
    uint32_t part = FIRST + 2 * cpu;
    session_wire(&s, part + 1, PROCESSOR_PORT_CACHE, part, SNOOP_CACHE_PORT_CPU);
    session_wire(&s, part + 1, PROCESSOR_PORT_FRONT, part, SNOOP_CACHE_PORT_FRONT);
    session_wire(&s, part, SNOOP_CACHE_PORT_BUS, RUNWAY, RUNWAY_PORT_AGENT + cpu);
  }
  if (kind->device) wire_device(&s);
  assert_int_equal(session_open(&s), SIM_OK);
  if (kind->device) map_page();
}

/* The model does not predict prefetches, but it does predict the newest data. */
static int agrees_on_newest(const struct plain *p) {
  uint32_t rows;
  const struct memory_controller_cells *cells =
      checked_view(test_engine(), 0, MEMORY_CONTROLLER_VIEW_CELLS, &rows);
  for (uint32_t i = 0; i < LINES * 2; i++)
    if (cells[i].newest != p->newest[i / 2][i % 2]) return 0;
  return 1;
}

static int agrees_on_line(const struct plain *p, uint32_t cpu, uint32_t line) {
  sim *m = test_engine();
  uint32_t rows;
  const struct snoop_cache_lines *held = held_line(m, FIRST + 2 * cpu, (uint32_t)(BASE / 32) + line + 1);
  if ((held ? held->state : 0) != p->state[cpu][line]) return 0;
  if (!held) return 1;
  const struct snoop_cache_lines *all = checked_view(m, FIRST + 2 * cpu, SNOOP_CACHE_VIEW_LINES, &rows);
  const struct snoop_cache_data *data = checked_view(m, FIRST + 2 * cpu, SNOOP_CACHE_VIEW_DATA, &rows);
  return data[(held - all) * 2].write == p->data[cpu][line][0]
         && data[(held - all) * 2 + 1].write == p->data[cpu][line][1];
}

static int agrees(const struct plain *p) {
  uint32_t rows;
  const struct memory_controller_cells *cells =
      checked_view(test_engine(), 0, MEMORY_CONTROLLER_VIEW_CELLS, &rows);
  for (uint32_t line = 0; line < LINES; line++) {
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
      if (!agrees_on_line(p, cpu, line)) return 0;
    if (cells[line * 2].write != p->memory[line][0] || cells[line * 2 + 1].write != p->memory[line][1])
      return 0;
  }
  return 1;
}

/* A random access of the device: a read of a line, a write of a line, half a line or a word, or a
 * semaphore. */
static struct access device_turn(uint64_t *seed) {
  static const uint32_t ops[] = {DMA_DEVICE_OP_READ, DMA_DEVICE_OP_WRITE, DMA_DEVICE_OP_WRITE,
      DMA_DEVICE_OP_WRITE, DMA_DEVICE_OP_SEMAPHORE},
                        bytes[] = {32, 32, 16, 4, 4};
  uint32_t which = test_random(seed) % 5;
  return (struct access){DEVICE, ops[which], test_random(seed) % LINES, test_random(seed) & 1, bytes[which]};
}

/* Whether both agree after each access. With an assist cache nothing is purged, since the remaining data
 * would depend on prefetches. */
static int all_agrees(const struct kind *kind) {
  static const uint32_t ops[] = {PROCESSOR_OP_LOAD, PROCESSOR_OP_LOAD, PROCESSOR_OP_LOAD, PROCESSOR_OP_STORE,
      PROCESSOR_OP_STORE, PROCESSOR_OP_STORE, PROCESSOR_OP_FLUSH, PROCESSOR_OP_PURGE};
  uint64_t seed = 7;
  for (uint32_t round = 0; round < kind->tries; round++) {
    struct access list[OPS];
    struct plain p = {0};
    for (uint32_t i = 0; i < OPS; i++)
      list[i] = (struct access){test_random(&seed) % CPUS, ops[test_random(&seed) % (kind->assist ? 7 : 8)],
          test_random(&seed) % LINES, test_random(&seed) & 1, 4};
    for (uint32_t i = 0; i < OPS && kind->device; i++)
      if (test_random(&seed) % 3 == 0) list[i] = device_turn(&seed);
    open_machine(kind, list);
    for (uint32_t i = 0; i < OPS; i++) {
      sim_run(test_engine(), i * GAP + GAP * 4 / 5, SIM_NEVER);
      plain_do(&p, kind, &list[i]);
      if (!agrees_on_newest(&p) || (!kind->assist && !agrees(&p))) return 0;
    }
    if (sim_host_state(test_engine())->broken) return 0;
  }
  return 1;
}

static void agree(struct kind kind) { assert_true(all_agrees(&kind)); }

TEST(write_through_caches_agree) {
  agree((struct kind){.policy = SNOOP_CACHE_POLICY_WRITE_THROUGH, .uncached = LINES, .tries = 20});
}

TEST(an_assist_cache_never_returns_stale_data) {
  agree((struct kind){.assist = 3, .uncached = LINES, .tries = 20});
}
