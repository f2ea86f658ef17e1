/*
 * An offload engine between an adapter that gives it frames and a host that takes packets. A byte takes a nanosecond on the wire and on the
 * link, TCP/IP 20 us; of the host's bus an access takes a cycle, and each word another, of a nanosecond. A frame of 1514 bytes is 23 lines of 64
 * and one of 42. It lies in the adapter's ring after 1.526 us, its last line being written in 12 ns.
 */
#include "host/testing.h"

#include "frames.h"

enum { ENGINE_PART, TCPIP, KERNEL, ADAPTER, BUS, MEMORY, MAIN, CACHE };

#define NS 1000ull
#define US 1000000ull
#define ENGINE test_engine()
#define COUNT(name) (BY_COUNTERS(ENGINE, ENGINE_PART, offload_engine)->name)
#define NOW ((struct offload_engine_now *)by_at(ENGINE, BY_STATE(ENGINE, ENGINE_PART, offload_engine)->now_at))
#define SAYS(name) BECAUSE(ENGINE_PART, OFFLOAD_ENGINE_EV_##name)
#define RECEIVED BECAUSE(ADAPTER, ETHERNET_EV_RECEIVED)

#define FRAME_COMES (1514 + 12)
/* A message of 64 bytes and the frame on the link; each line then goes over the bus. */
#define CROSSING (64 + 1514 + 23 * 17 + 12)

#define ROW(op, count) PROCESSOR_OP_##op, 0, 0, 0, 4, 0, count, 0

struct rig {
  struct offload_engine_params engine;
  struct ethernet_params adapter;
};

static struct rig rig_of(uint64_t frames) {
  struct rig r = {OFFLOAD_ENGINE_DEFAULTS, ETHERNET_DEFAULTS};
  r.adapter.wire = r.engine.link = 1000000000, r.adapter.frames = frames;
  return r;
}

/* The host's processor has one thread that collects packets and one that finishes them, or none of them. */
static void run(const struct rig *r, int takes) {
  static const uint64_t program[] = {ROW(THREAD, 9), ROW(REPEAT, 0), ROW(COLLECT, 0), ROW(AGAIN, 0), ROW(END, 0), ROW(THREAD, 1), ROW(REPEAT, 0), ROW(ACCEPT, 0), ROW(FINISH, 0), ROW(AGAIN, 0), ROW(END, 0)};
  static const uint64_t nothing[] = {ROW(END, 0)};
  struct processor_params cpu = PROCESSOR_DEFAULTS;
  struct kernel_params kernel = KERNEL_DEFAULTS;
  struct tcpip_params tcpip = TCPIP_DEFAULTS;
  struct memory_bus_params bus = MEMORY_BUS_DEFAULTS;
  struct memory_params memory = MEMORY_DEFAULTS;
  struct data_cache_params cache = DATA_CACHE_DEFAULTS;
  bus.clock = 1000000000;
  struct session s = session_new(8, 10, 12);
  session_part(&s, BY_TYPE_OFFLOAD_ENGINE, (const uint64_t *)&r->engine, sizeof r->engine / 8);
  session_part(&s, BY_TYPE_TCPIP, (const uint64_t *)&tcpip, sizeof tcpip / 8);
  session_part(&s, BY_TYPE_KERNEL, (const uint64_t *)&kernel, sizeof kernel / 8);
  session_part(&s, BY_TYPE_ETHERNET, (const uint64_t *)&r->adapter, sizeof r->adapter / 8);
  session_part(&s, BY_TYPE_MEMORY_BUS, (const uint64_t *)&bus, sizeof bus / 8);
  session_part(&s, BY_TYPE_MEMORY, (const uint64_t *)&memory, sizeof memory / 8);
  session_part(&s, BY_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
  session_table(&s, takes ? program : nothing, takes ? 11 : 1, 8);
  session_part(&s, BY_TYPE_DATA_CACHE, (const uint64_t *)&cache, sizeof cache / 8);
  session_wire(&s, ENGINE_PART, OFFLOAD_ENGINE_PORT_ADAPTER, ADAPTER, ETHERNET_PORT_DRIVER);
  session_wire(&s, TCPIP, TCPIP_PORT_ADAPTER, ENGINE_PART, OFFLOAD_ENGINE_PORT_DRIVER);
  session_wire(&s, ENGINE_PART, OFFLOAD_ENGINE_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + 1);
  session_wire(&s, ENGINE_PART, OFFLOAD_ENGINE_PORT_IRQ, MAIN, PROCESSOR_PORT_IRQ);
  session_wire(&s, ADAPTER, ETHERNET_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + 2);
  session_wire(&s, BUS, MEMORY_BUS_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(&s, MAIN, PROCESSOR_PORT_OS, TCPIP, TCPIP_PORT_CPU);
  session_wire(&s, TCPIP, TCPIP_PORT_KERNEL, KERNEL, KERNEL_PORT_CPU);
  session_wire(&s, MAIN, PROCESSOR_PORT_CACHE, CACHE, DATA_CACHE_PORT_CPU);
  session_wire(&s, CACHE, DATA_CACHE_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER);
  assert_int_equal(session_open(&s), BY_OK);
  by_record_trace(ENGINE, 1);
  session_run();
  assert_sound();
}

static void a_frame_goes_through_hardware_and_over_the_link(void **state) {
  (void)state;
  struct rig r = rig_of(1);
  run(&r, 1);
  uint64_t came = FRAME_COMES * NS, done = came + 20 * US, sent = done + CROSSING * NS;
  TELLS(ENGINE_PART, {came, OFFLOAD_ENGINE_EV_STATE, 1, OFFLOAD_ENGINE_STATE_PROTOCOL, 0, RECEIVED}, {done, OFFLOAD_ENGINE_EV_STATE, 0, OFFLOAD_ENGINE_STATE_IDLE, 0, SAYS(STATE)},
        {done, OFFLOAD_ENGINE_EV_LINK, 1, OFFLOAD_ENGINE_LINK_FRAME, 0, SAYS(STATE)}, {sent, OFFLOAD_ENGINE_EV_SENT, 1, 0, 0, ANY_CAUSE}, {sent, OFFLOAD_ENGINE_EV_LINK, 0, OFFLOAD_ENGINE_LINK_IDLE, 0, ANY_CAUSE});
  assert_int_equal(COUNT(packets), 1);
  assert_int_equal(COUNT(sent), 1);
  assert_int_equal(COUNT(busy), 20 * US);
  assert_int_equal(COUNT(linked), CROSSING * NS);
  assert_int_equal(COUNT(full), 0);
  assert_int_equal(COUNT(waited), 0);
  assert_int_equal(BY_COUNTERS(ENGINE, TCPIP, tcpip)->processed, 1);
  assert_int_equal(BY_COUNTERS(ENGINE, MAIN, processor)->in_protocol, 40 * US); /* the host only collects it */
}

/* Eight frames, one every 1.538 us, TCP/IP in 1 us, and a link that needs twice as long as the wire: with a ring of two the sender is held. */
static void the_slowest_sets_the_pace(void **state) {
  (void)state;
  struct rig r = rig_of(8);
  r.adapter.ring = 2;
  r.engine.protocol_time = US;
  r.engine.link = 500000000;
  run(&r, 1);
  uint64_t crossing = 2 * (64 + 1514) + 23 * 17 + 12;
  assert_int_equal(COUNT(sent), 8);
  assert_int_equal(COUNT(busy), 8 * US); /* while a frame crosses, the next is worked on */
  assert_int_equal(COUNT(linked), 8 * crossing * NS + COUNT(waited));
  assert_int_equal(COUNT(full), 0);
  assert_true(BY_COUNTERS(ENGINE, ADAPTER, ethernet)->held > 0);
  r.adapter.wire = 250000000; /* half as fast as the link: nobody is held */
  run(&r, 1);
  assert_int_equal(COUNT(sent), 8);
  assert_int_equal(BY_COUNTERS(ENGINE, ADAPTER, ethernet)->held, 0);
}

/* A host that takes nothing, with two buffers: two packets have crossed, six fill the adapter's ring, and the sender is held. A buffer given back lets one more through. */
static void a_host_without_buffers_holds_the_sender(void **state) {
  (void)state;
  struct rig r = rig_of(20);
  r.engine.ring = 2, r.adapter.ring = 6;
  r.engine.protocol_time = US;
  run(&r, 0);
  assert_int_equal(COUNT(sent), 2);
  assert_int_equal(COUNT(packets), 2 + 6);
  assert_int_equal(NOW->link, OFFLOAD_ENGINE_LINK_FULL);
  assert_int_equal(BY_COUNTERS(ENGINE, ADAPTER, ethernet)->received, 2 + 6);
  uint64_t since = NOW->linked;
  ENGINE->time += 5 * US;
  uint64_t waited = ENGINE->time - since;
  offload_engine_driver_release(ENGINE, ENGINE_PART, &(struct frames_release){.slot = 0});
  session_run();
  assert_int_equal(COUNT(sent), 3);
  assert_int_equal(COUNT(full), waited);
  assert_int_equal(NOW->head, 1); /* the third lies in the first buffer again */
  assert_int_equal(BY_COUNTERS(ENGINE, ADAPTER, ethernet)->received, 3 + 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_frame_goes_through_hardware_and_over_the_link),
      cmocka_unit_test(the_slowest_sets_the_pace),
      cmocka_unit_test(a_host_without_buffers_holds_the_sender),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
