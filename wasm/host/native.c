/*
 * The native host: runs a compiled session from a file and prints its final state as JSON. It is compared
 * with the WebAssembly build event for event, and runs under the sanitizers.
 *
 *     busyard-native SESSION [--until PS] [--events N] [--no-trace] [--repeat N] [--slice N] [--play TRACE]
 *     busyard-native SESSION --explore MEBIBYTES
 *     busyard-native SESSION --holds [--until PS] [--events N]      most messages of each part, and what it
 * declares busyard-native SESSION --states MEBIBYTES     and what each state holds of the first followed line
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIM_CHECKS
#include "host/engine.c"

#include "verify/player/reference_text.c"
#include "verify/monitor.c"

#define ARENA (1ull << 30)

static unsigned char *memory;

void *sim_host_reserve(void *m, uint64_t bytes) { return bytes <= ARENA ? m : NULL; }

static sim *engine(void) { return (sim *)(memory + SIM_HOST_STATE_BYTES); }

static void *read_file(const char *path, uint32_t *words) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "%s: this file cannot be opened.\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  long bytes = ftell(file);
  rewind(file);
  uint32_t *data = malloc((size_t)bytes + 4);
  if (!data || fread(data, 1, (size_t)bytes, file) != (size_t)bytes) {
    fprintf(stderr, "%s: this file cannot be read.\n", path);
    exit(2);
  }
  fclose(file);
  *words = (uint32_t)(bytes / 4);
  return data;
}

struct options {
  const char *session;
  const char *play;
  uint64_t until;
  uint64_t events;
  uint64_t slice;
  uint64_t explore;
  unsigned repeat;
  int trace;
  int holds;
  int states;
};

static struct options parse(int argc, char **argv) {
  struct options o = {NULL, NULL, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 1, 1, 0, 0};
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "0";
    if (!strcmp(argv[i], "--until")) o.until = strtoull(value, NULL, 10), i++;
    else if (!strcmp(argv[i], "--events")) o.events = strtoull(value, NULL, 10), i++;
    else if (!strcmp(argv[i], "--slice")) o.slice = strtoull(value, NULL, 10), i++;
    else if (!strcmp(argv[i], "--repeat")) o.repeat = (unsigned)strtoul(value, NULL, 10), i++;
    else if (!strcmp(argv[i], "--play")) o.play = value, i++;
    else if (!strcmp(argv[i], "--no-trace")) o.trace = 0;
    else if (!strcmp(argv[i], "--holds")) o.holds = 1;
    else if (!strcmp(argv[i], "--explore")) o.explore = strtoull(value, NULL, 10) << 20, i++;
    else if (!strcmp(argv[i], "--states")) o.states = 1, o.explore = strtoull(value, NULL, 10) << 20, i++;
    else o.session = argv[i];
  }
  if (!o.session) {
    fprintf(stderr, "Name a compiled session.\n");
    exit(2);
  }
  return o;
}

static int run(const struct options *o) {
  int reason;
  do {
    const struct sim_directory *d = sim_refresh_header(engine());
    uint64_t now = (uint64_t)d->events_hi << 32 | d->events_lo;
    uint64_t stop = o->slice < o->events - now ? now + o->slice : o->events;
    reason = sim_run(engine(), o->until, stop);
    if (reason == SIM_EVENTS && stop == o->events) break;
  } while (reason == SIM_EVENTS);
  return reason;
}

/* The part that a message counts for: its receiver if that is also its sender, else the client of its wire.
 */
static uint32_t holder(const struct sim_entry *entry) {
  sim *m = engine();
  const sim_msg *msg = &slots(m)[slot_of(*entry)];
  if (msg->port == SIM_PORT_SELF || !(sim_protocol(sim_part(m, msg->to)->type, msg->port) & 1))
    return msg->to;
  return sim_wire(m, msg->to, msg->port)->part;
}

/* Runs event by event, and prints for each part its highest number of messages in flight and its declared
 * limit. */
static void holds(const struct options *o) {
  sim *m = engine();
  uint32_t *most = calloc(2 * m->part_count + 2, sizeof *most), *now = most + m->part_count + 1;
  if (!most) exit(2);
  for (uint64_t next = 0; next <= o->events; next++) {
    memset(now, 0, m->part_count * sizeof *now);
    for (uint32_t i = 0; i < m->pending; i++) now[holder(&soon(m)[i])]++;
    for (uint32_t i = 0; i < m->later; i++) now[holder(&later(m)[i])]++;
    for (uint32_t i = 0; i < m->part_count; i++)
      if (now[i] > most[i]) most[i] = now[i];
    if (sim_run(m, o->until, next + 1) != SIM_EVENTS) break;
  }
  printf("{\"events\":%" PRIu64 ",\"holds\":[", m->events);
  for (uint32_t i = 0; i < m->part_count; i++)
    printf("%s[%u,%" PRIu64 "]", i ? "," : "", most[i], sim_queue_capacity(m, i));
  printf("]}\n");
  free(most);
}

/* Bits of the halves whose data is the newest. */
static unsigned newest(const struct shadow_word *cells, uint32_t half_0, uint32_t half_1) {
  return (unsigned)(half_0 == cells[0].newest) | (unsigned)(half_1 == cells[1].newest) << 1;
}

/*
 * The state of the first tracked line: [newest halves in memory, one list for each cache]. A list: state and
 * newest halves of the line; for a miss its stage, type, future line state, whether others share it, and the
 * waiting agent + 1; newest halves in the write-back buffer, + 4 if it is present; and for each copy to be
 * supplied.
 */
static void print_state(sim *m, const struct checked *c) {
  const struct shadow_memory *shadow = &SIM_STATE(m, c->memory, memory_controller)->shadow;
  const struct shadow_word *cells = shadow_word(m, shadow, shadow->from);
  printf("[%u", newest(cells, cells[0].write, cells[1].write));
  for (uint32_t i = 0; i < c->caches; i++) {
    struct snoop_cache_state *s = SIM_STATE(m, c->cache[i], snoop_cache);
    uint32_t line =
        cache_find(m, SIM_CONTEXT(m, c->cache[i], snoop_cache), shadow->from, cache_index(s, shadow->from));
    const uint32_t *halves =
        line == UINT32_MAX ? NULL : cache_halves(m, SIM_CONTEXT(m, c->cache[i], snoop_cache), line);
    const miss *e = &s->misses[0];
    printf(",[%u,%u,%u,%u,%u,%u,%u,%u",
        halves ? cache_line_at(m, SIM_CONTEXT(m, c->cache[i], snoop_cache), line)->state : 0,
        halves ? newest(cells, halves[0], halves[1]) : 0, e->stage, e->stage ? e->type : 0,
        e->stage == SNOOP_CACHE_STAGE_ORDERED ? e->state : 0, e->stage ? e->shared : 0,
        e->stage ? e->owed : 0,
        s->now.write_backs ? 4 + newest(cells, s->buffer[0].half_0, s->buffer[0].half_1) : 0);
    for (uint32_t k = 0; k < s->now.copies; k++)
      printf(",%u", newest(cells, s->copies[k].half_0, s->copies[k].half_1));
    printf("]");
  }
  printf("]");
}

/* Prints each visited state, by replaying the path to it. */
static void print_states(sim *m, struct explorer *e) {
  printf(",\"found\":[");
  for (uint32_t i = 0; i < e->result.states; i++) {
    explorer_enter(m, e->first);
    explorer_counterexample(m, e, i, NO_PARENT);
    if (i) printf(",\n");
    print_state(m, &e->parts);
  }
  printf("]");
}

/* Explores exhaustively within the given memory. */
static int explore(uint64_t bytes, int states) {
  void *work = calloc(1, bytes);
  struct timespec from, to;
  const struct sim_explored *r;
  if (!work) return 2;
  clock_gettime(CLOCK_MONOTONIC, &from);
  sim_explore_begin(engine(), work, bytes);
  do r = sim_explore(engine(), work, 1u << 20);
  while (r->end == EXPLORE_MORE);
  clock_gettime(CLOCK_MONOTONIC, &to);
  double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
  printf("{\"end\":%u,\"invariant\":%u,\"states\":%u,\"transitions\":%" PRIu64
         ",\"depth\":%u,\"deadlocks\":%u,\"steps\":%u,\"seconds\":%.3f",
      r->end, r->invariant, r->states, (uint64_t)r->transitions_hi << 32 | r->transitions_lo, r->depth,
      r->deadlocks, r->steps, seconds);
  int whole = r->end == EXPLORE_COMPLETE;
  if (states) print_states(engine(), work);
  printf("}\n");
  free(work);
  return whole ? 0 : 1;
}

/* Plays a reference trace, except the last bytes that do not fill a word. */
static int play(const char *path) {
  uint32_t words, player = 0;
  uint8_t *text = read_file(path, &words);
  struct sim_played *played = calloc(1, sizeof *played);
  struct timespec from, to;
  if (!played) return 2;
  while (sim_part(engine(), player)->type != SIM_TYPE_PLAYER) player++;
  clock_gettime(CLOCK_MONOTONIC, &from);
  sim_play_references(engine(), player, text, words * 4, words * 4 + 1, 1, played);
  clock_gettime(CLOCK_MONOTONIC, &to);
  const struct player_counters *c = SIM_COUNTERS(engine(), player, player);
  double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
  printf("{\"error\":%u,\"references\":%" PRIu64 ",\"seconds\":%.4f}\n", played->error, c->loads + c->stores,
      seconds);
  free(played);
  free(text);
  return 0;
}

int main(int argc, char **argv) {
  struct options o = parse(argc, argv);
  uint32_t words;
  uint32_t *session = read_file(o.session, &words);
  memory = calloc(1, ARENA);
  if (!memory) return 2;
  sim_host_state(engine())->limit = ARENA;
  double best = 0;
  int reason = 0;
  for (unsigned i = 0; i < o.repeat; i++) {
    int error = sim_open(engine(), session, words);
    if (error) {
      const struct sim_directory *d = sim_refresh_header(engine());
      printf("{\"error\":%u,\"part\":%d,\"detail\":%u}\n", d->error,
          d->error_part == SIM_NONE ? -1 : (int)d->error_part, d->error_detail);
      free(session);
      free(memory);
      return 2;
    }
    if (o.play || o.explore) {
      int code = o.play ? play(o.play) : explore(o.explore, o.states);
      free(session);
      free(memory);
      return code;
    }
    if (o.holds) {
      holds(&o);
      free(session);
      free(memory);
      return 0;
    }
    sim_record_trace(engine(), (uint32_t)o.trace);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    reason = run(&o);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    if (i == 0 || seconds < best) best = seconds;
  }
  sim_hash(engine());
  const struct sim_directory *d = sim_refresh_header(engine());
  printf("{\"hash\":\"%08" PRIx32 "%08" PRIx32 "\",\"events\":%" PRIu64 ",\"time_ps\":%" PRIu64
         ",\"seq\":%" PRIu64 ",\"reason\":%d,\"wall_ms\":%.4f}\n",
      d->hash_hi, d->hash_lo, (uint64_t)d->events_hi << 32 | d->events_lo,
      (uint64_t)d->time_hi << 32 | d->time_lo, (uint64_t)d->seq_hi << 32 | d->seq_lo, reason, best * 1e3);
  free(session);
  free(memory);
  return 0;
}
