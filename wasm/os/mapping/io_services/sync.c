/* dma_sync: makes caches and memory consistent if hardware does not. */
#include "os/mapping/io_services/io_services.h"

/* With either of the two defects the driver makes no call at all. */
static int service_fault_omits(struct io_services *services, uint32_t when) {
  return service_fault(services)
         == (when == CONTRACT_SYNC_FOR_CPU ? IO_SERVICES_FAULT_SECOND_PURGE_OMITTED
                                           : IO_SERVICES_FAULT_FIRST_SYNC_OMITTED);
}

/* Whether dma_sync has nothing to do, or a defect suppresses it. */
static int service_sync_is_optional(struct io_services *services, uint32_t when) {
  if (service_coherent(services) || service_fault_omits(services, when)) return 1;
  if (when == CONTRACT_SYNC_FOR_CPU) return !services->params->second_purge;
  return !(when == CONTRACT_SYNC_FOR_DEVICE ? services->params->flush_out : services->params->purge_in);
}

/* Time of the call itself, without its lines. */
static uint32_t service_sync_steps(struct io_services *services, struct os_next *p, uint32_t when) {
  return service_execute(services, p,
      service_fault_omits(services, when)        ? 0
      : service_sync_is_optional(services, when) ? services->params->sync_idle
                                                 : services->params->sync_call);
}

/* Flushes or purges the lines of `bytes` one after another, then syncs. A line that also holds other data is
   flushed, never purged. */
static uint32_t service_sync(sim *m, struct io_services *services, service_call *call, struct os_next *p,
    uint32_t when, uint32_t bytes) {
  uint64_t first = call->host & ~(uint64_t)(RUNWAY_LINE - 1), end = call->host + bytes,
           line = first + call->scan;
  uint64_t last = (end + RUNWAY_LINE - 1) & ~(uint64_t)(RUNWAY_LINE - 1);
  if (call->scan == 0) {
    sim_trace(m, services->self, IO_SERVICES_EV_SYNC, call->host, bytes, when);
    if (!service_fault_omits(services, when))
      REPORT_CONTRACT(m, services->self, IO_SERVICES_PORT_CONTRACT, synced, .host = call->host,
          .bytes = bytes, .when = when);
  }
  if (line > last || service_sync_is_optional(services, when)) {
    call->scan = 0;
    return OS_STEP_DONE;
  }
  call->scan += RUNWAY_LINE;
  if (line == last)
    return services->params->sync ? service_access_line(p, line, CACHE_OP_SYNC) : service_work(p, 0);
  services->counters->synced++;
  int shared = line < call->host || line + RUNWAY_LINE > end;
  return service_access_line(
      p, line, when == CONTRACT_SYNC_FOR_DEVICE || shared ? CACHE_OP_FLUSH : CACHE_OP_PURGE);
}
