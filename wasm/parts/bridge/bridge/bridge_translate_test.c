/* The host bridge with an IOMMU: translated bursts of devices, and the registers of the IOMMU. */
#include "test/host_bridge.h"

#define DEVICE(page) (0x100000 + (page) * PAGE)

/* Maps pages from the table's sixth entry on to memory from its second page on. */
static void translating(uint32_t pages) {
  quiet("host-bridge-translating");
  iommu_map_set(OF(UNIT_PART, iommu),
      &(struct iommu_set){.entry = 5, .page = AT + PAGE, .entries = pages, .stride = 1});
}

/* A burst ends with its page of 4 KiB, since the next page may be anywhere, and takes 300 ns for a missing
 * entry. */
TEST(a_burst_ends_with_its_translated_page) {
  static const struct {
    uint32_t offset, bytes, taken;
  } cases[] = {{0, 4096, 4096}, {0, 8192, 4096}, {4092, 64, 4}, {64, 64, 64}, {4032, 64, 64}, {4032, 68, 64}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    translating(2);
    uint32_t in = 61, out = 0;
    struct pci_begin write = begins(DEVICE(5) + cases[i].offset, cases[i].bytes, PCI_COMMAND_WRITE);
    EXPECT_VALUES({write.bytes, cases[i].taken}, {write.ready, 1300 * NS});
    taken(DEVICE(5) + cases[i].offset + cases[i].taken - 4, &in, 1); /* the last word of the burst */
    peeked(AT + PAGE + cases[i].offset + cases[i].taken - 4, &out, 1, 0);
    assert_int_equal(out, 61);
    at_time(3000 * NS); /* memory has long been idle */
    struct pci_begin read = begins(DEVICE(5) + cases[i].offset, cases[i].bytes, PCI_COMMAND_READ);
    assert_int_equal(read.ready, (3000 + 100 + 20) * NS); /* the entry is cached */
    given(DEVICE(5) + cases[i].offset + cases[i].taken - 4, &out, 1);
    EXPECT_VALUES({out, 61}, {COUNT(translation), 300 * NS}, {COUNT(device_reads), cases[i].taken},
        {COUNT(stopped), 0});
  }
}

/* A burst without translation reads zeros, writes nothing and invalidates no line. A later burst with a
 * translation is unaffected. */
TEST(an_untranslated_burst_is_stopped) {
  translating(1);
  uint32_t words[2] = {0, 0}, in[2] = {71, 72};
  assert_int_equal(begins(DEVICE(6), 8, PCI_COMMAND_WRITE).bytes, 8);
  taken(DEVICE(6), in, 2);
  EXPECT_VALUES({COUNT(device_writes), 0}, {MEMORY_COUNTS->writes, 0});
  peeked(DEVICE(6), in, 2, 1); /* the device must not see memory at this address */
  begins(DEVICE(6), 8, PCI_COMMAND_READ);
  given(DEVICE(6), words, 2);
  EXPECT_VALUES({words[0] + words[1], 0}, {COUNT(stopped), 2});
  const uint32_t why = BECAUSE(UNIT_PART, IOMMU_EV_FAULT);
  EXPECT_EVENTS(BRIDGE_PART, {1000 * NS, BRIDGE_EV_STOPPED, DEVICE(6), 8, 0, why},
      {1000 * NS, BRIDGE_EV_STOPPED, DEVICE(6), 8, 0, why});
  EXPECT_EVENTS(UNIT_PART, {1000 * NS, IOMMU_EV_FAULT, DEVICE(6), 1, 0, 0},
      {1000 * NS, IOMMU_EV_FAULT, DEVICE(6), 0, 0, ANY_CAUSE});
  begins(DEVICE(5), 8, PCI_COMMAND_WRITE);
  taken(DEVICE(5), in, 2);
  EXPECT_VALUES({COUNT(device_writes), 8}, {COUNT(stopped), 2});
}

/* The IOMMU still caches the former page. Writes overwrite data of others, and reads return it. The intended
 * page is known if the entry was remapped, unknown if it was cleared. */
TEST(accesses_through_a_stale_translation_are_recorded) {
  for (uint32_t mapped = 0; mapped < 2; mapped++) {
    translating(1);
    const uint64_t was = AT + PAGE + 256, is = AT + 2 * PAGE + 256;
    uint32_t theirs[2] = {31, 32}, ours[2] = {41, 42}, in[2] = {51, 52}, out[2] = {0};
    peeked(was, theirs, 2, 1), peeked(is, ours, 2, 1);
    begins(DEVICE(5) + 256, 8, PCI_COMMAND_READ); /* from here on the IOMMU caches the translation */
    given(DEVICE(5) + 256, out, 2);
    assert_int_equal(MEMORY_COUNTS->given_away, 0);
    if (mapped)
      iommu_map_set(OF(UNIT_PART, iommu),
          &(struct iommu_set){.entry = 5, .page = AT + 2 * PAGE, .entries = 1, .stride = 1});
    else iommu_map_clear(OF(UNIT_PART, iommu), &(struct iommu_clear){.entry = 5, .entries = 1});
    at_time(2000 * NS);
    begins(DEVICE(5) + 252, 12, PCI_COMMAND_READ);
    given(DEVICE(5) + 256, out, 2); /* not the first word of the burst */
    assert_memory_equal(out, theirs, sizeof out);
    assert_int_equal(MEMORY_COUNTS->given_away, 2);
    begins(DEVICE(5) + 252, 12, PCI_COMMAND_WRITE);
    taken(DEVICE(5) + 256, in, 2);
    EXPECT_VALUES({MEMORY_COUNTS->overwritten, 2}, {COUNT(device_writes), 8});
    const uint32_t why = BECAUSE(UNIT_PART, mapped ? IOMMU_EV_STALE : IOMMU_EV_GONE);
    EXPECT_EVENTS(MEMORY_PART, {2000 * NS, MEMORY_EV_GIVEN_AWAY, was, 31, mapped ? 41 : 0, why},
        {2000 * NS, MEMORY_EV_OVERWRITTEN, was, 51, 31, why});
    peeked(was, out, 2, 0);
    assert_memory_equal(out, in, sizeof out);
    peeked(is, out, 2, 0); /* the intended page is unchanged, which counts as stale if it is known */
    assert_memory_equal(out, ours, sizeof out);
    assert_int_equal(MEMORY_COUNTS->old_reads, 1 + mapped);
  }
}

/* The IOMMU is in front of the posting buffer. A store to its registers takes no entry and passes a full
 * buffer; a load takes a crossing each way and waits for nothing. */
TEST(registers_of_the_iommu_bypass_the_posting_buffer) {
  const uint64_t registers = 0xfed00000;
  quiet("host-bridge-walking");
  iommu_map_set(
      OF(UNIT_PART, iommu), &(struct iommu_set){.entry = 5, .page = AT + PAGE, .entries = 1, .stride = 1});
  assert_int_equal(
      begins(DEVICE(5), 64, PCI_COMMAND_WRITE).ready, 1100 * NS); /* time to read the table in memory */
  begins(DEVICE(6), 64, PCI_COMMAND_WRITE);                       /* stopped */
  for (uint32_t i = 0; i < 3; i++) posted(0x80000000, i);
  assert_int_equal(posted(0x80000000, 9), 0);
  assert_true(posted(registers + IOMMU_REG_PURGE, 5) > 1);
  assert_int_equal(COUNT(posted), 3);
  assert_int_equal(bridge_cpu_posted_count(OF(BRIDGE_PART, bridge), 0), 3);
  assert_int_equal(COUNTERS("unit", iommu)->drops, 1);
  bridge_cpu_read(
      OF(BRIDGE_PART, bridge), 2, &(struct front_read){.address = registers + IOMMU_REG_FAULTS, .bytes = 4});
  uint64_t time;
  const sim_msg *q = test_pending(1, &time); /* the first message is that of the bus */
  EXPECT_VALUES({q->kind, FRONT_DATA}, {q->addr, 1}, {time, 1080 * NS}, {COUNT(reads), 0});
}
