/* A bus master, driven through its bus port: when it requests the bus, for how many bytes, and how its other
 * side delays it. The other side takes 10 ns per byte. */
#include "test/ropes.h"

#define asked() rope_asked(1)
#define assert_wants(address, bytes, command) rope_wants(1, address, bytes, command)
#define COUNT(name) (COUNTERS("peer0", peer)->name)
#define STATE STATE_OF("peer0", peer)
#define NOW peer_view(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer))

/* Two blocks of 4 KiB in bursts of 512 B, with room for two bursts, the first at 50 ns. Nothing is run. */
static void two_blocks(void) {
  one_rope();
  struct peer_params *p = PARAMS("peer0", peer);
  p->every = 100000 * NS, p->delay = 50 * NS, p->blocks = 2, p->bytes = 4096, p->burst = 512,
  p->rate = 100000000, p->buffer = 1024;
}

static void open_at(uint64_t time) {
  uint64_t due;
  machine_open();
  assert_int_equal(test_message_for(PEER_PART, &due)->kind, PEER_BLOCK);
  assert_int_equal(due, PARAMS("peer0", peer)->delay);
  ENGINE->pending = 0;
  ENGINE->time = time;
  peer_self(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(sim_msg){.kind = PEER_BLOCK});
}

static uint32_t moved_at(uint64_t time, uint32_t bytes, uint32_t last) {
  ENGINE->time = time;
  return peer_pci_moved(
      ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(struct pci_moved){.bytes = bytes, .last = last});
}

/* The time of the master's pending message that waits for room. */
static uint64_t waits_until(void) {
  uint64_t time;
  for (uint32_t i = 0; i < ENGINE->pending; i++)
    if (test_pending(i, &time)->to == PEER_PART && test_pending(i, &time)->kind == PEER_ROOM) return time;
  return 0;
}

/* Bursts end at 1000, 2000 and 7120 ns. The first keeps the other side busy until 6120, the second until
 * 11240. There is room for a third burst when only 512 B are left to take, at 11240 - 5120. */
TEST(a_burst_waits_until_its_buffer_has_room) {
  two_blocks();
  open_at(50 * NS);
  assert_true(asked());
  assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(900 * NS, 128, 0), 384);
  assert_false(asked());
  assert_int_equal(STATE->empty_at, (900 + 1280) * NS);
  assert_int_equal(moved_at(1000 * NS, 384, 1), 0);
  assert_true(asked());
  assert_int_equal(STATE->empty_at, (2180 + 3840) * NS);
  assert_wants(AT + 512, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(2000 * NS, 512, 1), 0);
  assert_false(asked());
  assert_int_equal(STATE->empty_at, (6020 + 5120) * NS);
  assert_int_equal(waits_until(), (11140 - 5120) * NS);
  assert_int_equal(COUNT(waited), (11140 - 5120 - 2000) * NS);
  ENGINE->time = 6020 * NS;
  peer_self(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(sim_msg){.kind = PEER_ROOM});
  assert_true(asked());
  EXPECT_VALUES({NOW->moved, 1024}, {COUNT(bytes), 1024});
}

/* Lines of 64 B: bytes before the first and after the last whole line are written by MW, and so is a range
 * without a whole line. */
TEST(whole_lines_are_written_and_invalidated) {
  static const struct {
    uint32_t offset, bytes, takes, command;
  } cases[] = {{0, 512, 512, PCI_COMMAND_WRITE_INVALIDATE}, {0, 200, 192, PCI_COMMAND_WRITE_INVALIDATE},
      {0, 64, 64, PCI_COMMAND_WRITE_INVALIDATE}, {0, 60, 60, PCI_COMMAND_WRITE},
      {4, 512, 60, PCI_COMMAND_WRITE}, {4, 124, 60, PCI_COMMAND_WRITE}, {4, 120, 120, PCI_COMMAND_WRITE}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t invalidates = 0; invalidates < 2; invalidates++) {
      two_blocks();
      PARAMS("peer0", peer)->direction = PEER_DIRECTION_WRITE, PARAMS("peer0", peer)->line = 64,
                      PARAMS("peer0", peer)->invalidates = invalidates;
      PARAMS("peer0", peer)->address = AT + cases[i].offset, PARAMS("peer0", peer)->bytes = cases[i].bytes;
      open_at(0);
      struct pci_grant want = {0};
      assert_int_equal(peer_pci_grant(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &want), 1);
      assert_int_equal(want.bytes, invalidates ? cases[i].takes : cases[i].bytes);
      assert_int_equal(want.command, invalidates ? cases[i].command : PCI_COMMAND_WRITE);
      assert_int_equal(want.tag, want.command == PCI_COMMAND_WRITE_INVALIDATE ? 64 : 0);
      assert_int_equal(STATE->burst_left, want.bytes);
    }
}

/* A message of the master to itself, due now. */
static void self(uint32_t kind) {
  peer_self(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(sim_msg){.kind = kind});
}

/* The master's pending message of this kind is due at this time; handles it. */
static void comes(uint32_t kind, uint64_t at) {
  uint64_t time = 0;
  for (uint32_t n = 0;; n++) {
    const sim_msg *q = test_pending(n, &time);
    if (q->to != PEER_PART || q->kind != kind) continue;
    assert_int_equal(time, at * NS);
    sim_cancel(ENGINE, (uint32_t)(q - slots(ENGINE)));
    break;
  }
  ENGINE->time = at * NS;
  self(kind);
}

/* A block that takes less than its interval is followed at the interval, one that takes longer at once.
 * After the last no block follows. Data read counts when the other side has it, 1000 ns later. */
TEST(blocks_start_at_their_interval) {
  static const struct {
    uint64_t end, next;
  } cases[] = {{60000, 100050}, {100050, 100050}, {100051, 100051}, {150000, 150000}};
  for (uint32_t i = 0; i < 4; i++) {
    two_blocks();
    PARAMS("peer0", peer)->rate = 4096000000ull;
    open_at(50 * NS), asked();
    ENGINE->pending = 0;
    assert_int_equal(moved_at(cases[i].end * NS, 4096, 1), 0);
    assert_false(asked());
    EXPECT_VALUES({NOW->state, PEER_STATE_IDLE}, {COUNT(blocks), 0});
    uint64_t left = cases[i].end + 1000;
    if (cases[i].next >= left) comes(PEER_LEFT, left), comes(PEER_BLOCK, cases[i].next);
    else comes(PEER_BLOCK, cases[i].next), comes(PEER_LEFT, left);
    EXPECT_VALUES(
        {COUNT(block_time), (left - 50) * NS}, {COUNT(last_end), left * NS}, {NOW->state, PEER_STATE_DATA});
    assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
    uint64_t second = cases[i].next + 2000;
    moved_at(second * NS, 4096, 1);
    comes(PEER_LEFT, second + 1000);
    EXPECT_VALUES({COUNT(blocks), 2}, {COUNT(block_time), (left - 50 + 3000) * NS}, {COUNT(bytes), 8192});
    for (uint32_t n = 0; n < ENGINE->pending; n++) {
      uint64_t time;
      assert_int_not_equal(test_pending(n, &time)->to, PEER_PART);
    }
  }
}

/* What is written has come from the other side before: at 10 ns a byte the first burst of 512 B is there
 * after 5120 ns, the next two when another 5120 ns have passed each. A block counts when memory has it. */
TEST(written_data_has_arrived_before) {
  two_blocks();
  PARAMS("peer0", peer)->direction = PEER_DIRECTION_WRITE, PARAMS("peer0", peer)->bytes = 1536;
  open_at(50 * NS);
  assert_false(asked());
  comes(PEER_ROOM, 5120);
  assert_true(asked());
  assert_wants(AT, 512, PCI_COMMAND_WRITE);
  moved_at(6000 * NS, 512, 1);
  assert_false(asked());
  comes(PEER_ROOM, 10240);
  assert_wants(AT + 512, 512, PCI_COMMAND_WRITE);
  asked(), moved_at(11000 * NS, 512, 1);
  comes(PEER_ROOM, 15360);
  assert_wants(AT + 1024, 512, PCI_COMMAND_WRITE);
  assert_int_equal(COUNT(blocks), 0);
  moved_at(16000 * NS, 512, 1);
  EXPECT_VALUES({COUNT(blocks), 1}, {COUNT(last_end), 16000 * NS});
}

/* A burst is no larger than the buffer. */
TEST(a_burst_fits_its_buffer) {
  two_blocks();
  PARAMS("peer0", peer)->buffer = 256;
  open_at(50 * NS);
  assert_wants(AT, 256, PCI_COMMAND_READ_MULTIPLE);
}

/* The address is unclaimed: the block ends with the bytes moved so far. */
TEST(an_unclaimed_block_is_over) {
  two_blocks();
  open_at(50 * NS), asked();
  moved_at(500 * NS, 100, 1), asked();
  assert_int_equal(moved_at(600 * NS, 0, 1), 0);
  assert_false(asked());
  assert_events(PEER_PART,
      (const struct expected_event[]){{50 * NS, PEER_EV_STATE, 4096, PEER_STATE_DATA, 0, 0},
          {600 * NS, PEER_EV_STATE, 100, PEER_STATE_IDLE, 0, BECAUSE(PEER_PART, PEER_EV_STATE)}},
      2);
}

/* Of a block of 700 B in bursts of 512 B the last burst is 188 B: the buffer has room for it beside the
 * other 512. */
TEST(the_last_burst_needs_room_for_its_own_bytes_only) {
  two_blocks();
  PARAMS("peer0", peer)->bytes = 700;
  open_at(0), asked();
  assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(100 * NS, 512, 1),
      0); /* the other side is busy until 5220 ns; there is room for the last 5120 of that */
  assert_true(asked());
  assert_int_equal(COUNT(waited), 0);
}

/* PCI-X: while 512 B are still to come, a second read gets 128 B at once and is disconnected. The next data
 * is that of the split read; the rest is requested again. */
TEST(split_data_arrives_between_its_own_transactions) {
  two_blocks();
  PARAMS("peer0", peer)->rate = 10000000000ull, PARAMS("peer0", peer)->outstanding = 2,
                  PARAMS("peer0", peer)->buffer = 1 << 20;
  open_at(0), asked();
  assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
  peer_pci_split(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(struct pci_split){.bytes = 512});
  assert_true(asked());
  EXPECT_VALUES({STATE->flying, 1}, {STATE->asked, 512});
  assert_wants(AT + 512, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(10 * NS, 0, 0), 512); /* a retry */
  assert_true(asked());
  assert_wants(AT + 512, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(20 * NS, 128, 1), 384);
  assert_true(asked());
  assert_int_equal(STATE->asked, 640);
  assert_int_equal(moved_at(30 * NS, 256, 0), 0);
  assert_int_equal(STATE->flying, 1);
  assert_int_equal(moved_at(40 * NS, 256, 1), 0);
  EXPECT_VALUES({STATE->flying, 0}, {STATE->asked, 640}, {NOW->moved, 640});
  assert_wants(AT + 640, 512, PCI_COMMAND_READ_MULTIPLE);
}

/* Each word written has its own write number, and so has a partial word. */
TEST(each_word_is_a_new_write) {
  two_blocks();
  open_at(0);
  uint32_t words[4] = {0}, first = (uint32_t)ENGINE->writes + 1;
  peer_pci_master_give(
      ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(struct pci_master_give){.bytes = 9, .writes = words});
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(words[i], i < 3 ? first + i : 0);
  peer_pci_master_give(
      ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(struct pci_master_give){.bytes = 8, .writes = words});
  EXPECT_VALUES({words[0], first + 3}, {ENGINE->writes, first + 4});
}

/* An interrupt names the writes of its block; for reads there are none. */
TEST(an_interrupt_names_the_writes_of_its_block) {
  two_blocks();
  uint32_t words[4] = {0};
  open_at(0);
  uint32_t first = (uint32_t)ENGINE->writes + 1;
  assert_int_equal(STATE->first_write, 0);
  for (uint32_t i = 0; i < 2; i++)
    peer_pci_master_give(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer),
        &(struct pci_master_give){.bytes = 16, .writes = words});
  EXPECT_VALUES({STATE->first_write, first}, {STATE->last_write, first + 7});
  peer_self(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(sim_msg){.kind = PEER_BLOCK});
  assert_int_equal(STATE->first_write, 0);
}

TEST(without_blocks_it_does_nothing) {
  two_blocks();
  PARAMS("peer0", peer)->blocks = 0;
  machine_run();
  assert_events(PEER_PART, NULL, 0);
  assert_int_equal(ENGINE->time, 0);
}

/* The last burst is the remaining bytes. After a retry or a disconnect the master requests the bus again at
 * once, from where it was. */
TEST(bursts_resume_where_they_were_broken_off) {
  two_blocks();
  PARAMS("peer0", peer)->bytes = 700, PARAMS("peer0", peer)->rate = 10000000000ull;
  open_at(0), asked();
  assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(10 * NS, 0, 0), 512);
  assert_true(asked());
  assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(20 * NS, 100, 1), 412);
  assert_true(asked());
  assert_wants(AT + 100, 512, PCI_COMMAND_READ_MULTIPLE);
  moved_at(30 * NS, 512, 1);
  assert_wants(AT + 612, 88, PCI_COMMAND_READ); /* no whole line from 612 to 700 */
  assert_int_equal(COUNT(blocks), 0);
  moved_at(1000 * NS, 88, 1);
  self(PEER_LEFT);
  assert_int_equal(COUNT(blocks), 1);
  PARAMS("peer0", peer)->direction = PEER_DIRECTION_WRITE;
  open_at(0);
  assert_wants(AT, 512, PCI_COMMAND_WRITE);
}

#define SCRIPT 0x4000ull

/* A block with a script of 700 B, read 512 B at once. */
static void scripted_block(void) {
  two_blocks();
  struct peer_params *p = PARAMS("peer0", peer);
  p->script = 700, p->script_address = SCRIPT, p->script_burst = 512, p->rate = 10000000000ull;
}

/* A script is requested again after a retry, and its rest after a disconnect. Its last read has one whole
 * line. Data is requested when all of it has arrived. */
TEST(a_script_is_read_before_the_data_of_a_block) {
  scripted_block();
  open_at(50 * NS);
  assert_true(asked());
  assert_int_equal(NOW->state, PEER_STATE_SCRIPT);
  assert_wants(SCRIPT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(60 * NS, 0, 0), 0);
  assert_true(asked());
  assert_wants(SCRIPT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(70 * NS, 128, 1), 0);
  assert_true(asked());
  assert_wants(SCRIPT + 128, 384, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(80 * NS, 128, 0), 256);
  assert_false(asked());
  assert_int_equal(moved_at(90 * NS, 256, 1), 0);
  assert_true(asked());
  assert_wants(SCRIPT + 512, 188, PCI_COMMAND_READ_LINE);
  assert_int_equal(moved_at(100 * NS, 188, 1), 0);
  assert_int_equal(NOW->state, PEER_STATE_DATA);
  assert_true(asked());
  assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(COUNT(script_bytes), 700);
  assert_int_equal(COUNT(script_time), 50 * NS);
  assert_int_equal(COUNT(bytes), 0);
  assert_int_equal(NOW->moved, 0);
  assert_events(PEER_PART,
      (const struct expected_event[]){{50 * NS, PEER_EV_STATE, 700, PEER_STATE_SCRIPT, 0, 0},
          {100 * NS, PEER_EV_STATE, 4096, PEER_STATE_DATA, 0, BECAUSE(PEER_PART, PEER_EV_STATE)}},
      2);
}

/* On PCI-X one read of the script is under way at a time, whatever the limit for data is. */
TEST(a_split_read_of_a_script_waits_for_its_data) {
  scripted_block();
  PARAMS("peer0", peer)->outstanding = 4;
  open_at(0), asked();
  assert_wants(SCRIPT, 512, PCI_COMMAND_READ_MULTIPLE);
  peer_pci_split(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(struct pci_split){.bytes = 512});
  assert_false(asked());
  assert_int_equal(moved_at(10 * NS, 384, 0), 0);
  assert_false(asked());
  assert_int_equal(moved_at(20 * NS, 128, 1), 0);
  assert_true(asked());
  assert_wants(SCRIPT + 512, 188, PCI_COMMAND_READ_LINE);
  peer_pci_split(ENGINE, SIM_CONTEXT(ENGINE, PEER_PART, peer), &(struct pci_split){.bytes = 188});
  assert_int_equal(moved_at(30 * NS, 188, 1), 0);
  assert_true(asked());
  assert_int_equal(STATE->flying, 0);
  assert_int_equal(STATE->asked, 0);
  assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
}

/* No target claims the script's address: the data does not wait for it. */
TEST(a_script_that_nobody_has_is_not_waited_for) {
  scripted_block();
  open_at(0), asked();
  assert_wants(SCRIPT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(moved_at(10 * NS, 0, 1), 0);
  assert_true(asked());
  assert_wants(AT, 512, PCI_COMMAND_READ_MULTIPLE);
  assert_int_equal(COUNT(script_bytes), 0);
}
