/* A bridge between two PCI-X buses as master on either: arbitration, data of its reads, and unclaimed
 * transactions. */
#include "test/pcix_bridge.h"

static uint32_t granted(uint32_t way, struct pci_grant *q) {
  *q = (struct pci_grant){0};
  return pcix_bridge_bus_grant(OF(part_named("bridge"), pcix_bridge), way, q);
}

/* A split read of 200 bytes from byte 60, whose lines have all arrived. */
static void all_here(uint32_t read, uint32_t side) {
  *READ_AT(read) = (pcix_bridge_read){.addr = AT + 60,
      .end = AT + 260,
      .fetch = AT + 384,
      .limit = AT + 384,
      .side = side,
      .split = 1,
      .tag = 5 + read,
      .known = 1};
  for (uint32_t k = 0; k < 3; k++) {
    line(k, read, AT + k * LINE, PCIX_BRIDGE_LINE_HERE);
    LINE_AT(k)->side = side, LINE_AT(k)->value = 600 + k, LINE_AT(k)->newest = 700 + k,
    LINE_AT(k)->cause = 40 + k;
  }
}

/* Posted writes have priority, but not twice in a row while a completion or a read waits. Completions precede
 * reads. A retried read is repeated. */
TEST(posts_have_priority_but_not_twice_in_a_row) {
  static const struct {
    uint32_t posts, data, read, again, waited, next;
  } cases[] = {{0, 0, 0, 0, 0, PCIX_BRIDGE_NOTHING}, {1, 0, 0, 0, 0, PCIX_BRIDGE_POSTS},
      {1, 0, 0, 0, 1, PCIX_BRIDGE_POSTS}, {1, 1, 0, 0, 0, PCIX_BRIDGE_POSTS},
      {1, 1, 0, 0, 1, PCIX_BRIDGE_COMPLETION}, {0, 1, 1, 0, 0, PCIX_BRIDGE_COMPLETION},
      {1, 0, 1, 0, 1, PCIX_BRIDGE_ASKS}, {0, 0, 1, 0, 0, PCIX_BRIDGE_ASKS}, {0, 0, 0, 1, 0, PCIX_BRIDGE_ASKS},
      {1, 0, 0, 1, 1, PCIX_BRIDGE_ASKS}, {1, 0, 0, 1, 0, PCIX_BRIDGE_POSTS},
      {0, 1, 0, 1, 1, PCIX_BRIDGE_COMPLETION}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t way = UP; way <= DOWN; way++) {
      quiet();
      struct pcix_bridge_side *side = &STATE->side[way];
      POSTED(way) = HERE(way) = cases[i].posts;
      *POST_AT(way, 0) = (pcix_bridge_post){.addr = AT, .bytes = 4};
      if (cases[i].data) all_here(3, way);
      if (cases[i].read)
        *READ_AT(1) = (pcix_bridge_read){.addr = AT + 8192,
            .fetch = AT + 8192,
            .end = AT + 8320,
            .limit = AT + 8320,
            .side = !way,
            .known = 1};
      side->asked = AT + 4096, side->asked_end = AT + 4096 + (cases[i].again ? 128 : 0),
      side->waited = cases[i].waited;
      if (!cases[i].again) side->asked = side->asked_end = 0;
      assert_int_equal(pcix_bridge_next(OF(part_named("bridge"), pcix_bridge), way), cases[i].next);
      struct pci_grant q;
      assert_int_equal(granted(way, &q), cases[i].next != PCIX_BRIDGE_NOTHING);
      EXPECT_VALUES({side->sending, cases[i].next}, {side->waited, cases[i].next == PCIX_BRIDGE_POSTS});
      static const uint64_t at[] = {0, AT, AT + 60, AT + 8192};
      assert_int_equal(
          q.address, cases[i].next == PCIX_BRIDGE_ASKS && cases[i].again ? AT + 4096 : at[cases[i].next]);
    }
}

/* One burst carries two lines, the first from byte 60. Each line crosses when it is complete, behind the
 * posted writes of its direction, which is recorded if there are any. */
TEST(a_line_crosses_when_it_is_complete) {
  for (uint32_t posts = 0; posts < 3; posts += 2) {
    quiet();
    line(2, 1, AT, PCIX_BRIDGE_LINE_ASKED), line(5, 1, AT + LINE, PCIX_BRIDGE_LINE_ASKED),
        line(6, 0, AT, PCIX_BRIDGE_LINE_HERE);
    LINE_AT(2)->from = 60;
    memset(pcix_bridge_line_words(ENGINE, CONTEXT_OF("bridge", pcix_bridge), LINE_AT(5)), 0, 128);
    POSTED(DOWN) = posts;
    uint32_t words[32];
    for (uint32_t i = 0; i < 32; i++) words[i] = 300 + i;
    pcix_bridge_bus_master_take(OF(part_named("bridge"), pcix_bridge), UP,
        &(struct pci_master_take){
            .address = AT + 60, .bytes = 100, .value = 8, .newest = 9, .writes = words});
    EXPECT_VALUES({LINE_AT(2)->state, PCIX_BRIDGE_LINE_CROSSING}, {LINE_AT(2)->behind, posts},
        {LINE_AT(2)->value, 8}, {LINE_AT(2)->newest, 9});
    for (uint32_t i = 0; i < 32; i++)
      assert_int_equal(pcix_bridge_line_words(ENGINE, CONTEXT_OF("bridge", pcix_bridge), LINE_AT(2))[i],
          i < 15 ? 3000 + i : 300 + i - 15);
    EXPECT_VALUES({LINE_AT(5)->state, PCIX_BRIDGE_LINE_ASKED}, {LINE_AT(5)->from, 32});
    for (uint32_t i = 0; i < 32; i++)
      assert_int_equal(pcix_bridge_line_words(ENGINE, CONTEXT_OF("bridge", pcix_bridge), LINE_AT(5))[i],
          i < 8 ? 317 + i : 0);
    assert_int_equal(COUNT(blocked), posts > 0);
    if (posts) EXPECT_EVENTS(part_named("bridge"), {1000 * NS, PCIX_BRIDGE_EV_BEHIND, AT, posts, 0, 0});
    else assert_events(part_named("bridge"), NULL, 0);
    uint64_t time;
    const sim_msg *q = test_message_for(part_named("bridge"), &time);
    EXPECT_VALUES({q->kind, PCIX_BRIDGE_DATA}, {q->x, 2}, {time, 1060 * NS});
    pcix_bridge_self(OF(part_named("bridge"), pcix_bridge), q);
    assert_int_equal(LINE_AT(2)->state, PCIX_BRIDGE_LINE_HERE);
    assert_int_equal(pcix_bridge_view(ENGINE, CONTEXT_OF("bridge", pcix_bridge))->state,
        posts ? PCIX_BRIDGE_STATE_BLOCKED : PCIX_BRIDGE_STATE_FETCHING);
    LINE_AT(5)->state = PCIX_BRIDGE_LINE_DROPPED; /* the entry is freed when the rest has arrived */
    pcix_bridge_bus_master_take(OF(part_named("bridge"), pcix_bridge), UP,
        &(struct pci_master_take){.address = AT + 160, .bytes = 96, .writes = words});
    EXPECT_VALUES({LINE_AT(5)->state, PCIX_BRIDGE_LINE_EMPTY}, {LINE_AT(5)->addr, 0});
  }
}

/* An unclaimed posted write is lost and frees its entry. An unclaimed read returns zeros, or all ones as a
 * register's value, and is not repeated. */
TEST(unclaimed_writes_are_lost_and_reads_return_zeros) {
  quiet();
  POSTED(UP) = HERE(UP) = 2;
  *POST_AT(UP, 0) = (pcix_bridge_post){.addr = AT, .bytes = 68},
               *POST_AT(UP, 1) = (pcix_bridge_post){.addr = AT + 256, .bytes = 8};
  struct pci_grant q;
  granted(UP, &q);
  assert_int_equal(pcix_bridge_bus_moved(
                       OF(part_named("bridge"), pcix_bridge), UP, &(struct pci_moved){.bytes = 0, .last = 0}),
      0); /* retried: nothing was sent */
  EXPECT_VALUES({POSTED(UP), 2}, {STATE->side[UP].sending, PCIX_BRIDGE_NOTHING});
  granted(UP, &q);
  pcix_bridge_bus_moved(
      OF(part_named("bridge"), pcix_bridge), UP, &(struct pci_moved){.bytes = 0, .last = 1});
  EXPECT_VALUES({POSTED(UP), 1}, {POST_AT(UP, 0)->addr, AT + 256}, {COUNT(aborted), 1},
      {record_after(part_named("bridge"), PCIX_BRIDGE_EV_ABORTED, 0)->a, AT});
  quiet();
  *READ_AT(1) = (pcix_bridge_read){
      .addr = AT + 60, .fetch = AT + 60, .end = AT + 260, .limit = AT + 260, .side = CARD_SIDE, .known = 1};
  granted(UP, &q);
  pcix_bridge_bus_moved(
      OF(part_named("bridge"), pcix_bridge), UP, &(struct pci_moved){.bytes = 0, .last = 1});
  EXPECT_VALUES({STATE->side[UP].asked_end, 0}, {COUNT(aborted), 1});
  for (uint32_t k = 0; k < 2; k++) {
    EXPECT_VALUES({LINE_AT(k)->state, PCIX_BRIDGE_LINE_CROSSING}, {LINE_AT(k)->value, UINT32_MAX});
    for (uint32_t word = k ? 0 : 15; word < 32; word++)
      assert_int_equal(
          pcix_bridge_line_words(ENGINE, CONTEXT_OF("bridge", pcix_bridge), LINE_AT(k))[word], 0);
  }
  assert_int_equal(record_after(part_named("bridge"), PCIX_BRIDGE_EV_ABORTED, 0)->a, AT + 60);
}

/* A write in either direction drops the lines prefetched for cards and buffered reads; requested data stays.
 * The defect keeps them. */
TEST(a_write_drops_prefetched_lines) {
  for (uint32_t spared = 0; spared < 2; spared++)
    for (uint32_t side = MEMORY_SIDE; side <= CARD_SIDE; side++) {
      still();
      if (spared) PARAMS("bridge", pcix_bridge)->fault = PCIX_BRIDGE_FAULT_LINES_SURVIVE;
      opened();
      all_here(1, CARD_SIDE);
      READ_AT(1)->limit = READ_AT(1)->fetch = AT + 640;
      line(3, 1, AT + 384, PCIX_BRIDGE_LINE_HERE), line(4, 1, AT + 512, PCIX_BRIDGE_LINE_ASKED);
      *READ_AT(2) = (pcix_bridge_read){
          .addr = AT + 8192, .fetch = AT + 8320, .end = AT + 8192, .limit = AT + 8320, .side = CARD_SIDE};
      line(5, 2, AT + 8192, PCIX_BRIDGE_LINE_HERE);
      *READ_AT(0) = (pcix_bridge_read){.addr = CARDS_FROM + 60,
          .fetch = CARDS_FROM + 60,
          .end = CARDS_FROM + 64,
          .limit = CARDS_FROM + 64,
          .side = MEMORY_SIDE}; /* of a register */
      uint32_t words[1] = {1};
      pcix_bridge_bus_target_take(OF(part_named("bridge"), pcix_bridge), side,
          &(struct pci_target_take){.address = AT + 16384, .bytes = 4, .writes = words});
      assert_int_equal(READ_AT(0)->limit, CARDS_FROM + 64);
      for (uint32_t k = 0; k < 3; k++) assert_int_equal(LINE_AT(k)->state, PCIX_BRIDGE_LINE_HERE);
      EXPECT_VALUES({LINE_AT(3)->state, spared ? PCIX_BRIDGE_LINE_HERE : PCIX_BRIDGE_LINE_EMPTY},
          {LINE_AT(4)->state, spared ? PCIX_BRIDGE_LINE_ASKED : PCIX_BRIDGE_LINE_DROPPED},
          {LINE_AT(5)->state, spared ? PCIX_BRIDGE_LINE_HERE : PCIX_BRIDGE_LINE_EMPTY},
          {READ_AT(1)->limit, AT + (spared ? 640 : 384)}, {READ_AT(1)->fetch, AT + (spared ? 640 : 384)},
          {READ_AT(2)->end, spared ? AT + 8192 : 0}, {COUNT(wasted), spared ? 0 : 3});
      const struct sim_record *record = record_after(part_named("bridge"), PCIX_BRIDGE_EV_DROPS, 0);
      assert_int_equal(record == NULL, spared);
      if (record) assert_int_equal(record->b, 3);
    }
}

/* Any number of contiguous posted writes leave as one burst. A write to another address ends the burst, and
 * so does one that has not crossed. */
TEST(contiguous_posts_leave_as_one_burst) {
  static const struct {
    uint32_t here, apart, run;
  } cases[] = {{1, 4, 128}, {2, 4, 256}, {3, 4, 384}, {4, 4, 448}, {4, 3, 384}, {4, 2, 256}, {4, 1, 128}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    POSTED(UP) = 4, HERE(UP) = cases[i].here;
    for (uint32_t k = 0; k < 4; k++) {
      *POST_AT(UP, k) = (pcix_bridge_post){
          .addr = AT + k * LINE + (k >= cases[i].apart ? 4096 : 0), .bytes = k < 3 ? 128 : 64};
      for (uint32_t word = 0; word < 32; word++)
        pcix_bridge_post_words(ENGINE, CONTEXT_OF("bridge", pcix_bridge), UP, k)[word] = 1000 + 32 * k + word;
    }
    struct pci_grant q;
    assert_int_equal(granted(UP, &q), 1);
    EXPECT_VALUES({q.address, AT}, {q.bytes, cases[i].run});
    uint32_t words[112] = {0};
    pcix_bridge_bus_master_give(OF(part_named("bridge"), pcix_bridge), UP,
        &(struct pci_master_give){.address = AT, .bytes = q.bytes, .writes = words});
    for (uint32_t word = 0; word < q.bytes / 4; word++) assert_int_equal(words[word], 1000 + word);
    assert_int_equal(pcix_bridge_bus_moved(OF(part_named("bridge"), pcix_bridge), UP,
                         &(struct pci_moved){.bytes = q.bytes, .last = 1}),
        0);
    assert_int_equal(POSTED(UP), 4 - (cases[i].run + 127) / 128);
  }
}

/* A write drops the only line on its way. The change of state and the drop are both caused by the write. */
TEST(a_write_is_the_cause_of_the_drop_and_the_state) {
  quiet();
  *READ_AT(2) = (pcix_bridge_read){
      .addr = AT + 8192, .fetch = AT + 8320, .end = AT + 8192, .limit = AT + 8320, .side = CARD_SIDE};
  line(5, 2, AT + 8192, PCIX_BRIDGE_LINE_ASKED);
  pcix_bridge_view(ENGINE, CONTEXT_OF("bridge", pcix_bridge))->state = PCIX_BRIDGE_STATE_FETCHING;
  uint32_t words[1] = {7};
  pcix_bridge_bus_target_take(OF(part_named("bridge"), pcix_bridge), CARD_SIDE,
      &(struct pci_target_take){.address = AT + 16384, .bytes = 4, .writes = words});
  EXPECT_EVENTS(part_named("bridge"), {1000 * NS, PCIX_BRIDGE_EV_POSTED, AT + 16384, 4, 7, 0},
      {1000 * NS, PCIX_BRIDGE_EV_DROPS, 0, 1, 0, BECAUSE(part_named("bridge"), PCIX_BRIDGE_EV_POSTED)},
      {1000 * NS, PCIX_BRIDGE_EV_STATE, 0, PCIX_BRIDGE_STATE_IDLE, 0,
          BECAUSE(part_named("bridge"), PCIX_BRIDGE_EV_POSTED)});
}
