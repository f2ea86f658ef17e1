/* The steps of the shipped services as the prover takes them: which are skipped, which become accesses of
 * caches or registers, and when a call is over; and returns of data to a device. */
#include "test/small_machine.h"

enum { CPUS = 2, PROVER_PART = 2 + CPUS, ADAPTER_PART, SERVICES_PART };
#define ENGINE test_engine()
#define REGISTERS 0xf0000000ull
#define SECOND (LINE + RUNWAY_LINE)

static const struct small BOTH = {.cpus = CPUS, .adapter = COHERENT, .lines = 2},
                          NO_COMMANDS = {.cpus = CPUS, .adapter = ALONE, .lines = 2};

static struct prover_now *now_of(uint32_t prover) { return prover_view(OF(prover, prover)); }
#define NOW now_of(PROVER_PART)

static const struct snoop_cache_now *cache_of(uint32_t cache) {
  uint32_t rows;
  return checked_view(ENGINE, cache, SNOOP_CACHE_VIEW_NOW, &rows);
}

/* The number of pending steps. */
static uint32_t steps_left(uint32_t prover) {
  uint32_t count = 0;
  uint64_t when;
  for (uint32_t n = 0; n < ENGINE->pending; n++) {
    const sim_msg *q = test_pending(n, &when);
    count += q->to == prover && q->port == SIM_PORT_SELF && q->kind == PROVER_STEP;
  }
  return count;
}

/* Starts a call of the driver; its first step is pending. */
static void calls(uint32_t action, uint32_t contract) {
  const uint32_t before = steps_left(PROVER_PART);
  prover_call(
      OF(PROVER_PART, prover), &(struct prover_choice){.action = action, .line = 1, .contract = contract});
  assert_int_equal(steps_left(PROVER_PART), before + 1);
}

/* Takes the next step, skipping those that only spend time. Returns how many new steps are pending. */
static uint32_t steps(void) {
  const uint32_t before = steps_left(PROVER_PART);
  env_driver_step(OF(PROVER_PART, prover));
  return steps_left(PROVER_PART) - before;
}

static uint64_t first_entry(void) {
  struct shadow_value value = {.address = IO_DIRECTORY};
  call_shadow_value(ENGINE, 2, SNOOP_CACHE_PORT_BUS, &value);
  return value.value;
}

/* The state of the services after a call. */
static void assert_over(void) {
  assert_int_equal(
      service_of(ENGINE, SIM_STATE(ENGINE, SERVICES_PART, io_services), 0)->step, IO_SERVICES_STEP_DONE);
}

/* The store of an entry takes effect at once, with the next step. Then the call is over and returns its
 * address. */
TEST(a_mapping_is_made_in_two_steps) {
  small_open(&BOTH);
  calls(PROVER_ACTION_MAP, PROVER_CONTRACT_BOTH);
  assert_int_equal(steps(), 1);
  EXPECT_VALUES({first_entry(), 0}, {NOW->stage, STAGE_MAPPING}, {NOW->busy_0, PROVER_SERVICE});
  assert_int_equal(steps(), 0);
  assert_int_equal(io_page_page(first_entry()), LINE / 4096);
  assert_int_equal(NOW->stage, STAGE_MAPPED);
  assert_over();
  assert_int_equal(NOW->busy_0, PROVER_IDLE);
  assert_int_equal(cache_of(2)->op, 0); /* no cache access */
  assert_int_equal(cache_of(2)->posts, 0);
}

/* The entry is cleared. With the next step a store to the adapter's register empties the TLB row. After one
 * more step the call is over. */
TEST(a_mapping_is_removed_in_three_steps) {
  small_open(&BOTH);
  calls(PROVER_ACTION_MAP, PROVER_CONTRACT_BOTH);
  steps(), steps();
  calls(PROVER_ACTION_UNMAP, PROVER_CONTRACT_BOTH);
  assert_int_equal(steps(), 1);
  assert_int_not_equal(first_entry(), 0);
  assert_int_equal(cache_of(2)->posts, 0);
  assert_int_equal(steps(), 1);
  assert_int_equal(first_entry(), 0);
  uint32_t rows;
  const struct snoop_cache_posts *post = checked_view(ENGINE, 2, SNOOP_CACHE_VIEW_POSTS, &rows);
  EXPECT_VALUES({cache_of(2)->posts, 1}, {post->addr, REGISTERS + IO_ADAPTER_REG_COMMAND});
  assert_int_equal(post->value, IO_ADAPTER_COMMAND_WRITE); /* page 0: replaces the row whatever it holds */
  assert_int_equal(NOW->stage, STAGE_UNMAPPING);
  assert_int_equal(steps(), 0);
  assert_int_equal(NOW->stage, STAGE_UNMAPPED);
  assert_over();
  EXPECT_VALUES({cache_of(2)->posts, 1}, {cache_of(2)->op, 0});
}

/* Both ranges of the address space are taken: the call is refused, and over. */
TEST(a_refused_call_is_over) {
  small_open(&BOTH);
  struct io_services_groups *groups =
      sim_at(ENGINE, SIM_STATE(ENGINE, SERVICES_PART, io_services)->groups_at);
  groups[0].used = groups[1].used = 0xff;
  calls(PROVER_ACTION_MAP, PROVER_CONTRACT_BOTH);
  assert_int_equal(steps(), 0);
  assert_int_equal(NOW->busy_0, PROVER_IDLE);
  assert_int_equal(SIM_COUNTERS(ENGINE, SERVICES_PART, io_services)->exhausted, 1);
}

/* The first processor's cache flushes or purges a line, and the call waits for that. The sync after it then
 * has nothing to wait for. */
TEST(a_line_is_flushed_and_the_sync_is_skipped) {
  for (uint32_t in = 0; in < 2; in++) {
    sim *m = small_open(&NO_COMMANDS);
    while (m->pending) sim_cancel(m, slot_of(soon(m)[0])); /* no other party makes a choice */
    calls(in ? PROVER_ACTION_SYNC_IN : PROVER_ACTION_SYNC_OUT, in ? PROVER_CONTRACT_IN : PROVER_CONTRACT_OUT);
    sim_cancel(m, slot_of(soon(m)[0]));
    assert_int_equal(steps(), 0);
    EXPECT_VALUES({cache_of(2)->op, in ? CACHE_OP_PURGE : CACHE_OP_FLUSH}, {cache_of(2)->addr, SECOND},
        {cache_of(3)->op, 0}, {NOW->busy_0, PROVER_SERVICE}, {NOW->stage, STAGE_MAPPING});
    for (uint32_t n = 0; n < 100 && steps_left(PROVER_PART) == 0; n++) sim_explore_step(m);
    assert_int_equal(steps_left(PROVER_PART), 1); /* done */
    assert_int_equal(NOW->stage, STAGE_MAPPING);
    assert_int_equal(steps(), 0);
    assert_int_equal(NOW->stage, STAGE_SYNCED);
    assert_over();
    assert_int_equal(NOW->busy_0, PROVER_IDLE);
  }
}

/* A handler that reads a device's register requests it once, and continues when the value has arrived. */
TEST(a_register_read_is_requested_once) {
  const sim *m = small_open(&BOTH);
  service_call *waits = service_of(ENGINE, SIM_STATE(ENGINE, SERVICES_PART, io_services), 1);
  *waits =
      (service_call){.op = PROCESSOR_OP_DMA_OUT, .step = IO_SERVICES_STEP_BLOCKED, .registers = 0xf1000000};
  call_os_interrupt(ENGINE, PROVER_PART, PROVER_PORT_SERVICES, &(struct os_interrupt){.thread = 0});
  const uint32_t before = m->pending;
  assert_int_equal(steps(), 0);
  assert_int_equal(m->pending, before + 1);
  uint64_t when;
  const sim_msg *read = test_message_for(2, &when);
  EXPECT_VALUES({read->port, SNOOP_CACHE_PORT_FRONT}, {read->addr, 0xf1000000 + CHANNEL_REG_STATUS});
}

#define W_CACHE part_named("cache")
#define W_PROVER part_named("prover")

/* The entries of a walked table are stored through the cache, and the service waits for the store. */
TEST(entries_of_a_walked_table_are_stored_through_the_cache) {
  machine("explored-walk");
  machine_open();
  prover_call(OF(W_PROVER, prover),
      &(struct prover_choice){.action = PROVER_ACTION_MAP, .contract = PROVER_CONTRACT_BOTH});
  const uint32_t before = steps_left(W_PROVER);
  env_driver_step(OF(W_PROVER, prover));
  assert_int_equal(steps_left(W_PROVER), before);
  EXPECT_VALUES({cache_of(W_CACHE)->op, CACHE_OP_STORE}, {cache_of(W_CACHE)->addr, IO_DIRECTORY},
      {now_of(W_PROVER)->busy_0, PROVER_SERVICE});
}

/* The adapter has a transaction for the device. Returned data is accepted if there is any, and kept between
 * a locked read and its write. In any case the device waits for one thing less. */
TEST(returns_of_an_adapter_are_accepted) {
  for (uint32_t i = 0; i < 8; i++) {
    small_open(&BOTH);
    const uint32_t returns = i & 1, there = i >> 1 & 1, locked = i >> 2, taken = returns && there;
    uint32_t rows;
    struct io_adapter_now *adapter = checked_view(ENGINE, ADAPTER_PART, IO_ADAPTER_VIEW_NOW, &rows);
    struct io_adapter_returns *first = checked_view(ENGINE, ADAPTER_PART, IO_ADAPTER_VIEW_RETURNS, &rows);
    adapter->returning = there;
    if (there) *first = (struct io_adapter_returns){.bytes = 4, .half_0 = 77, .half_1 = 78};
    NOW->device = 2, NOW->locked = locked, NOW->read = 5;
    prover_hsc_request(OF(PROVER_PART, prover), &(struct hsc_adapter_request){.returns = returns});
    EXPECT_VALUES(
        {adapter->returning, there && !taken}, {NOW->read, taken && locked ? 77 : 5}, {NOW->device, 1});
  }
}
