/* Loading a session: memory, layout of parts, views and wires, and limits. */
#include "test/gt.h"

static const uint64_t program[] = {ROW(SPEND, 0, 0, 0, 1000, 0, 0), ROW(END, 0, 0, 0, 0, 0, 0)};

static sim *opened(void) {
  machine("gt-and-peer");
  const struct session s = gt_session(ROWS(program));
  assert_int_equal(session_open(&s), SIM_OK);
  return test_engine();
}

/* Allocations follow each other in multiples of 8 bytes and are zeroed. */
TEST(memory_is_allocated_in_multiples_of_eight_bytes) {
  static const struct {
    uint32_t count, bytes, takes;
  } cases[] = {{0, 8, 0}, {1, 0, 0}, {1, 1, 8}, {1, 7, 8}, {1, 8, 8}, {1, 9, 16}, {3, 3, 16}, {2, 8, 16},
      {5, 12, 64}, {1000, 24, 24000}};
  sim *m = opened();
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint32_t used = m->used;
    uint8_t *here = sim_at(m, used);
    test_touches(here, cases[i].takes + 8);
    memset(here, 0xee, cases[i].takes + 8);
    assert_ptr_equal(sim_alloc(m, cases[i].count, cases[i].bytes), here);
    assert_int_equal(m->used - used, cases[i].takes + test_fence(cases[i].bytes));
    test_touches(here, cases[i].takes + 8);
    for (uint32_t k = 0; k < cases[i].takes + 8; k++)
      assert_int_equal(here[k], k < cases[i].takes || test_fence(1) ? 0 : 0xee);
  }
  assert_int_equal(sim_refresh_header(m)->error, SIM_OK);
}

/* 4 GiB and more cannot be addressed, so the host is not asked. The error has the size in KiB. */
TEST(more_than_can_be_addressed_is_refused) {
  sim *m = opened();
  const uint64_t before = SIM_HOST_STATE_BYTES + m->used;
  test_granted = UINT64_MAX;
  assert_null(sim_alloc(m, 1u << 20, 4096)); /* 4 GiB */
  test_granted = TEST_ARENA;
  EXPECT_VALUES({sim_refresh_header(m)->error, SIM_NO_MEMORY}, {sim_refresh_header(m)->error_part, SIM_NONE},
      {sim_refresh_header(m)->error_detail, ((4ull << 30) + test_fence(4096) + before) >> 10},
      {SIM_HOST_STATE_BYTES + m->used, before});
}

/* Of two errors the host sees the first. */
TEST(the_first_error_is_reported) {
  sim *m = opened();
  assert_int_equal(sim_refuse(m, SIM_BAD_WIRE, 3, 4), SIM_BAD_WIRE);
  assert_int_equal(sim_refuse(m, SIM_CROWDED, 5, 6), SIM_CROWDED);
  EXPECT_VALUES({sim_refresh_header(m)->error, SIM_BAD_WIRE}, {sim_refresh_header(m)->error_part, 3},
      {sim_refresh_header(m)->error_detail, 4});
}

/* A machine has up to 1024 parts, a trace up to 2^24 records, a table up to 2^24 rows. A session within the
 * limits may still be refused for lack of memory or words. */
TEST(limits_are_enforced) {
  static struct session s;
  s = session_new(1024, 0, 0);
  for (uint32_t i = 0; i < 1024; i++) session_part(&s, SIM_TYPE_WATCHER, NULL, 0);
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(sim_refresh_header(test_engine())->part_count, 1024);
  assert_int_equal(sim_refresh_header(test_engine())->view_count, 1024);
  s = session_new(0, 0, 24);
  assert_int_equal(session_open(&s), SIM_NO_MEMORY); /* 512 MiB */
  const struct processor_params cpu = PROCESSOR_DEFAULTS;
  for (uint32_t more = 0; more < 2; more++) {
    s = session_new(1, 0, 0);
    session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
    s.words[s.n++] = (1u << 24) + more;
    assert_int_equal(session_open(&s), more ? SIM_TOO_MANY : SIM_TRUNCATED);
    assert_int_equal(sim_refresh_header(test_engine())->error_part, more ? 0 : SIM_NONE);
  }
}

/* A session begins with all eight words of its header, or it is refused. */
TEST(a_header_is_complete) {
  struct session s = session_new(0, 0, 0);
  for (uint32_t words = 0; words <= 8; words++) {
    assert_int_equal(session_open_words(&s, words), words < 8 ? SIM_BAD_HEADER : SIM_OK);
    assert_int_equal(sim_refresh_header(test_engine())->error, words < 8 ? SIM_BAD_HEADER : SIM_OK);
  }
}

/* Each part has its row, zeroed counters and state, and its views in the order of the manifest. Nothing
 * overlaps. */
TEST(each_part_has_its_own_place) {
  static const uint32_t types[] = {SIM_TYPE_PROCESSOR, SIM_TYPE_CACHE, SIM_TYPE_GT_DRIVER, SIM_TYPE_BRIDGE,
      SIM_TYPE_MEMORY, SIM_TYPE_PCI, SIM_TYPE_GT, SIM_TYPE_RING, SIM_TYPE_PEER};
  sim *m = opened();
  const struct sim_directory *d = sim_refresh_header(m);
  const struct sim_part *rows = sim_at(m, d->parts_at);
  const struct sim_view_entry *views = sim_at(m, d->views_at);
  uint32_t view = 0, wire = 0, end = d->parts_at + GT_PARTS * (uint32_t)sizeof *rows;
  assert_int_equal(d->part_count, GT_PARTS);
  for (uint32_t i = 0; i < GT_PARTS; i++) {
    const sim_type *t = &sim_types[types[i]];
    EXPECT_VALUES({rows[i].type, types[i]}, {rows[i].first_view, view}, {rows[i].first_wire, wire});
    assert_true(rows[i].params_at >= end);
    assert_true(rows[i].counters_at >= rows[i].params_at + 8u * t->params);
    assert_true(rows[i].tables_at >= rows[i].counters_at + 8u * t->counters);
    for (uint32_t k = 0; k < t->counters; k++)
      assert_int_equal(((const uint64_t *)sim_at(m, rows[i].counters_at))[k], 0);
    end = rows[i].tables_at;
    for (uint32_t k = 0; k < t->views; k++) assert_int_equal(views[view + k].part, i);
    view += t->views, wire += t->ports;
    assert_int_equal(rows[i].wires_at, m->wires_at + rows[i].first_wire * sizeof(struct sim_wire));
    assert_true(rows[i].state_at > m->views_at);
  }
  assert_int_equal(d->view_count, view);
  assert_int_equal(sim_table(m, CPU, 0)->rows, 2);
  assert_memory_equal(sim_at(m, sim_table(m, CPU, 0)->at), program, sizeof program);
  assert_int_equal(d->total_bytes, d->state_bytes + d->trace_capacity * sizeof(struct sim_record)
                                       + d->choices_capacity * 4 + test_fence(sizeof(struct sim_record))
                                       + test_fence(4));
  assert_int_equal(m->used, d->state_bytes);
}

/* A wire connects both of its ends; ports without a wire are open. */
TEST(a_wire_connects_both_ends) {
  sim *m = opened();
  const uint32_t wires[][4] = {{CPU, PROCESSOR_PORT_FRONT, BRIDGE, BRIDGE_PORT_CPU},
      {CPU, PROCESSOR_PORT_IRQ + 1, PEER, PEER_PORT_IRQ}, {CARD, GT_PORT_PCI, BUS, PCI_PORT_SLOT + 1},
      {CARD, GT_PORT_LINK, RING, RING_PORT_CARD}};
  for (uint32_t i = 0; i < sizeof wires / sizeof *wires; i++)
    for (uint32_t back = 0; back < 2; back++) {
      const uint32_t *w = wires[i], from = w[2 * back], port = w[2 * back + 1], to = w[2 - 2 * back],
                     at = w[3 - 2 * back];
      const struct sim_wire *wire = sim_wire(m, from, port);
      EXPECT_VALUES({wire->part, to}, {wire->port, at});
      assert_int_equal(wire->type, sim_part(m, to)->type + 1);
      assert_true(sim_wired(m, from, port));
    }
  assert_false(sim_wired(m, BUS, PCI_PORT_SLOT + 3));
  static const struct {
    uint32_t first, count, wires;
  } counted[] = {
      {0, 3, 3}, {0, 4, 3}, {1, 1, 1}, {3, 1, 0}, {2, 2, 1}, {0, 0, 0}}; /* bridge, card and peer */
  for (uint32_t i = 0; i < sizeof counted / sizeof *counted; i++)
    assert_int_equal(
        sim_wires_of(m, BUS, PCI_PORT_SLOT + counted[i].first, counted[i].count), counted[i].wires);
}

/* Ports, parts and protocols that do not exist, at either end; two clients; a wire from a port to itself. The
 * error names the last wire. */
TEST(a_wire_with_a_wrong_end_is_refused_with_its_number) {
  machine("gt-and-peer");
  static struct session s;
  s = gt_session(ROWS(program));
  const uint32_t wires = s.words[7], last = s.n - 4;
  const uint32_t ports[2] = {sim_types[SIM_TYPE_PEER].ports, sim_types[SIM_TYPE_PCI].ports};
  const struct {
    uint32_t wire[4], part;
  } cases[] = {{{GT_PARTS, PEER_PORT_PCI, BUS, PCI_PORT_SLOT + 2}, SIM_NONE},
      {{PEER, PEER_PORT_PCI, GT_PARTS, PCI_PORT_SLOT + 2}, SIM_NONE},
      {{PEER, ports[0], BUS, PCI_PORT_SLOT + 2}, SIM_NONE}, {{PEER, PEER_PORT_PCI, BUS, ports[1]}, SIM_NONE},
      {{PEER, PEER_PORT_PCI, PEER, PEER_PORT_PCI}, PEER},
      {{BUS, PCI_PORT_SLOT + 3, BUS, PCI_PORT_SLOT + 2}, BUS},
      {{PEER, PEER_PORT_PCI, BUS, PCI_PORT_SLOT + 1}, PEER},
      {{CARD, GT_PORT_PCI, BUS, PCI_PORT_SLOT + 2}, CARD}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    s = gt_session(ROWS(program));
    memcpy(&s.words[last], cases[i].wire, sizeof cases[i].wire);
    assert_int_equal(session_open(&s), SIM_BAD_WIRE);
    assert_int_equal(sim_refresh_header(test_engine())->error_part, cases[i].part);
    assert_int_equal(sim_refresh_header(test_engine())->error_detail, wires - 1);
  }
  s = gt_session(ROWS(program)); /* the same wire with its ends swapped */
  memcpy(&s.words[last], ((uint32_t[4]){BUS, PCI_PORT_SLOT + 2, PEER, PEER_PORT_PCI}), 16);
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(sim_wire(test_engine(), BUS, PCI_PORT_SLOT + 2)->part, PEER);
}

/* The queue has a slot for each message that parts may have pending, and one for the message being handled.
 * Lower slots are taken first. */
TEST(the_queue_has_room_for_all_messages_of_the_parts) {
  sim *m = opened();
  uint64_t holds = 0;
  for (uint32_t i = 0; i < GT_PARTS; i++) holds += sim_queue_capacity(m, i);
  assert_int_equal(m->pending_limit, holds + 1);
  const uint32_t taken = m->pending + m->later;
  assert_int_equal(m->free_count, holds + 1 - taken);
  for (uint32_t i = 0; i < m->free_count; i++) assert_int_equal(free_slots(m)[i], holds - i);
  struct session s = session_new(0, 0, 0);
  assert_int_equal(session_open(&s), SIM_OK);
  assert_int_equal(test_engine()->pending_limit, 1);
}

/* A command for a parameter that the part does not have is refused, whatever the value. */
TEST(a_parameter_that_a_part_does_not_have_is_refused) {
  static const uint64_t values[] = {0, 1, 2, 4, 64, 1000, 4096, 1000000, 1ull << 30, 100000000000ull};
  sim *m = opened();
  for (uint32_t part = 0; part < GT_PARTS; part++)
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
      const uint32_t none = sim_types[sim_part(m, part)->type].params;
      assert_int_equal(sim_command(m, part, none, values[i]), SIM_BAD_PARAM);
      EXPECT_VALUES({sim_refresh_header(m)->error_part, part}, {sim_refresh_header(m)->error_detail, none});
    }
}

/* A session takes only its own seed and no state of the previous one. The limit of the host stays. */
TEST(a_session_starts_from_its_own_seed) {
  sim *m = opened();
  sim_run(m, SIM_NEVER, SIM_NEVER);
  sim_broken(m, 3, SIM_ONE_WRITER, 77);
  sim_broken(m, 4, SIM_NO_DEADLOCK, 78); /* only the first is kept */
  EXPECT_VALUES({sim_host_state(m)->broken, SIM_ONE_WRITER}, {sim_host_state(m)->broken_part, 3},
      {sim_host_state(m)->broken_at, 77});
  sim_new_writes(m, 5);
  const uint64_t limit = sim_host_state(m)->limit;
  struct session s = session_new(0, 0, 0);
  s.words[3] = 0x89abcdef, s.words[4] = 0x01234567;
  assert_int_equal(sim_open(m, s.words, s.n), SIM_OK);
  assert_true(m->random == 0x0123456789abcdefull);
  EXPECT_VALUES({sim_host_state(m)->limit, limit}, {sim_host_state(m)->broken, 0},
      {m->time + m->events + m->seq + m->choice_count + m->cause + m->pending, 0});
  assert_int_equal(sim_new_writes(m, 5), 1); /* writes count from 1; five of them, then the next */
  assert_int_equal(sim_new_write(m), 6);
}
