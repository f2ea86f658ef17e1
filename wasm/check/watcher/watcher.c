/* The part of a machine that is watched: what is looked at is in check/watch.c. */
#include "core/engine.h"

struct watcher_state {
  uint32_t last_at, spare;
};

static int watcher_load(by *m, uint32_t self) {
  struct watcher_state *s = by_state_alloc(m, self, sizeof *s);
  void *last = by_view(m, self, WATCHER_VIEW_LAST, 1, sizeof(struct watcher_last));
  if (by_out_of_memory(m)) return BY_NO_MEMORY;
  s->last_at = by_offset(m, last);
  m->watcher = self + 1;
  return BY_OK;
}
