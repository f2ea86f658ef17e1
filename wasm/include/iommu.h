/*
 * What is said around an I/O memory management unit: the mapping service that fills its table, the
 * devices whose addresses it translates, and the network adapter with its driver.
 */
#ifndef BY_IOMMU_H
#define BY_IOMMU_H

/* Table port: mapping service <-> IOMMU <-> devices. All but the first are asks to the IOMMU. */
enum by_iommu_port {
  IOMMU_SETUP = 1, /* ask to the service, at load: addr = bus address of entry 0, x = entries, y = log2 of the page */
  IOMMU_SET,       /* addr = entry, when = physical address of its page, x = entries, y = pages from one physical page to the next */
  IOMMU_CLEAR,     /* addr = entry, x = entries: no longer valid; cached translations stay */
  IOMMU_DROP,      /* addr = entry, x = entries: cached translations of these are forgotten */
  IOMMU_FLUSH,     /* all cached translations are forgotten */
  IOMMU_TRANSLATE, /* from a device: addr = bus address, y = 1 to write. Answers 0 if that is stopped; else addr = physical address,
                      when = time it took, x = 1 if the cached translation was of an earlier mapping */
};

/* Doorbell port: service <-> device. */
enum by_doorbell_port {
  DOORBELL_START = 1, /* ask to the device: addr = bus address, when = bytes, y = 1 if it is to write memory; answers 0 if it is busy */
};

/* Network port: driver <-> adapter. */
enum by_net_port {
  NET_SEND = 1, /* ask to the adapter: x = queue, y = slot, addr = bytes of payload */
  NET_BUFFER,   /* ask to the driver: x = queue, y = slot | buffer << 16; answers 0 if there is no such buffer, else addr = its bus address */
  NET_SENT,     /* message to the driver: x = queue, y = slot: the packet has left */
};

#endif
