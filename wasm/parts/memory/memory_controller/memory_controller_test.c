/* Banked memory, driven through its bus port: when data is ready, what a line holds, and what the shadow
 * memory reports. An access occupies a bank for 100 ns; its latency is 275 ns. */
#include "test/hp.h"

#define NS 1000ull
#define ENGINE test_engine()
#define COUNT(name) (COUNTERS("memory", memory_controller)->name)

static void in_banks(uint64_t banks) {
  hp(1, 0);
  PARAMS("memory", memory_controller)->banks = banks, PARAMS("memory", memory_controller)->latency = 275 * NS,
                   PARAMS("memory", memory_controller)->occupancy = 100 * NS,
                   PARAMS("memory", memory_controller)->written = 1;
  hp_run();
  ENGINE->cause = 0;
}

static uint64_t ready_at(uint64_t line, uint32_t write, uint64_t when) {
  struct runway_memory_reserve q = {.address = BASE + line * 32 + 16, .write = write, .when = when};
  memory_controller_bus_reserve(OF(MEMORY, memory_controller), &q);
  return q.when;
}

/* Consecutive lines lie in consecutive banks, for any number of banks. An access to a busy bank waits until
 * it is free. */
TEST(a_bank_serves_one_access_at_a_time) {
  for (uint64_t banks = 1; banks <= 6; banks++) {
    in_banks(banks);
    assert_int_equal(ready_at(0, 0, 1000 * NS), 1275 * NS);
    assert_int_equal(COUNT(bank_waits), 0);
    assert_int_equal(ready_at(banks, 0, 1010 * NS), 1375 * NS); /* the same bank, free at 1100 */
    assert_int_equal(COUNT(bank_waits), 1);
    assert_int_equal(ready_at(2 * banks, 1, 1200 * NS), 1475 * NS); /* just free again */
    assert_int_equal(COUNT(bank_waits), 1);
    for (uint64_t other = 1; other < banks; other++)
      assert_int_equal(ready_at(other, 1, 1000 * NS), 1275 * NS);
    EXPECT_VALUES({COUNT(bank_waits), 1}, {COUNT(reads), 2}, {COUNT(writes), banks},
        {COUNT(busy), (2 + banks) * 100 * NS});
  }
}

/* The newest data of a line is written back: recorded once, and not for a line that was up to date. The cause
 * of later events is unchanged. */
TEST(writing_back_the_newest_data_is_recorded_once) {
  in_banks(4);
  controller_line(OF(MEMORY, memory_controller), BASE + 64)[1].newest = 900001;
  struct runway_memory_put q = {.address = BASE + 64, .mask = 3, .halves = (uint32_t[]){5, 900001}};
  for (uint32_t i = 0; i < 2; i++) memory_controller_bus_put(OF(MEMORY, memory_controller), &q);
  assert_int_equal(ENGINE->cause, 0);
  assert_events(MEMORY,
      (const struct expected_event[]){{ENGINE->time, MEMORY_CONTROLLER_EV_CURRENT, BASE + 64, 900001, 0, 0}},
      1);
}

/* Busy from the first read until the last one has its data; writes do not count. The cause of later events is
 * unchanged. */
TEST(memory_is_busy_while_reads_are_under_way) {
  in_banks(4);
  uint64_t now = ENGINE->time;
  ready_at(3, 1, now), ready_at(5, 0, now), ready_at(6, 0, now);
  memory_controller_bus_ready(OF(MEMORY, memory_controller));
  assert_int_equal(ENGINE->cause, 0);
  const struct expected_event busy = {now, MEMORY_CONTROLLER_EV_ACCESS, BASE + 5 * 32 + 16,
                                  MEMORY_CONTROLLER_STATE_BUSY, 0, 0},
                              idle = {now, MEMORY_CONTROLLER_EV_IDLE, 0, 0, 0, 0};
  assert_events(MEMORY, &busy, 1);
  memory_controller_bus_ready(OF(MEMORY, memory_controller));
  assert_int_equal(ENGINE->cause, 0);
  assert_events(MEMORY, (const struct expected_event[]){busy, idle}, 2);
  ready_at(5, 0, now);
  assert_events(MEMORY, (const struct expected_event[]){busy, idle, busy}, 3);
}

struct halves {
  uint32_t first;
  uint32_t second;
  uint32_t followed;
};
static struct halves held(uint64_t address) {
  uint32_t words[2] = {77, 77};
  uint32_t followed = memory_controller_bus_get(OF(MEMORY, memory_controller),
               &(struct runway_memory_get){.address = address, .halves = words}),
           again[2];
  assert_int_equal(memory_controller_bus_memory_value(OF(MEMORY, memory_controller),
                       &(struct shadow_memory_value){.address = address, .halves = again}),
      followed);
  assert_memory_equal(words, again, sizeof words);
  return (struct halves){words[0], words[1], followed};
}
static struct halves newest(uint64_t address) {
  uint32_t words[2] = {77, 77};
  uint32_t followed = memory_controller_bus_newest_write(
      OF(MEMORY, memory_controller), &(struct shadow_newest_write){.address = address, .halves = words});
  return (struct halves){words[0], words[1], followed};
}
#define assert_halves(got, a, b, c)  \
  do {                               \
    struct halves h = got;           \
    assert_int_equal(h.first, a);    \
    assert_int_equal(h.second, b);   \
    assert_int_equal(h.followed, c); \
  } while (0)

static void put(uint64_t address, uint32_t mask, uint32_t now, uint32_t first, uint32_t second) {
  uint32_t words[2] = {first, second};
  memory_controller_bus_put(OF(MEMORY, memory_controller),
      &(struct runway_memory_put){.address = address, .mask = mask, .now = now, .halves = words});
}

/*
 * A misdirected write on its way is noted by its write number. When it arrives, it overwrites what lies there
 * and counts as the newest of its intended place. That place may be untracked or unwritten; then nothing is
 * lost.
 */
TEST(a_misdirected_write_is_the_newest_of_its_intended_place) {
  in_banks(4);
  for (uint32_t i = 0; i < 3; i++)
    memory_controller_bus_misdirected_write(OF(MEMORY, memory_controller),
        &(struct shadow_misdirected_write){
            .meant = i < 2 ? BASE + 160 + 16 * i : BASE - 16, .write = 900001 + i});
  assert_halves(newest(BASE + 160), 11, 12, 1);
  put(BASE + 64, 3, 1, 900002, 900009); /* the second misdirected one, and one that belongs here */
  assert_halves(held(BASE + 64), 900002, 900009, 1);
  assert_halves(newest(BASE + 64), 5, 900009, 1);
  assert_halves(newest(BASE + 160), 11, 900002, 1);
  put(BASE + 96, 3, 0, 900003, 900001); /* in a line that is written back */
  assert_halves(held(BASE + 96), 900003, 900001, 1);
  assert_halves(newest(BASE + 96), 7, 8, 1);
  assert_halves(newest(BASE + 160), 900001, 900002, 1);
  assert_halves(held(BASE + 160), 11, 12, 1);
  assert_int_equal(COUNT(overwritten), 3);
  put(BASE + 64, 1, 1, 900002, 0); /* noted once only */
  assert_halves(newest(BASE + 64), 900002, 900009, 1);
  EXPECT_VALUES({COUNT(overwritten), 3}, {COUNT(lost_updates), 0});
  uint64_t now = ENGINE->time;
  const struct expected_event first = {now, MEMORY_CONTROLLER_EV_OVERWRITTEN, BASE + 64, 900002, 5, 0};
  assert_events(MEMORY,
      (const struct expected_event[]){first,
          {now, MEMORY_CONTROLLER_EV_OVERWRITTEN, BASE + 96, 900003, 7,
              BECAUSE(MEMORY, MEMORY_CONTROLLER_EV_OVERWRITTEN)},
          {now, MEMORY_CONTROLLER_EV_OVERWRITTEN, BASE + 112, 900001, 8,
              BECAUSE(MEMORY, MEMORY_CONTROLLER_EV_OVERWRITTEN)},
          {now, MEMORY_CONTROLLER_EV_CURRENT, BASE + 64, 900009, 0,
              BECAUSE(MEMORY, MEMORY_CONTROLLER_EV_OVERWRITTEN)}},
      4);
  hp(1, 0);
  hp_run();
  memory_controller_bus_misdirected_write(OF(MEMORY, memory_controller),
      &(struct shadow_misdirected_write){.meant = BASE + 160, .write = 900001});
  put(BASE + 64, 1, 1, 900001, 0);
  assert_halves(newest(BASE + 64), 900001, 0, 1);
  assert_halves(newest(BASE + 160), 900001, 0, 1);
  assert_int_equal(COUNT(overwritten), 0);
}

/*
 * Older data overwrites the newest in memory: a lost update. Equal data, or older over older, loses nothing.
 */
TEST(newest_data_overwritten_by_older_is_lost) {
  in_banks(4);
  uint64_t now = ENGINE->time;
  put(BASE + 64, 3, 1, 900005, 900006);
  put(BASE + 64, 3, 0, 900005, 900006);
  assert_int_equal(COUNT(lost_updates), 0);
  put(BASE + 64, 1, 0, 900004, 1); /* only the half that is written */
  EXPECT_VALUES({COUNT(lost_updates), 1}, {sim_host_state(ENGINE)->broken, SIM_NO_LOST_DATA},
      {sim_host_state(ENGINE)->broken_at, BASE + 64});
  put(BASE + 64, 1, 0, 900003, 1); /* memory no longer holds the newest */
  assert_int_equal(COUNT(lost_updates), 1);
  put(BASE + 64, 2, 0, 1, 900001);
  assert_int_equal(COUNT(lost_updates), 2);
  assert_events(MEMORY,
      (const struct expected_event[]){{now, MEMORY_CONTROLLER_EV_LOST, BASE + 64, 900004, 900005, 0},
          {now, MEMORY_CONTROLLER_EV_LOST, BASE + 80, 900001, 900006,
              BECAUSE(MEMORY, MEMORY_CONTROLLER_EV_LOST)}},
      2);
}

/* The event names the half that was lost. */
TEST(a_lost_update_names_its_half_line) {
  in_banks(4);
  put(BASE + 64, 3, 1, 900005, 900006);
  put(BASE + 64, 2, 0, 1, 900001);
  assert_int_equal(sim_host_state(ENGINE)->broken_at, BASE + 80);
  assert_int_equal(sim_host_state(ENGINE)->broken_part, MEMORY);
}

/* Purged data counts as no newer write: memory then holds the newest of both halves, of that line alone. */
TEST(purged_writes_are_forgotten) {
  in_banks(4);
  for (uint64_t line = 0; line < 3; line++)
    for (uint32_t half = 0; half < 2; half++)
      memory_controller_bus_store(
          OF(MEMORY, memory_controller), &(struct shadow_store){.address = BASE + line * 32, .half = half});
  uint32_t last = (uint32_t)ENGINE->writes;
  memory_controller_bus_discard(
      OF(MEMORY, memory_controller), &(struct shadow_discard){.address = BASE + 32});
  assert_halves(newest(BASE), last - 5, last - 4, 1);
  assert_halves(newest(BASE + 32), 3, 4, 1);
  assert_halves(newest(BASE + 64), last - 1, last, 1);
  memory_controller_bus_discard(
      OF(MEMORY, memory_controller), &(struct shadow_discard){.address = BASE - 32}); /* not tracked there */
}

static uint64_t value(uint64_t address, uint32_t set, uint64_t new, uint32_t there) {
  struct shadow_value q = {.address = address, .set = set, .value = new};
  assert_int_equal(memory_controller_bus_value(OF(MEMORY, memory_controller), &q), there);
  return q.value;
}

/* Entries of 64 bits; outside the directory there are none. */
TEST(the_directory_holds_values) {
  in_banks(4);
  uint64_t last = DIRECTORY + PARAMS("memory", memory_controller)->directory_bytes - 8;
  value(DIRECTORY, 1, 0x1122334455667788, 1), value(DIRECTORY + 8, 1, 0x99aabbccddeeff00, 1),
      value(last, 1, 3, 1);
  assert_int_equal(value(DIRECTORY, 0, 5, 1), 0x1122334455667788);
  assert_int_equal(value(DIRECTORY + 8, 0, 5, 1), 0x99aabbccddeeff00);
  assert_int_equal(value(DIRECTORY + 16, 0, 5, 1), 0);
  assert_int_equal(value(last, 0, 5, 1), 3);
  assert_int_equal(value(last + 8, 0, 5, 0), 0);
  assert_int_equal(value(last + 8, 1, 5, 0), 0);
  assert_int_equal(value(DIRECTORY - 8, 0, 5, 0), 0);
}

static uint64_t held_value(uint64_t address) {
  struct shadow_value q = {.address = address, .held = 1};
  assert_int_equal(memory_controller_bus_value(OF(MEMORY, memory_controller), &q), 1);
  return q.value;
}

/* An entry stored in a cache becomes memory's value when its half line is written back. Untracked memory
 * always has the newest value, and so has memory without two_values. */
TEST(memory_holds_old_values_until_the_line_is_written_back) {
  for (uint64_t two = 0; two < 2; two++) {
    hp(1, 0);
    PARAMS("memory", memory_controller)->directory = BASE + PAGE,
                     PARAMS("memory", memory_controller)->directory_bytes = PAGES * PAGE,
                     PARAMS("memory", memory_controller)->two_values = two;
    hp_run();
    uint64_t line = BASE + PAGE + 64, beyond = BASE + PAGES * PAGE;
    uint32_t write = memory_controller_bus_store(
        OF(MEMORY, memory_controller), &(struct shadow_store){.address = line, .half = 0});
    value(line, 1, 11, 1), value(line + 8, 1, 12, 1), value(line + 16, 1, 13, 1), value(beyond, 1, 14, 1);
    assert_int_equal(held_value(line), two ? 0 : 11);
    assert_int_equal(held_value(line + 8), two ? 0 : 12);
    assert_int_equal(held_value(line + 16), 13); /* no cache has a newer one of this half */
    assert_int_equal(held_value(beyond), 14);
    put(line, 2, 0, 0, 900001); /* the other half */
    assert_int_equal(held_value(line), two ? 0 : 11);
    put(line, 1, 0, write, 0);
    assert_int_equal(held_value(line), 11);
    assert_int_equal(held_value(line + 8), 12);
    assert_int_equal(value(line, 0, 0, 1), 11);
  }
}

static void comes(uint64_t address, uint32_t mask, uint32_t half_0, uint32_t half_1) {
  memory_controller_bus_put(OF(MEMORY, memory_controller),
      &(struct runway_memory_put){
          .address = address, .mask = mask, .now = 1, .halves = (uint32_t[]){half_0, half_1}});
}
static void announced(uint32_t first, uint32_t last) {
  memory_controller_bus_announced(
      OF(MEMORY, memory_controller), &(struct shadow_announced){.first = first, .last = last});
}
static void seen(uint64_t address, uint32_t bytes) {
  memory_controller_bus_seen(
      OF(MEMORY, memory_controller), &(struct shadow_seen){.address = address, .bytes = bytes});
}

/* The newest accesses and the newest interrupts are remembered, up to a limit. */
TEST(the_newest_accesses_and_interrupts_are_remembered) {
  in_banks(4);
  announced(101, 199);
  for (uint32_t i = 0; i <= ANNOUNCED_SEEN; i++) seen(BASE + i * 64, 32);
  for (uint32_t i = 0; i <= ANNOUNCED_SEEN; i++) comes(BASE + i * 64, 1, 110 + i, 0);
  assert_int_equal(COUNT(overtaken), ANNOUNCED_SEEN);
  for (uint32_t i = 0; i < ANNOUNCED_MAX; i++) announced(1000 + i, 1000 + i);
  seen(BASE, 32);
  comes(BASE, 1, 120, 0); /* announced by the first interrupt */
  assert_int_equal(COUNT(overtaken), ANNOUNCED_SEEN);
  for (uint32_t i = 0; i < ANNOUNCED_MAX; i++) comes(BASE, 1, 1000 + i, 0);
  assert_int_equal(COUNT(overtaken), ANNOUNCED_SEEN + ANNOUNCED_MAX);
  assert_int_equal(STATE_OF("memory", memory_controller)->announced.used, 0);
}

/* A load of a byte counts for its half line. */
TEST(loads_are_remembered_by_the_half_line) {
  in_banks(4);
  announced(101, 199);
  seen(BASE + 47, 1);
  comes(BASE + 32, 2, 0, 101);
  assert_int_equal(COUNT(overtaken), 0);
  comes(BASE + 32, 1, 102, 0);
  assert_int_equal(COUNT(overtaken), 1);
}
