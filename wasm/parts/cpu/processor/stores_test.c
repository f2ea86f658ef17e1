/* A processor's stores to a device while the bridge's posting buffer is full, and interrupts that arrive
 * while the processor cannot take them. */
#include "test/gt_round.h"

#define COUNT(name) (COUNTERS("cpu", processor)->name)

static const gt_engine *engine_of(uint32_t engine) {
  return gt_engine_of(test_engine(), CONTEXT_OF("gt", gt), engine);
}

/*
 * Fills the bridge's posting buffer with stores to the end of the card's memory, as another processor might.
 */
static void take_all_places(void) {
  struct front_post other = {.address = CARD_BASE + 32768, .bytes = 4, .write = 500};
  do other.address += 4;
  while (call_front_post(test_engine(), CPU, PROCESSOR_PORT_FRONT, &other) > 1);
  assert_int_equal(call_front_post(test_engine(), CPU, PROCESSOR_PORT_FRONT, &other), 0);
}

/* Two halfword stores and a register store find the buffer full. Each is posted unchanged once there is a
 * free entry. */
TEST(a_stalled_store_is_posted_later_unchanged) {
  static const uint64_t words[] = {ROW(PIO_WRITE, HOST, CARD_BASE + 64, 12, 0, 0, 0), END_ROW},
                        store[] = {ROW(IO_STORE, 0, REGISTERS + 8, 4, 0, 0x12345678, 0), END_ROW};
  for (uint32_t device = 0; device < 2; device++) {
    round_numbers();
    if (device) OPEN(store);
    else OPEN(words);
    take_all_places();
    session_run();
    const struct shadow_word *cells = shadow_word(test_engine(), &STATE_OF("gt", gt)->shadow, CARD_BASE);
    for (uint32_t i = 0; i < 32; i++)
      assert_int_equal(cells[i].write, !device && i >= 16 && i < 19 ? i - 15 : 0);
    assert_int_equal(engine_of(0)->card, device ? 0x12345678 : 0);
    assert_int_equal(COUNTERS("gt", gt)->pio_writes, 2 + (device ? 1 : 3)); /* two entries were taken */
    assert_int_equal(COUNT(stores), device ? 1 : 3);
    assert_true(COUNT(in_stall) > 0);
  }
}

/* Two processors store 32 words each through a posting buffer of one entry, so that each of them stalls at
 * times. Every word of the card's memory is the one stored there. */
TEST(processors_that_share_one_entry_keep_their_stores_apart) {
  static const uint64_t programs[2][16] = {{ROW(PIO_WRITE, HOST, CARD_BASE, 128, 0, 0, 0), END_ROW},
      {ROW(PIO_WRITE, HOST + 4096, CARD_BASE + 4096, 128, 0, 0, 0), END_ROW}};
  round_numbers_of("gt-two-processors");
  *PARAMS("cpu1", processor) = *PARAMS("cpu", processor);
  PARAMS("bridge", bridge)->posts = 1;
  machine_rows("cpu", 0, ROWS(programs[0]));
  machine_rows("cpu1", 0, ROWS(programs[1]));
  machine_open();
  session_run();
  sim *m = test_engine();
  const struct shadow_word *cells = shadow_word(m, &STATE_OF("gt", gt)->shadow, CARD_BASE);
  const struct sim_record *ring = sim_at(m, sim_refresh_header(m)->trace_at);
  uint32_t stores = 0;
  for (uint32_t i = 0; i < sim_refresh_header(m)->seq_lo; i++) {
    if ((ring[i].part != CPU && ring[i].part != part_named("cpu1")) || ring[i].kind != PROCESSOR_EV_STORE)
      continue;
    assert_int_equal(cells[(ring[i].a - CARD_BASE) / 4].write, ring[i].c);
    stores++;
  }
  EXPECT_VALUES(
      {stores, 64}, {COUNTERS("cpu", processor)->stores, 32}, {COUNTERS("cpu1", processor)->stores, 32});
}
