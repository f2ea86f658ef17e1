/* Allocators of I/O addresses, and the format of a page directory entry. */
#include "os/mapping/io_services/io_services.h"

static void service_exhausted(sim *m, struct io_services *services, mapping *map);
static void service_placed(sim *m, struct io_services *services, const service_call *call, mapping *map);

/* The I/O address of a range. Ranges in order visit all chains before returning to one, as in HP-UX. */
static uint64_t range_addr(sim *m, struct io_services *services, uint32_t range) {
  const struct io_services_now *now = sim_at(m, services->state->now_at);
  if (services->params->allocator == IO_SERVICES_ALLOCATOR_CCIO)
    return (uint64_t)range * range_pages(services) * SERVICE_PAGE;
  return (uint64_t)(range % now->chains) << services->params->chain_shift
         | (uint64_t)(range / now->chains) * range_pages(services) * SERVICE_PAGE;
}

/* The range that contains an I/O address. */
static uint32_t service_range_of(sim *m, struct io_services *services, uint64_t addr) {
  const struct io_services_now *now = sim_at(m, services->state->now_at);
  uint64_t bytes = range_pages(services) * SERVICE_PAGE;
  if (services->params->allocator == IO_SERVICES_ALLOCATOR_CCIO) return (uint32_t)(addr / bytes);
  return (uint32_t)((addr >> services->params->chain_shift)
                    + now->chains * ((addr & ((1ull << services->params->chain_shift) - 1)) / bytes));
}

/* Cost in instructions of the bitmap words and bits that a search skipped. */
static void service_range_offset(sim *m, struct io_services *services, uint32_t words, uint32_t bits) {
  struct io_services_now *now = sim_at(m, services->state->now_at);
  now->passed += words * (uint32_t)services->params->map_word + bits * (uint32_t)services->params->map_step;
}

/* The next free range that the device can reach and that has the right alignment. */
static uint32_t find_range(
    sim *m, struct io_services *services, uint32_t from, const struct allocator_alloc *wish) {
  const struct io_services_groups *groups = sim_at(m, services->state->groups_at);
  uint32_t count = ((struct io_services_now *)sim_at(m, services->state->now_at))->groups;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t range = (from + k) % count;
    uint64_t page = range_addr(m, services, range) / SERVICE_PAGE;
    if (groups[range].used != 0 || page + range_pages(services) - 1 > wish->last
        || page & ((1ull << wish->align) - 1))
      continue;
    service_range_offset(m, services, k / 32, k % 32);
    return range;
  }
  service_range_offset(m, services, count / 32, 0);
  return UINT32_MAX;
}

/* Counts an allocated range, and whether its streams share a TLB row with another's. */
static void range_taken(sim *m, struct io_services *services, uint32_t range) {
  const struct io_services_groups *groups = sim_at(m, services->state->groups_at);
  uint64_t shift = services->params->chain_shift, chain = range_addr(m, services, range) >> shift;
  uint32_t count = ((struct io_services_now *)sim_at(m, services->state->now_at))->groups, shares = 0;
  for (uint32_t i = 0; i < count && !shares; i++)
    shares = i != range && groups[i].used && range_addr(m, services, i) >> shift == chain;
  services->counters->ranges++;
  services->counters->shared += shares;
  if (!services->counters->shared)
    services->counters->alone = sim_max(services->counters->alone, services->counters->ranges);
}

/* Allocates from ranges reserved for network drivers; reserves another range when all are in use. */
static uint32_t allocate_page(
    sim *m, struct io_services *services, mapping *map, const struct allocator_alloc *wish) {
  struct io_services_groups *groups = sim_at(m, services->state->groups_at);
  struct io_services_now *now = sim_at(m, services->state->now_at);
  for (uint32_t i = 0; i < now->groups; i++) {
    if (!(groups[i].used & RANGE_RESERVED)
        || range_addr(m, services, i) / SERVICE_PAGE + range_pages(services) - 1 > wish->last)
      continue;
    map->group = (uint32_t)__builtin_ctz(~groups[i].used);
    int full = map->group == range_pages(services);
    service_range_offset(m, services, (uint32_t)full, full ? 0 : map->group);
    if (full) continue;
    groups[i].used |= 1u << map->group;
    return i;
  }
  uint32_t range = find_range(m, services, 0, wish);
  if (range == UINT32_MAX) return range;
  groups[range].used = RANGE_RESERVED | 1;
  range_taken(m, services, range);
  map->group = 0;
  now->owned++;
  return range;
}

/* The range with a page of a chain. */
static uint32_t range_in_chain(
    const struct io_services_now *now, uint32_t chain, uint32_t page, uint32_t pages) {
  return chain + now->chains * (page / pages);
}

/* The chain of a call's device. */
static uint32_t guest_chain(sim *m, struct io_services *services, const service_call *call) {
  const struct io_services_now *now = sim_at(m, services->state->now_at);
  uint64_t guest = call->registers ? call->registers / GUEST_REGISTERS : service_index(m, services, call);
  return (uint32_t)(guest % now->chains);
}

/* Allocates the first free pages of the device's own chain, whatever its other chains have. */
static int allocate_in_chain(sim *m, struct io_services *services, mapping *map, uint32_t chain) {
  struct io_services_groups *groups = sim_at(m, services->state->groups_at);
  const struct io_services_now *now = sim_at(m, services->state->now_at);
  uint32_t pages = range_pages(services), all = now->groups / now->chains * pages, free = 0, page = 0;
  for (; page < all && free < map->pages; page++)
    free = groups[range_in_chain(now, chain, page, pages)].used >> page % pages & 1 ? 0 : free + 1;
  service_range_offset(m, services, page / 32, page % 32);
  if (free < map->pages) return 0;
  page -= map->pages;
  map->group = range_in_chain(now, chain, page, pages);
  map->addr = range_addr(m, services, map->group) + page % pages * SERVICE_PAGE;
  for (uint32_t i = page; i < page + map->pages; i++) {
    uint32_t range = range_in_chain(now, chain, i, pages);
    int first = groups[range].used == 0;
    groups[range].used |= 1u << i % pages;
    if (first) range_taken(m, services, range);
  }
  return 1;
}

/* Allocates an I/O address for the requested pages, at most a range: from range `first - 1` on, or by the
 * allocator's own rule if `first` is 0. Returns 0 if there is none. */
static int allocate(
    sim *m, struct io_services *services, mapping *map, const struct allocator_alloc *wish, uint32_t first) {
  struct io_services_now *now = sim_at(m, services->state->now_at);
  struct io_services_groups *groups = sim_at(m, services->state->groups_at);
  uint64_t allocator = services->params->allocator;
  uint32_t range;
  if (map->sequential && wish->pages == 1 && wish->align == 0) {
    range = allocate_page(m, services, map, wish);
    if (range == UINT32_MAX) return 0;
    map->addr = range_addr(m, services, range) + map->group * SERVICE_PAGE;
    map->group = range;
    return 1;
  }
  int next_fit = allocator == IO_SERVICES_ALLOCATOR_HPUX_NEXT || allocator == IO_SERVICES_ALLOCATOR_CCIO;
  range = find_range(m, services, first ? first - 1 : next_fit ? now->hint : 0, wish);
  if (range == UINT32_MAX) return 0;
  if (!first) now->hint = (range + 1) % now->groups;
  groups[range].used = (1u << wish->pages) - 1;
  range_taken(m, services, range);
  map->addr = range_addr(m, services, range);
  map->group = range;
  return 1;
}

static void release(sim *m, struct io_services *services, const mapping *map) {
  struct io_services_groups *group =
      (struct io_services_groups *)sim_at(m, services->state->groups_at) + map->group;
  if (group->used & RANGE_RESERVED) {
    group->used &= ~(1u << (map->addr / SERVICE_PAGE % range_pages(services)));
    return;
  }
  for (uint32_t page = 0; page < map->pages; page++) { /* a device's own chain can give parts of two ranges */
    uint64_t addr = map->addr + page * SERVICE_PAGE;
    struct io_services_groups *one = (struct io_services_groups *)sim_at(m, services->state->groups_at)
                                     + service_range_of(m, services, addr);
    uint32_t had = one->used;
    one->used &= ~(1u << addr / SERVICE_PAGE % range_pages(services));
    services->counters->ranges -= had && !one->used;
  }
}

/* The pages after those of the previous call of a loop, if its range still has free ones. */
static int allocate_beside(sim *m, struct io_services *services, const service_call *call, mapping *map) {
  struct io_services_groups *groups = sim_at(m, services->state->groups_at);
  if (!(call->hints & IO_CB) || !call->cb || call->cb_page + map->pages > range_pages(services)) return 0;
  map->group = call->cb - 1;
  map->addr = range_addr(m, services, map->group) + call->cb_page * SERVICE_PAGE;
  groups[map->group].used |= ((1u << map->pages) - 1) << call->cb_page;
  return 1;
}

/* Allocates an address with the service's own allocator; returns 0 if there is none. */
static int service_allocate(sim *m, struct io_services *services, service_call *call, mapping *map) {
  struct allocator_alloc wish = {.pages = map->pages, .last = UINT64_MAX};
  const struct io_services_drivers *driver =
      (struct io_services_drivers *)sim_at(m, services->state->drivers_at) + service_index(m, services, call);
  ((struct io_services_now *)sim_at(m, services->state->now_at))->passed = 0;
  uint32_t first = driver->declared >> IO_SERVICES_DRIVERS_FIRST;
  map->sequential = map->pages == 1
                    && ((driver->declared >> IO_SERVICES_DRIVERS_SEQUENTIAL & 1)
                        || services->params->allocator == IO_SERVICES_ALLOCATOR_SEQUENTIAL);
  int found = services->params->allocator == IO_SERVICES_ALLOCATOR_GUEST
                  ? allocate_in_chain(m, services, map, guest_chain(m, services, call))
                  : allocate_beside(m, services, call, map) || allocate(m, services, map, &wish, first);
  if (!found) {
    service_exhausted(m, services, map);
    return 0;
  }
  call->cb = map->sequential ? 0 : map->group + 1;
  call->cb_page = (uint32_t)(map->addr / SERVICE_PAGE % range_pages(services)) + map->pages;
  service_placed(m, services, call, map);
  return 1;
}

/* Attributes from hints: prefetch only for device reads, safe if a cache line is shared with other data. */
static uint32_t attributes_of(struct io_services *services, const service_call *call, int inbound) {
  uint64_t fault = services->params->fault;
  uint64_t bytes = call->bounded ? call->bounded : call->bytes;
  int ragged = (call->host | bytes) % RUNWAY_LINE != 0 && !(call->hints & (IO_IGN_ALIGNMENT | IO_CONTIGUOUS))
               && fault != IO_SERVICES_FAULT_FAST_ON_RAGGED;
  uint32_t attributes = IO_PAGE_VALID;
  if (call->hints & IO_SAFE || (ragged && !(call->hints & IO_FAST))) attributes |= IO_PAGE_SAFE;
  if (call->hints & IO_LOCK) attributes |= IO_PAGE_LOCK;
  if ((!inbound && !(call->hints & IO_NO_SEQ)) || fault == IO_SERVICES_FAULT_PREFETCH_ON_WRITTEN)
    attributes |= IO_PAGE_PREFETCH;
  if (call->hints & IO_PHYSICAL) attributes |= MAPPED_BY_PHYSICAL;
  return attributes;
}

static uint64_t entry_of(struct io_services *services, uint64_t physical, uint32_t attributes) {
  uint64_t offset = attributes & MAPPED_BY_PHYSICAL ? 0 : services->params->virtual_offset;
  uint64_t page = physical / SERVICE_PAGE, index = (physical + offset) / SERVICE_PAGE & 0xfff;
  if (services->params->fault == IO_SERVICES_FAULT_WRONG_INDEX) index ^= 1;
  return io_page_with_page(page) | io_page_with_index(index) | (attributes & ~MAPPED_BY_PHYSICAL);
}
