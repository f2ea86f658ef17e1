/* What the kernel's state is made of, for exploring (core/keep.h). Periodic tasks cannot be explored: their releases are times. */
#include "core/keep.h"
#include "os/kernel/kernel.h"

static uint32_t kernel_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}

/* A call that is over wants nothing, and nothing else of it is looked at again. */
static void kernel_keep_call(struct by_keeper *k, kernel_call *call) {
  by_keep_small(k, &call->step);
  if (call->step == KERNEL_STEP_DONE || call->step == KERNEL_STEP_PASS) {
    call->wants = KERNEL_WANTS_NOTHING;
    return;
  }
  uint32_t *small[] = {&call->op, &call->object, &call->wants};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) by_keep_small(k, small[i]);
  if (call->op == 0) return; /* never used */
  by_keep_long(k, &call->address);
  by_keep_long(k, &call->bytes);
}

static void kernel_keep_queue(by *m, uint32_t self, struct by_keeper *k, uint32_t queue) {
  struct kernel_queues *q = kernel_queue_of(m, self, queue);
  by_keep_small(k, &q->used);
  if (q->used == 0) q->first = 0; /* where an empty queue begins makes no difference */
  by_keep_small(k, &q->first);
  for (uint32_t i = 0; i < q->used; i++) {
    by_keep_long(k, &kernel_place(m, self, queue, i)->address);
    by_keep_long(k, &kernel_place(m, self, queue, i)->bytes);
  }
}

static void kernel_keep(by *m, uint32_t self, struct by_keeper *k) {
  for (uint32_t row = 0; row < KERNEL_ROWS; row++) {
    struct kernel_tasks *task = kernel_task_of(m, self, row);
    if (!by_wired(m, self, KERNEL_PORT_CPU + row / KERNEL_THREADS)) continue;
    if (task->jobs) __builtin_trap();
    by_keep_small(k, &task->own);
    by_keep_small(k, &task->priority);
    kernel_keep_call(k, kernel_call_of(m, self, row));
  }
  for (uint32_t i = 0; i < KERNEL_OBJECTS; i++) {
    by_keep_short(k, kernel_owner_of(m, self, i));
    by_keep_small(k, kernel_value_of(m, self, i));
    kernel_keep_queue(m, self, k, i);
  }
}
