/* What a device may want of an HSC-like I/O bus. */
#ifndef BY_HSC_H
#define BY_HSC_H

enum hsc_kind {
  HSC_READ = 0,       /* a device reads memory; data returns later */
  HSC_WRITE,          /* a device writes memory: 4, 8, 16 or 32 aligned bytes */
  HSC_SEMAPHORE,      /* read, change and write back one word as one action; the old value returns */
  HSC_READ_LOCKED,    /* EISA: memory belongs to this device until its write */
  HSC_WRITE_UNLOCK,
  HSC_INTERRUPT,      /* a write to a processor's interrupt register */
};

#endif
