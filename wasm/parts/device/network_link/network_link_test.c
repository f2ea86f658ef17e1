/*
 * Frames between two cards on HSC: when they arrive, in which order, and what holds them back. The link
 * carries 10 MB/s here, 100 ns a byte, and adds 28 B to each frame.
 */
#include "test/hp.h"

#define NS 1000ull
#define US 1000000ull
#define BYTE (100 * NS)
#define OVERHEAD 28u
#define LINK part_named("link")
#define CARRIED (COUNTERS("link", network_link))

static void cards(void) {
  static const uint64_t idle[] = {END}, empty[] = {DEVICE_ROW(END, 0, 4, 0, 1)};
  machine("linked-cards");
  machine_rows("cpu0", 0, ROWS(idle));
  machine_rows("device0", 0, ROWS(empty));
  machine_rows("device1", 0, ROWS(empty));
  PARAMS("link", network_link)->rate = 10000000;
}

static void cards_open(void) {
  machine_open();
  sim_record_trace(test_engine(), 1);
  for (uint64_t page = 0; page < PAGES; page++) hp_map(page * PAGE, BASE + page * PAGE, 0);
}

static void command(uint32_t card, uint32_t channel, uint32_t page, uint32_t bytes, uint32_t command) {
  const uint32_t values[] = {page * (uint32_t)PAGE, bytes, command};
  for (uint32_t i = 0; i < 3; i++)
    dma_device_hsc_register(OF(DEVICE(card), dma_device),
        &(struct hsc_register){.offset = channel * 16 + i * 4, .value = values[i]});
}
static uint32_t status(uint32_t card, uint32_t channel) {
  return dma_device_hsc_register(
      OF(DEVICE(card), dma_device), &(struct hsc_register){.offset = channel * 16 + 12, .read = 1});
}
static void until(uint64_t time) { sim_run(test_engine(), time, SIM_NEVER); }
static uint64_t time_of(uint32_t event, const struct sim_record **from) {
  const struct sim_record *found = record_following(LINK, event, *from);
  assert_non_null(found);
  *from = found;
  return found->time;
}

/* The receiver waits for the frame; it is on the link for the time of its bytes and arrives after the delay.
   Nothing is written before its last bit has come. */
TEST(a_frame_arrives_with_its_last_bit) {
  cards();
  PARAMS("link", network_link)->delay = 5 * US;
  cards_open();
  const struct sim_record *sent = NULL, *arrived = NULL;
  command(1, 0, 1, 64, DMA_DEVICE_COMMAND_IN);
  until(20 * US);
  assert_int_equal(COUNTERS("device1", dma_device)->writes, 0);
  command(0, 0, 0, 64, DMA_DEVICE_COMMAND_OUT);
  session_run();
  uint64_t left = time_of(NETWORK_LINK_EV_SENT, &sent), came = time_of(NETWORK_LINK_EV_ARRIVED, &arrived);
  assert_int_equal(came - left, (64 + OVERHEAD) * BYTE + 5 * US);
  const struct sim_record *written = record_following(DEVICE(1), DMA_DEVICE_EV_WRITE, NULL);
  assert_true(written && written->time >= came);
  EXPECT_VALUES({CARRIED->frames, 1}, {CARRIED->bytes, 64}, {CARRIED->busy, (64 + OVERHEAD) * BYTE},
      {COUNTERS("device1", dma_device)->bytes_written, 64}, {status(1, 0), 1});
}

/* Frames leave one after another; each direction has the link for itself. */
TEST(frames_of_one_direction_leave_in_turn) {
  cards();
  cards_open();
  for (uint32_t channel = 0; channel < 2; channel++) {
    command(1, channel, 1 + channel, 256, DMA_DEVICE_COMMAND_IN);
    command(0, channel, 0, 256, DMA_DEVICE_COMMAND_OUT);
  }
  command(0, 2, 3, 256, DMA_DEVICE_COMMAND_IN);
  command(1, 2, 4, 256, DMA_DEVICE_COMMAND_OUT);
  session_run();
  const struct sim_record *at = NULL;
  uint64_t first[2] = {0}, second = 0;
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t time = time_of(NETWORK_LINK_EV_ARRIVED, &at);
    if (first[at->b]) second = time;
    else first[at->b] = time;
  }
  assert_int_equal(second - first[1], (256 + OVERHEAD) * BYTE);
  assert_true(first[0] < second);
  assert_int_equal(CARRIED->frames, 3);
}

/* A frame that is shorter than the buffer ends the transfer; one that is longer is cut off. */
TEST(a_frame_ends_its_transfer) {
  cards();
  cards_open();
  command(1, 0, 1, 1024, DMA_DEVICE_COMMAND_IN);
  command(1, 1, 2, 32, DMA_DEVICE_COMMAND_IN);
  command(0, 0, 0, 96, DMA_DEVICE_COMMAND_OUT);
  command(0, 1, 0, 96, DMA_DEVICE_COMMAND_OUT);
  session_run();
  EXPECT_VALUES({status(1, 0), 1}, {status(1, 1), 1},
      {COUNTERS("device1", dma_device)->bytes_written, 96 + 32}, {CARRIED->bytes, 2 * 96});
}

/* A card reads a frame only if the other has a free buffer; when that takes one, the next is read. */
TEST(a_card_waits_for_a_free_buffer) {
  cards();
  PARAMS("link", network_link)->buffers = 2;
  cards_open();
  for (uint32_t channel = 0; channel < 4; channel++) command(0, channel, 0, 64, DMA_DEVICE_COMMAND_OUT);
  session_run();
  EXPECT_VALUES({COUNTERS("device0", dma_device)->bytes_read, 2 * 64}, {CARRIED->frames, 2});
  command(1, 0, 1, 64, DMA_DEVICE_COMMAND_IN);
  session_run();
  EXPECT_VALUES({COUNTERS("device0", dma_device)->bytes_read, 3 * 64}, {CARRIED->frames, 3});
  for (uint32_t channel = 1; channel < 4; channel++) command(1, channel, 1, 64, DMA_DEVICE_COMMAND_IN);
  session_run();
  EXPECT_VALUES({CARRIED->frames, 4}, {COUNTERS("device1", dma_device)->bytes_written, 4 * 64});
}

/* A channel whose command is replaced under way sends nothing that it has not reserved a buffer for. */
TEST(a_replaced_command_sends_no_frame) {
  cards();
  cards_open();
  command(0, 0, 1, 64, DMA_DEVICE_COMMAND_OUT);
  until(1 * NS);
  command(0, 0, 1, 32, DMA_DEVICE_COMMAND_IN);
  command(1, 0, 0, 64, DMA_DEVICE_COMMAND_OUT);
  session_run();
  assert_int_equal(status(0, 0), 1);
  assert_true(CARRIED->frames <= 1);
}
