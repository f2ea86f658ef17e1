/* The small driver on top: whole transfers, and the handler of their completion interrupts. */
#include "os/mapping/io_services/io_services.h"

/* The start address of the device: an I/O address from the program, or that of the mapping. */
static uint64_t service_start_address(sim *m, struct io_services *services, const service_call *call) {
  return call->op == PROCESSOR_OP_START_DMA && call->host ? call->host
                                                          : service_mapping_of(m, services, call)->addr;
}

/* Stores one of the device's three registers: I/O address, size, command. */
static uint32_t service_trace(
    sim *m, struct io_services *services, const service_call *call, struct os_next *p, uint32_t which) {
  int whole = call->op != PROCESSOR_OP_START_DMA;
  uint32_t command = whole
                         ? (call->op == PROCESSOR_OP_DMA_OUT ? CHANNEL_OUT : CHANNEL_IN) | CHANNEL_INTERRUPTS
                         : call->command;
  uint64_t value = which == CHANNEL_REG_ADDRESS ? service_start_address(m, services, call)
                   : which == CHANNEL_REG_SIZE  ? call->piece
                                                : command;
  return service_store(p, call->registers + which, value);
}

/* Time of the driver's own work, and the instructions that fit into it. */
static uint32_t service_own_work(struct io_services *services, struct os_next *p) {
  services->counters->instructions += services->params->driver_time / services->params->instruction;
  return service_work(p, services->params->driver_time);
}

/* A whole driver call, with as many mappings as the buffer needs, one after another. */
static uint32_t service_transfer(
    sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  int out = call->op == PROCESSOR_OP_DMA_OUT;
  RESUME(call) {
    AWAIT(call, IO_SERVICES_STEP_ENTERED, service_own_work(services, p));
    AWAIT_SERVICE(call, IO_SERVICES_STEP_SYNC,
        service_sync(m, services, call, p, out ? CONTRACT_SYNC_FOR_DEVICE : CONTRACT_SYNC_FOR_DEVICE_INBOUND,
            call->bytes));
    AWAIT(call, IO_SERVICES_STEP_SYNCED,
        service_sync_steps(services, p, out ? CONTRACT_SYNC_FOR_DEVICE : CONTRACT_SYNC_FOR_DEVICE_INBOUND));
    do {
      AWAIT_SERVICE(call, IO_SERVICES_STEP_MAP, service_map(m, services, call, p));
      if (!service_mapping_of(m, services, call)->live) return OS_STEP_REFUSE;
      AWAIT(call, IO_SERVICES_STEP_ADDRESS, service_trace(m, services, call, p, CHANNEL_REG_ADDRESS));
      AWAIT(call, IO_SERVICES_STEP_BYTES, service_trace(m, services, call, p, CHANNEL_REG_SIZE));
      AWAIT(call, IO_SERVICES_STEP_WAIT, service_trace(m, services, call, p, CHANNEL_REG_COMMAND));
      AWAIT(call, IO_SERVICES_STEP_BLOCKED, OS_STEP_BLOCK);
      call->step = IO_SERVICES_STEP_MOVED;
      __attribute__((fallthrough));
      case IO_SERVICES_STEP_MOVED: /* set by the handler if the device is done before the call blocks */
        if (!out) {                /* speculation may have fetched the line meanwhile */
          AWAIT_SERVICE(call, IO_SERVICES_STEP_RESYNC,
              service_sync(m, services, call, p, CONTRACT_SYNC_FOR_CPU, call->piece));
          AWAIT(call, IO_SERVICES_STEP_RESYNCED, service_sync_steps(services, p, CONTRACT_SYNC_FOR_CPU));
        }
        AWAIT_SERVICE(call, IO_SERVICES_STEP_UNMAP, service_unmap(m, services, call, p));
        call->done += call->piece;
        call->host += call->piece;
    } while (call->done < call->bytes);
    services->counters->calls++;
  }
  call->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}

/* A program starts a transfer of its mapping. */
static uint32_t service_start(sim *m, struct io_services *services, service_call *call, struct os_next *p) {
  RESUME(call) {
    if (!call->host && !service_has_address(m, services, call)) return OS_STEP_REFUSE;
    call->piece = call->bytes;
    AWAIT(call, IO_SERVICES_STEP_ENTERED, service_work(p, 0));
    REPORT_CONTRACT(m, services->self, IO_SERVICES_PORT_CONTRACT, device_start,
        .address = service_start_address(m, services, call), .bytes = call->piece,
        .write = call->command >> 1 & 1);
    AWAIT(call, IO_SERVICES_STEP_ADDRESS, service_trace(m, services, call, p, CHANNEL_REG_ADDRESS));
    AWAIT(call, IO_SERVICES_STEP_BYTES, service_trace(m, services, call, p, CHANNEL_REG_SIZE));
    AWAIT(call, IO_SERVICES_STEP_WAIT, service_trace(m, services, call, p, CHANNEL_REG_COMMAND));
  }
  call->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}

static int service_waits(const service_call *call) {
  int whole = call->op == PROCESSOR_OP_DMA_OUT || call->op == PROCESSOR_OP_DMA_IN;
  return whole && (call->step == IO_SERVICES_STEP_BLOCKED || call->step == IO_SERVICES_STEP_WAIT);
}

/* The handler polls every outstanding transfer and wakes the threads whose device is done. */
static uint32_t service_handle(
    sim *m, struct io_services *services, service_call *handler, struct os_next *p) {
  RESUME(handler) {
    while (handler->scan < SERVICE_ROWS) {
      if (!service_waits(service_of(m, services->state, handler->scan))) {
        handler->scan++;
        continue;
      }
      p->address = service_of(m, services->state, handler->scan++)->registers + CHANNEL_REG_STATUS;
      p->state = PROCESSOR_STATE_INTERRUPT;
      AWAIT(handler, IO_SERVICES_STEP_STATUS, OS_STEP_LOAD);
      if (p->loaded != 1) continue;
      service_call *call = service_of(m, services->state, handler->scan - 1);
      if (call->step == IO_SERVICES_STEP_BLOCKED)
        call_os_wake(m, services->self, IO_SERVICES_PORT_CPU + (handler->scan - 1) / CALLS_PER_CPU,
            &(struct os_wake){.thread = (handler->scan - 1) % CALLS_PER_CPU});
      call->step = IO_SERVICES_STEP_MOVED;
    }
  }
  handler->step = IO_SERVICES_STEP_DONE;
  return OS_STEP_DONE;
}
