/*
 * Memory in banks, asked as its bus asks it: when data is there, what a line holds, and what the shadow memory says of it. A bank is
 * taken for 100 ns and has data after 275.
 */
#include "test/hp_machine.h"

#define NS 1000ull
#define ENGINE test_engine()
#define COUNT(name) (HP_COUNTERS(MEMORY, memory_controller)->name)

static struct hp_machine in_banks(uint64_t banks) {
  struct hp_machine g = hp_machine_defaults(1, 0);
  g.memory.banks = banks, g.memory.latency = 275 * NS, g.memory.occupancy = 100 * NS, g.memory.written = 1;
  hp_run(&g);
  ENGINE->cause = 0;
  return g;
}

static uint64_t ready_at(uint64_t line, uint32_t write, uint64_t when) {
  struct runway_memory_reserve q = {.address = BASE + line * 32 + 16, .write = write, .when = when};
  memory_controller_bus_reserve(ENGINE, MEMORY, &q);
  return q.when;
}

/* Neighbouring lines lie in neighbouring banks, however many there are; whoever finds its bank taken waits until it is free. */
static void lines_lie_in_banks_that_are_taken_one_access_at_a_time(void **state) {
  (void)state;
  for (uint64_t banks = 1; banks <= 6; banks++) {
    in_banks(banks);
    assert_int_equal(ready_at(0, 0, 1000 * NS), 1275 * NS);
    assert_int_equal(COUNT(bank_waits), 0);
    assert_int_equal(ready_at(banks, 0, 1010 * NS), 1375 * NS); /* the same bank, free at 1100 */
    assert_int_equal(COUNT(bank_waits), 1);
    assert_int_equal(ready_at(2 * banks, 1, 1200 * NS), 1475 * NS); /* free again just then */
    assert_int_equal(COUNT(bank_waits), 1);
    for (uint64_t other = 1; other < banks; other++) assert_int_equal(ready_at(other, 1, 1000 * NS), 1275 * NS);
    assert_int_equal(COUNT(bank_waits), 1);
    assert_int_equal(COUNT(reads), 2);
    assert_int_equal(COUNT(writes), banks);
    assert_int_equal(COUNT(busy), (2 + banks) * 100 * NS);
  }
}

/* It is busy from the first read on until the last has its data; writes are not seen. What follows is caused as before. */
static void it_is_busy_as_long_as_reads_are_under_way(void **state) {
  (void)state;
  in_banks(4);
  uint64_t now = ENGINE->time;
  ready_at(3, 1, now), ready_at(5, 0, now), ready_at(6, 0, now);
  memory_controller_bus_ready(ENGINE, MEMORY);
  assert_int_equal(ENGINE->cause, 0);
  const struct told busy = {now, MEMORY_CONTROLLER_EV_ACCESS, BASE + 5 * 32 + 16, MEMORY_CONTROLLER_STATE_BUSY, 0, 0}, idle = {now, MEMORY_CONTROLLER_EV_IDLE, 0, 0, 0, 0};
  assert_events(MEMORY, &busy, 1);
  memory_controller_bus_ready(ENGINE, MEMORY);
  assert_int_equal(ENGINE->cause, 0);
  assert_events(MEMORY, (const struct told[]){busy, idle}, 2);
  ready_at(5, 0, now);
  assert_events(MEMORY, (const struct told[]){busy, idle, busy}, 3);
}

struct halves {
  uint32_t first, second, followed;
};
static struct halves held(uint64_t address) {
  uint32_t words[2] = {77, 77};
  uint32_t followed = memory_controller_bus_get(ENGINE, MEMORY, &(struct runway_memory_get){.address = address, .halves = words}), again[2];
  assert_int_equal(memory_controller_bus_memory_value(ENGINE, MEMORY, &(struct shadow_memory_value){.address = address, .halves = again}), followed);
  assert_memory_equal(words, again, sizeof words);
  return (struct halves){words[0], words[1], followed};
}
static struct halves newest(uint64_t address) {
  uint32_t words[2] = {77, 77};
  uint32_t followed = memory_controller_bus_newest_write(ENGINE, MEMORY, &(struct shadow_newest_write){.address = address, .halves = words});
  return (struct halves){words[0], words[1], followed};
}
#define assert_halves(got, a, b, c)         \
  do {                                      \
    struct halves h = got;                  \
    assert_int_equal(h.first, a);           \
    assert_int_equal(h.second, b);          \
    assert_int_equal(h.followed, c);        \
  } while (0)

static void put(uint64_t address, uint32_t mask, uint32_t now, uint32_t first, uint32_t second) {
  uint32_t words[2] = {first, second};
  memory_controller_bus_put(ENGINE, MEMORY, &(struct runway_memory_put){.address = address, .mask = mask, .now = now, .halves = words});
}

/* Every half of the window begins with a write of its own; beyond either end nothing is known. */
static void what_is_followed_has_its_writes(void **state) {
  (void)state;
  in_banks(4);
  assert_halves(held(BASE), 1, 2, 1);
  assert_halves(held(BASE + 31), 1, 2, 1);
  assert_halves(held(BASE + 32), 3, 4, 1);
  assert_halves(newest(BASE + 32), 3, 4, 1);
  uint64_t end = BASE + PAGES * PAGE;
  assert_halves(held(end - 1), PAGES * PAGE / 16 - 1, PAGES * PAGE / 16, 1);
  assert_halves(held(end), 0, 0, 0);
  assert_halves(held(BASE - 1), 0, 0, 0);
  assert_halves(newest(end), 0, 0, 0);
  struct shadow_memory window;
  assert_int_equal(memory_controller_bus_cells(ENGINE, MEMORY, &(struct shadow_cells){.shadow = (uint32_t *)&window}), 1);
  assert_int_equal(window.from, BASE);
  assert_int_equal(window.cells, PAGES * PAGE / 16);
}

/* A device's write is the newest as it happens; a cache's line goes home, and was the newest before. */
static void writes_change_the_halves_they_are_for(void **state) {
  (void)state;
  in_banks(4);
  put(BASE + 64, 2, 1, 900001, 900002);
  assert_halves(held(BASE + 64), 5, 900002, 1);
  assert_halves(newest(BASE + 64), 5, 900002, 1);
  put(BASE + 64, 1, 1, 900003, 900004);
  assert_halves(held(BASE + 64), 900003, 900002, 1);
  uint32_t write = memory_controller_bus_store(ENGINE, MEMORY, &(struct shadow_store){.address = BASE + 96, .half = 1});
  assert_int_equal(write, ENGINE->writes);
  assert_halves(newest(BASE + 96), 7, write, 1);
  assert_halves(held(BASE + 96), 7, 8, 1); /* the store is in a cache */
  put(BASE + 96, 3, 0, 7, write);
  assert_halves(held(BASE + 96), 7, write, 1);
  assert_int_equal(memory_controller_bus_store(ENGINE, MEMORY, &(struct shadow_store){.address = BASE - 32, .half = 1}), 0);
  assert_int_equal(ENGINE->writes, write); /* nothing is followed there, so nothing is a write */
  put(BASE - 32, 3, 1, 1, 1);
  assert_int_equal(COUNT(lost_updates), 0);
  assert_int_equal(sim_host_state(ENGINE)->broken, 0);
}

/*
 * A write on its way that was meant for elsewhere: noted by its number, it covers what lies here and counts as the newest there, once it
 * is here. It may belong where nothing is followed; where nobody has written it takes nothing from anybody.
 */
static void a_stray_write_is_the_newest_of_where_it_belongs(void **state) {
  (void)state;
  in_banks(4);
  for (uint32_t i = 0; i < 3; i++) memory_controller_bus_misdirected_write(ENGINE, MEMORY, &(struct shadow_misdirected_write){.meant = i < 2 ? BASE + 160 + 16 * i : BASE - 16, .write = 900001 + i});
  assert_halves(newest(BASE + 160), 11, 12, 1);
  put(BASE + 64, 3, 1, 900002, 900009); /* the second of them, and one that belongs here */
  assert_halves(held(BASE + 64), 900002, 900009, 1);
  assert_halves(newest(BASE + 64), 5, 900009, 1);
  assert_halves(newest(BASE + 160), 11, 900002, 1);
  put(BASE + 96, 3, 0, 900003, 900001); /* with a line that goes home */
  assert_halves(held(BASE + 96), 900003, 900001, 1);
  assert_halves(newest(BASE + 96), 7, 8, 1);
  assert_halves(newest(BASE + 160), 900001, 900002, 1);
  assert_halves(held(BASE + 160), 11, 12, 1);
  assert_int_equal(COUNT(overwritten), 3);
  put(BASE + 64, 1, 1, 900002, 0); /* noted once */
  assert_halves(newest(BASE + 64), 900002, 900009, 1);
  assert_int_equal(COUNT(overwritten), 3);
  assert_int_equal(COUNT(lost_updates), 0);
  uint64_t now = ENGINE->time;
  const struct told first = {now, MEMORY_CONTROLLER_EV_OVERWRITTEN, BASE + 64, 900002, 5, 0};
  assert_events(MEMORY, (const struct told[]){first, {now, MEMORY_CONTROLLER_EV_OVERWRITTEN, BASE + 96, 900003, 7, BECAUSE(MEMORY, MEMORY_CONTROLLER_EV_OVERWRITTEN)}, {now, MEMORY_CONTROLLER_EV_OVERWRITTEN, BASE + 112, 900001, 8, BECAUSE(MEMORY, MEMORY_CONTROLLER_EV_OVERWRITTEN)}}, 3);
  struct hp_machine empty = hp_machine_defaults(1, 0);
  hp_run(&empty);
  memory_controller_bus_misdirected_write(ENGINE, MEMORY, &(struct shadow_misdirected_write){.meant = BASE + 160, .write = 900001});
  put(BASE + 64, 1, 1, 900001, 0);
  assert_halves(newest(BASE + 64), 900001, 0, 1);
  assert_halves(newest(BASE + 160), 900001, 0, 1);
  assert_int_equal(COUNT(overwritten), 0);
}

/* A write that goes astray to where nothing is followed is missing where it belongs, and is forgotten: as many as there are may do so. */
static void a_stray_write_may_come_where_nothing_is_followed(void **state) {
  (void)state;
  in_banks(4);
  for (uint32_t i = 0; i < 2 * CONTROLLER_STRAYS; i++) {
    memory_controller_bus_misdirected_write(ENGINE, MEMORY, &(struct shadow_misdirected_write){.meant = BASE + 160, .write = 900001 + i});
    put(BASE - 32, 1, 1, 900001 + i, 0);
    assert_halves(newest(BASE + 160), 900001 + i, 12, 1);
    assert_int_equal(SIM_STATE(ENGINE, MEMORY, memory_controller)->strays, 0);
  }
  assert_int_equal(COUNT(overwritten), 0);
}

/* Memory holds the newest and gets something older: that is lost for good. Something as new, or older over older, is not. */
static void newest_data_overwritten_by_older_is_lost(void **state) {
  (void)state;
  in_banks(4);
  uint64_t now = ENGINE->time;
  put(BASE + 64, 3, 1, 900005, 900006);
  put(BASE + 64, 3, 0, 900005, 900006);
  assert_int_equal(COUNT(lost_updates), 0);
  put(BASE + 64, 1, 0, 900004, 1); /* only the half that is written */
  assert_int_equal(COUNT(lost_updates), 1);
  assert_int_equal(sim_host_state(ENGINE)->broken, SIM_NO_LOST_DATA);
  assert_int_equal(sim_host_state(ENGINE)->broken_at, BASE + 64);
  put(BASE + 64, 1, 0, 900003, 1); /* what memory holds is not the newest any more */
  assert_int_equal(COUNT(lost_updates), 1);
  put(BASE + 64, 2, 0, 1, 900001);
  assert_int_equal(COUNT(lost_updates), 2);
  assert_events(MEMORY, (const struct told[]){{now, MEMORY_CONTROLLER_EV_LOST, BASE + 64, 900004, 900005, 0}, {now, MEMORY_CONTROLLER_EV_LOST, BASE + 80, 900001, 900006, BECAUSE(MEMORY, MEMORY_CONTROLLER_EV_LOST)}}, 2);
}

/* The half that is lost is the one that is told of. */
static void a_lost_half_is_told_of_where_it_is(void **state) {
  (void)state;
  in_banks(4);
  put(BASE + 64, 3, 1, 900005, 900006);
  put(BASE + 64, 2, 0, 1, 900001);
  assert_int_equal(sim_host_state(ENGINE)->broken_at, BASE + 80);
  assert_int_equal(sim_host_state(ENGINE)->broken_part, MEMORY);
}

/* What software threw away is no newer write: what memory holds is the newest then, in both halves, and of that line alone. */
static void what_is_thrown_away_is_forgotten(void **state) {
  (void)state;
  in_banks(4);
  for (uint64_t line = 0; line < 3; line++)
    for (uint32_t half = 0; half < 2; half++) memory_controller_bus_store(ENGINE, MEMORY, &(struct shadow_store){.address = BASE + line * 32, .half = half});
  uint32_t last = (uint32_t)ENGINE->writes;
  memory_controller_bus_discard(ENGINE, MEMORY, &(struct shadow_discard){.address = BASE + 32});
  assert_halves(newest(BASE), last - 5, last - 4, 1);
  assert_halves(newest(BASE + 32), 3, 4, 1);
  assert_halves(newest(BASE + 64), last - 1, last, 1);
  memory_controller_bus_discard(ENGINE, MEMORY, &(struct shadow_discard){.address = BASE - 32}); /* nothing is followed there */
}

static uint64_t value(uint64_t address, uint32_t set, uint64_t new, uint32_t there) {
  struct shadow_value q = {.address = address, .set = set, .value = new};
  assert_int_equal(memory_controller_bus_value(ENGINE, MEMORY, &q), there);
  return q.value;
}

/* Entries of 64 bits; outside the directory there are none. */
static void the_directory_holds_values(void **state) {
  (void)state;
  struct hp_machine g = in_banks(4);
  uint64_t last = DIRECTORY + g.memory.directory_bytes - 8;
  value(DIRECTORY, 1, 0x1122334455667788, 1), value(DIRECTORY + 8, 1, 0x99aabbccddeeff00, 1), value(last, 1, 3, 1);
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
  assert_int_equal(memory_controller_bus_value(ENGINE, MEMORY, &q), 1);
  return q.value;
}

/* An entry stored in a cache is memory's when its half line has come home; where nothing is followed memory has the newest, and so it has without two values. */
static void memory_holds_old_values_until_the_line_comes_home(void **state) {
  (void)state;
  for (uint64_t two = 0; two < 2; two++) {
    struct hp_machine g = hp_machine_defaults(1, 0);
    g.memory.directory = BASE + PAGE, g.memory.directory_bytes = PAGES * PAGE, g.memory.two_values = two;
    hp_run(&g);
    uint64_t line = BASE + PAGE + 64, beyond = BASE + PAGES * PAGE;
    uint32_t write = memory_controller_bus_store(ENGINE, MEMORY, &(struct shadow_store){.address = line, .half = 0});
    value(line, 1, 11, 1), value(line + 8, 1, 12, 1), value(line + 16, 1, 13, 1), value(beyond, 1, 14, 1);
    assert_int_equal(held_value(line), two ? 0 : 11);
    assert_int_equal(held_value(line + 8), two ? 0 : 12);
    assert_int_equal(held_value(line + 16), 13); /* its half is not newer anywhere */
    assert_int_equal(held_value(beyond), 14);
    put(line, 2, 0, 0, 900001); /* the other half */
    assert_int_equal(held_value(line), two ? 0 : 11);
    put(line, 1, 0, write, 0);
    assert_int_equal(held_value(line), 11);
    assert_int_equal(held_value(line + 8), 12);
    assert_int_equal(value(line, 0, 0, 1), 11);
  }
}

/* Without writes of before nothing is known; the defect of copies is told of when it is asked for. */
static void memory_begins_empty_and_sound(void **state) {
  (void)state;
  struct hp_machine g = hp_machine_defaults(1, 0);
  for (g.memory.fault = MEMORY_CONTROLLER_FAULT_NONE; g.memory.fault <= MEMORY_CONTROLLER_FAULT_COPY_SKIPS_MEMORY; g.memory.fault++) {
    hp_run(&g);
    assert_halves(held(BASE), 0, 0, 1);
    assert_int_equal(ENGINE->writes, 0);
    assert_int_equal(memory_controller_bus_skips_update(ENGINE, MEMORY), g.memory.fault == MEMORY_CONTROLLER_FAULT_COPY_SKIPS_MEMORY);
  }
}

/* A table of eight entries from the second half of a line on: with a half whose newest write is in memory its two entries come home, and no others. */
static void entries_come_home_with_their_half(void **state) {
  (void)state;
  struct hp_machine g = hp_machine_defaults(1, 0);
  g.memory.two_values = g.memory.written = 1, g.memory.directory = BASE + 16, g.memory.directory_bytes = 64;
  hp_open(&g);
  struct memory_controller_state *s = SIM_STATE(ENGINE, MEMORY, memory_controller);
  assert_int_equal(s->entries, 8);
  for (uint64_t line = 0; line < 4; line++)
    for (uint32_t home = 0; home < 4; home++) {
      for (uint32_t i = 0; i < 8; i++) controller_entry(ENGINE, s->directory_at, i)->low = 100 + i, controller_entry(ENGINE, s->held_at, i)->low = 50 + i;
      const struct shadow_word cells[2] = {{.write = 4, .newest = home & 1 ? 4 : 5}, {.write = 6, .newest = home & 2 ? 6 : 7}};
      controller_home(ENGINE, MEMORY, BASE + 32 * line, cells);
      for (uint32_t i = 0; i < 8; i++) {
        uint64_t half = (16 + 8 * i) / 16; /* of the lines from BASE on */
        assert_int_equal(controller_entry(ENGINE, s->held_at, i)->low, half / 2 == line && home >> half % 2 & 1 ? 100 + i : 50 + i);
        assert_int_equal(controller_entry(ENGINE, s->directory_at, i)->low, 100 + i);
      }
    }
}

/* Two lines of memory and three entries of the directory, as it is and as memory holds it. What is read back says of each half whether memory has its newest write, and each entry as it was. */
static void all_that_memory_has_is_kept(void **state) {
  (void)state;
  struct hp_machine g = hp_machine_defaults(1, 0);
  g.memory.tracked = 64, g.memory.directory_bytes = 24, g.memory.two_values = 1;
  hp_open(&g);
  struct memory_controller_state *s = SIM_STATE(ENGINE, MEMORY, memory_controller);
  struct shadow_word *cells = sim_at(ENGINE, s->shadow.at);
  struct memory_controller_directory *entries = sim_at(ENGINE, s->directory_at), *held = controller_entry(ENGINE, s->held_at, 0);
  for (uint32_t i = 0; i < 4; i++) cells[i].newest = 100 + i, cells[i].write = i & 1 ? 50 + i : 100 + i;
  for (uint32_t i = 0; i < 3; i++) entries[i] = (struct memory_controller_directory){0x12345670 + i, 0x9abcdef0 + i}, held[i] = (struct memory_controller_directory){0x1000 + i, 0x2000 + i};
  uint8_t bytes[CODEC_PART];
  memory_controller_serialize(ENGINE, MEMORY, &(struct sim_codec){.at = bytes});
  memset(cells, 77, 4 * sizeof *cells), memset(entries, 77, 3 * sizeof *entries), memset(held, 77, 3 * sizeof *held);
  memory_controller_serialize(ENGINE, MEMORY, &(struct sim_codec){.at = bytes, .reading = 1});
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(cells[i].newest, 2 + i); /* names, in their order */
    assert_int_equal(cells[i].write == cells[i].newest, !(i & 1));
    for (uint32_t k = 0; k < i; k++) assert_int_not_equal(cells[i].write, cells[k].write);
  }
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(entries[i].low, 0x12345670 + i);
    assert_int_equal(entries[i].high, 0x9abcdef0 + i);
    assert_int_equal(held[i].low, 0x1000 + i);
    assert_int_equal(held[i].high, 0x2000 + i);
  }
}

static void comes(uint64_t address, uint32_t mask, uint32_t half_0, uint32_t half_1) {
  memory_controller_bus_put(ENGINE, MEMORY, &(struct runway_memory_put){.address = address, .mask = mask, .now = 1, .halves = (uint32_t[]){half_0, half_1}});
}
static void announced(uint32_t first, uint32_t last) { memory_controller_bus_announced(ENGINE, MEMORY, &(struct shadow_announced){.first = first, .last = last}); }
static void seen(uint64_t address, uint32_t bytes) { memory_controller_bus_seen(ENGINE, MEMORY, &(struct shadow_seen){.address = address, .bytes = bytes}); }

/* Only what an interrupt announced, what was loaded since, and what came after that. */
static void a_load_between_an_interrupt_and_its_data_is_found(void **state) {
  (void)state;
  in_banks(4);
  seen(BASE, 32); /* nothing is announced yet */
  announced(101, 108);
  comes(BASE, 3, 101, 102);
  seen(BASE, 64);
  comes(BASE, 3, 99, 109); /* others' writes */
  assert_int_equal(COUNT(overtaken), 0);
  uint64_t now = ENGINE->time;
  comes(BASE + 32, 3, 103, 104);
  assert_int_equal(COUNT(overtaken), 2);
  assert_int_equal(ENGINE->cause, 0);
  comes(BASE + 64, 3, 105, 106); /* not loaded */
  memory_controller_bus_store(ENGINE, MEMORY, &(struct shadow_store){.address = BASE + 20, .half = 1, .device = 107}); /* merged into a line */
  assert_int_equal(COUNT(overtaken), 3);
  assert_events(MEMORY, (const struct told[]){{now, MEMORY_CONTROLLER_EV_OVERTAKEN, BASE + 32, 103, 0, 0}, {now, MEMORY_CONTROLLER_EV_OVERTAKEN, BASE + 48, 104, 0, 0}, {now, MEMORY_CONTROLLER_EV_OVERTAKEN, BASE + 16, 107, 0, 0}}, 3);
  comes(BASE + 96, 1, 108, 0); /* the last: all are here */
  comes(BASE, 1, 103, 0);
  assert_int_equal(COUNT(overtaken), 3);
}

/* A load of a byte is one of its half line. */
static void what_was_loaded_is_known_to_the_half_line(void **state) {
  (void)state;
  in_banks(4);
  announced(101, 199);
  seen(BASE + 47, 1);
  comes(BASE + 32, 2, 0, 101);
  assert_int_equal(COUNT(overtaken), 0);
  comes(BASE + 32, 1, 102, 0);
  assert_int_equal(COUNT(overtaken), 1);
}

/* Of many places and of many interrupts the newest are known. */
static void the_newest_places_and_interrupts_are_known(void **state) {
  (void)state;
  in_banks(4);
  announced(101, 199);
  for (uint32_t i = 0; i <= CONTROLLER_SEEN; i++) seen(BASE + i * 64, 32);
  for (uint32_t i = 0; i <= CONTROLLER_SEEN; i++) comes(BASE + i * 64, 1, 110 + i, 0);
  assert_int_equal(COUNT(overtaken), CONTROLLER_SEEN);
  for (uint32_t i = 0; i < CONTROLLER_ANNOUNCED; i++) announced(1000 + i, 1000 + i);
  seen(BASE, 32);
  comes(BASE, 1, 120, 0); /* of the first interrupt */
  assert_int_equal(COUNT(overtaken), CONTROLLER_SEEN);
  for (uint32_t i = 0; i < CONTROLLER_ANNOUNCED; i++) comes(BASE, 1, 1000 + i, 0);
  assert_int_equal(COUNT(overtaken), CONTROLLER_SEEN + CONTROLLER_ANNOUNCED);
  assert_int_equal(SIM_STATE(ENGINE, MEMORY, memory_controller)->announced, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_lie_in_banks_that_are_taken_one_access_at_a_time),
      cmocka_unit_test(it_is_busy_as_long_as_reads_are_under_way),
      cmocka_unit_test(what_is_followed_has_its_writes),
      cmocka_unit_test(writes_change_the_halves_they_are_for),
      cmocka_unit_test(a_stray_write_is_the_newest_of_where_it_belongs),
      cmocka_unit_test(a_stray_write_may_come_where_nothing_is_followed),
      cmocka_unit_test(newest_data_overwritten_by_older_is_lost),
      cmocka_unit_test(a_lost_half_is_told_of_where_it_is),
      cmocka_unit_test(what_is_thrown_away_is_forgotten),
      cmocka_unit_test(the_directory_holds_values),
      cmocka_unit_test(memory_holds_old_values_until_the_line_comes_home),
      cmocka_unit_test(memory_begins_empty_and_sound),
      cmocka_unit_test(entries_come_home_with_their_half),
      cmocka_unit_test(all_that_memory_has_is_kept),
      cmocka_unit_test(a_load_between_an_interrupt_and_its_data_is_found),
      cmocka_unit_test(what_was_loaded_is_known_to_the_half_line),
      cmocka_unit_test(the_newest_places_and_interrupts_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
