/* HSC with times computed by hand: at 40 MHz a cycle takes 25 ns. An address takes one cycle, and each word
 * one. */
#include "test/hp.h"

#define NS 1000ull
#define PAUSE DEVICE_ROW(PAUSE, 0, 4, 10000 * NS, 1)
#define STARTS(time, name, addr, slot, why) {(time), HSC_EV_START, addr, HSC_STATE_##name, slot, why}
#define ENDS(time, why) {(time), HSC_EV_IDLE, 0, 0, 0, why}

/*
 * Device 0 reads 32 B and then writes 32 B and 8 B; device 1 writes 32 B twice. Round-robin starts behind
 * slot 0: device 1 writes (9 cycles), device 0 requests its line (1) and releases the bus, device 1 writes
 * (9). The line arrives here two cycles after its transfer on Runway and moves in 8. Device 0 then writes
 * 32 B (9) and 8 B (3).
 */
TEST(transactions_run_back_to_back) {
  static const uint64_t first[] = {DEVICE_ROW(READ, 0, 32, 0, 1), DEVICE_ROW(WRITE, 64, 32, 0, 1),
      DEVICE_ROW(WRITE, 96, 8, 0, 1)},
                        second[] = {DEVICE_ROW(WRITE, PAGE, 32, 0, 2)};
  hp(1, 2);
  hp_device_does(0, PROGRAM(first)), machine_rows("device1", 0, ROWS(second));
  hp_open();
  hp_map(0, BASE, 0), hp_map(PAGE, BASE + PAGE, 0);
  session_run();
  const struct sim_record *line = record_after(BUS, RUNWAY_EV_COMPLETE, 0);
  while (line && line->a != BASE)
    line = record_after(BUS, RUNWAY_EV_COMPLETE,
        (uint32_t)(line
                   - (const struct sim_record *)sim_at(
                       test_engine(), sim_refresh_header(test_engine())->trace_at))
            + 1);
  assert_non_null(line);
  const uint64_t here = line->time + 50 * NS;
  const uint32_t wrote_0 = BECAUSE(DEVICE(0), DMA_DEVICE_EV_WRITE),
                 wrote_1 = BECAUSE(DEVICE(1), DMA_DEVICE_EV_WRITE),
                 taken = BECAUSE(ADAPTER, IO_ADAPTER_EV_STATE), started = BECAUSE(HSC, HSC_EV_START);
  EXPECT_EVENTS(HSC, STARTS(0, WRITE, PAGE, 1, wrote_1), STARTS(225 * NS, READ, 0, 0, taken),
      STARTS(250 * NS, WRITE, PAGE, 1, wrote_1), ENDS(475 * NS, started),
      STARTS(here, DATA, 0, 0, BECAUSE(BUS, RUNWAY_EV_COMPLETE)),
      ENDS(here + 200 * NS, BECAUSE(DEVICE(0), DMA_DEVICE_EV_READ)),
      STARTS(here + 200 * NS, WRITE, 64, 0, wrote_0), ENDS(here + 425 * NS, taken),
      STARTS(here + 425 * NS, WRITE, 96, 0, wrote_0), ENDS(here + 500 * NS, started));
  const struct hsc_counters *c = COUNTERS("hsc", hsc);
  EXPECT_VALUES({c->reads, 1}, {c->writes, 4}, {c->registers, 0}, {c->bytes, 4 * 32 + 8},
      {c->busy_cycles, 9 + 1 + 9 + 8 + 9 + 3}, {c->waits, 0}, {c->wait_cycles, 0});
}

/* An event of a part without its time. No padding, since it is compared byte by byte. */
struct event {
  uint64_t kind;
  uint64_t a;
  uint32_t b;
  uint32_t c;
};
#define WORKS(name, addr, slot) {IO_ADAPTER_EV_STATE, addr, IO_ADAPTER_STATE_##name, slot}
#define MISSES(page, instead) {IO_ADAPTER_EV_MISS, page, 0, instead} /* with the page that is in the row */
#define LOADS(page) {IO_ADAPTER_EV_LOADED, page, 0, (page) / PAGE}
/* A Runway transaction and the slot of the device that it serves. */
#define ISSUES(type, addr, slot) {IO_ADAPTER_EV_ISSUED, addr, RUNWAY_TYPE_##type, slot}
#define RESTS {IO_ADAPTER_EV_STATE, 0, IO_ADAPTER_STATE_IDLE, 0}

/*
 * The adapter handles one request at a time. It looks up the page, fetches its entry on a TLB miss, and then
 * reads or writes, or merges a write of less than a line. Each state and each transaction records its address
 * and slot.
 */
TEST(the_adapter_records_its_work_with_address_and_slot) {
  static const uint64_t first[] = {PAUSE, DEVICE_ROW(READ, 2 * PAGE, 32, 0, 1), PAUSE,
      DEVICE_ROW(WRITE, 2 * PAGE + 96, 8, 0, 1)},
                        second[] = {DEVICE_ROW(WRITE, PAGE, 32, 0, 1)};
  hp(1, 2);
  hp_device_does(1, PROGRAM(first)), machine_rows("device0", 0, ROWS(second));
  hp_open();
  hp_map(PAGE, BASE, 0), hp_map(2 * PAGE, BASE + PAGE, 0);
  session_run();
  static const struct event expected[] = {WORKS(LOOKUP, PAGE, 0), MISSES(PAGE, UINT32_MAX),
      WORKS(FETCH, PAGE, 0), ISSUES(READ_SHARED, DIRECTORY + 8, 0), LOADS(PAGE), WORKS(WRITE, PAGE, 0), RESTS,
      ISSUES(WRITE32, BASE, 0), WORKS(LOOKUP, 2 * PAGE, 1), MISSES(2 * PAGE, 1), WORKS(FETCH, 2 * PAGE, 1),
      ISSUES(READ_SHARED, DIRECTORY + 16, 1), LOADS(2 * PAGE), WORKS(READ, 2 * PAGE, 1),
      ISSUES(READ_SHARED, BASE + PAGE, 1), RESTS, WORKS(LOOKUP, 2 * PAGE + 96, 1),
      {IO_ADAPTER_EV_HIT, 2 * PAGE + 96, 0, 2}, WORKS(MERGE, 2 * PAGE + 96, 1),
      ISSUES(READ_PRIVATE, BASE + PAGE + 96, 1), {IO_ADAPTER_EV_MERGED, BASE + PAGE + 96, 4, 0}, RESTS,
      ISSUES(WRITE_BACK, BASE + PAGE + 96, 1)}; /* 1 and 2: the line, 3: the 8 bytes, 4: the merged half */
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t n = 0;
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++) {
    const struct sim_record *r = &ring[i];
    if (r->part != ADAPTER) continue;
    assert_true(n < sizeof expected / sizeof *expected);
    const struct event event = {r->kind, r->a, r->b, r->c};
    assert_memory_equal(&event, &expected[n++], sizeof event);
  }
  assert_int_equal(n, sizeof expected / sizeof *expected);
}

/* The state codec covers requests, the transaction on the bus, and a register access that is to be
 * repeated. */
TEST(bus_state_and_repeated_access_are_serialized) {
  hp(1, 2);
  hp_open();
  struct hsc_state *s = STATE_OF("hsc", hsc);
  struct hsc_now *now = sim_at(test_engine(), s->now_at), *again = &s->again;
  KEEPS(HSC, &now->requests, &s->taken, &s->adapter);
  *again = (struct hsc_now){.state = HSC_STATE_REGISTER,
      .slot = 4,
      .kind = 2,
      .addr = 0x40,
      .half_0 = 0x12345678,
      .half_1 = 0x9abcdef0};
  KEEPS(HSC, &again->state, &again->slot, &again->kind, &again->addr, &again->half_0, &again->half_1);
  static const uint32_t states[] = {HSC_STATE_REGISTER, HSC_STATE_READ, HSC_STATE_ANSWER};
  for (uint32_t i = 0; i < 3; i++) {
    now->state = states[i], now->slot = 2, now->kind = 6, now->bytes = 4, now->addr = 0x80,
    now->half_0 = 0x11111112, now->half_1 = 0x22222224;
    KEEPS(HSC, &now->state, &now->requests, &now->slot, &now->kind, &now->bytes, &now->addr, &now->half_0,
        &now->half_1, &again->half_1);
  }
  for (uint32_t writes = 0; writes < 2;
      writes++) { /* data in transfer comes from an old write, a write is still pending */
    now->state = writes ? HSC_STATE_WRITE : HSC_STATE_DATA,
    now->half_0 = writes ? COMING_WRITE(0) : OLD_WRITE, now->half_1 = writes ? COMING_WRITE(1) : OLD_WRITE;
    KEEPS(HSC, &now->state, &now->addr, &now->half_0, &now->half_1);
    now->memory = BASE + 0x80;
    if (!writes) KEEPS(HSC, &now->memory);
  }
}

/* Round-robin over the eight slots, starting behind the last owner. */
TEST(slots_are_served_round_robin) {
  static const struct {
    uint32_t requests, last, slot;
  } cases[] = {{0x01, 0, 0}, {0x03, 0, 1}, {0x03, 1, 0}, {0x81, 7, 0}, {0x81, 0, 7}, {0x81, 6, 7},
      {0x80, 7, 7}, {0x0e, 1, 2}, {0x0e, 3, 1}, {0x42, 2, 6}, {0xff, 4, 5}};
  hp(1, 2);
  hp_open();
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(
        hsc_pick(test_engine(), &(struct hsc_now){.requests = cases[i].requests, .last = cases[i].last}),
        cases[i].slot);
}
