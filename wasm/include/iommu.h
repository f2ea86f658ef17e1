/* Helpers for the answer of a translation. */
#ifndef SIM_IOMMU_H
#define SIM_IOMMU_H

/* Intended address of an access through a stale translation, if any. */
static inline uint64_t iommu_intended_address(const struct iommu_translate *q) {
  return q->meant ? (uint64_t)(q->meant - 1) << 12 | (q->physical & 0xfff) : UINT64_MAX;
}

#endif
