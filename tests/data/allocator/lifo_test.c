/* The services of the HP machine with an allocator that they have not heard of. */
#include "test/hp_machine.h"

#define BUFFER (BASE + 2 * PAGE)

static const struct lifo_params params = LIFO_DEFAULTS;
static struct hp_machine lent(void) {
  struct hp_machine g = hp_machine_defaults(1, 1);
  g.serves = g.borrows = 1;
  g.lender = (struct hp_lender){SIM_TYPE_LIFO, LIFO_PORT_LENDS, (const uint64_t *)&params, sizeof params / 8};
  g.cache.interrupt = 0xfff80000;
  g.memory.written = 1;
  return g;
}

/* A page to a mapping, so the driver goes piece by piece; the device writes all of the buffer, and all is given back. */
static void a_buffer_is_moved_page_by_page(void **state) {
  (void)state;
  static const uint64_t program[] = {ROW(DMA_IN, BUFFER + 64, WINDOW(0), 3 * PAGE, 4, 0, 0, 0), END};
  struct hp_machine g = lent();
  g.program[0] = PROGRAM(program);
  hp_run(&g);
  const struct io_services_counters *c = HP_COUNTERS(SERVICES(&g), io_services);
  assert_int_equal(c->maps, 4);
  assert_int_equal(c->unmaps, 4);
  assert_int_equal(c->entries_live, 0);
  assert_int_equal(c->alloc_time, 4 * params.time);
  assert_int_equal(c->free_time, 4 * (params.time + g.cpu.store_time));
  assert_int_equal(HP_COUNTERS(LENDER(&g), lifo)->taken, 0);
  assert_int_equal(HP_COUNTERS(ADAPTER(&g), io_adapter)->faults, 0);
  assert_int_equal(HP_COUNTERS(DEVICE(&g, 0), dma_device)->bytes_written, 3 * PAGE);
  for (uint64_t half = BASE; half < BASE + PAGES * PAGE; half += HALF_BYTES) {
    uint32_t first = (uint32_t)((half - BASE) / HALF_BYTES) + 1;
    assert_int_equal(hp_cell(half).newest != first, half >= BUFFER + 64 && half < BUFFER + 64 + 3 * PAGE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_buffer_is_moved_page_by_page)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
