/**
 * The five published systems, in the order of the gallery. Which of them are runnable follows from the
 * scenario files.
 */
export interface PublishedSystem {
  /** Name of its folder under scenarios/. */
  readonly id: string;
  readonly title: string;
  readonly machine: string;
  readonly about: string;
  readonly source: string;
}

export const SYSTEMS: readonly PublishedSystem[] = [
  {
    id: 'hp',
    title: 'Coherent I/O',
    machine: 'HP 9000 J/K class',
    about:
      'Four snooping CPUs, an adapter that translates and snoops, and the page attributes that keep both honest.',
    source: 'HP Journal 1996',
  },
  {
    id: 'zx1',
    title: 'DMA hints',
    machine: 'ZX1, PCI and PCI-X',
    about:
      'How far to read ahead, what may overtake what, and who still owns the line after a read.',
    source: 'OLS 2003',
  },
  {
    id: 'soc',
    title: 'Shared address space',
    machine: 'SoC, two processors',
    about:
      'Give the network to a second CPU and pass pointers. When does it pay, and who is the bottleneck?',
    source: 'GIT-CERCS-04-08',
  },
  {
    id: 'gt',
    title: 'PIO or DMA',
    machine: 'SCRAMNet GT',
    about: 'One word at a time or one block at once. Find the size where the answer changes.',
    source: 'Curtiss-Wright 2004',
  },
  {
    id: 'pools',
    title: 'Pooled allocation',
    machine: 'IOMMU, sun4v and friends',
    about:
      'A quarter of a million bits, one lock, ten threads. Then sixteen locks, and what that costs.',
    source: 'LinuxCon 2015',
  },
];
