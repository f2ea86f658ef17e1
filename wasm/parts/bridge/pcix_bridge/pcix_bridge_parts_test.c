/* Unit tests of a bridge between two PCI-X buses: accepted reads and writes, ordering, claims, prefetching
 * and state. */
#include "test/pcix_bridge.h"

/* A card's read fetches whole lines and prefetches two, if configured only up to the end of its page. A read
 * of a register is passed on as it is. */
TEST(a_read_fetches_whole_lines_and_prefetches) {
  static const struct {
    uint32_t side, page_end;
    uint64_t offset, bytes, limit;
  } cases[] = {{CARD_SIDE, 1, 60, 200, 640}, {CARD_SIDE, 1, 0, 128, 384}, {CARD_SIDE, 1, 0, 129, 512},
      {CARD_SIDE, 1, 3840, 128, 4096}, {CARD_SIDE, 1, 3712, 128, 4096}, {CARD_SIDE, 1, 3968, 128, 4096},
      {CARD_SIDE, 1, 3968, 132, 4480}, {CARD_SIDE, 0, 3840, 128, 4224}, {CARD_SIDE, 0, 3968, 128, 4352},
      {MEMORY_SIDE, 1, 60, 4, 64}, {MEMORY_SIDE, 0, 60, 200, 260}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    still();
    PARAMS("bridge", pcix_bridge)->page_end = cases[i].page_end;
    opened();
    POSTED(!cases[i].side) = 2;
    assert_int_equal(pcix_bridge_bus_begin_block(OF(part_named("bridge"), pcix_bridge), cases[i].side,
                         &(struct pci_begin_block){
                             .address = AT + cases[i].offset, .bytes = (uint32_t)cases[i].bytes, .tag = 5}),
        1);
    const pcix_bridge_read *r = READ_AT(0);
    EXPECT_VALUES({r->addr, AT + cases[i].offset},
        {r->fetch, AT + (cases[i].side == CARD_SIDE ? cases[i].offset / 128 * 128 : cases[i].offset)},
        {r->end, AT + cases[i].offset + cases[i].bytes}, {r->limit, AT + cases[i].limit},
        {r->side, cases[i].side}, {r->split, 1}, {r->tag, 5});
    assert_int_equal(r->behind, 2); /* earlier writes in the same direction */
    EXPECT_VALUES({r->known, 0}, {COUNT(reads), 1});
    uint64_t time;
    const sim_msg *q = test_message_for(part_named("bridge"), &time); /* crosses the bridge */
    EXPECT_VALUES({q->kind, PCIX_BRIDGE_READ}, {time, 1060 * NS});
    EXPECT_EVENTS(part_named("bridge"),
        {1000 * NS, PCIX_BRIDGE_EV_TAKES, AT + cases[i].offset, (uint32_t)cases[i].bytes, 2, 0});
  }
}

/* Writes in either direction are limited by the free entries, one of which is reserved. An entry holds a
 * piece of a line of memory, or 8 B of registers. */
TEST(writes_are_limited_by_free_entries) {
  static const struct {
    uint32_t side, posted, offset, bytes, taken;
  } cases[] = {{CARD_SIDE, 0, 0, 384, 384}, {CARD_SIDE, 0, 0, 512, 384}, {CARD_SIDE, 0, 60, 512, 324},
      {CARD_SIDE, 2, 0, 512, 128}, {CARD_SIDE, 2, 124, 8, 4}, {CARD_SIDE, 3, 0, 4, 0},
      {CARD_SIDE, 4, 0, 4, 0}, {MEMORY_SIDE, 0, 0, 64, 24}, {MEMORY_SIDE, 0, 4, 64, 20},
      {MEMORY_SIDE, 2, 0, 4, 4}, {MEMORY_SIDE, 2, 4, 8, 4}, {MEMORY_SIDE, 3, 0, 4, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    POSTED(!cases[i].side) = cases[i].posted;
    POSTED(cases[i].side) = 4; /* the other direction has no effect */
    struct pci_begin q = {
        .address = AT + cases[i].offset, .bytes = cases[i].bytes, .command = PCI_COMMAND_WRITE};
    assert_int_equal(
        pcix_bridge_bus_begin(OF(part_named("bridge"), pcix_bridge), cases[i].side, &q), cases[i].taken);
    assert_int_equal(COUNT(retries), cases[i].taken == 0);
  }
}

/* Sent posts free their entries. Reads and lines behind a sent post have one less to wait for; those of the
 * other direction are unaffected. */
TEST(reads_and_lines_no_longer_wait_for_sent_posts) {
  static const struct {
    uint32_t bytes, posts, left, behind;
  } cases[] = {{4, 3, 64, 2}, {68, 2, 64, 1}, {100, 2, 32, 1}, {132, 1, 8, 0}, {140, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t way = UP; way <= DOWN; way++) {
      quiet();
      static const uint32_t sizes[] = {68, 64, 8};
      for (uint32_t k = 0; k < 3; k++)
        *POST_AT(way, k) = (pcix_bridge_post){.addr = AT + 1024 * k, .bytes = sizes[k]},
                      pcix_bridge_post_words(ENGINE, CONTEXT_OF("bridge", pcix_bridge), way, k)[5] = 70 + k;
      POSTED(way) = HERE(way) = 3;
      *READ_AT(0) = (pcix_bridge_read){.end = 1, .side = !way, .behind = 2},
      *READ_AT(1) = (pcix_bridge_read){.end = 1, .side = way, .behind = 2},
      *READ_AT(2) = (pcix_bridge_read){.end = 1, .side = !way};
      line(0, 0, AT, PCIX_BRIDGE_LINE_HERE), line(1, 0, AT + LINE, PCIX_BRIDGE_LINE_HERE);
      LINE_AT(0)->side = way, LINE_AT(0)->behind = 2, LINE_AT(1)->side = !way, LINE_AT(1)->behind = 2;
      pcix_bridge_remaining(OF(part_named("bridge"), pcix_bridge), way, cases[i].bytes);
      EXPECT_VALUES({POSTED(way), cases[i].posts}, {HERE(way), cases[i].posts},
          {POST_AT(way, 0)->bytes, cases[i].bytes == 4 ? 64 : cases[i].left});
      if (cases[i].posts)
        assert_int_equal(pcix_bridge_post_words(ENGINE, CONTEXT_OF("bridge", pcix_bridge), way, 0)[5],
            70 + 3 - cases[i].posts);
      EXPECT_VALUES({POST_AT(way, cases[i].posts)->addr, cases[i].posts == 3 ? POST_AT(way, 3)->addr : 0},
          {READ_AT(0)->behind, cases[i].behind}, {READ_AT(1)->behind, 2}, {READ_AT(2)->behind, 0},
          {LINE_AT(0)->behind, cases[i].behind}, {LINE_AT(1)->behind, 2});
    }
}

/* The bridge claims the cards' addresses on one side and all others on the other, there with PCI-X splits. */
TEST(each_side_claims_the_addresses_of_the_other) {
  quiet();
  static const struct {
    uint32_t side, which, claims;
    uint64_t base, end;
  } cases[] = {{MEMORY_SIDE, 0, 1, CARDS_FROM, CARDS_FROM + (1 << 20)}, {MEMORY_SIDE, 1, 0, 0, 0},
      {CARD_SIDE, 0, 2, 0, CARDS_FROM}, {CARD_SIDE, 1, 2, CARDS_FROM + (1 << 20), UINT64_MAX}};
  for (uint32_t i = 0; i < 4; i++) {
    struct pci_claim q = {.which = cases[i].which};
    assert_int_equal(
        pcix_bridge_bus_claim(OF(part_named("bridge"), pcix_bridge), cases[i].side, &q), cases[i].claims);
    if (!cases[i].claims) continue;
    EXPECT_VALUES({q.base, cases[i].base}, {q.base + q.length, cases[i].end});
  }
}

/* A fetch of up to 256 B is limited by the end of the prefetch, free entries, and lines already requested for
 * another read. */
TEST(a_fetch_is_limited_by_free_entries) {
  static const struct {
    uint64_t fetch, limit;
    uint32_t taken;
    uint64_t under_way, reach;
  } cases[] = {{0, 1024, 0, 0, 256}, {60, 1024, 0, 0, 256}, {0, 200, 0, 0, 200}, {0, 1024, 7, 0, 128},
      {60, 1024, 7, 0, 128}, {0, 1024, 8, 0, 0}, {0, 1024, 0, 128, 128}, {128, 1024, 0, 128, 128},
      {128, 1024, 0, 384, 384}, {256, 1024, 0, 128, 512}, {0, 0, 0, 0, 0}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quiet();
    *READ_AT(0) = (pcix_bridge_read){.addr = AT,
        .fetch = AT + cases[i].fetch,
        .end = AT + cases[i].limit,
        .limit = AT + cases[i].limit,
        .side = CARD_SIDE,
        .known = 1};
    for (uint32_t k = 0; k < cases[i].taken; k++) line(k, 1, AT + 8192 + k * LINE, PCIX_BRIDGE_LINE_HERE);
    if (cases[i].under_way) line(0, 1, AT + cases[i].under_way, PCIX_BRIDGE_LINE_ASKED);
    assert_int_equal(
        pcix_bridge_prefetch_limit(OF(part_named("bridge"), pcix_bridge), READ_AT(0)), AT + cases[i].reach);
    assert_int_equal(pcix_bridge_request_pending(OF(part_named("bridge"), pcix_bridge), UP),
        cases[i].reach > cases[i].fetch ? 0 : SIM_NONE);
    assert_int_equal(pcix_bridge_request_pending(OF(part_named("bridge"), pcix_bridge), DOWN), SIM_NONE);
  }
}

/* The state is blocked while an arrived line waits behind a write, otherwise fetching while a line is
 * requested. Each change is recorded once. */
TEST(the_state_of_the_bridge_is_recorded) {
  static const struct {
    uint32_t lines[2], behind, shown;
  } cases[] = {{{PCIX_BRIDGE_LINE_EMPTY, PCIX_BRIDGE_LINE_EMPTY}, 0, PCIX_BRIDGE_STATE_IDLE},
      {{PCIX_BRIDGE_LINE_ASKED, PCIX_BRIDGE_LINE_EMPTY}, 0, PCIX_BRIDGE_STATE_FETCHING},
      {{PCIX_BRIDGE_LINE_HERE, PCIX_BRIDGE_LINE_HERE}, 0, PCIX_BRIDGE_STATE_IDLE},
      {{PCIX_BRIDGE_LINE_HERE, PCIX_BRIDGE_LINE_EMPTY}, 1, PCIX_BRIDGE_STATE_BLOCKED},
      {{PCIX_BRIDGE_LINE_CROSSING, PCIX_BRIDGE_LINE_EMPTY}, 1, PCIX_BRIDGE_STATE_IDLE},
      {{PCIX_BRIDGE_LINE_HERE, PCIX_BRIDGE_LINE_ASKED}, 1, PCIX_BRIDGE_STATE_BLOCKED},
      {{PCIX_BRIDGE_LINE_DROPPED, PCIX_BRIDGE_LINE_CROSSING}, 0, PCIX_BRIDGE_STATE_IDLE}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t turned = 0; turned < 2; turned++) {
      quiet();
      for (uint32_t k = 0; k < 2; k++) line(turned ? 7 - k : k, 1, AT + k * LINE, cases[i].lines[k]);
      LINE_AT(turned ? 7 : 0)->behind = cases[i].behind;
      ENGINE->cause = 7;
      for (uint32_t again = 0; again < 2; again++) pcix_bridge_show(OF(part_named("bridge"), pcix_bridge));
      assert_int_equal(pcix_bridge_view(ENGINE, CONTEXT_OF("bridge", pcix_bridge))->state, cases[i].shown);
      assert_int_equal(ENGINE->cause, 7); /* a change of state is not a cause */
      assert_events(part_named("bridge"),
          &(struct expected_event){1000 * NS, PCIX_BRIDGE_EV_STATE, 0, cases[i].shown, 0, ANY_CAUSE},
          cases[i].shown != PCIX_BRIDGE_STATE_IDLE);
    }
}
