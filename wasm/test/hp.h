/*
 * The machine "hp-agents": processors with caches on a Runway bus, memory, and optionally an I/O adapter
 * with devices on HSC and a driver's services, which may get their addresses from the pooled library. For
 * unit tests in C. All tracked memory lies in the first PAGES pages from BASE.
 */
#ifndef SIM_TEST_HP_H
#define SIM_TEST_HP_H

#include "test/programs.h"

#define HP_CPUS 10u /* "hp-ten-processors" has ten and no devices; "hp-agents" has eight */
#define HP_DEVICES 4u
#define BASE 0x100000ull
#define PAGE 4096ull
#define PAGES 32u
#define DIRECTORY 0x230000ull
#define ADAPTER_AGENT 8u
#define WINDOW(slot) (0xf1000000ull + (slot) * PAGE) /* registers of the device in this slot */

/* The picoseconds that n cycles of the Runway clock take from time 0: 120 MHz are 25/3 ns. */
#define CYCLES(n) ((uint64_t)(n) * 25000 / 3)
/* The number of cycles between two edges. */
#define IN_CYCLES(time) (((time) * 3 + 12500) / 25000)

#define MEMORY part_named("memory")
#define BUS part_named("runway")
#define CACHE(cpu) (part_named("cache0") + 2 * (cpu))
#define CPU(cpu) (part_named("cpu0") + 2 * (cpu))
#define ADAPTER part_named("adapter")
#define HSC part_named("hsc")
#define DEVICE(i) (part_named("device0") + (i))
#define SERVICES part_named("services")
#define LENDER part_named("pools")

static const char *const HP_CPU[] __attribute__((unused)) = {
    "cpu0", "cpu1", "cpu2", "cpu3", "cpu4", "cpu5", "cpu6", "cpu7", "cpu8", "cpu9"};
static const char *const HP_CACHE[] __attribute__((unused)) = {
    "cache0", "cache1", "cache2", "cache3", "cache4", "cache5", "cache6", "cache7", "cache8", "cache9"};
static const char *const HP_DEVICE[] __attribute__((unused)) = {"device0", "device1", "device2", "device3"};

static uint32_t hp_cpus __attribute__((unused)), hp_devices __attribute__((unused)); /* counts */

/* So many of each; without devices there is no adapter. Services, library, watcher and prover are left
 * out. */
static inline void hp(uint32_t cpus, uint32_t devices) {
  const uint32_t all = cpus > 8 ? HP_CPUS : 8;
  assert_true(cpus <= HP_CPUS && (cpus <= 8 || devices == 0));
  machine(cpus > 8 ? "hp-ten-processors" : "hp-agents");
  hp_cpus = cpus, hp_devices = devices;
  for (uint32_t i = cpus; i < all; i++) machine_without(HP_CPU[i]), machine_without(HP_CACHE[i]);
  if (cpus > 8) return;
  static const uint64_t idle[] = {DEVICE_ROW(END, 0, 4, 0, 1)};
  for (uint32_t i = 0; i < devices; i++) machine_rows(HP_DEVICE[i], 0, ROWS(idle));
  for (uint32_t i = devices; i < 4; i++) machine_without(HP_DEVICE[i]);
  if (devices == 0) machine_without("adapter"), machine_without("hsc");
  machine_without("services");
  machine_without("pools");
  machine_without("watcher");
  machine_without("prover");
}

/* A program of a processor or a device that depends on the test case. */
struct hp_program {
  const uint64_t *values;
  uint32_t count;
};
#define PROGRAM(list) ((struct hp_program){ROWS(list)})
static inline void hp_does(uint32_t cpu, struct hp_program program) {
  machine_rows(HP_CPU[cpu], 0, program.values, program.count);
}
static inline void hp_device_does(uint32_t device, struct hp_program work) {
  machine_rows(HP_DEVICE[device], 0, work.values, work.count);
}

/* All processors have the parameters of the first, and so do their caches. */
static inline const struct session *hp_session(void) {
  for (uint32_t i = 1; i < hp_cpus; i++) {
    *PARAMS(HP_CPU[i], processor) = *PARAMS("cpu0", processor);
    *PARAMS(HP_CACHE[i], snoop_cache) = *PARAMS("cache0", snoop_cache);
  }
  return machine_session();
}
static inline void hp_open(void) { assert_int_equal(session_open(hp_session()), SIM_OK); }
static inline void hp_run(void) {
  hp_open();
  session_run();
}

/* Maps an I/O page to the physical page of an address, with the index by which caches find it. */
static inline void hp_map(uint64_t io, uint64_t physical, uint64_t attributes) {
  uint64_t page = physical / PAGE,
           index = (physical + PARAMS("cache0", snoop_cache)->virtual_offset) / PAGE & 0xfff;
  struct shadow_value entry = {.address = DIRECTORY + io / PAGE * 8,
      .set = 1,
      .value = index << 48 | page << 12 | attributes | IO_PAGE_VALID};
  call_shadow_value(test_engine(), CACHE(0), SNOOP_CACHE_PORT_BUS, &entry);
}

/* Memory's copy of the half line at an address, and the newest write to it. */
static inline struct shadow_word hp_cell(uint64_t addr) {
  return *shadow_word(test_engine(), &STATE_OF("memory", memory_controller)->shadow, addr);
}

#endif
