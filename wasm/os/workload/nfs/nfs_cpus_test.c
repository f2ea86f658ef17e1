/* A file server with two processors: which one serves a client's requests, which channels of the interfaces
 * belong to which thread, and which threads are off. */
#include "test/hp.h"

#define US 1000000ull
#define MS 1000000000ull
#define REGISTERS 0xf1000000ull
#define LOOP(op) \
  ROW(REPEAT, 0, 0, 0, 4, 0, 0, 0), ROW(op, 0, 0, 0, 4, 0, 0, 0), ROW(AGAIN, 0, 0, 0, 4, 0, 0, 0)
#define NEXT ROW(THREAD, 0, 0, 0, 4, 0, 1, 0)

static const uint64_t program[] = {LOOP(RECEIVE), NEXT, LOOP(SERVE), NEXT, LOOP(SERVE), END};
#define server part_named("nfs")

/* Two processors that share one interface with a disk of 2 ms; four clients with a long think time. */
static struct nfs_params *server_of(void) {
  machine("file-server");
  machine_rows("cpu0", 0, ROWS(program));
  machine_rows("cpu1", 0, ROWS(program));
  PARAMS("cache1", snoop_cache)->interrupt = PARAMS("cache0", snoop_cache)->interrupt;
  struct nfs_params *q = PARAMS("nfs", nfs);
  q->clients = 4, q->interfaces = 1, q->think = 1000 * MS, q->writes = q->structures = 0;
  return q;
}

static void run(uint64_t until) {
  machine_open();
  assert_int_equal(sim_run(test_engine(), until, UINT64_MAX), SIM_UNTIL);
  assert_sound();
}

/* Returns the nth record of a kind from the server. */
static const struct sim_record *nth_record(uint32_t kind, uint32_t nth) {
  const struct sim_record *ring = sim_at(test_engine(), sim_refresh_header(test_engine())->trace_at);
  for (uint32_t i = 0; i < sim_refresh_header(test_engine())->seq_lo; i++)
    if (ring[i].part == server && ring[i].kind == kind && nth-- == 0) return &ring[i];
  fail_msg("there is none");
  return NULL;
}

/* Requests of clients 0 and 2 go to the first processor, those of 1 and 3 to the second. Each request causes
 * an interrupt, and all are answered. */
TEST(clients_are_assigned_to_processors_in_turn) {
  struct nfs_params *q = server_of();
  q->settle = 80 * MS; /* 10 ms apart */
  run(79 * MS);
  for (uint32_t client = 0; client < 4; client++) {
    const struct sim_record *r = nth_record(NFS_EV_REQUEST, client);
    EXPECT_VALUES({r->time, client * 10 * MS}, {r->b, client}, {r->c, client % 2},
        {nth_record(NFS_EV_ANSWER, client)->b, client});
    assert_in_range(nth_record(NFS_EV_ANSWER, client)->a, 2 * MS + 100 * US, 2 * MS + 900 * US);
  }
  assert_int_equal(SIM_COUNTERS(test_engine(), server, nfs)->requests, 4);
  for (uint32_t cpu = 0; cpu < 2; cpu++)
    assert_true(SIM_COUNTERS(test_engine(), CPU(cpu), processor)->interrupts >= 2);
}

/* A server with one processor does not use the other: its threads are off, and all requests
 * go to the first. */
TEST(a_server_uses_only_its_processors) {
  for (uint64_t processors = 1; processors <= 3; processors++) {
    struct nfs_params *q = server_of();
    q->processors = processors, q->settle = 80 * MS;
    run(79 * MS);
    EXPECT_VALUES({nth_record(NFS_EV_REQUEST, 1)->c, processors > 1}, {nth_record(NFS_EV_REQUEST, 2)->c, 0},
        {SIM_STATE(test_engine(), server, nfs)->cpus, processors > 1 ? 2 : 1});
    for (uint32_t thread = 0; thread < 3; thread++)
      assert_int_equal(
          nfs_call_of(OF(server, nfs), CALLS_PER_CPU + thread)->step == NFS_STEP_OFF, processors == 1);
    nth_record(NFS_EV_ANSWER, 3);
  }
}

/* At most `daemons` daemons of a processor serve, each with its own channel. Two processors that share an
 * interface of 40 channels have a receiver and 19 daemons each; with an interface each they have 39. */
TEST(threads_without_work_are_off) {
  static const struct {
    uint64_t interfaces, daemons;
    uint32_t channels, last;
  } cases[] = {
      {1, 40, 20, 19}, {2, 40, 40, 39}, {1, 2, 20, 2}, {1, 1, 20, 1}, {2, 8, 40, 8}, {8, 40, 40, 39}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct nfs_params *q = server_of();
    q->interfaces = cases[i].interfaces, q->daemons = cases[i].daemons;
    machine_open();
    assert_int_equal(nfs_channels(SIM_CONTEXT(test_engine(), server, nfs)), cases[i].channels);
    for (uint32_t row = 0; row < 3 * CALLS_PER_CPU; row++)
      assert_int_equal(nfs_is_off(SIM_CONTEXT(test_engine(), server, nfs), row),
          row / CALLS_PER_CPU > 1 || row % CALLS_PER_CPU > cases[i].last);
  }
}

/* Each interface has a disk device and a network device, with a page of registers each. Processors that share
 * an interface use the lower and the upper half of its channels. */
TEST(each_thread_has_its_own_channel) {
  for (uint64_t interfaces = 1; interfaces <= 2; interfaces++) {
    struct nfs_params *q = server_of();
    q->interfaces = interfaces;
    machine_open();
    for (uint32_t cpu = 0; cpu < 2; cpu++)
      for (uint32_t thread = 0; thread < 20; thread++)
        for (uint32_t network = 0; network < 2; network++) {
          uint32_t device = interfaces == 2 ? 2 * cpu + network : network,
                   channel = interfaces == 2 ? thread : 20 * cpu + thread;
          assert_int_equal(
              nfs_channel(SIM_CONTEXT(test_engine(), server, nfs), cpu * CALLS_PER_CPU + thread, network),
              REGISTERS + device * 0x1000 + channel * CHANNEL_BYTES);
          assert_int_equal(
              nfs_interface(SIM_CONTEXT(test_engine(), server, nfs), cpu * CALLS_PER_CPU + thread),
              interfaces == 2 ? cpu : 0);
        }
  }
}

/* The buffers of threads do not overlap one another, nor the requests of 1024 clients. Each client has its
 * own request. */
TEST(buffers_do_not_overlap) {
  static const struct {
    uint32_t which, bytes;
  } parts[] = {{NFS_IN, 4096}, {NFS_OUT, 4096}, {NFS_ANSWER, 128}, {NFS_CONTROL, 32}};
  for (uint32_t row = 0; row < NFS_ROWS; row++) {
    for (uint32_t i = 0; i < 3; i++)
      assert_true(nfs_buffer(row, parts[i].which) + parts[i].bytes <= nfs_buffer(row, parts[i + 1].which));
    uint64_t begin = nfs_buffer(row, NFS_IN), end = nfs_buffer(row, NFS_CONTROL) + parts[3].bytes;
    assert_true(end <= nfs_request(0) || begin >= nfs_request(1024));
    for (uint32_t other = 0; other < row; other++) {
      uint64_t at = nfs_buffer(other, NFS_IN);
      assert_true(end <= at || begin >= at + NFS_BUFFERS);
    }
  }
  assert_int_equal(nfs_request(5) - nfs_request(4), 128);
}

/* All mappings of a request are unmapped when all are answered: for each of four, two structures, the page,
 * and what is sent. */
TEST(all_mappings_are_unmapped) {
  struct nfs_params *q = server_of();
  q->settle = 80 * MS, q->structures = 20;
  run(79 * MS);
  nth_record(NFS_EV_ANSWER, 3);
  const struct io_services_counters *c = SIM_COUNTERS(test_engine(), SERVICES, io_services);
  assert_int_equal(c->maps,
      4 * (2 + 1 + 1 + 1 + 3)); /* structures, request, page, head, and the page in three fragments */
  EXPECT_VALUES({c->unmaps, c->maps}, {c->entries_live, 0});
}

/* A request wakes the first receiver of its processor that waits and was not woken yet, and raises an
 * interrupt. If there is none, it wakes nothing. */
TEST(a_request_wakes_the_first_waiting_receiver) {
  server_of();
  machine_open();
  sim *m = test_engine();
  nfs_call *first = nfs_call_of(m, SIM_CONTEXT(m, server, nfs), 0),
           *second = nfs_call_of(m, SIM_CONTEXT(m, server, nfs), CALLS_PER_CPU);
  for (uint32_t thread = 0; thread < 3; thread++) second[thread].step = NFS_STEP_WAITING;
  static const struct {
    uint32_t client, woken;
  } requests[] = {{0, 0}, {3, 1}, {1, 1 | 2}, {3, 1 | 2 | 4}, {1, 1 | 2 | 4}};
  for (uint32_t i = 0; i < 5; i++) {
    m->time = i * 10 * US;
    for (uint32_t cpu = 0; cpu < 2; cpu++)
      SIM_STATE(m, CPU(cpu), processor)->irqs = 0,
                             SIM_STATE(m, CPU(cpu), processor)->held = 1; /* an interrupt stays pending */
    nfs_self(m, SIM_CONTEXT(m, server, nfs), &(sim_msg){.x = requests[i].client});
    uint32_t woken = 0, others = 0;
    for (uint32_t thread = 0; thread < 3; thread++) woken |= second[thread].woken << thread;
    for (uint32_t thread = 0; thread < CALLS_PER_CPU; thread++) others += first[thread].woken;
    assert_int_equal(woken, requests[i].woken);
    assert_int_equal(others, 0); /* no receiver waits there */
    assert_int_equal(SIM_STATE(m, CPU(0), processor)->irqs, 0);
    assert_int_equal(SIM_STATE(m, CPU(1), processor)->irqs != 0, i > 0 && i < 4); /* one per woken receiver */
    const struct nfs_clients *client = nfs_client_of(m, SIM_CONTEXT(m, server, nfs), requests[i].client);
    EXPECT_VALUES({client->state, NFS_CLIENT_WAITING}, {client->since, i * 10 * US});
    const struct sim_record *r = nth_record(NFS_EV_REQUEST, i);
    EXPECT_VALUES({r->b, requests[i].client}, {r->c, requests[i].client % 2},
        {SIM_COUNTERS(test_engine(), server, nfs)->requests, i + 1});
  }
}
