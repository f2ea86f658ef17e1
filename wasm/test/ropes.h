/*
 * The machine "ropes": a system bus adapter with processors and memory, and ropes with a local bus adapter,
 * its PCI bus and two cards each. For unit tests in C. A rope carries 0.5 GB/s: a request of 8 B takes 16 ns,
 * a line of 128 B with its 8 takes 272, a store of 4 B with its 8 takes 24.
 */
#ifndef SIM_TEST_ROPES_H
#define SIM_TEST_ROPES_H

#include "test/programs.h"

#define NS 1000ull
#define PAGE 4096ull
#define AT 0x100000ull
#define DOORBELL 0xf0000000ull
#define LINE 128ull
#define FIRST 0x80000000ull  /* 4 KiB down rope 1, with both */
#define SECOND 0x80001000ull /* 8 KiB down rope 6 */
#define ENGINE test_engine()

#define ROPE_MEMORY part_named("memory")
#define SBA_PART part_named("sba")
#define LBA_PART part_named("lba0")
#define PCI_PART part_named("bus0")
#define PEER_PART part_named("peer0")
#define LAN_PART part_named("lan0")
#define ON_ROPE(part, rope) ((part) + 4 * (rope))
#define ROPE_CPU(i) (part_named("cpu0") + 2 * (i))
#define ROPE_CACHE(i) (part_named("cache0") + 2 * (i))
#define UNIT_PART part_named("unit")

static const char *const ROPE_CPUS[] __attribute__((unused)) = {"cpu0", "cpu1", "cpu2"};
static const uint32_t ROPE_PORTS[] __attribute__((unused)) = {0, 1, 3}; /* of the system bus adapter */

static inline void without_all(const char *const *parts, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) machine_without(parts[i]);
}

/* One rope, one processor. */
static inline void one_rope(void) {
  static const char *const others[] = {
      "lba1", "bus1", "peer1", "lan1", "cpu1", "cache1", "cpu2", "cache2", "unit", "map"};
  machine("ropes");
  without_all(others, sizeof others / sizeof *others);
}

/* Sets a parameter of every processor, or of every bus. */
#define SET_CPUS(name, value)                                                                            \
  (PARAMS("cpu0", processor)->name = PARAMS("cpu1", processor)->name = PARAMS("cpu2", processor)->name = \
          (value))
#define SET_BUSES(name, value) (PARAMS("bus0", pci)->name = PARAMS("bus1", pci)->name = (value))

/* Both ropes and all processors, with a memory that moves a line in 64 ns. The cards are idle. */
static inline void ropes_of(const char *name) {
  machine(name);
  struct lba_params *first = PARAMS("lba0", lba), *second = PARAMS("lba1", lba);
  first->base = PARAMS("lan0", lan_card)->registers = FIRST, first->length = 4096;
  second->base = PARAMS("lan1", lan_card)->registers = SECOND, second->length = 8192;
  first->stores = second->stores = 4;
  PARAMS("peer0", peer)->blocks = 0;
  PARAMS("memory", memory)->latency = 100 * NS, PARAMS("memory", memory)->bandwidth = 2000000000;
  PARAMS("sba", sba)->crossing = 40 * NS;
}
static inline void two_ropes(void) {
  ropes_of("ropes");
  machine_without("unit");
  machine_without("map");
}

/* With translation. The time is 1000 ns, and the sixth entry of the table leads to the page at AT. */
static inline void two_ropes_translating(void) {
  ropes_of("ropes");
  PARAMS("unit", iommu)->walk_time = 300 * NS, PARAMS("unit", iommu)->checks = 1;
  machine_run();
  iommu_map_set(ENGINE, SIM_CONTEXT(ENGINE, UNIT_PART, iommu),
      &(struct iommu_set){.entry = 5, .page = AT, .entries = 1, .stride = 1});
  ENGINE->time = 1000 * NS, ENGINE->cause = 0;
}

/* One rope with idle cards. A line takes 16 ns of memory. */
static inline void quiet_rope(void) {
  one_rope();
  PARAMS("peer0", peer)->blocks = 0;
  PARAMS("memory", memory)->bandwidth = 8000000000ull;
  struct lba_params *lba = PARAMS("lba0", lba);
  for (uint64_t *hint = &lba->mr_consistent_depth; hint <= &lba->mrm_streaming_depth; hint += 4) *hint = 0;
}

/* Runs up to a time, and sets the clock to it. */
static inline void until(uint64_t time) {
  sim_run(ENGINE, time, UINT64_MAX);
  ENGINE->time = time, ENGINE->cause = 0;
}

/* Whether the card in a slot of the first bus has requested it since the last call. Nothing is run. */
static inline int rope_asked(uint32_t slot) {
  struct pci_now *bus = pci_view(ENGINE, CONTEXT_OF("bus0", pci));
  uint32_t asked = bus->requests >> slot & 1;
  bus->requests = 0;
  return (int)asked;
}

/* Checks the transaction that the card in a slot of the first bus starts when granted. */
static inline void rope_wants(uint32_t slot, uint64_t address, uint32_t bytes, uint32_t command) {
  struct pci_grant q = {0};
  assert_int_equal(call_pci_grant(ENGINE, PCI_PART, PCI_PORT_SLOT + slot, &q), 1);
  assert_int_equal(q.address, address);
  assert_int_equal(q.bytes, bytes);
  assert_int_equal(q.command, command);
}

#endif
