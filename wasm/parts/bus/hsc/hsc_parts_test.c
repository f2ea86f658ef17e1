/* Unit tests of the HSC bus: registers, data and requests with their cycles of 25 ns, arbitration and
 * waiting. */
#include "test/hsc_pci.h"

#define ENGINE test_engine()
#define NS 1000ull
#define HSC_STATE(part) SIM_STATE(ENGINE, part, hsc)
#define HSC_NOW_OF(part) ((struct hsc_now *)sim_at(ENGINE, HSC_STATE(part)->now_at))
#define BUS_COUNT(part, name) (SIM_COUNTERS(test_engine(), part, hsc)->name)
#define STARTS(time, name, addr, slot, why) {(time) * NS, HSC_EV_START, addr, HSC_STATE_##name, slot, why}
#define ENDS(time, why) {(time) * NS, HSC_EV_IDLE, 0, 0, 0, why}
enum { DATA, STORE, LOAD_KIND, FAILED }; /* kinds of adapter returns */

static const struct io_adapter_returns *adapter_row(uint32_t adapter, uint32_t i) {
  return (const struct io_adapter_returns *)sim_at(ENGINE, SIM_STATE(ENGINE, adapter, io_adapter)->returns_at)
         + i;
}

/* Queues a return of the adapter to a device. */
static void returns(uint32_t adapter, struct io_adapter_returns what) {
  struct io_adapter_now *now = adapter_now(OF(adapter, io_adapter));
  *(struct io_adapter_returns *)adapter_row(adapter, now->returning++) = what;
  hsc_adapter_request(OF(adapter + 1, hsc), &(struct hsc_adapter_request){.returns = 1});
}

/* Opens three idle devices and sets the time to 1010 ns, between two clock edges; the next is at 1025. */
static void quiet(void) {
  hp(1, 3);
  hp_run();
  ENGINE->time = 1010 * NS, ENGINE->cause = 0;
}

static void until(uint64_t time) {
  sim_run(ENGINE, time, UINT64_MAX);
  ENGINE->time = time, ENGINE->cause = 0;
}

static struct dma_device_channels *channel(uint32_t device, uint32_t i) {
  return device_channel(OF(DEVICE(device), dma_device), i);
}

/* An address and four bytes of data take two cycles from the next clock edge. The second device's register
 * gets the value at the end of them. */
TEST(a_store_to_a_register_takes_two_cycles) {
  quiet();
  returns(ADAPTER, (struct io_adapter_returns){.slot = 1,
                       .kind = STORE,
                       .bytes = 4,
                       .half_0 = 0x1234,
                       .addr = CHANNEL_BYTES + CHANNEL_REG_ADDRESS});
  until(1026 * NS);
  const struct hsc_now *now = HSC_NOW_OF(HSC);
  EXPECT_VALUES({now->state, HSC_STATE_REGISTER}, {now->slot, 1}, {now->bytes, 4}, {now->began, 1025 * NS},
      {now->until, 1075 * NS});
  until(1074 * NS);
  assert_int_equal(channel(1, 1)->addr, 0);
  session_run();
  assert_int_equal(channel(1, 1)->addr, 0x1234);
  assert_int_equal(now->state, HSC_STATE_IDLE);
  EXPECT_EVENTS(HSC, STARTS(1025, REGISTER, CHANNEL_BYTES, 1, 0), ENDS(1075, BECAUSE(HSC, HSC_EV_START)));
  EXPECT_VALUES({BUS_COUNT(HSC, registers), 1}, {BUS_COUNT(HSC, busy_cycles), 2});
  assert_int_equal(BUS_COUNT(HSC, bytes), 0); /* register accesses do not count as data */
}

/* Data moves four bytes per cycle, without an address: a line takes 8 cycles, a word one, and an error
 * without data also one. The device receives both halves and their memory address. */
TEST(data_moves_four_bytes_per_cycle) {
  static const struct {
    uint32_t kind, bytes, cycles;
  } cases[] = {{DATA, 32, 8}, {DATA, 16, 4}, {DATA, 8, 2}, {DATA, 4, 1}, {FAILED, 4, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    returns(ADAPTER, (struct io_adapter_returns){.slot = 1,
                         .kind = cases[i].kind,
                         .bytes = cases[i].bytes,
                         .half_0 = 41,
                         .half_1 = 42,
                         .addr = PAGE + 32,
                         .memory = BASE});
    until(1026 * NS);
    assert_int_equal(HSC_NOW_OF(HSC)->memory, BASE);
    assert_int_equal(HSC_NOW_OF(HSC)->bytes, cases[i].kind == FAILED ? 0 : cases[i].bytes);
    session_run();
    const uint64_t end = 1025 + 25 * cases[i].cycles;
    EXPECT_EVENTS(
        HSC, STARTS(1025, DATA, PAGE + 32, 1, 0), ENDS(end, BECAUSE(DEVICE(1), DMA_DEVICE_EV_FINISHED)));
    const struct dma_device_received *received =
        sim_at(ENGINE, SIM_STATE(ENGINE, DEVICE(1), dma_device)->received_at);
    EXPECT_VALUES({received[0].write, 41}, {received[1].write, 42},
        {COUNTERS("device1", dma_device)->errors, cases[i].kind == FAILED},
        {BUS_COUNT(HSC, bytes), cases[i].kind == FAILED ? 0 : cases[i].bytes},
        {BUS_COUNT(HSC, busy_cycles), cases[i].cycles}, {BUS_COUNT(HSC, registers), 0});
  }
}

/* Lets a device request the bus. */
static void asks(uint32_t device, uint32_t kind, uint64_t addr, uint32_t bytes) {
  struct dma_device_now *now = device_now(OF(DEVICE(device), dma_device));
  now->state = DMA_DEVICE_STATE_WAIT, now->kind = kind, now->addr = addr, now->moving = bytes;
  call_hsc_request(ENGINE, DEVICE(device), DMA_DEVICE_PORT_HSC);
}

/*
 * A read of any kind takes an address cycle, a write an address cycle and one cycle per word, and an
 * interrupt is a write of one word. At the end the adapter receives the request with its slot; only writes
 * carry data.
 */
TEST(each_request_takes_its_cycles_and_reaches_the_adapter) {
  static const struct {
    uint32_t kind, state, bytes, cycles, reads, writes;
  } cases[] = {{HSC_KIND_READ, HSC_STATE_READ, 32, 1, 1, 0}, {HSC_KIND_SEMAPHORE, HSC_STATE_READ, 4, 1, 1, 0},
      {HSC_KIND_READ_LOCKED, HSC_STATE_READ, 4, 1, 1, 0}, {HSC_KIND_WRITE, HSC_STATE_WRITE, 32, 9, 0, 1},
      {HSC_KIND_WRITE, HSC_STATE_WRITE, 4, 2, 0, 1}, {HSC_KIND_WRITE_UNLOCK, HSC_STATE_WRITE, 8, 3, 0, 1},
      {HSC_KIND_INTERRUPT, HSC_STATE_INTERRUPT, 4, 2, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    const struct io_adapter_requests *first = adapter_requests(ENGINE, CONTEXT_OF("adapter", io_adapter));
    uint32_t newest = 0;
    asks(2, cases[i].kind, 2 * PAGE, cases[i].bytes);
    until(1026 * NS);
    const struct hsc_now now = *HSC_NOW_OF(HSC);
    EXPECT_VALUES(
        {now.state, cases[i].state}, {now.slot, 2}, {now.until, (1025 + 25 * cases[i].cycles) * NS});
    newest = now.half_0;
    assert_int_equal(newest != 0, cases[i].writes);
    until(now.until - 1);
    assert_int_equal(adapter_now(ENGINE, CONTEXT_OF("adapter", io_adapter))->waiting, 0);
    until(now.until);
    EXPECT_VALUES({first->kind, cases[i].kind}, {first->slot, 2}, {first->bytes, cases[i].bytes},
        {first->addr, 2 * PAGE}, {first->half_0, newest},
        {first->half_1, cases[i].bytes == 32 ? now.half_1 : 0},
        {now.half_1 != 0, cases[i].writes && cases[i].bytes == 32}, {BUS_COUNT(HSC, reads), cases[i].reads},
        {BUS_COUNT(HSC, writes), cases[i].writes});
    assert_int_equal(
        BUS_COUNT(HSC, bytes), cases[i].writes * cases[i].bytes); /* bytes of a read count when they arrive */
    assert_int_equal(BUS_COUNT(HSC, busy_cycles), cases[i].cycles);
    /* A write ends for its device when it has been sent; a read still waits for its data. */
    assert_int_equal(device_now(OF(DEVICE(2), dma_device))->state == DMA_DEVICE_STATE_WAIT, cases[i].reads);
  }
}

/* A device that has withdrawn its request is skipped, and the skipped grant does not change the round-robin
 * order. */
TEST(a_withdrawn_request_is_skipped) {
  quiet();
  hsc_slot_request(OF(HSC, hsc), 0);
  asks(1, HSC_KIND_READ, PAGE, 32);
  HSC_NOW_OF(HSC)->last = 7;
  until(1025 * NS);
  EXPECT_VALUES({HSC_NOW_OF(HSC)->slot, 1}, {HSC_NOW_OF(HSC)->requests, 0}, {HSC_NOW_OF(HSC)->last, 1});
  quiet();
  hsc_slot_request(OF(HSC, hsc), 1);
  session_run(); /* no events are recorded */
  assert_events(HSC, NULL, 0);
  assert_int_equal(HSC_NOW_OF(HSC)->last, 0);
  ENGINE->time = 2000 * NS;
  asks(1, HSC_KIND_READ, PAGE, 32);
  until(2000 * NS);
  assert_int_equal(HSC_NOW_OF(HSC)->state, HSC_STATE_READ); /* it may request the bus again */
}

/* Returns of the adapter have priority over devices' requests and keep their order. A device that requests
 * the bus meanwhile gets it after them: 2 cycles, 8, and 1. */
TEST(adapter_returns_have_priority) {
  quiet();
  asks(0, HSC_KIND_READ, PAGE, 32);
  returns(ADAPTER, (struct io_adapter_returns){.slot = 1, .kind = STORE, .bytes = 4, .half_0 = 5, .addr = 0});
  returns(ADAPTER,
      (struct io_adapter_returns){.slot = 2, .kind = DATA, .bytes = 32, .addr = 2 * PAGE, .memory = BASE});
  until(1300 * NS);
  EXPECT_EVENTS(HSC, STARTS(1025, REGISTER, 0, 1, 0), STARTS(1075, DATA, 2 * PAGE, 2, 0),
      STARTS(1275, READ, PAGE, 0, BECAUSE(DEVICE(2), DMA_DEVICE_EV_FINISHED)),
      ENDS(1300, BECAUSE(ADAPTER, IO_ADAPTER_EV_STATE)));
}

/* The adapter's only buffer is occupied. The device's wait is recorded once; it keeps its turn and gets the
 * bus when the buffer is free. */
TEST(a_device_waits_for_a_buffer_of_the_adapter) {
  hp(1, 3);
  PARAMS("adapter", io_adapter)->buffers = 1;
  hp_run();
  ENGINE->time = 1010 * NS, ENGINE->cause = 0;
  struct io_adapter_now *adapter = adapter_now(ENGINE, CONTEXT_OF("adapter", io_adapter));
  adapter->waiting = 1;
  asks(1, HSC_KIND_READ, PAGE, 32);
  session_run();
  EXPECT_EVENTS(HSC, {1025 * NS, HSC_EV_FULL, 0, 0, 1, 0});
  EXPECT_VALUES({BUS_COUNT(HSC, waits), 1}, {HSC_NOW_OF(HSC)->requests, 2});
  ENGINE->time = 2030 * NS, ENGINE->cause = 0;
  returns(ADAPTER, (struct io_adapter_returns){
                       .slot = 0, .kind = STORE, .bytes = 4, .addr = 0}); /* returns need no buffer */
  until(2110 * NS);
  assert_int_equal(BUS_COUNT(HSC, registers), 1);
  assert_int_equal(BUS_COUNT(HSC, waits), 2); /* arbitrated again after the return, still without a buffer */
  adapter->waiting = 0;
  hsc_adapter_request(OF(HSC, hsc), &(struct hsc_adapter_request){.returns = 0});
  until(2125 * NS);
  EXPECT_VALUES(
      {HSC_NOW_OF(HSC)->state, HSC_STATE_READ}, {HSC_NOW_OF(HSC)->slot, 1}, {BUS_COUNT(HSC, waits), 2});
}

/* Opens a bridge whose only entry for register accesses is occupied, at 1010 ns. */
static hsc_pci_access *one_place_taken(void) {
  machine("hsc-to-pci");
  PARAMS("bridge", hsc_pci)->accesses = 1;
  run_bridged();
  ENGINE->time = 1010 * NS, ENGINE->cause = 0;
  struct hsc_pci_state *bridge = SIM_STATE(ENGINE, BRIDGE_PART, hsc_pci);
  hsc_pci_view(ENGINE, bridge)->queued = 1;
  return hsc_pci_accesses(OF(BRIDGE_PART, hsc_pci));
}
static void place_is_free(void) { hsc_pci_view(ENGINE, SIM_STATE(ENGINE, BRIDGE_PART, hsc_pci))->queued = 0; }

/* The access takes 2 cycles from 1025 and finds the bridge's queue full at 1075. The bus polls every
 * 4 cycles, at 1175 and at 1275, when there is room. The stored value is unchanged. */
TEST(the_bus_waits_for_a_full_device) {
  const hsc_pci_access *access = one_place_taken();
  returns(ADAPTER_PART,
      (struct io_adapter_returns){.slot = 0, .kind = STORE, .bytes = 4, .half_0 = 0x77, .addr = 0x40});
  until(1080 * NS);
  assert_int_equal(HSC_NOW_OF(HSC_PART)->state, HSC_STATE_REGISTER); /* still on the bus */
  assert_int_equal(HSC_NOW_OF(HSC_PART)->until, 1175 * NS);
  until(1180 * NS);
  EXPECT_VALUES({HSC_NOW_OF(HSC_PART)->until, 1275 * NS}, {COUNT(registers), 0});
  place_is_free();
  until(1275 * NS);
  EXPECT_VALUES({COUNT(registers), 1}, {access->value, 0x77},
      {access->addr, SIM_PARAMS(ENGINE, BRIDGE_PART, hsc_pci)->registers + 0x40}, {access->state, 0},
      {BUS_COUNT(HSC_PART, registers), 1}, {BUS_COUNT(HSC_PART, busy_cycles), 2 + 4 + 4},
      {BUS_COUNT(HSC_PART, wait_cycles), 4 + 4});
  EXPECT_EVENTS(
      HSC_PART, STARTS(1025, REGISTER, 0x40, 0, 0), ENDS(1275, BECAUSE(BRIDGE_PART, HSC_PCI_EV_ACCESS)));
}

/*
 * The bridge has data to send while the bus waits for it; the data may be what occupies the entry. It goes
 * first, and the access is repeated in 2 cycles. The bridge posts 32 B in 9 cycles, from 1175 to 1400. At
 * 1450 there is room.
 */
TEST(posted_data_passes_a_waiting_access) {
  for (uint32_t reads = 0; reads < 2; reads++) {
    const hsc_pci_access *access = one_place_taken();
    returns(ADAPTER_PART, (struct io_adapter_returns){.slot = 0,
                              .kind = reads ? LOAD_KIND : STORE,
                              .bytes = 4,
                              .half_0 = 0x77,
                              .half_1 = 6,
                              .addr = 0x40});
    until(1080 * NS);
    uint32_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    hsc_pci_pci_target_take(
        OF(BRIDGE_PART, hsc_pci), &(struct pci_target_take){.address = AT, .bytes = 32, .writes = words});
    until(1176 * NS);
    EXPECT_VALUES({HSC_NOW_OF(HSC_PART)->state, HSC_STATE_WRITE}, {BUS_COUNT(HSC_PART, wait_cycles), 4});
    until(1401 * NS);
    EXPECT_VALUES({HSC_NOW_OF(HSC_PART)->state, HSC_STATE_REGISTER}, {HSC_NOW_OF(HSC_PART)->bytes, 4});
    place_is_free();
    until(1450 * NS);
    EXPECT_VALUES({COUNT(registers), 1}, {access->value, 0x77}, {access->tag, 6}, {access->state, reads});
    assert_int_equal(BUS_COUNT(HSC_PART, registers), 1); /* one access, however often it is repeated */
    assert_int_equal(BUS_COUNT(HSC_PART, busy_cycles), 2 + 4 + 9 + 2);
    assert_int_equal(HSC_STATE(HSC_PART)->again.state, HSC_STATE_IDLE);
  }
}

TEST(memory_that_runs_out_is_an_error) {
  hp(1, 2);
  assert_true(session_without_memory(hp_session()) > 10);
}

#define EMPTY_SLOT 5u

/* A load takes two cycles as well; its value goes to the read with the same tag. An empty slot returns all
 * ones, and a store to it is lost. */
TEST(a_load_returns_its_value_to_the_read_with_its_tag) {
  for (uint32_t slot = 2; slot <= EMPTY_SLOT; slot += EMPTY_SLOT - 2) {
    quiet();
    struct adapter_register_read *reads = SIM_STATE(ENGINE, ADAPTER, io_adapter)->read;
    SIM_STATE(ENGINE, ADAPTER, io_adapter)->reads = 2;
    reads[0] = (struct adapter_register_read){.tid = 3}, reads[1] = (struct adapter_register_read){.tid = 9};
    channel(2, 1)->status = 77;
    returns(ADAPTER, (struct io_adapter_returns){.slot = slot,
                         .kind = LOAD_KIND,
                         .bytes = 4,
                         .half_1 = 9,
                         .addr = CHANNEL_BYTES + CHANNEL_REG_STATUS});
    until(1074 * NS);
    assert_int_equal(reads[1].answered, 0);
    until(1075 * NS);
    EXPECT_VALUES(
        {reads[1].answered, 1}, {reads[1].value, slot == 2 ? 77 : UINT32_MAX}, {reads[0].answered, 0});
    if (slot == 2)
      EXPECT_EVENTS(HSC, STARTS(1025, REGISTER, 28, 2, 0), ENDS(1075, BECAUSE(HSC, HSC_EV_START)));
    else
      EXPECT_EVENTS(HSC, STARTS(1025, REGISTER, 28, EMPTY_SLOT, 0),
          {1075 * NS, HSC_EV_UNCLAIMED, 28, 0, EMPTY_SLOT, BECAUSE(HSC, HSC_EV_START)},
          ENDS(1075, BECAUSE(HSC, HSC_EV_UNCLAIMED)));
  }
  quiet();
  returns(ADAPTER,
      (struct io_adapter_returns){.slot = EMPTY_SLOT, .kind = STORE, .bytes = 4, .half_0 = 5, .addr = 0});
  session_run(); /* no reader waits for a store */
  EXPECT_EVENTS(HSC, STARTS(1025, REGISTER, 0, EMPTY_SLOT, 0),
      {1075 * NS, HSC_EV_UNCLAIMED, 0, 0, EMPTY_SLOT, BECAUSE(HSC, HSC_EV_START)},
      ENDS(1075, BECAUSE(HSC, HSC_EV_UNCLAIMED)));
}
