/*
 * The machine of bench/coherent.ts as one would write it to be fast with SystemC TLM-2.0, approximately
 * timed: methods instead of threads, payloads that are used again, an event for each of a miss's four phases,
 * the bus as a reservation, no trace. It exists to be timed beside the engine.
 */
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr unsigned CPUS = 4, LINES = 8192, LINE = 32;
constexpr double CYCLE_NS = 25.0 / 3;
enum State : uint8_t { INVALID, SHARED, CLEAN, DIRTY };

const sc_core::sc_time cycles(unsigned n) { return sc_core::sc_time(n * CYCLE_NS, sc_core::SC_NS); }

struct Cache {
  std::vector<uint64_t> tag = std::vector<uint64_t>(LINES);
  std::vector<State> state = std::vector<State>(LINES, INVALID);

  State &at(uint64_t addr) { return state[addr / LINE % LINES]; }
  bool holds(uint64_t addr) const { return tag[addr / LINE % LINES] == addr / LINE && state[addr / LINE % LINES] != INVALID; }
};

/* What goes with a transaction besides address and command. */
struct Coherence : tlm::tlm_extension<Coherence> {
  unsigned master = 0;
  bool exclusive = false, shared = false, owned = false;
  tlm::tlm_extension_base *clone() const override { return new Coherence(*this); }
  void copy_from(const tlm::tlm_extension_base &other) override { *this = static_cast<const Coherence &>(other); }
};

struct Bus : sc_core::sc_module {
  tlm_utils::simple_target_socket_tagged<Bus> agent[CPUS];
  tlm_utils::peq_with_cb_and_phase<Bus> queue;
  Cache *caches[CPUS] = {};
  uint64_t snooped = 0;
  sc_core::sc_time free_at, latency = sc_core::sc_time(60, sc_core::SC_NS);

  explicit Bus(sc_core::sc_module_name name) : sc_module(name), queue(this, &Bus::next_phase) {
    for (unsigned i = 0; i < CPUS; i++) agent[i].register_nb_transport_fw(this, &Bus::request, static_cast<int>(i));
  }

  /* The wires are taken for some cycles, as soon as they are free; the phase follows. */
  void take(unsigned n, tlm::tlm_generic_payload &trans, tlm::tlm_phase phase) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    free_at = (free_at > now ? free_at : now) + cycles(n);
    queue.notify(trans, phase, free_at - now);
  }

  tlm::tlm_sync_enum request(int, tlm::tlm_generic_payload &trans, tlm::tlm_phase &, sc_core::sc_time &) {
    take(trans.is_write() ? 5 : 1, trans, tlm::END_REQ);
    return tlm::TLM_ACCEPTED;
  }

  void snoop(uint64_t addr, Coherence &how) {
    snooped++;
    for (unsigned i = 0; i < CPUS; i++) {
      if (i == how.master || !caches[i]->holds(addr)) continue;
      State &state = caches[i]->at(addr);
      how.owned |= state == DIRTY;
      how.shared |= !how.exclusive;
      state = how.exclusive ? INVALID : SHARED;
    }
  }

  void next_phase(tlm::tlm_generic_payload &trans, const tlm::tlm_phase &phase) {
    Coherence &how = *trans.get_extension<Coherence>();
    if (trans.is_write()) {
      return; /* a write-back is over with its tenure */
    } else if (phase == tlm::END_REQ) {
      snoop(trans.get_address(), how);
      queue.notify(trans, tlm::BEGIN_RESP, latency);
    } else if (phase == tlm::BEGIN_RESP) {
      take(how.owned ? 5 : 4, trans, tlm::END_RESP);
    } else {
      tlm::tlm_phase response = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      trans.set_response_status(tlm::TLM_OK_RESPONSE);
      agent[how.master]->nb_transport_bw(trans, response, delay);
    }
  }
};

struct Processor : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Processor> socket;
  Cache cache;
  sc_core::sc_event ready;
  tlm::tlm_generic_payload read, write;
  Coherence read_how, write_how;
  uint64_t from[4], bytes[4], addr;
  unsigned row = 0;
  const sc_core::sc_time hit = cycles(1), fill = cycles(3);

  SC_HAS_PROCESS(Processor);
  Processor(sc_core::sc_module_name name, unsigned self)
      : sc_module(name), from{0x10000, 0x10000 + self * 0x2000ull, 0x1000000 + self * 0x100000ull, 0x2000000 + self * 0x100000ull},
        bytes{32 << 10, 8 << 10, 512 << 10, 64 << 10}, addr(from[0]) {
    socket.register_nb_transport_bw(this, &Processor::response);
    read_how.master = write_how.master = self;
    prepare(read, tlm::TLM_READ_COMMAND, read_how);
    prepare(write, tlm::TLM_WRITE_COMMAND, write_how);
    SC_METHOD(step);
    sensitive << ready;
  }
  ~Processor() override {
    read.clear_extension(&read_how);
    write.clear_extension(&write_how);
  }

  void prepare(tlm::tlm_generic_payload &trans, tlm::tlm_command command, Coherence &how) {
    static uint8_t data[LINE];
    trans.set_command(command);
    trans.set_data_ptr(data);
    trans.set_data_length(LINE);
    trans.set_streaming_width(LINE);
    trans.set_extension(&how);
  }

  void send(tlm::tlm_generic_payload &trans, uint64_t at) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    trans.set_address(at);
    socket->nb_transport_fw(trans, phase, delay);
  }

  bool stores() const { return row & 1; }

  /* The next load or store: a hit takes a cycle, a miss until the response. */
  void step() {
    State &state = cache.at(addr);
    const bool held = cache.holds(addr);
    if (held && (!stores() || state >= CLEAN)) {
      if (stores()) state = DIRTY;
      advance();
      ready.notify(hit);
      return;
    }
    if (state == DIRTY && !held) send(write, cache.tag[addr / LINE % LINES] * LINE);
    state = INVALID;
    read_how.exclusive = stores();
    read_how.shared = read_how.owned = false;
    send(read, addr & ~static_cast<uint64_t>(LINE - 1));
  }

  tlm::tlm_sync_enum response(tlm::tlm_generic_payload &, tlm::tlm_phase &, sc_core::sc_time &) {
    cache.tag[addr / LINE % LINES] = addr / LINE;
    cache.at(addr) = stores() ? DIRTY : read_how.shared ? SHARED : CLEAN;
    advance();
    ready.notify(fill);
    return tlm::TLM_COMPLETED;
  }

  void advance() {
    addr += LINE;
    if (addr < from[row] + bytes[row]) return;
    row = (row + 1) % 4;
    addr = from[row];
  }
};

} // namespace

/* peer MILLISECONDS: prints how many transactions were snooped, and how long that took. */
int sc_main(int argc, char **argv) {
  Bus bus("bus");
  std::vector<Processor *> processors;
  for (unsigned i = 0; i < CPUS; i++) {
    processors.push_back(new Processor(sc_core::sc_gen_unique_name("processor"), i));
    processors[i]->socket.bind(bus.agent[i]);
    bus.caches[i] = &processors[i]->cache;
  }
  const auto from = std::chrono::steady_clock::now();
  sc_core::sc_start(sc_core::sc_time(argc > 1 ? std::atoi(argv[1]) : 10, sc_core::SC_MS));
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count();
  std::printf("\n{\"transactions\":%llu,\"wall_ms\":%.3f}\n", static_cast<unsigned long long>(bus.snooped), ms);
  return 0;
}
