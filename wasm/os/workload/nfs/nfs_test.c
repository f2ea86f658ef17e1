/* A file server with one processor: its disk interface and its network, a receiver, daemons, and clients that
 * wait for their answers. */
#include "test/hp.h"

#define US 1000000ull
#define MS 1000000000ull

enum { DISKS, NETWORK };
#define NFS part_named("nfs")
#define KERNEL part_named("kernel")
#define LOOP(op) \
  ROW(REPEAT, 0, 0, 0, 4, 0, 0, 0), ROW(op, 0, 0, 0, 4, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 4, 0, 0, 0)
#define NEXT ROW(THREAD, 0, 0, 0, 4, 0, 1, 0)

static const uint64_t one_daemon[] = {LOOP(RECEIVE), NEXT, LOOP(SERVE), END};
static const uint64_t two_daemons[] = {LOOP(RECEIVE), NEXT, LOOP(SERVE), NEXT, LOOP(SERVE), END};

/* One processor and one client. */
static void server_of(const uint64_t *program, uint32_t count) {
  machine("file-server");
  machine_without("cpu1");
  machine_without("cache1");
  machine_rows("cpu0", 0, program, count);
  PARAMS("nfs", nfs)->clients = 1;
}
#define SERVER(program) server_of(ROWS(program))

static void server_run(uint64_t until) {
  machine_open();
  int ended = sim_run(test_engine(), until, UINT64_MAX);
  assert_true(ended == SIM_UNTIL || ended == SIM_IDLE);
  assert_sound();
}

static const struct nfs_counters *nfs_counted(void) { return COUNTERS("nfs", nfs); }

/* Ten operations read ten pages, write three and map 47 structures. Each receives a request and sends one
 * head and a page in three fragments. */
TEST(ten_operations_transfer_the_expected_bytes) {
  SERVER(one_daemon);
  PARAMS("nfs", nfs)->think = 0;
  server_run(27 * MS + 10 * MS); /* thirteen accesses of 2 ms, and the other work */
  const struct nfs_counters *c = nfs_counted();
  assert_in_range(c->operations, 10, 14);
  uint64_t begun = c->requests;
  assert_int_equal(begun, c->operations + 1); /* one client has one request pending */
  const struct dma_device_counters *disks = SIM_COUNTERS(test_engine(), DEVICE(DISKS), dma_device),
                                   *network = SIM_COUNTERS(test_engine(), DEVICE(NETWORK), dma_device);
  assert_in_range(disks->bytes_written, c->operations * 4096, begun * 4096);
  assert_in_range(disks->bytes_read, c->operations * 3 / 10 * 4096, (begun * 3 / 10 + 1) * 4096);
  assert_int_equal(network->bytes_written, begun * 128);
  assert_in_range(network->bytes_read, c->operations * (128 + 4096), begun * (128 + 4096));
  assert_in_range(c->seeks, c->operations + c->operations * 3 / 10, begun + begun * 3 / 10);
  assert_int_equal(SIM_COUNTERS(test_engine(), ADAPTER, io_adapter)->faults, 0);
  assert_int_equal(SIM_COUNTERS(test_engine(), CPU(0), processor)->refused, 0);
}

/* The response time starts at the client's request and includes its disk accesses and the server's work. */
TEST(a_response_takes_disk_and_work) {
  SERVER(one_daemon);
  PARAMS("nfs", nfs)->writes = 0;
  server_run(50 * MS);
  const struct nfs_counters *c = nfs_counted();
  assert_in_range(c->response / c->operations, 2 * MS + 100 * US, 2 * MS + 800 * US);
  assert_true(c->response_most >= c->response / c->operations);
  assert_in_range(
      c->response, c->counted * 98 / 100, c->counted); /* Little's law for one client that never thinks */
}

/* Access times above 2^32 ps (4.3 ms) are exact: with disks of 10 and of 100 ms the response is that time
 * plus the work. */
TEST(slow_disks_take_their_whole_time) {
  for (uint64_t disk = 10 * MS; disk <= 100 * MS; disk *= 10) {
    SERVER(one_daemon);
    PARAMS("nfs", nfs)->writes = 0, PARAMS("nfs", nfs)->disk_time = disk;
    server_run(disk + disk / 2);
    assert_int_equal(nfs_counted()->operations, 1);
    assert_in_range(nfs_counted()->response, disk + 100 * US, disk + 800 * US);
  }
}

/* All lines of a buffer are read, 32 B each, even if only part of the last is needed. Then the call is ready
 * for the next buffer. */
TEST(a_buffer_is_read_line_by_line) {
  static const uint32_t bytes[] = {1, 32, 33, 128, 4096}, lines[] = {1, 1, 2, 4, 128};
  nfs_call call = {0};
  for (uint32_t i = 0; i < 5; i++) {
    for (uint32_t n = 0; n < lines[i]; n++) {
      struct os_next p = {0};
      assert_int_equal(nfs_lines(&call, 0x5000, bytes[i], PROCESSOR_OP_LOAD, &p), OS_STEP_ACCESS);
      EXPECT_VALUES({p.address, 0x5000 + n * 32}, {p.detail, PROCESSOR_OP_LOAD});
    }
    assert_int_equal(
        nfs_lines(&call, 0x5000, bytes[i], PROCESSOR_OP_LOAD, &(struct os_next){0}), OS_STEP_DONE);
  }
}

/* A requested load: a client sends at its interval, or at once after a reply that comes later. */
TEST(a_client_sends_at_its_interval_unless_its_reply_is_late) {
  const struct {
    uint64_t interval, requests;
  } cases[] = {{20 * MS, 10}, {10 * MS, 20}};
  for (uint32_t i = 0; i < 2; i++) {
    SERVER(one_daemon);
    PARAMS("nfs", nfs)->interval = cases[i].interval;
    PARAMS("nfs", nfs)->spread = 0;
    server_run(200 * MS - 1);
    assert_int_equal(nfs_counted()->requests, cases[i].requests);
  }
  SERVER(one_daemon);
  PARAMS("nfs", nfs)->interval = MS;
  PARAMS("nfs", nfs)->disk_time = 5 * MS;
  PARAMS("nfs", nfs)->spread = 0;
  server_run(100 * MS);
  const struct nfs_counters *c = nfs_counted();
  assert_int_equal(c->requests, c->operations + 1);
  assert_in_range(c->requests, 10, 20); /* as many as disk and work let through */
}

/* Two daemons share one disk: the second access waits for the first. */
TEST(one_disk_serves_one_access_after_another) {
  SERVER(two_daemons);
  PARAMS("nfs", nfs)->clients = 2;
  PARAMS("nfs", nfs)->writes = 0;
  server_run(60 * MS);
  const struct nfs_counters *one = nfs_counted();
  uint64_t seeks = one->seeks, waited = one->seek_wait, answered = one->operations;
  assert_in_range(seeks, 28, 32); /* 60 ms at 2 ms each; two requested in advance */
  assert_true(waited > seeks / 2 * MS);
  PARAMS("nfs", nfs)->disks = 64;
  server_run(60 * MS);
  assert_true(nfs_counted()->operations * 10 > answered * 15);
}

/* Nothing counts before the run has settled. A thinking client sends no requests. */
TEST(operations_before_the_run_has_settled_do_not_count) {
  SERVER(one_daemon);
  PARAMS("nfs", nfs)->settle = 30 * MS;
  server_run(29 * MS);
  assert_int_equal(nfs_counted()->operations, 0);
  assert_true(nfs_counted()->requests > 3);
  PARAMS("nfs", nfs)->settle = 0;
  server_run(60 * MS);
  uint64_t busy = nfs_counted()->requests;
  PARAMS("nfs", nfs)->think = 10 * MS;
  server_run(60 * MS);
  assert_in_range(nfs_counted()->requests, 3, busy / 2);
}

/* A daemon refuses a message that is not a client's request. */
TEST(only_requests_of_waiting_clients_are_served) {
  static const uint64_t program[] = {ROW(PUT, 7, 0, 4, 4, 0, 0, 0), ROW(SERVE, 0, 0, 0, 4, 0, 0, 0), END};
  SERVER(program);
  PARAMS("nfs", nfs)->clients = 1;
  server_run(5 * MS);
  assert_int_equal(SIM_COUNTERS(test_engine(), CPU(0), processor)->refused, 1);
  assert_int_equal(nfs_counted()->operations, 0);
  assert_int_equal(nfs_counted()->seeks, 0);
}

/* The first requests of five clients are spread over the first half of 8 ms, 0.8 ms apart. */
TEST(first_requests_are_spread_over_half_the_settling_time) {
  SERVER(one_daemon);
  PARAMS("nfs", nfs)->clients = 5, PARAMS("nfs", nfs)->settle = 8 * MS, PARAMS("nfs", nfs)->think = 100 * MS;
  server_run(5 * MS);
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at),
                          *r = NULL;
  for (uint32_t i = 0; i < 5; i++) {
    r = record_after(NFS, NFS_EV_REQUEST, r ? (uint32_t)(r - ring) + 1 : 0);
    assert_non_null(r);
    EXPECT_VALUES({r->time, i * 800 * US}, {r->b, i});
  }
  assert_int_equal(nfs_counted()->requests, 5);
}

/* Of the waiting clients of a network, the longest-waiting one is served first; ties go to the lowest number.
 * Clients that are being served, queued or thinking are skipped. */
TEST(the_longest_waiting_client_is_served_first) {
  static const struct {
    struct {
      uint32_t state, since;
    } client[4];
    uint32_t first;
  } cases[] = {{{{NFS_CLIENT_WAITING, 40}, {NFS_CLIENT_WAITING, 20}, {NFS_CLIENT_WAITING, 30},
                    {NFS_CLIENT_WAITING, 20}},
                   1},
      {{{NFS_CLIENT_WAITING, 10}, {NFS_CLIENT_WAITING, 20}, {NFS_CLIENT_WAITING, 30},
           {NFS_CLIENT_WAITING, 40}},
          0},
      {{{NFS_CLIENT_WAITING, 40}, {NFS_CLIENT_QUEUED, 20}, {NFS_CLIENT_SERVED, 10}, {NFS_CLIENT_WAITING, 30}},
          3},
      {{{NFS_CLIENT_SERVED, 40}, {NFS_CLIENT_QUEUED, 20}, {NFS_CLIENT_SERVED, 10}, {NFS_CLIENT_QUEUED, 30}},
          4}};
  SERVER(one_daemon);
  PARAMS("nfs", nfs)->clients = 4;
  server_run(0);
  sim *m = test_engine();
  const uint32_t self = NFS;
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (uint32_t k = 0; k < 4; k++)
      *nfs_client_of(m, SIM_CONTEXT(m, self, nfs), k) =
          (struct nfs_clients){.state = cases[i].client[k].state, .since = cases[i].client[k].since};
    assert_int_equal(nfs_oldest(m, SIM_CONTEXT(m, self, nfs), 0), cases[i].first);
  }
}

/* Two clients and a daemon: each request is taken, its page read from disk in 2 ms, and answered. The client
 * then thinks for exactly 1 ms. With spread times the think time varies. */
TEST(a_request_is_taken_sought_and_answered) {
  SERVER(one_daemon);
  PARAMS("nfs", nfs)->clients = 2, PARAMS("nfs", nfs)->writes = 0, PARAMS("nfs", nfs)->think = MS,
                PARAMS("nfs", nfs)->settle = 16 * MS; /* the second client's first request is at 4 ms */
  server_run(5 * MS);
#define EVENT(name, a, client) \
  { ANY_TIME, NFS_EV_##name, a, client, 0, ANY_CAUSE }
  const struct sim_record *answer = record_after(NFS, NFS_EV_ANSWER, 0);
  assert_non_null(answer);
  assert_int_equal(answer->a, answer->time);
  const uint64_t second = answer->time + MS;
  assert_in_range(second, 3 * MS, 4 * MS);
  EXPECT_EVENTS(NFS, {0, NFS_EV_REQUEST, 0, 0, 0, ANY_CAUSE}, EVENT(TAKEN, 0, 0), EVENT(SEEK, 2 * MS, 0),
      EVENT(ANSWER, answer->time, 0), {second, NFS_EV_REQUEST, 0, 0, 0, ANY_CAUSE}, EVENT(TAKEN, 0, 0),
      EVENT(SEEK, 2 * MS, 0), {4 * MS, NFS_EV_REQUEST, 0, 1, 0, ANY_CAUSE});
  PARAMS("nfs", nfs)->clients = 1, PARAMS("nfs", nfs)->spread = 1, PARAMS("nfs", nfs)->settle = 0;
  server_run(30 * MS);
  uint64_t shortest = SIM_NEVER, longest = 0, ended = 0;
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++) {
    if (ring[i].part != NFS) continue;
    if (ring[i].kind == NFS_EV_ANSWER) ended = ring[i].time;
    if (ring[i].kind != NFS_EV_REQUEST || !ended) continue;
    shortest = sim_min(shortest, ring[i].time - ended), longest = sim_max(longest, ring[i].time - ended);
  }
  assert_true(shortest < MS && MS < longest);
}
