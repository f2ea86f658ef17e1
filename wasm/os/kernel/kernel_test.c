/* Kernel calls and objects. Expected times are derived beside each test, in microseconds. */
#include "test/kernel.h"

/* Times of more than 32 bits of picoseconds (4.3 ms) are exact. SLEEP has no object, so its object number is
 * ignored; that of LOCK must be in range. */
TEST(a_thread_sleeps_for_its_time) {
  PROGRAM(brief, ROW(SLEEP, 20, 0), END);
  PROGRAM(lasting, ROW(SLEEP, 10020, KERNEL_OBJECTS), END);
  PROGRAM(last, ROW(LOCK, 0, KERNEL_OBJECTS - 1), END);
  PROGRAM(none, ROW(LOCK, 0, KERNEL_OBJECTS), END);
  one(ROWS(brief));
  uint64_t first = time_of_run();
  one(ROWS(lasting));
  assert_int_equal(time_of_run() - first, 10000 * US);
  one(ROWS(last));
  machine_run();
  one(ROWS(none));
  assert_int_equal(session_open(machine_session()), SIM_BAD_ROW);
}

TEST(a_call_takes_its_time_and_a_free_lock_is_taken_at_once) {
  PROGRAM(program, ROW(LOCK, 0, 3), ROW(SPEND, 10, 0), ROW(UNLOCK, 0, 3), END);
  one(ROWS(program));
  assert_int_equal(time_of_run(), (1 + 10 + 1) * US);
  EXPECT_VALUES({KERNEL_COUNT(locked), 1}, {KERNEL_COUNT(lock_waits), 0}, {CPU_COUNT(0, in_kernel), 2 * US});
}

/* Three threads wait for a lock: the one of highest priority gets it first though it came last; of the other
 * two, with equal priorities, the earlier one. */
TEST(waiters_are_served_by_priority_then_by_time) {
  PROGRAM(program, ROW(LOCK, 0, 0), ROW(SLEEP, 100, 0), ROW(UNLOCK, 0, 0), END, NEXT(0), ROW(LOCK, 0, 0),
      ROW(SPEND, 10, 0), ROW(UNLOCK, 0, 0), END, NEXT(0), ROW(LOCK, 0, 0), ROW(SPEND, 10, 0),
      ROW(UNLOCK, 0, 0), END, NEXT(5), ROW(SLEEP, 50, 0), ROW(LOCK, 0, 0), ROW(SPEND, 10, 0),
      ROW(UNLOCK, 0, 0), END);
  one(ROWS(program));
  machine_run();
  const sim *m = test_engine();
  const struct sim_record *ring = sim_at((sim *)m, sim_refresh_header((sim *)m)->trace_at);
  uint32_t order[4], n = 0;
  for (uint64_t i = 0; i < m->seq; i++)
    if (ring[i].kind == KERNEL_EV_LOCK) order[n++] = ring[i].c;
  EXPECT_VALUES({n, 4}, {order[0], 0}, {order[1], 3}, {order[2], 1}, {order[3], 2});
}

/* B waits on another processor and has already switched away. A gives (1), B's idle processor is interrupted
 * (5), and B wakes (2) and works (7). */
TEST(a_semaphore_wakes_a_thread_of_another_processor) {
  PROGRAM(a, ROW(SPEND, 100, 0), ROW(GIVE, 0, 2), END);
  PROGRAM(b, ROW(TAKE, 0, 2), ROW(SPEND, 7, 0), END);
  two(ROWS(a), ROWS(b));
  assert_int_equal(time_of_run(), (100 + 1 + 5 + 2 + 7) * US);
  EXPECT_VALUES({CPU_COUNT(1, interrupts), 1}, {CPU_COUNT(0, interrupts), 0});
}

TEST(a_semaphore_counts_until_it_is_taken) {
  PROGRAM(program, ROW(GIVE, 0, 1), ROW(GIVE, 0, 1), ROW(TAKE, 0, 1), ROW(TAKE, 0, 1), END);
  one(ROWS(program));
  assert_int_equal(time_of_run(), 4 * US);
  assert_int_equal(CPU_COUNT(0, switches), 0);
}

/* In a queue of two slots the third message waits until the first is received. Messages are received in
 * order. */
TEST(a_queue_is_fifo_and_blocks_senders_when_full) {
  PROGRAM(a, MESSAGE(PUT, 0x1000, 64, 4), MESSAGE(PUT, 0x2000, 64, 4), MESSAGE(PUT, 0x3000, 64, 4), END);
  PROGRAM(b, ROW(SPEND, 50, 0), ROW(GET, 0, 4), ROW(GET, 0, 4), ROW(GET, 0, 4), END);
  two(ROWS(a), ROWS(b));
  PARAMS("kernel", kernel)->queue_places = 2;
  machine_run();
  EXPECT_VALUES({KERNEL_COUNT(messages), 3}, {KERNEL_COUNT(queued_most), 2}, {CPU_COUNT(0, switches), 1});
  sim *m = test_engine();
  const struct sim_record *ring = sim_at(m, sim_refresh_header(m)->trace_at);
  uint64_t next = 0x1000;
  for (uint64_t i = 0; i < m->seq; i++)
    if (ring[i].kind == KERNEL_EV_GET) assert_int_equal(ring[i].a, next), next += 0x1000;
  assert_int_equal(next, 0x4000);
}

/* The final state of each object is shown in its own row only. */
TEST(each_object_has_its_row) {
  PROGRAM(program, ROW(LOCK, 0, 5), ROW(GIVE, 0, 6), ROW(GIVE, 0, 6), MESSAGE(PUT, 0x1000, 64, 7), END);
  one(ROWS(program));
  machine_run();
  uint32_t locks, semaphores, queues;
  const struct kernel_locks *lock = checked_view(test_engine(), KERNEL, KERNEL_VIEW_LOCKS, &locks);
  const struct kernel_semaphores *semaphore =
      checked_view(test_engine(), KERNEL, KERNEL_VIEW_SEMAPHORES, &semaphores);
  const struct kernel_queues *queue = checked_view(test_engine(), KERNEL, KERNEL_VIEW_QUEUES, &queues);
  assert_int_equal(locks, KERNEL_OBJECTS);
  for (uint32_t i = 0; i < locks; i++) assert_int_equal(lock[i].owner, i == 5);
  for (uint32_t i = 0; i < semaphores; i++) assert_int_equal(semaphore[i].value, i == 6 ? 2 : 0);
  for (uint32_t i = 0; i < queues; i++) assert_int_equal(queue[i].used, i == 7);
}

/* The receiver waits already (call, switch) and gets the message directly: call, interrupt, wake. */
TEST(a_message_goes_directly_to_a_waiting_receiver) {
  PROGRAM(a, ROW(SPEND, 20, 0), MESSAGE(PUT, 0x1000, 64, 0), END);
  PROGRAM(b, ROW(GET, 0, 0), ROW(SPEND, 3, 0), END);
  two(ROWS(a), ROWS(b));
  assert_int_equal(time_of_run(), (20 + 1 + 5 + 2 + 3) * US);
  EXPECT_VALUES({KERNEL_COUNT(queued_most), 0}, {KERNEL_COUNT(messages), 1});
  EXPECT_EVENTS(KERNEL, {21 * US, KERNEL_EV_PUT, 0x1000, 0, 0, BECAUSE(CPU, PROCESSOR_EV_STATE)},
      {28 * US, KERNEL_EV_GET, 0x1000, 0, 0, BECAUSE(CPU + 1, PROCESSOR_EV_STATE)}); /* it was never queued */
}

/* Only a thread's own work takes time. */
static void one_timeless(const uint64_t *program, uint32_t count) {
  one(program, count);
  quick();
  PARAMS("kernel", kernel)->call_time = 0;
}

/* A job of 10 every 100 on a kernel that takes no time: the response time is that of the job. */
TEST(a_periodic_task_is_released_on_time) {
  PROGRAM(
      program, ROW(RELEASE, 100, 0), LOOP(5), ROW(SPEND, 10, 0), ROW(RELEASE, 100, 0), ROW(AGAIN, 0, 0), END);
  one_timeless(ROWS(program));
  machine_run();
  EXPECT_VALUES({KERNEL_COUNT(jobs), 5}, {KERNEL_COUNT(missed), 0}, {KERNEL_COUNT(response), 5 * 10 * US},
      {KERNEL_COUNT(response_most), 10 * US}, {test_engine()->time, 500 * US});
}

/* A job that takes its whole period is on time. */
TEST(a_job_that_ends_with_its_period_is_not_late) {
  PROGRAM(program, ROW(RELEASE, 100, 0), LOOP(3), ROW(SPEND, 100, 0), ROW(RELEASE, 100, 0), ROW(AGAIN, 0, 0),
      END);
  one_timeless(ROWS(program));
  assert_int_equal(time_of_run(), 300 * US);
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(100, RELEASE, 100 * US, 0, 0),
      KERNEL_EVENT(200, RELEASE, 100 * US, 0, 0), KERNEL_EVENT(300, RELEASE, 100 * US, 0, 0));
  assert_int_equal(KERNEL_COUNT(missed), 0);
}

/* A job of 150 every 100 misses each deadline. It is 50 later every time and never waits for its release. */
TEST(a_late_job_is_followed_by_the_next_at_once) {
  PROGRAM(program, ROW(RELEASE, 100, 0), LOOP(3), ROW(SPEND, 150, 0), ROW(RELEASE, 100, 0), ROW(AGAIN, 0, 0),
      END);
  one_timeless(ROWS(program));
  assert_int_equal(time_of_run(), 450 * US);
  EXPECT_VALUES({KERNEL_COUNT(missed), 3}, {KERNEL_COUNT(response_most), (450 - 200) * US});
  uint32_t rows;
  const struct kernel_tasks *tasks = checked_view(test_engine(), KERNEL, KERNEL_VIEW_TASKS, &rows);
  assert_int_equal(tasks[0].jobs, 4); /* the first call begins the first job */
  EXPECT_VALUES({tasks[0].missed, 3}, {tasks[0].response_most, (450 - 200) * US});
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(150, MISSED, 150 * US, 0, 0), KERNEL_EVENT(300, MISSED, 200 * US, 0, 0),
      KERNEL_EVENT(450, MISSED, 250 * US, 0, 0));
}

/* Two queues of two slots wrap around. Each returns its own messages in order; the third PUT blocks. */
TEST(queues_keep_their_own_messages_in_order) {
  PROGRAM(a, MESSAGE(PUT, 0x4001, 64, 4), MESSAGE(PUT, 0x5001, 65, 5), MESSAGE(PUT, 0x4002, 66, 4),
      MESSAGE(PUT, 0x5002, 67, 5), MESSAGE(PUT, 0x4003, 68, 4), MESSAGE(PUT, 0x4004, 69, 4),
      MESSAGE(PUT, 0x5003, 70, 5), END);
  PROGRAM(b, ROW(SPEND, 100, 0), ROW(GET, 0, 4), ROW(GET, 0, 4), ROW(GET, 0, 4), ROW(GET, 0, 5),
      ROW(GET, 0, 5), ROW(GET, 0, 5), ROW(GET, 0, 4), END);
  two_quick(ROWS(a), ROWS(b));
  PARAMS("kernel", kernel)->queue_places = 2;
  machine_run();
  static const uint64_t expected[] = {0x4001, 0x4002, 0x4003, 0x5001, 0x5002, 0x5003, 0x4004};
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t got = 0, full = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++) {
    full += ring[i].kind == KERNEL_EV_FULL;
    if (ring[i].kind != KERNEL_EV_GET) continue;
    assert_int_equal(ring[i].b, expected[got] >> 12);
    assert_int_equal(ring[i].a, expected[got++]);
  }
  assert_int_equal(got, 7);
  assert_int_equal(full, 2); /* the third of each queue */
  uint32_t rows;
  const struct kernel_queues *queue = checked_view(test_engine(), KERNEL, KERNEL_VIEW_QUEUES, &rows);
  for (uint32_t i = 0; i < rows; i++) assert_int_equal(queue[i].used, 0);
}

/* A GIVE between a failed check and the wait is lost with this defect; a GIVE after that is not. A call takes
 * 10: TAKE checks at 10 and, with the defect, waits from 20 on. */
TEST(an_early_wake_is_lost_with_the_lost_wake_defect) {
  PROGRAM(take, ROW(TAKE, 0, 2), ROW(LOCK, 0, 5), END);
  PROGRAM(get, ROW(GET, 0, 2), ROW(LOCK, 0, 5), END);
  for (uint32_t i = 0; i < 8; i++) {
    uint64_t at = i < 4 ? 5 : 15; /* the GIVE or PUT ends at 15 or 25 */
    const uint64_t give[] = {ROW(SPEND, at, 0), ROW(GIVE, 0, 2), END},
                   put[] = {ROW(SPEND, at, 0), MESSAGE(PUT, 0x1000, 64, 2), END};
    if (i & 1) two_quick(ROWS(put), ROWS(get));
    else two_quick(ROWS(give), ROWS(take));
    PARAMS("kernel", kernel)->call_time = 10 * US,
                     PARAMS("kernel", kernel)->fault = i & 2 ? KERNEL_FAULT_LOST_WAKE : KERNEL_FAULT_NONE;
    machine_run();
    assert_int_equal(KERNEL_COUNT(locked), !(i & 2 && at == 5));
  }
}

/* With this defect a message is counted before it is written: a waiting receiver gets address 0. */
TEST(a_message_counted_too_early_is_received_empty) {
  PROGRAM(a, ROW(SPEND, 50, 0), MESSAGE(PUT, 0x1000, 64, 2), MESSAGE(PUT, 0x2000, 64, 2), END);
  PROGRAM(b, ROW(GET, 0, 2), ROW(SPEND, 50, 0), ROW(GET, 0, 2), END);
  two_quick(ROWS(a), ROWS(b));
  PARAMS("kernel", kernel)->fault = KERNEL_FAULT_EARLY_MESSAGE;
  machine_run();
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(51, PUT, 0x1000, 2, 0), KERNEL_EVENT(51, GET, 0, 2, 0),
      KERNEL_EVENT(53, PUT, 0x2000, 2, 1), KERNEL_EVENT(102, GET, 0x2000, 2, 0));
}

/* The kernel forwards calls that it does not handle to the service behind the processor's own port. Calls
 * that this service does not handle either are refused. */
TEST(other_calls_are_forwarded) {
  static const uint64_t program[] = {PROCESSOR_OP_MAP, 0x40000, 0, 8192, 4, 0, 0, 1, ROW(LOCK, 0, 1),
      ROW(SPEND, 10, 0), ROW(UNLOCK, 0, 1), ROW(UNMAP, 0, 1), END},
                        other[] = {PROCESSOR_OP_MAP, 0x80000, 0, 8192, 4, 0, 0, 2, END},
                        neither[] = {ROW(DELIVER, 0, 0), END};
  for (uint32_t bad = 0; bad < 2; bad++) {
    machine("kernel-and-mappings");
    machine_rows("cpu0", 0, ROWS(program));
    if (bad) machine_rows("cpu1", 0, ROWS(neither));
    else machine_rows("cpu1", 0, ROWS(other));
    assert_int_equal(session_open(machine_session()), bad ? SIM_BAD_ROW : SIM_OK);
    if (bad) continue;
    session_run();
    EXPECT_VALUES({COUNTERS("maps", iommu_map)->maps, 2}, {COUNTERS("maps", iommu_map)->unmaps, 1},
        {KERNEL_COUNT(locked), 1});
    assert_int_equal(CPU_COUNT(0, in_kernel), 2 * US); /* forwarded calls take no kernel time */
    assert_int_equal(CPU_COUNT(1, in_kernel), 0);
  }
}

TEST(unhandled_calls_and_tags_out_of_range_are_refused) {
  PROGRAM(map, ROW(MAP, 0, 0), END);
  PROGRAM(beyond, ROW(LOCK, 0, 16), END);
  one(ROWS(map));
  assert_int_equal(session_open(machine_session()), SIM_UNWIRED);
  one(ROWS(beyond));
  assert_int_equal(session_open(machine_session()), SIM_BAD_ROW);
}

TEST(memory_that_runs_out_is_an_error) {
  PROGRAM(program, END);
  one(ROWS(program));
  session_without_memory(machine_session());
}

/* The third sender finds the queue full. Events about a full queue, sent and received messages name the
 * thread. */
TEST(a_full_queue_names_the_waiting_thread) {
  PROGRAM(a, ROW(SLEEP, 500, 0), END, NEXT(0), ROW(SPEND, 10, 0), ROW(GET, 0, 4), END, NEXT(7),
      MESSAGE(PUT, 0x1000, 64, 4), MESSAGE(PUT, 0x2000, 64, 4), END);
  PROGRAM(b, END);
  two_quick(ROWS(a), ROWS(b));
  PARAMS("kernel", kernel)->queue_places = 1;
  machine_run(); /* two PUTs, SLEEP (1), SPEND 10, GET (1) */
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(1, PUT, 0x1000, 4, 1), KERNEL_EVENT(2, FULL, 0, 4, 2),
      KERNEL_EVENT(14, PUT, 0x2000, 4, 1), KERNEL_EVENT(14, GET, 0x1000, 4, 1));
}

/* Addresses, lengths and times are passed in two words, low word first. SLEEP and RELEASE keep the time, the
 * other calls the number of bytes. */
TEST(call_arguments_have_64_bits) {
  PROGRAM(nothing, END);
  two(ROWS(nothing), ROWS(nothing));
  assert_int_equal(session_open(machine_session()), SIM_OK);
  uint32_t words[11] = {0x10, 0x11, 0x20, 0x21, 0x30, 0x31, 0x40, 15, 0x50, 0x51, 0x60};
  static const struct {
    uint32_t op;
    uint64_t bytes;
  } cases[] = {{PROCESSOR_OP_PUT, 0x3100000030}, {PROCESSOR_OP_SLEEP, 0x5100000050},
      {PROCESSOR_OP_RELEASE, 0x5100000050}, {PROCESSOR_OP_GET, 0x3100000030}};
  for (uint32_t i = 0; i < 4; i++) {
    kernel_cpu_call(OF(KERNEL, kernel), 1,
        &(struct os_call){.thread = i % 2, .operation = cases[i].op, .arguments = words});
    const kernel_call *call = kernel_call_of(OF(KERNEL, kernel), CALLS_PER_CPU + i % 2);
    EXPECT_VALUES({call->op, cases[i].op}, {call->address, 0x1100000010}, {call->bytes, cases[i].bytes},
        {call->object, 15}, {call->wants, KERNEL_WANTS_NOTHING}, {call->step, KERNEL_STEP_ENTER});
  }
}

/*
 * Serialized size when no call was made: for each of 17 rows of two processors, 4 bytes for an idle call and
 * 2 for priorities; for each object, 2 for the owner, 1 for the value and 2 for the queue. A queued message
 * takes 16.
 */
TEST(only_queued_messages_are_serialized) {
  PROGRAM(nothing, END);
  two(ROWS(nothing), ROWS(nothing));
  PARAMS("kernel", kernel)->queue_places = 3;
  assert_int_equal(session_open(machine_session()), SIM_OK);
  struct kernel_queues *queue = kernel_queue_of(OF(KERNEL, kernel), KERNEL_OBJECTS - 1);
  for (queue->used = 0; queue->used <= 3; queue->used++) {
    uint8_t bytes[CODEC_PART];
    struct sim_codec k = {.at = bytes};
    kernel_serialize(OF(KERNEL, kernel), &k);
    assert_int_equal(k.at - bytes, 2 * 17 * (4 + 2) + 16 * (2 + 1 + 2) + 16 * queue->used);
  }
  queue->used = 0;
  KEEPS_NOT(KERNEL, &queue->first); /* an empty queue has no first message */
}

/* A GIVE to one semaphore wakes no thread that waits for another, even of higher priority. The same holds for
 * messages of queues. */
TEST(a_thread_waiting_for_another_object_is_not_woken) {
  PROGRAM(program, ROW(SPEND, 10, 0), ROW(GIVE, 0, 2), MESSAGE(PUT, 0x1000, 64, 6), END, NEXT(9),
      ROW(TAKE, 0, 1), ROW(LOCK, 0, 1), END, NEXT(1), ROW(TAKE, 0, 2), ROW(LOCK, 0, 2), END, NEXT(9),
      ROW(GET, 0, 5), ROW(LOCK, 0, 5), END, NEXT(1), ROW(GET, 0, 6), ROW(LOCK, 0, 6), END);
  one(ROWS(program));
  machine_run();
  for (uint32_t lock = 0; lock < KERNEL_OBJECTS; lock++)
    assert_int_equal(*kernel_owner_of(OF(KERNEL, kernel), lock), lock == 2 ? 2 + 1 : lock == 6 ? 4 + 1 : 0);
}

/* A queue of three slots is filled and emptied from each slot on. */
TEST(a_queue_of_three_slots_keeps_order) {
  PROGRAM(program, LOOP(4), MESSAGE(PUT, 0x1000, 64, 4), MESSAGE(PUT, 0x2000, 64, 4),
      MESSAGE(PUT, 0x3000, 64, 4), ROW(GET, 0, 4), ROW(GET, 0, 4), ROW(GET, 0, 4),
      MESSAGE(PUT, 0x1000, 64, 4), ROW(GET, 0, 4), ROW(AGAIN, 0, 0), END);
  one(ROWS(program));
  PARAMS("kernel", kernel)->queue_places = 3;
  machine_run();
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  uint32_t got = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++)
    if (ring[i].kind == KERNEL_EV_GET) assert_int_equal(ring[i].a, 0x1000 * (got++ % 4 % 3 + 1));
  assert_int_equal(got, 16);
}

/* Events about jobs name processor and thread: here the second thread of the second processor. */
TEST(job_events_name_processor_and_thread) {
  PROGRAM(nothing, END);
  PROGRAM(task, END, NEXT(1), ROW(RELEASE, 100, 0), ROW(SPEND, 30, 0), ROW(RELEASE, 100, 0),
      ROW(SPEND, 150, 0), ROW(RELEASE, 100, 0), END);
  two_quick(ROWS(nothing), ROWS(task));
  PARAMS("kernel", kernel)->call_time = 0;
  machine_run();
  EXPECT_EVENTS(KERNEL, KERNEL_EVENT(30, RELEASE, 30 * US, 1, 1), KERNEL_EVENT(250, MISSED, 150 * US, 1, 1));
}

static void sleeps(const void *thread) {
  uint32_t words[11] = {[8] = 1000};
  kernel_cpu_call(OF(KERNEL, kernel), 0,
      &(struct os_call){
          .thread = *(const uint32_t *)thread, .operation = PROCESSOR_OP_SLEEP, .arguments = words});
}

/* A thread number out of range stops the engine before the kernel writes to another processor's row. */
TEST(a_thread_out_of_range_stops_the_engine) {
  PROGRAM(program, ROW(SPEND, 1, 0), END);
  one(ROWS(program));
  assert_int_equal(session_open(machine_session()), SIM_OK);
  for (uint32_t over = 0; over < 2; over++) {
    const uint32_t thread = CALLS_PER_CPU - 1 + over;
    assert_int_equal(test_stops(sleeps, &thread), over);
    assert_int_equal(kernel_call_of(OF(KERNEL, kernel), thread)->op, over ? 0 : PROCESSOR_OP_SLEEP);
  }
}

static void is_kept(const void *row) {
  uint8_t bytes[CODEC_PART];
  struct sim_codec k = {.at = bytes};
  kernel_task_of(OF(KERNEL, kernel), *(const uint32_t *)row)->jobs = 1;
  kernel_serialize(OF(KERNEL, kernel), &k);
}

/*
 * Periodic releases are times, which have no meaning in exploration. Serializing a periodic task stops the
 * engine, so that two states are never merged by mistake. Rows of a processor that is not connected are
 * ignored.
 */
TEST(periodic_tasks_cannot_be_explored) {
  PROGRAM(program, ROW(SPEND, 1, 0), END);
  for (uint32_t row = 0; row <= CALLS_PER_CPU; row += CALLS_PER_CPU / 2) {
    one(ROWS(program));
    assert_int_equal(session_open(machine_session()), SIM_OK);
    assert_int_equal(test_stops(is_kept, &row), row < CALLS_PER_CPU);
  }
}

/* The arguments of a finished or forwarded call do not distinguish states; those of a pending call do. */
TEST(a_finished_call_is_serialized_without_arguments) {
  PROGRAM(nothing, END);
  one(ROWS(nothing));
  assert_int_equal(session_open(machine_session()), SIM_OK);
  kernel_call *call = kernel_call_of(OF(KERNEL, kernel), 0);
  static const uint32_t steps[] = {
      KERNEL_STEP_DONE, KERNEL_STEP_PASS, KERNEL_STEP_BLOCKED, KERNEL_STEP_ENTERED};
  for (uint32_t i = 0; i < 4; i++) {
    uint8_t first[CODEC_BYTES] = {0}, second[CODEC_BYTES] = {0};
    for (uint32_t other = 0; other < 2; other++) {
      *call = (kernel_call){.step = steps[i],
          .op = PROCESSOR_OP_LOCK,
          .object = 3 + other,
          .wants = 1,
          .address = 0x1000,
          .bytes = 64};
      struct sim_codec k = {.at = other ? second : first};
      kernel_serialize(OF(KERNEL, kernel), &k);
      assert_int_equal(call->wants, i < 2 ? KERNEL_WANTS_NOTHING : 1);
    }
    assert_int_equal(memcmp(first, second, sizeof first) == 0, i < 2);
  }
  struct kernel_tasks *task = kernel_task_of(OF(KERNEL, kernel), 0);
  struct kernel_queues *queue = kernel_queue_of(OF(KERNEL, kernel), 5);
  KEEPS(KERNEL, &call->step, &call->op, &call->object, &call->wants, &call->address, &call->bytes, &task->own,
      &task->priority, kernel_owner_of(OF(KERNEL, kernel), 2), kernel_value_of(OF(KERNEL, kernel), 15));
  queue->used = 2, queue->first = 1;
  for (uint32_t i = 0; i < 2; i++)
    kernel_place(OF(KERNEL, kernel), 5, i)->address = 0x700 + i,
                                        kernel_place(OF(KERNEL, kernel), 5, i)->bytes = 33;
  KEEPS(KERNEL, &queue->used, &queue->first);
  for (uint32_t i = 0; i < 2; i++)
    KEEPS(KERNEL, &kernel_place(OF(KERNEL, kernel), 5, i)->address,
        &kernel_place(OF(KERNEL, kernel), 5, i)->bytes);
}
