/* A device without DMA: its FIFO, its interrupts, and what a processor reads from it. */
#include "test/programs.h"

#define US 1000000ull
#define SERIAL part_named("serial")
#define GOT (COUNTERS("serial", pio_device))

static void serial(uint64_t characters, uint64_t trigger) {
  static const uint64_t idle[] = {END};
  machine("serial-line");
  machine_rows("cpu", 0, ROWS(idle));
  struct pio_device_params *q = PARAMS("serial", pio_device);
  q->interval = 10 * US, q->characters = characters, q->trigger = trigger, q->fifo = 4;
  machine_open();
  sim_record_trace(test_engine(), 1);
}
static uint32_t reads(uint64_t offset) {
  return pio_device_hsc_register(OF(SERIAL, pio_device), &(struct hsc_register){.offset = offset, .read = 1});
}

/* A character every 10 us: the first two make one interrupt, with the second; the fifth finds the FIFO full.
 */
TEST(it_interrupts_when_enough_characters_wait) {
  serial(5, 2);
  sim_run(test_engine(), 20 * US - 1, SIM_NEVER);
  EXPECT_VALUES({GOT->received, 1}, {GOT->interrupts, 0}, {reads(4), 1});
  session_run();
  EXPECT_VALUES({GOT->received, 5}, {GOT->interrupts, 1}, {GOT->lost, 1}, {reads(4), 4});
  EXPECT_EVENTS(SERIAL, {10 * US, PIO_DEVICE_EV_RECEIVED, 1, 1, 0, ANY_CAUSE},
      {10 * US, PIO_DEVICE_EV_STATE, 0, PIO_DEVICE_STATE_WAITING, 0, ANY_CAUSE},
      {20 * US, PIO_DEVICE_EV_RECEIVED, 2, 2, 0, ANY_CAUSE},
      {30 * US, PIO_DEVICE_EV_RECEIVED, 3, 3, 0, ANY_CAUSE},
      {40 * US, PIO_DEVICE_EV_RECEIVED, 4, 4, 0, ANY_CAUSE},
      {40 * US, PIO_DEVICE_EV_STATE, 0, PIO_DEVICE_STATE_FULL, 0, ANY_CAUSE},
      {50 * US, PIO_DEVICE_EV_LOST, 5, 0, 0, ANY_CAUSE});
}

/* Characters come out in the order in which they came, and room is free again; without any a read gives 0. */
TEST(characters_are_read_in_order) {
  serial(3, 1);
  session_run();
  for (uint32_t n = 1; n <= 3; n++) assert_int_equal(reads(0), n);
  EXPECT_VALUES({reads(0), 0}, {reads(4), 0}, {reads(8), 0}, {GOT->taken, 3}, {GOT->interrupts, 1});
}

/* Words stored to it go nowhere else: no memory is read or written, no translation is looked up. */
TEST(stores_reach_no_memory) {
  static const uint64_t draws[] = {ROW(REPEAT, 0, 0, 0, 0, 0, 8, 0),
      ROW(IO_STORE, 0, 0xf1000000, 4, 4, 0, 1, 0), ROW(AGAIN, 0, 0, 0, 0, 0, 0, 0), END};
  machine("serial-line");
  machine_rows("cpu", 0, ROWS(draws));
  machine_run();
  EXPECT_VALUES({GOT->stores, 8}, {COUNTERS("adapter", io_adapter)->lookups, 0},
      {COUNTERS("memory", memory_controller)->reads, 0}, {GOT->received, 0});
}
