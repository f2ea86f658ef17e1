/* An offload engine by hand: when a frame is through, what holds it up, and what is held. */
#include "host/offload_machine.h"

#define COUNT(name) (BY_COUNTERS(ENGINE, ENGINE_PART, offload_engine)->name)
#define NOW ((struct offload_engine_now *)by_at(ENGINE, BY_STATE(ENGINE, ENGINE_PART, offload_engine)->now_at))
#define SAYS(name) BECAUSE(ENGINE_PART, OFFLOAD_ENGINE_EV_##name)
#define RECEIVED BECAUSE(ADAPTER, ETHERNET_EV_RECEIVED)

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
  assert_int_equal(NOW->head, 1); /* of eight buffers the next */
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
  const struct offload_engine_ring *buffers = by_at(ENGINE, BY_STATE(ENGINE, ENGINE_PART, offload_engine)->ring_at);
  assert_int_equal(buffers[0].packet, 1);
  assert_int_equal(buffers[1].packet, 2);
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
