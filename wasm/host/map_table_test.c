/* Replayed tables are compared by their CRC-32 of IEEE 802.3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name)
static unsigned char __heap_base;
static int grown(uint32_t bytes) { return bytes > 0; }

#include "host/map_table.c"

#include <cmocka.h>

/* The definition, bit by bit. */
static uint32_t plain_crc(const uint8_t *bytes, uint32_t n) {
  uint32_t crc = UINT32_MAX;
  for (uint32_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

static void the_sum_is_the_crc_32_of_ieee_802_3(void **state) {
  (void)state;
  maps_make_crc_table();
  assert_int_equal(maps_crc((const uint8_t *)"123456789", 9), 0xcbf43926u); /* the standard check value */
  assert_int_equal(maps_crc(NULL, 0), 0);
  uint8_t bytes[64];
  for (uint32_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 37 + 11);
  for (uint32_t n = 1; n <= sizeof bytes; n++) assert_int_equal(maps_crc(bytes, n), plain_crc(bytes, n));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_sum_is_the_crc_32_of_ieee_802_3)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
