/* The state codec of the local bus adapter and its lines, queue, posted writes and split reads; unused
 * entries are not covered. */
#include "test/order_machine.h"

#define ENGINE test_engine()
#define STATE SIM_STATE(ENGINE, R_LBA, lba)
#define NOTHING_OF(place) assert_memory_equal(place, (char[sizeof *(place)]){0}, sizeof *(place))

/* Serializes a part as in exploration and deserializes it. */
static void written_and_read(uint32_t part) {
  uint8_t bytes[CODEC_PART];
  struct sim_codec k = {.at = bytes};
  sim_dispatch_serialize(sim_part(ENGINE, part)->type, ENGINE, part, &k);
  k = (struct sim_codec){.at = bytes, .reading = 1};
  sim_dispatch_serialize(sim_part(ENGINE, part)->type, ENGINE, part, &k);
}

/* The contents of a line are covered once memory has been read, unless the line was dropped. */
static void lines_are_serialized_while_they_are_needed(void **state) {
  (void)state;
  order_open(&(struct order){0});
  for (uint32_t i = 0; i < STATE->lines; i++) {
    lba_line *l = lba_line_at(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba), i);
    uint32_t *held = lba_words(ENGINE, STATE->line_words_at, i);
    *l = (lba_line){.addr = 0x1000,
        .memory = 0x1200,
        .state = LBA_LINE_HERE,
        .used = 1,
        .bytes = 128,
        .relaxed = 1,
        .current = 1,
        .offered = 1,
        .split = 1,
        .no_snoop = 1};
    held[0] = 5, held[1] = 6;
    KEEPS(R_LBA, &l->addr, &l->memory, &l->state, &l->used, &l->bytes, &l->relaxed, &l->current, &l->offered,
        &l->split, &l->no_snoop, held, held + 1);
    KEEPS_NOT(R_LBA, held + 2, &l->since, &l->cause);
    l->state = LBA_LINE_DROPPED;
    KEEPS(R_LBA, &l->addr, &l->memory, &l->state);
    KEEPS_NOT(R_LBA, held, held + 1);
    l->state = LBA_LINE_ASKED, l->memory = 0;
    KEEPS(R_LBA, &l->addr, &l->bytes);
    KEEPS_NOT(R_LBA, held, held + 1);
    l->state = LBA_LINE_EMPTY;
    written_and_read(R_LBA);
    NOTHING_OF(l); /* no flags are left over */
  }
}

static void queue_and_posts_are_serialized(void **state) {
  (void)state;
  order_open(&(struct order){0});
  struct lba_now *now = lba_view(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba));
  now->queued = now->posted = 2;
  for (uint32_t i = 0; i < 2; i++) {
    lba_item *q = lba_item_at(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba), i);
    struct lba_posts *p = lba_post_at(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba), i);
    uint32_t *held = lba_words(ENGINE, STATE->post_words_at, i);
    *q = (lba_item){.addr = 0xf0000000 + 4 * i,
        .value = 0x12345678,
        .item = LBA_ITEM_LOAD,
        .bytes = 4,
        .write = 300,
        .place = 1,
        .here = 1};
    *p = (struct lba_posts){.addr = 0x1000 + 4 * i, .bytes = 4, .whole = 1, .no_snoop = 1};
    held[0] = 9;
    KEEPS(R_LBA, &q->addr, &q->value, &q->item, &q->bytes, &q->write, &q->place, &q->here);
    KEEPS(R_LBA, &p->addr, &p->bytes, &p->whole, &p->no_snoop, held);
    KEEPS_NOT(R_LBA, held + 1, &q->cause, &p->cause);
  }
}

static void split_reads_are_serialized(void **state) {
  (void)state;
  order_open(&(struct order){.split = 1});
  assert_int_equal(STATE->splits, 2);
  for (uint32_t i = 0; i < 2; i++) {
    lba_split *r = lba_split_at(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba), i);
    *r = (lba_split){
        .addr = 0x1000, .end = 0x1100, .fetch = 0x1080, .tag = 1 + i, .relaxed = 1, .no_snoop = 1};
    KEEPS(R_LBA, &r->addr, &r->end, &r->fetch, &r->tag, &r->relaxed, &r->no_snoop);
  }
  lba_split_at(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba), 0)->end = 0; /* completed */
  written_and_read(R_LBA);
  NOTHING_OF(lba_split_at(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba), 0));
  assert_int_equal(lba_split_at(ENGINE, SIM_CONTEXT(ENGINE, R_LBA, lba), 1)->end, 0x1100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_serialized_while_they_are_needed),
      cmocka_unit_test(queue_and_posts_are_serialized),
      cmocka_unit_test(split_reads_are_serialized),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
