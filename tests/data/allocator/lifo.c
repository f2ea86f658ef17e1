/* The page that came back last is handed out first. */
#include "core/engine.h"
#include "gen/protocols.h"
#include "service_steps.h"

enum lifo_stage { LIFO_TAKE, LIFO_TAKEN, LIFO_NONE, LIFO_FORGET, LIFO_PUT, LIFO_DONE };

struct lifo_state {
  uint32_t stack_at, calls_at, free, spare;
};

static struct lifo_calls *lifo_call(sim *m, struct lifo *lifo, uint32_t caller) { return (struct lifo_calls *)sim_at(m, lifo->state->calls_at) + caller; }
static struct lifo_stack *lifo_top(sim *m, struct lifo *lifo) { return (struct lifo_stack *)sim_at(m, lifo->state->stack_at) + lifo->state->free; }

static uint32_t lifo_spend(struct lifo *lifo, struct allocator_next *q) {
  q->value = lifo->params->time;
  q->state = PROCESSOR_STATE_DRIVER;
  q->detail = 0;
  return OS_STEP_COMPUTE;
}

static void lifo_lends_alloc(sim *m, struct lifo *lifo, struct allocator_alloc *q) {
  struct lifo_calls *call = lifo_call(m, lifo, q->caller);
  call->stage = lifo->state->free ? LIFO_TAKE : LIFO_NONE;
  if (!lifo->state->free) return;
  lifo->state->free--;
  lifo->counters->taken++;
  call->page = lifo_top(m, lifo)->page;
}

static void lifo_lends_free(sim *m, struct lifo *lifo, struct allocator_free *q) { *lifo_call(m, lifo, q->caller) = (struct lifo_calls){LIFO_FORGET, (uint32_t)q->page}; }

static uint32_t lifo_lends_next(sim *m, struct lifo *lifo, struct allocator_next *q) {
  struct lifo_calls *call = lifo_call(m, lifo, q->caller);
  switch (call->stage++) {
    case LIFO_TAKE:
    case LIFO_PUT: return lifo_spend(lifo, q);
    case LIFO_FORGET: q->detail = 0; return OS_STEP_INVALIDATE;
    case LIFO_TAKEN:
      q->page = call->page;
      q->value = 1;
      return OS_STEP_DONE;
    case LIFO_DONE:
      lifo_top(m, lifo)->page = call->page;
      lifo->state->free++;
      lifo->counters->taken--;
      return OS_STEP_DONE;
  }
  q->value = 0;
  return OS_STEP_DONE;
}

static int lifo_load(sim *m, uint32_t self) {
  struct allocator_setup size = {0};
  call_allocator_setup(m, self, LIFO_PORT_LENDS, &size);
  struct lifo_state *s = sim_state_alloc(m, self, sizeof *s);
  struct lifo_stack *stack = sim_view(m, self, LIFO_VIEW_STACK, (uint32_t)size.pages, sizeof *stack);
  void *calls = sim_view(m, self, LIFO_VIEW_CALLS, CALLER(size.processors, 0), sizeof(struct lifo_calls));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  *s = (struct lifo_state){sim_offset(m, stack), sim_offset(m, calls), (uint32_t)size.pages, 0};
  for (uint32_t i = 0; i < s->free; i++) stack[i].page = s->free - 1 - i;
  return SIM_OK;
}
