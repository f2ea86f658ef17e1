/*
 * A network card, driven through its bus port: what it reads and where, how it resumes after a retry, and
 * when its packets leave. Packets of 1000 B with 66 B of overhead take 8528 ns on a wire of 1 Gb/s; the card
 * works 5 us on each.
 */
#include "test/ropes.h"

#define asked() rope_asked(2)
#define assert_wants(address, bytes, command) rope_wants(2, address, bytes, command)
#define COUNT(name) (COUNTERS("lan0", lan_card)->name)
#define NOW lan_card_view(ENGINE, SIM_CONTEXT(ENGINE, LAN_PART, lan_card))
#define RINGS_AT 0x200000ull
#define PACKETS_AT 0x40100000ull

/* The card alone: nothing is run, and requests to the bus are only observed. */
static void card(uint64_t command) {
  one_rope();
  PARAMS("peer0", peer)->blocks = 0;
  PARAMS("lan0", lan_card)->descriptors = RINGS_AT, PARAMS("lan0", lan_card)->buffers = PACKETS_AT,
                 PARAMS("lan0", lan_card)->ring = 3, PARAMS("lan0", lan_card)->bytes = 1000,
                 PARAMS("lan0", lan_card)->coalesce = 2, PARAMS("lan0", lan_card)->command = command;
  machine_run();
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}

static void bell(uint64_t packets) {
  lan_card_pci_target_take(ENGINE, SIM_CONTEXT(ENGINE, LAN_PART, lan_card),
      &(struct pci_target_take){.address = DOORBELL, .bytes = 4, .value = packets});
}

/* Moves bytes; returns how many more the card wants. */
static uint32_t moved(uint32_t bytes, uint32_t last) {
  return lan_card_pci_moved(
      ENGINE, SIM_CONTEXT(ENGINE, LAN_PART, lan_card), &(struct pci_moved){.bytes = bytes, .last = last});
}

TEST(a_packet_is_fetched_as_descriptor_and_then_data) {
  card(PCI_READ_KIND_READ_MULTIPLE);
  bell(1);
  EXPECT_VALUES({NOW->state, LAN_CARD_STATE_DESCRIPTOR}, {NOW->waiting, 0});
  assert_true(asked());
  assert_wants(RINGS_AT, 16, PCI_COMMAND_READ);
  ENGINE->time = 1100 * NS;
  assert_int_equal(moved(16, 1), 0);
  assert_true(asked());
  assert_int_equal(COUNT(reading), 100 * NS);
  assert_wants(PACKETS_AT, 1000, PCI_COMMAND_READ_MULTIPLE);
  ENGINE->time = 1400 * NS;
  assert_int_equal(moved(1000, 1), 0);
  assert_false(asked());
  assert_int_equal(COUNT(reading), 400 * NS);
  assert_events(LAN_PART,
      (const struct expected_event[]){{1000 * NS, LAN_CARD_EV_DOORBELL, 0, 1, 1, 0},
          {1000 * NS, LAN_CARD_EV_STATE, 0, LAN_CARD_STATE_DESCRIPTOR, 0,
              BECAUSE(LAN_PART, LAN_CARD_EV_DOORBELL)},
          {1100 * NS, LAN_CARD_EV_STATE, 0, LAN_CARD_STATE_DATA, 0, BECAUSE(LAN_PART, LAN_CARD_EV_STATE)},
          {1400 * NS, LAN_CARD_EV_STATE, 0, LAN_CARD_STATE_WORK, 0, BECAUSE(LAN_PART, LAN_CARD_EV_STATE)}},
      4);
  uint64_t time;
  test_message_for(LAN_PART, &time);
  assert_int_equal(time, 6400 * NS);
}

/* It resumes where it was broken off: it requests the bus again after a retry or at the end of a burst, but
 * not during the burst. */
TEST(reads_resume_where_they_were_broken_off) {
  card(PCI_READ_KIND_READ_MULTIPLE);
  bell(1), asked();
  assert_int_equal(moved(0, 0), 16);
  assert_true(asked());
  assert_int_equal(COUNT(retried), 1);
  assert_int_equal(moved(4, 1), 12);
  assert_true(asked());
  assert_int_equal(COUNT(broken), 1);
  assert_wants(RINGS_AT + 4, 12, PCI_COMMAND_READ);
  moved(12, 1), asked();
  assert_int_equal(moved(128, 0), 872);
  assert_false(asked());
  assert_int_equal(COUNT(broken), 1);
  assert_int_equal(moved(512, 1), 360);
  assert_true(asked());
  assert_wants(PACKETS_AT + 640, 360, PCI_COMMAND_READ_MULTIPLE);
  moved(104, 1);
  assert_wants(PACKETS_AT + 744, 256, PCI_COMMAND_READ_LINE); /* one whole line, from 768 to 896 */
  moved(152, 1);
  assert_wants(PACKETS_AT + 896, 104, PCI_COMMAND_READ);
  EXPECT_VALUES({COUNT(retried), 1}, {COUNT(broken), 4});
}

/* While the card is busy, the doorbell only adds to the waiting packets. */
TEST(the_doorbell_adds_packets) {
  card(PCI_READ_KIND_READ_MULTIPLE);
  bell(2), asked();
  ENGINE->cause = 0;
  bell(3);
  assert_false(asked());
  EXPECT_VALUES({COUNT(doorbells), 2}, {NOW->waiting, 4}, {NOW->state, LAN_CARD_STATE_DESCRIPTOR});
  assert_events(LAN_PART,
      (const struct expected_event[]){{1000 * NS, LAN_CARD_EV_DOORBELL, 0, 2, 2, 0},
          {1000 * NS, LAN_CARD_EV_STATE, 0, LAN_CARD_STATE_DESCRIPTOR, 0,
              BECAUSE(LAN_PART, LAN_CARD_EV_DOORBELL)},
          {1000 * NS, LAN_CARD_EV_DOORBELL, 0, 3, 4, 0}},
      3);
}

TEST(its_4_kib_of_registers_read_as_packets_sent) {
  card(PCI_READ_KIND_READ_MULTIPLE);
  struct pci_claim window = {.which = 0};
  assert_int_equal(lan_card_pci_claim(ENGINE, SIM_CONTEXT(ENGINE, LAN_PART, lan_card), &window), 1);
  EXPECT_VALUES({window.base, DOORBELL}, {window.length, 4096});
  window.which = 1;
  assert_int_equal(lan_card_pci_claim(ENGINE, SIM_CONTEXT(ENGINE, LAN_PART, lan_card), &window), 0);
  for (uint32_t bytes = 4; bytes <= 12; bytes += 4) {
    struct pci_begin begin = {.address = DOORBELL, .bytes = bytes};
    assert_int_equal(
        lan_card_pci_begin(ENGINE, SIM_CONTEXT(ENGINE, LAN_PART, lan_card), &begin), bytes < 8 ? bytes : 8);
    assert_int_equal(begin.ready, 1000 * NS);
  }
  COUNT(packets) = 17;
  struct pci_target_give give = {.address = DOORBELL, .bytes = 4};
  lan_card_pci_target_give(ENGINE, SIM_CONTEXT(ENGINE, LAN_PART, lan_card), &give);
  assert_int_equal(give.value, 17);
}

/* The card's next message to itself, of this kind, is due at this time; handles it. */
static void comes(uint32_t kind, uint64_t at) {
  uint64_t time = 0;
  uint32_t n = 0;
  const sim_msg *q;
  for (;; n++) {
    q = test_pending(n, &time);
    if (q->to == LAN_PART && q->kind == kind) break;
  }
  assert_int_equal(time, at * NS);
  const sim_msg message = *q;
  sim_cancel(ENGINE, (uint32_t)(q - slots(ENGINE)));
  ENGINE->time = time, ENGINE->cause = 0;
  lan_card_self(ENGINE, SIM_CONTEXT(ENGINE, LAN_PART, lan_card), &message);
}

/* Interrupts after the second and the fourth of five packets, on line 2 of the adapter, where the card is
 * wired. A packet counts when its last bit has left; the card reads the next one meanwhile. */
TEST(a_packet_counts_when_its_last_bit_has_left) {
  card(PCI_READ_KIND_READ_MULTIPLE);
  bell(5);
  for (uint32_t packet = 1; packet <= 5; packet++) {
    uint64_t worked = ENGINE->time / NS + 5000;
    uint32_t raised = 0;
    moved(16, 1), moved(1000, 1);
    comes(LAN_CARD_WORKED, worked);
    assert_int_equal(COUNT(packets), packet - 1);
    assert_int_equal(NOW->state, packet < 5 ? LAN_CARD_STATE_DESCRIPTOR : LAN_CARD_STATE_IDLE);
    comes(LAN_CARD_LEFT, worked + 8528);
    EXPECT_VALUES(
        {COUNT(packets), packet}, {COUNT(bytes), packet * 1000}, {COUNT(last_end), (worked + 8528) * NS});
    uint64_t time;
    for (uint32_t i = 0; i < ENGINE->pending; i++) raised += test_pending(i, &time)->to == LBA_PART;
    assert_int_equal(raised, packet / 2);
    if (raised) assert_int_equal(test_message_for(LBA_PART, &time)->port, LBA_PORT_IRQ + 2);
  }
}

/* Two packets in a row: the second has been worked on long before the wire is free for it. */
TEST(a_packet_waits_for_the_wire) {
  card(PCI_READ_KIND_READ_MULTIPLE);
  bell(2);
  moved(16, 1), moved(1000, 1);
  comes(LAN_CARD_WORKED, 6000);
  moved(16, 1), moved(1000, 1);
  comes(LAN_CARD_LEFT, 6000 + 8528);
  comes(LAN_CARD_WORKED, 6000 + 8528);
  comes(LAN_CARD_LEFT, 6000 + 2 * 8528);
  assert_int_equal(COUNT(bytes), 2000);
}

/*
 * A packet of 8 KiB arrives from the wire every 66064 ns. There are two host buffers, and card memory for
 * two packets. The first packet is written at once and takes 5 us of work; then the host has it, spends 80
 * us on each packet, and returns its buffer. While the second waits for the bus the third arrives, and the
 * fourth and fifth find no room. The second is written at last at 327 us, then the third, to the buffer that
 * was returned at 151064 ns. For the sixth no buffer is returned until 412 us.
 */
#define WIRE 66064ull
TEST(received_packets_are_written_to_free_host_buffers) {
  one_rope();
  PARAMS("peer0", peer)->blocks = 0;
  PARAMS("lan0", lan_card)->descriptors = RINGS_AT, PARAMS("lan0", lan_card)->buffers = PACKETS_AT,
                 PARAMS("lan0", lan_card)->ring = 2, PARAMS("lan0", lan_card)->bytes = 8192,
                 PARAMS("lan0", lan_card)->coalesce = 2,
                 PARAMS("lan0", lan_card)->command = PCI_READ_KIND_READ_MULTIPLE;
  PARAMS("lan0", lan_card)->receives = 1, PARAMS("lan0", lan_card)->fifo = 16384,
                 PARAMS("lan0", lan_card)->host_time = 80000 * NS;
  machine_open();
  sim_record_trace(ENGINE, 1);
  assert_int_equal(NOW->waiting, 2);
  ENGINE->cause = 0;
  bell(5); /* the view shows no buffers */
  assert_int_equal(NOW->waiting, 2);
  assert_false(asked());
  comes(LAN_CARD_ARRIVAL, WIRE);
  assert_true(asked());
  assert_wants(RINGS_AT, 16, PCI_COMMAND_READ);
  moved(16, 1);
  assert_true(asked());
  assert_wants(PACKETS_AT, 8192, PCI_COMMAND_WRITE);
  moved(8192, 1);
  assert_false(asked());
  comes(LAN_CARD_WORKED, WIRE + 5000);
  EXPECT_VALUES({NOW->held, 0}, {NOW->waiting, 1});
  assert_false(asked());
  comes(LAN_CARD_ARRIVAL, 2 * WIRE);
  assert_true(asked());
  comes(LAN_CARD_LENT, 151064);
  assert_int_equal(NOW->waiting, 1);
  comes(LAN_CARD_ARRIVAL, 3 * WIRE);
  comes(LAN_CARD_ARRIVAL, 4 * WIRE);
  EXPECT_VALUES({NOW->held, 2}, {COUNT(dropped), 1});
  assert_false(asked());
  ENGINE->time = 327000 * NS, ENGINE->cause = 0;
  assert_wants(RINGS_AT + 16, 16, PCI_COMMAND_READ);
  moved(16, 1);
  assert_wants(PACKETS_AT + 16384, 8192, PCI_COMMAND_WRITE);
  moved(8192, 1), asked();
  comes(LAN_CARD_ARRIVAL, 5 * WIRE);
  assert_int_equal(COUNT(dropped), 2);
  uint32_t raised = 0;
  uint64_t time;
  for (uint32_t i = 0; i < ENGINE->pending; i++) raised += test_pending(i, &time)->to == LBA_PART;
  assert_int_equal(raised, 0);
  comes(LAN_CARD_WORKED, 332000);
  assert_int_equal(test_message_for(LBA_PART, &time)->port, LBA_PORT_IRQ + 2); /* of the second packet */
  assert_int_equal(time, 332000 * NS);
  assert_true(asked());
  assert_int_equal(NOW->waiting, 0);
  ENGINE->time = 340000 * NS, ENGINE->cause = 0;
  moved(16, 1), moved(8192, 1), asked();
  comes(LAN_CARD_WORKED, 345000);
  assert_int_equal(NOW->held, 0);
  comes(LAN_CARD_ARRIVAL, 6 * WIRE);
  assert_false(asked());
  assert_int_equal(NOW->held, 1);
  comes(LAN_CARD_LENT, 412000);
  assert_true(asked());
  assert_int_equal(NOW->waiting, 0);
  assert_wants(RINGS_AT + 16, 16, PCI_COMMAND_READ); /* the fourth packet to be written */
  comes(LAN_CARD_ARRIVAL, 7 * WIRE);
  comes(LAN_CARD_LENT, 492000); /* after the one before */
  EXPECT_VALUES({COUNT(packets), 3}, {COUNT(bytes), 3 * 8192}, {COUNT(last_end), 345000 * NS});
#define EVENT(time, name, a, b, c, why) {(time) * NS, LAN_CARD_EV_##name, a, b, c, why}
#define AFTER(name) BECAUSE(LAN_PART, LAN_CARD_EV_##name)
#define IN_STATE(time, packet, state, why) EVENT(time, STATE, packet, LAN_CARD_STATE_##state, 0, why)
  EXPECT_EVENTS(LAN_PART, EVENT(0, DOORBELL, 0, 5, 2, 0), IN_STATE(0, 0, IDLE, AFTER(DOORBELL)),
      IN_STATE(WIRE, 0, DESCRIPTOR, 0), IN_STATE(WIRE, 0, DATA, AFTER(STATE)),
      IN_STATE(WIRE, 0, WORK, AFTER(STATE)), EVENT(WIRE + 5000, RECEIVED, 0, 8192, 0, 0),
      IN_STATE(WIRE + 5000, 1, IDLE, AFTER(RECEIVED)), IN_STATE(2 * WIRE, 1, DESCRIPTOR, 0),
      EVENT(4 * WIRE, DROPPED, 0, 8192, 0, 0), IN_STATE(327000, 1, DATA, 0),
      IN_STATE(327000, 1, WORK, AFTER(STATE)), EVENT(5 * WIRE, DROPPED, 0, 8192, 0, 0),
      EVENT(332000, RECEIVED, 1, 8192, 0, 0), IN_STATE(332000, 2, DESCRIPTOR, AFTER(RECEIVED)),
      IN_STATE(340000, 2, DATA, 0), IN_STATE(340000, 2, WORK, AFTER(STATE)),
      EVENT(345000, RECEIVED, 2, 8192, 0, 0), IN_STATE(345000, 3, IDLE, AFTER(RECEIVED)),
      IN_STATE(6 * WIRE, 3, IDLE, 0), IN_STATE(412000, 3, DESCRIPTOR, 0));
}

/* Buffers are 2 KiB apart, or 16 KiB for packets of more than 2 KiB. */
TEST(large_packets_have_large_buffers) {
  for (uint32_t bytes = 2047; bytes <= 2049; bytes++) {
    card(PCI_READ_KIND_READ_MULTIPLE);
    ((struct lan_card_params *)SIM_PARAMS(ENGINE, LAN_PART, lan_card))->bytes = bytes;
    NOW->state = LAN_CARD_STATE_DATA, NOW->packet = 5, NOW->moved = 64; /* the last of three buffers */
    NOW->size = bytes;
    assert_wants(PACKETS_AT + 2 * (bytes > 2048 ? 16384 : 2048) + 64, bytes - 64, PCI_COMMAND_READ_MULTIPLE);
  }
}
