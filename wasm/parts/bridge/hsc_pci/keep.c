/* What the bridge's state is made of, for exploration. */
#include "core/keep.h"

static void hsc_pci_keep_line(hsc_pci_line *l, struct by_keeper *k) {
  by_keep_small(k, &l->state);
  if (l->state == HSC_PCI_LINE_EMPTY) {
    l->addr = 0;
    return;
  }
  by_keep_addr(k, &l->addr);
  if (l->state != HSC_PCI_LINE_HERE) return;
  by_keep_addr(k, &l->memory);
  by_keep_write(k, &l->half_0, KEEP_DATA);
  by_keep_write(k, &l->half_1, KEEP_DATA);
}

static void hsc_pci_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct hsc_pci_state *s = BY_STATE(m, self, hsc_pci);
  struct hsc_pci_now *now = hsc_pci_view(m, s);
  by_keep_small(k, &now->posted);
  by_keep_small(k, &now->queued);
  by_keep_small(k, &now->interrupts);
  by_keep_small(k, &s->asked);
  by_keep_small(k, &s->sending);
  if (s->sending == HSC_WRITE + 1) by_keep_small(k, &s->piece);
  for (uint32_t i = 0; i < s->lines; i++) hsc_pci_keep_line(&hsc_pci_lines(m, s)[i], k);
  for (uint32_t i = 0; i < now->posted; i++) {
    hsc_pci_post *p = &hsc_pci_posts(m, s)[i];
    by_keep_addr(k, &p->addr);
    by_keep_small(k, &p->bytes);
    by_keep_write(k, &p->half_0, KEEP_COMING);
    by_keep_write(k, &p->half_1, KEEP_COMING);
  }
  for (uint32_t i = 0; i < now->queued; i++) {
    hsc_pci_access *a = &hsc_pci_accesses(m, s)[i];
    by_keep_addr(k, &a->addr);
    by_keep_word(k, &a->value);
    by_keep_small(k, &a->tag);
    by_keep_small(k, &a->state);
    by_keep_small(k, &a->behind);
  }
}

/* A card's interrupt may take its time. */
static uint32_t hsc_pci_when(by *m, uint32_t self, const by_msg *msg) {
  (void)m, (void)self, (void)msg;
  return BY_ANY_TIME;
}
