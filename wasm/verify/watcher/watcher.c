/* The watcher part; the checks are in verify/monitor.c. */
#include "core/engine.h"

struct watcher_state {
  uint32_t last_at;
  uint32_t spare;
};

static int watcher_load(sim *m, uint32_t self) {
  struct watcher_state *s = sim_state_alloc(m, self, sizeof *s);
  void *last = sim_view(m, self, WATCHER_VIEW_LAST, 1, sizeof(struct watcher_last));
  if (sim_out_of_memory(m)) return SIM_NO_MEMORY;
  s->last_at = sim_offset(m, last);
  m->monitor = self + 1;
  return SIM_OK;
}
