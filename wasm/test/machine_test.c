/* Machines by name, as unit tests use them (test/testing.h). */
#include "test/programs.h"

/* A store is on the bus at once, and done after address, decode and a word. The processor spends 100 ns on
 * it. */
TEST(a_store_is_posted) {
  static const uint64_t program[] = {ROW(IO_STORE, 0, 0x80000000, 4, 4, 0, 0, 0), END};
  machine("gt-and-peer");
  PARAMS("cpu", processor)->store_time = 100000;
  PARAMS("bus", pci)->clock = 100000000;
  machine_rows("cpu", 0, ROWS(program));
  machine_run();
  assert_int_equal(COUNTERS("cpu", processor)->stores, 1);
  EXPECT_EVENTS(part_named("bus"), {0, PCI_EV_START, 0x80000000, PCI_COMMAND_WRITE, 0, ANY_CAUSE},
      {30000, PCI_EV_END, 0x80000000, 4, 0, ANY_CAUSE});
  assert_int_equal(test_engine()->time, 100000);
}

/* A part is removed together with its wires, and later parts are renumbered. */
TEST(a_part_is_removed_and_restored) {
  machine("gt-and-peer");
  const uint32_t ring = part_named("ring"), wires = machine_session()->words[7];
  machine_without("cache");
  assert_int_equal(part_named("ring"), ring - 1);
  assert_int_equal(machine_session()->words[7], wires - 1);
  machine_with("cache");
  assert_int_equal(part_named("ring"), ring);
  machine_run();
}
