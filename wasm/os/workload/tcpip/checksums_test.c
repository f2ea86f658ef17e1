/* Known results of the codes, for pieces of any size. */
#include "test/testing.h"

static struct code_sum sum_of(uint32_t code, const char *text, uint32_t piece) {
  struct code_sum s = {0};
  uint32_t n = (uint32_t)strlen(text);
  for (uint32_t i = 0; i < n || i == 0; i += piece)
    code_piece(&s, code, (const uint8_t *)text + i, n - i < piece ? n - i : piece, i + piece >= n);
  return s;
}

#define LONG_TEXT "12345678901234567890123456789012345678901234567890123456789012345678901234567890"

TEST(the_crc_of_nine_digits) { assert_int_equal(sum_of(CODE_CRC, "123456789", 64).w[0], 0xcbf43926); }

/* RFC 1321, A.5: words are stored low byte first. */
TEST(md5_of_the_rfc) {
  struct code_sum empty = sum_of(CODE_MD5, "", 64), abc = sum_of(CODE_MD5, "abc", 64),
                  pieces = sum_of(CODE_MD5, LONG_TEXT, 64);
  assert_int_equal(empty.w[0], 0xd98c1dd4), assert_int_equal(empty.w[3], 0x7e42f8ec);
  assert_int_equal(abc.w[0], 0x98500190), assert_int_equal(abc.w[1], 0xb04fd23c),
      assert_int_equal(abc.w[2], 0x7d3f96d6), assert_int_equal(abc.w[3], 0x727fe128);
  assert_int_equal(pieces.w[0], 0xa2f4ed57), assert_int_equal(pieces.w[3], 0x7ab60721);
  struct code_sum letters =
      sum_of(CODE_MD5, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 64);
  assert_int_equal(letters.w[0], 0x98ab74d1), assert_int_equal(letters.w[3], 0x9f9d419f);
}

/* Three blocks, the last padded with zeros, as OpenSSL decrypts them. Each is added to 31 times the previous
 * sum, in 64 bits. */
TEST(des_over_blocks) {
  const uint64_t plain[3] = {0x83346ad6242787fdull, 0xb04f76e7fbe633f2ull, 0x2a30657808e1c430ull};
  uint64_t sum = (plain[0] * 31 + plain[1]) * 31 + plain[2];
  for (uint32_t piece = 8; piece <= 32; piece *= 2) {
    struct code_sum s = sum_of(CODE_DES, "12345678901234567890", piece);
    EXPECT_VALUES({s.w[0], (uint32_t)sum}, {s.w[1], (uint32_t)(sum >> 32)});
  }
}
