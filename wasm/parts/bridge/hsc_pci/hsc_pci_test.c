/* A PCI bridge in an HSC slot, with another master and a card behind it: data, order, and the number of lines
 * fetched. */
#include "test/hsc_pci.h"

/* The number of lines that a range of bytes touches. */
static uint32_t lines_of(uint64_t from, uint64_t bytes) {
  return (uint32_t)((from + bytes + 31) / 32 - from / 32);
}

/* A write of another master reaches memory with a new write number per half-line and changes nothing else.
 * Its interrupt arrives after it. */
TEST(a_write_changes_only_its_own_bytes) {
  static const struct {
    uint64_t offset, bytes, writes;
  } cases[] = {/* aligned pieces of the sizes of HSC writes: 32, 16, 8 or 4 bytes */
      {0, 32, 1}, {0, 4, 1}, {28, 4, 1}, {4, 12, 2}, {4, 28, 3}, {28, 8, 2}, {16, 32, 2}, {0, 256, 8},
      {8, 240, 1 + 1 + 7 + 1}, {4096 - 64, 128, 4}, {0, 2048, 64}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t posts = 2; posts <= 8; posts += 3) {
      machine("hsc-to-pci");
      uint64_t from = BASE + cases[i].offset, end = from + cases[i].bytes;
      PARAMS("bridge", hsc_pci)->posts = posts;
      PARAMS("peer", peer)->blocks = 1, PARAMS("peer", peer)->bytes = cases[i].bytes,
                     PARAMS("peer", peer)->address = AT + cases[i].offset,
                     PARAMS("peer", peer)->direction = PEER_DIRECTION_WRITE;
      run_bridged();
      EXPECT_VALUES({COUNT(bytes_in), cases[i].bytes}, {COUNT(errors), 0}, {COUNT(interrupts), 1},
          {COUNTERS("cpu0", processor)->interrupts, 1});
      if (i < 8) assert_int_equal(COUNT(writes), cases[i].writes); /* the cases of a single burst */
      uint32_t old = (uint32_t)(PAGES * PAGE / HALF_BYTES);        /* write numbers of the initial contents */
      for (uint64_t half = BASE; half < BASE + 3 * PAGE; half += HALF_BYTES)
        assert_int_equal(hp_cell(half).newest > old, half + HALF_BYTES > from && half < end);
    }
}

/* A read of another master fetches each of its lines once. Prefetched lines behind its end are wasted: as
 * many as configured, limited by the page and the buffer. */
TEST(a_delayed_read_fetches_each_line_once_and_prefetches) {
  static const struct {
    uint64_t offset, bytes, prefetch, lines, ahead;
  } cases[] = {{0, 32, 0, 8, 0}, {0, 32, 3, 8, 3}, {0, 64, 3, 8, 3}, {8, 16, 0, 8, 0}, {16, 32, 0, 8, 0},
      {0, 32, 31, 8, 7}, {4096 - 64, 32, 3, 8, 1}, {4096 - 32, 32, 3, 8, 0}, {4, 4, 1, 2, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    machine("hsc-to-pci");
    PARAMS("bridge", hsc_pci)->prefetch = cases[i].prefetch,
                     PARAMS("bridge", hsc_pci)->lines = cases[i].lines;
    PARAMS("peer", peer)->blocks = 1, PARAMS("peer", peer)->bytes = cases[i].bytes,
                   PARAMS("peer", peer)->address = AT + cases[i].offset,
                   PARAMS("peer", peer)->direction = PEER_DIRECTION_READ;
    run_bridged();
    assert_int_equal(COUNT(bytes_out), cases[i].bytes);
    assert_int_equal(COUNT(fetched), lines_of(cases[i].offset, cases[i].bytes) + cases[i].ahead);
    assert_int_equal(COUNT(errors), 0);
    assert_true(COUNT(retries) > 0);
    uint64_t at = AT + cases[i].offset;
    for (uint32_t seq = 0;
        at < AT + cases[i].offset
                 + cases[i].bytes;) { /* in order, each piece with the write of its first word */
      const struct sim_record *given = record_after(BRIDGE_PART, HSC_PCI_EV_GIVEN, seq);
      assert_non_null(given);
      EXPECT_VALUES({given->a, at}, {given->c, (at - AT) / HALF_BYTES + 1});
      at += given->b;
      seq = (uint32_t)(given
                       - (const struct sim_record *)sim_at(
                           test_engine(), sim_refresh_header(test_engine())->trace_at))
            + 1;
    }
  }
}

/* A long read through buffers of any size: all data arrives, each line is fetched once, and the bridge is
 * idle at the end. */
TEST(a_long_read_gets_every_byte) {
  for (uint64_t lines = 1; lines <= 16; lines *= 2)
    for (uint64_t prefetch = 0; prefetch < 4; prefetch += 3) {
      machine("hsc-to-pci");
      PARAMS("bridge", hsc_pci)->prefetch = prefetch, PARAMS("bridge", hsc_pci)->lines = lines;
      PARAMS("peer", peer)->blocks = 1, PARAMS("peer", peer)->bytes = 1024,
                     PARAMS("peer", peer)->address = AT,
                     PARAMS("peer", peer)->direction = PEER_DIRECTION_READ;
      run_bridged();
      assert_int_equal(COUNT(bytes_out), 1024);
      assert_in_range(COUNT(fetched), 32, 32 + prefetch); /* prefetched beyond the end */
      assert_int_equal(COUNT(fetched) - COUNT(wasted) - 32 <= prefetch, 1);
      struct hsc_pci_now *now = hsc_pci_view(test_engine(), SIM_STATE(test_engine(), BRIDGE_PART, hsc_pci));
      assert_int_equal(now->state, HSC_PCI_STATE_IDLE);
      assert_int_equal(SIM_STATE(test_engine(), BRIDGE_PART, hsc_pci)->asked, 0);
    }
}

/* A line without translation arrives without data. That is recorded as an error, and the card continues. */
TEST(a_read_without_a_translation_is_an_error) {
  machine("hsc-to-pci");
  PARAMS("bridge", hsc_pci)->prefetch = 0;
  PARAMS("peer", peer)->blocks = 1, PARAMS("peer", peer)->bytes = 64,
                 PARAMS("peer", peer)->address = AT + 4 * PAGE,
                 PARAMS("peer", peer)->direction = PEER_DIRECTION_READ;
  run_bridged();
  EXPECT_VALUES({COUNT(errors), 2}, {COUNT(bytes_out), 64});
  assert_non_null(record_after(BRIDGE_PART, HSC_PCI_EV_ERROR, 0));
}

/* The value of a register stays behind earlier posted writes, so that a reader of the register finds them in
 * memory. The defect violates this. */
TEST(a_register_value_stays_behind_posted_writes) {
  uint32_t early = 0;
  for (uint32_t fault = 0; fault < 2; fault++)
    for (uint64_t when = 0; when < 100; when++) {
      machine("hsc-to-pci");
      const uint64_t program[] = {SPEND(when * 20000), ROW(IO_LOAD, WINDOW(0) + 0x18, 0, 4, 4, 0, 0, 0), END};
      machine_rows("cpu0", 0, ROWS(program));
      PARAMS("bridge", hsc_pci)->fault = fault ? HSC_PCI_FAULT_VALUES_PASS : HSC_PCI_FAULT_NONE;
      PARAMS("peer", peer)->blocks = 1, PARAMS("peer", peer)->bytes = 128, PARAMS("peer", peer)->address = AT,
                     PARAMS("peer", peer)->direction = PEER_DIRECTION_WRITE;
      open_bridged();
      sim *m = test_engine();
      struct hsc_pci_state *s = SIM_STATE(m, BRIDGE_PART, hsc_pci);
      uint32_t before = 0, read = 0; /* posts at the time when the card returned the value */
      while (COUNTERS("cpu0", processor)->loads == 0) {
        sim_run(m, SIM_NEVER, m->events + 1);
        uint32_t sent = (uint32_t)COUNT(writes) + hsc_pci_view(m, s)->posted;
        if (!read && SIM_COUNTERS(test_engine(), CARD_PART, gt)->pio_reads) read = 1, before = sent;
      }
      if (fault) early += COUNT(writes) < before;
      else assert_true(COUNT(writes) >= before);
    }
  assert_true(early > 0);
}

/*
 * The card reads a line, and the bridge prefetches the following ones. A processor then stores to the second
 * line and lets the card read on; the store that starts it drops the prefetched lines. With the defect the
 * lines survive and the card gets stale data, which the shadow memory reveals.
 */
TEST(a_stale_prefetched_line_is_detected) {
  const uint64_t engine = WINDOW(0) + GT_ENGINE_WRITE * GT_ENGINE_BYTES;
  for (uint32_t survives = 0; survives < 2; survives++)
    for (uint32_t stores = 0; stores < 2; stores++) {
      machine("hsc-to-pci");
      const uint64_t program[] = {ROW(IO_STORE, 0, engine + GT_REG_HOST, 4, 4, 0, AT, 0),
          ROW(IO_STORE, 0, engine + GT_REG_CARD, 4, 4, 0, PARAMS("gt", gt)->base, 0),
          ROW(IO_STORE, 0, engine + GT_REG_GO, 4, 4, 0, 32, 0), SPEND(50000000),
          ROW(STORE, 0, BASE + 32, 4 * stores, 4, 0, 0, 0),
          ROW(IO_STORE, 0, engine + GT_REG_HOST, 4, 4, 0, AT + 32, 0),
          ROW(IO_STORE, 0, engine + GT_REG_GO, 4, 4, 0, 64, 0), END};
      PARAMS("gt", gt)->registers = PARAMS("bridge", hsc_pci)->registers;
      PARAMS("bridge", hsc_pci)->fault = survives ? HSC_PCI_FAULT_LINES_SURVIVE : HSC_PCI_FAULT_NONE;
      machine_rows("cpu0", 0, ROWS(program));
      run_bridged();
      EXPECT_VALUES({COUNT(bytes_out), 96}, {COUNT(stale), survives && stores ? HALF_BYTES / 4 : 0},
          {COUNT(torn), survives && stores});
      const struct sim_record *record = record_after(BRIDGE_PART, HSC_PCI_EV_STALE, 0);
      assert_int_equal(record != NULL, survives && stores);
      if (!record) continue;
      assert_int_equal(record->a, AT + 32);
      assert_int_equal(record->b,
          32 / HALF_BYTES + 1); /* initial contents have the number of their half as write number */
      assert_int_equal(record->c, hp_cell(BASE + 32).newest);
      assert_true(record->c > record->b);
    }
}

TEST(memory_that_runs_out_is_an_error) {
  machine("hsc-to-pci");
  assert_true(session_without_memory(machine_session()) > 40);
}

/* An idle bridge without prefetching. */
static struct hsc_pci_state *still(void) {
  machine("hsc-to-pci");
  PARAMS("bridge", hsc_pci)->prefetch = 0, PARAMS("bridge", hsc_pci)->lines = 4,
                   PARAMS("bridge", hsc_pci)->posts = 4;
  run_bridged();
  test_engine()->time = 1000, test_engine()->cause = 0;
  return SIM_STATE(test_engine(), BRIDGE_PART, hsc_pci);
}

static uint32_t asked_hsc(void) {
  struct hsc_now *bus = sim_at(test_engine(), SIM_STATE(test_engine(), HSC_PART, hsc)->now_at);
  uint32_t asked = bus->requests & 1;
  bus->requests = 0;
  return asked;
}

/* Each line is a separate HSC request: after a grant the bridge requests the bus again while lines are
 * left. */
TEST(the_bus_is_requested_once_per_line) {
  still();
  struct pci_begin q = {.address = AT, .bytes = 96, .command = PCI_COMMAND_READ};
  hsc_pci_pci_begin(OF(BRIDGE_PART, hsc_pci), &q);
  assert_int_equal(asked_hsc(), 1);
  for (uint32_t left = 3; left > 0; left--) {
    uint32_t halves[2] = {0};
    struct hsc_grant grant = {.halves = halves};
    assert_int_equal(hsc_pci_hsc_grant(OF(BRIDGE_PART, hsc_pci), &grant), 1);
    assert_int_equal(grant.address, AT + 32 * (3 - left));
    assert_int_equal(asked_hsc(), left > 1);
  }
}

/* A contiguous write is merged into the only posted write while that waits, but not once it is being sent. */
TEST(writes_merge_into_the_only_waiting_post) {
  for (uint32_t sending = 0; sending < 2; sending++) {
    struct hsc_pci_state *s = still();
    uint32_t words[2] = {1, 2}, halves[2] = {0};
    hsc_pci_pci_target_take(
        OF(BRIDGE_PART, hsc_pci), &(struct pci_target_take){.address = AT, .bytes = 8, .writes = words});
    if (sending) hsc_pci_hsc_grant(OF(BRIDGE_PART, hsc_pci), &(struct hsc_grant){.halves = halves});
    hsc_pci_pci_target_take(
        OF(BRIDGE_PART, hsc_pci), &(struct pci_target_take){.address = AT + 8, .bytes = 8, .writes = words});
    assert_int_equal(hsc_pci_view(test_engine(), s)->posted, sending ? 2 : 1);
    assert_int_equal(hsc_pci_posts(test_engine(), s)->bytes, sending ? 8 : 16);
  }
}
