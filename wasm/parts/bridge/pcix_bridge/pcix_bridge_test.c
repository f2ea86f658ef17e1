/*
 * A PCI-X bridge. Behind it are two cards that read or write memory and one that receives stores, beside it
 * another card. Checked are data, order, prefetching and times. Both buses run at 125 MHz, 8 ns per clock;
 * only the stated steps take time.
 */
#include "test/pcix_bridge.h"

/* Everything has completed: no posted writes, no reads but buffered ones, and no lines but theirs. */
static void assert_at_rest(void) {
  const struct pcix_bridge_now *now = pcix_bridge_view(ENGINE, CONTEXT_OF("bridge", pcix_bridge));
  assert_int_equal(now->up + now->down + now->up_here + now->down_here, 0);
  for (uint32_t i = 0; i < STATE->reads; i++) {
    const pcix_bridge_read *r = pcix_bridge_read_at(ENGINE, CONTEXT_OF("bridge", pcix_bridge), i);
    assert_true(r->end == 0 || pcix_bridge_buffered(r));
  }
  for (uint32_t i = 0; i < STATE->lines; i++) {
    const pcix_bridge_line *l = pcix_bridge_line_at(ENGINE, CONTEXT_OF("bridge", pcix_bridge), i);
    assert_true(l->state == PCIX_BRIDGE_LINE_EMPTY || l->state == PCIX_BRIDGE_LINE_HERE);
    if (l->state)
      assert_true(
          pcix_bridge_buffered(pcix_bridge_read_at(ENGINE, CONTEXT_OF("bridge", pcix_bridge), l->read - 1)));
  }
  for (uint32_t way = 0; way < 2; way++)
    assert_int_equal(STATE->side[way].sending + STATE->side[way].asked_end, 0);
}

/* Checks that data given by a part equals memory; returns the number of bytes recorded. */
static uint64_t given_by(uint32_t part, uint32_t event) {
  const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at), *r = NULL;
  uint64_t bytes = 0;
  for (; (r = record_after(part, event, r ? (uint32_t)(r - ring) + 1 : 0)); bytes += r->b)
    if (r->a < AT + 65536)
      assert_int_equal(r->c, shadow_word(ENGINE, &STATE_OF("memory", memory)->shadow, r->a)->write);
  return bytes;
}

/* Checks the data that bridge and adapter have given; the adapter records all of it. */
static void assert_given_is_memory(void) {
  given_by(part_named("bridge"), PCIX_BRIDGE_EV_GIVEN);
  assert_int_equal(given_by(part_named("lba"), LBA_EV_GIVEN), COUNTERS("lba", lba)->bytes_out);
}

/*
 * One line without prefetching. On either bus address, attributes and two clocks of response take 32 ns, and
 * two clocks lie between transactions. The card's read is split after 32. The bridge requests the other bus
 * at once, and its read is split at 32 as well. From 0 the request takes 16 on the rope, memory 110, and the
 * line with its 8 B header 272. The completion begins at 398: 32 before its data, and 16 clocks of data. The
 * completion of the bridge follows at 558 and takes as long; the other side of the card another 12.8.
 */
TEST(a_line_crosses_both_buses) {
  for (uint64_t crossing = 0; crossing <= 100; crossing += 100) {
    machine("pcix-bridge");
    PARAMS("bridge", pcix_bridge)->ahead = 0, PARAMS("bridge", pcix_bridge)->crossing = crossing * NS;
    PARAMS("first", peer)->bytes = LINE;
    machine_run();
    EXPECT_VALUES({COUNTERS("first", peer)->last_end, (398 + 160 + 160 + 2 * crossing) * NS + 12800},
        {COUNT(reads), 1}, {COUNT(fetched), 1}, {COUNT(bytes_out), LINE},
        {COUNT(wasted) + COUNT(retries), 0});
    assert_at_rest();
  }
}

/* For any size, offset, number of outstanding reads and kind of bus all data arrives and equals memory. */
TEST(all_reads_return_their_data) {
  uint64_t random = 7;
  for (uint32_t i = 0; i < 160; i++) {
    machine(i % 4 == 3 ? "pcix-bridge-pci-cards" : i % 8 == 5 ? "pcix-bridge-pci-host" : "pcix-bridge");
    PARAMS("first", peer)->address = AT + test_random(&random) % 64 * 4,
                    PARAMS("first", peer)->bytes = 4 + test_random(&random) % 3000 * 4,
                    PARAMS("first", peer)->burst = 64 + test_random(&random) % 500 * 4;
    PARAMS("first", peer)->outstanding = 1 + i % 5, PARAMS("second", peer)->outstanding = 2;
    PARAMS("second", peer)->blocks = 2, PARAMS("second", peer)->bytes = 4096,
                     PARAMS("second", peer)->burst = 1024;
    PARAMS("bridge", pcix_bridge)->lines = i % 3 ? 1 + test_random(&random) % 40 : 1,
                     PARAMS("bridge", pcix_bridge)->reads = 1 + i % 4,
                     PARAMS("bridge", pcix_bridge)->ahead = i % 6,
                     PARAMS("bridge", pcix_bridge)->burst = LINE * (1 + i % 5),
                     PARAMS("bridge", pcix_bridge)->crossing = i % 2 * 60 * NS;
    PARAMS("lba", lba)->splits = 1 + i % 3;
    machine_run();
    EXPECT_VALUES({COUNTERS("first", peer)->blocks, 1}, {COUNTERS("second", peer)->bytes, 8192},
        {COUNT(bytes_out), PARAMS("first", peer)->bytes + 8192});
    assert_given_is_memory();
    assert_at_rest();
    assert_sound();
  }
}

/* Cards' writes arrive at their addresses and nowhere else, for any number of entries. */
TEST(all_writes_arrive) {
  for (uint32_t i = 0; i < 48; i++) {
    machine(i % 4 == 3 ? "pcix-bridge-pci-cards" : i % 8 == 5 ? "pcix-bridge-pci-host" : "pcix-bridge");
    if (i % 16 == 3) PARAMS("bus", pci)->block = 8;
    PARAMS("memory", memory)->written = 0;
    PARAMS("first", peer)->direction = PARAMS("second", peer)->direction = PEER_DIRECTION_WRITE;
    PARAMS("first", peer)->address = AT + 4 * i, PARAMS("first", peer)->bytes = 4 + 516 * i,
                    PARAMS("second", peer)->blocks = 1, PARAMS("second", peer)->bytes = 2048;
    PARAMS("bridge", pcix_bridge)->posts = 2 + i % 3, PARAMS("lba", lba)->posts = 2 + i % 5;
    machine_run();
    const struct shadow_word *words = sim_at(ENGINE, STATE_OF("memory", memory)->shadow.at);
    for (uint32_t word = 0; word < 8192; word++)
      assert_int_equal(words[word].write != 0, word >= i && word < i + PARAMS("first", peer)->bytes / 4);
    for (uint32_t word = 0; word < 512; word++) assert_int_not_equal(words[8192 + word].write, 0);
    assert_int_equal(COUNT(bytes_in), PARAMS("first", peer)->bytes + 2048);
    assert_at_rest();
  }
}

/* A card that continues its read finds the prefetched lines. A store to any card drops them, and so does a
 * card's write. */
TEST(prefetched_lines_are_buffered_until_a_write_passes) {
  for (uint32_t kind = 0; kind < 3; kind++) {
    machine("pcix-bridge");
    const uint64_t stores[] = {
        SPEND(4000 * NS), ROW(IO_STORE, 0, PARAMS("lan", lan_card)->registers, 4, 4, 0, 0, 0), END};
    PARAMS("first", peer)->blocks = 2, PARAMS("first", peer)->bytes = 256,
                    PARAMS("first", peer)->every = 6000 * NS;
    PARAMS("first", peer)->burst = 128;
    if (kind == 1) machine_rows("cpu", 0, ROWS(stores));
    if (kind == 2)
      PARAMS("second", peer)->blocks = 1, PARAMS("second", peer)->delay = 4000 * NS,
                       PARAMS("second", peer)->bytes = 4,
                       PARAMS("second", peer)->direction = PEER_DIRECTION_WRITE;
    machine_run();
    /* The first read of a block fetches its line and prefetches four; the second continues there and fetches
     * one more. */
    EXPECT_VALUES({COUNT(reads), 4}, {COUNT(continued), 2}, {COUNT(fetched), 12},
        {COUNT(wasted), kind ? 4 : 0},
        {record_after(part_named("bridge"), PCIX_BRIDGE_EV_DROPS, 0) != NULL, kind > 0});
    assert_given_is_memory();
  }
}

/*
 * The first of two reads requested data up to AT + 128, the second up to AT + 256. Dropped lines beyond that
 * are wasted: the second line of the first read and the third of the second. A line that has arrived is freed
 * at once, one on its way when it arrives.
 */
TEST(dropped_lines_beyond_the_read_are_wasted) {
  static const struct {
    uint32_t read, line, wasted;
  } cases[] = {{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}, {1, 2, 1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t here = 0; here < 2; here++) {
      machine("pcix-bridge");
      PARAMS("first", peer)->blocks = PARAMS("second", peer)->blocks = 0;
      machine_run();
      for (uint32_t read = 0; read < 2; read++)
        *pcix_bridge_read_at(ENGINE, CONTEXT_OF("bridge", pcix_bridge), read) =
            (pcix_bridge_read){.addr = AT, .end = AT + (read + 1) * LINE};
      pcix_bridge_line *l = pcix_bridge_line_at(ENGINE, CONTEXT_OF("bridge", pcix_bridge), 1);
      *l = (pcix_bridge_line){.addr = AT + cases[i].line * LINE,
          .state = here ? PCIX_BRIDGE_LINE_HERE : PCIX_BRIDGE_LINE_ASKED,
          .read = cases[i].read + 1};
      pcix_bridge_drop_line(OF(part_named("bridge"), pcix_bridge), l);
      assert_int_equal(COUNT(wasted), cases[i].wasted);
      assert_int_equal(l->state, here ? PCIX_BRIDGE_LINE_EMPTY : PCIX_BRIDGE_LINE_DROPPED);
    }
}

/* The prefetch ends with its page only if so configured. */
TEST(prefetching_ends_with_its_page) {
  for (uint64_t ends = 0; ends < 2; ends++) {
    machine("pcix-bridge");
    PARAMS("first", peer)->address = AT + 4096 - 256, PARAMS("first", peer)->bytes = LINE,
                    PARAMS("bridge", pcix_bridge)->page_end = ends;
    machine_run();
    assert_int_equal(COUNT(fetched), ends ? 2 : 5);
  }
}

/* A store that came down before a line precedes it, unless order is relaxed; then the line may pass. */
TEST(lines_wait_behind_stores) {
  uint32_t blocked = 0;
  for (uint64_t relaxed = 0; relaxed < 2; relaxed++)
    for (uint64_t when = 0; when < 700; when += 10) {
      machine("pcix-bridge");
      const uint64_t program[] = {SPEND(when * NS + 1),
          ROW(IO_STORE, 0, PARAMS("lan", lan_card)->registers, 4, 4, 0, 0, 0),
          ROW(IO_STORE, 0, PARAMS("lan", lan_card)->registers, 4, 4, 0, 0, 0),
          ROW(IO_STORE, 0, PARAMS("lan", lan_card)->registers, 4, 4, 0, 0, 0), END};
      machine_rows("cpu", 0, ROWS(program));
      PARAMS("bridge", pcix_bridge)->relaxed = relaxed, PARAMS("bridge", pcix_bridge)->crossing = 60 * NS;
      PARAMS("first", peer)->bytes = 1024, PARAMS("second", peer)->blocks = 1,
                      PARAMS("second", peer)->bytes = 4096,
                      PARAMS("second", peer)->direction = PEER_DIRECTION_WRITE; /* occupies the cards' bus */
      machine_run();
      EXPECT_VALUES({COUNTERS("lan", lan_card)->doorbells, 3}, {COUNT(stores), 3});
      if (relaxed) assert_int_equal(COUNT(blocked), 0);
      blocked += (uint32_t)COUNT(blocked);
      const struct sim_record *behind = record_after(part_named("bridge"), PCIX_BRIDGE_EV_BEHIND, 0),
                              *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at);
      if (!behind) continue;
      uint32_t at = (uint32_t)(behind - ring), rung = 0;
      for (const struct sim_record *r = ring; r < behind; r++)
        rung += r->part == part_named("lan") && r->kind == LAN_CARD_EV_DOORBELL;
      for (const struct sim_record *r = behind;
          r->part != part_named("bridge") || r->kind != PCIX_BRIDGE_EV_GIVEN || r->a != behind->a; r++)
        rung += r->part == part_named("lan") && r->kind == LAN_CARD_EV_DOORBELL;
      assert_true(rung >= behind->b);
      assert_true(at > 0);
    }
  assert_true(blocked > 0);
}

/* Bytes that a part has recorded as posted to memory, in records from `from` up to `to`. */
static uint64_t taken(
    uint32_t part, uint32_t kind, const struct sim_record *from, const struct sim_record *to) {
  uint64_t bytes = 0;
  for (; from < to; from++)
    bytes += from->part == part && from->kind == kind && from->a < AT + 65536 ? from->b : 0;
  return bytes;
}

/* A register's value stays behind earlier writes of cards. The store before the load of the register arrives
 * first. */
TEST(a_register_value_pushes_earlier_writes) {
  uint32_t pushed = 0;
  for (uint64_t when = 0; when < 2000; when += 100) {
    machine("pcix-bridge");
    const uint64_t program[] = {SPEND(when * NS + 1),
        ROW(IO_STORE, 0, PARAMS("lan", lan_card)->registers, 4, 4, 0, 0, 0),
        ROW(IO_LOAD, PARAMS("lan", lan_card)->registers, 0, 4, 4, 0, 0, 0), END};
    machine_rows("cpu", 0, ROWS(program));
    PARAMS("first", peer)->direction = PEER_DIRECTION_WRITE, PARAMS("first", peer)->bytes = 4096;
    PARAMS("lba", lba)->posts = 2; /* delays the writes */
    machine_run();
    const struct sim_record *ring = sim_at(ENGINE, sim_refresh_header(ENGINE)->trace_at),
                            *behind = record_after(part_named("bridge"), PCIX_BRIDGE_EV_BEHIND, 0),
                            *value = record_after(part_named("bridge"), PCIX_BRIDGE_EV_GIVEN, 0);
    assert_int_equal(value->a, PARAMS("lan", lan_card)->registers);
    assert_true(record_after(part_named("lan"), LAN_CARD_EV_DOORBELL, 0) < value);
    assert_int_equal(COUNT(bytes_in), 4096);
    assert_at_rest();
    if (!behind) continue;
    pushed++;
    assert_true(taken(part_named("lba"), LBA_EV_POSTED, ring, value)
                >= taken(part_named("bridge"), PCIX_BRIDGE_EV_POSTED, ring, behind));
  }
  assert_true(pushed > 5);
}

/* An unclaimed write is lost, and an unclaimed read returns zeros. */
TEST(unclaimed_transactions_are_aborted) {
  for (uint64_t direction = 0; direction < 2; direction++) {
    machine("pcix-bridge");
    PARAMS("first", peer)->direction = direction, PARAMS("first", peer)->address = 0xc0000000,
                    PARAMS("first", peer)->bytes = 512;
    PARAMS("second", peer)->blocks = 1;
    machine_run();
    assert_true(COUNT(aborted) > 0);
    EXPECT_VALUES({COUNTERS("first", peer)->bytes, 512}, {COUNTERS("second", peer)->bytes, 4096});
    const struct sim_record *given = record_after(part_named("bridge"), PCIX_BRIDGE_EV_GIVEN, 0);
    if (direction == PEER_DIRECTION_READ) assert_true(given->a >= 0xc0000000 ? given->c == 0 : given->c != 0);
    assert_at_rest();
  }
}

TEST(memory_that_runs_out_is_an_error) {
  machine("pcix-bridge");
  assert_true(session_without_memory(machine_session()) > 20);
}
