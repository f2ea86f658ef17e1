/* The services of the HP machine with an allocator that they have not heard of. */
#include "test/hp.h"

#define BUFFER (BASE + 2 * PAGE)

/* A page to a mapping, so the driver goes piece by piece; the device writes all of the buffer, and all is given back. */
TEST(a_buffer_is_moved_page_by_page) {
  static const uint64_t program[] = {ROW(DMA_IN, BUFFER + 64, WINDOW(0), 3 * PAGE, 4, 0, 0, 0), END};
  hp(1, 1);
  machine_with("services"), machine_with("pools");
  PARAMS("cache0", snoop_cache)->interrupt = 0xfff80000;
  PARAMS("memory", memory_controller)->written = 1;
  hp_does(0, PROGRAM(program));
  hp_run();
  const uint64_t time = PARAMS("pools", lifo)->time;
  const struct io_services_counters *c = COUNTERS("services", io_services);
  assert_int_equal(c->maps, 4);
  assert_int_equal(c->unmaps, 4);
  assert_int_equal(c->entries_live, 0);
  assert_int_equal(c->alloc_time, 4 * time);
  assert_int_equal(c->free_time, 4 * (time + PARAMS("cpu0", processor)->store_time));
  assert_int_equal(COUNTERS("pools", lifo)->taken, 0);
  assert_int_equal(COUNTERS("adapter", io_adapter)->faults, 0);
  assert_int_equal(COUNTERS("device0", dma_device)->bytes_written, 3 * PAGE);
  for (uint64_t half = BASE; half < BASE + PAGES * PAGE; half += HALF_BYTES) {
    uint32_t first = (uint32_t)((half - BASE) / HALF_BYTES) + 1;
    assert_int_equal(hp_cell(half).newest != first, half >= BUFFER + 64 && half < BUFFER + 64 + 3 * PAGE);
  }
}
