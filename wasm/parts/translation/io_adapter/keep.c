/* What the adapter's state is made of, for exploration. */
#include "core/keep.h"
#include "parts/translation/io_adapter/io_adapter.h"

static void adapter_keep_tlb(struct io_adapter_tlb *row, struct by_keeper *k) {
  by_keep_small(k, &row->valid);
  if (!row->valid) return;
  by_keep_short(k, &row->block);
  by_keep_small(k, &row->attributes);
  by_keep_short(k, &row->index);
  by_keep_addr(k, &row->page);
}

/* What a partial write brings is merged as a write of its own, so it makes no difference. */
static void adapter_keep_request(struct io_adapter_requests *r, struct by_keeper *k) {
  by_keep_small(k, &r->kind);
  by_keep_small(k, &r->slot);
  by_keep_small(k, &r->bytes);
  by_keep_addr(k, &r->addr);
  by_keep_write(k, &r->half_0, KEEP_COMING);
  by_keep_write(k, &r->half_1, KEEP_COMING);
}

static void adapter_keep_now(by *m, struct io_adapter_state *s, struct by_keeper *k) {
  struct io_adapter_now *now = adapter_now(m, s);
  by_keep_small(k, &now->state);
  by_keep_small(k, &now->waiting);
  by_keep_small(k, &now->returning);
  by_keep_small(k, &s->arriving);
  by_keep_small(k, &s->want);
  by_keep_small(k, &s->reads);
  by_keep_small(k, &s->answers);
  by_keep_small(k, &s->locked);
  by_keep_small(k, &s->asked);
  for (uint32_t i = 0; i < s->reads; i++) {
    by_keep_addr(k, &s->read[i].addr);
    by_keep_small(k, &s->read[i].tid);
    by_keep_small(k, &s->read[i].answered);
    by_keep_small(k, &s->read[i].behind);
    by_keep_word(k, &s->read[i].value);
  }
  if (now->waiting == 0 || now->state == IO_ADAPTER_STATE_INTERRUPT) return; /* whose address is not translated */
  by_keep_short(k, &now->chain);
  if (now->state <= IO_ADAPTER_STATE_FETCH) return;
  by_keep_addr(k, &now->physical);
  by_keep_addr(k, &s->meant);
  by_keep_short(k, &now->index);
  by_keep_small(k, &now->attributes);
  if (s->want != RUNWAY_WRITE32 && s->want != RUNWAY_WRITE16_PURGE && s->want != RUNWAY_WRITE_QUIET) return;
  by_keep_write(k, &s->want_half_0, KEEP_COMING);
  by_keep_write(k, &s->want_half_1, KEEP_COMING);
}

static void adapter_keep_line(struct io_adapter_line *line, struct by_keeper *k) {
  by_keep_small(k, &line->state);
  if (line->state == IO_ADAPTER_LINE_EMPTY) return;
  by_keep_small(k, &line->stalls);
  by_keep_addr(k, &line->addr);
  if (line->state != IO_ADAPTER_LINE_HELD) return;
  by_keep_write(k, &line->half_0, KEEP_COPY);
  by_keep_write(k, &line->half_1, KEEP_COPY);
}

static void adapter_keep_prefetch(struct io_adapter_prefetch *buffer, struct by_keeper *k) {
  by_keep_small(k, &buffer->state);
  by_keep_addr(k, &buffer->addr);
  by_keep_addr(k, &buffer->physical);
  by_keep_short(k, &buffer->index);
  if (buffer->state != 3) return;
  by_keep_write(k, &buffer->half_0, KEEP_DATA);
  by_keep_write(k, &buffer->half_1, KEEP_DATA);
}

static void io_adapter_keep(by *m, uint32_t self, struct by_keeper *k) {
  struct io_adapter_state *s = BY_STATE(m, self, io_adapter);
  struct io_adapter_returns *returns = by_at(m, s->returns_at);
  for (uint32_t i = 0; i < BY_PARAMS(m, self, io_adapter)->rows; i++) adapter_keep_tlb(adapter_tlb(m, s, i), k);
  adapter_keep_now(m, s, k);
  for (uint32_t i = 0; i < adapter_now(m, s)->waiting; i++) adapter_keep_request(&adapter_requests(m, s)[i], k);
  for (uint32_t i = 0; i < adapter_now(m, s)->returning + s->arriving; i++) {
    by_keep_small(k, &returns[i].slot);
    by_keep_small(k, &returns[i].kind);
    by_keep_small(k, &returns[i].bytes);
    by_keep_addr(k, &returns[i].addr);
    if (returns[i].kind == 1 || returns[i].kind == 2) { /* a register access: value and tag */
      by_keep_word(k, &returns[i].half_0);
      by_keep_word(k, &returns[i].half_1);
      continue;
    }
    by_keep_addr(k, &returns[i].memory);
    by_keep_write(k, &returns[i].half_0, KEEP_DATA);
    by_keep_write(k, &returns[i].half_1, KEEP_DATA);
  }
  adapter_keep_line(adapter_line(m, s), k);
  uint32_t used = 0; /* bits of the buffers that are not empty */
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++) used |= (uint32_t)(adapter_prefetch(m, s, slot)->state != 0) << slot;
  by_keep_small(k, &used);
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++) {
    if (used & 1u << slot) adapter_keep_prefetch(adapter_prefetch(m, s, slot), k);
    else adapter_prefetch(m, s, slot)->state = 0;
  }
}
