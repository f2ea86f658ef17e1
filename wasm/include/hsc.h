/* What a device may want of an HSC-like I/O bus. */
#ifndef SIM_HSC_H
#define SIM_HSC_H

enum hsc_kind {
  HSC_READ = 0,       /* a device reads memory; data returns later */
  HSC_WRITE,          /* a device writes memory: 4, 8, 16 or 32 aligned bytes */
  HSC_SEMAPHORE,      /* read, change and write back one word as one action; the old value returns */
  HSC_READ_LOCKED,    /* EISA: memory belongs to this device until its write */
  HSC_WRITE_UNLOCK,
  HSC_INTERRUPT,      /* a write to a processor's interrupt register */
  HSC_ANSWER,         /* the value of a register that a processor reads, and the tag that came with the read */
};

/* What a device makes of a register access. */
enum hsc_retry {
  HSC_ACCEPTED = 0,
  HSC_DEFERRED, /* a read: it asks for the bus when it has the value */
  HSC_BUSY,  /* it has no place for the access: the bus waits */
};

#endif
