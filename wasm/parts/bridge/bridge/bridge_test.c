/* Unit tests of the host bridge: posted stores and their order, notification of free entries, and reads and
 * writes by devices. */
#include "test/host_bridge.h"

static int asked(void) {
  struct pci_now *bus = pci_view(ENGINE, CONTEXT_OF("bus", pci));
  uint32_t asked = bus->requests & 1;
  bus->requests = 0;
  return (int)asked;
}

static void wants(uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_grant q = {0};
  assert_int_equal(bridge_pci_grant(OF(BRIDGE_PART, bridge), &q), 1);
  EXPECT_VALUES({q.address, address}, {q.bytes, bytes}, {q.command, command});
}
static void gives(uint64_t value) {
  uint32_t write = 0;
  struct pci_master_give q = {.bytes = 4, .writes = &write};
  bridge_pci_master_give(OF(BRIDGE_PART, bridge), &q);
  EXPECT_VALUES({q.value, value}, {write, value + 100});
}
static void moved(uint32_t bytes, uint32_t last) {
  assert_int_equal(
      bridge_pci_moved(OF(BRIDGE_PART, bridge), &(struct pci_moved){.bytes = bytes, .last = last}), 0);
}

/* The posting buffer has three entries. A post returns the number of free entries before it, or 0 if the
 * store is rejected. The bus is requested once for all posted stores. */
TEST(stores_are_posted_while_there_are_free_entries) {
  quiet("host-bridge");
  for (uint32_t left = 3; left > 0; left--) {
    assert_int_equal(posted(0x8000, left), left);
    assert_int_equal(asked(), left == 3);
    assert_int_equal(bridge_cpu_posted_count(OF(BRIDGE_PART, bridge), 2), 4 - left); /* for any processor */
  }
  assert_int_equal(posted(0x8000, 9), 0);
  EXPECT_VALUES({COUNT(posted), 3}, {COUNT(fullest), 3});
  EXPECT_EVENTS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_POSTING, 0, 0});
}

/* Stores leave in order, unchanged and with their own cause, while the ring of entries wraps many times. */
TEST(stores_leave_in_order) {
  quiet("host-bridge");
  posted(0x8000, 1);
  asked();
  for (uint32_t n = 1; n <= 20; n++) {
    ENGINE->cause = n + 1;
    assert_int_equal(posted(0x8000 + 4 * n, n + 1), 2);
    wants(0x8000 + 4 * (n - 1), 4, PCI_COMMAND_WRITE);
    assert_int_equal(ENGINE->cause, n > 1 ? n : 0);
    gives(n);
    assert_int_equal(asked(), 0);
    moved(4, 1);
    assert_int_equal(asked(), 1); /* the next store is already waiting */
    assert_int_equal(bridge_cpu_posted_count(OF(BRIDGE_PART, bridge), 0), 1);
  }
  ENGINE->cause = 0;
  moved(4, 1);
  assert_int_equal(asked(), 0);
  assert_int_equal(bridge_pci_grant(OF(BRIDGE_PART, bridge), &(struct pci_grant){0}), 0);
  assert_int_equal(COUNT(posted), 21);
  assert_int_equal(NOW->head, 21 % 7); /* three entries for stores, and one for each processor's read */
  assert_int_equal(COUNT(fullest), 2);
  EXPECT_EVENTS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_POSTING, 0, 0},
      {1000 * NS, BRIDGE_EV_LEVEL, 0, BRIDGE_STATE_EMPTY, 0, 0});
}

/* Full from 1300 to 1700, and again from 2000 to 2050; two of three entries is not full. */
TEST(the_time_with_a_full_buffer_is_added_up) {
  quiet("host-bridge");
  posted(0x8000, 1), at_time(1100 * NS), posted(0x8004, 2), at_time(1300 * NS), posted(0x8008, 3);
  assert_int_equal(COUNT(full_time), 0);
  at_time(1700 * NS), moved(4, 1);
  assert_int_equal(COUNT(full_time), 400 * NS);
  at_time(2000 * NS), posted(0x800c, 4);
  at_time(2050 * NS), moved(4, 1), at_time(2150 * NS), moved(4, 1);
  assert_int_equal(COUNT(full_time), 450 * NS);
}

/* A retried store remains the oldest. An unclaimed store is lost and frees its entry. */
TEST(a_store_is_retried_until_it_is_taken_or_unclaimed) {
  quiet("host-bridge");
  posted(0x8000, 1), posted(0x8004, 2);
  asked();
  moved(0, 0);
  assert_int_equal(asked(), 1);
  wants(0x8000, 4, PCI_COMMAND_WRITE);
  assert_int_equal(bridge_cpu_posted_count(OF(BRIDGE_PART, bridge), 0), 2);
  moved(0, 1);
  assert_int_equal(asked(), 1);
  wants(0x8004, 4, PCI_COMMAND_WRITE);
  assert_int_equal(bridge_cpu_posted_count(OF(BRIDGE_PART, bridge), 0), 1);
  moved(1, 1); /* a byte is a store, too */
  assert_int_equal(bridge_cpu_posted_count(OF(BRIDGE_PART, bridge), 0), 0);
}

static void assert_message(uint32_t nth, uint32_t to, uint32_t kind, uint64_t at) {
  uint64_t time;
  const sim_msg *q = test_pending(nth, &time);
  EXPECT_VALUES({q->to, to}, {q->kind, kind}, {time, at});
}

/* When a store leaves, every waiting processor is notified once, in the order of ports, but not before the
 * time that it specified. */
TEST(waiting_processors_are_notified_when_a_store_leaves) {
  quiet("host-bridge");
  for (uint32_t i = 0; i < 3; i++) posted(0x8000, i);
  assert_int_equal(ENGINE->pending, 1); /* the bus, which has been requested */
  bridge_cpu_notify_space(OF(BRIDGE_PART, bridge), 2, &(struct front_notify_space){.after = 1200 * NS});
  bridge_cpu_notify_space(OF(BRIDGE_PART, bridge), 0, &(struct front_notify_space){.after = 900 * NS});
  assert_int_equal(ENGINE->pending, 1);
  at_time(1100 * NS);
  moved(4, 1);
  assert_int_equal(ENGINE->pending, 3);
  assert_message(1, FIRST_CPU, FRONT_ROOM, 1100 * NS);
  assert_message(2, SECOND_CPU, FRONT_ROOM, 1200 * NS);
  moved(4, 1);
  assert_int_equal(ENGINE->pending, 3);
  bridge_cpu_notify_space(OF(BRIDGE_PART, bridge), 2,
      &(struct front_notify_space){.after = 1150 * NS}); /* there is room already */
  assert_int_equal(ENGINE->pending, 4);
  assert_message(2, SECOND_CPU, FRONT_ROOM, 1150 * NS);
}

/* A line arrives after 100 ns; a modified victim is written first, in 32 ns at 1 B/ns. */
TEST(a_modified_victim_is_written_before_the_line_is_read) {
  for (uint32_t dirty = 0; dirty < 2; dirty++) {
    quiet("host-bridge");
    bridge_cpu_fill(
        OF(BRIDGE_PART, bridge), 2, &(struct front_fill){.address = AT + 64, .bytes = LINE, .dirty = dirty});
    EXPECT_VALUES({MEMORY_COUNTS->bytes_written, dirty ? LINE : 0}, {MEMORY_COUNTS->bytes_read, LINE});
    uint64_t time;
    const sim_msg msg = *test_message_for(BRIDGE_PART, &time);
    assert_int_equal(time, (1000 + 32 * dirty + 100) * NS);
    bridge_self(OF(BRIDGE_PART, bridge), &msg);
    const sim_msg *q = test_message_for(SECOND_CPU, &time);
    EXPECT_VALUES({q->kind, FRONT_FILLED}, {q->addr, AT + 64}, {time, 1000 * NS}, {COUNT(reads), 0});
    EXPECT_EVENTS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_FILL, AT + 64, LINE, 0, 0});
  }
}

/* Observers read and set memory contents without taking time or being counted. */
TEST(observers_take_no_time) {
  quiet("host-bridge");
  uint32_t in[3] = {31, 32, 33}, out[3] = {0};
  peeked(AT + 64, in, 3, 1);
  peeked(AT + 64, out, 3, 0);
  assert_memory_equal(in, out, sizeof in);
  peeked(AT + 60, out, 3, 0);
  EXPECT_VALUES({out[0], 0}, {out[1], 31}, {MEMORY_COUNTS->reads + MEMORY_COUNTS->writes, 0});
}

/* Memory lies below 2 GiB, and the bridge claims nothing else. */
TEST(the_bridge_claims_the_lower_half_of_the_bus) {
  quiet("host-bridge");
  struct pci_claim first = {.which = 0, .base = 5}, second = {.which = 1};
  assert_int_equal(bridge_pci_claim(OF(BRIDGE_PART, bridge), &first), 1);
  EXPECT_VALUES({first.base, 0}, {first.length, 0x80000000});
  assert_int_equal(bridge_pci_claim(OF(BRIDGE_PART, bridge), &second), 0);
}

/* A device's read has its first data after 100 ns of memory and 20 ns of the bridge; a write is posted at
 * once. */
TEST(a_device_waits_for_read_data_but_not_for_writes) {
  quiet("host-bridge");
  uint32_t in[2] = {41, 42}, out[2] = {0};
  peeked(AT + 256, in, 2, 1);
  struct pci_begin read = begins(AT + 256, 64, PCI_COMMAND_READ_MULTIPLE);
  EXPECT_VALUES({read.bytes, 64}, {read.ready, (1000 + 100 + 20) * NS});
  given(AT + 256, out, 2);
  assert_memory_equal(in, out, sizeof in);
  given(AT + 260, out, 1);
  assert_int_equal(out[0], 42);
  assert_int_equal(MEMORY_COUNTS->bytes_read, 64); /* counted once, at the start of the read */
  assert_int_equal(begins(AT + 512, 8, PCI_COMMAND_WRITE).ready, 1000 * NS);
  EXPECT_VALUES({COUNT(device_reads), 64}, {COUNT(device_writes), 0});
  taken(AT + 512, in, 2);
  EXPECT_VALUES({COUNT(device_reads), 64}, {COUNT(device_writes), 8}, {MEMORY_COUNTS->bytes_written, 8});
  peeked(AT + 512, out, 2, 0);
  assert_memory_equal(in, out, sizeof in);
  assert_int_equal(COUNT(stopped) + COUNT(translation), 0);
}

TEST(memory_that_runs_out_is_an_error) {
  machine("host-bridge-translating");
  assert_true(session_without_memory(machine_session()) > 10);
}

static void reads(uint32_t cpu, uint64_t address, uint32_t bytes) {
  bridge_cpu_read(OF(BRIDGE_PART, bridge), cpu, &(struct front_read){.address = address, .bytes = bytes});
}

/* Delivers the next message, which arrives after the crossing, and checks whether the bridge then requests
 * the bus. */
static void crosses(int asks) {
  uint64_t time;
  const sim_msg msg = *test_message_for(BRIDGE_PART, &time);
  assert_int_equal(time, ENGINE->time + 40 * NS);
  asked();
  bridge_self(OF(BRIDGE_PART, bridge), &msg);
  assert_int_equal(asked(), asks);
}

/* An unclaimed read returns all ones; a retried read is the next transaction again. */
TEST(an_unclaimed_read_returns_all_ones) {
  quiet("host-bridge");
  reads(2, 0x9000, 4);
  crosses(1);
  posted(0x8000, 1);
  moved(0, 0);
  assert_int_equal(asked(), 1);
  wants(0x9000, 4, PCI_COMMAND_READ);
  moved(0, 1);
  uint64_t time;
  const sim_msg *q = test_message_for(SECOND_CPU, &time);
  EXPECT_VALUES({q->kind, FRONT_DATA}, {q->addr, UINT32_MAX}, {q->x, 0}, {time, 1040 * NS});
  wants(0x8000, 4, PCI_COMMAND_WRITE);
  assert_int_equal(
      bridge_cpu_posted_count(OF(BRIDGE_PART, bridge), 0), 1); /* the read does not count as a store */
}
