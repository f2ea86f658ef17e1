/*
 * An I/O memory management unit.
 *
 *   device --bus address--> [cache of translations] --miss--> [table, one entry a page] --> memory
 *                                 ^ drop, flush                      ^ set, clear
 *                                 +------------ mapping service -----+
 *
 * The table says what is true, the cache what was true when an entry was last read. Whoever clears an
 * entry has to have the cached translation forgotten as well, before the entry is used for another page.
 * An access through a translation that no longer agrees with the table is seen here and counted.
 *
 * Wired to a bus, the unit has no table of its own. It reads entries where the service has stored them, in memory, and
 * carries out what devices want there:
 *
 *   device --access--> [look-up] --hit-------------------> [ready] --bus--> memory --done--> device
 *                          | miss                             ^
 *                          +--> [missed] --walker, 1 or 2 reads over the bus
 *
 * Wired to an HSC bus as well it stands in the place of that bus's adapter (hsc.c).
 *
 * Wired to memory instead, it is told of entries that the service has stored there, and a miss takes as long as reading them.
 *
 * One walker serves one miss at a time; whoever misses the same entry waits with it, whoever hits passes by.
 */
#ifndef SIM_IOMMU_PART_H
#define SIM_IOMMU_PART_H

#include "dma_contract.h"
#include "core/engine.h"
#include "gen/protocols.h"
#include "gen/registers.h"
#include "runway.h"

#define IOMMU_DEVICES 7u
#define IOMMU_PLACES 8u /* accesses of a device under way, at most */
#define IOMMU_OF_HSC (IOMMU_DEVICES * IOMMU_PLACES) /* the access of the HSC bus */
#define IOMMU_ACCESSES ((IOMMU_DEVICES + 1) * IOMMU_PLACES)
#define IOMMU_POSTED (IOMMU_ACCESSES + 4u) /* beyond walkers: of transactions that nobody waits for */
#define IOMMU_SLOTS 8u
#define IOMMU_RETURNS 32u
#define IOMMU_RETURNS_FULL 16u /* from here on no more register accesses come; what is under way still finds a place */
#define IOMMU_READERS 16u  /* register reads of processors: each has one */
#define IOMMU_FRAME 12u    /* log2 of the page that entries count in */

enum iommu_self { IOMMU_LOOKED_UP = 1, IOMMU_RETURNED };

/* What came of an access, as the device is told. */
enum iommu_outcome { IOMMU_REACHED, IOMMU_ASTRAY, IOMMU_STOPPED };

/*
 * A processor's register read: of which transaction, its value once it is answered, and what is to be done before that goes: accesses, a bit
 * each, and so many requests of the HSC bus.
 */
struct iommu_register_read {
  uint64_t address, behind;
  uint32_t transaction, value, answered, requests;
};

struct iommu_state {
  uint64_t base;
  uint32_t table_at, cache_at, now_at, entries, shift, spare;
  uint32_t accesses_at, walkers_at, numbers, reads;
  uint64_t fault_address;
  uint32_t hsc_at, requests_at, returns_at, room;
  struct iommu_register_read read[IOMMU_READERS];
};

typedef struct iommu_cache translation;
typedef struct iommu_accesses iommu_access;
typedef struct iommu_walkers iommu_walker;

static inline int iommu_on_bus(sim *m, uint32_t self) { return sim_wired(m, self, IOMMU_PORT_BUS); }
static inline iommu_access *iommu_access_of(sim *m, struct iommu_state *s, uint32_t slot) { return (iommu_access *)sim_at(m, s->accesses_at) + slot; }
static inline iommu_walker *iommu_walker_of(sim *m, struct iommu_state *s, uint32_t walker) { return (iommu_walker *)sim_at(m, s->walkers_at) + walker; }
static inline void iommu_ask(sim *m, uint32_t self) { call_runway_request(m, self, IOMMU_PORT_BUS); }

#endif
