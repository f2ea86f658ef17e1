/* A driver that has each line mapped by itself, both at a time if it likes, and a device that reads through either mapping. */
#include "core/keep.h"

static uint32_t prover_list_pages(by *m, uint32_t self, struct prover_choice *list) {
  const struct prover_now *now = prover_view(m, self);
  uint32_t n = 0;
  for (uint32_t line = 0; line < BY_PARAMS(m, self, prover)->lines; line++) {
    uint32_t held = now->held >> line & 1;
    if (now->reads != line + 1) list[n++] = (struct prover_choice){held ? PROVER_ACTION_UNMAP : PROVER_ACTION_MAP, line, PROVER_CONTRACT_BOTH, 0, 0};
  }
  return n;
}

static uint32_t prover_list_reads(by *m, uint32_t self, struct prover_choice *list) {
  const struct prover_now *now = prover_view(m, self);
  uint32_t n = 0;
  for (uint32_t line = 0; line < BY_PARAMS(m, self, prover)->lines; line++)
    if (now->held >> line & 1) list[n++] = (struct prover_choice){.action = PROVER_ACTION_READ, .line = line};
  return n;
}

/* A call is over; a mapping that was made has this address. */
static void prover_page_done(struct prover_now *now, uint64_t address) {
  now->stage = STAGE_UNMAPPED;
  if (now->service != PROVER_ACTION_MAP) return;
  now->held |= 1u << now->line;
  (&now->page_0)[now->line] = (uint32_t)(address / 4096);
}

static void prover_keep_pages(struct prover_now *now, struct by_keeper *k) {
  by_keep_small(k, &now->held);
  by_keep_small(k, &now->reads);
  for (uint32_t line = 0; line < 2; line++) {
    uint32_t *page = &now->page_0 + line;
    if (now->held >> line & 1) by_keep_small(k, page);
    else *page = 0;
  }
}
