/* Objects that threads wait for: which thread is first, which is woken, and the priority of a lock's owner.
 */
#include "os/kernel/kernel.h"

/* The waiting thread of highest priority for an object, and among equals the one that has waited longest;
   KERNEL_NOBODY if none. */
static uint32_t kernel_first(sim *m, struct kernel *kernel, uint32_t wants, uint32_t object) {
  uint32_t best = KERNEL_NOBODY;
  for (uint32_t row = 0; row < KERNEL_ROWS; row++) {
    const kernel_call *call = kernel_call_of(m, kernel, row);
    if (call->wants != wants || call->object != object) continue;
    if (best == KERNEL_NOBODY) {
      best = row;
      continue;
    }
    uint32_t mine = kernel_task_of(m, kernel, row)->priority,
             other = kernel_task_of(m, kernel, best)->priority;
    if (mine > other || (mine == other && call->since < kernel_call_of(m, kernel, best)->since)) best = row;
  }
  return best;
}

/* Completes a thread's wait. A thread on another processor, or one that a timer wakes, needs an interrupt. */
static void kernel_wake(sim *m, struct kernel *kernel, uint32_t row, uint32_t sim_cpu) {
  uint32_t cpu = row / CALLS_PER_CPU;
  kernel_call_of(m, kernel, row)->wants = KERNEL_WANTS_NOTHING;
  if (cpu != sim_cpu) call_os_preempt(m, kernel->self, KERNEL_PORT_CPU + cpu);
  call_os_wake(m, kernel->self, KERNEL_PORT_CPU + cpu, &(struct os_wake){.thread = row % CALLS_PER_CPU});
}

static uint32_t kernel_waits(sim *m, kernel_call *call, uint32_t wants) {
  call->wants = wants;
  call->since = m->time;
  return OS_STEP_BLOCK;
}

static void kernel_run_at(sim *m, struct kernel *kernel, uint32_t row, uint32_t priority) {
  struct kernel_tasks *task = kernel_task_of(m, kernel, row);
  if (task->priority == priority) return;
  task->priority = priority;
  call_os_priority(m, kernel->self, KERNEL_PORT_CPU + row / CALLS_PER_CPU,
      &(struct os_priority){.thread = row % CALLS_PER_CPU, .priority = priority, .set = 1});
}

/* A thread waits for a lock: the owner, and transitively the owner of the lock that it waits for, runs at
   least at the thread's priority. Other processors than the caller's are interrupted to notice. */
static void kernel_inherit(sim *m, struct kernel *kernel, uint32_t row, uint32_t lock) {
  uint32_t priority = kernel_task_of(m, kernel, row)->priority;
  if (!kernel->params->inherit) return;
  for (uint32_t owner = *kernel_owner_of(m, kernel, lock); owner; owner = *kernel_owner_of(m, kernel, lock)) {
    if (kernel_task_of(m, kernel, owner - 1)->priority >= priority) return;
    kernel_run_at(m, kernel, owner - 1, priority);
    kernel->counters->inherited++;
    sim_trace(m, kernel->self, KERNEL_EV_INHERIT, priority, (owner - 1) / CALLS_PER_CPU,
        (owner - 1) % CALLS_PER_CPU);
    uint32_t wants = kernel_call_of(m, kernel, owner - 1)->wants, cpu = (owner - 1) / CALLS_PER_CPU;
    if (wants == KERNEL_WANTS_NOTHING && cpu != row / CALLS_PER_CPU)
      call_os_preempt(m, kernel->self, KERNEL_PORT_CPU + cpu);
    if (wants != KERNEL_WANTS_A_LOCK) return;
    lock = kernel_call_of(m, kernel, owner - 1)->object;
  }
}

/* The priority that an owner still inherits from threads that wait for its other locks. */
static void kernel_disinherit(sim *m, struct kernel *kernel, uint32_t row) {
  uint32_t priority = kernel_task_of(m, kernel, row)->own;
  for (uint32_t lock = 0; lock < KERNEL_OBJECTS; lock++) {
    if (*kernel_owner_of(m, kernel, lock) != row + 1 || !kernel->params->inherit) continue;
    uint32_t first = kernel_first(m, kernel, KERNEL_WANTS_A_LOCK, lock);
    if (first != KERNEL_NOBODY && kernel_task_of(m, kernel, first)->priority > priority)
      priority = kernel_task_of(m, kernel, first)->priority;
  }
  kernel_run_at(m, kernel, row, priority);
}

static void kernel_own(sim *m, struct kernel *kernel, uint32_t row, uint32_t lock) {
  *kernel_owner_of(m, kernel, lock) = row + 1;
  kernel->counters->locked++;
  sim_trace(m, kernel->self, KERNEL_EV_LOCK, lock, row / CALLS_PER_CPU, row % CALLS_PER_CPU);
}

/* Hands the lock to the first waiting thread: no other waiting thread has a higher priority to inherit. */
static void kernel_hand_over(sim *m, struct kernel *kernel, uint32_t row, uint32_t lock) {
  sim_trace(m, kernel->self, KERNEL_EV_UNLOCK, lock, row / CALLS_PER_CPU, row % CALLS_PER_CPU);
  *kernel_owner_of(m, kernel, lock) = 0;
  uint32_t next = kernel_first(m, kernel, KERNEL_WANTS_A_LOCK, lock);
  if (next != KERNEL_NOBODY) {
    uint64_t waited = m->time - kernel_call_of(m, kernel, next)->since;
    kernel->counters->lock_wait += waited;
    kernel->counters->lock_wait_most = sim_max(kernel->counters->lock_wait_most, waited);
    kernel_own(m, kernel, next, lock);
    kernel_wake(m, kernel, next, row / CALLS_PER_CPU);
  }
  kernel_disinherit(m, kernel, row);
}
