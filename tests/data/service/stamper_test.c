/* A processor runs an operation that it has not heard of, and the pooled library is called by a service that it has not heard of. */
#include "test/testing.h"

enum { CPU, STAMPER, MAP };

TEST(a_new_service_carries_out_its_own_operation_and_passes_on_the_others) {
  static const uint64_t program[] = {PROCESSOR_OP_MAP,   0x10000, 0, 8192, 4, 0, 0, 3, /* the library's, passed on */
                                     PROCESSOR_OP_STAMP, 0x20000, 0, 8192, 4, 0, 0, 0, PROCESSOR_OP_END, 0, 0, 0, 4, 0, 0, 0};
  struct processor_params cpu = PROCESSOR_DEFAULTS;
  struct stamper_params stamper = STAMPER_DEFAULTS;
  struct iommu_map_params map = IOMMU_MAP_DEFAULTS;
  struct session s = session_new(3, 2, 10);
  session_part(&s, SIM_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
  session_table(&s, program, sizeof program / 64, 8);
  session_part(&s, SIM_TYPE_STAMPER, (const uint64_t *)&stamper, sizeof stamper / 8);
  session_part(&s, SIM_TYPE_IOMMU_MAP, (const uint64_t *)&map, sizeof map / 8);
  session_wire(&s, CPU, PROCESSOR_PORT_OS, STAMPER, STAMPER_PORT_CPU);
  session_wire(&s, STAMPER, STAMPER_PORT_MAP, MAP, IOMMU_MAP_PORT_CPU);
  assert_int_equal(session_open(&s), SIM_OK);
  session_run();
  assert_int_equal(SIM_COUNTERS(test_engine(), STAMPER, stamper)->stamped, 1);
  assert_int_equal(SIM_COUNTERS(test_engine(), CPU, processor)->in_stamping, stamper.time);
  assert_int_equal(SIM_COUNTERS(test_engine(), MAP, iommu_map)->maps, 2);
  assert_int_equal(SIM_COUNTERS(test_engine(), MAP, iommu_map)->unmaps, 1);
}
