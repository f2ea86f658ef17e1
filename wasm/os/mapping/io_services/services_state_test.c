/* State codec of the services, words passed by a search for addresses, and the mapping that a call names. */
#include "test/hp.h"

static uint32_t services;
static struct io_services_state *state_of(void) { return SIM_STATE(test_engine(), services, io_services); }
static uint32_t *low(uint64_t *value) { return (uint32_t *)value; }

static void opened(uint64_t allocator, const uint64_t *program, uint32_t values) {
  hp(1, 1);
  machine_with("services"), PARAMS("services", io_services)->allocator = allocator,
                                               PARAMS("memory", memory_controller)->written = 1;
  PARAMS("services", io_services)->page_bits = PARAMS("adapter", io_adapter)->page_bits = 10,
                     PARAMS("services", io_services)->chain_shift =
                         PARAMS("adapter", io_adapter)->chain_shift = 16; /* 128 ranges */
  PARAMS("services", io_services)->map_word = 1000, PARAMS("services", io_services)->map_step = 1;
  PARAMS("cache0", snoop_cache)->interrupt = 0xfff80000ull;
  machine_rows("cpu0", 0, program, values);
  hp_open();
  services = SERVICES;
}

static uint32_t length(void) {
  uint8_t bytes[CODEC_PART];
  struct sim_codec k = {.at = bytes};
  io_services_serialize(OF(services, io_services), &k);
  return (uint32_t)(k.at - bytes);
}

/* A pending call is serialized with all that determines how it continues; a finished one only as finished. */
TEST(a_call_is_serialized_until_it_is_done) {
  static const uint64_t nothing[] = {END};
  opened(IO_SERVICES_ALLOCATOR_HPUX, nothing, 8);
  service_call *call = service_of(test_engine(), state_of(), 0);
  *call = (service_call){.step = IO_SERVICES_STEP_MAP, .op = PROCESSOR_OP_MAP};
  const uint32_t going = length();
  KEEPS(services, &call->step, &call->op, &call->inner, &call->hints, &call->page, &call->scan, &call->handle,
      &call->command, low(&call->host), &call->bytes, &call->done, &call->piece);
  KEEPS_NOT(services, low(&call->since));
  call->step = IO_SERVICES_STEP_DONE;
  assert_int_equal(length(), going - 7 - 4 * 4);
  KEEPS_NOT(services, &call->op, &call->inner, &call->hints, &call->page, &call->scan, &call->handle,
      &call->command, low(&call->host), &call->bytes, &call->done, &call->piece);
}

/* Only the live mappings of the first two handles and the allocated pages of the first two ranges are
 * serialized. */
TEST(two_mappings_and_two_ranges_are_serialized) {
  static const uint64_t nothing[] = {END};
  opened(IO_SERVICES_ALLOCATOR_HPUX, nothing, 8);
  struct io_services_groups *groups = sim_at(test_engine(), state_of()->groups_at);
  const uint32_t none = length();
  for (uint32_t i = 0; i < 3; i++) {
    mapping *map = service_mapping(test_engine(), state_of(), i);
    *map = (mapping){.addr = 0x1000, .host = BASE, .pages = 3, .group = i};
    KEEPS_NOT(services, low(&map->addr), low(&map->host), &map->pages, &map->attributes, &map->group,
        &map->sequential);
    map->live = 1;
    assert_int_equal(length(), none + (i < 2 ? 2 * 4 + 2 + 4 + 1 : 0));
    if (i < 2)
      KEEPS(services, &map->live, low(&map->addr), low(&map->host), &map->pages, &map->attributes,
          &map->group, &map->sequential, &groups[i].used);
    else
      KEEPS_NOT(services, &map->live, low(&map->addr), low(&map->host), &map->pages, &map->attributes,
          &map->group, &map->sequential, &groups[i].used);
    map->live = 0;
  }
}

/* Allocates pages and returns the steps of the search: 1000 for each word of 32 ranges, 1 for each bit. */
static uint32_t passed(uint32_t pages) {
  struct io_services_now *now = sim_at(test_engine(), state_of()->now_at);
  service_call *call = service_of(test_engine(), state_of(), 0);
  *call = (service_call){.op = PROCESSOR_OP_MAP};
  mapping map = {.pages = pages, .live = 1, .group = NO_GROUP};
  service_allocate(OF(services, io_services), call, &map);
  return map.live ? now->passed : now->passed + 1000000;
}

/* Single pages of owned ranges: the search passes a bit for each allocated page of the range, and a word for
 * each full range. Then it looks for another free range among all. */
TEST(a_search_among_owned_ranges_passes_pages) {
  static const uint64_t nothing[] = {END};
  opened(IO_SERVICES_ALLOCATOR_SEQUENTIAL, nothing, 8);
  for (uint32_t page = 0; page < 24; page++) {
    const uint32_t full = page / 8, there = page % 8;
    assert_int_equal(passed(1), full * 1000 + (there ? there : full)); /* new: after the full ones */
  }
}
