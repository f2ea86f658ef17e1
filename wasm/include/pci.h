#ifndef SIM_PCI_H
#define SIM_PCI_H

#include <stdint.h>

/* Commands differ in what they tell a bridge about the length of a read, and in the direction of data. */
static inline int pci_is_read(uint32_t command) {
  return command != PCI_COMMAND_WRITE && command != PCI_COMMAND_WRITE_INVALIDATE
         && command != PCI_COMMAND_COMPLETION;
}

/* Attributes of a request on PCI-X. */
enum { PCI_RELAXED = 1, PCI_NO_SNOOP = 2 };

static inline uint32_t pci_attributes(uint64_t relaxed, uint64_t no_snoop) {
  return (relaxed ? PCI_RELAXED : 0) | (no_snoop ? PCI_NO_SNOOP : 0);
}

/* The command of a read by its number of whole lines: MRM for two or more, MRL for one, MR below that. */
static inline uint32_t pci_read_command(uint32_t most, uint64_t line, uint64_t address, uint64_t bytes) {
  uint64_t first = (address + line - 1) & ~(line - 1), end = (address + bytes) & ~(line - 1),
           whole = end > first ? end - first : 0;
  if (most == PCI_READ_KIND_READ_MULTIPLE && whole >= 2 * line) return PCI_COMMAND_READ_MULTIPLE;
  return most != PCI_READ_KIND_READ && whole >= line ? PCI_COMMAND_READ_LINE : PCI_COMMAND_READ;
}

#endif
