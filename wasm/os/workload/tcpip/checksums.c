/*
 * The computations of applications over a packet's payload, piece by piece: CRC-32 (IEEE 802.3), MD5 (RFC
 * 1321), DES decryption (FIPS 46) of eight bytes at a time, and decoding of a Huffman code. Pieces are
 * multiples of 64 bytes, except the last.
 */
#include <stdint.h>

enum code { CODE_CRC = 1, CODE_MD5, CODE_DES, CODE_HUFFMAN };

/* A computation in progress: the words of the result, and the carry from piece to piece. */
struct code_sum {
  uint32_t w[4];
  uint32_t carry;
  uint32_t bytes;
};

/* Tables for the low and the high four bits of a byte. */
static const uint32_t CRC_LOW[16] = {0x00000000, 0x77073096, 0xee0e612c, 0x990951ba, 0x076dc419, 0x706af48f,
    0xe963a535, 0x9e6495a3, 0x0edb8832, 0x79dcb8a4, 0xe0d5e91e, 0x97d2d988, 0x09b64c2b, 0x7eb17cbd,
    0xe7b82d07, 0x90bf1d91};
static const uint32_t CRC_HIGH[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
    0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4,
    0xa00ae278, 0xbdbdf21c};

static void crc_piece(struct code_sum *s, const uint8_t *p, uint32_t n) {
  uint32_t crc = ~s->w[0];
  for (uint32_t i = 0; i < n; i++) {
    crc ^= p[i];
    crc = crc >> 8 ^ CRC_LOW[crc & 15] ^ CRC_HIGH[crc >> 4 & 15];
  }
  s->w[0] = ~crc;
}

static const uint32_t MD5_SINES[64] = {0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
    0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
    0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453,
    0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
    0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9,
    0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5,
    0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
    0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235,
    0x2ad7d2bb, 0xeb86d391};
static const uint8_t MD5_TURNS[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

static void md5_block(uint32_t *w, const uint8_t *p) {
  uint32_t x[16], a = w[0], b = w[1], c = w[2], d = w[3];
  for (uint32_t i = 0; i < 16; i++)
    x[i] = (uint32_t)p[4 * i] | (uint32_t)p[4 * i + 1] << 8 | (uint32_t)p[4 * i + 2] << 16
           | (uint32_t)p[4 * i + 3] << 24;
  for (uint32_t i = 0; i < 64; i++) {
    uint32_t round = i / 16, f, g;
    if (round == 0) f = (b & c) | (~b & d), g = i;
    else if (round == 1) f = (d & b) | (~d & c), g = (5 * i + 1) % 16;
    else if (round == 2) f = b ^ c ^ d, g = (3 * i + 5) % 16;
    else f = c ^ (b | ~d), g = 7 * i % 16;
    uint32_t turn = MD5_TURNS[round * 4 + i % 4], sum = a + f + MD5_SINES[i] + x[g];
    a = d, d = c, c = b;
    b += sum << turn | sum >> (32 - turn);
  }
  w[0] += a, w[1] += b, w[2] += c, w[3] += d;
}

static void md5_piece(struct code_sum *s, const uint8_t *p, uint32_t n, int last) {
  static const uint32_t begin[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  if (s->bytes == 0)
    for (int i = 0; i < 4; i++) s->w[i] = begin[i];
  uint32_t whole = n / 64 * 64, rest = n - whole;
  for (uint32_t i = 0; i < whole; i += 64) md5_block(s->w, p + i);
  if (!last) return;
  uint8_t end[128] = {0};
  uint32_t size = rest < 56 ? 64 : 128;
  uint64_t bits = ((uint64_t)s->bytes + n) * 8;
  for (uint32_t i = 0; i < rest; i++) end[i] = p[whole + i];
  end[rest] = 0x80;
  for (uint32_t i = 0; i < 8; i++) end[size - 8 + i] = (uint8_t)(bits >> 8 * i);
  for (uint32_t i = 0; i < size; i += 64) md5_block(s->w, end + i);
}

/* The tables in the rows in which the standard prints them. */
// clang-format off
static const uint8_t DES_IP[64] = {
  58, 50, 42, 34, 26, 18, 10,  2,
  60, 52, 44, 36, 28, 20, 12,  4,
  62, 54, 46, 38, 30, 22, 14,  6,
  64, 56, 48, 40, 32, 24, 16,  8,
  57, 49, 41, 33, 25, 17,  9,  1,
  59, 51, 43, 35, 27, 19, 11,  3,
  61, 53, 45, 37, 29, 21, 13,  5,
  63, 55, 47, 39, 31, 23, 15,  7,
};
static const uint8_t DES_P[32] = {
  16,  7, 20, 21, 29, 12, 28, 17,
   1, 15, 23, 26,  5, 18, 31, 10,
   2,  8, 24, 14, 32, 27,  3,  9,
  19, 13, 30,  6, 22, 11,  4, 25,
};
static const uint8_t DES_PC1[56] = {
  57, 49, 41, 33, 25, 17,  9,
   1, 58, 50, 42, 34, 26, 18,
  10,  2, 59, 51, 43, 35, 27,
  19, 11,  3, 60, 52, 44, 36,
  63, 55, 47, 39, 31, 23, 15,
   7, 62, 54, 46, 38, 30, 22,
  14,  6, 61, 53, 45, 37, 29,
  21, 13,  5, 28, 20, 12,  4,
};
static const uint8_t DES_PC2[48] = {
  14, 17, 11, 24,  1,  5,
   3, 28, 15,  6, 21, 10,
  23, 19, 12,  4, 26,  8,
  16,  7, 27, 20, 13,  2,
  41, 52, 31, 37, 47, 55,
  30, 40, 51, 45, 33, 48,
  44, 49, 39, 56, 34, 53,
  46, 42, 50, 36, 29, 32,
};
static const uint8_t DES_SHIFTS[16] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};
static const uint8_t DES_S[8][64] = {
  {
    14,  4, 13,  1,  2, 15, 11,  8,  3, 10,  6, 12,  5,  9,  0,  7,
     0, 15,  7,  4, 14,  2, 13,  1, 10,  6, 12, 11,  9,  5,  3,  8,
     4,  1, 14,  8, 13,  6,  2, 11, 15, 12,  9,  7,  3, 10,  5,  0,
    15, 12,  8,  2,  4,  9,  1,  7,  5, 11,  3, 14, 10,  0,  6, 13,
  },
  {
    15,  1,  8, 14,  6, 11,  3,  4,  9,  7,  2, 13, 12,  0,  5, 10,
     3, 13,  4,  7, 15,  2,  8, 14, 12,  0,  1, 10,  6,  9, 11,  5,
     0, 14,  7, 11, 10,  4, 13,  1,  5,  8, 12,  6,  9,  3,  2, 15,
    13,  8, 10,  1,  3, 15,  4,  2, 11,  6,  7, 12,  0,  5, 14,  9,
  },
  {
    10,  0,  9, 14,  6,  3, 15,  5,  1, 13, 12,  7, 11,  4,  2,  8,
    13,  7,  0,  9,  3,  4,  6, 10,  2,  8,  5, 14, 12, 11, 15,  1,
    13,  6,  4,  9,  8, 15,  3,  0, 11,  1,  2, 12,  5, 10, 14,  7,
     1, 10, 13,  0,  6,  9,  8,  7,  4, 15, 14,  3, 11,  5,  2, 12,
  },
  {
     7, 13, 14,  3,  0,  6,  9, 10,  1,  2,  8,  5, 11, 12,  4, 15,
    13,  8, 11,  5,  6, 15,  0,  3,  4,  7,  2, 12,  1, 10, 14,  9,
    10,  6,  9,  0, 12, 11,  7, 13, 15,  1,  3, 14,  5,  2,  8,  4,
     3, 15,  0,  6, 10,  1, 13,  8,  9,  4,  5, 11, 12,  7,  2, 14,
  },
  {
     2, 12,  4,  1,  7, 10, 11,  6,  8,  5,  3, 15, 13,  0, 14,  9,
    14, 11,  2, 12,  4,  7, 13,  1,  5,  0, 15, 10,  3,  9,  8,  6,
     4,  2,  1, 11, 10, 13,  7,  8, 15,  9, 12,  5,  6,  3,  0, 14,
    11,  8, 12,  7,  1, 14,  2, 13,  6, 15,  0,  9, 10,  4,  5,  3,
  },
  {
    12,  1, 10, 15,  9,  2,  6,  8,  0, 13,  3,  4, 14,  7,  5, 11,
    10, 15,  4,  2,  7, 12,  9,  5,  6,  1, 13, 14,  0, 11,  3,  8,
     9, 14, 15,  5,  2,  8, 12,  3,  7,  0,  4, 10,  1, 13, 11,  6,
     4,  3,  2, 12,  9,  5, 15, 10, 11, 14,  1,  7,  6,  0,  8, 13,
  },
  {
     4, 11,  2, 14, 15,  0,  8, 13,  3, 12,  9,  7,  5, 10,  6,  1,
    13,  0, 11,  7,  4,  9,  1, 10, 14,  3,  5, 12,  2, 15,  8,  6,
     1,  4, 11, 13, 12,  3,  7, 14, 10, 15,  6,  8,  0,  5,  9,  2,
     6, 11, 13,  8,  1,  4, 10,  7,  9,  5,  0, 15, 14,  2,  3, 12,
  },
  {
    13,  2,  8,  4,  6, 15, 11,  1, 10,  9,  3, 14,  5,  0, 12,  7,
     1, 15, 13,  8, 10,  3,  7,  4, 12,  5,  6, 11,  0, 14,  9,  2,
     7, 11,  4,  1,  9, 12, 14,  2,  0,  6, 10, 13, 15,  3,  5,  8,
     2,  1, 14,  7,  4, 10,  8, 13, 15, 12,  9,  0,  3,  5,  6, 11,
  },
};
// clang-format on

/* Bits of a word of `width`, counted from its left end as the standard does. */
static uint64_t des_permute(uint64_t in, uint32_t width, const uint8_t *table, uint32_t n) {
  uint64_t out = 0;
  for (uint32_t i = 0; i < n; i++) out = out << 1 | (in >> (width - table[i]) & 1);
  return out;
}

static uint32_t des_round(uint32_t half, uint64_t key) {
  uint32_t out = 0;
  for (uint32_t box = 0; box < 8; box++) {
    uint32_t at = 4 * box, six = 0; /* each box sees four bits and a neighbour on either side */
    for (uint32_t i = 0; i < 6; i++) six = six << 1 | (half >> ((32 - at - i) & 31) & 1);
    six ^= (uint32_t)(key >> (42 - 6 * box) & 63);
    out = out << 4 | DES_S[box][((six >> 4 & 2) | (six & 1)) * 16 + (six >> 1 & 15)];
  }
  return (uint32_t)des_permute(out, 32, DES_P, 32);
}

/* The keys of the sixteen rounds. */
static void des_keys(uint64_t *keys, uint64_t key) {
  uint64_t halves = des_permute(key, 64, DES_PC1, 56);
  uint32_t c = (uint32_t)(halves >> 28), d = (uint32_t)halves & 0xfffffff;
  for (uint32_t i = 0; i < 16; i++) {
    c = (c << DES_SHIFTS[i] | c >> (28 - DES_SHIFTS[i])) & 0xfffffff;
    d = (d << DES_SHIFTS[i] | d >> (28 - DES_SHIFTS[i])) & 0xfffffff;
    keys[i] = des_permute((uint64_t)c << 28 | d, 56, DES_PC2, 48);
  }
}

static uint64_t des(uint64_t block, const uint64_t *keys, int decrypt) {
  uint64_t in = des_permute(block, 64, DES_IP, 64), out = 0;
  uint32_t left = (uint32_t)(in >> 32), right = (uint32_t)in;
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t next = left ^ des_round(right, keys[decrypt ? 15 - i : i]);
    left = right, right = next;
  }
  uint64_t swapped = (uint64_t)right << 32 | left;
  for (uint32_t i = 0; i < 64; i++)
    out |= (swapped >> (63 - i) & 1) << (64 - DES_IP[i]); /* the first permutation, undone */
  return out;
}

#define DES_KEY 0x133457799bbcdff1ull

/* The plaintext blocks, folded into two words. */
static void des_piece(struct code_sum *s, const uint8_t *p, uint32_t n) {
  uint64_t keys[16];
  des_keys(keys, DES_KEY);
  for (uint32_t i = 0; i < n; i += 8) {
    uint64_t block = 0;
    for (uint32_t k = 0; k < 8; k++) block = block << 8 | (i + k < n ? p[i + k] : 0);
    uint64_t sum = ((uint64_t)s->w[1] << 32 | s->w[0]) * 31 + des(block, keys, 1);
    s->w[0] = (uint32_t)sum, s->w[1] = (uint32_t)(sum >> 32);
  }
}

/*
 * A complete code of six symbols: 0, 10, 110, 1110, 11110, 11111. Decoded symbols are counted, and folded
 * into a word.
 */
static void huffman_piece(struct code_sum *s, const uint8_t *p, uint32_t n) {
  for (uint32_t i = 0; i < n * 8; i++) {
    uint32_t bit = p[i / 8] >> (7 - i % 8) & 1;
    s->carry += bit;
    if (bit && s->carry < 5) continue;
    s->w[0]++;
    s->w[1] = s->w[1] * 31 + s->carry;
    s->carry = 0;
  }
}

static void code_piece(struct code_sum *s, uint32_t code, const uint8_t *p, uint32_t n, int last) {
  switch (code) {
    case CODE_CRC: crc_piece(s, p, n); break;
    case CODE_MD5: md5_piece(s, p, n, last); break;
    case CODE_DES: des_piece(s, p, n); break;
    case CODE_HUFFMAN: huffman_piece(s, p, n); break;
  }
  s->bytes += n;
}
