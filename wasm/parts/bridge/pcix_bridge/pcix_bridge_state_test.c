/* The state codec of the PCI-X bridge: posted writes, reads, lines and the state of both sides; unused
 * entries are not covered. */
#include "test/order_machine.h"

#define ENGINE test_engine()
#define STATE SIM_STATE(ENGINE, O_BRIDGE, pcix_bridge)
#define NOTHING_OF(place) assert_memory_equal(place, (char[sizeof *(place)]){0}, sizeof *(place))

static void opened(void) { order_open(&(struct order){.bridge = 1}); }

/* Serializes the bridge as in exploration. */
static uint32_t written(uint8_t *bytes) {
  struct sim_codec k = {.at = bytes};
  pcix_bridge_serialize(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), &k);
  return (uint32_t)(k.at - bytes);
}

static void posts_are_serialized_with_the_addressed_word(void **state) {
  (void)state;
  opened();
  for (uint32_t way = 0; way < 2; way++) {
    uint32_t *posted = pcix_bridge_posted(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), way),
             *here = pcix_bridge_has_line(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), way);
    *posted = 2, *here = 1;
    for (uint32_t i = 0; i < 2; i++)
      *pcix_bridge_post_at(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), way, i) =
          (pcix_bridge_post){.addr = ORDER_FLAG + 4 + 128 * i, .value = 0x12345600 + i, .bytes = 4};
    for (uint32_t i = 0; i < 2; i++)
      pcix_bridge_post_words(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), way, i)[1] =
          7 + i; /* the word at offset 4 */
    KEEPS(O_BRIDGE, posted, here);
    for (uint32_t i = 0; i < 2; i++) {
      pcix_bridge_post *p = pcix_bridge_post_at(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), way, i);
      KEEPS(O_BRIDGE, &p->addr, &p->value, &p->bytes,
          pcix_bridge_post_words(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), way, i) + 1);
      KEEPS_NOT(O_BRIDGE, pcix_bridge_post_words(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), way, i),
          pcix_bridge_post_words(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), way, i) + 2);
    }
  }
}

static void both_sides_are_serialized(void **state) {
  (void)state;
  opened();
  KEEPS(O_BRIDGE, &STATE->turn);
  for (uint32_t way = 0; way < 2; way++) {
    struct pcix_bridge_side *side = &STATE->side[way];
    *side = (struct pcix_bridge_side){.asked = ORDER_FLAG,
        .asked_end = ORDER_FLAG + 4,
        .sending = PCIX_BRIDGE_ASKS,
        .run = 8,
        .completes = 1,
        .waited = 1};
    KEEPS(O_BRIDGE, &side->asked, &side->asked_end, &side->sending, &side->run, &side->completes,
        &side->waited);
  }
}

/* A read without an end is unused: its entry is cleared. */
static void reads_are_serialized(void **state) {
  (void)state;
  order_open(&(struct order){.bridge = 1, .reads = 3});
  for (uint32_t i = 0; i < 3; i++) {
    pcix_bridge_read *r = pcix_bridge_read_at(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), i);
    *r = (pcix_bridge_read){.addr = 0x1004,
        .fetch = 0x1080,
        .end = 0x1100,
        .limit = 0x1180,
        .side = 1,
        .split = 1,
        .tag = 3,
        .known = 1,
        .behind = 2,
        .attributes = 3};
    KEEPS(O_BRIDGE, &r->addr, &r->fetch, &r->end, &r->limit, &r->side, &r->split, &r->tag, &r->known,
        &r->behind, &r->attributes);
    uint8_t with[CODEC_PART], without[CODEC_PART];
    const uint32_t length = written(with);
    r->end = 0;
    assert_true(written(without) < length);
    NOTHING_OF(r);
  }
}

/* The words of a card's line are covered once the line is complete; a register read has a value instead. */
static void lines_are_serialized_when_complete(void **state) {
  (void)state;
  opened();
  for (uint32_t i = 0; i < 2; i++) {
    pcix_bridge_line *l = pcix_bridge_line_at(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), i);
    uint32_t *held = pcix_bridge_line_words(ENGINE, SIM_CONTEXT(ENGINE, O_BRIDGE, pcix_bridge), l);
    *l = (pcix_bridge_line){.addr = 0x1000 + 128 * i,
        .value = 0x12345678,
        .state = PCIX_BRIDGE_LINE_HERE,
        .from = 8,
        .to = 8,
        .read = 1,
        .side = PCIX_BRIDGE_CARDS,
        .behind = 2};
    held[0] = 5, held[1] = 6;
    KEEPS(O_BRIDGE, &l->addr, &l->value, &l->state, &l->from, &l->to, &l->read, &l->side, &l->behind, held,
        held + 1);
    KEEPS_NOT(O_BRIDGE, held + 2);
    l->side = 0;
    KEEPS(O_BRIDGE, &l->addr, &l->value, &l->from, &l->to);
    KEEPS_NOT(O_BRIDGE, held, held + 1);
    l->side = PCIX_BRIDGE_CARDS, l->from = 4;
    KEEPS(O_BRIDGE, &l->addr, &l->state, &l->from, &l->to, &l->read, &l->side, &l->behind);
    KEEPS_NOT(O_BRIDGE, &l->value, held, held + 1);
    l->state = PCIX_BRIDGE_LINE_EMPTY;
    uint8_t bytes[CODEC_PART];
    written(bytes);
    NOTHING_OF(l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(posts_are_serialized_with_the_addressed_word),
      cmocka_unit_test(both_sides_are_serialized),
      cmocka_unit_test(reads_are_serialized),
      cmocka_unit_test(lines_are_serialized_when_complete),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
