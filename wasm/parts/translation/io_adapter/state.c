/* The adapter's state for exploration. */
#include "core/state_codec.h"
#include "parts/translation/io_adapter/io_adapter.h"

static void adapter_serialize_tlb(struct io_adapter_tlb *row, struct sim_codec *k) {
  sim_codec_u8(k, &row->valid);
  if (!row->valid) return;
  sim_codec_u16(k, &row->block);
  sim_codec_u8(k, &row->attributes);
  sim_codec_u16(k, &row->index);
  sim_codec_addr(k, &row->page);
}

/* The data of a partial write is merged as a new write, so its identity is irrelevant. */
static void adapter_serialize_request(struct io_adapter_requests *r, struct sim_codec *k) {
  sim_codec_u8(k, &r->kind);
  sim_codec_u8(k, &r->slot);
  sim_codec_u8(k, &r->bytes);
  sim_codec_addr(k, &r->addr);
  sim_codec_write_id(k, &r->half_0, WRITE_PENDING);
  sim_codec_write_id(k, &r->half_1, WRITE_PENDING);
}

static void adapter_serialize_now(sim *m, struct io_adapter *adapter, struct sim_codec *k) {
  struct io_adapter_now *now = adapter_now(m, adapter);
  sim_codec_u8(k, &now->state);
  sim_codec_u8(k, &now->waiting);
  sim_codec_u8(k, &now->returning);
  sim_codec_u8(k, &adapter->state->arriving);
  sim_codec_u8(k, &adapter->state->want);
  sim_codec_u8(k, &adapter->state->reads);
  sim_codec_u8(k, &adapter->state->answers);
  sim_codec_u8(k, &adapter->state->locked);
  sim_codec_u8(k, &adapter->state->asked);
  for (uint32_t i = 0; i < adapter->state->reads; i++) {
    sim_codec_addr(k, &adapter->state->read[i].addr);
    sim_codec_u8(k, &adapter->state->read[i].tid);
    sim_codec_u8(k, &adapter->state->read[i].answered);
    sim_codec_u8(k, &adapter->state->read[i].behind);
    sim_codec_u32(k, &adapter->state->read[i].value);
  }
  if (now->waiting == 0 || now->state == IO_ADAPTER_STATE_INTERRUPT)
    return; /* its address is not translated */
  sim_codec_u16(k, &now->chain);
  if (now->state <= IO_ADAPTER_STATE_FETCH) return;
  sim_codec_addr(k, &now->physical);
  sim_codec_addr(k, &adapter->state->meant);
  sim_codec_u16(k, &now->index);
  sim_codec_u8(k, &now->attributes);
  if (adapter->state->want != RUNWAY_TYPE_WRITE32 && adapter->state->want != RUNWAY_TYPE_WRITE16_PURGE
      && adapter->state->want != RUNWAY_TYPE_WRITE_NONCOHERENT)
    return;
  sim_codec_write_id(k, &adapter->state->want_half_0, WRITE_PENDING);
  sim_codec_write_id(k, &adapter->state->want_half_1, WRITE_PENDING);
}

static void adapter_serialize_line(struct io_adapter_line *line, struct sim_codec *k) {
  sim_codec_u8(k, &line->state);
  if (line->state == IO_ADAPTER_LINE_EMPTY) return;
  sim_codec_u8(k, &line->stalls);
  sim_codec_addr(k, &line->addr);
  if (line->state != IO_ADAPTER_LINE_HELD) return;
  sim_codec_write_id(k, &line->half_0, WRITE_COPY);
  sim_codec_write_id(k, &line->half_1, WRITE_COPY);
}

static void adapter_serialize_prefetch(struct io_adapter_prefetch *buffer, struct sim_codec *k) {
  sim_codec_u8(k, &buffer->state);
  sim_codec_addr(k, &buffer->addr);
  sim_codec_addr(k, &buffer->physical);
  sim_codec_u16(k, &buffer->index);
  if (buffer->state != 3) return;
  sim_codec_write_id(k, &buffer->half_0, HOLDER_DATA);
  sim_codec_write_id(k, &buffer->half_1, HOLDER_DATA);
}

static void adapter_serialize_rest(struct io_adapter_rest *rest, struct sim_codec *k) {
  sim_codec_u8(k, &rest->kept);
  if (!rest->kept) return;
  sim_codec_addr(k, &rest->addr);
  sim_codec_write_id(k, &rest->half_0, HOLDER_DATA);
  sim_codec_write_id(k, &rest->half_1, HOLDER_DATA);
}

static void io_adapter_serialize(sim *m, struct io_adapter *adapter, struct sim_codec *k) {
  struct io_adapter_returns *returns = sim_at(m, adapter->state->returns_at);
  for (uint32_t i = 0; i < adapter->params->rows; i++) adapter_serialize_tlb(adapter_tlb(m, adapter, i), k);
  adapter_serialize_now(m, adapter, k);
  for (uint32_t i = 0; i < adapter_now(m, adapter)->waiting; i++)
    adapter_serialize_request(&adapter_requests(m, adapter)[i], k);
  for (uint32_t i = 0; i < adapter_now(m, adapter)->returning + adapter->state->arriving; i++) {
    sim_codec_u8(k, &returns[i].slot);
    sim_codec_u8(k, &returns[i].kind);
    sim_codec_u8(k, &returns[i].bytes);
    sim_codec_addr(k, &returns[i].addr);
    if (returns[i].kind == 1 || returns[i].kind == 2) { /* a register access: value and tag */
      sim_codec_u32(k, &returns[i].half_0);
      sim_codec_u32(k, &returns[i].half_1);
      continue;
    }
    sim_codec_addr(k, &returns[i].memory);
    sim_codec_write_id(k, &returns[i].half_0, HOLDER_DATA);
    sim_codec_write_id(k, &returns[i].half_1, HOLDER_DATA);
  }
  adapter_serialize_line(adapter_line(m, adapter), k);
  uint32_t used = 0; /* bits of the non-empty buffers */
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++)
    used |= (uint32_t)(adapter_prefetch(m, adapter, slot)->state != 0) << slot;
  sim_codec_u8(k, &used);
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++) {
    if (used & 1u << slot) adapter_serialize_prefetch(adapter_prefetch(m, adapter, slot), k);
    else adapter_prefetch(m, adapter, slot)->state = 0;
  }
  for (uint32_t slot = 0; slot < ADAPTER_SLOTS; slot++)
    adapter_serialize_rest(&adapter->state->rest[slot], k);
}
