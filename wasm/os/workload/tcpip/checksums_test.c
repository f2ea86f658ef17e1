/* Known answers of the codes, in pieces of any size. */
#include "test/testing.h"

static struct code_sum sum_of(uint32_t code, const char *text, uint32_t piece) {
  struct code_sum s = {0};
  uint32_t n = (uint32_t)strlen(text);
  for (uint32_t i = 0; i < n || i == 0; i += piece) code_piece(&s, code, (const uint8_t *)text + i, n - i < piece ? n - i : piece, i + piece >= n);
  return s;
}

#define LONG_TEXT "12345678901234567890123456789012345678901234567890123456789012345678901234567890"

static void the_crc_of_nine_digits(void **state) {
  (void)state;
  assert_int_equal(sum_of(CODE_CRC, "123456789", 64).w[0], 0xcbf43926);
}

/* RFC 1321, A.5: words are stored low byte first. */
static void md5_of_the_rfc(void **state) {
  (void)state;
  struct code_sum empty = sum_of(CODE_MD5, "", 64), abc = sum_of(CODE_MD5, "abc", 64), pieces = sum_of(CODE_MD5, LONG_TEXT, 64);
  assert_int_equal(empty.w[0], 0xd98c1dd4), assert_int_equal(empty.w[3], 0x7e42f8ec);
  assert_int_equal(abc.w[0], 0x98500190), assert_int_equal(abc.w[1], 0xb04fd23c), assert_int_equal(abc.w[2], 0x7d3f96d6), assert_int_equal(abc.w[3], 0x727fe128);
  assert_int_equal(pieces.w[0], 0xa2f4ed57), assert_int_equal(pieces.w[3], 0x7ab60721);
  struct code_sum letters = sum_of(CODE_MD5, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 64);
  assert_int_equal(letters.w[0], 0x98ab74d1), assert_int_equal(letters.w[3], 0x9f9d419f);
}

/* Up to 55 bytes of the last block leave room for the length; with 56 it takes another block. From Python's hashlib. */
static void md5_at_the_end_of_a_block(void **state) {
  (void)state;
  const char *text = "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefg";
  char most[57];
  memcpy(most, text, 55), most[55] = 0;
  struct code_sum a = sum_of(CODE_MD5, most, 64), b = sum_of(CODE_MD5, text, 64);
  const uint32_t first[4] = {0x8c69b1b6, 0xc702b90f, 0x5bf1f386, 0x7a466bee}, second[4] = {0x796b58ce, 0x1427e71c, 0xdbc4a080, 0x5a1e615e};
  assert_memory_equal(a.w, first, sizeof first);
  assert_memory_equal(b.w, second, sizeof second);
  struct code_sum c = sum_of(CODE_MD5, "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmn", 64);
  const uint32_t third[4] = {0xa62e718d, 0x6d42b73d, 0xa557d09d, 0x46d48c21}; /* 63 bytes are no block yet */
  assert_memory_equal(c.w, third, sizeof third);
}

static uint64_t one_block(uint64_t block, uint64_t key, int decrypt) {
  uint64_t keys[16];
  des_keys(keys, key);
  return des(block, keys, decrypt);
}

static void des_of_the_textbook(void **state) {
  (void)state;
  assert_true(one_block(0x0123456789abcdefull, DES_KEY, 0) == 0x85e813540f0ab405ull);
  assert_true(one_block(0x85e813540f0ab405ull, DES_KEY, 1) == 0x0123456789abcdefull);
  assert_true(one_block(0x8787878787878787ull, 0x0e329232ea6d0d73ull, 0) == 0);
}

/* Three blocks, the last filled up with zeros, as OpenSSL decrypts them; each is added to 31 times the sum before, in 64 bits. */
static void des_over_blocks(void **state) {
  (void)state;
  const uint64_t plain[3] = {0x83346ad6242787fdull, 0xb04f76e7fbe633f2ull, 0x2a30657808e1c430ull};
  uint64_t sum = (plain[0] * 31 + plain[1]) * 31 + plain[2];
  for (uint32_t piece = 8; piece <= 32; piece *= 2) {
    struct code_sum s = sum_of(CODE_DES, "12345678901234567890", piece);
    assert_int_equal(s.w[0], (uint32_t)sum);
    assert_int_equal(s.w[1], (uint32_t)(sum >> 32));
  }
}

/* 10110000 is 10, 110, 0, 0, 0; 11111110 is 11111, 110: seven symbols, with the second byte's. */
static void huffman_by_hand(void **state) {
  (void)state;
  struct code_sum s = {0};
  const uint8_t bytes[2] = {0xb0, 0xfe};
  code_piece(&s, CODE_HUFFMAN, bytes, 1, 0);
  assert_int_equal(s.w[0], 5);
  code_piece(&s, CODE_HUFFMAN, bytes + 1, 1, 1);
  assert_int_equal(s.w[0], 7);
  uint32_t folded = 0;
  const uint32_t symbols[7] = {1, 2, 0, 0, 0, 5, 2};
  for (int i = 0; i < 7; i++) folded = folded * 31 + symbols[i];
  assert_int_equal(s.w[1], folded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_crc_of_nine_digits),
      cmocka_unit_test(md5_of_the_rfc),
      cmocka_unit_test(md5_at_the_end_of_a_block),
      cmocka_unit_test(des_of_the_textbook),
      cmocka_unit_test(des_over_blocks),
      cmocka_unit_test(huffman_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
