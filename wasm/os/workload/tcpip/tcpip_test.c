/* From the wire to the application, on one processor and on two; times by hand in microseconds. */
#include "host/testing.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "check/packets.c"
#pragma GCC diagnostic pop

#define US 1000000ull
#define ROW(op, time, count, tag) PROCESSOR_OP_##op, 0, 0, 0, 4, (time) * US, count, tag
#define END ROW(END, 0, 0, 0)
#define FOREVER ROW(REPEAT, 0, 0, 0)
#define AGAIN ROW(AGAIN, 0, 0, 0)
#define PROGRAM(name, ...) static const uint64_t name[] = {__VA_ARGS__}

enum { TCPIP, KERNEL, ADAPTER, BUS, MEMORY, MAIN, IO };

#define PAYLOAD 1460
/* A frame is 379 words; a word is read in 3 ns and written in 2: an address cycle, memory, a beat, of 1 ns each. */
#define READ (379 * 3000)
#define WRITE (379 * 2000)
/* TCP/IP's own pass over the bytes, and that of an application. */
#define SUMMED (READ + PAYLOAD * 1000)
#define DECODED (READ + PAYLOAD * 10000)

struct rig {
  struct processor_params cpu;
  struct kernel_params kernel;
  struct ethernet_params adapter;
  struct tcpip_params tcpip;
  struct memory_bus_params bus;
  struct memory_params memory;
  struct data_cache_params cache;
  const uint64_t *programs[2];
  uint32_t rows[2], cpus;
  uint64_t clocks[2];
};

/* A byte takes a nanosecond on the wire and in TCP/IP, computing ten, copying five; TCP/IP 100 us, a message 7, a kernel call 1. Nothing is cached. */
static struct rig rig_of(const uint64_t *main_program, size_t a, const uint64_t *io_program, size_t b) {
  struct rig r = {PROCESSOR_DEFAULTS, KERNEL_DEFAULTS, ETHERNET_DEFAULTS, TCPIP_DEFAULTS, MEMORY_BUS_DEFAULTS, MEMORY_DEFAULTS, DATA_CACHE_DEFAULTS, {main_program, io_program}, {(uint32_t)a / 64, (uint32_t)b / 64}, io_program ? 2 : 1, {0, 0}};
  r.cpu.switch_time = 3 * US, r.cpu.wake_time = 2 * US, r.cpu.interrupt_time = 5 * US, r.cpu.quantum = 1000000 * US;
  r.kernel.call_time = 1 * US;
  r.adapter.wire = 1000000000, r.adapter.frames = 1;
  r.tcpip.io_processor = io_program ? 1 : 0, r.tcpip.interrupt_time = 4 * US, r.tcpip.protocol_time = r.tcpip.io_protocol_time = 100 * US;
  r.tcpip.byte_time = r.tcpip.io_byte_time = 1000;
  r.bus.clock = 1000000000, r.memory.latency = 1000, r.memory.bandwidth = 1000000000000, r.memory.tracked = r.cache.uncached = 128 << 10;
  r.tcpip.message_time = 7 * US, r.tcpip.copy_time = r.tcpip.io_copy_time = 5000, r.tcpip.crc_time = r.tcpip.md5_time = 10000;
  return r;
}
#define ONE(p) rig_of(p, sizeof(p), NULL, 0)
#define TWO(p, q) rig_of(p, sizeof(p), q, sizeof(q))

static struct session session_of(const struct rig *r) {
  struct session s = session_new(5 + 2 * r->cpus, 4 * r->cpus + 4, 12);
  session_part(&s, BY_TYPE_TCPIP, (const uint64_t *)&r->tcpip, sizeof r->tcpip / 8);
  session_part(&s, BY_TYPE_KERNEL, (const uint64_t *)&r->kernel, sizeof r->kernel / 8);
  session_part(&s, BY_TYPE_ETHERNET, (const uint64_t *)&r->adapter, sizeof r->adapter / 8);
  session_part(&s, BY_TYPE_MEMORY_BUS, (const uint64_t *)&r->bus, sizeof r->bus / 8);
  session_part(&s, BY_TYPE_MEMORY, (const uint64_t *)&r->memory, sizeof r->memory / 8);
  for (uint32_t i = 0; i < r->cpus; i++) {
    struct processor_params cpu = r->cpu;
    cpu.clock = r->clocks[i];
    session_part(&s, BY_TYPE_PROCESSOR, (const uint64_t *)&cpu, sizeof cpu / 8);
    session_table(&s, r->programs[i], r->rows[i], 8);
  }
  for (uint32_t i = 0; i < r->cpus; i++) session_part(&s, BY_TYPE_DATA_CACHE, (const uint64_t *)&r->cache, sizeof r->cache / 8);
  for (uint32_t i = 0; i < r->cpus; i++) {
    session_wire(&s, MAIN + i, PROCESSOR_PORT_CACHE, MAIN + r->cpus + i, DATA_CACHE_PORT_CPU);
    session_wire(&s, MAIN + r->cpus + i, DATA_CACHE_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + i);
    session_wire(&s, MAIN + i, PROCESSOR_PORT_OS, TCPIP, TCPIP_PORT_CPU + i);
    session_wire(&s, TCPIP, TCPIP_PORT_KERNEL + i, KERNEL, KERNEL_PORT_CPU + i);
  }
  session_wire(&s, TCPIP, TCPIP_PORT_ADAPTER, ADAPTER, ETHERNET_PORT_DRIVER);
  session_wire(&s, ADAPTER, ETHERNET_PORT_BUS, BUS, MEMORY_BUS_PORT_MASTER + 8);
  session_wire(&s, BUS, MEMORY_BUS_PORT_MEMORY, MEMORY, MEMORY_PORT_BRIDGE);
  session_wire(&s, ADAPTER, ETHERNET_PORT_IRQ, MAIN + r->cpus - 1, PROCESSOR_PORT_IRQ);
  return s;
}

static void run(const struct rig *r) {
  struct session s = session_of(r);
  assert_int_equal(session_open(&s), BY_OK);
  by_record_trace(test_engine(), 1);
  session_run();
}

#define COUNT(name) (BY_COUNTERS(test_engine(), TCPIP, tcpip)->name)
#define CPU_COUNT(cpu, name) (BY_COUNTERS(test_engine(), cpu, processor)->name)

PROGRAM(uni, ROW(THREAD, 0, 9, 0), FOREVER, ROW(DELIVER, 0, 1, 0), AGAIN, END, ROW(THREAD, 0, 1, 0), FOREVER, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);
PROGRAM(application, FOREVER, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);
PROGRAM(io_thread, FOREVER, ROW(DELIVER, 0, 0, 0), AGAIN, END);
PROGRAM(copies, FOREVER, ROW(DELIVER, 0, 1, 0), AGAIN, END);
PROGRAM(copied, FOREVER, ROW(ACCEPT, 0, 1, 0), ROW(DECODE, 0, 2, 0), ROW(DECODE, 0, 2, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);

/*
 * The frame lies in its buffer after 1.526, its last line being written in 12 ns. Interrupt 5, handler 4, give 1, wake 2, TCP/IP 100 and its pass
 * over the bytes, copy 7.3 beside the bus, put 1, and when the I/O thread blocks in its next take (1 + 3) the application is woken (2) and computes 14.6. Both threads block before the frame
 * comes: take 1 + 3, get 1 + 3, and the interrupt waits until the kernel's call and the switch are over.
 */
static void a_packet_on_one_processor(void **state) {
  (void)state;
  struct rig r = ONE(uni);
  r.cpu.switch_time = 0, r.kernel.call_time = 0;
  r.tcpip.io_protocol_time = r.tcpip.io_copy_time = 1; /* there is no such processor */
  run(&r);
  assert_int_equal(COUNT(processed), 1);
  assert_int_equal(COUNT(latency), (5 + 4 + 2 + 100 + 2) * US + SUMMED + READ + WRITE + PAYLOAD * 5000 + DECODED);
  assert_int_equal(COUNT(copied), PAYLOAD);
  assert_int_equal(COUNT(wrong), 0);
  assert_int_equal(CPU_COUNT(MAIN, in_protocol), 100 * US + SUMMED);
  assert_int_equal(CPU_COUNT(MAIN, in_decode), DECODED);
  assert_int_equal(CPU_COUNT(MAIN, in_message), 0);
  assert_int_equal(BY_COUNTERS(test_engine(), ADAPTER, ethernet)->busy, 1514 * 1000 + 12 * 1000); /* a frame comes in until its last line is in memory */
}

/* The main processor is interrupted by the message (5), wakes (2), synchronises (7): no copy. */
static void a_packet_on_two_processors_is_not_copied(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.cpu.switch_time = 0, r.kernel.call_time = 0;
  run(&r);
  assert_int_equal(COUNT(processed), 1);
  assert_int_equal(COUNT(latency), (5 + 4 + 2 + 100 + 5 + 2 + 7) * US + SUMMED + DECODED);
  assert_int_equal(COUNT(copied), 0);
  assert_int_equal(CPU_COUNT(IO, in_protocol), 100 * US + SUMMED);
  assert_int_equal(CPU_COUNT(MAIN, in_protocol), 0);
  assert_int_equal(CPU_COUNT(MAIN, in_message), 7 * US);
}

/* Half the clock, twice the time of whatever a processor does, its kernel and switches too; the bus keeps its own. */
static void times_follow_the_clock(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.cpu.nominal_clock = 100000000, r.clocks[0] = 50000000, r.clocks[1] = 400000000;
  run(&r);
  assert_int_equal(CPU_COUNT(IO, in_protocol), 25 * US + READ + PAYLOAD * 250);
  assert_int_equal(CPU_COUNT(MAIN, in_message), 14 * US);
  assert_int_equal(CPU_COUNT(MAIN, in_decode), READ + PAYLOAD * 20000);
  assert_int_equal(CPU_COUNT(MAIN, in_kernel), 2 * 2 * US);
  assert_int_equal(CPU_COUNT(MAIN, in_switch), 2 * 6 * US);
  assert_int_equal(CPU_COUNT(MAIN, in_wake), 4 * US);
  assert_int_equal(CPU_COUNT(MAIN, in_interrupt), 10 * US);
  assert_int_equal(CPU_COUNT(IO, in_interrupt), 5 * US / 4 + US);
}

/* A frame is 24 lines: TCP/IP reads them, a copy reads and writes them, the application reads them, in the cache or not. */
static void what_a_service_reaches_in_memory_is_counted(void **state) {
  (void)state;
  for (uint64_t cached = 0; cached < 2; cached++) {
    struct rig r = ONE(uni);
    r.cache.uncached = cached ? 0 : 128 << 10;
    run(&r);
    assert_int_equal(COUNT(wrong), 0);
    assert_int_equal(CPU_COUNT(MAIN, accesses), 4 * 24);
    assert_int_equal(BY_COUNTERS(test_engine(), MAIN + 1, data_cache)->hits > 0, cached);
  }
}

/*
 * The I/O processor copies packets for the other, in caches of 32 lines a buffer that do not snoop; both copies go into the same
 * place in turn. What is not purged is old; what is not flushed has never come to memory.
 */
static void caches_that_do_not_snoop_are_kept_by_purges_and_flushes(void **state) {
  (void)state;
  for (uint32_t purges = 0; purges < 2; purges++)
    for (uint32_t flushes = 0; flushes < 2; flushes++) {
      struct rig r = TWO(application, copies);
      r.cache.uncached = 0, r.cache.snoops = 0;
      r.adapter.frames = 3, r.adapter.ring = 1;
      r.tcpip.purges = purges, r.tcpip.flushes = flushes;
      r.tcpip.order_time = 11000, r.tcpip.io_order_time = 13000;
      run(&r);
      assert_int_equal(COUNT(processed), 3);
      assert_int_equal(COUNT(wrong), purges && flushes ? 0 : flushes ? 2 : 3);
      assert_int_equal(CPU_COUNT(MAIN, in_order), purges ? 3 * 24 * 11000 : 0);
      uint64_t in_orders = 3 * 24 * 13000 * (purges + flushes);
      assert_int_equal(CPU_COUNT(IO, in_order) > in_orders, flushes); /* what is flushed takes the bus too */
      assert_int_equal(CPU_COUNT(IO, in_order) >= in_orders, 1);
      if (flushes) assert_int_equal(BY_COUNTERS(test_engine(), IO + 2, data_cache)->write_backs, 3 * 48);
    }
}

/* Two processors whose times all differ; switching and the kernel's calls take none. */
static struct rig rig_of_different_times(const uint64_t *main_program, size_t a, const uint64_t *io_program, size_t b) {
  struct rig r = rig_of(main_program, a, io_program, b);
  r.cpu.switch_time = 0, r.kernel.call_time = 0;
  r.tcpip.io_protocol_time = 90 * US, r.tcpip.io_copy_time = 3000;
  r.tcpip.md5_time = 20000, r.tcpip.des_time = 30000, r.tcpip.huffman_time = 40000;
  return r;
}
#define DIFFERENT(p, q) rig_of_different_times(p, sizeof(p), q, sizeof(q))
#define FRAME_TIME 1526000ull /* its last line takes 12 ns to be written */
#define PER_BYTE(time) (PAYLOAD * (uint64_t)(time))

/*
 * The frame has come after 1.526: interrupt 5, handler 4, wake 2. TCP/IP 90; the message interrupts the main processor (5), which
 * wakes (2) and synchronises (7). A byte of CRC takes 10, of MD5 20, of DES 30, of Huffman 40 ns. What the sums of packet 1
 * are was computed elsewhere (zlib, OpenSSL).
 */
static void each_code_takes_its_time_and_gives_its_sum(void **state) {
  (void)state;
  PROGRAM(codes, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), ROW(DECODE, 0, 2, 0), ROW(DECODE, 0, 3, 0), ROW(DECODE, 0, 4, 0), ROW(FINISH, 0, 0, 0), END);
  struct rig r = DIFFERENT(codes, io_thread);
  r.tcpip.deadline = 1 * US;
  run(&r);
  const uint64_t taken = FRAME_TIME + 11 * US, delivered = taken + 90 * US + SUMMED, accepted = delivered + 14 * US;
  const uint64_t crc = accepted + READ + PER_BYTE(10000), md5 = crc + READ + PER_BYTE(20000), des_end = md5 + READ + PER_BYTE(30000), end = des_end + READ + PER_BYTE(40000);
  const uint32_t by_io = BECAUSE(IO, PROCESSOR_EV_STATE), by_main = BECAUSE(MAIN, PROCESSOR_EV_STATE), by_call = BECAUSE(MAIN, PROCESSOR_EV_CALL), by_bus = BECAUSE(BUS, MEMORY_BUS_EV_START);
  TELLS(TCPIP, {taken, TCPIP_EV_TAKEN, 1, 0, 1, by_io}, {delivered, TCPIP_EV_DELIVERED, 1, 0, 1, by_bus}, {accepted, TCPIP_EV_ACCEPTED, 1, 0, 0, by_main}, {crc, TCPIP_EV_SUM, 1, 0x28de86fd, 1, by_bus},
        {md5, TCPIP_EV_SUM, 1, 0x9d0b03df, 2, by_bus}, {des_end, TCPIP_EV_SUM, 1, 0xa6330b2e, 3, by_bus}, {end, TCPIP_EV_SUM, 1, 6053, 4, by_bus}, {end, TCPIP_EV_FINISHED, 1, 0, 0, by_call},
        {end, TCPIP_EV_LATE, end - FRAME_TIME, 1, 0, BECAUSE(TCPIP, TCPIP_EV_FINISHED)});
  assert_int_equal(CPU_COUNT(MAIN, in_message), 7 * US);
  assert_int_equal(COUNT(delivered), 1);
  assert_int_equal(COUNT(latency_most), end - FRAME_TIME);
  uint32_t rows;
  const struct tcpip_calls *calls = checked_view(test_engine(), TCPIP, TCPIP_VIEW_CALLS, &rows);
  assert_int_equal(calls[0].mixed, 0);
  assert_int_equal(calls[0].step, TCPIP_STEP_DONE);
}

/*
 * Two packets, 1000 apart, each copied by whoever has it: 1.46 kB times 3 and times 5 ns beside the bus. The first copy of the second packet
 * finds the place of the first free again; a buffer that is copied goes back first.
 */
static void a_copy_takes_the_first_place_that_is_free(void **state) {
  (void)state;
  PROGRAM(hold, ROW(ACCEPT, 0, 2, 5), ROW(SPEND, 2000, 0, 0), ROW(FINISH, 0, 0, 0), FOREVER, ROW(ACCEPT, 0, 1, 5), ROW(FINISH, 0, 0, 0), AGAIN, END);
  PROGRAM(to_the_sixth, FOREVER, ROW(DELIVER, 0, 1, 5), AGAIN, END);
  struct rig r = DIFFERENT(hold, to_the_sixth);
  r.adapter.frames = 2, r.adapter.period = 1000 * US;
  run(&r);
  const uint64_t io = READ + WRITE + PER_BYTE(3000), main_copy = READ + WRITE + PER_BYTE(5000), taken = FRAME_TIME + 11 * US, delivered = taken + 90 * US + SUMMED + io, copied = delivered + 14 * US + main_copy, finished = copied + main_copy + 2000 * US, again = finished + 7 * US + main_copy;
  const uint32_t by_io = BECAUSE(IO, PROCESSOR_EV_STATE), by_bus = BECAUSE(BUS, MEMORY_BUS_EV_START), by_copy = BECAUSE(TCPIP, TCPIP_EV_COPIED), by_buffer = BECAUSE(ADAPTER, ETHERNET_EV_RELEASED), by_call = BECAUSE(MAIN, PROCESSOR_EV_CALL);
  TELLS(TCPIP, {taken, TCPIP_EV_TAKEN, 1, 0, 1, by_io}, {delivered, TCPIP_EV_COPIED, 1, 64, 1, by_buffer}, {delivered, TCPIP_EV_DELIVERED, 1, 64, 1, by_copy}, {copied, TCPIP_EV_COPIED, 1, 65, 0, by_bus},
        {copied + main_copy, TCPIP_EV_COPIED, 1, 64, 0, by_bus}, {copied + main_copy, TCPIP_EV_ACCEPTED, 1, 64, 0, by_copy}, {taken + 1000 * US, TCPIP_EV_TAKEN, 2, 1, 1, by_io}, {delivered + 1000 * US, TCPIP_EV_COPIED, 2, 65, 1, by_buffer},
        {delivered + 1000 * US, TCPIP_EV_DELIVERED, 2, 65, 1, by_copy}, {finished, TCPIP_EV_FINISHED, 1, 0, 0, by_call}, {again, TCPIP_EV_COPIED, 2, 64, 0, by_bus}, {again, TCPIP_EV_ACCEPTED, 2, 64, 0, by_copy}, {again, TCPIP_EV_FINISHED, 2, 0, 0, by_call});
  assert_int_equal(COUNT(copied), 5 * PAYLOAD);
  assert_int_equal(COUNT(latency), finished + again - 2 * FRAME_TIME - 1000 * US);
  assert_int_equal(COUNT(latency_most), finished - FRAME_TIME);
  uint32_t queues;
  const struct kernel_queues *queue = checked_view(test_engine(), KERNEL, KERNEL_VIEW_QUEUES, &queues);
  for (uint32_t i = 0; i < queues; i++) assert_int_equal(queue[i].first, i == 5); /* the second lay there for a while */
  struct session s = session_of(&r);
  assert_int_equal(session_open(&s), BY_OK);
  assert_int_equal(by_run(test_engine(), 1500 * US, UINT64_MAX), BY_UNTIL); /* each has one of them */
  uint32_t copies_shown;
  const struct tcpip_messages *message = checked_view(test_engine(), TCPIP, TCPIP_VIEW_MESSAGES, &copies_shown);
  for (uint32_t i = 0; i < copies_shown; i++) assert_int_equal(message[i].packet, i < 2 ? i + 1 : 0);
  assert_int_equal(message[1].from, 1);
  assert_int_equal(message[1].arrived, FRAME_TIME + 1000 * US);
}

/* Late with a deadline just below, and not with one that is met to the point. */
static void a_packet_is_late_after_its_deadline(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.cpu.switch_time = 0, r.kernel.call_time = 0;
  uint64_t latency = (5 + 4 + 2 + 100 + 5 + 2 + 7) * US + SUMMED + DECODED;
  r.tcpip.deadline = latency;
  run(&r);
  assert_int_equal(COUNT(late), 0);
  r.tcpip.deadline = latency - 1;
  run(&r);
  assert_int_equal(COUNT(late), 1);
}

static void by_messages_it_is_copied_twice_and_both_sums_are_right(void **state) {
  (void)state;
  struct rig r = TWO(copied, copies);
  r.adapter.frames = 5;
  run(&r);
  assert_int_equal(COUNT(processed), 5);
  assert_int_equal(COUNT(copied), 10 * PAYLOAD);
  uint64_t waited = BY_COUNTERS(test_engine(), MAIN + 2, data_cache)->waited, carried = 5 * (READ + WRITE + PAYLOAD * 5000), decoded = 10 * DECODED;
  assert_int_equal(CPU_COUNT(MAIN, in_carry) + CPU_COUNT(MAIN, in_decode), carried + decoded + waited);
  assert_int_equal(CPU_COUNT(IO, in_carry) + CPU_COUNT(IO, in_protocol), carried + 5 * (100 * US + SUMMED) + BY_COUNTERS(test_engine(), MAIN + 3, data_cache)->waited);
  assert_int_equal(COUNT(wrong), 0);
}

/* A queue longer than there are copies, and an application that does not begin: senders wait for a place, and go on when one is free. */
static void copies_that_run_out_are_waited_for(void **state) {
  (void)state;
  PROGRAM(late, ROW(SPEND, 100000, 0, 0), FOREVER, ROW(ACCEPT, 0, 1, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), AGAIN, END);
  struct rig r = TWO(late, copies);
  r.adapter.frames = 30, r.kernel.queue_places = 64;
  run(&r);
  assert_int_equal(COUNT(processed), 30);
  assert_int_equal(COUNT(wrong), 0);
  assert_int_equal(BY_COUNTERS(test_engine(), KERNEL, kernel)->queued_most, TCPIP_SENT);
}

/* More frames than the ring holds: the sender is held until buffers come back, in order, and nothing is lost. */
static void a_sender_that_waits_loses_nothing(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.adapter.frames = 40, r.adapter.ring = 3;
  run(&r);
  assert_int_equal(COUNT(processed), 40);
  assert_int_equal(COUNT(wrong), 0);
  assert_int_equal(BY_COUNTERS(test_engine(), ADAPTER, ethernet)->lost, 0);
  assert_true(BY_COUNTERS(test_engine(), ADAPTER, ethernet)->held > 0);
}

/* A frame every 50 where each takes over 100: half of them and more find no descriptor. */
static void a_sender_that_does_not_wait_loses_frames(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.adapter.frames = 40, r.adapter.period = 50 * US, r.adapter.ring = 2;
  run(&r);
  uint64_t lost = BY_COUNTERS(test_engine(), ADAPTER, ethernet)->lost;
  assert_int_equal(COUNT(processed) + lost, 40);
  assert_true(lost >= 18);
}

/* The buffer goes back when its address is sent: the adapter fills it while the application reads, and the sum shows it. */
static void a_buffer_that_goes_back_too_early_spoils_the_sum(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.adapter.frames = 20, r.adapter.ring = 1, r.tcpip.fault = TCPIP_FAULT_EARLY_RELEASE;
  run(&r);
  assert_true(COUNT(wrong) > 0);
}

/* Each buffer but the last goes back again when the next packet is done: the adapter has filled it, and fills it once more. */
static void a_buffer_that_goes_back_twice_is_told_and_spoils_sums(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.adapter.frames = 20, r.adapter.ring = 2, r.tcpip.fault = TCPIP_FAULT_RELEASED_TWICE;
  r.tcpip.crc_time = 200000;
  run(&r);
  assert_int_equal(COUNT(released_twice), COUNT(processed) - 1);
  assert_true(COUNT(wrong) > 0);
  const struct by_record *ring = by_at(test_engine(), by_look(test_engine())->trace_at);
  uint32_t told = 0;
  for (uint64_t i = 0; i < test_engine()->seq; i++)
    if (ring[i].kind == TCPIP_EV_TWICE) assert_int_equal(ring[i].b, told++ % 2); /* that of the packet before */
}

/* The descriptor is the driver's as soon as the frame begins: whoever is quick reads what lay there before. */
static void a_descriptor_that_is_handed_over_early_spoils_sums_of_the_quick(void **state) {
  (void)state;
  struct rig r = ONE(uni);
  r.adapter.frames = 10, r.adapter.fault = ETHERNET_FAULT_EARLY_OWNER, r.adapter.wire = 10000000;
  run(&r);
  assert_int_equal(COUNT(processed), 10);
  assert_true(COUNT(wrong) > 0);
  r.adapter.wire = 1000000000;
  run(&r);
  assert_int_equal(COUNT(processed), 10);
  assert_int_equal(COUNT(wrong), 0);
}

/* A frame of 64 bytes is one line, 16 words of 3 ns, and has ten bytes of payload. */
static void a_small_packet_costs_its_own_bytes_and_the_same_beside(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.cpu.switch_time = 0, r.kernel.call_time = 0, r.adapter.frame = 64;
  run(&r);
  assert_int_equal(COUNT(latency), (5 + 4 + 2 + 100 + 5 + 2 + 7) * US + 16 * 3000 + 10 * 1000 + 16 * 3000 + 10 * 10000);
  assert_int_equal(COUNT(wrong), 0);
  assert_int_equal(BY_COUNTERS(test_engine(), ADAPTER, ethernet)->bytes, 64);
}

/* Numbers of the packets that an application has finished, in its order, as the digits of one number. */
static uint32_t order_of_packets(void) {
  const struct by_directory *d = by_look(test_engine());
  const struct by_record *ring = by_at(test_engine(), d->trace_at);
  uint32_t order = 0;
  for (uint32_t i = 0; i < d->seq_lo; i++)
    if (ring[i].part == TCPIP && ring[i].kind == TCPIP_EV_FINISHED) order = order * 10 + (uint32_t)ring[i].a;
  return order;
}

/* Sent 1 to 6, with every second swapped with the next: 1 3 2 5 4 6. Held for each other they reach the application as sent. */
static void packets_out_of_order_are_put_back_in_order(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.adapter.frames = 6, r.adapter.swap = 2;
  run(&r);
  assert_int_equal(order_of_packets(), 132546), assert_int_equal(COUNT(reordered), 0), assert_int_equal(COUNT(wrong), 0);
  uint64_t before = CPU_COUNT(IO, in_protocol);
  r.tcpip.reassembly = 4, r.tcpip.io_reorder_time = 11 * US;
  run(&r);
  assert_int_equal(order_of_packets(), 123456), assert_int_equal(COUNT(reordered), 2), assert_int_equal(COUNT(gaps), 0), assert_int_equal(COUNT(wrong), 0);
  assert_true(CPU_COUNT(IO, in_protocol) >= before + 22 * US);
}

/* With one buffer the packet that is missing could never come: it is waited for no longer. */
static void a_ring_that_would_be_full_of_held_packets_goes_on(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.adapter.frames = 6, r.adapter.swap = 2, r.adapter.ring = 1, r.tcpip.reassembly = 4;
  run(&r);
  assert_int_equal(COUNT(processed), 6), assert_int_equal(COUNT(gaps), 2);
}

/* Lost frames leave gaps; when more than two are held, the rest goes on, in order. */
static void a_packet_that_was_lost_is_not_waited_for_for_ever(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.adapter.frames = 9, r.adapter.period = 40 * US, r.adapter.ring = 3, r.tcpip.reassembly = 2;
  run(&r);
  uint64_t lost = BY_COUNTERS(test_engine(), ADAPTER, ethernet)->lost;
  assert_true(lost > 0);
  assert_true(COUNT(processed) + lost <= 9 && COUNT(processed) + lost >= 7); /* what is held at the end is held */
}

/* Connections of three packets: of six packets 1 and 4 begin one, 3 and 6 end one, at two segments each. */
static void a_connection_costs_its_segments(void **state) {
  (void)state;
  struct rig r = TWO(application, io_thread);
  r.adapter.frames = 6;
  run(&r);
  uint64_t before = CPU_COUNT(IO, in_protocol), waited = BY_COUNTERS(test_engine(), MAIN + 3, data_cache)->waited;
  r.tcpip.connection = 3;
  run(&r);
  assert_int_equal(COUNT(connections), 2);
  assert_int_equal(CPU_COUNT(IO, in_protocol) - BY_COUNTERS(test_engine(), MAIN + 3, data_cache)->waited, before - waited + 8 * 100 * US);
}

/* What an engine has done takes a completion and no TCP/IP. */
static void a_packet_of_an_engine_takes_no_protocol(void **state) {
  (void)state;
  PROGRAM(collects, FOREVER, ROW(COLLECT, 0, 0, 0), AGAIN, END);
  struct rig r = TWO(application, collects);
  r.tcpip.collect_time = 13 * US;
  run(&r);
  assert_int_equal(COUNT(processed), 1), assert_int_equal(CPU_COUNT(IO, in_protocol), 13 * US);
}

/* A message that no I/O thread has put there. */
static void a_message_that_is_no_packet_is_refused(void **state) {
  (void)state;
  PROGRAM(program, PROCESSOR_OP_PUT, 70000, 0, 4, 4, 0, 0, 0, ROW(ACCEPT, 0, 0, 0), ROW(DECODE, 0, 1, 0), END);
  struct rig r = ONE(program);
  run(&r);
  assert_int_equal(CPU_COUNT(MAIN, refused), 2);
}

/* Of any thread of either processor. */
static void work_on_no_packet_is_refused(void **state) {
  (void)state;
  PROGRAM(program, ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), END, ROW(THREAD, 0, 1, 0), ROW(DECODE, 0, 1, 0), ROW(FINISH, 0, 0, 0), END);
  struct rig r = TWO(program, program);
  run(&r);
  assert_int_equal(CPU_COUNT(MAIN, refused), 4);
  assert_int_equal(CPU_COUNT(IO, refused), 4);
  assert_int_equal(COUNT(processed), 0);
}

static void rows_that_mean_nothing_are_refused(void **state) {
  (void)state;
  const uint64_t rows[][8] = {{ROW(DECODE, 0, 5, 0)}, {ROW(DECODE, 0, 0, 0)}, {ROW(ACCEPT, 0, 0, 16)}, {ROW(DELIVER, 0, 0, 16)}, {ROW(ACCEPT, 0, 3, 0)}, {ROW(DELIVER, 0, 3, 0)}, {ROW(MAP, 0, 0, 0)}, {ROW(LOCK, 0, 0, 16)},
                              {ROW(DECODE, 0, 4, 16)}, {ROW(DECODE, 0, 1, 0)}, {ROW(ACCEPT, 0, 2, 15)}, {ROW(DELIVER, 0, 2, 15)}, {ROW(FINISH, 0, 99, 99)}, {ROW(LOCK, 0, 0, 15)}};
  for (int i = 0; i < 14; i++) {
    uint64_t program[16] = {[8] = PROCESSOR_OP_END};
    memcpy(program, rows[i], sizeof rows[i]);
    struct rig r = ONE(program);
    struct session s = session_of(&r);
    int nobody = rows[i][0] == PROCESSOR_OP_MAP; /* the kernel would pass it on, and nothing is wired behind it */
    assert_int_equal(session_open(&s), nobody ? BY_UNWIRED : i < 8 ? BY_BAD_ROW : BY_OK);
  }
}

/*
 * With the order of events left open: three frames of a line each, two buffers, on one processor and on two, copied on the way or not.
 * What is kept of packets, kernel, adapter, processors, caches, bus and memory is all that what comes next follows from.
 */
static void what_is_kept_of_packets_on_their_way_goes_on(void **state) {
  (void)state;
#define TURNS(priority, ...) ROW(THREAD, 0, priority, 0), ROW(REPEAT, 0, 3, 0), __VA_ARGS__, AGAIN, END
#define READS(copies) TURNS(1, ROW(ACCEPT, 0, copies, 0), ROW(DECODE, 0, 2, 0), ROW(FINISH, 0, 0, 0))
#define SENDS(copies) TURNS(9, ROW(DELIVER, 0, copies, 0))
  PROGRAM(uni_turns, SENDS(1), READS(0));
  PROGRAM(reads, READS(0));
  PROGRAM(copies_reads, READS(1));
  PROGRAM(sends, SENDS(0));
  PROGRAM(copies_sends, SENDS(1));
  const struct rig machines[] = {ONE(uni_turns), TWO(reads, sends), TWO(copies_reads, sends), TWO(copies_reads, copies_sends)};
  uint64_t random = 5;
  for (uint32_t i = 0; i < 4; i++) {
    struct rig r = machines[i];
    r.cpu.switch_time = r.cpu.wake_time = r.cpu.interrupt_time = 1000 * US;
    r.kernel.queue_places = 2, r.adapter.frames = 3, r.adapter.frame = 64, r.adapter.ring = 2;
    r.memory.grain = 2048, r.cache.size = 1024;
    struct session s = session_of(&r);
    assert_int_equal(session_open(&s), BY_OK);
    test_engine()->free_order = 1; /* all steps together take less than anything that takes time */
    assert_kept_goes_on(1500, &random);
  }
}

/* Nothing under way: a byte for each number, buffer and copy, three for each of the processor's 17 calls; a copy that is taken has four more. */
static void what_is_kept_is_the_places_and_no_more(void **state) {
  (void)state;
  struct rig r = ONE(uni);
  struct session s = session_of(&r);
  assert_int_equal(session_open(&s), BY_OK);
  for (uint32_t taken = 0; taken <= TCPIP_COPIES; taken++) {
    uint8_t bytes[KEEP_PART];
    struct by_keeper k = {.at = bytes};
    if (taken) *tcpip_place_of(test_engine(), TCPIP, TCPIP_COPY + taken - 1) = (tcpip_place){.packet = taken, .from = 2, .held = 1, .bytes = 300};
    tcpip_keep(test_engine(), TCPIP, &k);
    assert_int_equal(k.at - bytes, 5 + 17 * 3 + 32 + 16 + 4 * taken);
  }
  tcpip_place *last = tcpip_place_of(test_engine(), TCPIP, TCPIP_COPY + TCPIP_COPIES - 1);
  struct tcpip_now *now = tcpip_now_of(test_engine(), TCPIP);
  KEEPS(TCPIP, &last->packet, &last->from, &last->held, &last->bytes, &now->untold, &now->next, &now->expected, &now->ring);
}

static void memory_that_runs_out_is_an_error(void **state) {
  (void)state;
  struct rig r = ONE(uni);
  struct session s = session_of(&r);
  session_without_memory(&s);
}

/* For two frames in two buffers: those that are told of a buffer, of a call, and of what was finished, and whether that is as it should be. */
static void a_packet_that_is_given_early_or_out_of_turn_is_seen(void **state) {
  (void)state;
  struct rig r = ONE(uni);
  r.adapter.frames = 2, r.adapter.ring = 2;
  run(&r);
  by *m = test_engine();
  uint32_t rows, calls;
  struct tcpip_slots *slot = checked_view(m, TCPIP, TCPIP_VIEW_SLOTS, &rows);
  struct ethernet_ring *ring = checked_view(m, ADAPTER, ETHERNET_VIEW_RING, &rows);
  struct tcpip_calls *call = checked_view(m, TCPIP, TCPIP_VIEW_CALLS, &calls);
  assert_int_equal(rows, 2);
  assert_int_equal(COUNT(processed), 2);
  assert_int_equal(broken_packet(m, TCPIP, ADAPTER), BY_HOLDS);
  for (uint32_t i = 0; i < 2; i++)
    for (uint32_t how = 0; how < 4; how++) {
      slot[i].packet = how & 1 ? 3 : 0, ring[i].state = how >> 1 ? ETHERNET_OWNER_DRIVER : ETHERNET_OWNER_ADAPTER;
      assert_int_equal(broken_packet(m, TCPIP, ADAPTER), how == 1 ? BY_STILL_HELD : BY_HOLDS);
      assert_int_equal(broken_packet(m, TCPIP, BY_NONE), BY_HOLDS);
      assert_int_equal(broken_packet(m, BY_NONE, ADAPTER), BY_HOLDS);
      slot[i].packet = 0;
    }
  static const uint32_t ops[] = {PROCESSOR_OP_ACCEPT, PROCESSOR_OP_DECODE, PROCESSOR_OP_FINISH, PROCESSOR_OP_DELIVER};
  for (uint32_t at = 0; at < calls; at += calls - 1)
    for (uint32_t op = 0; op < 4; op++)
      for (uint32_t packet = 2; packet < 5; packet++)
        for (uint32_t place = 0; place < 2; place++) { /* two are finished: the third is in turn */
          const struct tcpip_calls before = call[at];
          call[at].op = ops[op], call[at].packet = packet, call[at].place = place ? 0 : TCPIP_NO_PLACE;
          assert_int_equal(broken_packet(m, TCPIP, ADAPTER), op < 3 && place && packet != 3 ? BY_IN_TURN : BY_HOLDS);
          call[at] = before;
        }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_on_one_processor),
      cmocka_unit_test(a_packet_on_two_processors_is_not_copied),
      cmocka_unit_test(each_code_takes_its_time_and_gives_its_sum),
      cmocka_unit_test(a_copy_takes_the_first_place_that_is_free),
      cmocka_unit_test(a_packet_is_late_after_its_deadline),
      cmocka_unit_test(times_follow_the_clock),
      cmocka_unit_test(what_a_service_reaches_in_memory_is_counted),
      cmocka_unit_test(caches_that_do_not_snoop_are_kept_by_purges_and_flushes),
      cmocka_unit_test(by_messages_it_is_copied_twice_and_both_sums_are_right),
      cmocka_unit_test(copies_that_run_out_are_waited_for),
      cmocka_unit_test(a_sender_that_waits_loses_nothing),
      cmocka_unit_test(a_sender_that_does_not_wait_loses_frames),
      cmocka_unit_test(a_buffer_that_goes_back_too_early_spoils_the_sum),
      cmocka_unit_test(a_buffer_that_goes_back_twice_is_told_and_spoils_sums),
      cmocka_unit_test(a_descriptor_that_is_handed_over_early_spoils_sums_of_the_quick),
      cmocka_unit_test(a_small_packet_costs_its_own_bytes_and_the_same_beside),
      cmocka_unit_test(packets_out_of_order_are_put_back_in_order),
      cmocka_unit_test(a_ring_that_would_be_full_of_held_packets_goes_on),
      cmocka_unit_test(a_packet_that_was_lost_is_not_waited_for_for_ever),
      cmocka_unit_test(a_connection_costs_its_segments),
      cmocka_unit_test(a_packet_of_an_engine_takes_no_protocol),
      cmocka_unit_test(a_message_that_is_no_packet_is_refused),
      cmocka_unit_test(work_on_no_packet_is_refused),
      cmocka_unit_test(rows_that_mean_nothing_are_refused),
      cmocka_unit_test(what_is_kept_of_packets_on_their_way_goes_on),
      cmocka_unit_test(what_is_kept_is_the_places_and_no_more),
      cmocka_unit_test(memory_that_runs_out_is_an_error),
      cmocka_unit_test(a_packet_that_is_given_early_or_out_of_turn_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
