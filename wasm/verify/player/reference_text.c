/* The text of a recorded trace. One pass over the bytes: no line is copied. */
#include "core/engine.h"
#include "include/reference_trace.h"

#define TEXT_BYTES 4096u /* at most in one reference */
#define TEXT_CPUS 8u

/* The reference of a line, as far as it was read: `at` is the position, or the error. */
struct text_line {
  const uint8_t *at;
  uint64_t addr;
  uint32_t bytes;
  uint32_t cpu;
  uint32_t error;
};

static inline const uint8_t *text_skip_blanks(const uint8_t *p) {
  while (*p == ' ' || *p == '\t') p++;
  return p;
}

static inline int text_at_end(uint8_t c) { return c == '\n' || c == '\r' || c == 0; }

/* Value of a hexadecimal digit, or 16 and more. */
static inline uint32_t text_digit(uint8_t c) {
  uint32_t digit = c - (uint32_t)'0', letter = (c | 32u) - (uint32_t)'a';
  return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

static inline uint32_t text_number(const uint8_t **at) {
  uint32_t value = 0;
  for (; **at >= '0' && **at <= '9' && value < 100000; (*at)++) value = value * 10 + (**at - (uint32_t)'0');
  return value;
}

static inline void text_address(struct text_line *line) {
  const uint8_t *p = text_skip_blanks(line->at), *from;
  if (*p == '0' && (p[1] | 32) == 'x') p += 2;
  uint64_t addr = 0;
  uint32_t digit;
  for (from = p; (digit = text_digit(*p)) < 16 && p < from + 16; p++) addr = addr << 4 | digit;
  line->addr = addr;
  line->at = p;
  if (p == from || digit < 16) line->error = REFERENCE_ADDRESS;
}

static inline void text_bytes(struct text_line *line) {
  const uint8_t *p = line->at;
  if (*p != ',') {
    line->error = REFERENCE_BYTES;
    return;
  }
  line->at = ++p;
  line->bytes = text_number(&line->at);
  if (line->bytes == 0 || line->bytes > TEXT_BYTES) line->error = REFERENCE_BYTES, line->at = p;
}

/* The processor, if a further column gives one. */
static inline void text_cpu(struct text_line *line, uint32_t cpus) {
  const uint8_t *p = text_skip_blanks(line->at), *from = p;
  line->cpu = 0;
  if (!text_at_end(*p)) {
    line->cpu = text_number(&p);
    if (!text_at_end(*text_skip_blanks(p))) line->error = REFERENCE_CPU;
  }
  if (!line->error && (line->cpu >= TEXT_CPUS || !(cpus >> line->cpu & 1))) line->error = REFERENCE_CPUS;
  line->at = from;
}

/* Tags hold fewer bits than an address can have: blocks of 4 GiB are numbered in order of appearance. */
static SIM_COLD uint32_t text_new_block(struct sim_played *r, uint32_t high, uint32_t limit) {
  for (uint32_t i = 0; i < r->blocks; i++)
    if (r->block[i] == high) return i;
  if (r->blocks == limit) return limit;
  r->block[r->blocks] = high;
  return r->blocks++;
}

struct reference_reader {
  sim *m;
  /* bits of processors, bytes of a line, most blocks */
  uint32_t self;
  uint32_t cpus;
  uint32_t line;
  uint32_t limit;
  uint64_t high; /* the block of the last reference */
  uint32_t block;
  uint64_t loads;
  uint64_t stores;
  uint64_t instructions;
};

static inline int text_play(
    struct reference_reader *t, struct sim_played *r, struct text_line *line, uint32_t kind) {
  if (kind == 2) {
    t->instructions++;
    return 1;
  }
  uint32_t high = (uint32_t)(line->addr >> 32);
  if (high != t->high) {
    t->high = high;
    t->block = text_new_block(r, high, t->limit);
  }
  if (t->block == t->limit) {
    line->error = REFERENCE_SPREAD;
    return 0;
  }
  uint64_t addr = (uint64_t)t->block << 32 | (uint32_t)line->addr, last = addr + line->bytes - 1;
  for (;;) { /* once for each cache line that it touches */
    if (kind != 1) player_access(t->m, SIM_CONTEXT(t->m, t->self, player), addr, CACHE_OP_LOAD, line->cpu);
    if (kind != 0) player_access(t->m, SIM_CONTEXT(t->m, t->self, player), addr, CACHE_OP_STORE, line->cpu);
    t->loads += kind != 1;
    t->stores += kind != 0;
    addr = (addr | (t->line - 1)) + 1;
    if (addr > last) return 1;
  }
}

/* One line, which ends with a line feed or a zero. Returns 0 on an error. */
static inline int text_read(struct reference_reader *t, struct sim_played *r, struct text_line *line) {
  const uint8_t *p = text_skip_blanks(line->at);
  uint8_t c = *p;
  uint32_t kind = c - (uint32_t)'0', lackey = c == 'I' || c == 'L' || c == 'S' || c == 'M';
  if (text_at_end(c) || c == '#' || c == '=' || c == '-' || c == '*') {
    while (*p && *p != '\n') p++;
    line->at = p;
    return 1;
  }
  line->at = p;
  if (lackey) kind = c == 'L' ? 0 : c == 'S' ? 1 : c == 'I' ? 2 : 3;
  if ((!lackey && kind > 2) || (p[1] != ' ' && p[1] != '\t')) {
    line->error = REFERENCE_KIND;
    return 0;
  }
  line->at = p + 1;
  line->bytes = 1;
  text_address(line);
  if (lackey && !line->error) text_bytes(line);
  const uint8_t *column = line->at;
  if (!line->error) text_cpu(line, t->cpus);
  if (line->error || !text_play(t, r, line, kind)) return 0;
  for (p = column; *p && *p != '\n';) p++;
  line->at = p;
  return 1;
}

static inline void text_count(uint32_t *low, uint64_t more) {
  uint64_t sum = ((uint64_t)low[1] << 32 | low[0]) + more;
  low[0] = (uint32_t)sum;
  low[1] = (uint32_t)(sum >> 32);
}

static struct reference_reader text_player_of(sim *m, uint32_t player) {
  uint32_t line = 32, first = sim_wire(m, player, PLAYER_PORT_CPU)->part;
  if (sim_part(m, first)->type == SIM_TYPE_SNOOP_CACHE)
    line = (uint32_t)SIM_PARAMS(m, first, snoop_cache)->line;
  return (struct reference_reader){.m = m,
      .self = player,
      .cpus = SIM_STATE(m, player, player)->cpus,
      .line = line,
      .limit = line - 1,
      .high = UINT64_MAX};
}

void sim_play_references(
    sim *m, uint32_t player, uint8_t *text, uint32_t bytes, uint32_t room, int last, struct sim_played *r) {
  struct reference_reader t = text_player_of(m, player);
  uint32_t whole = bytes;
  uint64_t lines = 0;
  while (!last && whole > 0 && text[whole - 1] != '\n') whole--;
  if (last) text[whole] = 0; /* the buffer has a byte to spare */
  struct text_line line = {.at = text};
  const uint8_t *end = text + whole;
  while (line.at < end) {
    const uint8_t *from = line.at;
    if (!text_read(&t, r, &line)) {
      r->error = line.error;
      r->column = (uint32_t)(line.at - from) + 1;
      r->value = line.cpu;
      break;
    }
    lines++;
    line.at++;
  }
  text_count(&r->lines_lo, lines);
  text_count(&r->instructions_lo, t.instructions);
  SIM_COUNTERS(m, player, player)->loads += t.loads;
  SIM_COUNTERS(m, player, player)->stores += t.stores;
  r->left = bytes - whole;
  if (r->left == room) r->error = REFERENCE_LONG, r->column = 1;
  __builtin_memmove(text, text + whole, r->left);
  if (last) sim_run(m, SIM_NEVER, SIM_NEVER); /* what is still on its way to memory */
}
