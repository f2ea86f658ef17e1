#include "os/kernel/kernel.h"

#include "os/kernel/objects.c"
#include "os/kernel/queues.c"

static uint32_t kernel_lock(sim *m, struct kernel *kernel, uint32_t row, kernel_call *call) {
  if (*kernel_owner_of(m, kernel, call->object) == 0) {
    kernel_own(m, kernel, row, call->object);
    return OS_STEP_DONE;
  }
  kernel->counters->lock_waits++;
  sim_trace(m, kernel->self, KERNEL_EV_WAIT, call->object, row / CALLS_PER_CPU, row % CALLS_PER_CPU);
  kernel_inherit(m, kernel, row, call->object);
  return kernel_waits(m, call, KERNEL_WANTS_A_LOCK);
}

static uint32_t kernel_unlock(sim *m, struct kernel *kernel, uint32_t row, const kernel_call *call) {
  if (*kernel_owner_of(m, kernel, call->object) == row + 1) {
    kernel_hand_over(m, kernel, row, call->object);
    return OS_STEP_DONE;
  }
  kernel->counters->refused++;
  sim_trace(m, kernel->self, KERNEL_EV_REFUSED, call->object, row / CALLS_PER_CPU, row % CALLS_PER_CPU);
  return OS_STEP_REFUSE;
}

static uint32_t kernel_acquire_semaphore(sim *m, struct kernel *kernel, kernel_call *call) {
  uint32_t *value = kernel_value_of(m, kernel, call->object);
  if (*value == 0) return kernel_waits(m, call, KERNEL_WANTS_ONE_OF_A_SEMAPHORE);
  --*value;
  return OS_STEP_DONE;
}

static uint32_t kernel_release_semaphore(
    sim *m, struct kernel *kernel, uint32_t row, const kernel_call *call) {
  uint32_t taker = kernel_first(m, kernel, KERNEL_WANTS_ONE_OF_A_SEMAPHORE, call->object);
  if (taker == KERNEL_NOBODY) ++*kernel_value_of(m, kernel, call->object);
  else kernel_wake(m, kernel, taker, row / CALLS_PER_CPU);
  return OS_STEP_DONE;
}

static uint32_t kernel_put(sim *m, struct kernel *kernel, uint32_t row, kernel_call *call) {
  if (!kernel_is_full(m, kernel, call->object)) {
    kernel_send(m, kernel, row);
    return OS_STEP_DONE;
  }
  sim_trace(m, kernel->self, KERNEL_EV_FULL, 0, call->object, row % CALLS_PER_CPU);
  return kernel_waits(m, call, KERNEL_WANTS_A_PLACE_IN_A_QUEUE);
}

static uint32_t kernel_get(sim *m, struct kernel *kernel, uint32_t row, kernel_call *call) {
  if (kernel_queue_of(m, kernel, call->object)->used == 0)
    return kernel_waits(m, call, KERNEL_WANTS_A_MESSAGE);
  kernel_receive(m, kernel, row);
  return OS_STEP_DONE;
}

static uint32_t kernel_sleep(sim *m, struct kernel *kernel, uint32_t row, kernel_call *call, uint64_t time) {
  if (time == 0) return OS_STEP_DONE;
  sim_schedule_for(m, kernel->self, time, SIM_PHASE_REQUEST, KERNEL_TIMER, row);
  return kernel_waits(m, call, KERNEL_WANTS_TIME_TO_PASS);
}

/* The first call is the first release; after a late job the next one starts immediately. */
static uint32_t kernel_release(sim *m, struct kernel *kernel, uint32_t row, kernel_call *call) {
  struct kernel_tasks *task = kernel_task_of(m, kernel, row);
  uint64_t period = call->bytes, response = call->since - task->released;
  if (task->jobs++ == 0) {
    task->released = call->since;
    return OS_STEP_DONE;
  }
  kernel->counters->jobs++;
  kernel->counters->response += response;
  kernel->counters->response_most = sim_max(kernel->counters->response_most, response);
  task->response_most = sim_max(task->response_most, response);
  if (response > period) {
    kernel->counters->missed++;
    task->missed++;
  }
  sim_trace(m, kernel->self, response > period ? KERNEL_EV_MISSED : KERNEL_EV_RELEASE, response,
      row / CALLS_PER_CPU, row % CALLS_PER_CPU);
  task->released += period;
  return task->released > m->time ? kernel_sleep(m, kernel, row, call, task->released - m->time)
                                  : OS_STEP_DONE;
}

/* Executes the call once the kernel has been entered. Returns OS_STEP_DONE, OS_STEP_REFUSE, or OS_STEP_BLOCK
   until the object is handed over. */
static uint32_t kernel_dispatch_call(sim *m, struct kernel *kernel, uint32_t row, kernel_call *call) {
  switch (call->op) {
    case PROCESSOR_OP_LOCK: return kernel_lock(m, kernel, row, call);
    case PROCESSOR_OP_UNLOCK: return kernel_unlock(m, kernel, row, call);
    case PROCESSOR_OP_TAKE: return kernel_acquire_semaphore(m, kernel, call);
    case PROCESSOR_OP_GIVE: return kernel_release_semaphore(m, kernel, row, call);
    case PROCESSOR_OP_PUT: return kernel_put(m, kernel, row, call);
    case PROCESSOR_OP_GET: return kernel_get(m, kernel, row, call);
    case PROCESSOR_OP_SLEEP: return kernel_sleep(m, kernel, row, call, call->bytes);
  }
  return kernel_release(m, kernel, row, call);
}

/* A defect: a call that finds nothing and has not yet been registered as waiting. */
static int kernel_sleeps_unlocked(struct kernel *kernel, const kernel_call *call) {
  return kernel->params->fault == KERNEL_FAULT_LOST_WAKE
         && (call->op == PROCESSOR_OP_TAKE || call->op == PROCESSOR_OP_GET);
}

static uint32_t kernel_run(
    sim *m, struct kernel *kernel, uint32_t row, kernel_call *call, struct os_next *p) {
  uint32_t outcome = OS_STEP_DONE;
  RESUME(call) {
    AWAIT(call, KERNEL_STEP_ENTERED, STEP_OF_WORK(p, kernel->params->call_time, PROCESSOR_STATE_KERNEL, 1));
    outcome = kernel_dispatch_call(m, kernel, row, call);
    if (outcome == OS_STEP_BLOCK && kernel_sleeps_unlocked(kernel, call)) {
      call->wants = KERNEL_WANTS_NOTHING;
      AWAIT(call, KERNEL_STEP_SLEEPING_UNLOCKED,
          STEP_OF_WORK(p, kernel->params->call_time, PROCESSOR_STATE_KERNEL, 1));
      outcome = kernel_waits(
          m, call, call->op == PROCESSOR_OP_TAKE ? KERNEL_WANTS_ONE_OF_A_SEMAPHORE : KERNEL_WANTS_A_MESSAGE);
    }
    if (outcome == OS_STEP_BLOCK) AWAIT(call, KERNEL_STEP_BLOCKED, OS_STEP_BLOCK);
    if (call->op == PROCESSOR_OP_PUT && kernel->params->fault == KERNEL_FAULT_EARLY_MESSAGE) {
      AWAIT(call, KERNEL_STEP_COUNTED, STEP_OF_WORK(p, kernel->params->call_time, PROCESSOR_STATE_KERNEL, 1));
      kernel_write_late(m, kernel, call);
    }
  }
  call->step = KERNEL_STEP_DONE;
  if (outcome == OS_STEP_REFUSE || call->op != PROCESSOR_OP_GET) return outcome;
  kernel->counters->messages++;
  sim_trace(m, kernel->self, KERNEL_EV_GET, call->address, call->object, row % CALLS_PER_CPU);
  p->address = call->address;
  p->value = call->bytes;
  return OS_STEP_DONE;
}

static uint32_t kernel_cpu_validate_row(
    sim *m, struct kernel *kernel, uint32_t cpu, struct os_validate_row *q) {
  int timed = q->operation == PROCESSOR_OP_SLEEP || q->operation == PROCESSOR_OP_RELEASE;
  if (KERNEL_EXECUTES(q->operation)) return timed || q->arguments[7] < KERNEL_OBJECTS ? SIM_OK : SIM_BAD_ROW;
  if (!sim_wired(m, kernel->self, KERNEL_PORT_NEXT + cpu))
    return (uint32_t)sim_refuse(m, SIM_UNWIRED, kernel->self, KERNEL_PORT_NEXT + cpu);
  return call_os_validate_row(m, kernel->self, KERNEL_PORT_NEXT + cpu, q);
}

/* A thread's own priority is the one without inheritance. */
static void kernel_cpu_call(sim *m, struct kernel *kernel, uint32_t cpu, struct os_call *q) {
  if (q->thread >= CALLS_PER_CPU) __builtin_trap();
  uint32_t row = cpu * CALLS_PER_CPU + q->thread;
  kernel_call *call = kernel_call_of(m, kernel, row);
  const uint32_t *w = q->arguments;
  if (!(KERNEL_EXECUTES(q->operation))) {
    *call = (kernel_call){.step = KERNEL_STEP_PASS, .op = q->operation};
    call_os_call(m, kernel->self, KERNEL_PORT_NEXT + cpu, q);
    return;
  }
  int timed = q->operation == PROCESSOR_OP_SLEEP || q->operation == PROCESSOR_OP_RELEASE;
  uint32_t low = timed ? w[8] : w[4], high = timed ? w[9] : w[5];
  *call = (kernel_call){.op = q->operation,
      .object = w[7],
      .since = m->time,
      .address = (uint64_t)w[1] << 32 | w[0],
      .bytes = (uint64_t)high << 32 | low};
  struct os_priority now = {.thread = q->thread};
  uint32_t priority = call_os_priority(m, kernel->self, KERNEL_PORT_CPU + cpu, &now);
  struct kernel_tasks *task = kernel_task_of(m, kernel, row);
  if (task->priority == task->own) task->own = task->priority = priority;
}

static uint32_t kernel_cpu_next(sim *m, struct kernel *kernel, uint32_t cpu, struct os_next *p) {
  uint32_t row = cpu * CALLS_PER_CPU + p->thread;
  kernel_call *call = kernel_call_of(m, kernel, row);
  return call->step == KERNEL_STEP_PASS ? call_os_next(m, kernel->self, KERNEL_PORT_NEXT + cpu, p)
                                        : kernel_run(m, kernel, row, call, p);
}

/* A device's interrupt goes to its driver. */
static void kernel_cpu_interrupt(sim *m, struct kernel *kernel, uint32_t cpu, struct os_interrupt *q) {
  int passes = sim_wired(m, kernel->self, KERNEL_PORT_NEXT + cpu);
  *kernel_call_of(m, kernel, cpu * CALLS_PER_CPU + q->thread) =
      (kernel_call){.step = passes ? KERNEL_STEP_PASS : KERNEL_STEP_DONE};
  if (passes) call_os_interrupt(m, kernel->self, KERNEL_PORT_NEXT + cpu, q);
}

static void kernel_self(sim *m, struct kernel *kernel, const sim_msg *msg) {
  kernel_wake(m, kernel, msg->x, KERNEL_NOBODY);
}

static int kernel_load(sim *m, uint32_t self) {
  struct kernel_state *s = sim_state_alloc(m, self, sizeof *s);
  void *calls = sim_view(m, self, KERNEL_VIEW_CALLS, KERNEL_ROWS, sizeof(kernel_call));
  void *tasks = sim_view(m, self, KERNEL_VIEW_TASKS, KERNEL_ROWS, sizeof(struct kernel_tasks));
  void *locks = sim_view(m, self, KERNEL_VIEW_LOCKS, KERNEL_OBJECTS, sizeof(struct kernel_locks));
  void *semaphores =
      sim_view(m, self, KERNEL_VIEW_SEMAPHORES, KERNEL_OBJECTS, sizeof(struct kernel_semaphores));
  void *queues = sim_view(m, self, KERNEL_VIEW_QUEUES, KERNEL_OBJECTS, sizeof(struct kernel_queues));
  void *messages = sim_view(m, self, KERNEL_VIEW_MESSAGES,
      KERNEL_OBJECTS * (uint32_t)SIM_PARAMS(m, self, kernel)->queue_places, sizeof(struct kernel_messages));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct kernel_state){sim_offset(m, calls), sim_offset(m, tasks), sim_offset(m, locks),
      sim_offset(m, semaphores), sim_offset(m, queues), sim_offset(m, messages)};
  return SIM_OK;
}

#include "os/kernel/state.c"
