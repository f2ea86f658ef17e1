/* Two parts talk in words that the engine has not heard of; what asks back along the chain that is asking it stops the engine. */
#include <signal.h>

#include "test/testing.h"

enum { CALLER, WALL };

static void open_with(uint64_t curious) {
  struct echoer_params wall = {.curious = curious};
  struct session s = session_new(2, 1, 10);
  session_part(&s, SIM_TYPE_CALLER, NULL, 0);
  session_part(&s, SIM_TYPE_ECHOER, (const uint64_t *)&wall, sizeof wall / 8);
  session_wire(&s, CALLER, CALLER_PORT_WALL, WALL, ECHOER_PORT_CALLER);
  assert_int_equal(session_open(&s), SIM_OK);
}

TEST(what_is_asked_is_answered_and_what_is_sent_arrives) {
  open_with(0);
  session_run();
  assert_int_equal(SIM_COUNTERS(test_engine(), CALLER, caller)->heard, 42);
  assert_int_equal(SIM_COUNTERS(test_engine(), CALLER, caller)->later, 21);
  assert_int_equal(test_engine()->time, 6000);
}

static jmp_buf stopped;

static void on_stop(int number) {
  (void)number;
  longjmp(stopped, 1);
}

TEST(nobody_asks_back) {
  open_with(1);
  signal(SIGILL, on_stop);
#ifdef SIGTRAP
  signal(SIGTRAP, on_stop);
#endif
  if (!setjmp(stopped)) {
    session_run();
    fail_msg("the wall has asked who calls");
  }
  assert_int_equal(sim_refresh_header(test_engine())->error, SIM_ASKED_BACK);
  assert_int_equal(sim_refresh_header(test_engine())->error_part, WALL);
  assert_int_equal(sim_refresh_header(test_engine())->error_detail, ECHOER_PORT_CALLER << 8 | ECHO_WHO);
}
