/*
 * The exported functions of the WebAssembly module, as its host calls them: where memory is reserved, that
 * it exists, and that 64-bit numbers are passed in halves. A low region of this process stands in for the
 * module's memory of 32-bit addresses; it grows by pages.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#undef MAP_FAILED                             /* the allocator has a step of this name */
#pragma GCC diagnostic ignored "-Wattributes" /* export names have a meaning in a module only */

#define HEAP 0x30000001u /* end of the globals: an unaligned address */
#define LOW 0x08000000u  /* mapped from below HEAP: a wrong address fails an assertion, no crash */
#define ROOM_ENDS 0x50000000u
unsigned char *heap = (unsigned char *)HEAP;
#define __heap_base *heap

#define PAGES_AT_FIRST (HEAP / 65536 + 1)
static uint32_t pages = PAGES_AT_FIRST, pages_most = ROOM_ENDS / 65536;
static uint32_t pages_have(void) { return pages; }
static uintptr_t pages_grow(uint32_t sim) {
  if (pages + sim > pages_most) return (uintptr_t)-1;
  pages += sim;
  return pages - sim;
}
#define __builtin_wasm_memory_size(memory) pages_have()
#define __builtin_wasm_memory_grow(memory, sim) pages_grow(sim)

#include "host/verify_wasm.c"

#include "test/testing.c"

#include "test/small_machine.h"
#include "test/gt.h"

#define BASE_AT 0x30000040u /* the first multiple of 64 above HEAP */

/* A new module, with at most this many bytes above its globals. */
static void fresh(uint32_t bytes) {
  static void *low;
  if (!low)
    low = mmap((void *)(uintptr_t)LOW, ROOM_ENDS - LOW, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  assert_ptr_equal(low, (void *)(uintptr_t)LOW);
  test_touches(low, ROOM_ENDS - LOW);
  assert_int_equal(madvise(low, ROOM_ENDS - LOW, MADV_DONTNEED), 0); /* zero again */
  pages = PAGES_AT_FIRST;
  pages_most = (uint32_t)(((uint64_t)BASE_AT + bytes) / 65536);
}

/* Memory reaches up to this address, with less than a page to spare. */
static void assert_grown_to(uint64_t end) {
  assert_true((uint64_t)pages * 65536 >= end);
  assert_true((uint64_t)(pages - 1) * 65536 < end);
}

static void *at(uint32_t address) { return (void *)(uintptr_t)address; }

/* A session is followed by an engine that can grow: multiples of 4 KiB apart, 128 KiB to begin with. */
TEST(a_session_is_followed_by_an_engine_that_can_grow) {
  static const uint32_t bytes[] = {0, 1, 4095, 4096, 4097, 100000, 64u << 20};
  for (uint32_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    fresh(128u << 20);
    assert_int_equal(wasm_session(bytes[i]), BASE_AT);
    uint32_t behind = BASE_AT + (bytes[i] + 4095) / 4096 * 4096;
    assert_int_equal(wasm_engine(), behind + SIM_HOST_STATE_BYTES);
    assert_int_equal(sim_host_state(engine())->limit, 2 * 65536);
    assert_grown_to(behind + 2 * 65536);
  }
  assert_int_equal(wasm_session(1), BASE_AT); /* again, in memory that exists already */
  assert_grown_to(BASE_AT + (64u << 20) + 2 * 65536);
  assert_int_equal(wasm_session((64u << 20) + 1), 0);
  for (uint32_t room = 0; room <= 256 * 1024;
      room += 65536) { /* 64 KiB of session and 128 of engine, from 64 B: four pages */
    fresh(room);
    assert_int_equal(wasm_session(65536), room < 256 * 1024 ? 0 : BASE_AT);
  }
}

static void opened(const struct session *s) {
  uint32_t base = wasm_session(s->n * 4);
  assert_int_equal(base, BASE_AT);
  memcpy(at(base), s->words, s->n * 4);
  assert_int_equal(wasm_open(s->n * 4), SIM_OK);
  assert_true((uint64_t)pages * 65536 >= engine_at + sim_refresh_header(engine())->total_bytes);
}

/* A processor works for 10 ms: more picoseconds than 32 bits hold. */
static void opened_for_long(void) {
  static const uint64_t program[] = {ROW(SPEND, 0, 0, 0, 10000000000, 0, 0), ROW(END, 0, 0, 0, 0, 0, 0)};
  machine("gt-and-peer");
  static struct session s;
  PARAMS("ring", ring)->update_every = 1000000000;
  s = gt_session(ROWS(program));
  opened(&s);
}

TEST(times_and_values_are_passed_in_halves) {
  fresh(128u << 20);
  opened_for_long();
  assert_int_equal(wasm_run(UINT32_MAX, 0, UINT32_MAX, UINT32_MAX), SIM_UNTIL);
  const struct sim_directory *d = sim_refresh_header(engine());
  assert_int_equal(d->time_hi, 0);
  assert_int_equal(wasm_run(705032704, 1, UINT32_MAX, UINT32_MAX), SIM_UNTIL); /* up to 5 ms */
  assert_int_equal(engine()->time, 5000000000);
  uint32_t events = (uint32_t)engine()->events;
  assert_int_equal(wasm_run(UINT32_MAX, UINT32_MAX, events + 3, 0), SIM_EVENTS);
  assert_int_equal(engine()->events, events + 3);
  engine()->events = 0xfffffffeull;                     /* from two before 2^32 to three after */
  assert_int_equal(wasm_run(0, 100, 3, 1), SIM_EVENTS); /* less than 430 ms */
  assert_int_equal(engine()->events, 0x100000003ull);
  engine()->events = events + 3;
  assert_int_equal(wasm_run(0, 3, 0, 1), SIM_UNTIL); /* 12.9 ms, and more than 2^32 events */
  assert_int_equal(wasm_command(RING, 0, 705032704, 1), SIM_OK);
  assert_int_equal(SIM_PARAMS(engine(), RING, ring)->rate, 5000000000);
  assert_int_equal(wasm_command(RING, 0, 0, 0), SIM_BAD_PARAM);
  wasm_look();
  assert_int_equal(sim_host_state(engine())->directory.time_hi, engine()->time >> 32);
}

TEST(other_calls_are_forwarded_to_the_engine) {
  fresh(128u << 20);
  opened_for_long();
  sim_host_state(engine())->directory.hash_lo = sim_host_state(engine())->directory.hash_hi = 0;
  wasm_hash();
  assert_true(sim_host_state(engine())->directory.hash_lo && sim_host_state(engine())->directory.hash_hi);
  for (uint32_t on = 0; on < 2; on++) {
    wasm_record(on);
    assert_int_equal(sim_host_state(engine())->recording, on);
  }
  *(uint32_t *)at(BASE_AT) = 1 << 16 | 5;
  wasm_replay(BASE_AT, 1);
  assert_int_equal(sim_host_state(engine())->replay_count, 1);
  assert_int_equal(*(uint32_t *)sim_at(engine(), sim_refresh_header(engine())->choices_at), 1 << 16 | 5);
  wasm_fail_allocation(3);
  assert_int_equal(sim_host_state(engine())->fail_at, 3);
  assert_int_equal(wasm_look(), (uint32_t)(uintptr_t)sim_refresh_header(engine()));
}

/* The engine grows in place; without more memory the host gets an error. */
TEST(the_engine_grows_as_far_as_there_is_memory) {
  fresh(128u << 20);
  opened_for_long();
  uint64_t total = sim_refresh_header(engine())->total_bytes;
  assert_grown_to(engine_at + total < pages * 65536ull - 65536 ? pages * 65536ull : engine_at + total);
  assert_ptr_equal(sim_host_reserve(at(7), (64u << 20) - 4096), at(7));
  assert_grown_to(engine_at + (64u << 20) - 4096);
  uint32_t whole = (uint32_t)-engine_at % 65536 + (65u << 20); /* exactly to the end of a page */
  assert_ptr_equal(sim_host_reserve(at(7), whole), at(7));
  assert_grown_to(engine_at + whole);
  assert_null(sim_host_reserve(at(7), 256u << 20));
  assert_null(sim_host_reserve(at(7), UINT32_MAX));
  pages_most = UINT32_MAX;
  assert_null(sim_host_reserve(at(7), UINT32_MAX - 65536ull - engine_at + 1)); /* addresses have 32 bits */
  assert_ptr_equal(sim_host_reserve(at(7), UINT32_MAX - 65536ull - engine_at), at(7));
}

/* The full state space of two caches and a line is explored in memory after the engine's. */
TEST(exploring_has_its_own_memory) {
  static const struct small g = {.cpus = 2};
  fresh(128u << 20);
  opened(small_session(&g));
  uint32_t behind = engine_at + SIM_HOST_STATE_BYTES + sim_refresh_header(engine())->total_bytes,
           work = wasm_explore_begin(8);
  assert_true(work >= behind && work < behind + 64 && work % 64 == 0);
  assert_grown_to(work + (8u << 20));
  const struct explorer *explorer = at(work);
  assert_int_equal(explorer->ring_at + explorer->ring_bytes, 8u << 20);
  const struct sim_explored *found = at(work);
  for (uint32_t n = 0; n < 20 && found->end == EXPLORE_MORE; n++) {
    found = at(wasm_explore(10000));
    assert_ptr_equal(found, at(work));
  }
  assert_int_equal(found->end, EXPLORE_COMPLETE);
  assert_true(found->states > 100);
  assert_int_equal(wasm_explore_begin(200), 0); /* no more memory */
  pages_most = UINT32_MAX;
  assert_int_equal(wasm_explore_begin(3801), 0);
  assert_int_equal(
      wasm_explore_begin(((UINT32_MAX - 65536u - work) >> 20) + 1), 0); /* addresses have 32 bits */
}

static void opened_player(void) {
  machine("player");
  machine_without("cache1");
  opened(machine_session());
}

/* Two lines and the beginning of a third, which is kept for the next piece of text. The result is in
 * `played`. */
TEST(a_recorded_trace_is_read_behind_the_engine) {
  static const char text[] = "0 100\n1 200\n0 3";
  fresh(128u << 20);
  opened_player();
  uint32_t behind = engine_at + SIM_HOST_STATE_BYTES + sim_refresh_header(engine())->total_bytes,
           bytes = 65536 - (behind + 63) / 64 * 64 % 65536;
  played.lines_lo = 99;
  uint32_t place = wasm_play_room(bytes);
  assert_true(place >= behind && place < behind + 64 && place % 64 == 0);
  assert_grown_to((uint64_t)place + bytes + 1); /* plus a byte, to end the last line */
  assert_int_equal(played.lines_lo, 0);
  memcpy(at(place), text, sizeof text - 1);
  assert_int_equal(wasm_play(3, sizeof text - 1, 0), (uint32_t)(uintptr_t)&played);
  EXPECT_VALUES({played.lines_lo, 2}, {played.left, 3});
  assert_memory_equal(at(place), "0 3", 3);
  wasm_play(3, 3, 1);
  EXPECT_VALUES({played.lines_lo, 3}, {SIM_COUNTERS(engine(), 2, snoop_cache)->misses, 3});
  assert_int_equal(wasm_play_room(200u << 20), 0);
}

/* The arrays follow each other, each at the next multiple of 64. */
static void assert_room_for(uint32_t entries, uint32_t ops) {
  fresh(128u << 20);
  assert_int_equal(wasm_maps_room(entries, ops), (uint32_t)(uintptr_t)&maps_places);
  const struct maps_directory *d = &maps_places;
  const uint64_t pieces[][2] = {{d->setup_at, sizeof(struct map_setup)},
      {d->head_at, sizeof(struct map_head)}, {d->pools_at, MAP_ROWS * sizeof(struct map_pool)},
      {d->bits_at, (entries + 63) / 64 * 8}, {d->freed_at, 4 * entries},
      {d->bounds_at, (entries / 512 + 1) * MAP_ORDERS * 2}, {d->ops_at, ops * sizeof(struct map_op)},
      {d->outcomes_at, ops * sizeof(struct map_outcome)}};
  uint64_t end = BASE_AT;
  for (uint32_t i = 0; i < 8; i++) {
    assert_int_equal(pieces[i][0], (end + 63) / 64 * 64);
    end = pieces[i][0] + pieces[i][1];
  }
  assert_true((uint64_t)pages * 65536 >= end);
}

TEST(a_table_has_memory_for_its_arrays) {
  assert_room_for(200, 3);
  assert_room_for(6656, 41);
  assert_room_for(5000000, 1);
  assert_room_for(64, 300000);
  fresh(65536);
  assert_int_equal(wasm_maps_room(200, 1000), 0);
  pages_most = UINT32_MAX;
  assert_true(wasm_maps_room(214735257, 0)); /* 5 bytes each plus 64 KiB: just below 1 GiB */
  assert_int_equal(wasm_maps_room(214735258, 0), 0);
}

/* 200 entries: two ranges are allocated and one is freed; earlier contents are cleared. */
TEST(a_table_is_replayed_in_its_memory) {
  for (uint32_t quick = 0; quick < 2; quick++) {
    assert_room_for(200, 3);
    const struct maps_directory *d = &maps_places;
    memset(at(d->head_at), 0xff, d->ops_at - d->head_at);
    *(struct map_setup *)at(d->setup_at) =
        (struct map_setup){.boundary = UINT32_MAX, .entries = 200, .shift = 13, .npools = 1};
    assert_int_equal(wasm_maps_open(quick), MAP_FINE);
    EXPECT_VALUES({maps_table.freed == NULL, quick}, {maps_table.bounds == NULL, !quick});
    struct map_op *ops = at(d->ops_at);
    ops[0] = ops[1] = (struct map_op){.kind = MAP_OP_ALLOC, .pages = 3, .mask = UINT64_MAX};
    ops[2] = (struct map_op){.kind = MAP_OP_FREE, .handle = 0, .pages = 3};
    wasm_maps_run(3);
    const struct map_outcome *out = at(d->outcomes_at);
    EXPECT_VALUES({out[0].result, 0}, {out[1].result, 3}, {out[2].refused, 0});
    assert_int_equal(out[2].handle + out[2].words + out[2].fatal, 0); /* a free does not search */
    for (uint32_t twice = 0; twice < 2; twice++) {
      wasm_maps_sum();
      assert_int_equal(d->population, 3);
      assert_int_equal(*(uint64_t *)at(d->bits_at), 0x38); /* entries 3, 4, 5 */
    }
  }
}

/* The bitmap of 72 entries holds the bytes 123456789, whose CRC is well known. A table of 71 entries has the
 * same nine bytes. */
TEST(a_bitmap_is_checksummed_by_its_bytes) {
  for (uint32_t entries = 71; entries <= 72; entries++) {
    assert_room_for(entries, 1);
    *(struct map_setup *)at(maps_places.setup_at) =
        (struct map_setup){.boundary = UINT32_MAX, .entries = entries, .shift = 13, .npools = 1};
    memset(maps_crc_table, 0, sizeof maps_crc_table);
    wasm_maps_open(0);
    memcpy(at(maps_places.bits_at), "123456789", 9);
    wasm_maps_sum();
    assert_int_equal(maps_places.crc, 0xcbf43926u);
    assert_int_equal(
        maps_places.population, 33); /* 2 for each digit's 0x30, and 1 + 1 + 2 + 1 + 2 + 2 + 3 + 1 + 2 */
  }
}

/* Two threads under the corrected rules, with memory for a number of states: the hash table has a power of
 * two of slots, at least twice as many as states. */
TEST(the_check_of_lazy_flush_has_the_memory_it_needs) {
  static const struct {
    uint32_t states, slots;
  } cases[] = {{1, 1024}, {512, 1024}, {513, 2048}, {30000, 65536}};
  for (uint32_t i = 0; i < 4; i++) {
    fresh(128u << 20);
    uint32_t place = wasm_check_room(cases[i].states);
    EXPECT_VALUES({place, BASE_AT}, {pool_check.slots, cases[i].slots});
    assert_true(pool_check.table_at >= place + sizeof(struct check_job));
    assert_int_equal(pool_check.nodes_at, pool_check.table_at + cases[i].slots * 4);
    uint64_t end = pool_check.nodes_at + (uint64_t)cases[i].states * sizeof(struct check_node);
    assert_true((uint64_t)pages * 65536 >= end && (uint64_t)(pages - 1) * 65536 < end + 256);
    struct check_job *job = at(place);
    assert_int_equal(job->most, cases[i].states);
    memset(at(pool_check.table_at), 0xff, cases[i].slots * 4);
    assert_int_equal(wasm_check_room(cases[i].states), place); /* again, with a cleared table */
    job->rules = RULE_LAZY | RULE_END_EXACT | RULE_FLUSH_AHEAD | RULE_POOL_FLAGS, job->threads = 2,
    job->per_pool = 2, job->large_request = 1;
    wasm_check_run();
    EXPECT_VALUES({job->complete, cases[i].states == 30000}, {job->found, 0});
  }
  fresh(65536);
  assert_int_equal(wasm_check_room(30000), 0);
  pages_most = UINT32_MAX;
  assert_int_equal(wasm_check_room((1u << 24) + 1), 0);
  assert_int_equal(wasm_check_room(1u << 24), BASE_AT);
  assert_int_equal(pool_check.slots, 1u << 25);
}
