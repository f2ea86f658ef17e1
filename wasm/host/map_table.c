/*
 * The allocator of I/O page table entries without an engine, for replaying traces. An instance holds either
 * an engine or a table. The host requests room, writes a set-up and then batches of operations, and reads the
 * results at the addresses of a small header.
 */
#include "os/mapping/iommu_map/batch.c"

static struct maps_directory maps_places;
static struct map_table maps_table;
static uint32_t maps_crc_table[8][256];

/* CRC-32 (IEEE), eight bytes at a time. */
static void maps_make_crc_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    maps_crc_table[0][i] = crc;
  }
  for (uint32_t i = 0; i < 256; i++)
    for (int k = 1; k < 8; k++)
      maps_crc_table[k][i] =
          maps_crc_table[k - 1][i] >> 8 ^ maps_crc_table[0][maps_crc_table[k - 1][i] & 255];
}

static uint32_t maps_crc(const uint8_t *bytes, uint32_t n) {
  uint32_t crc = UINT32_MAX;
  for (; n >= 8; bytes += 8, n -= 8) {
    uint64_t eight;
    __builtin_memcpy(&eight, bytes, 8);
    eight ^= crc;
    crc = 0;
    for (int k = 0; k < 8; k++) crc ^= maps_crc_table[7 - k][eight >> 8 * k & 255];
  }
  while (n--) crc = crc >> 8 ^ maps_crc_table[0][(crc ^ *bytes++) & 255];
  return ~crc;
}

static uint32_t maps_place(uint32_t *at, uint32_t bytes) {
  uint32_t here = *at;
  *at += (bytes + 63u) & ~63u;
  return here;
}

/* Allocates room for a table and `ops` operations at a time. Returns the address of the header, or 0 without
   memory. */
EXPORT(maps_room) uint32_t wasm_maps_room(uint32_t entries, uint32_t ops) {
  uint64_t bytes =
      (uint64_t)entries * 5 + (uint64_t)ops * (sizeof(struct map_op) + sizeof(struct map_outcome)) + 65536;
  uint32_t at = ((uint32_t)(uintptr_t)&__heap_base + 63u) & ~63u;
  if (bytes > 1u << 30 || !grown(at + (uint32_t)bytes)) return 0;
  maps_places = (struct maps_directory){
      .setup_at = maps_place(&at, sizeof(struct map_setup)),
      .head_at = maps_place(&at, sizeof(struct map_head)),
      .pools_at = maps_place(&at, MAP_ROWS * sizeof(struct map_pool)),
      .bits_at = maps_place(&at, map_words(entries) * 8),
      .freed_at = maps_place(&at, entries * 4),
      .bounds_at = maps_place(&at, (entries / 512 + 1) * MAP_ORDERS * 2),
      .ops_at = maps_place(&at, ops * sizeof(struct map_op)),
      .outcomes_at = maps_place(&at, ops * sizeof(struct map_outcome)),
  };
  return (uint32_t)(uintptr_t)&maps_places;
}

/*
 * Sets up the table from the data at setup_at; returns enum map_problem. Quick mode skips blocks. Otherwise
 * every search reads and counts all its words, and the time of each free is recorded.
 */
EXPORT(maps_open) uint32_t wasm_maps_open(uint32_t quick) {
  const struct maps_directory *d = &maps_places;
  uint8_t *from = (uint8_t *)(uintptr_t)d->head_at;
  __builtin_memset(from, 0, d->ops_at - d->head_at);
  maps_table = (struct map_table){.head = (void *)from,
      .pools = (void *)(uintptr_t)d->pools_at,
      .bits = (void *)(uintptr_t)d->bits_at,
      .freed = quick ? NULL : (void *)(uintptr_t)d->freed_at,
      .bounds = quick ? (void *)(uintptr_t)d->bounds_at : NULL};
  if (!maps_crc_table[0][1]) maps_make_crc_table();
  return map_setup(&maps_table, (const void *)(uintptr_t)d->setup_at);
}

EXPORT(maps_run) void wasm_maps_run(uint32_t ops) {
  map_batch(&maps_table, (const void *)(uintptr_t)maps_places.ops_at,
      (void *)(uintptr_t)maps_places.outcomes_at, ops);
}

/* Updates population and CRC-32 of the bitmap in the header. */
EXPORT(maps_sum) void wasm_maps_sum(void) {
  uint32_t entries = maps_table.head->entries;
  maps_places.population = 0;
  for (uint32_t i = 0; i < map_words(entries); i++)
    maps_places.population += (uint32_t)__builtin_popcountll(maps_table.bits[i]);
  maps_places.crc = maps_crc((const uint8_t *)maps_table.bits, (entries + 7) / 8);
}
