/*
 * What is said around an HSC-like I/O bus: 32 bits, split reads, the I/O adapter at one end and
 * devices at the other.
 */
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

enum hsc_port {
  HSC_ASK = 1,        /* ask to the bus: I want to be master */
  HSC_ROOM,           /* ask to the adapter: x = 1 for a request from a device; is there a place for it? */
  HSC_GRANT,          /* ask to a device: answers 0 = nothing any more; else addr, x = bytes, y = enum hsc_kind, words = data.
                         To the adapter: x = device slot, y = 0 data for it, 1 register write, 2 register read; addr, words */
  HSC_PUT,            /* ask to the adapter: a device's request; addr, x = bytes, y = kind | slot << 8, words */
  HSC_DATA,           /* ask to a device: its data; x = 0 if the address had no translation; words. To the adapter: a register's value in x, y = what came second in words when it was asked for */
  HSC_SENT,           /* ask to a device: its posted write has left */
  HSC_REGISTER,       /* ask to a device: addr = offset, x = value, y = 1 for a read; answers its value */
};

#endif
