/* Views of parts, read as by the page. */
#ifndef SIM_CHECK_VIEW_H
#define SIM_CHECK_VIEW_H

#include "core/engine.h"

static inline void *checked_view(sim *m, uint32_t part, uint32_t view, uint32_t *rows) {
  const struct sim_view_entry *entry =
      (const struct sim_view_entry *)sim_at(m, m->views_at) + sim_part(m, part)->first_view + view;
  *rows = entry->rows;
  return sim_at(m, entry->at);
}

/* A cache's line with this tag; NULL if it has none. */
static inline const struct snoop_cache_lines *held_line(sim *m, uint32_t cache, uint32_t tag) {
  uint32_t rows;
  const struct snoop_cache_lines *lines = checked_view(m, cache, SNOOP_CACHE_VIEW_LINES, &rows);
  for (uint32_t i = 0; i < rows; i++)
    if (lines[i].tag == tag && lines[i].state != SNOOP_CACHE_LINE_INVALID) return &lines[i];
  return NULL;
}

#endif
