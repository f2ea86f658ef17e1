/* The GT card's driver by hand: what each call costs, who owns the engines meanwhile, and what its library leaves to the processor. */
#include "host/gt_round_machine.h"

#define COUNT(name) (GT_COUNTERS(DRIVER, gt_driver)->name)
#define CPU_COUNT(name) (GT_COUNTERS(CPU, processor)->name)
#define SAYS(name, a, b) {ANY_TIME, GT_DRIVER_EV_##name, a, b, 0, ANY_CAUSE}
#define CALLS_OF(op, from, to, bytes) ROW(op, from, to, bytes, 0, 0, 0)

static const struct gt_driver_calls *calls(void) { return by_at(test_engine(), BY_STATE(test_engine(), DRIVER, gt_driver)->calls_at); }
static const struct gt_driver_transfers *transfers(void) { return by_at(test_engine(), BY_STATE(test_engine(), DRIVER, gt_driver)->transfers_at); }
static const struct gt_driver_engines *owners(void) { return by_at(test_engine(), BY_STATE(test_engine(), DRIVER, gt_driver)->engines_at); }

/* API 10 us in and 3 out, set-up 20; bookkeeping 40 for a write and 50 for a read; a poll every 100. Stores of 5 ns find room. */
static struct gt_machine whole_times(void) {
  struct gt_machine g = round_numbers();
  g.bridge.posts = 8;
  g.driver.api_time = 10 * US, g.driver.return_time = 3 * US, g.driver.setup_time = 20 * US;
  g.driver.finish_write = 40 * US, g.driver.finish_read = 50 * US, g.driver.poll_interval = 100 * US;
  g.driver.poll_write = g.driver.poll_read = 64;
  return g;
}

/*
 * Three registers are stored to, 15 ns. Up to 64 B the card is not done at the first look and is at the second, 100 us later; a word more and
 * the thread sleeps until the interrupt, one switch. The bookkeeping is the same either way.
 */
static void each_call_takes_its_times(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t read = i & 1, longer = i >> 1, bytes = 64 + 4 * longer;
    struct gt_machine g = whole_times();
    const uint64_t writes[] = {CALLS_OF(DMA_WRITE, HOST, CARD_BASE, bytes), END_ROW}, reads[] = {CALLS_OF(DMA_READ, CARD_BASE, HOST, bytes), END_ROW};
    opened(&g, read ? reads : writes, sizeof writes / 8);
    run_out();
    assert_int_equal(CPU_COUNT(in_api), (10 + 3) * US);
    assert_int_equal(CPU_COUNT(in_driver), 20 * US + 3 * 5 * NS);
    assert_int_equal(CPU_COUNT(in_finish), (read ? 50 : 40) * US);
    assert_int_equal(CPU_COUNT(stores), 0); /* those are a program's own */
    assert_int_equal(CPU_COUNT(interrupts), longer);
    assert_int_equal(CPU_COUNT(switches), longer);
    assert_int_equal(COUNT(polled), !longer);
    assert_int_equal(COUNT(polls), longer ? 0 : 2);
    assert_int_equal(COUNT(blocked), longer);
    assert_int_equal(COUNT(writes), !read);
    assert_int_equal(COUNT(reads), read);
    assert_int_equal(COUNT(queued), 0);
    if (longer) assert_int_equal(CPU_COUNT(in_poll), 0);
    else assert_in_range(CPU_COUNT(in_poll), 100 * US, 102 * US); /* and two loads over an idle bus */
    TELLS(DRIVER, SAYS(CALL, bytes, 0), SAYS(DOORBELL, bytes, 0), SAYS(RETURN, bytes, 0));
    assert_int_equal(calls()[0].step, GT_DRIVER_STEP_DONE);
    assert_int_equal(transfers()[0].step, GT_DRIVER_TRANSFER_BEGIN);
    for (uint32_t engine = 0; engine < 2; engine++) assert_int_equal(owners()[engine].owner, 0);
  }
}

/*
 * Thread 0 has the engine that writes and thread 1 the one that reads; thread 2 wants to write as well and waits for thread 0. While all three are
 * under way it is seen who has what; the doorbell of thread 2 comes when thread 0 is done.
 */
static void each_engine_has_its_owner_and_who_waits(void **state) {
  (void)state;
  struct gt_machine g = whole_times();
  g.driver.api_time = g.driver.setup_time = g.driver.finish_write = g.driver.finish_read = US, g.driver.poll_write = g.driver.poll_read = 0, g.card.tracked = 0;
  static const uint64_t program[] = {CALLS_OF(DMA_WRITE, HOST, CARD_BASE, 16000), END_ROW, ROW(THREAD, 0, 0, 0, 0, 0, 0), CALLS_OF(DMA_READ, CARD_BASE + 65536, HOST + 65536, 12000), END_ROW,
                                     ROW(THREAD, 0, 0, 0, 0, 0, 0), CALLS_OF(DMA_WRITE, HOST + 8, CARD_BASE + 12, 512), END_ROW};
  OPEN(g, program);
  while (COUNT(queued) == 0) by_run(test_engine(), BY_NEVER, test_engine()->events + 1);
  static const struct gt_driver_engines taken[] = {{.owner = 1, .waiting = 1u << 2}, {.owner = 2}};
  assert_memory_equal(owners(), taken, sizeof taken);
  static const struct { uint64_t host, card, bytes; uint32_t engine, step; } under_way[] = {
      {HOST, CARD_BASE, 16000, 0, GT_DRIVER_TRANSFER_INTERRUPT}, {HOST + 65536, CARD_BASE + 65536, 12000, 1, GT_DRIVER_TRANSFER_INTERRUPT}, {HOST + 8, CARD_BASE + 12, 512, 0, GT_DRIVER_TRANSFER_QUEUED}};
  for (uint32_t thread = 0; thread < 3; thread++) {
    const struct gt_driver_transfers *t = &transfers()[thread];
    assert_int_equal(t->host, under_way[thread].host);
    assert_int_equal(t->card, under_way[thread].card);
    assert_int_equal(t->bytes, under_way[thread].bytes);
    assert_int_equal(t->engine, under_way[thread].engine);
    assert_int_equal(t->step, under_way[thread].step);
    assert_int_equal(t->polls, 0);
    assert_int_equal(calls()[thread].step, GT_DRIVER_STEP_TRANSFER);
    assert_int_equal(calls()[thread].op, thread == 1 ? PROCESSOR_OP_DMA_READ : PROCESSOR_OP_DMA_WRITE);
  }
  run_out();
  TELLS(DRIVER, SAYS(CALL, 16000, 0), SAYS(DOORBELL, 16000, 0), SAYS(CALL, 12000, 1), SAYS(DOORBELL, 12000, 0), SAYS(CALL, 512, 2), SAYS(QUEUE, 0, 2), SAYS(RETURN, 12000, 1), SAYS(RETURN, 16000, 0), SAYS(DOORBELL, 512, 0),
        SAYS(RETURN, 512, 2));
  assert_int_equal(COUNT(writes), 2);
  assert_int_equal(COUNT(reads), 1);
  assert_int_equal(COUNT(queued), 1);
  assert_int_equal(GT_COUNTERS(CARD, gt)->dma_write_bytes, 16512);
  assert_int_equal(GT_COUNTERS(CARD, gt)->dma_read_bytes, 12000);
  static const struct gt_driver_engines nobody[2] = {0};
  assert_memory_equal(owners(), nobody, sizeof nobody);
}

/* The library moves by DMA from its threshold on, which is another for reads; what is shorter the processor moves word by word, and the call is over for the driver. */
static void the_library_has_a_threshold_for_each_way(void **state) {
  (void)state;
  for (uint32_t read = 0; read < 2; read++)
    for (uint32_t longer = 0; longer < 2; longer++) {
      struct gt_machine g = whole_times();
      g.driver.write_threshold = 64, g.driver.read_threshold = 128;
      const uint32_t bytes = (read ? 128 : 64) - 4 + 4 * longer;
      const uint64_t writes[] = {CALLS_OF(WRITE_DATA, HOST, CARD_BASE, bytes), END_ROW}, reads[] = {CALLS_OF(READ_DATA, CARD_BASE, HOST, bytes), END_ROW};
      opened(&g, read ? reads : writes, sizeof writes / 8);
      run_out();
      const struct gt_counters *card = GT_COUNTERS(CARD, gt);
      assert_int_equal(card->dma_writes, longer && !read);
      assert_int_equal(card->dma_reads, longer && read);
      if (!longer) assert_int_equal(read ? card->pio_reads : card->pio_writes, bytes / 4);
      if (!longer) assert_int_equal(read ? card->pio_writes : card->pio_reads, 0);
      assert_int_equal(calls()[0].step, GT_DRIVER_STEP_DONE);
      assert_int_equal(calls()[0].op, longer ? read ? PROCESSOR_OP_DMA_READ : PROCESSOR_OP_DMA_WRITE : read ? PROCESSOR_OP_READ_DATA : PROCESSOR_OP_WRITE_DATA);
      assert_int_equal(CPU_COUNT(in_api), longer ? 13 * US : 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_call_takes_its_times),
      cmocka_unit_test(each_engine_has_its_owner_and_who_waits),
      cmocka_unit_test(the_library_has_a_threshold_for_each_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
