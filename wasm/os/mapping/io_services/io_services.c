#include "os/mapping/io_services/io_services.h"

#include "core/state_codec.h"
#include "os/mapping/io_services/allocator.c"
#include "os/mapping/io_services/map.c"
#include "os/mapping/io_services/sync.c"

#include "os/mapping/io_services/buffer.c"
#include "os/mapping/io_services/transfer.c"

static uint32_t io_services_cpu_validate_row(
    sim *m, struct io_services *services, uint32_t cpu, struct os_validate_row *q) {
  (void)m;
  (void)services;
  (void)cpu;
  return IO_SERVICES_EXECUTES(q->operation) ? SIM_OK : SIM_BAD_ROW;
}

/* The row of the call's mapping: by its handle, the call's own, or, without a handle, by its address. */
static uint32_t service_row(
    sim *m, struct io_services *services, uint32_t index, const struct os_call *p, uint64_t address) {
  uint32_t own = SERVICE_HANDLES + index, maps = p->operation == PROCESSOR_OP_MAP;
  if (p->operation == PROCESSOR_OP_DMA_OUT || p->operation == PROCESSOR_OP_DMA_IN) return own;
  if (p->arguments[7] != NO_TAG) return p->arguments[7] % SERVICE_HANDLES;
  if (!maps && p->operation != PROCESSOR_OP_UNMAP) return own;
  for (uint32_t row = SERVICE_HANDLES + SERVICE_ROWS; row < SERVICE_HANDLES + SERVICE_ROWS + SERVICE_UNNAMED;
      row++) {
    mapping *map = service_mapping(m, services->state, row);
    if (maps ? map->live : !map->live || map->addr != address) continue;
    map->live = 1; /* from now on it belongs to this call */
    return row;
  }
  return maps ? SERVICE_NO_ROW : own;
}

static void io_services_cpu_call(sim *m, struct io_services *services, uint32_t cpu, struct os_call *p) {
  uint32_t index = cpu * CALLS_PER_CPU + p->thread;
  const uint32_t *w = p->arguments;
  uint64_t from = (uint64_t)w[1] << 32 | w[0];
  *service_of(m, services->state, index) = (service_call){.step = IO_SERVICES_STEP_ENTER,
      .op = p->operation,
      .hints = w[6],
      .handle = service_row(m, services, index, p, from),
      .host = from,
      .registers = (uint64_t)w[3] << 32 | w[2],
      .bytes = w[4],
      .command = w[6]};
}

/* One map() of a program: a contiguous one is complete or fails. */
static uint32_t service_one_map(sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  RESUME(call) {
    if (service_is_torn(m, services, call)) return service_fail(m, services, call);
    AWAIT(call, IO_SERVICES_STEP_ENTERED, service_work(p, 0));
    AWAIT_SERVICE(call, IO_SERVICES_STEP_MAP, service_map(m, services, call, p));
    if (!service_mapping_of(m, services, call)->live) return service_fail(m, services, call);
  }
  call->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t service_one_unmap(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  RESUME(call) {
    if (!service_owns(m, services, call)) return OS_STEP_REFUSE;
    AWAIT_SERVICE(call, IO_SERVICES_STEP_UNMAP, service_unmap(m, services, call, p));
  }
  call->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t service_one_sync(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  RESUME(call) {
    AWAIT(call, IO_SERVICES_STEP_ENTERED, service_work(p, 0));
    AWAIT_SERVICE(
        call, IO_SERVICES_STEP_SYNC, service_sync(m, services, call, p, call->command, call->bytes));
    AWAIT(call, IO_SERVICES_STEP_SYNCED, service_sync_steps(services, p, call->command));
  }
  call->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}

static uint32_t service_run(sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  if (call->handle == SERVICE_NO_ROW) {
    service_exhausted(m, services, &(mapping){0});
    return OS_STEP_REFUSE;
  }
  switch (call->op) {
    case PROCESSOR_OP_MAP: return service_one_map(m, services, call, p);
    case PROCESSOR_OP_UNMAP: return service_one_unmap(m, services, call, p);
    case PROCESSOR_OP_START_DMA: return service_start(m, services, call, p);
    case PROCESSOR_OP_DMA_SYNC: return service_one_sync(m, services, call, p);
    case PROCESSOR_OP_MAP_BUFFER: return service_map_buffer(m, services, call, p);
    case PROCESSOR_OP_UNMAP_BUFFER: return service_unmap_buffer(m, services, call, p);
    case PROCESSOR_OP_REMAP: return service_remap(m, services, call, p);
    case PROCESSOR_OP_SET_ATTRIBUTES: return service_set_attributes(m, services, call);
    case PROCESSOR_OP_FREE_BUFFER:
      REPORT_CONTRACT(
          m, services->self, IO_SERVICES_PORT_CONTRACT, freed, .host = call->host, .bytes = call->bytes);
      return OS_STEP_DONE;
  }
  return service_transfer(m, services, call, p);
}

static uint32_t io_services_cpu_next(sim *m, struct io_services *services, uint32_t cpu, struct os_next *p) {
  service_call *call = service_of(m, services->state, cpu * CALLS_PER_CPU + p->thread);
  if (call->handles) return service_handle(m, services, call, p);
  uint32_t step = call->step == IO_SERVICES_STEP_DONE ? OS_STEP_DONE : service_run(m, services, call, p);
  if (step != OS_STEP_DONE) return step;
  p->address = service_mapping_of(m, services, call)->addr;
  p->value = call->piece;
  return OS_STEP_DONE;
}

static void io_services_cpu_interrupt(
    sim *m, struct io_services *services, uint32_t cpu, struct os_interrupt *q) {
  *service_of(m, services->state, cpu * CALLS_PER_CPU + q->thread) = (service_call){.handles = 1};
}

static int io_services_load(sim *m, uint32_t self) {
  const struct io_services_params *q = SIM_PARAMS(m, self, io_services);
  if (q->range_pages > 1u << (q->chain_shift - 12))
    return sim_refuse(m, SIM_BAD_PARAM, self, IO_SERVICES_PARAM_RANGE_PAGES);
  if (q->allocator == IO_SERVICES_ALLOCATOR_GUEST && sim_wired(m, self, IO_SERVICES_PORT_LENDS))
    return sim_refuse(m, SIM_BAD_PARAM, self, IO_SERVICES_PARAM_ALLOCATOR); /* who borrows has no device */
  struct io_services_state *s = sim_state_alloc(m, self, sizeof *s);
  uint32_t groups = (1u << q->page_bits) / (uint32_t)q->range_pages,
           handles = SERVICE_HANDLES + SERVICE_ROWS + SERVICE_UNNAMED;
  void *calls = sim_view(m, self, IO_SERVICES_VIEW_CALLS, SERVICE_ROWS, sizeof(service_call));
  void *mappings = sim_view(m, self, IO_SERVICES_VIEW_MAPPINGS, handles, sizeof(mapping));
  void *bits = sim_view(m, self, IO_SERVICES_VIEW_GROUPS, groups, sizeof(struct io_services_groups));
  struct io_services_now *now = sim_view(m, self, IO_SERVICES_VIEW_NOW, 1, sizeof *now);
  void *drivers =
      sim_view(m, self, IO_SERVICES_VIEW_DRIVERS, SERVICE_ROWS, sizeof(struct io_services_drivers));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *now = (struct io_services_now){
      .hint = CCIO_HINT % groups, .groups = groups, .chains = 1u << (q->page_bits - (q->chain_shift - 12))};
  *s = (struct io_services_state){sim_offset(m, calls), sim_offset(m, mappings), sim_offset(m, bits),
      sim_offset(m, now), 0, sim_offset(m, drivers)};
  return sim_wired(m, self, IO_SERVICES_PORT_LENDS) ? service_client_of(m, SIM_CONTEXT(m, self, io_services))
                                                    : SIM_OK;
}

static void service_serialize_mapping(mapping *map, struct sim_codec *k) {
  sim_codec_u8(k, &map->live);
  if (!map->live) return;
  sim_codec_addr(k, &map->addr);
  sim_codec_addr(k, &map->host);
  sim_codec_u8(k, &map->pages);
  sim_codec_u8(k, &map->attributes);
  sim_codec_u32(k, &map->group);
  sim_codec_u8(k, &map->sequential);
}

/* The state of the first processor's first thread, and of the mappings with the first two handles. */
static void io_services_serialize(sim *m, struct io_services *services, struct sim_codec *k) {
  service_call *call = service_of(m, services->state, 0);
  struct io_services_groups *groups = sim_at(m, services->state->groups_at);
  sim_codec_u8(k, &call->step);
  if (call->step != IO_SERVICES_STEP_DONE) {
    sim_codec_u8(k, &call->op);
    sim_codec_u8(k, &call->inner);
    sim_codec_u8(k, &call->hints);
    sim_codec_u8(k, &call->page);
    sim_codec_u8(k, &call->scan);
    sim_codec_u8(k, &call->handle);
    sim_codec_u8(k, &call->command);
    sim_codec_addr(k, &call->host);
    sim_codec_u32(k, &call->bytes);
    sim_codec_u32(k, &call->done);
    sim_codec_u32(k, &call->piece);
  }
  for (uint32_t handle = 0; handle < SERVICE_KEPT; handle++)
    service_serialize_mapping(service_mapping(m, services->state, handle), k);
  for (uint32_t i = 0; i < SERVICE_KEPT; i++) sim_codec_u32(k, &groups[i].used);
}
