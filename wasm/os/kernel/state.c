/* The kernel's state for exploration (core/state_codec.h). Periodic tasks cannot be explored: their releases
   are times. */
#include "core/state_codec.h"
#include "os/kernel/kernel.h"

static uint32_t kernel_enabled(sim *m, struct kernel *kernel, const sim_msg *msg) {
  (void)m;
  (void)kernel;
  (void)msg;
  return SIM_ENABLED;
}

/* A completed call waits for nothing, and its other fields are not read again. */
static void kernel_serialize_call(struct sim_codec *k, kernel_call *call) {
  sim_codec_u8(k, &call->step);
  if (call->step == KERNEL_STEP_DONE || call->step == KERNEL_STEP_PASS) {
    call->wants = KERNEL_WANTS_NOTHING;
    return;
  }
  uint32_t *small[] = {&call->op, &call->object, &call->wants};
  for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) sim_codec_u8(k, small[i]);
  if (call->op == 0) return; /* never used */
  sim_codec_u64(k, &call->address);
  sim_codec_u64(k, &call->bytes);
}

static void kernel_serialize_queue(sim *m, struct kernel *kernel, struct sim_codec *k, uint32_t queue) {
  struct kernel_queues *q = kernel_queue_of(m, kernel, queue);
  sim_codec_u8(k, &q->used);
  if (q->used == 0) q->first = 0; /* the start of an empty queue is irrelevant */
  sim_codec_u8(k, &q->first);
  for (uint32_t i = 0; i < q->used; i++) {
    sim_codec_u64(k, &kernel_place(m, kernel, queue, i)->address);
    sim_codec_u64(k, &kernel_place(m, kernel, queue, i)->bytes);
  }
}

static void kernel_serialize(sim *m, struct kernel *kernel, struct sim_codec *k) {
  for (uint32_t row = 0; row < KERNEL_ROWS; row++) {
    struct kernel_tasks *task = kernel_task_of(m, kernel, row);
    if (!sim_wired(m, kernel->self, KERNEL_PORT_CPU + row / CALLS_PER_CPU)) continue;
    if (task->jobs) __builtin_trap();
    kernel_call *call = kernel_call_of(m, kernel, row);
    if (!call_is_explored(row, call->op)) continue;
    sim_codec_u8(k, &task->own);
    sim_codec_u8(k, &task->priority);
    kernel_serialize_call(k, call);
  }
  for (uint32_t i = 0; i < KERNEL_OBJECTS; i++) {
    sim_codec_u16(k, kernel_owner_of(m, kernel, i));
    sim_codec_u8(k, kernel_value_of(m, kernel, i));
    kernel_serialize_queue(m, kernel, k, i);
  }
}
