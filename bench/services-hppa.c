/*
 * The steps of map(), unmap() and dma_sync() as the HP Journal describes them, so that a compiler for PA-RISC says how
 * many instructions each has: the counts of the I/O services. It is compiled to be read, and never run.
 *
 *   hppa-linux-gnu-gcc -O2 -march=1.1 -fno-inline-functions -fno-pic -S bench/services-hppa.c -o -
 */
typedef unsigned int u32;

struct iovec { u32 base, length; };

struct io_pages { /* the bookkeeping of one I/O page directory; 0 in `directory`: addresses are physical */
  u32 *directory;
  volatile u32 *command; /* the adapter's register */
  u32 *ranges; /* a bit for each range, 1: free */
  u32 words, chains, chain_bits;
  volatile u32 lock[4]; /* PA-RISC: a word on 16 bytes, 1: free */
};

enum { SAFE = 1, LOCK = 2, NO_SEQ = 4, IGN_ALIGNMENT = 8, CONTIGUOUS = 32 };
enum { VALID = 1, PAGE_SAFE = 2, PAGE_LOCK = 4, PREFETCH = 0x40 };

static inline u32 lpa(u32 space, u32 address) { u32 r; (void)space; asm volatile("mtsp %1,%%sr1\n\tlpa 0(%%sr1,%2),%0" : "=r"(r) : "r"(space), "r"(address)); return r; }
static inline u32 lci(u32 address) { u32 r; asm volatile("lci 0(%%sr1,%1),%0" : "=r"(r) : "r"(address)); return r; }
static inline u32 interrupts_off(void) { u32 r; asm volatile("rsm 1,%0" : "=r"(r) : : "memory"); return r; }
static inline void interrupts_as(u32 old) { asm volatile("mtsm %0" : : "r"(old) : "memory"); }
static inline void take(volatile u32 *lock) { u32 r; do asm volatile("ldcw 0(%1),%0" : "=r"(r) : "r"(lock) : "memory"); while (__builtin_expect(r == 0, 0)); }
static inline void leave(volatile u32 *lock) { asm volatile("" : : : "memory"); *lock = 1; }

int map(struct io_pages *io, u32 hints, u32 space, struct iovec *host, struct iovec *given) {
  u32 at = host->base, left = host->length, offset = at & 4095, piece;
  if (io->directory == 0) {
    piece = 4096 - offset;
    if (piece > left) piece = left;
    given->base = lpa(space, at);
    given->length = piece;
  } else {
    u32 most = 0x8000 - offset, attributes = VALID, old, word = 0, bits, bit, range, page, pages, *entry;
    piece = left < most ? left : most;
    if (hints & SAFE || ((at | left) & 31 && !(hints & (IGN_ALIGNMENT | CONTIGUOUS)))) attributes |= PAGE_SAFE;
    if (hints & LOCK) attributes |= PAGE_LOCK;
    if (!(hints & NO_SEQ)) attributes |= PREFETCH;
    old = interrupts_off();
    take(io->lock);
    while ((bits = io->ranges[word]) == 0)
      if (++word == io->words) {
        leave(io->lock);
        interrupts_as(old);
        return -1;
      }
    for (bit = 0; (int)bits >= 0; bit++) bits <<= 1; /* the first free one */
    io->ranges[word] &= ~(0x80000000u >> bit);
    leave(io->lock);
    interrupts_as(old);
    range = word * 32 + bit;
    page = (range & (io->chains - 1)) << io->chain_bits | (range >> 8) << 3;
    pages = (offset + piece + 4095) >> 12;
    entry = io->directory + page * 2;
    given->base = page << 12 | offset;
    given->length = piece;
    for (at -= offset; pages > 0; pages--, at += 4096, entry += 2) {
      u32 physical = lpa(space, at), index = lci(at);
      entry[0] = (index >> 12 & 0xfff) << 16;
      entry[1] = (physical & ~4095u) | attributes;
    }
  }
  host->base += piece;
  host->length = left - piece;
  return (int)(left - piece);
}

void unmap(struct io_pages *io, struct iovec *given) {
  u32 offset, first, pages, old, range, *entry;
  if (io->directory == 0) return;
  offset = given->base & 4095;
  first = given->base >> 12;
  entry = io->directory + first * 2;
  for (pages = (offset + given->length + 4095) >> 12; pages > 0; pages--, entry += 2) entry[1] = 0;
  *io->command = (given->base & ~4095u) | 35;
  range = (first >> io->chain_bits & (io->chains - 1)) | (first >> 3 & ((1u << (io->chain_bits - 3)) - 1)) << 8;
  old = interrupts_off();
  take(io->lock);
  io->ranges[range >> 5] |= 0x80000000u >> (range & 31);
  leave(io->lock);
  interrupts_as(old);
}

/* As drivers call it: the control structure of the card says which directory is meant. */
struct card { struct io_pages *io; };
int wsio_map(struct card *card, void *cb, u32 hints, u32 space, struct iovec *host, struct iovec *given) { (void)cb; return map(card->io, hints, space, host, given); }
void wsio_unmap(struct card *card, struct iovec *given) { unmap(card->io, given); }

extern int coherent;
void dma_sync(u32 space, u32 address, u32 length, u32 how) {
  u32 line, end;
  if (coherent) return;
  asm volatile("mtsp %0,%%sr1" : : "r"(space));
  end = address + length;
  line = address & ~31u;
  if (how == 1) for (; line < end; line += 32) asm volatile("fdc %%r0(%%sr1,%0)" : : "r"(line) : "memory");
  else for (; line < end; line += 32) asm volatile("pdc %%r0(%%sr1,%0)" : : "r"(line) : "memory");
  asm volatile("sync" : : : "memory");
}
