/* The engine that unit tests link to, with all its checks, and shared helpers. The test of the module's
 * exports includes this file after them, and uses their engine. */
#include "test/testing.h"

#ifdef EXPORT /* the module's exports come with their own engine */
sim *test_engine(void) { return engine(); }
#else
#include <signal.h>

#include "host/engine.c"

#include "verify/player/reference_text.c"
#include "verify/monitor.c"

unsigned char *test_memory;
uint64_t test_granted = TEST_ARENA;

void *sim_host_reserve(void *m, uint64_t bytes) { return bytes <= test_granted ? m : NULL; }

sim *test_engine(void) {
  if (!test_memory) test_memory = calloc(1, TEST_ARENA);
  return (sim *)(test_memory + SIM_HOST_STATE_BYTES);
}

static sigjmp_buf before_test_stop;
static void test_stopped(int signal) {
  (void)signal;
  siglongjmp(before_test_stop, 1);
}

int test_stops(void (*does)(const void *), const void *with) {
  const struct sigaction stop = {.sa_handler = test_stopped};
  struct sigaction usual;
  volatile int stops = 1;
  sigaction(SIGILL, &stop, &usual);
  if (sigsetjmp(before_test_stop, 1) == 0) {
    does(with);
    stops = 0;
  }
  sigaction(SIGILL, &usual, NULL);
  return stops;
}
#endif

#define MOST_TESTS 100u

static struct CMUnitTest tests[MOST_TESTS];
static uint32_t test_lines[MOST_TESTS], test_count;

void test_add(const char *name, CMUnitTestFunction test, uint32_t line) {
  uint32_t at = test_count++;
  if (at == MOST_TESTS) abort();
  for (; at > 0 && test_lines[at - 1] > line; at--) {
    tests[at] = tests[at - 1];
    test_lines[at] = test_lines[at - 1];
  }
  tests[at] = (struct CMUnitTest){.name = name, .test_func = test};
  test_lines[at] = line;
}

int main(void) {
  if (test_count == 0) abort();
  return _cmocka_run_group_tests("tests", tests, test_count, NULL, NULL);
}

void test_values(const char *text, const uint64_t (*pairs)[2], uint32_t count, const char *file, int line) {
  for (uint32_t i = 0; i < count; i++) {
    if (pairs[i][0] != pairs[i][1]) print_error("Pair %u of %s:\n", i + 1, text);
    _assert_int_equal(pairs[i][0], pairs[i][1], file, line);
  }
}

uint64_t test_fence(uint32_t row_bytes) { return red_zone_of(row_bytes); }

void test_touches(const void *at, uint64_t bytes) {
#ifdef SIM_RED_ZONES
  __asan_unpoison_memory_region(at, bytes);
#else
  (void)at, (void)bytes;
#endif
}

#define SESSION_WIRES 7u /* the header's number of wires */

struct session session_new(uint32_t parts, uint32_t wires, uint32_t trace_log2) {
  struct session s = {
      .words = {SIM_SESSION_MAGIC, SIM_SESSION_FORMAT, SIM_LAYOUT_HASH, 1, 0, trace_log2, parts, wires},
      .n = 8};
  return s;
}

static void session_value(struct session *s, uint64_t value) {
  s->words[s->n++] = (uint32_t)value;
  s->words[s->n++] = (uint32_t)(value >> 32);
}

void session_part(struct session *s, uint32_t type, const uint64_t *params, uint32_t count) {
  s->words[s->n++] = type;
  for (uint32_t i = 0; i < count; i++) session_value(s, params[i]);
}

void session_table(struct session *s, const uint64_t *values, uint32_t rows, uint32_t fields) {
  s->words[s->n++] = rows;
  for (uint32_t i = 0; i < rows * fields; i++) session_value(s, values[i]);
}

void session_wire(struct session *s, uint32_t pa, uint32_t ia, uint32_t pb, uint32_t ib) {
  uint32_t wire[4] = {pa, ia, pb, ib};
  memcpy(&s->words[s->n], wire, sizeof wire);
  s->n += 4;
}

int session_open_words(const struct session *s, uint32_t n) {
  sim *m = test_engine();
  *sim_host_state(m) = (struct sim_host_state){.limit = TEST_ARENA};
  return sim_open(m, s->words, n);
}

uint32_t session_without_memory(const struct session *s) {
  sim *m = test_engine();
  uint32_t nth = 1;
  for (;; nth++) {
    *sim_host_state(m) = (struct sim_host_state){.limit = TEST_ARENA, .fail_at = nth};
    if (sim_open(m, s->words, s->n) == SIM_OK) break;
    assert_int_equal(sim_refresh_header(m)->error, SIM_NO_MEMORY);
    assert_true(nth < 10000);
  }
  assert_int_equal(session_open(s), SIM_OK);
  return nth - 1;
}

/* The output of scripts/machines.mjs for each machine text. A table has rows of so many fields, and these
 * values unless a test supplies others. */
struct machine_part {
  const char *name;
  const char *type;
  uint32_t id;
  uint32_t params_at;
  uint32_t params;
  uint32_t tables;
  struct {
    const uint64_t *values;
    uint32_t count, fields;
  } table[2];
};
struct machine_text {
  const char *name;
  const uint64_t *params;
  const struct machine_part *parts;
  const uint32_t (*wires)[4];
  uint32_t part_count;
  uint32_t wire_count;
  uint32_t param_count;
};
#include "machines.h"

#define MOST_PARTS 64u
#define MOST_WIRES 128u
static struct {
  const struct machine_text *text;
  uint64_t params[1024];
  struct {
    const uint64_t *values;
    uint32_t count;
  } rows[MOST_PARTS][2];
  uint8_t without[MOST_PARTS];
  uint8_t without_wire[MOST_WIRES];
} test_machine;

void machine(const char *name) {
  memset(&test_machine, 0, sizeof test_machine);
  for (uint32_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++)
    if (!strcmp(MACHINES[i].name, name)) test_machine.text = &MACHINES[i];
  if (!test_machine.text)
    fail_msg("there is no machine \"%s\" in scenarios/machines or wasm/test/machines", name);
  const struct machine_text *text = test_machine.text;
  assert_true(text->part_count <= MOST_PARTS && text->wire_count <= MOST_WIRES
              && text->param_count <= sizeof test_machine.params / sizeof *test_machine.params);
  memcpy(test_machine.params, text->params, text->param_count * sizeof *text->params);
  for (uint32_t i = 0; i < text->part_count; i++)
    for (uint32_t k = 0; k < text->parts[i].tables; k++)
      test_machine.rows[i][k].values = text->parts[i].table[k].values,
      test_machine.rows[i][k].count = text->parts[i].table[k].count;
}

/* The index of a part in the text. */
static uint32_t text_place(const char *name) {
  if (!test_machine.text) fail_msg("no machine has been chosen before \"%s\" is named", name);
  for (uint32_t i = 0; i < test_machine.text->part_count; i++)
    if (!strcmp(test_machine.text->parts[i].name, name)) return i;
  fail_msg("the machine \"%s\" has no part \"%s\"", test_machine.text->name, name);
  return 0;
}

/* The number of parts in the session before this index. */
static uint32_t session_place(uint32_t place) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < place; i++) n += !test_machine.without[i];
  return n;
}

uint32_t part_named(const char *name) {
  const uint32_t place = text_place(name);
  if (test_machine.without[place])
    fail_msg("the part \"%s\" of the machine \"%s\" has been left out", name, test_machine.text->name);
  return session_place(place);
}

static const struct machine_part *text_part(const char *name, const char *type) {
  const struct machine_part *part = &test_machine.text->parts[text_place(name)];
  if (strcmp(part->type, type))
    fail_msg(
        "\"%s\" of the machine \"%s\" is a %s, not a %s", name, test_machine.text->name, part->type, type);
  return part;
}

uint32_t part_of_type(const char *name, const char *type) {
  text_part(name, type);
  return part_named(name);
}

void *machine_params(const char *name, const char *type) {
  return &test_machine.params[text_part(name, type)->params_at];
}

void machine_without(const char *name) { test_machine.without[text_place(name)] = 1; }
void machine_with(const char *name) { test_machine.without[text_place(name)] = 0; }

void machine_unwired(const char *name, uint32_t port) {
  const uint32_t place = text_place(name);
  for (uint32_t i = 0; i < test_machine.text->wire_count; i++) {
    const uint32_t *wire = test_machine.text->wires[i];
    if ((wire[0] != place || wire[1] != port) && (wire[2] != place || wire[3] != port)) continue;
    test_machine.without_wire[i] = 1;
    return;
  }
  fail_msg("the port %u of \"%s\" has no wire in the machine \"%s\"", port, name, test_machine.text->name);
}

void machine_rows(const char *name, uint32_t table, const uint64_t *values, uint32_t count) {
  const uint32_t place = text_place(name);
  assert_true(table < test_machine.text->parts[place].tables
              && count % test_machine.text->parts[place].table[table].fields == 0);
  test_machine.rows[place][table].values = values, test_machine.rows[place][table].count = count;
}

static void session_machine_part(struct session *s, uint32_t place) {
  const struct machine_part *part = &test_machine.text->parts[place];
  session_part(s, part->id, &test_machine.params[part->params_at], part->params);
  for (uint32_t k = 0; k < part->tables; k++)
    session_table(s, test_machine.rows[place][k].values,
        test_machine.rows[place][k].count / part->table[k].fields, part->table[k].fields);
}

const struct session *machine_session(void) {
  static struct session s;
  const struct machine_text *text = test_machine.text;
  s = session_new(session_place(text->part_count), 0, 16);
  for (uint32_t i = 0; i < text->part_count; i++)
    if (!test_machine.without[i]) session_machine_part(&s, i);
  for (uint32_t i = 0; i < text->wire_count; i++) {
    const uint32_t *wire = text->wires[i];
    if (test_machine.without_wire[i] || test_machine.without[wire[0]] || test_machine.without[wire[2]])
      continue;
    session_wire(&s, session_place(wire[0]), wire[1], session_place(wire[2]), wire[3]);
    s.words[SESSION_WIRES]++;
  }
  return &s;
}

void machine_open(void) { assert_int_equal(session_open(machine_session()), SIM_OK); }

void machine_run(void) {
  machine_open();
  session_run();
}

uint64_t test_hash(void) {
  sim_hash(test_engine());
  const struct sim_directory *d = sim_refresh_header(test_engine());
  return (uint64_t)d->hash_hi << 32 | d->hash_lo;
}

/* Views that may be empty: a ring that is absent, a table that lies elsewhere, values that were not tracked,
 * a cache without lines. */
static int is_empty_by_right(sim *m, uint32_t part, uint32_t view) {
  switch (sim_part(m, part)->type) {
    case SIM_TYPE_GT: return view == GT_VIEW_FLIGHT || view == GT_VIEW_CELLS;
    case SIM_TYPE_SBA: return view == SBA_VIEW_LINES;
    case SIM_TYPE_MEMORY_CONTROLLER: return view == MEMORY_CONTROLLER_VIEW_HELD;
    case SIM_TYPE_IOMMU:
      if (view >= IOMMU_VIEW_HSC && view <= IOMMU_VIEW_RETURNS) return !sim_wired(m, part, IOMMU_PORT_HSC);
      return sim_wired(m, part, IOMMU_PORT_BUS) ? view == IOMMU_VIEW_TABLE
                                                : view == IOMMU_VIEW_ACCESSES || view == IOMMU_VIEW_WALKERS;
  }
  return 0;
}

/* The number of rows of a view if it is the same in every machine, such as one row for a part's current
 * state; 0 if it depends on the machine. */
static uint32_t rows_by_right(sim *m, uint32_t part, uint32_t view) {
#define ONE(type, name) {SIM_TYPE_##type, type##_VIEW_##name, 1}
  static const struct {
    uint32_t type, view, rows;
  } fixed[] = {ONE(MEMORY_BUS, NOW), ONE(PCIX, NOW), ONE(HSC, NOW), ONE(PCI, NOW), ONE(IO_SERVICES, NOW),
      ONE(TCPIP, NOW), ONE(IO_ADAPTER, NOW), ONE(DATA_CACHE, NOW), ONE(PROCESSOR, NOW), ONE(LAN_CARD, NOW),
      ONE(RING, NOW), ONE(NET_ADAPTER, NOW), ONE(BUS_MASTER, NOW), ONE(DMA_DEVICE, NOW),
      ONE(OFFLOAD_ENGINE, NOW), ONE(PEER, NOW), ONE(ETHERNET, NOW), ONE(HSC_PCI, NOW), ONE(PCIX_BRIDGE, NOW),
      ONE(LBA, NOW), ONE(BRIDGE, NOW), ONE(ROPE_PAIR, NOW), ONE(PROVER, NOW), ONE(PCI_PAIR, NOW),
      ONE(IO_ADAPTER, LINE), ONE(IOMMU_MAP, LAST), ONE(WATCHER, LAST),
      {SIM_TYPE_MEMORY_BUS, MEMORY_BUS_VIEW_MASTERS, 12},
      {SIM_TYPE_MEMORY_BUS, MEMORY_BUS_VIEW_WAITS, 12 * 12}, {SIM_TYPE_GT, GT_VIEW_ENGINES, 2},
      {SIM_TYPE_GT_DRIVER, GT_DRIVER_VIEW_ENGINES, 2}, {SIM_TYPE_DMA_DEVICE, DMA_DEVICE_VIEW_CHANNELS, 40},
      {SIM_TYPE_DMA_DEVICE, DMA_DEVICE_VIEW_RECEIVED, 2}};
#undef ONE
  for (uint32_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (fixed[i].type == sim_part(m, part)->type && fixed[i].view == view) return fixed[i].rows;
  return 0;
}

void assert_sound(void) {
  sim *m = test_engine();
  const struct sim_directory *d = sim_refresh_header(m);
  const struct sim_view_entry *views = sim_at(m, d->views_at);
  for (uint32_t part = 0; part < m->part_count; part++)
    for (uint32_t i = 0; i < sim_types[sim_part(m, part)->type].counters; i++)
      assert_true(((uint64_t *)sim_at(m, sim_part(m, part)->counters_at))[i] < 1ull << 62);
  for (uint32_t i = 0; i < d->view_count; i++) {
    uint32_t of = i - sim_part(m, views[i].part)->first_view, rows = rows_by_right(m, views[i].part, of);
    if (!views[i].rows && !is_empty_by_right(m, views[i].part, of))
      fail_msg("view %u of part %u has no rows", of, views[i].part);
    if (rows) assert_int_equal(views[i].rows, rows);
    assert_true(views[i].at >= sizeof(struct sim)
                && views[i].at + (uint64_t)views[i].rows * views[i].row_bytes <= m->state_bytes);
    for (uint32_t j = 0; j < i; j++)
      assert_true(views[i].at + views[i].rows * views[i].row_bytes <= views[j].at
                  || views[j].at + views[j].rows * views[j].row_bytes <= views[i].at);
  }
  const struct sim_record *ring = sim_at(m, d->trace_at);
  uint64_t first = m->seq > d->trace_capacity ? m->seq - d->trace_capacity + 1 : 1, time = 0;
  for (uint64_t seq = first; sim_host_state(m)->recording && seq <= m->seq; seq++) {
    const struct sim_record *r = &ring[(seq - 1) & sim_host_state(m)->trace_mask];
    assert_true(r->cause < seq && r->time >= time && r->part < m->part_count);
    assert_int_equal((r->a != 0) & ~sim_event_slots[r->kind], 0);
    assert_int_equal((r->b != 0) << 1 & ~sim_event_slots[r->kind], 0);
    assert_int_equal((r->c != 0) << 2 & ~sim_event_slots[r->kind], 0);
    time = r->time;
  }
}

void session_run(void) {
  assert_int_equal(sim_run(test_engine(), SIM_NEVER, 10000000), SIM_IDLE);
  assert_sound();
}

void assert_events(uint32_t part, const struct expected_event *expected, uint32_t count) {
  const struct sim_directory *d = sim_refresh_header(test_engine());
  const struct sim_record *ring = sim_at(test_engine(), d->trace_at);
  uint32_t n = 0;
  assert_true(d->seq_lo <= d->trace_capacity);
  for (uint32_t i = 0; i < d->seq_lo; i++) {
    const struct sim_record *r = &ring[i], *why = r->cause ? &ring[r->cause - 1] : NULL;
    if (r->part != part) continue;
    assert_true(n < count);
    const struct expected_event *e = &expected[n++];
    struct expected_event got = {
        r->time, r->kind, r->a, r->b, r->c, why ? BECAUSE((uint32_t)why->part, why->kind) : 0};
    if (e->time == ANY_TIME) got.time = ANY_TIME;
    if (e->why == ANY_CAUSE) got.why = ANY_CAUSE;
    if (got.time != e->time || got.kind != e->kind || got.a != e->a || got.b != e->b || got.c != e->c
        || got.why != e->why)
      fail_msg(
          "record %u: %llu ps kind %u a %llx b %u c %u why %x, not %llu ps kind %u a %llx b %u c %u why %x",
          n - 1, (unsigned long long)got.time, got.kind, (unsigned long long)got.a, got.b, got.c, got.why,
          (unsigned long long)e->time, e->kind, (unsigned long long)e->a, e->b, e->c, e->why);
  }
  assert_int_equal(n, count);
}

const sim_msg *test_pending(uint32_t n, uint64_t *time) {
  sim *m = test_engine();
  assert_true(n < m->pending);
  struct sim_entry entry = soon(m)[m->pending - 1 - n];
  *time = entry.time;
  return &slots(m)[slot_of(entry)];
}

const sim_msg *test_message_for(uint32_t part, uint64_t *time) {
  for (uint32_t n = 0; n < test_engine()->pending; n++) {
    const sim_msg *q = test_pending(n, time);
    if (q->to == part) return q;
  }
  fail_msg("no message for part %u is pending", part);
  return NULL;
}

/* Takes one event with these choices first, then the first option of each further choice. Returns whether
 * there was an event. */
static int any_step(sim *m, const uint32_t *choice, uint32_t forced) {
  struct sim_host_state *side = sim_host_state(m);
  memcpy(side->choice, choice, forced * sizeof *choice);
  side->forced_choices = forced, side->choices_made = side->broken = 0;
  int goes = sim_explore_step(m);
  sim_run_invisible(m);
  return goes;
}

/* Goes to an old state and a few steps on, so that a state read next finds other values in place. */
static void wander(sim *m, const uint8_t *from, uint64_t *random) {
  struct sim_codec k;
  sim_decode(m, &k, from);
  for (uint32_t more = test_random(random) % 8; more > 0 && any_step(m, sim_host_state(m)->choice, 0);
      more--) {}
}

/* A random combination of choices for a state's next event. */
static uint32_t any_choices(sim *m, const uint8_t *here, uint32_t *choice, uint64_t *random) {
  const struct sim_host_state *side = sim_host_state(m);
  struct sim_codec k;
  for (uint32_t n = 0;; n++) {
    sim_decode(m, &k, here);
    any_step(m, choice, n);
    if (n >= side->choices_made) return n;
    choice[n] = test_random(random) % side->choices_of[n];
  }
}

/* Copies an arena including the red zones between its arrays: memcpy() would check them, so the loop must not
 * become a call of it. */
__attribute__((
    no_sanitize("address", "undefined"), optimize("O3", "no-tree-loop-distribute-patterns"))) static void
copy_arena(uint64_t *to, const uint64_t *from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes / sizeof *to; i++) to[i] = from[i];
}

void assert_kept_goes_on(uint32_t steps, uint64_t *random) {
  sim *m = test_engine();
  const uint64_t bytes = SIM_HOST_STATE_BYTES + sim_refresh_header(m)->total_bytes;
  uint64_t *memory = (uint64_t *)((unsigned char *)m - SIM_HOST_STATE_BYTES), *alive = malloc(bytes);
  uint8_t first[CODEC_BYTES], far[CODEC_BYTES];
  struct sim_codec k;
  sim_host_state(m)->exploring = 1;
  sim_encode(m, &k, first);
  for (uint32_t step = 0; step < steps; step++) {
    uint8_t here[CODEC_BYTES], again[CODEC_BYTES], kept[CODEC_BYTES], went[CODEC_BYTES];
    uint32_t choice[sizeof sim_host_state(m)->choice / sizeof *sim_host_state(m)->choice];
    uint32_t n = sim_encode(m, &k, here);
    if (step % 100 == 0) memcpy(far, here, n);
    copy_arena(alive, memory, bytes);
    uint32_t choices = any_choices(m, here, choice, random);
    wander(m, far, random);
    sim_decode(m, &k, here);
    assert_int_equal(sim_encode(m, &k, again), n);
    assert_memory_equal(again, here, n);
    int goes = any_step(m, choice, choices);
    uint32_t length = sim_encode(m, &k, kept);
    copy_arena(memory, alive, bytes);
    assert_int_equal(any_step(m, choice, choices), goes);
    assert_int_equal(sim_host_state(m)->broken, 0);
    assert_int_equal(sim_encode(m, &k, went), length);
    assert_memory_equal(went, kept, length);
    if (!goes) sim_decode(m, &k, first);
  }
  free(alive);
}

static uint32_t kept_of(uint32_t part, uint8_t *bytes) {
  struct sim_codec k = {.at = bytes};
  memset(bytes, 0, CODEC_PART);
  sim_dispatch_serialize(sim_part(test_engine(), part)->type, test_engine(), part, &k);
  return (uint32_t)(k.at - bytes);
}

void assert_keeps(uint32_t part, void *const *words, uint32_t count) {
  uint8_t whole[CODEC_PART], other[CODEC_PART];
  uint32_t length = kept_of(part, whole), before[32];
  assert_true(count <= 32);
  for (uint32_t i = 0; i < count; i++) memcpy(&before[i], words[i], sizeof *before);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t was = before[i], now = was ? 0 : 1;
    memcpy(words[i], &now, sizeof now);
    uint32_t n = kept_of(part, other);
    if (n == length && memcmp(whole, other, length) == 0) fail_msg("word %u is not kept", i);
    struct sim_codec k = {.at = whole, .reading = 1};
    sim_dispatch_serialize(sim_part(test_engine(), part)->type, test_engine(), part, &k);
    memcpy(&now, words[i], sizeof now);
    if (now != was) fail_msg("word %u comes back as %u, not as %u", i, now, was);
    assert_int_equal(kept_of(part, other), length);
    assert_memory_equal(whole, other, length);
  }
}

void assert_keeps_not(uint32_t part, void *const *words, uint32_t count) {
  uint8_t whole[CODEC_PART], other[CODEC_PART];
  uint32_t length = kept_of(part, whole);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t was, now;
    memcpy(&was, words[i], sizeof was);
    now = was ? 0 : 1;
    memcpy(words[i], &now, sizeof now);
    assert_int_equal(kept_of(part, other), length);
    assert_memory_equal(whole, other, length);
    memcpy(words[i], &was, sizeof was);
  }
}
