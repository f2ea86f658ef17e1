/* What the bus's state is made of, for exploration. Bursts there are of one block: the latency timer ends none. */
#include "core/keep.h"

static void pci_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct pci_state *s = BY_STATE(m, self, pci);
  struct pci_now *now = pci_view(m, s);
  by_keep_small(k, &now->state);
  by_keep_small(k, &now->requests);
  by_keep_small(k, &now->last);
  by_keep_small(k, &s->starting);
  if (now->state == PCI_STATE_IDLE) return;
  by_keep_small(k, &now->master);
  by_keep_short(k, &now->target);
  by_keep_small(k, &now->command);
  by_keep_small(k, &now->bytes);
  by_keep_small(k, &now->moved);
  by_keep_small(k, &s->accepted);
  by_keep_addr(k, &now->addr);
}

/* A transaction that nobody takes is one event: nothing can be seen of it but that it was in vain. */
static uint32_t pci_when(by *m, uint32_t self, const by_msg *msg) {
  return msg->kind == PCI_BLOCK && BY_STATE(m, self, pci)->accepted == 0 ? BY_AT_ONCE : BY_ANY_TIME;
}
