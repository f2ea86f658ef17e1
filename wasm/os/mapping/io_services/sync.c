/* dma_sync: makes caches and memory consistent if hardware does not. */
#include "os/mapping/io_services/io_services.h"

/* With either of the two defects the driver makes no call at all. */
static int service_fault_omits(sim *m, uint32_t self, uint32_t when) {
  return service_fault(m, self) == (when == CONTRACT_SYNC_FOR_CPU ? IO_SERVICES_FAULT_SECOND_PURGE_OMITTED : IO_SERVICES_FAULT_FIRST_SYNC_OMITTED);
}

/* Whether dma_sync has nothing to do, or a defect suppresses it. */
static int service_sync_is_optional(sim *m, uint32_t self, uint32_t when) {
  const struct io_services_params *q = SIM_PARAMS(m, self, io_services);
  if (service_coherent(m, self) || service_fault_omits(m, self, when)) return 1;
  if (when == CONTRACT_SYNC_FOR_CPU) return !q->second_purge;
  return !(when == CONTRACT_SYNC_FOR_DEVICE ? q->flush_out : q->purge_in);
}

/* Time of the call itself, without its lines. */
static uint32_t service_sync_steps(sim *m, uint32_t self, struct os_next *p, uint32_t when) {
  const struct io_services_params *q = SIM_PARAMS(m, self, io_services);
  return service_execute(m, self, p, service_fault_omits(m, self, when) ? 0 : service_sync_is_optional(m, self, when) ? q->sync_idle : q->sync_call);
}

/* Flushes or purges the lines of `bytes` one after another, then syncs. A line that also holds other data is
   flushed, never purged. */
static uint32_t service_sync(sim *m, uint32_t self, service_call *call, struct os_next *p, uint32_t when, uint32_t bytes) {
  uint64_t first = call->host & ~(uint64_t)(RUNWAY_LINE - 1), end = call->host + bytes, line = first + call->scan;
  uint64_t last = (end + RUNWAY_LINE - 1) & ~(uint64_t)(RUNWAY_LINE - 1);
  if (call->scan == 0) {
    sim_trace(m, self, IO_SERVICES_EV_SYNC, call->host, bytes, when);
    if (!service_fault_omits(m, self, when)) REPORT_CONTRACT(m, self, IO_SERVICES_PORT_CONTRACT, synced, .host = call->host, .bytes = bytes, .when = when);
  }
  if (line > last || service_sync_is_optional(m, self, when)) {
    call->scan = 0;
    return OS_STEP_DONE;
  }
  call->scan += RUNWAY_LINE;
  if (line == last) return SIM_PARAMS(m, self, io_services)->sync ? service_access_line(p, line, CACHE_OP_SYNC) : service_work(p, 0);
  SIM_COUNTERS(m, self, io_services)->synced++;
  int shared = line < call->host || line + RUNWAY_LINE > end;
  return service_access_line(p, line, when == CONTRACT_SYNC_FOR_DEVICE || shared ? CACHE_OP_FLUSH : CACHE_OP_PURGE);
}
