/* Invariants of threads that share locks: a waiting thread is delayed only by the owner, not by other threads
   of lower priority. */
#include "verify/view.h"

/* The processor of a kernel port's threads; SIM_NONE if another part is in between. */
static uint32_t cpu_of_row(sim *m, uint32_t kernel, uint32_t row) {
  uint32_t slot = KERNEL_PORT_CPU + row / CALLS_PER_CPU;
  if (!sim_wired(m, kernel, slot)) return SIM_NONE;
  uint32_t cpu = sim_wire(m, kernel, slot)->part;
  return sim_part(m, cpu)->type == SIM_TYPE_PROCESSOR ? cpu : SIM_NONE;
}

/* The running thread of a processor; NULL while it idles, is in the kernel, or has been interrupted. */
static const thread *computing(sim *m, uint32_t cpu) {
  struct processor_state *s = SIM_STATE(m, cpu, processor);
  if (s->current >= s->thread_count || !s->timing || s->held || s->irqs) return NULL;
  const thread *t = &cpu_threads(m, s)[s->current];
  return cpu_rows(m, s)[t->row].do_ == PROCESSOR_OP_SPEND ? t : NULL;
}

/* The first owner in the chain that waits for no lock itself. */
static uint32_t root_lock_owner(sim *m, uint32_t kernel, uint32_t row) {
  for (uint32_t hops = 0;
      hops < KERNEL_ROWS
      && kernel_call_of(m, SIM_CONTEXT(m, kernel, kernel), row)->wants == KERNEL_WANTS_A_LOCK;
      hops++)
    row = *kernel_owner_of(m, SIM_CONTEXT(m, kernel, kernel),
              kernel_call_of(m, SIM_CONTEXT(m, kernel, kernel), row)->object)
          - 1;
  return row;
}

/* Whether a thread runs in place of the owner of a lock that a thread of higher priority waits for. */
static int is_inverted(sim *m, uint32_t kernel) {
  for (uint32_t row = 0; kernel != SIM_NONE && row < KERNEL_ROWS; row++) {
    if (kernel_call_of(m, SIM_CONTEXT(m, kernel, kernel), row)->wants != KERNEL_WANTS_A_LOCK) continue;
    uint32_t owner = root_lock_owner(m, kernel, row), mine = cpu_of_row(m, kernel, row),
             its = cpu_of_row(m, kernel, owner);
    if (mine == SIM_NONE || its == SIM_NONE) continue;
    const thread *waits = &cpu_threads(m, SIM_STATE(m, mine, processor))[row % CALLS_PER_CPU],
                 *owns = &cpu_threads(m, SIM_STATE(m, its, processor))[owner % CALLS_PER_CPU];
    const thread *runs = computing(m, its);
    if (runs && runs != owns && owns->status == PROCESSOR_THREAD_READY && runs->priority < waits->priority)
      return 1;
  }
  return 0;
}
