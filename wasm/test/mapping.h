/* The machines "mapping" and "network": four processors, a mapping service and an IOMMU, without or with a
 * network stack. For unit tests in C. */
#ifndef SIM_TEST_MAPPING_H
#define SIM_TEST_MAPPING_H

#include "test/testing.h"

#define ROW_FIELDS 8u
/* One row of a program: op, from, to, bytes, width, time, count, tag. */
#define ROW(op, from, to, bytes, time, count, tag) PROCESSOR_OP_##op, from, to, bytes, 4, time, count, tag
#define END_ROW ROW(END, 0, 0, 0, 0, 0, 0)

#define TEST_CPUS 4u
#define MAPPER part_named("maps")
#define UNIT part_named("unit")
#define STACK part_named("stack")
#define ADAPTER part_named("adapter")
#define MEMORY part_named("memory")

static const char *const TEST_CPU[] __attribute__((unused)) = {"cpu0", "cpu1", "cpu2", "cpu3"};

/* Every processor runs its own program, and has the parameters of the first. */
static inline struct session map_session(const uint64_t *const *programs, const uint32_t *rows) {
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    if (cpu) *PARAMS(TEST_CPU[cpu], processor) = *PARAMS("cpu0", processor);
    machine_rows(TEST_CPU[cpu], 0, programs[cpu], rows[cpu] * ROW_FIELDS);
  }
  return *machine_session();
}

/* The program of a CPU that does nothing. */
static const uint64_t nothing[] __attribute__((unused)) = {END_ROW};

/* Opens a session in which the first CPUs run the same program. */
static inline void map_open(const uint64_t *program, uint32_t values, uint32_t cpus) {
  const uint64_t *programs[TEST_CPUS];
  uint32_t rows[TEST_CPUS];
  for (uint32_t cpu = 0; cpu < TEST_CPUS; cpu++) {
    programs[cpu] = cpu < cpus ? program : nothing;
    rows[cpu] = cpu < cpus ? values / ROW_FIELDS : 1;
  }
  struct session s = map_session(programs, rows);
  assert_int_equal(session_open(&s), SIM_OK);
}
#define OPEN_ON(program, cpus) map_open(program, sizeof(program) / 8, cpus)

/* With the stack, and no memory behind its adapter. */
static inline void network(void) {
  machine("network");
  machine_without("memory");
}

static inline void *map_view_of(uint32_t part, uint32_t index) {
  sim *m = test_engine();
  return sim_at(
      m, ((struct sim_view_entry *)sim_at(m, m->views_at) + sim_part(m, part)->first_view + index)->at);
}

#endif
