/* What is made of a translation's answer. */
#ifndef SIM_IOMMU_H
#define SIM_IOMMU_H

/* Where an access through a stale translation was meant to go, if anywhere. */
static inline uint64_t iommu_intended_address(const struct iommu_translate *q) { return q->meant ? (uint64_t)(q->meant - 1) << 12 | (q->physical & 0xfff) : UINT64_MAX; }

#endif
