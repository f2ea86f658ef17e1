/*
 * An I/O memory management unit.
 *
 *   device --bus address--> [cache of translations] --miss--> [table, one entry a page] --> memory
 *                                 ^ drop, flush                      ^ set, clear
 *                                 +------------ mapping service -----+
 *
 * The table is current, the cache holds entries as they were last read. When an entry is cleared its cached
 * translation must be purged too, before the entry is reused for another page. The unit detects and counts
 * accesses through a translation that no longer agrees with the table.
 *
 * Wired to a bus, the unit has no table of its own. It reads entries from memory, where the service stores
 * them, and performs devices' accesses there:
 *
 *   device --access--> [look-up] --hit-------------------> [ready] --bus--> memory --done--> device
 *                          | miss                             ^
 *                          +--> [missed] --walker, 1 or 2 reads over the bus
 *
 * Wired to an HSC bus as well, it replaces that bus's adapter (hsc.c).
 *
 * Wired to memory instead, it is notified of entries that the service stores there, and a miss takes as long
 * as reading them.
 *
 * A walker serves one miss at a time; accesses that miss the same entry wait with it, and hits proceed.
 */
#ifndef SIM_IOMMU_PART_H
#define SIM_IOMMU_PART_H

#include "dma_contract.h"
#include "core/engine.h"
#include "gen/protocols.h"
#include "gen/registers.h"
#include "runway.h"

#define IOMMU_DEVICES 7u
#define IOMMU_PLACES 8u                             /* limit of a device's outstanding accesses */
#define IOMMU_OF_HSC (IOMMU_DEVICES * IOMMU_PLACES) /* the access for the HSC bus */
#define IOMMU_ACCESSES ((IOMMU_DEVICES + 1) * IOMMU_PLACES)
#define IOMMU_POSTED                                                                    \
  (IOMMU_ACCESSES + 4u) /* beyond walkers: for transactions without a waiting requester \
                         */
#define IOMMU_SLOTS 8u
#define IOMMU_RETURNS 32u
#define IOMMU_RETURNS_FULL \
  16u                     /* threshold at which register accesses are stopped; those in flight still fit */
#define IOMMU_READERS 16u /* register reads of processors: one each */
#define IOMMU_FRAME 12u   /* log2 of the page size of entries */

enum iommu_self { IOMMU_LOOKED_UP = 1, IOMMU_RETURNED };

/* Result of an access, as reported to the device. */
enum iommu_outcome { IOMMU_REACHED, IOMMU_ASTRAY, IOMMU_STOPPED };

/*
 * A processor's register read: its transaction, its value once answered, and the conditions for its return:
 * accesses, one bit each, and a number of requests of the HSC bus.
 */
struct iommu_register_read {
  uint64_t address;
  uint64_t behind;
  uint32_t transaction;
  uint32_t value;
  uint32_t answered;
  uint32_t requests;
};

struct iommu_state {
  uint64_t base;
  uint32_t table_at;
  uint32_t cache_at;
  uint32_t now_at;
  uint32_t entries;
  uint32_t shift;
  uint32_t spare;
  uint32_t accesses_at;
  uint32_t walkers_at;
  uint32_t numbers;
  uint32_t reads;
  uint64_t fault_address;
  uint32_t hsc_at;
  uint32_t requests_at;
  uint32_t returns_at;
  uint32_t room;
  struct iommu_register_read read[IOMMU_READERS];
};

typedef struct iommu_cache translation;
typedef struct iommu_accesses iommu_access;
typedef struct iommu_walkers iommu_walker;

static inline int iommu_on_bus(sim *m, struct iommu *unit) {
  return sim_wired(m, unit->self, IOMMU_PORT_BUS);
}
static inline iommu_access *iommu_access_of(sim *m, struct iommu *unit, uint32_t slot) {
  return (iommu_access *)sim_at(m, unit->state->accesses_at) + slot;
}
static inline iommu_walker *iommu_walker_of(sim *m, struct iommu *unit, uint32_t walker) {
  return (iommu_walker *)sim_at(m, unit->state->walkers_at) + walker;
}
static inline void iommu_ask(sim *m, struct iommu *unit) {
  call_runway_request(m, unit->self, IOMMU_PORT_BUS);
}

#endif
